#ifndef TESSERA_JPEG_SCAN_GROUPS_H
#define TESSERA_JPEG_SCAN_GROUPS_H

// Coding a progressive image's scans by several threads. Private to this target.

#include "destination.h"

/// Writes the coefficients in `arrays`, which are all in memory, in the scans of `like`: a compressor that is set up
/// for libjpeg's script of a colour image, without application segments. The file, the same as from a single thread, is
/// in `*bytes`, for the caller to free. False if that is impossible, or after any problem: nothing has changed.
bool tessera_jpeg_write_scan_groups(
    const struct jpeg_compress_struct *like, jvirt_barray_ptr *arrays, uint8_t **bytes, size_t *length);

#endif
