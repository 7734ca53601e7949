// Conversion of data to other dtypes, by the named casts of the module.
import { BLOCK, engine } from "./engine.js";
import { NpyError } from "./error.js";
import type { DType, TypedArray } from "./dtype.js";
import { classOf, native, width } from "./dtype.js";

/** By which rule numbers are converted. */
export type Cast = "exact" | "lossless" | "numeric" | "checked";

export const CASTS: readonly string[] = ["exact", "lossless", "numeric", "checked"];

/** Converts plain data to a typed array. */
export function cast(data: any, from: DType, to: DType, how: Cast, shape: readonly number[]): TypedArray {
  if (!CASTS.includes(how)) throw new NpyError("cast", `${String(how)} is not a cast; use one of ${CASTS.join(", ")}`);
  const class_ = classOf(to);
  const own = classOf(from);
  if (!class_ || !own || !ArrayBuffer.isView(data)) {
    throw new NpyError("mismatch", `an array of ${from.str} does not become a typed array of ${to.str}; use the data`);
  }
  // The module has no rule for times as numbers: they are their counts of units.
  const source = from.kind === "m" || from.kind === "M" ? (to.kind === from.kind ? native(from) : "<i8") : native(from);
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (source === native(to)) return new class_(bytes.slice().buffer);
  const size = own.BYTES_PER_ELEMENT * width(from);
  const out = new class_((bytes.length / size) * width(to));
  const rows = Math.max(out.length / width(to) / (shape[0] || 1), 1);
  convert(bytes, { itemsize: size, offset: 0, dtype: source }, native(to), how, rows, (block, first) => {
    new Uint8Array(out.buffer).set(block, first * class_.BYTES_PER_ELEMENT * width(to));
  });
  return out;
}

/** A part of each item: a field, or the item itself. */
export interface Part {
  itemsize: number;
  offset: number;
  dtype: string;
}

/** Converts a part of each item in blocks. `each` gets the bytes of a block, and the index of its first item. An error gets the right row. */
export function convert(items: Uint8Array, part: Part, target: string, how: Cast, rowItems: number, each: (block: Uint8Array, first: number) => void): void {
  const { itemsize, offset, dtype } = part;
  const length = Math.max(Math.floor(BLOCK / itemsize), 1);
  const count = items.length / itemsize;
  for (let first = 0; first < count; first += length) {
    const block = items.subarray(first * itemsize, Math.min(first + length, count) * itemsize);
    try {
      each(engine().bytes("convert", [itemsize, offset, dtype, target, how], block), first);
    } catch (error) {
      throw error instanceof NpyError ? inRow(error, first, rowItems) : error;
    }
  }
}

/** Counts the row of an error in a block from the start of the array. */
function inRow({ kind, message, field, row }: NpyError, first: number, rowItems: number): NpyError {
  if (row === undefined) return new NpyError(kind, message, { field });
  const actual = Math.floor((first + row) / rowItems);
  return new NpyError(kind, message.replace(`row ${row}`, `row ${actual}`), { field, row: actual });
}
