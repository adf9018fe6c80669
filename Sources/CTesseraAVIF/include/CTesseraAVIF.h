#ifndef CTESSERA_AVIF_H
#define CTESSERA_AVIF_H

// libavif behind an interface without callbacks: opaque handles, status codes, whole pictures per call. The library is
// loaded when it is first needed: it brings five codecs along, which would slow down the start of every program. Every
// function returns. A handle that has failed keeps its first message. A handle belongs to one thread at a time, and may
// move from thread to thread between calls.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <CTesseraShim.h>

typedef struct tessera_avif_decoder tessera_avif_decoder;
typedef struct tessera_avif_encoder tessera_avif_encoder;

// MARK: The library

/// Whether the library's headers were there when this was built.
bool tessera_avif_available(void);
/// Loads the library unless that was done before: whether it is there.
bool tessera_avif_load(void);
/// The Debian package that has the library of the headers' version.
const char *tessera_avif_package(void);
/// Whether the library, which is loaded for it, has an encoder for AV1.
bool tessera_avif_can_encode(void);

// MARK: Decoding

typedef struct {
    /// Whether frames are wanted rather than a still, where the file has both.
    bool frames;
    uint32_t maximum_side;
    uint64_t maximum_pixels;
    uint32_t maximum_frames;
} tessera_avif_decoding;

typedef struct {
    /// As coded: before cropping, turning and mirroring.
    uint32_t width;
    uint32_t height;
    uint8_t bits;
    bool gray;
    bool has_alpha;
    /// Codes after ISO/IEC 23091-2.
    uint16_t primaries;
    uint16_t transfer;
    uint16_t matrix;
    /// The part to show; all of the picture where the file doesn't crop it.
    uint32_t crop_x;
    uint32_t crop_y;
    uint32_t crop_width;
    uint32_t crop_height;
    /// How to turn what was cropped, as EXIF numbers it, 1...8.
    uint8_t orientation;
    /// Whether these are frames of an animation.
    bool animated;
    uint32_t frame_count;
    /// How often they are played, 0 for without end or where the library doesn't say.
    uint32_t play_count;
    /// Blocks as they stand in the file; they live until the decoder is used again. NULL where there is none.
    const uint8_t *icc;
    size_t icc_length;
    const uint8_t *exif;
    size_t exif_length;
    const uint8_t *xmp;
    size_t xmp_length;
} tessera_avif_header;

/// A decoder, or NULL without memory or without the library. `tessera_avif_decoder_destroy` frees it.
tessera_avif_decoder *tessera_avif_decoder_create(const tessera_avif_decoding *options);
void tessera_avif_decoder_destroy(tessera_avif_decoder *decoder);
/// What went wrong first; an empty string if nothing did. Lives as long as the decoder.
const char *tessera_avif_decoder_message(const tessera_avif_decoder *decoder);

/// Copies bytes that follow those before.
int32_t tessera_avif_decoder_append(tessera_avif_decoder *decoder, const uint8_t *bytes, size_t length);
/// No more bytes will come.
void tessera_avif_decoder_end(tessera_avif_decoder *decoder);

/// Reads what the file says, as soon as enough of it is there.
int32_t tessera_avif_decoder_read_header(tessera_avif_decoder *decoder, tessera_avif_header *header);
/// How many of the first frames can be decoded with the bytes there are. After the header.
uint32_t tessera_avif_decoder_ready(tessera_avif_decoder *decoder);
/// How long a frame is shown, in seconds.
double tessera_avif_decoder_duration(const tessera_avif_decoder *decoder, uint32_t index);
/// Decodes a frame; a still is frame 0. A failure to decode one spoils no other.
int32_t tessera_avif_decoder_decode(tessera_avif_decoder *decoder, uint32_t index);
/// Writes all rows of what was decoded last, as large as the header says, alpha straight. Grey only where the picture
/// has no colours and no alpha.
int32_t tessera_avif_decoder_read(tessera_avif_decoder *decoder, uint8_t format, uint8_t *into, size_t stride);

// MARK: Encoding

typedef struct {
    uint32_t width;
    uint32_t height;
    /// One of the formats above.
    uint8_t format;
    /// Whether the fourth channel means something.
    bool has_alpha;
    /// AV1's quantizer, 0 (best) to 63.
    uint8_t quantizer;
    bool lossless;
    /// 0 (slow) to 10.
    uint8_t speed;
    /// Whether several pictures follow, to be shown one after the other.
    bool animated;
    /// Units of duration in a second.
    uint32_t timescale;
    /// As EXIF numbers them, 1...8.
    uint8_t orientation;
    /// The colours' codes after ISO/IEC 23091-2.
    uint16_t primaries;
    uint16_t transfer;
} tessera_avif_encoding;

/// An encoder, or NULL without memory or without the library. `tessera_avif_encoder_destroy` frees it.
tessera_avif_encoder *tessera_avif_encoder_create(const tessera_avif_encoding *options);
void tessera_avif_encoder_destroy(tessera_avif_encoder *encoder);
const char *tessera_avif_encoder_message(const tessera_avif_encoder *encoder);

enum {
    TESSERA_AVIF_ICC = 0,
    TESSERA_AVIF_EXIF = 1,
    TESSERA_AVIF_XMP = 2,
};

/// Copies a block to go along, before the first picture. EXIF is a TIFF structure.
int32_t tessera_avif_encoder_set_block(
    tessera_avif_encoder *encoder, uint8_t kind, const uint8_t *bytes, size_t length);
/// Compresses a picture, all rows of it. A still takes one.
int32_t tessera_avif_encoder_add(
    tessera_avif_encoder *encoder, const uint8_t *rows, size_t stride, uint64_t duration);
/// Writes the file.
int32_t tessera_avif_encoder_finish(tessera_avif_encoder *encoder);
/// The file, after `finish`. Lives as long as the encoder.
const uint8_t *tessera_avif_encoder_output(const tessera_avif_encoder *encoder, size_t *length);

#endif
