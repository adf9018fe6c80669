#include "CMemory.h"

#include <malloc.h>

void memory_release(void) {
    malloc_trim(0);
}
