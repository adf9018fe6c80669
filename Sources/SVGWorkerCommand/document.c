#include "document.h"

#include <stdio.h>
#include <stdlib.h>

#if __has_include(<librsvg/rsvg.h>)

#include <librsvg/rsvg.h>

struct document {
    RsvgHandle *handle;
    double width, height;
};

static void take(GError *error, char *message, size_t capacity) {
    snprintf(message, capacity, "%s", error && error->message ? error->message : "librsvg gives no reason");
    for (char *c = message; *c; c++) {
        if (*c == '\n') *c = ' ';
    }
    g_clear_error(&error);
}

// A length in pixels; 0 for auto: absent, or a percentage of a viewport that doesn't exist.
static double pixels_of(gboolean is_given, RsvgLength length) {
    // librsvg's font size for a document without one.
    const double font_size = 12;
    if (!is_given || !(length.length > 0)) return 0;
    switch (length.unit) {
    case RSVG_UNIT_PX: return length.length;
    case RSVG_UNIT_EM: return length.length * font_size;
    case RSVG_UNIT_EX: return length.length * font_size / 2;
    case RSVG_UNIT_IN: return length.length * 96;
    case RSVG_UNIT_CM: return length.length * 96 / 2.54;
    case RSVG_UNIT_MM: return length.length * 96 / 25.4;
    case RSVG_UNIT_PT: return length.length * 96 / 72;
    case RSVG_UNIT_PC: return length.length * 16;
    default: return 0;
    }
}

// The size by the rules of CSS (CSS Images 3, 5.3, and SVG 2, 8.2): width and height; else one of them, and the other
// by the proportions of the view box, or 300 and 150 where there is none; else the view box, which CSS would fit into
// those. Without any of these, the size is that of the drawing.
static void find_size(document *document) {
    if (rsvg_handle_get_intrinsic_size_in_pixels(document->handle, &document->width, &document->height)) return;
    gboolean has_width, has_height, has_box;
    RsvgLength given_width, given_height;
    RsvgRectangle box;
    rsvg_handle_get_intrinsic_dimensions(
        document->handle, &has_width, &given_width, &has_height, &given_height, &has_box, &box);
    double width = pixels_of(has_width, given_width), height = pixels_of(has_height, given_height);
    has_box = has_box && box.width > 0 && box.height > 0;
    if (width > 0 || height > 0) {
        document->width = width > 0 ? width : has_box ? height * box.width / box.height : 300;
        document->height = height > 0 ? height : has_box ? width * box.height / box.width : 150;
        return;
    }
    if (has_box) {
        document->width = box.width;
        document->height = box.height;
        return;
    }
    RsvgRectangle ink, logical;
    RsvgRectangle page = {0, 0, 1, 1};
    if (rsvg_handle_get_geometry_for_layer(document->handle, NULL, &page, &ink, &logical, NULL)) {
        document->width = ink.width;
        document->height = ink.height;
    }
}

document *document_parse(const uint8_t *bytes, size_t count, char *message, size_t capacity) {
    GError *error = NULL;
    // Without a base address librsvg refuses every reference but data: and fragments of the document itself.
    RsvgHandle *handle = rsvg_handle_new_from_data(bytes, count, &error);
    if (!handle) {
        take(error, message, capacity);
        return NULL;
    }
    rsvg_handle_set_dpi(handle, 96);
    document *document = calloc(1, sizeof *document);
    if (!document) abort();
    document->handle = handle;
    find_size(document);
    return document;
}

void document_size(const document *document, double *width, double *height) {
    *width = document->width;
    *height = document->height;
}

bool document_draw(document *document, view view, uint32_t *pixels, char *message, size_t capacity) {
    cairo_surface_t *surface = cairo_image_surface_create_for_data(
        (unsigned char *)pixels, CAIRO_FORMAT_ARGB32, view.columns, view.rows, view.columns * 4);
    cairo_t *context = cairo_create(surface);
    cairo_translate(context, -view.x, -view.y);
    // Scaled here: a viewport of other proportions would add margins instead.
    cairo_scale(context, view.width / document->width, view.height / document->height);
    RsvgRectangle viewport = {0, 0, document->width, document->height};
    GError *error = NULL;
    bool drawn = rsvg_handle_render_document(document->handle, context, &viewport, &error);
    if (!drawn) {
        take(error, message, capacity);
    } else if (cairo_status(context) != CAIRO_STATUS_SUCCESS) {
        snprintf(message, capacity, "%s", cairo_status_to_string(cairo_status(context)));
        drawn = false;
    }
    cairo_destroy(context);
    cairo_surface_finish(surface);
    cairo_surface_destroy(surface);
    return drawn;
}

#else

document *document_parse(const uint8_t *bytes, size_t count, char *message, size_t capacity) {
    (void)bytes, (void)count;
    snprintf(message, capacity, "this program was built without librsvg");
    return NULL;
}

void document_size(const document *document, double *width, double *height) {
    (void)document;
    *width = *height = 0;
}

bool document_draw(document *document, view view, uint32_t *pixels, char *message, size_t capacity) {
    (void)document, (void)view, (void)pixels, (void)message, (void)capacity;
    return false;
}

#endif
