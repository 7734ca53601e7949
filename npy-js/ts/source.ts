// The source of a file: bytes, a blob, a URL, a path, or an object of the program. Any range is read by itself.
import { located, NpyError, shown } from "./error.js";
import { files, hasFiles, io, ioError, isURL, MAX_READ, pathOf } from "./files.js";

/** An object that reads ranges, for `open`. */
export interface RangeSource {
  /** The bytes of the file. */
  readonly size: number;
  /** Returns `length` bytes from `offset`, all of them within the file. */
  read(offset: number, length: number): Uint8Array | ArrayBuffer | Promise<Uint8Array | ArrayBuffer>;
}

/** A URL; a `file:` is a path. */
export interface FileURL {
  /** The address. */
  readonly href: string;
}

/** A `Blob` or a `File`. */
export interface BlobLike {
  /** The bytes. */
  readonly size: number;
  /** Returns a part. */
  slice(start: number, end: number): BlobLike;
  /** Returns all bytes. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** The sources of `open`: bytes, a `Blob` or `File`, a URL, a path, or an object that reads ranges. */
export type Source = Uint8Array | ArrayBuffer | BlobLike | FileURL | string | RangeSource;

/** A file of known size. @internal */
export interface Ranges {
  readonly size: number;
  /** The URL or path, for messages. */
  readonly name?: string;
  /** True if a server has no ranges, so that the whole file was read. */
  readonly isWhole: boolean;
  read(offset: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** A file that can be closed, after which nothing is read of it. @internal */
export interface Open extends Ranges {
  /** An error if the file is closed. */
  check(): void;
}

/** The bytes of the first request: enough for the header, or for the directory of a small archive. @internal */
export const FIRST = 1 << 16;

/** The bytes of the end of an archive: as many as are searched for the end of its directory, which may be followed by a comment. @internal */
export const END = FIRST + 4096;

/** A part of the file that came with its size. @internal */
export interface Start {
  offset: number;
  bytes: Uint8Array;
}

/** Opens a source. The first part is returned too, if finding the size needed a request. @internal */
export async function openSource(source: Source): Promise<{ ranges: Open; start?: Start }> {
  const { ranges, ...start } = await find(source);
  return { ranges: closable(ranges), ...start };
}

/** Refuses reads of a file that was closed, and closes it once: the system gives the number of a closed file to the next one that is opened. */
function closable(ranges: Ranges): Open {
  let closed: Promise<void> | undefined;
  const check = (): void => {
    if (closed) throw new NpyError("io", "the file is closed; open it again");
  };
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    check();
    return ranges.read(offset, length);
  };
  return { ...ranges, check, read, close: () => (closed ??= ranges.close()) };
}

async function find(source: Source): Promise<{ ranges: Ranges; start?: Start }> {
  if (source instanceof Uint8Array) return { ranges: memory(source) };
  if (source instanceof ArrayBuffer) return { ranges: memory(new Uint8Array(source)) };
  if (ArrayBuffer.isView(source)) {
    const { buffer, byteOffset, byteLength } = source as unknown as DataView;
    return { ranges: memory(new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)) };
  }
  if (typeof Blob !== "undefined" && source instanceof Blob) {
    const read = async (offset: number, length: number) => new Uint8Array(await source.slice(offset, offset + length).arrayBuffer());
    return { ranges: plain(source.size, read, (source as File).name) };
  }
  if (isURL(source) || typeof source === "string") return named(typeof source === "string" ? source : source.href);
  const object = source as RangeSource;
  if (typeof object?.read === "function" && Number.isSafeInteger(object.size) && object.size >= 0) {
    const read = async (offset: number, length: number) => {
      const part: unknown = await object.read(offset, length);
      if (part instanceof ArrayBuffer) return new Uint8Array(part);
      if (ArrayBuffer.isView(part)) return new Uint8Array(part.buffer as ArrayBuffer, part.byteOffset, part.byteLength);
      throw new NpyError("argument", `read of the source returned ${shown(part)}; return a Uint8Array or an ArrayBuffer`);
    };
    return { ranges: plain(object.size, read) };
  }
  if (typeof (source as any)?.then === "function") throw new NpyError("unsupported", "a Promise is not a source; await it");
  throw new NpyError("unsupported", `${shown(source)} is not a source; pass bytes, a Blob, a URL, a path, or an object with size (a number) and read`);
}

async function named(text: string): Promise<{ ranges: Ranges; start?: Start }> {
  try {
    if (/^(https?|blob|data):/i.test(text)) return await remote(text);
    const scheme = /^([a-z][a-z\d+.-]+:)\/\//i.exec(text)?.[1];
    if (scheme && !/^file:/i.test(scheme)) throw new NpyError("unsupported", `${scheme}// is not read; pass an http:, https:, blob: or data: URL, a path, or an object with size and read`);
    if (scheme || /^file:/i.test(text) || hasFiles()) return { ranges: path(pathOf(text)) };
    // In a browser, the text is relative to the page.
    return await remote(new URL(text, (globalThis as any).location?.href).href);
  } catch (error) {
    throw located(ioError(error), text);
  }
}

const nothing = async (): Promise<void> => {};

function memory(bytes: Uint8Array): Ranges {
  return plain(bytes.length, async (offset, length) => bytes.subarray(offset, offset + length));
}

function plain(size: number, from: (offset: number, length: number) => Promise<Uint8Array>, name?: string): Ranges {
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    try {
      return await from(offset, length);
    } catch (error) {
      throw ioError(error);
    }
  };
  return { size, isWhole: false, read, close: nothing, ...(name === undefined ? {} : { name }) };
}

function path(name: string): Ranges {
  const file = io(() => files().openSync(name, "r"));
  const { size } = files().fstatSync(file);
  const part = (out: Uint8Array, at: number, offset: number): Promise<number> =>
    new Promise((done, fail) => {
      files().read(file, out, at, Math.min(out.length - at, MAX_READ), offset + at, (error, count) => (error ? fail(ioError(error)) : done(count)));
    });
  const all = async (offset: number, length: number): Promise<Uint8Array> => {
    const out = new Uint8Array(length);
    for (let at = 0; at < length; ) {
      const count = await part(out, at, offset);
      if (count === 0) return out.subarray(0, at);
      at += count;
    }
    return out;
  };
  const reads = new Set<Promise<unknown>>();
  const read = (offset: number, length: number): Promise<Uint8Array> => {
    const work = all(offset, length).finally(() => reads.delete(work));
    reads.add(work);
    return work;
  };
  // A read that has begun must not go on in another file.
  const close = async (): Promise<void> => {
    await Promise.allSettled(reads);
    await new Promise<void>((done, fail) => files().close(file, (error) => (error ? fail(ioError(error)) : done())));
  };
  return { size, name, isWhole: false, read, close };
}

/** Asks a server for a range. The first request also finds the size; for an archive it asks for the end, where the directory is. */
async function remote(url: string): Promise<{ ranges: Ranges; start?: Start }> {
  const is_archive = /\.npz$/i.test(url.replace(/[?#].*$/, ""));
  const length = is_archive ? END : FIRST;
  let response = await ask(url, is_archive ? `bytes=-${length}` : `bytes=0-${length - 1}`);
  if (response.status === 416) {
    // An empty file has no range.
    await response.body?.cancel();
    response = await ask(url);
  }
  const found = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get("content-range") ?? "");
  const bytes = new Uint8Array(await response.arrayBuffer());
  // A part that is shorter than the range is the whole file.
  if (response.status === 206 && !found && bytes.length >= length) {
    const range = response.headers.get("content-range") ?? "none that this program sees";
    throw new NpyError("io", `the server does not tell the size of the file (Content-Range: ${range}); fetch all of it, and pass the bytes`);
  }
  if (response.status !== 206 || !found) {
    return { ranges: { ...memory(bytes), name: url, isWhole: true } };
  }
  const [start, size] = [Number(found[1]), Number(found[3])];
  const tag = response.headers.get("etag");
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    const part = await ask(url, `bytes=${offset}-${offset + length - 1}`);
    const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(part.headers.get("content-range") ?? "");
    const is_same = part.status === 206 && range && Number(range[1]) === offset && Number(range[2]) === size && part.headers.get("etag") === tag;
    if (!is_same) {
      await part.body?.cancel();
      throw new NpyError("io", "the file on the server changed since it was opened; open it again");
    }
    return new Uint8Array(await part.arrayBuffer());
  };
  return { ranges: plain(size, read, url), start: { offset: start, bytes } };
}

async function ask(url: string, range?: string): Promise<Response> {
  // Ranges are those of the file, and not of a compressed form of it.
  const response = await fetch(url, { headers: range ? { range, "accept-encoding": "identity" } : {} });
  if (response.ok || response.status === 416) return response;
  await response.body?.cancel();
  throw new NpyError("io", `the server answers ${response.status} ${response.statusText}; ${response.status >= 500 || response.status === 429 ? "try again later" : "check the URL"}`);
}
