#include "CTesseraKernels.h"
#include "harness.h"
#include "scalar.h"

/// The largest blurred value: 255 with 6 bits after the point.
enum { ONE = 255 << 6 };

static int value_of(const void *row, int is_wide, size_t x) {
    return is_wide ? ((const int16_t *)row)[x] : ((const uint8_t *)row)[x] << 6;
}

static void blur_rows(const void *const *rows, int is_wide, const int16_t *weights, size_t reach, int16_t *target,
                      size_t count) {
    for (size_t x = 0; x < count; x++) {
        int16_t sum = product_15(value_of(rows[reach], is_wide, x), weights[0]);
        for (size_t d = 1; d <= reach; d++) {
            const int both = value_of(rows[reach - d], is_wide, x) + value_of(rows[reach + d], is_wide, x);
            sum = (int16_t)(sum + product_15(both, weights[d]));
        }
        target[x] = sum;
    }
}

static void sum_four(const int16_t *const rows[4], const int16_t *weights, int16_t *target, size_t count) {
    for (size_t x = 0; x < count; x++) {
        int16_t sum = 0;
        for (int tap = 0; tap < 4; tap++) sum = (int16_t)(sum + product_15(rows[tap][x], weights[tap]));
        target[x] = sum;
    }
}

static void test_blurs(size_t count, size_t reach, enum place place) {
    const size_t room = (count + 63) / 64 * 64, sums = 3, step = 2, height = 2 * reach + 1 + (sums - 1) * step;
    const void *rows[ROWS];
    const int16_t *weights = values_between(2, reach + 1, -INT16_MAX, INT16_MAX, place);
    for (size_t y = 0; y < height; y++) rows[y] = row(4 + (int)y, room, place);
    int16_t *fast = row(0, 2 * room * sums, place), *slow = row(1, 2 * room * sums, place);
    copy_row(0, 1);
    tessera_blur_rows_bytes(rows, step, weights, reach, fast, room, sums, count);
    // Whole blocks are written.
    for (size_t i = 0; i < sums; i++) blur_rows(rows + i * step, 0, weights, reach, slow + i * room, count);
    for (size_t i = 0; i < sums; i++)
        for (size_t x = count; x < room; x++) slow[i * room + x] = fast[i * room + x];
    compare("tessera_blur_rows_bytes", 0, 1, "%zu values, reach %zu", count, reach);

    const size_t wide = (count + 31) / 32 * 32;
    for (size_t y = 0; y < 2 * reach + 1; y++) rows[y] = values_between(4 + (int)y, wide, 0, ONE, place);
    fast = row(0, 2 * wide, place), slow = row(1, 2 * wide, place);
    tessera_blur_rows_wide(rows, weights, reach, fast, count);
    blur_rows(rows, 1, weights, reach, slow, count);
    compare_first("tessera_blur_rows_wide", 0, 1, 2 * count, "%zu values, reach %zu", count, reach);
}

// Four weights that are 1 together.
static int16_t *four_weights(enum place place) {
    int16_t *weights = values_between(2, 4, 0, 10922, place);
    weights[3] = (int16_t)(32767 - weights[0] - weights[1] - weights[2]);
    return weights;
}

static void test_sums_of_four(size_t count, enum place place) {
    const size_t room = (count + 31) / 32 * 32;
    const int16_t *rows[4], *weights = four_weights(place);
    for (int tap = 0; tap < 4; tap++) rows[tap] = values_between(4 + tap, room, 0, ONE, place);
    tessera_sum_four_rows(rows[0], rows[1], rows[2], rows[3], weights, row(0, 2 * room, place), count);
    int16_t *sums = row(1, 2 * room, place);
    sum_four(rows, weights, sums, count);
    compare_first("tessera_sum_four_rows", 0, 1, 2 * count, "%zu values", count);
    for (int limits = 0; limits < 2; limits++) {
        if (limits && count % 4) continue;
        tessera_sum_four_rows_to_bytes(rows[0], rows[1], rows[2], rows[3], weights, row(0, count, place), count, limits);
        uint8_t *slow = row(3, count, place);
        for (size_t x = 0; x < count; x++) slow[x] = rounded_byte(sums[x]);
        for (size_t x = 0; limits && x < count; x++) slow[x] = least(slow[x], slow[x | 3]);
        compare("tessera_sum_four_rows_to_bytes", 0, 3, "%zu values, limited: %d", count, limits);
    }
}

static void test_enlarging(size_t count, size_t spacing, size_t channels, enum place place) {
    const size_t values = spacing * channels, stride = (values + 15) / 16 * 16;
    const int16_t *weights = values_between(2, 4 * stride, 0, 8191, place);
    const int16_t *source = values_between(3, (count + 3) * channels, 0, ONE, place);
    tessera_enlarge_row(source, weights, stride, spacing, channels, row(0, 2 * (values * count + 15), place), count);
    int16_t *slow = row(1, 2 * (values * count + 15), place);
    for (size_t x = 0; x < values * count; x++) {
        int16_t sum = 0;
        for (size_t tap = 0; tap < 4; tap++) {
            const int16_t value = source[(x / values + tap) * channels + x % channels];
            sum = (int16_t)(sum + product_15(value, weights[tap * stride + x % values]));
        }
        slow[x] = sum;
    }
    compare_first("tessera_enlarge_row", 0, 1, 2 * values * count, "%zu runs, %zu apart, %zu channels", count, spacing,
                  channels);

    source = row(3, 2 * values * count, place);
    tessera_part_row(source, spacing, channels, row(0, 2 * values * count, place), count * channels, count);
    slow = row(1, 2 * values * count, place);
    for (size_t part = 0; part < spacing; part++)
        for (size_t x = 0; x < count * channels; x++)
            slow[part * count * channels + x] =
                source[(x / channels * spacing + part) * channels + x % channels];
    compare("tessera_part_row", 0, 1, "%zu pixels, every %zuth, %zu channels", count, spacing, channels);
}

static void sharpen(const uint8_t *pixels, const int16_t *blurred, float amount, int is_opaque, uint8_t *target,
                    size_t count) {
    for (size_t x = 0; x < count; x++, pixels += 4, blurred += 4, target += 4) {
        const float alpha = pixels[3], scale = is_opaque || blurred[3] == 0 ? 1.0f / 64 : alpha / (float)blurred[3];
        for (int c = 0; c < 3; c++) {
            const float value = pixels[c], around = (float)blurred[c] * scale, raised = (value - around) * amount;
            float sharp = value + raised;
            sharp = sharp > alpha ? alpha : sharp;
            target[c] = (uint8_t)((sharp < 0 ? 0 : sharp) + 0.5f);
        }
        target[3] = pixels[3];
    }
}

static void test_sharpening(size_t count, enum place place) {
    const uint8_t *pixels = row(2, 4 * count, place);
    const int16_t *blurred = values_between(3, 4 * count, 0, ONE, place);
    const float amount = (float)random_between(0, 5000) / 1000;
    for (int is_opaque = 0; is_opaque < 2; is_opaque++) {
        tessera_sharpen(pixels, blurred, amount, is_opaque, row(0, 4 * count, place), count);
        sharpen(pixels, blurred, amount, is_opaque, row(1, 4 * count, place), count);
        compare("tessera_sharpen", 0, 1, "%zu pixels by %g, opaque: %d", count, amount, is_opaque);
    }
    tessera_extract_alpha(pixels, row(0, count, place), count);
    uint8_t *slow = row(1, count, place);
    for (size_t x = 0; x < count; x++) slow[x] = pixels[4 * x + 3];
    compare("tessera_extract_alpha", 0, 1, "%zu pixels", count);
}

static void draw_shadow(const uint8_t *pixels, const int16_t *alphas, const int16_t *ink, uint8_t *target,
                        size_t count) {
    for (size_t x = 0; x < count; x++, target += 4) {
        const int rest = 255 - (pixels ? pixels[4 * x + 3] : 0), factor = (rest << 7) + (rest >> 1);
        for (int c = 0; c < 4; c++) {
            const int16_t shadow = product_15(alphas[x], ink[c]);
            target[c] = rounded_byte(pixels ? (pixels[4 * x + (size_t)c] << 6) + product_15(shadow, factor) : shadow);
        }
        for (int c = 0; c < 3; c++) target[c] = least(target[c], target[3]);
    }
}

static void test_shadows(size_t count, enum place place) {
    const int16_t *alphas = values_between(3, count, 0, ONE, place), *ink = values_between(4, 4, 0, INT16_MAX, place);
    tessera_draw_shadow(alphas, ink, row(0, 4 * count, place), count);
    draw_shadow(NULL, alphas, ink, row(1, 4 * count, place), count);
    compare("tessera_draw_shadow", 0, 1, "%zu pixels", count);
    for (int is_opaque = 0; is_opaque < 2; is_opaque++) {
        uint8_t *pixels = row(2, 4 * count, place);
        for (size_t x = 0; is_opaque && x < count; x++) pixels[4 * x + 3] = 255;
        tessera_draw_over_shadow(pixels, alphas, ink, row(0, 4 * count, place), count);
        draw_shadow(pixels, alphas, ink, row(1, 4 * count, place), count);
        compare("tessera_draw_over_shadow", 0, 1, "%zu pixels, opaque: %d", count, is_opaque);
    }
}

void test_blurring(enum place place) {
    for (size_t count = 0; count < 140; count += count < 70 ? 1 : 7)
        for (size_t reach = 0; reach < 6; reach++) test_blurs(count, reach, place);
    // As many rows as have their columns done in pieces.
    for (size_t count = 500; count < 600; count += 33) test_blurs(count, 19, place);
    for (size_t count = 0; count < 140; count++) {
        test_sums_of_four(count, place);
        test_sharpening(count, place);
        test_shadows(count, place);
    }
    for (size_t count = 0; count < 24; count++)
        for (size_t spacing = 1; spacing < 20; spacing++) {
            test_enlarging(count, spacing, 1, place);
            test_enlarging(count, spacing, 4, place);
        }
}
