#include "hevc.h"
#include "library.h"

#include <stdlib.h>
#include <string.h>

#ifdef TESSERA_HEIF_HEADERS

typedef struct {
    uint8_t *bytes;
    size_t length;
} block;

/// One decoded channel.
typedef struct {
    const uint8_t *base;
    size_t stride;
    /// The largest value.
    uint32_t maximum;
} plane;

struct tessera_heif_decoder {
    tessera_outcome outcome;
    uint8_t *bytes;
    struct heif_context *context;
    heif_item_id *items;
    uint32_t count;
    uint32_t primary;

    struct heif_image_handle *handle;
    block icc;
    block exif;
    block xmp;

    struct heif_image *image;
    tessera_heif_pixels pixels;
    /// Red, green, blue and alpha; grey in the first.
    plane planes[4];
};

tessera_heif_decoder *tessera_heif_decoder_create(void) {
    return tessera_heif_load() ? calloc(1, sizeof(tessera_heif_decoder)) : NULL;
}

static void forget_picture(tessera_heif_decoder *decoder) {
    if (decoder->image)
        tessera_heif.heif_image_release(decoder->image);
    if (decoder->handle)
        tessera_heif.heif_image_handle_release(decoder->handle);
    decoder->image = NULL;
    decoder->handle = NULL;
    block *const blocks[] = {&decoder->icc, &decoder->exif, &decoder->xmp};
    for (int index = 0; index < 3; index++) {
        free(blocks[index]->bytes);
        *blocks[index] = (block){NULL, 0};
    }
}

void tessera_heif_decoder_destroy(tessera_heif_decoder *decoder) {
    if (!decoder)
        return;
    forget_picture(decoder);
    if (decoder->context)
        tessera_heif.heif_context_free(decoder->context);
    free(decoder->items);
    free(decoder->bytes);
    free(decoder);
}

const char *tessera_heif_decoder_message(const tessera_heif_decoder *decoder) {
    return decoder->outcome.message;
}

static int32_t fail(tessera_heif_decoder *decoder, int32_t status, const char *message) {
    return tessera_fail(&decoder->outcome, status, message);
}

static int32_t check(tessera_heif_decoder *decoder, struct heif_error error) {
    return tessera_heif_check(&decoder->outcome, error);
}

int32_t tessera_heif_decoder_open(
    tessera_heif_decoder *decoder, const uint8_t *bytes, size_t length, uint32_t maximum_side) {
    if (decoder->outcome.status < 0)
        return decoder->outcome.status;
    if (decoder->context || !length)
        return fail(decoder, TESSERA_MISUSE, "a decoder opens one file");
    decoder->context = tessera_heif.heif_context_alloc();
    decoder->bytes = malloc(length);
    if (!decoder->context || !decoder->bytes)
        return fail(decoder, TESSERA_NO_MEMORY, "no memory for the file");
    memcpy(decoder->bytes, bytes, length);
    // Some of the library's checks reject a value equal to the limit.
    tessera_heif.heif_context_set_maximum_image_size_limit(
        decoder->context, maximum_side < INT32_MAX ? (int)maximum_side + 1 : INT32_MAX);
    // 0 means the caller's thread; 1 would start another.
    tessera_heif.heif_context_set_max_decoding_threads(decoder->context, 0);
    int32_t status = check(
        decoder,
        tessera_heif.heif_context_read_from_memory_without_copy(decoder->context, decoder->bytes, length, NULL));
    if (status < 0)
        return status;

    int count = tessera_heif.heif_context_get_number_of_top_level_images(decoder->context);
    heif_item_id primary = 0;
    status = check(decoder, tessera_heif.heif_context_get_primary_image_ID(decoder->context, &primary));
    if (status < 0)
        return status;
    if (count <= 0)
        return fail(decoder, TESSERA_CORRUPT, "the file has no image");
    decoder->items = calloc((size_t)count, sizeof(heif_item_id));
    if (!decoder->items)
        return fail(decoder, TESSERA_NO_MEMORY, "no memory for the list of images");
    count = tessera_heif.heif_context_get_list_of_top_level_image_IDs(decoder->context, decoder->items, count);
    decoder->count = (uint32_t)count;
    // The primary image may be hidden or a thumbnail: then the first image replaces it.
    for (uint32_t index = 0; index < decoder->count; index++)
        if (decoder->items[index] == primary)
            decoder->primary = index;
    return TESSERA_OK;
}

uint32_t tessera_heif_decoder_count(const tessera_heif_decoder *decoder) {
    return decoder->count;
}

uint32_t tessera_heif_decoder_primary(const tessera_heif_decoder *decoder) {
    return decoder->primary;
}

uint32_t tessera_heif_decoder_item(const tessera_heif_decoder *decoder, uint32_t index) {
    return index < decoder->count ? decoder->items[index] : 0;
}

/// Makes room for a block; false if it is empty or too large.
static bool prepare(block *block, size_t length, size_t maximum) {
    if (block->bytes || !length || length > maximum)
        return false;
    block->bytes = malloc(length);
    block->length = block->bytes ? length : 0;
    return block->bytes;
}

/// Keeps the block that the library read.
static void keep(block *block, struct heif_error error) {
    if (error.code == heif_error_Ok)
        return;
    free(block->bytes);
    block->bytes = NULL;
    block->length = 0;
}

static void read_metadata(tessera_heif_decoder *decoder, size_t maximum) {
    const struct heif_image_handle *handle = decoder->handle;
    heif_item_id items[64];
    int count = tessera_heif.heif_image_handle_get_list_of_metadata_block_IDs(handle, NULL, items, 64);
    for (int index = 0; index < count; index++) {
        const char *type = tessera_heif.heif_image_handle_get_metadata_type(handle, items[index]);
        block *target = NULL;
        if (type && strcmp(type, "Exif") == 0) {
            target = &decoder->exif;
        } else if (type && strcmp(type, "mime") == 0) {
            const char *content = tessera_heif.heif_image_handle_get_metadata_content_type(handle, items[index]);
            if (content && strcmp(content, "application/rdf+xml") == 0)
                target = &decoder->xmp;
        }
        size_t length = tessera_heif.heif_image_handle_get_metadata_size(handle, items[index]);
        if (target && prepare(target, length, maximum))
            keep(target, tessera_heif.heif_image_handle_get_metadata(handle, items[index], target->bytes));
    }
}

int32_t tessera_heif_decoder_select(
    tessera_heif_decoder *decoder, uint32_t index, size_t maximum_block, bool asks_for_codes,
    tessera_heif_image *image) {
    if (decoder->outcome.status < 0)
        return decoder->outcome.status;
    if (index >= decoder->count)
        return fail(decoder, TESSERA_MISUSE, "there is no such image");
    forget_picture(decoder);
    int32_t status = check(
        decoder,
        tessera_heif.heif_context_get_image_handle(decoder->context, decoder->items[index], &decoder->handle));
    if (status < 0)
        return status;
    const struct heif_image_handle *handle = decoder->handle;
    int width = tessera_heif.heif_image_handle_get_width(handle);
    int height = tessera_heif.heif_image_handle_get_height(handle);
    int bits = tessera_heif.heif_image_handle_get_luma_bits_per_pixel(handle);
    if (width <= 0 || height <= 0)
        return fail(decoder, TESSERA_CORRUPT, "the image has no size");

    size_t length = tessera_heif.heif_image_handle_get_raw_color_profile_size(handle);
    if (prepare(&decoder->icc, length, maximum_block))
        keep(&decoder->icc, tessera_heif.heif_image_handle_get_raw_color_profile(handle, decoder->icc.bytes));
    read_metadata(decoder, maximum_block);

    *image = (tessera_heif_image){
        .width = (uint32_t)width,
        .height = (uint32_t)height,
        .bits = (uint8_t)(bits > 0 && bits <= 16 ? bits : 0),
        .has_alpha = tessera_heif.heif_image_handle_has_alpha_channel(handle),
        .premultiplied = tessera_heif.heif_image_handle_is_premultiplied_alpha(handle),
        .icc = decoder->icc.bytes,
        .icc_length = decoder->icc.length,
        .exif = decoder->exif.bytes,
        .exif_length = decoder->exif.length,
        .xmp = decoder->xmp.bytes,
        .xmp_length = decoder->xmp.length,
    };
    struct heif_color_profile_nclx *codes = NULL;
    if (asks_for_codes &&
        tessera_heif.heif_image_handle_get_nclx_color_profile(handle, &codes).code == heif_error_Ok && codes) {
        image->has_codes = true;
        image->primaries = (uint16_t)codes->color_primaries;
        image->transfer = (uint16_t)codes->transfer_characteristics;
        image->matrix = (uint16_t)codes->matrix_coefficients;
        tessera_heif.heif_nclx_color_profile_free(codes);
    }
    return TESSERA_OK;
}

/// Finds a channel of the decoded image, which must cover the whole image.
static bool find_plane(tessera_heif_decoder *decoder, enum heif_channel channel, plane *found) {
    const struct heif_image *image = decoder->image;
    if (!tessera_heif.heif_image_has_channel(image, channel))
        return false;
    int stride = 0;
    const uint8_t *base = tessera_heif.heif_image_get_plane_readonly(image, channel, &stride);
    int width = tessera_heif.heif_image_get_width(image, channel);
    int height = tessera_heif.heif_image_get_height(image, channel);
    int bits = tessera_heif.heif_image_get_bits_per_pixel_range(image, channel);
    if (!base || bits < 1 || bits > 16 || width < (int)decoder->pixels.width || height < (int)decoder->pixels.height)
        return false;
    // The deeper of two channels decides; up to 8 bits are stored in bytes, more in pairs of bytes.
    if (stride < width * (bits > 8 ? 2 : 1))
        return false;
    *found = (plane){base, (size_t)stride, (1u << bits) - 1};
    if (bits > decoder->pixels.bits)
        decoder->pixels.bits = (uint8_t)bits;
    return true;
}

int32_t tessera_heif_decoder_decode(tessera_heif_decoder *decoder, uint16_t threads, tessera_heif_pixels *pixels) {
    if (decoder->outcome.status < 0)
        return decoder->outcome.status;
    if (!decoder->handle || decoder->image)
        return fail(decoder, TESSERA_MISUSE, "an image is decoded once, after it was chosen");
    tessera_hevc_set_threads(threads);
    // Undefined: planes of RGB at full size, or grey. The library's own interleaving assumes that a mask is as large as
    // its image.
    int32_t status = check(
        decoder, tessera_heif.heif_decode_image(
                     decoder->handle, &decoder->image, heif_colorspace_undefined, heif_chroma_undefined, NULL));
    if (status < 0)
        return status;
    const struct heif_image *image = decoder->image;
    bool gray = tessera_heif.heif_image_get_colorspace(image) == heif_colorspace_monochrome;
    if (!gray
        && (tessera_heif.heif_image_get_colorspace(image) != heif_colorspace_RGB
            || tessera_heif.heif_image_get_chroma_format(image) != heif_chroma_444))
        return fail(decoder, TESSERA_UNSUPPORTED, "libheif made no RGB of the image");
    enum heif_channel first = gray ? heif_channel_Y : heif_channel_R;
    int width = tessera_heif.heif_image_get_width(image, first);
    int height = tessera_heif.heif_image_get_height(image, first);
    if (width <= 0 || height <= 0)
        return fail(decoder, TESSERA_CORRUPT, "the decoded image has no pixels");
    decoder->pixels = (tessera_heif_pixels){.width = (uint32_t)width, .height = (uint32_t)height, .gray = gray};
    bool complete = find_plane(decoder, first, &decoder->planes[0]);
    if (!gray)
        complete = complete && find_plane(decoder, heif_channel_G, &decoder->planes[1])
                   && find_plane(decoder, heif_channel_B, &decoder->planes[2]);
    if (!complete)
        return fail(decoder, TESSERA_CORRUPT, "the image's channels differ in size");
    decoder->pixels.has_alpha = tessera_heif.heif_image_has_channel(image, heif_channel_Alpha);
    if (decoder->pixels.has_alpha && !find_plane(decoder, heif_channel_Alpha, &decoder->planes[3]))
        return fail(decoder, TESSERA_CORRUPT, "the mask is smaller than its image");
    *pixels = decoder->pixels;
    return TESSERA_OK;
}

/// A value scaled from a plane's maximum to `target`, rounded.
static inline uint32_t scaled(const plane *plane, uint32_t x, uint32_t y, uint32_t target) {
    const uint8_t *row = plane->base + plane->stride * y;
    uint32_t value;
    if (plane->maximum > 255) {
        uint16_t wide;
        memcpy(&wide, row + 2 * (size_t)x, 2);
        value = wide < plane->maximum ? wide : plane->maximum;
    } else {
        value = row[x];
    }
    return plane->maximum == target ? value : (value * target + plane->maximum / 2) / plane->maximum;
}

static inline uint32_t unmultiplied(uint32_t value, uint32_t alpha, uint32_t target) {
    uint64_t wide = alpha ? ((uint64_t)value * target + alpha / 2) / alpha : 0;
    return wide < target ? (uint32_t)wide : target;
}

static inline void store(uint8_t *row, size_t index, bool wide, uint32_t value) {
    if (wide) {
        uint16_t narrow = (uint16_t)value;
        memcpy(row + 2 * index, &narrow, 2);
    } else {
        row[index] = (uint8_t)value;
    }
}

/// The start of a row of the region in each plane, and its target.
typedef struct {
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint8_t *into;
} row_part;

static inline void write_row(const tessera_heif_decoder *decoder, bool wide, bool premultiplied, const row_part *part) {
    const uint32_t target = wide ? 65535 : 255;
    const plane *red = &decoder->planes[0];
    const plane *green = decoder->pixels.gray ? red : &decoder->planes[1];
    const plane *blue = decoder->pixels.gray ? red : &decoder->planes[2];
    for (uint32_t index = 0; index < part->width; index++) {
        uint32_t x = part->x + index, y = part->y;
        uint32_t values[4] = {scaled(red, x, y, target), scaled(green, x, y, target), scaled(blue, x, y, target),
                              target};
        if (decoder->pixels.has_alpha) {
            uint32_t alpha = scaled(&decoder->planes[3], x, y, target);
            values[3] = alpha;
            if (premultiplied)
                for (int channel = 0; channel < 3; channel++)
                    values[channel] = unmultiplied(values[channel], alpha, target);
        }
        for (int channel = 0; channel < 4; channel++)
            store(part->into, 4 * (size_t)index + (size_t)channel, wide, values[channel]);
    }
}

/// The usual case: bytes in, bytes out.
static void write_byte_row(const tessera_heif_decoder *decoder, const row_part *part) {
    const plane *planes = decoder->planes;
    const uint8_t *red = planes[0].base + planes[0].stride * part->y + part->x;
    const uint8_t *green = planes[1].base + planes[1].stride * part->y + part->x;
    const uint8_t *blue = planes[2].base + planes[2].stride * part->y + part->x;
    const uint8_t *alpha =
        decoder->pixels.has_alpha ? planes[3].base + planes[3].stride * part->y + part->x : NULL;
    uint8_t *row = part->into;
    for (uint32_t x = 0; x < part->width; x++, row += 4) {
        row[0] = red[x];
        row[1] = green[x];
        row[2] = blue[x];
        row[3] = alpha ? alpha[x] : 255;
    }
}

int32_t tessera_heif_decoder_read(
    const tessera_heif_decoder *decoder, uint8_t format, bool premultiplied, uint32_t x, uint32_t y, uint32_t width,
    uint32_t height, uint8_t *into, size_t stride) {
    const tessera_heif_pixels *pixels = &decoder->pixels;
    bool wide = tessera_is_wide(format);
    bool gray = tessera_is_gray(format);
    if (!decoder->image || x > pixels->width || width > pixels->width - x || y > pixels->height
        || height > pixels->height - y || (gray && pixels->has_alpha)
        || stride < (size_t)width * (gray ? 1 : 4) * (wide ? 2 : 1))
        return TESSERA_MISUSE;
    bool plain = !wide && !premultiplied && !pixels->gray;
    for (int index = 0; index < (pixels->has_alpha ? 4 : 3); index++)
        plain = plain && decoder->planes[index].maximum == 255;
    for (uint32_t row = 0; row < height; row++, into += stride) {
        const row_part part = {x, y + row, width, into};
        if (gray)
            for (uint32_t index = 0; index < width; index++)
                store(into, index, wide, scaled(&decoder->planes[0], x + index, part.y, wide ? 65535 : 255));
        else if (plain)
            write_byte_row(decoder, &part);
        else
            write_row(decoder, wide, premultiplied, &part);
    }
    return TESSERA_OK;
}

#else

tessera_heif_decoder *tessera_heif_decoder_create(void) {
    return NULL;
}

void tessera_heif_decoder_destroy(tessera_heif_decoder *decoder) {
    (void)decoder;
}

const char *tessera_heif_decoder_message(const tessera_heif_decoder *decoder) {
    (void)decoder;
    return "built without libheif";
}

int32_t tessera_heif_decoder_open(
    tessera_heif_decoder *decoder, const uint8_t *bytes, size_t length, uint32_t maximum_side) {
    (void)decoder, (void)bytes, (void)length, (void)maximum_side;
    return TESSERA_UNSUPPORTED;
}

uint32_t tessera_heif_decoder_count(const tessera_heif_decoder *decoder) {
    (void)decoder;
    return 0;
}

uint32_t tessera_heif_decoder_primary(const tessera_heif_decoder *decoder) {
    (void)decoder;
    return 0;
}

uint32_t tessera_heif_decoder_item(const tessera_heif_decoder *decoder, uint32_t index) {
    (void)decoder, (void)index;
    return 0;
}

int32_t tessera_heif_decoder_select(
    tessera_heif_decoder *decoder, uint32_t index, size_t maximum_block, bool asks_for_codes,
    tessera_heif_image *image) {
    (void)decoder, (void)index, (void)maximum_block, (void)asks_for_codes, (void)image;
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_heif_decoder_decode(tessera_heif_decoder *decoder, uint16_t threads, tessera_heif_pixels *pixels) {
    (void)decoder, (void)threads, (void)pixels;
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_heif_decoder_read(
    const tessera_heif_decoder *decoder, uint8_t format, bool premultiplied, uint32_t x, uint32_t y, uint32_t width,
    uint32_t height, uint8_t *into, size_t stride) {
    (void)decoder, (void)format, (void)premultiplied, (void)x, (void)y, (void)width, (void)height, (void)into,
        (void)stride;
    return TESSERA_UNSUPPORTED;
}

#endif
