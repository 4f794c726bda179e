// What a person does in the studio, and what is looked at afterwards; one studio and one page for a file of tests.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { changes, figure, openDesk, seek } from "./studio-desk.mjs";

export let desk, page;

export async function begin() {
  desk = await openDesk();
  page = await desk.page();
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
  assert.ok(first.share > 0.008 && first.share < 0.3, `the figure fills ${first.share} of the stage`);
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
  const coming = page.waitForEvent("download");
  await page.click(`[data-format="${format}"]`);
  const download = await coming;
  const path = join(desk.folder, `exported-${download.suggestedFilename()}`);
  await download.saveAs(path);
  return path;
}

/** The exported BVH has the frames of the stage, and the shown commands make the same motion. */
export async function sameAsCommands() {
  const { motion, commands } = await stage();
  const path = await exported("bvh");
  const info = JSON.parse((await desk.run("info", path, "--json")).out);
  assert.equal(info.frames, motion.frames);
  const script = commands.map((line) => line.replace(/^ugoki /, `'${process.env.UGOKI_BINARY}' `)).join("\n");
  await writeFile(join(desk.folder, "commands.sh"), `set -e\n${script}\n`);
  const ran = spawnSync("sh", ["commands.sh"], { cwd: desk.folder, encoding: "utf8" });
  assert.equal(ran.status, 0, ran.stderr);
  const made = path.replace("exported-", "");
  const compared = JSON.parse((await desk.run("compare", path, made, "--json")).out);
  // Metres over all joints; BVH files keep six digits, and steps in between are written as BVH.
  assert.ok(compared.l2p < 0.005, `the command line makes another motion: ${compared.l2p} m`);
}
