#ifndef TESSERA_SVG_DOCUMENT_H
#define TESSERA_SVG_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Why a document can't be drawn: the name of a code in ImageError, and words.
typedef struct {
    const char *code;
    char message[512];
} refusal;

/// Notes why a document can't be drawn, in one line.
__attribute__((format(printf, 3, 4))) void refuse(refusal *refusal, const char *code, const char *format, ...);

/// A document, parsed: an SVG, or a page of a PDF.
typedef struct document document;

struct document {
    /// The size that it gives itself, in pixels: of an SVG 96 to the inch, of a PDF 72.
    double width, height;
    /// The number of pages; 0 of an SVG.
    int32_t page_count;
    /// Draws everything by a `cairo_t *` whose unit is the document's pixel. false with the reason if it can't be drawn.
    bool (*draw)(document *document, void *context, refusal *refusal);
};

/// The part of the image to draw, and the size of the whole, in pixels.
typedef struct {
    double width, height, x, y;
    int32_t columns, rows;
} view;

/// Parses `count` bytes of SVG, gzipped or not. Nothing else is read: no file, no address. NULL with the reason in
/// `refusal` if they aren't a document.
document *svg_parse(uint8_t *bytes, size_t count, refusal *refusal);

/// Loads poppler, by which PDFs are read. Without it `pdf_parse` refuses them.
void pdf_load(void);

/// Parses `count` bytes of PDF, which must remain, and takes a page of it, the first being 0. As above.
document *pdf_parse(uint8_t *bytes, size_t count, int32_t page, refusal *refusal);

/// Draws into `pixels`, all zero, or white where there is paper: premultiplied, alpha in the highest eight bits of each, then
/// red, green, blue. false with the reason if it can't be drawn.
bool document_draw(document *document, view view, uint32_t *pixels, refusal *refusal);

#endif
