// Translates pointer, wheel and tap events on a stage into gestures: pan, pinch, fling, double tap.

const slop = 5; // CSS pixels that a finger may tremble
const doubleTapTime = 320;
const doubleTapDistance = 32;
const velocityTime = 90; // milliseconds of movement that make the speed at the end

export class Gestures {
  #stage;
  #receiver;
  #pointers = new Map();
  #moves = [];
  #start = null;
  #lastTap = null;
  #isDragging = false;
  #hadSeveral = false;

  // `receiver` has begin(), move(dx, dy), pinch(factor, x, y, dx, dy), end({vx, vy, dx, dy, isTouch}), wheel(factor, x, y),
  // which returns whether it handled the event, and doubleTap(x, y, isReverse).
  constructor(stage, receiver) {
    this.#stage = stage;
    this.#receiver = receiver;
    stage.addEventListener("pointerdown", (event) => this.#down(event));
    stage.addEventListener("pointermove", (event) => this.#move(event));
    stage.addEventListener("pointerup", (event) => this.#up(event));
    stage.addEventListener("pointercancel", (event) => this.#up(event));
    stage.addEventListener("lostpointercapture", (event) => this.#up(event));
    stage.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    stage.addEventListener("dblclick", (event) => {
      if (this.#lastTap?.isTouch) return;
      this.#receiver.doubleTap(...this.#place(event), event.shiftKey || event.altKey);
    });
    // Safari's built-in pinch would zoom the page.
    stage.addEventListener("gesturestart", (event) => event.preventDefault());
  }

  #place(event) {
    const box = this.#stage.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  #down(event) {
    if (event.pointerType === "mouse" && event.button > 1) return;
    const [x, y] = this.#place(event);
    this.#pointers.set(event.pointerId, { x, y });
    try {
      this.#stage.setPointerCapture(event.pointerId);
    } catch {
      // The pointer has already gone.
    }
    if (this.#pointers.size === 1) {
      this.#start = { x, y, time: event.timeStamp };
      this.#moves = [{ x, y, time: event.timeStamp }];
      this.#isDragging = false;
      this.#hadSeveral = false;
      this.#receiver.begin();
    } else {
      this.#isDragging = true;
      this.#hadSeveral = true;
    }
  }

  #move(event) {
    const pointer = this.#pointers.get(event.pointerId);
    if (!pointer) return;
    const [x, y] = this.#place(event);
    if (this.#pointers.size === 1) {
      if (!this.#isDragging && Math.hypot(x - this.#start.x, y - this.#start.y) < slop) return;
      this.#isDragging = true;
      this.#receiver.move(x - pointer.x, y - pointer.y);
      this.#moves.push({ x, y, time: event.timeStamp });
    } else if (this.#pointers.size === 2) {
      const other = [...this.#pointers].find(([id]) => id !== event.pointerId)[1];
      const before = Math.hypot(pointer.x - other.x, pointer.y - other.y);
      const after = Math.hypot(x - other.x, y - other.y);
      this.#receiver.pinch(
        Math.max(after, 1) / Math.max(before, 1),
        (x + other.x) / 2,
        (y + other.y) / 2,
        (x - pointer.x) / 2,
        (y - pointer.y) / 2,
      );
    }
    pointer.x = x;
    pointer.y = y;
  }

  #up(event) {
    if (!this.#pointers.delete(event.pointerId)) return;
    if (this.#pointers.size > 0) {
      const [rest] = this.#pointers.values();
      this.#moves = [{ ...rest, time: event.timeStamp }];
      return;
    }
    const isTouch = event.pointerType !== "mouse";
    if (!this.#isDragging) {
      this.#receiver.end({ vx: 0, vy: 0, dx: 0, dy: 0, isTouch });
      if (event.type === "pointerup") this.#tap(event, isTouch);
      return;
    }
    const recent = this.#moves.filter((move) => event.timeStamp - move.time < velocityTime);
    const [first, last] = [recent[0], recent.at(-1)];
    const time = first && last.time - first.time > 8 ? last.time - first.time : Infinity;
    const end = this.#moves.at(-1);
    this.#receiver.end({
      vx: first ? (last.x - first.x) / time : 0,
      vy: first ? (last.y - first.y) / time : 0,
      dx: this.#hadSeveral ? 0 : end.x - this.#start.x,
      dy: this.#hadSeveral ? 0 : end.y - this.#start.y,
      isTouch,
    });
  }

  #tap(event, isTouch) {
    const [x, y] = this.#place(event);
    const last = this.#lastTap;
    const isSoon = last && event.timeStamp - last.time < doubleTapTime;
    const isDouble = isSoon && isTouch && Math.hypot(x - last.x, y - last.y) < doubleTapDistance;
    this.#lastTap = isDouble ? { isTouch, time: -Infinity, x, y } : { isTouch, time: event.timeStamp, x, y };
    if (isDouble) this.#receiver.doubleTap(x, y, false);
  }

  #wheel(event) {
    const unit = event.deltaMode === 1 ? 20 : event.deltaMode === 2 ? 400 : 1;
    const delta = Math.max(-300, Math.min(300, (event.deltaY || event.deltaX) * unit));
    // Trackpad pinches arrive as small wheel steps with the Control key.
    const factor = Math.exp(-delta * (event.ctrlKey && Math.abs(delta) < 50 ? 0.012 : 0.0025));
    if (this.#receiver.wheel(factor, ...this.#place(event)) || event.ctrlKey) event.preventDefault();
  }
}
