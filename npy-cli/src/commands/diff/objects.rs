//! Python objects of two files, compared part by part.
//!
//! Their texts do not decide, because those of long objects are shortened. The walk does not recurse, and ends for objects that contain themselves:
//! two containers that were found equal, if their parts are, are not compared again.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::mem::discriminant;

use npy_core::object::Kind;
use npy_core::{DynArray, ObjectRef};

use super::{Number, Tolerance, difference};
use crate::text::numpy_time;

/// The most keys that are put in order by their texts, which take long to make. Text and numbers are always put in order.
const MAX_PRINTED_KEYS: usize = 1000;

/// The tolerance of parts: none.
fn exact(tolerance: Tolerance) -> Tolerance {
    Tolerance { rtol: 0.0, atol: 0.0, ..tolerance }
}

/// Returns true if two objects are equal. Numbers are, whatever their types, and dicts and sets in any order.
pub(super) fn are_equal(a: ObjectRef<'_>, b: ObjectRef<'_>, tolerance: Tolerance) -> bool {
    let mut walk =
        Walk { tolerance: exact(tolerance), classes: Classes::default(), pairs: vec![(a, b)] };
    while let Some((a, b)) = walk.pairs.pop() {
        if !walk.compare(a, b) {
            return false;
        }
    }
    true
}

/// Keys with their values.
type Entries<'a> = Vec<(ObjectRef<'a>, ObjectRef<'a>)>;

struct Walk<'a, 'b> {
    tolerance: Tolerance,
    classes: Classes,
    /// Parts that are still to be compared.
    pairs: Vec<(ObjectRef<'a>, ObjectRef<'b>)>,
}

impl<'a, 'b> Walk<'a, 'b> {
    /// Compares two objects except for their parts, which are compared later.
    fn compare(&mut self, a: ObjectRef<'a>, b: ObjectRef<'b>) -> bool {
        let [kind, other] = [a.kind(), b.kind()];
        if let (Some(a), Some(b)) = (Number::of_object(a), Number::of_object(b)) {
            return a.difference(b, self.tolerance).is_none();
        }
        if let (Some(a), Some(b)) = (a.as_str(), b.as_str()) {
            return a == b;
        }
        if let (Some(a), Some(b)) = (a.code_points(), b.code_points()) {
            return a == b;
        }
        let is_changeable = [kind, other].map(|kind| kind == Kind::ByteArray);
        if let (Some(a), Some(b)) = (a.as_bytes(), b.as_bytes()) {
            return a == b && is_changeable[0] == is_changeable[1];
        }
        if a.is_missing() && b.is_missing() {
            let is_nan = kind != Kind::None;
            return is_same_text(a, b) && !(is_nan && self.tolerance.nan_differs);
        }
        if kind != other {
            return false;
        }
        match kind {
            Kind::List | Kind::Tuple | Kind::Set | Kind::FrozenSet | Kind::Dict | Kind::Record => {
                self.containers(a, b)
            }
            Kind::Array => self.arrays(a, b),
            Kind::Scalar => is_same_scalar(a, b),
            Kind::DType => matches!((a.as_dtype(), b.as_dtype()), (Ok(a), Ok(b)) if a == b),
            Kind::Object | Kind::Global => self.calls(a, b),
            _ => is_same_text(a, b),
        }
    }

    /// Returns true if the two have been compared, or are being compared.
    fn is_known(&mut self, a: ObjectRef<'_>, b: ObjectRef<'_>) -> bool {
        let [a, b] = [a, b].map(|object| object.object().id() as usize);
        !self.classes.join(2 * a, 2 * b + 1)
    }

    fn containers(&mut self, a: ObjectRef<'a>, b: ObjectRef<'b>) -> bool {
        if self.is_known(a, b) {
            return true;
        }
        match a.kind() {
            Kind::Record => self.entries(a.entries().collect(), b.entries().collect()),
            Kind::Dict => {
                let ours: Entries<'a> = in_order(a.entries().collect(), |entry| entry.0);
                self.entries(ours, in_order(b.entries().collect(), |entry| entry.0))
            }
            Kind::Set | Kind::FrozenSet => {
                let ours = in_order(a.iter().collect(), |&item| item);
                self.later(&ours, &in_order(b.iter().collect(), |&item| item))
            }
            _ => self.later(&a.iter().collect::<Vec<_>>(), &b.iter().collect::<Vec<_>>()),
        }
    }

    /// Notes the keys and values of two objects; returns false if their numbers differ.
    fn entries(&mut self, a: Entries<'a>, b: Entries<'b>) -> bool {
        let is_same = a.len() == b.len();
        for (ours, theirs) in a.into_iter().zip(b).rev() {
            self.pairs.extend([(ours.1, theirs.1), (ours.0, theirs.0)]);
        }
        is_same
    }

    /// Notes the parts of two objects; returns false if their numbers differ.
    fn later(&mut self, a: &[ObjectRef<'a>], b: &[ObjectRef<'b>]) -> bool {
        // In the order of the parts: the last pair is compared first.
        self.pairs.extend(a.iter().copied().zip(b.iter().copied()).rev());
        a.len() == b.len()
    }

    fn arrays(&mut self, a: ObjectRef<'a>, b: ObjectRef<'b>) -> bool {
        let (Ok(ours), Ok(theirs)) = (a.header(), b.header()) else { return false };
        if ours.shape() != theirs.shape() {
            return false;
        }
        match [&ours, &theirs].map(|header| header.dtype().has_object()) {
            [true, true] => {
                self.is_known(a, b)
                    || self.later(&a.iter().collect::<Vec<_>>(), &b.iter().collect::<Vec<_>>())
            }
            [false, false] => match (a.as_array(), b.as_array()) {
                (Ok(a), Ok(b)) => self.values(&a, &b),
                _ => false,
            },
            _ => false,
        }
    }

    /// Compares the values of arrays of the same shape.
    fn values(&self, a: &DynArray, b: &DynArray) -> bool {
        let is_same_form = a.dtype() == b.dtype() && a.order() == b.order();
        if is_same_form && !self.tolerance.nan_differs && a.as_bytes() == b.as_bytes() {
            return true;
        }
        a.iter().zip(b.iter()).all(|(a, b)| difference(&a, &b, self.tolerance).is_none())
    }

    /// Compares objects of unknown classes: their names, arguments, states, items and entries.
    fn calls(&mut self, a: ObjectRef<'a>, b: ObjectRef<'b>) -> bool {
        if self.is_known(a, b) {
            return true;
        }
        let parts = [(a.arguments(), b.arguments()), (a.state(), b.state())];
        let is_same = parts.into_iter().all(|pair| match pair {
            (Some(a), Some(b)) => self.later(&[a], &[b]),
            (a, b) => a.is_none() && b.is_none(),
        });
        is_same
            && a.name() == b.name()
            && self.later(&a.iter().collect::<Vec<_>>(), &b.iter().collect::<Vec<_>>())
            && self.entries(a.entries().collect(), b.entries().collect())
    }
}

/// Compares scalars of NumPy that are neither numbers nor text: times by their texts, and others by their bytes.
fn is_same_scalar(a: ObjectRef<'_>, b: ObjectRef<'_>) -> bool {
    let kinds = [a, b].map(|object| numpy_time(object).map(|kind| discriminant(&kind)));
    match kinds {
        // A year has the text of an integer.
        [Some(kind), Some(other)] => kind == other && is_same_text(a, b),
        [None, None] => match (a.as_array(), b.as_array()) {
            (Ok(a), Ok(b)) => a.dtype() == b.dtype() && a.as_bytes() == b.as_bytes(),
            _ => false,
        },
        _ => false,
    }
}

fn is_same_text(a: ObjectRef<'_>, b: ObjectRef<'_>) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

/// A key of a dict or an element of a set, as it is put in order.
enum Rank {
    Number([f64; 2]),
    Text(String),
    Printed(String),
    /// Keys that keep their order.
    Other,
}

impl Rank {
    fn compare(&self, other: &Rank) -> Ordering {
        let number = |rank: &Rank| match rank {
            Rank::Number(_) => 0,
            Rank::Text(_) => 1,
            Rank::Printed(_) => 2,
            Rank::Other => 3,
        };
        match (self, other) {
            // The two zeros are one number.
            (Rank::Number(a), Rank::Number(b)) => {
                (a[0] + 0.0).total_cmp(&(b[0] + 0.0)).then((a[1] + 0.0).total_cmp(&(b[1] + 0.0)))
            }
            (Rank::Text(a), Rank::Text(b)) | (Rank::Printed(a), Rank::Printed(b)) => a.cmp(b),
            _ => number(self).cmp(&number(other)),
        }
    }
}

/// Puts parts in an order that is the same in both files, by their keys.
fn in_order<'a, T>(parts: Vec<T>, key: impl Fn(&T) -> ObjectRef<'a>) -> Vec<T> {
    let mut printed = 0;
    let mut ranked: Vec<(Rank, T)> = parts
        .into_iter()
        .map(|part| {
            let object = key(&part);
            let rank = match (Number::of_object(object), object.as_str()) {
                (Some(number), _) => Rank::Number(number.parts()),
                (None, Some(text)) => Rank::Text(text.into_owned()),
                (None, None) if printed < MAX_PRINTED_KEYS => {
                    printed += 1;
                    Rank::Printed(format!("{object:?}"))
                }
                (None, None) => Rank::Other,
            };
            (rank, part)
        })
        .collect();
    ranked.sort_by(|(a, _), (b, _)| a.compare(b));
    ranked.into_iter().map(|(_, part)| part).collect()
}

/// Objects of both files in classes of those that are equal, if all that is still to be compared is.
#[derive(Default)]
struct Classes {
    /// The next object on the way to the one by which the class is known, which has none.
    next: HashMap<usize, usize>,
}

impl Classes {
    fn find(&mut self, mut at: usize) -> usize {
        while let Some(&next) = self.next.get(&at) {
            if let Some(&after) = self.next.get(&next) {
                self.next.insert(at, after);
            }
            at = next;
        }
        at
    }

    /// Joins the classes of two objects; false if they are one already.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.next.insert(a, b);
        }
        a != b
    }
}
