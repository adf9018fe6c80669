// The common declarations of this shim's files.
#ifndef CTESSERA_GTK_HANDLERS_H
#define CTESSERA_GTK_HANDLERS_H

#include <gtk/gtk.h>

#include "CTesseraGTK.h"

/// A closure that calls `handler`, and releases it at its own end. An argument of the signal that is a boolean is the
/// event's flag.
GClosure *tessera_closure(tessera_handler handler);
/// A copy of `handler` to be given as user data, with `tessera_handler_free` as its destructor.
tessera_handler *tessera_handler_copy(tessera_handler handler);
void tessera_handler_free(gpointer handler);
bool tessera_handler_call(const tessera_handler *handler, const tessera_event *event);
unsigned tessera_modifiers(GdkModifierType state);

#endif
