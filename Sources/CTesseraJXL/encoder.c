#include "include/CTesseraJXL.h"
#include "runner.h"

#include <stdlib.h>
#include <string.h>

#if TESSERA_JXL_IS_BUILT

enum { OUTPUT_CAPACITY = 1 << 16 };

struct tessera_jxl_encoder {
    const tessera_jxl_functions *library;
    JxlEncoder *jxl;
    JxlEncoderFrameSettings *settings;
    /// The threads that the runner uses, at least 1.
    uint16_t threads;
    bool started;
    bool is_animation;
    bool is_closed;
    /// One frame's pixels, channels that aren't needed left out.
    uint8_t *pixels;
    size_t row_length;
    uint32_t width;
    uint32_t height;
    uint32_t rows;
    uint8_t kind;
    JxlPixelFormat format;
    uint8_t *output;
    tessera_outcome outcome;
};

static int32_t fail(tessera_jxl_encoder *encoder, int32_t status, const char *message) {
    return tessera_fail(&encoder->outcome, status, message);
}

/// Translates libjxl's status.
static int32_t check(tessera_jxl_encoder *encoder, JxlEncoderStatus status, const char *message) {
    if (status == JXL_ENC_SUCCESS)
        return TESSERA_OK;
    switch (encoder->library->JxlEncoderGetError(encoder->jxl)) {
    case JXL_ENC_ERR_OOM:
        return fail(encoder, TESSERA_NO_MEMORY, message);
    case JXL_ENC_ERR_BAD_INPUT:
        return fail(encoder, TESSERA_CORRUPT, message);
    default:
        return fail(encoder, TESSERA_UNSUPPORTED, message);
    }
}

#define TRY(call, message)                                             \
    do {                                                               \
        if (check(encoder, encoder->library->call, message) < 0)       \
            return encoder->outcome.status;                            \
    } while (0)

// MARK: Life

tessera_jxl_encoder *tessera_jxl_encoder_create(void) {
    const tessera_jxl_functions *library = tessera_jxl_library();
    tessera_jxl_encoder *encoder = library ? calloc(1, sizeof *encoder) : NULL;
    if (!encoder)
        return NULL;
    encoder->library = library;
    encoder->jxl = library->JxlEncoderCreate(NULL);
    encoder->settings = encoder->jxl ? library->JxlEncoderFrameSettingsCreate(encoder->jxl, NULL) : NULL;
    encoder->output = malloc(OUTPUT_CAPACITY);
    encoder->threads = 1;
    if (!encoder->settings || !encoder->output
        || library->JxlEncoderSetParallelRunner(encoder->jxl, tessera_jxl_run, &encoder->threads) != JXL_ENC_SUCCESS) {
        tessera_jxl_encoder_destroy(encoder);
        return NULL;
    }
    return encoder;
}

void tessera_jxl_encoder_destroy(tessera_jxl_encoder *encoder) {
    if (!encoder)
        return;
    if (encoder->jxl)
        encoder->library->JxlEncoderDestroy(encoder->jxl);
    free(encoder->pixels);
    free(encoder->output);
    free(encoder);
}

void tessera_jxl_encoder_set_threads(tessera_jxl_encoder *encoder, uint16_t threads) {
    encoder->threads = threads;
}

const char *tessera_jxl_encoder_message(const tessera_jxl_encoder *encoder) {
    return encoder->outcome.message;
}

// MARK: Head

static int32_t add_boxes(tessera_jxl_encoder *encoder, const tessera_jxl_encoding *encoding) {
    if (!encoding->exif && !encoding->xmp)
        return TESSERA_OK;
    TRY(JxlEncoderUseBoxes(encoder->jxl), "metadata can't be written");
    if (encoding->exif) {
        // Preceded by the offset of the TIFF structure.
        uint8_t *box = encoding->exif_length <= SIZE_MAX - 4 ? calloc(1, encoding->exif_length + 4) : NULL;
        if (!box)
            return fail(encoder, TESSERA_NO_MEMORY, "no memory for EXIF");
        memcpy(box + 4, encoding->exif, encoding->exif_length);
        JxlEncoderStatus status =
            encoder->library->JxlEncoderAddBox(encoder->jxl, "Exif", box, encoding->exif_length + 4, JXL_FALSE);
        free(box);
        if (check(encoder, status, "EXIF can't be written") < 0)
            return encoder->outcome.status;
    }
    if (encoding->xmp)
        TRY(JxlEncoderAddBox(encoder->jxl, "xml ", encoding->xmp, encoding->xmp_length, JXL_FALSE),
            "XMP can't be written");
    encoder->library->JxlEncoderCloseBoxes(encoder->jxl);
    return TESSERA_OK;
}

static int32_t set_color(tessera_jxl_encoder *encoder, const tessera_jxl_encoding *encoding, bool is_gray) {
    if (encoding->icc) {
        if (encoder->library->JxlEncoderSetICCProfile(encoder->jxl, encoding->icc, encoding->icc_length) !=
            JXL_ENC_SUCCESS)
            return fail(encoder, TESSERA_UNSUPPORTED, "libjxl can't use the colour profile");
        return TESSERA_OK;
    }
    JxlColorEncoding color;
    encoder->library->JxlColorEncodingSetToSRGB(&color, is_gray);
    if (encoding->transfer) {
        color.primaries = (JxlPrimaries)encoding->primaries;
        color.transfer_function = (JxlTransferFunction)encoding->transfer;
    }
    TRY(JxlEncoderSetColorEncoding(encoder->jxl, &color), "the colour space can't be written");
    return TESSERA_OK;
}

int32_t tessera_jxl_encoder_start(tessera_jxl_encoder *encoder, const tessera_jxl_encoding *encoding) {
    if (encoder->outcome.status < 0)
        return encoder->outcome.status;
    if (encoder->started || encoding->width == 0 || encoding->height == 0)
        return fail(encoder, TESSERA_MISUSE, "started twice, or for no pixels");
    encoder->started = true;
    bool is_gray = tessera_is_gray(encoding->pixels);
    bool is_wide = tessera_is_wide(encoding->pixels);
    bool has_alpha = encoding->has_alpha && !is_gray;

    JxlBasicInfo info;
    encoder->library->JxlEncoderInitBasicInfo(&info);
    info.xsize = encoding->width;
    info.ysize = encoding->height;
    info.bits_per_sample = is_wide ? 16 : 8;
    info.num_color_channels = is_gray ? 1 : 3;
    info.num_extra_channels = has_alpha;
    info.alpha_bits = has_alpha ? info.bits_per_sample : 0;
    info.uses_original_profile = encoding->is_lossless;
    info.orientation = (JxlOrientation)encoding->orientation;
    info.have_animation = encoding->is_animation;
    if (encoding->transfer)
        info.intensity_target = encoding->intensity_target;
    if (encoding->is_animation) {
        info.animation.tps_numerator = 1000;
        info.animation.tps_denominator = 1;
        info.animation.num_loops = encoding->loops;
    }
    TRY(JxlEncoderSetBasicInfo(encoder->jxl, &info), "libjxl can't write such an image");
    int level = encoder->library->JxlEncoderGetRequiredCodestreamLevel(encoder->jxl);
    if (level < 0)
        return fail(encoder, TESSERA_UNSUPPORTED, "the image is larger than JPEG XL allows");
    // Files of level 10, which larger images and profiles need, are marked as such.
    TRY(JxlEncoderSetCodestreamLevel(encoder->jxl, encoding->icc_length > 4 << 20 ? 10 : level),
        "libjxl can't write such an image");
    if (add_boxes(encoder, encoding) < 0 || set_color(encoder, encoding, is_gray) < 0)
        return encoder->outcome.status;
    TRY(JxlEncoderFrameSettingsSetOption(encoder->settings, JXL_ENC_FRAME_SETTING_EFFORT, encoding->effort),
        "no such effort");
    if (encoding->is_lossless)
        TRY(JxlEncoderSetFrameLossless(encoder->settings, JXL_TRUE), "libjxl can't write without loss");
    else
        TRY(JxlEncoderSetFrameDistance(encoder->settings, encoding->distance), "no such distance");

    uint32_t channels = is_gray ? 1 : has_alpha ? 4 : 3;
    size_t sample = is_wide ? 2 : 1;
    if (encoding->width > SIZE_MAX / 8 / encoding->height)
        return fail(encoder, TESSERA_NO_MEMORY, "no memory for the pixels");
    encoder->is_animation = encoding->is_animation;
    encoder->kind = encoding->pixels;
    encoder->width = encoding->width;
    encoder->height = encoding->height;
    encoder->row_length = channels * sample * encoding->width;
    encoder->format = (JxlPixelFormat){channels, is_wide ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    return TESSERA_OK;
}

// MARK: Frames

int32_t tessera_jxl_encoder_write_rows(
    tessera_jxl_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count) {
    if (encoder->outcome.status < 0)
        return encoder->outcome.status;
    if (!encoder->started || encoder->is_closed || count > encoder->height - encoder->rows)
        return fail(encoder, TESSERA_MISUSE, "more rows than the image has");
    if (!encoder->pixels && !(encoder->pixels = malloc(encoder->row_length * encoder->height)))
        return fail(encoder, TESSERA_NO_MEMORY, "no memory for the pixels");
    bool drops_alpha = encoder->format.num_channels == 3;
    for (uint32_t y = 0; y < count; y++) {
        const uint8_t *from = rows + y * stride;
        uint8_t *into = encoder->pixels + encoder->row_length * encoder->rows++;
        if (!drops_alpha) {
            memcpy(into, from, encoder->row_length);
            continue;
        }
        size_t color = encoder->kind == TESSERA_RGBA16 ? 6 : 3, pixel = color / 3 * 4;
        for (uint32_t x = 0; x < encoder->width; x++)
            memcpy(into + x * color, from + x * pixel, color);
    }
    return TESSERA_OK;
}

int32_t tessera_jxl_encoder_end_frame(tessera_jxl_encoder *encoder, uint32_t duration, bool is_last) {
    if (encoder->outcome.status < 0)
        return encoder->outcome.status;
    if (!encoder->started || encoder->is_closed || encoder->rows != encoder->height || !encoder->pixels)
        return fail(encoder, TESSERA_MISUSE, "rows are missing");
    if (encoder->is_animation) {
        JxlFrameHeader header;
        encoder->library->JxlEncoderInitFrameHeader(&header);
        header.duration = duration;
        TRY(JxlEncoderSetFrameHeader(encoder->settings, &header), "libjxl can't write such a frame");
    }
    TRY(JxlEncoderAddImageFrame(
            encoder->settings, &encoder->format, encoder->pixels, encoder->row_length * encoder->height),
        "libjxl can't write such a frame");
    encoder->rows = 0;
    if (is_last) {
        encoder->library->JxlEncoderCloseInput(encoder->jxl);
        encoder->is_closed = true;
    }
    // libjxl has copied them, and needs much more memory now.
    free(encoder->pixels);
    encoder->pixels = NULL;
    return TESSERA_OK;
}

int32_t tessera_jxl_encoder_add_jpeg(
    tessera_jxl_encoder *encoder, const uint8_t *jpeg, size_t length, uint8_t effort) {
    if (encoder->outcome.status < 0)
        return encoder->outcome.status;
    if (encoder->started)
        return fail(encoder, TESSERA_MISUSE, "started twice");
    encoder->started = true;
    TRY(JxlEncoderUseContainer(encoder->jxl, JXL_TRUE), "libjxl can't write a container");
    TRY(JxlEncoderStoreJPEGMetadata(encoder->jxl, JXL_TRUE), "libjxl can't keep what a JPEG has beside its pixels");
    TRY(JxlEncoderFrameSettingsSetOption(encoder->settings, JXL_ENC_FRAME_SETTING_EFFORT, effort), "no such effort");
    // It has the same status for a broken JPEG and for an unsupported one.
    if (encoder->library->JxlEncoderAddJPEGFrame(encoder->settings, jpeg, length) != JXL_ENC_SUCCESS)
        return fail(encoder, TESSERA_UNSUPPORTED, "libjxl can't take this JPEG as it is");
    encoder->library->JxlEncoderCloseInput(encoder->jxl);
    encoder->is_closed = true;
    return TESSERA_OK;
}

int32_t tessera_jxl_encoder_encode(tessera_jxl_encoder *encoder, const uint8_t **output, size_t *length) {
    *output = encoder->output;
    *length = 0;
    if (encoder->outcome.status < 0)
        return encoder->outcome.status;
    uint8_t *next = encoder->output;
    size_t left = OUTPUT_CAPACITY;
    JxlEncoderStatus status = encoder->library->JxlEncoderProcessOutput(encoder->jxl, &next, &left);
    *length = OUTPUT_CAPACITY - left;
    if (status == JXL_ENC_NEED_MORE_OUTPUT)
        return TESSERA_OK;
    return check(encoder, status, "libjxl could not compress the image");
}

#else

tessera_jxl_encoder *tessera_jxl_encoder_create(void) {
    return NULL;
}

void tessera_jxl_encoder_destroy(tessera_jxl_encoder *encoder) {
    (void)encoder;
}

void tessera_jxl_encoder_set_threads(tessera_jxl_encoder *encoder, uint16_t threads) {
    (void)encoder, (void)threads;
}

const char *tessera_jxl_encoder_message(const tessera_jxl_encoder *encoder) {
    (void)encoder;
    return "";
}

int32_t tessera_jxl_encoder_start(tessera_jxl_encoder *encoder, const tessera_jxl_encoding *encoding) {
    (void)encoder, (void)encoding;
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_jxl_encoder_write_rows(
    tessera_jxl_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count) {
    (void)encoder, (void)rows, (void)stride, (void)count;
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_jxl_encoder_end_frame(tessera_jxl_encoder *encoder, uint32_t duration, bool is_last) {
    (void)encoder, (void)duration, (void)is_last;
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_jxl_encoder_add_jpeg(
    tessera_jxl_encoder *encoder, const uint8_t *jpeg, size_t length, uint8_t effort) {
    (void)encoder, (void)jpeg, (void)length, (void)effort;
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_jxl_encoder_encode(tessera_jxl_encoder *encoder, const uint8_t **output, size_t *length) {
    (void)encoder;
    *output = NULL;
    *length = 0;
    return TESSERA_UNSUPPORTED;
}

#endif
