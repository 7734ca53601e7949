// The entry for browsers and workers: the module is in the script, and nothing has to be loaded or awaited.
import { provide } from "./engine.js";
import { moduleBytes } from "./inline.js";

provide(() => new WebAssembly.Module(moduleBytes()));

export * from "./api.js";
