#ifndef CTESSERA_HEIF_H
#define CTESSERA_HEIF_H

// libheif behind an interface without callbacks: opaque handles, status codes, many rows per call. The library is
// loaded on first use: it brings four codecs, which would slow down the start of every program. Every function returns.
// A handle that has failed keeps its first message. A handle belongs to one thread at a time, and may move from thread
// to thread between calls.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <CTesseraShim.h>

typedef struct tessera_heif_decoder tessera_heif_decoder;
typedef struct tessera_heif_encoder tessera_heif_encoder;

// MARK: The library

/// Whether this was built with the library's headers.
bool tessera_heif_available(void);
/// Loads the library if it isn't loaded; false if it isn't installed.
bool tessera_heif_load(void);
/// Whether the library has an encoder for HEVC.
bool tessera_heif_can_encode(void);

// MARK: Decoding

typedef struct {
    /// The decoded image's size, after the file's cropping, rotation and mirroring.
    uint32_t width;
    uint32_t height;
    /// The luma channel's bits; 0 if unknown.
    uint8_t bits;
    bool has_alpha;
    bool premultiplied;
    /// Whether the three codes of ISO/IEC 23091-2 below are given.
    bool has_codes;
    uint16_t primaries;
    uint16_t transfer;
    uint16_t matrix;
    /// Metadata blocks as stored; valid until another image is selected. NULL if absent.
    const uint8_t *icc;
    size_t icc_length;
    /// Preceded by four bytes with the offset of the TIFF structure.
    const uint8_t *exif;
    size_t exif_length;
    const uint8_t *xmp;
    size_t xmp_length;
} tessera_heif_image;

typedef struct {
    uint32_t width;
    uint32_t height;
    /// 8 to 16.
    uint8_t bits;
    bool gray;
    bool has_alpha;
} tessera_heif_pixels;

/// A decoder, or NULL without memory or without the library. `tessera_heif_decoder_destroy` frees it.
tessera_heif_decoder *tessera_heif_decoder_create(void);
void tessera_heif_decoder_destroy(tessera_heif_decoder *decoder);
/// The first failure's message; empty if nothing failed. Lives as long as the decoder.
const char *tessera_heif_decoder_message(const tessera_heif_decoder *decoder);

/// Copies a whole file and reads its list of images. Fails for a side longer than `maximum_side`.
int32_t tessera_heif_decoder_open(
    tessera_heif_decoder *decoder, const uint8_t *bytes, size_t length, uint32_t maximum_side);
/// The number of top-level images: no thumbnails, tiles or masks.
uint32_t tessera_heif_decoder_count(const tessera_heif_decoder *decoder);
/// The index of the primary image.
uint32_t tessera_heif_decoder_primary(const tessera_heif_decoder *decoder);
/// The item ID of the image at an index.
uint32_t tessera_heif_decoder_item(const tessera_heif_decoder *decoder, uint32_t index);

/// Selects an image. Omits metadata blocks longer than `maximum_block`, and the colour space's codes unless requested.
int32_t tessera_heif_decoder_select(
    tessera_heif_decoder *decoder, uint32_t index, size_t maximum_block, bool asks_for_codes,
    tessera_heif_image *image);
/// Decodes the selected image by up to `threads` threads; their number doesn't change the result.
int32_t tessera_heif_decoder_decode(tessera_heif_decoder *decoder, uint16_t threads, tessera_heif_pixels *pixels);
/// Writes a part of the decoded image, scaled to the target's bit depth, with straight alpha. Grey only without alpha;
/// if the library expanded grey tiles to RGB, red is used.
int32_t tessera_heif_decoder_read(
    const tessera_heif_decoder *decoder, uint8_t format, bool premultiplied, uint32_t x, uint32_t y, uint32_t width,
    uint32_t height, uint8_t *into, size_t stride);

// MARK: AVC

/// A decoder of one image in AVC by libopenh264.
typedef struct tessera_avc_decoder tessera_avc_decoder;

/// Loads libheif and libopenh264 if they aren't loaded; false if one isn't installed, or this was built without its
/// headers.
bool tessera_avc_available(void);
/// A decoder, or NULL without memory or without the library. `tessera_avc_decoder_destroy` frees it.
tessera_avc_decoder *tessera_avc_decoder_create(void);
void tessera_avc_decoder_destroy(tessera_avc_decoder *avc);
const char *tessera_avc_decoder_message(const tessera_avc_decoder *avc);
typedef struct {
    /// The size after cropping as libopenh264 has it: it takes the offsets in the parameter set twice, which is too much
    /// for grey.
    uint32_t reported_width;
    uint32_t reported_height;
    /// The size that can be read, from the first reported pixel on.
    uint32_t width;
    uint32_t height;
} tessera_avc_size;

/// Decodes an image in a byte stream: parameter sets and one image's slices, each after a start code. The caller has
/// checked the sizes in the parameter sets, by which the library allocates memory, and that `size` lies within them.
int32_t tessera_avc_decoder_decode(
    tessera_avc_decoder *avc, const uint8_t *bytes, size_t length, const tessera_avc_size *size);
/// Copies the first `length` samples of row `y` of luma (0), Cb (1) or Cr (2), which are half as wide and high.
int32_t tessera_avc_decoder_read(
    const tessera_avc_decoder *avc, uint8_t plane, uint32_t y, uint8_t *into, size_t length);

// MARK: Encoding

typedef struct {
    uint32_t width;
    uint32_t height;
    /// A pixel format of CTesseraShim.h.
    uint8_t format;
    /// Whether the fourth channel is alpha; otherwise it is ignored.
    bool has_alpha;
    /// libheif's scale, 0...100.
    uint8_t quality;
    bool lossless;
    /// The threads that x265 may use, at least 1. The file is the same for any number.
    uint16_t threads;
    /// Orientation as in EXIF, 1...8.
    uint8_t orientation;
    /// The colour space's codes of ISO/IEC 23091-2; written only for lossless files.
    uint16_t primaries;
    uint16_t transfer;
} tessera_heif_encoding;

/// An encoder, or NULL without memory or without the library. `tessera_heif_encoder_destroy` frees it.
tessera_heif_encoder *tessera_heif_encoder_create(void);
void tessera_heif_encoder_destroy(tessera_heif_encoder *encoder);
const char *tessera_heif_encoder_message(const tessera_heif_encoder *encoder);

int32_t tessera_heif_encoder_start(tessera_heif_encoder *encoder, const tessera_heif_encoding *options);
/// Between `start` and `finish`.
int32_t tessera_heif_encoder_set_icc(tessera_heif_encoder *encoder, const uint8_t *bytes, size_t length);
/// Adds rows from the top.
int32_t tessera_heif_encoder_write_rows(
    tessera_heif_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count);
/// Compresses the image after its last row, and writes the file. EXIF is a TIFF structure; both may be NULL.
int32_t tessera_heif_encoder_finish(
    tessera_heif_encoder *encoder, const uint8_t *exif, size_t exif_length, const uint8_t *xmp, size_t xmp_length);
/// The file, after `finish`. Lives as long as the encoder.
const uint8_t *tessera_heif_encoder_output(const tessera_heif_encoder *encoder, size_t *length);

#endif
