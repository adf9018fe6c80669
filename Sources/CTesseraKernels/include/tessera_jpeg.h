#ifndef TESSERA_JPEG_KERNELS_H
#define TESSERA_JPEG_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// From a JPEG's coefficients to pixels, with libjpeg's integer arithmetic: the same samples to the bit.
///
/// Samples have 8 or 12 bits and lie in 16. AVX2 or NEON where the processor has it; the same results everywhere. `target` may
/// not overlap the input.

#pragma clang assume_nonnull begin

/// The samples of `count` blocks side by side: 8 rows, `stride` samples apart, by the "islow" inverse DCT.
///
/// `coefficients` has 64 a block, in natural order, as `steps`; a block's entry in `masks` has a bit for the last AC
/// coefficient that isn't zero, by its place in zigzag order, and may have bits for those before it. Returns whether all products and sums stay within 15 bits, as those of
/// undamaged 8-bit files do; beyond, libjpeg's forms for different processors disagree.
bool tessera_jpeg_inverse_dct(const int16_t *coefficients, const uint64_t *masks, size_t count, const uint16_t *steps,
                              unsigned bits, uint16_t *samples, size_t stride);
/// The same, coefficient by coefficient.
bool tessera_jpeg_inverse_dct_scalar(const int16_t *coefficients, const uint64_t *masks, size_t count,
                                     const uint16_t *steps, unsigned bits, uint16_t *samples, size_t stride);
/// The same at a reduced size: `side` × `side` samples for a block, where `side` is 4 or 2.
bool tessera_jpeg_reduced_inverse_dct(const int16_t *coefficients, const uint64_t *masks, size_t count,
                                      const uint16_t *steps, unsigned bits, unsigned side, uint16_t *samples,
                                      size_t stride);
bool tessera_jpeg_reduced_inverse_dct_scalar(const int16_t *coefficients, const uint64_t *masks, size_t count,
                                             const uint16_t *steps, unsigned bits, unsigned side, uint16_t *samples,
                                             size_t stride);
/// The same at an eighth: a sample for each block, of its DC. `coefficients` are `apart` from each other, and `step` is DC's.
bool tessera_jpeg_means(const int16_t *coefficients, size_t apart, size_t count, uint16_t step, unsigned bits,
                        uint16_t *samples);

/// The samples at a reduced size, of the lowest frequencies alone: 6 × 6, 4 × 4, 3 × 3 or 2 × 2 of them to as many samples,
/// where `side` is 6, 4, 3 or 2. libjpeg's forms are means of the pixels at full size instead, which needs all frequencies.
void tessera_jpeg_low_inverse_dct(const int16_t *coefficients, size_t count, const uint16_t *steps, unsigned bits,
                                  unsigned side, uint16_t *samples, size_t stride);
void tessera_jpeg_low_inverse_dct_scalar(const int16_t *coefficients, size_t count, const uint16_t *steps,
                                         unsigned bits, unsigned side, uint16_t *samples, size_t stride);

/// Twice as many columns: each sample becomes two, 3/4 its own and 1/4 its neighbour's. `count` is at least 2.
void tessera_jpeg_double_columns(const uint16_t *row, uint16_t *target, size_t count);
/// A row between two: 3/4 `near` and 1/4 `far`. `bias`, 1 or 2, is added before the division by 4.
void tessera_jpeg_double_rows(const uint16_t *near, const uint16_t *far, unsigned bias, uint16_t *target,
                              size_t count);
/// Both: twice as many columns of a row between two. `count` is at least 2.
void tessera_jpeg_double_both(const uint16_t *near, const uint16_t *far, uint16_t *target, size_t count);
/// Each sample `times` times.
void tessera_jpeg_repeat_columns(const uint16_t *row, unsigned times, uint16_t *target, size_t count);

/// Opaque pixels of YCbCr samples of 8 bits, by JFIF's equations in 16-bit fixed point. `is_streamed`: past the caches if the
/// target is aligned for it, for pixels that nobody reads soon.
void tessera_jpeg_rgba8_of_ycc(const uint16_t *y, const uint16_t *cb, const uint16_t *cr, uint8_t *target, size_t count,
                               bool is_streamed);
void tessera_jpeg_rgba8_of_ycc_scalar(const uint16_t *y, const uint16_t *cb, const uint16_t *cr, uint8_t *target,
                                      size_t count);
/// The same of 12 bits, for channels of 16: each value v becomes v << 4 | v >> 8.
void tessera_jpeg_rgba16_of_ycc(const uint16_t *y, const uint16_t *cb, const uint16_t *cr, uint16_t *target,
                                size_t count);
/// Opaque pixels of RGB samples.
void tessera_jpeg_rgba8_of_rgb(const uint16_t *red, const uint16_t *green, const uint16_t *blue, uint8_t *target,
                               size_t count);
void tessera_jpeg_rgba16_of_rgb(const uint16_t *red, const uint16_t *green, const uint16_t *blue, uint16_t *target,
                                size_t count);
/// CMYK of 8 bits, as stored; of YCCK samples, whose YCbCr stands for the complements of CMY.
void tessera_jpeg_cmyk8(const uint16_t *cyan, const uint16_t *magenta, const uint16_t *yellow, const uint16_t *black,
                        uint8_t *target, size_t count);
void tessera_jpeg_cmyk8_of_ycck(const uint16_t *y, const uint16_t *cb, const uint16_t *cr, const uint16_t *black,
                                uint8_t *target, size_t count);
/// Grey of 8 bits, and of 16 of samples of 12.
void tessera_jpeg_gray8(const uint16_t *samples, uint8_t *target, size_t count);
void tessera_jpeg_gray16(const uint16_t *samples, uint16_t *target, size_t count);
/// Samples that `tessera_jpeg_gray8` has made bytes.
void tessera_jpeg_samples_of_bytes(const uint8_t *bytes, uint16_t *samples, size_t count);

#pragma clang assume_nonnull end

#endif
