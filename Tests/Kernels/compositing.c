#include "CTesseraKernels.h"
#include "harness.h"
#include "scalar.h"

static uint8_t scaled(uint8_t value, uint16_t factor) { return (uint8_t)(((uint32_t)value * factor + 32768) >> 16); }

static uint8_t laid(uint8_t upper, uint8_t alpha, uint8_t lower) {
    return limited(upper + product_255(lower, 255u - alpha));
}

static void transform(const uint8_t *source, uint8_t *target, size_t count, const int16_t *weights, int shift) {
    for (size_t x = 0; x < count; x++, source += 4, target += 4) {
        for (int c = 0; c < 3; c++) {
            int32_t sum = 1 << (shift - 1);
            for (int i = 0; i < 4; i++) sum += weights[4 * c + i] * source[i];
            sum >>= shift;
            target[c] = (uint8_t)(sum < 0 ? 0 : sum > source[3] ? source[3] : sum);
        }
        target[3] = source[3];
    }
}

void test_compositing(enum place place) {
    for (size_t count = 0; count < 140; count++) {
        const size_t size = 4 * count;
        const uint8_t *source = row(2, size, place), *mask = row(3, count, place), *color = row(4, 4, place);
        const uint16_t factor = (uint16_t)(count % 8 ? next_random() : 65535);

        tessera_scale_pixels(source, row(0, size, place), count, factor);
        uint8_t *slow = row(1, size, place);
        for (size_t x = 0; x < size; x++) slow[x] = scaled(source[x], factor);
        compare("tessera_scale_pixels", 0, 1, "%zu pixels by %d", count, factor);

        for (int is_inverted = 0; is_inverted < 2; is_inverted++) {
            tessera_mask_pixels(source, mask, row(0, size, place), count, is_inverted);
            slow = row(1, size, place);
            for (size_t x = 0; x < size; x++)
                slow[x] = product_255(source[x], is_inverted ? 255u - mask[x / 4] : mask[x / 4]);
            compare("tessera_mask_pixels", 0, 1, "%zu pixels, inverted: %d", count, is_inverted);
        }

        tessera_show_alpha(source, row(0, size, place), count);
        slow = row(1, size, place);
        for (size_t x = 0; x < size; x++) slow[x] = x % 4 == 3 ? 255 : source[x | 3];
        compare("tessera_show_alpha", 0, 1, "%zu pixels", count);

        tessera_lay_on_color(source, row(0, size, place), count, color);
        slow = row(1, size, place);
        for (size_t x = 0; x < size; x++) slow[x] = laid(source[x], source[x | 3], color[x % 4]);
        compare("tessera_lay_on_color", 0, 1, "%zu pixels", count);

        uint8_t *fast = row(0, size, place);
        slow = row(1, size, place), copy_row(0, 1);
        tessera_lay_over(source, fast, count, factor);
        for (size_t x = 0; x < size; x++)
            slow[x] = laid(scaled(source[x], factor), scaled(source[x | 3], factor), slow[x]);
        compare("tessera_lay_over", 0, 1, "%zu pixels by %d", count, factor);

        const int16_t *weights = values_between(5, 12, INT16_MIN, INT16_MAX, place);
        const int shift = random_between(10, 14);
        tessera_transform_colors(source, row(0, size, place), count, weights, shift);
        transform(source, row(1, size, place), count, weights, shift);
        compare("tessera_transform_colors", 0, 1, "%zu pixels, shift %d", count, shift);

        // In place.
        fast = row(0, size, place);
        transform(fast, row(1, size, place), count, weights, shift);
        tessera_transform_colors(fast, fast, count, weights, shift);
        compare("tessera_transform_colors", 0, 1, "%zu pixels in place, shift %d", count, shift);
    }
}
