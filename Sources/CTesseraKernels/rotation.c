#include "tessera_rotation.h"

#include "processor.h"

#if defined(TESSERA_VECTORS)

#include <string.h>

static inline const int16_t *weights_at(const int16_t *weights, int64_t place) {
    return weights + 8 * ((place >> 22) & 1023);
}

static inline const uint8_t *pixels_at(const void *source, ptrdiff_t bytesPerRow, int64_t x, int64_t y) {
    return (const uint8_t *)source + ((y >> 32) - 1) * bytesPerRow + ((x >> 32) - 1) * 4;
}

// a × b / 32768, rounded half up: NEON has an instruction for it, SSE2 none. The product's 14 lowest bits can go first.
static inline __m128i product(__m128i a, __m128i b) {
#if defined(__aarch64__)
    return _mm_mulhrs_epi16(a, b);
#else
    const __m128i high = _mm_mulhi_epi16(a, b), low = _mm_mullo_epi16(a, b);
    const __m128i doubled = _mm_or_si128(_mm_slli_epi16(high, 2), _mm_srli_epi16(low, 14));
    return _mm_srai_epi16(_mm_add_epi16(doubled, _mm_set1_epi16(1)), 1);
#endif
}

static inline __m128i limited_to_alpha(__m128i pixels) {
    __m128i alpha = _mm_srli_epi32(pixels, 24);
    alpha = _mm_or_si128(alpha, _mm_slli_epi32(alpha, 8));
    alpha = _mm_or_si128(alpha, _mm_slli_epi32(alpha, 16));
    return _mm_min_epu8(pixels, alpha);
}

static inline __m128i weight_twice(const int16_t *weights) {
    int32_t pair;
    memcpy(&pair, weights, sizeof pair);
    return _mm_set1_epi32(pair);
}

static void turn_pixels_128(const void *source, ptrdiff_t bytesPerRow, int64_t x, int64_t y, int64_t stepX,
                             int64_t stepY, const int16_t *weights, uint8_t *target, size_t count) {
    const __m128i zero = _mm_setzero_si128();
    for (size_t index = 0; index < count; index++, x += stepX, y += stepY) {
        const uint8_t *pixels = pixels_at(source, bytesPerRow, x, y);
        const int16_t *across = weights_at(weights, x), *down = weights_at(weights, y);
        __m128i left = zero, right = zero;
        for (int row = 0; row < 4; row++) {
            const __m128i weight = weight_twice(down + 2 * row);
            const __m128i four = _mm_loadu_si128((const __m128i *)(pixels + row * bytesPerRow));
            left = _mm_add_epi16(left, product(_mm_slli_epi16(_mm_unpacklo_epi8(four, zero), 7), weight));
            right = _mm_add_epi16(right, product(_mm_slli_epi16(_mm_unpackhi_epi8(four, zero), 7), weight));
        }
        const __m128i w = _mm_loadu_si128((const __m128i *)across);
        left = product(left, _mm_shuffle_epi32(w, 0x50));
        right = product(right, _mm_shuffle_epi32(w, 0xFA));
        __m128i sum = _mm_add_epi16(left, right);
        sum = _mm_add_epi16(sum, _mm_srli_si128(sum, 8));
        sum = _mm_srai_epi16(_mm_add_epi16(sum, _mm_set1_epi16(16)), 5);
        const int32_t pixel = _mm_cvtsi128_si32(limited_to_alpha(_mm_packus_epi16(sum, sum)));
        memcpy(target + 4 * index, &pixel, sizeof pixel);
    }
}

#if defined(AVX2)
// The four columns' sums of one pixel, each four channels, times the columns' weights.
AVX2 static inline __m256i columns_avx2(const void *source, ptrdiff_t bytesPerRow, int64_t x, int64_t y,
                                        const int16_t *weights) {
    const uint8_t *pixels = pixels_at(source, bytesPerRow, x, y);
    const int16_t *across = weights_at(weights, x), *down = weights_at(weights, y);
    __m256i sum = _mm256_setzero_si256();
#pragma clang loop unroll(full)
    for (int row = 0; row < 4; row++) {
        int32_t weight;
        memcpy(&weight, down + 2 * row, sizeof weight);
        const __m256i four = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(pixels + row * bytesPerRow)));
        sum = _mm256_add_epi16(sum, _mm256_mulhrs_epi16(_mm256_slli_epi16(four, 7), _mm256_set1_epi32(weight)));
    }
    const __m256i spreading = _mm256_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 4, 5, 8, 9, 8, 9, 8, 9, 8, 9,
                                               12, 13, 12, 13, 12, 13, 12, 13);
    const __m256i each = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)across));
    return _mm256_mulhrs_epi16(sum, _mm256_shuffle_epi8(each, spreading));
}

AVX2 static void turn_pixels_avx2(const void *source, ptrdiff_t bytesPerRow, int64_t x, int64_t y, int64_t stepX,
                                  int64_t stepY, const int16_t *weights, uint8_t *target, size_t count) {
    const __m256i half = _mm256_set1_epi16(16);
    size_t index = 0;
    for (; index + 4 <= count; index += 4, x += 4 * stepX, y += 4 * stepY) {
        const __m256i a = columns_avx2(source, bytesPerRow, x, y, weights);
        const __m256i b = columns_avx2(source, bytesPerRow, x + stepX, y + stepY, weights);
        const __m256i c = columns_avx2(source, bytesPerRow, x + 2 * stepX, y + 2 * stepY, weights);
        const __m256i d = columns_avx2(source, bytesPerRow, x + 3 * stepX, y + 3 * stepY, weights);
        const __m256i ab = _mm256_add_epi16(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        const __m256i cd = _mm256_add_epi16(_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
        __m256i sum = _mm256_add_epi16(_mm256_permute2x128_si256(ab, cd, 0x20), _mm256_permute2x128_si256(ab, cd, 0x31));
        sum = _mm256_srai_epi16(_mm256_add_epi16(sum, half), 5);
        const __m128i four = _mm_packus_epi16(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
        _mm_storeu_si128((__m128i *)(target + 4 * index), limited_to_alpha(four));
    }
    turn_pixels_128(source, bytesPerRow, x, y, stepX, stepY, weights, target + 4 * index, count - index);
}
#endif

void tessera_turn_pixels(const void *source, ptrdiff_t bytesPerRow, int64_t x, int64_t y, int64_t stepX, int64_t stepY,
                         const int16_t *weights, void *target, size_t count) {
    WIDEST(turn_pixels_avx2, turn_pixels_128)(source, bytesPerRow, x, y, stepX, stepY, weights, target,
                                                               count);
}

#endif
