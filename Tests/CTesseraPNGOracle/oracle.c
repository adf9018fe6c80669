#include "CTesseraPNGOracle.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct input {
    const uint8_t *bytes;
    size_t left;
};

static void read_bytes(png_structp png, png_bytep target, size_t count) {
    struct input *input = png_get_io_ptr(png);
    if (count > input->left) png_error(png, "no more bytes");
    memcpy(target, input->bytes, count);
    input->bytes += count;
    input->left -= count;
}

static void give_up(png_structp png, png_const_charp message) {
    (void)message;
    png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

int tessera_oracle_read_png(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, uint16_t **pixels) {
    struct input input = {bytes, count};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, give_up, ignore);
    if (!png) return 1;
    png_infop info = png_create_info_struct(png);
    uint16_t *volatile made = NULL;
    png_bytep *volatile rows = NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_read_struct(&png, info ? &info : NULL, NULL);
        free(made);
        free(rows);
        return 1;
    }
    png_set_read_fn(png, &input, read_bytes);
    png_read_info(png, info);
    *width = png_get_image_width(png, info);
    *height = png_get_image_height(png, info);
    png_set_expand_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xFFFF, PNG_FILLER_AFTER);
    const uint16_t one = 1;
    if (*(const uint8_t *)&one) png_set_swap(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    const size_t row_bytes = png_get_rowbytes(png, info);
    if (row_bytes != (size_t)*width * 8) png_error(png, "unexpected row size");
    made = malloc(row_bytes * *height);
    rows = malloc(sizeof(png_bytep) * *height);
    if (!made || !rows) png_error(png, "no memory");
    for (uint32_t y = 0; y < *height; y++) rows[y] = (png_bytep)made + row_bytes * y;
    png_read_image(png, rows);
    png_read_end(png, NULL);
    png_destroy_read_struct(&png, &info, NULL);
    free(rows);
    *pixels = made;
    return 0;
}
