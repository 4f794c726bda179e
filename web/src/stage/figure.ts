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
  UpperArm: [0.05, 0.055],
  LowerArm: [0.05, 0.039],
  Hand: [0.0375, 0.026],
  LowerLeg: [0.084, 0.056],
  Foot: [0.0535, 0.037],
  Toes: [0.04, 0.034],
  neck: [0.055, 0.049],
  head: [0.048, 0.047],
  spine: [0.09, 0.09],
  chest: [0.09, 0.095],
  upperChest: [0.095, 0.08],
};
/** Where the calf stands out, as fractions of the shin from the knee, how far behind it, metres, and its radii. */
const CALF = { from: 0.14, to: 0.46, behind: 0.013, radii: [0.05, 0.044] } as const;
/** A trunk is wider than deep: staves side by side, so near each other that it looks round. Fractions of its half width. */
const STAVES = [-1, -0.5, 0, 0.5, 1];
/** The ribs from the chest's joint: height, half width, how far forward and radius below and above, metres. */
const RIBS = { low: [-0.12, 0.05, 0.006, 0.08], high: [0.035, 0.072, 0, 0.082] } as const;
/** Belly and pelvis from the middle of the hip joints, likewise. */
const BELLY = { low: [0.03, 0.064, 0, 0.09], high: [0.15, 0.046, 0.006, 0.082] } as const;
/** Fingers, metres. */
const FINGER = 0.0085;
/** What is known of no body, as a fraction of the distance to the parent. */
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
      add({ joint: index, offset: [0, 0.36 * up, 0.012] }, { joint: index, offset: [0, 0.62 * up, 0.01] }, [0.076, 0.091], index, role);
      // A nose shows where it looks.
      add({ joint: index, offset: [0, 0.54 * up, 0.092] }, { joint: index, offset: [0, 0.44 * up, 0.1] }, [0.007, 0.012], index, role);
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
  for (const side of ["left", "right"]) {
    const [knee, ankle] = [at(`${side}LowerLeg`), at(`${side}Foot`)];
    if (knee < 0 || ankle < 0) continue;
    const shin = difference(joints[ankle] as Joint, joints[knee] as Joint);
    const along = (fraction: number): Point => ({ joint: knee, offset: [fraction * shin[0], fraction * shin[1], fraction * shin[2] - CALF.behind * scale] });
    add(along(CALF.from), along(CALF.to), CALF.radii, knee, `${side}Foot`);
  }
  const trunk = (joint: number, middle: readonly [number, number, number], { low, high }: typeof RIBS | typeof BELLY) => {
    const end = ([up, half, ahead]: readonly [number, number, number, number], fraction: number): Point => ({
      joint,
      offset: [middle[0] + fraction * half * scale, middle[1] + up * scale, middle[2] + ahead * scale],
    });
    for (const fraction of STAVES) add(end(low, fraction), end(high, fraction), [low[3], high[3]], joint, null);
  };
  const [left, right, hips] = [at("leftUpperLeg"), at("rightUpperLeg"), at("hips")];
  if (left >= 0 && right >= 0 && hips >= 0) {
    const [a, b] = [left, right].map((leg) => difference(joints[leg] as Joint, joints[hips] as Joint)) as [Offset, Offset];
    trunk(hips, [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2], BELLY);
    // Where thighs begin.
    add({ joint: hips, offset: a }, { joint: hips, offset: b }, [0.09, 0.09], hips, null);
  }
  const chest = at("upperChest") >= 0 ? at("upperChest") : at("chest");
  if (chest >= 0 && at("leftUpperArm") >= 0 && at("rightUpperArm") >= 0) trunk(chest, zero, RIBS);
  return capsules;
}

type Offset = [number, number, number];

function difference(a: Joint, b: Joint): Offset {
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
