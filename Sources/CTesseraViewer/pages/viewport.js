// Geometry of a picture on the stage. A view is {x, y, zoom, rotation}: the picture point at the stage's centre, in
// picture pixels; CSS pixels per picture pixel; and degrees clockwise. Pure functions: no drawing, no timers.

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

// Sine and cosine, exact at right angles so that edges fall on whole pixels.
export function turn(degrees) {
  const quarter = (((degrees / 90) % 4) + 4) % 4;
  if (Number.isInteger(quarter)) return { cos: [1, 0, -1, 0][quarter], sin: [0, 1, 0, -1][quarter], isExact: true };
  const angle = (degrees * Math.PI) / 180;
  return { cos: Math.cos(angle), sin: Math.sin(angle), isExact: false };
}

export class Viewport {
  width = 0; // of the stage, in CSS pixels
  height = 0;
  ratio = 1; // device pixels for each of them
  imageWidth = 0;
  imageHeight = 0;

  get isReady() {
    return this.width > 0 && this.height > 0 && this.imageWidth > 0;
  }

  // The size of the rotated picture's bounding box, in picture pixels.
  extent(rotation) {
    const { cos, sin } = turn(rotation);
    return {
      width: Math.abs(this.imageWidth * cos) + Math.abs(this.imageHeight * sin),
      height: Math.abs(this.imageWidth * sin) + Math.abs(this.imageHeight * cos),
    };
  }

  // The zoom that fits the whole picture, never enlarging it.
  fitZoom(rotation = 0) {
    const extent = this.extent(rotation);
    return Math.min(this.width / extent.width, this.height / extent.height, 1);
  }

  get actualZoom() {
    return 1 / this.ratio;
  }

  minimumZoom(rotation) {
    return Math.min(this.fitZoom(rotation), this.actualZoom);
  }

  get maximumZoom() {
    return 32 / this.ratio;
  }

  home(rotation = 0) {
    return { x: this.imageWidth / 2, y: this.imageHeight / 2, zoom: this.fitZoom(rotation), rotation };
  }

  toScreen(view, x, y) {
    const { cos, sin } = turn(view.rotation);
    const dx = (x - view.x) * view.zoom;
    const dy = (y - view.y) * view.zoom;
    return { x: this.width / 2 + cos * dx - sin * dy, y: this.height / 2 + sin * dx + cos * dy };
  }

  toImage(view, x, y) {
    const { cos, sin } = turn(view.rotation);
    const dx = (x - this.width / 2) / view.zoom;
    const dy = (y - this.height / 2) / view.zoom;
    return { x: view.x + cos * dx + sin * dy, y: view.y - sin * dx + cos * dy };
  }

  // The view after panning by CSS pixels.
  panned(view, dx, dy) {
    const { cos, sin } = turn(view.rotation);
    return { ...view, x: view.x - (cos * dx + sin * dy) / view.zoom, y: view.y - (-sin * dx + cos * dy) / view.zoom };
  }

  // The view at another zoom, keeping the picture point under a stage point fixed.
  zoomed(view, zoom, x = this.width / 2, y = this.height / 2) {
    const point = this.toImage(view, x, y);
    const factor = view.zoom / zoom;
    return { ...view, zoom, x: point.x + (view.x - point.x) * factor, y: point.y + (view.y - point.y) * factor };
  }

  // How far the picture extends beyond the stage on each side, in CSS pixels.
  slack(view) {
    const extent = this.extent(view.rotation);
    return {
      x: Math.max(0, (extent.width * view.zoom - this.width) / 2),
      y: Math.max(0, (extent.height * view.zoom - this.height) / 2),
    };
  }

  canPan(view) {
    const slack = this.slack(view);
    return slack.x > 0.5 || slack.y > 0.5;
  }

  // The nearest view within bounds: no avoidable empty space on the stage.
  constrained(view) {
    const zoom = clamp(view.zoom, this.minimumZoom(view.rotation), this.maximumZoom);
    const result = { ...view, zoom };
    const slack = this.slack(result);
    const middle = this.toScreen(result, this.imageWidth / 2, this.imageHeight / 2);
    const dx = middle.x - this.width / 2;
    const dy = middle.y - this.height / 2;
    return this.panned(result, clamp(dx, -slack.x, slack.x) - dx, clamp(dy, -slack.y, slack.y) - dy);
  }

  // The view during a drag: past the bounds it follows with resistance.
  resisted(view) {
    const low = this.minimumZoom(view.rotation);
    const high = this.maximumZoom;
    let zoom = view.zoom;
    if (zoom < low) zoom = low * (zoom / low) ** 0.4;
    if (zoom > high) zoom = high * (zoom / high) ** 0.4;
    const bound = this.constrained({ ...view, zoom: clamp(zoom, low, high) });
    return {
      ...view,
      zoom,
      x: bound.x + (view.x - bound.x) * 0.35,
      y: bound.y + (view.y - bound.y) * 0.35,
    };
  }

  // The axis-aligned rectangle of picture pixels visible on the stage plus a margin in CSS pixels, clipped to the picture.
  visible(view, margin = 0) {
    const corners = [
      this.toImage(view, -margin, -margin),
      this.toImage(view, this.width + margin, -margin),
      this.toImage(view, -margin, this.height + margin),
      this.toImage(view, this.width + margin, this.height + margin),
    ];
    const xs = corners.map((corner) => corner.x);
    const ys = corners.map((corner) => corner.y);
    return {
      left: Math.max(0, Math.min(...xs)),
      top: Math.max(0, Math.min(...ys)),
      right: Math.min(this.imageWidth, Math.max(...xs)),
      bottom: Math.min(this.imageHeight, Math.max(...ys)),
    };
  }
}

// Interpolates between two views. Zoom is interpolated logarithmically, and the centre so that one stage point stays
// fixed: whatever is under the pointer stays there throughout.
export function between(from, to, part) {
  const rotation = from.rotation + (to.rotation - from.rotation) * part;
  const zoom = from.zoom * (to.zoom / from.zoom) ** part;
  let way = part;
  if (Math.abs(to.zoom / from.zoom - 1) > 1e-6) way = (1 / from.zoom - 1 / zoom) / (1 / from.zoom - 1 / to.zoom);
  return { x: from.x + (to.x - from.x) * way, y: from.y + (to.y - from.y) * way, zoom, rotation };
}
