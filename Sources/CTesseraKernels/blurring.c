#include "tessera_blurring.h"

#include "processor.h"

#if defined(TESSERA_VECTORS)

#include <string.h>

// a × b / 32768, rounded half up: NEON has an instruction for it, SSE2 none.
static inline __m128i product(__m128i a, __m128i b) {
#if defined(__aarch64__)
    return _mm_mulhrs_epi16(a, b);
#else
    const __m128i high = _mm_mulhi_epi16(a, b), low = _mm_mullo_epi16(a, b);
    const __m128i rounded = _mm_srli_epi16(_mm_add_epi16(_mm_srli_epi16(low, 14), _mm_set1_epi16(1)), 1);
    return _mm_add_epi16(_mm_slli_epi16(high, 1), rounded);
#endif
}

// Rows of bytes

static void blur_rows_bytes_128(const void *const *rows, const int16_t *weights, size_t reach, int16_t *target,
                                 size_t from, size_t end) {
    const __m128i zero = _mm_setzero_si128();
    for (size_t x = from; x < end; x += 16) {
        const __m128i middle = _mm_loadu_si128((const __m128i *)((const uint8_t *)rows[reach] + x));
        __m128i w = _mm_set1_epi16(weights[0]);
        __m128i lo = product(_mm_slli_epi16(_mm_unpacklo_epi8(middle, zero), 6), w);
        __m128i hi = product(_mm_slli_epi16(_mm_unpackhi_epi8(middle, zero), 6), w);
        for (size_t d = 1; d <= reach; d++) {
            const __m128i a = _mm_loadu_si128((const __m128i *)((const uint8_t *)rows[reach - d] + x));
            const __m128i b = _mm_loadu_si128((const __m128i *)((const uint8_t *)rows[reach + d] + x));
            w = _mm_set1_epi16(weights[d]);
            const __m128i first = _mm_add_epi16(_mm_unpacklo_epi8(a, zero), _mm_unpacklo_epi8(b, zero));
            const __m128i second = _mm_add_epi16(_mm_unpackhi_epi8(a, zero), _mm_unpackhi_epi8(b, zero));
            lo = _mm_add_epi16(lo, product(_mm_slli_epi16(first, 6), w));
            hi = _mm_add_epi16(hi, product(_mm_slli_epi16(second, 6), w));
        }
        _mm_storeu_si128((__m128i *)(target + x), lo);
        _mm_storeu_si128((__m128i *)(target + x + 8), hi);
    }
}

#if defined(AVX2)
AVX2 static void blur_rows_bytes_avx2(const void *const *rows, const int16_t *weights, size_t reach, int16_t *target,
                                      size_t from, size_t end) {
    const __m256i zero = _mm256_setzero_si256(), unit = _mm256_set1_epi8(64);
    for (size_t x = from; x < end; x += 64) {
        __m256i s[4];
        __m256i w = _mm256_set1_epi16(weights[0]);
        const uint8_t *middle = (const uint8_t *)rows[reach] + x;
#pragma clang loop unroll(full)
        for (int part = 0; part < 2; part++) {
            const __m256i a = _mm256_loadu_si256((const __m256i *)(middle + 32 * part));
            s[2 * part] = _mm256_mulhrs_epi16(_mm256_maddubs_epi16(_mm256_unpacklo_epi8(a, zero), unit), w);
            s[2 * part + 1] = _mm256_mulhrs_epi16(_mm256_maddubs_epi16(_mm256_unpackhi_epi8(a, zero), unit), w);
        }
        for (size_t d = 1; d <= reach; d++) {
            const uint8_t *first = (const uint8_t *)rows[reach - d] + x, *second = (const uint8_t *)rows[reach + d] + x;
            w = _mm256_set1_epi16(weights[d]);
#pragma clang loop unroll(full)
            for (int part = 0; part < 2; part++) {
                const __m256i a = _mm256_loadu_si256((const __m256i *)(first + 32 * part));
                const __m256i b = _mm256_loadu_si256((const __m256i *)(second + 32 * part));
                const __m256i lo = _mm256_maddubs_epi16(_mm256_unpacklo_epi8(a, b), unit);
                const __m256i hi = _mm256_maddubs_epi16(_mm256_unpackhi_epi8(a, b), unit);
                s[2 * part] = _mm256_add_epi16(s[2 * part], _mm256_mulhrs_epi16(lo, w));
                s[2 * part + 1] = _mm256_add_epi16(s[2 * part + 1], _mm256_mulhrs_epi16(hi, w));
            }
        }
#pragma clang loop unroll(full)
        for (int part = 0; part < 2; part++) {
            // Unpacking worked in halves of 16 bytes, which are joined again.
            _mm256_storeu_si256((__m256i *)(target + x + 32 * part),
                                _mm256_permute2x128_si256(s[2 * part], s[2 * part + 1], 0x20));
            _mm256_storeu_si256((__m256i *)(target + x + 32 * part + 16),
                                _mm256_permute2x128_si256(s[2 * part], s[2 * part + 1], 0x31));
        }
    }
}
#endif

void tessera_blur_rows_bytes(const void *const *rows, size_t step, const int16_t *weights, size_t reach,
                             int16_t *target, size_t stride, size_t sums, size_t count) {
    void (*const blur)(const void *const *, const int16_t *, size_t, int16_t *, size_t, size_t) =
        WIDEST(blur_rows_bytes_avx2, blur_rows_bytes_128);
    // The number of columns of all rows that fit the first-level cache.
    const size_t height = 2 * reach + 1 + (sums - 1) * step;
    const size_t columns = height <= 48 ? 512 : height <= 96 ? 256 : 128;
    for (size_t x = 0; x < count; x += columns) {
        const size_t end = count - x < columns ? count : x + columns;
        for (size_t sum = 0; sum < sums; sum++) blur(rows + sum * step, weights, reach, target + sum * stride, x, end);
    }
}

// Rows of blurred values

static void blur_rows_wide_128(const void *const *rows, const int16_t *weights, size_t reach, int16_t *target,
                                size_t count) {
    for (size_t x = 0; x < count; x += 8) {
        __m128i sum = product(_mm_loadu_si128((const __m128i *)((const int16_t *)rows[reach] + x)),
                              _mm_set1_epi16(weights[0]));
        for (size_t d = 1; d <= reach; d++) {
            const __m128i a = _mm_loadu_si128((const __m128i *)((const int16_t *)rows[reach - d] + x));
            const __m128i b = _mm_loadu_si128((const __m128i *)((const int16_t *)rows[reach + d] + x));
            sum = _mm_add_epi16(sum, product(_mm_add_epi16(a, b), _mm_set1_epi16(weights[d])));
        }
        _mm_storeu_si128((__m128i *)(target + x), sum);
    }
}

#if defined(AVX2)
AVX2 static void blur_rows_wide_avx2(const void *const *rows, const int16_t *weights, size_t reach, int16_t *target,
                                     size_t count) {
    for (size_t x = 0; x < count; x += 32) {
        const int16_t *middle = (const int16_t *)rows[reach] + x;
        __m256i w = _mm256_set1_epi16(weights[0]);
        __m256i s0 = _mm256_mulhrs_epi16(_mm256_loadu_si256((const __m256i *)middle), w);
        __m256i s1 = _mm256_mulhrs_epi16(_mm256_loadu_si256((const __m256i *)(middle + 16)), w);
        for (size_t d = 1; d <= reach; d++) {
            const int16_t *first = (const int16_t *)rows[reach - d] + x, *second = (const int16_t *)rows[reach + d] + x;
            w = _mm256_set1_epi16(weights[d]);
            const __m256i a = _mm256_add_epi16(_mm256_loadu_si256((const __m256i *)first),
                                               _mm256_loadu_si256((const __m256i *)second));
            const __m256i b = _mm256_add_epi16(_mm256_loadu_si256((const __m256i *)(first + 16)),
                                               _mm256_loadu_si256((const __m256i *)(second + 16)));
            s0 = _mm256_add_epi16(s0, _mm256_mulhrs_epi16(a, w));
            s1 = _mm256_add_epi16(s1, _mm256_mulhrs_epi16(b, w));
        }
        _mm256_storeu_si256((__m256i *)(target + x), s0);
        _mm256_storeu_si256((__m256i *)(target + x + 16), s1);
    }
}
#endif

void tessera_blur_rows_wide(const void *const *rows, const int16_t *weights, size_t reach, int16_t *target,
                            size_t count) {
    WIDEST(blur_rows_wide_avx2, blur_rows_wide_128)(rows, weights, reach, target, count);
}

// Between four rows

static inline __m128i four_128(const int16_t *a, const int16_t *b, const int16_t *c, const int16_t *d,
                                const __m128i *w) {
    const __m128i first = _mm_add_epi16(product(_mm_loadu_si128((const __m128i *)a), w[0]),
                                        product(_mm_loadu_si128((const __m128i *)b), w[1]));
    const __m128i second = _mm_add_epi16(product(_mm_loadu_si128((const __m128i *)c), w[2]),
                                         product(_mm_loadu_si128((const __m128i *)d), w[3]));
    return _mm_add_epi16(first, second);
}

#if defined(AVX2)
AVX2 static inline __m256i four_avx2(const int16_t *a, const int16_t *b, const int16_t *c, const int16_t *d,
                                     const __m256i *w) {
    const __m256i first = _mm256_add_epi16(_mm256_mulhrs_epi16(_mm256_loadu_si256((const __m256i *)a), w[0]),
                                           _mm256_mulhrs_epi16(_mm256_loadu_si256((const __m256i *)b), w[1]));
    const __m256i second = _mm256_add_epi16(_mm256_mulhrs_epi16(_mm256_loadu_si256((const __m256i *)c), w[2]),
                                            _mm256_mulhrs_epi16(_mm256_loadu_si256((const __m256i *)d), w[3]));
    return _mm256_add_epi16(first, second);
}
#endif

static void sum_four_rows_128(const int16_t *a, const int16_t *b, const int16_t *c, const int16_t *d,
                               const int16_t *weights, int16_t *target, size_t count) {
    const __m128i w[4] = {_mm_set1_epi16(weights[0]), _mm_set1_epi16(weights[1]), _mm_set1_epi16(weights[2]),
                          _mm_set1_epi16(weights[3])};
    for (size_t x = 0; x < count; x += 8) {
        _mm_storeu_si128((__m128i *)(target + x), four_128(a + x, b + x, c + x, d + x, w));
    }
}

#if defined(AVX2)
AVX2 static void sum_four_rows_avx2(const int16_t *a, const int16_t *b, const int16_t *c, const int16_t *d,
                                    const int16_t *weights, int16_t *target, size_t count) {
    const __m256i w[4] = {_mm256_set1_epi16(weights[0]), _mm256_set1_epi16(weights[1]), _mm256_set1_epi16(weights[2]),
                          _mm256_set1_epi16(weights[3])};
    for (size_t x = 0; x < count; x += 16) {
        _mm256_storeu_si256((__m256i *)(target + x), four_avx2(a + x, b + x, c + x, d + x, w));
    }
}
#endif

void tessera_sum_four_rows(const int16_t *a, const int16_t *b, const int16_t *c, const int16_t *d,
                           const int16_t *weights, int16_t *target, size_t count) {
    WIDEST(sum_four_rows_avx2, sum_four_rows_128)(a, b, c, d, weights, target, count);
}

static inline __m128i rounded_128(__m128i a, __m128i b, int limitsToAlpha) {
    const __m128i half = _mm_set1_epi16(32);
    const __m128i packed = _mm_packus_epi16(_mm_srai_epi16(_mm_add_epi16(a, half), 6),
                                            _mm_srai_epi16(_mm_add_epi16(b, half), 6));
    if (!limitsToAlpha) return packed;
    __m128i alpha = _mm_srli_epi32(packed, 24);
    alpha = _mm_or_si128(alpha, _mm_slli_epi32(alpha, 8));
    return _mm_min_epu8(packed, _mm_or_si128(alpha, _mm_slli_epi32(alpha, 16)));
}

static void sum_four_rows_to_bytes_128(const int16_t *a, const int16_t *b, const int16_t *c, const int16_t *d,
                                        const int16_t *weights, uint8_t *target, size_t count, int limitsToAlpha) {
    const __m128i w[4] = {_mm_set1_epi16(weights[0]), _mm_set1_epi16(weights[1]), _mm_set1_epi16(weights[2]),
                          _mm_set1_epi16(weights[3])};
    for (size_t x = 0; x < count; x += 16) {
        const __m128i lo = four_128(a + x, b + x, c + x, d + x, w);
        const __m128i hi = four_128(a + x + 8, b + x + 8, c + x + 8, d + x + 8, w);
        const __m128i bytes = rounded_128(lo, hi, limitsToAlpha);
        if (count - x >= 16) {
            _mm_storeu_si128((__m128i *)(target + x), bytes);
        } else {
            memcpy(target + x, &bytes, count - x);
        }
    }
}

#if defined(AVX2)
AVX2 static void sum_four_rows_to_bytes_avx2(const int16_t *a, const int16_t *b, const int16_t *c, const int16_t *d,
                                             const int16_t *weights, uint8_t *target, size_t count,
                                             int limitsToAlpha) {
    const __m256i w[4] = {_mm256_set1_epi16(weights[0]), _mm256_set1_epi16(weights[1]), _mm256_set1_epi16(weights[2]),
                          _mm256_set1_epi16(weights[3])};
    const __m256i half = _mm256_set1_epi16(32);
    const __m256i alphas = _mm256_setr_epi8(3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15, 3, 3, 3, 3, 7, 7, 7,
                                            7, 11, 11, 11, 11, 15, 15, 15, 15);
    for (size_t x = 0; x < count; x += 32) {
        const __m256i lo = four_avx2(a + x, b + x, c + x, d + x, w);
        const __m256i hi = four_avx2(a + x + 16, b + x + 16, c + x + 16, d + x + 16, w);
        __m256i bytes = _mm256_packus_epi16(_mm256_srai_epi16(_mm256_add_epi16(lo, half), 6),
                                            _mm256_srai_epi16(_mm256_add_epi16(hi, half), 6));
        bytes = _mm256_permute4x64_epi64(bytes, 0xD8);
        if (limitsToAlpha) bytes = _mm256_min_epu8(bytes, _mm256_shuffle_epi8(bytes, alphas));
        if (count - x >= 32) {
            _mm256_storeu_si256((__m256i *)(target + x), bytes);
        } else {
            memcpy(target + x, &bytes, count - x);
        }
    }
}
#endif

void tessera_sum_four_rows_to_bytes(const int16_t *a, const int16_t *b, const int16_t *c, const int16_t *d,
                                    const int16_t *weights, uint8_t *target, size_t count, int limitsToAlpha) {
    WIDEST(sum_four_rows_to_bytes_avx2, sum_four_rows_to_bytes_128)(a, b, c, d, weights, target, count,
                                                                                     limitsToAlpha);
}

// Along a row

// A pixel as often as it fits.
static inline __m128i repeated(const int16_t *pixel, size_t channels) {
    if (channels == 1) return _mm_set1_epi16(*pixel);
    const __m128i one = _mm_loadl_epi64((const __m128i *)pixel);
    return _mm_unpacklo_epi64(one, one);
}

static void enlarge_row_128(const int16_t *row, const int16_t *weights, size_t stride, size_t spacing,
                             size_t channels, int16_t *target, size_t count) {
    const size_t values = spacing * channels;
    for (size_t run = 0; run < count; run++) {
        const int16_t *first = row + run * channels;
        const __m128i a = repeated(first, channels), b = repeated(first + channels, channels);
        const __m128i c = repeated(first + 2 * channels, channels), d = repeated(first + 3 * channels, channels);
        for (size_t x = 0; x < values; x += 8) {
            const int16_t *w = weights + x;
            const __m128i near = _mm_add_epi16(product(a, _mm_loadu_si128((const __m128i *)w)),
                                               product(b, _mm_loadu_si128((const __m128i *)(w + stride))));
            const __m128i far = _mm_add_epi16(product(c, _mm_loadu_si128((const __m128i *)(w + 2 * stride))),
                                              product(d, _mm_loadu_si128((const __m128i *)(w + 3 * stride))));
            _mm_storeu_si128((__m128i *)(target + run * values + x), _mm_add_epi16(near, far));
        }
    }
}

#if defined(AVX2)
AVX2 static inline __m128i repeated_avx2(const int16_t *pixel, size_t channels) {
    if (channels == 1) return _mm_set1_epi16(*pixel);
    const __m128i one = _mm_loadl_epi64((const __m128i *)pixel);
    return _mm_unpacklo_epi64(one, one);
}

AVX2 static void enlarge_row_avx2(const int16_t *row, const int16_t *weights, size_t stride, size_t spacing,
                                  size_t channels, int16_t *target, size_t count) {
    const size_t values = spacing * channels;
    __m128i a = repeated_avx2(row, channels), b = repeated_avx2(row + channels, channels);
    __m128i c = repeated_avx2(row + 2 * channels, channels);
    for (size_t run = 0; run < count; run++) {
        const __m128i d = repeated_avx2(row + (run + 3) * channels, channels);
        size_t x = 0;
        if (values > 8) {
            const __m256i a2 = _mm256_broadcastsi128_si256(a), b2 = _mm256_broadcastsi128_si256(b);
            const __m256i c2 = _mm256_broadcastsi128_si256(c), d2 = _mm256_broadcastsi128_si256(d);
            for (; x < values; x += 16) {
                const int16_t *w = weights + x;
                const __m256i near =
                    _mm256_add_epi16(_mm256_mulhrs_epi16(a2, _mm256_loadu_si256((const __m256i *)w)),
                                     _mm256_mulhrs_epi16(b2, _mm256_loadu_si256((const __m256i *)(w + stride))));
                const __m256i far =
                    _mm256_add_epi16(_mm256_mulhrs_epi16(c2, _mm256_loadu_si256((const __m256i *)(w + 2 * stride))),
                                     _mm256_mulhrs_epi16(d2, _mm256_loadu_si256((const __m256i *)(w + 3 * stride))));
                _mm256_storeu_si256((__m256i *)(target + run * values + x), _mm256_add_epi16(near, far));
            }
        } else {
            const __m128i near =
                _mm_add_epi16(_mm_mulhrs_epi16(a, _mm_loadu_si128((const __m128i *)weights)),
                              _mm_mulhrs_epi16(b, _mm_loadu_si128((const __m128i *)(weights + stride))));
            const __m128i far =
                _mm_add_epi16(_mm_mulhrs_epi16(c, _mm_loadu_si128((const __m128i *)(weights + 2 * stride))),
                              _mm_mulhrs_epi16(d, _mm_loadu_si128((const __m128i *)(weights + 3 * stride))));
            _mm_storeu_si128((__m128i *)(target + run * values), _mm_add_epi16(near, far));
        }
        a = b;
        b = c;
        c = d;
    }
}
#endif

void tessera_enlarge_row(const int16_t *row, const int16_t *weights, size_t stride, size_t spacing, size_t channels,
                         int16_t *target, size_t count) {
    WIDEST(enlarge_row_avx2, enlarge_row_128)(row, weights, stride, spacing, channels, target, count);
}

void tessera_part_row(const int16_t *row, size_t step, size_t channels, int16_t *target, size_t stride, size_t count) {
    for (size_t part = 0; part < step; part++) {
        const int16_t *source = row + part * channels;
        int16_t *values = target + part * stride;
        if (channels == 4) {
            for (size_t x = 0; x < count; x++) memcpy(values + 4 * x, source + 4 * step * x, 8);
        } else {
            for (size_t x = 0; x < count; x++) values[x] = source[step * x];
        }
    }
}

// Sharpening

void tessera_sharpen(const uint8_t *pixels, const int16_t *blurred, float amount, int isOpaque, uint8_t *target,
                     size_t count) {
    const __m128i zero = _mm_setzero_si128();
    const __m128 amounts = _mm_set1_ps(amount), half = _mm_set1_ps(0.5f), unit = _mm_set1_ps(1.0f / 64);
    for (size_t x = 0; x < count; x++) {
        int32_t pixel;
        memcpy(&pixel, pixels + 4 * x, 4);
        const __m128i bytes = _mm_unpacklo_epi8(_mm_cvtsi32_si128(pixel), zero);
        const __m128 values = _mm_cvtepi32_ps(_mm_unpacklo_epi16(bytes, zero));
        const __m128 alpha = _mm_shuffle_ps(values, values, 0xFF);
        const __m128 blur =
            _mm_cvtepi32_ps(_mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *)(blurred + 4 * x)), zero));
        const __m128 scale =
            isOpaque || blurred[4 * x + 3] == 0 ? unit : _mm_div_ps(alpha, _mm_shuffle_ps(blur, blur, 0xFF));
        const __m128 around = _mm_mul_ps(blur, scale);
        __m128 sharp = _mm_add_ps(values, _mm_mul_ps(_mm_sub_ps(values, around), amounts));
        sharp = _mm_min_ps(_mm_max_ps(sharp, _mm_setzero_ps()), alpha);
        __m128i result = _mm_cvttps_epi32(_mm_add_ps(sharp, half));
        result = _mm_packus_epi16(_mm_packs_epi32(result, result), zero);
        pixel = (int32_t)(((uint32_t)_mm_cvtsi128_si32(result) & 0xFFFFFF) | ((uint32_t)pixel & 0xFF000000));
        memcpy(target + 4 * x, &pixel, 4);
    }
}

// Shadows

void tessera_extract_alpha(const uint8_t *pixels, uint8_t *target, size_t count) {
    size_t x = 0;
    for (; x + 16 <= count; x += 16) {
        const __m128i *source = (const __m128i *)(pixels + 4 * x);
        const __m128i a = _mm_srli_epi32(_mm_loadu_si128(source), 24), b = _mm_srli_epi32(_mm_loadu_si128(source + 1), 24);
        const __m128i c = _mm_srli_epi32(_mm_loadu_si128(source + 2), 24);
        const __m128i d = _mm_srli_epi32(_mm_loadu_si128(source + 3), 24);
        _mm_storeu_si128((__m128i *)(target + x), _mm_packus_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)));
    }
    for (; x < count; x++) target[x] = pixels[4 * x + 3];
}

// Two pixels of shadow as blurred values.
static inline __m128i shadow(const int16_t *alphas, __m128i ink) {
    int32_t two;
    memcpy(&two, alphas, 4);
    __m128i pair = _mm_cvtsi32_si128(two);
    pair = _mm_unpacklo_epi16(pair, pair);
    return product(_mm_unpacklo_epi32(pair, pair), ink);
}

// Two premultiplied pixels, as sixteen-bit values, over two of shadow.
static inline __m128i over(__m128i pixels, __m128i under) {
    const __m128i alpha = _mm_shufflehi_epi16(_mm_shufflelo_epi16(pixels, 0xFF), 0xFF);
    const __m128i rest = _mm_sub_epi16(_mm_set1_epi16(255), alpha);
    // × 257 / 2: 255 becomes 32767.
    const __m128i factor = _mm_add_epi16(_mm_slli_epi16(rest, 7), _mm_srli_epi16(rest, 1));
    return _mm_add_epi16(_mm_slli_epi16(pixels, 6), product(under, factor));
}

void tessera_draw_shadow(const int16_t *alphas, const int16_t *ink, uint8_t *target, size_t count) {
    const __m128i four = _mm_loadl_epi64((const __m128i *)ink);
    const __m128i inks = _mm_unpacklo_epi64(four, four);
    size_t x = 0;
    for (; x + 4 <= count; x += 4) {
        _mm_storeu_si128((__m128i *)(target + 4 * x),
                         rounded_128(shadow(alphas + x, inks), shadow(alphas + x + 2, inks), 1));
    }
    if (x < count) {
        int16_t some[4] = {0};
        uint8_t pixels[16];
        memcpy(some, alphas + x, 2 * (count - x));
        _mm_storeu_si128((__m128i *)pixels, rounded_128(shadow(some, inks), shadow(some + 2, inks), 1));
        memcpy(target + 4 * x, pixels, 4 * (count - x));
    }
}

static inline __m128i over_shadow(__m128i pixels, const int16_t *alphas, __m128i ink) {
    const __m128i zero = _mm_setzero_si128();
    return rounded_128(over(_mm_unpacklo_epi8(pixels, zero), shadow(alphas, ink)),
                        over(_mm_unpackhi_epi8(pixels, zero), shadow(alphas + 2, ink)), 1);
}

void tessera_draw_over_shadow(const uint8_t *pixels, const int16_t *alphas, const int16_t *ink, uint8_t *target,
                              size_t count) {
    const __m128i four = _mm_loadl_epi64((const __m128i *)ink);
    const __m128i inks = _mm_unpacklo_epi64(four, four);
    const __m128i opaque = _mm_set1_epi32((int32_t)0xFF000000);
    size_t x = 0;
    for (; x + 4 <= count; x += 4) {
        __m128i some = _mm_loadu_si128((const __m128i *)(pixels + 4 * x));
        if (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_and_si128(some, opaque), opaque)) != 0xFFFF) {
            some = over_shadow(some, alphas + x, inks);
        }
        _mm_storeu_si128((__m128i *)(target + 4 * x), some);
    }
    if (x < count) {
        int16_t rest[4] = {0};
        uint8_t some[16] = {0};
        memcpy(rest, alphas + x, 2 * (count - x));
        memcpy(some, pixels + 4 * x, 4 * (count - x));
        _mm_storeu_si128((__m128i *)some, over_shadow(_mm_loadu_si128((const __m128i *)some), rest, inks));
        memcpy(target + 4 * x, some, 4 * (count - x));
    }
}

#endif
