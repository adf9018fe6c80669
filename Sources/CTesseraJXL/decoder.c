#include "decoder.h"
#include "runner.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if TESSERA_JXL_IS_BUILT

enum { FIRST_BOX_CAPACITY = 4096, LONGEST_BOX_HEADER = 16, EXIF_HEADER = 4 };

bool tessera_jxl_reserve(tessera_jxl_block *block, size_t capacity) {
    if (capacity <= block->capacity)
        return true;
    if (capacity < block->capacity + block->capacity / 2)
        capacity = block->capacity + block->capacity / 2;
    uint8_t *bytes = realloc(block->bytes, capacity);
    if (!bytes)
        return false;
    block->bytes = bytes;
    block->capacity = capacity;
    return true;
}

// MARK: libjxl's memory

/// Each block is preceded by its size.
typedef union {
    uint64_t size;
    max_align_t alignment;
} memory_header;

static void *allocate(void *opaque, size_t size) {
    tessera_jxl_memory *memory = opaque;
    if (size > SIZE_MAX - sizeof(memory_header))
        return NULL;
    uint64_t used = atomic_fetch_add(&memory->used, size);
    memory_header *header = NULL;
    if (memory->maximum == 0 || (size <= memory->maximum && used <= memory->maximum - size))
        header = malloc(sizeof *header + size);
    if (!header) {
        atomic_fetch_sub(&memory->used, size);
        return NULL;
    }
    header->size = size;
    return header + 1;
}

static void deallocate(void *opaque, void *address) {
    tessera_jxl_memory *memory = opaque;
    if (!address)
        return;
    memory_header *header = (memory_header *)address - 1;
    atomic_fetch_sub(&memory->used, header->size);
    free(header);
}

// MARK: Life

JxlDecoder *tessera_jxl_make(tessera_jxl_decoder *decoder, int events) {
    JxlMemoryManager manager = {&decoder->memory, allocate, deallocate};
    const tessera_jxl_functions *library = decoder->library;
    JxlDecoder *jxl = library->JxlDecoderCreate(&manager);
    if (!jxl)
        return NULL;
    if (library->JxlDecoderSubscribeEvents(jxl, events) != JXL_DEC_SUCCESS ||
        library->JxlDecoderSetParallelRunner(jxl, tessera_jxl_run, &decoder->threads) != JXL_DEC_SUCCESS ||
        library->JxlDecoderSetKeepOrientation(jxl, JXL_TRUE) != JXL_DEC_SUCCESS ||
        library->JxlDecoderSetUnpremultiplyAlpha(jxl, JXL_TRUE) != JXL_DEC_SUCCESS) {
        library->JxlDecoderDestroy(jxl);
        return NULL;
    }
    // No effect if libjxl lacks Brotli: compressed metadata are then omitted.
    library->JxlDecoderSetDecompressBoxes(jxl, JXL_TRUE);
    return jxl;
}

tessera_jxl_decoder *tessera_jxl_decoder_create(const tessera_jxl_opening *opening) {
    const tessera_jxl_functions *library = tessera_jxl_library();
    tessera_jxl_decoder *decoder = library ? calloc(1, sizeof *decoder) : NULL;
    if (!decoder)
        return NULL;
    decoder->library = library;
    decoder->opening = *opening;
    decoder->memory.maximum = opening->maximum_memory;
    decoder->black_index = -1;
    decoder->threads = 1;
    int events = JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_BOX | JXL_DEC_FRAME;
    if (!opening->is_animation)
        events |= JXL_DEC_FULL_IMAGE | JXL_DEC_FRAME_PROGRESSION;
    decoder->main = tessera_jxl_make(decoder, events);
    if (!decoder->main) {
        free(decoder);
        return NULL;
    }
    return decoder;
}

void tessera_jxl_decoder_destroy(tessera_jxl_decoder *decoder) {
    if (!decoder)
        return;
    decoder->library->JxlDecoderDestroy(decoder->main);
    if (decoder->frame_decoder)
        decoder->library->JxlDecoderDestroy(decoder->frame_decoder);
    free(decoder->input.bytes);
    free(decoder->icc.bytes);
    free(decoder->exif.bytes);
    free(decoder->xmp.bytes);
    free(decoder->pixels);
    free(decoder->black);
    free(decoder->counts);
    free(decoder->durations);
    free(decoder);
}

void tessera_jxl_decoder_set_threads(tessera_jxl_decoder *decoder, uint16_t threads) {
    decoder->threads = threads;
}

const char *tessera_jxl_decoder_message(const tessera_jxl_decoder *decoder) {
    return decoder->outcome.message;
}

uint64_t tessera_jxl_decoder_position(const tessera_jxl_decoder *decoder) {
    return decoder->main_position;
}

uint64_t tessera_jxl_decoder_held(const tessera_jxl_decoder *decoder) {
    uint64_t end = decoder->dropped + decoder->input.length;
    return decoder->opening.is_animation || decoder->needs_whole ? end : end - decoder->main_position;
}

// MARK: Input

int32_t tessera_jxl_decoder_append(tessera_jxl_decoder *decoder, const uint8_t *bytes, size_t length) {
    if (decoder->outcome.status < 0)
        return decoder->outcome.status;
    if (decoder->ended)
        return tessera_fail(&decoder->outcome, TESSERA_MISUSE, "bytes after the end");
    if (decoder->read_all)
        return TESSERA_OK;
    tessera_jxl_block *input = &decoder->input;
    size_t read = (size_t)(decoder->main_position - decoder->dropped);
    // A second attempt at the image needs all bytes, up to the caller's limit.
    bool keeps_all = decoder->opening.is_animation || decoder->needs_whole ||
        (!decoder->complete && decoder->dropped == 0 && length <= decoder->opening.maximum_input &&
         input->length <= decoder->opening.maximum_input - length);
    // Moved when that at least halves what is kept, so that each byte is moved a few times at most.
    if (!keeps_all && read > 0 && read >= input->length - read) {
        memmove(input->bytes, input->bytes + read, input->length - read);
        input->length -= read;
        decoder->dropped += read;
    }
    if (length > SIZE_MAX - input->length || !tessera_jxl_reserve(input, input->length + length))
        return tessera_fail(&decoder->outcome, TESSERA_NO_MEMORY, "no memory for the file's bytes");
    if (length > 0)
        memcpy(input->bytes + input->length, bytes, length);
    input->length += length;
    return TESSERA_OK;
}

void tessera_jxl_decoder_end(tessera_jxl_decoder *decoder) {
    decoder->ended = true;
}

JxlDecoderStatus tessera_jxl_step(tessera_jxl_decoder *decoder, JxlDecoder *jxl, uint64_t *position) {
    static const uint8_t nothing;
    size_t offset = (size_t)(*position - decoder->dropped);
    size_t length = decoder->input.length - offset;
    const uint8_t *bytes = length > 0 ? decoder->input.bytes + offset : &nothing;
    if (decoder->library->JxlDecoderSetInput(jxl, bytes, length) != JXL_DEC_SUCCESS)
        return JXL_DEC_ERROR;
    JxlDecoderStatus status = decoder->library->JxlDecoderProcessInput(jxl);
    *position += length - decoder->library->JxlDecoderReleaseInput(jxl);
    return status;
}

// MARK: Metadata

static tessera_jxl_block *current_block(tessera_jxl_decoder *decoder) {
    return decoder->box == BOX_EXIF ? &decoder->exif : &decoder->xmp;
}

/// Ends the box that was being read.
static void finish_box(tessera_jxl_decoder *decoder) {
    if (decoder->box == BOX_NONE)
        return;
    tessera_jxl_block *block = current_block(decoder);
    block->length -= decoder->library->JxlDecoderReleaseBoxBuffer(decoder->main);
    if (block->length > decoder->opening.maximum_metadata + (decoder->box == BOX_EXIF ? EXIF_HEADER : 0))
        block->length = 0;
    decoder->box = BOX_NONE;
}

void tessera_jxl_forget_box(tessera_jxl_decoder *decoder) {
    if (decoder->box == BOX_NONE)
        return;
    tessera_jxl_block *block = current_block(decoder);
    free(block->bytes);
    *block = (tessera_jxl_block){0};
    decoder->box = BOX_NONE;
}

/// Gives the box that is being read the free space after its contents.
static int32_t offer_box(tessera_jxl_decoder *decoder, size_t capacity) {
    tessera_jxl_block *block = current_block(decoder);
    if (!tessera_jxl_reserve(block, capacity))
        return tessera_fail(&decoder->outcome, TESSERA_NO_MEMORY, "no memory for metadata");
    size_t have = block->length;
    block->length = block->capacity;
    // Of a truncated box compressed by Brotli, libjxl 0.7 takes what it hasn't written for contents.
    memset(block->bytes + have, 0, block->capacity - have);
    if (decoder->library->JxlDecoderSetBoxBuffer(decoder->main, block->bytes + have, block->capacity - have) !=
        JXL_DEC_SUCCESS)
        return tessera_fail(&decoder->outcome, TESSERA_CORRUPT, "libjxl refused a buffer for metadata");
    return TESSERA_OK;
}

/// The end of the box before which libjxl stands; 0 if unknown.
static uint64_t find_box_end(const tessera_jxl_decoder *decoder) {
    size_t offset = (size_t)(decoder->main_position - decoder->dropped);
    if (decoder->input.length - offset < 8)
        return 0;
    const uint8_t *box = decoder->input.bytes + offset;
    uint64_t size = (uint64_t)box[0] << 24 | (uint64_t)box[1] << 16 | (uint64_t)box[2] << 8 | box[3];
    // Below 8 the box is unbounded or has a 64-bit size, which no box of a header needs.
    return size >= 8 ? decoder->main_position + size : 0;
}

static int32_t begin_box(tessera_jxl_decoder *decoder) {
    const tessera_jxl_functions *library = decoder->library;
    JxlBoxType type;
    uint64_t size = 0;
    if (library->JxlDecoderGetBoxType(decoder->main, type, JXL_TRUE) != JXL_DEC_SUCCESS)
        return TESSERA_OK;
    decoder->is_in_codestream = memcmp(type, "jxlp", 4) == 0 || memcmp(type, "jxlc", 4) == 0;
    if (decoder->is_in_codestream)
        decoder->codestream_end = find_box_end(decoder);
    if (memcmp(type, "jbrd", 4) == 0)
        decoder->header.has_jpeg = true;
    tessera_jxl_box box = memcmp(type, "Exif", 4) == 0 && !decoder->exif.bytes ? BOX_EXIF
        : memcmp(type, "xml ", 4) == 0 && !decoder->xmp.bytes                  ? BOX_XMP
                                                                               : BOX_NONE;
    if (box == BOX_NONE)
        return TESSERA_OK;
    // A box whose stored size exceeds the limit isn't read. libjxl includes the box's header in its size.
    if (library->JxlDecoderGetBoxSizeRaw(decoder->main, &size) == JXL_DEC_SUCCESS &&
        size > decoder->opening.maximum_metadata + LONGEST_BOX_HEADER + EXIF_HEADER)
        return TESSERA_OK;
    decoder->box = box;
    return offer_box(decoder, FIRST_BOX_CAPACITY);
}

static int32_t grow_box(tessera_jxl_decoder *decoder) {
    tessera_jxl_block *block = current_block(decoder);
    block->length -= decoder->library->JxlDecoderReleaseBoxBuffer(decoder->main);
    if (block->length > decoder->opening.maximum_metadata + EXIF_HEADER)
        return tessera_fail(&decoder->outcome, TESSERA_LIMIT, "metadata are too large once unpacked");
    return offer_box(decoder, block->capacity * 2);
}

const uint8_t *tessera_jxl_decoder_icc(const tessera_jxl_decoder *decoder, size_t *length) {
    *length = decoder->icc.length;
    return decoder->icc.bytes;
}

const uint8_t *tessera_jxl_decoder_exif(const tessera_jxl_decoder *decoder, size_t *length) {
    // The box begins with the offset of the TIFF structure, counted from the end of that number.
    const uint8_t *bytes = decoder->exif.bytes;
    *length = 0;
    if (!bytes || decoder->box == BOX_EXIF || decoder->exif.length < 4)
        return NULL;
    uint32_t skip = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
    if (skip >= decoder->exif.length - 4)
        return NULL;
    *length = decoder->exif.length - 4 - skip;
    return bytes + 4 + skip;
}

const uint8_t *tessera_jxl_decoder_xmp(const tessera_jxl_decoder *decoder, size_t *length) {
    *length = decoder->box == BOX_XMP ? 0 : decoder->xmp.length;
    return *length > 0 ? decoder->xmp.bytes : NULL;
}

// MARK: Header

static int32_t read_basic_info(tessera_jxl_decoder *decoder) {
    const tessera_jxl_functions *library = decoder->library;
    JxlBasicInfo info;
    if (library->JxlDecoderGetBasicInfo(decoder->main, &info) != JXL_DEC_SUCCESS)
        return tessera_fail(&decoder->outcome, TESSERA_CORRUPT, "the header can't be read");
    tessera_jxl_header *header = &decoder->header;
    header->width = info.xsize;
    header->height = info.ysize;
    header->orientation = (uint8_t)info.orientation;
    header->bits = (uint8_t)info.bits_per_sample;
    header->exponent_bits = (uint8_t)info.exponent_bits_per_sample;
    header->is_gray = info.num_color_channels == 1;
    header->has_alpha = info.alpha_bits != 0;
    header->is_xyb = !info.uses_original_profile;
    header->intensity_target = info.intensity_target;
    header->is_animated = info.have_animation;
    header->extra_channels = info.num_extra_channels;
    if (info.have_animation) {
        header->ticks_numerator = info.animation.tps_numerator;
        header->ticks_denominator = info.animation.tps_denominator;
        header->loops = info.animation.num_loops;
    }
    for (uint32_t index = 0; index < info.num_extra_channels; index++) {
        JxlExtraChannelInfo channel;
        if (library->JxlDecoderGetExtraChannelInfo(decoder->main, index, &channel) == JXL_DEC_SUCCESS &&
            channel.type == JXL_CHANNEL_BLACK && !header->is_gray && decoder->black_index < 0) {
            header->is_cmyk = true;
            decoder->black_index = (int32_t)index;
        }
    }
    return TESSERA_OK;
}

static bool is_srgb(const JxlColorEncoding *color) {
    return color->transfer_function == JXL_TRANSFER_FUNCTION_SRGB && color->white_point == JXL_WHITE_POINT_D65 &&
        (color->color_space == JXL_COLOR_SPACE_GRAY ||
         (color->color_space == JXL_COLOR_SPACE_RGB && color->primaries == JXL_PRIMARIES_SRGB));
}

static bool is_high_dynamic_range(const JxlColorEncoding *color) {
    return color->transfer_function == JXL_TRANSFER_FUNCTION_PQ ||
        color->transfer_function == JXL_TRANSFER_FUNCTION_HLG;
}

void tessera_jxl_choose_color(tessera_jxl_decoder *decoder, JxlDecoder *jxl) {
    const tessera_jxl_functions *library = decoder->library;
    if (!decoder->header.is_xyb)
        return;
    // libjxl converts XYB to any space that it has a name for. For other spaces it would output linear values, for
    // which eight bits are too few. High dynamic range isn't converted: the caller does that, in the same way for all
    // formats.
    JxlColorEncoding color;
    bool has_name = library->JxlDecoderGetColorAsEncodedProfile(
                        jxl, NULL, JXL_COLOR_PROFILE_TARGET_ORIGINAL, &color) == JXL_DEC_SUCCESS;
    if (has_name && (!decoder->opening.wants_srgb || is_high_dynamic_range(&color)))
        return;
    library->JxlColorEncodingSetToSRGB(&color, decoder->header.is_gray);
    // If it is refused, the profile that is requested next describes the values.
    library->JxlDecoderSetPreferredColorProfile(jxl, &color);
}

static int32_t read_color(tessera_jxl_decoder *decoder) {
    const tessera_jxl_functions *library = decoder->library;
    const JxlColorProfileTarget target = JXL_COLOR_PROFILE_TARGET_DATA;
    tessera_jxl_choose_color(decoder, decoder->main);
    JxlColorEncoding color;
    if (library->JxlDecoderGetColorAsEncodedProfile(decoder->main, NULL, target, &color) == JXL_DEC_SUCCESS) {
        if (is_srgb(&color))
            return TESSERA_OK;
        if (is_high_dynamic_range(&color)) {
            tessera_jxl_header *header = &decoder->header;
            // libjxl numbers transfer functions as ISO/IEC 23091-2 does.
            header->transfer = (uint8_t)color.transfer_function;
            memcpy(header->white, color.white_point_xy, sizeof header->white);
            memcpy(header->red, color.primaries_red_xy, sizeof header->red);
            memcpy(header->green, color.primaries_green_xy, sizeof header->green);
            memcpy(header->blue, color.primaries_blue_xy, sizeof header->blue);
            return TESSERA_OK;
        }
    }
    size_t size = 0;
    if (library->JxlDecoderGetICCProfileSize(decoder->main, NULL, target, &size) != JXL_DEC_SUCCESS || size == 0 ||
        size > decoder->opening.maximum_metadata)
        return TESSERA_OK;
    if (!tessera_jxl_reserve(&decoder->icc, size))
        return tessera_fail(&decoder->outcome, TESSERA_NO_MEMORY, "no memory for the colour profile");
    if (library->JxlDecoderGetColorAsICCProfile(decoder->main, NULL, target, decoder->icc.bytes, size) ==
        JXL_DEC_SUCCESS)
        decoder->icc.length = size;
    return TESSERA_OK;
}

/// Handles events that don't concern the caller; false for those that do.
static bool handled(tessera_jxl_decoder *decoder, JxlDecoderStatus event, int32_t *status) {
    switch (event) {
    case JXL_DEC_BASIC_INFO:
        *status = read_basic_info(decoder);
        return true;
    case JXL_DEC_BOX:
        finish_box(decoder);
        *status = begin_box(decoder);
        return true;
    case JXL_DEC_BOX_NEED_MORE_OUTPUT:
        *status = grow_box(decoder);
        return true;
    case JXL_DEC_ERROR:
        *status = tessera_fail(&decoder->outcome, TESSERA_CORRUPT, "libjxl found an error in the file");
        return true;
    default:
        return false;
    }
}

int32_t tessera_jxl_decoder_read_header(tessera_jxl_decoder *decoder, tessera_jxl_header *header) {
    int32_t status = decoder->outcome.status;
    while (status >= 0 && !decoder->has_header) {
        JxlDecoderStatus event = tessera_jxl_step(decoder, decoder->main, &decoder->main_position);
        if (handled(decoder, event, &status)) {
            decoder->has_header = status >= 0 && decoder->has_color && decoder->is_in_codestream;
            continue;
        }
        switch (event) {
        case JXL_DEC_NEED_MORE_INPUT:
            return decoder->ended
                ? tessera_fail(&decoder->outcome, TESSERA_TRUNCATED, "the file ends before its header does")
                : TESSERA_NEED_MORE;
        case JXL_DEC_COLOR_ENCODING:
            status = read_color(decoder);
            decoder->has_color = true;
            // If the codestream's header is in a separate box, metadata follow it before the frames: they are read
            // first, and nothing of a frame.
            decoder->has_header = status >= 0 && decoder->main_position != decoder->codestream_end;
            decoder->is_in_codestream = false;
            break;
        default:
            return tessera_fail(&decoder->outcome, TESSERA_CORRUPT, "the file has no image");
        }
    }
    *header = decoder->header;
    return status;
}

// MARK: Pixels

static float within_one(float value) {
    // NaN becomes 0 too.
    value = value > 0 ? value : 0;
    return value < 1 ? value : 1;
}

// By way of int, for which compilers have vectors.

static uint8_t to8(float value) {
    return (uint8_t)(int)(within_one(value) * 255.0f + 0.5f);
}

static uint16_t to16(float value) {
    return (uint16_t)(int)(within_one(value) * 65535.0f + 0.5f);
}

/// Receives a piece of a row, four floats per pixel. Several threads call it at once, for different pieces.
static void take_pixels(void *opaque, size_t x, size_t y, size_t count, const void *pixels) {
    tessera_jxl_decoder *decoder = opaque;
    const tessera_jxl_decoding *window = &decoder->decoding;
    if (y < window->y || y - window->y >= window->height || x >= decoder->header.width)
        return;
    const float *from = pixels;
    size_t end = count < decoder->header.width - x ? x + count : decoder->header.width;
    size_t window_end = (size_t)window->x + window->width;
    size_t first = x < window->x ? window->x : x;
    if (end > window_end)
        end = window_end;
    if (first >= end)
        return;
    from += 4 * (first - x);
    size_t row = y - window->y, column = first - window->x, wanted = end - first;
    uint8_t *into = decoder->target + row * decoder->target_stride;
    switch (window->pixels) {
    case TESSERA_GRAY8:
        for (size_t i = 0; i < wanted; i++)
            into[column + i] = to8(from[4 * i]);
        break;
    case TESSERA_GRAY16:
        for (size_t i = 0; i < wanted; i++)
            ((uint16_t *)into)[column + i] = to16(from[4 * i]);
        break;
    case TESSERA_RGBA8:
        into += 4 * column;
        for (size_t i = 0; i < 4 * wanted; i++)
            into[i] = to8(from[i]);
        break;
    default: {
        uint16_t *wide = (uint16_t *)into + 4 * column;
        for (size_t i = 0; i < 4 * wanted; i++)
            wide[i] = to16(from[i]);
    }
    }
    atomic_fetch_add_explicit(&decoder->drawn, wanted, memory_order_relaxed);
    if (!decoder->is_flushing)
        atomic_fetch_add_explicit(&decoder->counts[row], (uint32_t)wanted, memory_order_relaxed);
}

int32_t tessera_jxl_set_output(tessera_jxl_decoder *decoder, JxlDecoder *jxl) {
    const JxlPixelFormat format = {4, JXL_TYPE_FLOAT, JXL_NATIVE_ENDIAN, 0};
    const JxlPixelFormat bytes = {1, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    const tessera_jxl_functions *library = decoder->library;
    if (library->JxlDecoderSetImageOutCallback(jxl, &format, take_pixels, decoder) != JXL_DEC_SUCCESS)
        return tessera_fail(&decoder->outcome, TESSERA_CORRUPT, "libjxl refused to deliver pixels");
    size_t size = (size_t)decoder->header.width * decoder->header.height;
    if (decoder->black &&
        library->JxlDecoderSetExtraChannelBuffer(
            jxl, &bytes, decoder->black, size, (uint32_t)decoder->black_index) != JXL_DEC_SUCCESS)
        return tessera_fail(&decoder->outcome, TESSERA_CORRUPT, "libjxl refused to deliver black");
    return TESSERA_OK;
}

int32_t tessera_jxl_decoder_start(tessera_jxl_decoder *decoder, const tessera_jxl_decoding *decoding) {
    if (decoder->outcome.status < 0)
        return decoder->outcome.status;
    const tessera_jxl_header *header = &decoder->header;
    if (!decoder->has_header || decoder->started || decoding->width == 0 || decoding->height == 0 ||
        decoding->x >= header->width || decoding->width > header->width - decoding->x ||
        decoding->y >= header->height || decoding->height > header->height - decoding->y)
        return tessera_fail(&decoder->outcome, TESSERA_MISUSE, "started out of order, or with an impossible window");
    size_t pixel;
    switch (decoding->pixels) {
    case TESSERA_GRAY8:
        pixel = 1;
        break;
    case TESSERA_GRAY16:
        pixel = 2;
        break;
    case TESSERA_RGBA8:
        pixel = 4;
        break;
    case TESSERA_RGBA16:
        pixel = 8;
        break;
    default:
        return tessera_fail(&decoder->outcome, TESSERA_MISUSE, "no such kind of pixels");
    }
    decoder->decoding = *decoding;
    decoder->stride = pixel * decoding->width;
    // Zeroed memory takes no pages before it is written.
    decoder->pixels = calloc(decoding->height, decoder->stride);
    decoder->counts = calloc(decoding->height, sizeof *decoder->counts);
    if (header->is_cmyk)
        decoder->black = calloc(header->height, header->width);
    if (!decoder->pixels || !decoder->counts || (header->is_cmyk && !decoder->black))
        return tessera_fail(&decoder->outcome, TESSERA_NO_MEMORY, "no memory for the pixels");
    tessera_jxl_decoder_lend(decoder, NULL, 0);
    decoder->library->JxlDecoderSetProgressiveDetail(decoder->main, decoding->wants_passes ? kPasses : kDC);
    decoder->started = true;
    return TESSERA_OK;
}

bool tessera_jxl_is_drawable(const tessera_jxl_decoder *decoder) {
    // XYB is stored by frequency or by halves of the resolution. The missing part of other images would be black.
    return decoder->is_coarse || decoder->header.is_xyb;
}

bool tessera_jxl_flush(tessera_jxl_decoder *decoder, JxlDecoder *jxl) {
    decoder->is_flushing = true;
    bool done = decoder->library->JxlDecoderFlushImage(jxl) == JXL_DEC_SUCCESS;
    decoder->is_flushing = false;
    // The caller's rows may hold anything where nothing was drawn.
    if (decoder->target != decoder->pixels && decoder->drawn < (uint64_t)decoder->decoding.width * decoder->decoding.height)
        done = false;
    decoder->passes += done;
    return done;
}

static void report(const tessera_jxl_decoder *decoder, tessera_jxl_progress *progress) {
    progress->is_complete = decoder->complete;
    progress->passes = decoder->passes;
    uint32_t rows = progress->rows;
    const tessera_jxl_decoding *window = &decoder->decoding;
    // Rows that were drawn early are drawn again, at a time that only the end reveals.
    while (rows < window->height && decoder->passes == 0 && !decoder->black && decoder->counts[rows] >= window->width)
        rows++;
    progress->rows = decoder->complete ? window->height : rows;
}

int32_t tessera_jxl_decoder_advance(tessera_jxl_decoder *decoder, tessera_jxl_progress *progress) {
    int32_t status = decoder->outcome.status;
    if (status >= 0 && (!decoder->started || decoder->opening.is_animation))
        status = tessera_fail(&decoder->outcome, TESSERA_MISUSE, "decoding before the start");
    bool is_waiting = false;
    uint32_t passes = decoder->passes;
    while (status >= 0 && !decoder->complete && !is_waiting && decoder->passes == passes) {
        if (decoder->needs_whole) {
            is_waiting = !decoder->ended;
            if (decoder->ended)
                status = tessera_jxl_decode_whole(decoder);
            continue;
        }
        JxlDecoderStatus event = tessera_jxl_step(decoder, decoder->main, &decoder->main_position);
        // libjxl 0.7 loses its place if a frame's sections are stored in another order than it reads them in and it
        // must pause between them, for more bytes or for a pass. It succeeds with all bytes and no pause.
        if (event == JXL_DEC_ERROR && decoder->dropped == 0) {
            decoder->needs_whole = true;
            continue;
        }
        if (handled(decoder, event, &status))
            continue;
        switch (event) {
        case JXL_DEC_NEED_MORE_INPUT:
            is_waiting = true;
            if (decoder->ended) {
                status = tessera_fail(&decoder->outcome, TESSERA_TRUNCATED, "the file ends before the image does");
                if (tessera_jxl_is_drawable(decoder))
                    tessera_jxl_flush(decoder, decoder->main);
            }
            break;
        case JXL_DEC_FRAME:
            break;
        case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
            status = tessera_jxl_set_output(decoder, decoder->main);
            break;
        case JXL_DEC_FRAME_PROGRESSION:
            decoder->is_coarse = true;
            if (decoder->decoding.wants_passes)
                tessera_jxl_flush(decoder, decoder->main);
            break;
        case JXL_DEC_FULL_IMAGE:
            decoder->complete = true;
            break;
        default:
            status = tessera_fail(&decoder->outcome, TESSERA_CORRUPT, "the file has no image");
        }
    }
    if (decoder->started)
        report(decoder, progress);
    return status < 0 ? status : is_waiting ? TESSERA_NEED_MORE : TESSERA_OK;
}

void tessera_jxl_decoder_lend(tessera_jxl_decoder *decoder, uint8_t *rows, size_t stride) {
    decoder->target = rows ? rows : decoder->pixels;
    decoder->target_stride = rows ? stride : decoder->stride;
}

void tessera_jxl_decoder_copy_rows(
    const tessera_jxl_decoder *decoder, uint32_t first, uint8_t *into, size_t stride, uint32_t count) {
    for (uint32_t y = 0; y < count && first + y < decoder->decoding.height; y++)
        memcpy(into + y * stride, decoder->pixels + (first + y) * decoder->stride, decoder->stride);
}

void tessera_jxl_decoder_copy_black(const tessera_jxl_decoder *decoder, uint32_t row, uint8_t *into) {
    const tessera_jxl_decoding *window = &decoder->decoding;
    if (decoder->black && row < window->height)
        memcpy(
            into, decoder->black + (size_t)(window->y + row) * decoder->header.width + window->x, window->width);
}

int32_t tessera_jxl_read_boxes(tessera_jxl_decoder *decoder) {
    int32_t status = decoder->outcome.status;
    while (status >= 0 && !decoder->read_all) {
        JxlDecoderStatus event = tessera_jxl_step(decoder, decoder->main, &decoder->main_position);
        if (event == JXL_DEC_ERROR) {
            decoder->read_all = true;
        } else if (!handled(decoder, event, &status)) {
            if (event == JXL_DEC_NEED_MORE_INPUT && !decoder->ended)
                return TESSERA_NEED_MORE;
            decoder->read_all = true;
        }
    }
    if (decoder->read_all)
        finish_box(decoder);
    return status;
}

int32_t tessera_jxl_decoder_read_rest(tessera_jxl_decoder *decoder) {
    // An image has no use for an animation's other frames.
    return decoder->complete && !decoder->header.is_animated ? tessera_jxl_read_boxes(decoder)
                                                             : decoder->outcome.status;
}

#else

tessera_jxl_decoder *tessera_jxl_decoder_create(const tessera_jxl_opening *opening) {
    (void)opening;
    return NULL;
}

void tessera_jxl_decoder_destroy(tessera_jxl_decoder *decoder) {
    (void)decoder;
}

void tessera_jxl_decoder_set_threads(tessera_jxl_decoder *decoder, uint16_t threads) {
    (void)decoder, (void)threads;
}

const char *tessera_jxl_decoder_message(const tessera_jxl_decoder *decoder) {
    (void)decoder;
    return "";
}

uint64_t tessera_jxl_decoder_position(const tessera_jxl_decoder *decoder) {
    (void)decoder;
    return 0;
}

uint64_t tessera_jxl_decoder_held(const tessera_jxl_decoder *decoder) {
    (void)decoder;
    return 0;
}

int32_t tessera_jxl_decoder_append(tessera_jxl_decoder *decoder, const uint8_t *bytes, size_t length) {
    (void)decoder, (void)bytes, (void)length;
    return TESSERA_UNSUPPORTED;
}

void tessera_jxl_decoder_end(tessera_jxl_decoder *decoder) {
    (void)decoder;
}

int32_t tessera_jxl_decoder_read_header(tessera_jxl_decoder *decoder, tessera_jxl_header *header) {
    (void)decoder, (void)header;
    return TESSERA_UNSUPPORTED;
}

const uint8_t *tessera_jxl_decoder_icc(const tessera_jxl_decoder *decoder, size_t *length) {
    (void)decoder;
    *length = 0;
    return NULL;
}

const uint8_t *tessera_jxl_decoder_exif(const tessera_jxl_decoder *decoder, size_t *length) {
    (void)decoder;
    *length = 0;
    return NULL;
}

const uint8_t *tessera_jxl_decoder_xmp(const tessera_jxl_decoder *decoder, size_t *length) {
    (void)decoder;
    *length = 0;
    return NULL;
}

int32_t tessera_jxl_decoder_start(tessera_jxl_decoder *decoder, const tessera_jxl_decoding *decoding) {
    (void)decoder, (void)decoding;
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_jxl_decoder_advance(tessera_jxl_decoder *decoder, tessera_jxl_progress *progress) {
    (void)decoder, (void)progress;
    return TESSERA_UNSUPPORTED;
}

void tessera_jxl_decoder_lend(tessera_jxl_decoder *decoder, uint8_t *rows, size_t stride) {
    (void)decoder, (void)rows, (void)stride;
}

void tessera_jxl_decoder_copy_rows(
    const tessera_jxl_decoder *decoder, uint32_t first, uint8_t *into, size_t stride, uint32_t count) {
    (void)decoder, (void)first, (void)into, (void)stride, (void)count;
}

void tessera_jxl_decoder_copy_black(const tessera_jxl_decoder *decoder, uint32_t row, uint8_t *into) {
    (void)decoder, (void)row, (void)into;
}

int32_t tessera_jxl_decoder_read_rest(tessera_jxl_decoder *decoder) {
    (void)decoder;
    return TESSERA_UNSUPPORTED;
}

#endif
