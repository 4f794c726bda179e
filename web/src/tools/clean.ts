// Clean: kernel, width and method; bands; the curves of one joint before and after.

import { t } from "../i18n";
import { bodyPart } from "../names";
import type { Value } from "../protocol";
import { equalize, filter, find, plant, type Equalize, type Filter } from "../requests";

type Method = NonNullable<Filter["method"]>;
type Edge = NonNullable<Filter["edge"]>;
type Part = NonNullable<Equalize["part"]> | null;
import type { Curves, Stage } from "../studio";
import { band, check, choice, facts, group, slider, type Range } from "../ui/controls";
import { button, h } from "../ui/dom";
import { Plot } from "../ui/plot";
import { number, Tool } from "./tool";

type Shape = "none" | "gauss" | "box" | "binomial" | "savgol";

/** Widths that make sense, frames: deviation of a Gaussian, taps of the others. */
const WIDTHS: Record<Shape, Range & { usual: number }> = {
  none: { least: 0, most: 0, step: 1, usual: 0 },
  gauss: { least: 0.5, most: 20, step: 0.1, usual: 2.5 },
  box: { least: 3, most: 101, step: 2, usual: 11 },
  binomial: { least: 3, most: 51, step: 2, usual: 9 },
  savgol: { least: 5, most: 51, step: 2, usual: 11 },
};

/** A kernel's word taken apart: `savgol:11,3`. */
export function parseKernel(word: string | null): { shape: Shape; width: number; degree: number } {
  const [shape, numbers] = (word ?? "none").split(":");
  const [width, degree] = (numbers ?? "").split(",").map(Number);
  const known = shape && shape in WIDTHS ? (shape as Shape) : "none";
  return { shape: known, width: width || WIDTHS[known].usual, degree: degree || 3 };
}

export function kernelWord(shape: Shape, width: number, degree: number): string | null {
  if (shape === "none") return null;
  return shape === "savgol" ? `savgol:${width},${Math.min(degree, width - 1)}` : `${shape}:${width}`;
}

export class Clean extends Tool {
  readonly verbs = ["filter", "equalize", "plant"] as const;
  private readonly plot = new Plot();
  private readonly done = h("div", {});
  private readonly bands = h("div", { class: "bands" });
  private joint = -1;
  private bandsOf = "";
  private rows: { low_hz: number; high_hz: number }[] = [];
  private kernel = parseKernel(null);

  protected build(): void {
    const { steps } = this.studio.document;
    const step = find(steps, "filter");
    this.kernel = parseKernel(step?.kernel ?? null);
    const { method: used = "exact", edge: end = "reflect" } = step ?? {};
    const method = (value: Method) => this.filter({ method: value });
    const edge = (value: Edge) => this.filter({ edge: value });
    const shapes = (["none", "gauss", "box", "binomial", "savgol"] as const).map(
      (shape) => [shape, shape === "none" ? t("none") : shape] as const,
    );
    const smoothing = group(
      t("smooth"),
      choice("" + t("kernel"), shapes, this.kernel.shape, (shape) => {
        this.kernel = { shape, width: WIDTHS[shape].usual, degree: 3 };
        this.filter({});
        this.rebuild();
      }),
    );
    if (this.kernel.shape !== "none") {
      const show = (width: number) => (this.kernel.shape === "gauss" ? `σ ${width.toFixed(1)}` : String(width));
      smoothing.append(
        slider(t("width"), WIDTHS[this.kernel.shape], this.kernel.width, show, (width, commit) => {
          this.kernel.width = width;
          this.filter({}, commit);
        }),
      );
      if (this.kernel.shape === "savgol") {
        smoothing.append(
          slider(t("degree"), { least: 1, most: 5, step: 1 }, this.kernel.degree, String, (degree, commit) => {
            this.kernel.degree = degree;
            this.filter({}, commit);
          }),
        );
      }
      const methods = (["exact", "expmap", "qlerp", "leeshin", "qlerp-raw", "log-raw"] as const).map((m) => [m, m] as const);
      const edges = (["reflect", "clamp", "truncate", "copy"] as const).map((e) => [e, e] as const);
      smoothing.append(choice(t("method"), methods, used, method), choice(t("edges"), edges, end, edge));
    }
    smoothing.append(
      check(t("despike"), step?.despike ?? false, (despike) => this.filter({ despike })),
      check(t("plant"), find(steps, "plant") !== undefined, (on) => this.put(on ? plant() : "plant", "plant")),
      this.done,
    );
    const part = find(steps, "equalize")?.part ?? "";
    const parts = ["", "upper", "lower", "torso", "head", "left-arm", "right-arm", "left-leg", "right-leg"];
    const reset = button(t("reset"), () => {
      this.put("equalize", "bands");
      this.rebuild();
    }, "small bare");
    const equaliser = group(t("bandsHz"), this.bands);
    equaliser.querySelector("h3")?.append(reset);
    equaliser.append(
      choice(t("part"), parts.map((name) => [name, name === "" ? t("whole") : bodyPart(name)] as const), part, (name) =>
        this.gains(this.gainsNow(), (name || null) as Part, true),
      ),
    );
    this.element.append(smoothing, equaliser, this.jointCurves());
    this.drawBands();
  }

  private current(): Filter {
    return find(this.studio.document.steps, "filter") ?? filter();
  }

  private filter(change: Partial<Filter>, commit = true): void {
    const { shape, width, degree } = this.kernel;
    const step = { ...this.current(), ...change, kernel: kernelWord(shape, width, degree) };
    const nothing = step.kernel === null && !step.despike;
    this.put(nothing ? "filter" : step, "smooth", commit);
  }

  private gainsNow(): number[] {
    const gains = find(this.studio.document.steps, "equalize")?.gains ?? [];
    return this.rows.map((_, at) => gains[at] ?? 1);
  }

  private gains(gains: number[], part: Part, commit: boolean): void {
    const nothing = gains.every((gain) => gain === 1) && part === null;
    this.put(nothing ? "equalize" : equalize(gains, part), "bands", commit);
  }

  /** Frequencies of the bands depend on the motion; the library reports them. */
  private async askBands(key: string): Promise<void> {
    this.bandsOf = key;
    const report = await this.studio.ask(equalize([1]));
    if (this.bandsOf !== key || !report || typeof report !== "object" || Array.isArray(report)) return;
    const rows = Array.isArray(report["bands"]) ? report["bands"] : [];
    this.rows = rows.map((row) => {
      const fields = row as { [key: string]: Value };
      return { low_hz: number(fields["low_hz"]), high_hz: number(fields["high_hz"]) };
    });
    this.drawBands();
  }

  private drawBands(): void {
    const gains = this.gainsNow();
    const hertz = (value: number) => (value < 1 ? value.toFixed(2).replace(/^0/, "") : value.toFixed(value < 10 ? 1 : 0));
    this.bands.replaceChildren(
      ...this.rows.map((row, at) =>
        band(`${hertz(row.low_hz)}–${hertz(row.high_hz)} Hz`, hertz(row.high_hz), gains[at] ?? 1, (gain, commit) => {
          const next = this.gainsNow().map((old, index) => (index === at ? gain : old));
          this.gains(next, find(this.studio.document.steps, "equalize")?.part ?? null, commit);
        }),
      ),
    );
  }

  private jointCurves(): HTMLElement {
    const joints = this.studio.stage?.motion.joints ?? [];
    if (joints.length > 0 && (this.joint < 0 || this.joint >= joints.length)) {
      this.joint = Math.max(0, joints.findIndex((joint) => joint.role === "leftLowerLeg"));
    }
    const shown = joints
      .map((joint, at) => [String(at), joint.role ?? joint.name] as const)
      .filter(([, name]) => !/(Thumb|Index|Middle|Ring|Little)/.test(name))
      .map(([at, name]) => [at, bodyPart(name)] as const);
    return group(
      t("curves"),
      choice(t("joint"), shown, String(this.joint), (joint) => {
        this.joint = Number(joint);
        this.askCurves();
      }),
      this.plot.canvas,
    );
  }

  private askCurves(): void {
    const stage = this.studio.stage;
    if (!stage) return;
    const other = stage.ghost?.stream ?? null;
    this.studio.send({ intent: "curves", stream: stage.motion.stream, other, joint: this.joint });
  }

  override stage(stage: Stage): void {
    const before = stage.ghost ?? stage.motion;
    const key = `${before.name} ${before.frames}`;
    if (key !== this.bandsOf) void this.askBands(key);
    if (this.joint < 0) {
      const old = this.plot.canvas.parentElement;
      old?.replaceWith(this.jointCurves());
    }
    this.askCurves();
    const rows: [string, string][] = [];
    const report = this.report("filter");
    const filtered = report?.["filter"] as { [key: string]: Value } | null | undefined;
    const despiked = report?.["despike"] as { [key: string]: Value } | null | undefined;
    if (filtered) {
      rows.push([t("taps"), String(number(filtered["taps"]))]);
      rows.push([t("changed"), `${bodyPart(String(filtered["largest_change_joint"] ?? "–"))} ${number(filtered["largest_change_deg"]).toFixed(2)}°`]);
    }
    this.done.replaceChildren(facts(rows));
    if (despiked) {
      const words = t("glitches", { n: number(despiked["values_changed"]), frames: number(despiked["frames_changed"]) });
      this.done.append(h("p", { class: "note" }, words), this.mended());
    }
  }

  /** Joints in which glitches were mended; a press shows the curves of one. */
  private mended(): HTMLElement {
    const { joints } = this.studio.stage?.motion ?? { joints: [] };
    const chips = this.glitches().map(({ joint, frames }) => {
      const at = joints.findIndex((other) => other.name === joint);
      const words = `${bodyPart(joints[at]?.role ?? joint)} · ${frames.length}`;
      const show = () => {
        this.joint = at;
        this.studio.play(false);
        this.studio.seek(frames[0] ?? 0);
        this.rebuild();
        this.plot.canvas.scrollIntoView({ block: "nearest" });
      };
      return h("button", { class: "chip", type: "button", "aria-pressed": String(at === this.joint), "data-glitches": joint, onclick: show }, words);
    });
    return h("div", { class: "chips" }, ...chips);
  }

  /** Frames of the chosen joint that despiking mended. */
  private marks(): number[] {
    const name = this.studio.stage?.motion.joints[this.joint]?.name;
    return this.glitches().find((joint) => joint.joint === name)?.frames ?? [];
  }

  private glitches(): { joint: string; frames: number[] }[] {
    const despiked = this.report("filter")?.["despike"] as { [key: string]: Value } | null | undefined;
    return (despiked?.["joints"] ?? []) as { joint: string; frames: number[] }[];
  }

  override curves(curves: Curves): void {
    if (curves.stream !== this.studio.stage?.motion.stream || curves.joint !== this.joint) return;
    const colours = ["--accent", "--left", "--good"];
    const names = ["x", "y", "z"];
    const before = (curves.before ?? []).map((values, axis) => ({ values, colour: colours[axis] as string, faint: true }));
    const after = curves.after.map((values, axis) => ({ values, colour: colours[axis] as string, name: names[axis] as string }));
    const frames = this.studio.stage.motion.frames;
    const content = { series: [...before, ...after], stride: curves.stride, frames, unit: "°", marks: this.marks() };
    this.plot.show(content, t("curves"));
  }

  override frame(frame: number): void {
    this.plot.at(frame);
  }
}
