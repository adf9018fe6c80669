#ifndef TESSERA_CURL_LIBRARY_H
#define TESSERA_CURL_LIBRARY_H

#include "include/CTesseraCURL.h"

#if __has_include(<curl/curl.h>)
#define TESSERA_CURL_IS_BUILT 1

// Its macros check the types of variadic arguments by calling the functions directly.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include <CTesseraShim.h>

// Without type checks, libcurl's headers define these as macros of three arguments.
#undef curl_easy_setopt
#undef curl_easy_getinfo

/// The functions of libcurl that are used.
#define TESSERA_CURL_FUNCTIONS(EACH) \
    EACH(curl_global_init)           \
    EACH(curl_easy_init)             \
    EACH(curl_easy_cleanup)          \
    EACH(curl_easy_setopt)           \
    EACH(curl_easy_getinfo)          \
    EACH(curl_easy_pause)            \
    EACH(curl_easy_strerror)         \
    EACH(curl_multi_init)            \
    EACH(curl_multi_cleanup)         \
    EACH(curl_multi_add_handle)      \
    EACH(curl_multi_remove_handle)   \
    EACH(curl_multi_perform)         \
    EACH(curl_multi_info_read)       \
    EACH(curl_multi_poll)            \
    EACH(curl_multi_wakeup)          \
    EACH(curl_slist_append)          \
    EACH(curl_slist_free_all)

typedef struct {
    TESSERA_CURL_FUNCTIONS(TESSERA_FUNCTION_MEMBER)
} tessera_curl_functions;

/// The library's functions; NULL if it isn't installed.
const tessera_curl_functions *tessera_curl_library(void);

#endif
#endif
