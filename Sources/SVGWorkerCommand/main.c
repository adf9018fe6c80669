// tessera-svg: draws one SVG document, or a page of a PDF, for another program, in isolation.
//
// A document of two kilobytes can keep librsvg busy for a minute and take half a gigabyte, and the library has no way
// to stop. So it runs in this program, which the system restricts to limits and a few calls, and which its parent can
// end.
//
// It is a worker (CTesseraSystem.h), started as `tessera-svg SECONDS BYTES [PAGE]`: limits of processor time and memory, and of a
// PDF the page, from 0. It answers workers' requests (CTesseraMessages.h) but those for animations. An invalid request ends it.

#define _GNU_SOURCE
#include "conversation.h"
#include "document.h"

#include <CTesseraSystem.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void limit(int resource, unsigned long long value) {
    // Exceeding the soft limit of processor time raises SIGXCPU, which gives the reason; the hard one just ends the
    // process.
    struct rlimit limit = {.rlim_cur = value, .rlim_max = value + (resource == RLIMIT_CPU)};
    setrlimit(resource, &limit);
}

// From then on this process can only read fonts and the configuration of their library.
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
    // For a named file the rule is for the file alone; its folder may contain anything.
    if (getenv("FONTCONFIG_FILE")) folders[count++] = getenv("FONTCONFIG_FILE");
    // If the system can't, the limits remain.
    tessera_read_only_below(folders, count);
    tessera_confine(TESSERA_MAY_READ_FILES);
}

// The shared memory.
static uint8_t *memory;
static size_t memory_size;

static void share(size_t size) {
    if (memory) munmap(memory, memory_size);
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, TESSERA_WORKER_MEMORY, 0);
    if (memory == MAP_FAILED || size <= TESSERA_MEMORY_INPUT) _exit(2);
    memory_size = size;
}

// The document, before and after it is parsed; what is drawn of it; and its pixels once they are drawn.
static uint8_t *bytes;
static size_t byte_count;
static document *drawing;
// The page of a PDF; of an SVG -1.
static int32_t page = -1;
static view part;
static uint32_t *pixels;
static int32_t next_row;

static const char *kind(void) { return page < 0 ? "SVG" : "PDF"; }

static void put_refusal(const refusal *refusal) {
    put_failure(refusal->code, "the %s document can't be drawn: %s", kind(), refusal->message);
}

static void append(size_t count) {
    if (count > TESSERA_MEMORY_INPUT) _exit(1);
    uint8_t *more = realloc(bytes, byte_count + count);
    if (!more) return put_failure("limit exceeded", "no memory for the %s document", kind());
    bytes = more;
    memcpy(bytes + byte_count, memory, count);
    byte_count += count;
    put_outcome(TESSERA_OUTCOME_DONE);
}

static uint64_t rounded_up(double length) {
    return (uint64_t)length + (length > (double)(uint64_t)length);
}

static void finish(void) {
    refusal refusal = {.code = "corrupt", .message = "there is no document"};
    // A parsed PDF refers to its bytes.
    if (byte_count)
        drawing = page < 0 ? svg_parse(bytes, byte_count, &refusal) : pdf_parse(bytes, byte_count, page, &refusal);
    if (page < 0 || !drawing) free(bytes);
    bytes = NULL;
    byte_count = 0;
    if (!drawing) return put_refusal(&refusal);
    double width = drawing->width, height = drawing->height;
    if (!(width > 0 && height > 0 && width <= INT32_MAX && height <= INT32_MAX))
        return put_failure("corrupt", "the %s document's size is %g by %g pixels", kind(), width, height);
    put(1, 1);
    put_text(page < 0 ? "public.svg-image" : "com.adobe.pdf");
    put(rounded_up(width), 8);
    put(rounded_up(height), 8);
    put_text("rgb");
    put(8, 8);
    // Alpha but on paper; sRGB; not progressive.
    put(page < 0, 1);
    put(0, 2);
    put(drawing->page_count > 0, 1);
    if (drawing->page_count > 0) {
        // Pages, each shown once.
        put(0, 1);
        put(1, 1);
        put((uint64_t)drawing->page_count, 8);
        put(1, 8);
    }
    // Upright; no other metadata.
    put(1, 6);
    put_outcome(TESSERA_OUTCOME_DONE);
}

static void start(void) {
    if (!drawing) _exit(1);
    double width = drawing->width, height = drawing->height;
    uint64_t has_region = take(1), x = has_region ? take(8) : 0, y = has_region ? take(8) : 0;
    uint64_t from_width = has_region ? take(8) : rounded_up(width), from_height = has_region ? take(8) : rounded_up(height);
    uint64_t has_target = take(1), columns = has_target ? take(8) : from_width, rows = has_target ? take(8) : from_height;
    // The parent respects cairo's limit of 16 bits for a side.
    if (!from_width || !from_height || !columns || !rows || columns > INT16_MAX || rows > INT16_MAX) _exit(1);
    double scale_x = (double)columns / (double)from_width, scale_y = (double)rows / (double)from_height;
    part = (view){
        .width = width * scale_x, .height = height * scale_y, .x = (double)x * scale_x, .y = (double)y * scale_y,
        .columns = (int32_t)columns, .rows = (int32_t)rows,
    };
    free(pixels);
    pixels = NULL;
    next_row = 0;
    put_outcome(TESSERA_OUTCOME_STARTED);
    put(columns, 8);
    put(rows, 8);
    put_text("rgba8");
    put_text(page < 0 ? "premultiplied" : "none");
    put(0, 1);
}

static void read_rows(uint64_t wanted) {
    size_t row_size = (size_t)part.columns * 4, step = TESSERA_MEMORY_ROW_STEP;
    size_t stride = (row_size + step - 1) / step * step;
    if (!stride || !wanted || wanted > (memory_size - TESSERA_MEMORY_INPUT) / stride) _exit(1);
    if (!pixels) {
        refusal refusal;
        pixels = calloc((size_t)part.rows, row_size);
        if (!pixels) return put_failure("limit exceeded", "no memory for the pixels of the %s image", kind());
        // A page is paper.
        if (page >= 0) memset(pixels, 0xFF, (size_t)part.rows * row_size);
        if (!document_draw(drawing, part, pixels, &refusal)) return put_refusal(&refusal);
    }
    int32_t left = part.rows - next_row, count = wanted < (uint64_t)left ? (int32_t)wanted : left;
    for (int32_t row = 0; row < count; row++, next_row++) {
        const uint32_t *from = pixels + (size_t)next_row * (size_t)part.columns;
        uint8_t *to = memory + TESSERA_MEMORY_INPUT + (size_t)row * stride;
        for (int32_t column = 0; column < part.columns; column++, to += 4) {
            to[0] = (uint8_t)(from[column] >> 16);
            to[1] = (uint8_t)(from[column] >> 8);
            to[2] = (uint8_t)from[column];
            to[3] = (uint8_t)(from[column] >> 24);
        }
    }
    put_outcome(TESSERA_OUTCOME_READ);
    put(count ? TESSERA_READ_ROWS : TESSERA_READ_END, 1);
    if (count) put((uint64_t)count, 8);
}

int main(int count, char **arguments) {
    if (count != 3 && count != 4) {
        fputs("tessera-svg draws SVG and PDF documents for Tessera, which starts it to read one.\n", stderr);
        return 64;
    }
    tessera_hold_worker_back();
    limit(RLIMIT_CPU, strtoull(arguments[1], NULL, 10));
    limit(RLIMIT_AS, strtoull(arguments[2], NULL, 10));
    struct stat status;
    if (fstat(TESSERA_WORKER_MEMORY, &status)) return 2;
    share((size_t)status.st_size);
    if (count == 4) {
        page = (int32_t)strtoul(arguments[3], NULL, 10);
        pdf_load();
    }
    confine();

    for (;; say()) {
        hear();
        switch (take(1)) {
        case TESSERA_REQUEST_BEGIN: put_outcome(TESSERA_OUTCOME_DONE); break;
        case TESSERA_REQUEST_APPEND: append(take(8)); break;
        case TESSERA_REQUEST_FINISH: finish(); break;
        case TESSERA_REQUEST_START: start(); break;
        case TESSERA_REQUEST_READ: read_rows(take(8)); break;
        case TESSERA_REQUEST_SHARE:
            share(take(8));
            put_outcome(TESSERA_OUTCOME_DONE);
            break;
        case TESSERA_REQUEST_END: return 0;
        default: return 1;
        }
    }
}
