// The keyboard, as in Blender where it has a key for the same; and the list of it.

import { onLanguage, t, type Word } from "./i18n";
import type { View } from "./stage/eye";
import type { Stage } from "./stage/stage";
import type { Studio } from "./studio";
import { jump, step } from "./timeline/transport";
import { h, iconButton, label } from "./ui/dom";

/** Frames of a long step. */
const FAR = 10;
/** Views by the keys of a number block, or of the row of numbers. */
const VIEWS: Record<string, View> = { Numpad1: "front", Digit1: "front", Numpad3: "side", Digit3: "side", Numpad7: "top", Digit7: "top" };

/** What the list says: keys, and what they do. */
const LIST: readonly (readonly [string, Word])[] = [
  ["Space", "keyPlay"],
  ["← →", "keyStep"],
  ["↑ ↓", "keyJump"],
  ["Shift ↑ ↓", "keyFar"],
  ["Shift ← →", "keyEnds"],
  ["Home", "keyFrame"],
  ["F", "keyFollow"],
  ["1  3  7", "keyViews"],
  ["Ctrl Z", "undo"],
  ["Ctrl Shift Z", "redo"],
  ["?", "keyHelp"],
];

/** Listens to keys; gives what opens the list of them. */
export function keyboard(studio: Studio, stage: Stage): () => void {
  const help = list();
  document.body.append(help);
  const open = () => (help.open ? help.close() : help.showModal());
  window.addEventListener("keydown", (event) => {
    if (!help.open && press(event, studio, stage, open)) event.preventDefault();
  });
  // A button that was pressed by the pointer gives the keys back, so that Space plays.
  window.addEventListener("click", (event) => {
    const pressed = (event.target as Element).closest?.("button");
    if (event.detail > 0 && pressed && pressed === document.activeElement) pressed.blur();
  });
  return open;
}

/** Does what a key means; says whether it meant something. */
function press(event: KeyboardEvent, studio: Studio, stage: Stage, help: () => void): boolean {
  const target = event.target as HTMLElement;
  if (target.matches("input:not([type=range]):not([type=checkbox]):not([type=radio]), textarea, select")) return false;
  const command = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (command && (key === "z" || key === "y")) return studio.send({ intent: key === "y" || event.shiftKey ? "redo" : "undo" });
  if (command || event.altKey) return false;
  // Controls that have the keyboard's focus keep their own keys.
  if (key === " " && target.matches("button, summary, input")) return false;
  if (target.matches("input") && key.startsWith("arrow")) return false;
  const view = VIEWS[event.code];
  if (key === " ") studio.play(!studio.playing);
  else if (key === "arrowleft" || key === "arrowright") {
    const by = key === "arrowright" ? 1 : -1;
    if (event.shiftKey) studio.seek(by > 0 ? Infinity : 0);
    else step(studio, by);
  } else if ((key === "arrowup" || key === "arrowdown") && !target.closest("[role=listbox]")) {
    const by = key === "arrowup" ? 1 : -1;
    if (event.shiftKey) step(studio, by * FAR);
    else jump(studio, by);
  } else if (key === "home") stage.frame();
  else if (key === "f") studio.look({ follow: !studio.view.follow });
  else if (key === "?") help();
  else if (view && !event.shiftKey) stage.eye.look(view);
  else return false;
  return true;
}

function list(): HTMLDialogElement {
  const title = h("h2", {});
  const rows = h("dl", { class: "keys" });
  const close = iconButton("close", () => dialog.close(), "bare small");
  const dialog = h("dialog", { class: "help" }, h("header", {}, title, close), rows);
  // A press outside closes it.
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  onLanguage(() => {
    title.textContent = t("keyHelp");
    dialog.setAttribute("aria-label", t("keyHelp"));
    label(close, t("dismiss"));
    rows.replaceChildren(...LIST.flatMap(([keys, word]) => [h("dt", {}, ...keys.split(/ +/).map((key) => h("kbd", {}, key))), h("dd", {}, t(word))]));
  });
  return dialog;
}
