//! The steps that convert items of one dtype to items of another.
//!
//! A [`Plan`] is made once per file. [`kernel`](crate::kernel) runs it once per block.

mod cast;
pub(crate) mod convert;
pub(crate) mod remedy;
pub(crate) mod suggest;

use std::collections::HashMap;

use crate::checked;
use crate::dtype::{ByteOrder, DType, Field, Kind, Record, Scalar, ScalarKind};
use crate::error::{Error, ErrorKind, Result};
use crate::literal::text::Text;
use crate::schema::{ANY_WIDTH_PREFIX, FieldRules, MAX_ANY_WIDTH, ReadRules, Schema, Widths};
use crate::shape;

pub use cast::Cast;
use convert::Convert;
use remedy::{STATE_WIDTH, by_elements, naming_field, raise_width, remedy};
use suggest::missing;
pub(crate) use suggest::part_at;

/// The steps that convert items of one dtype to items of another.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) src_itemsize: usize,
    pub(crate) dst_itemsize: usize,
    pub(crate) strategy: Strategy,
    /// True if a value may not fit, so that each block is checked before it is converted.
    pub(crate) is_checked: bool,
}

/// The three strategies, from the cheapest to the most general.
#[derive(Clone)]
pub(crate) enum Strategy {
    /// The bytes are the same.
    Exact,
    /// Every scalar stays at its offset in the item; the steps byte-swap some of them in place.
    Swapped {
        steps: Vec<Step>,
        /// True if the steps swap every number: in the other byte order, the items of the file are those of the type.
        all: bool,
    },
    /// The steps write new items.
    General(Vec<Step>),
}

/// An action that makes one part of the converted item from one part of the item of the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// The offset in the item of the file.
    pub(crate) from: usize,
    /// The offset in the converted item.
    pub(crate) to: usize,
    pub(crate) action: Action,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// Copies bytes.
    Copy { bytes: usize },
    /// Writes these bytes, whatever is in the file.
    Fill { bytes: Vec<u8> },
    /// Copies bytes, and byte-swaps them in units of `unit` bytes.
    Swap { unit: usize, bytes: usize },
    /// Converts a scalar.
    Convert(Convert),
    /// Runs the steps on each element of a sub-array.
    Repeat { count: usize, from_stride: usize, to_stride: usize, steps: Vec<Step> },
}

impl DType {
    /// Checks that elements of this dtype can be converted to another one by this cast: `Ok`, or the error that a reader would return before
    /// it reads an element. A value may still not fit, where the cast looks at each ([`Cast::Checked`], or shorter text with
    /// [`Cast::Lossless`]).
    ///
    /// ```
    /// use npy_core::{Cast, DType, Element};
    ///
    /// let narrow: DType = "[('id', '<u2'), ('gain', '>f4')]".parse()?;
    /// let wide: DType = "[('gain', '<f8'), ('id', '<i4')]".parse()?;
    /// narrow.converts_to(&wide, Cast::Lossless)?;
    /// assert!(wide.converts_to(&narrow, Cast::Lossless).is_err());
    /// assert!(u8::dtype().converts_to(&f64::dtype(), Cast::Exact).is_err());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Mismatch`] and [`ErrorKind::MissingField`], with the path of the field.
    pub fn converts_to(&self, wanted: &DType, cast: Cast) -> Result<()> {
        Plan::new(self, wanted, cast).map(drop)
    }
}

impl Plan {
    /// Plans the conversion from items of the dtype `from` to items of the dtype `to`. Fields are matched by name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Mismatch`] and [`ErrorKind::MissingField`], with the path of the field.
    pub(crate) fn new(from: &DType, to: &DType, cast: Cast) -> Result<Plan> {
        Plan::reading(from, &Schema::plain(to.clone()), cast)
    }

    /// Plans the conversion from items of a file to the schema of a type.
    ///
    /// # Errors
    ///
    /// As [`Plan::new`]; also [`ErrorKind::UnknownField`], and [`ErrorKind::InvalidValue`] for a default.
    pub(crate) fn reading(from: &DType, to: &Schema, cast: Cast) -> Result<Plan> {
        let (src_itemsize, dst_itemsize) = (from.itemsize(), to.dtype.itemsize());
        let same_size = src_itemsize == dst_itemsize;
        let (mut steps, is_checked) = steps_of_items(from, to, cast)?;
        let in_place = |swaps| same_size && steps.iter().all(|step| step.is_in_place(swaps));
        let strategy = if in_place(false) {
            Strategy::Exact
        } else if in_place(true) {
            steps.retain(|step| matches!(step.action, Action::Swap { .. }));
            Strategy::Swapped { all: is_swapped(from, to), steps }
        } else {
            Strategy::General(steps)
        };
        Ok(Plan { src_itemsize, dst_itemsize, strategy, is_checked })
    }

    /// Plans the conversion from the part of each record at a path (`"head.gain"`, `"samples[3]"`) to the schema of a type.
    ///
    /// # Errors
    ///
    /// As [`Plan::reading`]; [`ErrorKind::MissingField`] if there is no such field.
    pub(crate) fn column(from: &DType, path: &str, to: &Schema, cast: Cast) -> Result<Plan> {
        let part = part_at(from, path)?;
        let steps = steps(&part.dtype()?, to, cast, part.offset(), path.to_owned());
        let (steps, is_checked) =
            steps.map_err(|error| by_elements(error, &part, &to.dtype).in_field(path))?;
        let (src_itemsize, dst_itemsize) = (from.itemsize(), to.dtype.itemsize());
        Ok(Plan { src_itemsize, dst_itemsize, strategy: Strategy::General(steps), is_checked })
    }

    /// Returns true if items are converted in place.
    pub(crate) fn is_in_place(&self) -> bool {
        !matches!(self.strategy, Strategy::General(_))
    }

    /// Returns true if the bytes are the same.
    pub(crate) fn is_exact(&self) -> bool {
        matches!(self.strategy, Strategy::Exact)
    }

    /// Returns true if items are converted by byte-swapping every number in place.
    pub(crate) fn swaps_all(&self) -> bool {
        matches!(self.strategy, Strategy::Swapped { all: true, .. })
    }

    /// Returns the offset of the converted item within the item of the file, if its bytes are there in one piece and unchanged: it is one
    /// field, or several adjacent ones.
    pub(crate) fn contiguous_at(&self) -> Option<usize> {
        let Strategy::General(steps) = &self.strategy else { return None };
        match steps.as_slice() {
            [Step { from, to: 0, action: Action::Copy { bytes } }] => {
                (*bytes == self.dst_itemsize).then_some(*from)
            }
            _ => None,
        }
    }
}

/// The offset in the item of the file, and that in the converted item.
type Offsets = (usize, usize);

/// Returns the steps from an item of the file to an item of the schema, and true if one of them checks values.
fn steps_of_items(from: &DType, to: &Schema, cast: Cast) -> Result<(Vec<Step>, bool)> {
    // Between equal dtypes, each field is found by its own name, so that the other rules have no effect.
    match *from == to.dtype && !to.rules.has_any_width() {
        true => Ok(Default::default()),
        false => steps(from, to, cast, 0, String::new()),
    }
}

/// Returns true if items of the file become those of the schema without any step, once the schema is big-endian. Fields are matched by the
/// rules, so that titles, aliases and the shapes of nested sub-arrays may differ. The items have the same size.
fn is_swapped(from: &DType, to: &Schema) -> bool {
    let dtype = to.dtype.with_byte_order(ByteOrder::Big);
    let big = Schema { dtype, rules: to.rules.clone() };
    let steps = steps_of_items(from, &big, Cast::Exact);
    steps.is_ok_and(|(steps, _)| steps.iter().all(|step| step.is_in_place(false)))
}

/// Returns the steps from a part of an item of the file, at this offset and path, to an item, and true if one of them checks values.
fn steps(
    part: &DType,
    to: &Schema,
    cast: Cast,
    offset: usize,
    path: String,
) -> Result<(Vec<Step>, bool)> {
    let mut steps = Vec::new();
    let mut builder = Builder { cast, steps: &mut steps, path };
    builder.convert(part, &to.dtype, &to.rules, (offset, 0))?;
    let is_checked = steps.iter().any(|step| step.action.is_checked());
    Ok((steps, is_checked))
}

/// Appends the steps of a plan to a list.
struct Builder<'s> {
    cast: Cast,
    steps: &'s mut Vec<Step>,
    /// The path of the current field; empty outside a record.
    path: String,
}

impl Builder<'_> {
    /// Adds the steps that convert the dtype `from` to the dtype `to` at these offsets. The recursion is as deep as the dtypes, whose
    /// nesting is limited.
    fn convert(&mut self, from: &DType, to: &DType, rules: &ReadRules, at: Offsets) -> Result<()> {
        match (from.kind(), to.kind()) {
            (Kind::Scalar(f), Kind::Scalar(t)) => {
                self.scalar((from, *f), (to, *t), rules.widths, at)
            }
            (Kind::Record(f), Kind::Record(t)) => self.record(f, t, rules, at),
            (Kind::SubArray(_), Kind::SubArray(_)) => self.repeat(from, to, rules, at),
            // The canonical layout of such a text means nothing to a user.
            (_, Kind::Record(record)) if rules.has_any_width() => {
                let names: Vec<_> =
                    record.fields.iter().map(|field| format!("{:?}", field.name())).collect();
                let wanted = format!("records with the fields {}", names.join(", "));
                Err(mismatch(from, wanted, remedy(from, to, self.cast)))
            }
            _ => Err(self.mismatch(from, to)),
        }
    }

    fn scalar(
        &mut self,
        (from_dtype, from): (&DType, Scalar),
        (to_dtype, to): (&DType, Scalar),
        widths: Widths,
        at: Offsets,
    ) -> Result<()> {
        let is_same_kind = from.kind() == to.kind();
        let (action, wider) = match widths {
            Widths::Any if is_same_kind => return self.text_of_any_width(from, at),
            Widths::Any => {
                let remedy = remedy(from_dtype, to_dtype, self.cast);
                return Err(mismatch(from_dtype, any_width(to), remedy));
            }
            Widths::UpTo if is_same_kind => {
                let fits = from.itemsize() <= to.itemsize();
                (scalar(from, to, Cast::Lossless).filter(|_| fits), Some(raise_width(from)))
            }
            Widths::UpTo | Widths::Same => (scalar(from, to, self.cast), None),
        };
        let mut action = action.ok_or_else(|| match wider {
            Some(remedy) => mismatch(from_dtype, to_dtype.excerpt(), remedy),
            None => self.mismatch(from_dtype, to_dtype),
        })?;
        if let Action::Convert(Convert { is_checked: true, field, .. }) = &mut action {
            field.clone_from(&self.path);
        }
        self.push(Step { from: at.0, to: at.1, action });
        Ok(())
    }

    /// Adds the steps for a text of any width ([`Widths::Any`]).
    fn text_of_any_width(&mut self, text: Scalar, (start, target): Offsets) -> Result<()> {
        let bytes = text.itemsize();
        let little = Scalar::ordered(text.kind(), bytes, ByteOrder::Little);
        let action = scalar(text, little, Cast::Exact).filter(|_| bytes <= MAX_ANY_WIDTH);
        let (Some(action), Ok(size)) = (action, u32::try_from(bytes)) else {
            let wanted = format!("{} up to {MAX_ANY_WIDTH} bytes", any_width(text));
            return Err(mismatch(&text.into(), wanted, STATE_WIDTH));
        };
        let prefix = size.to_le_bytes().to_vec();
        self.push(Step { from: start, to: target, action: Action::Fill { bytes: prefix } });
        let target = checked::add(target, ANY_WIDTH_PREFIX);
        self.push(Step { from: start, to: target, action });
        Ok(())
    }

    fn record(&mut self, from: &Record, to: &Record, rules: &ReadRules, at: Offsets) -> Result<()> {
        let (start, target) = at;
        let no_rules = FieldRules::default();
        let mut unmatched: HashMap<&Text, &Field> =
            from.fields.iter().map(|field| (field.exact_name(), field)).collect();
        // Matches all fields by their own names first, because an alias may be the name of another field.
        let mut found: Vec<Option<&Field>> =
            to.fields.iter().map(|wanted| unmatched.remove(wanted.exact_name())).collect();
        for (i, (wanted, found)) in to.fields.iter().zip(&mut found).enumerate() {
            let rules = rules.fields.get(i).unwrap_or(&no_rules);
            for alias in rules.aliases {
                let other = unmatched.remove(&Text::new(*alias));
                if let (Some(_), Some(other)) = (&found, other) {
                    return Err(unknown(other.name(), TWICE));
                }
                *found = found.or(other);
            }
            let into = checked::add(target, wanted.offset());
            if let Some(found) = found {
                let at = (checked::add(start, found.offset()), into);
                let outer = self.path.len();
                self.path.extend((outer > 0).then_some('.'));
                self.path.push_str(found.name());
                self.convert(found.dtype(), wanted.dtype(), &rules.inner, at)
                    .map_err(|error| naming_field(error, found.dtype()).in_field(found.name()))?;
                self.path.truncate(outer);
            } else {
                let is_free = |field: &Field| unmatched.contains_key(field.exact_name());
                let default =
                    rules.default.ok_or_else(|| missing(wanted.name(), &from.fields, is_free))?;
                let bytes = default().map_err(|error| error.in_field(wanted.name()))?;
                self.push(Step { from: start, to: into, action: Action::Fill { bytes } });
            }
        }
        // The error names the first unmatched field in the order of the file, as the order of the map is random.
        let refused = from.fields.iter().find(|field| unmatched.contains_key(field.exact_name()));
        match refused.filter(|_| rules.deny_unknown) {
            Some(field) => Err(unknown(field.name(), UNKNOWN)),
            None => Ok(()),
        }
    }

    fn repeat(&mut self, from: &DType, to: &DType, rules: &ReadRules, at: Offsets) -> Result<()> {
        // A sub-array `(2,)` of `(3,)` has the same bytes as one of `(2, 3)`.
        let ((f, f_shape), (t, t_shape)) = (from.flat(), to.flat());
        if f_shape != t_shape {
            return Err(self.mismatch(from, to));
        }
        let mut steps = Vec::new();
        let path = std::mem::take(&mut self.path);
        let mut inner = Builder { cast: self.cast, steps: &mut steps, path };
        let converted = inner.convert(f, t, rules, (0, 0));
        self.path = inner.path;
        converted?;
        let count = shape::count(&f_shape)?;
        let (from_stride, to_stride) = (f.itemsize(), t.itemsize());
        let action = match steps.as_mut_slice() {
            // If one copy or swap covers an entire element, a longer one covers all elements.
            [
                Step {
                    from: 0,
                    to: 0,
                    action: Action::Copy { bytes } | Action::Swap { bytes, .. },
                },
            ] if *bytes == from_stride && *bytes == to_stride => {
                *bytes = checked::mul(*bytes, count);
                steps.pop().map(|step| step.action)
            }
            [] => None,
            _ => Some(Action::Repeat { count, from_stride, to_stride, steps }),
        };
        if let Some(action) = action {
            self.push(Step { from: at.0, to: at.1, action });
        }
        Ok(())
    }

    /// Adds a step, or extends the last one if the new one continues it.
    fn push(&mut self, step: Step) {
        let (from_size, to_size) = step.action.sizes();
        if to_size == 0 {
            return;
        }
        if let Some(last) = self.steps.last_mut() {
            let (from, to) = last.action.sizes();
            let adjoins =
                step.from == checked::add(last.from, from) && step.to == checked::add(last.to, to);
            let is_like = match (&last.action, &step.action) {
                (Action::Copy { .. }, Action::Copy { .. }) => true,
                (Action::Swap { unit, .. }, Action::Swap { unit: same, .. }) => unit == same,
                _ => false,
            };
            if let Action::Copy { bytes } | Action::Swap { bytes, .. } = &mut last.action
                && adjoins
                && is_like
            {
                *bytes = checked::add(*bytes, from_size);
                return;
            }
        }
        self.steps.push(step);
    }

    fn mismatch(&self, from: &DType, to: &DType) -> Error {
        mismatch(from, to.excerpt(), remedy(from, to, self.cast))
    }
}

/// Returns the error for a file of another dtype than is wanted. [`Error::wanted_by`] names the type that wants it.
pub(crate) fn mismatch(from: &DType, wanted: String, remedy: impl Into<String>) -> Error {
    ErrorKind::Mismatch {
        in_memory: false,
        found: from.excerpt(),
        wanted,
        wanted_by: "the program".into(),
        remedy: remedy.into(),
    }
    .into()
}

fn any_width(text: Scalar) -> String {
    let code = if text.kind() == ScalarKind::Str { "<U" } else { "|S" };
    format!("'{code}' of any width")
}

impl Step {
    /// Returns true if the bytes stay at the same offset, unchanged or (with `swaps`) byte-swapped.
    fn is_in_place(&self, swaps: bool) -> bool {
        let same = match &self.action {
            Action::Copy { .. } => true,
            Action::Swap { .. } => swaps,
            Action::Repeat { from_stride, to_stride, steps, .. } => {
                from_stride == to_stride && steps.iter().all(|step| step.is_in_place(false))
            }
            Action::Fill { .. } | Action::Convert(_) => false,
        };
        same && self.from == self.to
    }
}

impl Action {
    /// Returns true if a value may not fit.
    fn is_checked(&self) -> bool {
        match self {
            Action::Convert(convert) => convert.is_checked,
            Action::Repeat { steps, .. } => steps.iter().any(|step| step.action.is_checked()),
            _ => false,
        }
    }

    /// Returns the number of bytes that it covers in the item of the file and in the converted item.
    fn sizes(&self) -> (usize, usize) {
        match self {
            Action::Copy { bytes } | Action::Swap { bytes, .. } => (*bytes, *bytes),
            Action::Fill { bytes } => (0, bytes.len()),
            Action::Convert(Convert { from, to, .. }) => (from.itemsize(), to.itemsize()),
            Action::Repeat { count, from_stride, to_stride, .. } => {
                (checked::mul(*from_stride, *count), checked::mul(*to_stride, *count))
            }
        }
    }
}

/// Returns the action that converts a scalar to another; `None` if the cast does not allow it.
fn scalar(from: Scalar, to: Scalar, cast: Cast) -> Option<Action> {
    let bytes = from.itemsize();
    if from.kind() == to.kind() && bytes == to.itemsize() {
        // Raw bytes without an order count as little-endian numbers of ml_dtypes.
        let is_big = |scalar: Scalar| scalar.byte_order() == Some(ByteOrder::Big);
        let unit = from.swap_unit().max(to.swap_unit());
        let same = is_big(from) == is_big(to) || unit == 1;
        return Some(if same { Action::Copy { bytes } } else { Action::Swap { unit, bytes } });
    }
    let convert = Convert::new(from, to, cast)?;
    // An empty text has no bytes of its own to copy (those at its offset are of another field), so the result is filled with zeros.
    let zeros = || Action::Fill { bytes: vec![0; to.itemsize()] };
    Some(if bytes == 0 { zeros() } else { Action::Convert(convert) })
}

/// The advice for a field that `deny_unknown_fields` refuses.
pub(crate) const UNKNOWN: &str =
    "add it to the struct, or drop #[npy(deny_unknown_fields)] to have such fields skipped";
/// The advice for a field that an alias names, if the file also has the field by another name.
pub(crate) const TWICE: &str =
    "it is an alias of a field that the file also has by another name; drop the alias";

/// Returns the error for a field of the file that the type refuses.
pub(crate) fn unknown(name: &str, remedy: &'static str) -> Error {
    ErrorKind::UnknownField { name: name.into(), wanted_by: "the program".into(), remedy }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards the fast path of big-endian records: a title, an alias or a nested sub-array in the file does not take it away, and a number that
    /// is not swapped does.
    #[test]
    fn all_numbers_are_swapped_whatever_the_names() {
        let time = FieldRules { aliases: &["t0"], ..FieldRules::default() };
        let rules = ReadRules { fields: vec![FieldRules::default(), time], ..ReadRules::default() };
        for (file, swaps_all) in [
            ("[('gain', '>f4'), ('time', '>i8', (2, 3)), ('raw', '<V2')]", false),
            ("[('gain', '>f4'), ('time', '>i8', (2, 3)), ('raw', '|V2')]", false),
            ("[('gain', '>f4'), ('time', '>i8', (2, 3)), ('raw', '>V2')]", true),
            ("[(('in dB', 'gain'), '>f4'), ('time', '>i8', (2, 3)), ('raw', '>V2')]", true),
            ("[('gain', '>f4'), ('t0', '>i8', (2, 3)), ('raw', '>V2')]", true),
            ("[('gain', '>f4'), ('time', ('>i8', (3,)), (2,)), ('raw', '>V2')]", true),
            ("[('gain', '<f4'), ('t0', '>i8', (2, 3)), ('raw', '>V2')]", false),
            ("[('gain', '<f4'), ('t0', '<i8', (2, 3)), ('raw', '<V2')]", false),
        ] {
            let dtype = "[('gain', '<f4'), ('time', '<i8', (2, 3)), ('raw', '<V2')]";
            let schema = Schema { dtype: dtype.parse().unwrap(), rules: rules.clone() };
            let plan = Plan::reading(&file.parse().unwrap(), &schema, Cast::Exact).unwrap();
            assert!(plan.is_in_place(), "{file}");
            assert_eq!(plan.swaps_all(), swaps_all, "{file}");
        }
    }
}
