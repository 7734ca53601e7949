// Makes the data of an array from the bytes of a file, which arrive in blocks.
import { NDArray, plain, stridesOf } from "./array.js";
import type { DType } from "./dtype.js";
import { classOf, isNative, product, record, width } from "./dtype.js";
import { NpyError } from "./error.js";
import { scalar } from "./scalar.js";

/** The most elements without bytes; a small file can claim any number of them. */
const MAX_EMPTY = 1 << 20;

/** Collects a part of each item. */
interface Sink {
  put(items: Uint8Array, itemsize: number, offset: number, first: number): void;
  data(): any;
}

/** Makes an array of items that arrive in order. */
export class Assembler {
  readonly #type: DType;
  readonly #size: number;
  readonly #offset: number;
  readonly #sink: Sink;

  /** `columns` are the fields that are wanted: a list of them gives records, and a single one its values. */
  constructor(type: DType, count: number, columns?: readonly string[] | string) {
    if (type.size === 0 && count > MAX_EMPTY) {
      throw new NpyError("limit", `the array has ${count} elements without bytes, and ${MAX_EMPTY} are the limit; use the shape`);
    }
    this.#size = type.size;
    const { of, offset, result } = select(type, columns);
    this.#offset = offset;
    this.#type = result;
    this.#sink = sink(of, count, "");
  }

  /** Adds items as they are in the file; the index of the first one is `first`. */
  put(items: Uint8Array, first: number): void {
    this.#sink.put(items, this.#size, this.#offset, first);
  }

  /** Returns the array, in C order; it remembers the order of the file. */
  finish(shape: readonly number[], is_fortran: boolean): NDArray {
    let type = this.#type;
    const inner: number[] = [];
    // As in NumPy, the dimensions of a sub-array are appended to those of the array.
    for (; type.base; type = type.base) inner.push(...type.shape!);
    const n = product(inner);
    const outer = is_fortran ? fortranStrides(shape) : stridesOf(shape);
    const strides = [...outer.map((stride) => stride * n), ...stridesOf(inner)];
    const array = plain(new NDArray(this.#sink.data(), [...shape, ...inner], type, strides));
    // A sub-array within its element is in C order.
    array.fortranOrder = is_fortran && inner.length === 0;
    return array;
  }
}

/** Returns the strides of Fortran order. */
export function fortranStrides(shape: readonly number[]): number[] {
  return stridesOf([...shape].reverse()).reverse();
}

function select(type: DType, columns: readonly string[] | string | undefined): { of: DType; offset: number; result: DType } {
  if (columns === undefined) return { of: type, offset: 0, result: type };
  if (typeof columns === "string") {
    const { offset, dtype } = find(type, columns);
    return { of: dtype, offset, result: dtype };
  }
  const fields = columns.map((path) => ({ name: path, title: null, ...find(type, path) }));
  const result = record(fields.map(({ name, dtype }) => [name, dtype]));
  return { of: { ...type, fields }, offset: 0, result };
}

/** Finds a field by its name, or by a path such as `head.gain`. */
function find(type: DType, path: string): { offset: number; dtype: DType } {
  let [offset, dtype] = [0, type];
  const is_name = type.fields?.some((field) => field.name === path);
  for (const name of is_name ? [path] : path.split(".")) {
    const field = dtype.fields?.find((field) => field.name === name);
    if (!field) {
      const names = type.fields?.map((field) => field.name).join(", ");
      throw new NpyError("missing-field", `there is no field ${JSON.stringify(path)}; ${names ? `pass one of ${names}` : "the array has no fields"}`, { field: path });
    }
    offset += field.offset;
    dtype = field.dtype;
  }
  return { offset, dtype };
}

function sink(type: DType, count: number, path: string): Sink {
  if (type.fields) return records(type, count, path);
  if (type.base) return subArrays(type, count, path);
  return classOf(type) ? numbers(type, count) : values(type, count, path);
}

function records(type: DType, count: number, path: string): Sink {
  const dot = path ? `${path}.` : "";
  const fields = type.fields!.map(({ name, offset, dtype }) => ({ name, at: offset, sink: sink(dtype, count, dot + name) }));
  return {
    put: (items, itemsize, offset, first) => fields.forEach(({ at, sink }) => sink.put(items, itemsize, offset + at, first)),
    data: () => Object.fromEntries(fields.map(({ name, sink }) => [name, sink.data()])),
  };
}

/** Sub-arrays are packed first; then their elements are items. */
function subArrays(type: DType, count: number, path: string): Sink {
  const base = type.base!;
  const n = product(type.shape!);
  const inner = sink(base, count * n, path);
  return {
    put(items, itemsize, offset, first) {
      inner.put(packed(items, itemsize, offset, type.size), base.size, 0, first * n);
    },
    data: inner.data,
  };
}

function packed(items: Uint8Array, itemsize: number, offset: number, size: number): Uint8Array {
  if (itemsize === size) return items;
  const count = itemsize ? items.length / itemsize : 0;
  const out = new Uint8Array(count * size);
  for (let i = 0; i < count; i++) out.set(items.subarray(i * itemsize + offset, i * itemsize + offset + size), i * size);
  return out;
}

function numbers(type: DType, count: number): Sink {
  const class_ = classOf(type)!;
  const parts = width(type);
  const data = new class_(count * parts) as any;
  const bytes = new Uint8Array(data.buffer);
  const { size, read } = scalar(type);
  const is_same = type.size === class_.BYTES_PER_ELEMENT * parts;
  const is_native = isNative(type);
  return {
    put(items, itemsize, offset, first) {
      if (is_same && itemsize === type.size) {
        bytes.set(items, first * itemsize);
        if (!is_native) swap(data.buffer, first * itemsize, items.length, size);
        return;
      }
      const view = new DataView(items.buffer, items.byteOffset, items.byteLength);
      for (let at = offset, i = first * parts; at + type.size <= items.length; at += itemsize, i += parts) {
        data[i] = read(view, at);
        if (parts === 2) data[i + 1] = read(view, at + size);
      }
    },
    data: () => data,
  };
}

/** Changes the byte order of numbers in place. */
function swap(buffer: ArrayBuffer, start: number, length: number, size: number): void {
  if (size === 2) {
    const numbers = new Uint16Array(buffer, start, length / 2);
    for (let i = 0; i < numbers.length; i++) numbers[i] = (numbers[i]! << 8) | (numbers[i]! >> 8);
    return;
  }
  const halves = new Uint32Array(buffer, start, length / 4);
  const reversed = (n: number): number => (n << 24) | ((n & 0xff00) << 8) | ((n >>> 8) & 0xff00) | (n >>> 24);
  if (size === 4) {
    for (let i = 0; i < halves.length; i++) halves[i] = reversed(halves[i]!);
    return;
  }
  for (let i = 0; i < halves.length; i += 2) {
    const first = reversed(halves[i]!);
    halves[i] = reversed(halves[i + 1]!);
    halves[i + 1] = first;
  }
}

/** Text and raw bytes. */
function values(type: DType, count: number, path: string): Sink {
  const data: any[] = type.size === 0 ? new Array(count).fill(type.kind === "V" ? new Uint8Array(0) : "") : new Array(count);
  const { size, read } = scalar(type);
  return {
    put(items, itemsize, offset, first) {
      if (size === 0) return;
      const view = new DataView(items.buffer, items.byteOffset, items.byteLength);
      for (let at = offset, i = first; at + size <= items.length; at += itemsize, i++) {
        try {
          data[i] = read(view, at);
        } catch (error) {
          throw error instanceof NpyError ? new NpyError(error.kind, `${path ? `field ${JSON.stringify(path)}, ` : ""}element ${i}: ${error.message}`, { field: path || undefined, row: i }) : error;
        }
      }
    },
    data: () => data,
  };
}

