#ifndef TESSERA_HEIF_LIBRARY_H
#define TESSERA_HEIF_LIBRARY_H

#include "include/CTesseraHEIF.h"

#if __has_include(<libheif/heif.h>)
#define TESSERA_HEIF_HEADERS 1
#include <libheif/heif.h>

// The library's functions that are called here.
#define TESSERA_HEIF_FUNCTIONS(X) \
    X(heif_init) \
    X(heif_register_decoder_plugin) \
    X(heif_have_encoder_for_format) \
    X(heif_context_alloc) \
    X(heif_context_free) \
    X(heif_context_set_maximum_image_size_limit) \
    X(heif_context_set_max_decoding_threads) \
    X(heif_context_read_from_memory_without_copy) \
    X(heif_context_get_number_of_top_level_images) \
    X(heif_context_get_list_of_top_level_image_IDs) \
    X(heif_context_get_primary_image_ID) \
    X(heif_context_get_image_handle) \
    X(heif_image_handle_release) \
    X(heif_image_handle_get_width) \
    X(heif_image_handle_get_height) \
    X(heif_image_handle_has_alpha_channel) \
    X(heif_image_handle_is_premultiplied_alpha) \
    X(heif_image_handle_get_luma_bits_per_pixel) \
    X(heif_image_handle_get_raw_color_profile_size) \
    X(heif_image_handle_get_raw_color_profile) \
    X(heif_image_handle_get_nclx_color_profile) \
    X(heif_nclx_color_profile_alloc) \
    X(heif_nclx_color_profile_free) \
    X(heif_image_handle_get_number_of_metadata_blocks) \
    X(heif_image_handle_get_list_of_metadata_block_IDs) \
    X(heif_image_handle_get_metadata_type) \
    X(heif_image_handle_get_metadata_content_type) \
    X(heif_image_handle_get_metadata_size) \
    X(heif_image_handle_get_metadata) \
    X(heif_decode_image) \
    X(heif_image_create) \
    X(heif_image_add_plane) \
    X(heif_image_get_colorspace) \
    X(heif_image_get_chroma_format) \
    X(heif_image_get_width) \
    X(heif_image_get_height) \
    X(heif_image_get_bits_per_pixel_range) \
    X(heif_image_has_channel) \
    X(heif_image_get_plane) \
    X(heif_image_get_plane_readonly) \
    X(heif_image_set_raw_color_profile) \
    X(heif_image_set_nclx_color_profile) \
    X(heif_image_release) \
    X(heif_context_get_encoder_for_format) \
    X(heif_encoder_release) \
    X(heif_encoder_set_lossy_quality) \
    X(heif_encoder_set_lossless) \
    X(heif_encoder_set_parameter) \
    X(heif_encoding_options_alloc) \
    X(heif_encoding_options_free) \
    X(heif_context_encode_image) \
    X(heif_context_add_exif_metadata) \
    X(heif_context_add_XMP_metadata) \
    X(heif_context_write)

/// The library's functions; valid after `tessera_heif_load`.
typedef struct {
    TESSERA_HEIF_FUNCTIONS(TESSERA_FUNCTION_MEMBER)
} tessera_heif_functions;

extern tessera_heif_functions tessera_heif;

/// Records the library's failure.
int32_t tessera_heif_check(tessera_outcome *outcome, struct heif_error error);

#endif
#endif
