#if __has_include(<gtk/gtk.h>)
#include "handlers.h"

static GtkSnapshot *snapshot_of(tessera_canvas *canvas) { return (GtkSnapshot *)canvas; }

static graphene_rect_t rect(double x, double y, double width, double height) {
    return GRAPHENE_RECT_INIT((float)x, (float)y, (float)width, (float)height);
}

static GdkRGBA color_of(uint32_t rgba) {
    return (GdkRGBA){
        (float)(rgba >> 24) / 255, (float)(rgba >> 16 & 255) / 255, (float)(rgba >> 8 & 255) / 255,
        (float)(rgba & 255) / 255};
}

tessera_object *tessera_texture(
    const void *pixels, int width, int height, size_t bytes_per_row, tessera_pixels format,
    void (*release)(void *owner), void *owner
) {
    static const GdkMemoryFormat formats[] = {
        [TESSERA_RGBA8] = GDK_MEMORY_R8G8B8A8,
        [TESSERA_RGBA8_PREMULTIPLIED] = GDK_MEMORY_R8G8B8A8_PREMULTIPLIED,
        [TESSERA_RGBA16] = GDK_MEMORY_R16G16B16A16,
        [TESSERA_RGBA16_PREMULTIPLIED] = GDK_MEMORY_R16G16B16A16_PREMULTIPLIED,
    };
    GBytes *bytes =
        g_bytes_new_with_free_func(pixels, (size_t)height * bytes_per_row, release, owner);
    GdkTexture *texture = gdk_memory_texture_new(width, height, formats[format], bytes, bytes_per_row);
    g_bytes_unref(bytes);
    return (tessera_object *)texture;
}

void tessera_draw_texture(
    tessera_canvas *canvas, tessera_object *texture, double x, double y, double width, double height
) {
    graphene_rect_t bounds = rect(x, y, width, height);
    gtk_snapshot_append_texture(snapshot_of(canvas), GDK_TEXTURE(texture), &bounds);
}

static void push_round(tessera_canvas *canvas, const graphene_rect_t *bounds, double radius) {
    GskRoundedRect rounded;
    gsk_rounded_rect_init_from_rect(&rounded, bounds, (float)radius);
    gtk_snapshot_push_rounded_clip(snapshot_of(canvas), &rounded);
}

void tessera_draw_color(
    tessera_canvas *canvas, uint32_t rgba, double x, double y, double width, double height, double radius
) {
    graphene_rect_t bounds = rect(x, y, width, height);
    GdkRGBA color = color_of(rgba);
    if (radius > 0) push_round(canvas, &bounds, radius);
    gtk_snapshot_append_color(snapshot_of(canvas), &color, &bounds);
    if (radius > 0) gtk_snapshot_pop(snapshot_of(canvas));
}

void tessera_draw_chequers(
    tessera_canvas *canvas, uint32_t first, uint32_t second, double square, double x, double y, double width,
    double height
) {
    GtkSnapshot *snapshot = snapshot_of(canvas);
    graphene_rect_t bounds = rect(x, y, width, height), tile = rect(0, 0, 2 * square, 2 * square);
    graphene_rect_t upper = rect(square, 0, square, square), lower = rect(0, square, square, square);
    GdkRGBA ground = color_of(first), other = color_of(second);
    gtk_snapshot_append_color(snapshot, &ground, &bounds);
    gtk_snapshot_push_repeat(snapshot, &bounds, &tile);
    gtk_snapshot_append_color(snapshot, &other, &upper);
    gtk_snapshot_append_color(snapshot, &other, &lower);
    gtk_snapshot_pop(snapshot);
}

void tessera_draw_border(
    tessera_canvas *canvas, uint32_t rgba, double x, double y, double width, double height, double radius, double line
) {
    graphene_rect_t bounds = rect(x, y, width, height);
    GdkRGBA color = color_of(rgba);
    GskRoundedRect outline;
    gsk_rounded_rect_init_from_rect(&outline, &bounds, (float)radius);
    gtk_snapshot_append_border(
        snapshot_of(canvas), &outline, (float[4]){(float)line, (float)line, (float)line, (float)line},
        (GdkRGBA[4]){color, color, color, color});
}

static PangoLayout *layout_of(tessera_object *widget, const char *text, double width, double size) {
    PangoLayout *layout = gtk_widget_create_pango_layout(GTK_WIDGET(widget), text);
    PangoFontDescription *font = pango_font_description_new();
    pango_font_description_set_absolute_size(font, size * PANGO_SCALE);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    pango_layout_set_width(layout, (int)(width * PANGO_SCALE));
    return layout;
}

/// Draws a layout and releases it.
static void draw_layout(tessera_canvas *canvas, PangoLayout *layout, uint32_t rgba, double x, double y) {
    GdkRGBA color = color_of(rgba);
    gtk_snapshot_save(snapshot_of(canvas));
    gtk_snapshot_translate(snapshot_of(canvas), &GRAPHENE_POINT_INIT((float)x, (float)y));
    gtk_snapshot_append_layout(snapshot_of(canvas), layout, &color);
    gtk_snapshot_restore(snapshot_of(canvas));
    g_object_unref(layout);
}

void tessera_draw_text(
    tessera_canvas *canvas, tessera_object *widget, const char *text, uint32_t rgba, double x, double y, double width,
    double alignment, double size
) {
    PangoLayout *layout = layout_of(widget, text, width, size);
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_MIDDLE);
    pango_layout_set_single_paragraph_mode(layout, TRUE);
    pango_layout_set_alignment(
        layout, alignment < 0.5 ? PANGO_ALIGN_LEFT : alignment > 0.5 ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_CENTER);
    draw_layout(canvas, layout, rgba, x, y);
}

void tessera_draw_message(
    tessera_canvas *canvas, tessera_object *widget, const char *text, uint32_t rgba, double x, double y, double width,
    double height, double size
) {
    PangoLayout *layout = layout_of(widget, text, width, size);
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
    pango_layout_set_height(layout, (int)(height * PANGO_SCALE));
    pango_layout_set_alignment(layout, PANGO_ALIGN_CENTER);
    int used = 0;
    pango_layout_get_pixel_size(layout, NULL, &used);
    draw_layout(canvas, layout, rgba, x, y + (height - used) / 2);
}

void tessera_push_clip(tessera_canvas *canvas, double x, double y, double width, double height, double radius) {
    graphene_rect_t bounds = rect(x, y, width, height);
    if (radius > 0) push_round(canvas, &bounds, radius);
    else gtk_snapshot_push_clip(snapshot_of(canvas), &bounds);
}

void tessera_push_opacity(tessera_canvas *canvas, double opacity) {
    gtk_snapshot_push_opacity(snapshot_of(canvas), opacity);
}

void tessera_push_cross_fade(tessera_canvas *canvas, double progress) {
    gtk_snapshot_push_cross_fade(snapshot_of(canvas), progress);
}

void tessera_pop(tessera_canvas *canvas) { gtk_snapshot_pop(snapshot_of(canvas)); }

void tessera_save(tessera_canvas *canvas) { gtk_snapshot_save(snapshot_of(canvas)); }

void tessera_restore(tessera_canvas *canvas) { gtk_snapshot_restore(snapshot_of(canvas)); }

void tessera_turn(tessera_canvas *canvas, double x, double y, int degrees, bool is_mirrored) {
    gtk_snapshot_translate(snapshot_of(canvas), &GRAPHENE_POINT_INIT((float)x, (float)y));
    gtk_snapshot_rotate(snapshot_of(canvas), (float)degrees);
    if (is_mirrored) gtk_snapshot_scale(snapshot_of(canvas), -1, 1);
}
#endif
