// The worker of tessera.js: opens pictures, reads, cuts and decodes. The page's thread only draws.

import { index } from "./tessera-arriving.js";
import { TesseraError, described } from "./tessera-error.js";
import { Picture } from "./tessera-picture.js";
import { ServedPicture } from "./tessera-server.js";
import { find, forget, keep } from "./tessera-storage.js";

const pictures = new Map();
const running = new Map(); // of requests: AbortController

const methods = {
  async open({ picture, url, index: indexURL, storage }, signal, tell) {
    const opened = await open(url, { indexURL, storage, signal, tell });
    pictures.set(picture, opened);
    return { ...opened.picture.description, way: opened.way };
  },

  async tile({ picture, level, column, row }, signal) {
    return get(picture).tile(level, column, row, signal);
  },

  async tileFile({ picture, level, column, row }, signal) {
    return get(picture).tileFile(level, column, row, signal);
  },

  async region({ picture, region, size }, signal) {
    return get(picture).region(region, size, signal);
  },

  async statistics({ picture }) {
    const { picture: opened, moduleBytes } = pictures.get(picture);
    return { ...opened.statistics, indexingBytes: moduleBytes ?? 0 };
  },

  async close({ picture }) {
    pictures.get(picture)?.picture.close();
    pictures.delete(picture);
  },
};

function get(picture) {
  const opened = pictures.get(picture);
  if (!opened) throw new TesseraError("aborted", "The picture was closed.");
  return opened.picture;
}

// A server of ours; the index of an earlier visit; the one beside the picture; or the picture as it arrives.
async function open(url, { indexURL, storage, signal, tell }) {
  const onProgress = (progress) => tell({ progress });
  const served = await ServedPicture.open(url, { signal });
  if (served) return { picture: served, way: "server" };
  const stored = storage ? await find(url) : undefined;
  if (stored) {
    const picture = await openStored(url, stored, { signal, onProgress });
    if (picture) return { picture, way: "stored" };
    await forget(url);
  }
  if (indexURL) {
    const picture = await Picture.openIndexed(url, indexURL, { signal, onProgress });
    if (picture) return { picture, way: "index" };
  }
  return arriving(url, { storage, signal, tell, onProgress });
}

// An index of an earlier visit, if the picture is still the same.
async function openStored(url, { blob, version, length }, { signal, onProgress }) {
  // Without a tag or date nothing says whether it has changed.
  if (!version?.tag && !version?.date) return null;
  try {
    const response = await fetch(url, { method: "HEAD", signal, cache: "no-cache" });
    const [tag, date] = [response.headers.get("ETag"), response.headers.get("Last-Modified")];
    const size = response.headers.get("Content-Length");
    const isSame = response.ok && tag === version.tag && date === version.date && (size === null || Number(size) === length);
    return isSame ? await Picture.openStored(url, blob, { signal, onProgress, version }) : null;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return null;
  }
}

async function arriving(url, { storage, signal, tell, onProgress }) {
  let response;
  try {
    response = await fetch(url, { signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    const isOther = new URL(url).origin !== self.location.origin;
    throw new TesseraError(
      "unreachable",
      isOther
        ? "The picture’s server can’t be reached, or doesn’t allow this page to read it (CORS)."
        : "The server can’t be reached.",
    );
  }
  if (!response.ok) {
    response.body?.cancel();
    const text = response.status === 404 ? "There is no such picture." : `The server answered with status ${response.status}.`;
    throw new TesseraError("status", text, { status: response.status });
  }
  const onOverview = ({ bitmap, ...overview }) => tell({ overview: { bitmap, ...overview } }, [bitmap]);
  // A server that answers ranges says so; another's file is kept, since it would have to be read again.
  const keepsFile = response.headers.get("Accept-Ranges") !== "bytes";
  const made = await index(response, { onOverview, signal, keepsFile });
  if (storage) keep({ url, blob: made.blob, version: made.version, length: made.length });
  const picture = await Picture.openStored(url, made.blob, {
    signal, onProgress, version: made.version, file: made.file,
  });
  return { picture, way: "arriving", moduleBytes: made.moduleBytes };
}

self.onmessage = async ({ data: { id, method, cancel, ...parameters } }) => {
  if (cancel) return running.get(id)?.abort();
  const controller = new AbortController();
  running.set(id, controller);
  const tell = (message, transfer = []) => self.postMessage({ id, ...message }, transfer);
  try {
    const result = await methods[method](parameters, controller.signal, tell);
    tell({ result }, result instanceof ImageBitmap ? [result] : []);
  } catch (error) {
    tell({ error: described(error) });
  } finally {
    running.delete(id);
  }
};
