#include "document.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#if __has_include(<librsvg/rsvg.h>)

#include <glib-object.h>

// poppler's interface for GLib, version 8 of its library, as far as it is used. It is loaded where it is installed: most who draw
// SVG have no PDF.
static struct {
    void *(*new_from_bytes)(GBytes *bytes, const char *password, GError **error);
    int (*get_n_pages)(void *document);
    void *(*get_page)(void *document, int index);
    void (*get_size)(void *page, double *width, double *height);
    void (*render)(void *page, void *context);
} poppler;

// PopplerError's value for a document that a password protects.
enum { POPPLER_ENCRYPTED = 1 };

typedef struct {
    document document;
    void *page;
} pdf;

#ifdef __APPLE__
static const char *const name = "libpoppler-glib.8.dylib";
#else
static const char *const name = "libpoppler-glib.so.8";
#endif

void pdf_load(void) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    *(void **)&poppler.get_n_pages = dlsym(library, "poppler_document_get_n_pages");
    *(void **)&poppler.get_page = dlsym(library, "poppler_document_get_page");
    *(void **)&poppler.get_size = dlsym(library, "poppler_page_get_size");
    *(void **)&poppler.render = dlsym(library, "poppler_page_render");
    if (poppler.get_n_pages && poppler.get_page && poppler.get_size && poppler.render)
        *(void **)&poppler.new_from_bytes = dlsym(library, "poppler_document_new_from_bytes");
}

static bool draw(document *document, void *context, char *message, size_t capacity) {
    (void)message, (void)capacity;
    poppler.render(((pdf *)document)->page, context);
    return true;
}

document *pdf_parse(uint8_t *bytes, size_t count, int32_t page, refusal *refusal) {
    if (!poppler.new_from_bytes) {
        refusal->code = "unsupported";
        snprintf(refusal->message, sizeof refusal->message, "poppler isn't installed (Debian: apt-get install libpoppler-glib8)");
        return NULL;
    }
    GError *error = NULL;
    GBytes *contents = g_bytes_new_static(bytes, count);
    void *file = poppler.new_from_bytes(contents, NULL, &error);
    if (!file) {
        if (error && error->code == POPPLER_ENCRYPTED) refusal->code = "unsupported";
        snprintf(
            refusal->message, sizeof refusal->message, "%s",
            error && error->code == POPPLER_ENCRYPTED ? "a password protects it"
            : error && error->message                 ? error->message
                                                      : "poppler gives no reason");
        return NULL;
    }
    int page_count = poppler.get_n_pages(file);
    void *found = page >= 0 && page < page_count ? poppler.get_page(file, page) : NULL;
    if (!found) {
        if (page_count <= 0) {
            snprintf(refusal->message, sizeof refusal->message, "it has no pages");
        } else if (page < page_count) {
            snprintf(refusal->message, sizeof refusal->message, "its page with the index %d is damaged", page);
        } else {
            refusal->code = "invalid parameter";
            snprintf(
                refusal->message, sizeof refusal->message, "there is no page with the index %d; it has %d, counted from 0", page,
                page_count);
        }
        return NULL;
    }
    pdf *result = calloc(1, sizeof *result);
    if (!result) abort();
    *result = (pdf){.document = {.page_count = page_count, .draw = draw}, .page = found};
    poppler.get_size(found, &result->document.width, &result->document.height);
    return &result->document;
}

#else

void pdf_load(void) {}

document *pdf_parse(uint8_t *bytes, size_t count, int32_t page, refusal *refusal) {
    (void)bytes, (void)count, (void)page;
    refusal->code = "unsupported";
    snprintf(refusal->message, sizeof refusal->message, "this program was built without librsvg");
    return NULL;
}

#endif
