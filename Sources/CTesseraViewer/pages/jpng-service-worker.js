// JPNG in all pages of a folder, by one line in one of them:
//
//   <script>navigator.serviceWorker?.register("jpng-service-worker.js");</script>
//
// From the next loading on, <img src="cutout.jpng">, CSS backgrounds and everything else that shows pictures get JPNGs as PNGs
// with their transparency. jpng.js must be beside this file. Pictures of other sites stay opaque unless those allow reading
// (CORS), and so do damaged ones.

importScripts("jpng.js");

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || request.destination !== "image") return;
  const url = new URL(request.url);
  if (/\.jpng$/i.test(url.pathname) || url.searchParams.get("format") === "jpng") event.respondWith(answer(request));
});

async function answer(request) {
  const isOther = new URL(request.url).origin !== self.location.origin;
  let response;
  try {
    // The request of an <img> may be answered by what a page can't read.
    response = await (isOther ? fetch(request.url, { mode: "cors", credentials: "omit" }) : fetch(request));
  } catch {
    return fetch(request);
  }
  if (!response.ok) return response;
  try {
    const bytes = await response.clone().arrayBuffer();
    if (!self.JPNG.isJPNG(bytes)) return response;
    const pixels = await self.JPNG.decode(bytes);
    const canvas = new OffscreenCanvas(pixels.width, pixels.height);
    canvas.getContext("2d").putImageData(pixels, 0, 0);
    const headers = new Headers({ "Content-Type": "image/png" });
    for (const name of ["Cache-Control", "ETag", "Expires", "Last-Modified"]) {
      if (response.headers.has(name)) headers.set(name, response.headers.get(name));
    }
    return new Response(await canvas.convertToBlob({ type: "image/png" }), { headers });
  } catch {
    return response;
  }
}
