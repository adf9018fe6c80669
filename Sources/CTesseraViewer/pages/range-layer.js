// Tiles as <img> elements above the canvas: browsers show an image's gain map in high dynamic range, but not on a canvas.

export class RangeLayer {
  element = document.createElement("div");
  #images = new Map(); // address: <img>
  #zoom = 0; // at which the images were placed

  constructor() {
    this.element.className = "range";
    this.element.setAttribute("aria-hidden", "true");
  }

  // Moves the images to where a view shows them. `place` is the painter's.
  follow(view, { x, y, ratio }) {
    if (this.#zoom === 0) return;
    const scale = view.zoom / this.#zoom;
    this.element.style.transform =
      `translate(${x / ratio}px, ${y / ratio}px) rotate(${view.rotation}deg) scale(${scale})`;
  }

  // Shows the tiles of a view at rest. Those that are no longer needed go when the others have been decoded.
  async fill(tiles, view, place) {
    const { density, snap, ratio, isPixelated } = place;
    const needed = new Map();
    for (const tile of tiles) {
      const address = tile.level.url(tile.column, tile.row);
      const image = this.#images.get(address) ?? this.#add(address);
      needed.set(address, image);
      const [left, top] = [snap(tile.left * density), snap(tile.top * density)];
      Object.assign(image.style, {
        left: `${left / ratio}px`, top: `${top / ratio}px`,
        width: `${(snap(tile.right * density) - left) / ratio}px`,
        height: `${(snap(tile.bottom * density) - top) / ratio}px`,
        imageRendering: isPixelated ? "pixelated" : "auto",
      });
    }
    // Images of another zoom would be in the wrong place.
    if (view.zoom !== this.#zoom) this.#remove(needed);
    this.#zoom = view.zoom;
    this.follow(view, place);
    await Promise.allSettled([...needed.values()].map((image) => image.decode()));
    if (this.#zoom === view.zoom) this.#remove(needed);
  }

  clear() {
    this.#zoom = 0;
    this.#remove(new Map());
  }

  #add(address) {
    const image = new Image();
    // A tile that fails leaves the canvas visible.
    image.alt = "";
    image.decoding = "async";
    image.src = address;
    this.#images.set(address, image);
    this.element.append(image);
    return image;
  }

  #remove(needed) {
    for (const [address, image] of this.#images) {
      if (needed.has(address)) continue;
      this.#images.delete(address);
      image.remove();
    }
  }
}
