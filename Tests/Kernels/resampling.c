#include "CTesseraKernels.h"
#include "harness.h"
#include "scalar.h"

// Sums wrap around as vectors' do.
static int16_t shifted(uint32_t sum, int shift) {
    if (shift > 0) sum += 1u << (shift - 1);
    return limited_16((int32_t)sum >> shift);
}

static uint32_t multiplied(int32_t a, int32_t b) { return (uint32_t)(a * b); }

static void sum_rows(const void *const *rows, int is_wide, const int16_t *weights, size_t taps, int shift,
                     int16_t *target, size_t count) {
    for (size_t x = 0; x < count; x++) {
        uint32_t sum = 0;
        for (size_t tap = 0; tap < taps; tap++)
            sum += multiplied(weights[tap], is_wide ? ((const int16_t *)rows[tap])[x] : ((const uint8_t *)rows[tap])[x]);
        target[x] = shifted(sum, is_wide ? shift : shift - 6);
    }
}

static void sum_runs(const int16_t *row, int channels, const int32_t *firsts, const int32_t *counts,
                     const int32_t *offsets, const int16_t *weights, int shift, int16_t *target, size_t count) {
    for (size_t x = 0; x < count; x++)
        for (int c = 0; c < channels; c++) {
            uint32_t sum = 0;
            for (int tap = 0; tap < counts[x]; tap++)
                sum += multiplied(weights[offsets[x] + tap], row[(firsts[x] + tap) * channels + c]);
            target[x * (size_t)channels + (size_t)c] = shifted(sum, shift);
        }
}

static void test_rows(size_t count, int taps, enum place place) {
    // Room for whole blocks.
    const size_t room = (count + 63) / 64 * 64;
    const void *rows[16];
    const int16_t *weights = values_between(2, (size_t)taps, INT16_MIN, INT16_MAX, place);
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        for (int tap = 0; tap < taps; tap++) rows[tap] = row(4 + tap, room << is_wide, place);
        const int shift = is_wide ? random_between(0, 16) : random_between(6, 22);
        int16_t *fast = row(0, 2 * room, place), *slow = row(1, 2 * room, place);
        if (is_wide) tessera_sum_rows_wide(rows, weights, (size_t)taps, shift, fast, count);
        else tessera_sum_rows_bytes(rows, weights, (size_t)taps, shift, fast, count);
        sum_rows(rows, is_wide, weights, (size_t)taps, shift, slow, count);
        compare_first(is_wide ? "tessera_sum_rows_wide" : "tessera_sum_rows_bytes", 0, 1, 2 * count,
                      "%zu values of %d rows, shift %d", count, taps, shift);
    }
}

static void test_runs(size_t count, int channels, enum place place) {
    const int block = channels == 4 ? 4 : 8;
    int32_t firsts[100], counts[100], offsets[100], places = 0, end = 0;
    for (size_t x = 0; x < count; x++) {
        firsts[x] = random_between(0, 50);
        counts[x] = block * random_between(1, 4);
        offsets[x] = places;
        places += counts[x];
        if (end < firsts[x] + counts[x]) end = firsts[x] + counts[x];
    }
    const int16_t *weights = values_between(2, (size_t)places, INT16_MIN, INT16_MAX, place);
    const int16_t *values = values_between(3, (size_t)(end * channels), INT16_MIN, INT16_MAX, place);
    const int shift = random_between(0, 16);
    int16_t *fast = row(0, 2 * count * (size_t)channels, place), *slow = row(1, 2 * count * (size_t)channels, place);
    (channels == 4 ? tessera_sum_pixels : tessera_sum_values)(values, firsts, counts, offsets, weights, shift, fast, count);
    sum_runs(values, channels, firsts, counts, offsets, weights, shift, slow, count);
    compare(channels == 4 ? "tessera_sum_pixels" : "tessera_sum_values", 0, 1, "%zu sums, shift %d", count, shift);
}

void test_resampling(enum place place) {
    for (size_t count = 0; count < 200; count += count < 70 ? 1 : 9)
        for (int taps = 2; taps <= 16; taps += 2) test_rows(count, taps, place);
    for (size_t count = 0; count < 100; count++) {
        test_runs(count, 4, place);
        test_runs(count, 1, place);
    }
}
