#ifndef TESSERA_COMPOSITING_H
#define TESSERA_COMPOSITING_H

#include <stddef.h>
#include <stdint.h>

/// Compositing of rows of RGBA bytes, opaque or premultiplied, for x86-64 (SSE2, and AVX2 where the processor has it) and
/// ARM64 (NEON). Each kernel has a twin in Swift, in `ScalarCompositing`, that gives the same results bit by bit. `source`
/// and `target` may be the same row.

#if defined(__x86_64__) || defined(__aarch64__)

#pragma clang assume_nonnull begin

/// Multiplies every channel by `factor` / 65536, rounded to the nearest.
void tessera_scale_pixels(const uint8_t *source, uint8_t *target, size_t pixels, uint16_t factor);

/// Multiplies every channel by the mask's byte for the pixel, or by what that lacks of 255, rounded to the nearest.
void tessera_mask_pixels(const uint8_t *source, const uint8_t *mask, uint8_t *target, size_t pixels, int isInverted);

/// Makes opaque grey pixels of the alphas.
void tessera_show_alpha(const uint8_t *source, uint8_t *target, size_t pixels);

/// Lays pixels on a premultiplied `color` of four bytes.
void tessera_lay_on_color(const uint8_t *source, uint8_t *target, size_t pixels, const uint8_t *color);

/// Lays pixels, multiplied as `tessera_scale_pixels` does, over the target's.
void tessera_lay_over(const uint8_t *source, uint8_t *target, size_t pixels, uint16_t factor);

/// Makes each colour the sum of red, green, blue and alpha by four of the twelve `weights`, whose fraction has `shift`
/// bits, limited to 0…alpha. After the shift no sum may need more than 16 bits.
void tessera_transform_colors(const uint8_t *source, uint8_t *target, size_t pixels, const int16_t *weights,
                              int shift);

#pragma clang assume_nonnull end

#endif
#endif
