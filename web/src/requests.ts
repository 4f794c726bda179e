// The jobs that tools ask for: the fields of the library's `job::Request` that the studio sets. The server reads them into
// that same type, so a field that is wrong is refused there, in words.

import { BEFORE } from "./protocol";

/** How rotations are combined. */
export type Method = "exact" | "expmap" | "qlerp" | "leeshin" | "qlerp-raw" | "log-raw";
/** What happens where a kernel reaches over an end. */
export type Edge = "copy" | "reflect" | "clamp" | "truncate";

export interface Filter {
  verb: "filter";
  input: string;
  output: string;
  kernel: string | null;
  config: { method: Method; edge: Edge };
  despike: boolean;
}
export interface Equalize {
  verb: "equalize";
  input: string;
  output: string;
  gains: number[];
  part: string | null;
}
export interface Plant {
  verb: "plant";
  input: string;
  output: string;
}
export interface Blend {
  verb: "blend";
  inputs: string[];
  output: string;
  weights: { at: string; weight: number }[][] | null;
  align: "time" | "none";
}
export interface Loop {
  verb: "loop";
  input: string;
  output: string;
  longest: boolean;
  cycles: number;
}
export interface Splice {
  verb: "splice";
  inputs: string[];
  output: string;
  blend_s: number;
  trim_s: number;
  feet: "all" | "seams";
}
export interface Segment {
  verb: "segment";
  input: string;
}
export interface Walk {
  verb: "walk";
  input: string;
  output: string;
  steps: string | null;
  stride: { first: number; last: number } | null;
  count: number | null;
  turn: number | null;
  clamp: boolean;
}
export interface Load {
  mass_kg: number;
  role: string;
}
export interface Push {
  at: string;
  role: string;
  impulse_n_s: [number, number, number];
}
export interface React {
  verb: "react";
  input: string;
  output: string;
  loads: Load[];
  pushes: Push[];
  throw: string | null;
  control: boolean;
  body: string | null;
  mass_kg: number | null;
}

export interface Compose {
  verb: "compose";
  database: string;
  timeline: string;
  output: string;
  candidates: number;
  seed: number;
  want: string[];
  avoid: string[];
}

export interface Learn {
  verb: "perform";
  action: "learn";
  inputs: string[];
  output: string;
}
export interface Run {
  verb: "perform";
  action: "run";
  model: string;
  input: string;
  output: string;
}

/** A step of a document. */
export type Request = Filter | Equalize | Plant | Blend | Loop | Splice | Segment | Walk | React | Compose | Learn | Run;
/** The word that says which. */
export type Verb = Request["verb"];

const one = { input: BEFORE, output: "" };

export const filter = (fields: Partial<Filter> = {}): Filter => ({
  verb: "filter",
  ...one,
  kernel: null,
  config: { method: "exact", edge: "reflect" },
  despike: false,
  ...fields,
});
export const equalize = (gains: number[], part: string | null = null): Equalize => ({
  verb: "equalize",
  ...one,
  gains,
  part,
});
export const plant = (): Plant => ({ verb: "plant", ...one });
export const blend = (others: string[], weights: number[], align: Blend["align"] = "time"): Blend => ({
  verb: "blend",
  inputs: [BEFORE, ...others.map((name) => `#${name}`)],
  output: "",
  weights: weights.map((weight) => [{ at: "0", weight }]),
  align,
});
export const loop = (cycles: number, longest: boolean): Loop => ({ verb: "loop", ...one, longest, cycles });
export const segment = (): Segment => ({ verb: "segment", input: BEFORE });
export const walk = (fields: Partial<Walk> = {}): Walk => ({
  verb: "walk",
  ...one,
  steps: null,
  stride: null,
  count: null,
  turn: null,
  clamp: true,
  ...fields,
});
export const react = (fields: Partial<React> = {}): React => ({
  verb: "react",
  ...one,
  loads: [],
  pushes: [],
  throw: null,
  control: true,
  body: null,
  mass_kg: null,
  ...fields,
});

export const compose = (timeline: string, fields: Partial<Compose> = {}): Compose => ({
  verb: "compose",
  database: "",
  timeline,
  output: "",
  candidates: 8,
  seed: 0,
  want: [],
  avoid: [],
  ...fields,
});
export const splice = (others: string[], blend_s: number): Splice => ({
  verb: "splice",
  inputs: [BEFORE, ...others.map((name) => `#${name}`)],
  output: "",
  blend_s,
  trim_s: 0.5,
  feet: "all",
});

/** Name under which a document's steps know what was learned. */
const MODEL = "model.ugoki";

export const learn = (imitation: string): Learn => ({
  verb: "perform",
  action: "learn",
  inputs: [BEFORE, `#${imitation}`],
  output: MODEL,
});
export const run = (performance: string): Run => ({
  verb: "perform",
  action: "run",
  model: MODEL,
  input: `#${performance}`,
  output: "",
});

/** What a document has at most one step of. */
const kind = (step: Request) => ("action" in step ? `${step.verb} ${step.action}` : step.verb);

/** The step of a verb, if the document has one. */
export function find<V extends Verb>(steps: Request[], verb: V): Extract<Request, { verb: V }> | undefined {
  return steps.find((step) => step.verb === verb) as Extract<Request, { verb: V }> | undefined;
}

/** The steps with this one in place of the one of its verb; at the end when there was none. */
export function put(steps: Request[], step: Request): Request[] {
  const at = steps.findIndex((other) => kind(other) === kind(step));
  return at < 0 ? [...steps, step] : steps.map((other, index) => (index === at ? step : other));
}

/** The steps without those of a verb. */
export function drop(steps: Request[], verb: Verb): Request[] {
  return steps.filter((step) => step.verb !== verb);
}
