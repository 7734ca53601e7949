// Files from arrays: the bytes that NumPy would write.
import { checkUnchanged, isFortran, NDArray, plain } from "./array.js";
import type { DType } from "./dtype.js";
import { isNative, product, width } from "./dtype.js";
import { Engine, engine } from "./engine.js";
import { NpyError, shown, within } from "./error.js";
import { isURL, pathOf, replace, writeAll } from "./files.js";
import { pickle } from "./pickle.js";
import { scalar } from "./scalar.js";
import type { FileURL } from "./source.js";

/** An array, or values that `NDArray.from` makes one of. */
export type ArrayLike = NDArray | unknown;

/**
 * Returns the bytes that `np.save` writes for an array; in Node also writes them to `path`, where the file appears when it is complete. Without a
 * version, it is the oldest that fits. The order is that of the array's `fortranOrder`.
 */
export function writeNPY(array: ArrayLike, path?: string | FileURL | null, version?: readonly [number, number]): Uint8Array {
  const is_swapped = typeof array === "string" && typeof path === "object" && path !== null && !isURL(path);
  if (is_swapped) throw new NpyError("argument", "the array comes before the path; call writeNPY(array, path)");
  const source = array instanceof NDArray ? array : NDArray.from(array);
  checkUnchanged(source);
  const is_fortran = isFortran(source);
  const { shape, type } = source;
  if (shape.some((n) => n >= 2 ** 32)) throw new NpyError("shape", `the shape (${shape.join(", ")}) has a dimension of 2³² or more, which this package does not write; split the array`);
  const start = engine().bytes("start", [type.descr, shape.join(","), is_fortran ? "F" : "C", versionText(version)]);
  let file: Uint8Array;
  if (hasObjects(type)) {
    // A pickle has the elements in C order always.
    const objects = pickle(source, elements);
    file = new Uint8Array(start.length + objects.length);
    file.set(objects, start.length);
  } else {
    file = new Uint8Array(start.length + product(shape) * type.size);
    store(source, file.subarray(start.length));
  }
  file.set(start);
  deliver(path, file);
  return file;
}

/** Returns the version as text; empty if it is not named. */
function versionText(version: readonly number[] | null | undefined): string {
  if (version === undefined || version === null) return "";
  if (Array.isArray(version) && version.length === 2 && version.every((n) => Number.isSafeInteger(n) && n >= 0)) return version.join(".");
  throw new NpyError("argument", `${shown(version)} is not a version; pass two numbers, such as [1, 0]`);
}

/** Returns the array with its dimensions reversed. It shares the data. */
function transposed({ data, shape, strides, type }: NDArray): NDArray {
  return new NDArray(data, [...shape].reverse(), type, [...strides].reverse());
}

/** Writes the bytes to a path, if there is one. */
function deliver(destination: string | FileURL | null | undefined, bytes: Uint8Array): void {
  if (destination === undefined || destination === null) return;
  const path = pathOf(destination);
  within(path, () => replace(path, (file) => writeAll(file, bytes)));
}

/** Returns the bytes of an archive of arrays; in Node also writes them to `path`. Compressed members can be entered anywhere. */
export function saveNPZ(path: string | FileURL | null | undefined, arrays: Record<string, any>, compressed = false): Uint8Array {
  if (typeof arrays === "string") throw new NpyError("argument", "the path comes before the arrays; call saveNPZ(path, arrays)");
  checkMembers(arrays);
  if (typeof compressed !== "boolean") throw new NpyError("argument", `${shown(compressed)} is not true or false; pass true to compress, which is done by deflate at one level`);
  const archive = new Engine();
  archive.json("create", [String(compressed)]);
  for (const [name, array] of Object.entries(arrays)) archive.json("add", [name], memberBytes(name, array));
  const file = archive.bytes("finish");
  deliver(path, file);
  return file;
}

/** An error unless this is an object of arrays by their names. */
function checkMembers(arrays: any): void {
  const is_other = arrays === null || typeof arrays !== "object" || Array.isArray(arrays) || ArrayBuffer.isView(arrays) || arrays instanceof NDArray;
  if (!is_other && !(arrays instanceof Map || arrays instanceof Set) && typeof arrays.then !== "function") return;
  const advice = arrays instanceof Map ? "pass Object.fromEntries(map)" : arrays && typeof arrays.then === "function" ? "await it" : "pass an object such as { x: array }";
  throw new NpyError("argument", `${shown(arrays)} has no names for members; ${advice}`);
}

function memberBytes(name: string, array: ArrayLike): Uint8Array {
  try {
    return writeNPY(array);
  } catch (error) {
    throw error instanceof NpyError ? new NpyError(error.kind, `member ${JSON.stringify(name)}: ${error.message}`, error) : error;
  }
}

/** @internal */
export function hasObjects(type: DType): boolean {
  return type.kind === "O" || (type.fields?.some(({ dtype }) => hasObjects(dtype)) ?? (type.base !== undefined && hasObjects(type.base)));
}

/** Returns the bytes of the elements, in the order in which they are written. */
function elements(array: NDArray): Uint8Array {
  const out = new Uint8Array(array.size * array.itemsize);
  store(array, out);
  return out;
}

/** Writes the elements to `out`. */
function store(array: NDArray, out: Uint8Array): void {
  const { data, type } = plain(isFortran(array) ? transposed(array) : array);
  if (isNative(type)) {
    out.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    return;
  }
  if (type.size === 0) return;
  const view = new DataView(out.buffer, out.byteOffset, out.byteLength);
  storeAt(type, data, array.size, (i) => i * type.size, view, "");
}

/** Writes the elements; the first byte of each is at `position(i)`. */
function storeAt(type: DType, data: any, count: number, position: (i: number) => number, view: DataView, path: string): void {
  if (type.fields) {
    for (const { name, offset, dtype } of type.fields) {
      storeAt(dtype, data[name], count, (i) => position(i) + offset, view, path ? `${path}.${name}` : name);
    }
    return;
  }
  if (type.base) {
    const [n, size] = [product(type.shape!), type.base.size];
    storeAt(type.base, data, count * n, (i) => position(Math.floor(i / n)) + (i % n) * size, view, path);
    return;
  }
  const parts = width(type);
  const { size, write } = scalar(type);
  if (size === 0) return;
  for (let i = 0; i < count * parts; i++) {
    try {
      write(view, parts === 1 ? position(i) : position(i >> 1) + (i & 1) * size, data[i]);
    } catch (error) {
      const { kind, message } = error instanceof NpyError ? error : { kind: "invalid-value", message: `${shown(data[i])} does not fit ${type.str}; pass a value of this dtype` };
      throw new NpyError(kind, `${path ? `field ${JSON.stringify(path)}: ` : ""}element ${i}: ${message}`, { field: path || undefined, row: i });
    }
  }
}
