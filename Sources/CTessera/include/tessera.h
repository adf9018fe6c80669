/**
 * @file tessera.h
 * Tessera's C interface: opens, reduces, changes and writes images of every common format.
 *
 *     tessera_image *image = NULL;
 *     tessera_error error = {sizeof error};
 *     if (tessera_open_path("photo.jpg", NULL, &image, &error) == TESSERA_STATUS_OK) {
 *         tessera_image *small = NULL;
 *         if (tessera_thumbnail(image, 512, 512, NULL, &small, &error) == TESSERA_STATUS_OK)
 *             tessera_write_path(small, "small.webp", NULL, &error);
 *         tessera_image_free(small);
 *     }
 *     tessera_image_free(image);
 *     if (error.status != TESSERA_STATUS_OK) fprintf(stderr, "%s\n", error.message);
 *
 * Structures. Those that a caller passes begin with `size`, which is `sizeof` the structure as the caller was compiled.
 * A structure whose other members are zero has the default of every option, and NULL means the same. A structure that
 * is longer than the library's is accepted if the members that the library doesn't know are zero.
 *
 * Errors. Functions return a status. Where `error` isn't NULL it receives the status, a message and a byte offset, or
 * TESSERA_STATUS_OK and an empty message. After a failure every output is NULL or zero, except pixels: rows before the
 * failure may be filled. Texts are UTF-8 and end with a zero byte.
 *
 * Handles. Opaque and not addresses: a handle that was freed, or is of another kind, gives
 * TESSERA_STATUS_INVALID_HANDLE. Handles can be freed in any order, on any thread, and while another thread uses them,
 * whose call then ends as if the handle still existed. Freeing NULL does nothing.
 *
 * Threads. Any thread may call any function, also with the same handle. A call may use several threads, and returns
 * when they are done with it.
 *
 * Callbacks. A function calls its callbacks before it returns; those of a source are called as long as an image opened
 * from it exists. Calls of one source or sink never overlap, but may come from different threads. A callback must not
 * jump or throw out of itself, and may call only functions that free; others return TESSERA_STATUS_REENTERED.
 *
 * Processes. The library uses threads, which fork() doesn't copy. In a child of a process that has used the library, all
 * functions return TESSERA_STATUS_FORKED until it calls exec(). Start worker processes before the first call, or with
 * posix_spawn() (Python: the "spawn" or "forkserver" start method).
 */
#ifndef TESSERA_H
#define TESSERA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ Status */

/** The result of a call; later versions may add values. */
typedef int32_t tessera_status;

enum {
    /** The call succeeded. */
    TESSERA_STATUS_OK = 0,
    /** No supported format recognises the bytes. */
    TESSERA_STATUS_UNKNOWN_FORMAT = 1,
    /** The bytes violate their format's specification. */
    TESSERA_STATUS_CORRUPT = 2,
    /** The bytes end before the image does. */
    TESSERA_STATUS_TRUNCATED = 3,
    /** The bytes are valid but use a feature that this build doesn't support, or the format can't be written. */
    TESSERA_STATUS_UNSUPPORTED = 4,
    /** The image exceeds the limits. */
    TESSERA_STATUS_LIMIT_EXCEEDED = 5,
    /** An argument is NULL, out of range, or a structure has a wrong size. */
    TESSERA_STATUS_INVALID_PARAMETER = 6,
    /** Reading or writing failed, or a callback reported a failure. */
    TESSERA_STATUS_INPUT_OUTPUT = 7,
    /** Memory could not be allocated. */
    TESSERA_STATUS_OUT_OF_MEMORY = 8,
    /** A progress callback asked to stop. */
    TESSERA_STATUS_CANCELLED = 9,
    /** An isolated decoder's process ended early or sent an invalid reply. */
    TESSERA_STATUS_WORKER_FAILED = 10,
    /** The handle was freed, or is of another kind. */
    TESSERA_STATUS_INVALID_HANDLE = 11,
    /** The call came from within a callback. */
    TESSERA_STATUS_REENTERED = 12,
    /** The process was forked from one that had used the library. */
    TESSERA_STATUS_FORKED = 13,
    /** A failure of a kind that this version has no value for. */
    TESSERA_STATUS_OTHER = 14
};

/** The reason of a failure. */
typedef struct tessera_error {
    /** Set by the caller: sizeof(tessera_error). */
    size_t size;
    /** The status that the function returned. */
    tessera_status status;
    /** The offset in the input at which the failure was found; -1 if it isn't known. */
    int64_t byte_offset;
    /** A sentence without a full stop; shortened if it doesn't fit. */
    char message[1024];
} tessera_error;

/** The library's version, such as "0.1.0". Never freed. */
const char *tessera_version(void);

/** The name of a status in lower case, such as "unknown format". Never freed. */
const char *tessera_status_name(tessera_status status);

/** Frees memory that a function returned. NULL does nothing. */
void tessera_free(void *memory);

/* ----------------------------------------------------------------- Formats */

/** A file format. */
typedef struct tessera_format_info {
    /** Set by the caller: sizeof(tessera_format_info). */
    size_t size;
    /** The common name, such as "JPEG". */
    char name[32];
    /** The preferred filename extension, without a dot. */
    char extension[16];
    /** The preferred media type. */
    char media_type[64];
    /** Whether this build reads it, on this system. */
    int32_t can_decode;
    /** Whether this build writes it, on this system. */
    int32_t can_encode;
    /** Whether files can be animations that tessera_encode_frames writes. */
    int32_t can_encode_animation;
} tessera_format_info;

/** The number of formats that the library lists; 0 in a forked process. */
size_t tessera_format_count(void);

/** Describes the format at `index`, from 0. */
tessera_status tessera_format_at(size_t index, tessera_format_info *info, tessera_error *error);

/* ----------------------------------------------------------- Opening files */

/** An image: an encoded one, decoded when its pixels are needed, or pixels. Immutable. */
typedef struct tessera_image tessera_image;

/** Decoders in processes without privileges. */
typedef struct tessera_isolation tessera_isolation;

/** The most that an image may require; each 0 for its default. Checked before memory is allocated. */
typedef struct tessera_limits {
    /** Set by the caller: sizeof(tessera_limits). */
    size_t size;
    /** Pixels in one image. */
    int64_t pixel_count;
    /** Pixels on one side. */
    int64_t side_length;
    /** Bytes of encoded input that are buffered. */
    int64_t input_byte_count;
    /** Bytes of working memory for one decoder, in addition to pixels. */
    int64_t working_byte_count;
    /** Bytes in one metadata block, unpacked. */
    int64_t metadata_byte_count;
    /** Scans in a progressive image. */
    int64_t scan_count;
    /** Frames or pages in one file. */
    int64_t frame_count;
    /** Bytes of pixels for each byte of input. */
    int64_t compression_ratio;
} tessera_limits;

/** The colour space of decoded pixels. */
enum {
    /** Converts to sRGB from the file's profile, gamma or CMYK. */
    TESSERA_COLOR_SRGB = 0,
    /** Keeps stored values and their profile. */
    TESSERA_COLOR_AS_STORED = 1
};

/** Options for opening an image. */
typedef struct tessera_open_options {
    /** Set by the caller: sizeof(tessera_open_options). */
    size_t size;
    /** TESSERA_COLOR_SRGB or TESSERA_COLOR_AS_STORED. */
    int32_t color;
    /** 8, or 16 to decode images of more than 8 bits per channel to 16; 0 for 8. */
    int32_t bits_per_channel;
    /** Whether pixels stay as stored instead of being turned upright. */
    int32_t ignores_orientation;
    /** Which image of a file of several, from 1; 0 for the main image. */
    int64_t image_number;
    /** NULL for the defaults. */
    const tessera_limits *limits;
    /** Where the file is decoded; NULL for this process. */
    const tessera_isolation *isolation;
} tessera_open_options;

/** A file that callbacks read. */
typedef struct tessera_source {
    /** Set by the caller: sizeof(tessera_source). */
    size_t size;
    /** Passed to each callback. */
    void *context;
    /** The number of bytes; ignored without `seek`. */
    int64_t byte_count;
    /**
     * Copies up to `count` bytes, at least one, to `buffer`. Returns their number, 0 at the end, or a negative number
     * for a failure.
     */
    int64_t (*read)(void *context, void *buffer, size_t count);
    /**
     * Moves to `offset`, from the first byte; returns 0, or another number for a failure. NULL for bytes that come in
     * sequence: they are all read when the image is opened.
     */
    int (*seek)(void *context, int64_t offset);
    /** Called once, when the source isn't needed any longer, on any thread; NULL for nothing. Not called if opening fails. */
    void (*release)(void *context);
} tessera_source;

/**
 * Opens the image in the file at `path`. Reads only the header; a regular file is closed between reads and must not
 * change.
 */
tessera_status tessera_open_path(
    const char *path, const tessera_open_options *options, tessera_image **image, tessera_error *error);

/** Opens the image in `count` bytes at `bytes`, which are copied. */
tessera_status tessera_open_memory(
    const void *bytes, size_t count, const tessera_open_options *options, tessera_image **image,
    tessera_error *error);

/** Opens the image that callbacks read. The structure is copied. */
tessera_status tessera_open_source(
    const tessera_source *source, const tessera_open_options *options, tessera_image **image, tessera_error *error);

/** Frees the handle. */
void tessera_image_free(tessera_image *image);

/* ------------------------------------------------------------- Information */

/** The memory layout of a pixel. Sixteen-bit channels are in the machine's byte order. */
enum {
    /** The image's own: grey or RGBA, with as many bits as the image was opened with. Only for decoding. */
    TESSERA_PIXELS_DEFAULT = 0,
    /** One byte of grey. */
    TESSERA_PIXELS_GRAY8 = 1,
    /** Two bytes of grey. */
    TESSERA_PIXELS_GRAY16 = 2,
    /** Red, green, blue, alpha, a byte each. */
    TESSERA_PIXELS_RGBA8 = 3,
    /** Red, green, blue, alpha, two bytes each. */
    TESSERA_PIXELS_RGBA16 = 4,
    /** Red, green, blue, a byte each; alpha is laid over the background. */
    TESSERA_PIXELS_RGB8 = 5,
    /** Blue, green, red, alpha, a byte each. */
    TESSERA_PIXELS_BGRA8 = 6
};

/** The relation between alpha and colours. */
enum {
    /** As the image has it: opaque or straight. */
    TESSERA_ALPHA_DEFAULT = 0,
    /** Every pixel is opaque; transparent ones are laid over the background. */
    TESSERA_ALPHA_NONE = 1,
    /** Colours aren't multiplied by alpha. */
    TESSERA_ALPHA_STRAIGHT = 2,
    /** Colours are multiplied by alpha. */
    TESSERA_ALPHA_PREMULTIPLIED = 3
};

/** An image's properties. */
typedef struct tessera_info {
    /** Set by the caller: sizeof(tessera_info). */
    size_t size;
    /** Width in pixels, upright. */
    int64_t width;
    /** Height in pixels, upright. */
    int64_t height;
    /** The file's format, such as "JPEG"; empty for pixels. */
    char format[32];
    /** The file's media type; empty for pixels. */
    char media_type[64];
    /** The layout that TESSERA_PIXELS_DEFAULT stands for. */
    int32_t pixels;
    /** Whether any pixel may be transparent. */
    int32_t has_alpha;
    /** The bits in a stored channel; those of the layout for pixels. */
    int32_t bits_per_channel;
    /** EXIF's orientation of the file, 1 to 8, which decoding applies. */
    int32_t orientation;
    /** Whether it is a vector image, drawn at any size. */
    int32_t is_vector;
    /** Whether the file stores it in several passes. */
    int32_t is_progressive;
    /** Whether the file's images are frames of an animation. */
    int32_t is_animation;
    /** The number of images in the file; 0 if it isn't known without reading all of it. */
    int64_t image_count;
    /** How often an animation plays; 0 for endlessly. */
    int64_t loop_count;
    /** Pixels per inch; 0 if unknown. */
    double horizontal_resolution;
    /** Pixels per inch; 0 if unknown. */
    double vertical_resolution;
} tessera_info;

/** Describes an image; decodes nothing. */
tessera_status tessera_image_info(const tessera_image *image, tessera_info *info, tessera_error *error);

/** A block of metadata. */
enum {
    /** EXIF, a TIFF structure. */
    TESSERA_METADATA_EXIF = 1,
    /** XMP, XML. */
    TESSERA_METADATA_XMP = 2,
    /** The ICC profile of the file's colours. */
    TESSERA_METADATA_ICC = 3
};

/** Copies a block of metadata; `*bytes` is NULL if there is none. Free it with tessera_free. */
tessera_status tessera_image_metadata(
    const tessera_image *image, int32_t block, uint8_t **bytes, size_t *count, tessera_error *error);

/* ---------------------------------------------------------------- Decoding */

/**
 * Called with the finished fraction, from 0 to 1, at most some hundred times. Any result but 0 cancels the call, unless it
 * is complete.
 */
typedef int (*tessera_progress)(void *context, double fraction);

/** The pixels to decode. */
typedef struct tessera_decode_options {
    /** Set by the caller: sizeof(tessera_decode_options). */
    size_t size;
    /** The region's left column. */
    int64_t x;
    /** The region's top row. */
    int64_t y;
    /** The region's width in upright pixels; 0, with a height of 0, for the whole image. */
    int64_t width;
    /** The region's height. */
    int64_t height;
    /** The width to scale the region to; 0, with a height of 0, for the region's own size. */
    int64_t target_width;
    /** The height to scale the region to. */
    int64_t target_height;
    /** Whether the target is a box: the result has the region's proportions, and isn't enlarged unless it is a vector. */
    int32_t fits;
    /** TESSERA_PIXELS_…. */
    int32_t pixels;
    /** TESSERA_ALPHA_…. */
    int32_t alpha;
    /** Red, green and blue behind transparent pixels, 0xRRGGBB. */
    uint32_t background;
    /** NULL for none. */
    tessera_progress progress;
    /** Passed to `progress`. */
    void *context;
} tessera_decode_options;

/** The memory that pixels need. */
typedef struct tessera_layout {
    /** Set by the caller: sizeof(tessera_layout). */
    size_t size;
    /** Columns. */
    int64_t width;
    /** Rows. */
    int64_t height;
    /** TESSERA_PIXELS_…, never TESSERA_PIXELS_DEFAULT. */
    int32_t pixels;
    /** TESSERA_ALPHA_…, never TESSERA_ALPHA_DEFAULT. */
    int32_t alpha;
    /** Channels in a pixel. */
    int32_t channel_count;
    /** 8 or 16. */
    int32_t bits_per_channel;
    /** Bytes in a row without padding. */
    int64_t row_byte_count;
} tessera_layout;

/** The layout of the pixels that tessera_decode writes with the same options; decodes nothing. */
tessera_status tessera_decode_layout(
    const tessera_image *image, const tessera_decode_options *options, tessera_layout *layout, tessera_error *error);

/**
 * Decodes to the caller's memory: rows from the top, `stride` bytes apart. Reads no more of the file and decodes it no
 * larger than needed; memory holds a few rows where the format allows it.
 *
 * `byte_count` is the size of the memory at `pixels`. If a row fails, the rows before it are filled.
 */
tessera_status tessera_decode(
    const tessera_image *image, const tessera_decode_options *options, void *pixels, size_t byte_count, size_t stride,
    tessera_error *error);

/**
 * Makes an image of the pixels at `pixels`, which are copied. They are sRGB, unless an ICC profile is given.
 * `pixels_layout` gives width, height, pixels and alpha; its other members are ignored.
 */
tessera_status tessera_image_create(
    const tessera_layout *pixels_layout, const void *pixels, size_t byte_count, size_t stride, const void *profile,
    size_t profile_byte_count, tessera_image **image, tessera_error *error);

/** Options for reducing an image. */
typedef struct tessera_thumbnail_options {
    /** Set by the caller: sizeof(tessera_thumbnail_options). */
    size_t size;
    /** NULL for none. */
    tessera_progress progress;
    /** Passed to `progress`. */
    void *context;
} tessera_thumbnail_options;

/**
 * Makes an image reduced to fit `width` × `height` pixels, with its proportions, upright, by a Lanczos filter. An image
 * that fits already is returned at its own size.
 */
tessera_status tessera_thumbnail(
    const tessera_image *image, int64_t width, int64_t height, const tessera_thumbnail_options *options,
    tessera_image **thumbnail, tessera_error *error);

/* ---------------------------------------------------------------- Encoding */

/** The metadata that a written file keeps of the file that the image comes from. */
enum {
    /** Nothing; pixels are converted to sRGB. */
    TESSERA_KEEP_NONE = 0,
    /** The colour profile. */
    TESSERA_KEEP_PROFILE = 1,
    /** The colour profile, EXIF, XMP and the resolution. */
    TESSERA_KEEP_ALL = 2
};

/** Options for writing an image. */
typedef struct tessera_encode_options {
    /** Set by the caller: sizeof(tessera_encode_options). */
    size_t size;
    /** The format by name, filename extension or media type; NULL for that of the path's extension. */
    const char *format;
    /** Above 0 to 1, for lossy formats; 0 for 0.8. */
    double quality;
    /** Whether every pixel is preserved, in formats that offer both. */
    int32_t lossless;
    /** TESSERA_KEEP_…. */
    int32_t keeps;
    /** Red, green and blue behind transparent pixels in formats without alpha, 0xRRGGBB. */
    uint32_t background;
    /** Whether `background` applies; white otherwise. */
    int32_t has_background;
    /** How often an animation plays; 0 for endlessly. */
    int64_t loop_count;
    /** The longer side in pixels to which a larger image is reduced; 0 for none. */
    int64_t maximum_side;
    /** The most bytes that the file may have; 0 for any number. */
    int64_t maximum_byte_count;
    /** The longer side in pixels of a thumbnail to embed in EXIF; 0 for none. */
    int64_t thumbnail_side;
    /**
     * The format's own options, NAME=VALUE or NAME, separated by spaces: those that `tessera convert --help` lists, such
     * as "subsampling=420". NULL for none.
     */
    const char *settings;
    /** Whether tessera_write_path fails if the file exists. */
    int32_t keeps_existing;
    /** NULL for none. */
    tessera_progress progress;
    /** Passed to `progress`. */
    void *context;
} tessera_encode_options;

/** Bytes that a callback takes. */
typedef struct tessera_sink {
    /** Set by the caller: sizeof(tessera_sink). */
    size_t size;
    /** Passed to the callback. */
    void *context;
    /** Takes up to `count` bytes, at least one; returns the number taken, or 0 or less for a failure. */
    int64_t (*write)(void *context, const void *bytes, size_t count);
} tessera_sink;

/** Encodes an image in memory. Free the bytes with tessera_free. */
tessera_status tessera_encode(
    const tessera_image *image, const tessera_encode_options *options, uint8_t **bytes, size_t *count,
    tessera_error *error);

/** Writes an image to a file, which appears whole or not at all. */
tessera_status tessera_write_path(
    const tessera_image *image, const char *path, const tessera_encode_options *options, tessera_error *error);

/** Writes an image to a callback as it is encoded. After a failure the bytes written aren't a valid file. */
tessera_status tessera_write_sink(
    const tessera_image *image, const tessera_sink *sink, const tessera_encode_options *options,
    tessera_error *error);

/**
 * Encodes `image_count` images as the frames of an animation, or the pages of a file, depending on the format. Each is
 * shown for its number of seconds in `durations`, or for 0.1 if that is NULL.
 */
tessera_status tessera_encode_frames(
    const tessera_image *const *images, const double *durations, size_t image_count,
    const tessera_encode_options *options, uint8_t **bytes, size_t *count, tessera_error *error);

/* ----------------------------------------------------------------- Effects */

/** Options for effects. */
typedef struct tessera_effect_options {
    /** Set by the caller: sizeof(tessera_effect_options). */
    size_t size;
    /** Pixels in a unit of length; 0 for 1. */
    double scale;
    /** Whether scaling, turning and blurring work in linear light. */
    int32_t linear_light;
    /** 8 or 16 bits per channel; 0 for 8. */
    int32_t bits_per_channel;
    /** The folder of the images that the recipe names, by relative paths; NULL to refuse recipes with images. */
    const char *folder;
} tessera_effect_options;

/**
 * Applies a recipe: a JSON array with an object for each effect, as `tessera effect --print-recipe` prints it.
 *
 *     [{"scaleToFit": {"width": 800, "height": 600}}, {"cornerRadius": {"radius": 20}}]
 */
tessera_status tessera_apply(
    const tessera_image *image, const char *recipe, const tessera_effect_options *options, tessera_image **result,
    tessera_error *error);

/* -------------------------------------------------------------- Animations */

/** An animation's frames, composed on its canvas. */
typedef struct tessera_animation tessera_animation;

/** An animation's properties. */
typedef struct tessera_animation_info {
    /** Set by the caller: sizeof(tessera_animation_info). */
    size_t size;
    /** Width of every frame. */
    int64_t width;
    /** Height of every frame. */
    int64_t height;
    /** The number of frames that can be decoded. */
    int64_t frame_count;
    /** How often it plays; 0 for endlessly. */
    int64_t loop_count;
    /** The sum of the frames' durations, in seconds. */
    double duration;
    /** Why frames at the end are missing; TESSERA_STATUS_OK if none are. */
    tessera_status missing;
} tessera_animation_info;

/** Opens the animation that an image is the first frame of; a still is one of a single frame. */
tessera_status tessera_animation_open(
    const tessera_image *image, tessera_animation **animation, tessera_error *error);

/** Frees the handle. */
void tessera_animation_free(tessera_animation *animation);

/** Describes an animation. */
tessera_status tessera_animation_describe(
    const tessera_animation *animation, tessera_animation_info *info, tessera_error *error);

/**
 * The frame at `index`, from 0, decoded when its pixels are needed. In order, each takes one decode; in other orders, a
 * few. `duration`, in seconds, may be NULL.
 */
tessera_status tessera_animation_frame(
    const tessera_animation *animation, int64_t index, tessera_image **frame, double *duration, tessera_error *error);

/* ------------------------------------------------------- Tiles and pyramids */

/** An image of any size in tiles, of which only those requested are decoded where the file allows it. */
typedef struct tessera_tiles tessera_tiles;

/** Where tiles come from. */
enum {
    /** The file is a pyramid of tiles, or contains one. */
    TESSERA_ACCESS_STORED = 1,
    /** The file's data has an index: tiles are decoded, or copied without loss, independently. */
    TESSERA_ACCESS_INDEXED = 2,
    /** The image is decoded once, into a temporary file of tiles. */
    TESSERA_ACCESS_DECODED = 3
};

/** Options for opening tiles. */
typedef struct tessera_tiles_options {
    /** Set by the caller: sizeof(tessera_tiles_options). */
    size_t size;
    /** Pixels on a tile's side; 0 for 256, or for the file's own. */
    int64_t tile_size;
    /** NULL for the defaults for large images. */
    const tessera_limits *limits;
    /** Where the file is decoded; NULL for this process. */
    const tessera_isolation *isolation;
} tessera_tiles_options;

/** The properties of tiles. */
typedef struct tessera_tiles_info {
    /** Set by the caller: sizeof(tessera_tiles_info). */
    size_t size;
    /** Width of the full image, upright. */
    int64_t width;
    /** Height of the full image, upright. */
    int64_t height;
    /** Pixels on a tile's side, without overlap. */
    int64_t tile_size;
    /** Pixels that a tile extends into each neighbour. */
    int64_t overlap;
    /** The number of levels; 0 is the full image, and each other half of the one before. */
    int64_t level_count;
    /** TESSERA_ACCESS_…. */
    int32_t access;
} tessera_tiles_info;

/** A level's properties. */
typedef struct tessera_level_info {
    /** Set by the caller: sizeof(tessera_level_info). */
    size_t size;
    /** Width in pixels. */
    int64_t width;
    /** Height in pixels. */
    int64_t height;
    /** Columns of tiles. */
    int64_t column_count;
    /** Rows of tiles. */
    int64_t row_count;
} tessera_level_info;

/**
 * Opens the tiles of the file at `path`: any image; a packed pyramid; a tree of tiles by its folder or Deep Zoom
 * document; an archive of one.
 */
tessera_status tessera_tiles_open(
    const char *path, const tessera_tiles_options *options, tessera_tiles **tiles, tessera_error *error);

/** Frees the handle. */
void tessera_tiles_free(tessera_tiles *tiles);

/** Describes tiles. */
tessera_status tessera_tiles_describe(const tessera_tiles *tiles, tessera_tiles_info *info, tessera_error *error);

/** Describes a level. */
tessera_status tessera_tiles_level(
    const tessera_tiles *tiles, int64_t level, tessera_level_info *info, tessera_error *error);

/** Decodes a tile, upright. Waits for an image that is still being decoded. */
tessera_status tessera_tiles_read(
    const tessera_tiles *tiles, int64_t level, int64_t column, int64_t row, tessera_image **tile,
    tessera_error *error);

/**
 * Copies a tile's encoded file, if it is stored or can be cut from the image's without loss; `*bytes` is NULL if not.
 * `format`, which may be NULL, describes it. Free the bytes with tessera_free.
 */
tessera_status tessera_tiles_copy(
    const tessera_tiles *tiles, int64_t level, int64_t column, int64_t row, uint8_t **bytes, size_t *count,
    tessera_format_info *format, tessera_error *error);

/** Decodes the region of `width` × `height` pixels at (`x`, `y`) of the full image, scaled to a target size, or 0 and 0. */
tessera_status tessera_tiles_region(
    const tessera_tiles *tiles, int64_t x, int64_t y, int64_t width, int64_t height, int64_t target_width,
    int64_t target_height, tessera_image **region, tessera_error *error);

/** Options for building a pyramid. */
typedef struct tessera_pyramid_options {
    /** Set by the caller: sizeof(tessera_pyramid_options). */
    size_t size;
    /**
     * "packed", "deepzoom", "zoomify", "google", "iiif3", "iiif2" or "tiff"; NULL for the layout of the path's
     * extension: dzi, szi, zip, pyramid or tif.
     */
    const char *layout;
    /** Pixels on a tile's side; 0 for 256. */
    int64_t tile_size;
    /** Pixels that a tile extends into each neighbour. */
    int64_t overlap;
    /** The tiles' format; NULL for JPEG, or WebP or PNG if the image has transparency. */
    const char *format;
    /** Above 0 to 1; 0 for 0.75. */
    double quality;
    /** Whether the call fails if the pyramid exists. */
    int32_t keeps_existing;
    /** NULL for the defaults for large images. */
    const tessera_limits *limits;
    /** Where the file is decoded; NULL for this process. */
    const tessera_isolation *isolation;
    /** NULL for none. */
    tessera_progress progress;
    /** Passed to `progress`. */
    void *context;
} tessera_pyramid_options;

/** Builds a pyramid of the image in the file at `input`, which appears when it is complete. */
tessera_status tessera_pyramid_build(
    const char *input, const char *output, const tessera_pyramid_options *options, tessera_error *error);

/* -------------------------------------------------------------------- JPNG */

/** The parts of a JPNG file. */
typedef struct tessera_jpng_parts {
    /** Set by the caller: sizeof(tessera_jpng_parts). */
    size_t size;
    /** The colour part, a JPEG, begins at byte 0 and has this many bytes. */
    int64_t color_byte_count;
    /** The offset of the mask. */
    int64_t mask_offset;
    /** Bytes of the mask. */
    int64_t mask_byte_count;
    /** 1 for a mask in PNG, 2 for one in JPEG. */
    int32_t version;
} tessera_jpng_parts;

/** Finds the parts of a JPNG file; decodes nothing. */
tessera_status tessera_jpng_split(
    const void *bytes, size_t count, tessera_jpng_parts *parts, tessera_error *error);

/**
 * Makes a JPNG file of a colour JPEG and a mask, a grey PNG or JPEG. The colour part gets the APP10 segment "JPNG", by which
 * content sniffing tells the file from a JPEG, if it has none. Free the bytes with tessera_free.
 */
tessera_status tessera_jpng_join(
    const void *color, size_t color_count, const void *mask, size_t mask_count, uint8_t **bytes, size_t *count,
    tessera_error *error);

/**
 * Checks a JPNG file: its layout, and that both parts decode to the end.
 *
 * `notes`, which may be NULL, receives a text with a line for each property that is unusual but readable, or NULL. Free
 * it with tessera_free.
 */
tessera_status tessera_jpng_verify(const void *bytes, size_t count, char **notes, tessera_error *error);

/* --------------------------------------------------------------- Isolation */

/** Options for isolation. */
typedef struct tessera_isolation_options {
    /** Set by the caller: sizeof(tessera_isolation_options). */
    size_t size;
    /** The program tessera-decode; NULL to look for it as tessera does: TESSERA_DECODE_WORKER, beside the program. */
    const char *worker;
    /** Processor time for one image; 0 for 60. */
    int64_t processor_seconds;
    /** Time to wait for a reply; 0 for 120. */
    int64_t answer_seconds;
    /** Images that a process decodes before it is replaced; 0 for 64. */
    int64_t images_per_worker;
} tessera_isolation_options;

/**
 * Prepares decoding in processes that can't open files or use the network. They start when an image is opened with
 * the handle. The handle may be freed while images opened with it exist.
 */
tessera_status tessera_isolation_create(
    const tessera_isolation_options *options, tessera_isolation **isolation, tessera_error *error);

/** Frees the handle. */
void tessera_isolation_free(tessera_isolation *isolation);

#ifdef __cplusplus
}
#endif

#endif
