#define _GNU_SOURCE
#include "CTesseraSystem.h"
#include "forms.h"

#include <stdlib.h>

#ifdef TESSERA_GLIBC
#include <malloc.h>
#endif

void tessera_keep_little_memory(void) {
#ifdef TESSERA_GLIBC
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

void tessera_return_memory(void) {
#ifdef TESSERA_GLIBC
    malloc_trim(0);
#endif
}
