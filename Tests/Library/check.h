/* Shared by the programs that test the library: a check that ends the program, and a small image. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tessera.h"

#define CHECK(condition)                                                                    \
    do {                                                                                    \
        if (!(condition)) {                                                                 \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);         \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

/* That a call returns a status, and says so in its error. */
#define EXPECT(wanted, error, call)                                                         \
    do {                                                                                    \
        tessera_status got = (call);                                                        \
        if (got != (wanted) || (error).status != got                                        \
            || ((got == TESSERA_STATUS_OK) != ((error).message[0] == 0))) {                 \
            fprintf(stderr, "%s:%d: %s: %s, not %s: %s\n", __FILE__, __LINE__, #call,       \
                tessera_status_name(got), tessera_status_name(wanted), (error).message);    \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

enum { WIDTH = 93, HEIGHT = 61 };

/* A pixel of the image: a gradient with soft edges. */
static inline void sample(int x, int y, uint8_t pixel[4]) {
    pixel[0] = (uint8_t)(x * 255 / (WIDTH - 1));
    pixel[1] = (uint8_t)(y * 255 / (HEIGHT - 1));
    pixel[2] = (uint8_t)((x + y) % 256);
    pixel[3] = (uint8_t)(x < 8 ? 32 * x : 255);
}

/* The image as RGBA, in rows with padding. */
enum { STRIDE = 4 * WIDTH + 20 };

static inline uint8_t *sample_pixels(void) {
    uint8_t *pixels = (uint8_t *)malloc(STRIDE * HEIGHT);
    CHECK(pixels != NULL);
    memset(pixels, 0xEE, STRIDE * HEIGHT);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) sample(x, y, pixels + y * STRIDE + 4 * x);
    return pixels;
}

static inline tessera_image *sample_image(void) {
    tessera_error error = {sizeof error, 0, 0, {0}};
    tessera_layout layout;
    memset(&layout, 0, sizeof layout);
    layout.size = sizeof layout;
    layout.width = WIDTH;
    layout.height = HEIGHT;
    layout.pixels = TESSERA_PIXELS_RGBA8;
    layout.alpha = TESSERA_ALPHA_STRAIGHT;
    uint8_t *pixels = sample_pixels();
    tessera_image *image = NULL;
    EXPECT(TESSERA_STATUS_OK, error,
        tessera_image_create(&layout, pixels, STRIDE * HEIGHT, STRIDE, NULL, 0, &image, &error));
    free(pixels);
    return image;
}

/* The image as a file in memory. */
static inline uint8_t *sample_file(const char *format, size_t *count) {
    tessera_error error = {sizeof error, 0, 0, {0}};
    tessera_encode_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.format = format;
    tessera_image *image = sample_image();
    uint8_t *bytes = NULL;
    EXPECT(TESSERA_STATUS_OK, error, tessera_encode(image, &options, &bytes, count, &error));
    CHECK(bytes != NULL && *count > 0);
    tessera_image_free(image);
    return bytes;
}

#endif
