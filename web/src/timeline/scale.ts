// From frames to places on the timeline and back; the visible interval can be zoomed and moved.

/** Pixels left free at either side. */
export const MARGIN = 14;

export class TimeScale {
  private from = 0;
  private to = 1;
  private frames = 1;
  private width = 1;

  /** Another motion or another width; a motion of the same length keeps its zoom. */
  fit(frames: number, width: number): void {
    if (frames !== this.frames) {
      this.frames = Math.max(1, frames);
      this.from = 0;
      this.to = Math.max(1, frames - 1);
    }
    this.width = width;
  }

  x(frame: number): number {
    return MARGIN + ((frame - this.from) / (this.to - this.from)) * (this.width - 2 * MARGIN);
  }

  frame(x: number): number {
    return this.from + ((x - MARGIN) / Math.max(1, this.width - 2 * MARGIN)) * (this.to - this.from);
  }

  /** Zooms by a factor about a place, within the motion and down to ten frames. */
  zoom(x: number, factor: number): void {
    const last = Math.max(1, this.frames - 1);
    const middle = this.frame(x);
    const span = Math.min(last, Math.max(Math.min(10, last), (this.to - this.from) * factor));
    const ratio = (middle - this.from) / (this.to - this.from);
    this.from = Math.min(Math.max(0, middle - ratio * span), last - span);
    this.to = this.from + span;
  }

  /** Moves the visible interval by so many pixels, within the motion. */
  shift(pixels: number): void {
    const span = this.to - this.from;
    const by = (pixels * span) / Math.max(1, this.width - 2 * MARGIN);
    this.from = Math.min(Math.max(0, this.from + by), Math.max(1, this.frames - 1) - span);
    this.to = this.from + span;
  }

  /** Brings a frame into sight; says whether it was outside. */
  reveal(frame: number): boolean {
    if (frame >= this.from && frame <= this.to) return false;
    this.shift(this.x(frame) - (frame > this.to ? MARGIN : this.width - MARGIN));
    return true;
  }

  get visible(): readonly [number, number] {
    return [this.from, this.to];
  }

  /** Seconds between marks, so that they stand at least so many pixels apart. */
  tick(fps: number, apart: number): number {
    const perSecond = this.x(fps) - this.x(0);
    const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600];
    return steps.find((step) => step * perSecond >= apart) ?? 1200;
  }
}
