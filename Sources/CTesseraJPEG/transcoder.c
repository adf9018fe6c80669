#include <stdlib.h>
#include <string.h>

#include "include/CTesseraJPEG.h"
#include "destination.h"
#include "scan_groups.h"

// After jpeglib.h, which decides what jerror.h declares.
#include <jerror.h>

struct tessera_jpeg_transcoder {
    struct jpeg_decompress_struct input;
    struct jpeg_compress_struct output;
    /// Both report here; a failure ends the transcoder.
    tessera_jpeg_trap trap;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    tessera_jpeg_destination destination;
    /// The coefficients as read, and those of the result, which may be the same.
    jvirt_barray_ptr *coefficients;
    jvirt_barray_ptr filled[MAX_COMPONENTS];
    jvirt_barray_ptr changed[MAX_COMPONENTS];
    const uint8_t *bytes;
    size_t length;
    uint32_t maximum_scans;
    bool header_read;
    bool ran;
};

// MARK: Input

static void nothing(j_decompress_ptr info) {
    (void)info;
}

/// The bytes have ended before the image.
static boolean end_input(j_decompress_ptr info) {
    ERREXIT(info, JERR_INPUT_EMPTY);
    return FALSE;
}

static void skip(j_decompress_ptr info, long count) {
    if (count <= 0)
        return;
    if ((size_t)count > info->src->bytes_in_buffer)
        ERREXIT(info, JERR_INPUT_EMPTY);
    info->src->next_input_byte += count;
    info->src->bytes_in_buffer -= (size_t)count;
}

/// Damaged data can't be kept as it is, so every warning about it is an error. Others don't matter to coefficients.
static void refuse_damage(j_common_ptr info, int level) {
    if (level < 0 && info->err->msg_code != JWRN_EXTRANEOUS_DATA && info->err->msg_code != JWRN_JFIF_MAJOR
        && info->err->msg_code != JWRN_ADOBE_XFORM)
        info->err->error_exit(info);
}

static void count_scans(j_common_ptr info) {
    tessera_jpeg_transcoder *transcoder = info->client_data;
    if (info->is_decompressor && transcoder->maximum_scans != 0
        && (uint32_t)transcoder->input.input_scan_number > transcoder->maximum_scans) {
        tessera_fail(&transcoder->trap.outcome, TESSERA_LIMIT, "Too many scans");
        longjmp(transcoder->trap.entry, 1);
    }
}

// MARK: Life

static int32_t create(tessera_jpeg_transcoder *transcoder) {
    TESSERA_JPEG_ENTER(&transcoder->trap);
    jpeg_create_decompress(&transcoder->input);
    jpeg_create_compress(&transcoder->output);
    transcoder->input.src = &transcoder->source;
    transcoder->input.progress = &transcoder->progress;
    transcoder->output.dest = &transcoder->destination.manager;
    return TESSERA_OK;
}

tessera_jpeg_transcoder *tessera_jpeg_transcoder_create(const uint8_t *bytes, size_t length) {
    tessera_jpeg_transcoder *transcoder = calloc(1, sizeof *transcoder);
    if (!transcoder)
        return NULL;
    tessera_jpeg_trap_install(&transcoder->trap);
    transcoder->trap.manager.emit_message = refuse_damage;
    transcoder->progress.progress_monitor = count_scans;
    transcoder->bytes = transcoder->source.next_input_byte = bytes;
    transcoder->length = transcoder->source.bytes_in_buffer = length;
    transcoder->source.init_source = nothing;
    transcoder->source.fill_input_buffer = end_input;
    transcoder->source.skip_input_data = skip;
    transcoder->source.resync_to_restart = jpeg_resync_to_restart;
    transcoder->source.term_source = nothing;
    transcoder->input.err = &transcoder->trap.manager;
    transcoder->output.err = &transcoder->trap.manager;
    transcoder->input.client_data = transcoder;
    transcoder->output.client_data = transcoder;
    if (!tessera_destination_create(&transcoder->destination, &transcoder->trap) || create(transcoder) < 0) {
        tessera_jpeg_transcoder_destroy(transcoder);
        return NULL;
    }
    return transcoder;
}

void tessera_jpeg_transcoder_destroy(tessera_jpeg_transcoder *transcoder) {
    if (!transcoder)
        return;
    // A structure that was never created is all zeros, which these calls accept.
    if (setjmp(transcoder->trap.entry) == 0)
        jpeg_destroy_compress(&transcoder->output);
    if (setjmp(transcoder->trap.entry) == 0)
        jpeg_destroy_decompress(&transcoder->input);
    free(transcoder->destination.buffer);
    free(transcoder);
}

const char *tessera_jpeg_transcoder_message(const tessera_jpeg_transcoder *transcoder) {
    return transcoder->trap.outcome.message;
}

const uint8_t *tessera_jpeg_transcoder_output(const tessera_jpeg_transcoder *transcoder, size_t *length) {
    *length = tessera_destination_length(&transcoder->destination);
    return transcoder->destination.buffer;
}

// MARK: Geometry

static uint32_t divided_up(uint32_t value, uint32_t by) {
    return (value + by - 1) / by;
}

/// The sides of an MCU row and column of the input, in pixels. A single component is never interleaved.
static uint32_t mcu_width(const struct jpeg_decompress_struct *info) {
    return info->num_components == 1 ? DCTSIZE : (uint32_t)info->max_h_samp_factor * DCTSIZE;
}

static uint32_t mcu_height(const struct jpeg_decompress_struct *info) {
    return info->num_components == 1 ? DCTSIZE : (uint32_t)info->max_v_samp_factor * DCTSIZE;
}

static uint32_t horizontal_factor(const struct jpeg_decompress_struct *info, int component) {
    return info->num_components == 1 ? 1 : (uint32_t)info->comp_info[component].h_samp_factor;
}

static uint32_t vertical_factor(const struct jpeg_decompress_struct *info, int component) {
    return info->num_components == 1 ? 1 : (uint32_t)info->comp_info[component].v_samp_factor;
}

/// The result's size, MCUs and factors, after transposing.
typedef struct {
    uint32_t full_width;
    uint32_t full_height;
    uint32_t mcu_width;
    uint32_t mcu_height;
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
} geometry;

static bool set_geometry(
    geometry *result, const struct jpeg_decompress_struct *info, const tessera_jpeg_transcoding *options) {
    bool transposes = options->transposes;
    result->full_width = transposes ? info->image_height : info->image_width;
    result->full_height = transposes ? info->image_width : info->image_height;
    result->mcu_width = transposes ? mcu_height(info) : mcu_width(info);
    result->mcu_height = transposes ? mcu_width(info) : mcu_height(info);
    result->x = options->window_x;
    result->y = options->window_y;
    result->width = options->window_width;
    result->height = options->window_height;
    if (result->width == 0) {
        result->width = result->full_width;
        result->height = result->full_height;
    }
    return result->x % result->mcu_width == 0 && result->y % result->mcu_height == 0 && result->height != 0
        && result->x < result->full_width && result->width <= result->full_width - result->x
        && result->y < result->full_height && result->height <= result->full_height - result->y;
}

static bool changes(const geometry *geometry, const tessera_jpeg_transcoding *options) {
    return options->transposes || options->mirrors_columns || options->mirrors_rows
        || geometry->width != geometry->full_width || geometry->height != geometry->full_height;
}

// MARK: Coefficients

/// Copies a block's coefficients: transposed first, then with the signs of odd frequencies changed, which mirrors them.
static void copy_block(
    JCOEF *restrict target, const JCOEF *restrict source, bool transposes, bool mirrors_columns, bool mirrors_rows) {
    if (!transposes && !mirrors_columns && !mirrors_rows) {
        memcpy(target, source, sizeof(JBLOCK));
        return;
    }
    // All ones negates: (v ^ -1) - -1.
    int column_mask = mirrors_columns ? -1 : 0;
    int row_mask = mirrors_rows ? -1 : 0;
    for (int v = 0; v < DCTSIZE; v++) {
        int row = v & 1 ? row_mask : 0;
        for (int u = 0; u < DCTSIZE; u++) {
            int value = transposes ? source[u * DCTSIZE + v] : source[v * DCTSIZE + u];
            int mask = row ^ (u & 1 ? column_mask : 0);
            target[v * DCTSIZE + u] = (JCOEF)((value ^ mask) - mask);
        }
    }
}

static void change_component(
    tessera_jpeg_transcoder *transcoder, int index, const geometry *geometry,
    const tessera_jpeg_transcoding *options) {
    j_decompress_ptr input = &transcoder->input;
    struct jpeg_memory_mgr *memory = input->mem;
    bool transposes = options->transposes;
    uint32_t across = transposes ? vertical_factor(input, index) : horizontal_factor(input, index);
    uint32_t down = transposes ? horizontal_factor(input, index) : vertical_factor(input, index);
    uint32_t mcu_columns = geometry->mcu_width;
    uint32_t mcu_rows = geometry->mcu_height;
    uint32_t width = divided_up(geometry->width, mcu_columns) * across;
    uint32_t height = divided_up(geometry->height, mcu_rows) * down;
    // Blocks of whole MCUs, which can be mirrored.
    uint32_t whole_columns = geometry->full_width / mcu_columns * across;
    uint32_t whole_rows = geometry->full_height / mcu_rows * down;
    uint32_t first_column = geometry->x / mcu_columns * across;
    uint32_t first_row = geometry->y / mcu_rows * down;
    for (uint32_t row = 0; row < height; row++) {
        uint32_t from_row = first_row + row;
        bool mirrors_rows = options->mirrors_rows && from_row < whole_rows;
        if (mirrors_rows)
            from_row = whole_rows - 1 - from_row;
        JBLOCKROW target = memory->access_virt_barray(
            (j_common_ptr)input, transcoder->changed[index], row, 1, TRUE)[0];
        JBLOCKROW source = transposes ? NULL : memory->access_virt_barray(
            (j_common_ptr)input, transcoder->coefficients[index], from_row, 1, FALSE)[0];
        for (uint32_t column = 0; column < width; column++) {
            uint32_t from_column = first_column + column;
            bool mirrors_columns = options->mirrors_columns && from_column < whole_columns;
            if (mirrors_columns)
                from_column = whole_columns - 1 - from_column;
            const JCOEF *block = transposes
                ? memory->access_virt_barray(
                      (j_common_ptr)input, transcoder->coefficients[index], from_column, 1, FALSE)[0][from_row]
                : source[from_column];
            copy_block(target[column], block, transposes, mirrors_columns, mirrors_rows);
        }
    }
}

/// Requests arrays for the changed coefficients. Before the coefficients are read: all arrays are made then.
static void request_arrays(
    tessera_jpeg_transcoder *transcoder, const geometry *geometry, const tessera_jpeg_transcoding *options) {
    j_decompress_ptr input = &transcoder->input;
    for (int index = 0; index < input->num_components; index++) {
        uint32_t across = options->transposes ? vertical_factor(input, index) : horizontal_factor(input, index);
        uint32_t down = options->transposes ? horizontal_factor(input, index) : vertical_factor(input, index);
        // Whole MCUs: the arrays of the input are as large, so that every block of these has a source.
        transcoder->changed[index] = input->mem->request_virt_barray(
            (j_common_ptr)input, JPOOL_IMAGE, FALSE, divided_up(geometry->width, geometry->mcu_width) * across,
            divided_up(geometry->height, geometry->mcu_height) * down, down);
    }
}

// MARK: Output

static void transpose_tables(j_compress_ptr output) {
    for (int index = 0; index < NUM_QUANT_TBLS; index++) {
        JQUANT_TBL *table = output->quant_tbl_ptrs[index];
        if (!table)
            continue;
        for (int v = 0; v < DCTSIZE; v++)
            for (int u = 0; u < v; u++) {
                UINT16 value = table->quantval[v * DCTSIZE + u];
                table->quantval[v * DCTSIZE + u] = table->quantval[u * DCTSIZE + v];
                table->quantval[u * DCTSIZE + v] = value;
            }
    }
}

static void write_coefficients(
    tessera_jpeg_transcoder *transcoder, const geometry *geometry, const tessera_jpeg_transcoding *options) {
    j_decompress_ptr input = &transcoder->input;
    j_compress_ptr output = &transcoder->output;
    bool changed = changes(geometry, options);
    tessera_destination_drain(&transcoder->destination);
    jpeg_copy_critical_parameters(input, output);
    // The caller copies application segments from the file, these among them.
    output->write_JFIF_header = FALSE;
    output->write_Adobe_marker = FALSE;
    output->image_width = geometry->width;
    output->image_height = geometry->height;
#if JPEG_LIB_VERSION >= 70
    output->jpeg_width = geometry->width;
    output->jpeg_height = geometry->height;
#endif
    for (int index = 0; index < output->num_components; index++) {
        uint32_t across = horizontal_factor(input, index);
        uint32_t down = vertical_factor(input, index);
        output->comp_info[index].h_samp_factor = (int)(options->transposes ? down : across);
        output->comp_info[index].v_samp_factor = (int)(options->transposes ? across : down);
    }
    if (options->transposes)
        transpose_tables(output);
    // The standard tables lack codes for values that a file's own tables may have.
    output->optimize_coding = TRUE;
    output->scan_info = NULL;
    output->num_scans = 0;
    if (options->progressive)
        jpeg_simple_progression(output);
    jvirt_barray_ptr *arrays = changed ? transcoder->changed : transcoder->coefficients;
    uint8_t *bytes;
    size_t length;
    if (options->progressive && tessera_jpeg_write_scan_groups(output, arrays, &bytes, &length)) {
        jpeg_abort_compress(output);
        tessera_destination_take(&transcoder->destination, bytes, length);
        return;
    }
    jpeg_write_coefficients(output, arrays);
    jpeg_finish_compress(output);
}

// MARK: Entries

int32_t tessera_jpeg_transcoder_read_header(tessera_jpeg_transcoder *transcoder, tessera_jpeg_header *header) {
    j_decompress_ptr input = &transcoder->input;
    TESSERA_JPEG_ENTER(&transcoder->trap);
    if (transcoder->header_read)
        return tessera_fail(&transcoder->trap.outcome, TESSERA_MISUSE, "The header was read before");
    jpeg_read_header(input, TRUE);
    transcoder->header_read = true;
    memset(header, 0, sizeof *header);
    header->width = input->image_width;
    header->height = input->image_height;
    header->components = (uint8_t)input->num_components;
    header->precision = (uint8_t)input->data_precision;
    header->restart_interval = input->restart_interval;
    header->progressive = input->progressive_mode;
    header->arithmetic = input->arith_code;
    header->saw_jfif = input->saw_JFIF_marker;
    header->saw_adobe = input->saw_Adobe_marker;
    for (int index = 0; index < input->num_components; index++) {
        if (index < 4) {
            header->horizontal_sampling[index] = (uint8_t)horizontal_factor(input, index);
            header->vertical_sampling[index] = (uint8_t)vertical_factor(input, index);
        }
        uint64_t columns = (uint64_t)divided_up(input->image_width, mcu_width(input)) * horizontal_factor(input, index);
        uint64_t rows = (uint64_t)divided_up(input->image_height, mcu_height(input)) * vertical_factor(input, index);
        header->coefficient_bytes += columns * rows * sizeof(JBLOCK);
    }
    return TESSERA_OK;
}

int32_t tessera_jpeg_transcoder_make_room(
    tessera_jpeg_transcoder *transcoder, const tessera_jpeg_transcoding *options) {
    j_decompress_ptr input = &transcoder->input;
    geometry geometry;
    TESSERA_JPEG_ENTER(&transcoder->trap);
    if (!transcoder->header_read || transcoder->ran || !set_geometry(&geometry, input, options))
        return tessera_fail(&transcoder->trap.outcome, TESSERA_MISUSE, "Run twice, or with an impossible window");
    // As libjpeg's reader has them.
    for (int index = 0; index < input->num_components; index++) {
        const jpeg_component_info *component = &input->comp_info[index];
        uint32_t across = (uint32_t)component->h_samp_factor;
        uint32_t down = (uint32_t)component->v_samp_factor;
        transcoder->filled[index] = input->mem->request_virt_barray(
            (j_common_ptr)input, JPOOL_IMAGE, FALSE, divided_up(component->width_in_blocks, across) * across,
            divided_up(component->height_in_blocks, down) * down, down);
    }
    if (changes(&geometry, options))
        request_arrays(transcoder, &geometry, options);
    input->mem->realize_virt_arrays((j_common_ptr)input);
    transcoder->coefficients = transcoder->filled;
    return TESSERA_OK;
}

int16_t *tessera_jpeg_transcoder_row(tessera_jpeg_transcoder *transcoder, int component, uint32_t row) {
    j_decompress_ptr input = &transcoder->input;
    if (setjmp(transcoder->trap.entry) != 0)
        return NULL;
    return input->mem->access_virt_barray((j_common_ptr)input, transcoder->filled[component], row, 1, TRUE)[0][0];
}

int32_t tessera_jpeg_transcoder_drop_room(tessera_jpeg_transcoder *transcoder) {
    TESSERA_JPEG_ENTER(&transcoder->trap);
    transcoder->coefficients = NULL;
    jpeg_abort_decompress(&transcoder->input);
    transcoder->source.next_input_byte = transcoder->bytes;
    transcoder->source.bytes_in_buffer = transcoder->length;
    jpeg_read_header(&transcoder->input, TRUE);
    return TESSERA_OK;
}

int32_t tessera_jpeg_transcoder_run(
    tessera_jpeg_transcoder *transcoder, const tessera_jpeg_transcoding *options, uint32_t maximum_scans) {
    geometry geometry;
    TESSERA_JPEG_ENTER(&transcoder->trap);
    if (!transcoder->header_read || transcoder->ran || !set_geometry(&geometry, &transcoder->input, options))
        return tessera_fail(&transcoder->trap.outcome, TESSERA_MISUSE, "Run twice, or with an impossible window");
    transcoder->maximum_scans = maximum_scans;
    bool changed = changes(&geometry, options);
    if (transcoder->coefficients == NULL) {
        if (changed)
            request_arrays(transcoder, &geometry, options);
        transcoder->coefficients = jpeg_read_coefficients(&transcoder->input);
    }
    if (changed)
        for (int index = 0; index < transcoder->input.num_components; index++)
            change_component(transcoder, index, &geometry, options);
    transcoder->ran = true;
    write_coefficients(transcoder, &geometry, options);
    return TESSERA_OK;
}

int32_t tessera_jpeg_transcoder_write_again(
    tessera_jpeg_transcoder *transcoder, const tessera_jpeg_transcoding *options) {
    geometry geometry;
    TESSERA_JPEG_ENTER(&transcoder->trap);
    if (!transcoder->ran || !set_geometry(&geometry, &transcoder->input, options))
        return tessera_fail(&transcoder->trap.outcome, TESSERA_MISUSE, "Nothing was written before");
    write_coefficients(transcoder, &geometry, options);
    return TESSERA_OK;
}
