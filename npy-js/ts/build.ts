// Arrays from values of JavaScript.
import { NpyError } from "./error.js";
import type { DType } from "./dtype.js";
import { classOf, count, parse, product, record, width } from "./dtype.js";
import { cast } from "./cast.js";
import { checked, setAt } from "./array.js";
import { fromDate } from "./time.js";

interface Built {
  data: any;
  shape: readonly number[];
  type: DType;
}

const isTyped = (values: unknown): values is any => ArrayBuffer.isView(values) && !(values instanceof DataView);

/** Makes data of nested lists, a typed array or one value. */
export function build(values: any, type: DType | undefined, shape: readonly number[] | undefined): Built {
  if (isTyped(values)) {
    const own = parse(values.constructor.name === "Buffer" ? "Uint8Array" : values.constructor.name);
    if (!type || classOf(type)) return typed(values, own, type ?? own, shape);
    values = Array.from(values);
  }
  const is_list = type?.kind === "O" || (type === undefined && isOther(first(values)));
  const found = is_list ? listShape(values) : shapeOf(values, type);
  const flat = flatten(values, found);
  const known = type ?? infer(flat);
  const data = allocate(known, flat.length);
  const rowItems = Math.max(flat.length / (found[0] || 1), 1);
  flat.forEach((value, i) => {
    try {
      setAt(known, data, i, known.fields || known.base ? value : converted(value, known));
    } catch (error) {
      const row = Math.floor(i / rowItems);
      const { kind, message } = error instanceof NpyError ? error : { kind: "invalid-value", message: String((error as Error).message) };
      throw new NpyError(kind, `row ${row}: ${message}`, { row });
    }
  });
  return { data, shape: shape ? checked(shape, found) : found, type: known };
}

function typed(values: any, own: DType, type: DType, shape: readonly number[] | undefined): Built {
  const is_pairs = type.kind === "c" && own.kind === "f";
  const n = is_pairs ? values.length / 2 : values.length;
  if (!Number.isInteger(n)) throw new NpyError("shape", `${values.length} numbers are not pairs; pass a real and an imaginary part for each element`);
  let data;
  if (is_pairs) data = cast(values, own, parse(type.size === 8 ? "<f4" : "<f8"), "checked", [values.length]);
  else if (type.kind === "m" || type.kind === "M") data = cast(values, own, parse("<i8"), "checked", [n]);
  else data = cast(values, own, type, "checked", [n]);
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

function first(values: any): any {
  let value = values;
  while (Array.isArray(value) && value.length > 0) value = value[0];
  return isTyped(value) ? value[0] : value;
}

function isOther(value: any): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value === "object") return !(value instanceof Date || "re" in value || Array.isArray(value));
  return !["number", "bigint", "boolean", "string"].includes(typeof value);
}

const listShape = (values: any): number[] => (Array.isArray(values) ? [values.length] : []);

function shapeOf(values: any, type: DType | undefined): number[] {
  const shape: number[] = [];
  // The dimensions of a sub-array belong to its elements, as do the bytes of raw data.
  const most = type?.base ? depth(values) - depthOf(type) : Infinity;
  for (let value = values; Array.isArray(value) || (isTyped(value) && type?.kind !== "V"); value = value[0]) {
    if (shape.length >= most) break;
    shape.push(value.length);
    if (value.length === 0) break;
  }
  return shape;
}

const depth = (values: any): number => (Array.isArray(values) || isTyped(values) ? 1 + depth(values[0]) : 0);
const depthOf = (type: DType): number => (type.base ? type.shape!.length + depthOf(type.base) : 0);

function flatten(values: any, shape: readonly number[]): any[] {
  count(shape);
  let level = [values];
  for (const n of shape) {
    const next: any[] = [];
    for (const list of level) {
      if (!(Array.isArray(list) || isTyped(list)) || list.length !== n) {
        throw new NpyError("shape", `the lists are not equally long: ${n} entries and ${list?.length ?? "a value"}; pass lists of one length`);
      }
      for (let i = 0; i < n; i++) next.push(list[i]);
    }
    level = next;
  }
  return level;
}

/** Finds the dtype of values without one. */
function infer(values: any[]): DType {
  if (values.length === 0 || values.every((value) => typeof value === "number")) return parse("<f8");
  if (values.every((value) => typeof value === "boolean")) return parse("|b1");
  if (values.every((value) => typeof value === "bigint")) return parse(values.some((value) => value >= 2n ** 63n) ? "<u8" : "<i8");
  if (values.every((value) => typeof value === "string")) {
    const longest = values.reduce((most, text) => Math.max(most, [...text].length), 0);
    return parse(`<U${Math.max(longest, 1)}`);
  }
  if (values.every((value) => value instanceof Date || value === null)) return parse("<M8[ms]");
  if (values.every((value) => typeof value === "number" || (value && typeof value.re === "number"))) return parse("<c16");
  return parse("|O");
}

/** Returns the entry of the data for a value; an error if it does not fit. */
function converted(value: any, type: DType): any {
  const refuse = (): never => {
    const shown = typeof value === "bigint" ? `${value}n` : typeof value === "string" ? JSON.stringify(value) : String(value);
    throw new NpyError("invalid-value", `${shown} does not fit ${type.str}; pass another dtype`);
  };
  switch (type.kind) {
    case "i": case "u": {
      if (typeof value === "boolean") value = Number(value);
      if (typeof value !== "bigint" && !Number.isInteger(value)) return refuse();
      const integer = BigInt(value);
      const bits = type.size * 8;
      const fits = type.kind === "i" ? BigInt.asIntN(bits, integer) : BigInt.asUintN(bits, integer);
      if (fits !== integer) return refuse();
      return type.size === 8 ? integer : Number(integer);
    }
    case "f": {
      const number = typeof value === "bigint" || typeof value === "boolean" ? Number(value) : value;
      return typeof number === "number" ? number : refuse();
    }
    case "c": return typeof value === "number" || typeof value?.re === "number" ? value : refuse();
    case "b": return typeof value === "boolean" || value === 0 || value === 1 ? value : refuse();
    case "M": if (value instanceof Date || value === null) return fromDate(value, type.unit!); // falls through
    case "m": return typeof value === "bigint" || Number.isSafeInteger(value) ? BigInt(value) : refuse();
    case "S": case "U": {
      if (typeof value !== "string") return refuse();
      const length = type.kind === "U" ? [...value].length * 4 : value.length;
      return length <= type.size ? value : refuse();
    }
    case "V": return isTyped(value) && value.length === type.size ? Uint8Array.from(value as Uint8Array) : refuse();
    default: return value;
  }
}

/** Makes the data of records of columns. */
export function buildRecords(columns: readonly (readonly [string, any, readonly number[], DType])[]): Built {
  const length = columns[0]?.[2][0] ?? 0;
  const fields: [string, DType][] = [];
  for (const [name, , shape, type] of columns) {
    if (shape.length === 0 || shape[0] !== length) {
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

