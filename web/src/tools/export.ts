// Export: files of what is on stage, and the command lines that make the same.

import { t, type Word } from "../i18n";
import type { Stage } from "../studio";
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

  protected build(): void {
    const buttons = FORMATS.map(([format, words]) => {
      const save = button(t(words), () => this.studio.send({ intent: "export", number: this.studio.count(), format }));
      save.dataset["format"] = format;
      return save;
    });
    const copy = button(t("copy"), () => {
      void navigator.clipboard.writeText(this.lines.textContent ?? "").then(() => (copy.textContent = t("copied")));
    }, "small bare");
    const command = group(t("command"), h("div", { class: "command" }, this.lines));
    command.querySelector("h3")?.append(copy);
    this.element.append(group(t("exportAs"), ...buttons), command);
  }

  override stage(stage: Stage): void {
    this.lines.textContent = stage.commands.join("\n");
  }
}

/** Hands a file that is ready to the browser. */
export function download(path: string, name: string): void {
  const link = h("a", { href: path, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
}
