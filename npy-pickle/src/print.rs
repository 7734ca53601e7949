//! Prints objects nearly as Python's `repr` does.

use std::cell::Cell;
use std::fmt::{self, Display, Formatter, Write};

use crate::error::to_u64;
use crate::{Id, Instance, Object, Value};

/// The most levels that are printed. Deeper objects become `...`, so that even an object that contains itself can be printed.
const MAX_DEPTH: usize = 32;
/// The most bytes of a bytes object that are printed.
const MAX_BYTES: usize = 1000;

/// The work of printing a part, in bytes that are copied or parsed. A long object counts as many parts: a pickle can use it any number of
/// times, so the work must be limited.
const PART: u64 = 64;

/// How objects are printed that this package does not know, and text.
pub trait Style {
    /// Prints a class or function, or the result of a call, of another package; `None` prints its name and the arguments.
    ///
    /// ```
    /// use std::fmt::{Formatter, Result};
    ///
    /// use npy_pickle::print::{Printer, Style, text};
    /// use npy_pickle::{Encoding, Object, Objects, Pickle};
    ///
    /// struct WithMissing;
    ///
    /// impl Style for WithMissing {
    ///     fn print(&self, object: Object<'_>, _: Printer<'_>, f: &mut Formatter<'_>) -> Option<Result> {
    ///         (object.name()? == "pandas.NA").then(|| f.write_str("NA"))
    ///     }
    /// }
    ///
    /// let objects = Objects::new(Pickle::new(b"cpandas\nNA\n.".to_vec())?, Encoding::Ascii, None)?;
    /// assert_eq!(objects.root().to_string(), "<pandas.NA>");
    /// assert_eq!(text(objects.root(), 10, &WithMissing), "NA");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    fn print(
        &self,
        object: Object<'_>,
        printer: Printer<'_>,
        f: &mut Formatter<'_>,
    ) -> Option<fmt::Result> {
        let _ = (object, printer, f);
        None
    }

    /// Returns the literal of a text.
    ///
    /// ```
    /// use npy_pickle::print::{Plain, Style};
    ///
    /// assert_eq!(Plain.quoted("it's"), r"'it\'s'");
    /// ```
    fn quoted(&self, text: &str) -> String {
        let code_points: Vec<u32> = text.chars().map(u32::from).collect();
        self.quoted_code_points(&code_points)
    }

    /// Returns the literal of a text that may have surrogates.
    ///
    /// ```
    /// use npy_pickle::print::{Plain, Style};
    ///
    /// assert_eq!(Plain.quoted_code_points(&[0x61, 0xd800]), r"'a\ud800'");
    /// ```
    fn quoted_code_points(&self, code_points: &[u32]) -> String {
        let literal = |&code: &u32| match char::from_u32(code) {
            Some(c) => c.escape_debug().to_string(),
            None => format!("\\u{code:04x}"),
        };
        format!("'{}'", code_points.iter().map(literal).collect::<String>())
    }

    /// Returns a name without characters that cannot be printed.
    ///
    /// ```
    /// use npy_pickle::print::{Plain, Style};
    ///
    /// assert_eq!(Plain.printable("a\n"), r"a\n");
    /// ```
    fn printable(&self, name: &str) -> String {
        name.escape_debug().to_string()
    }
}

/// The style of `Display`, which needs no other package.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Style for Plain {}

/// Prints the object with ten thousand parts at the most.
impl Display for Object<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&text(*self, 10_000, &Plain))
    }
}

/// Prints an object. After this many parts, the rest becomes `...`.
///
/// ```
/// use npy_pickle::print::{Plain, text};
/// use npy_pickle::{Encoding, Objects, Pickle};
///
/// let objects = Objects::new(Pickle::new(b"](K\x07Ne.".to_vec())?, Encoding::Ascii, None)?;
/// assert_eq!(text(objects.root(), 10, &Plain), "[7, None]");
/// assert_eq!(text(objects.root(), 2, &Plain), "[7, ...]");
/// # Ok::<(), npy_pickle::Error>(())
/// ```
pub fn text(object: Object<'_>, parts: usize, style: &dyn Style) -> String {
    struct Text<'a>(Object<'a>, Printer<'a>);

    impl Display for Text<'_> {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            self.1.print(self.0, f)
        }
    }

    Text(object, Printer { depth: 0, parts: &Cell::new(parts), style }).to_string()
}

/// Prints the parts of an object.
#[derive(Clone, Copy)]
pub struct Printer<'a> {
    depth: usize,
    /// The number of parts that may still be printed.
    parts: &'a Cell<usize>,
    style: &'a dyn Style,
}

impl fmt::Debug for Printer<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Printer").field("depth", &self.depth).finish_non_exhaustive()
    }
}

impl Printer<'_> {
    /// Counts the work of printing a part, in bytes.
    ///
    /// ```
    /// use npy_pickle::print::Printer;
    ///
    /// fn copy_ten_bytes(printer: Printer<'_>) {
    ///     printer.spend(10);
    /// }
    /// ```
    pub fn spend(self, work: u64) {
        let parts = usize::try_from(work / PART).unwrap_or(usize::MAX);
        self.parts.set(self.parts.get().saturating_sub(parts));
    }

    /// Prints an object that is a part of another, with its own parts.
    ///
    /// ```
    /// use std::fmt::{Formatter, Result};
    ///
    /// use npy_pickle::{Object, print::Printer};
    ///
    /// fn print_state(object: Object<'_>, printer: Printer<'_>, f: &mut Formatter<'_>) -> Result {
    ///     object.state().map_or(Ok(()), |state| printer.print(state, f))
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the formatter.
    pub fn print(self, object: Object<'_>, f: &mut Formatter<'_>) -> fmt::Result {
        if self.depth >= MAX_DEPTH || self.parts.get() == 0 {
            return f.write_str("...");
        }
        self.parts.set(self.parts.get().saturating_sub(1));
        let inner = Printer { depth: self.depth.saturating_add(1), ..self };
        let value = object.value();
        if let Value::Global | Value::Instance(_) = value
            && let Some(printed) = self.style.print(object, inner, f)
        {
            return printed;
        }
        inner.value(object, &value, f)
    }

    /// Prints parts with commas, until the work is done.
    ///
    /// ```
    /// use std::fmt::{Formatter, Result};
    ///
    /// use npy_pickle::{Object, print::Printer};
    ///
    /// fn print_all(objects: &[Object<'_>], printer: Printer<'_>, f: &mut Formatter<'_>) -> Result {
    ///     printer.list(f, objects.iter(), |f, object| printer.print(*object, f))
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the formatter.
    pub fn list<T>(
        self,
        f: &mut Formatter<'_>,
        parts: impl Iterator<Item = T>,
        mut print: impl FnMut(&mut Formatter<'_>, T) -> fmt::Result,
    ) -> fmt::Result {
        for (i, part) in parts.enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            if self.parts.get() == 0 {
                return f.write_str("...");
            }
            print(f, part)?;
        }
        Ok(())
    }

    /// Prints this value of an object.
    ///
    /// ```
    /// use std::fmt::{Formatter, Result};
    ///
    /// use npy_pickle::{Object, Value, print::Printer, time::Span};
    ///
    /// fn print_minute(object: Object<'_>, printer: Printer<'_>, f: &mut Formatter<'_>) -> Result {
    ///     printer.value(object, &Value::TimeDelta(Span(60_000_000_000)), f)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the formatter.
    pub fn value(
        self,
        object: Object<'_>,
        value: &Value<'_>,
        f: &mut Formatter<'_>,
    ) -> fmt::Result {
        match value {
            Value::None => f.write_str("None"),
            Value::Bool(value) => f.write_str(if *value { "True" } else { "False" }),
            Value::Int(number) => number.fmt(f),
            Value::BigInt(number) => {
                self.spend(to_u64(number.work()));
                number.fmt(f)
            }
            Value::Float(number) => f.write_str(&float_repr(*number)),
            Value::Complex(re, im) => f.write_str(&complex_repr(*re, *im)),
            Value::Str => {
                self.spend(object.length());
                match object.text() {
                    Ok(text) => f.write_str(&self.style.quoted(&text)),
                    Err(_) => match (object.bytes(), object.code_points()) {
                        (Some(bytes), _) => byte_string(f, &bytes),
                        (None, Some(text)) => f.write_str(&self.style.quoted_code_points(&text)),
                        (None, None) => f.write_str("<malformed text>"),
                    },
                }
            }
            Value::Bytes => self.bytes(object, f),
            Value::ByteArray => {
                f.write_str("bytearray(")?;
                self.bytes(object, f)?;
                f.write_char(')')
            }
            Value::List(ids) => self.items(object, "[", ids, "]", f),
            // A tuple of one item ends with a comma.
            Value::Tuple(ids @ [_]) => self.items(object, "(", ids, ",)", f),
            Value::Tuple(ids) => self.items(object, "(", ids, ")", f),
            Value::Set([]) => f.write_str("set()"),
            Value::Set(ids) => self.items(object, "{", ids, "}", f),
            Value::FrozenSet([]) => f.write_str("frozenset()"),
            Value::FrozenSet(ids) => self.items(object, "frozenset({", ids, "})", f),
            Value::Dict(pairs) => self.entries(object, pairs, f),
            Value::Date(date) => write!(f, "date({date})"),
            Value::Time(time) => write!(f, "time({time})"),
            Value::DateTime(time) => write!(f, "datetime({time})"),
            Value::TimeDelta(span) => span.fmt(f),
            Value::Decimal(digits) => {
                self.spend(to_u64(digits.len()));
                write!(f, "Decimal({})", self.style.quoted(digits))
            }
            Value::Range(range) => range.fmt(f),
            Value::Global => {
                f.write_char('<')?;
                self.name(object, f)?;
                f.write_char('>')
            }
            Value::Instance(instance) => self.instance(object, instance, f),
        }
    }

    fn items(
        self,
        of: Object<'_>,
        open: &str,
        ids: &[Id],
        close: &str,
        f: &mut Formatter<'_>,
    ) -> fmt::Result {
        f.write_str(open)?;
        self.list(f, ids.iter(), |f, &id| self.print(of.objects().object(id), f))?;
        f.write_str(close)
    }

    fn entries(self, of: Object<'_>, pairs: &[Id], f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('{')?;
        self.list(f, pairs.as_chunks().0.iter(), |f, &[key, value]| {
            self.print(of.objects().object(key), f)?;
            f.write_str(": ")?;
            self.print(of.objects().object(value), f)
        })?;
        f.write_char('}')
    }

    fn bytes(self, object: Object<'_>, f: &mut Formatter<'_>) -> fmt::Result {
        self.spend(object.length());
        match object.bytes() {
            Some(bytes) => byte_string(f, &bytes),
            None => f.write_str("<malformed bytes>"),
        }
    }

    /// Prints the name of a class or function.
    fn name(self, object: Object<'_>, f: &mut Formatter<'_>) -> fmt::Result {
        let name = object.name();
        let name = name.as_deref().unwrap_or("?");
        self.spend(to_u64(name.len()));
        f.write_str(&self.style.printable(name))
    }

    /// Prints the call that makes an object, its attributes, and its contents if it is a list or a dictionary.
    fn instance(
        self,
        object: Object<'_>,
        instance: &Instance<'_>,
        f: &mut Formatter<'_>,
    ) -> fmt::Result {
        f.write_char('<')?;
        self.name(object, f)?;
        if let Some(arguments) = object.arguments() {
            self.print(arguments, f)?;
        }
        if let Some(state) = object.state() {
            f.write_str(" state ")?;
            self.print(state, f)?;
        }
        if !instance.items().is_empty() {
            self.items(object, " items [", instance.items(), "]", f)?;
        }
        if !instance.pairs().is_empty() {
            f.write_str(" entries ")?;
            self.entries(object, instance.pairs(), f)?;
        }
        f.write_char('>')
    }
}

/// Returns a float as Python prints it.
fn float_repr(number: f64) -> String {
    if number.is_nan() {
        return "nan".into();
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !is_plain(exponent) => {
            // Python writes the sign of an exponent, and at least two digits.
            let (sign, size) = match exponent.strip_prefix('-') {
                Some(size) => ('-', size),
                None => ('+', exponent),
            };
            format!("{digits}e{sign}{size:0>2}")
        }
        _ => format!("{number:?}"),
    }
}

/// Returns true if Python prints floats of this exponent without it.
fn is_plain(exponent: &str) -> bool {
    exponent.parse::<i32>().is_ok_and(|exponent| (-4..16).contains(&exponent))
}

/// Returns a complex number as Python prints it: `(1.5-2j)`, or `2j` if the real part is a zero without a sign.
fn complex_repr(re: f64, im: f64) -> String {
    let [re_text, im_text] = [re, im].map(float_repr);
    let im_text = im_text.strip_suffix(".0").unwrap_or(&im_text);
    if re == 0.0 && re.is_sign_positive() {
        return format!("{im_text}j");
    }
    let re_text = re_text.strip_suffix(".0").unwrap_or(&re_text);
    let sign = if im_text.starts_with('-') { "" } else { "+" };
    format!("({re_text}{sign}{im_text}j)")
}

/// Prints bytes as a Python literal. Of more than a thousand bytes, only the first are shown, and their number.
fn byte_string(f: &mut Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    let shown = bytes.get(..MAX_BYTES).unwrap_or(bytes);
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { '"' } else { '\'' };
    write!(f, "b{quote}")?;
    for &byte in shown {
        match byte {
            b'\'' | b'"' if char::from(byte) != quote => f.write_char(char::from(byte))?,
            _ => write!(f, "{}", byte.escape_ascii())?,
        }
    }
    f.write_char(quote)?;
    if shown.len() < bytes.len() { write!(f, "... ({} bytes)", bytes.len()) } else { Ok(()) }
}
