#include "Library.h"

#include <jxl/decode.h>
#include <jxl/thread_parallel_runner.h>
#include <stdio.h>

static void name(char *name, size_t capacity, bool encodes) {
    (void)encodes;
    uint32_t version = JxlDecoderVersion();
    snprintf(name, capacity, "libjxl %u.%u.%u", version / 1000000, version / 1000 % 1000, version % 1000);
}

static picture decode(file file, int threads) {
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    void *runner = JxlThreadParallelRunnerCreate(NULL, (size_t)threads);
    if (!decoder || !runner
        || JxlDecoderSubscribeEvents(decoder, JXL_DEC_BASIC_INFO | JXL_DEC_FULL_IMAGE) != JXL_DEC_SUCCESS
        || JxlDecoderSetParallelRunner(decoder, JxlThreadParallelRunner, runner) != JXL_DEC_SUCCESS
        || JxlDecoderSetInput(decoder, file.bytes, file.length) != JXL_DEC_SUCCESS)
        fail("libjxl can't be set up");
    JxlDecoderCloseInput(decoder);
    const JxlPixelFormat format = {4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    picture made = {NULL, 0, 0};
    for (;;) {
        JxlDecoderStatus status = JxlDecoderProcessInput(decoder);
        if (status == JXL_DEC_BASIC_INFO) {
            JxlBasicInfo info;
            if (JxlDecoderGetBasicInfo(decoder, &info) != JXL_DEC_SUCCESS)
                fail("libjxl can't read the header");
            made.width = (int)info.xsize;
            made.height = (int)info.ysize;
        } else if (status == JXL_DEC_NEED_IMAGE_OUT_BUFFER) {
            size_t length = (size_t)made.width * (size_t)made.height * 4;
            made.bytes = allocate(length);
            if (JxlDecoderSetImageOutBuffer(decoder, &format, made.bytes, length) != JXL_DEC_SUCCESS)
                fail("libjxl refused the memory");
        } else if (status == JXL_DEC_FULL_IMAGE) {
            break;
        } else {
            fail("libjxl can't decode the image");
        }
    }
    JxlDecoderDestroy(decoder);
    JxlThreadParallelRunnerDestroy(runner);
    return made;
}

const library jxl_library = {"jxl", name, decode, NULL};
