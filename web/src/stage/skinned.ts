// A skinned GLB in place of the mannequin: its bones are known by their names, their rest pose is turned into ours limb
// by limb, and then every bone turns as its joint does.

import { Group, Quaternion, Vector3, type Object3D, type SkinnedMesh } from "three";
import { JOINT_FLOATS, type Joint } from "../protocol";
import type { Costume } from "./costume";

/** Names of bones without side, prefix and marks, as Mixamo, Unreal, Blender and VRM tools write them. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(hips?|pelvis|root_?hips)$/, "hips"],
  [/^(spine\d*|abdomen\d*|chest|upperchest)$/, "spine"],
  [/^(neck|neck0?1)$/, "neck"],
  [/^head$/, "head"],
  [/^(shoulder|clavicle|collar)$/, "Shoulder"],
  [/^(arm|upperarm|uparm)$/, "UpperArm"],
  [/^(forearm|lowerarm|loarm)$/, "LowerArm"],
  [/^(hand|wrist)$/, "Hand"],
  [/^(upleg|thigh|upperleg)$/, "UpperLeg"],
  [/^(leg|calf|shin|lowerleg)$/, "LowerLeg"],
  [/^(foot|ankle)$/, "Foot"],
  [/^(toebase|toes?|ball)$/, "Toes"],
];
/** Bones of the back from below: tools number them differently. */
const BACK = ["spine", "chest", "upperChest"];
/** The joint that a limb points to. */
const NEXT: Record<string, string> = { UpperArm: "LowerArm", LowerArm: "Hand", UpperLeg: "LowerLeg", LowerLeg: "Foot" };

/** The role of a bone by its name; null when it has none. */
export function roleOf(name: string): string | null {
  const bare = name.replace(/^.*[:|]/, "").replace(/^mixamorig\d*/i, "");
  const low = bare.replace(/[\s.-]+/g, "_").toLowerCase();
  const side = /(^|_)(l|left)(_|$)|^left/.test(low) ? "left" : /(^|_)(r|right)(_|$)|^right/.test(low) ? "right" : "";
  const core = low.replace(/^(left|right)/, "").replace(/(^|_)(l|r|left|right)(?=_|$)/g, "").replace(/_/g, "");
  const found = NAMES.find(([pattern]) => pattern.test(core))?.[1];
  if (!found) return null;
  const sided = /^[A-Z]/.test(found);
  if (sided !== (side !== "")) return null;
  return side + found;
}

interface Bone {
  node: Object3D;
  role: string;
  joint: number;
  /** Turn of the bone in rest, after its limb was laid along ours. */
  rest: Quaternion;
}

export class Skinned implements Costume {
  readonly group = new Group();
  private readonly nodes = new Map<string, Object3D>();
  private bones: Bone[] = [];
  private heightScale = 1;
  private hipsHeight = 1;
  private readonly turn = new Quaternion();
  private readonly above = new Quaternion();
  private readonly rests = new Map<Object3D, Quaternion>();

  constructor(scene: Object3D) {
    let skin: SkinnedMesh | null = null;
    scene.traverse((thing) => {
      if ((thing as SkinnedMesh).isSkinnedMesh) skin ??= thing as SkinnedMesh;
    });
    if (!skin) throw new Error("no skinned mesh");
    this.group.add(scene);
    this.group.updateMatrixWorld(true);
    let back = 0;
    // Parents come before their children.
    scene.traverse((thing) => {
      const found = roleOf(thing.name);
      const role = found === "spine" ? (BACK[back++] ?? null) : found;
      if (role && !this.nodes.has(role)) this.nodes.set(role, thing);
      this.rests.set(thing, thing.quaternion.clone());
    });
    if (!this.nodes.has("hips") || this.nodes.size < 8) throw new Error("its bones have no known names");
    this.hipsHeight = Math.max(0.1, this.at("hips").y - Math.min(this.at("leftFoot").y, 0));
  }

  private at(role: string): Vector3 {
    return this.nodes.get(role)?.getWorldPosition(new Vector3()) ?? new Vector3();
  }

  fit(joints: Joint[]): void {
    for (const [node, rest] of this.rests) node.quaternion.copy(rest);
    this.group.position.set(0, 0, 0);
    this.group.updateMatrixWorld(true);
    const ours = (role: string) => joints.findIndex((joint) => joint.role === role);
    const place = (role: string) => new Vector3(...(joints[ours(role)]?.rest ?? [0, 0, 0]));
    // A chest that we do not have is moved by what we have.
    this.bones = [...this.nodes].flatMap(([role, node]) => {
      const joint = ours(role);
      if (joint < 0) return [];
      const rest = node.getWorldQuaternion(new Quaternion());
      const next = NEXT[role.replace(/^(left|right)/, "")];
      const child = next ? (/^left/.test(role) ? "left" : "right") + next : null;
      if (child && this.nodes.has(child) && ours(child) >= 0) {
        const theirs = this.at(child).sub(this.at(role)).normalize();
        rest.premultiply(new Quaternion().setFromUnitVectors(theirs, place(child).sub(place(role)).normalize()));
      }
      return [{ node, role, joint, rest }];
    });
    // Parents before children: their turns in the world are needed.
    this.bones.sort((a, b) => depth(a.node) - depth(b.node));
    const floor = Math.min(0, ...joints.map((joint) => joint.rest[1]));
    this.heightScale = this.hipsHeight / Math.max(0.1, place("hips").y - floor);
  }

  pose(pose: Float32Array, floor: number): void {
    for (const { node, joint, rest, role } of this.bones) {
      const at = joint * JOINT_FLOATS;
      this.turn.set(pose[at + 3] as number, pose[at + 4] as number, pose[at + 5] as number, pose[at + 6] as number).multiply(rest);
      node.parent?.updateWorldMatrix(true, false);
      node.parent?.getWorldQuaternion(this.above);
      node.quaternion.copy(this.above.invert().multiply(this.turn));
      if (role === "hips") {
        const to = new Vector3(pose[at] as number, ((pose[at + 1] as number) - floor) * this.heightScale + floor, pose[at + 2] as number);
        node.parent?.worldToLocal(to);
        node.position.copy(to);
      }
    }
    this.group.updateMatrixWorld(true);
  }

  where(role: string): [number, number, number] | null {
    return this.nodes.has(role) ? (this.at(role).toArray() as [number, number, number]) : null;
  }
}

function depth(node: Object3D): number {
  return node.parent ? 1 + depth(node.parent) : 0;
}
