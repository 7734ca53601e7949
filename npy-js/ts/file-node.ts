// The entry for programs of Node, Deno and Bun that have the module as a file.
// @ts-ignore: the types of Node are not needed for this one import.
import * as fs from "node:fs";
import { useFiles } from "./files.js";

useFiles(fs);

export * from "./file.js";
