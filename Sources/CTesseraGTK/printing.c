#if __has_include(<gtk/gtk.h>)
#include "handlers.h"

#include <string.h>

/// A page with one image, and the handler of a failure.
typedef struct {
    cairo_surface_t *surface;
    tessera_handler *failed;
} Page;

static void page_free(gpointer data, GClosure *closure) {
    Page *page = data;
    cairo_surface_destroy(page->surface);
    tessera_handler_free(page->failed);
    g_free(page);
}

/// Draws the image as large as the page allows, in its middle; an image that is wider than high turns the page by the
/// dialog's own choice of orientation.
static void draw_page(GtkPrintOperation *operation, GtkPrintContext *context, int number, gpointer data) {
    cairo_surface_t *surface = ((Page *)data)->surface;
    double width = cairo_image_surface_get_width(surface), height = cairo_image_surface_get_height(surface);
    double across = gtk_print_context_get_width(context) / width;
    double down = gtk_print_context_get_height(context) / height;
    double scale = MIN(across, down);
    cairo_t *cairo = gtk_print_context_get_cairo_context(context);
    cairo_translate(
        cairo, (gtk_print_context_get_width(context) - width * scale) / 2,
        (gtk_print_context_get_height(context) - height * scale) / 2);
    cairo_scale(cairo, scale, scale);
    cairo_set_source_surface(cairo, surface, 0, 0);
    cairo_paint(cairo);
}

static void printed(GtkPrintOperation *operation, GtkPrintOperationResult result, gpointer data) {
    if (result != GTK_PRINT_OPERATION_RESULT_ERROR) return;
    GError *error = NULL;
    gtk_print_operation_get_error(operation, &error);
    tessera_event event = {.text = error ? error->message : ""};
    tessera_handler_call(((Page *)data)->failed, &event);
    g_clear_error(&error);
}

/// A copy of RGBA pixels in cairo's format; NULL if memory runs out.
static cairo_surface_t *surface_of(const unsigned char *pixels, int width, int height, size_t bytes_per_row) {
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    unsigned char *target = cairo_image_surface_get_data(surface);
    if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS || !target) {
        cairo_surface_destroy(surface);
        return NULL;
    }
    int stride = cairo_image_surface_get_stride(surface);
    for (int y = 0; y < height; y++) {
        const unsigned char *from = pixels + (size_t)y * bytes_per_row;
        uint32_t *to = (uint32_t *)(target + (size_t)y * (size_t)stride);
        for (int x = 0; x < width; x++) {
            // Premultiplied pixels over white paper.
            uint32_t rest = 255 - from[4 * x + 3];
            to[x] = (from[4 * x] + rest) << 16 | (from[4 * x + 1] + rest) << 8 | (from[4 * x + 2] + rest);
        }
    }
    cairo_surface_mark_dirty(surface);
    return surface;
}

bool tessera_print(
    tessera_object *window, const char *name, const void *pixels, int width, int height, size_t bytes_per_row,
    tessera_handler failed
) {
    cairo_surface_t *surface = surface_of(pixels, width, height, bytes_per_row);
    if (!surface) {
        failed.release(failed.context);
        return false;
    }
    Page *page = g_new(Page, 1);
    *page = (Page){surface, tessera_handler_copy(failed)};
    GtkPrintOperation *operation = gtk_print_operation_new();
    gtk_print_operation_set_job_name(operation, name);
    gtk_print_operation_set_n_pages(operation, 1);
    gtk_print_operation_set_embed_page_setup(operation, TRUE);
    gtk_print_operation_set_allow_async(operation, TRUE);
    GtkPageSetup *setup = gtk_page_setup_new();
    gtk_page_setup_set_orientation(
        setup, width > height ? GTK_PAGE_ORIENTATION_LANDSCAPE : GTK_PAGE_ORIENTATION_PORTRAIT);
    gtk_print_operation_set_default_page_setup(operation, setup);
    g_object_unref(setup);
    g_signal_connect(operation, "draw-page", G_CALLBACK(draw_page), page);
    g_signal_connect_data(operation, "done", G_CALLBACK(printed), page, page_free, 0);
    gtk_print_operation_run(operation, GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG, GTK_WINDOW(window), NULL);
    g_object_unref(operation);
    return true;
}
#endif
