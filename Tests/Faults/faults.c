// Calls of the system that go wrong, for a program that is started with this library in LD_PRELOAD.
//
//   TESSERA_FAULT=CALL:ERROR:FIRST     from the FIRST call of this kind on, every one fails
//   TESSERA_FAULT_FOLDER=PATH          of those that concern files below PATH, and no other
//   TESSERA_FAULT_LOG=PATH             gets a byte for each call that failed
//
// CALL is read, write, open, map, truncate, allocate, link, rename, sync or folder. ERROR is the name of an error, or
// `short`: reads and writes then take a few bytes at a time. EINTR comes at every other call, since who is interrupted
// asks again. Linux and glibc alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static char call[16], folder[PATH_MAX], current[PATH_MAX];
static const char *log_path;
static int error_number;
static bool is_short;
static long first;
static atomic_long count;

static const struct {
    const char *name;
    int number;
} errors[] = {{"EINTR", EINTR}, {"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EMFILE", EMFILE},
              {"ENFILE", ENFILE}, {"ENOMEM", ENOMEM}, {"EACCES", EACCES}, {"EDQUOT", EDQUOT}};

__attribute__((constructor)) static void set_up(void) {
    const char *fault = getenv("TESSERA_FAULT"), *path = getenv("TESSERA_FAULT_FOLDER");
    char name[16];
    if (!fault || !path || !realpath(path, folder)) return;
    if (sscanf(fault, "%15[^:]:%15[^:]:%ld", call, name, &first) != 3) {
        call[0] = 0;
        return;
    }
    is_short = !strcmp(name, "short");
    for (size_t index = 0; index < sizeof errors / sizeof *errors; index++)
        if (!strcmp(name, errors[index].name)) error_number = errors[index].number;
    log_path = getenv("TESSERA_FAULT_LOG");
    if (!getcwd(current, sizeof current)) current[0] = 0;
}

// What follows calls the kernel itself, not what is interposed below.

static bool is_below(const char *path) {
    size_t length = strlen(folder);
    return !strncmp(path, folder, length) && (path[length] == '/' || path[length] == 0);
}

static bool concerns_file(int file) {
    char link[64], path[PATH_MAX];
    if (!call[0] || file < 0) return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return false;
    path[length] = 0;
    return is_below(path);
}

static bool concerns_path(int at, const char *path) {
    if (!call[0] || !path) return false;
    if (path[0] == '/') return is_below(path);
    return at == AT_FDCWD ? is_below(current) : concerns_file(at);
}

/// Whether this call of kind `name` is one to go wrong, and notes it.
static bool goes_wrong(const char *name) {
    if (strcmp(call, name)) return false;
    long number = atomic_fetch_add(&count, 1) + 1;
    if (number < first || (error_number == EINTR && (number - first) % 2)) return false;
    if (log_path) {
        int file = (int)syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (file >= 0) {
            syscall(SYS_write, file, "x", 1);
            syscall(SYS_close, file);
        }
    }
    errno = error_number;
    return true;
}

#define ORIGINAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define INPUT_OUTPUT(name, kind, buffer)                                                   \
    ssize_t name(int file, buffer bytes, size_t byte_count) {                              \
        if (concerns_file(file) && byte_count > 0 && goes_wrong(kind)) {                   \
            if (!is_short) return -1;                                                      \
            if (byte_count > 7) byte_count = 1 + byte_count % 7;                           \
        }                                                                                  \
        return ORIGINAL(name)(file, bytes, byte_count);                                    \
    }
INPUT_OUTPUT(read, "read", void *)
INPUT_OUTPUT(write, "write", const void *)

#define INPUT_OUTPUT_AT(name, kind, buffer, place)                                         \
    ssize_t name(int file, buffer bytes, size_t byte_count, place offset) {                \
        if (concerns_file(file) && byte_count > 0 && goes_wrong(kind)) {                   \
            if (!is_short) return -1;                                                      \
            if (byte_count > 7) byte_count = 1 + byte_count % 7;                           \
        }                                                                                  \
        return ORIGINAL(name)(file, bytes, byte_count, offset);                            \
    }
INPUT_OUTPUT_AT(pread, "read", void *, off_t)
INPUT_OUTPUT_AT(pread64, "read", void *, off64_t)
INPUT_OUTPUT_AT(pwrite, "write", const void *, off_t)
INPUT_OUTPUT_AT(pwrite64, "write", const void *, off64_t)

#define INPUT_OUTPUT_OF_MANY(name, kind)                                                   \
    ssize_t name(int file, const struct iovec *parts, int part_count) {                    \
        if (concerns_file(file) && part_count > 0 && goes_wrong(kind)) {                   \
            if (!is_short) return -1;                                                      \
            part_count = 1;                                                                \
        }                                                                                  \
        return ORIGINAL(name)(file, parts, part_count);                                    \
    }
INPUT_OUTPUT_OF_MANY(readv, "read")
INPUT_OUTPUT_OF_MANY(writev, "write")

#define OPENING(name)                                                                      \
    int name(const char *path, int flags, ...) {                                           \
        va_list list;                                                                      \
        va_start(list, flags);                                                             \
        mode_t mode = va_arg(list, mode_t);                                                \
        va_end(list);                                                                      \
        if (concerns_path(AT_FDCWD, path) && goes_wrong("open")) return -1;                \
        return ORIGINAL(name)(path, flags, mode);                                          \
    }
OPENING(open)
OPENING(open64)

#define OPENING_AT(name)                                                                   \
    int name(int at, const char *path, int flags, ...) {                                   \
        va_list list;                                                                      \
        va_start(list, flags);                                                             \
        mode_t mode = va_arg(list, mode_t);                                                \
        va_end(list);                                                                      \
        if (concerns_path(at, path) && goes_wrong("open")) return -1;                      \
        return ORIGINAL(name)(at, path, flags, mode);                                      \
    }
OPENING_AT(openat)
OPENING_AT(openat64)

#define MAPPING(name, place)                                                               \
    void *name(void *address, size_t length, int protection, int flags, int file, place offset) { \
        if (concerns_file(file) && goes_wrong("map")) return MAP_FAILED;                   \
        return ORIGINAL(name)(address, length, protection, flags, file, offset);           \
    }
MAPPING(mmap, off_t)
MAPPING(mmap64, off64_t)

#define TRUNCATING(name, place)                                                            \
    int name(int file, place length) {                                                     \
        if (concerns_file(file) && goes_wrong("truncate")) return -1;                      \
        return ORIGINAL(name)(file, length);                                               \
    }
TRUNCATING(ftruncate, off_t)
TRUNCATING(ftruncate64, off64_t)

#define ALLOCATING(name, place)                                                            \
    int name(int file, int mode, place offset, place length) {                             \
        if (concerns_file(file) && goes_wrong("allocate")) return -1;                      \
        return ORIGINAL(name)(file, mode, offset, length);                                 \
    }
ALLOCATING(fallocate, off_t)
ALLOCATING(fallocate64, off64_t)

int fsync(int file) {
    if (concerns_file(file) && goes_wrong("sync")) return -1;
    return ORIGINAL(fsync)(file);
}

int fdatasync(int file) {
    if (concerns_file(file) && goes_wrong("sync")) return -1;
    return ORIGINAL(fdatasync)(file);
}

int link(const char *from, const char *to) {
    if (concerns_path(AT_FDCWD, to) && goes_wrong("link")) return -1;
    return ORIGINAL(link)(from, to);
}

int linkat(int from_at, const char *from, int to_at, const char *to, int flags) {
    if (concerns_path(to_at, to) && goes_wrong("link")) return -1;
    return ORIGINAL(linkat)(from_at, from, to_at, to, flags);
}

int rename(const char *from, const char *to) {
    if (concerns_path(AT_FDCWD, to) && goes_wrong("rename")) return -1;
    return ORIGINAL(rename)(from, to);
}

int renameat(int from_at, const char *from, int to_at, const char *to) {
    if (concerns_path(to_at, to) && goes_wrong("rename")) return -1;
    return ORIGINAL(renameat)(from_at, from, to_at, to);
}

int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags) {
    if (concerns_path(to_at, to) && goes_wrong("rename")) return -1;
    return ORIGINAL(renameat2)(from_at, from, to_at, to, flags);
}

int mkdir(const char *path, mode_t mode) {
    if (concerns_path(AT_FDCWD, path) && goes_wrong("folder")) return -1;
    return ORIGINAL(mkdir)(path, mode);
}

int mkdirat(int at, const char *path, mode_t mode) {
    if (concerns_path(at, path) && goes_wrong("folder")) return -1;
    return ORIGINAL(mkdirat)(at, path, mode);
}
