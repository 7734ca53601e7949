//! Python objects of two files, compared part by part.
//!
//! Their texts do not decide, because those of long objects are shortened. The walk does not recurse, and ends for objects that contain themselves:
//! two containers that were compared, or are being compared, are not compared again (`pairs.rs`).

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::discriminant;

use npy_core::dtype::{Resolution, ScalarKind, Unit};
use npy_core::object::Kind;
use npy_core::time::{Ns, Us};
use npy_core::{
    ByteOrder, Cast, DType, DateTime64, DynArray, ObjectRef, Order, TimeDelta64, Value,
};

use super::class_names;
use super::exact::{self, Exact};
use super::instance::{Entries, Instance, counts, lengths, without_zeros};
use super::instants::{Count, Instant};
use super::pairs::{Pairs, Status, is_ordered_dict};
use super::ranges::Integers;
use super::{Number, Tolerance, difference, is_time, weak};
use crate::text::{numpy_time, object_text};

/// The tolerance of keys, and of the items of sets: none.
fn exact(tolerance: Tolerance) -> Tolerance {
    Tolerance { rtol: 0.0, atol: 0.0, ..tolerance }
}

/// The results so far, for the objects of two files.
#[derive(Default)]
pub(super) struct Known {
    pairs: Pairs,
    hashes: [Hashes; 2],
}

impl Known {
    /// Notes each `OrderedDict` of the objects of two files.
    pub(super) fn find_ordered(&mut self, a: &[ObjectRef<'_>], b: &[ObjectRef<'_>]) {
        self.pairs.find_ordered(a, b);
    }

    /// Notes each number of the objects of two files that may be equal to different numbers, and each `Counter`.
    pub(super) fn find_near(
        &mut self,
        a: &[ObjectRef<'_>],
        b: &[ObjectRef<'_>],
        tolerance: Tolerance,
    ) {
        // Two of `Counter` that differ in zeros are equal, and not to the same dict.
        let is_special =
            |object: ObjectRef<'_>| object.kind() == Kind::Scalar || counts(object).is_some();
        match tolerance.is_exact() {
            true => self.pairs.find_near(a, b, is_special),
            false => self.pairs.find_near(a, b, |object| {
                is_special(object)
                    || object.kind() == Kind::Array
                    || Number::of_object(object).is_some()
            }),
        }
    }

    /// Returns the limit of the steps if the comparisons took more. Their results mean nothing then.
    pub(super) fn exceeded(&self) -> Option<usize> {
        self.pairs.exceeded()
    }
}

/// Returns true if two objects are equal. Numbers are, whatever their types, and dicts and sets in any order, but two of `OrderedDict` in the same one. The tolerance is for numbers
/// at any depth, except for keys and the items of sets. `known` is for this tolerance and these files, and says if the result means nothing.
pub(super) fn are_equal(
    a: ObjectRef<'_>,
    b: ObjectRef<'_>,
    tolerance: Tolerance,
    known: &mut Known,
) -> bool {
    let steps = vec![Step::Compare(a, b, Nearness::Near)];
    let mut walk = Walk { tolerance, nearness: Nearness::Near, known, steps };
    while let Some(step) = walk.steps.pop() {
        match step {
            Step::Close => walk.known.pairs.close(),
            Step::Compare(a, b, nearness) | Step::Start(a, b, nearness) => {
                walk.nearness = nearness;
                walk.known.pairs.count();
                let is_exceeded = walk.known.exceeded().is_some();
                let are_equal = match step {
                    _ if is_exceeded => false,
                    Step::Start(..) => walk.start(a, b),
                    _ => walk.compare(a, b),
                };
                if !are_equal {
                    known.pairs.differ();
                    return false;
                }
            }
        }
    }
    true
}

/// Returns true if an object is the value of an array: the same number, text, bytes or time. Text is not bytes here, and a missing value equals "not a time" alone.
pub(super) fn is_value(
    object: ObjectRef<'_>,
    value: &Value<'_>,
    dtype: &DType,
    tolerance: Tolerance,
) -> bool {
    if let Some(number) = Number::of(value) {
        return match (Exact::of(object), Exact::of_number(number)) {
            (Some(Exact::Nan), Some(Exact::Nan)) => !tolerance.nan_differs,
            (Some(object), Some(number)) => object == number,
            _ => false,
        };
    }
    match value {
        Value::Str(text) => {
            object.code_points().is_some_and(|other| text.code_points().eq(other.iter().copied()))
        }
        Value::Bytes(bytes) => object.as_bytes().is_some_and(|other| &other[..] == *bytes),
        _ if is_time(dtype) && value.is_nat() => is_nat(object) && !tolerance.nan_differs,
        // A time that the unit cannot hold exactly is an error of the cast.
        _ if is_time(dtype) => time_of(object)
            .and_then(|time| time.cast_with(dtype, Cast::Lossless).ok())
            .is_some_and(|time| time.get(&[]).as_ref() == Some(value)),
        _ => {
            object.kind() == Kind::Scalar
                && object.as_array().is_ok_and(|array| array.get(&[]).as_ref() == Some(value))
        }
    }
}

/// Returns true for "not a time" of pandas or NumPy.
fn is_nat(object: ObjectRef<'_>) -> bool {
    match object.kind() {
        Kind::Scalar => {
            object.as_array().is_ok_and(|array| array.get(&[]).is_some_and(|value| value.is_nat()))
        }
        _ => is_nat_of_pandas(object),
    }
}

/// Returns true for `pandas.NaT`.
fn is_nat_of_pandas(object: ObjectRef<'_>) -> bool {
    object.is_missing() && object.name().is_some_and(|name| name.ends_with("nat_unpickle"))
}

/// Returns a time, or a span of time, of Python, pandas or NumPy as an array of one value.
fn time_of(object: ObjectRef<'_>) -> Option<DynArray> {
    let counts = |descr: &str, count: i64| {
        DynArray::new(descr.parse().ok()?, [], Order::C, count.to_le_bytes().to_vec()).ok()
    };
    let text = object_text(object);
    match object.kind() {
        Kind::Scalar => object.as_array().ok().filter(|array| is_time(array.dtype())),
        // Only the longer unit has all years of Python.
        Kind::Date | Kind::DateTime => match text.parse::<DateTime64<Ns>>() {
            Ok(time) => counts("<M8[ns]", time.count()),
            Err(_) => counts("<M8[us]", text.parse::<DateTime64<Us>>().ok()?.count()),
        },
        Kind::TimeDelta => match text.parse::<TimeDelta64<Ns>>() {
            Ok(span) => counts("<m8[ns]", span.count()),
            Err(_) => counts("<m8[us]", text.parse::<TimeDelta64<Us>>().ok()?.count()),
        },
        _ => None,
    }
}

/// The strictness of a comparison.
#[derive(Clone, Copy, PartialEq)]
enum Nearness {
    /// Up to the tolerance, and as Python's `==` compares.
    Near,
    /// So that one finds the other in a dict.
    Exact,
}

struct Walk<'a, 'b, 'k> {
    /// That of near objects.
    tolerance: Tolerance,
    /// That of the two objects which are compared.
    nearness: Nearness,
    known: &'k mut Known,
    /// The last one is the next.
    steps: Vec<Step<'a, 'b>>,
}

enum Step<'a, 'b> {
    Compare(ObjectRef<'a>, ObjectRef<'b>, Nearness),
    /// Compares the items and entries of a list or dictionary with the first ones of an object.
    Start(ObjectRef<'a>, ObjectRef<'b>, Nearness),
    /// Closes a pair after its parts.
    Close,
}

impl<'a, 'b> Walk<'a, 'b, '_> {
    /// Compares two objects except for their parts, which are compared later.
    fn compare(&mut self, a: ObjectRef<'a>, b: ObjectRef<'b>) -> bool {
        let numbers = match self.nearness {
            Nearness::Near => weak::numbers(a, b),
            Nearness::Exact => Number::of_object(a).zip(Number::of_object(b)),
        };
        if let Some((a, b)) = numbers {
            return a.difference(b, self.tolerance()).is_none();
        }
        if !is_large(a) || !is_large(b) {
            return self.compare_new(a, b);
        }
        match self.known.pairs.open(a, b, self.nearness == Nearness::Near) {
            Status::Equal => true,
            Status::Different => false,
            Status::New => {
                self.steps.push(Step::Close);
                self.compare_new(a, b)
            }
        }
    }

    /// Compares the items and entries that two objects both have, by their positions.
    fn start(&mut self, a: ObjectRef<'a>, b: ObjectRef<'b>) -> bool {
        match self.known.pairs.open_start(a, b, self.nearness == Nearness::Near) {
            Status::Equal => return true,
            Status::Different => return false,
            Status::New => {}
        }
        self.steps.push(Step::Close);
        let count = a.iter().len().min(b.iter().len());
        self.later(
            &a.iter().take(count).collect::<Vec<_>>(),
            &b.iter().take(count).collect::<Vec<_>>(),
            self.nearness,
        );
        let entries = a.entries().zip(b.entries()).unzip();
        self.entries(entries.0, entries.1)
    }

    fn tolerance(&self) -> Tolerance {
        match self.nearness {
            Nearness::Near => self.tolerance,
            Nearness::Exact => exact(self.tolerance),
        }
    }

    /// Compares two objects that are not two numbers.
    fn compare_new(&mut self, a: ObjectRef<'a>, b: ObjectRef<'b>) -> bool {
        let [kind, other] = [a.kind(), b.kind()];
        if [kind, other] == [Kind::Int, Kind::Int] {
            return object_text(a) == object_text(b);
        }
        if (exact::is_unlimited(a) || exact::is_unlimited(b))
            && let (Some(a), Some(b)) = (Exact::of(a), Exact::of(b))
        {
            return a == b && !(a == Exact::Nan && self.tolerance.nan_differs);
        }
        if let (Some(a), Some(b)) = (a.as_str(), b.as_str()) {
            return a == b;
        }
        if let (Some(a), Some(b)) = (a.code_points(), b.code_points()) {
            return a == b;
        }
        if let (Some(a), Some(b)) = (a.as_bytes(), b.as_bytes()) {
            return a == b;
        }
        if a.is_missing() && b.is_missing() {
            let is_nan = kind != Kind::None;
            return is_same_text(a, b)
                && is_nat_of_pandas(a) == is_nat_of_pandas(b)
                && !(is_nan && self.tolerance.nan_differs);
        }
        // As keys they differ, because their hashes do.
        let is_near = self.nearness == Nearness::Near;
        match (kind, other) {
            (Kind::Scalar, Kind::Date | Kind::DateTime | Kind::TimeDelta) if is_near => {
                return is_same_time(a, b);
            }
            (Kind::Date | Kind::DateTime | Kind::TimeDelta, Kind::Scalar) if is_near => {
                return is_same_time(b, a);
            }
            _ => {}
        }
        if let (Some(a), Some(b)) = (Integers::of(a), Integers::of(b)) {
            return a == b;
        }
        match (counts(a), counts(b)) {
            (Some(a), Some(b)) => return self.dicts(without_zeros(a), without_zeros(b)),
            (Some(a), None) if other == Kind::Dict => return self.dicts(a, b.entries().collect()),
            (None, Some(b)) if kind == Kind::Dict => return self.dicts(a.entries().collect(), b),
            _ => {}
        }
        let is_set = |kind| matches!(kind, Kind::Set | Kind::FrozenSet);
        if kind != other && !(is_set(kind) && is_set(other)) {
            return false;
        }
        match kind {
            Kind::List | Kind::Tuple | Kind::Set | Kind::FrozenSet | Kind::Dict | Kind::Record => {
                // Parts that are compared with many others are not put in an order for each.
                a.len() == b.len() && self.containers(a, b)
            }
            Kind::Array => self.arrays(a, b),
            Kind::Scalar => match (a.as_array(), b.as_array()) {
                (Ok(a), Ok(b)) if a.dtype().is_record() && b.dtype().is_record() => {
                    self.values(&a, &b)
                }
                _ => is_same_scalar(a, b),
            },
            Kind::DateTime | Kind::Time => match (Instant::of(a), Instant::of(b)) {
                (Some(a), Some(b)) => a == b,
                _ => is_same_text(a, b),
            },
            Kind::DType => matches!((a.as_dtype(), b.as_dtype()), (Ok(a), Ok(b)) if a == b),
            Kind::Object | Kind::Global => self.calls(a, b),
            _ => is_same_text(a, b),
        }
    }

    fn containers(&mut self, a: ObjectRef<'a>, b: ObjectRef<'b>) -> bool {
        match a.kind() {
            Kind::Dict if is_ordered_dict(a) && is_ordered_dict(b) => {
                self.entries(a.entries().collect(), b.entries().collect())
            }
            Kind::Record => self.entries(a.entries().collect(), b.entries().collect()),
            Kind::Dict => self.dicts(a.entries().collect(), b.entries().collect()),
            Kind::Set | Kind::FrozenSet => {
                let [ours, theirs] = &mut self.known.hashes;
                let a = in_order(a.iter().collect(), ours, |&item| item);
                let b = in_order(b.iter().collect(), theirs, |&item| item);
                self.later(&a, &b, Nearness::Exact)
            }
            // A deque is read as a list.
            _ if !have_one_name(a, b) => false,
            _ => self.items(a, b),
        }
    }

    /// Notes the keys and values of two dicts, which may be in any order; returns false if their numbers differ.
    fn dicts(&mut self, a: Entries<'a>, b: Entries<'b>) -> bool {
        let [ours, theirs] = &mut self.known.hashes;
        let a = in_order(a, ours, |entry| entry.0);
        let b = in_order(b, theirs, |entry| entry.0);
        self.entries(a, b)
    }

    /// Notes the keys and values of two objects; returns false if their numbers differ.
    fn entries(&mut self, a: Entries<'a>, b: Entries<'b>) -> bool {
        let is_same = a.len() == b.len();
        for (ours, theirs) in a.into_iter().zip(b).rev() {
            self.steps.push(Step::Compare(ours.1, theirs.1, self.nearness));
            self.steps.push(Step::Compare(ours.0, theirs.0, Nearness::Exact));
        }
        is_same
    }

    /// Notes the parts of two objects; returns false if their numbers differ.
    fn later(&mut self, a: &[ObjectRef<'a>], b: &[ObjectRef<'b>], nearness: Nearness) -> bool {
        // In the order of the parts: the last pair is compared first.
        let pairs = a.iter().zip(b).rev();
        self.steps.extend(pairs.map(|(&a, &b)| Step::Compare(a, b, nearness)));
        a.len() == b.len()
    }

    /// Notes the items of two objects; returns false if their numbers differ.
    fn items(&mut self, a: ObjectRef<'a>, b: ObjectRef<'b>) -> bool {
        self.later(&a.iter().collect::<Vec<_>>(), &b.iter().collect::<Vec<_>>(), self.nearness)
    }

    fn arrays(&mut self, a: ObjectRef<'a>, b: ObjectRef<'b>) -> bool {
        let (Ok(ours), Ok(theirs)) = (a.header(), b.header()) else { return false };
        if ours.shape() != theirs.shape() {
            return false;
        }
        match [&ours, &theirs].map(|header| header.dtype().has_object()) {
            [true, true] => self.items(a, b),
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
        // The same values in the byte order and the memory order of this machine; times of other units.
        let native = |array: &DynArray| {
            let array = array.clone().into_byte_order(ByteOrder::NATIVE).ok()?;
            array.into_order(Order::C).ok()
        };
        if let (false, Some(a), Some(b)) = (self.tolerance.nan_differs, native(a), native(b))
            && (a.dtype() == b.dtype() || is_time(a.dtype()) && is_time(b.dtype()))
            && a.cast_with(b.dtype(), Cast::Lossless).is_ok_and(|a| a.as_bytes() == b.as_bytes())
        {
            return true;
        }
        let size = a.dtype().itemsize().max(b.dtype().itemsize()).max(1);
        a.iter().zip(b.iter()).all(|(a, b)| is_same_value(a, b, self.tolerance(), size))
    }

    /// Compares objects of unknown classes: their names, arguments, states, items and entries.
    fn calls(&mut self, a: ObjectRef<'a>, b: ObjectRef<'b>) -> bool {
        let (a, b) = Instance::both(a, b);
        // The lengths come first: all items are looked at for each pair otherwise.
        if a.name != b.name
            || a.lengths() != b.lengths()
            || !self.later(a.arguments.as_slice(), b.arguments.as_slice(), self.nearness)
            || !self.later(a.state.as_slice(), b.state.as_slice(), self.nearness)
        {
            return false;
        }
        // Objects may share a base.
        let base = a.base.map(lengths).or_else(|| b.base.map(lengths));
        if base.is_some() {
            self.steps.push(Step::Start(a.start(), b.start(), self.nearness));
        }
        let ((items, entries), (other_items, other_entries)) = (a.after(base), b.after(base));
        self.later(&items, &other_items, self.nearness) && self.entries(entries, other_entries)
    }
}

/// Compares a time, or a span of time, of NumPy with one of Python or pandas. NumPy converts its own to Python's type, which is a date from days on, and an integer where Python has
/// no such unit; pandas compares the instants.
fn is_same_time(scalar: ObjectRef<'_>, object: ObjectRef<'_>) -> bool {
    let (Some(kind), Ok(time)) = (numpy_time(scalar), scalar.as_array()) else { return false };
    let is_of_pandas = object.name().is_some_and(|name| name.starts_with("pandas."));
    let is_aware = || Instant::of(object).is_none_or(Instant::is_aware);
    let (ScalarKind::DateTime(Some(Resolution { unit, .. }))
    | ScalarKind::TimeDelta(Some(Resolution { unit, .. }))) = kind
    else {
        return false;
    };
    let is_calendar = matches!(unit, Unit::Year | Unit::Month);
    let is_days = matches!(unit, Unit::Week | Unit::Day);
    let is_fine = matches!(unit, Unit::Nanosecond | Unit::Picosecond | Unit::Femtosecond)
        || unit == Unit::Attosecond;
    let is_comparable = match (kind, object.kind()) {
        (ScalarKind::DateTime(_), Kind::Date) => is_calendar || is_days,
        (ScalarKind::DateTime(_), Kind::DateTime) => {
            !is_aware() && (is_of_pandas || !is_calendar && !is_days && !is_fine)
        }
        (ScalarKind::TimeDelta(_), Kind::TimeDelta) => is_of_pandas || !is_calendar && !is_fine,
        _ => false,
    };
    let is_span = matches!(kind, ScalarKind::TimeDelta(_));
    let other = || Count::of_array(&time_of(object)?, is_span);
    is_comparable && Count::of_array(&time, is_span).is_some_and(|count| Some(count) == other())
}

/// Compares scalars of NumPy that are neither numbers nor text: times in the unit that has both, or by their texts, and others by their bytes.
fn is_same_scalar(a: ObjectRef<'_>, b: ObjectRef<'_>) -> bool {
    let kinds = [a, b].map(|object| numpy_time(object).map(|kind| discriminant(&kind)));
    match kinds {
        // A year has the text of an integer.
        [Some(kind), Some(other)] if kind == other => match (Count::of(a), Count::of(b)) {
            (Some(a), Some(b)) => a == b,
            _ => is_same_text(a, b),
        },
        [None, None] => match (a.as_array(), b.as_array()) {
            (Ok(a), Ok(b)) => a.dtype() == b.dtype() && a.as_bytes() == b.as_bytes(),
            _ => false,
        },
        _ => false,
    }
}

/// Returns true for an object whose comparison takes long, so that its result is noted: a container, a long text or a long number.
fn is_large(object: ObjectRef<'_>) -> bool {
    const LONG: usize = 256;
    match (object.as_str(), object.as_bytes(), object.kind()) {
        (Some(text), ..) => text.len() > LONG,
        (_, Some(bytes), _) => bytes.len() > LONG,
        (.., Kind::Array | Kind::Record | Kind::Global) => true,
        _ => {
            is_container(object) || exact::is_unlimited(object) && object_text(object).len() > LONG
        }
    }
}

/// Returns true if two values of arrays are equal: records and sub-arrays part by part, as deep as the dtype. `size` is that of an item: a sub-array with more elements has none with
/// bytes, and they are alike.
fn is_same_value(a: Value<'_>, b: Value<'_>, tolerance: Tolerance, size: usize) -> bool {
    if !tolerance.nan_differs && a == b {
        return true;
    }
    match (a, b) {
        (Value::Record(a), Value::Record(b)) => {
            a.iter().map(|(name, _)| name).eq(b.iter().map(|(name, _)| name))
                && a.iter().zip(b).all(|((_, a), (_, b))| is_same_value(a, b, tolerance, size))
        }
        (Value::Array(a), Value::Array(b)) => {
            let mut parts = a.iter().zip(b).take(size);
            a.shape() == b.shape() && parts.all(|(a, b)| is_same_value(a, b, tolerance, size))
        }
        (Value::Str(_), Value::Bytes(_)) | (Value::Bytes(_), Value::Str(_)) => false,
        (a, b) => difference(&a, &b, tolerance).is_none(),
    }
}

/// Returns true if two objects name the same class or function, or none.
fn have_one_name(a: ObjectRef<'_>, b: ObjectRef<'_>) -> bool {
    match (a.name(), b.name()) {
        (Some(a), Some(b)) => class_names::common(&a) == class_names::common(&b),
        (a, b) => a == b,
    }
}

fn is_same_text(a: ObjectRef<'_>, b: ObjectRef<'_>) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

/// Puts parts in an order that is the same in both files, by the hashes of their keys.
fn in_order<'a, T>(
    parts: Vec<T>,
    hashes: &mut Hashes,
    key: impl Fn(&T) -> ObjectRef<'a>,
) -> Vec<T> {
    let mut hashed: Vec<(u64, T)> =
        parts.into_iter().map(|part| (hashes.of(key(&part)), part)).collect();
    hashed.sort_by_key(|(hash, _)| *hash);
    hashed.into_iter().map(|(_, part)| part).collect()
}

/// Hashes of the objects of a file. Those of equal objects are equal.
#[derive(Default)]
struct Hashes {
    /// The hashes of containers, which may be used many times. Those that are not complete yet have zero.
    known: HashMap<u32, u64>,
}

impl Hashes {
    /// Returns the hash of an object. The walk does not recurse: its stack has containers once before their parts, and once after them.
    fn of(&mut self, root: ObjectRef<'_>) -> u64 {
        let mut stack = vec![(root, false)];
        while let Some((object, is_complete)) = stack.pop() {
            let id = object.object().id();
            if is_complete {
                let hash = self.container(object);
                self.known.insert(id, hash);
            } else if is_container(object) && !self.known.contains_key(&id) {
                self.known.insert(id, 0);
                stack.push((object, true));
                stack.extend(parts(object).into_iter().map(|part| (part, false)));
            }
        }
        self.part(root)
    }

    /// Returns the hash of an object whose parts have theirs.
    fn part(&self, object: ObjectRef<'_>) -> u64 {
        match is_container(object) {
            true => self.known.get(&object.object().id()).copied().unwrap_or_default(),
            false => hash_of_single(object),
        }
    }

    fn container(&self, object: ObjectRef<'_>) -> u64 {
        let all = || parts(object).into_iter().map(|part| self.part(part));
        let kind = object.kind();
        match kind {
            // In any order.
            Kind::Set | Kind::FrozenSet => hash((1, all().fold(0, u64::wrapping_add))),
            Kind::Dict => {
                let entries =
                    object.entries().map(|(key, value)| hash((self.part(key), self.part(value))));
                hash((2, entries.fold(0, u64::wrapping_add)))
            }
            Kind::Object => hash((3, Instance::for_hash(object).name, all().collect::<Vec<_>>())),
            _ => hash((4, kind == Kind::Tuple, all().collect::<Vec<_>>())),
        }
    }
}

fn is_container(object: ObjectRef<'_>) -> bool {
    let is_plain = matches!(
        object.kind(),
        Kind::List | Kind::Tuple | Kind::Set | Kind::FrozenSet | Kind::Dict
    );
    // A missing value of pandas, a fraction and a range are objects, too.
    is_plain
        || object.kind() == Kind::Object
            && !object.is_missing()
            && !exact::is_unlimited(object)
            && Integers::of(object).is_none()
}

/// The parts of a container that its hash has.
fn parts(object: ObjectRef<'_>) -> Vec<ObjectRef<'_>> {
    match object.kind() {
        Kind::Dict => object.entries().flat_map(|(key, value)| [key, value]).collect(),
        Kind::Object => {
            let instance = Instance::for_hash(object);
            instance.arguments.into_iter().chain(instance.state).collect()
        }
        _ => object.iter().collect(),
    }
}

/// Returns the hash of an object that is not a container.
fn hash_of_single(object: ObjectRef<'_>) -> u64 {
    if let Some(number) = Number::of_object(object) {
        let parts = number.parts();
        return match number.integer() {
            Some(integer) => hash((5, integer)),
            None if parts.iter().any(|part| part.is_nan()) => hash(6),
            // The two zeros are one number.
            None => hash((7, parts.map(|part| (part + 0.0).to_bits()))),
        };
    }
    if exact::is_unlimited(object)
        && let Some(number) = Exact::of(object)
    {
        return number.hash();
    }
    if let Some(text) = object.as_str() {
        return hash((8, text.chars().map(u32::from).collect::<Vec<_>>()));
    }
    if matches!(object.kind(), Kind::DateTime | Kind::Time)
        && let Some(instant) = Instant::of(object)
    {
        return hash((13, instant));
    }
    if let Some(count) = Count::of(object) {
        return hash((14, count));
    }
    if let Some(integers) = Integers::of(object) {
        return hash((16, integers));
    }
    match (object.code_points(), object.as_bytes(), object.kind()) {
        (Some(text), ..) => hash((8, text)),
        (_, Some(bytes), _) => hash((9, bytes)),
        // These can be large, and are not keys.
        (.., Kind::Array | Kind::Record) => hash(10),
        (.., Kind::Global) => hash((15, object.name().as_deref().map(class_names::common))),
        _ => hash((11, format!("{object:?}"))),
    }
}

pub(super) fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
