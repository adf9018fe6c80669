#if __has_include(<gtk/gtk.h>)
#include "handlers.h"

#include <string.h>

#define PORTAL "org.freedesktop.portal.Desktop"
#define PORTAL_PATH "/org/freedesktop/portal/desktop"

/// The session's bus; NULL where there is none. Nothing is started to look for one.
static GDBusConnection *session_bus(void) {
    static GDBusConnection *bus;
    static bool was_tried;
    if (was_tried) return bus;
    was_tried = true;
    bus = tessera_has_session_bus() ? g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL) : NULL;
    return bus;
}

// MARK: The theme

static gboolean dark_at_start;

/// Takes the desktop's colour scheme: 1 prefers dark, 2 light, 0 has no preference.
static void take_scheme(GVariant *value) {
    while (g_variant_is_of_type(value, G_VARIANT_TYPE_VARIANT)) {
        GVariant *inner = g_variant_get_variant(value);
        take_scheme(inner);
        g_variant_unref(inner);
        return;
    }
    if (!g_variant_is_of_type(value, G_VARIANT_TYPE_UINT32)) return;
    guint32 scheme = g_variant_get_uint32(value);
    gboolean is_dark = scheme == 1 ? TRUE : scheme == 2 ? FALSE : dark_at_start;
    g_object_set(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", is_dark, NULL);
}

static void scheme_read(GObject *bus, GAsyncResult *result, gpointer data) {
    GVariant *answer = g_dbus_connection_call_finish(G_DBUS_CONNECTION(bus), result, NULL);
    // Desktops without the portal have GTK's own settings.
    if (!answer) return;
    GVariant *value = g_variant_get_child_value(answer, 0);
    take_scheme(value);
    g_variant_unref(value);
    g_variant_unref(answer);
}

static void setting_changed(
    GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *signal,
    GVariant *arguments, gpointer data
) {
    if (!g_variant_is_of_type(arguments, G_VARIANT_TYPE("(ssv)"))) return;
    const char *space, *key;
    GVariant *value;
    g_variant_get(arguments, "(&s&sv)", &space, &key, &value);
    if (!strcmp(space, "org.freedesktop.appearance") && !strcmp(key, "color-scheme")) take_scheme(value);
    g_variant_unref(value);
}

void tessera_follow_color_scheme(void) {
    g_object_get(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", &dark_at_start, NULL);
    GDBusConnection *bus = session_bus();
    if (!bus) return;
    const char *settings = "org.freedesktop.portal.Settings";
    g_dbus_connection_signal_subscribe(
        bus, PORTAL, settings, "SettingChanged", PORTAL_PATH, "org.freedesktop.appearance", G_DBUS_SIGNAL_FLAGS_NONE,
        setting_changed, NULL, NULL);
    g_dbus_connection_call(
        bus, PORTAL, PORTAL_PATH, settings, "Read",
        g_variant_new("(ss)", "org.freedesktop.appearance", "color-scheme"), NULL, G_DBUS_CALL_FLAGS_NONE, 2000, NULL,
        scheme_read, NULL);
}

uint32_t tessera_text_color(tessera_object *widget) {
    GdkRGBA color;
    gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(widget)), &color);
    uint32_t red = (uint32_t)(color.red * 255 + 0.5f), green = (uint32_t)(color.green * 255 + 0.5f);
    uint32_t blue = (uint32_t)(color.blue * 255 + 0.5f), alpha = (uint32_t)(color.alpha * 255 + 0.5f);
    return red << 24 | green << 16 | blue << 8 | alpha;
}

// MARK: Recent files

static bool has_added_recent;

void tessera_add_recent(const char *path) {
    char *uri = g_filename_to_uri(path, NULL, NULL);
    if (!uri) return;
    static char *groups[] = {"Graphics", NULL};
    GtkRecentData data = {
        .mime_type = "image/x-generic", .app_name = "tessera-view", .app_exec = "tessera-view %u", .groups = groups,
    };
    gboolean is_uncertain;
    char *kind = g_content_type_guess(path, NULL, 0, &is_uncertain);
    char *mime = kind ? g_content_type_get_mime_type(kind) : NULL;
    if (mime) data.mime_type = mime;
    has_added_recent = gtk_recent_manager_add_full(gtk_recent_manager_get_default(), uri, &data) || has_added_recent;
    g_free(mime);
    g_free(kind);
    g_free(uri);
}

void tessera_save_recent(void) {
    // GTK writes the list a quarter of a second after an addition; the signal's own handler writes it at once.
    if (has_added_recent) g_signal_emit_by_name(gtk_recent_manager_get_default(), "changed");
}

static int newest_first(gconstpointer a, gconstpointer b) {
    GDateTime *first = gtk_recent_info_get_visited((GtkRecentInfo *)*(gpointer *)a);
    GDateTime *second = gtk_recent_info_get_visited((GtkRecentInfo *)*(gpointer *)b);
    return -g_date_time_compare(first, second);
}

void tessera_recent(tessera_handler handler) {
    GList *items = gtk_recent_manager_get_items(gtk_recent_manager_get_default());
    GPtrArray *own = g_ptr_array_new(), *names = g_ptr_array_new_with_free_func(g_free);
    for (GList *next = items; next; next = next->next)
        if (gtk_recent_info_has_application(next->data, "tessera-view")) g_ptr_array_add(own, next->data);
    g_ptr_array_sort(own, newest_first);
    for (guint index = 0; index < own->len; index++) {
        char *path = g_filename_from_uri(gtk_recent_info_get_uri(own->pdata[index]), NULL, NULL);
        if (path) g_ptr_array_add(names, path);
    }
    tessera_event event = {.texts = (const char *const *)names->pdata, .count = (int)names->len};
    tessera_handler_call(&handler, &event);
    handler.release(handler.context);
    g_ptr_array_unref(names);
    g_ptr_array_unref(own);
    g_list_free_full(items, (GDestroyNotify)gtk_recent_info_unref);
}

// MARK: Other programs

static GList *files_at(const char *const *paths, int count) {
    GList *files = NULL;
    for (int index = count; index > 0; index--) files = g_list_prepend(files, g_file_new_for_path(paths[index - 1]));
    return files;
}

static void program_chosen(GtkDialog *dialog, int response, gpointer data) {
    GAppInfo *program = gtk_app_chooser_get_app_info(GTK_APP_CHOOSER(dialog));
    if (response == GTK_RESPONSE_OK && program) {
        GError *error = NULL;
        GList *files = g_object_get_data(G_OBJECT(dialog), "files");
        GdkAppLaunchContext *context = gdk_display_get_app_launch_context(gtk_widget_get_display(GTK_WIDGET(dialog)));
        if (!g_app_info_launch(program, files, G_APP_LAUNCH_CONTEXT(context), &error)) {
            tessera_event event = {.text = error->message};
            tessera_handler_call(data, &event);
            g_error_free(error);
        }
        g_object_unref(context);
    }
    g_clear_object(&program);
    gtk_window_destroy(GTK_WINDOW(dialog));
}

static void free_files(gpointer files) { g_list_free_full(files, g_object_unref); }

void tessera_open_with(tessera_object *window, const char *const *paths, int count, tessera_handler failed) {
    GList *files = files_at(paths, count);
    GtkWidget *dialog = gtk_app_chooser_dialog_new(
        GTK_WINDOW(window), GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT, G_FILE(files->data));
    gtk_window_set_title(GTK_WINDOW(dialog), "Open With");
    g_object_set_data_full(G_OBJECT(dialog), "files", files, free_files);
    GtkWidget *list = gtk_app_chooser_dialog_get_widget(GTK_APP_CHOOSER_DIALOG(dialog));
    // The usual program comes first, under its own heading.
    gtk_app_chooser_widget_set_show_default(GTK_APP_CHOOSER_WIDGET(list), TRUE);
    g_signal_connect_data(
        dialog, "response", G_CALLBACK(program_chosen), tessera_handler_copy(failed), tessera_handler_closed, 0);
    gtk_window_present(GTK_WINDOW(dialog));
}

bool tessera_set_wallpaper(const char *path) {
    char *uri = g_filename_to_uri(path, NULL, NULL);
    if (!uri) return false;
    bool is_set = false;
    GSettingsSchemaSource *source = g_settings_schema_source_get_default();
    GSettingsSchema *schema =
        source ? g_settings_schema_source_lookup(source, "org.gnome.desktop.background", TRUE) : NULL;
    GDBusConnection *bus = session_bus();
    if (bus) {
        GVariantBuilder options;
        g_variant_builder_init(&options, G_VARIANT_TYPE_VARDICT);
        g_variant_builder_add(&options, "{sv}", "set-on", g_variant_new_string("background"));
        GVariant *answer = g_dbus_connection_call_sync(
            bus, PORTAL, PORTAL_PATH, "org.freedesktop.portal.Wallpaper", "SetWallpaperURI",
            g_variant_new("(ssa{sv})", "", uri, &options), NULL, G_DBUS_CALL_FLAGS_NONE, 2000, NULL, NULL);
        is_set = answer != NULL;
        if (answer) g_variant_unref(answer);
    }
    if (!is_set && schema) {
        GSettings *settings = g_settings_new_full(schema, NULL, NULL);
        is_set = g_settings_set_string(settings, "picture-uri", uri);
        if (g_settings_schema_has_key(schema, "picture-uri-dark"))
            g_settings_set_string(settings, "picture-uri-dark", uri);
        g_settings_sync();
        g_object_unref(settings);
    }
    if (schema) g_settings_schema_unref(schema);
    g_free(uri);
    return is_set;
}

// MARK: Dates

char *tessera_date_text(int year, int month, int day, int hour, int minute, int second) {
    GDateTime *date = g_date_time_new_local(year, month, day, hour, minute, second);
    char *text = date ? g_date_time_format(date, "%x %X") : NULL;
    char *copy = text ? strdup(text) : NULL;
    g_free(text);
    if (date) g_date_time_unref(date);
    return copy;
}

char *tessera_time_text(int64_t seconds) {
    GDateTime *date = g_date_time_new_from_unix_local(seconds);
    char *text = date ? g_date_time_format(date, "%x %X") : NULL;
    char *copy = text ? strdup(text) : NULL;
    g_free(text);
    if (date) g_date_time_unref(date);
    return copy;
}
#endif
