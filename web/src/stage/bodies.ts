// Which bodies are drawn, where and in which colours: the one on stage, its ghost and onion skins, another next to it,
// a performer and the actor that is driven, a crowd.

import { Color } from "three";
import type { Motion } from "../protocol";
import type { Studio } from "../studio";
import { Capsules, COARSE } from "./capsules";
import { plan, type Capsule } from "./figure";

/** Most capsules at once: a dozen bodies of eighty with their ghosts, a hundred in a crowd. */
const MOST = { few: 1100, crowd: 9000 };
/** Frames between onion skins, seconds, and how many on either side. */
const ONION = { apart: 0.2, count: 3 };
/** How far to its right another body stands from the one on stage, metres. */
export const OFFSET = -1.1;
/** A crowd: bodies in a row, metres between them, seconds from one to the next. */
export const CROWD = { row: 10, apart: 1.4, late: 0.11 };

export interface Colours {
  middle: Color;
  left: Color;
  right: Color;
  ghost: Color;
  bad: Color;
}

export class Bodies {
  readonly solid = new Capsules(MOST.few, false);
  readonly ghostly = new Capsules(MOST.few, true);
  readonly many = new Capsules(MOST.crowd, false, COARSE);
  readonly colours: Colours = { middle: new Color(), left: new Color(), right: new Color(), ghost: new Color(), bad: new Color() };
  /** A costume stands where the one on stage would. */
  hidden = false;
  private readonly plans = new Map<string, Capsule[]>();
  private readonly load = new Color();

  constructor(private readonly studio: Studio) {}

  /** The capsules of a motion's body; equal joints use the same ones. */
  capsules(motion: Motion): Capsule[] {
    const key = motion.joints.map((joint) => `${joint.name}${joint.rest}`).join();
    const known = this.plans.get(key);
    if (known) return known;
    if (this.plans.size > 16) this.plans.clear();
    const made = plan(motion.joints);
    this.plans.set(key, made);
    return made;
  }

  /** Whether the actor that is driven stands on the stage instead of the document's motion. */
  get driven(): boolean {
    return this.studio.document.tool === "perform" && this.studio.live.actor?.pose != null;
  }

  /** Draws everybody; `pose` is that of the one on stage. */
  draw(motion: Motion, pose: Float32Array, frame: number): void {
    const { studio } = this;
    const all = [this.solid, this.ghostly, this.many];
    for (const capsules of all) capsules.begin();
    const live = studio.document.tool === "perform" ? studio.live : null;
    const colour = this.colourAt(frame);
    if (live?.actor?.pose) this.solid.add(this.capsules(live.actor.motion), live.actor.pose, colour);
    else if (studio.view.crowd) this.crowd(motion, frame);
    else if (!this.hidden) this.solid.add(this.capsules(motion), pose, colour);
    if (live?.performer?.pose) this.ghostly.add(this.capsules(live.performer.motion), live.performer.pose, this.grey, OFFSET);
    else this.ghost(frame);
    this.onion(motion, frame);
    this.compared(frame);
    for (const capsules of all) capsules.end();
  }

  /** No body. */
  clear(): void {
    for (const capsules of [this.solid, this.ghostly, this.many]) {
      capsules.begin();
      capsules.end();
    }
  }

  private readonly grey = () => this.colours.ghost;
  private readonly plain = (capsule: Capsule) => this.colours[capsule.side];

  /** Joint loads as colours while the body reacts. */
  private colourAt(frame: number): (capsule: Capsule) => Color {
    const reaction = this.studio.document.tool === "react" ? (this.studio.stage?.reaction ?? null) : null;
    if (!reaction) return this.plain;
    const loads = new Map(reaction.joints.map((joint, at) => [joint, reaction.load[at]?.[frame - reaction.first] ?? 0]));
    return (capsule) => {
      const load = loads.get(capsule.joint);
      if (load === undefined) return this.colours[capsule.side];
      return this.load.copy(this.colours.middle).lerp(this.colours.bad, Math.min(1, load));
    };
  }

  private ghost(frame: number): void {
    const { studio } = this;
    const ghost = studio.stage?.ghost;
    if (!studio.view.ghost || !studio.ghost || !ghost) return;
    const at = Math.min(frame, studio.ghost.frames - 1);
    studio.ghost.want(at);
    const before = studio.ghost.at(at);
    // A performer stands next to the actor, everything else behind its result.
    if (before) this.ghostly.add(this.capsules(ghost), before, this.grey, studio.document.tool === "perform" ? OFFSET : 0);
  }

  private onion(motion: Motion, frame: number): void {
    const { studio } = this;
    if (!studio.view.onion || !studio.motion) return;
    const apart = Math.max(1, Math.round(ONION.apart * motion.fps));
    for (let n = -ONION.count; n <= ONION.count; n += 1) {
      const at = frame + n * apart;
      if (n === 0 || at < 0 || at >= motion.frames) continue;
      if (studio.settled) studio.motion.want(at);
      const skin = studio.motion.at(at);
      if (skin) this.ghostly.add(this.capsules(motion), skin, this.grey);
    }
  }

  private compared(frame: number): void {
    const motion = this.studio.compared;
    if (!motion) return;
    const track = this.studio.tracks.of(motion);
    const at = Math.min(frame, motion.frames - 1);
    track.want(at);
    const pose = track.at(at);
    if (pose) this.solid.add(this.capsules(motion), pose, this.plain, OFFSET);
  }

  /** The same motion by a hundred, each a little later than the one before. */
  private crowd(motion: Motion, frame: number): void {
    const track = this.studio.motion;
    if (!track) return;
    const capsules = this.capsules(motion);
    const late = Math.max(1, Math.round(CROWD.late * motion.fps));
    for (let n = 0; n < CROWD.row * CROWD.row; n += 1) {
      const at = (frame + n * late) % motion.frames;
      if (n % 8 === 0) track.want(at);
      const pose = track.at(at) ?? track.at(frame);
      const [x, z] = [(n % CROWD.row) - (CROWD.row - 1) / 2, -Math.floor(n / CROWD.row)];
      if (pose) this.many.add(capsules, pose, this.plain, x * CROWD.apart, z * CROWD.apart);
    }
  }
}
