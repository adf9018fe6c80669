#include "tessera_jpeg.h"

#include "jpeg_lanes.h"

// The inverse DCT at 1/2, 1/4 and 1/8 of a block's size, in the fixed-point arithmetic of libjpeg's reduced-size forms:
// the even frequencies of an 8-point transform give the sums of 8 / side neighbouring samples, the odd ones their
// differences. Columns, then rows. At 1/2 the frequency 4 doesn't matter, at 1/4 neither 2, 4 nor 6, at 1/8 none but 0.

// One pass, of which the first four or two values are the result. `shift` has the bits to take off.
#define PASS_4(type, v, descale, shift)                                                                               \
    do {                                                                                                              \
        const type even = v[0] << (CONST_BITS + 1), turned = v[2] * 15137u - v[6] * 6270u;                            \
        const type sum = even + turned, difference = even - turned;                                                   \
        const type inner = v[5] * 11893u - v[7] * 1730u - v[3] * 17799u + v[1] * 8697u;                               \
        const type outer = v[3] * 7373u - v[7] * 4176u - v[5] * 4926u + v[1] * 20995u;                                \
        v[0] = descale(sum + outer, shift);                                                                           \
        v[3] = descale(sum - outer, shift);                                                                           \
        v[1] = descale(difference + inner, shift);                                                                    \
        v[2] = descale(difference - inner, shift);                                                                    \
    } while (0)

#define PASS_2(type, v, descale, shift)                                                                               \
    do {                                                                                                              \
        const type even = v[0] << (CONST_BITS + 2);                                                                   \
        const type odd = v[5] * 6967u - v[7] * 5906u - v[3] * 10426u + v[1] * 29692u;                                 \
        v[0] = descale(even + odd, shift);                                                                            \
        v[1] = descale(even - odd, shift);                                                                            \
    } while (0)

/// The bits that the first pass takes off; the second takes off `second_shift`.
static inline int first_shift(unsigned bits, int side) {
    return CONST_BITS - pass_bits(bits) + (side == 4 ? 1 : 2);
}

static inline int second_shift(unsigned bits, int side) {
    return CONST_BITS + pass_bits(bits) + 3 + (side == 4 ? 1 : 2);
}

/// Returns the bits of all products and of the first pass's results, each added to LIMIT.
static uint32_t reduce_block_scalar(const int16_t *coefficients, const uint16_t *steps, unsigned bits, int side,
                                    uint16_t *samples, size_t stride) {
    uint32_t values[4][8], reached = 0;
    const int first = first_shift(bits, side), second = second_shift(bits, side);
    for (int x = 0; x < 8; x++) {
        uint32_t v[8];
        for (int y = 0; y < 8; y++) {
            v[y] = (uint32_t)coefficients[8 * y + x] * steps[8 * y + x];
            reached |= v[y] + LIMIT;
        }
        if (side == 4)
            PASS_4(uint32_t, v, descaled, first);
        else
            PASS_2(uint32_t, v, descaled, first);
        for (int y = 0; y < side; y++) {
            values[y][x] = v[y];
            reached |= v[y] + LIMIT;
        }
    }
    for (int y = 0; y < side; y++) {
        uint32_t *v = values[y];
        if (side == 4)
            PASS_4(uint32_t, v, descaled, second);
        else
            PASS_2(uint32_t, v, descaled, second);
        for (int x = 0; x < side; x++)
            samples[(size_t)y * stride + (size_t)x] = level((int32_t)v[x], bits);
    }
    return reached;
}

bool tessera_jpeg_reduced_inverse_dct_scalar(const int16_t *coefficients, const uint64_t *masks, size_t count,
                                             const uint16_t *steps, unsigned bits, unsigned side, uint16_t *samples,
                                             size_t stride) {
    uint32_t reached = 0;
    for (size_t i = 0; i < count; i++) {
        uint16_t *target = samples + side * i;
        if (masks[i] == 0)
            reached |= fill_block(coefficients[64 * i], steps[0], bits, (int)side, target, stride);
        else
            reached |= reduce_block_scalar(coefficients + 64 * i, steps, bits, (int)side, target, stride);
    }
    return (reached & BEYOND) == 0;
}

#if defined(TESSERA_VECTORS)

/// Two blocks: their four rows each fill the lanes of the second pass.
LANES_INLINE void reduce_to_4(const int16_t *const blocks[2], const uint16_t *steps, unsigned bits, lanes *reached,
                              uint16_t *const samples[2], size_t stride) {
    const int first = first_shift(bits, 4), second = second_shift(bits, 4);
    lanes rows[8];
    for (int i = 0; i < 2; i++) {
        lanes v[8];
        for (int y = 0; y < 8; y++) {
            load_products(blocks[i] + 8 * y, steps + 8 * y, &v[y]);
            *reached |= v[y] + LIMIT;
        }
        PASS_4(lanes, v, DESCALED_LANES, first);
        for (int y = 0; y < 4; y++) {
            *reached |= v[y] + LIMIT;
            rows[4 * i + y] = v[y];
        }
    }
    transpose(rows);
    PASS_4(lanes, rows, DESCALED_LANES, second);
    for (int x = 4; x < 8; x++)
        rows[x] = rows[0];
    transpose(rows);
    for (int y = 0; y < 8; y++) {
        half_lanes row;
        clamp(&rows[y], bits, &row);
        __builtin_memcpy(samples[y / 4] + (size_t)(y % 4) * stride, &row, 4 * sizeof(uint16_t));
    }
}

/// Four blocks: their two rows each fill the lanes of the second pass.
LANES_INLINE void reduce_to_2(const int16_t *const blocks[4], const uint16_t *steps, unsigned bits, lanes *reached,
                              uint16_t *const samples[4], size_t stride) {
    const int first = first_shift(bits, 2), second = second_shift(bits, 2);
    lanes rows[8];
    for (int i = 0; i < 4; i++) {
        lanes v[8];
        for (int y = 0; y < 8; y++) {
            load_products(blocks[i] + 8 * y, steps + 8 * y, &v[y]);
            *reached |= v[y] + LIMIT;
        }
        PASS_2(lanes, v, DESCALED_LANES, first);
        for (int y = 0; y < 2; y++) {
            *reached |= v[y] + LIMIT;
            rows[2 * i + y] = v[y];
        }
    }
    transpose(rows);
    PASS_2(lanes, rows, DESCALED_LANES, second);
    half_lanes left, right;
    clamp(&rows[0], bits, &left);
    clamp(&rows[1], bits, &right);
    for (int i = 0; i < 4; i++)
        for (int y = 0; y < 2; y++) {
            samples[i][(size_t)y * stride] = left[2 * i + y];
            samples[i][(size_t)y * stride + 1] = right[2 * i + y];
        }
}

#if defined(AVX2)

/// The pass to four values, given unpacked rows; results are rounded, but not shifted.
AVX2 static inline __attribute__((always_inline)) void sum_4(__m256i v02, __m256i v46, __m256i v13, __m256i v57,
                                                             int shift, __m256i sums[4]) {
#define SUM(left, right, a, b, c, d)                                                                                  \
    _mm256_add_epi32(_mm256_madd_epi16(left, TERMS(a, b)), _mm256_madd_epi16(right, TERMS(c, d)))
    const __m256i half = _mm256_set1_epi32(1 << (shift - 1));
    const __m256i sum = _mm256_add_epi32(SUM(v02, v46, 16384, 15137, 0, -6270), half);
    const __m256i difference = _mm256_add_epi32(SUM(v02, v46, 16384, -15137, 0, 6270), half);
    const __m256i inner = SUM(v13, v57, 8697, -17799, 11893, -1730);
    const __m256i outer = SUM(v13, v57, 20995, 7373, -4926, -4176);
#undef SUM
    sums[0] = _mm256_add_epi32(sum, outer);
    sums[3] = _mm256_sub_epi32(sum, outer);
    sums[1] = _mm256_add_epi32(difference, inner);
    sums[2] = _mm256_sub_epi32(difference, inner);
}

/// Transforms two blocks of 8-bit samples; false, and nothing written, unless all stays within LIMIT.
AVX2 static bool reduce_two_to_4(const int16_t *const blocks[2], const uint16_t *steps, uint16_t *const samples[2],
                                 size_t stride) {
    __m256i v[8], low[4], high[4], beyond = _mm256_setzero_si256();
    for (int y = 0; y < 8; y++)
        v[y] = load_two(blocks, steps, y, &beyond);
    const int first = CONST_BITS - 2 + 1, second = CONST_BITS + 2 + 3 + 1;
    sum_4(_mm256_unpacklo_epi16(v[0], v[2]), _mm256_unpacklo_epi16(v[4], v[6]), _mm256_unpacklo_epi16(v[1], v[3]),
          _mm256_unpacklo_epi16(v[5], v[7]), first, low);
    sum_4(_mm256_unpackhi_epi16(v[0], v[2]), _mm256_unpackhi_epi16(v[4], v[6]), _mm256_unpackhi_epi16(v[1], v[3]),
          _mm256_unpackhi_epi16(v[5], v[7]), first, high);
    for (int y = 0; y < 4; y++) {
        v[y] = _mm256_packs_epi32(_mm256_srai_epi32(low[y], first), _mm256_srai_epi32(high[y], first));
        beyond = _mm256_or_si256(beyond, beyond_limit(v[y]));
    }
    if (!_mm256_testz_si256(beyond, beyond))
        return false;
    // Two columns of four rows to a half.
    const __m256i a = _mm256_unpacklo_epi16(v[0], v[1]), b = _mm256_unpackhi_epi16(v[0], v[1]);
    const __m256i c = _mm256_unpacklo_epi16(v[2], v[3]), d = _mm256_unpackhi_epi16(v[2], v[3]);
    const __m256i x01 = _mm256_unpacklo_epi32(a, c), x23 = _mm256_unpackhi_epi32(a, c);
    const __m256i x45 = _mm256_unpacklo_epi32(b, d), x67 = _mm256_unpackhi_epi32(b, d);
    sum_4(_mm256_unpacklo_epi16(x01, x23), _mm256_unpacklo_epi16(x45, x67), _mm256_unpackhi_epi16(x01, x23),
          _mm256_unpackhi_epi16(x45, x67), second, low);
    const __m256i y01 = _mm256_packs_epi32(_mm256_srai_epi32(low[0], second), _mm256_srai_epi32(low[1], second));
    const __m256i y23 = _mm256_packs_epi32(_mm256_srai_epi32(low[2], second), _mm256_srai_epi32(low[3], second));
    // The first two columns' and the last two's values of each row, then the rows.
    const __m256i columns01 = _mm256_unpacklo_epi16(y01, _mm256_srli_si256(y01, 8));
    const __m256i columns23 = _mm256_unpacklo_epi16(y23, _mm256_srli_si256(y23, 8));
    const __m256i rows[2] = {_mm256_unpacklo_epi32(columns01, columns23), _mm256_unpackhi_epi32(columns01, columns23)};
    for (int i = 0; i < 2; i++) {
        const __m256i sums = _mm256_adds_epi16(rows[i], _mm256_set1_epi16(128));
        const __m256i clamped =
            _mm256_max_epi16(_mm256_min_epi16(sums, _mm256_set1_epi16(255)), _mm256_setzero_si256());
        const __m128i one = _mm256_castsi256_si128(clamped), other = _mm256_extracti128_si256(clamped, 1);
        _mm_storel_epi64((__m128i *)(samples[0] + (size_t)(2 * i) * stride), one);
        _mm_storeh_pd((double *)(samples[0] + (size_t)(2 * i + 1) * stride), _mm_castsi128_pd(one));
        _mm_storel_epi64((__m128i *)(samples[1] + (size_t)(2 * i) * stride), other);
        _mm_storeh_pd((double *)(samples[1] + (size_t)(2 * i + 1) * stride), _mm_castsi128_pd(other));
    }
    return true;
}

#endif

/// Transforms as many blocks at a time as fill the lanes; those that have only DC don't count.
LANES bool reduce_blocks(const int16_t *coefficients, const uint64_t *masks, size_t count, const uint16_t *steps,
                         unsigned bits, unsigned side, uint16_t *samples, size_t stride) {
    uint32_t reached_by_dc = 0;
    lanes reached = {0};
    const int16_t *blocks[4];
    uint16_t *targets[4];
    unsigned waiting = 0;
#if defined(AVX2)
    const bool is_small = bits == 8 && are_small(steps);
#endif
    for (size_t i = 0; i < count; i++) {
        const int16_t *block = coefficients + 64 * i;
        uint16_t *target = samples + side * i;
        if (masks[i] == 0) {
            reached_by_dc |= fill_block(block[0], steps[0], bits, (int)side, target, stride);
            if (i + 1 < count)
                continue;
        } else {
            blocks[waiting] = block;
            targets[waiting++] = target;
        }
        if (waiting == 0 || (waiting < 8 / side && i + 1 < count))
            continue;
        // The last ones are completed by their first.
        for (; waiting < 8 / side; waiting++) {
            blocks[waiting] = blocks[0];
            targets[waiting] = targets[0];
        }
        waiting = 0;
#if defined(AVX2)
        if (side == 4 && is_small && reduce_two_to_4(blocks, steps, targets, stride))
            continue;
#endif
        if (side == 4)
            reduce_to_4(blocks, steps, bits, &reached, targets, stride);
        else
            reduce_to_2(blocks, steps, bits, &reached, targets, stride);
    }
    return is_within_limit(&reached, reached_by_dc);
}

#endif

bool tessera_jpeg_reduced_inverse_dct(const int16_t *coefficients, const uint64_t *masks, size_t count,
                                      const uint16_t *steps, unsigned bits, unsigned side, uint16_t *samples,
                                      size_t stride) {
#if defined(TESSERA_VECTORS)
    if (HAS_LANES)
        return reduce_blocks(coefficients, masks, count, steps, bits, side, samples, stride);
#endif
    return tessera_jpeg_reduced_inverse_dct_scalar(coefficients, masks, count, steps, bits, side, samples, stride);
}

#if defined(TESSERA_VECTORS)

/// As many means of DC coefficients that follow each other as fill the lanes; returns their number.
LANES size_t mean_lanes(const int16_t *coefficients, size_t count, uint16_t step, unsigned bits, uint16_t *samples,
                        uint32_t *reached) {
    lanes all = {0};
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        signed_half_lanes values;
        __builtin_memcpy(&values, coefficients + i, sizeof values);
        const lanes products = (lanes)__builtin_convertvector(values, signed_lanes) * step;
        all |= (products + LIMIT / 4) & ~0x1FFFu;
        // As `fill_block` has it.
        const lanes means = (lanes)((signed_lanes)(products + 4u) >> 3);
        const lanes wrapped = (lanes)((signed_lanes)(means << (30 - bits)) >> (30 - bits));
        half_lanes row;
        clamp(&wrapped, bits, &row);
        __builtin_memcpy(samples + i, &row, sizeof row);
    }
    for (int lane = 0; lane < 8; lane++)
        *reached |= all[lane] ? (uint32_t)BEYOND : 0;
    return i;
}

#endif

bool tessera_jpeg_means(const int16_t *coefficients, size_t apart, size_t count, uint16_t step, unsigned bits,
                        uint16_t *samples) {
    uint32_t reached = 0;
    size_t i = 0;
#if defined(TESSERA_VECTORS)
    if (apart == 1 && HAS_LANES)
        i = mean_lanes(coefficients, count, step, bits, samples, &reached);
#endif
    for (; i < count; i++)
        reached |= fill_block(coefficients[apart * i], step, bits, 1, samples + i, 1);
    return (reached & BEYOND) == 0;
}
