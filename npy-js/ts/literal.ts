// Python literals, as headers have them. Nothing is evaluated.
import { NpyError } from "./error.js";

/** The most brackets that are open at once, as in the headers that the module reads. */
const MAX_DEPTH = 200;

/**
 * Parses a Python dictionary such as the text of a header. Tuples and lists become arrays, `True`, `False` and `None` the values of JavaScript,
 * and integers that a number cannot hold `bigint`s. Comments are skipped.
 */
export function parsePythonDict(text: string): any {
  const parser = new Parser(text);
  const value = parser.whole();
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new NpyError("header", "the text is not a Python dictionary; pass the text of a header");
}

const ESCAPES: Record<string, string> = {
  "\\": "\\", "'": "'", '"': '"', a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", "\n": "",
};

class Parser {
  #at = 0;
  #depth = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): any {
    const value = this.#value();
    this.#space();
    if (this.#at < this.#text.length) throw this.#error("more text comes after the dictionary");
    return value;
  }

  #error(reason: string): NpyError {
    return new NpyError("header", `character ${this.#at}: ${reason}; pass a Python literal`);
  }

  /** Skips spaces, and comments to the end of a line. */
  #space(): void {
    do this.#match(/[ \t\n\r\f]*/y);
    while (this.#match(/#[^\n]*/y) !== undefined);
  }

  #peek(): string {
    this.#space();
    return this.#text[this.#at] ?? "";
  }

  /** Consumes what matches at the position. */
  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #value(): any {
    const next = this.#peek();
    if (next === "{") return this.#nested(() => this.#dict());
    if (next === "(" || next === "[") return this.#nested(() => this.#list(next === "(" ? ")" : "]"));
    const prefix = this.#match(/[uUbBrR]{1,2}(?=['"])/y);
    if (prefix !== undefined || next === "'" || next === '"') return this.#string(/r/i.test(prefix ?? ""));
    const word = this.#match(/True|False|None/y);
    if (word) return word === "None" ? null : word === "True";
    return this.#number();
  }

  #nested<T>(parse: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw this.#error(`more than ${MAX_DEPTH} brackets are open`);
    this.#at += 1;
    const value = parse();
    this.#depth -= 1;
    return value;
  }

  #dict(): Record<string, any> {
    const entries: [string, any][] = [];
    while (this.#peek() !== "}") {
      const key = this.#value();
      if (this.#peek() !== ":") throw this.#error("a colon is missing after a key");
      this.#at += 1;
      entries.push([String(key), this.#value()]);
      if (!this.#comma("}")) break;
    }
    this.#at += 1;
    // Also a key such as `__proto__` becomes a property of its own.
    return Object.fromEntries(entries);
  }

  #list(close: string): any {
    const items: any[] = [];
    let commas = 0;
    while (this.#peek() !== close) {
      items.push(this.#value());
      if (!this.#comma(close)) break;
      commas += 1;
    }
    this.#at += 1;
    // Parentheses without a comma are not a tuple.
    return close === ")" && items.length === 1 && commas === 0 ? items[0] : items;
  }

  #comma(close: string): boolean {
    const next = this.#peek();
    if (next === ",") {
      this.#at += 1;
      return true;
    }
    if (next !== close) throw this.#error(`a comma or ${close} is missing`);
    return false;
  }

  #string(is_raw: boolean): string {
    const quote = this.#text[this.#at];
    this.#at += 1;
    let value = "";
    for (;;) {
      value += this.#match(/[^'"\\\n]*/y) ?? "";
      const next = this.#text[this.#at];
      if (next === undefined || next === "\n") throw this.#error("a string has no end");
      this.#at += 1;
      if (next === quote) return value;
      if (next !== "\\") value += next;
      else value += is_raw ? `\\${this.#text[this.#at++] ?? ""}` : this.#escape();
    }
  }

  #escape(): string {
    const code = this.#match(/x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}/y);
    if (code) {
      const point = parseInt(code.slice(1), 16);
      if (point > 0x10ffff) throw this.#error("an escape is not a code point");
      return String.fromCodePoint(point);
    }
    const octal = this.#match(/[0-7]{1,3}/y);
    if (octal) return String.fromCodePoint(parseInt(octal, 8));
    const next = this.#text[this.#at++] ?? "";
    return ESCAPES[next] ?? `\\${next}`;
  }

  #number(): number | bigint {
    // Python 2 wrote `3L`.
    const text = this.#match(/[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?L?/y);
    if (!text) throw this.#error("no value is there");
    const digits = text.replace(/[_L]/g, "");
    const number = Number(digits);
    return /^[+-]?\d+$/.test(digits) && !Number.isSafeInteger(number) ? BigInt(digits) : number;
  }
}
