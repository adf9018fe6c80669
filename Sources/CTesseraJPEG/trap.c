#include "trap.h"

#include "include/CTesseraJPEG.h"

// After jpeglib.h, which decides what jerror.h declares.
#include <jerror.h>

static int32_t status_of(int code) {
    switch (code) {
    case JERR_NO_IMAGE:
    case JERR_INPUT_EMPTY:
        return TESSERA_TRUNCATED;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_IMAGE_TOO_BIG:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
    case JERR_WIDTH_OVERFLOW:
        return TESSERA_UNSUPPORTED;
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE:
        return TESSERA_NO_MEMORY;
    case JERR_BAD_STATE:
    case JERR_TOO_LITTLE_DATA:
    case JERR_BUFFER_SIZE:
        return TESSERA_MISUSE;
    default:
        return TESSERA_CORRUPT;
    }
}

// libjpeg writes as much without asking.
_Static_assert(sizeof((tessera_outcome *)0)->message >= JMSG_LENGTH_MAX, "a message of libjpeg's fits");

static void leave(j_common_ptr info) {
    tessera_jpeg_trap *trap = (tessera_jpeg_trap *)info->err;
    trap->outcome.status = status_of(info->err->msg_code);
    info->err->format_message(info, trap->outcome.message);
    longjmp(trap->entry, 1);
}

static void count_warning(j_common_ptr info, int level) {
    if (level < 0)
        info->err->num_warnings++;
}

static void say_nothing(j_common_ptr info) {
    (void)info;
}

void tessera_jpeg_trap_install(tessera_jpeg_trap *trap) {
    jpeg_std_error(&trap->manager);
    trap->manager.error_exit = leave;
    trap->manager.emit_message = count_warning;
    trap->manager.output_message = say_nothing;
    trap->outcome = (tessera_outcome){TESSERA_OK, ""};
}
