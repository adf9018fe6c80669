#include "file.h"

#include <stdlib.h>
#include <string.h>

#if __has_include(<tiffio.h>)

struct tessera_tiff_encoder {
    tessera_tiff_file file;
    /// Room for the file's bytes, which libtiff also reads: directories that it links to the next one.
    uint8_t *bytes;
    size_t capacity;
    bool tiled;
};

static tmsize_t write_bytes(thandle_t client, void *from, tmsize_t count) {
    tessera_tiff_encoder *encoder = (tessera_tiff_encoder *)client;
    tessera_tiff_file *file = &encoder->file;
    if (count <= 0 || file->position > SIZE_MAX / 2 || (uint64_t)count > SIZE_MAX / 2) return 0;
    uint64_t end = file->position + (uint64_t)count;
    if (end > encoder->capacity) {
        size_t capacity = encoder->capacity < 65536 ? 65536 : encoder->capacity;
        while (capacity < end) capacity += capacity / 2;
        uint8_t *grown = realloc(encoder->bytes, capacity);
        if (grown == NULL) {
            tessera_tiff_complain(file, "no memory for the file");
            return 0;
        }
        encoder->bytes = grown;
        encoder->capacity = capacity;
        file->input.bytes = grown;
    }
    if (file->position > file->input.length) memset(encoder->bytes + file->input.length, 0, file->position - file->input.length);
    memcpy(encoder->bytes + file->position, from, (size_t)count);
    file->position = end;
    if (end > file->input.length) file->input.length = end;
    return count;
}

static int32_t outcome(tessera_tiff_encoder *encoder, bool done, const char *text) {
    if (done) return TESSERA_OK;
    tessera_tiff_complain(&encoder->file, text);
    return TESSERA_NO_MEMORY;
}

tessera_tiff_encoder *tessera_tiff_encoder_create(bool big) {
    tessera_tiff_encoder *encoder = calloc(1, sizeof *encoder);
    if (encoder == NULL) return NULL;
    if (!tessera_tiff_open(&encoder->file, big ? "w8m" : "wm", write_bytes, INT64_MAX)) {
        tessera_tiff_encoder_destroy(encoder);
        return NULL;
    }
    return encoder;
}

void tessera_tiff_encoder_destroy(tessera_tiff_encoder *encoder) {
    if (encoder == NULL) return;
    // Writes what is pending, to memory that is freed next.
    if (encoder->file.tiff != NULL) TIFFClose(encoder->file.tiff);
    free(encoder->bytes);
    free(encoder);
}

const char *tessera_tiff_encoder_message(const tessera_tiff_encoder *encoder) { return encoder->file.message; }

static uint16_t compression(uint16_t wanted) {
    switch (wanted) {
    case TESSERA_TIFF_COMPRESSION_LZW: return COMPRESSION_LZW;
    case TESSERA_TIFF_COMPRESSION_DEFLATE: return COMPRESSION_ADOBE_DEFLATE;
    case TESSERA_TIFF_COMPRESSION_JPEG: return COMPRESSION_JPEG;
    default: return COMPRESSION_NONE;
    }
}

static bool set_compression(TIFF *tiff, const tessera_tiff_page *page) {
    bool done = TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression(page->compression));
    bool is_jpeg = page->compression == TESSERA_TIFF_COMPRESSION_JPEG;
    uint16_t photometric = page->samples == 1 ? PHOTOMETRIC_MINISBLACK
                           : is_jpeg          ? PHOTOMETRIC_YCBCR
                                              : PHOTOMETRIC_RGB;
    done = done && TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, photometric);
    switch (page->compression) {
    case TESSERA_TIFF_COMPRESSION_LZW:
    case TESSERA_TIFF_COMPRESSION_DEFLATE:
        return done && TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
    case TESSERA_TIFF_COMPRESSION_JPEG:
        if (photometric == PHOTOMETRIC_YCBCR) {
            done = done && TIFFSetField(
                tiff, TIFFTAG_YCBCRSUBSAMPLING, page->horizontal_subsampling, page->vertical_subsampling);
            done = done && TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        }
        return done && TIFFSetField(tiff, TIFFTAG_JPEGQUALITY, page->quality);
    default: return done;
    }
}

int32_t tessera_tiff_encoder_begin_page(tessera_tiff_encoder *encoder, const tessera_tiff_page *page) {
    TIFF *tiff = encoder->file.tiff;
    if (tiff == NULL) return outcome(encoder, false, "the file is finished");
    bool done = TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, page->width);
    done = done && TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, page->height);
    done = done && TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, page->bits);
    done = done && TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, page->samples);
    done = done && TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    done = done && TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    done = done && TIFFSetField(tiff, TIFFTAG_ORIENTATION, page->orientation);
    if (page->samples == 4) {
        uint16_t kind = EXTRASAMPLE_UNASSALPHA;
        done = done && TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind);
    }
    done = done && set_compression(tiff, page);
    encoder->tiled = page->tile_width > 0;
    if (encoder->tiled) {
        done = done && TIFFSetField(tiff, TIFFTAG_TILEWIDTH, page->tile_width);
        done = done && TIFFSetField(tiff, TIFFTAG_TILELENGTH, page->tile_height);
    } else {
        done = done && TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, page->rows_per_strip);
    }
    if (page->pages > 0) {
        done = done && TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
        done = done && TIFFSetField(tiff, TIFFTAG_PAGENUMBER, page->page, page->pages);
    }
    if (page->horizontal_resolution > 0 && page->vertical_resolution > 0) {
        done = done && TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
        done = done && TIFFSetField(tiff, TIFFTAG_XRESOLUTION, page->horizontal_resolution);
        done = done && TIFFSetField(tiff, TIFFTAG_YRESOLUTION, page->vertical_resolution);
    }
    return outcome(encoder, done, "the page can't be described");
}

int32_t tessera_tiff_encoder_set_bytes(
    tessera_tiff_encoder *encoder, uint32_t tag, const uint8_t *bytes, uint32_t length) {
    bool done = encoder->file.tiff != NULL && TIFFSetField(encoder->file.tiff, tag, length, bytes);
    return outcome(encoder, done, "metadata can't be kept");
}

int32_t tessera_tiff_encoder_set_text(tessera_tiff_encoder *encoder, uint32_t tag, const char *text) {
    bool done = encoder->file.tiff != NULL && TIFFSetField(encoder->file.tiff, tag, text);
    return outcome(encoder, done, "metadata can't be kept");
}

int32_t tessera_tiff_encoder_set_directory(tessera_tiff_encoder *encoder, uint32_t tag, uint64_t offset) {
    bool done = encoder->file.tiff != NULL && TIFFSetField(encoder->file.tiff, tag, offset);
    return outcome(encoder, done, "metadata can't be kept");
}

uint64_t tessera_tiff_encoder_position(tessera_tiff_encoder *encoder) {
    return (encoder->file.input.length + 1) / 2 * 2;
}

int32_t tessera_tiff_encoder_append(tessera_tiff_encoder *encoder, const uint8_t *bytes, size_t length) {
    encoder->file.position = tessera_tiff_encoder_position(encoder);
    bool done = encoder->file.tiff != NULL && length <= INT64_MAX &&
                write_bytes(encoder, (void *)bytes, (tmsize_t)length) == (tmsize_t)length;
    return outcome(encoder, done, "metadata can't be kept");
}

typedef tmsize_t (*chunk_writer)(TIFF *, uint32_t, void *, tmsize_t);

static int32_t write_by(
    chunk_writer writer, tessera_tiff_encoder *encoder, uint32_t chunk, uint8_t *bytes, size_t length) {
    bool done = encoder->file.tiff != NULL && length <= INT64_MAX &&
                writer(encoder->file.tiff, chunk, bytes, (tmsize_t)length) >= 0;
    return outcome(encoder, done, "a strip or tile can't be written");
}

int32_t tessera_tiff_encoder_write_chunk(
    tessera_tiff_encoder *encoder, uint32_t chunk, uint8_t *bytes, size_t length) {
    return write_by(encoder->tiled ? TIFFWriteEncodedTile : TIFFWriteEncodedStrip, encoder, chunk, bytes, length);
}

int32_t tessera_tiff_encoder_write_packed(
    tessera_tiff_encoder *encoder, uint32_t chunk, uint8_t *bytes, size_t length) {
    return write_by(encoder->tiled ? TIFFWriteRawTile : TIFFWriteRawStrip, encoder, chunk, bytes, length);
}

int32_t tessera_tiff_pack(
    const tessera_tiff_page *page, uint32_t rows, uint8_t *bytes, size_t length, uint8_t **packed,
    size_t *packed_length) {
    *packed = NULL;
    *packed_length = 0;
    // A file of the strip or tile alone.
    tessera_tiff_page alone = *page;
    alone.height = rows;
    alone.rows_per_strip = rows;
    if (page->tile_width > 0) alone.width = page->tile_width;
    tessera_tiff_encoder *encoder = tessera_tiff_encoder_create(false);
    if (encoder == NULL) return TESSERA_NO_MEMORY;
    int32_t status = tessera_tiff_encoder_begin_page(encoder, &alone);
    if (status == TESSERA_OK) status = tessera_tiff_encoder_write_chunk(encoder, 0, bytes, length);
    if (status == TESSERA_OK) {
        uint64_t offset = TIFFGetStrileOffset(encoder->file.tiff, 0);
        uint64_t count = TIFFGetStrileByteCount(encoder->file.tiff, 0);
        uint64_t end = encoder->file.input.length;
        status = TESSERA_NO_MEMORY;
        if (count > 0 && offset <= end && count <= end - offset) *packed = malloc((size_t)count);
        if (*packed != NULL) {
            memcpy(*packed, encoder->bytes + offset, (size_t)count);
            *packed_length = (size_t)count;
            status = TESSERA_OK;
        }
    }
    tessera_tiff_encoder_destroy(encoder);
    return status;
}

int32_t tessera_tiff_encoder_end_page(tessera_tiff_encoder *encoder) {
    return outcome(
        encoder, encoder->file.tiff != NULL && TIFFWriteDirectory(encoder->file.tiff),
        "the directory can't be written");
}

int32_t tessera_tiff_encoder_finish(tessera_tiff_encoder *encoder) {
    if (encoder->file.tiff == NULL) return outcome(encoder, false, "the file is finished");
    TIFFClose(encoder->file.tiff);
    encoder->file.tiff = NULL;
    return outcome(encoder, encoder->file.message[0] == 0, "the file can't be written");
}

const uint8_t *tessera_tiff_encoder_output(const tessera_tiff_encoder *encoder, size_t *length) {
    *length = (size_t)encoder->file.input.length;
    return encoder->bytes;
}

#else

tessera_tiff_encoder *tessera_tiff_encoder_create(bool big) { return NULL; }
void tessera_tiff_encoder_destroy(tessera_tiff_encoder *encoder) {}
const char *tessera_tiff_encoder_message(const tessera_tiff_encoder *encoder) { return "libtiff is absent"; }
int32_t tessera_tiff_encoder_begin_page(tessera_tiff_encoder *encoder, const tessera_tiff_page *page) {
    return TESSERA_UNSUPPORTED;
}
int32_t tessera_tiff_encoder_set_bytes(
    tessera_tiff_encoder *encoder, uint32_t tag, const uint8_t *bytes, uint32_t length) {
    return TESSERA_UNSUPPORTED;
}
int32_t tessera_tiff_encoder_set_text(tessera_tiff_encoder *encoder, uint32_t tag, const char *text) {
    return TESSERA_UNSUPPORTED;
}
int32_t tessera_tiff_encoder_set_directory(tessera_tiff_encoder *encoder, uint32_t tag, uint64_t offset) {
    return TESSERA_UNSUPPORTED;
}
uint64_t tessera_tiff_encoder_position(tessera_tiff_encoder *encoder) { return 0; }
int32_t tessera_tiff_encoder_append(tessera_tiff_encoder *encoder, const uint8_t *bytes, size_t length) {
    return TESSERA_UNSUPPORTED;
}
int32_t tessera_tiff_encoder_write_chunk(
    tessera_tiff_encoder *encoder, uint32_t chunk, uint8_t *bytes, size_t length) {
    return TESSERA_UNSUPPORTED;
}
int32_t tessera_tiff_encoder_write_packed(
    tessera_tiff_encoder *encoder, uint32_t chunk, uint8_t *bytes, size_t length) {
    return TESSERA_UNSUPPORTED;
}
int32_t tessera_tiff_pack(
    const tessera_tiff_page *page, uint32_t rows, uint8_t *bytes, size_t length, uint8_t **packed,
    size_t *packed_length) {
    *packed = NULL;
    *packed_length = 0;
    return TESSERA_UNSUPPORTED;
}
int32_t tessera_tiff_encoder_end_page(tessera_tiff_encoder *encoder) { return TESSERA_UNSUPPORTED; }
int32_t tessera_tiff_encoder_finish(tessera_tiff_encoder *encoder) { return TESSERA_UNSUPPORTED; }
const uint8_t *tessera_tiff_encoder_output(const tessera_tiff_encoder *encoder, size_t *length) {
    *length = 0;
    return NULL;
}

#endif
