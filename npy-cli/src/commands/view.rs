//! `npy view FILE -o x.html`: one HTML file with the header, the dtype as a tree, the first rows and pictures. It needs no network, and runs no
//! script.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::slice;

use npy_core::{DType, Header, Order};

use crate::args::whole;
use crate::columns::{Columns, Leaf, Split};
use crate::output::{Answer, Failure, Of, Result, printable};
use crate::output_file::{Replacing, refuse_picture_as_member};
use crate::plot::svg::escaped;
use crate::plot::{Canvas, Kind, Picture, is_drawn, is_time};
use crate::raw::RawFiles;
use crate::source::{self, AnyReader, Source};
use crate::target::Target;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A .npy, .npz, .csv or .jsonl file, or a member of an archive
    #[arg(value_name = "FILE")]
    input: Target,
    #[command(flatten)]
    raw: RawFiles,
    /// The HTML file to write, or - for standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// The rows to show
    #[arg(short = 'n', long, default_value_t = 20, value_name = "N", value_parser = whole::<usize>)]
    rows: usize,
    #[command(flatten)]
    replacing: Replacing,
}

/// The most columns of the table, and the most members of an archive.
const MAX_COLUMNS: usize = 40;
const MAX_MEMBERS: usize = 50;
/// The most fields of a record that are drawn.
const MAX_PICTURES: usize = 6;
/// Larger arrays have no pictures, which read all of an array.
const MAX_PICTURE_BYTES: u64 = 1 << 30;

const STYLE: &str = "\
body { font: 14px/1.5 system-ui, 'DejaVu Sans', sans-serif; color: #1f2328; max-width: 900px; margin: 24px auto; padding: 0 16px }
h1 { font-size: 20px } h2 { font-size: 16px; margin-top: 32px; border-top: 1px solid #d8dee4; padding-top: 16px }
table { border-collapse: collapse; margin: 12px 0; display: block; overflow-x: auto }
td, th { border-bottom: 1px solid #eaeef2; padding: 2px 12px 2px 0; text-align: left; white-space: pre; font-variant-numeric: tabular-nums }
th { color: #59636e; font-weight: 600 } .n { text-align: right } svg { max-width: 100%; height: auto; margin: 8px 0 }
p.note { color: #59636e }";

impl Args {
    pub(crate) fn run(mut self) -> Result {
        self.raw.mark(&mut self.input);
        refuse_picture_as_member(&self.output)?;
        let output = self.replacing.output(&self.output, slice::from_ref(&self.input))?;
        let title = printable(&self.input.to_string());
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n<title>{0}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
            escaped(&title)
        );
        let input = source::open(&self.input)?;
        match input {
            source::Input::Array(reader) => {
                source::tell_of_rest(&reader, &self.input);
                let source = Source::of(reader, &self.input)?;
                let open_again = || Source::open(&self.input);
                let can_open = !self.input.is_stream();
                self.array(source, can_open.then_some(&open_again), &mut page)?;
            }
            source::Input::Archive(archive) => {
                let count = archive.len();
                let _ = writeln!(page, "<p>An archive of {count} members.</p>");
                for name in archive.names().take(MAX_MEMBERS) {
                    let _ = writeln!(page, "<h2>{}</h2>", escaped(&printable(name)));
                    let target = self.input.with_member(name);
                    // The archive stays open: a pipe cannot be opened again.
                    let open = || {
                        let reader = AnyReader::member(&archive, name).of(&target)?;
                        Source::of(reader, &target)
                    };
                    let shown =
                        open().and_then(|source| self.array(source, Some(&open), &mut page));
                    match shown {
                        Ok(()) => {}
                        Err(Failure::Message(message)) => note(&mut page, &message),
                        Err(other) => return Err(other),
                    }
                }
                if count > MAX_MEMBERS {
                    note(
                        &mut page,
                        &format!("{} more members are not shown.", count - MAX_MEMBERS),
                    );
                }
            }
        }
        page.push_str("</body>\n</html>\n");
        output.write(|out| Ok(out.write_all(page.as_bytes())?))?;
        Ok(Answer::Yes)
    }

    /// Adds the header, the fields, the first rows and the pictures of an array. For pictures, the array is read again.
    fn array(
        &self,
        mut source: Source,
        open_again: Option<&dyn Fn() -> Result<Source>>,
        page: &mut String,
    ) -> Result<()> {
        let header = source.header().clone();
        describe(&header, page);
        if header.dtype().has_object() {
            note(page, "Python objects: npy head prints them.");
            return Ok(());
        }
        let columns = Columns::of(&source, &[])?;
        let leaves = columns.leaves(Split::Fields, MAX_COLUMNS + 1);
        let shown = leaves.get(..MAX_COLUMNS).unwrap_or(&leaves);
        page.push_str("<table class=\"rows\"><tr><th class=\"n\">row</th>");
        let class = |is_number: bool| if is_number { " class=\"n\"" } else { "" };
        for leaf in shown {
            let (class, name) = (class(leaf.cell.is_number()), escaped(&printable(&leaf.name)));
            let _ = write!(page, "<th{class}>{name}</th>");
        }
        page.push_str("</tr>\n");
        let size = source.row_bytes();
        let count = source.rows().min(self.rows);
        let mut row = 0;
        while row < count {
            let Some(block) = source.next(count - row)? else { break };
            let rows = block.shape().first().copied().unwrap_or(1);
            for at in 0..rows {
                let bytes = block.as_bytes().get(at * size..(at + 1) * size).unwrap_or_default();
                let _ = write!(page, "<tr><td class=\"n\">{row}</td>");
                for leaf in shown {
                    let (class, text) = (class(leaf.cell.is_number()), leaf.table(bytes, &[]));
                    let _ = write!(page, "<td{class}>{}</td>", escaped(&text));
                }
                page.push_str("</tr>\n");
                row += 1;
            }
        }
        page.push_str("</table>\n");
        if leaves.len() > MAX_COLUMNS {
            note(page, &format!("Only the first {MAX_COLUMNS} columns are shown."));
        }
        if source.rows() > count {
            note(page, &format!("{} more rows are not shown.", source.rows() - count));
        }
        let Some(open) = open_again.filter(|_| header.data_bytes() <= MAX_PICTURE_BYTES) else {
            note(
                page,
                "There are no pictures of streams and of more than 1 GiB: npy plot draws them.",
            );
            return Ok(());
        };
        for (columns, kind, title) in pictures(&header, &leaves) {
            // Columns without numbers have no pictures.
            if let Ok(picture) = Picture::of(open()?, &columns, kind, Canvas::File) {
                page.push_str(&picture.to_svg(&title));
            }
        }
        Ok(())
    }
}

/// Returns the columns of each picture, its kind and its title. The fields of a record have no axis in common.
fn pictures(header: &Header, leaves: &[Leaf]) -> Vec<(Vec<String>, Option<Kind>, String)> {
    if !header.dtype().is_record() {
        let kinds = [(None, "values"), (Some(Kind::Histogram), "histogram")];
        return kinds.map(|(kind, title)| (Vec::new(), kind, title.to_owned())).into();
    }
    let time = leaves.first().filter(|leaf| is_time(leaf));
    let mut pictures = Vec::new();
    let drawn = leaves.iter().filter(|leaf| is_drawn(leaf) && !is_time(leaf));
    for leaf in drawn.take(MAX_PICTURES) {
        let mut both: Vec<String> = time.iter().map(|time| time.name.clone()).collect();
        both.push(leaf.name.clone());
        pictures.push((both, Some(Kind::Line), leaf.name.clone()));
        let title = format!("histogram of {}", leaf.name);
        pictures.push((vec![leaf.name.clone()], Some(Kind::Histogram), title));
    }
    pictures
}

fn note(page: &mut String, text: &str) {
    let _ = writeln!(page, "<p class=\"note\">{}</p>", escaped(&printable(text)));
}

/// Adds what a header says, and the fields of records.
fn describe(header: &Header, page: &mut String) {
    let shape: Vec<String> = header.shape().iter().map(usize::to_string).collect();
    let order = if header.order() == Order::C { "C" } else { "Fortran" };
    let dtype = header.dtype();
    let name = if dtype.is_record() {
        format!("record of {} fields, {} bytes", dtype.fields().len(), dtype.itemsize())
    } else {
        dtype.to_string()
    };
    let bytes = match dtype.has_object() {
        true => "a pickle".to_owned(),
        false => format!("{} bytes", header.data_bytes()),
    };
    page.push_str("<table class=\"header\">\n");
    let comma = if shape.len() == 1 { "," } else { "" };
    let shape = format!("({}{comma})", shape.join(", "));
    for (key, value) in
        [("shape", shape), ("order", order.into()), ("dtype", name), ("size", bytes)]
    {
        let _ = writeln!(page, "<tr><th>{key}</th><td>{}</td></tr>", escaped(&value));
    }
    page.push_str("</table>\n");
    if dtype.is_record() {
        page.push_str("<table class=\"fields\"><tr><th class=\"n\">offset</th><th>field</th><th>dtype</th></tr>\n");
        fields(dtype, 0, 0, page);
        page.push_str("</table>\n");
    }
}

/// Adds a line for each field. The recursion is as deep as the dtype, whose nesting is limited.
fn fields(dtype: &DType, base: usize, depth: usize, page: &mut String) {
    for field in dtype.fields() {
        let (offset, indent) = (base + field.offset(), "  ".repeat(depth));
        let inner = field.dtype().sub_array().map_or(field.dtype(), |(inner, _)| inner);
        let text = match inner.is_record() {
            true => format!("record, {} bytes", field.dtype().itemsize()),
            false => field.dtype().to_string(),
        };
        let name = escaped(&printable(field.name()));
        let _ = writeln!(
            page,
            "<tr><td class=\"n\">{offset}</td><td>{indent}{name}</td><td>{}</td></tr>",
            escaped(&text)
        );
        fields(inner, offset, depth + 1, page);
    }
}
