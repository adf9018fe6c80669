/*
 * Reads images with gdk-pixbuf.
 *
 * pixbuf FILE OUTPUT     prints the loader's name and whether there is alpha, and writes a PNG
 * pixbuf --survive FILE… reads damaged files in pieces of several sizes; prints how many could be read
 */
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <string.h>

static GdkPixbuf *read_pieces(const char *path, gsize piece, const char *type) {
    char *bytes = NULL;
    gsize count = 0;
    GdkPixbuf *result = NULL;
    if (!g_file_get_contents(path, &bytes, &count, NULL))
        return NULL;
    GdkPixbufLoader *loader = type ? gdk_pixbuf_loader_new_with_type(type, NULL) : gdk_pixbuf_loader_new();
    gboolean good = loader != NULL;
    for (gsize done = 0; good && done < count; done += piece)
        good = gdk_pixbuf_loader_write(loader, (guchar *)bytes + done, MIN(piece, count - done), NULL);
    if (loader && gdk_pixbuf_loader_close(loader, NULL) && good && (result = gdk_pixbuf_loader_get_pixbuf(loader)))
        g_object_ref(result);
    g_clear_object(&loader);
    g_free(bytes);
    return result;
}

int main(int count, char **arguments) {
    if (count > 2 && strcmp(arguments[1], "--survive") == 0) {
        int read = 0;
        for (int index = 2; index < count; index++) {
            for (gsize piece = 1000; piece <= 1000000; piece *= 1000) {
                GdkPixbuf *pixbuf = read_pieces(arguments[index], piece, "jpng");
                read += pixbuf != NULL;
                g_clear_object(&pixbuf);
            }
        }
        g_print("%d\n", read);
        return 0;
    }
    if (count != 3)
        return 2;
    GError *error = NULL;
    int width, height;
    GdkPixbufFormat *format = gdk_pixbuf_get_file_info(arguments[1], &width, &height);
    GdkPixbuf *pixbuf = gdk_pixbuf_new_from_file(arguments[1], &error);
    if (!pixbuf || !format) {
        g_printerr("%s\n", error ? error->message : "no format");
        return 1;
    }
    GdkPixbuf *pieces = read_pieces(arguments[1], 700, NULL);
    if (width != gdk_pixbuf_get_width(pixbuf) || height != gdk_pixbuf_get_height(pixbuf) || !pieces
        || memcmp(gdk_pixbuf_read_pixels(pieces), gdk_pixbuf_read_pixels(pixbuf), gdk_pixbuf_get_byte_length(pixbuf)) != 0) {
        g_printerr("the image in pieces, or its size, is another\n");
        return 1;
    }
    g_print("%s %s\n", gdk_pixbuf_format_get_name(format), gdk_pixbuf_get_has_alpha(pixbuf) ? "alpha" : "opaque");
    return gdk_pixbuf_save(pixbuf, arguments[2], "png", NULL, NULL) ? 0 : 1;
}
