#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TESSERA_EXR_HEADERS

/// Red, green, blue and alpha.
enum { CHANNELS = 4 };

struct tessera_exr_decoder {
    tessera_outcome outcome;
    uint32_t maximum_side;
    uint64_t maximum_allocation;
    uint8_t *bytes;
    size_t length;
    exr_context_t context;

    int part;
    bool is_tiled;
    bool is_packed;
    exr_attr_box2i_t window;
    uint32_t tile_width;
    tessera_exr_header header;
};

tessera_exr_decoder *tessera_exr_decoder_create(uint32_t maximum_side, uint64_t maximum_allocation) {
    tessera_exr_decoder *decoder = tessera_exr_load() ? calloc(1, sizeof(tessera_exr_decoder)) : NULL;
    if (decoder) {
        decoder->maximum_side = maximum_side;
        decoder->maximum_allocation = maximum_allocation;
    }
    return decoder;
}

void tessera_exr_decoder_destroy(tessera_exr_decoder *decoder) {
    if (!decoder)
        return;
    if (decoder->context)
        tessera_exr.exr_finish(&decoder->context);
    free(decoder->bytes);
    free(decoder);
}

const char *tessera_exr_decoder_message(const tessera_exr_decoder *decoder) {
    return decoder->outcome.message;
}

static int32_t fail(tessera_exr_decoder *decoder, int32_t status, const char *message) {
    return tessera_fail(&decoder->outcome, status, message);
}

static int32_t status_of(exr_result_t result) {
    switch (result) {
    case EXR_ERR_SUCCESS:
        return TESSERA_OK;
    case EXR_ERR_OUT_OF_MEMORY:
        return TESSERA_NO_MEMORY;
    case EXR_ERR_READ_IO:
        return TESSERA_TRUNCATED;
    case EXR_ERR_FEATURE_NOT_IMPLEMENTED:
        return TESSERA_UNSUPPORTED;
    default:
        return TESSERA_CORRUPT;
    }
}

static int32_t check(tessera_exr_decoder *decoder, exr_result_t result) {
    int32_t status = status_of(result);
    return status < 0 ? fail(decoder, status, tessera_exr.exr_get_default_error_message(result)) : status;
}

// MARK: What the library calls

/// The library's allocations have no context: this bounds each, and the decoder checks what a band takes. Zeroed, since a
/// damaged chunk may leave some of it unwritten.
static void *allocate(size_t size) {
    return size > (size_t)1 << 30 ? NULL : calloc(1, size);
}

static void say_nothing(exr_const_context_t context, exr_result_t code, const char *message) {
    (void)context, (void)code, (void)message;
}

/// Any thread calls it, for any part of the bytes.
static int64_t read_bytes(
    exr_const_context_t context, void *user, void *buffer, uint64_t size, uint64_t offset,
    exr_stream_error_func_ptr_t report) {
    (void)context, (void)report;
    const tessera_exr_decoder *decoder = user;
    if (offset >= decoder->length)
        return 0;
    uint64_t left = decoder->length - offset;
    if (size > left)
        size = left;
    memcpy(buffer, decoder->bytes + offset, (size_t)size);
    return (int64_t)size;
}

static int64_t count_bytes(exr_const_context_t context, void *user) {
    (void)context;
    return (int64_t)((const tessera_exr_decoder *)user)->length;
}

// MARK: Header

/// A channel's place among red, green, blue and alpha; 0 for luminance, -1 for others.
static int place_of(const char *name) {
    static const char *const names[CHANNELS] = {"R", "G", "B", "A"};
    for (int index = 0; index < CHANNELS; index++)
        if (strcmp(name, names[index]) == 0)
            return index;
    return strcmp(name, "Y") == 0 ? 0 : -1;
}

/// Whether the part has colours that can be read. Its alpha and kind go to the header.
static bool has_colors(tessera_exr_decoder *decoder, int part) {
    const exr_attr_chlist_t *channels = NULL;
    if (tessera_exr.exr_get_channels(decoder->context, part, &channels) != EXR_ERR_SUCCESS || !channels)
        return false;
    unsigned found = 0;
    bool has_luminance = false, has_chroma = false;
    for (int index = 0; index < channels->num_channels; index++) {
        const exr_attr_chlist_entry_t *channel = &channels->entries[index];
        bool is_full = channel->x_sampling == 1 && channel->y_sampling == 1;
        if (strcmp(channel->name.str, "Y") == 0)
            has_luminance = is_full;
        else if (strcmp(channel->name.str, "RY") == 0 || strcmp(channel->name.str, "BY") == 0)
            has_chroma = true;
        else if (place_of(channel->name.str) >= 0 && is_full)
            found |= 1u << place_of(channel->name.str);
    }
    decoder->header.is_gray = (found & 7) != 7;
    decoder->header.has_alpha = found & 8;
    return (found & 7) == 7 || (has_luminance && !has_chroma);
}

static int32_t choose_part(tessera_exr_decoder *decoder) {
    int count = 0;
    int32_t status = check(decoder, tessera_exr.exr_get_count(decoder->context, &count));
    if (status < 0)
        return status;
    bool has_image = false;
    for (int part = 0; part < count; part++) {
        exr_storage_t storage;
        if (tessera_exr.exr_get_storage(decoder->context, part, &storage) != EXR_ERR_SUCCESS
            || (storage != EXR_STORAGE_SCANLINE && storage != EXR_STORAGE_TILED))
            continue;
        has_image = true;
        if (!has_colors(decoder, part))
            continue;
        decoder->part = part;
        decoder->is_tiled = storage == EXR_STORAGE_TILED;
        return TESSERA_OK;
    }
    return fail(
        decoder, TESSERA_UNSUPPORTED,
        has_image ? "it has no part with the channels R, G and B, or Y alone" : "deep images aren't read");
}

/// Whether OpenEXRCore 3.1 can unpack the part: it has no DWA, and confuses the channels of B44 unless all are halves.
static bool is_readable(const tessera_exr_decoder *decoder, exr_compression_t compression) {
    if (compression == EXR_COMPRESSION_DWAA || compression == EXR_COMPRESSION_DWAB)
        return false;
    if (compression != EXR_COMPRESSION_B44 && compression != EXR_COMPRESSION_B44A)
        return true;
    const exr_attr_chlist_t *channels = NULL;
    if (tessera_exr.exr_get_channels(decoder->context, decoder->part, &channels) != EXR_ERR_SUCCESS || !channels)
        return false;
    for (int index = 0; index < channels->num_channels; index++)
        if (channels->entries[index].pixel_type != EXR_PIXEL_HALF)
            return false;
    return true;
}

static int32_t read_layout(tessera_exr_decoder *decoder) {
    exr_const_context_t context = decoder->context;
    tessera_exr_header *header = &decoder->header;
    exr_compression_t compression;
    int32_t chunks = 0, rows = 0;
    int32_t status = check(decoder, tessera_exr.exr_get_data_window(context, decoder->part, &decoder->window));
    if (status >= 0)
        status = check(decoder, tessera_exr.exr_get_compression(context, decoder->part, &compression));
    if (status >= 0)
        status = check(decoder, tessera_exr.exr_get_chunk_count(context, decoder->part, &chunks));
    if (status >= 0)
        status = check(
            decoder, tessera_exr.exr_get_chunk_unpacked_size(context, decoder->part, &header->working_bytes));
    if (status < 0)
        return status;
    decoder->is_packed = compression != EXR_COMPRESSION_NONE;
    if (!is_readable(decoder, compression))
        return fail(decoder, TESSERA_UNSUPPORTED, "OpenEXRCore 3.1 can't unpack DWA, nor B44 of other than halves");
    const exr_attr_box2i_t *window = &decoder->window;
    int64_t width = (int64_t)window->max.x - window->min.x + 1, height = (int64_t)window->max.y - window->min.y + 1;
    if (width < 1 || height < 1)
        return fail(decoder, TESSERA_CORRUPT, "its data window is empty");
    if (width > decoder->maximum_side || height > decoder->maximum_side)
        return fail(decoder, TESSERA_LIMIT, "a side of its data window is too long");
    // Each chunk has at least the eight bytes of its offset.
    if (chunks < 1 || (uint64_t)chunks > decoder->length / 8)
        return fail(decoder, TESSERA_TRUNCATED, "it has more chunks than bytes");
    header->width = (uint32_t)width;
    header->height = (uint32_t)height;
    if (decoder->is_tiled) {
        uint32_t across = 0, down = 0;
        exr_tile_level_mode_t levels;
        exr_tile_round_mode_t rounding;
        status = check(
            decoder,
            tessera_exr.exr_get_tile_descriptor(context, decoder->part, &across, &down, &levels, &rounding));
        if (status < 0)
            return status;
        if (across < 1 || down < 1 || across > INT32_MAX || down > INT32_MAX)
            return fail(decoder, TESSERA_CORRUPT, "its tiles are empty");
        decoder->tile_width = across;
        header->band_height = down;
    } else {
        status = check(decoder, tessera_exr.exr_get_scanlines_per_chunk(context, decoder->part, &rows));
        if (status < 0)
            return status;
        if (rows < 1)
            return fail(decoder, TESSERA_CORRUPT, "its chunks are empty");
        header->band_height = (uint32_t)rows;
    }
    if (header->band_height > header->height)
        header->band_height = header->height;
    // Packed, unpacked, and two for the library's work.
    header->working_bytes = header->working_bytes > UINT64_MAX / 4 ? UINT64_MAX : 4 * header->working_bytes;
    if (header->working_bytes > decoder->maximum_allocation)
        return fail(decoder, TESSERA_LIMIT, "a chunk takes too much memory");
    return TESSERA_OK;
}

int32_t tessera_exr_decoder_open(
    tessera_exr_decoder *decoder, const uint8_t *bytes, size_t length, tessera_exr_header *header) {
    if (decoder->outcome.status < 0)
        return decoder->outcome.status;
    if (decoder->bytes || !length)
        return fail(decoder, TESSERA_MISUSE, "a decoder opens one file");
    decoder->bytes = malloc(length);
    if (!decoder->bytes)
        return fail(decoder, TESSERA_NO_MEMORY, "no memory for the file");
    memcpy(decoder->bytes, bytes, length);
    decoder->length = length;
    exr_context_initializer_t options = EXR_DEFAULT_CONTEXT_INITIALIZER;
    options.error_handler_fn = say_nothing;
    options.alloc_fn = allocate;
    options.free_fn = free;
    options.user_data = decoder;
    options.read_fn = read_bytes;
    options.size_fn = count_bytes;
    int side = decoder->maximum_side < INT32_MAX ? (int)decoder->maximum_side : INT32_MAX;
    options.max_image_width = options.max_image_height = options.max_tile_width = options.max_tile_height = side;
    // A missing table of chunks isn't searched for: that would read the whole file.
    options.flags = EXR_CONTEXT_FLAG_SILENT_HEADER_PARSE | EXR_CONTEXT_FLAG_DISABLE_CHUNK_RECONSTRUCTION;
    int32_t status = check(decoder, tessera_exr.exr_start_read(&decoder->context, "memory", &options));
    if (status >= 0)
        status = choose_part(decoder);
    if (status >= 0)
        status = read_layout(decoder);
    if (status < 0)
        return status;
    exr_attr_chromaticities_t colors;
    if (tessera_exr.exr_attr_get_chromaticities(decoder->context, decoder->part, "chromaticities", &colors)
        == EXR_ERR_SUCCESS) {
        decoder->header.has_chromaticities = true;
        const float values[8] = {colors.red_x,  colors.red_y,  colors.green_x, colors.green_y,
                                 colors.blue_x, colors.blue_y, colors.white_x, colors.white_y};
        memcpy(decoder->header.chromaticities, values, sizeof values);
    }
    *header = decoder->header;
    return TESSERA_OK;
}

// MARK: Pixels

/// Reads a chunk whose first pixel goes to `into`: plane by plane, since OpenEXRCore 3.1 exchanges interleaved channels.
static int32_t read_chunk(
    const tessera_exr_decoder *decoder, const exr_chunk_info_t *chunk, float *into, uint32_t width, uint32_t height) {
    // The library allocates what a chunk claims.
    if (chunk->packed_size > decoder->length)
        return TESSERA_TRUNCATED;
    // It would read beyond a chunk that is shorter than its pixels.
    if (chunk->unpacked_size > decoder->header.working_bytes
        || (!decoder->is_packed && chunk->packed_size != chunk->unpacked_size))
        return TESSERA_CORRUPT;
    size_t count = (size_t)width * height;
    // The last plane is for all channels that aren't used: OpenEXRCore 3.1 writes to null for some that have none.
    float *planes = calloc((CHANNELS + 1) * count, sizeof *planes);
    if (!planes)
        return TESSERA_NO_MEMORY;
    exr_decode_pipeline_t pipeline = EXR_DECODE_PIPELINE_INITIALIZER;
    exr_result_t result =
        tessera_exr.exr_decoding_initialize(decoder->context, decoder->part, chunk, &pipeline);
    if (result == EXR_ERR_SUCCESS) {
        for (int index = 0; index < pipeline.channel_count; index++) {
            exr_coding_channel_info_t *channel = &pipeline.channels[index];
            int place = place_of(channel->channel_name);
            bool is_luminance = strcmp(channel->channel_name, "Y") == 0;
            bool is_used = place >= 0 && (place > 2 || is_luminance == decoder->header.is_gray);
            // The rows of a chunk fit by what was checked above; a channel that differs is damaged, or has fewer samples.
            if (is_used ? channel->width != (int32_t)width || channel->height != (int32_t)height
                        : channel->width > (int32_t)width || channel->height > (int32_t)height) {
                result = EXR_ERR_CORRUPT_CHUNK;
                break;
            }
            if (!is_used) {
                channel->user_pixel_stride = channel->user_bytes_per_element;
                channel->user_line_stride = (int32_t)(width * sizeof(float));
                channel->decode_to_ptr = (uint8_t *)(planes + CHANNELS * count);
                continue;
            }
            channel->user_data_type = EXR_PIXEL_FLOAT;
            channel->user_bytes_per_element = sizeof(float);
            channel->user_pixel_stride = sizeof(float);
            channel->user_line_stride = (int32_t)(width * sizeof(float));
            channel->decode_to_ptr = (uint8_t *)(planes + place * count);
        }
        if (result == EXR_ERR_SUCCESS)
            result = tessera_exr.exr_decoding_choose_default_routines(decoder->context, decoder->part, &pipeline);
        if (result == EXR_ERR_SUCCESS)
            result = tessera_exr.exr_decoding_run(decoder->context, decoder->part, &pipeline);
    }
    tessera_exr.exr_decoding_destroy(decoder->context, &pipeline);
    bool is_gray = decoder->header.is_gray, has_alpha = decoder->header.has_alpha;
    const float *red = planes, *green = is_gray ? red : planes + count, *blue = is_gray ? red : planes + 2 * count;
    const float *alpha = planes + 3 * count;
    for (uint32_t y = 0; result == EXR_ERR_SUCCESS && y < height; y++) {
        float *pixel = into + (size_t)y * decoder->header.width * CHANNELS;
        for (uint32_t x = 0; x < width; x++, pixel += CHANNELS) {
            pixel[0] = *red++;
            pixel[1] = *green++;
            pixel[2] = *blue++;
            pixel[3] = has_alpha ? *alpha++ : 1;
        }
    }
    free(planes);
    return status_of(result);
}

int32_t tessera_exr_decoder_read(const tessera_exr_decoder *decoder, uint32_t band, float *into, size_t capacity) {
    const tessera_exr_header *header = &decoder->header;
    uint64_t first = (uint64_t)band * header->band_height;
    if (!decoder->context || first >= header->height)
        return TESSERA_MISUSE;
    uint32_t rows = header->height - (uint32_t)first < header->band_height ? header->height - (uint32_t)first
                                                                            : header->band_height;
    if (capacity / CHANNELS / header->width < rows || header->width > INT32_MAX / CHANNELS / sizeof(float))
        return TESSERA_MISUSE;
    exr_chunk_info_t chunk;
    if (!decoder->is_tiled) {
        int y = decoder->window.min.y + (int)first;
        exr_result_t result =
            tessera_exr.exr_read_scanline_chunk_info(decoder->context, decoder->part, y, &chunk);
        if (result != EXR_ERR_SUCCESS)
            return status_of(result);
        if (chunk.height != (int32_t)rows || chunk.width != (int32_t)header->width)
            return TESSERA_CORRUPT;
        int32_t status = read_chunk(decoder, &chunk, into, header->width, rows);
        if (status < 0)
            return status;
    }
    for (uint32_t x = 0; decoder->is_tiled && x < header->width; x += decoder->tile_width) {
        uint32_t width = header->width - x < decoder->tile_width ? header->width - x : decoder->tile_width;
        exr_result_t result = tessera_exr.exr_read_tile_chunk_info(
            decoder->context, decoder->part, (int)(x / decoder->tile_width), (int)band, 0, 0, &chunk);
        if (result != EXR_ERR_SUCCESS)
            return status_of(result);
        // At the edges, some versions give the size of a whole tile, and channels only what there is.
        if (chunk.width < (int32_t)width || chunk.height < (int32_t)rows)
            return TESSERA_CORRUPT;
        int32_t status = read_chunk(decoder, &chunk, into + (size_t)x * CHANNELS, width, rows);
        if (status < 0)
            return status;
    }
    return TESSERA_OK;
}

#else

tessera_exr_decoder *tessera_exr_decoder_create(uint32_t maximum_side, uint64_t maximum_allocation) {
    (void)maximum_side, (void)maximum_allocation;
    return NULL;
}

void tessera_exr_decoder_destroy(tessera_exr_decoder *decoder) {
    (void)decoder;
}

const char *tessera_exr_decoder_message(const tessera_exr_decoder *decoder) {
    (void)decoder;
    return "built without OpenEXR";
}

int32_t tessera_exr_decoder_open(
    tessera_exr_decoder *decoder, const uint8_t *bytes, size_t length, tessera_exr_header *header) {
    (void)decoder, (void)bytes, (void)length, (void)header;
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_exr_decoder_read(const tessera_exr_decoder *decoder, uint32_t band, float *into, size_t capacity) {
    (void)decoder, (void)band, (void)into, (void)capacity;
    return TESSERA_UNSUPPORTED;
}

#endif
