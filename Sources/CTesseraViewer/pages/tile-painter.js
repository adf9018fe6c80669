// Draws a source's tiles into a canvas: the sharp level where its tiles have loaded, other levels in the gaps. Reports
// the tiles that the view needs.

import { turn } from "./viewport.js";

const fadeTime = 160; // milliseconds
const sharpEnough = 1.15; // a level may be enlarged by this much before the next one is taken
const pixelated = 4; // device pixels for each of the picture's, from which on they are shown as squares
const margin = 128; // CSS pixels around the stage whose tiles are asked for last

const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class TilePainter {
  hasTransparency = false;
  #viewport;
  #canvas;
  #context;
  #source;
  #store;
  #wantedKey = "";

  constructor(canvas, viewport, source, store) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d");
    this.#viewport = viewport;
    this.#source = source;
    this.#store = store;
  }

  // Draws, and returns whether a tile is still fading in and whether all tiles have loaded or failed.
  draw(view, now, showsCheckerboard) {
    const viewport = this.#viewport;
    const context = this.#context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);

    const area = viewport.visible(view);
    const level = this.levelFor(view.zoom);
    const tiles = [...this.tilesIn(level, area)];
    const missing = tiles.filter((tile) => !this.#isShown(this.#store.get(tile.key), now));

    const { cos, sin } = turn(view.rotation);
    const { x, y, density, snap } = this.place(view);
    context.setTransform(cos, sin, -sin, cos, x, y);
    context.imageSmoothingQuality = "medium";
    let isFading = false;
    const paint = (tile) => (isFading = this.#paint(tile, density, snap, now) || isFading);

    if (missing.length > 0) {
      for (let index = 0; index < level; index += 1) for (const tile of this.tilesIn(index, area)) paint(tile);
      // Finer tiles left from before zooming out look better than blur.
      const finest = Math.min(level + 2, this.#source.levels.length - 1);
      for (let index = level + 1; index <= finest; index += 1) {
        for (const tile of missing) for (const finer of this.tilesIn(index, intersection(area, tile))) paint(finer);
      }
    }
    for (const tile of tiles) paint(tile);
    if (this.hasTransparency && showsCheckerboard) this.#paintCheckerboard(density, snap);
    return { isFading, isComplete: missing.every((tile) => this.#store.isFailed(tile.key)) && !this.#store.isWaiting };
  }

  // Where a view shows the picture's corner, in device pixels, and how many of them a picture pixel takes; `snap` puts
  // edges on whole ones where the view isn't askew.
  place(view) {
    const { ratio } = this.#viewport;
    const snap = turn(view.rotation).isExact ? Math.round : (value) => value;
    const origin = this.#viewport.toScreen(view, 0, 0);
    const density = view.zoom * ratio;
    const isPixelated = density * this.#source.levels[this.levelFor(view.zoom)].scale >= pixelated;
    return { x: snap(origin.x * ratio), y: snap(origin.y * ratio), density, snap, ratio, isPixelated };
  }

  // The tiles that a view shows once they have loaded.
  visibleTiles(view) {
    return [...this.tilesIn(this.levelFor(view.zoom), this.#viewport.visible(view))];
  }

  #isShown(entry, now) {
    if (!entry) return false;
    return calm.matches || this.#source.drawable !== undefined || now - entry.arrival >= fadeTime;
  }

  #paint(tile, density, snap, now) {
    const entry = this.#store.get(tile.key);
    if (!entry) return false;
    const context = this.#context;
    const left = snap(tile.left * density);
    const top = snap(tile.top * density);
    const width = snap(tile.right * density) - left;
    const height = snap(tile.bottom * density) - top;
    const isShown = this.#isShown(entry, now);
    // Clear what lies under a translucent tile, so that it isn't composited twice.
    if (isShown) context.clearRect(left, top, width, height);
    context.globalAlpha = isShown ? 1 : Math.min(1, Math.max(0.05, (now - entry.arrival) / fadeTime));
    context.imageSmoothingEnabled = density * tile.level.scale < pixelated;
    const { overlap, columns, rows } = tile.level;
    const x = tile.column > 0 ? overlap : 0;
    const y = tile.row > 0 ? overlap : 0;
    const w = entry.width - x - (tile.column < columns - 1 ? overlap : 0);
    const h = entry.height - y - (tile.row < rows - 1 ? overlap : 0);
    context.drawImage(entry.drawable, x, y, Math.max(1, w), Math.max(1, h), left, top, width, height);
    context.globalAlpha = 1;
    return !isShown;
  }

  // The checkerboard behind the picture; its squares don't scale.
  #paintCheckerboard(density, snap) {
    const context = this.#context;
    const side = Math.round(8 * this.#viewport.ratio);
    const tile = new OffscreenCanvas(side * 2, side * 2);
    const paint = tile.getContext("2d");
    paint.fillStyle = "#fff";
    paint.fillRect(0, 0, side * 2, side * 2);
    paint.fillStyle = "#e2e2e2";
    paint.fillRect(0, 0, side, side);
    paint.fillRect(side, side, side, side);
    context.globalCompositeOperation = "destination-over";
    context.fillStyle = context.createPattern(tile, "repeat");
    context.fillRect(0, 0, snap(this.#viewport.imageWidth * density), snap(this.#viewport.imageHeight * density));
    context.globalCompositeOperation = "source-over";
  }

  // The index of the coarsest level that is sharp on this screen.
  levelFor(zoom) {
    const { levels } = this.#source;
    const density = zoom * this.#viewport.ratio;
    const index = levels.findIndex((level) => level.scale * density <= sharpEnough);
    return index < 0 ? levels.length - 1 : index;
  }

  // The tiles of a level that intersect an area of the picture.
  *tilesIn(index, area) {
    const level = this.#source.levels[index];
    if (area.right <= area.left || area.bottom <= area.top) return;
    const lastColumn = Math.min(level.columns - 1, Math.ceil(area.right / level.tileWidth) - 1);
    const lastRow = Math.min(level.rows - 1, Math.ceil(area.bottom / level.tileHeight) - 1);
    for (let row = Math.floor(area.top / level.tileHeight); row <= lastRow; row += 1) {
      for (let column = Math.floor(area.left / level.tileWidth); column <= lastColumn; column += 1) {
        const left = column * level.tileWidth;
        const top = row * level.tileHeight;
        yield {
          key: `${index}/${column}/${row}`, level, column, row, left, top,
          right: Math.min(this.#viewport.imageWidth, left + level.tileWidth),
          bottom: Math.min(this.#viewport.imageHeight, top + level.tileHeight),
        };
      }
    }
  }

  get #whole() {
    return { left: 0, top: 0, right: this.#viewport.imageWidth, bottom: this.#viewport.imageHeight };
  }

  // Requests the tiles a view needs: the coarsest level first, as a fallback for everything; then from the centre
  // outwards; then the surroundings, unless the view is moving.
  want(view, isMoving) {
    const level = this.levelFor(view.zoom);
    const distance = (tile) => Math.hypot((tile.left + tile.right) / 2 - view.x, (tile.top + tile.bottom) / 2 - view.y);
    const all = new Map();
    const add = (tiles) => {
      for (const tile of [...tiles].sort((a, b) => distance(a) - distance(b))) {
        if (all.has(tile.key)) continue;
        const { key, level, column, row } = tile;
        const load = level.load && ((signal) => level.load(column, row, signal));
        all.set(key, { key, url: level.url(column, row), load });
      }
    };
    if (this.#isCoarsestSmall) add(this.tilesIn(0, this.#whole));
    add(this.tilesIn(level, this.#viewport.visible(view)));
    if (!isMoving) add(this.tilesIn(level, this.#viewport.visible(view, margin)));
    const wanted = [...all.values()];
    const key = wanted.map((tile) => tile.key).join();
    if (key === this.#wantedKey) return;
    this.#wantedKey = key;
    this.#store.want(wanted);
  }

  get #isCoarsestSmall() {
    const { columns, rows } = this.#source.levels[0];
    return columns * rows <= 4;
  }

  // Whether the coarsest level is complete.
  get hasOverview() {
    return this.#isCoarsestSmall && [...this.tilesIn(0, this.#whole)].every((tile) => this.#store.has(tile.key));
  }

  // Paints the whole picture into a context of a given size, and notes whether it is transparent anywhere.
  paintOverview(context, width, height) {
    const { imageWidth, imageHeight } = this.#viewport;
    const { isOpaque = false } = this.#source;
    context.imageSmoothingQuality = isOpaque ? "medium" : "high";
    for (const tile of this.tilesIn(0, this.#whole)) {
      const x = Math.round((tile.left / imageWidth) * width);
      const y = Math.round((tile.top / imageHeight) * height);
      const right = Math.round((tile.right / imageWidth) * width);
      const bottom = Math.round((tile.bottom / imageHeight) * height);
      context.drawImage(this.#store.get(tile.key).drawable, x, y, right - x, bottom - y);
    }
    // Reading pixels back takes time.
    if (isOpaque) return;
    try {
      const { data } = context.getImageData(0, 0, width, height);
      this.hasTransparency = data.some((value, index) => index % 4 === 3 && value < 250);
    } catch {
      // A cross-origin picture, whose pixels can't be read.
    }
  }
}

function intersection(a, b) {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}
