// The bytes of one scalar, at any offset and in either byte order. Complex numbers are two floats.
import type { DType } from "./dtype.js";
import { NpyError, shown } from "./error.js";
import { fromHalf, fromLongDouble, toHalf, toLongDouble } from "./floats.js";

/** Reads and writes one entry of the data. @internal */
export interface Scalar {
  /** The bytes of one entry. */
  readonly size: number;
  read(view: DataView, at: number): any;
  write(view: DataView, at: number, value: any): void;
}

const METHODS: Record<string, string> = {
  b1: "Uint8", i1: "Int8", u1: "Uint8", i2: "Int16", u2: "Uint16", i4: "Int32", u4: "Uint32", i8: "BigInt64", u8: "BigUint64",
  f4: "Float32", f8: "Float64", m8: "BigInt64", M8: "BigInt64",
};

/** Returns how one entry of the data of a scalar is read and written. @internal */
export function scalar(dtype: DType): Scalar {
  const { kind, isBig } = dtype;
  const size = kind === "c" ? dtype.size / 2 : dtype.size;
  const method = METHODS[`${kind === "c" ? "f" : kind}${size}`];
  if (method) {
    const get = DataView.prototype[`get${method}` as "getFloat64"];
    const set = DataView.prototype[`set${method}` as "setFloat64"];
    return {
      size,
      read: (view, at) => get.call(view, at, !isBig),
      write: (view, at, value) => set.call(view, at, value, !isBig),
    };
  }
  if (kind === "S" || kind === "U") return text(dtype);
  if (kind === "V") return raw(size);
  if (kind === "f" || kind === "c") return rare(size, isBig);
  throw new NpyError("unsupported", `an element of dtype ${dtype.str} is not read alone; read the whole array`);
}

/** The advice about a text that would be read without its end. @internal */
export const TRIM = "trim the NUL at its end, which NumPy drops";

/** Reads a text of bytes (latin-1) or of code points, without the zeros at its end. @internal */
export function text({ kind, size, isBig }: DType): Scalar {
  const step = kind === "U" ? 4 : 1;
  const get = (view: DataView, at: number) => (step === 4 ? view.getUint32(at, !isBig) : view.getUint8(at));
  return {
    size,
    read(view, at) {
      let end = at + size;
      while (end > at && get(view, end - step) === 0) end -= step;
      let text = "";
      for (let i = at; i < end; i += step) {
        const code = get(view, i);
        if (code > 0x10ffff) throw new NpyError("invalid-value", `0x${code.toString(16)} is not a code point; the file is damaged`);
        text += String.fromCodePoint(code);
      }
      return text;
    },
    write(view, at, value) {
      if (typeof value !== "string") throw new NpyError("invalid-value", `${shown(value)} is not text; set text, such as ""`);
      if (value.endsWith("\0")) throw new NpyError("invalid-value", `${shown(value)} does not fit; ${TRIM}`);
      let end = at;
      for (const character of value) {
        const code = character.codePointAt(0)!;
        if (end + step > at + size) throw new NpyError("invalid-value", `${JSON.stringify(value)} is longer than ${size / step} characters; use a wider dtype`);
        if (step === 4) view.setUint32(end, code, !isBig);
        else if (code < 256) view.setUint8(end, code);
        else throw new NpyError("invalid-value", `${JSON.stringify(value)} is not latin-1, which a dtype of bytes needs; use a dtype such as '<U8'`);
        end += step;
      }
      for (; end < at + size; end++) view.setUint8(end, 0);
    },
  };
}

function raw(size: number): Scalar {
  return {
    size,
    read: (view, at) => new Uint8Array(view.buffer, view.byteOffset + at, size).slice(),
    write(view, at, value) {
      if (value.length !== size) throw new NpyError("invalid-value", `the element has ${value.length} bytes and its dtype ${size}; pass as many`);
      new Uint8Array(view.buffer, view.byteOffset + at, size).set(value);
    },
  };
}

/** Halves and long doubles. */
function rare(size: number, is_big: boolean): Scalar {
  if (size === 2) {
    return {
      size,
      read: (view, at) => fromHalf(view.getUint16(at, !is_big)),
      write: (view, at, value) => view.setUint16(at, toHalf(value), !is_big),
    };
  }
  return {
    size,
    read: (view, at) => fromLongDouble(view, at, size, is_big),
    write: (view, at, value) => toLongDouble(value, view, at, size, is_big),
  };
}
