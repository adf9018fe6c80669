#ifndef TESSERA_EXR_LIBRARY_H
#define TESSERA_EXR_LIBRARY_H

#include "include/CTesseraEXR.h"

#if __has_include(<OpenEXR/openexr.h>)
#define TESSERA_EXR_HEADERS 1
#include <OpenEXR/openexr.h>

// The library's functions that are called here.
#define TESSERA_EXR_FUNCTIONS(X) \
    X(exr_get_default_error_message) \
    X(exr_start_read) \
    X(exr_finish) \
    X(exr_get_count) \
    X(exr_get_storage) \
    X(exr_get_data_window) \
    X(exr_get_channels) \
    X(exr_get_compression) \
    X(exr_get_tile_descriptor) \
    X(exr_get_chunk_count) \
    X(exr_get_scanlines_per_chunk) \
    X(exr_get_chunk_unpacked_size) \
    X(exr_attr_get_chromaticities) \
    X(exr_read_scanline_chunk_info) \
    X(exr_read_tile_chunk_info) \
    X(exr_decoding_initialize) \
    X(exr_decoding_choose_default_routines) \
    X(exr_decoding_run) \
    X(exr_decoding_destroy)

/// The library's functions; valid after `tessera_exr_load`.
typedef struct {
    TESSERA_EXR_FUNCTIONS(TESSERA_FUNCTION_MEMBER)
} tessera_exr_functions;

extern tessera_exr_functions tessera_exr;

#endif
#endif
