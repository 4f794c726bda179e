// Generated from crates/ugoki-studio/src/studio/protocol.rs; do not edit.
// UGOKI_WRITE=1 cargo test -p ugoki-studio --test it protocol

import type { Request } from "./requests";

/** What JSON can be. */
export type Value = null | boolean | number | string | Value[] | { [key: string]: Value };

/** Goes up with every change that an older page would not understand. */
export const VERSION = 3;

/** The motion that the step before made, or the document's clip for the first step. */
export const BEFORE = "@";

/** A request of a page. `number` comes back with the answer. Fields that an intent does not have are refused by name, so intents without fields have braces too: serde ignores what comes with a plain variant. */
export type Intent =
  /** The first word of a page. */
  | {
      intent: "hello";
      /** The protocol it speaks. */
      version: number;
    }
  /** The document on stage, computed. */
  | {
      intent: "show";
      /** Comes back with the stage. */
      number: number;
      /** Frame whose poses are wanted first. */
      frame: number;
    }
  /** Another document. While something is dragged it is only shown to this page; committed, it can be undone. */
  | {
      intent: "edit";
      /** Comes back with the stage. */
      number: number;
      /** Frame whose poses are wanted first. */
      frame: number;
      /** The document as it is to be. */
      document: Document;
      /** Whether it stays. */
      commit: boolean;
      /** What was done, for the menu. */
      label: string;
    }
  /** Takes the last change back. */
  | { intent: "undo" }
  /** Makes the change again that was taken back last. */
  | { intent: "redo" }
  /** Poses of a motion, at most `MOST_POSES` of them. */
  | {
      intent: "poses";
      /** Which motion. */
      stream: number;
      /** First frame. */
      from: number;
      /** How many. */
      count: number;
    }
  /** One joint's turning over time, of a motion and of another to compare. */
  | {
      intent: "curves";
      /** Which motion. */
      stream: number;
      /** The other one. */
      other: number | null;
      /** Which joint. */
      joint: number;
    }
  /** How fast the parts of the body go. */
  | {
      intent: "speeds";
      /** Which motion. */
      stream: number;
    }
  /** How the moments of the clips of the document's blend correspond. */
  | { intent: "registration" }
  /** A job's report alone, on the motion that the tool in use works on. */
  | {
      intent: "ask";
      /** Comes back with the report. */
      number: number;
      /** The job; its input is `@`. */
      request: Request;
    }
  /** Keeps what is on stage in the database. */
  | {
      intent: "save";
      /** Under this name, made unique. */
      name: string;
    }
  /** Keeps a motion that poses can be asked of, such as a performance that was composed, in the database. */
  | {
      intent: "keep";
      /** Which motion. */
      stream: number;
      /** Under this name, made unique. */
      name: string;
    }
  /** Keeps every piece between the document's cuts in the database. */
  | {
      intent: "save-pieces";
      /** Names of the pieces, in order. */
      names: string[];
    }
  /** Throws a clip out of the database. */
  | {
      intent: "remove";
      /** Its name. */
      clip: string;
    }
  /** Puts tags on a clip and takes others off. */
  | {
      intent: "tag";
      /** Its name. */
      clip: string;
      /** Tags to put on. */
      add: string[];
      /** Tags to take off. */
      remove: string[];
    }
  /** Takes uploaded files into the database. */
  | {
      intent: "import";
      /** Comes back with what was taken in. */
      number: number;
      /** Names under which they were uploaded. */
      files: string[];
    }
  /** What is on stage as a file. */
  | {
      intent: "export";
      /** Comes back with the file. */
      number: number;
      /** Ending of the file: `bvh`, `glb`, `vrma`, `gif`, `png`. */
      format: string;
    }
  /** The command lines that make the same file as an export. */
  | {
      intent: "commands";
      /** Ending of the file: `bvh`, `glb`, `vrma`, `gif`, `png`. */
      format: string;
    }
  /** Stops the work that goes on for this page. */
  | { intent: "stop" }
  /** Listens for a performer that sends VMC. */
  | {
      intent: "listen";
      /** The UDP port. */
      port: number;
      /** Whether other devices than this machine may send. */
      everywhere: boolean;
    }
  /** Stops listening to the performer. */
  | { intent: "silence" }
  /** Writes down what the performer does from now on, and keeps it in the database. */
  | {
      intent: "record";
      /** Under this name, made unique. */
      name: string;
      /** For so long; until the next `finish` at most. */
      seconds: number;
    }
  /** Ends what is being written down. */
  | { intent: "finish" }
  /** Lets the performer drive what the document learned, or no more. */
  | {
      intent: "drive";
      /** Whether to. */
      on: boolean;
    };

/** What the server says. */
export type Answer =
  /** The first word of the server. */
  | {
      answer: "welcome";
      /** The protocol it speaks. */
      version: number;
      /** Name of the database. */
      database: string;
    }
  /** All clips of the database. */
  | {
      answer: "clips";
      /** In the order they were added. */
      clips: ClipRow[];
    }
  /** The document changed. */
  | {
      answer: "document";
      /** Number of the edit that this page made; null when it was not this page. */
      number: number | null;
      /** As it is now. */
      document: Document;
      /** What undoing would take back. */
      undo: string | null;
      /** What redoing would make again. */
      redo: string | null;
    }
  /** What is on stage. */
  | {
      answer: "stage";
      /** Of the intent. */
      number: number;
      /** The motion. */
      motion: Motion;
      /** The motion as it is before the tool in use works on it. */
      ghost: Motion | null;
      /** The reports of the steps, as `--json` gives them, but for numbers of every frame. */
      reports: Value[];
      /** What acts on the body, frame by frame, when it reacts. */
      reaction: Reaction | null;
      /** Performances to choose from, best first, when the document composes. */
      candidates: Candidate[];
      /** Why a step could not be done; what is on stage is the motion before it. */
      problem: Problem | null;
    }
  /** How far the work for this page is. */
  | {
      answer: "progress";
      /** Of the intent. */
      number: number;
      /** 0 to 1. */
      part: number;
    }
  /** A performance that was found while others are still made. */
  | {
      answer: "found";
      /** Of the intent. */
      number: number;
      /** Its place, from 0; the best is first. */
      place: number;
      /** How many are searched for; fewer are offered where they look alike. */
      count: number;
      /** The performance. */
      candidate: Candidate;
    }
  /** The bodies of a live performance; poses of both come by themselves. */
  | {
      answer: "live";
      /** Where the performer's packets are waited for; null when they are not. */
      address: string | null;
      /** The performer, as far as one was heard. */
      performer: Motion | null;
      /** The actor that the performer drives. */
      actor: Motion | null;
    }
  /** What is known of a live performance, some times a second. */
  | {
      answer: "pulse";
      /** Frames that came in the last second. */
      fps: number;
      /** Seconds that were written down so far; null when nothing is. */
      recorded_s: number | null;
      /** What was recognised last. */
      recognised: Recognised | null;
      /** Milliseconds from the arrival of a frame to its pose being sent to this page, the longest of late. */
      delay_ms: number;
    }
  /** A performance was written down. */
  | {
      answer: "recorded";
      /** Name of the clip in the database. */
      clip: string;
    }
  /** One joint's turning: rotation vectors in degrees. */
  | {
      answer: "curves";
      /** Which motion. */
      stream: number;
      /** Which joint. */
      joint: number;
      /** Frames from one value to the next. */
      stride: number;
      /** x, y and z of the motion. */
      after: [number[], number[], number[]];
      /** Of the other motion. */
      before: [number[], number[], number[]] | null;
    }
  /** How fast the parts of the body go. */
  | {
      answer: "speeds";
      /** Which motion. */
      stream: number;
      /** Frames from one value to the next. */
      stride: number;
      /** First frame that has a value. */
      first: number;
      /** Groups of joints, those that cut first. */
      groups: Speed[];
      /** Simple movements that were found. */
      bells: Bell[];
    }
  /** Moments of the first clip of a blend and of the others that correspond. */
  | {
      answer: "registration";
      /** One for each of the others, in order. */
      curves: Registration[];
    }
  /** A job's report. */
  | {
      answer: "report";
      /** Of the intent. */
      number: number;
      /** As `--json` gives it. */
      report: Value;
    }
  /** Clips were kept. */
  | {
      answer: "saved";
      /** Their names. */
      names: string[];
    }
  /** Files were taken in. */
  | {
      answer: "imported";
      /** Of the intent. */
      number: number;
      /** Names of the new clips. */
      clips: string[];
      /** Files that could not be used. */
      problems: Problem[];
    }
  /** A file to fetch. */
  | {
      answer: "exported";
      /** Of the intent. */
      number: number;
      /** Name for the file. */
      name: string;
      /** Where it is, from the root of this server. */
      path: string;
      /** Its size. */
      bytes: number;
    }
  /** The command lines that make the same file as an export. */
  | {
      answer: "commands";
      /** Ending of the file. */
      format: string;
      /** To be run in order. */
      lines: string[];
    }
  /** An intent could not be done. */
  | {
      answer: "refused";
      /** Of the intent, if it had one. */
      number: number | null;
      /** Why. */
      problem: Problem;
    };

/** The tools of the right pane. */
export type Tool =
  /** Filters and bands. */
  | "clean"
  /** Several motions mixed. */
  | "blend"
  /** Cut into pieces. */
  | "segment"
  /** Hands and feet put elsewhere at the end of a segment. */
  | "edit"
  /** Footsteps. */
  | "walk"
  /** Key motions over time, and what lies between them. */
  | "compose"
  /** Loads and pushes. */
  | "react"
  /** An actor driven by a performer. */
  | "perform"
  /** Files of what is on stage. */
  | "export";

/** What is on stage, and how it was made. */
export interface Document {
  /** The tool in use. */
  tool: Tool;
  /** Name of the clip that the first step works on. */
  clip: string | null;
  /** What is done to it, in order. */
  steps: Request[];
  /** Texts of the files that steps name, such as footsteps. */
  files: { [key: string]: string };
  /** Frames at which the motion is cut. */
  cuts: number[];
  /** Which of the composed performances is on stage, from 0. */
  pick: number;
}

/** A clip of the database. */
export interface ClipRow {
  /** Its name. */
  name: string;
  /** Length of the motion. */
  seconds: number;
  /** Tags, sorted. */
  tags: string[];
  /** The file it comes from, if any. */
  source: string | null;
  /** Whether it can be shown. */
  usable: boolean;
}

/** A motion that poses can be asked of. */
export interface Motion {
  /** Its number, for asking. */
  stream: number;
  /** Its name. */
  name: string;
  /** Frames per second. */
  fps: number;
  /** How many frames. */
  frames: number;
  /** Its joints, parents first. */
  joints: Joint[];
  /** Way of the hips over the ground: x, y, z in metres. */
  path: [number, number, number][];
  /** Height of the floor, metres. */
  floor: number;
  /** When and where feet stand. */
  footprints: Footprint[];
}

/** A joint as it is drawn. */
export interface Joint {
  /** Its name. */
  name: string;
  /** Its parent. */
  parent: number | null;
  /** What it is on a human. */
  role: string | null;
  /** Ends of the body below it, in its frame, metres. */
  tips: [number, number, number][];
  /** Its place in the rest pose, metres. */
  rest: [number, number, number];
}

/** A foot that stands. */
export interface Footprint {
  /** Whether it is the left one. */
  left: boolean;
  /** First frame. */
  start: number;
  /** Frame after the last. */
  end: number;
  /** The ankle over the ground in the middle of it: x, y, z in metres. */
  at: [number, number, number];
  /** Ankle to toe, degrees from +Z to the left. */
  heading_deg: number;
  /** From ankle to toe, metres. */
  length: number;
}

/** How fast one part of the body goes. */
export interface Speed {
  /** Which part. */
  name: string;
  /** Metres per second. */
  values: number[];
}

/** A simple movement of one group of joints. */
export interface Bell {
  /** Name of the group. */
  group: string;
  /** First frame. */
  start: number;
  /** Frame of the greatest speed. */
  peak: number;
  /** Frame after the last. */
  end: number;
  /** The greatest speed, metres per second. */
  peak_m_s: number;
}

/** Which moments of two clips correspond. */
export interface Registration {
  /** The other clip. */
  name: string;
  /** Length of the first clip and of the other, seconds. */
  seconds: [number, number];
  /** Moments of the first clip and of the other, seconds. */
  points: [number, number][];
}

/** What acts on a body that reacts, one value per frame of the motion. */
export interface Reaction {
  /** Whether the body stands as its target does at the end. */
  recovered: boolean;
  /** When balance was lost for good, seconds. */
  fell_at_s: number | null;
  /** First frame that has values. */
  first: number;
  /** Zero-moment point from inside the support polygon's border, metres; negative outside. */
  margin_m: (number | null)[];
  /** Zero-moment point: x, z in metres. */
  zmp: ([number, number] | null)[];
  /** Corners of the support polygon: x, z in metres. */
  polygon: [number, number][][];
  /** Where each thrown body is: x, y, z in metres; null before it appears. */
  bodies: (([number, number, number] | null)[])[];
  /** Joints that have a load. */
  joints: number[];
  /** Fraction of its strength that each of them gives. */
  load: number[][];
  /** What the controller adds at each of them, world axes, rad/s². */
  corrections: [number, number, number][][];
}

/** A performance that was composed. */
export interface Candidate {
  /** Its motion. */
  motion: Motion;
  /** What it is made of, as `--json` gives it. */
  report: Value;
}

/** What a live performance was taken for. */
export interface Recognised {
  /** The motion. */
  motion: string;
  /** The piece of it. */
  piece: string;
  /** How sure, 0 to 1. */
  confidence: number;
  /** Whether it is near anything that was imitated. */
  known: boolean;
  /** Frame of the actor that is shown. */
  frame: number;
}

/** What went wrong, where, and what to do. */
export interface Problem {
  /** The file or clip to blame. */
  file: string | null;
  /** The line in it. */
  line: number | null;
  /** The step of the document to blame, from 0. */
  step: number | null;
  /** What is wrong. */
  message: string;
  /** What to do about it. */
  hint: string | null;
}

/** Largest file that may be uploaded, bytes: ten hours of a body at 30 frames a second as BVH text are 1 GB, ten minutes of the densest captures 60 MB. */
export const MOST_UPLOAD = 67108864;

/** Most poses of one binary message: what loopback carries in a few milliseconds. */
export const MOST_POSES = 64;

/** Bytes before the first pose of a binary message. */
export const HEADER_BYTES = 16;

/** Numbers of one joint in a pose: position x, y, z in metres, rotation x, y, z, w. */
export const JOINT_FLOATS = 7;
