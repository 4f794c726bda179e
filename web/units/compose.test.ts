import { describe, expect, it } from "vitest";
import { add, EMPTY, last, move, read, remove, write } from "../src/compose/draft";
import { contents } from "../src/stage/costume";
import { roleOf } from "../src/stage/skinned";
import { Tracks } from "../src/tracks";
import type { Motion } from "../src/protocol";

describe("a timeline that is written", () => {
  const two = add(add(EMPTY, "wave", 2.013, "upper"), "nod", 99, null);
  it("keeps keys on its grid and inside its length", () => {
    expect(two.key).toEqual([{ at: 2, clip: "wave", layer: "upper" }, { at: 9.95, clip: "nod" }]);
    expect(last(two, 5).key[1]?.at).toBe(4.95);
    expect(move(two, 0, -3).key[0]).toEqual({ at: 0, clip: "wave", layer: "upper" });
  });
  it("moves keys between layers and the whole body", () => {
    expect(move(two, 1, 4, "lower").key[1]).toEqual({ at: 4, clip: "nod", layer: "lower" });
    expect(move(two, 0, 2, null).key[0]).toEqual({ at: 2, clip: "wave" });
    expect(remove(two, 0).key.map((key) => key.clip)).toEqual(["nod"]);
  });
  it("reads back as written", () => {
    expect(read(write(two))).toEqual(two);
    expect(read(undefined)).toEqual(EMPTY);
  });
});

describe("bones of other tools", () => {
  it("are known by their names", () => {
    const names: [string, string | null][] = [
      ["mixamorig:Hips", "hips"], ["mixamorigLeftUpLeg", "leftUpperLeg"], ["mixamorig:RightForeArm", "rightLowerArm"],
      ["LeftToeBase", "leftToes"], ["thigh_l", "leftUpperLeg"], ["calf_r", "rightLowerLeg"], ["upperarm_r", "rightUpperArm"],
      ["clavicle_l", "leftShoulder"], ["hand.R", "rightHand"], ["upper_arm.L", "leftUpperArm"], ["shin.L", "leftLowerLeg"],
      ["pelvis", "hips"], ["Head", "head"], ["spine_02", "spine"], ["leftUpperArm", "leftUpperArm"], ["rightFoot", "rightFoot"],
      ["LeftHandIndex1", null], ["Armature", null], ["foot", null], ["Body_Mesh", null],
    ];
    for (const [name, role] of names) expect(roleOf(name), name).toBe(role);
  });
});

describe("a GLB", () => {
  const glb = (json: unknown) => {
    const text = new TextEncoder().encode(JSON.stringify(json));
    const bytes = new ArrayBuffer(20 + text.length);
    const view = new DataView(bytes);
    [0x46546c67, 2, 20 + text.length, text.length, 0x4e4f534a].forEach((word, at) => view.setUint32(4 * at, word, true));
    new Uint8Array(bytes).set(text, 20);
    return bytes;
  };
  it("is worn when it has a skin, and imported when it moves", () => {
    expect(contents(glb({ skins: [{}], meshes: [{}] }))).toEqual({ skinned: true, moves: false });
    expect(contents(glb({ animations: [{}] }))).toEqual({ skinned: false, moves: true });
  });
  it("that is missing is neither", () => {
    for (const bytes of [new ArrayBuffer(0), new ArrayBuffer(40), glb("{").slice(0, 22)]) {
      expect(contents(bytes)).toEqual({ skinned: false, moves: false });
    }
  });
});

describe("poses", () => {
  const motion = (stream: number, frames: number): Motion => ({ stream, name: "", fps: 60, frames, joints: [], path: [], floor: 0, footprints: [] });
  const message = (stream: number, first: number) => ({ stream, first, joints: 1, count: 1, values: new Float32Array(7).fill(first) });
  it("that come before their motion are not lost, and a motion that is known keeps its poses", () => {
    const tracks = new Tracks(() => {});
    tracks.put(message(3, 5));
    const track = tracks.of(motion(3, 10));
    expect(track.at(5)?.[0]).toBe(5);
    tracks.keep(new Set([3]));
    expect(tracks.of(motion(3, 10))).toBe(track);
    tracks.keep(new Set());
    expect(tracks.of(motion(3, 10))).not.toBe(track);
  });
  it("of a live body are only the last", () => {
    const tracks = new Tracks(() => {});
    const body = tracks.live(motion(4, 0));
    [1, 2, 3].forEach((frame) => tracks.put(message(4, frame)));
    expect(body.pose?.[0]).toBe(3);
  });
});
