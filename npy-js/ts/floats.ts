// Halves and long doubles, which a DataView does not read.

const view = new DataView(new ArrayBuffer(16));

/** Returns the value of the bits of a half. */
export function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent ? sign * 2 ** (exponent - 15) * (1 + fraction / 1024) : sign * fraction * 2 ** -24;
}

/** Returns the bits of the nearest half, ties to even. */
export function toHalf(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size >= 65520) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | toEven(size * 2 ** 24);
  view.setFloat64(0, size);
  const exponent = (view.getUint16(0) >> 4) - 1023;
  // A fraction that is rounded up to one is carried into the exponent.
  return sign | (((exponent + 15) << 10) + toEven((size / 2 ** exponent - 1) * 1024));
}

function toEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}

const LAST = 1n << 63n;

/** Returns the double that is nearest to a long double of x86: 64 bits of significand, and 16 of sign and exponent. */
export function fromLongDouble(bytes: DataView, at: number, size: number, is_big: boolean): number {
  const significand = is_big ? bytes.getBigUint64(at + size - 8) : bytes.getBigUint64(at, true);
  const high = is_big ? bytes.getUint16(at + size - 10) : bytes.getUint16(at + 8, true);
  const sign = high & 0x8000 ? -1 : 1;
  const exponent = high & 0x7fff;
  if (exponent === 0x7fff) return significand === LAST ? sign * Infinity : NaN;
  if (significand === 0n) return sign * 0;
  const power = exponent - 16383 - 63;
  // Each step stays within the range of a double as long as the result does.
  const half = Math.trunc(power / 2);
  return sign * Number(significand) * 2 ** half * 2 ** (power - half);
}

/** Writes a double as a long double of x86. The bytes after it are zeros. */
export function toLongDouble(value: number, bytes: DataView, at: number, size: number, is_big: boolean): void {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const sign = Number(bits >> 63n) << 15;
  let exponent = Number((bits >> 52n) & 0x7ffn);
  let significand = (bits & ((1n << 52n) - 1n)) << 11n;
  if (exponent === 0x7ff) [exponent, significand] = [0x7fff, significand | LAST];
  else if (exponent > 0) [exponent, significand] = [exponent - 1023 + 16383, significand | LAST];
  else if (significand > 0n) {
    exponent = 1 - 1023 + 16383;
    for (; !(significand & LAST); significand <<= 1n) exponent -= 1;
  }
  for (let i = 0; i < size; i++) bytes.setUint8(at + i, 0);
  bytes.setBigUint64(is_big ? at + size - 8 : at, significand, !is_big);
  bytes.setUint16(is_big ? at + size - 10 : at + 8, sign | exponent, !is_big);
}
