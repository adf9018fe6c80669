#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/CTesseraJPEG.h"
#include "scan_groups.h"

// Each scan is coded independently, from coefficients that don't change. Three of libjpeg's compressors code some scans
// each, by scripts that are complete enough for it; then the file is put together from all. Two scripts begin with
// scans that the others have, or have in another form: they get blank blocks for these, which are left out.
//
// Reading coefficients from arrays that are in memory changes nothing in them, so all threads may.

enum {
    /// Smaller images take less time than starting a thread.
    LEAST_PIXELS = 1 << 16,
    SCAN_COUNT = 10,
    GROUP_COUNT = 3,
    MAX_GROUP_SCANS = 5,
    /// The group with the first scan, and so with what precedes it.
    FIRST_GROUP = 1,
};

/// All of the first component's AC coefficients but their last bit.
static const jpeg_scan_info all_but_last_bit =
    {.comps_in_scan = 1, .component_index = {0}, .Ss = 1, .Se = 63, .Ah = 0, .Al = 1};

/// The scans of a group, in order, by their places in libjpeg's script; and how many blank ones come before them: of
/// DC, and of all but the last bit.
static const struct {
    int scans[MAX_GROUP_SCANS];
    int count;
    int blank_count;
} groups[GROUP_COUNT] = {
    // The one that takes longest is first: the last bit of luma.
    {.scans = {9}, .count = 1, .blank_count = 2},
    {.scans = {0, 1, 4, 5, 6}, .count = 5, .blank_count = 0},
    {.scans = {2, 3, 7, 8}, .count = 4, .blank_count = 1},
};

typedef struct {
    struct jpeg_compress_struct info;
    tessera_jpeg_trap trap;
    tessera_jpeg_destination destination;
    const struct jpeg_compress_struct *like;
    jvirt_barray_ptr *arrays;
    jpeg_scan_info script[2 + MAX_GROUP_SCANS];
    int scan_count;
    bool has_blanks;
    JBLOCKARRAY (*access)(j_common_ptr, jvirt_barray_ptr, JDIMENSION, JDIMENSION, boolean);
    JBLOCK *blank;
    JBLOCKROW blank_rows[MAX_SAMP_FACTOR];
    bool succeeded;
} group;

typedef struct {
    group groups[GROUP_COUNT];
    atomic_int next;
} work;

static JBLOCKARRAY access_rows(
    j_common_ptr info, jvirt_barray_ptr array, JDIMENSION row, JDIMENSION count, boolean writable) {
    group *group = info->client_data;
    j_compress_ptr output = &group->info;
    bool is_blank = group->has_blanks
        && (output->Ss == 0 || (output->cur_comp_info[0]->component_index == 0 && output->Ah == 0));
    return is_blank && count <= MAX_SAMP_FACTOR ? group->blank_rows : group->access(info, array, row, count, writable);
}

static int32_t code(group *group) {
    j_compress_ptr output = &group->info;
    const struct jpeg_compress_struct *like = group->like;
    TESSERA_JPEG_ENTER(&group->trap);
    jpeg_create_compress(output);
    output->dest = &group->destination.manager;
    group->access = output->mem->access_virt_barray;
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
    output->scan_info = group->script;
    output->num_scans = group->scan_count;
    jpeg_write_coefficients(output, group->arrays);
    jpeg_finish_compress(output);
    return TESSERA_OK;
}

/// Codes groups until none is left.
static void *run(void *context) {
    work *work = context;
    for (int index; (index = atomic_fetch_add(&work->next, 1)) < GROUP_COUNT;)
        work->groups[index].succeeded = code(&work->groups[index]) == TESSERA_OK;
    return NULL;
}

static bool prepare(
    group *group, int index, const struct jpeg_compress_struct *like, jvirt_barray_ptr *arrays, size_t width) {
    memset(group, 0, sizeof *group);
    tessera_jpeg_trap_install(&group->trap);
    group->info.err = &group->trap.manager;
    group->info.client_data = group;
    group->like = like;
    group->arrays = arrays;
    group->has_blanks = groups[index].blank_count > 0;
    if (groups[index].blank_count > 0)
        group->script[group->scan_count++] = like->scan_info[0];
    if (groups[index].blank_count > 1)
        group->script[group->scan_count++] = all_but_last_bit;
    for (int scan = 0; scan < groups[index].count; scan++)
        group->script[group->scan_count++] = like->scan_info[groups[index].scans[scan]];
    group->blank = calloc(width, sizeof(JBLOCK));
    for (int row = 0; row < MAX_SAMP_FACTOR; row++)
        group->blank_rows[row] = group->blank;
    return tessera_destination_create(&group->destination, &group->trap) && group->blank;
}

static void release(group *group) {
    // A structure that was never created is all zeros, which the call accepts.
    if (setjmp(group->trap.entry) == 0)
        jpeg_destroy_compress(&group->info);
    free(group->destination.buffer);
    free(group->blank);
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

static bool join(const group coded[], uint8_t **bytes, size_t *length) {
    size_t starts[GROUP_COUNT][2 + MAX_GROUP_SCANS + 1];
    size_t most = 0;
    for (int index = 0; index < GROUP_COUNT; index++) {
        if (!coded[index].succeeded || !find_scans(&coded[index].destination, coded[index].scan_count, starts[index]))
            return false;
        most += tessera_destination_length(&coded[index].destination);
    }
    uint8_t *result = malloc(most);
    if (!result)
        return false;
    size_t count = starts[FIRST_GROUP][0];
    memcpy(result, coded[FIRST_GROUP].destination.buffer, count);
    int taken[GROUP_COUNT] = {0};
    for (int scan = 0; scan < SCAN_COUNT; scan++) {
        int index = 0;
        while (taken[index] == groups[index].count || groups[index].scans[taken[index]] != scan)
            index++;
        const size_t *start = starts[index] + groups[index].blank_count + taken[index]++;
        memcpy(result + count, coded[index].destination.buffer + start[0], start[1] - start[0]);
        count += start[1] - start[0];
    }
    result[count++] = 0xFF;
    result[count++] = 0xD9;
    *bytes = result;
    *length = count;
    return true;
}

bool tessera_jpeg_write_scan_groups(
    const struct jpeg_compress_struct *like, jvirt_barray_ptr *arrays, uint8_t **bytes, size_t *length) {
    if ((uint64_t)like->image_width * like->image_height < LEAST_PIXELS)
        return false;
    if (like->num_scans != SCAN_COUNT || like->num_components != 3 || like->jpeg_color_space != JCS_YCbCr)
        return false;
    // The size of a whole image's rows of blocks, with those that complete an MCU.
    size_t width = (size_t)like->image_width / DCTSIZE + 2 * MAX_SAMP_FACTOR;
    work *work = malloc(sizeof *work);
    if (!work)
        return false;
    atomic_init(&work->next, 0);
    bool is_ready = true;
    for (int index = 0; index < GROUP_COUNT; index++)
        is_ready = prepare(&work->groups[index], index, like, arrays, width) && is_ready;
    bool has_joined = false;
    if (is_ready) {
        // This thread and at least one more.
        long wanted = sysconf(_SC_NPROCESSORS_ONLN) > 2 ? 2 : 1;
        pthread_t threads[GROUP_COUNT];
        int started = 0;
        while (started < wanted && pthread_create(&threads[started], NULL, run, work) == 0)
            started++;
        run(work);
        while (started > 0)
            pthread_join(threads[--started], NULL);
        has_joined = join(work->groups, bytes, length);
    }
    for (int index = 0; index < GROUP_COUNT; index++)
        release(&work->groups[index]);
    free(work);
    return has_joined;
}
