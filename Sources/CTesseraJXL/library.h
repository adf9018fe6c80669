#ifndef TESSERA_JXL_LIBRARY_H
#define TESSERA_JXL_LIBRARY_H

#include <CTesseraShim.h>

#if __has_include(<jxl/decode.h>) && __has_include(<jxl/encode.h>)
#define TESSERA_JXL_IS_BUILT 1

#include <jxl/decode.h>
#include <jxl/encode.h>
#include <jxl/version.h>

/// The functions of libjxl that are used.
#define TESSERA_JXL_FUNCTIONS(EACH)            \
    EACH(JxlDecoderCreate)                     \
    EACH(JxlDecoderDestroy)                    \
    EACH(JxlDecoderRewind)                     \
    EACH(JxlDecoderSkipFrames)                 \
    EACH(JxlDecoderSkipCurrentFrame)           \
    EACH(JxlDecoderSubscribeEvents)            \
    EACH(JxlDecoderSetParallelRunner)          \
    EACH(JxlDecoderSetKeepOrientation)         \
    EACH(JxlDecoderSetUnpremultiplyAlpha)      \
    EACH(JxlDecoderSetDecompressBoxes)         \
    EACH(JxlDecoderSetProgressiveDetail)       \
    EACH(JxlDecoderSetCoalescing)              \
    EACH(JxlDecoderProcessInput)               \
    EACH(JxlDecoderSetInput)                   \
    EACH(JxlDecoderReleaseInput)               \
    EACH(JxlDecoderGetBasicInfo)               \
    EACH(JxlDecoderGetExtraChannelInfo)        \
    EACH(JxlDecoderGetColorAsEncodedProfile)   \
    EACH(JxlDecoderGetICCProfileSize)          \
    EACH(JxlDecoderGetColorAsICCProfile)       \
    EACH(JxlDecoderSetPreferredColorProfile)   \
    EACH(JxlDecoderGetFrameHeader)             \
    EACH(JxlDecoderSetImageOutCallback)        \
    EACH(JxlDecoderSetExtraChannelBuffer)      \
    EACH(JxlDecoderFlushImage)                 \
    EACH(JxlDecoderSetJPEGBuffer)              \
    EACH(JxlDecoderReleaseJPEGBuffer)          \
    EACH(JxlDecoderSetBoxBuffer)               \
    EACH(JxlDecoderReleaseBoxBuffer)           \
    EACH(JxlDecoderGetBoxType)                 \
    EACH(JxlDecoderGetBoxSizeRaw)              \
    EACH(JxlColorEncodingSetToSRGB)            \
    EACH(JxlEncoderCreate)                     \
    EACH(JxlEncoderDestroy)                    \
    EACH(JxlEncoderSetParallelRunner)          \
    EACH(JxlEncoderGetError)                   \
    EACH(JxlEncoderProcessOutput)              \
    EACH(JxlEncoderSetFrameHeader)             \
    EACH(JxlEncoderAddJPEGFrame)               \
    EACH(JxlEncoderAddImageFrame)              \
    EACH(JxlEncoderAddBox)                     \
    EACH(JxlEncoderUseBoxes)                   \
    EACH(JxlEncoderCloseBoxes)                 \
    EACH(JxlEncoderCloseInput)                 \
    EACH(JxlEncoderSetColorEncoding)           \
    EACH(JxlEncoderSetICCProfile)              \
    EACH(JxlEncoderInitBasicInfo)              \
    EACH(JxlEncoderInitFrameHeader)            \
    EACH(JxlEncoderSetBasicInfo)               \
    EACH(JxlEncoderFrameSettingsSetOption)     \
    EACH(JxlEncoderUseContainer)               \
    EACH(JxlEncoderStoreJPEGMetadata)          \
    EACH(JxlEncoderSetCodestreamLevel)         \
    EACH(JxlEncoderGetRequiredCodestreamLevel) \
    EACH(JxlEncoderSetFrameLossless)           \
    EACH(JxlEncoderSetFrameDistance)           \
    EACH(JxlEncoderFrameSettingsCreate)

/// libjxl's functions, once loaded.
typedef struct {
    TESSERA_JXL_FUNCTIONS(TESSERA_FUNCTION_MEMBER)
} tessera_jxl_functions;

/// The functions; NULL if the library can't be loaded.
const tessera_jxl_functions *tessera_jxl_library(void);

#endif

#endif
