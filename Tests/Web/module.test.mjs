// The WebAssembly module in Node: its tiles against the programs', its index against theirs, and hostile input.
// FIXTURES is a folder that Tests/Web/run makes; TESSERA_CORPUS, if it is set, the corpus of the other tests.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";

import { TesseraError } from "../../Sources/CTesseraViewer/pages/tessera-error.js";
import { headLength, levelSizes, parse, write } from "../../Sources/CTesseraViewer/pages/tessera-index.js";
import { TesseraModule } from "../../Sources/CTesseraViewer/pages/tessera-module.js";
import { fuzz, indexedPictures, seedsIn } from "./fuzz.mjs";
import { fewer, merged, multipart } from "../../Sources/CTesseraViewer/pages/tessera-ranges.js";

const pages = new URL("../../Sources/CTesseraViewer/pages/", import.meta.url);
const compiled = await WebAssembly.compile(fs.readFileSync(new URL("tessera.wasm", pages)));
const fixtures = process.env.FIXTURES;
const read = (name) => new Uint8Array(fs.readFileSync(path.join(fixtures, name)));
const names = fs.readdirSync(fixtures).filter((name) => name.endsWith(".jpg"));
// Progressive pictures, and others of several scans.
const scanNames = fs.readdirSync(fixtures).filter((name) => /^scans-.*\.jpeg$/.test(name));

// Indexes a JPEG, whose data comes in pieces of a size.
function indexed(file, pieceLength = 1 << 16) {
  const module = new TesseraModule(compiled);
  let layout = null;
  for (let count = 256; !layout; count *= 2) {
    layout = module.beginIndexing(file.subarray(0, count), 256);
    if (!layout && count > file.length) return null;
  }
  for (let place = layout.dataOffset; place < file.length; place += pieceLength) {
    module.append(file.subarray(place, place + pieceLength));
  }
  const result = { module, layout, ...module.finishIndexing(new Uint8Array()) };
  if (layout.columnsPerPage === 0) return { ...result, pages: [] };
  // An index of several scans cuts once it is restored.
  const cutting = new TesseraModule(compiled);
  const rowsPerPage = Math.max(1, Math.floor(256 / layout.mcuHeight));
  cutting.open({ ...layout, ...result, segments: new Uint8Array(), byteCount: file.length, rowsPerPage });
  const pages = [];
  for (let row = 0; row < result.rowCount; row += rowsPerPage) {
    for (let column = 0; column < layout.columnCount; column += layout.columnsPerPage) {
      const rows = [row, Math.min(result.rowCount, row + rowsPerPage)];
      pages.push(module.page(...rows, column, Math.min(layout.columnCount, column + layout.columnsPerPage)));
      cutting.restore(pages.at(-1), ...rows, column);
    }
  }
  return { ...result, module: cutting, indexing: module, pages };
}

function cut(module, file, window) {
  const ranges = module.ranges(window);
  return module.cut(window, ranges.map(([start, end]) => file.subarray(start, end)), ranges.map(([start]) => start));
}

test("the module imports nothing", () => assert.deepEqual(WebAssembly.Module.imports(compiled), []));

for (const name of names) {
  test(`tiles of ${name} are the program's, byte by byte`, () => {
    const file = read(name);
    const { module, layout } = indexed(file);
    const levels = path.join(fixtures, `${name}.dz_files`);
    const full = Math.max(...fs.readdirSync(levels).map(Number));
    const tiles = fs.readdirSync(path.join(levels, String(full)));
    assert.equal(tiles.length, Math.ceil(layout.width / 256) * Math.ceil(layout.height / 256));
    for (const tile of tiles) {
      const [column, row] = tile.split(/[_.]/).map(Number);
      const rows = 256 / layout.mcuHeight;
      const window = { columns: [column, column + 1], rows: [row * rows, Math.min(layout.mcusDown, (row + 1) * rows)] };
      const expected = fs.readFileSync(path.join(levels, String(full), tile));
      assert.ok(expected.equals(cut(module, file, window)), tile);
    }
  });

  test(`the program's index of ${name} is the module's`, () => {
    const file = read(name);
    const { module, layout, rowCount, header } = indexed(file, 777);
    const bytes = read(`${name}.tessera`);
    const index = parse(bytes);
    assert.equal(index.length, bytes.length);
    assert.deepEqual([index.storedWidth, index.storedHeight, index.rowCount], [layout.width, layout.height, rowCount]);
    assert.deepEqual([index.dataOffset, index.byteCount], [layout.dataOffset, file.length]);
    assert.deepEqual(index.header, header);
    const restored = new TesseraModule(compiled);
    restored.open({ ...index, segments: new Uint8Array() });
    for (let page = 0; page * index.rowsPerPage < rowCount; page += 1) {
      const rows = [page * index.rowsPerPage, Math.min(rowCount, (page + 1) * index.rowsPerPage)];
      const stored = bytes.subarray(...index.pageRange(page));
      assert.deepEqual(stored, module.page(...rows));
      assert.throws(() => restored.ranges({ columns: [0, 1], rows }), { code: "windowNotIndexed" });
      restored.restore(stored, ...rows);
      for (let column = 0; column < layout.columnCount; column += 1) {
        const window = { columns: [column, column + 1], rows };
        assert.deepEqual(cut(restored, file, window), cut(module, file, window));
      }
    }
  });
}

for (const name of scanNames) {
  test(`the program's index of ${name} is the module's`, () => {
    const file = read(name);
    const { layout, rowCount, header, pages } = indexed(file, 777);
    const bytes = read(`${name}.tessera`);
    const index = parse(bytes);
    assert.equal(index.length, bytes.length);
    assert.deepEqual([index.storedWidth, index.storedHeight, index.rowCount], [layout.width, layout.height, rowCount]);
    assert.deepEqual([index.columnsPerPage, index.columnCount], [layout.columnsPerPage, layout.columnCount]);
    assert.deepEqual(index.header, header);
    assert.deepEqual(pages, pages.map((_, page) => bytes.slice(...index.pageRange(page))));
    const restored = new TesseraModule(compiled);
    restored.open(index);
    assert.throws(() => restored.ranges({ columns: [1, 2], rows: [20, 21] }), { code: "windowNotIndexed" });
    for (const page of index.pagesOf({ columns: [1, 2], rows: [20, 21] })) {
      restored.restore(bytes.subarray(...index.pageRange(page)), ...index.pageRows(page), index.pageColumn(page));
    }
    assert.ok(cut(restored, file, { columns: [1, 2], rows: [20, 21] }).length > 500);
  });
}

test("tiles of progressive pictures have the pixels of a decoder's", { skip: !process.env.PYTHON }, () => {
  assert.ok(scanNames.length >= 5);
  const list = [];
  for (const name of scanNames) {
    const file = read(name);
    const { module, layout, rowCount } = indexed(file);
    const windows = [[0, layout.columnCount, 0, rowCount], [1, 2, 3, 9], [2, layout.columnCount, rowCount - 5, rowCount], [0, 1, 0, 1]];
    for (const [left, right, top, bottom] of windows) {
      const tile = path.join(fixtures, `tile-${list.length}.jpeg`);
      fs.writeFileSync(tile, cut(module, file, { columns: [left, right], rows: [top, bottom] }));
      // The decoder's interpolation of colours looks a pixel or two to each side.
      list.push([path.join(fixtures, name), tile, left * layout.mcusPerColumn * layout.mcuWidth, top * layout.mcuHeight, 2]);
    }
  }
  const listing = path.join(fixtures, "tiles.json");
  fs.writeFileSync(listing, JSON.stringify(list));
  const script = new URL("compare_tiles.py", import.meta.url).pathname;
  const { status, stdout, stderr } = spawnSync(process.env.PYTHON, [script, listing], { encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
});

test("an index is written as it is read", async () => {
  for (const name of [names[0], scanNames[0]]) await checkWriting(name);
});

async function checkWriting(name) {
  const bytes = read(`${name}.tessera`);
  const index = parse(bytes);
  const tiles = [];
  for (let level = index.sizes.length - 1; level >= index.firstLevel; level -= 1) {
    const { columns, rows } = index.grids[level];
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) tiles.push(bytes.subarray(...index.tileRange(level, column, row)));
    }
  }
  const stored = Array.from({ length: Math.ceil(index.rowCount / index.rowsPerPage) * index.pagesAcross }, (_, page) => (
    bytes.subarray(...index.pageRange(page))
  ));
  assert.deepEqual(new Uint8Array(await write(index, tiles, stored).arrayBuffer()), bytes);
}

test("the eighth has the picture's colours", () => {
  const compared = names.filter((name) => fs.existsSync(path.join(fixtures, `${name}.eighth`)));
  assert.ok(compared.length > 5);
  for (const name of compared) {
    const { module, layout } = indexed(read(name));
    const pixels = module.eighth(0, 1 << 20);
    const [width, height] = [Math.ceil(layout.width / 8), Math.ceil(layout.height / 8)];
    assert.equal(pixels.length, width * height * 4);
    const expected = read(`${name}.eighth`);
    let sum = 0;
    for (let place = 0; place < width * height; place += 1) {
      for (let channel = 0; channel < 3; channel += 1) {
        sum += Math.abs(pixels[place * 4 + channel] - expected[place * 3 + channel]);
      }
    }
    assert.ok(sum / (width * height * 3) < 1, `${name}: ${sum / (width * height * 3)}`);
  }
});

test("an unfinished row isn't shown", () => {
  const file = read("420.jpg");
  const module = new TesseraModule(compiled);
  const { dataOffset, mcusDown } = module.beginIndexing(file, 256);
  const rows = module.append(file.subarray(dataOffset, dataOffset + ((file.length - dataOffset) >> 1)));
  assert.ok(rows > 0 && rows < mcusDown);
  const pixels = module.eighth(0, 1 << 20);
  assert.equal(pixels.length, rows * 2 * Math.ceil(1000 / 8) * 4);
});

test("the eighth of a progressive picture is there after its first scan, and refined by later ones", () => {
  const file = read("scans-420.jpeg");
  const module = new TesseraModule(compiled);
  const { dataOffset, mcusDown, height } = module.beginIndexing(file, 256);
  let place = dataOffset;
  for (let rows = 0; rows < mcusDown; place += 500) rows = module.append(file.subarray(place, place + 500));
  assert.ok(place < file.length / 4, `${place} of ${file.length} bytes`);
  const early = module.eighth(0, 1 << 20);
  assert.equal(early.length, Math.ceil(height / 8) * 125 * 4);
  module.append(file.subarray(place));
  module.finishIndexing(new Uint8Array());
  const late = module.eighth(0, 1 << 20);
  const change = late.reduce((sum, value, index) => sum + Math.abs(value - early[index]), 0) / late.length;
  assert.ok(change > 0 && change < 3, `${change}`);
});

test("a progressive picture that ends early, or in which a scan is damaged, gives an error with its place", () => {
  const file = read("scans-420.jpeg");
  for (const count of [file.length >> 1, file.length - 2000]) {
    assert.throws(() => indexed(file.subarray(0, count)), { code: "damaged", message: /ends within scan/ });
  }
  const damaged = file.slice();
  damaged.fill(0xff, file.length >> 1, (file.length >> 1) + 600);
  assert.throws(() => indexed(damaged), ({ code, offset }) => code === "damaged" && Math.abs(offset - (file.length >> 1)) < 4096);
});

test("pictures that can't be divided are named", () => {
  const module = new TesseraModule(compiled);
  assert.throws(() => module.beginIndexing(read("arithmetic.jpeg"), 256), { code: "unsupported", message: /arithmetic/ });
  assert.throws(() => module.beginIndexing(new Uint8Array([1, 2, 3, 4]), 256), TesseraError);
  assert.equal(module.beginIndexing(read("420.jpg").subarray(0, 100), 256), null);
});

test("the module survives changed pictures and indexes", () => {
  const folders = [fixtures];
  if (process.env.FUZZ_CORPUS) folders.push(...["jpeg-tiles", "kept-index"].map((name) => path.join(process.env.FUZZ_CORPUS, name)));
  const seeds = seedsIn(folders).filter((bytes) => bytes.length < 1 << 18);
  const { outcomes, findings } = fuzz(seeds, indexedPictures(fixtures), { rounds: 300, seed: 26 });
  assert.deepEqual(findings.map(({ error }) => error), []);
  const { results, damaged, invalidIndex, unsupported } = outcomes;
  assert.ok(results > 5000 && damaged > 500 && invalidIndex > 300 && unsupported > 5, JSON.stringify(outcomes));
});

function attempt(body) {
  try {
    body();
  } catch (error) {
    if (!(error instanceof TesseraError) || error.code === "module") throw error;
  }
}

test("the corpus gives tiles or errors", { skip: !process.env.TESSERA_CORPUS }, () => {
  let count = 0;
  const folders = ["valid/jpeg", "invalid", "invalid/jpeg", "photos"].map((name) => path.join(process.env.TESSERA_CORPUS, name));
  if (process.env.FUZZ_CORPUS) folders.push(...["jpeg-tiles", "kept-index"].map((name) => path.join(process.env.FUZZ_CORPUS, name)));
  for (const folder of folders.filter((name) => fs.existsSync(name))) {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = new Uint8Array(fs.readFileSync(path.join(folder, entry.name)));
      count += 1;
      attempt(() => {
        parse(file);
      });
      attempt(() => {
        const result = indexed(file);
        if (!result || result.rowCount === 0) return;
        const { module, layout, rowCount, indexing } = result;
        (indexing ?? module).eighth(0, 256);
        cut(module, file, { columns: [0, Math.min(2, layout.columnCount)], rows: [0, Math.min(4, rowCount)] });
      });
    }
  }
  assert.ok(count > 0);
});

test("a trap ends the instance only", () => {
  // 2 GB can't be reserved.
  const module = new TesseraModule(compiled);
  const bytes = { length: 2 ** 31 - 1 };
  assert.throws(() => module.append(bytes), { code: "module" });
  assert.ok(module.hasFailed);
  assert.throws(() => module.page(0, 1), { code: "module" });
  assert.ok(indexed(read("420.jpg")).rowCount > 0);
});

test("a JPNG's parts are found", () => {
  const module = new TesseraModule(compiled);
  const tail = new Uint8Array(16);
  const view = new DataView(tail.buffer);
  assert.equal(module.jpng(tail, 1000), null);
  view.setUint32(0, 700, true);
  view.setUint32(4, 284, true);
  view.setUint16(8, 16, true);
  view.setUint8(10, 1);
  view.setUint32(12, 0x4a504e47, true);
  assert.deepEqual(module.jpng(tail, 1000), { photo: 700, mask: 284 });
  assert.throws(() => module.jpng(tail, 999), { code: "damaged" });
});

test("ranges are merged across small gaps only", () => {
  assert.deepEqual(merged([[50, 60], [0, 10], [12, 20], [5, 8]], 2), [[0, 20], [50, 60]]);
  assert.deepEqual(merged([[0, 10], [13, 20]], 2), [[0, 10], [13, 20]]);
});

test("of too many ranges those with small gaps become one", () => {
  const ranges = [[0, 10], [11, 20], [40, 50], [53, 60], [100, 110]];
  assert.deepEqual(fewer(ranges, 5), ranges);
  assert.deepEqual(fewer(ranges, 3), [[0, 20], [40, 60], [100, 110]]);
  assert.deepEqual(fewer(ranges, 1), [[0, 110]]);
});

test("answers of several parts are taken apart", () => {
  const text = "\r\n--X y\r\nContent-Type: image/jpeg\r\nContent-Range: bytes 2-4/10\r\n\r\nabc\r\n--X y\r\n"
    + "content-range: bytes 7-7/10\r\n\r\nd\r\n--X y--\r\n";
  const parts = multipart(new TextEncoder().encode(text), "X y");
  assert.deepEqual(parts.map(({ start, total, bytes }) => [start, total, new TextDecoder().decode(bytes)]), [[2, 10, "abc"], [7, 10, "d"]]);
  for (const damaged of [text.slice(0, 60), text.replace("2-4", "2-400"), text.replace("--X y--", "--Z")]) {
    assert.throws(() => multipart(new TextEncoder().encode(damaged), "X y"), { code: "unreachable" });
  }
});

test("levels are halves, rounded up, down to one tile", () => {
  assert.deepEqual(levelSizes(1025, 3), [{ width: 1025, height: 3 }, { width: 513, height: 2 }, { width: 257, height: 1 }]);
  assert.equal(levelSizes(512, 512).length, 1);
});

test("an index's head is checked", () => {
  const bytes = read(`${names[0]}.tessera`);
  assert.throws(() => headLength(new Uint8Array(100)), { code: "invalidIndex" });
  for (const place of [8, 12, 24, 32, 36, 48, 56, 60, 80, 84]) {
    const changed = bytes.slice();
    new DataView(changed.buffer).setUint32(place, 0xffffffff, true);
    assert.throws(() => parse(changed), { code: "invalidIndex" }, `at ${place}`);
  }
  assert.throws(() => parse(bytes.subarray(0, 200)), { code: "invalidIndex" });
});
