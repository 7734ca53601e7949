//! The advice for arrays whose dtypes do not fit together: the commands that make them fit, or the reason why there are none.

mod common;

use std::path::Path;

use npy_core::dtype::Field;
use npy_core::{Cast, DType, Header};

use self::common::common;
use crate::dtypes;
use crate::fields;
use crate::output::{Failure, Result};
use crate::python;
use crate::shell;
use crate::target::Target;
use crate::time_range;

/// More conversions are not printed.
const MAX_STEPS: usize = 4;

/// Returns the advice for arrays that should all have the dtype of the first; `None` if they have. `cast` says which others the command converts by itself, and
/// `command` returns the command with these words in place of the arrays.
pub(super) fn advice(
    arrays: &[(&Target, &Header)],
    cast: Cast,
    command: impl Fn(&[String]) -> String,
) -> Option<String> {
    const NONE: &str = "all need one dtype";
    let (&(_, first), others) = arrays.split_first()?;
    let first = first.dtype();
    let fits = |(_, other): &&(&Target, &Header)| other.dtype().converts_to(first, cast).is_ok();
    if let Some((input, found)) = others.iter().find(|other| !fits(other))
        && let Some(advice) = of_fields(input, found, first)
    {
        return Some(advice);
    }
    let mut dtypes = others.iter().map(|(_, header)| header.dtype());
    let wanted = dtypes.try_fold(first.clone(), |wanted, dtype| common(&wanted, dtype));
    let Some(wanted) = wanted.filter(is_option) else { return Some(NONE.to_owned()) };
    let (mut outputs, mut steps, mut loses) = (Vec::new(), Vec::new(), false);
    let mut narrow = None;
    let words = arrays.iter().enumerate().map(|(at, (target, header))| {
        let dtype = header.dtype();
        narrow = narrow.or_else(|| time_range::narrow(dtype, &wanted));
        // The first decides the dtype of the result.
        let taken = if at == 0 { Cast::Exact } else { cast };
        if dtype.converts_to(&wanted, taken).is_ok() {
            return shell::read_again(target);
        }
        let out = output(target, &outputs);
        steps.push(convert(target, &out, "", &wanted));
        loses |= dtype.converts_to(&wanted, Cast::Lossless).is_err();
        outputs.push(out.clone());
        out
    });
    let words: Vec<String> = words.collect();
    let loss = match loses {
        true => "; this rounds integers beyond 2**53, which convert --cast lossless refuses",
        false => "",
    };
    // The values are not read.
    let times = narrow.and_then(|dtype| Some((dtype, time_range::held(dtype)?)));
    let times = times.map_or(String::new(), |(dtype, held)| {
        format!(", if '{dtype}' holds all times: it has {held}")
    });
    let save = shell::save_first(arrays.iter().map(|(target, _)| *target));
    match steps.len() {
        0 => None,
        1..=MAX_STEPS => Some(format!(
            "{save}{} && {} joins them{times}{loss}",
            steps.join(" && "),
            command(&words)
        )),
        count => Some(format!(
            "{save}{} makes one that fits, and {} more need the same{times}{loss}",
            steps[0],
            count - 1
        )),
    }
}

/// Checks that no array has a field which records of the first lack: its values would be lost. `name` is that of the first.
pub(super) fn check_fields<'a>(
    mut arrays: impl Iterator<Item = (&'a Target, &'a DType)>,
    first: &DType,
    name: &str,
) -> Result<()> {
    arrays.try_for_each(|(input, found)| {
        // Records that lack a field of the first do not fit.
        let (Some(path), Some(dtype)) = (unknown_field(found, first), without_others(found, first))
        else {
            return Ok(());
        };
        let convert = convert(input, &output(input, &[]), "", &dtype);
        let save = shell::save_first([input]);
        let message =
            format!("it has the field {path:?}, which {name} lacks; {save}{convert} leaves it out");
        Err(Failure::new(input, message))
    })
}

/// Returns a dtype without the fields that other records lack; `None` if it lacks one of theirs.
fn without_others(found: &DType, wanted: &DType) -> Option<DType> {
    let (base, shape) = found.flat();
    let wanted = wanted.flat().0;
    let dtype = match base.is_record() && wanted.is_record() {
        false => base.clone(),
        true => {
            let field = |field: &Field| {
                let found = base.field(field.name())?;
                Some((field.name().to_owned(), without_others(found.dtype(), field.dtype())?))
            };
            let fields: Vec<_> = wanted.fields().iter().map(field).collect::<Option<_>>()?;
            DType::record(fields).ok()?
        }
    };
    if shape.is_empty() { Some(dtype) } else { dtype.array(shape).ok() }
}

/// Returns the path of the first field that other records lack.
fn unknown_field(found: &DType, wanted: &DType) -> Option<String> {
    let (found, wanted) = (found.flat().0, wanted.flat().0);
    // Of records and numbers, the dtypes do not fit.
    if !wanted.is_record() {
        return None;
    }
    found.fields().iter().find_map(|field| {
        let Some(other) = wanted.field(field.name()) else { return Some(field.name().to_owned()) };
        Some(format!("{}.{}", field.name(), unknown_field(field.dtype(), other.dtype())?))
    })
}

/// Returns the advice for records without a field of the first array, or for records where that has none.
fn of_fields(input: &Target, header: &Header, wanted: &DType) -> Option<String> {
    let found = header.dtype();
    if !found.is_record() {
        return None;
    }
    let names = || wanted.fields().iter().map(Field::name);
    if let Some(name) = names().find(|name| found.field(name).is_none()) {
        let all: Vec<&str> = names().collect();
        return Some(format!(
            "{input} has no field {name:?}; the fields {} are needed",
            all.join(", ")
        ));
    }
    let mut fields = fields::that_become(found, wanted).filter(|_| is_option(wanted));
    let (name, _) = fields.find(|(_, dtype)| dtype == wanted)?;
    // The columns of several dimensions are fields at each index.
    if header.shape().len() > 1 {
        return Some(format!(
            "in Python, np.save('OUT.npy', {}{}.astype('{wanted}')) makes one of the field {name:?}",
            python::load(&input.to_string()),
            python::index(name)
        ));
    }
    let column = format!(" {}", shell::column(name));
    let convert = convert(input, &output(input, &[]), &column, wanted);
    let save = shell::save_first([input]);
    Some(format!("{save}{convert} makes one of the field {name:?}"))
}

/// Returns true if `npy convert --dtype` makes an array of this dtype.
fn is_option(wanted: &DType) -> bool {
    dtypes::parse(&wanted.to_string()).is_ok_and(|dtype| dtype == *wanted)
}

/// Returns a new file for a converted array as one word, other than these.
fn output(input: &Target, others: &[String]) -> String {
    let stem = input.path.file_stem().filter(|_| !input.is_stdin() && !input.is_url());
    let stem = stem.map_or("array".into(), |stem| stem.to_string_lossy());
    // A name with two colons would be a member of an archive.
    let stem = if stem.contains("::") { "array".into() } else { stem };
    let name = |count: usize| match count {
        1 => format!("{stem}-converted.npy"),
        _ => format!("{stem}-converted-{count}.npy"),
    };
    let is_new = |name: &String| !Path::new(name).exists();
    let words = (1..).map(name).filter(is_new).map(|name| shell::path(Path::new(&name)));
    let mut words = words.skip_while(|word| others.contains(word));
    words.next().unwrap_or_default()
}

/// Returns the command that converts an array.
fn convert(input: &Target, out: &str, options: &str, wanted: &DType) -> String {
    let raw = input.raw.as_ref().map_or(String::new(), |raw| format!(" {}", raw.option()));
    let dtype = shell::word(wanted.to_string().as_bytes());
    format!("npy convert {} {out}{raw}{options} --dtype {dtype}", shell::read_again(input))
}
