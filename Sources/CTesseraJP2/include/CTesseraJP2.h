#ifndef CTESSERA_JP2_H
#define CTESSERA_JP2_H

// OpenJPEG behind an interface without callbacks: opaque handles, status codes, codestreams in memory. The library is
// loaded on first use. Boxes of JP2 files don't come here. Every function returns. A handle that has failed keeps its
// first message. A handle belongs to one thread at a time, and may move from thread to thread between calls.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <CTesseraShim.h>

// MARK: The library

/// Whether this was built with the library's headers.
bool tessera_jp2_available(void);
/// Loads the library if it isn't loaded; false if it isn't installed.
bool tessera_jp2_load(void);

// MARK: Decoding

typedef struct tessera_jp2_decoder tessera_jp2_decoder;

/// The part of an image to decode, and how.
typedef struct {
    /// Edges on the reference grid, within the image.
    uint32_t left;
    uint32_t top;
    uint32_t right;
    uint32_t bottom;
    /// Whether the edges are those of the image, which decodes faster.
    bool is_whole;
    /// The number of halvings, at most the number of decomposition levels.
    uint8_t reduction;
    /// The number of threads, at least one.
    uint8_t threads;
    /// Whether missing data is replaced by zeros.
    bool is_lenient;
} tessera_jp2_part;

/// The decoded samples of a component.
typedef struct {
    /// The first sample's place among the component's samples at the reduced size.
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
} tessera_jp2_samples;

/// A decoder, or NULL without the library or memory.
tessera_jp2_decoder *tessera_jp2_decoder_create(void);
void tessera_jp2_decoder_destroy(tessera_jp2_decoder *decoder);
/// The message of the first failure. Lives as long as the decoder.
const char *tessera_jp2_decoder_message(const tessera_jp2_decoder *decoder);

/// Decodes a part of the codestream in `bytes`, which aren't kept. Earlier samples are discarded.
int32_t tessera_jp2_decoder_decode(
    tessera_jp2_decoder *decoder, const uint8_t *bytes, size_t length, const tessera_jp2_part *part);
/// The extent of a component's samples; empty if there are none.
tessera_jp2_samples tessera_jp2_decoder_samples(const tessera_jp2_decoder *decoder, uint32_t component);
/// Reads `count` samples of a row, from `column` on or, where `columns` isn't NULL, at the columns in it. Rows and columns
/// beyond the last are the last.
///
/// A signed sample is raised by half its range. Then the sample is limited to its range, shifted right by `shift`, and
/// replaced by that element of `table`, which has one for each value.
int32_t tessera_jp2_decoder_read(
    const tessera_jp2_decoder *decoder, uint32_t component, uint32_t row, uint32_t column, const uint32_t *columns,
    uint32_t count, uint8_t shift, const uint16_t *table, uint16_t *into);
/// Reads `count` pixels of a row from components 0 to 2, which must have eight unsigned bits and the same extent, as R, G, B,
/// 255.
int32_t tessera_jp2_decoder_read_rgba8(
    const tessera_jp2_decoder *decoder, uint32_t row, uint32_t column, uint32_t count, uint8_t *into);

// MARK: Encoding

typedef struct tessera_jp2_encoder tessera_jp2_encoder;

enum { TESSERA_JP2_MAXIMUM_LAYERS = 32 };

/// A tile to encode, which decodes to the same samples in an image of many.
typedef struct {
    /// The tile's edges in the image, whose origin is 0, 0.
    uint32_t left;
    uint32_t top;
    uint32_t right;
    uint32_t bottom;
    /// 1 to 4 components, of which the first three are transformed together where there are at least three.
    uint8_t components;
    /// 8 or 16.
    uint8_t bits;
    uint8_t levels;
    uint8_t layers;
    bool is_lossless;
    uint8_t threads;
    /// The signal-to-noise ratio of each layer in dB, rising; the last of a lossless image is ignored.
    float ratios[TESSERA_JP2_MAXIMUM_LAYERS];
} tessera_jp2_encoding;

/// An encoder, or NULL without the library or memory.
tessera_jp2_encoder *tessera_jp2_encoder_create(void);
void tessera_jp2_encoder_destroy(tessera_jp2_encoder *encoder);
const char *tessera_jp2_encoder_message(const tessera_jp2_encoder *encoder);

/// Encodes one tile, once: the samples of each component one after the other, in native byte order.
int32_t tessera_jp2_encoder_encode(
    tessera_jp2_encoder *encoder, const tessera_jp2_encoding *encoding, const uint8_t *samples, uint32_t length);
/// The codestream of an image that is this tile. Lives as long as the encoder.
const uint8_t *tessera_jp2_encoder_output(const tessera_jp2_encoder *encoder, size_t *length);

#endif
