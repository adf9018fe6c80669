#if __has_include(<gtk/gtk.h>)
#include "handlers.h"

#include <string.h>

tessera_object *tessera_retain(tessera_object *object) { return g_object_ref(object); }

void tessera_release(tessera_object *object) { g_object_unref(object); }

tessera_object *tessera_new(const char *type_name) {
    GType type = g_type_from_name(type_name);
    if (!type) return NULL;
    // A new widget's reference is floating.
    return (tessera_object *)g_object_ref_sink(g_object_new(type, NULL));
}

tessera_object *tessera_build(const unsigned char *ui, size_t count, char **message) {
    GtkBuilder *builder = gtk_builder_new();
    GError *error = NULL;
    if (gtk_builder_add_from_string(builder, (const char *)ui, (gssize)count, &error)) return (tessera_object *)builder;
    *message = strdup(error->message);
    g_error_free(error);
    g_object_unref(builder);
    return NULL;
}

tessera_object *tessera_built(tessera_object *builder, const char *name) {
    return (tessera_object *)gtk_builder_get_object(GTK_BUILDER(builder), name);
}

// MARK: Properties

void tessera_notify(tessera_object *object, const char *property) {
    g_object_notify(G_OBJECT(object), property);
}

void tessera_set_flag(tessera_object *object, const char *property, bool value) {
    g_object_set(object, property, (gboolean)value, NULL);
}

void tessera_set_number(tessera_object *object, const char *property, double value) {
    GParamSpec *known = g_object_class_find_property(G_OBJECT_GET_CLASS(object), property);
    if (known && G_TYPE_IS_ENUM(known->value_type)) {
        g_object_set(object, property, (int)value, NULL);
        return;
    }
    GValue number = G_VALUE_INIT;
    g_value_init(&number, G_TYPE_DOUBLE);
    g_value_set_double(&number, value);
    g_object_set_property(G_OBJECT(object), property, &number);
}

void tessera_set_text(tessera_object *object, const char *property, const char *value) {
    g_object_set(object, property, value, NULL);
}

void tessera_set_object(tessera_object *object, const char *property, tessera_object *value) {
    g_object_set(object, property, value, NULL);
}

bool tessera_get_flag(tessera_object *object, const char *property) {
    gboolean value = FALSE;
    g_object_get(object, property, &value, NULL);
    return value;
}

double tessera_get_number(tessera_object *object, const char *property) {
    GValue number = G_VALUE_INIT;
    g_value_init(&number, G_TYPE_DOUBLE);
    g_object_get_property(G_OBJECT(object), property, &number);
    return g_value_get_double(&number);
}

char *tessera_get_text(tessera_object *object, const char *property) {
    char *value = NULL;
    g_object_get(object, property, &value, NULL);
    char *copy = value ? strdup(value) : NULL;
    g_free(value);
    return copy;
}

// MARK: Widgets

void tessera_set_class(tessera_object *widget, const char *name, bool is_on) {
    if (is_on) gtk_widget_add_css_class(GTK_WIDGET(widget), name);
    else gtk_widget_remove_css_class(GTK_WIDGET(widget), name);
}

void tessera_set_label(tessera_object *widget, const char *label) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

void tessera_focus(tessera_object *widget) { gtk_widget_grab_focus(GTK_WIDGET(widget)); }

bool tessera_activate(tessera_object *widget, const char *action) {
    return gtk_widget_activate_action(GTK_WIDGET(widget), action, NULL);
}

void tessera_redraw(tessera_object *widget) { gtk_widget_queue_draw(GTK_WIDGET(widget)); }

void tessera_resize(tessera_object *widget) { gtk_widget_queue_resize(GTK_WIDGET(widget)); }

int tessera_scale_factor(tessera_object *widget) { return gtk_widget_get_scale_factor(GTK_WIDGET(widget)); }

void tessera_present(tessera_object *window) { gtk_window_present(GTK_WINDOW(window)); }

void tessera_close(tessera_object *window) { gtk_window_close(GTK_WINDOW(window)); }

void tessera_destroy(tessera_object *window) { gtk_window_destroy(GTK_WINDOW(window)); }

void tessera_grid_attach(tessera_object *grid, tessera_object *child, int column, int row) {
    gtk_grid_attach(GTK_GRID(grid), GTK_WIDGET(child), column, row, 1, 1);
}

void tessera_grid_clear(tessera_object *grid) {
    GtkWidget *child;
    while ((child = gtk_widget_get_first_child(GTK_WIDGET(grid)))) gtk_grid_remove(GTK_GRID(grid), child);
}

void tessera_box_append(tessera_object *box, tessera_object *child) {
    gtk_box_append(GTK_BOX(box), GTK_WIDGET(child));
}

void tessera_box_clear(tessera_object *box) {
    GtkWidget *child;
    while ((child = gtk_widget_get_first_child(GTK_WIDGET(box)))) gtk_box_remove(GTK_BOX(box), child);
}

void tessera_set_cursor(tessera_object *widget, const char *name) {
    gtk_widget_set_cursor_from_name(GTK_WIDGET(widget), name);
}

static gboolean remove_menu(gpointer menu) {
    gtk_widget_unparent(menu);
    g_object_unref(menu);
    return G_SOURCE_REMOVE;
}

/// The item that was chosen acts after this, so the menu is removed later. Keys go to the widget again.
static void menu_closed(GtkPopover *menu, gpointer widget) {
    gtk_widget_grab_focus(widget);
    g_idle_add(remove_menu, g_object_ref(menu));
}

void tessera_popup(tessera_object *place, tessera_object *widget, tessera_object *menu, double x, double y) {
    GtkWidget *popover = gtk_popover_menu_new_from_model(G_MENU_MODEL(menu));
    double left = x, top = y;
    gtk_widget_translate_coordinates(GTK_WIDGET(widget), GTK_WIDGET(place), x, y, &left, &top);
    gtk_widget_set_parent(popover, GTK_WIDGET(place));
    gtk_popover_set_has_arrow(GTK_POPOVER(popover), FALSE);
    gtk_widget_set_halign(popover, GTK_ALIGN_START);
    gtk_popover_set_pointing_to(GTK_POPOVER(popover), &(GdkRectangle){(int)left, (int)top, 1, 1});
    g_signal_connect(popover, "closed", G_CALLBACK(menu_closed), widget);
    gtk_popover_popup(GTK_POPOVER(popover));
}

void tessera_copy_texture(tessera_object *widget, tessera_object *texture) {
    gdk_clipboard_set_texture(gtk_widget_get_clipboard(GTK_WIDGET(widget)), GDK_TEXTURE(texture));
}
#endif
