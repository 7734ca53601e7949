//! `npy convert IN OUT`: another dtype, order or container, and text.
//!
//! The names of the files say what they are. Arrays go through in blocks (`convert/blocks.rs`), unless the order of the elements changes.
//! `convert/safetensors.rs` reads and writes safetensors files.

mod blocks;
mod cast;
mod safetensors;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::mem;
use std::path::{Path, PathBuf};
use std::slice;

use npy_core::dtype::Field;
use npy_core::{ByteOrder, Cast, DType, DynArray, ErrorKind, Header, Order, WriteNpy, npz};
use npy_zip::{Directory, Limits};

use self::blocks::Blocks;
use self::cast::Block;
use crate::columns::Columns;
use crate::dtypes;
use crate::input::{self, Comments, Decimal, Dialect, FirstLine};
use crate::ml_dtype::RawNumbers;
use crate::output::{Answer, Failure, Of, Progress, Result, note, reason};
use crate::output_file::{Begun, OutputFile, Replacing, refuse_compressed};
use crate::printer::Printer;
use crate::python;
use crate::raw::RawFiles;
use crate::remote;
use crate::rows::{Form, Rows, Unnamed};
use crate::shell;
use crate::source::{self, AnyReader, Input, Parted, Selection, Source};
use crate::target::Target;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A .npy file, an archive or a member of one, or a .safetensors, .csv, .tsv, .json or .jsonl file
    #[arg(value_name = "IN")]
    input: Target,
    #[command(flatten)]
    raw: RawFiles,
    /// The file to write: .npy, .npz (or a member, x.npz::name, which is added or replaced), .safetensors, .csv, .tsv, .json, .jsonl; - with --to is standard output
    #[arg(value_name = "OUT")]
    output: Target,
    /// The format of IN, if its name does not say so: csv, tsv, json or jsonl
    #[arg(long, value_enum, value_name = "FORMAT")]
    from: Option<Text>,
    /// The format of OUT, if its name does not say so
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<Format>,
    /// Converts the values to this dtype, such as f4, <i8 or "[('a', '<f4')]"; Python objects, too. Fields of an array that it does not name are left out. In JSON, a list of two numbers is one complex number for c8 and c16
    #[arg(long)]
    dtype: Option<String>,
    /// The treatment of values that the dtype does not hold
    #[arg(long, value_enum, default_value_t = Rule::Checked)]
    cast: Rule,
    /// The order of the elements; another one than that of IN needs memory for twice the array
    #[arg(long, value_enum, ignore_case = true)]
    order: Option<Layout>,
    /// The byte order of all numbers
    #[arg(long, value_enum)]
    endian: Option<Endian>,
    /// Compresses the members of an archive; without this, what is written is stored, also among compressed members
    #[arg(long)]
    compress: bool,
    /// The character between the fields of IN, if it is CSV; '\t' is a tab, and ' ' any run of blanks and tabs. Without this, it is a comma, or ' ' if the first lines are numbers with blanks between them
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// The first line of IN, if it is CSV, is a row, and not the names of the columns, which are 0, 1, … or, of that many, the fields of --dtype. Without this and --header, a first line with a field that is empty or a number, a time, True or False is an error: it may be either
    #[arg(long)]
    no_header: bool,
    /// The first line of IN, if it is CSV, has the names of the columns, even if some are numbers or empty
    #[arg(long, conflicts_with = "no_header")]
    header: bool,
    /// Texts of IN, if it is CSV, that mean a missing value, such as NA,null; an empty field always does. Columns of text keep these texts. Booleans are True, true, TRUE, False, false and FALSE, and for --dtype bool also 1 and 0
    #[arg(long, value_delimiter = ',', value_name = "TEXTS", allow_hyphen_values = true)]
    missing: Vec<String>,
    /// The character that begins the comments of IN, if it is CSV; '' for no comments. They are lines, or follow the fields of one. Without this, lines that begin with # are names before the first row, comments, or rows of text: a remark says what they were taken for; so are those with % before the first row
    #[arg(long, value_name = "CHAR", value_parser = comments)]
    comments: Option<Comments>,
    /// The decimal mark of numbers of IN, if it is CSV: , or a point. The other one separates thousands, in groups of three digits: of 1.234,5 and of 1,234.5. Columns that have other text are kept as they are
    #[arg(long, value_name = "CHAR", value_parser = decimal)]
    decimal: Option<Decimal>,
    /// The columns to write, such as a,hdr.t0,samples.3; of an array without fields 0,2, the numbers in the file; their dtypes stay. One column becomes an array of its dtype, several fields become records
    #[arg(short, long, value_delimiter = ',', value_name = "NAMES")]
    columns: Vec<String>,
    /// The same of a text whose columns all get one dtype: they are chosen by their names in the text, which the array does not have.
    #[arg(skip)]
    text_columns: Vec<String>,
    #[command(flatten)]
    unnamed: Unnamed,
    #[command(flatten)]
    void: RawNumbers,
    /// Replaces an archive whose other members are lost, or a safetensors file whose other tensors are
    #[arg(long, conflicts_with = "no_clobber")]
    force: bool,
    #[command(flatten)]
    replacing: Replacing,
}

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
pub(crate) enum Format {
    Npy,
    Npz,
    Safetensors,
    Csv,
    /// CSV with tabs
    Tsv,
    Json,
    Jsonl,
}

/// A text that becomes an array.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum Text {
    Csv,
    /// CSV with tabs
    Tsv,
    Json,
    Jsonl,
}

#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum Rule {
    /// An error for the first value that would change; a number in text, such as 0.1, counts as the nearest f8 if that has all of its digits
    Lossless,
    /// An error for the first value that does not fit; one between two floats fits, and is rounded: 2**53 + 1 as f8
    Checked,
    /// As Rust's `as`: fractions are cut off, times are cut toward the past, and integers keep their lowest bits; as an integer, NaN is 0, and a float beyond the range its nearest end
    Numeric,
}

#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum Layout {
    /// Rows are contiguous
    C,
    /// Columns are contiguous
    F,
}

#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum Endian {
    Little,
    Big,
}

impl Format {
    /// Returns what the name of a file says.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "npy" => Format::Npy,
            "npz" => Format::Npz,
            "safetensors" => Format::Safetensors,
            "csv" => Format::Csv,
            "tsv" => Format::Tsv,
            "json" => Format::Json,
            "jsonl" | "ndjson" => Format::Jsonl,
            _ => return None,
        })
    }
}

impl Args {
    pub(crate) fn run(mut self) -> Result {
        self.raw.mark(&mut self.input);
        self.join_path();
        let mut plain = self.output.path.with_extension("");
        if self.to.is_none() && Format::of(&plain).is_none() {
            plain.set_extension("npy");
        }
        refuse_compressed(&self.output.path, &plain)?;
        remote::refuse_directory(&self.output.path)?;
        let Some(format) = self.format() else {
            let message = "its name does not end in .npy, .npz, .safetensors, .csv, .tsv, .json or .jsonl; say what it is with --to";
            return Err(Failure::new(
                format!("the output {}", self.output.path.display()),
                message,
            ));
        };
        self.unnamed.check(matches!(format, Format::Csv | Format::Tsv))?;
        self.check_output(format)?;
        if self.form()?.is_some() && self.wanted_dtype()?.is_some_and(|dtype| !dtype.is_record()) {
            self.text_columns = mem::take(&mut self.columns);
        }
        if let Some(member) = &self.output.member {
            remote::refuse_change(&self.output.path)?;
            super::npz::check_name(member)?;
            // The archive may be that of the input: it is read before it is edited.
            self.to_member(member)?;
            return Ok(Answer::Yes);
        }
        let mut output = self.replacing.output(&self.output.path, slice::from_ref(&self.input))?;
        if matches!(format, Format::Npz | Format::Safetensors) {
            output = output.unless_made(self.force);
        }
        match format {
            Format::Npy => self.to_npy(&output.binary()?)?,
            Format::Npz => self.to_npz(&output.binary()?)?,
            Format::Safetensors => self.to_safetensors(&output.binary()?)?,
            Format::Csv => self.to_text(Form::CSV, &output)?,
            Format::Tsv => self.to_text(Form::TSV, &output)?,
            Format::Json => self.to_text(Form::Json, &output)?,
            Format::Jsonl => self.to_text(Form::JsonLines, &output)?,
        }
        Ok(Answer::Yes)
    }

    /// Takes `::` as a part of the path of the output, unless the name before it is that of an archive, or of another format.
    fn join_path(&mut self) {
        let Target { path, member: Some(member), slice: None, .. } = &self.output else { return };
        let is_file = Format::of(path).is_some() || self.output.is_stdin();
        if !is_file && self.to != Some(Format::Npz) && !source::begins_as_archive(path) {
            let path = [path.as_os_str(), "::".as_ref(), member.as_ref()];
            self.output = PathBuf::from(path.join("".as_ref())).into();
        }
    }

    /// Refuses an output that is neither a file nor a member of an archive.
    fn check_output(&self, format: Format) -> Result<()> {
        let Target { slice, member, .. } = &self.output;
        let message = match (slice, member) {
            (Some(_), _) => {
                "is a part of an array; name a file or a member of an archive, which is written as a whole"
            }
            (None, Some(_)) if self.output.is_stdin() => {
                return Err(Failure::usage(
                    "standard output has no members; --to npz writes an archive with one to -",
                ));
            }
            (None, Some(_)) if format != Format::Npz && self.to.is_some() => {
                "is a member of an archive, which is an array in the format of .npy; write it with --to npz, or name a file"
            }
            (None, Some(_)) if format != Format::Npz => {
                "has a member, as archives alone have; name an archive, such as OUT.npz::NAME, or leave out the member"
            }
            _ => return Ok(()),
        };
        Err(Failure::new(&self.output, message))
    }

    /// Returns the format of the output.
    fn format(&self) -> Option<Format> {
        self.to.or_else(|| Format::of(&self.output.path))
    }

    /// Reads raw bytes as the numbers that they are, if the output shall have numbers.
    fn numbers(&self, reader: AnyReader, target: &Target) -> Result<AnyReader> {
        // Tensors have these numbers, too.
        let is_asked = self.void.is_named() && self.format() != Some(Format::Safetensors);
        match is_asked || self.dtype.is_some() {
            // Of an archive, the option is for the members that have such bytes.
            true if *target != self.input => reader.widened(&self.void).of(target),
            true => reader.numbers_of(&self.void, target),
            false => Ok(reader),
        }
    }

    fn to_text(&self, form: Form, output: &OutputFile<'_>) -> Result<()> {
        if self.dtype.is_some() || self.order.is_some() || self.endian.is_some() || self.compress {
            let message = "--dtype, --order, --endian and --compress are for .npy and .npz files";
            return Err(Failure::usage(message));
        }
        let reader = self.open_array()?;
        let reader = reader.numbers_of(&self.void, &self.input)?;
        let mut objects = None;
        let mut rows = Rows::of(reader, &self.input, &self.columns, form, &mut objects)?;
        rows.leave_out_names(&self.unnamed)?;
        let progress = Progress::start(rows.bytes());
        output.write(|mut out| {
            let mut printer = Printer::to(&mut out, form);
            printer.show(progress);
            printer.print(&mut rows, usize::MAX)?;
            let name = self.input.to_string();
            source::tell_of_none(&name, printer.nones(), "empty text, where JSON has null");
            printer.finish()
        })
    }

    fn to_npy(&self, output: &OutputFile<'_>) -> Result<()> {
        if self.compress {
            return Err(Failure::usage("--compress is for .npz files"));
        }
        let reader = self.open_array()?;
        let header = reader.header();
        let is_in_order = header.order() == self.order(header) || header.shape().len() < 2;
        if header.dtype().has_object() || !is_in_order || self.order(header) == Order::Fortran {
            let array = self.array(reader, &self.input)?;
            return output.write(|out| array.write_npy_to(out).map_err(Failure::from));
        }
        let mut blocks = self.blocks(reader, &self.input)?;
        let header = blocks.header()?;
        let mut progress = Progress::start(header.data_bytes());
        output.write(|out| {
            out.write_all(&header.to_bytes().of(&self.output.path_text())?)?;
            // There may be any number of rows without bytes.
            while header.data_bytes() > 0
                && let Some(block) = blocks.next()?
            {
                progress.add(block.as_bytes().len());
                out.write_all(block.as_bytes())?;
            }
            Ok(())
        })
    }

    /// Returns the form of the input if it is a text.
    fn form(&self) -> Result<Option<input::Form>> {
        let first_line = match (self.header, self.no_header) {
            (true, _) => FirstLine::Names,
            (_, true) => FirstLine::Row,
            _ => FirstLine::Unknown,
        };
        let missing = self.missing.clone();
        let comments = self.comments.unwrap_or_default();
        let (delimiter, decimal) = (self.delimiter, self.decimal);
        let dialect = Dialect { delimiter, first_line, missing, comments, decimal };
        let has_dialect = dialect != Dialect::default();
        let tabs = Dialect { delimiter: dialect.delimiter.or(Some(b'\t')), ..dialect.clone() };
        let form = match self.from {
            Some(Text::Csv) => Some(input::Form::Csv(dialect)),
            Some(Text::Tsv) => Some(input::Form::Csv(tabs)),
            Some(Text::Json) => Some(input::Form::Json),
            Some(Text::Jsonl) => Some(input::Form::JsonLines),
            // The first bytes say more than the name.
            None => match input::Form::of(&self.input.path)
                .filter(|_| !source::is_binary(&self.input))
            {
                Some(input::Form::Csv(of_name)) => {
                    let delimiter = dialect.delimiter.or(of_name.delimiter);
                    Some(input::Form::Csv(Dialect { delimiter, ..dialect }))
                }
                None if self.is_savetxt() => Some(input::Form::Csv(dialect)),
                form => form.filter(|_| self.dtype.is_some()),
            },
        };
        if has_dialect && !matches!(form, Some(input::Form::Csv(_))) {
            let of_output = match self.format() {
                Some(Format::Csv | Format::Tsv) => {
                    "; OUT has commas between its fields, or with --to tsv tabs, and npy cat --csv --no-header prints rows without names"
                }
                _ => "",
            };
            return Err(Failure::usage(format!(
                "--delimiter, --header, --no-header, --missing, --comments and --decimal say how IN is read, and IN is not CSV; if it is, add --from csv{of_output}"
            )));
        }
        Ok(form)
    }

    /// Returns true for text of `np.savetxt` in a file whose name does not say that it is text.
    fn is_savetxt(&self) -> bool {
        let Target { path, member: None, raw: None, .. } = &self.input else { return false };
        Format::of(path).is_none()
            && path.is_file()
            && input::is_savetxt(path, self.comments.unwrap_or_default())
    }

    fn wanted_dtype(&self) -> Result<Option<DType>> {
        self.dtype.as_deref().map(parse_dtype).transpose()
    }

    /// Opens the input. The dtype decides how text is read.
    fn open(&self) -> Result<Input> {
        let Some(form) = self.form()? else { return source::open(&self.input) };
        if self.cast == Rule::Lossless && self.dtype.is_none() {
            let message = "--cast lossless is for the values of a --dtype; without one, text that is not exactly a number of 64 bits may be rounded to it";
            return Err(Failure::usage(message));
        }
        let dtype = self.wanted_dtype()?;
        let (cast, columns) = (self.cast(), &self.text_columns[..]);
        let wanted = dtype.as_ref().map(|dtype| input::Wanted {
            dtype,
            cast,
            columns,
            chosen: &self.columns,
        });
        source::open_text(&self.input, &form, wanted)
    }

    /// Opens the only array of the input.
    fn open_array(&self) -> Result<AnyReader> {
        let reader = self.open()?.into_array(&self.input)?;
        source::tell_of_rest(&reader, &self.input);
        Ok(reader)
    }

    fn to_npz(&self, output: &OutputFile<'_>) -> Result<()> {
        if self.input.member.is_none() && source::is_safetensors(&self.input) {
            return self.tensors_to_npz(output);
        }
        let input = self.open()?;
        if !self.force && !output.is_stdout() {
            let written: Vec<String> = match &input {
                Input::Archive(archive) => archive.names().map(str::to_owned).collect(),
                Input::Array(_) => vec![self.member_name()],
            };
            self.check_lost(&written)?;
        }
        let is_archive = matches!(input, Input::Archive(_));
        let archive = self.members(super::npz::begin(output, &self.npz_options())?, input)?;
        output.finish(archive)?;
        match is_archive && self.input.path.is_file() {
            true => self.tell_of_changed(),
            false => Ok(()),
        }
    }

    /// Says that the new archive has other names of members than the old one, or lacks what follows its directory.
    fn tell_of_changed(&self) -> Result<()> {
        const END_BYTES: i64 = 22;
        let name = self.input.path_text();
        let mut file = File::open(&self.input.path).of(&name)?;
        let mut start = [0; 4];
        file.seek(SeekFrom::End(-END_BYTES)).of(&name)?;
        file.read_exact(&mut start).of(&name)?;
        if start != *b"PK\x05\x06" {
            note(
                &name,
                "what follows the directory of the archive, such as its comment, is left out",
            );
        }
        let Ok(directory) = Directory::of_file(&file, &Limits::default()) else { return Ok(()) };
        if let Some(entry) =
            directory.entries().iter().find(|entry| !entry.name().ends_with(".npy"))
        {
            let entry = entry.name();
            note(&name, format!("names of members without .npy, such as {entry:?}, get it"));
        }
        Ok(())
    }

    fn npz_options(&self) -> npz::WriteOptions {
        let mut options = npz::WriteOptions::new();
        match self.compress {
            true => options.deflate(6),
            false => options.stored(),
        };
        options
    }

    /// Refuses to replace an archive that has other members. A file that is not an archive is replaced, as any other output is.
    fn check_lost(&self, written: &[String]) -> Result<()> {
        let path = &self.output.path;
        if !path.is_file() || npz::Reader::open(path).is_err() {
            return Ok(());
        }
        let instead = format!("{}::NAME adds or replaces a member", shell::path(path));
        super::npz::check_lost(path, written, &instead)
    }

    /// Returns the name of the member that a single array becomes.
    fn member_name(&self) -> String {
        self.input.member.clone().unwrap_or_else(|| stem(&self.input))
    }

    /// Writes all arrays of the input to an archive.
    fn members(&self, mut writer: npz::Writer<Begun>, input: Input) -> Result<Begun> {
        let name = self.output.path_text();
        let written = match input {
            Input::Archive(archive) => archive.names().try_for_each(|member| {
                let target = self.input.with_member(member);
                let reader = match AnyReader::member(&archive, member) {
                    Err(error)
                        if matches!(error.kind(), ErrorKind::NotNpy { .. })
                            && self.input.path.is_file() =>
                    {
                        let (path, copy) = (
                            shell::path(&self.input.path),
                            shell::new_output(Path::new("copy.npz")),
                        );
                        let member = shell::last([shell::word(member.as_bytes())]);
                        let message = format!(
                            "is not an array; cp {path} {copy} && npy npz rm {copy} {member} makes a copy without it"
                        );
                        return Err(Failure::new(target, message));
                    }
                    reader => reader.of(&self.input.path_text())?,
                };
                let array = self.array(reader, &target)?;
                writer.write(member, &array).of(&name)
            }),
            Input::Array(reader) => {
                source::tell_of_rest(&reader, &self.input);
                let array = super::npz::check_name(&self.member_name())
                    .and_then(|()| self.array(reader, &self.input));
                array.and_then(|array| writer.write(&self.member_name(), &array).of(&name))
            }
        };
        if let Err(failure) = written {
            // An input could not be read: the archive would be incomplete.
            writer.discard();
            return Err(failure);
        }
        writer.finish().of(&name)
    }

    /// Writes a member of an archive, which may have others.
    fn to_member(&self, member: &str) -> Result<()> {
        let (path, name) = (&self.output.path, self.output.path_text());
        let reader = self.open_array()?;
        let array = self.array(reader, &self.input)?;
        let mut options = self.npz_options();
        if !path.exists() {
            options.keep_existing(true);
            let create = || -> npy_core::Result<()> {
                let mut writer = options.create(path)?;
                writer.write(member, &array)?;
                writer.finish().map(drop)
            };
            let exists = |error: &npy_core::Error| matches!(error.kind(), ErrorKind::Io(io) if io.kind() == io::ErrorKind::AlreadyExists);
            let created = create();
            // If another process has made the archive since, this is one more member of it.
            if !created.as_ref().is_err_and(exists) {
                return created.of(&name);
            }
        }
        let mut editor = options.edit(path).of(&name)?;
        if self.replacing.no_clobber && editor.contains(member) {
            let message = "exists, and --no-clobber keeps it";
            return Err(Failure::new(&self.output, message));
        }
        let count = editor.count(member);
        let is_stored = !self.compress && super::npz::is_compressed(path);
        editor.write(member, &array).of(&name)?;
        editor.finish().of(&name)?;
        if is_stored {
            super::npz::tell_of_stored(path, "--compress");
        }
        super::npz::tell_of_hidden(path, member, count, "replaced");
        Ok(())
    }

    /// Reads and converts an array.
    fn array(&self, reader: AnyReader, target: &Target) -> Result<DynArray> {
        let name = target.to_string();
        let mut reader = self.numbers(reader, target)?;
        let all = reader.header().dtype().clone();
        let order = self.order(reader.header());
        let has_object = reader.header().dtype().has_object();
        let array = if has_object && let Some(dtype) = &self.dtype {
            self.array_of_objects(reader, target, dtype)?
        } else if target.slice.is_some() || !self.columns.is_empty() {
            self.blocks(reader, target)?.all()?
        } else if has_object {
            return reader.read_all().of(&name);
        } else {
            reader.read_all().of(&name)?
        };
        let dtype = self.dtype(array.dtype(), &all)?;
        let array = match *array.dtype() == dtype {
            true => array,
            false => {
                let ndim = array.shape().len();
                let block = Block { rows: &array, name: &name, first: 0, ndim, are_columns: false };
                block.cast(&dtype, self.cast())?
            }
        };
        if array.order() == order { Ok(array) } else { array.to_order(order).of(&name) }
    }

    /// Returns the blocks of an array in C order, with the chosen columns.
    fn blocks(&self, reader: AnyReader, target: &Target) -> Result<Blocks> {
        let mut kept = None;
        let numbers = self.numbers(reader, target)?;
        let Parted { reader, dtype, .. } = Parted::of(numbers, target, &mut kept)?;
        let selection = Selection::of(reader.header(), target)?;
        let columns = match self.columns[..] {
            [] => None,
            _ => Some(Columns::resolve(&dtype, &selection, &self.columns, target)?),
        };
        if columns.as_ref().map_or(dtype.has_object(), Columns::has_object) {
            let message = "a part of an array of Python objects has no pickle of its own; --dtype converts the objects, and .csv and .jsonl have them as text";
            return Err(Failure::new(target, message));
        }
        let source = Source::new(reader, selection, target)?;
        let indices = match &self.columns[..] {
            [name] => python::indices(&dtype, name.trim()),
            _ => String::new(),
        };
        Blocks::new(source, columns, |found| self.dtype(found, &dtype), self.cast(), indices)
    }

    /// Converts Python objects to the dtype.
    fn array_of_objects(
        &self,
        reader: AnyReader,
        target: &Target,
        dtype: &str,
    ) -> Result<DynArray> {
        let (mut objects, name) = (None, target.to_string());
        let dtype = parse_dtype(dtype)?;
        // The values of other fields are not read.
        let named = match reader.header().dtype().is_record() && self.columns.is_empty() {
            true => dtype.fields().iter().map(|field| field.name().to_owned()).collect(),
            false => self.columns.clone(),
        };
        let mut rows = Rows::of(reader, target, &named, Form::JsonLines, &mut objects)?;
        let shape = rows.shape();
        let wanted =
            input::Wanted { dtype: &dtype, cast: self.cast(), columns: &[], chosen: &self.columns };
        let array = input::read_objects(&mut rows, &name, wanted)?;
        // There is a row for the object of an array without dimensions, and there are no dimensions without rows.
        match self.columns.is_empty()
            && shape.iter().product::<usize>() == array.shape().iter().product::<usize>()
        {
            true => {
                DynArray::new(array.dtype().clone(), shape, Order::C, array.into_bytes()).of(&name)
            }
            false => Ok(array),
        }
    }

    /// Returns the order of the result.
    fn order(&self, header: &Header) -> Order {
        match self.order {
            Some(Layout::C) => Order::C,
            Some(Layout::F) => Order::Fortran,
            None if self.input.slice.is_some() || !self.columns.is_empty() => Order::C,
            None => header.order(),
        }
    }

    /// Returns the dtype of the result. `found` is that of the chosen columns, and `all` that of the input.
    fn dtype(&self, found: &DType, all: &DType) -> Result<DType> {
        let dtype = match &self.dtype {
            Some(text) => {
                let wrong = |error: npy_core::Error| {
                    Failure::usage(format!("--dtype {text}: {}", reason(error.kind())))
                };
                let wanted = self.of_columns(parse_dtype(text)?, found, all)?;
                dtypes::with_widths(wanted, found).map_err(wrong)?
            }
            None => found.clone(),
        };
        Ok(match self.endian {
            Some(Endian::Little) => dtype.with_byte_order(ByteOrder::Little),
            Some(Endian::Big) => dtype.with_byte_order(ByteOrder::Big),
            None if self.format() == Some(Format::Safetensors) => {
                dtype.with_byte_order(ByteOrder::Little)
            }
            None => dtype,
        })
    }

    /// Returns the wanted dtype; of one column, it is that of its field. A field of the input that is not chosen is an error, unless a chosen column is
    /// missing: the cast names that.
    fn of_columns(&self, wanted: DType, found: &DType, all: &DType) -> Result<DType> {
        if !wanted.is_record() || self.columns.is_empty() {
            return Ok(wanted);
        }
        let only = match &self.columns[..] {
            [name] if !found.is_record() => Some(name.trim()),
            _ => None,
        };
        let has = |dtype: &DType, name: &str| dtype.field(name).is_some();
        let is_chosen = |name: &str| only.map_or_else(|| has(found, name), |only| only == name);
        let has_all = match only {
            Some(name) => has(&wanted, name),
            None => found.fields().iter().all(|field| has(&wanted, field.name())),
        };
        let mut names = wanted.fields().iter().map(Field::name);
        if has_all && let Some(name) = names.find(|name| !is_chosen(name) && has(all, name)) {
            return Err(Failure::usage(format!(
                "--dtype has the field {name:?}, which -c does not choose; add it to -c, or leave it out of --dtype"
            )));
        }
        let of_only = only.and_then(|name| wanted.field(name)).map(|field| field.dtype().clone());
        Ok(of_only.unwrap_or(wanted))
    }

    fn cast(&self) -> Cast {
        match self.cast {
            Rule::Lossless => Cast::Lossless,
            Rule::Checked => Cast::Checked,
            Rule::Numeric => Cast::Numeric,
        }
    }
}

/// Returns the name of a file without directory and extension.
fn stem(target: &Target) -> String {
    let stem = target.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    stem.filter(|_| !target.is_stdin()).unwrap_or_else(|| "arr_0".into())
}

/// Parses the character between two fields.
fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() => Ok(*byte),
        b"\\t" => Ok(b'\t'),
        _ => Err("a delimiter is one ASCII character, or \\t for a tab".into()),
    }
}

/// Parses the decimal mark of numbers.
fn decimal(text: &str) -> Result<Decimal, String> {
    match text {
        "," => Ok(Decimal::Comma),
        "." => Ok(Decimal::Point),
        _ => Err("write , or a point".into()),
    }
}

/// Parses the character that begins comments.
fn comments(text: &str) -> Result<Comments, String> {
    match text.as_bytes() {
        [] => Ok(Comments::None),
        b"\"" => Err("fields have quotes; write another character, such as '#', or '' if there are no comments".into()),
        [byte] if byte.is_ascii() => Ok(Comments::Marked(*byte)),
        _ => Err("write one ASCII character, such as '#', or '' if there are no comments".into()),
    }
}

/// Parses the value of `--dtype`.
fn parse_dtype(text: &str) -> Result<DType> {
    let wrong = |error: npy_core::Error| format!("--dtype {text}: {}", reason(error.kind()));
    let dtype = dtypes::parse(text).map_err(|error| match dtypes::meant(text) {
        None if text.contains("'names':") || text.contains("align=") => Failure::usage(format!(
            "{}; npy info --json FILE has the dtype of FILE as a list, also with padding",
            wrong(error)
        )),
        Some(name) => {
            Failure::usage(format!("--dtype {text}: there is no such dtype; did you mean {name}?"))
        }
        None => Failure::usage(wrong(error)),
    })?;
    if dtype.has_object() {
        return Err(Failure::usage(format!(
            "--dtype {text}: nothing becomes Python objects; U is text"
        )));
    }
    Ok(dtype)
}
