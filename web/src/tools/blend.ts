// Blend: clips in addition to the one on stage, weights by sliders or by the place of a point among them.

import { t } from "../i18n";
import type { Registration, Value } from "../protocol";
import { blend, find, parseWeights } from "../requests";
import type { Stage } from "../studio";
import { check, showFacts, group, slider } from "../ui/controls";
import { h, iconButton, label } from "../ui/dom";
import { RegistrationPlot } from "../ui/registration";
import { number, Tool } from "./tool";

/** Where clips stand on the pad: on a circle, the first at the top. */
export function anchors(count: number): [number, number][] {
  return Array.from({ length: count }, (_, at) => {
    const angle = (2 * Math.PI * at) / count - Math.PI / 2;
    return [0.5 + 0.38 * Math.cos(angle), 0.5 + 0.36 * Math.sin(angle)];
  });
}

/** Weights of a place: inverse squares of the distances, summing to 1. */
export function weightsAt(x: number, y: number, places: [number, number][]): number[] {
  const squares = places.map(([px, py]) => (x - px) ** 2 + (y - py) ** 2);
  const on = squares.findIndex((square) => square < 1e-4);
  if (on >= 0) return squares.map((_, at) => (at === on ? 1 : 0));
  const inverse = squares.map((square) => 1 / square);
  const sum = inverse.reduce((a, b) => a + b, 0);
  return inverse.map((value) => Math.round((100 * value) / sum) / 100);
}

/** Most clips of one mix: what the pad still keeps apart. */
const MOST = 8;

export class Blend extends Tool {
  readonly verbs = ["blend"] as const;
  private readonly results = h("div", {});
  private point: [number, number] | null = null;
  private padHeld = false;
  private readonly plot = new RegistrationPlot();
  private registered = "";

  private others(): string[] {
    const step = find(this.studio.document.steps, "blend");
    return step ? step.inputs.slice(1).map((name) => name.replace(/^#/, "")) : [];
  }

  private weights(): number[] {
    const step = find(this.studio.document.steps, "blend");
    const count = this.others().length + 1;
    return step?.weights ? parseWeights(step.weights) : Array.from({ length: count }, () => 1 / count);
  }

  private mix(others: string[], weights: number[], commit = true): void {
    const align = find(this.studio.document.steps, "blend")?.align ?? "time";
    this.put(others.length === 0 ? "blend" : blend(others, weights, align), "blend", commit);
  }

  protected build(): void {
    const others = this.others();
    const names = [this.studio.document.clip ?? "", ...others];
    const weights = this.weights();
    const add = h("select", { class: "field", "aria-label": t("addClip"), onchange: () => this.add(add.value) });
    add.append(h("option", { value: "" }, t("addClip")));
    for (const clip of this.studio.clips) {
      if (clip.usable && !names.includes(clip.name)) add.append(h("option", { value: clip.name }, clip.name));
    }
    const rows = names.map((name, at) => {
      const row = slider(name, { least: -0.5, most: 1.5, step: 0.01 }, weights[at] ?? 0, (w) => w.toFixed(2), (weight, commit) => {
        this.point = null;
        const next = this.weights().map((old, index) => (index === at ? weight : old));
        this.mix(this.others(), next, commit);
        this.drawPad();
      });
      row.dataset["weight"] = String(at);
      if (at > 0) {
        const remove = iconButton("close", () => this.drop(at), "bare small");
        label(remove, t("remove", { name }));
        row.style.gridTemplateColumns = "86px minmax(0, 1fr) 38px 22px";
        row.append(remove);
      }
      return row;
    });
    this.element.append(group(t("mix"), this.note("blendHelp"), others.length < MOST - 1 ? add : null));
    if (others.length === 0) return;
    const step = find(this.studio.document.steps, "blend");
    const align = check(t("align"), step?.align !== "none", (on) => {
      if (step) this.put({ ...step, align: on ? "time" : "none" }, "align");
    });
    this.element.append(group(t("weights"), ...rows, align));
    if (others.length > 1) this.element.append(group(t("pad"), this.pad, this.note("padHelp")));
    if (step?.align !== "none") this.element.append(group(t("registration"), this.plot.canvas));
    this.element.append(this.results);
    this.drawPad();
  }

  /** The correspondence depends on the clips and not on their weights. */
  private register(): void {
    const { clip, steps } = this.studio.document;
    const at = steps.findIndex((step) => step.verb === "blend");
    const key = at < 0 ? "" : JSON.stringify([clip, steps.slice(0, at), this.others()]);
    if (key === this.registered) return;
    this.registered = key;
    if (key !== "") this.studio.send({ intent: "registration" });
  }

  override registration(curves: Registration[]): void {
    this.plot.show(curves, t("registration"));
  }

  private add(name: string): void {
    if (!name) return;
    const others = [...this.others(), name];
    this.mix(others, others.map(() => 1 / (others.length + 1)).concat(1 / (others.length + 1)).map((w) => Math.round(100 * w) / 100));
    this.rebuild();
  }

  private drop(at: number): void {
    const others = this.others().filter((_, index) => index !== at - 1);
    this.mix(others, this.weights().filter((_, index) => index !== at));
    this.rebuild();
  }

  private readonly pad: HTMLCanvasElement = (() => {
    const canvas = h("canvas", { class: "pad", tabindex: 0, role: "img" });
    const move = (event: PointerEvent, commit: boolean) => {
      if (!this.padHeld) return;
      this.point = [event.offsetX / canvas.clientWidth, event.offsetY / canvas.clientHeight];
      const weights = weightsAt(...this.point, anchors(this.others().length + 1));
      this.mix(this.others(), weights, commit);
      this.drawPad();
      if (commit) {
        this.padHeld = false;
        this.rebuild();
      }
    };
    canvas.addEventListener("pointerdown", (event) => {
      this.padHeld = true;
      canvas.setPointerCapture(event.pointerId);
      move(event, false);
    });
    canvas.addEventListener("pointermove", (event) => move(event, false));
    canvas.addEventListener("pointerup", (event) => move(event, true));
    new ResizeObserver(() => this.drawPad()).observe(canvas);
    return canvas;
  })();

  private drawPad(): void {
    const pen = this.pad.getContext("2d");
    const [width, height, ratio] = [this.pad.clientWidth, this.pad.clientHeight, window.devicePixelRatio];
    if (!pen || width === 0) return;
    [this.pad.width, this.pad.height] = [width * ratio, height * ratio];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const names = [this.studio.document.clip ?? "", ...this.others()];
    const places = anchors(names.length);
    const weights = this.weights();
    const sum = weights.reduce((a, b) => a + b, 0) || 1;
    const mean = (axis: 0 | 1) => places.reduce((all, place, at) => all + (place[axis] * (weights[at] ?? 0)) / sum, 0);
    const [x, y] = this.point ?? [mean(0), mean(1)];
    pen.font = "11px system-ui";
    pen.textAlign = "center";
    places.forEach(([px, py], at) => {
      pen.strokeStyle = colour("--line");
      pen.beginPath();
      pen.moveTo(x * width, y * height);
      pen.lineTo(px * width, py * height);
      pen.stroke();
      pen.fillStyle = colour("--soft");
      pen.beginPath();
      pen.arc(px * width, py * height, 3 + 7 * Math.max(0, (weights[at] ?? 0) / sum), 0, 7);
      pen.fill();
      pen.fillText(names[at] ?? "", px * width, py * height + (py < 0.5 ? -14 : 22));
    });
    pen.fillStyle = colour("--accent");
    pen.beginPath();
    pen.arc(x * width, y * height, 6, 0, 7);
    pen.fill();
  }

  override stage(_: Stage): void {
    this.register();
    const report = this.report("blend");
    const clips = (report?.["clips"] ?? []) as { [key: string]: Value }[];
    const rows: [string, string][] = clips.slice(1).flatMap((clip) => {
      const aligned = clip["aligned"] as { [key: string]: Value } | null;
      if (!aligned) return [];
      const pace = `${number(aligned["slowest"]).toFixed(2)}–${number(aligned["fastest"]).toFixed(2)}×`;
      return [[`${t("aligned")}: ${String(clip["name"])}`, pace] as [string, string]];
    });
    const contacts = (report?.["contacts"] ?? []) as Value[];
    if (report) rows.push([t("feetHeld"), String(contacts.length)]);
    showFacts(this.results, rows);
  }
}
