#ifndef TESSERA_RASTER_H
#define TESSERA_RASTER_H

#include <stddef.h>
#include <stdint.h>

/// Whole-row kernels for x86-64 (SSE2, and AVX2 where the processor has it, decided once) and ARM64 (NEON).
///
/// Each has a twin in Swift that gives the same results bit by bit and runs on other processors. No kernel keeps a
/// pointer or allocates.

#if defined(__x86_64__) || defined(__aarch64__)

#pragma clang assume_nonnull begin

/// Sums `taps` rows of bytes, an even number, by `weights` and writes sixteen-bit sums with 6 bits after the point.
///
/// `shift` is how many bits the weights' fraction has, 6 to 22. Works on blocks of 64: rows and `target` must have room
/// up to the next multiple of 64 values.
void tessera_sum_rows_bytes(const void *_Nonnull const *_Nonnull rows, const int16_t *weights, size_t taps, int shift,
                            int16_t *target, size_t count);

/// As `tessera_sum_rows_bytes` for rows of sixteen-bit values; `shift` is at most 16.
void tessera_sum_rows_wide(const void *_Nonnull const *_Nonnull rows, const int16_t *weights, size_t taps, int shift,
                           int16_t *target, size_t count);

/// Sums runs of pixels of four values: for each x of `count`, `counts[x]` pixels (a multiple of 4) from `firsts[x]` on,
/// by the weights from `weights[offsets[x]]` on. Reads whole runs, so the row must have room after its end.
void tessera_sum_pixels(const int16_t *row, const int32_t *firsts, const int32_t *counts, const int32_t *offsets,
                        const int16_t *weights, int shift, int16_t *target, size_t count);

/// As `tessera_sum_pixels` for single values and runs of multiples of 8.
void tessera_sum_values(const int16_t *row, const int32_t *firsts, const int32_t *counts, const int32_t *offsets,
                        const int16_t *weights, int shift, int16_t *target, size_t count);

/// Rounds values with 6 bits after the point to bytes. Where `limitsToAlpha`, values are pixels of four and no colour
/// becomes larger than its alpha.
void tessera_round_to_bytes(const int16_t *values, uint8_t *target, size_t count, int limitsToAlpha);

/// Straight RGBA bytes to premultiplied sixteen-bit values with 6 bits after the point.
void tessera_premultiply_wide(const uint8_t *source, int16_t *target, size_t pixels);

/// Premultiplied sixteen-bit values with 6 bits after the point to straight RGBA bytes.
void tessera_unpremultiply_wide(const int16_t *values, uint8_t *target, size_t pixels);

/// Premultiplies RGBA bytes in place, rounded exactly.
void tessera_premultiply(uint8_t *pixels, size_t count);

/// Unpremultiplies RGBA bytes in place, rounded exactly.
void tessera_unpremultiply(uint8_t *pixels, size_t count);

/// Lays straight RGBA bytes over the colour `background` in place, rounded exactly, and makes them opaque.
void tessera_flatten(uint8_t *pixels, size_t count, const uint8_t *background);

/// Exchanges rows and columns of `width` × `height` pixels of four bytes: target row x holds source column x. Both may
/// step backwards, with a negative stride.
void tessera_transpose_pixels(const void *source, ptrdiff_t sourceStride, void *target, ptrdiff_t targetStride,
                              size_t width, size_t height);

#if defined(__x86_64__)
/// Whether kernels may use AVX2 where the processor has it: yes, unless a test disallows it to run the forms for SSE2.
void tessera_allow_avx2(int allowed);
#endif

#pragma clang assume_nonnull end

#endif
#endif
