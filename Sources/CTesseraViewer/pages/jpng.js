// JPNG in any page: with this script, <img src="cutout.jpng"> shows its transparency.
//
//   <script src="https://example.org/assets/jpng.js"></script>
//
// A JPNG is a JPEG, a mask and a 16-byte trailer. Browsers show only the JPEG; this script decodes both parts and shows
// the result in the same <img>, including images that are added later, whose `src` changes, or that have a `srcset`.
// It handles addresses that end in .jpng or contain format=jpng, <img> elements with the attribute data-jpng, and
// responses with JPNG's media type. Cross-origin pictures stay opaque without CORS.
//
// JPNG.isJPNG(bytes); JPNG.split(bytes) returns {photo, mask, version} or null; JPNG.decode(bytes) resolves to ImageData
// with straight alpha; JPNG.apply(image) handles an <img> outside the document.
(() => {
  "use strict";
  if (globalThis.JPNG) return;

  const trailer = 16;
  const identifiers = new Set([0x4a504e47, 0x4a504547, 0x474e504a]); // "GNPJ", "GEPJ" and "JPNG" on disk

  const bytesOf = (data) =>
    data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

  // Whether the bytes end with a JPNG trailer; the last 16 bytes suffice.
  function isJPNG(data) {
    const bytes = bytesOf(data);
    if (bytes.length < trailer) return false;
    const view = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - trailer, trailer);
    return identifiers.has(view.getUint32(12, true)) && [1, 2].includes(view.getUint8(10));
  }

  // The parts of a file, as views into it; null if it isn't a JPNG or is damaged.
  function split(data) {
    const bytes = bytesOf(data);
    if (!isJPNG(bytes) || bytes[0] !== 0xff || bytes[1] !== 0xd8) return null;
    const view = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - trailer, trailer);
    const photo = view.getUint32(0, true);
    const mask = view.getUint32(4, true);
    const length = view.getUint16(8, true);
    const [major, minor] = [view.getUint8(10), view.getUint8(11)];
    if (length < trailer || (length > trailer && minor === 0)) return null;
    if (mask === 0 || photo + mask > bytes.length - length) return null;
    return { photo: bytes.subarray(0, photo), mask: bytes.subarray(photo, photo + mask), version: `${major}.${minor}` };
  }

  // The JPEG's Exif orientation, 1 to 8. Browsers apply it to the photo, so it must be applied to the mask as well.
  function orientation(jpeg) {
    const view = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
    let offset = 2;
    while (offset + 18 < view.byteLength && view.getUint8(offset) === 0xff) {
      const marker = view.getUint8(offset + 1);
      if (marker === 0xda) break;
      if (marker === 0xe1 && view.getUint32(offset + 4) === 0x45786966) {
        const start = offset + 10;
        const little = view.getUint16(start) === 0x4949;
        try {
          const directory = start + view.getUint32(start + 4, little);
          for (let index = 0; index < view.getUint16(directory, little); index += 1) {
            const entry = directory + 2 + index * 12;
            if (view.getUint16(entry, little) === 0x0112) return Math.min(
              8, Math.max(1, view.getUint16(entry + 8, little)),
            );
          }
        } catch {
          return 1; // A directory that reaches beyond the data.
        }
      }
      offset += 2 + view.getUint16(offset + 2);
    }
    return 1;
  }

  // For each orientation, the transform of the stored axes for an image of width w and height h.
  const turns = {
    2: (w) => [-1, 0, 0, 1, w, 0],
    3: (w, h) => [-1, 0, 0, -1, w, h],
    4: (w, h) => [1, 0, 0, -1, 0, h],
    5: () => [0, 1, 1, 0, 0, 0],
    6: (w) => [0, 1, -1, 0, w, 0],
    7: (w, h) => [0, -1, -1, 0, w, h],
    8: (w, h) => [0, -1, 1, 0, 0, h],
  };

  function surface(width, height, settings) {
    const canvas = new OffscreenCanvas(width, height);
    return canvas.getContext("2d", { willReadFrequently: true, ...settings });
  }

  const opened = (bytes, settings) => createImageBitmap(new Blob([bytes]), settings);

  async function decode(data) {
    const parts = split(data instanceof Blob ? await data.arrayBuffer() : data);
    if (!parts) throw new TypeError("This is no JPNG.");
    const asStored = { colorSpaceConversion: "none" };
    const [photo, mask] = await Promise.all([opened(parts.photo), opened(parts.mask, asStored)]);
    const { width, height } = photo;
    const colour = surface(width, height, { alpha: false });
    colour.drawImage(photo, 0, 0);
    const result = colour.getImageData(0, 0, width, height);
    const grey = surface(width, height, { alpha: false });
    const turned = orientation(parts.photo);
    if (turns[turned]) grey.setTransform(...turns[turned](width, height));
    grey.drawImage(mask, 0, 0, ...(turned > 4 ? [height, width] : [width, height]));
    const alpha = grey.getImageData(0, 0, width, height).data;
    const pixels = result.data;
    for (let index = 0; index < pixels.length; index += 4) pixels[index + 3] = alpha[index];
    photo.close();
    mask.close();
    return result;
  }

  // A service worker has no pages.
  if (typeof document === "undefined") {
    globalThis.JPNG = Object.freeze({ isJPNG, split, decode });
    return;
  }

  // Pages

  const isMediaType = (type) => /^image\/(x-)?jpng\b/i.test(type ?? "");

  // Whether an image is marked as a JPNG by its address or attribute.
  function isNamed(image, url) {
    if (image.hasAttribute("data-jpng")) return true;
    return /\.jpng$/i.test(url.pathname) || url.searchParams.get("format") === "jpng";
  }

  // Whether it may have been sent as a JPNG. Browsers report no type for media types they don't know: reason enough to
  // fetch it again, from the cache.
  function isOfUnknownType(url) {
    const entry = performance.getEntriesByName(url.href, "resource").at(-1);
    return entry?.contentType === "" && entry.responseStatus === 200;
  }

  const running = new WeakMap(); // image: the address that is being read for it
  const shown = new WeakMap(); // image: the address of the joined picture
  const gone = new FinalizationRegistry((blob) => URL.revokeObjectURL(blob));

  // Release the decoded picture when the element shows another.
  function forget(image) {
    const blob = shown.get(image);
    if (!blob || (image.currentSrc || image.src) === blob) return;
    shown.delete(image);
    gone.unregister(image);
    URL.revokeObjectURL(blob);
  }

  async function apply(image) {
    const address = image.currentSrc || image.src;
    if (!address || /^(blob|data):/i.test(address) || running.get(image) === address) return false;
    const url = new URL(address, document.baseURI);
    const named = isNamed(image, url);
    if (!named && !isOfUnknownType(url)) return false;
    running.set(image, address);
    try {
      const response = await fetch(address, { cache: "force-cache" });
      if (!response.ok || !(named || isMediaType(response.headers.get("Content-Type")))) return false;
      const bytes = await response.arrayBuffer();
      if (!isJPNG(bytes)) return false;
      const pixels = await decode(bytes);
      const context = surface(pixels.width, pixels.height);
      context.putImageData(pixels, 0, 0);
      const blob = await context.canvas.convertToBlob({ type: "image/png" });
      // The element may show another picture by now.
      if ((image.currentSrc || image.src) !== address) return false;
      show(image, address, URL.createObjectURL(blob), pixels.width);
      return true;
    } catch {
      return false; // Of another site, or damaged: the opaque JPEG stays.
    } finally {
      if (running.get(image) === address) running.delete(image);
    }
  }

  function show(image, address, blob, width) {
    const density = image.naturalWidth > 0 ? width / image.naturalWidth : 1;
    const picture = image.parentElement instanceof HTMLPictureElement ? image.parentElement : null;
    image.dataset.jpngSrc = address;
    shown.set(image, blob);
    gone.register(image, blob, image);
    if (picture) {
      const source = document.createElement("source");
      source.srcset = `${blob} ${density}x`;
      picture.prepend(source);
    } else if (image.srcset) {
      image.srcset = `${blob} ${density}x`;
    } else {
      image.src = blob;
    }
  }

  // Check images when they load, and those that fail: they may be JPNGs sent with their own media type.
  const look = (event) => {
    if (!(event.target instanceof HTMLImageElement)) return;
    const image = event.target;
    const original = image.dataset.jpngSrc;
    forget(image);
    // A cloned <img>, whose object URL belongs to the original.
    if (event.type === "error" && original && image.src.startsWith("blob:")) {
      delete image.dataset.jpngSrc;
      image.src = original;
      return;
    }
    apply(image);
  };
  document.addEventListener("load", look, true);
  document.addEventListener("error", look, true);
  const lookAtAll = () => {
    for (const image of document.images) if (image.complete) apply(image);
  };
  lookAtAll();
  document.addEventListener("DOMContentLoaded", lookAtAll);

  globalThis.JPNG = Object.freeze({ isJPNG, split, decode, apply });
})();
