#include "include/CTesseraJXL.h"
#include "library.h"

#include <stdlib.h>

#if TESSERA_JXL_IS_BUILT

enum { FIRST_CAPACITY = 1 << 16 };

static int32_t reconstruct(
    const tessera_jxl_functions *library, JxlDecoder *jxl, uint64_t maximum_length, uint8_t **jpeg,
    size_t *jpeg_length) {
    size_t capacity = 0, left = 0;
    for (;;) {
        JxlDecoderStatus event = library->JxlDecoderProcessInput(jxl);
        if (event == JXL_DEC_JPEG_RECONSTRUCTION || event == JXL_DEC_JPEG_NEED_MORE_OUTPUT) {
            if (event == JXL_DEC_JPEG_NEED_MORE_OUTPUT)
                left = library->JxlDecoderReleaseJPEGBuffer(jxl);
            size_t length = capacity - left;
            if (capacity > SIZE_MAX / 2 || capacity >= maximum_length)
                return TESSERA_LIMIT;
            capacity = capacity == 0 ? FIRST_CAPACITY : capacity * 2;
            uint8_t *grown = realloc(*jpeg, capacity);
            if (!grown)
                return TESSERA_NO_MEMORY;
            *jpeg = grown;
            if (library->JxlDecoderSetJPEGBuffer(jxl, grown + length, capacity - length) != JXL_DEC_SUCCESS)
                return TESSERA_CORRUPT;
        } else if (event == JXL_DEC_FULL_IMAGE) {
            *jpeg_length = capacity - library->JxlDecoderReleaseJPEGBuffer(jxl);
            return !*jpeg ? TESSERA_UNSUPPORTED : *jpeg_length > maximum_length ? TESSERA_LIMIT : TESSERA_OK;
        } else if (event == JXL_DEC_NEED_IMAGE_OUT_BUFFER || event == JXL_DEC_SUCCESS) {
            // The file holds an image that was no JPEG.
            return TESSERA_UNSUPPORTED;
        } else {
            return event == JXL_DEC_NEED_MORE_INPUT ? TESSERA_TRUNCATED : TESSERA_CORRUPT;
        }
    }
}

int32_t tessera_jxl_reconstruct_jpeg(
    const uint8_t *bytes, size_t length, uint64_t maximum_length, uint8_t **jpeg, size_t *jpeg_length) {
    const tessera_jxl_functions *library = tessera_jxl_library();
    *jpeg = NULL;
    *jpeg_length = 0;
    if (!library)
        return TESSERA_UNSUPPORTED;
    JxlDecoder *jxl = library->JxlDecoderCreate(NULL);
    if (!jxl)
        return TESSERA_NO_MEMORY;
    int32_t status = TESSERA_CORRUPT;
    if (library->JxlDecoderSubscribeEvents(jxl, JXL_DEC_JPEG_RECONSTRUCTION | JXL_DEC_FULL_IMAGE) == JXL_DEC_SUCCESS &&
        library->JxlDecoderSetInput(jxl, bytes, length) == JXL_DEC_SUCCESS)
        status = reconstruct(library, jxl, maximum_length, jpeg, jpeg_length);
    library->JxlDecoderDestroy(jxl);
    if (status < 0) {
        free(*jpeg);
        *jpeg = NULL;
    }
    return status;
}

#else

int32_t tessera_jxl_reconstruct_jpeg(
    const uint8_t *bytes, size_t length, uint64_t maximum_length, uint8_t **jpeg, size_t *jpeg_length) {
    (void)bytes, (void)length, (void)maximum_length;
    *jpeg = NULL;
    *jpeg_length = 0;
    return TESSERA_UNSUPPORTED;
}

#endif

void tessera_jxl_free(uint8_t *jpeg) {
    free(jpeg);
}
