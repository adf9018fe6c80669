#include "tessera_raster.h"

#include "processor.h"

#if defined(TESSERA_VECTORS)

#include <string.h>

static inline __m128i limited_to_alpha(__m128i pixels) {
    __m128i alpha = _mm_srli_epi32(pixels, 24);
    alpha = _mm_or_si128(alpha, _mm_slli_epi32(alpha, 8));
    alpha = _mm_or_si128(alpha, _mm_slli_epi32(alpha, 16));
    return _mm_min_epu8(pixels, alpha);
}

void tessera_round_to_bytes(const int16_t *values, uint8_t *target, size_t count, int limitsToAlpha) {
    const __m128i half = _mm_set1_epi16(32);
    for (size_t x = 0; x < count; x += 16) {
        int16_t some[16];
        uint8_t bytes[16];
        const size_t left = count - x < 16 ? count - x : 16;
        const int16_t *source = values + x;
        if (left < 16) {
            memset(some, 0, sizeof some);
            memcpy(some, source, left * sizeof *some);
            source = some;
        }
        const __m128i a = _mm_srai_epi16(_mm_adds_epi16(_mm_loadu_si128((const __m128i *)source), half), 6);
        const __m128i b = _mm_srai_epi16(_mm_adds_epi16(_mm_loadu_si128((const __m128i *)(source + 8)), half), 6);
        __m128i packed = _mm_packus_epi16(a, b);
        if (limitsToAlpha) packed = limited_to_alpha(packed);
        if (left < 16) {
            _mm_storeu_si128((__m128i *)bytes, packed);
            memcpy(target + x, bytes, left);
        } else {
            _mm_storeu_si128((__m128i *)(target + x), packed);
        }
    }
}

// Two pixels as sixteen-bit values: the factors that premultiply each, 255 for alpha.
static inline __m128i multipliers(__m128i values) {
    const __m128i colors = _mm_set1_epi64x(0x0000FFFFFFFFFFFF), opaque = _mm_set1_epi64x(0x00FF000000000000);
    const __m128i alpha = _mm_shufflehi_epi16(_mm_shufflelo_epi16(values, 0xFF), 0xFF);
    return _mm_or_si128(_mm_and_si128(alpha, colors), opaque);
}

static inline __m128i premultiplied_wide(__m128i values) {
    const __m128i product = _mm_mullo_epi16(values, multipliers(values));
    // x × 256 / 255, then without the two lowest bits: 65025 becomes 65279 and then 16320.
    const __m128i scaled = _mm_add_epi16(product, _mm_srli_epi16(_mm_add_epi16(product, _mm_set1_epi16(128)), 8));
    return _mm_srli_epi16(_mm_add_epi16(scaled, _mm_set1_epi16(2)), 2);
}

void tessera_premultiply_wide(const uint8_t *source, int16_t *target, size_t pixels) {
    const __m128i zero = _mm_setzero_si128();
    size_t x = 0;
    for (; x + 4 <= pixels; x += 4) {
        const __m128i four = _mm_loadu_si128((const __m128i *)(source + 4 * x));
        _mm_storeu_si128((__m128i *)(target + 4 * x), premultiplied_wide(_mm_unpacklo_epi8(four, zero)));
        _mm_storeu_si128((__m128i *)(target + 4 * x + 8), premultiplied_wide(_mm_unpackhi_epi8(four, zero)));
    }
    for (; x < pixels; x++) {
        int32_t pixel;
        memcpy(&pixel, source + 4 * x, 4);
        _mm_storel_epi64((__m128i *)(target + 4 * x),
                         premultiplied_wide(_mm_unpacklo_epi8(_mm_cvtsi32_si128(pixel), zero)));
    }
}

void tessera_unpremultiply_wide(const int16_t *values, uint8_t *target, size_t pixels) {
    const __m128 half = _mm_set1_ps(0.5f);
    for (size_t x = 0; x < pixels; x++) {
        int32_t alpha = values[4 * x + 3];
        alpha = alpha > 16320 ? 16320 : alpha;
        const int32_t byte = (alpha + 32) >> 6;
        int32_t pixel = 0;
        if (byte > 0) {
            const __m128i words = _mm_loadl_epi64((const __m128i *)(values + 4 * x));
            const __m128 colors = _mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(words, words), 16));
            const __m128 straight = _mm_add_ps(_mm_mul_ps(colors, _mm_set1_ps(255.0f / (float)alpha)), half);
            const __m128i packed = _mm_packs_epi32(_mm_cvttps_epi32(straight), _mm_setzero_si128());
            pixel = _mm_cvtsi128_si32(_mm_packus_epi16(packed, packed));
            pixel = (int32_t)((uint32_t)pixel & 0xFFFFFFu) | (int32_t)((uint32_t)byte << 24);
        }
        memcpy(target + 4 * x, &pixel, 4);
    }
}

static inline __m128i premultiplied(__m128i values) {
    // t / 255 rounded is (t + (t >> 8)) >> 8 with t raised by 128: exact for all products of two bytes.
    const __m128i t = _mm_add_epi16(_mm_mullo_epi16(values, multipliers(values)), _mm_set1_epi16(128));
    return _mm_srli_epi16(_mm_add_epi16(t, _mm_srli_epi16(t, 8)), 8);
}

static inline __m128i premultiplied_4(__m128i four) {
    const __m128i zero = _mm_setzero_si128();
    return _mm_packus_epi16(premultiplied(_mm_unpacklo_epi8(four, zero)),
                            premultiplied(_mm_unpackhi_epi8(four, zero)));
}

#if defined(AVX2)
AVX2 static size_t premultiply_avx2(uint8_t *pixels, size_t count) {
    const __m256i zero = _mm256_setzero_si256(), half = _mm256_set1_epi16(128);
    const __m256i opaque = _mm256_set1_epi64x(0x00FF000000000000);
    // Alpha's byte of each of two pixels beside each of its colours, 0 beside itself.
    const __m256i spread =
        _mm256_setr_epi8(6, -1, 6, -1, 6, -1, -1, -1, 14, -1, 14, -1, 14, -1, -1, -1, 6, -1, 6, -1, 6, -1, -1, -1, 14,
                         -1, 14, -1, 14, -1, -1, -1);
    size_t x = 0;
    for (; x + 8 <= count; x += 8) {
        const __m256i eight = _mm256_loadu_si256((const __m256i *)(pixels + 4 * x));
        __m256i lo = _mm256_unpacklo_epi8(eight, zero), hi = _mm256_unpackhi_epi8(eight, zero);
        lo = _mm256_mullo_epi16(lo, _mm256_or_si256(_mm256_shuffle_epi8(lo, spread), opaque));
        hi = _mm256_mullo_epi16(hi, _mm256_or_si256(_mm256_shuffle_epi8(hi, spread), opaque));
        lo = _mm256_add_epi16(lo, half);
        hi = _mm256_add_epi16(hi, half);
        lo = _mm256_srli_epi16(_mm256_add_epi16(lo, _mm256_srli_epi16(lo, 8)), 8);
        hi = _mm256_srli_epi16(_mm256_add_epi16(hi, _mm256_srli_epi16(hi, 8)), 8);
        _mm256_storeu_si256((__m256i *)(pixels + 4 * x), _mm256_packus_epi16(lo, hi));
    }
    return x;
}
#endif

void tessera_premultiply(uint8_t *pixels, size_t count) {
    size_t x = WIDEST(premultiply_avx2(pixels, count), 0);
    for (; x + 4 <= count; x += 4) {
        __m128i *four = (__m128i *)(pixels + 4 * x);
        _mm_storeu_si128(four, premultiplied_4(_mm_loadu_si128(four)));
    }
    for (; x < count; x++) {
        int32_t pixel;
        memcpy(&pixel, pixels + 4 * x, 4);
        pixel = _mm_cvtsi128_si32(premultiplied_4(_mm_cvtsi32_si128(pixel)));
        memcpy(pixels + 4 * x, &pixel, 4);
    }
}

void tessera_unpremultiply(uint8_t *pixels, size_t count) {
    const __m128i zero = _mm_setzero_si128();
    for (size_t x = 0; x < count; x++) {
        uint8_t *pixel = pixels + 4 * x;
        const int32_t alpha = pixel[3];
        if (alpha == 255) continue;
        int32_t value;
        memcpy(&value, pixel, 4);
        if (alpha == 0) {
            memset(pixel, 0, 4);
            continue;
        }
        // floor((c × 255 + a/2) / a): half a step more keeps the quotient off whole numbers by far more than a
        // float's error.
        const __m128i words = _mm_unpacklo_epi8(_mm_cvtsi32_si128(value), zero);
        const __m128 colors = _mm_cvtepi32_ps(_mm_unpacklo_epi16(words, zero));
        const __m128 raised = _mm_add_ps(_mm_mul_ps(colors, _mm_set1_ps(255)), _mm_set1_ps((float)(alpha / 2) + 0.5f));
        const __m128i quotient = _mm_cvttps_epi32(_mm_mul_ps(raised, _mm_set1_ps(1.0f / (float)alpha)));
        const __m128i packed = _mm_packs_epi32(quotient, quotient);
        value = _mm_cvtsi128_si32(_mm_packus_epi16(packed, packed));
        memcpy(pixel, &value, 3);
    }
}

static inline __m128i flattened(__m128i values, __m128i background) {
    const __m128i alpha = _mm_shufflehi_epi16(_mm_shufflelo_epi16(values, 0xFF), 0xFF);
    const __m128i rest = _mm_sub_epi16(_mm_set1_epi16(255), alpha);
    // Both products together are at most 255 × 255.
    __m128i t = _mm_add_epi16(_mm_mullo_epi16(values, alpha), _mm_mullo_epi16(background, rest));
    t = _mm_add_epi16(t, _mm_set1_epi16(128));
    return _mm_srli_epi16(_mm_add_epi16(t, _mm_srli_epi16(t, 8)), 8);
}

static inline __m128i flattened_4(__m128i four, __m128i background) {
    const __m128i zero = _mm_setzero_si128();
    const __m128i colors = _mm_packus_epi16(flattened(_mm_unpacklo_epi8(four, zero), background),
                                            flattened(_mm_unpackhi_epi8(four, zero), background));
    return _mm_or_si128(colors, _mm_set1_epi32((int)0xFF000000u));
}

void tessera_flatten(uint8_t *pixels, size_t count, const uint8_t *background) {
    const __m128i color = _mm_setr_epi16(background[0], background[1], background[2], 255, background[0],
                                         background[1], background[2], 255);
    size_t x = 0;
    for (; x + 4 <= count; x += 4) {
        __m128i *four = (__m128i *)(pixels + 4 * x);
        _mm_storeu_si128(four, flattened_4(_mm_loadu_si128(four), color));
    }
    for (; x < count; x++) {
        int32_t pixel;
        memcpy(&pixel, pixels + 4 * x, 4);
        pixel = _mm_cvtsi128_si32(flattened_4(_mm_cvtsi32_si128(pixel), color));
        memcpy(pixels + 4 * x, &pixel, 4);
    }
}

#endif
