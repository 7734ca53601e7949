// Rows of an array as a tensor of onnxruntime-web: `await tensor("model/inputs.npy", [0, 32])`. Only those rows are fetched.
import { open } from "npy-core";
import { Tensor } from "onnxruntime-web";

const TYPES = {
  b1: "bool", i1: "int8", i2: "int16", i4: "int32", i8: "int64", u1: "uint8", u2: "uint16", u4: "uint32", u8: "uint64", f4: "float32", f8: "float64",
};

export async function tensor(source, rows) {
  const file = await open(source);
  try {
    // Halves become float32: not every browser has their typed array.
    const cast = file.dtype.endsWith("f2") ? { cast: "Float32Array" } : {};
    const { data, dtype, shape } = await file.read({ rows, ...cast });
    const type = TYPES[dtype.slice(1)];
    if (type === undefined) throw new TypeError(`onnxruntime-web has no tensor of ${dtype}; read the array with a cast, such as "Float32Array"`);
    return new Tensor(type, data, shape);
  } finally {
    await file.close();
  }
}
