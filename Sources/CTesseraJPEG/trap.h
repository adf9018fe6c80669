#ifndef TESSERA_JPEG_TRAP_H
#define TESSERA_JPEG_TRAP_H

#include <CTesseraShim.h>

// jpeglib.h needs FILE, and doesn't include what declares it.
#include <stdio.h>

#include <jpeglib.h>
#include <setjmp.h>

/// Where libjpeg's errors end: a jump back into the entry point that is running, never further.
typedef struct {
    /// First, so that libjpeg's pointer to it is a pointer to the whole.
    struct jpeg_error_mgr manager;
    jmp_buf entry;
    /// The shim's own failures are recorded here too.
    tessera_outcome outcome;
} tessera_jpeg_trap;

void tessera_jpeg_trap_install(tessera_jpeg_trap *trap);

/// Begins an entry point: a jump buffer is valid only in the frame that set it, so each entry sets one.
#define TESSERA_JPEG_ENTER(trap)                   \
    do {                                           \
        if ((trap)->outcome.status < 0)            \
            return (trap)->outcome.status;         \
        tessera_jpeg_prepare_thread();             \
        if (setjmp((trap)->entry))                 \
            return (trap)->outcome.status;         \
    } while (0)

/// Makes libjpeg detect the processor's features in this thread.
void tessera_jpeg_prepare_thread(void);

#endif
