#ifndef CTESSERA_WEBP_H
#define CTESSERA_WEBP_H

// libwebp behind opaque handles and status codes, without callbacks and threads. Without the library every function
// exists and returns TESSERA_UNSUPPORTED. A handle belongs to one thread at a time, and may move from thread to thread
// between calls. A handle that has failed stays failed.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <CTesseraShim.h>

typedef struct tessera_webp_decoder tessera_webp_decoder;
typedef struct tessera_webp_encoder tessera_webp_encoder;

/// Whether this was built with the library.
bool tessera_webp_available(void);

// MARK: Decoding

typedef struct {
    /// The window of the image to decode.
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
    /// Whether to deliver 255 as alpha, whatever the file contains.
    bool opaque;
    /// Threads to use, at least 1; libwebp uses two at most. The pixels are the same for any number.
    uint16_t threads;
} tessera_webp_decoding;

/// A decoder of one image, or NULL without memory. `tessera_webp_decoder_destroy` frees it.
tessera_webp_decoder *tessera_webp_decoder_create(void);
void tessera_webp_decoder_destroy(tessera_webp_decoder *decoder);

/// Appends a copy of the bytes, before or after `start`: an ALPH chunk, if any, and a VP8 or VP8L chunk, with their
/// headers.
int32_t tessera_webp_decoder_append(tessera_webp_decoder *decoder, const uint8_t *bytes, size_t length);

int32_t tessera_webp_decoder_start(tessera_webp_decoder *decoder, const tessera_webp_decoding *decoding);

/// Up to `count` rows of R, G, B, A with straight alpha: `width` pixels from column `x` of the window. `rows` is their
/// number; 0 with OK after the last.
///
/// Bytes go to the library `step` at a time, and less than a step only if `final`: rows depend on the number of bytes
/// and not on how they arrived, and few rows are decoded ahead.
int32_t tessera_webp_decoder_read_rows(
    tessera_webp_decoder *decoder, size_t step, bool final, uint32_t x, uint32_t width, uint8_t *into, size_t stride,
    uint32_t count, uint32_t *rows);

// MARK: Encoding

typedef struct {
    uint32_t width;
    uint32_t height;
    /// Whether the fourth channel is alpha; otherwise every pixel is opaque.
    bool has_alpha;
    /// Lossless, including the colours of transparent pixels.
    bool lossless;
    /// libwebp's scales: 0...100, and 0...6.
    float quality;
    uint8_t method;
    /// Threads to use, at least 1; libwebp uses two at most. The file is the same for any number.
    uint16_t threads;
    /// Set to make `finish` return CANCELLED; NULL for none. Lossy images end at the next row of blocks, lossless ones
    /// at the next of a few stages. It must outlive the encoder.
    const tessera_stop *stop;
} tessera_webp_encoding;

/// An encoder of one image, or NULL without memory. `tessera_webp_encoder_destroy` frees it.
tessera_webp_encoder *tessera_webp_encoder_create(void);
void tessera_webp_encoder_destroy(tessera_webp_encoder *encoder);

/// UNSUPPORTED for a side beyond 16383.
int32_t tessera_webp_encoder_start(tessera_webp_encoder *encoder, const tessera_webp_encoding *encoding);
/// Takes rows of R, G, B, A with straight alpha.
int32_t tessera_webp_encoder_write_rows(
    tessera_webp_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count);
/// After the last row: makes the file.
int32_t tessera_webp_encoder_finish(tessera_webp_encoder *encoder);
/// The file, a RIFF container; it stays until the encoder is destroyed.
const uint8_t *tessera_webp_encoder_output(const tessera_webp_encoder *encoder, size_t *length);

#endif
