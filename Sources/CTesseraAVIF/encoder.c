#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TESSERA_AVIF_HEADERS

struct tessera_avif_encoder {
    tessera_outcome outcome;
    tessera_avif_encoding options;
    avifEncoder *encoder;
    bool has_picture;
    struct {
        uint8_t *bytes;
        size_t length;
    } blocks[3];
    avifRWData output;
};

tessera_avif_encoder *tessera_avif_encoder_create(const tessera_avif_encoding *options) {
    if (!tessera_avif_load())
        return NULL;
    tessera_avif_encoder *encoder = calloc(1, sizeof(tessera_avif_encoder));
    if (!encoder)
        return NULL;
    encoder->options = *options;
    encoder->encoder = tessera_avif.avifEncoderCreate();
    if (!encoder->encoder) {
        free(encoder);
        return NULL;
    }
    avifEncoder *library = encoder->encoder;
    library->maxThreads = options->threads;
    library->speed = options->speed;
    library->timescale = options->timescale;
    // A lossless mask costs little and avoids fringes at edges.
    library->minQuantizerAlpha = AVIF_QUANTIZER_LOSSLESS;
    library->maxQuantizerAlpha = AVIF_QUANTIZER_LOSSLESS;
    library->minQuantizer = AVIF_QUANTIZER_LOSSLESS;
    library->maxQuantizer = options->lossless ? AVIF_QUANTIZER_LOSSLESS : AVIF_QUANTIZER_WORST_QUALITY;
    if (!options->lossless) {
        const char *codec = tessera_avif.avifCodecName(AVIF_CODEC_CHOICE_AUTO, AVIF_CODEC_FLAG_CAN_ENCODE);
        if (codec && strcmp(codec, "aom") == 0) {
            // Constant quality, as in newer versions of avifenc; libaom varies around it.
            char level[4];
            snprintf(level, sizeof level, "%d", options->quantizer & 63);
            tessera_avif.avifEncoderSetCodecSpecificOption(library, "color:end-usage", "q");
            tessera_avif.avifEncoderSetCodecSpecificOption(library, "color:cq-level", level);
        } else {
            library->minQuantizer = options->quantizer & 63;
            library->maxQuantizer = options->quantizer & 63;
        }
    }
    return encoder;
}

void tessera_avif_encoder_destroy(tessera_avif_encoder *encoder) {
    if (!encoder)
        return;
    tessera_avif.avifRWDataFree(&encoder->output);
    tessera_avif.avifEncoderDestroy(encoder->encoder);
    for (int kind = 0; kind < 3; kind++)
        free(encoder->blocks[kind].bytes);
    free(encoder);
}

const char *tessera_avif_encoder_message(const tessera_avif_encoder *encoder) {
    return encoder->outcome.message;
}

static int32_t fail(tessera_avif_encoder *encoder, int32_t status, const char *message) {
    return tessera_fail(&encoder->outcome, status, message);
}

static int32_t check(tessera_avif_encoder *encoder, avifResult result) {
    return tessera_avif_check(&encoder->outcome, result, &encoder->encoder->diag);
}

static bool is_wide(const tessera_avif_encoder *encoder) {
    return tessera_is_wide(encoder->options.format);
}

static bool is_gray(const tessera_avif_encoder *encoder) {
    return tessera_is_gray(encoder->options.format);
}

int32_t tessera_avif_encoder_set_block(
    tessera_avif_encoder *encoder, uint8_t kind, const uint8_t *bytes, size_t length) {
    if (encoder->outcome.status < 0)
        return encoder->outcome.status;
    if (kind > TESSERA_AVIF_XMP || encoder->blocks[kind].bytes || !length || encoder->has_picture)
        return fail(encoder, TESSERA_MISUSE, "a block that doesn't belong here");
    encoder->blocks[kind].bytes = malloc(length);
    if (!encoder->blocks[kind].bytes)
        return fail(encoder, TESSERA_NO_MEMORY, "no memory for a block of metadata");
    memcpy(encoder->blocks[kind].bytes, bytes, length);
    encoder->blocks[kind].length = length;
    return TESSERA_OK;
}

/// The first image carries the metadata of all.
static void add_blocks(const tessera_avif_encoder *encoder, avifImage *image) {
    if (encoder->blocks[TESSERA_AVIF_ICC].bytes)
        tessera_avif.avifImageSetProfileICC(
            image, encoder->blocks[TESSERA_AVIF_ICC].bytes, encoder->blocks[TESSERA_AVIF_ICC].length);
    if (encoder->blocks[TESSERA_AVIF_EXIF].bytes)
        tessera_avif.avifImageSetMetadataExif(
            image, encoder->blocks[TESSERA_AVIF_EXIF].bytes, encoder->blocks[TESSERA_AVIF_EXIF].length);
    if (encoder->blocks[TESSERA_AVIF_XMP].bytes)
        tessera_avif.avifImageSetMetadataXMP(
            image, encoder->blocks[TESSERA_AVIF_XMP].bytes, encoder->blocks[TESSERA_AVIF_XMP].length);
}

/// The rotation and mirroring for an orientation: the inverse of the decoder's table.
static void set_orientation(avifImage *image, uint8_t orientation) {
    static const struct {
        uint8_t angle;
        int8_t axis;
    } table[9] = {{0, -1}, {0, -1}, {0, 1}, {2, -1}, {0, 0}, {1, 0}, {3, -1}, {3, 0}, {1, -1}};
    image->transformFlags &= ~(avifTransformFlags)(AVIF_TRANSFORM_IROT | AVIF_TRANSFORM_IMIR);
    if (orientation > 8)
        return;
    if (table[orientation].angle) {
        image->transformFlags |= AVIF_TRANSFORM_IROT;
        image->irot.angle = table[orientation].angle;
    }
    if (table[orientation].axis >= 0) {
        image->transformFlags |= AVIF_TRANSFORM_IMIR;
#if AVIF_VERSION >= 1000000
        image->imir.axis = (uint8_t)table[orientation].axis;
#else
        image->imir.mode = (uint8_t)table[orientation].axis;
#endif
    }
}

/// Grey becomes luma alone.
static void copy_gray(avifImage *image, bool wide, const uint8_t *rows, size_t stride) {
    uint32_t maximum = (1u << image->depth) - 1;
    for (uint32_t y = 0; y < image->height; y++, rows += stride) {
        uint8_t *row = image->yuvPlanes[AVIF_CHAN_Y] + (size_t)image->yuvRowBytes[AVIF_CHAN_Y] * y;
        if (!wide) {
            memcpy(row, rows, image->width);
            continue;
        }
        for (uint32_t x = 0; x < image->width; x++) {
            uint16_t value;
            memcpy(&value, rows + 2 * (size_t)x, 2);
            value = (uint16_t)(((uint32_t)value * maximum + 32767) / 65535);
            memcpy(row + 2 * (size_t)x, &value, 2);
        }
    }
}

static int32_t fill(tessera_avif_encoder *encoder, avifImage *image, const uint8_t *rows, size_t stride) {
    if (is_gray(encoder)) {
        tessera_avif.avifImageAllocatePlanes(image, AVIF_PLANES_YUV);
        if (!image->yuvPlanes[AVIF_CHAN_Y])
            return fail(encoder, TESSERA_NO_MEMORY, "no memory for the image");
        copy_gray(image, is_wide(encoder), rows, stride);
        return TESSERA_OK;
    }
    avifRGBImage pixels;
    tessera_avif.avifRGBImageSetDefaults(&pixels, image);
    pixels.depth = is_wide(encoder) ? 16 : 8;
    pixels.format = AVIF_RGB_FORMAT_RGBA;
    pixels.ignoreAlpha = !encoder->options.has_alpha;
    // The library doesn't write to them.
    pixels.pixels = (uint8_t *)(uintptr_t)rows;
    pixels.rowBytes = (uint32_t)stride;
    return check(encoder, tessera_avif.avifImageRGBToYUV(image, &pixels));
}

int32_t tessera_avif_encoder_add(
    tessera_avif_encoder *encoder, const uint8_t *rows, size_t stride, uint64_t duration) {
    if (encoder->outcome.status < 0)
        return encoder->outcome.status;
    const tessera_avif_encoding *options = &encoder->options;
    size_t pixel = (size_t)(is_gray(encoder) ? 1 : 4) * (is_wide(encoder) ? 2 : 1);
    if (!options->width || !options->height || stride > UINT32_MAX || stride < options->width * pixel
        || (encoder->has_picture && !options->animated) || encoder->output.size)
        return fail(encoder, TESSERA_MISUSE, "an image that doesn't fit the file");
    // Most decoders support ten bits; twelve is the maximum.
    uint32_t depth = !is_wide(encoder) ? 8 : options->lossless ? 12 : 10;
    avifPixelFormat format = is_gray(encoder)     ? AVIF_PIXEL_FORMAT_YUV400
                             : options->lossless ? AVIF_PIXEL_FORMAT_YUV444
                                                 : AVIF_PIXEL_FORMAT_YUV420;
    avifImage *image = tessera_avif.avifImageCreate(options->width, options->height, depth, format);
    if (!image)
        return fail(encoder, TESSERA_NO_MEMORY, "no memory for the image");
    image->yuvRange = AVIF_RANGE_FULL;
    image->colorPrimaries = options->primaries;
    image->transferCharacteristics = options->transfer;
    // The identity matrix is lossless; otherwise that of BT.2020's primaries, or the matrix that all readers assume. Grey
    // has none.
    image->matrixCoefficients = options->lossless && !is_gray(encoder)                  ? AVIF_MATRIX_COEFFICIENTS_IDENTITY
                                : options->primaries == AVIF_COLOR_PRIMARIES_BT2020 ? AVIF_MATRIX_COEFFICIENTS_BT2020_NCL
                                                                                    : AVIF_MATRIX_COEFFICIENTS_BT601;
    if (!encoder->has_picture)
        add_blocks(encoder, image);
    set_orientation(image, options->orientation);
    int32_t status = fill(encoder, image, rows, stride);
    if (status >= 0)
        status = check(
            encoder, tessera_avif.avifEncoderAddImage(
                         encoder->encoder, image, duration,
                         options->animated ? AVIF_ADD_IMAGE_FLAG_NONE : AVIF_ADD_IMAGE_FLAG_SINGLE));
    tessera_avif.avifImageDestroy(image);
    encoder->has_picture = true;
    return status;
}

int32_t tessera_avif_encoder_finish(tessera_avif_encoder *encoder) {
    if (encoder->outcome.status < 0)
        return encoder->outcome.status;
    if (!encoder->has_picture || encoder->output.size)
        return fail(encoder, TESSERA_MISUSE, "a file is finished once, when it has an image");
    return check(encoder, tessera_avif.avifEncoderFinish(encoder->encoder, &encoder->output));
}

const uint8_t *tessera_avif_encoder_output(const tessera_avif_encoder *encoder, size_t *length) {
    *length = encoder->output.size;
    return encoder->output.data;
}

#else

tessera_avif_encoder *tessera_avif_encoder_create(const tessera_avif_encoding *options) {
    (void)options;
    return NULL;
}

void tessera_avif_encoder_destroy(tessera_avif_encoder *encoder) {
    (void)encoder;
}

const char *tessera_avif_encoder_message(const tessera_avif_encoder *encoder) {
    (void)encoder;
    return "built without libavif";
}

int32_t tessera_avif_encoder_set_block(
    tessera_avif_encoder *encoder, uint8_t kind, const uint8_t *bytes, size_t length) {
    (void)encoder, (void)kind, (void)bytes, (void)length;
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_avif_encoder_add(
    tessera_avif_encoder *encoder, const uint8_t *rows, size_t stride, uint64_t duration) {
    (void)encoder, (void)rows, (void)stride, (void)duration;
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_avif_encoder_finish(tessera_avif_encoder *encoder) {
    (void)encoder;
    return TESSERA_UNSUPPORTED;
}

const uint8_t *tessera_avif_encoder_output(const tessera_avif_encoder *encoder, size_t *length) {
    (void)encoder;
    *length = 0;
    return NULL;
}

#endif
