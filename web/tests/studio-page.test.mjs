// The page around the tools: files dropped on it, keys, timeline, switches of the stage, what outlives a reload, a
// server that goes away, a database without clips.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { begin, choose, desk, drag, drop, end, fresh, jointAt, look, page, project, stage, tool } from "./studio-acts.mjs";
import { changes, figure, openDesk, seek, shown } from "./studio-desk.mjs";

before(begin);
after(end);

const until = (what, value = null) => page.waitForFunction(what, value, { timeout: 240_000, polling: 50 });
const sight = () => page.evaluate(() => window.ugoki.stage.eye.sight);
const onStage = (name) => page.getByRole("toolbar").getByRole("button", { name });
const frame = () => page.evaluate(() => window.ugoki.studio.frame);

async function bvh(clip) {
  const path = join(desk.folder, `${clip} dropped.bvh`);
  assert.equal((await desk.run("convert", `sample#${clip}`, path)).code, 0);
  return { name: `${clip} dropped.bvh`, bytes: await readFile(path) };
}

test("files dropped on the page become clips; those that cannot be used are named together", async () => {
  await fresh("nod", "clean");
  const files = [await bvh("squat"), { name: "no.bvh", bytes: Buffer.from("HIERARCHY\n") }, { name: "poem.txt", bytes: Buffer.from("roses") }];
  await changes(page, () => drop(".clip-list", files));
  assert.equal((await stage()).motion.name, "squat dropped");
  await page.locator(".notice.bad").waitFor();
  assert.match(await page.locator(".notice").textContent(), /no\.bvh/);
  // One that is too large is not even sent.
  await drop(".clip-list", [{ name: "huge.c3d", size: 65 << 20 }]);
  await until(() => /huge\.c3d: larger than 64 MB/.test(document.querySelector(".notice").textContent));
  await page.getByRole("button", { name: "Dismiss" }).click();
  // What is made of another clip stays on stage while files come.
  await fresh("nod", "clean");
  await changes(page, () => page.getByLabel("Kernel").selectOption("box"));
  await drop(".clip-list", [await bvh("bow")]);
  await page.locator('[data-clip="bow dropped"]').waitFor();
  assert.equal((await stage()).motion.name, "nod");
  await page.keyboard.press("Control+z");
  await page.locator('[data-clip="bow dropped"]').waitFor({ state: "detached" });
});

test("a clip that is removed from the stage makes room for the next one, and undoing brings it back", async () => {
  await fresh("nod", "clean");
  const names = () => page.locator("[data-clip]").evaluateAll((rows) => rows.map((row) => row.dataset.clip));
  const all = await names();
  await page.locator('[data-clip="nod"]').hover();
  await changes(page, () => page.getByRole("button", { name: "Remove nod" }).click());
  const next = (await stage()).motion.name;
  assert.equal(next, all[all.indexOf("nod") + 1]);
  await changes(page, () => page.keyboard.press("Control+z"));
  assert.equal((await stage()).motion.name, "nod");
  assert.deepEqual(await names(), all, "it is where it was");
});

test("keys go as in Blender, and Space plays after a press of the pointer", async () => {
  await fresh("walk", "clean");
  await seek(page, 30);
  const { footprints, frames } = (await stage()).motion;
  // In the list of clips arrows go from clip to clip.
  await page.locator(".stage canvas").focus();
  await page.keyboard.press("ArrowUp");
  const next = Math.min(...footprints.map((print) => print.start).filter((start) => start > 30));
  assert.equal(await frame(), next, "the next footfall");
  await page.keyboard.press("ArrowDown");
  assert.ok((await frame()) < next);
  await page.keyboard.press("Shift+ArrowRight");
  assert.equal(await frame(), frames - 1);
  await page.keyboard.press("Shift+ArrowLeft");
  assert.equal(await frame(), 0);
  await page.keyboard.press("Shift+ArrowUp");
  assert.equal(await frame(), 10);
  // Views from the front, the side and above.
  for (const [key, axis] of [["1", 2], ["3", 0], ["7", 1]]) {
    await page.keyboard.press(key);
    const { eye, target } = await sight();
    const way = eye.map((value, at) => value - target[at]);
    assert.ok(way[axis] / Math.hypot(...way) > 0.99, `${key}: ${way}`);
  }
  await page.keyboard.press("Home");
  await shown(page, 2);
  assert.ok((await figure(page)).tall > 0.35);
  const follows = () => page.evaluate(() => window.ugoki.studio.view.follow);
  const before = await follows();
  await page.keyboard.press("f");
  assert.equal(await follows(), !before);
  await page.keyboard.press("f");
  await onStage("Show the path").click();
  await onStage("Show the path").click();
  await page.keyboard.press("Space");
  assert.ok(await page.evaluate(() => window.ugoki.studio.playing), "Space plays");
  await page.keyboard.press("Space");
  await page.keyboard.press("?");
  assert.ok(await page.getByRole("dialog").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(!(await page.getByRole("dialog").isVisible()));
  // By the keyboard alone: the next tool, and its first control.
  await page.locator('[data-tool="clean"]').focus();
  await changes(page, () => page.keyboard.press("ArrowRight"));
  assert.equal(await page.evaluate(() => document.activeElement.dataset.tool), "blend");
});

test("the timeline scrubs, zooms, goes along with the playhead, loops or stops, and plays slowly", async () => {
  await fresh("walk", "clean");
  await seek(page, 0);
  const box = await page.locator(".time-canvas").boundingBox();
  const { frames } = (await stage()).motion;
  await drag([box.x + 20, box.y + 8], [box.x + box.width / 2, box.y + 8]);
  assert.ok(Math.abs((await frame()) - (frames - 1) / 2) < 2, `scrubbed to ${await frame()}`);
  assert.equal(await page.locator(".time-canvas").getAttribute("role"), "slider");
  // Zoomed in, half way is another frame; the playhead brings itself into sight.
  await page.mouse.move(box.x + 20, box.y + 60);
  await page.mouse.wheel(0, -1600);
  await page.mouse.click(box.x + box.width / 2, box.y + 8);
  const near = await frame();
  assert.ok(near < (frames - 1) / 4, `zoomed in, half way is frame ${near}`);
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.keyboard.down("Shift");
  await page.mouse.wheel(0, 300);
  await page.keyboard.up("Shift");
  await page.mouse.click(box.x + box.width / 2, box.y + 8);
  assert.ok((await frame()) > near, "the wheel with Shift moves what is seen");
  await page.keyboard.press("Shift+ArrowRight");
  await shown(page, 2);
  await page.mouse.click(box.x + box.width / 2, box.y + 8);
  assert.ok((await frame()) > frames / 2, "the end is in sight");
  await page.mouse.wheel(0, 8000);
  // Without the loop it stops at the end.
  await page.getByRole("button", { name: "Play in a loop" }).click();
  await seek(page, frames - 8);
  await page.keyboard.press("Space");
  await until((last) => !window.ugoki.studio.playing && window.ugoki.studio.frame === last, frames - 1);
  await page.getByRole("button", { name: "Play in a loop" }).click();
  // A quarter of the speed, by the clock of the pictures themselves; drawing would take longer than the playhead waits
  // for.
  await page.getByLabel("Speed", { exact: true }).selectOption("0.25");
  const pace = await page.evaluate(async () => {
    const { stage, studio } = window.ugoki;
    const { render } = stage.renderer;
    stage.renderer.render = () => {};
    const tick = () => new Promise((resolve) => requestAnimationFrame(resolve));
    studio.seek(0);
    studio.play(true);
    const [from, start] = [await tick(), studio.frame];
    let now = from;
    while (now - from < 700) now = await tick();
    const gone = studio.frame - start;
    studio.play(false);
    stage.renderer.render = render;
    return (1000 * gone) / (now - from) / studio.stage.motion.fps;
  });
  assert.ok(Math.abs(pace - 0.25) < 0.06, `${pace} of real time`);
  await page.getByLabel("Speed", { exact: true }).selectOption("1");
});

test("switches of the stage do what they say, and drags next to the figure turn the camera", async () => {
  await fresh("walk", "clean");
  await seek(page, 100);
  const skins = () => page.evaluate(() => window.ugoki.stage.bodies.ghostly.mesh.count);
  await onStage("Onion skins").click();
  await until(() => window.ugoki.stage.bodies.ghostly.mesh.count > 0);
  // Three on either side, also those before the playhead after a reload, when nothing was played yet.
  const one = await page.evaluate(() => window.ugoki.stage.bodies.solid.mesh.count);
  await until((most) => window.ugoki.stage.bodies.ghostly.mesh.count === most, 6 * one);
  await page.reload();
  await shown(page);
  await until((most) => window.ugoki.stage.bodies.ghostly.mesh.count === most, 6 * one);
  await onStage("Onion skins").click();
  await shown(page, 2);
  assert.equal(await skins(), 0);
  for (const name of ["Show the path", "Show footprints"]) {
    const before = await page.locator(".stage canvas").screenshot();
    await onStage(name).click();
    await shown(page, 2);
    assert.notDeepEqual(await page.locator(".stage canvas").screenshot(), before, name);
    await onStage(name).click();
  }
  // A camera that follows goes along; one that does not stays.
  await page.keyboard.press("Home");
  const way = async () => {
    const from = (await sight()).target;
    await seek(page, 20);
    await shown(page, 40);
    const to = (await sight()).target;
    await seek(page, 100);
    await shown(page, 40);
    return Math.hypot(to[0] - from[0], to[2] - from[2]);
  };
  assert.ok((await way()) > 0.5, "followed");
  await onStage(/Camera follows/).click();
  assert.ok((await way()) < 0.01, "stayed");
  await onStage(/Camera follows/).click();
  const box = await page.locator(".stage canvas").boundingBox();
  const before = await sight();
  await drag([box.x + 60, box.y + 200], [box.x + 200, box.y + 220]);
  const { eye } = await sight();
  assert.ok(Math.hypot(...eye.map((value, at) => value - before.eye[at])) > 0.3, "turned");
});

test("a reload keeps the view, the playhead, the speed, the eye and the body that is worn", async () => {
  await fresh("wave", "clean");
  await onStage("Onion skins").click();
  await page.getByLabel("Speed", { exact: true }).selectOption("0.5");
  const bytes = await readFile(join(process.env.UGOKI_GLTF_FOLDER, "walk.vrm"));
  await drop(".stage canvas", [{ name: "avatar.vrm", bytes }]);
  await until(() => window.ugoki.stage.avatar !== null && window.ugoki.studio.view.avatar);
  await seek(page, 66);
  await page.keyboard.press("3");
  await shown(page, 2);
  const before = await sight();
  await page.reload();
  await shown(page);
  await until(() => window.ugoki.stage.avatar !== null);
  const { view, rate, playing } = await page.evaluate(() => window.ugoki.studio);
  assert.deepEqual([view.onion, view.avatar, rate, playing, await frame()], [true, true, 0.5, false, 66]);
  assert.equal(await page.getByLabel("Speed", { exact: true }).inputValue(), "0.5");
  const after = await sight();
  assert.ok(Math.hypot(...after.eye.map((value, at) => value - before.eye[at])) < 0.01, JSON.stringify({ before, after }));
  await page.getByRole("button", { name: "Back to the mannequin" }).click();
  await onStage("Onion skins").click();
  await page.getByLabel("Speed", { exact: true }).selectOption("1");
  await shown(page, 2);
  await page.reload();
  await shown(page, 4);
  assert.equal(await page.evaluate(() => window.ugoki.stage.avatar), null);
});

test("while the server is away nothing can be changed, so that nothing is lost", async () => {
  await fresh("nod", "clean");
  await changes(page, () => page.getByLabel("Kernel").selectOption("binomial"));
  await desk.crash();
  await page.locator(".link-state").waitFor();
  assert.ok(await page.evaluate(() => document.querySelector(".tools").inert && document.querySelector(".clips").inert));
  await page.evaluate(() => window.ugoki.studio.edit({ steps: [] }, "smooth"));
  assert.equal(await page.evaluate(() => window.ugoki.studio.document.steps.length), 1);
  // What is there can still be looked at.
  await seek(page, 5);
  await changes(page, () => desk.revive());
  assert.ok(await page.evaluate(() => !document.querySelector(".tools").inert));
  assert.equal(await page.getByLabel("Kernel").inputValue(), "binomial");
  assert.equal(await page.locator(".link-state").isVisible(), false);
  page.problems.length = 0;
});

test("quick presses on everything leave a sound page", async () => {
  await fresh("walk", "clean");
  await page.evaluate(async () => {
    const press = (selector) => document.querySelector(selector).click();
    for (let round = 0; round < 4; round += 1) {
      for (const clip of ["run", "wave", "walk", "squat"]) press(`[data-clip="${clip}"]`);
      for (const name of ["react", "walk", "segment", "compose", "perform", "export", "blend", "clean"]) press(`[data-tool="${name}"]`);
      document.querySelector('[data-clip="nod"]').dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
    }
    press('[data-clip="wave"]');
  });
  await until(() => window.ugoki.studio.sent === null && window.ugoki.studio.stage.motion.name === "wave");
  await shown(page, 3);
  assert.equal(await page.locator('[data-tool="clean"]').getAttribute("aria-selected"), "true");
  assert.equal(await page.locator(".tool").count(), 1);
  assert.deepEqual(page.problems, []);
  const chest = await project(await jointAt("chest", Math.round(await frame())));
  const box = await page.locator(".stage canvas").boundingBox();
  assert.ok(chest[0] > box.x && chest[0] < box.x + box.width, "the figure is in view");
});

test("a database without clips says what to do, and shows the first that is dropped", async () => {
  const squat = await bvh("squat");
  const own = page;
  const empty = await openDesk({ database: "new.ugoki" });
  try {
    look(await empty.page());
    await page.locator(".nothing").waitFor();
    assert.match(await page.locator(".nothing").textContent(), /Drop motion files/);
    assert.equal(await page.locator(".notice.bad:visible").count(), 0, "nothing is wrong");
    await drop(".stage canvas", [squat]);
    await shown(page);
    assert.equal((await stage()).motion.name, "squat dropped");
    assert.equal(await page.locator(".nothing").isVisible(), false);
    await page.locator("[data-clip]").hover();
    await page.getByRole("button", { name: "Remove squat dropped" }).click();
    await page.locator(".nothing").waitFor();
    await until(() => window.ugoki.stage.bodies.solid.mesh.count === 0);
    await page.keyboard.press("Control+z");
    await page.locator("[data-clip]").waitFor();
    await shown(page);
    assert.deepEqual(page.problems, []);
  } finally {
    look(own);
    await empty.close();
  }
});

test("Japanese reaches steps, joints, parts, curves and the history", async () => {
  await fresh("walk", "clean");
  await changes(page, () => page.getByLabel("Kernel").selectOption("box"));
  await page.getByRole("button", { name: "日本語" }).click();
  assert.equal(await page.locator(".step b").textContent(), "平滑化");
  assert.match(await page.getByLabel("関節", { exact: true }).locator("option").allTextContents().then((all) => all.join()), /左すね/);
  assert.match(await page.getByLabel("部位").locator("option").allTextContents().then((all) => all.join()), /右腕/);
  assert.equal(await page.getByRole("button", { name: "元に戻す: 平滑化" }).count(), 1);
  // Whatever a person reads of the interface has no English sentence left.
  for (const name of ["clean", "blend", "segment", "walk", "compose", "react", "perform", "export"]) {
    if ((await page.evaluate(() => window.ugoki.studio.document.tool)) !== name) await tool(name);
    const english = await page.locator(".tool").evaluate((tool) => {
      const shown = [...tool.querySelectorAll("h3, label, .note, button, .check")].map((one) => one.textContent.trim());
      return shown.filter((text) => /[a-z]{3,} [a-z]{3,}/.test(text));
    });
    assert.deepEqual(english, [], name);
  }
  await page.getByRole("button", { name: "English" }).click();
  await choose("wave");
});
