#ifndef TESSERA_AVIF_LIBRARY_H
#define TESSERA_AVIF_LIBRARY_H

#include "include/CTesseraAVIF.h"

#if __has_include(<avif/avif.h>)
#define TESSERA_AVIF_HEADERS 1
#include <avif/avif.h>

// The library's functions that are called here.
#define TESSERA_AVIF_FUNCTIONS(X) \
    X(avifCodecName) \
    X(avifResultToString) \
    X(avifDecoderCreate) \
    X(avifDecoderDestroy) \
    X(avifDecoderSetSource) \
    X(avifDecoderSetIO) \
    X(avifDecoderParse) \
    X(avifDecoderNthImage) \
    X(avifDecoderNthImageTiming) \
    X(avifDecoderNthImageMaxExtent) \
    X(avifCropRectConvertCleanApertureBox) \
    X(avifLimitedToFullY) \
    X(avifRGBImageSetDefaults) \
    X(avifImageYUVToRGB) \
    X(avifImageRGBToYUV) \
    X(avifImageCreate) \
    X(avifImageDestroy) \
    X(avifImageAllocatePlanes) \
    X(avifImageSetProfileICC) \
    X(avifImageSetMetadataExif) \
    X(avifImageSetMetadataXMP) \
    X(avifEncoderCreate) \
    X(avifEncoderDestroy) \
    X(avifEncoderSetCodecSpecificOption) \
    X(avifEncoderAddImage) \
    X(avifEncoderFinish) \
    X(avifRWDataFree)

/// The library's functions; valid after `tessera_avif_load`.
typedef struct {
    TESSERA_AVIF_FUNCTIONS(TESSERA_FUNCTION_MEMBER)
} tessera_avif_functions;

extern tessera_avif_functions tessera_avif;

/// The status for a result.
int32_t tessera_avif_status(avifResult result);
/// Records the library's failure.
int32_t tessera_avif_check(tessera_outcome *outcome, avifResult result, const avifDiagnostics *diagnostics);

#endif
#endif
