//! Slightly changed inputs, for tests that must be fast and the same in every run.

/// Random numbers that are the same for the same seed.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns any byte.
    pub fn byte(&mut self) -> u8 {
        self.next().to_be_bytes()[0]
    }

    /// Returns a number below `n`; zero if `n` is zero.
    pub fn below(&mut self, n: usize) -> usize {
        let n = u64::try_from(n).unwrap_or(u64::MAX).max(1);
        usize::try_from((self.next() >> 11) % n).unwrap_or(0)
    }
}

/// Byte strings with a meaning in a header or an archive, and the extreme numbers of some types.
const SCRAPS: [&[u8]; 27] = [
    b"(",
    b")",
    b"[",
    b"]",
    b"{",
    b"}",
    b"'",
    b"\"",
    b",",
    b"\\",
    b"#",
    b"-",
    b"0",
    b"9223372036854775807",
    b"18446744073709551615",
    b"4294967296",
    b"'|V0'",
    b"('x', '<f4')",
    b"(2,)",
    b"\xff\xff\xff\xff",
    b"\0\0\0\0",
    b"\xed\xa0\x80",
    b">M8[7D]",
    b"True",
    b"PK\x01\x02",
    b"PK\x05\x06",
    b"PK\x06\x06",
];

/// Changes the input at a few positions.
pub fn mutate(input: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = random.below(input.len() + 1);
        let end = (at + random.below(12)).min(input.len());
        match random.below(6) {
            0 => input.truncate(at),
            1 => drop(input.drain(at..end)),
            2 => {
                let again = input[at..end].to_vec();
                input.splice(at..at, again);
            }
            3 => drop(input.splice(at..end, SCRAPS[random.below(SCRAPS.len())].iter().copied())),
            4 => drop(input.splice(at..at, [random.byte()])),
            _ => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
}
