#ifndef TESSERA_TIFF_HANDLE_H
#define TESSERA_TIFF_HANDLE_H

#include "include/CTesseraTIFF.h"

#if __has_include(<tiffio.h>)
#include <tiffio.h>

enum { MESSAGE_BYTES = 512 };

/// The first thing that libtiff complained of since the message was cleared.
typedef struct {
    char text[MESSAGE_BYTES];
} tessera_tiff_message;

/// Keeps `text` unless there is a message already.
void tessera_tiff_complain(tessera_tiff_message *message, const char *text);
/// Opens a file whose bytes the procedures fetch, with messages to `message` and allocations capped.
TIFF *tessera_tiff_open(
    const char *mode, thandle_t client, TIFFReadWriteProc read, TIFFReadWriteProc write, TIFFSeekProc seek,
    TIFFSizeProc size, tessera_tiff_message *message, uint64_t maximum_allocation);

#endif
#endif
