// Calls of the system that Swift's view of the C library leaves out.
#ifndef CTESSERA_SYSTEM_H
#define CTESSERA_SYSTEM_H

#include <stdint.h>

/// Opens a file without a name, in memory where the system can, which programs started later don't inherit.
/// -1 with the reason in errno.
int tessera_memory_file(void);

/// Has the system write what the process wrote to a part of a file, or more of it, to the disk, and waits for that: the
/// memory that held it can be used for something else then. -1 with the reason in errno.
int tessera_write_back(int file, int64_t offset, int64_t length);

/// What kind of thing a file is.
enum tessera_file_kind {
    TESSERA_REGULAR_FILE,
    TESSERA_FOLDER,
    TESSERA_LINK,
    TESSERA_OTHER_FILE,
};

/// What the system knows of a file. Times are since 1970.
typedef struct {
    enum tessera_file_kind kind;
    int64_t byte_count;
    int64_t modification_seconds, modification_nanoseconds;
    int64_t change_seconds, change_nanoseconds;
    uint64_t device, inode;
} tessera_file_status;

/// The status of an open file. -1 with the reason in errno.
int tessera_status(int file, tessera_file_status *status);

/// The status of what is called `name` in an open folder, links not followed. -1 with the reason in errno.
int tessera_status_in(int folder, const char *name, tessera_file_status *status);

/// Sets when an open file was last written. -1 with the reason in errno.
int tessera_set_modification_time(int file, int64_t seconds);

/// What is opened, and for what.
enum tessera_open_kind {
    /// A file to be read. One that isn't regular is opened too, without waiting; who asked looks at its status.
    TESSERA_OPEN_FILE,
    /// A folder to be listed.
    TESSERA_OPEN_FOLDER,
    /// Anything, for its status alone.
    TESSERA_OPEN_STATUS,
};

/// Opens what `path` leads to from an open folder, and nothing that isn't beneath it: "..", absolute paths and links that
/// lead out are refused at every step, whatever is renamed meanwhile. Links that stay beneath are followed where the
/// system can make sure of it (Linux 5.6, openat2), and refused elsewhere.
/// -1 with the reason in errno.
int tessera_open_beneath(int folder, const char *path, enum tessera_open_kind kind);

/// What `tessera_open_beneath` does where the system can't: a step at a time, following no link.
int tessera_open_beneath_by_steps(int folder, const char *path, enum tessera_open_kind kind);

/// Gives each of two paths what the other had, in one step. -1 with the reason in errno: ENOENT where one of them has
/// nothing, ENOSYS or EINVAL where the system can't.
int tessera_exchange(const char *one, const char *other);

#endif
