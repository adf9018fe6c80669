#include "CTesseraKernels.h"
#include "harness.h"

#include <math.h>
#include <string.h>

// Quantized coefficients against a transform in double precision, and against every choice that there is.

enum { BLOCK = 64 };

static const uint8_t zigzag[BLOCK] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

static tessera_jpeg_quantization quantization_with(int step, float cost, uint8_t horizontal, uint8_t vertical) {
    tessera_jpeg_quantization result;
    memset(&result, 0, sizeof result);
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < BLOCK; i++) {
            result.steps[kind][i] = (float)(step + i % 8 + i / 8 + kind);
            result.inverses[kind][i] = 1 / result.steps[kind][i];
            result.weights[kind][i] = 1 / (1 + (float)(i % 8 + i / 8 + kind) / 10);
        }
        result.bit_costs[kind] = cost * (float)(kind + 1);
        result.smooth_costs[kind] = 2 - (float)kind / 2;
        for (int symbol = 0; kind < 2 && symbol < 256; symbol++)
            result.lengths[kind][symbol] = (uint8_t)(2 + (symbol >> 4) + (symbol & 15) > 16 ? 16 : 2 + (symbol >> 4) + (symbol & 15));
    }
    result.horizontal = horizontal;
    result.vertical = vertical;
    return result;
}

/// The transform of a component's block at (`left`, `top`) of its samples: 0 luma, 1 and 2 chroma, 3 grey.
static void transform(const uint8_t *pixels, size_t width, size_t height, int component, size_t horizontal, size_t vertical,
                      size_t left, size_t top, double *coefficients) {
    double samples[8][8];
    for (size_t y = 0; y < 8; y++)
        for (size_t x = 0; x < 8; x++) {
            double sum = 0;
            for (size_t v = 0; v < vertical; v++)
                for (size_t h = 0; h < horizontal; h++) {
                    size_t column = (left + x) * horizontal + h, line = (top + y) * vertical + v;
                    column = column < width ? column : width - 1;
                    line = line < height ? line : height - 1;
                    if (component == 3) {
                        sum += pixels[line * width + column] - 128.0;
                        continue;
                    }
                    const uint8_t *p = pixels + 4 * (line * width + column);
                    sum += component == 0   ? 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2] - 128
                           : component == 1 ? -0.168735892 * p[0] - 0.331264108 * p[1] + 0.5 * p[2]
                                            : 0.5 * p[0] - 0.418687589 * p[1] - 0.081312411 * p[2];
                }
            samples[y][x] = sum / (double)(horizontal * vertical);
        }
    for (int v = 0; v < 8; v++)
        for (int u = 0; u < 8; u++) {
            double sum = 0;
            for (int y = 0; y < 8; y++)
                for (int x = 0; x < 8; x++)
                    sum += samples[y][x] * cos((2 * x + 1) * u * M_PI / 16) * cos((2 * y + 1) * v * M_PI / 16);
            coefficients[8 * v + u] = sum / 4 * (u ? 1 : sqrt(0.5)) * (v ? 1 : sqrt(0.5));
        }
}

/// A block's cost: its squared errors, and its bits at their price. Values are in zigzag order.
static double cost_of(const double *coefficients, const int16_t *values, const tessera_jpeg_quantization *q, int kind) {
    const uint8_t *lengths = q->lengths[kind > 0];
    double energy = 0, error = 0;
    unsigned bits = 0, run = 0;
    for (int place = 1; place < BLOCK; place++) {
        const int at = zigzag[place];
        energy += coefficients[at] * coefficients[at];
        const double distance = coefficients[at] - values[place] * (double)q->steps[kind][at];
        error += (double)q->weights[kind][at] * distance * distance;
        if (values[place] == 0) {
            run++;
            continue;
        }
        for (; run > 15; run -= 16) bits += lengths[0xF0];
        unsigned size = 0;
        for (int rest = values[place] < 0 ? -values[place] : values[place]; rest > 0; rest >>= 1) size++;
        bits += size + lengths[run << 4 | size];
        run = 0;
    }
    if (run > 0) bits += lengths[0];
    return error + (double)q->bit_costs[kind] * (cbrt(energy) + (double)q->smooth_costs[kind]) * bits;
}

static void check_block(const double *coefficients, const tessera_jpeg_blocks *blocks, size_t block,
                        const tessera_jpeg_quantization *q, int kind, const char *detail) {
    const int16_t *values = blocks->values + block * BLOCK;
    uint64_t mask = 0;
    for (int place = 0; place < BLOCK; place++)
        mask |= (uint64_t)(values[place] != 0) << place;
    compare_numbers("tessera_jpeg_quantize", blocks->masks[block], mask, "%s: mask", detail);
    int16_t nearest[BLOCK], trial[BLOCK];
    int places[BLOCK], count = 0;
    for (int place = 0; place < BLOCK; place++) {
        const int at = zigzag[place];
        const double value = coefficients[at] / (double)q->steps[kind][at];
        nearest[place] = (int16_t)lround(value);
        // Values halfway between two may go either way.
        const int is_clear = fabs(value - floor(value) - 0.5) > 1e-3;
        if (q->bit_costs[0] == 0 || place == 0)
            compare_numbers("tessera_jpeg_quantize", (uint64_t)(!is_clear || values[place] == nearest[place]), 1,
                            "%s: coefficient %d is %d, not %d", detail, place, values[place], nearest[place]);
        if (place > 0 && nearest[place] != 0) places[count++] = place;
    }
    if (q->bit_costs[0] == 0) return;
    const double found = cost_of(coefficients, values, q, kind);
    compare_numbers("tessera_jpeg_quantize", found <= cost_of(coefficients, nearest, q, kind) * 1.002 + 0.01, 1,
                    "%s: dearer than the nearest values", detail);
    if (count > 9) return;
    // Every coefficient kept or zero.
    for (int kept = 0; kept < 1 << count; kept++) {
        memcpy(trial, nearest, sizeof trial);
        int leaves_out_large = 0;
        for (int i = 0; i < count; i++)
            if (!(kept >> i & 1)) {
                leaves_out_large |= nearest[places[i]] > 2 || nearest[places[i]] < -2;
                trial[places[i]] = 0;
            }
        if (leaves_out_large) continue;
        compare_numbers("tessera_jpeg_quantize", found <= cost_of(coefficients, trial, q, kind) * 1.002 + 0.01, 1,
                        "%s: dearer than choice %d", detail, kept);
    }
}

static void test_quantizing(size_t width, size_t height, uint8_t horizontal, uint8_t vertical, int step, float cost, int is_gray,
                            enum place place) {
    const tessera_jpeg_quantization q = quantization_with(step, cost, horizontal, vertical);
    const size_t pixel_size = is_gray ? 1 : 4, columns = 8u * horizontal, units = (width + columns - 1) / columns;
    uint8_t *pixels = row(0, width * height * pixel_size, place);
    // Smooth, with some grain, as pictures are.
    const int slope = random_between(0, 9);
    for (size_t i = 0; i < width * height * pixel_size; i++)
        pixels[i] = (uint8_t)(60 + (int)(i / pixel_size % width) * slope % 120 + random_between(0, 12));
    const size_t counts[4] = {units * horizontal, units * horizontal, units, units};
    tessera_jpeg_blocks rows[4];
    for (int i = 0; i < (is_gray ? 2 : 4); i++) {
        rows[i].values = row(1 + 2 * i, counts[i] * BLOCK * sizeof(int16_t), place);
        rows[i].masks = row(2 + 2 * i, counts[i] * sizeof(uint64_t), place);
    }
    tessera_jpeg_quantize(&q, pixels, width * pixel_size, width, height, rows, is_gray ? NULL : rows + 2);
    double coefficients[BLOCK];
    for (size_t y = 0; y < vertical; y++)
        for (size_t x = 0; x < units * horizontal; x++) {
            transform(pixels, width, height, is_gray ? 3 : 0, 1, 1, 8 * x, 8 * y, coefficients);
            check_block(coefficients, rows + y, x, &q, 0, "luma");
        }
    for (size_t x = 0; !is_gray && x < units; x++) {
        transform(pixels, width, height, 1, horizontal, vertical, 8 * x, 0, coefficients);
        check_block(coefficients, rows + 2, x, &q, 1, "blue");
        transform(pixels, width, height, 2, horizontal, vertical, 8 * x, 0, coefficients);
        check_block(coefficients, rows + 3, x, &q, 2, "red");
    }
}

void test_jpeg_forward(enum place place) {
    for (size_t width = 1; width <= 35; width += 2)
        for (uint8_t horizontal = 1; horizontal <= 2; horizontal++)
            for (uint8_t vertical = 1; vertical <= 2; vertical++) {
                const size_t height = width % (8u * vertical) + 1;
                test_quantizing(width, height, horizontal, vertical, 3, 0, 0, place);
                test_quantizing(width, height, horizontal, vertical, 12, 4, 0, place);
                test_quantizing(width, height, horizontal, vertical, 20, 30, 0, place);
                if (horizontal * vertical == 1) test_quantizing(width, height, 1, 1, 10, 6, 1, place);
            }
}
