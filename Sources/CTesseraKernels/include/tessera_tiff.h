#ifndef TESSERA_TIFF_KERNELS_H
#define TESSERA_TIFF_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/// Unpacks LZW as TIFF 6.0 (section 13) defines it: codes of 9 to 12 bits from the highest bit down, which grow one entry
/// early. Ends when `into` is full, at the end code, or with the input.
/// @return The number of bytes unpacked; -1 for an invalid code or another kind of LZW.
ptrdiff_t tessera_lzw_unpack(const uint8_t *from, size_t length, uint8_t *into, size_t capacity);

/// Adds to each byte of a row the one `step` bytes before it: undoes horizontal differencing of 8-bit samples.
void tessera_add_left(uint8_t *row, size_t length, size_t step);

/// As above for 16-bit samples in native byte order, which may begin at any byte; `count` and `step` are in samples.
void tessera_add_left_wide(uint8_t *row, size_t count, size_t step);

#endif
