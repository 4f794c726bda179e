// What tools promise beyond their first use: footprints turned and raised, glitches marked, pieces named and joined, balls thrown,
// an imitation from a file.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { begin, desk, drag, drop, end, fresh, jointAt, move, page, project, rest, sameAsCommands, stage } from "./studio-acts.mjs";
import { changes, seek, shown } from "./studio-desk.mjs";

before(begin);
after(end);

const steps = async () => (await stage()).reports[0].steps;
const until = (what, value = null) => page.waitForFunction(what, value, { timeout: 240_000, polling: 50 });

/** The footprint that is nearest to the middle of the stage, from above, and where it is on the page. */
async function nearest() {
  await page.keyboard.press("Home");
  await page.keyboard.press("7");
  await shown(page, 4);
  const box = await page.locator(".stage canvas").boundingBox();
  const middle = [box.x + box.width / 2, box.y + box.height / 2];
  const all = [];
  // The first and last carry the body in and out of the walk.
  for (const [index, step] of (await steps()).entries()) {
    const turn = (step.heading_deg * Math.PI) / 180;
    const [x, y, z] = step.planned;
    const at = await project([x + 0.06 * Math.sin(turn), y + 0.006, z + 0.06 * Math.cos(turn)]);
    all.push({ index, at, far: Math.hypot(at[0] - middle[0], at[1] - middle[1]) });
  }
  return all.slice(1, -1).sort((a, b) => a.far - b.far)[0];
}

test("edit: a wrist is dragged to its place at the segment's end, and the command line makes the same motion", async () => {
  await fresh("wave", "edit");
  const end = 45;
  await page.getByLabel("To", { exact: true }).fill(String(end));
  await seek(page, end);
  await page.keyboard.press("Home");
  await page.keyboard.press("f");
  await rest();
  const before = await jointAt("rightHand", end);
  const at = await project(before);
  await changes(page, () => drag(at, [at[0] + 36, at[1] + 24]));
  const { reports, motion } = await stage();
  const [handle] = reports[0].handles;
  assert.equal(await page.evaluate(() => window.ugoki.studio.document.steps[0].verb), "edit");
  assert.ok(Math.abs(reports[0].end_s - end / motion.fps) < 1e-6, `the segment ends at ${reports[0].end_s} s`);
  const asked = Math.hypot(...handle.asked_m.map((value, axis) => value - handle.captured_m[axis]));
  assert.ok(asked > 0.03, `dragged by ${asked} m`);
  const reached = await jointAt("rightHand", end);
  assert.ok(Math.hypot(...reached.map((value, axis) => value - handle.reached_m[axis])) < 1e-3, "the stage shows what is reported");
  assert.ok(handle.off_mm < 1, `${handle.off_mm} mm off`);
  assert.deepEqual(reports[0].paths[0].names, ["captured", "linear", "position", "one-stage", "two-stage"]);
  await changes(page, () => page.getByLabel("Distribution").selectOption("linear"));
  assert.equal((await stage()).reports[0].distribute, "linear");
  // By numbers, and an end of the segment on the timeline.
  await move("Height", 0.1);
  assert.match(await page.evaluate(() => window.ugoki.studio.document.steps[0].handles[0]), /^rightHand@\+.*,0\.1,/);
  const box = await page.locator(".time-canvas").boundingBox();
  const place = (frame) => box.x + 14 + (frame / (motion.frames - 1)) * (box.width - 28);
  await changes(page, () => drag([place(end), box.y + 30], [place(end + 20), box.y + 30]));
  assert.match(await page.evaluate(() => window.ugoki.studio.document.steps[0].segment), /^0f:6[567]f$/);
  await changes(page, () => page.keyboard.press("Control+z"));
  assert.equal(await page.evaluate(() => window.ugoki.studio.document.steps[0].segment), `0f:${end + 1}f`);
  await sameAsCommands();
});

test("walk: a footprint is chosen by a press, turned and raised by drags and by numbers, each undone alone", async () => {
  await fresh("walk", "walk");
  await changes(page, () => page.getByRole("button", { name: "Walk with these feet" }).click());
  await seek(page, 90);
  const before = await steps();
  // An eye that goes along would not see the print at the same place after every change.
  await page.keyboard.press("f");
  const { index, at } = await nearest();
  // A press chooses and moves nothing, wherever the print is taken.
  await page.mouse.click(...at);
  await page.getByText(new RegExp(`^Step ${index + 1} of`)).waitFor();
  assert.equal(await page.evaluate(() => window.ugoki.studio.document.steps[0].steps ?? null), null, "nothing was changed");
  await changes(page, () => drag(at, [at[0] + 40, at[1] + 30], "Shift"));
  const turned = (await steps())[index];
  assert.ok(Math.abs(turned.heading_deg - before[index].heading_deg) > 8, `turned to ${turned.heading_deg}°`);
  assert.ok(Math.hypot(...turned.planned.map((value, axis) => value - before[index].planned[axis])) < 0.002, "and stays where it is");
  await changes(page, () => page.keyboard.press("Control+z"));
  assert.ok(Math.abs((await steps())[index].heading_deg - before[index].heading_deg) < 0.01);
  await changes(page, () => drag(at, [at[0], at[1] - 32], "Alt"));
  const raised = (await steps())[index];
  assert.ok(Math.abs(raised.planned[1] - before[index].planned[1] - 0.1) < 0.02, `raised to ${raised.planned[1]} m`);
  assert.ok(Math.abs(raised.reached[1] - raised.planned[1]) < 0.01, "the foot stands on it");
  await changes(page, () => page.keyboard.press("Control+z"));
  // By numbers, for who does not drag.
  const side = page.getByLabel("Across", { exact: true });
  await side.focus();
  await changes(page, () => page.keyboard.press("ArrowRight"));
  await changes(page, () => page.keyboard.press("ArrowRight"));
  assert.equal(await side.evaluate((input) => document.activeElement === input), true, "the slider keeps the keyboard");
  assert.ok(Math.abs((await steps())[index].planned[0] - before[index].planned[0] - 0.02) < 0.006);
  await move("Height", 0.12);
  assert.ok(Math.abs((await steps())[index].reached[1] - 0.12) < 0.02);
  await sameAsCommands();
  await page.keyboard.press("f");
});

test("clean: glitches are marked on the curve of their joint", async () => {
  const path = join(desk.folder, "wave.bvh");
  assert.equal((await desk.run("convert", "sample#wave", path)).code, 0);
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  const first = lines.findIndex((line) => line.startsWith("Frame Time")) + 1;
  // One rotation of one frame is far off, as when a marker is lost; which joint that is the program finds out.
  const row = lines[first + 80].trim().split(/\s+/);
  const column = row.length - 30;
  row[column] = String(Number(row[column]) + 80);
  lines[first + 80] = row.join(" ");
  await fresh("nod", "clean");
  await changes(page, () => drop(".clip-list", [{ name: "glitch.bvh", bytes: Buffer.from(`${lines.join("\n")}\n`) }]));
  await fresh("glitch", "clean");
  await changes(page, () => page.getByLabel("Remove glitches first").check());
  const { joints, frames_changed } = (await stage()).reports[0].despike;
  assert.ok(joints.length >= 1 && frames_changed >= 1, JSON.stringify((await stage()).reports[0].despike));
  const chips = page.locator("[data-glitches]");
  assert.equal(await chips.count(), joints.length);
  await chips.first().click();
  assert.equal(await page.evaluate(() => window.ugoki.studio.frame), joints[0].frames[0], "the playhead goes there");
  await shown(page, 3);
  const marks = () =>
    page.locator(".plot").evaluate((canvas) => {
      const bad = getComputedStyle(document.documentElement).getPropertyValue("--bad").trim();
      const [r, g, b] = [1, 3, 5].map((at) => parseInt(bad.slice(at, at + 2), 16));
      const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const found = [];
      for (let at = 0; at < width * height; at += 1) {
        if (Math.abs(data[4 * at] - r) + Math.abs(data[4 * at + 1] - g) + Math.abs(data[4 * at + 2] - b) < 12) found.push((at % width) / width);
      }
      return { count: found.length, middle: found.reduce((sum, x) => sum + x, 0) / found.length };
    });
  await until(() => document.querySelector(".plot").getAttribute("aria-label"));
  const { count, middle } = await marks();
  const { frames } = (await stage()).motion;
  const mean = joints[0].frames.reduce((sum, frame) => sum + frame, 0) / joints[0].frames.length;
  assert.ok(count > 5, `${count} pixels of marks`);
  assert.ok(Math.abs(middle - mean / frames) < 0.04, `marked at ${middle}, glitch at ${mean / frames}`);
  // Another joint has none.
  await page.getByLabel("Joint", { exact: true }).selectOption({ label: "hips" });
  await shown(page, 3);
  assert.ok((await marks()).count < count / 2);
  await sameAsCommands();
});

test("segment: pieces keep their names over a reload, are joined, and cuts go by a double click", async () => {
  await fresh("knife-hand", "segment");
  for (const frame of [30, 60, 90]) {
    await seek(page, frame);
    await changes(page, () => page.getByRole("button", { name: "Cut at the playhead" }).click());
  }
  const names = () => page.locator(".piece input").evaluateAll((fields) => fields.map((field) => field.value));
  const cuts = () => page.evaluate(() => window.ugoki.studio.document.cuts);
  await page.getByLabel("Name of piece 2").fill("strike");
  await changes(page, () => page.getByLabel("Name of piece 2").press("Tab"));
  await page.reload();
  await shown(page);
  assert.deepEqual(await names(), ["knife-hand-1", "strike", "knife-hand-3", "knife-hand-4"]);
  await changes(page, () => page.getByRole("button", { name: "Join strike with the next piece" }).click());
  assert.deepEqual([await cuts(), await names()], [[30, 90], ["knife-hand-1", "strike", "knife-hand-4"]]);
  await changes(page, () => page.keyboard.press("Control+z"));
  assert.deepEqual(await cuts(), [30, 60, 90]);
  const box = await page.locator(".time-canvas").boundingBox();
  const { frames } = (await stage()).motion;
  const x = box.x + 14 + (60 / (frames - 1)) * (box.width - 28);
  await changes(page, () => page.mouse.dblclick(x, box.y + 60));
  assert.deepEqual(await cuts(), [30, 90]);
});

test("react: the arrow tells its strength, a ball is thrown by a click, flies and hits", async () => {
  await fresh("idle", "react");
  await seek(page, 40);
  await page.keyboard.press("Home");
  await rest();
  const chest = await project(await jointAt("chest", 40));
  await page.mouse.move(...chest);
  await page.mouse.down();
  await page.mouse.move(chest[0] + 30, chest[1], { steps: 3 });
  assert.match(await page.locator(".stage-tip").textContent(), /\d+ N·s/);
  assert.ok(await page.locator(".stage-tip").isVisible());
  await changes(page, () => page.mouse.up());
  assert.ok(!(await page.locator(".stage-tip").isVisible()));
  await changes(page, () => page.getByRole("button", { name: /^Remove/ }).last().click());
  assert.equal(await page.evaluate(() => window.ugoki.studio.document.steps[0].pushes.length), 0);
  await seek(page, 40);
  await page.getByRole("button", { name: /Throw a ball/ }).click();
  await rest();
  await changes(page, async () => page.mouse.click(...(await project(await jointAt("chest", 40)))));
  const { reaction } = await stage();
  assert.equal(reaction.bodies.length, 1);
  const places = reaction.bodies[0].slice(40, 90).filter(Boolean);
  assert.ok(places.length > 10 && Math.hypot(...places[0].map((value, axis) => value - places[10][axis])) > 0.5, "it flies");
  const margin = (from, to) => Math.min(...reaction.margin_m.slice(from, to).filter((value) => value !== null));
  assert.ok(margin(55, 110) < margin(5, 40), `${margin(5, 40)} m before, ${margin(55, 110)} m after`);
  await seek(page, 50);
  assert.ok(await page.evaluate(() => window.ugoki.stage.balls.children[0].visible), "it is seen");
  assert.equal(await page.locator(".legend li").count(), 5);
  await sameAsCommands();
});

test("perform: an imitation from a file is imported and learned from at once", async () => {
  const path = join(desk.folder, "imitation.bvh");
  assert.equal((await desk.run("convert", "sample#wave", path)).code, 0);
  await fresh("wave", "perform");
  await changes(page, () => page.locator('input[type=file][aria-label^=Imitation]').setInputFiles(path));
  await until(() => window.ugoki.studio.document.steps[0]?.inputs?.[1] === "#imitation");
  await until(() => document.querySelectorAll(".table tbody tr").length > 1);
  assert.equal((await stage()).problem, null);
  assert.equal(await page.evaluate(() => window.ugoki.studio.document.clip), "wave", "the actor stays");
});
