#include "Library.h"

#include <libde265/de265.h>
#include <libheif/heif.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x265.h>

static void check(struct heif_error error) {
    if (error.code != heif_error_Ok)
        fail("libheif reports an error");
}

static void name(char *name, size_t capacity, bool encodes) {
    snprintf(
        name, capacity, "libheif %s with %s %s", heif_get_version(), encodes ? "x265" : "libde265",
        encodes ? x265_version_str : de265_get_version());
}

static picture decode(file file, int threads) {
    struct heif_context *context = heif_context_alloc();
    struct heif_image_handle *handle = NULL;
    struct heif_image *image = NULL;
    heif_context_set_max_decoding_threads(context, threads);
    check(heif_context_read_from_memory_without_copy(context, file.bytes, file.length, NULL));
    check(heif_context_get_primary_image_handle(context, &handle));
    check(heif_decode_image(handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGBA, NULL));
    int stride = 0;
    const uint8_t *rows = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride);
    picture made = {
        NULL, heif_image_get_width(image, heif_channel_interleaved),
        heif_image_get_height(image, heif_channel_interleaved)};
    // The library's image has rows with padding, and goes with the library's handle.
    size_t row = (size_t)made.width * 4;
    made.bytes = allocate(row * (size_t)made.height);
    for (int y = 0; y < made.height; y++)
        memcpy(made.bytes + row * (size_t)y, rows + (size_t)stride * (size_t)y, row);
    heif_image_release(image);
    heif_image_handle_release(handle);
    heif_context_free(context);
    return made;
}

static struct heif_error keep(struct heif_context *context, const void *bytes, size_t length, void *user) {
    (void)context;
    file *into = user;
    into->bytes = realloc(into->bytes, into->length + length);
    if (!into->bytes)
        fail("no memory");
    memcpy(into->bytes + into->length, bytes, length);
    into->length += length;
    return (struct heif_error){heif_error_Ok, heif_suberror_Unspecified, "ok"};
}

static file encode(picture picture, int threads) {
    struct heif_image *image = NULL;
    check(heif_image_create(picture.width, picture.height, heif_colorspace_RGB, heif_chroma_interleaved_RGB, &image));
    check(heif_image_add_plane(image, heif_channel_interleaved, picture.width, picture.height, 8));
    int stride = 0;
    uint8_t *rows = heif_image_get_plane(image, heif_channel_interleaved, &stride);
    for (int y = 0; y < picture.height; y++) {
        const uint8_t *from = picture.bytes + (size_t)picture.width * 4 * (size_t)y;
        uint8_t *to = rows + (size_t)stride * (size_t)y;
        for (int x = 0; x < picture.width; x++, from += 4, to += 3)
            memcpy(to, from, 3);
    }
    struct heif_context *context = heif_context_alloc();
    struct heif_encoder *encoder = NULL;
    char pool[16];
    snprintf(pool, sizeof pool, "%d", threads);
    check(heif_context_get_encoder_for_format(context, heif_compression_HEVC, &encoder));
    check(heif_encoder_set_parameter(encoder, "x265:pools", pool));
    check(heif_encoder_set_parameter(encoder, "x265:frame-threads", "1"));
    check(heif_encoder_set_lossy_quality(encoder, 80));
    check(heif_context_encode_image(context, image, encoder, NULL, NULL));
    file made = {NULL, 0};
    struct heif_writer writer = {.writer_api_version = 1, .write = keep};
    check(heif_context_write(context, &writer, &made));
    heif_encoder_release(encoder);
    heif_image_release(image);
    heif_context_free(context);
    return made;
}

const library heif_library = {"heic", name, decode, encode};
