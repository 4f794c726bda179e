// Bodies that are worn instead of the mannequin, read from files: VRM avatars and other skinned GLB.

import type { Group, Object3D } from "three";
import type { Joint } from "../protocol";

/** A body that plays motions. */
export interface Costume {
  readonly group: Group;
  /** Which of its bones goes with which joint. */
  fit(joints: Joint[]): void;
  pose(pose: Float32Array, floor: number): void;
  /** Where a bone is; the tests ask. */
  where(role: string): [number, number, number] | null;
}

/** Reads a body; the loaders are fetched only when needed. */
export async function read(bytes: ArrayBuffer): Promise<Costume> {
  const [{ GLTFLoader }, { VRMLoaderPlugin, VRMUtils }, { Avatar }, { Skinned }] = await Promise.all([
    import("three/examples/jsm/loaders/GLTFLoader.js"),
    import("@pixiv/three-vrm"),
    import("./avatar"),
    import("./skinned"),
  ]);
  const loader = new GLTFLoader();
  loader.register((parser) => new VRMLoaderPlugin(parser));
  const { scene, userData } = await loader.parseAsync(bytes, "");
  scene.traverse((thing: Object3D) => {
    thing.frustumCulled = false;
    thing.castShadow = true;
  });
  const vrm = userData["vrm"] as import("@pixiv/three-vrm").VRM | undefined;
  if (!vrm) return new Skinned(scene);
  // Old avatars look the other way.
  VRMUtils.rotateVRM0(vrm);
  return new Avatar(vrm);
}

/** What a GLB file has in it, from its JSON alone. */
export function contents(bytes: ArrayBuffer): { skinned: boolean; moves: boolean } {
  const none = { skinned: false, moves: false };
  const view = new DataView(bytes);
  // "glTF", then version and length, then the JSON's length and "JSON".
  if (bytes.byteLength < 20 || view.getUint32(0, true) !== 0x46546c67 || view.getUint32(16, true) !== 0x4e4f534a) return none;
  const length = Math.min(view.getUint32(12, true), bytes.byteLength - 20);
  try {
    const json = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 20, length))) as Record<string, unknown[] | undefined>;
    const has = (name: string) => Array.isArray(json[name]) && (json[name]?.length ?? 0) > 0;
    return { skinned: has("skins") && has("meshes"), moves: has("animations") };
  } catch {
    return none;
  }
}
