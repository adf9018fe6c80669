// The browser viewer's files, in the program itself.
#ifndef CTESSERA_VIEWER_H
#define CTESSERA_VIEWER_H

#include <stddef.h>

/// One file of the viewer: its name, its media type, and its bytes, which are there as long as the program is.
typedef struct {
    const char *name;
    const char *media_type;
    const unsigned char *bytes;
    size_t count;
} tessera_page;

/// The file at `index`; NULL after the last one.
const tessera_page *tessera_page_at(size_t index);

#endif
