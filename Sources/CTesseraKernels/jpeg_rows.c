#include "tessera_jpeg.h"

#include "processor.h"

// libjpeg's "fancy" upsampling, its fixed-point conversion from YCbCr, and the narrowing of samples to pixels. Most loops
// are plain; the compiler makes vectors of them. Sums of 12-bit samples fit in 16 bits: 16 × 4095 + 8 is 65528.

#define INLINE static inline __attribute__((always_inline))

INLINE void double_columns(const uint16_t *row, uint16_t *target, size_t count) {
    target[0] = row[0];
    target[1] = (uint16_t)((3 * row[0] + row[1] + 2) >> 2);
    for (size_t x = 1; x + 1 < count; x++) {
        target[2 * x] = (uint16_t)((uint16_t)(3 * row[x] + row[x - 1] + 1) >> 2);
        target[2 * x + 1] = (uint16_t)((uint16_t)(3 * row[x] + row[x + 1] + 2) >> 2);
    }
    const size_t last = count - 1;
    target[2 * last] = (uint16_t)((3 * row[last] + row[last - 1] + 1) >> 2);
    target[2 * last + 1] = row[last];
}

INLINE void double_rows(const uint16_t *near, const uint16_t *far, unsigned bias, uint16_t *target, size_t count) {
    for (size_t x = 0; x < count; x++)
        target[x] = (uint16_t)((uint16_t)(3 * near[x] + far[x] + (uint16_t)bias) >> 2);
}

/// A column of two rows, times 4.
INLINE uint16_t column(const uint16_t *near, const uint16_t *far, size_t x) {
    return (uint16_t)(3 * near[x] + far[x]);
}

INLINE void double_both(const uint16_t *near, const uint16_t *far, uint16_t *target, size_t count) {
    target[0] = (uint16_t)((4 * column(near, far, 0) + 8) >> 4);
    target[1] = (uint16_t)((3 * column(near, far, 0) + column(near, far, 1) + 7) >> 4);
    for (size_t x = 1; x + 1 < count; x++) {
        const uint16_t three = (uint16_t)(3 * column(near, far, x));
        target[2 * x] = (uint16_t)((uint16_t)(three + column(near, far, x - 1) + 8) >> 4);
        target[2 * x + 1] = (uint16_t)((uint16_t)(three + column(near, far, x + 1) + 7) >> 4);
    }
    const size_t last = count - 1;
    target[2 * last] = (uint16_t)((3 * column(near, far, last) + column(near, far, last - 1) + 8) >> 4);
    target[2 * last + 1] = (uint16_t)((4 * column(near, far, last) + 7) >> 4);
}

// The same loops, which the compiler makes wider vectors of.
#if defined(AVX2)
AVX2 static void double_columns_avx2(const uint16_t *row, uint16_t *target, size_t count) {
    double_columns(row, target, count);
}

AVX2 static void double_rows_avx2(const uint16_t *near, const uint16_t *far, unsigned bias, uint16_t *target,
                                  size_t count) {
    double_rows(near, far, bias, target, count);
}

AVX2 static void double_both_avx2(const uint16_t *near, const uint16_t *far, uint16_t *target, size_t count) {
    double_both(near, far, target, count);
}
#elif !defined(WIDEST)
#define WIDEST(avx2, form) (form)
#endif

void tessera_jpeg_double_columns(const uint16_t *row, uint16_t *target, size_t count) {
    WIDEST(double_columns_avx2, double_columns)(row, target, count);
}

void tessera_jpeg_double_rows(const uint16_t *near, const uint16_t *far, unsigned bias, uint16_t *target,
                              size_t count) {
    WIDEST(double_rows_avx2, double_rows)(near, far, bias, target, count);
}

void tessera_jpeg_double_both(const uint16_t *near, const uint16_t *far, uint16_t *target, size_t count) {
    WIDEST(double_both_avx2, double_both)(near, far, target, count);
}

void tessera_jpeg_repeat_columns(const uint16_t *row, unsigned times, uint16_t *target, size_t count) {
    for (size_t x = 0; x < count; x++)
        for (unsigned i = 0; i < times; i++)
            *target++ = row[x];
}

// 1.402, 0.344136, 0.714136 and 1.772 times 65536.
enum { RED_OF_CR = 91881, GREEN_OF_CB = 22554, GREEN_OF_CR = 46802, BLUE_OF_CB = 116130 };

static inline int32_t clamped(int32_t value, int32_t largest) {
    return value < 0 ? 0 : value > largest ? largest : value;
}

/// `middle` is half the range of the samples. No product exceeds 31 bits, of 12-bit samples either.
#define CONVERT(middle, largest, store)                                                                               \
    for (size_t x = 0; x < count; x++) {                                                                              \
        const int32_t luma = y[x], blue = (int32_t)cb[x] - (middle), red = (int32_t)cr[x] - (middle);                 \
        const int32_t r = clamped(luma + ((RED_OF_CR * red + 32768) >> 16), largest);                                 \
        const int32_t g = clamped(luma + ((32768 - GREEN_OF_CB * blue - GREEN_OF_CR * red) >> 16), largest);          \
        const int32_t b = clamped(luma + ((BLUE_OF_CB * blue + 32768) >> 16), largest);                               \
        store                                                                                                         \
    }

static inline uint16_t widened(int32_t value) {
    return (uint16_t)(value << 4 | value >> 8);
}

#define STORE_8                                                                                                       \
    target[4 * x] = (uint8_t)r;                                                                                       \
    target[4 * x + 1] = (uint8_t)g;                                                                                   \
    target[4 * x + 2] = (uint8_t)b;                                                                                   \
    target[4 * x + 3] = 255;

void tessera_jpeg_rgba8_of_ycc_scalar(const uint16_t *y, const uint16_t *cb, const uint16_t *cr, uint8_t *target,
                                      size_t count) {
    CONVERT(128, 255, STORE_8)
}

#if defined(AVX2)
/// Sixteen pixels at a time in 16 bits. Factors of 1 and more are that many times the sample and the rest of the factor,
/// so that the sums are those above: for an integer s, (s * 65536 + t) >> 16 is s + (t >> 16).
AVX2 static size_t rgba8_of_ycc_avx2(const uint16_t *y, const uint16_t *cb, const uint16_t *cr, uint8_t *target,
                                     size_t count, bool is_streamed) {
    const __m256i middle = _mm256_set1_epi16(128), one = _mm256_set1_epi16(1), half = _mm256_set1_epi32(32768);
    const __m256i opaque = _mm256_set1_epi16((int16_t)0xFF00);
    const __m256i red_rest = _mm256_set1_epi16(RED_OF_CR - 65536), blue_rest = _mm256_set1_epi16(BLUE_OF_CB - 131072);
    const __m256i green_rest =
        _mm256_set1_epi32((int32_t)((uint32_t)(uint16_t)-GREEN_OF_CB | (uint32_t)(65536 - GREEN_OF_CR) << 16));
    size_t x = 0;
    for (; x + 16 <= count; x += 16) {
        const __m256i luma = _mm256_loadu_si256((const __m256i *)(y + x));
        const __m256i blue = _mm256_sub_epi16(_mm256_loadu_si256((const __m256i *)(cb + x)), middle);
        const __m256i red = _mm256_sub_epi16(_mm256_loadu_si256((const __m256i *)(cr + x)), middle);
// Twice the product's upper half, rounded and halved.
#define ROUNDED(v, rest)                                                                                              \
    _mm256_srai_epi16(_mm256_add_epi16(_mm256_mulhi_epi16(_mm256_add_epi16(v, v), rest), one), 1)
        const __m256i r = _mm256_add_epi16(_mm256_add_epi16(luma, red), ROUNDED(red, red_rest));
        const __m256i b =
            _mm256_add_epi16(_mm256_add_epi16(luma, _mm256_add_epi16(blue, blue)), ROUNDED(blue, blue_rest));
#define GREENS(unpack)                                                                                                \
    _mm256_srai_epi32(_mm256_add_epi32(_mm256_madd_epi16(unpack(blue, red), green_rest), half), 16)
        const __m256i greens = _mm256_packs_epi32(GREENS(_mm256_unpacklo_epi16), GREENS(_mm256_unpackhi_epi16));
        const __m256i g = _mm256_add_epi16(luma, _mm256_sub_epi16(greens, red));
#undef ROUNDED
#undef GREENS
        // Each lane has 8 red samples and as many blue ones, then 8 green ones and as many bytes of alpha.
        const __m256i red_blue = _mm256_packus_epi16(r, b);
        const __m256i green_alpha = _mm256_packus_epi16(g, _mm256_setzero_si256());
        const __m256i red_green = _mm256_unpacklo_epi8(red_blue, green_alpha);
        const __m256i blue_alpha = _mm256_or_si256(_mm256_unpackhi_epi8(red_blue, green_alpha), opaque);
        const __m256i low = _mm256_unpacklo_epi16(red_green, blue_alpha);
        const __m256i high = _mm256_unpackhi_epi16(red_green, blue_alpha);
        const __m256i first = _mm256_permute2x128_si256(low, high, 0x20);
        const __m256i second = _mm256_permute2x128_si256(low, high, 0x31);
        __m256i *pixels = (__m256i *)(target + 4 * x);
        if (is_streamed) {
            _mm256_stream_si256(pixels, first);
            _mm256_stream_si256(pixels + 1, second);
        } else {
            _mm256_storeu_si256(pixels, first);
            _mm256_storeu_si256(pixels + 1, second);
        }
    }
    if (is_streamed)
        _mm_sfence();
    return x;
}
#endif

void tessera_jpeg_rgba8_of_ycc(const uint16_t *y, const uint16_t *cb, const uint16_t *cr, uint8_t *target, size_t count,
                               bool is_streamed) {
    size_t done = 0;
#if defined(AVX2)
    if (tessera_has_avx2())
        done = rgba8_of_ycc_avx2(y, cb, cr, target, count, is_streamed && (uintptr_t)target % 32 == 0);
#endif
    (void)is_streamed;
    tessera_jpeg_rgba8_of_ycc_scalar(y + done, cb + done, cr + done, target + 4 * done, count - done);
}

void tessera_jpeg_rgba16_of_ycc(const uint16_t *y, const uint16_t *cb, const uint16_t *cr, uint16_t *target,
                                size_t count) {
    CONVERT(
        2048, 4095, target[4 * x] = widened(r); target[4 * x + 1] = widened(g); target[4 * x + 2] = widened(b);
        target[4 * x + 3] = 65535;)
}

void tessera_jpeg_rgba8_of_rgb(const uint16_t *red, const uint16_t *green, const uint16_t *blue, uint8_t *target,
                               size_t count) {
    for (size_t x = 0; x < count; x++) {
        target[4 * x] = (uint8_t)red[x];
        target[4 * x + 1] = (uint8_t)green[x];
        target[4 * x + 2] = (uint8_t)blue[x];
        target[4 * x + 3] = 255;
    }
}

void tessera_jpeg_rgba16_of_rgb(const uint16_t *red, const uint16_t *green, const uint16_t *blue, uint16_t *target,
                                size_t count) {
    for (size_t x = 0; x < count; x++) {
        target[4 * x] = widened(red[x]);
        target[4 * x + 1] = widened(green[x]);
        target[4 * x + 2] = widened(blue[x]);
        target[4 * x + 3] = 65535;
    }
}

void tessera_jpeg_cmyk8(const uint16_t *cyan, const uint16_t *magenta, const uint16_t *yellow, const uint16_t *black,
                        uint8_t *target, size_t count) {
    for (size_t x = 0; x < count; x++) {
        target[4 * x] = (uint8_t)cyan[x];
        target[4 * x + 1] = (uint8_t)magenta[x];
        target[4 * x + 2] = (uint8_t)yellow[x];
        target[4 * x + 3] = (uint8_t)black[x];
    }
}

void tessera_jpeg_cmyk8_of_ycck(const uint16_t *y, const uint16_t *cb, const uint16_t *cr, const uint16_t *black,
                                uint8_t *target, size_t count) {
    tessera_jpeg_rgba8_of_ycc(y, cb, cr, target, count, false);
    for (size_t x = 0; x < count; x++) {
        target[4 * x] = (uint8_t)(255 - target[4 * x]);
        target[4 * x + 1] = (uint8_t)(255 - target[4 * x + 1]);
        target[4 * x + 2] = (uint8_t)(255 - target[4 * x + 2]);
        target[4 * x + 3] = (uint8_t)black[x];
    }
}

void tessera_jpeg_samples_of_bytes(const uint8_t *bytes, uint16_t *samples, size_t count) {
    for (size_t x = 0; x < count; x++)
        samples[x] = bytes[x];
}

void tessera_jpeg_gray8(const uint16_t *samples, uint8_t *target, size_t count) {
    for (size_t x = 0; x < count; x++)
        target[x] = (uint8_t)samples[x];
}

void tessera_jpeg_gray16(const uint16_t *samples, uint16_t *target, size_t count) {
    for (size_t x = 0; x < count; x++)
        target[x] = widened(samples[x]);
}
