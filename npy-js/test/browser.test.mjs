// The behaviors in Chromium, which `NPY_BROWSER` names.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { NDArray, writeNPY } from "../dist/node.js";
import { serve } from "./server.mjs";

const server = await serve(new URL("..", import.meta.url).pathname);
const profile = mkdtempSync(join(tmpdir(), "npy-js-browser-"));
writeNPY(NDArray.from(Float64Array.of(9, 9, 9, 0, 1, 2, 3, 4, 5, 9, 9, 9), { shape: [4, 3] }), new URL("made/image.npy", import.meta.url).pathname);
const results = new Promise((done, fail) => {
  server.done = done;
  setTimeout(() => fail(new Error("the browser did not answer within a minute")), 60_000).unref();
});
const options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = spawn(process.env.NPY_BROWSER ?? "chromium", [...options, `--user-data-dir=${profile}`, `${server.url}/test/browser.html`], { stdio: "ignore" });

after(async () => {
  const ended = new Promise((done) => browser.once("exit", done));
  browser.kill();
  await ended;
  server.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
});

for (const { name, problem } of await results) {
  test(`Chromium: ${name}`, () => {
    if (problem !== undefined) throw new Error(problem);
  });
}
