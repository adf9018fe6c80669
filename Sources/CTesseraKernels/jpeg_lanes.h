#ifndef TESSERA_JPEG_LANES_H
#define TESSERA_JPEG_LANES_H

#include "processor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Shared by the forms of the inverse DCT: fixed-point arithmetic with 13 bits of fraction in a product, and
// vectors of eight lanes, which are one register for AVX2 and two for NEON. Sums wrap around, as damaged data may have them.

enum { CONST_BITS = 13 };

/// Bits of fraction that are kept between the passes: fewer of 12-bit samples, so that 32 bits suffice.
static inline int pass_bits(unsigned bits) {
    return bits == 8 ? 2 : 1;
}

/// The bits above the 15th that a value sets when it is added to `LIMIT`: none from -LIMIT to LIMIT - 1.
enum { LIMIT = 16384, BEYOND = ~0x7FFF };

static inline uint32_t descaled(uint32_t value, int shift) {
    return (uint32_t)((int32_t)(value + (1u << (shift - 1))) >> shift);
}

/// The sample of a value around 0.
static inline uint16_t level(int32_t value, unsigned bits) {
    const int32_t largest = (1 << bits) - 1, sum = (int32_t)((uint32_t)value + (1u << (bits - 1)));
    return (uint16_t)(sum < 0 ? 0 : sum > largest ? largest : sum);
}

/// A block of `side` × `side` samples that has only DC: one value. Returns bits as the transforms do.
static inline uint32_t fill_block(int16_t dc, uint16_t step, unsigned bits, int side, uint16_t *samples, size_t stride) {
    const uint32_t product = (uint32_t)dc * step;
    int32_t mean = (int32_t)(product + 4u) >> 3;
    // libjpeg looks a single sample up by two bits more than it has: what is further out of range wraps around.
    if (side == 1)
        mean = (int32_t)((uint32_t)mean << (30 - bits)) >> (30 - bits);
    const uint16_t value = level(mean, bits);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            samples[(size_t)y * stride + (size_t)x] = value;
    // The first pass multiplies by four.
    return (product + LIMIT / 4) & ~0x1FFFu ? (uint32_t)BEYOND : 0;
}

#if defined(TESSERA_VECTORS)

/// Marks the functions of vectors; call them only where `HAS_LANES`.
#if defined(AVX2)
#define LANES AVX2 static
#define HAS_LANES tessera_has_avx2()
#else
#define LANES static
#define HAS_LANES 1
#endif
#define LANES_INLINE LANES inline __attribute__((always_inline))

/// Eight columns, or eight rows.
typedef uint32_t lanes __attribute__((vector_size(32)));
typedef int32_t signed_lanes __attribute__((vector_size(32)));
typedef uint16_t half_lanes __attribute__((vector_size(16)));
typedef int16_t signed_half_lanes __attribute__((vector_size(16)));

/// `descaled` in each lane. A macro, since vectors of this size aren't passed by value everywhere.
#define DESCALED_LANES(values, shift) (lanes)((signed_lanes)((values) + (1u << ((shift) - 1))) >> (shift))

/// A row of coefficients times their steps.
LANES_INLINE void load_products(const int16_t *coefficients, const uint16_t *steps, lanes *products) {
    signed_half_lanes values;
    half_lanes factors;
    __builtin_memcpy(&values, coefficients, sizeof values);
    __builtin_memcpy(&factors, steps, sizeof factors);
    *products = (lanes)__builtin_convertvector(values, signed_lanes) * __builtin_convertvector(factors, lanes);
}

/// Samples of values around 0. Half the range is added after the shift, as libjpeg does, which matters where sums have
/// wrapped around.
LANES_INLINE void clamp(const lanes *values, unsigned bits, half_lanes *samples) {
    signed_lanes sums = (signed_lanes)(*values + (1u << (bits - 1)));
    const int32_t largest = (1 << bits) - 1;
    sums &= ~(sums < 0);
    const signed_lanes above = sums > largest;
    sums = (sums & ~above) | (largest & above);
    *samples = __builtin_convertvector((lanes)sums, half_lanes);
}

/// Whether none of the bits is set beyond `LIMIT`.
LANES_INLINE int is_within_limit(const lanes *reached, uint32_t by_dc) {
    for (int i = 0; i < 8; i++)
        by_dc |= (*reached)[i];
    return (by_dc & (uint32_t)BEYOND) == 0;
}

LANES_INLINE void transpose(lanes v[8]) {
    lanes a[8], b[8];
    for (int i = 0; i < 4; i++) {
        a[2 * i] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        a[2 * i + 1] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 2; i++) {
        b[4 * i] = __builtin_shufflevector(a[4 * i], a[4 * i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        b[4 * i + 1] = __builtin_shufflevector(a[4 * i], a[4 * i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        b[4 * i + 2] = __builtin_shufflevector(a[4 * i + 1], a[4 * i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        b[4 * i + 3] = __builtin_shufflevector(a[4 * i + 1], a[4 * i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int i = 0; i < 4; i++) {
        v[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        v[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

#endif

#if defined(AVX2)

// Two blocks at once in lanes of 16 bits, one in each half of a register: two factors to an instruction. The sums are those
// of the other forms to the bit as long as everything stays within LIMIT; blocks where it doesn't are left to those.

/// Two terms of a sum, which a coefficient of each of two rows contributes to.
#define TERMS(a, b) _mm256_set1_epi32((int32_t)((uint32_t)(uint16_t)(a) | (uint32_t)(uint16_t)(b) << 16))

/// Not zero where values are beyond LIMIT.
AVX2 static inline __attribute__((always_inline)) __m256i beyond_limit(__m256i values) {
    return _mm256_srai_epi16(_mm256_add_epi16(values, _mm256_set1_epi16(LIMIT)), 15);
}

/// A row of coefficients of each block times their steps; sets bits of `beyond` where products are beyond LIMIT.
AVX2 static inline __attribute__((always_inline)) __m256i load_two(const int16_t *const blocks[2], const uint16_t *steps,
                                                                   int row, __m256i *beyond) {
    const __m256i factors = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(steps + 8 * row)));
    const __m128i first = _mm_loadu_si128((const __m128i *)(blocks[0] + 8 * row));
    const __m128i second = _mm_loadu_si128((const __m128i *)(blocks[1] + 8 * row));
    const __m256i values = _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
    const __m256i products = _mm256_mullo_epi16(values, factors);
    // The upper halves of products within 16 bits are the lower halves' signs.
    const __m256i upper = _mm256_xor_si256(_mm256_mulhi_epi16(values, factors), _mm256_srai_epi16(products, 15));
    *beyond = _mm256_or_si256(*beyond, _mm256_or_si256(upper, beyond_limit(products)));
    return products;
}

/// Whether 16 bits with a sign hold all steps.
static inline bool are_small(const uint16_t *steps) {
    uint16_t all = 0;
    for (int i = 0; i < 64; i++)
        all |= steps[i];
    return all < 32768;
}

#endif
#endif
