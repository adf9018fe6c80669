// Tile sources: the picture's size and its levels of tiles, coarsest first. IIIF Image API 3 and 2, Deep Zoom, and any
// picture the browser can show: a JPEG's own data by its index, others as a single tile.
//
// A level has a `scale` (picture pixels per level pixel), `tileWidth` and `tileHeight` in picture pixels, `columns`,
// `rows`, and `url(column, row)`, or `load(column, row, signal)` for an ImageBitmap; `overlap` is the number of level pixels
// that neighbouring tiles share.

import { reason } from "./failures.js";

// A failed request, with the server's explanation.
export class LoadFailure extends Error {
  constructor(message, status = 0, retryAfter = null) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

// Seconds to wait according to a Retry-After header, given as a number or a date.
function delay(header) {
  if (!header) return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, (date - Date.now()) / 1000);
}

// Returns a successful response; throws a LoadFailure otherwise.
export async function request(url, options) {
  let response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new LoadFailure("The server can’t be reached.");
  }
  if (response.ok) return response;
  const busy = response.status === 503 || response.status === 429;
  // For servers that send no readable explanation.
  const messages = {
    404: "There is no such picture.",
    403: "This picture may not be seen.",
    401: "This picture may not be seen.",
    422: "This picture is damaged.",
  };
  const message = busy
    ? "The server is busy."
    : ((await reason(response)) ?? messages[response.status] ?? `The server answered with status ${response.status}.`);
  throw new LoadFailure(
    message,
    response.status,
    busy ? (delay(response.headers.get("Retry-After")) ?? 2) : null,
  );
}

const displayable = ["webp", "avif", "jpg", "png", "gif"];

// A JPEG by its name: a picture of our own server by that, and any other by its index, or as it arrives.
async function openNamedPhoto(url, { format, signal, index, onOverview, onProgress }) {
  const { pathname, protocol } = new URL(url);
  if (!/^https?:$/.test(protocol)) return null;
  const [, base, identifier] = /^(.*)\/original\/([^/]+)$/.exec(pathname) ?? [];
  if (identifier) {
    const address = new URL(`${base}/iiif/3/${identifier}/info.json`, url).href;
    try {
      return iiif(await (await request(address, { signal })).json(), address, format);
    } catch (error) {
      // Another server that has such a folder.
      if (error.name === "AbortError" || error.retryAfter) throw error;
    }
  }
  // A picture's IIIF address ends in its name too, and leads to its info.json.
  if (!/\.(jpe?g|jpng)$/i.test(pathname) || /\/iiif\/[23]\/[^/]+$/.test(pathname)) return null;
  const { openPhoto } = await import("./photo-source.js");
  return openPhoto(url, { signal, index, onOverview, onProgress });
}

export async function openSource(address, { format, signal, index, onOverview, onProgress } = {}) {
  const url = new URL(address, document.baseURI).href;
  try {
    const photo = await openNamedPhoto(url, { format, signal, index, onOverview, onProgress });
    if (photo) return photo;
  } catch (error) {
    // A picture of another site that may only be shown is, below.
    if (error.code !== "unreachable") throw error;
  }
  let response;
  try {
    response = await request(
      url,
      {
        signal,
        headers: { Accept: "application/ld+json, application/json, image/*, application/xml;q=0.9, */*;q=0.8" },
      },
    );
  } catch (error) {
    // A cross-origin picture without CORS can be shown but not read.
    const isOther = error instanceof LoadFailure && error.status === 0 && new URL(url).origin !== location.origin;
    if (isOther && /\.(jpe?g|png|gif|webp|avif|svg)$/i.test(new URL(url).pathname)) return pictureFromElement(url);
    throw error;
  }
  const type = (response.headers.get("Content-Type") ?? "").split(";")[0].trim().toLowerCase();
  const path = new URL(response.url || url).pathname.toLowerCase();
  if (type.endsWith("json") || path.endsWith("/info.json")) return iiif(
    await response.json(), response.url || url, format,
  );
  if (path.endsWith(".dzi") || (type.endsWith("/xml") && !path.endsWith(".svg"))) {
    return deepZoom(await response.text(), response.url || url, format);
  }
  return picture(await response.blob(), url);
}

// IIIF tiles: each scale factor is a level. Requests use the canonical form, so static files can answer them too.
function iiif(info, address, wanted) {
  const contexts = [info["@context"]].flat();
  const isVersion3 = info.type === "ImageService3" || contexts.includes("http://iiif.io/api/image/3/context.json");
  const { width, height } = info;
  if (!(width > 0 && height > 0)) throw new LoadFailure("The description of the picture says no size.");
  const base = /\/info\.json($|\?)/.test(address) ? address.replace(/\/info\.json.*$/, "") : (info.id ?? info["@id"]);
  const profile = [info.profile].flat();
  const preferred = [info.preferredFormats ?? []].flat().find((name) => displayable.includes(name));
  const format = wanted || preferred || "jpg";

  const size = (region, w, h) => {
    const isWhole = region === "full" && w === width && h === height;
    if (isVersion3) return isWhole ? "max" : `${w},${h}`;
    return isWhole ? "full" : `${w},`;
  };
  const address2 = (region, w, h) => `${base}/${region}/${size(region, w, h)}/0/default.${format}`;

  const grid = (info.tiles ?? [])[0];
  const isFixed = profile.some((entry) => /level0(\.json)?$/.test(String(entry)));
  if (!grid && isFixed && info.sizes?.length) {
    const isFirst = (entry, index, all) => all.findIndex((other) => other.width === entry.width) === index;
    const sizes = [...info.sizes, { width, height }].filter(isFirst);
    return {
      kind: "iiif", width, height,
      levels: sizes.sort((a, b) => a.width - b.width).map((entry) => ({
        scale: width / entry.width, tileWidth: width, tileHeight: height, columns: 1, rows: 1, overlap: 0,
        url: () => address2("full", entry.width, entry.height),
      })),
    };
  }
  const tileWidth = grid?.width ?? 512;
  const tileHeight = grid?.height ?? grid?.width ?? 512;
  let factors = grid?.scaleFactors ? [...grid.scaleFactors] : [1];
  if (!grid) while (Math.max(width / tileWidth, height / tileHeight) > factors.at(-1)) factors.push(factors.at(-1) * 2);
  factors = factors.filter((factor) => factor >= 1).sort((a, b) => b - a);
  // Levels below one that fits into a single tile add nothing.
  const single = factors.filter((factor) => width <= tileWidth * factor && height <= tileHeight * factor);
  const least = single.length ? Math.min(...single) : Infinity;
  return {
    kind: "iiif", width, height,
    levels: factors.filter((factor) => factor <= least).map((factor) => ({
      scale: factor,
      tileWidth: tileWidth * factor,
      tileHeight: tileHeight * factor,
      columns: Math.ceil(width / (tileWidth * factor)),
      rows: Math.ceil(height / (tileHeight * factor)),
      overlap: 0,
      url(column, row) {
        const x = column * tileWidth * factor;
        const y = row * tileHeight * factor;
        const w = Math.min(tileWidth * factor, width - x);
        const h = Math.min(tileHeight * factor, height - y);
        const region = w === width && h === height ? "full" : `${x},${y},${w},${h}`;
        return address2(region, Math.ceil(w / factor), Math.ceil(h / factor));
      },
    })),
  };
}

// Deep Zoom: level l is the picture's size divided by 2^(top - l), rounded up.
function deepZoom(text, address, wanted) {
  const root = new DOMParser().parseFromString(text, "application/xml").documentElement;
  const sizeElement = [...root.children].find((child) => child.localName === "Size");
  const width = Number(sizeElement?.getAttribute("Width"));
  const height = Number(sizeElement?.getAttribute("Height"));
  const tile = Number(root.getAttribute("TileSize"));
  const overlap = Number(root.getAttribute("Overlap") ?? 0);
  const format = wanted || root.getAttribute("Format") || "jpg";
  if (root.localName !== "Image" || !(width > 0 && height > 0 && tile > 0)) {
    throw new LoadFailure("This is no Deep Zoom description.");
  }
  const [, stem, query] = address.match(/^([^?#]*?)(?:\.dzi|\.xml)?(\?[^#]*)?(?:#.*)?$/);
  const top = Math.ceil(Math.log2(Math.max(width, height)));
  const levels = [];
  for (let level = top; level >= 0; level -= 1) {
    const scale = 2 ** (top - level);
    const columns = Math.ceil(Math.ceil(width / scale) / tile);
    const rows = Math.ceil(Math.ceil(height / scale) / tile);
    levels.unshift({
      scale, columns, rows, overlap,
      tileWidth: tile * scale,
      tileHeight: tile * scale,
      url: (column, row) => `${stem}_files/${level}/${column}_${row}.${format}${query ?? ""}`,
    });
    if (columns === 1 && rows === 1) break;
  }
  return { kind: "dzi", width, height, levels };
}

// A plain picture, fetched as bytes. JPNG transparency needs jpng.js on the page.
async function picture(blob, url) {
  let bitmap;
  try {
    const reader = globalThis.JPNG;
    const bytes = reader ? new Uint8Array(await blob.slice(-64).arrayBuffer()) : null;
    bitmap = bytes && reader.isJPNG(bytes)
      ? await createImageBitmap(await reader.decode(await blob.arrayBuffer()))
      : await createImageBitmap(blob);
  } catch {
    const object = URL.createObjectURL(blob);
    try {
      return await pictureFromElement(object);
    } finally {
      URL.revokeObjectURL(object);
    }
  }
  return whole(bitmap, bitmap.width, bitmap.height, url);
}

// A picture that only an <img> can show: an SVG, or a cross-origin one without CORS.
async function pictureFromElement(url) {
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
  } catch {
    throw new LoadFailure("This is no picture that can be shown.");
  }
  const width = image.naturalWidth || 1024;
  const height = image.naturalHeight || 1024;
  return whole(image, width, height, url);
}

function whole(drawable, width, height, url) {
  return {
    kind: "picture", width, height, drawable,
    levels: [{ scale: 1, tileWidth: width, tileHeight: height, columns: 1, rows: 1, overlap: 0, url: () => url }],
  };
}
