// A JPEG of a static server in OpenSeadragon (2.4 and later), without a server program:
//
//   import { tesseraTileSource } from "./tessera-openseadragon.js";
//   const viewer = OpenSeadragon({ id: "view", tileSources: [await tesseraTileSource(OpenSeadragon, "photo.jpg")] });
//
// The options are those of Tessera.open.

import { Tessera } from "./tessera.js";

export async function tesseraTileSource(OpenSeadragon, url, options) {
  const picture = await Tessera.open(url, options);
  const { width, height, tileSize, levels } = picture;
  const last = levels.length - 1;
  const source = new OpenSeadragon.TileSource({ width, height, tileSize, tileOverlap: 0, minLevel: 0, maxLevel: last });
  const address = new URL(url, document.baseURI).href;

  // OpenSeadragon counts levels from the smallest.
  source.getTileUrl = (level, x, y) => `${address}#tessera=${last - level}/${x}/${y}`;
  source.hasTransparency = () => picture.hasAlpha;
  source.downloadTileStart = async (job) => {
    const controller = new AbortController();
    job.userData = { controller };
    const [level, column, row] = job.src.split("#tessera=")[1].split("/").map(Number);
    try {
      const bitmap = await picture.tile(level, column, row, { signal: controller.signal });
      const canvas = Object.assign(document.createElement("canvas"), { width: bitmap.width, height: bitmap.height });
      const context = canvas.getContext("2d");
      context.drawImage(bitmap, 0, 0);
      bitmap.close();
      // From version 6 on data has a type; before, it is whatever can be drawn.
      if (OpenSeadragon.converter) job.finish(context, null, "context2d");
      else job.finish(canvas);
    } catch (error) {
      if (controller.signal.aborted) return;
      if (OpenSeadragon.converter) job.fail(error.message, null);
      else job.finish(null, null, error.message);
    }
  };
  source.downloadTileAbort = (job) => job.userData?.controller?.abort();
  source.picture = picture;
  return source;
}
