#ifndef CPEERJPEG_H
#define CPEERJPEG_H

#include <stddef.h>
#include <stdint.h>

/// Reads a JPEG's size. Returns 0, or -1 where libjpeg finds an error.
int peer_jpeg_size(const uint8_t *bytes, size_t count, int *width, int *height);

/// Decodes a JPEG to rows of RGBA at a number of eighths of its size: the loop that a C program would write over libjpeg-turbo,
/// with its default IDCT and upsampling; with `previews` in buffered-image mode, once for each scan. `pixels` has room for
/// height × bytes_per_row. Returns 0, or -1 where libjpeg finds an error.
int peer_jpeg_decode(
    const uint8_t *bytes, size_t count, int eighths, int previews, uint8_t *pixels, size_t bytes_per_row);

#endif
