// A VRM avatar in place of the mannequin. Its normalised bones rest in a T-pose facing +Z, as the library's skeletons
// do, so a joint's turn against its parent joint is its bone's turn; the hips go as high as the avatar's legs are long.

import { Group, Quaternion, Vector3, type Object3D } from "three";
import type { VRM, VRMHumanBoneName } from "@pixiv/three-vrm";
import { JOINT_FLOATS, type Joint } from "../protocol";
import type { Costume } from "./costume";

interface Bone {
  node: Object3D;
  joint: number;
  /** The nearest joint above that also has a bone. */
  parent: number | null;
}

export class Avatar implements Costume {
  readonly group = new Group();
  private bones: Bone[] = [];
  private hips: { node: Object3D; joint: number; scale: number } | null = null;
  private readonly turn = new Quaternion();
  private readonly above = new Quaternion();

  /** −1 for avatars of the old kind, whose bones look along −Z. */
  private readonly facing: 1 | -1;

  constructor(private readonly vrm: VRM) {
    this.facing = vrm.meta.metaVersion === "0" ? -1 : 1;
    this.group.add(vrm.scene);
  }

  /** Which bone goes with which joint. */
  fit(joints: Joint[]): void {
    const bone = (role: string | null) => (role ? this.vrm.humanoid.getNormalizedBoneNode(role as VRMHumanBoneName) : null);
    const above = (joint: number): number | null => {
      for (let at = joints[joint]?.parent ?? null; at !== null; at = joints[at]?.parent ?? null) {
        if (bone(joints[at]?.role ?? null)) return at;
      }
      return null;
    };
    this.bones = joints.flatMap((joint, index) => {
      const node = bone(joint.role);
      return node ? [{ node, joint: index, parent: above(index) }] : [];
    });
    const index = joints.findIndex((joint) => joint.role === "hips");
    const node = bone("hips");
    const rest = this.vrm.humanoid.normalizedRestPose["hips"]?.position?.[1] ?? 1;
    const ours = (joints[index]?.rest[1] ?? 1) - Math.min(0, ...joints.map((joint) => joint.rest[1]));
    this.hips = node && index >= 0 ? { node, joint: index, scale: rest / Math.max(0.1, ours) } : null;
  }

  /** Takes a pose. */
  pose(pose: Float32Array, floor: number): void {
    const read = (joint: number, out: Quaternion) => {
      const at = joint * JOINT_FLOATS + 3;
      return out.set(pose[at] as number, pose[at + 1] as number, pose[at + 2] as number, pose[at + 3] as number);
    };
    for (const { node, joint, parent } of this.bones) {
      read(joint, this.turn);
      if (parent !== null) this.turn.premultiply(read(parent, this.above).invert());
      const { x, y, z, w } = this.turn;
      node.quaternion.set(x * this.facing, y, z * this.facing, w);
    }
    if (this.hips) {
      const { node, joint, scale } = this.hips;
      const at = joint * JOINT_FLOATS;
      const high = (pose[at + 1] as number) - floor;
      node.position.set(this.facing * (pose[at] as number), high * scale, this.facing * (pose[at + 2] as number));
    }
    this.group.position.y = floor;
    this.vrm.update(0);
  }

  /** Where a bone is; the tests ask. */
  where(role: string): [number, number, number] | null {
    const node = this.vrm.humanoid.getRawBoneNode(role as VRMHumanBoneName);
    if (!node) return null;
    const { x, y, z } = node.getWorldPosition(new Vector3());
    return [x, y, z];
  }
}
