//! `COPY … TO 'x.csv'`: a file of the engine takes the place of an old one when it is complete.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use npy_datafusion::datafusion::arrow::datatypes::{DataType, Schema};
use npy_datafusion::datafusion::common::{exec_datafusion_err, exec_err};
use npy_datafusion::datafusion::datasource::listing::ListingTableUrl;
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::datafusion::execution::SpillFile;
use npy_datafusion::datafusion::logical_expr::LogicalPlan;
use npy_datafusion::datafusion::logical_expr::dml::CopyTo;
use npy_datafusion::datafusion::prelude::SessionContext;
use npy_datafusion::is_one_file;
use whole_file::{NewFile, Options};

use crate::statements::written;

/// A file that the engine writes. It would empty the old one first, whose rows are lost then if the query fails.
pub(crate) struct Copy {
    target: NewFile,
    /// The file in the temporary directory of the session, beside one that reserves its name.
    written: PathBuf,
    _reserved: Arc<dyn SpillFile>,
}

impl Copy {
    /// Returns the statement with another place for its file; `None` if it is no such statement. Files of .npy are complete when they appear, and
    /// those of a directory have new names.
    pub(crate) fn new(
        ctx: &SessionContext,
        plan: &LogicalPlan,
        no_clobber: bool,
    ) -> Result<Option<(LogicalPlan, Self)>> {
        let copy = match plan {
            LogicalPlan::Copy(copy) => copy,
            LogicalPlan::Analyze(analyze) => return check_analyzed(&analyze.input),
            _ => return Ok(None),
        };
        let Some(path) = file(copy)? else { return Ok(None) };
        let reserved = ctx.runtime_env().disk_manager.create_tmp_file("COPY")?;
        let written = reserved.path().map(|path| path.with_extension("copy"));
        let written = written
            .ok_or_else(|| exec_datafusion_err!("the session has no temporary directory"))?;
        let target = Options::new().keep_existing(no_clobber).create(&path);
        let target = target.map_err(|error| exec_datafusion_err!("{}: {error}", path.display()))?;
        let output_url = written.to_string_lossy().into_owned();
        let plan = LogicalPlan::Copy(CopyTo { output_url, ..copy.clone() });
        Ok(Some((plan, Copy { target, written, _reserved: reserved })))
    }

    /// Puts the file in its place.
    pub(crate) fn finish(self) -> Result<()> {
        io::copy(&mut File::open(&self.written)?, &mut self.target.file())?;
        self.target.finish()?;
        Ok(fs::remove_file(&self.written)?)
    }
}

/// Refuses `EXPLAIN ANALYZE COPY` to a file that is there: the engine would empty it before the query ends.
fn check_analyzed<T>(plan: &LogicalPlan) -> Result<Option<T>> {
    let LogicalPlan::Copy(copy) = plan else { return Ok(None) };
    match file(copy)?.filter(|path| path.exists()) {
        Some(path) => exec_err!(
            "{}: it exists, and EXPLAIN ANALYZE of a COPY empties it first; explain the query alone, or write to another name",
            path.display()
        ),
        None => Ok(None),
    }
}

/// Returns the columns of a statement that writes them as text.
pub(crate) fn columns_of_text(plan: &LogicalPlan) -> Option<&Schema> {
    let LogicalPlan::Copy(copy) = plan else { return None };
    let is_text = ["csv", "json"].contains(&copy.file_type.get_ext().as_str());
    is_text.then(|| copy.input.schema().as_arrow())
}

/// Refuses lists and records in CSV, by their names.
pub(crate) fn check_csv(plan: &LogicalPlan) -> Result<()> {
    let LogicalPlan::Copy(copy) = plan else { return Ok(()) };
    let mut fields = copy.input.schema().fields().iter();
    let is_csv = copy.file_type.get_ext() == "csv";
    let Some(field) = fields.find(|field| is_csv && field.data_type().is_nested()) else {
        return Ok(());
    };
    // A statement cannot write the name of an expression for its value.
    let name = match written(field.name()) {
        name if name.starts_with('"') => "x".to_owned(),
        name => name,
    };
    let instead = match field.data_type() {
        DataType::Struct(parts) => {
            let part = parts.first().map_or_else(|| "p".to_owned(), |part| written(part.name()));
            format!("{name}.{part} AS {part} for one field")
        }
        _ => {
            format!("array_to_string({name}, ' ') AS {name}, or {name}[1] AS {name}1 for one value")
        }
    };
    exec_err!(
        "{}: CSV has single values, and the column {:?} has several in a row; write {instead}, or TO 'x.json'",
        copy.output_url,
        field.name()
    )
}

/// Returns true if a statement writes its file to the standard output of this process.
pub(crate) fn is_to_output(plan: &LogicalPlan) -> bool {
    let LogicalPlan::Copy(copy) = plan else { return false };
    path_of(copy).is_some_and(|path| is_output(&path))
}

#[cfg(unix)]
fn is_output(path: &Path) -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;

    let output = io::stdout().as_fd().try_clone_to_owned();
    let output = output.and_then(|output| File::from(output).metadata());
    let (Ok(output), Ok(found)) = (output, path.metadata()) else { return false };
    (output.dev(), output.ino()) == (found.dev(), found.ino())
}

#[cfg(not(unix))]
fn is_output(_: &Path) -> bool {
    false
}

/// Returns the path that a statement writes to, if it is one of this machine.
fn path_of(copy: &CopyTo) -> Option<PathBuf> {
    let url = &copy.output_url;
    match url.contains("://") {
        // Other URLs have paths, too.
        true if !url.starts_with("file://") => None,
        true => ListingTableUrl::parse(url).ok()?.get_url().to_file_path().ok(),
        false => Some(PathBuf::from(url)),
    }
}

/// Returns the path of the only file of a statement, if the engine writes it on this machine.
fn file(copy: &CopyTo) -> Result<Option<PathBuf>> {
    let is_of_engine = !["npy", "npz"].contains(&copy.file_type.get_ext().as_str());
    let is_single = is_of_engine && copy.partition_by.is_empty() && is_one_file(&copy.output_url)?;
    Ok(path_of(copy).filter(|_| is_single))
}
