import { Ray, Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { distance } from "../src/stage/hand";

describe("a ray from the eye", () => {
  it("that goes right through a joint is no distance from it", () => {
    let below = 0;
    for (let n = 0; n < 2000; n += 1) {
      const at = (seed: number) => Math.sin(12.9898 * n + 78.233 * seed);
      const [eye, joint, other] = [0, 3, 6].map((k) => new Vector3(at(k), at(k + 1), at(k + 2)));
      const ray = new Ray(eye!.multiplyScalar(4), joint!.clone().sub(eye!).normalize());
      if (ray.distanceSqToSegment(joint!, other!) < 0) below += 1;
      expect(distance(ray, joint!, other!, new Vector3())).toBeLessThan(1e-6);
    }
    expect(below, "rounding is met").toBeGreaterThan(0);
  });
});
