#include "CStage.h"

#include <gtk/gtk.h>

static GtkWidget *window, *frame, *fixed;
static stage_handlers handlers;
static guint tick;
static gint64 last_frame;

static gboolean scrolled(GtkEventControllerScroll *scroll, double dx, double dy, gpointer data) {
    // A touchpad counts points.
    double step = gtk_event_controller_scroll_get_unit(scroll) == GDK_SCROLL_UNIT_SURFACE ? 60 : 1;
    handlers.scrolled((dx + dy) / step);
    return TRUE;
}

static void drag_began(GtkGestureDrag *drag, double x, double y, gpointer data) { handlers.grasped(); }

static void dragged(GtkGestureDrag *drag, double x, double y, gpointer data) { handlers.dragged(x); }

static void drag_ended(GtkGestureDrag *drag, double x, double y, gpointer data) { handlers.released(); }

static gboolean key_pressed(GtkEventControllerKey *keys, guint value, guint code, GdkModifierType state, gpointer data) {
    const char *name = gdk_keyval_name(value);
    return name && handlers.key(name);
}

static gboolean close_requested(GtkWindow *closing, gpointer data) {
    handlers.closed();
    // It is destroyed when the loop is over.
    return TRUE;
}

static gboolean ticked(GtkWidget *widget, GdkFrameClock *clock, gpointer data) {
    gint64 now = gdk_frame_clock_get_frame_time(clock);
    double seconds = last_frame ? (double)(now - last_frame) / G_USEC_PER_SEC : 0;
    last_frame = now;
    if (handlers.frame(seconds, gtk_widget_get_width(frame), gtk_widget_get_height(frame))) return G_SOURCE_CONTINUE;
    tick = 0;
    return G_SOURCE_REMOVE;
}

void stage_start(void) {
    if (tick || !fixed) return;
    last_frame = 0;
    tick = gtk_widget_add_tick_callback(fixed, ticked, NULL, NULL);
}

static void resized(GdkSurface *surface, GParamSpec *property, gpointer data) { stage_start(); }

static void realized(GtkWidget *widget, gpointer data) {
    GdkSurface *surface = gtk_native_get_surface(GTK_NATIVE(widget));
    g_signal_connect(surface, "notify::width", G_CALLBACK(resized), NULL);
    g_signal_connect(surface, "notify::height", G_CALLBACK(resized), NULL);
}

void stage_open(const char *title, int width, int height, stage_handlers given) {
    handlers = given;
    window = gtk_window_new();
    gtk_window_set_title(GTK_WINDOW(window), title);
    gtk_window_set_default_size(GTK_WINDOW(window), width, height);
    g_object_set(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", TRUE, NULL);

    // What reaches beyond the window is not to make it larger.
    frame = gtk_scrolled_window_new();
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(frame), GTK_POLICY_EXTERNAL, GTK_POLICY_EXTERNAL);
    fixed = gtk_fixed_new();
    gtk_widget_set_overflow(fixed, GTK_OVERFLOW_HIDDEN);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(frame), fixed);
    gtk_window_set_child(GTK_WINDOW(window), frame);

    GtkEventController *scroll = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
    gtk_event_controller_set_propagation_phase(scroll, GTK_PHASE_CAPTURE);
    g_signal_connect(scroll, "scroll", G_CALLBACK(scrolled), NULL);
    gtk_widget_add_controller(window, scroll);
    GtkGesture *drag = gtk_gesture_drag_new();
    gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(drag), GTK_PHASE_CAPTURE);
    g_signal_connect(drag, "drag-begin", G_CALLBACK(drag_began), NULL);
    g_signal_connect(drag, "drag-update", G_CALLBACK(dragged), NULL);
    g_signal_connect(drag, "drag-end", G_CALLBACK(drag_ended), NULL);
    gtk_widget_add_controller(frame, GTK_EVENT_CONTROLLER(drag));
    GtkEventController *keys = gtk_event_controller_key_new();
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
    g_signal_connect(keys, "key-pressed", G_CALLBACK(key_pressed), NULL);
    gtk_widget_add_controller(window, keys);
    g_signal_connect(window, "close-request", G_CALLBACK(close_requested), NULL);
    g_signal_connect(window, "realize", G_CALLBACK(realized), NULL);
    gtk_window_present(GTK_WINDOW(window));
    stage_start();
}

void stage_add(stage_widget *widget, int width, int height) {
    gtk_widget_set_size_request(GTK_WIDGET(widget), width, height);
    gtk_widget_set_focusable(GTK_WIDGET(widget), FALSE);
    gtk_fixed_put(GTK_FIXED(fixed), GTK_WIDGET(widget), 0, 0);
}

void stage_place(stage_widget *widget, double x, double y, double scale, double opacity) {
    int width, height;
    gtk_widget_get_size_request(GTK_WIDGET(widget), &width, &height);
    graphene_point_t corner =
        GRAPHENE_POINT_INIT((float)(x - width * scale / 2), (float)(y - height * scale / 2));
    GskTransform *transform = gsk_transform_translate(NULL, &corner);
    transform = gsk_transform_scale(transform, (float)scale, (float)scale);
    gtk_fixed_set_child_transform(GTK_FIXED(fixed), GTK_WIDGET(widget), transform);
    gsk_transform_unref(transform);
    gtk_widget_set_opacity(GTK_WIDGET(widget), opacity);
}

void stage_close(void) {
    if (!window) return;
    if (tick) gtk_widget_remove_tick_callback(fixed, tick);
    tick = 0;
    gtk_window_destroy(GTK_WINDOW(window));
    window = frame = fixed = NULL;
}
