// Pickles of arrays of objects, which `np.load(…, allow_pickle=True)` reads: protocol 4, of plain data.
import { refusal } from "./arguments.js";
import { NDArray, plain } from "./array.js";
import type { DType } from "./dtype.js";
import { product } from "./dtype.js";
import { NpyError, shown } from "./error.js";

const encoder = new TextEncoder();

/** Returns the pickle of an array of objects, given in C order. NumPy makes the array in Fortran order if `is_fortran`. */
export function pickle(data: readonly any[], shape: readonly number[], type: DType, is_fortran: boolean): Uint8Array {
  if (type.kind !== "O") throw new NpyError("unsupported", "records with Python objects are read, not written; write the columns as arrays");
  if (data.length !== product(shape)) throw new NpyError("shape", `${data.length} objects do not fill the shape (${shape.join(", ")}); pass as many`);
  const out = new Pickler();
  out.op(0x80, 4);
  // _reconstruct(ndarray, (0,), b"b"), and its state: (1, shape, dtype, is_fortran, list).
  out.global("numpy._core.multiarray", "_reconstruct");
  out.global("numpy", "ndarray");
  out.value(0);
  out.op(0x85);
  out.value(Uint8Array.of(98));
  out.op(0x87);
  out.op(0x52);
  out.op(0x28);
  out.value(1);
  out.tuple(shape);
  // dtype("O8", False, True), and its state: (3, "|", None, None, None, -1, -1, 63).
  out.global("numpy", "dtype");
  out.value("O8");
  out.value(false);
  out.value(true);
  out.op(0x87);
  out.op(0x52);
  out.tuple([3, "|", null, null, null, -1, -1, 63]);
  out.op(0x62);
  out.value(is_fortran);
  out.value(Array.from(data));
  out.op(0x74);
  out.op(0x62);
  out.op(0x2e);
  return out.bytes();
}

/** The deepest nesting that is written, as the module reads it. */
const MAX_DEPTH = 128;

class Pickler {
  #out = new Uint8Array(1024);
  #length = 0;
  #depth = 0;

  bytes(): Uint8Array {
    return this.#out.subarray(0, this.#length);
  }

  op(...bytes: number[]): void {
    this.#put(bytes);
  }

  #put(bytes: ArrayLike<number>): void {
    if (this.#length + bytes.length > this.#out.length) {
      const larger = new Uint8Array(2 * (this.#length + bytes.length));
      larger.set(this.#out);
      this.#out = larger;
    }
    this.#out.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #number(size: number, write: (view: DataView) => void): void {
    const bytes = new Uint8Array(size);
    write(new DataView(bytes.buffer));
    this.#put(bytes);
  }

  global(module: string, name: string): void {
    this.value(module);
    this.value(name);
    this.op(0x93);
  }

  tuple(items: readonly any[]): void {
    this.op(0x28);
    items.forEach((item) => this.value(item));
    this.op(0x74);
  }

  value(value: any): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new NpyError("invalid-value", `objects are nested deeper than ${MAX_DEPTH}, or contain themselves; write them in a flatter form`);
    this.#value(value);
    this.#depth -= 1;
  }

  #value(value: any): void {
    const reason = refusal(value);
    if (reason !== undefined) throw new NpyError("invalid-value", reason);
    if (value === null) this.op(0x4e);
    else if (typeof value === "boolean") this.op(value ? 0x88 : 0x89);
    else if (typeof value === "bigint" || Number.isSafeInteger(value)) this.#integer(BigInt(value), Object.is(value, -0));
    else if (typeof value === "number") this.#float(value);
    else if (typeof value === "string") this.#text(value);
    else if (value instanceof Uint8Array) this.#sized(0x42, 4, value);
    else if (Array.isArray(value)) this.#list(value);
    else if (value instanceof Map) this.#map(value);
    else if (value instanceof Set) this.#set(value);
    else if (value instanceof Date) this.#date(value);
    else if (value instanceof NDArray) this.#list(Array.from({ length: value.shape[0] ?? 0 }, (_, i) => nested(value, i)));
    else if (Object.getPrototypeOf(value) === Object.prototype) this.#map(new Map(Object.entries(value)));
    else throw new NpyError("invalid-value", `${shown(value)} has no pickle; write null, booleans, numbers, text, bytes, lists, maps, sets or dates`);
  }

  #integer(value: bigint, is_negative_zero: boolean): void {
    if (is_negative_zero) return this.#float(-0);
    if (value >= -(2n ** 31n) && value < 2n ** 31n) {
      this.op(0x4a);
      return this.#number(4, (view) => view.setInt32(0, Number(value), true));
    }
    const bytes: number[] = [];
    let rest = value;
    do {
      bytes.push(Number(rest & 0xffn));
      rest >>= 8n;
    } while (!((rest === 0n && bytes.at(-1)! < 128) || (rest === -1n && bytes.at(-1)! >= 128)));
    this.op(0x8b);
    this.#number(4, (view) => view.setUint32(0, bytes.length, true));
    this.#put(bytes);
  }

  #float(value: number): void {
    this.op(0x47);
    this.#number(8, (view) => view.setFloat64(0, value));
  }

  #text(text: string): void {
    if (!(text as any).isWellFormed?.() && /[\ud800-\udfff]/u.test(text)) throw new NpyError("invalid-value", "a text has half of a surrogate pair; write well-formed text");
    this.#sized(0x58, 4, encoder.encode(text));
  }

  #sized(code: number, width: number, bytes: Uint8Array): void {
    this.op(code);
    this.#number(width, (view) => view.setUint32(0, bytes.length, true));
    this.#put(bytes);
  }

  #list(items: readonly any[]): void {
    this.op(0x5d, 0x28);
    items.forEach((item) => this.value(item));
    this.op(0x65);
  }

  #map(map: Map<any, any>): void {
    this.op(0x7d, 0x28);
    for (const [key, value] of map) {
      this.#key(key);
      this.value(value);
    }
    this.op(0x75);
  }

  #set(set: Set<any>): void {
    this.op(0x8f, 0x28);
    set.forEach((item) => this.#key(item));
    this.op(0x90);
  }

  /** Writes a key, or an item of a set, which Python must be able to hash. */
  #key(value: any): void {
    const is_hashable = value === null || typeof value !== "object" || value instanceof Uint8Array || value instanceof Date;
    if (!is_hashable) throw new NpyError("invalid-value", `${shown(value)} is a key or an item of a set, and Python has no hash of it; use text, a number, bytes or a date`);
    this.value(value);
  }

  /** A date and time without a zone, in UTC. */
  #date(date: Date): void {
    const year = date.getUTCFullYear();
    if (!(year >= 1 && year <= 9999)) throw new NpyError("invalid-value", `${String(date)} is not within the years 1 to 9999 that Python has; write another date`);
    const micro = date.getUTCMilliseconds() * 1000;
    this.global("datetime", "datetime");
    const fields = [year >> 8, year & 255, date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()];
    this.value(Uint8Array.of(...fields, micro >> 16, (micro >> 8) & 255, micro & 255));
    this.op(0x85, 0x52);
  }
}

function nested(array: NDArray, row: number): any {
  const value = array.get(row);
  return value instanceof NDArray ? plain(value).toNested() : value;
}
