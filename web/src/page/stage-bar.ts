// Switches over the stage: framing, following, ghost, onion skins, path, footprints, a crowd, the mannequin again.

import { onLanguage, t, type Word } from "../i18n";
import type { Stage } from "../stage/stage";
import type { Studio } from "../studio";
import { h, iconButton, label, type Icon } from "../ui/dom";

/** Switches with their icon, word and what they switch. */
const SWITCHES: readonly (readonly [Icon, Word, keyof Studio["view"]])[] = [
  ["follow", "follow", "follow"],
  ["ghost", "ghost", "ghost"],
  ["onion", "onion", "onion"],
  ["path", "path", "path"],
  ["feet", "contacts", "contacts"],
  ["crowd", "crowd", "crowd"],
];

export function stageBar(studio: Studio, stage: Stage, undress: () => void): HTMLElement {
  const frame = iconButton("frame", () => stage.frame());
  const switches = SWITCHES.map(([icon, word, key]) => {
    const press = () => {
      studio.look({ [key]: !studio.view[key] });
      // A crowd needs room, and one alone does not.
      if (key === "crowd") stage.frame();
    };
    return { button: iconButton(icon, press), word, key };
  });
  const naked = iconButton("mannequin", undress);
  const tell = () => {
    naked.hidden = !studio.view.avatar;
    for (const { button, key } of switches) button.setAttribute("aria-pressed", String(studio.view[key]));
  };
  studio.on("view", tell);
  tell();
  const bar = h("div", { class: "stage-bar", role: "toolbar" }, frame, ...switches.map(({ button }) => button), naked);
  onLanguage(() => {
    bar.setAttribute("aria-label", t("stageSwitches"));
    label(frame, t("frameView"));
    label(naked, t("mannequin"));
    for (const { button, word } of switches) label(button, t(word));
  });
  return bar;
}
