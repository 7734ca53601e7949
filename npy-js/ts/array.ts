// Arrays in memory.
import { checkOptions, checkShape } from "./arguments.js";
import { named, NpyError, shown } from "./error.js";
import type { DType, Field, TypedArrayOf } from "./dtype.js";
import { count, innermost, parse, product, width } from "./dtype.js";
import { type Cast, cast } from "./cast.js";
import { allocate, build, buildRecords, fromObjects, nestedFor } from "./build.js";
import { fieldOf, keepItems } from "./objects.js";
import { setAt } from "./set.js";
import { toDate } from "./time.js";

/** The values of an array: a typed array, a list of texts, bytes or objects, or an object with the columns of records. */
export type Data = any;

/** Nested lists of values, typed arrays, or a single value. */
export type Nested = unknown;

/** Options of `NDArray.from`. */
export interface FromOptions {
  /** The dtype of the elements, such as `<i2`, `int16` or `Int16Array`; without it, that of the values. Text (`U`, `S`) without a width is as wide as the values. */
  dtype?: string;
  /** The shape; without it, that of the nested lists, or one dimension. */
  shape?: readonly number[];
  /**
   * True for Fortran order, in which the first index varies fastest; false for C order. Without it, an array keeps its own order, as by `astype` of NumPy,
   * and other values are in C order.
   */
  fortranOrder?: boolean;
}

/** An error if the shape of the array was changed in place. @internal */
export let checkUnchanged: (array: NDArray) => void;

/** An array of any number of dimensions. */
export class NDArray {
  static {
    named(this, "NDArray");
  }

  /**
   * The values. Numbers are a typed array (`<f2` a `Float16Array` where there is one and otherwise a `Float32Array`, long doubles a
   * `Float64Array`); booleans a `Uint8Array`; complex numbers a typed array with real and imaginary parts alternating; times a
   * `BigInt64Array`, in the `unit`; text (`S` as latin-1, `U`) a `string[]`; raw bytes (`V`) a `Uint8Array[]`; Python objects a list.
   * Records have an object with the data of each field. Lists of a part that `get` returned are frozen copies: use `get` and `set` of the part.
   */
  readonly data: Data;
  /** The dimensions; empty for a single value. */
  readonly shape: number[];
  /** The distances between neighbors of each dimension, counted in elements. */
  readonly strides: number[];
  /** The dtype of the file, as NumPy prints it, such as `<f8`, or the list of fields of a record. The data are in the order of this machine. */
  readonly dtype: string;
  /**
   * True if `writeNPY` and `saveNPZ` write the elements in Fortran order: as in the file that the array was read from, or as `from` was told. It can be
   * set. The data in memory are in the order of `strides`, which is C order.
   */
  fortranOrder = false;
  readonly #type: DType;
  /** The data that `get` and `set` use, and the position of the first element in them: of a part of lists, the data of the whole array. */
  readonly #all: Data;
  readonly #start: number | undefined;
  /** True for a column that is not in the array of records. */
  #isCopy = false;
  /** The shape that the strides and the data belong to. */
  readonly #made: string;

  /** The property `data` of parts of lists. With one getter for all parts, `get` is faster. */
  static readonly #OF_PART = {
    enumerable: true,
    get(this: NDArray): Data {
      return slice(this.#type, this.#all, this.#start!, this.#start! + reach(this));
    },
  };

  static {
    checkUnchanged = (array) => {
      const found = array.shape.map(shown).join(", ");
      if (found === array.#made) return;
      throw new NpyError("shape", `the shape was set from (${array.#made}) to (${found}) in place; make an array of it with NDArray.from(array, { shape })`);
    };
  }

  /** For this package; programs call `NDArray.from`. */
  constructor(data: Data, shape: readonly number[], type: DType | string, strides?: readonly number[], start?: number) {
    if (type === undefined) throw new NpyError("argument", "arrays are made by NDArray.from(values), or by NDArray.from(values, { dtype, shape })");
    this.data = this.#all = data;
    this.#start = start;
    this.shape = [...shape];
    this.strides = strides ? [...strides] : stridesOf(shape);
    this.#type = typeof type === "string" ? parse(type) : type;
    // A list has no view of a part of it.
    if (start !== undefined) Object.defineProperty(this, "data", NDArray.#OF_PART);
    this.dtype = this.#type.str;
    this.#made = this.shape.join(", ");
  }

  /**
   * Makes an array of nested lists, a typed array or one value. Without a dtype, numbers are `<f8`, bigints `<i8` (`<u8` or `|O` if they need it), booleans
   * `|b1`, text `<U…`, dates `<M8[ms]`, `{ re, im }` `<c16`, and others, such as `[1, null]`, `|O`; a typed array has its own, and so has a list of arrays or
   * typed arrays of one dtype, which are stacked. All values are copied. Of an array of times, another unit is converted as by `astype` of NumPy: to a
   * coarser one, it rounds down. `fortranOrder` is the order in which the array is written; an array keeps its own.
   */
  static from(values: Nested, options: FromOptions = {}): NDArray {
    checkOptions(options, ["dtype", "shape", "fortranOrder"], typeof options === "string" ? `{ dtype: ${shown(options)} }` : '{ dtype: "<f4" }');
    if (options.shape !== undefined) checkShape(options.shape);
    const { dtype, shape, fortranOrder } = options;
    if (fortranOrder !== undefined && typeof fortranOrder !== "boolean") throw new NpyError("argument", `fortranOrder is ${shown(fortranOrder)}; it is true or false`);
    let made: NDArray;
    if (values instanceof NDArray) {
      const target = dtype === undefined ? values.#type : parse(dtype);
      checkUnchanged(values);
      const is_same = values.#type.str === target.str;
      const { data, type } = is_same ? { data: copy(target, values.data, values.shape, values.strides), type: target } : build(nestedFor(target, values), dtype, values.shape);
      made = new NDArray(data, checked(shape ?? values.shape, values.shape), type);
      made.fortranOrder = values.fortranOrder;
    } else {
      const built = build(values, dtype, shape);
      made = new NDArray(built.data, built.shape, built.type);
    }
    made.fortranOrder = fortranOrder ?? made.fortranOrder;
    return made;
  }

  /** Makes an array of records of columns: typed arrays, lists or arrays, whose first dimensions are equally long. */
  static records(columns: Record<string, any>): NDArray {
    if (columns === null || typeof columns !== "object" || Array.isArray(columns) || ArrayBuffer.isView(columns) || columns instanceof Map) {
      throw new NpyError("argument", `${shown(columns)} has no names for columns; pass an object of columns, such as { x: [1, 2] }, or records to NDArray.from with the dtype "[('x', '<f8')]"`);
    }
    const made = Object.entries(columns).map(([name, values]): [string, NDArray] => {
      try {
        return [name, NDArray.from(values)];
      } catch (error) {
        throw error instanceof NpyError ? new NpyError(error.kind, `column ${shown(name)}: ${error.message}`, { ...error, field: name }) : error;
      }
    });
    const { data, shape, type } = buildRecords(made.map(([name, array]) => [name, array.data, array.shape, array.#type]));
    return new NDArray(data, shape, type);
  }

  /** The number of dimensions. */
  get ndim(): number {
    return this.shape.length;
  }

  /** The number of elements. */
  get size(): number {
    return count(this.shape);
  }

  /** The bytes of one element in a file. */
  get itemsize(): number {
    return this.#type.size;
  }

  /** The names of the fields of records; otherwise undefined. */
  get names(): string[] | undefined {
    return this.#type.fields?.map((field) => field.name);
  }

  /** The unit of times, such as `ns` or `25s`; empty if they have none, and undefined for other dtypes. */
  get unit(): string | undefined {
    return this.#type.unit;
  }

  /** The dtype as a tree. */
  get type(): DType {
    return this.#type;
  }

  /**
   * Returns an element: a number, bigint, boolean, text, `{ re, im }`, the bytes of a `V`, an object of a record's fields, or an object of
   * Python. Negative indices count from the end. With fewer indices than dimensions, a part: its `set` changes this array, for every dtype.
   */
  get(...index: number[]): any {
    const at = this.#position(index);
    if (index.length === this.shape.length) return valueAt(this.#type, this.#all, at);
    const [shape, strides] = [this.shape.slice(index.length), this.strides.slice(index.length)];
    const isList = hasList(this.#type, this.#all);
    const data = isList ? this.#all : slice(this.#type, this.#all, at, at + reach({ shape, strides }));
    const part = new NDArray(data, shape, this.#type, strides, isList ? at : undefined);
    part.#isCopy = this.#isCopy;
    return part;
  }

  /** Sets an element, as `get` returns it. A value that does not fit the dtype is an error, and changes nothing. */
  set(value: unknown, ...index: number[]): void {
    if (index.length !== this.shape.length) {
      const part = index.length + 1 === this.shape.length ? `, as by values.forEach((value, i) => array.set(value, ${[...index.map(shown), "i"].join(", ")}))` : "";
      throw new NpyError("index", `${index.length} indices for ${this.shape.length} dimensions; pass one for each${part}`);
    }
    if (this.#isCopy) throw new NpyError("unsupported", "a column of records with Python objects is a copy; set the records, by set({ … }, row) of their array");
    const [type, at] = [this.#type, this.#position(index)];
    // A record whose last field does not fit is refused before its first one is set.
    if (type.fields || type.base) setAt(type, allocate(type, 1), 0, value);
    setAt(type, this.#all, at, value);
  }

  #position(index: readonly number[]): number {
    const { shape, strides } = this;
    if (Array.isArray(index[0])) throw new NpyError("index", `${shown(index[0])} is not an index; pass the indices one by one, such as get(0, 1)`);
    if (index.length > shape.length) throw new NpyError("index", `${index.length} indices for ${shape.length} dimensions; pass fewer`);
    let at = this.#start ?? 0;
    index.forEach((i, k) => {
      const n = shape[k]!;
      if (typeof i === "bigint") throw new NpyError("index", `${shown(i)} is not an index; pass a number: ${i}`);
      if (typeof i !== "number") throw new NpyError("index", `${shown(i)} is not an index; pass integers, and take a column by Array.from({ length: ${n} }, (_, row) => array.get(row, 1))`);
      const from = i < 0 ? i + n : i;
      if (!Number.isInteger(i) || from < 0 || from >= n) throw new NpyError("index", `index ${shown(i)} of dimension ${k}, which has the length ${n}; pass one that is in range`);
      at += from * strides[k]!;
    });
    return at;
  }

  /** Returns nested lists of the elements; a single value if there are no dimensions. */
  toNested(): any {
    const { shape, strides } = this;
    const [type, data] = [this.#type, this.#all];
    const lists = shape.slice(0, Math.max(shape.indexOf(0), 0)).reduce((all, n) => all * n, 1);
    if (lists > 1 << 20) throw new NpyError("limit", `the shape (${shape.join(", ")}) has more than ${1 << 20} empty lists; use the shape`);
    const level = (k: number, at: number): any => {
      if (k === shape.length) return valueAt(type, data, at);
      const list = new Array(shape[k]!);
      for (let i = 0; i < list.length; i++) list[i] = level(k + 1, at + i * strides[k]!);
      return list;
    };
    return level(0, this.#start ?? 0);
  }

  /**
   * Returns the values as a typed array in C order. `name` is that of its class, such as `"Float32Array"`, or NumPy's (`"float32"`, `"<f4"`). The casts
   * are `"checked"`, by which a value out of the range of the dtype is an error, and one with a fraction where the dtype has integers; `"numeric"`, by which
   * integers wrap (300 becomes 44 as `Uint8Array`), and floats are truncated and stop at the last integer that fits (300.5 becomes 255, and NaN 0);
   * `"lossless"`, which refuses a dtype that does not hold every value exactly; and `"exact"`, which refuses every other dtype. A float that a value becomes by
   * `"checked"` is the nearest one: `2n ** 60n + 1n` becomes `2 ** 60`. Times are their counts: units are converted by `NDArray.from`.
   */
  toTypedArray<Name extends string>(name: Name, how: Cast = "checked"): TypedArrayOf<Name> {
    const { data } = plain(this);
    return cast(data, this.#type, parse(name), how, this.shape) as TypedArrayOf<Name>;
  }

  /** Returns a time as a `Date`, which has milliseconds; `null` for `NaT`. */
  toDate(...index: number[]): Date | null {
    const type = innermost(this.#type);
    if (type.kind !== "M") throw new NpyError("mismatch", `the dtype is ${this.dtype}, and only dates ('<M8[…]') become a Date; use get`);
    return toDate(this.get(...index), type.unit!);
  }

  /**
   * Returns the column of a field, such as `"gain"` or `"head.gain"`, as an array that shares the data. Sub-arrays add dimensions. Of records with Python
   * objects, it is a copy, whose `set` is an error.
   */
  column(path: string): NDArray {
    if (typeof path !== "string") throw new NpyError("argument", `${shown(path)} is not the name of a field; pass text, and take the columns of a plain array by get`);
    let type = this.#type;
    let data = this.#all;
    // Records with Python objects are a list of them.
    const isCopy = Array.isArray(data);
    const inner: number[] = [];
    if (!this.names) throw new NpyError("missing-field", `the array has no field ${shown(path)}, since ${this.dtype} is not a dtype of records; index it by get, or use data`);
    const fields = fieldsOf(type, path);
    if (!fields) throw new NpyError("missing-field", `there is no field ${shown(path)} among ${this.names.join(", ") || "no fields"}; pass one of them`);
    for (const { name, dtype } of fields) {
      const dimensions: number[] = [];
      for (type = dtype; type.base; type = type.base) dimensions.push(...type.shape!);
      data = isCopy ? fieldOf(data, name, dimensions.length) : data[name];
      inner.push(...dimensions);
    }
    const n = product(inner);
    const start = this.#start === undefined ? undefined : this.#start * n;
    const column = new NDArray(isCopy ? fromObjects(data, type) : data, [...this.shape, ...inner], type, [...this.strides.map((stride) => stride * n), ...stridesOf(inner)], start);
    column.#isCopy = isCopy;
    return column;
  }
}

/** Returns the fields on the way to that of a path; each of them may have dots in its name. */
function fieldsOf(type: DType, path: string): readonly Field[] | undefined {
  const all = innermost(type).fields ?? [];
  const own = all.find(({ name }) => name === path);
  if (own) return [own];
  for (const field of all) {
    const rest = path.startsWith(`${field.name}.`) ? fieldsOf(field.dtype, path.slice(field.name.length + 1)) : undefined;
    if (rest) return [field, ...rest];
  }
  return undefined;
}

/** True if NumPy would write the array in Fortran order: only one that is not in C order too. @internal */
export function isFortran({ fortranOrder, shape }: NDArray): boolean {
  return fortranOrder && !shape.includes(0) && shape.filter((n) => n > 1).length > 1;
}

/** Returns the strides of C order. @internal */
export function stridesOf(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    strides[i] = stride;
    stride *= shape[i]!;
  }
  return strides;
}

/** Returns the array, or a copy of it in plain C order. @internal */
export function plain(array: NDArray): NDArray {
  checkUnchanged(array);
  const { shape, strides, type } = array;
  const own = stridesOf(shape);
  const is_plain = strides.every((stride, i) => stride === own[i] || shape[i]! < 2);
  if ((is_plain && !array.data?.isMapped) || shape.includes(0)) return array;
  return new NDArray(copy(type, array.data, shape, strides), shape, type);
}

/** Copies data of any strides to C order. @internal */
export function copy(type: DType, data: Data, shape: readonly number[], strides: readonly number[]): Data {
  if (type.fields && !Array.isArray(data)) {
    return Object.fromEntries(type.fields.map(({ name, dtype }) => [name, copy(dtype, data[name], shape, strides)]));
  }
  if (type.base) {
    const n = product(type.shape!);
    return copy(type.base, data, [...shape, n], [...strides.map((stride) => stride * n), 1]);
  }
  const step = width(type);
  const all = step > 1 ? [...shape, step] : [...shape];
  const steps = step > 1 ? [...strides.map((stride) => stride * step), 1] : [...strides];
  const length = product(all);
  const out = data.isMapped ? data.make(length) : Array.isArray(data) ? new Array(length) : new data.constructor(length);
  fill(out, data, all, steps);
  if (Array.isArray(data)) keepItems(data, out, 0, length);
  return out;
}

/** Copies by the two last dimensions in tiles, which keeps both sides in the cache. */
function fill(out: any, data: any, shape: readonly number[], strides: readonly number[]): void {
  const [rows, columns] = shape.length < 2 ? [1, shape[0] ?? 1] : [shape.at(-2)!, shape.at(-1)!];
  const [down, right] = shape.length < 2 ? [0, strides[0] ?? 1] : [strides.at(-2)!, strides.at(-1)!];
  const outer = shape.slice(0, -2);
  const index = new Array<number>(outer.length).fill(0);
  const tile = 32;
  for (let base = 0; base < out.length; base += rows * columns) {
    const from = index.reduce((at, i, k) => at + i * strides[k]!, 0);
    for (let i0 = 0; i0 < rows; i0 += tile) {
      for (let j0 = 0; j0 < columns; j0 += tile) {
        const [i1, j1] = [Math.min(i0 + tile, rows), Math.min(j0 + tile, columns)];
        for (let i = i0; i < i1; i++) {
          for (let j = j0; j < j1; j++) out[base + i * columns + j] = data[from + i * down + j * right];
        }
      }
    }
    for (let k = outer.length - 1; k >= 0 && ++index[k]! === outer[k]; k--) index[k] = 0;
  }
}

function slice(type: DType, data: Data, from: number, to: number): Data {
  if (type.fields && !Array.isArray(data)) return Object.fromEntries(type.fields.map(({ name, dtype }) => [name, slice(dtype, data[name], from, to)]));
  if (type.base) {
    const n = product(type.shape!);
    return slice(type.base, data, from * n, to * n);
  }
  const step = width(type);
  if (!Array.isArray(data)) return data.subarray(from * step, to * step);
  const part = data.slice(from, to);
  keepItems(data, part, from, to);
  return Object.freeze(part);
}

/** True for lists, and for records that have one, also in a sub-array. */
function hasList(type: DType, data: Data): boolean {
  return Array.isArray(data) || (innermost(type).fields?.some(({ name, dtype }) => hasList(dtype, data[name])) ?? false);
}

/** Returns the number of elements from the first one to the last, with those between them. */
function reach({ shape, strides }: Pick<NDArray, "shape" | "strides">): number {
  return shape.includes(0) ? 0 : shape.reduce((all, n, i) => all + (n - 1) * strides[i]!, 1);
}

function valueAt(type: DType, data: Data, at: number): any {
  if (type.fields) {
    if (Array.isArray(data)) return data[at];
    return Object.fromEntries(type.fields.map(({ name, dtype }) => [name, valueAt(dtype, data[name], at)]));
  }
  if (type.base) return nest(type.base, data, at, type.shape!);
  if (type.kind === "c") return { re: data[2 * at], im: data[2 * at + 1] };
  return type.kind === "b" ? data[at] !== 0 : data[at];
}

function nest(base: DType, data: Data, at: number, shape: readonly number[]): any {
  const [n, ...rest] = shape;
  if (n === undefined) return valueAt(base, data, at);
  return Array.from({ length: n }, (_, i) => nest(base, data, at * n + i, rest));
}

/** Returns the first shape; an error if it has another number of elements. @internal */
export function checked(shape: readonly number[], found: readonly number[]): readonly number[] {
  if (count(shape) === count(found) && shape.every((n) => Number.isSafeInteger(n) && n >= 0)) return shape;
  throw new NpyError("shape", `${count(found)} elements do not fill the shape (${shape.join(", ")}); pass a shape of as many`);
}
