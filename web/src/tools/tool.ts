// What every tool of the right pane has: controls that are built from the document, and results that follow the stage.

import { t } from "../i18n";
import type { Document, Problem, Registration, Value } from "../protocol";
import type { Label } from "../names";
import type { Request, Verb } from "../requests";
import type { Grip, Stage as StageView } from "../stage/stage";
import type { Curves, Stage, Studio } from "../studio";
import { h } from "../ui/dom";

export abstract class Tool {
  readonly element = h("div", { class: "tool", role: "tabpanel" });
  /** What drags on the stage do while this tool is in use. */
  grip: Grip = {};
  /** Verbs of the steps that belong to it. */
  abstract readonly verbs: readonly Verb[];
  private own = "";
  private busy = false;
  private problem: HTMLElement | null = null;

  constructor(
    protected readonly studio: Studio,
    protected readonly view: StageView,
  ) {}

  /** Makes the controls for the document as it is. */
  protected abstract build(): void;
  /** The stage was recomputed. */
  stage(_: Stage): void {}
  /** The playhead moved. */
  frame(_: number): void {}
  curves(_: Curves): void {}
  registration(_: Registration[]): void {}
  /** The tool comes into use, or goes out of it. */
  enter(): void {}
  leave(): void {}

  /** Rebuilds the controls, whatever changed. */
  rebuild(): void {
    this.own = JSON.stringify(this.studio.document);
    const [focus, top] = [this.focused(), this.element.scrollTop];
    this.element.replaceChildren();
    this.problem = null;
    this.build();
    if (this.studio.stage) this.stage(this.studio.stage);
    this.element.scrollTop = top;
    // Keyboard focus stays where it is.
    if (focus) this.focusable().find((control) => nameOf(control) === focus)?.focus();
  }

  private focusable(): HTMLElement[] {
    return [...this.element.querySelectorAll<HTMLElement>("input, select, button, [tabindex]")];
  }

  /** Name of the control that has the focus. */
  private focused(): string | null {
    const control = this.focusable().find((one) => one === document.activeElement);
    return control ? nameOf(control) : null;
  }

  /** The document changed; controls that are being dragged stay. */
  document(document: Document): void {
    const text = JSON.stringify(document);
    if (this.busy) this.own = text;
    else if (text !== this.own) this.rebuild();
  }

  /** Changes the document by this tool's own controls. */
  protected edit(change: Partial<Document>, label: Label, commit = true): void {
    this.busy = true;
    this.studio.edit(change, label, commit);
    this.busy = false;
  }

  protected put(step: Request | Verb, label: Label, commit = true): void {
    this.busy = true;
    this.studio.step(step, label, commit);
    this.busy = false;
  }

  /** The report of this tool's step of a verb. */
  protected report(verb: Verb): { [key: string]: Value } | null {
    const at = this.studio.document.steps.findIndex((step) => step.verb === verb);
    const report = at < 0 ? undefined : this.studio.stage?.reports[at];
    return report && typeof report === "object" && !Array.isArray(report) ? report : null;
  }

  /** Says in the tool what one of its steps could not do. */
  explain(problem: Problem | null): void {
    this.problem?.remove();
    this.problem = null;
    if (!problem) return;
    const words = problem.hint ? h("small", {}, problem.hint) : null;
    this.problem = h("div", { class: "problem", role: "alert" }, problem.message, words);
    this.element.prepend(this.problem);
  }

  protected note(word: Parameters<typeof t>[0]): HTMLElement {
    return h("p", { class: "note" }, t(word));
  }
}

/** A number of a report; 0 where there is none. */
export const number = (value: Value | undefined): number => (typeof value === "number" ? value : 0);

/** What a control is called; the same control has the same name when it is rebuilt. */
function nameOf(control: HTMLElement): string {
  const label = (control as HTMLInputElement).labels?.[0]?.textContent;
  return `${control.tagName} ${control.getAttribute("aria-label") ?? label ?? control.textContent}`;
}
