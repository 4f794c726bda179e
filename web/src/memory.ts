// What a page remembers over a reload, in the browser: switches of the view, speed, where the playhead and the eye
// were, and the body that is worn. The document itself is kept by the server.

import type { Sight } from "./stage/eye";
import type { Stage } from "./stage/stage";
import type { Studio } from "./studio";

/** Name of the database of the browser, of the shelf in it, and of what lies there. */
const [SHELF, BODY] = ["ugoki", "body"];

interface Kept {
  view: Partial<Studio["view"]>;
  rate: number;
  loop: boolean;
  playing: boolean;
  clip: string | null;
  frame: number;
  sight: Sight;
}

/** Takes what was kept, and keeps it again when the page goes. */
export function remember(studio: Studio, stage: Stage): void {
  const kept = read();
  if (kept) {
    Object.assign(studio.view, kept.view, { avatar: false });
    [studio.rate, studio.loop] = [kept.rate, kept.loop];
    studio.play(kept.playing);
    let first = true;
    studio.on("document", ({ clip }) => {
      if (!first) return;
      first = false;
      if (clip === null || clip !== kept.clip) return;
      studio.frame = kept.frame;
      stage.eye.sight = kept.sight;
      stage.framed = true;
    });
  }
  window.addEventListener("pagehide", () => {
    const { view, rate, loop, playing, document, frame } = studio;
    const all: Kept = { view, rate, loop, playing, clip: document.clip, frame, sight: stage.eye.sight };
    localStorage.setItem("view", JSON.stringify(all));
  });
}

function read(): Kept | null {
  try {
    return JSON.parse(localStorage.getItem("view") ?? "null") as Kept | null;
  } catch {
    return null;
  }
}

/** Does something with the shelf; a browser that keeps nothing, as in private windows, gives null. */
function shelf<T>(mode: IDBTransactionMode, action: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | null> {
  return new Promise((resolve) => {
    const nothing = () => resolve(null);
    const opening = indexedDB.open(SHELF, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(SHELF);
    opening.onerror = nothing;
    opening.onsuccess = () => {
      const transaction = opening.result.transaction(SHELF, mode);
      const request = action(transaction.objectStore(SHELF));
      // What is kept must be on the disk before it counts.
      transaction.oncomplete = () => {
        resolve(request.result);
        opening.result.close();
      };
      transaction.onerror = transaction.onabort = nothing;
    };
  });
}

/** Keeps the body that is worn. */
export const keepBody = (file: File): Promise<unknown> => shelf("readwrite", (store) => store.put(file, BODY));

/** Keeps no body. */
export const forgetBody = (): Promise<unknown> => shelf("readwrite", (store) => store.delete(BODY));

/** The body that was worn, if any. */
export const keptBody = (): Promise<File | null> => shelf<File>("readonly", (store) => store.get(BODY));
