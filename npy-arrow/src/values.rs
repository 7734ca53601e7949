//! The Arrow type that the values of a scalar have.

use arrow_schema::{DataType, TimeUnit};
use npy_core::dtype::{DType, Resolution, Scalar, ScalarKind, Unit};
use npy_core::{ByteOrder, Float8Format};

use crate::error::{Error, Result};
use crate::options::Options;

/// How the values of a scalar are stored in Arrow's arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// A bit each, where NumPy has a byte.
    Bool,
    /// The bytes of NumPy in the byte order of the machine.
    Number(DataType),
    /// Two floats of this type.
    Complex(DataType),
    /// Counts of 64 bits; the lowest stands for a missing value: the bytes of NumPy's `unit`, a dtype in the byte order of the machine.
    Time { data_type: DataType, unit: DType },
    /// Days in 32 bits.
    Date,
    /// `Float64` for a long double.
    LongDouble,
    /// `Float32` for two bytes.
    BFloat16,
    /// `Float32` for one byte.
    Float8(Float8Format),
    /// Bytes without the zeros at the end.
    Bytes,
    /// The same as text.
    Ascii,
    /// Code points as UTF-8.
    Text,
    /// Bytes as they are.
    Raw(i32),
    /// Python objects, which are text or `None`.
    Objects,
}

impl Values {
    /// Returns how the values of this scalar are stored.
    pub(crate) fn of(scalar: &Scalar, options: &Options) -> Result<Values> {
        let size = scalar.itemsize();
        Ok(match scalar.kind() {
            ScalarKind::Bool => Values::Bool,
            ScalarKind::Int => Values::Number(match size {
                1 => DataType::Int8,
                2 => DataType::Int16,
                4 => DataType::Int32,
                _ => DataType::Int64,
            }),
            ScalarKind::UInt => Values::Number(match size {
                1 => DataType::UInt8,
                2 => DataType::UInt16,
                4 => DataType::UInt32,
                _ => DataType::UInt64,
            }),
            ScalarKind::Float => match size {
                2 => Values::Number(DataType::Float16),
                4 => Values::Number(DataType::Float32),
                8 => Values::Number(DataType::Float64),
                _ if options.long_double_as_f64 => Values::LongDouble,
                _ => raw(size)?,
            },
            ScalarKind::Complex => match size {
                8 => Values::Complex(DataType::Float32),
                16 => Values::Complex(DataType::Float64),
                _ => raw(size)?,
            },
            ScalarKind::DateTime(resolution) => match resolution.and_then(point) {
                Some(Target::Date) => Values::Date,
                Some(Target::Unit(unit)) => Values::Time {
                    data_type: DataType::Timestamp(unit, None),
                    unit: time(ScalarKind::DateTime, unit)?,
                },
                None => Values::Time { data_type: DataType::Int64, unit: native(scalar) },
            },
            ScalarKind::TimeDelta(resolution) => match resolution.and_then(span) {
                Some(unit) => Values::Time {
                    data_type: DataType::Duration(unit),
                    unit: time(ScalarKind::TimeDelta, unit)?,
                },
                None => Values::Time { data_type: DataType::Int64, unit: native(scalar) },
            },
            ScalarKind::Bytes if options.text_from_bytes => Values::Ascii,
            ScalarKind::Bytes => Values::Bytes,
            ScalarKind::Str => Values::Text,
            ScalarKind::Void
                if size == 2 && (options.bfloat16 || scalar.byte_order().is_some()) =>
            {
                Values::BFloat16
            }
            ScalarKind::Void => match options.float8 {
                Some(format) if size == 1 => Values::Float8(format),
                _ => raw(size)?,
            },
            ScalarKind::Object => Values::Objects,
            kind => {
                return Err(Error::other(format!(
                    "values of the kind {kind:?} have no Arrow type"
                )));
            }
        })
    }

    /// Returns the Arrow type. That of complex numbers needs a field of its own: see `schema`.
    pub(crate) fn data_type(&self) -> DataType {
        match self {
            Values::Bool => DataType::Boolean,
            Values::Number(data_type) | Values::Complex(data_type) => data_type.clone(),
            Values::Time { data_type, .. } => data_type.clone(),
            Values::Date => DataType::Date32,
            Values::LongDouble => DataType::Float64,
            Values::BFloat16 | Values::Float8(_) => DataType::Float32,
            Values::Bytes => DataType::Binary,
            Values::Ascii | Values::Text | Values::Objects => DataType::Utf8,
            Values::Raw(size) => DataType::FixedSizeBinary(*size),
        }
    }

    /// Returns true if NumPy has a missing value of its own, NaT or `None`.
    pub(crate) fn is_nullable(&self) -> bool {
        matches!(self, Values::Time { .. } | Values::Date | Values::Objects)
    }
}

/// The Arrow types of points in time.
enum Target {
    Date,
    Unit(TimeUnit),
}

/// Returns the Arrow type for points in time; `None` for units that are finer than nanoseconds.
fn point(resolution: Resolution) -> Option<Target> {
    Some(match resolution.unit {
        Unit::Year | Unit::Month | Unit::Week | Unit::Day => Target::Date,
        unit => Target::Unit(shorter_than_days(unit)?),
    })
}

/// Returns the Arrow unit for spans; `None` for units that are finer than nanoseconds, and for years and months, whose length differs.
fn span(resolution: Resolution) -> Option<TimeUnit> {
    match resolution.unit {
        Unit::Year | Unit::Month => None,
        Unit::Week | Unit::Day => Some(TimeUnit::Second),
        unit => shorter_than_days(unit),
    }
}

fn shorter_than_days(unit: Unit) -> Option<TimeUnit> {
    match unit {
        Unit::Hour | Unit::Minute | Unit::Second => Some(TimeUnit::Second),
        Unit::Millisecond => Some(TimeUnit::Millisecond),
        Unit::Microsecond => Some(TimeUnit::Microsecond),
        Unit::Nanosecond => Some(TimeUnit::Nanosecond),
        _ => None,
    }
}

/// Returns the dtype of times in a unit of Arrow, in the byte order of the machine.
pub(crate) fn time(kind: fn(Option<Resolution>) -> ScalarKind, unit: TimeUnit) -> Result<DType> {
    let unit = match unit {
        TimeUnit::Second => Unit::Second,
        TimeUnit::Millisecond => Unit::Millisecond,
        TimeUnit::Microsecond => Unit::Microsecond,
        TimeUnit::Nanosecond => Unit::Nanosecond,
    };
    native_of(kind(Some(Resolution { multiple: 1, unit })), 8)
}

/// Returns the dtype of the days of `Date32`, in the byte order of the machine.
pub(crate) fn days() -> Result<DType> {
    let resolution = Resolution { multiple: 1, unit: Unit::Day };
    native_of(ScalarKind::DateTime(Some(resolution)), 8)
}

/// Returns a dtype in the byte order of the machine.
pub(crate) fn native_of(kind: ScalarKind, itemsize: usize) -> Result<DType> {
    Ok(native(&Scalar::new(kind, itemsize)?))
}

/// Returns a scalar in the byte order of the machine.
pub(crate) fn native(scalar: &Scalar) -> DType {
    scalar.with_byte_order(ByteOrder::NATIVE).into()
}

fn raw(size: usize) -> Result<Values> {
    let size = i32::try_from(size)
        .map_err(|_| Error::other(format!("{size} bytes are too many for one value of Arrow")))?;
    Ok(Values::Raw(size))
}
