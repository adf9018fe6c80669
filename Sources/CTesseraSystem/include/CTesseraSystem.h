// Calls of the system that Swift's view of the C library leaves out, each with a form for systems that have only what POSIX
// asks for (forms.h). Swift calls them through Platform.
#ifndef CTESSERA_SYSTEM_H
#define CTESSERA_SYSTEM_H

#include "CTesseraMessages.h"

#include <stddef.h>
#include <stdint.h>

/// Opens a file without a name, in memory where the system can, on a disk elsewhere, which programs started later don't inherit.
/// -1 with the reason in errno.
int tessera_memory_file(void);

/// Makes such a file `byte_count` bytes long; on Linux nobody can make it shorter from then on. -1 with the reason in errno.
int tessera_fix_size(int file, int64_t byte_count);

/// Has the system write what the process wrote to a part of a file, or more of it, to the disk, and waits for that: the
/// memory that held it can be used for something else then. -1 with the reason in errno.
int tessera_write_back(int file, int64_t offset, int64_t length);

/// Gives memory that was freed back to the system, where the allocator keeps it (glibc's); nothing elsewhere.
void tessera_return_memory(void);

/// Has the allocator give large blocks back as soon as they are freed, and keep no more than 1 MiB at the end of each of its
/// arenas: glibc's own threshold grows to 64 MiB, and what is below it isn't given back by `tessera_return_memory` either.
/// For the whole process; to be called before threads are started.
void tessera_keep_little_memory(void);

/// What is opened, and for what.
enum tessera_open_kind {
    /// A file to be read. One that isn't regular is opened too, without waiting; who asked looks at its status.
    TESSERA_OPEN_FILE,
    /// A folder to be listed.
    TESSERA_OPEN_FOLDER,
    /// Anything, for its status alone. POSIX has no such way to open: it is opened to be read, and a link not at all.
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
/// nothing, ENOSYS or EINVAL where the system can't, as POSIX can't.
int tessera_exchange(const char *one, const char *other);

// MARK: Processes that strangers' bytes can't do harm from

/// The descriptors that a worker is started with, beside 1 and 2, which lead nowhere.
enum {
    /// A socket: what it is asked, and what it answers (CTesseraMessages.h).
    TESSERA_WORKER_CONVERSATION = 0,
    /// A socket into which nobody writes; when its other end is closed, the worker's life ends.
    TESSERA_WORKER_LIFELINE = 3,
    /// Memory that both see.
    TESSERA_WORKER_MEMORY = 4,
    TESSERA_WORKER_FILE_COUNT = 5,
};

/// Limits what a worker may take from now on: time of the processor beyond what it took, and addresses; below 0 for no
/// limit. -1 with the reason in errno; ENOSYS elsewhere than on Linux.
int tessera_limit_worker(int process, int64_t processor_seconds, int64_t address_bytes);

/// What a worker does first: closes what it wasn't handed, lets no file grow, writes no memory to the disk when it
/// crashes, gains no rights by programs that it starts, and ends when the process does that started it; elsewhere than on
/// Linux it ends when it next hears that nobody asks it. -1 with the reason in errno.
int tessera_hold_worker_back(void);

/// What a process that confines itself may still do with files by their names.
enum tessera_confinement {
    TESSERA_MAY_OPEN_NOTHING,
    TESSERA_MAY_READ_FILES,
};

/// Leaves to this process, with all of its threads, no system calls but those on memory, threads, clocks and open files.
/// Looking for files by name fails with EACCES, where it may at all; memory never becomes code; sockets, programs, other
/// processes, and whatever isn't known here end the process (SIGSYS).
/// Linux on x86-64 and AArch64 (seccomp); -1 with the reason in errno, ENOSYS elsewhere.
int tessera_confine(enum tessera_confinement confinement);

/// Leaves to this process no files but those below `folders`, to be read. Folders that aren't there are passed over.
/// Linux 5.13 and later, where Landlock is on; -1 with the reason in errno, ENOSYS elsewhere.
int tessera_read_only_below(const char *const *folders, size_t count);

#endif
