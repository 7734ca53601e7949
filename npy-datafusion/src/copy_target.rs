//! Refuses a `COPY … TO`, or an `INSERT INTO`, whose files would not be where, or what, the statement seems to say.
//!
//! Paths of a statement are not read by a shell: `~` is the name of a directory there. And the engine makes whatever directory is missing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::new_empty_array;
use datafusion::arrow::datatypes::{FieldRef, Fields};
use datafusion::common::plan_err;
use datafusion::datasource::listing::{ListingOptions, ListingTableUrl};
use datafusion::error::Result;
use datafusion::execution::SessionState;
use datafusion::logical_expr::dml::CopyTo;
use npy_arrow::{Options, column};
use npy_core::DType;
use object_store::ObjectMeta;

use crate::format::NpyFormat;
use crate::header::{self, listed};
use crate::merge::wider;
use crate::settings::NpySettings;
use crate::{files, location};

/// The extensions of files that are compressed as a whole.
const COMPRESSED: [&str; 5] = ["gz", "bz2", "xz", "zst", "zip"];

/// The file or the directory that a statement names.
pub(crate) struct Target {
    /// As the statement names it.
    name: String,
    url: ListingTableUrl,
    /// Its path, if it is one of this machine.
    path: Option<PathBuf>,
    /// True if the statement writes one file.
    is_file: bool,
}

impl Target {
    pub(crate) fn of(copy: &CopyTo) -> Result<Self> {
        let name = copy.output_url.clone();
        let url = location::parse(&name)?;
        let path = match name.contains("://") {
            true => files::local(&url),
            false => Some(std::path::absolute(&name)?),
        };
        let is_file = copy.partition_by.is_empty() && location::is_one_file(&name)?;
        Ok(Target { name, url, path, is_file })
    }

    /// Refuses a file in a directory that does not exist, and names that a shell would replace.
    pub(crate) fn check_name(&self) -> Result<()> {
        let (Some(path), name) = (&self.path, &self.name) else { return Ok(()) };
        if let Some((first, _)) = name.split_once('/')
            && first.starts_with(['~', '$'])
            && !Path::new(first).exists()
        {
            return plan_err!(
                "{name}: {first} is not replaced in a statement, as a shell does outside quotes, and there is no directory of that name; write the path itself"
            );
        }
        match path.parent().filter(|parent| self.is_file && !parent.is_dir()) {
            Some(parent) => plan_err!(
                "{name}: there is no directory {0}; create it first, or name another one",
                parent.display()
            ),
            None => Ok(()),
        }
    }

    /// Refuses a file whose name says another format than the statement.
    pub(crate) fn check_format(&self, state: &SessionState, copy: &CopyTo) -> Result<()> {
        let written = copy.file_type.get_ext();
        let extension = Path::new(&self.name).extension().and_then(|extension| extension.to_str());
        let Some(extension) = extension.filter(|_| self.is_file) else { return Ok(()) };
        let is_packed = copy.options.keys().any(|key| key.ends_with("compression"));
        if COMPRESSED.iter().any(|it| extension.eq_ignore_ascii_case(it)) && !is_packed {
            let stem = self.name.strip_suffix(extension).unwrap_or(&self.name);
            let stem = stem.trim_end_matches('.');
            return plan_err!(
                "{}: its name says that it is compressed, and COPY does not compress; write {stem}, and compress that",
                self.name
            );
        }
        let is_known = state.get_file_format_factory(&extension.to_lowercase()).is_some();
        match is_known && !extension.eq_ignore_ascii_case(&written) {
            true => plan_err!(
                "{}: its name says {extension}, and STORED AS says {}; write another name, or STORED AS {}",
                self.name,
                written.to_uppercase(),
                extension.to_uppercase()
            ),
            false => Ok(()),
        }
    }

    /// Refuses files for a directory whose own files have other columns: its table would be an error, or have nulls. The first file tells. A
    /// directory that cannot be listed does not keep it from writing.
    pub(crate) async fn check_files(&self, state: &SessionState, copy: &CopyTo) -> Result<()> {
        let extension = copy.file_type.get_ext();
        let is_ours = ["npy", "npz"].contains(&extension.as_str());
        if self.is_file || !is_ours || NpySettings::of(state.config_options()).force {
            return Ok(());
        }
        let Some((url, file)) = self.first_file(state, &extension).await else { return Ok(()) };
        let own = files::directories_of(&url, &file);
        let name = &self.name;
        if own != copy.partition_by {
            return plan_err!(
                "{name}: its files are in {}, and those of the query in {}; write to another directory, or add them by --force (npy.force)",
                files::described(&own),
                files::described(&copy.partition_by)
            );
        }
        let Ok(store) = location::store(state, &url) else { return Ok(()) };
        let cache = state.runtime_env().cache_manager.get_file_metadata_cache();
        // Of a file that is damaged, no columns are known.
        let Ok(header) = header::cached(Some(&*cache), &*store, &file).await else { return Ok(()) };
        let keeps_all = state.config_options().execution.keep_partition_by_columns;
        let is_in_files =
            |field: &&FieldRef| keeps_all || !copy.partition_by.contains(field.name());
        let schema = copy.input.schema();
        let written: Vec<&FieldRef> = schema.fields().iter().filter(is_in_files).collect();
        let columns = header.columns();
        let is_written = |name: &str| written.iter().any(|field| field.name() == name);
        if columns.len() != written.len() || !columns.iter().all(|(name, _)| is_written(name)) {
            return plan_err!(
                "{name}: its files have the columns {}, and the query has {}; write to another directory, or add the files by --force (npy.force)",
                listed(columns.iter().map(|(name, _)| *name)),
                listed(written.iter().map(|field| field.name().as_str()))
            );
        }
        check_dtypes(name, &columns, &written, "query")
    }

    /// Returns the first file of the directory, if it can be listed, and the URL of the directory.
    async fn first_file(
        &self,
        state: &SessionState,
        extension: &str,
    ) -> Option<(ListingTableUrl, ObjectMeta)> {
        let url = match &self.path {
            Some(path) => url::Url::from_directory_path(path).ok()?,
            None => {
                let mut url = self.url.get_url().clone();
                url.set_path(&format!("{}/", url.path().trim_end_matches('/')));
                url
            }
        };
        let url = ListingTableUrl::try_new(url, None).ok()?;
        let format = match extension {
            "npz" => NpyFormat::archives(Options::new()),
            _ => NpyFormat::default(),
        };
        let options = ListingOptions::new(Arc::new(format));
        let file = files::first(state, &url, &options).await?;
        Some((url, file))
    }
}

/// Refuses rows for a table whose directory has files with columns that the table lacks, or of types that it does not read as those of its own files. The first
/// file tells.
pub(crate) async fn check_insert(
    state: &SessionState,
    url: &ListingTableUrl,
    options: &ListingOptions,
    columns: &Fields,
) -> Result<()> {
    if NpySettings::of(state.config_options()).force {
        return Ok(());
    }
    let Some(file) = files::first(state, url, options).await else { return Ok(()) };
    let Ok(store) = location::store(state, url) else { return Ok(()) };
    let cache = state.runtime_env().cache_manager.get_file_metadata_cache();
    // Of a file that is damaged, no columns are known.
    let Ok(header) = header::cached(Some(&*cache), &*store, &file).await else { return Ok(()) };
    let name = files::local(url).map_or_else(|| url.to_string(), |path| path.display().to_string());
    let own = header.columns();
    let is_written = |name: &str| columns.iter().any(|field| field.name() == name);
    if !own.iter().all(|(name, _)| is_written(name)) {
        return plan_err!(
            "{name}: its files have the columns {}, and the table has {}; write to another directory, or add the files by --force (npy.force)",
            listed(own.iter().map(|(name, _)| *name)),
            listed(columns.iter().map(|field| field.name().as_str()))
        );
    }
    check_dtypes(&name, &own, &columns.iter().collect::<Vec<_>>(), "table")
}

/// Refuses columns whose values have no type in common with those of the files of a directory.
fn check_dtypes(
    directory: &str,
    columns: &[(&str, &DType)],
    written: &[&FieldRef],
    by: &str,
) -> Result<()> {
    for field in written {
        let own = columns.iter().find(|(name, _)| name == field.name());
        if let (Some((column, own)), Some(other)) = (own, dtype_of(field))
            && wider(own, &other, &Options::new()).is_none()
        {
            let advice = match by {
                "query" => "convert it by CAST",
                _ => "create the table without columns",
            };
            return plan_err!(
                "{directory}: the column {column:?} is {own} in its files, and {other} in the {by}; {advice}, or write to another directory"
            );
        }
    }
    Ok(())
}

/// Returns the dtype that a column is written with. Text is as wide as its values, which are not there yet.
fn dtype_of(field: &FieldRef) -> Option<DType> {
    let values = new_empty_array(field.data_type());
    let array = column(&values, field, &Options::new()).ok()?;
    array.dtype().array(array.shape().get(1..)?).ok()
}
