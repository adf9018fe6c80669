#include "tessera_raster.h"

#include "processor.h"

#if defined(TESSERA_VECTORS)

#include <string.h>

static inline int32_t weight_pair(const int16_t *weights) {
    int32_t pair;
    memcpy(&pair, weights, sizeof pair);
    return pair;
}

// Rows of bytes

static void sum_rows_bytes_128(const void *const *rows, const int16_t *weights, size_t taps, int shift,
                                int16_t *target, size_t count) {
    const __m128i zero = _mm_setzero_si128();
    const int down = shift - 6;
    const __m128i half = _mm_set1_epi32(down > 0 ? 1 << (down - 1) : 0);
    const __m128i by = _mm_cvtsi32_si128(down);
    for (size_t x = 0; x < count; x += 16) {
        __m128i s0 = half, s1 = half, s2 = half, s3 = half;
        for (size_t tap = 0; tap < taps; tap += 2) {
            const __m128i w = _mm_set1_epi32(weight_pair(weights + tap));
            const __m128i a = _mm_loadu_si128((const __m128i *)((const uint8_t *)rows[tap] + x));
            const __m128i b = _mm_loadu_si128((const __m128i *)((const uint8_t *)rows[tap + 1] + x));
            const __m128i lo = _mm_unpacklo_epi8(a, b), hi = _mm_unpackhi_epi8(a, b);
            s0 = _mm_add_epi32(s0, _mm_madd_epi16(_mm_unpacklo_epi8(lo, zero), w));
            s1 = _mm_add_epi32(s1, _mm_madd_epi16(_mm_unpackhi_epi8(lo, zero), w));
            s2 = _mm_add_epi32(s2, _mm_madd_epi16(_mm_unpacklo_epi8(hi, zero), w));
            s3 = _mm_add_epi32(s3, _mm_madd_epi16(_mm_unpackhi_epi8(hi, zero), w));
        }
        _mm_storeu_si128((__m128i *)(target + x),
                         _mm_packs_epi32(_mm_sra_epi32(s0, by), _mm_sra_epi32(s1, by)));
        _mm_storeu_si128((__m128i *)(target + x + 8),
                         _mm_packs_epi32(_mm_sra_epi32(s2, by), _mm_sra_epi32(s3, by)));
    }
}

#if defined(AVX2)
AVX2 static void sum_rows_bytes_avx2(const void *const *rows, const int16_t *weights, size_t taps, int shift,
                                     int16_t *target, size_t count) {
    const __m256i zero = _mm256_setzero_si256();
    const int down = shift - 6;
    const __m256i half = _mm256_set1_epi32(down > 0 ? 1 << (down - 1) : 0);
    const __m128i by = _mm_cvtsi32_si128(down);
    for (size_t x = 0; x < count; x += 64) {
        __m256i s[8] = {half, half, half, half, half, half, half, half};
        for (size_t tap = 0; tap < taps; tap += 2) {
            const __m256i w = _mm256_set1_epi32(weight_pair(weights + tap));
            const uint8_t *first = (const uint8_t *)rows[tap] + x, *second = (const uint8_t *)rows[tap + 1] + x;
#pragma clang loop unroll(full)
            for (int part = 0; part < 2; part++) {
                const __m256i a = _mm256_loadu_si256((const __m256i *)(first + 32 * part));
                const __m256i b = _mm256_loadu_si256((const __m256i *)(second + 32 * part));
                const __m256i lo = _mm256_unpacklo_epi8(a, b), hi = _mm256_unpackhi_epi8(a, b);
                __m256i *t = s + 4 * part;
                t[0] = _mm256_add_epi32(t[0], _mm256_madd_epi16(_mm256_unpacklo_epi8(lo, zero), w));
                t[1] = _mm256_add_epi32(t[1], _mm256_madd_epi16(_mm256_unpackhi_epi8(lo, zero), w));
                t[2] = _mm256_add_epi32(t[2], _mm256_madd_epi16(_mm256_unpacklo_epi8(hi, zero), w));
                t[3] = _mm256_add_epi32(t[3], _mm256_madd_epi16(_mm256_unpackhi_epi8(hi, zero), w));
            }
        }
#pragma clang loop unroll(full)
        for (int part = 0; part < 2; part++) {
            const __m256i *t = s + 4 * part;
            // Unpacking worked in halves of 16 bytes; so does packing, and what is left is to bring halves together.
            const __m256i p = _mm256_packs_epi32(_mm256_sra_epi32(t[0], by), _mm256_sra_epi32(t[1], by));
            const __m256i q = _mm256_packs_epi32(_mm256_sra_epi32(t[2], by), _mm256_sra_epi32(t[3], by));
            _mm256_storeu_si256((__m256i *)(target + x + 32 * part), _mm256_permute2x128_si256(p, q, 0x20));
            _mm256_storeu_si256((__m256i *)(target + x + 32 * part + 16), _mm256_permute2x128_si256(p, q, 0x31));
        }
    }
}
#endif

void tessera_sum_rows_bytes(const void *const *rows, const int16_t *weights, size_t taps, int shift, int16_t *target,
                            size_t count) {
    WIDEST(sum_rows_bytes_avx2, sum_rows_bytes_128)(rows, weights, taps, shift, target, count);
}

// Rows of sixteen-bit values

static void sum_rows_wide_128(const void *const *rows, const int16_t *weights, size_t taps, int shift,
                               int16_t *target, size_t count) {
    const __m128i half = _mm_set1_epi32(shift > 0 ? 1 << (shift - 1) : 0);
    const __m128i by = _mm_cvtsi32_si128(shift);
    for (size_t x = 0; x < count; x += 8) {
        __m128i s0 = half, s1 = half;
        for (size_t tap = 0; tap < taps; tap += 2) {
            const __m128i w = _mm_set1_epi32(weight_pair(weights + tap));
            const __m128i a = _mm_loadu_si128((const __m128i *)((const int16_t *)rows[tap] + x));
            const __m128i b = _mm_loadu_si128((const __m128i *)((const int16_t *)rows[tap + 1] + x));
            s0 = _mm_add_epi32(s0, _mm_madd_epi16(_mm_unpacklo_epi16(a, b), w));
            s1 = _mm_add_epi32(s1, _mm_madd_epi16(_mm_unpackhi_epi16(a, b), w));
        }
        _mm_storeu_si128((__m128i *)(target + x),
                         _mm_packs_epi32(_mm_sra_epi32(s0, by), _mm_sra_epi32(s1, by)));
    }
}

#if defined(AVX2)
AVX2 static void sum_rows_wide_avx2(const void *const *rows, const int16_t *weights, size_t taps, int shift,
                                    int16_t *target, size_t count) {
    const __m256i half = _mm256_set1_epi32(shift > 0 ? 1 << (shift - 1) : 0);
    const __m128i by = _mm_cvtsi32_si128(shift);
    for (size_t x = 0; x < count; x += 32) {
        __m256i s0 = half, s1 = half, s2 = half, s3 = half;
        for (size_t tap = 0; tap < taps; tap += 2) {
            const __m256i w = _mm256_set1_epi32(weight_pair(weights + tap));
            const int16_t *first = (const int16_t *)rows[tap] + x, *second = (const int16_t *)rows[tap + 1] + x;
            const __m256i a = _mm256_loadu_si256((const __m256i *)first);
            const __m256i b = _mm256_loadu_si256((const __m256i *)second);
            const __m256i c = _mm256_loadu_si256((const __m256i *)(first + 16));
            const __m256i d = _mm256_loadu_si256((const __m256i *)(second + 16));
            s0 = _mm256_add_epi32(s0, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), w));
            s1 = _mm256_add_epi32(s1, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), w));
            s2 = _mm256_add_epi32(s2, _mm256_madd_epi16(_mm256_unpacklo_epi16(c, d), w));
            s3 = _mm256_add_epi32(s3, _mm256_madd_epi16(_mm256_unpackhi_epi16(c, d), w));
        }
        _mm256_storeu_si256((__m256i *)(target + x),
                            _mm256_packs_epi32(_mm256_sra_epi32(s0, by), _mm256_sra_epi32(s1, by)));
        _mm256_storeu_si256((__m256i *)(target + x + 16),
                            _mm256_packs_epi32(_mm256_sra_epi32(s2, by), _mm256_sra_epi32(s3, by)));
    }
}
#endif

void tessera_sum_rows_wide(const void *const *rows, const int16_t *weights, size_t taps, int shift, int16_t *target,
                           size_t count) {
    WIDEST(sum_rows_wide_avx2, sum_rows_wide_128)(rows, weights, taps, shift, target, count);
}

// Along a row

static void sum_pixels_128(const int16_t *row, const int32_t *firsts, const int32_t *counts,
                            const int32_t *offsets, const int16_t *weights, int shift, int16_t *target,
                            size_t count) {
    const __m128i half = _mm_set1_epi32(shift > 0 ? 1 << (shift - 1) : 0);
    const __m128i by = _mm_cvtsi32_si128(shift);
    for (size_t x = 0; x < count; x++) {
        const int16_t *source = row + 4 * (size_t)firsts[x], *w = weights + offsets[x];
        __m128i sum = half;
        for (int32_t tap = 0; tap < counts[x]; tap += 2) {
            const __m128i pixels = _mm_loadu_si128((const __m128i *)(source + 4 * tap));
            const __m128i pairs = _mm_unpacklo_epi16(pixels, _mm_srli_si128(pixels, 8));
            sum = _mm_add_epi32(sum, _mm_madd_epi16(pairs, _mm_set1_epi32(weight_pair(w + tap))));
        }
        sum = _mm_sra_epi32(sum, by);
        _mm_storel_epi64((__m128i *)(target + 4 * x), _mm_packs_epi32(sum, sum));
    }
}

#if defined(AVX2)
AVX2 static void sum_pixels_avx2(const int16_t *row, const int32_t *firsts, const int32_t *counts,
                                 const int32_t *offsets, const int16_t *weights, int shift, int16_t *target,
                                 size_t count) {
    const __m128i half = _mm_set1_epi32(shift > 0 ? 1 << (shift - 1) : 0);
    const __m128i by = _mm_cvtsi32_si128(shift);
    // Each channel's values of two neighbouring pixels side by side.
    const __m256i pairing = _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15, 0, 1, 8, 9, 2, 3,
                                             10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    const __m256i spreading = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    for (size_t x = 0; x < count; x++) {
        const int16_t *source = row + 4 * (size_t)firsts[x], *w = weights + offsets[x];
        __m256i sum = _mm256_setzero_si256();
        for (int32_t tap = 0; tap < counts[x]; tap += 4) {
            const __m256i pixels = _mm256_loadu_si256((const __m256i *)(source + 4 * tap));
            const __m256i four = _mm256_castsi128_si256(_mm_loadl_epi64((const __m128i *)(w + tap)));
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_shuffle_epi8(pixels, pairing),
                                                          _mm256_permutevar8x32_epi32(four, spreading)));
        }
        __m128i whole = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
        whole = _mm_sra_epi32(_mm_add_epi32(whole, half), by);
        _mm_storel_epi64((__m128i *)(target + 4 * x), _mm_packs_epi32(whole, whole));
    }
}
#endif

void tessera_sum_pixels(const int16_t *row, const int32_t *firsts, const int32_t *counts, const int32_t *offsets,
                        const int16_t *weights, int shift, int16_t *target, size_t count) {
    WIDEST(sum_pixels_avx2, sum_pixels_128)(row, firsts, counts, offsets, weights, shift, target, count);
}

void tessera_sum_values(const int16_t *row, const int32_t *firsts, const int32_t *counts, const int32_t *offsets,
                        const int16_t *weights, int shift, int16_t *target, size_t count) {
    const int32_t half = shift > 0 ? 1 << (shift - 1) : 0;
    for (size_t x = 0; x < count; x++) {
        const int16_t *source = row + firsts[x], *w = weights + offsets[x];
        __m128i sum = _mm_setzero_si128();
        for (int32_t tap = 0; tap < counts[x]; tap += 8) {
            sum = _mm_add_epi32(sum, _mm_madd_epi16(_mm_loadu_si128((const __m128i *)(source + tap)),
                                                    _mm_loadu_si128((const __m128i *)(w + tap))));
        }
        sum = _mm_add_epi32(sum, _mm_srli_si128(sum, 8));
        sum = _mm_add_epi32(sum, _mm_srli_si128(sum, 4));
        const int32_t value = (_mm_cvtsi128_si32(sum) + half) >> shift;
        target[x] = (int16_t)(value > INT16_MAX ? INT16_MAX : value < INT16_MIN ? INT16_MIN : value);
    }
}

#endif
