#include "tessera_jpeg_coding.h"

#include "processor.h"

#include <math.h>
#include <string.h>

// Pixels to quantized coefficients. Written once, in vectors of eight floats, which the compiler makes of what the processor
// has; no product is contracted with a sum, so the results are the same everywhere.
#pragma STDC FP_CONTRACT OFF

typedef float Floats __attribute__((vector_size(32)));
typedef int32_t Words __attribute__((vector_size(32)));

#define INLINE static inline __attribute__((always_inline))

enum { SIDE = 8, BLOCK = 64 };

/// cos((2x + 1)uπ / 16) / 2, and for u = 0 an eighth's root: row u has the weights of x.
static const float cosines[SIDE][SIDE] = {
    {0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f},
    {0.490392640f, 0.415734806f, 0.277785117f, 0.097545161f, -0.097545161f, -0.277785117f, -0.415734806f, -0.490392640f},
    {0.461939766f, 0.191341716f, -0.191341716f, -0.461939766f, -0.461939766f, -0.191341716f, 0.191341716f, 0.461939766f},
    {0.415734806f, -0.097545161f, -0.490392640f, -0.277785117f, 0.277785117f, 0.490392640f, 0.097545161f, -0.415734806f},
    {0.353553391f, -0.353553391f, -0.353553391f, 0.353553391f, 0.353553391f, -0.353553391f, -0.353553391f, 0.353553391f},
    {0.277785117f, -0.490392640f, 0.097545161f, 0.415734806f, -0.415734806f, -0.097545161f, 0.490392640f, -0.277785117f},
    {0.191341716f, -0.461939766f, 0.461939766f, -0.191341716f, -0.191341716f, 0.461939766f, -0.461939766f, 0.191341716f},
    {0.097545161f, -0.277785117f, 0.415734806f, -0.490392640f, 0.490392640f, -0.415734806f, 0.277785117f, -0.097545161f},
};

/// The place of each coefficient of a zigzag scan (ITU-T T.81, figure A.6).
static const uint8_t zigzag[BLOCK] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

/// An MCU's samples, luma first.
typedef struct {
    float values[3][2 * SIDE][2 * SIDE];
} Samples;

/// The transform of 8×8 samples, `stride` floats apart (T.81, A.3.3).
INLINE void transform(const float *samples, size_t stride, float *coefficients) {
    Floats rows[SIDE], sums[4], differences[4];
    for (size_t y = 0; y < SIDE; y++)
        memcpy(&rows[y], samples + y * stride, sizeof rows[y]);
    for (size_t y = 0; y < 4; y++) {
        sums[y] = rows[y] + rows[7 - y];
        differences[y] = rows[y] - rows[7 - y];
    }
    float turned[SIDE][SIDE];
    for (size_t v = 0; v < SIDE; v++) {
        const Floats *halves = v % 2 ? differences : sums;
        const Floats row = cosines[v][0] * halves[0] + cosines[v][1] * halves[1] + cosines[v][2] * halves[2]
                           + cosines[v][3] * halves[3];
        memcpy(turned[v], &row, sizeof row);
    }
    Floats columns[SIDE];
    for (size_t x = 0; x < SIDE; x++)
        for (size_t u = 0; u < SIDE; u++)
            columns[x][u] = cosines[u][x];
    for (size_t v = 0; v < SIDE; v++) {
        Floats row = turned[v][0] * columns[0];
        for (size_t x = 1; x < SIDE; x++)
            row += turned[v][x] * columns[x];
        memcpy(coefficients + v * SIDE, &row, sizeof row);
    }
}

/// The cube root of a positive number, to a thousandth: a guess by the exponent, and a step of Halley's.
INLINE float cube_root(float number) {
    int32_t word;
    memcpy(&word, &number, sizeof word);
    word = word / 3 + 709952000;
    float root;
    memcpy(&root, &word, sizeof root);
    const float cube = root * root * root;
    return root * (cube + number + number) / (cube + cube + number);
}

/// Chooses values for a block's coefficients: those with the least sum of weighed squared error and of what their codes cost.
///
/// Each coefficient is rounded to the nearest value, to the one below it, or to zero. The search goes from one coefficient
/// that isn't zero to the next, as the codes do (T.81, F.1.2.2), and keeps the cheapest way to each.
static void choose_values(const float *coefficients, const tessera_jpeg_quantization *quantization, size_t kind,
                          const tessera_jpeg_blocks *blocks, size_t block) {
    const float *steps = quantization->steps[kind], *inverses = quantization->inverses[kind];
    const float *weights = quantization->weights[kind];
    const uint8_t *lengths = quantization->lengths[kind > 0];
    float sizes[BLOCK], squares[BLOCK];
    Floats energies;
    memset(&energies, 0, sizeof energies);
    for (size_t at = 0; at < BLOCK; at += SIDE) {
        Floats value, inverse, weight;
        memcpy(&value, coefficients + at, sizeof value);
        memcpy(&inverse, inverses + at, sizeof inverse);
        memcpy(&weight, weights + at, sizeof weight);
        const Floats square = value * value, weighed = square * weight;
        energies += square;
        memcpy(squares + at, &weighed, sizeof weighed);
        value *= inverse;
        value = (Floats)((Words)value & 0x7FFFFFFF);
        memcpy(sizes + at, &value, sizeof value);
    }
    int16_t *values = blocks->values + block * BLOCK;
    memset(values, 0, BLOCK * sizeof *values);
    const float dc = coefficients[0] * inverses[0];
    values[0] = (int16_t)(dc < 0 ? dc - 0.5f : dc + 0.5f);

    float energy = -coefficients[0] * coefficients[0];
    for (size_t lane = 0; lane < SIDE; lane++)
        energy += energies[lane];
    // Texture hides errors, so a bit is worth more of them there.
    const float bit = quantization->bit_costs[kind]
                      * ((energy > 0 ? cube_root(energy) : 0) + quantization->smooth_costs[kind]);

    // The coefficients that may be kept, after a first one that stands for the start.
    struct {
        float cost, error_before;
        int16_t value;
        uint8_t place, from;
    } ways[BLOCK];
    size_t count = 1;
    ways[0].cost = 0;
    ways[0].error_before = 0;
    ways[0].place = 0;
    // The error of zeros in place of all coefficients so far.
    float error = 0;
    size_t first = 0;
    for (size_t place = 1; place < BLOCK; place++) {
        const size_t at = zigzag[place];
        const float size = sizes[at];
        if (size < 0.5f) {
            error += squares[at];
            continue;
        }
        const int nearest = (int)(size + 0.5f);
        const float step = steps[at];
        float best = INFINITY;
        int value = 0;
        size_t from = 0;
        for (int trial = nearest; trial > 0 && trial >= nearest - 1; trial--) {
            const float distance = (size - (float)trial) * step;
            const unsigned bits = 32 - (unsigned)__builtin_clz((unsigned)trial);
            const float own = weights[at] * distance * distance + error;
            for (size_t way = first; way < count; way++) {
                const unsigned run = (unsigned)(place - ways[way].place) - 1;
                const unsigned length = bits + (run >> 4) * lengths[0xF0] + lengths[(run & 15) << 4 | bits];
                const float cost = ways[way].cost - ways[way].error_before + own + bit * (float)length;
                if (cost < best) {
                    best = cost;
                    value = trial;
                    from = way;
                }
            }
            // The value below is worth a thought only where the coefficient lies between the two.
            if (size > (float)nearest) break;
        }
        error += squares[at];
        ways[count].cost = best;
        ways[count].error_before = error;
        ways[count].value = (int16_t)(coefficients[at] < 0 ? -value : value);
        ways[count].place = (uint8_t)place;
        ways[count].from = (uint8_t)from;
        // A large coefficient is never left out, so no way goes past it.
        if (nearest > 2) first = count;
        count++;
    }
    float best = INFINITY;
    size_t last = 0;
    for (size_t way = first; way < count; way++) {
        const float cost = ways[way].cost + error - ways[way].error_before + (ways[way].place < 63 ? bit * lengths[0] : 0);
        if (cost < best) {
            best = cost;
            last = way;
        }
    }
    uint64_t mask = values[0] != 0;
    for (; last > 0; last = ways[last].from) {
        values[ways[last].place] = ways[last].value;
        mask |= 1ull << ways[last].place;
    }
    blocks->masks[block] = mask;
}

/// Eight pixels of four bytes as luma and chroma (JFIF), which are from -128 to 127.
INLINE void convert(const uint8_t *pixels, float *luma, float *blue, float *red) {
    Words words;
    memcpy(&words, pixels, sizeof words);
    const Floats r = __builtin_convertvector(words & 255, Floats);
    const Floats g = __builtin_convertvector(words >> 8 & 255, Floats);
    const Floats b = __builtin_convertvector(words >> 16 & 255, Floats);
    const Floats y = 0.299f * r + 0.587f * g + 0.114f * b - 128;
    const Floats cb = -0.168735892f * r - 0.331264108f * g + 0.5f * b;
    const Floats cr = 0.5f * r - 0.418687589f * g - 0.081312411f * b;
    memcpy(luma, &y, sizeof y);
    memcpy(blue, &cb, sizeof cb);
    memcpy(red, &cr, sizeof cr);
}

/// Halves chroma in place, in the directions in which it is.
INLINE void subsample(float (*plane)[2 * SIDE], size_t horizontal, size_t vertical) {
    for (size_t y = 0; y < SIDE; y++) {
        const float *upper = plane[y * vertical], *lower = plane[(y + 1) * vertical - 1];
        for (size_t x = 0; x < SIDE; x++) {
            const size_t left = x * horizontal, right = (x + 1) * horizontal - 1;
            plane[y][x] = (upper[left] + upper[right] + lower[left] + lower[right]) * 0.25f;
        }
    }
}

/// Eight grey pixels as luma.
INLINE void convert_grays(const uint8_t *pixels, float *luma) {
    for (size_t x = 0; x < SIDE; x++)
        luma[x] = (float)pixels[x] - 128;
}

INLINE void quantize(const tessera_jpeg_quantization *quantization, const uint8_t *pixels, size_t bytes_per_row, size_t width,
                     size_t height, const tessera_jpeg_blocks *luma, const tessera_jpeg_blocks *chroma) {
    const size_t horizontal = quantization->horizontal, vertical = quantization->vertical;
    const size_t columns = SIDE * horizontal, rows = SIDE * vertical, pixelSize = chroma ? 4 : 1;
    Samples samples;
    float coefficients[BLOCK];
    uint8_t edge[2 * SIDE * 4];
    for (size_t mcu = 0; mcu * columns < width; mcu++) {
        const size_t left = mcu * columns, have = width - left < columns ? width - left : columns;
        for (size_t y = 0; y < rows; y++) {
            const uint8_t *row = pixels + (y < height ? y : height - 1) * bytes_per_row + left * pixelSize;
            if (have < columns) {
                // Beyond the edge the last pixel goes on.
                memcpy(edge, row, have * pixelSize);
                for (size_t x = have; x < columns; x++)
                    memcpy(edge + x * pixelSize, row + (have - 1) * pixelSize, pixelSize);
                row = edge;
            }
            for (size_t x = 0; x < columns; x += SIDE)
                if (chroma)
                    convert(row + x * 4, samples.values[0][y] + x, samples.values[1][y] + x, samples.values[2][y] + x);
                else
                    convert_grays(row + x, samples.values[0][y] + x);
        }
        for (size_t y = 0; y < vertical; y++)
            for (size_t x = 0; x < horizontal; x++) {
                transform(&samples.values[0][y * SIDE][x * SIDE], 2 * SIDE, coefficients);
                choose_values(coefficients, quantization, 0, luma + y, mcu * horizontal + x);
            }
        if (!chroma) continue;
        for (size_t plane = 1; plane < 3; plane++) {
            if (horizontal * vertical > 1) subsample(samples.values[plane], horizontal, vertical);
            transform(&samples.values[plane][0][0], 2 * SIDE, coefficients);
            choose_values(coefficients, quantization, plane, chroma + plane - 1, mcu);
        }
    }
}

#if defined(AVX2)
AVX2 static void quantize_avx2(const tessera_jpeg_quantization *quantization, const uint8_t *pixels, size_t bytes_per_row,
                               size_t width, size_t height, const tessera_jpeg_blocks *luma, const tessera_jpeg_blocks *chroma) {
    quantize(quantization, pixels, bytes_per_row, width, height, luma, chroma);
}
#endif

void tessera_jpeg_quantize(const tessera_jpeg_quantization *quantization, const uint8_t *pixels, size_t bytes_per_row,
                           size_t width, size_t height, const tessera_jpeg_blocks *luma, const tessera_jpeg_blocks *chroma) {
#if defined(AVX2)
    if (tessera_has_avx2()) return quantize_avx2(quantization, pixels, bytes_per_row, width, height, luma, chroma);
#endif
    quantize(quantization, pixels, bytes_per_row, width, height, luma, chroma);
}
