#include "include/CTesseraJXL.h"

#include <pthread.h>
#include <stdlib.h>

// libjxl 0.7 decompresses boxes too, but takes a truncated one for complete, and what it hasn't written for contents. Brotli's
// own library, which libjxl needs, tells them apart.
#if __has_include(<brotli/decode.h>)

#include <brotli/decode.h>

#if __APPLE__
#define LIBRARY_NAME "libbrotlidec.1.dylib"
#else
#define LIBRARY_NAME "libbrotlidec.so.1"
#endif

#define FUNCTIONS(EACH)                \
    EACH(BrotliDecoderCreateInstance)  \
    EACH(BrotliDecoderDestroyInstance) \
    EACH(BrotliDecoderDecompressStream)

static struct {
    FUNCTIONS(TESSERA_FUNCTION_MEMBER)
} library;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    static const char *const names[] = {FUNCTIONS(TESSERA_FUNCTION_NAME)};
    is_loaded = tessera_load_functions(LIBRARY_NAME, names, sizeof names / sizeof *names, &library);
}

enum { FIRST_CAPACITY = 1 << 12 };

static int32_t decompress(
    BrotliDecoderState *state, const uint8_t *bytes, size_t length, size_t maximum_length, uint8_t **contents,
    size_t *contents_length) {
    size_t capacity = 0;
    for (;;) {
        size_t left = capacity - *contents_length;
        uint8_t *next = *contents ? *contents + *contents_length : NULL;
        BrotliDecoderResult result =
            library.BrotliDecoderDecompressStream(state, &length, &bytes, &left, &next, NULL);
        *contents_length = capacity - left;
        if (result == BROTLI_DECODER_RESULT_SUCCESS)
            return TESSERA_OK;
        if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT)
            return TESSERA_TRUNCATED;
        if (result != BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT)
            return TESSERA_CORRUPT;
        if (capacity >= maximum_length)
            return TESSERA_LIMIT;
        capacity = capacity == 0 ? FIRST_CAPACITY : capacity <= maximum_length / 2 ? capacity * 2 : maximum_length;
        if (capacity > maximum_length)
            capacity = maximum_length;
        uint8_t *grown = realloc(*contents, capacity);
        if (!grown)
            return TESSERA_NO_MEMORY;
        *contents = grown;
    }
}

int32_t tessera_jxl_decompress(
    const uint8_t *bytes, size_t length, uint64_t maximum_length, uint8_t **contents, size_t *contents_length) {
    *contents = NULL;
    *contents_length = 0;
    pthread_once(&once, load);
    if (!is_loaded)
        return TESSERA_UNSUPPORTED;
    BrotliDecoderState *state = library.BrotliDecoderCreateInstance(NULL, NULL, NULL);
    if (!state)
        return TESSERA_NO_MEMORY;
    size_t limit = maximum_length < SIZE_MAX ? (size_t)maximum_length : SIZE_MAX;
    int32_t status = decompress(state, bytes, length, limit, contents, contents_length);
    library.BrotliDecoderDestroyInstance(state);
    if (status < 0) {
        free(*contents);
        *contents = NULL;
        *contents_length = 0;
    }
    return status;
}

#else

int32_t tessera_jxl_decompress(
    const uint8_t *bytes, size_t length, uint64_t maximum_length, uint8_t **contents, size_t *contents_length) {
    (void)bytes, (void)length, (void)maximum_length;
    *contents = NULL;
    *contents_length = 0;
    return TESSERA_UNSUPPORTED;
}

#endif
