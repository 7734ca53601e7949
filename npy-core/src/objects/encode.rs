//! Converts objects to the canonical bytes of a dtype, so that any element type can be read from them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::known::Meaning;
use super::record::Record;
use super::{ObjectRef, cast};
use crate::calendar::{NANOSECONDS_OF_DAY, NAT, exact_div, first_day, from_nanoseconds, rescaled};
use crate::dtype::{ByteOrder, DType, Field, Kind, Scalar, ScalarKind, SubArray};
use crate::dynamic::DynArray;
use crate::element::InvalidValue;
use crate::element::exact::{copy, float, integer, to_float};
use crate::element::width;
use crate::error::Error;
use crate::limits::to_u64;
use crate::plan::remedy::raise_width;
use crate::plan::suggest::rename_or_default;
use crate::plan::{self, Cast};
use crate::schema::{ANY_WIDTH_PREFIX, DefaultBytes, FieldRules, MAX_ANY_WIDTH, ReadRules, Widths};
use crate::shape::{self, Order};
use crate::value::Value;
use npy_pickle::time::{Date, DateTime};
use npy_pickle::{Id, Value as Python};

/// The state of the conversion of all objects of an array.
#[derive(Default)]
pub(super) struct Encoder {
    /// The fields of the records in the file, by the nodes of their dtypes.
    records: HashMap<Id, Record>,
    /// The number of entries of dictionaries that were searched.
    pub(super) searched: u64,
    /// The objects whose indices were written in their place, if [`Objects::split`](super::Objects::split) wants them.
    pub(super) split: Option<Vec<Id>>,
    /// The defaults that were needed: each is made once, as for a file without objects. Functions that the linker has merged have the same
    /// result.
    defaults: HashMap<DefaultBytes, Vec<u8>>,
    /// The name of the Rust type, for errors.
    wanted_by: String,
    /// The cast of numbers that do not fit exactly.
    cast: Cast,
}

/// The value of a field. A time that is stored as a count comes with the dtype of its field.
type FieldValue<'a> = (ObjectRef<'a>, Option<Value<'static>>);

/// The values of the wanted fields, `None` for those that the object lacks; and the first field that is not wanted, if it is refused.
type Fields<'a> = (Vec<Option<FieldValue<'a>>>, Option<String>);

impl Encoder {
    /// Creates an encoder that writes the indices of objects, and collects the objects.
    pub(super) fn of_indices() -> Self {
        Encoder { split: Some(Vec::new()), ..Encoder::default() }
    }

    /// Creates an encoder for the Rust type of this name.
    pub(super) fn of_type(wanted_by: String, cast: Cast) -> Self {
        Encoder { wanted_by, cast, ..Encoder::default() }
    }

    /// Writes the object as an element of this dtype, whose numbers are little-endian. By the rules, fields are found by their aliases,
    /// too, a default replaces a missing one, and text may have any width.
    ///
    /// # Errors
    ///
    /// If the object is not a value of this dtype, or the dtype cannot hold it exactly, nor by the cast.
    pub(super) fn encode(
        &mut self,
        object: ObjectRef<'_>,
        dtype: &DType,
        rules: &ReadRules,
        out: &mut [u8],
    ) -> Result<(), InvalidValue> {
        match dtype.kind() {
            Kind::Scalar(scalar) if rules.widths == Widths::Any => {
                let encoded = text_of_any_width(object, *scalar, out);
                encoded.ok_or_else(|| {
                    let wanted = format!(
                        "text of at most {MAX_ANY_WIDTH} bytes (#[npy(width = N)] takes more)"
                    );
                    unexpected(object, &wanted)
                })
            }
            Kind::Scalar(scalar) => {
                let encoded = match &mut self.split {
                    Some(objects) if scalar.kind() == ScalarKind::Object => {
                        let index = to_u64(objects.len());
                        objects.push(object.id);
                        copy(&index.to_le_bytes(), out)
                    }
                    _ => encode_scalar(object, *scalar, out)
                        .or_else(|| cast::number(object, *scalar, self.cast, out)),
                };
                encoded.ok_or_else(|| {
                    match rules.widths {
                        Widths::UpTo => wider(object, *scalar),
                        Widths::Same | Widths::Any => None,
                    }
                    .or_else(|| by_cast(object, *scalar, out))
                    .unwrap_or_else(|| not_of(object, dtype))
                })
            }
            Kind::SubArray(sub) => {
                if let Some(array) = sub_array(object, sub, self.cast) {
                    return copy(array.as_bytes(), out).ok_or_else(|| not_of(object, dtype));
                }
                let mut slots = out.chunks_exact_mut(sub.base.itemsize().max(1));
                let items = object.iter();
                if items.len() != slots.len() {
                    return Err(unexpected(object, &format!("{} items", slots.len())));
                }
                items
                    .zip(&mut slots)
                    .try_for_each(|(item, slot)| self.encode(item, &sub.base, rules, slot))
            }
            Kind::Record(record) => {
                let (values, refused) = self.fields(object, &record.fields, rules)?;
                let no_rules = FieldRules::default();
                for (i, (field, value)) in record.fields.iter().zip(values).enumerate() {
                    let rules = rules.fields.get(i).unwrap_or(&no_rules);
                    let size = match rules.inner.widths {
                        Widths::Any => ANY_WIDTH_PREFIX.saturating_add(MAX_ANY_WIDTH),
                        Widths::Same | Widths::UpTo => field.dtype().itemsize(),
                    };
                    let slot = out.get_mut(field.offset()..).and_then(|rest| rest.get_mut(..size));
                    let slot = slot.unwrap_or_default();
                    let Some((value, time)) = value else {
                        let bytes = self.default_of(object, field, rules)?;
                        copy(bytes, slot).ok_or_else(|| not_of(object, dtype))?;
                        continue;
                    };
                    let written = match time.zip(field.dtype().scalar()) {
                        Some((time, wanted)) => encode_time(value, time, *wanted, slot)
                            .ok_or_else(|| not_of(value, field.dtype())),
                        None => self.encode(value, field.dtype(), &rules.inner, slot),
                    };
                    written.map_err(|error| error.in_field(field.name()))?;
                }
                match refused {
                    Some(name) => Err(self.unknown(&name, plan::UNKNOWN)),
                    None => Ok(()),
                }
            }
        }
    }

    /// Returns the values of the wanted fields: the fields of a record, or the values of keys in any other object. They are found by the
    /// rules by which a [`Plan`](plan::Plan) finds the fields of a file.
    fn fields<'a>(
        &mut self,
        object: ObjectRef<'a>,
        wanted: &[Field],
        rules: &ReadRules,
    ) -> Result<Fields<'a>, InvalidValue> {
        // All own names come first, because an alias may be the name of another field.
        let mut keys: Vec<(usize, &str)> = wanted.iter().map(Field::name).enumerate().collect();
        for (i, rules) in rules.fields.iter().enumerate() {
            for alias in rules.aliases {
                if keys.iter().all(|(_, key)| key != alias) {
                    keys.push((i, alias));
                }
            }
        }
        let mut found = vec![None; keys.len()];
        let refused = if let Meaning::Record(ids) = object.meaning() {
            let record = match self.records.entry(object.record) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(slot) => slot.insert(Record::of(object).map_err(invalid)?),
            };
            for ((_, key), found) in keys.iter().zip(&mut found) {
                let value = record.get(key, object, ids);
                *found = value.map(|(field, value)| (value, field.time(value)));
            }
            let is_unknown = |name: &str| keys.iter().all(|(_, key)| *key != name);
            let mut names = record.fields.iter().map(|field| &field.name);
            match rules.deny_unknown {
                true => names.find(|name| is_unknown(name)).cloned(),
                false => None,
            }
        } else {
            self.searched = self.searched.saturating_add(to_u64(object.entries().count()));
            let mut values = vec![None; keys.len()];
            let unknown = object.find(keys.iter().map(|(_, key)| *key), &mut values);
            found = values.into_iter().map(|value| Some((value?, None))).collect();
            unknown.filter(|_| rules.deny_unknown).map(ObjectRef::as_name)
        };
        let mut values = vec![None; wanted.len()];
        for ((i, key), found) in keys.into_iter().zip(found) {
            if let (Some(slot), Some(_)) = (values.get_mut(i), &found) {
                if slot.is_some() {
                    return Err(self.unknown(key, plan::TWICE));
                }
                *slot = found;
            }
        }
        Ok((values, refused))
    }

    /// Returns the bytes of the default of a field that the object lacks. Only an object with fields or keys can lack one.
    fn default_of(
        &mut self,
        object: ObjectRef<'_>,
        field: &Field,
        rules: &FieldRules,
    ) -> Result<&[u8], InvalidValue> {
        let has_keys = object.has_keys();
        let Some(default) = rules.default.filter(|_| has_keys) else {
            let missing = object.missing(field.name());
            return Err(InvalidValue::new(match has_keys {
                true => format!("{missing}; {}", rename_or_default("…")),
                false => missing,
            }));
        };
        Ok(match self.defaults.entry(default) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(slot) => {
                slot.insert(default().map_err(|error| invalid(error).in_field(field.name()))?)
            }
        })
    }

    /// The error for a field or key that the Rust type refuses.
    fn unknown(&self, name: &str, remedy: &'static str) -> InvalidValue {
        invalid(plan::unknown(name, remedy).wanted_by(&self.wanted_by))
    }
}

fn invalid(error: Error) -> InvalidValue {
    InvalidValue::new(error.into_kind().to_string())
}

/// The error for text or bytes that are longer than the `width` of their field; `None` for anything else.
fn wider(object: ObjectRef<'_>, text: Scalar) -> Option<InvalidValue> {
    let size = text.itemsize();
    let (length, unit, width, needed) = match text.kind() {
        ScalarKind::Str => {
            let length = object.as_str()?.chars().count();
            (length, "characters", size / 4, length.checked_mul(4)?)
        }
        _ => {
            let length = object.as_bytes()?.len();
            (length, "bytes", size, length)
        }
    };
    let needed = Scalar::ordered(text.kind(), needed, ByteOrder::Little);
    (length > width).then(|| {
        let (found, remedy) = (object.excerpt(), raise_width(needed));
        InvalidValue::new(format!("{found} has {length} {unit}, but `width` is {width}; {remedy}"))
    })
}

/// The error for a number that a cast converts without loss, if there is one.
fn by_cast(object: ObjectRef<'_>, scalar: Scalar, out: &mut [u8]) -> Option<InvalidValue> {
    cast::number(object, scalar, Cast::Checked, out)?;
    let reason =
        format!("expected a value of dtype {}, found {}", DType::from(scalar), object.described());
    let remedy = "ReadOptions::new().cast(Cast::Checked) converts it, or change the Rust type to one that holds it";
    Some(InvalidValue::new(reason).with_remedy(remedy.to_owned()))
}

fn not_of(object: ObjectRef<'_>, dtype: &DType) -> InvalidValue {
    unexpected(object, &format!("a value of dtype {dtype}"))
}

/// The error for an object that is not what the type expects.
pub(crate) fn unexpected(object: ObjectRef<'_>, wanted: &str) -> InvalidValue {
    let found = object.described();
    let remedy = if object.is_missing() && object.of.header.shape().is_empty() {
        "read it as an Option in an array, as in NpyArray<Option<String>>"
    } else if object.is_missing() {
        "read the elements as an Option, as in Vec<Option<String>> or NpyArray<Option<f64>>; in a field of a record, by npy_core::object::load into a struct of serde"
    } else {
        "change the Rust type to one that holds it, or read the file as Objects, which takes any object"
    };
    InvalidValue::new(format!("expected {wanted}, found {found}; {remedy}"))
}

/// Writes a scalar; `None` if the object is something else, or does not fit.
fn encode_scalar(object: ObjectRef<'_>, scalar: Scalar, out: &mut [u8]) -> Option<()> {
    let meaning = object.meaning();
    if let Meaning::Scalar(found) = meaning {
        let array = found.to_dyn(object.limits()).ok()?;
        if let Ok(cast) = array.cast(&scalar.into()) {
            return copy(cast.as_bytes(), out);
        }
        // The cast may lose other values of this dtype, but this number may still be equal.
        let value = array.get(&[])?;
        return match scalar.kind() {
            ScalarKind::Int | ScalarKind::UInt => {
                integer(object.as_i128()?, scalar.kind() == ScalarKind::Int, out)
            }
            ScalarKind::Float => float(value.as_f64()?, out),
            _ => None,
        };
    }
    match scalar.kind() {
        ScalarKind::Bool => match meaning {
            Meaning::Python(Python::Bool(value)) => copy(&[value.into()], out),
            _ => None,
        },
        ScalarKind::Int | ScalarKind::UInt => {
            let number = match meaning {
                Meaning::Python(Python::Bool(value)) => value.into(),
                _ => object.as_i128()?,
            };
            integer(number, scalar.kind() == ScalarKind::Int, out)
        }
        ScalarKind::Float => float(number(&meaning)?, out),
        ScalarKind::Complex => {
            let (re, im) = match meaning {
                Meaning::Python(Python::Complex(re, im)) => (re, im),
                _ => (number(&meaning)?, 0.0),
            };
            let (first, second) = out.split_at_mut_checked(out.len() / 2)?;
            float(re, first)?;
            float(im, second)
        }
        ScalarKind::Str => width::store_chars(&object.as_str()?, out).ok(),
        ScalarKind::Bytes => width::store_bytes(&object.as_bytes()?, out).ok(),
        ScalarKind::Void => {
            let bytes = object.as_bytes().filter(|bytes| bytes.len() == out.len())?;
            copy(&bytes, out)
        }
        ScalarKind::DateTime(resolution) => {
            let nanoseconds = match meaning {
                Meaning::Missing => return copy(&NAT.to_le_bytes(), out),
                Meaning::Python(Python::DateTime(DateTime { date, time })) => {
                    let offset = time.zone.map_or(0, |offset| offset.0);
                    midnight(date)?.checked_add(time.nanoseconds.into())?.checked_sub(offset)?
                }
                Meaning::Python(Python::Date(date)) => midnight(date)?,
                _ => return None,
            };
            copy(&from_nanoseconds(nanoseconds, resolution?, true, exact_div)?.to_le_bytes(), out)
        }
        ScalarKind::TimeDelta(resolution) => {
            let count = match meaning {
                Meaning::Missing => NAT,
                Meaning::Python(Python::TimeDelta(span)) => {
                    from_nanoseconds(span.0, resolution?, false, exact_div)?
                }
                _ => return None,
            };
            copy(&count.to_le_bytes(), out)
        }
        ScalarKind::Object => None,
    }
}

/// Writes a text of any width ([`Widths::Any`]); `None` if the object is something else, or too long.
fn text_of_any_width(object: ObjectRef<'_>, text: Scalar, out: &mut [u8]) -> Option<()> {
    let (size, out) = out.split_at_mut_checked(ANY_WIDTH_PREFIX)?;
    // The characters in use, where they can be counted: the rest of the buffer has no meaning.
    let used = match object.as_str() {
        Some(text) => text.chars().count().checked_mul(4)?,
        None => object.as_bytes().map_or(out.len(), |bytes| bytes.len()),
    };
    let out = out.get_mut(..used)?;
    copy(&u32::try_from(used).ok()?.to_le_bytes(), size)?;
    encode_scalar(object, Scalar::ordered(text.kind(), used, ByteOrder::Little), out)
}

/// Returns the elements of a nested array in C order as those of a sub-array, if it has no Python objects and they fit, exactly or by the cast.
fn sub_array(object: ObjectRef<'_>, sub: &SubArray, cast: Cast) -> Option<DynArray> {
    let Meaning::Array(array) = object.meaning() else { return None };
    // A large array that a pickle uses often is not copied each time.
    let found = shape::count(&array.shape().ok()?).ok()?;
    if array.has_objects() || found != shape::count(&sub.shape).ok()? {
        return None;
    }
    let array = object.as_array().ok()?.to_order(Order::C).ok()?;
    array.cast(&sub.base).or_else(|_| array.cast_with(&sub.base, cast)).ok()
}

/// Returns a float, or an integer that an `f64` can hold exactly.
pub(super) fn number(meaning: &Meaning<'_>) -> Option<f64> {
    match meaning {
        Meaning::Python(Python::Float(number)) => Some(*number),
        Meaning::Python(Python::Int(number)) => to_float((*number).into()),
        Meaning::Python(Python::BigInt(number)) => to_float(number.to_i128()?),
        _ => None,
    }
}

/// Returns the nanoseconds from 1970-01-01 to the begin of a date.
fn midnight(date: Date) -> Option<i128> {
    let month = i128::from(date.month).checked_sub(1)?;
    let days = first_day(date.year.into(), month)?.checked_add(date.day.into())?;
    days.checked_sub(1)?.checked_mul(NANOSECONDS_OF_DAY)
}

/// Writes an object that is the count of a time.
fn encode_time(
    object: ObjectRef<'_>,
    time: Value<'_>,
    wanted: Scalar,
    out: &mut [u8],
) -> Option<()> {
    let (count, found, wanted, is_date) = match (time, wanted.kind()) {
        (Value::DateTime(count, found), ScalarKind::DateTime(wanted)) => {
            (count, found, wanted, true)
        }
        (Value::TimeDelta(count, found), ScalarKind::TimeDelta(wanted)) => {
            (count, found, wanted, false)
        }
        _ => return encode_scalar(object, wanted, out),
    };
    let is_same = found == wanted || count == NAT;
    let count = if is_same { count } else { rescaled(count, found?, wanted?, is_date, exact_div)? };
    copy(&count.to_le_bytes(), out)
}
