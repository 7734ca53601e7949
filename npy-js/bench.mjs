// Reading 80 MB of `<f8` from bytes, compared with a copy of a Float64Array and with npyjs: `node bench.mjs`. Ratios are medians.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import npyjs from "npyjs";
import { NDArray, readNPY, writeNPY } from "./dist/node.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

const numbers = Float64Array.from({ length: 10_000_000 }, (_, i) => i / 3);
const file = writeNPY(NDArray.from(numbers));
const swapped = writeNPY(new NDArray(numbers, [numbers.length], ">f8"));
const theirs = new npyjs();

const contenders = {
  "a copy of a Float64Array": () => numbers.slice(),
  "npy-core, <f8": () => readNPY(file).data,
  "npy-core, >f8": () => readNPY(swapped).data,
  "npyjs, <f8": async () => (await theirs.load(file)).data,
};

const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
const turns = Object.entries(contenders);
for (let round = 0; round < 25; round++) {
  // In another order each time.
  for (let i = turns.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [turns[i], turns[j]] = [turns[j], turns[i]];
  }
  for (const [name, work] of turns) {
    // A call would also pay for the memory that the one before it left.
    collect();
    const before = performance.now();
    const data = await work();
    const taken = performance.now() - before;
    if (data[9_999_999] !== numbers[9_999_999]) throw new Error(`${name}: other numbers`);
    if (round > 0) times[name].push(taken);
  }
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const base = median(times["a copy of a Float64Array"]);
for (const [name, list] of Object.entries(times)) {
  console.log(`${name.padEnd(28)} ${median(list).toFixed(1).padStart(7)} ms ${(median(list) / base).toFixed(2).padStart(6)}`);
}
const ratio = median(times["npy-core, <f8"]) / base;
if (ratio > 1.5) {
  console.error(`${ratio.toFixed(2)} times a copy; 1.5 is the limit`);
  process.exitCode = 1;
}
