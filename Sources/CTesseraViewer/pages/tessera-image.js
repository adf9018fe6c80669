// <tessera-image src="…/info.json | ….dzi | photo.jpg | a picture">: a zoomable picture of any size.
//
//   <script type="module" src="https://example.org/assets/tessera-image.js"></script>
//   <tessera-image src="https://example.org/iiif/3/town.jpg/info.json" alt="The town from the hill"></tessera-image>
//
// A JPEG needs no server program: with an index beside it, made by `tessera tile index`, it is read in parts. Without one it
// is shown while it loads, and its index is kept in the browser.
//
// Attributes: `src`; `index`, the address of a JPEG's index, or "none"; `alt`; `format` of the tiles, if the source offers
// several; `view="x,y,zoom,rotation"`, the initial view; `controls="none"`; `minimap="none"`; `transparent`, which omits the
// checkerboard; `dynamic-range="high"` for a IIIF source whose JPEG tiles have gain maps: displays that can show more than
// white do so, up to the CSS property `dynamic-range-limit`.
// Methods: getView(), setView(view, {animate}), zoomTo(zoom, {x, y, animate}), zoomBy(factor), panBy(dx, dy), fit(),
// showActualPixels(), rotateBy(degrees), toggleFullScreen(), toggleMinimap(), showHelp(), retry(), handleKey(event).
// Events: `load`, `view-change`, `settle`, `error`, `swipe`.
// A view is {x, y, zoom, rotation}: the picture point at the centre, CSS pixels per picture pixel, degrees clockwise.

import { Controls, make, makeHelp } from "./controls.js";
import { Gestures } from "./gestures.js";
import { Minimap } from "./minimap.js";
import { Motion } from "./motion.js";
import { TilePainter } from "./tile-painter.js";
import { LoadFailure, openSource } from "./tile-sources.js";
import { TileStore } from "./tile-store.js";
import { sheet } from "./tessera-image-style.js";
import { Viewport } from "./viewport.js";

// Budget for decoded tiles, in bytes.
const memory = (matchMedia("(pointer: coarse)").matches ? 96 : 224) * 1024 * 1024;

const brightDisplay = matchMedia("(dynamic-range: high)");

class TesseraImage extends HTMLElement {
  static observedAttributes = ["src", "index", "format", "alt", "view", "dynamic-range"];

  // The page's own keys, listed in the help: [[names], text] each.
  additionalKeys = [];

  #viewport = new Viewport();
  #motion = new Motion(this.#viewport, () => this.#schedule());
  #source = null;
  #store = null;
  #painter = null;
  #opening = null; // AbortController
  #frame = 0;
  #lastTime = 0;
  #reported = "";
  #isSettled = false;
  #tileFailure = ""; // what the server said of the last tile that failed
  #mapIsWanted = true;
  #range = null; // RangeLayer
  #progress = null; // part of a whole picture that has arrived, 0 to 1

  #stage = make(
    "div",
    { class: "stage", part: "stage", tabindex: "0", role: "application", "aria-roledescription": "zoomable picture" },
  );
  #canvas = make("canvas", { "aria-hidden": "true" });
  #status = make("div", { class: "unseen", role: "status" });
  #notice = make("div", { class: "notice", role: "alert" });
  #chip = make("div", { class: "chip", role: "status" });
  #help = null;
  #controls = new Controls({
    out: () => this.zoomBy(1 / 2),
    in: () => this.zoomBy(2),
    fit: () => this.fit(),
    actual: () => this.showActualPixels(),
    rotate: () => this.rotateBy(90),
    full: () => this.toggleFullScreen(),
    help: () => this.showHelp(),
  });
  #minimap = new Minimap(this.#viewport, (point, isJump) => this.#motion.moveTo(point, isJump));
  #resizing = new ResizeObserver((entries) => this.#resize(entries.at(-1)));

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet];
    this.#stage.append(this.#canvas);
    const parts = [this.#stage, this.#minimap.element, this.#controls.element, this.#chip, this.#notice, this.#status];
    root.append(make("div", { class: "frame" }, ...parts));
    this.#stage.addEventListener("keydown", (event) => this.handleKey(event));
    this.addEventListener("fullscreenchange", () => this.#controls.showFullScreen(document.fullscreenElement === this));
    const whenReady = (action) => (...values) => this.#viewport.isReady && action(...values);
    new Gestures(this.#stage, {
      begin: whenReady(() => this.#grab()),
      move: whenReady((dx, dy) => this.#motion.drag(dx, dy)),
      pinch: whenReady((...values) => this.#motion.pinch(...values)),
      end: whenReady((motion) => this.#release(motion)),
      wheel: whenReady((factor, x, y) => this.#wheel(factor, x, y)),
      doubleTap: whenReady((x, y, isReverse) => this.#doubleTap(x, y, isReverse)),
    });
  }

  connectedCallback() {
    try {
      this.#resizing.observe(this.#stage, { box: "device-pixel-content-box" });
    } catch {
      this.#resizing.observe(this.#stage);
    }
    this.#label();
    brightDisplay.addEventListener("change", this.#updateRange);
    if (!this.#source) this.#open();
    this.#schedule();
  }

  disconnectedCallback() {
    this.#resizing.disconnect();
    brightDisplay.removeEventListener("change", this.#updateRange);
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#close();
  }

  attributeChangedCallback(name, before, after) {
    if (before === after || !this.isConnected) return;
    if (name === "alt") this.#label();
    else if (name === "view") this.#applyViewAttribute();
    else if (name === "dynamic-range") this.#updateRange();
    else this.#open();
  }

  // Properties

  get src() {
    return this.getAttribute("src") ?? "";
  }

  set src(value) {
    this.setAttribute("src", value);
  }

  get alt() {
    return this.getAttribute("alt") ?? "";
  }

  set alt(value) {
    this.setAttribute("alt", value);
  }

  // The picture's size in pixels; 0 until known.
  get naturalWidth() {
    return this.#viewport.imageWidth;
  }

  get naturalHeight() {
    return this.#viewport.imageHeight;
  }

  // Whether the view is at rest with every tile it needs drawn.
  get isSettled() {
    return this.#isSettled;
  }

  // Bytes of decoded tiles in memory.
  get tileBytes() {
    return this.#store?.byteCount ?? 0;
  }

  // The view

  getView() {
    return { ...this.#motion.view };
  }

  setView(view, { animate = false } = {}) {
    if (this.#viewport.isReady) this.#motion.set(view, animate);
  }

  // Zooms while the picture point x, y (the centre by default) stays in place.
  zoomTo(zoom, { x, y, animate = true } = {}) {
    if (!this.#viewport.isReady) return;
    const place = x === undefined ? undefined : this.#viewport.toScreen(this.#motion.view, x, y);
    this.#motion.zoom(zoom, place?.x, place?.y, animate);
    this.#say(`Zoom ${this.#percentOf(this.#motion.goal.zoom)}`);
  }

  zoomBy(factor, options) {
    this.zoomTo(this.#motion.goal.zoom * factor, options);
  }

  panBy(dx, dy, { animate = true } = {}) {
    if (this.#viewport.isReady) this.#motion.panBy(dx, dy, animate);
  }

  fit({ animate = true } = {}) {
    if (!this.#viewport.isReady) return;
    this.#motion.fit(animate);
    this.#say("The whole picture");
  }

  showActualPixels(options) {
    this.zoomTo(this.#viewport.actualZoom, options);
  }

  rotateBy(degrees, { animate = true } = {}) {
    if (!this.#viewport.isReady) return;
    this.#motion.rotateBy(degrees, animate);
    this.#say(`Turned to ${((this.#motion.goal.rotation % 360) + 360) % 360} degrees`);
  }

  toggleMinimap() {
    this.#mapIsWanted = !this.#mapIsWanted;
    this.#say(this.#mapIsWanted ? "Overview map on" : "Overview map off");
    this.#schedule();
  }

  async toggleFullScreen() {
    try {
      if (document.fullscreenElement) await document.exitFullscreen();
      else await this.requestFullscreen();
    } catch {
      // The browser refused.
    }
  }

  showHelp() {
    if (!this.#help) {
      this.#help = makeHelp(this.additionalKeys);
      this.shadowRoot.append(this.#help);
    }
    this.#help.showModal();
  }

  retry() {
    if (!this.#source) return this.#open();
    this.#store.retry();
    this.#showChip();
    this.#schedule();
  }

  focus(options) {
    this.#stage.focus(options);
  }

  // Handles a key and returns whether it did. A page may forward its key events here.
  handleKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.#viewport.isReady) return false;
    const step = Math.min(this.#viewport.width, this.#viewport.height) * 0.2;
    const actions = {
      "+": () => this.zoomBy(1.5),
      "=": () => this.zoomBy(1.5),
      "-": () => this.zoomBy(1 / 1.5),
      _: () => this.zoomBy(1 / 1.5),
      0: () => this.fit(),
      1: () => this.showActualPixels(),
      r: () => this.rotateBy(90),
      R: () => this.rotateBy(-90),
      f: () => this.toggleFullScreen(),
      m: () => this.toggleMinimap(),
      "?": () => this.showHelp(),
    };
    // If the picture can't pan, arrow keys are left to the page.
    if (this.#viewport.canPan(this.#motion.goal)) {
      actions.ArrowLeft = () => this.panBy(step, 0);
      actions.ArrowRight = () => this.panBy(-step, 0);
      actions.ArrowUp = () => this.panBy(0, step);
      actions.ArrowDown = () => this.panBy(0, -step);
    }
    const action = actions[event.key];
    if (!action) return false;
    event.preventDefault();
    event.stopPropagation();
    action();
    return true;
  }

  // Opening

  #close() {
    this.#opening?.abort();
    this.#store?.close();
    this.#source?.close?.();
    this.#progress = null;
    this.#opening = this.#store = this.#source = this.#painter = null;
    this.#isSettled = false;
    this.#tileFailure = "";
    this.#reported = "";
    this.#minimap.clear();
    this.#range?.clear();
  }

  // Adds or removes the layer of bright tiles.
  #updateRange = async () => {
    const isWanted = () => this.getAttribute("dynamic-range") === "high" && brightDisplay.matches &&
      this.#source?.kind === "iiif";
    if (!isWanted()) {
      this.#range?.element.remove();
      this.#range = null;
      return;
    }
    if (this.#range) return this.#schedule();
    const { RangeLayer } = await import("./range-layer.js");
    if (!isWanted() || this.#range) return;
    this.#range = new RangeLayer();
    this.#stage.append(this.#range.element);
    this.#schedule();
  };

  async #open() {
    this.#close();
    this.#viewport.imageWidth = this.#viewport.imageHeight = 0;
    this.#motion.stop();
    this.#showChip();
    this.#label();
    this.#schedule();
    if (!this.src) return this.#notice.replaceChildren();
    const opening = new AbortController();
    this.#opening = opening;
    this.#notice.replaceChildren(make("div", { class: "spinner" }));
    for (;;) {
      try {
        const index = this.getAttribute("index") ?? undefined;
        const source = await openSource(this.src, {
          format: this.getAttribute("format"), index: index === "none" ? null : index, signal: opening.signal,
          onOverview: (overview) => this.#showArriving(overview, opening.signal),
          onProgress: ({ done, total }) => opening.signal.aborted || this.#showProgress(done, total),
        });
        if (opening.signal.aborted) return source.close?.();
        this.#showProgress(1, 1);
        this.#show(source);
        return;
      } catch (error) {
        if (opening.signal.aborted) return;
        const seconds = error instanceof LoadFailure ? error.retryAfter : null;
        if (seconds === null) return this.#fail(error);
        this.#notice.replaceChildren(
          make("div", { class: "spinner" }), make("p", {}, "The server is busy. Trying again in a moment."),
        );
        await new Promise((resolve) => setTimeout(resolve, Math.min(30, Math.max(0.25, seconds)) * 1000));
        if (opening.signal.aborted) return;
      }
    }
  }

  // What has arrived of a picture without an index, as one tile.
  #showArriving({ bitmap, width, height, done, total }, signal) {
    if (signal.aborted) return bitmap.close();
    this.#showProgress(done, total);
    if (this.#source) {
      this.#store.put("0/0/0", bitmap, bitmap.width, bitmap.height);
      return this.#schedule();
    }
    const level = { scale: 1, tileWidth: width, tileHeight: height, columns: 1, rows: 1, overlap: 0, url: () => this.src };
    // What hasn't arrived isn't transparent.
    this.#show({ kind: "arriving", width, height, isOpaque: true, drawable: bitmap, levels: [level] });
  }

  // Says how much of a whole picture has arrived, in steps that a screen reader may read out.
  #showProgress(done, total) {
    const part = total > 0 ? Math.min(1, done / total) : 0;
    const step = part < 1 ? Math.floor(part * 10) / 10 : null;
    if (step === this.#progress) return;
    this.#progress = step;
    this.#showChip();
  }

  #show(source) {
    const isContinued = this.#source?.kind === "arriving";
    this.#store?.close();
    this.#source = source;
    this.#viewport.imageWidth = source.width;
    this.#viewport.imageHeight = source.height;
    this.#store = new TileStore(memory, (error) => this.#tileChanged(error), source.concurrent);
    if (source.drawable) {
      const { width, height } = source.kind === "arriving" ? source.drawable : source;
      this.#store.put("0/0/0", source.drawable, width, height);
    }
    this.#painter = new TilePainter(this.#canvas, this.#viewport, source, this.#store);
    // Until something is visible.
    if (source.drawable) this.#notice.replaceChildren();
    if (!isContinued) {
      this.#motion.isHome = true;
      this.#motion.view = this.#viewport.home();
      this.#applyViewAttribute();
    }
    this.#label();
    this.#updateRange();
    this.#schedule();
    const { width, height, kind } = source;
    if (kind === "arriving") return;
    this.dispatchEvent(new CustomEvent("load", { detail: { width, height, kind } }));
  }

  #fail(error) {
    const again = make("button", { type: "button" }, "Try again");
    again.addEventListener("click", () => {
      this.focus();
      this.#open();
    });
    const message = error instanceof LoadFailure ? error.message : "This picture can’t be read.";
    this.#notice.replaceChildren(make("p", {}, message), again);
    this.#tell(error, message, false);
  }

  #tell(error, message, isTile) {
    this.dispatchEvent(new CustomEvent("error", { detail: { message, status: error.status ?? 0, isTile } }));
  }

  #tileChanged(error) {
    this.#notice.replaceChildren();
    if (error) {
      this.#tileFailure = error instanceof LoadFailure ? error.message : "";
      this.#tell(error, error.message, true);
    }
    this.#showChip();
    this.#schedule();
  }

  // Shows why tiles fail to load.
  #showChip() {
    const isArriving = this.#progress !== null && this.#source !== null;
    const state = this.#store?.failures > 0 ? "failed" : this.#store?.isWaiting ? "busy" : isArriving ? "arriving" : "";
    const kind = state === "arriving" ? `arriving ${this.#progress}` : state;
    if (kind === (this.#chip.dataset.kind ?? "")) return;
    this.#chip.dataset.kind = kind;
    if (isArriving && state === "arriving") {
      return this.#chip.replaceChildren(make("span", {}, `Loading the picture: ${Math.round(this.#progress * 100)} %`));
    }
    if (kind === "failed") {
      const again = make("button", { type: "button" }, "Try again");
      again.addEventListener("click", () => {
        this.focus();
        this.retry();
      });
      const text = ["A part could not be loaded.", this.#tileFailure].filter(Boolean).join(" ");
      this.#chip.replaceChildren(make("span", {}, text), again);
    } else if (kind === "busy") {
      this.#chip.replaceChildren(make("span", {}, "The server is busy. Waiting."));
    } else {
      this.#chip.replaceChildren();
    }
  }

  #applyViewAttribute() {
    const [x, y, zoom, rotation = 0] = (this.getAttribute("view") ?? "").split(",").map(Number);
    if (!this.#viewport.isReady || ![x, y, zoom].every(Number.isFinite) || zoom <= 0) return;
    this.setView({ x, y, zoom, rotation: Math.round((rotation || 0) / 90) * 90 });
  }

  #label() {
    const size = this.#source ? `, ${this.naturalWidth} by ${this.naturalHeight} pixels` : "";
    this.#stage.setAttribute(
      "aria-label", `${this.alt || "Picture"}${size}. Plus and minus zoom, arrows move, question mark for help.`,
    );
  }

  #say(text) {
    this.#status.textContent = text;
  }

  #percentOf(zoom) {
    const percent = zoom * this.#viewport.ratio * 100;
    return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
  }

  #resize(entry) {
    const box = this.#stage.getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    let [width, height] = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
    // Use the browser's count of device pixels where it has one.
    const device = entry?.devicePixelContentBoxSize?.[0];
    if (device && Math.abs(device.inlineSize - width) <= 1 && Math.abs(device.blockSize - height) <= 1) {
      [width, height] = [device.inlineSize, device.blockSize];
    }
    const isFirst = this.#viewport.width === 0;
    Object.assign(this.#viewport, { width: box.width, height: box.height, ratio });
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = Math.max(1, width);
      this.#canvas.height = Math.max(1, height);
    }
    if (this.#viewport.isReady) {
      this.#motion.resized();
      if (isFirst) this.#applyViewAttribute();
    }
    // Draw immediately: resizing clears a canvas.
    this.#draw(performance.now());
    this.#schedule();
  }

  // Gestures

  #grab() {
    this.#motion.hold();
    this.#stage.classList.add("grabbed");
  }

  #release({ vx, vy, dx, dy, isTouch }) {
    this.#stage.classList.remove("grabbed");
    const couldPan = this.#viewport.canPan(this.#viewport.constrained(this.#motion.view));
    this.#motion.release(vx, vy);
    if (isTouch && !couldPan && Math.abs(dx) > 56 && Math.abs(dx) > 1.8 * Math.abs(dy)) {
      this.dispatchEvent(new CustomEvent("swipe", { detail: { direction: dx < 0 ? "next" : "previous" } }));
    }
  }

  // Once fully zoomed out, the wheel scrolls the page.
  #wheel(factor, x, y) {
    const { zoom, rotation } = this.#motion.goal;
    if (factor < 1 && zoom <= this.#viewport.minimumZoom(rotation) * 1.0001) return false;
    this.#motion.zoom(zoom * factor, x, y, true, 60);
    return true;
  }

  // Zooms in by steps to actual pixels, then back to the whole picture.
  #doubleTap(x, y, isReverse) {
    const { zoom } = this.#motion.goal;
    const actual = this.#viewport.actualZoom;
    if (isReverse) this.#motion.zoom(zoom / 3, x, y, true);
    else if (zoom >= actual * 0.99 && !this.#motion.isHome) this.fit();
    else this.#motion.zoom(zoom < actual * 0.99 ? Math.min(zoom * 3, actual) : zoom * 3, x, y, true);
  }

  // Each frame

  #schedule() {
    this.#isSettled = false;
    if (this.#frame || !this.isConnected) return;
    this.#frame = requestAnimationFrame((now) => {
      this.#frame = 0;
      this.#step(now);
    });
  }

  #step(now) {
    const isMoving = this.#viewport.isReady && this.#motion.step(Math.min(64, Math.max(1, now - this.#lastTime)));
    this.#lastTime = now;
    const { isFading, isComplete } = this.#draw(now);
    this.#report();
    if (isMoving || isFading) return this.#schedule();
    if (isComplete && !this.#motion.isHeld && !this.#isSettled) {
      this.#isSettled = true;
      const { view } = this.#motion;
      this.#range?.fill(this.#painter.visibleTiles(view), { ...view }, this.#painter.place(view));
      this.dispatchEvent(new CustomEvent("settle"));
    }
  }

  #draw(now) {
    if (!this.#painter || !this.#viewport.isReady) {
      this.#canvas.getContext("2d").clearRect(0, 0, this.#canvas.width, this.#canvas.height);
      return { isFading: false, isComplete: false };
    }
    // The map is made of whole pictures.
    if (!this.#minimap.hasPicture && this.#painter.hasOverview && this.#source.kind !== "arriving") {
      this.#minimap.capture((context, width, height) => this.#painter.paintOverview(context, width, height));
    }
    const result = this.#painter.draw(this.#motion.view, now, !this.hasAttribute("transparent"));
    this.#range?.follow(this.#motion.view, this.#painter.place(this.#motion.view));
    this.#painter.want(this.#motion.goal, this.#motion.isMoving || this.#motion.isHeld);
    return result;
  }

  #report() {
    if (!this.#viewport.isReady || !this.#source) return;
    const { view } = this.#motion;
    this.#minimap.update(view, this.#mapIsWanted && this.getAttribute("minimap") !== "none");
    const text = `${view.x} ${view.y} ${view.zoom} ${view.rotation}`;
    if (text === this.#reported) return;
    this.#reported = text;
    this.#stage.classList.toggle("pannable", this.#viewport.canPan(view));
    this.#controls.update({
      percent: this.#percentOf(view.zoom),
      canZoomIn: view.zoom < this.#viewport.maximumZoom * 0.999,
      canZoomOut: view.zoom > this.#viewport.minimumZoom(view.rotation) * 1.001,
    });
    this.dispatchEvent(new CustomEvent("view-change", { detail: { ...view, isHome: this.#motion.isHome } }));
  }
}

if (!customElements.get("tessera-image")) customElements.define("tessera-image", TesseraImage);
