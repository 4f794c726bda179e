// Edit: a segment of the motion, and hands and feet that are dragged to where they must be at its end.

import type { Vector3 } from "three";
import { t } from "../i18n";
import { bodyPart } from "../names";
import type { Value } from "../protocol";
import { edit, find, handleText, parseHandle, parseSegment, segmentText, type Edit as EditStep, type Offset } from "../requests";
import type { Stage } from "../studio";
import { choice, group, showFacts, slider } from "../ui/controls";
import { button, h, iconButton, label } from "../ui/dom";
import { Plot, type Series } from "../ui/plot";
import { number, Tool } from "./tool";

type Distribute = NonNullable<EditStep["distribute"]>;

/** What can be dragged, and which parts of the body are taken for it. */
const HANDLES: Record<string, readonly string[]> = {
  leftHand: ["leftHand", "leftLowerArm"],
  rightHand: ["rightHand", "rightLowerArm"],
  leftFoot: ["leftFoot", "leftToes", "leftLowerLeg"],
  rightFoot: ["rightFoot", "rightToes", "rightLowerLeg"],
};
/** How far sliders move a handle either way, metres. */
const REACH = 0.8;
/** Least frames of a segment: a position and a velocity at its end need three. */
const LEAST = 4;
/** Colours of the paths: as captured, then by distribution. */
const COLOURS = ["--soft", "--good", "--left", "--right", "--accent"];
const DISTRIBUTIONS: readonly Distribute[] = ["linear", "position", "one-stage", "two-stage"];

/** The handle that a role belongs to. */
export function handleOf(role: string | null): string | null {
  return Object.keys(HANDLES).find((handle) => role !== null && HANDLES[handle]?.includes(role)) ?? null;
}

/** The segment between two frames in any order, inside the motion and long enough. */
export function segmentBetween(a: number, b: number, frames: number): [number, number] {
  const last = Math.max(0, frames - 1);
  const start = Math.max(0, Math.min(Math.round(Math.min(a, b)), last - LEAST));
  return [start, Math.min(last, Math.max(Math.round(Math.max(a, b)), start + LEAST))];
}

/** How far a path is from the captured one, frame by frame, millimetres. */
export function displacement(path: readonly [number, number, number][], captured: readonly [number, number, number][]): number[] {
  return path.map(([x, y, z], at) => {
    const [cx, cy, cz] = captured[at] ?? [x, y, z];
    return 1000 * Math.hypot(x - cx, y - cy, z - cz);
  });
}

interface PathReport {
  joint: string;
  start_s: number;
  fps: number;
  names: string[];
  paths: [number, number, number][][];
}

export class Edit extends Tool {
  readonly verbs = ["edit"] as const;
  private readonly results = h("div", {});
  private readonly plot = new Plot();
  /** The handle that sliders and the plot show. */
  private chosen = "rightHand";
  /** Where a handle was when its drag began. */
  private from: Offset | null = null;
  /** Frames of the segment before there is a step. */
  private segment: [number, number] | null = null;

  private get step(): EditStep | undefined {
    return find(this.studio.document.steps, "edit");
  }

  private get frames(): [number, number] {
    const frames = this.studio.stage?.motion.frames ?? 1;
    const fps = this.studio.stage?.motion.fps ?? 60;
    const [start, end] = parseSegment(this.step?.segment ?? null) ?? this.segment ?? [0, Math.min(frames - 1, Math.round(fps))];
    return segmentBetween(start, end, frames);
  }

  private get offsets(): Map<string, Offset> {
    return new Map((this.step?.handles ?? []).map((text) => parseHandle(text)));
  }

  protected build(): void {
    const { step } = this;
    const motion = this.studio.stage?.motion;
    const [start, end] = this.frames;
    const fps = motion?.fps ?? 60;
    const last = (motion?.frames ?? 1) - 1;
    const seconds = (frame: number) => `${(frame / fps).toFixed(2)} s`;
    const range = { least: 0, most: last, step: 1 };
    const options = DISTRIBUTIONS.map((name) => [name, t(name)] as const);
    this.element.append(
      group(
        t("edit"),
        this.note("editHelp"),
        slider(t("segmentStart"), range, start, seconds, (frame, commit) => this.cut(frame, this.frames[1], commit)),
        slider(t("segmentEnd"), range, end, seconds, (frame, commit) => this.cut(this.frames[0], frame, commit)),
        h("div", { class: "buttons" }, button(t("goToEnd"), () => this.goToEnd())),
        choice(t("distribute"), options, step?.distribute ?? "two-stage", (distribute) => this.set({ distribute })),
      ),
      this.handles(),
      group(t("paths"), this.plot.canvas),
      this.results,
    );
    this.grip = { body: (joint, by, commit) => this.drag(joint, by, commit) };
    this.view.grip = this.grip;
    this.drawPlot();
  }

  /** The chosen handle by numbers, as an alternative to dragging, and the others. */
  private handles(): HTMLElement {
    const { offsets } = this;
    const names = Object.keys(HANDLES).map((name) => [name, bodyPart(name)] as const);
    const centimetres = (value: number) => `${(100 * value).toFixed(0)} cm`;
    const now = offsets.get(this.chosen) ?? [0, 0, 0];
    const axis = (words: string, at: 0 | 1 | 2) =>
      slider(words, { least: -REACH, most: REACH, step: 0.01 }, now[at], centimetres, (value, commit) => {
        const next = [...(this.offsets.get(this.chosen) ?? [0, 0, 0])] as Offset;
        next[at] = value;
        this.displace(this.chosen, next, commit);
      });
    const rows = [...offsets.keys()].map((name) => {
      const out = iconButton("close", () => this.remove(name), "bare small");
      label(out, t("remove", { name: bodyPart(name) }));
      return h("div", { class: "piece splice" }, h("b", {}, bodyPart(name)), h("span", {}), out);
    });
    return group(
      t("handles"),
      choice(t("handle"), names, this.chosen as "leftHand", (name) => {
        this.chosen = name;
        this.rebuild();
      }),
      axis(t("across"), 0),
      axis(t("height"), 1),
      axis(t("along"), 2),
      h("div", { class: "pieces" }, ...rows),
    );
  }

  private goToEnd(): void {
    this.studio.play(false);
    this.studio.seek(this.frames[1]);
  }

  private cut(a: number, b: number, commit: boolean): void {
    const [start, end] = segmentBetween(a, b, this.studio.stage?.motion.frames ?? 1);
    this.segment = [start, end];
    if (this.step) this.set({ segment: segmentText(start, end) }, commit);
    this.studio.play(false);
    this.studio.seek(end);
  }

  private set(change: Partial<EditStep>, commit = true): void {
    const { step } = this;
    if (step) this.put({ ...step, ...change }, "edit", commit);
  }

  /** A handle is so far from where it was captured. */
  private displace(name: string, offset: Offset, commit: boolean): void {
    const offsets = this.offsets.set(name, offset);
    const handles = [...offsets].map(([handle, by]) => handleText(handle, by));
    const before = this.step;
    const step = before ? { ...before, handles } : edit(segmentText(...this.frames), handles);
    this.put(step, "edit", commit);
    if (commit && !before) this.rebuild();
  }

  private remove(name: string): void {
    const handles = [...this.offsets].filter(([handle]) => handle !== name).map(([handle, by]) => handleText(handle, by));
    this.put(handles.length === 0 || !this.step ? "edit" : { ...this.step, handles }, "edit");
    this.rebuild();
  }

  private drag(joint: number, by: Vector3, commit: boolean): string | void {
    // Fingers belong to their hand.
    const joints = this.studio.stage?.motion.joints ?? [];
    let handle: string | null = null;
    for (let at: number | null = joint; at !== null && !handle; at = joints[at]?.parent ?? null) handle = handleOf(joints[at]?.role ?? null);
    if (!handle) return commit ? undefined : t("noHandle");
    if (!this.from) {
      this.from = this.offsets.get(handle) ?? [0, 0, 0];
      this.chosen = handle;
      // What is dragged is the end of the segment.
      if (Math.round(this.studio.frame) !== this.frames[1]) this.goToEnd();
    }
    const [x, y, z] = this.from;
    const offset: Offset = [x + by.x, y + by.y, z + by.z];
    this.displace(handle, offset, commit);
    if (commit) {
      this.from = null;
      this.rebuild();
    }
    return `${bodyPart(handle)} ${(100 * Math.hypot(...offset)).toFixed(0)} cm`;
  }

  /** How far each distribution leads the chosen handle away from its captured path. */
  private drawPlot(): void {
    const paths = (this.report("edit")?.["paths"] ?? []) as unknown as PathReport[];
    const at = Math.max(0, [...this.offsets.keys()].indexOf(this.chosen));
    const shown = paths[at];
    const motion = this.studio.stage?.motion;
    if (!shown || !motion) return this.plot.show(null, t("paths"));
    const first = Math.round(shown.start_s * motion.fps);
    const captured = shown.paths[0] ?? [];
    const chosen = this.step?.distribute ?? "two-stage";
    const series: Series[] = shown.names.slice(1).map((name, index) => ({
      values: [...Array<null>(Math.max(0, first)).fill(null), ...displacement(shown.paths[index + 1] ?? [], captured)],
      colour: COLOURS[index + 1] ?? "--soft",
      faint: name !== chosen,
      name: t(name as Distribute),
    }));
    this.plot.show({ series, stride: 1, frames: motion.frames, unit: "mm", zero: true }, t("paths"));
    this.plot.at(this.studio.frame);
  }

  override stage(_: Stage): void {
    this.drawPlot();
    const report = this.report("edit");
    if (!report) return this.results.replaceChildren();
    const rows: [string, string][] = ((report["handles"] ?? []) as { [key: string]: Value }[]).map((handle, at) => {
      const name = bodyPart([...this.offsets.keys()][at] ?? String(handle["joint"]));
      const off = number(handle["off_mm"]);
      return [name, off > 0.1 ? t("outOfReach", { mm: off.toFixed(0) }) : t("met")];
    });
    const skeleton = report["skeleton"] as { [key: string]: Value };
    const texture = report["texture"] as { [key: string]: Value };
    rows.push([t("hipsMoved"), `${number(skeleton["hips_mm"]).toFixed(0)} mm`]);
    rows.push([t("jointsTurned"), `${number(texture["max_deg"]).toFixed(0)}°`]);
    showFacts(this.results, rows);
  }

  override frame(frame: number): void {
    this.plot.at(frame);
  }

  override enter(): void {
    this.goToEnd();
  }
}
