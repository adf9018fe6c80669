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
static const unsigned char jpng_service_worker_js[] = {
#embed "pages/jpng-service-worker.js"
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
static const unsigned char photo_source_js[] = {
#embed "pages/photo-source.js"
};
static const unsigned char range_layer_js[] = {
#embed "pages/range-layer.js"
};
static const unsigned char site_css[] = {
#embed "pages/site.css"
};
static const unsigned char site_html[] = {
#embed "pages/site.html"
};
static const unsigned char tessera_arriving_js[] = {
#embed "pages/tessera-arriving.js"
};
static const unsigned char tessera_error_js[] = {
#embed "pages/tessera-error.js"
};
static const unsigned char tessera_image_style_js[] = {
#embed "pages/tessera-image-style.js"
};
static const unsigned char tessera_image_js[] = {
#embed "pages/tessera-image.js"
};
static const unsigned char tessera_index_js[] = {
#embed "pages/tessera-index.js"
};
static const unsigned char tessera_leaflet_js[] = {
#embed "pages/tessera-leaflet.js"
};
static const unsigned char tessera_module_js[] = {
#embed "pages/tessera-module.js"
};
static const unsigned char tessera_openseadragon_js[] = {
#embed "pages/tessera-openseadragon.js"
};
static const unsigned char tessera_picture_js[] = {
#embed "pages/tessera-picture.js"
};
static const unsigned char tessera_ranges_js[] = {
#embed "pages/tessera-ranges.js"
};
static const unsigned char tessera_server_js[] = {
#embed "pages/tessera-server.js"
};
static const unsigned char tessera_storage_js[] = {
#embed "pages/tessera-storage.js"
};
static const unsigned char tessera_worker_js[] = {
#embed "pages/tessera-worker.js"
};
static const unsigned char tessera_d_ts[] = {
#embed "pages/tessera.d.ts"
};
static const unsigned char tessera_js[] = {
#embed "pages/tessera.js"
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
// Scripts/build-wasm makes it; without it a program has every page, and no module for pages of other servers.
#if __has_embed("pages/tessera.wasm")
static const unsigned char tessera_wasm[] = {
#embed "pages/tessera.wasm"
};
#endif

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
    {"jpng-service-worker.js", "text/javascript; charset=utf-8", jpng_service_worker_js, sizeof jpng_service_worker_js},
    {"jpng-writer.js", "text/javascript; charset=utf-8", jpng_writer_js, sizeof jpng_writer_js},
    {"jpng.css", "text/css; charset=utf-8", jpng_css, sizeof jpng_css},
    {"jpng.html", "text/html; charset=utf-8", jpng_html, sizeof jpng_html},
    {"jpng.js", "text/javascript; charset=utf-8", jpng_js, sizeof jpng_js},
    {"minimap.js", "text/javascript; charset=utf-8", minimap_js, sizeof minimap_js},
    {"motion.js", "text/javascript; charset=utf-8", motion_js, sizeof motion_js},
    {"photo-source.js", "text/javascript; charset=utf-8", photo_source_js, sizeof photo_source_js},
    {"range-layer.js", "text/javascript; charset=utf-8", range_layer_js, sizeof range_layer_js},
    {"site.css", "text/css; charset=utf-8", site_css, sizeof site_css},
    {"site.html", "text/html; charset=utf-8", site_html, sizeof site_html},
    {"tessera-arriving.js", "text/javascript; charset=utf-8", tessera_arriving_js, sizeof tessera_arriving_js},
    {"tessera-error.js", "text/javascript; charset=utf-8", tessera_error_js, sizeof tessera_error_js},
    {"tessera-image-style.js", "text/javascript; charset=utf-8", tessera_image_style_js, sizeof tessera_image_style_js},
    {"tessera-image.js", "text/javascript; charset=utf-8", tessera_image_js, sizeof tessera_image_js},
    {"tessera-index.js", "text/javascript; charset=utf-8", tessera_index_js, sizeof tessera_index_js},
    {"tessera-leaflet.js", "text/javascript; charset=utf-8", tessera_leaflet_js, sizeof tessera_leaflet_js},
    {"tessera-module.js", "text/javascript; charset=utf-8", tessera_module_js, sizeof tessera_module_js},
    {"tessera-openseadragon.js", "text/javascript; charset=utf-8", tessera_openseadragon_js, sizeof tessera_openseadragon_js},
    {"tessera-picture.js", "text/javascript; charset=utf-8", tessera_picture_js, sizeof tessera_picture_js},
    {"tessera-ranges.js", "text/javascript; charset=utf-8", tessera_ranges_js, sizeof tessera_ranges_js},
    {"tessera-server.js", "text/javascript; charset=utf-8", tessera_server_js, sizeof tessera_server_js},
    {"tessera-storage.js", "text/javascript; charset=utf-8", tessera_storage_js, sizeof tessera_storage_js},
    {"tessera-worker.js", "text/javascript; charset=utf-8", tessera_worker_js, sizeof tessera_worker_js},
    {"tessera.d.ts", "text/plain; charset=utf-8", tessera_d_ts, sizeof tessera_d_ts},
    {"tessera.js", "text/javascript; charset=utf-8", tessera_js, sizeof tessera_js},
    {"tile-painter.js", "text/javascript; charset=utf-8", tile_painter_js, sizeof tile_painter_js},
    {"tile-sources.js", "text/javascript; charset=utf-8", tile_sources_js, sizeof tile_sources_js},
    {"tile-store.js", "text/javascript; charset=utf-8", tile_store_js, sizeof tile_store_js},
    {"view.css", "text/css; charset=utf-8", view_css, sizeof view_css},
    {"view.html", "text/html; charset=utf-8", view_html, sizeof view_html},
    {"view.js", "text/javascript; charset=utf-8", view_js, sizeof view_js},
    {"viewport.js", "text/javascript; charset=utf-8", viewport_js, sizeof viewport_js},
#if __has_embed("pages/tessera.wasm")
    {"tessera.wasm", "application/wasm", tessera_wasm, sizeof tessera_wasm},
#endif
};

const tessera_page *tessera_page_at(size_t index) { return index < sizeof pages / sizeof *pages ? &pages[index] : NULL; }
