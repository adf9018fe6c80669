#ifndef CTESSERA_TIFF_H
#define CTESSERA_TIFF_H

// libtiff behind an interface without callbacks: opaque handles, status codes, typed fields. Files are read from memory
// or an open file, and written to memory. Messages go to the handle they belong to, never to libtiff's global handlers.
// A handle belongs to one thread at a time, and may move from thread to thread between calls. Without libtiff no handle
// can be created.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <CTesseraShim.h>

/// Whether this was built with the library.
bool tessera_tiff_available(void);

// MARK: Decoding

typedef struct tessera_tiff_decoder tessera_tiff_decoder;

/// The bytes of a file: in memory, or in an open file where `bytes` is NULL.
typedef struct {
    const uint8_t *bytes;
    uint64_t length;
    int file;
} tessera_tiff_input;

/// A directory's pixel layout, as libtiff delivers it.
typedef struct {
    uint32_t width;
    uint32_t height;
    /// 0x0 for strips.
    uint32_t tile_width;
    uint32_t tile_height;
    /// At most the height; 0 for tiles.
    uint32_t rows_per_strip;
    uint16_t bits;
    uint16_t samples;
    /// The tag SampleFormat: 1 unsigned, 2 signed, 3 float, 4 unknown, 5 and 6 complex.
    uint16_t sample_format;
    /// The tag PhotometricInterpretation, 65535 if absent; RGB if libtiff converts to RGB.
    uint16_t photometric;
    uint16_t compression;
    uint16_t ink_set;
    uint16_t extra_samples;
    /// Each sample has separate strips or tiles.
    bool planar;
    /// Pixels must be read with `tessera_tiff_decoder_read_rgba`.
    bool needs_rgba;
    /// Bytes of a strip or tile, and of a row in it, unpacked.
    uint64_t chunk_bytes;
    uint64_t row_bytes;
    uint32_t chunks;
} tessera_tiff_picture;

/// A decoder that takes no more than `maximum_allocation` bytes at a time, or NULL without memory.
tessera_tiff_decoder *tessera_tiff_decoder_create(uint64_t maximum_allocation);
void tessera_tiff_decoder_destroy(tessera_tiff_decoder *decoder);
/// The message of the last call that failed. Lives until the next call.
const char *tessera_tiff_decoder_message(const tessera_tiff_decoder *decoder);

// The following functions read from `input`, which must be the same file at each call. No pointer to it or its bytes is
// kept.

/// Reads the directory at `offset`.
int32_t tessera_tiff_decoder_open(
    tessera_tiff_decoder *decoder, const tessera_tiff_input *input, uint64_t offset, tessera_tiff_picture *picture);
/// The extra sample at `index`: 0 unknown, 1 associated alpha, 2 unassociated alpha.
uint16_t tessera_tiff_decoder_extra_sample(const tessera_tiff_decoder *decoder, uint16_t index);
/// The colours of a palette, `count` of each of red, green and blue, one after the other.
int32_t tessera_tiff_decoder_palette(tessera_tiff_decoder *decoder, uint16_t *colors, uint32_t count);
/// The offset and length of a strip's or tile's packed bytes; false if the directory lacks them.
bool tessera_tiff_decoder_extent(
    tessera_tiff_decoder *decoder, const tessera_tiff_input *input, uint32_t chunk, uint64_t *offset, uint64_t *count);

/// Unpacks a whole strip or tile.
int32_t tessera_tiff_decoder_read_chunk(
    tessera_tiff_decoder *decoder, const tessera_tiff_input *input, uint32_t chunk, uint8_t *into, size_t capacity);
/// Unpacks `count` rows of an image in strips that isn't planar. `rows` is the number of rows unpacked, also with a
/// failure.
int32_t tessera_tiff_decoder_read_rows(
    tessera_tiff_decoder *decoder, const tessera_tiff_input *input, uint32_t first, uint32_t count, uint8_t *into,
    size_t stride, uint32_t *rows);
/// Unpacks a part of the image to R, G, B, 255, eight bits each, as stored (not turned).
int32_t tessera_tiff_decoder_read_rgba(
    tessera_tiff_decoder *decoder, const tessera_tiff_input *input, uint32_t x, uint32_t y, uint32_t width,
    uint32_t height, uint8_t *into, size_t stride);

// MARK: Encoding

typedef struct tessera_tiff_encoder tessera_tiff_encoder;

enum {
    TESSERA_TIFF_COMPRESSION_NONE = 0,
    TESSERA_TIFF_COMPRESSION_LZW = 1,
    TESSERA_TIFF_COMPRESSION_DEFLATE = 2,
    TESSERA_TIFF_COMPRESSION_JPEG = 3,
};

typedef struct {
    uint32_t width;
    uint32_t height;
    /// 0x0 for strips.
    uint32_t tile_width;
    uint32_t tile_height;
    uint32_t rows_per_strip;
    /// 8 or 16.
    uint16_t bits;
    /// 1, 3, or 4 with straight alpha.
    uint16_t samples;
    uint16_t compression;
    /// libjpeg's scale, 1...100, and luma samples per chroma sample; JPEG only.
    uint16_t quality;
    uint16_t horizontal_subsampling;
    uint16_t vertical_subsampling;
    uint16_t orientation;
    /// The page's index and the number of pages; 0 0 for a file of one image.
    uint16_t page;
    uint16_t pages;
    /// Pixels per inch; 0 for none.
    float horizontal_resolution;
    float vertical_resolution;
} tessera_tiff_page;

/// An encoder, or NULL without memory. `big` makes a BigTIFF.
tessera_tiff_encoder *tessera_tiff_encoder_create(bool big);
void tessera_tiff_encoder_destroy(tessera_tiff_encoder *encoder);
const char *tessera_tiff_encoder_message(const tessera_tiff_encoder *encoder);

int32_t tessera_tiff_encoder_begin_page(tessera_tiff_encoder *encoder, const tessera_tiff_page *page);
/// Sets a field of bytes, such as an ICC profile (34675) or XMP (700). Copied.
int32_t tessera_tiff_encoder_set_bytes(
    tessera_tiff_encoder *encoder, uint32_t tag, const uint8_t *bytes, uint32_t length);
/// Sets a field of text, which ends with a zero. Copied.
int32_t tessera_tiff_encoder_set_text(tessera_tiff_encoder *encoder, uint32_t tag, const char *text);
/// Sets a field with the offset of another directory.
int32_t tessera_tiff_encoder_set_directory(tessera_tiff_encoder *encoder, uint32_t tag, uint64_t offset);
/// The offset of the next bytes to be appended, which is even.
uint64_t tessera_tiff_encoder_position(tessera_tiff_encoder *encoder);
/// Appends bytes unchanged.
int32_t tessera_tiff_encoder_append(tessera_tiff_encoder *encoder, const uint8_t *bytes, size_t length);
/// Packs a strip or tile. The bytes may be changed.
int32_t tessera_tiff_encoder_write_chunk(
    tessera_tiff_encoder *encoder, uint32_t chunk, uint8_t *bytes, size_t length);
/// Writes a strip or tile that `tessera_tiff_pack` has packed.
int32_t tessera_tiff_encoder_write_packed(
    tessera_tiff_encoder *encoder, uint32_t chunk, uint8_t *bytes, size_t length);
/// Packs a strip or tile of `rows` rows as `tessera_tiff_encoder_write_chunk` does, without an encoder: on any thread. Not
/// for JPEG, whose strips share tables. The bytes may be changed. `free` frees the packed ones.
int32_t tessera_tiff_pack(
    const tessera_tiff_page *page, uint32_t rows, uint8_t *bytes, size_t length, uint8_t **packed, size_t *packed_length);
int32_t tessera_tiff_encoder_end_page(tessera_tiff_encoder *encoder);
/// Ends the file. Afterwards only its bytes are available.
int32_t tessera_tiff_encoder_finish(tessera_tiff_encoder *encoder);
/// The file. Lives as long as the encoder.
const uint8_t *tessera_tiff_encoder_output(const tessera_tiff_encoder *encoder, size_t *length);

#endif
