import type { Request } from "./requests";
export type Value = null | boolean | number | string | Value[] | { [key: string]: Value };
export const VERSION = 1;
export const BEFORE = "@";
export const MOST_POSES = 64;
export const HEADER_BYTES = 16;
export const JOINT_FLOATS = 7;
export type Intent =
  | { intent: "hello"; version: number; }
  | { intent: "show"; number: number; frame: number; }
  | { intent: "edit"; number: number; frame: number; document: Document; commit: boolean; label: string; }
  | { intent: "undo"; }
  | { intent: "redo"; }
  | { intent: "poses"; stream: number; from: number; count: number; }
  | { intent: "curves"; stream: number; other: number | null; joint: number; }
  | { intent: "speeds"; stream: number; }
  | { intent: "ask"; number: number; request: Request; }
  | { intent: "save"; name: string; }
  | { intent: "save-pieces"; names: string[]; }
  | { intent: "remove"; clip: string; }
  | { intent: "tag"; clip: string; add: string[]; remove: string[]; }
  | { intent: "import"; number: number; files: string[]; }
  | { intent: "export"; number: number; format: string; }
  | { intent: "stop"; };
export type Answer =
  | { answer: "welcome"; version: number; database: string; }
  | { answer: "clips"; clips: ClipRow[]; }
  | { answer: "document"; number: number | null; document: Document; undo: string | null; redo: string | null; }
  | { answer: "stage"; number: number; motion: Motion; ghost: Motion | null; reports: Value[]; reaction: Reaction | null; problem: Problem | null; commands: string[]; }
  | { answer: "progress"; number: number; share: number; }
  | { answer: "curves"; stream: number; joint: number; stride: number; after: [number[], number[], number[]]; before: [number[], number[], number[]] | null; }
  | { answer: "speeds"; stream: number; stride: number; first: number; groups: Speed[]; bells: Bell[]; }
  | { answer: "report"; number: number; report: Value; }
  | { answer: "saved"; names: string[]; }
  | { answer: "imported"; number: number; clips: string[]; problems: Problem[]; }
  | { answer: "exported"; number: number; name: string; path: string; bytes: number; }
  | { answer: "refused"; number: number | null; problem: Problem; };
export type Tool =
  | "clean"
  | "blend"
  | "segment"
  | "walk"
  | "react"
  | "export";
export interface Document {
  tool: Tool;
  clip: string | null;
  steps: Request[];
  files: { [key: string]: string };
  cuts: number[];
}
export interface ClipRow {
  name: string;
  seconds: number;
  tags: string[];
  source: string | null;
  usable: boolean;
}
export interface Motion {
  stream: number;
  name: string;
  fps: number;
  frames: number;
  joints: Joint[];
  path: [number, number, number][];
  floor: number;
  footprints: Footprint[];
}
export interface Joint {
  name: string;
  parent: number | null;
  role: string | null;
  tips: [number, number, number][];
  rest: [number, number, number];
}
export interface Footprint {
  left: boolean;
  start: number;
  end: number;
  at: [number, number, number];
  heading_deg: number;
  length: number;
}
export interface Speed {
  name: string;
  values: number[];
}
export interface Bell {
  group: string;
  start: number;
  peak: number;
  end: number;
  peak_m_s: number;
}
export interface Reaction {
  recovered: boolean;
  fell_at_s: number | null;
  first: number;
  margin_m: (number | null)[];
  zmp: ([number, number] | null)[];
  polygon: [number, number][][];
  joints: number[];
  load: number[][];
}
export interface Problem {
  file: string | null;
  step: number | null;
  message: string;
  hint: string | null;
}
