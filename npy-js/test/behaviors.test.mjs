// The behaviors in Node.
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as npy from "../dist/node.js";
import { behaviors } from "./behaviors.mjs";

const load = async (name) => new Uint8Array(await readFile(new URL(`made/${name}`, import.meta.url)));

for (const [name, work] of await behaviors(npy, load)) test(name, work);
