// Tags of the clip on stage: taken off by their cross, put on by a word.

import { onLanguage, t } from "./i18n";
import type { Studio } from "./studio";
import { h, icon } from "./ui/dom";

export function tagEditor(studio: Studio): HTMLElement {
  const chips = h("div", { class: "chips" });
  const word = h("input", { class: "field", maxlength: 60, list: "known-tags" });
  const known = h("datalist", { id: "known-tags" });
  const name = h("b", {});
  const box = h("section", { class: "tag-editor", hidden: true }, name, chips, word, known);
  const change = (add: string[], remove: string[]) => {
    const clip = studio.document.clip;
    if (clip) studio.send({ intent: "tag", clip, add, remove });
  };
  const put = () => {
    const tags = word.value.split(",").map((tag) => tag.trim()).filter(Boolean);
    if (tags.length > 0) change(tags, []);
    word.value = "";
  };
  word.addEventListener("keydown", (event) => {
    if (event.key === "Enter") put();
  });
  const fill = () => {
    const clip = studio.clips.find((row) => row.name === studio.document.clip);
    box.hidden = clip === undefined;
    name.textContent = clip?.name ?? "";
    chips.replaceChildren(
      ...(clip?.tags ?? []).map((tag) => {
        const off = h("button", { class: "chip", type: "button", "data-tag": tag, "aria-label": t("untag", { tag }), onclick: () => change([], [tag]) });
        off.append(tag, icon("close"));
        return off;
      }),
    );
    const all = new Set(studio.clips.flatMap((row) => row.tags));
    known.replaceChildren(...[...all].sort().map((tag) => h("option", { value: tag })));
  };
  let shown: string | null = null;
  studio.on("clips", fill);
  // While something is dragged the clip stays.
  studio.on("document", ({ clip }) => {
    if (clip === shown) return;
    shown = clip;
    fill();
  });
  onLanguage(() => {
    word.placeholder = t("addTag");
    word.setAttribute("aria-label", t("addTag"));
    box.setAttribute("aria-label", t("tags"));
    fill();
  });
  return box;
}
