#include <stdlib.h>
#include <string.h>

#include "include/CTesseraJPEG.h"
#include "destination.h"

enum {
    ROWS_A_CALL = 64,
};

struct tessera_jpeg_encoder {
    struct jpeg_compress_struct info;
    tessera_jpeg_trap trap;
    tessera_jpeg_destination destination;
    bool started;
    bool finished;
};

// MARK: Output

const uint8_t *tessera_jpeg_encoder_output(const tessera_jpeg_encoder *encoder, size_t *length) {
    *length = tessera_destination_length(&encoder->destination);
    return encoder->destination.buffer;
}

void tessera_jpeg_encoder_drain(tessera_jpeg_encoder *encoder) {
    tessera_destination_drain(&encoder->destination);
}

// MARK: Life

static int32_t create(tessera_jpeg_encoder *encoder) {
    TESSERA_JPEG_ENTER(&encoder->trap);
    jpeg_create_compress(&encoder->info);
    encoder->info.dest = &encoder->destination.manager;
    return TESSERA_OK;
}

tessera_jpeg_encoder *tessera_jpeg_encoder_create(void) {
    tessera_jpeg_encoder *encoder = calloc(1, sizeof *encoder);
    if (!encoder)
        return NULL;
    tessera_jpeg_trap_install(&encoder->trap);
    encoder->info.err = &encoder->trap.manager;
    encoder->info.client_data = encoder;
    if (!tessera_destination_create(&encoder->destination, &encoder->trap) || create(encoder) < 0) {
        tessera_jpeg_encoder_destroy(encoder);
        return NULL;
    }
    return encoder;
}

void tessera_jpeg_encoder_destroy(tessera_jpeg_encoder *encoder) {
    if (!encoder)
        return;
    if (setjmp(encoder->trap.entry) == 0)
        jpeg_destroy_compress(&encoder->info);
    free(encoder->destination.buffer);
    free(encoder);
}

const char *tessera_jpeg_encoder_message(const tessera_jpeg_encoder *encoder) {
    return encoder->trap.outcome.message;
}

// MARK: Writing

int32_t tessera_jpeg_encoder_start(tessera_jpeg_encoder *encoder, const tessera_jpeg_encoding *options) {
    struct jpeg_compress_struct *info = &encoder->info;
    TESSERA_JPEG_ENTER(&encoder->trap);
    if (encoder->started)
        return tessera_fail(&encoder->trap.outcome, TESSERA_MISUSE, "Started twice");
    if (options->quality < 1 || options->quality > 100)
        return tessera_fail(&encoder->trap.outcome, TESSERA_MISUSE, "Quality is 1 to 100");
    info->image_width = options->width;
    info->image_height = options->height;
    if (options->pixels == TESSERA_JPEG_PIXELS_PLANES
        || !tessera_set_encoding(info, options->pixels, options->quality))
        return tessera_fail(&encoder->trap.outcome, TESSERA_MISUSE, "Unknown kind of pixels");
    if (info->jpeg_color_space == JCS_YCbCr) {
        if (options->horizontal_subsampling < 1 || options->horizontal_subsampling > 4
            || options->vertical_subsampling < 1 || options->vertical_subsampling > 4)
            return tessera_fail(&encoder->trap.outcome, TESSERA_MISUSE, "Subsampling is 1 to 4");
        info->comp_info[0].h_samp_factor = options->horizontal_subsampling;
        info->comp_info[0].v_samp_factor = options->vertical_subsampling;
    }
    info->optimize_coding = options->optimize_tables;
    info->restart_in_rows = options->restart_rows;
    if (options->density_x != 0 && options->density_y != 0 && options->density_unit <= 2) {
        info->density_unit = options->density_unit;
        info->X_density = options->density_x;
        info->Y_density = options->density_y;
    }
    if (options->progressive)
        jpeg_simple_progression(info);
    jpeg_start_compress(info, TRUE);
    encoder->started = true;
    return TESSERA_OK;
}

int32_t tessera_jpeg_encoder_write_segment(
    tessera_jpeg_encoder *encoder, uint8_t marker, const uint8_t *bytes, uint32_t length) {
    TESSERA_JPEG_ENTER(&encoder->trap);
    bool writable = marker == JPEG_COM || (marker >= JPEG_APP0 && marker <= JPEG_APP0 + 15);
    if (!encoder->started || !writable || length > 65533)
        return tessera_fail(&encoder->trap.outcome, TESSERA_MISUSE, "A segment that can't be written");
    jpeg_write_marker(&encoder->info, marker, bytes, length);
    return TESSERA_OK;
}

int32_t tessera_jpeg_encoder_write_icc(tessera_jpeg_encoder *encoder, const uint8_t *bytes, uint32_t length) {
    TESSERA_JPEG_ENTER(&encoder->trap);
    if (!encoder->started || length == 0 || length > 255 * 65519)
        return tessera_fail(&encoder->trap.outcome, TESSERA_MISUSE, "A profile that can't be written");
    jpeg_write_icc_profile(&encoder->info, bytes, length);
    return TESSERA_OK;
}

int32_t tessera_jpeg_encoder_write_rows(
    tessera_jpeg_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count) {
    struct jpeg_compress_struct *info = &encoder->info;
    JSAMPROW addresses[ROWS_A_CALL];
    TESSERA_JPEG_ENTER(&encoder->trap);
    if (!encoder->started || encoder->finished || count > info->image_height - info->next_scanline
        || stride < (size_t)info->image_width * (size_t)info->input_components)
        return tessera_fail(&encoder->trap.outcome, TESSERA_MISUSE, "Rows too many or too short");
    uint32_t written = 0;
    while (written < count) {
        uint32_t batch = count - written < ROWS_A_CALL ? count - written : ROWS_A_CALL;
        // libjpeg's parameter isn't const, but it doesn't write to the rows.
        for (uint32_t i = 0; i < batch; i++)
            addresses[i] = (JSAMPROW)(uintptr_t)(rows + (size_t)(written + i) * stride);
        written += jpeg_write_scanlines(info, addresses, batch);
    }
    return TESSERA_OK;
}

void tessera_jpeg_encoder_code_lengths(const tessera_jpeg_encoder *encoder, int table, uint8_t *lengths) {
    const JHUFF_TBL *codes = encoder->info.ac_huff_tbl_ptrs[table];
    const UINT8 *symbol = codes->huffval;
    memset(lengths, 16, 256);
    for (uint8_t length = 1; length <= 16; length++)
        for (int count = codes->bits[length]; count > 0; count--)
            lengths[*symbol++] = length;
}

int32_t tessera_jpeg_encoder_finish(tessera_jpeg_encoder *encoder) {
    TESSERA_JPEG_ENTER(&encoder->trap);
    if (!encoder->started || encoder->finished)
        return tessera_fail(&encoder->trap.outcome, TESSERA_MISUSE, "Finished twice, or before the start");
    jpeg_finish_compress(&encoder->info);
    encoder->finished = true;
    return TESSERA_OK;
}
