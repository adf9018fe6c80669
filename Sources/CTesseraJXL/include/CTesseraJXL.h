#ifndef CTESSERA_JXL_H
#define CTESSERA_JXL_H

// libjxl behind opaque handles and status codes. The library isn't linked: it takes 6 ms to load, so it is
// loaded when the first decoder or encoder is made. No function calls back into Swift. A call runs on the calling thread
// and as many others as were set, which end before it returns; the result is the same for any number. A handle that has
// failed stays failed and keeps its first message. A handle belongs to one thread at a time, and may move from thread to
// thread between calls.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <CTesseraShim.h>

typedef struct tessera_jxl_decoder tessera_jxl_decoder;
typedef struct tessera_jxl_encoder tessera_jxl_encoder;

// MARK: The library

/// Whether this was built with the library.
bool tessera_jxl_available(void);
/// Loads the library if it isn't loaded; false if it isn't installed. Safe from any thread.
bool tessera_jxl_load(void);
/// The file name of the library's version that this was built for.
const char *tessera_jxl_library_name(void);

// MARK: Decoding

typedef struct {
    /// Bytes that libjxl may ask its memory manager for; 0 for no limit. libjxl 0.7 takes most of its memory elsewhere.
    uint64_t maximum_memory;
    /// Bytes of the file that may be kept until the image is complete, for a second attempt at it.
    uint64_t maximum_input;
    /// Bytes of one metadata block, unpacked.
    uint64_t maximum_metadata;
    /// XYB colours are converted to sRGB, and not to the space nearest to the original's profile.
    bool wants_srgb;
    /// Finds the frames and keeps all bytes; otherwise the first image is decoded.
    bool is_animation;
} tessera_jxl_opening;

typedef struct {
    /// The stored size, before the orientation is applied.
    uint32_t width;
    uint32_t height;
    /// Orientation as in EXIF.
    uint8_t orientation;
    uint8_t bits;
    /// Bits of the exponent; above 0 for floating point.
    uint8_t exponent_bits;
    bool is_gray;
    /// CMYK, inverted; `tessera_jxl_decoder_copy_black` has the fourth channel.
    bool is_cmyk;
    bool has_alpha;
    /// Colours are stored as XYB, and converted to the profile.
    bool is_xyb;
    /// The original JPEG can be reconstructed.
    bool has_jpeg;
    bool is_animated;
    uint32_t extra_channels;
    uint32_t ticks_numerator;
    uint32_t ticks_denominator;
    /// 0 for endless.
    uint32_t loops;
    /// 16 for PQ and 18 for HLG, with their primaries and white point as xy; 0 for others, which `icc` describes.
    uint8_t transfer;
    double white[2];
    double red[2];
    double green[2];
    double blue[2];
    /// The brightest light that the image may have, in candela per square metre.
    float intensity_target;
} tessera_jxl_header;

typedef struct {
    uint8_t pixels;
    /// Whether to deliver passes before the image is complete.
    bool wants_passes;
    /// The window; rows are counted from its top.
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
} tessera_jxl_decoding;

typedef struct {
    /// The number of final rows from the top.
    uint32_t rows;
    /// Passes in the pixels, without the last one.
    uint32_t passes;
    /// All rows are final.
    bool is_complete;
} tessera_jxl_progress;

/// A decoder, or NULL without memory or library. `tessera_jxl_decoder_destroy` frees it.
tessera_jxl_decoder *tessera_jxl_decoder_create(const tessera_jxl_opening *opening);
void tessera_jxl_decoder_destroy(tessera_jxl_decoder *decoder);
/// Sets the number of threads of the next calls, at least 1; 1 at first.
void tessera_jxl_decoder_set_threads(tessera_jxl_decoder *decoder, uint16_t threads);
/// The first failure's message; empty if nothing failed.
const char *tessera_jxl_decoder_message(const tessera_jxl_decoder *decoder);
/// Bytes that were read, from the start.
uint64_t tessera_jxl_decoder_position(const tessera_jxl_decoder *decoder);
/// Bytes that are kept.
uint64_t tessera_jxl_decoder_held(const tessera_jxl_decoder *decoder);

/// Appends a copy of the bytes; bytes that were read are dropped, except an animation's.
int32_t tessera_jxl_decoder_append(tessera_jxl_decoder *decoder, const uint8_t *bytes, size_t length);
/// No more bytes will arrive.
void tessera_jxl_decoder_end(tessera_jxl_decoder *decoder);

int32_t tessera_jxl_decoder_read_header(tessera_jxl_decoder *decoder, tessera_jxl_header *header);
/// The values' profile, NULL for sRGB; EXIF (a TIFF structure) and XMP if they have arrived, else NULL. They live as
/// long as the decoder.
const uint8_t *tessera_jxl_decoder_icc(const tessera_jxl_decoder *decoder, size_t *length);
const uint8_t *tessera_jxl_decoder_exif(const tessera_jxl_decoder *decoder, size_t *length);
const uint8_t *tessera_jxl_decoder_xmp(const tessera_jxl_decoder *decoder, size_t *length);

/// After the header, once.
int32_t tessera_jxl_decoder_start(tessera_jxl_decoder *decoder, const tessera_jxl_decoding *decoding);
/// An image: decodes until the bytes run out (NEED_MORE), or one more pass or the whole image is complete (OK). After
/// `end`, NEED_MORE becomes TRUNCATED, and the pixels hold the decodable part, all rows of it if `passes` grew.
int32_t tessera_jxl_decoder_advance(tessera_jxl_decoder *decoder, tessera_jxl_progress *progress);
/// Has pixels written to `rows`, which have room for the window and lie `stride` bytes apart, instead of to memory that
/// `copy_rows` copies from; NULL for that memory again. All of an image is decoded to one or the other.
void tessera_jxl_decoder_lend(tessera_jxl_decoder *decoder, uint8_t *rows, size_t stride);
/// Copies decoded rows.
void tessera_jxl_decoder_copy_rows(
    const tessera_jxl_decoder *decoder, uint32_t first, uint8_t *into, size_t stride, uint32_t count);
/// Copies a row of the black channel, inverted, one byte per pixel.
void tessera_jxl_decoder_copy_black(const tessera_jxl_decoder *decoder, uint32_t row, uint8_t *into);
/// A complete image: reads the metadata after it, as far as the bytes go.
int32_t tessera_jxl_decoder_read_rest(tessera_jxl_decoder *decoder);

// MARK: Animations

typedef struct {
    /// The number of complete frames.
    uint32_t frames;
    /// Whether there are no more.
    bool is_complete;
} tessera_jxl_frames;

/// Finds frames as far as the bytes go. After `end`, TRUNCATED when frames are missing.
int32_t tessera_jxl_decoder_find_frames(tessera_jxl_decoder *decoder, tessera_jxl_frames *frames);
/// The duration of a found frame, in ticks.
uint32_t tessera_jxl_decoder_frame_duration(const tessera_jxl_decoder *decoder, uint32_t index);
/// After `start`: decodes a found frame, composited, for `copy_rows`. Fast in order.
int32_t tessera_jxl_decoder_decode_frame(tessera_jxl_decoder *decoder, uint32_t index);

// MARK: Reconstruction

/// The original JPEG, which `tessera_jxl_free` frees; UNSUPPORTED if the file wasn't made from one.
int32_t tessera_jxl_reconstruct_jpeg(
    const uint8_t *bytes, size_t length, uint64_t maximum_length, uint8_t **jpeg, size_t *jpeg_length);
void tessera_jxl_free(uint8_t *jpeg);

// MARK: Boxes

/// The contents of a box `brob` after its type, decompressed, which `tessera_jxl_free` frees; NULL for none. LIMIT for more
/// bytes than `maximum_length`, of which no more are allocated; UNSUPPORTED without Brotli's library.
int32_t tessera_jxl_decompress(
    const uint8_t *bytes, size_t length, uint64_t maximum_length, uint8_t **contents, size_t *contents_length);

// MARK: Encoding

typedef struct {
    uint32_t width;
    uint32_t height;
    uint8_t pixels;
    bool has_alpha;
    bool is_lossless;
    /// libjxl's distance, above 0 to 25; 1 is the threshold of visible loss.
    float distance;
    /// 1 to 9.
    uint8_t effort;
    /// Orientation as in EXIF.
    uint8_t orientation;
    /// Milliseconds; 0 for a still.
    bool is_animation;
    uint32_t loops;
    /// 16 for PQ and 18 for HLG, with JPEG XL's number of the primaries: 1, 9 or 11, and the brightest light in candela
    /// per square metre; 0 for others, which `icc` describes.
    uint8_t transfer;
    uint8_t primaries;
    float intensity_target;
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
/// Sets the number of threads of the next calls, at least 1; 1 at first.
void tessera_jxl_encoder_set_threads(tessera_jxl_encoder *encoder, uint16_t threads);
const char *tessera_jxl_encoder_message(const tessera_jxl_encoder *encoder);

int32_t tessera_jxl_encoder_start(tessera_jxl_encoder *encoder, const tessera_jxl_encoding *encoding);
/// Adds rows to the current frame.
int32_t tessera_jxl_encoder_write_rows(
    tessera_jxl_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count);
/// Ends the frame, whose rows are complete. `duration` is in milliseconds.
int32_t tessera_jxl_encoder_end_frame(tessera_jxl_encoder *encoder, uint32_t duration, bool is_last);
/// Instead of frames: a JPEG, which can be reconstructed bit by bit.
int32_t tessera_jxl_encoder_add_jpeg(tessera_jxl_encoder *encoder, const uint8_t *jpeg, size_t length, uint8_t effort);
/// Compresses the input so far. The bytes in `output` are valid until the next call; a length of 0 means that there are
/// no more for now.
int32_t tessera_jxl_encoder_encode(tessera_jxl_encoder *encoder, const uint8_t **output, size_t *length);

#endif
