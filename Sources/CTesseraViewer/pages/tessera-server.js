// A picture of a server of ours, `tessera serve`, which makes the tiles: `…/original/NAME` is known there as `…/iiif/3/NAME`.

import { TesseraError } from "./tessera-error.js";
import { gridsOf, levelSizes, tileSize } from "./tessera-index.js";

const displayable = ["webp", "avif", "jpg", "png"];

export class ServedPicture {
  #base;
  #size;
  #format;
  #sizes;
  #grids;
  #count = { requests: 0, bytes: 0 };

  // The picture if its address is one of a server of ours; null for any other.
  static async open(url, { signal }) {
    const [, base, identifier] = /^(.*)\/original\/([^/?#]+)$/.exec(url) ?? [];
    if (!identifier) return null;
    let info;
    try {
      const response = await fetch(`${base}/iiif/3/${identifier}/info.json`, { signal });
      if (!response.ok) {
        response.body?.cancel();
        return null;
      }
      info = await response.json();
    } catch (error) {
      // Another server that has such a folder.
      if (error.name === "AbortError") throw error;
      return null;
    }
    const { type, width, height } = info;
    if (type !== "ImageService3" || !(Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0)) return null;
    const format = [info.preferredFormats ?? []].flat().find((name) => displayable.includes(name)) ?? "jpg";
    return new ServedPicture(`${base}/iiif/3/${identifier}`, { width, height }, format);
  }

  constructor(base, size, format) {
    this.#base = base;
    this.#size = size;
    this.#format = format;
    this.#sizes = levelSizes(size.width, size.height);
    this.#grids = gridsOf(this.#sizes);
  }

  get description() {
    return {
      ...this.#size, tileSize, byteCount: NaN, hasAlpha: this.#format !== "jpg",
      levels: this.#sizes.map((size, level) => ({ ...size, ...this.#grids[level], source: "server" })),
    };
  }

  get statistics() {
    return { index: { requests: 1, bytes: 0 }, picture: { ...this.#count }, moduleBytes: 0, answersRanges: true };
  }

  async tile(level, column, row, signal) {
    return decoded(await this.#read(...this.#tile(level, column, row), this.#format, signal));
  }

  async tileFile(level, column, row, signal) {
    return this.#read(...this.#tile(level, column, row), "jpg", signal);
  }

  async region({ x, y, width, height }, { maxWidth = width, maxHeight = height } = {}, signal) {
    const [left, top] = [Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y))];
    const [w, h] = [Math.min(this.#size.width, Math.ceil(x + width)) - left, Math.min(this.#size.height, Math.ceil(y + height)) - top];
    if (!(w > 0 && h > 0)) throw new RangeError("The region is outside the picture.");
    const scale = Math.min(1, maxWidth / w, maxHeight / h);
    if (!(scale > 0)) throw new RangeError("The region’s size must be at least 1.");
    const size = [w, h].map((side) => Math.max(1, Math.round(side * scale)));
    return decoded(await this.#read([left, top, w, h], size, this.#format, signal));
  }

  // A tile's part of the picture, and its size.
  #tile(level, column, row) {
    const grid = this.#grids[level];
    const isInside = grid && [column, row].every((value) => Number.isInteger(value) && value >= 0)
      && column < grid.columns && row < grid.rows;
    if (!isInside) throw new RangeError(`The picture has no tile ${column}, ${row} at level ${level}.`);
    const [side, { width, height }] = [tileSize * 2 ** level, this.#sizes[level]];
    const [x, y] = [column * side, row * side];
    return [
      [x, y, Math.min(side, this.#size.width - x), Math.min(side, this.#size.height - y)],
      [Math.min(tileSize, width - column * tileSize), Math.min(tileSize, height - row * tileSize)],
    ];
  }

  async #read(part, [width, height], format, signal) {
    const { width: w, height: h } = this.#size;
    const isWhole = part[0] === 0 && part[1] === 0 && part[2] === w && part[3] === h;
    const size = isWhole && width === w && height === h ? "max" : `${width},${height}`;
    this.#count.requests += 1;
    let response;
    try {
      response = await fetch(`${this.#base}/${isWhole ? "full" : part}/${size}/0/default.${format}`, { signal });
      if (response.ok) {
        const blob = await response.blob();
        this.#count.bytes += blob.size;
        return blob;
      }
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new TesseraError("unreachable", "The server can’t be reached.");
    }
    response.body?.cancel();
    throw new TesseraError("status", `The server answered with status ${response.status}.`, { status: response.status });
  }

  close() {}
}

async function decoded(blob) {
  try {
    return await createImageBitmap(blob);
  } catch {
    throw new TesseraError("damaged", "The browser can’t decode a part of the picture.");
  }
}
