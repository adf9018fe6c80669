#include "tessera_raster.h"

#include "processor.h"

#if defined(TESSERA_VECTORS)

#include <string.h>

static inline void transpose_4x4(const uint8_t *source, ptrdiff_t sourceStride, uint8_t *target,
                                 ptrdiff_t targetStride) {
    const __m128i a = _mm_loadu_si128((const __m128i *)source);
    const __m128i b = _mm_loadu_si128((const __m128i *)(source + sourceStride));
    const __m128i c = _mm_loadu_si128((const __m128i *)(source + 2 * sourceStride));
    const __m128i d = _mm_loadu_si128((const __m128i *)(source + 3 * sourceStride));
    const __m128i ab = _mm_unpacklo_epi32(a, b), cd = _mm_unpacklo_epi32(c, d);
    const __m128i ef = _mm_unpackhi_epi32(a, b), gh = _mm_unpackhi_epi32(c, d);
    _mm_storeu_si128((__m128i *)target, _mm_unpacklo_epi64(ab, cd));
    _mm_storeu_si128((__m128i *)(target + targetStride), _mm_unpackhi_epi64(ab, cd));
    _mm_storeu_si128((__m128i *)(target + 2 * targetStride), _mm_unpacklo_epi64(ef, gh));
    _mm_storeu_si128((__m128i *)(target + 3 * targetStride), _mm_unpackhi_epi64(ef, gh));
}

void tessera_transpose_pixels(const void *source, ptrdiff_t sourceStride, void *target, ptrdiff_t targetStride,
                              size_t width, size_t height) {
    const uint8_t *from = source;
    uint8_t *to = target;
    // A target line of 64 bytes is filled at once, from 16 source rows.
    for (size_t y = 0; y < height; y += 16) {
        const size_t rows = height - y < 16 ? height - y : 16;
        size_t x = 0;
        for (; x + 4 <= width; x += 4) {
            size_t row = 0;
            for (; row + 4 <= rows; row += 4) {
                transpose_4x4(from + (ptrdiff_t)(y + row) * sourceStride + 4 * (ptrdiff_t)x, sourceStride,
                              to + (ptrdiff_t)x * targetStride + 4 * (ptrdiff_t)(y + row), targetStride);
            }
            for (; row < rows; row++) {
                for (size_t column = x; column < x + 4; column++) {
                    memcpy(to + (ptrdiff_t)column * targetStride + 4 * (ptrdiff_t)(y + row),
                           from + (ptrdiff_t)(y + row) * sourceStride + 4 * (ptrdiff_t)column, 4);
                }
            }
        }
        for (; x < width; x++) {
            for (size_t row = y; row < y + rows; row++) {
                memcpy(to + (ptrdiff_t)x * targetStride + 4 * (ptrdiff_t)row,
                       from + (ptrdiff_t)row * sourceStride + 4 * (ptrdiff_t)x, 4);
            }
        }
    }
}

#endif
