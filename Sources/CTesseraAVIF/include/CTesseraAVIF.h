#ifndef CTESSERA_AVIF_H
#define CTESSERA_AVIF_H

// libavif behind an interface without callbacks: opaque handles, status codes, whole images per call. The library is
// loaded on first use: it brings five codecs, which would slow down the start of every program. Every function returns.
// A handle that has failed keeps its first message. A handle belongs to one thread at a time, and may move from thread
// to thread between calls.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <CTesseraShim.h>

typedef struct tessera_avif_decoder tessera_avif_decoder;
typedef struct tessera_avif_encoder tessera_avif_encoder;

// MARK: The library

/// Whether this was built with the library's headers.
bool tessera_avif_available(void);
/// Loads the library if it isn't loaded; false if it isn't installed.
bool tessera_avif_load(void);
/// The Debian package of the library in the headers' version.
const char *tessera_avif_package(void);
/// Whether the library has an encoder for AV1.
bool tessera_avif_can_encode(void);

// MARK: Decoding

typedef struct {
    /// Whether to decode the frames rather than the still of a file that has both.
    bool frames;
    uint32_t maximum_side;
    uint64_t maximum_pixels;
    uint32_t maximum_frames;
} tessera_avif_decoding;

typedef struct {
    /// The coded size, before cropping, rotation and mirroring.
    uint32_t width;
    uint32_t height;
    uint8_t bits;
    bool gray;
    bool has_alpha;
    /// Codes of ISO/IEC 23091-2.
    uint16_t primaries;
    uint16_t transfer;
    uint16_t matrix;
    /// The visible part; the whole image if the file doesn't crop it.
    uint32_t crop_x;
    uint32_t crop_y;
    uint32_t crop_width;
    uint32_t crop_height;
    /// The orientation of the cropped image, as in EXIF, 1...8.
    uint8_t orientation;
    /// Whether the file is an animation.
    bool animated;
    uint32_t frame_count;
    /// How often it is played; 0 for endless or unknown.
    uint32_t play_count;
    /// Metadata blocks as stored; valid until the next call on the decoder. NULL if absent.
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
/// The first failure's message; empty if nothing failed. Lives as long as the decoder.
const char *tessera_avif_decoder_message(const tessera_avif_decoder *decoder);

/// Appends a copy of the bytes.
int32_t tessera_avif_decoder_append(tessera_avif_decoder *decoder, const uint8_t *bytes, size_t length);
/// No more bytes will arrive.
void tessera_avif_decoder_end(tessera_avif_decoder *decoder);

/// Reads the header as soon as enough bytes have arrived.
int32_t tessera_avif_decoder_read_header(tessera_avif_decoder *decoder, tessera_avif_header *header);
/// The number of leading frames that the bytes so far suffice to decode. After the header.
uint32_t tessera_avif_decoder_ready(tessera_avif_decoder *decoder);
/// A frame's duration in seconds.
double tessera_avif_decoder_duration(const tessera_avif_decoder *decoder, uint32_t index);
/// Decodes a frame; a still is frame 0. A failure to decode one leaves the others decodable. The first call decides on the
/// number of threads, at least 1; the pixels are the same for any number.
int32_t tessera_avif_decoder_decode(tessera_avif_decoder *decoder, uint32_t index, uint16_t threads);
/// Writes rows of the frame decoded last, in the header's width, with straight alpha. Grey only for an image without
/// colours and alpha. Several threads may write different rows at once.
int32_t tessera_avif_decoder_read(
    const tessera_avif_decoder *decoder, uint8_t format, uint32_t first, uint32_t count, uint8_t *into, size_t stride);

// MARK: Encoding

typedef struct {
    uint32_t width;
    uint32_t height;
    /// A pixel format of CTesseraShim.h.
    uint8_t format;
    /// Whether the fourth channel is alpha; otherwise it is ignored.
    bool has_alpha;
    /// AV1's quantizer, 0 (best) to 63.
    uint8_t quantizer;
    bool lossless;
    /// 0 (slow) to 10.
    uint8_t speed;
    /// The threads that the AV1 encoder may use. The file is the same for any number of at least 2.
    uint16_t threads;
    /// Whether the images are the frames of an animation.
    bool animated;
    /// Units of duration per second.
    uint32_t timescale;
    /// Orientation as in EXIF, 1...8.
    uint8_t orientation;
    /// The colour space's codes of ISO/IEC 23091-2.
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

/// Copies a metadata block. Before the first image. EXIF is a TIFF structure.
int32_t tessera_avif_encoder_set_block(
    tessera_avif_encoder *encoder, uint8_t kind, const uint8_t *bytes, size_t length);
/// Compresses all rows of an image. A still consists of one image.
int32_t tessera_avif_encoder_add(
    tessera_avif_encoder *encoder, const uint8_t *rows, size_t stride, uint64_t duration);
/// Writes the file.
int32_t tessera_avif_encoder_finish(tessera_avif_encoder *encoder);
/// The file, after `finish`. Lives as long as the encoder.
const uint8_t *tessera_avif_encoder_output(const tessera_avif_encoder *encoder, size_t *length);

#endif
