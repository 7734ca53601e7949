// The code of the README, and of the first page, line by line: a comment with an arrow is the value of the line.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { NDArray, writeNPY } from "../dist/node.js";
import { serve } from "./server.mjs";

/** Returns the code of a page that runs. */
export function code(page = "../README.md") {
  const text = readFileSync(new URL(page, import.meta.url), "utf8");
  return [...text.matchAll(/```ts\n([^]*?)```/g)].map((found) => found[1]).join("\n");
}

/** A value as the README shows it. */
function shown(value) {
  if (typeof value === "bigint") return `${value}n`;
  if (value instanceof Date) return `Date ${value.getTime()}`;
  if (ArrayBuffer.isView(value)) return `${value.constructor.name} [${Array.from(value).join(", ")}]`;
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
  if (value && typeof value === "object") return `{${Object.entries(value).map(([key, part]) => `${key}: ${shown(part)}`).join(", ")}}`;
  return JSON.stringify(value);
}

test("every line of the README has the value that it shows", async () => {
  const folder = mkdtempSync(join(tmpdir(), "npy-readme-"));
  const server = await serve(folder);
  after(() => {
    process.chdir(before);
    server.close();
    rmSync(folder, { recursive: true });
  });
  const before = process.cwd();
  process.chdir(folder);
  writeNPY(NDArray.from(new Float32Array(4e6), { shape: [1_000_000, 4] }), "large.npy");
  let lines = 0;
  const checked = (text) => text.replaceAll(/^(.*); \/\/ → (.*)$/gm, (_, line, wanted) => {
    lines += 1;
    // The value of a loop or a branch is that of its body.
    const [, before, value] = /^((?:for|if) .*\) )?(.*)$/.exec(line);
    return `${before ?? ""}check(${value}, ${JSON.stringify(wanted)});`;
  });
  const runs = (text) => checked(text).replaceAll(" as NpyError", "").replaceAll(/(\w|\))!\./g, "$1.").replaceAll("http://localhost:8080", server.url)
    .replaceAll('from "npy-core"', `from ${JSON.stringify(new URL("../dist/node.js", import.meta.url).href)}`);
  globalThis.check = (value, wanted) => assert.equal(shown(value), wanted);
  writeFileSync("readme.mjs", runs(code()));
  server.requests = 0;
  await import(join(folder, "readme.mjs"));
  writeFileSync("first.mjs", runs(code("../../docs/start/typescript.md")));
  await import(join(folder, "first.mjs"));
  assert.ok(lines >= 38, `${lines} lines have values`);
});
