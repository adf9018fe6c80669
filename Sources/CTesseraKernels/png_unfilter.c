#include "tessera_png.h"

#include "processor.h"

#include <string.h>

static inline uint8_t paeth(int a, int b, int c) {
    int pa = b - c, pb = a - c, pc = pa + pb;
    pa = pa < 0 ? -pa : pa;
    pb = pb < 0 ? -pb : pb;
    pc = pc < 0 ? -pc : pc;
    return (uint8_t)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

static void sub_scalar(uint8_t *row, size_t n, unsigned bpp) {
    for (size_t i = bpp; i < n; i++) row[i] = (uint8_t)(row[i] + row[i - bpp]);
}

static void up(uint8_t *restrict row, const uint8_t *restrict prior, size_t n) {
    for (size_t i = 0; i < n; i++) row[i] = (uint8_t)(row[i] + prior[i]);
}

static void average_scalar(uint8_t *row, const uint8_t *prior, size_t n, unsigned bpp) {
    for (size_t i = 0; i < n; i++) {
        unsigned a = i < bpp ? 0 : row[i - bpp], b = prior ? prior[i] : 0;
        row[i] = (uint8_t)(row[i] + ((a + b) >> 1));
    }
}

static void paeth_scalar(uint8_t *row, const uint8_t *prior, size_t n, unsigned bpp) {
    for (size_t i = 0; i < n && i < bpp; i++) row[i] = (uint8_t)(row[i] + prior[i]);
    for (size_t i = bpp; i < n; i++) row[i] = (uint8_t)(row[i] + paeth(row[i - bpp], prior[i], prior[i - bpp]));
}

size_t tessera_png_unfilter_scalar(uint8_t *rows, size_t count, size_t n, unsigned bpp, const uint8_t *prior) {
    for (size_t y = 0; y < count; y++) {
        uint8_t *row = rows + y * (n + 1) + 1;
        switch (row[-1]) {
        case 0: break;
        case 1: sub_scalar(row, n, bpp); break;
        case 2: if (prior) up(row, prior, n); break;
        case 3: average_scalar(row, prior, n, bpp); break;
        case 4:
            if (prior) paeth_scalar(row, prior, n, bpp);
            else sub_scalar(row, n, bpp);
            break;
        default: return y;
        }
        prior = row;
    }
    return count;
}

#if defined(TESSERA_VECTORS)

static inline __m128i load4(const uint8_t *p) {
    int32_t v;
    memcpy(&v, p, 4);
    return _mm_cvtsi32_si128(v);
}

static inline __m128i load8(const uint8_t *p) { return _mm_loadl_epi64((const __m128i *)p); }

static inline void store4(uint8_t *p, __m128i v) {
    int32_t w = _mm_cvtsi128_si32(v);
    memcpy(p, &w, 4);
}

// The last pixel of a row must not touch what follows; bpp is a constant wherever this is inlined.
static inline void store_exactly(uint8_t *p, __m128i v, unsigned bpp) {
    uint64_t w = (uint64_t)_mm_cvtsi128_si64(v);
    memcpy(p, &w, bpp);
}

static inline __m128i load_pixel(const uint8_t *p, unsigned bpp) { return bpp <= 4 ? load4(p) : load8(p); }

static inline __m128i abs16(__m128i v) { return _mm_max_epi16(v, _mm_sub_epi16(_mm_setzero_si128(), v)); }

// The predictor on sixteen-bit lanes.
static inline __m128i paeth16(__m128i a, __m128i b, __m128i c) {
    __m128i pa = _mm_sub_epi16(b, c), pb = _mm_sub_epi16(a, c), pc = _mm_add_epi16(pa, pb);
    pa = abs16(pa);
    pb = abs16(pb);
    pc = abs16(pc);
    __m128i least = _mm_min_epi16(pc, _mm_min_epi16(pa, pb));
    __m128i is_a = _mm_cmpeq_epi16(least, pa), is_b = _mm_cmpeq_epi16(least, pb);
    __m128i b_or_c = _mm_or_si128(_mm_and_si128(is_b, b), _mm_andnot_si128(is_b, c));
    return _mm_or_si128(_mm_and_si128(is_a, a), _mm_andnot_si128(is_a, b_or_c));
}

// Some bytes of a row, whatever its filter.
static void undo_some(uint8_t *row, const uint8_t *prior, size_t first, size_t end, size_t bpp) {
    for (size_t i = first; i < end; i++) {
        int a = i < bpp ? 0 : row[i - bpp], b = prior[i], c = i < bpp ? 0 : prior[i - bpp];
        switch (row[-1]) {
        case 1: row[i] = (uint8_t)(row[i] + a); break;
        case 2: row[i] = (uint8_t)(row[i] + b); break;
        case 3: row[i] = (uint8_t)(row[i] + ((a + b) >> 1)); break;
        case 4: row[i] = (uint8_t)(row[i] + paeth(a, b, c)); break;
        default: break;
        }
    }
}

// Four rows at once. A row can be a pixel behind the one above it, so the chain of dependences, which is all that the
// filters cost, runs once for four rows. The corners where not all four rows have a pixel are done byte by byte.
static void first_corner(uint8_t *const rows[4], const uint8_t *prior, const size_t bpp) {
    undo_some(rows[0], prior, 0, 3 * bpp, bpp);
    undo_some(rows[1], rows[0], 0, 2 * bpp, bpp);
    undo_some(rows[2], rows[1], 0, bpp, bpp);
}

// The rest: the last pixel of the first row, the last four of the last. `pending` holds the next pixel of each row as
// it was before a store of four bytes reached into it.
static void last_corner(
    uint8_t *const rows[4], const uint8_t *prior, size_t pixels, const size_t bpp, const uint32_t pending[4]) {
    for (size_t k = 0; k < 4; k++) {
        const size_t first = (pixels - 1 - k) * bpp;
        memcpy(rows[k] + first, &pending[k], bpp);
        undo_some(rows[k], k ? rows[k - 1] : prior, first, pixels * bpp, bpp);
    }
}

// The middle of four rows of Paeth, two rows side by side in each register.
__attribute__((always_inline)) static inline void paeth_middle(
    uint8_t *const rows[4], const uint8_t *prior, size_t pixels, const size_t bpp, uint32_t pending[4]) {
    const __m128i zero = _mm_setzero_si128(), low = _mm_set1_epi16(255);
#define WIDE(p) _mm_unpacklo_epi8(load4(p), zero)
    __m128i a_top = _mm_unpacklo_epi64(WIDE(rows[0] + 2 * bpp), WIDE(rows[1] + bpp));
    __m128i c_top = _mm_unpacklo_epi64(WIDE(prior + 2 * bpp), WIDE(rows[0] + bpp));
    __m128i a_bottom = _mm_unpacklo_epi64(WIDE(rows[2]), zero);
    __m128i c_bottom = _mm_unpacklo_epi64(WIDE(rows[1]), zero);
    uint8_t *r0 = rows[0] + 3 * bpp, *r1 = rows[1] + 2 * bpp, *r2 = rows[2] + bpp, *r3 = rows[3];
    prior += 3 * bpp;
    // A store of four bytes spoils the next pixel's first byte where bpp is 3: the next pixels are loaded before it.
    __m128i top = _mm_unpacklo_epi32(load4(r0), load4(r1)), bottom = _mm_unpacklo_epi32(load4(r2), load4(r3));
    for (size_t x = 3; x + 1 < pixels; x++) {
        __m128i b_top = _mm_unpacklo_epi64(WIDE(prior), a_top);
        __m128i b_bottom = _mm_castpd_si128(_mm_shuffle_pd(_mm_castsi128_pd(a_top), _mm_castsi128_pd(a_bottom), 1));
        __m128i next_top = _mm_unpacklo_epi32(load4(r0 + bpp), load4(r1 + bpp));
        __m128i next_bottom = _mm_unpacklo_epi32(load4(r2 + bpp), load4(r3 + bpp));
        a_top = _mm_and_si128(_mm_add_epi16(_mm_unpacklo_epi8(top, zero), paeth16(a_top, b_top, c_top)), low);
        a_bottom =
            _mm_and_si128(_mm_add_epi16(_mm_unpacklo_epi8(bottom, zero), paeth16(a_bottom, b_bottom, c_bottom)), low);
        c_top = b_top;
        c_bottom = b_bottom;
        __m128i packed = _mm_packus_epi16(a_top, a_bottom);
        store4(r0, packed);
        store4(r1, _mm_srli_si128(packed, 4));
        store4(r2, _mm_srli_si128(packed, 8));
        store4(r3, _mm_srli_si128(packed, 12));
        top = next_top;
        bottom = next_bottom;
        r0 += bpp;
        r1 += bpp;
        r2 += bpp;
        r3 += bpp;
        prior += bpp;
    }
#undef WIDE
    _mm_storel_epi64((__m128i *)pending, top);
    _mm_storel_epi64((__m128i *)(pending + 2), bottom);
}

#if defined(AVX2)
// The middle of four rows of any filters, all in one register: every prediction is made, and each row keeps its own.
__attribute__((always_inline)) AVX2 static inline void middle_avx2_body(
    uint8_t *const rows[4], const uint8_t *prior, size_t pixels, const size_t bpp, uint32_t pending[4]) {
    const __m256i low = _mm256_set1_epi16(255);
#define WORD(p) ((int)_mm_cvtsi128_si32(load4(p)))
#define FOUR(p0, p1, p2, p3)                                                                                          \
    _mm_insert_epi32(_mm_insert_epi32(_mm_insert_epi32(load4(p0), WORD(p1), 1), WORD(p2), 2), WORD(p3), 3)
#define MASK(filter)                                                                                                  \
    _mm256_set_epi64x(                                                                                                \
        -(rows[3][-1] == (filter)), -(rows[2][-1] == (filter)), -(rows[1][-1] == (filter)), -(rows[0][-1] == (filter)))
    const __m256i left = MASK(1), up = MASK(2), mean = MASK(3), third = MASK(4);
#undef MASK
    uint8_t *r0 = rows[0] + 3 * bpp, *r1 = rows[1] + 2 * bpp, *r2 = rows[2] + bpp, *r3 = rows[3];
    __m256i a = _mm256_cvtepu8_epi16(_mm_insert_epi32(FOUR(r0 - bpp, r1 - bpp, r2 - bpp, r3), 0, 3));
    __m256i c =
        _mm256_cvtepu8_epi16(_mm_insert_epi32(FOUR(prior + 2 * bpp, r0 - 2 * bpp, r1 - 2 * bpp, r3), 0, 3));
    prior += 3 * bpp;
    __m128i raw = FOUR(r0, r1, r2, r3);
    for (size_t x = 3; x + 1 < pixels; x++) {
        __m256i above = _mm256_castsi128_si256(_mm_cvtepu8_epi16(load4(prior)));
        __m256i b = _mm256_blend_epi32(_mm256_permute4x64_epi64(a, 0x90), above, 3);
        __m128i next = FOUR(r0 + bpp, r1 + bpp, r2 + bpp, r3 + bpp);
        __m256i pa = _mm256_sub_epi16(b, c), pb = _mm256_sub_epi16(a, c), pc = _mm256_add_epi16(pa, pb);
        pa = _mm256_abs_epi16(pa);
        pb = _mm256_abs_epi16(pb);
        pc = _mm256_abs_epi16(pc);
        __m256i least = _mm256_min_epi16(pc, _mm256_min_epi16(pa, pb));
        __m256i b_or_c = _mm256_blendv_epi8(c, b, _mm256_cmpeq_epi16(least, pb));
        __m256i predicted = _mm256_and_si256(_mm256_blendv_epi8(b_or_c, a, _mm256_cmpeq_epi16(least, pa)), third);
        __m256i half = _mm256_and_si256(_mm256_srli_epi16(_mm256_add_epi16(a, b), 1), mean);
        __m256i side = _mm256_or_si256(_mm256_and_si256(a, left), _mm256_and_si256(b, up));
        predicted = _mm256_or_si256(predicted, _mm256_or_si256(half, side));
        a = _mm256_and_si256(_mm256_add_epi16(_mm256_cvtepu8_epi16(raw), predicted), low);
        c = b;
        __m256i packed = _mm256_packus_epi16(a, a);
        __m128i top = _mm256_castsi256_si128(packed), bottom = _mm256_extracti128_si256(packed, 1);
        store4(r0, top);
        store4(r1, _mm_srli_si128(top, 4));
        store4(r2, bottom);
        store4(r3, _mm_srli_si128(bottom, 4));
        raw = next;
        r0 += bpp;
        r1 += bpp;
        r2 += bpp;
        r3 += bpp;
        prior += bpp;
    }
#undef FOUR
#undef WORD
    _mm_storeu_si128((__m128i *)pending, raw);
}

AVX2 static void middle_avx2(
    uint8_t *const rows[4], const uint8_t *prior, size_t pixels, const unsigned bpp, uint32_t pending[4]) {
    if (bpp == 3) middle_avx2_body(rows, prior, pixels, 3, pending);
    else middle_avx2_body(rows, prior, pixels, 4, pending);
}
#endif

// Whether four rows are undone faster together than one after the other.
static inline int is_worth_joining(const uint8_t *filters, size_t stride, int by_avx2) {
    if (!by_avx2) return filters[0] == 4 && filters[stride] == 4 && filters[2 * stride] == 4 && filters[3 * stride] == 4;
    // Paeth costs three times what averages cost, the others next to nothing; together, all cost the same.
    static const unsigned costs[5] = {0, 0, 0, 2, 6};
    unsigned sum = 0;
    for (size_t k = 0; k < 4; k++) {
        unsigned filter = filters[k * stride];
        if (filter > 4) return 0;
        sum += costs[filter];
    }
    return sum >= 7;
}

__attribute__((always_inline)) static inline void undo_four(
    uint8_t *row, const uint8_t *prior, size_t n, const unsigned bpp, int by_avx2) {
    uint8_t *const rows[4] = {row, row + (n + 1), row + 2 * (n + 1), row + 3 * (n + 1)};
    const size_t pixels = n / bpp;
    uint32_t pending[4];
    first_corner(rows, prior, bpp);
#if defined(AVX2)
    if (by_avx2) middle_avx2(rows, prior, pixels, bpp, pending);
    else paeth_middle(rows, prior, pixels, bpp, pending);
#else
    (void)by_avx2;
    paeth_middle(rows, prior, pixels, bpp, pending);
#endif
    last_corner(rows, prior, pixels, bpp, pending);
}

__attribute__((always_inline)) static inline void paeth_row(
    uint8_t *row, const uint8_t *prior, size_t n, const unsigned bpp) {
    const __m128i zero = _mm_setzero_si128(), low = _mm_set1_epi16(255);
    __m128i a = zero, c = zero;
    for (size_t i = 0; i + bpp <= n; i += bpp) {
        __m128i b = _mm_unpacklo_epi8(load_pixel(prior + i, bpp), zero);
        __m128i raw = _mm_unpacklo_epi8(load_pixel(row + i, bpp), zero);
        a = _mm_and_si128(_mm_add_epi16(raw, paeth16(a, b, c)), low);
        c = b;
        store_exactly(row + i, _mm_packus_epi16(a, a), bpp);
    }
}

__attribute__((always_inline)) static inline void average_row(
    uint8_t *row, const uint8_t *prior, size_t n, const unsigned bpp) {
    const __m128i one = _mm_set1_epi8(1);
    __m128i a = _mm_setzero_si128(), b = a;
    for (size_t i = 0; i + bpp <= n; i += bpp) {
        if (prior) b = load_pixel(prior + i, bpp);
        // The instruction rounds up, the filter down.
        __m128i mean = _mm_sub_epi8(_mm_avg_epu8(a, b), _mm_and_si128(_mm_xor_si128(a, b), one));
        a = _mm_add_epi8(load_pixel(row + i, bpp), mean);
        store_exactly(row + i, a, bpp);
    }
}

__attribute__((always_inline)) static inline void sub_row(uint8_t *row, size_t n, const unsigned bpp) {
    __m128i a = _mm_setzero_si128();
    for (size_t i = 0; i + bpp <= n; i += bpp) {
        a = _mm_add_epi8(a, load_pixel(row + i, bpp));
        store_exactly(row + i, a, bpp);
    }
}

__attribute__((always_inline)) static inline size_t unfilter(
    uint8_t *rows, size_t count, size_t n, const unsigned bpp, const uint8_t *prior) {
    const size_t stride = n + 1;
    // Asked once: rows that were joined for AVX2 are undone by it.
    const int by_avx2 = WIDEST(1, 0);
    for (size_t y = 0; y < count; y++) {
        uint8_t *row = rows + y * stride + 1;
        if (bpp <= 4 && prior && n >= 4 * bpp && count - y >= 4 && is_worth_joining(row - 1, stride, by_avx2)) {
            undo_four(row, prior, n, bpp, by_avx2);
            y += 3;
            prior = row + 3 * stride;
            continue;
        }
        switch (row[-1]) {
        case 0: break;
        case 1: sub_row(row, n, bpp); break;
        case 2: if (prior) up(row, prior, n); break;
        case 3: average_row(row, prior, n, bpp); break;
        case 4:
            if (prior) paeth_row(row, prior, n, bpp);
            else sub_row(row, n, bpp);
            break;
        default: return y;
        }
        prior = row;
    }
    return count;
}

// Sixteen running sums at once: shifted by 1, 2, 4 and 8 bytes and added, then the last sum so far on top.
static void sub_bytes(uint8_t *row, size_t n) {
    __m128i carry = _mm_setzero_si128();
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(row + i));
        v = _mm_add_epi8(v, _mm_slli_si128(v, 1));
        v = _mm_add_epi8(v, _mm_slli_si128(v, 2));
        v = _mm_add_epi8(v, _mm_slli_si128(v, 4));
        v = _mm_add_epi8(v, _mm_slli_si128(v, 8));
        v = _mm_add_epi8(v, carry);
        _mm_storeu_si128((__m128i *)(row + i), v);
        carry = _mm_srli_si128(v, 15);
        carry = _mm_unpacklo_epi8(carry, carry);
        carry = _mm_shufflelo_epi16(carry, 0);
        carry = _mm_unpacklo_epi64(carry, carry);
    }
    for (i = i ? i : 1; i < n; i++) row[i] = (uint8_t)(row[i] + row[i - 1]);
}

// Pixels of one byte: what is on the left stays in a register.
static size_t unfilter_bytes(uint8_t *rows, size_t count, size_t n, const uint8_t *prior) {
    for (size_t y = 0; y < count; y++) {
        uint8_t *row = rows + y * (n + 1) + 1;
        switch (row[-1]) {
        case 0: break;
        case 1: sub_bytes(row, n); break;
        case 2: if (prior) up(row, prior, n); break;
        case 3: average_scalar(row, prior, n, 1); break;
        case 4:
            if (prior) {
                uint8_t a = 0, c = 0;
                for (size_t i = 0; i < n; i++) {
                    uint8_t b = prior[i];
                    row[i] = a = (uint8_t)(row[i] + paeth(a, b, c));
                    c = b;
                }
            } else {
                sub_bytes(row, n);
            }
            break;
        default: return y;
        }
        prior = row;
    }
    return count;
}

size_t tessera_png_unfilter(uint8_t *rows, size_t count, size_t n, unsigned bpp, const uint8_t *prior) {
    switch (bpp) {
    case 1: return unfilter_bytes(rows, count, n, prior);
    case 3: return unfilter(rows, count, n, 3, prior);
    case 4: return unfilter(rows, count, n, 4, prior);
    case 6: return unfilter(rows, count, n, 6, prior);
    case 8: return unfilter(rows, count, n, 8, prior);
    default: return tessera_png_unfilter_scalar(rows, count, n, bpp, prior);
    }
}

#else

size_t tessera_png_unfilter(uint8_t *rows, size_t count, size_t n, unsigned bpp, const uint8_t *prior) {
    return tessera_png_unfilter_scalar(rows, count, n, bpp, prior);
}

#endif
