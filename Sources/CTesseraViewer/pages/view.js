// The zoom view: one picture fills the window, with links to its neighbours.

import {
  announce, api, base, bytes, copyFrom, date, debounce, encode, formatName, identifierOf, isTyping, make, megapixels,
} from "./common.js";

const find = (selector) => document.querySelector(selector);
const image = find("#image");
const panel = find("#panel");
const brightDisplay = matchMedia("(dynamic-range: high)");
const context = new URLSearchParams(location.search);
const pageSize = 500;

let identifier = identifierOf(location.pathname, "/view/");
let neighbours = null; // identifiers of the folder's pictures, in the gallery's order
let request = null; // AbortController
let hasGainMap = false; // of the picture shown
let isBright = true; // the reader's wish, for pictures with a gain map

const folderOf = (id) => id.split("/").slice(0, -1).join("/");
const nameOf = (id) => id.split("/").at(-1);
const listing = {
  folder: context.get("search") ? (context.get("folder") ?? "") : folderOf(identifier),
  search: context.get("search") ?? "",
  sort: context.get("sort") ?? "name",
  order: context.get("order") ?? "asc",
};

const addressOf = (id) => `${base}/view/${encode(id)}${location.search}`;

function galleryAddress() {
  const query = new URLSearchParams();
  if (listing.folder) query.set("folder", listing.folder);
  if (listing.search) query.set("search", listing.search);
  if (listing.sort !== "name") query.set("sort", listing.sort);
  if (listing.order !== "asc") query.set("order", listing.order);
  const text = query.toString().replaceAll("%2F", "/");
  return text ? `${base}/?${text}` : `${base}/`;
}

// The position in the URL's fragment

function applyFragment() {
  const values = location.hash.slice(1).split(",").map(Number);
  const isView = values.length >= 3 && values.slice(0, 3).every(Number.isFinite);
  if (isView) image.setAttribute("view", values.join(","));
  else image.removeAttribute("view");
  return isView;
}

const writeFragment = debounce((view) => {
  const digits = view.zoom > 2 ? 1 : 0;
  const isPlain = view.isHome && view.rotation === 0;
  const values = [view.x.toFixed(digits), view.y.toFixed(digits), Number(view.zoom.toPrecision(4)), view.rotation];
  const text = isPlain ? "" : `#${values.join()}`;
  if (text !== location.hash) history.replaceState(history.state, "", location.pathname + location.search + text);
}, 200);

image.addEventListener("view-change", ({ detail }) => writeFragment(detail));
addEventListener("hashchange", () => {
  if (!applyFragment()) image.fit();
});

// Showing a picture

function show() {
  const name = nameOf(identifier);
  document.title = `${name} · Tessera`;
  find("#name").textContent = name;
  find("#effects").href = `${base}/effects/${encode(identifier)}`;
  const back = find("#back");
  back.href = galleryAddress();
  const backName = listing.search ? `“${listing.search}”` : nameOf(listing.folder) || "Pictures";
  back.querySelector("span").textContent = backName;
  back.setAttribute("aria-label", `Back to ${backName}`);
  writeFragment.cancel();
  applyFragment();
  image.alt = name;
  hasGainMap = false;
  showRange();
  image.src = `${base}/iiif/3/${encode(identifier)}/info.json`;
  find("#embed").textContent = [
    `<script type="module" src="${location.origin}${base}/assets/tessera-image.js"></script>`,
    `<tessera-image src="${location.origin}${base}/iiif/3/${encode(identifier)}/info.json" alt=""></tessera-image>`,
  ].join("\n");
  showNeighbours();
  describe();
}

async function describe() {
  request?.abort();
  const controller = new AbortController();
  request = controller;
  const facts = find("#facts");
  facts.replaceChildren();
  find("#ways").replaceChildren();
  let picture;
  try {
    picture = await api(`${base}/api/picture/${encode(identifier)}`, { signal: controller.signal });
  } catch (error) {
    if (error.name !== "AbortError") facts.append(make("dd", {}, error.message));
    return;
  }
  if (controller.signal.aborted) return;
  const id = encode(picture.id);
  const fact = (name, value) => value && facts.append(make("dt", {}, name), make("dd", {}, value));
  fact("Name", picture.name);
  fact("Folder", folderOf(picture.id) || null);
  fact("Size", `${picture.width.toLocaleString()} × ${picture.height.toLocaleString()}`);
  fact("", megapixels(picture.width, picture.height));
  fact(
    "Format",
    [formatName(picture.format), picture.animated && "animated", picture.hasAlpha && "with transparency"]
      .filter(Boolean)
      .join(", "),
  );
  hasGainMap = picture.gainMap !== undefined;
  showRange();
  fact("Dynamic range", dynamicRange(picture));
  fact("File", bytes(picture.bytes));
  fact("Date", date(picture.modified, "long"));
  if (picture.jpng?.pngBytes) fact("As PNG", bytes(picture.jpng.pngBytes));
  const way = (name, address, note) => {
    find("#ways").append(make("li", {}, make("a", { href: address }, name, make("span", {}, note))));
  };
  way("Original file", `${base}/original/${id}`, bytes(picture.bytes));
  way("Effects", `${base}/effects/${id}`, "by address");
  if (picture.jpng) way("JPNG, taken apart", `${base}/jpng/${id}`, "photo and mask");
  way("IIIF Image API 3", `${base}/iiif/3/${id}/info.json`, "info.json");
  way("IIIF Image API 2", `${base}/iiif/2/${id}/info.json`, "info.json");
  way("Deep Zoom", `${base}/dzi/${id}.dzi`, "dzi");
}

// High dynamic range

function dynamicRange({ gainMap, highDynamicRange }) {
  if (!gainMap) return highDynamicRange && `${highDynamicRange}, shown in standard range`;
  const headroom = 2 ** Math.max(gainMap.baseHeadroom, gainMap.alternateHeadroom);
  const size = `${gainMap.width.toLocaleString()} × ${gainMap.height.toLocaleString()}`;
  const text = `up to ${Number(headroom.toPrecision(2))} times white, by a gain map of ${size}`;
  return brightDisplay.matches ? text : `${text}; this display shows standard range`;
}

// Shows the switch where the picture and the display have a high range. Without `dynamic-range-limit` the canvas below the
// bright tiles is the standard range.
function showRange() {
  const hasLimit = CSS.supports("dynamic-range-limit", "standard");
  const button = find("#range");
  button.hidden = !hasGainMap || !brightDisplay.matches;
  button.setAttribute("aria-pressed", String(isBright));
  image.style.setProperty("dynamic-range-limit", isBright ? "no-limit" : "standard");
  if (hasGainMap && (isBright || hasLimit)) image.setAttribute("dynamic-range", "high");
  else image.removeAttribute("dynamic-range");
}

find("#range").addEventListener("click", () => {
  isBright = !isBright;
  showRange();
  announce(isBright ? "High dynamic range" : "Standard range");
});
brightDisplay.addEventListener("change", showRange);

// Neighbouring pictures

async function findNeighbours() {
  const found = [];
  for (let offset = 0; ; offset = found.length) {
    const query = new URLSearchParams({ ...listing, offset, limit: pageSize });
    const answer = await api(`${base}/api/pictures?${query}`);
    found.push(...answer.pictures.map((picture) => picture.id));
    neighbours = found;
    if (found.includes(identifier)) showNeighbours();
    if (answer.pictures.length === 0 || found.length >= answer.total) return;
  }
}

function beside(step) {
  const index = neighbours?.indexOf(identifier) ?? -1;
  return index < 0 ? undefined : neighbours[index + step];
}

function showNeighbours() {
  const index = neighbours?.indexOf(identifier) ?? -1;
  const place = () => `${(index + 1).toLocaleString()} of ${neighbours.length.toLocaleString()}`;
  find("#position").textContent = index < 0 ? "" : place();
  for (const [selector, step, label] of [["#previous", -1, "Previous picture"], ["#next", 1, "Next picture"]]) {
    const link = find(selector);
    const id = beside(step);
    link.hidden = id === undefined;
    if (id === undefined) continue;
    link.href = addressOf(id);
    link.querySelector(".unseen").textContent = `${label}: ${nameOf(id)}`;
    link.title = label;
  }
}

function turnTo(step) {
  const id = beside(step);
  if (id === undefined) return announce(step > 0 ? "This is the last picture" : "This is the first picture");
  identifier = id;
  history.pushState(null, "", addressOf(id));
  show();
  const index = neighbours.indexOf(id);
  announce(`${nameOf(id)}, ${index + 1} of ${neighbours.length}`);
}

// Prefetches the next picture.
image.addEventListener("settle", () => {
  for (const step of [1, -1]) {
    const id = beside(step);
    if (id !== undefined && !warmed.has(id)) {
      warmed.add(id);
      fetch(`${base}/iiif/3/${encode(id)}/info.json`, { priority: "low" }).catch(() => {});
    }
  }
});
const warmed = new Set();

addEventListener("popstate", () => {
  const id = identifierOf(location.pathname, "/view/");
  if (id === identifier) return;
  identifier = id;
  show();
});

for (const [selector, step] of [["#previous", -1], ["#next", 1]]) {
  find(selector).addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    turnTo(step);
    if (find(selector).hidden) image.focus();
  });
}
image.addEventListener("swipe", ({ detail }) => turnTo(detail.direction === "next" ? 1 : -1));

// The panel

function togglePanel(isShown = panel.hidden) {
  panel.hidden = !isShown;
  find("#info").setAttribute("aria-expanded", String(isShown));
  if (isShown) find("#panel-title").focus({ preventScroll: true });
  else find("#info").focus({ preventScroll: true });
}
find("#info").addEventListener("click", () => togglePanel());
find("#close").addEventListener("click", () => togglePanel(false));
find("#copy-embed").addEventListener("click", (event) => copyFrom(event.currentTarget, find("#embed").textContent));

find("#share").addEventListener("click", async (event) => {
  const button = event.currentTarget;
  if (navigator.share && matchMedia("(pointer: coarse)").matches) {
    try {
      await navigator.share({ title: nameOf(identifier), url: location.href });
      return;
    } catch (error) {
      if (error.name === "AbortError") return;
    }
  }
  copyFrom(button, location.href);
});

// Keys

image.additionalKeys = [
  [["←", "→"], "Previous, next picture, when all of this one is shown"],
  [["P", "N"], "Previous, next picture, always"],
  [["I"], "Details"],
  [["Esc"], "Back to the folder"],
];

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || isTyping(event)) return;
  const isOnControl = event.target.closest?.("a, button, pre, .panel");
  if (!event.composedPath().includes(image) && !isOnControl && image.handleKey(event)) return;
  const actions = {
    ArrowLeft: () => turnTo(-1),
    ArrowRight: () => turnTo(1),
    PageUp: () => turnTo(-1),
    PageDown: () => turnTo(1),
    p: () => turnTo(-1),
    n: () => turnTo(1),
    i: () => togglePanel(),
    Escape: () => {
      if (!panel.hidden) togglePanel(false);
      else if (!document.fullscreenElement) location.href = galleryAddress();
    },
  };
  const action = actions[event.key];
  if (!action || (isOnControl?.closest(".panel") && event.key !== "Escape")) return;
  event.preventDefault();
  action();
});

show();
findNeighbours().catch(() => {});
