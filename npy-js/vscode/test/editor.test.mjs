// The provider, driven as the editor drives it.
import assert from "node:assert/strict";
import { closeSync, ftruncateSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { show, start, watchers } from "./host.mjs";

const folder = mkdtempSync(join(tmpdir(), "npy-vscode-"));
after(() => rmSync(folder, { recursive: true }));
const at = (name) => join(folder, name);
const { view, provider } = start();

test("the editor that package.json names is registered, for both kinds of files", () => {
  const { contributes, extensionKind } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const [editor] = contributes.customEditors;
  assert.equal(editor.viewType, view);
  assert.deepEqual(editor.selector.map(({ filenamePattern }) => filenamePattern), ["*.npy", "*.npz"]);
  // Files on a remote machine are read there.
  assert.deepEqual(extensionKind, ["workspace"]);
});

test("a file of 5 GB is read by ranges", async () => {
  const size = 5e9;
  const file = openSync(at("large.npy"), "w");
  ftruncateSync(file, size);
  writeSync(file, Uint8Array.of(1, 2, 3), 0, 3, size - 3);
  closeSync(file);
  const { send, close } = await show(provider, at("large.npy"));
  assert.deepEqual(await send({ ready: true }), [{ open: { name: "large.npy", size } }]);
  const [{ read, bytes }] = await send({ read: 7, offset: size - 5, length: 5 });
  assert.equal(read, 7);
  assert.deepEqual(bytes, Uint8Array.of(0, 0, 1, 2, 3));
  close();
});

test("a range that is not of the file is an error, and the next one is read", async () => {
  writeFileSync(at("x.npy"), "abcdef");
  const { send, close } = await show(provider, at("x.npy"));
  for (const [offset, length] of [[-1, 2], [0, 7], [6, 1], [0.5, 1], [0, 2 ** 40], ["0", 1], [undefined, undefined]]) {
    const [{ read, error, bytes }] = await send({ read: 1, offset, length });
    assert.equal(read, 1);
    assert.match(error, /are not a range of the 6 bytes of x\.npy; open the file again$/);
    assert.equal(bytes, undefined);
  }
  assert.deepEqual(await send({ read: 2, offset: 2, length: 3 }), [{ read: 2, bytes: Uint8Array.from(Buffer.from("cde")) }]);
  close();
});

test("a file that is replaced is shown again, and read from the new one", async () => {
  writeFileSync(at("y.npy"), "old");
  const { send, close, posted } = await show(provider, at("y.npy"));
  const watcher = watchers.at(-1);
  assert.equal(watcher.pattern.pattern, "y.npy");
  assert.equal(watcher.pattern.base.path, folder);
  writeFileSync(at("y.tmp"), "newer");
  renameSync(at("y.tmp"), at("y.npy"));
  await watcher.change();
  assert.deepEqual(posted.splice(0), [{ open: { name: "y.npy", size: 5 } }]);
  assert.deepEqual(await send({ read: 1, offset: 0, length: 5 }), [{ read: 1, bytes: Uint8Array.from(Buffer.from("newer")) }]);
  rmSync(at("y.npy"));
  await watcher.change();
  assert.deepEqual(posted, []);
  close();
  assert.ok(watcher.isDisposed);
});

test("a file system without ranges is read whole", async () => {
  const { send, close } = await show(provider, "/x.npy", "memfs");
  assert.deepEqual(await send({ ready: true }), [{ open: { name: "x.npy", size: 3 } }]);
  assert.deepEqual(await send({ read: 1, offset: 1, length: 2 }), [{ read: 1, bytes: Uint8Array.of(2, 3) }]);
  close();
});

test("a file that is not there is an error of the editor", async () => {
  await assert.rejects(show(provider, at("nothing.npy")), { code: "ENOENT" });
});

test("only scripts and styles with the number of the page run", async () => {
  const pages = [];
  for (let i = 0; i < 2; i++) {
    const { webview, close } = await show(provider, at("x.npy"));
    assert.equal(webview.options.enableScripts, true);
    assert.deepEqual(webview.options.localResourceRoots, []);
    pages.push(webview.html);
    close();
  }
  const [, policy] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(pages[0]);
  const [, nonce] = /'nonce-([^']+)'/.exec(policy);
  assert.ok(nonce.length >= 16 && !pages[1].includes(nonce));
  assert.match(policy, /^default-src 'none';/);
  assert.ok(!policy.includes("unsafe-inline") && !policy.includes("connect-src") && !policy.includes("http"));
  const tags = pages[0].match(/<(script|style)[^>]*>/g);
  assert.ok(tags.length >= 5 && tags.every((tag) => tag.includes(`nonce="${nonce}"`)), tags.join());
});
