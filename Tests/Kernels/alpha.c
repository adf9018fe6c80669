#include "CTesseraKernels.h"
#include "harness.h"
#include "scalar.h"

static void round_to_bytes(const int16_t *values, uint8_t *target, size_t count, int limits) {
    for (size_t x = 0; x < count; x++) target[x] = rounded_byte(values[x]);
    if (!limits) return;
    for (size_t x = 0; x < count; x++) target[x] = least(target[x], target[x | 3]);
}

static void premultiply_wide(const uint8_t *source, int16_t *target, size_t pixels) {
    for (size_t x = 0; x < 4 * pixels; x++) {
        const uint32_t product = source[x] * (x % 4 == 3 ? 255u : source[x | 3]);
        target[x] = (int16_t)((product + ((product + 128) >> 8) + 2) >> 2);
    }
}

static void unpremultiply_wide(const int16_t *values, uint8_t *target, size_t pixels) {
    for (size_t x = 0; x < pixels; x++, values += 4, target += 4) {
        const int32_t alpha = values[3] > 16320 ? 16320 : values[3], byte = (alpha + 32) >> 6;
        const float scale = byte > 0 ? 255.0f / (float)alpha : 0;
        for (int c = 0; c < 3; c++) {
            const float product = (float)values[c] * scale;
            target[c] = byte > 0 ? limited((int32_t)(product + 0.5f)) : 0;
        }
        target[3] = (uint8_t)(byte > 0 ? byte : 0);
    }
}

static void premultiply(uint8_t *pixels, size_t count) {
    for (size_t x = 0; x < count; x++, pixels += 4)
        for (int c = 0; c < 3; c++) pixels[c] = product_255(pixels[c], pixels[3]);
}

static void unpremultiply(uint8_t *pixels, size_t count) {
    for (size_t x = 0; x < count; x++, pixels += 4)
        for (int c = 0; c < 3; c++)
            pixels[c] = pixels[3] ? limited((pixels[c] * 255 + pixels[3] / 2) / pixels[3]) : 0;
}

static void flatten(uint8_t *pixels, size_t count, const uint8_t *background) {
    for (size_t x = 0; x < count; x++, pixels += 4) {
        for (int c = 0; c < 3; c++)
            pixels[c] = (uint8_t)((pixels[c] * pixels[3] + background[c] * (255 - pixels[3]) + 127) / 255);
        pixels[3] = 255;
    }
}

static void test_in_place(size_t count, enum place place) {
    uint8_t *fast = row(0, 4 * count, place), *slow = row(1, 4 * count, place);
    copy_row(0, 1);
    tessera_premultiply(fast, count);
    premultiply(slow, count);
    compare("tessera_premultiply", 0, 1, "%zu pixels", count);
    fast = row(0, 4 * count, place), copy_row(0, 1);
    tessera_unpremultiply(fast, count);
    unpremultiply(slow, count);
    compare("tessera_unpremultiply", 0, 1, "%zu pixels", count);
    fast = row(0, 4 * count, place), copy_row(0, 1);
    const uint8_t *background = row(2, 3, place);
    tessera_flatten(fast, count, background);
    flatten(slow, count, background);
    compare("tessera_flatten", 0, 1, "%zu pixels", count);
}

// Every colour with every alpha.
static void test_all_products(enum place place) {
    for (int alpha = 0; alpha < 256; alpha++) {
        uint8_t *fast = row(0, 4 * 256, place), *slow = row(1, 4 * 256, place);
        for (int c = 0; c < 256; c++)
            for (int i = 0; i < 4; i++) fast[4 * c + i] = (uint8_t)(i == 3 ? alpha : c);
        copy_row(0, 1);
        tessera_premultiply(fast, 256);
        premultiply(slow, 256);
        compare("tessera_premultiply", 0, 1, "every colour, alpha %d", alpha);
        for (int c = 0; c < 256; c++)
            for (int i = 0; i < 4; i++) fast[4 * c + i] = (uint8_t)(i == 3 ? alpha : c);
        copy_row(0, 1);
        tessera_unpremultiply(fast, 256);
        unpremultiply(slow, 256);
        compare("tessera_unpremultiply", 0, 1, "every colour, alpha %d", alpha);
    }
}

void test_alpha(enum place place) {
    test_all_products(place);
    for (size_t count = 0; count < 70; count++) {
        test_in_place(count, place);
        const uint8_t *bytes = row(2, 4 * count, place);
        tessera_premultiply_wide(bytes, row(0, 8 * count, place), count);
        premultiply_wide(bytes, row(1, 8 * count, place), count);
        compare("tessera_premultiply_wide", 0, 1, "%zu pixels", count);
        const int16_t *values = values_between(2, 4 * count, count % 2 ? 0 : INT16_MIN, INT16_MAX, place);
        tessera_unpremultiply_wide(values, row(0, 4 * count, place), count);
        unpremultiply_wide(values, row(1, 4 * count, place), count);
        compare("tessera_unpremultiply_wide", 0, 1, "%zu pixels", count);
        tessera_round_to_bytes(values, row(0, 4 * count, place), 4 * count, 1);
        round_to_bytes(values, row(1, 4 * count, place), 4 * count, 1);
        compare("tessera_round_to_bytes", 0, 1, "%zu pixels, limited to alpha", count);
        values = values_between(2, count, -300, 16700, place);
        tessera_round_to_bytes(values, row(0, count, place), count, 0);
        round_to_bytes(values, row(1, count, place), count, 0);
        compare("tessera_round_to_bytes", 0, 1, "%zu values", count);
    }
}
