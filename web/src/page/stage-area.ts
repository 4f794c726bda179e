// The middle of the page: the stage with its name and switches, and what is said over it: notices, progress, a
// count-in, what to do when there is nothing to see.

import { dropFiles } from "../clips";
import { onLanguage, t, type Word } from "../i18n";
import type { Problem } from "../protocol";
import type { Stage } from "../stage/stage";
import type { Studio } from "../studio";
import { download } from "../tools/export";
import { button, h, iconButton, label } from "../ui/dom";
import { stageBar } from "./stage-bar";

/** How long a notice stays, milliseconds. */
const NOTICE_MS = 6000;
/** Most problems that are shown at once. */
const MOST_PROBLEMS = 4;

export interface StageActions {
  wear(file: File): void;
  undress(): void;
  /** Asks for files to import. */
  files(): void;
}

export function stageArea(studio: Studio, stage: Stage, actions: StageActions): HTMLElement {
  const area = h(
    "main",
    { class: "stage" },
    stage.canvas,
    stage.tip,
    countIn(studio),
    facts(studio),
    stageBar(studio, stage, actions.undress),
    nothing(studio, actions.files),
    h("div", { class: "stage-words" }, notices(studio), progress(studio)),
  );
  new ResizeObserver(() => stage.resize(area.clientWidth, area.clientHeight)).observe(area);
  dropFiles(studio, area, actions.wear);
  onLanguage(() => stage.canvas.setAttribute("aria-label", t("stage")));
  return area;
}

/** Name and length of what is on stage. */
function facts(studio: Studio): HTMLElement {
  const name = h("b", {});
  const words = h("span", {});
  const tell = () => {
    const motion = studio.stage?.motion;
    const text = motion ? `${(motion.frames / motion.fps).toFixed(2)} s · ${Math.round(motion.fps)} fps · ${t("frames", { n: motion.frames })}` : "";
    // Drags send many updates a second.
    if (name.textContent !== (motion?.name ?? "")) name.textContent = motion?.name ?? "";
    if (words.textContent !== text) words.textContent = text;
  };
  studio.on("stage", tell);
  studio.on("empty", tell);
  onLanguage(tell);
  return h("div", { class: "stage-name" }, name, words);
}

function notices(studio: Studio): HTMLElement {
  const text = h("div", {});
  const close = iconButton("close", () => (notice.hidden = true), "bare small");
  const notice = h("div", { class: "notice", role: "alert", hidden: true }, text, close);
  let until = 0;
  // What a step could not do is over with the next stage; that files could not be used is not.
  let ofStep = false;
  const say = (bad: boolean, ...lines: (string | HTMLElement)[]) => {
    text.replaceChildren(...lines.map((line) => h("div", {}, line)));
    notice.classList.toggle("bad", bad);
    notice.hidden = false;
    ofStep = false;
    const mine = (until += 1);
    if (!bad) setTimeout(() => mine === until && (notice.hidden = true), NOTICE_MS);
  };
  const lines = ({ file, message, hint }: Problem) => {
    const words = file && !message.startsWith(file) ? `${file}: ${message}` : message;
    return hint ? [words, h("span", { class: "hint" }, hint)] : [words];
  };
  studio.on("problem", (problem) => {
    if (problem) say(true, ...lines(problem));
    else if (ofStep) notice.hidden = true;
    ofStep = (problem?.step ?? null) !== null;
  });
  studio.on("problems", (problems) => {
    const rest = problems.length - MOST_PROBLEMS;
    const shown = problems.slice(0, MOST_PROBLEMS).flatMap(lines);
    say(true, ...shown, ...(rest > 0 ? [t("andMore", { n: rest })] : []));
  });
  studio.on("notice", ({ key, names }) => say(false, t(key as Word, { names })));
  studio.on("exported", (file) => {
    download(file.path, file.name);
    say(false, t("exported", { names: file.name }));
  });
  onLanguage(() => label(close, t("dismiss")));
  return notice;
}

function progress(studio: Studio): HTMLElement {
  const filled = h("i", {});
  const bar = h("div", { class: "bar", role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100 }, filled);
  const words = h("span", {});
  const stop = button("", () => studio.send({ intent: "stop" }), "small");
  const box = h("div", { class: "progress", role: "status", hidden: true }, words, bar, stop);
  studio.on("progress", (value) => {
    box.hidden = value === null;
    const percent = Math.round(100 * (value ?? 0));
    filled.style.width = `${percent}%`;
    bar.setAttribute("aria-valuenow", String(percent));
  });
  onLanguage(() => {
    stop.textContent = t("stop");
    words.textContent = t("working");
    bar.setAttribute("aria-label", t("working"));
  });
  return box;
}

function countIn(studio: Studio): HTMLElement {
  const count = h("div", { class: "count-in", role: "status", hidden: true });
  studio.on("live", () => {
    count.hidden = studio.live.count === null;
    count.textContent = String(studio.live.count ?? "");
  });
  return count;
}

/** What to do with a database that has no clip. */
function nothing(studio: Studio, files: () => void): HTMLElement {
  const title = h("b", {});
  const words = h("p", {});
  const open = button("", files, "main");
  const box = h("div", { class: "nothing", hidden: true }, title, words, open);
  const tell = () => (box.hidden = studio.database === "" || studio.document.clip !== null);
  studio.on("empty", tell);
  studio.on("document", tell);
  onLanguage(() => {
    title.textContent = t("emptyTitle");
    words.textContent = t("emptyHelp");
    open.textContent = t("importFiles");
  });
  return box;
}
