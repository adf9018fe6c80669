#include "file.h"

#include <stdlib.h>
#include <string.h>

#if __has_include(<tiffio.h>)

#include <CTesseraKernels.h>

struct tessera_tiff_decoder {
    /// The bytes are valid for the duration of a call.
    tessera_tiff_file file;
    uint64_t maximum_allocation;
    uint64_t directory;
    tessera_tiff_picture picture;
    /// A strip was abandoned halfway: libtiff would continue there.
    bool interrupted;
    /// A strip was unpacked as a whole: libtiff's row is its first, but the codec is at its end.
    bool unpacked_whole;
    /// The row that libtiff would unpack next.
    uint32_t next_row;
    /// Whether strips and tiles are plain LZW, and whether rows are differences.
    bool is_lzw;
    bool has_differences;
    /// Room for the packed bytes of a strip or tile.
    uint8_t *packed;
    size_t packed_capacity;
};

static void lend(tessera_tiff_decoder *decoder, const tessera_tiff_input *input) {
    decoder->file.input = *input;
    decoder->file.message[0] = 0;
}

static int32_t end_lending(tessera_tiff_decoder *decoder, int32_t status) {
    memset(&decoder->file.input, 0, sizeof decoder->file.input);
    return status;
}

static int32_t fail(tessera_tiff_decoder *decoder, int32_t status, const char *text) {
    tessera_tiff_complain(&decoder->file, text);
    return status;
}

tessera_tiff_decoder *tessera_tiff_decoder_create(uint64_t maximum_allocation) {
    tessera_tiff_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder != NULL) decoder->maximum_allocation = maximum_allocation;
    return decoder;
}

void tessera_tiff_decoder_destroy(tessera_tiff_decoder *decoder) {
    if (decoder == NULL) return;
    if (decoder->file.tiff != NULL) TIFFClose(decoder->file.tiff);
    free(decoder->packed);
    free(decoder);
}

const char *tessera_tiff_decoder_message(const tessera_tiff_decoder *decoder) { return decoder->file.message; }

// MARK: Directories

static int32_t read_directory(tessera_tiff_decoder *decoder) {
    // h: the header only; m: no mapping, as the bytes are lent from call to call; O: offsets of strips and tiles are
    // read when needed, since a large image has millions.
    if (decoder->file.tiff == NULL && !tessera_tiff_open(&decoder->file, "rhmO", NULL, decoder->maximum_allocation)) {
        return fail(decoder, TESSERA_CORRUPT, "the header can't be read");
    }
    if (!TIFFSetSubDirectory(decoder->file.tiff, decoder->directory)) {
        return fail(decoder, TESSERA_CORRUPT, "the directory can't be read");
    }
    return TESSERA_OK;
}

/// Selects the simplest form that libtiff can unpack to.
static void choose_output(TIFF *tiff, tessera_tiff_picture *picture) {
    switch (picture->photometric) {
    case PHOTOMETRIC_YCBCR:
        if (picture->compression == COMPRESSION_JPEG && !picture->planar) {
            TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
            picture->photometric = PHOTOMETRIC_RGB;
        } else {
            picture->needs_rgba = true;
        }
        break;
    case PHOTOMETRIC_LOGL:
    case PHOTOMETRIC_LOGLUV:
        if (picture->compression == COMPRESSION_SGILOG || picture->compression == COMPRESSION_SGILOG24) {
            TIFFSetField(tiff, TIFFTAG_SGILOGDATAFMT, SGILOGDATAFMT_8BIT);
            picture->photometric =
                picture->photometric == PHOTOMETRIC_LOGL ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB;
            picture->bits = 8;
            picture->sample_format = SAMPLEFORMAT_UINT;
        }
        break;
    default: break;
    }
    if (picture->compression == COMPRESSION_OJPEG) picture->needs_rgba = true;
}

/// Finds whether the kernel for LZW does all that unpacking takes: bits and bytes in order, and differences at most.
static void find_lzw(tessera_tiff_decoder *decoder) {
    TIFF *tiff = decoder->file.tiff;
    const tessera_tiff_picture *picture = &decoder->picture;
    uint16_t predictor = 1, order = FILLORDER_MSB2LSB;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_FILLORDER, &order);
    if (picture->compression == COMPRESSION_LZW) TIFFGetField(tiff, TIFFTAG_PREDICTOR, &predictor);
    bool is_ordered = picture->bits <= 8 || !TIFFIsByteSwapped(tiff);
    decoder->has_differences = predictor == 2;
    decoder->is_lzw = picture->compression == COMPRESSION_LZW && order == FILLORDER_MSB2LSB && is_ordered &&
                      (predictor == 1 || (predictor == 2 && (picture->bits == 8 || picture->bits == 16)));
}

static int32_t describe(tessera_tiff_decoder *decoder) {
    TIFF *tiff = decoder->file.tiff;
    tessera_tiff_picture picture = {0};
    uint16_t planar = PLANARCONFIG_CONTIG;
    if (!TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &picture.width) ||
        !TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &picture.height)) {
        return fail(decoder, TESSERA_CORRUPT, "the directory gives no size");
    }
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &picture.bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &picture.samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &picture.sample_format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &picture.compression);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_INKSET, &picture.ink_set);
    if (!TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &picture.photometric)) picture.photometric = UINT16_MAX;
    uint16_t *kinds = NULL;
    if (!TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &picture.extra_samples, &kinds)) picture.extra_samples = 0;
    picture.planar = planar == PLANARCONFIG_SEPARATE && picture.samples > 1;
    // jbigkit ends the process if it can't allocate the memory that a stream needs.
    if (!TIFFIsCODECConfigured(picture.compression) || picture.compression == COMPRESSION_JBIG) {
        return fail(decoder, TESSERA_UNSUPPORTED, "its compression isn't read here");
    }
    choose_output(tiff, &picture);
    if (TIFFIsTiled(tiff)) {
        TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &picture.tile_width);
        TIFFGetField(tiff, TIFFTAG_TILELENGTH, &picture.tile_height);
        picture.chunk_bytes = TIFFTileSize64(tiff);
        picture.row_bytes = TIFFTileRowSize64(tiff);
        picture.chunks = TIFFNumberOfTiles(tiff);
    } else {
        TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &picture.rows_per_strip);
        if (picture.rows_per_strip > picture.height) picture.rows_per_strip = picture.height;
        picture.chunk_bytes = TIFFVStripSize64(tiff, picture.rows_per_strip);
        picture.row_bytes = TIFFScanlineSize64(tiff);
        picture.chunks = TIFFNumberOfStrips(tiff);
    }
    bool empty = picture.chunk_bytes == 0 || picture.row_bytes == 0 || picture.chunks == 0;
    if (empty || (TIFFIsTiled(tiff) ? picture.tile_width == 0 || picture.tile_height == 0
                                    : picture.rows_per_strip == 0)) {
        return fail(decoder, TESSERA_CORRUPT, "its strips or tiles are empty");
    }
    decoder->picture = picture;
    decoder->next_row = 0;
    find_lzw(decoder);
    return TESSERA_OK;
}

int32_t tessera_tiff_decoder_open(
    tessera_tiff_decoder *decoder, const tessera_tiff_input *input, uint64_t offset,
    tessera_tiff_picture *picture) {
    lend(decoder, input);
    decoder->directory = offset;
    decoder->interrupted = false;
    memset(&decoder->picture, 0, sizeof decoder->picture);
    int32_t status = read_directory(decoder);
    if (status == TESSERA_OK) status = describe(decoder);
    *picture = decoder->picture;
    return end_lending(decoder, status);
}

uint16_t tessera_tiff_decoder_extra_sample(const tessera_tiff_decoder *decoder, uint16_t index) {
    uint16_t count = 0;
    uint16_t *kinds = NULL;
    if (decoder->file.tiff == NULL || !TIFFGetField(decoder->file.tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds)) return 0;
    return index < count ? kinds[index] : 0;
}

int32_t tessera_tiff_decoder_palette(tessera_tiff_decoder *decoder, uint16_t *colors, uint32_t count) {
    uint16_t *channels[3] = {NULL, NULL, NULL};
    decoder->file.message[0] = 0;
    if (decoder->file.tiff == NULL || decoder->picture.bits > 16 || count > (uint32_t)1 << decoder->picture.bits) {
        return fail(decoder, TESSERA_MISUSE, "the palette has fewer colours");
    }
    if (!TIFFGetField(decoder->file.tiff, TIFFTAG_COLORMAP, &channels[0], &channels[1], &channels[2])) {
        return fail(decoder, TESSERA_CORRUPT, "the palette is missing");
    }
    for (int channel = 0; channel < 3; channel++) {
        memcpy(colors + (size_t)channel * count, channels[channel], count * sizeof *colors);
    }
    return TESSERA_OK;
}

bool tessera_tiff_decoder_extent(
    tessera_tiff_decoder *decoder, const tessera_tiff_input *input, uint32_t chunk, uint64_t *offset,
    uint64_t *count) {
    if (decoder->file.tiff == NULL || chunk >= decoder->picture.chunks) return false;
    // Not `lend`: the message of the failure in question stays.
    decoder->file.input = *input;
    int error = 0;
    *offset = TIFFGetStrileOffsetWithErr(decoder->file.tiff, chunk, &error);
    if (!error) *count = TIFFGetStrileByteCountWithErr(decoder->file.tiff, chunk, &error);
    end_lending(decoder, TESSERA_OK);
    return !error;
}

// MARK: Pixels

/// Resets libtiff's position.
static int32_t resume(tessera_tiff_decoder *decoder) {
    if (decoder->file.tiff == NULL || decoder->picture.chunks == 0) {
        return fail(decoder, TESSERA_MISUSE, "no directory was opened");
    }
    if (!decoder->interrupted) return TESSERA_OK;
    int32_t status = read_directory(decoder);
    if (status == TESSERA_OK) status = describe(decoder);
    if (status == TESSERA_OK) decoder->interrupted = false;
    return status;
}

/// The rows of a strip or tile: of the last strip, those that the image has.
static uint32_t rows_in(const tessera_tiff_picture *picture, uint32_t chunk) {
    if (picture->tile_width > 0) return picture->tile_height;
    uint32_t strips = (picture->height + picture->rows_per_strip - 1) / picture->rows_per_strip;
    uint32_t first = chunk % strips * picture->rows_per_strip;
    return picture->height - first < picture->rows_per_strip ? picture->height - first : picture->rows_per_strip;
}

/// Unpacks a whole strip or tile in half of libtiff's time; false leaves it, and any damage, to libtiff.
static bool unpack_lzw(tessera_tiff_decoder *decoder, uint32_t chunk, uint8_t *into) {
    const tessera_tiff_picture *picture = &decoder->picture;
    TIFF *tiff = decoder->file.tiff;
    uint32_t rows = rows_in(picture, chunk);
    uint64_t size = (uint64_t)picture->row_bytes * rows;
    if (!decoder->is_lzw || size > picture->chunk_bytes) return false;
    int error = 0;
    uint64_t count = TIFFGetStrileByteCountWithErr(tiff, chunk, &error);
    // LZW enlarges noise by half.
    if (error || count == 0 || count > 2 * size + 4096 || count > decoder->maximum_allocation) return false;
    if (count > decoder->packed_capacity) {
        uint8_t *grown = realloc(decoder->packed, (size_t)count);
        if (grown == NULL) return false;
        decoder->packed = grown;
        decoder->packed_capacity = (size_t)count;
    }
    tmsize_t got = picture->tile_width > 0 ? TIFFReadRawTile(tiff, chunk, decoder->packed, (tmsize_t)count)
                                           : TIFFReadRawStrip(tiff, chunk, decoder->packed, (tmsize_t)count);
    if (got < 0 || tessera_lzw_unpack(decoder->packed, (size_t)got, into, (size_t)size) != (ptrdiff_t)size) return false;
    if (!decoder->has_differences) return true;
    size_t step = picture->planar ? 1 : picture->samples;
    for (uint32_t row = 0; row < rows; row++) {
        uint8_t *start = into + (size_t)picture->row_bytes * row;
        if (picture->bits == 8) {
            tessera_add_left(start, (size_t)picture->row_bytes, step);
        } else {
            tessera_add_left_wide(start, (size_t)picture->row_bytes / 2, step);
        }
    }
    return true;
}

int32_t tessera_tiff_decoder_read_chunk(
    tessera_tiff_decoder *decoder, const tessera_tiff_input *input, uint32_t chunk, uint8_t *into,
    size_t capacity) {
    lend(decoder, input);
    int32_t status = resume(decoder);
    if (status != TESSERA_OK) return end_lending(decoder, status);
    if (chunk >= decoder->picture.chunks || capacity < decoder->picture.chunk_bytes) {
        return end_lending(decoder, fail(decoder, TESSERA_MISUSE, "no room for the strip or tile"));
    }
    if (unpack_lzw(decoder, chunk, into)) return end_lending(decoder, TESSERA_OK);
    // Not the message of an attempt.
    decoder->file.message[0] = 0;
    decoder->unpacked_whole = true;
    tmsize_t size = (tmsize_t)decoder->picture.chunk_bytes;
    tmsize_t got = decoder->picture.tile_width > 0 ? TIFFReadEncodedTile(decoder->file.tiff, chunk, into, size)
                                                   : TIFFReadEncodedStrip(decoder->file.tiff, chunk, into, size);
    if (got < 0) {
        decoder->interrupted = true;
        status = fail(decoder, TESSERA_CORRUPT, "a strip or tile can't be unpacked");
    }
    return end_lending(decoder, status);
}

int32_t tessera_tiff_decoder_read_rows(
    tessera_tiff_decoder *decoder, const tessera_tiff_input *input, uint32_t first, uint32_t count,
    uint8_t *into, size_t stride, uint32_t *rows) {
    *rows = 0;
    lend(decoder, input);
    if (decoder->unpacked_whole) decoder->interrupted = true;
    decoder->unpacked_whole = false;
    int32_t status = resume(decoder);
    if (status != TESSERA_OK) return end_lending(decoder, status);
    const tessera_tiff_picture *picture = &decoder->picture;
    if (picture->tile_width > 0 || picture->planar || stride < picture->row_bytes || first > picture->height ||
        count > picture->height - first) {
        return end_lending(decoder, fail(decoder, TESSERA_MISUSE, "no such rows"));
    }
    // Most compressions must be unpacked from the strip's first row on.
    uint32_t row = first - first % picture->rows_per_strip;
    if (decoder->next_row > row && decoder->next_row <= first) row = decoder->next_row;
    while (*rows < count) {
        // Rows before the first one go to its place, and are overwritten.
        if (TIFFReadScanline(decoder->file.tiff, into + *rows * stride, row, 0) < 0) {
            decoder->interrupted = true;
            status = fail(decoder, TESSERA_CORRUPT, "a row can't be unpacked");
            break;
        }
        if (row >= first) *rows += 1;
        row += 1;
    }
    decoder->next_row = row;
    return end_lending(decoder, status);
}

static int32_t read_rgba(
    tessera_tiff_decoder *decoder, uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint8_t *into,
    size_t stride) {
    const tessera_tiff_picture *picture = &decoder->picture;
    if (x > picture->width || width > picture->width - x || y > picture->height || height > picture->height - y ||
        stride / 4 < width) {
        return fail(decoder, TESSERA_MISUSE, "no such part of the image");
    }
    char reason[1024] = "";
    TIFFRGBAImage image;
    if (!TIFFRGBAImageOK(decoder->file.tiff, reason) || !TIFFRGBAImageBegin(&image, decoder->file.tiff, 1, reason)) {
        return fail(decoder, TESSERA_UNSUPPORTED, reason);
    }
    // The same on both sides: as stored.
    image.req_orientation = image.orientation;
    image.col_offset = (int)x;
    image.row_offset = (int)y;
    uint32_t *raster = calloc((size_t)width * height, sizeof *raster);
    if (raster == NULL) {
        TIFFRGBAImageEnd(&image);
        return fail(decoder, TESSERA_NO_MEMORY, "no memory for pixels");
    }
    int done = TIFFRGBAImageGet(&image, raster, width, height);
    for (uint32_t row = 0; done && row < height; row++) {
        const uint32_t *source = raster + (size_t)row * width;
        uint8_t *target = into + row * stride;
        for (uint32_t column = 0; column < width; column++) {
            target[4 * (size_t)column + 0] = (uint8_t)TIFFGetR(source[column]);
            target[4 * (size_t)column + 1] = (uint8_t)TIFFGetG(source[column]);
            target[4 * (size_t)column + 2] = (uint8_t)TIFFGetB(source[column]);
            target[4 * (size_t)column + 3] = 255;
        }
    }
    free(raster);
    TIFFRGBAImageEnd(&image);
    return done ? TESSERA_OK : fail(decoder, TESSERA_CORRUPT, "a strip or tile can't be unpacked");
}

int32_t tessera_tiff_decoder_read_rgba(
    tessera_tiff_decoder *decoder, const tessera_tiff_input *input, uint32_t x, uint32_t y, uint32_t width,
    uint32_t height, uint8_t *into, size_t stride) {
    lend(decoder, input);
    int32_t status = resume(decoder);
    if (status == TESSERA_OK) status = read_rgba(decoder, x, y, width, height, into, stride);
    if (status != TESSERA_OK) decoder->interrupted = true;
    return end_lending(decoder, status);
}

#else

tessera_tiff_decoder *tessera_tiff_decoder_create(uint64_t maximum_allocation) { return NULL; }
void tessera_tiff_decoder_destroy(tessera_tiff_decoder *decoder) {}
const char *tessera_tiff_decoder_message(const tessera_tiff_decoder *decoder) { return "libtiff is absent"; }
int32_t tessera_tiff_decoder_open(
    tessera_tiff_decoder *decoder, const tessera_tiff_input *input, uint64_t offset,
    tessera_tiff_picture *picture) {
    return TESSERA_UNSUPPORTED;
}
uint16_t tessera_tiff_decoder_extra_sample(const tessera_tiff_decoder *decoder, uint16_t index) { return 0; }
int32_t tessera_tiff_decoder_palette(tessera_tiff_decoder *decoder, uint16_t *colors, uint32_t count) {
    return TESSERA_UNSUPPORTED;
}
bool tessera_tiff_decoder_extent(
    tessera_tiff_decoder *decoder, const tessera_tiff_input *input, uint32_t chunk, uint64_t *offset,
    uint64_t *count) {
    return false;
}
int32_t tessera_tiff_decoder_read_chunk(
    tessera_tiff_decoder *decoder, const tessera_tiff_input *input, uint32_t chunk, uint8_t *into,
    size_t capacity) {
    return TESSERA_UNSUPPORTED;
}
int32_t tessera_tiff_decoder_read_rows(
    tessera_tiff_decoder *decoder, const tessera_tiff_input *input, uint32_t first, uint32_t count,
    uint8_t *into, size_t stride, uint32_t *rows) {
    *rows = 0;
    return TESSERA_UNSUPPORTED;
}
int32_t tessera_tiff_decoder_read_rgba(
    tessera_tiff_decoder *decoder, const tessera_tiff_input *input, uint32_t x, uint32_t y, uint32_t width,
    uint32_t height, uint8_t *into, size_t stride) {
    return TESSERA_UNSUPPORTED;
}

#endif
