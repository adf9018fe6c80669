// A picture without an index: it is read once from its first byte to its last, indexed while it arrives, and shown as it
// does, at an eighth of its size. The result is an index file like the one that `tessera tile index` writes.

import { TesseraError } from "./tessera-error.js";
import { levelSizes, tileSize, write } from "./tessera-index.js";
import { TesseraModule, compile } from "./tessera-module.js";
import { turns } from "./tessera-picture.js";
import { chunks } from "./tessera-ranges.js";

const columnWidth = 256;
const largestHeader = 4 << 20;
// Bit positions in the data are numbers of 32 bits.
const largestFile = 255 << 20;
const interval = 250; // milliseconds between two overviews
const stripHeight = 64; // rows of an overview that are drawn at a time

// Reads the answer to a request for the whole picture. `onOverview` gets {bitmap, done, total} now and then. The result is
// {blob, version, length}, and `file`, the picture's bytes as a blob, where the server can't send parts of it.
export async function index(response, { onOverview, signal, keepsFile }) {
  const length = response.headers.has("Content-Encoding") ? NaN : Number(response.headers.get("Content-Length") ?? NaN);
  const tooLarge = () => new TesseraError("tooLarge", `Without an index, pictures of at most ${largestFile >> 20} MB can be shown.`);
  if (length > largestFile) throw tooLarge();
  const module = new TesseraModule(await compile());
  let head = new Uint8Array(0);
  let [layout, facts, overview] = [null, null, null];
  let [count, shown] = [0, performance.now()];
  let pieces = [];
  const blobs = [];
  let pending = 0;
  let tail = new Uint8Array(0);
  try {
    for await (const piece of chunks(response.body, { isReused: !keepsFile })) {
      signal?.throwIfAborted();
      count += piece.length;
      if (count > largestFile) throw tooLarge();
      tail = joined(tail, piece.subarray(-16)).slice(-16);
      if (keepsFile) {
        pieces.push(piece);
        pending += piece.length;
        if (pending > 4 << 20) {
          blobs.push(new Blob(pieces));
          [pieces, pending] = [[], 0];
        }
      }
      if (layout) {
        module.append(piece);
      } else {
        head = joined(head, piece);
        layout = module.beginIndexing(head, columnWidth);
        if (!layout && head.length > largestHeader) throw new TesseraError("unsupported", "The picture’s header is too long.");
        if (!layout) continue;
        facts = factsOf(head.subarray(0, layout.dataOffset));
        overview = new Overview(layout, facts.orientation);
        module.append(head.subarray(layout.dataOffset));
        head = null;
      }
      if (performance.now() - shown > interval) {
        const bitmap = overview.update(module);
        if (bitmap) onOverview({ bitmap, done: count, total: length, width: overview.fullWidth, height: overview.fullHeight });
        shown = performance.now();
      }
    }
  } catch (error) {
    if (error instanceof TesseraError || error?.name === "AbortError") throw error;
    throw new TesseraError("unreachable", "The connection to the server was lost.");
  }
  if (!layout) {
    // The module says what is wrong with it.
    if (head.length < 4 || head[0] !== 0xff || head[1] !== 0xd8) throw new TesseraError("unsupported", "This is no JPEG.");
    throw new TesseraError("damaged", "The picture ends before its first scan.", { offset: count });
  }
  if (length >= 0 && count !== length) throw new TesseraError("unreachable", "The server sent fewer bytes than it announced.");
  const segments = facts.segments;
  const { rowCount, header } = module.finishIndexing(segments);
  // Scans of a progressive picture refine what has been drawn.
  if (layout.columnsPerPage > 0) overview.restart();
  overview.update(module);
  const parts = module.jpng(tail, count);
  const rowsPerPage = Math.max(1, Math.floor(columnWidth / layout.mcuHeight));
  const { columnsPerPage } = layout;
  const columnCount = columnsPerPage > 0 ? layout.columnCount : 0;
  const pages = [];
  for (let row = 0; row < rowCount; row += rowsPerPage) {
    const rows = [row, Math.min(rowCount, row + rowsPerPage)];
    if (columnsPerPage === 0) pages.push(module.page(...rows));
    for (let column = 0; column < columnCount; column += columnsPerPage) {
      pages.push(module.page(...rows, column, Math.min(columnCount, column + columnsPerPage)));
    }
  }
  const { tiles, firstLevel, levelCount } = await overview.levels();
  const blob = write({
    byteCount: count, storedWidth: layout.width, storedHeight: layout.height, orientation: facts.orientation,
    mcusPerColumn: layout.mcusPerColumn, dataOffset: layout.dataOffset, rowCount, rowsPerPage,
    columnsPerPage, columnCount, levelCount, firstLevel,
    mask: parts ? { offset: parts.photo, length: parts.mask } : { offset: 0, length: 0 }, header, segments,
  }, tiles, pages);
  const version = { tag: response.headers.get("ETag"), date: response.headers.get("Last-Modified") };
  return { blob, version, length: count, file: keepsFile ? new Blob([...blobs, ...pieces]) : null, moduleBytes: module.byteCount };
}

function joined(a, b) {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}

// An eighth of the picture in a canvas, upright, filled from the top of the stored picture.
class Overview {
  #canvas;
  #context;
  #row = 0;
  #size;
  #turn;
  #sizes;

  constructor(layout, orientation) {
    const { width, height } = layout;
    [this.fullWidth, this.fullHeight] = orientation > 4 ? [height, width] : [width, height];
    this.#size = { width: Math.ceil(width / 8), height: Math.ceil(height / 8) };
    const { width: w, height: h } = this.#size;
    const [across, down] = orientation > 4 ? [h, w] : [w, h];
    this.#canvas = new OffscreenCanvas(across, down);
    this.#context = this.#canvas.getContext("2d");
    this.#turn = turns[orientation](across, down);
    this.#sizes = levelSizes(this.fullWidth, this.fullHeight);
  }

  // The next update draws all rows again.
  restart() {
    this.#row = 0;
  }

  // Draws the rows that have arrived, and returns a copy; null if there are none, or the sampling is unusual.
  update(module) {
    const { width, height } = this.#size;
    // A strip at a time, since it is copied.
    let isNew = false;
    while (this.#row < height) {
      const pixels = module.eighth(this.#row, Math.min(height, this.#row + stripHeight));
      if (!pixels?.length) break;
      const rows = pixels.length / (4 * width);
      const strip = new OffscreenCanvas(width, rows);
      strip.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), width, rows), 0, 0);
      this.#context.setTransform(...this.#turn);
      this.#context.drawImage(strip, 0, this.#row);
      this.#row += rows;
      isNew = true;
    }
    if (!isNew) return null;
    // Of very large pictures a smaller copy.
    const scale = Math.min(1, 1024 / Math.max(this.#canvas.width, this.#canvas.height));
    return this.#scaled(Math.ceil(this.#canvas.width * scale), Math.ceil(this.#canvas.height * scale)).transferToImageBitmap();
  }

  #scaled(width, height) {
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(this.#canvas, 0, 0, width, height);
    return canvas;
  }

  // The JPEG tiles of the small levels, coarsest first.
  async levels() {
    const tiles = [];
    // Levels that are finer than the eighth are made of the picture's data.
    const firstLevel = Math.min(3, this.#sizes.length);
    for (let level = this.#sizes.length - 1; level >= firstLevel; level -= 1) {
      const { width, height } = this.#sizes[level];
      const canvas = level === 3 ? this.#canvas : this.#scaled(width, height);
      for (let y = 0; y < height; y += tileSize) {
        for (let x = 0; x < width; x += tileSize) {
          const [w, h] = [Math.min(tileSize, width - x), Math.min(tileSize, height - y)];
          const tile = new OffscreenCanvas(w, h);
          tile.getContext("2d").drawImage(canvas, x, y, w, h, 0, 0, w, h);
          tiles.push(await tile.convertToBlob({ type: "image/jpeg", quality: 0.85 }));
        }
      }
    }
    return { tiles, firstLevel, levelCount: this.#sizes.length - firstLevel };
  }
}

// A JPEG's orientation, and the segments for its tiles: the colour profile's.
export function factsOf(jpeg) {
  const view = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
  let orientation = 1;
  const profile = [];
  let place = 2;
  while (place + 4 <= jpeg.length && jpeg[place] === 0xff) {
    const marker = jpeg[place + 1];
    if (marker === 0xff) {
      place += 1;
      continue;
    }
    if (marker === 0xda) break;
    const end = place + 2 + view.getUint16(place + 2);
    if (end > jpeg.length || end < place + 4) break;
    const text = String.fromCharCode(...jpeg.subarray(place + 4, Math.min(end, place + 16)));
    if (marker === 0xe1 && text.startsWith("Exif\0\0")) orientation = exifOrientation(jpeg.subarray(place + 10, end));
    if (marker === 0xe2 && text.startsWith("ICC_PROFILE\0")) profile.push(jpeg.slice(place, end));
    place = end;
  }
  return { orientation, segments: profile.reduce(joined, new Uint8Array(0)) };
}

function exifOrientation(tiff) {
  try {
    const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
    const little = view.getUint16(0) === 0x4949;
    const directory = view.getUint32(4, little);
    const count = view.getUint16(directory, little);
    for (let index = 0; index < count; index += 1) {
      const entry = directory + 2 + index * 12;
      if (view.getUint16(entry, little) !== 0x0112) continue;
      const value = view.getUint16(entry + 8, little);
      return value >= 1 && value <= 8 ? value : 1;
    }
  } catch {
    // A directory that reaches beyond the data.
  }
  return 1;
}
