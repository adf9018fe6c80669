// AVC by libopenh264, which libheif 1.15 has no decoder for. It is loaded beside libheif, since a worker process can't
// load anything once it is confined.

#include "avc.h"

#if __has_include(<wels/codec_api.h>)

#include <stdlib.h>
#include <string.h>

#include <wels/codec_api.h>

#define FUNCTIONS(X) \
    X(WelsCreateDecoder) \
    X(WelsDestroyDecoder)

static struct {
    FUNCTIONS(TESSERA_FUNCTION_MEMBER)
} library;

static const char *const names[] = {FUNCTIONS(TESSERA_FUNCTION_NAME)};

static bool loaded;

#ifdef __APPLE__
static const char *const name = "libopenh264.dylib";
#else
static const char *const name = "libopenh264.so.7";
#endif

struct tessera_avc_decoder {
    tessera_outcome outcome;
    ISVCDecoder *decoder;
    /// Luma, Cb and Cr, which belong to the decoder.
    uint8_t *planes[3];
    SBufferInfo picture;
    tessera_avc_size size;
};

void tessera_avc_register(void) {
    loaded = tessera_load_functions(name, names, sizeof names / sizeof *names, &library);
}

bool tessera_avc_available(void) {
    return tessera_heif_load() && loaded;
}

tessera_avc_decoder *tessera_avc_decoder_create(void) {
    tessera_avc_decoder *avc = tessera_avc_available() ? calloc(1, sizeof *avc) : NULL;
    if (!avc)
        return NULL;
    if (library.WelsCreateDecoder(&avc->decoder) != 0 || !avc->decoder) {
        free(avc);
        return NULL;
    }
    ISVCDecoder *decoder = avc->decoder;
    int level = WELS_LOG_QUIET;
    (*decoder)->SetOption(decoder, DECODER_OPTION_TRACE_LEVEL, &level);
    SDecodingParam parameters = {.uiTargetDqLayer = UINT8_MAX, .eEcActiveIdc = ERROR_CON_DISABLE};
    parameters.sVideoProperty.size = sizeof parameters.sVideoProperty;
    parameters.sVideoProperty.eVideoBsType = VIDEO_BITSTREAM_AVC;
    if ((*decoder)->Initialize(decoder, &parameters) != cmResultSuccess) {
        tessera_avc_decoder_destroy(avc);
        return NULL;
    }
    return avc;
}

void tessera_avc_decoder_destroy(tessera_avc_decoder *avc) {
    if (!avc)
        return;
    (*avc->decoder)->Uninitialize(avc->decoder);
    library.WelsDestroyDecoder(avc->decoder);
    free(avc);
}

const char *tessera_avc_decoder_message(const tessera_avc_decoder *avc) {
    return avc->outcome.message;
}

int32_t tessera_avc_decoder_decode(
    tessera_avc_decoder *avc, const uint8_t *bytes, size_t length, const tessera_avc_size *size) {
    if (avc->outcome.status < 0)
        return avc->outcome.status;
    if (length > INT32_MAX || avc->picture.iBufferStatus == 1)
        return tessera_fail(&avc->outcome, TESSERA_MISUSE, "an image is decoded once");
    ISVCDecoder *decoder = avc->decoder;
    // The bytes; their end; and the picture, which is kept back where others may come before it.
    DECODING_STATE state =
        (*decoder)->DecodeFrame2(decoder, bytes, (int)length, avc->planes, &avc->picture);
    if (state == dsErrorFree && avc->picture.iBufferStatus != 1)
        state = (*decoder)->DecodeFrame2(decoder, NULL, 0, avc->planes, &avc->picture);
    if (state == dsErrorFree && avc->picture.iBufferStatus != 1)
        state = (*decoder)->FlushFrame(decoder, avc->planes, &avc->picture);
    if (state & dsOutOfMemory)
        return tessera_fail(&avc->outcome, TESSERA_NO_MEMORY, "libopenh264 has no memory for the image");
    if (state != dsErrorFree || avc->picture.iBufferStatus != 1)
        return tessera_fail(
            &avc->outcome, TESSERA_CORRUPT,
            "libopenh264 finds the data damaged, incomplete, or coded in a way that it lacks");
    const SSysMEMBuffer *buffer = &avc->picture.UsrData.sSystemBuffer;
    bool complete = avc->planes[0] && avc->planes[1] && avc->planes[2]
                    && buffer->iWidth == (int64_t)size->reported_width
                    && buffer->iHeight == (int64_t)size->reported_height && buffer->iStride[0] >= (int64_t)size->width
                    && buffer->iStride[1] >= (int64_t)size->width / 2;
    if (!complete)
        return tessera_fail(&avc->outcome, TESSERA_CORRUPT, "libopenh264 returned an image of another size");
    avc->size = *size;
    return TESSERA_OK;
}

int32_t tessera_avc_decoder_read(
    const tessera_avc_decoder *avc, uint8_t plane, uint32_t y, uint8_t *into, size_t length) {
    int shift = plane > 0 ? 1 : 0;
    // Both are 0 before an image was decoded.
    if (plane > 2 || y >= avc->size.height >> shift || length > avc->size.width >> shift)
        return TESSERA_MISUSE;
    memcpy(into, avc->planes[plane] + (size_t)avc->picture.UsrData.sSystemBuffer.iStride[shift] * y, length);
    return TESSERA_OK;
}

#else

void tessera_avc_register(void) {}

bool tessera_avc_available(void) {
    return false;
}

tessera_avc_decoder *tessera_avc_decoder_create(void) {
    return NULL;
}

void tessera_avc_decoder_destroy(tessera_avc_decoder *avc) {
    (void)avc;
}

const char *tessera_avc_decoder_message(const tessera_avc_decoder *avc) {
    (void)avc;
    return "built without libopenh264";
}

int32_t tessera_avc_decoder_decode(
    tessera_avc_decoder *avc, const uint8_t *bytes, size_t length, const tessera_avc_size *size) {
    (void)avc, (void)bytes, (void)length, (void)size;
    return TESSERA_UNSUPPORTED;
}

int32_t tessera_avc_decoder_read(
    const tessera_avc_decoder *avc, uint8_t plane, uint32_t y, uint8_t *into, size_t length) {
    (void)avc, (void)plane, (void)y, (void)into, (void)length;
    return TESSERA_UNSUPPORTED;
}

#endif
