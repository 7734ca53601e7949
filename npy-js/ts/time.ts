// Times of NumPy as dates of JavaScript, and back.
import type { DType } from "./dtype.js";
import { NpyError } from "./error.js";

/** The milliseconds of a unit as a fraction; years and months are of the calendar. */
const UNITS: Record<string, [bigint, bigint]> = {
  W: [604_800_000n, 1n], D: [86_400_000n, 1n], h: [3_600_000n, 1n], m: [60_000n, 1n], s: [1000n, 1n], ms: [1n, 1n],
  us: [1n, 1000n], "μs": [1n, 1000n], ns: [1n, 1_000_000n], ps: [1n, 1_000_000_000n], fs: [1n, 1_000_000_000_000n], as: [1n, 1_000_000_000_000_000n],
};

/** NumPy's `NaT`. */
export const NAT = -(2n ** 63n);

/** The advice about `NaT` that would become a float. */
export const COUNTS = 'use "<i8", which has the counts';

function unitOf(text: string): { step: bigint; name: string } {
  const found = /^(\d*)([A-Za-zμ]+)$/.exec(text);
  if (!found) throw new NpyError("mismatch", "the times have no unit, so they are no dates; use get");
  return { step: BigInt(found[1] || 1), name: found[2]! };
}

const floor = (a: bigint, b: bigint): bigint => (a < 0n && a % b !== 0n ? a / b - 1n : a / b);

/** Returns the date of a count of units since 1970; `null` for `NaT`. */
export function toDate(time: bigint, unit: string): Date | null {
  if (time === NAT) return null;
  const { step, name } = unitOf(unit);
  const units = time * step;
  let date: Date;
  if (name === "Y" || name === "M") {
    const months = name === "Y" ? units * 12n : units;
    const year = floor(months, 12n);
    date = new Date(0);
    date.setUTCFullYear(Number(year + 1970n), Number(months - year * 12n));
  } else {
    const [by, over] = UNITS[name]!;
    date = new Date(Number(floor(units * by, over)));
  }
  if (!Number.isNaN(date.getTime())) return date;
  throw new NpyError("invalid-value", `${time} ${unit} since 1970 is outside of the years that a Date has; use get`);
}

/** Returns the count of units since 1970 of a date; `null` is `NaT`. */
export function fromDate(date: Date | null, unit: string): bigint {
  if (date === null || Number.isNaN(date.getTime())) return NAT;
  const { step, name } = unitOf(unit);
  if (name === "Y" || name === "M") {
    const months = BigInt((date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth());
    return floor(name === "Y" ? floor(months, 12n) : months, step);
  }
  const [by, over] = UNITS[name]!;
  return floor(floor(BigInt(date.getTime()) * over, by), step);
}

/** True for dates and spans of time. */
export const isTime = ({ kind }: DType): boolean => kind === "m" || kind === "M";

const isMonths = (name: string): boolean => name === "Y" || name === "M";

/**
 * Returns the data of an array with the counts that another dtype has for the same times. As in NumPy, they are rounded down, and `NaT` stays. A count that
 * does not fit is an error, and so is `NaT` that would become a float. `rows` is the length of the array.
 */
export function inUnitsOf(to: DType, from: DType, data: any, rows: number): any {
  if (from.fields && to.fields && !Array.isArray(data)) {
    const other = (name: string): DType | undefined => to.fields!.find((field) => field.name === name)?.dtype;
    return Object.fromEntries(from.fields.map(({ name, dtype }) => [name, inUnitsOf(other(name) ?? dtype, dtype, data[name], rows)]));
  }
  if (from.base && to.base) return inUnitsOf(to.base, from.base, data, rows);
  if (!isTime(from) || from.str === to.str || !(isTime(to) || "fc".includes(to.kind))) return data;
  const convert = isTime(to) ? converter(from, to) : (count: bigint) => (count === NAT ? undefined : count);
  return data.map((count: bigint, i: number) => {
    const made = count === NAT && isTime(to) ? NAT : convert(count);
    if (made !== undefined && BigInt.asIntN(64, made) === made && (made !== NAT || count === NAT)) return made;
    const row = Math.floor((i * rows) / data.length);
    const remedy = isTime(to) ? "use a coarser unit" : COUNTS;
    throw new NpyError("invalid-value", `row ${row}: ${count === NAT ? "NaT" : `${count} of ${from.str}`} does not fit ${to.str}; ${remedy}`, { row });
  });
}

function converter(from: DType, to: DType): (count: bigint) => bigint {
  const refuse = (reason: string): never => {
    throw new NpyError("mismatch", `${from.str} does not become ${to.str}, because ${reason}`);
  };
  if (from.kind !== to.kind) return refuse("dates are not spans of time; pass the counts, which are the data");
  // As in NumPy, counts without a unit get one.
  if (from.unit === to.unit || !from.unit) return (count) => count;
  if (!to.unit) return refuse("the counts would lose their unit; name one");
  const [a, b] = [unitOf(from.unit), unitOf(to.unit)];
  if (isMonths(a.name) !== isMonths(b.name)) {
    if (from.kind === "M") return (count) => fromDate(toDate(count, from.unit!), to.unit!);
    return refuse("months have no fixed length; pass the counts, which are the data");
  }
  const length = (name: string): [bigint, bigint] => (isMonths(name) ? [name === "Y" ? 12n : 1n, 1n] : UNITS[name]!);
  const [[by, over], [divisor, factor]] = [length(a.name), length(b.name)];
  return (count) => floor(count * a.step * by * factor, over * divisor * b.step);
}
