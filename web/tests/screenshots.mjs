// Pictures of the studio for the documentation: `node web/tests/screenshots.mjs FOLDER [NAME…]`. WIDTH, HEIGHT, THEME=light and
// LANGUAGE=ja look at the others.

import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { pixels, smallPng } from "./small-png.mjs";
import { changes, openDesk, seek, shown } from "./studio-desk.mjs";

const [folder = "docs/images/studio", ...names] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const SIZE = { width: Number(process.env.WIDTH ?? 1360), height: Number(process.env.HEIGHT ?? 820) };
/** Where the performer of the pictures sends to. */
const PORT = 39578;
const choose = (page, clip) => changes(page, () => page.click(`[data-clip="${clip}"]`));
const tool = (page, name) => changes(page, () => page.click(`[data-tool="${name}"]`));
const edit = (page, change) => changes(page, () => page.evaluate((c) => window.ugoki.studio.edit(c, "shot"), change));

const pictures = {
  async clean(page) {
    await choose(page, "throw");
    await changes(page, () => page.getByLabel("Kernel").selectOption("gauss"));
    await changes(page, async () => {
      const width = page.getByLabel("Width", { exact: true });
      await width.fill("12");
    });
    await seek(page, 75);
  },
  async blend(page) {
    await choose(page, "walk");
    await tool(page, "blend");
    for (const name of ["run", "walk-slow"]) await changes(page, () => page.getByLabel("Add a clip…").selectOption(name));
    await seek(page, 60);
  },
  async segment(page) {
    await choose(page, "knife-hand");
    await tool(page, "segment");
    await changes(page, () => page.getByRole("button", { name: "Find the cuts" }).click());
    await seek(page, 40);
  },
  async edit(page) {
    await choose(page, "wave");
    await tool(page, "edit");
    const step = { verb: "edit", input: "@", output: "", segment: "0f:46f", handles: ["rightHand@+-0.1,-0.2,0.25"], plot: "paths.svg" };
    await edit(page, { steps: [step] });
    await seek(page, 45);
  },
  async walk(page) {
    await choose(page, "walk");
    await tool(page, "walk");
    await changes(page, () => page.getByRole("button", { name: "Walk with these feet" }).click());
    await changes(page, () => page.getByLabel("Turn", { exact: true }).fill("90"));
    await seek(page, 150);
  },
  async react(page) {
    await choose(page, "idle");
    await tool(page, "react");
    const push = "60f,chest,8,0,-10";
    await edit(page, { steps: [{ verb: "react", input: "@", output: "", loads: ["5@chest"], pushes: [push] }] });
    await seek(page, 66);
  },
  async compose(page) {
    await choose(page, "walk");
    await tool(page, "compose");
    const key = [{ at: 1.5, clip: "wave", layer: "upper" }, { at: 5.5, clip: "squat" }, { at: 9, clip: "hand-on-heart", layer: "upper" }];
    const text = JSON.stringify({ seconds: 13, key });
    await edit(page, { files: { "draft.json": text } });
    await page.getByLabel("How many").fill("6");
    await changes(page, () => page.getByRole("button", { name: "Search", exact: true }).click());
    await seek(page, 150);
    await page.locator('.card[data-place="1"]').getByRole("button", { name: "Compare" }).click();
    await page.locator(".tool").evaluate((tool) => (tool.scrollTop = 300));
    await shown(page, 12);
  },
  async perform(page) {
    await choose(page, "wave");
    await tool(page, "perform");
    await changes(page, () => page.getByLabel("Imitation", { exact: true }).selectOption("wave"));
    await page.getByLabel("UDP port").fill(String(PORT));
    await page.getByLabel("UDP port").press("Tab");
    await page.getByRole("button", { name: "Listen", exact: true }).click();
    const sender = spawn(process.env.UGOKI_BINARY, ["stream", "sample#wave", "--loop", "--output", `vmc:${PORT}`], { stdio: "ignore" });
    await page.waitForFunction(() => window.ugoki.studio.live.performer?.pose, null, { polling: 50 });
    await page.getByRole("button", { name: "Drive the actor" }).click();
    await page.waitForFunction(() => (window.ugoki.studio.live.pulse?.recognised?.frame ?? 0) > 60, null, { polling: 20 });
    await page.evaluate(() => window.ugoki.stage.frame());
    return () => sender.kill("SIGINT");
  },
  async crowd(page) {
    await choose(page, "walk-in-place");
    await page.getByRole("button", { name: "A hundred figures" }).click();
    await seek(page, 40);
  },
  async export(page) {
    await choose(page, "front-kick");
    await tool(page, "export");
    await seek(page, 60);
  },
  async japanese(page) {
    await choose(page, "wave");
    await page.getByRole("button", { name: "日本語" }).click();
    await page.getByRole("button", { name: "明るさの切り替え" }).click();
    await tool(page, "clean");
    await seek(page, 50);
  },
};

const desk = await openDesk();
try {
  for (const [name, make] of Object.entries(pictures)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const page = await desk.page({ viewport: SIZE });
    const after = await make(page);
    if (process.env.THEME === "light") await page.locator('[aria-label="Light or dark"]').click();
    if (process.env.LANGUAGE === "ja") await page.getByRole("button", { name: "日本語" }).click();
    await page.mouse.move(4, 4);
    await shown(page, 4);
    const picture = smallPng(await pixels(page, await page.screenshot()));
    after?.();
    await writeFile(join(folder, `${name}.png`), picture);
    console.log(`${name}.png ${(picture.length / 1000).toFixed(0)} kB`, page.problems.length ? page.problems : "");
    await page.context().close();
  }
} finally {
  await desk.close();
}
