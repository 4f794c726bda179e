// React: pushes dragged from the body, a load, strength; the margin of balance over time.

import type { Vector3 } from "three";
import { t } from "../i18n";
import { find, react, type Push, type React as ReactStep } from "../requests";
import type { Stage } from "../studio";
import { check, facts, group, slider } from "../ui/controls";
import { button, h, iconButton, label } from "../ui/dom";
import { Plot } from "../ui/plot";
import { Tool } from "./tool";

/** Impulse of an arrow of one metre, N·s. */
const IMPULSE = 60;
/** Mass of a body of which nothing is said, kg. */
const MASS = 65;

/** Parts of the body that can be pushed; fingers and toes pass the push on. */
const PUSHED = new Set([
  "hips", "spine", "chest", "upperChest", "neck", "head",
  "leftUpperArm", "leftLowerArm", "leftHand", "rightUpperArm", "rightLowerArm", "rightHand",
  "leftUpperLeg", "leftLowerLeg", "rightUpperLeg", "rightLowerLeg",
]);

const size = (push: Push) => Math.hypot(...push.impulse_n_s);

export class React extends Tool {
  readonly verbs = ["react"] as const;
  private readonly plot = new Plot();
  private readonly results = h("div", {});
  private readonly force = h("output", { class: "note" });

  protected build(): void {
    const step = find(this.studio.document.steps, "react");
    this.element.append(this.note("reactHelp"), this.force);
    if (!step) this.element.append(button(t("reactOn"), () => this.set(react()), "main"));
    else this.element.append(...this.controls(step), group(t("margin"), this.plot.canvas), this.results);
    this.grip = { body: (joint, by, commit) => this.push(joint, by, commit) };
    this.view.grip = this.grip;
  }

  private controls(step: ReactStep): HTMLElement[] {
    const now = () => find(this.studio.document.steps, "react") ?? step;
    // A simulation takes its time, so it runs when a slider is let go.
    const load = (mass: number, commit: boolean) => {
      const loads = mass > 0 ? [{ mass_kg: mass, role: "chest" }] : [];
      if (commit) this.put({ ...now(), loads }, t("load"));
    };
    const mass = (kg: number, commit: boolean) => commit && this.put({ ...now(), mass_kg: kg }, t("mass"));
    const kg = (value: number) => `${value} kg`;
    const pushes = step.pushes.map((push, at) => {
      const remove = iconButton("close", () => this.set({ ...now(), pushes: now().pushes.filter((_, index) => index !== at) }), "bare small");
      label(remove, t("remove", { name: push.role }));
      const words = `${push.role} · ${size(push).toFixed(0)} N·s`;
      const go = button(words, () => this.studio.seek(parseInt(push.at, 10)), "bare small");
      return h("div", { class: "piece" }, go, remove);
    });
    return [
      group(
        t("react"),
        slider(t("load"), { least: 0, most: 40, step: 1 }, step.loads[0]?.mass_kg ?? 0, kg, load),
        slider(t("mass"), { least: 30, most: 120, step: 1 }, step.mass_kg ?? MASS, kg, mass),
        check(t("control"), step.control, (control) => this.put({ ...now(), control }, t("control"))),
      ),
      group(t("pushes"), h("div", { class: "pieces" }, ...pushes)),
    ];
  }

  private set(step: ReactStep): void {
    this.put(step, t("react"));
    this.rebuild();
  }

  private push(joint: number, by: Vector3, commit: boolean): void {
    const impulse = by.clone().multiplyScalar(IMPULSE);
    this.force.textContent = commit ? "" : `${impulse.length().toFixed(0)} N·s`;
    if (!commit || by.length() < 0.03) return;
    const role = this.role(joint);
    if (!role) return;
    const step = find(this.studio.document.steps, "react") ?? react();
    const round = (value: number) => Math.round(10 * value) / 10;
    const push: Push = {
      at: `${Math.round(this.studio.frame)}f`,
      role,
      impulse_n_s: [round(impulse.x), round(impulse.y), round(impulse.z)],
    };
    this.set({ ...step, pushes: [...step.pushes, push] });
  }

  /** Role of the joint, or of the nearest above it that can be pushed. */
  private role(joint: number): string | null {
    const joints = this.studio.stage?.motion.joints ?? [];
    for (let at: number | null = joint; at !== null; at = joints[at]?.parent ?? null) {
      const role = joints[at]?.role;
      if (role && PUSHED.has(role)) return role;
    }
    return null;
  }

  override stage(stage: Stage): void {
    const reaction = stage.reaction;
    if (!reaction) {
      this.plot.show(null, t("margin"));
      this.results.replaceChildren();
      return;
    }
    const margin = { values: reaction.margin_m.map((value) => (value === null ? null : 100 * value)), colour: "--accent" };
    this.plot.show({ series: [margin], stride: 1, frames: stage.motion.frames, unit: "cm", zero: true }, t("margin"));
    const outcome =
      reaction.fell_at_s !== null
        ? t("fell", { s: reaction.fell_at_s.toFixed(2) })
        : reaction.recovered
          ? t("recovered")
          : t("strays");
    this.results.replaceChildren(facts([[t("outcome"), outcome]]));
  }

  override frame(frame: number): void {
    this.plot.at(frame);
  }
}
