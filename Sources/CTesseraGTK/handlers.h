// The common declarations of this shim's files.
#ifndef CTESSERA_GTK_HANDLERS_H
#define CTESSERA_GTK_HANDLERS_H

// Dialogs of GTK 4.8, the oldest that this is built with, are deprecated in later ones.
#define GDK_DISABLE_DEPRECATION_WARNINGS
#include <gtk/gtk.h>

#include "CTesseraGTK.h"

/// A closure that calls `handler`, and releases it at its own end. An argument of the signal that is a boolean is the
/// event's flag.
GClosure *tessera_closure(tessera_handler handler);
/// A copy of `handler` to be given as user data, with `tessera_handler_free` as its destructor.
tessera_handler *tessera_handler_copy(tessera_handler handler);
void tessera_handler_free(gpointer handler);
bool tessera_handler_call(const tessera_handler *handler, const tessera_event *event);
/// Frees a handler that is a signal's user data.
void tessera_handler_closed(gpointer data, GClosure *closure);
/// Whether the session has a bus to connect to.
bool tessera_has_session_bus(void);
/// Writes the list of recent files, if any was added, before the program ends.
void tessera_save_recent(void);
unsigned tessera_modifiers(GdkModifierType state);

#endif
