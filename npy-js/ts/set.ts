// Setting one element: values that do not fit are refused.
import { NpyError, shown } from "./error.js";
import type { DType } from "./dtype.js";
import { fromHalf, toHalf } from "./floats.js";
import { NDArray } from "./array.js";
import { ofPython } from "./build.js";
import { Call, nanosecondsOf } from "./objects.js";
import { TRIM } from "./scalar.js";
import { between, NAT } from "./time.js";

export const isTyped = (values: unknown): values is any => ArrayBuffer.isView(values) && !(values instanceof DataView);

/** Sets one element. `path` is the field that it belongs to, for messages. */
export function setAt(type: DType, data: any, at: number, value: any, path = ""): void {
  if (type.fields && !Array.isArray(data)) {
    setFields(type, data, at, value, path);
  } else if (type.base) {
    setEntries(type.base, data, at, value instanceof NDArray ? value.toNested() : value, type.shape!, path);
  } else if ((value instanceof Call && type.kind !== "O") || (value instanceof Uint8Array && type.kind === "S")) {
    // A record with Python objects has these where others have numbers and text.
    const own = ofPython(value, type);
    if (own === value) refuse(value, type, path);
    setAt(type, data, at, own, path);
  } else if (type.kind === "c") {
    const { re, im } = pair(value, type, path);
    [data[2 * at], data[2 * at + 1]] = [re, im];
  } else if (type.kind === "b") {
    data[at] = entry(value, type, path) ? 1 : 0;
  } else {
    data[at] = entry(value, type, path);
  }
}

/** The names of the fields of each record dtype, made once for all rows. */
const names = new WeakMap<DType, Set<string>>();

function namesOf(type: DType): Set<string> {
  const found = names.get(type) ?? new Set(type.fields!.map((field) => field.name));
  names.set(type, found);
  return found;
}

function setFields(type: DType, data: any, at: number, value: any, path: string): void {
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new NpyError("invalid-value", `${shown(value)} is not a record; pass an object of its fields, ${type.fields!.slice(0, 10).map(({ name }) => name).join(", ")}`, { field: path || undefined });
  }
  const known = namesOf(type);
  const other = Object.keys(value).find((name) => !known.has(name));
  if (other !== undefined) {
    const field = path ? `${path}.${other}` : other;
    throw new NpyError("invalid-value", `a record has the field ${JSON.stringify(field)}, which the dtype does not have; leave it out, or add it to the dtype`, { field });
  }
  for (const { name, dtype } of type.fields!) {
    const field = path ? `${path}.${name}` : name;
    if (!(name in value)) throw new NpyError("invalid-value", `a record has no value for the field ${JSON.stringify(field)}; pass an object of all fields`, { field });
    setAt(dtype, data[name], at, value[name], field);
  }
}

function setEntries(base: DType, data: any, at: number, value: any, [n, ...rest]: readonly number[], path: string): void {
  if (n === undefined) return setAt(base, data, at, value, path);
  if (value?.length !== n) {
    const found = value?.length === undefined ? "a single value" : `${value.length} entries`;
    throw new NpyError("invalid-value", `a sub-array has ${found} and its dtype ${n}; pass as many`, { field: path || undefined });
  }
  for (let i = 0; i < n; i++) setEntries(base, data, at * n + i, value[i], rest, path);
}

/** The advice about a value that does not fit. */
export const REMEDY = "pass one that does, or use another dtype";

function refuse(value: unknown, type: DType, path: string, remedy = REMEDY): never {
  throw new NpyError("invalid-value", `${path ? `field ${JSON.stringify(path)}: ` : ""}${shown(value)} does not fit ${type.str}; ${remedy}`, { field: path || undefined });
}

/** Returns the entry of the data for a value; an error if it does not fit. */
function entry(value: any, type: DType, path: string): any {
  switch (type.kind) {
    case "i": case "u": return integer(value, type, path);
    case "f": {
      const number = typeof value === "bigint" || typeof value === "boolean" ? Number(value) : value;
      if (typeof number !== "number" || !isInRange(value, number, type.size)) return refuse(value, type, path);
      // A `Float32Array` would round it first.
      return type.size === 2 ? fromHalf(toHalf(number)) : number;
    }
    case "b": return isNumber(value) && (value == 0 || value == 1) ? value : refuse(value, type, path);
    case "M": case "m": return time(value, type, path);
    case "S": case "U": return text(value, type, path);
    case "V": return isTyped(value) && value.length === type.size ? Uint8Array.from(value as Uint8Array) : refuse(value, type, path);
    default: return value;
  }
}

/** Returns the dtype that holds each of these integers. */
export function integerType(values: readonly bigint[]): string {
  const fits = (wrap: typeof BigInt.asIntN): boolean => values.every((value) => wrap(64, value) === value);
  return fits(BigInt.asIntN) ? "<i8" : fits(BigInt.asUintN) ? "<u8" : "|O";
}

function integer(value: any, type: DType, path: string): number | bigint {
  const plain = typeof value === "boolean" ? Number(value) : value;
  if (typeof plain === "number" && type.size < 8) {
    const numbers = 2 ** (type.size * 8);
    const least = type.kind === "i" ? -numbers / 2 : 0;
    return Number.isInteger(plain) && plain >= least && plain < least + numbers ? plain : refuse(value, type, path);
  }
  if (typeof plain !== "bigint" && !Number.isInteger(plain)) return refuse(value, type, path);
  const whole = BigInt(plain);
  const bits = type.size * 8;
  const wrapped = type.kind === "i" ? BigInt.asIntN(bits, whole) : BigInt.asUintN(bits, whole);
  if (wrapped !== whole) return refuse(value, type, path, bits === 64 ? `use the dtype "${integerType([whole])}"` : REMEDY);
  return type.size === 8 ? whole : Number(whole);
}

/** True unless the float of this size is infinite and the value is not. */
function isInRange(value: number | bigint | boolean, number: number, size: number): boolean {
  if (typeof value === "number" && !Number.isFinite(value)) return true;
  return Number.isFinite(size === 2 ? fromHalf(toHalf(number)) : size === 4 ? Math.fround(number) : number);
}

/** True for what is a number in Python, too. */
export const isNumber = (value: unknown): boolean => ["number", "bigint", "boolean"].includes(typeof value);

function pair(value: any, type: DType, path: string): { re: number; im: number } {
  const { re, im } = isNumber(value) ? { re: value, im: 0 } : (value ?? {});
  const fits = (part: any): boolean => isNumber(part) && isInRange(part, Number(part), type.size / 2);
  return fits(re) && fits(im) ? { re: Number(re), im: Number(im) } : refuse(value, type, path, "pass a number, or { re, im }");
}

function time(value: any, type: DType, path: string): bigint {
  if (value === null) return NAT;
  if (type.kind === "M" && value instanceof Date) return date(value, type, path);
  if (typeof value !== "bigint" && !Number.isSafeInteger(value)) return refuse(value, type, path, `pass ${type.kind === "M" ? "a Date, or " : ""}a count of the unit`);
  const count = BigInt(value);
  return BigInt.asIntN(64, count) === count ? count : refuse(value, type, path);
}

function date(value: Date, type: DType, path: string): bigint {
  if (Number.isNaN(value.getTime())) return NAT;
  const [unit, since] = [type.unit!, nanosecondsOf(value)];
  const count = between("ns", unit)(since);
  if (BigInt.asIntN(64, count) !== count) return refuse(value, type, path, "use a coarser unit");
  return between(unit, "ns")(count) === since ? count : refuse(value, type, path, "use a finer unit, or pass a date that is a whole number of them");
}

function text(value: any, type: DType, path: string): string {
  if (typeof value !== "string") return refuse(value, type, path, "pass text");
  if (value.endsWith("\0")) return refuse(value, type, path, TRIM);
  if (type.kind === "U") return [...value].length * 4 <= type.size ? value : refuse(value, type, path, "use a wider dtype");
  if (/[^\0-\xff]/.test(value)) return refuse(value, type, path, "bytes are latin-1: use a dtype such as '<U8'");
  return value.length <= type.size ? value : refuse(value, type, path, "use a wider dtype");
}
