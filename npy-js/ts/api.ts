// The names of the package.
export { NDArray } from "./array.js";
export type { Data, FromOptions, Nested } from "./array.js";
export type { Cast } from "./cast.js";
export type { DType, Field, TypedArray, TypedArrayOf } from "./dtype.js";
export { NpyError } from "./error.js";
export { parsePythonDict } from "./literal.js";
export { type MapOptions, memmap, type MappedArray, type Mode } from "./memmap.js";
export { Call, type PythonObject } from "./objects.js";
export { NpyFile, NpzFile, open, type Conversion, type ReadOptions } from "./open.js";
export { loadNPZ, readNPY } from "./read.js";
export type { BlobLike, FileURL, RangeSource, Source } from "./source.js";
export { type ArrayLike, saveNPZ, writeNPY } from "./write.js";

/** The first bytes of a `.npy` file. */
export const NPY_MAGIC: Uint8Array = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59);
