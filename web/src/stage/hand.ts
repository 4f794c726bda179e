// What the pointer does on the stage: takes footprints and joints, throws; everything else turns the camera.

import { ArrowHelper, Plane, Raycaster, Vector2, Vector3, type Object3D, type PerspectiveCamera, type Ray } from "three";
import { h } from "../ui/dom";
import type { Capsule } from "./figure";

/** What drags on the stage do; the tool in use may take them. */
export interface Grip {
  /** A footprint was taken: moves to places on the floor. Its result is shown next to the pointer. */
  print?(index: number, to: Vector3, how: "move" | "turn" | "raise", dy: number, commit: boolean): string | void;
  /** A footprint was pressed and let go where it was. */
  pick?(index: number): void;
  /** A joint was taken: an arrow from it. What it gives is said at the arrow. */
  body?(joint: number, by: Vector3, commit: boolean): string | void;
  /** A place on the body was pressed, seen from an eye. */
  throw?(goal: Vector3, eye: Vector3): void;
}

/** What can be taken hold of. */
export interface Reach {
  grip(): Grip;
  handles(): Object3D[];
  capsules(): Capsule[];
  joint(joint: number): Vector3 | null;
  /** Something is held, or let go. */
  holding(is: boolean): void;
  /** What is held moved. */
  moved(): void;
}

/** A joint is hit within so much of its capsule's radius. */
const NEAR = 1.15;
/** Shortest arrow that is drawn, and the head of an arrow, metres. */
const ARROW = { least: 0.02, long: 0.12, wide: 0.07 };
/** A pointer that went less than this did not mean to drag, pixels. */
const STILL = 3;

interface Held {
  kind: "print" | "body";
  index: number;
  /** Where it was. */
  from: Vector3;
  /** From there to where it was taken. */
  grasp: Vector3;
  plane: Plane;
  x: number;
  y: number;
  moved: boolean;
  /** Where the pointer was last; beyond the horizon it is nowhere. */
  last: Vector3 | null;
}

export class Hand {
  readonly arrow = new ArrowHelper(new Vector3(0, 0, 1), new Vector3(), 1, 0xe8663d, ARROW.long, ARROW.wide);
  /** Text next to the pointer while something is dragged. */
  readonly tip = h("output", { class: "stage-tip", hidden: true });
  private readonly ray = new Raycaster();
  private held: Held | null = null;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly camera: PerspectiveCamera,
    private readonly reach: Reach,
  ) {
    this.arrow.visible = false;
    canvas.addEventListener("pointerdown", (event) => this.take(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.drag(event, false));
    canvas.addEventListener("pointerup", (event) => this.drag(event, true));
    // What the system takes away ends where it was last.
    canvas.addEventListener("pointercancel", (event) => this.drag(event, true));
  }

  get isHolding(): boolean {
    return this.held !== null;
  }

  /** The footprint that is held. */
  get print(): number | null {
    return this.held?.kind === "print" ? this.held.index : null;
  }

  private aim(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (event.clientY - box.top)) / box.height;
    this.ray.setFromCamera(new Vector2(x, y), this.camera);
  }

  private take(event: PointerEvent): void {
    if (event.button !== 0) return;
    const grip = this.reach.grip();
    this.aim(event);
    if (grip.print) {
      const hit = this.ray.intersectObjects(this.reach.handles(), false)[0];
      if (hit) this.hold(event, "print", hit.object.userData["print"] as number, hit.object.position.clone(), new Plane(new Vector3(0, 1, 0), -hit.point.y), hit.point);
    }
    if (this.held || !(grip.throw || grip.body)) return;
    const joint = this.touched();
    const from = joint === null ? null : this.reach.joint(joint);
    if (joint === null || !from) return;
    if (grip.throw) {
      event.stopPropagation();
      return grip.throw(from, this.camera.position.clone());
    }
    const facing = this.camera.getWorldDirection(new Vector3()).negate();
    this.hold(event, "body", joint, from, new Plane().setFromNormalAndCoplanarPoint(facing, from), from);
  }

  private hold(event: PointerEvent, kind: Held["kind"], index: number, from: Vector3, plane: Plane, at: Vector3): void {
    const grasp = at.clone().sub(from);
    this.held = { kind, index, from, grasp, plane, x: event.clientX, y: event.clientY, moved: false, last: null };
    this.reach.holding(true);
    this.canvas.setPointerCapture(event.pointerId);
    event.stopPropagation();
  }

  /** Joint of the capsule under the ray. */
  private touched(): number | null {
    let best: { joint: number; far: number } | null = null;
    for (const { from, to, radii, joint } of this.reach.capsules()) {
      const [a, b] = [this.reach.joint(from.joint), this.reach.joint(to.joint)];
      if (!a || !b) return null;
      const near = new Vector3();
      const apart = distance(this.ray.ray, a, b, near);
      const far = near.distanceTo(this.ray.ray.origin);
      if (apart < Math.max(...radii) * NEAR && (!best || far < best.far)) best = { joint, far };
    }
    return best?.joint ?? null;
  }

  private drag(event: PointerEvent, commit: boolean): void {
    const { held } = this;
    if (!held) return;
    const grip = this.reach.grip();
    held.moved ||= Math.hypot(event.clientX - held.x, event.clientY - held.y) >= STILL;
    this.aim(event);
    const to = this.ray.ray.intersectPlane(held.plane, new Vector3()) ?? held.last;
    held.last = to?.clone() ?? null;
    let words: string | void = undefined;
    if (!held.moved) {
      if (commit && held.kind === "print") grip.pick?.(held.index);
    } else if (to && held.kind === "print") {
      const how = event.shiftKey ? "turn" : event.altKey ? "raise" : "move";
      // A print that is taken by its toes is not moved to its heel.
      const goal = how === "move" ? to.sub(held.grasp) : to;
      words = grip.print?.(held.index, goal, how, event.clientY - held.y, commit);
    } else if (to) {
      const by = to.sub(held.from);
      this.arrow.visible = !commit && by.length() > ARROW.least;
      this.arrow.position.copy(held.from);
      if (this.arrow.visible) {
        this.arrow.setDirection(by.clone().normalize());
        this.arrow.setLength(by.length(), ARROW.long, ARROW.wide);
      }
      words = grip.body?.(held.index, by, commit);
    }
    this.say(event, commit ? null : (words ?? null));
    this.reach.moved();
    if (!commit) return;
    this.held = null;
    this.arrow.visible = false;
    this.reach.holding(false);
  }

  /** Shows text next to the pointer. */
  private say(event: PointerEvent, words: string | null): void {
    this.tip.hidden = words === null;
    this.tip.textContent = words ?? "";
    const box = this.canvas.getBoundingClientRect();
    this.tip.style.left = `${event.clientX - box.left}px`;
    this.tip.style.top = `${event.clientY - box.top}px`;
  }
}

/** How far a ray passes from a segment; `near` becomes the place on the ray. */
export function distance(ray: Ray, a: Vector3, b: Vector3, near: Vector3): number {
  // Rounding makes the square of a ray right through a joint less than nothing.
  return Math.sqrt(Math.max(0, ray.distanceSqToSegment(a, b, near)));
}
