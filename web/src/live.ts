// A live performance as the page knows it: the sender, the driven actor, what was recognised, and the recording in
// between.

import type { Answer, Motion } from "./protocol";
import type { LiveBody, Tracks } from "./tracks";

export type Pulse = Extract<Answer, { answer: "pulse" }>;

/** Beats of a count-in, and their length, milliseconds. */
const COUNT_IN = 3;
const BEAT_MS = 1000;

export class Live {
  address: string | null = null;
  performer: LiveBody | null = null;
  actor: LiveBody | null = null;
  pulse: Pulse | null = null;
  /** The number that is counted now; null when nothing is. */
  count: number | null = null;

  constructor(
    private readonly tracks: Tracks,
    private readonly changed: () => void,
  ) {}

  hear(answer: Extract<Answer, { answer: "live" | "pulse" }>): void {
    if (answer.answer === "pulse") this.pulse = answer;
    else {
      const body = (motion: Motion | null) => (motion ? this.tracks.live(motion) : null);
      [this.address, this.performer, this.actor] = [answer.address, body(answer.performer), body(answer.actor)];
      this.tracks.keepLive(new Set([this.performer, this.actor].flatMap((one) => (one ? [one.motion.stream] : []))));
      if (!answer.address) this.pulse = null;
    }
    this.changed();
  }

  /** No sender any more: the connection was lost. */
  lost(): void {
    [this.address, this.performer, this.actor, this.pulse] = [null, null, null, null];
    this.tracks.keepLive(new Set());
    this.changed();
  }

  /** Counts down, then begins. */
  countIn(begin: () => void, from = COUNT_IN): void {
    this.count = from > 0 ? from : null;
    this.changed();
    if (from > 0) setTimeout(() => this.countIn(begin, from - 1), BEAT_MS);
    else begin();
  }
}
