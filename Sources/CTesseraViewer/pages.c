#include "CTesseraViewer.h"

// The files are embedded at compile time (C23 #embed), so the program needs no files beside it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char common_js[] = {
#embed "pages/common.js"
};
static const unsigned char controls_js[] = {
#embed "pages/controls.js"
};
static const unsigned char docs_css[] = {
#embed "pages/docs.css"
};
static const unsigned char docs_html[] = {
#embed "pages/docs.html"
};
static const unsigned char docs_js[] = {
#embed "pages/docs.js"
};
static const unsigned char effect_form_js[] = {
#embed "pages/effect-form.js"
};
static const unsigned char effects_css[] = {
#embed "pages/effects.css"
};
static const unsigned char effects_html[] = {
#embed "pages/effects.html"
};
static const unsigned char effects_js[] = {
#embed "pages/effects.js"
};
static const unsigned char failure_html[] = {
#embed "pages/failure.html"
};
static const unsigned char failures_js[] = {
#embed "pages/failures.js"
};
static const unsigned char gallery_css[] = {
#embed "pages/gallery.css"
};
static const unsigned char gallery_html[] = {
#embed "pages/gallery.html"
};
static const unsigned char gallery_js[] = {
#embed "pages/gallery.js"
};
static const unsigned char gestures_js[] = {
#embed "pages/gestures.js"
};
static const unsigned char icon_svg[] = {
#embed "pages/icon.svg"
};
static const unsigned char jpng_page_js[] = {
#embed "pages/jpng-page.js"
};
static const unsigned char jpng_writer_js[] = {
#embed "pages/jpng-writer.js"
};
static const unsigned char jpng_css[] = {
#embed "pages/jpng.css"
};
static const unsigned char jpng_html[] = {
#embed "pages/jpng.html"
};
static const unsigned char jpng_js[] = {
#embed "pages/jpng.js"
};
static const unsigned char minimap_js[] = {
#embed "pages/minimap.js"
};
static const unsigned char motion_js[] = {
#embed "pages/motion.js"
};
static const unsigned char site_css[] = {
#embed "pages/site.css"
};
static const unsigned char tessera_image_style_js[] = {
#embed "pages/tessera-image-style.js"
};
static const unsigned char tessera_image_js[] = {
#embed "pages/tessera-image.js"
};
static const unsigned char tile_painter_js[] = {
#embed "pages/tile-painter.js"
};
static const unsigned char tile_sources_js[] = {
#embed "pages/tile-sources.js"
};
static const unsigned char tile_store_js[] = {
#embed "pages/tile-store.js"
};
static const unsigned char view_css[] = {
#embed "pages/view.css"
};
static const unsigned char view_html[] = {
#embed "pages/view.html"
};
static const unsigned char view_js[] = {
#embed "pages/view.js"
};
static const unsigned char viewport_js[] = {
#embed "pages/viewport.js"
};

static const tessera_page pages[] = {
    {"common.js", "text/javascript; charset=utf-8", common_js, sizeof common_js},
    {"controls.js", "text/javascript; charset=utf-8", controls_js, sizeof controls_js},
    {"docs.css", "text/css; charset=utf-8", docs_css, sizeof docs_css},
    {"docs.html", "text/html; charset=utf-8", docs_html, sizeof docs_html},
    {"docs.js", "text/javascript; charset=utf-8", docs_js, sizeof docs_js},
    {"effect-form.js", "text/javascript; charset=utf-8", effect_form_js, sizeof effect_form_js},
    {"effects.css", "text/css; charset=utf-8", effects_css, sizeof effects_css},
    {"effects.html", "text/html; charset=utf-8", effects_html, sizeof effects_html},
    {"effects.js", "text/javascript; charset=utf-8", effects_js, sizeof effects_js},
    {"failure.html", "text/html; charset=utf-8", failure_html, sizeof failure_html},
    {"failures.js", "text/javascript; charset=utf-8", failures_js, sizeof failures_js},
    {"gallery.css", "text/css; charset=utf-8", gallery_css, sizeof gallery_css},
    {"gallery.html", "text/html; charset=utf-8", gallery_html, sizeof gallery_html},
    {"gallery.js", "text/javascript; charset=utf-8", gallery_js, sizeof gallery_js},
    {"gestures.js", "text/javascript; charset=utf-8", gestures_js, sizeof gestures_js},
    {"icon.svg", "image/svg+xml", icon_svg, sizeof icon_svg},
    {"jpng-page.js", "text/javascript; charset=utf-8", jpng_page_js, sizeof jpng_page_js},
    {"jpng-writer.js", "text/javascript; charset=utf-8", jpng_writer_js, sizeof jpng_writer_js},
    {"jpng.css", "text/css; charset=utf-8", jpng_css, sizeof jpng_css},
    {"jpng.html", "text/html; charset=utf-8", jpng_html, sizeof jpng_html},
    {"jpng.js", "text/javascript; charset=utf-8", jpng_js, sizeof jpng_js},
    {"minimap.js", "text/javascript; charset=utf-8", minimap_js, sizeof minimap_js},
    {"motion.js", "text/javascript; charset=utf-8", motion_js, sizeof motion_js},
    {"site.css", "text/css; charset=utf-8", site_css, sizeof site_css},
    {"tessera-image-style.js", "text/javascript; charset=utf-8", tessera_image_style_js, sizeof tessera_image_style_js},
    {"tessera-image.js", "text/javascript; charset=utf-8", tessera_image_js, sizeof tessera_image_js},
    {"tile-painter.js", "text/javascript; charset=utf-8", tile_painter_js, sizeof tile_painter_js},
    {"tile-sources.js", "text/javascript; charset=utf-8", tile_sources_js, sizeof tile_sources_js},
    {"tile-store.js", "text/javascript; charset=utf-8", tile_store_js, sizeof tile_store_js},
    {"view.css", "text/css; charset=utf-8", view_css, sizeof view_css},
    {"view.html", "text/html; charset=utf-8", view_html, sizeof view_html},
    {"view.js", "text/javascript; charset=utf-8", view_js, sizeof view_js},
    {"viewport.js", "text/javascript; charset=utf-8", viewport_js, sizeof viewport_js},
};

const tessera_page *tessera_page_at(size_t index) { return index < sizeof pages / sizeof *pages ? &pages[index] : NULL; }
