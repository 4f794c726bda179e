// The right pane: tabs of the tools, the steps of the document, the tool in use, and saving.

import { currentLanguage, onLanguage, t } from "../i18n";
import type { Tool as ToolName } from "../protocol";
import { bodyPart, verb } from "../names";
import { parseHandle, parseLoad, parsePush, type Request, type Verb } from "../requests";
import type { Stage as StageView } from "../stage/stage";
import type { Studio } from "../studio";
import { button, h, iconButton, label } from "../ui/dom";
import { Blend } from "./blend";
import { Clean } from "./clean";
import { Compose } from "./compose";
import { Edit } from "./edit";
import { Export } from "./export";
import { Perform } from "./perform";
import { React } from "./react";
import { Segment } from "./segment";
import type { Tool } from "./tool";
import { Walk } from "./walk";

const ORDER: readonly ToolName[] = ["clean", "blend", "segment", "edit", "walk", "compose", "react", "perform", "export"];

/** A step in few words. */
export function words(step: Request): string {
  switch (step.verb) {
    case "filter":
      return [step.despike ? t("despiked") : "", step.kernel ?? ""].filter(Boolean).join(" · ");
    case "equalize":
      return step.part ? bodyPart(step.part) : step.gains.map((gain) => gain.toFixed(1)).join(" ");
    case "blend":
    case "splice":
      return step.inputs.slice(1).map((name) => name.replace(/^#/, "")).join(", ");
    case "edit":
      return step.handles.map((text) => bodyPart(parseHandle(text)[0])).join(", ");
    case "compose":
      return t("performances_", { n: step.candidates ?? 8 });
    case "loop":
      return `${step.cycles ?? 1}×`;
    case "react":
      return [...(step.loads ?? []).map((load) => `${parseLoad(load).mass_kg} kg`), ...(step.pushes ?? []).map((push) => bodyPart(parsePush(push).role))].join(", ");
    case "perform":
      return step.action === "learn" ? (step.inputs[1] ?? "").replace(/^#/, "") : step.input.replace(/^#/, "");
    default:
      return "";
  }
}

export function toolPanel(studio: Studio, view: StageView, time: HTMLElement): HTMLElement {
  const tools: Record<ToolName, Tool> = {
    clean: new Clean(studio, view),
    blend: new Blend(studio, view),
    segment: new Segment(studio, view),
    edit: new Edit(studio, view),
    walk: new Walk(studio, view),
    compose: new Compose(studio, view, time),
    react: new React(studio, view),
    perform: new Perform(studio, view),
    export: new Export(studio, view),
  };
  const tabs = h("nav", { class: "tabs", role: "tablist" });
  const buttons = ORDER.map((name) => {
    const tab = h("button", { class: "tab", role: "tab", type: "button", "data-tool": name, onclick: () => studio.tool(name) });
    tabs.append(tab);
    return [name, tab] as const;
  });
  // One tab is in the order of Tab; arrows go between them.
  tabs.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 4, ArrowLeft: -1, ArrowUp: -4 }[event.key] ?? 0;
    const at = buttons.findIndex(([, tab]) => tab === document.activeElement);
    if (by === 0 || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const [name, tab] = buttons[(at + by + buttons.length) % buttons.length] as (typeof buttons)[number];
    tab.focus();
    studio.tool(name);
  });
  const steps = h("section", { class: "steps" });
  const place = h("div", { class: "tool-place" });
  place.style.display = "contents";
  const name = h("input", { class: "field" });
  const save = button("", () => {
    studio.send({ intent: "save", name: name.value || name.placeholder });
    name.value = "";
  }, "main");
  name.addEventListener("keydown", (event) => {
    if (event.key === "Enter") save.click();
  });
  let now: ToolName | null = null;

  let drawn = "";
  const drawSteps = () => {
    // Most drags leave the steps as they are.
    const text = currentLanguage() + JSON.stringify(studio.document.steps);
    if (text === drawn) return;
    drawn = text;
    steps.hidden = studio.document.steps.length === 0;
    steps.replaceChildren(
      ...studio.document.steps.map((step) => {
        const out = iconButton("close", () => studio.step(step.verb as Verb, "takeOut"), "bare small");
        label(out, t("takeOut"));
        return h("div", { class: "step", "data-verb": step.verb }, h("b", {}, verb(step.verb)), h("span", { class: "text" }, words(step)), out);
      }),
    );
  };
  const enter = (tool: ToolName) => {
    if (now === tool) return;
    if (now) tools[now].leave();
    now = tool;
    view.grip = {};
    place.replaceChildren(tools[tool].element);
    tools[tool].rebuild();
    tools[tool].enter();
    for (const [key, tab] of buttons) {
      tab.setAttribute("aria-selected", String(key === tool));
      tab.tabIndex = key === tool ? 0 : -1;
    }
  };
  const current = () => (now ? tools[now] : null);

  studio.on("document", (document) => {
    enter(document.tool);
    current()?.document(document);
    drawSteps();
    const last = document.steps[document.steps.length - 1];
    name.placeholder = last ? `${document.clip}-${last.verb}` : `${document.clip}-copy`;
  });
  studio.on("stage", (stage) => {
    current()?.stage(stage);
    const step = stage.problem?.step ?? null;
    const failed = step === null ? null : studio.document.steps[step]?.verb;
    const mine = failed !== null && failed !== undefined && (current()?.verbs as readonly string[]).includes(failed);
    current()?.explain(mine ? stage.problem : null);
    // What is said in the tool need not be said on the stage.
    if (mine) studio.tell("problem", null);
  });
  studio.on("curves", (curves) => current()?.curves(curves));
  studio.on("registration", (curves) => current()?.registration(curves));
  studio.on("frame", (frame) => current()?.frame(frame));
  onLanguage(() => {
    for (const [key, tab] of buttons) tab.textContent = t(key);
    tabs.setAttribute("aria-label", t("tools"));
    steps.setAttribute("aria-label", t("steps"));
    save.textContent = t("save");
    name.setAttribute("aria-label", t("saveAs"));
    current()?.rebuild();
    drawSteps();
  });
  return h("aside", { class: "tools" }, tabs, steps, place, h("footer", {}, name, save));
}
