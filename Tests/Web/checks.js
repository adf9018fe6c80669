// What a browser checks by itself, for the tests: tiles against its own decoding of the whole picture.

import { Tessera } from "/site/tessera.js";

const context = (width, height) => new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });

export function pixels(drawable, x, y, width, height) {
  const target = context(width, height);
  target.drawImage(drawable, x, y, width, height, 0, 0, width, height);
  return new Uint32Array(target.getImageData(0, 0, width, height).data.buffer);
}

// A whole picture as the browser decodes it. Drawn once, since parts of a turned ImageBitmap aren't reliable.
async function decoded(url) {
  const bitmap = await createImageBitmap(await (await fetch(url)).blob());
  const whole = context(bitmap.width, bitmap.height);
  whole.drawImage(bitmap, 0, 0);
  return whole.canvas;
}

// Compares tiles of the full size: all, or some with the corners. Returns {width, height, way, count, different}.
export async function compareTiles(url, { most = 50, ...options } = {}) {
  const picture = await Tessera.open(url, options);
  const whole = await decoded(url);
  const { columns, rows } = picture.levels[0];
  const tiles = new Map();
  const add = (column, row) => tiles.set(`${column}/${row}`, [column, row]);
  for (const column of [0, columns - 1]) for (const row of [0, rows - 1]) add(column, row);
  let seed = 26;
  const random = (limit) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * limit);
  };
  while (tiles.size < Math.min(most, columns * rows)) add(random(columns), random(rows));
  const different = [];
  for (const [column, row] of tiles.values()) {
    const tile = await picture.tile(0, column, row);
    const expected = pixels(whole, column * 512, row * 512, tile.width, tile.height);
    const found = pixels(tile, 0, 0, tile.width, tile.height);
    const count = found.reduce((sum, value, place) => sum + (value !== expected[place]), 0);
    if (count) different.push({ column, row, count });
  }
  const { width, height, way } = picture;
  const isSize = whole.width === width && whole.height === height;
  const statistics = await picture.statistics();
  picture.close();
  return { width, height, way, isSize, count: tiles.size, different, statistics };
}

// The mean difference of a level's pixels from the browser's own reduction of the whole picture, and from that a pixel further.
export async function compareLevel(url, level, options) {
  const picture = await Tessera.open(url, options);
  const { width, height, columns, rows } = picture.levels[level];
  const found = context(width, height);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      found.drawImage(await picture.tile(level, column, row), column * picture.tileSize, row * picture.tileSize);
    }
  }
  const whole = await createImageBitmap(
    await decoded(url), { resizeWidth: width, resizeHeight: height, resizeQuality: "high" },
  );
  const expected = context(width, height);
  expected.drawImage(whole, 0, 0);
  picture.close();
  const [a, b] = [found, expected].map((each) => each.getImageData(0, 0, width, height).data);
  const mean = (step) => a.reduce((sum, value, place) => sum + Math.abs(value - b[(place + step) % b.length]), 0) / a.length;
  return [mean(0), mean(4), mean(4 * width)];
}

// The error of a body.
export async function failure(body) {
  try {
    await body();
    return null;
  } catch ({ name, code, message, status, offset }) {
    return { name, code: String(code), message, status, offset };
  }
}
