#include "CTesseraKernels.h"
#include "harness.h"

void test_halving(enum place place) {
    for (size_t count = 0; count < 140; count++) {
        const uint8_t *upper = row(2, 2 * count, place), *lower = row(3, 2 * count, place);
        tessera_halve_bytes(upper, lower, row(0, count, place), count);
        tessera_halve_bytes_scalar(upper, lower, row(1, count, place), count);
        compare("tessera_halve_bytes", 0, 1, "%zu bytes", count);
        upper = row(2, 8 * count, place), lower = row(3, 8 * count, place);
        tessera_halve_pixels(upper, lower, row(0, 4 * count, place), count);
        tessera_halve_pixels_scalar(upper, lower, row(1, 4 * count, place), count);
        compare("tessera_halve_pixels", 0, 1, "%zu pixels", count);
    }
}
