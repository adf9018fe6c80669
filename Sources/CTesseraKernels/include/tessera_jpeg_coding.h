#ifndef TESSERA_JPEG_CODING_H
#define TESSERA_JPEG_CODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// From pixels to the entropy-coded data of a JPEG of 8 bits (ITU-T T.81): quantized coefficients, then tokens, which are
// symbols whose codes aren't known yet, then bits.

#pragma clang assume_nonnull begin

/// Blocks side by side.
typedef struct {
    /// 64 a block, in zigzag order.
    int16_t *values;
    /// For each block a bit for each value that isn't zero.
    uint64_t *masks;
} tessera_jpeg_blocks;

/// How `tessera_jpeg_quantize` makes coefficients: of luma first, then of blue chroma, then of red.
typedef struct {
    /// The steps between a coefficient's values, row by row, and one divided by each.
    float steps[3][64];
    float inverses[3][64];
    /// The factor of a squared error, row by row.
    float weights[3][64];
    /// Of luma and of chroma: for each run of zeros (high bits) and size of the value after it, the bits of its code; 0 ends
    /// a block.
    uint8_t lengths[2][256];
    /// The squared error that one bit is worth: `bit_costs` times the third root of the block's energy and `smooth_costs`. 0
    /// rounds to the nearest value.
    float bit_costs[3];
    float smooth_costs[3];
    /// Luma samples for each of chroma, 1 or 2.
    uint8_t horizontal;
    uint8_t vertical;
} tessera_jpeg_quantization;

/// Makes a row of MCUs of quantized coefficients from at most as many rows of pixels, below which the last one goes on.
///
/// Pixels are red, green, blue and a byte that is ignored, or grey where there is no `chroma`. `luma` has a row of blocks for
/// each of `vertical`, and `chroma` two; all rows are as long as whole MCUs make them.
void tessera_jpeg_quantize(const tessera_jpeg_quantization *quantization, const uint8_t *pixels, size_t bytes_per_row,
                           size_t width, size_t height, const tessera_jpeg_blocks *luma,
                           const tessera_jpeg_blocks *_Nullable chroma);

/// Tokens of one row of blocks or MCUs.
///
/// A token has 16 bits of extra bits, 5 of their number, 8 of a symbol, and 3 of a kind: the number of the table in which the
/// symbol's code is, 0 and 1 for DC of luma and chroma, 2 and 3 for AC; or one of those below.
typedef struct {
    size_t count;
    /// Each component's last DC value.
    int16_t last_values[3];
} tessera_jpeg_token_row;

enum {
    /// Blocks without coefficients: their number in place of extra bits, the table in place of the symbol.
    TESSERA_JPEG_RUN = 4,
    /// A component's first DC value in a row: the value in place of extra bits, the component in place of the symbol.
    TESSERA_JPEG_FIRST_VALUE = 5,
    /// The longest run of blocks.
    TESSERA_JPEG_LONGEST_RUN = 32767,
    /// The most tokens that a block makes.
    TESSERA_JPEG_TOKENS_A_BLOCK = 65,
};

/// The DC values of a row of MCUs, each followed by its block's AC coefficients on request, for a scan of all components.
///
/// `tokens` has room for `TESSERA_JPEG_TOKENS_A_BLOCK` a block.
tessera_jpeg_token_row tessera_jpeg_unit_tokens(const tessera_jpeg_blocks *luma, const tessera_jpeg_blocks *_Nullable chroma,
                                                unsigned horizontal, unsigned vertical, size_t unit_count, bool has_ac,
                                                uint32_t *tokens);
/// The AC coefficients from place `first` to `last` of a row of blocks, for a progressive scan.
///
/// A run of blocks without coefficients ends with the row; the next row's first token may continue it.
tessera_jpeg_token_row tessera_jpeg_band_tokens(const tessera_jpeg_blocks *blocks, size_t block_count, unsigned first,
                                                unsigned last, unsigned table, uint32_t *tokens);

/// Counts the tokens' symbols: 256 of each of four tables. `predictions` are the three components' last DC values before.
void tessera_jpeg_count_tokens(const uint32_t *tokens, size_t count, const int16_t *predictions, uint32_t *counts);

/// Bits that don't fill a byte yet; zero at first.
typedef struct {
    uint64_t bits;
    unsigned count;
} tessera_jpeg_bits;

/// Writes the tokens' codes, with a zero after each byte of ones, and returns the number of bytes.
///
/// `codes` has a code for each of 256 symbols of four tables, with its number of bits from bit 16 on.
/// `target` has room for 8 bytes a token, and 8 more.
size_t tessera_jpeg_write_tokens(const uint32_t *tokens, size_t count, const int16_t *predictions,
                                 const uint32_t *codes, tessera_jpeg_bits *pending, uint8_t *target);
/// Writes the last bits, filled with ones, in at most 16 bytes.
size_t tessera_jpeg_write_last_bits(tessera_jpeg_bits *pending, uint8_t *target);

#pragma clang assume_nonnull end

#endif
