#include "library.h"

#include <stdlib.h>
#include <string.h>

#ifdef TESSERA_JP2_IS_BUILT

struct tessera_jp2_encoder {
    const tessera_jp2_functions *library;
    opj_codec_t *codec;
    opj_stream_t *stream;
    opj_image_t *image;
    /// The codestream so far; the library seeks back to lengths in it.
    uint8_t *output;
    size_t length;
    size_t capacity;
    size_t position;
    tessera_outcome outcome;
};

static bool make_room(tessera_jp2_encoder *encoder, size_t end) {
    if (end <= encoder->capacity)
        return true;
    size_t capacity = encoder->capacity < 1 << 16 ? 1 << 16 : encoder->capacity;
    while (capacity < end) {
        if (capacity > SIZE_MAX / 2)
            return false;
        capacity *= 2;
    }
    uint8_t *larger = realloc(encoder->output, capacity);
    if (!larger)
        return false;
    encoder->output = larger;
    encoder->capacity = capacity;
    return true;
}

static OPJ_SIZE_T write_bytes(void *bytes, OPJ_SIZE_T count, void *data) {
    tessera_jp2_encoder *encoder = data;
    if (count > SIZE_MAX - encoder->position || !make_room(encoder, encoder->position + count))
        return (OPJ_SIZE_T)-1;
    memcpy(encoder->output + encoder->position, bytes, count);
    encoder->position += count;
    if (encoder->position > encoder->length)
        encoder->length = encoder->position;
    return count;
}

static OPJ_BOOL seek_to(OPJ_OFF_T position, void *data) {
    tessera_jp2_encoder *encoder = data;
    if (position < 0 || (uint64_t)position > encoder->length)
        return OPJ_FALSE;
    encoder->position = (size_t)position;
    return OPJ_TRUE;
}

static OPJ_OFF_T skip_bytes(OPJ_OFF_T count, void *data) {
    tessera_jp2_encoder *encoder = data;
    return seek_to((OPJ_OFF_T)encoder->position + count, data) ? count : -1;
}

tessera_jp2_encoder *tessera_jp2_encoder_create(void) {
    const tessera_jp2_functions *library = tessera_jp2_library();
    tessera_jp2_encoder *encoder = library ? calloc(1, sizeof *encoder) : NULL;
    if (encoder)
        encoder->library = library;
    return encoder;
}

static void end(tessera_jp2_encoder *encoder) {
    const tessera_jp2_functions *library = encoder->library;
    if (encoder->stream)
        library->opj_stream_destroy(encoder->stream);
    if (encoder->codec)
        library->opj_destroy_codec(encoder->codec);
    if (encoder->image)
        library->opj_image_destroy(encoder->image);
    encoder->stream = NULL;
    encoder->codec = NULL;
    encoder->image = NULL;
}

void tessera_jp2_encoder_destroy(tessera_jp2_encoder *encoder) {
    if (!encoder)
        return;
    end(encoder);
    free(encoder->output);
    free(encoder);
}

const char *tessera_jp2_encoder_message(const tessera_jp2_encoder *encoder) {
    return encoder->outcome.message;
}

static int32_t fail(tessera_jp2_encoder *encoder, int32_t status, const char *message) {
    tessera_outcome *outcome = &encoder->outcome;
    if (outcome->status == TESSERA_OK && outcome->message[0] != 0) {
        outcome->status = status;
        return status;
    }
    return tessera_fail(outcome, status, message);
}

static int larger(uint32_t a, uint32_t b) {
    return (int)(a > b ? a : b);
}

static void set(opj_cparameters_t *parameters, const tessera_jp2_encoding *encoding) {
    parameters->tile_size_on = OPJ_TRUE;
    parameters->cp_tx0 = (int)encoding->left;
    parameters->cp_ty0 = (int)encoding->top;
    // The library wants a tile that is as large as one sample of the smallest resolution.
    parameters->cp_tdx = larger(encoding->right - encoding->left, 1u << encoding->levels);
    parameters->cp_tdy = larger(encoding->bottom - encoding->top, 1u << encoding->levels);
    parameters->numresolution = encoding->levels + 1;
    parameters->irreversible = !encoding->is_lossless;
    parameters->tcp_mct = encoding->components >= 3;
    // Packets of a resolution are together, so that a reader of small versions finds them at the front.
    parameters->prog_order = OPJ_RPCL;
    parameters->tcp_numlayers = encoding->layers;
    if (encoding->is_lossless && encoding->layers == 1) {
        parameters->cp_disto_alloc = 1;
        parameters->tcp_rates[0] = 0;
        return;
    }
    parameters->cp_fixed_quality = 1;
    for (int layer = 0; layer < encoding->layers; layer++)
        parameters->tcp_distoratio[layer] = encoding->ratios[layer];
    // 0 stands for no loss.
    if (encoding->is_lossless)
        parameters->tcp_distoratio[encoding->layers - 1] = 0;
}

static int32_t begin(tessera_jp2_encoder *encoder, const tessera_jp2_encoding *encoding) {
    const tessera_jp2_functions *library = encoder->library;
    opj_image_cmptparm_t components[4] = {0};
    for (int index = 0; index < encoding->components; index++) {
        components[index].dx = 1;
        components[index].dy = 1;
        components[index].x0 = encoding->left;
        components[index].y0 = encoding->top;
        components[index].w = encoding->right - encoding->left;
        components[index].h = encoding->bottom - encoding->top;
        components[index].prec = encoding->bits;
    }
    encoder->image = library->opj_image_tile_create(
        encoding->components, components, encoding->components >= 3 ? OPJ_CLRSPC_SRGB : OPJ_CLRSPC_GRAY);
    encoder->codec = library->opj_create_compress(OPJ_CODEC_J2K);
    encoder->stream = library->opj_stream_create(1 << 16, OPJ_STREAM_WRITE);
    // Large, and not for the stack of a worker's thread.
    opj_cparameters_t *parameters = calloc(1, sizeof *parameters);
    if (!encoder->image || !encoder->codec || !encoder->stream || !parameters) {
        free(parameters);
        return fail(encoder, TESSERA_NO_MEMORY, "no memory for an encoder");
    }
    encoder->image->x0 = encoding->left;
    encoder->image->y0 = encoding->top;
    encoder->image->x1 = encoding->right;
    encoder->image->y1 = encoding->bottom;
    library->opj_set_error_handler(encoder->codec, tessera_jp2_complain, &encoder->outcome);
    library->opj_set_default_encoder_parameters(parameters);
    set(parameters, encoding);
    OPJ_BOOL is_set = library->opj_setup_encoder(encoder->codec, parameters, encoder->image);
    free(parameters);
    if (!is_set)
        return fail(encoder, TESSERA_UNSUPPORTED, "the encoder can't be set up");
    if (encoding->threads > 1)
        library->opj_codec_set_threads(encoder->codec, encoding->threads);
    library->opj_stream_set_write_function(encoder->stream, write_bytes);
    library->opj_stream_set_skip_function(encoder->stream, skip_bytes);
    library->opj_stream_set_seek_function(encoder->stream, seek_to);
    library->opj_stream_set_user_data(encoder->stream, encoder, NULL);
    if (!library->opj_start_compress(encoder->codec, encoder->image, encoder->stream))
        return fail(encoder, TESSERA_NO_MEMORY, "the header can't be written");
    return TESSERA_OK;
}

int32_t tessera_jp2_encoder_encode(
    tessera_jp2_encoder *encoder, const tessera_jp2_encoding *encoding, const uint8_t *samples, uint32_t length) {
    if (encoder->outcome.status != TESSERA_OK)
        return encoder->outcome.status;
    if (encoder->length > 0 || encoding->components < 1 || encoding->components > 4 || encoding->layers < 1 ||
        encoding->layers > TESSERA_JP2_MAXIMUM_LAYERS || encoding->levels > 30 ||
        (encoding->bits != 8 && encoding->bits != 16) || encoding->right > INT32_MAX ||
        encoding->bottom > INT32_MAX || encoding->left >= encoding->right || encoding->top >= encoding->bottom)
        return fail(encoder, TESSERA_MISUSE, "the tile can't be encoded");
    int32_t status = begin(encoder, encoding);
    // The library reads the samples only.
    if (status == TESSERA_OK && !encoder->library->opj_write_tile(
                                    encoder->codec, 0, (OPJ_BYTE *)samples, length, encoder->stream))
        status = fail(encoder, TESSERA_NO_MEMORY, "the tile can't be compressed");
    if (status == TESSERA_OK && !encoder->library->opj_end_compress(encoder->codec, encoder->stream))
        status = fail(encoder, TESSERA_NO_MEMORY, "the codestream can't be ended");
    end(encoder);
    return status;
}

const uint8_t *tessera_jp2_encoder_output(const tessera_jp2_encoder *encoder, size_t *length) {
    *length = encoder->length;
    return encoder->output;
}

#else

tessera_jp2_encoder *tessera_jp2_encoder_create(void) { return NULL; }
void tessera_jp2_encoder_destroy(tessera_jp2_encoder *encoder) {}
const char *tessera_jp2_encoder_message(const tessera_jp2_encoder *encoder) { return "OpenJPEG is absent"; }
int32_t tessera_jp2_encoder_encode(
    tessera_jp2_encoder *encoder, const tessera_jp2_encoding *encoding, const uint8_t *samples, uint32_t length) {
    return TESSERA_UNSUPPORTED;
}
const uint8_t *tessera_jp2_encoder_output(const tessera_jp2_encoder *encoder, size_t *length) {
    *length = 0;
    return NULL;
}

#endif
