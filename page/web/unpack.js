// Unpacks LZMA, which makes the module a fifth smaller than the formats that browsers know. `cargo xtask page` packs it, without positions
// in the contexts of probabilities (lc = 3, lp = 0, pb = 0), and without a header.
"use strict";
function unpack(input, size) {
  const out = new Uint8Array(size);
  let used = 0;
  const probabilities = (count) => new Uint16Array(count).fill(1024);
  const [isMatch, isRep, isRep0, isRep1, isRep2, isLong] = Array.from({ length: 6 }, () => probabilities(12));
  const literals = probabilities(8 * 0x300);
  const slots = probabilities(4 * 64);
  const distances = probabilities(115);
  const align = probabilities(16);
  const lengths = () => ({ choice: probabilities(2), low: probabilities(8), middle: probabilities(8), high: probabilities(256) });
  const [matchLengths, repLengths] = [lengths(), lengths()];

  // The range decoder. Its first byte is always 0.
  let at = 1;
  let range = 0xffffffff;
  let code = 0;
  for (let i = 0; i < 4; i++) code = ((code << 8) | input[at++]) >>> 0;
  const refill = () => {
    if (range < 0x1000000) {
      range = (range << 8) >>> 0;
      code = ((code << 8) | input[at++]) >>> 0;
    }
  };
  const bit = (model, i) => {
    const bound = (range >>> 11) * model[i];
    const value = code < bound ? 0 : 1;
    if (value) {
      range -= bound;
      code -= bound;
      model[i] -= model[i] >> 5;
    } else {
      range = bound;
      model[i] += (2048 - model[i]) >> 5;
    }
    refill();
    return value;
  };
  const tree = (model, base, count) => {
    let node = 1;
    for (let i = 0; i < count; i++) node = (node << 1) | bit(model, base + node);
    return node - (1 << count);
  };
  const reversed = (model, base, count) => {
    let node = 1;
    let value = 0;
    for (let i = 0; i < count; i++) {
      const next = bit(model, base + node);
      node = (node << 1) | next;
      value |= next << i;
    }
    return value;
  };
  const direct = (count) => {
    let value = 0;
    for (let i = 0; i < count; i++) {
      range >>>= 1;
      const next = code >= range ? 1 : 0;
      if (next) code -= range;
      value = (value << 1) | next;
      refill();
    }
    return value;
  };
  const length = ({ choice, low, middle, high }) => {
    if (!bit(choice, 0)) return 2 + tree(low, 0, 3);
    return bit(choice, 1) ? 18 + tree(high, 0, 8) : 10 + tree(middle, 0, 3);
  };
  const distance = (count) => {
    const slot = tree(slots, Math.min(count - 2, 3) * 64, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) << bits;
    if (slot < 14) return base + reversed(distances, base - slot, bits);
    return base + (direct(bits - 4) << 4) + reversed(align, 0, 4);
  };

  let state = 0;
  let recent = [0, 0, 0, 0];
  while (used < size) {
    if (!bit(isMatch, state)) {
      const base = 0x300 * (used ? out[used - 1] >> 5 : 0);
      let symbol = 1;
      if (state >= 7) {
        let match = out[used - recent[0] - 1];
        while (symbol < 0x100) {
          const expected = (match >> 7) & 1;
          match <<= 1;
          const found = bit(literals, base + ((1 + expected) << 8) + symbol);
          symbol = (symbol << 1) | found;
          if (found !== expected) break;
        }
      }
      while (symbol < 0x100) symbol = (symbol << 1) | bit(literals, base + symbol);
      out[used++] = symbol;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let count;
    if (!bit(isRep, state)) {
      count = length(matchLengths);
      recent = [distance(count), recent[0], recent[1], recent[2]];
      state = state < 7 ? 7 : 10;
    } else {
      let index = 0;
      let isSingle = false;
      if (bit(isRep0, state)) index = bit(isRep1, state) ? 2 + bit(isRep2, state) : 1;
      else isSingle = !bit(isLong, state);
      recent.unshift(...recent.splice(index, 1));
      count = isSingle ? 1 : length(repLengths);
      if (isSingle) state = state < 7 ? 9 : 11;
      else state = state < 7 ? 8 : 11;
    }
    for (let from = used - recent[0] - 1; count > 0 && used < size; count--) out[used++] = out[from++];
  }
  return out;
}
