//! `npy diff A B`: compares the headers of two files, then their rows; of archives, each member.

mod class_names;
mod exact;
mod excerpt;
mod instance;
mod instants;
mod objects;
mod pairs;
mod ranges;
mod weak;

use std::collections::HashMap;
use std::io::Write;

use npy_core::dtype::{Field, Scalar, ScalarKind};
use npy_core::object::Kind;
use npy_core::{
    ByteOrder, Cast, DType, DynArray, ErrorKind, LongDouble, ObjectRef, Objects, Order, Value,
};
use serde_json::json;

use self::excerpt::excerpts;
use super::info::{full_dtype, python_tuple};
use crate::args::whole;
use crate::columns::{Columns, Leaf, Split};
use crate::output::{
    Answer, Failure, Of, Output, Progress, Result, note, printable, unless_unread,
};
use crate::raw::RawFiles;
use crate::source::{self, AnyReader, Archive, Input, Parted, Source};
use crate::target::{Target, refuse_two_stdin};
use crate::text::{Cell, complex_parts, grouped, json_float, short_float};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A file, or an array in it
    a: Target,
    /// Another one
    b: Target,
    #[command(flatten)]
    raw: RawFiles,
    #[command(flatten)]
    tolerance: Tolerance,
    /// Compares only these columns, such as a,hdr.t0,samples.3; of an array without fields 0,2, the numbers in the file
    #[arg(short, long, value_name = "NAMES", value_delimiter = ',')]
    columns: Vec<String>,
    /// Compares values, whatever their dtypes: 1 of an integer equals 1.0
    ///
    /// Numbers are equal if they are the same number, and times if they are the same instant. Text (U) equals bytes (S) with the codes of its characters. A Python object equals a number, a text, bytes or
    /// a time of an array without objects as Python compares them: b'a' differs from 'a', and None from nan and from ''.
    #[arg(long)]
    values: bool,
    /// The largest number of differing values that are printed, also by --json: its values_shown of values_that_differ
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = whole::<usize>)]
    limit: usize,
    /// Prints nothing; only the exit code tells
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,
    /// One line of JSON for each pair of arrays
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args, Clone, Copy)]
struct Tolerance {
    /// The largest difference between numbers, also among Python objects at any depth, relative to B: |a - b| may be A + R·|b|, in double precision, as numpy.isclose has it; of complex numbers, |x| is the distance from zero
    #[arg(long, value_name = "R", default_value_t = 0.0, value_parser = tolerance, allow_negative_numbers = true)]
    rtol: f64,
    /// The largest difference between numbers
    #[arg(long, value_name = "A", default_value_t = 0.0, value_parser = tolerance, allow_negative_numbers = true)]
    atol: f64,
    /// NaN differs from NaN, and "not a time" from itself; without this, each equals itself
    #[arg(long)]
    nan_differs: bool,
}

impl Tolerance {
    fn is_exact(&self) -> bool {
        self.rtol == 0.0 && self.atol == 0.0
    }
}

/// Parses a tolerance. All numbers would be equal by one that is NaN or infinite.
fn tolerance(text: &str) -> std::result::Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err("a tolerance is a number that is finite and not negative, such as 1e-6".into()),
    }
}

/// How two arrays differ.
#[derive(Default)]
struct Differences {
    /// A property of the header, and its two values.
    header: Vec<(&'static str, String, String)>,
    /// The fields that only the first, or only the second array has.
    only: [Vec<String>; 2],
    /// The number of rows that were compared.
    compared: usize,
    /// The number of columns that both arrays have.
    columns: usize,
    rows: usize,
    values: usize,
    shown: Vec<Difference>,
    /// The largest difference of two numbers, and its position. A NaN has none.
    largest: Option<(f64, usize, String)>,
    /// The number of values that are NaN in one array, and another number in the other.
    nan_in_one: usize,
    /// True if a time differs, for which there is no tolerance.
    has_times: bool,
}

/// Two values that differ.
struct Difference {
    row: usize,
    column: String,
    a: String,
    b: String,
}

impl Differences {
    fn is_equal(&self) -> bool {
        self.header.is_empty() && self.values == 0
    }
}

impl Args {
    pub(crate) fn run(mut self) -> Result {
        self.raw.mark(&mut self.a);
        self.raw.mark(&mut self.b);
        refuse_two_stdin([&self.a, &self.b])?;
        let mut out = Output::stdout();
        let is_equal = match (source::open(&self.a)?, source::open(&self.b)?) {
            (Input::Archive(a), Input::Archive(b)) => {
                let names: Vec<&str> = a.names().collect();
                let more: Vec<&str> = b.names().filter(|name| !a.contains(name)).collect();
                let mut is_equal = true;
                for &name in &names {
                    if b.contains(name) {
                        is_equal &= self.members(name, &a, &b, &mut out)?;
                    } else {
                        is_equal = false;
                        unless_unread(self.only_in(&self.a, name, &mut out))?;
                    }
                }
                for &name in &more {
                    is_equal = false;
                    unless_unread(self.only_in(&self.b, name, &mut out))?;
                }
                is_equal
            }
            (a, b) => {
                let (a, b) = (a.into_array(&self.a)?, b.into_array(&self.b)?);
                self.arrays(a, b, (&self.a, &self.b), &mut out)?
            }
        };
        unless_unread(out.finish().map(drop))?;
        Ok(if is_equal { Answer::Yes } else { Answer::No })
    }

    fn only_in(&self, target: &Target, name: &str, out: &mut Output) -> Result<()> {
        if self.json {
            let line = json!({"member": name, "equal": false, "only_in": target.path_text()});
            writeln!(out, "{line}")?;
        } else if !self.quiet {
            writeln!(out, "{}: member {name:?} is only here", printable(&target.path_text()))?;
        }
        Ok(())
    }

    /// Compares two members of the same name.
    fn members(&self, name: &str, a: &Archive, b: &Archive, out: &mut Output) -> Result<bool> {
        let [first, second] = [&self.a, &self.b].map(|target| target.with_member(name));
        let is_array = |archive: &Archive, target: &Target| match AnyReader::member(archive, name) {
            Ok(reader) => Ok(Some(reader)),
            Err(error) if matches!(error.kind(), ErrorKind::NotNpy { .. }) => Ok(None),
            Err(error) => Err(error).of(target),
        };
        match (is_array(a, &first)?, is_array(b, &second)?) {
            (Some(a), Some(b)) => self.arrays(a, b, (&first, &second), out),
            // Members that are not arrays are bytes.
            _ => {
                let is_equal = a.read_bytes(name).of(&first)? == b.read_bytes(name).of(&second)?;
                if !is_equal && self.json {
                    let line = json!({"member": name, "equal": false});
                    unless_unread(writeln!(out, "{line}").map_err(Failure::from))?;
                } else if !is_equal && !self.quiet {
                    let [first, second] =
                        [first, second].map(|target| printable(&target.to_string()));
                    let line = format!("{first} and {second} differ");
                    unless_unread(writeln!(out, "{line}").map_err(Failure::from))?;
                }
                Ok(is_equal)
            }
        }
    }

    fn arrays(
        &self,
        a: AnyReader,
        b: AnyReader,
        targets: (&Target, &Target),
        out: &mut Output,
    ) -> Result<bool> {
        if !self.quiet {
            source::tell_of_rest(&a, targets.0);
            source::tell_of_rest(&b, targets.1);
        }
        let mut differences = Differences::default();
        let mut objects = (None, None);
        let mut a = Side::open(a, targets.0, &mut objects.0)?;
        let mut b = Side::open(b, targets.1, &mut objects.1)?;
        differences.compare_headers(&a, &b, self)?;
        differences.compare_rows(&mut a, &mut b, self)?;
        if differences.has_times && !self.tolerance.is_exact() && !self.quiet {
            let message =
                "times and spans of time are compared exactly; --rtol and --atol are for numbers";
            note(targets.0, message);
        }
        unless_unread(self.print(&differences, targets, out))?;
        Ok(differences.is_equal())
    }

    fn print(
        &self,
        found: &Differences,
        (a, b): (&Target, &Target),
        out: &mut Output,
    ) -> Result<()> {
        if self.json {
            let header =
                found.header.iter().map(|(name, a, b)| json!({"property": name, "a": a, "b": b}));
            let values = found.shown.iter().map(|value| {
                json!({"row": value.row, "column": value.column, "a": value.a, "b": value.b})
            });
            let line = json!({
                "a": a.to_string(),
                "b": b.to_string(),
                "equal": found.is_equal(),
                "header": header.collect::<Vec<_>>(),
                "columns_only_in_a": found.only[0],
                "columns_only_in_b": found.only[1],
                "rows_compared": found.compared,
                "rows_that_differ": found.rows,
                "values_that_differ": found.values,
                "largest_difference": found.largest.as_ref().map(|(difference, ..)| json_float(*difference)),
                "nan_in_one": found.nan_in_one,
                "values_shown": found.shown.len(),
                "values": values.collect::<Vec<_>>(),
            });
            writeln!(out, "{line}")?;
            return Ok(());
        }
        if self.quiet || found.is_equal() {
            return Ok(());
        }
        writeln!(out, "{} {}", out.dim("---"), printable(&a.to_string()))?;
        writeln!(out, "{} {}", out.dim("+++"), printable(&b.to_string()))?;
        for (name, a, b) in &found.header {
            writeln!(out, "{name}: {} → {}", printable(a), printable(b))?;
        }
        for (target, names) in [a, b].into_iter().zip(&found.only) {
            for name in names {
                let file = printable(&target.to_string());
                writeln!(out, "{file}: column {} is only here", printable(name))?;
            }
        }
        for Difference { row, column, a, b } in &found.shown {
            let [a, b] = excerpts(a, b);
            writeln!(
                out,
                "row {row}, {}: {} → {}",
                printable(column),
                printable(&a),
                printable(&b)
            )?;
        }
        if found.values > found.shown.len() {
            writeln!(
                out,
                "… and {} more values",
                grouped((found.values - found.shown.len()) as u64)
            )?;
        }
        if found.rows > 0 {
            let [rows, compared] = [found.rows, found.compared].map(|count| grouped(count as u64));
            write!(out, "{rows} of {compared} rows differ")?;
            if let Some((difference, row, column)) = &found.largest {
                write!(
                    out,
                    "; the largest difference is {}, in row {row}, {}",
                    short_float(*difference),
                    printable(column)
                )?;
            }
            match found.nan_in_one {
                0 => {}
                1 => write!(out, "; 1 value is NaN in one array alone, and has no difference")?,
                count => {
                    let count = grouped(count as u64);
                    write!(
                        out,
                        "; {count} values are NaN in one array alone, and have no difference"
                    )?;
                }
            }
            writeln!(out)?;
        } else if let Some(summary) = self.summary(found) {
            writeln!(out, "{summary}")?;
        }
        Ok(())
    }

    /// Returns the sentence about arrays whose headers differ and whose compared values do not.
    fn summary(&self, found: &Differences) -> Option<&'static str> {
        let has = |property| found.header.iter().any(|(name, ..)| *name == property);
        Some(match found.columns {
            _ if found.compared == 0 => return None,
            0 => "no value was compared: there is no column that both have",
            _ if has("shape") => "no value differs in the rows and columns that both have",
            _ if has("dtype") && self.values => "no value differs in the columns that both have",
            _ if has("dtype") => {
                "no value differs; --values compares values, whatever their dtypes"
            }
            _ => return None,
        })
    }
}

/// One of the arrays.
struct Side<'a> {
    source: Source,
    /// The dtype of an element, with objects where the source has their indices.
    dtype: DType,
    objects: Vec<ObjectRef<'a>>,
    /// True if an object may be an `OrderedDict`.
    has_ordered_dicts: bool,
    /// True if an object may be a number of NumPy, for which those of Python are rounded.
    has_scalars: bool,
}

impl<'a> Side<'a> {
    /// Applies the slice of the target. `kept` is where the Python objects are kept, if there are any.
    fn open(reader: AnyReader, target: &Target, kept: &'a mut Option<Objects>) -> Result<Self> {
        let Parted { reader, dtype, objects, kept } = Parted::of(reader, target, kept)?;
        let has = |is_such: fn(&str) -> bool| {
            kept.is_some_and(|kept| kept.globals().any(|name| is_such(name.as_ref())))
        };
        let has_ordered_dicts = has(|name| name == pairs::ORDERED_DICT);
        let has_scalars = has(|name| name.ends_with(".multiarray.scalar"));
        let source = Source::of(reader, target)?;
        Ok(Side { source, dtype, objects, has_ordered_dicts, has_scalars })
    }

    /// Returns the scalars of a row, each after its name by position, which pairs it with that of the other array.
    fn leaves(&self, columns: &[String]) -> Result<Vec<(String, Leaf)>> {
        let (selection, name) = (self.source.selection(), self.source.name());
        let columns = Columns::resolve(&self.dtype, selection, columns, name)?;
        let leaves = columns.all_leaves(Split::Elements, name)?;
        let keys = columns.by_position().leaves(Split::Elements, leaves.len());
        Ok(keys.into_iter().map(|key| key.name).zip(leaves).collect())
    }
}

impl Differences {
    /// Compares what decides which values there are. Byte order, order and version decide only how they are stored.
    /// Of named columns, it compares the dtypes of these alone, and the number of rows; for values alone, only names.
    fn compare_headers(&mut self, a: &Side<'_>, b: &Side<'_>, args: &Args) -> Result<()> {
        let columns = &args.columns;
        let [shape, other] = [a, b].map(|side| side.source.header().shape());
        let counted = if columns.is_empty() { usize::MAX } else { 1 };
        if shape.iter().take(counted).ne(other.iter().take(counted)) {
            self.header.push(("shape", python_tuple(shape), python_tuple(other)));
        }
        if columns.is_empty() {
            self.only = [fields_without(&a.dtype, &b.dtype), fields_without(&b.dtype, &a.dtype)];
        }
        let native = |dtype: &DType| dtype.with_byte_order(ByteOrder::NATIVE).packed();
        if columns.is_empty() && !args.values {
            if native(&a.dtype) != native(&b.dtype) {
                self.header.push(("dtype", full_dtype(&a.dtype), full_dtype(&b.dtype)));
            }
            return Ok(());
        }
        let (ours, theirs) = (a.leaves(columns)?, b.leaves(columns)?);
        let texts = [(&ours, &theirs), (&theirs, &ours)].map(|(leaves, others)| {
            let others: HashMap<&str, DType> =
                others.iter().map(|(key, leaf)| (&key[..], native(leaf.cell.dtype()))).collect();
            let differs = |(key, leaf): &&(String, Leaf)| {
                let other = others.get(&key[..]);
                other.is_none_or(|dtype| !args.values && *dtype != native(leaf.cell.dtype()))
            };
            let all = leaves.iter().filter(differs);
            let texts =
                all.map(|(_, leaf)| format!("{} {}", leaf.name, full_dtype(leaf.cell.dtype())));
            texts.collect::<Vec<_>>().join(", ")
        });
        if texts.iter().any(|text| !text.is_empty()) {
            let [a, b] = texts.map(|text| if text.is_empty() { "(none)".into() } else { text });
            self.header.push(("dtype", a, b));
        }
        Ok(())
    }

    /// Compares rows as far as both arrays have them, column by column.
    fn compare_rows(&mut self, a: &mut Side<'_>, b: &mut Side<'_>, args: &Args) -> Result<()> {
        if [&a.source, &b.source].iter().all(|source| source.header().data_bytes() == 0) {
            // All values of a dtype without bytes are equal, however many they are.
            self.compared = a.source.rows().min(b.source.rows());
            return Ok(());
        }
        let (ours, theirs) = (a.leaves(&args.columns)?, b.leaves(&args.columns)?);
        let objects = (&a.objects[..], &b.objects[..]);
        let mut known = objects::Known::default();
        if !args.tolerance.is_exact() || a.has_scalars || b.has_scalars {
            known.find_near(objects.0, objects.1, args.tolerance);
        }
        // The order of dicts matters only if both are ordered.
        if a.has_ordered_dicts && b.has_ordered_dicts {
            known.find_ordered(objects.0, objects.1);
        }
        let is_same = a.dtype == b.dtype && args.columns.is_empty();
        let (a, b) = (&mut a.source, &mut b.source);
        // Columns that only one of the arrays has were seen in the dtype or the shape.
        let others: HashMap<&str, &Leaf> =
            theirs.iter().map(|(key, leaf)| (&key[..], leaf)).collect();
        let pairs = ours.iter().filter_map(|(key, leaf)| Some((leaf, *others.get(&key[..])?)));
        let pairs: Vec<(&Leaf, &Leaf)> = pairs.collect();
        self.columns = pairs.len();
        // Equal bytes are equal values, except for NaN, and for the indices of objects.
        let are_bytes_enough = is_same
            && a.row_shape() == b.row_shape()
            && !ours.iter().any(|(_, leaf)| {
                leaf.cell.dtype().has_object() || args.tolerance.nan_differs && has_nan(leaf)
            });
        let sizes = (a.row_bytes(), b.row_bytes());
        let block_rows = a.rows_per_block().min(b.rows_per_block());
        let mut progress = Progress::start(a.header().data_bytes());
        loop {
            let first = a.position();
            let (Some(left), Some(right)) = (a.next(block_rows)?, b.next(block_rows)?) else {
                break;
            };
            let rows = [&left, &right].map(|block| block.shape().first().copied().unwrap_or(1));
            let count = rows[0].min(rows[1]);
            self.compared += count;
            progress.add(left.as_bytes().len());
            if are_bytes_enough && left.as_bytes() == right.as_bytes() {
                continue;
            }
            for i in 0..count {
                let row = |bytes: &[u8], size: usize| i * size..((i + 1) * size).min(bytes.len());
                let left = &left.as_bytes()[row(left.as_bytes(), sizes.0)];
                let right = &right.as_bytes()[row(right.as_bytes(), sizes.1)];
                if are_bytes_enough && left == right {
                    continue;
                }
                self.compare_row(first + i, (left, right), &pairs, objects, &mut known, args);
                if let Some(limit) = known.exceeded() {
                    let message = format!(
                        "row {}: the comparison takes more than {limit} steps, because the objects share parts that are compared in many pairs; compare without --rtol and --atol, or store numbers of Python in place of those of NumPy",
                        first + i
                    );
                    return Err(Failure::new(a.name(), message));
                }
            }
            if rows[0] != rows[1] {
                break;
            }
        }
        Ok(())
    }

    fn compare_row(
        &mut self,
        row: usize,
        (left, right): (&[u8], &[u8]),
        pairs: &[(&Leaf, &Leaf)],
        objects: (&[ObjectRef<'_>], &[ObjectRef<'_>]),
        known: &mut objects::Known,
        args: &Args,
    ) {
        let before = self.values;
        for (ours, theirs) in pairs {
            let (a, b) = (ours.of(left), theirs.of(right));
            let is_object = [ours, theirs].map(|leaf| leaf.cell.dtype().has_object());
            let swapped: Option<Vec<u8>> =
                are_swapped(ours, theirs).then(|| b.iter().rev().copied().collect());
            let pair = match is_object {
                [false, false] => {
                    let other = swapped.as_deref().map(Value::Void);
                    Pair::Values(ours.cell.value(a), other.unwrap_or_else(|| theirs.cell.value(b)))
                }
                [true, true] => {
                    match (ours.cell.object(a, objects.0), theirs.cell.object(b, objects.1)) {
                        (Some(a), Some(b)) => Pair::Objects(a, b),
                        _ => continue,
                    }
                }
                [true, false] => match ours.cell.object(a, objects.0) {
                    Some(object) => Pair::ObjectOfA(object, theirs.cell.value(b), &theirs.cell),
                    None => continue,
                },
                [false, true] => match theirs.cell.object(b, objects.1) {
                    Some(object) => Pair::ObjectOfB(ours.cell.value(a), object, &ours.cell),
                    None => continue,
                },
            };
            let Some(difference) = pair.difference(args.tolerance, known) else { continue };
            if !pair.is_nat() && is_same_time((ours, a), (theirs, b)) {
                continue;
            }
            self.values += 1;
            self.has_times |= is_time(ours.cell.dtype());
            match difference {
                Distance::Number(distance) => {
                    if self.largest.as_ref().is_none_or(|(largest, ..)| distance > *largest) {
                        self.largest = Some((distance, row, ours.name.clone()));
                    }
                }
                Distance::NanInOne => self.nan_in_one += 1,
                Distance::Unknown => {}
            }
            if self.shown.len() < args.limit {
                let [a, b] = pair.texts();
                self.shown.push(Difference { row, column: ours.name.clone(), a, b });
            }
        }
        self.rows += usize::from(self.values > before);
    }
}

/// Returns the names of the fields that one of two records has alone; none if one of them is not a record.
fn fields_without(dtype: &DType, other: &DType) -> Vec<String> {
    let names = dtype.fields().iter().map(Field::name);
    let is_missing = |name: &&str| other.is_record() && other.field(name).is_none();
    names.filter(is_missing).map(str::to_owned).collect()
}

/// Returns true if the column can have values that differ from themselves.
fn has_nan(leaf: &Leaf) -> bool {
    let kind = leaf.cell.dtype().scalar().map(Scalar::kind);
    matches!(
        kind,
        Some(
            ScalarKind::Float
                | ScalarKind::Complex
                | ScalarKind::DateTime(_)
                | ScalarKind::TimeDelta(_)
        )
    )
}

/// The elements at the same position of both arrays.
enum Pair<'a> {
    Values(Value<'a>, Value<'a>),
    Objects(ObjectRef<'a>, ObjectRef<'a>),
    /// Only one array has objects; the cell is that of the other one.
    ObjectOfA(ObjectRef<'a>, Value<'a>, &'a Cell),
    ObjectOfB(Value<'a>, ObjectRef<'a>, &'a Cell),
}

/// The difference of two values that are not equal.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Distance {
    /// Infinite if one of the numbers is, or if the difference is beyond the floats.
    Number(f64),
    /// One of two numbers is NaN.
    NanInOne,
    /// The values are not numbers, both are NaN, or floats do not tell them apart.
    Unknown,
}

impl Pair<'_> {
    /// Returns the difference if the two are not equal.
    fn difference(&self, tolerance: Tolerance, known: &mut objects::Known) -> Option<Distance> {
        let numbers = match self {
            Pair::Values(a, b) => return difference(a, b, tolerance),
            Pair::Objects(a, b) => weak::numbers(*a, *b),
            Pair::ObjectOfA(a, b, _) => Number::of_object(*a).zip(Number::of(b)),
            Pair::ObjectOfB(a, b, _) => Number::of(a).zip(Number::of_object(*b)),
        };
        if let Some((a, b)) = numbers {
            return a.difference(b, tolerance);
        }
        let is_equal = match self {
            Pair::Objects(a, b) => objects::are_equal(*a, *b, tolerance, known),
            Pair::ObjectOfA(object, value, cell) | Pair::ObjectOfB(value, object, cell) => {
                objects::is_value(*object, value, cell.dtype(), tolerance)
            }
            Pair::Values(a, b) => a == b,
        };
        (!is_equal).then_some(Distance::Unknown)
    }

    /// Returns true for a value that is "not a time".
    fn is_nat(&self) -> bool {
        matches!(self, Pair::Values(a, _) if a.is_nat())
    }

    /// Returns the texts of both, with as many digits as they need to differ.
    fn texts(&self) -> [String; 2] {
        let (a, b) = match self {
            Pair::Values(a, b) => (a, b),
            Pair::Objects(a, b) => {
                let [a, b] = [a, b].map(|object| format!("{object:?}"));
                let rest = if a == b { " (a part that is not printed differs)" } else { "" };
                return [a, b + rest];
            }
            Pair::ObjectOfA(a, b, _) => return [format!("{a:?}"), value_text(b)],
            Pair::ObjectOfB(a, b, _) => return [value_text(a), format!("{b:?}")],
        };
        let texts = [a, b].map(value_text);
        if texts[0] != texts[1] {
            return texts;
        }
        // The few digits of a narrow float may be those of a wide one.
        [a, b].map(|value| match value {
            Value::F16(value) | Value::F32(value) => f64::from(*value).to_string(),
            Value::Complex32(re, im) => {
                Value::Complex64(f64::from(*re), f64::from(*im)).to_string()
            }
            Value::LongDouble(value) => long_text(*value),
            Value::ComplexLongDouble(re, im) => format!("({}, {})", long_text(*re), long_text(*im)),
            value => value.to_string(),
        })
    }
}

/// Returns a value as text, with quotes around text.
fn value_text(value: &Value<'_>) -> String {
    match value {
        Value::Str(_) | Value::Bytes(_) => format!("{value:?}"),
        _ => value.to_string(),
    }
}

/// Returns a long double with its bits.
fn long_text(number: LongDouble) -> String {
    format!("{number} (0x{:020x})", bits(number))
}

/// 2^127, which is the nearest float of the largest integers of 128 bits, and larger than they are.
const INTEGER_LIMIT: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

/// A number of any dtype.
#[derive(Clone, Copy)]
enum Number {
    Integer(i128),
    Float(f64),
    Complex(f64, f64),
    /// The real and the imaginary part.
    Long([LongDouble; 2]),
}

impl Number {
    fn of(value: &Value<'_>) -> Option<Self> {
        Some(match *value {
            Value::Bool(value) => Number::Integer(value.into()),
            Value::Int(value) => Number::Integer(value.into()),
            Value::UInt(value) => Number::Integer(value.into()),
            Value::F16(value) | Value::F32(value) => Number::Float(value.into()),
            Value::F64(value) => Number::Float(value),
            Value::LongDouble(value) => Number::Long([value, LongDouble::default()]),
            Value::Complex32(re, im) => Number::Complex(re.into(), im.into()),
            Value::Complex64(re, im) => Number::Complex(re, im),
            Value::ComplexLongDouble(re, im) => Number::Long([re, im]),
            _ => return None,
        })
    }

    /// Returns the number that a Python object is, unless it is an integer beyond 128 bits.
    fn of_object(object: ObjectRef<'_>) -> Option<Self> {
        if object.kind() == Kind::Scalar {
            // A long double has more digits than a float of Python.
            return Number::of(&object.as_array().ok()?.get(&[])?);
        }
        let integer = object.as_bool().map(i128::from).or_else(|| object.as_i128());
        integer
            .map(Number::Integer)
            .or_else(|| object.as_f64().map(Number::Float))
            .or_else(|| complex_parts(object).map(|[re, im]| Number::Complex(re, im)))
    }

    /// Returns the number as an integer, if it is one. Large integers are not the same as the floats next to them.
    #[expect(clippy::cast_possible_truncation, reason = "the float is an integer below 2^127")]
    fn integer(self) -> Option<i128> {
        match self {
            Number::Integer(value) => Some(value),
            Number::Float(value)
                if value.fract() == 0.0 && (-INTEGER_LIMIT..INTEGER_LIMIT).contains(&value) =>
            {
                Some(value as i128)
            }
            Number::Complex(re, 0.0) => Number::Float(re).integer(),
            Number::Long([re, im]) if bits(im) == 0 => long_integer(re),
            _ => None,
        }
    }

    fn parts(self) -> [f64; 2] {
        match self {
            Number::Integer(value) => [value as f64, 0.0],
            Number::Float(value) => [value, 0.0],
            Number::Complex(re, im) => [re, im],
            Number::Long(parts) => parts.map(LongDouble::to_f64),
        }
    }

    /// Returns the parts as long doubles, which may differ by less than an `f64` has.
    fn long_parts(self) -> [LongDouble; 2] {
        match self {
            Number::Long(parts) => parts,
            number => number.parts().map(LongDouble::from),
        }
    }

    /// Returns the difference of two numbers if they are not close, as NumPy's `isclose` has it: a complex number with a NaN is NaN, and only equal
    /// infinities are close.
    fn difference(self, other: Number, tolerance: Tolerance) -> Option<Distance> {
        let beyond = |difference: f64, size: f64| {
            (difference > tolerance.atol + tolerance.rtol * size)
                .then_some(Distance::Number(difference))
        };
        if let (Some(a), Some(b)) = (self.integer(), other.integer()) {
            return beyond(a.abs_diff(b) as f64, b.unsigned_abs() as f64);
        }
        let (a, b) = (self.parts(), other.parts());
        let is_nan = [a, b].map(|parts| parts.iter().any(|part| part.is_nan()));
        match is_nan {
            [true, true] => tolerance.nan_differs.then_some(Distance::Unknown),
            [true, false] | [false, true] => Some(Distance::NanInOne),
            _ if a == b => {
                let is_rounded = [self, other].iter().any(|number| {
                    matches!(number, Number::Integer(value) if *value as f64 == INTEGER_LIMIT)
                });
                let [a, b] = [self, other].map(|number| number.long_parts().map(bits));
                (tolerance.is_exact() && (is_rounded || a != b)).then_some(Distance::Unknown)
            }
            _ if [a, b].concat().iter().all(|part| part.is_finite()) => {
                beyond((a[0] - b[0]).hypot(a[1] - b[1]), b[0].hypot(b[1]))
            }
            _ => Some(Distance::Number(f64::INFINITY)),
        }
    }
}

/// Returns the difference of two values if they are not equal.
fn difference(a: &Value<'_>, b: &Value<'_>, tolerance: Tolerance) -> Option<Distance> {
    if let (Some(one), Some(other)) = (Number::of(a), Number::of(b)) {
        return one.difference(other, tolerance);
    }
    let is_same = match (a, b) {
        (Value::DateTime(..), Value::DateTime(..))
        | (Value::TimeDelta(..), Value::TimeDelta(..)) => match (a.is_nat(), b.is_nat()) {
            (true, true) => !tolerance.nan_differs,
            (false, false) => a == b,
            _ => false,
        },
        // Text and bytes of different widths or byte orders.
        (Value::Str(a), Value::Str(b)) => a.code_points().eq(b.code_points()),
        (Value::Str(a), Value::Bytes(b)) | (Value::Bytes(b), Value::Str(a)) => {
            a.code_points().eq(b.iter().map(|&byte| u32::from(byte)))
        }
        _ => a == b,
    };
    (!is_same).then_some(Distance::Unknown)
}

/// Returns true for times and spans of time.
fn is_time(dtype: &DType) -> bool {
    let kind = dtype.scalar().map(Scalar::kind);
    matches!(kind, Some(ScalarKind::DateTime(_) | ScalarKind::TimeDelta(_)))
}

/// Returns true if the columns are times, or spans of time, whose units differ and whose counts mean the same.
fn is_same_time((ours, a): (&Leaf, &[u8]), (theirs, b): (&Leaf, &[u8])) -> bool {
    let (from, to) = (ours.cell.dtype(), theirs.cell.dtype());
    if from == to || !is_time(from) || !is_time(to) {
        return false;
    }
    // A time that the other unit cannot hold exactly is an error of the cast.
    DynArray::new(from.clone(), [1], Order::C, a.to_vec())
        .and_then(|time| time.cast_with(to, Cast::Lossless))
        .is_ok_and(|time| time.as_bytes() == b)
}

/// Returns true if the columns are raw bytes of different byte orders, such as the numbers of ml_dtypes. Those without an order count as little-endian.
fn are_swapped(ours: &Leaf, theirs: &Leaf) -> bool {
    let is_big = |leaf: &Leaf| {
        let scalar = leaf.cell.dtype().scalar()?;
        (scalar.kind() == ScalarKind::Void).then(|| scalar.byte_order() == Some(ByteOrder::Big))
    };
    let sizes = [ours, theirs].map(|leaf| leaf.cell.dtype().itemsize());
    sizes[0] == sizes[1]
        && is_big(ours).zip(is_big(theirs)).is_some_and(|(ours, theirs)| ours != theirs)
}

/// Returns the integer that a long double is, if it is one below 2^127.
#[expect(clippy::cast_possible_truncation, reason = "the lower 64 bits are the significand")]
fn long_integer(number: LongDouble) -> Option<i128> {
    /// The exponents of 1, of 2^63, whose significand counts units, and of 2^126.
    const ONE: u128 = 0x3fff;
    const UNITS: u128 = ONE + 63;
    const LAST: u128 = ONE + 126;
    let bits = bits(number);
    let (is_negative, exponent) = (bits >> 79 == 1, (bits >> 64) & 0x7fff);
    // The highest bit of the significand is set, or this is not a normal number.
    let significand = i128::from(bits as u64);
    let size = match exponent {
        _ if significand >> 63 == 0 => return None,
        ONE..UNITS => {
            let fraction = UNITS - exponent;
            (significand >> fraction << fraction == significand).then(|| significand >> fraction)?
        }
        UNITS..=LAST => significand << (exponent - UNITS),
        _ => return None,
    };
    Some(if is_negative { -size } else { size })
}

/// Returns the bits of a number without its padding. The two zeros are one number.
fn bits(number: LongDouble) -> u128 {
    let bits = u128::from_le_bytes(number.0) & ((1 << 80) - 1);
    if bits == 1 << 79 { 0 } else { bits }
}

#[cfg(test)]
mod tests {
    use npy_core::Value;

    use super::{Distance, Tolerance, difference};

    #[test]
    fn numbers_are_compared_as_numpys_isclose_does() {
        let exact = Tolerance { rtol: 0.0, atol: 0.0, nan_differs: false };
        let near = Tolerance { rtol: 0.01, atol: 0.5, nan_differs: true };
        let nan = Value::F64(f64::NAN);
        assert_eq!(difference(&nan, &nan, exact), None);
        assert_eq!(difference(&nan, &nan, near), Some(Distance::Unknown));
        assert_eq!(difference(&nan, &Value::F32(1.0), exact), Some(Distance::NanInOne));
        assert_eq!(difference(&Value::Int(3), &Value::UInt(3), exact), None);
        let one = Some(Distance::Number(1.0));
        assert_eq!(difference(&Value::Int(i64::MAX), &Value::Int(i64::MAX - 1), exact), one);
        assert_eq!(difference(&Value::F32(0.5), &Value::F64(0.5), exact), None);
        assert_eq!(difference(&Value::F64(100.0), &Value::F64(101.0), near), None);
        assert_eq!(
            difference(&Value::F64(100.0), &Value::F64(102.0), near),
            Some(Distance::Number(2.0))
        );
        let infinity = Value::F64(f64::INFINITY);
        assert_eq!(difference(&infinity, &infinity, near), None);
        let infinite = Some(Distance::Number(f64::INFINITY));
        assert_eq!(difference(&infinity, &Value::F64(1.0), near), infinite);
        assert_eq!(
            difference(&Value::Bytes(b"ab"), &Value::Bytes(b"ac"), near),
            Some(Distance::Unknown)
        );
    }
}
