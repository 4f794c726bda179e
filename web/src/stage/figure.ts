// Which capsules a body is drawn with: a plan made once per skeleton, places computed per pose.

import type { Joint } from "../protocol";
import { JOINT_FLOATS } from "../protocol";

/** A point fixed to a joint. */
interface Point {
  joint: number;
  offset: readonly [number, number, number];
}

/** A capsule between two points; radii at either end, metres. */
export interface Capsule {
  from: Point;
  to: Point;
  radii: readonly [number, number];
  /** Joint whose load colours it, and that is hit when it is clicked. */
  joint: number;
  side: "left" | "right" | "middle";
}

/** Height of the body that the radii are measured on, metres. */
const STATURE = 1.7;

/** Radii where a part begins (at the parent joint) and ends (at the named joint), metres, on a body of 1.70 m. */
const LIMBS: Record<string, readonly [number, number]> = {
  Shoulder: [0.05, 0.05],
  UpperArm: [0.052, 0.054],
  LowerArm: [0.05, 0.04],
  Hand: [0.04, 0.027],
  LowerLeg: [0.086, 0.057],
  Foot: [0.057, 0.039],
  Toes: [0.042, 0.034],
  neck: [0.06, 0.05],
  head: [0.05, 0.05],
  spine: [0.105, 0.1],
  chest: [0.1, 0.108],
  upperChest: [0.108, 0.1],
};
/** Fingers, metres. */
const FINGER = 0.0085;
/** What is known of no body, as a share of the distance to the parent. */
const UNKNOWN = 0.08;

const sideOf = (role: string | null): Capsule["side"] =>
  role?.startsWith("left") ? "left" : role?.startsWith("right") ? "right" : "middle";
const bare = (role: string) => role.replace(/^(left|right)/, "");
const isFinger = (role: string) => /(Thumb|Index|Middle|Ring|Little)/.test(role);

/** Height of the body in rest, metres. */
export function stature(joints: Joint[]): number {
  const head = joints.find((joint) => joint.role === "head");
  const foot = joints.find((joint) => joint.role === "leftFoot");
  // From ankles to head's joint is 0.84 of a body.
  return head && foot ? Math.max(0.3, (head.rest[1] - foot.rest[1]) / 0.84) : STATURE;
}

/** The capsules of a skeleton. */
export function plan(joints: Joint[]): Capsule[] {
  const scale = stature(joints) / STATURE;
  const capsules: Capsule[] = [];
  const at = (role: string) => joints.findIndex((joint) => joint.role === role);
  const zero = [0, 0, 0] as const;
  const add = (from: Point, to: Point, radii: readonly [number, number], joint: number, role: string | null) =>
    capsules.push({ from, to, radii: [radii[0] * scale, radii[1] * scale], joint, side: sideOf(role) });
  joints.forEach((joint, index) => {
    const { role, parent } = joint;
    if (role === "head") {
      // The skull stands over its joint.
      const top = joint.tips[0] ?? [0, 0.18 * scale, 0];
      const up = Math.hypot(...top) || 0.18;
      add({ joint: index, offset: [0, 0.36 * up, 0.012] }, { joint: index, offset: [0, 0.62 * up, 0.014] }, [0.078, 0.092], index, role);
    }
    if (role?.endsWith("Hand") && !joints.some((other) => other.parent === index)) {
      const tip = joint.tips[0] ?? zero;
      add({ joint: index, offset: zero }, { joint: index, offset: tip }, [0.032, 0.026], index, role);
    }
    if (role && (role.endsWith("Toes") || isFinger(role))) {
      const radius = isFinger(role) ? FINGER : 0.03;
      for (const tip of joint.tips) add({ joint: index, offset: zero }, { joint: index, offset: tip }, [radius, radius * 0.8], index, role);
    }
    if (parent === null || Math.hypot(...difference(joint, joints[parent] as Joint)) < 1e-4) return;
    const from = { joint: parent, offset: zero };
    const to = { joint: index, offset: zero };
    if (role === null) {
      const length = Math.hypot(...difference(joint, joints[parent] as Joint));
      capsules.push({ from, to, radii: [UNKNOWN * length, UNKNOWN * length], joint: index, side: "middle" });
    } else if (isFinger(role)) {
      const isFirst = /Proximal$|ThumbMetacarpal$/.test(role) && (joints[parent]?.role ?? "").endsWith("Hand");
      add(from, to, isFirst ? [0.02, 0.014] : [FINGER * 1.15, FINGER], index, role);
    } else if (!role.endsWith("UpperLeg")) {
      const radii = LIMBS[bare(role)] ?? LIMBS[role];
      if (radii) add(from, to, radii, parent, role);
    }
  });
  // Heels stand out behind the ankles, down to the height of the toes.
  for (const side of ["left", "right"]) {
    const [ankle, toes] = [at(`${side}Foot`), at(`${side}Toes`)];
    if (ankle < 0 || toes < 0) continue;
    const down = difference(joints[toes] as Joint, joints[ankle] as Joint)[1] * 0.82;
    add({ joint: ankle, offset: [0, down * 0.35, 0] }, { joint: ankle, offset: [0, down, -0.03 * scale] }, [0.038, 0.036], ankle, `${side}Foot`);
    add({ joint: ankle, offset: [0, down, -0.03 * scale] }, { joint: toes, offset: zero }, [0.034, 0.034], ankle, `${side}Foot`);
  }
  const [left, right] = [at("leftUpperLeg"), at("rightUpperLeg")];
  if (left >= 0 && right >= 0) {
    const hips = at("hips");
    add({ joint: left, offset: [-0.012, 0.03, 0] }, { joint: right, offset: [0.012, 0.03, 0] }, [0.096, 0.096], hips < 0 ? left : hips, null);
  }
  const chest = at("upperChest") >= 0 ? at("upperChest") : at("chest");
  const [leftArm, rightArm] = [at("leftUpperArm"), at("rightUpperArm")];
  if (chest >= 0 && leftArm >= 0 && rightArm >= 0) {
    // The ribs, wider than deep.
    for (const side of [1, -1]) {
      const [low, high] = [[0.05 * side * scale, -0.11 * scale, 0.005], [0.062 * side * scale, 0.045 * scale, 0]] as const;
      add({ joint: chest, offset: low }, { joint: chest, offset: high }, [0.08, 0.086], chest, null);
    }
  }
  return capsules;
}

function difference(a: Joint, b: Joint): [number, number, number] {
  return [a.rest[0] - b.rest[0], a.rest[1] - b.rest[1], a.rest[2] - b.rest[2]];
}

/** World position of a point in a pose. */
export function place(pose: Float32Array, point: Point, out: { x: number; y: number; z: number }): void {
  const at = point.joint * JOINT_FLOATS;
  const [x, y, z] = point.offset;
  const qx = pose[at + 3] as number;
  const qy = pose[at + 4] as number;
  const qz = pose[at + 5] as number;
  const qw = pose[at + 6] as number;
  // v + 2w(q×v) + 2q×(q×v)
  const tx = 2 * (qy * z - qz * y);
  const ty = 2 * (qz * x - qx * z);
  const tz = 2 * (qx * y - qy * x);
  out.x = (pose[at] as number) + x + qw * tx + qy * tz - qz * ty;
  out.y = (pose[at + 1] as number) + y + qw * ty + qz * tx - qx * tz;
  out.z = (pose[at + 2] as number) + z + qw * tz + qx * ty - qy * tx;
}
