#ifndef TESSERA_ROTATION_H
#define TESSERA_ROTATION_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) || defined(__aarch64__)

#pragma clang assume_nonnull begin

/// Sums `count` turned pixels of four bytes, each from sixteen around (`x`, `y`), which moves on by a step each time.
///
/// Places have 32 bits after the point and count from the first pixel's centre; their ten highest bits after the point
/// choose four weights, each standing twice in `weights`, 16384 for 1. The four pixels from the one before the place on
/// are read of each of the four rows from the one before it on: all must be there. Colours end up no larger than alpha.
void tessera_turn_pixels(const void *source, ptrdiff_t bytesPerRow, int64_t x, int64_t y, int64_t stepX, int64_t stepY,
                         const int16_t *weights, void *target, size_t count);

#pragma clang assume_nonnull end

#endif
#endif
