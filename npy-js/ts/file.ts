// The entry for programs that have the module as a file: the same names, without the module inside.
import { provide } from "./engine.js";

/** Passes the compiled module, once, before any other call. */
export function useModule(module: object): void {
  provide(() => module);
}

export * from "./api.js";
