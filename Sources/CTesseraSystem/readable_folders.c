#define _GNU_SOURCE
#include "CTesseraSystem.h"
#include "forms.h"

#include <errno.h>

#if defined(TESSERA_LINUX) && __has_include(<linux/landlock.h>)

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

int tessera_read_only_below(const char *const *folders, size_t count) {
    // The rights of its first version; writing is prevented elsewhere.
    const __u64 reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
    struct landlock_ruleset_attr attributes = {
        .handled_access_fs = reading | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE
            | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR
            | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK
            | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM,
    };
    int rules = (int)syscall(
        SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0);
    if (rules < 0)
        return -1;
    for (size_t index = 0; index < count; index++) {
        int folder = open(folders[index], O_PATH | O_CLOEXEC);
        // A missing folder needs no rule.
        if (folder < 0)
            continue;
        struct landlock_path_beneath_attr below = {.allowed_access = reading, .parent_fd = folder};
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0);
        close(folder);
    }
    int result = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!result)
        result = (int)syscall(SYS_landlock_restrict_self, rules, 0);
    int reason = errno;
    close(rules);
    errno = reason;
    return result;
}

#else

int tessera_read_only_below(const char *const *folders, size_t count) {
    (void)folders, (void)count;
    errno = ENOSYS;
    return -1;
}

#endif
