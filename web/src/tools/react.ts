// React: pushes dragged from the body, a load, strength; the margin of balance over time.

import type { Vector3 } from "three";
import { t } from "../i18n";
import { bodyPart } from "../names";
import { find, loadText, parseLoad, parsePush, pushText, put, react, type Push, type React as ReactStep } from "../requests";
import type { Stage } from "../studio";
import { check, showFacts, group, slider } from "../ui/controls";
import { button, h, iconButton, label } from "../ui/dom";
import { Plot } from "../ui/plot";
import { Tool } from "./tool";

/** Impulse of an arrow of one metre, N·s. */
const IMPULSE = 60;
/** Arrow that is no push, metres. */
const SHORTEST = 0.03;
/** Mass of a body of which nothing is said, kg. */
const MASS = 65;

/** Names of the files of thrown bodies and of the body itself in a document. */
const FILE = "throw.json";
const BODY = "body.toml";
/** Radius of a ball, m, how far from its goal it appears, m, and how long it flies, s. */
const BALL = { radius: 0.11, far: 2.2, seconds: 0.35 };
/** Standard gravity, m/s². */
const GRAVITY = 9.81;

export interface Ball {
  shape: "ball";
  radius_m: number;
  mass_kg: number;
  position_m: [number, number, number];
  velocity_m_s: [number, number, number];
  at_s: number;
}

/** A ball that comes from where the eye is and hits the goal after its flight, falling meanwhile. */
export function thrown(goal: Vector3, eye: Vector3, mass_kg: number, at_s: number): Ball {
  const round = (value: number) => Math.round(1000 * value) / 1000;
  const way = eye.clone().sub(goal).setLength(BALL.far);
  const [x, y, z] = [goal.x + way.x, Math.max(0.5, goal.y + way.y), goal.z + way.z];
  const speed = [(goal.x - x) / BALL.seconds, (goal.y - y) / BALL.seconds + (GRAVITY * BALL.seconds) / 2, (goal.z - z) / BALL.seconds];
  return {
    shape: "ball",
    radius_m: BALL.radius,
    mass_kg,
    position_m: [round(x), round(y), round(z)],
    velocity_m_s: speed.map(round) as [number, number, number],
    at_s: round(at_s),
  };
}

/** Parts of the body that can be pushed; fingers and toes pass the push on. */
const PUSHED = new Set([
  "hips", "spine", "chest", "upperChest", "neck", "head",
  "leftUpperArm", "leftLowerArm", "leftHand", "rightUpperArm", "rightLowerArm", "rightHand",
  "leftUpperLeg", "leftLowerLeg", "rightUpperLeg", "rightLowerLeg",
]);

const size = (push: Push) => Math.hypot(...push.impulse_n_s);

/** What the colours and marks on the stage mean. */
function legend(): HTMLElement {
  const row = (mark: string, words: string) => h("li", {}, h("i", { class: `mark ${mark}` }), words);
  const list = h(
    "ul",
    { class: "legend" },
    row("strain", t("legendLoad")),
    row("support", t("legendSupport")),
    row("zmp", t("legendZmp")),
    row("arrow", t("legendCorrection")),
    row("ghost", t("legendGhost")),
  );
  return group(t("legend"), list);
}

export class React extends Tool {
  readonly verbs = ["react"] as const;
  private readonly plot = new Plot();
  private readonly results = h("div", {});
  private throwing = false;
  private ballKg = 2;

  protected build(): void {
    const step = find(this.studio.document.steps, "react");
    this.element.append(this.note("reactHelp"));
    if (!step) this.element.append(button(t("reactOn"), () => this.set(react()), "main"));
    else this.element.append(...this.controls(step), group(t("margin"), this.plot.canvas, this.results), legend());
    this.hold();
  }

  /** What a press on the body does: a push, or a ball. */
  private hold(): void {
    this.grip = this.throwing
      ? { throw: (goal, eye) => this.ball(goal, eye) }
      : { body: (joint, by, commit) => this.push(joint, by, commit) };
    this.view.grip = this.grip;
  }

  private balls(): Ball[] {
    const text = this.studio.document.files[FILE];
    return text ? (JSON.parse(text) as { bodies: Ball[] }).bodies : [];
  }

  private setBalls(bodies: Ball[]): void {
    const step = find(this.studio.document.steps, "react") ?? react();
    const next = { ...step, throw: bodies.length > 0 ? FILE : null };
    const files = { ...this.studio.document.files, [FILE]: JSON.stringify({ bodies }) };
    if (bodies.length === 0) delete (files as { [key: string]: string })[FILE];
    this.edit({ steps: put(this.studio.document.steps, next), files }, "balls");
    this.rebuild();
  }

  /** Factor on the strength of all joints, from the body's file. */
  private strength(): number {
    const found = /^strength = ([\d.]+)$/m.exec(this.studio.document.files[BODY] ?? "");
    return found ? Number(found[1]) : 1;
  }

  private setStrength(factor: number): void {
    const step = find(this.studio.document.steps, "react") ?? react();
    const own = factor !== 1;
    const { [BODY]: _, ...others } = this.studio.document.files;
    const files = own ? { ...others, [BODY]: `strength = ${factor}\n` } : others;
    this.edit({ steps: put(this.studio.document.steps, { ...step, body: own ? BODY : null }), files }, "strength");
  }

  private ball(goal: Vector3, eye: Vector3): void {
    const at = this.studio.frame / (this.studio.stage?.motion.fps ?? 60);
    this.throwing = false;
    this.setBalls([...this.balls(), thrown(goal, eye, this.ballKg, at)]);
  }

  private controls(step: ReactStep): HTMLElement[] {
    const now = () => find(this.studio.document.steps, "react") ?? step;
    // A simulation takes its time, so it runs when a slider is let go.
    const load = (mass: number, commit: boolean) => {
      const loads = mass > 0 ? [loadText({ mass_kg: mass, role: "chest" })] : [];
      if (commit) this.put({ ...now(), loads }, "load");
    };
    const mass = (kg: number, commit: boolean) => commit && this.put({ ...now(), mass_kg: kg }, "mass");
    const kg = (value: number) => `${value} kg`;
    const pushes = (step.pushes ?? []).map(parsePush).map((push, at) => {
      const remove = iconButton("close", () => this.set({ ...now(), pushes: (now().pushes ?? []).filter((_, index) => index !== at) }), "bare small");
      label(remove, t("remove", { name: bodyPart(push.role) }));
      const words = `${bodyPart(push.role)} · ${size(push).toFixed(0)} N·s · ${this.at(push).toFixed(2)} s`;
      const go = button(words, () => this.studio.seek(parseInt(push.at, 10)), "bare small");
      return h("div", { class: "piece" }, go, remove);
    });
    return [
      group(
        t("react"),
        slider(t("load"), { least: 0, most: 40, step: 1 }, (step.loads?.[0] ? parseLoad(step.loads[0]).mass_kg : 0), kg, load),
        slider(t("mass"), { least: 30, most: 120, step: 1 }, step.mass_kg ?? MASS, kg, mass),
        slider(t("strength"), { least: 0.3, most: 2, step: 0.05 }, this.strength(), (s) => `${Math.round(100 * s)} %`, (s, commit) => commit && this.setStrength(s)),
        check(t("control"), step.control !== "off", (on) => this.put({ ...now(), control: on ? "on" : "off" }, "control")),
      ),
      group(t("pushes"), pushes.length > 0 ? h("div", { class: "pieces" }, ...pushes) : this.note("noPushes")),
      this.ballControls(),
    ];
  }

  private ballControls(): HTMLElement {
    const aim = button(t("ball"), () => {
      this.throwing = !this.throwing;
      aim.setAttribute("aria-pressed", String(this.throwing));
      this.hold();
    });
    aim.setAttribute("aria-pressed", String(this.throwing));
    const rows = this.balls().map((ball, at) => {
      const remove = iconButton("close", () => this.setBalls(this.balls().filter((_, index) => index !== at)), "bare small");
      label(remove, t("remove", { name: t("balls") }));
      const words = `${ball.mass_kg} kg · ${Math.hypot(...ball.velocity_m_s).toFixed(1)} m/s`;
      const fps = this.studio.stage?.motion.fps ?? 60;
      return h("div", { class: "piece" }, button(words, () => this.studio.seek(Math.round(ball.at_s * fps)), "bare small"), remove);
    });
    const mass = slider(t("ballMass"), { least: 0.5, most: 10, step: 0.5 }, this.ballKg, (kg) => `${kg} kg`, (kg) => (this.ballKg = kg));
    return group(t("balls"), mass, aim, h("div", { class: "pieces" }, ...rows));
  }

  /** When a push is, seconds. */
  private at(push: Push): number {
    return parseInt(push.at, 10) / (this.studio.stage?.motion.fps ?? 60);
  }

  private set(step: ReactStep): void {
    this.put(step, "react");
    this.rebuild();
  }

  /** A push by an arrow from a joint; gives what is said at its head. */
  private push(joint: number, by: Vector3, commit: boolean): string | void {
    const impulse = by.clone().multiplyScalar(IMPULSE);
    const role = this.role(joint);
    if (!role) return;
    if (!commit || by.length() < SHORTEST) return `${bodyPart(role)} · ${impulse.length().toFixed(0)} N·s`;
    const step = find(this.studio.document.steps, "react") ?? react();
    const round = (value: number) => Math.round(10 * value) / 10;
    const push: Push = {
      at: `${Math.round(this.studio.frame)}f`,
      role,
      impulse_n_s: [round(impulse.x), round(impulse.y), round(impulse.z)],
    };
    this.set({ ...step, pushes: [...(step.pushes ?? []), pushText(push)] });
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
    this.view.showBalls(this.balls().map((ball) => ball.radius_m));
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
    showFacts(this.results, [[t("outcome"), outcome]]);
  }

  override frame(frame: number): void {
    this.plot.at(frame);
  }

  override leave(): void {
    this.view.showBalls([]);
  }
}
