#include "document.h"

#include <stdio.h>

#if __has_include(<librsvg/rsvg.h>)

#include <cairo.h>

bool document_draw(document *document, view view, uint32_t *pixels, char *message, size_t capacity) {
    cairo_surface_t *surface = cairo_image_surface_create_for_data(
        (unsigned char *)pixels, CAIRO_FORMAT_ARGB32, view.columns, view.rows, view.columns * 4);
    cairo_t *context = cairo_create(surface);
    cairo_translate(context, -view.x, -view.y);
    // Scaled here: a viewport of other proportions would add margins instead.
    cairo_scale(context, view.width / document->width, view.height / document->height);
    bool drawn = document->draw(document, context, message, capacity);
    if (drawn && cairo_status(context) != CAIRO_STATUS_SUCCESS) {
        snprintf(message, capacity, "%s", cairo_status_to_string(cairo_status(context)));
        drawn = false;
    }
    cairo_destroy(context);
    cairo_surface_finish(surface);
    cairo_surface_destroy(surface);
    return drawn;
}

#else

bool document_draw(document *document, view view, uint32_t *pixels, char *message, size_t capacity) {
    (void)document, (void)view, (void)pixels, (void)message, (void)capacity;
    return false;
}

#endif
