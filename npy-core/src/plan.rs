//! Layer 3: what it takes to turn items of one dtype into items of another.
//!
//! A [`Plan`] is made once a file and run once a block, by [`kernel`](crate::kernel).

pub(crate) mod convert;
mod part;

use std::collections::HashMap;

use crate::dtype::{DType, Field, Kind, Record, Scalar};
use crate::error::{Error, ErrorKind};
use crate::literal::text::Text;
use crate::schema::{FieldRules, ReadRules, Schema};
use crate::shape;

use convert::Convert;
pub(crate) use part::{field_at, part_at};

/// How far the dtype of the file may differ from the one that is wanted.
///
/// Byte order, padding, the order of the fields and fields that are not wanted never matter.
///
/// ```
/// use npy_core::{Cast, ReadOptions, WriteNpy};
///
/// let mut file = Vec::new();
/// [1i16, -2].write_npy_to(&mut file)?;
///
/// assert!(ReadOptions::new().read_from::<Vec<f64>>(&file[..]).is_err());
/// let widened: Vec<f64> = ReadOptions::new().cast(Cast::Lossless).read_from(&file[..])?;
/// assert_eq!(widened, [1.0, -2.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cast {
    /// Kind and size of every scalar must be the ones that are wanted.
    #[default]
    Exact,
    /// A scalar may be wider than in the file where every value it can have fits exactly: integers, floats and
    /// complex numbers of more bytes, integers as floats with enough bits, `bool` as a number, text of more characters.
    Lossless,
}

/// The way from items of one dtype to items of another.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) src_itemsize: usize,
    pub(crate) dst_itemsize: usize,
    pub(crate) strategy: Strategy,
}

/// The three ways, each the cheapest for its case.
#[derive(Clone)]
pub(crate) enum Strategy {
    /// The bytes are the same.
    Exact,
    /// Everything stays where it is; some of it turns round. All steps swap in place.
    Swapped {
        steps: Vec<Step>,
        /// Whether nothing stays as it is but what has no byte order.
        all: bool,
    },
    /// Everything else: the steps write items of their own.
    General(Vec<Step>),
}

/// One move from an item to an item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// Where it reads, counted from the start of the item.
    pub(crate) from: usize,
    /// Where it writes.
    pub(crate) to: usize,
    pub(crate) action: Action,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// Bytes as they are.
    Copy { bytes: usize },
    /// These bytes, whatever the item.
    Fill { bytes: Vec<u8> },
    /// Units of so many bytes, each turned round.
    Swap { unit: usize, count: usize },
    /// Scalars to wider ones.
    Convert { convert: Convert, count: usize },
    /// The steps again and again, these strides apart: a sub-array of records.
    Repeat { count: usize, from_stride: usize, to_stride: usize, steps: Vec<Step> },
}

impl Plan {
    /// The plan from items of the dtype `from` to items of the dtype `to`. Fields are matched by name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Mismatch`] and [`ErrorKind::MissingField`], with the path of the field.
    pub(crate) fn new(from: &DType, to: &DType, cast: Cast) -> Result<Plan, Error> {
        Plan::build(from, to, &ReadRules::default(), cast)
    }

    /// The plan from items of a file to what a type asks for.
    ///
    /// # Errors
    ///
    /// As [`Plan::new`]; also [`ErrorKind::UnknownField`], and [`ErrorKind::InvalidValue`] for a default.
    pub(crate) fn reading(from: &DType, to: &Schema, cast: Cast) -> Result<Plan, Error> {
        Plan::build(from, &to.dtype, &to.rules, cast)
    }

    /// The plan from records of a file to what a type asks for of the part that a path (`"head.gain"`, `"samples[3]"`) leads to.
    ///
    /// # Errors
    ///
    /// As [`Plan::reading`]; [`ErrorKind::MissingField`] if there is no such field.
    pub(crate) fn column(from: &DType, path: &str, to: &Schema, cast: Cast) -> Result<Plan, Error> {
        let Some((part, offset)) = part_at(from.fields(), path) else {
            return Err(missing(path, from.fields()));
        };
        let mut steps = Vec::new();
        Builder { cast, steps: &mut steps }
            .any(&part, &to.dtype, &to.rules, offset, 0)
            .map_err(|error| error.in_field(path))?;
        let (src_itemsize, dst_itemsize) = (from.itemsize(), to.dtype.itemsize());
        Ok(Plan { src_itemsize, dst_itemsize, strategy: Strategy::General(steps) })
    }

    /// Whether each item becomes the other where it lies.
    pub(crate) fn is_in_place(&self) -> bool {
        !matches!(self.strategy, Strategy::General(_))
    }

    /// Whether the bytes are the same.
    pub(crate) fn is_exact(&self) -> bool {
        matches!(self.strategy, Strategy::Exact)
    }

    /// Whether items are those that are wanted once every number of them is turned round.
    pub(crate) fn swaps_all(&self) -> bool {
        matches!(self.strategy, Strategy::Swapped { all: true, .. })
    }

    /// Where in an item of the file all that is wanted stands, as it is wanted: a field, or fields side by side.
    pub(crate) fn contiguous_at(&self) -> Option<usize> {
        match &self.strategy {
            Strategy::General(steps) => match steps.as_slice() {
                [Step { from, to: 0, action: Action::Copy { bytes } }] => {
                    (*bytes == self.dst_itemsize).then_some(*from)
                }
                _ => None,
            },
            Strategy::Exact | Strategy::Swapped { .. } => None,
        }
    }

    fn build(from: &DType, to: &DType, rules: &ReadRules, cast: Cast) -> Result<Plan, Error> {
        let (src_itemsize, dst_itemsize) = (from.itemsize(), to.itemsize());
        if from == to {
            // Each field is found by its own name: no alias is looked for, nothing is left over.
            return Ok(Plan { src_itemsize, dst_itemsize, strategy: Strategy::Exact });
        }
        let mut steps = Vec::new();
        Builder { cast, steps: &mut steps }.any(from, to, rules, 0, 0)?;
        let same_size = src_itemsize == dst_itemsize;
        let strategy = if same_size && steps.iter().all(Step::changes_nothing) {
            Strategy::Exact
        } else if same_size && steps.iter().all(Step::swaps_in_place) {
            steps.retain(|step| matches!(step.action, Action::Swap { .. }));
            let swapped: usize =
                steps.iter().map(|step| step.ends().0.saturating_sub(step.from)).sum();
            Strategy::Swapped { all: swapped == to.ordered_bytes(), steps }
        } else {
            Strategy::General(steps)
        };
        Ok(Plan { src_itemsize, dst_itemsize, strategy })
    }
}

struct Builder<'s> {
    cast: Cast,
    steps: &'s mut Vec<Step>,
}

impl Builder<'_> {
    /// Recursion ends with the dtypes, whose nesting is limited.
    fn any(
        &mut self,
        from: &DType,
        to: &DType,
        rules: &ReadRules,
        at: usize,
        into: usize,
    ) -> Result<(), Error> {
        match (from.kind(), to.kind()) {
            (Kind::Scalar(f), Kind::Scalar(t)) => match scalar(*f, *t, self.cast) {
                Some(action) => self.push(Step { from: at, to: into, action }),
                None => return Err(self.mismatch(from, to)),
            },
            (Kind::Record(f), Kind::Record(t)) => return self.record(f, t, rules, at, into),
            (Kind::SubArray(_), Kind::SubArray(_)) => {
                return self.sub_array(from, to, rules, at, into);
            }
            _ => return Err(self.mismatch(from, to)),
        }
        Ok(())
    }

    fn record(
        &mut self,
        from: &Record,
        to: &Record,
        rules: &ReadRules,
        at: usize,
        into: usize,
    ) -> Result<(), Error> {
        let nothing = FieldRules::default();
        let mut left: HashMap<&Text, &Field> =
            from.fields.iter().map(|field| (field.exact_name(), field)).collect();
        // By their own names first: an alias may be the name of another field.
        let mut found: Vec<Option<&Field>> =
            to.fields.iter().map(|wanted| left.remove(wanted.exact_name())).collect();
        for (i, (wanted, found)) in to.fields.iter().zip(&mut found).enumerate() {
            let rules = rules.fields.get(i).unwrap_or(&nothing);
            for alias in rules.aliases {
                let other = left.remove(&Text::new(*alias));
                if let (Some(_), Some(other)) = (&found, other) {
                    return Err(unknown_field(other.name(), TWICE));
                }
                *found = found.or(other);
            }
            let into = into.saturating_add(wanted.offset());
            match found {
                Some(found) => {
                    let at = at.saturating_add(found.offset());
                    self.any(found.dtype(), wanted.dtype(), &rules.inner, at, into)
                        .map_err(|error| error.in_field(found.name()))?;
                }
                None => {
                    let default =
                        rules.default.ok_or_else(|| missing(wanted.name(), &from.fields))?;
                    let bytes = default().map_err(|error| error.in_field(wanted.name()))?;
                    self.push(Step { from: at, to: into, action: Action::Fill { bytes } });
                }
            }
        }
        // In the order of the file, which the map does not keep.
        let unknown = from.fields.iter().find(|field| left.contains_key(field.exact_name()));
        match unknown.filter(|_| rules.deny_unknown) {
            Some(field) => Err(unknown_field(field.name(), UNKNOWN)),
            None => Ok(()),
        }
    }

    fn sub_array(
        &mut self,
        from: &DType,
        to: &DType,
        rules: &ReadRules,
        at: usize,
        into: usize,
    ) -> Result<(), Error> {
        // `(2,)` of `(3,)` lies in memory as `(2, 3)`.
        let ((f, f_shape), (t, t_shape)) = (flatten(from), flatten(to));
        if f_shape != t_shape {
            return Err(self.mismatch(from, to));
        }
        let mut steps = Vec::new();
        Builder { cast: self.cast, steps: &mut steps }.any(f, t, rules, 0, 0)?;
        let count = shape::count(&f_shape)?;
        if count == 0 || steps.is_empty() {
            return Ok(());
        }
        let (from_stride, to_stride) = (f.itemsize(), t.itemsize());
        // What fills its whole item needs no loop over items.
        let action = match steps.as_mut_slice() {
            [Step { from: 0, to: 0, action }] if action.fills(from_stride, to_stride) => {
                action.times(count);
                steps.pop().map(|step| step.action)
            }
            _ => None,
        };
        let action = action.unwrap_or(Action::Repeat { count, from_stride, to_stride, steps });
        self.push(Step { from: at, to: into, action });
        Ok(())
    }

    /// Adds a step, or lengthens the one before where both lie side by side on both sides.
    fn push(&mut self, step: Step) {
        if step.action.is_nothing() {
            return;
        }
        if let Some(last) = self.steps.last_mut() {
            let (from, to) = last.ends();
            if step.from == from && step.to == to && last.action.join(&step.action) {
                return;
            }
        }
        self.steps.push(step);
    }

    fn mismatch(&self, from: &DType, to: &DType) -> Error {
        let widens = Builder { cast: Cast::Lossless, steps: &mut Vec::new() }.fits(from, to);
        let remedy = if self.cast == Cast::Exact && widens {
            "ReadOptions::cast(Cast::Lossless) widens when no value can change"
        } else {
            "change the Rust type to what the file holds, or the file with NumPy's astype"
        };
        let quoted = |dtype: &DType| crate::dtype::descr::excerpt(&dtype.descr());
        let (found, wanted) = (quoted(from), quoted(to));
        ErrorKind::Mismatch { found, wanted, wanted_by: "the program".into(), remedy }.into()
    }

    /// Whether two scalars, or two sub-arrays of scalars of one shape, go together.
    fn fits(&self, from: &DType, to: &DType) -> bool {
        let ((from, from_shape), (to, to_shape)) = (flatten(from), flatten(to));
        let pair = from.scalar().zip(to.scalar());
        from_shape == to_shape && pair.is_some_and(|(f, t)| scalar(*f, *t, self.cast).is_some())
    }
}

impl Step {
    /// Whether the bytes stay what and where they are.
    fn changes_nothing(&self) -> bool {
        let same = match &self.action {
            Action::Copy { .. } => true,
            Action::Repeat { from_stride, to_stride, steps, .. } => {
                from_stride == to_stride && steps.iter().all(Step::changes_nothing)
            }
            Action::Fill { .. } | Action::Swap { .. } | Action::Convert { .. } => false,
        };
        same && self.from == self.to
    }

    /// Whether the bytes stay where they are, and at most turn round.
    fn swaps_in_place(&self) -> bool {
        let swap = matches!(self.action, Action::Swap { .. }) && self.from == self.to;
        swap || self.changes_nothing()
    }

    /// Where it ends, on both sides.
    fn ends(&self) -> (usize, usize) {
        let (from, to) = match &self.action {
            Action::Copy { bytes } => (*bytes, *bytes),
            Action::Fill { bytes } => (0, bytes.len()),
            Action::Swap { unit, count } => {
                let bytes = unit.saturating_mul(*count);
                (bytes, bytes)
            }
            Action::Convert { convert, count } => (
                convert.size_before().saturating_mul(*count),
                convert.size_after().saturating_mul(*count),
            ),
            Action::Repeat { count, from_stride, to_stride, .. } => {
                (from_stride.saturating_mul(*count), to_stride.saturating_mul(*count))
            }
        };
        (self.from.saturating_add(from), self.to.saturating_add(to))
    }
}

impl Action {
    fn is_nothing(&self) -> bool {
        match self {
            Action::Copy { bytes } => *bytes == 0,
            Action::Fill { bytes } => bytes.is_empty(),
            Action::Swap { unit, count } => *unit == 0 || *count == 0,
            Action::Convert { count, .. } => *count == 0,
            Action::Repeat { count, .. } => *count == 0,
        }
    }

    /// Whether it covers items of these sizes without a gap.
    fn fills(&self, src_itemsize: usize, dst_itemsize: usize) -> bool {
        match self {
            Action::Copy { bytes } => *bytes == src_itemsize && *bytes == dst_itemsize,
            Action::Swap { unit, count } => {
                let bytes = unit.saturating_mul(*count);
                bytes == src_itemsize && bytes == dst_itemsize
            }
            Action::Convert { convert, count } => {
                convert.size_before().saturating_mul(*count) == src_itemsize
                    && convert.size_after().saturating_mul(*count) == dst_itemsize
            }
            Action::Fill { .. } | Action::Repeat { .. } => false,
        }
    }

    /// Does it for so many items instead of one.
    fn times(&mut self, n: usize) {
        match self {
            Action::Copy { bytes: count }
            | Action::Swap { count, .. }
            | Action::Convert { count, .. }
            | Action::Repeat { count, .. } => *count = count.saturating_mul(n),
            // One fills no item of its own; see `fills`.
            Action::Fill { .. } => {}
        }
    }

    /// Takes over what `next` does, if that is the same thing again.
    fn join(&mut self, next: &Action) -> bool {
        match (self, next) {
            (Action::Copy { bytes }, Action::Copy { bytes: more }) => {
                *bytes = bytes.saturating_add(*more);
                true
            }
            (Action::Swap { unit, count }, Action::Swap { unit: same, count: more })
                if unit == same =>
            {
                *count = count.saturating_add(*more);
                true
            }
            _ => false,
        }
    }
}

/// What turns one scalar into another; `None` where the cast does not allow it.
fn scalar(from: Scalar, to: Scalar, cast: Cast) -> Option<Action> {
    if from.kind() == to.kind() && from.itemsize() == to.itemsize() {
        let unit = from.swap_unit();
        if from == to || unit == 1 {
            return Some(Action::Copy { bytes: from.itemsize() });
        }
        return Some(Action::Swap { unit, count: from.itemsize().checked_div(unit).unwrap_or(0) });
    }
    match cast {
        Cast::Exact => None,
        // Text of no characters becomes zeros, also where the file has padding.
        Cast::Lossless if from.itemsize() == 0 => {
            Convert::new(from, to).map(|_| Action::Fill { bytes: vec![0; to.itemsize()] })
        }
        Cast::Lossless => {
            Convert::new(from, to).map(|convert| Action::Convert { convert, count: 1 })
        }
    }
}

/// The innermost base of a sub-array of sub-arrays, and all dimensions.
pub(crate) fn flatten(mut dtype: &DType) -> (&DType, Vec<usize>) {
    let mut dims = Vec::new();
    while let Some((base, shape)) = dtype.sub_array() {
        dims.extend_from_slice(shape);
        dtype = base;
    }
    (dtype, dims)
}

const UNKNOWN: &str =
    "add it to the struct, or drop #[npy(deny_unknown_fields)] to have such fields skipped";
const TWICE: &str = "it is an alias of a field that is there by another name, too; drop the alias";

/// The error for a field that `deny_unknown_fields` refuses.
#[cfg(feature = "npz")]
pub(crate) fn unknown(name: &str) -> Error {
    unknown_field(name, UNKNOWN)
}

fn unknown_field(name: &str, remedy: &'static str) -> Error {
    ErrorKind::UnknownField { name: name.into(), wanted_by: "the program".into(), remedy }.into()
}

pub(crate) fn missing(name: &str, fields: &[Field]) -> Error {
    const SHOWN: usize = 12;
    let mut list: Vec<String> =
        fields.iter().take(SHOWN).map(|field| format!("{:?}", field.name())).collect();
    if let Some(more @ 1..) = fields.len().checked_sub(SHOWN) {
        list.push(format!("and {more} more"));
    }
    let fields = if list.is_empty() { "none".into() } else { list.join(", ") };
    ErrorKind::MissingField { name: name.into(), wanted_by: "the program".into(), fields }.into()
}
