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

/** Divides, and rounds down. @internal */
export const floor = (a: bigint, b: bigint): bigint => (a < 0n && a % b !== 0n ? a / b - 1n : a / b);

/** Returns how counts of a unit become those of another, rounded down; neither or both are months. */
function ratio(from: string, to: string): (count: bigint) => bigint {
  const length = (name: string): [bigint, bigint] => (isMonths(name) ? [name === "Y" ? 12n : 1n, 1n] : UNITS[name]!);
  const [a, b] = [unitOf(from), unitOf(to)];
  const [[by, over], [divisor, factor]] = [length(a.name), length(b.name)];
  return (count) => floor(count * a.step * by * factor, over * divisor * b.step);
}

/** Returns how dates of a unit become those of another: months and days by the calendar, in any year. @internal */
export function between(from: string, to: string): (count: bigint) => bigint {
  const [is_months, to_months] = [from, to].map((unit) => isMonths(unitOf(unit).name));
  if (is_months === to_months) return ratio(from, to);
  const middle = is_months ? "M" : "D";
  const [first, last] = [ratio(from, middle), ratio(is_months ? "D" : "M", to)];
  const step = is_months ? daysOf : monthsOf;
  return (count) => last(step(first(count)));
}

// Years begin with March here, so that the leap day is the last one; 719,468 days are from March of the year 0 to 1970, and 146,097 are 400 years.

/** Returns the days since 1970 of the first day of a month, which is counted since 1970. */
function daysOf(months: bigint): bigint {
  const since = months + 12n * 1970n - 2n;
  const year = floor(since, 12n);
  const leaps = floor(year, 4n) - floor(year, 100n) + floor(year, 400n);
  return 365n * year + leaps + (153n * (since - 12n * year) + 2n) / 5n - 719_468n;
}

/** Returns the months since 1970 of a day, which is counted since 1970. */
function monthsOf(days: bigint): bigint {
  const era = floor(days + 719_468n, 146_097n);
  const day = days + 719_468n - era * 146_097n;
  const year = (day - day / 1460n + day / 36_524n - day / 146_096n) / 365n;
  const of_year = day - (365n * year + year / 4n - year / 100n);
  return 12n * (era * 400n + year) + (5n * of_year + 2n) / 153n + 2n - 12n * 1970n;
}

/** Returns the date of a count of units since 1970; `null` for `NaT`. */
export function toDate(time: bigint, unit: string): Date | null {
  if (time === NAT) return null;
  const date = new Date(Number(between(unit, "ms")(time)));
  if (!Number.isNaN(date.getTime())) return date;
  const advice = 'use get, which returns the count as a bigint, or NDArray.from(array, { dtype: "<M8[Y]" }), whose counts are the years since 1970';
  throw new NpyError("invalid-value", `${time} ${unit} since 1970 is outside of the years that a Date has; ${advice}`);
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
  if (from.kind === "M") return between(from.unit, to.unit);
  if (isMonths(unitOf(from.unit).name) !== isMonths(unitOf(to.unit).name)) return refuse("months have no fixed length; pass the counts, which are the data");
  return ratio(from.unit, to.unit);
}
