#ifndef CTESSERA_JXL_H
#define CTESSERA_JXL_H

// libjxl behind opaque handles and status codes. The library isn't linked: it takes 6 ms to load, so it is
// loaded when the first decoder or encoder is made. No function calls back into Swift; libjxl runs in the
// calling thread alone. A handle that has failed stays failed and keeps its first message. A handle belongs
// to one thread at a time, and may move from thread to thread between calls.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <CTesseraShim.h>

typedef struct tessera_jxl_decoder tessera_jxl_decoder;
typedef struct tessera_jxl_encoder tessera_jxl_encoder;

// MARK: The library

/// Whether the library was there when this was built.
bool tessera_jxl_available(void);
/// Loads the library unless it is loaded; false when it isn't installed. Safe from any thread.
bool tessera_jxl_load(void);
/// The file name of the library that this was built for.
const char *tessera_jxl_library_name(void);

// MARK: Decoding

typedef struct {
    /// Bytes that libjxl may ask its memory manager for; 0 for no limit. libjxl 0.7 takes most of its memory elsewhere.
    uint64_t maximum_memory;
    /// Bytes of the file that may be kept until the picture is complete, for a second attempt at it.
    uint64_t maximum_input;
    /// Bytes of one metadata block, unpacked.
    uint64_t maximum_metadata;
    /// Colours that are stored in no profile of their own (XYB) come as sRGB, and not as near to the original's profile
    /// as libjxl can make them.
    bool wants_srgb;
    /// Frames are looked for, and all bytes kept; otherwise the first picture is decoded.
    bool is_animation;
} tessera_jxl_opening;

typedef struct {
    /// As stored, before the orientation is applied.
    uint32_t width;
    uint32_t height;
    /// As EXIF numbers them.
    uint8_t orientation;
    uint8_t bits;
    /// Above 0 for floating point.
    uint8_t exponent_bits;
    bool is_gray;
    /// Colours are inks, 255 for none; `tessera_jxl_decoder_copy_black` has the fourth.
    bool is_cmyk;
    bool has_alpha;
    /// Colours are stored as the eye sees them (XYB), and converted to the profile.
    bool is_xyb;
    /// A JPEG can be made of the file again.
    bool has_jpeg;
    bool is_animated;
    uint32_t extra_channels;
    uint32_t ticks_numerator;
    uint32_t ticks_denominator;
    /// 0 for without end.
    uint32_t loops;
    /// 16 for PQ and 18 for HLG, with their primaries and white as xy; 0 for others, whose profile `icc` has.
    uint8_t transfer;
    double white[2];
    double red[2];
    double green[2];
    double blue[2];
} tessera_jxl_header;

typedef struct {
    uint8_t pixels;
    /// What the library shows of a picture before it is whole is wanted.
    bool wants_passes;
    /// The window wanted; rows are its rows.
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
} tessera_jxl_decoding;

typedef struct {
    /// Rows from the top that are as they will be.
    uint32_t rows;
    /// Passes that are in the pixels, the last one left out.
    uint32_t passes;
    /// All rows are as they will be.
    bool is_complete;
} tessera_jxl_progress;

/// A decoder, or NULL without memory or library. `tessera_jxl_decoder_destroy` frees it.
tessera_jxl_decoder *tessera_jxl_decoder_create(const tessera_jxl_opening *opening);
void tessera_jxl_decoder_destroy(tessera_jxl_decoder *decoder);
/// What went wrong first; an empty string if nothing did.
const char *tessera_jxl_decoder_message(const tessera_jxl_decoder *decoder);
/// Bytes that were read, from the start.
uint64_t tessera_jxl_decoder_position(const tessera_jxl_decoder *decoder);
/// Bytes that are kept.
uint64_t tessera_jxl_decoder_held(const tessera_jxl_decoder *decoder);

/// Copies bytes into the decoder; bytes it has read are forgotten, except an animation's.
int32_t tessera_jxl_decoder_append(tessera_jxl_decoder *decoder, const uint8_t *bytes, size_t length);
/// No more bytes will come.
void tessera_jxl_decoder_end(tessera_jxl_decoder *decoder);

int32_t tessera_jxl_decoder_read_header(tessera_jxl_decoder *decoder, tessera_jxl_header *header);
/// The profile of the values, NULL for sRGB; what of EXIF (a TIFF structure) and XMP has come so far, NULL for
/// none. They live as long as the decoder.
const uint8_t *tessera_jxl_decoder_icc(const tessera_jxl_decoder *decoder, size_t *length);
const uint8_t *tessera_jxl_decoder_exif(const tessera_jxl_decoder *decoder, size_t *length);
const uint8_t *tessera_jxl_decoder_xmp(const tessera_jxl_decoder *decoder, size_t *length);

/// After the header, once.
int32_t tessera_jxl_decoder_start(tessera_jxl_decoder *decoder, const tessera_jxl_decoding *decoding);
/// A picture: decodes until the bytes run out (NEED_MORE), or one more pass or the whole is there (OK). After `end`,
/// NEED_MORE becomes TRUNCATED, and pixels hold what could be made of the bytes, all rows of it if `passes` grew.
int32_t tessera_jxl_decoder_advance(tessera_jxl_decoder *decoder, tessera_jxl_progress *progress);
/// Copies rows that are there.
void tessera_jxl_decoder_copy_rows(
    const tessera_jxl_decoder *decoder, uint32_t first, uint8_t *into, size_t stride, uint32_t count);
/// Copies a row of black ink, 255 for none, a byte a pixel.
void tessera_jxl_decoder_copy_black(const tessera_jxl_decoder *decoder, uint32_t row, uint8_t *into);
/// A complete picture: reads metadata that follow it, as far as the bytes go.
int32_t tessera_jxl_decoder_read_rest(tessera_jxl_decoder *decoder);

// MARK: Animations

typedef struct {
    /// Frames whose bytes are all there.
    uint32_t frames;
    /// There are no more.
    bool is_complete;
} tessera_jxl_frames;

/// Finds frames as far as the bytes go. After `end`, TRUNCATED when frames are missing.
int32_t tessera_jxl_decoder_find_frames(tessera_jxl_decoder *decoder, tessera_jxl_frames *frames);
/// How long a frame that was found is shown, in ticks.
uint32_t tessera_jxl_decoder_frame_duration(const tessera_jxl_decoder *decoder, uint32_t index);
/// After `start`: decodes a frame that was found, as it is shown, for `copy_rows`. Fast when asked for in order.
int32_t tessera_jxl_decoder_decode_frame(tessera_jxl_decoder *decoder, uint32_t index);

// MARK: Reconstruction

/// The JPEG that the file was made of, to be freed with `tessera_jxl_free`; UNSUPPORTED when it was made of none.
int32_t tessera_jxl_reconstruct_jpeg(
    const uint8_t *bytes, size_t length, uint64_t maximum_length, uint8_t **jpeg, size_t *jpeg_length);
void tessera_jxl_free(uint8_t *jpeg);

// MARK: Encoding

typedef struct {
    uint32_t width;
    uint32_t height;
    uint8_t pixels;
    bool has_alpha;
    bool is_lossless;
    /// libjxl's measure of loss, above 0 to 25; 1 is where the eye begins to see it.
    float distance;
    /// 1 to 9.
    uint8_t effort;
    /// As EXIF numbers them.
    uint8_t orientation;
    /// Thousandths of a second; 0 for a still.
    bool is_animation;
    uint32_t loops;
    /// NULL for sRGB.
    const uint8_t *icc;
    size_t icc_length;
    /// NULL for none: a TIFF structure, and UTF-8.
    const uint8_t *exif;
    size_t exif_length;
    const uint8_t *xmp;
    size_t xmp_length;
} tessera_jxl_encoding;

/// An encoder, or NULL without memory or library. `tessera_jxl_encoder_destroy` frees it.
tessera_jxl_encoder *tessera_jxl_encoder_create(void);
void tessera_jxl_encoder_destroy(tessera_jxl_encoder *encoder);
const char *tessera_jxl_encoder_message(const tessera_jxl_encoder *encoder);

int32_t tessera_jxl_encoder_start(tessera_jxl_encoder *encoder, const tessera_jxl_encoding *encoding);
/// Rows of the frame that is being collected.
int32_t tessera_jxl_encoder_write_rows(
    tessera_jxl_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count);
/// The frame's rows are all there. `duration` is in thousandths of a second.
int32_t tessera_jxl_encoder_end_frame(tessera_jxl_encoder *encoder, uint32_t duration, bool is_last);
/// Instead of all that: a JPEG, to be had again to the bit.
int32_t tessera_jxl_encoder_add_jpeg(tessera_jxl_encoder *encoder, const uint8_t *jpeg, size_t length, uint8_t effort);
/// Compresses what was given. Bytes are in `output` until the next call; a length of 0: there are no more for now.
int32_t tessera_jxl_encoder_encode(tessera_jxl_encoder *encoder, const uint8_t **output, size_t *length);

#endif
