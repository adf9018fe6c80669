/* The module of libvips: `vips copy x.jpng y.png`, and every program that uses libvips. */

#include <vips/vips.h>

#include "jpng.h"

G_MODULE_EXPORT const gchar *g_module_check_init(GModule *module);

/* What the loaders of files, memory and sources have in common: bytes, and how they are opened. */
typedef struct {
    VipsForeignLoad parent_object;
    VipsSource *source;
    jpng_picture picture;
} LoadJPNG;

typedef VipsForeignLoadClass LoadJPNGClass;

G_DEFINE_ABSTRACT_TYPE(LoadJPNG, load_jpng, VIPS_TYPE_FOREIGN_LOAD)

static void load_jpng_dispose(GObject *object) {
    LoadJPNG *load = (LoadJPNG *)object;
    jpng_close(&load->picture);
    VIPS_UNREF(load->source);
    G_OBJECT_CLASS(load_jpng_parent_class)->dispose(object);
}

static void describe(VipsImage *image, const jpng_picture *picture) {
    const tessera_info *info = &picture->info;
    bool has_resolution = info->horizontal_resolution > 0 && info->vertical_resolution > 0;
    /* Pixels per millimetre. */
    vips_image_init_fields(
        image, (int)info->width, (int)info->height, info->has_alpha ? 4 : 3, VIPS_FORMAT_UCHAR, VIPS_CODING_NONE,
        VIPS_INTERPRETATION_sRGB, has_resolution ? info->horizontal_resolution / 25.4 : 1,
        has_resolution ? info->vertical_resolution / 25.4 : 1);
}

static int load_jpng_header(VipsForeignLoad *foreign) {
    LoadJPNG *load = (LoadJPNG *)foreign;
    tessera_error error = jpng_no_error();
    size_t count;
    const void *bytes = vips_source_map(load->source, &count);
    if (!bytes)
        return -1;
    if (jpng_open_with_profile(bytes, count, &load->picture, &error) != TESSERA_STATUS_OK) {
        vips_error("jpngload", "%s", error.message);
        return -1;
    }
    if (load->picture.info.width > VIPS_MAX_COORD || load->picture.info.height > VIPS_MAX_COORD) {
        vips_error("jpngload", "the image is larger than %d pixels on a side", VIPS_MAX_COORD);
        return -1;
    }
    describe(foreign->out, &load->picture);
    if (load->picture.profile)
        vips_image_set_blob_copy(foreign->out, VIPS_META_ICC_NAME, load->picture.profile, load->picture.profile_size);
    uint8_t *xmp;
    size_t xmp_size;
    if (tessera_image_metadata(load->picture.image, TESSERA_METADATA_XMP, &xmp, &xmp_size, NULL) == TESSERA_STATUS_OK
        && xmp) {
        vips_image_set_blob_copy(foreign->out, VIPS_META_XMP_NAME, xmp, xmp_size);
        tessera_free(xmp);
    }
    const char *name = vips_connection_filename(VIPS_CONNECTION(load->source));
    if (name)
        VIPS_SETSTR(foreign->out->filename, name);
    return vips_image_pipelinev(foreign->out, VIPS_DEMAND_STYLE_THINSTRIP, NULL);
}

static int load_jpng_load(VipsForeignLoad *foreign) {
    LoadJPNG *load = (LoadJPNG *)foreign;
    tessera_error error = jpng_no_error();
    VipsImage *memory = vips_image_new_memory();
    describe(memory, &load->picture);
    bool has_alpha = memory->Bands == 4;
    tessera_decode_options options = jpng_decoding(
        has_alpha ? TESSERA_PIXELS_RGBA8 : TESSERA_PIXELS_RGB8, has_alpha ? TESSERA_ALPHA_STRAIGHT : TESSERA_ALPHA_NONE, 0, 0);
    int result = vips_image_write_prepare(memory);
    if (result == 0
        && tessera_decode(
               load->picture.image, &options, VIPS_IMAGE_ADDR(memory, 0, 0), VIPS_IMAGE_SIZEOF_IMAGE(memory),
               VIPS_IMAGE_SIZEOF_LINE(memory), &error)
            != TESSERA_STATUS_OK) {
        vips_error("jpngload", "%s", error.message);
        result = -1;
    }
    if (result == 0)
        result = vips_image_write(memory, foreign->real);
    g_object_unref(memory);
    return result;
}

static VipsForeignFlags load_jpng_flags(VipsForeignLoad *load) {
    (void)load;
    return VIPS_FOREIGN_NONE;
}

static VipsForeignFlags load_jpng_flags_filename(const char *name) {
    (void)name;
    return VIPS_FOREIGN_NONE;
}

static void load_jpng_class_init(LoadJPNGClass *class) {
    static const char *extensions[] = {".jpng", NULL};
    G_OBJECT_CLASS(class)->dispose = load_jpng_dispose;
    VipsObjectClass *object_class = VIPS_OBJECT_CLASS(class);
    object_class->nickname = "jpngload_base";
    object_class->description = "load JPNG";
    VipsForeignClass *foreign_class = VIPS_FOREIGN_CLASS(class);
    foreign_class->suffs = extensions;
    /* Before JPEG's, which takes the same files. */
    foreign_class->priority = 100;
    class->get_flags = load_jpng_flags;
    class->get_flags_filename = load_jpng_flags_filename;
    class->header = load_jpng_header;
    class->load = load_jpng_load;
}

static void load_jpng_init(LoadJPNG *load) {
    memset(&load->picture, 0, sizeof load->picture);
}

/* MARK: Files */

typedef struct {
    LoadJPNG parent_object;
    char *filename;
} LoadJPNGFile;

typedef LoadJPNGClass LoadJPNGFileClass;

G_DEFINE_TYPE(LoadJPNGFile, load_jpng_file, load_jpng_get_type())

static int load_jpng_file_build(VipsObject *object) {
    LoadJPNGFile *file = (LoadJPNGFile *)object;
    if (file->filename && !(file->parent_object.source = vips_source_new_from_file(file->filename)))
        return -1;
    return VIPS_OBJECT_CLASS(load_jpng_file_parent_class)->build(object);
}

/* Files without a tag are recognised by their footer. */
static gboolean load_jpng_file_is_a(const char *name) {
    uint8_t head[JPNG_HEAD_SIZE], footer[JPNG_FOOTER_SIZE];
    FILE *file = fopen(name, "rb");
    if (!file)
        return FALSE;
    size_t count = fread(head, 1, sizeof head, file);
    gboolean result = jpng_is_tagged(head, count)
        || (jpng_is_jpeg(head, count) && fseek(file, -JPNG_FOOTER_SIZE, SEEK_END) == 0
            && fread(footer, sizeof footer, 1, file) == 1 && jpng_is_footer(footer));
    fclose(file);
    return result;
}

static void load_jpng_file_class_init(LoadJPNGFileClass *class) {
    GObjectClass *gobject_class = G_OBJECT_CLASS(class);
    gobject_class->set_property = vips_object_set_property;
    gobject_class->get_property = vips_object_get_property;
    VipsObjectClass *object_class = VIPS_OBJECT_CLASS(class);
    object_class->nickname = "jpngload";
    object_class->build = load_jpng_file_build;
    class->is_a = load_jpng_file_is_a;
    VIPS_ARG_STRING(
        class, "filename", 1, "Filename", "Filename to load from", VIPS_ARGUMENT_REQUIRED_INPUT,
        G_STRUCT_OFFSET(LoadJPNGFile, filename), NULL);
}

static void load_jpng_file_init(LoadJPNGFile *load) {
    (void)load;
}

/* MARK: Memory */

typedef struct {
    LoadJPNG parent_object;
    VipsBlob *buffer;
} LoadJPNGBuffer;

typedef LoadJPNGClass LoadJPNGBufferClass;

G_DEFINE_TYPE(LoadJPNGBuffer, load_jpng_buffer, load_jpng_get_type())

static int load_jpng_buffer_build(VipsObject *object) {
    LoadJPNGBuffer *load = (LoadJPNGBuffer *)object;
    if (load->buffer
        && !(load->parent_object.source
             = vips_source_new_from_memory(VIPS_AREA(load->buffer)->data, VIPS_AREA(load->buffer)->length)))
        return -1;
    return VIPS_OBJECT_CLASS(load_jpng_buffer_parent_class)->build(object);
}

static gboolean load_jpng_buffer_is_a(const void *bytes, size_t count) {
    const uint8_t *head = bytes;
    return jpng_is_tagged(head, count)
        || (jpng_is_jpeg(head, count) && count >= JPNG_FOOTER_SIZE && jpng_is_footer(head + count - JPNG_FOOTER_SIZE));
}

static void load_jpng_buffer_class_init(LoadJPNGBufferClass *class) {
    GObjectClass *gobject_class = G_OBJECT_CLASS(class);
    gobject_class->set_property = vips_object_set_property;
    gobject_class->get_property = vips_object_get_property;
    VipsObjectClass *object_class = VIPS_OBJECT_CLASS(class);
    object_class->nickname = "jpngload_buffer";
    object_class->build = load_jpng_buffer_build;
    class->is_a_buffer = load_jpng_buffer_is_a;
    VIPS_ARG_BOXED(
        class, "buffer", 1, "Buffer", "Buffer to load from", VIPS_ARGUMENT_REQUIRED_INPUT,
        G_STRUCT_OFFSET(LoadJPNGBuffer, buffer), VIPS_TYPE_BLOB);
}

static void load_jpng_buffer_init(LoadJPNGBuffer *load) {
    (void)load;
}

/* MARK: Sources */

typedef struct {
    LoadJPNG parent_object;
    VipsSource *given;
} LoadJPNGSource;

typedef LoadJPNGClass LoadJPNGSourceClass;

G_DEFINE_TYPE(LoadJPNGSource, load_jpng_source, load_jpng_get_type())

static int load_jpng_source_build(VipsObject *object) {
    LoadJPNGSource *load = (LoadJPNGSource *)object;
    if (load->given) {
        load->parent_object.source = load->given;
        g_object_ref(load->given);
    }
    return VIPS_OBJECT_CLASS(load_jpng_source_parent_class)->build(object);
}

/* A source may be a pipe, so only its beginning is looked at. */
static gboolean load_jpng_source_is_a(VipsSource *source) {
    const uint8_t *head = vips_source_sniff(source, JPNG_HEAD_SIZE);
    return head && jpng_is_tagged(head, JPNG_HEAD_SIZE);
}

static void load_jpng_source_class_init(LoadJPNGSourceClass *class) {
    GObjectClass *gobject_class = G_OBJECT_CLASS(class);
    gobject_class->set_property = vips_object_set_property;
    gobject_class->get_property = vips_object_get_property;
    VipsObjectClass *object_class = VIPS_OBJECT_CLASS(class);
    object_class->nickname = "jpngload_source";
    object_class->build = load_jpng_source_build;
    VIPS_OPERATION_CLASS(class)->flags |= VIPS_OPERATION_NOCACHE;
    class->is_a_source = load_jpng_source_is_a;
    VIPS_ARG_OBJECT(
        class, "source", 1, "Source", "Source to load from", VIPS_ARGUMENT_REQUIRED_INPUT,
        G_STRUCT_OFFSET(LoadJPNGSource, given), VIPS_TYPE_SOURCE);
}

static void load_jpng_source_init(LoadJPNGSource *load) {
    (void)load;
}

/* MARK: The module */

const gchar *g_module_check_init(GModule *module) {
    /* Types are registered for the life of the process. */
    g_module_make_resident(module);
    load_jpng_file_get_type();
    load_jpng_buffer_get_type();
    load_jpng_source_get_type();
    return NULL;
}
