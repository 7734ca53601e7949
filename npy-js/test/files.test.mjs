// Files of the system and of servers, in Node.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs, { chmodSync, closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, test } from "node:test";
import { loadNPZ, memmap, NDArray, NpyError, open, readNPY, saveNPZ, writeNPY } from "../dist/node.js";
import { serve } from "./server.mjs";

const folder = mkdtempSync(join(tmpdir(), "npy-js-"));
const at = (name) => join(folder, name);
const server = await serve(folder);
after(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Counts the requests of some work. */
async function requests(work) {
  server.requests = 0;
  await work();
  return server.requests;
}

/** Asks NumPy for what it reads. */
function numpy(...names) {
  const script = new URL("expected.py", import.meta.url).pathname;
  return JSON.parse(execFileSync(process.env.NPY_PYTHON, [script, "--read", ...names.map(at)], { encoding: "utf8", maxBuffer: 1 << 28 }));
}

test("paths are read and written", () => {
  const bytes = writeNPY([[1, 2], [3, 4]], at("x.npy"));
  assert.deepEqual(new Uint8Array(readFileSync(at("x.npy"))), bytes);
  assert.deepEqual(readNPY(at("x.npy")).toNested(), [[1, 2], [3, 4]]);
  saveNPZ(at("x.npz"), { a: [1] }, true);
  assert.deepEqual(loadNPZ(at("x.npz")).a.toNested(), [1]);
  assert.throws(() => readNPY(at("nothing.npy")), (error) => error instanceof NpyError && error.kind === "io" && error.path === at("nothing.npy"));
  writeFileSync(at("bad.npy"), "no array");
  assert.throws(() => readNPY(at("bad.npy")), (error) => error.kind === "not-npy" && error.message.startsWith(`${at("bad.npy")}: not a .npy file`));
});

test("NumPy reads objects with the types that they had", () => {
  const made = readFileSync(new URL("made/types.npy", import.meta.url));
  writeFileSync(at("types.npy"), made);
  writeNPY(readNPY(made), at("again.npy"));
  const [types, again] = numpy("types.npy", "again.npy");
  assert.deepEqual(again, types);
  writeNPY(NDArray.from([NDArray.from([[1, 2]], { dtype: ">M8[D]" }), { re: 1, im: -2 }, null], { dtype: "|O" }), at("objects.npy"));
  assert.equal(numpy("objects.npy")[0].repr, "[array([['1970-01-02', '1970-01-03']], dtype='datetime64[D]'), (1-2j), None]");
});

test("columns of records with objects are written by the code that errors advise", async () => {
  const made = new URL("made/parts.npy", import.meta.url);
  writeNPY(await (await open(made.pathname)).read({ columns: "e", rows: [1] }), at("column.npy"));
  assert.equal(numpy("column.npy")[0].repr, "[['b', 3.0]]");
  const array = readNPY(made);
  const value = structuredClone(array);
  for (const work of [() => writeNPY(array), () => writeNPY(value), () => NDArray.from(value)]) {
    let code;
    assert.throws(work, (error) => Boolean([code] = /saveNPZ\(.*\)\)\)/.exec(error.message)));
    const columns = loadNPZ(new Function("saveNPZ", "array", "path", `return ${code}`)(saveNPZ, array, at("parts.npz")));
    const reprs = { o: "[2.0, (1,)]", e: "[[2.0, 1], ['b', 3.0]]", "g.a.b": "[['a', 2.0], [None, [1]]]", "h.deep.x": "[[0, 0], [0, 0]]" };
    for (const [name, repr] of Object.entries(reprs)) {
      writeNPY(columns[name], at("column.npy"));
      assert.equal(numpy("column.npy")[0].repr, repr, name);
    }
    assert.deepEqual([Object.keys(columns).length, columns["g.t"].get(0, 1), columns["g.v"].toNested()], [14, -(2n ** 63n), [[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 10, 11]]]]);
  }
});

test("NumPy reads every dtype that is written", () => {
  const arrays = {
    i8: NDArray.from([1n, -2n]), f2: NDArray.from([1.5, -0.25], { dtype: ">f2" }), b1: NDArray.from([true, false]),
    c8: NDArray.from([{ re: 1, im: -2 }], { dtype: "<c8" }), S: NDArray.from(["ab", "é"], { dtype: "|S3" }), U: NDArray.from(["日本", "x"]),
    M: NDArray.from([new Date(86_400_000)], { dtype: ">M8[D]" }), V: NDArray.from([Uint8Array.of(1, 2)], { dtype: "|V2" }),
    r: NDArray.records({ x: Float32Array.of(1, 2), v: [[1, 2], [3, 4]], s: ["a", "b"] }), f16: NDArray.from([1.5, -2], { dtype: "<f16" }),
    grid: NDArray.from([[1, 2, 3], [4, 5, 6]], { dtype: "<i2" }), zero: NDArray.from(7),
  };
  for (const [name, array] of Object.entries(arrays)) writeNPY(array, at(`${name}.npy`));
  const answers = numpy(...Object.keys(arrays).map((name) => `${name}.npy`));
  const values = Object.fromEntries(Object.keys(arrays).map((name, i) => [name, answers[i]]));
  assert.deepEqual(values.i8.values, [{ int: "1" }, { int: "-2" }]);
  assert.deepEqual([values.f2.dtype, values.f2.values], [">f2", [1.5, -0.25]]);
  assert.deepEqual(values.b1.values, [true, false]);
  assert.deepEqual(values.c8.values, [{ re: 1, im: -2 }]);
  assert.deepEqual(values.S.values, ["ab", "é"]);
  assert.deepEqual(values.U.values, ["日本", "x"]);
  assert.deepEqual(values.M.values, [{ int: "1" }]);
  assert.deepEqual(values.V.values, [{ bytes: [1, 2] }]);
  assert.deepEqual(values.r.values, [{ x: 1, v: [1, 2], s: "a" }, { x: 2, v: [3, 4], s: "b" }]);
  assert.deepEqual(values.f16.values, [1.5, -2]);
  assert.deepEqual([values.grid.shape, values.grid.values], [[2, 3], [1, 2, 3, 4, 5, 6]]);
  assert.deepEqual([values.zero.shape, values.zero.values], [[], [7]]);
});

test("NumPy reads archives and objects that are written", () => {
  for (const compressed of [false, true]) saveNPZ(at(`n${compressed}.npz`), { a: [1, 2], b: NDArray.from(["x"]) }, compressed);
  const [stored, deflated] = numpy("nfalse.npz", "ntrue.npz");
  assert.deepEqual(stored, deflated);
  assert.deepEqual([stored.a.values, stored.b.values], [[1, 2], ["x"]]);
  const objects = [null, true, -7, 2n ** 70n, -(2n ** 40n), 1.5, "é", [1, [2]], new Map([["k", new Set([1])]]), Uint8Array.of(1), new Date(Date.UTC(2020, 1, 3, 4, 5, 6, 789))];
  writeNPY(NDArray.from(objects, { dtype: "|O" }), at("o.npy"));
  writeNPY(NDArray.from([null, 1, "a", true, 2, "b"], { dtype: "|O", shape: [2, 3], fortranOrder: true }), at("of.npy"));
  assert.deepEqual(numpy("of.npy")[0], { repr: "[[None, 1, 'a'], [True, 2, 'b']]", fortran: true });
  assert.equal(
    numpy("o.npy")[0].repr,
    "[None, True, -7, 1180591620717411303424, -1099511627776, 1.5, 'é', [1, [2]], {'k': {1}}, b'\\x01', datetime.datetime(2020, 2, 3, 4, 5, 6, 789000)]",
  );
});

test("memmap reads a file without changing it", () => {
  writeNPY(Float64Array.from({ length: 1e6 }, (_, i) => i), at("m.npy"));
  const array = memmap(at("m.npy"), "r");
  assert.equal(array.get(999_999), 999_999);
  assert.equal(array.data[5], 5);
  assert.ok(array.bytesRead <= 2 * 65_536, `${array.bytesRead} bytes were read`);
  assert.throws(() => (array.data[0] = 1), (error) => error.kind === "unsupported");
  array.close();
  assert.throws(() => array.get(0), (error) => error.kind === "io");
});

test("memmap changes a file in place, and writes only what was changed", () => {
  writeNPY(NDArray.from(new Int32Array(1e6), { dtype: ">i4", shape: [1000, 1000] }), at("p.npy"));
  const array = memmap(at("p.npy"), "r+");
  array.data[3] = 7;
  array.set(9, 999, 999);
  array.flush();
  assert.equal(array.bytesWritten, 8);
  assert.equal(readNPY(at("p.npy")).get(0, 3), 7);
  array.close();
  const again = readNPY(at("p.npy"));
  assert.deepEqual([again.get(999, 999), again.dtype, statSync(at("p.npy")).size], [9, ">i4", 4_000_128]);
  assert.equal(numpy("p.npy")[0].values[3], 7);
});

test("memmap refuses values that do not fit, and the file stays as it is", () => {
  for (const [dtype, values] of [["<i4", [1.5, 2 ** 33, "x", undefined]], ["<i8", [1.5, "1"]], ["|S2", ["abc", "日"]], ["<U2", ["abc", Symbol("x")]]]) {
    const array = memmap(at("v.npy"), "w+", { dtype, shape: [3] });
    for (const value of values) assert.throws(() => array.set(value, 0), (error) => error instanceof NpyError && error.kind === "invalid-value", String(value));
    array.close();
    assert.equal(array.bytesWritten, 0);
  }
  const array = memmap(at("v.npy"), "w+", { dtype: "[('x', 'u1'), ('y', '<i2')]", shape: [2] });
  assert.throws(() => array.set({ x: 5, y: 70000 }, 1), (error) => error.kind === "invalid-value" && error.field === "y");
  array.set({ x: 5, y: 7 }, 1);
  array.close();
  assert.deepEqual(readNPY(at("v.npy")).toNested(), [{ x: 0, y: 0 }, { x: 5, y: 7 }]);
});

test("data of memmap refuse values and positions that do not fit", () => {
  const cases = {
    "<f4": [[[1, 2]], ["1"], [1e300], [null]], "<i2": [[1.5], [70000], [[1]]], "<i8": [[1.5], [2n ** 63n]],
    "<U3": [[5], [["a"]], ["abcd"]], "<c8": [[{ re: 1, im: 2 }], ["1"]], "|b1": [[2]],
  };
  for (const [dtype, lists] of Object.entries(cases)) {
    const map = memmap(at("d.npy"), "w+", { dtype, shape: [4] });
    const { data } = map;
    for (const list of lists) {
      for (const work of [() => data.set(list), () => data.fill(list[0]), () => (data[0] = list[0])]) assert.throws(work, (error) => error.kind === "invalid-value" && error.message.includes(";"), `${dtype} ${list}`);
    }
    for (const work of [() => data.at(0n), () => data.set([], 0n), () => data.set([], -1), () => data.set(data.slice(0, 1), -Infinity), () => data.set([], Infinity), () => data.fill(0, 0n), () => data.subarray(1n), () => data.slice(0, 0.5)]) assert.throws(work, (error) => error.kind === "index", dtype);
    assert.equal(data.at(data.length), undefined);
    // A bound may be infinite, as that of a typed array.
    const typed = new Uint8Array(data.length);
    for (const bounds of [[0, Infinity], [-Infinity, 2], [Infinity], [-Infinity, Infinity], [0, -Infinity]]) {
      const found = [data.subarray(...bounds), data.slice(...bounds)].map((part) => part.length);
      assert.deepEqual(found, [typed.slice(...bounds).length, typed.slice(...bounds).length], `${dtype} ${bounds}`);
    }
    assert.deepEqual([data.at(Infinity), data.at(-Infinity)], [undefined, undefined]);
    map.close();
    assert.equal(map.bytesWritten, 0);
  }
  const map = memmap(at("d.npy"), "w+", { dtype: "<i8", shape: [2] });
  map.data.set([1, 2n]);
  map.data[0] = 3;
  map.close();
  assert.deepEqual(readNPY(at("d.npy")).toNested(), [3n, 2n]);
});

test("data of memmap take all values of a list or none, also those of a part of themselves", () => {
  for (const [dtype, values, wrong] of [["<f8", [1, 2, 3, 4], "x"], ["<U2", ["a", "b", "c", "d"], "abc"], ["|V1", [1, 2, 3, 4].map((n) => Uint8Array.of(n)), Uint8Array.of(1, 2)], [">i8", [1n, 2n, 3n, 4n], 2n ** 63n]]) {
    const map = memmap(at("all.npy"), "w+", { dtype, shape: [4] });
    map.data.set(values);
    map.flush();
    const before = map.bytesWritten;
    assert.throws(() => map.data.set([values[3], wrong]), (error) => error.kind === "invalid-value", dtype);
    map.flush();
    assert.deepEqual([map.toNested(), map.bytesWritten], [values, before]);
    map.data.set(map.data.subarray(0, 3), 1);
    map.close();
    const [a, b, c] = values;
    assert.deepEqual(readNPY(at("all.npy")).toNested(), [a, a, b, c]);
  }
  const map = memmap(at("all.npy"));
  for (const value of [map.data, [map.data], { x: map.data }]) assert.throws(() => writeNPY(value), (error) => error instanceof NpyError && error.message.includes("pass the array itself, or data.slice()"));
  assert.deepEqual([NDArray.from(map).toNested(), NDArray.from(map.data.slice()).toNested()], [[1n, 1n, 2n, 3n], [1n, 1n, 2n, 3n]]);
  map.close();
});

test("a map of the file that w+ replaced does not write to the new one", () => {
  for (const options of [undefined, { dtype: "|u1", shape: [3] }]) {
    writeNPY([1, 2, 3, 4], at("old.npy"));
    const old = memmap(at("old.npy"), "r+");
    old.set(9, 3);
    const zeros = memmap(at("old.npy"), "w+", options);
    zeros.set(5, 0);
    old.close();
    zeros.close();
    assert.deepEqual([readNPY(at("old.npy")).toNested(), statSync(at("old.npy")).size], options ? [[5, 0, 0], 131] : [[5, 0, 0, 0], 160]);
  }
});

test("a file is replaced through links, and keeps its permissions", () => {
  mkdirSync(at("real"));
  // The last link leads to no file yet.
  for (const [link, to] of [["link.npy", "real/hop.npy"], ["real/hop.npy", "../real/x.npy"], ["new.npy", at("real/new.npy")]]) symlinkSync(to, at(link));
  writeNPY([1], at("real/x.npy"));
  const works = [(path) => writeNPY([1, 2], path), (path) => memmap(path, "w+", { shape: [2] }).close(), (path) => saveNPZ(path, { a: [1] })];
  for (const work of works) {
    for (const mode of [0o600, 0o646]) {
      chmodSync(at("real/x.npy"), mode);
      const old = statSync(at("real/x.npy")).ino;
      work(at("link.npy"));
      const { ino, mode: found } = statSync(at("real/x.npy"));
      assert.deepEqual([found & 0o777, ino === old, readlinkSync(at("link.npy")), readlinkSync(at("real/hop.npy"))], [mode, false, "real/hop.npy", "../real/x.npy"]);
    }
  }
  writeNPY([3], at("new.npy"));
  assert.deepEqual([readNPY(at("real/new.npy")).toNested(), readlinkSync(at("new.npy"))], [[3], at("real/new.npy")]);
  assert.deepEqual(readdirSync(at("real")).sort(), ["hop.npy", "new.npy", "x.npy"]);
  // What is not a file is written to.
  execFileSync("mkfifo", [at("pipe")]);
  const reader = openSync(at("pipe"), "r+");
  const bytes = writeNPY([1, 2], at("pipe"));
  const found = Buffer.alloc(bytes.length);
  fs.readSync(reader, found);
  closeSync(reader);
  assert.deepEqual([new Uint8Array(found), statSync(at("pipe")).isFIFO()], [bytes, true]);
});

test("memmap makes a file of zeros", () => {
  const array = memmap(at("w.npy"), "w+", { dtype: "<f4", shape: [2, 3] });
  array.data.set([1, 2, 3], 3);
  array.close();
  assert.deepEqual(numpy("w.npy")[0], { shape: [2, 3], dtype: "<f4", values: [0, 0, 0, 1, 2, 3], descr: "<f4" });
  const zeros = memmap(at("w.npy"), "w+");
  assert.deepEqual([zeros.dtype, zeros.toNested()], ["<f4", [[0, 0, 0], [0, 0, 0]]]);
  // The zeros are there at once, and values after `flush`.
  zeros.set(1, 0, 0);
  assert.deepEqual(readNPY(at("w.npy")).data, new Float32Array(6));
  zeros.flush();
  assert.equal(readNPY(at("w.npy")).get(0, 0), 1);
  zeros.close();
  const again = memmap(at("w.npy"), "w+", { dtype: "<f4", shape: [3] });
  assert.deepEqual(again.toNested(), [0, 0, 0]);
  again.close();
});

test("memmap refuses modes and options that would do something else", () => {
  const bytes = writeNPY([[1, 2], [3, 4]], at("kept.npy"));
  const cases = [
    ["w+", { dtype: "<f4" }, "argument", "needs a shape"], ["w+", { shape: [2 ** 32], dtype: "|u1" }, "limit", "fewer than 2 ** 32"],
    ["w+", { shape: 10 }, "argument", "[10]"], ["w+", { shape: [-1, 2] }, "shape", "(-1, 2)"], ["w+", { shape: [2], dtype: "|O" }, "unsupported", "pickle"],
    ["w+", { shape: [2], dtype: "flaot" }, "dtype", "float"], ["w+", { shape: [2], dtype: "str" }, "dtype", '"<U8"'], ["w+", { shapes: [2] }, "argument", '"shape"'],
    ["r+", { shape: [4] }, "mismatch", "the shape (2, 2)"], ["r", { dtype: "<f4" }, "mismatch", "the dtype <f8"], ["r+", { shape: 4 }, "argument", "[4]"],
    ["a", undefined, "unsupported", "rows cannot be appended"], ["x", undefined, "unsupported", '"r", "r+" or "w+"'],
  ];
  for (const [mode, options, kind, text] of cases) {
    assert.throws(() => memmap(at("kept.npy"), mode, options), (error) => error instanceof NpyError && error.kind === kind && error.message.includes(text), `${mode} ${JSON.stringify(options)}`);
    assert.deepEqual(new Uint8Array(readFileSync(at("kept.npy"))), bytes);
  }
  assert.throws(() => memmap(at("none.npy"), "w+"), (error) => error instanceof NpyError && error.message.includes("pass { dtype, shape }"));
  const array = memmap(at("kept.npy"), "r+", { dtype: "float64", shape: [2, 2] });
  assert.throws(() => (array.data[3000] = 1), (error) => error instanceof NpyError && error.kind === "index" && error.message.includes('"3000"'));
  assert.throws(() => array.data.set(5), (error) => error instanceof NpyError && error.kind === "argument");
  array.close();
});

test("a file that is closed is not read, and its number is that of another file", async () => {
  const large = Float64Array.from({ length: 200_000 }, (_, i) => i);
  writeNPY(large, at("first.npy"));
  saveNPZ(at("first.npz"), { x: large, y: [1] });
  saveNPZ(at("packed.npz"), { x: large, y: [1] }, true);
  writeNPY(large.map(() => -1), at("other.npy"));
  for (const name of ["first.npy", "first.npz", "packed.npz"]) {
    const opened = await open(at(name));
    const part = name.endsWith(".npz") ? await opened.member("x") : opened;
    const blocks = part.blocks(100_000);
    assert.equal((await blocks.next()).value.get(5), 5);
    await opened.close();
    // The system gives the number to the file that is opened next.
    const other = openSync(at("other.npy"), "r");
    const is_closed = (error) => error instanceof NpyError && error.kind === "io" && error.message === `${at(name)}: the file is closed; open it again`;
    await assert.rejects(part.read(), is_closed);
    await assert.rejects(part.read({ rows: [150_000, 150_010] }), is_closed);
    await assert.rejects(blocks.next(), is_closed);
    await opened.close();
    // The second close left the other file open.
    closeSync(other);
  }
});

test("a read that has begun ends before the file is closed", async () => {
  writeNPY(Float64Array.from({ length: 100_000 }, (_, i) => i), at("begun.npy"));
  const opened = await open(at("begun.npy"));
  // The system is slow.
  const { read } = fs;
  fs.read = (...args) => setTimeout(() => read(...args), 50);
  syncBuiltinESMExports();
  try {
    const reading = opened.read({ rows: [90_000] });
    await new Promise(setImmediate);
    await opened.close();
    const other = openSync(at("other.npy"), "r");
    assert.equal((await reading).get(-1), 99_999);
    closeSync(other);
  } finally {
    fs.read = read;
    syncBuiltinESMExports();
  }
});

test("errors of the system have the path of the program, and advice", async () => {
  const cases = [
    [() => readNPY(at("none.npy")), "none.npy", "there is no such file"], [() => memmap(at("none.npy")), "none.npy", "there is no such file"],
    [() => readNPY(folder), "", "this is a folder"], [() => writeNPY([1], folder), "", "this is a folder"],
    [() => writeNPY([1], at("no/x.npy")), "no/x.npy", "the folder of the file does not exist"], [() => saveNPZ(at("no/x.npz"), { a: 1 }), "no/x.npz", "does not exist"],
    [() => memmap(at("no/x.npy"), "w+", { shape: [1] }), "no/x.npy", "does not exist"], [() => readNPY(at("one.npy/y.npy")), "one.npy/y.npy", "not a folder"],
  ];
  const check = (name, text) => (error) => {
    const path = name ? at(name) : folder;
    assert.ok(error instanceof NpyError && error.kind === "io" && error.path === path && error.cause instanceof Error, error.stack);
    assert.ok(error.message.startsWith(`${path}: `) && error.message.includes(text) && !error.message.includes(".tmp"), error.message);
    return true;
  };
  writeNPY([1], at("one.npy"));
  for (const [work, name, text] of cases) assert.throws(work, check(name, text));
  await assert.rejects(open(at("none.npy")), check("none.npy", "there is no such file"));
  await assert.rejects(open(folder), check("", "this is a folder"));
});

test("URLs of files are paths", async () => {
  const url = pathToFileURL(at("a b.npy"));
  writeNPY([1, 2], url);
  assert.deepEqual([readNPY(url).size, readNPY(url.href).size, (await open(url)).shape, memmap(url).shape], [2, 2, [2], [2]]);
  saveNPZ(pathToFileURL(at("a b.npz")), { a: [1] });
  assert.deepEqual(Object.keys(loadNPZ(pathToFileURL(at("a b.npz")))), ["a"]);
});

test("memmap has Fortran order, records, text and complex numbers", () => {
  const cases = ["fortran_3d", "nested", "<U3", ">c16", "<f2", "<M8[D]", "scalar", "aligned", "empty"];
  const made = JSON.parse(readFileSync(new URL("made/expected.json", import.meta.url)));
  for (const name of cases) {
    const path = new URL(`made/${made[name].file}`, import.meta.url).pathname;
    const array = memmap(path, "r");
    assert.deepEqual(array.toNested(), readNPY(path).toNested(), name);
    if (!array.names) assert.deepEqual(writeNPY(array), writeNPY(readNPY(path)), name);
    // `data` are in the order of the file, whose first index varies fastest.
    if (name === "fortran_3d") assert.deepEqual([array.data[1], array.data[2]], [array.get(1, 0, 0), array.get(0, 1, 0)]);
    array.close();
  }
  assert.throws(() => memmap(new URL("made/objects.npy", import.meta.url).pathname, "r"), (error) => error.kind === "unsupported");
});

test("ten rows of a large file on a server take two requests", async () => {
  const header = writeNPY(NDArray.from(new Float64Array(1), { shape: [1, 1] })).slice(0, 128);
  const text = new TextEncoder().encode("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 125), }");
  header.fill(32, 10, 127).set(text, 10);
  const file = openSync(at("large.npy"), "w");
  writeSync(file, header);
  writeSync(file, new Uint8Array(Float64Array.of(1.5).buffer), 0, 8, 128 + 700_000 * 1000);
  ftruncateSync(file, 128 + 1e9);
  closeSync(file);
  let rows;
  const count = await requests(async () => {
    const opened = await open(`${server.url}/large.npy`);
    assert.deepEqual([opened.shape, opened.isWhole], [[1_000_000, 125], false]);
    rows = await opened.read({ rows: [700_000, 700_010] });
    await opened.close();
  });
  assert.deepEqual([rows.shape, rows.get(0, 0)], [[10, 125], 1.5]);
  assert.ok(count <= 2, `${count} requests`);
});

test("ten rows of a compressed member on a server take at most four requests", async () => {
  const x = NDArray.from(Float64Array.from({ length: 2_000_000 }, (_, i) => Math.imul(i, 2654435761) % 1000), { shape: [200_000, 10] });
  const noise = Float64Array.from({ length: 100_000 }, (_, i) => Math.sin(i));
  saveNPZ(at("large.npz"), { x }, true);
  saveNPZ(at("several.npz"), { first: noise, x, last: noise }, true);
  saveNPZ(at("stored.npz"), { first: noise, x, last: noise });
  for (const [name, most] of [["large.npz", 4], ["several.npz", 4], ["stored.npz", 4]]) {
    server.bytes = 0;
    let rows;
    const count = await requests(async () => {
      const archive = await open(`${server.url}/${name}`);
      rows = await archive.read("x", { rows: [150_000, 150_010] });
    });
    assert.deepEqual(rows.data, x.data.slice(1_500_000, 1_500_100));
    console.log(`${name}: ${count} requests, ${server.bytes} bytes of ${statSync(at(name)).size}`);
    assert.ok(count <= most, `${name}: ${count} requests`);
  }
});

test("many rows of a compressed member are one request more than its header", async () => {
  const x = Float64Array.from({ length: 2_000_000 }, (_, i) => Math.sin(Math.imul(i, 2654435761)));
  saveNPZ(at("noise.npz"), { x: NDArray.from(Float32Array.from(x, (value) => Math.fround(Math.trunc(value * 1e4) / 1e4))), y: [1] }, true);
  const archive = await open(`${server.url}/noise.npz`);
  const file = await archive.get("x");
  assert.equal(await requests(() => file.read({ rows: [200_000, 1_500_000] })), 1);
});

test("a server without ranges is read whole, and the file says so", async () => {
  server.hasRanges = false;
  const count = await requests(async () => {
    const opened = await open(new URL(`${server.url}/x.npy`));
    assert.deepEqual([opened.isWhole, (await opened.read()).toNested()], [true, [[1, 2], [3, 4]]]);
  });
  server.hasRanges = true;
  assert.equal(count, 1);
});

test("errors of servers have the URL", async () => {
  const url = `${server.url}/nothing.npy`;
  await assert.rejects(open(url), (error) => error.kind === "io" && error.path === url && error.message.includes("404"));
  writeNPY(new Float64Array(1e5), at("changed.npy"));
  const opened = await open(`${server.url}/changed.npy`);
  writeNPY(new Float64Array(2e5), at("changed.npy"));
  await assert.rejects(opened.read(), (error) => error.message.includes("changed"));
  for (const [status, advice] of [[500, "try again later"], [503, "try again later"], [403, "check the URL"]]) {
    server.status = status;
    await assert.rejects(open(url), (error) => error.kind === "io" && error.message.includes(`${status}`) && error.message.endsWith(advice));
  }
  server.status = 0;
  server.hidesSize = true;
  const large = `${server.url}/changed.npy`;
  await assert.rejects(open(large), (error) => error.kind === "io" && error.path === large && error.message.includes("does not tell the size of the file (Content-Range: bytes 0-65535/*)"));
  assert.deepEqual((await (await open(`${server.url}/x.npy`)).read()).toNested(), [[1, 2], [3, 4]]);
  server.hidesSize = false;
});

test("paths are opened and read in parts", async () => {
  const opened = await open(at("large.npy"));
  assert.equal((await opened.read({ rows: [700_000, 700_001] })).get(0, 0), 1.5);
  await opened.close();
});
