// The behaviors in Chromium and Firefox, one after the other.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { NDArray, writeNPY } from "../dist/node.js";
import { serve } from "./server.mjs";

const { NPY_BROWSER, NPY_FIREFOX } = process.env;
const server = await serve(new URL("..", import.meta.url).pathname);
writeNPY(NDArray.from(Float64Array.of(9, 9, 9, 0, 1, 2, 3, 4, 5, 9, 9, 9), { shape: [4, 3] }), new URL("made/image.npy", import.meta.url).pathname);

/** The browsers, with the options that keep them quiet. */
const browsers = [
  {
    name: "Chromium",
    program: NPY_BROWSER ?? "chromium",
    options: (profile) => ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", `--user-data-dir=${profile}`],
  },
  {
    name: "Firefox",
    program: NPY_FIREFOX ?? "firefox-esr",
    options: (profile) => {
      const settings = { "browser.aboutwelcome.enabled": false, "browser.shell.checkDefaultBrowser": false, "datareporting.policy.dataSubmissionEnabled": false, "toolkit.telemetry.reportingpolicy.firstRun": false, "app.update.auto": false };
      writeFileSync(join(profile, "user.js"), Object.entries(settings).map(([key, value]) => `user_pref("${key}", ${value});\n`).join(""));
      return ["--headless", "--no-remote", "--profile", profile];
    },
  },
];

/** Firefox has variables for what Chromium has an option for: in a container, a sandbox may not start. */
const ENVIRONMENT = { MOZ_DISABLE_CONTENT_SANDBOX: "1", MOZ_DISABLE_SOCKET_PROCESS_SANDBOX: "1" };

/** How long a browser may be silent: it may share two slow cores with compilers. */
const PATIENCE = 600_000;

/** Opens the page of the behaviors, and returns what it found. */
async function run({ program, options }) {
  const profile = mkdtempSync(join(tmpdir(), "npy-js-browser-"));
  const browser = spawn(program, [...options(profile), `${server.url}/test/browser.html`], { stdio: "ignore", detached: true, env: { ...process.env, ...ENVIRONMENT } });
  let running = true;
  // A program that is not there has an error, and no end.
  const ended = new Promise((done) => browser.once("exit", done).once("error", done)).then(() => (running = false));
  let patience;
  try {
    return await new Promise((done, fail) => {
      server.done = done;
      browser.once("error", fail);
      ended.then(() => fail(new Error(`${program} ended before the page did`)));
      patience = setTimeout(() => fail(new Error(`${program} did not answer within ten minutes`)), PATIENCE);
    });
  } finally {
    // With the processes that it started.
    if (running) process.kill(-browser.pid, "SIGKILL");
    await ended;
    clearTimeout(patience);
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

// All pages are run before there is a test: when the tests so far have passed, Node takes the file as done.
const found = [];
for (const browser of browsers) {
  for (const result of await run(browser)) found.push({ browser: browser.name, ...result });
}
server.close();

for (const { browser, name, problem } of found) {
  test(`${browser}: ${name}`, () => {
    if (problem !== undefined) throw new Error(problem);
  });
}
