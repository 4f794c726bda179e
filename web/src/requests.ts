// Requests that tools make. Their types are generated from the verbs; the server refuses unknown fields by name.

import { BEFORE } from "./protocol";
import type {
  Blend,
  Compose,
  Edit,
  Equalize,
  Filter,
  Loop,
  PerformLearn,
  PerformRun,
  Plant,
  React,
  Segment,
  Splice,
  Walk,
} from "./verbs";

export type { Blend, Compose, Edit, Equalize, Filter, Loop, Plant, React, Segment, Splice, Walk };

/** A step of a document. */
export type Request =
  | Filter
  | Equalize
  | Plant
  | Blend
  | Loop
  | Splice
  | Segment
  | Edit
  | Walk
  | React
  | Compose
  | PerformLearn
  | PerformRun;
/** The word that says which. */
export type Verb = Request["verb"];

/** A mass that is carried, as `KG@ROLE`. */
export interface Load {
  mass_kg: number;
  role: string;
}
export const loadText = (load: Load): string => `${load.mass_kg}@${load.role}`;
export function parseLoad(text: string): Load {
  const [mass = "0", place = ""] = text.split("@");
  return { mass_kg: Number(mass), role: place.split(":")[0] ?? "" };
}

/** A push, as `TIME,ROLE,X,Y,Z`. */
export interface Push {
  at: string;
  role: string;
  impulse_n_s: [number, number, number];
}
export const pushText = (push: Push): string => [push.at, push.role, ...push.impulse_n_s].join(",");
export function parsePush(text: string): Push {
  const [at = "0", role = "", x = "0", y = "0", z = "0"] = text.split(",");
  return { at, role, impulse_n_s: [Number(x), Number(y), Number(z)] };
}

/** Weights of a blend that do not change over time, as `W,W`. */
export const parseWeights = (text: string): number[] => text.split(",").map((word) => Number(word.split(":").pop()));

const one = { input: BEFORE, output: "" };

export const filter = (fields: Partial<Filter> = {}): Filter => ({
  verb: "filter",
  ...one,
  ...fields,
});
export const equalize = (gains: number[], part: Equalize["part"] = null): Equalize => ({
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
  weights: weights.join(","),
  align,
});
export const loop = (cycles: number, longest: boolean): Loop => ({ verb: "loop", ...one, longest, cycles });
export const segment = (): Segment => ({ verb: "segment", input: BEFORE });
/** A segment from one frame to another, the last included, as `Af:Bf`; ends are not included there. */
export const segmentText = (start: number, end: number): string => `${start}f:${end + 1}f`;
export function parseSegment(text: string | null): [number, number] | null {
  const found = /^(\d+)f:(\d+)f$/.exec(text ?? "");
  return found ? [Number(found[1]), Number(found[2]) - 1] : null;
}

/** How far a handle is from where it was captured, metres. */
export type Offset = [number, number, number];
export const handleText = (handle: string, by: Offset): string => `${handle}@+${by.map((value) => Math.round(1000 * value) / 1000 + 0).join(",")}`;
export function parseHandle(text: string): [string, Offset] {
  const [handle = "", numbers = ""] = text.split("@");
  const [x = 0, y = 0, z = 0] = numbers.replace(/^\+/, "").split(",").map(Number);
  return [handle, [x, y, z]];
}
/** The plot is asked for so that the report has the paths. */
export const edit = (segment: string, handles: string[], fields: Partial<Edit> = {}): Edit => ({
  verb: "edit",
  ...one,
  segment,
  handles,
  plot: "paths.svg",
  ...fields,
});
export const walk = (fields: Partial<Walk> = {}): Walk => ({
  verb: "walk",
  ...one,
  clamp: true,
  ...fields,
});
export const react = (fields: Partial<React> = {}): React => ({
  verb: "react",
  ...one,
  ...fields,
});

export const compose = (timeline: string, fields: Partial<Compose> = {}): Compose => ({
  verb: "compose",
  database: "",
  timeline,
  output: "",
  ...fields,
});
export const splice = (others: string[], blend_s: number): Splice => ({
  verb: "splice",
  inputs: [BEFORE, ...others.map((name) => `#${name}`)],
  output: "",
  blend_s,
});

/** Name under which a document's steps know what was learned. */
const MODEL = "model.ugoki";

export const learn = (imitation: string): PerformLearn => ({
  verb: "perform",
  action: "learn",
  inputs: [BEFORE, `#${imitation}`],
  output: MODEL,
});
export const run = (performance: string): PerformRun => ({
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
