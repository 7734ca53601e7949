// Dtypes: what the module says about them, and the bytes of one scalar.
import { engine } from "./engine.js";
import { advice } from "./arguments.js";
import { NpyError, shown } from "./error.js";

/** A dtype as a tree: a scalar, a record with fields, or a sub-array of a base. */
export interface DType {
  /** The dtype as text: `<f8`, or for records the list that a header has. */
  readonly str: string;
  /** The text that a header has after `'descr':`. */
  readonly descr: string;
  /** The bytes of one element. */
  readonly size: number;
  /** The fields of a record. */
  readonly fields?: readonly Field[];
  /** The dtype of the elements of a sub-array. */
  readonly base?: DType;
  /** The shape of a sub-array. */
  readonly shape?: readonly number[];
  /** `b i u f c m M S U V O` for scalars, as in NumPy; `record` and `array` for the others. */
  readonly kind: string;
  /** True for big-endian numbers, text and times. */
  readonly isBig: boolean;
  /** The unit of a time, such as `ns` or `25s`; empty if it has none. */
  readonly unit?: string;
}

/** A field of a record. */
export interface Field {
  /** The name. */
  readonly name: string;
  /** The title, a second name that NumPy allows. */
  readonly title: string | null;
  /** The byte of the record at which the field begins. */
  readonly offset: number;
  /** The dtype of the field. */
  readonly dtype: DType;
}

/** Completes a tree that the module returned. @internal */
export function tree(raw: any): DType {
  if (raw.fields) {
    const fields = raw.fields.map((field: any) => ({ ...field, dtype: tree(field.dtype) }));
    return { ...raw, fields, kind: "record", isBig: false };
  }
  if (raw.base) return { ...raw, base: tree(raw.base), kind: "array", isBig: false };
  const unit = /\[(.*)\]$/.exec(raw.str)?.[1];
  const kind = raw.str[1];
  return { ...raw, kind, isBig: raw.str[0] === ">", ...(kind === "m" || kind === "M" ? { unit: unit ?? "" } : {}) };
}

const known = new Map<string, DType>();

/** Returns the text of a dtype that a program passed: a text, or the class of a typed array. */
function textOf(dtype: unknown): string {
  if (typeof dtype === "string") return dtype;
  if (typeof dtype === "function" && dtype.name in NAMES) return dtype.name;
  throw new NpyError("argument", `${typeof dtype === "function" ? dtype.name : shown(dtype)} is not a dtype; pass text such as "<f4", "float32" or "Float32Array"`);
}

/** Parses a dtype: NumPy's text (`<f4`, `[('x', '<f4')]`), its name (`float32`), or the name of a typed array (`Float32Array`). @internal */
export function parse(dtype: string): DType {
  const text = textOf(dtype);
  const found = known.get(text);
  if (found) return found;
  let made: DType;
  try {
    made = tree(engine().json("dtype", [NAMES[text] ?? text]));
  } catch (error) {
    // A word is a name, and the module speaks of the text of a header.
    if (!(error instanceof NpyError) || error.kind !== "dtype" || !/^[a-z]\w{3,}$/i.test(text)) throw error;
    throw new NpyError("dtype", `there is no dtype ${shown(text)}; ${advice(text, Object.keys(NAMES), "some of them are")}`);
  }
  if (known.size > 1000) known.clear();
  known.set(text, made);
  return made;
}

/** Makes a packed record of these fields. @internal */
export function record(fields: readonly (readonly [string, DType])[]): DType {
  return tree(engine().json("record", fields.flatMap(([name, dtype]) => [name, dtype.str])));
}

const NAMES: Record<string, string> = Object.assign(Object.create(null), {
  bool: "|b1", int8: "|i1", int16: "<i2", int32: "<i4", int64: "<i8", uint8: "|u1", uint16: "<u2", uint32: "<u4", uint64: "<u8", float16: "<f2",
  float32: "<f4", float64: "<f8", complex64: "<c8", complex128: "<c16", str: "<U0", bytes: "|S0", object: "|O", Int8Array: "|i1", Uint8Array: "|u1", Uint8ClampedArray: "|u1", Int16Array: "<i2", Uint16Array: "<u2",
  Int32Array: "<i4", Uint32Array: "<u4", BigInt64Array: "<i8", BigUint64Array: "<u8", Float16Array: "<f2", Float32Array: "<f4",
  Float64Array: "<f8", int: "<i8", uint: "<u8", float: "<f8", complex: "<c16", half: "<f2", single: "<f4", double: "<f8", U: "<U0", S: "|S0",
});

/** Every typed array that an array can have. */
export type TypedArray =
  | Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array
  | BigInt64Array | BigUint64Array | Float32Array | Float64Array;

/** The typed array of a name, which is that of its class or of NumPy. */
export type TypedArrayOf<Name extends string> =
  Name extends "Int8Array" | "int8" | "|i1" ? Int8Array :
  Name extends "Uint8Array" | "Uint8ClampedArray" | "uint8" | "bool" | "|u1" | "|b1" ? Uint8Array :
  Name extends "Int16Array" | "int16" | "<i2" ? Int16Array :
  Name extends "Uint16Array" | "uint16" | "<u2" ? Uint16Array :
  Name extends "Int32Array" | "int32" | "<i4" ? Int32Array :
  Name extends "Uint32Array" | "uint32" | "<u4" ? Uint32Array :
  Name extends "BigInt64Array" | "int64" | "<i8" ? BigInt64Array :
  Name extends "BigUint64Array" | "uint64" | "<u8" ? BigUint64Array :
  Name extends "Float32Array" | "float32" | "<f4" ? Float32Array :
  Name extends "Float64Array" | "float64" | "<f8" ? Float64Array :
  TypedArray;

/** @internal */
export type TypedArrayClass = { new (length: number): TypedArray; new (buffer: ArrayBuffer): TypedArray; BYTES_PER_ELEMENT: number; name: string };

/** The class of this name; undefined for `Float16Array` where there is none. @internal */
export function typedArrayClass(name: string): TypedArrayClass | undefined {
  return (globalThis as any)[name];
}

const HALF = typedArrayClass("Float16Array");

/** The class of the data of a scalar; undefined for text, bytes and objects, whose data are a list. @internal */
export function classOf({ kind, size }: DType): TypedArrayClass | undefined {
  switch (kind) {
    case "b": return Uint8Array as any;
    case "i": return ({ 1: Int8Array, 2: Int16Array, 4: Int32Array, 8: BigInt64Array } as any)[size];
    case "u": return ({ 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array } as any)[size];
    case "f": return size === 2 ? HALF ?? (Float32Array as any) : size === 4 ? Float32Array : (Float64Array as any);
    case "c": return size === 8 ? Float32Array : (Float64Array as any);
    case "m": case "M": return BigInt64Array as any;
    default: return undefined;
  }
}

/** The numbers of typed data that one scalar takes. @internal */
export const width = (dtype: DType): number => (dtype.kind === "c" ? 2 : 1);

/** The dtype of the bytes of the typed data of a scalar, such as `<f4` for halves where there is no `Float16Array`. @internal */
export function native({ kind, size, str }: DType): string {
  if (kind === "f") return size === 2 ? (HALF ? "<f2" : "<f4") : size === 4 ? "<f4" : "<f8";
  if (kind === "c") return size === 8 ? "<c8" : "<c16";
  return str[0] === ">" ? `<${str.slice(1)}` : str;
}

/** True if the bytes of a file are those of the data. @internal */
export function isNative(dtype: DType): boolean {
  return classOf(dtype) !== undefined && native(dtype) === dtype.str;
}

/** Returns the scalar of a sub-array of sub-arrays, or the dtype itself. @internal */
export function innermost(dtype: DType): DType {
  return dtype.base ? innermost(dtype.base) : dtype;
}

/** @internal */
export const product = (numbers: readonly number[]): number => numbers.reduce((all, n) => all * n, 1);

/** Returns the number of elements; an error if no array can have as many. @internal */
export function count(shape: readonly number[]): number {
  const n = shape.includes(0) ? 0 : product(shape);
  if (Number.isSafeInteger(n)) return n;
  throw new NpyError("shape", `the shape (${shape.join(", ")}) has too many elements; no array in JavaScript can have it`);
}
