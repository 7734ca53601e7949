// Arrays from values of JavaScript.
import { NpyError, shown } from "./error.js";
import type { DType } from "./dtype.js";
import { classOf, count, parse, product, record, width } from "./dtype.js";
import { cast } from "./cast.js";
import { refusal } from "./arguments.js";
import { checked, NDArray, plain } from "./array.js";
import { Call, nanosecondsOf } from "./objects.js";
import { integerType, isNumber, isTyped, REMEDY, setAt } from "./set.js";
import { inUnitsOf, isTime } from "./time.js";

interface Built {
  data: any;
  shape: readonly number[];
  type: DType;
}

/** The most dimensions, as in NumPy. */
const MAX_DIMENSIONS = 64;

/** An error for lists that are nested deeper than an array can be, or that contain themselves. */
function checkDepth(depth: number): void {
  if (depth <= MAX_DIMENSIONS) return;
  throw new NpyError("shape", `the lists are nested deeper than ${MAX_DIMENSIONS} dimensions, or contain themselves; pass fewer levels, or the dtype '|O' for lists as objects`);
}

/** Makes data of nested lists, a typed array or one value. */
export function build(values: any, dtype: string | undefined, shape: readonly number[] | undefined): Built {
  const type = dtype === undefined ? undefined : parse(dtype);
  if (values === undefined || (values === null && type === undefined)) {
    throw new NpyError("argument", `${String(values)} is not an array; pass values, or a dtype for null`);
  }
  checkValue(values, type);
  if (isTyped(values)) {
    const own = ownType(values);
    if (!type || classOf(type)) return typed(values, own, type ?? own, shape);
    // The bytes of one element of raw data are a value.
    if (type.kind !== "V") values = Array.from(values);
  }
  // Lists within objects may contain themselves.
  const of = type?.kind === "O" ? undefined : leaf(values);
  const isArray = (part: any): boolean => part instanceof NDArray;
  const parts: any[] = Array.isArray(values) && isTyped(of) ? values.flat(MAX_DIMENSIONS) : [];
  const is_stack = isArray(of) || ((type ? parts.some(isArray) : isTyped(of)) && parts.every((part) => isArray(part) || isTyped(part)));
  if (Array.isArray(values) && is_stack) return stack(values, dtype, shape);
  const is_list = type?.kind === "O" || (type === undefined && isOther(isTyped(of) ? of[0] : of));
  const found = is_list ? listShape(values) : shapeOf(values, type);
  const flat = flatten(values, found);
  // NumPy has at least one character, unless the dtype says zero.
  const known = type ? (isWide(type) ? wide(flat, type.kind, /0$/.test(dtype!) ? 0 : 1) : type) : infer(flat);
  const data = allocate(known, flat.length);
  const rowItems = Math.max(flat.length / (found[0] || 1), 1);
  flat.forEach((value, i) => {
    try {
      setAt(known, data, i, value);
    } catch (error) {
      if (!(error instanceof NpyError)) throw error;
      const row = Math.floor(i / rowItems);
      throw new NpyError(error.kind, `row ${row}: ${error.message}`, { row, field: error.field });
    }
  });
  if (is_list && shape && count(shape) !== flat.length && flat.some(Array.isArray)) {
    throw new NpyError("shape", `${flat.length} objects do not fill the shape (${shape.join(", ")}); pass all objects in one list, such as list.flat(${shape.length - 1})`);
  }
  return { data, shape: shape ? checked(shape, found) : found, type: known };
}

/** An error for what is not a value, or is only one as an object. */
function checkValue(value: any, type: DType | undefined): void {
  const reason = refusal(value);
  if (reason !== undefined) throw new NpyError("argument", reason);
  const is_collection = type?.kind !== "O" && typeof value === "object" && typeof value?.[Symbol.iterator] === "function" && !Array.isArray(value) && !isTyped(value);
  if (is_collection) throw new NpyError("argument", `${shown(value)} is not an array; pass a list, such as [...values], or the dtype "|O" for a Python object`);
}

/** The dtype of a typed array. */
const ownType = (values: any): DType => parse(values.constructor.name === "Buffer" ? "Uint8Array" : values.constructor.name);

/** Makes an array of arrays, or of typed arrays, of one shape. */
function stack(list: any[], dtype: string | undefined, shape: readonly number[] | undefined): Built {
  const parts = list.flat(MAX_DIMENSIONS);
  const types = new Set(parts.map((part) => (part instanceof NDArray ? part.dtype : isTyped(part) ? ownType(part).str : "")));
  if (types.has("|O")) throw new NpyError("argument", "arrays of Python objects are not stacked; pass their values as lists, and the dtype \"|O\"");
  if (types.has("")) throw new NpyError("argument", "a list has arrays and other values; pass arrays alone, or the dtype \"|O\" for Python objects");
  if (dtype === undefined && types.size > 1) throw new NpyError("argument", `the arrays of a list have the dtypes ${[...types].join(", ")}; name one as the dtype`);
  const type = dtype === undefined ? undefined : parse(dtype);
  const nested = (part: any): any => (part instanceof NDArray ? nestedFor(type ?? part.type, part) : Array.isArray(part) ? part.map(nested) : part);
  return build(nested(list), dtype ?? [...types][0], shape);
}

/** Returns the elements of an array as nested lists, with times in the units of another dtype. */
export function nestedFor(type: DType, array: NDArray): any {
  const { data, shape, type: own } = plain(array);
  return new NDArray(inUnitsOf(type, own, data, shape[0] ?? 1), shape, own).toNested();
}

/** True for text without a width. */
const isWide = ({ kind, size }: DType): boolean => size === 0 && (kind === "U" || kind === "S");

/** Returns the dtype of text that holds each value. */
function wide(values: any[], kind: string, least: number): DType {
  const longest = values.reduce((most, text) => Math.max(most, typeof text === "string" ? [...text].length : 0), least);
  return parse(kind === "U" ? `<U${longest}` : `|S${longest}`);
}

function typed(values: any, own: DType, type: DType, shape: readonly number[] | undefined): Built {
  const is_pairs = type.kind === "c" && own.kind === "f";
  const n = is_pairs ? values.length / 2 : values.length;
  if (!Number.isInteger(n)) throw new NpyError("shape", `${values.length} numbers are not pairs; pass a real and an imaginary part for each element`);
  let data;
  const convert = (to: DType, rows: number): any => cast(values, own, to, "checked", [rows], REMEDY);
  if (is_pairs) data = convert(parse(type.size === 8 ? "<f4" : "<f8"), values.length);
  else if (isTime(type)) data = convert(parse("<i8"), n);
  else data = convert(type, n);
  return { data, shape: shape ? checked(shape, [n]) : [n], type };
}

/** Returns data of zeros, or of empty texts, for elements of a dtype. */
export function allocate(type: DType, length: number): any {
  if (type.fields) return Object.fromEntries(type.fields.map(({ name, dtype }) => [name, allocate(dtype, length)]));
  if (type.base) return allocate(type.base, length * product(type.shape!));
  const class_ = classOf(type);
  if (class_) return new class_(length * width(type));
  if (type.kind === "V") return Array.from({ length }, () => new Uint8Array(type.size));
  return new Array(length).fill(type.kind === "O" ? null : "");
}

/** Returns the first value that is not a list, and not `null` if there is another one. */
function leaf(values: any, depth = 1): any {
  if (!Array.isArray(values) || values.length === 0) return values;
  checkDepth(depth);
  for (const value of values) {
    const found = leaf(value, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** Returns the data of a column of records that Python made. */
export function fromObjects(values: any[], type: DType): any {
  if (type.fields || type.kind === "O") return values;
  return build(values.map((value) => ofPython(value, type)), type.str, undefined).data;
}

function isOther(value: any): boolean {
  if (value === undefined) return true;
  if (typeof value === "object" && value !== null) return !(value instanceof Date || "re" in value || Array.isArray(value));
  return !(value === null || isNumber(value) || typeof value === "string");
}

const listShape = (values: any): number[] => (Array.isArray(values) ? [values.length] : []);

function shapeOf(values: any, type: DType | undefined): number[] {
  const shape: number[] = [];
  // The dimensions of a sub-array belong to its elements, as do the bytes of raw data.
  const most = type?.base ? depth(values) - depthOf(type) : Infinity;
  for (let value = values; Array.isArray(value) || (isTyped(value) && type?.kind !== "V"); value = value[0]) {
    if (shape.length >= most) break;
    shape.push(value.length);
    checkDepth(shape.length);
    if (value.length === 0) break;
  }
  return shape;
}

function depth(values: any): number {
  let depth = 0;
  for (let value = values; Array.isArray(value) || isTyped(value); value = value[0]) checkDepth(++depth);
  return depth;
}

const depthOf = (type: DType): number => (type.base ? type.shape!.length + depthOf(type.base) : 0);

function flatten(values: any, shape: readonly number[]): any[] {
  count(shape);
  let level = [values];
  for (const n of shape) {
    const next: any[] = [];
    for (const list of level) {
      if (!(Array.isArray(list) || isTyped(list)) || list.length !== n) {
        throw new NpyError("shape", `the lists are not equally long: ${n} entries and ${list?.length ?? "a value"}; pass lists of one length, or NDArray.from(values, { dtype: "|O" }) for Python objects`);
      }
      for (let i = 0; i < n; i++) next.push(list[i]);
    }
    level = next;
  }
  return level;
}

/** Returns the unit of dates: milliseconds, and a finer one for those of Python that have more digits. */
function unitOf(values: (Date | null)[]): string {
  const counts = values.map((value) => (value === null || Number.isNaN(value.getTime()) ? 0n : nanosecondsOf(value)));
  return counts.every((count) => count % 1_000_000n === 0n) ? "ms" : counts.every((count) => count % 1000n === 0n) ? "us" : "ns";
}

/** Finds the dtype of values without one. */
function infer(values: any[]): DType {
  if (values.length === 0 || values.every((value) => typeof value === "number")) return parse("<f8");
  if (values.every((value) => typeof value === "boolean")) return parse("|b1");
  if (values.every((value) => typeof value === "bigint")) return parse(integerType(values));
  if (values.every((value) => typeof value === "string")) return wide(values, "U", 1);
  const has_date = values.some((value) => value instanceof Date);
  if (has_date && values.every((value) => value instanceof Date || value === null)) return parse(`<M8[${unitOf(values)}]`);
  const is_complex = (value: any): boolean => isNumber(value?.re);
  if (values.some(is_complex) && values.every((value) => isNumber(value) || is_complex(value))) return parse("<c16");
  const reason = values.map(refusal).find((reason) => reason !== undefined);
  if (reason !== undefined) throw new NpyError("argument", reason);
  if (values.some((value) => value instanceof NDArray)) return stack(values, undefined, undefined).type;
  const kinds = [...new Set(values.map((value) => typeof value))];
  // NumPy converts these to one another, and makes objects of others.
  if (kinds.length > 1 && kinds.every((kind) => ["number", "bigint", "boolean", "string"].includes(kind))) {
    throw new NpyError("argument", `the values are of ${kinds.length} kinds, ${kinds.join(" and ")}; pass one kind, or NDArray.from(values, { dtype: "${common(values)}" })`);
  }
  return parse("|O");
}

/** Returns a value that Python made of an element of a dtype, as `set` takes it. */
export function ofPython(value: any, type: DType): any {
  if (type.kind === "S" && value instanceof Uint8Array) return String.fromCharCode(...value);
  const { name, arguments: parts } = value instanceof Call ? (value as any) : ({} as any);
  if (type.kind === "c" && name === "builtins.complex") return { re: parts[0], im: parts[1] };
  if (type.kind !== "m" || name !== "datetime.timedelta") return value;
  // The days of Python may be more than 64 bits of microseconds, which a list holds.
  const microseconds = (86_400n * BigInt(parts[0]) + BigInt(parts[1])) * 1_000_000n + BigInt(parts[2]);
  return inUnitsOf(type, parse("<m8[us]"), [microseconds], 1)[0];
}

/** Returns the dtype that holds each of these values, which are of several kinds. */
function common(values: any[]): string {
  const is_fraction = (value: any): boolean => typeof value === "number" && !Number.isInteger(value);
  const is_large = (value: any): boolean => typeof value === "bigint" && !Number.isSafeInteger(Number(value));
  if (values.some((value) => typeof value === "string") || (values.some(is_fraction) && values.some(is_large))) return "|O";
  return values.some(is_fraction) || values.every((value) => typeof value !== "bigint") ? "<f8" : integerType(values.map(BigInt));
}

/** Makes the data of records of columns. */
export function buildRecords(columns: readonly (readonly [string, any, readonly number[], DType])[]): Built {
  const length = columns[0]?.[2][0] ?? 0;
  const fields: [string, DType][] = [];
  for (const [name, , shape, type] of columns) {
    if (shape.length === 0) throw new NpyError("shape", `the column ${JSON.stringify(name)} is a single value; pass a list, such as [1]`, { field: name });
    if (shape[0] !== length) {
      throw new NpyError("shape", `the column ${JSON.stringify(name)} has the shape (${shape.join(", ")}) and the first one ${length} rows; pass columns of one length`, { field: name });
    }
    const inner = shape.slice(1);
    fields.push([name, inner.length ? parse(`(${quoted(type)}, (${inner.join(", ")},))`) : type]);
  }
  const data = Object.fromEntries(columns.map(([name, data]) => [name, data]));
  return { data, shape: [length], type: record(fields) };
}

function quoted(type: DType): string {
  return type.fields || type.base ? type.str : `'${type.str}'`;
}

