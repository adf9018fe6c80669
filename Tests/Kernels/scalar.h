#ifndef SCALAR_H
#define SCALAR_H

#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
// As Swift computes: a product and a sum are rounded one by one.
#pragma clang fp contract(off)
#endif

// Shared parts of the scalar forms, which are written from the kernels' documentation, as their twins in Swift are.

static inline uint8_t limited(int32_t value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

static inline int16_t limited_16(int32_t value) {
    return (int16_t)(value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : value);
}

static inline uint8_t least(uint8_t a, uint8_t b) { return a < b ? a : b; }

/// A value with 6 bits after the point as a byte.
static inline uint8_t rounded_byte(int32_t value) { return limited((value + 32) >> 6); }

/// a × b / 255, rounded to the nearest.
static inline uint8_t product_255(uint32_t a, uint32_t b) { return (uint8_t)((a * b + 127) / 255); }

/// a × b / 32768, rounded half up.
static inline int16_t product_15(int32_t a, int32_t b) { return (int16_t)((a * b + 16384) >> 15); }

#endif
