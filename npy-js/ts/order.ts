// Fortran order in files that are written.
import type { NDArray } from "./array.js";
import { NpyError } from "./error.js";

/** The data begin at a multiple of this. */
const ALIGNMENT = 64;
/** The digits that the growing dimension has space for, which is the last one in Fortran order. */
const GROWTH_DIGITS = 21;
const MAGIC_BYTES = 6;

/** True if NumPy would write the array in Fortran order: only one that is not in C order too. */
export function isFortran({ fortranOrder, shape }: NDArray): boolean {
  return fortranOrder && !shape.includes(0) && shape.filter((n) => n > 1).length > 1;
}

/** Returns the start of a file in C order as that of one in Fortran order. `is_chosen` means that the program named the version. */
export function fortranStart(start: Uint8Array, shape: readonly number[], is_chosen: boolean): Uint8Array {
  const major = start[MAGIC_BYTES]!;
  // Each byte is a character here, whatever the text is: only ASCII is changed. A field may be named like the key, which comes after it.
  const text = [...start.subarray(MAGIC_BYTES + 2 + lengthBytes(major))].map((byte) => String.fromCharCode(byte)).join("").trimEnd();
  const at = text.lastIndexOf("False");
  const literal = `${text.slice(0, at)}True${text.slice(at + 5)}`;
  const padded = literal + " ".repeat(Math.max(GROWTH_DIGITS - String(shape.at(-1)).length, 0));
  for (const version of is_chosen || major === 3 ? [major] : [1, 2]) {
    const prefix = MAGIC_BYTES + 2 + lengthBytes(version);
    const length = padded.length + 1 + (ALIGNMENT - ((prefix + padded.length + 1) % ALIGNMENT));
    if (version === 1 && length > 0xffff) continue;
    return assembled(start, version, prefix, length, padded);
  }
  throw new NpyError("header", "the header is too long for version 1.0; use version [2, 0]");
}

const lengthBytes = (major: number): number => (major === 1 ? 2 : 4);

function assembled(start: Uint8Array, version: number, prefix: number, length: number, text: string): Uint8Array {
  const bytes = new Uint8Array(prefix + length).fill(0x20);
  bytes.set(start.subarray(0, MAGIC_BYTES));
  bytes.set([version, 0], MAGIC_BYTES);
  for (let i = MAGIC_BYTES + 2; i < prefix; i++) bytes[i] = (length / 256 ** (i - MAGIC_BYTES - 2)) & 255;
  for (let i = 0; i < text.length; i++) bytes[prefix + i] = text.charCodeAt(i);
  bytes[bytes.length - 1] = 0x0a;
  return bytes;
}
