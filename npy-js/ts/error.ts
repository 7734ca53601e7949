// The error that every function of this package throws.

/** Where an error happened. @internal */
export interface Place {
  path?: string | undefined;
  field?: string | undefined;
  row?: number | undefined;
  cause?: unknown;
}

/** Returns a value as a message shows it. @internal */
export function shown(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "string") return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid Date" : value.toISOString();
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return `an object of ${value.constructor?.name ?? "no class"}`;
  return typeof value === "function" ? "a function" : String(value);
}

/** Gives a class its name back, which the package is sent without: consoles show it. @internal */
export function named(of: Function, name: string): void {
  Object.defineProperty(of, "name", { value: name });
}

/** An error with a kind that a program can compare, such as `"truncated"`, and a message that says what to do. */
export class NpyError extends Error {
  static {
    named(this, "NpyError");
  }

  /** The kind, such as `"not-npy"`, `"header"`, `"truncated"` or `"invalid-value"`. The README lists them all. */
  readonly kind: string;
  /** The path or the URL of the file. */
  declare readonly path?: string;
  /** The field of a record, such as `"head.gain"`. */
  declare readonly field?: string;
  /** The row: an index of the first dimension. */
  declare readonly row?: number;

  /** @internal */
  constructor(kind: string, message: string, place: Place = {}) {
    super(message, place.cause === undefined ? {} : { cause: place.cause });
    this.name = "NpyError";
    this.kind = kind;
    if (place.path !== undefined) this.path = place.path;
    if (place.field !== undefined) this.field = place.field;
    if (place.row !== undefined) this.row = place.row;
  }
}

/** Runs `work`; an error that it throws gets the path of the file. @internal */
export function within<T>(path: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw located(error, path);
  }
}

/** Returns the error with the path of the file, if it has none. @internal */
export function located(error: unknown, path: string | undefined): unknown {
  if (path === undefined || !(error instanceof NpyError) || error.path !== undefined) return error;
  const { kind, message, field, row, cause } = error;
  return new NpyError(kind, `${path}: ${message}`, { path, field, row, cause });
}
