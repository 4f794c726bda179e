import { describe, expect, it } from "vitest";
import { commonTags, matching } from "../src/clips";
import { allWords } from "../src/i18n";
import { blend, drop, edit, filter, find, handleText, parseHandle, parseSegment, put, segmentText } from "../src/requests";
import { TimeScale } from "../src/timeline/scale";
import { anchors, weightsAt } from "../src/tools/blend";
import { kernelWord, parseKernel } from "../src/tools/clean";
import { displacement, handleOf, segmentBetween } from "../src/tools/edit";
import { pieceNames } from "../src/tools/segment";

const clip = (name: string, ...tags: string[]) => ({ name, seconds: 1, tags, source: null, usable: true });

describe("clips", () => {
  const clips = [clip("walk-slow", "walk", "loop"), clip("run", "run", "loop"), clip("nod", "gesture")];
  it("are found by parts of names and tags, all words and tags together", () => {
    expect(matching(clips, "WALK", new Set())).toHaveLength(1);
    expect(matching(clips, "", new Set(["loop"]))).toHaveLength(2);
    expect(matching(clips, "slow gesture", new Set())).toHaveLength(0);
  });
  it("give their common tags, most common first", () => {
    expect(commonTags(clips, 2)).toEqual(["loop", "gesture"]);
  });
});

describe("steps", () => {
  it("are replaced by verb and keep their order", () => {
    const steps = put(put([], filter({ kernel: "box:3" })), blend(["run"], [1, 1]));
    const changed = put(steps, filter({ kernel: "box:5" }));
    expect(changed.map((step) => step.verb)).toEqual(["filter", "blend"]);
    expect(find(changed, "filter")?.kernel).toBe("box:5");
    expect(drop(changed, "filter")).toHaveLength(1);
  });
});

describe("kernels", () => {
  it("read back as written", () => {
    for (const word of ["gauss:2.5", "box:11", "binomial:9", "savgol:11,3"]) {
      const { shape, width, degree } = parseKernel(word);
      expect(kernelWord(shape, width, degree)).toBe(word);
    }
    expect(kernelWord("none", 3, 3)).toBeNull();
  });
  it("of polynomials have more taps than degrees", () => {
    expect(kernelWord("savgol", 5, 9)).toBe("savgol:5,4");
  });
});

describe("edits of a segment", () => {
  it("write handles and segments as the command line has them, and read them back", () => {
    expect(handleText("rightHand", [0.1, -0.25, 0])).toBe("rightHand@+0.1,-0.25,0");
    expect(parseHandle("rightHand@+0.1,-0.25,0")).toEqual(["rightHand", [0.1, -0.25, 0]]);
    expect(parseSegment(segmentText(12, 59))).toEqual([12, 59]);
    expect(parseSegment("0.5:1.2")).toBeNull();
    expect(edit("0f:60f", ["leftFoot@+0,0,0.1"]).verb).toBe("edit");
  });
  it("keep segments inside the motion and long enough", () => {
    expect(segmentBetween(50, 20, 100)).toEqual([20, 50]);
    expect(segmentBetween(98, 99, 100)).toEqual([95, 99]);
    expect(segmentBetween(-5, 400, 100)).toEqual([0, 99]);
  });
  it("take forearms and shins for hands and feet, and nothing else", () => {
    expect(handleOf("rightLowerArm")).toBe("rightHand");
    expect(handleOf("leftToes")).toBe("leftFoot");
    expect(handleOf("hips")).toBeNull();
    expect(handleOf(null)).toBeNull();
  });
  it("measure paths by their distance from the captured one", () => {
    expect(displacement([[0, 0, 0], [0.3, 0.4, 0]], [[0, 0, 0], [0, 0, 0]])).toEqual([0, 500]);
  });
});

describe("the pad", () => {
  it("gives all weight at a clip, equal weights in the middle, sum 1 anywhere", () => {
    const places = anchors(4);
    expect(weightsAt(...(places[2] as [number, number]), places)).toEqual([0, 0, 1, 0]);
    for (const weight of weightsAt(0.5, 0.5, anchors(3))) expect(weight).toBeCloseTo(1 / 3, 1);
    const sum = weightsAt(0.3, 0.8, places).reduce((a, b) => a + b, 0);
    expect(sum).toBeCloseTo(1, 1);
  });
});

describe("the timeline's scale", () => {
  it("goes from frames to places and back", () => {
    const scale = new TimeScale();
    scale.fit(300, 800);
    for (const frame of [0, 17, 299]) expect(scale.frame(scale.x(frame))).toBeCloseTo(frame);
  });
  it("zooms about the pointer and stays within the motion", () => {
    const scale = new TimeScale();
    scale.fit(300, 800);
    const under = scale.frame(500);
    scale.zoom(500, 0.5);
    expect(scale.frame(500)).toBeCloseTo(under);
    for (let n = 0; n < 50; n += 1) scale.zoom(100, 1.5);
    expect(scale.visible).toEqual([0, 299]);
  });
  it("moves within the motion, and brings a frame into sight that left it", () => {
    const scale = new TimeScale();
    scale.fit(300, 800);
    scale.zoom(100, 0.2);
    const [from, to] = scale.visible;
    expect(scale.reveal(from + 1)).toBe(false);
    expect(scale.reveal(to + 20)).toBe(true);
    expect(scale.visible[0]).toBeCloseTo(to + 20);
    scale.shift(1e6);
    expect(scale.visible[1]).toBeCloseTo(299);
    expect(scale.reveal(3)).toBe(true);
    expect(scale.visible[0]).toBeLessThanOrEqual(3);
    expect(scale.visible[1] - scale.visible[0]).toBeCloseTo(to - from);
  });
});

describe("pieces", () => {
  it("have the names that were given, and numbers where none was", () => {
    expect(pieceNames(undefined, "walk", 2)).toEqual(["walk-1", "walk-2"]);
    expect(pieceNames('["first",""]', "walk", 3)).toEqual(["first", "walk-2", "walk-3"]);
  });
});

describe("words", () => {
  it("are all there in both languages, with the same blanks", () => {
    const blanks = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([blank]) => blank).sort();
    for (const [key, [english, japanese]] of Object.entries(allWords)) {
      expect(english.length * japanese.length, key).toBeGreaterThan(0);
      expect(blanks(japanese), key).toEqual(blanks(english));
    }
  });
});
