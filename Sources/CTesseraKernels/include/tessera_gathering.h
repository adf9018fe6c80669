#ifndef TESSERA_GATHERING_H
#define TESSERA_GATHERING_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Copies bytes that lie `step_x` apart along a row of the target and `step_y` from row to row: a plane, turned.
void tessera_gather_bytes(const uint8_t *source, ptrdiff_t step_x, ptrdiff_t step_y, uint8_t *target, size_t stride,
                          size_t width, size_t height);

#pragma clang assume_nonnull end

#endif
