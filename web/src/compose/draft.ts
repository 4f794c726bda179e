// The timeline that is being written: key motions on two layers of the body. It is the JSON that `ugoki compose` reads.

/** The layers that keys can be on; a key of the whole body is on both. */
export const LAYERS = ["upper", "lower"] as const;
export type Layer = (typeof LAYERS)[number];

export interface Key {
  at: number;
  clip: string;
  layer?: Layer;
}

export interface Draft {
  seconds: number;
  key: Key[];
}

/** Name of the timeline that is written in a document. */
export const DRAFT = "draft.json";
/** Times are kept to this, seconds. */
const GRID = 0.05;
/** Default length of a timeline, seconds. */
const USUAL_S = 10;

export const EMPTY: Draft = { seconds: USUAL_S, key: [] };

const snap = (seconds: number) => Math.round(Math.round(seconds / GRID) * GRID * 100) / 100;

/** A draft from the document's text; an empty one when there is none. */
export function read(text: string | undefined): Draft {
  if (!text) return EMPTY;
  const draft = JSON.parse(text) as Draft;
  return { seconds: draft.seconds, key: draft.key ?? [] };
}

export function write(draft: Draft): string {
  return JSON.stringify({ seconds: draft.seconds, key: draft.key });
}

const within = (draft: Draft, at: number) => snap(Math.max(0, Math.min(draft.seconds - GRID, at)));

/** With one more key. */
export function add(draft: Draft, clip: string, at: number, layer: Layer | null): Draft {
  return { ...draft, key: [...draft.key, { at: within(draft, at), clip, ...(layer ? { layer } : {}) }] };
}

/** With a key at another time, and on another layer when one is given; null is the whole body. */
export function move(draft: Draft, index: number, at: number, layer?: Layer | null): Draft {
  const change = (key: Key): Key => {
    const on = layer === undefined ? (key.layer ?? null) : layer;
    return { at: within(draft, at), clip: key.clip, ...(on ? { layer: on } : {}) };
  };
  return { ...draft, key: draft.key.map((key, other) => (other === index ? change(key) : key)) };
}

export function remove(draft: Draft, index: number): Draft {
  return { ...draft, key: draft.key.filter((_, other) => other !== index) };
}

/** With another length; keys beyond its end come inside. */
export function last(draft: Draft, seconds: number): Draft {
  const longer = { ...draft, seconds };
  return { ...longer, key: draft.key.map((key) => ({ ...key, at: within(longer, key.at) })) };
}
