#include "document.h"

#include <CTesseraShim.h>

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

// In the order of the functions.
static const char *const names[] = {
    "poppler_document_new_from_bytes", "poppler_document_get_n_pages", "poppler_document_get_page", "poppler_page_get_size",
    "poppler_page_render",
};

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

void pdf_load(void) { tessera_load_functions(name, names, sizeof names / sizeof *names, &poppler); }

static bool draw(document *document, void *context, refusal *refusal) {
    (void)refusal;
    poppler.render(((pdf *)document)->page, context);
    return true;
}

document *pdf_parse(uint8_t *bytes, size_t count, int32_t page, refusal *refusal) {
    if (!poppler.new_from_bytes) {
        refuse(refusal, "unsupported", "poppler isn't installed (Debian: apt-get install libpoppler-glib8)");
        return NULL;
    }
    GError *error = NULL;
    void *file = poppler.new_from_bytes(g_bytes_new_static(bytes, count), NULL, &error);
    if (!file) {
        if (error && error->code == POPPLER_ENCRYPTED)
            refuse(refusal, "unsupported", "a password protects it");
        else
            refuse(refusal, "corrupt", "%s", error && error->message ? error->message : "poppler gives no reason");
        g_clear_error(&error);
        return NULL;
    }
    int page_count = poppler.get_n_pages(file);
    if (page_count <= 0) {
        refuse(refusal, "corrupt", "it has no pages");
        return NULL;
    }
    if (page >= page_count) {
        refuse(
            refusal, "invalid parameter", "there is no page with the index %d; it has %d, counted from 0", page, page_count);
        return NULL;
    }
    void *found = poppler.get_page(file, page);
    if (!found) {
        refuse(refusal, "corrupt", "its page with the index %d is damaged", page);
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
    refuse(refusal, "unsupported", "this program was built without librsvg");
    return NULL;
}

#endif
