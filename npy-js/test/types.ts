// The types of the package: this file is compiled with `--strict`, and not run.
import { Call, type DType, loadNPZ, memmap, NDArray, NPY_MAGIC, NpyError, NpyFile, NpzFile, open, parsePythonDict, type PythonObject, readNPY, saveNPZ, writeNPY } from "npy-core";

const magic: Uint8Array = NPY_MAGIC;
const array: NDArray = readNPY(magic);
const shape: number[] = array.shape;
const strides: number[] = array.strides;
const dtype: string = array.dtype;
const type: DType = array.type;
const isFortran: boolean = NDArray.from([[1]], { fortranOrder: true }).fortranOrder;
const bytes: Uint8Array = writeNPY(array, undefined, [1, 0]);
const archive: Record<string, NDArray> = loadNPZ(saveNPZ(null, { a: array, b: [1, 2] }, true));
const records: NDArray = NDArray.records({ x: Float32Array.of(1), y: ["a"] });
const map = memmap("x.npy", "r+");
map.flush();
map.close();

export async function parts(): Promise<number> {
  const file: NpyFile | NpzFile = await open({ size: 10, read: (offset, length) => bytes.subarray(offset, offset + length) });
  const rows: NDArray = await file.read({ rows: [0, 10], columns: ["x"], cast: "<f4" });
  for await (const block of file.blocks(100)) rows.set(block.size, 0);
  await file.close();
  return rows.size;
}

export function kind(error: unknown): string | undefined {
  return error instanceof NpyError ? `${error.kind} ${error.path} ${error.field} ${error.row}` : undefined;
}

interface Model {
  weights: Float32Array;
  epochs: number;
}
const model: Model = { weights: Float32Array.of(1), epochs: 2 };
const floats: Float32Array = array.toTypedArray("<f4");
const counts: BigInt64Array = array.toTypedArray("BigInt64Array", "numeric");
saveNPZ(null, model);

// Objects as a program takes them apart.
const objects: PythonObject[] = readNPY("objects.npy").data;
const sizes = objects.map((value) => {
  if (value === null || typeof value !== "object") return 1;
  if (value instanceof Map) return value.get("samples") === null ? 0 : value.size;
  return value instanceof Call ? 0 : Array.isArray(value) || value instanceof Uint8Array ? value.length : 1;
});
writeNPY(NDArray.from([{ name: "a", pair: [1, 2n] }, null, ...objects], { dtype: "|O" }));

const named: PythonObject[] = objects.map((value) => (value instanceof Call ? value.arguments?.[0] ?? value.text : value));
// @ts-expect-error: the arguments of a call have the types of objects.
const first: string = new Map([["call", objects[0] as Call]]).get("call")!.arguments;

// @ts-expect-error: a number is no source.
readNPY(5);

void [named, first, sizes, floats, counts, isFortran, shape, strides, dtype, type, archive, records, parsePythonDict("{}")];
