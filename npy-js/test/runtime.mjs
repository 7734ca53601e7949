// The behaviors in another runtime, without its test runner: `deno run -A test/runtime.mjs`, `bun test/runtime.mjs`. The last line says how many passed.
import { readFileSync } from "node:fs";
import * as npy from "../dist/node.js";
import { behaviors } from "./behaviors.mjs";

const load = async (name) => new Uint8Array(readFileSync(new URL(`made/${name}`, import.meta.url)));
let [passed, failed] = [0, 0];
const check = async (name, work) => {
  try {
    await work();
    passed += 1;
  } catch (error) {
    failed += 1;
    console.error(`${name}: ${error.stack ?? error}`);
  }
};

for (const [name, work] of await behaviors(npy, load)) await check(name, work);

await check("paths are read, written and mapped", async () => {
  const path = new URL(`made/runtime-${globalThis.process.pid}.npy`, import.meta.url).pathname;
  const { unlinkSync } = await import("node:fs");
  try {
    npy.writeNPY([1, 2, 3], path);
    const map = npy.memmap(path, "r+");
    map.set(7, 1);
    map.close();
    const file = await npy.open(path);
    const { data } = await file.read({ rows: [1, 3] });
    await file.close();
    if (data.join() !== "7,3" || npy.readNPY(path).data.join() !== "1,7,3") throw new Error(`${data}`);
  } finally {
    unlinkSync(path);
  }
});

console.log(`${passed} passed, ${failed} failed`);
globalThis.process.exitCode = failed ? 1 : 0;
