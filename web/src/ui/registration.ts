// Which moments of clips correspond: the first clip's time to the right, the others' upwards.

import type { Registration } from "../protocol";
import { h } from "./dom";

const COLOURS = ["--accent", "--left", "--right", "--good", "--soft", "--faint"];

export class RegistrationPlot {
  readonly canvas = h("canvas", { class: "plot", role: "img" });
  private curves: Registration[] = [];

  constructor() {
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  show(curves: Registration[], words: string): void {
    this.curves = curves;
    this.canvas.setAttribute("aria-label", words);
    this.draw();
  }

  private draw(): void {
    const pen = this.canvas.getContext("2d");
    const [width, height, ratio] = [this.canvas.clientWidth, this.canvas.clientHeight, window.devicePixelRatio];
    if (!pen || width === 0) return;
    [this.canvas.width, this.canvas.height] = [width * ratio, height * ratio];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const right = Math.max(0.1, ...this.curves.map((curve) => curve.seconds[0]));
    const up = Math.max(0.1, ...this.curves.map((curve) => curve.seconds[1]));
    const x = (second: number) => 8 + (second / right) * (width - 16);
    const y = (second: number) => height - 8 - (second / up) * (height - 24);
    pen.strokeStyle = colour("--line");
    for (let second = 0; second <= right; second += 1) line(pen, x(second), 0, x(second), height);
    for (let second = 0; second <= up; second += 1) line(pen, 0, y(second), width, y(second));
    pen.font = "10px system-ui";
    let at = 8;
    this.curves.forEach((curve, index) => {
      pen.strokeStyle = pen.fillStyle = colour(COLOURS[index % COLOURS.length] as string);
      pen.lineWidth = 1.5;
      pen.beginPath();
      for (const [first, other] of curve.points) pen.lineTo(x(first), y(other));
      pen.stroke();
      pen.fillText(curve.name, at, 12);
      at += pen.measureText(curve.name).width + 10;
    });
    pen.lineWidth = 1;
  }
}

function line(pen: CanvasRenderingContext2D, x: number, y: number, toX: number, toY: number): void {
  pen.beginPath();
  pen.moveTo(Math.round(x) + 0.5, Math.round(y) + 0.5);
  pen.lineTo(Math.round(toX) + 0.5, Math.round(toY) + 0.5);
  pen.stroke();
}
