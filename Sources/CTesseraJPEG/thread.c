#include <stdlib.h>

#include "trap.h"

// libjpeg-turbo 2.1.5 keeps the processor's features in a thread-local variable, which only the start of an image sets.
// Rows read in another thread than the start's find it unset, which means "everything", and run AVX2 instructions on a
// processor that may have none (fixed in 2.1.5.1). A decoder may change threads between calls, so on such processors
// each thread starts, once, an image of one block.

#if defined(__x86_64__) || defined(__i386__)

static void start_one_picture(void) {
    struct jpeg_compress_struct info;
    tessera_jpeg_trap trap;
    unsigned char *bytes = NULL;
    unsigned long length = 0;
    tessera_jpeg_trap_install(&trap);
    info.err = &trap.manager;
    if (setjmp(trap.entry) == 0) {
        jpeg_create_compress(&info);
        jpeg_mem_dest(&info, &bytes, &length);
        info.image_width = info.image_height = 8;
        info.input_components = 3;
        info.in_color_space = JCS_RGB;
        jpeg_set_defaults(&info);
        jpeg_start_compress(&info, TRUE);
        jpeg_abort_compress(&info);
    }
    jpeg_destroy_compress(&info);
    free(bytes);
}

void tessera_jpeg_prepare_thread(void) {
    static _Thread_local int prepared;
    if (prepared)
        return;
    prepared = 1;
    if (!__builtin_cpu_supports("avx2"))
        start_one_picture();
}

#else

void tessera_jpeg_prepare_thread(void) {
}

#endif
