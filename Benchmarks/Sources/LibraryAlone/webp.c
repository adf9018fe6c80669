#include "Library.h"

#include <stdio.h>
#include <webp/decode.h>
#include <webp/encode.h>

static void name(char *name, size_t capacity, bool encodes) {
    (void)encodes;
    int version = WebPGetDecoderVersion();
    snprintf(name, capacity, "libwebp %d.%d.%d", version >> 16, version >> 8 & 255, version & 255);
}

static picture decode(file file, int threads) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config) || WebPGetFeatures(file.bytes, file.length, &config.input) != VP8_STATUS_OK)
        fail("libwebp can't read the header");
    picture made = {NULL, config.input.width, config.input.height};
    size_t row = (size_t)made.width * 4;
    made.bytes = allocate(row * (size_t)made.height);
    config.options.use_threads = threads > 1;
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA = (WebPRGBABuffer){made.bytes, (int)row, row * (size_t)made.height};
    if (WebPDecode(file.bytes, file.length, &config) != VP8_STATUS_OK)
        fail("libwebp can't decode the image");
    return made;
}

static file encode(picture picture, int threads) {
    WebPConfig config;
    WebPPicture stored;
    WebPMemoryWriter writer;
    if (!WebPConfigInit(&config) || !WebPPictureInit(&stored))
        fail("libwebp is of another version");
    config.quality = 80;
    config.thread_level = threads > 1;
    stored.width = picture.width;
    stored.height = picture.height;
    WebPMemoryWriterInit(&writer);
    stored.writer = WebPMemoryWrite;
    stored.custom_ptr = &writer;
    if (!WebPPictureImportRGBX(&stored, picture.bytes, picture.width * 4) || !WebPEncode(&config, &stored))
        fail("libwebp can't encode the image");
    WebPPictureFree(&stored);
    return (file){writer.mem, writer.size};
}

const library webp_library = {"webp", name, decode, encode};
