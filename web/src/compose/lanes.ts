// The two-layer timeline: key motions as blocks that are dropped, dragged and removed, and under them what fills the
// gaps.

import { onLanguage, t } from "../i18n";
import type { Value } from "../protocol";
import type { Studio } from "../studio";
import { h, icon } from "../ui/dom";
import { add, LAYERS, move, remove, type Draft, type Key, type Layer } from "./draft";

/** What a clip that is dragged from the list is called. */
export const CLIP_TYPE = "application/x-ugoki-clip";
/** Seconds that an arrow key moves a key motion. */
const NUDGE = 0.1;

interface Filled {
  name: string;
  start_s: number;
  end_s: number;
  key: boolean;
}

export class Lanes {
  readonly element = h("div", { class: "lanes", role: "group", hidden: true });
  chosen: number | null = null;
  private readonly ruler = h("div", { class: "lane-ruler" });
  private readonly body = h("div", { class: "lane-body" });
  private readonly playhead = h("div", { class: "lane-playhead" });
  private readonly lanes = LAYERS.map((layer) => h("div", { class: "lane", "data-layer": layer }));
  private draft: Draft = { seconds: 1, key: [] };
  private held: { index: number; grab: number; moved: boolean } | null = null;

  constructor(
    private readonly studio: Studio,
    private readonly change: (draft: Draft, commit: boolean) => void,
  ) {
    this.body.append(...this.lanes, this.playhead);
    this.element.append(this.ruler, this.body);
    for (const lane of this.lanes) this.drops(lane, lane.dataset["layer"] as Layer);
    this.ruler.addEventListener("pointerdown", (event) => this.seek(event));
    this.ruler.addEventListener("pointermove", (event) => event.buttons === 1 && this.seek(event));
    studio.on("frame", () => this.at());
    onLanguage(() => {
      this.element.setAttribute("aria-label", t("keys"));
      this.lanes.forEach((lane, index) => lane.setAttribute("data-name", t(LAYERS[index] as Layer)));
    });
  }

  /** Draws the keys, and the clips of a performance under them. */
  show(draft: Draft, report: { [key: string]: Value } | null): void {
    this.draft = draft;
    if (this.held) return;
    const clips = (report?.["clips"] ?? {}) as unknown as { [layer: string]: Filled[] };
    this.lanes.forEach((lane, index) => {
      const layer = LAYERS[index] as Layer;
      const filled = clips[layer] ?? [];
      lane.replaceChildren(...filled.map((item) => this.strip(item)));
      draft.key.forEach((key, at) => {
        if (key.layer === undefined ? index === 0 : key.layer === layer) lane.append(this.block(key, at));
      });
    });
    this.ticks();
    this.at();
  }

  private percent(seconds: number): string {
    return `${(100 * seconds) / this.draft.seconds}%`;
  }

  private seconds(event: MouseEvent): number {
    const box = this.body.getBoundingClientRect();
    return ((event.clientX - box.left) / Math.max(1, box.width)) * this.draft.seconds;
  }

  private seek(event: PointerEvent): void {
    this.studio.play(false);
    this.studio.seek(Math.round(this.seconds(event) * (this.studio.stage?.motion.fps ?? 60)));
  }

  private ticks(): void {
    const every = this.draft.seconds > 40 ? 5 : this.draft.seconds > 16 ? 2 : 1;
    const marks: HTMLElement[] = [];
    for (let second = 0; second < this.draft.seconds; second += every) {
      const mark = h("span", {}, `${second} s`);
      mark.style.left = this.percent(second);
      marks.push(mark);
    }
    this.ruler.replaceChildren(...marks);
  }

  private at(): void {
    const seconds = this.studio.frame / (this.studio.stage?.motion.fps ?? 60);
    this.playhead.style.left = this.percent(Math.min(seconds, this.draft.seconds));
  }

  private strip(item: Filled): HTMLElement {
    const strip = h("div", { class: item.key ? "strip key" : "strip", title: item.name }, item.name);
    strip.style.left = this.percent(item.start_s);
    strip.style.width = this.percent(Math.max(0, Math.min(item.end_s, this.draft.seconds) - item.start_s));
    return strip;
  }

  private block(key: Key, index: number): HTMLElement {
    const seconds = this.studio.clips.find((clip) => clip.name === key.clip)?.seconds ?? 1;
    const gone = h("button", { class: "key-remove", type: "button", "aria-label": t("remove", { name: key.clip }) }, icon("close"));
    const words = `${key.clip} · ${key.at.toFixed(2)} s`;
    const block = h(
      "div",
      { class: "key-block", tabindex: 0, role: "button", "data-key": index, title: words, "aria-label": words },
      h("span", {}, key.clip),
      gone,
    );
    if (!key.layer) block.classList.add("whole");
    if (index === this.chosen) block.classList.add("chosen");
    block.style.left = this.percent(key.at);
    block.style.width = this.percent(Math.min(seconds, this.draft.seconds - key.at));
    gone.addEventListener("pointerdown", (event) => event.stopPropagation());
    gone.addEventListener("click", () => this.drop(index));
    block.addEventListener("pointerdown", (event) => this.take(event, block, index));
    block.addEventListener("pointermove", (event) => this.drag(event, block));
    block.addEventListener("pointerup", (event) => this.leave(event));
    block.addEventListener("keydown", (event) => this.press(event, index));
    return block;
  }

  private drop(index: number): void {
    this.chosen = null;
    this.change(remove(this.draft, index), true);
  }

  private press(event: KeyboardEvent, index: number): void {
    const key = this.draft.key[index] as Key;
    const by = event.key === "ArrowLeft" ? -NUDGE : event.key === "ArrowRight" ? NUDGE : 0;
    if (event.key === "Delete" || event.key === "Backspace") this.drop(index);
    else if (by !== 0) this.change(move(this.draft, index, key.at + by), true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private take(event: PointerEvent, block: HTMLElement, index: number): void {
    block.setPointerCapture(event.pointerId);
    this.chosen = index;
    this.held = { index, grab: this.seconds(event) - (this.draft.key[index]?.at ?? 0), moved: false };
  }

  private layerAt(event: MouseEvent): Layer {
    const box = this.body.getBoundingClientRect();
    return event.clientY < box.top + box.height / 2 ? "upper" : "lower";
  }

  private drag(event: PointerEvent, block: HTMLElement): void {
    const { held } = this;
    if (!held) return;
    const key = this.draft.key[held.index] as Key;
    const next = move(this.draft, held.index, this.seconds(event) - held.grab, key.layer ? this.layerAt(event) : undefined);
    const moved = next.key[held.index] as Key;
    if (moved.at === key.at && moved.layer === key.layer) return;
    held.moved = true;
    this.draft = next;
    block.style.left = this.percent(moved.at);
    if (moved.layer && moved.layer !== key.layer) this.lanes[LAYERS.indexOf(moved.layer)]?.append(block);
  }

  private leave(event: PointerEvent): void {
    const { held } = this;
    this.held = null;
    if (held) this.change(this.draft, held.moved);
    event.stopPropagation();
  }

  /** A clip of the list may be dropped on a lane. */
  private drops(lane: HTMLElement, layer: Layer): void {
    const carries = (event: DragEvent) => event.dataTransfer?.types.includes(CLIP_TYPE) ?? false;
    lane.addEventListener("dragover", (event) => {
      if (!carries(event)) return;
      event.preventDefault();
      lane.classList.add("over");
    });
    lane.addEventListener("dragleave", () => lane.classList.remove("over"));
    lane.addEventListener("drop", (event) => {
      lane.classList.remove("over");
      const clip = event.dataTransfer?.getData(CLIP_TYPE);
      if (!clip) return;
      event.preventDefault();
      event.stopPropagation();
      this.chosen = this.draft.key.length;
      this.change(add(this.draft, clip, this.seconds(event), layer), true);
    });
  }
}
