// View animation: to a target, with momentum, or following a gesture. Holds the view; draws nothing.

import { between } from "./viewport.js";

const inertia = 325; // milliseconds in which a thrown picture loses two thirds of its speed
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class Motion {
  view = { x: 0, y: 0, zoom: 1, rotation: 0 };
  // Whether the view refits the whole picture when the stage is resized.
  isHome = true;

  #viewport;
  #moved;
  #target = null;
  #pace = 90; // milliseconds in which two thirds of the way to the target are gone
  #velocity = null; // CSS pixels for each millisecond
  #held = null; // the view under the fingers, before it is kept to its bounds

  // Calls `moved` when the view has changed.
  constructor(viewport, moved) {
    this.#viewport = viewport;
    this.#moved = moved;
  }

  // The view at the end of the current animation, as far as it is known.
  get goal() {
    return this.#target ?? this.view;
  }

  get isMoving() {
    return Boolean(this.#target || this.#velocity);
  }

  get isHeld() {
    return this.#held !== null;
  }

  stop() {
    this.#target = this.#velocity = this.#held = null;
  }

  goTo(view, isAnimated, pace = 120) {
    this.#velocity = null;
    if (isAnimated && !calm.matches) {
      this.#target = view;
      this.#pace = pace;
    } else {
      this.#target = null;
      this.view = view;
    }
    this.#moved();
  }

  set(view, isAnimated) {
    this.isHome = false;
    this.goTo(this.#viewport.constrained({ ...this.goal, ...view }), isAnimated);
  }

  fit(isAnimated) {
    this.isHome = true;
    this.goTo(this.#viewport.home(this.goal.rotation), isAnimated);
  }

  panBy(dx, dy, isAnimated) {
    this.goTo(this.#viewport.constrained(this.#viewport.panned(this.goal, dx, dy)), isAnimated, 90);
  }

  moveTo(point, isAnimated) {
    this.goTo(this.#viewport.constrained({ ...this.goal, ...point }), isAnimated, 70);
  }

  rotateBy(degrees, isAnimated) {
    const rotation = Math.round((this.goal.rotation + degrees) / 90) * 90;
    this.goTo(
      this.isHome ? this.#viewport.home(rotation) : this.#viewport.constrained({ ...this.goal, rotation }), isAnimated,
    );
  }

  // Keeps the picture point under a stage point fixed, starting from the current view, not from the animation's target.
  zoom(zoom, x, y, isAnimated, pace = 110) {
    const { rotation } = this.goal;
    const wanted = Math.min(Math.max(zoom, this.#viewport.minimumZoom(rotation)), this.#viewport.maximumZoom);
    this.isHome = Math.abs(wanted / this.#viewport.fitZoom(rotation) - 1) < 1e-3;
    this.goTo(
      this.#viewport.constrained(this.#viewport.zoomed({ ...this.view, rotation }, wanted, x, y)), isAnimated, pace,
    );
  }

  // The stage was resized.
  resized() {
    this.#target = this.#velocity = null;
    this.view = this.isHome ? this.#viewport.home(this.view.rotation) : this.#viewport.constrained(this.view);
  }

  // Gestures

  hold() {
    this.#target = this.#velocity = null;
    this.#held = { ...this.view };
    this.#moved();
  }

  drag(dx, dy) {
    if (!this.#held) return;
    this.#held = this.#viewport.panned(this.#held, dx, dy);
    this.view = this.#viewport.resisted(this.#held);
    this.#moved();
  }

  pinch(factor, x, y, dx, dy) {
    if (!this.#held) return;
    this.#held = this.#viewport.zoomed(this.#viewport.panned(this.#held, dx, dy), this.#held.zoom * factor, x, y);
    this.view = this.#viewport.resisted(this.#held);
    this.isHome = false;
    this.#moved();
  }

  // Released at a velocity: continues with momentum, within the bounds.
  release(vx, vy) {
    this.#held = null;
    const { rotation, zoom } = this.view;
    const fit = this.#viewport.fitZoom(rotation);
    if (!this.isHome && zoom < fit * 1.02 && zoom > fit * 0.5) this.isHome = true;
    const rest = this.isHome ? this.#viewport.home(rotation) : this.#viewport.constrained(this.view);
    if (!this.isHome && this.#viewport.canPan(rest) && Math.hypot(vx, vy) > 0.08 && !calm.matches) {
      this.#velocity = { x: vx, y: vy };
      this.#moved();
    } else {
      this.goTo(rest, true, 90);
    }
  }

  // Advances by a number of milliseconds, and returns whether anything moved.
  step(time) {
    if (this.#target) this.#approach(time);
    else if (this.#velocity) this.#glide(time);
    else return false;
    return true;
  }

  #approach(time) {
    const target = this.#target;
    this.view = between(this.view, target, 1 - Math.exp(-time / this.#pace));
    const distance = Math.hypot(target.x - this.view.x, target.y - this.view.y) * target.zoom;
    const enlargement = Math.abs(Math.log(target.zoom / this.view.zoom));
    const angle = Math.abs(target.rotation - this.view.rotation);
    if (distance >= 0.3 || enlargement >= 5e-4 || angle >= 0.2) return;
    this.view = { ...target, rotation: ((target.rotation % 360) + 360) % 360 };
    this.#target = null;
  }

  #glide(time) {
    const speed = this.#velocity;
    this.view = this.#viewport.panned(this.view, speed.x * time, speed.y * time);
    const bound = this.#viewport.constrained(this.view);
    const isOut = Math.hypot(bound.x - this.view.x, bound.y - this.view.y) * this.view.zoom > 1;
    const loss = Math.exp(-time / (isOut ? 40 : inertia));
    this.#velocity = { x: speed.x * loss, y: speed.y * loss };
    const size = Math.hypot(speed.x, speed.y);
    if (size < 0.02 || (isOut && size < 0.2)) this.goTo(bound, isOut, 100);
  }
}
