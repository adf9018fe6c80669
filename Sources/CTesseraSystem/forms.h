// Selects the form of a call: the system's own, or its POSIX form.
#ifndef TESSERA_FORMS_H
#define TESSERA_FORMS_H

// Where there is glibc, this names it.
#include <stdlib.h>

// TESSERA_POSIX selects the POSIX forms on Linux too, so that the tests cover them.
#if defined(__linux__) && !defined(TESSERA_POSIX)
#define TESSERA_LINUX 1
#endif

#if defined(__GLIBC__) && !defined(TESSERA_POSIX)
#define TESSERA_GLIBC 1
#endif

#endif
