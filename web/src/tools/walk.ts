// Walk: footprints on the ground that can be dragged, turned and raised; even steps by sliders; loops; clips that
// follow.

import type { Vector3 } from "three";
import { t } from "../i18n";
import type { Footprint, Value } from "../protocol";
import { find, loop, splice, walk, type Walk as WalkStep } from "../requests";
import type { Stage } from "../studio";
import { check, showFacts, group, slider } from "../ui/controls";
import { button, h, iconButton, label } from "../ui/dom";
import { number, Tool } from "./tool";

/** Name of the file of footsteps in a document. */
const FILE = "steps.json";
/** Pixels of a drag that raise a step by a metre. */
const RAISE = 320;
/** How far sliders move a step either way, and the highest step, metres. */
const REACH = 0.5;
const HIGHEST = 0.6;
/** Length of a step of which nothing is known, metres. */
const USUAL = 0.65;

interface Step {
  foot: "left" | "right";
  x: number;
  y: number;
  z: number;
  heading_deg: number;
}

const round = (value: number) => Math.round(1000 * value) / 1000;

/** The plan that a report of `walk` was made by. */
export function planOf(report: { [key: string]: Value } | null): Step[] {
  const steps = (report?.["steps"] ?? []) as { [key: string]: Value }[];
  return steps.map((step) => {
    const [x, y, z] = step["planned"] as [number, number, number];
    return { foot: step["foot"] as Step["foot"], x: round(x), y: round(y), z: round(z), heading_deg: round(number(step["heading_deg"])) };
  });
}

/** Mean length of the steps of a plan, metres, to the centimetre. */
function strideOf(plan: Step[]): number {
  const lengths = plan.slice(1).map((step, at) => Math.hypot(step.x - (plan[at] as Step).x, step.z - (plan[at] as Step).z));
  const sum = lengths.reduce((all, length) => all + length, 0);
  return lengths.length > 0 ? Math.round((100 * sum) / lengths.length) / 100 : USUAL;
}

export class Walk extends Tool {
  readonly verbs = ["walk", "loop", "splice"] as const;
  private readonly results = h("div", {});
  private readonly seam = h("div", {});
  /** The plan while it is being changed, and the step that is dragged as it was. */
  private plan: Step[] | null = null;
  private from: Step | null = null;
  /** The step that is worked on by sliders. */
  private chosen: number | null = null;
  private readonly one = h("div", {});

  protected build(): void {
    const { steps } = this.studio.document;
    const step = find(steps, "walk");
    const closed = find(steps, "loop");
    if (!step) {
      this.element.append(this.note("walkHelp"), button(t("makeWalk"), () => this.set(walk()), "main"));
    } else {
      const report = this.report("walk");
      const count = step.count ?? ((report?.["steps"] as Value[] | undefined)?.length || 8);
      const even = (change: Partial<WalkStep>, commit: boolean) =>
        this.put({ ...(find(this.studio.document.steps, "walk") ?? step), steps: null, ...change }, "walk", commit);
      this.element.append(
        group(
          t("walk"),
          this.note("walkHelp"),
          slider(t("stride"), { least: 0.2, most: 1, step: 0.01 }, step.stride ? Number(step.stride.split(":")[0]) : strideOf(planOf(report)), (v) => `${v.toFixed(2)} m`, (v, commit) =>
            even({ stride: String(v) }, commit),
          ),
          slider(t("count_"), { least: 2, most: 24, step: 1 }, count, String, (v, commit) => even({ count: v }, commit)),
          slider(t("turn"), { least: -180, most: 180, step: 5 }, step.turn ?? 0, (v) => `${v}°`, (v, commit) => even({ turn: v }, commit)),
          check(t("clampSteps"), step.clamp ?? false, (clamp) => this.put({ ...(find(this.studio.document.steps, "walk") ?? step), clamp }, "clampSteps")),
          h("div", { class: "buttons" }, button(t("straight"), () => this.set(walk()))),
        ),
        this.one,
        this.results,
      );
      this.drawOne();
    }
    this.element.append(this.looping(closed?.cycles ?? null, closed?.longest ?? false), this.following());
    this.grip = step
      ? { print: (index, to, how, dy, commit) => this.drag(index, to, how, dy, commit), pick: (index) => this.choose(index) }
      : {};
    this.view.grip = this.grip;
  }

  private choose(index: number | null): void {
    this.chosen = index;
    this.view.choose(index);
    this.drawOne();
  }

  /** Place, direction and height of the chosen step, as an alternative to dragging. */
  private drawOne(): void {
    const plan = this.plan ?? planOf(this.report("walk"));
    const index = this.chosen === null ? null : Math.min(this.chosen, plan.length - 1);
    const step = index === null ? undefined : plan[index];
    if (index === null || !step) {
      return this.one.replaceChildren(h("div", { class: "buttons" }, button(t("chooseStep"), () => this.choose(0))));
    }
    const metres = (value: number) => `${value.toFixed(2)} m`;
    const set = (change: Partial<Step>, commit: boolean) => {
      this.plan ??= planOf(this.report("walk"));
      Object.assign(this.plan[index] as Step, change);
      this.send(commit);
    };
    const around = (value: number) => ({ least: round(value - REACH), most: round(value + REACH), step: 0.01 });
    const words = t("stepOf", { n: index + 1, all: plan.length, side: t(step.foot) });
    const before = iconButton("back", () => this.choose((index + plan.length - 1) % plan.length), "bare small");
    const after = iconButton("forth", () => this.choose((index + 1) % plan.length), "bare small");
    label(before, t("stepBefore"));
    label(after, t("stepAfter"));
    const section = group(
      words,
      slider(t("across"), around(step.x), step.x, metres, (x, commit) => set({ x: round(x) }, commit)),
      slider(t("along"), around(step.z), step.z, metres, (z, commit) => set({ z: round(z) }, commit)),
      slider(t("heading"), { least: -180, most: 180, step: 1 }, step.heading_deg, (v) => `${v.toFixed(0)}°`, (heading_deg, commit) => set({ heading_deg }, commit)),
      slider(t("height"), { least: 0, most: HIGHEST, step: 0.01 }, step.y, metres, (y, commit) => set({ y: round(y) }, commit)),
    );
    section.querySelector("h3")?.append(h("span", {}, before, after));
    this.one.replaceChildren(section);
  }

  /** A cycle of the motion, closed and repeated. */
  private looping(cycles: number | null, longest: boolean): HTMLElement {
    const put = (step: Parameters<Walk["put"]>[0], commit = true) => this.put(step, "loopTool", commit);
    const on = check(t("loopOn"), cycles !== null, (is) => {
      put(is ? loop(2, false) : "loop");
      this.rebuild();
    });
    const section = group(t("loopTool"), on);
    if (cycles === null) return section;
    const now = () => find(this.studio.document.steps, "loop")?.cycles ?? cycles;
    section.append(
      slider(t("cycles"), { least: 1, most: 12, step: 1 }, cycles, String, (v, commit) => put(loop(v, longest), commit)),
      check(t("longest"), longest, (is) => {
        put(loop(now(), is));
        this.rebuild();
      }),
      this.seam,
    );
    return section;
  }

  /** Clips that are joined to the end, in order. */
  private following(): HTMLElement {
    const step = find(this.studio.document.steps, "splice");
    const others = step?.inputs.slice(1).map((name) => name.replace(/^#/, "")) ?? [];
    const blend = step?.blend_s ?? 0.6;
    const set = (names: string[], blend_s = blend) => {
      this.put(names.length === 0 ? "splice" : splice(names, blend_s), "splice");
      this.rebuild();
    };
    const add = h("select", { class: "field", "aria-label": t("thenClip"), onchange: () => add.value && set([...others, add.value]) });
    add.append(h("option", { value: "" }, t("thenClip")));
    for (const clip of this.studio.clips) if (clip.usable) add.append(h("option", { value: clip.name }, clip.name));
    const rows = others.map((name, at) => {
      const swap = (by: number) => {
        const next = [...others];
        [next[at], next[at + by]] = [next[at + by] as string, name];
        set(next);
      };
      const up = iconButton("up", () => swap(-1), "bare small");
      const out = iconButton("close", () => set(others.filter((_, index) => index !== at)), "bare small");
      label(up, t("earlier", { name }));
      label(out, t("remove", { name }));
      up.disabled = at === 0;
      return h("div", { class: "piece splice" }, h("b", {}, name), up, out);
    });
    const seams = slider(t("seam"), { least: 0.1, most: 1.5, step: 0.05 }, blend, (s) => `${s.toFixed(2)} s`, (s, commit) => commit && set(others, s));
    return group(t("splice"), h("div", { class: "pieces" }, ...rows), add, others.length > 0 ? seams : null);
  }

  private set(step: WalkStep): void {
    this.put(step, "walk");
    this.rebuild();
  }

  private drag(index: number, to: Vector3, how: "move" | "turn" | "raise", dy: number, commit: boolean): string | void {
    this.plan ??= planOf(this.report("walk"));
    const step = this.plan[index];
    if (!step) return;
    if (!this.from && this.chosen !== index) this.choose(index);
    this.from ??= { ...step };
    const from = this.from;
    if (how === "move") Object.assign(step, { x: round(to.x), z: round(to.z) });
    else if (how === "raise") step.y = round(Math.max(0, from.y - dy / RAISE));
    else step.heading_deg = round((180 / Math.PI) * Math.atan2(to.x - step.x, to.z - step.z));
    this.send(commit);
    if (commit) this.drawOne();
    if (how === "turn") return `${step.heading_deg.toFixed(0)}°`;
    return how === "raise" ? `${(100 * step.y).toFixed(0)} cm` : `${(100 * Math.hypot(step.x - from.x, step.z - from.z)).toFixed(0)} cm`;
  }

  /** The plan as it is now becomes the walk's. */
  private send(commit: boolean): void {
    const clamp = find(this.studio.document.steps, "walk")?.clamp ?? true;
    const steps = this.studio.document.steps.map((other) => (other.verb === "walk" ? walk({ steps: FILE, clamp }) : other));
    const files = { ...this.studio.document.files, [FILE]: JSON.stringify({ steps: this.plan }) };
    this.edit({ steps, files }, "footprint", commit);
    if (commit) [this.plan, this.from] = [null, null];
  }

  /** The plan as footprints that can be taken hold of. */
  private prints(): Footprint[] | null {
    const report = this.report("walk");
    if (!report) return null;
    const fps = this.studio.stage?.motion.fps ?? 60;
    const length = this.studio.stage?.motion.footprints[0]?.length ?? 0.17;
    const steps = report["steps"] as { [key: string]: Value }[];
    const plan = this.plan ?? planOf(report);
    return plan.map((step, at) => ({
      left: step.foot === "left",
      start: Math.round(number(steps[at]?.["end_s"]) * fps),
      end: Math.round(number(steps[at + 2]?.["start_s"] ?? 1e6) * fps),
      at: [step.x, step.y, step.z],
      heading_deg: step.heading_deg,
      length,
    }));
  }

  override stage(_: Stage): void {
    this.view.showPrints(this.prints());
    // A grabbed footprint stays under the pointer.
    if (!this.plan && !this.one.contains(document.activeElement)) this.drawOne();
    const cycle = this.report("loop");
    if (cycle) {
      const rows: [string, string][] = [
        [t("cycleLength"), `${(number(cycle["end_s"]) - number(cycle["start_s"])).toFixed(2)} s`],
        [t("seamGap"), `${(100 * number(cycle["gap_m"])).toFixed(1)} cm`],
      ];
      showFacts(this.seam, rows);
    }
    const report = this.report("walk");
    if (!report) return;
    const slip = (report["steps"] as { [key: string]: Value }[]).reduce((most, step) => Math.max(most, number(step["slip_mm"])), 0);
    const moved = (report["clamped"] as Value[]).length;
    const rows: [string, string][] = [
      [t("missed"), `${number(report["missed_mm"]).toFixed(1)} mm`],
      [t("slip"), `${slip.toFixed(1)} mm`],
    ];
    if (moved > 0) rows.push([t("clampSteps"), String(moved)]);
    showFacts(this.results, rows);
  }

  override leave(): void {
    this.view.showPrints(null);
    this.view.choose(null);
  }

  override enter(): void {
    this.view.choose(this.chosen);
  }
}
