#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TESSERA_HEIF_HEADERS

struct tessera_heif_encoder {
    tessera_outcome outcome;
    tessera_heif_encoding options;
    struct heif_image *image;
    /// The pixels in the library's image.
    uint8_t *plane;
    size_t stride;
    uint32_t rows;
    uint8_t *output;
    size_t length;
    size_t capacity;
};

tessera_heif_encoder *tessera_heif_encoder_create(void) {
    return tessera_heif_load() ? calloc(1, sizeof(tessera_heif_encoder)) : NULL;
}

void tessera_heif_encoder_destroy(tessera_heif_encoder *encoder) {
    if (!encoder)
        return;
    if (encoder->image)
        tessera_heif.heif_image_release(encoder->image);
    free(encoder->output);
    free(encoder);
}

const char *tessera_heif_encoder_message(const tessera_heif_encoder *encoder) {
    return encoder->outcome.message;
}

static int32_t fail(tessera_heif_encoder *encoder, int32_t status, const char *message) {
    return tessera_fail(&encoder->outcome, status, message);
}

static int32_t check(tessera_heif_encoder *encoder, struct heif_error error) {
    return tessera_heif_check(&encoder->outcome, error);
}

static bool is_wide(const tessera_heif_encoder *encoder) {
    return tessera_is_wide(encoder->options.format);
}

static bool is_gray(const tessera_heif_encoder *encoder) {
    return tessera_is_gray(encoder->options.format);
}

int32_t tessera_heif_encoder_start(tessera_heif_encoder *encoder, const tessera_heif_encoding *options) {
    if (encoder->outcome.status < 0)
        return encoder->outcome.status;
    if (encoder->image || !options->width || !options->height || options->width > 65535 || options->height > 65535
        || options->format < TESSERA_GRAY8 || options->format > TESSERA_RGBA16 || options->orientation < 1
        || options->orientation > 8)
        return fail(encoder, TESSERA_MISUSE, "an encoder takes one image of up to 65535 pixels a side");
    encoder->options = *options;
    enum heif_chroma chroma = heif_chroma_monochrome;
    if (!is_gray(encoder)) {
        if (is_wide(encoder))
            chroma = options->has_alpha ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RRGGBB_LE;
        else
            chroma = options->has_alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB;
    }
    enum heif_channel channel = is_gray(encoder) ? heif_channel_Y : heif_channel_interleaved;
    int width = (int)options->width;
    int height = (int)options->height;
    int32_t status = check(
        encoder, tessera_heif.heif_image_create(
                     width, height, is_gray(encoder) ? heif_colorspace_monochrome : heif_colorspace_RGB, chroma,
                     &encoder->image));
    if (status < 0)
        return status;
    status = check(
        encoder,
        tessera_heif.heif_image_add_plane(encoder->image, channel, width, height, is_wide(encoder) ? 10 : 8));
    if (status < 0)
        return status;
    int stride = 0;
    encoder->plane = tessera_heif.heif_image_get_plane(encoder->image, channel, &stride);
    if (!encoder->plane || stride <= 0)
        return fail(encoder, TESSERA_NO_MEMORY, "no memory for the image");
    encoder->stride = (size_t)stride;
    return TESSERA_OK;
}

int32_t tessera_heif_encoder_set_icc(tessera_heif_encoder *encoder, const uint8_t *bytes, size_t length) {
    if (encoder->outcome.status < 0)
        return encoder->outcome.status;
    if (!encoder->image)
        return fail(encoder, TESSERA_MISUSE, "a profile goes to an image");
    return check(encoder, tessera_heif.heif_image_set_raw_color_profile(encoder->image, "prof", bytes, length));
}

/// A row's samples: RGB or RGBA, 16 bits rounded to ten.
static void copy_row(const tessera_heif_encoder *encoder, const uint8_t *from, uint8_t *to) {
    uint32_t from_channels = is_gray(encoder) ? 1 : 4;
    uint32_t to_channels = is_gray(encoder) ? 1 : encoder->options.has_alpha ? 4 : 3;
    for (uint32_t x = 0; x < encoder->options.width; x++) {
        for (uint32_t channel = 0; channel < to_channels; channel++) {
            size_t source = (size_t)x * from_channels + channel;
            size_t target = (size_t)x * to_channels + channel;
            if (!is_wide(encoder)) {
                to[target] = from[source];
                continue;
            }
            uint16_t value;
            memcpy(&value, from + 2 * source, 2);
            value = (uint16_t)(((uint32_t)value * 1023 + 32767) / 65535);
            if (is_gray(encoder)) {
                memcpy(to + 2 * target, &value, 2);
            } else {
                to[2 * target] = (uint8_t)(value & 255);
                to[2 * target + 1] = (uint8_t)(value >> 8);
            }
        }
    }
}

int32_t tessera_heif_encoder_write_rows(
    tessera_heif_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count) {
    if (encoder->outcome.status < 0)
        return encoder->outcome.status;
    if (!encoder->plane || count > encoder->options.height - encoder->rows
        || stride < (size_t)encoder->options.width * (is_gray(encoder) ? 1 : 4) * (is_wide(encoder) ? 2 : 1))
        return fail(encoder, TESSERA_MISUSE, "rows that don't fit the image");
    for (uint32_t row = 0; row < count; row++, encoder->rows++)
        copy_row(encoder, rows + stride * row, encoder->plane + encoder->stride * encoder->rows);
    return TESSERA_OK;
}

static struct heif_error write_output(struct heif_context *context, const void *data, size_t size, void *user) {
    (void)context;
    tessera_heif_encoder *encoder = user;
    if (size > encoder->capacity - encoder->length) {
        size_t capacity = (encoder->length + size) * 2;
        uint8_t *grown = realloc(encoder->output, capacity);
        if (!grown)
            return (struct heif_error){
                heif_error_Memory_allocation_error, heif_suberror_Unspecified, "no memory for the file"};
        encoder->output = grown;
        encoder->capacity = capacity;
    }
    memcpy(encoder->output + encoder->length, data, size);
    encoder->length += size;
    return (struct heif_error){heif_error_Ok, heif_suberror_Unspecified, "ok"};
}

/// Compresses the image into `context` and returns its handle there.
static int32_t compress(
    tessera_heif_encoder *encoder, struct heif_context *context, struct heif_image_handle **handle) {
    const tessera_heif_encoding *options = &encoder->options;
    struct heif_encoder *codec = NULL;
    struct heif_color_profile_nclx *codes = tessera_heif.heif_nclx_color_profile_alloc();
    struct heif_encoding_options *encoding = tessera_heif.heif_encoding_options_alloc();
    int32_t status = TESSERA_OK;
    if (!codes || !encoding)
        status = fail(encoder, TESSERA_NO_MEMORY, "no memory for the encoder's options");
    if (status >= 0)
        status = check(
            encoder, tessera_heif.heif_context_get_encoder_for_format(context, heif_compression_HEVC, &codec));
    if (status >= 0) {
        // Rows of blocks are coded side by side (wavefront) with any number of threads, so that the file is the same.
        char threads[8];
        snprintf(threads, sizeof threads, "%d", options->threads);
        tessera_heif.heif_encoder_set_parameter(codec, "x265:pools", threads);
        tessera_heif.heif_encoder_set_parameter(codec, "x265:frame-threads", "1");
        if (options->lossless) {
            tessera_heif.heif_encoder_set_lossless(codec, 1);
            if (!is_gray(encoder))
                tessera_heif.heif_encoder_set_parameter(codec, "chroma", "444");
        } else {
            tessera_heif.heif_encoder_set_lossy_quality(codec, options->quality);
        }
        // x265 receives YCbCr by the matrix that all readers assume, without an nclx box, since some can't read it.
        // Lossless RGB must be announced, and so must PQ and HLG.
        bool is_lossless_rgb = options->lossless && !is_gray(encoder);
        bool is_high = options->transfer == heif_transfer_characteristic_ITU_R_BT_2100_0_PQ
            || options->transfer == heif_transfer_characteristic_ITU_R_BT_2100_0_HLG;
        if (is_lossless_rgb || is_high) {
            codes->color_primaries = (enum heif_color_primaries)options->primaries;
            codes->transfer_characteristics = (enum heif_transfer_characteristics)options->transfer;
            codes->matrix_coefficients = is_lossless_rgb
                ? heif_matrix_coefficients_RGB_GBR
                : heif_matrix_coefficients_ITU_R_BT_2020_2_non_constant_luminance;
            codes->full_range_flag = 1;
            encoding->macOS_compatibility_workaround_no_nclx_profile = 0;
            encoding->save_two_colr_boxes_when_ICC_and_nclx_available = 1;
            status = check(encoder, tessera_heif.heif_image_set_nclx_color_profile(encoder->image, codes));
        }
        encoding->save_alpha_channel = options->has_alpha;
        encoding->image_orientation = (enum heif_orientation)options->orientation;
        if (status >= 0)
            status = check(
                encoder,
                tessera_heif.heif_context_encode_image(context, encoder->image, codec, encoding, handle));
    }
    if (codec)
        tessera_heif.heif_encoder_release(codec);
    if (encoding)
        tessera_heif.heif_encoding_options_free(encoding);
    if (codes)
        tessera_heif.heif_nclx_color_profile_free(codes);
    return status;
}

int32_t tessera_heif_encoder_finish(
    tessera_heif_encoder *encoder, const uint8_t *exif, size_t exif_length, const uint8_t *xmp, size_t xmp_length) {
    if (encoder->outcome.status < 0)
        return encoder->outcome.status;
    if (!encoder->image || encoder->rows < encoder->options.height || encoder->output || exif_length > INT32_MAX
        || xmp_length > INT32_MAX)
        return fail(encoder, TESSERA_MISUSE, "an image is finished once, when all rows are there");
    struct heif_context *context = tessera_heif.heif_context_alloc();
    if (!context)
        return fail(encoder, TESSERA_NO_MEMORY, "no memory for the file");
    struct heif_image_handle *handle = NULL;
    int32_t status = compress(encoder, context, &handle);
    if (status >= 0 && exif)
        status = check(
            encoder, tessera_heif.heif_context_add_exif_metadata(context, handle, exif, (int)exif_length));
    if (status >= 0 && xmp)
        status = check(encoder, tessera_heif.heif_context_add_XMP_metadata(context, handle, xmp, (int)xmp_length));
    if (status >= 0) {
        struct heif_writer writer = {.writer_api_version = 1, .write = write_output};
        status = check(encoder, tessera_heif.heif_context_write(context, &writer, encoder));
    }
    if (handle)
        tessera_heif.heif_image_handle_release(handle);
    tessera_heif.heif_context_free(context);
    return status;
}

const uint8_t *tessera_heif_encoder_output(const tessera_heif_encoder *encoder, size_t *length) {
    *length = encoder->length;
    return encoder->output;
}

#else

tessera_heif_encoder *tessera_heif_encoder_create(void) {
    return NULL;
}

void tessera_heif_encoder_destroy(tessera_heif_encoder *encoder) {
    (void)encoder;
}

const char *tessera_heif_encoder_message(const tessera_heif_encoder *encoder) {
    (void)encoder;
    return "built without libheif";
}

int32_t tessera_heif_encoder_start(tessera_heif_encoder *encoder, const tessera_heif_encoding *options) {
    (void)encoder, (void)options;
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_heif_encoder_set_icc(tessera_heif_encoder *encoder, const uint8_t *bytes, size_t length) {
    (void)encoder, (void)bytes, (void)length;
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_heif_encoder_write_rows(
    tessera_heif_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count) {
    (void)encoder, (void)rows, (void)stride, (void)count;
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_heif_encoder_finish(
    tessera_heif_encoder *encoder, const uint8_t *exif, size_t exif_length, const uint8_t *xmp, size_t xmp_length) {
    (void)encoder, (void)exif, (void)exif_length, (void)xmp, (void)xmp_length;
    return TESSERA_UNSUPPORTED;
}

const uint8_t *tessera_heif_encoder_output(const tessera_heif_encoder *encoder, size_t *length) {
    (void)encoder;
    *length = 0;
    return NULL;
}

#endif
