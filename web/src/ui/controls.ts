// Controls of the tools: every one has a label, reports while it is dragged and when it is released.

import { h } from "./dom";

let ids = 0;
const id = () => `c${(ids += 1)}`;

export interface Range {
  least: number;
  most: number;
  step: number;
}

/** Called while a control moves (`commit` false) and when it stays. */
export type Change<T> = (value: T, commit: boolean) => void;

function shade(input: HTMLInputElement): void {
  const { min, max, value } = input;
  input.style.setProperty("--at", `${(100 * (Number(value) - Number(min))) / (Number(max) - Number(min))}%`);
}

/** A slider with its label and value. */
export function slider(
  words: string,
  range: Range,
  value: number,
  show: (value: number) => string,
  change: Change<number>,
): HTMLDivElement {
  const name = id();
  const output = h("output", { for: name }, show(value));
  const input = h("input", {
    id: name,
    type: "range",
    min: range.least,
    max: range.most,
    step: range.step,
    oninput: () => {
      output.textContent = show(input.valueAsNumber);
      shade(input);
      change(input.valueAsNumber, false);
    },
    onchange: () => change(input.valueAsNumber, true),
  });
  input.value = String(value);
  shade(input);
  return h("div", { class: "row value" }, h("label", { for: name, title: words }, words), input, output);
}

/** A vertical slider under its frequency. */
export function band(words: string, below: string, value: number, change: Change<number>): HTMLDivElement {
  const show = (gain: number) => gain.toFixed(2);
  const output = h("output", {}, show(value));
  const input = h("input", {
    type: "range",
    min: 0,
    max: 2,
    step: 0.05,
    "aria-label": words,
    title: words,
    oninput: () => {
      output.textContent = show(input.valueAsNumber);
      shade(input);
      change(input.valueAsNumber, false);
    },
    onchange: () => change(input.valueAsNumber, true),
    ondblclick: () => {
      input.value = "1";
      output.textContent = show(1);
      shade(input);
      change(1, true);
    },
  });
  input.value = String(value);
  shade(input);
  return h("div", { class: "band" }, output, input, h("small", {}, below));
}

/** A choice among words. */
export function choice<T extends string>(
  words: string,
  options: readonly (readonly [T, string])[],
  value: T,
  change: (value: T) => void,
): HTMLDivElement {
  const name = id();
  const select = h("select", { id: name, class: "field", onchange: () => change(select.value as T) });
  for (const [key, text] of options) select.append(h("option", { value: key, selected: key === value }, text));
  return h("div", { class: "row" }, h("label", { for: name }, words), select);
}

export function check(words: string, value: boolean, change: (value: boolean) => void): HTMLLabelElement {
  const input = h("input", { type: "checkbox", checked: value, onchange: () => change(input.checked) });
  return h("label", { class: "check" }, input, words);
}

export function group(words: string, ...children: (Node | null)[]): HTMLElement {
  return h("section", { class: "group" }, h("h3", {}, words), ...children);
}

export type Facts = readonly (readonly [string, string])[];

/** Names and numbers. */
export function facts(rows: Facts): HTMLDListElement {
  return h("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

/** Shows names and numbers in a place; what is shown already stays, as drags tell the same many times a second. */
export function showFacts(place: HTMLElement, rows: Facts): void {
  const text = JSON.stringify(rows);
  if (place.dataset["facts"] === text && place.childElementCount > 0) return;
  place.dataset["facts"] = text;
  place.replaceChildren(facts(rows));
}
