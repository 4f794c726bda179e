// Buttons under the stage: play, step, loop, speed, and where the playhead is.

import { DRAFT, read } from "../compose/draft";
import { onLanguage, t } from "../i18n";
import type { Studio } from "../studio";
import { h, icon, iconButton, label } from "../ui/dom";

const RATES = [0.1, 0.25, 0.5, 1, 2, 4];

export function transport(studio: Studio): HTMLElement {
  const play = iconButton("play", () => studio.play(!studio.playing));
  const first = iconButton("first", () => studio.seek(0));
  const back = iconButton("back", () => step(studio, -1));
  const forth = iconButton("forth", () => step(studio, 1));
  const last = iconButton("last", () => studio.seek(Infinity));
  const loop = iconButton("loop", () => {
    studio.loop = !studio.loop;
    loop.setAttribute("aria-pressed", String(studio.loop));
  });
  loop.setAttribute("aria-pressed", String(studio.loop));
  const rate = h("select", { class: "field rate", onchange: () => (studio.rate = Number(rate.value)) });
  for (const value of RATES) rate.append(h("option", { value, selected: value === studio.rate }, `${value}×`));
  const frame = h("b", {});
  const rest = h("span", {});
  const now = h("div", { class: "now" }, frame, rest);
  const tell = () => {
    const motion = studio.stage?.motion;
    if (!motion) return;
    const at = Math.round(studio.frame);
    frame.textContent = `${(at / motion.fps).toFixed(2)} s`;
    rest.textContent = `  ·  ${at} / ${motion.frames - 1}`;
  };
  studio.on("frame", tell);
  studio.on("stage", tell);
  const showPlaying = () => play.replaceChildren(icon(studio.playing ? "pause" : "play"));
  studio.on("playing", showPlaying);
  showPlaying();
  onLanguage(() => {
    label(play, t("play"));
    label(first, t("first"));
    label(back, t("back"));
    label(forth, t("forth"));
    label(last, t("last"));
    label(loop, t("loop"));
    label(rate, t("speed"));
  });
  return h("div", { class: "transport" }, first, back, play, forth, last, loop, rate, h("span", { class: "space" }), now);
}

/** Goes so many frames on, stopped. */
export function step(studio: Studio, by: number): void {
  studio.play(false);
  studio.seek(Math.round(studio.frame) + by);
}

/** Frames worth jumping to: cuts, key motions, or where a foot lands; and both ends. */
export function marks(studio: Studio): number[] {
  const { stage, document } = studio;
  if (!stage) return [];
  const { fps, frames, footprints } = stage.motion;
  const keys = () => read(document.files[DRAFT]).key.map((key) => Math.round(key.at * fps));
  const found = document.tool === "segment" ? document.cuts : document.tool === "compose" ? keys() : footprints.map((print) => print.start);
  return [...new Set([0, ...found.filter((frame) => frame < frames), frames - 1])].sort((a, b) => a - b);
}

/** Goes to the next mark, or to the one before, stopped. */
export function jump(studio: Studio, by: 1 | -1): void {
  const [now, all] = [Math.round(studio.frame), marks(studio)];
  const to = by > 0 ? all.find((frame) => frame > now) : all.findLast((frame) => frame < now);
  studio.play(false);
  if (to !== undefined) studio.seek(to);
}

/** Where the playhead is after so many seconds; the end of a motion that is not looped stops it. */
export function advance(studio: Studio, seconds: number): void {
  const motion = studio.stage?.motion;
  if (!studio.playing || !motion || motion.frames < 2) return;
  const last = motion.frames - 1;
  let frame = studio.frame + seconds * motion.fps * studio.rate;
  if (frame > last) {
    if (studio.loop) frame %= last;
    else {
      frame = last;
      studio.play(false);
    }
  }
  studio.seek(frame);
}
