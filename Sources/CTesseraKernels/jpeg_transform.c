#include "tessera_jpeg.h"

#include "jpeg_lanes.h"

// The inverse DCT of Loeffler, Ligtenberg and Moschytz (ICASSP 1989) in the fixed-point arithmetic of libjpeg's "islow",
// columns, then rows.

// One pass over values in place, for a type of 32-bit lanes or a single uint32_t. `shift` has the bits to take off.
#define PASS(type, v, descale, shift)                                                                                 \
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
        v[0] = descale(a0 + b3, shift);                                                                               \
        v[7] = descale(a0 - b3, shift);                                                                               \
        v[1] = descale(a1 + b2, shift);                                                                               \
        v[6] = descale(a1 - b2, shift);                                                                               \
        v[2] = descale(a2 + b1, shift);                                                                               \
        v[5] = descale(a2 - b1, shift);                                                                               \
        v[3] = descale(a3 + b0, shift);                                                                               \
        v[4] = descale(a3 - b0, shift);                                                                               \
    } while (0)

/// Returns the bits of all products and of the first pass's results, each added to LIMIT.
static uint32_t transform_block_scalar(const int16_t *coefficients, const uint16_t *steps, unsigned bits,
                                       uint16_t *samples, size_t stride) {
    uint32_t values[64], reached = 0;
    const int first = CONST_BITS - pass_bits(bits), second = CONST_BITS + pass_bits(bits) + 3;
    for (int x = 0; x < 8; x++) {
        uint32_t v[8];
        for (int y = 0; y < 8; y++) {
            v[y] = (uint32_t)coefficients[8 * y + x] * steps[8 * y + x];
            reached |= v[y] + LIMIT;
        }
        PASS(uint32_t, v, descaled, first);
        for (int y = 0; y < 8; y++) {
            values[8 * y + x] = v[y];
            reached |= v[y] + LIMIT;
        }
    }
    for (int y = 0; y < 8; y++) {
        uint32_t *v = values + 8 * y;
        PASS(uint32_t, v, descaled, second);
        for (int x = 0; x < 8; x++)
            samples[(size_t)y * stride + (size_t)x] = level((int32_t)v[x], bits);
    }
    return reached;
}

bool tessera_jpeg_inverse_dct_scalar(const int16_t *coefficients, const uint64_t *masks, size_t count,
                                     const uint16_t *steps, unsigned bits, uint16_t *samples, size_t stride) {
    uint32_t reached = 0;
    for (size_t i = 0; i < count; i++) {
        if (masks[i] == 0)
            reached |= fill_block(coefficients[64 * i], steps[0], bits, 8, samples + 8 * i, stride);
        else
            reached |= transform_block_scalar(coefficients + 64 * i, steps, bits, samples + 8 * i, stride);
    }
    return (reached & BEYOND) == 0;
}

#if defined(TESSERA_VECTORS)

/// A block that has coefficients only in its first `used` rows and columns, 4 or 8.
LANES_INLINE void transform_block(const int16_t *coefficients, const uint16_t *steps, unsigned bits, int used,
                                  lanes *reached, uint16_t *samples, size_t stride) {
    const int first = CONST_BITS - pass_bits(bits), second = CONST_BITS + pass_bits(bits) + 3;
    lanes v[8];
    for (int y = 0; y < used; y++) {
        load_products(coefficients + 8 * y, steps + 8 * y, &v[y]);
        *reached |= v[y] + LIMIT;
    }
    // Terms of zero are folded away.
    for (int y = used; y < 8; y++)
        v[y] = (lanes){0};
    PASS(lanes, v, DESCALED_LANES, first);
    for (int y = 0; y < 8; y++)
        *reached |= v[y] + LIMIT;
    transpose(v);
    for (int y = used; y < 8; y++)
        v[y] = (lanes){0};
    PASS(lanes, v, DESCALED_LANES, second);
    transpose(v);
    for (int y = 0; y < 8; y++) {
        half_lanes row;
        clamp(&v[y], bits, &row);
        __builtin_memcpy(samples + (size_t)y * stride, &row, sizeof row);
    }
}

/// A block without coefficients from this one on, in zigzag order, has them in its first four rows and columns.
enum { FEW = 10 };

LANES bool transform_blocks(const int16_t *coefficients, const uint64_t *masks, size_t count, const uint16_t *steps,
                            unsigned bits, uint16_t *samples, size_t stride) {
    uint32_t reached_by_dc = 0;
    lanes reached = {0};
    for (size_t i = 0; i < count; i++, samples += 8, coefficients += 64) {
        if (masks[i] == 0)
            reached_by_dc |= fill_block(coefficients[0], steps[0], bits, 8, samples, stride);
        else if (masks[i] >> FEW == 0)
            transform_block(coefficients, steps, bits, 4, &reached, samples, stride);
        else
            transform_block(coefficients, steps, bits, 8, &reached, samples, stride);
    }
    return is_within_limit(&reached, reached_by_dc);
}

#endif

#if defined(AVX2)

/// One pass over the columns of two blocks that have coefficients only in their first `used` rows, of which the first
/// `columns` matter and the others are 0. Results around `middle`; those beyond 16 bits are the largest or least of these, and
/// in the last pass, those below 0 are 0.
AVX2 static inline __attribute__((always_inline)) void pass_of_two(__m256i v[8], int used, int columns, int shift,
                                                                   int middle, bool is_last) {
    const __m256i half = _mm256_set1_epi32((1 << (shift - 1)) + (middle << shift)), zero = _mm256_setzero_si256();
    const __m256i low02 = _mm256_unpacklo_epi16(v[0], v[2]), high02 = _mm256_unpackhi_epi16(v[0], v[2]);
    const __m256i low46 = _mm256_unpacklo_epi16(v[4], v[6]), high46 = _mm256_unpackhi_epi16(v[4], v[6]);
    const __m256i low13 = _mm256_unpacklo_epi16(v[1], v[3]), high13 = _mm256_unpackhi_epi16(v[1], v[3]);
    const __m256i low57 = _mm256_unpacklo_epi16(v[5], v[7]), high57 = _mm256_unpackhi_epi16(v[5], v[7]);
#define SUM(left, right, a, b, c, d)                                                                                  \
    (used == 8 ? _mm256_add_epi32(_mm256_madd_epi16(left, TERMS(a, b)), _mm256_madd_epi16(right, TERMS(c, d)))        \
               : _mm256_madd_epi16(left, TERMS(a, b)))
#define PACK(low, high)                                                                                               \
    (is_last ? _mm256_packus_epi32(_mm256_srai_epi32(low, shift), _mm256_srai_epi32(high, shift))                     \
             : _mm256_packs_epi32(_mm256_srai_epi32(low, shift), columns == 8 ? _mm256_srai_epi32(high, shift) : zero))
// A sum and a difference, given the terms of the even and of the odd rows.
#define RESULTS(first, last, a, b, c, d, e, f, g)                                                                  \
    do {                                                                                                              \
        const __m256i low_even = _mm256_add_epi32(SUM(low02, low46, 8192, a, b, c), half);                            \
        const __m256i high_even = _mm256_add_epi32(SUM(high02, high46, 8192, a, b, c), half);                         \
        const __m256i low_odd = SUM(low13, low57, d, e, f, g), high_odd = SUM(high13, high57, d, e, f, g);            \
        v[first] = PACK(_mm256_add_epi32(low_even, low_odd), _mm256_add_epi32(high_even, high_odd));                  \
        v[last] = PACK(_mm256_sub_epi32(low_even, low_odd), _mm256_sub_epi32(high_even, high_odd));                   \
    } while (0)
    RESULTS(0, 7, 10703, 8192, 4433, 11363, 9633, 6437, 2260);
    RESULTS(1, 6, 4433, -8192, -10704, 9633, -2259, -11362, -6436);
    RESULTS(2, 5, -4433, -8192, 10704, 6437, -11362, 2261, 9633);
    RESULTS(3, 4, -10703, 8192, -4433, 2260, -6436, 9633, -11363);
#undef SUM
#undef PACK
#undef RESULTS
}

/// Exchanges rows and columns of each block.
AVX2 static inline __attribute__((always_inline)) void transpose_two(__m256i v[8]) {
    __m256i a[8], b[8];
    for (int i = 0; i < 4; i++) {
        a[2 * i] = _mm256_unpacklo_epi16(v[i], v[i + 4]);
        a[2 * i + 1] = _mm256_unpackhi_epi16(v[i], v[i + 4]);
    }
    for (int i = 0; i < 4; i++) {
        b[2 * i] = _mm256_unpacklo_epi16(a[i], a[i + 4]);
        b[2 * i + 1] = _mm256_unpackhi_epi16(a[i], a[i + 4]);
    }
    for (int i = 0; i < 4; i++) {
        v[2 * i] = _mm256_unpacklo_epi16(b[i], b[i + 4]);
        v[2 * i + 1] = _mm256_unpackhi_epi16(b[i], b[i + 4]);
    }
}

/// Transforms two blocks of 8-bit samples; false, and nothing written, unless all stays within LIMIT.
AVX2 static inline __attribute__((always_inline)) bool transform_two(const int16_t *const blocks[2],
                                                                     const uint16_t *steps, int used,
                                                                     uint16_t *const samples[2], size_t stride) {
    __m256i v[8], beyond = _mm256_setzero_si256();
    for (int y = 0; y < used; y++)
        v[y] = load_two(blocks, steps, y, &beyond);
    pass_of_two(v, used, used, CONST_BITS - 2, 0, false);
    for (int y = 0; y < 8; y++)
        beyond = _mm256_or_si256(beyond, beyond_limit(v[y]));
    if (!_mm256_testz_si256(beyond, beyond))
        return false;
    transpose_two(v);
    pass_of_two(v, used, 8, CONST_BITS + 2 + 3, 128, true);
    transpose_two(v);
    for (int y = 0; y < 8; y++) {
        const __m256i row = _mm256_min_epu16(v[y], _mm256_set1_epi16(255));
        _mm_storeu_si128((__m128i *)(samples[0] + (size_t)y * stride), _mm256_castsi256_si128(row));
        _mm_storeu_si128((__m128i *)(samples[1] + (size_t)y * stride), _mm256_extracti128_si256(row, 1));
    }
    return true;
}

AVX2 static bool transform_in_pairs(const int16_t *coefficients, const uint64_t *masks, size_t count,
                                    const uint16_t *steps, uint16_t *samples, size_t stride) {
    uint32_t reached_by_dc = 0;
    lanes reached = {0};
    // Blocks that wait for another of their kind: those with few coefficients, and others.
    const int16_t *blocks[2][2];
    uint16_t *targets[2][2];
    int waiting[2] = {0, 0};
    for (size_t i = 0; i < count; i++) {
        if (masks[i] == 0) {
            reached_by_dc |= fill_block(coefficients[64 * i], steps[0], 8, 8, samples + 8 * i, stride);
            continue;
        }
        const int kind = masks[i] >> FEW != 0;
        blocks[kind][waiting[kind]] = coefficients + 64 * i;
        targets[kind][waiting[kind]++] = samples + 8 * i;
        if (waiting[kind] < 2)
            continue;
        waiting[kind] = 0;
        if (kind ? transform_two(blocks[1], steps, 8, targets[1], stride)
                 : transform_two(blocks[0], steps, 4, targets[0], stride))
            continue;
        for (int j = 0; j < 2; j++)
            transform_block(blocks[kind][j], steps, 8, 8, &reached, targets[kind][j], stride);
    }
    for (int kind = 0; kind < 2; kind++)
        if (waiting[kind])
            transform_block(blocks[kind][0], steps, 8, kind ? 8 : 4, &reached, targets[kind][0], stride);
    return is_within_limit(&reached, reached_by_dc);
}

#endif

bool tessera_jpeg_inverse_dct(const int16_t *coefficients, const uint64_t *masks, size_t count, const uint16_t *steps,
                              unsigned bits, uint16_t *samples, size_t stride) {
#if defined(AVX2)
    if (bits == 8 && tessera_has_avx2() && are_small(steps))
        return transform_in_pairs(coefficients, masks, count, steps, samples, stride);
#endif
#if defined(TESSERA_VECTORS)
    if (HAS_LANES)
        return transform_blocks(coefficients, masks, count, steps, bits, samples, stride);
#endif
    return tessera_jpeg_inverse_dct_scalar(coefficients, masks, count, steps, bits, samples, stride);
}
