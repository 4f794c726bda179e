// The page: puts the parts together, draws, and remembers.

import { clipPanel } from "./clips";
import { currentLanguage, setLanguage, t, type Language } from "./i18n";
import { keyboard } from "./keys";
import { forgetBody, keepBody, keptBody, remember } from "./memory";
import { stageArea } from "./page/stage-area";
import { topBar } from "./page/top";
import { Stage } from "./stage/stage";
import { Studio } from "./studio";
import { Timeline } from "./timeline/timeline";
import { advance, transport } from "./timeline/transport";
import { toolPanel } from "./tools/panel";
import { h } from "./ui/dom";

const studio = new Studio();
// With reduced motion the user presses play.
if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) studio.playing = false;
const stage = new Stage(studio);
remember(studio, stage);
const timeline = new Timeline(studio);

/** An avatar that is dropped takes the mannequin's place, also after a reload. */
async function wear(file: File, keep = true): Promise<void> {
  try {
    await stage.dress(await file.arrayBuffer());
    studio.look({ avatar: true });
    if (keep) await keepBody(file);
  } catch {
    studio.tell("problem", { file: file.name, line: null, step: null, message: t("noAvatar"), hint: null });
  }
}

function undress(): void {
  void stage.dress(null);
  void forgetBody();
  studio.look({ avatar: false });
}

function setTheme(theme: string): void {
  document.documentElement.dataset["theme"] = theme;
  stage.theme();
  timeline.theme();
}

const changeTheme = () => {
  const theme = document.documentElement.dataset["theme"] === "light" ? "dark" : "light";
  localStorage.setItem("theme", theme);
  setTheme(theme);
};
const changeLanguage = () => {
  const language: Language = currentLanguage() === "en" ? "ja" : "en";
  localStorage.setItem("language", language);
  setLanguage(language);
};

const help = keyboard(studio, stage);
const time = h("section", { class: "time" }, transport(studio), timeline.canvas);
const clips = clipPanel(studio);
const tools = toolPanel(studio, stage, time);
const files = () => clips.querySelector<HTMLInputElement>("input[type=file]")?.click();
const middle = stageArea(studio, stage, { wear: (file) => void wear(file), undress, files });
const top = topBar(studio, { language: changeLanguage, theme: changeTheme, help });
document.getElementById("app")?.replaceChildren(top, clips, middle, time, tools);
// Edits without a connection are refused: they would be lost.
studio.on("connected", (is) => {
  for (const panel of [clips, tools]) panel.inert = !is;
});

const light = window.matchMedia("(prefers-color-scheme: light)");
// A choice of the user's goes before the system's.
light.addEventListener("change", ({ matches }) => localStorage.getItem("theme") ?? setTheme(matches ? "light" : "dark"));
setTheme(localStorage.getItem("theme") ?? (light.matches ? "light" : "dark"));
setLanguage((localStorage.getItem("language") as Language | null) ?? (navigator.language.startsWith("ja") ? "ja" : "en"));
void keptBody().then((file) => file && wear(file, false));

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
