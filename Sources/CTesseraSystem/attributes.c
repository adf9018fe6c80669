#include "CTesseraSystem.h"
#include "forms.h"

#include <errno.h>

#if defined(TESSERA_LINUX) || (defined(__APPLE__) && !defined(TESSERA_POSIX))
#include <sys/xattr.h>
#endif

int tessera_attribute_set(int file, const char *name, const void *value, size_t length) {
#if defined(TESSERA_LINUX)
    return fsetxattr(file, name, value, length, 0);
#elif defined(__APPLE__) && !defined(TESSERA_POSIX)
    return fsetxattr(file, name, value, length, 0, 0);
#else
    (void)file, (void)name, (void)value, (void)length;
    errno = ENOTSUP;
    return -1;
#endif
}

ptrdiff_t tessera_attribute_get(const char *path, const char *name, void *value, size_t capacity) {
#if defined(TESSERA_LINUX)
    return getxattr(path, name, value, capacity);
#elif defined(__APPLE__) && !defined(TESSERA_POSIX)
    ptrdiff_t length = getxattr(path, name, value, capacity, 0, 0);
    if (length < 0 && errno == ENOATTR)
        errno = ENODATA;
    return length;
#else
    (void)path, (void)name, (void)value, (void)capacity;
    errno = ENOTSUP;
    return -1;
#endif
}
