// CRC-32, the checksum of the members of archives.

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** The checksum of bytes that arrive in their order. */
export class Checksum {
  #rest = -1;

  add(bytes: Uint8Array): void {
    let rest = this.#rest;
    for (let i = 0; i < bytes.length; i++) rest = TABLE[(rest ^ bytes[i]!) & 255]! ^ (rest >>> 8);
    this.#rest = rest;
  }

  get value(): number {
    return ~this.#rest >>> 0;
  }
}
