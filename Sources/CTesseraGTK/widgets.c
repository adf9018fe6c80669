#if __has_include(<gtk/gtk.h>)
#include "handlers.h"

#include <stdlib.h>

/// The class of a widget type.
typedef struct {
    GtkWidgetClass parent;
    const tessera_widget_functions *functions;
    const tessera_property *properties;
    int kind;
    bool clips;
} WidgetClass;

typedef struct {
    GtkWidget parent;
    /// The Swift object; NULL once it is disposed of.
    void *context;
    guint tick;
} Widget;

/// A type's registration.
typedef struct {
    int kind;
    tessera_role role;
    bool clips;
    const tessera_property *properties;
    int count;
    const tessera_widget_functions *functions;
} Registration;

static WidgetClass *class_of(gpointer widget) { return (WidgetClass *)G_OBJECT_GET_CLASS(widget); }

static const tessera_widget_functions *functions_of(gpointer widget) { return class_of(widget)->functions; }

static GtkWidgetClass *parent_class(void) {
    static GtkWidgetClass *parent;
    if (!parent) parent = g_type_class_ref(GTK_TYPE_WIDGET);
    return parent;
}

// MARK: Virtual functions

static void snapshot(GtkWidget *widget, GtkSnapshot *target) {
    void *context = ((Widget *)widget)->context;
    if (context)
        functions_of(widget)->snapshot(
            context, (tessera_canvas *)target, gtk_widget_get_width(widget), gtk_widget_get_height(widget));
}

static void measure(
    GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
    int *natural_baseline
) {
    void *context = ((Widget *)widget)->context;
    *minimum = *natural = 0;
    if (context)
        functions_of(widget)->measure(context, orientation == GTK_ORIENTATION_VERTICAL, for_size, minimum, natural);
    if (*natural < *minimum) *natural = *minimum;
}

static void allocate(GtkWidget *widget, int width, int height, int baseline) {
    void *context = ((Widget *)widget)->context;
    if (context) functions_of(widget)->allocate(context, width, height);
}

static void unrealize(GtkWidget *widget) {
    void *context = ((Widget *)widget)->context;
    if (context) functions_of(widget)->unrealize(context);
    parent_class()->unrealize(widget);
}

static void dispose(GObject *object) {
    Widget *widget = (Widget *)object;
    void *context = widget->context;
    if (widget->tick) gtk_widget_remove_tick_callback(GTK_WIDGET(object), widget->tick);
    widget->tick = 0;
    widget->context = NULL;
    if (context) functions_of(object)->release(context);
    G_OBJECT_CLASS(parent_class())->dispose(object);
}

static void set_property(GObject *object, guint index, const GValue *value, GParamSpec *property) {
    void *context = ((Widget *)object)->context;
    if (!context) return;
    const tessera_widget_functions *functions = functions_of(object);
    int number = (int)index - 1;
    switch (class_of(object)->properties[number].kind) {
    case TESSERA_NUMBER: functions->set_number(context, number, g_value_get_double(value)); break;
    case TESSERA_FLAG: functions->set_number(context, number, g_value_get_boolean(value)); break;
    case TESSERA_TEXT: functions->set_text(context, number, g_value_get_string(value)); break;
    }
}

static void get_property(GObject *object, guint index, GValue *value, GParamSpec *property) {
    void *context = ((Widget *)object)->context;
    if (!context) return;
    const tessera_widget_functions *functions = functions_of(object);
    int number = (int)index - 1;
    switch (class_of(object)->properties[number].kind) {
    case TESSERA_NUMBER: g_value_set_double(value, functions->get_number(context, number)); break;
    case TESSERA_FLAG: g_value_set_boolean(value, functions->get_number(context, number) != 0); break;
    case TESSERA_TEXT: {
        char *text = functions->get_text(context, number);
        g_value_set_string(value, text);
        free(text);
        break;
    }
    }
}

static void scale_changed(GtkWidget *widget, GParamSpec *property, gpointer data) {
    void *context = ((Widget *)widget)->context;
    if (context) functions_of(widget)->scaled(context);
}

// MARK: Input

static bool tell(GtkEventController *controller, tessera_input input) {
    GtkWidget *widget = gtk_event_controller_get_widget(controller);
    void *context = widget ? ((Widget *)widget)->context : NULL;
    if (!context) return false;
    input.modifiers = tessera_modifiers(gtk_event_controller_get_current_event_state(controller));
    GdkDevice *device = gtk_event_controller_get_current_event_device(controller);
    input.is_touch = device && gdk_device_get_source(device) == GDK_SOURCE_TOUCHSCREEN;
    return functions_of(widget)->input(context, &input);
}

static gboolean scrolled(GtkEventControllerScroll *scroll, double dx, double dy, gpointer data) {
    GtkEventController *controller = GTK_EVENT_CONTROLLER(scroll);
    tessera_input input = {.kind = TESSERA_SCROLL, .dx = dx, .dy = dy};
    input.is_fine = gtk_event_controller_scroll_get_unit(scroll) == GDK_SCROLL_UNIT_SURFACE;
    // A scroll event has no position: the pointer's position on the surface is used.
    GdkEvent *event = gtk_event_controller_get_current_event(controller);
    GtkWidget *widget = gtk_event_controller_get_widget(controller);
    double x, y;
    if (event && gdk_event_get_position(event, &x, &y)) {
        GtkNative *native = gtk_widget_get_native(widget);
        double left, top;
        gtk_native_get_surface_transform(native, &left, &top);
        gtk_widget_translate_coordinates(GTK_WIDGET(native), widget, x - left, y - top, &input.x, &input.y);
    } else {
        input.x = gtk_widget_get_width(widget) / 2.0;
        input.y = gtk_widget_get_height(widget) / 2.0;
    }
    return tell(controller, input);
}

static void pressed(GtkGestureClick *click, int count, double x, double y, gpointer data) {
    gtk_widget_grab_focus(gtk_event_controller_get_widget(GTK_EVENT_CONTROLLER(click)));
    tell(GTK_EVENT_CONTROLLER(click), (tessera_input){.kind = TESSERA_PRESS, .x = x, .y = y, .count = count});
}

static void menu_pressed(GtkGestureClick *click, int count, double x, double y, gpointer data) {
    gtk_widget_grab_focus(gtk_event_controller_get_widget(GTK_EVENT_CONTROLLER(click)));
    tell(GTK_EVENT_CONTROLLER(click), (tessera_input){.kind = TESSERA_MENU, .x = x, .y = y});
}

static void long_pressed(GtkGestureLongPress *press, double x, double y, gpointer data) {
    tell(GTK_EVENT_CONTROLLER(press), (tessera_input){.kind = TESSERA_MENU, .x = x, .y = y});
}

static void drag(GtkGestureDrag *gesture, tessera_input_kind kind, double dx, double dy) {
    double x = 0, y = 0;
    gtk_gesture_drag_get_start_point(gesture, &x, &y);
    tell(GTK_EVENT_CONTROLLER(gesture), (tessera_input){.kind = kind, .x = x, .y = y, .dx = dx, .dy = dy});
}

static void drag_began(GtkGestureDrag *gesture, double x, double y, gpointer data) {
    drag(gesture, TESSERA_DRAG_BEGIN, 0, 0);
}

static void dragged(GtkGestureDrag *gesture, double dx, double dy, gpointer data) {
    drag(gesture, TESSERA_DRAG, dx, dy);
}

static void drag_ended(GtkGestureDrag *gesture, double dx, double dy, gpointer data) {
    drag(gesture, TESSERA_DRAG_END, dx, dy);
}

static void pinch(GtkGesture *gesture, tessera_input_kind kind, double scale) {
    double x = 0, y = 0;
    gtk_gesture_get_bounding_box_center(gesture, &x, &y);
    tell(GTK_EVENT_CONTROLLER(gesture), (tessera_input){.kind = kind, .x = x, .y = y, .scale = scale});
}

static void pinch_began(GtkGesture *gesture, GdkEventSequence *sequence, gpointer data) {
    pinch(gesture, TESSERA_PINCH_BEGIN, 1);
}

static void pinched(GtkGestureZoom *gesture, double scale, gpointer data) {
    pinch(GTK_GESTURE(gesture), TESSERA_PINCH, scale);
}

static void pinch_ended(GtkGesture *gesture, GdkEventSequence *sequence, gpointer data) {
    pinch(gesture, TESSERA_PINCH_END, gtk_gesture_zoom_get_scale_delta(GTK_GESTURE_ZOOM(gesture)));
}

static void moved(GtkEventControllerMotion *motion, double x, double y, gpointer data) {
    tell(GTK_EVENT_CONTROLLER(motion), (tessera_input){.kind = TESSERA_MOTION, .x = x, .y = y});
}

static void left(GtkEventControllerMotion *motion, gpointer data) {
    tell(GTK_EVENT_CONTROLLER(motion), (tessera_input){.kind = TESSERA_LEAVE});
}

static void add_controllers(GtkWidget *widget) {
    GtkEventController *scroll = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
    g_signal_connect(scroll, "scroll", G_CALLBACK(scrolled), NULL);
    gtk_widget_add_controller(widget, scroll);

    GtkGesture *click = gtk_gesture_click_new();
    g_signal_connect(click, "pressed", G_CALLBACK(pressed), NULL);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(click));

    GtkGesture *dragging = gtk_gesture_drag_new();
    g_signal_connect(dragging, "drag-begin", G_CALLBACK(drag_began), NULL);
    g_signal_connect(dragging, "drag-update", G_CALLBACK(dragged), NULL);
    g_signal_connect(dragging, "drag-end", G_CALLBACK(drag_ended), NULL);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(dragging));
    // Both gestures see the same presses: neither must cancel the other.
    gtk_gesture_group(click, dragging);

    GtkGesture *menu = gtk_gesture_click_new();
    gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(menu), GDK_BUTTON_SECONDARY);
    g_signal_connect(menu, "pressed", G_CALLBACK(menu_pressed), NULL);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(menu));

    GtkGesture *holding = gtk_gesture_long_press_new();
    gtk_gesture_single_set_touch_only(GTK_GESTURE_SINGLE(holding), TRUE);
    g_signal_connect(holding, "pressed", G_CALLBACK(long_pressed), NULL);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(holding));

    GtkGesture *pinching = gtk_gesture_zoom_new();
    g_signal_connect(pinching, "begin", G_CALLBACK(pinch_began), NULL);
    g_signal_connect(pinching, "scale-changed", G_CALLBACK(pinched), NULL);
    g_signal_connect(pinching, "end", G_CALLBACK(pinch_ended), NULL);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(pinching));

    GtkEventController *motion = gtk_event_controller_motion_new();
    g_signal_connect(motion, "motion", G_CALLBACK(moved), NULL);
    g_signal_connect(motion, "leave", G_CALLBACK(left), NULL);
    gtk_widget_add_controller(widget, motion);
}

bool tessera_send(tessera_object *widget, const tessera_input *input) {
    void *context = tessera_context(widget);
    return context && functions_of(widget)->input(context, input);
}

// MARK: Types

static void initialize(GTypeInstance *instance, gpointer class) {
    WidgetClass *own = class;
    gtk_widget_set_overflow(GTK_WIDGET(instance), own->clips ? GTK_OVERFLOW_HIDDEN : GTK_OVERFLOW_VISIBLE);
    gtk_widget_set_focusable(GTK_WIDGET(instance), TRUE);
    ((Widget *)instance)->context = own->functions->make(own->kind, (tessera_object *)instance);
    g_signal_connect(instance, "notify::scale-factor", G_CALLBACK(scale_changed), NULL);
    add_controllers(GTK_WIDGET(instance));
}

static void initialize_class(gpointer class, gpointer data) {
    const Registration *registration = data;
    WidgetClass *own = class;
    own->functions = registration->functions;
    own->properties = registration->properties;
    own->kind = registration->kind;
    own->clips = registration->clips;
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    widget_class->snapshot = snapshot;
    widget_class->measure = measure;
    widget_class->size_allocate = allocate;
    widget_class->unrealize = unrealize;
    gtk_widget_class_set_accessible_role(
        widget_class, registration->role == TESSERA_ROLE_LIST ? GTK_ACCESSIBLE_ROLE_LIST : GTK_ACCESSIBLE_ROLE_IMG);
    GObjectClass *object_class = G_OBJECT_CLASS(class);
    object_class->dispose = dispose;
    object_class->set_property = set_property;
    object_class->get_property = get_property;
    for (int index = 0; index < registration->count; index++) {
        const tessera_property *property = &registration->properties[index];
        const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
        GParamSpec *spec = NULL;
        switch (property->kind) {
        case TESSERA_NUMBER:
            spec = g_param_spec_double(
                property->name, NULL, NULL, property->minimum, property->maximum, property->standard, flags);
            break;
        case TESSERA_FLAG:
            spec = g_param_spec_boolean(property->name, NULL, NULL, property->standard != 0, flags);
            break;
        case TESSERA_TEXT: spec = g_param_spec_string(property->name, NULL, NULL, NULL, flags); break;
        }
        g_object_class_install_property(object_class, (guint)index + 1, spec);
    }
}

void tessera_register(
    int kind, const char *type_name, tessera_role role, bool clips, const tessera_property *properties, int count,
    const tessera_widget_functions *functions
) {
    if (g_type_from_name(type_name)) return;
    // A type lives until the program's end, and so does this.
    Registration *registration = g_new(Registration, 1);
    *registration = (Registration){kind, role, clips, properties, count, functions};
    GTypeInfo info = {
        .class_size = sizeof(WidgetClass),
        .class_init = initialize_class,
        .class_data = registration,
        .instance_size = sizeof(Widget),
        .instance_init = initialize,
    };
    g_type_register_static(GTK_TYPE_WIDGET, type_name, &info, 0);
}

void *tessera_context(tessera_object *widget) { return ((Widget *)widget)->context; }

static gboolean ticked(GtkWidget *widget, GdkFrameClock *clock, gpointer data) {
    Widget *own = (Widget *)widget;
    if (own->context && functions_of(widget)->tick(own->context, gdk_frame_clock_get_frame_time(clock)))
        return G_SOURCE_CONTINUE;
    own->tick = 0;
    return G_SOURCE_REMOVE;
}

void tessera_start_ticking(tessera_object *widget) {
    Widget *own = (Widget *)widget;
    if (own->context && !own->tick) own->tick = gtk_widget_add_tick_callback(GTK_WIDGET(widget), ticked, NULL, NULL);
}
#endif
