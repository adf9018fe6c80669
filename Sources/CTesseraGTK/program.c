#if __has_include(<gtk/gtk.h>)
#include "handlers.h"

#include <glib-unix.h>
#include <signal.h>
#include <unistd.h>

// libdispatch's interface for a foreign event loop on the main thread: a descriptor that is readable when the main
// queue has work, and the call that does it. CoreFoundation's run loop uses the same two.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

static GMainLoop *loop;

// MARK: How long the loop is kept

static GArray *watched;
static int depth;
static gint64 entered;

void tessera_enter(void) {
    if (depth++ == 0 && watched) entered = g_get_monotonic_time();
}

void tessera_leave(void) {
    if (--depth > 0 || !watched) return;
    guint32 time = (guint32)(g_get_monotonic_time() - entered);
    g_array_append_val(watched, time);
}

void tessera_watch(void) {
    if (watched) return;
    watched = g_array_new(FALSE, FALSE, sizeof(guint32));
    entered = g_get_monotonic_time();
}

size_t tessera_watched(const uint32_t **microseconds) {
    *microseconds = watched ? (const uint32_t *)watched->data : NULL;
    return watched ? watched->len : 0;
}

// MARK: The program

static gboolean run_main_queue(gint descriptor, GIOCondition condition, gpointer data) {
    uint64_t count;
    // A non-blocking eventfd: reading it resets it until there is more work.
    if (read(descriptor, &count, sizeof count) < 0) {}
    tessera_enter();
    _dispatch_main_queue_callback_4CF(NULL);
    tessera_leave();
    return G_SOURCE_CONTINUE;
}

bool tessera_has_session_bus(void) {
    if (g_getenv("DBUS_SESSION_BUS_ADDRESS")) return true;
    char *place = g_build_filename(g_get_user_runtime_dir(), "bus", NULL);
    bool is_there = g_file_test(place, G_FILE_TEST_EXISTS);
    g_free(place);
    return is_there;
}

/// Without a session bus, keeps GTK from looking for one and printing that it found none.
static void leave_missing_bus_alone(void) {
    if (tessera_has_session_bus()) return;
    g_setenv("GTK_A11Y", "none", FALSE);
    g_setenv("GSETTINGS_BACKEND", "memory", FALSE);
}

/// Ends the loop, as closing the window does. The handler is removed, so a second signal ends the process.
static gboolean stop_by_signal(gpointer data) {
    tessera_stop();
    return G_SOURCE_REMOVE;
}

static void stop_by_signals(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t blocked;
    sigemptyset(&blocked);
    for (size_t index = 0; index < G_N_ELEMENTS(signals); index++) {
        sigaddset(&blocked, signals[index]);
        // A shell's background processes ignore SIGINT, and nohup's SIGHUP.
        struct sigaction action;
        if (sigaction(signals[index], NULL, &action) == 0 && action.sa_handler == SIG_IGN) continue;
        g_unix_signal_add(signals[index], stop_by_signal, NULL);
    }
    // A program that was started by a thread of a pool inherits the thread's mask, which blocks all signals.
    pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
}

bool tessera_start(const char *name) {
    leave_missing_bus_alone();
    // Desktops find a window's .desktop file by this name.
    g_set_prgname(name);
    if (!gtk_init_check()) return false;
    // A type is registered under its name on first use.
    g_type_ensure(GTK_TYPE_LABEL);
    loop = g_main_loop_new(NULL, FALSE);
    stop_by_signals();
    g_unix_fd_add(_dispatch_get_main_queue_handle_4CF(), G_IO_IN, run_main_queue, NULL);
    return true;
}

int tessera_display_scale(void) {
    GdkDisplay *display = gdk_display_get_default();
    GListModel *monitors = display ? gdk_display_get_monitors(display) : NULL;
    int scale = 1;
    for (guint index = 0; monitors && index < g_list_model_get_n_items(monitors); index++) {
        GdkMonitor *monitor = g_list_model_get_item(monitors, index);
        scale = MAX(scale, gdk_monitor_get_scale_factor(monitor));
        g_object_unref(monitor);
    }
    return scale;
}

void tessera_run(void) {
    // Runs work that was enqueued before the descriptor was polled.
    _dispatch_main_queue_callback_4CF(NULL);
    g_main_loop_run(loop);
    tessera_save_recent();
}

void tessera_stop(void) { g_main_loop_quit(loop); }

void tessera_add_style(const char *css) {
    GtkCssProvider *provider = gtk_css_provider_new();
    gtk_css_provider_load_from_data(provider, css, -1);
    gtk_style_context_add_provider_for_display(
        gdk_display_get_default(), GTK_STYLE_PROVIDER(provider), GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
    g_object_unref(provider);
}

bool tessera_animates(void) {
    gboolean animates = TRUE;
    g_object_get(gtk_settings_get_default(), "gtk-enable-animations", &animates, NULL);
    return animates;
}

// MARK: Handlers

tessera_handler *tessera_handler_copy(tessera_handler handler) {
    tessera_handler *copy = g_new(tessera_handler, 1);
    *copy = handler;
    return copy;
}

void tessera_handler_free(gpointer data) {
    tessera_handler *handler = data;
    handler->release(handler->context);
    g_free(handler);
}

bool tessera_handler_call(const tessera_handler *handler, const tessera_event *event) {
    tessera_enter();
    bool answer = handler->call(handler->context, event);
    tessera_leave();
    return answer;
}

unsigned tessera_modifiers(GdkModifierType state) {
    return (state & GDK_SHIFT_MASK ? TESSERA_SHIFT : 0) | (state & GDK_CONTROL_MASK ? TESSERA_CONTROL : 0) |
        (state & GDK_ALT_MASK ? TESSERA_ALT : 0);
}

static void closure_called(
    GClosure *closure, GValue *result, guint count, const GValue *values, gpointer hint, gpointer marshal_data
) {
    tessera_event event = {0};
    if (count > 1 && G_VALUE_HOLDS_BOOLEAN(&values[1])) event.flag = g_value_get_boolean(&values[1]);
    bool answer = tessera_handler_call(closure->data, &event);
    if (result && G_VALUE_HOLDS_BOOLEAN(result)) g_value_set_boolean(result, answer);
}

void tessera_handler_closed(gpointer data, GClosure *closure) { tessera_handler_free(data); }

GClosure *tessera_closure(tessera_handler handler) {
    tessera_handler *copy = tessera_handler_copy(handler);
    GClosure *closure = g_closure_new_simple(sizeof(GClosure), copy);
    g_closure_set_marshal(closure, closure_called);
    g_closure_add_finalize_notifier(closure, copy, tessera_handler_closed);
    return closure;
}

void tessera_connect(tessera_object *object, const char *signal, tessera_handler handler) {
    g_signal_connect_closure(object, signal, tessera_closure(handler), FALSE);
}

// MARK: Actions

tessera_object *tessera_action_group(void) { return (tessera_object *)g_simple_action_group_new(); }

void tessera_insert_actions(tessera_object *widget, const char *prefix, tessera_object *group) {
    gtk_widget_insert_action_group(GTK_WIDGET(widget), prefix, G_ACTION_GROUP(group));
}

void tessera_add_action(tessera_object *group, const char *name, tessera_handler handler) {
    GSimpleAction *action = g_simple_action_new(name, NULL);
    g_signal_connect_closure(action, "activate", tessera_closure(handler), FALSE);
    g_action_map_add_action(G_ACTION_MAP(group), G_ACTION(action));
    g_object_unref(action);
}

static void switched(GSimpleAction *action, GVariant *value, gpointer data) {
    g_simple_action_set_state(action, value);
    tessera_event event = {.flag = g_variant_get_boolean(value)};
    tessera_handler_call(data, &event);
}

void tessera_add_switch(tessera_object *group, const char *name, bool is_on, tessera_handler handler) {
    GSimpleAction *action = g_simple_action_new_stateful(name, NULL, g_variant_new_boolean(is_on));
    g_signal_connect_data(
        action, "change-state", G_CALLBACK(switched), tessera_handler_copy(handler), tessera_handler_closed, 0);
    g_action_map_add_action(G_ACTION_MAP(group), G_ACTION(action));
    g_object_unref(action);
}

void tessera_set_switch(tessera_object *group, const char *name, bool is_on) {
    GAction *action = g_action_map_lookup_action(G_ACTION_MAP(group), name);
    if (action) g_simple_action_set_state(G_SIMPLE_ACTION(action), g_variant_new_boolean(is_on));
}

static void chose(GSimpleAction *action, GVariant *value, gpointer data) {
    g_simple_action_set_state(action, value);
    tessera_event event = {.text = g_variant_get_string(value, NULL)};
    tessera_handler_call(data, &event);
}

void tessera_add_selection(tessera_object *group, const char *name, const char *value, tessera_handler handler) {
    GSimpleAction *action =
        g_simple_action_new_stateful(name, G_VARIANT_TYPE_STRING, g_variant_new_string(value));
    g_signal_connect_data(
        action, "change-state", G_CALLBACK(chose), tessera_handler_copy(handler), tessera_handler_closed, 0);
    g_action_map_add_action(G_ACTION_MAP(group), G_ACTION(action));
    g_object_unref(action);
}

void tessera_set_selection(tessera_object *group, const char *name, const char *value) {
    GAction *action = g_action_map_lookup_action(G_ACTION_MAP(group), name);
    if (action) g_simple_action_set_state(G_SIMPLE_ACTION(action), g_variant_new_string(value));
}

void tessera_enable_action(tessera_object *group, const char *name, bool is_enabled) {
    GAction *action = g_action_map_lookup_action(G_ACTION_MAP(group), name);
    if (action) g_simple_action_set_enabled(G_SIMPLE_ACTION(action), is_enabled);
}

// MARK: Keys, files that are dropped or chosen

static gboolean key_pressed(
    GtkEventControllerKey *keys, guint value, guint code, GdkModifierType state, gpointer data
) {
    const char *name = gdk_keyval_name(value);
    if (!name) return FALSE;
    tessera_event event = {.text = name, .modifiers = tessera_modifiers(state)};
    return tessera_handler_call(data, &event);
}

void tessera_add_keys(tessera_object *widget, tessera_handler handler) {
    GtkEventController *keys = gtk_event_controller_key_new();
    g_signal_connect_data(
        keys, "key-pressed", G_CALLBACK(key_pressed), tessera_handler_copy(handler), tessera_handler_closed, 0);
    gtk_widget_add_controller(GTK_WIDGET(widget), keys);
}

static void pointer_moved(GtkEventControllerMotion *motion, double x, double y, gpointer data) {
    tessera_event event = {.x = x, .y = y};
    tessera_handler_call(data, &event);
}

void tessera_add_motion(tessera_object *widget, tessera_handler handler) {
    GtkEventController *motion = gtk_event_controller_motion_new();
    gtk_event_controller_set_propagation_phase(motion, GTK_PHASE_CAPTURE);
    g_signal_connect_data(
        motion, "motion", G_CALLBACK(pointer_moved), tessera_handler_copy(handler), tessera_handler_closed, 0);
    gtk_widget_add_controller(GTK_WIDGET(widget), motion);
}

static void laid_out(GdkSurface *surface, int width, int height, gpointer data) {
    tessera_event event = {.x = width, .y = height};
    tessera_handler_call(data, &event);
}

void tessera_on_layout(tessera_object *window, tessera_handler handler) {
    GdkSurface *surface = gtk_native_get_surface(GTK_NATIVE(window));
    g_signal_connect_data(
        surface, "layout", G_CALLBACK(laid_out), tessera_handler_copy(handler), tessera_handler_closed, 0);
}

/// Calls `handler` with the paths of `files`, or the addresses of those that have none.
static void tell_files(const tessera_handler *handler, GSList *files) {
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    for (GSList *next = files; next; next = next->next) {
        char *path = g_file_get_path(next->data);
        g_ptr_array_add(names, path ? path : g_file_get_uri(next->data));
    }
    tessera_event event = {.texts = (const char *const *)names->pdata, .count = (int)names->len};
    tessera_handler_call(handler, &event);
    g_ptr_array_unref(names);
}

static gboolean dropped(GtkDropTarget *target, const GValue *value, double x, double y, gpointer data) {
    if (G_VALUE_HOLDS(value, GDK_TYPE_FILE_LIST)) {
        tell_files(data, g_value_get_boxed(value));
        return TRUE;
    }
    // Dropped text may be addresses or paths, one a line, or anything else.
    char **lines = g_strsplit(g_value_get_string(value) ? g_value_get_string(value) : "", "\n", -1);
    GPtrArray *names = g_ptr_array_new();
    for (char **line = lines; *line; line++) {
        g_strstrip(*line);
        if (**line == '/' || g_uri_peek_scheme(*line)) g_ptr_array_add(names, *line);
    }
    tessera_event event = {.texts = (const char *const *)names->pdata, .count = (int)names->len};
    bool answer = names->len > 0 && tessera_handler_call(data, &event);
    g_ptr_array_unref(names);
    g_strfreev(lines);
    return answer;
}

void tessera_add_drop(tessera_object *widget, tessera_handler handler) {
    GtkDropTarget *target = gtk_drop_target_new(G_TYPE_INVALID, GDK_ACTION_COPY);
    GType types[] = {GDK_TYPE_FILE_LIST, G_TYPE_STRING};
    gtk_drop_target_set_gtypes(target, types, G_N_ELEMENTS(types));
    g_signal_connect_data(target, "drop", G_CALLBACK(dropped), tessera_handler_copy(handler), tessera_handler_closed, 0);
    gtk_widget_add_controller(GTK_WIDGET(widget), GTK_EVENT_CONTROLLER(target));
}

static void chosen(GtkNativeDialog *dialog, int response, gpointer data) {
    GSList *files = NULL;
    if (response == GTK_RESPONSE_ACCEPT) {
        GListModel *list = gtk_file_chooser_get_files(GTK_FILE_CHOOSER(dialog));
        for (guint index = g_list_model_get_n_items(list); index > 0; index--)
            files = g_slist_prepend(files, g_list_model_get_item(list, index - 1));
        g_object_unref(list);
    }
    gtk_native_dialog_hide(dialog);
    tell_files(data, files);
    g_slist_free_full(files, g_object_unref);
    // The handler may own the dialog.
    g_signal_handlers_disconnect_by_data(dialog, data);
    g_object_unref(dialog);
}

tessera_object *tessera_file_dialog(
    tessera_object *window, tessera_choice choice, const char *title, const char *suggestion, const char *folder
) {
    GtkFileChooserAction action = choice == TESSERA_SAVE_FILE ? GTK_FILE_CHOOSER_ACTION_SAVE
        : choice == TESSERA_OPEN_FOLDER                       ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER
                                                              : GTK_FILE_CHOOSER_ACTION_OPEN;
    GtkFileChooserNative *dialog =
        gtk_file_chooser_native_new(title, window ? GTK_WINDOW(window) : NULL, action, NULL, NULL);
    gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
    if (choice == TESSERA_OPEN_FILES) gtk_file_chooser_set_select_multiple(GTK_FILE_CHOOSER(dialog), TRUE);
    if (suggestion) gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(dialog), suggestion);
    if (folder) {
        GFile *file = g_file_new_for_path(folder);
        gtk_file_chooser_set_current_folder(GTK_FILE_CHOOSER(dialog), file, NULL);
        g_object_unref(file);
    }
    return (tessera_object *)dialog;
}

void tessera_add_choice(
    tessera_object *dialog, const char *name, const char *label, const char *const *values, const char *const *names
) {
    gtk_file_chooser_add_choice(GTK_FILE_CHOOSER(dialog), name, label, (const char **)values, (const char **)names);
    gtk_file_chooser_set_choice(GTK_FILE_CHOOSER(dialog), name, values[0]);
}

const char *tessera_chosen(tessera_object *dialog, const char *name) {
    return gtk_file_chooser_get_choice(GTK_FILE_CHOOSER(dialog), name);
}

void tessera_show_dialog(tessera_object *dialog, tessera_handler handler) {
    // The dialog keeps itself alive until it is answered.
    g_object_ref(dialog);
    g_signal_connect_data(
        dialog, "response", G_CALLBACK(chosen), tessera_handler_copy(handler), tessera_handler_closed, 0);
    gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

// MARK: Folders

static void folder_changed(
    GFileMonitor *monitor, GFile *file, GFile *other, GFileMonitorEvent kind, gpointer data
) {
    // While a file is written, only its end counts.
    if (kind == G_FILE_MONITOR_EVENT_CHANGED) return;
    tessera_event event = {0};
    tessera_handler_call(data, &event);
}

tessera_object *tessera_watch_folder(const char *path, tessera_handler handler) {
    GFile *folder = g_file_new_for_path(path);
    GFileMonitor *monitor = g_file_monitor_directory(folder, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
    g_object_unref(folder);
    tessera_handler *copy = tessera_handler_copy(handler);
    if (!monitor) {
        tessera_handler_free(copy);
        return NULL;
    }
    g_signal_connect_data(monitor, "changed", G_CALLBACK(folder_changed), copy, tessera_handler_closed, 0);
    return (tessera_object *)monitor;
}
#endif
