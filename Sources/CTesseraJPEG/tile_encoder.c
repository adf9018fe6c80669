#include <stdlib.h>
#include <string.h>

#include "include/CTesseraJPEG.h"
#include "destination.h"

enum {
    /// Rows of samples that libjpeg takes at once of a component: at most two rows of blocks here.
    ROWS_A_CALL = 2 * DCTSIZE,
    ROWS_OF_PIXELS_A_CALL = 64,
};

struct tessera_jpeg_tile_encoder {
    struct jpeg_compress_struct info;
    tessera_jpeg_trap trap;
    tessera_jpeg_destination destination;
    /// Rows that must be assembled, for three components.
    uint8_t *scratch;
    size_t scratch_capacity;
};

// MARK: Life

static int32_t create(tessera_jpeg_tile_encoder *encoder, const tessera_jpeg_tile_kind *kind) {
    struct jpeg_compress_struct *info = &encoder->info;
    TESSERA_JPEG_ENTER(&encoder->trap);
    jpeg_create_compress(info);
    info->dest = &encoder->destination.manager;
    // Fixed for the encoder's life: only the size changes from tile to tile.
    if (kind->pixels == TESSERA_JPEG_PIXELS_CMYK8 || !tessera_set_encoding(info, kind->pixels, kind->quality))
        return tessera_fail(&encoder->trap.outcome, TESSERA_MISUSE, "Unknown kind of pixels");
    if (info->jpeg_color_space == JCS_YCbCr) {
        info->comp_info[0].h_samp_factor = kind->horizontal_subsampling;
        info->comp_info[0].v_samp_factor = kind->vertical_subsampling;
    }
    info->raw_data_in = kind->pixels == TESSERA_JPEG_PIXELS_PLANES;
    return TESSERA_OK;
}

tessera_jpeg_tile_encoder *tessera_jpeg_tile_encoder_create(const tessera_jpeg_tile_kind *kind) {
    if (kind->quality < 1 || kind->quality > 100 || kind->horizontal_subsampling < 1
        || kind->horizontal_subsampling > 2 || kind->vertical_subsampling < 1 || kind->vertical_subsampling > 2)
        return NULL;
    tessera_jpeg_tile_encoder *encoder = calloc(1, sizeof *encoder);
    if (!encoder)
        return NULL;
    tessera_jpeg_trap_install(&encoder->trap);
    encoder->info.err = &encoder->trap.manager;
    encoder->info.client_data = encoder;
    if (!tessera_destination_create(&encoder->destination, &encoder->trap) || create(encoder, kind) < 0) {
        tessera_jpeg_tile_encoder_destroy(encoder);
        return NULL;
    }
    return encoder;
}

void tessera_jpeg_tile_encoder_destroy(tessera_jpeg_tile_encoder *encoder) {
    if (!encoder)
        return;
    if (setjmp(encoder->trap.entry) == 0)
        jpeg_destroy_compress(&encoder->info);
    free(encoder->destination.buffer);
    free(encoder->scratch);
    free(encoder);
}

const char *tessera_jpeg_tile_encoder_message(const tessera_jpeg_tile_encoder *encoder) {
    return encoder->trap.outcome.message;
}

// MARK: Tiles

static void begin(tessera_jpeg_tile_encoder *encoder, uint32_t width, uint32_t height) {
    tessera_destination_drain(&encoder->destination);
    encoder->info.image_width = width;
    encoder->info.image_height = height;
    jpeg_start_compress(&encoder->info, TRUE);
}

static void end(tessera_jpeg_tile_encoder *encoder, const uint8_t **bytes, size_t *length) {
    jpeg_finish_compress(&encoder->info);
    *bytes = encoder->destination.buffer;
    *length = tessera_destination_length(&encoder->destination);
}

int32_t tessera_jpeg_tile_encode_pixels(
    tessera_jpeg_tile_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t width, uint32_t height,
    const uint8_t **bytes, size_t *length) {
    JSAMPROW addresses[ROWS_OF_PIXELS_A_CALL];
    TESSERA_JPEG_ENTER(&encoder->trap);
    if (encoder->info.raw_data_in || stride < (size_t)width * (size_t)encoder->info.input_components)
        return tessera_fail(&encoder->trap.outcome, TESSERA_MISUSE, "Pixels of another kind, or rows too short");
    begin(encoder, width, height);
    for (uint32_t y = 0; y < height;) {
        uint32_t count = height - y < ROWS_OF_PIXELS_A_CALL ? height - y : ROWS_OF_PIXELS_A_CALL;
        // libjpeg's parameter isn't const, but it doesn't write to the rows.
        for (uint32_t i = 0; i < count; i++)
            addresses[i] = (JSAMPROW)(uintptr_t)(rows + (size_t)(y + i) * stride);
        y += jpeg_write_scanlines(&encoder->info, addresses, count);
    }
    end(encoder, bytes, length);
    return TESSERA_OK;
}

static inline uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/// One row of a component as libjpeg reads it, assembled if it isn't stored so: means of neighbours if the samples lie
/// between the plane's, and the last one repeated up to the end of the last block.
static const uint8_t *row_of(
    const tessera_jpeg_plane *plane, uint32_t y, uint32_t width, uint8_t *scratch, uint8_t *other) {
    const uint8_t *row = plane->samples + (size_t)smaller(y, plane->height - 1) * plane->stride;
    uint32_t have = plane->width;
    if (plane->between_rows) {
        const uint8_t *next = plane->samples + (size_t)smaller(y + 1, plane->height - 1) * plane->stride;
        for (uint32_t x = 0; x < have; x++)
            other[x] = (uint8_t)((row[x] + next[x] + 1) >> 1);
        row = other;
    }
    if (plane->between_columns) {
        uint32_t pairs = smaller(have - 1, width);
        for (uint32_t x = 0; x < pairs; x++)
            scratch[x] = (uint8_t)((row[x] + row[x + 1] + 1) >> 1);
        if (pairs < width)
            memset(scratch + pairs, row[have - 1], width - pairs);
        return scratch;
    }
    if (have >= width)
        return row;
    memcpy(scratch, row, have);
    memset(scratch + have, row[have - 1], width - have);
    return scratch;
}

int32_t tessera_jpeg_tile_encode_planes(
    tessera_jpeg_tile_encoder *encoder, const tessera_jpeg_plane planes[3], uint32_t width, uint32_t height,
    const uint8_t **bytes, size_t *length) {
    struct jpeg_compress_struct *info = &encoder->info;
    JSAMPROW addresses[3][ROWS_A_CALL];
    JSAMPARRAY components[3] = {addresses[0], addresses[1], addresses[2]};
    TESSERA_JPEG_ENTER(&encoder->trap);
    if (!info->raw_data_in)
        return tessera_fail(&encoder->trap.outcome, TESSERA_MISUSE, "Planes where pixels are expected");
    for (int i = 0; i < 3; i++)
        if (planes[i].width == 0 || planes[i].height == 0 || planes[i].width > JPEG_MAX_DIMENSION
            || planes[i].stride < planes[i].width)
            return tessera_fail(&encoder->trap.outcome, TESSERA_MISUSE, "A plane without samples");
    begin(encoder, width, height);
    // Each row has room for its blocks; a plane's own row may be longer.
    size_t room = 0;
    for (int i = 0; i < 3; i++) {
        size_t longest = (size_t)info->comp_info[i].width_in_blocks * DCTSIZE;
        longest = longest < planes[i].width ? planes[i].width : longest;
        room = room < longest ? longest : room;
    }
    size_t needed = room * (3 * ROWS_A_CALL + 1);
    if (needed > encoder->scratch_capacity) {
        free(encoder->scratch);
        encoder->scratch = malloc(needed);
        encoder->scratch_capacity = encoder->scratch ? needed : 0;
        if (!encoder->scratch)
            return tessera_fail(&encoder->trap.outcome, TESSERA_NO_MEMORY, "Insufficient memory");
    }
    uint8_t *other = encoder->scratch + room * 3 * ROWS_A_CALL;
    uint32_t lines = (uint32_t)info->max_v_samp_factor * DCTSIZE;
    for (uint32_t first = 0; first < height; first += lines) {
        for (int i = 0; i < 3; i++) {
            const jpeg_component_info *component = &info->comp_info[i];
            uint32_t count = (uint32_t)component->v_samp_factor * DCTSIZE;
            uint32_t start = first / lines * count;
            for (uint32_t y = 0; y < count; y++)
                addresses[i][y] = (JSAMPROW)(uintptr_t)row_of(
                    &planes[i], start + y, component->width_in_blocks * DCTSIZE,
                    encoder->scratch + room * (size_t)(i * ROWS_A_CALL + (int)y), other);
        }
        jpeg_write_raw_data(info, components, lines);
    }
    end(encoder, bytes, length);
    return TESSERA_OK;
}
