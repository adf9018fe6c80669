#include "document.h"

#include <stdarg.h>
#include <stdio.h>

void refuse(refusal *refusal, const char *code, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(refusal->message, sizeof refusal->message, format, values);
    va_end(values);
    for (char *c = refusal->message; *c; c++) {
        if (*c == '\n') *c = ' ';
    }
    refusal->code = code;
}

#if __has_include(<librsvg/rsvg.h>)

#include <cairo.h>

bool document_draw(document *document, view view, uint32_t *pixels, refusal *refusal) {
    cairo_surface_t *surface = cairo_image_surface_create_for_data(
        (unsigned char *)pixels, CAIRO_FORMAT_ARGB32, view.columns, view.rows, view.columns * 4);
    cairo_t *context = cairo_create(surface);
    cairo_translate(context, -view.x, -view.y);
    // Scaled here: a viewport of other proportions would add margins instead.
    cairo_scale(context, view.width / document->width, view.height / document->height);
    bool drawn = document->draw(document, context, refusal);
    if (drawn && cairo_status(context) != CAIRO_STATUS_SUCCESS) {
        refuse(refusal, "corrupt", "%s", cairo_status_to_string(cairo_status(context)));
        drawn = false;
    }
    cairo_destroy(context);
    cairo_surface_finish(surface);
    cairo_surface_destroy(surface);
    return drawn;
}

#else

bool document_draw(document *document, view view, uint32_t *pixels, refusal *refusal) {
    (void)document, (void)view, (void)pixels, (void)refusal;
    return false;
}

#endif
