// A JPEG of any server as a source of tiles for <tessera-image>: by its index, or as it arrives.

import { Tessera, TesseraError } from "./tessera.js";
import { LoadFailure } from "./tile-sources.js";

// What loading the page again, or waiting, doesn't mend.
const final = new Set(["changed", "invalidIndex", "damaged", "tooLarge", "unsupported"]);

function failure(error) {
  if (!(error instanceof TesseraError)) return error;
  const result = new LoadFailure(error.message, error.status);
  result.code = error.code;
  result.isFinal = final.has(error.code);
  return result;
}

// Null where the browser must show the picture as a whole: it isn't a JPEG that can be divided.
export async function openPhoto(url, { signal, index, onOverview, onProgress }) {
  let picture;
  try {
    picture = await Tessera.open(url, { signal, index, onOverview, onProgress });
  } catch (error) {
    // Bytes that don't begin like a JPEG's are another format under its name.
    const isOther = error.code === "damaged" && error.offset === 0;
    if (isOther || error.code === "unsupported" || error.code === "module") return null;
    throw failure(error);
  }
  const { width, height, tileSize } = picture;
  return {
    kind: "photo", width, height, picture,
    isOpaque: !picture.hasAlpha,
    // What is wanted at the same time becomes one request.
    concurrent: 24,
    close: () => picture.close(),
    levels: picture.levels.map((level, number) => ({
      scale: 2 ** number, tileWidth: tileSize * 2 ** number, tileHeight: tileSize * 2 ** number,
      columns: level.columns, rows: level.rows, overlap: 0,
      url: () => url,
      async load(column, row, signal) {
        try {
          return await picture.tile(number, column, row, { signal });
        } catch (error) {
          throw failure(error);
        }
      },
    })).reverse(),
  };
}
