// The text form of an effect, `name=value,value`, and its controls, built from the description in /api/effects.

import { make } from "./common.js";

const patterns = {
  number: (text) => text.trim() !== "" && Number.isFinite(Number(text)),
  size: (text) => /^\d+(\.\d+)?x\d+(\.\d+)?$/i.test(text),
  color: (text) => /^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text),
  identifier: (text) => text !== "",
};

const fits = (parameter, text) =>
  parameter.kind === "choice" ? parameter.choices.includes(text) : patterns[parameter.kind](text);

// Parses a text into values by parameter name. As on the server, optional values are recognised by their kind.
export function read(item, text) {
  const parts = text === "" ? [] : text.split(",");
  const values = {};
  item.parameters.forEach((parameter, index) => {
    if (parts.length === 0) return;
    const isLast = index === item.parameters.length - 1;
    const part = parameter.kind === "identifier" && isLast ? parts.join(",") : parts[0];
    if (!fits(parameter, part)) return;
    values[parameter.name] = parameter.kind === "number" ? Number(part) : part;
    parts.splice(0, parameter.kind === "identifier" && isLast ? parts.length : 1);
  });
  return values;
}

// Formats values as text. Optional values are omitted unless a later value would be mistaken for them.
export function write(item, values) {
  const written = [];
  const kinds = new Set();
  const isGroupUsed = item.parameters.some(
    (parameter) => isFollowing(parameter) && values[parameter.name] !== undefined,
  );
  for (const parameter of [...item.parameters].reverse()) {
    let value = values[parameter.name];
    if (isFollowing(parameter) && isGroupUsed) value ??= values[item.parameters[0].name];
    value ??= parameter.required || kinds.has(parameter.kind) ? parameter.default : undefined;
    if (value === undefined || value === "") continue;
    const text = parameter.kind === "color" ? String(value).replace("#", "") : String(value);
    const standard = String(parameter.default ?? "").replace("#", "");
    const isStandard = text.toLowerCase() === standard.toLowerCase();
    if (isStandard && !parameter.required && !isFollowing(parameter) && !kinds.has(parameter.kind)) continue;
    kinds.add(parameter.kind);
    written.unshift(text);
  }
  return written.join(",");
}

// Numbers that default to the first one and are given all together, such as the other corners' radii.
const isFollowing = (parameter) =>
  parameter.kind === "number" && !parameter.required && parameter.default === undefined;

export const isSizing = (item) => item.parameters[0]?.kind === "size";
export const isFlag = (item) => item.parameters.length === 0;

// A single number with a neutral value.
export function isPlainNumber(item) {
  const [parameter, ...others] = item.parameters;
  return others.length === 0 && parameter?.kind === "number" && parameter.default !== undefined;
}

// A slider's range: the parameter's, or the useful part of a huge one.
function reach(parameter, picture) {
  let { minimum, maximum } = parameter;
  if (maximum - minimum > 4000) {
    const [isAcross, isDown] = [/^(x|width|w)$/i.test(parameter.name), /^(y|height|h)$/i.test(parameter.name)];
    const radius = Math.min(picture.width, picture.height, 800) / 2;
    maximum = Math.min(maximum, isAcross ? picture.width : isDown ? picture.height : radius);
    minimum = Math.max(minimum, isAcross || isDown ? 0 : minimum);
  }
  return { minimum, maximum: Math.max(maximum, minimum + (parameter.step ?? 1)) };
}

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const round = (value, step) => Number((Math.round(value / step) * step).toFixed(6));

// A slider with the neutral value at its middle or end; wide ranges are finer near it.
function scale(parameter, picture) {
  const { minimum, maximum } = reach(parameter, picture);
  const step = parameter.step || (maximum - minimum) / 200;
  const rest = Math.min(Math.max(parameter.default ?? minimum, minimum), maximum);
  const power = (maximum - minimum) / step > 150 ? 2 : 1;
  const low = rest > minimum ? -1 : 0;
  const high = rest < maximum ? 1 : 0;
  return {
    low, high, step, minimum, maximum,
    value(place) {
      const span = place < 0 ? rest - minimum : maximum - rest;
      return round(rest + Math.sign(place) * Math.abs(place) ** power * span, step);
    },
    place(value) {
      const span = value < rest ? rest - minimum : maximum - rest;
      if (span === 0) return 0;
      return Math.max(low, Math.min(high, Math.sign(value - rest) * (Math.abs(value - rest) / span) ** (1 / power)));
    },
  };
}

// Turns topRight into "Top right".
function words(name) {
  const text = name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/-/g, " ").toLowerCase();
  return text[0].toUpperCase() + text.slice(1);
}

let count = 0;

// The control for one parameter: {element, get, set}. Calls `changed(isMoving)` on every change.
export function control(parameter, label, picture, changed) {
  const id = `control-${(count += 1)}`;
  const kinds = { number, size, color, choice, identifier };
  return kinds[parameter.kind](parameter, label ?? words(parameter.name), id, picture, changed);
}

function number(parameter, label, id, picture, changed) {
  const range = scale(parameter, picture);
  const field = make(
    "input",
    {
      class: "field number",
      type: "number",
      id,
      step: "any",
      min: parameter.minimum,
      max: parameter.maximum,
      inputmode: "decimal",
    },
  );
  const slider = make(
    "input",
    {
      class: "slider",
      type: "range",
      min: range.low,
      max: range.high,
      step: "0.001",
      "aria-label": `${label}, slider`,
    },
  );
  let value = parameter.default;
  const show = () => {
    field.value = value ?? "";
    const place = range.place(value ?? parameter.default ?? range.minimum);
    slider.value = String(place);
    slider.setAttribute("aria-valuetext", String(value ?? parameter.default ?? "as the others"));
    const zero = (0 - range.low) / (range.high - range.low || 1);
    const at = (place - range.low) / (range.high - range.low || 1);
    slider.style.setProperty("--from", `${Math.min(zero, at) * 100}%`);
    slider.style.setProperty("--to", `${Math.max(zero, at) * 100}%`);
  };
  slider.addEventListener("input", () => {
    value = range.value(Number(slider.value));
    show();
    changed(true);
  });
  slider.addEventListener("change", () => changed(false));
  // On a nonlinear slider the arrow keys step by the value, not by the position.
  slider.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (!steps) return;
    event.preventDefault();
    const next = round((value ?? parameter.default ?? range.minimum) + steps * range.step, range.step);
    value = clamp(next, range.minimum, range.maximum);
    show();
    changed(false);
  });
  slider.addEventListener("dblclick", () => {
    value = parameter.default;
    show();
    changed(false);
  });
  field.addEventListener("input", () => {
    if (field.value === "") value = parameter.required ? parameter.default : undefined;
    else if (!Number.isNaN(field.valueAsNumber)) value = clamp(field.valueAsNumber, parameter.minimum, parameter.maximum);
    const text = field.value;
    show();
    field.value = text;
    changed(false);
  });
  field.addEventListener("blur", show);
  show();
  return {
    element: make("div", { class: "control" }, make("label", { for: id }, label), field, slider),
    get: () => value,
    set(next) {
      value = next ?? parameter.default;
      show();
    },
  };
}

function size(parameter, label, id, picture, changed) {
  const limits = {
    type: "number",
    min: 1,
    max: parameter.maximum,
    step: 1,
    inputmode: "numeric",
    class: "field number",
  };
  const width = make("input", { ...limits, id, "aria-label": "Width" });
  const height = make("input", { ...limits, "aria-label": "Height" });
  for (const field of [width, height]) field.addEventListener("input", () => changed(false));
  return {
    element: make(
      "div",
      { class: "control" },
      make("label", { for: id }, label),
      make("span", { class: "pair" }, width, " × ", height),
    ),
    get() {
      const [w, h] = [width.valueAsNumber, height.valueAsNumber];
      return w > 0 && h > 0 ? `${w}x${h}` : undefined;
    },
    set(value) {
      [width.value, height.value] = String(value ?? "x").split(/x/i);
    },
  };
}

function color(parameter, label, id, picture, changed) {
  const field = make("input", { type: "color", id, class: "swatch" });
  const opacity = make(
    "input", { type: "range", class: "slider", min: 0, max: 1, step: 0.01, "aria-label": `${label}, opacity` },
  );
  const show = () => {
    opacity.style.setProperty("--from", "0%");
    opacity.style.setProperty("--to", `${opacity.value * 100}%`);
    opacity.setAttribute("aria-valuetext", `${Math.round(opacity.value * 100)} %`);
  };
  field.addEventListener("input", () => changed(true));
  field.addEventListener("change", () => changed(false));
  opacity.addEventListener("input", () => {
    show();
    changed(true);
  });
  opacity.addEventListener("change", () => changed(false));
  return {
    element: make("div", { class: "control" }, make("label", { for: id }, label), field, opacity),
    get() {
      const alpha = Math.round(opacity.value * 255);
      return field.value.slice(1) + (alpha === 255 ? "" : alpha.toString(16).padStart(2, "0"));
    },
    set(value) {
      let digits = String(value ?? parameter.default ?? "000000").replace("#", "").toLowerCase();
      if (digits.length <= 4) digits = [...digits].map((digit) => digit + digit).join("");
      field.value = `#${digits.slice(0, 6)}`;
      opacity.value = digits.length === 8 ? String(parseInt(digits.slice(6), 16) / 255) : "1";
      show();
    },
  };
}

function choice(parameter, label, id, picture, changed) {
  // An optional keyword becomes a checkbox.
  if (parameter.choices.length === 1) {
    const box = make("input", { type: "checkbox", id });
    box.addEventListener("change", () => changed(false));
    return {
      element: make("div", { class: "control" }, make("label", { for: id }, label), box),
      get: () => (box.checked ? parameter.choices[0] : undefined),
      set: (value) => (box.checked = value === parameter.choices[0]),
    };
  }
  const field = make("select", { class: "field", id });
  if (!parameter.required && parameter.default === undefined) field.append(make("option", { value: "" }, "–"));
  for (const word of parameter.choices) field.append(make("option", { value: word }, word));
  field.addEventListener("change", () => changed(false));
  const set = (value) => (field.value = value ?? parameter.default ?? (parameter.required ? parameter.choices[0] : ""));
  set();
  return {
    element: make("div", { class: "control" }, make("label", { for: id }, label), field),
    get: () => field.value || undefined,
    set,
  };
}

function identifier(parameter, label, id, picture, changed) {
  const field = make(
    "input",
    {
      class: "field",
      id,
      type: "text",
      list: "identifiers",
      placeholder: "folder/picture.png",
      spellcheck: "false",
      autocomplete: "off",
    },
  );
  field.addEventListener("change", () => changed(false));
  return {
    element: make("div", { class: "control wide" }, make("label", { for: id }, label), field),
    get: () => field.value.trim() || undefined,
    set: (value) => (field.value = value ?? ""),
  };
}
