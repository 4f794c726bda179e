// What a person does in the studio, and what is looked at afterwards; one studio and one page for a file of tests.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { changes, figure, openDesk, seek, shown } from "./studio-desk.mjs";

export let desk, page;

export async function begin() {
  desk = await openDesk();
  page = await desk.page();
}

/** Another page takes the place of the one that tests look at. */
export function look(other) {
  page = other;
}

export async function end() {
  await desk?.close();
}

export const choose = (clip) => changes(page, () => page.click(`[data-clip="${clip}"]`));
export const tool = (name) => changes(page, () => page.click(`[data-tool="${name}"]`));
export const stage = () => page.evaluate(() => window.ugoki.studio.stage);
export const move = async (label, value) => changes(page, () => page.getByLabel(label, { exact: true }).fill(String(value)));

/** A clip on the stage with a tool, nothing done to it. */
export async function fresh(clip, name) {
  await page.evaluate(() => (window.ugoki.studio.document.clip = null));
  await choose(clip);
  if ((await page.evaluate(() => window.ugoki.studio.document.tool)) !== name) await tool(name);
}

/** The figure is on the stage, stands, and is not the same at another frame. */
export async function alive(one, other) {
  await seek(page, one);
  const first = await figure(page);
  assert.ok(first.filled > 0.008 && first.filled < 0.3, `the figure fills ${first.filled} of the stage`);
  assert.ok(first.tall > 0.35, `the figure is ${first.tall} of the stage tall`);
  const poses = await page.evaluate(([a, b]) => {
    const { motion } = window.ugoki.studio;
    return [a, b].map((frame) => motion.at(frame) && [...motion.at(frame)]);
  }, [one, other]);
  await seek(page, other);
  const moved = await page.evaluate((frame) => [...window.ugoki.studio.motion.at(frame)], other);
  assert.notDeepEqual(poses[0], moved, "nothing moves");
}

/** Exports what is on stage with the export tool; gives the file's path. */
export async function exported(format) {
  await tool("export");
  await page.locator(`input[name=format][value=${format}]`).check();
  const coming = page.waitForEvent("download");
  await page.click('[data-action="export"]');
  const download = await coming;
  const path = join(desk.folder, `exported-${download.suggestedFilename()}`);
  await download.saveAs(path);
  return path;
}

/** Runs the command lines that the export tool shows for a file that was exported; gives the file that they make. */
export async function commanded(path) {
  await page.locator(`.command pre[data-format="${path.split(".").at(-1)}"]`).waitFor();
  const text = await page.locator(".command pre").textContent();
  const script = text.replaceAll(/^ugoki /gm, `'${process.env.UGOKI_BINARY}' `);
  await writeFile(join(desk.folder, "commands.sh"), `set -e\n${script}\n`);
  const ran = spawnSync("sh", ["commands.sh"], { cwd: desk.folder, encoding: "utf8" });
  assert.equal(ran.status, 0, `${text}\n${ran.stderr}`);
  return path.replace("exported-", "");
}

/** The exported file has the frames of the stage, and the shown commands make the same motion. */
export async function sameAsCommands(format = "bvh") {
  const { motion } = await stage();
  const path = await exported(format);
  const info = JSON.parse((await desk.run("info", path, "--json")).out);
  assert.equal(info.frames, motion.frames);
  const made = await commanded(path);
  const compared = JSON.parse((await desk.run("compare", path, made, "--json")).out);
  // Metres over all joints; BVH files keep six digits, and steps in between are written as BVH.
  assert.ok(compared.l2p < 0.005, `the command line makes another motion: ${compared.l2p} m`);
}

/** Where a point of the stage is on the page. */
export function project(point) {
  return page.evaluate(([x, y, z]) => {
    const { stage } = window.ugoki;
    const { left, top, width, height } = stage.canvas.getBoundingClientRect();
    const at = stage.camera.position.clone().set(x, y, z).project(stage.camera);
    return [left + ((at.x + 1) / 2) * width, top + ((1 - at.y) / 2) * height];
  }, point);
}

/** Waits until the camera, which goes after the figure by and by, has come to rest: before that a point is soon elsewhere on the page. */
export async function rest() {
  const eye = () => page.evaluate(() => window.ugoki.stage.camera.matrixWorld.elements.map((value) => value.toFixed(4)).join());
  for (let last = "", now = await eye(); now !== last; now = await eye()) {
    last = now;
    await shown(page, 3);
  }
}

/** Where a joint is on the stage at a frame that was drawn. */
export function jointAt(role, frame) {
  return page.evaluate(([role, frame]) => {
    const { studio } = window.ugoki;
    const at = 7 * studio.stage.motion.joints.findIndex((joint) => joint.role === role);
    return [...studio.motion.at(frame).subarray(at, at + 3)];
  }, [role, frame]);
}

/** Drops files on an element; each has a name and bytes, or a size. */
export function drop(selector, files) {
  const sent = files.map(({ name, bytes, size }) => ({ name, size, text: bytes?.toString("base64") }));
  return page.evaluate(([selector, files]) => {
    const carried = new DataTransfer();
    for (const { name, text, size } of files) {
      const bytes = text === undefined ? new Uint8Array(size) : Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      carried.items.add(new File([bytes], name));
    }
    const event = new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true });
    document.querySelector(selector).dispatchEvent(event);
  }, [selector, sent]);
}

/** Drags from one place of the page to another, with a key held. */
export async function drag(from, to, key = null) {
  await page.mouse.move(...from);
  if (key) await page.keyboard.down(key);
  await page.mouse.down();
  await page.mouse.move(...to, { steps: 8 });
  await page.mouse.up();
  if (key) await page.keyboard.up(key);
}
