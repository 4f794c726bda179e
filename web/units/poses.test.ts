import { describe, expect, it } from "vitest";
import { decode, PoseTrack } from "../src/poses";
import { HEADER_BYTES, JOINT_FLOATS, MOST_POSES, VERSION } from "../src/protocol";

function message(stream: number, first: number, joints: number, count: number): ArrayBuffer {
  const buffer = new ArrayBuffer(HEADER_BYTES + 4 * joints * JOINT_FLOATS * count);
  const view = new DataView(buffer);
  view.setUint16(0, VERSION, true);
  view.setUint16(2, joints, true);
  view.setUint32(4, stream, true);
  view.setUint32(8, first, true);
  view.setUint32(12, count, true);
  for (let at = 0; at < joints * JOINT_FLOATS * count; at += 1) view.setFloat32(HEADER_BYTES + 4 * at, at, true);
  return buffer;
}

describe("binary messages", () => {
  it("come apart as they were put together", () => {
    const found = decode(message(7, 3, 2, 4));
    expect(found).toMatchObject({ stream: 7, first: 3, joints: 2, count: 4 });
    expect(found?.values[15]).toBe(15);
  });
  it("that are cut or of another version are none", () => {
    const whole = message(7, 3, 2, 4);
    expect(decode(whole.slice(0, 10))).toBeNull();
    expect(decode(whole.slice(0, -4))).toBeNull();
    new DataView(whole).setUint16(0, VERSION + 1, true);
    expect(decode(whole)).toBeNull();
  });
});

describe("a track of poses", () => {
  const asked: [number, number][] = [];
  const track = () => {
    asked.length = 0;
    return new PoseTrack(1, 150, (_, from, count) => asked.push([from, count]));
  };
  it("asks for the piece at the playhead first, and for each piece once", () => {
    const poses = track();
    poses.want(70);
    expect(asked[0]).toEqual([MOST_POSES, MOST_POSES]);
    expect(asked).toHaveLength(3);
    poses.want(71);
    expect(asked).toHaveLength(3);
  });
  it("asks again for what did not come", () => {
    const poses = track();
    for (let drawn = 0; drawn < 100; drawn += 1) poses.want(0);
    expect(asked.length).toBeGreaterThan(3);
  });
  it("gives frames that came and no others", () => {
    const poses = track();
    const found = decode(message(1, 10, 2, 3));
    if (found) poses.put(found);
    expect(poses.at(9)).toBeUndefined();
    expect(poses.at(11)?.[0]).toBe(2 * JOINT_FLOATS);
  });
});
