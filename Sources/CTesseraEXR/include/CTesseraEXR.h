#ifndef CTESSERA_EXR_H
#define CTESSERA_EXR_H

// OpenEXRCore behind an interface without callbacks: opaque handles, status codes, bands of rows. The library is loaded on
// first use. Every function returns. A handle that has failed to open keeps its message. A handle belongs to one thread at
// a time, and may move from thread to thread between calls; but several threads may read different bands at once.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <CTesseraShim.h>

typedef struct tessera_exr_decoder tessera_exr_decoder;

/// Whether this was built with the library's headers.
bool tessera_exr_available(void);
/// Loads the library if it isn't loaded; false if it isn't installed.
bool tessera_exr_load(void);

typedef struct {
    /// The size of the data window.
    uint32_t width;
    uint32_t height;
    /// The number of rows in a band: the rows of a chunk, or of a row of tiles. The last may have fewer.
    uint32_t band_height;
    /// The bytes that reading a band takes, beside the pixels.
    uint64_t working_bytes;
    bool is_gray;
    bool has_alpha;
    bool has_chromaticities;
    /// x and y of red, green, blue and white.
    float chromaticities[8];
} tessera_exr_header;

/// A decoder that takes no more than `maximum_allocation` bytes at a time, or NULL without memory or without the library.
tessera_exr_decoder *tessera_exr_decoder_create(uint32_t maximum_side, uint64_t maximum_allocation);
void tessera_exr_decoder_destroy(tessera_exr_decoder *decoder);
/// The first failure's message; empty if nothing failed.
const char *tessera_exr_decoder_message(const tessera_exr_decoder *decoder);

/// Copies a whole file, and reads the header of the first part that has colours.
int32_t tessera_exr_decoder_open(
    tessera_exr_decoder *decoder, const uint8_t *bytes, size_t length, tessera_exr_header *header);
/// Reads a band: four floats for each pixel, red, green, blue and alpha, premultiplied. Rows follow each other, `width`
/// pixels each. A failure doesn't affect other bands.
int32_t tessera_exr_decoder_read(const tessera_exr_decoder *decoder, uint32_t band, float *into, size_t capacity);

#endif
