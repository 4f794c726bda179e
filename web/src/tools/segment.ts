// Segment: cuts found by the library, dragged on the timeline; pieces named and kept.

import { t } from "../i18n";
import type { Value } from "../protocol";
import { segment } from "../requests";
import { group } from "../ui/controls";
import { button, h } from "../ui/dom";
import { number, Tool } from "./tool";

export class Segment extends Tool {
  readonly verbs = [] as const;
  /** Names of pieces by their number of cuts, as the library or the user gave them. */
  private names: string[] = [];

  protected build(): void {
    const cuts = this.studio.document.cuts;
    this.element.append(
      h("p", { class: "note" }, t("segmentHelp")),
      h(
        "div",
        { class: "buttons" },
        button(t("findCuts"), () => void this.find(), cuts.length === 0 ? "main" : ""),
        button(t("cutHere"), () => this.cut()),
        cuts.length > 0 ? button(t("clearCuts"), () => this.set([])) : null,
      ),
    );
    if (cuts.length > 0) this.element.append(this.pieces(cuts));
  }

  private set(cuts: number[]): void {
    this.edit({ cuts }, t("segment"));
    this.rebuild();
  }

  private cut(): void {
    const cuts = [...new Set([...this.studio.document.cuts, Math.round(this.studio.frame)])];
    this.set(cuts.filter((cut) => cut > 0).sort((a, b) => a - b));
  }

  private async find(): Promise<void> {
    const report = await this.studio.ask(segment());
    const fps = this.studio.stage?.motion.fps ?? 60;
    if (!report || typeof report !== "object" || Array.isArray(report)) return;
    const cuts = (report["cuts_s"] ?? []) as Value[];
    const pieces = (report["pieces"] ?? []) as { [key: string]: Value }[];
    const clip = this.studio.document.clip ?? "";
    this.names = pieces.map((piece) => `${clip}-${String(piece["name"])}`);
    this.set(cuts.map((second) => Math.round(number(second) * fps)));
  }

  private pieces(cuts: number[]): HTMLElement {
    const motion = this.studio.stage?.motion;
    const bounds = [0, ...cuts, motion?.frames ?? 0];
    const fps = motion?.fps ?? 60;
    const inputs: HTMLInputElement[] = [];
    const clip = this.studio.document.clip ?? "piece";
    const rows = cuts.concat(bounds[bounds.length - 1] as number).map((end, at) => {
      const start = bounds[at] as number;
      const name = (this.names.length === cuts.length + 1 ? this.names[at] : undefined) ?? `${clip}-${at + 1}`;
      const input = h("input", { class: "field", "aria-label": name });
      input.value = name;
      input.addEventListener("input", () => (this.names = inputs.map((field) => field.value)));
      inputs.push(input);
      const go = button(`${(start / fps).toFixed(2)}–${(end / fps).toFixed(2)} s`, () => this.studio.seek(start), "bare small");
      return h("div", { class: "piece" }, input, go);
    });
    const save = button(t("savePieces"), () => {
      this.studio.send({ intent: "save-pieces", names: inputs.map((input) => input.value) });
    }, "main");
    return group(t("pieces"), h("div", { class: "pieces" }, ...rows), save);
  }
}
