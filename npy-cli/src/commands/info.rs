//! `npy FILE...`: shape, dtype as a tree with offsets, order, version and size; of an archive, a line for each member.

use std::io::Write;

use npy_core::{DType, ErrorKind, Field, Header, Order};
use serde_json::Value;

use crate::output::{Answer, Failure, Output, Result, complain, printable};
use crate::raw::RawFiles;
use crate::source::{self, AnyReader, Input, Origin, bytes_after, follow};
use crate::table::Table;
use crate::target::Target;
use crate::text::{JsonObject, bytes_text, grouped};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<Target>,
    #[command(flatten)]
    raw: RawFiles,
    /// One line of JSON for each array
    #[arg(long)]
    json: bool,
}

/// Pickles of more bytes are not read for what they need.
const MAX_PICKLE: u64 = 64 << 20;

impl Args {
    pub(crate) fn run(mut self) -> Result {
        self.files.iter_mut().for_each(|file| self.raw.mark(file));
        let mut out = Output::stdout();
        let mut answer = Ok(Answer::Yes);
        for file in &self.files {
            match self.file(file, &mut out) {
                Ok(Answer::Yes) => {}
                Ok(Answer::No) => answer = answer.and(Ok(Answer::No)),
                Err(Failure::BrokenPipe) => return Err(Failure::BrokenPipe),
                Err(failure) => {
                    out.flush()?;
                    complain(&failure);
                    answer = Err(Failure::Reported);
                }
            }
        }
        out.finish()?;
        answer
    }

    fn file(&self, target: &Target, out: &mut Output) -> Result {
        target.whole()?;
        match source::open(target)? {
            Input::Array(reader) => self.array(reader, target, out),
            Input::Archive(archive) => {
                let count = archive.len();
                if !self.json {
                    let members = if count == 1 { "member" } else { "members" };
                    let path = printable(&target.path_text());
                    out.gap()?;
                    writeln!(out, "{}  npz, {count} {members}", out.bold(&path))?;
                }
                let mut table = Table::new(["name", "dtype", "shape", "bytes"], 2).right(3);
                let mut failures = Vec::new();
                for name in archive.names() {
                    match archive.header(name) {
                        Ok(header) if self.json => {
                            let mut info = JsonObject::new();
                            info.add_text("file", &target.path_text());
                            info.add_text("member", name);
                            describe(&header, &mut info);
                            writeln!(out, "{info}")?;
                        }
                        Ok(header) => table.row([
                            name.to_owned(),
                            dtype_name(header.dtype()),
                            shape_text(&header),
                            match header.dtype().has_object() {
                                true => "a pickle".into(),
                                false => grouped(header.data_bytes()),
                            },
                        ]),
                        Err(error) => {
                            let is_other = matches!(error.kind(), ErrorKind::NotNpy { .. });
                            let what = if is_other { "not an array" } else { "unreadable" };
                            let [name, what] = [name, what].map(str::to_owned);
                            table.row([name, what, String::new(), String::new()]);
                            // An archive may have other files, too.
                            if !is_other {
                                failures.push(Failure::from(error));
                            }
                        }
                    }
                }
                if !self.json && !table.is_empty() {
                    table.print(out)?;
                }
                out.flush()?;
                failures.iter().for_each(complain);
                Ok(if failures.is_empty() { Answer::Yes } else { Answer::No })
            }
        }
    }

    fn array(&self, mut reader: AnyReader, target: &Target, out: &mut Output) -> Result {
        let header = reader.header().clone();
        let origin = match reader.origin() {
            Origin::Memory => Some("text; this is the array that it becomes"),
            Origin::Tensor => Some("safetensors; this is the array that the tensor becomes"),
            Origin::Raw => Some("data without a header"),
            _ => None,
        };
        source::tell_of_text(&reader, target);
        let truncated = truncated(&reader, target);
        let after = bytes_after(&reader, target);
        let is_object = header.dtype().has_object();
        let globals = match pickle_bytes(&reader, target) {
            Some(bytes) if is_object && bytes <= MAX_PICKLE => {
                let objects = source::objects(&mut reader, target)?;
                Some(objects.globals().collect::<Vec<_>>())
            }
            _ => None,
        };
        if self.json {
            let mut info = JsonObject::new();
            info.add_text("file", &target.path_text());
            if let Some(member) = &target.member {
                info.add_text("member", member);
            }
            describe(&header, &mut info);
            if origin.is_none() {
                info.add_text("version", &header.version().to_string());
                info.add("data_offset", reader.data_offset());
            }
            if let Some(after) = after {
                info.add("bytes_after", after);
            }
            if let Some(globals) = globals {
                info.add("globals", Value::from(globals));
            }
            writeln!(out, "{info}")?;
        } else {
            out.gap()?;
            writeln!(
                out,
                "{}",
                out.bold(&printable(&Target { slice: None, ..target.clone() }.to_string()))
            )?;
            let offset = reader.data_offset();
            match origin {
                Some(origin) => writeln!(out, "  format   {origin}")?,
                None => {
                    writeln!(out, "  format   npy {}, data at byte {offset}", header.version())?
                }
            }
            let order = match header.order() {
                Order::C => "C order",
                Order::Fortran => "Fortran order",
            };
            writeln!(out, "  shape    {}, {order}", shape_text(&header))?;
            let after =
                after.map_or(String::new(), |bytes| format!("; {}", follow(bytes, "array")));
            writeln!(out, "  size     {}{after}", size_text(&header))?;
            writeln!(out, "  dtype    {}", printable(&dtype_name(header.dtype())))?;
            tree(header.dtype(), out)?;
            if is_object {
                writeln!(out, "  objects  Python objects: np.load needs allow_pickle=True")?;
                for name in globals.iter().flatten() {
                    writeln!(out, "           imports {}", printable(name))?;
                }
            }
        }
        match truncated {
            None => Ok(Answer::Yes),
            Some(failure) => {
                out.flush()?;
                complain(&failure);
                Ok(Answer::No)
            }
        }
    }
}

/// Returns the error for a file that has fewer bytes of data than its header states.
pub(crate) fn truncated(reader: &AnyReader, target: &Target) -> Option<Failure> {
    source::truncation(reader, target).map(|text| Failure::new(target, text))
}

/// Returns the size of the pickle, or of the file that has it.
fn pickle_bytes(reader: &AnyReader, target: &Target) -> Option<u64> {
    match reader.origin() {
        Origin::Stream | Origin::Tensor | Origin::Memory | Origin::Raw => None,
        _ => source::size(&target.path),
    }
}

/// Returns the dtype of a scalar as it is in headers; records have a tree of their own.
pub(crate) fn dtype_name(dtype: &DType) -> String {
    if let Some((base, shape)) = dtype.sub_array() {
        return format!("{} × {}", python_tuple(shape), dtype_name(base));
    }
    if !dtype.is_record() {
        return dtype.to_string();
    }
    let fields = dtype.fields().len();
    let noun = if fields == 1 { "field" } else { "fields" };
    format!("record of {fields} {noun}, {} bytes", grouped(dtype.itemsize() as u64))
}

/// Returns the dtype of a scalar as it is in headers, and all fields of a record.
pub(crate) fn full_dtype(dtype: &DType) -> String {
    if dtype.is_record() { dtype.descr() } else { dtype_name(dtype) }
}

pub(crate) fn shape_text(header: &Header) -> String {
    python_tuple(header.shape())
}

/// Prints dimensions as Python prints a tuple.
pub(crate) fn python_tuple(dims: &[usize]) -> String {
    match dims {
        [one] => format!("({one},)"),
        _ => {
            let dims: Vec<String> = dims.iter().map(usize::to_string).collect();
            format!("({})", dims.join(", "))
        }
    }
}

fn size_text(header: &Header) -> String {
    if header.dtype().has_object() {
        return "a pickle".into();
    }
    bytes_text(header.data_bytes())
}

/// Prints the fields of a record: the offset in the item, the name and the dtype.
fn tree(dtype: &DType, out: &mut Output) -> Result<()> {
    let mut table = Table::new(["offset", "field", "dtype"], 11).right(0).dim(0);
    add_fields(dtype, 0, 0, &mut table);
    if table.is_empty() { Ok(()) } else { table.print(out) }
}

fn add_fields(dtype: &DType, base: usize, depth: usize, table: &mut Table<3>) {
    if let Some((item, _)) = dtype.sub_array() {
        return add_fields(item, base, depth, table);
    }
    let indent = "  ".repeat(depth);
    let padding = |from: usize, to: usize, table: &mut Table<3>| {
        if to > from {
            let bytes = to - from;
            let noun = if bytes == 1 { "byte" } else { "bytes" };
            table.row([
                (base + from).to_string(),
                indent.clone(),
                format!("{bytes} {noun} of padding"),
            ]);
        }
    };
    let mut end = 0;
    for field in dtype.fields() {
        padding(end, field.offset(), table);
        let title = field.title().map_or(String::new(), |title| format!("  title {title:?}"));
        table.row([
            (base + field.offset()).to_string(),
            format!("{indent}{}", field.name()),
            format!("{}{title}", dtype_name(field.dtype())),
        ]);
        add_fields(field.dtype(), base + field.offset(), depth + 1, table);
        end = field.offset() + field.dtype().itemsize();
    }
    if dtype.is_record() {
        padding(end, dtype.itemsize(), table);
    }
}

/// Adds what a header says.
fn describe(header: &Header, info: &mut JsonObject) {
    let dtype = header.dtype();
    info.add("shape", Value::from(header.shape()));
    info.add_text("order", if header.order() == Order::C { "C" } else { "F" });
    info.add_text("dtype", &dtype.to_string());
    info.add("itemsize", dtype.itemsize());
    info.add("count", header.count());
    if !dtype.has_object() {
        info.add("bytes", header.data_bytes());
    }
    if dtype.is_record() {
        info.add("fields", fields(dtype));
    }
}

/// Returns the fields of a record as a list of JSON.
fn fields(dtype: &DType) -> String {
    let field = |field: &Field| {
        let mut info = JsonObject::new();
        info.add_text("name", field.name());
        if let Some(title) = field.title() {
            info.add_text("title", title);
        }
        info.add("offset", field.offset());
        info.add("itemsize", field.dtype().itemsize());
        let (base, dims) = field.dtype().flat();
        if !dims.is_empty() {
            info.add("shape", Value::from(dims));
        }
        match base.is_record() {
            true => info.add("fields", fields(base)),
            false => info.add_text("dtype", &base.to_string()),
        }
        info.to_string()
    };
    let fields: Vec<String> = dtype.fields().iter().map(field).collect();
    format!("[{}]", fields.join(","))
}
