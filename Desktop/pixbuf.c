/* The loader of gdk-pixbuf: GTK 3 and 4 programs, eog, file managers. */

#define GDK_PIXBUF_ENABLE_BACKEND
#include <gdk-pixbuf/gdk-pixbuf.h>

#include "jpng.h"

G_MODULE_EXPORT void fill_vtable(GdkPixbufModule *module);
G_MODULE_EXPORT void fill_info(GdkPixbufFormat *format);

/* The bytes that have arrived. A JPNG's transparency is at its end, so they are decoded when all are there. */
typedef struct {
    GdkPixbufModuleSizeFunc size_function;
    GdkPixbufModulePreparedFunc prepared_function;
    GdkPixbufModuleUpdatedFunc updated_function;
    gpointer data;
    GByteArray *bytes;
    /* The number of bytes at which the header is looked for next. */
    size_t next_look;
    /* The size that the host wants; 0 and 0 until the header has been read. */
    gint width, height;
} loading;

enum { FIRST_LOOK = 4096 };

static void set_error(GError **error, const tessera_error *failure) {
    gint code;
    switch (failure->status) {
    case TESSERA_STATUS_UNKNOWN_FORMAT: code = GDK_PIXBUF_ERROR_UNKNOWN_TYPE; break;
    case TESSERA_STATUS_OUT_OF_MEMORY:
    case TESSERA_STATUS_LIMIT_EXCEEDED: code = GDK_PIXBUF_ERROR_INSUFFICIENT_MEMORY; break;
    case TESSERA_STATUS_CORRUPT:
    case TESSERA_STATUS_TRUNCATED: code = GDK_PIXBUF_ERROR_CORRUPT_IMAGE; break;
    default: code = GDK_PIXBUF_ERROR_FAILED; break;
    }
    g_set_error(error, GDK_PIXBUF_ERROR, code, "JPNG: %s", failure->message);
}

/* Reports the image's size, and takes the one that the host wants. */
static gboolean negotiate(loading *state, const tessera_info *info, GError **error) {
    if (state->width > 0)
        return TRUE;
    if (info->width > G_MAXINT || info->height > G_MAXINT) {
        g_set_error(error, GDK_PIXBUF_ERROR, GDK_PIXBUF_ERROR_INSUFFICIENT_MEMORY, "JPNG: the image is too large");
        return FALSE;
    }
    state->width = (gint)info->width;
    state->height = (gint)info->height;
    if (state->size_function)
        state->size_function(&state->width, &state->height, state->data);
    if (state->width <= 0 || state->height <= 0) {
        g_set_error(error, GDK_PIXBUF_ERROR, GDK_PIXBUF_ERROR_FAILED, "JPNG: the image isn't wanted at any size");
        return FALSE;
    }
    return TRUE;
}

static gpointer begin_load(
    GdkPixbufModuleSizeFunc size_function, GdkPixbufModulePreparedFunc prepared_function,
    GdkPixbufModuleUpdatedFunc updated_function, gpointer data, GError **error) {
    (void)error;
    loading *state = g_new0(loading, 1);
    state->size_function = size_function;
    state->prepared_function = prepared_function;
    state->updated_function = updated_function;
    state->data = data;
    state->bytes = g_byte_array_new();
    state->next_look = FIRST_LOOK;
    return state;
}

static gboolean load_increment(gpointer context, const guchar *bytes, guint count, GError **error) {
    loading *state = context;
    if (count > G_MAXUINT / 2 - state->bytes->len) {
        g_set_error(error, GDK_PIXBUF_ERROR, GDK_PIXBUF_ERROR_INSUFFICIENT_MEMORY, "JPNG: the file has more than 2 GiB");
        return FALSE;
    }
    g_byte_array_append(state->bytes, bytes, count);
    if (state->width > 0 || state->bytes->len < state->next_look)
        return TRUE;
    state->next_look = 4 * (size_t)state->bytes->len;
    /* The beginning is a JPEG, whose header has the size. */
    jpng_picture picture;
    gboolean result = TRUE;
    if (jpng_open_as(state->bytes->data, state->bytes->len, TESSERA_COLOR_SRGB, &picture, NULL) == TESSERA_STATUS_OK) {
        result = negotiate(state, &picture.info, error);
        jpng_close(&picture);
    }
    return result;
}

static GdkPixbuf *decode(loading *state, GError **error) {
    jpng_picture picture;
    tessera_error failure = jpng_no_error();
    if (jpng_open_as(state->bytes->data, state->bytes->len, TESSERA_COLOR_SRGB, &picture, &failure) != TESSERA_STATUS_OK) {
        set_error(error, &failure);
        return NULL;
    }
    GdkPixbuf *pixbuf = NULL;
    if (negotiate(state, &picture.info, error)) {
        gboolean has_alpha = picture.info.has_alpha != 0;
        pixbuf = gdk_pixbuf_new(GDK_COLORSPACE_RGB, has_alpha, 8, state->width, state->height);
        if (!pixbuf) {
            g_set_error(
                error, GDK_PIXBUF_ERROR, GDK_PIXBUF_ERROR_INSUFFICIENT_MEMORY, "JPNG: no memory for %d × %d pixels",
                state->width, state->height);
        } else {
            tessera_decode_options options = jpng_decoding(
                has_alpha ? TESSERA_PIXELS_RGBA8 : TESSERA_PIXELS_RGB8,
                has_alpha ? TESSERA_ALPHA_STRAIGHT : TESSERA_ALPHA_NONE, state->width, state->height);
            if (tessera_decode(
                    picture.image, &options, gdk_pixbuf_get_pixels(pixbuf), gdk_pixbuf_get_byte_length(pixbuf),
                    (size_t)gdk_pixbuf_get_rowstride(pixbuf), &failure)
                != TESSERA_STATUS_OK) {
                set_error(error, &failure);
                g_clear_object(&pixbuf);
            }
        }
    }
    jpng_close(&picture);
    return pixbuf;
}

static gboolean stop_load(gpointer context, GError **error) {
    loading *state = context;
    GdkPixbuf *pixbuf = decode(state, error);
    if (pixbuf) {
        if (state->prepared_function)
            state->prepared_function(pixbuf, NULL, state->data);
        if (state->updated_function)
            state->updated_function(pixbuf, 0, 0, state->width, state->height, state->data);
    }
    gboolean result = pixbuf != NULL;
    g_clear_object(&pixbuf);
    g_byte_array_unref(state->bytes);
    g_free(state);
    return result;
}

void fill_vtable(GdkPixbufModule *module) {
    module->begin_load = begin_load;
    module->load_increment = load_increment;
    module->stop_load = stop_load;
}

void fill_info(GdkPixbufFormat *format) {
    /* The tag after JFIF's segment of the usual length, and after the start of image. `z` is a zero, `x` any byte. */
    static GdkPixbufModulePattern signature[] = {
        {(gchar *)"\xFF\xD8\xFF\xE0................\xFF\xEA..JPNG.", (gchar *)"    xxxxxxxxxxxxxxxx  xx    z", 100},
        {(gchar *)"\xFF\xD8\xFF\xEA..JPNG.", (gchar *)"    xx    z", 100},
        {NULL, NULL, 0},
    };
    static gchar *media_types[] = {(gchar *)"image/x-jpng", NULL};
    static gchar *extensions[] = {(gchar *)"jpng", NULL};
    format->name = (gchar *)"jpng";
    format->signature = signature;
    format->description = (gchar *)"JPNG";
    format->mime_types = media_types;
    format->extensions = extensions;
    format->flags = GDK_PIXBUF_FORMAT_THREADSAFE;
    format->license = (gchar *)"MIT";
}
