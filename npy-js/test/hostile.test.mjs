// Files that lie, and a module that stopped: the next call works.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { Engine } from "../dist/internal.js";
import { loadNPZ, NDArray, NpyError, open, readNPY, saveNPZ, writeNPY } from "../dist/node.js";
import { cases, file } from "./corpus.mjs";

test("a module that ran out of memory is made anew", () => {
  const engine = new Engine();
  assert.equal(engine.json("dtype", ["<f8"]).size, 8);
  // More than the limit of 2 GiB.
  const large = { length: 2 ** 31 + 1 };
  assert.throws(() => engine.json("header", [], large), (error) => error instanceof NpyError && error.kind === "memory");
  assert.equal(engine.json("dtype", ["<f4"]).size, 4);
  assert.equal(engine.generation, 2);
});

test("no damage to a file is anything but an error of this package, or an array", async () => {
  let refused = 0;
  const small = cases.filter(({ file_size, expect }) => expect === "valid" && file_size < 3000);
  for (const [k, expected] of small.entries()) {
    // A sixth of the files with each damage: the same ones in each run.
    if (k % 6) continue;
    const bytes = file(expected);
    const at = createHash("sha256").update(expected.id).digest();
    for (let i = 0; i < 12; i++) {
      const damaged = i % 3 === 0 ? bytes.slice(0, (at[i] * bytes.length) >> 8) : Uint8Array.from(bytes);
      if (i % 3) damaged[((at[i] + 256 * at[i + 1]) % bytes.length)] ^= i % 3 === 1 ? 0x11 : 0xff;
      for (const read of [() => (expected.container === "npy" ? readNPY : loadNPZ)(damaged), async () => (await open(damaged)).read()]) {
        try {
          await read();
        } catch (error) {
          assert.ok(error instanceof NpyError, `${expected.id}: ${error.stack}`);
          assert.notEqual(error.kind, "internal", error.message);
          refused += 1;
        }
      }
    }
  }
  console.log(`${refused} damaged files were refused`);
  assert.ok(refused > 300);
  assert.equal(readNPY(writeNPY([1])).get(0), 1);
});

test("a member that states more than it has costs no memory", () => {
  const bytes = saveNPZ(null, { x: NDArray.from(new Float64Array(10)) });
  const text = Buffer.from(bytes).toString("latin1");
  const damaged = Buffer.from(text.replace("'shape': (10,)", "'shape': (9999999,)").replace("                   \n", "              \n"), "latin1");
  const before = process.memoryUsage().arrayBuffers;
  assert.throws(() => loadNPZ(new Uint8Array(damaged)), NpyError);
  assert.ok(process.memoryUsage().arrayBuffers - before < 1 << 24);
});

test("objects that contain themselves are an error", () => {
  const list = [];
  list.push(list);
  assert.throws(() => writeNPY(NDArray.from([list, null], { dtype: "|O" })), (error) => error.kind === "invalid-value" && error.message.includes("nested deeper"));
});
