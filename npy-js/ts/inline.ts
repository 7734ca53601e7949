// The module inside of the script, packed.
import { packed, size, unpack } from "./packed.js";

/** Returns the bytes of the module. */
export function moduleBytes(): Uint8Array<ArrayBuffer> {
  return unpack(Uint8Array.from(atob(packed), (digit) => digit.charCodeAt(0)), size);
}
