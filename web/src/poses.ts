// Poses of motions as they arrive: pieces of frames, asked for ahead of the playhead, kept by motion.

import { HEADER_BYTES, JOINT_FLOATS, MOST_POSES, VERSION } from "./protocol";

/** A binary message taken apart. */
export interface PoseMessage {
  stream: number;
  first: number;
  joints: number;
  count: number;
  values: Float32Array;
}

/** Takes a binary message apart; null when it is none. */
export function decode(buffer: ArrayBuffer): PoseMessage | null {
  if (buffer.byteLength < HEADER_BYTES) return null;
  const view = new DataView(buffer);
  const joints = view.getUint16(2, true);
  const count = view.getUint32(12, true);
  if (view.getUint16(0, true) !== VERSION) return null;
  if (buffer.byteLength !== HEADER_BYTES + 4 * count * joints * JOINT_FLOATS) return null;
  const values = new Float32Array(buffer, HEADER_BYTES);
  return { stream: view.getUint32(4, true), first: view.getUint32(8, true), joints, count, values };
}

/** Frames drawn after which a piece that did not come is asked for again: a slow page loses the oldest. */
const PATIENCE = 90;
/** Pieces ahead of the playhead that are asked for. */
const AHEAD = 3;

/** The poses of one motion, as far as they came. */
export class PoseTrack {
  private readonly frames_: (Float32Array | undefined)[];
  private readonly asked = new Map<number, number>();
  private drawn = 0;

  constructor(
    readonly stream: number,
    readonly frames: number,
    private readonly ask: (stream: number, from: number, count: number) => void,
  ) {
    this.frames_ = new Array<Float32Array | undefined>(frames);
  }

  /** Takes in what came. */
  put(message: PoseMessage): void {
    const size = message.joints * JOINT_FLOATS;
    for (let at = 0; at < message.count; at += 1) {
      const frame = message.first + at;
      if (frame < this.frames) this.frames_[frame] = message.values.subarray(at * size, (at + 1) * size);
    }
  }

  /** Positions and rotations of a frame; undefined while they are on their way. */
  at(frame: number): Float32Array | undefined {
    return this.frames_[frame];
  }

  /** Asks for what will be drawn soon: the piece at the playhead, then those after it. */
  want(frame: number): void {
    this.drawn += 1;
    const pieces = Math.ceil(this.frames / MOST_POSES);
    const here = Math.floor(frame / MOST_POSES);
    for (let ahead = 0; ahead < Math.min(AHEAD, pieces); ahead += 1) this.fetch((here + ahead) % pieces);
  }

  private fetch(piece: number): void {
    const from = piece * MOST_POSES;
    const end = Math.min(from + MOST_POSES, this.frames);
    const asked = this.asked.get(piece);
    if (asked !== undefined && this.drawn - asked < PATIENCE) return;
    for (let frame = from; frame < end; frame += 1) {
      if (this.frames_[frame] === undefined) {
        this.asked.set(piece, this.drawn);
        this.ask(this.stream, from, end - from);
        return;
      }
    }
    this.asked.set(piece, Infinity);
  }
}
