#define _GNU_SOURCE
#include "CTesseraSystem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#ifdef __linux__

/// The number in a file, or `fallback` where it can't be read or says "max".
static int64_t number_in(const char *path, int64_t fallback) {
    FILE *file = fopen(path, "re");
    if (!file)
        return fallback;
    char text[64];
    int64_t number = fallback;
    if (fgets(text, sizeof text, file)) {
        char *end;
        long long value = strtoll(text, &end, 10);
        if (end != text && value > 0)
            number = value;
    }
    fclose(file);
    return number;
}

/// The least of `limit` and the limits of a control group and of those around it.
static int64_t least(int64_t limit, const char *mount, const char *group, const char *name) {
    char folder[2048], path[4400];
    snprintf(folder, sizeof folder, "%s", group);
    while (1) {
        snprintf(path, sizeof path, "%s%s/%s", mount, strcmp(folder, "/") ? folder : "", name);
        int64_t found = number_in(path, limit);
        if (found < limit)
            limit = found;
        char *slash = strrchr(folder, '/');
        if (!slash || !folder[0])
            return limit;
        *slash = 0;
    }
}

static int64_t limit_of_groups(int64_t limit) {
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file)
        return limit;
    // "0::/group" (version 2), "4:memory:/group" (version 1).
    char line[2048];
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = 0;
        controllers++;
        if (!*controllers)
            limit = least(limit, "/sys/fs/cgroup", group, "memory.max");
        else if (strstr(controllers, "memory"))
            limit = least(limit, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
    }
    fclose(file);
    return limit;
}

#endif

int64_t tessera_usable_memory(void) {
    int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    int64_t limit = pages > 0 && page > 0 ? pages * page : INT64_MAX;
#ifdef __linux__
    limit = limit_of_groups(limit);
#endif
    return limit;
}

void tessera_keep_little_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

void tessera_return_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
