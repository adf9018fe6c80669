#ifndef CTESSERA_ATTRIBUTES_H
#define CTESSERA_ATTRIBUTES_H

#include <stddef.h>

// Extended attributes of files: names and values that move with a file, in its inode. Functions return -1 with the reason
// in errno; ENOTSUP where the system or the file system has none.

/// Sets an attribute of the open file, replacing its value.
int tessera_attribute_set(int file, const char *name, const void *value, size_t length);

/// Copies an attribute of the file at path, links followed, into value.
/// Returns its length. ENOENT: there is no file; ENODATA: the file has no such attribute; ERANGE: it is longer than
/// capacity.
ptrdiff_t tessera_attribute_get(const char *path, const char *name, void *value, size_t capacity);

#endif
