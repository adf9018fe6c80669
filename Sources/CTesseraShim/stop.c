#include "CTesseraShim.h"

#include <stdatomic.h>
#include <stdlib.h>

struct tessera_stop {
    atomic_bool is_requested;
};

tessera_stop *tessera_stop_create(void) {
    return calloc(1, sizeof(tessera_stop));
}

void tessera_stop_destroy(tessera_stop *stop) {
    free(stop);
}

void tessera_stop_request(tessera_stop *stop) {
    atomic_store_explicit(&stop->is_requested, true, memory_order_relaxed);
}

bool tessera_stop_is_requested(const tessera_stop *stop) {
    return atomic_load_explicit(&stop->is_requested, memory_order_relaxed);
}
