#include "CPeerJPEG.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

struct error_with_jump {
    struct jpeg_error_mgr manager;
    jmp_buf jump;
};

static void on_error(j_common_ptr info) {
    longjmp(((struct error_with_jump *)info->err)->jump, 1);
}

static void on_message(j_common_ptr info) {
    (void)info;
}

static void begin(struct jpeg_decompress_struct *info, struct error_with_jump *error) {
    info->err = jpeg_std_error(&error->manager);
    error->manager.error_exit = on_error;
    error->manager.output_message = on_message;
}

int peer_jpeg_size(const uint8_t *bytes, size_t count, int *width, int *height) {
    struct jpeg_decompress_struct info = {0};
    struct error_with_jump error;
    begin(&info, &error);
    if (setjmp(error.jump)) {
        jpeg_destroy_decompress(&info);
        return -1;
    }
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, bytes, count);
    jpeg_read_header(&info, TRUE);
    *width = (int)info.image_width;
    *height = (int)info.image_height;
    jpeg_destroy_decompress(&info);
    return 0;
}

static void read_rows(struct jpeg_decompress_struct *info, uint8_t *pixels, size_t bytes_per_row) {
    while (info->output_scanline < info->output_height) {
        JSAMPROW rows[16];
        for (int index = 0; index < 16; index++) {
            rows[index] = pixels + (info->output_scanline + index) * bytes_per_row;
        }
        jpeg_read_scanlines(info, rows, 16);
    }
}

int peer_jpeg_decode(
    const uint8_t *bytes, size_t count, int eighths, int previews, uint8_t *pixels, size_t bytes_per_row) {
    struct jpeg_decompress_struct info = {0};
    struct error_with_jump error;
    begin(&info, &error);
    if (setjmp(error.jump)) {
        jpeg_destroy_decompress(&info);
        return -1;
    }
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, bytes, count);
    jpeg_read_header(&info, TRUE);
    info.out_color_space = JCS_EXT_RGBA;
    info.scale_num = (unsigned)eighths;
    info.scale_denom = 8;
    info.buffered_image = previews ? TRUE : FALSE;
    jpeg_start_decompress(&info);
    if (previews) {
        // Each scan is read before it is shown, as when it has just arrived.
        while (!jpeg_input_complete(&info)) {
            int scan = info.input_scan_number;
            while (info.input_scan_number == scan && jpeg_consume_input(&info) != JPEG_REACHED_EOI) {
            }
            jpeg_start_output(&info, scan);
            read_rows(&info, pixels, bytes_per_row);
            jpeg_finish_output(&info);
        }
    } else {
        read_rows(&info, pixels, bytes_per_row);
    }
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    return 0;
}
