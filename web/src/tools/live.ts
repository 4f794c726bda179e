// The live half of Perform: a performer received by VMC imitates the actor after a count-in and then drives it.

import { t } from "../i18n";
import type { Studio } from "../studio";
import { check, showFacts, group } from "../ui/controls";
import { button, h } from "../ui/dom";

/** Where senders usually send to. */
const PORT = 39540;
/** Longest performance that is written down, seconds. */
const LONGEST_S = 600;

export interface LiveActions {
  /** The actor alone on stage, for how many seconds; then what is recorded is learned from. */
  actorAlone(): number;
  imitated(clip: string): void;
  performed(clip: string): void;
  /** Whether there is something to drive. */
  learned(): boolean;
}

export class LivePanel {
  readonly element = h("div", {});
  private readonly facts = h("div", { role: "status" });
  private port = PORT;
  private everywhere = false;
  private recording: "imitation" | "performance" | null = null;
  private drawn = "";

  constructor(
    private readonly studio: Studio,
    private readonly actions: LiveActions,
  ) {
    studio.on("live", () => this.tell());
    studio.on("recorded", (clip) => this.recorded(clip));
  }

  /** Rebuilds the controls. */
  build(): void {
    const { live } = this.studio;
    this.drawn = this.state();
    const port = h("input", { class: "field", type: "number", min: 1, max: 65535, "aria-label": t("port"), onchange: () => (this.port = port.valueAsNumber) });
    port.value = String(this.port);
    const open = live.address !== null;
    port.disabled = open;
    const listen = button(open ? t("silence") : t("listen"), () => {
      if (open) this.studio.send({ intent: "silence" });
      else this.studio.send({ intent: "listen", port: this.port || PORT, everywhere: this.everywhere });
    }, open ? "" : "main");
    const rows = [h("div", { class: "row" }, h("span", { class: "label" }, t("port")), port)];
    if (!open) rows.push(h("div", {}, check(t("everywhere"), this.everywhere, (is) => (this.everywhere = is))));
    rows.push(h("div", { class: "buttons" }, listen));
    this.element.replaceChildren(group(t("live"), h("p", { class: "note" }, t("liveHelp")), ...rows, open ? this.actionsRow() : null, this.facts));
    this.tell();
  }

  private actionsRow(): HTMLElement {
    const { live } = this.studio;
    const heard = live.performer !== null;
    const busy = live.count !== null || this.recording !== null;
    const imitate = button(t("recordImitation"), () => this.imitate(), this.actions.learned() ? "" : "main");
    imitate.disabled = !heard || busy;
    const driving = live.actor !== null;
    const drive = button(driving ? t("driveStop") : t("drive"), () => this.studio.send({ intent: "drive", on: !driving }), this.actions.learned() && !driving ? "main" : "");
    drive.disabled = !this.actions.learned() || busy;
    drive.dataset["action"] = "drive";
    const stop = this.recording !== null;
    const perform = button(stop ? t("finish") : t("recordPerformance"), () => (stop ? this.studio.send({ intent: "finish" }) : this.perform()));
    perform.disabled = !stop && !(heard && driving);
    return h("div", { class: "buttons" }, imitate, drive, perform);
  }

  private imitate(): void {
    const seconds = this.actions.actorAlone();
    this.studio.play(false);
    this.studio.seek(0);
    this.recording = "imitation";
    this.studio.live.countIn(() => {
      this.studio.loop = false;
      this.studio.play(true);
      this.studio.send({ intent: "record", name: `${this.studio.document.clip}-imitation`, seconds });
    });
  }

  private perform(): void {
    this.recording = "performance";
    this.studio.send({ intent: "record", name: `${this.studio.document.clip}-performance`, seconds: LONGEST_S });
    this.build();
  }

  private recorded(clip: string): void {
    const what = this.recording;
    this.recording = null;
    this.studio.loop = true;
    if (what === "imitation") this.actions.imitated(clip);
    if (what === "performance") this.actions.performed(clip);
    this.build();
  }

  private state(): string {
    const { address, performer, actor, count } = this.studio.live;
    return [address, performer?.motion.stream, actor?.motion.stream, count === null, this.recording].join();
  }

  private tell(): void {
    if (this.state() !== this.drawn && this.studio.document.tool === "perform") return this.build();
    const { address, pulse } = this.studio.live;
    if (!address) return this.facts.replaceChildren();
    const rows: [string, string][] = [[t("heardAt"), address]];
    if (pulse) {
      rows.push([t("framesPerSecond"), pulse.fps.toFixed(0)]);
      if (pulse.recorded_s !== null) rows.push([t("recorded"), `${pulse.recorded_s.toFixed(1)} s`]);
      if (pulse.recognised) {
        const { motion, piece, confidence, known } = pulse.recognised;
        rows.push([t("recognised"), known ? `${motion} · ${piece}` : t("unknown")]);
        rows.push([t("confidence"), `${Math.round(100 * confidence)} %`]);
      }
      rows.push([t("delay"), `${pulse.delay_ms.toFixed(1)} ms`]);
    }
    showFacts(this.facts, rows);
  }
}
