// Whole files, synchronously: from bytes, and from paths where there are files.
import { NDArray } from "./array.js";
import { Assembler } from "./assemble.js";
import type { DType } from "./dtype.js";
import { classOf, count, isNative, tree } from "./dtype.js";
import { Engine, engine, type Readable } from "./engine.js";
import { NpyError, shown, within } from "./error.js";
import { isURL, OpenFile, pathOf } from "./files.js";
import { revive } from "./objects.js";
import type { FileURL } from "./source.js";

/** A header, and where its data are. @internal */
export interface Header {
  type: DType;
  shape: number[];
  fortran: boolean;
  version: string;
  offset: number;
  objects: boolean;
}

/** Bytes in memory, as the module reads them. @internal */
export class Bytes implements Readable {
  readonly bytes: Uint8Array;
  readonly size: number;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.size = bytes.length;
  }

  read(offset: number, out: Uint8Array): number {
    const part = this.bytes.subarray(offset, offset + out.length);
    out.set(part);
    return part.length;
  }
}

/** Returns what the module says about a header. @internal */
export function headerOf(json: any): Header {
  return { ...json, type: tree(json.dtype) };
}

/** Reads an array from the bytes of a `.npy` file or, in Node, from a path or a `file:` URL. */
export function readNPY(source: Uint8Array | ArrayBuffer | string | FileURL): NDArray {
  return opened(source, readFrom);
}

/**
 * Reads all arrays of an archive. Names are those of NumPy, without `.npy`. A member that is not an array, such as `readme.txt`, becomes an array of its
 * bytes (`|u1`). `saveNPZ` writes that as an array too, so remove it first.
 */
export function loadNPZ(source: Uint8Array | ArrayBuffer | string | FileURL): Record<string, NDArray> {
  return opened(source, (file) => {
    // The module finds archives after other bytes too, which NumPy does not.
    if (file.size >= 22 && !isArchive(take(file, 0, 4))) {
      throw new NpyError("not-npz", "not a .npz file: it does not begin as an archive; use readNPY for a .npy file");
    }
    const archive = new Engine(file);
    const names: string[] = archive.json("archive");
    return Object.fromEntries(names.map((name) => [name, readMember(archive, name)]));
  });
}

function opened<T>(source: Uint8Array | ArrayBuffer | string | FileURL, work: (file: Readable) => T): T {
  if (typeof source !== "string" && !isURL(source)) return work(new Bytes(bytesOf(source)));
  const path = pathOf(source);
  return within(path, () => {
    const file = new OpenFile(path);
    try {
      return work(file);
    } finally {
      file.close();
    }
  });
}

/** Returns bytes as they are; an error for anything else. @internal */
export function bytesOf(source: unknown): Uint8Array {
  if (source instanceof Uint8Array) return source;
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  const { then, arrayBuffer, slice } = (source ?? {}) as any;
  const advice = then ? "await it" : arrayBuffer ? `${slice ? "read it with open, or " : ""}pass \`await source.arrayBuffer()\`` : "pass a Uint8Array, or a path in Node";
  throw new NpyError("unsupported", `${shown(source)} is not a source; ${advice}`);
}

/** True for the first bytes of an archive. @internal */
export function isArchive([a, b, c, d]: Uint8Array): boolean {
  return a === 0x50 && b === 0x4b && ((c === 3 && d === 4) || (c === 5 && d === 6));
}

/** Reads the header at the start of a file. @internal */
export function readHeader(file: Readable): Header {
  const first = parseHeader(take(file, 0, Math.min(4096, file.size)), file.size);
  return typeof first === "number" ? (parseHeader(take(file, 0, first), file.size) as Header) : first;
}

/** Parses a header; if there are too few bytes, returns the number that it takes. @internal */
export function parseHeader(bytes: Uint8Array, size: number): Header | number {
  let json = engine().json("header", [], bytes.subarray(0, 8 + Math.min(bytes.length, 16)));
  if (json.needed > size) throw new NpyError("truncated", `truncated: expected ${json.needed} bytes of header, found ${size}; get the whole file`);
  // The byte after the header tells a copy as text.
  const wanted = Math.min(json.needed + 1, size);
  if (wanted > bytes.length) return wanted;
  // A file of another kind is told by more bytes than the version takes.
  const own = bytes.slice(0, json.needed > 8 ? wanted : 4096);
  const large = narrow(own.subarray(0, json.needed));
  json = engine().json("header", [], own);
  large.forEach((n, i) => (json.shape[i] = n));
  return headerOf(json);
}

/**
 * The module has 32 bits and cannot count as many elements as a file may have. Writes 1 to the header for each such dimension, and returns
 * the dimensions.
 */
function narrow(header: Uint8Array): Map<number, number> {
  const large = new Map<number, number>();
  const text = new TextDecoder("latin1").decode(header);
  const found = /(["']shape["']\s*:\s*\()([\d\s,]*)\)[\s,}]*$/.exec(text);
  if (!found) return large;
  let at = found.index + found[1]!.length;
  found[2]!.split(",").forEach((part, i) => {
    const n = Number(part);
    if (n >= 2 ** 32 && Number.isSafeInteger(n)) {
      large.set(i, n);
      header.fill(0x20, at, at + part.length)[at + part.length - 1] = 0x31;
    }
    at += part.length + 1;
  });
  return large;
}

/** Returns bytes of a file. @internal */
export function take(file: Readable, offset: number, length: number): Uint8Array {
  if (file instanceof Bytes) return file.bytes.subarray(offset, offset + length);
  const out = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const got = file.read(offset + at, out.subarray(at));
    if (got === 0) throw new NpyError("io", "the file became shorter; read it again");
    at += got;
  }
  return out;
}

/** An error if the file is shorter than the header says. @internal */
export function checkLength(header: Header, size: number): number {
  const n = count(header.shape);
  if (n * header.type.size > size - header.offset) throw truncated(header, size - header.offset);
  return n;
}

/** Returns the error about data with fewer bytes than the header says. Its row is the first one that is not complete. @internal */
export function truncated(header: Header, bytes: number): NpyError {
  const { shape, type, fortran } = header;
  const found = Math.max(bytes, 0);
  const items = Math.floor(found / type.size);
  const [each, length] = [rowItems(header), shape[0] ?? 0];
  const row = Math.max(fortran ? items - (each - 1) * length : Math.floor(items / each), 0);
  const rest = row > 0 ? `, or read the ${row} complete row${row > 1 ? "s" : ""}: (await open(source)).read({ rows: [0, ${row}] })` : "";
  return new NpyError("truncated", `truncated: expected ${count(shape) * type.size} bytes of data, found ${found}; get the whole file${rest}`, { row });
}

const BLOCK_BYTES = 1 << 22;

/** The number of elements that are read at a time. @internal */
export function blockItems(type: DType): number {
  return Math.max(Math.floor(BLOCK_BYTES / Math.max(type.size, 1)), 1);
}

/** The number of elements of a row. @internal */
export const rowItems = (header: Header): number => (header.shape.length ? count(header.shape.slice(1)) : 1);

function readFrom(file: Readable): NDArray {
  const header = readHeader(file);
  const { type, shape, fortran, offset } = header;
  if (header.objects) return objects(new Engine(file).json("objects"), header);
  const n = checkLength(header, file.size);
  if (isNative(type) && (!fortran || shape.length < 2)) {
    const length = n * type.size;
    const bytes = file instanceof Bytes ? file.bytes.slice(offset, offset + length) : take(file, offset, length);
    // A `Buffer` of Node would copy nothing.
    const own = bytes.constructor === Uint8Array ? bytes : Uint8Array.from(bytes);
    const array = new NDArray(new (classOf(type)!)(own.buffer as ArrayBuffer), shape, type);
    array.fortranOrder = fortran;
    return array;
  }
  const assembler = new Assembler(type, n);
  const step = blockItems(type);
  for (let first = 0; first < n && type.size; first += step) {
    const length = Math.min(step, n - first) * type.size;
    assembler.put(take(file, offset + first * type.size, length), first);
  }
  return assembler.finish(shape, fortran);
}

/** @internal */
export function objects(list: any, header: Header): NDArray {
  const array = new NDArray(revive(list), header.shape, header.type);
  array.fortranOrder = header.fortran;
  return array;
}

function readMember(archive: Engine, name: string): NDArray {
  let json;
  try {
    json = archive.json("member", [name]);
  } catch (error) {
    if (!(error instanceof NpyError) || (error.kind !== "not-npy" && error.kind !== "truncated")) throw error;
    const bytes = archive.bytes("raw", [name]);
    if ([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59].every((byte, i) => bytes[i] === byte)) throw error;
    return new NDArray(bytes, [bytes.length], "|u1");
  }
  const header = headerOf(json);
  if (header.objects) return objects(archive.json("objects", [name]), header);
  const n = count(header.shape);
  const grown = new Growing(header, n);
  const step = blockItems(header.type);
  for (let first = 0; first < n && header.type.size; first += step) {
    grown.add(archive.bytes("next", [Math.min(step, n - first) * header.type.size]), Math.min(step, n - first));
  }
  return grown.finish(header);
}

/** Blocks of a member whose header may lie: memory grows as bytes arrive. @internal */
export class Growing {
  readonly #header: Header;
  readonly #type: DType;
  readonly #count: number;
  /** The bytes of the data until now. */
  #found: number;
  readonly #blocks: Uint8Array[] = [];

  /** Collects `count` elements of the array; `start` is the index of the first one. */
  constructor(header: Header, count: number, start = 0) {
    this.#header = header;
    this.#type = header.type;
    this.#count = count;
    this.#found = start * header.type.size;
  }

  add(block: Uint8Array, items: number): void {
    this.#found += block.length;
    if (block.length !== items * this.#type.size) throw truncated(this.#header, this.#found);
    this.#blocks.push(block);
  }

  finish(header: Header, columns?: readonly string[] | string, shape: readonly number[] = header.shape): NDArray {
    const assembler = new Assembler(this.#type, this.#count, columns);
    let first = 0;
    for (const block of this.#blocks.splice(0)) {
      assembler.put(block, first);
      first += block.length / this.#type.size;
    }
    return assembler.finish(shape, header.fortran);
  }
}
