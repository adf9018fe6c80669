#include "tessera_halving.h"

#include "processor.h"

void tessera_halve_bytes_scalar(const uint8_t *upper, const uint8_t *lower, uint8_t *target, size_t count) {
    for (size_t x = 0; x < count; x++)
        target[x] = (uint8_t)((upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1] + 2) >> 2);
}

void tessera_halve_pixels_scalar(const uint8_t *upper, const uint8_t *lower, uint8_t *target, size_t count) {
    for (size_t x = 0; x < count; x++)
        for (size_t c = 0; c < 4; c++)
            target[4 * x + c] = (uint8_t)((upper[8 * x + c] + upper[8 * x + 4 + c] + lower[8 * x + c]
                                           + lower[8 * x + 4 + c] + 2)
                                          >> 2);
}

#if defined(TESSERA_VECTORS)

static inline __m128i halved_bytes(__m128i upper, __m128i lower) {
    const __m128i low = _mm_set1_epi16(0x00FF);
    const __m128i a = _mm_add_epi16(_mm_and_si128(upper, low), _mm_srli_epi16(upper, 8));
    const __m128i b = _mm_add_epi16(_mm_and_si128(lower, low), _mm_srli_epi16(lower, 8));
    return _mm_srli_epi16(_mm_add_epi16(_mm_add_epi16(a, b), _mm_set1_epi16(2)), 2);
}

static size_t halve_bytes_128(const uint8_t *upper, const uint8_t *lower, uint8_t *target, size_t count) {
    size_t x = 0;
    for (; x + 16 <= count; x += 16) {
        const __m128i *a = (const __m128i *)(upper + 2 * x), *b = (const __m128i *)(lower + 2 * x);
        const __m128i first = halved_bytes(_mm_loadu_si128(a), _mm_loadu_si128(b));
        const __m128i second = halved_bytes(_mm_loadu_si128(a + 1), _mm_loadu_si128(b + 1));
        _mm_storeu_si128((__m128i *)(target + x), _mm_packus_epi16(first, second));
    }
    return x;
}

#if defined(AVX2)
AVX2 static inline __m256i halved_bytes_avx2(__m256i upper, __m256i lower) {
    const __m256i one = _mm256_set1_epi8(1);
    const __m256i sum = _mm256_add_epi16(_mm256_maddubs_epi16(upper, one), _mm256_maddubs_epi16(lower, one));
    return _mm256_srli_epi16(_mm256_add_epi16(sum, _mm256_set1_epi16(2)), 2);
}

AVX2 static size_t halve_bytes_avx2(const uint8_t *upper, const uint8_t *lower, uint8_t *target, size_t count) {
    size_t x = 0;
    for (; x + 32 <= count; x += 32) {
        const __m256i *a = (const __m256i *)(upper + 2 * x), *b = (const __m256i *)(lower + 2 * x);
        const __m256i first = halved_bytes_avx2(_mm256_loadu_si256(a), _mm256_loadu_si256(b));
        const __m256i second = halved_bytes_avx2(_mm256_loadu_si256(a + 1), _mm256_loadu_si256(b + 1));
        const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi16(first, second), 0xD8);
        _mm256_storeu_si256((__m256i *)(target + x), packed);
    }
    return x;
}
#endif

void tessera_halve_bytes(const uint8_t *upper, const uint8_t *lower, uint8_t *target, size_t count) {
    const size_t done = WIDEST(halve_bytes_avx2, halve_bytes_128)(upper, lower, target, count);
    tessera_halve_bytes_scalar(upper + 2 * done, lower + 2 * done, target + done, count - done);
}

// Four pixels of each row become two, as sixteen-bit values.
static inline __m128i halved_pixels(__m128i upper, __m128i lower) {
    const __m128i zero = _mm_setzero_si128();
    const __m128i lo = _mm_add_epi16(_mm_unpacklo_epi8(upper, zero), _mm_unpacklo_epi8(lower, zero));
    const __m128i hi = _mm_add_epi16(_mm_unpackhi_epi8(upper, zero), _mm_unpackhi_epi8(lower, zero));
    const __m128i sum = _mm_add_epi16(_mm_unpacklo_epi64(lo, hi), _mm_unpackhi_epi64(lo, hi));
    return _mm_srli_epi16(_mm_add_epi16(sum, _mm_set1_epi16(2)), 2);
}

static size_t halve_pixels_128(const uint8_t *upper, const uint8_t *lower, uint8_t *target, size_t count) {
    size_t x = 0;
    for (; x + 4 <= count; x += 4) {
        const __m128i *a = (const __m128i *)(upper + 8 * x), *b = (const __m128i *)(lower + 8 * x);
        const __m128i first = halved_pixels(_mm_loadu_si128(a), _mm_loadu_si128(b));
        const __m128i second = halved_pixels(_mm_loadu_si128(a + 1), _mm_loadu_si128(b + 1));
        _mm_storeu_si128((__m128i *)(target + 4 * x), _mm_packus_epi16(first, second));
    }
    return x;
}

#if defined(AVX2)
AVX2 static inline __m256i halved_pixels_avx2(__m256i upper, __m256i lower) {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i lo = _mm256_add_epi16(_mm256_unpacklo_epi8(upper, zero), _mm256_unpacklo_epi8(lower, zero));
    const __m256i hi = _mm256_add_epi16(_mm256_unpackhi_epi8(upper, zero), _mm256_unpackhi_epi8(lower, zero));
    const __m256i sum = _mm256_add_epi16(_mm256_unpacklo_epi64(lo, hi), _mm256_unpackhi_epi64(lo, hi));
    return _mm256_srli_epi16(_mm256_add_epi16(sum, _mm256_set1_epi16(2)), 2);
}

AVX2 static size_t halve_pixels_avx2(const uint8_t *upper, const uint8_t *lower, uint8_t *target, size_t count) {
    size_t x = 0;
    for (; x + 8 <= count; x += 8) {
        const __m256i *a = (const __m256i *)(upper + 8 * x), *b = (const __m256i *)(lower + 8 * x);
        const __m256i first = halved_pixels_avx2(_mm256_loadu_si256(a), _mm256_loadu_si256(b));
        const __m256i second = halved_pixels_avx2(_mm256_loadu_si256(a + 1), _mm256_loadu_si256(b + 1));
        const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi16(first, second), 0xD8);
        _mm256_storeu_si256((__m256i *)(target + 4 * x), packed);
    }
    return x;
}
#endif

void tessera_halve_pixels(const uint8_t *upper, const uint8_t *lower, uint8_t *target, size_t count) {
    const size_t done = WIDEST(halve_pixels_avx2, halve_pixels_128)(upper, lower, target, count);
    tessera_halve_pixels_scalar(upper + 8 * done, lower + 8 * done, target + 4 * done, count - done);
}

#else

void tessera_halve_bytes(const uint8_t *upper, const uint8_t *lower, uint8_t *target, size_t count) {
    tessera_halve_bytes_scalar(upper, lower, target, count);
}

void tessera_halve_pixels(const uint8_t *upper, const uint8_t *lower, uint8_t *target, size_t count) {
    tessera_halve_pixels_scalar(upper, lower, target, count);
}

#endif

// MARK: Light

/// Four pixels that aren't all opaque: light weighed by alpha.
static void halve_translucent(const uint8_t *const pixels[4], uint8_t *target, const uint16_t *light,
                              const uint8_t *values) {
    unsigned alphas = 0;
    for (int i = 0; i < 4; i++) alphas += pixels[i][3];
    const unsigned alpha = (alphas + 2) >> 2;
    target[3] = (uint8_t)alpha;
    for (int c = 0; c < 3; c++) {
        uint32_t sum = 0;
        for (int i = 0; i < 4; i++) {
            const unsigned own = pixels[i][3];
            if (own == 0) continue;
            const unsigned straight = (pixels[i][c] * 255u + own / 2) / own;
            sum += (uint32_t)light[straight > 255 ? 255 : straight] * own;
        }
        const unsigned straight = alphas ? values[(sum + alphas / 2) / alphas] : 0;
        target[c] = (uint8_t)((straight * alpha + 127) / 255);
    }
}

void tessera_halve_pixels_as_light(const uint8_t *upper, const uint8_t *lower, uint8_t *target, size_t count,
                                   const uint16_t *light, const uint8_t *values) {
    for (size_t x = 0; x < count; x++, upper += 8, lower += 8, target += 4) {
        if ((upper[3] & upper[7] & lower[3] & lower[7]) != 255) {
            const uint8_t *const pixels[4] = {upper, upper + 4, lower, lower + 4};
            halve_translucent(pixels, target, light, values);
            continue;
        }
        for (int c = 0; c < 3; c++)
            target[c] = values[((uint32_t)light[upper[c]] + light[upper[4 + c]] + light[lower[c]]
                                + light[lower[4 + c]] + 2)
                               >> 2];
        target[3] = 255;
    }
}
