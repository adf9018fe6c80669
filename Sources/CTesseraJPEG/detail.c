#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "decoder.h"

// Entropy-coded data is read from its start to its end, but which of a progressive image's scans is read first matters
// only among those of the same coefficients. So two of libjpeg's decoders go through the same bytes side by side, both
// reading every header and table, and each passing over the data that is the other's: the second has the scans of the
// first component's AC coefficients, which are the most by far, and the first has all others. Neither touches the
// other's coefficients, however damaged the data is: an AC scan never writes a coefficient 0, and no scan leaves its
// components.
//
// The arrays are the first decoder's. It also outputs rows, while the second still reads the last of its scans. Its
// output and its warnings are those of a single decoder; wherever that isn't certain, it starts over, alone.

#if __has_include(<jpegint.h>)
#include <jpegint.h>

struct tessera_jpeg_detail {
    /// The second decoder: the thread's until it has ended.
    tessera_jpeg_decoder *reader;
    pthread_t thread;

    /// The bytes up to the first scan's data, and those that follow, in the first decoder's buffer.
    uint8_t *head;
    size_t head_length;
    const uint8_t *data;
    size_t length;
    /// The last scan that is the second decoder's, as the first one counts; 0 for none.
    int last_scan;

    pthread_mutex_t mutex;
    pthread_cond_t moved;
    // Under the mutex.
    /// The scan that the second decoder has come to, and how many of its rows of MCUs are read.
    int scan;
    JDIMENSION rows;
    bool ended;
    bool stopped;
    /// Rows of MCUs that the first component's array has been opened for.
    JDIMENSION open_rows;
};

static bool is_detail(const struct jpeg_decompress_struct *info) {
    return info->Ss > 0 && info->cur_comp_info[0]->component_index == 0;
}

/// Opens the next row of MCUs, if it isn't open. libjpeg clears rows of an array when they are first accessed, and
/// notes how far it has come, which two threads must not do at once. Accesses to a row that was opened, without the
/// lock, find that the note is beyond them, whether or not the other thread is moving it on, and set a flag that is
/// set.
static void open_row(tessera_jpeg_detail *detail, j_decompress_ptr info) {
    JDIMENSION height = (JDIMENSION)info->comp_info[0].v_samp_factor;
    pthread_mutex_lock(&detail->mutex);
    // Rows in the array, one after the other: no jump leaves from here with the lock.
    if (info->input_iMCU_row < info->total_iMCU_rows)
        for (; detail->open_rows <= info->input_iMCU_row; detail->open_rows++)
            info->mem->access_virt_barray(
                (j_common_ptr)info, info->coef->coef_arrays[0], detail->open_rows * height, height, TRUE);
    pthread_mutex_unlock(&detail->mutex);
}

/// Passes over the data of the scan that has begun. False where it has markers in it after which libjpeg may go on looking
/// for the scan's data.
static bool pass_over(j_decompress_ptr info) {
    const uint8_t *at = info->src->next_input_byte, *end = at + info->src->bytes_in_buffer;
    while ((at = memchr(at, 0xFF, (size_t)(end - at)))) {
        while (end - at > 1 && at[1] == 0xFF)
            at++;
        if (end - at < 2)
            return false;
        if (at[1] != 0 && (at[1] < JPEG_RST0 || at[1] > JPEG_RST0 + 7))
            break;
        at += 2;
    }
    // Codes below 0xC0 are reserved (ITU-T T.81, table B.1).
    if (!at || at[1] < 0xC0)
        return false;
    info->src->next_input_byte = at;
    info->src->bytes_in_buffer = (size_t)(end - at);
    info->inputctl->finish_input_pass(info);
    // As after data that was read: output waits for the rows of the last scan.
    info->input_iMCU_row = info->total_iMCU_rows;
    return true;
}

/// Publishes the second decoder's progress; false if it must end.
static bool tell(tessera_jpeg_detail *detail) {
    const struct jpeg_decompress_struct *info = &detail->reader->info;
    pthread_mutex_lock(&detail->mutex);
    detail->scan = info->input_scan_number;
    detail->rows = info->input_iMCU_row;
    bool goes_on = !detail->stopped;
    pthread_cond_signal(&detail->moved);
    pthread_mutex_unlock(&detail->mutex);
    return goes_on;
}

/// Reads the scans that are `decoder`'s, to the end of the image; false where it isn't reached.
static bool read_scans(tessera_jpeg_detail *detail, tessera_jpeg_decoder *decoder) {
    struct jpeg_decompress_struct *info = &decoder->info;
    bool is_reader = decoder == detail->reader;
    if (setjmp(decoder->trap.entry))
        return false;
    tessera_jpeg_prepare_thread();
    // The start has begun the first scan.
    int event = JPEG_REACHED_SOS;
    while (event != JPEG_REACHED_EOI) {
        if (event == JPEG_REACHED_SOS) {
            if (decoder->maximum_scans != 0 && (uint32_t)info->input_scan_number > decoder->maximum_scans)
                return false;
            if (!is_reader && is_detail(info))
                detail->last_scan = info->input_scan_number;
            if (is_detail(info) != is_reader && !pass_over(info))
                return false;
        }
        open_row(detail, info);
        event = jpeg_consume_input(info);
        if (event == JPEG_SUSPENDED || decoder->ran_dry || (is_reader && !tell(detail)))
            return false;
    }
    return true;
}

static void *read_detail(void *argument) {
    tessera_jpeg_detail *detail = argument;
    read_scans(detail, detail->reader);
    pthread_mutex_lock(&detail->mutex);
    detail->ended = true;
    pthread_cond_signal(&detail->moved);
    pthread_mutex_unlock(&detail->mutex);
    return NULL;
}

/// Waits until the second decoder has read `rows` rows of MCUs of its last scan; false if it has failed.
static bool wait_for(tessera_jpeg_detail *detail, JDIMENSION rows) {
    pthread_mutex_lock(&detail->mutex);
    bool there;
    while (!(there = detail->scan > detail->last_scan || (detail->scan == detail->last_scan && detail->rows >= rows))
           && !detail->ended)
        pthread_cond_wait(&detail->moved, &detail->mutex);
    pthread_mutex_unlock(&detail->mutex);
    return there;
}

/// Ends the thread; the coefficients that it read stay.
static void stop(tessera_jpeg_detail *detail) {
    pthread_mutex_lock(&detail->mutex);
    detail->stopped = true;
    pthread_mutex_unlock(&detail->mutex);
    pthread_join(detail->thread, NULL);
}

static void let_go(tessera_jpeg_detail *detail) {
    tessera_jpeg_decoder_destroy(detail->reader);
    pthread_mutex_destroy(&detail->mutex);
    pthread_cond_destroy(&detail->moved);
    free(detail->head);
    free(detail);
}

void tessera_jpeg_detail_destroy(tessera_jpeg_detail *detail) {
    if (!detail)
        return;
    stop(detail);
    let_go(detail);
}

bool tessera_jpeg_decoder_share_scans(tessera_jpeg_decoder *decoder, const uint8_t *head, size_t head_length) {
    const struct jpeg_decompress_struct *info = &decoder->info;
    if (decoder->trap.outcome.status < 0 || decoder->detail || !decoder->started || !decoder->ended || !info->raw_data_out
        || !info->progressive_mode || info->arith_code || tessera_jpeg_decoder_position(decoder) != head_length)
        return false;
    tessera_jpeg_detail *detail = calloc(1, sizeof *detail);
    if (!detail)
        return false;
    pthread_mutex_init(&detail->mutex, NULL);
    pthread_cond_init(&detail->moved, NULL);
    detail->data = decoder->source.next_input_byte;
    detail->length = decoder->source.bytes_in_buffer;
    detail->scan = 1;
    detail->head = malloc(head_length);
    detail->head_length = head_length;
    detail->reader = tessera_jpeg_decoder_create();
    if (detail->head && detail->reader) {
        memcpy(detail->head, head, head_length);
        detail->reader->lender = decoder;
        detail->reader->options = decoder->options;
        // Of all bytes, so that it knows where in them it reads.
        detail->reader->appended = decoder->appended;
        if (tessera_jpeg_decoder_start_over(detail->reader, detail->head, head_length, detail->data, detail->length)
                == TESSERA_OK
            && pthread_create(&detail->thread, NULL, read_detail, detail) == 0) {
            decoder->detail = detail;
            return true;
        }
    }
    let_go(detail);
    return false;
}

bool tessera_jpeg_detail_read(tessera_jpeg_decoder *decoder) {
    tessera_jpeg_detail *detail = decoder->detail;
    // Missing bits are smoothed by the properties of the whole last scan. And once the second decoder has come to its
    // last scan, it reads nothing more that can go wrong.
    if (read_scans(detail, decoder) && !tessera_jpeg_scans_missing(&decoder->info) && wait_for(detail, 0))
        return true;
    decoder->detail = NULL;
    stop(detail);
    decoder->trap.outcome = (tessera_outcome){TESSERA_OK, ""};
    tessera_jpeg_decoder_start_over(decoder, detail->head, detail->head_length, detail->data, detail->length);
    let_go(detail);
    return false;
}

int32_t tessera_jpeg_detail_wait(tessera_jpeg_decoder *decoder) {
    tessera_jpeg_detail *detail = decoder->detail;
    if (!detail)
        return TESSERA_OK;
    JDIMENSION rows = decoder->info.output_iMCU_row + 1;
    if (!wait_for(detail, rows))
        return tessera_fail(&decoder->trap.outcome, TESSERA_CORRUPT, detail->reader->trap.outcome.message);
    if (rows < decoder->info.total_iMCU_rows)
        return TESSERA_OK;
    decoder->detail = NULL;
    stop(detail);
    tessera_jpeg_report *report = &decoder->report, *further = &detail->reader->report;
    if (further->damages > 0 && (report->damages == 0 || further->damage_offset < report->damage_offset)) {
        report->damage_offset = further->damage_offset;
        memcpy(decoder->damage_message, detail->reader->damage_message, sizeof decoder->damage_message);
    }
    if (__builtin_add_overflow(report->damages, further->damages, &report->damages))
        report->damages = UINT32_MAX;
    let_go(detail);
    return TESSERA_OK;
}

#else

// Without libjpeg's inner interfaces a scan can't be passed over.

bool tessera_jpeg_decoder_share_scans(tessera_jpeg_decoder *decoder, const uint8_t *head, size_t head_length) {
    (void)decoder, (void)head, (void)head_length;
    return false;
}

bool tessera_jpeg_detail_read(tessera_jpeg_decoder *decoder) {
    (void)decoder;
    return false;
}

int32_t tessera_jpeg_detail_wait(tessera_jpeg_decoder *decoder) {
    (void)decoder;
    return TESSERA_OK;
}

void tessera_jpeg_detail_destroy(tessera_jpeg_detail *detail) {
    (void)detail;
}

#endif
