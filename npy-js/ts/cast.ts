// Conversion of data to typed arrays, by named casts with the rules of the library.
import { NpyError } from "./error.js";
import type { DType, TypedArray } from "./dtype.js";
import { classOf, native, width } from "./dtype.js";
import { fromHalf, toHalf } from "./floats.js";
import { COUNTS, isTime, NAT } from "./time.js";

/** By which rule numbers are converted. */
export type Cast = "exact" | "lossless" | "numeric" | "checked";

/** @internal */
export const CASTS: readonly string[] = ["exact", "lossless", "numeric", "checked"];

/** The end of a sentence about the cast "numeric". @internal */
export const WRAPS = "wraps integers, and truncates and limits floats";

/** The advice about a value that does not fit. */
const NUMERIC = `the cast "numeric" ${WRAPS}`;

/** Converts plain data to a typed array. `remedy` is the advice about a value that does not fit. @internal */
export function cast(data: any, from: DType, to: DType, how: Cast, shape: readonly number[], remedy = NUMERIC): TypedArray {
  if (!CASTS.includes(how)) throw new NpyError("cast", `${String(how)} is not a cast; use one of ${CASTS.join(", ")}`);
  const class_ = classOf(to);
  if (!class_ || !classOf(from) || !ArrayBuffer.isView(data)) {
    throw new NpyError("mismatch", `an array of ${from.str} does not become a typed array of ${to.str}; use the data`);
  }
  const values = data as any;
  // Without a `Float16Array`, halves have the class of single precision.
  if (native(from) === native(to) && from.kind === to.kind && floatSize(from) === floatSize(to)) return values.slice();
  if (isTime(to) && from.kind !== "i") {
    const advice = isTime(from) ? `pass it to NDArray.from(array, { dtype: ${JSON.stringify(to.str)} }), which converts units` : "convert it to \"<i8\", and pass the counts to NDArray.from with this dtype";
    throw new NpyError("mismatch", `the array holds ${from.str}, and casts make ${to.str} of signed integers alone; ${advice}`);
  }
  const refuse = (): never => {
    throw new NpyError("mismatch", `the array holds ${from.str}, and ${to.str} does not hold every value of it; the cast "checked" converts those that fit`);
  };
  if (how === "exact") return refuse();
  if (how === "lossless" && !isLossless(from, to)) return refuse();
  return how === "checked" ? check(values, from, to, class_, shape, remedy) : convert(values, from, to, class_);
}

/** The bits of integers that a float holds. */
const BITS: Record<number, number> = { 2: 11, 4: 24, 8: 53 };

const floatSize = ({ kind, size }: DType): number => Math.min(kind === "c" ? size / 2 : size, 8);

function isLossless(from: DType, to: DType): boolean {
  if (from.kind === "b") return to.kind !== "b";
  if (isTime(from)) return to.kind === "i" && to.size === 8;
  const is_float = to.kind === "f" || to.kind === "c";
  if (from.kind === "f" || from.kind === "c") return is_float && (from.kind === "f" || to.kind === "c") && floatSize(to) >= floatSize(from);
  const bits = from.size * 8 - (from.kind === "i" ? 1 : 0);
  if (is_float) return BITS[floatSize(to)]! >= bits;
  if (to.kind === "u") return from.kind === "u" && to.size >= from.size;
  return to.kind === "i" && to.size * 8 - 1 >= bits;
}

/** Returns the conversion of one number; those that do not fit wrap, or stop at the last one that does. */
function converter(to: DType): (value: any) => any {
  const { kind, size } = to;
  if (kind === "b") return (value) => (value == 0 ? 0 : 1);
  if (kind === "f" || kind === "c") return floatSize(to) === 2 ? (value) => fromHalf(toHalf(Number(value))) : Number;
  const bits = size * 8;
  const [low, high] = kind === "u" ? [0n, (1n << BigInt(bits)) - 1n] : [-(1n << BigInt(bits - 1)), (1n << BigInt(bits - 1)) - 1n];
  const wrap = kind === "u" ? BigInt.asUintN : BigInt.asIntN;
  const result = size === 8 ? (value: bigint) => value : Number;
  return (value) => {
    if (typeof value === "bigint") return result(wrap(bits, value));
    if (Number.isNaN(value)) return result(0n);
    if (value <= Number(low)) return result(low);
    return result(value >= Number(high) ? high : BigInt(Math.trunc(value)));
  };
}

function convert(values: any, from: DType, to: DType, class_: any): any {
  // There is no value whose type would tell how to convert.
  if (values.length === 0) return new class_(0);
  const [a, b] = [width(from), width(to)];
  const is_plain = a === b && floatSize(to) > 2 && (to.kind === "f" || to.kind === "c") && typeof values[0] !== "bigint";
  if (is_plain) return new class_(values);
  const is_integer = "iubmM".includes(from.kind) && typeof values[0] !== "bigint";
  const one = converter(to);
  const out = new class_((values.length / a) * b);
  for (let i = 0; i < values.length / a; i++) {
    const value = values[i * a];
    // Integers wrap, and floats do not.
    out[i * b] = one(is_integer && "iu".includes(to.kind) ? BigInt(value) : value);
    if (a === 2 && b === 2) out[2 * i + 1] = one(values[2 * i + 1]);
  }
  return out;
}

/** Converts, and finds the first value that does not fit. */
function check(values: any, from: DType, to: DType, class_: any, shape: readonly number[], remedy: string): any {
  const out = convert(values, from, to, class_);
  if (isLossless(from, to)) return out;
  const [a, b] = [width(from), width(to)];
  const rows = Math.max(values.length / a / (shape[0] || 1), 1);
  const to_integer = "iubmM".includes(to.kind);
  const isNaT = (value: any): boolean => isTime(from) && value === NAT;
  const fits = (value: any, made: any): boolean => {
    if (isNaT(value)) return false;
    // An integer that became a float is rounded, which is no error.
    if (to_integer) return to.kind === "b" ? value == 0 || value == 1 : made == value;
    return Number.isFinite(made) || !Number.isFinite(Number(value));
  };
  for (let i = 0; i < values.length / a; i++) {
    const is_real = a === 1 || b === 2 || values[2 * i + 1] === 0;
    const both = a === 2 && b === 2 ? fits(values[2 * i + 1], out[2 * i + 1]) : is_real;
    if (both && fits(values[i * a], out[i * b])) continue;
    const row = Math.floor(i / rows);
    const shown = a === 2 ? `${values[2 * i]}${values[2 * i + 1] < 0 ? "" : "+"}${values[2 * i + 1]}j` : isNaT(values[i]) ? "NaT" : String(values[i]);
    throw new NpyError("invalid-value", `row ${row}: ${shown} does not fit ${to.str}; ${isNaT(values[i]) ? COUNTS : is_real ? remedy : remedy.replace(WRAPS, "drops the imaginary part")}`, { row });
  }
  return out;
}
