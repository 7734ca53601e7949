// Arrays in files. Node has no map of files without native code: this reads and writes only the parts that are touched.
import { NDArray, stridesOf } from "./array.js";
import { fortranStrides } from "./assemble.js";
import type { DType } from "./dtype.js";
import { classOf, count, parse, product, width } from "./dtype.js";
import { engine } from "./engine.js";
import { checkOptions, checkShape } from "./arguments.js";
import { named, NpyError, shown, within } from "./error.js";
import { files, io, OpenFile, pathOf, replace, writeAll } from "./files.js";
import { checkLength, type Header, readHeader } from "./read.js";
import { type Scalar, scalar } from "./scalar.js";
import { setAt } from "./set.js";
import type { FileURL } from "./source.js";
import { hasObjects } from "./write.js";

/** How a file is opened: to read it, to change it, or to make it. */
export type Mode = "r" | "r+" | "w+";

/** The dtype and the shape of a file that is made. */
export interface MapOptions {
  /** The dtype, such as `<f4` or `Float32Array`; without it `<f8`. */
  dtype?: string;
  /** The shape. */
  shape?: readonly number[];
}

/** The bytes of a block, and how many blocks are kept. */
const BLOCK_BYTES = 1 << 16;
const MAX_BLOCKS = 256;

interface Block {
  bytes: Uint8Array;
  view: DataView;
  /** The ranges of bytes that were changed; none of them is written with bytes around it, which another process may have changed. */
  changed: [from: number, to: number][];
}

/** The data of a file: blocks that were touched, the most recent ones. */
class Blocks {
  readonly #file: number;
  readonly #offset: number;
  readonly #length: number;
  readonly #step: number;
  readonly #blocks = new Map<number, Block>();
  #last: Block | undefined;
  #lastIndex = -1;
  readonly is_writable: boolean;
  is_open = true;
  bytesRead = 0;
  bytesWritten = 0;

  constructor(file: number, offset: number, length: number, itemsize: number, is_writable: boolean) {
    this.#file = file;
    this.#offset = offset;
    this.#length = length;
    // An item is in one block.
    this.#step = Math.max(Math.floor(BLOCK_BYTES / itemsize), 1) * itemsize;
    this.is_writable = is_writable;
  }

  read(scalar: Scalar, position: number): any {
    const index = Math.floor(position / this.#step);
    return scalar.read(this.#block(index).view, position - index * this.#step);
  }

  write(scalar: Scalar, position: number, value: any): void {
    if (!this.is_writable) throw new NpyError("unsupported", "the file was opened with the mode 'r'; open it with 'r+' to change it");
    const index = Math.floor(position / this.#step);
    const block = this.#block(index);
    const at = position - index * this.#step;
    scalar.write(block.view, at, value);
    const last = block.changed.at(-1);
    if (last && at >= last[0] && at <= last[1]) last[1] = Math.max(last[1], at + scalar.size);
    else block.changed.push([at, at + scalar.size]);
  }

  #block(index: number): Block {
    if (index === this.#lastIndex) return this.#last!;
    if (!this.is_open) throw new NpyError("io", "the file is closed; open it again");
    let block = this.#blocks.get(index);
    if (block) {
      this.#blocks.delete(index);
    } else {
      if (this.#blocks.size >= MAX_BLOCKS) this.#evict();
      block = this.#load(index);
    }
    this.#blocks.set(index, block);
    [this.#last, this.#lastIndex] = [block, index];
    return block;
  }

  #load(index: number): Block {
    const start = index * this.#step;
    const bytes = new Uint8Array(Math.min(this.#step, this.#length - start));
    for (let at = 0; at < bytes.length; ) {
      const got = io(() => files().readSync(this.#file, bytes, at, bytes.length - at, this.#offset + start + at));
      if (got === 0) throw new NpyError("io", "the file became shorter; open it again");
      at += got;
    }
    this.bytesRead += bytes.length;
    return { bytes, view: new DataView(bytes.buffer), changed: [] };
  }

  #evict(): void {
    const [index, block] = this.#blocks.entries().next().value!;
    this.#store(index, block);
    this.#blocks.delete(index);
  }

  #store(index: number, block: Block): void {
    for (const [from, to] of block.changed) {
      const part = block.bytes.subarray(from, to);
      io(() => writeAll(this.#file, part, this.#offset + index * this.#step + from));
      this.bytesWritten += part.length;
    }
    block.changed = [];
  }

  flush(): void {
    if (!this.is_open) return;
    for (const [index, block] of this.#blocks) this.#store(index, block);
    if (this.is_writable) io(() => files().fsyncSync(this.#file));
  }

  close(): void {
    if (!this.is_open) return;
    this.flush();
    this.is_open = false;
    this.#blocks.clear();
    [this.#last, this.#lastIndex] = [undefined, -1];
    io(() => files().closeSync(this.#file));
  }
}

/**
 * An array in a file. `data` has indices, `length`, `at`, `set`, `fill`, `subarray` and `slice`, as a typed array has; a value that does not fit is an error
 * there too, and so is a position with a fraction. They are in the order of the file: of an array in Fortran order, the first index varies fastest. The last
 * changes are lost without `flush` or `close`.
 */
export class MappedArray extends NDArray {
  static {
    named(this, "MappedArray");
  }

  readonly #blocks: Blocks;

  /**
   * For this package; programs call `memmap`.
   * @internal
   */
  constructor(blocks: Blocks, header: Header) {
    const { type, shape, fortran } = header;
    const n = count(shape);
    let base = type;
    const inner: number[] = [];
    for (; base.base; base = base.base) inner.push(...base.shape!);
    const outer = fortran ? fortranStrides(shape) : stridesOf(shape);
    const each = product(inner);
    super(columns(blocks, type, 0, [[n, type.size]]), [...shape, ...inner], base, [...outer.map((stride) => stride * each), ...stridesOf(inner)]);
    this.fortranOrder = fortran && inner.length === 0;
    this.#blocks = blocks;
  }

  /** Writes what was changed, and waits until the disk has it. */
  flush(): void {
    this.#blocks.flush();
  }

  /** Flushes and closes the file. The array cannot be used any more. */
  close(): void {
    this.#blocks.close();
  }

  /** The bytes that were read of the data, and written. */
  get bytesRead(): number {
    return this.#blocks.bytesRead;
  }

  /** The bytes that were written to the file so far. */
  get bytesWritten(): number {
    return this.#blocks.bytesWritten;
  }
}

type Layout = readonly (readonly [count: number, stride: number])[];

/** Returns the data of a dtype, or an object with those of its fields. */
function columns(blocks: Blocks, type: DType, offset: number, layout: Layout): any {
  if (type.fields) {
    return Object.fromEntries(type.fields.map((field) => [field.name, columns(blocks, field.dtype, offset + field.offset, layout)]));
  }
  if (type.base) return columns(blocks, type.base, offset, [...layout, [product(type.shape!), type.base.size]]);
  const entry = scalar(type);
  const all: Layout = width(type) === 2 ? [...layout, [2, entry.size]] : layout;
  return mapped(blocks, entry, type, offset, all, 0, product(all.map(([n]) => n)));
}

/** Makes an object with indices. */
function mapped(blocks: Blocks, entry: Scalar, type: DType, offset: number, layout: Layout, from: number, to: number): any {
  const position = (index: number): number => {
    let [rest, at] = [index, offset];
    for (let k = layout.length - 1; k > 0; k--) {
      const [n, stride] = layout[k]!;
      at += (rest % n) * stride;
      rest = Math.floor(rest / n);
    }
    return at + rest * layout[0]![1];
  };
  const length = to - from;
  const read = (i: number): any => (entry.size === 0 ? (type.kind === "V" ? new Uint8Array(0) : "") : blocks.read(entry, position(from + i)));
  const class_ = classOf(type);
  // The data of complex numbers are their parts.
  const each = width(type) === 2 ? parse(type.size === 8 ? "<f4" : "<f8") : type;
  const made: any[] = [];
  /** Returns a value as it is written; one that does not fit is an error, as for `set` of the array. */
  const checked = (value: any): any => {
    setAt(each, made, 0, value);
    return made[0];
  };
  const write = (i: number, value: any): void => blocks.write(entry, position(from + i), checked(value));
  const integer = (i: number): number => {
    if (Number.isSafeInteger(i) || i === Infinity || i === -Infinity) return i < 0 ? i + length : i;
    throw new NpyError("index", `${shown(i)} is not an index; pass a number without a fraction`);
  };
  const bound = (i: number | undefined, otherwise: number): number => (i === undefined ? otherwise : Math.min(Math.max(integer(i), 0), length));
  const methods = {
    length,
    isMapped: true,
    make: (n: number) => (class_ ? new class_(n) : new Array(n)),
    at(i: number) {
      const at = integer(i);
      return at >= 0 && at < length ? read(at) : undefined;
    },
    set(values: ArrayLike<any>, start = 0) {
      if (typeof values?.length !== "number") throw new NpyError("argument", `${shown(values)} is not a list of values; pass one, or set one element by its index`);
      if (integer(start) !== start || start < 0 || start + values.length > length) throw new NpyError("index", `${values.length} values from ${start} on are more than ${length}; pass fewer`);
      // All are checked before one is written. The values may be a part of these data, too, which the writing changes.
      Array.from(values, checked).forEach((value, i) => blocks.write(entry, position(from + start + i), value));
    },
    fill(value: any, start?: number, end?: number) {
      for (let i = bound(start, 0); i < bound(end, length); i++) write(i, value);
    },
    subarray: (start?: number, end?: number) => mapped(blocks, entry, type, offset, layout, from + bound(start, 0), from + Math.max(bound(end, length), bound(start, 0))),
    slice(start?: number, end?: number) {
      const first = bound(start, 0);
      const out = methods.make(Math.max(bound(end, length) - first, 0));
      for (let i = 0; i < out.length; i++) out[i] = read(first + i);
      return out;
    },
    *[Symbol.iterator]() {
      for (let i = 0; i < length; i++) yield read(i);
    },
  };
  const index = (key: string | symbol): number => {
    const i = typeof key === "string" && /^\d+$/.test(key) ? Number(key) : -1;
    return i < length ? i : -1;
  };
  return new Proxy(methods, {
    get(target, key) {
      const i = index(key);
      return i < 0 ? (target as any)[key] : read(i);
    },
    set(_, key, value) {
      const i = index(key);
      if (i < 0) throw new NpyError("index", `${shown(String(key))} is not an index of these ${length} values; pass one that is in range`);
      write(i, value);
      return true;
    },
    has: (target, key) => index(key) >= 0 || key in target,
  });
}

/**
 * Opens the array of a `.npy` file without reading it: elements are read when they are touched, in blocks of 64 KiB, and those that were changed are
 * written by `flush` and `close`, or when many blocks were touched since. `"r+"` changes the file. `"w+"` makes a file of zeros with `dtype` (otherwise `<f8`) and
 * `shape`, in C order, at once in the place of one that is there; without both, with those of that one. The number of rows does not change: rows cannot be appended.
 */
export function memmap(source: string | FileURL, mode: Mode = "r", options: MapOptions = {}): MappedArray {
  if (!["r", "r+", "w+"].includes(mode)) {
    const advice = String(mode).startsWith("a") ? `rows cannot be appended: make the file with "w+" and its final shape, or use the command \`npy append\`` : `use "r", "r+" or "w+"`;
    throw new NpyError("unsupported", `${shown(mode)} is not a mode; ${advice}`);
  }
  checkOptions(options, ["dtype", "shape"], '{ dtype: "<f4", shape: [2, 3] }');
  const path = pathOf(source);
  return within(path, () => {
    if (mode === "w+") create(path, options.dtype === undefined && options.shape === undefined ? headerOf(path) : options);
    const reader = new OpenFile(path);
    let header: Header;
    let size: number;
    try {
      [header, size] = [readHeader(reader), reader.size];
      checkSame(header, options);
      checkMappable(header.type);
      if (header.type.size === 0 && count(header.shape) > 1 << 20) throw new NpyError("limit", "the array has too many elements without bytes; use the shape");
      checkLength(header, size);
    } finally {
      reader.close();
    }
    const file = io(() => files().openSync(path, mode === "r" ? "r" : "r+"));
    return new MappedArray(new Blocks(file, header.offset, count(header.shape) * header.type.size, Math.max(header.type.size, 1), mode !== "r"), header);
  });
}

function checkMappable(type: DType): void {
  if (hasObjects(type)) throw new NpyError("unsupported", "Python objects are stored as a pickle and not item by item; use readNPY and writeNPY");
}

/** An error for options that say something else than the file: only a new file has another dtype or shape. */
function checkSame({ type, shape }: Header, options: MapOptions): void {
  if (options.shape !== undefined) checkShape(options.shape);
  const isSame = (options.dtype === undefined || parse(options.dtype).descr === type.descr) && (options.shape === undefined || options.shape.join() === shape.join());
  if (isSame) return;
  throw new NpyError("mismatch", `the file has the dtype ${type.str} and the shape (${shape.join(", ")}), which the options do not; leave them out, or make a new file with "w+"`);
}

/** The dtype and the shape of a file that is there. */
function headerOf(path: string): MapOptions {
  files().closeSync(io(() => files().openSync(path, "r"), "there is no such file; pass { dtype, shape } to make one"));
  const reader = new OpenFile(path);
  try {
    const { type, shape } = readHeader(reader);
    return { dtype: type.descr, shape };
  } finally {
    reader.close();
  }
}

/** Makes a file of zeros. */
function create(path: string, { dtype, shape }: MapOptions): void {
  if (shape === undefined) throw new NpyError("argument", 'the mode "w+" replaces the file by zeros and needs a shape; pass { dtype, shape }, or use "r+" to change the file');
  checkShape(shape);
  const large = shape.find((n) => n >= 2 ** 32);
  if (large !== undefined) throw new NpyError("limit", `${large} is more than a dimension of a new file may have; make it with fewer than 2 ** 32, or by NumPy`);
  const type = parse(dtype ?? "<f8");
  checkMappable(type);
  if (type.size === 0 && "US".includes(type.kind)) throw new NpyError("dtype", "the text of the new file has no width; pass one, such as \"<U8\"");
  const bytes = count(shape) * type.size;
  const header = engine().bytes("start", [type.descr, shape.join(","), "C", ""]);
  // Maps of the old file write their changes to that one.
  replace(path, (file) => {
    writeAll(file, header, 0);
    files().ftruncateSync(file, header.length + bytes);
  });
}
