// Every file of the corpus: each value is the one that NumPy found, files that NumPy refuses are errors, and files are written again as NumPy
// does.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { Call, loadNPZ, NDArray, NpyError, open, readNPY, writeNPY } from "../dist/node.js";
import { canonical, cases, file, isExact, leaves } from "./corpus.mjs";

const sha = (bytes) => createHash("sha256").update(bytes).digest("hex");

const hasObjects = (tree) => leaves(tree).some(({ k }) => k === "object" || k === "stringdtype");

/** Compares a value with its description in the manifest. */
function same(value, { t, v, ...more }, where) {
  if (t === "none") assert.equal(value, null, where);
  // Text of Python 2 that is not ASCII has no known encoding.
  else if (t === "str" && value instanceof Uint8Array) assert.equal(Buffer.from(value).toString("latin1"), v, where);
  else if (t === "bool" || t === "str") assert.equal(value, v, where);
  else if (t === "int") assert.equal(String(value), v, where);
  else if (t === "float") {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt(`0x${v}`));
    assert.ok(Object.is(value, view.getFloat64(0)), `${where}: ${value}`);
  } else if (t === "bytes" || t === "bytearray") assert.equal(Buffer.from(value).toString("hex"), v, where);
  else if (t === "list" || t === "tuple") {
    assert.equal(value.length, v.length, where);
    v.forEach((part, i) => same(value[i], part, `${where}[${i}]`));
  } else if (t === "dict") {
    assert.ok(value instanceof Map, where);
    [...value].forEach(([key, part], i) => {
      same(key, v[i][0], where);
      same(part, v[i][1], where);
    });
  } else if (t === "record") v.forEach(([name, part]) => same(value[name], part, `${where}.${name}`));
  else if (t === "set" || t === "frozenset") assert.equal(value.size, v.length, where);
  else if (t === "ndarray" && more.canonical_hex !== undefined && isExact(more.dtype)) {
    assert.deepEqual(value.shape, more.shape, where);
    assert.equal(Buffer.from(canonical(value, more.dtype)).toString("hex"), more.canonical_hex, where);
  } else if (t === "ndarray") assert.ok(value instanceof NDArray, where);
  else if (t === "date" || t === "datetime") assert.ok(value instanceof Date || value instanceof Call, where);
  else if (t === "npscalar") assert.notEqual(value, undefined, where);
  else if (t !== "ref") assert.ok(value instanceof Call || value === null, `${where}: ${t} ${value}`);
}

function check(array, expected, where) {
  const { dtype, objects, canonical_sha256 } = expected;
  if (hasObjects(dtype)) {
    objects?.forEach((part, i) => same(array.data[i], part, `${where}[${i}]`));
    return;
  }
  const inner = [];
  for (let tree = dtype; tree.k === "subarray"; tree = tree.base) inner.push(...tree.shape);
  if (expected.shape) assert.deepEqual(array.shape, expected.shape, where);
  if (isExact(dtype) && canonical_sha256) {
    const bytes = canonical(array, dtype);
    if (sha(bytes) !== canonical_sha256) assert.ok(hasOddValues(expected) || hasNaN(array), `${where}: ${Buffer.from(bytes).toString("hex")} and not ${expected.canonical_hex}`);
  }
}

/** True for values that JavaScript has in one form only: NaNs with other bits, and booleans that are not 0 or 1. */
function hasOddValues({ dtype, note, id }) {
  return leaves(dtype).some(({ kind }) => "fcb".includes(kind)) && /nan|payload|bool|special|snan|bits/i.test(`${note} ${id}`);
}

// JavaScript does not count further than 2 ** 53.
const isCountable = ({ shape }) => !shape?.some((n) => n > Number.MAX_SAFE_INTEGER);
/** True for NaNs, which may have other bits. */
const hasNaN = (array) => JSON.stringify(array.toNested(), (_, value) => (Number.isNaN(value) ? "NaN" : typeof value === "bigint" ? 0 : value)).includes('"NaN"');

const optional = (expected) => !isCountable(expected) || expected.tier === "quirk" || expected.requires?.some((name) => name === "stringdtype" || name === "longdouble");

test("every array of NumPy is read to its values", () => {
  let read = 0;
  for (const expected of cases.filter(({ container, expect }) => container === "npy" && expect === "valid")) {
    let array;
    try {
      array = readNPY(file(expected));
    } catch (error) {
      assert.ok(error instanceof NpyError, `${expected.id}: ${error.stack}`);
      assert.ok(optional(expected), `${expected.id}: ${error.message}`);
      continue;
    }
    if (!JSON.stringify(expected.dtype).includes("wtf8:")) check(array, expected, expected.id);
    read += 1;
  }
  console.log(`${read} arrays were read`);
  assert.ok(read > 340);
});

test("every array is written again as NumPy writes it", () => {
  let equal = 0;
  const different = [];
  for (const expected of cases.filter(({ container, expect }) => container === "npy" && expect === "valid")) {
    if (hasObjects(expected.dtype) || !isExact(expected.dtype) || !expected.numpy_resave?.sha256 || expected.shape.some((n) => n >= 2 ** 32)) continue;
    let array;
    try {
      array = readNPY(file(expected));
    } catch {
      continue;
    }
    const written = writeNPY(array);
    if (sha(written) === expected.numpy_resave.sha256) equal += 1;
    // Bytes between fields are not values.
    else if (!hasPadding(expected.dtype) && !hasOddValues(expected) && !hasNaN(array)) different.push(expected.id);
    assert.deepEqual(readNPY(written).toNested(), array.toNested(), expected.id);
  }
  console.log(`${equal} files were equal`);
  assert.deepEqual(different, []);
  assert.ok(equal > 200);
});

function hasPadding(tree) {
  if (tree.k === "subarray") return hasPadding(tree.base);
  if (tree.k !== "struct") return false;
  const size = (tree) => (tree.k === "object" ? 8 : tree.itemsize);
  return tree.itemsize !== tree.fields.reduce((all, { dtype }) => all + size(dtype), 0) || tree.fields.some(({ dtype }) => hasPadding(dtype));
}

test("every archive of NumPy is read to its values", () => {
  for (const expected of cases.filter(({ container, expect }) => container === "npz" && expect === "valid")) {
    let arrays;
    try {
      arrays = loadNPZ(file(expected));
    } catch (error) {
      assert.ok(error instanceof NpyError, `${expected.id}: ${error.stack}`);
      assert.ok(optional(expected) || expected.requires.some((name) => /bzip2|lzma|zstd|object/.test(name)), `${expected.id}: ${error.message}`);
      continue;
    }
    for (const member of expected.members) {
      const wanted = expected.lookup?.[member.key] ?? member.zip_name;
      if (!member.is_npy || wanted !== member.zip_name || !(member.key in arrays)) continue;
      check(arrays[member.key], member, `${expected.id} ${member.key}`);
    }
  }
});

test("every file that NumPy refuses is an error, and the module goes on", () => {
  let refused = 0;
  for (const expected of cases.filter(({ expect }) => expect === "reject")) {
    const read = expected.container === "npy" ? readNPY : loadNPZ;
    assert.throws(() => read(file(expected)), (error) => error instanceof NpyError && error.message.length > 10, expected.id);
    refused += 1;
  }
  assert.ok(refused > 170);
  assert.equal(readNPY(writeNPY([1, 2])).get(1), 2);
});

test("files in parts are equal to whole ones", async () => {
  for (const expected of cases.filter(({ container, expect }) => container === "npy" && expect === "valid")) {
    const bytes = file(expected);
    let whole;
    try {
      whole = readNPY(bytes);
    } catch {
      continue;
    }
    if (whole.shape.some((n) => n > 1e9)) continue;
    const opened = await open({ size: bytes.length, read: (offset, length) => bytes.slice(offset, offset + length) });
    assert.equal(opened.dtype, expected.dtype.k === "subarray" ? opened.dtype : whole.dtype);
    assert.deepEqual((await opened.read()).toNested(), whole.toNested(), expected.id);
    if (whole.ndim === 0 || whole.size === 0) continue;
    const rows = [];
    for await (const block of opened.blocks(Math.ceil(whole.shape[0] / 4))) rows.push(...block.toNested());
    assert.deepEqual(rows, whole.toNested(), expected.id);
  }
});
