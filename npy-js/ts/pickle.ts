// Pickles of arrays of objects, which `np.load(…, allow_pickle=True)` reads: protocol 4, of plain data.
import { columnsOf, refusal } from "./arguments.js";
import { isFortran, NDArray, plain } from "./array.js";
import { type DType, product } from "./dtype.js";
import { NpyError, shown } from "./error.js";
import { array, Call, DATE, dateOf, digits, items, keys, revive, SCALAR, types, zoneOf } from "./objects.js";
import { isNumber } from "./set.js";

const encoder = new TextEncoder();

/** Returns the bytes of the elements of an array, in the order in which they are written. */
export type Elements = (array: NDArray) => Uint8Array;

/** Returns the pickle of an array of objects. */
export function pickle(array: NDArray, elements: Elements): Uint8Array {
  if (array.type.kind !== "O") throw new NpyError("unsupported", `records with Python objects are read, not written; write the columns, as by saveNPZ(path, ${columnsOf(array.type)})`);
  const out = new Pickler(elements);
  out.op(0x80, 4);
  out.array(array);
  out.op(0x2e);
  return out.bytes();
}

/** The deepest nesting that is written, as the module reads it. */
const MAX_DEPTH = 128;

class Pickler {
  readonly #elements: Elements;
  #out = new Uint8Array(1024);
  #length = 0;
  #depth = 0;

  constructor(elements: Elements) {
    this.#elements = elements;
  }

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

  /** Writes a call of a class or function; each argument writes itself. */
  #call(module: string, name: string, ...parts: (() => void)[]): void {
    this.#text(module);
    this.#text(name);
    this.op(0x93, 0x28);
    parts.forEach((part) => part());
    this.op(0x74, 0x52);
  }

  #dtype(type: DType): void {
    this.#call("numpy", "dtype", () => this.#text(type.str));
  }

  /** Writes an array: `_reconstruct(ndarray, (0,), b"b")`, and its state: `(1, shape, dtype, is_fortran, list or bytes)`. */
  array(array: NDArray): void {
    // A list of objects is in C order always.
    const { data, shape, type } = plain(array);
    const is_list = type.kind === "O";
    if (is_list && data.length !== product(shape)) throw new NpyError("shape", `${data.length} objects do not fill the shape (${shape.join(", ")}); pass as many`);
    const global = (): void => {
      this.#text("numpy");
      this.#text("ndarray");
      this.op(0x93);
    };
    this.#call("numpy._core.multiarray", "_reconstruct", global, () => this.op(0x4b, 0, 0x85), () => this.#bytes(Uint8Array.of(98)));
    this.op(0x28, 0x4b, 1, 0x28);
    shape.forEach((n) => this.#integer(BigInt(n)));
    this.op(0x74);
    this.#dtype(type);
    this.op(isFortran(array) ? 0x88 : 0x89);
    if (is_list) this.#items(0x5d, data, 0x65, shape.length ? product(shape.slice(1)) : 0);
    else this.#bytes(this.#elements(array));
    this.op(0x74, 0x62);
  }

  /** Writes a value, or the one that the module said if it is the same. */
  #value(value: any, json?: any): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new NpyError("invalid-value", `objects are nested deeper than ${MAX_DEPTH}, or contain themselves; write them in a flatter form`);
    // A key has no negative zero.
    const known = json && revive(json);
    if (json !== undefined && (Object.is(known, value) || known === value)) this.#original(value, json);
    else this.#changed(value);
    this.#depth -= 1;
  }

  #original(value: any, json: any): void {
    if ("float" in json) this.#float(value);
    else if ("scalar" in json) this.#scalar(array(json.scalar, json.data));
    else lost(json.as, value);
  }

  #changed(value: any): void {
    const reason = refusal(value);
    if (reason !== undefined) throw new NpyError("invalid-value", reason);
    if (value === null) this.op(0x4e);
    else if (typeof value === "boolean") this.op(value ? 0x88 : 0x89);
    else if (typeof value === "bigint" || (Number.isSafeInteger(value) && !Object.is(value, -0))) this.#integer(BigInt(value));
    else if (typeof value === "number") this.#float(value);
    else if (typeof value === "string") this.#text(value);
    else if (value instanceof Date) this.#date(value);
    else this.#object(value, types.get(value));
  }

  #object(value: any, type: string | undefined): void {
    if (value instanceof NDArray) {
      if (type === SCALAR) this.#scalar(value);
      else if (type !== undefined) lost(type, value);
      else if (value.names) throw new NpyError("invalid-value", "an array of records within objects is not written; write its toNested(), which is a list of dictionaries");
      else this.array(value);
    } else if (isNumpy(type ?? "")) this.#scalar(NDArray.from(value, { dtype: type! }));
    else if (Array.isArray(value) && type === "tuple") this.#items(0, value, 0x74);
    else if (value instanceof Set && type === "frozenset") this.#set(0, value, 0x91);
    else if (value instanceof Uint8Array && type === "bytearray") this.#call("builtins", "bytearray", () => this.#bytes(value));
    else if (value instanceof Map && type === "collections.OrderedDict") {
      this.#call("collections", "OrderedDict");
      this.#entries(value);
    } else if (type !== undefined) lost(type, value);
    else if (value instanceof Uint8Array) this.#bytes(value);
    else if (ArrayBuffer.isView(value)) this.array(NDArray.from(value));
    else if (Array.isArray(value)) this.#items(0x5d, value, 0x65);
    else if (value instanceof Set) this.#set(0x8f, value, 0x90);
    else if (value instanceof Map) {
      this.op(0x7d);
      this.#entries(value);
    } else if (isComplex(value)) this.#call("builtins", "complex", () => this.#float(Number(value.re)), () => this.#float(Number(value.im)));
    else if (Object.getPrototypeOf(value) === Object.prototype) {
      this.op(0x7d);
      this.#entries(new Map(Object.entries(value)));
    } else if (value instanceof Call && value.name === "datetime.datetime") {
      throw new NpyError("invalid-value", "a datetime has a zone with rules, such as Europe/Berlin, and is read and not written; write a Date in its place, or save it in Python as value.astimezone(datetime.timezone.utc)");
    } else if (value instanceof Call) {
      const form = value.name === "builtins.complex" ? "{ re, im }, which are its arguments," : value.arguments === undefined ? "its text" : "its text or its arguments";
      throw new NpyError("invalid-value", `${value} is an object of ${value.name}, which is read and not written; write ${form} in its place`);
    }
    else throw new NpyError("invalid-value", `${shown(value)} has no pickle; write null, booleans, numbers, text, bytes, lists, maps, sets, dates or arrays`);
  }

  #integer(value: bigint): void {
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
    this.#sized(0x8b, Uint8Array.from(bytes));
  }

  #float(value: number): void {
    this.op(0x47);
    this.#number(8, (view) => view.setFloat64(0, value));
  }

  #text(text: string): void {
    if (!(text as any).isWellFormed?.() && /[\ud800-\udfff]/u.test(text)) throw new NpyError("invalid-value", "a text has half of a surrogate pair; write well-formed text");
    this.#sized(0x58, encoder.encode(text));
  }

  #bytes(bytes: Uint8Array): void {
    this.#sized(0x42, bytes);
  }

  #sized(code: number, bytes: Uint8Array): void {
    this.op(code);
    this.#number(4, (view) => view.setUint32(0, bytes.length, true));
    this.#put(bytes);
  }

  /** Writes the items of a list between two opcodes; an error names the row if `row_items` are one. */
  #items(before: number, list: readonly any[], after: number, row_items = 0): void {
    if (before) this.op(before);
    this.op(0x28);
    const [all, depth] = [items.get(list), this.#depth];
    for (let i = 0; i < list.length; i++) {
      try {
        this.#value(list[i], all?.get(i));
      } catch (error) {
        if (!row_items || depth > 0 || !(error instanceof NpyError)) throw error;
        const row = Math.floor(i / row_items);
        throw new NpyError(error.kind, `row ${row}: ${error.message}`, { row });
      }
    }
    this.op(after);
  }

  #entries(map: Map<any, any>): void {
    this.op(0x28);
    const seen = new Set();
    for (const [key, value] of map) {
      this.#key(key, keys.get(map)?.get(key), seen);
      this.#value(value, items.get(map)?.get(key));
    }
    this.op(0x75);
  }

  #set(before: number, set: Set<any>, after: number): void {
    if (before) this.op(before);
    this.op(0x28);
    const seen = new Set();
    set.forEach((item) => this.#key(item, items.get(set)?.get(item), seen));
    this.op(after);
  }

  /** Writes a key, or an item of a set, which Python must be able to hash. `seen` are those before it: to Python, `1`, `1n` and `true` are one. */
  #key(value: any, json: any, seen: Set<unknown>): void {
    if (!isHashable(value)) throw new NpyError("invalid-value", `${shown(value)} is a key or an item of a set, and Python has no hash of it; use text, a number, bytes or a date`);
    const start = this.#length;
    this.#value(value, json);
    const is_whole = typeof value === "boolean" || Number.isInteger(value);
    const is_bytes = value instanceof Date || value instanceof Uint8Array;
    const same = is_whole ? BigInt(value) : is_bytes ? `\0${this.#out.subarray(start, this.#length)}` : value;
    if (seen.has(same)) throw new NpyError("invalid-value", `${shown(value)} is the same as another key, or item of the set, in Python; remove one`);
    seen.add(same);
  }

  /** A scalar of NumPy. */
  #scalar(array: NDArray): void {
    this.#call("numpy._core.multiarray", "scalar", () => this.#dtype(array.type), () => this.#bytes(this.#elements(array)));
  }

  /** Writes the date that was read, or a date and time without a zone, in UTC. */
  #date(date: Date): void {
    const known = types.get(date);
    if (known !== undefined && !DATE.test(known)) return lost(known, date);
    const is_known = known !== undefined && dateOf(known).getTime() === date.getTime();
    const found = DATE.exec(is_known ? known : Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, -1));
    if (!found || Number(found[1]) === 0) throw new NpyError("invalid-value", `${shown(date)} is not within the years 1 to 9999 that Python has; write another date`);
    const [, years, month, day, hours, minutes, seconds, fraction, sign] = found;
    const bytes = [Number(years) >> 8, Number(years) & 255, Number(month) | (found[13] ? 128 : 0), Number(day)];
    if (hours === undefined) return this.#call("datetime", "date", () => this.#bytes(Uint8Array.from(bytes)));
    const micro = digits(fraction, 6);
    bytes.push(Number(hours), Number(minutes), Number(seconds), micro >> 16, (micro >> 8) & 255, micro & 255);
    const offset = zoneOf(found);
    const [days, since] = [Math.floor(offset / 86_400_000_000), Math.floor(offset / 1_000_000)];
    // Python has no negative seconds.
    const parts = [days, since - 86_400 * days, offset - 1_000_000 * since].map((part) => () => this.#integer(BigInt(part)));
    const span = (): void => this.#call("datetime", "timedelta", ...parts);
    const zone = (): void => this.#call("datetime", "timezone", span);
    this.#call("datetime", "datetime", () => this.#bytes(Uint8Array.from(bytes)), ...(sign ? [zone] : []));
  }
}

/** True for the dtype of a scalar of NumPy. */
const isNumpy = (type: string): boolean => /^[<>|]/.test(type);

function isComplex(value: any): boolean {
  return Object.keys(value).join() === "re,im" && isNumber(value.re) && isNumber(value.im);
}

/** True for what Python can hash: tuples and frozensets that were read, too. */
function isHashable(value: any): boolean {
  // A call has an error of its own.
  if (value === null || typeof value !== "object" || value instanceof Date || value instanceof Call) return true;
  const type = types.get(value) ?? "";
  if (value instanceof Uint8Array) return type !== "bytearray";
  return (type === "tuple" && value.every(isHashable)) || type === "frozenset" || type === SCALAR || isNumpy(type) || isComplex(value);
}

/** The error about a value that would get another type. A copy has no type but that of JavaScript. */
function lost(type: string, value: unknown): never {
  const copy = Array.isArray(value) ? "[...value]" : value instanceof NDArray ? "NDArray.from(value)" : value instanceof Map ? "new Map(value)" : value instanceof Date ? "new Date(value)" : "{ ...value }";
  const advice = value === null ? "write text in its place, or null in a copy of the list or Map that has it, such as [...list]" : `write a copy, ${copy}, in its place`;
  throw new NpyError("invalid-value", `a value that was read as ${type} is not written, because it would get another type; ${advice}`);
}
