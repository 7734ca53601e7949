// The page in Chromium, which `NPY_BROWSER` names, with the messages of the provider: the frame is the page as the editor shows it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, openSync, ftruncateSync, closeSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { NDArray, saveNPZ, writeNPY } from "../../dist/node.js";
import { show, start } from "./host.mjs";

const folder = mkdtempSync(join(tmpdir(), "npy-vscode-page-"));
const { provider } = start();

/** Writes the file of a case. */
function file(name, bytes, size = bytes.length) {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  const opened = openSync(path, "r+");
  ftruncateSync(opened, size);
  closeSync(opened);
  return path;
}

const noise = (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 8;
const large = writeNPY(NDArray.from(new Float32Array(4), { shape: [2, 2] }));
const header = Buffer.from(large.subarray(0, 128)).toString("latin1").replace("(2, 2)", "(1500000000, 2)").replace(/ {9}\n$/, "\n").padEnd(127).slice(0, 127) + "\n";

/** Files, the clicks that follow, and the texts that the page shows then. */
const cases = {
  "an array is shown": {
    path: file("x.npy", writeNPY(NDArray.from([[1.5, 2], [3, 4]]))),
    texts: ["(2, 2)", "<f8", "0|1.5|2.0", "Rows 0 to 1 of 2."],
    most: 1000,
  },
  "rows at the end of 12 GB are shown, and a plot": {
    path: file("large.npy", Buffer.from(header, "latin1"), 128 + 12e9),
    click: ["#last"],
    texts: ["(1500000000, 2)", "12,000,000,128 bytes", "1,499,999,999|0.0|0.0", "the first ones were read"],
    most: 64 << 20,
  },
  "rows of a member with a seek index are shown": {
    path: file("m.npz", saveNPZ(null, { a: [1], x: Uint32Array.from({ length: 4_000_000 }, noise) }, true)),
    click: ["#members tr:nth-child(2) button", "#last"],
    texts: ["a|<f8|(1,)", `3,999,999|${noise(0, 3_999_999)}`],
    most: 64 << 20,
  },
  "a file of another kind is an error": {
    path: file("bad.npy", Buffer.from("no array")),
    texts: ["not a .npy file"],
    most: 1000,
  },
  "Python objects are shown": {
    path: file("o.npy", writeNPY(NDArray.from([null, "one"], { dtype: "|O" }))),
    texts: ["a pickle", "'one'"],
    most: 2000,
  },
};

const OUTER = `<!doctype html><meta charset="utf-8"><script type="module">
  const wait = (time) => new Promise((done) => setTimeout(done, time));
  const run = async ({ id, click }) => {
    const frame = document.createElement("iframe");
    frame.style.cssText = "width: 1000px; height: 1200px";
    frame.src = "/page/" + id;
    const forward = async ({ data, source }) => {
      if (source !== frame.contentWindow) return;
      const answers = await (await fetch("/message/" + id, { method: "POST", body: JSON.stringify(data) })).json();
      for (const { base64, ...answer } of answers) {
        if (base64 !== undefined) answer.bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
        source.postMessage(answer, "*");
      }
    };
    addEventListener("message", forward);
    document.body.append(frame);
    const until = async (is) => {
      for (let i = 0; i < 1000 && !is(); i++) await wait(20);
    };
    const page = () => frame.contentDocument;
    await until(() => page()?.body?.dataset.state === "done");
    for (const selector of click ?? []) {
      const before = page().querySelector("#rows .note").textContent;
      page().body.dataset.state = "";
      page().querySelector(selector).click();
      if (selector === "#last") await until(() => page().querySelector("#rows .note").textContent !== before);
      else await until(() => page().body.dataset.state === "done");
    }
    const text = page().querySelector("main").innerText.replaceAll("\\t", "|");
    removeEventListener("message", forward);
    frame.remove();
    return text;
  };
  const results = [];
  for (const id of await (await fetch("/cases")).json()) {
    results.push(await run(id).catch((error) => String(error.stack)));
  }
  await fetch("/done", { method: "POST", body: JSON.stringify(results) });
</script>`;

/** The function by which the page reaches its editor. */
const bridge = (html) => html.replace(/<head>/, (tag) => {
  const [, nonce] = /'nonce-([^']+)'/.exec(html);
  return `${tag}<script nonce="${nonce}">globalThis.acquireVsCodeApi = () => ({ postMessage: (message) => parent.postMessage(message, "*") });</script>`;
});

const panels = [];
for (const { path } of Object.values(cases)) panels.push({ ...(await show(provider, path)), bytes: 0 });

async function body(request) {
  let text = "";
  for await (const part of request) text += part;
  return JSON.parse(text);
}

let finish;
const results = new Promise((done, fail) => {
  finish = done;
  setTimeout(() => fail(new Error("the browser did not answer within two minutes")), 120_000).unref();
});
const server = createServer(async (request, response) => {
  const [, kind, id] = request.url.split("/");
  const html = { "content-type": "text/html; charset=utf-8" };
  if (kind === "page") return response.writeHead(200, html).end(bridge(panels[id].webview.html));
  if (kind === "cases") return response.end(JSON.stringify(Object.values(cases).map(({ click }, id) => ({ id, click }))));
  if (kind === "message") {
    const answers = await panels[id].send(await body(request));
    for (const { bytes } of answers) panels[id].bytes += bytes?.length ?? 0;
    return response.end(JSON.stringify(answers.map(({ bytes, ...answer }) => (bytes ? { ...answer, base64: Buffer.from(bytes).toString("base64") } : answer))));
  }
  if (kind === "done") {
    finish(await body(request));
    return response.end();
  }
  response.writeHead(200, html).end(OUTER);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const profile = join(folder, "profile");
const options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = spawn(process.env.NPY_BROWSER ?? "chromium", [...options, `--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`], { stdio: "ignore" });

after(async () => {
  const ended = new Promise((done) => browser.once("exit", done));
  browser.kill();
  await ended;
  server.closeAllConnections();
  server.close();
  panels.forEach(({ close }) => close());
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const texts = await results;
for (const [i, [name, { texts: wanted, most }]] of Object.entries(cases).entries()) {
  test(`Chromium: ${name}`, () => {
    for (const part of wanted) assert.ok(texts[i].includes(part), `${part} is not in\n${texts[i]}`);
    assert.ok(panels[i].bytes <= most, `${panels[i].bytes} bytes were sent`);
  });
}
