#include "Library.h"

#include <avif/avif.h>
#include <stdio.h>
#include <string.h>

static void name(char *name, size_t capacity, bool encodes) {
    const char *codec = avifCodecName(
        AVIF_CODEC_CHOICE_AUTO, encodes ? AVIF_CODEC_FLAG_CAN_ENCODE : AVIF_CODEC_FLAG_CAN_DECODE);
    // "dav1d [dec]:1.0.0, aom [enc/dec]:v3.6.0"
    char versions[256];
    avifCodecVersions(versions);
    const char *version = codec ? strstr(versions, codec) : NULL;
    version = version ? strchr(version, ':') : NULL;
    int length = version ? (int)strcspn(++version, ",") : 0;
    snprintf(
        name, capacity, "libavif %s with %s %.*s", avifVersion(), codec ? codec : "no codec", length,
        version ? version : "");
}

static picture decode(file file, int threads) {
    avifDecoder *decoder = avifDecoderCreate();
    if (!decoder)
        fail("no memory");
    decoder->maxThreads = threads;
    if (avifDecoderSetIOMemory(decoder, file.bytes, file.length) != AVIF_RESULT_OK
        || avifDecoderParse(decoder) != AVIF_RESULT_OK || avifDecoderNextImage(decoder) != AVIF_RESULT_OK)
        fail("libavif can't decode the image");
    picture made = {NULL, (int)decoder->image->width, (int)decoder->image->height};
    made.bytes = allocate((size_t)made.width * (size_t)made.height * 4);
    avifRGBImage pixels;
    avifRGBImageSetDefaults(&pixels, decoder->image);
    pixels.depth = 8;
    pixels.format = AVIF_RGB_FORMAT_RGBA;
    pixels.pixels = made.bytes;
    pixels.rowBytes = (uint32_t)made.width * 4;
    if (avifImageYUVToRGB(decoder->image, &pixels) != AVIF_RESULT_OK)
        fail("libavif can't convert the image");
    avifDecoderDestroy(decoder);
    return made;
}

const library avif_library = {"avif", name, decode, NULL};
