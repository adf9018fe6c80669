#include "CTesseraGTK.h"

bool tessera_gtk_available(void) {
#if __has_include(<gtk/gtk.h>)
    return true;
#else
    return false;
#endif
}
