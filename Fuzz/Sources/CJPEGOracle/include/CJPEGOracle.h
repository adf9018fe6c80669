#ifndef CJPEG_ORACLE_H
#define CJPEG_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// An image as libjpeg decodes it.
struct jpeg_oracle_image {
    /// The size at the scale.
    uint32_t width, height;
    /// 1 of grey, 4 of RGB with alpha and of CMYK as stored.
    uint32_t bytes_per_pixel;
    /// Whether the samples are stored as YCbCr, or YCCK.
    bool is_ycc;
    /// Whether the coefficients of all scans are read before the first row.
    bool has_multiple_scans;
    /// How many complaints there were, as of damaged data.
    int64_t warning_count;
};

/// Decodes at `scale` eighths, without smoothing of blocks, to at most `capacity` bytes. False where libjpeg refuses the file,
/// or it is too large, or has too many scans.
bool jpeg_oracle_decode(const uint8_t *bytes, size_t count, unsigned scale, uint8_t *pixels, size_t capacity,
                        struct jpeg_oracle_image *image);

#endif
