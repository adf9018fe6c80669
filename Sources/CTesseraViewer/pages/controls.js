// The buttons over the picture, and the keyboard help.

const icons = {
  in: "M10 4v12M4 10h12",
  out: "M4 10h12",
  fit: "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4",
  actual: "M4 6l2-1v10M14 6l2-1v10M10 8v.01M10 12v.01",
  rotate: "M16 10a6 6 0 1 1-2-4.5L16 7M16 3v4h-4",
  full: "M12 3h5v5M17 3l-6 6M8 17H3v-5M3 17l6-6",
  help: "M7.5 7.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M10 14.5v.01",
};

const keys = [
  [["+", "−"], "Zoom in, zoom out"],
  [["0"], "The whole picture"],
  [["1"], "One pixel for each of the screen’s"],
  [["←", "↑", "↓", "→"], "Move"],
  [["R"], "Turn to the right, with Shift to the left"],
  [["F"], "Full screen"],
  [["M"], "Overview map"],
  [["?"], "This help"],
];

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function icon(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

export class Controls {
  element = make("div", { class: "controls", part: "controls", role: "group", "aria-label": "Zoom" });
  #buttons = {};
  #percent = make("span", { class: "percent wide", "aria-hidden": "true" });

  // `actions` maps button names to functions.
  constructor(actions) {
    const add = (name, label, isOnlyWide = false) => {
      const button = make(
        "button",
        { type: "button", "aria-label": label, title: label, ...(isOnlyWide ? { class: "wide" } : {}) },
        icon(icons[name]),
      );
      button.addEventListener("click", actions[name]);
      this.#buttons[name] = button;
      this.element.append(button);
    };
    add("out", "Zoom out");
    this.element.append(this.#percent);
    add("in", "Zoom in");
    this.element.append(make("span", { class: "rule wide" }));
    add("fit", "Show the whole picture");
    add("actual", "Actual size", true);
    add("rotate", "Turn to the right");
    if (document.fullscreenEnabled) add("full", "Full screen");
    add("help", "Keyboard help", true);
  }

  update({ percent, canZoomIn, canZoomOut }) {
    this.#percent.textContent = percent;
    // Not `disabled`, which would take the focus away from who zooms by the keyboard.
    this.#buttons.in.setAttribute("aria-disabled", String(!canZoomIn));
    this.#buttons.out.setAttribute("aria-disabled", String(!canZoomOut));
  }

  showFullScreen(isFull) {
    const button = this.#buttons.full;
    if (!button) return;
    button.title = isFull ? "Leave full screen" : "Full screen";
    button.setAttribute("aria-label", button.title);
  }
}

// A dialog with the keys, and those that the page has besides.
export function makeHelp(additional) {
  const list = make("dl");
  for (const [names, text] of [...keys, ...additional]) {
    const term = make("dt");
    for (const name of names) term.append(make("kbd", {}, name), " ");
    list.append(term, make("dd", {}, text));
  }
  const close = make("button", { type: "button" }, "Close");
  const dialog = make("dialog", { "aria-labelledby": "help" }, make("h2", { id: "help" }, "Keys"), list, close);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  return dialog;
}
