#ifndef TESSERA_HEVC_H
#define TESSERA_HEVC_H

#include "library.h"

#if defined(TESSERA_HEIF_HEADERS) && __has_include(<libheif/heif_plugin.h>) && __has_include(<libde265/de265.h>)
#define TESSERA_HEVC_HEADERS 1
#include <libheif/heif_plugin.h>
#endif

/// Makes libheif decode HEVC with the threads that are set below. Called once, when libheif has been loaded.
void tessera_hevc_register(void);
/// Sets the threads for the images that the calling thread decodes next.
void tessera_hevc_set_threads(uint16_t threads);

#endif
