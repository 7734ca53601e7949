// The entry for Node, Deno and Bun: as that for browsers, and with files.
// @ts-ignore: the types of Node are not needed for this one import.
import * as fs from "node:fs";
import { useFiles } from "./files.js";

useFiles(fs);

export * from "./index.js";
