#define _GNU_SOURCE
#include "CTesseraSystem.h"
#include "forms.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#ifdef TESSERA_LINUX
#include <sys/syscall.h>
#if defined(SYS_openat2) && __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#define HAS_OPENAT2 1
#endif
#endif

#if defined(TESSERA_LINUX) && defined(O_PATH)
#define LOOK O_PATH
#else
// Needs the right to read the file.
#define LOOK O_RDONLY
#endif

static int flags_for(enum tessera_open_kind kind) {
    switch (kind) {
    case TESSERA_OPEN_FOLDER:
        return O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    case TESSERA_OPEN_STATUS:
        return LOOK | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    default:
        // A pipe without a writer doesn't wait, and a terminal doesn't become the process's.
        return O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    }
}

int tessera_open_beneath_by_steps(int folder, const char *path, enum tessera_open_kind kind) {
    char name[256];
    int current = folder;
    for (;;) {
        size_t length = strcspn(path, "/");
        int is_last = path[length] == 0;
        int result = -1;
        if (length >= sizeof name) {
            errno = ENAMETOOLONG;
        } else {
            memcpy(name, path, length);
            name[length] = 0;
            if (length == 0 || strcmp(name, "..") == 0) {
                errno = EXDEV;
            } else {
                int flags = is_last ? flags_for(kind) : LOOK | O_DIRECTORY | O_CLOEXEC;
                do {
                    result = openat(current, name, flags | O_NOFOLLOW);
                } while (result < 0 && errno == EINTR);
            }
        }
        if (current != folder) {
            int reason = errno;
            close(current);
            errno = reason;
        }
        if (result < 0 || is_last)
            return result;
        current = result;
        path += length + 1;
    }
}

int tessera_open_beneath(int folder, const char *path, enum tessera_open_kind kind) {
#ifdef HAS_OPENAT2
    struct open_how how = {
        .flags = (unsigned int)flags_for(kind),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    if (kind == TESSERA_OPEN_STATUS)
        how.flags = O_PATH | O_CLOEXEC;
    // EAGAIN: something was renamed meanwhile, and the system can't tell whether it is still beneath.
    for (int attempt = 0; attempt < 16; attempt++) {
        long result = syscall(SYS_openat2, folder, path, &how, sizeof how);
        if (result >= 0)
            return (int)result;
        if (errno == ENOSYS || errno == EPERM)
            return tessera_open_beneath_by_steps(folder, path, kind);
        if (errno != EAGAIN && errno != EINTR)
            return -1;
    }
    return -1;
#else
    return tessera_open_beneath_by_steps(folder, path, kind);
#endif
}
