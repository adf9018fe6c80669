#ifndef TESSERA_JP2_LIBRARY_H
#define TESSERA_JP2_LIBRARY_H

#include "include/CTesseraJP2.h"

#if __has_include(<openjpeg-2.5/openjpeg.h>)
#define TESSERA_JP2_IS_BUILT 1

#include <openjpeg-2.5/openjpeg.h>

/// The functions of OpenJPEG that are used.
#define TESSERA_JP2_FUNCTIONS(EACH)            \
    EACH(opj_create_decompress)                \
    EACH(opj_create_compress)                  \
    EACH(opj_destroy_codec)                    \
    EACH(opj_set_error_handler)                \
    EACH(opj_set_default_decoder_parameters)   \
    EACH(opj_setup_decoder)                    \
    EACH(opj_decoder_set_strict_mode)          \
    EACH(opj_codec_set_threads)                \
    EACH(opj_read_header)                      \
    EACH(opj_set_decode_area)                  \
    EACH(opj_decode)                           \
    EACH(opj_image_destroy)                    \
    EACH(opj_image_tile_create)                \
    EACH(opj_set_default_encoder_parameters)   \
    EACH(opj_setup_encoder)                    \
    EACH(opj_start_compress)                   \
    EACH(opj_write_tile)                       \
    EACH(opj_end_compress)                     \
    EACH(opj_stream_create)                    \
    EACH(opj_stream_destroy)                   \
    EACH(opj_stream_set_read_function)         \
    EACH(opj_stream_set_write_function)        \
    EACH(opj_stream_set_skip_function)         \
    EACH(opj_stream_set_seek_function)         \
    EACH(opj_stream_set_user_data)             \
    EACH(opj_stream_set_user_data_length)

typedef struct {
    TESSERA_JP2_FUNCTIONS(TESSERA_FUNCTION_MEMBER)
} tessera_jp2_functions;

/// The library's functions; NULL if it isn't installed.
const tessera_jp2_functions *tessera_jp2_library(void);

/// OpenJPEG's error handler, whose data is a `tessera_outcome`: keeps the first message.
void tessera_jp2_complain(const char *message, void *outcome);

#endif
#endif
