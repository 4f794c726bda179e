// Words for what the library names: parts of the body, verbs of steps, what a change was called.

import { allWords, currentLanguage, t, type Word } from "./i18n";

/** What a change is called in the history: a word of the interface, and what it was done to. */
export type Label = Word | `${Word}: ${string}`;

/** Parts of the body as roles, groups and parts name them, without their side. */
const BODY: Record<string, readonly [string, string]> = {
  hips: ["hips", "腰"],
  spine: ["spine", "背骨"],
  chest: ["chest", "胸"],
  upperchest: ["upper chest", "胸上部"],
  neck: ["neck", "首"],
  head: ["head", "頭"],
  shoulder: ["shoulder", "肩"],
  upperarm: ["upper arm", "上腕"],
  lowerarm: ["forearm", "前腕"],
  elbow: ["elbow", "ひじ"],
  hand: ["hand", "手"],
  arm: ["arm", "腕"],
  upperleg: ["thigh", "太もも"],
  lowerleg: ["shin", "すね"],
  knee: ["knee", "ひざ"],
  foot: ["foot", "足"],
  toes: ["toes", "つま先"],
  leg: ["leg", "脚"],
  eye: ["eye", "目"],
  jaw: ["jaw", "あご"],
  torso: ["torso", "胴"],
  upper: ["upper body", "上半身"],
  lower: ["lower body", "下半身"],
  travel: ["travel", "移動"],
};

/** A part of the body in words: `leftLowerLeg` and `left-knee` are "left shin" and "left knee"; others stay as they are. */
export function bodyPart(name: string): string {
  const [, side = "", rest = ""] = /^(left|right)?[-_]?(.*)$/i.exec(name) ?? [];
  const words = BODY[rest.toLowerCase()];
  if (!words) return name;
  if (currentLanguage() === "ja") return (side ? t(side.toLowerCase() as Word) : "") + words[1];
  return side ? `${t(side.toLowerCase() as Word)} ${words[0]}` : words[0];
}

/** Verbs of steps in words. */
const VERBS: Record<string, Word> = {
  filter: "smooth",
  equalize: "bands",
  plant: "plant",
  blend: "blend",
  loop: "loopTool",
  splice: "splice",
  edit: "edit",
  walk: "walk",
  react: "react",
  compose: "compose",
  perform: "perform",
};

/** A verb of a step in words. */
export const verb = (name: string): string => (VERBS[name] ? t(VERBS[name]) : name);

/** A change of the history in words; what another version called it stays as it is. */
export function change(label: string): string {
  const [word = "", ...rest] = label.split(": ");
  const known = word in allWords ? t(word as Word) : word;
  return rest.length > 0 ? `${known}: ${rest.join(": ")}` : known;
}
