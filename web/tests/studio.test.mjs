// The studio as a person uses it, tool by tool: numbers from the library, pixels on the stage, files that the command
// line reads.

import assert from "node:assert/strict";
import { copyFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { alive, begin, choose, commanded, desk, end, exported, fresh, move, page, sameAsCommands, stage, tool } from "./studio-acts.mjs";
import { changes, figure, openDesk, seek, shown } from "./studio-desk.mjs";

before(begin);
after(end);

test("a figure stands on the stage and moves, and nothing is wrong with the page", async () => {
  await fresh("walk", "clean");
  await alive(10, 40);
  const frames = await page.evaluate(() => {
    window.ugoki.studio.play(true);
    return window.ugoki.studio.frame;
  });
  await page.waitForFunction((from) => window.ugoki.stage.drawn.frame !== Math.round(from), frames, { polling: 50 });
  await shown(page, 5);
  assert.deepEqual(page.problems, []);
  assert.ok((await page.locator(".clip").count()) > 20);
  await page.getByLabel("Search clips").fill("kick");
  assert.equal(await page.locator(".clip").count(), 2);
  await page.getByLabel("Search clips").fill("");
});

test("clean: a wider kernel changes more, the original stays as a ghost, and the command line agrees", async () => {
  await fresh("throw", "clean");
  await changes(page, () => page.getByLabel("Kernel").selectOption("gauss"));
  const change = async () => (await stage()).reports[0].filter.largest_change_deg;
  const narrow = await change();
  await move("Width", 10);
  const wide = await change();
  assert.ok(wide > 2 * narrow && narrow > 0, `${narrow}° and ${wide}°`);
  assert.equal((await stage()).reports[0].filter.taps, 61);
  await alive(60, 80);
  // The ghost is there to see.
  const picture = async () => page.locator(".stage canvas").screenshot();
  const withGhost = await picture();
  await page.getByRole("button", { name: "Show the original as a ghost" }).click();
  await shown(page);
  assert.notDeepEqual(await picture(), withGhost);
  await page.getByRole("button", { name: "Show the original as a ghost" }).click();
  // Bands: the lowest gain at zero takes the large movement out.
  const bands = page.locator(".band input");
  await bands.first().waitFor();
  assert.ok((await bands.count()) >= 5);
  await changes(page, () => bands.nth(1).fill("0.4"));
  assert.equal((await stage()).reports[1].bands[1].gain, 0.4);
  await sameAsCommands();
});

test("clean: what cannot be done is said in the tool, and the motion before stays", async () => {
  await fresh("nod", "clean");
  await changes(page, () => page.getByLabel("Kernel").selectOption("box"));
  await move("Width", 101);
  const { problem, motion } = await stage();
  if (motion.frames < 101) {
    assert.match(await page.locator(".tool .problem").textContent(), /taps/);
    assert.match(problem.hint, /at most/);
  }
  await move("Width", 5);
  assert.equal(await page.locator(".tool .problem").count(), 0);
});

test("blend: sliders and pad change the weights, feet are held, and the command line agrees", async () => {
  await fresh("walk", "blend");
  await changes(page, () => page.getByLabel("Add a clip…").selectOption("walk-fast"));
  const half = (await stage()).motion.path.at(-1);
  await move("walk-fast", 1.5);
  await move("walk", 0);
  const more = (await stage()).motion;
  assert.ok(Math.hypot(...more.path.at(-1)) > Math.hypot(...half), "more of the fast walk goes farther");
  await alive(10, 40);
  await changes(page, () => page.getByLabel("Add a clip…").selectOption("walk-slow"));
  // Above the row of saving.
  await page.locator(".pad").evaluate((pad) => pad.scrollIntoView({ block: "center" }));
  const pad = await page.locator(".pad").boundingBox();
  await changes(page, () => page.mouse.click(pad.x + 0.5 * pad.width, pad.y + 0.14 * pad.height));
  const weights = await page.evaluate(() => window.ugoki.studio.document.steps[0].weights.split(",").map(Number));
  assert.deepEqual(weights, [1, 0, 0], "the point stands on the first clip");
  await sameAsCommands();
});

test("segment: cuts are found, dragged and kept as clips", async () => {
  await fresh("knife-hand", "segment");
  await changes(page, () => page.getByRole("button", { name: "Find the cuts" }).click());
  const cuts = await page.evaluate(() => window.ugoki.studio.document.cuts);
  assert.ok(cuts.length >= 1);
  const box = await page.locator(".time-canvas").boundingBox();
  const frames = (await stage()).motion.frames;
  const x = (frame) => box.x + 14 + (frame / (frames - 1)) * (box.width - 28);
  await page.mouse.move(x(cuts[0]), box.y + 60);
  await changes(page, async () => {
    await page.mouse.down();
    await page.mouse.move(x(cuts[0] + 3), box.y + 60, { steps: 3 });
    await page.mouse.up();
  });
  const dragged = await page.evaluate(() => window.ugoki.studio.document.cuts);
  assert.ok(Math.abs(dragged[0] - (cuts[0] + 3)) <= 1, `${cuts[0]} went to ${dragged[0]}`);
  const names = await page.locator(".piece input").evaluateAll((fields) => fields.map((field) => field.value));
  await page.getByRole("button", { name: "Save the pieces" }).click();
  await page.locator(`[data-clip="${names[0]}"]`).waitFor();
  const database = join(desk.folder, "data/ugoki/studio.ugoki");
  const list = JSON.parse((await desk.run("db", "list", database, "--json")).out).clips;
  const kept = names.map((name) => list.find((clip) => clip.name === name)?.frames ?? 0);
  assert.equal(kept.reduce((a, b) => a + b, 0), frames, "the pieces together are the whole");
  assert.equal(kept[0], dragged[0]);
});

test("walk: a footprint is dragged and the foot lands there, at once", async () => {
  await fresh("walk", "walk");
  await changes(page, () => page.getByRole("button", { name: "Walk with these feet" }).click());
  await seek(page, 90);
  await page.getByRole("button", { name: /Frame the figure/ }).click();
  await shown(page, 4);
  const planned = (await stage()).reports[0].steps.map((step) => step.planned);
  // The nearest footprint that is seen on the stage.
  const target = await page.evaluate((steps) => {
    const { stage } = window.ugoki;
    const { width, height } = stage.canvas.getBoundingClientRect();
    const project = ([x, y, z]) => {
      const point = stage.camera.position.clone().set(x, y, z + 0.05).project(stage.camera);
      return [((point.x + 1) / 2) * width, ((1 - point.y) / 2) * height];
    };
    const seen = steps.map((step, index) => ({ index, at: project(step), by: project([step[0] + 0.06, step[1], step[2]]) }));
    const inside = seen.filter(({ at }) => at[0] > 60 && at[0] < width - 60 && at[1] > 60 && at[1] < height - 60);
    const middle = ({ at }) => Math.hypot(at[0] - width / 2, at[1] - height / 2);
    return inside.sort((a, b) => middle(a) - middle(b))[0];
  }, planned);
  const box = await page.locator(".stage canvas").boundingBox();
  await page.evaluate(() => (window.ugoki.studio.latencies.length = 0));
  await page.mouse.move(box.x + target.at[0], box.y + target.at[1]);
  await changes(page, async () => {
    await page.mouse.down();
    await page.mouse.move(box.x + target.by[0], box.y + target.by[1], { steps: 12 });
    await page.mouse.up();
  });
  const steps = (await stage()).reports[0].steps;
  const moved = steps[target.index].planned[0] - planned[target.index][0];
  assert.ok(Math.abs(moved - 0.06) < 0.03, `the step moved by ${moved} m`);
  const { reached, planned: wanted } = steps[target.index];
  assert.ok(Math.hypot(reached[0] - wanted[0], reached[2] - wanted[2]) < 0.005, "the foot is where its print is");
  const latencies = await page.evaluate(() => [...window.ugoki.studio.latencies].sort((a, b) => a - b));
  console.log(`drag to poses: median ${latencies[latencies.length >> 1].toFixed(0)} ms, most ${latencies.at(-1).toFixed(0)} ms (${latencies.length} edits)`);
  await alive(60, 110);
  await sameAsCommands();
});

test("react: a push that is dragged from the body shows in the margin of balance", async () => {
  await fresh("idle", "react");
  await seek(page, 60);
  await page.getByRole("button", { name: /Frame the figure/ }).click();
  await shown(page, 4);
  const chest = await page.evaluate(() => {
    const { stage, studio } = window.ugoki;
    const joint = studio.stage.motion.joints.findIndex((joint) => joint.role === "chest");
    const pose = studio.motion.at(60);
    const { width, height } = stage.canvas.getBoundingClientRect();
    const point = stage.camera.position.clone().set(...pose.subarray(7 * joint, 7 * joint + 3)).project(stage.camera);
    return [((point.x + 1) / 2) * width, ((1 - point.y) / 2) * height];
  });
  const box = await page.locator(".stage canvas").boundingBox();
  await page.mouse.move(box.x + chest[0], box.y + chest[1]);
  await changes(page, async () => {
    await page.mouse.down();
    await page.mouse.move(box.x + chest[0] + 60, box.y + chest[1] - 6, { steps: 4 });
    await page.mouse.up();
  });
  const { reaction, motion, ghost } = await stage();
  const { pushes } = await page.evaluate(() => window.ugoki.studio.document.steps[0]);
  assert.equal(pushes.length, 1);
  const [at, , ...impulse] = pushes[0].split(",");
  assert.equal(at, "60f");
  assert.ok(Math.hypot(...impulse.map(Number)) > 5);
  const calm = Math.min(...reaction.margin_m.slice(10, 55).filter((margin) => margin !== null));
  const hit = Math.min(...reaction.margin_m.slice(60, 100).filter((margin) => margin !== null));
  assert.ok(hit < calm, `the margin is ${calm} m before the push and ${hit} m after it`);
  assert.equal(ghost.frames, motion.frames);
  await alive(62, 90);
  await move("Backpack", 10);
  assert.equal((await stage()).reports[0].loads[0].mass_kg, 10);
  await sameAsCommands();
});

test("export: every format is a file that the command line reads", async () => {
  await fresh("wave", "clean");
  const { frames } = (await stage()).motion;
  for (const format of ["bvh", "glb", "vrma"]) {
    const info = await desk.run("info", await exported(format), "--json");
    assert.equal(info.code, 0, info.out);
    assert.equal(JSON.parse(info.out).frames, frames, format);
    await sameAsCommands(format);
  }
  const path = await exported("gif");
  const gif = await readFile(path);
  assert.equal(gif.subarray(0, 6).toString(), "GIF89a");
  assert.deepEqual(await readFile(await commanded(path)), gif, "the command line draws another picture");
  await page.locator("input[name=format][value=bvh]").check();
  await page.waitForFunction(() => /^ugoki convert .*#wave wave\.bvh$/.test(document.querySelector(".command pre").textContent), null, { polling: 50 });
});

test("dropped files become clips; what is no motion is named", async () => {
  const path = join(desk.folder, "a squat.bvh");
  assert.equal((await desk.run("convert", "sample#squat", path)).code, 0);
  await changes(page, () => page.locator("input[type=file]").setInputFiles(path));
  assert.equal((await stage()).motion.name, "a squat");
  await page.locator("input[type=file]").setInputFiles({ name: "no.bvh", mimeType: "text/plain", buffer: Buffer.from("HIERARCHY\n") });
  await page.locator(".notice.bad").waitFor();
  assert.match(await page.locator(".notice").textContent(), /no\.bvh/);
  await page.getByRole("button", { name: "Dismiss" }).click();
});

test("everything can be undone and redone, and survives a reload and a crash of the server", async () => {
  await fresh("nod", "clean");
  await changes(page, () => page.getByLabel("Kernel").selectOption("binomial"));
  await page.getByLabel("Name of the result").fill("my nod");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator('[data-clip="my nod"]').waitFor();
  await page.keyboard.press("Escape");
  await page.locator("body").click({ position: { x: 500, y: 20 } });
  await page.keyboard.press("Control+z");
  await page.locator('[data-clip="my nod"]').waitFor({ state: "detached" });
  await changes(page, () => page.keyboard.press("Control+z"));
  assert.equal(await page.getByLabel("Kernel").inputValue(), "none");
  await changes(page, () => page.keyboard.press("Control+Shift+z"));
  await page.keyboard.press("Control+Shift+z");
  await page.locator('[data-clip="my nod"]').waitFor();
  await page.reload();
  await shown(page);
  assert.equal(await page.getByLabel("Kernel").inputValue(), "binomial");
  await desk.crash();
  await changes(page, () => desk.revive());
  assert.equal(await page.getByLabel("Kernel").inputValue(), "binomial");
  assert.equal(await page.locator('[data-clip="my nod"]').count(), 1);
  const left = await page.evaluate(() => window.ugoki.studio.undo);
  assert.match(left, /my nod/, "the history is there too");
  page.problems.length = 0;
});

test("two pages show the same document", async () => {
  const other = await desk.page();
  await changes(other, () => choose("wave"));
  assert.equal(await other.evaluate(() => window.ugoki.studio.stage.motion.name), "wave");
  await other.context().close();
});

test("Japanese, light and dark, and every control has a name", async () => {
  const nameless = () =>
    page.evaluate(() =>
      [...document.querySelectorAll("button, input:not([hidden]), select, canvas, [role=slider]")]
        .filter((element) => !(element.getAttribute("aria-label") || element.textContent.trim() || element.labels?.length))
        .map((element) => element.outerHTML.slice(0, 120)),
    );
  for (const name of ["clean", "blend", "segment", "edit", "walk", "compose", "react", "perform", "export"]) {
    if ((await page.evaluate(() => window.ugoki.studio.document.tool)) !== name) await tool(name);
    assert.deepEqual(await nameless(), [], name);
  }
  await page.getByRole("button", { name: "日本語" }).click();
  assert.equal(await page.locator('[data-tool="clean"]').textContent(), "整える");
  assert.equal(await page.evaluate(() => document.documentElement.lang), "ja");
  await page.getByRole("button", { name: "English" }).click();
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await back();
  await page.getByRole("button", { name: "Light or dark" }).click();
  assert.notEqual(await back(), dark);
  await page.getByRole("button", { name: "Light or dark" }).click();
});

test("keys play, step and frame; drawing takes less than 8 ms of the main thread", async () => {
  await fresh("walk", "clean");
  await seek(page, 20);
  await page.locator(".stage canvas").focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => window.ugoki.stage.drawn.frame === 21, null, { polling: 50 });
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.ugoki.studio.playing && window.ugoki.stage.drawn.frame !== 21, null, { polling: 50 });
  const times = [];
  for (let n = 0; n < 20; n += 1) {
    await shown(page, 1);
    times.push(await page.evaluate(() => window.ugoki.stage.drawn.milliseconds));
  }
  times.sort((a, b) => a - b);
  console.log(`drawing one figure: median ${times[10].toFixed(1)} ms of the main thread`);
  assert.ok(times[10] < 8, `${times[10]} ms`);
});

test("a copied binary in an empty folder serves the real page", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ugoki-alone-"));
  const binary = join(folder, "ugoki");
  await copyFile(process.env.UGOKI_BINARY, binary);
  const alone = await openDesk({ binary });
  try {
    const text = await (await fetch(alone.url)).text();
    const script = text.match(/src="(\/assets\/[^"]+\.js)"/);
    assert.ok(script, "the page has no script: was web/dist built before the binary?");
    const answer = await fetch(new URL(script[1], alone.url));
    assert.equal(answer.status, 200);
    assert.ok((await answer.text()).length > 100_000);
    assert.deepEqual(await readdir(folder), ["ugoki"], "nothing was written next to it");
  } finally {
    await alone.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test("an avatar that is dropped plays the motion instead of the mannequin", async () => {
  const folder = process.env.UGOKI_GLTF_FOLDER;
  const bytes = (await readFile(join(folder, "walk.vrm"))).toString("base64");
  await fresh("wave", "clean");
  await page.evaluate(async (text) => {
    const binary = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    await window.ugoki.wear(new File([binary], "avatar.vrm"));
  }, bytes);
  await seek(page, 60);
  const heights = await page.evaluate(() => {
    const { stage, studio } = window.ugoki;
    const at = studio.stage.motion.joints.findIndex((joint) => joint.role === "rightHand");
    const pose = studio.motion.at(60);
    return { hand: stage.avatar.where("rightHand"), head: stage.avatar.where("head"), ours: [...pose.subarray(7 * at, 7 * at + 3)] };
  });
  // The file's mannequin has the proportions of the sample body.
  assert.ok(Math.hypot(...heights.hand.map((x, i) => x - heights.ours[i])) < 0.12, JSON.stringify(heights));
  const shown = await figure(page);
  assert.ok(shown.filled > 0.005 && shown.tall > 0.3, JSON.stringify(shown));
  await page.getByRole("button", { name: "Back to the mannequin" }).click();
  assert.equal(await page.evaluate(() => window.ugoki.stage.avatar), null);
});

test("perform: an actor follows a performer, side by side", async () => {
  await fresh("wave", "perform");
  await changes(page, () => page.getByLabel("Imitation", { exact: true }).selectOption("wave"));
  assert.ok((await page.locator(".table tbody tr").count()) > 1);
  await changes(page, () => page.getByLabel("Performance", { exact: true }).selectOption("wave"));
  const { reports, motion, ghost } = await stage();
  assert.equal(reports[1].frames.length, motion.frames);
  assert.equal(ghost.name, "wave");
  await alive(40, 70);
  assert.match(await page.locator(".tool .facts").first().textContent(), /wave/);
  await sameAsCommands();
});

test("a hundred figures on the stage cost less than 8 ms of the main thread", async () => {
  await fresh("walk", "clean");
  await seek(page, 20);
  await page.getByRole("button", { name: "A hundred figures" }).click();
  await shown(page, 3);
  const count = await page.evaluate(() => window.ugoki.stage.bodies.many.mesh.count);
  assert.ok(count >= 5000, `${count} capsules`);
  const picture = await figure(page);
  assert.ok(picture.wide > 0.5, `the crowd is ${picture.wide} of the stage wide`);
  const times = [];
  for (let n = 0; n < 15; n += 1) {
    await page.keyboard.press("ArrowRight");
    await shown(page, 1);
    times.push(await page.evaluate(() => window.ugoki.stage.drawn.milliseconds));
  }
  times.sort((a, b) => a - b);
  console.log(`drawing 100 figures: least ${times[0].toFixed(1)} ms, median ${times[7].toFixed(1)} ms of the main thread, ${count} capsules`);
  // The least is what it costs; the others also have what else the machine did meanwhile.
  assert.ok(times[0] < 8, `${times[0]} ms`);
  await page.getByRole("button", { name: "A hundred figures" }).click();
});

test("tags are put on and taken off, found by, and undone", async () => {
  await fresh("nod", "clean");
  await page.getByLabel("Add a tag").fill("yes-man, slow");
  await page.getByLabel("Add a tag").press("Enter");
  await page.locator('[data-tag="yes-man"]').waitFor();
  await page.getByLabel("Search clips").fill("yes-man");
  assert.equal(await page.locator(".clip").count(), 1);
  await page.getByLabel("Search clips").fill("");
  const database = join(desk.folder, "data/ugoki/studio.ugoki");
  const tags = async () => JSON.parse((await desk.run("db", "list", database, "--json")).out).clips.find((clip) => clip.name === "nod").tags;
  assert.ok((await tags()).includes("yes-man"));
  await page.locator('[data-tag="yes-man"]').click();
  await page.locator('[data-tag="yes-man"]').waitFor({ state: "detached" });
  assert.ok(!(await tags()).includes("yes-man"));
  await page.locator("body").click({ position: { x: 500, y: 20 } });
  await page.keyboard.press("Control+z");
  await page.locator('[data-tag="yes-man"]').waitFor();
});

test("a skinned GLB that is dropped on the stage plays the motion, and what moves in it is imported", async () => {
  const path = join(desk.folder, "body.glb");
  await copyFile(join(process.env.UGOKI_GLTF_FOLDER, "walk.vrm"), path);
  await fresh("wave", "clean");
  // Without its VRM part it is a skinned GLB like any other.
  const bytes = plainGlb(await readFile(path)).toString("base64");
  await page.evaluate(async (text) => {
    const binary = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const dropped = new DataTransfer();
    dropped.items.add(new File([binary], "body.glb"));
    const target = document.querySelector(".stage canvas");
    target.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
  }, bytes);
  await page.waitForFunction(() => window.ugoki.stage.avatar !== null, null, { polling: 50 });
  await seek(page, 60);
  const places = await page.evaluate(() => {
    const { stage, studio } = window.ugoki;
    const of = (role) => {
      const at = studio.stage.motion.joints.findIndex((joint) => joint.role === role);
      return { theirs: stage.avatar.where(role), ours: [...studio.motion.at(60).subarray(7 * at, 7 * at + 3)] };
    };
    return ["rightHand", "head", "leftFoot"].map(of);
  });
  for (const { theirs, ours } of places) {
    assert.ok(Math.hypot(...theirs.map((x, i) => x - ours[i])) < 0.15, JSON.stringify(places));
  }
  const picture = await figure(page);
  assert.ok(picture.filled > 0.005 && picture.tall > 0.3, JSON.stringify(picture));
  await page.getByRole("button", { name: "Back to the mannequin" }).click();
});

/** A GLB without its extensions. */
function plainGlb(bytes) {
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length).toString());
  delete json.extensions;
  delete json.extensionsUsed;
  delete json.extensionsRequired;
  for (const material of json.materials ?? []) delete material.extensions;
  let text = JSON.stringify(json);
  while (text.length % 4) text += " ";
  const rest = bytes.subarray(20 + length);
  const head = Buffer.alloc(20);
  bytes.copy(head, 0, 0, 20);
  head.writeUInt32LE(20 + text.length + rest.length, 8);
  head.writeUInt32LE(text.length, 12);
  return Buffer.concat([head, Buffer.from(text), rest]);
}

test("walk: a loop repeats its cycle, clips are joined to the end in order, and the command line agrees", async () => {
  await fresh("walk", "walk");
  await changes(page, () => page.getByLabel("Close the best cycle").check());
  const one = (await stage()).motion.frames;
  await move("Repeats", 4);
  const four = (await stage()).motion.frames;
  assert.ok(Math.abs(four / one - 2) < 0.05, `${one} frames twice, ${four} four times`);
  for (const name of ["stop", "wave"]) await changes(page, () => page.getByLabel("Then this clip…").selectOption(name));
  const { motion, reports } = await stage();
  assert.ok(motion.frames > four, "the others come after it");
  assert.equal(reports[1].inputs.length, 3);
  assert.deepEqual(await page.locator(".piece.splice b").allTextContents(), ["stop", "wave"]);
  await alive(20, 60);
  await sameAsCommands();
  await tool("walk");
  await changes(page, () => page.getByRole("button", { name: "wave earlier" }).click());
  assert.deepEqual(await page.locator(".piece.splice b").allTextContents(), ["wave", "stop"]);
});

test("react: a weaker body answers with more of its strength, and arrows show what is corrected", async () => {
  await fresh("idle", "react");
  const push = "60f,chest,0,0,-18";
  await changes(page, () => page.evaluate((p) => {
    const step = { verb: "react", input: "@", output: "", pushes: [p] };
    window.ugoki.studio.edit({ steps: [step] }, "push");
  }, push));
  // Muscles give at most their strength: how much of it, over all joints and frames, is what matters.
  const load = async () => (await stage()).reaction.load.flatMap((row) => row.slice(60, 90)).reduce((sum, x) => sum + x, 0);
  const before = await load();
  const strongest = await page.evaluate(() => {
    const { reaction } = window.ugoki.studio.stage;
    const size = (frame) => Math.max(...reaction.corrections.map((row) => Math.hypot(...row[frame])));
    return Array.from({ length: 60 }, (_, n) => 60 + n).sort((a, b) => size(b) - size(a))[0];
  });
  await seek(page, strongest);
  assert.ok((await page.evaluate(() => window.ugoki.stage.drawn.corrections)) > 0, "no arrow at the strongest correction");
  await move("Strength", 0.6);
  assert.equal(await page.evaluate(() => window.ugoki.studio.document.files["body.toml"]), "strength = 0.6\n");
  assert.ok((await load()) > before, `${before} at full strength, ${await load()} at 60 %`);
  await sameAsCommands();
});
