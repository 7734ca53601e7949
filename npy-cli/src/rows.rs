//! The rows of an array that `head`, `tail`, `sample`, `cat` and `convert` print, and the options that say how.
//!
//! `Rows::open(&target, &format, form, &mut kept)` reads the header only, unless there are Python objects; `rows.skip(n)` and `printer.print(&mut rows, n)` go
//! through the rows.

use std::thread;

use npy_core::{DynArray, ObjectRef, Objects};

use crate::columns::{Columns, Leaf, Split, Taken, Tree};
use crate::ml_dtype::RawNumbers;
use crate::output::{Failure, Result};
use crate::sheet::Align;
use crate::source::{self, AnyReader, MAX_EMPTY_ITEMS, Parted, Selection, Source};
use crate::target::Target;

/// The options of subcommands that print rows.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Format {
    /// The columns to print, such as a,hdr.t0,samples.3; of an array without fields 0,2, the numbers in the file
    #[arg(short, long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) columns: Vec<String>,
    #[command(flatten)]
    pub(crate) void: RawNumbers,
    /// Prints CSV with a line of names
    #[arg(long, group = "form")]
    csv: bool,
    /// Prints CSV with tabs in place of commas
    #[arg(long, group = "form")]
    tsv: bool,
    /// Prints one array of JSON
    #[arg(long, group = "form")]
    json: bool,
    /// Prints a line of JSON for each row
    #[arg(long, group = "form")]
    jsonl: bool,
}

/// How rows are printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    Table,
    /// With this byte between two fields.
    Csv(u8),
    Json,
    JsonLines,
}

impl Form {
    pub(crate) const CSV: Form = Form::Csv(b',');
    pub(crate) const TSV: Form = Form::Csv(b'\t');
}

impl Format {
    /// Returns the form that the options name.
    pub(crate) fn form(&self, default: Form) -> Form {
        match self {
            Format { csv: true, .. } => Form::CSV,
            Format { tsv: true, .. } => Form::TSV,
            Format { json: true, .. } => Form::Json,
            Format { jsonl: true, .. } => Form::JsonLines,
            _ => default,
        }
    }
}

/// The names that a file of pandas does not have: those of its index.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Unnamed {
    /// The columns that the first line of CSV leaves without a name, such as index, as pandas writes its index
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    unnamed: Vec<String>,
}

impl Unnamed {
    /// Refuses the option for other forms than CSV.
    pub(crate) fn check(&self, is_csv: bool) -> Result<()> {
        match is_csv || self.unnamed.is_empty() {
            true => Ok(()),
            false => Err(Failure::usage("--unnamed is for CSV that is written")),
        }
    }
}

/// Tables have no more columns, even if the output has any width.
const MAX_TABLE_COLUMNS: usize = 1000;

/// The rows of an array.
pub(crate) struct Rows<'a> {
    source: Source,
    /// The columns of a table and of CSV.
    pub(crate) leaves: Vec<Leaf>,
    /// The names of the columns by position, which are those of all arrays that can be printed together.
    pub(crate) keys: Vec<String>,
    /// A row of JSON.
    pub(crate) tree: Tree,
    /// The form of the columns as an array, if they were chosen.
    pub(crate) taken: Option<Taken>,
    /// The columns that the array has, which may be more than those of a table.
    total: usize,
    /// The threads that make text of rows.
    pub(crate) threads: usize,
    /// The Python objects, whose indices the rows have.
    pub(crate) objects: Vec<ObjectRef<'a>>,
}

impl<'a> Rows<'a> {
    /// Opens an array. `kept` is where its Python objects are kept, if it has any.
    pub(crate) fn open(
        target: &Target,
        Format { columns, void, .. }: &Format,
        form: Form,
        kept: &'a mut Option<Objects>,
    ) -> Result<Self> {
        let reader = source::open(target)?.into_array(target)?;
        source::tell_of_rest(&reader, target);
        let reader = reader.numbers_of(void, target)?;
        Rows::of(reader, target, columns, form, kept)
    }

    /// Finds the columns by the header, and then what is to be read of each row.
    pub(crate) fn of(
        reader: AnyReader,
        target: &Target,
        names: &[String],
        form: Form,
        kept: &'a mut Option<Objects>,
    ) -> Result<Self> {
        let Parted { reader, dtype, objects, .. } = Parted::of(reader, target, kept)?;
        let mut selection = Selection::of(reader.header(), target)?;
        let columns = Columns::resolve(&dtype, &selection, names, target)?;
        let split = if form == Form::Table { Split::Fields } else { Split::All };
        let leaves = match form {
            Form::Table => columns.leaves(split, MAX_TABLE_COLUMNS),
            Form::Csv(_) => columns.all_leaves(split, target)?,
            Form::Json | Form::JsonLines => Vec::new(),
        };
        if matches!(form, Form::Csv(_)) && leaves.is_empty() && selection.rows() > 0 {
            let message =
                "there are no columns to write, and CSV has no rows without them; JSON has";
            return Err(Failure::new(target, message));
        }
        let total = match leaves.len() {
            MAX_TABLE_COLUMNS if form == Form::Table => columns.count(split),
            shown => shown,
        };
        let tree = columns.tree();
        if matches!(form, Form::Json | Form::JsonLines)
            && tree.items().saturating_sub(columns.end()) > MAX_EMPTY_ITEMS
            && selection.rows() > 0
        {
            let message = format!(
                "a row has more than {MAX_EMPTY_ITEMS} items without bytes, which are too many to write; choose other columns with -c"
            );
            return Err(Failure::new(target, message));
        }
        let end = match form {
            Form::Table => leaves.iter().map(Leaf::end).max().unwrap_or(0),
            _ => columns.end(),
        };
        // Rows are not read beyond the last column.
        if let Some(elements) = end.checked_next_multiple_of(dtype.itemsize())
            && end > 0
        {
            selection.shorten_rows(elements / dtype.itemsize());
        }
        let source = Source::new(reader, selection, target)?;
        let threads = thread::available_parallelism().map_or(1, |threads| threads.get().min(8));
        let taken = (!names.is_empty()).then(|| columns.taken());
        let keys = columns.by_position().leaves(split, leaves.len());
        let keys = keys.into_iter().map(|key| key.name).collect();
        Ok(Rows { source, leaves, keys, tree, taken, total, threads, objects })
    }

    /// Returns the shape of the array after its slice.
    pub(crate) fn shape(&self) -> Vec<usize> {
        self.source.header().shape().to_vec()
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.source.rows()
    }

    /// Returns the size of all rows.
    pub(crate) fn bytes(&self) -> u64 {
        self.source.header().data_bytes()
    }

    /// Skips some rows.
    pub(crate) fn skip(&mut self, count: usize) {
        self.source.skip(count);
    }

    /// Skips to a row that is not before the current one.
    pub(crate) fn skip_to(&mut self, row: usize) {
        self.skip(row.saturating_sub(self.source.position()));
    }

    /// Returns the next rows, at most `max`, with the position of the first one.
    pub(crate) fn next(&mut self, max: usize) -> Result<Option<(usize, DynArray)>> {
        let first = self.source.position();
        let block = self.source.rows_per_block().saturating_mul(self.threads);
        Ok(self.source.next(block.min(max))?.map(|block| (first, block)))
    }

    /// Returns the name for messages.
    pub(crate) fn name(&self) -> &str {
        self.source.name()
    }

    /// Returns the index in the file of a row.
    pub(crate) fn file_row(&self, row: usize) -> usize {
        self.source.file_row(row)
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.leaves.iter().map(|leaf| leaf.name.clone()).collect()
    }

    /// Leaves columns without a name.
    pub(crate) fn leave_out_names(&mut self, Unnamed { unnamed }: &Unnamed) -> Result<()> {
        for name in unnamed {
            match self.leaves.iter_mut().find(|leaf| leaf.name == *name) {
                Some(leaf) => leaf.name.clear(),
                None => {
                    let names = self.names().join(", ");
                    let message =
                        format!("--unnamed: there is no column {name:?}; the columns are {names}");
                    return Err(Failure::new(self.name(), message));
                }
            }
        }
        Ok(())
    }

    /// Returns the columns for which a table has no space at any width.
    pub(crate) fn left_out(&self) -> usize {
        self.total - self.leaves.len()
    }

    pub(crate) fn aligns(&self) -> Vec<Align> {
        let of = |leaf: &Leaf| match leaf.count == 1 && leaf.cell.is_number() {
            true => Align::Right,
            false => Align::Left,
        };
        self.leaves.iter().map(of).collect()
    }
}
