// A picture in the worker: its levels, and the pixels of any part of it.
//
// Level 0 is the picture, each further one half of it. Small levels are stored in the index, or were made when the picture
// arrived. Level 0 and what is between are cut out of the picture's own data: the browser decodes only the part, and scales it.

import { TesseraError } from "./tessera-error.js";
import { headLength, isIndex, parse, tileSize } from "./tessera-index.js";
import { TesseraModule, compile } from "./tessera-module.js";
import { BlobReader, RangeReader } from "./tessera-ranges.js";

// The first bytes of an index: its head, and of most pictures the smaller levels too.
const firstBytes = 1 << 16;
// A tile between full size and the stored levels that would need more bytes of the picture is enlarged from a stored level.
const largestWindow = 2 << 20;
// No window of a sound picture has more bytes.
const largestCut = 256 << 20;
// Masks are decoded as a whole.
const largestMask = 64e6;

export class Picture {
  #index;
  #reader; // of the index
  #pictureReader;
  #first; // the index's first bytes
  #module = null;
  #opening = null;
  #pages = new Map();
  #mask = null;

  // Opens an index file; null if there is none at the address.
  static async openIndexed(url, indexURL, { signal, onProgress }) {
    const reader = new RangeReader(indexURL);
    let first;
    try {
      first = await reader.first(firstBytes, signal);
    } catch (error) {
      if (error.code === "status" || error.code === "unreachable") return null;
      throw error;
    }
    // Some servers answer everything with a page.
    if (!isIndex(first)) return null;
    return Picture.#open(url, reader, first, { signal, onProgress });
  }

  // Opens an index that was stored in the browser.
  static async openStored(url, blob, { signal, onProgress, version, file }) {
    const reader = new BlobReader(blob);
    return Picture.#open(url, reader, await reader.first(firstBytes), { signal, onProgress, version, file });
  }

  static async #open(url, reader, first, { signal, onProgress, version, file }) {
    const length = headLength(first);
    let head = first;
    if (length > first.length) {
      if (reader.length !== null && reader.length < length) throw endsEarly(reader.length);
      const [rest] = await reader.read([[first.length, length]], signal);
      head = new Uint8Array(length);
      head.set(first);
      head.set(rest, first.length);
    }
    const index = parse(head);
    if (reader.length !== null && index.length > reader.length) {
      throw endsEarly(reader.length);
    }
    return new Picture(url, index, reader, head, { onProgress, version, file });
  }

  // `file` is the whole picture as a blob, where the server can't send parts of it.
  constructor(url, index, reader, first, { onProgress = () => {}, version = null, file = null } = {}) {
    this.#index = index;
    this.#reader = reader;
    this.#first = first;
    this.#pictureReader = file ? new BlobReader(file) : new RangeReader(url, {
      length: index.byteCount,
      version,
      onWhole: (done, total) => onProgress({ kind: "whole", done, total }),
    });
  }

  // What the page is told.
  get description() {
    const { width, height, sizes, grids, firstLevel, byteCount, mask } = this.#index;
    return {
      width, height, tileSize, byteCount,
      hasAlpha: mask.length > 0,
      levels: sizes.map((size, level) => ({ ...size, ...grids[level], source: this.#sourceOf(level, firstLevel) })),
    };
  }

  get statistics() {
    const count = (reader) => ({ requests: reader.requestCount ?? 0, bytes: reader.byteCount ?? 0 });
    return {
      index: count(this.#reader), picture: count(this.#pictureReader), moduleBytes: this.#module?.byteCount ?? 0,
      answersRanges: this.#pictureReader.answersRanges,
    };
  }

  #sourceOf(level, firstLevel) {
    if (level === 0 || this.#index.levelCount === 0) return "window";
    if (level >= firstLevel) return "stored";
    const { byteCount, width, height, columnsPerPage } = this.#index;
    const [across, down] = [width, height].map((side) => Math.min(1, (tileSize << level) / side));
    // In a picture of several scans the ranges are so many that most of the bytes between them are read too.
    const part = columnsPerPage > 0 ? Math.max(across, down) : across * down;
    return byteCount * part <= largestWindow ? "window" : "enlarged";
  }

  #checkTile(level, column, row) {
    const grid = this.#index.grids[level];
    const isInside = grid && [column, row].every((value) => Number.isInteger(value) && value >= 0)
      && column < grid.columns && row < grid.rows;
    if (!isInside) throw new RangeError(`The picture has no tile ${column}, ${row} at level ${level}.`);
  }

  // The place of a tile in its level.
  #rect(level, column, row) {
    const { width, height } = this.#index.sizes[level];
    const [x, y] = [column * tileSize, row * tileSize];
    return { x, y, width: Math.min(tileSize, width - x), height: Math.min(tileSize, height - y) };
  }

  // An ImageBitmap of a tile.
  async tile(level, column, row, signal) {
    this.#checkTile(level, column, row);
    const rect = this.#rect(level, column, row);
    const bitmap = await this.#levelPart(level, rect, signal, [column, row]);
    return this.#withMask(bitmap, level, rect, signal);
  }

  // A JPEG of a tile, without recoding what is stored or cut.
  async tileFile(level, column, row, signal) {
    this.#checkTile(level, column, row);
    const source = this.#sourceOf(level, this.#index.firstLevel);
    if (source === "stored") return new Blob([await this.#storedTile(level, column, row, signal)], { type: "image/jpeg" });
    const isUpright = this.#index.orientation === 1;
    if (level === 0 && isUpright) {
      const layout = await this.#layout();
      const rect = this.#rect(0, column, row);
      const window = this.#window(layout, rect, 0);
      if (window.rect.x === rect.x && window.rect.y === rect.y) {
        return new Blob([await this.#cut(window, signal)], { type: "image/jpeg" });
      }
    }
    const bitmap = await this.tile(level, column, row, signal);
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext("bitmaprenderer").transferFromImageBitmap(bitmap);
    return canvas.convertToBlob({ type: "image/jpeg", quality: 0.9 });
  }

  // An ImageBitmap of a part of the picture, in its pixels, of at most the given size.
  async region({ x, y, width, height }, { maxWidth = width, maxHeight = height } = {}, signal) {
    const { sizes } = this.#index;
    const left = Math.max(0, Math.floor(x));
    const top = Math.max(0, Math.floor(y));
    const right = Math.min(sizes[0].width, Math.ceil(x + width));
    const bottom = Math.min(sizes[0].height, Math.ceil(y + height));
    if (!(right > left && bottom > top)) throw new RangeError("The region is outside the picture.");
    const scale = Math.min(1, maxWidth / (right - left), maxHeight / (bottom - top));
    if (!(scale > 0)) throw new RangeError("The region’s size must be at least 1.");
    const level = Math.min(sizes.length - 1, Math.max(0, Math.floor(Math.log2(1 / scale) + 1e-9)));
    const target = {
      width: Math.max(1, Math.round((right - left) * scale)), height: Math.max(1, Math.round((bottom - top) * scale)),
    };
    if (target.width * target.height > largestMask) throw new TesseraError("tooLarge", "The region has more than 64 megapixels.");
    const factor = 2 ** level;
    const part = {
      x: left / factor, y: top / factor, width: (right - left) / factor, height: (bottom - top) / factor,
    };
    const canvas = new OffscreenCanvas(target.width, target.height);
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    const [across, down] = [target.width / part.width, target.height / part.height];
    const tiles = [];
    const { columns, rows } = this.#index.grids[level];
    const lastColumn = Math.min(columns - 1, Math.ceil((part.x + part.width) / tileSize) - 1);
    const lastRow = Math.min(rows - 1, Math.ceil((part.y + part.height) / tileSize) - 1);
    for (let row = Math.floor(part.y / tileSize); row <= lastRow; row += 1) {
      for (let column = Math.floor(part.x / tileSize); column <= lastColumn; column += 1) tiles.push([column, row]);
    }
    await Promise.all(tiles.map(async ([column, row]) => {
      const bitmap = await this.tile(level, column, row, signal);
      const place = this.#rect(level, column, row);
      context.drawImage(
        bitmap, (place.x - part.x) * across, (place.y - part.y) * down, place.width * across, place.height * down,
      );
      bitmap.close();
    }));
    return canvas.transferToImageBitmap();
  }

  // Pixels of a level, without the mask. `tile` is the part's tile.
  async #levelPart(level, rect, signal, tile) {
    const source = this.#sourceOf(level, this.#index.firstLevel);
    if (source === "stored") return this.#decoded(await this.#storedTile(level, ...tile, signal), rect);
    if (source === "window") return this.#windowPart(level, rect, signal);
    // From the finest stored level.
    const { firstLevel, grids } = this.#index;
    const factor = 2 ** (firstLevel - level);
    const [column, row] = tile.map((number) => Math.floor(number / factor));
    const whole = await this.#decoded(await this.#storedTile(firstLevel, column, row, signal), this.#rect(firstLevel, column, row));
    const x = (tile[0] - column * factor) * (tileSize / factor);
    const y = (tile[1] - row * factor) * (tileSize / factor);
    const width = Math.max(1, Math.min(rect.width / factor, whole.width - x));
    const height = Math.max(1, Math.min(rect.height / factor, whole.height - y));
    const canvas = new OffscreenCanvas(rect.width, rect.height);
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(whole, x, y, width, height, 0, 0, rect.width, rect.height);
    whole.close();
    return grids[level] && canvas.transferToImageBitmap();
  }

  async #storedTile(level, column, row, signal) {
    const [start, end] = this.#index.tileRange(level, column, row);
    if (end <= this.#first.length) return this.#first.subarray(start, end);
    return (await this.#reader.read([[start, end]], signal))[0];
  }

  async #decoded(bytes, { width, height }) {
    const bitmap = await decode(new Blob([bytes], { type: "image/jpeg" }));
    if (bitmap.width === width && bitmap.height === height) return bitmap;
    throw new TesseraError("invalidIndex", "The picture’s index is damaged: a tile has another size.");
  }

  // Full-resolution data

  // A part of the picture in its stored orientation, from one of it upright.
  #stored({ x, y, width, height }) {
    const { orientation, width: w, height: h } = this.#index;
    const right = w - x - width;
    const bottom = h - y - height;
    const places = {
      1: [x, y], 2: [right, y], 3: [right, bottom], 4: [x, bottom],
      5: [y, x], 6: [y, right], 7: [bottom, right], 8: [bottom, x],
    };
    const [left, top] = places[orientation];
    return orientation > 4
      ? { x: left, y: top, width: height, height: width }
      : { x: left, y: top, width, height };
  }

  // The window of whole columns and rows of MCUs that a part of the picture needs, with `margin` MCUs more on each side, by
  // which the decoder's interpolation of colours is the same at the part's edges as inside the picture.
  #window(layout, rect, margin) {
    const stored = this.#stored(rect);
    const { width, height, mcuWidth, mcuHeight, mcusPerColumn, mcusDown, columnCount } = layout;
    const columnWidth = mcusPerColumn * mcuWidth;
    const [across, down] = [margin * mcuWidth, margin * mcuHeight];
    const columns = [
      Math.max(0, Math.floor((stored.x - across) / columnWidth)),
      Math.min(columnCount, Math.ceil((stored.x + stored.width + across) / columnWidth)),
    ];
    const rows = [
      Math.max(0, Math.floor((stored.y - down) / mcuHeight)),
      Math.min(mcusDown, Math.ceil((stored.y + stored.height + down) / mcuHeight)),
    ];
    const x = columns[0] * columnWidth;
    const y = rows[0] * mcuHeight;
    return {
      columns, rows,
      rect: {
        x, y, width: Math.min(width, columns[1] * columnWidth) - x, height: Math.min(height, rows[1] * mcuHeight) - y,
      },
    };
  }

  async #windowPart(level, rect, signal) {
    const layout = await this.#layout();
    const { orientation } = this.#index;
    const factor = 2 ** level;
    const [x, y] = [rect.x * factor, rect.y * factor];
    const full = {
      x, y, width: Math.min(rect.width * factor, this.#index.width - x), height: Math.min(rect.height * factor, this.#index.height - y),
    };
    const window = this.#window(layout, full, 1);
    const file = new Blob([await this.#cut(window, signal)], { type: "image/jpeg" });
    const stored = this.#stored(full);
    const isTurned = orientation > 4;
    const [across, down] = isTurned ? [rect.height, rect.width] : [rect.width, rect.height];
    const part = await decode(
      file, stored.x - window.rect.x, stored.y - window.rect.y, stored.width, stored.height,
      level > 0 ? { resizeWidth: across, resizeHeight: down, resizeQuality: "medium" } : {},
    );
    if (orientation === 1) return part;
    const upright = surface(rect.width, rect.height);
    upright.setTransform(...turns[orientation](rect.width, rect.height));
    upright.drawImage(part, 0, 0);
    part.close();
    return upright.canvas.transferToImageBitmap();
  }

  // The JPEG of a window. A trap of the module is an error of this picture: another window may be sound.
  async #cut(window, signal) {
    const layout = await this.#layout();
    await this.#restore(window, signal);
    const module = this.#module;
    const ranges = this.#guarded(() => module.ranges(window));
    const byteCount = ranges.reduce((sum, [start, end]) => sum + end - start, 0);
    if (byteCount > largestCut) throw new TesseraError("invalidIndex", "The picture’s index is damaged: a tile has too many bytes.");
    // A range may end with a byte that holds the next one's first bits.
    const pieces = await this.#pictureReader.read(ranges, signal);
    if (this.#module !== module) return this.#cut(window, signal);
    return this.#guarded(() => module.cut(window, pieces, ranges.map(([start]) => start)), layout);
  }

  #guarded(body) {
    try {
      return body();
    } catch (error) {
      if (this.#module?.hasFailed) this.#forget();
      if (error.code === "windowNotIndexed") throw new TesseraError("invalidIndex", error.message, { offset: error.offset });
      throw error;
    }
  }

  // The next request starts another instance.
  #forget() {
    this.#module = null;
    this.#opening = null;
    this.#pages.clear();
  }

  // The layout of the picture's data. The module is loaded when it is first needed.
  #layout() {
    this.#opening ??= this.#startModule().catch((error) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  async #startModule() {
    const module = new TesseraModule(await compile());
    const layout = module.open(this.#index);
    if (layout.width !== this.#index.storedWidth || layout.height !== this.#index.storedHeight) {
      throw new TesseraError("invalidIndex", "The picture’s index is damaged: its sizes differ.");
    }
    if (this.#index.columnsPerPage > 0 && layout.columnCount !== this.#index.columnCount) {
      throw new TesseraError("invalidIndex", "The picture’s index is damaged: its number of columns is wrong.");
    }
    this.#module = module;
    return layout;
  }

  // Restores the index's pages of a window.
  async #restore(window, signal) {
    const index = this.#index;
    const needed = index.pagesOf(window);
    const missing = needed.filter((page) => !this.#pages.has(page));
    if (missing.length) {
      const module = this.#module;
      // One tile's wish to be cancelled isn't that of the others that wait for the same pages.
      const reading = this.#reader.read(missing.map((page) => index.pageRange(page))).then((bytes) => {
        if (this.#module !== module) return;
        missing.forEach((page, place) => this.#guarded(() => (
          module.restore(bytes[place], ...index.pageRows(page), index.pageColumn(page))
        )));
      });
      for (const page of missing) this.#pages.set(page, reading);
      reading.catch(() => missing.forEach((page) => this.#pages.delete(page)));
    }
    await Promise.all(needed.map((page) => this.#pages.get(page)));
    signal?.throwIfAborted();
    if (!this.#module) await this.#layout();
  }

  // JPNG's transparency

  async #withMask(bitmap, level, rect, signal) {
    if (this.#index.mask.length === 0) return bitmap;
    this.#mask ??= this.#readMask().catch((error) => {
      this.#mask = null;
      throw error;
    });
    const mask = await this.#mask;
    signal?.throwIfAborted();
    const factor = 2 ** level;
    const colour = surface(rect.width, rect.height);
    colour.drawImage(bitmap, 0, 0);
    bitmap.close();
    const pixels = colour.getImageData(0, 0, rect.width, rect.height);
    const grey = surface(rect.width, rect.height);
    grey.imageSmoothingQuality = "high";
    // The mask is upright, of the picture's size.
    grey.drawImage(mask, -rect.x, -rect.y, mask.width / factor, mask.height / factor);
    const alpha = grey.getImageData(0, 0, rect.width, rect.height).data;
    for (let place = 0; place < alpha.length; place += 4) pixels.data[place + 3] = alpha[place];
    return createImageBitmap(pixels);
  }

  async #readMask() {
    const { mask, width, height, orientation, storedWidth, storedHeight } = this.#index;
    if (width * height > largestMask) throw new TesseraError("tooLarge", "The picture’s mask has more than 64 megapixels.");
    const [bytes] = await this.#pictureReader.read([[mask.offset, mask.offset + mask.length]]);
    const stored = await decode(new Blob([bytes]), { colorSpaceConversion: "none", imageOrientation: "none" });
    if (orientation === 1) return stored;
    const upright = surface(width, height);
    upright.setTransform(...turns[orientation](width, height));
    upright.drawImage(stored, 0, 0, storedWidth, storedHeight);
    return upright.canvas.transferToImageBitmap();
  }

  close() {
    this.#forget();
  }
}

const endsEarly = (offset) => new TesseraError("invalidIndex", "The picture’s index is damaged: it ends early.", { offset });

// For each orientation, where the stored picture's axes go on an upright one of width w and height h.
export const turns = {
  1: () => [1, 0, 0, 1, 0, 0],
  2: (w) => [-1, 0, 0, 1, w, 0],
  3: (w, h) => [-1, 0, 0, -1, w, h],
  4: (w, h) => [1, 0, 0, -1, 0, h],
  5: () => [0, 1, 1, 0, 0, 0],
  6: (w) => [0, 1, -1, 0, w, 0],
  7: (w, h) => [0, -1, -1, 0, w, h],
  8: (w, h) => [0, -1, 1, 0, 0, h],
};

const surface = (width, height) => new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });

async function decode(blob, ...parameters) {
  try {
    return await createImageBitmap(blob, ...parameters);
  } catch {
    throw new TesseraError("damaged", "The browser can’t decode a part of the picture.");
  }
}
