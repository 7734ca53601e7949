// Values of Python objects: what the module says about a pickle, as values of JavaScript.
import { NDArray } from "./array.js";
import { Assembler } from "./assemble.js";
import { count, tree } from "./dtype.js";
import { named } from "./error.js";

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
  /** The arguments of the call, as `get` returns objects. */
  readonly arguments: any;
  /** The state that the object would get, if it has one. */
  readonly state: any;

  constructor(name: string | null, text: string, arguments_?: any, state?: any) {
    this.name = name;
    this.text = text;
    this.arguments = arguments_;
    this.state = state;
  }

  /** Returns `text`. */
  toString(): string {
    return this.text;
  }
}

/**
 * Makes the value: `None` is `null`, integers are numbers or bigints, bytes `Uint8Array`s, lists and tuples lists, sets `Set`s, dictionaries
 * `Map`s, dates and times `Date`s (in UTC if they have no zone), arrays `NDArray`s and scalars of NumPy single values.
 */
export function revive(json: any): any {
  if (json === null || typeof json !== "object") return json;
  if (Array.isArray(json)) return json.map(revive);
  if ("int" in json) return BigInt(json.int);
  if ("float" in json) return json.float === "NaN" ? NaN : json.float.startsWith("-") ? -Infinity : Infinity;
  if ("bytes" in json) return unhex(json.bytes);
  if ("map" in json) return new Map(json.map.map(([key, value]: any) => [revive(key), revive(value)]));
  if ("record" in json) return Object.fromEntries(json.record.map(([key, value]: any) => [key, revive(value)]));
  if ("set" in json) return new Set(json.set.map(revive));
  if ("date" in json) return dateOf(json.date);
  if ("repr" in json) return new Call("builtins.str", json.repr);
  if ("scalar" in json) return array(json.scalar, json.data).get();
  if ("array" in json) return array(json.array, json.data);
  return new Call(json.call, json.text, revive(json.arguments), revive(json.state));
}

/** A date and time of Python has microseconds, and a `Date` milliseconds. */
function dateOf(text: string): Date {
  const short = text.replace(/(\.\d{3})\d*/, "$1");
  const has_zone = /T.*(Z|[+-]\d\d:\d\d)/.test(short);
  return new Date(short.includes("T") && !has_zone ? `${short}Z` : short);
}

function array(header: any, data: any): NDArray {
  const type = tree(header.dtype);
  if (Array.isArray(data)) return new NDArray(data.map(revive), header.shape, type);
  const n = count(header.shape);
  const assembler = new Assembler(type, n);
  assembler.put(unhex(data.bytes), 0);
  return assembler.finish(header.shape, header.fortran);
}

function unhex(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));
}
