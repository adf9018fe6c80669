// The index file of a picture: parsing and writing. Its layout is in the documentation of WebIndex, which writes it, too.

import { TesseraError } from "./tessera-error.js";

const magic = "TESSERA1";
const fixed = 88;
const largestHead = 16 << 20;

const invalid = (message, offset = 0) => new TesseraError("invalidIndex", `The picture’s index is damaged: ${message}.`, { offset });

export const tileSize = 512;

// The sizes of a picture's levels, each half of the one before, down to the first that is one tile.
export function levelSizes(width, height) {
  const sizes = [{ width, height }];
  while (Math.max(sizes.at(-1).width, sizes.at(-1).height) > tileSize) {
    const { width, height } = sizes.at(-1);
    sizes.push({ width: Math.ceil(width / 2), height: Math.ceil(height / 2) });
  }
  return sizes;
}

// The numbers of tiles of each level.
export const gridsOf = (sizes) => sizes.map(({ width, height }) => (
  { columns: Math.ceil(width / tileSize), rows: Math.ceil(height / tileSize) }
));

// Whether bytes begin as an index.
export const isIndex = (bytes) => magic.split("").every((letter, place) => bytes[place] === letter.charCodeAt(0));

// The length of the head, from its first bytes.
export function headLength(bytes) {
  if (bytes.length < fixed || !isIndex(bytes)) throw invalid("it isn’t an index of this version");
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
  if (length < fixed || length > largestHead) throw invalid("its head has an impossible length", 8);
  return length;
}

// The head's fields. All numbers are checked against each other, so that none leads outside the file.
export function parse(bytes) {
  const length = headLength(bytes);
  if (bytes.length < length) throw invalid("it ends early", bytes.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, length);
  const long = (place) => view.getUint32(place, true) + view.getUint32(place + 4, true) * 2 ** 32;
  const number = (place) => view.getUint32(place, true);
  const short = (place) => view.getUint16(place, true);
  const index = {
    byteCount: long(16), storedWidth: number(24), storedHeight: number(28), orientation: number(32),
    mcusPerColumn: number(36), dataOffset: long(40), rowCount: number(48), rowsPerPage: short(52),
    columnsPerPage: short(54), levelCount: short(56), columnCount: short(58), firstLevel: number(60), mask: { offset: long(64), length: long(72) },
  };
  const { storedWidth, storedHeight, orientation } = index;
  const isSize = (value) => value >= 1 && value <= 65535;
  if (!isSize(storedWidth) || !isSize(storedHeight)) throw invalid("it has an impossible size", 24);
  if (number(12) !== tileSize) throw invalid("it has another tile size", 12);
  if (orientation < 1 || orientation > 8) throw invalid("it has an impossible orientation", 32);
  [index.width, index.height] = orientation > 4 ? [storedHeight, storedWidth] : [storedWidth, storedHeight];
  index.sizes = levelSizes(index.width, index.height);
  // Small pictures may have no stored level.
  const least = index.sizes.length <= 3 ? 0 : 1;
  const isComplete = index.levelCount >= least && index.firstLevel + index.levelCount === index.sizes.length;
  if (!isComplete) throw invalid("it has an impossible number of levels", 56);
  if (index.rowCount < 1 || index.rowCount > 8192 || index.rowsPerPage < 1) throw invalid("it has no rows", 48);
  if (index.columnsPerPage > 0 && index.columnCount < 1) throw invalid("it has no columns", 54);
  if (index.mcusPerColumn < 1 || index.mcusPerColumn > 8192) throw invalid("it has no columns", 36);
  if (index.dataOffset >= index.byteCount || index.byteCount > 2 ** 31 - 1) throw invalid("it has an impossible offset", 40);
  if (index.mask.offset + index.mask.length > index.byteCount) throw invalid("its mask is outside the picture", 64);

  const [headerLength, segmentLength] = [number(80), number(84)];
  let place = fixed;
  const take = (count) => {
    if (count > length - place) throw invalid("a length in it is impossible", 80);
    place += count;
    return bytes.slice(place - count, place);
  };
  index.header = take(headerLength);
  index.segments = take(segmentLength);
  place = (place + 3) & ~3;
  let last = length;
  const offsets = (count) => {
    if ((count + 1) * 4 > length - place) throw invalid("its tables are too short", place);
    return Array.from({ length: count + 1 }, () => {
      const offset = number(place);
      if (offset < last) throw invalid("its tables are out of order", place);
      last = offset;
      place += 4;
      return offset;
    });
  };
  const grids = gridsOf(index.sizes);
  const starts = [];
  let tileCount = 0;
  for (let level = index.sizes.length - 1; level >= index.firstLevel; level -= 1) {
    starts[level] = tileCount;
    tileCount += grids[level].columns * grids[level].rows;
  }
  const tiles = offsets(tileCount);
  const pagesAcross = index.columnsPerPage > 0 ? Math.ceil(index.columnCount / index.columnsPerPage) : 1;
  const pages = offsets(Math.ceil(index.rowCount / index.rowsPerPage) * pagesAcross);
  return Object.assign(index, {
    grids, pagesAcross,
    length: pages.at(-1),
    // The bytes of a stored level's tile.
    tileRange(level, column, row) {
      const number = starts[level] + row * grids[level].columns + column;
      return [tiles[number], tiles[number + 1]];
    },
    pageRange: (page) => [pages[page], pages[page + 1]],
    // The page's rows, and its first column.
    pageRows(page) {
      const row = Math.floor(page / pagesAcross) * index.rowsPerPage;
      return [row, Math.min(index.rowCount, row + index.rowsPerPage)];
    },
    pageColumn: (page) => (page % pagesAcross) * index.columnsPerPage,
    // The numbers of the pages for columns and rows of a window.
    pagesOf({ columns, rows }) {
      const [first, end] = index.columnsPerPage > 0
        ? [Math.floor(columns[0] / index.columnsPerPage), Math.ceil(columns[1] / index.columnsPerPage)] : [0, 1];
      const numbers = [];
      const last = Math.min(rows[1], index.rowCount);
      for (let row = Math.floor(rows[0] / index.rowsPerPage); row * index.rowsPerPage < last; row += 1) {
        for (let column = first; column < end; column += 1) numbers.push(row * pagesAcross + column);
      }
      return numbers;
    },
  });
}

// An index file. `tiles` and `pages` have bytes or blobs, the tiles coarsest level first.
export function write(fields, tiles, pages) {
  const { header, segments } = fields;
  const sizeOf = (part) => part.size ?? part.length;
  const length = ((fixed + header.length + segments.length + 3) & ~3) + 4 * (tiles.length + 1) + 4 * (pages.length + 1);
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  const number = (place, value) => view.setUint32(place, value, true);
  const long = (place, value) => {
    number(place, value % 2 ** 32);
    number(place + 4, Math.floor(value / 2 ** 32));
  };
  for (let place = 0; place < 8; place += 1) bytes[place] = magic.charCodeAt(place);
  number(8, length);
  number(12, tileSize);
  long(16, fields.byteCount);
  number(24, fields.storedWidth);
  number(28, fields.storedHeight);
  number(32, fields.orientation);
  number(36, fields.mcusPerColumn);
  long(40, fields.dataOffset);
  number(48, fields.rowCount);
  number(52, fields.rowsPerPage + fields.columnsPerPage * 2 ** 16);
  number(56, fields.levelCount + fields.columnCount * 2 ** 16);
  number(60, fields.firstLevel);
  long(64, fields.mask.offset);
  long(72, fields.mask.length);
  number(80, header.length);
  number(84, segments.length);
  bytes.set(header, fixed);
  bytes.set(segments, fixed + header.length);
  let place = (fixed + header.length + segments.length + 3) & ~3;
  let offset = length;
  for (const parts of [tiles, pages]) {
    for (const part of [...parts, null]) {
      number(place, offset);
      place += 4;
      if (part) offset += sizeOf(part);
    }
  }
  return new Blob([bytes, ...tiles, ...pages]);
}
