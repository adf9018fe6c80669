#ifndef CTESSERA_WEBP_H
#define CTESSERA_WEBP_H

// libwebp behind opaque handles and status codes, without callbacks and without threads of its own. Every function is
// there where the library isn't; it then answers TESSERA_UNSUPPORTED. A handle belongs to one thread at a time, and may
// move from thread to thread between calls. A handle that has failed stays failed.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <CTesseraShim.h>

typedef struct tessera_webp_decoder tessera_webp_decoder;
typedef struct tessera_webp_encoder tessera_webp_encoder;

/// Whether the library was there when this was built.
bool tessera_webp_available(void);

// MARK: Decoding

typedef struct {
    /// The part of the picture that is wanted.
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
    /// Whether alpha comes out as 255, whatever the file has.
    bool opaque;
} tessera_webp_decoding;

/// A decoder of one picture, or NULL without memory. `tessera_webp_decoder_destroy` frees it.
tessera_webp_decoder *tessera_webp_decoder_create(void);
void tessera_webp_decoder_destroy(tessera_webp_decoder *decoder);

/// Copies bytes into the decoder, before `start` or after it: an ALPH chunk, where there is one, and a VP8 or VP8L
/// chunk, with their headers.
int32_t tessera_webp_decoder_append(tessera_webp_decoder *decoder, const uint8_t *bytes, size_t length);

int32_t tessera_webp_decoder_start(tessera_webp_decoder *decoder, const tessera_webp_decoding *decoding);

/// Up to `count` rows of R, G, B, A with straight alpha: `width` pixels from column `x` of the wanted part. `rows` says
/// how many came; 0 with OK after the last.
///
/// Bytes go to the library `step` at a time, and what is less than a step only when `final` says that no more come:
/// rows depend on how many bytes there are and not on how they came, and few rows are made ahead.
int32_t tessera_webp_decoder_read_rows(
    tessera_webp_decoder *decoder, size_t step, bool final, uint32_t x, uint32_t width, uint8_t *into, size_t stride,
    uint32_t count, uint32_t *rows);

// MARK: Encoding

typedef struct {
    uint32_t width;
    uint32_t height;
    /// Whether the fourth channel counts; else every pixel is opaque.
    bool has_alpha;
    /// Every pixel comes out as it went in, the colours of transparent ones too.
    bool lossless;
    /// libwebp's scales: 0...100, and 0...6.
    float quality;
    uint8_t method;
    /// Ends `finish` with CANCELLED when it is requested; NULL for none. Lossy pictures end at the next row of blocks,
    /// lossless ones at the next of a few stages. It must outlive the encoder.
    const tessera_stop *stop;
} tessera_webp_encoding;

/// An encoder of one picture, or NULL without memory. `tessera_webp_encoder_destroy` frees it.
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
