// Loads and caches tiles. At every change the element lists the tiles it wants, most urgent first; requests for others
// are aborted. Decoded tiles are kept within a byte budget, the least recently drawn evicted first.

import { request } from "./tile-sources.js";

const concurrent = 6; // what browsers open to one host over HTTP/1.1
const attempts = 3;

export class TileStore {
  #tiles = new Map(); // key: {drawable, width, height, bytes, arrival}; the order is that of use
  #running = new Map(); // key: AbortController
  #failed = new Map(); // key: {count, until}
  #wanted = [];
  #wantedKeys = new Set();
  #bytes = 0;
  #pausedUntil = 0;
  #timer = 0;
  #limit;
  #concurrent;
  #onChange;

  // Calls `onChange` when a tile has loaded or has failed permanently.
  constructor(limit, onChange, atOnce = concurrent) {
    this.#limit = limit;
    this.#concurrent = atOnce;
    this.#onChange = onChange;
  }

  get byteCount() {
    return this.#bytes;
  }

  get isWaiting() {
    return this.#pausedUntil > performance.now();
  }

  // Tiles that failed permanently.
  get failures() {
    return [...this.#failed.values()].filter((failure) => failure.until === Infinity).length;
  }

  get(key) {
    const tile = this.#tiles.get(key);
    if (tile) {
      this.#tiles.delete(key);
      this.#tiles.set(key, tile);
    }
    return tile;
  }

  has(key) {
    return this.#tiles.has(key);
  }

  put(key, drawable, width, height) {
    const former = this.#tiles.get(key);
    if (former) {
      this.#tiles.delete(key);
      this.#bytes -= former.bytes;
      former.drawable.close?.();
    }
    this.#tiles.set(key, { drawable, width, height, bytes: width * height * 4, arrival: performance.now() });
    this.#bytes += width * height * 4;
    this.#evict();
  }

  isFailed(key) {
    return this.#failed.get(key)?.until === Infinity;
  }

  // `wanted` is [{key, url, load}], most urgent first; `load(signal)` gives an ImageBitmap in place of the address.
  want(wanted) {
    this.#wanted = wanted;
    this.#wantedKeys = new Set(wanted.map((tile) => tile.key));
    for (const [key, controller] of this.#running) {
      if (!this.#wantedKeys.has(key)) {
        this.#running.delete(key);
        controller.abort();
      }
    }
    this.#evict();
    this.#start();
  }

  retry() {
    this.#failed.clear();
    this.#pausedUntil = 0;
    this.#start();
  }

  close() {
    clearTimeout(this.#timer);
    this.#wanted = [];
    for (const controller of this.#running.values()) controller.abort();
    this.#running.clear();
    for (const tile of this.#tiles.values()) tile.drawable.close?.();
    this.#tiles.clear();
    this.#bytes = 0;
    this.#onChange = () => {};
  }

  #start() {
    clearTimeout(this.#timer);
    const now = performance.now();
    let next = this.#pausedUntil;
    if (next <= now) {
      next = Infinity;
      for (const tile of this.#wanted) {
        if (this.#running.size >= this.#concurrent) return;
        if (this.#tiles.has(tile.key) || this.#running.has(tile.key)) continue;
        const until = this.#failed.get(tile.key)?.until ?? 0;
        if (until > now) next = Math.min(next, until);
        else this.#load(tile);
      }
    }
    if (next < Infinity) this.#timer = setTimeout(() => this.#start(), next - now + 1);
  }

  async #load({ key, url, load }) {
    const controller = new AbortController();
    this.#running.set(key, controller);
    try {
      const bitmap = load ? await load(controller.signal) : await loaded(url, controller.signal);
      if (controller.signal.aborted) return bitmap.close();
      this.#failed.delete(key);
      this.put(key, bitmap, bitmap.width, bitmap.height);
      this.#onChange();
    } catch (error) {
      if (controller.signal.aborted) return;
      this.#fail(key, error);
    } finally {
      if (this.#running.get(key) === controller) {
        this.#running.delete(key);
        this.#start();
      }
    }
  }

  #fail(key, error) {
    const now = performance.now();
    if (error.retryAfter != null) {
      this.#pausedUntil = now + Math.min(30, Math.max(0.25, error.retryAfter)) * 1000;
      return this.#onChange();
    }
    const count = (this.#failed.get(key)?.count ?? 0) + 1;
    const isFinal = count >= attempts || (error.status >= 400 && error.status < 500) || error.isFinal;
    this.#failed.set(key, { count, until: isFinal ? Infinity : now + 400 * 2 ** count });
    if (isFinal) this.#onChange(error);
  }

  #evict() {
    if (this.#bytes <= this.#limit) return;
    for (const [key, tile] of this.#tiles) {
      if (this.#wantedKeys.has(key)) continue;
      this.#tiles.delete(key);
      this.#bytes -= tile.bytes;
      tile.drawable.close?.();
      if (this.#bytes <= this.#limit) return;
    }
  }
}

async function loaded(url, signal) {
  const response = await request(url, { signal });
  return createImageBitmap(await response.blob());
}
