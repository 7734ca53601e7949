// Files of the system, where there are some: Node, Deno and Bun.
import { NpyError, shown } from "./error.js";
import type { FileURL } from "./source.js";

/** The functions of `node:fs` that this package uses. */
export interface FileSystem {
  openSync(path: string, flags: string, mode?: number): number;
  closeSync(file: number): void;
  fstatSync(file: number): Status;
  statSync(path: string, options: { throwIfNoEntry: false }): Status | undefined;
  lstatSync(path: string, options: { throwIfNoEntry: false }): Status | undefined;
  readlinkSync(path: string): string;
  chmodSync(path: string, mode: number): void;
  readSync(file: number, out: Uint8Array, offset: number, length: number, position: number): number;
  writeSync(file: number, bytes: Uint8Array, offset: number, length: number, position: number | null): number;
  fsyncSync(file: number): void;
  ftruncateSync(file: number, length: number): void;
  renameSync(from: string, to: string): void;
  unlinkSync(path: string): void;
  read(file: number, out: Uint8Array, offset: number, length: number, position: number, done: (error: Error | null, count: number) => void): void;
  close(file: number, done: (error: Error | null) => void): void;
}

interface Status {
  size: number;
  mode: number;
  gid: number;
  isFile(): boolean;
  isSymbolicLink(): boolean;
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

export const isURL = (source: unknown): source is FileURL => typeof URL !== "undefined" && source instanceof URL;

/** Returns the path of a text or a `file:` URL; an error for other URLs, which take time. */
export function pathOf(source: string | FileURL): string {
  if (typeof source !== "string" && !isURL(source)) throw new NpyError("argument", `${shown(source)} is not a path; pass text`);
  const text = typeof source === "string" ? source : source.href;
  if (/^file:/i.test(text)) return decodeURIComponent(new URL(text).pathname);
  if (/^([a-z][a-z\d+.-]+:\/\/|blob:|data:)/i.test(text)) {
    throw new NpyError("unsupported", `${shown(text)} is a URL and not a path; read it with \`await open(url)\`, and pass a path to the others`);
  }
  return text;
}

/** Runs `work`; an error of the system becomes one of this package. */
export function io<T>(work: () => T, missing?: string): T {
  try {
    return work();
  } catch (error) {
    throw ioError(error, missing);
  }
}

export const NO_FOLDER = "the folder of the file does not exist; make it first";

/** The errors of the system that have advice. */
const ADVICE: Record<string, string> = {
  ENOENT: "there is no such file; check the path, and the folder that the program runs in",
  EISDIR: "this is a folder; pass the path of a file in it",
  ENOTDIR: "a part of the path is a file and not a folder; check the path",
  EACCES: "the system does not allow it; check the permissions",
  EPERM: "the system does not allow it; check the permissions",
  ENOSPC: "the disk is full; remove files, and try again",
};

/** Returns the error as one of this package; that of the system is its cause. `missing` is said of a file that is not there. */
export function ioError(error: unknown, missing?: string): NpyError {
  if (error instanceof NpyError) return error;
  const code = (error as { code?: string } | undefined)?.code;
  const advice = code === "ENOENT" ? missing ?? ADVICE[code] : ADVICE[code!];
  if (advice) return new NpyError("io", advice.replace(";", ` (${code});`), { cause: error });
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

/** Makes a file that appears when `write` has written it, in the place of the file that a link leads to, and with its permissions. */
export function replace(path: string, write: (file: number) => void): void {
  io(() => {
    const old = files().statSync(path, { throwIfNoEntry: false });
    if (old) {
      // A file that may not be written to is not replaced, and a device is written to.
      const file = files().openSync(path, old.isFile() ? "a" : "w");
      try {
        if (!old.isFile()) return write(file);
      } finally {
        files().closeSync(file);
      }
    }
    const target = linked(path);
    const temporary = `${target}.${Math.random().toString(36).slice(2)}.tmp`;
    const file = files().openSync(temporary, "wx", old ? 0o600 : 0o666);
    try {
      try {
        write(file);
        if (old) files().chmodSync(temporary, permissions(old, files().fstatSync(file)));
      } finally {
        files().closeSync(file);
      }
      files().renameSync(temporary, target);
    } catch (error) {
      files().unlinkSync(temporary);
      throw error;
    }
  }, NO_FOLDER);
}

/** Returns the path of the file that a link leads to, also of one that is not there yet. */
function linked(path: string): string {
  if (!files().lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
  const link = files().readlinkSync(path);
  return linked(/^([/\\]|\w:)/.test(link) ? link : path.replace(/[^/\\]*$/, "") + link);
}

/** Returns the permissions of the old file; those of another group are no more than those of all others. */
function permissions({ mode, gid }: Status, made: Status): number {
  return mode & (gid === made.gid ? 0o777 : (mode << 3) & 0o70 | 0o707);
}

/** Writes all bytes, from a position on or, without one, after those before. */
export function writeAll(file: number, bytes: Uint8Array, position?: number): void {
  for (let at = 0; at < bytes.length; ) {
    at += files().writeSync(file, bytes, at, Math.min(bytes.length - at, MAX_READ), position === undefined ? null : position + at);
  }
}
