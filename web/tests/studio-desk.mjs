// A studio of the given binary with a database of its own, and pages in a real browser.

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { chromium } from "playwright-core";

/** Window in which the stage is 640×360. */
export const WINDOW = { width: 236 + 640 + 316, height: 44 + 360 + 190 };

/** Longest wait for anything, milliseconds: software rendering on a busy machine draws a frame a second. */
const PATIENCE = Number(process.env.UGOKI_PATIENCE ?? 240_000);

const TYPES = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml" };

/** A studio of this binary; on the user's own database, or on one of this name in a folder of its own. */
export async function openDesk({ binary = process.env.UGOKI_BINARY, database = null } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "ugoki-studio-"));
  const environment = { ...process.env, XDG_DATA_HOME: join(folder, "data"), XDG_CACHE_HOME: join(folder, "cache") };
  const start = async (port = 0) => {
    const words = ["studio", ...(database ? [database] : []), "--port", String(port)];
    const server = spawn(binary, words, { cwd: folder, env: environment });
    const url = await new Promise((resolve, reject) => {
      let text = "";
      server.stdout.on("data", (data) => {
        text += data;
        const found = text.match(/http:\/\/\S+/);
        if (found) resolve(found[0]);
      });
      let errors = "";
      server.stderr.on("data", (data) => (errors += data));
      server.once("exit", (code) => reject(new Error(`the binary ended with ${code}: ${errors}`)));
    });
    server.removeAllListeners("exit");
    server.on("error", () => {});
    return { server, url };
  };
  let { server, url } = await start();
  const browser = await chromium.launch({
    executablePath: process.env.UGOKI_BROWSER,
    args: [
      "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--hide-scrollbars",
      // A page that comes from a folder counts as foreign.
      ...(process.env.UGOKI_WEB_DIST ? ["--disable-features=LocalNetworkAccessChecks"] : []),
    ],
  });
  const desk = {
    folder,
    browser,
    get url() {
      return url;
    },
    /** Ends the server as a crash would. */
    async crash() {
      const gone = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGKILL");
      await gone;
    },
    /** Restarts it at the same port. */
    async revive() {
      ({ server, url } = await start(new URL(url).port));
    },
    /** The command line on the studio's database or files next to it. */
    run(...words) {
      return new Promise((resolve) => {
        const child = spawn(binary, words, { cwd: folder, env: environment });
        let [out, err] = ["", ""];
        child.stdout.on("data", (data) => (out += data));
        child.stderr.on("data", (data) => (err += data));
        child.once("exit", (code) => resolve({ code, out, err }));
      });
    },
    async page(options = {}) {
      const context = await browser.newContext({ viewport: WINDOW, locale: "en-GB", colorScheme: "dark", acceptDownloads: true, ...options });
      const page = await context.newPage();
      page.problems = [];
      page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
      page.on("pageerror", (error) => page.problems.push(String(error)));
      // While the page is worked on it comes from a folder instead of the binary.
      if (process.env.UGOKI_WEB_DIST) {
        await context.route((address) => !/^\/(ws|upload|export)/.test(address.pathname), async (route) => {
          const path = new URL(route.request().url()).pathname;
          const name = path === "/" ? "index.html" : path.slice(1);
          const body = await readFile(join(process.env.UGOKI_WEB_DIST, name)).catch(() => null);
          return body ? route.fulfill({ body, contentType: TYPES[name.split(".").pop()] }) : route.abort();
        });
      }
      await page.goto(url, { waitUntil: "load", timeout: PATIENCE });
      // Standing still costs no drawing.
      await page.evaluate(() => window.ugoki.studio.play(false));
      if (!database) await shown(page);
      return page;
    },
    async close() {
      await browser.close();
      server.kill("SIGINT");
      await rm(folder, { recursive: true, force: true });
    },
  };
  return desk;
}

/** The quantile of a list of values. */
export const quantile = (values, p) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(p * values.length))];

/** Waits until a pose of the stage's motion is drawn, and some frames more. */
export async function shown(page, frames = 2) {
  await page.waitForFunction(() => {
    const { stage, studio } = window.ugoki ?? {};
    return stage && studio.stage && stage.drawn.stream === studio.stage.motion.stream;
  }, null, { timeout: PATIENCE, polling: 50 });
  const count = await page.evaluate(() => window.ugoki.stage.drawn.count);
  await page.waitForFunction((least) => window.ugoki.stage.drawn.count >= least, count + frames, { timeout: PATIENCE, polling: 50 });
}

/** Does something that changes the stage, and waits for the new one. */
export async function changes(page, action) {
  const before = await page.evaluate(() => window.ugoki.studio.stage?.number ?? 0);
  await action();
  const done = (number) => (window.ugoki.studio.stage?.number ?? 0) > number && window.ugoki.studio.sent === null;
  await page.waitForFunction(done, before, { timeout: PATIENCE, polling: 50 }).catch(async (error) => {
    const { sent, stage, document } = await page.evaluate(() => window.ugoki.studio);
    const state = JSON.stringify({ before, sent, stream: stage?.motion.stream, problem: stage?.problem, document });
    throw new Error(`${error.message} ${state} ${await page.locator(".notice").textContent()}`);
  });
  await shown(page);
}

/** Puts the playhead at a frame, stopped, and waits until it is drawn. */
export async function seek(page, frame) {
  await page.evaluate((to) => {
    window.ugoki.studio.play(false);
    window.ugoki.studio.seek(to);
  }, frame);
  await page.waitForFunction((to) => window.ugoki.stage.drawn.frame === to, frame, { timeout: PATIENCE, polling: 50 });
  await shown(page);
}

/** The figure on the stage: where bright pixels of the body are, as fractions of the picture. */
export function figure(page) {
  return page.evaluate(() => {
    const { canvas } = window.ugoki.stage;
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const pen = copy.getContext("2d");
    pen.drawImage(canvas, 0, 0);
    const { data, width, height } = pen.getImageData(0, 0, canvas.width, canvas.height);
    let [count, left, right, top, bottom, sum] = [0, width, 0, height, 0, 0];
    for (let at = 0; at < width * height; at += 1) {
      const [r, g, b, a] = data.subarray(4 * at, 4 * at + 4);
      if (a < 250 || r + g + b < 330) continue;
      const [x, y] = [at % width, Math.floor(at / width)];
      count += 1;
      sum += x;
      [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
    }
    return { filled: count / (width * height), wide: (right - left) / width, tall: (bottom - top) / height, middle: sum / count / width };
  });
}
