// The behaviors in Chromium, and in Firefox if `NPY_FIREFOX` names one.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { NDArray, writeNPY } from "../dist/node.js";
import { serve } from "./server.mjs";

const { NPY_BROWSER, NPY_FIREFOX } = process.env;
const server = await serve(new URL("..", import.meta.url).pathname);
after(() => server.close());
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
    program: NPY_FIREFOX,
    options: (profile) => {
      const settings = { "browser.aboutwelcome.enabled": false, "browser.shell.checkDefaultBrowser": false, "datareporting.policy.dataSubmissionEnabled": false, "toolkit.telemetry.reportingpolicy.firstRun": false, "app.update.auto": false };
      writeFileSync(join(profile, "user.js"), Object.entries(settings).map(([key, value]) => `user_pref("${key}", ${value});\n`).join(""));
      return ["--headless", "--no-remote", "--profile", profile];
    },
  },
];

/** Firefox has variables for what Chromium has an option for: in a container, a sandbox may not start. */
const ENVIRONMENT = { MOZ_DISABLE_CONTENT_SANDBOX: "1", MOZ_DISABLE_SOCKET_PROCESS_SANDBOX: "1" };

/** Opens the page of the behaviors, and returns what it found. */
async function run({ program, options }) {
  const profile = mkdtempSync(join(tmpdir(), "npy-js-browser-"));
  const browser = spawn(program, [...options(profile), `${server.url}/test/browser.html`], { stdio: "ignore", detached: true, env: { ...process.env, ...ENVIRONMENT } });
  const ended = new Promise((done) => browser.once("exit", done));
  let patience;
  try {
    return await new Promise((done, fail) => {
      server.done = done;
      browser.once("error", fail);
      patience = setTimeout(() => fail(new Error("the browser did not answer within two minutes")), 120_000);
    });
  } finally {
    // With the processes that it started.
    process.kill(-browser.pid, "SIGKILL");
    await ended;
    clearTimeout(patience);
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

for (const browser of browsers.filter(({ program }) => program !== undefined)) {
  for (const { name, problem } of await run(browser)) {
    test(`${browser.name}: ${name}`, () => {
      if (problem !== undefined) throw new Error(problem);
    });
  }
}
