// What the pages have in common: talking to the server, and saying sizes and dates.

import { reason } from "./failures.js";

export class ServerFailure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// An identifier as one segment of a path.
export const encode = (identifier) => encodeURIComponent(identifier);

// The response to a request, if it is a good one. A busy server is waited for; what else it refuses isn't asked for again.
async function request(path, accept, signal) {
  for (let attempt = 0; ; attempt += 1) {
    let response;
    try {
      response = await fetch(path, { signal, headers: { Accept: accept } });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ServerFailure(0, "The server can’t be reached.");
    }
    if (response.ok) return response;
    if (response.status !== 503 || attempt >= 5) {
      const text = await reason(response);
      throw new ServerFailure(response.status, text ?? `The server answered with status ${response.status}.`);
    }
    const seconds = Math.min(10, Number(response.headers.get("Retry-After")) || 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    if (signal?.aborted) throw new DOMException("", "AbortError");
  }
}

// JSON from the server.
export async function api(path, { signal } = {}) {
  return (await request(path, "application/json", signal)).json();
}

// A picture from the server, as bytes: an <img> doesn’t say why it can’t show one.
export async function loadImage(path, { signal } = {}) {
  return (await request(path, "image/avif,image/webp,image/png,image/*;q=0.8", signal)).blob();
}

// Shows a sign that something is on its way, once it has taken 0.3 seconds. The function that it returns takes it away.
export function showLoading(sign) {
  const timer = setTimeout(() => (sign.hidden = false), 300);
  return () => {
    clearTimeout(timer);
    sign.hidden = true;
  };
}

// The address of a picture at a size, in CSS pixels: filling it, or within it.
export function thumbnail(identifier, width, height, ratio = 1, mode = "fit") {
  return `/image/${encode(identifier)}?w=${width}&h=${height}&fit=${mode}&dpr=${ratio}&format=auto`;
}

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

export function svg(path, size = 20) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  element.setAttribute("viewBox", `0 0 ${size} ${size}`);
  element.setAttribute("aria-hidden", "true");
  element.setAttribute("class", "icon");
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
  shape.setAttribute("d", path);
  element.append(shape);
  return element;
}

export function bytes(count) {
  if (count < 1000) return `${count} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = count / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toLocaleString(undefined, { maximumFractionDigits: value < 10 ? 1 : 0 })} ${units[unit]}`;
}

export function date(text, style = "medium") {
  const value = new Date(text);
  return Number.isNaN(value.getTime()) ? "" : value.toLocaleDateString(undefined, { dateStyle: style });
}

// What a format is called; nothing for a picture that isn't of one.
export function formatName(format) {
  const names = { jpg: "JPEG", jpeg: "JPEG", tif: "TIFF", heic: "HEIF", jxl: "JPEG XL" };
  return names[format] ?? (format ?? "").toUpperCase();
}

export const isJPEG = (picture) => formatName(picture.format) === "JPEG";

export function plural(count, one, many) {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}

export function megapixels(width, height) {
  const value = (width * height) / 1e6;
  return `${value.toLocaleString(undefined, { maximumFractionDigits: value < 10 ? 1 : 0 })} megapixels`;
}

// Copies text, and says on the button that it did.
export async function copyFrom(button, text) {
  const label = button.dataset.label ?? button.textContent;
  button.dataset.label = label;
  let isDone = false;
  try {
    await navigator.clipboard.writeText(text);
    isDone = true;
  } catch {
    // Pages that aren't served over TLS have no clipboard; the old way still works there.
    const field = make("textarea", { readonly: true, class: "unseen" });
    field.value = text;
    document.body.append(field);
    field.select();
    isDone = document.execCommand("copy");
    field.remove();
    button.focus();
  }
  const place = button.querySelector("[data-text]") ?? button;
  place.textContent = isDone ? "Copied" : "Press Ctrl+C";
  announce(isDone ? "Copied" : "Could not copy");
  clearTimeout(button.timer);
  button.timer = setTimeout(() => (place.textContent = label), 1600);
}

// Says something to those who don't see it.
export function announce(text) {
  let region = document.querySelector("#announcements");
  if (!region) {
    region = make("div", { id: "announcements", role: "status", class: "unseen" });
    document.body.append(region);
  }
  region.textContent = "";
  requestAnimationFrame(() => (region.textContent = text));
}

export function debounce(action, milliseconds) {
  let timer = 0;
  const later = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
}

// The picture that the page is about: what follows /view/ in its address, whether its slashes are encoded or not.
export function identifierOf(path, prefix) {
  const rest = path.startsWith(prefix) ? path.slice(prefix.length).replace(/\/$/, "") : "";
  try {
    return decodeURIComponent(rest);
  } catch {
    return rest;
  }
}

export const isTyping = (event) => event.target.matches?.("input, select, textarea, [contenteditable]");
