// Segment: cuts found by the library, dragged on the timeline; pieces named and kept. Names are a part of the document,
// so that they can be undone and outlive a reload.

import { t } from "../i18n";
import type { Value } from "../protocol";
import { segment } from "../requests";
import { group } from "../ui/controls";
import { button, h, iconButton, label } from "../ui/dom";
import { number, Tool } from "./tool";

/** File of a document with the names of its pieces. */
export const PIECES = "pieces.json";

/** Names of pieces as a document keeps them; an unnamed piece is called by its number. */
export function pieceNames(text: string | undefined, clip: string, count: number): string[] {
  const known = text ? (JSON.parse(text) as string[]) : [];
  return Array.from({ length: count }, (_, at) => known[at] || `${clip}-${at + 1}`);
}

export class Segment extends Tool {
  readonly verbs = [] as const;

  protected build(): void {
    const cuts = this.studio.document.cuts;
    this.element.append(
      h("p", { class: "note" }, t("segmentHelp")),
      h(
        "div",
        { class: "buttons" },
        button(t("findCuts"), () => void this.find(), cuts.length === 0 ? "main" : ""),
        button(t("cutHere"), () => this.cut()),
        cuts.length > 0 ? button(t("clearCuts"), () => this.set([], [])) : null,
      ),
    );
    if (cuts.length > 0) this.element.append(this.pieces(cuts));
  }

  private get names(): string[] {
    const { files, clip, cuts } = this.studio.document;
    return pieceNames(files[PIECES], clip ?? "piece", cuts.length + 1);
  }

  private set(cuts: number[], names: string[]): void {
    const { [PIECES]: _, ...others } = this.studio.document.files;
    const files = cuts.length > 0 ? { ...others, [PIECES]: JSON.stringify(names) } : others;
    this.edit({ cuts, files }, "segment");
    this.rebuild();
  }

  /** Cuts at the playhead; the piece before keeps its name. */
  private cut(): void {
    const [at, { cuts }] = [Math.round(this.studio.frame), this.studio.document];
    const last = (this.studio.stage?.motion.frames ?? 0) - 1;
    if (at <= 0 || at >= last || cuts.includes(at)) return;
    const before = cuts.filter((cut) => cut < at).length;
    // Unnamed pieces are called by their number again.
    const names = cuts.length === 0 ? [] : this.names.toSpliced(before + 1, 0, "");
    this.set([...cuts, at].sort((a, b) => a - b), names);
  }

  /** Takes the cut after a piece away; the two become one under the first name. */
  private join(piece: number): void {
    this.set(this.studio.document.cuts.toSpliced(piece, 1), this.names.toSpliced(piece + 1, 1));
  }

  private async find(): Promise<void> {
    const report = await this.studio.ask(segment());
    const fps = this.studio.stage?.motion.fps ?? 60;
    if (!report || typeof report !== "object" || Array.isArray(report)) return;
    const cuts = ((report["cuts_s"] ?? []) as Value[]).map((second) => Math.round(number(second) * fps));
    const pieces = (report["pieces"] ?? []) as { [key: string]: Value }[];
    const clip = this.studio.document.clip ?? "";
    if (cuts.length === 0) this.studio.tell("notice", { key: "noCuts", names: "" });
    // As many names as pieces, or none: a rest may have no name of its own.
    const names = pieces.length === cuts.length + 1 ? pieces.map((piece) => `${clip}-${String(piece["name"])}`) : [];
    this.set(cuts, names);
  }

  private rename(at: number, name: string): void {
    this.set(this.studio.document.cuts, this.names.map((old, index) => (index === at ? name : old)));
  }

  private pieces(cuts: number[]): HTMLElement {
    const motion = this.studio.stage?.motion;
    const bounds = [0, ...cuts, motion?.frames ?? 0];
    const fps = motion?.fps ?? 60;
    const rows = this.names.map((name, at) => {
      const [start, end] = [bounds[at] as number, bounds[at + 1] as number];
      const input = h("input", { class: "field", "aria-label": t("pieceName", { n: at + 1 }), onchange: () => this.rename(at, input.value.trim()) });
      input.value = name;
      const go = button(`${(start / fps).toFixed(2)}–${(end / fps).toFixed(2)} s`, () => this.studio.seek(start), "bare small");
      const join = iconButton("join", () => this.join(at), "bare small");
      label(join, t("join", { name }));
      // The last has none after it.
      if (at === cuts.length) join.style.visibility = "hidden";
      return h("div", { class: "piece cut" }, input, go, join);
    });
    const save = button(t("savePieces"), () => this.studio.send({ intent: "save-pieces", names: this.names }), "main");
    return group(t("pieces"), h("div", { class: "pieces" }, ...rows), save);
  }
}
