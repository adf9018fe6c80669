#ifndef CTESSERA_JPEG_H
#define CTESSERA_JPEG_H

// libjpeg-turbo behind an interface without callbacks and jumps: opaque handles, status codes, many rows per call.
// Every function returns; none calls back into Swift. A handle that has failed stays failed and keeps its first
// message. A handle belongs to one thread at a time, and may move from thread to thread between calls.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <CTesseraShim.h>

typedef struct tessera_jpeg_decoder tessera_jpeg_decoder;
typedef struct tessera_jpeg_encoder tessera_jpeg_encoder;

enum {
    TESSERA_JPEG_SPACE_UNKNOWN = 0,
    TESSERA_JPEG_SPACE_GRAY = 1,
    TESSERA_JPEG_SPACE_RGB = 2,
    TESSERA_JPEG_SPACE_YCBCR = 3,
    TESSERA_JPEG_SPACE_CMYK = 4,
    TESSERA_JPEG_SPACE_YCCK = 5,
};

/// The layout of rows, from a decoder or for an encoder.
enum {
    /// 1 byte per pixel.
    TESSERA_JPEG_PIXELS_GRAY8 = 1,
    /// 4 bytes per pixel: R, G, B, and 255 (ignored by the encoder).
    TESSERA_JPEG_PIXELS_RGBA8 = 2,
    /// 4 bytes per pixel, as stored; Adobe's files, which are nearly all, store inverted CMYK.
    TESSERA_JPEG_PIXELS_CMYK8 = 3,
    /// Planes as the file samples them, one strip of MCU rows at a time; decoder only.
    TESSERA_JPEG_PIXELS_PLANES = 4,
};

// MARK: Decoding

typedef struct {
    uint32_t width;
    uint32_t height;
    uint32_t restart_interval;
    uint16_t density_x;
    uint16_t density_y;
    /// 0: an aspect ratio only, 1: dots per inch, 2: dots per centimetre. 0 without a JFIF marker.
    uint8_t density_unit;
    uint8_t components;
    uint8_t precision;
    uint8_t space;
    uint8_t adobe_transform;
    bool saw_jfif;
    bool saw_adobe;
    bool progressive;
    bool arithmetic;
    /// There are several scans: pixels arrive in passes, and all coefficients are kept.
    bool multiple_scans;
    uint8_t horizontal_sampling[4];
    uint8_t vertical_sampling[4];
    /// Bytes that libjpeg keeps for the coefficients where there are several scans; 0 otherwise.
    uint64_t coefficient_bytes;
} tessera_jpeg_header;

typedef struct {
    /// The scale in eighths, 1...16.
    uint8_t scale;
    uint8_t pixels;
    /// The window, in pixels of the scaled image; a width of 0 selects the whole image.
    uint32_t window_x;
    uint32_t window_y;
    uint32_t window_width;
    uint32_t window_height;
    /// Scans after which a file is refused; 0 for no limit.
    uint32_t maximum_scans;
    /// Bytes of coefficients after which a file is refused; 0 for no limit.
    uint64_t maximum_coefficient_bytes;
} tessera_jpeg_decoding;

typedef struct {
    /// Size of the rows that come out: the window's.
    uint32_t width;
    uint32_t height;
    uint8_t planes;
    /// Strips only: rows of the whole image that a full strip stands for, and each plane's shape.
    uint32_t strip_height;
    /// Samples in a plane's row, and rows in the plane.
    uint32_t plane_width[4];
    uint32_t plane_height[4];
    /// Bytes that a plane's row must have room for, and rows that a strip must.
    uint32_t plane_stride[4];
    uint32_t plane_strip_height[4];
} tessera_jpeg_output;

/// An APP1 segment of EXIF, XMP or extended XMP, or an APP2 segment of ICC or MPF, ahead of the first scan.
typedef struct {
    const uint8_t *bytes;
    uint32_t length;
    /// Where the first of `bytes` stands in the file.
    uint64_t offset;
    uint8_t marker;
} tessera_jpeg_segment;

typedef struct {
    /// Corrupt-data warnings that harm pixels, and others.
    uint32_t damages;
    uint32_t warnings;
    /// Where reading stood at the first damage, in bytes from the start.
    uint64_t damage_offset;
    /// The bytes ended before the end-of-image marker.
    bool ran_dry;
    /// They ended before the image did.
    bool truncated;
    /// Rows of the whole image, at its scale, that bytes were there for, the last of them perhaps in part; may exceed
    /// the height. Where several scans have begun it is all.
    uint32_t rows_begun;
} tessera_jpeg_report;

/// A decoder, or NULL without memory. `tessera_jpeg_decoder_destroy` frees it.
tessera_jpeg_decoder *tessera_jpeg_decoder_create(void);
void tessera_jpeg_decoder_destroy(tessera_jpeg_decoder *decoder);

/// The first failure's message; empty if nothing failed. Lives as long as the decoder.
const char *tessera_jpeg_decoder_message(const tessera_jpeg_decoder *decoder);
/// The first damage in words; an empty string if there was none.
const char *tessera_jpeg_decoder_damage_message(const tessera_jpeg_decoder *decoder);
void tessera_jpeg_decoder_report(const tessera_jpeg_decoder *decoder, tessera_jpeg_report *report);
/// Bytes read so far, from the start.
uint64_t tessera_jpeg_decoder_position(const tessera_jpeg_decoder *decoder);
/// Bytes appended so far, from the start.
uint64_t tessera_jpeg_decoder_appended(const tessera_jpeg_decoder *decoder);

/// Bytes appended and not read yet; they stay until the next call on the decoder.
const uint8_t *tessera_jpeg_decoder_pending(const tessera_jpeg_decoder *decoder, size_t *length);

/// Appends a copy of the bytes; bytes that were read are dropped.
int32_t tessera_jpeg_decoder_append(tessera_jpeg_decoder *decoder, const uint8_t *bytes, size_t length);
/// No more bytes will arrive: calls that need more continue with the bytes so far.
void tessera_jpeg_decoder_end(tessera_jpeg_decoder *decoder);

/// Also of a Huffman-coded file of 12 bits, which can't be started: what follows the header stays pending.
int32_t tessera_jpeg_decoder_read_header(tessera_jpeg_decoder *decoder, tessera_jpeg_header *header);
/// After the header. Segments keep their order; they live until the decoder is destroyed.
uint32_t tessera_jpeg_decoder_segment_count(const tessera_jpeg_decoder *decoder);
tessera_jpeg_segment tessera_jpeg_decoder_segment(const tessera_jpeg_decoder *decoder, uint32_t index);

int32_t tessera_jpeg_decoder_start(
    tessera_jpeg_decoder *decoder, const tessera_jpeg_decoding *options, tessera_jpeg_output *output);

/// Several scans: reads until one more is complete (OK, `complete` false), all are (OK, true), or the bytes run out
/// (NEED_MORE). `scans` counts the complete ones. One scan: nothing to do, and complete. Unreadable data after the
/// first scan counts as damage, and the scans end before it.
int32_t tessera_jpeg_decoder_advance(tessera_jpeg_decoder *decoder, uint32_t *scans, bool *complete);
/// Starts the rows of the data so far. Once for one scan; repeatedly for several.
int32_t tessera_jpeg_decoder_begin_pass(tessera_jpeg_decoder *decoder);
/// Up to `count` rows. `rows` is their number, also with NEED_MORE and with a failure.
int32_t tessera_jpeg_decoder_read_rows(
    tessera_jpeg_decoder *decoder, uint8_t *into, size_t stride, uint32_t count, uint32_t *rows);
/// The next strip of planes; `rows` is the number of the image's rows in it, 0 at the end.
int32_t tessera_jpeg_decoder_read_strip(
    tessera_jpeg_decoder *decoder, uint8_t *const planes[4], const size_t strides[4],
    uint32_t *rows);
/// Ends a pass over several scans, so that another may begin.
int32_t tessera_jpeg_decoder_end_pass(tessera_jpeg_decoder *decoder);

// MARK: Encoding

typedef struct {
    uint32_t width;
    uint32_t height;
    uint8_t pixels;
    /// libjpeg's scale, 1...100.
    uint8_t quality;
    /// Luma samples for each chroma sample, across and down: 1 1 is 4:4:4, 2 2 is 4:2:0, 4 1 is 4:1:1.
    uint8_t horizontal_subsampling;
    uint8_t vertical_subsampling;
    bool progressive;
    bool optimize_tables;
    /// MCU rows between restart markers; 0 for none.
    uint16_t restart_rows;
    uint8_t density_unit;
    uint16_t density_x;
    uint16_t density_y;
} tessera_jpeg_encoding;

/// An encoder, or NULL without memory. `tessera_jpeg_encoder_destroy` frees it.
tessera_jpeg_encoder *tessera_jpeg_encoder_create(void);
void tessera_jpeg_encoder_destroy(tessera_jpeg_encoder *encoder);
const char *tessera_jpeg_encoder_message(const tessera_jpeg_encoder *encoder);

int32_t tessera_jpeg_encoder_start(tessera_jpeg_encoder *encoder, const tessera_jpeg_encoding *options);
/// Between `start` and the first row; at most 65533 bytes.
int32_t tessera_jpeg_encoder_write_segment(
    tessera_jpeg_encoder *encoder, uint8_t marker, const uint8_t *bytes, uint32_t length);
/// Between `start` and the first row: an ICC profile in as many APP2 segments as it takes.
int32_t tessera_jpeg_encoder_write_icc(tessera_jpeg_encoder *encoder, const uint8_t *bytes, uint32_t length);
int32_t tessera_jpeg_encoder_write_rows(
    tessera_jpeg_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count);
/// The bits of each code in the standard's table for AC coefficients of luma (0) or chroma (1); 16 for those it lacks.
void tessera_jpeg_encoder_code_lengths(const tessera_jpeg_encoder *encoder, int table, uint8_t *lengths);
int32_t tessera_jpeg_encoder_finish(tessera_jpeg_encoder *encoder);
/// The finished bytes; valid until the next call on the encoder.
const uint8_t *tessera_jpeg_encoder_output(const tessera_jpeg_encoder *encoder, size_t *length);
/// Forgets the bytes ready so far.
void tessera_jpeg_encoder_drain(tessera_jpeg_encoder *encoder);

// MARK: Transcoding

typedef struct tessera_jpeg_transcoder tessera_jpeg_transcoder;

/// The change of a JPEG's coefficients, and how they are coded again.
typedef struct {
    /// Exchanges columns and rows first.
    bool transposes;
    /// Then mirrors columns (left to right), and rows (top to bottom), of whole MCUs only: those that the image's edge
    /// cuts can't be moved to the other side, and stay where they are.
    bool mirrors_columns;
    bool mirrors_rows;
    /// The window of the result that is kept, in pixels. Its corner lies on whole MCUs; a width of 0 keeps all.
    uint32_t window_x;
    uint32_t window_y;
    uint32_t window_width;
    uint32_t window_height;
    /// Scans that sharpen the image, by libjpeg's script; else one scan. Tables are optimised in both cases.
    bool progressive;
} tessera_jpeg_transcoding;

/// A transcoder of the JPEG in `bytes`, which must stay until it is destroyed; NULL without memory.
tessera_jpeg_transcoder *tessera_jpeg_transcoder_create(const uint8_t *bytes, size_t length);
void tessera_jpeg_transcoder_destroy(tessera_jpeg_transcoder *transcoder);
const char *tessera_jpeg_transcoder_message(const tessera_jpeg_transcoder *transcoder);

/// Reads the header; `header` has the bytes that the coefficients take in `coefficient_bytes`, also for one scan.
int32_t tessera_jpeg_transcoder_read_header(tessera_jpeg_transcoder *transcoder, tessera_jpeg_header *header);
/// Makes room for the coefficients, which the caller writes before a run with these options, instead of libjpeg.
int32_t tessera_jpeg_transcoder_make_room(
    tessera_jpeg_transcoder *transcoder, const tessera_jpeg_transcoding *options);
/// The blocks of a component's row, to the end of the last MCU, of 64 coefficients each in natural order; NULL on
/// failure. Each row is requested once, after those above it.
int16_t *tessera_jpeg_transcoder_row(tessera_jpeg_transcoder *transcoder, int component, uint32_t row);
/// Lets libjpeg read the coefficients after all.
int32_t tessera_jpeg_transcoder_drop_room(tessera_jpeg_transcoder *transcoder);
/// Reads all coefficients, unless the caller has written them, and writes those of the result. Fails with CORRUPT for
/// data that isn't intact, and with LIMIT after `maximum_scans`.
int32_t tessera_jpeg_transcoder_run(
    tessera_jpeg_transcoder *transcoder, const tessera_jpeg_transcoding *options, uint32_t maximum_scans);
/// Writes the coefficients again, coded in another way. After `run`, with the same geometry.
int32_t tessera_jpeg_transcoder_write_again(
    tessera_jpeg_transcoder *transcoder, const tessera_jpeg_transcoding *options);
/// The file without application segments and comments; valid until the next call on the transcoder.
const uint8_t *tessera_jpeg_transcoder_output(const tessera_jpeg_transcoder *transcoder, size_t *length);

// MARK: Tiles

typedef struct tessera_jpeg_tile_encoder tessera_jpeg_tile_encoder;

/// The common properties of an encoder's tiles.
typedef struct {
    /// GRAY8, RGBA8, or PLANES of Y, Cb and Cr.
    uint8_t pixels;
    /// libjpeg's scale, 1...100.
    uint8_t quality;
    /// Luma samples for each chroma sample, across and down: 1 or 2.
    uint8_t horizontal_subsampling;
    uint8_t vertical_subsampling;
} tessera_jpeg_tile_kind;

/// A component's samples. Where a tile is larger, the last column and row are repeated.
typedef struct {
    const uint8_t *samples;
    size_t stride;
    uint32_t width;
    uint32_t height;
    /// Whether the tile's samples lie half-way between these, from the first two on: then they are means of neighbours.
    bool between_columns;
    bool between_rows;
} tessera_jpeg_plane;

/// An encoder for tiles, one after the other, in the same memory; NULL without memory, or for an invalid kind.
tessera_jpeg_tile_encoder *tessera_jpeg_tile_encoder_create(const tessera_jpeg_tile_kind *kind);
void tessera_jpeg_tile_encoder_destroy(tessera_jpeg_tile_encoder *encoder);
const char *tessera_jpeg_tile_encoder_message(const tessera_jpeg_tile_encoder *encoder);

/// A tile's file. `bytes` stay until the next call on the encoder.
int32_t tessera_jpeg_tile_encode_pixels(
    tessera_jpeg_tile_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t width, uint32_t height,
    const uint8_t **bytes, size_t *length);
int32_t tessera_jpeg_tile_encode_planes(
    tessera_jpeg_tile_encoder *encoder, const tessera_jpeg_plane planes[3], uint32_t width, uint32_t height,
    const uint8_t **bytes, size_t *length);

#endif
