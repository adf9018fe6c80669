// Deep zoom into a JPEG of any static server, in any page:
//
//   import { Tessera } from "./tessera.js";
//   const picture = await Tessera.open("photo.jpg");
//   const bitmap = await picture.tile(0, 3, 2);
//
// Tessera.open(url, {signal, index, storage, onOverview, onProgress}): `index` is the address of the picture's index, by
// default the picture's with ".tessera", and null for none; a picture of `tessera serve` (…/original/NAME) comes from that server's
// tiles instead; without an index the picture is read once, `onOverview` gets
// {bitmap, width, height, done, total} while it arrives, and the result is stored in the browser unless `storage` is false.
// tessera.d.ts describes everything. The work is done in a worker.

import { TesseraError, restored } from "./tessera-error.js";

export { TesseraError };

let worker = null;
let last = 0;
const waiting = new Map(); // of requests: {resolve, reject, tell}

function start() {
  const url = new URL("tessera-worker.js", import.meta.url);
  let address = url;
  // A worker must be of the page's own site: that of another is imported by one.
  if (url.origin !== location.origin) {
    address = URL.createObjectURL(new Blob([`import ${JSON.stringify(url.href)};`], { type: "text/javascript" }));
  }
  worker = new Worker(address, { type: "module", name: "tessera" });
  worker.onmessage = ({ data: { id, result, error, ...message } }) => {
    const request = waiting.get(id);
    if (message.progress || message.overview) {
      if (request) request.tell(message);
      else message.overview?.bitmap.close();
      return;
    }
    waiting.delete(id);
    if (!request) return result instanceof ImageBitmap ? result.close() : undefined;
    if (error) request.reject(restored(error));
    else request.resolve(result);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    fail(new TesseraError("module", `The worker failed: ${event.message ?? "its script can’t be loaded"}`));
  };
}

// Every request fails, and the next one starts another worker.
function fail(error) {
  worker?.terminate();
  worker = null;
  for (const request of waiting.values()) request.reject(error);
  waiting.clear();
}

function call(method, parameters, { signal, tell = () => {} } = {}) {
  if (signal?.aborted) return Promise.reject(signal.reason);
  if (!worker) start();
  const id = (last += 1);
  return new Promise((resolve, reject) => {
    const abort = () => {
      waiting.delete(id);
      worker?.postMessage({ id, cancel: true });
      reject(signal.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
    const done = (settle) => (value) => {
      signal?.removeEventListener("abort", abort);
      settle(value);
    };
    waiting.set(id, { resolve: done(resolve), reject: done(reject), tell });
    worker.postMessage({ id, method, ...parameters });
  });
}

class TesseraPicture {
  #id;
  #description;
  #owner;

  constructor(id, description, owner) {
    this.#id = id;
    this.#description = description;
    this.#owner = owner;
  }

  get size() {
    return { width: this.#description.width, height: this.#description.height };
  }

  get width() {
    return this.#description.width;
  }

  get height() {
    return this.#description.height;
  }

  // Pixels on a tile's side.
  get tileSize() {
    return this.#description.tileSize;
  }

  // {width, height, columns, rows, source} of each level; level 0 is the picture.
  get levels() {
    return this.#description.levels;
  }

  get hasAlpha() {
    return this.#description.hasAlpha;
  }

  // The picture file's length in bytes; NaN of a server of ours.
  get byteCount() {
    return this.#description.byteCount;
  }

  // "server" for a picture of `tessera serve`; else where the index came from: "index", "stored" or "arriving".
  get way() {
    return this.#description.way;
  }

  // An ImageBitmap of a tile.
  tile(level, column, row, options) {
    return this.#call("tile", { level, column, row }, options);
  }

  // A JPEG of a tile, as a Blob: of level 0 the picture's own bits, which nothing has decoded.
  tileFile(level, column, row, options) {
    return this.#call("tileFile", { level, column, row }, options);
  }

  // An ImageBitmap of {x, y, width, height} in the picture's pixels, scaled down to maxWidth and maxHeight.
  region(region, { maxWidth, maxHeight, ...options } = {}) {
    const { x, y, width, height } = region;
    return this.#call("region", { region: { x, y, width, height }, size: { maxWidth, maxHeight } }, options);
  }

  // Requests and bytes so far, of the index and of the picture.
  statistics() {
    return this.#call("statistics", {});
  }

  close() {
    if (this.#owner === worker) this.#call("close", {}).catch(() => {});
  }

  #call(method, parameters, options) {
    if (this.#owner !== worker) return Promise.reject(new TesseraError("module", "The worker was started again: open the picture again."));
    return call(method, { picture: this.#id, ...parameters }, options);
  }
}

export const Tessera = Object.freeze({
  async open(url, { signal, index, storage = true, onOverview = null, onProgress = () => {} } = {}) {
    const address = new URL(url, document.baseURI).href;
    const suffixed = () => {
      const place = new URL(address);
      place.pathname += ".tessera";
      return place.href;
    };
    const indexURL = index === null ? null : index === undefined ? suffixed() : new URL(index, document.baseURI).href;
    if (!worker) start();
    const id = (last += 1);
    const tell = ({ overview, progress }) => {
      if (overview && onOverview) onOverview(overview);
      else if (overview) overview.bitmap.close();
      if (progress) onProgress(progress);
    };
    const description = await call("open", { picture: id, url: address, index: indexURL, storage }, { signal, tell });
    return new TesseraPicture(id, description, worker);
  },
});
