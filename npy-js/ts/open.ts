// Files that are read in parts: headers, rows and columns, without the rest.
import { Assembler } from "./assemble.js";
import { advice, checkOptions } from "./arguments.js";
import { CASTS, type Cast, cast, WRAPS } from "./cast.js";
import { Checksum } from "./checksum.js";
import { count, type DType, parse, product } from "./dtype.js";
import { Engine, type Readable } from "./engine.js";
import { located, named, NpyError, shown } from "./error.js";
import { NDArray } from "./array.js";
import { keepItems } from "./objects.js";
import { blockItems, Growing, type Header, headerOf, isArchive, objects, parseHeader, rowItems, take, truncated } from "./read.js";
import { END, FIRST, type Open, openSource, type Ranges, type Source, type Start } from "./source.js";

/** A dtype that numbers are converted to, and the cast for those that it does not have. */
export interface Conversion {
  /** The dtype, such as `<f4` or `Float32Array`. */
  dtype: string;
  /** The cast; without it, a value out of the range is an error. */
  cast?: Cast;
}

/** A part of an array. */
export interface ReadOptions {
  /** From the first row to before the last, as a slice of Python: `[10, 20]`, also negative. `[2]` is from row 2 to the end. */
  rows?: readonly [number, number?] | undefined;
  /**
   * Names of fields of records: a list gives records, a single name its values. Nested ones are `"head.gain"`, which is also the name of the field in
   * the result.
   */
  columns?: readonly string[] | string | undefined;
  /**
   * The dtype that numbers are converted to, such as `"<f4"` or `"Float32Array"`; an error for a value out of its range, unless another cast is
   * named: `{ dtype: "<i4", cast: "numeric" }`. The casts are those of `toTypedArray`. The order of the file is kept: `fortranOrder` of the result is that of
   * the file.
   */
  cast?: string | Conversion | undefined;
  /** The member, of an archive. */
  name?: string | undefined;
}

/** Bytes of a file that were fetched, for the module, which does not wait. */
class Fetched implements Readable {
  readonly #ranges: Ranges;
  readonly #parts: Start[] = [];
  #missing: { offset: number; length: number } | undefined;
  #ahead = FIRST;

  constructor(ranges: Ranges) {
    this.#ranges = ranges;
  }

  get size(): number {
    return this.#ranges.size;
  }

  add(part: Start): void {
    this.#parts.push(part);
  }

  read(offset: number, out: Uint8Array): number {
    for (const { offset: start, bytes } of this.#parts) {
      if (offset >= start && offset < start + bytes.length) {
        const part = bytes.subarray(offset - start, offset - start + out.length);
        out.set(part);
        return part.length;
      }
    }
    this.#missing = { offset, length: out.length };
    return 0;
  }

  async fetch(offset: number, length: number): Promise<void> {
    const is_there = this.#parts.some((part) => offset >= part.offset && offset + length <= part.offset + part.bytes.length);
    if (!is_there) this.add({ offset, bytes: await readAll(this.#ranges, offset, length) });
  }

  /** Runs calls of the module; when bytes are missing, fetches them and starts again. */
  async run<T>(work: () => T): Promise<T> {
    for (;;) {
      this.#missing = undefined;
      try {
        return work();
      } catch (error) {
        if (!this.#missing) throw error;
      }
      await this.#fetchMissing(this.#missing);
    }
  }

  async #fetchMissing({ offset, length }: { offset: number; length: number }): Promise<void> {
    const { size } = this;
    // The directory of an archive is at its end, and found by small steps; other reads go forward, in steps that grow.
    const is_end = size - offset <= END;
    const from = is_end ? Math.max(size - END, 0) : offset;
    const to = is_end ? size : Math.min(Math.max(offset + length, offset + this.#ahead), size);
    if (!is_end) this.#ahead *= 2;
    this.add({ offset: from, bytes: await readAll(this.#ranges, from, to - from) });
  }

}

async function readAll(ranges: Ranges, offset: number, length: number): Promise<Uint8Array> {
  if (length === 0) return new Uint8Array(0);
  const bytes = await ranges.read(offset, length);
  if (bytes.length >= length) return bytes.subarray(0, length);
  throw new NpyError("truncated", `truncated: expected ${length} bytes at ${offset}, found ${bytes.length}; open the file again`);
}

/** Where the data of an array are. */
interface Data {
  /** Returns elements as they are in the file. */
  items(from: number, to: number): Promise<Uint8Array>;
  /** Fetches what these elements need, if several reads are one request. */
  prepare?(from: number, to: number): Promise<void>;
  objects(): Promise<any>;
  /** An error if the file is closed. */
  check(): void;
  close(): Promise<void>;
  /** True if parts cost no more than their bytes. */
  readonly isSeekable: boolean;
}

/** An array in a file. */
export class NpyFile {
  static {
    named(this, "NpyFile");
  }

  readonly #header: Header;
  readonly #data: Data;
  readonly #path: string | undefined;
  /** The dtype, such as `<f8`, or the list of fields of a record. */
  readonly dtype: string;
  /** The shape; empty for a single value. */
  readonly shape: number[];
  /** True if the first index varies fastest in the file. */
  readonly fortranOrder: boolean;
  /** The names of the fields; empty if the elements are not records. */
  readonly names: string[];
  /** The version of the format, such as `[1, 0]`. */
  readonly version: [number, number];
  /** True if the server has no ranges: then `open` read the whole file. */
  readonly isWhole: boolean;

  /**
   * For this package; programs call `open`.
   * @internal
   */
  constructor(header: Header, data: Data, path: string | undefined, is_whole: boolean) {
    this.#header = header;
    this.#data = data;
    this.#path = path;
    this.dtype = header.type.str;
    this.shape = header.shape;
    this.fortranOrder = header.fortran;
    this.names = header.type.fields?.map((field) => field.name) ?? [];
    this.version = header.version.split(".").map(Number) as [number, number];
    this.isWhole = is_whole;
  }

  /** The dtype as a tree. */
  get type(): DType {
    return this.#header.type;
  }

  /** Reads the array or a part of it. */
  async read(options: ReadOptions = {}): Promise<NDArray> {
    try {
      checkRead(options);
      if (options.name !== undefined) throw new NpyError("argument", `the file is one array, and a member ${shown(options.name)} is only in an archive; leave out the name`);
      return converted(await this.#read(options), options.cast);
    } catch (error) {
      throw located(error, this.#path);
    }
  }

  async #read({ rows, columns }: ReadOptions): Promise<NDArray> {
    this.#data.check();
    checkColumns(columns);
    const header = this.#header;
    const { type, shape, fortran } = header;
    const [from, to] = range(rows, shape);
    if (header.objects) return objectRows(objects(await this.#data.objects(), header), rows && [from, to], columns);
    const part = shape.length ? [to - from, ...shape.slice(1)] : shape;
    const n = count(part);
    const own = { ...header, shape: part };
    const is_strided = fortran && shape.length > 1;
    if (is_strided && to - from < shape[0]!) {
      const assembler = new Assembler(type, n, columns);
      if (n > 0 && type.size > 0) assembler.put(await this.#strided(from, to, n), 0);
      return assembler.finish(part, true);
    }
    const start = from * rowItems(header);
    const grown = new Growing(header, n, start);
    if (n > 0) await this.#data.prepare?.(start, start + n);
    const step = this.#data.isSeekable ? Math.max(n, 1) : blockItems(type);
    for (let first = 0; first < n && type.size > 0; first += step) {
      const length = Math.min(step, n - first);
      grown.add(await this.#data.items(start + first, start + first + length), length);
    }
    return grown.finish(own, columns, part);
  }

  /** Reads rows of an array in Fortran order: a run in each column, or all that is between the first and the last. */
  async #strided(from: number, to: number, n: number): Promise<Uint8Array> {
    const { type, shape } = this.#header;
    const [rows, height] = [shape[0]!, to - from];
    const columns = n / height;
    const out = new Uint8Array(n * type.size);
    if (this.#data.isSeekable && columns <= 16) {
      const runs = Array.from({ length: columns }, (_, j) => this.#data.items(j * rows + from, j * rows + to));
      (await Promise.all(runs)).forEach((run, j) => out.set(run, j * height * type.size));
      return out;
    }
    await this.#data.prepare?.(from, (columns - 1) * rows + to);
    const span = await this.#data.items(from, (columns - 1) * rows + to);
    for (let j = 0; j < columns; j++) {
      const at = j * rows * type.size;
      out.set(span.subarray(at, at + height * type.size), j * height * type.size);
    }
    return out;
  }

  /** Reads the array in blocks of rows. Of a truncated file, it returns all complete rows before the error. */
  async *blocks(rows: number, options: ReadOptions = {}): AsyncGenerator<NDArray, void, undefined> {
    if (!Number.isSafeInteger(rows) || rows < 1) throw new NpyError("argument", `${shown(rows)} is not a number of rows; pass an integer of at least 1`);
    checkRead(options);
    const [from, to] = range(options.rows, this.shape);
    for (let at = from; at < to; at += rows) {
      const end = Math.min(at + rows, to);
      const block = await this.read({ ...options, rows: [at, end] }).catch((error) => error);
      if (block instanceof NDArray) yield block;
      else {
        const isCut = block instanceof NpyError && block.kind === "truncated" && block.row! > at && block.row! < end;
        if (isCut) yield this.read({ ...options, rows: [at, block.row!] });
        throw block;
      }
    }
  }

  /** Closes the file. */
  async close(): Promise<void> {
    await this.#data.close();
  }
}

const isCast = (name: unknown): boolean => CASTS.includes(name as string);

/** Returns the option that names a dtype and a cast, as a program writes it. */
const conversion = (dtype: unknown, how: string): string => `{ dtype: ${shown(dtype)}, cast: ${shown(how)} }`;

/** An error for options that do not exist, also for those of other libraries. */
function checkRead(options: any): void {
  const example = Array.isArray(options) ? "{ rows: [0, 10] }" : typeof options === "string" ? `{ columns: ${shown(options)} }` : '{ rows: [0, 10], cast: "<f4" }';
  const { dtype, cast } = Object(options ?? {});
  if (dtype !== undefined) throw new NpyError("argument", `there is no option "dtype"; pass { cast: ${isCast(cast) ? conversion(dtype, cast) : shown(dtype)} }`);
  checkOptions(options, ["rows", "columns", "cast", "name"], example);
  const name = cast?.dtype ?? cast;
  if (isCast(name)) throw new NpyError("argument", `${shown(name)} is a cast, and no dtype is named; pass { cast: ${conversion("<f4", name)} }, with the dtype that you need`);
}

/** An error for columns that are not names. */
function checkColumns(columns: unknown): void {
  if (columns === undefined || typeof columns === "string") return;
  if (Array.isArray(columns) && columns.length > 0 && columns.every((name) => typeof name === "string")) return;
  const found = Array.isArray(columns) && columns.length > 0 ? shown(columns.find((name) => typeof name !== "string")) : shown(columns);
  throw new NpyError("argument", `columns are names of fields, and ${found} is not one; pass names such as ["x"], and take the columns of a plain array from the result`);
}

/** Returns rows as a slice of Python is: negative numbers count from the end, and others end there. */
function range(rows: ReadOptions["rows"], shape: readonly number[]): [number, number] {
  if (rows !== undefined && !(Array.isArray(rows) && (rows.length === 1 || rows.length === 2))) {
    throw new NpyError("argument", `rows are a range, and ${shown(rows)} is not one; pass the first row and the one after the last, such as [10, 20]`);
  }
  const [n] = shape;
  if (n === undefined) {
    if (rows === undefined) return [0, 1];
    throw new NpyError("shape", "the array has no dimensions, so it has no rows; read it without `rows`");
  }
  const at = (i: number | undefined, otherwise: number): number => {
    if (i === undefined || i === null) return otherwise;
    if (!Number.isSafeInteger(i)) throw new NpyError("shape", `${shown(i)} is not a row; pass numbers such as [10, 20]`);
    return Math.min(Math.max(i < 0 ? i + n : i, 0), n);
  };
  const from = at(rows?.[0], 0);
  return [from, Math.max(at(rows?.[1], n), from)];
}

function converted(array: NDArray, wanted: ReadOptions["cast"]): NDArray {
  if (wanted === undefined) return array;
  if (typeof wanted === "object") checkOptions(wanted, ["dtype", "cast"], '{ dtype: "<f4", cast: "numeric" }');
  const [dtype, how]: [string, Cast] = typeof wanted === "object" ? [wanted.dtype, wanted.cast ?? "checked"] : [wanted, "checked"];
  const type = parse(dtype);
  const remedy = `pass { cast: ${conversion(dtype, "numeric")} }, which ${WRAPS}`;
  const made = new NDArray(cast(array.data, array.type, type, how, array.shape, remedy), array.shape, type);
  made.fortranOrder = array.fortranOrder;
  return made;
}

function objectRows(array: NDArray, rows: readonly [number, number] | undefined, columns: ReadOptions["columns"]): NDArray {
  if (Array.isArray(columns)) throw new NpyError("unsupported", "records with Python objects are read whole, or one column at a time; pass one name");
  let part = array;
  if (rows) {
    const rest = array.shape.slice(1);
    const [from, to] = [rows[0] * product(rest), rows[1] * product(rest)];
    part = new NDArray(array.data.slice(from, to), [rows[1] - rows[0], ...rest], array.type);
    keepItems(array.data, part.data, from, to);
  }
  return typeof columns === "string" ? part.column(columns) : part;
}

/** An archive. Arrays are found by the names that NumPy shows, without `.npy`. */
export class NpzFile {
  static {
    named(this, "NpzFile");
  }

  readonly #ranges: Open;
  readonly #fetched: Fetched;
  readonly #engine: Engine;
  #generation = -1;
  #open: { name: string; next: number } | undefined;
  #single: NpyFile | undefined;
  /** Calls of the module are one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The names of the arrays, as NumPy shows them. */
  names: string[] = [];
  /** True if the server has no ranges: then `open` read the whole file. */
  readonly isWhole: boolean;

  /**
   * For this package; programs call `open`.
   * @internal
   */
  constructor(ranges: Open, start: Start | undefined) {
    this.#ranges = ranges;
    this.#fetched = new Fetched(ranges);
    if (start) this.#fetched.add(start);
    this.#engine = new Engine(this.#fetched);
    this.isWhole = ranges.isWhole;
  }

  /**
   * Reads the directory; for this package.
   * @internal
   */
  async begin(): Promise<this> {
    await this.#call(() => (this.names = this.#archive()));
    if (this.names.length === 1) this.#single = await this.member(this.names[0]!).catch(() => undefined);
    return this;
  }

  /** The dtype, of an archive of one array; an error if there are several, as for `shape` and `fortranOrder`. */
  get dtype(): string {
    return this.#only().dtype;
  }

  /** The shape of the only array. */
  get shape(): number[] {
    return this.#only().shape;
  }

  /** True if the only array is in Fortran order. */
  get fortranOrder(): boolean {
    return this.#only().fortranOrder;
  }

  /** Opens an array of the archive, and reads its header alone. Closing it is not needed. */
  async member(name: string): Promise<NpyFile> {
    const json = await this.#call(() => this.#member(name)).catch((error) => {
      if (!(error instanceof NpyError) || error.kind !== "missing-member") throw error;
      const path = this.#ranges.name;
      throw new NpyError(error.kind, `${path === undefined ? "" : `${path}: `}there is no member ${shown(name)}; ${advice(String(name), this.names, "there are")}`, { path });
    });
    const header = headerOf(json);
    const data: Data = json.stored ? this.#stored(header, name, json.stored, json.checksum) : this.#compressed(header, name, json.seekable);
    return new NpyFile(header, data, this.#ranges.name, this.isWhole);
  }

  /** Returns an array of the archive, like `member`. */
  async get(name: string): Promise<NpyFile> {
    return this.member(name);
  }

  /** Reads an array, or a part of it: `read("x", { rows: [0, 10] })`, or `read({ name: "x", rows: [0, 10] })`. */
  async read(name?: string | ReadOptions, options: ReadOptions = {}): Promise<NDArray> {
    checkRead(options);
    if (typeof name !== "string" && name !== undefined) checkRead(name);
    const { name: own, ...rest } = typeof name === "object" ? { ...name, ...options } : { ...options, ...(name === undefined ? {} : { name }) };
    return (await this.#find(own)).read(rest);
  }

  /** Reads an array in blocks of rows: `blocks(1000, { name: "x" })`. */
  async *blocks(rows: number, options: ReadOptions = {}): AsyncGenerator<NDArray, void, undefined> {
    checkRead(options);
    const { name, ...rest } = options;
    yield* (await this.#find(name)).blocks(rows, rest);
  }

  async #find(name: string | undefined): Promise<NpyFile> {
    return name === undefined ? this.#only() : this.member(name);
  }

  #only(): NpyFile {
    if (this.#single) return this.#single;
    throw new NpyError("missing-member", `the archive has ${this.names.length} arrays; pass the name of one: ${this.names.slice(0, 20).join(", ")}`, { path: this.#ranges.name });
  }

  /** Closes the file. */
  async close(): Promise<void> {
    await this.#ranges.close();
  }

  #call<T>(work: () => T): Promise<T> {
    const result = this.#turn.then(() => {
      this.#ranges.check();
      return this.#fetched.run(work);
    });
    this.#turn = result.catch(() => {});
    return result.catch((error) => {
      throw located(error, this.#ranges.name);
    });
  }

  #archive(): string[] {
    const names = this.#engine.json("archive");
    this.#generation = this.#engine.generation;
    return names;
  }

  #member(name: string): any {
    // After the module stopped, a new one has no archive open.
    if (this.#generation !== this.#engine.generation || this.#generation < 0) this.#archive();
    this.#open = undefined;
    const json = this.#engine.json("member", [name]);
    this.#open = { name, next: 0 };
    return json;
  }

  /** The data of a member that is not compressed. Reads from its start to its end, one after the other, compare the checksum. */
  #stored(header: Header, name: string, [start, end]: [number, number], checksum: number): Data {
    const { size } = header.type;
    let sum = new Checksum();
    let summed = -1;
    return {
      isSeekable: true,
      items: async (from, to) => {
        const [first, last] = [start + from * size, start + to * size];
        if (last > end) throw truncated(header, end - start);
        const bytes = await readAll(this.#ranges, first, last - first);
        if (first === start) {
          const head = await this.#call(() => take(this.#fetched, start - header.offset, header.offset));
          [sum, summed] = [new Checksum(), start];
          sum.add(head);
        }
        if (first === summed) {
          sum.add(bytes);
          summed = last;
          if (last === end && sum.value !== checksum) throw damaged(sum.value, checksum);
        }
        return bytes;
      },
      objects: () => this.#call(() => this.#objects(name)),
      check: () => this.#ranges.check(),
      close: async () => {},
    };
  }

  #compressed(header: Header, name: string, is_seekable: boolean): Data {
    return {
      isSeekable: false,
      prepare: async (from, to) => {
        if (is_seekable) await this.#prefetch(header, name, from, to);
      },
      items: (from, to) => this.#call(() => this.#items(name, from * header.type.size, to * header.type.size, is_seekable)),
      objects: () => this.#call(() => this.#objects(name)),
      check: () => this.#ranges.check(),
      close: async () => {},
    };
  }

  #objects(name: string): any {
    if (this.#generation !== this.#engine.generation) this.#archive();
    return this.#engine.json("objects", [name]);
  }

  /** Fetches the part of a compressed member that has these elements, in one request. */
  async #prefetch({ offset, type }: Header, name: string, from: number, to: number): Promise<void> {
    const range = await this.#call(() => {
      if (this.#generation !== this.#engine.generation) this.#archive();
      return this.#engine.json("chunks", [name, offset + from * type.size, offset + to * type.size]);
    });
    if (range) await this.#fetched.fetch(range[0], range[1] - range[0]);
  }

  #items(name: string, from: number, to: number, is_seekable: boolean): Uint8Array {
    if (this.#open?.name !== name || this.#generation !== this.#engine.generation || (!is_seekable && this.#open.next > from)) this.#member(name);
    const next = this.#open!.next;
    // A read that fails leaves the position unknown.
    this.#open = undefined;
    if (next !== from) this.#engine.json("seek", [from]);
    const bytes = this.#engine.bytes("next", [to - from]);
    this.#open = { name, next: to };
    return bytes;
  }
}

function damaged(...sums: [number, number]): NpyError {
  const [found, expected] = sums.map((sum) => sum.toString(16).padStart(8, "0"));
  return new NpyError("checksum", `the checksum is ${found} and should be ${expected}: the bytes and their checksum do not match, and one of them was changed; copy the file again, or write it again`);
}

/**
 * Opens a file to read parts of it. A URL is read by ranges; if the server has none, the whole file is read, and `isWhole` is true. Rows of an array in
 * Fortran order with more than 16 columns take all bytes from the first to the last of them, which is nearly the whole file. A compressed member without an
 * index is inflated from its start, and the bytes that were fetched for that are kept until the file is closed. A member that is read from its start to its
 * end is compared with its checksum; parts of a member that is not compressed are not compared.
 */
export async function open(source: Source): Promise<NpyFile | NpzFile> {
  const { ranges, start } = await openSource(source);
  try {
    return await opened(ranges, start);
  } catch (error) {
    await ranges.close();
    throw located(error, ranges.name);
  }
}

async function opened(ranges: Open, start: Start | undefined): Promise<NpyFile | NpzFile> {
  let head = start ?? { offset: 0, bytes: await readAll(ranges, 0, Math.min(FIRST, ranges.size)) };
  if (head.offset > 0) {
    // The end of a file that is named like an archive. If it is none, its start says what it is.
    const archive = await new NpzFile(ranges, head).begin().catch((error) => error);
    if (!(archive instanceof NpyError)) return archive;
    head = { offset: 0, bytes: await readAll(ranges, 0, FIRST) };
  }
  const { bytes } = head;
  if (isArchive(bytes)) return new NpzFile(ranges, head).begin();
  let header = parseHeader(bytes, ranges.size);
  if (typeof header === "number") header = parseHeader(await readAll(ranges, 0, header), ranges.size) as Header;
  return new NpyFile(header, new Direct(ranges, header, head), ranges.name, ranges.isWhole);
}

/** The data of a `.npy` file. */
class Direct implements Data {
  readonly #ranges: Open;
  readonly #header: Header;
  readonly #head: Start;
  readonly isSeekable = true;

  constructor(ranges: Open, header: Header, head: Start) {
    this.#ranges = ranges;
    this.#header = header;
    this.#head = head;
  }

  async items(from: number, to: number): Promise<Uint8Array> {
    const { offset, type } = this.#header;
    const [start, end] = [offset + from * type.size, offset + to * type.size];
    const { bytes } = this.#head;
    if (end <= bytes.length) return bytes.subarray(start, end);
    if (end > this.#ranges.size) throw truncated(this.#header, this.#ranges.size - offset);
    return readAll(this.#ranges, start, end - start);
  }

  async objects(): Promise<any> {
    const fetched = new Fetched(this.#ranges);
    fetched.add({ offset: 0, bytes: await readAll(this.#ranges, 0, this.#ranges.size) });
    return new Engine(fetched).json("objects");
  }

  check(): void {
    this.#ranges.check();
  }

  async close(): Promise<void> {
    await this.#ranges.close();
  }
}
