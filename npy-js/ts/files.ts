// Files of the system, where there are some: Node, Deno and Bun.
import { NpyError } from "./error.js";

/** The functions of `node:fs` that this package uses. */
export interface FileSystem {
  openSync(path: string, flags: string): number;
  closeSync(file: number): void;
  fstatSync(file: number): { size: number };
  readSync(file: number, out: Uint8Array, offset: number, length: number, position: number): number;
  writeSync(file: number, bytes: Uint8Array, offset: number, length: number, position: number | null): number;
  fsyncSync(file: number): void;
  ftruncateSync(file: number, length: number): void;
  renameSync(from: string, to: string): void;
  unlinkSync(path: string): void;
  read(file: number, out: Uint8Array, offset: number, length: number, position: number, done: (error: Error | null, count: number) => void): void;
  close(file: number, done: (error: Error | null) => void): void;
}

let system: FileSystem | undefined;

/** Says where files are. */
export function useFiles(files: FileSystem): void {
  system = files;
}

export const hasFiles = (): boolean => system !== undefined;

export function files(): FileSystem {
  if (system) return system;
  throw new NpyError("unsupported", "paths are read in Node, Deno and Bun; pass bytes here, or a URL to `open`");
}

/** Runs `work`; an error of the system becomes one of this package. */
export function io<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw ioError(error);
  }
}

/** Returns the error as one of this package; that of the system is its cause. */
export function ioError(error: unknown): NpyError {
  if (error instanceof NpyError) return error;
  if (!(error instanceof Error)) return new NpyError("io", String(error), { cause: error });
  // Node's fetch says why in the cause alone.
  const { message } = (error.cause ?? {}) as { message?: unknown };
  return new NpyError("io", message ? `${error.message}: ${message}` : error.message, { cause: error });
}

/** A read takes at most this: the system has a limit of 2 GiB. */
export const MAX_READ = 1 << 30;

/** A file that is open, as the module reads it. */
export class OpenFile {
  readonly #file: number;
  readonly size: number;

  constructor(path: string) {
    this.#file = io(() => files().openSync(path, "r"));
    this.size = files().fstatSync(this.#file).size;
  }

  read(offset: number, out: Uint8Array): number {
    return io(() => files().readSync(this.#file, out, 0, Math.min(out.length, MAX_READ), offset));
  }

  close(): void {
    files().closeSync(this.#file);
  }
}

/** Writes a file that appears when it is complete. */
export function replace(path: string, bytes: Uint8Array): void {
  io(() => {
    const temporary = `${path}.${Math.random().toString(36).slice(2)}.tmp`;
    const file = files().openSync(temporary, "wx");
    try {
      try {
        writeAll(file, bytes, 0);
      } finally {
        files().closeSync(file);
      }
      files().renameSync(temporary, path);
    } catch (error) {
      files().unlinkSync(temporary);
      throw error;
    }
  });
}

export function writeAll(file: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; ) {
    at += files().writeSync(file, bytes, at, Math.min(bytes.length - at, MAX_READ), position + at);
  }
}
