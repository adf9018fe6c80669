#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "CTesseraSystem.h"

static void convert(const struct stat *from, tessera_file_status *to) {
    to->kind = S_ISREG(from->st_mode)   ? TESSERA_REGULAR_FILE
               : S_ISDIR(from->st_mode) ? TESSERA_FOLDER
               : S_ISLNK(from->st_mode) ? TESSERA_LINK
                                        : TESSERA_OTHER_FILE;
    to->byte_count = from->st_size;
#ifdef __APPLE__
    const struct timespec modified = from->st_mtimespec, changed = from->st_ctimespec;
#else
    const struct timespec modified = from->st_mtim, changed = from->st_ctim;
#endif
    to->modification_seconds = modified.tv_sec;
    to->modification_nanoseconds = modified.tv_nsec;
    to->change_seconds = changed.tv_sec;
    to->change_nanoseconds = changed.tv_nsec;
    to->device = (uint64_t)from->st_dev;
    to->inode = (uint64_t)from->st_ino;
}

int tessera_status(int file, tessera_file_status *status) {
    struct stat found;
    if (fstat(file, &found)) return -1;
    convert(&found, status);
    return 0;
}

int tessera_status_in(int folder, const char *name, tessera_file_status *status) {
    struct stat found;
    if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW)) return -1;
    convert(&found, status);
    return 0;
}

int tessera_set_modification_time(int file, int64_t seconds) {
    const struct timespec times[2] = {{.tv_sec = (time_t)seconds}, {.tv_sec = (time_t)seconds}};
    return futimens(file, times);
}
