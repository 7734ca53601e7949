// The packed file in an empty folder: it installs, its types hold, and the module is written to a file.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "npy-js-package-"));
after(() => rmSync(folder, { recursive: true }));
const here = (path) => new URL(path, import.meta.url).pathname;
const run = (command, ...args) => execFileSync(command, args, { cwd: folder, encoding: "utf8" });
const packed = process.env.NPY_PACKAGE;

test("the package has at most 200,000 bytes, and no dependency", { skip: !packed }, () => {
  assert.ok(statSync(packed).size <= 200_000, `${statSync(packed).size} bytes`);
  const { dependencies } = JSON.parse(readFileSync(here("../package.json")));
  assert.equal(dependencies, undefined);
});

test("the package is installed in an empty folder, and its first example runs", { skip: !packed }, () => {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  run("npm", "install", "--offline", "--silent", packed);
  const [, code] = /```ts\n([^]*?)```/.exec(readFileSync(here("../README.md"), "utf8"));
  writeFileSync(join(folder, "first.mjs"), `${code}\nconsole.log(array.shape.join());`);
  assert.equal(run("node", "first.mjs"), "2,3\n");
});

test("an error that nothing catches is shown with a short line of the package", { skip: !packed }, () => {
  writeFileSync(join(folder, "fails.mjs"), 'import { readNPY } from "npy-core";\nreadNPY("nothing.npy");\n');
  const { stderr } = spawnSync("node", ["fails.mjs"], { cwd: folder, encoding: "utf8" });
  assert.match(stderr, /NpyError: nothing.npy: there is no such file/);
  assert.ok(stderr.length < 4000 && stderr.split("\n").every((line) => line.length < 400), stderr);
});

test("its types are accepted by tsc --strict", { skip: !packed }, () => {
  copyFileSync(here("types.ts"), join(folder, "types.ts"));
  for (const [name, page] of [["readme.ts", "../README.md"], ["first.ts", "../../docs/start/typescript.md"]]) {
    const blocks = [...readFileSync(here(page), "utf8").matchAll(/```ts\n([^]*?)```/g)].map((found) => found[1]);
    writeFileSync(join(folder, name), blocks.join("\n"));
  }
  const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom", "--types", ""];
  run(here("../node_modules/.bin/tsc"), ...options, "types.ts", "readme.ts", "first.ts");
});

test("its types are exact, but for values whose type the dtype decides", () => {
  const lines = readdirSync(here("../dist")).filter((name) => name.endsWith(".d.ts")).flatMap((name) => readFileSync(here(`../dist/${name}`), "utf8").split("\n"));
  const found = lines.map((line) => /^(?! *\/?\*).*\bany\b/.exec(line)?.[0]).filter((line) => line !== undefined);
  const names = found.map((line) => /(\w+)( =|\()/.exec(line)[1]);
  // Members and columns may be the fields of an interface, which `unknown` would refuse.
  assert.deepEqual(names.sort(), ["Data", "get", "parsePythonDict", "records", "saveNPZ", "toNested"], found.join("\n"));
});

test("its types need neither those of browsers nor those of Node", { skip: !packed }, () => {
  copyFileSync(here("types.ts"), join(folder, "types.ts"));
  const options = ["--strict", "--noEmit", "--skipLibCheck", "false", "--module", "nodenext", "--target", "es2022", "--lib", "es2022", "--types", ""];
  run(here("../node_modules/.bin/tsc"), ...options, "types.ts");
});

test("the module is written to a file, and used as one", { skip: !packed }, () => {
  run("node", "node_modules/npy-core/dist/command.js", "wasm", "npy_core.wasm");
  writeFileSync(
    join(folder, "file.mjs"),
    `import { readFileSync } from "node:fs";
     import { useModule, writeNPY, readNPY } from "npy-core/file";
     useModule(new WebAssembly.Module(readFileSync("npy_core.wasm")));
     console.log(readNPY(writeNPY([5])).get(0));`,
  );
  assert.equal(run("node", "file.mjs"), "5\n");
});

test("a path that cannot be written is a message", { skip: !packed }, () => {
  const { status, stderr } = spawnSync("node", ["node_modules/npy-core/dist/command.js", "wasm", "none/x.wasm"], { cwd: folder, encoding: "utf8" });
  assert.deepEqual([status, stderr.split("\n").length, stderr.startsWith("npy-core: ENOENT")], [1, 2, true], stderr);
});

test("the example of a server answers rows", { skip: !packed }, () => {
  mkdirSync(join(folder, "examples"));
  cpSync(here("../examples"), join(folder, "examples"), { recursive: true });
  writeFileSync(
    join(folder, "ask.mjs"),
    `import { spawn } from "node:child_process";
     import { writeNPY } from "npy-core";
     writeNPY([[1, 2], [3, 4], [5, 6]], "rows.npy");
     const server = spawn("node", ["examples/server.mjs", "rows.npy"]);
     server.stdout.once("data", async (url) => {
       console.log(await (await fetch(String(url).trim() + "/?from=1&to=3")).text());
       server.kill();
     });`,
  );
  assert.equal(run("node", "ask.mjs"), "[[3,4],[5,6]]\n");
});

test("the examples of tensors pass what onnxruntime-web and TensorFlow.js take", { skip: !packed }, () => {
  // The packages have 100 MB and more, so these have only the names that the examples use, and the checks of their data.
  const stub = (name, code) => {
    mkdirSync(join(folder, "node_modules", name), { recursive: true });
    writeFileSync(join(folder, "node_modules", name, "package.json"), JSON.stringify({ name, type: "module", exports: "./index.js" }));
    writeFileSync(join(folder, "node_modules", name, "index.js"), code);
  };
  stub(
    "onnxruntime-web",
    `const CLASSES = { float32: Float32Array, float64: Float64Array, int64: BigInt64Array, bool: Uint8Array, int16: Int16Array };
     export class Tensor {
       constructor(type, data, dims) {
         if (!(data instanceof CLASSES[type])) throw new TypeError(type);
         Object.assign(this, { type, data, dims });
       }
     }`,
  );
  stub(
    "@tensorflow/tfjs",
    `const CLASSES = { float32: Float32Array, int32: Int32Array, bool: Uint8Array };
     export function tensor(values, shape, dtype) {
       if (!(values instanceof CLASSES[dtype])) throw new TypeError(dtype);
       return { values, shape, dtype };
     }`,
  );
  cpSync(here("../examples"), join(folder, "examples"), { recursive: true });
  writeFileSync(
    join(folder, "tensors.mjs"),
    `import { NDArray, writeNPY } from "npy-core";
     import * as onnx from "./examples/onnx.mjs";
     import * as tfjs from "./examples/tfjs.mjs";
     for (const dtype of ["<f4", ">f8", "<i8", "|b1", "<i2", "<f2"]) {
       writeNPY(NDArray.from([[0, 1], [1, 0], [1, 1]], { dtype }), "t.npy");
       const [a, b] = [await onnx.tensor("t.npy", [1, 3]), await tfjs.tensor("t.npy", [1, 3])];
       console.log(a.type, a.dims.join(), a.data.join(), b.dtype, b.shape.join(), b.values.join());
     }
     writeNPY(["text"], "t.npy");
     for (const { tensor } of [onnx, tfjs]) await tensor("t.npy").catch((error) => console.log(error.message.split(";")[0]));`,
  );
  const rows = ["float32", "float64", "int64", "bool", "int16", "float32"].map((type, i) => `${type} 2,2 1,0,1,1 ${["float32", "float32", "int32", "bool", "int32", "float32"][i]} 2,2 1,0,1,1\n`);
  assert.equal(run("node", "tensors.mjs"), `${rows.join("")}onnxruntime-web has no tensor of <U4\nTensorFlow.js has no tensor of <U4\n`);
});
