// The JPNG page: a picture as PNG and as JPNG, the JPNG's parts, and conversion of your own in the browser.

import { api, base, bytes, copyFrom, encode, identifierOf, make, showLoading, thumbnail } from "./common.js";
import { reason } from "./failures.js";
import { makeJPNG } from "./jpng-writer.js";

const find = (selector) => document.querySelector(selector);
const addresses = []; // of blobs, taken back with the next picture

function addressOf(blob) {
  const address = URL.createObjectURL(blob);
  addresses.push(address);
  return address;
}

// Shows a JPNG's size beside the PNG's, and its parts.
async function show({ name, file, png, pngBytes }) {
  addresses.splice(0).forEach((address) => URL.revokeObjectURL(address));
  const content = await file.arrayBuffer();
  const parts = JPNG.split(content);
  if (!parts) throw new Error(`${name} is no JPNG.`);
  const pixels = await JPNG.decode(content);
  const canvas = new OffscreenCanvas(pixels.width, pixels.height);
  canvas.getContext("2d").putImageData(pixels, 0, 0);
  const joined = addressOf(await canvas.convertToBlob());
  find("#nothing").hidden = true;
  for (const section of document.querySelectorAll("[data-compared]")) section.hidden = false;
  const set = (selector, address, text) => {
    const image = find(selector);
    image.src = address;
    image.width = pixels.width;
    image.height = pixels.height;
    if (text) image.alt = text;
    image.parentElement.classList.toggle("drawn", pixels.width < 200);
  };
  set("#png", png ?? joined, `${name} as PNG`);
  set("#jpng", joined, `${name} as JPNG`);
  set("#joined", joined);
  set("#photo", addressOf(new Blob([parts.photo], { type: "image/jpeg" })));
  set("#mask", addressOf(new Blob([parts.mask], { type: parts.mask[0] === 0x89 ? "image/png" : "image/jpeg" })));
  find("#jpng-size").textContent = bytes(content.byteLength);
  find("#photo-size").textContent = bytes(parts.photo.length);
  find("#mask-size").textContent = bytes(parts.mask.length);
  find("#picture-size").textContent = `${pixels.width.toLocaleString()} × ${pixels.height.toLocaleString()}`;
  find("#anatomy").setAttribute(
    "aria-label",
    `The file: ${bytes(parts.photo.length)} of photo, ${bytes(parts.mask.length)} of mask, 16 bytes that tell them apart`,
  );
  const share = (selector, part) => find(selector).style.setProperty("--part", part);
  share(".anatomy .photo", parts.photo.length);
  share(".anatomy .mask", parts.mask.length);
  share(".anatomy .trailer", 16);
  compare(content.byteLength, pngBytes);
}

function compare(jpngBytes, pngBytes) {
  const most = Math.max(jpngBytes, pngBytes ?? 0);
  find("#jpng-bar").style.setProperty("--part", `${(jpngBytes / most) * 100}%`);
  find("#png-bar").style.setProperty("--part", pngBytes ? `${(pngBytes / most) * 100}%` : "0%");
  find("#png-size").textContent = pngBytes ? bytes(pngBytes) : "";
  const factor = pngBytes / jpngBytes;
  let text = "";
  const shown = factor >= 10 ? Math.round(factor) : Number(factor.toFixed(1));
  if (factor >= 1.05) text = `${shown} times smaller than the PNG`;
  else if (factor > 0.95) text = "As large as the PNG";
  else if (pngBytes) text = "Larger than the PNG: JPNG is for photographs, not for icons";
  find("#verdict").textContent = text;
}

async function fetched(path) {
  const response = await fetch(path);
  if (response.ok) return response.blob();
  const text = await reason(response);
  throw new Error(text ?? `The server answered with status ${response.status}.`);
}

// One of the server's pictures: a JPNG as it is, anything else converted to one.
let shownId = "";

async function showPicture(identifier) {
  const loaded = showLoading(find("#loading"));
  try {
    await loadPicture(identifier);
  } finally {
    loaded();
  }
}

async function loadPicture(identifier) {
  const picture = await api(`${base}/api/picture/${encode(identifier)}`);
  shownId = picture.id;
  const id = encode(picture.id);
  document.title = `${picture.name} · JPNG · Tessera`;
  const limit = Math.min(picture.width, 1600);
  if (picture.jpng) {
    await show({ name: picture.name, file: await fetched(`${base}/original/${id}`) });
    // The PNG is much larger and takes longer to load.
    find("#verdict").textContent = "The PNG is still on its way";
    const png = await fetched(`${base}/image/${id}?format=png`);
    if (shownId !== picture.id) return;
    find("#png").src = addressOf(png);
    compare(picture.bytes, png.size);
  } else {
    const sized = `${base}/image/${id}?w=${limit}`;
    const [file, png] = await Promise.all([fetched(`${sized}&format=jpng`), fetched(`${sized}&format=png`)]);
    await show({ name: picture.name, file, png: addressOf(png), pngBytes: png.size });
  }
  showSnippet(picture.jpng ? `${location.origin}${base}/original/${id}` : "cutout.jpng");
  for (const link of document.querySelectorAll(".picker a")) {
    if (link.dataset.id === picture.id) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

// With nothing to compare, show instructions instead of empty frames.
function showNothing(title, text) {
  find("#nothing-title").textContent = title;
  find("#nothing-text").textContent = text;
  find("#nothing").hidden = false;
  for (const section of document.querySelectorAll("[data-compared]")) section.hidden = true;
}

function complain(error) {
  if (find("#jpng").src) find("#verdict").textContent = error.message;
  else showNothing("This can’t be shown", error.message);
}

// Your own picture

let own = null; // {name, bitmap, size}

async function open(file) {
  find("#own-message").textContent = "";
  find("#save").hidden = true;
  own = null;
  shownId = "";
  try {
    const tail = await file.slice(-16).arrayBuffer();
    if (JPNG.isJPNG(tail)) {
      const content = await file.arrayBuffer();
      const pixels = await JPNG.decode(content);
      const canvas = new OffscreenCanvas(pixels.width, pixels.height);
      canvas.getContext("2d").putImageData(pixels, 0, 0);
      const png = await canvas.convertToBlob();
      await show({ name: file.name, file, pngBytes: png.size });
      find("#own-message").textContent = `${file.name} is shown above. The PNG beside it is this browser’s.`;
    } else {
      own = { name: file.name, bitmap: await createImageBitmap(file), size: file.size, file };
      await convert();
    }
    find("#compare").scrollIntoView({ behavior: "smooth", block: "start" });
  } catch (error) {
    const isUnreadable = error instanceof DOMException;
    const text = isUnreadable ? `${file.name} is no picture that this browser can read.` : error.message;
    find("#own-message").textContent = text;
  }
}

async function convert() {
  if (!own) return;
  const { name, bitmap, size, file } = own;
  const result = await makeJPNG(bitmap, bitmap.width, bitmap.height, Number(find("#quality").value));
  const png = addressOf(file);
  addresses.pop();
  await show({ name, file: result, png, pngBytes: size });
  addresses.push(png);
  const save = find("#save");
  save.href = addressOf(result);
  save.download = `${name.replace(/\.[^.]*$/, "")}.jpng`;
  save.hidden = false;
  find("#own-message").textContent = `${name} is shown above: ${bytes(result.size)} instead of ${bytes(size)}.`;
}

find("#file").addEventListener("change", (event) => event.target.files[0] && open(event.target.files[0]));
const drop = find("#drop");
addEventListener("dragover", (event) => {
  event.preventDefault();
  drop.classList.add("over");
});
addEventListener("dragleave", (event) => event.relatedTarget === null && drop.classList.remove("over"));
addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  if (event.dataTransfer.files[0]) open(event.dataTransfer.files[0]);
});
find("#quality").addEventListener("input", (event) => (find("#quality-value").textContent = event.target.value));
find("#quality").addEventListener("change", convert);

find("#grounds").addEventListener("change", (event) => {
  for (const place of document.querySelectorAll("[data-ground]")) place.dataset.ground = event.target.value;
});
find("#copy").addEventListener("click", (event) => copyFrom(event.currentTarget, find("#snippet").textContent));

// The page

async function begin() {
  const wanted = identifierOf(location.pathname, "/jpng/");
  const loaded = showLoading(find("#loading"));
  let answer;
  try {
    answer = await api(`${base}/api/pictures?${new URLSearchParams({ search: ".jpng", limit: 40 })}`);
  } catch (error) {
    if (!wanted) throw error;
    answer = { pictures: [] };
  } finally {
    loaded();
  }
  const found = answer.pictures.filter((picture) => picture.format === "jpng");
  if (found.length > 0) {
    find("#picker").replaceChildren(
      ...found.map((picture) =>
        make(
          "a", { href: `${base}/jpng/${encode(picture.id)}`, "data-id": picture.id, title: picture.name },
          make("img", { src: thumbnail(picture.id, 80, 80, 2), alt: "", width: 80, height: 80, loading: "lazy" }),
          make("span", {}, picture.name),
        ),
      ),
    );
    find("#picker").hidden = false;
  }
  const first = wanted || found.find((picture) => /fruit/i.test(picture.name))?.id || found[0]?.id;
  if (first) await showPicture(first);
  else showNothing("There is no JPNG here yet", "Make one of a picture with transparency, and compare both.");
}

find("#picker").addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState(null, "", link.href);
  showPicture(link.dataset.id).catch(complain);
});
addEventListener("popstate", () => {
  const wanted = identifierOf(location.pathname, "/jpng/");
  if (wanted) showPicture(wanted).catch(complain);
  else begin().catch(complain);
});

function showSnippet(address) {
  const script = `<script src="${location.origin}${base}/assets/jpng.js"></script>`;
  find("#snippet").textContent = `${script}\n<img src="${address}" alt="">`;
}

showSnippet("cutout.jpng");
begin().catch(complain);
