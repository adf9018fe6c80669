#include "library.h"

#include <stdlib.h>
#include <string.h>

#ifdef TESSERA_JP2_IS_BUILT

struct tessera_jp2_decoder {
    const tessera_jp2_functions *library;
    /// The decoded samples.
    opj_image_t *image;
    tessera_outcome outcome;
};

/// The codestream during a call.
typedef struct {
    const uint8_t *bytes;
    size_t length;
    size_t position;
} memory_input;

static OPJ_SIZE_T read_bytes(void *into, OPJ_SIZE_T count, void *data) {
    memory_input *input = data;
    size_t left = input->length - input->position;
    if (left == 0)
        return (OPJ_SIZE_T)-1;
    if (count > left)
        count = left;
    memcpy(into, input->bytes + input->position, count);
    input->position += count;
    return count;
}

static OPJ_OFF_T skip_bytes(OPJ_OFF_T count, void *data) {
    memory_input *input = data;
    if (count < 0)
        return -1;
    size_t left = input->length - input->position;
    if (left == 0 && count > 0)
        return -1;
    if ((uint64_t)count > left)
        count = (OPJ_OFF_T)left;
    input->position += (size_t)count;
    return count;
}

static OPJ_BOOL seek_to(OPJ_OFF_T position, void *data) {
    memory_input *input = data;
    if (position < 0 || (uint64_t)position > input->length)
        return OPJ_FALSE;
    input->position = (size_t)position;
    return OPJ_TRUE;
}

tessera_jp2_decoder *tessera_jp2_decoder_create(void) {
    const tessera_jp2_functions *library = tessera_jp2_library();
    tessera_jp2_decoder *decoder = library ? calloc(1, sizeof *decoder) : NULL;
    if (decoder)
        decoder->library = library;
    return decoder;
}

static void discard(tessera_jp2_decoder *decoder) {
    if (decoder->image)
        decoder->library->opj_image_destroy(decoder->image);
    decoder->image = NULL;
}

void tessera_jp2_decoder_destroy(tessera_jp2_decoder *decoder) {
    if (!decoder)
        return;
    discard(decoder);
    free(decoder);
}

const char *tessera_jp2_decoder_message(const tessera_jp2_decoder *decoder) {
    return decoder->outcome.message;
}

/// Records a failure for which OpenJPEG may have given a message.
static int32_t fail(tessera_jp2_decoder *decoder, int32_t status, const char *message) {
    tessera_outcome *outcome = &decoder->outcome;
    if (strstr(outcome->message, "emory") || strstr(outcome->message, "lloc"))
        status = TESSERA_NO_MEMORY;
    if (outcome->status == TESSERA_OK && outcome->message[0] != 0) {
        outcome->status = status;
        return status;
    }
    return tessera_fail(outcome, status, message);
}

/// Whether every component has the samples that its size promises.
static bool is_complete(const opj_image_t *image) {
    for (uint32_t index = 0; index < image->numcomps; index++) {
        const opj_image_comp_t *component = &image->comps[index];
        if (!component->data && component->w > 0 && component->h > 0)
            return false;
    }
    return true;
}

static int32_t decode(
    tessera_jp2_decoder *decoder, opj_codec_t *codec, opj_stream_t *stream, const tessera_jp2_part *part) {
    const tessera_jp2_functions *library = decoder->library;
    opj_dparameters_t parameters;
    library->opj_set_default_decoder_parameters(&parameters);
    parameters.cp_reduce = part->reduction;
    library->opj_set_error_handler(codec, tessera_jp2_complain, &decoder->outcome);
    if (!library->opj_setup_decoder(codec, &parameters) ||
        !library->opj_decoder_set_strict_mode(codec, !part->is_lenient))
        return fail(decoder, TESSERA_MISUSE, "the decoder can't be set up");
    // Where threads can't be started, one is enough.
    if (part->threads > 1)
        library->opj_codec_set_threads(codec, part->threads);
    if (!library->opj_read_header(stream, codec, &decoder->image))
        return fail(decoder, TESSERA_CORRUPT, "the header can't be read");
    if (!part->is_whole && !library->opj_set_decode_area(
                               codec, decoder->image, (int32_t)part->left, (int32_t)part->top, (int32_t)part->right,
                               (int32_t)part->bottom))
        return fail(decoder, TESSERA_CORRUPT, "the image has no such part");
    if (!library->opj_decode(codec, stream, decoder->image) || !is_complete(decoder->image))
        return fail(decoder, TESSERA_CORRUPT, "the data can't be decoded");
    // A complaint about data that was decoded isn't the next failure's reason.
    decoder->outcome.message[0] = 0;
    return TESSERA_OK;
}

int32_t tessera_jp2_decoder_decode(
    tessera_jp2_decoder *decoder, const uint8_t *bytes, size_t length, const tessera_jp2_part *part) {
    if (decoder->outcome.status != TESSERA_OK)
        return decoder->outcome.status;
    if (part->right > INT32_MAX || part->bottom > INT32_MAX)
        return fail(decoder, TESSERA_LIMIT, "the image lies too far from its origin");
    discard(decoder);
    const tessera_jp2_functions *library = decoder->library;
    memory_input input = {.bytes = bytes, .length = length};
    opj_codec_t *codec = library->opj_create_decompress(OPJ_CODEC_J2K);
    opj_stream_t *stream = library->opj_stream_create(1 << 16, OPJ_STREAM_READ);
    int32_t status = TESSERA_NO_MEMORY;
    if (codec && stream) {
        library->opj_stream_set_read_function(stream, read_bytes);
        library->opj_stream_set_skip_function(stream, skip_bytes);
        library->opj_stream_set_seek_function(stream, seek_to);
        library->opj_stream_set_user_data(stream, &input, NULL);
        library->opj_stream_set_user_data_length(stream, length);
        status = decode(decoder, codec, stream, part);
    } else {
        fail(decoder, TESSERA_NO_MEMORY, "no memory for a decoder");
    }
    if (stream)
        library->opj_stream_destroy(stream);
    if (codec)
        library->opj_destroy_codec(codec);
    if (status != TESSERA_OK)
        discard(decoder);
    return status;
}

// MARK: Samples

/// The component at `index` if it has samples.
static const opj_image_comp_t *component_at(const tessera_jp2_decoder *decoder, uint32_t index) {
    if (!decoder->image || index >= decoder->image->numcomps)
        return NULL;
    const opj_image_comp_t *component = &decoder->image->comps[index];
    return component->data && component->w > 0 && component->h > 0 ? component : NULL;
}

tessera_jp2_samples tessera_jp2_decoder_samples(const tessera_jp2_decoder *decoder, uint32_t index) {
    const opj_image_comp_t *component = component_at(decoder, index);
    tessera_jp2_samples samples = {0};
    if (!component)
        return samples;
    // The library gives the place at full size.
    uint64_t round = ((uint64_t)1 << component->factor) - 1;
    samples.x = (uint32_t)((component->x0 + round) >> component->factor);
    samples.y = (uint32_t)((component->y0 + round) >> component->factor);
    samples.width = component->w;
    samples.height = component->h;
    return samples;
}

int32_t tessera_jp2_decoder_read(
    const tessera_jp2_decoder *decoder, uint32_t index, uint32_t row, uint32_t first, const uint32_t *columns,
    uint32_t count, uint8_t shift, const uint16_t *table, uint16_t *into) {
    const opj_image_comp_t *component = component_at(decoder, index);
    if (!component || component->prec < 1 || component->prec > 31)
        return TESSERA_MISUSE;
    uint32_t last = component->w - 1;
    const int32_t *samples =
        component->data + (size_t)(row < component->h ? row : component->h - 1) * component->w;
    int64_t most = ((int64_t)1 << component->prec) - 1;
    int64_t raise = component->sgnd ? (int64_t)1 << (component->prec - 1) : 0;
    for (uint32_t x = 0; x < count; x++) {
        uint64_t column = columns ? columns[x] : (uint64_t)first + x;
        int64_t value = samples[column < last ? column : last] + raise;
        value = value < 0 ? 0 : value > most ? most : value;
        into[x] = table[value >> shift];
    }
    return TESSERA_OK;
}

int32_t tessera_jp2_decoder_read_rgba8(
    const tessera_jp2_decoder *decoder, uint32_t row, uint32_t first, uint32_t count, uint8_t *into) {
    const int32_t *channels[3];
    for (uint32_t index = 0; index < 3; index++) {
        const opj_image_comp_t *component = component_at(decoder, index);
        if (!component || component->prec != 8 || component->sgnd || row >= component->h ||
            first > component->w || count > component->w - first)
            return TESSERA_MISUSE;
        channels[index] = component->data + (size_t)row * component->w + first;
    }
    // The library has limited the samples to their range.
    for (uint32_t x = 0; x < count; x++) {
        into[4 * (size_t)x] = (uint8_t)channels[0][x];
        into[4 * (size_t)x + 1] = (uint8_t)channels[1][x];
        into[4 * (size_t)x + 2] = (uint8_t)channels[2][x];
        into[4 * (size_t)x + 3] = 255;
    }
    return TESSERA_OK;
}

#else

tessera_jp2_decoder *tessera_jp2_decoder_create(void) { return NULL; }
void tessera_jp2_decoder_destroy(tessera_jp2_decoder *decoder) {}
const char *tessera_jp2_decoder_message(const tessera_jp2_decoder *decoder) { return "OpenJPEG is absent"; }
int32_t tessera_jp2_decoder_decode(
    tessera_jp2_decoder *decoder, const uint8_t *bytes, size_t length, const tessera_jp2_part *part) {
    return TESSERA_UNSUPPORTED;
}
tessera_jp2_samples tessera_jp2_decoder_samples(const tessera_jp2_decoder *decoder, uint32_t index) {
    return (tessera_jp2_samples){0};
}
int32_t tessera_jp2_decoder_read(
    const tessera_jp2_decoder *decoder, uint32_t index, uint32_t row, uint32_t first, const uint32_t *columns,
    uint32_t count, uint8_t shift, const uint16_t *table, uint16_t *into) {
    return TESSERA_UNSUPPORTED;
}
int32_t tessera_jp2_decoder_read_rgba8(
    const tessera_jp2_decoder *decoder, uint32_t row, uint32_t first, uint32_t count, uint8_t *into) {
    return TESSERA_UNSUPPORTED;
}

#endif
