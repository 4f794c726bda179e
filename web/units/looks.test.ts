import { describe, expect, it } from "vitest";
// Types of Node are not among those of the page.
// @ts-expect-error
import { readFileSync } from "node:fs";
import { bodyPart, change, verb } from "../src/names";

const theme = readFileSync("src/style/theme.css", "utf8") as string;

/** Colours of a block of the theme, by name. */
function colours(selector: string): Map<string, string> {
  const block = theme.split(`${selector} {`)[1]?.split("}")[0] ?? "";
  return new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{3,6});/g)].map(([, name, value]) => [name as string, value as string]));
}

/** Relative luminance, as the Web Content Accessibility Guidelines 2.2 define it. */
function luminance(hex: string): number {
  const full = hex.length === 4 ? hex.slice(1).replace(/./g, "$&$&") : hex.slice(1);
  const [r, g, b] = [0, 2, 4].map((at) => {
    const level = parseInt(full.slice(at, at + 2), 16) / 255;
    return level <= 0.03928 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark, bright] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (bright + 0.05) / (dark + 0.05);
}

describe("colours", () => {
  for (const [name, selector] of [["dark", ":root"], ["light", ':root[data-theme="light"]']] as const) {
    it(`of ${name} text can be read on every ground`, () => {
      const known = new Map([...colours(":root"), ...colours(selector)]);
      const of = (word: string) => known.get(word) ?? "";
      for (const word of ["text", "soft", "faint", "accent", "left", "right", "good", "bad"]) {
        for (const ground of ["back", "panel", "raised"]) {
          // The least that the guidelines ask of small text.
          expect(contrast(of(word), of(ground)), `${word} on ${ground}`).toBeGreaterThanOrEqual(4.5);
        }
      }
      expect(contrast(of("on-fill"), of("fill"))).toBeGreaterThanOrEqual(4.5);
    });
  }
});

describe("names of the library", () => {
  it("are words of the interface where it has some", () => {
    expect(["leftLowerLeg", "left-knee", "hips", "upper", "rightHand", "Bone_07"].map(bodyPart)).toEqual([
      "left shin", "left knee", "hips", "upper body", "right hand", "Bone_07",
    ]);
    expect([verb("filter"), verb("frobnicate")]).toEqual(["Smoothing", "frobnicate"]);
  });
  it("of changes keep what they were done to", () => {
    expect([change("walk"), change("save: my: clip"), change("what an older page said")]).toEqual([
      "Walk", "Save: my: clip", "what an older page said",
    ]);
  });
});
