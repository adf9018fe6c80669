// System calls that Swift's overlay of the C library lacks, each with a form for systems that have POSIX alone
// (forms.h). Swift calls them through Platform.
#ifndef CTESSERA_SYSTEM_H
#define CTESSERA_SYSTEM_H

#include "CTesseraMessages.h"

#include <stddef.h>
#include <stdint.h>

/// Opens a file without a name, in memory if the system can, else on disk, which child processes don't inherit. -1 with
/// the reason in errno.
int tessera_memory_file(void);

/// Makes such a file `byte_count` bytes long; on Linux it can't shrink from then on. -1 with the reason in errno.
int tessera_fix_size(int file, int64_t byte_count);

/// Writes at least a part of a file from the page cache to disk, and waits for it, so that the memory can be reused. -1
/// with the reason in errno.
int tessera_write_back(int file, int64_t offset, int64_t length);

/// Returns freed memory to the system if the allocator keeps it (glibc); no effect elsewhere.
void tessera_return_memory(void);

/// Makes the allocator return large blocks as soon as they are freed, and keep at most 8 MiB at the end of each arena:
/// glibc's own threshold grows to 64 MiB, and `tessera_return_memory` doesn't return the memory below it. Limits the
/// number of arenas. For the whole process; call it before starting threads.
void tessera_keep_little_memory(int32_t arena_count);

/// A number of the calling thread, which no other has at the same time.
uintptr_t tessera_thread(void);

/// The number of the processor that the calling thread is on; -1 where the system doesn't say.
int tessera_processor(void);

/// Moves the calling thread to another of its processors if it is on this one and may be on others. Does nothing if that
/// fails, or is the business of the system alone, as in POSIX.
void tessera_leave_processor(int processor);

/// The kinds of files that `tessera_open_beneath` opens.
enum tessera_open_kind {
    /// A file for reading. A file that isn't regular is opened too, without blocking; the caller checks its status.
    TESSERA_OPEN_FILE,
    /// A folder for listing.
    TESSERA_OPEN_FOLDER,
    /// Anything, for its status alone. POSIX can't open like that: there it is opened for reading, and a link not at
    /// all.
    TESSERA_OPEN_STATUS,
};

/// Opens `path` relative to an open folder, and nothing outside it: "..", absolute paths and links that lead out are
/// refused at every step, even if something is renamed during the call. Links that stay beneath are followed where the
/// system can guarantee it (Linux 5.6, openat2), and refused elsewhere. -1 with the reason in errno.
int tessera_open_beneath(int folder, const char *path, enum tessera_open_kind kind);

/// The form of `tessera_open_beneath` for other systems: a step at a time, following no link.
int tessera_open_beneath_by_steps(int folder, const char *path, enum tessera_open_kind kind);

/// Exchanges the files at two paths in one step. -1 with the reason in errno: ENOENT if one doesn't exist, ENOSYS or
/// EINVAL if the system can't, as POSIX can't.
int tessera_exchange(const char *one, const char *other);

/// Sets an extended attribute of an open file, replacing its value. -1 with the reason in errno: ENOTSUP where the system
/// or the file system has none, as POSIX hasn't.
int tessera_attribute_set(int file, const char *name, const void *value, size_t length);

/// Copies an extended attribute of the file at `path`, links followed, into `value`, and returns its length. -1 with the
/// reason in errno: ENOENT if there is no file, ENODATA if it has no such attribute, ERANGE if that is longer than
/// `capacity`, ENOTSUP as above.
ptrdiff_t tessera_attribute_get(const char *path, const char *name, void *value, size_t capacity);

// MARK: Processes that strangers' bytes can't do harm from

/// The descriptors of a worker, beside 1 and 2, which are /dev/null.
enum {
    /// A socket for requests and replies (CTesseraMessages.h).
    TESSERA_WORKER_CONVERSATION = 0,
    /// A socket without data; when its other end is closed, the worker ends.
    TESSERA_WORKER_LIFELINE = 3,
    /// The shared memory.
    TESSERA_WORKER_MEMORY = 4,
    TESSERA_WORKER_FILE_COUNT = 5,
};

/// Limits a worker's further processor time, and its address space; below 0 for no limit. -1 with the reason in errno;
/// ENOSYS on other systems than Linux.
int tessera_limit_worker(int process, int64_t processor_seconds, int64_t address_bytes);

/// A worker's first step: closes all other descriptors, forbids extending files, core dumps and new privileges, and
/// makes the process end with its parent; on other systems than Linux it ends at its next request. -1 with the reason
/// in errno.
int tessera_hold_worker_back(void);

/// How a confined process may still open files by name.
enum tessera_confinement {
    TESSERA_MAY_OPEN_NOTHING,
    TESSERA_MAY_READ_FILES,
};

/// Restricts this process, with all of its threads, to system calls on memory, threads, clocks and open files. Opening
/// files by name fails with EACCES, unless allowed; memory can't become executable; sockets, programs, other processes
/// and unknown calls end the process (SIGSYS). Linux on x86-64 and AArch64 (seccomp); -1 with the reason in errno,
/// ENOSYS elsewhere.
int tessera_confine(enum tessera_confinement confinement);

/// Restricts this process to reading files below `folders`. Missing folders are ignored. Linux 5.13 and later, where
/// Landlock is on; -1 with the reason in errno, ENOSYS elsewhere.
int tessera_read_only_below(const char *const *folders, size_t count);

#endif
