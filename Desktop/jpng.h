#ifndef TESSERA_DESKTOP_JPNG_H
#define TESSERA_DESKTOP_JPNG_H

/* What the plug-ins share: recognising a JPNG, and opening it as its host takes pixels. C11 and C++11. */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <tessera.h>

enum {
    /* The bytes at a file's beginning that may hold the tag: start of image, JFIF's segment, the tag. */
    JPNG_HEAD_SIZE = 29,
    /* The bytes of the footer at a file's end. */
    JPNG_FOOTER_SIZE = 16,
};

/* Whether the first bytes are those of a JPEG. */
static inline bool jpng_is_jpeg(const uint8_t *head, size_t count) {
    return count >= 3 && head[0] == 0xFF && head[1] == 0xD8 && head[2] == 0xFF;
}

/* Whether the first bytes have the tag: APP10 with "JPNG" and a zero, after JFIF's segment or after the start of image. */
static inline bool jpng_is_tagged(const uint8_t *head, size_t count) {
    size_t place = 2;
    if (!jpng_is_jpeg(head, count))
        return false;
    if (count >= 11 && head[3] == 0xE0 && memcmp(head + 6, "JFIF", 5) == 0)
        place = 4 + ((size_t)head[4] << 8 | head[5]);
    return place + 9 <= count && head[place] == 0xFF && head[place + 1] == 0xEA && memcmp(head + place + 4, "JPNG", 5) == 0;
}

/* Whether a file's last sixteen bytes are a JPNG's footer. */
static inline bool jpng_is_footer(const uint8_t footer[JPNG_FOOTER_SIZE]) {
    const uint8_t *identifier = footer + 12;
    return (footer[10] == 1 || footer[10] == 2)
        && (memcmp(identifier, "GNPJ", 4) == 0 || memcmp(identifier, "GEPJ", 4) == 0 || memcmp(identifier, "JPNG", 4) == 0);
}

/* An open image. Pixels are sRGB, or have the profile if there is one. */
typedef struct {
    tessera_image *image;
    tessera_info info;
    uint8_t *profile;
    size_t profile_size;
} jpng_picture;

static inline void jpng_close(jpng_picture *picture) {
    tessera_image_free(picture->image);
    tessera_free(picture->profile);
    memset(picture, 0, sizeof *picture);
}

static inline tessera_status jpng_open_as(
    const void *bytes, size_t count, int32_t color, jpng_picture *picture, tessera_error *error) {
    tessera_open_options options;
    tessera_status status;
    memset(&options, 0, sizeof options);
    memset(picture, 0, sizeof *picture);
    options.size = sizeof options;
    options.color = color;
    picture->info.size = sizeof picture->info;
    status = tessera_open_memory(bytes, count, &options, &picture->image, error);
    if (status == TESSERA_STATUS_OK)
        status = tessera_image_info(picture->image, &picture->info, error);
    if (status != TESSERA_STATUS_OK)
        jpng_close(picture);
    return status;
}

/*
 * Opens an image for a host that handles profiles: with its pixels as stored if it has a profile for RGB, else as sRGB.
 * Grey and CMYK become sRGB.
 */
static inline tessera_status jpng_open_with_profile(
    const void *bytes, size_t count, jpng_picture *picture, tessera_error *error) {
    tessera_status status = jpng_open_as(bytes, count, TESSERA_COLOR_AS_STORED, picture, error);
    if (status == TESSERA_STATUS_OK
        && tessera_image_metadata(picture->image, TESSERA_METADATA_ICC, &picture->profile, &picture->profile_size, NULL)
            == TESSERA_STATUS_OK
        && picture->profile && picture->profile_size >= 128 && memcmp(picture->profile + 16, "RGB ", 4) == 0)
        return status;
    jpng_close(picture);
    return jpng_open_as(bytes, count, TESSERA_COLOR_SRGB, picture, error);
}

/* The options to decode in a layout, scaled to a size, or at the image's own for 0 and 0. */
static inline tessera_decode_options jpng_decoding(int32_t pixels, int32_t alpha, int64_t width, int64_t height) {
    tessera_decode_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.pixels = pixels;
    options.alpha = alpha;
    options.target_width = width;
    options.target_height = height;
    return options;
}

/* An error to be filled in. */
static inline tessera_error jpng_no_error(void) {
    tessera_error error;
    memset(&error, 0, sizeof error);
    error.size = sizeof error;
    return error;
}

#endif
