#include "decoder.h"

#include <stdlib.h>
#include <string.h>

#if TESSERA_JXL_IS_BUILT

// MARK: The end

/// Whether the boxes of a container end within the file. `unbounded` is whether the last one extends to the file's end.
static bool boxes_are_whole(const uint8_t *bytes, size_t length, bool *unbounded) {
    *unbounded = false;
    size_t position = 0;
    while (position < length) {
        size_t left = length - position;
        if (left < 8)
            return false;
        const uint8_t *box = bytes + position;
        uint64_t size = (uint64_t)box[0] << 24 | (uint64_t)box[1] << 16 | (uint64_t)box[2] << 8 | box[3];
        if (size == 0) {
            *unbounded = true;
            return true;
        }
        if (size == 1) {
            if (left < 16)
                return false;
            size = 0;
            for (int i = 8; i < 16; i++)
                size = size << 8 | box[i];
        }
        if (size < 8 || size > left)
            return false;
        position += (size_t)size;
    }
    return true;
}

/// Whether the last frame is complete. libjxl has no call for it. But if it skips every frame, it stops reading at the
/// end of the last one: if a byte appended to the file is left over, nothing is missing.
static bool last_frame_is_whole(tessera_jxl_decoder *decoder) {
    static const uint8_t container[] = {0, 0, 0, 12, 'J', 'X', 'L', ' '};
    const tessera_jxl_functions *library = decoder->library;
    tessera_jxl_block *input = &decoder->input;
    if (input->length > 8 && memcmp(input->bytes, container, 8) == 0) {
        bool unbounded;
        bool whole = boxes_are_whole(input->bytes, input->length, &unbounded);
        if (!whole || !unbounded)
            return whole;
    }
    if (!tessera_jxl_reserve(input, input->length + 1))
        return false;
    input->bytes[input->length] = 0;
    JxlDecoder *skipper = tessera_jxl_make(decoder, JXL_DEC_FULL_IMAGE);
    if (!skipper)
        return false;
    bool is_whole = false;
    if (library->JxlDecoderSetInput(skipper, input->bytes, input->length + 1) == JXL_DEC_SUCCESS) {
        JxlDecoderStatus event;
        do
            event = library->JxlDecoderProcessInput(skipper);
        while (event == JXL_DEC_NEED_IMAGE_OUT_BUFFER &&
               library->JxlDecoderSkipCurrentFrame(skipper) == JXL_DEC_SUCCESS);
        is_whole = event == JXL_DEC_SUCCESS && library->JxlDecoderReleaseInput(skipper) > 0;
    }
    library->JxlDecoderDestroy(skipper);
    return is_whole;
}

// MARK: Frames

static int32_t add_frame(tessera_jxl_decoder *decoder) {
    JxlFrameHeader frame;
    if (decoder->library->JxlDecoderGetFrameHeader(decoder->main, &frame) != JXL_DEC_SUCCESS)
        return tessera_fail(&decoder->outcome, TESSERA_CORRUPT, "a frame's header can't be read");
    if (decoder->frame_count == decoder->frame_capacity) {
        uint32_t capacity = decoder->frame_capacity < 16 ? 16 : decoder->frame_capacity * 2;
        uint32_t *durations =
            capacity > decoder->frame_capacity ? realloc(decoder->durations, capacity * sizeof *durations) : NULL;
        if (!durations)
            return tessera_fail(&decoder->outcome, TESSERA_NO_MEMORY, "no memory for frames");
        decoder->durations = durations;
        decoder->frame_capacity = capacity;
    }
    decoder->durations[decoder->frame_count++] = frame.duration;
    decoder->has_last_frame = frame.is_last;
    return TESSERA_OK;
}

int32_t tessera_jxl_decoder_find_frames(tessera_jxl_decoder *decoder, tessera_jxl_frames *frames) {
    int32_t status = decoder->outcome.status;
    if (status >= 0 && (!decoder->has_header || !decoder->opening.is_animation))
        status = tessera_fail(&decoder->outcome, TESSERA_MISUSE, "no frames are looked for");
    // Metadata after the last frame are ignored.
    while (status >= 0 && !decoder->has_last_frame) {
        JxlDecoderStatus event = tessera_jxl_step(decoder, decoder->main, &decoder->main_position);
        if (event == JXL_DEC_FRAME) {
            status = add_frame(decoder);
        } else if (event == JXL_DEC_NEED_MORE_INPUT) {
            break;
        } else if (event == JXL_DEC_BOX_NEED_MORE_OUTPUT) {
            status = tessera_fail(&decoder->outcome, TESSERA_CORRUPT, "metadata within the frames");
        } else if (event != JXL_DEC_BOX) {
            status = tessera_fail(&decoder->outcome, TESSERA_CORRUPT, "libjxl found an error in the file");
        }
    }
    // The next frame begins where this one's bytes end.
    frames->frames = decoder->frame_count > 0 ? decoder->frame_count - 1 : 0;
    if (status >= 0 && decoder->ended) {
        if (!decoder->last_frame_checked && decoder->has_last_frame)
            decoder->complete = last_frame_is_whole(decoder);
        decoder->last_frame_checked = true;
        if (!decoder->complete)
            status = TESSERA_TRUNCATED;
    }
    if (decoder->complete)
        frames->frames = decoder->frame_count;
    frames->is_complete = decoder->complete;
    return status;
}

uint32_t tessera_jxl_decoder_frame_duration(const tessera_jxl_decoder *decoder, uint32_t index) {
    return index < decoder->frame_count ? decoder->durations[index] : 0;
}

/// Positions libjxl before a frame.
static int32_t seek(tessera_jxl_decoder *decoder, uint32_t index) {
    const tessera_jxl_functions *library = decoder->library;
    const int events = JXL_DEC_COLOR_ENCODING | JXL_DEC_FULL_IMAGE;
    if (!decoder->frame_decoder) {
        decoder->frame_decoder = tessera_jxl_make(decoder, events);
        if (!decoder->frame_decoder)
            return tessera_fail(&decoder->outcome, TESSERA_NO_MEMORY, "no memory for a decoder of frames");
        decoder->next_frame = 0;
        decoder->frame_position = 0;
    } else if (index < decoder->next_frame) {
        // It remembers which frames others depend on, and skips the rest; it doesn't remember its settings.
        library->JxlDecoderRewind(decoder->frame_decoder);
        if (library->JxlDecoderSubscribeEvents(decoder->frame_decoder, events) != JXL_DEC_SUCCESS)
            return TESSERA_CORRUPT;
        decoder->next_frame = 0;
        decoder->frame_position = 0;
    }
    if (index > decoder->next_frame)
        library->JxlDecoderSkipFrames(decoder->frame_decoder, index - decoder->next_frame);
    decoder->next_frame = index;
    return TESSERA_OK;
}

int32_t tessera_jxl_decoder_decode_frame(tessera_jxl_decoder *decoder, uint32_t index) {
    // An error in one frame doesn't affect others; one in the search for frames keeps those that were found.
    if (!decoder->started || index >= decoder->frame_count)
        return tessera_fail(&decoder->outcome, TESSERA_MISUSE, "no such frame");
    int32_t status = seek(decoder, index);
    memset(decoder->counts, 0, decoder->decoding.height * sizeof *decoder->counts);
    while (status >= 0) {
        JxlDecoderStatus event = tessera_jxl_step(decoder, decoder->frame_decoder, &decoder->frame_position);
        if (event == JXL_DEC_FULL_IMAGE) {
            decoder->next_frame++;
            return TESSERA_OK;
        }
        if (event == JXL_DEC_COLOR_ENCODING)
            tessera_jxl_choose_color(decoder, decoder->frame_decoder);
        else if (event == JXL_DEC_NEED_IMAGE_OUT_BUFFER)
            status = tessera_jxl_set_output(decoder, decoder->frame_decoder);
        else
            status = event == JXL_DEC_NEED_MORE_INPUT ? TESSERA_TRUNCATED : TESSERA_CORRUPT;
    }
    // libjxl can't continue after an error.
    if (decoder->frame_decoder)
        decoder->library->JxlDecoderDestroy(decoder->frame_decoder);
    decoder->frame_decoder = NULL;
    return status;
}

#else

int32_t tessera_jxl_decoder_find_frames(tessera_jxl_decoder *decoder, tessera_jxl_frames *frames) {
    (void)decoder, (void)frames;
    return TESSERA_UNSUPPORTED;
}

uint32_t tessera_jxl_decoder_frame_duration(const tessera_jxl_decoder *decoder, uint32_t index) {
    (void)decoder, (void)index;
    return 0;
}

int32_t tessera_jxl_decoder_decode_frame(tessera_jxl_decoder *decoder, uint32_t index) {
    (void)decoder, (void)index;
    return TESSERA_UNSUPPORTED;
}

#endif
