// A JPEG of a static server as a layer of Leaflet (1.0 and later), without a server program:
//
//   import { tesseraLayer } from "./tessera-leaflet.js";
//   const map = L.map("map", { crs: L.CRS.Simple, minZoom: 0 });
//   const layer = await tesseraLayer(L, "photo.jpg");
//   map.addLayer(layer).fitBounds(layer.bounds);
//
// The options are those of Tessera.open, and `layer` those of L.GridLayer. At the highest zoom with tiles, layer.maxZoom, a
// pixel of the picture is one on the map; layer.toLatLng(x, y) is the place of a pixel.

import { Tessera } from "./tessera.js";

export async function tesseraLayer(L, url, { layer: layerOptions, ...options } = {}) {
  const picture = await Tessera.open(url, options);
  const { width, height, tileSize, levels } = picture;
  const last = levels.length - 1;
  const scale = 2 ** last;
  const toLatLng = (x, y) => L.latLng(-y / scale, x / scale);
  const bounds = L.latLngBounds(toLatLng(0, height), toLatLng(width, 0));
  const running = new WeakMap(); // tile: AbortController

  const Layer = L.GridLayer.extend({
    createTile(coords, done) {
      const canvas = Object.assign(document.createElement("canvas"), { width: tileSize, height: tileSize });
      canvas.setAttribute("role", "presentation");
      const controller = new AbortController();
      running.set(canvas, controller);
      const level = last - coords.z;
      const { columns, rows } = levels[level] ?? { columns: 0, rows: 0 };
      const isInside = coords.x >= 0 && coords.y >= 0 && coords.x < columns && coords.y < rows;
      const loaded = isInside ? picture.tile(level, coords.x, coords.y, { signal: controller.signal }) : Promise.resolve(null);
      loaded.then((bitmap) => {
        if (bitmap) canvas.getContext("2d").drawImage(bitmap, 0, 0);
        bitmap?.close();
        done(null, canvas);
      }, (error) => controller.signal.aborted || done(error, canvas));
      return canvas;
    },
  });
  const layer = new Layer({
    tileSize, bounds, noWrap: true, minNativeZoom: 0, maxNativeZoom: last, maxZoom: last + 3, ...layerOptions,
  });
  layer.on("tileunload", ({ tile }) => running.get(tile)?.abort());
  return Object.assign(layer, { picture, bounds, toLatLng, maxZoom: last });
}
