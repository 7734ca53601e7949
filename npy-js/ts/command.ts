#!/usr/bin/env node
// `npx npy-core wasm FILE` writes the module to a file.
// @ts-ignore: the types of Node are not needed for this one import.
import * as fs from "node:fs";
import { moduleBytes } from "./inline.js";

const [command, path] = (globalThis as any).process.argv.slice(2);
if (command !== "wasm" || path === undefined) {
  console.error("usage: npy-core wasm FILE    writes the module to a file");
  (globalThis as any).process.exitCode = 2;
} else {
  try {
    fs.writeFileSync(path, moduleBytes());
  } catch (error) {
    console.error(`npy-core: ${(error as Error).message}; check the path`);
    (globalThis as any).process.exitCode = 1;
  }
}
