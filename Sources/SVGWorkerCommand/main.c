// tessera-svg: draws one SVG document for another program, and can't do it harm.
//
// A document of two kilobytes can keep librsvg busy for a minute and take half a gigabyte, and nothing stops it from
// inside. So the library runs in this program, which the system holds to limits and to a few calls, and which its parent
// can end.
//
// It is a worker (CTesseraSystem.h), started as `tessera-svg SECONDS BYTES`: processor time and memory that it may take.
// Of what workers are asked (CTesseraMessages.h) it knows all that isn't about animations.

#define _GNU_SOURCE
#include "document.h"
#include "messages.h"

#include <CTesseraSystem.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void limit(int resource, unsigned long long value) {
    // Processor time past the soft limit is a signal that tells why, past the hard one just the end.
    struct rlimit limit = {.rlim_cur = value, .rlim_max = value + (resource == RLIMIT_CPU)};
    setrlimit(resource, &limit);
}

// The system then keeps this process from everything but reading fonts, and what their library has to know of them.
static void confine(void) {
    // Names below HOME and the like are short; one that isn't is left out.
    char own[6][512] = {0};
    static const char *const variables[6][2] = {
        {"HOME", "/.fonts"}, {"HOME", "/.local/share/fonts"}, {"HOME", "/.config/fontconfig"},
        {"HOME", "/.cache/fontconfig"}, {"XDG_DATA_HOME", "/fonts"}, {"FONTCONFIG_PATH", ""},
    };
    const char *folders[16] = {
        "/usr/share", "/usr/local/share", "/usr/lib", "/lib", "/etc/fonts", "/var/cache/fontconfig", "/proc/self",
    };
    size_t count = 7;
    for (size_t index = 0; index < 6; index++) {
        const char *value = getenv(variables[index][0]);
        int length = value ? snprintf(own[index], sizeof own[index], "%s%s", value, variables[index][1]) : 0;
        if (length > 0 && (size_t)length < sizeof own[index]) folders[count++] = own[index];
    }
    // A file that is named is enough; the folder around it may be anything.
    if (getenv("FONTCONFIG_FILE")) folders[count++] = getenv("FONTCONFIG_FILE");
    // Where the system has none of this, the limits remain.
    tessera_read_only_below(folders, count);
    tessera_confine(TESSERA_MAY_READ_FILES);
}

// MARK: The memory that both see

static uint8_t *memory;
static size_t memory_size;

static void share(size_t size) {
    if (memory) munmap(memory, memory_size);
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, TESSERA_WORKER_MEMORY, 0);
    // Without it there is nothing to say.
    if (memory == MAP_FAILED) _exit(2);
    memory_size = size;
}

// MARK: What is asked

static uint8_t *bytes;
static size_t byte_count;
static document *drawing;
// The document's own size in pixels, rounded up, and what is drawn of it.
static uint64_t columns, rows;
static view part;
static uint32_t *pixels;
static int32_t next_row;

static void append(size_t count) {
    uint8_t *more = count <= TESSERA_MEMORY_INPUT ? realloc(bytes, byte_count + count) : NULL;
    if (!more) {
        fail("limit exceeded", "no memory for the SVG document");
        return;
    }
    bytes = more;
    memcpy(bytes + byte_count, memory, count);
    byte_count += count;
    put_outcome(TESSERA_OUTCOME_DONE);
}

static void finish(void) {
    char message[512] = "there is no document";
    if (!drawing && byte_count) drawing = document_parse(bytes, byte_count, message, sizeof message);
    free(bytes);
    bytes = NULL;
    byte_count = 0;
    if (!drawing) {
        fail("corrupt", "the SVG document can't be drawn: %s", message);
        return;
    }
    double width, height;
    document_size(drawing, &width, &height);
    // Larger than any limit, and still an integer.
    if (!(width > 0 && height > 0 && width <= INT32_MAX && height <= INT32_MAX)) {
        fail("corrupt", "the SVG document's size is %g by %g pixels", width, height);
        return;
    }
    columns = (uint64_t)width + (width > (double)(uint64_t)width);
    rows = (uint64_t)height + (height > (double)(uint64_t)height);
    put_header(columns, rows);
    put_outcome(TESSERA_OUTCOME_DONE);
}

static void start(message *request) {
    uint64_t x = 0, y = 0, width = columns, height = rows;
    if (take_byte(request)) {
        x = take_number(request);
        y = take_number(request);
        width = take_number(request);
        height = take_number(request);
    }
    uint64_t target_width = width, target_height = height;
    if (take_byte(request)) {
        target_width = take_number(request);
        target_height = take_number(request);
    }
    // cairo counts pixels of a side in 16 bits.
    if (!drawing || !width || !height || !target_width || !target_height || target_width > 32767
        || target_height > 32767) {
        fail("invalid parameter", "a request out of order");
        return;
    }
    double own_width, own_height;
    document_size(drawing, &own_width, &own_height);
    double scale_x = (double)target_width / (double)width, scale_y = (double)target_height / (double)height;
    part = (view){
        .width = own_width * scale_x, .height = own_height * scale_y, .x = (double)x * scale_x, .y = (double)y * scale_y,
        .columns = (int32_t)target_width, .rows = (int32_t)target_height,
    };
    put_outcome(TESSERA_OUTCOME_STARTED);
    put_pixels(target_width, target_height);
}

static void read_rows(uint64_t wanted) {
    size_t stride = ((size_t)part.columns * 4 + TESSERA_MEMORY_ROW_STEP - 1) / TESSERA_MEMORY_ROW_STEP
        * TESSERA_MEMORY_ROW_STEP;
    if (!stride || !wanted || wanted > (memory_size - TESSERA_MEMORY_INPUT) / stride) {
        fail("invalid parameter", "a request out of order");
        return;
    }
    char message[512];
    if (!pixels) {
        pixels = calloc((size_t)part.columns * (size_t)part.rows, sizeof *pixels);
        if (!pixels) {
            fail("limit exceeded", "no memory for the %d x %d pixels of an SVG picture", part.columns, part.rows);
            return;
        }
        if (!document_draw(drawing, part, pixels, message, sizeof message)) {
            fail("corrupt", "the SVG document can't be drawn: %s", message);
            return;
        }
    }
    int32_t left = part.rows - next_row, count = wanted < (uint64_t)left ? (int32_t)wanted : left;
    for (int32_t row = 0; row < count; row++) {
        const uint32_t *from = pixels + (size_t)(next_row + row) * (size_t)part.columns;
        uint8_t *to = memory + TESSERA_MEMORY_INPUT + (size_t)row * stride;
        for (int32_t column = 0; column < part.columns; column++) {
            to[4 * column] = (uint8_t)(from[column] >> 16);
            to[4 * column + 1] = (uint8_t)(from[column] >> 8);
            to[4 * column + 2] = (uint8_t)from[column];
            to[4 * column + 3] = (uint8_t)(from[column] >> 24);
        }
    }
    next_row += count;
    put_outcome(TESSERA_OUTCOME_READ);
    put_byte(count ? TESSERA_READ_ROWS : TESSERA_READ_END);
    if (count) put_number((uint64_t)count);
}

int main(int count, char **arguments) {
    if (count != 3) {
        fputs("tessera-svg draws SVG documents for Tessera, which starts it when one is to be read.\n", stderr);
        return 64;
    }
    tessera_hold_worker_back();
    limit(RLIMIT_CPU, strtoull(arguments[1], NULL, 10));
    limit(RLIMIT_AS, strtoull(arguments[2], NULL, 10));
    struct stat status;
    if (fstat(TESSERA_WORKER_MEMORY, &status) || status.st_size <= TESSERA_MEMORY_INPUT) return 2;
    share((size_t)status.st_size);
    confine();

    for (;;) {
        message request = hear();
        switch (take_byte(&request)) {
        // The document is the only one, and drawn in one way.
        case TESSERA_REQUEST_BEGIN: put_outcome(TESSERA_OUTCOME_DONE); break;
        case TESSERA_REQUEST_APPEND: append(take_number(&request)); break;
        case TESSERA_REQUEST_FINISH: finish(); break;
        case TESSERA_REQUEST_START: start(&request); break;
        case TESSERA_REQUEST_READ: read_rows(take_number(&request)); break;
        case TESSERA_REQUEST_SHARE:
            share(take_number(&request));
            put_outcome(TESSERA_OUTCOME_DONE);
            break;
        case TESSERA_REQUEST_END: return 0;
        default: fail("unsupported", "an SVG document is no animation");
        }
        answer();
    }
}
