// A decoder for HEVC that libheif prefers to its own. libheif 1.15's calls libde265 with one worker thread, whatever the
// caller allows; this one uses as many as the caller says, so that rows of blocks are decoded side by side where the
// file was coded for it (wavefronts, as x265 writes).

#include "hevc.h"

#ifdef TESSERA_HEVC_HEADERS

#include <stdlib.h>
#include <string.h>

#include <libde265/de265.h>

#define FUNCTIONS(X) \
    X(de265_new_decoder) \
    X(de265_free_decoder) \
    X(de265_start_worker_threads) \
    X(de265_push_NAL) \
    X(de265_flush_data) \
    X(de265_decode) \
    X(de265_get_next_picture) \
    X(de265_release_next_picture) \
    X(de265_get_chroma_format) \
    X(de265_get_image_width) \
    X(de265_get_image_height) \
    X(de265_get_bits_per_pixel) \
    X(de265_get_image_plane) \
    X(de265_get_image_full_range_flag) \
    X(de265_get_image_colour_primaries) \
    X(de265_get_image_transfer_characteristics) \
    X(de265_get_image_matrix_coefficients)

static struct {
    FUNCTIONS(TESSERA_FUNCTION_MEMBER)
} library;

static const char *const names[] = {FUNCTIONS(TESSERA_FUNCTION_NAME)};

/// The threads for images that this thread decodes.
static _Thread_local uint16_t thread_count = 1;

void tessera_hevc_set_threads(uint16_t threads) {
    thread_count = threads;
}

static const struct heif_error success = {heif_error_Ok, heif_suberror_Unspecified, "Success"};

static struct heif_error failure(enum heif_error_code code, const char *message) {
    return (struct heif_error){code, heif_suberror_Unspecified, message};
}

static const char *plugin_name(void) {
    return "libde265 with threads";
}

static int supports(enum heif_compression_format format) {
    // libheif's own has 100.
    return format == heif_compression_HEVC ? 200 : 0;
}

static struct heif_error new_decoder(void **decoder) {
    *decoder = library.de265_new_decoder();
    if (!*decoder)
        return failure(heif_error_Memory_allocation_error, "no memory for a decoder");
    // One at least, as in libheif's decoder: without, damaged data decodes to other pixels. Any number gives the same.
    library.de265_start_worker_threads(*decoder, thread_count > 1 ? thread_count : 1);
    return success;
}

static void free_decoder(void *decoder) {
    library.de265_free_decoder(decoder);
}

/// Takes units that are each preceded by a length of four bytes.
static struct heif_error push(void *decoder, const void *bytes, size_t length) {
    const uint8_t *position = bytes;
    while (length > 0) {
        if (length < 4)
            return (struct heif_error){
                heif_error_Decoder_plugin_error, heif_suberror_End_of_data, "the HEVC data ends within a length"};
        uint32_t size = (uint32_t)position[0] << 24 | (uint32_t)position[1] << 16 | (uint32_t)position[2] << 8 | position[3];
        position += 4;
        length -= 4;
        if (size > length || size > INT32_MAX)
            return (struct heif_error){
                heif_error_Decoder_plugin_error, heif_suberror_End_of_data, "the HEVC data ends within a unit"};
        library.de265_push_NAL(decoder, position, (int)size, 0, NULL);
        position += size;
        length -= size;
    }
    return success;
}

static struct heif_error copy_planes(const struct de265_image *from, struct heif_image *to) {
    static const enum heif_channel channels[] = {heif_channel_Y, heif_channel_Cb, heif_channel_Cr};
    int count = library.de265_get_chroma_format(from) == de265_chroma_mono ? 1 : 3;
    for (int index = 0; index < count; index++) {
        int width = library.de265_get_image_width(from, index), height = library.de265_get_image_height(from, index);
        int bits = library.de265_get_bits_per_pixel(from, index);
        int from_stride = 0, to_stride = 0;
        const uint8_t *source = library.de265_get_image_plane(from, index, &from_stride);
        if (!source || width <= 0 || height <= 0 || bits < 1 || bits > 16)
            return failure(heif_error_Decoder_plugin_error, "libde265 returned an image without pixels");
        struct heif_error error = tessera_heif.heif_image_add_plane(to, channels[index], width, height, bits);
        if (error.code != heif_error_Ok)
            return error;
        uint8_t *target = tessera_heif.heif_image_get_plane(to, channels[index], &to_stride);
        if (!target)
            return failure(heif_error_Memory_allocation_error, "no memory for the image");
        size_t row = (size_t)width * (bits > 8 ? 2 : 1);
        for (int y = 0; y < height; y++)
            memcpy(target + (size_t)to_stride * (size_t)y, source + (size_t)from_stride * (size_t)y, row);
    }
    return success;
}

static struct heif_error copy_image(const struct de265_image *from, struct heif_image **into) {
    static const enum heif_chroma chromas[] = {
        [de265_chroma_mono] = heif_chroma_monochrome, [de265_chroma_420] = heif_chroma_420,
        [de265_chroma_422] = heif_chroma_422, [de265_chroma_444] = heif_chroma_444};
    enum de265_chroma chroma = library.de265_get_chroma_format(from);
    struct heif_image *image = NULL;
    struct heif_error error = tessera_heif.heif_image_create(
        library.de265_get_image_width(from, 0), library.de265_get_image_height(from, 0),
        chroma == de265_chroma_mono ? heif_colorspace_monochrome : heif_colorspace_YCbCr, chromas[chroma], &image);
    if (error.code == heif_error_Ok)
        error = copy_planes(from, image);
    struct heif_color_profile_nclx *codes = error.code == heif_error_Ok ? tessera_heif.heif_nclx_color_profile_alloc() : NULL;
    if (codes) {
        codes->full_range_flag = library.de265_get_image_full_range_flag(from) != 0;
        codes->color_primaries = (enum heif_color_primaries)library.de265_get_image_colour_primaries(from);
        codes->transfer_characteristics =
            (enum heif_transfer_characteristics)library.de265_get_image_transfer_characteristics(from);
        codes->matrix_coefficients =
            (enum heif_matrix_coefficients)library.de265_get_image_matrix_coefficients(from);
        error = tessera_heif.heif_image_set_nclx_color_profile(image, codes);
        tessera_heif.heif_nclx_color_profile_free(codes);
    } else if (error.code == heif_error_Ok) {
        error = failure(heif_error_Memory_allocation_error, "no memory for the colour codes");
    }
    if (error.code == heif_error_Ok)
        *into = image;
    else if (image)
        tessera_heif.heif_image_release(image);
    return error;
}

static struct heif_error decode(void *decoder, struct heif_image **into) {
    struct heif_image *image = NULL;
    library.de265_flush_data(decoder);
    int more = 0;
    do {
        more = 0;
        if (library.de265_decode(decoder, &more) != DE265_OK)
            break;
        const struct de265_image *decoded = library.de265_get_next_picture(decoder);
        if (!decoded)
            continue;
        // The last image of several counts, as in libheif's decoder.
        if (image)
            tessera_heif.heif_image_release(image);
        image = NULL;
        struct heif_error error = copy_image(decoded, &image);
        if (error.code != heif_error_Ok)
            return error;
        library.de265_release_next_picture(decoder);
    } while (more);
    if (!image)
        return failure(heif_error_Decoder_plugin_error, "libde265 decoded no image");
    *into = image;
    return success;
}

void tessera_hevc_register(void) {
    // Of version 1, which every libheif with this function takes.
    static const struct heif_decoder_plugin plugin = {
        .plugin_api_version = 1,
        .get_plugin_name = plugin_name,
        .does_support_format = supports,
        .new_decoder = new_decoder,
        .free_decoder = free_decoder,
        .push_data = push,
        .decode_image = decode,
    };
    // Where libde265 is missing, libheif has other decoders or none.
    if (tessera_load_functions("libde265.so.0", names, sizeof names / sizeof *names, &library))
        tessera_heif.heif_register_decoder_plugin(&plugin);
}

#else

void tessera_hevc_set_threads(uint16_t threads) {
    (void)threads;
}

void tessera_hevc_register(void) {}

#endif
