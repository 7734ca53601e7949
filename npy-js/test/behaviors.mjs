// The behaviors that a reader and writer of NumPy's files must have, each by its name. They run in Node and in a browser: `npy` is the package,
// and `load` returns the bytes of a file that NumPy wrote.

function equal(found, wanted, what = "") {
  const [a, b] = [found, wanted].map(shown);
  if (a !== b) throw new Error(`${what}: ${a} and not ${b}`);
}

/** Values as text, which tells -0, NaN and bigints. */
function shown(value) {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (ArrayBuffer.isView(value)) return `${value.constructor.name === "Buffer" ? "Uint8Array" : value.constructor.name}[${Array.from(value, shown)}]`;
  if (Array.isArray(value)) return `[${value.map(shown)}]`;
  if (value instanceof Map) return `Map${shown([...value])}`;
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (value && typeof value === "object") return `{${Object.entries(value).map(([key, part]) => `${key}:${shown(part)}`)}}`;
  return JSON.stringify(value) ?? "undefined";
}

function fails(work, kind, text) {
  try {
    work();
  } catch (error) {
    if (error.name !== "NpyError") throw error;
    equal(error.kind, kind);
    if (!error.message.includes(text)) throw new Error(`${error.message} has no ${text}`);
    return error;
  }
  throw new Error(`no error of the kind ${kind}`);
}

/** A value of the expected ones, as `get` returns it. */
function wanted(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(wanted);
  if ("int" in value) return BigInt(value.int);
  if ("bytes" in value) return Uint8Array.from(value.bytes);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, wanted(part)]));
}

function flat(array) {
  const out = [];
  const visit = (index) => {
    if (index.length === array.ndim) out.push(array.get(...index));
    else for (let i = 0; i < array.shape[index.length]; i++) visit([...index, i]);
  };
  visit([]);
  return out;
}

export async function behaviors(npy, load) {
  const { NPY_MAGIC, NDArray, loadNPZ, open, parsePythonDict, readNPY, saveNPZ, writeNPY } = npy;
  const expected = JSON.parse(new TextDecoder().decode(await load("expected.json")));
  const file = (name) => load(expected[name].file);
  const list = [];
  const it = (name, work) => list.push([name, work]);

  it("the magic number is \\x93NUMPY", async () => {
    equal(NPY_MAGIC, Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59));
    equal(writeNPY([1]).subarray(0, 6), NPY_MAGIC);
    fails(() => readNPY(Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])), "not-npy", "not a .npy file");
  });

  it("classes have their names", async () => {
    equal([NDArray, npy.NpyError, npy.NpyFile, npy.NpzFile, npy.Call].map((of) => of.name), ["NDArray", "NpyError", "NpyFile", "NpzFile", "Call"]);
    equal(readNPY(writeNPY([1])).constructor.name, "NDArray");
  });

  for (const version of [[1, 0], [2, 0], [3, 0]]) {
    it(`version ${version.join(".")} is read and written as NumPy writes it`, async () => {
      const bytes = await load(`version${version[0]}.npy`);
      equal(readNPY(bytes).data, Float64Array.of(0, 1, 2));
      equal(writeNPY(Float64Array.of(0, 1, 2), undefined, version), bytes);
    });
  }

  it("an unknown version is an error", async () => {
    const bytes = Uint8Array.from(await load("version1.npy"));
    bytes[6] = 4;
    fails(() => readNPY(bytes), "version", "4");
    fails(() => writeNPY([1], undefined, [4, 0]), "header", "4.0");
  });

  it("a long header gets version 2.0, and other letters than latin-1 version 3.0", () => {
    const columns = Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`a_long_name_${i}`, Uint8Array.of(1)]));
    equal([...writeNPY(NDArray.records(columns)).subarray(6, 8)], [2, 0]);
    equal([...writeNPY(NDArray.records({ 时间: [1] })).subarray(6, 8)], [3, 0]);
    fails(() => writeNPY(NDArray.records({ 时间: [1] }), undefined, [1, 0]), "header", "version [3, 0]");
  });

  it("headers end with a line feed at a multiple of 64 bytes", () => {
    for (const shape of [[], [1], [2, 3], [1, 1, 1, 1, 1, 1, 1, 1]]) {
      const bytes = writeNPY(NDArray.from(new Uint8Array(shape.reduce((a, b) => a * b, 1)), { shape }));
      const start = 10 + bytes[8] + 256 * bytes[9];
      equal([start % 64, bytes[start - 1]], [0, 10]);
    }
  });

  it("parsePythonDict reads descr, fortran_order and shape", () => {
    equal(parsePythonDict("{'descr': '<f8', 'fortran_order': False, 'shape': (100, 100), }  \n"), { descr: "<f8", fortran_order: false, shape: [100, 100] });
    equal(parsePythonDict("{'shape': ()}").shape, []);
    equal(parsePythonDict("{'shape': (3,)}").shape, [3]);
    equal(parsePythonDict("{'shape': (3L, 4L)}").shape, [3, 4]);
    equal(parsePythonDict("{'descr': [('x', '<f4'), ('y', '<f4', (2,))]}").descr, [["x", "<f4"], ["y", "<f4", [2]]]);
    equal(parsePythonDict("{'a': None, 'b': -1.5, 'c': 12345678901234567890, 'd': u'\\u00e9\\x41'}"), { a: null, b: -1.5, c: 12345678901234567890n, d: "éA" });
    equal(Object.keys(parsePythonDict("{'__proto__': 1}")), ["__proto__"]);
    const commented = "# a header\n{'descr': '<f8',  # dtype, or {'x'}\n # order\n 'fortran_order': False, 'shape': (3, # rows\n), }# end";
    equal(parsePythonDict(commented), { descr: "<f8", fortran_order: false, shape: [3] });
    equal(parsePythonDict("{'a': '# text'}"), { a: "# text" });
    for (const text of ["{'a': # 1}", "", "{", "{'a' 1}", "[1]", "{'a': f()}", "{'a': 1} x", "{'a': '", "(".repeat(300)]) fails(() => parsePythonDict(text), "header", "pass");
  });

  for (const [name, { dtype, shape, values }] of Object.entries(expected)) {
    it(`NumPy's array ${name} is read, and written again with the same bytes`, async () => {
      const bytes = await file(name);
      const array = readNPY(bytes);
      equal(array.shape, shape);
      if (!array.names) equal(array.dtype, dtype);
      equal(flat(array), values.map(wanted), name);
      equal(writeNPY(array), bytes, name);
    });
    it(`the values of NumPy's array ${name} make the same file`, async () => {
      const bytes = await file(name);
      const { dtype, fortranOrder } = readNPY(bytes);
      equal(fortranOrder, name.startsWith("fortran"));
      equal(writeNPY(NDArray.from(values.map(wanted), { dtype, shape, fortranOrder })), bytes, name);
    });
  }

  it("big-endian numbers are converted to the order of the machine", async () => {
    const array = readNPY(await file(">i4"));
    equal(array.data, Int32Array.of(1, 4, 7, 10, 13, 16));
    equal(array.dtype, ">i4");
  });

  it("the data are the matching typed arrays", async () => {
    const classes = { "<i1": "Int8Array", "<u2": "Uint16Array", "<i8": "BigInt64Array", ">u8": "BigUint64Array", "<f4": "Float32Array", "<f8": "Float64Array", bool: "Uint8Array", "<M8[D]": "BigInt64Array", "<c8": "Float32Array" };
    for (const [name, wanted] of Object.entries(classes)) equal(readNPY(await file(name)).data.constructor.name, wanted, name);
    equal(readNPY(await file("<f2")).data.constructor.name, globalThis.Float16Array ? "Float16Array" : "Float32Array");
    equal(readNPY(await file("<U3")).data, ["ab", "", "日é😀"]);
  });

  it("Fortran order is converted to C order", async () => {
    const array = readNPY(await file("fortran"));
    equal([array.data, array.strides], [Float64Array.of(0, 1, 2, 3, 4, 5), [3, 1]]);
    equal(array.toNested(), [[0, 1, 2], [3, 4, 5]]);
  });

  it("Fortran order is kept, and can be set", async () => {
    const array = readNPY(await file("fortran"));
    equal(NDArray.from(array).fortranOrder, true);
    array.fortranOrder = false;
    equal(writeNPY(array), writeNPY(NDArray.from([[0, 1, 2], [3, 4, 5]])));
    equal(loadNPZ(saveNPZ(null, { f: readNPY(await file("fortran_3d")) })).f.fortranOrder, true);
    for (const version of [[1, 0], [2, 0], [3, 0]]) equal(readNPY(writeNPY(NDArray.from([[1, 2], [3, 4]], { fortranOrder: true }), null, version)).toNested(), [[1, 2], [3, 4]]);
    // Arrays that are in both orders are written in C order, as by NumPy.
    for (const values of [[], [[1, 2, 3]], [[1], [2]], [[], []]]) equal(writeNPY(NDArray.from(values, { fortranOrder: true })), writeNPY(values));
    const objects = readNPY(await load("fortran_objects.npy"));
    equal([objects.fortranOrder, objects.toNested()], [true, [[null, 1, "a"], [true, 2, "b"]]]);
    equal(readNPY(writeNPY(objects)).toNested(), objects.toNested());
  });

  it("an array without dimensions has one value", async () => {
    const array = readNPY(await file("scalar"));
    equal([array.shape, array.get(), array.toNested()], [[], 42n, 42n]);
    equal(readNPY(writeNPY(2.5)).get(), 2.5);
  });

  it("an empty array has no value", async () => {
    equal(readNPY(await file("empty")).toNested(), []);
    equal(readNPY(await file("empty_2d")).shape, [0, 3]);
  });

  it("records are columns, and each is an object", async () => {
    const array = readNPY(await file("record"));
    equal(array.data, { x: Float32Array.of(1.5, 3.5), y: Int32Array.of(2, 4) });
    equal(array.get(1), { x: 3.5, y: 4 });
    const nested = readNPY(await file("nested"));
    equal(nested.column("head.gain").data, Float64Array.of(0.5, 1.5));
    equal(nested.column("samples").shape, [2, 2, 2]);
    equal(nested.column("samples").get(1, 0, 1), 6);
    fails(() => nested.column("heed"), "missing-field", "head");
  });

  it("records are made of columns", () => {
    const array = NDArray.records({ x: Float32Array.of(1, 2), n: [1n, 2n], name: ["a", "bc"], v: [[1, 2], [3, 4]] });
    equal(array.dtype, "[('x', '<f4'), ('n', '<i8'), ('name', '<U2'), ('v', '<f8', (2,))]");
    equal(readNPY(writeNPY(array)).get(1), { x: 2, n: 2n, name: "bc", v: [3, 4] });
    fails(() => NDArray.records({ x: [1], y: [1, 2] }), "shape", "one length");
  });

  it("names of fields may have any letters", async () => {
    equal(readNPY(await file("unicode_fields")).names, ["时间", "数据"]);
  });

  it("times have their unit, and become dates", async () => {
    const array = readNPY(await file("<M8[25s]"));
    equal([array.unit, array.get(0), array.toDate(0), array.toDate(3)], ["25s", -5n, new Date(-125_000), null]);
    const far = NDArray.from([10n ** 12n], { dtype: "<M8[D]" });
    fails(() => far.toDate(0), "invalid-value", 'use get, which returns the count as a bigint, or NDArray.from(array, { dtype: "<M8[Y]" }), whose counts are the years since 1970');
    equal([far.get(0), NDArray.from(far, { dtype: "<M8[Y]" }).get(0)], [10n ** 12n, 2_737_907_006n]);
    equal(readNPY(await file("<M8[M]")).toDate(0), new Date(Date.UTC(1969, 7, 1)));
    equal(NDArray.from([new Date(5)]).dtype, "<M8[ms]");
    equal(readNPY(writeNPY(NDArray.from([new Date(86_400_000), null], { dtype: "<M8[D]" }))).toDate(0), new Date(86_400_000));
  });

  it("units of times are converted as NumPy converts them", async () => {
    const units = JSON.parse(new TextDecoder().decode(await load("units.json")));
    equal(units.length > 200, true);
    for (const { from, to, counts, made } of units) {
      const array = NDArray.from(counts.map(BigInt), { dtype: from });
      equal(NDArray.from(array, { dtype: to }).data, BigInt64Array.from(made, BigInt), `${from} as ${to}`);
    }
    const days = NDArray.from([new Date(Date.UTC(2024, 0, 1)), null], { dtype: "<M8[D]" });
    const milliseconds = [1_704_067_200_000n, -(2n ** 63n)];
    equal(NDArray.from([days, days], { dtype: ">M8[ms]" }).toNested(), [milliseconds, milliseconds]);
    const records = NDArray.records({ when: days, both: NDArray.from([days, days]), n: [1, 2] });
    const made = NDArray.from(records, { dtype: "[('when', '<M8[ms]'), ('both', '<M8[h]', (2,)), ('n', '<i4')]" });
    equal([made.data.when, made.get(0).both], [BigInt64Array.from(milliseconds), [473_352n, -(2n ** 63n)]]);
    // Counts without a unit get one, and the numbers of times are their counts.
    equal(NDArray.from(NDArray.from([5n], { dtype: "<m8" }), { dtype: "<m8[s]" }).data, BigInt64Array.of(5n));
    equal(NDArray.from(days, { dtype: "<i8" }).data, days.data);
    const far = NDArray.from([1n, 2n ** 62n], { dtype: "<M8[D]" });
    equal(fails(() => NDArray.from(far, { dtype: "<M8[ns]" }), "invalid-value", "row 1: 4611686018427387904 of <M8[D] does not fit <M8[ns]; use a coarser unit").row, 1);
    const spans = NDArray.from([1n], { dtype: "<m8[M]" });
    fails(() => NDArray.from(spans, { dtype: "<m8[D]" }), "mismatch", "months have no fixed length");
    fails(() => NDArray.from(spans, { dtype: "<m8" }), "mismatch", "name one");
    fails(() => NDArray.from(days, { dtype: "<m8[D]" }), "mismatch", "pass the counts");
    for (const how of ["checked", "numeric", "lossless", "exact"]) fails(() => days.toTypedArray("<M8[ms]", how), "mismatch", 'NDArray.from(array, { dtype: "<M8[ms]" })');
    fails(() => NDArray.from([1.5]).toTypedArray("<M8[ms]"), "mismatch", 'convert it to "<i8"');
  });

  it("NaT becomes no float, and a date that does not fit its unit is an error", () => {
    const days = NDArray.from([new Date(0), null], { dtype: "<M8[D]" });
    for (const dtype of ["<f8", "<f4", "<f2"]) {
      for (const work of [() => NDArray.from(days, { dtype }), () => days.toTypedArray(dtype)]) {
        equal(fails(work, "invalid-value", `row 1: NaT does not fit ${dtype}; use "<i8", which has the counts`).row, 1);
      }
    }
    equal([days.toTypedArray("BigInt64Array"), NDArray.from([new Date(0)], { dtype: "<M8[D]" }).toTypedArray("Float64Array")], [days.data, Float64Array.of(0)]);
    const evening = new Date(Date.UTC(2024, 0, 1, 23, 59, 59));
    for (const unit of ["D", "M", "25s", "h"]) fails(() => NDArray.from([evening], { dtype: `<M8[${unit}]` }), "invalid-value", "2024-01-01T23:59:59.000Z does not fit");
    fails(() => days.set(evening, 0), "invalid-value", "a finer unit");
    fails(() => NDArray.from([evening], { dtype: "<M8[fs]" }), "invalid-value", "a coarser unit");
    equal(NDArray.from([evening, new Date(NaN)], { dtype: "<M8[s]" }).data, BigInt64Array.of(1_704_153_599n, -(2n ** 63n)));
  });

  it("the cast numeric wraps integers, and limits floats", () => {
    equal(NDArray.from([300, -1], { dtype: "<i4" }).toTypedArray("Uint8Array", "numeric"), Uint8Array.of(44, 255));
    for (const dtype of ["<i8", "<u8", "<f8", "<c16", "|b1"]) {
      for (const how of ["checked", "numeric"]) {
        const none = NDArray.from([], { dtype });
        equal([none.toTypedArray("Float64Array", how), none.toTypedArray("BigInt64Array", how)], [new Float64Array(0), new BigInt64Array(0)]);
      }
    }
    equal(NDArray.from([300.5, -1.5, 2.9, NaN]).toTypedArray("Uint8Array", "numeric"), Uint8Array.of(255, 0, 2, 0));
    fails(() => NDArray.from([300]).toTypedArray("Uint8Array"), "invalid-value", '300 does not fit |u1; the cast "numeric" wraps integers, and truncates and limits floats');
    // `from` has no casts.
    fails(() => NDArray.from(Float64Array.of(1.5), { dtype: "<i4" }), "invalid-value", "1.5 does not fit <i4; pass one that does, or use another dtype");
    const complex = NDArray.from([{ re: 1, im: 2 }]);
    fails(() => complex.toTypedArray("Float64Array"), "invalid-value", '1+2j does not fit <f8; the cast "numeric" drops the imaginary part');
    equal(complex.toTypedArray("Float64Array", "numeric"), Float64Array.of(1));
  });

  it("objects that Python cannot have are errors", async () => {
    for (const key of [[1], new Set(), new Map(), { x: 1 }, NDArray.from([1])]) {
      for (const value of [new Map([[key, 1]]), new Set([key])]) fails(() => writeNPY(NDArray.from([value, null], { dtype: "|O" })), "invalid-value", "no hash");
    }
    const keys = [null, true, 2, 2n ** 70n, 1.5, "a", Uint8Array.of(1), new Date(0), { re: 1, im: 2 }];
    equal(readNPY(writeNPY(NDArray.from([new Set(keys), null], { dtype: "|O" }))).data[0].size, keys.length);
    // Python would keep the last of these.
    for (const [a, b] of [[1, 1n], [1, true], [0n, false], [2 ** 60, 2n ** 60n], [new Date(0), new Date(0)], [Uint8Array.of(1), Uint8Array.of(1)]]) {
      for (const value of [new Set([a, b]), new Map([[a, "x"], [b, "y"]])]) fails(() => writeNPY([value, null]), "invalid-value", "is the same as another key");
    }
    const [bytes] = readNPY(await load("types.npy")).data.filter((value) => value instanceof Uint8Array);
    fails(() => writeNPY([new Set([bytes]), null]), "invalid-value", "no hash");
    for (const values of [[1, undefined], [undefined], ["a", undefined]]) fails(() => writeNPY(values), "argument", "write null");
    fails(() => writeNPY([{ x: [undefined] }]), "invalid-value", "write null");
    fails(() => NDArray.from([{ a: 1, b: 2 }], { dtype: "[('a', '<f4')]" }), "invalid-value", 'the field "b", which the dtype does not have');
    fails(() => NDArray.records({ x: [1] }).column(1), "argument", "1 is not the name of a field");
  });

  it("an archive that is not compressed is compared with its checksum", async () => {
    const w = Float64Array.from({ length: 100_000 }, (_, i) => i);
    const bytes = saveNPZ(null, { y: [1], w, z: [2] });
    const blocks = async (member) => {
      for await (const block of member.blocks(999)) equal(block.ndim, 1);
    };
    const sound = await (await open(bytes)).member("w");
    for (const read of [(member) => member.read(), blocks]) await read(sound);
    bytes[400_000] ^= 1;
    fails(() => loadNPZ(bytes), "checksum", "the checksum is");
    const damaged = await open(bytes);
    const reads = [() => damaged.read("w"), async () => (await damaged.member("w")).read(), async () => blocks(await damaged.member("w"))];
    for (const read of reads) await rejects(read, "checksum", "copy the file again");
    equal([(await damaged.read("w", { rows: [0, 2] })).data, (await damaged.read("z")).data], [Float64Array.of(0, 1), Float64Array.of(2)]);
  });

  it("objects of Python are data", async () => {
    const { data } = readNPY(await load("objects.npy"));
    equal(data, [null, true, 7, 2n ** 70n, 1.5, "text", [1, "a"], new Map([["k", [1, 2]]]), new Date(Date.UTC(2020, 0, 2, 3, 4, 5))]);
    equal(readNPY(writeNPY(NDArray.from(data, { dtype: "|O" }))).data, data);
  });

  it("objects keep their types of Python when they are written again", async () => {
    const { data } = readNPY(await load("types.npy"));
    const again = readNPY(writeNPY(readNPY(await load("types.npy"))));
    equal(again.data, data);
    // Copies of arrays keep them, and so do parts.
    const array = readNPY(await load("types.npy"));
    const rows = NDArray.from(array, { shape: [data.length, 1] });
    equal(writeNPY(NDArray.from(rows, { shape: [1, data.length] }).get(0)), writeNPY(array));
    // The float of Python is before the integer, and has four bytes more.
    const [float, integer] = [0, 1].map((i) => writeNPY(rows.get(data.indexOf(2) + i)).length);
    equal(float - integer, 4);
    // A second time too: the types were written.
    equal(writeNPY(again), writeNPY(readNPY(await load("types.npy"))));
  });

  it("objects that would lose their type are errors, and copies of JavaScript's types are written", async () => {
    const names = ["collections.deque", "collections.defaultdict", "Decimal('1.5')", "(1+2j)", "numpy.void", "toNested()", "numpy.matrix", "value.astimezone(datetime.timezone.utc)"];
    for (const [i, name] of names.entries()) {
      const array = readNPY(await load(`lost${i}.npy`));
      equal(fails(() => writeNPY(array), "invalid-value", name).row, 1);
      array.set(null, 1);
      equal(readNPY(writeNPY(array)).data, [null, null]);
    }
    // Values that JavaScript does not have are calls with arguments, and the advice names them.
    for (const [i, call, advice] of [[2, ["1.5"], "its text or its arguments"], [3, [1, 2], "{ re, im }, which are its arguments"]]) {
      const array = readNPY(await load(`lost${i}.npy`));
      equal(array.data[1].arguments, call);
      fails(() => writeNPY(array), "invalid-value", `write ${advice}`);
    }
    for (const [i, copy, advice] of [[0, (value) => [...value], "[...value]"], [1, (value) => new Map(value), "new Map(value)"], [4, (value) => ({ ...value }), "{ ...value }"], [6, (value) => NDArray.from(value), "NDArray.from(value)"]]) {
      const array = readNPY(await load(`lost${i}.npy`));
      fails(() => writeNPY(array), "invalid-value", `; write a copy, ${advice}, in its place`);
      array.set(copy(array.get(1)), 1);
      equal(readNPY(writeNPY(array)).size, 2);
    }
    // Copies by structuredClone have no class.
    const [kept, call] = structuredClone([NDArray.from([1, 2]), readNPY(await load("lost2.npy")).data[1]]);
    for (const work of [() => NDArray.from(kept), () => writeNPY([kept, null])]) fails(work, "argument", "pass NDArray.from(value.data, { dtype: value.dtype, shape: value.shape })");
    equal(NDArray.from(kept.data, { dtype: kept.dtype, shape: kept.shape }).toNested(), [1, 2]);
    const records = NDArray.records({ x: [1, 2], s: ["a", "b"] });
    const columns = structuredClone(records);
    for (const work of [() => NDArray.from(columns), () => writeNPY([columns, null])]) fails(work, "argument", "postMessage copy it; copy the bytes of writeNPY(array), and read them, or pass NDArray.records(value.data) if");
    for (const again of [readNPY(structuredClone(writeNPY(records))), NDArray.records(columns.data)]) equal([again.dtype, again.toNested()], [records.dtype, records.toNested()]);
    fails(() => writeNPY({ k: [call] }), "invalid-value", "the properties of a Call without its class, as structuredClone and postMessage copy it; write its text");
    // Objects of a program may have some of these names, or more.
    for (const value of [{ text: "a", arguments: [1], state: null }, { ...call, state: null, x: 1 }, { strides: [1], fortranOrder: true }, { ...kept, x: 1 }]) {
      const [map] = readNPY(writeNPY([value, null])).data;
      equal([...map.keys()], Object.keys(value));
    }
  });

  it("values that are changed have JavaScript's types", async () => {
    const array = readNPY(await load("types.npy"));
    const [wholes, integers] = [array.data.indexOf(2), array.data.lastIndexOf(2)];
    const bytes = writeNPY(array);
    array.set(3, wholes);
    array.set(2, wholes);
    equal(writeNPY(array), bytes);
    array.set(3, integers);
    equal(readNPY(writeNPY(array)).data[integers], 3);
    // Zones may have seconds, and years may begin in the year 0 or end in the year 10,000 in UTC.
    const dates = array.data.filter((value) => value instanceof Date).slice(-5).map((date) => date.getTime());
    equal(dates, [Date.UTC(2020, 0, 1, 21, 10, 37), Date.UTC(2020, 0, 2, 8, 57, 33, 678), Date.UTC(2020, 0, 2, 3, 4, 3, 999), Date.parse("0000-12-31T19:00:00Z"), Date.UTC(10000, 0, 1, 4)]);
    const moment = array.data.find((value) => value instanceof Date && value.getTime() % 1000);
    moment.setTime(0);
    equal(readNPY(writeNPY(array)).data.find((value) => value instanceof Date && value.getTime() === 0), new Date(0));
  });

  it("a row of objects costs its own items, whatever the length of the array", () => {
    // The module says of each infinity that it is a float.
    const array = readNPY(writeNPY(NDArray.from(new Array(200).fill(Infinity), { dtype: "|O", shape: [100, 2] })));
    const { get, has, set } = Map.prototype;
    let count = 0;
    const counted = (work) => function (...args) {
      count += 1;
      return work.apply(this, args);
    };
    Object.assign(Map.prototype, { get: counted(get), has: counted(has), set: counted(set) });
    try {
      for (const i of [0, 50, 99]) array.get(i).data;
    } finally {
      Object.assign(Map.prototype, { get, has, set });
    }
    equal(count, 3 * 2 * 3);
  });

  it("arrays and complex numbers are objects, too", () => {
    const grid = NDArray.from([[1, 2], [3, 4]], { dtype: ">i2", fortranOrder: true });
    const [array, single, none] = readNPY(writeNPY(NDArray.from([grid, NDArray.from(2), null], { dtype: "|O" }))).data;
    equal([array.dtype, array.fortranOrder, array.toNested(), single.shape, single.get(), none], [">i2", true, [[1, 2], [3, 4]], [], 2, null]);
    equal(readNPY(writeNPY([{ re: 1, im: -2 }, null])).data[0].text, "(1-2j)");
  });

  it("lists of objects have advice", () => {
    fails(() => writeNPY([[1, 2], null]), "shape", 'NDArray.from(values, { dtype: "|O" }) for Python objects');
    // The data of an array of objects make one again.
    const { data } = readNPY(writeNPY([{ weights: Float32Array.of(0.5) }, new Set([1]), null]));
    equal([data[0].get("weights").dtype, readNPY(writeNPY(data)).data.length], ["<f4", 3]);
    const rows = [[1, "a"], [null, "b"]];
    fails(() => NDArray.from(rows, { dtype: "|O", shape: [2, 2] }), "shape", "list.flat(1)");
    equal(NDArray.from(rows.flat(1), { dtype: "|O", shape: [2, 2] }).toNested(), rows);
    equal(fails(() => writeNPY(NDArray.from([1, 2, 3, new Date(1e20)].concat([() => 1, 1]), { dtype: "|O", shape: [3, 2] })), "invalid-value", "row 1: an invalid Date").row, 1);
  });

  it("a file that was copied as text is an error", async () => {
    const bytes = writeNPY([1, 2]);
    const line = bytes.indexOf(10);
    const copied = Uint8Array.from([...bytes.subarray(0, line), 13, ...bytes.subarray(line)]);
    fails(() => readNPY(copied), "header", "copied as text");
    await rejects(() => open(copied), "header", "copied as text");
  });

  it("wide records are searched once", () => {
    const names = Array.from({ length: 8000 }, (_, i) => `f${i}`);
    const dtype = `[${names.map((name) => `('${name}', 'u1')`)}]`;
    const row = Object.fromEntries(names.map((name) => [name, 1]));
    const [first] = NDArray.from([row], { dtype }).type.fields;
    let reads = 0;
    Object.defineProperty(first, "name", { get: () => (reads += 1, "f0") });
    equal(NDArray.from(new Array(100).fill(row), { dtype }).size, 100);
    // A search for each name in each row begins with the first one, and reads it 800,000 times.
    equal(reads < 1000, true, `${reads} reads`);
  });

  it("calls in pickles are inert", async () => {
    const [call] = readNPY(await load("call.npy")).data;
    equal(call.name, "zipfile.ZipInfo");
  });

  it("stored archives are read by names without .npy", async () => {
    const arrays = loadNPZ(await load("stored.npz"));
    equal(Object.keys(arrays), ["a", "b"]);
    equal([arrays.a.data, arrays.b.data], [new Float64Array(5).fill(1), new Int32Array(3)]);
  });

  it("compressed archives are read", async () => {
    equal(loadNPZ(await load("compressed.npz")).x.data, Float64Array.from({ length: 1000 }, (_, i) => i));
  });

  for (const compressed of [false, true]) {
    it(`archives are written ${compressed ? "compressed" : "stored"}`, () => {
      const bytes = saveNPZ(null, { a: [1, 2], "b/c": NDArray.from(["x"]), o: NDArray.from([null, "y"]), __proto__x: 3 }, compressed);
      const arrays = loadNPZ(bytes);
      equal(Object.keys(arrays), ["a", "b/c", "o", "__proto__x"]);
      equal([arrays.a.data, arrays["b/c"].data, arrays.o.data], [Float64Array.of(1, 2), ["x"], [null, "y"]]);
      const large = saveNPZ(null, { x: new Float64Array(10_000) }, compressed);
      equal(large.length < 10_000, compressed);
    });
  }

  it("a truncated file is an error", async () => {
    const bytes = await file("3d");
    fails(() => readNPY(bytes.subarray(0, bytes.length - 1)), "truncated", "expected 192 bytes of data, found 191");
    fails(() => readNPY(bytes.subarray(0, 20)), "truncated", "truncated");
  });

  it("a header that lies costs no memory", () => {
    const bytes = (shape, descr = "'<f8'") => {
      const text = new TextEncoder().encode(`{'descr': ${descr}, 'fortran_order': True, 'shape': ${shape}, }\n`);
      return Uint8Array.from([...NPY_MAGIC, 1, 0, text.length & 255, text.length >> 8, ...text]);
    };
    for (const shape of ["(1000000000000, 1000)", "(4000000000,)", "(99999999, 99999999, 99999999)"]) {
      let error;
      try {
        readNPY(bytes(shape));
      } catch (caught) {
        error = caught;
      }
      equal(error?.name, "NpyError", shape);
    }
    fails(() => readNPY(bytes("(1000000000,)", "'|V0'")), "limit", "without bytes");
    equal(readNPY(writeNPY([1])).get(0), 1);
  });

  it("values that do not fit are errors with their row", () => {
    equal(fails(() => NDArray.from([1, 300], { dtype: "|u1" }), "invalid-value", "300").row, 1);
    equal(fails(() => NDArray.from(Float64Array.of(1, 2.5)).toTypedArray("Int32Array"), "invalid-value", "2.5").row, 1);
    fails(() => NDArray.from([[1], [1, 2]]), "shape", "equally long");
    fails(() => NDArray.from(["abc"], { dtype: "<U2" }), "invalid-value", "abc");
    const raw = NDArray.from(Uint8Array.of(139, 1, 2), { dtype: "|V3", shape: [] });
    equal([NDArray.from(raw.toNested(), { dtype: "|V3", shape: [] }).get(), raw.shape], [Uint8Array.of(139, 1, 2), []]);
    fails(() => NDArray.from(Uint8Array.of(1, 2), { dtype: "|V3" }), "invalid-value", "does not fit |V3");
    fails(() => NDArray.from([1, 2, 3], { shape: [2] }), "shape", "3 elements");
    fails(() => NDArray.from([1, 2]).get(2), "index", "length 2");
  });

  it("set refuses values that do not fit, and changes nothing", () => {
    const cases = {
      "|u1": [256, -1, 1.5, "z", null, undefined, Symbol("x"), NaN, 1n << 70n, {}, Object.create(null), [Symbol("x")]],
      "<i4": [1.5, 2 ** 33, "x"], "<i8": [1.5, 2n ** 63n, "1"], "<u8": [-1n, 0.5], "<f4": ["1", null, 1e300], "<f2": [70000], "<f8": [undefined, {}, 2n ** 2000n],
      "<c8": ["1", null, { re: 1 }, { re: 1, im: 1e300 }], "|b1": [2, "true"], "<M8[D]": [1.5, "2020-01-01", 2n ** 63n], "<m8[s]": ["x", new Date(0)],
      "|S2": ["abc", "日", 5], "<U2": ["abc", 5, Symbol("x")], "|V2": [Uint8Array.of(1), "ab"],
    };
    const initial = { "|b1": true, "<c8": 7, "|S2": "a", "<U2": "a", "|V2": Uint8Array.of(7, 7) };
    for (const [dtype, values] of Object.entries(cases)) {
      for (const value of values) {
        const array = NDArray.from([initial[dtype] ?? 7n], { dtype });
        const before = shown(array.data);
        fails(() => array.set(value, 0), "invalid-value", "does not fit");
        equal(shown(array.data), before, dtype);
      }
    }
    const record = NDArray.from([{ x: 1, v: [1, 2] }], { dtype: "[('x', 'u1'), ('v', '<i2', (2,))]" });
    for (const value of [{ x: 5, v: [1, 70000] }, { x: 5, v: [1] }, { x: 5, v: null }, { x: 5 }, null, 5]) fails(() => record.set(value, 0), "invalid-value", "pass");
    equal(fails(() => record.set({ x: 5, v: [1, 70000] }, 0), "invalid-value", '"v"').field, "v");
    equal(record.get(0), { x: 1, v: [1, 2] });
    fails(() => NDArray.from([{ x: 300, v: [1, 2] }], { dtype: record.dtype }), "invalid-value", "row 0");
  });

  it("set takes all that get returns", async () => {
    for (const name of Object.keys(expected)) {
      const array = readNPY(await file(name));
      if (array.ndim !== 1) continue;
      const copy = NDArray.from(array);
      for (let i = 0; i < array.size; i++) copy.set(array.get(i), i);
      equal(writeNPY(copy), writeNPY(array), name);
    }
    const counts = NDArray.from([1n]);
    counts.set(5, 0);
    equal(counts.get(0), 5n);
  });

  it("set of a part changes the array, for every dtype", async () => {
    const records = "[('x', '<f4'), ('name', '<U3'), ('v', '<i2', (2,))]";
    const cases = [
      ["<f8", 1, 5], ["<i8", 1n, 5n], ["<c8", { re: 1, im: 2 }, { re: 3, im: 4 }], ["|b1", false, true], ["<U2", "a", "bc"], ["|S2", "a", "bc"], ["|V1", Uint8Array.of(1), Uint8Array.of(2)],
      ["|O", { a: 1 }, null], ["<M8[D]", 1n, 2n], [records, { x: 1, name: "a", v: [1, 2] }, { x: 2, name: "bcd", v: [3, 4] }], ["[('x', '<f4')]", { x: 1 }, { x: 2 }],
    ];
    cases.unshift(["[('v', [('name', '<U2')], (2,))]", { v: [{ name: "a" }, { name: "" }] }, { v: [{ name: "b" }, { name: "c" }] }]);
    for (const [dtype, value, other] of cases) {
      const array = NDArray.from(new Array(12).fill(value), { dtype, shape: [2, 3, 2] });
      const part = array.get(1);
      const inner = part.get(2);
      inner.set(other, 1);
      const row = [value, other];
      equal([array.get(1, 2, 1), part.get(2, 1), part.toNested(), inner.toNested()], [other, other, [[value, value], [value, value], row], row], dtype);
      equal(flat(array).filter((found) => shown(found) === shown(other)).length, 1, dtype);
      equal([inner.data, writeNPY(inner)], [NDArray.from(row, { dtype }).data, writeNPY(NDArray.from(row, { dtype }))], dtype);
      // An array that is made of another one is a copy.
      const copy = NDArray.from(inner);
      copy.set(value, 1);
      equal([copy.toNested(), inner.toNested()], [[value, value], row], dtype);
    }
    const table = NDArray.from(new Array(4).fill(cases.at(-2)[1]), { dtype: records, shape: [2, 2] });
    table.get(1).column("name").set("zz", 0);
    table.get(1).column("v").set(9, 0, 1);
    equal(table.toNested()[1], [{ x: 1, name: "zz", v: [1, 9] }, cases.at(-2)[1]]);
    const objects = readNPY(await load("object_records.npy"));
    fails(() => objects.column("o").set(5, 0), "unsupported", "set({ … }, row)");
    objects.get(0).o = 5;
    equal(objects.column("o").get(0), 5);
    equal([objects.column("x").data, objects.column("v").toNested(), objects.column("n").data], [Float32Array.of(1, 2.5), [[1, 2], [3, 4]], ["b", ""]]);
    equal([objects.column("in.t").data, objects.column("in.o").data], [BigInt64Array.of(5n, -(2n ** 63n)), [null, new Map([["k", 2]])]]);
    const [moment, none] = [1_577_934_245_678_901n, -(2n ** 63n)];
    equal(["us", "d", "c", "s"].map((name) => objects.column(name).data), [BigInt64Array.of(moment, none), BigInt64Array.of(-1500n, none), Float32Array.of(1, 2, 3, 0), ["é", ""]]);
    const columns = Object.fromEntries(["x", "o", "n", "v", "in.o"].map((name) => [name, objects.column(name)]));
    equal(loadNPZ(saveNPZ(null, columns)).v.toNested(), [[1, 2], [3, 4]]);
    fails(() => writeNPY(objects), "unsupported", "saveNPZ(path, Object.fromEntries([");
    const spans = readNPY(await load("spans.npy"));
    fails(() => writeNPY(spans), "unsupported", 'saveNPZ(path, Object.fromEntries(["d","o"].map((name) => [name, array.column(name)])))');
    const opened = await open(await load("object_records.npy"));
    for (const name of objects.names) {
      const rows = await opened.read({ columns: name, rows: [1] });
      equal([rows.shape, rows.get(0)], [[1, ...rows.shape.slice(1)], (await opened.read({ columns: name })).get(1)], name);
    }
    const again = readNPY(await load("object_records.npy"));
    // `set` takes what `get` returned, and lists as sub-arrays.
    again.set(again.get(0), 1);
    again.set({ ...again.get(0), v: [5, 6] }, 0);
    equal([again.column("v").toNested(), again.column("us").data, again.column("s").data], [[[5, 6], [1, 2]], BigInt64Array.of(moment, moment), ["é", "é"]]);
    fails(() => again.set({ ...again.get(0), c: again.get(0).d }, 0), "invalid-value", 'field "c"');
    const made = NDArray.records({ o: NDArray.from([null, "a"], { dtype: "|O" }), v: [[1, 2], [3, 4]] });
    for (const value of [made, structuredClone(made)]) fails(() => writeNPY(value), value === made ? "unsupported" : "argument", 'Object.fromEntries(["o","v"].map((name) => [name, array.column(name)]))');
    equal(made.column("o").data, [null, "a"]);
  });

  it("lists that contain themselves are errors", () => {
    const list = [];
    list.push(list);
    for (const options of [{}, { dtype: "<f8" }, { dtype: "('<f8', (2,))" }]) fails(() => NDArray.from(list, options), "shape", "contain themselves");
    fails(() => writeNPY([list, 1]), "shape", "64 dimensions");
    let deep = 1;
    for (let i = 0; i < 64; i++) deep = [deep];
    equal(NDArray.from(deep).ndim, 64);
    fails(() => NDArray.from([deep]), "shape", "64 dimensions");
  });

  /** An error of a promise, of this kind and with this text. */
  const rejects = async (work, kind, text) => {
    const error = await work().then(() => undefined, (error) => error);
    return fails(() => { throw error ?? new Error(`no error of ${work}`); }, kind, text);
  };

  it("arguments that are none are errors", async () => {
    for (const work of [() => writeNPY(undefined), () => writeNPY(null), () => NDArray.from(undefined), () => saveNPZ(null, { x: undefined })]) fails(work, "argument", "is not an array");
    for (const version of [[], [1], "1.0", [1, 0, 0], ["1", 0]]) fails(() => writeNPY([1], undefined, version), "argument", "[1, 0]");
    for (const arrays of [null, undefined, [1], Float64Array.of(1), NDArray.from([1])]) fails(() => saveNPZ(null, arrays), "argument", "names");
    fails(() => writeNPY([1], 5), "argument", "5 is not a path");
    fails(() => NDArray.from(["日本"], { dtype: "S9" }), "invalid-value", "latin-1");
    for (const source of [null, undefined, 5]) fails(() => readNPY(source), "unsupported", `${source} is not a source`);
    equal([NDArray.from([null]).dtype, NDArray.from(null, { dtype: "|O" }).get()], ["|O", null]);
    const grid = await open(writeNPY([[1, 2], [3, 4]]));
    const records = await open(await file("nested"));
    for (const rows of [3, [], "1", null, [1, 2, 3]]) await rejects(() => grid.read({ rows }), "argument", "[10, 20]");
    for (const part of [grid, records]) {
      for (const columns of [[0, 1], 1, [], null, [undefined]]) await rejects(() => part.read({ columns }), "argument", "names of fields");
    }
    for (const rows of ["2", 0, 1.5, undefined]) await rejects(() => grid.blocks(rows).next(), "argument", "number of rows");
    await rejects(() => open(null), "unsupported", "null is not a source");
  });

  it("options that do not exist are errors", async () => {
    for (const [options, text] of [["float32", '{ dtype: "float32" }'], [5, "an object of options"], [{ dType: "<f4" }, 'did you mean "dtype"?'], [{ type: "<f4" }, 'did you mean "dtype"?'], [{ zzzzzz: 1 }, "the options are dtype, shape, fortranOrder"], [{ fortranOrder: "C" }, "it is true or false"]]) {
      fails(() => NDArray.from([1], options), "argument", text);
    }
    const grid = await open(writeNPY([[1, 2], [3, 4]]));
    const archive = await open(saveNPZ(null, { a: [1, 2], b: [3] }));
    for (const [options, text] of [[{ row: [0, 1] }, 'did you mean "rows"?'], [[0, 1], "{ rows: [0, 10] }"], [{ dtype: "<f4" }, '{ cast: "<f4" }'], ["x", '{ columns: "x" }'], [{ cast: { type: "<f4" } }, 'did you mean "dtype"?'],
      [{ dtype: "<i4", cast: "numeric" }, 'pass { cast: { dtype: "<i4", cast: "numeric" } }'], [{ cast: "numeric" }, 'pass { cast: { dtype: "<f4", cast: "numeric" } }'],
      [{ cast: { dtype: "checked" } }, 'pass { cast: { dtype: "<f4", cast: "checked" } }'], [{ dtype: "<i4", cast: "<f8" }, 'pass { cast: "<i4" }']]) {
      await rejects(() => grid.read(options), "argument", text);
    }
    await rejects(() => grid.read({ name: "x" }), "argument", "leave out the name");
    const floats = await open(writeNPY([1.5, -2.5]));
    await rejects(() => floats.read({ cast: "<i4" }), "invalid-value", 'pass { cast: { dtype: "<i4", cast: "numeric" } }, which wraps integers, and truncates');
    equal((await floats.read({ cast: { dtype: "<i4", cast: "numeric" } })).data, Int32Array.of(1, -2));
    await rejects(() => grid.blocks(1, { row: [0, 1] }).next(), "argument", "rows");
    await rejects(() => archive.read("a", { row: [0, 1] }), "argument", "rows");
    await rejects(() => archive.read({ nam: "a" }), "argument", '"name"');
    await rejects(() => archive.read([0, 1]), "argument", "{ rows: [0, 10] }");
    await rejects(() => archive.blocks(1, { nam: "a" }).next(), "argument", '"name"');
    equal((await archive.read({ name: "a", rows: [1] })).data, Float64Array.of(2));
    const blocks = [];
    for await (const block of archive.blocks(1, { name: "a" })) blocks.push(...block.data);
    equal(blocks, [1, 2]);
  });

  it("archives are made of objects, and compressed is true or false", () => {
    for (const compressed of [{ compressed: true }, "zstd", 9, "false"]) fails(() => saveNPZ(null, { a: [1] }, compressed), "argument", "true or false");
    fails(() => saveNPZ(null, new Map([["a", [1]]])), "argument", "Object.fromEntries(map)");
    fails(() => saveNPZ(null, new Set([1])), "argument", "names");
    fails(() => saveNPZ(null, Promise.resolve({ a: [1] })), "argument", "await it");
  });

  it("a closed file is not read", async () => {
    const large = Float64Array.from({ length: 100_000 }, (_, i) => Math.sqrt(i));
    for (const bytes of [writeNPY([1, 2]), writeNPY(large), writeNPY(NDArray.from([null, "x"]))]) {
      const opened = await open(bytes);
      await opened.close();
      await opened.close();
      await rejects(() => opened.read(), "io", "the file is closed; open it again");
      await rejects(() => opened.blocks(1).next(), "io", "closed");
    }
    for (const compressed of [false, true]) {
      const archive = await open(saveNPZ(null, { x: large, y: [1] }, compressed));
      const member = await archive.member("x");
      await archive.close();
      await archive.close();
      await rejects(() => member.read(), "io", "closed");
      await rejects(() => archive.read("y"), "io", "closed");
    }
  });

  it("a truncated file says which rows are complete, and its blocks are all of them", async () => {
    const rows = Array.from({ length: 100 }, (_, i) => [i, i + 0.5]);
    const bytes = writeNPY(rows);
    const cut = bytes.subarray(0, 128 + 50 * 16 + 7);
    const error = fails(() => readNPY(cut), "truncated", "expected 1600 bytes of data, found 807; get the whole file, or read the 50 complete rows");
    equal([error.row, error.message.includes("read({ rows: [0, 50] })")], [50, true]);
    const opened = await open(cut);
    equal((await opened.read({ rows: [0, 50] })).toNested(), rows.slice(0, 50));
    equal((await rejects(() => opened.read({ rows: [40, 60] }), "truncated", "50 complete rows")).row, 50);
    for (const n of [1, 7, 30, 50, 1000]) {
      const found = [];
      await rejects(async () => {
        for await (const block of opened.blocks(n)) found.push(...block.toNested());
      }, "truncated", "50 complete rows");
      equal(found, rows.slice(0, 50), `blocks of ${n}`);
    }
    // In Fortran order the last column is cut.
    const fortran = writeNPY(NDArray.from(rows, { fortranOrder: true })).subarray(0, 128 + 800 + 8 * 30 + 3);
    equal(fails(() => readNPY(fortran), "truncated", "30 complete rows").row, 30);
    const found = [];
    await rejects(async () => {
      for await (const block of (await open(fortran)).blocks(8)) found.push(...block.toNested());
    }, "truncated", "30");
    equal(found, rows.slice(0, 30));
  });

  it("what is not an array is refused, and not made an object of Python", () => {
    fails(() => NDArray.from(Promise.resolve([1])), "argument", "await it");
    fails(() => NDArray.from([Promise.resolve(1)]), "argument", "await it");
    for (const bytes of [new ArrayBuffer(8), new DataView(new ArrayBuffer(8))]) {
      fails(() => NDArray.from(bytes), "argument", "pass a typed array");
      fails(() => writeNPY([bytes]), "argument", "pass a typed array");
    }
    for (const values of [new Set([1, 2]), new Map([[1, 2]]).values(), { *[Symbol.iterator]() {} }]) fails(() => NDArray.from(values), "argument", "[...values]");
    for (const [source, advice] of [[new Blob([]), "; read it with open, or pass `await source.arrayBuffer()`"], [new Response(""), "; pass `await source.arrayBuffer()`"]]) fails(() => readNPY(source), "unsupported", advice);
    for (const dtype of ["<U3", "|S3", "[('t', '<U3')]"]) {
      const array = NDArray.from([dtype[0] === "[" ? { t: "a" } : "a"], { dtype });
      const value = dtype[0] === "[" ? { t: "a\0" } : "a\0";
      for (const work of [() => NDArray.from([value], { dtype }), () => array.set(value, 0)]) fails(work, "invalid-value", "trim the NUL");
      (array.data.t ?? array.data)[0] = "a\0";
      fails(() => writeNPY(array), "invalid-value", "trim the NUL");
    }
    fails(() => NDArray.from(new Map([[1, 2]])), "argument", "[...values]");
    fails(() => NDArray.from([1, "a"]), "argument", "number and string");
    // The dtype of the advice holds every value.
    const mixed = { "<i8": [1, 2n ** 60n], "<u8": [1, 2n ** 63n], "|O": [1, 2n ** 64n], "<f8": [1.5, 2n] };
    for (const [dtype, values] of [...Object.entries(mixed), ["|O", [0.5, 2n ** 60n]], ["<f8", [true, 1]], ["<i8", [true, 2n ** 60n]], ["|O", [1, "a"]]]) {
      fails(() => NDArray.from(values), "argument", `pass one kind, or NDArray.from(values, { dtype: "${dtype}" })`);
      equal(NDArray.from(values, { dtype }).toNested().map(String), values.map((value) => String(dtype === "<f8" || value === true ? Number(value) : value)), dtype);
      const records = NDArray.records({ a: NDArray.from(values, { dtype }) });
      equal([fails(() => NDArray.records({ a: values }), "argument", `column "a": `).field, records.size], ["a", 2]);
    }
    for (const [values, dtype] of [[[2n ** 60n], "<i8"], [[2n ** 63n], "<u8"], [[-1n, 2n ** 63n], "|O"], [[2n ** 70n], "|O"]]) equal([NDArray.from(values).dtype, NDArray.from(values).toNested()], [dtype, values]);
    for (const [value, dtype, advice] of [[2n ** 63n, "<i8", "<u8"], [-1n, "<u8", "<i8"], [2n ** 64n, "<u8", "|O"]]) fails(() => NDArray.from([value], { dtype }), "invalid-value", `use the dtype "${advice}"`);
    // NumPy makes objects of these, too.
    for (const values of [[1, null], [null, "a"], [{ x: 1 }, 2]]) equal(NDArray.from(values).dtype, "|O");
  });

  it("null is a value like the others, wherever it is", () => {
    for (const [values, dtype, shape] of [
      [[[null, 1], [2, 3]], "|O", [2, 2]], [[[1, null], [2, 3]], "|O", [2, 2]], [[[null, null]], "|O", [1, 2]], [[null, [1, 2]], "|O", [2]],
      [[[null], [new Date(5)]], "<M8[ms]", [2, 1]], [[null, { x: 1 }], "|O", [2]], [[[null, { x: 1 }]], "|O", [1]],
    ]) {
      const array = NDArray.from(values);
      equal([array.dtype, array.shape], [dtype, shape], shown(values));
      if (dtype === "|O") equal(array.toNested(), values);
    }
    for (const values of [[[null], [1, 2]], [[1, 2], [null]]]) fails(() => NDArray.from(values), "shape", 'NDArray.from(values, { dtype: "|O" })');
  });

  it("halves are rounded once, also in memory", () => {
    // Single precision would be a tie.
    for (const value of [1 + 2 ** -11 + 2 ** -26, 0.1, 65519.99, 2 ** -25 + 2 ** -60]) {
      const [list, typed] = [[value], Float64Array.of(value)].map((values) => NDArray.from(values, { dtype: "<f2" }));
      list.set(value, 0);
      equal([list.get(0), typed.get(0)], [readNPY(writeNPY(typed)).get(0), readNPY(writeNPY(list)).get(0)]);
    }
    equal(NDArray.from([1 + 2 ** -11 + 2 ** -26], { dtype: "<f2" }).get(0), 1 + 2 ** -10);
    // Those of single precision are rounded, and refused if they are too large.
    const single = NDArray.from(Float32Array.of(0.1, 1e10));
    equal(NDArray.from(single.data.slice(0, 1), { dtype: "<f2" }).get(0), 0.0999755859375);
    equal([...single.toTypedArray("<f2", "numeric")], [0.0999755859375, Infinity]);
    for (const work of [() => NDArray.from(single.data, { dtype: "<f2" }), () => single.toTypedArray("<f2")]) equal(fails(work, "invalid-value", "does not fit <f2").row, 1);
    for (const how of ["lossless", "exact"]) fails(() => single.toTypedArray("<f2", how), "mismatch", "<f4");
    fails(() => NDArray.from([1.5], { dtype: "<f2" }).toTypedArray("<f4", "exact"), "mismatch", "<f2");
  });

  it("booleans are made of the bigints 0 and 1, too", () => {
    const array = NDArray.from([1n, 0n, 1, false], { dtype: "|b1" });
    equal([array.toNested(), NDArray.from(NDArray.from([1n, 0n]), { dtype: "|b1" }).data], [[true, false, true, false], Uint8Array.of(1, 0)]);
    for (const value of [2n, "1", [1], null]) fails(() => array.set(value, 0), "invalid-value", "does not fit |b1");
  });

  it("complex numbers have parts of any kind of number", () => {
    const mixed = NDArray.from([{ re: 1n, im: -2n }, 3n, true, 4, { re: 5, im: 6n }]);
    equal([mixed.dtype, mixed.data], ["<c16", Float64Array.of(1, -2, 3, 0, 1, 0, 4, 0, 5, 6)]);
    equal(NDArray.from([{ re: 1n, im: 2 }], { dtype: "<c8" }).get(0), { re: 1, im: 2 });
    fails(() => NDArray.from([{ re: 10n ** 50n, im: 0 }], { dtype: "<c8" }), "invalid-value", "{ re, im }");
    equal(readNPY(writeNPY([{ z: { re: 1n, im: 2n } }, null])).data[0].get("z").text, "(1+2j)");
  });

  it("data of text that are not text are errors", () => {
    for (const dtype of ["<U4", "|S4"]) {
      for (const value of [null, 5, undefined]) {
        const array = NDArray.from(["a", "b"], { dtype });
        array.data[1] = value;
        equal(fails(() => writeNPY(array), "invalid-value", `${value} is not text`).row, 1);
      }
    }
  });

  it("dates of Python have microseconds in arrays of times, too", async () => {
    const dates = readNPY(await load("types.npy")).data.filter((value) => value instanceof Date).slice(0, 2);
    const counts = BigInt64Array.of(1_577_923_200_000_000n, 1_577_934_245_678_901n);
    const made = NDArray.from(dates);
    equal([made.dtype, made.data, NDArray.from(dates, { dtype: "<M8[ns]" }).data], ["<M8[us]", counts, counts.map((n) => n * 1000n)]);
    fails(() => NDArray.from(dates, { dtype: "<M8[ms]" }), "invalid-value", "use a finer unit");
    equal(NDArray.from(dates.map((date) => new Date(date))).dtype, "<M8[ms]");
    // Timestamps of pandas have nanoseconds.
    const [stamp] = readNPY(await load("timestamp.npy")).data;
    const count = 1_577_934_245_678_901_234n;
    equal([NDArray.from([stamp]).dtype, NDArray.from([stamp]).get(0)], ["<M8[ns]", count]);
    fails(() => NDArray.from([stamp], { dtype: "<M8[us]" }), "invalid-value", "use a finer unit");
    fails(() => writeNPY(NDArray.from([stamp], { dtype: "|O" })), "invalid-value", "new Date(value)");
    // Spans of days may be more than 64 bits of microseconds.
    equal(readNPY(await load("spans.npy")).column("d").data, BigInt64Array.of(999_999_999n, -(2n ** 63n)));
  });

  it("lists of arrays are stacked", () => {
    const [a, b] = [NDArray.from(Float32Array.of(1, 2)), NDArray.from(Float32Array.of(3, 4))];
    const stacked = NDArray.from([a, b]);
    equal([stacked.dtype, stacked.toNested()], ["<f4", [[1, 2], [3, 4]]]);
    equal(NDArray.from([[a, b]]).shape, [1, 2, 2]);
    equal(NDArray.from([a, NDArray.from([5, 6])], { dtype: "<i2" }).data, Int16Array.of(1, 2, 5, 6));
    fails(() => NDArray.from([a, NDArray.from([5, 6])]), "argument", "<f4, <f8");
    fails(() => NDArray.from([a, NDArray.from(Float32Array.of(1))]), "shape", "equally long");
    fails(() => NDArray.from([a, 1]), "argument", "arrays alone");
    fails(() => NDArray.from([1, a]), "argument", "arrays alone");
    for (const of of [Int8Array, Uint8Array, Int16Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array]) {
      const part = of.from(of.name.startsWith("Big") ? [1n, 2n] : [1, 2]);
      const stacked = NDArray.from([[part, part], [part, part]]);
      equal([stacked.dtype, stacked.shape, stacked.data.constructor.name], [NDArray.from(part).dtype, [2, 2, 2], of.name]);
    }
    equal(NDArray.from([a, Float32Array.of(5, 6)]).dtype, "<f4");
    equal(NDArray.from([Float32Array.of(1), Uint8Array.of(2)], { dtype: "<f8" }).data, Float64Array.of(1, 2));
    equal(NDArray.from([Float32Array.of(1, 2), [3, 4]]).dtype, "<f8");
    fails(() => NDArray.from([Float32Array.of(1), Uint8Array.of(2)]), "argument", "<f4, |u1; name one");
    for (const list of [[a, Float32Array.of(5, 6)], [Float32Array.of(5, 6), a]]) equal(NDArray.from(list, { dtype: "<i2" }).toNested(), list.map((part) => [...(part.data ?? part)]));
  });

  it("dtypes have the names of NumPy, and misspelled ones have advice", () => {
    const names = { int: "<i8", uint: "<u8", float: "<f8", complex: "<c16", half: "<f2", double: "<f8" };
    for (const [name, dtype] of Object.entries(names)) equal(NDArray.from([1], { dtype: name }).dtype, dtype);
    equal(NDArray.from([1], { dtype: Float32Array }).dtype, "<f4");
    for (const dtype of ["U", "str"]) equal(NDArray.from(["ab", "cde"], { dtype }).dtype, "<U3");
    for (const dtype of ["S", "bytes"]) equal(NDArray.from([["ab"], [""]], { dtype }).dtype, "|S2");
    equal([NDArray.from([""], { dtype: "str" }).dtype, NDArray.from([""], { dtype: "<U0" }).dtype], ["<U1", "<U0"]);
    fails(() => NDArray.from([1], { dtype: "flaot32" }), "dtype", 'did you mean "float32"?');
    fails(() => NDArray.from([1], { dtype: "Float32array" + "s" }), "dtype", 'did you mean "Float32Array"?');
    fails(() => NDArray.from([1], { dtype: Number }), "argument", '"<f4"');
    fails(() => NDArray.from([1], { dtype: 4 }), "argument", "4 is not a dtype");
  });

  it("wrong calls have advice", async () => {
    const grid = NDArray.from([[1, 2], [3, 4]]);
    fails(() => grid.get([0, 1]), "index", "get(0, 1)");
    for (const work of [() => grid.get(0n, 1), () => grid.get(0n), () => grid.set(1, 0n, 1)]) fails(work, "index", "0n is not an index; pass a number: 0");
    fails(() => NDArray.from([1, 2], { shape: [1n, 2] }), "shape", "1n as a length; pass numbers");
    await rejects(async () => (await open(writeNPY(grid))).read({ rows: [0n, 1n] }), "shape", "pass numbers such as [10, 20]");
    equal(NDArray.from(NDArray.from([1n]), { dtype: "<c8" }).get(0), { re: 1, im: 0 });
    for (const index of [null, ":", undefined]) fails(() => grid.get(index, 1), "index", "Array.from({ length: 2 }, (_, row) => array.get(row, 1))");
    fails(() => grid.set([5, 6], 1), "index", "values.forEach((value, i) => array.set(value, 1, i))");
    fails(() => NDArray.records({ x: 1 }), "shape", "a single value; pass a list");
    fails(() => NDArray.from([[1, "a"]], { dtype: "[('x', '<f8'), ('label', '<U1')]" }), "invalid-value", "pass an object of its fields, x, label");
    fails(() => NDArray.from(["2020-01-01"], { dtype: "<M8[ms]" }), "invalid-value", "pass a Date, or a count of the unit");
    fails(() => NDArray.from([1], { dtype: "str" }), "invalid-value", "pass text");
    fails(() => NDArray.from([1], { dtype: "number" }), "dtype", "float64, complex64, complex128, str");
    fails(() => new NDArray([1, 2]), "argument", "NDArray.from(values)");
    fails(() => writeNPY("x.npy", grid), "argument", "writeNPY(array, path)");
    fails(() => saveNPZ({ grid }, "x.npz"), "argument", "saveNPZ(path, arrays)");
    fails(() => grid.column("x"), "missing-field", "not a dtype of records");
    fails(() => NDArray.records([{ x: 1 }]), "argument", "{ x: [1, 2] }");
    fails(() => NDArray.from([1, 2, 3, 4], { shape: 4 }), "argument", "[4]");
    fails(() => NDArray.from([1, 2], { shape: [-1, 2] }), "shape", "(-1, 2)");
    const changed = NDArray.from([1, 2]);
    for (const length of [5, -1, 1.5, 2n]) {
      changed.shape[0] = length;
      for (const work of [() => writeNPY(changed), () => saveNPZ(null, { changed }), () => changed.toTypedArray("<f4")]) fails(work, "shape", "NDArray.from(array, { shape })");
    }
    const fortran = NDArray.from([[1, 2], [3, 4]], { fortranOrder: true });
    fortran.shape[0] = 5;
    fails(() => writeNPY(fortran), "shape", "NDArray.from(array, { shape })");
    const archive = await open(saveNPZ(null, { weights: [1], a: [2] }));
    await rejects(() => archive.read("A"), "missing-member", 'did you mean "a"?');
    await rejects(() => archive.member("nothing"), "missing-member", "there are weights, a");
    fails(() => readNPY(Promise.resolve(writeNPY([1]))), "unsupported", "await it");
    await rejects(() => open(Promise.resolve(writeNPY([1]))), "unsupported", "await it");
    fails(() => readNPY(new Blob([writeNPY([1])])), "unsupported", "arrayBuffer()");
    for (const read of [readNPY, loadNPZ]) {
      fails(() => read("http://localhost/x.npy"), "unsupported", "await open(url)");
      fails(() => read(new URL("https://localhost/x.npy")), "unsupported", "await open(url)");
    }
    await rejects(() => open("ftp://localhost/x.npy"), "unsupported", "ftp:// is not read");
  });

  it("the order of an array is kept by another dtype, and can be named", async () => {
    const array = readNPY(await file("fortran"));
    const kept = NDArray.from(array, { dtype: "<f4" });
    equal([kept.fortranOrder, NDArray.from(array, { dtype: "<f4", fortranOrder: false }).fortranOrder, kept.toNested()], [true, false, array.toNested()]);
    equal((await (await open(await file("fortran"))).read({ cast: "<f4" })).fortranOrder, true);
  });

  it("an error of a source is the cause of an error", async () => {
    const bytes = writeNPY(new Float64Array(100_000));
    const cause = new RangeError("the disk is gone");
    let is_broken = false;
    const read = (offset, length) => {
      if (is_broken) throw cause;
      return bytes.subarray(offset, offset + length);
    };
    const opened = await open({ size: bytes.length, read });
    is_broken = true;
    const error = await opened.read().catch((error) => error);
    equal([error.name, error.kind, error.message, error.cause === cause], ["NpyError", "io", "the disk is gone", true]);
    for (const part of [5, undefined, "text"]) {
      const failed = await open({ size: 100, read: () => part }).catch((error) => error);
      equal([failed.name, failed.kind], ["NpyError", "argument"]);
    }
  });

  it("damaged bytes of an archive have the kind of their damage", async () => {
    const bytes = saveNPZ(null, { x: Float64Array.from({ length: 1000 }, (_, i) => Math.sqrt(i)) }, true);
    const found = new Set();
    for (let i = 30; i < bytes.length - 100; i += 7) {
      const damaged = Uint8Array.from(bytes);
      damaged[i] ^= 0xff;
      for (const read of [() => loadNPZ(damaged), async () => (await open(damaged)).read("x")]) {
        try {
          await read();
        } catch (error) {
          equal(error.name, "NpyError");
          found.add(error.kind);
        }
      }
    }
    equal([found.has("archive"), found.has("io")], [true, false]);
    fails(() => readNPY(bytes), "not-npy", "loadNPZ, or with open");
  });

  it("named casts convert to typed arrays", async () => {
    const array = readNPY(await file("<i8"));
    equal(array.toTypedArray("Float64Array"), Float64Array.of(1, 4, 7, 10, 13, 16));
    equal(array.toTypedArray("Uint8Array", "numeric"), Uint8Array.of(1, 4, 7, 10, 13, 16));
    equal(NDArray.from([300.7]).toTypedArray("Int32Array", "numeric"), Int32Array.of(300));
    fails(() => array.toTypedArray("Float64Array", "lossless"), "mismatch", "<i8");
    equal(readNPY(await file("fortran_3d")).toTypedArray("float32").length, 24);
    equal(NDArray.from([1.5, 2.5], { dtype: "<f2" }).toTypedArray("Float32Array"), Float32Array.of(1.5, 2.5));
  });

  it("an array is indexed from either end, and in part", async () => {
    const array = readNPY(await file("3d"));
    equal([array.get(1, 2, 3), array.get(-1, -1, -1), array.get(1, 0).toNested()], [23n, 23n, [12n, 13n, 14n, 15n]]);
    equal(array.strides, [12, 4, 1]);
  });

  it("a file is opened without its data, and read in parts", async () => {
    const opened = await open(new Blob([await file("nested")]));
    equal([opened.shape, opened.fortranOrder, opened.names], [[2], false, ["id", "head", "samples"]]);
    equal((await opened.read({ rows: [1, 2], columns: ["id", "head.name"] })).toNested(), [{ id: 2, "head.name": "bc" }]);
    equal((await opened.read({ columns: "samples" })).shape, [2, 2, 2]);
    const fortran = await open(await file("fortran_3d"));
    equal((await fortran.read({ rows: [1, 2], cast: "Float32Array" })).data, Float32Array.from({ length: 12 }, (_, i) => i + 12));
    const blocks = [];
    for await (const block of fortran.blocks(1)) blocks.push(...block.toNested());
    equal(blocks, readNPY(await file("fortran_3d")).toNested());
    await fortran.close();
  });

  it("an archive is opened, and its arrays are read in parts", async () => {
    for (const compressed of [false, true]) {
      const x = Float64Array.from({ length: 400_000 }, (_, i) => (i * 7919) % 1000);
      const archive = await open(saveNPZ(null, { x, y: [1, 2], f: readNPY(await file("fortran")) }, compressed));
      equal(archive.names, ["x", "y", "f"]);
      equal((await archive.read("x", { rows: [300_000, 300_003] })).data, x.slice(300_000, 300_003));
      equal((await archive.read({ name: "x", rows: [-2] })).data, x.slice(-2));
      equal((await archive.member("y")).shape, [2]);
      await archive.read("nothing").then(() => equal(true, false), (error) => equal(error.kind, "missing-member"));
    }
    const old = await open(await load("compressed.npz"));
    equal([old.dtype, old.shape], ["<f8", [1000]]);
    equal((await old.read({ rows: [500, 502] })).data, Float64Array.of(500, 501));
  });

  it("memory of the module is not handed out", async () => {
    const first = readNPY(await file(">i4"));
    const before = [...first.data];
    for (let i = 0; i < 5; i++) readNPY(await file("3d"));
    equal([...first.data], before);
    equal(first.data.buffer.byteLength, 24);
  });

  return list;
}
