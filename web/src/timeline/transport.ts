// Buttons under the stage: play, step, loop, speed, and where the playhead is.

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
  loop.setAttribute("aria-pressed", "true");
  const rate = h("select", { class: "field", onchange: () => (studio.rate = Number(rate.value)) });
  for (const value of RATES) rate.append(h("option", { value, selected: value === 1 }, `${value}×`));
  rate.style.width = "68px";
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
  studio.on("playing", (on) => play.replaceChildren(icon(on ? "pause" : "play")));
  play.replaceChildren(icon("pause"));
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
