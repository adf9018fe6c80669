// The gallery: folders and pictures with endless scrolling. Its state is kept in the address.

import {
  api, base, bytes, date, debounce, encode, formatName, isJPEG, isTyping, loadImage, make, plural, showLoading, svg,
  thumbnail,
} from "./common.js";

const pageSize = 60;
const width = 320; // of a thumbnail, in CSS pixels
const height = 240;
const folderIcon =
  "M2.5 5.5A1.5 1.5 0 0 1 4 4h3.5l2 2H16a1.5 1.5 0 0 1 1.5 1.5v7A1.5 1.5 0 0 1 16 16H4a1.5 1.5 0 0 1-1.5-1.5z";
// Drawings and transparent pictures are shown whole, on a mat; all others fill their card.
const drawings = new Set(["svg", "ico", "cur", "xbm"]);
const opaque = new Set(["jpg", "jpeg", "bmp"]);

const find = (selector) => document.querySelector(selector);
const folders = find("#folders");
const pictures = find("#pictures");
const search = find("#search");
const sort = find("#sort");
const order = find("#order");
const message = find("#message");
const end = find("#end");

let state = stateFromAddress();
let shown = 0;
let total = 0;
let loading = null; // AbortController of the running request

function stateFromAddress() {
  const query = new URLSearchParams(location.search);
  const wanted = query.get("sort");
  return {
    folder: query.get("folder") ?? "",
    search: query.get("search") ?? "",
    sort: ["name", "date", "size"].includes(wanted) ? wanted : "name",
    order: query.get("order") === "desc" ? "desc" : "asc",
  };
}

// The state as a query string, without default values.
function query(values) {
  const result = new URLSearchParams();
  if (values.folder) result.set("folder", values.folder);
  if (values.search) result.set("search", values.search);
  if (values.sort !== "name") result.set("sort", values.sort);
  if (values.order !== "asc") result.set("order", values.order);
  const text = result.toString().replaceAll("%2F", "/");
  return text ? `?${text}` : "";
}

const addressOf = (values) => `${base}/${query(values)}`;

function go(changes, { replacing = false } = {}) {
  const next = { ...state, ...changes };
  if (addressOf(next) === addressOf(state)) return;
  remember();
  state = next;
  history[replacing ? "replaceState" : "pushState"](null, "", addressOf(state));
  show();
}

// The scroll position, for the back button.
function remember() {
  history.replaceState({ count: shown, scroll: scrollY, focus: document.activeElement?.dataset?.id }, "");
}

// Showing

async function show(memory = null) {
  search.value = state.search;
  sort.value = state.sort;
  order.setAttribute("aria-pressed", String(state.order === "desc"));
  const name = state.folder.split("/").at(-1);
  find("#title").textContent = state.search ? `“${state.search}”` : name || "Pictures";
  document.title = `${state.search || name || "Pictures"} · Tessera`;
  showCrumbs();
  loading?.abort();
  loading = null;
  shown = total = 0;
  thumbnails.disconnect();
  const count = Math.min(1000, Math.max(pageSize, memory?.count ?? 0));
  await load(count, true, memory);
}

function showCrumbs() {
  const parts = state.folder ? state.folder.split("/") : [];
  const crumbs = [crumb("", "Pictures")];
  parts.forEach((part, index) => crumbs.push(crumb(parts.slice(0, index + 1).join("/"), part)));
  if (!state.search) crumbs.pop();
  find("#crumbs").replaceChildren(...crumbs);
  find(".crumbs").hidden = crumbs.length === 0;
}

function crumb(folder, name) {
  const values = { ...state, folder, search: "" };
  return make("li", {}, make("a", { href: addressOf(values), "data-folder": folder }, name));
}

async function load(count, isFresh, memory) {
  const controller = new AbortController();
  loading = controller;
  pictures.setAttribute("aria-busy", "true");
  const loaded = showLoading(find("#loading"));
  const values = new URLSearchParams({ ...state, offset: isFresh ? 0 : shown, limit: count });
  try {
    const answer = await api(`${base}/api/pictures?${values}`, { signal: controller.signal });
    if (controller.signal.aborted) return;
    const added = answer.pictures.map(pictureCard);
    if (isFresh) {
      folders.replaceChildren(...answer.folders.map(folderCard));
      pictures.replaceChildren(...added);
      if (!memory) scrollTo(0, 0);
      folders.hidden = answer.folders.length === 0;
    } else {
      pictures.append(...added);
    }
    shown = pictures.childElementCount;
    total = Math.max(answer.total, shown);
    if (answer.pictures.length === 0) total = shown;
    for (const frame of document.querySelectorAll(".frame:not([data-seen])")) {
      frame.dataset.seen = "";
      thumbnails.observe(frame);
    }
    describe(answer.folders.length);
    setTabStop();
    if (memory) {
      scrollTo(0, memory.scroll ?? 0);
      const card = memory.focus && cards().find((other) => other.dataset.id === memory.focus);
      if (card) focusCard(card, { preventScroll: true });
    }
    focusFirst();
  } catch (error) {
    if (error.name === "AbortError") return;
    if (isFresh) {
      folders.replaceChildren();
      pictures.replaceChildren();
      find("#count").textContent = "";
    }
    showMessage(
      "This didn’t work",
      error.message,
      make(
        "button",
        { class: "button primary", type: "button", onclick: () => (shown ? load(pageSize, false) : show()) },
        "Try again",
      ),
    );
    end.textContent = "";
    return;
  } finally {
    loaded();
    if (loading === controller) loading = null;
    pictures.removeAttribute("aria-busy");
  }
  // The end of the list may still be visible.
  more.unobserve(end);
  more.observe(end);
}

function describe(folderCount) {
  const texts = [];
  if (folderCount > 0) texts.push(plural(folderCount, "folder", "folders"));
  if (total > 0 || folderCount === 0) texts.push(plural(total, "picture", "pictures"));
  find("#count").textContent = texts.join(", ");
  end.textContent = shown < total ? `${shown.toLocaleString()} of ${total.toLocaleString()}` : "";
  message.hidden = true;
  if (total === 0 && folderCount === 0) {
    if (state.search) {
      showMessage(
        "Nothing is called that",
        "No picture in this folder or below it has this in its name.",
        make("button", { class: "button", type: "button", onclick: () => go({ search: "" }) }, "Clear the search"),
      );
    } else {
      showMessage("No pictures here", "Put some into this folder, and they appear.");
    }
  }
}

function showMessage(title, text, ...others) {
  message.replaceChildren(make("h2", {}, title), make("p", {}, text), ...others);
  message.hidden = false;
}

// Cards

function pictureCard(picture) {
  const context = query({ ...state, folder: state.search ? state.folder : "" });
  const frame = make("span", { class: "frame" });
  frame.picture = picture;
  if (picture.format && !isJPEG(picture)) frame.append(make("span", { class: "badge" }, formatName(picture.format)));
  return make(
    "li", {},
    make(
      "a", {
        class: "card",
        href: `${base}/view/${encode(picture.id)}${context}`,
        "data-id": picture.id,
        tabindex: "-1",
        title: picture.name,
      },
      frame,
      make(
        "span",
        { class: "caption" },
        make("b", {}, picture.name),
        make("span", {}, bytes(picture.bytes)),
        make("span", {}, picture.modified ? ` · ${date(picture.modified)}` : ""),
      ),
    ),
  );
}

function folderCard(folder) {
  const frame = make("span", { class: "frame mosaic" }, make("i"), make("i"), make("i"), svg(folderIcon));
  frame.folder = folder;
  return make(
    "li", {},
    make(
      "a", {
        class: "card",
        href: addressOf({ ...state, folder: folder.path, search: "" }),
        "data-id": `${folder.path}/`,
        "data-folder": folder.path,
        tabindex: "-1",
      },
      frame,
      make("span", { class: "caption" }, make("b", {}, folder.name)),
    ),
  );
}

// Thumbnails load when about to scroll into view; requests for those that have left are aborted.

const thumbnails = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (target.folder) {
        if (isIntersecting) showMosaic(target);
      } else if (isIntersecting) {
        showThumbnail(target, target.picture, width, height);
      } else {
        dropThumbnail(target);
      }
    }
  },
  { rootMargin: "300px 0px" },
);

async function showThumbnail(frame, picture, w, h) {
  if (frame.loader) return;
  const loader = new AbortController();
  frame.loader = loader;
  frame.classList.add("loading");
  try {
    const { blob, isWhole } = await loadThumbnail(picture, w, h, loader.signal);
    const image = make("img", { alt: "", decoding: "async", width: w, height: h });
    image.src = URL.createObjectURL(blob);
    try {
      await image.decode();
    } finally {
      URL.revokeObjectURL(image.src);
    }
    if (loader.signal.aborted) return;
    frame.classList.toggle("cutout", isWhole);
    frame.prepend(image);
    // Start the fade only now that the picture is ready.
    requestAnimationFrame(() => frame.classList.add("shown"));
  } catch (error) {
    if (loader.signal.aborted) return;
    frame.classList.add("broken");
    const text = error.status === undefined ? "This browser can’t read it." : error.message;
    if (frame.picture) frame.append(make("span", { class: "why" }, make("b", {}, "Can’t be shown"), text));
  } finally {
    if (!loader.signal.aborted) {
      frame.classList.remove("loading");
      if (frame.picture) thumbnails.unobserve(frame);
    }
  }
}

// Fetches a thumbnail, and decides whether it is shown whole.
async function loadThumbnail(picture, w, h, signal) {
  const ratio = devicePixelRatio > 1 ? 2 : 1;
  const load = (mode) => loadImage(thumbnail(picture.id, w, h, ratio, mode), { signal });
  if (opaque.has(picture.format)) return { blob: await load("fill"), isWhole: false };
  const blob = await load("fit");
  if (drawings.has(picture.format)) return { blob, isWhole: true };
  const bitmap = await createImageBitmap(blob);
  const isWhole = blob.type !== "image/jpeg" && isTransparent(bitmap);
  // A narrow strip would have to be enlarged to fill its card.
  const isStrip = Math.max((w * ratio) / bitmap.width, (h * ratio) / bitmap.height) > 1.5;
  bitmap.close();
  return !isWhole && isStrip ? { blob: await load("fill"), isWhole } : { blob, isWhole };
}

// Whether any pixel is transparent, checked on a small copy.
function isTransparent(bitmap) {
  const side = 48;
  const context = new OffscreenCanvas(side, side).getContext("2d", { willReadFrequently: true });
  context.drawImage(bitmap, 0, 0, side, side);
  const { data } = context.getImageData(0, 0, side, side);
  for (let index = 3; index < data.length; index += 4) if (data[index] < 250) return true;
  return false;
}

function dropThumbnail(frame) {
  if (!frame.classList.contains("loading")) return;
  frame.loader.abort();
  frame.loader = null;
  frame.classList.remove("loading");
}

async function showMosaic(frame) {
  thumbnails.unobserve(frame);
  try {
    const values = new URLSearchParams({ folder: frame.folder.path, limit: 3 });
    const answer = await api(`${base}/api/pictures?${values}`);
    const parts = [...frame.querySelectorAll("i")];
    if (answer.pictures.length < 3) frame.classList.add("empty");
    answer.pictures.slice(0, answer.pictures.length < 3 ? 1 : 3).forEach((picture, index) => {
      showThumbnail(parts[index], picture, index === 0 ? width : width / 2, index === 0 ? height : height / 2);
    });
    const counts = [];
    if (answer.folders.length > 0) counts.push(plural(answer.folders.length, "folder", "folders"));
    if (answer.total > 0) counts.push(plural(answer.total, "picture", "pictures"));
    frame.nextElementSibling.append(make("span", {}, counts.join(", ") || "Empty"));
  } catch {
    frame.classList.add("empty");
  }
}

// Loads more pictures before the end is reached.

const more = new IntersectionObserver(
  (entries) => {
    if (entries.some((entry) => entry.isIntersecting) && !loading && shown > 0 && shown < total) load(pageSize, false);
  },
  { rootMargin: "900px 0px" },
);

// Keyboard: one card is a tab stop; the arrow keys move between cards.

const cards = () => [...document.querySelectorAll(".card")];

function setTabStop(card) {
  const all = cards();
  if (!card && all.some((other) => other.tabIndex === 0)) return;
  for (const other of all) other.tabIndex = -1;
  const stop = card ?? all[0];
  if (stop) stop.tabIndex = 0;
}

function focusCard(card, options) {
  setTabStop(card);
  card.focus({ focusVisible: true, ...options });
}

// From the search field to the first card, once it is there.
let wantsFocus = false;

function focusFirst() {
  const first = wantsFocus && cards()[0];
  wantsFocus = false;
  if (first) focusCard(first);
}

// The card above or below: the nearest column of the nearest row.
function neighbour(card, isBelow) {
  const from = card.getBoundingClientRect();
  const middle = from.left + from.width / 2;
  let best = null;
  let bestScore = Infinity;
  for (const other of cards()) {
    const box = other.getBoundingClientRect();
    const distance = isBelow ? box.top - from.top : from.top - box.top;
    if (distance < 8) continue;
    const score = distance * 1000 + Math.abs(box.left + box.width / 2 - middle);
    if (score < bestScore) [best, bestScore] = [other, score];
  }
  return best;
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || find("#keys").open) return;
  if (event.target === search) {
    if (event.key === "Escape") {
      event.preventDefault();
      if (search.value) {
        typed.cancel();
        go({ search: "" });
      } else {
        search.blur();
      }
    } else if (event.key === "ArrowDown" || event.key === "Enter") {
      event.preventDefault();
      wantsFocus = true;
      typed.flush();
      if (!loading) focusFirst();
    }
    return;
  }
  if (isTyping(event)) return;
  const card = event.target.closest?.(".card");
  const all = cards();
  const index = card ? all.indexOf(card) : -1;
  const moves = {
    ArrowRight: () => all[index + 1],
    ArrowLeft: () => all[index - 1],
    ArrowDown: () => (card ? neighbour(card, true) : null),
    ArrowUp: () => (card ? neighbour(card, false) : null),
    Home: () => all[0],
    End: () => all.at(-1),
  };
  if (event.key in moves && (card || event.key.startsWith("Arrow"))) {
    const next = card ? moves[event.key]() : all.find((other) => other.tabIndex === 0);
    if (card || next) event.preventDefault();
    if (next) focusCard(next);
  } else if (event.key === "/") {
    event.preventDefault();
    search.focus();
    search.select();
  } else if (event.key === "?") {
    event.preventDefault();
    find("#keys").showModal();
  } else if (event.key === "Escape") {
    if (state.search) go({ search: "" });
    else if (state.folder) go({ folder: state.folder.split("/").slice(0, -1).join("/") });
  }
});

document.addEventListener("focusin", (event) => {
  const card = event.target.closest?.(".card");
  if (card) setTabStop(card);
});

// Folder links update the gallery in place, unless they open in another tab.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-folder]");
  if (link && event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
    event.preventDefault();
    const isKeyboard = event.detail === 0;
    go({ folder: link.dataset.folder, search: "" });
    if (isKeyboard) find("#title").focus();
  }
});

const typed = debounce(() => go({ search: search.value.trim() }, { replacing: Boolean(state.search) }), 250);
typed.flush = () => {
  typed.cancel();
  go({ search: search.value.trim() }, { replacing: Boolean(state.search) });
};
search.addEventListener("input", typed);
find(".search").addEventListener("submit", (event) => {
  event.preventDefault();
  typed.flush();
});
sort.addEventListener("change", () => go({ sort: sort.value }, { replacing: true }));
order.addEventListener("click", () => go({ order: state.order === "desc" ? "asc" : "desc" }, { replacing: true }));

history.scrollRestoration = "manual";
addEventListener("pagehide", remember);
addEventListener("popstate", (event) => {
  state = stateFromAddress();
  show(event.state);
});
show(history.state);
