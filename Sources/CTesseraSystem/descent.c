#define _GNU_SOURCE
#include "CTesseraSystem.h"
#include "forms.h"

#include <signal.h>
#include <unistd.h>

#ifdef TESSERA_LINUX
#include <sys/prctl.h>
#endif

void tessera_close_files_from(int first) {
#ifdef TESSERA_LINUX
    close_range((unsigned int)first, ~0U, 0);
#else
    long count = sysconf(_SC_OPEN_MAX);
    // Where there is no limit, what a process has open is below this.
    if (count < 0 || count > 1 << 16)
        count = 1 << 16;
    for (int file = first; file < count; file++)
        close(file);
#endif
}

void tessera_depend_on_parent(void) {
#ifdef TESSERA_LINUX
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#endif
}
