// Parts of a file on a web server, by HTTP range requests (RFC 9110, section 14).
//
// What is asked for within a few milliseconds becomes one request where the server answers several ranges at once, and a
// few requests where it doesn't. A server that knows no ranges sends the whole file once, which is kept. Every answer must
// be of the same version of the file: its entity tag, its date and its length are compared.

import { TesseraError } from "./tessera-error.js";

const delay = 4; // milliseconds in which reads become one request
const rangesAtOnce = 190; // in one request: Apache answers 200, and servers take headers of 8 KB
const requestsAtOnce = 2; // for one read; what would need more of them includes more of the gaps
const bytesAtOnce = 4 << 20;
const concurrent = 6;
const partHeader = 128; // bytes before each part of an answer with several: a smaller gap is read too
const singleGap = 8 << 10; // the same for requests of one range, which cost a round trip
const largestWhole = 512 << 20;

const changed = () => new TesseraError("changed", "The picture on the server has changed. Load the page again.");

export class RangeReader {
  // Bytes that came over the network, and the requests that it took.
  byteCount = 0;
  requestCount = 0;
  #url;
  #length;
  #version = null;
  #onWhole;
  // "several" ranges in one request, "single" ones, or "none".
  #support;
  // Whether it has answered a range; until then one request at a time asks.
  #isProven = false;
  #proving = null;
  #queue = [];
  #timer = null;
  #running = 0;
  #waiting = [];
  #whole = null;

  // `length` is the file's, if it is known. `onWhole(done, total)` follows the loading of a whole file.
  constructor(url, { length = null, onWhole = () => {}, version = null } = {}) {
    this.#url = url;
    this.#length = length;
    this.#onWhole = onWhole;
    this.#version = version;
    // Another site's server would be asked first whether it permits a Range header with several ranges (Fetch, CORS).
    this.#support = new URL(url).origin === globalThis.location?.origin ? "several" : "single";
  }

  get length() {
    return this.#length;
  }

  // The version that all answers have had.
  get version() {
    return this.#version;
  }

  get answersRanges() {
    return this.#support !== "none";
  }

  // The bytes from the first of a range to before its end, for each of the ranges.
  read(ranges, signal) {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const job = { ranges, resolve, reject, signal };
      job.abort = () => {
        job.isDone = true;
        reject(signal.reason);
        if (job.group?.jobs.every((other) => other.isDone)) job.group.controller.abort();
      };
      signal?.addEventListener("abort", job.abort, { once: true });
      this.#queue.push(job);
      this.#timer ??= setTimeout(() => this.#send(), delay);
    });
  }

  // The file's first bytes, and at most `count`: its length needn't be known.
  async first(count, signal) {
    const response = await this.#fetch({ Range: `bytes=0-${count - 1}` }, signal);
    if (response.status === 206) {
      this.#isProven = true;
      this.#check(response);
      return this.#body(response);
    }
    // The whole file: small ones may as well be kept.
    this.#support = "none";
    this.#check(response);
    this.#whole = this.#readWhole(response);
    const whole = await this.#whole;
    return new Uint8Array(await whole.slice(0, count).arrayBuffer());
  }

  async #send() {
    this.#timer = null;
    const jobs = this.#queue.filter((job) => !job.isDone);
    this.#queue = [];
    if (!jobs.length) return;
    const isSeveral = this.#support === "several";
    for (const group of grouped(jobs, isSeveral ? partHeader : singleGap)) {
      group.controller = new AbortController();
      for (const job of group.jobs) job.group = group;
      this.#load(group);
    }
  }

  async #load(group) {
    try {
      const parts = await this.#parts(group.ranges, group.controller.signal);
      for (const job of group.jobs) {
        if (job.isDone) continue;
        job.isDone = true;
        job.signal?.removeEventListener("abort", job.abort);
        job.resolve(job.ranges.map((range) => cut(parts, range)));
      }
    } catch (error) {
      for (const job of group.jobs) {
        if (job.isDone) continue;
        job.isDone = true;
        job.signal?.removeEventListener("abort", job.abort);
        job.reject(error);
      }
    }
  }

  // The bytes of merged ranges: [{start, bytes}].
  async #parts(ranges, signal) {
    while (this.#proving) await this.#proving;
    signal?.throwIfAborted();
    if (this.#isProven || this.#support === "none") return this.#provenParts(ranges, signal);
    // Cancelling this one would end the loading of a whole file, which others may need.
    const proof = this.#provenParts(ranges, null, true);
    this.#proving = proof.then(() => {}, () => {}).finally(() => {
      this.#proving = null;
    });
    return proof;
  }

  async #provenParts(ranges, signal, isProof = false) {
    if (this.#support === "none") return this.#wholeParts(ranges, signal);
    if (this.#support === "several" && ranges.length > 1) {
      const parts = await this.#severalRequests(fewer(ranges, rangesAtOnce * requestsAtOnce), signal);
      if (parts) return parts;
    }
    // Ranges that were merged for an answer of several parts are too many requests: what is near is read in one.
    const wider = merged(ranges, singleGap);
    if (isProof) {
      const first = await this.#single(wider[0], signal);
      if (wider.length === 1) return first;
      return [...first, ...(await this.#provenParts(wider.slice(1), signal))];
    }
    const parts = await Promise.all(wider.map((range) => this.#limited(() => this.#single(range, signal), signal)));
    return parts.flat();
  }

  // At most some requests at a time.
  async #limited(body, signal) {
    if (this.#running >= concurrent) await new Promise((resolve) => this.#waiting.push(resolve));
    this.#running += 1;
    try {
      signal?.throwIfAborted();
      return await body();
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  // The first of several requests shows whether the server answers the others.
  async #severalRequests(ranges, signal) {
    const count = Math.ceil(ranges.length / rangesAtOnce);
    const size = Math.ceil(ranges.length / count);
    const groups = Array.from({ length: count }, (_, number) => ranges.slice(number * size, (number + 1) * size));
    const load = (group) => this.#several(group, signal);
    const answers = this.#isProven
      ? await Promise.all(groups.map((group) => this.#limited(() => load(group), signal)))
      : [await load(groups[0])];
    for (const group of groups.slice(answers.length)) answers.push(answers[0] && await load(group));
    return answers.every((answer) => answer) ? answers.flat() : null;
  }

  async #several(ranges, signal) {
    const value = ranges.map(([start, end]) => `${start}-${end - 1}`).join(",");
    let response;
    try {
      response = await this.#fetch({ Range: `bytes=${value}`, ...this.#condition() }, signal);
    } catch (error) {
      // A server that refuses so many, or such a request.
      if (error.code !== "status" && error.code !== "unreachable") throw error;
      this.#support = "single";
      return null;
    }
    if (response.status !== 206) {
      this.#checkVersion(response);
      // Some know single ranges only, and say so.
      if (response.headers.get("Accept-Ranges") === "bytes") {
        response.body?.cancel();
        this.#support = "single";
        return null;
      }
      this.#support = "none";
      this.#whole ??= this.#readWhole(response);
      return this.#wholeParts(ranges, signal);
    }
    this.#isProven = true;
    const boundary = /^multipart\/byteranges;.*boundary="?([^";]+)"?/i.exec(response.headers.get("Content-Type") ?? "")?.[1];
    if (!boundary) {
      this.#check(response);
      const range = contentRange(response.headers.get("Content-Range"));
      const bytes = await this.#body(response);
      // Only one of them, or all that lies between the first and the last.
      if (range && range.start <= ranges[0][0] && range.end >= ranges.at(-1)[1]) return [{ start: range.start, bytes }];
      this.#support = "single";
      return null;
    }
    this.#checkVersion(response);
    const parts = multipart(await this.#body(response), boundary);
    for (const part of parts) this.#checkLength(part.total);
    return parts;
  }

  async #single([start, end], signal) {
    const response = await this.#fetch({ Range: `bytes=${start}-${end - 1}`, ...this.#condition() }, signal);
    if (response.status !== 206) {
      this.#check(response);
      this.#support = "none";
      if (this.#whole) response.body?.cancel();
      this.#whole ??= this.#readWhole(response);
      return this.#wholeParts([[start, end]], signal);
    }
    this.#isProven = true;
    this.#check(response);
    const range = contentRange(response.headers.get("Content-Range"));
    if (range && range.start !== start) throw new TesseraError("status", "The server sent other bytes than asked for.");
    return [{ start, bytes: await this.#body(response) }];
  }

  // The condition that the file is still the first answer's; for one's own server only, as for several ranges.
  #condition() {
    const tag = this.#version?.tag;
    const isOwn = new URL(this.#url).origin === globalThis.location?.origin;
    return isOwn && tag && !tag.startsWith("W/") ? { "If-Range": tag } : {};
  }

  async #fetch(headers, signal) {
    this.requestCount += 1;
    let response;
    try {
      // A browser's cache lets requests for the same file wait for each other.
      response = await fetch(this.#url, { headers, signal, cache: this.#support === "several" ? "default" : "no-store" });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      const isOther = new URL(this.#url).origin !== globalThis.location?.origin;
      throw new TesseraError(
        "unreachable",
        isOther
          ? "The picture’s server can’t be reached, or doesn’t allow this page to read it (CORS)."
          : "The server can’t be reached.",
      );
    }
    if (response.ok) return response;
    response.body?.cancel();
    if (response.status === 416) throw changed();
    const text = response.status === 404 ? "There is no such picture." : `The server answered with status ${response.status}.`;
    throw new TesseraError("status", text, { status: response.status });
  }

  async #body(response) {
    let bytes;
    try {
      bytes = new Uint8Array(await response.arrayBuffer());
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new TesseraError("unreachable", "The connection to the server was lost.");
    }
    this.byteCount += bytes.length;
    const expected = contentRange(response.headers.get("Content-Range"));
    if (expected && bytes.length !== expected.end - expected.start) {
      throw new TesseraError("unreachable", "The server sent fewer bytes than it announced.");
    }
    return bytes;
  }

  #check(response) {
    this.#checkVersion(response);
    if (response.status === 206) this.#checkLength(contentRange(response.headers.get("Content-Range"))?.total);
    else if (!response.headers.has("Content-Encoding")) {
      const length = response.headers.get("Content-Length");
      this.#checkLength(length === null ? null : Number(length));
    }
  }

  // Other sites' servers may hide all of this, which is no reason to show nothing.
  #checkVersion(response) {
    const tag = response.headers.get("ETag");
    const date = response.headers.get("Last-Modified");
    if (!this.#version) this.#version = { tag, date };
    else if ((this.#version.tag ?? tag) !== tag && tag) throw changed();
    else if (!tag && (this.#version.date ?? date) !== date && date) throw changed();
  }

  #checkLength(length) {
    if (!Number.isFinite(length)) return;
    if (this.#length !== null && length !== this.#length) throw changed();
    this.#length = length;
  }

  // Whole files

  async #wholeParts(ranges, signal) {
    this.#whole ??= this.#limited(async () => this.#readWhole(await this.#fetch({}, null)));
    const whole = await this.#whole;
    signal?.throwIfAborted();
    return Promise.all(ranges.map(async ([start, end]) => (
      { start, bytes: new Uint8Array(await whole.slice(start, end).arrayBuffer()) }
    )));
  }

  // A blob, which browsers needn't keep in memory.
  async #readWhole(response) {
    this.#check(response);
    const total = this.#length;
    const tooLarge = () => new TesseraError(
      "tooLarge", `The server doesn’t send parts of files, and the picture has more than ${largestWhole >> 20} MB.`,
    );
    if (total > largestWhole) throw tooLarge();
    let pieces = [];
    const blobs = [];
    let [done, pending] = [0, 0];
    try {
      for await (const piece of chunks(response.body)) {
        pieces.push(piece);
        done += piece.length;
        pending += piece.length;
        this.byteCount += piece.length;
        if (done > largestWhole) throw tooLarge();
        if (pending < 4 << 20) continue;
        blobs.push(new Blob(pieces));
        [pieces, pending] = [[], 0];
        this.#onWhole(done, total);
      }
    } catch (error) {
      this.#whole = null;
      if (error instanceof TesseraError) throw error;
      throw new TesseraError("unreachable", "The connection to the server was lost.");
    }
    const whole = new Blob([...blobs, ...pieces]);
    this.#onWhole(done, done);
    if (total !== null && whole.size !== total) {
      throw new TesseraError("unreachable", "The server sent fewer bytes than it announced.");
    }
    this.#length = whole.size;
    return whole;
  }
}

// The same for bytes that are here.
export class BlobReader {
  constructor(blob) {
    this.blob = blob;
    this.length = blob.size;
  }

  read(ranges) {
    return Promise.all(ranges.map(async ([start, end]) => new Uint8Array(await this.blob.slice(start, end).arrayBuffer())));
  }

  async first(count) {
    return (await this.read([[0, count]]))[0];
  }
}

// The pieces of a stream. `isReused` puts them all into the same memory: a piece is then valid until the next one.
export async function* chunks(stream, { isReused = false } = {}) {
  let [reader, memory] = [null, null];
  try {
    if (isReused) [reader, memory] = [stream.getReader({ mode: "byob" }), new ArrayBuffer(1 << 17)];
  } catch {
    // Not every browser's answers are streams of bytes.
  }
  reader ??= stream.getReader();
  try {
    for (;;) {
      const { done, value } = await (memory ? reader.read(new Uint8Array(memory)) : reader.read());
      if (done) return;
      yield value;
      if (memory) memory = value.buffer;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

// Ranges in order, those with at most a gap between them as one.
export function merged(ranges, gap) {
  const result = [];
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && start <= last[1] + gap) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

// At most a number of ranges: those with the smallest gaps between them become one.
export function fewer(ranges, most) {
  if (ranges.length <= most) return ranges;
  const gaps = ranges.slice(1).map(([start], place) => [start - ranges[place][1], place + 1]);
  const kept = new Set(gaps.sort((a, b) => b[0] - a[0]).slice(0, most - 1).map(([, place]) => place));
  const result = [];
  ranges.forEach(([start, end], place) => {
    if (place === 0 || kept.has(place)) result.push([start, end]);
    else result.at(-1)[1] = end;
  });
  return result;
}

// Jobs in groups of one request each.
function grouped(jobs, gap) {
  const groups = [];
  for (const job of jobs) {
    const byteCount = job.ranges.reduce((sum, [start, end]) => sum + end - start, 0);
    let group = groups.at(-1);
    const ranges = merged([...(group?.ranges ?? []), ...job.ranges], gap);
    const isFull = group && (ranges.length > rangesAtOnce || group.byteCount + byteCount > bytesAtOnce);
    if (!group || isFull) {
      group = { jobs: [], ranges: merged(job.ranges, gap), byteCount: 0 };
      groups.push(group);
    } else {
      group.ranges = ranges;
    }
    group.jobs.push(job);
    group.byteCount += byteCount;
  }
  return groups;
}

function cut(parts, [start, end]) {
  const part = parts.find((part) => part.start <= start && part.start + part.bytes.length >= end);
  if (!part) throw changed();
  return part.bytes.subarray(start - part.start, end - part.start);
}

function contentRange(text) {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(text ?? "") ?? [];
  return first === undefined ? null : { start: Number(first), end: Number(last) + 1, total: total === "*" ? NaN : Number(total) };
}

// The parts of a multipart/byteranges answer (RFC 9110, 14.6).
export function multipart(bytes, boundary) {
  const ascii = new TextDecoder("latin1");
  const parts = [];
  let place = 0;
  const bad = () => new TesseraError("unreachable", "The server’s answer is damaged.");
  for (;;) {
    // Line ends may precede a delimiter.
    while (bytes[place] === 13 || bytes[place] === 10) place += 1;
    const start = ascii.decode(bytes.subarray(place, place + boundary.length + 4));
    if (!start.startsWith(`--${boundary}`)) throw bad();
    if (start.endsWith("--")) return parts;
    const head = ascii.decode(bytes.subarray(place, place + 1024));
    const end = head.indexOf("\r\n\r\n");
    const range = contentRange(/^content-range:\s*(.*?)\s*$/im.exec(head.slice(0, Math.max(0, end)))?.[1]);
    if (end < 0 || !range) throw bad();
    const first = place + end + 4;
    place = first + range.end - range.start;
    if (place > bytes.length) throw bad();
    parts.push({ start: range.start, total: range.total, bytes: bytes.subarray(first, place) });
  }
}
