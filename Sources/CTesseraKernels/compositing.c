#include "tessera_compositing.h"

#include "processor.h"

#if defined(TESSERA_VECTORS)

#include <string.h>

// Each kernel's work on four pixels, and on eight, is a function of vectors. Rows go through these macros: whole
// vectors first, then the rest in one padded vector.

static inline __m128i some_pixels(const uint8_t *source, size_t count) {
    uint32_t pixels[4] = {0, 0, 0, 0};
    memcpy(pixels, source, 4 * count);
    return _mm_loadu_si128((const __m128i *)pixels);
}

static inline void store_some(uint8_t *target, __m128i four, size_t count) {
    uint32_t pixels[4];
    _mm_storeu_si128((__m128i *)pixels, four);
    memcpy(target, pixels, 4 * count);
}

#define LOAD_4(row) _mm_loadu_si128((const __m128i *)((row) + 4 * x))
#define LOAD_8(row) _mm256_loadu_si256((const __m256i *)((row) + 4 * x))
#define STORE_8(row, value) _mm256_storeu_si256((__m256i *)((row) + 4 * x), value)

// Channels as sixteen-bit values, and divided by 255: t / 255 rounded is (t + (t >> 8)) >> 8 with t raised by 128,
// exactly for all products of two bytes.

static inline __m128i divided(__m128i products) {
    const __m128i t = _mm_add_epi16(products, _mm_set1_epi16(128));
    return _mm_srli_epi16(_mm_add_epi16(t, _mm_srli_epi16(t, 8)), 8);
}

#if defined(AVX2)
AVX2 static inline __m256i divided_wide(__m256i products) {
    const __m256i t = _mm256_add_epi16(products, _mm256_set1_epi16(128));
    return _mm256_srli_epi16(_mm256_add_epi16(t, _mm256_srli_epi16(t, 8)), 8);
}
#endif

// Multiplying by a factor

static inline __m128i scaled(__m128i four, __m128i factor) {
    // The upper half of c × 256 × factor is c × factor with 8 bits after the point.
    const __m128i zero = _mm_setzero_si128(), half = _mm_set1_epi16(128);
    const __m128i lo = _mm_mulhi_epu16(_mm_unpacklo_epi8(zero, four), factor);
    const __m128i hi = _mm_mulhi_epu16(_mm_unpackhi_epi8(zero, four), factor);
    return _mm_packus_epi16(_mm_srli_epi16(_mm_add_epi16(lo, half), 8), _mm_srli_epi16(_mm_add_epi16(hi, half), 8));
}

#if defined(AVX2)
AVX2 static inline __m256i scaled_wide(__m256i eight, __m256i factor) {
    const __m256i zero = _mm256_setzero_si256(), half = _mm256_set1_epi16(128);
    const __m256i lo = _mm256_mulhi_epu16(_mm256_unpacklo_epi8(zero, eight), factor);
    const __m256i hi = _mm256_mulhi_epu16(_mm256_unpackhi_epi8(zero, eight), factor);
    return _mm256_packus_epi16(_mm256_srli_epi16(_mm256_add_epi16(lo, half), 8),
                               _mm256_srli_epi16(_mm256_add_epi16(hi, half), 8));
}

AVX2 static size_t scale_avx2(const uint8_t *source, uint8_t *target, size_t pixels, uint16_t factor) {
    const __m256i by = _mm256_set1_epi16((int16_t)factor);
    size_t x = 0;
    for (; x + 8 <= pixels; x += 8) STORE_8(target, scaled_wide(LOAD_8(source), by));
    return x;
}
#endif

void tessera_scale_pixels(const uint8_t *source, uint8_t *target, size_t pixels, uint16_t factor) {
    const __m128i by = _mm_set1_epi16((int16_t)factor);
    size_t x = WIDEST(scale_avx2(source, target, pixels, factor), 0);
    for (; x + 4 <= pixels; x += 4) _mm_storeu_si128((__m128i *)(target + 4 * x), scaled(LOAD_4(source), by));
    if (x < pixels) store_some(target + 4 * x, scaled(some_pixels(source + 4 * x, pixels - x), by), pixels - x);
}

// Masks

static inline __m128i masked(__m128i four, __m128i mask) {
    const __m128i zero = _mm_setzero_si128();
    const __m128i lo = _mm_mullo_epi16(_mm_unpacklo_epi8(four, zero), _mm_unpacklo_epi8(mask, zero));
    const __m128i hi = _mm_mullo_epi16(_mm_unpackhi_epi8(four, zero), _mm_unpackhi_epi8(mask, zero));
    return _mm_packus_epi16(divided(lo), divided(hi));
}

// Each of four bytes four times.
static inline __m128i spread(const uint8_t *mask, size_t count) {
    int32_t bytes = 0;
    memcpy(&bytes, mask, count);
    const __m128i values = _mm_cvtsi32_si128(bytes), twice = _mm_unpacklo_epi8(values, values);
    return _mm_unpacklo_epi16(twice, twice);
}

#if defined(AVX2)
AVX2 static size_t mask_avx2(const uint8_t *source, const uint8_t *mask, uint8_t *target, size_t pixels,
                             int isInverted) {
    const __m256i zero = _mm256_setzero_si256(), flip = _mm256_set1_epi8(isInverted ? -1 : 0);
    const __m256i places = _mm256_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6,
                                            6, 6, 6, 7, 7, 7, 7);
    size_t x = 0;
    for (; x + 8 <= pixels; x += 8) {
        int64_t bytes;
        memcpy(&bytes, mask + x, 8);
        const __m256i eight = LOAD_8(source);
        const __m256i by = _mm256_xor_si256(_mm256_shuffle_epi8(_mm256_set1_epi64x(bytes), places), flip);
        const __m256i lo = _mm256_mullo_epi16(_mm256_unpacklo_epi8(eight, zero), _mm256_unpacklo_epi8(by, zero));
        const __m256i hi = _mm256_mullo_epi16(_mm256_unpackhi_epi8(eight, zero), _mm256_unpackhi_epi8(by, zero));
        STORE_8(target, _mm256_packus_epi16(divided_wide(lo), divided_wide(hi)));
    }
    return x;
}
#endif

void tessera_mask_pixels(const uint8_t *source, const uint8_t *mask, uint8_t *target, size_t pixels, int isInverted) {
    const __m128i flip = _mm_set1_epi8(isInverted ? -1 : 0);
    size_t x = WIDEST(mask_avx2(source, mask, target, pixels, isInverted), 0);
    for (; x + 4 <= pixels; x += 4) {
        const __m128i by = _mm_xor_si128(spread(mask + x, 4), flip);
        _mm_storeu_si128((__m128i *)(target + 4 * x), masked(LOAD_4(source), by));
    }
    if (x < pixels) {
        const __m128i by = _mm_xor_si128(spread(mask + x, pixels - x), flip);
        store_some(target + 4 * x, masked(some_pixels(source + 4 * x, pixels - x), by), pixels - x);
    }
}

// Alpha as grey

static inline __m128i alpha_shown(__m128i four) {
    const __m128i alpha = _mm_srli_epi32(four, 24);
    const __m128i twice = _mm_or_si128(alpha, _mm_slli_epi32(alpha, 8));
    return _mm_or_si128(_mm_or_si128(twice, _mm_slli_epi32(alpha, 16)), _mm_set1_epi32((int)0xFF000000u));
}

void tessera_show_alpha(const uint8_t *source, uint8_t *target, size_t pixels) {
    size_t x = 0;
    for (; x + 4 <= pixels; x += 4) _mm_storeu_si128((__m128i *)(target + 4 * x), alpha_shown(LOAD_4(source)));
    if (x < pixels) store_some(target + 4 * x, alpha_shown(some_pixels(source + 4 * x, pixels - x)), pixels - x);
}

// Laying pixels over others

static inline __m128i laid_over(__m128i upper, __m128i lower) {
    const __m128i zero = _mm_setzero_si128();
    __m128i rest = _mm_srli_epi32(_mm_xor_si128(upper, _mm_set1_epi32(-1)), 24);
    rest = _mm_or_si128(rest, _mm_slli_epi32(rest, 16));
    const __m128i lo = _mm_mullo_epi16(_mm_unpacklo_epi8(lower, zero), _mm_unpacklo_epi32(rest, rest));
    const __m128i hi = _mm_mullo_epi16(_mm_unpackhi_epi8(lower, zero), _mm_unpackhi_epi32(rest, rest));
    return _mm_adds_epu8(upper, _mm_packus_epi16(divided(lo), divided(hi)));
}

#if defined(AVX2)
AVX2 static inline __m256i laid_over_wide(__m256i upper, __m256i lower) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i rest = _mm256_srli_epi32(_mm256_xor_si256(upper, _mm256_set1_epi32(-1)), 24);
    rest = _mm256_or_si256(rest, _mm256_slli_epi32(rest, 16));
    const __m256i lo = _mm256_mullo_epi16(_mm256_unpacklo_epi8(lower, zero), _mm256_unpacklo_epi32(rest, rest));
    const __m256i hi = _mm256_mullo_epi16(_mm256_unpackhi_epi8(lower, zero), _mm256_unpackhi_epi32(rest, rest));
    return _mm256_adds_epu8(upper, _mm256_packus_epi16(divided_wide(lo), divided_wide(hi)));
}

AVX2 static size_t lay_on_color_avx2(const uint8_t *source, uint8_t *target, size_t pixels, int32_t color) {
    const __m256i lower = _mm256_set1_epi32(color);
    size_t x = 0;
    for (; x + 8 <= pixels; x += 8) STORE_8(target, laid_over_wide(LOAD_8(source), lower));
    return x;
}
#endif

void tessera_lay_on_color(const uint8_t *source, uint8_t *target, size_t pixels, const uint8_t *color) {
    int32_t value;
    memcpy(&value, color, 4);
    const __m128i lower = _mm_set1_epi32(value);
    size_t x = WIDEST(lay_on_color_avx2(source, target, pixels, value), 0);
    for (; x + 4 <= pixels; x += 4) _mm_storeu_si128((__m128i *)(target + 4 * x), laid_over(LOAD_4(source), lower));
    if (x < pixels) store_some(target + 4 * x, laid_over(some_pixels(source + 4 * x, pixels - x), lower), pixels - x);
}

#if defined(AVX2)
AVX2 static size_t lay_over_avx2(const uint8_t *source, uint8_t *target, size_t pixels, uint16_t factor) {
    const __m256i by = _mm256_set1_epi16((int16_t)factor);
    size_t x = 0;
    for (; x + 8 <= pixels; x += 8) STORE_8(target, laid_over_wide(scaled_wide(LOAD_8(source), by), LOAD_8(target)));
    return x;
}
#endif

void tessera_lay_over(const uint8_t *source, uint8_t *target, size_t pixels, uint16_t factor) {
    const __m128i by = _mm_set1_epi16((int16_t)factor);
    size_t x = WIDEST(lay_over_avx2(source, target, pixels, factor), 0);
    for (; x + 4 <= pixels; x += 4) {
        const __m128i result = laid_over(scaled(LOAD_4(source), by), LOAD_4(target));
        _mm_storeu_si128((__m128i *)(target + 4 * x), result);
    }
    if (x < pixels) {
        const __m128i upper = scaled(some_pixels(source + 4 * x, pixels - x), by);
        store_some(target + 4 * x, laid_over(upper, some_pixels(target + 4 * x, pixels - x)), pixels - x);
    }
}

// Colour matrices

// A pixel is four bytes in a lane of 32 bits. Red and blue, and green and alpha, are its pairs of sixteen-bit values, so
// that two products of pairs are a colour's sum in the pixel's own lane.

static inline int32_t pair(int16_t low, int16_t high) {
    return (int32_t)((uint32_t)(uint16_t)low | (uint32_t)(uint16_t)high << 16);
}

typedef struct {
    int32_t red_blue[3], green_alpha[3];
    int32_t half;
    int shift;
} matrix;

static matrix make_matrix(const int16_t *weights, int shift) {
    matrix result;
    for (int row = 0; row < 3; row++) {
        result.red_blue[row] = pair(weights[4 * row], weights[4 * row + 2]);
        result.green_alpha[row] = pair(weights[4 * row + 1], weights[4 * row + 3]);
    }
    result.half = 1 << (shift - 1);
    result.shift = shift;
    return result;
}

static inline __m128i summed(__m128i rb, __m128i ga, const matrix *m, int row) {
    const __m128i sum = _mm_add_epi32(_mm_madd_epi16(rb, _mm_set1_epi32(m->red_blue[row])),
                                      _mm_madd_epi16(ga, _mm_set1_epi32(m->green_alpha[row])));
    return _mm_sra_epi32(_mm_add_epi32(sum, _mm_set1_epi32(m->half)), _mm_cvtsi32_si128(m->shift));
}

static inline __m128i transformed(__m128i four, const matrix *m) {
    const __m128i low = _mm_set1_epi32(0xFFFF), bytes = _mm_set1_epi16(0xFF), zero = _mm_setzero_si128();
    const __m128i rb = _mm_and_si128(four, bytes), ga = _mm_srli_epi16(four, 8);
    const __m128i alpha = _mm_srli_epi32(four, 24), alphas = _mm_or_si128(alpha, _mm_slli_epi32(alpha, 16));
    const __m128i red = summed(rb, ga, m, 0), green = summed(rb, ga, m, 1), blue = summed(rb, ga, m, 2);
    __m128i x = _mm_or_si128(_mm_and_si128(red, low), _mm_slli_epi32(blue, 16));
    __m128i y = _mm_or_si128(_mm_and_si128(green, low), _mm_andnot_si128(low, alphas));
    x = _mm_max_epi16(_mm_min_epi16(x, alphas), zero);
    y = _mm_max_epi16(_mm_min_epi16(y, alphas), zero);
    return _mm_or_si128(x, _mm_slli_epi16(y, 8));
}

#if defined(AVX2)
AVX2 static inline __m256i summed_wide(__m256i rb, __m256i ga, const matrix *m, int row) {
    const __m256i sum = _mm256_add_epi32(_mm256_madd_epi16(rb, _mm256_set1_epi32(m->red_blue[row])),
                                         _mm256_madd_epi16(ga, _mm256_set1_epi32(m->green_alpha[row])));
    return _mm256_sra_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(m->half)), _mm_cvtsi32_si128(m->shift));
}

AVX2 static size_t transform_avx2(const uint8_t *source, uint8_t *target, size_t pixels, const matrix *given) {
    // A local copy, which the target's bytes can't alias.
    const matrix own = *given, *m = &own;
    const __m256i low = _mm256_set1_epi32(0xFFFF), bytes = _mm256_set1_epi16(0xFF), zero = _mm256_setzero_si256();
    size_t at = 0;
    for (; at + 8 <= pixels; at += 8) {
        const __m256i eight = _mm256_loadu_si256((const __m256i *)(source + 4 * at));
        const __m256i rb = _mm256_and_si256(eight, bytes), ga = _mm256_srli_epi16(eight, 8);
        const __m256i alpha = _mm256_srli_epi32(eight, 24);
        const __m256i alphas = _mm256_or_si256(alpha, _mm256_slli_epi32(alpha, 16));
        const __m256i red = summed_wide(rb, ga, m, 0), green = summed_wide(rb, ga, m, 1);
        const __m256i blue = summed_wide(rb, ga, m, 2);
        __m256i x = _mm256_or_si256(_mm256_and_si256(red, low), _mm256_slli_epi32(blue, 16));
        __m256i y = _mm256_or_si256(_mm256_and_si256(green, low), _mm256_andnot_si256(low, alphas));
        x = _mm256_max_epi16(_mm256_min_epi16(x, alphas), zero);
        y = _mm256_max_epi16(_mm256_min_epi16(y, alphas), zero);
        _mm256_storeu_si256((__m256i *)(target + 4 * at), _mm256_or_si256(x, _mm256_slli_epi16(y, 8)));
    }
    return at;
}
#endif

void tessera_transform_colors(const uint8_t *source, uint8_t *target, size_t pixels, const int16_t *weights,
                              int shift) {
    const matrix m = make_matrix(weights, shift);
    size_t x = WIDEST(transform_avx2(source, target, pixels, &m), 0);
    for (; x + 4 <= pixels; x += 4) _mm_storeu_si128((__m128i *)(target + 4 * x), transformed(LOAD_4(source), &m));
    if (x < pixels) store_some(target + 4 * x, transformed(some_pixels(source + 4 * x, pixels - x), &m), pixels - x);
}

#endif
