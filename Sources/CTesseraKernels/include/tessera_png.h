#ifndef TESSERA_PNG_H
#define TESSERA_PNG_H

#include <stddef.h>
#include <stdint.h>

/// PNG's row filters (ISO/IEC 15948, clause 9).
///
/// A row in memory is its filter's number and then `row_bytes` bytes; `bpp` is the distance in bytes to the pixel on
/// the left: 1, 2, 3, 4, 6 or 8. `prior` is the row above without its filter's number, or NULL above the first one.

/// Undoes the filters of `count` rows in place. Rows begin `row_bytes + 1` bytes apart, and eight bytes behind the last
/// one and behind `prior` must be readable. The filters' numbers stay.
/// Returns how many rows were undone: less than `count` when a filter's number is not one.
size_t tessera_png_unfilter(uint8_t *rows, size_t count, size_t row_bytes, unsigned bpp, const uint8_t *prior);

/// The same, byte by byte, as the standard has it.
size_t tessera_png_unfilter_scalar(uint8_t *rows, size_t count, size_t row_bytes, unsigned bpp, const uint8_t *prior);

/// Writes `row` to `out`, its filter's number first, with the filter whose residuals have the least sum of magnitudes.
/// Of the first `filters`, 1 to 5, that is. Ties go to the simpler filter. Needs no memory beyond the row's ends.
void tessera_png_filter_adaptive(
    uint8_t *out, const uint8_t *row, const uint8_t *prior, size_t row_bytes, unsigned bpp, unsigned filters);

/// Writes `row` to `out`, its filter's number first, with the given filter, 0 to 4.
void tessera_png_filter(
    uint8_t *out, const uint8_t *row, const uint8_t *prior, size_t row_bytes, unsigned bpp, unsigned filter);

/// The sum of the magnitudes of the residuals of one filter, taken as signed bytes.
uint64_t tessera_png_filter_cost(
    const uint8_t *row, const uint8_t *prior, size_t row_bytes, unsigned bpp, unsigned filter);

#endif
