#ifndef TESSERA_SVG_DOCUMENT_H
#define TESSERA_SVG_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// An SVG document, parsed.
typedef struct document document;

/// The part of the image to draw, and the size of the whole, in pixels.
typedef struct {
    double width, height, x, y;
    int32_t columns, rows;
} view;

/// Parses `count` bytes of SVG, gzipped or not. Nothing else is read: no file, no address. NULL with a reason in
/// `message` if they aren't a document.
document *document_parse(const uint8_t *bytes, size_t count, char *message, size_t capacity);

/// The size that the document gives itself, in pixels at 96 to the inch.
void document_size(const document *document, double *width, double *height);

/// Draws into `pixels`, all zero: premultiplied, alpha in the highest eight bits of each, then red, green, blue. false
/// with a reason in `message` if it can't be drawn.
bool document_draw(document *document, view view, uint32_t *pixels, char *message, size_t capacity);

#endif
