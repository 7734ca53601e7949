//! Decisions made from the bytes of a fuzzer.

/// Bytes that decide. After their end, every choice is the first one.
#[derive(Debug)]
pub(super) struct Choices<'a>(pub(super) &'a [u8]);

impl<'a> Choices<'a> {
    pub(super) fn byte(&mut self) -> u8 {
        self.0.split_off_first().copied().unwrap_or(0)
    }

    /// Returns a number below `n`, which is small.
    pub(super) fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    pub(super) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Returns `n` bytes; zeros after the end.
    pub(super) fn bytes(&mut self, n: usize) -> Vec<u8> {
        let (now, rest) = self.0.split_at(n.min(self.0.len()));
        self.0 = rest;
        let mut bytes = now.to_vec();
        bytes.resize(n, 0);
        bytes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the remaining bytes.
    pub(super) fn rest(self) -> &'a [u8] {
        self.0
    }
}
