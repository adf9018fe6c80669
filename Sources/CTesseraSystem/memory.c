#define _GNU_SOURCE
#include "CTesseraSystem.h"
#include "forms.h"

#include <stdlib.h>

#ifdef TESSERA_GLIBC
#include <malloc.h>
#endif

void tessera_keep_little_memory(int32_t arena_count) {
#ifdef TESSERA_GLIBC
    // Below 8 MiB, most buffers of a photograph's decoder would be mapped and cleared again for each render, which takes a
    // fifth of the time.
    mallopt(M_MMAP_THRESHOLD, 8 << 20);
    mallopt(M_TRIM_THRESHOLD, 8 << 20);
    // glibc makes up to eight arenas for each processor. Memory that is free in one isn't used by threads of the others, and
    // renders take turns on many threads.
    mallopt(M_ARENA_MAX, arena_count);
#endif
}

void tessera_return_memory(void) {
#ifdef TESSERA_GLIBC
    malloc_trim(0);
#endif
}
