#include "tessera_png.h"

#include "processor.h"

#include <string.h>

static inline int paeth(int a, int b, int c) {
    int pa = b - c, pb = a - c, pc = pa + pb;
    pa = pa < 0 ? -pa : pa;
    pb = pb < 0 ? -pb : pb;
    pc = pc < 0 ? -pc : pc;
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static inline uint8_t residual(int x, int a, int b, int c, unsigned filter) {
    switch (filter) {
    case 1: return (uint8_t)(x - a);
    case 2: return (uint8_t)(x - b);
    case 3: return (uint8_t)(x - ((a + b) >> 1));
    case 4: return (uint8_t)(x - paeth(a, b, c));
    default: return (uint8_t)x;
    }
}

static inline unsigned magnitude(uint8_t v) { return v < 128 ? v : 256u - v; }

#if defined(TESSERA_VECTORS)

static inline __m128i load(const uint8_t *p) { return _mm_loadu_si128((const __m128i *)p); }

static inline __m128i difference(__m128i a, __m128i b) {
    return _mm_or_si128(_mm_subs_epu8(a, b), _mm_subs_epu8(b, a));
}

static inline __m128i choose(__m128i mask, __m128i yes, __m128i no) {
    return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

// The predictor on bytes. The third distance is the sum of the other two where both steps go the same way, else their
// difference; a sum that saturates is still larger than either.
static inline __m128i paeth_bytes(__m128i a, __m128i b, __m128i c) {
    const __m128i zero = _mm_setzero_si128();
    __m128i pa = difference(b, c), pb = difference(a, c);
    __m128i b_not_above = _mm_cmpeq_epi8(_mm_subs_epu8(b, c), zero), a_not_above = _mm_cmpeq_epi8(_mm_subs_epu8(a, c), zero);
    __m128i apart = _mm_xor_si128(b_not_above, a_not_above);
    __m128i pc = choose(apart, difference(pa, pb), _mm_adds_epu8(pa, pb));
    __m128i least = _mm_min_epu8(pc, _mm_min_epu8(pa, pb));
    return choose(_mm_cmpeq_epi8(least, pa), a, choose(_mm_cmpeq_epi8(least, pb), b, c));
}

static inline __m128i residuals(__m128i x, __m128i a, __m128i b, __m128i c, const unsigned filter) {
    switch (filter) {
    case 1: return _mm_sub_epi8(x, a);
    case 2: return _mm_sub_epi8(x, b);
    case 3: {
        __m128i rounding = _mm_and_si128(_mm_xor_si128(a, b), _mm_set1_epi8(1));
        return _mm_sub_epi8(x, _mm_sub_epi8(_mm_avg_epu8(a, b), rounding));
    }
    case 4: return _mm_sub_epi8(x, paeth_bytes(a, b, c));
    default: return x;
    }
}

static inline __m128i magnitudes(__m128i v) {
    return _mm_min_epu8(v, _mm_sub_epi8(_mm_setzero_si128(), v));
}
#endif

// One loop for every filter, and a constant filter wherever it is inlined.
__attribute__((always_inline)) static inline void filter_row(
    uint8_t *out, const uint8_t *row, const uint8_t *prior, size_t n, unsigned bpp, const unsigned filter) {
    *out++ = (uint8_t)filter;
    size_t i = 0;
    for (; i < n && i < bpp; i++) out[i] = residual(row[i], 0, prior ? prior[i] : 0, 0, filter);
#if defined(TESSERA_VECTORS)
    const __m128i zero = _mm_setzero_si128();
    for (; i + 16 <= n; i += 16) {
        __m128i b = prior ? load(prior + i) : zero, c = prior ? load(prior + i - bpp) : zero;
        _mm_storeu_si128((__m128i *)(out + i), residuals(load(row + i), load(row + i - bpp), b, c, filter));
    }
#endif
    for (; i < n; i++)
        out[i] = residual(row[i], row[i - bpp], prior ? prior[i] : 0, prior ? prior[i - bpp] : 0, filter);
}

__attribute__((always_inline)) static inline uint64_t cost(
    const uint8_t *row, const uint8_t *prior, size_t n, unsigned bpp, const unsigned filter) {
    uint64_t total = 0;
    size_t i = 0;
    for (; i < n && i < bpp; i++) total += magnitude(residual(row[i], 0, prior ? prior[i] : 0, 0, filter));
#if defined(TESSERA_VECTORS)
    const __m128i zero = _mm_setzero_si128();
    __m128i sums = zero;
    for (; i + 16 <= n; i += 16) {
        __m128i b = prior ? load(prior + i) : zero, c = prior ? load(prior + i - bpp) : zero;
        __m128i v = residuals(load(row + i), load(row + i - bpp), b, c, filter);
        sums = _mm_add_epi64(sums, _mm_sad_epu8(magnitudes(v), zero));
    }
    total += (uint64_t)_mm_cvtsi128_si64(sums) + (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums));
#endif
    for (; i < n; i++)
        total += magnitude(residual(row[i], row[i - bpp], prior ? prior[i] : 0, prior ? prior[i - bpp] : 0, filter));
    return total;
}

void tessera_png_filter(
    uint8_t *out, const uint8_t *row, const uint8_t *prior, size_t n, unsigned bpp, unsigned filter) {
    switch (filter) {
    case 1: filter_row(out, row, prior, n, bpp, 1); break;
    case 2: filter_row(out, row, prior, n, bpp, 2); break;
    case 3: filter_row(out, row, prior, n, bpp, 3); break;
    case 4: filter_row(out, row, prior, n, bpp, 4); break;
    default:
        *out = 0;
        memcpy(out + 1, row, n);
    }
}

uint64_t tessera_png_filter_cost(
    const uint8_t *row, const uint8_t *prior, size_t n, unsigned bpp, unsigned filter) {
    switch (filter) {
    case 1: return cost(row, prior, n, bpp, 1);
    case 2: return cost(row, prior, n, bpp, 2);
    case 3: return cost(row, prior, n, bpp, 3);
    case 4: return cost(row, prior, n, bpp, 4);
    default: return cost(row, prior, n, bpp, 0);
    }
}

void tessera_png_filter_adaptive(
    uint8_t *out, const uint8_t *row, const uint8_t *prior, size_t n, unsigned bpp, unsigned filters) {
    unsigned best = 0;
    uint64_t least = UINT64_MAX;
    for (unsigned filter = 0; filter < filters; filter++) {
        uint64_t sum = tessera_png_filter_cost(row, prior, n, bpp, filter);
        if (sum < least) {
            least = sum;
            best = filter;
        }
    }
    tessera_png_filter(out, row, prior, n, bpp, best);
}
