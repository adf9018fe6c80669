// The WebAssembly module, made of the same Swift as the programs: indexes JPEGs, and cuts tiles by copying bits. An instance
// serves one picture. A trap, which only damaged data could cause, ends that instance and is an error like any other.

import { TesseraError } from "./tessera-error.js";

const decoder = new TextDecoder();

// Codes of the module's errors that mean something other than damage.
const codes = new Set(["unsupported", "invalidIndex", "tooLarge", "windowNotIndexed"]);

let compiled = null;

// Compiles the module once.
export function compile(url = new URL("tessera.wasm", import.meta.url)) {
  compiled ??= load(url).catch((error) => {
    compiled = null;
    throw error;
  });
  return compiled;
}

async function load(url) {
  let response;
  try {
    response = await fetch(url);
  } catch {
    throw new TesseraError("unreachable", `The module can’t be loaded: ${url}`);
  }
  if (!response.ok) throw new TesseraError("status", `The module can’t be loaded: ${url}`, { status: response.status });
  try {
    // A server that doesn't know WebAssembly's media type is no obstacle.
    if (response.headers.get("Content-Type")?.startsWith("application/wasm")) return await WebAssembly.compileStreaming(response);
    return await WebAssembly.compile(await response.arrayBuffer());
  } catch (error) {
    // A page's policy may forbid it.
    throw new TesseraError("module", `The module can’t be compiled: ${error.message}`);
  }
}

export class TesseraModule {
  #exports;
  #hasFailed = false;

  constructor(module) {
    this.#exports = new WebAssembly.Instance(module).exports;
  }

  // Whether a trap has ended it: every further call throws.
  get hasFailed() {
    return this.#hasFailed;
  }

  // Bytes of its memory.
  get byteCount() {
    return this.#exports.memory.buffer.byteLength;
  }

  // Restores an index without its pages. Returns the layout.
  open({ header, segments, mcusPerColumn, dataOffset, rowCount, byteCount, rowsPerPage, columnsPerPage }) {
    this.#call((give) => this.#exports.tessera_open(
      give(header), header.length, give(segments), segments.length, mcusPerColumn, dataOffset, rowCount, byteCount, rowsPerPage,
      columnsPerPage,
    ));
    return this.#layout();
  }

  // A page of an index; in a JPEG of one scan it has all columns.
  restore(page, firstRow, endRow, firstColumn = 0) {
    this.#call((give) => this.#exports.tessera_restore(give(page), page.length, firstRow, endRow, firstColumn));
  }

  // The byte ranges in the file for a window: [start, end] of each row, or of each line of each scan.
  ranges({ columns, rows }) {
    this.#call(() => this.#exports.tessera_ranges(...columns, ...rows));
    const numbers = new Float64Array(this.#answer().buffer);
    return Array.from({ length: numbers.length / 2 }, (_, index) => [numbers[index * 2], numbers[index * 2 + 1]]);
  }

  // The JPEG of a window. `pieces` has the bytes of each range, and `starts` where they begin in the file.
  cut({ columns, rows }, pieces, starts) {
    const source = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    const offsets = new Float64Array(pieces.length);
    let place = 0;
    pieces.forEach((piece, index) => {
      source.set(piece, place);
      offsets[index] = starts[index] - place;
      place += piece.length;
    });
    const numbers = new Uint8Array(offsets.buffer);
    this.#call((give) => (
      this.#exports.tessera_cut(...columns, ...rows, give(source), source.length, give(numbers), pieces.length)
    ));
    return this.#answer();
  }

  // Begins to index a JPEG whose first bytes are given. Returns the layout, or null if more bytes are needed.
  beginIndexing(header, columnWidth) {
    const status = this.#call((give) => this.#exports.tessera_index_begin(give(header), header.length, columnWidth));
    return status === 0 ? this.#layout() : null;
  }

  // Adds bytes, from the layout's dataOffset on. Returns how many rows of MCUs can be shown.
  append(bytes) {
    return this.#call((give) => this.#exports.tessera_index_append(give(bytes), bytes.length));
  }

  // Ends the index. Returns its number of rows, and the header for an index file; that of one scan cuts tiles from then on.
  finishIndexing(segments) {
    const rowCount = this.#call((give) => this.#exports.tessera_index_finish(give(segments), segments.length));
    return { rowCount, header: this.#answer() };
  }

  // A page of the index; in a JPEG of one scan it has all columns.
  page(firstRow, endRow, firstColumn = 0, endColumn = 1) {
    this.#call(() => this.#exports.tessera_index_page(firstRow, endRow, firstColumn, endColumn));
    return this.#answer();
  }

  // Rows of an eighth of the picture as RGBA; null if its sampling is unusual.
  eighth(firstRow, endRow) {
    return this.#call(() => this.#exports.tessera_eighth(firstRow, endRow)) === 0 ? this.#answer() : null;
  }

  // The bytes of a JPNG's photo and mask, from its file's last bytes; null for another file.
  jpng(tail, byteCount) {
    const status = this.#call((give) => this.#exports.tessera_jpng(give(tail), tail.length, byteCount));
    if (status === 0) return null;
    const [photo, mask] = new Float64Array(this.#answer().buffer);
    return { photo, mask };
  }

  #call(body) {
    if (this.#hasFailed) throw new TesseraError("module", "The module has failed.");
    const given = [];
    const give = (bytes) => {
      const place = this.#exports.tessera_allocate(bytes.length) >>> 0;
      given.push(place);
      new Uint8Array(this.#exports.memory.buffer, place, bytes.length).set(bytes);
      return place;
    };
    let status;
    try {
      status = body(give);
      for (const place of given) this.#exports.tessera_release(place);
    } catch (error) {
      this.#hasFailed = true;
      throw new TesseraError("module", `The module failed: ${error.message}`);
    }
    if (status >= 0) return status;
    const [code, offset, ...message] = decoder.decode(this.#answer()).split("\n");
    throw new TesseraError(codes.has(code) ? code : "damaged", message.join("\n"), { offset: Number(offset) });
  }

  // A copy of the last call's answer.
  #answer() {
    const { memory, tessera_answer: start, tessera_answer_count: count } = this.#exports;
    const place = start() >>> 0;
    return new Uint8Array(memory.buffer).slice(place, place + count());
  }

  #layout() {
    const numbers = new Int32Array(this.#answer().buffer);
    const names = [
      "width", "height", "mcuWidth", "mcuHeight", "mcusAcross", "mcusDown", "mcusPerColumn", "columnCount", "dataOffset",
      // Columns in a page of the index; 0 for all.
      "columnsPerPage",
    ];
    return Object.fromEntries(names.map((name, place) => [name, numbers[place]]));
  }
}
