#include "CTesseraKernels.h"
#include "harness.h"

#include <math.h>
#include <string.h>

// Floats whose sums are rounded in another order differ in their last bits: results are compared in steps of a millionth.
static void compare_floats(const char *kernel, const float *fast, const double *slow, size_t count, size_t width) {
    for (size_t x = 0; x < count; x++) {
        const double scale = fabs(slow[x]) > 1 ? fabs(slow[x]) : 1;
        const int is_close = fabs((double)fast[x] - slow[x]) <= 2e-6 * scale;
        compare_numbers(kernel, (uint64_t)is_close, 1, "%zu of %zu values: %g, not %g", x, width, (double)fast[x], slow[x]);
    }
}

static float *floats(int index, size_t count, enum place place) {
    float *values = row(index, count * sizeof(float), place);
    for (size_t x = 0; x < count; x++) values[x] = (float)random_between(0, 65535) / 65535;
    return values;
}

static void test_xyb(size_t count, enum place place) {
    const float *red = floats(0, count, place), *green = floats(1, count, place), *blue = floats(2, count, place);
    float *results[3];
    for (int i = 0; i < 3; i++) results[i] = row(3 + i, count * sizeof(float), place);
    tessera_similarity_xyb(red, green, blue, results[0], results[1], results[2], count);
    double expected[3][64];
    for (size_t i = 0; i < count; i++) {
        const double bias = 0.0037930732552754493, r = (double)red[i], g = (double)green[i], b = (double)blue[i];
        const double first = cbrt(0.3 * r + 0.622 * g + 0.078 * b + bias) - cbrt(bias);
        const double second = cbrt(0.23 * r + 0.692 * g + 0.078 * b + bias) - cbrt(bias);
        const double third = cbrt(0.24342268924547819 * r + 0.20476744424496821 * g + 0.5518098665095536 * b + bias);
        const double light = (first + second) / 2;
        expected[0][i] = (first - second) / 2 * 14 + 0.42;
        expected[1][i] = light + 0.01;
        expected[2][i] = third - cbrt(bias) - light + 0.55;
    }
    for (int i = 0; i < 3; i++) compare_floats("tessera_similarity_xyb", results[i], expected[i], count, count);
}

static const float weights[5] = {0.264621105f, 0.212928592f, 0.109335373f, 0.036011115f, 0.009414368f};

static void test_blur(size_t count, int has_second, enum place place) {
    const float *first = floats(0, count + 8, place) + 4, *second = floats(1, count + 8, place) + 4;
    float *result = row(2, count * sizeof(float), place);
    tessera_similarity_blur(first, has_second ? second : NULL, weights, result, count);
    double expected[64];
    for (size_t x = 0; x < count; x++) {
        expected[x] = 0;
        for (int d = -4; d <= 4; d++) {
            const double value = (double)first[(ptrdiff_t)x + d];
            expected[x] += (double)weights[d < 0 ? -d : d] * value * (has_second ? (double)second[(ptrdiff_t)x + d] : 1);
        }
    }
    compare_floats("tessera_similarity_blur", result, expected, count, count);
}

static void test_compare(size_t count, size_t oldest, enum place place) {
    const size_t stride = count, row_stride = 5 * count;
    float *blurred = floats(0, 9 * row_stride, place);
    // Squares large enough for variances above zero, which divide.
    for (size_t x = 0; x < 9 * row_stride; x++)
        if (x % row_stride / stride == 2 || x % row_stride / stride == 3) blurred[x] += 1;
    const float *first = floats(1, count, place), *second = floats(2, count, place);
    double *sums = row(3, 6 * sizeof(double), place);
    memset(sums, 0, 6 * sizeof(double));
    tessera_similarity_compare(blurred, stride, row_stride, oldest, weights, first, second, count, sums);
    double expected[6] = {0};
    for (size_t x = 0; x < count; x++) {
        double b[5] = {0};
        for (size_t plane = 0; plane < 5; plane++)
            for (int d = -4; d <= 4; d++) {
                const size_t line = (oldest + (size_t)(d + 4)) % 9;
                b[plane] += (double)weights[d < 0 ? -d : d] * (double)blurred[line * row_stride + plane * stride + x];
            }
        const double light = 1 - (b[0] - b[1]) * (b[0] - b[1]), common = 2 * (b[4] - b[0] * b[1]) + 0.0009;
        const double variances = (b[2] - b[0] * b[0]) + (b[3] - b[1] * b[1]) + 0.0009;
        const double change = (1 + fabs((double)second[x] - b[1])) / (1 + fabs((double)first[x] - b[0])) - 1;
        const double errors[3] = {1 - light * common / variances, change, -change};
        for (int i = 0; i < 3; i++) {
            const double error = errors[i] > 0 ? errors[i] : 0;
            expected[2 * i] += error;
            expected[2 * i + 1] += error * error * error * error;
        }
    }
    for (int i = 0; i < 6; i++) {
        const int is_close = fabs(sums[i] - expected[i]) <= 1e-3 * (1 + expected[i]);
        compare_numbers(
            "tessera_similarity_compare", (uint64_t)is_close, 1, "sum %d of %zu: %g, not %g", i, count, sums[i], expected[i]);
    }
}

static void test_halve(size_t count, enum place place) {
    const float *upper = floats(0, count, place), *lower = floats(1, count, place);
    const size_t half = (count + 1) / 2;
    float *result = row(2, half * sizeof(float), place);
    tessera_similarity_halve(upper, lower, result, count);
    double expected[64];
    for (size_t x = 0; x < half; x++) {
        const size_t left = 2 * x, right = left + 1 < count ? left + 1 : left;
        expected[x] = ((double)upper[left] + (double)upper[right] + (double)lower[left] + (double)lower[right]) / 4;
    }
    compare_floats("tessera_similarity_halve", result, expected, half, count);
}

void test_similarity(enum place place) {
    for (size_t count = 1; count <= 41; count++) {
        test_xyb(count, place);
        test_blur(count, 0, place);
        test_blur(count, 1, place);
        test_halve(count, place);
        test_compare(count, count % 9, place);
    }
}
