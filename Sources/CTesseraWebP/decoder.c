#include "CTesseraWebP.h"

#include <stdlib.h>
#include <string.h>

#if __has_include(<webp/decode.h>)
#include <sys/mman.h>
#include <unistd.h>
#include <webp/decode.h>

struct tessera_webp_decoder {
    // The image's chunks so far. The library reads them in place, and needs those of a lossless image until the end.
    uint8_t *bytes;
    size_t length;
    size_t capacity;
    /// The number of bytes that the library has received.
    size_t fed;

    WebPIDecoder *decoder;
    WebPDecoderConfig config;

    // The library's output: memory for all rows, whose pages are touched when rows are decoded and released when they
    // are read, in units of `unit` bytes.
    uint8_t *pixels;
    size_t mapped;
    size_t released;
    size_t unit;
    uint32_t width;
    uint32_t height;
    uint32_t taken;
    bool opaque;
    int32_t failure;
};

tessera_webp_decoder *tessera_webp_decoder_create(void) {
    return calloc(1, sizeof(tessera_webp_decoder));
}

void tessera_webp_decoder_destroy(tessera_webp_decoder *decoder) {
    if (!decoder) return;
    // The library's decoder goes before the memory that it reads and writes.
    WebPIDelete(decoder->decoder);
    WebPFreeDecBuffer(&decoder->config.output);
    if (decoder->pixels && decoder->mapped > decoder->released) {
        munmap(decoder->pixels + decoder->released, decoder->mapped - decoder->released);
    }
    free(decoder->bytes);
    free(decoder);
}

/// Maps memory for the rows: in huge pages if there is enough for one, since faulting in small ones takes a fifth of the
/// time of decoding.
static bool map_rows(tessera_webp_decoder *decoder, size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), huge = 2 << 20;
    const bool is_huge = size >= huge;
    decoder->unit = is_huge ? huge : page;
    decoder->mapped = (size + page - 1) / page * page;
    const size_t spare = is_huge ? huge : 0;
    void *start = mmap(
        NULL, decoder->mapped + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return false;
    // Parts before and behind go at once.
    const size_t before = is_huge ? (huge - (uintptr_t)start % huge) % huge : 0;
    decoder->pixels = (uint8_t *)start + before;
    if (before > 0) munmap(start, before);
    if (before < spare) munmap(decoder->pixels + decoder->mapped, spare - before);
#if defined(MADV_HUGEPAGE)
    if (is_huge) madvise(decoder->pixels, decoder->mapped, MADV_HUGEPAGE);
#endif
    return true;
}

static int32_t fail(tessera_webp_decoder *decoder, int32_t status) {
    decoder->failure = status;
    return status;
}

int32_t tessera_webp_decoder_append(tessera_webp_decoder *decoder, const uint8_t *bytes, size_t length) {
    if (decoder->failure) return decoder->failure;
    if (length == 0) return TESSERA_OK;
    if (length > SIZE_MAX / 4 - decoder->length) return fail(decoder, TESSERA_NO_MEMORY);
    if (length > decoder->capacity - decoder->length) {
        size_t capacity = decoder->capacity + decoder->capacity / 2;
        if (capacity < decoder->length + length) capacity = decoder->length + length;
        uint8_t *grown = realloc(decoder->bytes, capacity);
        if (!grown) return fail(decoder, TESSERA_NO_MEMORY);
        // The library receives the new address with the next bytes, before it reads any.
        decoder->bytes = grown;
        decoder->capacity = capacity;
    }
    memcpy(decoder->bytes + decoder->length, bytes, length);
    decoder->length += length;
    return TESSERA_OK;
}

int32_t tessera_webp_decoder_start(tessera_webp_decoder *decoder, const tessera_webp_decoding *decoding) {
    if (decoder->failure) return decoder->failure;
    const uint32_t limit = (1 << 14) + 1;
    if (decoder->decoder || decoding->width == 0 || decoding->height == 0 || decoding->width >= limit
        || decoding->height >= limit || decoding->x >= limit || decoding->y >= limit) {
        return fail(decoder, TESSERA_MISUSE);
    }
    if (!WebPInitDecoderConfig(&decoder->config)) return fail(decoder, TESSERA_UNSUPPORTED);
    WebPDecoderOptions *options = &decoder->config.options;
    options->use_cropping = 1;
    options->crop_left = (int)decoding->x;
    options->crop_top = (int)decoding->y;
    options->crop_width = (int)decoding->width;
    options->crop_height = (int)decoding->height;
    options->use_threads = decoding->threads > 1;
    decoder->width = decoding->width;
    decoder->height = decoding->height;
    decoder->opaque = decoding->opaque;

    // At most 2^30 bytes.
    size_t size = (size_t)decoder->width * 4 * decoder->height;
    if (!map_rows(decoder, size)) return fail(decoder, TESSERA_NO_MEMORY);
    decoder->config.output.colorspace = MODE_RGBA;
    decoder->config.output.is_external_memory = 1;
    decoder->config.output.u.RGBA.rgba = decoder->pixels;
    decoder->config.output.u.RGBA.stride = (int)(decoder->width * 4);
    decoder->config.output.u.RGBA.size = size;
    decoder->decoder = WebPIDecode(NULL, 0, &decoder->config);
    return decoder->decoder ? TESSERA_OK : fail(decoder, TESSERA_NO_MEMORY);
}

/// The number of rows that the library has decoded.
static uint32_t rows_made(const tessera_webp_decoder *decoder) {
    int last = 0;
    if (!WebPIDecGetRGB(decoder->decoder, &last, NULL, NULL, NULL) || last < 0) return 0;
    return (uint32_t)last < decoder->height ? (uint32_t)last : decoder->height;
}

/// Feeds the library bytes until it has decoded a row that wasn't read.
static int32_t feed(tessera_webp_decoder *decoder, size_t step, bool final) {
    size_t most = final ? decoder->length : decoder->length / step * step;
    while (rows_made(decoder) <= decoder->taken) {
        if (decoder->fed >= most) return TESSERA_NEED_MORE;
        decoder->fed = most - decoder->fed > step ? decoder->fed + step : most;
        switch (WebPIUpdate(decoder->decoder, decoder->bytes, decoder->fed)) {
        case VP8_STATUS_OK:
        case VP8_STATUS_SUSPENDED:
            break;
        case VP8_STATUS_OUT_OF_MEMORY:
            return fail(decoder, TESSERA_NO_MEMORY);
        case VP8_STATUS_UNSUPPORTED_FEATURE:
            return fail(decoder, TESSERA_UNSUPPORTED);
        default:
            // The rows decoded before stay valid.
            if (rows_made(decoder) > decoder->taken) {
                decoder->failure = TESSERA_CORRUPT;
                return TESSERA_OK;
            }
            return fail(decoder, TESSERA_CORRUPT);
        }
    }
    return TESSERA_OK;
}

int32_t tessera_webp_decoder_read_rows(
    tessera_webp_decoder *decoder, size_t step, bool final, uint32_t x, uint32_t width, uint8_t *into, size_t stride,
    uint32_t count, uint32_t *rows) {
    *rows = 0;
    if (!decoder->decoder || step == 0 || x > decoder->width || width > decoder->width - x) {
        return fail(decoder, TESSERA_MISUSE);
    }
    if (decoder->taken == decoder->height || count == 0) return TESSERA_OK;
    if (decoder->failure) {
        if (rows_made(decoder) <= decoder->taken) return decoder->failure;
    } else {
        int32_t status = feed(decoder, step, final);
        if (status != TESSERA_OK) return status;
    }
    uint32_t ready = rows_made(decoder) - decoder->taken;
    if (count > ready) count = ready;
    size_t source_stride = (size_t)decoder->width * 4;
    const uint8_t *source = decoder->pixels + decoder->taken * source_stride + (size_t)x * 4;
    for (uint32_t row = 0; row < count; row++) {
        uint8_t *target = into + row * stride;
        memcpy(target, source + row * source_stride, (size_t)width * 4);
        if (!decoder->opaque) continue;
        for (size_t pixel = 0; pixel < width; pixel++) target[pixel * 4 + 3] = 255;
    }
    decoder->taken += count;
    *rows = count;
    // Whole pages of rows that were read can go: the library only writes, and only later rows.
    size_t done = decoder->taken * source_stride / decoder->unit * decoder->unit;
    if (done - decoder->released >= 1 << 20 && munmap(decoder->pixels + decoder->released, done - decoder->released) == 0) {
        decoder->released = done;
    }
    return TESSERA_OK;
}

#else

tessera_webp_decoder *tessera_webp_decoder_create(void) { return NULL; }

void tessera_webp_decoder_destroy(tessera_webp_decoder *decoder) {}

int32_t tessera_webp_decoder_append(tessera_webp_decoder *decoder, const uint8_t *bytes, size_t length) {
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_webp_decoder_start(tessera_webp_decoder *decoder, const tessera_webp_decoding *decoding) {
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_webp_decoder_read_rows(
    tessera_webp_decoder *decoder, size_t step, bool final, uint32_t x, uint32_t width, uint8_t *into, size_t stride,
    uint32_t count, uint32_t *rows) {
    *rows = 0;
    return TESSERA_UNSUPPORTED;
}

#endif
