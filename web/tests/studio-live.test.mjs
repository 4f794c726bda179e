// Perform with a live performer: another process sends VMC, as an app of a motion capture suit does.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { after, before, test } from "node:test";

import { alive, begin, desk, end, fresh, page, sameAsCommands, stage } from "./studio-acts.mjs";
import { changes, figure, shown } from "./studio-desk.mjs";

const senders = new Set();
before(begin);
after(async () => {
  senders.forEach((sender) => sender.kill("SIGINT"));
  await end();
});

/** A port without a listener. */
function freePort() {
  return new Promise((resolve) => {
    const socket = createSocket("udp4").bind(0, "127.0.0.1", () => {
      const { port } = socket.address();
      socket.close(() => resolve(port));
    });
  });
}

/** A performer that does a sample motion again and again; gives how to end it. */
function performer(clip, port) {
  const child = spawn(process.env.UGOKI_BINARY, ["stream", `sample#${clip}`, "--loop", "--output", `vmc:${port}`], { cwd: desk.folder, stdio: "ignore" });
  senders.add(child);
  return () => {
    senders.delete(child);
    child.kill("SIGINT");
  };
}

/** Brightness at the performer's chest, and as far away on the other side of the actor. */
function brightness() {
  return page.evaluate(() => {
    const { stage, studio } = window.ugoki;
    const { motion, pose } = studio.live.performer;
    const at = 7 * motion.joints.findIndex((joint) => joint.role === "chest");
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [stage.canvas.width, stage.canvas.height];
    const pen = copy.getContext("2d");
    pen.drawImage(stage.canvas, 0, 0);
    return [-1.1, 1.1].map((x) => {
      const point = stage.camera.position.clone().set(pose[at] + x, pose[at + 1], pose[at + 2]).project(stage.camera);
      const [left, top] = [((point.x + 1) / 2) * copy.width, ((1 - point.y) / 2) * copy.height];
      const { data } = pen.getImageData(left - 3, top - 3, 7, 7);
      return data.reduce((sum, value) => sum + value, 0) / data.length;
    });
  });
}

const waits = (what, value) => page.waitForFunction(what, value, { timeout: 240_000, polling: 50 });

test("a performer is heard, imitates after a count-in, is learned from, drives the actor and is written down", async () => {
  await fresh("wave", "perform");
  const port = await freePort();
  await page.getByLabel("UDP port").fill(String(port));
  await page.getByLabel("UDP port").press("Tab");
  await page.getByRole("button", { name: "Listen", exact: true }).click();
  await page.getByRole("button", { name: "Stop listening" }).waitFor();
  assert.match(await page.locator(".tool .facts").last().textContent(), new RegExp(`127.0.0.1:${port}`));
  // Begun when the count-in ends, as a person does.
  let stop = performer("idle", port);
  await waits(() => window.ugoki.studio.live.performer?.pose);
  await shown(page, 3);
  await page.evaluate(() => {
    window.counted = [];
    window.ugoki.studio.on("live", () => window.counted.push(window.ugoki.studio.live.count));
  });
  stop();
  await page.getByRole("button", { name: "Record an imitation" }).click();
  await page.locator(".count-in").waitFor();
  await waits(() => window.ugoki.studio.playing);
  stop = performer("wave", port);
  const counted = (await page.evaluate(() => window.counted)).filter((count) => count !== null);
  assert.deepEqual([...new Set(counted)], [3, 2, 1]);
  await changes(page, () => waits(() => window.ugoki.studio.document.steps[0]?.action === "learn"));
  const learned = await page.evaluate(() => window.ugoki.studio.document.steps[0].inputs[1]);
  assert.equal(learned, "#wave-imitation");
  assert.equal((await stage()).problem, null, JSON.stringify((await stage()).problem));
  assert.ok((await page.locator(".table tbody tr").count()) > 1, "the table of pieces");
  // Live: performer and actor side by side.
  await page.getByRole("button", { name: "Drive the actor" }).click();
  await waits(() => window.ugoki.studio.live.actor?.pose && window.ugoki.studio.live.pulse?.recognised);
  await shown(page, 3);
  const actor = await figure(page);
  assert.ok(actor.filled > 0.008 && actor.tall > 0.35, JSON.stringify(actor));
  const [performer_, empty] = await brightness();
  assert.ok(performer_ > empty + 12, `brightness ${performer_} where the performer stands, ${empty} where the stage is empty`);
  const poses = await page.evaluate(() => [...window.ugoki.studio.live.actor.pose]);
  await waits((old) => window.ugoki.studio.live.actor.pose.some((value, at) => Math.abs(value - old[at]) > 0.01), poses);
  const delays = [];
  for (let n = 0; n < 20; n += 1) {
    await shown(page, 2);
    const { recognised, delay_ms } = await page.evaluate(() => window.ugoki.studio.live.pulse);
    assert.equal(recognised.motion, "wave");
    delays.push(delay_ms);
  }
  delays.sort((a, b) => a - b);
  console.log(`live: from arrival to sending to the page, worst of 0.1 s: median ${delays[10].toFixed(1)} ms, most ${delays.at(-1).toFixed(1)} ms`);
  assert.match(await page.locator(".tool").textContent(), /Confidence\s*\d+ %/);
  // A performance is written down and becomes a step like one from a file.
  await page.getByRole("button", { name: "Record the performance" }).click();
  await waits(() => (window.ugoki.studio.live.pulse?.recorded_s ?? 0) > 3);
  await changes(page, () => page.getByRole("button", { name: "Finish the recording" }).click());
  await waits(() => window.ugoki.studio.document.steps[1]?.action === "run");
  stop();
  await shown(page, 3);
  const { problem, motion, reports } = await stage();
  assert.equal(problem, null);
  assert.ok(motion.frames > 2.5 * motion.fps, `${motion.frames} frames`);
  assert.ok(reports[1].frames.some((frame) => frame.confidence > 0.5));
  await page.getByRole("button", { name: "Stop listening" }).click();
  await page.getByRole("button", { name: "Listen", exact: true }).waitFor();
  await alive(30, 90);
  await sameAsCommands();
  assert.deepEqual(page.problems, []);
});

test("a port that is taken is said in words", async () => {
  const taken = createSocket("udp4");
  await new Promise((resolve) => taken.bind(0, "127.0.0.1", resolve));
  if ((await page.evaluate(() => window.ugoki.studio.document.tool)) !== "perform") {
    await changes(page, () => page.click('[data-tool="perform"]'));
  }
  const open = page.getByRole("button", { name: "Stop listening" });
  if ((await open.count()) > 0) await open.click();
  await page.getByLabel("UDP port").fill(String(taken.address().port));
  await page.getByLabel("UDP port").press("Tab");
  await page.getByRole("button", { name: "Listen", exact: true }).click();
  await page.locator(".notice.bad").waitFor();
  assert.match(await page.locator(".notice").textContent(), /port \d+ cannot be listened at/);
  taken.close();
});
