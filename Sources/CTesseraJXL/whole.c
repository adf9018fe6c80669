#include "decoder.h"

#include <string.h>

#if TESSERA_JXL_IS_BUILT

/// Finds the codestream in the file. Where it is in several boxes, their contents are moved together, over the boxes.
static bool find_codestream(tessera_jxl_decoder *decoder, const uint8_t **codestream, size_t *length) {
    enum { SHORT_HEADER = 8, LONG_HEADER = 16, PART_NUMBER = 4 };
    uint8_t *bytes = decoder->input.bytes;
    size_t end = decoder->input.length;
    static const uint8_t bare[] = {0xFF, 0x0A};
    if (end >= sizeof bare && memcmp(bytes, bare, sizeof bare) == 0) {
        *codestream = bytes;
        *length = end;
        return true;
    }
    *codestream = NULL;
    *length = 0;
    for (size_t position = 0; end - position >= SHORT_HEADER;) {
        uint8_t *box = bytes + position;
        size_t left = end - position, header = SHORT_HEADER;
        uint64_t size = (uint64_t)box[0] << 24 | (uint64_t)box[1] << 16 | (uint64_t)box[2] << 8 | box[3];
        if (size == 1 && left >= LONG_HEADER) {
            header = LONG_HEADER;
            size = 0;
            for (int i = SHORT_HEADER; i < LONG_HEADER; i++)
                size = size << 8 | box[i];
        }
        // 0 stands for the rest of the file; a truncated file has less than the box's size.
        if (size == 0 || size > left)
            size = left;
        bool is_part = memcmp(box + 4, "jxlp", 4) == 0;
        header += is_part ? PART_NUMBER : 0;
        if (size < header)
            break;
        if (is_part || memcmp(box + 4, "jxlc", 4) == 0) {
            if (!*codestream)
                *codestream = box + header;
            else
                memmove((uint8_t *)*codestream + *length, box + header, (size_t)size - header);
            *length += (size_t)size - header;
        }
        position += (size_t)size;
    }
    return *codestream;
}

/// Reads the remaining metadata first: moving the codestream's parts would overwrite them.
static void read_metadata(tessera_jxl_decoder *decoder) {
    decoder->library->JxlDecoderDestroy(decoder->main);
    tessera_jxl_forget_box(decoder);
    decoder->main = tessera_jxl_make(decoder, JXL_DEC_BOX);
    decoder->main_position = 0;
    if (decoder->main)
        tessera_jxl_read_boxes(decoder);
    decoder->read_all = true;
    decoder->main_position = decoder->input.length;
}

int32_t tessera_jxl_decode_whole(tessera_jxl_decoder *decoder) {
    const tessera_jxl_functions *library = decoder->library;
    const uint8_t *codestream;
    size_t length;
    read_metadata(decoder);
    if (!decoder->main)
        return tessera_fail(&decoder->outcome, TESSERA_NO_MEMORY, "no memory for a decoder");
    if (!find_codestream(decoder, &codestream, &length))
        return tessera_fail(&decoder->outcome, TESSERA_CORRUPT, "the file has no image");
    JxlDecoder *jxl = tessera_jxl_make(decoder, JXL_DEC_COLOR_ENCODING | JXL_DEC_FULL_IMAGE);
    if (!jxl)
        return tessera_fail(&decoder->outcome, TESSERA_NO_MEMORY, "no memory for a decoder");
    decoder->frame_decoder = jxl;
    memset(decoder->counts, 0, decoder->decoding.height * sizeof *decoder->counts);
    decoder->drawn = 0;
    int32_t status = TESSERA_OK;
    if (library->JxlDecoderSetInput(jxl, codestream, length) != JXL_DEC_SUCCESS)
        status = tessera_fail(&decoder->outcome, TESSERA_CORRUPT, "libjxl refused the file's bytes");
    while (status >= 0 && !decoder->complete) {
        switch (library->JxlDecoderProcessInput(jxl)) {
        case JXL_DEC_COLOR_ENCODING:
            tessera_jxl_choose_color(decoder, jxl);
            break;
        case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
            status = tessera_jxl_set_output(decoder, jxl);
            break;
        case JXL_DEC_FULL_IMAGE:
            decoder->complete = true;
            break;
        case JXL_DEC_NEED_MORE_INPUT:
            status = tessera_fail(&decoder->outcome, TESSERA_TRUNCATED, "the file ends before the image does");
            if (tessera_jxl_is_drawable(decoder))
                tessera_jxl_flush(decoder, jxl);
            break;
        default:
            status = tessera_fail(&decoder->outcome, TESSERA_CORRUPT, "libjxl found an error in the file");
        }
    }
    return status;
}

#endif
