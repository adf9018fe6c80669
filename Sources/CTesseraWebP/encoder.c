#include "CTesseraWebP.h"

#include <stdlib.h>
#include <string.h>

#if __has_include(<webp/encode.h>)
#include <webp/encode.h>

struct tessera_webp_encoder {
    WebPConfig config;
    /// ARGB for a lossless image, planes of Y, U, V and A for a lossy one.
    WebPPicture picture;
    WebPMemoryWriter writer;
    bool has_alpha;
    bool started;
    uint32_t written;
    /// A row whose partner hasn't arrived: two rows share their chroma.
    uint8_t *pending;
    bool has_pending;
    int32_t failure;
    const tessera_stop *stop;
};

tessera_webp_encoder *tessera_webp_encoder_create(void) {
    tessera_webp_encoder *encoder = calloc(1, sizeof(tessera_webp_encoder));
    if (encoder) WebPMemoryWriterInit(&encoder->writer);
    return encoder;
}

void tessera_webp_encoder_destroy(tessera_webp_encoder *encoder) {
    if (!encoder) return;
    WebPPictureFree(&encoder->picture);
    WebPMemoryWriterClear(&encoder->writer);
    free(encoder->pending);
    free(encoder);
}

static int32_t fail(tessera_webp_encoder *encoder, int32_t status) {
    encoder->failure = status;
    return status;
}

/// Called by libwebp periodically; 0 cancels.
static int continues(int percent, const WebPPicture *picture) {
    (void)percent;
    const tessera_webp_encoder *encoder = picture->user_data;
    return !tessera_stop_is_requested(encoder->stop);
}

int32_t tessera_webp_encoder_start(tessera_webp_encoder *encoder, const tessera_webp_encoding *encoding) {
    if (encoder->failure) return encoder->failure;
    if (encoder->started || encoding->width == 0 || encoding->height == 0) return fail(encoder, TESSERA_MISUSE);
    if (encoding->width > WEBP_MAX_DIMENSION || encoding->height > WEBP_MAX_DIMENSION
        || !WebPConfigInit(&encoder->config) || !WebPPictureInit(&encoder->picture)) {
        return fail(encoder, TESSERA_UNSUPPORTED);
    }
    encoder->config.lossless = encoding->lossless;
    encoder->config.exact = encoding->lossless;
    encoder->config.quality = encoding->quality;
    encoder->config.method = encoding->method;
    // libwebp starts a thread for each image, which takes as long as a thumbnail.
    encoder->config.thread_level = encoding->threads > 1 && (uint64_t)encoding->width * encoding->height >= 1 << 16;
    if (!WebPValidateConfig(&encoder->config)) return fail(encoder, TESSERA_MISUSE);

    encoder->has_alpha = encoding->has_alpha;
    encoder->picture.width = (int)encoding->width;
    encoder->picture.height = (int)encoding->height;
    encoder->picture.use_argb = encoding->lossless;
    encoder->picture.colorspace = encoding->has_alpha ? WEBP_YUV420A : WEBP_YUV420;
    if (!WebPPictureAlloc(&encoder->picture)) return fail(encoder, TESSERA_NO_MEMORY);
    encoder->pending = malloc((size_t)encoding->width * 4);
    if (!encoder->pending) return fail(encoder, TESSERA_NO_MEMORY);
    encoder->picture.writer = WebPMemoryWrite;
    encoder->picture.custom_ptr = &encoder->writer;
    encoder->stop = encoding->stop;
    if (encoder->stop) {
        encoder->picture.user_data = encoder;
        encoder->picture.progress_hook = continues;
    }
    encoder->started = true;
    return TESSERA_OK;
}

static void copy_plane(
    uint8_t *target, int target_stride, const uint8_t *source, int source_stride, int width, int height) {
    for (int y = 0; y < height; y++) memcpy(target + (size_t)y * target_stride, source + (size_t)y * source_stride, width);
}

/// Converts rows, an even number unless they are the last, and stores them in the image. The result is the same as
/// converting all rows at once, since only two rows share their chroma.
static int32_t import(tessera_webp_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count) {
    WebPPicture *picture = &encoder->picture;
    WebPPicture strip;
    if (!WebPPictureInit(&strip)) return TESSERA_UNSUPPORTED;
    strip.width = picture->width;
    strip.height = (int)count;
    strip.use_argb = picture->use_argb;
    int imported = encoder->has_alpha ? WebPPictureImportRGBA(&strip, rows, (int)stride)
                                      : WebPPictureImportRGBX(&strip, rows, (int)stride);
    if (!imported) {
        WebPPictureFree(&strip);
        return TESSERA_NO_MEMORY;
    }
    size_t y = encoder->written;
    int width = picture->width, height = (int)count;
    if (picture->use_argb) {
        copy_plane(
            (uint8_t *)(picture->argb + y * picture->argb_stride), picture->argb_stride * 4, (uint8_t *)strip.argb,
            strip.argb_stride * 4, width * 4, height);
    } else {
        copy_plane(picture->y + y * picture->y_stride, picture->y_stride, strip.y, strip.y_stride, width, height);
        size_t chroma = y / 2 * picture->uv_stride;
        int half_width = (width + 1) / 2, half_height = (height + 1) / 2;
        copy_plane(picture->u + chroma, picture->uv_stride, strip.u, strip.uv_stride, half_width, half_height);
        copy_plane(picture->v + chroma, picture->uv_stride, strip.v, strip.uv_stride, half_width, half_height);
        if (encoder->has_alpha) {
            uint8_t *alpha = picture->a + y * picture->a_stride;
            if (strip.a) {
                copy_plane(alpha, picture->a_stride, strip.a, strip.a_stride, width, height);
            } else {
                for (int row = 0; row < height; row++) memset(alpha + (size_t)row * picture->a_stride, 255, width);
            }
        }
    }
    encoder->written += count;
    WebPPictureFree(&strip);
    return TESSERA_OK;
}

/// Converts two rows, the first of which arrived earlier.
static int32_t import_pair(tessera_webp_encoder *encoder, const uint8_t *second) {
    size_t row = (size_t)encoder->picture.width * 4;
    uint8_t *pair = malloc(row * 2);
    if (!pair) return TESSERA_NO_MEMORY;
    memcpy(pair, encoder->pending, row);
    memcpy(pair + row, second, row);
    int32_t status = import(encoder, pair, row, 2);
    free(pair);
    encoder->has_pending = false;
    return status;
}

int32_t tessera_webp_encoder_write_rows(
    tessera_webp_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count) {
    if (encoder->failure) return encoder->failure;
    uint32_t taken = encoder->written + (encoder->has_pending ? 1 : 0);
    if (!encoder->started || count > (uint32_t)encoder->picture.height - taken) return fail(encoder, TESSERA_MISUSE);
    if (count > 0 && encoder->has_pending) {
        int32_t status = import_pair(encoder, rows);
        if (status != TESSERA_OK) return fail(encoder, status);
        rows += stride;
        count--;
    }
    while (count >= 2) {
        uint32_t some = count < 64 ? count / 2 * 2 : 64;
        int32_t status = import(encoder, rows, stride, some);
        if (status != TESSERA_OK) return fail(encoder, status);
        rows += some * stride;
        count -= some;
    }
    if (count == 1) {
        memcpy(encoder->pending, rows, (size_t)encoder->picture.width * 4);
        encoder->has_pending = true;
    }
    return TESSERA_OK;
}

int32_t tessera_webp_encoder_finish(tessera_webp_encoder *encoder) {
    if (encoder->failure) return encoder->failure;
    if (encoder->started && encoder->has_pending) {
        encoder->has_pending = false;
        int32_t status = import(encoder, encoder->pending, (size_t)encoder->picture.width * 4, 1);
        if (status != TESSERA_OK) return fail(encoder, status);
    }
    if (!encoder->started || encoder->writer.size > 0 || encoder->written < (uint32_t)encoder->picture.height) {
        return fail(encoder, TESSERA_MISUSE);
    }
    int encoded = WebPEncode(&encoder->config, &encoder->picture);
    int code = encoder->picture.error_code;
    WebPPictureFree(&encoder->picture);
    if (encoded) return TESSERA_OK;
    switch (code) {
    case VP8_ENC_ERROR_OUT_OF_MEMORY:
    case VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY:
    case VP8_ENC_ERROR_BAD_WRITE:
        // The writer is in memory.
        return fail(encoder, TESSERA_NO_MEMORY);
    case VP8_ENC_ERROR_USER_ABORT:
        return fail(encoder, TESSERA_CANCELLED);
    case VP8_ENC_ERROR_BAD_DIMENSION:
    case VP8_ENC_ERROR_PARTITION0_OVERFLOW:
    case VP8_ENC_ERROR_PARTITION_OVERFLOW:
    case VP8_ENC_ERROR_FILE_TOO_BIG:
        return fail(encoder, TESSERA_UNSUPPORTED);
    default:
        return fail(encoder, TESSERA_MISUSE);
    }
}

const uint8_t *tessera_webp_encoder_output(const tessera_webp_encoder *encoder, size_t *length) {
    *length = encoder->writer.size;
    return encoder->writer.mem;
}

#else

tessera_webp_encoder *tessera_webp_encoder_create(void) { return NULL; }

void tessera_webp_encoder_destroy(tessera_webp_encoder *encoder) {}

int32_t tessera_webp_encoder_start(tessera_webp_encoder *encoder, const tessera_webp_encoding *encoding) {
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_webp_encoder_write_rows(
    tessera_webp_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count) {
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_webp_encoder_finish(tessera_webp_encoder *encoder) { return TESSERA_UNSUPPORTED; }

const uint8_t *tessera_webp_encoder_output(const tessera_webp_encoder *encoder, size_t *length) {
    *length = 0;
    return NULL;
}

#endif
