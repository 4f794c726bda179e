// Performances to choose from: a card each, with the figure moving at the playhead, marks, and what can be done with
// it.

import { t } from "../i18n";
import type { Candidate, Value } from "../protocol";
import type { Studio } from "../studio";
import { button, h } from "../ui/dom";
import { Thumbnail } from "./thumbnail";

export interface CardActions {
  pick(place: number): void;
  compare(place: number): void;
  keep(place: number): void;
}

interface Card {
  stream: number;
  element: HTMLElement;
  thumbnail: Thumbnail;
  compare: HTMLButtonElement;
}

const numeric = (report: Value, name: string) => {
  const value = report && typeof report === "object" && !Array.isArray(report) ? report[name] : 0;
  return typeof value === "number" ? value : 0;
};

export class Cards {
  readonly element = h("div", { class: "cards", role: "listbox" });
  private cards: (Card | undefined)[] = [];

  constructor(
    private readonly studio: Studio,
    private readonly actions: CardActions,
  ) {}

  /** Shows those that were found so far; cards that are there stay. */
  show(candidates: readonly (Candidate | undefined)[], picked: number | null, compared: number | null): void {
    this.element.setAttribute("aria-label", t("performances"));
    this.cards = candidates.map((candidate, place) => {
      if (!candidate) return undefined;
      const known = this.cards[place];
      return known?.stream === candidate.motion.stream ? known : this.card(candidate, place);
    });
    this.cards.forEach((card, place) => {
      card?.element.setAttribute("aria-selected", String(place === picked));
      card?.compare.setAttribute("aria-pressed", String(card.stream === compared));
      if (card) card.compare.disabled = place === picked;
    });
    this.element.replaceChildren(...this.cards.flatMap((card) => (card ? [card.element] : [])));
    this.draw(this.studio.frame);
  }

  private card(candidate: Candidate, place: number): Card {
    const { motion, report } = candidate;
    const name = t("performance_", { n: place + 1 });
    const canvas = h("canvas", { class: "thumbnail", role: "img", "aria-label": name });
    const compare = button(t("compare"), () => this.actions.compare(place), "small bare");
    const keep = button(t("keep"), () => this.actions.keep(place), "small bare");
    const marks = `F ${numeric(report, "f").toFixed(2)} · ${(100 * numeric(report, "stretch")).toFixed(1)} %`;
    const element = h(
      "div",
      {
        class: "card",
        role: "option",
        tabindex: 0,
        "data-place": place,
        "aria-label": name,
        onclick: () => this.actions.pick(place),
        onkeydown: (event: KeyboardEvent) => {
          if (event.key === "Enter" && event.target === element) this.actions.pick(place);
        },
      },
      canvas,
      h("div", { class: "card-words" }, h("b", {}, String(place + 1)), h("span", { title: t("marks") }, marks)),
      h("div", { class: "card-actions" }, compare, keep),
    );
    for (const inner of [compare, keep]) inner.addEventListener("click", (event) => event.stopPropagation());
    return { stream: motion.stream, element, compare, thumbnail: new Thumbnail(canvas, motion.joints, motion.floor) };
  }

  /** All figures at a frame. */
  draw(frame: number): void {
    for (const card of this.cards) {
      if (!card) continue;
      const motion = this.studio.candidates.find((candidate) => candidate?.motion.stream === card.stream)?.motion;
      if (!motion) continue;
      const at = Math.min(Math.round(frame), motion.frames - 1);
      const track = this.studio.tracks.of(motion);
      track.want(at);
      card.thumbnail.draw(track.at(at));
    }
  }
}
