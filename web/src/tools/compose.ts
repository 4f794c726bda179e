// Compose: key motions on a timeline of two layers, a search for what lies between them, performances to choose from.

import { Cards } from "../compose/cards";
import { add, DRAFT, LAYERS, last, move, read, write, type Draft, type Layer } from "../compose/draft";
import { Lanes } from "../compose/lanes";
import { t } from "../i18n";
import { compose, find, put, type Compose as ComposeStep } from "../requests";
import type { Stage as StageView } from "../stage/stage";
import type { Stage, Studio } from "../studio";
import { choice, facts, group, slider } from "../ui/controls";
import { button, h } from "../ui/dom";
import { number, Tool } from "./tool";

/** Name of the timeline that was searched, in a document. */
const SEARCHED = "timeline.json";

export class Compose extends Tool {
  readonly verbs = ["compose"] as const;
  private readonly lanes: Lanes;
  private readonly cards: Cards;
  private readonly results = h("div", {});
  private readonly note_ = h("p", { class: "note", role: "status" });
  private adding: { clip: string; layer: Layer | "" } = { clip: "", layer: "" };
  private many = 8;

  constructor(studio: Studio, view: StageView, time: HTMLElement) {
    super(studio, view);
    this.lanes = new Lanes(studio, (draft, commit) => this.write(draft, commit));
    time.append(this.lanes.element);
    this.cards = new Cards(studio, {
      pick: (place) => this.pick(place),
      compare: (place) => this.compare(place),
      keep: (place) => this.keep(place),
    });
    studio.on("candidates", () => this.showCards());
  }

  private get draft(): Draft {
    return read(this.studio.document.files[DRAFT]);
  }

  private get step(): ComposeStep | undefined {
    return find(this.studio.document.steps, "compose");
  }

  private write(draft: Draft, commit: boolean): void {
    if (!commit) return this.rebuild();
    this.edit({ files: { ...this.studio.document.files, [DRAFT]: write(draft) } }, "keys");
    this.rebuild();
  }

  protected build(): void {
    const { draft, step } = this;
    const clips = this.studio.clips.filter((clip) => clip.usable).map((clip) => [clip.name, clip.name] as const);
    const layers = [["", t("wholeBody")], ...LAYERS.map((layer) => [layer, t(layer)])] as [Layer | "", string][];
    this.adding.clip ||= clips[0]?.[0] ?? "";
    const addKey = () => {
      const at = Math.round(this.studio.frame) / (this.studio.stage?.motion.fps ?? 60);
      this.lanes.chosen = draft.key.length;
      this.write(add(this.draft, this.adding.clip, at, this.adding.layer || null), true);
    };
    this.element.append(
      group(
        t("keys"),
        this.note("composeHelp"),
        slider(t("length"), { least: 3, most: 60, step: 0.5 }, draft.seconds, (s) => `${s} s`, (s, commit) => commit && this.write(last(this.draft, s), true)),
        choice(t("keyClip"), clips, this.adding.clip, (clip) => (this.adding.clip = clip)),
        choice(t("layer"), layers, this.adding.layer, (layer) => (this.adding.layer = layer)),
        h("div", { class: "buttons" }, button(t("addKey"), addKey)),
      ),
      this.chosenKey(draft, layers),
      this.search(draft, step),
    );
    this.element.append(this.note_, this.cards.element, this.results);
    this.lanes.show(draft, this.pickedReport());
    this.showCards();
  }

  /** Time and layer of the key that is chosen on the lanes. */
  private chosenKey(draft: Draft, layers: [Layer | "", string][]): HTMLElement {
    const index = this.lanes.chosen;
    const key = index === null ? undefined : draft.key[index];
    if (index === null || !key) return h("div", { hidden: true });
    const to = (at: number, layer?: Layer | null) => this.write(move(this.draft, index, at, layer), true);
    return group(
      key.clip,
      slider(t("starts"), { least: 0, most: draft.seconds, step: 0.05 }, key.at, (s) => `${s.toFixed(2)} s`, (s, commit) => commit && to(s)),
      choice(t("layerOfKey"), layers, key.layer ?? "", (layer) => to(key.at, layer || null)),
    );
  }

  private search(draft: Draft, step: ComposeStep | undefined): HTMLElement {
    this.many = step?.candidates ?? this.many;
    const fresh = step !== undefined && this.studio.document.files[SEARCHED] === write(draft);
    const go = button(t("search_"), () => this.run(step?.seed ?? 0), fresh ? "" : "main");
    const others = button(t("others"), () => this.run((step?.seed ?? 0) + 1));
    go.disabled = draft.key.length === 0;
    this.note_.textContent = step && !fresh ? t("keysChanged") : "";
    return group(
      t("performances"),
      slider(t("howMany"), { least: 2, most: 16, step: 1 }, this.many, String, (many) => (this.many = many)),
      h("div", { class: "buttons" }, go, step ? others : null),
    );
  }

  private run(seed: number): void {
    const files = { ...this.studio.document.files, [SEARCHED]: write(this.draft) };
    const step = compose(SEARCHED, { candidates: this.many, seed });
    this.studio.forgetCandidates();
    this.studio.frame = 0;
    this.edit({ files, steps: put(this.studio.document.steps, step), pick: 0 }, "compose");
    this.rebuild();
  }

  private pick(place: number): void {
    if (this.studio.candidates[place]?.motion.stream === this.studio.compared?.stream) this.studio.compare(null);
    this.edit({ pick: place }, "pick");
    this.showCards();
  }

  private compare(place: number): void {
    const motion = this.studio.candidates[place]?.motion ?? null;
    this.studio.compare(motion?.stream === this.studio.compared?.stream ? null : motion);
    this.showCards();
  }

  private keep(place: number): void {
    const motion = this.studio.candidates[place]?.motion;
    if (motion) this.studio.send({ intent: "keep", stream: motion.stream, name: t("performance_", { n: place + 1 }).toLowerCase().replaceAll(" ", "-") });
  }

  private pickedReport(): ReturnType<Tool["report"]> {
    const report = this.studio.candidates[this.studio.document.pick]?.report;
    return report && typeof report === "object" && !Array.isArray(report) ? report : null;
  }

  private showCards(): void {
    if (this.studio.document.tool !== "compose") return;
    const picked = this.step ? this.studio.document.pick : null;
    this.cards.show(this.studio.candidates, picked, this.studio.compared?.stream ?? null);
    this.lanes.show(this.draft, this.pickedReport());
  }

  override stage(_: Stage): void {
    const report = this.report("compose");
    this.showCards();
    if (!report) return this.results.replaceChildren();
    const notes = (report["notes"] ?? []) as string[];
    this.results.replaceChildren(
      facts([[t("differ"), `${Math.round(100 * number(report["diversity"]))} %`]]),
      ...notes.map((note) => h("p", { class: "note" }, note)),
    );
  }

  override frame(frame: number): void {
    this.cards.draw(frame);
  }

  override enter(): void {
    this.lanes.element.hidden = false;
    this.lanes.element.parentElement?.classList.add("composing");
    this.showCards();
  }

  override leave(): void {
    this.lanes.element.hidden = true;
    this.lanes.element.parentElement?.classList.remove("composing");
    this.studio.compare(null);
  }
}
