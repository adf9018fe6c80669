// Fuzzes the WebAssembly module in Node: fuzz.mjs [--rounds N] [--seed N] FOLDER…
//
// The folders' files are taken as Fuzz's targets jpeg-tiles and kept-index take theirs: as a JPEG that is indexed in pieces,
// restored from its own pages and cut; as an index beside another picture; as a page of its index; as a JPEG header in it; and as the
// end of a JPNG. First each file as it is, then N changed ones. Every outcome must be a result or a TesseraError; a trap is a
// finding, whose input is written to finding-N in the current folder. Fuzz/run makes the seeds and keeps what it learns in
// Fuzz/corpus/jpeg-tiles and Fuzz/corpus/kept-index.

import fs from "node:fs";
import path from "node:path";

import { TesseraError } from "../../Sources/CTesseraViewer/pages/tessera-error.js";
import { parse } from "../../Sources/CTesseraViewer/pages/tessera-index.js";
import { TesseraModule } from "../../Sources/CTesseraViewer/pages/tessera-module.js";

const pages = new URL("../../Sources/CTesseraViewer/pages/", import.meta.url);
const compiled = await WebAssembly.compile(fs.readFileSync(new URL("tessera.wasm", pages)));
const largestSeed = 1 << 19;

// Numbers from a seed, so that a finding can be repeated.
export function random(seed) {
  return (limit) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * limit);
  };
}

export function seedsIn(folders) {
  return folders.filter((folder) => fs.existsSync(folder)).flatMap((folder) => (
    fs.readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
  )).filter((file) => !/_files\/|\.(eighth|json|txt|ts)$/.test(file)).sort().map((file) => new Uint8Array(fs.readFileSync(file))).filter((bytes) => bytes.length <= largestSeed);
}

// Runs a call; counts what came of it.
function attempt(outcomes, body) {
  try {
    const result = body();
    outcomes.results += 1;
    return result;
  } catch (error) {
    if (!(error instanceof TesseraError)) throw error;
    outcomes[error.code] = (outcomes[error.code] ?? 0) + 1;
    if (error.code === "module") throw error;
    return undefined;
  }
}

function cutSome(module, { columnCount, mcusDown }, file, outcomes) {
  for (let row = 0; row < Math.min(mcusDown, 64); row += 3) {
    for (let column = 0; column < Math.min(columnCount, 16); column += 2) {
      const window = { columns: [column, Math.min(column + 2, columnCount)], rows: [row, Math.min(row + 3, mcusDown)] };
      attempt(outcomes, () => {
        const ranges = module.ranges(window);
        if (ranges.reduce((sum, [start, end]) => sum + end - start, 0) > 1 << 24) return;
        module.cut(window, ranges.map(([start, end]) => file.subarray(start, end)), ranges.map(([start]) => start));
      });
    }
  }
}

// As jpeg-tiles: the bytes are a JPEG.
function asPicture(bytes, outcomes, next) {
  const module = new TesseraModule(compiled);
  const layout = attempt(outcomes, () => module.beginIndexing(bytes, 32));
  // A hostile header may claim 65,535 × 65,535 pixels, which is cheap as long as no data is there.
  if (!layout || layout.mcusAcross * layout.mcusDown > 1 << 18) return;
  for (let place = layout.dataOffset; place < bytes.length;) {
    const end = place + 1 + next(1 << (1 + next(16)));
    attempt(outcomes, () => module.append(bytes.subarray(place, end)));
    place = end;
  }
  const finished = attempt(outcomes, () => module.finishIndexing(new Uint8Array()));
  attempt(outcomes, () => module.eighth(0, 64));
  if (!finished) return;
  const { rowCount, header } = finished;
  const { columnsPerPage, columnCount } = layout;
  const restored = new TesseraModule(compiled);
  attempt(outcomes, () => restored.open({ ...layout, header, segments: new Uint8Array(), rowCount, byteCount: bytes.length, rowsPerPage: 4 }));
  for (let row = 0; row < Math.min(rowCount, 64); row += 4) {
    for (let column = 0; column < Math.max(1, columnsPerPage && columnCount); column += columnsPerPage || 1) {
      attempt(outcomes, () => {
        const rows = [row, Math.min(rowCount, row + 4)];
        restored.restore(module.page(...rows, column, Math.min(columnCount, column + (columnsPerPage || 1))), ...rows, column);
      });
    }
  }
  cutSome(restored, { columnCount, mcusDown: rowCount }, bytes, outcomes);
}

// As kept-index: the bytes are the index beside a picture, or parts of it.
function asIndex(bytes, { file, index: sound, pages: soundPages }, outcomes) {
  attempt(outcomes, () => {
    const index = parse(bytes);
    const module = new TesseraModule(compiled);
    const layout = module.open(index);
    for (const page of index.pagesOf({ columns: [0, Math.max(1, index.columnCount)], rows: [0, Math.min(index.rowCount, 64)] }).slice(0, 64)) {
      attempt(outcomes, () => module.restore(bytes.subarray(...index.pageRange(page)), ...index.pageRows(page), index.pageColumn(page)));
    }
    cutSome(module, layout, file, outcomes);
  });
  const module = new TesseraModule(compiled);
  const layout = module.open(sound);
  soundPages.forEach((page, number) => module.restore(page, ...sound.pageRows(number), sound.pageColumn(number)));
  attempt(outcomes, () => module.restore(bytes, ...sound.pageRows(0), 0));
  cutSome(module, layout, file, outcomes);
  attempt(outcomes, () => new TesseraModule(compiled).open({ ...sound, header: bytes }));
  attempt(outcomes, () => new TesseraModule(compiled).jpng(bytes.subarray(-64), bytes.length));
}

// Changes some bytes, or takes a part away, doubles one, or mixes two inputs.
function changed(bytes, other, next) {
  const result = bytes.slice();
  switch (next(6)) {
    case 0: return result.subarray(0, next(result.length + 1));
    case 1: {
      const [from, to] = [next(result.length + 1), next(result.length + 1)];
      result.copyWithin(to, from, from + next(200));
      return result;
    }
    case 2: {
      const place = next(Math.min(result.length, other.length) + 1);
      return new Uint8Array([...result.subarray(0, place), ...other.subarray(place)]);
    }
    default:
      for (let count = next(12); count >= 0; count -= 1) {
        const place = next(next(2) ? result.length : Math.min(1024, result.length));
        result[place] = next(3) ? next(256) : [0, 0xff, 0xc2, 0xda, 0x7f, 0x80][next(6)];
      }
      return result;
  }
}

// Returns {count, outcomes, findings}.
export function fuzz(seeds, pictures, { rounds, seed }) {
  const next = random(seed);
  const outcomes = { results: 0 };
  const findings = [];
  const run = (bytes) => {
    try {
      asPicture(bytes, outcomes, next);
      asIndex(bytes, pictures[next(pictures.length)], outcomes);
    } catch (error) {
      findings.push({ bytes, error });
    }
  };
  for (const bytes of seeds) run(bytes);
  for (let round = 0; round < rounds; round += 1) {
    run(changed(seeds[next(seeds.length)], seeds[next(seeds.length)], next));
  }
  return { count: seeds.length + rounds, outcomes, findings };
}

// Pictures of a folder that have indexes beside them.
export function indexedPictures(folder) {
  return fs.readdirSync(folder).filter((name) => name.endsWith(".tessera")).map((name) => {
    const [bytes, file] = [name, name.slice(0, -".tessera".length)].map((each) => new Uint8Array(fs.readFileSync(path.join(folder, each))));
    const index = parse(bytes);
    const count = Math.ceil(index.rowCount / index.rowsPerPage) * index.pagesAcross;
    return { file, index, bytes, pages: Array.from({ length: count }, (_, page) => bytes.subarray(...index.pageRange(page))) };
  });
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const values = process.argv.slice(2);
  const option = (name, usual) => {
    const place = values.indexOf(name);
    return place < 0 ? usual : Number(values.splice(place, 2)[1]);
  };
  const [rounds, seed] = [option("--rounds", 10000), option("--seed", 26)];
  if (!values.length) {
    console.error("fuzz.mjs [--rounds N] [--seed N] FOLDER…, of which the first has pictures with indexes");
    process.exit(2);
  }
  const start = performance.now();
  const { count, outcomes, findings } = fuzz(seedsIn(values), indexedPictures(values[0]), { rounds, seed });
  console.log(`${count} inputs in ${Math.round((performance.now() - start) / 1000)} s:`, outcomes);
  findings.forEach(({ bytes, error }, number) => {
    fs.writeFileSync(`finding-${number}`, bytes);
    console.error(`finding-${number}:`, error);
  });
  process.exit(findings.length ? 1 : 0);
}
