// Poses of all motions that a page looks at, by the numbers of their streams: whole motions piece by piece, live bodies pose
// by pose.

import { PoseTrack, type PoseMessage } from "./poses";
import type { Motion } from "./protocol";

/** Messages that came before it was known what they belong to. */
const MOST_EARLY = 24;

/** A body that moves now: only its last pose counts. */
export interface LiveBody {
  motion: Motion;
  pose: Float32Array | null;
}

export class Tracks {
  private readonly tracks = new Map<number, PoseTrack>();
  private readonly bodies = new Map<number, LiveBody>();
  private early: PoseMessage[] = [];

  constructor(private readonly ask: (stream: number, from: number, count: number) => void) {}

  /** The poses of a motion; one that is known keeps what came. */
  of(motion: Motion): PoseTrack {
    const known = this.tracks.get(motion.stream);
    if (known) return known;
    const track = new PoseTrack(motion.stream, motion.frames, this.ask);
    this.tracks.set(motion.stream, track);
    this.again();
    return track;
  }

  /** A body whose poses come by themselves. */
  live(motion: Motion): LiveBody {
    const known = this.bodies.get(motion.stream);
    if (known) return known;
    const body = { motion, pose: null };
    this.bodies.set(motion.stream, body);
    this.again();
    return body;
  }

  /** Forgets all motions but these. */
  keep(streams: ReadonlySet<number>): void {
    for (const stream of [...this.tracks.keys()]) if (!streams.has(stream)) this.tracks.delete(stream);
  }

  /** Forgets all live bodies but these. */
  keepLive(streams: ReadonlySet<number>): void {
    for (const stream of [...this.bodies.keys()]) if (!streams.has(stream)) this.bodies.delete(stream);
  }

  /** Takes in what came. */
  put(message: PoseMessage): void {
    const track = this.tracks.get(message.stream);
    const body = this.bodies.get(message.stream);
    if (track) track.put(message);
    else if (body) body.pose = message.values;
    else this.early = [...this.early.slice(1 - MOST_EARLY), message];
  }

  private again(): void {
    const waiting = this.early;
    this.early = [];
    for (const message of waiting) this.put(message);
  }
}
