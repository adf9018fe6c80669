#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "include/CTesseraJPEG.h"
#include "halves.h"

// Each scan is coded independently, from coefficients that don't change. Two of libjpeg's compressors code some scans each,
// by scripts that are complete enough for it; then the file is put together from both. The second one's script begins
// with scans that the first one has in another form: it gets blank blocks for these, and they are left out.
//
// Reading coefficients from arrays that are in memory changes nothing in them, so both threads may.

enum {
    SCAN_COUNT = 10,
    FIRST_COUNT = 5,
    SECOND_COUNT = 7,
    BLANK_COUNT = 2,
};

/// Where libjpeg's script has the scans of each half, in order.
static const int first_scans[FIRST_COUNT] = {0, 1, 4, 5, 6};
static const int second_scans[SECOND_COUNT - BLANK_COUNT] = {2, 3, 7, 8, 9};

typedef struct {
    struct jpeg_compress_struct info;
    tessera_jpeg_trap trap;
    tessera_jpeg_destination destination;
    const struct jpeg_compress_struct *like;
    jvirt_barray_ptr *arrays;
    jpeg_scan_info script[SECOND_COUNT];
    int scan_count;
    bool has_blanks;
    JBLOCKARRAY (*access)(j_common_ptr, jvirt_barray_ptr, JDIMENSION, JDIMENSION, boolean);
    JBLOCK *blank;
    JBLOCKROW blank_rows[MAX_SAMP_FACTOR];
    bool succeeded;
} half;

static JBLOCKARRAY access_rows(
    j_common_ptr info, jvirt_barray_ptr array, JDIMENSION row, JDIMENSION count, boolean writable) {
    half *half = info->client_data;
    j_compress_ptr output = &half->info;
    bool is_blank = half->has_blanks
        && (output->Ss == 0 || (output->cur_comp_info[0]->component_index == 0 && output->Ah == 0));
    return is_blank && count <= MAX_SAMP_FACTOR ? half->blank_rows : half->access(info, array, row, count, writable);
}

static int32_t code(half *half) {
    j_compress_ptr output = &half->info;
    const struct jpeg_compress_struct *like = half->like;
    TESSERA_JPEG_ENTER(&half->trap);
    jpeg_create_compress(output);
    output->dest = &half->destination.manager;
    half->access = output->mem->access_virt_barray;
    output->mem->access_virt_barray = access_rows;
    output->image_width = like->image_width;
    output->image_height = like->image_height;
    output->input_components = like->input_components;
    output->in_color_space = like->in_color_space;
    jpeg_set_defaults(output);
    jpeg_set_colorspace(output, like->jpeg_color_space);
    output->data_precision = like->data_precision;
#if JPEG_LIB_VERSION >= 70
    output->jpeg_width = like->jpeg_width;
    output->jpeg_height = like->jpeg_height;
    output->min_DCT_h_scaled_size = like->min_DCT_h_scaled_size;
    output->min_DCT_v_scaled_size = like->min_DCT_v_scaled_size;
#endif
    for (int index = 0; index < NUM_QUANT_TBLS; index++) {
        if (!like->quant_tbl_ptrs[index])
            continue;
        if (!output->quant_tbl_ptrs[index])
            output->quant_tbl_ptrs[index] = jpeg_alloc_quant_table((j_common_ptr)output);
        memcpy(
            output->quant_tbl_ptrs[index]->quantval, like->quant_tbl_ptrs[index]->quantval,
            sizeof output->quant_tbl_ptrs[index]->quantval);
        output->quant_tbl_ptrs[index]->sent_table = FALSE;
    }
    for (int index = 0; index < like->num_components; index++) {
        output->comp_info[index].component_id = like->comp_info[index].component_id;
        output->comp_info[index].h_samp_factor = like->comp_info[index].h_samp_factor;
        output->comp_info[index].v_samp_factor = like->comp_info[index].v_samp_factor;
        output->comp_info[index].quant_tbl_no = like->comp_info[index].quant_tbl_no;
    }
    output->write_JFIF_header = FALSE;
    output->write_Adobe_marker = FALSE;
    output->optimize_coding = TRUE;
    output->scan_info = half->script;
    output->num_scans = half->scan_count;
    jpeg_write_coefficients(output, half->arrays);
    jpeg_finish_compress(output);
    return TESSERA_OK;
}

static void *run(void *context) {
    half *half = context;
    half->succeeded = code(half) == TESSERA_OK;
    return NULL;
}

static bool prepare(half *half, const struct jpeg_compress_struct *like, jvirt_barray_ptr *arrays, size_t width) {
    memset(half, 0, sizeof *half);
    tessera_jpeg_trap_install(&half->trap);
    half->info.err = &half->trap.manager;
    half->info.client_data = half;
    half->like = like;
    half->arrays = arrays;
    half->blank = calloc(width, sizeof(JBLOCK));
    for (int row = 0; row < MAX_SAMP_FACTOR; row++)
        half->blank_rows[row] = half->blank;
    return tessera_destination_create(&half->destination, &half->trap) && half->blank;
}

static void release(half *half) {
    // A structure that was never created is all zeros, which the call accepts.
    if (setjmp(half->trap.entry) == 0)
        jpeg_destroy_compress(&half->info);
    free(half->destination.buffer);
    free(half->blank);
}

/// Finds where each scan begins, with its tables, and where the last one ends. False if there aren't `count` scans.
static bool find_scans(const tessera_jpeg_destination *destination, int count, size_t starts[]) {
    const uint8_t *bytes = destination->buffer;
    size_t length = tessera_destination_length(destination);
    size_t position = 2;
    int found = 0;
    bool in_scan = false;
    while (position + 4 <= length && bytes[position] == 0xFF && bytes[position + 1] != 0xD9) {
        uint8_t marker = bytes[position + 1];
        if (!in_scan && (marker == 0xC4 || marker == 0xDA)) {
            if (found == count)
                return false;
            starts[found++] = position;
            in_scan = true;
        }
        position += 2 + (size_t)(bytes[position + 2] << 8 | bytes[position + 3]);
        if (marker != 0xDA)
            continue;
        in_scan = false;
        // Entropy-coded data, in which a zero follows each 255; there are no restart markers.
        while (position + 1 < length) {
            const uint8_t *next = memchr(bytes + position, 0xFF, length - position - 1);
            position = next ? (size_t)(next - bytes) : length;
            if (next && next[1] != 0)
                break;
            position += 2;
        }
    }
    starts[count] = position;
    return found == count && position + 2 == length;
}

static bool join(const half *first, const half *second, uint8_t **bytes, size_t *length) {
    size_t first_starts[FIRST_COUNT + 1], second_starts[SECOND_COUNT + 1];
    if (!find_scans(&first->destination, FIRST_COUNT, first_starts)
        || !find_scans(&second->destination, SECOND_COUNT, second_starts))
        return false;
    uint8_t *result = malloc(
        tessera_destination_length(&first->destination) + tessera_destination_length(&second->destination));
    if (!result)
        return false;
    size_t count = first_starts[0];
    memcpy(result, first->destination.buffer, count);
    for (int scan = 0, a = 0, b = 0; scan < SCAN_COUNT; scan++) {
        bool is_first = a < FIRST_COUNT && first_scans[a] == scan;
        const uint8_t *from = is_first ? first->destination.buffer : second->destination.buffer;
        const size_t *starts = is_first ? first_starts + a++ : second_starts + BLANK_COUNT + b++;
        memcpy(result + count, from + starts[0], starts[1] - starts[0]);
        count += starts[1] - starts[0];
    }
    result[count++] = 0xFF;
    result[count++] = 0xD9;
    *bytes = result;
    *length = count;
    return true;
}

bool tessera_jpeg_write_halves(
    const struct jpeg_compress_struct *like, jvirt_barray_ptr *arrays, uint8_t **bytes, size_t *length) {
    if (like->num_scans != SCAN_COUNT || like->num_components != 3 || like->jpeg_color_space != JCS_YCbCr)
        return false;
    // The size of a whole image's rows of blocks, with those that complete an MCU.
    size_t width = (size_t)like->image_width / DCTSIZE + 2 * MAX_SAMP_FACTOR;
    half *halves = malloc(2 * sizeof *halves);
    if (!halves)
        return false;
    bool is_ready = prepare(&halves[0], like, arrays, width);
    is_ready = prepare(&halves[1], like, arrays, width) && is_ready;
    for (int index = 0; index < FIRST_COUNT; index++)
        halves[0].script[index] = like->scan_info[first_scans[index]];
    halves[0].scan_count = FIRST_COUNT;
    // All of the first component's coefficients but their last bit, which the second half adds.
    halves[1].script[0] = like->scan_info[0];
    halves[1].script[1] = (jpeg_scan_info){.comps_in_scan = 1, .component_index = {0}, .Ss = 1, .Se = 63, .Ah = 0, .Al = 1};
    for (int index = BLANK_COUNT; index < SECOND_COUNT; index++)
        halves[1].script[index] = like->scan_info[second_scans[index - BLANK_COUNT]];
    halves[1].scan_count = SECOND_COUNT;
    halves[1].has_blanks = true;
    pthread_t thread;
    bool has_joined = false;
    if (is_ready && pthread_create(&thread, NULL, run, &halves[1]) == 0) {
        run(&halves[0]);
        pthread_join(thread, NULL);
        has_joined = halves[0].succeeded && halves[1].succeeded && join(&halves[0], &halves[1], bytes, length);
    }
    release(&halves[0]);
    release(&halves[1]);
    free(halves);
    return has_joined;
}
