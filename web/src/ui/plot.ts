// Small plots: curves over frames, before and after, with the playhead.

import { h } from "./dom";

export interface Series {
  values: readonly (number | null)[];
  /** Name of a colour of the theme. */
  colour: string;
  faint?: boolean;
  /** What it is, for the legend. */
  name?: string;
}

export interface PlotContent {
  series: Series[];
  stride: number;
  frames: number;
  unit: string;
  /** Frames to mark, and their colour. */
  marks?: readonly number[];
  /** A line at zero. */
  zero?: boolean;
}

export class Plot {
  readonly canvas = h("canvas", { class: "plot", role: "img" });
  private content: PlotContent | null = null;
  private frame = 0;

  constructor() {
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  show(content: PlotContent | null, words: string): void {
    this.content = content;
    this.canvas.setAttribute("aria-label", words);
    this.draw();
  }

  at(frame: number): void {
    if (Math.round(frame) === this.frame) return;
    this.frame = Math.round(frame);
    this.draw();
  }

  private draw(): void {
    const pen = this.canvas.getContext("2d");
    const ratio = window.devicePixelRatio;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!pen || width === 0) return;
    if (this.canvas.width !== width * ratio) [this.canvas.width, this.canvas.height] = [width * ratio, height * ratio];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    if (!this.content) return;
    const { series, stride, frames, unit, marks, zero } = this.content;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    let [least, most] = [Infinity, -Infinity];
    for (const { values } of series) {
      for (const value of values) {
        if (value === null) continue;
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
    }
    if (zero) [least, most] = [Math.min(least, 0), Math.max(most, 0)];
    if (!(most > least)) [least, most] = [least - 1, most + 1];
    const x = (frame: number) => 6 + (frame / Math.max(1, frames - 1)) * (width - 12);
    const y = (value: number) => height - 8 - ((value - least) / (most - least)) * (height - 22);
    if (zero) {
      pen.strokeStyle = colour("--strong");
      pen.beginPath();
      pen.moveTo(0, y(0));
      pen.lineTo(width, y(0));
      pen.stroke();
    }
    pen.fillStyle = colour("--bad");
    for (const mark of marks ?? []) {
      pen.beginPath();
      pen.moveTo(x(mark) - 3.5, height);
      pen.lineTo(x(mark), height - 7);
      pen.lineTo(x(mark) + 3.5, height);
      pen.fill();
    }
    for (const { values, colour: name, faint } of series) {
      pen.strokeStyle = colour(name);
      pen.globalAlpha = faint ? 0.45 : 1;
      pen.setLineDash(faint ? [3, 2] : []);
      pen.lineWidth = faint ? 1 : 1.4;
      pen.beginPath();
      let on = false;
      values.forEach((value, at) => {
        if (value === null) on = false;
        else if (on) pen.lineTo(x(at * stride), y(value));
        else {
          pen.moveTo(x(at * stride), y(value));
          on = true;
        }
      });
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
    pen.lineWidth = 1;
    pen.fillStyle = colour("--faint");
    pen.font = "10px system-ui";
    pen.textAlign = "left";
    pen.fillText(`${short(most)} ${unit}`, 6, 11);
    // The legend stands to the right, its last name first.
    pen.textAlign = "right";
    let right = width - 7;
    for (const { name, colour: tint } of [...series].reverse()) {
      if (!name) continue;
      pen.fillStyle = colour(tint);
      pen.fillText(name, right, 11);
      right -= pen.measureText(name).width + 8;
    }
    const now = Math.round(x(this.frame)) + 0.5;
    pen.strokeStyle = colour("--accent");
    pen.beginPath();
    pen.moveTo(now, 0);
    pen.lineTo(now, height);
    pen.stroke();
  }
}

/** A number with three digits and no more. */
const short = (value: number) => String(Number(value.toPrecision(3)));
