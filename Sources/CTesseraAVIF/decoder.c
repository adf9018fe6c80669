#include "library.h"

#include <stdlib.h>
#include <string.h>

#ifdef TESSERA_AVIF_HEADERS

struct tessera_avif_decoder {
    tessera_outcome outcome;
    avifIO io;
    avifDecoder *decoder;
    uint8_t *bytes;
    size_t length;
    size_t capacity;
    bool ended;
    /// The header takes at least this many bytes.
    uint64_t needed;
    bool has_header;
    tessera_avif_header header;
    uint32_t ready;
    /// Whether the last attempt to decode succeeded.
    bool decoded;
    /// Whether an attempt failed, after which the library must start again.
    bool spoiled;
};

static avifResult read_bytes(avifIO *io, uint32_t flags, uint64_t offset, size_t size, avifROData *out) {
    (void)flags;
    tessera_avif_decoder *decoder = io->data;
    if (offset > decoder->length || size > decoder->length - offset) {
        if (!decoder->ended) {
            uint64_t needed = offset > UINT64_MAX - size ? UINT64_MAX : offset + size;
            if (needed > decoder->needed)
                decoder->needed = needed;
            return AVIF_RESULT_WAITING_ON_IO;
        }
        if (offset > decoder->length)
            return AVIF_RESULT_IO_ERROR;
        size = decoder->length - (size_t)offset;
    }
    out->data = decoder->bytes + offset;
    out->size = size;
    return AVIF_RESULT_OK;
}

tessera_avif_decoder *tessera_avif_decoder_create(const tessera_avif_decoding *options) {
    if (!tessera_avif_load())
        return NULL;
    tessera_avif_decoder *decoder = calloc(1, sizeof(tessera_avif_decoder));
    if (!decoder)
        return NULL;
    decoder->decoder = tessera_avif.avifDecoderCreate();
    if (!decoder->decoder) {
        free(decoder);
        return NULL;
    }
    decoder->io = (avifIO){.read = read_bytes, .sizeHint = UINT64_MAX, .data = decoder};
    avifDecoder *library = decoder->decoder;
    // Files that other readers open are opened here too.
    library->strictFlags = AVIF_STRICT_DISABLED;
    library->imageSizeLimit = options->maximum_pixels < AVIF_DEFAULT_IMAGE_SIZE_LIMIT
                                  ? (uint32_t)options->maximum_pixels
                                  : AVIF_DEFAULT_IMAGE_SIZE_LIMIT;
    library->imageDimensionLimit = options->maximum_side;
    library->imageCountLimit = options->maximum_frames;
    tessera_avif.avifDecoderSetIO(library, &decoder->io);
    if (options->frames)
        tessera_avif.avifDecoderSetSource(library, AVIF_DECODER_SOURCE_TRACKS);
    return decoder;
}

void tessera_avif_decoder_destroy(tessera_avif_decoder *decoder) {
    if (!decoder)
        return;
    tessera_avif.avifDecoderDestroy(decoder->decoder);
    free(decoder->bytes);
    free(decoder);
}

const char *tessera_avif_decoder_message(const tessera_avif_decoder *decoder) {
    return decoder->outcome.message;
}

static int32_t fail(tessera_avif_decoder *decoder, int32_t status, const char *message) {
    return tessera_fail(&decoder->outcome, status, message);
}

int32_t tessera_avif_decoder_append(tessera_avif_decoder *decoder, const uint8_t *bytes, size_t length) {
    if (decoder->outcome.status < 0)
        return decoder->outcome.status;
    if (decoder->ended)
        return fail(decoder, TESSERA_MISUSE, "bytes after the end");
    if (length > decoder->capacity - decoder->length) {
        // A file that arrives at once is kept without spare capacity.
        size_t capacity = decoder->length ? (decoder->length + length) / 2 * 3 : length;
        uint8_t *grown = realloc(decoder->bytes, capacity);
        if (!grown)
            return fail(decoder, TESSERA_NO_MEMORY, "no memory for the file");
        decoder->bytes = grown;
        decoder->capacity = capacity;
    }
    if (length)
        memcpy(decoder->bytes + decoder->length, bytes, length);
    decoder->length += length;
    return TESSERA_OK;
}

void tessera_avif_decoder_end(tessera_avif_decoder *decoder) {
    decoder->ended = true;
    decoder->io.sizeHint = decoder->length;
}

/// The orientation as in EXIF: rotated counterclockwise first, then mirrored (ISO/IEC 23000-22, 7.3.6.7).
static uint8_t orientation_of(const avifImage *image) {
    static const uint8_t table[4][3] = {{1, 4, 2}, {8, 5, 7}, {3, 2, 4}, {6, 7, 5}};
    int angle = image->transformFlags & AVIF_TRANSFORM_IROT ? image->irot.angle & 3 : 0;
#if AVIF_VERSION >= 1000000
    int axis = image->imir.axis & 1;
#else
    int axis = image->imir.mode & 1;
#endif
    return table[angle][image->transformFlags & AVIF_TRANSFORM_IMIR ? 1 + axis : 0];
}

static void fill_header(tessera_avif_decoder *decoder) {
    const avifDecoder *library = decoder->decoder;
    const avifImage *image = library->image;
    tessera_avif_header *header = &decoder->header;
    *header = (tessera_avif_header){
        .width = image->width,
        .height = image->height,
        .bits = (uint8_t)image->depth,
        .gray = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400,
        .has_alpha = library->alphaPresent,
        .primaries = image->colorPrimaries,
        .transfer = image->transferCharacteristics,
        .matrix = image->matrixCoefficients,
        .crop_width = image->width,
        .crop_height = image->height,
        .orientation = orientation_of(image),
        .frame_count = library->imageCount > 0 ? (uint32_t)library->imageCount : 0,
        .icc = image->icc.size ? image->icc.data : NULL,
        .icc_length = image->icc.size,
        .exif = image->exif.size ? image->exif.data : NULL,
        .exif_length = image->exif.size,
        .xmp = image->xmp.size ? image->xmp.data : NULL,
        .xmp_length = image->xmp.size,
    };
    // Only frames have a timescale other than 1; a track of one frame is a still.
    header->animated = header->frame_count > 1;
#if AVIF_VERSION >= 1000000
    if (library->repetitionCount >= 0)
        header->play_count = (uint32_t)library->repetitionCount + 1;
#endif
    avifCropRect crop;
    avifDiagnostics diagnostics;
    // An invalid crop is ignored, as other readers do.
    if (image->transformFlags & AVIF_TRANSFORM_CLAP
        && tessera_avif.avifCropRectConvertCleanApertureBox(
            &crop, &image->clap, image->width, image->height, image->yuvFormat, &diagnostics)) {
        header->crop_x = crop.x;
        header->crop_y = crop.y;
        header->crop_width = crop.width;
        header->crop_height = crop.height;
    }
}

int32_t tessera_avif_decoder_read_header(tessera_avif_decoder *decoder, tessera_avif_header *header) {
    if (decoder->outcome.status < 0)
        return decoder->outcome.status;
    if (!decoder->has_header) {
        if (!decoder->ended && decoder->length < decoder->needed)
            return TESSERA_NEED_MORE;
        avifDecoder *library = decoder->decoder;
        avifResult result = tessera_avif.avifDecoderParse(library);
        if (result == AVIF_RESULT_NO_CONTENT && library->requestedSource == AVIF_DECODER_SOURCE_TRACKS) {
            // Announced as an animation without frames: the still is its only frame.
            tessera_avif.avifDecoderSetSource(library, AVIF_DECODER_SOURCE_PRIMARY_ITEM);
            result = tessera_avif.avifDecoderParse(library);
        }
        int32_t status = tessera_avif_check(&decoder->outcome, result, &library->diag);
        if (status != TESSERA_OK)
            return status == TESSERA_NEED_MORE && decoder->ended
                       ? fail(decoder, TESSERA_TRUNCATED, "the file ends too early")
                       : status;
        decoder->has_header = true;
        fill_header(decoder);
    }
    *header = decoder->header;
    return TESSERA_OK;
}

uint32_t tessera_avif_decoder_ready(tessera_avif_decoder *decoder) {
    avifExtent extent;
    while (decoder->has_header && decoder->ready < decoder->header.frame_count
           && tessera_avif.avifDecoderNthImageMaxExtent(decoder->decoder, decoder->ready, &extent) == AVIF_RESULT_OK
           && extent.offset <= decoder->length && extent.size <= decoder->length - extent.offset)
        decoder->ready++;
    return decoder->ready;
}

double tessera_avif_decoder_duration(const tessera_avif_decoder *decoder, uint32_t index) {
    avifImageTiming timing;
    if (tessera_avif.avifDecoderNthImageTiming(decoder->decoder, index, &timing) != AVIF_RESULT_OK)
        return 0;
    return timing.timescale ? (double)timing.durationInTimescales / (double)timing.timescale : 0;
}

int32_t tessera_avif_decoder_decode(tessera_avif_decoder *decoder, uint32_t index, uint16_t threads) {
    if (!decoder->has_header || index >= decoder->header.frame_count)
        return fail(decoder, TESSERA_MISUSE, "there is no such frame");
    // A damaged frame doesn't affect others.
    decoder->outcome = (tessera_outcome){0};
    decoder->decoded = false;
    avifDecoder *library = decoder->decoder;
    library->maxThreads = threads;
    avifResult result = decoder->spoiled ? tessera_avif.avifDecoderParse(library) : AVIF_RESULT_OK;
    if (result == AVIF_RESULT_OK) {
        decoder->spoiled = false;
        result = tessera_avif.avifDecoderNthImage(library, index);
    }
    int32_t status = tessera_avif_check(&decoder->outcome, result, &library->diag);
    if (status != TESSERA_OK) {
        decoder->spoiled = true;
        return status == TESSERA_NEED_MORE
                   ? fail(decoder, TESSERA_TRUNCATED, "the frame's bytes are not all there")
                   : status;
    }
    const avifImage *image = library->image;
    if (image->width != decoder->header.width || image->height != decoder->header.height
        || (decoder->header.gray && image->yuvFormat != AVIF_PIXEL_FORMAT_YUV400))
        return fail(decoder, TESSERA_CORRUPT, "what is coded is of another kind than what was announced");
    decoder->decoded = true;
    return TESSERA_OK;
}

/// Grey is luma alone, which the library would expand to three channels.
static int32_t read_gray(
    const avifImage *image, bool wide, uint32_t first, uint32_t count, uint8_t *into, size_t stride) {
    if (image->depth > 12)
        return TESSERA_UNSUPPORTED;
    uint32_t maximum = (1u << image->depth) - 1;
    uint32_t target = wide ? 65535 : 255;
    uint16_t values[1 << 12];
    for (uint32_t value = 0; value <= maximum; value++) {
        int full = image->yuvRange == AVIF_RANGE_LIMITED
                       ? tessera_avif.avifLimitedToFullY((int)image->depth, (int)value)
                       : (int)value;
        values[value] = (uint16_t)(((uint32_t)full * target + maximum / 2) / maximum);
    }
    for (uint32_t y = first; y < first + count; y++, into += stride) {
        const uint8_t *row = image->yuvPlanes[AVIF_CHAN_Y] + (size_t)image->yuvRowBytes[AVIF_CHAN_Y] * y;
        for (uint32_t x = 0; x < image->width; x++) {
            uint16_t value = row[x];
            if (image->depth > 8)
                memcpy(&value, row + 2 * (size_t)x, 2);
            value = values[value < maximum ? value : maximum];
            if (wide)
                memcpy(into + 2 * (size_t)x, &value, 2);
            else
                into[x] = (uint8_t)value;
        }
    }
    return TESSERA_OK;
}

/// Rows of an image as an image without its own memory; `first` is even.
static avifImage rows_of(const avifImage *image, uint32_t first, uint32_t count) {
    avifImage rows = *image;
    rows.height = count;
    // Only 4:2:0 has fewer rows of chroma.
    uint32_t chroma = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV420 ? first / 2 : first;
    for (int plane = AVIF_CHAN_Y; plane <= AVIF_CHAN_V; plane++)
        if (rows.yuvPlanes[plane])
            rows.yuvPlanes[plane] += (size_t)rows.yuvRowBytes[plane] * (plane == AVIF_CHAN_Y ? first : chroma);
    if (rows.alphaPlane)
        rows.alphaPlane += (size_t)rows.alphaRowBytes * first;
    return rows;
}

static avifResult convert(const avifImage *image, bool wide, uint8_t *into, size_t stride) {
    avifRGBImage pixels;
    tessera_avif.avifRGBImageSetDefaults(&pixels, image);
    pixels.depth = wide ? 16 : 8;
    pixels.format = AVIF_RGB_FORMAT_RGBA;
    pixels.pixels = into;
    pixels.rowBytes = (uint32_t)stride;
    // libyuv is many times faster, but truncates ten and twelve bits to eight instead of rounding, and is off by up to
    // 7 of 255 at the edge of 4:2:2 of odd width. The library's own conversion is within half a step.
    pixels.avoidLibYUV = image->depth > 8;
    return tessera_avif.avifImageYUVToRGB(image, &pixels);
}

int32_t tessera_avif_decoder_read(
    const tessera_avif_decoder *decoder, uint8_t format, uint32_t first, uint32_t count, uint8_t *into, size_t stride) {
    bool wide = tessera_is_wide(format);
    bool gray = tessera_is_gray(format);
    const tessera_avif_header *header = &decoder->header;
    if (!decoder->decoded || stride > UINT32_MAX || stride < (size_t)header->width * (gray ? 1 : 4) * (wide ? 2 : 1)
        || first > header->height || count > header->height - first
        || (gray && (!header->gray || header->has_alpha)))
        return TESSERA_MISUSE;
    if (count == 0)
        return TESSERA_OK;
    const avifImage *image = decoder->decoder->image;
    if (gray)
        return read_gray(image, wide, first, count, into, stride);
    if (first == 0 && count == image->height)
        return tessera_avif_status(convert(image, wide, into, stride));
    // Chroma may be interpolated between rows: with a pair more on each side the rows equal those of the whole image.
    uint32_t top = first < 2 ? 0 : (first - 2) / 2 * 2;
    uint32_t below = image->height - first - count;
    uint32_t bottom = first + count + (below < 2 ? below : 2);
    avifImage rows = rows_of(image, top, bottom - top);
    uint8_t *scratch = malloc(stride * (bottom - top));
    if (!scratch)
        return TESSERA_NO_MEMORY;
    avifResult result = convert(&rows, wide, scratch, stride);
    for (uint32_t row = 0; result == AVIF_RESULT_OK && row < count; row++)
        memcpy(into + stride * row, scratch + stride * (first - top + row), (size_t)image->width * (wide ? 8 : 4));
    free(scratch);
    return tessera_avif_status(result);
}

#else

tessera_avif_decoder *tessera_avif_decoder_create(const tessera_avif_decoding *options) {
    (void)options;
    return NULL;
}

void tessera_avif_decoder_destroy(tessera_avif_decoder *decoder) {
    (void)decoder;
}

const char *tessera_avif_decoder_message(const tessera_avif_decoder *decoder) {
    (void)decoder;
    return "built without libavif";
}

int32_t tessera_avif_decoder_append(tessera_avif_decoder *decoder, const uint8_t *bytes, size_t length) {
    (void)decoder, (void)bytes, (void)length;
    return TESSERA_UNSUPPORTED;
}

void tessera_avif_decoder_end(tessera_avif_decoder *decoder) {
    (void)decoder;
}

int32_t tessera_avif_decoder_read_header(tessera_avif_decoder *decoder, tessera_avif_header *header) {
    (void)decoder, (void)header;
    return TESSERA_UNSUPPORTED;
}

uint32_t tessera_avif_decoder_ready(tessera_avif_decoder *decoder) {
    (void)decoder;
    return 0;
}

double tessera_avif_decoder_duration(const tessera_avif_decoder *decoder, uint32_t index) {
    (void)decoder, (void)index;
    return 0;
}

int32_t tessera_avif_decoder_decode(tessera_avif_decoder *decoder, uint32_t index, uint16_t threads) {
    (void)decoder, (void)index, (void)threads;
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_avif_decoder_read(
    const tessera_avif_decoder *decoder, uint8_t format, uint32_t first, uint32_t count, uint8_t *into, size_t stride) {
    (void)decoder, (void)format, (void)first, (void)count, (void)into, (void)stride;
    return TESSERA_UNSUPPORTED;
}

#endif
