#include "CTesseraKernels.h"
#include "harness.h"
#include "scalar.h"

#include <stdlib.h>

static const unsigned distances[] = {1, 2, 3, 4, 6, 8};

// One byte by the standard's words.
static uint8_t predicted(const uint8_t *row, const uint8_t *prior, size_t i, unsigned bpp, unsigned filter) {
    const int a = i < bpp ? 0 : row[i - bpp], b = prior ? prior[i] : 0, c = prior && i >= bpp ? prior[i - bpp] : 0;
    const int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    switch (filter) {
    case 1: return (uint8_t)a;
    case 2: return (uint8_t)b;
    case 3: return (uint8_t)((a + b) / 2);
    case 4: return (uint8_t)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
    default: return 0;
    }
}

static void test_filters(size_t n, unsigned bpp, int has_prior, enum place place) {
    const uint8_t *bytes = row(2, n, place), *prior = has_prior ? row(3, n, place) : NULL;
    uint64_t costs[5];
    unsigned best = 0;
    for (unsigned filter = 0; filter < 5; filter++) {
        uint8_t *slow = row(1, n + 1, place);
        slow[0] = (uint8_t)filter;
        costs[filter] = 0;
        for (size_t i = 0; i < n; i++) {
            slow[1 + i] = (uint8_t)(bytes[i] - predicted(bytes, prior, i, bpp, filter));
            costs[filter] += (uint64_t)abs((int8_t)slow[1 + i]);
        }
        tessera_png_filter(row(0, n + 1, place), bytes, prior, n, bpp, filter);
        compare("tessera_png_filter", 0, 1, "%zu bytes, %u apart, filter %u, row above: %d", n, bpp, filter, has_prior);
        compare_numbers("tessera_png_filter_cost", tessera_png_filter_cost(bytes, prior, n, bpp, filter), costs[filter],
                        "%zu bytes, %u apart, filter %u, row above: %d", n, bpp, filter, has_prior);
        if (costs[filter] < costs[best]) best = filter;
        uint8_t *out = row(0, n + 1, place);
        tessera_png_filter_adaptive(out, bytes, prior, n, bpp, filter + 1);
        compare_numbers("tessera_png_filter_adaptive", out[0], best, "%zu bytes, %u apart, %u filters", n, bpp,
                        filter + 1);
    }
}

static void test_unfiltering(size_t n, unsigned bpp, int has_prior, int kind, enum place place) {
    enum { COUNT = 11 };
    // Eight bytes behind the row above and behind the last row must be readable; the latter stay.
    const uint8_t *prior = has_prior ? row(3, n + 8, place) : NULL;
    uint8_t *fast = row(0, COUNT * (n + 1) + 8, place), *slow = row(1, COUNT * (n + 1) + 8, place);
    for (size_t y = 0; y < COUNT; y++)
        // Any filters, Paeth alone, and any with one that there is not.
        fast[y * (n + 1)] = (uint8_t)(kind == 1 ? 4 : kind == 2 && y == 9 ? 5 : random_between(0, 4));
    copy_row(0, 1);
    const size_t done = tessera_png_unfilter(fast, COUNT, n, bpp, prior);
    size_t count = 0;
    for (const uint8_t *above = prior; count < COUNT && slow[count * (n + 1)] < 5; count++) {
        uint8_t *bytes = slow + count * (n + 1) + 1;
        for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)(bytes[i] + predicted(bytes, above, i, bpp, bytes[-1]));
        above = bytes;
    }
    compare_numbers("tessera_png_unfilter", done, count, "%zu bytes, %u apart, kind %d", n, bpp, kind);
    compare("tessera_png_unfilter", 0, 1, "%zu bytes, %u apart, kind %d, row above: %d", n, bpp, kind, has_prior);
}

void test_png(enum place place) {
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        const unsigned bpp = distances[i];
        // Rows are whole pixels.
        for (size_t n = bpp; n < 64 + 12 * bpp; n += bpp)
            for (int has_prior = 0; has_prior < 2; has_prior++) {
                test_filters(n, bpp, has_prior, place);
                for (int kind = 0; kind < 3; kind++) test_unfiltering(n, bpp, has_prior, kind, place);
            }
    }
}
