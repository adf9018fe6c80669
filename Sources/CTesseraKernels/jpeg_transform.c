#include "tessera_jpeg.h"

#include "processor.h"

// The inverse DCT of Loeffler, Ligtenberg and Moschytz (ICASSP 1989) in the fixed-point arithmetic of libjpeg's "islow",
// columns, then rows, each product with 13 bits of fraction. Sums wrap around, as damaged data may have them.

enum { CONST_BITS = 13 };

/// Bits of fraction that are kept between the passes: fewer of 12-bit samples, so that 32 bits suffice.
static inline int pass_bits(unsigned bits) {
    return bits == 8 ? 2 : 1;
}

// One pass over values in place, for a type of 32-bit lanes or a single uint32_t. `shift` has the bits to take off.
#define PASS(type, v, shift_right)                                                                                    \
    do {                                                                                                              \
        const type e = (v[2] + v[6]) * 4433u;                                                                         \
        const type e2 = e - v[6] * 15137u, e3 = e + v[2] * 6270u;                                                     \
        const type e0 = (v[0] + v[4]) << CONST_BITS, e1 = (v[0] - v[4]) << CONST_BITS;                                \
        const type a0 = e0 + e3, a3 = e0 - e3, a1 = e1 + e2, a2 = e1 - e2;                                            \
        const type z = (v[7] + v[3] + v[5] + v[1]) * 9633u;                                                           \
        const type z1 = (v[7] + v[1]) * 7373u, z2 = (v[5] + v[3]) * 20995u;                                           \
        const type z3 = z - (v[7] + v[3]) * 16069u, z4 = z - (v[5] + v[1]) * 3196u;                                   \
        const type b0 = v[7] * 2446u - z1 + z3, b1 = v[5] * 16819u - z2 + z4;                                         \
        const type b2 = v[3] * 25172u - z2 + z3, b3 = v[1] * 12299u - z1 + z4;                                        \
        v[0] = shift_right(a0 + b3);                                                                                  \
        v[7] = shift_right(a0 - b3);                                                                                  \
        v[1] = shift_right(a1 + b2);                                                                                  \
        v[6] = shift_right(a1 - b2);                                                                                  \
        v[2] = shift_right(a2 + b1);                                                                                  \
        v[5] = shift_right(a2 - b1);                                                                                  \
        v[3] = shift_right(a3 + b0);                                                                                  \
        v[4] = shift_right(a3 - b0);                                                                                  \
    } while (0)

/// The bits above the 15th that a value sets when it is added to `LIMIT`: none from -LIMIT to LIMIT - 1.
enum { LIMIT = 16384, BEYOND = ~0x7FFF };

/// A block that has only DC: one value, 64 times. Returns bits as below.
static inline uint32_t fill_block(int16_t dc, uint16_t step, unsigned bits, uint16_t *samples, size_t stride) {
    const uint32_t product = (uint32_t)dc * step;
    const int32_t level = ((int32_t)(product + 4u) >> 3) + (1 << (bits - 1));
    const int32_t largest = (1 << bits) - 1;
    const uint16_t value = (uint16_t)(level < 0 ? 0 : level > largest ? largest : level);
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
            samples[(size_t)y * stride + (size_t)x] = value;
    // The first pass multiplies by four.
    return (product + LIMIT / 4) & ~0x1FFFu ? (uint32_t)BEYOND : 0;
}

static inline uint32_t descaled(uint32_t value, int shift) {
    return (uint32_t)((int32_t)(value + (1u << (shift - 1))) >> shift);
}

/// Returns the bits of all products and of the first pass's results, each added to LIMIT.
static uint32_t transform_block_scalar(const int16_t *coefficients, const uint16_t *steps, unsigned bits,
                                       uint16_t *samples, size_t stride) {
    uint32_t values[64], reached = 0;
    const int first = CONST_BITS - pass_bits(bits), second = CONST_BITS + pass_bits(bits) + 3;
    const int32_t middle = 1 << (bits - 1), largest = (1 << bits) - 1;
    for (int x = 0; x < 8; x++) {
        uint32_t v[8];
        for (int y = 0; y < 8; y++) {
            v[y] = (uint32_t)coefficients[8 * y + x] * steps[8 * y + x];
            reached |= v[y] + LIMIT;
        }
#define SHIFT(a) descaled(a, first)
        PASS(uint32_t, v, SHIFT);
#undef SHIFT
        for (int y = 0; y < 8; y++) {
            values[8 * y + x] = v[y];
            reached |= v[y] + LIMIT;
        }
    }
    for (int y = 0; y < 8; y++) {
        uint32_t *v = values + 8 * y;
#define SHIFT(a) descaled(a, second)
        PASS(uint32_t, v, SHIFT);
#undef SHIFT
        for (int x = 0; x < 8; x++) {
            const int32_t value = (int32_t)(v[x] + (uint32_t)middle);
            samples[(size_t)y * stride + (size_t)x] = (uint16_t)(value < 0 ? 0 : value > largest ? largest : value);
        }
    }
    return reached;
}

bool tessera_jpeg_inverse_dct_scalar(const int16_t *coefficients, const uint64_t *masks, size_t count,
                                     const uint16_t *steps, unsigned bits, uint16_t *samples, size_t stride) {
    uint32_t reached = 0;
    for (size_t i = 0; i < count; i++) {
        if (masks[i] == 0)
            reached |= fill_block(coefficients[64 * i], steps[0], bits, samples + 8 * i, stride);
        else
            reached |= transform_block_scalar(coefficients + 64 * i, steps, bits, samples + 8 * i, stride);
    }
    return (reached & BEYOND) == 0;
}

#if defined(AVX2)

/// Eight columns, or eight rows.
typedef uint32_t lanes __attribute__((vector_size(32)));
typedef int32_t signed_lanes __attribute__((vector_size(32)));
typedef uint16_t half_lanes __attribute__((vector_size(16)));

AVX2 static inline __attribute__((always_inline)) void transpose(lanes v[8]) {
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

AVX2 static bool transform_blocks_avx2(const int16_t *coefficients, const uint64_t *masks, size_t count,
                                       const uint16_t *steps, unsigned bits, uint16_t *samples, size_t stride) {
    uint32_t reached_by_dc = 0;
    lanes reached = {0};
    const int first = CONST_BITS - pass_bits(bits), second = CONST_BITS + pass_bits(bits) + 3;
    const uint32_t first_half = 1u << (first - 1), second_half = 1u << (second - 1);
    // Added after the shift, as libjpeg does, which matters where sums have wrapped around.
    const __m256i middle = _mm256_set1_epi32(1 << (bits - 1));
    const __m256i largest = _mm256_set1_epi32((1 << bits) - 1), zero = _mm256_setzero_si256();
    for (size_t i = 0; i < count; i++, samples += 8, coefficients += 64) {
        if (masks[i] == 0) {
            reached_by_dc |= fill_block(coefficients[0], steps[0], bits, samples, stride);
            continue;
        }
        lanes v[8];
        for (int y = 0; y < 8; y++) {
            const __m256i values = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(coefficients + 8 * y)));
            const __m256i factors = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(steps + 8 * y)));
            v[y] = (lanes)_mm256_mullo_epi32(values, factors);
            reached |= v[y] + LIMIT;
        }
#define SHIFT(a) (lanes)((signed_lanes)((a) + first_half) >> first)
        PASS(lanes, v, SHIFT);
#undef SHIFT
        for (int y = 0; y < 8; y++)
            reached |= v[y] + LIMIT;
        transpose(v);
#define SHIFT(a) (lanes)((signed_lanes)((a) + second_half) >> second)
        PASS(lanes, v, SHIFT);
#undef SHIFT
        transpose(v);
        for (int y = 0; y < 8; y++) {
            const __m256i sum = _mm256_add_epi32((__m256i)v[y], middle);
            const __m256i value = _mm256_max_epi32(_mm256_min_epi32(sum, largest), zero);
            const __m128i packed = _mm_packus_epi32(_mm256_castsi256_si128(value), _mm256_extracti128_si256(value, 1));
            _mm_storeu_si128((__m128i *)(samples + (size_t)y * stride), packed);
        }
    }
    return (reached_by_dc & BEYOND) == 0 && _mm256_testz_si256((__m256i)reached, _mm256_set1_epi32(BEYOND));
}

#endif

bool tessera_jpeg_inverse_dct(const int16_t *coefficients, const uint64_t *masks, size_t count, const uint16_t *steps,
                              unsigned bits, uint16_t *samples, size_t stride) {
#if defined(AVX2)
    if (tessera_has_avx2())
        return transform_blocks_avx2(coefficients, masks, count, steps, bits, samples, stride);
#endif
    return tessera_jpeg_inverse_dct_scalar(coefficients, masks, count, steps, bits, samples, stride);
}
