//! The meaning of objects of NumPy and pandas: arrays, scalars and dtypes, records, missing values and timestamps.

use super::array::PickledArray;
use super::{Kind, ObjectRef, dtype};
use crate::calendar::{NANOSECONDS_OF_DAY, civil};
use npy_pickle::time::{Date, DateTime, Span, Time};
use npy_pickle::{Arguments, Id, Instance, NONE, Value};

/// The kind of an object, with its parts.
pub(crate) enum Meaning<'a> {
    /// A value of Python's own types, or an object of a class that this crate does not know.
    Python(Value<'a>),
    /// `NaT` or `NA` of pandas.
    Missing,
    Record(&'a [Id]),
    Array(PickledArray<'a>),
    Scalar(PickledArray<'a>),
    DType,
}

impl<'a> ObjectRef<'a> {
    /// Returns what the object is.
    pub(crate) fn meaning(self) -> Meaning<'a> {
        let object = self.object();
        match object.value() {
            Value::Tuple(items) if self.is_record(items.len()) => Meaning::Record(items),
            Value::Global if self.is_na() => Meaning::Missing,
            Value::Instance(instance) => {
                let meaning = self.instance(&instance);
                meaning.unwrap_or(Meaning::Python(Value::Instance(instance)))
            }
            value => Meaning::Python(value),
        }
    }

    /// Returns true for a tuple of this many items if it is an item of an array of records.
    fn is_record(self, items: usize) -> bool {
        self.record != NONE && dtype::field_count(self.of.pickle.object(self.record)) == items
    }

    /// Returns true for the missing value that pandas stores by its name.
    fn is_na(self) -> bool {
        let name = self.name().unwrap_or_default();
        name == "pandas.NA" || name.starts_with("pandas.") && name.ends_with(".NA")
    }

    /// Returns the meaning of a call of a function of NumPy or pandas with valid arguments.
    fn instance(self, instance: &Instance<'a>) -> Option<Meaning<'a>> {
        let call = instance.invocation.as_ref()?;
        let arguments = call.arguments;
        match (call.module(), call.name()) {
            ("numpy.core.multiarray" | "numpy.core._internal", "_reconstruct") => {
                PickledArray::of_state(self.object().state()?).map(Meaning::Array)
            }
            ("numpy.core.numeric", "_frombuffer") => {
                PickledArray::of_buffer(arguments).map(Meaning::Array)
            }
            ("numpy.core.multiarray", "scalar") => {
                PickledArray::of_scalar(arguments).map(Meaning::Scalar)
            }
            _ if dtype::is_dtype(call) => Some(Meaning::DType),
            (module, name) if module.starts_with("pandas.") => pandas(arguments, name),
            _ => None,
        }
    }
}

/// Returns the meaning of a call of a function of pandas, whose arguments are a count and the number of its unit.
fn pandas<'a>(arguments: Arguments<'a>, name: &str) -> Option<Meaning<'a>> {
    match name {
        "_nat_unpickle" | "__nat_unpickle" => Some(Meaning::Missing),
        "_unpickle_timestamp" => {
            let count = nanoseconds(arguments.int(0)?, arguments.int(3))?;
            // The count is in UTC, so the offset of a zone with rules, such as Europe/Paris, need not be known.
            let zone = arguments.zone(2).unwrap_or(Some(Span(0)));
            let time = timestamp(count, zone)?;
            Some(Meaning::Python(Value::DateTime(time)))
        }
        "_timedelta_unpickle" => {
            let span = Span(nanoseconds(arguments.int(0)?, arguments.int(1))?);
            Some(Meaning::Python(Value::TimeDelta(span)))
        }
        _ => None,
    }
}

/// Returns the nanoseconds of a count; `unit` is NumPy's number of the unit, nanoseconds if there is none.
fn nanoseconds(count: i64, unit: Option<i64>) -> Option<i128> {
    let unit = match unit {
        Some(7) => 1_000_000_000,
        Some(8) => 1_000_000,
        Some(9) => 1000,
        Some(10) | None => 1,
        Some(_) => return None,
    };
    i128::from(count).checked_mul(unit)
}

/// Returns the time of a count since 1970-01-01T00:00 in UTC.
fn timestamp(nanoseconds: i128, zone: Option<Span>) -> Option<DateTime> {
    let local = nanoseconds.saturating_add(zone.map_or(0, |offset| offset.0));
    let (year, month, day) = civil(local.div_euclid(NANOSECONDS_OF_DAY));
    let (year, month, day) = (year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?);
    let nanoseconds = local.rem_euclid(NANOSECONDS_OF_DAY).try_into().ok()?;
    Some(DateTime { date: Date { year, month, day }, time: Time { nanoseconds, zone } })
}

impl Meaning<'_> {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Meaning::Python(Value::None) => Kind::None,
            Meaning::Missing => Kind::Missing,
            Meaning::Python(Value::Bool(_)) => Kind::Bool,
            Meaning::Python(Value::Int(_) | Value::BigInt(_)) => Kind::Int,
            Meaning::Python(Value::Float(_)) => Kind::Float,
            Meaning::Python(Value::Complex(..)) => Kind::Complex,
            Meaning::Python(Value::Str) => Kind::Str,
            Meaning::Python(Value::Bytes) => Kind::Bytes,
            Meaning::Python(Value::ByteArray) => Kind::ByteArray,
            Meaning::Python(Value::List(_)) => Kind::List,
            Meaning::Python(Value::Tuple(_)) => Kind::Tuple,
            Meaning::Python(Value::Set(_)) => Kind::Set,
            Meaning::Python(Value::FrozenSet(_)) => Kind::FrozenSet,
            Meaning::Python(Value::Dict(_)) => Kind::Dict,
            Meaning::Record(_) => Kind::Record,
            Meaning::Array(_) => Kind::Array,
            Meaning::Scalar(_) => Kind::Scalar,
            Meaning::Python(Value::Date(_)) => Kind::Date,
            Meaning::Python(Value::Time(_)) => Kind::Time,
            Meaning::Python(Value::DateTime(_)) => Kind::DateTime,
            Meaning::Python(Value::TimeDelta(_)) => Kind::TimeDelta,
            Meaning::Python(Value::Decimal(_)) => Kind::Decimal,
            Meaning::Python(Value::Range(..)) => Kind::Range,
            Meaning::DType => Kind::DType,
            Meaning::Python(Value::Global) => Kind::Global,
            Meaning::Python(Value::Instance(_)) => Kind::Object,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::header::Header;
    use crate::objects::Objects;
    use crate::read::ReadNpy;
    use crate::shape::Order;
    use npy_pickle::is_data;

    /// Returns the unknown names in an array of one object, which these opcodes make.
    fn unknown(object: &[u8]) -> Vec<String> {
        let header = Header::new("|O".parse().unwrap(), [1], Order::C).unwrap();
        let array =
            b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n(I1\nt";
        let dtype = b"cnumpy\ndtype\n(S'O8'\nI0\nI1\ntRI00\n(l";
        let file = [&header.to_bytes().unwrap(), &array[..], dtype, object, b"atb."].concat();
        Objects::read_npy_from(&file[..]).unwrap().unknown_globals().collect()
    }

    /// Guards that `getattr` is data only where Python restores a time zone.
    #[test]
    fn getattr_is_harmless_for_time_zones_alone() {
        let zone = b"(czoneinfo\nZoneInfo\nX\x09\0\0\0_unpickletR(X\x03\0\0\0UTCI01\ntR";
        let all = |parts: &[&[u8]]| unknown(&parts.concat());
        assert!(all(&[b"cbuiltins\ngetattr\n", zone]).is_empty());
        assert!(all(&[b"X\x08\0\0\0builtinsX\x07\0\0\0getattr\x93", zone]).is_empty());
        let unknown: [&[&[u8]]; 8] = [
            &[b"cbuiltins\ngetattr\n(czoneinfo\nZoneInfo\nX\x09\0\0\0__class__tR"],
            &[b"cbuiltins\ngetattr\n(cdecimal\nDecimal\nX\x09\0\0\0_unpickletR"],
            &[b"cbuiltins\ngetattr\n(czoneinfo\nZoneInfo\nX\x09\0\0\0_unpickleNtR"],
            // By itself, once more in a tuple, as a key, and as a state.
            &[b"cbuiltins\ngetattr\n"],
            &[b"(cbuiltins\ngetattr\np9\n", zone, b"g9\nt"],
            &[b"cbuiltins\ngetattr\np9\n", zone, b"}g9\nNs\x86"],
            &[b"cbuiltins\ngetattr\np9\n", zone, b"0cuuid\nUUID\n(tRg9\nb"],
            // By names in another form.
            &[b"S'builtins'\nS'getattr'\n\x93", zone],
        ];
        for object in unknown {
            assert_eq!(all(object), ["builtins.getattr"], "{}", object.concat().escape_ascii());
        }
    }

    /// Guards that code which pickles can call is not taken for data.
    #[test]
    fn only_types_of_data_are_harmless() {
        for (module, name) in [
            ("numpy", "dtype"),
            ("numpy._core.multiarray", "_reconstruct"),
            ("__builtin__", "set"),
            ("datetime", "date"),
            ("pandas._libs.tslibs.timestamps", "_unpickle_timestamp"),
            // pandas 2
            ("pandas._libs.tslibs.nattype", "__nat_unpickle"),
            ("pandas._libs.tslibs.offsets", "MonthEnd"),
            // np.save(frame.to_records())
            ("numpy.rec", "recarray"),
            ("numpy", "record"),
            ("numpy._core.records", "recarray"),
            ("numpy", "complex128"),
            ("numpy.ma.core", "_mareconstruct"),
            ("uuid", "UUID"),
            ("pathlib", "PosixPath"),
            ("fractions", "Fraction"),
            ("ipaddress", "IPv4Address"),
        ] {
            assert!(is_data(module, name), "{module} {name}");
        }
        for (module, name) in [
            ("os", "system"),
            ("posix", "system"),
            ("builtins", "eval"),
            ("builtins", "getattr"),
            ("numpy", "load"),
            ("", "eval"),
            ("numpy.core.multiarray._reconstruct", "x"),
            // Modules import others.
            ("pandas._libs.lib", "np.os.system"),
            ("pandas._libs.lib.np.os", "system"),
            ("pytz", "os.system"),
            ("numpy.rec", "fromfile"),
            ("pathlib", "os.system"),
            ("uuid", "os.system"),
            ("dateutil.tz.tz", "tzfile"),
        ] {
            assert!(!is_data(module, name), "{module} {name}");
        }
    }
}
