//! Arithmetic whose results cannot overflow, because the numbers were checked before. If that check is missing, this is a mistake of ours,
//! and every build panics: a wrong number would be worse.

// The one place where a mistake of ours becomes a panic.
#![expect(clippy::panic)]

/// A size, or a position in a file.
pub(crate) trait Number: Sized {
    fn plus(self, other: Self) -> Option<Self>;
    fn minus(self, other: Self) -> Option<Self>;
    fn times(self, other: Self) -> Option<Self>;
}

macro_rules! number {
    ($($type:ty),*) => {$(
        impl Number for $type {
            fn plus(self, other: Self) -> Option<Self> {
                self.checked_add(other)
            }

            fn minus(self, other: Self) -> Option<Self> {
                self.checked_sub(other)
            }

            fn times(self, other: Self) -> Option<Self> {
                self.checked_mul(other)
            }
        }
    )*};
}

number!(usize, u64);

/// Returns `a + b`.
#[track_caller]
pub(crate) fn add<N: Number>(a: N, b: N) -> N {
    a.plus(b).unwrap_or_else(|| overflows())
}

/// Returns `a * b`.
#[track_caller]
pub(crate) fn mul<N: Number>(a: N, b: N) -> N {
    a.times(b).unwrap_or_else(|| overflows())
}

/// Returns `a - b`.
#[track_caller]
pub(crate) fn sub<N: Number>(a: N, b: N) -> N {
    a.minus(b).unwrap_or_else(|| panic!("a size that was checked is negative"))
}

#[cold]
#[track_caller]
fn overflows() -> ! {
    panic!("a size that was checked overflows")
}
