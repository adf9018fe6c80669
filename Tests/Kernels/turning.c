#include "CTesseraKernels.h"
#include "harness.h"
#include "scalar.h"

#include <string.h>

// Transposition

static void transpose(const uint8_t *source, ptrdiff_t source_stride, uint8_t *target, ptrdiff_t target_stride,
                      size_t width, size_t height) {
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            memcpy(target + (ptrdiff_t)x * target_stride + 4 * y, source + (ptrdiff_t)y * source_stride + 4 * x, 4);
}

static void test_transposing(size_t width, size_t height, int flips, enum place place) {
    const size_t size = 4 * width * height;
    const uint8_t *source = row(2, size, place);
    uint8_t *fast = row(0, size, place), *slow = row(1, size, place);
    ptrdiff_t from = 4 * (ptrdiff_t)width, to = 4 * (ptrdiff_t)height;
    if (flips & 1) source += from * ((ptrdiff_t)height - 1), from = -from;
    if (flips & 2) fast += to * ((ptrdiff_t)width - 1), slow += to * ((ptrdiff_t)width - 1), to = -to;
    tessera_transpose_pixels(source, from, fast, to, width, height);
    transpose(source, from, slow, to, width, height);
    compare("tessera_transpose_pixels", 0, 1, "%zu × %zu, flips %d", width, height, flips);
}

static void test_gathering(size_t width, size_t height, enum place place) {
    // A plane of `height` columns, turned to `height` rows.
    const uint8_t *source = row(2, width * height, place);
    uint8_t *fast = row(0, width * height, place), *slow = row(1, width * height, place);
    tessera_gather_bytes(source, (ptrdiff_t)height, 1, fast, width, width, height);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) slow[y * width + x] = source[x * height + y];
    compare("tessera_gather_bytes", 0, 1, "%zu × %zu", width, height);
}

// Rotation

enum { WIDTH = 40, HEIGHT = 30, PHASES = 1024 };

static int16_t weights[8 * PHASES];

// Catmull-Rom's, 16384 for 1, each twice; what rounding takes goes to the second one.
static void make_weights(void) {
    for (int phase = 0; phase < PHASES; phase++) {
        const double t = phase / (double)PHASES;
        const double w[4] = {
            ((-t + 2) * t - 1) * t / 2, ((3 * t - 5) * t * t + 2) / 2, ((-3 * t + 4) * t + 1) * t / 2, (t - 1) * t * t / 2};
        int16_t *eight = weights + 8 * phase;
        int rest = 16384;
        for (int i = 0; i < 4; i++) {
            eight[2 * i] = (int16_t)(w[i] * 16384);
            rest -= eight[2 * i];
        }
        eight[2] = (int16_t)(eight[2] + rest);
        for (int i = 0; i < 4; i++) eight[2 * i + 1] = eight[2 * i];
    }
}

static void turn(const uint8_t *source, ptrdiff_t stride, int64_t x, int64_t y, int64_t step_x, int64_t step_y,
                 uint8_t *target, size_t count) {
    for (size_t i = 0; i < count; i++, x += step_x, y += step_y) {
        const uint8_t *first = source + ((y >> 32) - 1) * stride + ((x >> 32) - 1) * 4;
        const int16_t *across = weights + 8 * (x >> 22 & 1023), *down = weights + 8 * (y >> 22 & 1023);
        uint8_t pixel[4];
        for (int c = 0; c < 4; c++) {
            int32_t sum = 0;
            for (int column = 0; column < 4; column++) {
                int32_t value = 0;
                for (int line = 0; line < 4; line++)
                    value += product_15(first[line * stride + 4 * column + c] << 7, down[2 * line]);
                sum += product_15((int16_t)value, across[2 * column]);
            }
            pixel[c] = limited(((int16_t)sum + 16) >> 5);
        }
        for (int c = 0; c < 4; c++) target[4 * i + (size_t)c] = least(pixel[c], pixel[3]);
    }
}

static void test_rotation(size_t count, enum place place) {
    const uint8_t *source = row(2, 4 * WIDTH * HEIGHT, place);
    // From one corner of what has sixteen neighbours to the opposite one, either way.
    const int64_t one = (int64_t)1 << 32, wide = (WIDTH - 3) * one - 1, high = (HEIGHT - 3) * one - 1;
    const int64_t steps = count > 1 ? (int64_t)count - 1 : 1;
    for (int way = 0; way < 4; way++) {
        const int64_t step_x = wide / steps, step_y = high / steps;
        const int64_t x = one + (way & 1 ? step_x * steps : 0), y = one + (way & 2 ? step_y * steps : 0);
        uint8_t *fast = row(0, 4 * count, place), *slow = row(1, 4 * count, place);
        const int64_t by_x = way & 1 ? -step_x : step_x, by_y = way & 2 ? -step_y : step_y;
        tessera_turn_pixels(source, 4 * WIDTH, x, y, by_x, by_y, weights, fast, count);
        turn(source, 4 * WIDTH, x, y, by_x, by_y, slow, count);
        compare("tessera_turn_pixels", 0, 1, "%zu pixels, way %d", count, way);
    }
}

void test_turning(enum place place) {
    for (size_t width = 1; width < 36; width += width < 20 ? 1 : 5)
        for (size_t height = 1; height < 36; height += height < 20 ? 1 : 5) {
            for (int flips = 0; flips < 4; flips++) test_transposing(width, height, flips, place);
            test_gathering(width, 2 * height, place);
        }
    make_weights();
    for (size_t count = 0; count < 70; count++) test_rotation(count, place);
}
