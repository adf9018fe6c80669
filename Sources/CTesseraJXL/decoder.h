#ifndef TESSERA_JXL_DECODER_H
#define TESSERA_JXL_DECODER_H

#include "include/CTesseraJXL.h"
#include "library.h"

#if TESSERA_JXL_IS_BUILT

/// A block of bytes that grows.
typedef struct {
    uint8_t *bytes;
    size_t length;
    size_t capacity;
} tessera_jxl_block;

/// The memory that libjxl has from its memory manager, which several threads may call.
typedef struct {
    _Atomic uint64_t used;
    uint64_t maximum;
} tessera_jxl_memory;

/// A metadata block that is being read.
typedef enum { BOX_NONE, BOX_EXIF, BOX_XMP } tessera_jxl_box;

struct tessera_jxl_decoder {
    const tessera_jxl_functions *library;
    JxlDecoder *main;
    /// The decoder for an animation's frames, beside the one that searches for them; or for an image's second attempt,
    /// beside the one for its metadata.
    JxlDecoder *frame_decoder;
    tessera_jxl_memory memory;
    tessera_jxl_opening opening;
    /// The threads that the runner uses, at least 1.
    uint16_t threads;

    // Input: `block` holds the bytes from `dropped` on.
    tessera_jxl_block input;
    uint64_t dropped;
    uint64_t main_position;
    uint64_t frame_position;
    bool ended;

    tessera_jxl_header header;
    bool has_color;
    bool has_header;
    tessera_jxl_block icc;
    tessera_jxl_block exif;
    tessera_jxl_block xmp;
    tessera_jxl_box box;
    /// The end of the box that the codestream is read from, and whether it is the newest box; 0 if unbounded.
    uint64_t codestream_end;
    bool is_in_codestream;
    bool read_all;

    // Output: the window's rows.
    tessera_jxl_decoding decoding;
    bool started;
    uint8_t *pixels;
    size_t stride;
    /// Where pixels are written to: `pixels`, or rows that the caller lends.
    uint8_t *target;
    size_t target_stride;
    uint8_t *black;
    int32_t black_index;
    /// The number of pixels so far of each of the window's rows, which several threads may add to.
    _Atomic uint32_t *counts;
    bool is_flushing;
    /// The number of pixels drawn so far; of the caller's rows each is drawn once.
    _Atomic uint64_t drawn;
    /// The whole image could be drawn, if coarsely.
    bool is_coarse;
    uint32_t passes;
    bool complete;
    /// libjxl failed on bytes in pieces: the image is decoded again once all of them have arrived.
    bool needs_whole;

    // Animation.
    uint32_t *durations;
    uint32_t frame_count;
    uint32_t frame_capacity;
    bool has_last_frame;
    bool last_frame_checked;
    uint32_t next_frame;

    tessera_outcome outcome;
};

/// A libjxl decoder with the common settings; NULL without memory.
JxlDecoder *tessera_jxl_make(tessera_jxl_decoder *decoder, int events);
/// One step of `jxl` over the bytes from `position` on, which advances by the bytes read.
JxlDecoderStatus tessera_jxl_step(tessera_jxl_decoder *decoder, JxlDecoder *jxl, uint64_t *position);
/// Sets libjxl's output for pixels.
int32_t tessera_jxl_set_output(tessera_jxl_decoder *decoder, JxlDecoder *jxl);
/// Chooses the colour space of the output. At the event JXL_DEC_COLOR_ENCODING.
void tessera_jxl_choose_color(tessera_jxl_decoder *decoder, JxlDecoder *jxl);
/// Makes libjxl draw the data so far.
bool tessera_jxl_flush(tessera_jxl_decoder *decoder, JxlDecoder *jxl);
/// Whether the part of a truncated image is worth drawing.
bool tessera_jxl_is_drawable(const tessera_jxl_decoder *decoder);
/// Reads boxes to the end of the bytes.
int32_t tessera_jxl_read_boxes(tessera_jxl_decoder *decoder);
/// Drops metadata that were only partly read.
void tessera_jxl_forget_box(tessera_jxl_decoder *decoder);
/// Decodes the image from all of its bytes at once. After `end`.
int32_t tessera_jxl_decode_whole(tessera_jxl_decoder *decoder);
/// Makes room for `capacity` bytes; false without memory.
bool tessera_jxl_reserve(tessera_jxl_block *block, size_t capacity);

#endif

#endif
