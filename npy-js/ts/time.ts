// Times of NumPy as dates of JavaScript, and back.
import { NpyError } from "./error.js";

/** The milliseconds of a unit as a fraction; years and months are of the calendar. */
const UNITS: Record<string, [bigint, bigint]> = {
  W: [604_800_000n, 1n], D: [86_400_000n, 1n], h: [3_600_000n, 1n], m: [60_000n, 1n], s: [1000n, 1n], ms: [1n, 1n],
  us: [1n, 1000n], "μs": [1n, 1000n], ns: [1n, 1_000_000n], ps: [1n, 1_000_000_000n], fs: [1n, 1_000_000_000_000n], as: [1n, 1_000_000_000_000_000n],
};

/** NumPy's `NaT`. */
export const NAT = -(2n ** 63n);

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
