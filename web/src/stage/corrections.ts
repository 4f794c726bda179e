// Arrows at the joints for what the controller adds there: along the axis of the added turning, as long as it is strong.

import { ArrowHelper, Color, Group, Vector3 } from "three";
import type { Reaction } from "../protocol";

/** Length of an arrow of one rad/s², metres, and the longest one. */
const SCALE = 0.012;
const LONGEST = 0.4;
/** Weakest correction that is drawn, rad/s²: less does not show in the motion. */
const LEAST = 1;

export class Corrections {
  readonly group = new Group();
  private readonly arrows: ArrowHelper[] = [];
  private readonly axis = new Vector3();
  private colour = new Color(0x58b27c);

  colours(colour: string): void {
    this.colour = new Color(colour);
    for (const arrow of this.arrows) arrow.setColor(this.colour);
  }

  /** Draws those of a frame; gives how many there are. */
  show(reaction: Reaction | null, frame: number, joint: (joint: number) => Vector3 | null): number {
    let shown = 0;
    const at = frame - (reaction?.first ?? 0);
    reaction?.joints.forEach((index, row) => {
      const [x, y, z] = reaction.corrections[row]?.[at] ?? [0, 0, 0];
      this.axis.set(x, y, z);
      const size = this.axis.length();
      const from = size < LEAST ? null : joint(index);
      if (!from) return;
      const arrow = this.arrow(shown);
      arrow.position.copy(from);
      arrow.setDirection(this.axis.divideScalar(size));
      arrow.setLength(Math.min(LONGEST, 0.08 + size * SCALE), 0.05, 0.035);
      arrow.visible = true;
      shown += 1;
    });
    for (const rest of this.arrows.slice(shown)) rest.visible = false;
    return shown;
  }

  private arrow(index: number): ArrowHelper {
    const known = this.arrows[index];
    if (known) return known;
    const made = new ArrowHelper(new Vector3(0, 1, 0), new Vector3(), 0.1, this.colour.getHex());
    this.arrows.push(made);
    this.group.add(made);
    return made;
  }
}
