#ifndef CTESSERA_HEIF_H
#define CTESSERA_HEIF_H

// libheif behind an interface without callbacks: opaque handles, status codes, many rows per call. The library is
// loaded when it is first needed: it brings four codecs along, which would slow down the start of every program. Every
// function returns. A handle that has failed keeps its first message. A handle belongs to one thread at a time, and may
// move from thread to thread between calls.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <CTesseraShim.h>

typedef struct tessera_heif_decoder tessera_heif_decoder;
typedef struct tessera_heif_encoder tessera_heif_encoder;

// MARK: The library

/// Whether the library's headers were there when this was built.
bool tessera_heif_available(void);
/// Loads the library unless that was done before: whether it is there.
bool tessera_heif_load(void);
/// Whether the library, which is loaded for it, has an encoder for HEVC.
bool tessera_heif_can_encode(void);

// MARK: Decoding

typedef struct {
    /// As the decoded picture's: the file's cropping, turning and mirroring are done.
    uint32_t width;
    uint32_t height;
    /// Of the luma channel; 0 where the file doesn't say.
    uint8_t bits;
    bool has_alpha;
    bool premultiplied;
    /// Whether the three codes of ISO/IEC 23091-2 below are given.
    bool has_codes;
    uint16_t primaries;
    uint16_t transfer;
    uint16_t matrix;
    /// Blocks as they stand in the file; they live until another picture is selected. NULL where there is none.
    const uint8_t *icc;
    size_t icc_length;
    /// Preceded by the four bytes that say where the TIFF structure begins.
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
/// What went wrong first; an empty string if nothing did. Lives as long as the decoder.
const char *tessera_heif_decoder_message(const tessera_heif_decoder *decoder);

/// Copies a whole file and reads what it says of its pictures. A side longer than `maximum_side` is refused.
int32_t tessera_heif_decoder_open(
    tessera_heif_decoder *decoder, const uint8_t *bytes, size_t length, uint32_t maximum_side);
/// Pictures that stand for themselves: no thumbnails, no tiles, no masks.
uint32_t tessera_heif_decoder_count(const tessera_heif_decoder *decoder);
/// Which of them the file presents itself by.
uint32_t tessera_heif_decoder_primary(const tessera_heif_decoder *decoder);
/// The identifier of one of them in the file.
uint32_t tessera_heif_decoder_item(const tessera_heif_decoder *decoder, uint32_t index);

/// Chooses a picture. Blocks longer than `maximum_block` are left out; so are code points of its colours unless asked for.
int32_t tessera_heif_decoder_select(
    tessera_heif_decoder *decoder, uint32_t index, size_t maximum_block, bool asks_for_codes,
    tessera_heif_image *image);
/// Decodes the chosen picture.
int32_t tessera_heif_decoder_decode(tessera_heif_decoder *decoder, tessera_heif_pixels *pixels);
/// Writes a part of the decoded picture, scaled to all of the target's bits, alpha straight. Grey only without alpha; of
/// RGB, which is what the library makes of grey tiles, red stands for all three.
int32_t tessera_heif_decoder_read(
    const tessera_heif_decoder *decoder, uint8_t format, bool premultiplied, uint32_t x, uint32_t y, uint32_t width,
    uint32_t height, uint8_t *into, size_t stride);

// MARK: Encoding

typedef struct {
    uint32_t width;
    uint32_t height;
    /// One of the formats above.
    uint8_t format;
    /// Whether the fourth channel means something.
    bool has_alpha;
    /// libheif's scale, 0...100.
    uint8_t quality;
    bool lossless;
    /// As EXIF numbers them, 1...8.
    uint8_t orientation;
    /// The colours' codes after ISO/IEC 23091-2; told only where nothing may be lost.
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
/// Takes rows from the top.
int32_t tessera_heif_encoder_write_rows(
    tessera_heif_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count);
/// Compresses the picture, once all rows are there, and writes the file. EXIF is a TIFF structure; both may be NULL.
int32_t tessera_heif_encoder_finish(
    tessera_heif_encoder *encoder, const uint8_t *exif, size_t exif_length, const uint8_t *xmp, size_t xmp_length);
/// The file, after `finish`. Lives as long as the encoder.
const uint8_t *tessera_heif_encoder_output(const tessera_heif_encoder *encoder, size_t *length);

#endif
