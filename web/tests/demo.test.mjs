// The demo page as a person sees it: served by the binary, opened in a real browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { chromium } from "playwright-core";

const binary = process.env.UGOKI_BINARY;
let folder, server, url, browser, blocker;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "ugoki-demo-"));
  // A busy port: the binary must take the next free one.
  blocker = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => blocker.once("listening", resolve));
  const port = blocker.address().port;
  server = spawn(binary, ["demo", folder, "--serve", "--port", String(port)]);
  url = await new Promise((resolve, reject) => {
    let text = "";
    server.stdout.on("data", (data) => {
      text += data;
      const found = text.match(/http:\/\/\S+/);
      if (found) resolve(found[0]);
    });
    server.once("exit", (code) => reject(new Error(`the binary ended with ${code}`)));
  });
  assert.notEqual(new URL(url).port, String(port), "the busy port was not avoided");
  browser = await chromium.launch({
    executablePath: process.env.UGOKI_BROWSER,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
});

after(async () => {
  await browser?.close();
  server?.removeAllListeners("exit");
  server?.kill("SIGINT");
  blocker?.close();
  await rm(folder, { recursive: true, force: true });
});

test("the demo page shows every picture and no link is broken", async () => {
  const page = await browser.newPage();
  const problems = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  const answer = await page.goto(url, { waitUntil: "load" });
  assert.equal(answer.status(), 200);
  const pictures = await page.$$eval("img", (images) =>
    Promise.all(
      images.map(async (image) => {
        image.loading = "eager";
        await image.decode().catch(() => {});
        return { source: image.getAttribute("src"), width: image.naturalWidth, text: image.alt };
      }),
    ),
  );
  assert.ok(pictures.length >= 10, `only ${pictures.length} pictures`);
  for (const { source, width, text } of pictures) {
    assert.ok(width > 0, `${source} is not shown`);
    assert.ok(text.length > 0, `${source} has no alternative text`);
  }
  const links = await page.$$eval("a[href]", (anchors) => anchors.map((anchor) => anchor.href));
  for (const link of new Set(links.filter((link) => link.startsWith(url)))) {
    const { status } = await fetch(link);
    assert.equal(status, 200, link);
  }
  assert.deepEqual(problems, []);
});

test("nothing sticks out of a phone's screen", async () => {
  const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
  await page.goto(url, { waitUntil: "load" });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(overflow <= 0, `${overflow} pixels too wide`);
});

test("only files of the folder are served", async () => {
  for (const path of ["../Cargo.toml", "%2e%2e/Cargo.toml", ".hidden", "no-such-file.png"]) {
    const { status } = await fetch(url + path);
    assert.equal(status, 404, path);
  }
  const { status } = await fetch(url, { method: "POST", body: "x" });
  assert.equal(status, 405);
});
