#include "CJPEGOracle.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

struct session {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr error;
    struct jpeg_progress_mgr progress;
    jmp_buf jump;
};

static void fail(j_common_ptr info) {
    longjmp(((struct session *)info->client_data)->jump, 1);
}

static void drop_message(j_common_ptr info) {
    (void)info;
}

/// A file of thousands of scans would take minutes.
static void limit_scans(j_common_ptr info) {
    if (((j_decompress_ptr)info)->input_scan_number > 40)
        fail(info);
}

bool jpeg_oracle_decode(const uint8_t *bytes, size_t count, unsigned scale, uint8_t *pixels, size_t capacity,
                        struct jpeg_oracle_image *image) {
    struct session session;
    memset(&session, 0, sizeof session);
    struct jpeg_decompress_struct *info = &session.info;
    info->err = jpeg_std_error(&session.error);
    info->client_data = &session;
    session.error.error_exit = fail;
    session.error.output_message = drop_message;
    session.progress.progress_monitor = limit_scans;
    if (setjmp(session.jump)) {
        jpeg_destroy_decompress(info);
        return false;
    }
    jpeg_create_decompress(info);
    info->progress = &session.progress;
    jpeg_mem_src(info, bytes, (unsigned long)count);
    jpeg_read_header(info, TRUE);
    if (info->data_precision != 8 || info->num_components == 2 || info->image_width > 4096 || info->image_height > 4096)
        fail((j_common_ptr)info);
    info->scale_num = scale;
    info->scale_denom = 8;
    info->do_block_smoothing = FALSE;
    info->dct_method = JDCT_ISLOW;
    image->is_ycc = info->jpeg_color_space == JCS_YCbCr || info->jpeg_color_space == JCS_YCCK;
    image->has_multiple_scans = jpeg_has_multiple_scans(info);
    info->out_color_space =
        info->num_components == 1 ? JCS_GRAYSCALE : info->num_components == 3 ? JCS_EXT_RGBA : JCS_CMYK;
    image->bytes_per_pixel = info->num_components == 1 ? 1 : 4;
    jpeg_calc_output_dimensions(info);
    image->width = info->output_width;
    image->height = info->output_height;
    if ((size_t)info->output_width * info->output_height * image->bytes_per_pixel > capacity)
        fail((j_common_ptr)info);
    jpeg_start_decompress(info);
    while (info->output_scanline < info->output_height) {
        JSAMPROW row = pixels + (size_t)info->output_scanline * info->output_width * image->bytes_per_pixel;
        jpeg_read_scanlines(info, &row, 1);
    }
    image->warning_count = session.error.num_warnings;
    jpeg_destroy_decompress(info);
    return true;
}
