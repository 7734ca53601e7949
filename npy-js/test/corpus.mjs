// The corpus of the repository, and the canonical bytes of values, as tests/corpus/manifest.json defines them.
import { readFileSync } from "node:fs";

const folder = new URL("../../tests/corpus/", import.meta.url);

/** Every case with its expected values, which NumPy wrote. */
export const cases = JSON.parse(readFileSync(new URL("manifest.json", folder), "utf8")).cases;

export const file = ({ path }) => new Uint8Array(readFileSync(new URL(path, folder)));

/** Returns the canonical bytes of an array: little-endian, packed, in C order. */
export function canonical(array, tree) {
  const out = [];
  const type = tree.k === "subarray" ? innermost(tree) : tree;
  for (const value of elements(array)) item(type, value, out);
  return Uint8Array.from(out);
}

const innermost = (tree) => (tree.k === "subarray" ? innermost(tree.base) : tree);

function* elements(array) {
  const index = array.shape.map(() => 0);
  for (let i = 0; i < array.size; i++) {
    yield array.get(...index);
    for (let k = index.length - 1; k >= 0 && ++index[k] === array.shape[k]; k--) index[k] = 0;
  }
}

const view = new DataView(new ArrayBuffer(8));

function item(tree, value, out) {
  if (tree.k === "struct") {
    for (const field of tree.fields) item(field.dtype, value[field.name], out);
  } else if (tree.k === "subarray") {
    nested(tree.base, value, tree.shape.length, out);
  } else {
    scalar(tree, value, out);
  }
}

function nested(base, value, depth, out) {
  if (depth === 0) item(base, value, out);
  else for (const part of value) nested(base, part, depth - 1, out);
}

function scalar({ kind, itemsize }, value, out) {
  const put = (size, set) => {
    set();
    for (let i = 0; i < size; i++) out.push(view.getUint8(i));
  };
  if (kind === "b") out.push(value ? 1 : 0);
  else if (kind === "i" || kind === "u" || kind === "m" || kind === "M") put(itemsize, () => view.setBigInt64(0, BigInt.asIntN(64, BigInt(value)), true));
  else if (kind === "f") float(itemsize, value, put);
  else if (kind === "c") {
    float(itemsize / 2, value.re, put);
    float(itemsize / 2, value.im, put);
  } else if (kind === "S") padded(itemsize, [...value].map((c) => c.codePointAt(0)), 1, out);
  else if (kind === "U") padded(itemsize, [...value].map((c) => c.codePointAt(0)), 4, out);
  else out.push(...value);
}

function padded(size, codes, step, out) {
  for (let i = 0; i < size / step; i++) for (let k = 0; k < step; k++) out.push(((codes[i] ?? 0) >> (8 * k)) & 255);
}

function float(size, value, put) {
  if (size === 8) put(8, () => view.setFloat64(0, value, true));
  else if (size === 4) put(4, () => view.setFloat32(0, value, true));
  else if (size === 2) put(2, () => view.setUint16(0, half(value), true));
  else throw new Error(`no bytes of a float of ${size}`);
}

/** Returns the bits of a half; the value is one. */
export function half(value) {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = Object.is(value, -0) || value < 0 ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size === Infinity) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | (size * 2 ** 24);
  const exponent = Math.floor(Math.log2(size));
  return sign | ((exponent + 15) << 10) | ((size / 2 ** exponent - 1) * 1024);
}

/** True if canonical bytes can be compared: JavaScript has no long doubles, and keeps one NaN. */
export const isExact = (tree) => !leaves(tree).some(({ kind, itemsize }) => (kind === "f" || kind === "c") && itemsize / (kind === "c" ? 2 : 1) > 8);

export function leaves(tree) {
  if (tree.k === "struct") return tree.fields.flatMap(({ dtype }) => leaves(dtype));
  return tree.k === "subarray" ? leaves(tree.base) : [tree];
}
