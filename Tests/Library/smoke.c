/* Tests of the C interface. Argument: a folder for files. */
#include "check.h"

static tessera_error error = {.size = sizeof error};

/* Bytes in memory as a source, handed out a few at a time. */
struct memory {
    const uint8_t *bytes;
    size_t count, position, calls, released;
    size_t most;
};

static int64_t read_memory(void *context, void *buffer, size_t count) {
    struct memory *memory = context;
    memory->calls++;
    size_t rest = memory->count - memory->position;
    if (count > rest) count = rest;
    if (count > memory->most) count = memory->most;
    memcpy(buffer, memory->bytes + memory->position, count);
    memory->position += count;
    return (int64_t)count;
}

static int seek_memory(void *context, int64_t offset) {
    struct memory *memory = context;
    if (offset < 0 || (size_t)offset > memory->count) return -1;
    memory->position = (size_t)offset;
    return 0;
}

static void release_memory(void *context) { ((struct memory *)context)->released++; }

/* Compares a decoded image with the sample. */
static void compare(const tessera_image *image, int tolerance) {
    tessera_layout layout = {.size = sizeof layout};
    tessera_decode_options options = {
        .size = sizeof options, .pixels = TESSERA_PIXELS_RGBA8, .alpha = TESSERA_ALPHA_STRAIGHT};
    EXPECT(TESSERA_STATUS_OK, error, tessera_decode_layout(image, &options, &layout, &error));
    CHECK(layout.width == WIDTH && layout.height == HEIGHT && layout.row_byte_count == 4 * WIDTH);
    uint8_t *pixels = malloc(STRIDE * HEIGHT);
    memset(pixels, 0xEE, STRIDE * HEIGHT);
    EXPECT(TESSERA_STATUS_OK, error, tessera_decode(image, &options, pixels, STRIDE * HEIGHT, STRIDE, &error));
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            uint8_t wanted[4];
            sample(x, y, wanted);
            for (int channel = 0; channel < 4; channel++) {
                int difference = pixels[y * STRIDE + 4 * x + channel] - wanted[channel];
                /* A transparent pixel's colour is lost. */
                if (wanted[3] > 0 || channel == 3) CHECK(abs(difference) <= tolerance);
            }
        }
        for (int padding = 4 * WIDTH; padding < STRIDE; padding++) CHECK(pixels[y * STRIDE + padding] == 0xEE);
    }
    free(pixels);
}

static void test_library(void) {
    CHECK(strcmp(tessera_version(), TESSERA_VERSION) == 0);
    CHECK(strcmp(tessera_status_name(TESSERA_STATUS_CORRUPT), "corrupt") == 0);
    CHECK(strcmp(tessera_status_name(12345), "other") == 0);
    int jpng = 0;
    for (size_t index = 0; index < tessera_format_count(); index++) {
        tessera_format_info info = {.size = sizeof info};
        EXPECT(TESSERA_STATUS_OK, error, tessera_format_at(index, &info, &error));
        CHECK(info.name[0] && info.extension[0] && info.media_type[0]);
        if (strcmp(info.name, "JPNG") == 0) jpng += info.can_decode && info.can_encode;
    }
    CHECK(jpng == 1);
}

/* Every format that can be written is read again, from memory and from callbacks. */
static void test_formats(void) {
    for (size_t index = 0; index < tessera_format_count(); index++) {
        tessera_format_info format = {.size = sizeof format};
        EXPECT(TESSERA_STATUS_OK, error, tessera_format_at(index, &format, &error));
        if (!format.can_encode) continue;
        size_t count = 0;
        uint8_t *bytes = sample_file(format.extension, &count);
        tessera_image *image = NULL;
        EXPECT(TESSERA_STATUS_OK, error, tessera_open_memory(bytes, count, NULL, &image, &error));
        tessera_info info = {.size = sizeof info};
        EXPECT(TESSERA_STATUS_OK, error, tessera_image_info(image, &info, &error));
        /* libheif writes HEVC, and HEIF with that is HEIC. */
        const char *name = strcmp(format.name, "HEIF") == 0 ? "HEIC" : format.name;
        if (info.width != WIDTH || info.height != HEIGHT || strcmp(info.format, name) != 0) {
            fprintf(stderr, "%s: read as %s, %dx%d\n", format.name, info.format, (int)info.width, (int)info.height);
            exit(1);
        }
        if (strcmp(format.name, "PNG") == 0 || strcmp(format.name, "QOI") == 0) compare(image, 0);
        tessera_image_free(image);

        for (int seekable = 0; seekable <= 1; seekable++) {
            struct memory memory = {.bytes = bytes, .count = count, .most = 1000};
            tessera_source source = {
                .size = sizeof source, .context = &memory, .byte_count = (int64_t)count, .read = read_memory,
                .seek = seekable ? seek_memory : NULL, .release = release_memory};
            EXPECT(TESSERA_STATUS_OK, error, tessera_open_source(&source, NULL, &image, &error));
            tessera_image *small = NULL;
            EXPECT(TESSERA_STATUS_OK, error, tessera_thumbnail(image, 20, 20, NULL, &small, &error));
            EXPECT(TESSERA_STATUS_OK, error, tessera_image_info(small, &info, &error));
            CHECK(info.width == 20 && info.height == 13 && info.format[0] == 0);
            tessera_image_free(small);
            CHECK(memory.calls > 0);
            tessera_image_free(image);
            CHECK(memory.released == 1);
        }
        tessera_free(bytes);
    }
}

static void test_regions_and_layouts(void) {
    size_t count = 0;
    uint8_t *bytes = sample_file("png", &count);
    tessera_image *image = NULL;
    EXPECT(TESSERA_STATUS_OK, error, tessera_open_memory(bytes, count, NULL, &image, &error));
    tessera_free(bytes);

    uint8_t pixels[5 * 64];
    tessera_decode_options options = {
        .size = sizeof options, .x = 40, .y = 30, .width = 6, .height = 5, .pixels = TESSERA_PIXELS_RGB8};
    EXPECT(TESSERA_STATUS_OK, error, tessera_decode(image, &options, pixels, sizeof pixels, 64, &error));
    uint8_t wanted[4];
    sample(45, 34, wanted);
    CHECK(memcmp(pixels + 4 * 64 + 5 * 3, wanted, 3) == 0);

    options.pixels = TESSERA_PIXELS_BGRA8;
    EXPECT(TESSERA_STATUS_OK, error, tessera_decode(image, &options, pixels, sizeof pixels, 64, &error));
    CHECK(pixels[4 * 64 + 5 * 4] == wanted[2] && pixels[4 * 64 + 5 * 4 + 2] == wanted[0]);

    /* Sixteen bits at an odd address. */
    options.pixels = TESSERA_PIXELS_RGBA16;
    EXPECT(TESSERA_STATUS_OK, error, tessera_decode(image, &options, pixels + 1, sizeof pixels - 1, 51, &error));
    uint16_t wide;
    memcpy(&wide, pixels + 1 + 4 * 51 + 5 * 8, 2);
    CHECK(wide == wanted[0] * 257);

    /* Transparent pixels over a background. */
    options = (tessera_decode_options){
        .size = sizeof options, .width = 1, .height = 1, .pixels = TESSERA_PIXELS_RGB8, .background = 0x123456};
    EXPECT(TESSERA_STATUS_OK, error, tessera_decode(image, &options, pixels, sizeof pixels, 64, &error));
    CHECK(pixels[0] == 0x12 && pixels[1] == 0x34 && pixels[2] == 0x56);

    tessera_image_free(image);
}

/* Counts its calls, and cancels at the one given. */
struct count {
    int calls, last;
};

static int progress(void *context, double fraction) {
    struct count *count = context;
    CHECK(fraction >= 0 && fraction <= 1);
    return ++count->calls == count->last;
}

static int64_t write_file(void *context, const void *bytes, size_t count) {
    if (count > 100) count = 100;
    return (int64_t)fwrite(bytes, 1, count, context);
}

static void test_writing(const char *folder) {
    char path[4096];
    size_t count = 0;
    uint8_t *bytes = sample_file("png", &count);
    tessera_image *image = NULL;
    EXPECT(TESSERA_STATUS_OK, error, tessera_open_memory(bytes, count, NULL, &image, &error));
    tessera_free(bytes);

    struct count counted = {0, 0};
    tessera_encode_options options = {.size = sizeof options, .progress = progress, .context = &counted};
    snprintf(path, sizeof path, "%s/written.png", folder);
    EXPECT(TESSERA_STATUS_OK, error, tessera_write_path(image, path, &options, &error));
    CHECK(counted.calls >= 2);
    tessera_image *again = NULL;
    EXPECT(TESSERA_STATUS_OK, error, tessera_open_path(path, NULL, &again, &error));
    compare(again, 0);
    tessera_image_free(again);

    counted = (struct count){0, 2};
    snprintf(path, sizeof path, "%s/cancelled.tif", folder);
    EXPECT(TESSERA_STATUS_CANCELLED, error, tessera_write_path(image, path, &options, &error));
    CHECK(fopen(path, "rb") == NULL);

    options = (tessera_encode_options){.size = sizeof options, .format = "image/jpeg", .settings = "subsampling=444"};
    snprintf(path, sizeof path, "%s/callback.jpg", folder);
    FILE *file = fopen(path, "wb");
    tessera_sink sink = {.size = sizeof sink, .context = file, .write = write_file};
    EXPECT(TESSERA_STATUS_OK, error, tessera_write_sink(image, &sink, &options, &error));
    fclose(file);
    EXPECT(TESSERA_STATUS_OK, error, tessera_open_path(path, NULL, &again, &error));
    tessera_image_free(again);

    options.settings = "subsampling=4:9:9";
    EXPECT(TESSERA_STATUS_INVALID_PARAMETER, error, tessera_write_path(image, path, &options, &error));
    tessera_image_free(image);
}

static void test_effects(void) {
    tessera_image *image = sample_image(), *result = NULL;
    EXPECT(TESSERA_STATUS_OK, error,
        tessera_apply(image, "[{\"scaleToFit\": {\"width\": 30, \"height\": 30}}]", NULL, &result, &error));
    tessera_info info = {.size = sizeof info};
    EXPECT(TESSERA_STATUS_OK, error, tessera_image_info(result, &info, &error));
    CHECK(info.width == 30);
    tessera_image_free(result);
    static const char *const wrong[] = {
        "", "[", "{}", "[{\"nosuch\": {}}]", "[{\"scaleToFit\": {\"width\": 30, \"depth\": 30}}]", "\xFF",
        "[{\"mask\": {\"image\": \"/etc/passwd\"}}]"};
    for (size_t index = 0; index < sizeof wrong / sizeof *wrong; index++) {
        EXPECT(TESSERA_STATUS_INVALID_PARAMETER, error, tessera_apply(image, wrong[index], NULL, &result, &error));
        CHECK(result == NULL);
    }
    tessera_image_free(image);
}

static void test_animations(void) {
    tessera_image *frames[3] = {sample_image(), sample_image(), NULL};
    EXPECT(TESSERA_STATUS_OK, error,
        tessera_apply(frames[0], "[{\"rotate\": {\"degrees\": 180}}]", NULL, &frames[2], &error));
    const double durations[3] = {0.1, 0.2, 0.3};
    tessera_encode_options options = {.size = sizeof options, .format = "png", .loop_count = 2};
    uint8_t *bytes = NULL;
    size_t count = 0;
    EXPECT(TESSERA_STATUS_OK, error, tessera_encode_frames(
        (const tessera_image *const *)frames, durations, 3, &options, &bytes, &count, &error));
    for (int index = 0; index < 3; index++) tessera_image_free(frames[index]);

    tessera_image *image = NULL;
    tessera_animation *animation = NULL;
    EXPECT(TESSERA_STATUS_OK, error, tessera_open_memory(bytes, count, NULL, &image, &error));
    tessera_free(bytes);
    EXPECT(TESSERA_STATUS_OK, error, tessera_animation_open(image, &animation, &error));
    tessera_image_free(image);
    tessera_animation_info info = {.size = sizeof info};
    EXPECT(TESSERA_STATUS_OK, error, tessera_animation_describe(animation, &info, &error));
    CHECK(info.frame_count == 3 && info.loop_count == 2 && info.width == WIDTH && info.missing == 0);
    CHECK(info.duration > 0.599 && info.duration < 0.601);
    double duration = 0;
    tessera_image *frame = NULL;
    EXPECT(TESSERA_STATUS_OK, error, tessera_animation_frame(animation, 1, &frame, &duration, &error));
    CHECK(duration == 0.2);
    /* The frame outlives its animation. */
    tessera_animation_free(animation);
    compare(frame, 0);
    tessera_image_free(frame);
}

static void test_tiles(const char *folder) {
    char path[4096], pyramid[4096];
    snprintf(path, sizeof path, "%s/tiles.jpg", folder);
    snprintf(pyramid, sizeof pyramid, "%s/tiles.dzi", folder);
    tessera_image *image = sample_image(), *large = NULL, *tile = NULL;
    EXPECT(TESSERA_STATUS_OK, error,
        tessera_apply(image, "[{\"scaleToFit\": {\"width\": 900, \"height\": 900}}]", NULL, &large, &error));
    EXPECT(TESSERA_STATUS_OK, error, tessera_write_path(large, path, NULL, &error));
    tessera_image_free(image);
    tessera_image_free(large);

    struct count counted = {0, 0};
    tessera_pyramid_options building = {.size = sizeof building, .progress = progress, .context = &counted};
    EXPECT(TESSERA_STATUS_OK, error, tessera_pyramid_build(path, pyramid, &building, &error));
    CHECK(counted.calls >= 2);
    for (counted.last = 1; counted.last <= 3; counted.last++) {
        counted.calls = 0;
        snprintf(pyramid, sizeof pyramid, "%s/cancelled%d.pyramid", folder, counted.last);
        EXPECT(TESSERA_STATUS_CANCELLED, error, tessera_pyramid_build(path, pyramid, &building, &error));
        CHECK(fopen(pyramid, "rb") == NULL);
    }
    snprintf(pyramid, sizeof pyramid, "%s/tiles.dzi", folder);
    const char *files[2] = {path, pyramid};
    for (int index = 0; index < 2; index++) {
        tessera_tiles *tiles = NULL;
        tessera_tiles_info info = {.size = sizeof info};
        tessera_level_info level = {.size = sizeof level};
        EXPECT(TESSERA_STATUS_OK, error, tessera_tiles_open(files[index], NULL, &tiles, &error));
        EXPECT(TESSERA_STATUS_OK, error, tessera_tiles_describe(tiles, &info, &error));
        CHECK(info.width == 900 && info.tile_size == 256);
        CHECK(info.access == (index ? TESSERA_ACCESS_STORED : TESSERA_ACCESS_INDEXED));
        EXPECT(TESSERA_STATUS_OK, error, tessera_tiles_level(tiles, 1, &level, &error));
        CHECK(level.width == 450 && level.column_count == 2);
        EXPECT(TESSERA_STATUS_OK, error, tessera_tiles_read(tiles, 0, 1, 1, &tile, &error));
        tessera_image_free(tile);
        uint8_t *bytes = NULL;
        size_t count = 0;
        tessera_format_info format = {.size = sizeof format};
        EXPECT(TESSERA_STATUS_OK, error, tessera_tiles_copy(tiles, 0, 1, 1, &bytes, &count, &format, &error));
        CHECK(bytes != NULL && bytes[0] == 0xFF && bytes[1] == 0xD8 && strcmp(format.name, "JPEG") == 0);
        tessera_free(bytes);
        EXPECT(TESSERA_STATUS_OK, error, tessera_tiles_region(tiles, 100, 100, 400, 300, 40, 30, &tile, &error));
        tessera_info region = {.size = sizeof region};
        EXPECT(TESSERA_STATUS_OK, error, tessera_image_info(tile, &region, &error));
        CHECK(region.width == 40 && region.height == 30);
        tessera_image_free(tile);
        EXPECT(TESSERA_STATUS_INVALID_PARAMETER, error, tessera_tiles_read(tiles, 0, 99, 0, &tile, &error));
        EXPECT(TESSERA_STATUS_INVALID_PARAMETER, error, tessera_tiles_level(tiles, -1, &level, &error));
        tessera_tiles_free(tiles);
    }
}

static void test_jpng(void) {
    size_t count = 0, joined_count = 0;
    uint8_t *bytes = sample_file("jpng", &count), *joined = NULL;
    tessera_jpng_parts parts = {.size = sizeof parts};
    EXPECT(TESSERA_STATUS_OK, error, tessera_jpng_split(bytes, count, &parts, &error));
    CHECK(parts.version == 1 && parts.mask_offset == parts.color_byte_count);
    EXPECT(TESSERA_STATUS_OK, error, tessera_jpng_join(
        bytes, (size_t)parts.color_byte_count, bytes + parts.mask_offset, (size_t)parts.mask_byte_count, &joined,
        &joined_count, &error));
    CHECK(joined_count == count && memcmp(joined, bytes, count) == 0);
    char *notes = NULL;
    EXPECT(TESSERA_STATUS_OK, error, tessera_jpng_verify(joined, joined_count, &notes, &error));
    CHECK(notes == NULL);
    joined[parts.mask_offset + parts.mask_byte_count - 14] ^= 0xFF;
    CHECK(tessera_jpng_verify(joined, joined_count, &notes, &error) != TESSERA_STATUS_OK);
    CHECK(error.byte_offset >= parts.mask_offset && error.message[0]);
    tessera_free(joined);
    tessera_free(bytes);
}

static void test_limits(void) {
    size_t count = 0;
    uint8_t *bytes = sample_file("png", &count);
    tessera_limits limits = {.size = sizeof limits, .pixel_count = 1000};
    tessera_open_options options = {.size = sizeof options, .limits = &limits};
    tessera_image *image = NULL;
    EXPECT(TESSERA_STATUS_LIMIT_EXCEEDED, error, tessera_open_memory(bytes, count, &options, &image, &error));
    CHECK(strstr(error.message, "limits.pixel_count") != NULL);
    limits = (tessera_limits){.size = sizeof limits, .input_byte_count = 10};
    EXPECT(TESSERA_STATUS_LIMIT_EXCEEDED, error, tessera_open_memory(bytes, count, &options, &image, &error));
    EXPECT(TESSERA_STATUS_TRUNCATED, error, tessera_open_memory(bytes, 20, NULL, &image, &error));
    EXPECT(TESSERA_STATUS_UNKNOWN_FORMAT, error, tessera_open_memory("hello, world", 12, NULL, &image, &error));
    EXPECT(TESSERA_STATUS_INPUT_OUTPUT, error, tessera_open_path("/nonexistent", NULL, &image, &error));
    CHECK(strstr(error.message, "/nonexistent") != NULL);
    tessera_free(bytes);
}

/* Argument 2: the program tessera-decode. */
static void test_isolation(const char *worker) {
    size_t count = 0;
    uint8_t *bytes = sample_file("png", &count);
    tessera_isolation *isolation = NULL;
    tessera_isolation_options settings = {.size = sizeof settings, .worker = worker};
    EXPECT(TESSERA_STATUS_OK, error, tessera_isolation_create(&settings, &isolation, &error));
    tessera_open_options options = {.size = sizeof options, .isolation = isolation};
    tessera_image *image = NULL;
    EXPECT(TESSERA_STATUS_OK, error, tessera_open_memory(bytes, count, &options, &image, &error));
    tessera_isolation_free(isolation);
    compare(image, 0);
    tessera_image_free(image);
    tessera_free(bytes);
}

int main(int argc, char **argv) {
    CHECK(argc >= 2);
    test_library();
    test_formats();
    test_regions_and_layouts();
    test_writing(argv[1]);
    test_effects();
    test_animations();
    test_tiles(argv[1]);
    test_jpng();
    test_limits();
    if (argc > 2) test_isolation(argv[2]);
    puts("ok");
    return 0;
}
