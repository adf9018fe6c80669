#ifndef TESSERA_HALVING_H
#define TESSERA_HALVING_H

#include <stddef.h>
#include <stdint.h>

/// Rows half as wide from two rows: each value the mean of four, rounded to the nearest, halves upwards.
///
/// SSE2 or AVX2 on x86-64, NEON on ARM64, scalar elsewhere; the same results everywhere. `target` may not overlap the rows.

#pragma clang assume_nonnull begin

/// `count` bytes from 2 × `count` of each row.
void tessera_halve_bytes(const uint8_t *upper, const uint8_t *lower, uint8_t *target, size_t count);

/// `count` pixels of four bytes from 2 × `count` of each row.
void tessera_halve_pixels(const uint8_t *upper, const uint8_t *lower, uint8_t *target, size_t count);

/// As `tessera_halve_pixels`, with means in linear light: `light` has the linear value, 0 to 65535, of each of 256
/// encoded values, and `values` the encoded value of each of 65536 linear ones. Colours are premultiplied, and stay no
/// larger than alpha.
void tessera_halve_pixels_as_light(const uint8_t *upper, const uint8_t *lower, uint8_t *target, size_t count,
                                   const uint16_t *light, const uint8_t *values);

/// The first two, value by value.
void tessera_halve_bytes_scalar(const uint8_t *upper, const uint8_t *lower, uint8_t *target, size_t count);
void tessera_halve_pixels_scalar(const uint8_t *upper, const uint8_t *lower, uint8_t *target, size_t count);

#pragma clang assume_nonnull end

#endif
