#include "document.h"

#include <stdlib.h>

#if __has_include(<librsvg/rsvg.h>)

#include <librsvg/rsvg.h>

typedef struct {
    document document;
    RsvgHandle *handle;
} svg;

static void refuse_for(GError *error, refusal *refusal) {
    refuse(refusal, "corrupt", "%s", error && error->message ? error->message : "librsvg gives no reason");
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
static void find_size(document *document, RsvgHandle *handle) {
    if (rsvg_handle_get_intrinsic_size_in_pixels(handle, &document->width, &document->height)) return;
    gboolean has_width, has_height, has_box;
    RsvgLength given_width, given_height;
    RsvgRectangle box;
    rsvg_handle_get_intrinsic_dimensions(
        handle, &has_width, &given_width, &has_height, &given_height, &has_box, &box);
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
    if (rsvg_handle_get_geometry_for_layer(handle, NULL, &page, &ink, &logical, NULL)) {
        document->width = ink.width;
        document->height = ink.height;
    }
}

static bool draw(document *document, void *context, refusal *refusal) {
    RsvgRectangle viewport = {0, 0, document->width, document->height};
    GError *error = NULL;
    if (rsvg_handle_render_document(((svg *)document)->handle, context, &viewport, &error)) return true;
    refuse_for(error, refusal);
    return false;
}

document *svg_parse(uint8_t *bytes, size_t count, refusal *refusal) {
    GError *error = NULL;
    // Without a base address librsvg refuses every reference but data: and fragments of the document itself.
    RsvgHandle *handle = rsvg_handle_new_from_data(bytes, count, &error);
    if (!handle) {
        refuse_for(error, refusal);
        return NULL;
    }
    rsvg_handle_set_dpi(handle, 96);
    svg *found = calloc(1, sizeof *found);
    if (!found) abort();
    *found = (svg){.document = {.draw = draw}, .handle = handle};
    find_size(&found->document, handle);
    return &found->document;
}

#else

document *svg_parse(uint8_t *bytes, size_t count, refusal *refusal) {
    (void)bytes, (void)count;
    refuse(refusal, "unsupported", "this program was built without librsvg");
    return NULL;
}

#endif
