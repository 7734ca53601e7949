// Values of Python objects: what the module says about a pickle, as values of JavaScript.
import { NDArray, plain } from "./array.js";
import { Assembler } from "./assemble.js";
import { count, tree } from "./dtype.js";
import { named } from "./error.js";
import { floor, isTime } from "./time.js";

/**
 * An object of Python that JavaScript has no value for: what Python would call to make it. Nothing is called. Complex numbers, times of day, spans
 * of time, decimal numbers, ranges, dtypes and classes are such objects too.
 */
export class Call {
  static {
    named(this, "Call");
  }

  /** The class or function, such as `decimal.Decimal`. */
  readonly name: string | null;
  /** The object as Python prints it, or nearly so. */
  readonly text: string;
  /** The arguments of the call, as `get` returns objects; undefined if the value is not made by a call with a list of them. */
  readonly arguments: PythonObject[] | undefined;
  /** The state that the object would get, if it has one. */
  readonly state: PythonObject | undefined;

  /** @internal */
  constructor(name: string | null, text: string, arguments_?: PythonObject, state?: PythonObject) {
    this.name = name;
    this.text = text;
    this.arguments = Array.isArray(arguments_) ? arguments_ : undefined;
    this.state = state;
  }

  /** Returns `text`. */
  toString(): string {
    return this.text;
  }
}

/** A value within an array of Python objects, as it is read and written. Keys of a `Map` are whatever Python has as keys, most often text. */
export type PythonObject =
  | null | boolean | number | bigint | string | Uint8Array | Date | NDArray | Call | PythonObject[] | Set<PythonObject> | Map<PythonObject, PythonObject>
  | { [name: string]: PythonObject };

/**
 * The type in Python of each value that was read and whose class does not show it: `tuple`, `frozenset`, `bytearray`, the text of a date, or the name of a
 * class. A value that is written without changes keeps it, and so does a list that was changed in place.
 * @internal
 */
export const types = new WeakMap<object, string>();

/** For each list, map and set that was read: what the module said of items whose type a number, a text or `null` does not show, by index or key. @internal */
export const items = new WeakMap<object, Map<any, any>>();
/** The same for the keys of maps. @internal */
export const keys = new WeakMap<object, Map<any, any>>();

function remember(all: typeof items, owner: object, key: any, json: any, value: any): void {
  const is_shown = typeof json !== "object" || value === undefined || (typeof value === "object" && value !== null) || (typeof value === "bigint" && "int" in json);
  if (is_shown || json === null) return;
  const known = all.get(owner);
  if (known) known.set(key, json);
  else all.set(owner, new Map([[key, json]]));
}

/**
 * Makes the value: `None` is `null`, integers are numbers or bigints, bytes `Uint8Array`s, lists and tuples lists, sets `Set`s, dictionaries
 * `Map`s, dates and times `Date`s (in UTC if they have no zone), arrays `NDArray`s and scalars of NumPy single values, or arrays without dimensions if they
 * are times.
 * @internal
 */
export function revive(json: any): any {
  if (json === null || typeof json !== "object") return json;
  if (Array.isArray(json)) {
    const list = new Array(json.length);
    for (let i = 0; i < list.length; i++) {
      const part = json[i];
      list[i] = part;
      if (typeof part !== "object" || part === null) continue;
      list[i] = revive(part);
      remember(items, list, i, part, list[i]);
    }
    return list;
  }
  if ("as" in json) return typed(revive(json.of), json.as);
  if ("int" in json) return BigInt(json.int);
  if ("float" in json) return typeof json.float === "number" ? json.float : Number(json.float.replace("inf", "Infinity"));
  if ("bytes" in json) return unhex(json.bytes);
  if ("map" in json) return map(json.map);
  if ("record" in json) {
    const record = Object.fromEntries(json.record.map(([key, value]: any) => [key, revive(value)]));
    for (const [key, value] of json.record) remember(items, record, key, value, record[key]);
    return record;
  }
  if ("set" in json) {
    const set = new Set();
    for (const item of json.set) {
      const value = revive(item);
      set.add(value);
      remember(items, set, value, item, value);
    }
    return set;
  }
  if ("date" in json) {
    const date = dateOf(json.date);
    texts.set(date, json.date);
    return typed(date, json.date);
  }
  if ("repr" in json) return new Call("builtins.str", json.repr);
  if ("scalar" in json) return scalar(array(json.scalar, json.data));
  if ("array" in json) return array(json.array, json.data);
  return new Call(json.call, json.text, revive(json.arguments), revive(json.state));
}

/** Remembers the type of a value in Python. */
function typed<T>(value: T, type: string): T {
  if (typeof value === "object" && value !== null) types.set(value, type);
  return value;
}

function map(entries: readonly (readonly [any, any])[]): Map<any, any> {
  const made = new Map();
  for (const [of_key, of_value] of entries) {
    const [key, value] = [revive(of_key), revive(of_value)];
    made.set(key, value);
    remember(keys, made, key, of_key, key);
    remember(items, made, key, of_value, value);
  }
  return made;
}

/** A time needs its unit, so it stays an array. */
function scalar(array: NDArray): any {
  return isTime(array.type) ? typed(array, SCALAR) : typed(array.get(), array.names ? "numpy.void" : array.dtype);
}

/** The type of an array that was a scalar of NumPy. @internal */
export const SCALAR = "numpy.generic";

/**
 * Keeps what the module said of the items of a list, from one index to another, for a copy of these. Other items cost nothing: a program may take
 * each row of a long array.
 * @internal
 */
export function keepItems(list: any[], copy: any[], from: number, to: number): void {
  const known = items.get(list);
  if (!known) return;
  const kept = new Map();
  for (let i = from; i < to; i++) if (known.has(i)) kept.set(i - from, known.get(i));
  items.set(copy, kept);
}

/** Returns the values of a field of records, with what the module said of them; those of sub-arrays of `depth` dimensions one by one. @internal */
export function fieldOf(records: any[], name: string, depth: number): any[] {
  const [values, known] = [[] as any[], new Map()];
  const add = (owner: any, key: any): void => {
    const json = items.get(owner)?.get(key);
    if (json !== undefined) known.set(values.length, json);
    values.push(owner[key]);
  };
  for (const record of records) {
    const value = record[name];
    if (!depth) {
      add(record, name);
      continue;
    }
    const list = Array.isArray(value?.data) ? plain(value).data : [value instanceof NDArray ? value.toNested() : value].flat(depth);
    for (let i = 0; i < list.length; i++) add(list, i);
  }
  items.set(values, known);
  return values;
}

/** The text of each date that was read. Those of pandas have the name of their class as their type. */
const texts = new WeakMap<Date, string>();

/**
 * Returns the nanoseconds since 1970 of a date, with those that it had in Python.
 * @internal
 */
export function nanosecondsOf(date: Date): bigint {
  const found = DATE.exec(texts.get(date) ?? "");
  return found && dateOf(found[0]).getTime() === date.getTime() ? utcOf(found) : BigInt(date.getTime()) * 1_000_000n;
}

/** The text of a date, as the module prints it: the date, the time, and the zone. Times and zones may have microseconds, pandas has nanoseconds, and `f` is the `fold` of Python. @internal */
export const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:([+-])(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?)?(f)?)?$/;

/** Returns the digits after the point of a second, as a whole number. @internal */
export const digits = (fraction: string | undefined, count: number): number => Number((fraction ?? "").padEnd(count, "0"));

/** Returns the microseconds of the zone of a date: of its offset from UTC. @internal */
export function zoneOf([, , , , , , , , sign, hours, minutes, seconds, fraction]: RegExpExecArray): number {
  return sign ? Number(`${sign}1`) * ((60 * (60 * Number(hours) + Number(minutes)) + Number(seconds ?? 0)) * 1_000_000 + digits(fraction, 6)) : 0;
}

/** Returns the nanoseconds since 1970 of the text of a date. */
function utcOf(found: RegExpExecArray): bigint {
  const [, year, month, day, hours, minutes, seconds, fraction] = found;
  const whole = Date.parse(`${year}-${month}-${day}T${hours ?? "00"}:${minutes ?? "00"}:${seconds ?? "00"}Z`);
  return BigInt(whole) * 1_000_000n + BigInt(digits(fraction, 9)) - BigInt(zoneOf(found)) * 1000n;
}

/** A date and time of Python has microseconds, and a `Date` milliseconds. @internal */
export function dateOf(text: string): Date {
  const found = DATE.exec(text);
  return new Date(found ? Number(floor(utcOf(found), 1_000_000n)) : NaN);
}

/** @internal */
export function array(header: any, data: any): NDArray {
  const type = tree(header.dtype);
  if (Array.isArray(data)) return new NDArray(revive(data), header.shape, type);
  const n = count(header.shape);
  const assembler = new Assembler(type, n);
  assembler.put(unhex(data.bytes), 0);
  return assembler.finish(header.shape, header.fortran);
}

function unhex(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));
}
