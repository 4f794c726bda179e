// Perform: an actor's motion, an imitation of it, and a performance that drives the actor, from files or live; both
// side by side.

import { upload } from "../clips";
import { t } from "../i18n";
import type { Value } from "../protocol";
import { learn, run, type Request } from "../requests";
import type { Stage as StageView } from "../stage/stage";
import type { Stage, Studio } from "../studio";
import { choice, group, showFacts } from "../ui/controls";
import { h, iconButton, label } from "../ui/dom";
import { LivePanel } from "./live";
import { number, Tool } from "./tool";

export class Perform extends Tool {
  readonly verbs = ["perform"] as const;
  private readonly table = h("table", { class: "table" });
  private readonly now = h("div", {});

  private readonly live: LivePanel;

  constructor(studio: Studio, view: StageView) {
    super(studio, view);
    this.live = new LivePanel(studio, {
      actorAlone: () => this.actorAlone(),
      imitated: (clip) => this.choose(clip, ""),
      performed: (clip) => {
        studio.send({ intent: "drive", on: false });
        this.choose(this.chosen("learn"), clip);
      },
      learned: () => this.chosen("learn") !== "",
    });
  }

  /** Puts the actor's own motion on stage; gives its length, seconds. */
  private actorAlone(): number {
    if (this.studio.live.actor) this.studio.send({ intent: "drive", on: false });
    if (this.chosen("learn")) this.choose("", "");
    return this.studio.clips.find((clip) => clip.name === this.studio.document.clip)?.seconds ?? 1;
  }

  private chosen(action: "learn" | "run"): string {
    const step = this.studio.document.steps.find((other) => other.verb === "perform" && other.action === action);
    if (!step || step.verb !== "perform") return "";
    return (step.action === "learn" ? (step.inputs[1] ?? "") : step.input).replace(/^#/, "");
  }

  private choose(imitation: string, performance: string): void {
    const others: Request[] = this.studio.document.steps.filter((step) => step.verb !== "perform");
    const mine: Request[] = imitation ? [learn(imitation)] : [];
    if (imitation && performance) mine.push(run(performance));
    this.edit({ steps: [...others, ...mine] }, "perform");
    this.rebuild();
  }

  protected build(): void {
    const clips = this.studio.clips.filter((clip) => clip.usable).map((clip) => [clip.name, clip.name] as const);
    const options = [["", t("chooseClip")] as const, ...clips];
    const [imitation, performance] = [this.chosen("learn"), this.chosen("run")];
    this.element.append(
      h("p", { class: "note" }, t("performHelp")),
      this.source(t("imitation"), options, imitation, (name) => this.choose(name, performance)),
    );
    if (imitation) this.element.append(this.source(t("performance"), options, performance, (name) => this.choose(imitation, name)), this.now);
    this.live.build();
    this.element.append(this.live.element);
    if (imitation) this.element.append(group(t("learned"), this.table));
  }

  /** A clip of the list, or a file that is imported and chosen at once. */
  private source(what: string, options: (readonly [string, string])[], now: string, choose: (clip: string) => void): HTMLElement {
    const words = `${what}: ${t("fromFile")}`;
    const file = h("input", { type: "file", hidden: true, "aria-label": words });
    file.addEventListener("change", () => void upload(this.studio, [...(file.files ?? [])], ([clip]) => clip && choose(clip)));
    const open = iconButton("file", () => file.click());
    label(open, words);
    const row = choice(what, options, now, choose);
    row.classList.add("with-button");
    row.append(open, file);
    return row;
  }

  private reportOf(action: "learn" | "run"): { [key: string]: Value } | null {
    const at = this.studio.document.steps.findIndex((step) => step.verb === "perform" && step.action === action);
    return at < 0 ? null : ((this.studio.stage?.reports[at] as { [key: string]: Value } | undefined) ?? null);
  }

  override stage(_: Stage): void {
    const pieces = (this.reportOf("learn")?.["pieces"] ?? []) as { [key: string]: Value }[];
    const decimal = (value: Value | undefined) => (typeof value === "number" ? value.toFixed(2) : "–");
    const rows = pieces.map((piece) =>
      h(
        "tr",
        {},
        h("td", {}, String(piece["piece"])),
        h("td", {}, `${number(piece["start_s"]).toFixed(2)}–${number(piece["end_s"]).toFixed(2)}`),
        h("td", {}, decimal(piece["r2"])),
        h("td", {}, decimal(piece["cross_validated_r2"])),
      ),
    );
    const head = h("tr", {}, ...[t("piece"), "s", "R²", "R² cv"].map((word) => h("th", { scope: "col" }, word)));
    this.table.replaceChildren(h("thead", {}, head), h("tbody", {}, ...rows));
    this.frame(this.studio.frame);
  }

  override frame(frame: number): void {
    const frames = this.reportOf("run")?.["frames"] as { [key: string]: Value }[] | undefined;
    const at = frames?.[Math.round(frame)];
    if (!at) return this.now.replaceChildren();
    showFacts(this.now, [
      [t("recognised"), `${String(at["motion"])} · ${String(at["piece"])}`],
      [t("confidence"), `${Math.round(100 * number(at["confidence"]))} %`],
    ]);
  }
}
