// Arguments of calls: wrong ones are refused, with the one that was probably meant.
import { type DType, innermost, parse } from "./dtype.js";
import { NpyError, shown } from "./error.js";

/** Returns the name that was probably meant. */
function nearest(word: string, names: readonly string[]): string | undefined {
  const plain = word.slice(0, 64).toLowerCase();
  const most = plain.length > 4 ? 2 : 1;
  let best: string | undefined;
  let least = most + 1;
  for (const name of names) {
    const found = distance(plain, name.toLowerCase());
    if (found < least) [best, least] = [name, found];
  }
  return best;
}

/** Returns the number of letters to change, to add and to remove. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}

/** Returns advice about a name that is unknown: the one that was probably meant, or all of them. */
export function advice(word: string, names: readonly string[], all: string): string {
  const meant = nearest(word, names);
  return meant === undefined ? `${all} ${names.slice(0, 20).join(", ")}${names.length > 20 ? ", …" : ""}` : `did you mean ${shown(meant)}?`;
}

/** An error unless these are options of these names. `example` shows the form of them. */
export function checkOptions(options: unknown, names: readonly string[], example: string): void {
  if (options === undefined) return;
  if (options === null || typeof options !== "object" || Array.isArray(options)) {
    throw new NpyError("argument", `${shown(options)} is not an object of options; pass one, such as ${example}`);
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new NpyError("argument", `there is no option ${shown(unknown)}; ${advice(unknown, names, "the options are")}`);
}

/** An error unless this is a list of lengths. */
export function checkShape(shape: unknown): void {
  if (!Array.isArray(shape)) {
    throw new NpyError("argument", `${shown(shape)} is not a shape; pass a list of lengths, such as [${typeof shape === "number" ? shape : "2, 3"}]`);
  }
  const wrong = shape.find((n) => !(Number.isSafeInteger(n) && n >= 0));
  if (wrong === undefined && !shape.includes(undefined)) return;
  throw new NpyError("shape", `the shape (${shape.map((n) => (typeof n === "number" ? n : shown(n))).join(", ")}) has ${shown(wrong)} as a length; pass numbers: integers of at least 0`);
}

/** True for an object that has these properties and no other. */
function isCopyOf(value: any, names: readonly string[]): boolean {
  return value?.constructor === Object && Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name));
}

/** Returns the names of the fields, and the paths of those within others. */
const paths = (type: DType): string[] => type.fields!.flatMap(({ name, dtype }) => (innermost(dtype).fields ? paths(innermost(dtype)).map((path) => `${name}.${path}`) : [name]));

/** Returns the text of a program that makes an object of the columns of records. */
export function columnsOf(type: DType): string {
  return `Object.fromEntries(${JSON.stringify(paths(type))}.map((name) => [name, array.column(name)]))`;
}

/** Returns the values that are refused everywhere, as a message says it; undefined for others. */
export function refusal(value: any): string | undefined {
  if (value === undefined) return "undefined is not a value; write null";
  if (isCopyOf(value, ["data", "shape", "strides", "dtype", "fortranOrder"])) {
    // The data of records are an object of columns, which does not say their dtypes.
    const isRecords = value.data?.constructor === Object;
    const bytes = "copy the bytes of writeNPY(array), and read them";
    const hasObjects = /^\[.*'\|O'/.test(value.dtype);
    const remedy = hasObjects ? `copy the bytes of saveNPZ(null, ${columnsOf(parse(value.dtype))}), and read them by loadNPZ` : isRecords ? `${bytes}, or pass NDArray.records(value.data) if all columns are plain numbers or text` : `pass NDArray.from(value.data, { dtype: value.dtype, shape: value.shape }), or ${bytes}`;
    return `an object has the properties of an NDArray without its class, as structuredClone and postMessage copy it; ${remedy}`;
  }
  if (isCopyOf(value, ["name", "text", "arguments", "state"])) {
    return "an object has the properties of a Call without its class, as structuredClone and postMessage copy it; write its text";
  }
  if (value?.isMapped) return "the data of a memory map are not values; pass the array itself, or data.slice()";
  if (typeof value?.then === "function") return "a Promise is not a value yet; await it";
  if (value instanceof DataView || value instanceof ArrayBuffer) return `${shown(value)} has bytes without a dtype; pass a typed array, such as new Uint8Array(buffer)`;
  return undefined;
}
