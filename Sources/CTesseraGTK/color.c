#if __has_include(<gtk/gtk.h>)
#include "handlers.h"

#include <string.h>

#define COLORD "org.freedesktop.ColorManager"

/// The monitor's profile as colord has it: a device by the connector's name, its first profile, that one's file.
typedef struct {
    GtkWindow *window;
    tessera_handler *handler;
    GDBusConnection *bus;
    /// The monitor that was last asked for, and the path that the handler was called with.
    char *connector, *path;
} Colors;

static void tell(Colors *colors, const char *path) {
    if (g_strcmp0(colors->path, path) == 0) return;
    g_free(colors->path);
    colors->path = g_strdup(path);
    tessera_event event = {.texts = (const char *const *)&colors->path, .count = path ? 1 : 0};
    tessera_handler_call(colors->handler, &event);
}

static void get(Colors *colors, const char *object, const char *interface, const char *name, GAsyncReadyCallback done) {
    g_dbus_connection_call(
        colors->bus, COLORD, object, "org.freedesktop.DBus.Properties", "Get", g_variant_new("(ss)", interface, name),
        G_VARIANT_TYPE("(v)"), G_DBUS_CALL_FLAGS_NONE, 5000, NULL, done, colors);
}

/// The value of a property that was asked for; NULL on failure. The caller releases it.
static GVariant *value_of(GObject *bus, GAsyncResult *result) {
    GVariant *answer = g_dbus_connection_call_finish(G_DBUS_CONNECTION(bus), result, NULL);
    if (!answer) return NULL;
    GVariant *value = NULL;
    g_variant_get(answer, "(v)", &value);
    g_variant_unref(answer);
    return value;
}

static void got_file(GObject *bus, GAsyncResult *result, gpointer colors) {
    GVariant *value = value_of(bus, result);
    const char *path = value && g_variant_is_of_type(value, G_VARIANT_TYPE_STRING) ? g_variant_get_string(value, NULL) : "";
    tell(colors, *path ? path : NULL);
    if (value) g_variant_unref(value);
}

static void got_profiles(GObject *bus, GAsyncResult *result, gpointer data) {
    GVariant *value = value_of(bus, result);
    const char *profile = NULL;
    if (value && g_variant_is_of_type(value, G_VARIANT_TYPE_OBJECT_PATH_ARRAY) && g_variant_n_children(value) > 0)
        g_variant_get_child(value, 0, "&o", &profile);
    if (profile) get(data, profile, COLORD ".Profile", "Filename", got_file);
    else tell(data, NULL);
    if (value) g_variant_unref(value);
}

static void got_device(GObject *bus, GAsyncResult *result, gpointer data) {
    GVariant *answer = g_dbus_connection_call_finish(G_DBUS_CONNECTION(bus), result, NULL);
    // No colord, or a monitor that it doesn't know.
    if (!answer) return tell(data, NULL);
    const char *device;
    g_variant_get(answer, "(&o)", &device);
    get(data, device, COLORD ".Device", "Profiles", got_profiles);
    g_variant_unref(answer);
}

static void ask(Colors *colors) {
    if (!colors->bus || !colors->connector) return;
    g_dbus_connection_call(
        colors->bus, COLORD, "/org/freedesktop/ColorManager", COLORD, "FindDeviceByProperty",
        g_variant_new("(ss)", "XRANDR_name", colors->connector), G_VARIANT_TYPE("(o)"), G_DBUS_CALL_FLAGS_NONE, 5000,
        NULL, got_device, colors);
}

/// Asks again if the window is on another monitor.
static void find_monitor(Colors *colors) {
    GdkSurface *surface = gtk_native_get_surface(GTK_NATIVE(colors->window));
    GdkMonitor *monitor = surface ? gdk_display_get_monitor_at_surface(gdk_surface_get_display(surface), surface) : NULL;
    const char *connector = monitor ? gdk_monitor_get_connector(monitor) : NULL;
    if (!connector || g_strcmp0(connector, colors->connector) == 0) return;
    g_free(colors->connector);
    colors->connector = g_strdup(connector);
    ask(colors);
}

static void monitor_entered(GdkSurface *surface, GdkMonitor *monitor, gpointer data) { find_monitor(data); }

static void colors_changed(
    GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *signal,
    GVariant *arguments, gpointer data
) {
    ask(data);
}

static void got_bus(GObject *source, GAsyncResult *result, gpointer data) {
    Colors *colors = data;
    colors->bus = g_bus_get_finish(result, NULL);
    if (!colors->bus) return;
    // Devices and profiles are added, changed and removed.
    g_dbus_connection_signal_subscribe(
        colors->bus, COLORD, NULL, NULL, NULL, NULL, G_DBUS_SIGNAL_FLAGS_NONE, colors_changed, colors, NULL);
    ask(colors);
}

void tessera_follow_monitor_profile(tessera_object *window, tessera_handler handler) {
    // One window, which lives as long as the program: this is never freed.
    Colors *colors = g_new0(Colors, 1);
    colors->window = GTK_WINDOW(window);
    colors->handler = tessera_handler_copy(handler);
    g_signal_connect(gtk_native_get_surface(GTK_NATIVE(window)), "enter-monitor", G_CALLBACK(monitor_entered), colors);
    find_monitor(colors);
    const char *address = g_getenv("DBUS_SYSTEM_BUS_ADDRESS");
    if (!address && !g_file_test("/run/dbus/system_bus_socket", G_FILE_TEST_EXISTS)) return;
    g_bus_get(G_BUS_TYPE_SYSTEM, NULL, got_bus, colors);
}
#endif
