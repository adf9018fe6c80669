#include "CTesseraKernels.h"
#include "harness.h"

#include <string.h>

/// Random masks of blocks of coefficients: with DC alone, with the first ten in zigzag order, and with any. The
/// coefficients without a bit become zero, but for blocks of DC alone, whose others aren't read.
static void choose_masks(uint64_t *masks, int16_t *coefficients, size_t count) {
    for (size_t i = 0; i < count; i++) {
        masks[i] = next_random() % 4 == 0 ? 0 : next_random() % 2 ? 0x3FE : ~0ull;
        for (int at = 0; at < 64 && masks[i] == 0x3FE; at++)
            if (at / 8 + at % 8 > 3)
                coefficients[64 * i + (size_t)at] = 0;
    }
}

static void test_inverse_dct(enum place place) {
    for (size_t count = 0; count < 20; count++)
        for (int round = 0; round < 8; round++) {
            const unsigned bits = round % 2 ? 12 : 8;
            // Coefficients so small that 16 bits hold every sum, others, and any.
            const int32_t largest = round < 2 ? 9 : round < 4 ? 60 : 32767;
            int16_t *coefficients = values_between(2, 64 * count, -largest, largest, place);
            uint16_t *steps = row(3, 128, place);
            for (int i = 0; i < 64; i++)
                steps[i] = (uint16_t)random_between(1, round < 6 ? 99 : 65535);
            uint64_t *masks = row(4, 8 * count, place);
            choose_masks(masks, coefficients, count);
            const size_t stride = 8 * count;
            uint16_t *fast = row(0, 8 * 2 * stride, place), *scalar = row(1, 8 * 2 * stride, place);
            const bool fits = tessera_jpeg_inverse_dct(coefficients, masks, count, steps, bits, fast, stride);
            const bool fits_too =
                tessera_jpeg_inverse_dct_scalar(coefficients, masks, count, steps, bits, scalar, stride);
            compare_numbers("tessera_jpeg_inverse_dct", fits, fits_too, "%zu blocks up to %d", count, (int)largest);
            compare("tessera_jpeg_inverse_dct", 0, 1, "%zu blocks of %u bits, up to %d", count, bits, (int)largest);
        }
}

static void test_reduced_inverse_dct(enum place place) {
    for (size_t count = 0; count < 20; count++)
        for (int round = 0; round < 24; round++) {
            const unsigned bits = round % 2 ? 12 : 8, side = 2u << round / 2 % 2;
            // Coefficients so small that 16 bits hold every sum, others, and any.
            const int32_t largest = round < 6 ? 9 : round < 12 ? 60 : 32767;
            int16_t *coefficients = values_between(2, 64 * count, -largest, largest, place);
            uint16_t *steps = row(3, 128, place);
            for (int i = 0; i < 64; i++)
                steps[i] = (uint16_t)random_between(1, round < 18 ? 99 : 65535);
            uint64_t *masks = row(4, 8 * count, place);
            choose_masks(masks, coefficients, count);
            const size_t stride = side * count, size = 2 * side * stride;
            uint16_t *fast = row(0, size, place), *scalar = row(1, size, place);
            const bool fits =
                tessera_jpeg_reduced_inverse_dct(coefficients, masks, count, steps, bits, side, fast, stride);
            const bool fits_too =
                tessera_jpeg_reduced_inverse_dct_scalar(coefficients, masks, count, steps, bits, side, scalar, stride);
            compare_numbers("tessera_jpeg_reduced_inverse_dct", fits, fits_too, "%zu blocks to %u", count, side);
            compare("tessera_jpeg_reduced_inverse_dct", 0, 1, "%zu blocks to %u of %u bits, up to %d", count, side, bits,
                    (int)largest);
        }
}

static void test_low_inverse_dct(enum place place) {
    for (size_t count = 0; count < 20; count++)
        for (int round = 0; round < 24; round++) {
            const unsigned bits = round % 4 < 2 ? 8 : 12, side = (unsigned[]){2, 3, 4, 6}[round / 2 % 4];
            const int32_t largest = round < 8 ? 60 : 32767;
            int16_t *coefficients = values_between(2, 64 * count, -largest, largest, place);
            uint16_t *steps = row(3, 128, place);
            for (int i = 0; i < 64; i++)
                steps[i] = (uint16_t)random_between(1, round < 16 ? 99 : 65535);
            const size_t stride = side * count, size = 2 * side * stride;
            uint16_t *fast = row(0, size, place), *scalar = row(1, size, place);
            tessera_jpeg_low_inverse_dct(coefficients, count, steps, bits, side, fast, stride);
            tessera_jpeg_low_inverse_dct_scalar(coefficients, count, steps, bits, side, scalar, stride);
            compare("tessera_jpeg_low_inverse_dct", 0, 1, "%zu blocks to %u of %u bits, up to %d", count, side, bits,
                    (int)largest);
        }
}

/// A block's single sample is what libjpeg finds in its table by ten bits, where a mean is far out of range too.
static void test_single_samples(enum place place) {
    for (int mean = -1100; mean < 1100; mean++) {
        int16_t *coefficients = values_between(2, 64, 0, 0, place);
        coefficients[0] = (int16_t)mean;
        uint16_t *sample = row(0, 2, place);
        tessera_jpeg_means(coefficients, 64, 1, 8, 8, sample);
        const int low = mean & 1023, expected = low < 128 ? low + 128 : low < 512 ? 255 : low < 896 ? 0 : low - 896;
        compare_numbers("tessera_jpeg_means", sample[0], (uint64_t)expected, "mean %d", mean);
    }
}

/// Means of DC coefficients that follow each other are those of single ones.
static void test_means(enum place place) {
    for (size_t count = 1; count < 40; count++)
        for (unsigned bits = 8; bits <= 12; bits += 4)
            for (int32_t largest = 40; largest < 32768; largest *= 9) {
                const int16_t *coefficients = values_between(2, count, -largest, largest, place);
                const uint16_t step = (uint16_t)random_between(1, largest < 4000 ? 99 : 65535);
                uint16_t *fast = row(0, 2 * count, place), *single = row(1, 2 * count, place);
                bool fits = true;
                for (size_t i = 0; i < count; i++)
                    fits &= tessera_jpeg_means(coefficients + i, 64, 1, step, bits, single + i);
                const bool fits_too = tessera_jpeg_means(coefficients, 1, count, step, bits, fast);
                compare_numbers("tessera_jpeg_means", fits_too, fits, "%zu blocks up to %d", count, (int)largest);
                compare("tessera_jpeg_means", 0, 1, "%zu blocks of %u bits, up to %d", count, bits, (int)largest);
            }
}

static void test_upsampling(enum place place) {
    for (size_t count = 2; count < 100; count++)
        for (int32_t largest = 255; largest < 5000; largest += 3840) {
            const uint16_t *near = (const uint16_t *)values_between(2, count, 0, largest, place);
            const uint16_t *far = (const uint16_t *)values_between(3, count, 0, largest, place);
            uint16_t *fast = row(0, 4 * count, place), *plain = row(1, 4 * count, place);
            tessera_jpeg_double_columns(near, fast, count);
            for (size_t x = 0; x < 2 * count; x++) {
                const size_t other = x % 2 ? x / 2 + 1 : x / 2 - 1;
                plain[x] = other >= count ? near[x / 2] : (uint16_t)((3 * near[x / 2] + near[other] + 1 + x % 2) / 4);
            }
            compare("tessera_jpeg_double_columns", 0, 1, "%zu samples", count);
            tessera_jpeg_double_both(near, far, fast, count);
            for (size_t x = 0; x < 2 * count; x++) {
                const size_t other = x % 2 ? x / 2 + 1 : x / 2 - 1, beside = other >= count ? x / 2 : other;
                const int sum = 3 * (3 * near[x / 2] + far[x / 2]) + 3 * near[beside] + far[beside];
                plain[x] = (uint16_t)((sum + (x % 2 ? 7 : 8)) / 16);
            }
            compare("tessera_jpeg_double_both", 0, 1, "%zu samples", count);
            fast = row(0, 2 * count, place), plain = row(1, 2 * count, place);
            const unsigned bias = 1 + count % 2;
            tessera_jpeg_double_rows(near, far, bias, fast, count);
            for (size_t x = 0; x < count; x++)
                plain[x] = (uint16_t)((3u * near[x] + far[x] + bias) / 4);
            compare("tessera_jpeg_double_rows", 0, 1, "%zu samples", count);
        }
}

static void test_colors(enum place place) {
    for (size_t count = 0; count < 80; count++) {
        const uint16_t *y = (const uint16_t *)values_between(2, count, 0, 255, place);
        const uint16_t *cb = (const uint16_t *)values_between(3, count, 0, 255, place);
        const uint16_t *cr = (const uint16_t *)values_between(4, count, 0, 255, place);
        tessera_jpeg_rgba8_of_ycc(y, cb, cr, row(0, 4 * count, place), count, false);
        tessera_jpeg_rgba8_of_ycc_scalar(y, cb, cr, row(1, 4 * count, place), count);
        compare("tessera_jpeg_rgba8_of_ycc", 0, 1, "%zu pixels", count);
        // Rows at the beginning of a page are aligned, those at its end are for most counts not.
        tessera_jpeg_rgba8_of_ycc(y, cb, cr, row(0, 4 * count, place), count, true);
        compare("tessera_jpeg_rgba8_of_ycc", 0, 1, "%zu streamed pixels", count);
        uint8_t *bytes = row(6, count, place);
        tessera_jpeg_gray8(y, bytes, count);
        tessera_jpeg_samples_of_bytes(bytes, row(0, 2 * count, place), count);
        memcpy(row(1, 2 * count, place), y, 2 * count);
        compare("tessera_jpeg_samples_of_bytes", 0, 1, "%zu samples", count);
        const uint16_t *black = (const uint16_t *)values_between(5, count, 0, 255, place);
        uint8_t *fast = row(0, 4 * count, place), *plain = row(1, 4 * count, place);
        tessera_jpeg_cmyk8_of_ycck(y, cb, cr, black, fast, count);
        tessera_jpeg_rgba8_of_ycc_scalar(y, cb, cr, plain, count);
        for (size_t i = 0; i < 4 * count; i++)
            plain[i] = i % 4 == 3 ? (uint8_t)black[i / 4] : 255 - plain[i];
        compare("tessera_jpeg_cmyk8_of_ycck", 0, 1, "%zu pixels", count);
    }
}

/// Every pair of chroma samples, at the ends and in the middle of luma.
static void test_chroma(enum place place) {
    for (int luma = 0; luma < 256; luma += 85)
        for (int red = 0; red < 256; red++) {
            uint16_t *y = row(2, 512, place), *cb = row(3, 512, place), *cr = row(4, 512, place);
            for (int blue = 0; blue < 256; blue++) {
                y[blue] = (uint16_t)luma;
                cb[blue] = (uint16_t)blue;
                cr[blue] = (uint16_t)red;
            }
            tessera_jpeg_rgba8_of_ycc(y, cb, cr, row(0, 1024, place), 256, false);
            tessera_jpeg_rgba8_of_ycc_scalar(y, cb, cr, row(1, 1024, place), 256);
            compare("tessera_jpeg_rgba8_of_ycc", 0, 1, "luma %d, red %d", luma, red);
        }
}

void test_jpeg(enum place place) {
    test_inverse_dct(place);
    test_reduced_inverse_dct(place);
    test_low_inverse_dct(place);
    test_single_samples(place);
    test_means(place);
    test_upsampling(place);
    test_colors(place);
    test_chroma(place);
}
