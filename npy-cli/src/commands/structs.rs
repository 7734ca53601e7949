//! `npy struct FILE`: the Rust struct, or the `np.dtype(…)`, that reads a file.

use std::io::Write;

use npy_codegen::Code;
use npy_core::DType;

use crate::output::{Failure, Of, Output, Result, is_unsafe};
use crate::raw::RawFiles;
use crate::source::{self, Input};
use crate::target::Target;
use crate::text::json_string;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A .npy file, or an archive or a member of one
    #[arg(value_name = "FILE")]
    input: Target,
    #[command(flatten)]
    raw: RawFiles,
    /// The name of the struct; by default that of the file
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Prints the struct of an archive; archives with one member have the struct of that member otherwise
    #[arg(long, conflicts_with = "python")]
    archive: bool,
    /// Prints np.dtype(…) instead; of an archive, a dict of them
    #[arg(long)]
    python: bool,
}

impl Args {
    pub(crate) fn run(mut self) -> Result {
        self.raw.mark(&mut self.input);
        self.input.whole()?;
        let name = self.name.clone().unwrap_or_else(|| self.default_name());
        let code = match source::open(&self.input)? {
            Input::Archive(archive) if self.python => {
                let mut code = "{\n".to_owned();
                for name in archive.names() {
                    let header = archive.header(name).of(&self.input.path_text())?;
                    let dtype = python(header.dtype());
                    code += &format!("    {}: np.dtype({dtype}),\n", python_text(name));
                }
                code + "}\n"
            }
            Input::Archive(archive) if self.archive || archive.len() != 1 => {
                with_needs(&archive.code(&name).of(&self.input.path_text())?)
            }
            input => {
                let is_archive = matches!(input, Input::Archive(_));
                if self.archive && !is_archive {
                    let message = "is an array; --archive is for archives";
                    return Err(Failure::new(&self.input, message));
                }
                let reader = input.into_array(&self.input)?;
                match self.python {
                    true => format!("np.dtype({})\n", python(reader.header().dtype())),
                    false => with_needs(&npy_codegen::header(reader.header(), &name)),
                }
            }
        };
        let mut out = Output::stdout();
        out.write_all(code.as_bytes())?;
        out.finish()
    }

    /// Returns the name of the file or the member, without its directory and extension.
    fn default_name(&self) -> String {
        let member = self.input.member.as_deref().and_then(|name| name.rsplit('/').next());
        let stem = self.input.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        match member {
            Some(member) => member.to_owned(),
            None if self.input.is_stdin() => "Item".to_owned(),
            None => stem.unwrap_or_default(),
        }
    }
}

/// Returns the code, after comments on the crates and features that it needs.
fn with_needs(code: &Code) -> String {
    let comments: String = code.needs.iter().map(|need| format!("// Needs {need}.\n")).collect();
    if comments.is_empty() { code.to_string() } else { format!("{comments}\n{code}") }
}

/// Returns the argument of `np.dtype`: a literal, or a dict of fields, if a list could not say where they are.
fn python(dtype: &DType) -> String {
    if let Some((base, shape)) = dtype.sub_array() {
        let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
        return format!("({}, ({},))", python(base), shape.join(", "));
    }
    if !dtype.is_record() {
        return dtype.descr();
    }
    let fields = dtype.fields();
    let is_plain = dtype.packed().itemsize() == dtype.itemsize()
        && fields.iter().all(|field| field.title().is_none() && !field.name().is_empty());
    if is_plain {
        let each = fields
            .iter()
            .map(|field| format!("({}, {})", python_text(field.name()), python(field.dtype())));
        return format!("[{}]", each.collect::<Vec<_>>().join(", "));
    }
    let list = |each: &mut dyn Iterator<Item = String>| each.collect::<Vec<_>>().join(", ");
    let names = list(&mut fields.iter().map(|field| python_text(field.name())));
    let formats = list(&mut fields.iter().map(|field| python(field.dtype())));
    let offsets = list(&mut fields.iter().map(|field| field.offset().to_string()));
    let titles = list(&mut fields.iter().map(|field| match field.title() {
        Some(title) => python_text(title),
        None => "None".to_owned(),
    }));
    let has_titles = fields.iter().any(|field| field.title().is_some());
    let titles = if has_titles { format!("'titles': [{titles}], ") } else { String::new() };
    format!(
        "{{'names': [{names}], 'formats': [{formats}], 'offsets': [{offsets}], {titles}'itemsize': {}}}",
        dtype.itemsize()
    )
}

/// Returns the text as a literal of Python.
pub(super) fn python_text(text: &str) -> String {
    if text.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '\'' | '\\') || c == ' ') {
        return format!("'{text}'");
    }
    // Every string of JSON is one of Python.
    let mut out = Vec::new();
    json_string(text, &mut out);
    let mut literal = String::new();
    for c in String::from_utf8(out).unwrap_or_default().chars() {
        if is_unsafe(c) {
            // All of these are in the first plane.
            literal += &format!("\\u{:04x}", u32::from(c));
        } else {
            literal.push(c);
        }
    }
    literal
}
