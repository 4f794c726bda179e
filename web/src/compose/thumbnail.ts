// A small moving figure on a canvas: limbs as round strokes, the farther ones first.

import { JOINT_FLOATS, type Joint } from "../protocol";
import { place, plan, type Capsule } from "../stage/figure";

/** The eye stands so far to the side, radians. */
const AROUND = 0.55;
/** Height of the body as a fraction of the picture's. */
const TALL = 0.78;
/** Width of the edge of a limb, both sides together, pixels. */
const EDGE = 1.4;

interface Stroke {
  from: [number, number];
  to: [number, number];
  wide: number;
  depth: number;
  side: Capsule["side"];
}

export class Thumbnail {
  private readonly capsules: Capsule[];
  private readonly hips: number;
  private readonly height: number;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    joints: Joint[],
    private readonly floor: number,
  ) {
    this.capsules = plan(joints);
    this.hips = Math.max(0, joints.findIndex((joint) => joint.role === "hips"));
    const ys = joints.map((joint) => joint.rest[1]);
    this.height = Math.max(0.5, Math.max(...ys) - Math.min(...ys)) * 1.12;
  }

  draw(pose: Float32Array | undefined): void {
    const pen = this.canvas.getContext("2d");
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = window.devicePixelRatio;
    if (!pen || !pose || width === 0) return;
    if (this.canvas.width !== width * ratio) [this.canvas.width, this.canvas.height] = [width * ratio, height * ratio];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const scale = (TALL * height) / this.height;
    const low = 0.93 * height;
    pen.strokeStyle = colour("--line");
    pen.beginPath();
    pen.moveTo(0, low);
    pen.lineTo(width, low);
    pen.stroke();
    const mixed = (name: string) => `color-mix(in srgb, ${colour(name)} 45%, ${colour("--figure")})`;
    const colours = { left: mixed("--left"), right: mixed("--right"), middle: colour("--figure") };
    pen.lineCap = "round";
    for (const { from, to, wide, side } of this.strokes(pose, scale, width / 2, low)) {
      pen.beginPath();
      pen.moveTo(...from);
      pen.lineTo(...to);
      // An edge parts what lies before from what lies behind.
      pen.strokeStyle = colour("--edge");
      pen.lineWidth = wide + EDGE;
      pen.stroke();
      pen.strokeStyle = colours[side];
      pen.lineWidth = wide;
      pen.stroke();
    }
  }

  private strokes(pose: Float32Array, scale: number, middle: number, low: number): Stroke[] {
    const hips = this.hips * JOINT_FLOATS;
    const [hx, hz] = [pose[hips] as number, pose[hips + 2] as number];
    const [cos, sin] = [Math.cos(AROUND), Math.sin(AROUND)];
    const point = { x: 0, y: 0, z: 0 };
    const flat = (): [number, number, number] => {
      const [x, z] = [point.x - hx, point.z - hz];
      return [middle + (x * cos - z * sin) * scale, low - (point.y - this.floor) * scale, x * sin + z * cos];
    };
    const strokes = this.capsules.map(({ from, to, radii, side }): Stroke => {
      place(pose, from, point);
      const [ax, ay, az] = flat();
      place(pose, to, point);
      const [bx, by, bz] = flat();
      return { from: [ax, ay], to: [bx, by], wide: Math.max(1.2, (radii[0] + radii[1]) * scale), depth: az + bz, side };
    });
    return strokes.sort((a, b) => a.depth - b.depth);
  }
}
