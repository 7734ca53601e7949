//! Ranges of Python, which are equal if their integers are.

use npy_core::ObjectRef;
use npy_core::object::Kind;

use super::class_names;

/// The integers of a range.
#[derive(Clone, Copy, Debug, Hash, PartialEq)]
pub(super) enum Integers {
    None,
    One(i128),
    Many { first: i128, last: i128, step: i128 },
}

impl Integers {
    /// Returns the integers of a range; `None` for other objects, and for numbers of more than 128 bits.
    pub(super) fn of(object: ObjectRef<'_>) -> Option<Self> {
        let is_range = match object.kind() {
            Kind::Range => true,
            // With more than 64 bits.
            Kind::Object => class_names::common(&object.name()?) == "builtins.range",
            _ => false,
        };
        if !is_range {
            return None;
        }
        // Objects may share a long tuple.
        let arguments = object.arguments()?.iter().take(4);
        let integers: Vec<i128> = arguments.map(ObjectRef::as_i128).collect::<Option<_>>()?;
        let [first, end, step] = integers[..] else { return None };
        Integers::between(first, end, step)
    }

    fn between(first: i128, end: i128, step: i128) -> Option<Self> {
        let is_empty = match step.signum() {
            0 => return None,
            1 => end <= first,
            _ => end >= first,
        };
        if is_empty {
            return Some(Integers::None);
        }
        // The distance may have all 128 bits, and the last integer is between the first and the end.
        let (distance, length) = (end.abs_diff(first), step.unsigned_abs());
        let rest = (distance - 1) % length;
        let last = match step > 0 {
            true => end.checked_sub_unsigned(rest + 1)?,
            false => end.checked_add_unsigned(rest + 1)?,
        };
        Some(match last == first {
            true => Integers::One(first),
            false => Integers::Many { first, last, step },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Integers;

    #[test]
    fn ranges_are_equal_if_their_integers_are() {
        let of = |[first, end, step]: [i128; 3]| Integers::between(first, end, step);
        for (one, other) in [
            ([0, 3, 2], [0, 4, 2]),
            ([5, 5, 1], [0, -1, 7]),
            ([7, 8, 1], [7, 0, -9]),
            ([3, 0, -2], [3, -1, -2]),
            ([i128::MIN, -1, i128::MAX], [i128::MIN, -2, i128::MAX]),
            // Distances that are, or exceed, the limit of `i128`.
            ([0, i128::MIN, -1], [0, i128::MIN, -1]),
            ([0, i128::MIN, -2], [0, i128::MIN + 1, -2]),
            ([i128::MIN, i128::MAX - 1, i128::MAX], [i128::MIN, 0, i128::MAX]),
            ([i128::MAX, i128::MIN, i128::MIN], [i128::MAX, -2, i128::MIN]),
        ] {
            assert_eq!(of(one), of(other), "{one:?} {other:?}");
            assert!(of(one).is_some(), "{one:?}");
        }
        for (one, other) in [
            ([0, 3, 2], [0, 5, 2]),
            ([0, 3, 1], [0, 3, 2]),
            ([0, 1, 1], [1, 2, 1]),
            ([0, i128::MIN, -1], [0, i128::MIN + 1, -1]),
        ] {
            assert_ne!(of(one), of(other), "{one:?} {other:?}");
        }
        assert_eq!(of([0, 1, 0]), None);
    }
}
