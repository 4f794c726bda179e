// The timeline: ruler, bands of contact, curves of speed, cuts and playhead, on one canvas.

import { h } from "../ui/dom";
import { onLanguage, t } from "../i18n";
import { bodyPart } from "../names";
import type { Document } from "../protocol";
import { find, parseSegment, segmentText } from "../requests";
import type { Studio } from "../studio";
import { segmentBetween } from "../tools/edit";
import { MARGIN, TimeScale } from "./scale";

/** Heights of the rows, pixels. */
const ROWS = { ruler: 20, band: 11, gap: 5 };
/** Height of the names of curves, pixels. */
const LEGEND = 14;
/** How near a cut is to be taken, pixels. */
const REACH = 7;
/** Colours of curves after the first, mixed from the theme. */
const CURVES = ["--accent", "--left", "--right", "--good", "--soft", "--faint"];

export class Timeline {
  readonly canvas = h("canvas", { class: "time-canvas", role: "slider", tabindex: 0, "aria-valuemin": 0 });
  private readonly scale = new TimeScale();
  private held: number | "playhead" | null = null;
  private dirty = true;
  private cuts: number[] = [];

  constructor(private readonly studio: Studio) {
    const again = () => (this.dirty = true);
    studio.on("stage", again);
    studio.on("speeds", again);
    studio.on("frame", (frame) => {
      // A playhead that leaves what is seen takes it along.
      if (this.held === null) this.scale.reveal(frame);
      this.dirty = true;
    });
    studio.on("document", (document) => {
      if (this.held === null || this.held === "playhead") this.cuts = this.ends(document) ?? document.cuts;
      this.dirty = true;
    });
    this.canvas.addEventListener("pointerdown", (event) => this.take(event));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"] as const) this.canvas.addEventListener(end, () => this.leave());
    this.canvas.addEventListener("dblclick", (event) => this.uncut(event.offsetX));
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      // The wheel zooms; with Shift, or sideways, it moves what is seen.
      const across = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.scale.shift(across);
      else this.scale.zoom(event.offsetX, Math.exp(event.deltaY * 0.0015));
      this.dirty = true;
    }, { passive: false });
    new ResizeObserver(again).observe(this.canvas);
    onLanguage(() => {
      this.canvas.setAttribute("aria-label", t("timeline"));
      this.dirty = true;
    });
  }

  /** Colours changed. */
  theme(): void {
    this.dirty = true;
  }

  private take(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    const cut = this.nearCut(event.offsetX);
    this.held = cut ?? "playhead";
    if (cut === null) this.seek(event);
  }

  /** The ends of the segment that the edit tool works on. */
  private ends({ tool, steps }: Document): [number, number] | null {
    return tool === "edit" ? parseSegment(find(steps, "edit")?.segment ?? null) : null;
  }

  private nearCut(x: number): number | null {
    const { document } = this.studio;
    if (document.tool !== "segment" && !this.ends(document)) return null;
    const near = this.cuts.findIndex((cut) => Math.abs(this.scale.x(cut) - x) < REACH);
    return near < 0 ? null : near;
  }

  /** A cut that is pressed twice is taken away. */
  private uncut(x: number): void {
    const cut = this.nearCut(x);
    if (cut !== null && this.studio.document.tool === "segment") this.studio.edit({ cuts: this.cuts.filter((_, index) => index !== cut) }, "cut");
  }

  private seek(event: PointerEvent): void {
    this.studio.play(false);
    this.studio.seek(Math.round(this.scale.frame(event.offsetX)));
  }

  private move(event: PointerEvent): void {
    if (this.held === null) {
      this.canvas.style.cursor = this.nearCut(event.offsetX) === null ? "" : "col-resize";
      return;
    }
    if (this.held === "playhead") return this.seek(event);
    const last = (this.studio.stage?.motion.frames ?? 2) - 2;
    const frame = Math.max(1, Math.min(last, Math.round(this.scale.frame(event.offsetX))));
    this.cuts = this.cuts.map((cut, index) => (index === this.held ? frame : cut));
    this.studio.seek(frame);
    this.dirty = true;
  }

  private leave(): void {
    const moved = typeof this.held === "number";
    this.held = null;
    if (!moved) return;
    const cuts = [...new Set(this.cuts)].sort((a, b) => a - b);
    const step = this.studio.document.tool === "edit" ? find(this.studio.document.steps, "edit") : undefined;
    if (step) {
      const [start, end] = segmentBetween(cuts[0] ?? 0, cuts.at(-1) ?? 0, this.studio.stage?.motion.frames ?? 1);
      return this.studio.step({ ...step, segment: segmentText(start, end) }, "edit");
    }
    if (cuts.join() !== this.studio.document.cuts.join()) this.studio.edit({ cuts }, "cut");
  }

  /** Draws what changed; once per frame of the screen. */
  draw(): void {
    if (!this.dirty) return;
    this.dirty = false;
    const ratio = window.devicePixelRatio;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (this.canvas.width !== width * ratio || this.canvas.height !== height * ratio) {
      this.canvas.width = width * ratio;
      this.canvas.height = height * ratio;
    }
    const pen = this.canvas.getContext("2d");
    const motion = this.studio.stage?.motion;
    if (!pen || !motion) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    this.scale.fit(motion.frames, width);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.save();
    pen.beginPath();
    pen.rect(MARGIN - 6, 0, width - 2 * MARGIN + 12, height);
    pen.clip();
    this.ruler(pen, motion.fps, width, height, colour);
    let top = ROWS.ruler + 4;
    for (const left of [true, false]) {
      this.band(pen, left, top, width, colour);
      top += ROWS.band + 2;
    }
    top += ROWS.gap;
    this.speeds(pen, top, height - top - 6, colour);
    const ends = this.ends(this.studio.document);
    if (ends) {
      const [from, to] = [this.scale.x(this.cuts[0] ?? ends[0]), this.scale.x(this.cuts[1] ?? ends[1])];
      pen.fillStyle = colour("--accent-soft");
      pen.fillRect(Math.min(from, to), ROWS.ruler, Math.abs(to - from), height - ROWS.ruler);
    }
    if (ends || this.studio.document.tool === "segment") this.drawCuts(pen, height, colour);
    this.playhead(pen, height, colour);
    pen.restore();
    const frame = Math.round(this.studio.frame);
    this.canvas.setAttribute("aria-valuemax", String(motion.frames - 1));
    this.canvas.setAttribute("aria-valuenow", String(frame));
    this.canvas.setAttribute("aria-valuetext", `${(frame / motion.fps).toFixed(2)} s`);
  }

  private ruler(pen: CanvasRenderingContext2D, fps: number, width: number, height: number, colour: (name: string) => string): void {
    const tick = this.scale.tick(fps, 58);
    const [from, to] = this.scale.visible;
    pen.font = "10.5px system-ui";
    pen.textBaseline = "middle";
    for (let second = Math.floor(from / fps / tick) * tick; second * fps <= to + 1; second += tick) {
      const x = Math.round(this.scale.x(second * fps)) + 0.5;
      pen.strokeStyle = colour("--line");
      pen.beginPath();
      pen.moveTo(x, ROWS.ruler);
      pen.lineTo(x, height);
      pen.stroke();
      pen.fillStyle = colour("--faint");
      const words = tick < 1 ? `${second.toFixed(1)} s` : `${Math.round(second)} s`;
      // Half a number at the edge is worse than none.
      if (x + 3 + pen.measureText(words).width < width - MARGIN + 6) pen.fillText(words, x + 3, ROWS.ruler / 2);
    }
  }

  private band(pen: CanvasRenderingContext2D, left: boolean, top: number, width: number, colour: (name: string) => string): void {
    pen.fillStyle = colour("--raised");
    pen.beginPath();
    pen.roundRect(MARGIN, top, width - 2 * MARGIN, ROWS.band, 3);
    pen.fill();
    pen.fillStyle = colour(left ? "--left" : "--right");
    for (const print of this.studio.stage?.motion.footprints ?? []) {
      if (print.left !== left) continue;
      const x = this.scale.x(print.start);
      pen.beginPath();
      pen.roundRect(x, top, Math.max(2, this.scale.x(print.end - 1) - x), ROWS.band, 3);
      pen.fill();
    }
    // Which foot it is, where it can be read over both colours.
    pen.font = "600 9px system-ui";
    pen.textBaseline = "middle";
    const [x, y] = [MARGIN + 4, top + ROWS.band / 2 + 0.5];
    pen.lineWidth = 2.5;
    pen.lineJoin = "round";
    pen.strokeStyle = colour("--panel");
    pen.strokeText(t(left ? "leftShort" : "rightShort"), x, y);
    pen.fillStyle = colour("--text");
    pen.fillText(t(left ? "leftShort" : "rightShort"), x, y);
    pen.lineWidth = 1;
  }

  private speeds(pen: CanvasRenderingContext2D, top: number, tall: number, colour: (name: string) => string): void {
    const { speeds } = this.studio;
    if (!speeds || tall < 10) return;
    const names = speeds.groups.map((group) => bodyPart(group.name));
    const most = Math.max(0.5, ...speeds.groups.map((group) => group.values.reduce((a, b) => Math.max(a, b), 0)));
    this.legend(pen, names, top, most, colour);
    [top, tall] = [top + LEGEND, tall - LEGEND];
    const y = (speed: number) => top + tall - (speed / most) * tall;
    if (this.studio.document.tool === "segment") {
      pen.fillStyle = colour("--accent-soft");
      for (const bell of speeds.bells) {
        pen.beginPath();
        pen.moveTo(this.scale.x(bell.start), top + tall);
        const [a, m, b] = [bell.start, bell.peak, bell.end].map((frame) => this.scale.x(frame)) as [number, number, number];
        pen.bezierCurveTo((a + m) / 2, top + tall, (a + m) / 2, y(bell.peak_m_s), m, y(bell.peak_m_s));
        pen.bezierCurveTo((b + m) / 2, y(bell.peak_m_s), (b + m) / 2, top + tall, b, top + tall);
        pen.fill();
      }
    }
    speeds.groups.forEach((group, index) => {
      pen.strokeStyle = colour(CURVES[index % CURVES.length] as string);
      pen.globalAlpha = index === 0 ? 1 : 0.62;
      pen.lineWidth = index === 0 ? 1.6 : 1;
      pen.beginPath();
      group.values.forEach((value, at) => pen.lineTo(this.scale.x(speeds.first + at * speeds.stride), y(value)));
      pen.stroke();
    });
    pen.globalAlpha = 1;
    pen.lineWidth = 1;
  }

  private legend(pen: CanvasRenderingContext2D, names: string[], top: number, most: number, colour: (name: string) => string): void {
    pen.font = "10.5px system-ui";
    pen.textBaseline = "top";
    let x = MARGIN + 4;
    pen.fillStyle = colour("--faint");
    const unit = `${most.toFixed(1)} m/s`;
    pen.fillText(unit, x, top);
    x += pen.measureText(unit).width + 12;
    names.slice(0, 4).forEach((name, index) => {
      pen.fillStyle = colour(CURVES[index % CURVES.length] as string);
      pen.fillText(name, x, top);
      x += pen.measureText(name).width + 10;
    });
  }

  private drawCuts(pen: CanvasRenderingContext2D, height: number, colour: (name: string) => string): void {
    pen.strokeStyle = pen.fillStyle = colour("--text");
    for (const cut of this.cuts) {
      const x = Math.round(this.scale.x(cut)) + 0.5;
      pen.globalAlpha = 0.85;
      pen.beginPath();
      pen.moveTo(x, ROWS.ruler - 2);
      pen.lineTo(x, height);
      pen.stroke();
      pen.beginPath();
      pen.roundRect(x - 3.5, ROWS.ruler - 8, 7, 9, 2);
      pen.fill();
    }
    pen.globalAlpha = 1;
  }

  private playhead(pen: CanvasRenderingContext2D, height: number, colour: (name: string) => string): void {
    const x = Math.round(this.scale.x(this.studio.frame)) + 0.5;
    pen.strokeStyle = pen.fillStyle = colour("--accent");
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x, 6);
    pen.lineTo(x, height);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(x - 5, 2);
    pen.lineTo(x + 5, 2);
    pen.lineTo(x, 10);
    pen.fill();
    pen.lineWidth = 1;
  }
}
