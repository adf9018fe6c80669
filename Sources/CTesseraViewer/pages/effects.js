// The effects page: a control for each effect and setting in a picture's address, with a live preview.

import { api, base, bytes, copyFrom, debounce, encode, identifierOf, isTyping, make } from "./common.js";
import { reason } from "./failures.js";
import { control, isFlag, isPlainNumber, isSizing, read, write } from "./effect-form.js";

const find = (selector) => document.querySelector(selector);
const identifier = identifierOf(location.pathname, "/effects/");
const name = identifier.split("/").at(-1);
const stage = find("#stage");
const [before, after] = [find("#before"), find("#after")];

// The order of effects on the page; unlisted ones come last.
const groups = [
  ["Colour", ["brightness", "contrast", "saturation", "sepia", "grayscale", "tint", "color-matrix"], true],
  ["Corners and shadow", ["radius", "circle", "border", "shadow", "reflect", "reflected", "opacity", "flatten"], true],
  ["Sharpness", ["blur", "sharpen"], true],
  ["Turn and cut", ["rotate", "flip", "crop"], true],
  ["Size and format", ["w", "h", "fit ", "dpr", "format", "q"], false],
  ["Size, in other ways", ["fit", "fill", "cover", "scale", "size", "smart-crop"], false],
  ["Other pictures", ["overlay", "mask", "invert-mask", "mask-from-alpha"], false],
];

let picture = null;
let items = []; // {item, isSetting, isOn(), set(values or null), text()}

// Controls

// A setting or effect with a single number: always shown as a slider, omitted from the address at its neutral value.
function plainItem(item, isSetting) {
  const [parameter] = item.parameters;
  const part = control(parameter, item.title, picture, (isMoving) => changed(result, isMoving));
  part.element.title = item.description;
  const result = {
    item, isSetting,
    element: make("div", { class: "effect" }, part.element),
    isOn: () => part.get() !== undefined && part.get() !== parameter.default,
    set: (values) => part.set(values?.[parameter.name]),
    text: () => String(part.get()),
  };
  return result;
}

// An effect with a switch, and its parameters while it is on.
function switchedItem(item) {
  const toggle = make("input", { type: "checkbox", role: "switch", class: "toggle" });
  const parts = item.parameters.map((parameter) => {
    return [parameter, control(parameter, undefined, picture, (isMoving) => changed(result, isMoving))];
  });
  const body = make("div", { class: "parts", hidden: true }, make("p", { class: "about" }, item.description));
  const place = parts.length > 8 ? make("div", { class: "grid" }) : body;
  if (place !== body) body.append(place);
  for (const [, part] of parts) place.append(part.element);
  const set = (values) => {
    toggle.checked = values !== null;
    body.hidden = !toggle.checked || isFlag(item);
    if (values) for (const [parameter, part] of parts) part.set(values[parameter.name]);
  };
  const result = {
    item, isSetting: false, set,
    element: make(
      "div",
      { class: "effect" },
      make("label", { class: "switch", title: item.description }, item.title, toggle),
      ...(isFlag(item) ? [] : [body]),
    ),
    isOn: () => toggle.checked,
    text: () => write(item, Object.fromEntries(parts.map(([parameter, part]) => [parameter.name, part.get()]))),
  };
  toggle.addEventListener("change", () => {
    // Starts with the example's values, so that the effect is visible.
    if (toggle.checked) set(startValues(item));
    else body.hidden = true;
    changed(result, false);
  });
  return result;
}

function startValues(item) {
  const values = read(item, item.example.includes("=") ? item.example.slice(item.example.indexOf("=") + 1) : "");
  for (const parameter of item.parameters) if (parameter.kind === "identifier") values[parameter.name] = undefined;
  if (item.name === "crop") {
    return {
      ...values,
      x: Math.round(picture.width / 8),
      y: Math.round(picture.height / 8),
      width: Math.round(picture.width * 0.75),
      height: Math.round(picture.height * 0.75),
    };
  }
  return values;
}

function build(answer) {
  const settings = (answer.settings ?? []).map((item) => plainItem(item, true));
  const effects = answer.effects.map((item) => (isPlainNumber(item) ? plainItem(item, false) : switchedItem(item)));
  items = [...settings, ...effects];
  const rest = new Set(items);
  const form = find("#controls");
  const addGroup = (title, members, isOpen) => {
    if (members.length === 0) return;
    const used = make("span", { class: "used", hidden: true });
    const details = make(
      "details",
      { class: "group", open: isOpen },
      make("summary", {}, title, used),
      make("div", {}, ...members.map((member) => member.element)),
    );
    details.members = members;
    details.used = used;
    form.append(details);
    for (const member of members) rest.delete(member);
  };
  for (const [title, names, isOpen] of groups) {
    // "fit " is the setting of that name, as opposed to the effect.
    const isSetting = (name) => /^(w|h|fit |dpr|format|q)$/.test(name);
    const members = names.map((each) =>
      items.find((other) => other.item.name === each.trim() && other.isSetting === isSetting(each)),
    );
    addGroup(title, members.filter(Boolean), isOpen);
  }
  addGroup("More", [...rest], false);
  form.addEventListener("submit", (event) => event.preventDefault());
}

const setting = (wanted) => items.find((other) => other.isSetting && other.item.name === wanted);

// Only one control may set the size: switching one on switches the others off.
function changed(member, isMoving) {
  const isSide = (other) => other.isSetting && ["w", "h", "fit"].includes(other.item.name);
  if (member.isOn() && isSizing(member.item)) {
    for (const other of items) if (other !== member && (isSizing(other.item) || isSide(other))) other.set(null);
  } else if (member.isOn() && isSide(member)) {
    for (const other of items) if (isSizing(other.item)) other.set(null);
  }
  update(isMoving);
}

// The address

const escaped = (text) => encodeURIComponent(text).replace(/%2C/gi, ",").replace(/%2F/gi, "/");

// The active settings as [name, value] pairs; `isComplete` omits effects that lack a value.
function query(members = items) {
  const pairs = [];
  for (const member of members) {
    if (!member.isOn()) continue;
    if (isFlag(member.item)) {
      pairs.push([member.item.name, null]);
      continue;
    }
    const text = member.text();
    const values = read(member.item, text);
    const isComplete = member.item.parameters.every(({ name, required }) => !required || values[name] !== undefined);
    if (isComplete) pairs.push([member.item.name, text]);
  }
  return pairs;
}

const written = (pairs) => pairs.map(([key, value]) => (value === null ? key : `${key}=${escaped(value)}`)).join("&");

function address(pairs) {
  const text = written(pairs);
  return `${base}/image/${encode(identifier)}${text ? `?${text}` : ""}`;
}

// The state from the page's address, or the initial one.
function readAddress() {
  const given = [...new URLSearchParams(location.search)];
  for (const member of items) member.set(null);
  if (given.length === 0) {
    const limit = Math.round(Math.min(1200, Math.max(480, stage.clientWidth || 800)));
    setting("w")?.set({ [setting("w").item.parameters[0].name]: Math.min(picture.width, limit) });
    setting("format")?.set({ [setting("format").item.parameters[0].name]: "auto" });
    return;
  }
  for (const [key, value] of given) {
    const candidates = items.filter((other) => other.item.name === key);
    const member = candidates.find((other) => isFlag(other.item) || Object.keys(read(other.item, value)).length > 0);
    member?.set(isFlag(member.item) ? {} : read(member.item, value));
  }
}

// Browsers limit how often the address may change.
const keepAddress = debounce((text) => {
  history.replaceState(null, "", location.pathname + (text ? `?${text}` : ""));
}, 200);

function showAddress(pairs) {
  const link = find("#address");
  const path = address(pairs);
  link.href = path;
  const [start, end] = path.split("?");
  link.replaceChildren(start);
  (end ? end.split("&") : []).forEach((part, index) => {
    const [key, ...value] = part.split("=");
    link.append(index === 0 ? "?" : "&", make("b", {}, key));
    if (value.length > 0) link.append("=", make("i", {}, value.join("=")));
  });
  keepAddress(written(pairs));
  for (const group of document.querySelectorAll(".group")) {
    const counts = (member) => member.isOn() && !(member.isSetting && ["w", "format"].includes(member.item.name));
    const count = group.members.filter(counts).length;
    group.used.hidden = count === 0;
    group.used.textContent = String(count);
  }
}

// The preview

let running = null; // AbortController of the request that is on its way
let sizeBefore = null;
let sizeAfter = null;
let addressBefore = "";
let divide = 50;

function update(isMoving) {
  const pairs = query();
  showAddress(pairs);
  if (isMoving) {
    quick();
    full.cancel();
    later();
  } else {
    later.cancel();
    quick.cancel();
    full();
  }
}

// While a slider moves, render at a lower density, which scales everything alike.
let lastQuick = 0;
function quickNow() {
  const pairs = query();
  const isSized = items.some(
    (member) => member.isOn() && (isSizing(member.item) || ["w", "h"].includes(member.item.name)),
  );
  const density = Number(pairs.find(([key]) => key === "dpr")?.[1] ?? 1);
  const isLarge = sizeAfter && sizeAfter.width * sizeAfter.height > 200_000;
  lastQuick = performance.now();
  if (!isSized || !isLarge || pairs.some(([key]) => key === "crop")) return render(pairs, 1);
  const coarse = Math.max(0.1, Number((density * 0.35).toFixed(3)));
  render([...pairs.filter(([key]) => key !== "dpr"), ["dpr", String(coarse)]], coarse / density);
}
const quickLater = debounce(quickNow, 60);
const quick = () => (performance.now() - lastQuick > 120 ? quickNow() : quickLater());
quick.cancel = () => quickLater.cancel();
const later = debounce(() => render(query(), 1), 260);
const full = debounce(() => render(query(), 1), 70);

async function load(path, signal) {
  const start = performance.now();
  const response = await fetch(path, { signal, headers: { Accept: "image/avif,image/webp,image/png,image/*;q=0.8" } });
  const { status } = response;
  if (!response.ok) {
    const text = await reason(response);
    const wait = Number(response.headers.get("Retry-After")) || 1;
    throw Object.assign(new Error(text ?? `The server answered with status ${status}.`), { status, wait });
  }
  const blob = await response.blob();
  return { blob, time: performance.now() - start };
}

async function put(image, blob) {
  const next = URL.createObjectURL(blob);
  const trial = new Image();
  trial.src = next;
  try {
    await trial.decode();
  } catch (error) {
    URL.revokeObjectURL(next);
    throw new Error(`This browser can’t show ${blob.type || "that format"}.`, { cause: error });
  }
  const last = image.src;
  image.src = next;
  image.hidden = false;
  if (last.startsWith("blob:")) URL.revokeObjectURL(last);
  return { width: trial.naturalWidth, height: trial.naturalHeight };
}

async function render(pairs, density, attempt = 0) {
  running?.abort();
  const controller = new AbortController();
  running = controller;
  find("#progress").classList.add("running");
  try {
    const { blob, time } = await load(address(pairs), controller.signal);
    if (controller.signal.aborted) return;
    const size = await put(after, blob);
    if (controller.signal.aborted) return;
    sizeAfter = { width: size.width / density, height: size.height / density };
    stage.classList.toggle("coarse", density < 1);
    find("#failure").hidden = true;
    if (density === 1) {
      const format = blob.type.replace(/^image\/(x-)?/, "").replace("svg+xml", "svg").toUpperCase();
      find("#figures").replaceChildren(
        make("b", {}, bytes(blob.size)),
        ` ${format}, ${size.width.toLocaleString()} × ${size.height.toLocaleString()}, in `,
        make("b", {}, `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`),
      );
    }
    arrange();
    if (density === 1) await showBefore(controller.signal);
  } catch (error) {
    if (controller.signal.aborted || error.name === "AbortError") return;
    if (error.status === 503 && attempt < 6) {
      setTimeout(() => controller === running && render(pairs, density, attempt + 1), error.wait * 1000);
      return;
    }
    find("#failure").textContent = error.status || error.cause ? error.message : "The server can’t be reached.";
    find("#failure").hidden = false;
    find("#figures").textContent = "\u00a0";
  } finally {
    if (running === controller && !controller.signal.aborted) find("#progress").classList.remove("running");
  }
}

// The picture without effects, at its size with them.
async function showBefore(signal) {
  const names = ["w", "h", "fit", "fill", "cover", "scale", "size", "smart-crop", "dpr"];
  const sizing = query(items.filter((member) => names.includes(member.item.name)));
  const hasEffects = query(items.filter((member) => !member.isSetting && !names.includes(member.item.name))).length > 0;
  const path = address([...sizing, ["format", "auto"]]);
  if (hasEffects && path !== addressBefore) {
    const { blob } = await load(path, signal);
    if (signal.aborted) return;
    sizeBefore = await put(before, blob);
    addressBefore = path;
  }
  before.hidden = !hasEffects || !sizeBefore;
  for (const selector of ["#divide", "#divider", "#before-tag", "#after-tag"]) find(selector).hidden = before.hidden;
  stage.classList.toggle("divided", !before.hidden);
  arrange();
}

// Both at the same scale and centred, so that they coincide whatever the effects add around the edges.
function arrange() {
  if (!sizeAfter) return;
  const both = before.hidden || !sizeBefore ? [sizeAfter] : [sizeAfter, sizeBefore];
  const margin = Math.min(32, stage.clientWidth * 0.05);
  const scale = Math.min(
    (stage.clientWidth - margin * 2) / Math.max(...both.map((size) => size.width)),
    (stage.clientHeight - margin * 2) / Math.max(...both.map((size) => size.height)),
    1.5,
  );
  for (const [image, size] of [[after, sizeAfter], [before, sizeBefore]]) {
    if (!size) continue;
    const [width, height] = [size.width * scale, size.height * scale];
    image.style.width = `${width}px`;
    image.style.height = `${height}px`;
    // Clip each image at the divider, a position on the stage.
    const x = (stage.clientWidth * divide) / 100 - (stage.clientWidth - width) / 2;
    const part = Math.max(0, Math.min(100, (x / width) * 100));
    const cut = image === after ? `inset(0 0 0 ${part}%)` : `inset(0 ${100 - part}% 0 0)`;
    image.style.clipPath = before.hidden ? "none" : cut;
  }
  stage.style.setProperty("--divide", `${divide}%`);
  find("#divide").value = String(Math.round(divide));
}

const moveDivider = (event) => {
  const box = stage.getBoundingClientRect();
  divide = Math.max(0, Math.min(100, ((event.clientX - box.left) / box.width) * 100));
  arrange();
};
stage.addEventListener("pointerdown", (event) => {
  if (before.hidden || event.button > 0) return;
  stage.setPointerCapture(event.pointerId);
  moveDivider(event);
});
stage.addEventListener("pointermove", (event) => stage.hasPointerCapture(event.pointerId) && moveDivider(event));
find("#divide").addEventListener("input", (event) => {
  divide = Number(event.target.value);
  arrange();
});
new ResizeObserver(arrange).observe(stage);

// The page

find("#copy").addEventListener("click", (event) => copyFrom(event.currentTarget, find("#address").href));
find("#reset").addEventListener("click", () => {
  history.replaceState(null, "", location.pathname);
  readAddress();
  update(false);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !isTyping(event)) location.href = `${base}/view/${encode(identifier)}`;
});

find("#name").textContent = name;
find("#back").href = `${base}/view/${encode(identifier)}`;
document.title = `Effects on ${name} · Tessera`;
after.alt = `${name} with the effects`;

find("#progress").classList.add("running");
try {
  const [answer, found] = await Promise.all([api(`${base}/api/effects`), api(`${base}/api/picture/${encode(identifier)}`)]);
  picture = found;
  build(answer);
  readAddress();
  update(false);
  const folder = identifier.split("/").slice(0, -1).join("/");
  // A signature for a single picture gives access to no others.
  const others = await api(`${base}/api/pictures?${new URLSearchParams({ folder, limit: 200 })}`).catch(() => ({ pictures: [] }));
  find("#identifiers").append(...others.pictures.map((other) => make("option", { value: other.id })));
} catch (error) {
  find("#progress").classList.remove("running");
  find("#failure").textContent = error.message;
  find("#failure").hidden = false;
}
