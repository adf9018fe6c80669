#include "tessera_gathering.h"

// Steps through the source may be whole rows, so pieces of it are taken that stay in the cache.
enum { SIDE = 32 };

void tessera_gather_bytes(const uint8_t *source, ptrdiff_t step_x, ptrdiff_t step_y, uint8_t *target, size_t stride,
                          size_t width, size_t height) {
    for (size_t top = 0; top < height; top += SIDE)
        for (size_t left = 0; left < width; left += SIDE) {
            const size_t bottom = height - top < SIDE ? height : top + SIDE;
            const size_t right = width - left < SIDE ? width : left + SIDE;
            for (size_t y = top; y < bottom; y++) {
                const uint8_t *from = source + (ptrdiff_t)left * step_x + (ptrdiff_t)y * step_y;
                for (size_t x = left; x < right; x++, from += step_x) target[y * stride + x] = *from;
            }
        }
}
