// Rows of an array as a tensor of TensorFlow.js, which has float32, int32 and bool: `await tensor("images.npy", [0, 32])`. Only those rows are fetched.
import { tensor as make } from "@tensorflow/tfjs";
import { open } from "npy-core";

const CASTS = { b: [undefined, "bool"], i: ["Int32Array", "int32"], u: ["Int32Array", "int32"], f: ["Float32Array", "float32"] };

export async function tensor(source, rows) {
  const file = await open(source);
  try {
    const found = CASTS[file.dtype[1]];
    if (file.names.length || found === undefined) throw new TypeError(`TensorFlow.js has no tensor of ${file.dtype}; pass the rows of a numeric array`);
    // An integer that does not fit is an error; a float is rounded.
    const [cast, type] = found;
    const { data, shape } = await file.read({ rows, ...(cast ? { cast } : {}) });
    return make(data, shape, type);
  } finally {
    await file.close();
  }
}
