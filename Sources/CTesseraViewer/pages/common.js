// Shared by all pages: requests to the server, and formatting of sizes and dates.

import { reason } from "./failures.js";

export class ServerFailure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// The path below which the server's addresses are, without a slash at its end: empty unless a proxy or an option adds one.
export const base = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

// Encodes an identifier as one path segment.
export const encode = (identifier) => encodeURIComponent(identifier);

// Returns a successful response. Retries while the server is busy; throws on any other error.
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

// Fetches JSON.
export async function api(path, { signal } = {}) {
  return (await request(path, "application/json", signal)).json();
}

// Fetches a picture as bytes: an <img> doesn’t report why it failed.
export async function loadImage(path, { signal } = {}) {
  return (await request(path, "image/avif,image/webp,image/png,image/*;q=0.8", signal)).blob();
}

// Shows a loading indicator after 0.3 seconds. Returns a function that removes it.
export function showLoading(sign) {
  const timer = setTimeout(() => (sign.hidden = false), 300);
  return () => {
    clearTimeout(timer);
    sign.hidden = true;
  };
}

// The address of a picture scaled to fill, or to fit within, a size in CSS pixels.
export function thumbnail(identifier, width, height, ratio = 1, mode = "fit") {
  return `${base}/image/${encode(identifier)}?w=${width}&h=${height}&fit=${mode}&dpr=${ratio}&format=auto`;
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

// The name of a format; empty if the picture's format is unknown.
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

// Copies text to the clipboard, and confirms it on the button.
export async function copyFrom(button, text) {
  const label = button.dataset.label ?? button.textContent;
  button.dataset.label = label;
  let isDone = false;
  try {
    await navigator.clipboard.writeText(text);
    isDone = true;
  } catch {
    // The clipboard API needs TLS; elsewhere the deprecated command still works.
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

// Announces a message to screen readers.
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

// The page's picture: the path after /view/, with slashes encoded or not.
export function identifierOf(path, prefix) {
  const start = base + prefix;
  const rest = path.startsWith(start) ? path.slice(start.length).replace(/\/$/, "") : "";
  try {
    return decodeURIComponent(rest);
  } catch {
    return rest;
  }
}

export const isTyping = (event) => event.target.matches?.("input, select, textarea, [contenteditable]");
