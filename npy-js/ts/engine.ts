// The WebAssembly module: calls by name, with text and bytes in both directions. Its memory is never handed out: all bytes are copied.
import { NpyError } from "./error.js";

/** A file as the module reads it: bytes at offsets. @internal */
export interface Readable {
  readonly size: number;
  /** Copies bytes to `out` and returns their number; 0 if they cannot be read, or must be fetched first. */
  read(offset: number, out: Uint8Array): number;
}

interface Exports {
  memory: WebAssembly.Memory;
  arguments(length: number): number;
  input(length: number): number;
  call(): number;
  text(): number;
  text_length(): number;
  bytes(): number;
  bytes_length(): number;
}

let compile: () => object = () => {
  throw new NpyError("internal", "the module is not loaded; import the package by its name");
};
let compiled: object | undefined;

/** Says how the module is found. Each entry of the package does so once; the first one that is used decides. @internal */
export function provide(how: () => object): void {
  compile = how;
}

const NOTHING: Readable = { size: 0, read: () => 0 };
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** One instance of the module. After an error it still works; if it stopped, the next call makes a new one. @internal */
export class Engine {
  readonly #file: Readable;
  #exports: Exports | undefined;
  /** Changes when a new instance is made, which has no archive open. */
  generation = 0;
  /** The error of the last read of the file that failed in a call. */
  #failed: unknown;

  constructor(file: Readable = NOTHING) {
    this.#file = file;
  }

  /** Calls a function of the module, and returns its answer. */
  json(name: string, args: readonly (string | number)[] = [], input?: Uint8Array): any {
    return this.#call(name, args, input, false).json;
  }

  /** Calls a function of the module, and returns a copy of the bytes. */
  bytes(name: string, args: readonly (string | number)[] = [], input?: Uint8Array): Uint8Array {
    return this.#call(name, args, input, true).bytes;
  }

  #call(name: string, args: readonly (string | number)[], input: Uint8Array | undefined, copy: boolean): { json: any; bytes: Uint8Array } {
    this.#failed = undefined;
    try {
      const exports = (this.#exports ??= this.#instance());
      const line = encoder.encode([name, ...args].map((part) => `${part}\0`).join(""));
      const at = exports.arguments(line.length) >>> 0;
      new Uint8Array(exports.memory.buffer, at, line.length).set(line);
      const length = input?.length ?? 0;
      const start = exports.input(length) >>> 0;
      if (input) new Uint8Array(exports.memory.buffer, start, length).set(input);
      const is_answer = exports.call();
      const text = decoder.decode(view(exports, exports.text(), exports.text_length()));
      if (!is_answer) throw failure(JSON.parse(text), this.#failed);
      const bytes = copy ? view(exports, exports.bytes(), exports.bytes_length()).slice() : EMPTY;
      return { json: JSON.parse(text), bytes };
    } catch (error) {
      if (error instanceof NpyError) throw error;
      // The module stopped, and what it holds may be half done.
      this.#exports = undefined;
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
      const reason = `the module ran out of memory or failed (${error.message}); read the file in smaller parts`;
      throw new NpyError("memory", reason);
    }
  }

  #instance(): Exports {
    compiled ??= compile();
    this.generation += 1;
    const file = this.#file;
    let memory: WebAssembly.Memory;
    const read = (offset: bigint, address: number, length: number): number => {
      try {
        return file.read(Number(offset), new Uint8Array(memory.buffer, address >>> 0, length >>> 0));
      } catch (error) {
        this.#failed = error;
        return 0;
      }
    };
    const imports = { npy: { size: () => BigInt(file.size), read } };
    const exports = new WebAssembly.Instance(compiled as WebAssembly.Module, imports).exports as unknown as Exports;
    memory = exports.memory;
    return exports;
  }
}

const EMPTY = new Uint8Array(0);

function view(exports: Exports, address: number, length: number): Uint8Array {
  return new Uint8Array(exports.memory.buffer, address >>> 0, length >>> 0);
}

function failure({ kind, message, field, row }: any, cause: unknown): NpyError {
  return new NpyError(kind, message, { field, row, cause });
}

let shared: Engine | undefined;

/** The instance for calls that are about no file. @internal */
export function engine(): Engine {
  return (shared ??= new Engine());
}
