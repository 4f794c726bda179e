// Our glTF, VRM and VRMA files in other people's hands: the Khronos validator, three.js, three-vrm.
//
// UGOKI_GLTF_FOLDER holds files written by the example `gltf_files` and `expected.json`: where every joint is.

import assert from "node:assert/strict";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";

import validator from "gltf-validator";
import { chromium } from "playwright-core";

const folder = process.env.UGOKI_GLTF_FOLDER;
const web = join(import.meta.dirname, "..");
const TENTH_OF_A_MILLIMETRE = 1e-4;
let server, url, browser, page, expected, files;

const PAGE = `<!doctype html><meta charset="utf-8"><title>player</title>
<style>body { margin: 0 } canvas { display: block }</style>
<script type="importmap">{"imports": {
  "three": "/node_modules/three/build/three.module.js",
  "three/addons/": "/node_modules/three/examples/jsm/",
  "@pixiv/three-vrm": "/node_modules/@pixiv/three-vrm/lib/three-vrm.module.js",
  "@pixiv/three-vrm-animation": "/node_modules/@pixiv/three-vrm-animation/lib/three-vrm-animation.module.js"
}}</script>
<script type="module" src="/tests/player.mjs"></script>`;

const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".gltf": "model/gltf+json" };

before(async () => {
  assert.ok(folder, "UGOKI_GLTF_FOLDER names the folder of written files");
  expected = JSON.parse(await readFile(join(folder, "expected.json"), "utf8")).clips;
  files = (await readdir(folder)).filter((name) => name !== "expected.json");
  server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    if (path === "/") return response.setHeader("content-type", "text/html").end(PAGE);
    const place = path.startsWith("/files/") ? join(folder, path.slice(7)) : join(web, path);
    const bytes = await readFile(place).catch(() => null);
    response.statusCode = bytes ? 200 : 404;
    response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream");
    response.end(bytes ?? "");
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  url = `http://127.0.0.1:${server.address().port}/`;
  browser = await chromium.launch({
    executablePath: process.env.UGOKI_BROWSER,
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
  });
  page = await browser.newPage({ viewport: { width: 900, height: 700 } });
  page.on("pageerror", (error) => console.error(String(error)));
  await page.goto(url, { waitUntil: "load" });
  await page.waitForFunction(() => window.ready);
});

after(async () => {
  await browser?.close();
  server?.close();
});

test("the Khronos validator finds nothing wrong", async () => {
  assert.ok(files.length >= 8, `only ${files}`);
  for (const name of files) {
    const report = await validator.validateBytes(new Uint8Array(await readFile(join(folder, name))), {
      ignoredIssues: ["UNSUPPORTED_EXTENSION"],
    });
    const { numErrors, numWarnings, messages } = report.issues;
    assert.equal(numErrors + numWarnings, 0, `${name}: ${JSON.stringify(messages.slice(0, 5), null, 1)}`);
    assert.equal(report.info.animationCount, name.endsWith(".vrm") ? 0 : 1, name);
    if (!name.endsWith(".vrma")) assert.equal(report.info.hasSkins, true, name);
  }
});

for (const ending of ["glb", "gltf"]) {
  test(`three.js puts every joint of our ${ending} where we have it`, async () => {
    for (const clip of expected) {
      const seconds = clip.frames.map((frame) => frame.seconds);
      const found = await page.evaluate(
        ([name, count, seconds]) => window.playModel(name, count, seconds),
        [`/files/${clip.name}.${ending}`, clip.joints.length, seconds],
      );
      const worst = compare(clip, found);
      console.log(`${clip.name}.${ending}: farthest joint ${(worst * 1e3).toFixed(5)} mm`);
    }
  });
}

test("our VRMA moves our VRM mannequin as the clip moves", async () => {
  for (const clip of expected) {
    const seconds = clip.frames.map((frame) => frame.seconds);
    // Eyes turn by look-at in VRMA.
    const roles = Object.keys(clip.roles[0]).filter((role) => !role.endsWith("Eye"));
    assert.ok(roles.length >= 15, `${clip.name}: only ${roles.length} roles`);
    const { places, version } = await page.evaluate(
      ([vrm, vrma, roles, seconds]) => window.playAvatar(vrm, vrma, roles, seconds),
      [`/files/${clip.name}.vrm`, `/files/${clip.name}.vrma`, roles, seconds],
    );
    assert.equal(version, "1", "a VRM 1.0 avatar");
    const frames = clip.roles.map((all, index) => ({ ...clip.frames[index], places: roles.map((role) => all[role]) }));
    const joints = roles.map((name) => ({ name }));
    const worst = compare({ ...clip, joints, frames }, places);
    console.log(`${clip.name}.vrma: farthest of ${roles.length} roles ${(worst * 1e3).toFixed(5)} mm`);
  }
});

test("the mannequin is seen", async () => {
  const out = join(folder, "..", "gltf-pictures");
  await mkdir(out, { recursive: true });
  for (const clip of expected) {
    const filled = await page.evaluate(
      ([name, seconds]) => window.showModel(name, seconds),
      [`/files/${clip.name}.glb`, clip.frames[2].seconds],
    );
    await writeFile(join(out, `${clip.name}.png`), await page.screenshot());
    assert.ok(filled > 0.03 && filled < 0.6, `${clip.name} fills ${filled} of the picture`);
  }
});

/** Farthest distance of any joint, metres; fails where it is too far. */
function compare(clip, found) {
  let worst = 0;
  for (const [index, { frame, places }] of clip.frames.entries()) {
    for (const joint of clip.joints.keys()) {
      assert.ok(found[index][joint], `${clip.joints[joint].name} is missing`);
      const apart = Math.hypot(...places[joint].map((v, axis) => v - found[index][joint][axis]));
      const what = `${clip.name}, frame ${frame}, ${clip.joints[joint].name}`;
      assert.ok(apart < TENTH_OF_A_MILLIMETRE, `${what}: ${apart} m apart`);
      worst = Math.max(worst, apart);
    }
  }
  return worst;
}
