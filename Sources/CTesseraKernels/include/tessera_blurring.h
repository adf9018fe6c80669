#ifndef TESSERA_BLURRING_H
#define TESSERA_BLURRING_H

#include <stddef.h>
#include <stdint.h>

/// Kernels for Gaussian blurs, sharpening and shadows, for x86-64 (SSE2, and AVX2 where the processor has it) and ARM64
/// (NEON).
///
/// Blurred values have sixteen bits with 6 after the point, 0 to 16320; weights have 15 bits after the point. Products
/// are rounded one by one: (value × weight + 16384) >> 15. Each kernel has a twin in Swift that gives the same results.

#if defined(__x86_64__) || defined(__aarch64__)

#pragma clang assume_nonnull begin

/// Sums 2 × `reach` + 1 rows of bytes: the middle one by `weights[0]`, the two at distance d, added up, by `weights[d]`.
///
/// Does so `sums` times, each time `step` rows further, for targets that are `stride` values apart. Works on blocks of 64:
/// rows and targets must have room up to the next multiple of 64 values.
void tessera_blur_rows_bytes(const void *_Nonnull const *_Nonnull rows, size_t step, const int16_t *weights,
                             size_t reach, int16_t *target, size_t stride, size_t sums, size_t count);

/// Sums rows of blurred values in the same way, once; works on blocks of 32. The rows may begin anywhere, so that
/// they can be one row seen from different places.
void tessera_blur_rows_wide(const void *_Nonnull const *_Nonnull rows, const int16_t *weights, size_t reach,
                            int16_t *target, size_t count);

/// Sums four rows of blurred values, each by a weight. Works on blocks of 32.
void tessera_sum_four_rows(const int16_t *a, const int16_t *b, const int16_t *c, const int16_t *d,
                           const int16_t *weights, int16_t *target, size_t count);

/// As `tessera_sum_four_rows`, rounded to bytes; works on blocks of 32 values and stores `count`. Where `limitsToAlpha`,
/// values are pixels of four and no colour becomes larger than its alpha.
void tessera_sum_four_rows_to_bytes(const int16_t *a, const int16_t *b, const int16_t *c, const int16_t *d,
                                    const int16_t *weights, uint8_t *target, size_t count, int limitsToAlpha);

/// Sums four neighbours along a row for `spacing` pixels between the second and the third, for `count` runs of four.
///
/// Pixels are of 1 or 4 values. `weights` has four lists, one for each neighbour, of `spacing` times the pixel's values,
/// `stride` apart, a multiple of 16 that has room for them. Stores up to 15 values more than spacing × values × count.
void tessera_enlarge_row(const int16_t *row, const int16_t *weights, size_t stride, size_t spacing, size_t channels,
                         int16_t *target, size_t count);

/// Puts every `step`th pixel of a row, of 1 or 4 values, side by side: those from the first on, `count` of them, to
/// `target`, those from the second on `stride` values further, and so on.
void tessera_part_row(const int16_t *row, size_t step, size_t channels, int16_t *target, size_t stride, size_t count);

/// Adds to each colour of RGBA bytes `amount` times what tells it from the blurred one with the pixel's own alpha,
/// limited to 0…alpha. Where `isOpaque`, all alphas are full.
void tessera_sharpen(const uint8_t *pixels, const int16_t *blurred, float amount, int isOpaque, uint8_t *target,
                     size_t count);

/// Extracts the alphas of RGBA bytes.
void tessera_extract_alpha(const uint8_t *pixels, uint8_t *target, size_t count);

/// A shadow of RGBA bytes: its colour, four values with 15 bits after the point, by each blurred alpha.
void tessera_draw_shadow(const int16_t *alphas, const int16_t *ink, uint8_t *target, size_t count);

/// As `tessera_draw_shadow`, with premultiplied RGBA bytes over it.
void tessera_draw_over_shadow(const uint8_t *pixels, const int16_t *alphas, const int16_t *ink, uint8_t *target,
                              size_t count);

#pragma clang assume_nonnull end

#endif
#endif
