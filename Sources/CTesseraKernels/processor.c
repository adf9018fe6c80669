#include "processor.h"

#include "tessera_raster.h"

#if defined(__x86_64__)

enum { unknown, absent, present };

static int known = unknown;

int tessera_has_avx2(void) {
    int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (answer == unknown) {
        // Every thread finds the same, so it doesn't matter whose answer is kept.
        __builtin_cpu_init();
        answer = __builtin_cpu_supports("avx2") ? present : absent;
        __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
    }
    return answer == present;
}

void tessera_allow_avx2(int allowed) {
    __atomic_store_n(&known, allowed ? unknown : absent, __ATOMIC_RELAXED);
}

#endif
