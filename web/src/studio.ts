// The page's side of the studio: what the server said, what the user looks at, and the intents between them.

import { Connection } from "./connection";
import { Live } from "./live";
import type { PoseMessage, PoseTrack } from "./poses";
import type { Answer, Candidate, ClipRow, Document, Intent, Motion, Problem, Registration, Tool, Value } from "./protocol";
import type { Label } from "./names";
import { drop, put, type Request, type Verb } from "./requests";
import { Tracks } from "./tracks";

export type Stage = Extract<Answer, { answer: "stage" }>;
export type Speeds = Extract<Answer, { answer: "speeds" }>;
export type Curves = Extract<Answer, { answer: "curves" }>;

/** What listeners hear of. */
export interface Events {
  connected: boolean;
  clips: ClipRow[];
  document: Document;
  stage: Stage;
  speeds: Speeds;
  curves: Curves;
  registration: Registration[];
  candidates: void;
  live: void;
  recorded: string;
  frame: number;
  playing: boolean;
  view: void;
  /** Poses came; true when they are those that a drag waits for. */
  poses: boolean;
  /** There is no clip to show. */
  empty: void;
  commands: Extract<Answer, { answer: "commands" }>;
  progress: number | null;
  problem: Problem | null;
  problems: Problem[];
  notice: { key: string; names: string };
  exported: Extract<Answer, { answer: "exported" }>;
}

/** An edit that takes longer than this may be overtaken by a newer one, milliseconds. */
const OVERTAKE_MS = 400;

const EMPTY: Document = { tool: "clean", clip: null, steps: [], files: {}, cuts: [], pick: 0 };

export class Studio {
  database = "";
  clips: ClipRow[] = [];
  /** As the server has it, or as it is being dragged. */
  document: Document = EMPTY;
  undo: string | null = null;
  redo: string | null = null;
  stage: Stage | null = null;
  speeds: Speeds | null = null;
  motion: PoseTrack | null = null;
  ghost: PoseTrack | null = null;
  /** Performances that were composed, with gaps while they are still made. */
  candidates: (Candidate | undefined)[] = [];
  /** Another performance shown next to the one on stage. */
  compared: Motion | null = null;
  readonly tracks = new Tracks((stream, from, count) => this.send({ intent: "poses", stream, from, count }));
  readonly live = new Live(this.tracks, () => this.tell("live", undefined));
  frame = 0;
  playing = true;
  loop = true;
  rate = 1;
  view = { follow: true, ghost: true, path: true, onion: false, contacts: true, avatar: false, crowd: false };
  /** Milliseconds from a drag's event to its pose applied to the stage, newest last; for the tests and the curious. */
  readonly latencies: number[] = [];
  /** Whether the server is connected. */
  connected = false;

  private readonly listeners = new Map<keyof Events, ((value: never) => void)[]>();
  private readonly connection: Connection;
  private readonly reports = new Map<number, (report: Value | null) => void>();
  private readonly imports = new Map<number, (clips: string[]) => void>();
  private number = 0;
  private shown = 0;
  private sent: { number: number; at: number; drag: boolean } | null = null;
  private next: (() => void) | null = null;
  private dragging = false;
  /** A drag whose pose is not on the stage yet: its motion, and when its event was. */
  private moving: { stream: number; at: number } | null = null;
  /** The document as the server last wrote it, and whether it was away since. */
  private lastDocument = "";
  private away = true;

  constructor() {
    this.connection = new Connection({
      answer: (answer) => this.hear(answer),
      poses: (message) => this.take(message),
      connected: (is) => {
        this.connected = is;
        if (!is) {
          // What was being dragged is as the server has it when it comes back.
          [this.sent, this.next, this.moving, this.dragging, this.away] = [null, null, null, false, true];
          this.live.lost();
          this.tell("progress", null);
        }
        this.tell("connected", is);
      },
    });
  }

  on<K extends keyof Events>(name: K, listener: (value: Events[K]) => void): void {
    const all = this.listeners.get(name) ?? [];
    all.push(listener as (value: never) => void);
    this.listeners.set(name, all);
  }

  tell<K extends keyof Events>(name: K, value: Events[K]): void {
    for (const listener of this.listeners.get(name) ?? []) (listener as (value: Events[K]) => void)(value);
  }

  send(intent: Intent): boolean {
    return this.connection.send(intent);
  }

  /** Changes the document; while something is dragged (`commit` false) only on this page. */
  edit(change: Partial<Document>, label: Label, commit = true): void {
    if (!this.connected) return;
    this.document = { ...this.document, ...change };
    this.dragging = !commit;
    const document = this.document;
    // From the event itself, if one is being handled.
    const at = window.event?.timeStamp ?? performance.now();
    const go = () => {
      this.next = null;
      this.number += 1;
      this.sent = { number: this.number, at, drag: !commit };
      this.send({ intent: "edit", number: this.number, frame: Math.round(this.frame), document, commit, label });
    };
    this.tell("document", this.document);
    // One at a time, the newest next; what takes long is overtaken, and what is to stay never waits.
    if (!commit && this.sent && performance.now() - this.sent.at < OVERTAKE_MS) this.next = go;
    else go();
  }

  /** Puts a step into the document, or takes it out. */
  step(step: Request | Verb, label: Label, commit = true): void {
    const steps = typeof step === "string" ? drop(this.document.steps, step) : put(this.document.steps, step);
    this.edit({ steps }, label, commit);
  }

  tool(tool: Tool): void {
    this.edit({ tool }, tool);
  }

  /** Puts a clip on stage as it is. */
  choose(clip: string): void {
    this.frame = 0;
    this.compare(null);
    this.edit({ clip, steps: [], files: {}, cuts: [], pick: 0 }, `choose: ${clip}`);
  }

  seek(frame: number): void {
    const last = (this.stage?.motion.frames ?? 1) - 1;
    this.frame = Math.max(0, Math.min(last, frame));
    this.tell("frame", this.frame);
  }

  play(on: boolean): void {
    this.playing = on;
    this.tell("playing", on);
  }

  look(change: Partial<Studio["view"]>): void {
    Object.assign(this.view, change);
    this.tell("view", undefined);
  }

  /** Shows another motion next to the one on stage; null for none. */
  compare(motion: Motion | null): void {
    if (this.compared === motion) return;
    this.compared = motion;
    this.tell("view", undefined);
  }

  /** A new search begins. */
  forgetCandidates(): void {
    this.candidates = [];
    this.compare(null);
    this.tell("candidates", undefined);
  }

  /** A job's report alone; null when it was refused. */
  ask(request: Request): Promise<Value | null> {
    this.number += 1;
    const number = this.number;
    this.send({ intent: "ask", number, request });
    return new Promise((resolve) => this.reports.set(number, resolve));
  }

  /** A number for an intent whose answer carries it. */
  count(): number {
    this.number += 1;
    return this.number;
  }

  /** Has uploaded files taken in; `then` hears the names of their clips, otherwise the first goes on stage. */
  import(files: string[], then?: (clips: string[]) => void): void {
    const number = this.count();
    if (then) this.imports.set(number, then);
    this.send({ intent: "import", number, files });
  }

  /** Whether poses ahead of the playhead are of use: what is dragged is another motion a moment later. */
  get settled(): boolean {
    return this.playing || !this.dragging;
  }

  /** A pose of this motion was put on the stage. */
  applied(stream: number): void {
    if (this.moving?.stream !== stream) return;
    this.latencies.push(performance.now() - this.moving.at);
    if (this.latencies.length > 1000) this.latencies.shift();
    this.moving = null;
  }

  private hear(answer: Answer): void {
    switch (answer.answer) {
      case "welcome":
        this.database = answer.database;
        break;
      case "clips":
        this.clips = answer.clips;
        this.tell("clips", answer.clips);
        break;
      case "document":
        this.undo = answer.undo;
        this.redo = answer.redo;
        // What this page did it knows, and what it drags goes before.
        if ((answer.number ?? null) !== null || this.dragging) {
          if (answer.number !== null) this.lastDocument = JSON.stringify(answer.document);
          this.tell("document", this.document);
          break;
        }
        // A save changes the history alone.
        if (this.stage && !this.away && JSON.stringify(answer.document) === this.lastDocument) {
          this.tell("document", this.document);
          break;
        }
        this.away = false;
        this.lastDocument = JSON.stringify(answer.document);
        this.document = answer.document;
        this.tell("document", this.document);
        if (answer.document.clip === null) this.clear();
        else this.show();
        break;
      case "stage":
        this.put(answer);
        break;
      case "progress":
        this.tell("progress", answer.part);
        break;
      case "speeds":
        if (answer.stream !== this.stage?.motion.stream) break;
        this.speeds = answer;
        this.tell("speeds", answer);
        break;
      case "curves":
        this.tell("curves", answer);
        break;
      case "registration":
        this.tell("registration", answer.curves);
        break;
      case "found":
        this.candidates[answer.place] = answer.candidate;
        this.tell("candidates", undefined);
        break;
      case "live":
      case "pulse":
        this.live.hear(answer);
        break;
      case "recorded":
        this.tell("recorded", answer.clip);
        break;
      case "report":
        this.reports.get(answer.number)?.(answer.report);
        this.reports.delete(answer.number);
        break;
      case "saved":
        this.tell("notice", { key: "saved", names: answer.names.join(", ") });
        break;
      case "imported": {
        this.tell("progress", null);
        const then = this.imports.get(answer.number);
        this.imports.delete(answer.number);
        if (answer.clips.length > 0) {
          this.tell("notice", { key: "imported", names: answer.clips.join(", ") });
          // What was made of another clip stays on stage.
          if (then) then(answer.clips);
          else if (this.document.steps.length === 0) this.choose(answer.clips[0] as string);
        }
        if (answer.problems.length > 0) this.tell("problems", answer.problems);
        break;
      }
      case "commands":
        this.tell("commands", answer);
        break;
      case "exported":
        this.tell("progress", null);
        this.tell("exported", answer);
        break;
      case "refused": {
        const waiting = answer.number === null ? undefined : this.reports.get(answer.number);
        if (answer.number !== null) this.reports.delete(answer.number);
        waiting?.(null);
        this.settle(answer.number);
        if (!this.sent) this.tell("progress", null);
        if (answer.problem.message !== "stopped") this.tell("problem", answer.problem);
        break;
      }
    }
  }

  private show(): void {
    this.number += 1;
    this.sent = { number: this.number, at: performance.now(), drag: false };
    this.send({ intent: "show", number: this.number, frame: Math.round(this.frame) });
  }

  /** The answer to the edit that was sent: the next one may go. */
  private settle(number: number | null): void {
    if (this.sent && number !== null && number >= this.sent.number) {
      this.sent = null;
      this.tell("progress", null);
    }
    if (!this.sent) this.next?.();
  }

  private put(stage: Stage): void {
    if (stage.number < this.shown) return;
    this.shown = stage.number;
    this.motion = this.tracks.of(stage.motion);
    this.ghost = stage.ghost ? this.tracks.of(stage.ghost) : null;
    this.stage = stage;
    if (stage.candidates.length > 0 || !this.document.steps.some((step) => step.verb === "compose")) {
      this.candidates = stage.candidates;
    }
    const shown = [stage.motion, stage.ghost, this.compared, ...this.candidates.map((one) => one?.motion)];
    this.tracks.keep(new Set(shown.flatMap((motion) => (motion ? [motion.stream] : []))));
    this.frame = Math.min(this.frame, Math.max(0, stage.motion.frames - 1));
    this.speeds = null;
    this.tell("problem", stage.problem);
    this.tell("stage", stage);
    if (this.sent?.drag && stage.number >= this.sent.number) {
      this.moving = { stream: stage.motion.stream, at: this.sent.at };
      this.tell("poses", true);
    }
    this.settle(stage.number);
    if (!this.dragging) this.send({ intent: "speeds", stream: stage.motion.stream });
  }

  private take(message: PoseMessage): void {
    this.tracks.put(message);
    this.tell("poses", this.moving?.stream === message.stream);
  }

  /** Nothing is on stage: the database has no clip. */
  private clear(): void {
    [this.stage, this.motion, this.ghost, this.speeds, this.candidates] = [null, null, null, null, []];
    this.tell("progress", null);
    this.tell("empty", undefined);
  }
}
