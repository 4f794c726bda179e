// Export: files of what is on stage, and the command lines that make the same file.

import { t, type Word } from "../i18n";
import type { Stage as StageView } from "../stage/stage";
import type { Stage, Studio } from "../studio";
import { group } from "../ui/controls";
import { button, h } from "../ui/dom";
import { Tool } from "./tool";

const FORMATS: readonly (readonly [string, Word])[] = [
  ["bvh", "formatBvh"],
  ["glb", "formatGlb"],
  ["vrma", "formatVrma"],
  ["gif", "formatGif"],
];

export class Export extends Tool {
  readonly verbs = [] as const;
  private readonly lines = h("pre", { tabindex: 0 });
  private format = "bvh";

  constructor(studio: Studio, view: StageView) {
    super(studio, view);
    studio.on("commands", ({ format, lines }) => {
      if (format !== this.format) return;
      this.lines.textContent = lines.join("\n");
      this.lines.dataset["format"] = format;
    });
  }

  protected build(): void {
    const choices = FORMATS.map(([format, words]) => {
      const input = h("input", { type: "radio", name: "format", value: format, checked: format === this.format, onchange: () => this.choose(format) });
      return h("label", { class: "choice" }, input, h("b", {}, format.toUpperCase()), h("span", {}, t(words)));
    });
    const save = button(t("exportFile", { format: this.format.toUpperCase() }), () => {
      this.studio.send({ intent: "export", number: this.studio.count(), format: this.format });
    }, "main");
    save.dataset["action"] = "export";
    const copy = button(t("copy"), () => void this.copy().then((is) => (copy.textContent = t(is ? "copied" : "copyByHand"))), "small bare");
    const command = group(t("command"), h("div", { class: "command" }, this.lines));
    this.lines.setAttribute("aria-label", t("command"));
    command.querySelector("h3")?.append(copy);
    this.element.append(group(t("exportAs"), h("div", { class: "choices", role: "radiogroup", "aria-label": t("exportAs") }, ...choices), save), command);
  }

  private choose(format: string): void {
    this.format = format;
    this.rebuild();
  }

  /** Puts the lines on the clipboard; where pages may not, as over a network, they are marked to be copied by hand. */
  private async copy(): Promise<boolean> {
    const text = this.lines.textContent ?? "";
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      window.getSelection()?.selectAllChildren(this.lines);
      // The old way is the only one on pages that are not served securely.
      return document.execCommand("copy");
    }
  }

  override stage(_: Stage): void {
    this.studio.send({ intent: "commands", format: this.format });
  }
}

/** Hands a file that is ready to the browser. */
export function download(path: string, name: string): void {
  const link = h("a", { href: path, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
}
