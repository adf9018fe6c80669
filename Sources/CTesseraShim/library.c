#include "CTesseraShim.h"

#include <dlfcn.h>
#include <string.h>

bool tessera_load_functions(const char *library, const char *const *names, size_t count, void *functions) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return false;
    for (size_t index = 0; index < count; index++) {
        void *function = dlsym(handle, names[index]);
        // A library older than the headers lacks some.
        if (!function) {
            dlclose(handle);
            return false;
        }
        // Where there is dlsym, pointers to functions are of one size, and that of pointers to data.
        memcpy((char *)functions + index * sizeof function, &function, sizeof function);
    }
    return true;
}
