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

/// What libjxl has of its memory manager.
typedef struct {
    uint64_t used;
    uint64_t maximum;
} tessera_jxl_memory;

/// A metadata block that is being read.
typedef enum { BOX_NONE, BOX_EXIF, BOX_XMP } tessera_jxl_box;

struct tessera_jxl_decoder {
    const tessera_jxl_functions *library;
    JxlDecoder *main;
    /// An animation's frames are decoded beside the search for them; a picture's second attempt, beside its metadata.
    JxlDecoder *frame_decoder;
    tessera_jxl_memory memory;
    tessera_jxl_opening opening;

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
    /// Where the box ends that codestream is read from, and whether it is the newest one; 0 without an end.
    uint64_t codestream_end;
    bool is_in_codestream;
    bool read_all;

    // Output: the window's rows.
    tessera_jxl_decoding decoding;
    bool started;
    uint8_t *pixels;
    size_t stride;
    uint8_t *black;
    int32_t black_index;
    /// Pixels of each of the window's rows that came.
    uint32_t *counts;
    bool is_flushing;
    /// All of the picture could be drawn, if coarsely.
    bool is_coarse;
    uint32_t passes;
    bool complete;
    /// libjxl stumbled over bytes that came in pieces: the picture is decoded again once all of them are there.
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

/// A libjxl decoder with the settings that all share; NULL without memory.
JxlDecoder *tessera_jxl_make(tessera_jxl_decoder *decoder, int events);
/// One step of `jxl` over the bytes from `position` on, which is moved by what was read.
JxlDecoderStatus tessera_jxl_step(tessera_jxl_decoder *decoder, JxlDecoder *jxl, uint64_t *position);
/// Answers libjxl's question where pixels go to.
int32_t tessera_jxl_set_output(tessera_jxl_decoder *decoder, JxlDecoder *jxl);
/// Chooses the colour space of what comes out. At the event of that name.
void tessera_jxl_choose_color(tessera_jxl_decoder *decoder, JxlDecoder *jxl);
/// Has libjxl draw what it has so far.
bool tessera_jxl_flush(tessera_jxl_decoder *decoder, JxlDecoder *jxl);
/// Whether what there is of a picture that was cut short is worth drawing.
bool tessera_jxl_is_drawable(const tessera_jxl_decoder *decoder);
/// Reads boxes to the end of the bytes.
int32_t tessera_jxl_read_boxes(tessera_jxl_decoder *decoder);
/// Forgets metadata that were only read in part.
void tessera_jxl_forget_box(tessera_jxl_decoder *decoder);
/// Decodes the picture from all of its bytes at once. After `end`.
int32_t tessera_jxl_decode_whole(tessera_jxl_decoder *decoder);
/// Makes room for `capacity` bytes; false without memory.
bool tessera_jxl_reserve(tessera_jxl_block *block, size_t capacity);

#endif

#endif
