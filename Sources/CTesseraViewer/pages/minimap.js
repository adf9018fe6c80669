// The overview map: the whole picture with the visible part marked. For pointers; the keyboard has the arrow keys.

import { turn } from "./viewport.js";

const longest = 168; // CSS pixels

export class Minimap {
  element = document.createElement("div");
  #canvas = document.createElement("canvas");
  #small = null; // the picture at the map's size
  #viewport;
  #view = null;

  constructor(viewport, moveTo) {
    this.#viewport = viewport;
    this.element.className = "minimap";
    this.element.setAttribute("part", "minimap");
    this.element.setAttribute("aria-hidden", "true");
    this.element.append(this.#canvas);
    const follow = (event) => {
      const box = this.#canvas.getBoundingClientRect();
      moveTo(this.#toImage(event.clientX - box.left, event.clientY - box.top), event.type === "pointerdown");
    };
    this.element.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.element.setPointerCapture(event.pointerId);
      follow(event);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (this.element.hasPointerCapture(event.pointerId)) follow(event);
    });
  }

  get hasPicture() {
    return this.#small !== null;
  }

  clear() {
    this.#small = null;
    this.#view = null;
  }

  // Takes a function that paints the whole picture into a context of a given size.
  capture(paint) {
    const { imageWidth, imageHeight } = this.#viewport;
    const factor = (longest * 2) / Math.max(imageWidth, imageHeight);
    const small = document.createElement("canvas");
    small.width = Math.max(1, Math.round(imageWidth * factor));
    small.height = Math.max(1, Math.round(imageHeight * factor));
    paint(small.getContext("2d"), small.width, small.height);
    this.#small = small;
    this.#view = null;
  }

  #factor(rotation) {
    const extent = this.#viewport.extent(rotation);
    const room = Math.min(longest, this.#viewport.width * 0.3, this.#viewport.height * 0.4);
    return { factor: room / Math.max(extent.width, extent.height), extent };
  }

  #toImage(x, y) {
    const { factor, extent } = this.#factor(this.#view.rotation);
    const { cos, sin } = turn(this.#view.rotation);
    const dx = x / factor - extent.width / 2;
    const dy = y / factor - extent.height / 2;
    return {
      x: this.#viewport.imageWidth / 2 + cos * dx + sin * dy,
      y: this.#viewport.imageHeight / 2 - sin * dx + cos * dy,
    };
  }

  // Visible only while the stage shows less than the whole picture.
  update(view, isWanted) {
    const slack = this.#viewport.slack(view);
    const hasRoom = this.#viewport.width > 320;
    const isShown = isWanted && this.#small !== null && hasRoom && slack.x + slack.y > 2;
    this.element.classList.toggle("shown", isShown);
    if (!isShown) return;
    const { width, height } = this.#viewport;
    const state = { ...view, width, height };
    if (this.#view && Object.keys(state).every((key) => state[key] === this.#view[key])) return;
    this.#view = state;
    this.#draw(view);
  }

  #draw(view) {
    const { factor, extent } = this.#factor(view.rotation);
    const ratio = this.#viewport.ratio;
    const width = Math.max(8, Math.round(extent.width * factor));
    const height = Math.max(8, Math.round(extent.height * factor));
    const canvas = this.#canvas;
    const [deviceWidth, deviceHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== deviceWidth || canvas.height !== deviceHeight) {
      [canvas.width, canvas.height] = [deviceWidth, deviceHeight];
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const context = canvas.getContext("2d");
    const { cos, sin } = turn(view.rotation);
    const scale = factor * ratio;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.setTransform(cos * scale, sin * scale, -sin * scale, cos * scale, canvas.width / 2, canvas.height / 2);
    const { imageWidth, imageHeight } = this.#viewport;
    context.imageSmoothingQuality = "medium";
    context.drawImage(this.#small, -imageWidth / 2, -imageHeight / 2, imageWidth, imageHeight);
    // Dims everything but the visible part.
    context.setTransform(ratio, 0, 0, ratio, canvas.width / 2, canvas.height / 2);
    const dx = (view.x - imageWidth / 2) * factor;
    const dy = (view.y - imageHeight / 2) * factor;
    const middle = { x: cos * dx - sin * dy, y: sin * dx + cos * dy };
    const boxWidth = Math.max(6, (this.#viewport.width / view.zoom) * factor);
    const boxHeight = Math.max(6, (this.#viewport.height / view.zoom) * factor);
    const left = Math.max(middle.x - boxWidth / 2, -width / 2 + 1);
    const top = Math.max(middle.y - boxHeight / 2, -height / 2 + 1);
    const right = Math.min(middle.x + boxWidth / 2, width / 2 - 1);
    const bottom = Math.min(middle.y + boxHeight / 2, height / 2 - 1);
    context.fillStyle = "rgb(0 0 0 / 45%)";
    context.beginPath();
    context.rect(-width / 2, -height / 2, width, height);
    context.rect(left, top, right - left, bottom - top);
    context.fill("evenodd");
    context.lineWidth = 2;
    context.strokeStyle = "#fff";
    context.strokeRect(left, top, right - left, bottom - top);
  }
}
