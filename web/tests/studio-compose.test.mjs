// Compose as a person uses it: keys dropped on two layers, a search, cards to choose from.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { alive, begin, desk, end, fresh, page, sameAsCommands, stage } from "./studio-acts.mjs";
import { changes, figure, shown } from "./studio-desk.mjs";

before(begin);
after(end);

const draft = () => page.evaluate(() => JSON.parse(window.ugoki.studio.document.files["draft.json"] ?? "null"));
const thumbnails = () =>
  page.locator(".thumbnail").evaluateAll((all) =>
    all.map((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let [drawn, sum] = [0, 0];
      for (let at = 3; at < data.length; at += 4) if (data[at] > 60) [drawn, sum] = [drawn + 1, sum + at];
      return { filled: drawn / (canvas.width * canvas.height), sum };
    }),
  );

test("keys are dropped, added, dragged and taken away on two layers", async () => {
  await fresh("walk", "compose");
  const lane = page.locator('.lane[data-layer="upper"]');
  const box = await lane.boundingBox();
  // A clip from the list, dropped at two tenths of ten seconds.
  await changes(page, () => page.locator('[data-clip="wave"]').dragTo(lane, { targetPosition: { x: 0.2 * box.width, y: 10 } }));
  const [dropped] = (await draft()).key;
  assert.equal(dropped.clip, "wave");
  assert.equal(dropped.layer, "upper");
  assert.ok(Math.abs(dropped.at - 2) < 0.15, `dropped at ${dropped.at} s`);
  // One for the whole body at the playhead.
  await page.evaluate(() => window.ugoki.studio.seek(240));
  await page.getByLabel("Clip", { exact: true }).selectOption("nod");
  await changes(page, () => page.getByRole("button", { name: "Add at the playhead" }).click());
  assert.deepEqual((await draft()).key[1], { at: 4, clip: "nod" });
  // Dragged by a quarter of the lane.
  const block = await page.locator('[data-key="1"]').boundingBox();
  await page.mouse.move(block.x + 8, block.y + 8);
  await changes(page, async () => {
    await page.mouse.down();
    await page.mouse.move(block.x + 8 + 0.25 * box.width, block.y + 8, { steps: 5 });
    await page.mouse.up();
  });
  assert.ok(Math.abs((await draft()).key[1].at - 6.5) < 0.15, JSON.stringify(await draft()));
  // Another one, on the legs, comes and goes, and undoing brings it back.
  await page.getByLabel("Layer", { exact: true }).selectOption("lower");
  await page.getByLabel("Clip", { exact: true }).selectOption("squat");
  await changes(page, () => page.getByRole("button", { name: "Add at the playhead" }).click());
  assert.equal((await draft()).key.length, 3);
  await changes(page, () => page.locator('[data-key="2"] .key-remove').click());
  assert.equal((await draft()).key.length, 2);
  await changes(page, () => page.keyboard.press("Control+z"));
  assert.equal((await draft()).key[2].clip, "squat");
  await changes(page, () => page.locator('[data-key="2"] .key-remove').click());
});

test("the search shows cards while it runs; one is picked, another compared and kept; the command line makes the same", async () => {
  await page.getByLabel("How many").fill("4");
  await page.evaluate(() => {
    const { studio } = window.ugoki;
    window.seen = [];
    studio.on("candidates", () => window.seen.push(studio.candidates.filter(Boolean).length));
    studio.on("progress", (progress) => progress !== null && window.seen.push("progress"));
  });
  await changes(page, () => page.getByRole("button", { name: "Search", exact: true }).click());
  const seen = await page.evaluate(() => window.seen.filter((one) => typeof one === "number" && one > 0));
  assert.ok(seen.includes(1) && seen.includes(2), `cards came all at once: ${seen}`);
  const { candidates, motion, reports } = await stage();
  assert.equal(await page.locator(".card").count(), candidates.length);
  assert.ok(candidates.length >= 2 && candidates.length <= 4);
  assert.equal(motion.frames, Math.round(10 * motion.fps), "ten seconds");
  // Keys stand where they were put.
  for (const { report } of candidates) {
    for (const key of report.keys) assert.ok(Math.abs(key.at_s - key.wanted_s) < 0.02, JSON.stringify(key));
  }
  assert.ok(reports[0].diversity > 0.2, `they differ in ${reports[0].diversity}`);
  assert.ok((await page.locator(".strip").count()) > 6, "what fills the gaps is shown");
  await alive(60, 130);
  // Every card has a figure in it that moves.
  const before = await thumbnails();
  await page.evaluate(() => window.ugoki.studio.seek(160));
  await shown(page, 4);
  const moved = await thumbnails();
  before.forEach((one, at) => {
    assert.ok(one.filled > 0.02 && one.filled < 0.5, `card ${at + 1} is filled by ${one.filled}`);
    assert.notEqual(one.sum, moved[at].sum, `card ${at + 1} stands still`);
  });
  await changes(page, () => page.locator('.card[data-place="1"] .thumbnail').click());
  assert.equal((await stage()).motion.stream, candidates[1].motion.stream);
  assert.equal(await page.locator('.card[data-place="1"]').getAttribute("aria-selected"), "true");
  // Two side by side.
  const alone = await figure(page);
  await page.locator('.card[data-place="0"]').getByRole("button", { name: "Compare" }).click();
  await shown(page, 3);
  const both = await figure(page);
  assert.ok(both.filled > 1.5 * alone.filled, `${alone.filled} of the stage alone, ${both.filled} together`);
  await page.locator('.card[data-place="0"]').getByRole("button", { name: "Compare" }).click();
  await sameAsCommands();
  await changes(page, () => page.click('[data-tool="compose"]'));
  await page.locator('.card[data-place="0"]').getByRole("button", { name: "Keep" }).click();
  await page.locator('[data-clip="performance-1"]').waitFor();
  const database = join(desk.folder, "data/ugoki/studio.ugoki");
  const kept = JSON.parse((await desk.run("info", `${database}#performance-1`, "--json")).out);
  assert.equal(kept.frames, candidates[0].motion.frames);
});

test("keys that cannot be filled are explained, and a search can be stopped", async () => {
  await changes(page, () => page.evaluate(() => {
    const { studio } = window.ugoki;
    const text = JSON.stringify({ seconds: 10, key: [{ at: 1, clip: "wave" }, { at: 1.3, clip: "squat" }] });
    studio.edit({ files: { ...studio.document.files, "draft.json": text } }, "keys");
  }));
  await changes(page, () => page.getByRole("button", { name: "Search", exact: true }).click());
  const { problem } = await stage();
  assert.match(problem.message, /wave|squat|key|gap/);
  assert.ok(problem.message.length > 10 && (await page.locator(".tool .problem").count()) === 1);
  await changes(page, () => page.evaluate(() => {
    const { studio } = window.ugoki;
    const key = [2, 9, 17, 25, 33, 41, 49].map((at, n) => ({ at, clip: ["wave", "bow", "nod", "clap", "point-at-you"][n % 5] }));
    studio.edit({ files: { ...studio.document.files, "draft.json": JSON.stringify({ seconds: 60, key }) } }, "keys");
  }));
  await page.getByLabel("How many").fill("16");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.locator(".progress").waitFor({ state: "visible" });
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.locator(".progress").waitFor({ state: "hidden" });
  assert.equal(await page.evaluate(() => window.ugoki.studio.sent), null);
  assert.deepEqual(page.problems, []);
});
