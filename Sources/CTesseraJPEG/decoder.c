#include <stdlib.h>
#include <string.h>

#include "decoder.h"

// After jpeglib.h, which decides what jerror.h declares.
#include <jerror.h>

enum {
    FIRST_CAPACITY = 65536,
    /// The number of row addresses passed to libjpeg in one call.
    ROWS_A_CALL = 64,
    /// Scratch rows, to be cropped or dropped.
    SCRATCH_ROWS = 16,
    /// Segments kept, and their bytes: an ICC profile may have 255 of 65519 bytes.
    SEGMENT_COUNT = 512,
    SEGMENT_BYTES = 24 << 20,
    /// Bits of samples whose header is read here and whose data isn't.
    DEEP_PRECISION = 12,
};

// MARK: Source

static const JOCTET end_of_image[2] = {0xFF, JPEG_EOI};

static void source_noop(j_decompress_ptr info) {
    (void)info;
}

static boolean source_fill(j_decompress_ptr info) {
    tessera_jpeg_decoder *decoder = info->client_data;
    if (!decoder->ended)
        return FALSE;
    decoder->ran_dry = true;
    info->src->next_input_byte = end_of_image;
    info->src->bytes_in_buffer = sizeof end_of_image;
    return TRUE;
}

static void source_skip(j_decompress_ptr info, long count) {
    tessera_jpeg_decoder *decoder = info->client_data;
    if (count <= 0)
        return;
    size_t available = info->src->bytes_in_buffer;
    size_t now = (size_t)count < available ? (size_t)count : available;
    info->src->next_input_byte += now;
    info->src->bytes_in_buffer -= now;
    if (!decoder->ran_dry)
        decoder->skipping += (uint64_t)count - now;
}

uint64_t tessera_jpeg_decoder_position(const tessera_jpeg_decoder *decoder) {
    if (decoder->ran_dry)
        return decoder->appended;
    return decoder->appended - decoder->source.bytes_in_buffer;
}

uint64_t tessera_jpeg_decoder_appended(const tessera_jpeg_decoder *decoder) {
    return decoder->appended;
}

const uint8_t *tessera_jpeg_decoder_pending(const tessera_jpeg_decoder *decoder, size_t *length) {
    *length = decoder->ran_dry ? 0 : decoder->source.bytes_in_buffer;
    return decoder->source.next_input_byte;
}

int32_t tessera_jpeg_decoder_append(tessera_jpeg_decoder *decoder, const uint8_t *bytes, size_t length) {
    struct jpeg_source_mgr *source = &decoder->source;
    if (decoder->trap.outcome.status < 0)
        return decoder->trap.outcome.status;
    if (decoder->ended)
        return tessera_fail(&decoder->trap.outcome, TESSERA_MISUSE, "Bytes appended after the end");
    // Bytes that libjpeg asked to skip aren't kept.
    size_t skipped = decoder->skipping < length ? (size_t)decoder->skipping : length;
    decoder->skipping -= skipped;
    decoder->appended += length;
    bytes += skipped;
    length -= skipped;
    if (length == 0)
        return TESSERA_OK;

    size_t left = source->bytes_in_buffer;
    size_t start = left > 0 ? (size_t)(source->next_input_byte - decoder->buffer) : 0;
    if (length > SIZE_MAX / 4 - left)
        return tessera_fail(&decoder->trap.outcome, TESSERA_NO_MEMORY, "Too many bytes at once");
    if (start + left + length > decoder->capacity) {
        if (left > 0 && start > 0)
            memmove(decoder->buffer, source->next_input_byte, left);
        start = 0;
        source->next_input_byte = decoder->buffer;
        if (left + length > decoder->capacity / 2) {
            // Twice the need, so that moving bytes to the front is amortised over appended bytes. Pages that aren't
            // written take no memory, and large blocks grow without a copy.
            size_t capacity = 2 * (left + length);
            if (capacity < FIRST_CAPACITY)
                capacity = FIRST_CAPACITY;
            uint8_t *buffer = realloc(decoder->buffer, capacity);
            if (!buffer)
                return tessera_fail(&decoder->trap.outcome, TESSERA_NO_MEMORY, "Insufficient memory");
            decoder->buffer = buffer;
            decoder->capacity = capacity;
        }
    }
    memcpy(decoder->buffer + start + left, bytes, length);
    source->next_input_byte = decoder->buffer + start;
    source->bytes_in_buffer = left + length;
    return TESSERA_OK;
}

void tessera_jpeg_decoder_end(tessera_jpeg_decoder *decoder) {
    decoder->ended = true;
}

// MARK: Warnings

static bool harms_pixels(const struct jpeg_decompress_struct *info, int code) {
    switch (code) {
    case JWRN_HUFF_BAD_CODE:
        // Where enough sequential data without restarts is buffered, a faster loop decodes it to the same pixels and
        // reports no warning. Warnings must not depend on how the bytes arrived.
        return info->progressive_mode || info->restart_interval != 0;
    case JWRN_HIT_MARKER:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
        return true;
    default:
        return false;
    }
}

static void count_damage(tessera_jpeg_decoder *decoder, const char *message) {
    if (decoder->report.damages == 0) {
        memcpy(decoder->damage_message, message, sizeof decoder->damage_message);
        decoder->report.damage_offset = tessera_jpeg_decoder_position(decoder);
    }
    if (decoder->report.damages < UINT32_MAX)
        decoder->report.damages++;
}

static void take_warning(j_common_ptr common, int level) {
    if (level >= 0)
        return;
    tessera_jpeg_decoder *decoder = common->client_data;
    tessera_jpeg_report *report = &decoder->report;
    if (!harms_pixels(&decoder->info, common->err->msg_code)) {
        if (report->warnings < UINT32_MAX)
            report->warnings++;
        return;
    }
    if (decoder->ran_dry && !report->truncated) {
        struct jpeg_decompress_struct *info = &decoder->info;
        report->truncated = true;
        report->rows_begun = info->input_scan_number > 1
            ? info->output_height
            : (info->input_iMCU_row + 1) * (uint32_t)(info->max_v_samp_factor * info->min_DCT_scaled_size);
    }
    char message[JMSG_LENGTH_MAX];
    common->err->format_message(common, message);
    count_damage(decoder, message);
}

const char *tessera_jpeg_decoder_message(const tessera_jpeg_decoder *decoder) {
    return decoder->trap.outcome.message;
}

const char *tessera_jpeg_decoder_damage_message(const tessera_jpeg_decoder *decoder) {
    return decoder->damage_message;
}

void tessera_jpeg_decoder_report(const tessera_jpeg_decoder *decoder, tessera_jpeg_report *report) {
    *report = decoder->report;
    report->ran_dry = decoder->ran_dry;
}

// MARK: Segments

static bool is_wanted(uint8_t marker, const uint8_t *bytes, uint32_t length) {
    static const char exif[] = "Exif", xmp[] = "http://ns.adobe.com/xap/1.0/", icc[] = "ICC_PROFILE", mpf[] = "MPF",
                      extension[] = "http://ns.adobe.com/xmp/extension/";
    // Each signature ends with its zero.
    if (marker == JPEG_APP0 + 2)
        return (length >= sizeof icc && memcmp(bytes, icc, sizeof icc) == 0)
            || (length >= sizeof mpf && memcmp(bytes, mpf, sizeof mpf) == 0);
    return (length >= sizeof exif && memcmp(bytes, exif, sizeof exif) == 0)
        || (length >= sizeof xmp && memcmp(bytes, xmp, sizeof xmp) == 0)
        || (length >= sizeof extension && memcmp(bytes, extension, sizeof extension) == 0);
}

static void keep_segment(
    tessera_jpeg_decoder *decoder, uint8_t marker, uint64_t offset, const uint8_t *bytes, uint32_t length) {
    if (decoder->header_read || decoder->segment_count == SEGMENT_COUNT
        || length > SEGMENT_BYTES - decoder->segment_bytes || !is_wanted(marker, bytes, length))
        return;
    tessera_jpeg_kept_segment *kept = malloc(sizeof *kept + length);
    if (!kept)
        return;
    kept->next = NULL;
    kept->offset = offset;
    kept->length = length;
    kept->marker = marker;
    memcpy(kept->bytes, bytes, length);
    *decoder->last_segment = kept;
    decoder->last_segment = &kept->next;
    decoder->segment_count++;
    decoder->segment_bytes += length;
}

static boolean read_segment(j_decompress_ptr info) {
    tessera_jpeg_decoder *decoder = info->client_data;
    struct jpeg_source_mgr *source = info->src;
    size_t available = source->bytes_in_buffer;
    uint32_t length = available < 2 ? 2 : (uint32_t)source->next_input_byte[0] << 8 | source->next_input_byte[1];
    if (length < 2)
        ERREXIT(info, JERR_BAD_LENGTH);
    if (available < length) {
        if (!decoder->ended)
            return FALSE;
        // The file ends within the segment; the next read finds that out.
        source->next_input_byte += available;
        source->bytes_in_buffer = 0;
        return TRUE;
    }
    keep_segment(
        decoder, (uint8_t)info->unread_marker, tessera_jpeg_decoder_position(decoder) + 2,
        source->next_input_byte + 2, length - 2);
    source->next_input_byte += length;
    source->bytes_in_buffer -= length;
    return TRUE;
}

uint32_t tessera_jpeg_decoder_segment_count(const tessera_jpeg_decoder *decoder) {
    return decoder->segment_count;
}

tessera_jpeg_segment tessera_jpeg_decoder_segment(const tessera_jpeg_decoder *decoder, uint32_t index) {
    const tessera_jpeg_kept_segment *at = decoder->segments;
    while (at && index > 0) {
        at = at->next;
        index--;
    }
    tessera_jpeg_segment found = {0};
    if (at) {
        found.bytes = at->bytes;
        found.length = at->length;
        found.offset = at->offset;
        found.marker = at->marker;
    }
    return found;
}

// MARK: Life

static int32_t create(tessera_jpeg_decoder *decoder) {
    TESSERA_JPEG_ENTER(&decoder->trap);
    jpeg_create_decompress(&decoder->info);
    decoder->info.src = &decoder->source;
    jpeg_set_marker_processor(&decoder->info, JPEG_APP0 + 1, read_segment);
    jpeg_set_marker_processor(&decoder->info, JPEG_APP0 + 2, read_segment);
    return TESSERA_OK;
}

tessera_jpeg_decoder *tessera_jpeg_decoder_create(void) {
    tessera_jpeg_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder)
        return NULL;
    tessera_jpeg_trap_install(&decoder->trap);
    decoder->trap.manager.emit_message = take_warning;
    decoder->info.err = &decoder->trap.manager;
    decoder->info.client_data = decoder;
    decoder->last_segment = &decoder->segments;
    decoder->source.init_source = source_noop;
    decoder->source.fill_input_buffer = source_fill;
    decoder->source.skip_input_data = source_skip;
    decoder->source.resync_to_restart = jpeg_resync_to_restart;
    decoder->source.term_source = source_noop;
    if (create(decoder) < 0) {
        tessera_jpeg_decoder_destroy(decoder);
        return NULL;
    }
    return decoder;
}

void tessera_jpeg_decoder_destroy(tessera_jpeg_decoder *decoder) {
    if (!decoder)
        return;
    if (setjmp(decoder->trap.entry) == 0)
        jpeg_destroy_decompress(&decoder->info);
    for (tessera_jpeg_kept_segment *at = decoder->segments; at;) {
        tessera_jpeg_kept_segment *next = at->next;
        free(at);
        at = next;
    }
    free(decoder->scratch);
    free(decoder->buffer);
    free(decoder);
}

// MARK: Header

static uint8_t space_of(J_COLOR_SPACE space) {
    switch (space) {
    case JCS_GRAYSCALE:
        return TESSERA_JPEG_SPACE_GRAY;
    case JCS_RGB:
        return TESSERA_JPEG_SPACE_RGB;
    case JCS_YCbCr:
        return TESSERA_JPEG_SPACE_YCBCR;
    case JCS_CMYK:
        return TESSERA_JPEG_SPACE_CMYK;
    case JCS_YCCK:
        return TESSERA_JPEG_SPACE_YCCK;
    default:
        return TESSERA_JPEG_SPACE_UNKNOWN;
    }
}

static uint64_t component_bytes(const jpeg_component_info *component) {
    uint64_t h = (uint64_t)component->h_samp_factor, v = (uint64_t)component->v_samp_factor;
    return (component->width_in_blocks + h - 1) / h * h * ((component->height_in_blocks + v - 1) / v * v) * sizeof(JBLOCK);
}

static uint64_t coefficient_bytes(const struct jpeg_decompress_struct *info) {
    uint64_t bytes = 0;
    for (int i = 0; i < info->num_components; i++)
        bytes += component_bytes(&info->comp_info[i]);
    return bytes;
}

/// The colour space of a frame that libjpeg has read and not gone on with, by the rules that it goes by.
static J_COLOR_SPACE deep_space(const struct jpeg_decompress_struct *info) {
    const jpeg_component_info *components = info->comp_info;
    switch (info->num_components) {
    case 1:
        return JCS_GRAYSCALE;
    case 3:
        if (info->saw_JFIF_marker)
            return JCS_YCbCr;
        if (info->saw_Adobe_marker)
            return info->Adobe_transform == 0 ? JCS_RGB : JCS_YCbCr;
        return components[0].component_id == 'R' && components[1].component_id == 'G'
                && components[2].component_id == 'B'
            ? JCS_RGB
            : JCS_YCbCr;
    case 4:
        return info->saw_Adobe_marker && info->Adobe_transform == 2 ? JCS_YCCK : JCS_CMYK;
    default:
        return JCS_UNKNOWN;
    }
}

/// Whether libjpeg stopped at the first scan's data only because Huffman-coded samples have 12 bits. The caller decodes
/// those.
static bool take_deep_header(tessera_jpeg_decoder *decoder) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (info->err->msg_code != JERR_BAD_PRECISION || info->data_precision != DEEP_PRECISION || info->arith_code)
        return false;
    decoder->trap.outcome = (tessera_outcome){TESSERA_OK, ""};
    decoder->multiple_scans = info->progressive_mode || info->comps_in_scan < info->num_components;
    info->jpeg_color_space = deep_space(info);
    return true;
}

int32_t tessera_jpeg_decoder_read_header(tessera_jpeg_decoder *decoder, tessera_jpeg_header *header) {
    struct jpeg_decompress_struct *info = &decoder->info;
    TESSERA_JPEG_ENTER(&decoder->trap);
    if (decoder->started)
        return tessera_fail(&decoder->trap.outcome, TESSERA_MISUSE, "The header is behind");
    if (!decoder->header_read) {
        if (setjmp(decoder->trap.entry)) {
            if (!take_deep_header(decoder))
                return decoder->trap.outcome.status;
        } else {
            if (jpeg_read_header(info, TRUE) == JPEG_SUSPENDED)
                return TESSERA_NEED_MORE;
            decoder->multiple_scans = jpeg_has_multiple_scans(info);
        }
        decoder->header_read = true;
        if (setjmp(decoder->trap.entry))
            return decoder->trap.outcome.status;
    }
    memset(header, 0, sizeof *header);
    header->width = info->image_width;
    header->height = info->image_height;
    header->restart_interval = info->restart_interval;
    if (info->saw_JFIF_marker) {
        header->density_unit = info->density_unit;
        header->density_x = info->X_density;
        header->density_y = info->Y_density;
    }
    header->components = (uint8_t)info->num_components;
    header->precision = (uint8_t)info->data_precision;
    header->space = space_of(info->jpeg_color_space);
    header->adobe_transform = info->Adobe_transform;
    header->saw_jfif = info->saw_JFIF_marker;
    header->saw_adobe = info->saw_Adobe_marker;
    header->progressive = info->progressive_mode;
    header->arithmetic = info->arith_code;
    header->multiple_scans = decoder->multiple_scans;
    for (int i = 0; i < info->num_components && i < 4; i++) {
        header->horizontal_sampling[i] = (uint8_t)info->comp_info[i].h_samp_factor;
        header->vertical_sampling[i] = (uint8_t)info->comp_info[i].v_samp_factor;
    }
    if (decoder->multiple_scans && info->data_precision != DEEP_PRECISION)
        header->coefficient_bytes = coefficient_bytes(info);
    return TESSERA_OK;
}

// MARK: Starting

/// Checks the arguments, sets libjpeg's parameters and computes the output's geometry.
static int32_t configure(
    tessera_jpeg_decoder *decoder, const tessera_jpeg_decoding *options, tessera_jpeg_output *output) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (!decoder->header_read || decoder->started)
        return tessera_fail(&decoder->trap.outcome, TESSERA_MISUSE, "Not between header and start");
    if (info->data_precision == DEEP_PRECISION)
        return tessera_fail(&decoder->trap.outcome, TESSERA_UNSUPPORTED, "Samples of 12 bits aren't for libjpeg");
    if (options->scale < 1 || options->scale > 16)
        return tessera_fail(&decoder->trap.outcome, TESSERA_MISUSE, "A scale is 1 to 16 eighths");
    info->scale_num = options->scale;
    info->scale_denom = 8;
    info->dct_method = JDCT_ISLOW;
    info->do_fancy_upsampling = TRUE;
    info->do_block_smoothing = TRUE;
    info->raw_data_out = FALSE;
    switch (options->pixels) {
    case TESSERA_JPEG_PIXELS_GRAY8:
        info->out_color_space = JCS_GRAYSCALE;
        break;
    case TESSERA_JPEG_PIXELS_RGBA8:
        info->out_color_space = JCS_EXT_RGBA;
        break;
    case TESSERA_JPEG_PIXELS_CMYK8:
        info->out_color_space = JCS_CMYK;
        break;
    case TESSERA_JPEG_PIXELS_PLANES:
        info->out_color_space = info->jpeg_color_space;
        info->raw_data_out = TRUE;
        break;
    default:
        return tessera_fail(&decoder->trap.outcome, TESSERA_MISUSE, "Unknown kind of pixels");
    }
    jpeg_calc_output_dimensions(info);

    memset(output, 0, sizeof *output);
    uint32_t width = info->output_width, height = info->output_height;
    output->width = width;
    output->height = height;
    output->planes = 1;
    output->strip_height = (uint32_t)(info->max_v_samp_factor * info->min_DCT_scaled_size);
    if (options->pixels == TESSERA_JPEG_PIXELS_PLANES) {
        if (info->num_components > 4)
            return tessera_fail(&decoder->trap.outcome, TESSERA_UNSUPPORTED, "More than four components");
        if (options->window_width != 0)
            return tessera_fail(&decoder->trap.outcome, TESSERA_MISUSE, "Planes come whole");
        output->planes = (uint8_t)info->num_components;
        for (int i = 0; i < info->num_components; i++) {
            const jpeg_component_info *component = &info->comp_info[i];
            uint32_t side = (uint32_t)component->DCT_scaled_size;
            output->plane_width[i] = component->downsampled_width;
            output->plane_height[i] = component->downsampled_height;
            output->plane_stride[i] = component->width_in_blocks * side;
            output->plane_strip_height[i] = (uint32_t)component->v_samp_factor * side;
        }
    } else if (options->window_width != 0) {
        if (options->window_height == 0 || options->window_x >= width || options->window_y >= height
            || options->window_width > width - options->window_x
            || options->window_height > height - options->window_y)
            return tessera_fail(&decoder->trap.outcome, TESSERA_MISUSE, "The window is not in the image");
        output->width = options->window_width;
        output->height = options->window_height;
    }
    return TESSERA_OK;
}

/// Makes libjpeg omit columns that the window doesn't need: it keeps the MCUs that the window touches and some on
/// either side, since upsampling reads neighbours, and smoothing of unfinished scans two blocks further.
static void crop_columns(tessera_jpeg_decoder *decoder, uint32_t scale) {
    struct jpeg_decompress_struct *info = &decoder->info;
    uint32_t margin = (uint32_t)(info->max_h_samp_factor * info->min_DCT_scaled_size);
    if (decoder->multiple_scans)
        margin *= 3;
    JDIMENSION x = decoder->window_x > margin ? decoder->window_x - margin : 0;
    uint64_t right = (uint64_t)decoder->window_x + decoder->window_width + margin;
    JDIMENSION width = (right < info->output_width ? (JDIMENSION)right : info->output_width) - x;
    // 2.1.5 miscounts the columns of components sampled 4 to 1 when it also scales.
    bool counts_right = scale == 8 || (info->max_h_samp_factor <= 2 && info->max_v_samp_factor <= 2);
    if (counts_right && width < info->output_width)
        jpeg_crop_scanline(info, &x, &width);
    else
        x = 0;
    decoder->cut_left = decoder->window_x - x;
}

static void remember_frame(tessera_jpeg_decoder *decoder) {
    const struct jpeg_decompress_struct *info = &decoder->info;
    decoder->frame = (tessera_jpeg_frame){
        info->image_width,    info->image_height,     info->num_components,
        info->data_precision, info->progressive_mode, info->arith_code,
    };
}

/// libjpeg stores a second frame header's fields before it rejects that header or waits for the rest of it. The
/// decoding that was started needs the first header's fields.
static void restore_frame(tessera_jpeg_decoder *decoder) {
    struct jpeg_decompress_struct *info = &decoder->info;
    info->image_width = decoder->frame.width;
    info->image_height = decoder->frame.height;
    info->num_components = decoder->frame.components;
    info->data_precision = decoder->frame.precision;
    info->progressive_mode = decoder->frame.progressive;
    info->arith_code = decoder->frame.arithmetic;
}

int32_t tessera_jpeg_decoder_start(
    tessera_jpeg_decoder *decoder, const tessera_jpeg_decoding *options, tessera_jpeg_output *output) {
    struct jpeg_decompress_struct *info = &decoder->info;
    TESSERA_JPEG_ENTER(&decoder->trap);
    int32_t status = configure(decoder, options, output);
    if (status < 0)
        return status;
    if (decoder->multiple_scans) {
        if (options->maximum_coefficient_bytes != 0 && coefficient_bytes(info) > options->maximum_coefficient_bytes)
            return tessera_fail(&decoder->trap.outcome, TESSERA_LIMIT, "Too many coefficients to keep");
        decoder->maximum_scans = options->maximum_scans;
        info->buffered_image = TRUE;
    }
    if (!jpeg_start_decompress(info))
        return tessera_fail(&decoder->trap.outcome, TESSERA_CORRUPT, "Decoding didn't start");
    decoder->started = true;
    remember_frame(decoder);
    if (options->pixels == TESSERA_JPEG_PIXELS_PLANES)
        return TESSERA_OK;

    decoder->pixel_bytes = (uint8_t)info->output_components;
    decoder->window_x = options->window_width != 0 ? options->window_x : 0;
    decoder->window_y = options->window_width != 0 ? options->window_y : 0;
    decoder->window_width = output->width;
    decoder->window_height = output->height;
    if (output->width < info->output_width)
        crop_columns(decoder, options->scale);
    decoder->delivered_width = info->output_width;
    if (options->window_width != 0) {
        decoder->scratch = malloc((size_t)decoder->delivered_width * decoder->pixel_bytes * SCRATCH_ROWS);
        if (!decoder->scratch)
            return tessera_fail(&decoder->trap.outcome, TESSERA_NO_MEMORY, "Insufficient memory");
    }
    return TESSERA_OK;
}

// MARK: Passes

/// Whether some coefficients aren't known to their last bit.
static bool has_missing_scans(const struct jpeg_decompress_struct *info) {
    for (int i = 0; i < info->num_components; i++) {
        if (!info->comp_info[i].quant_table)
            return true;
        if (!info->progressive_mode || !info->coef_bits)
            continue;
        for (int k = 0; k < DCTSIZE2; k++)
            if (info->coef_bits[i][k] != 0)
                return true;
    }
    return false;
}

/// libjpeg's arithmetic decoder can't suspend, so such a file is decoded after its end.
static bool must_wait(const tessera_jpeg_decoder *decoder) {
    return decoder->info.arith_code && !decoder->ended;
}

/// Ends with the scans so far if the next one can't be started.
static int32_t break_off(tessera_jpeg_decoder *decoder, uint32_t *scans, bool *complete) {
    if (!decoder->scan_read || decoder->trap.outcome.status == TESSERA_MISUSE)
        return decoder->trap.outcome.status;
    count_damage(decoder, decoder->trap.outcome.message);
    if (decoder->ran_dry) {
        decoder->report.truncated = true;
        decoder->report.rows_begun = decoder->info.output_height;
    }
    if (decoder->complete_scans == 0) {
        decoder->complete_scans = 1;
        // Smoothing would look for the second scan.
        decoder->never_smooth = true;
    }
    restore_frame(decoder);
    decoder->trap.outcome.status = TESSERA_OK;
    decoder->trap.outcome.message[0] = 0;
    decoder->broken_off = true;
    decoder->all_scans = true;
    *scans = decoder->complete_scans;
    *complete = true;
    return TESSERA_OK;
}

int32_t tessera_jpeg_decoder_advance(tessera_jpeg_decoder *decoder, uint32_t *scans, bool *complete) {
    struct jpeg_decompress_struct *info = &decoder->info;
    *scans = decoder->complete_scans;
    *complete = decoder->all_scans;
    if (decoder->trap.outcome.status < 0)
        return decoder->trap.outcome.status;
    tessera_jpeg_prepare_thread();
    if (setjmp(decoder->trap.entry))
        return break_off(decoder, scans, complete);
    if (!decoder->started || decoder->passing)
        return tessera_fail(&decoder->trap.outcome, TESSERA_MISUSE, "Scans read within a pass");
    if (!decoder->multiple_scans) {
        *complete = true;
        return TESSERA_OK;
    }
    if (decoder->all_scans)
        return TESSERA_OK;
    if (must_wait(decoder))
        return TESSERA_NEED_MORE;
    for (;;) {
        if (decoder->maximum_scans != 0 && (uint32_t)info->input_scan_number > decoder->maximum_scans)
            return tessera_fail(&decoder->trap.outcome, TESSERA_LIMIT, "Too many scans");
        switch (jpeg_consume_input(info)) {
        case JPEG_SUSPENDED:
            return TESSERA_NEED_MORE;
        case JPEG_SCAN_COMPLETED:
            decoder->scan_read = true;
            break;
        case JPEG_REACHED_SOS:
            // A scan counts once the next one begins, since a pass over it may read that far.
            decoder->complete_scans = (uint32_t)info->input_scan_number - 1;
            *scans = decoder->complete_scans;
            return TESSERA_OK;
        case JPEG_REACHED_EOI:
            decoder->complete_scans = (uint32_t)info->input_scan_number;
            *scans = decoder->complete_scans;
            decoder->all_scans = true;
            if (decoder->ran_dry && !decoder->report.truncated && has_missing_scans(info)) {
                decoder->report.truncated = true;
                decoder->report.rows_begun = info->output_height;
            }
            *complete = true;
            return TESSERA_OK;
        default:
            break;
        }
    }
}

int32_t tessera_jpeg_decoder_begin_pass(tessera_jpeg_decoder *decoder) {
    struct jpeg_decompress_struct *info = &decoder->info;
    TESSERA_JPEG_ENTER(&decoder->trap);
    if (!decoder->started || decoder->passing)
        return tessera_fail(&decoder->trap.outcome, TESSERA_MISUSE, "A pass within a pass");
    if (decoder->multiple_scans) {
        if (decoder->complete_scans == 0)
            return tessera_fail(&decoder->trap.outcome, TESSERA_MISUSE, "A pass before any scan");
        restore_frame(decoder);
        // A preview is smoothed across blocks only for the first scan, unless each block becomes a pixel. With more
        // detail, smoothing costs as much as it gains. The last pass is libjpeg's.
        bool smooth = decoder->all_scans || (decoder->complete_scans == 1 && info->min_DCT_scaled_size > 1);
        info->do_block_smoothing = smooth && !decoder->never_smooth;
        if (!jpeg_start_output(info, (int)decoder->complete_scans))
            return tessera_fail(&decoder->trap.outcome, TESSERA_CORRUPT, "The pass didn't start");
    }
    decoder->passing = true;
    return TESSERA_OK;
}

int32_t tessera_jpeg_decoder_end_pass(tessera_jpeg_decoder *decoder) {
    TESSERA_JPEG_ENTER(&decoder->trap);
    if (!decoder->passing || !decoder->multiple_scans)
        return tessera_fail(&decoder->trap.outcome, TESSERA_MISUSE, "No pass to end");
    decoder->passing = false;
    if (!decoder->broken_off && !jpeg_finish_output(&decoder->info))
        return tessera_fail(&decoder->trap.outcome, TESSERA_CORRUPT, "The pass didn't end");
    return TESSERA_OK;
}

// MARK: Rows

/// Reads and discards `count` rows. True if all were read.
static bool drop_rows(tessera_jpeg_decoder *decoder, uint32_t count) {
    struct jpeg_decompress_struct *info = &decoder->info;
    JSAMPROW rows[SCRATCH_ROWS];
    size_t stride = (size_t)decoder->delivered_width * decoder->pixel_bytes;
    for (uint32_t i = 0; i < SCRATCH_ROWS; i++)
        rows[i] = decoder->scratch + i * stride;
    while (count > 0) {
        uint32_t read = jpeg_read_scanlines(info, rows, count < SCRATCH_ROWS ? count : SCRATCH_ROWS);
        if (read == 0)
            return false;
        count -= read;
    }
    return true;
}

/// Advances libjpeg to the window's first row. True once it is there.
static bool reach_window(tessera_jpeg_decoder *decoder) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (info->output_scanline >= decoder->window_y)
        return true;
    uint32_t margin = (uint32_t)(info->max_v_samp_factor * info->min_DCT_scaled_size);
    uint32_t away = decoder->window_y - info->output_scanline;
    // Skipping doesn't check whether the bytes have run out, so it waits until they can't.
    if (away > 2 * margin && (decoder->ended || decoder->all_scans)) {
        jpeg_skip_scanlines(info, away - margin);
        away = decoder->window_y - info->output_scanline;
    }
    return drop_rows(decoder, away);
}

int32_t tessera_jpeg_decoder_read_rows(
    tessera_jpeg_decoder *decoder, uint8_t *into, size_t stride, uint32_t count, uint32_t *rows) {
    struct jpeg_decompress_struct *info = &decoder->info;
    JSAMPROW addresses[ROWS_A_CALL];
    *rows = 0;
    TESSERA_JPEG_ENTER(&decoder->trap);
    size_t row_bytes = (size_t)decoder->window_width * decoder->pixel_bytes;
    if (!decoder->passing || decoder->pixel_bytes == 0 || stride < row_bytes)
        return tessera_fail(&decoder->trap.outcome, TESSERA_MISUSE, "Rows outside a pass, or too short");
    if (must_wait(decoder) || !reach_window(decoder))
        return TESSERA_NEED_MORE;
    uint32_t left = decoder->window_y + decoder->window_height - info->output_scanline;
    if (count > left)
        count = left;
    bool cut = decoder->delivered_width != decoder->window_width;
    uint32_t batch = cut ? SCRATCH_ROWS : ROWS_A_CALL;
    size_t delivered_bytes = (size_t)decoder->delivered_width * decoder->pixel_bytes;
    while (*rows < count) {
        uint32_t wanted = count - *rows < batch ? count - *rows : batch;
        for (uint32_t i = 0; i < wanted; i++)
            addresses[i] = cut ? decoder->scratch + i * delivered_bytes : into + (size_t)(*rows + i) * stride;
        uint32_t read = jpeg_read_scanlines(info, addresses, wanted);
        if (read == 0)
            return TESSERA_NEED_MORE;
        if (cut)
            for (uint32_t i = 0; i < read; i++)
                memcpy(
                    into + (size_t)(*rows + i) * stride,
                    addresses[i] + (size_t)decoder->cut_left * decoder->pixel_bytes, row_bytes);
        *rows += read;
    }
    return TESSERA_OK;
}

int32_t tessera_jpeg_decoder_read_strip(
    tessera_jpeg_decoder *decoder, uint8_t *const planes[4], const size_t strides[4], uint32_t *rows) {
    struct jpeg_decompress_struct *info = &decoder->info;
    // A component has at most 4 rows of blocks, each at most 16 rows of samples.
    JSAMPROW addresses[4][64];
    JSAMPARRAY components[4];
    *rows = 0;
    TESSERA_JPEG_ENTER(&decoder->trap);
    if (!decoder->passing || !info->raw_data_out)
        return tessera_fail(&decoder->trap.outcome, TESSERA_MISUSE, "A strip outside a pass over planes");
    if (must_wait(decoder))
        return TESSERA_NEED_MORE;
    if (info->output_scanline >= info->output_height)
        return TESSERA_OK;
    for (int i = 0; i < info->num_components && i < 4; i++) {
        const jpeg_component_info *component = &info->comp_info[i];
        uint32_t height = (uint32_t)(component->v_samp_factor * component->DCT_scaled_size);
        if (strides[i] < (size_t)component->width_in_blocks * (size_t)component->DCT_scaled_size)
            return tessera_fail(&decoder->trap.outcome, TESSERA_MISUSE, "A plane's rows are too short");
        for (uint32_t y = 0; y < height; y++)
            addresses[i][y] = planes[i] + y * strides[i];
        components[i] = addresses[i];
    }
    uint32_t first = info->output_scanline;
    uint32_t strip = (uint32_t)(info->max_v_samp_factor * info->min_DCT_scaled_size);
    if (jpeg_read_raw_data(info, components, strip) == 0)
        return TESSERA_NEED_MORE;
    *rows = info->output_height - first < strip ? info->output_height - first : strip;
    return TESSERA_OK;
}
