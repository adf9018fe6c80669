#ifndef TESSERA_TIFF_FILE_H
#define TESSERA_TIFF_FILE_H

#include "include/CTesseraTIFF.h"

#if __has_include(<tiffio.h>)
#include <tiffio.h>

/// A file that libtiff works on. First in each handle, so that a pointer to it is one to the handle.
typedef struct {
    TIFF *tiff;
    tessera_tiff_input input;
    uint64_t position;
    /// libtiff's first message since it was cleared.
    char message[512];
} tessera_tiff_file;

/// Keeps `text` unless there is a message already.
void tessera_tiff_complain(tessera_tiff_file *file, const char *text);
/// Opens the file in libtiff, with allocations limited; false on failure. `write` may be NULL for a file that is only
/// read.
bool tessera_tiff_open(
    tessera_tiff_file *file, const char *mode, TIFFReadWriteProc write, uint64_t maximum_allocation);

#endif
#endif
