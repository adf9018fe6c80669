/* Tests of the mistakes that a caller can make: each call ends with a status. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static tessera_error error = {.size = sizeof error};

/* Every argument NULL, and handles that aren't any. */
static void test_nulls(void) {
    tessera_image *image = NULL;
    uint8_t *bytes = NULL;
    size_t count = 0;
    char byte = 0;
    tessera_info info = {.size = sizeof info};
    const tessera_status wrong = TESSERA_STATUS_INVALID_PARAMETER;
    EXPECT(wrong, error, tessera_open_path(NULL, NULL, &image, &error));
    EXPECT(wrong, error, tessera_open_path("", NULL, &image, &error));
    EXPECT(wrong, error, tessera_open_path("\xFF\xFE", NULL, &image, &error));
    EXPECT(wrong, error, tessera_open_path("a", NULL, NULL, &error));
    EXPECT(wrong, error, tessera_open_memory(NULL, 5, NULL, &image, &error));
    EXPECT(wrong, error, tessera_open_memory(&byte, SIZE_MAX, NULL, &image, &error));
    EXPECT(wrong, error, tessera_open_source(NULL, NULL, &image, &error));
    EXPECT(wrong, error, tessera_image_info(NULL, &info, &error));
    EXPECT(wrong, error, tessera_image_metadata(NULL, 1, &bytes, &count, &error));
    EXPECT(wrong, error, tessera_decode(NULL, NULL, &byte, 1, 1, &error));
    EXPECT(wrong, error, tessera_thumbnail(NULL, 1, 1, NULL, &image, &error));
    EXPECT(wrong, error, tessera_encode(NULL, NULL, &bytes, &count, &error));
    EXPECT(wrong, error, tessera_write_path(NULL, "a.png", NULL, &error));
    EXPECT(wrong, error, tessera_encode_frames(NULL, NULL, 1, NULL, &bytes, &count, &error));
    EXPECT(wrong, error, tessera_apply(NULL, "[]", NULL, &image, &error));
    EXPECT(wrong, error, tessera_animation_open(NULL, NULL, &error));
    EXPECT(wrong, error, tessera_tiles_open(NULL, NULL, NULL, &error));
    EXPECT(wrong, error, tessera_tiles_read(NULL, 0, 0, 0, &image, &error));
    EXPECT(wrong, error, tessera_pyramid_build(NULL, NULL, NULL, &error));
    EXPECT(wrong, error, tessera_jpng_split(NULL, 0, NULL, &error));
    EXPECT(wrong, error, tessera_jpng_join(NULL, 1, NULL, 1, &bytes, &count, &error));
    EXPECT(wrong, error, tessera_jpng_join("a", 1, "b", 1, NULL, NULL, &error));
    EXPECT(wrong, error, tessera_isolation_create(NULL, NULL, &error));
    EXPECT(wrong, error, tessera_format_at(SIZE_MAX, NULL, &error));
    CHECK(tessera_open_path(NULL, NULL, NULL, NULL) == wrong);
    tessera_free(NULL);
    tessera_image_free(NULL);
    tessera_animation_free(NULL);
    tessera_tiles_free(NULL);
    tessera_isolation_free(NULL);

    tessera_image *stray = (tessera_image *)&byte;
    EXPECT(TESSERA_STATUS_INVALID_HANDLE, error, tessera_image_info(stray, &info, &error));
    tessera_image_free(stray);
    image = sample_image();
    tessera_tiles_free((tessera_tiles *)image);
    EXPECT(TESSERA_STATUS_OK, error, tessera_image_info(image, &info, &error));
    tessera_image_free(image);
    tessera_image_free(image);
    EXPECT(TESSERA_STATUS_INVALID_HANDLE, error, tessera_image_info(image, &info, &error));
}

static void test_sizes(void) {
    tessera_image *image = sample_image();
    const size_t sizes[] = {0, 1, 7, 8, sizeof(tessera_info) - 1, (size_t)1 << 40, SIZE_MAX};
    for (size_t index = 0; index < sizeof sizes / sizeof *sizes; index++) {
        tessera_info info = {.size = sizes[index], .width = 77};
        EXPECT(TESSERA_STATUS_INVALID_PARAMETER, error, tessera_image_info(image, &info, &error));
        CHECK(info.width == 77);
        tessera_error small = {.size = sizes[index], .status = 55};
        CHECK(tessera_image_info(image, &info, &small) == TESSERA_STATUS_INVALID_PARAMETER && small.status == 55);
    }
    /* A later version's structure: the rest of an answer is zero, the rest of options must be. */
    struct { tessera_info info; int64_t later; } newer = {{.size = sizeof newer}, 9};
    EXPECT(TESSERA_STATUS_OK, error, tessera_image_info(image, &newer.info, &error));
    CHECK(newer.later == 0 && newer.info.width == WIDTH && newer.info.size == sizeof newer);
    struct { tessera_decode_options options; int64_t later; } options = {{.size = sizeof options}, 0};
    tessera_layout layout = {.size = sizeof layout};
    EXPECT(TESSERA_STATUS_OK, error, tessera_decode_layout(image, &options.options, &layout, &error));
    options.later = 1;
    EXPECT(TESSERA_STATUS_UNSUPPORTED, error, tessera_decode_layout(image, &options.options, &layout, &error));
    tessera_image_free(image);
}

static void test_numbers(void) {
    tessera_image *image = sample_image();
    uint8_t pixels[64];
    const int64_t numbers[] = {INT64_MIN, -1, 0, 1, 1000, INT32_MAX, INT64_MAX};
    const size_t count = sizeof numbers / sizeof *numbers;
    tessera_layout layout = {.size = sizeof layout};
    for (size_t a = 0; a < count; a++) {
        for (size_t b = 0; b < count; b++) {
            tessera_decode_options options[] = {
                {.size = sizeof *options, .x = numbers[a], .y = numbers[b], .width = 5, .height = 5},
                {.size = sizeof *options, .width = numbers[a], .height = numbers[b]},
                {.size = sizeof *options, .target_width = numbers[a], .target_height = numbers[b]},
                {.size = sizeof *options, .target_width = numbers[a], .target_height = numbers[b], .fits = 1},
                {.size = sizeof *options, .pixels = (int32_t)numbers[a], .alpha = (int32_t)numbers[b]}};
            for (size_t index = 0; index < sizeof options / sizeof *options; index++) {
                tessera_decode_layout(image, &options[index], &layout, &error);
                tessera_decode(image, &options[index], pixels, sizeof pixels, (size_t)numbers[b], &error);
                tessera_decode(image, &options[index], pixels, sizeof pixels, 16, &error);
            }
            tessera_image *other = NULL;
            tessera_layout wrong = {
                .size = sizeof wrong, .width = numbers[a], .height = numbers[b], .pixels = TESSERA_PIXELS_RGBA8};
            if (numbers[a] > 1 || numbers[b] > 1)
                CHECK(tessera_image_create(&wrong, pixels, sizeof pixels, 64, NULL, 0, &other, &error) && !other);
            tessera_thumbnail(image, numbers[a], numbers[b], NULL, &other, &error);
            tessera_image_free(other);
            tessera_encode_options encoding = {
                .size = sizeof encoding, .format = "jpeg", .maximum_side = numbers[a], .maximum_byte_count = numbers[b],
                .loop_count = numbers[a], .keeps = (int32_t)numbers[b]};
            uint8_t *bytes = NULL;
            size_t byte_count = 0;
            tessera_encode(image, &encoding, &bytes, &byte_count, &error);
            tessera_free(bytes);
        }
    }
    tessera_encode_options encoding = {.size = sizeof encoding, .format = "jpeg", .quality = 2};
    uint8_t *bytes = NULL;
    size_t byte_count = 0;
    EXPECT(TESSERA_STATUS_INVALID_PARAMETER, error, tessera_encode(image, &encoding, &bytes, &byte_count, &error));
    encoding.quality = 0.0 / 0.0;
    EXPECT(TESSERA_STATUS_INVALID_PARAMETER, error, tessera_encode(image, &encoding, &bytes, &byte_count, &error));
    encoding = (tessera_encode_options){.size = sizeof encoding, .format = "nosuch"};
    EXPECT(TESSERA_STATUS_INVALID_PARAMETER, error, tessera_encode(image, &encoding, &bytes, &byte_count, &error));
    encoding = (tessera_encode_options){.size = sizeof encoding, .format = "svg"};
    EXPECT(TESSERA_STATUS_UNSUPPORTED, error, tessera_encode(image, &encoding, &bytes, &byte_count, &error));
    encoding = (tessera_encode_options){.size = sizeof encoding};
    EXPECT(TESSERA_STATUS_INVALID_PARAMETER, error, tessera_encode(image, &encoding, &bytes, &byte_count, &error));
    tessera_image_free(image);
}

/* A source that does what `kind` says. */
struct faulty {
    const uint8_t *bytes;
    size_t count, position;
    int kind;
    tessera_image *image;
    int refused;
};

enum { FAILS, RETURNS_TOO_MUCH, RETURNS_NEGATIVE, ENDS_EARLY, ONE_BYTE, SEEK_FAILS, CALLS_LIBRARY, ENDLESS, KINDS };

static int64_t faulty_read(void *context, void *buffer, size_t count) {
    struct faulty *faulty = context;
    size_t rest = faulty->count - faulty->position, taken = count < rest ? count : rest;
    switch (faulty->kind) {
    case FAILS: return -1;
    case RETURNS_TOO_MUCH: return (int64_t)count + 1;
    case RETURNS_NEGATIVE: return INT64_MIN;
    case ENDS_EARLY: if (faulty->position + taken > faulty->count / 2) return 0; break;
    case ONE_BYTE: taken = rest ? 1 : 0; break;
    case ENDLESS: memset(buffer, 0, count); return (int64_t)count;
    case CALLS_LIBRARY: {
        tessera_info info = {.size = sizeof info};
        tessera_image *other = NULL;
        if (tessera_image_info(faulty->image, &info, NULL) == TESSERA_STATUS_REENTERED
            && tessera_open_memory(faulty->bytes, faulty->count, NULL, &other, NULL) == TESSERA_STATUS_REENTERED)
            faulty->refused++;
        break;
    }
    default: break;
    }
    memcpy(buffer, faulty->bytes + faulty->position, taken);
    faulty->position += taken;
    return (int64_t)taken;
}

static int faulty_seek(void *context, int64_t offset) {
    struct faulty *faulty = context;
    if (faulty->kind == SEEK_FAILS || offset < 0 || (size_t)offset > faulty->count) return 1;
    faulty->position = (size_t)offset;
    return 0;
}

static void test_sources(void) {
    static const char *const formats[] = {"png", "jpeg", "jpng", "tiff", "webp", "gif", "bmp"};
    for (size_t format = 0; format < sizeof formats / sizeof *formats; format++) {
        size_t count = 0;
        uint8_t *bytes = sample_file(formats[format], &count);
        for (int kind = 0; kind < KINDS; kind++) {
            for (int seekable = 0; seekable <= 1; seekable++) {
                struct faulty faulty = {.bytes = bytes, .count = count, .kind = kind, .image = sample_image()};
                tessera_source source = {
                    .size = sizeof source, .context = &faulty, .byte_count = (int64_t)count, .read = faulty_read,
                    .seek = seekable ? faulty_seek : NULL};
                tessera_limits limits = {.size = sizeof limits, .input_byte_count = 1 << 20};
                tessera_open_options options = {.size = sizeof options, .limits = &limits};
                tessera_image *image = NULL, *small = NULL;
                tessera_status status = tessera_open_source(&source, &options, &image, &error);
                if (status == TESSERA_STATUS_OK) status = tessera_thumbnail(image, 9, 9, NULL, &small, &error);
                CHECK((status == TESSERA_STATUS_OK) == (small != NULL));
                if (kind == ONE_BYTE || kind == CALLS_LIBRARY || (kind == SEEK_FAILS && !seekable))
                    CHECK(status == TESSERA_STATUS_OK);
                else
                    CHECK(status != TESSERA_STATUS_OK && error.message[0]);
                if (kind == CALLS_LIBRARY) CHECK(faulty.refused > 0);
                tessera_image_free(small);
                tessera_image_free(image);
                tessera_image_free(faulty.image);
            }
        }
        tessera_free(bytes);
    }
    tessera_source source = {.size = sizeof source};
    tessera_image *image = NULL;
    EXPECT(TESSERA_STATUS_INVALID_PARAMETER, error, tessera_open_source(&source, NULL, &image, &error));
    source = (tessera_source){
        .size = sizeof source, .read = faulty_read, .seek = faulty_seek, .byte_count = -1};
    EXPECT(TESSERA_STATUS_INVALID_PARAMETER, error, tessera_open_source(&source, NULL, &image, &error));
}

static int64_t bad_write(void *context, const void *bytes, size_t count) {
    (void)bytes;
    const int64_t results[] = {0, -1, INT64_MIN, (int64_t)count + 1, INT64_MAX};
    return results[*(int *)context];
}

static void test_sinks(void) {
    tessera_image *image = sample_image();
    for (int kind = 0; kind < 5; kind++) {
        tessera_sink sink = {.size = sizeof sink, .context = &kind, .write = bad_write};
        tessera_encode_options options = {.size = sizeof options, .format = "png"};
        EXPECT(TESSERA_STATUS_INPUT_OUTPUT, error, tessera_write_sink(image, &sink, &options, &error));
    }
    tessera_image_free(image);
}

/* Eight threads use the same handles, and each frees one that others may be using. */
struct shared {
    tessera_image *image, *doomed[8];
    int index;
};

static void *use(void *context) {
    struct shared *shared = context;
    for (int round = 0; round < 20; round++) {
        tessera_error own = {.size = sizeof own};
        tessera_image *small = NULL;
        EXPECT(TESSERA_STATUS_OK, own, tessera_thumbnail(shared->image, 10 + round, 10, NULL, &small, &own));
        tessera_encode_options options = {.size = sizeof options, .format = round % 2 ? "png" : "webp"};
        uint8_t *bytes = NULL;
        size_t count = 0;
        EXPECT(TESSERA_STATUS_OK, own, tessera_encode(small, &options, &bytes, &count, &own));
        tessera_free(bytes);
        tessera_image_free(small);
        for (int other = 0; other < 8; other++) {
            tessera_status status = tessera_thumbnail(shared->doomed[other], 8, 8, NULL, &small, &own);
            CHECK(status == TESSERA_STATUS_OK || status == TESSERA_STATUS_INVALID_HANDLE);
            tessera_image_free(small);
        }
        if (round == 10) tessera_image_free(shared->doomed[shared->index]);
    }
    return NULL;
}

static void test_threads(void) {
    size_t count = 0;
    uint8_t *bytes = sample_file("jpeg", &count);
    struct shared shared[8];
    memset(shared, 0, sizeof shared);
    tessera_image *images[9];
    for (int index = 0; index < 9; index++)
        EXPECT(TESSERA_STATUS_OK, error, tessera_open_memory(bytes, count, NULL, &images[index], &error));
    tessera_free(bytes);
    pthread_t threads[8];
    for (int index = 0; index < 8; index++) {
        shared[index].image = images[8];
        memcpy(shared[index].doomed, images, sizeof shared[index].doomed);
        shared[index].index = index;
        CHECK(pthread_create(&threads[index], NULL, use, &shared[index]) == 0);
    }
    for (int index = 0; index < 8; index++) pthread_join(threads[index], NULL);
    tessera_image_free(images[8]);
}

/* A child gets a status, and the parent goes on. */
static void test_fork(void) {
    tessera_image *image = sample_image();
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        tessera_info info = {.size = sizeof info};
        tessera_status status = tessera_image_info(image, &info, &error);
        tessera_image_free(image);
        _exit(status == TESSERA_STATUS_FORKED && tessera_format_count() == 0 ? 0 : 1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    tessera_info info = {.size = sizeof info};
    EXPECT(TESSERA_STATUS_OK, error, tessera_image_info(image, &info, &error));
    tessera_image_free(image);
}

int main(void) {
    test_nulls();
    test_sizes();
    test_numbers();
    test_sources();
    test_sinks();
    test_threads();
    test_fork();
    puts("ok");
    return 0;
}
