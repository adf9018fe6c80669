// Which form of a call is compiled: the system's own, or the one that stands beside it, which POSIX has.
#ifndef TESSERA_FORMS_H
#define TESSERA_FORMS_H

// Where there is glibc, this names it.
#include <stdlib.h>

// TESSERA_POSIX is given to the compiler to have the POSIX forms on Linux too, where the tests then try them.
#if defined(__linux__) && !defined(TESSERA_POSIX)
#define TESSERA_LINUX 1
#endif

#if defined(__GLIBC__) && !defined(TESSERA_POSIX)
#define TESSERA_GLIBC 1
#endif

#endif
