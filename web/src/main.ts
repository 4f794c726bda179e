// The page: puts the parts together, draws, and listens to keys.

import { clipPanel, dropFiles } from "./clips";
import { currentLanguage, onLanguage, setLanguage, t, type Language, type Word } from "./i18n";
import { Stage } from "./stage/stage";
import { Studio } from "./studio";
import { Timeline } from "./timeline/timeline";
import { advance, step, transport } from "./timeline/transport";
import { download } from "./tools/export";
import { toolPanel } from "./tools/panel";
import { button, h, iconButton, label, type Icon } from "./ui/dom";

/** How long a notice stays, milliseconds. */
const NOTICE_MS = 6000;

const studio = new Studio();
const stage = new Stage(studio);
const timeline = new Timeline(studio);

function topBar(): HTMLElement {
  const database = h("small", {});
  const undo = iconButton("undo", () => studio.send({ intent: "undo" }));
  const redo = iconButton("redo", () => studio.send({ intent: "redo" }));
  const away = h("div", { class: "link-state", role: "status", hidden: true });
  const language = button("", () => keepLanguage(currentLanguage() === "en" ? "ja" : "en"), "bare");
  const theme = iconButton("sun", () => setTheme(document.documentElement.dataset["theme"] === "light" ? "dark" : "light"));
  const tell = () => {
    database.textContent = studio.database;
    undo.disabled = studio.undo === null;
    redo.disabled = studio.redo === null;
    label(undo, studio.undo ? `${t("undo")}: ${studio.undo}` : t("undo"));
    label(redo, studio.redo ? `${t("redo")}: ${studio.redo}` : t("redo"));
  };
  studio.on("document", tell);
  studio.on("connected", (is) => (away.hidden = is));
  onLanguage(() => {
    away.textContent = t("away");
    language.textContent = t("language");
    label(theme, t("theme"));
    tell();
  });
  const brand = h("h1", { class: "brand" }, h("img", { src: "/mark.svg", alt: "" }), "Ugoki", database);
  return h("header", { class: "top" }, brand, h("span", { class: "space" }), away, undo, redo, language, theme);
}

function stageBar(): HTMLElement {
  const bar = h("div", { class: "stage-bar", role: "toolbar" });
  const frame = iconButton("frame", () => stage.frame());
  bar.append(frame);
  const toggles: [Icon & Word, keyof Studio["view"]][] = [
    ["follow", "follow"],
    ["ghost", "ghost"],
    ["onion", "onion"],
    ["path", "path"],
  ];
  const all = toggles.map(([name, key]) => [iconButton(name, () => studio.look({ [key]: !studio.view[key] })), name as Word, key] as const);
  const feet = [iconButton("feet", () => studio.look({ contacts: !studio.view.contacts })), "contacts", "contacts"] as const;
  for (const [toggle] of [...all, feet]) bar.append(toggle);
  const crowd = iconButton("crowd", () => {
    studio.look({ crowd: !studio.view.crowd });
    stage.frame();
  });
  bar.append(crowd);
  const naked = iconButton("close", () => {
    void stage.dress(null);
    studio.look({ avatar: false });
  });
  bar.append(naked);
  const tell = () => {
    naked.hidden = !studio.view.avatar;
    crowd.setAttribute("aria-pressed", String(studio.view.crowd));
    for (const [toggle, , key] of [...all, feet]) toggle.setAttribute("aria-pressed", String(studio.view[key]));
  };
  studio.on("view", tell);
  tell();
  onLanguage(() => {
    label(frame, t("frameView"));
    label(naked, t("mannequin"));
    label(crowd, t("crowd"));
    for (const [toggle, word] of [...all, feet]) label(toggle, t(word));
  });
  return bar;
}

function stageArea(): HTMLElement {
  const name = h("b", {});
  const facts = h("span", {});
  const share = h("i", {});
  const stop = button("", () => studio.send({ intent: "stop" }), "small");
  const words = h("span", {});
  const progress = h("div", { class: "progress", role: "status", hidden: true }, words, h("div", { class: "bar" }, share), stop);
  const text = h("div", {});
  const close = iconButton("close", () => (notice.hidden = true), "bare small");
  const notice = h("div", { class: "notice", role: "alert", hidden: true }, text, close);
  let until = 0;
  const say = (bad: boolean, message: string, hint: string | null) => {
    text.replaceChildren(h("div", {}, message), hint ? h("div", { class: "hint" }, hint) : "");
    notice.classList.toggle("bad", bad);
    notice.hidden = false;
    const mine = (until += 1);
    if (!bad) setTimeout(() => mine === until && (notice.hidden = true), NOTICE_MS);
  };
  studio.on("stage", ({ motion, problem }) => {
    const words = `${(motion.frames / motion.fps).toFixed(2)} s · ${Math.round(motion.fps)} fps · ${t("frames", { n: motion.frames })}`;
    if (name.textContent !== motion.name) name.textContent = motion.name;
    if (facts.textContent !== words) facts.textContent = words;
    if (!problem && notice.classList.contains("bad")) notice.hidden = true;
  });
  studio.on("problem", (problem) => {
    if (problem) say(true, problem.file ? `${problem.file}: ${problem.message}` : problem.message, problem.hint);
  });
  studio.on("notice", ({ key, names }) => say(false, t(key as Word, { names }), null));
  studio.on("exported", (file) => {
    download(file.path, file.name);
    say(false, t("exported", { names: file.name }), null);
  });
  studio.on("progress", (value) => {
    progress.hidden = value === null;
    share.style.width = `${100 * (value ?? 0)}%`;
  });
  const count = h("div", { class: "count-in", role: "status", hidden: true });
  studio.on("live", () => {
    count.hidden = studio.live.count === null;
    count.textContent = String(studio.live.count ?? "");
  });
  const area = h("main", { class: "stage" }, stage.canvas, count, h("div", { class: "stage-name" }, name, facts), stageBar(), notice, progress);
  new ResizeObserver(() => stage.resize(area.clientWidth, area.clientHeight)).observe(area);
  dropFiles(studio, area, (file) => void wear(file));
  onLanguage(() => {
    stage.canvas.setAttribute("aria-label", t("stage"));
    stop.textContent = t("stop");
    words.textContent = t("working");
    label(close, t("dismiss"));
  });
  return area;
}

/** An avatar that is dropped takes the mannequin's place. */
async function wear(file: File): Promise<void> {
  try {
    await stage.dress(await file.arrayBuffer());
    studio.look({ avatar: true });
  } catch {
    studio.tell("problem", { file: file.name, step: null, message: t("noAvatar"), hint: null });
  }
}

function setTheme(theme: string): void {
  document.documentElement.dataset["theme"] = theme;
  localStorage.setItem("theme", theme);
  stage.theme();
  timeline.theme();
}

function keepLanguage(language: Language): void {
  localStorage.setItem("language", language);
  setLanguage(language);
}

function keys(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (target.matches("input:not([type=range]):not([type=checkbox]), textarea, select")) return;
  const command = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (command && (key === "z" || key === "y")) {
    studio.send({ intent: key === "y" || event.shiftKey ? "redo" : "undo" });
  } else if (command || event.altKey) return;
  else if (key === " " && !target.matches("button")) studio.play(!studio.playing);
  else if (target.matches("input[type=range]")) return;
  else if (key === "arrowleft") step(studio, event.shiftKey ? -10 : -1);
  else if (key === "arrowright") step(studio, event.shiftKey ? 10 : 1);
  else if (key === "arrowup" && !target.closest("[role=listbox]")) studio.seek(Infinity);
  else if (key === "arrowdown" && !target.closest("[role=listbox]")) studio.seek(0);
  else if (key === "home") stage.frame();
  else if (key === "f") studio.look({ follow: !studio.view.follow });
  else return;
  event.preventDefault();
}

const time = h("section", { class: "time" }, transport(studio), timeline.canvas);
const app = document.getElementById("app");
app?.replaceChildren(topBar(), clipPanel(studio), stageArea(), time, toolPanel(studio, stage, time));
const light = window.matchMedia("(prefers-color-scheme: light)").matches;
setTheme(localStorage.getItem("theme") ?? (light ? "light" : "dark"));
setLanguage((localStorage.getItem("language") as Language | null) ?? (navigator.language.startsWith("ja") ? "ja" : "en"));
window.addEventListener("keydown", keys);

let before = performance.now();
function tick(now: number): void {
  // A page that was hidden goes on where it was.
  advance(studio, Math.min(0.25, (now - before) / 1000));
  before = now;
  stage.draw();
  timeline.draw();
  requestAnimationFrame(tick);
}
requestAnimationFrame(tick);

// What tests wait for and look at.
Object.assign(window, { ugoki: { studio, stage, wear } });
