// The list of clips: search, tags, import by dropping, removing.

import { CLIP_TYPE } from "./compose/lanes";
import { onLanguage, t } from "./i18n";
import { MOST_UPLOAD, type ClipRow, type Problem } from "./protocol";
import { contents } from "./stage/costume";
import type { Studio } from "./studio";
import { tagEditor } from "./tags";
import { button, h, iconButton, label } from "./ui/dom";

/** Tags shown as chips: the most common. */
const MOST_TAGS = 9;
/** Tags that say little about what a clip is. */
const VAGUE = new Set(["short", "medium", "long", "left", "right", "left-arm", "right-arm", "left-leg", "right-leg", "still"]);

/** Clips whose name or tags have every word, and that have all the tags. */
export function matching(clips: ClipRow[], search: string, tags: ReadonlySet<string>): ClipRow[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return clips.filter((clip) => {
    const text = `${clip.name} ${clip.tags.join(" ")}`.toLowerCase();
    return words.every((word) => text.includes(word)) && [...tags].every((tag) => clip.tags.includes(tag));
  });
}

/** The most common tags, those in most clips first. */
export function commonTags(clips: ClipRow[], most: number): string[] {
  const counts = new Map<string, number>();
  for (const clip of clips) for (const tag of clip.tags) if (!VAGUE.has(tag)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
  return sorted.slice(0, most).map(([tag]) => tag);
}

export function clipPanel(studio: Studio): HTMLElement {
  const chosen = new Set<string>();
  const search = h("input", { class: "field", type: "search", oninput: () => fill() });
  const tags = h("div", { class: "tags", role: "group" });
  const list = h("ul", { class: "clip-list", role: "listbox", tabindex: -1 });
  const count = h("span", {});
  const file = h("input", { type: "file", multiple: true, hidden: true, onchange: () => void upload(studio, [...(file.files ?? [])]).then(() => (file.value = "")) });
  const importer = button("", () => file.click(), "small bare");
  const panel = h("section", { class: "clips" }, h("header", {}, search, tags), list, tagEditor(studio), h("footer", {}, count, importer, file));

  const fill = () => {
    const fit = matching(studio.clips, search.value, chosen);
    list.replaceChildren(...fit.map((clip) => row(studio, clip)));
    if (fit.length === 0) list.append(h("li", { class: "note" }, t(studio.clips.length === 0 ? "emptyList" : "noClips")));
    count.textContent = fit.length < studio.clips.length ? t("countOf", { n: fit.length, all: studio.clips.length }) : t("count", { n: fit.length });
  };
  const fillTags = () => {
    tags.replaceChildren(
      ...commonTags(studio.clips, MOST_TAGS).map((tag) => {
        const chip = h("button", {
          class: "chip",
          type: "button",
          "aria-pressed": String(chosen.has(tag)),
          onclick: () => {
            if (!chosen.delete(tag)) chosen.add(tag);
            fillTags();
            fill();
          },
        }, tag);
        return chip;
      }),
    );
  };
  let marked: string | null = null;
  const mark = () => {
    if (studio.document.clip === marked) return;
    marked = studio.document.clip;
    for (const item of list.querySelectorAll<HTMLElement>("[role=option]")) {
      const is = item.dataset["clip"] === studio.document.clip;
      item.setAttribute("aria-selected", String(is));
      if (is) item.scrollIntoView({ block: "nearest" });
    }
  };
  studio.on("clips", () => {
    fillTags();
    fill();
  });
  studio.on("document", mark);
  list.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    event.stopPropagation();
    const items = [...list.querySelectorAll<HTMLElement>("[role=option]")];
    const at = items.indexOf(document.activeElement as HTMLElement) + (event.key === "ArrowDown" ? 1 : -1);
    items[Math.max(0, Math.min(items.length - 1, at))]?.focus();
  });
  onLanguage(() => {
    search.placeholder = t("search");
    search.setAttribute("aria-label", t("search"));
    list.setAttribute("aria-label", t("clips"));
    tags.setAttribute("aria-label", t("tags"));
    importer.textContent = t("importFiles");
    fill();
  });
  return panel;
}

function row(studio: Studio, clip: ClipRow): HTMLLIElement {
  const choose = () => clip.usable && studio.choose(clip.name);
  const remove = iconButton("close", () => studio.send({ intent: "remove", clip: clip.name }), "bare small remove");
  label(remove, t("remove", { name: clip.name }));
  remove.addEventListener("click", (event) => event.stopPropagation());
  return h(
    "li",
    {
      class: clip.usable ? "clip" : "clip unusable",
      role: "option",
      tabindex: 0,
      title: clip.tags.join(" · "),
      "data-clip": clip.name,
      draggable: "true",
      ondragstart: (event: DragEvent) => event.dataTransfer?.setData(CLIP_TYPE, clip.name),
      "aria-selected": String(clip.name === studio.document.clip),
      onclick: choose,
      onkeydown: (event: KeyboardEvent) => {
        if (event.target !== event.currentTarget) return;
        if (event.key === "Enter") choose();
        if (event.key === "Delete") remove.click();
      },
    },
    h("span", { class: "name" }, clip.name),
    h("span", { class: "length" }, `${clip.seconds.toFixed(1)} s`),
    remove,
  );
}

/** Sends files to the server and imports them; `then` receives their clips. Files that cannot be sent are reported together. */
export async function upload(studio: Studio, files: File[], then?: (clips: string[]) => void): Promise<void> {
  const names: string[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const message = await send(file);
    if (message === null) names.push(file.name);
    else problems.push({ file: file.name, line: null, step: null, message, hint: null });
  }
  if (problems.length > 0) studio.tell("problems", problems);
  if (names.length > 0) studio.import(names, then);
}

/** Sends one file; gives why it was not taken, if it was not. */
async function send(file: File): Promise<string | null> {
  const tooLarge = t("tooLarge", { mb: MOST_UPLOAD / 2 ** 20 });
  // A server that refuses a large file does not read it, and the browser then only knows that the line broke.
  if (file.size > MOST_UPLOAD) return tooLarge;
  const answer = await fetch(`/upload?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file }).catch(() => null);
  if (!answer) return t("notSent");
  return answer.ok ? null : (await answer.text()).trim();
}

/** Files dropped anywhere on the page are imported; an avatar takes the mannequin's place. */
export function dropFiles(studio: Studio, on: HTMLElement, dress: (file: File) => void): void {
  const sign = h("div", { class: "drop", hidden: true });
  onLanguage(() => (sign.textContent = t("drop")));
  on.append(sign);
  const carries = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  window.addEventListener("dragover", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    sign.hidden = false;
  });
  window.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) sign.hidden = true;
  });
  window.addEventListener("drop", (event) => {
    sign.hidden = true;
    if (!carries(event)) return;
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    void sort(files, on.contains(event.target as Node)).then(({ avatar, motions }) => {
      if (avatar) dress(avatar);
      if (motions.length > 0) void upload(studio, motions);
    });
  });
}

/** What is worn and what is imported: VRM, and skinned GLB that is dropped on the stage, is worn; what also moves is both. */
export async function sort(files: File[], onStage: boolean): Promise<{ avatar: File | null; motions: File[] }> {
  let avatar: File | null = null;
  const motions: File[] = [];
  for (const file of files) {
    const name = file.name.toLowerCase();
    const inside = name.endsWith(".glb") && onStage ? contents(await file.arrayBuffer()) : { skinned: false, moves: true };
    const worn = name.endsWith(".vrm") || inside.skinned;
    if (worn) avatar ??= file;
    if (!worn || (inside.skinned && inside.moves)) motions.push(file);
  }
  return { avatar, motions };
}
