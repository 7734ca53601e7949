//! Which files a location has: those of a directory, or those that a pattern matches.
//!
//! DataFusion matches a pattern with the first part of a path that is not `name=value`, so `runs/*/x.npy` has no files, and `runs/**/*.npy` only those
//! of `runs`. Here each part of the pattern matches a part of the path, and `**` any number of them.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef};
use datafusion::catalog::Session;
use datafusion::common::{not_impl_err, plan_datafusion_err, plan_err};
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::cache::cache_manager::{
    CacheManager, CacheManagerConfig, CachedFileList, TableScopedPath,
};
use datafusion::execution::cache::default_cache::DefaultCache;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SessionState, SessionStateBuilder};
use futures::TryStreamExt;
use glob::MatchOptions;
use object_store::ObjectMeta;
use walkdir::WalkDir;

use crate::location;

/// The columns of the files of a location, and those of its directories.
pub(crate) struct Columns {
    pub(crate) of_files: SchemaRef,
    /// Their names: `day` of `day=2024-05-01/`.
    pub(crate) of_directories: Vec<String>,
}

impl Columns {
    /// Returns the columns of directories with their type, which is text.
    pub(crate) fn typed_directories(&self) -> Vec<(String, DataType)> {
        let text = DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Utf8));
        self.of_directories.iter().map(|name| (name.clone(), text.clone())).collect()
    }
}

/// Reads the headers of all files of these locations, and finds their columns. A column of directories is one that a statement `declared`, or one
/// whose directories every file is in.
pub(crate) async fn infer(
    state: &dyn Session,
    options: &ListingOptions,
    urls: &[ListingTableUrl],
    declared: &[String],
) -> Result<Columns> {
    let [first, ..] = urls else { return plan_err!("a table has at least one location") };
    let store = location::store(state, first)?;
    let (mut files, mut seen) = (Vec::new(), HashSet::new());
    let mut directories: Option<Vec<String>> = None;
    for url in urls {
        check_links(url, &options.file_extension).await?;
        for file in list(state, url, &options.file_extension).await? {
            let own = directories_of(url, &file);
            if !own.starts_with(declared) {
                return plan_err!(
                    "{}: it is not in directories {}, so it has no value for PARTITIONED BY; move it, or leave PARTITIONED BY out",
                    file.location,
                    declared.iter().map(|name| format!("{name}=…/")).collect::<String>()
                );
            }
            let common = directories.get_or_insert_with(|| own.clone());
            let count = common.iter().zip(&own).take_while(|(a, b)| a == b).count();
            common.truncate(count);
            if seen.insert(file.location.clone()) {
                files.push(file);
            }
        }
    }
    if files.is_empty() {
        let glob = first.get_glob().as_ref().map_or("", |glob| glob.as_str());
        return plan_err!(
            "No files found at {first}{glob}; a pattern matches each part of a path, and '**' any number of directories; for files that are still to be written, declare the columns: CREATE EXTERNAL TABLE t (x DOUBLE) STORED AS NPY LOCATION '…/'"
        );
    }
    files.retain(|file| file.size > 0);
    let of_files = options.format.infer_schema(state, &store, &files).await?;
    let is_inferred = state.config_options().execution.listing_table_factory_infer_partitions;
    let mut of_directories = match (declared.is_empty(), is_inferred) {
        (false, _) => declared.to_vec(),
        (true, true) => directories.unwrap_or_default(),
        (true, false) => Vec::new(),
    };
    // A name that the files have, too, is their column.
    let is_in_files = |name: &String| of_files.field_with_name(name).is_ok();
    if declared.is_empty() && of_directories.iter().any(is_in_files) {
        of_directories.clear();
    }
    Ok(Columns { of_files, of_directories })
}

/// Returns the names of the directories `name=value` that a file is in, from the location on.
fn directories_of(url: &ListingTableUrl, file: &ObjectMeta) -> Vec<String> {
    let mut parts: Vec<&str> = url.strip_prefix(&file.location).into_iter().flatten().collect();
    parts.pop();
    let names = parts.iter().map_while(|part| part.split_once('='));
    names.map(|(name, _)| name.to_owned()).collect()
}

/// Returns true for a pattern that DataFusion does not understand: one of more than a name.
fn is_deep(url: &ListingTableUrl) -> bool {
    url.get_glob().as_ref().is_some_and(|glob| glob.as_str().contains(['/', '='])) || has_any(url)
}

/// Returns true for a pattern that matches any number of directories.
fn has_any(url: &ListingTableUrl) -> bool {
    url.get_glob().as_ref().is_some_and(|glob| glob.as_str().contains("**"))
}

/// Returns true if a path after the location is one of its files. Directories `name=value` need not be in the pattern.
fn selects(url: &ListingTableUrl, parts: &[&str]) -> bool {
    let others: Vec<&str> = parts.iter().copied().filter(|part| !part.contains('=')).collect();
    let Some(glob) = url.get_glob() else { return others.len() <= 1 };
    let by_parts = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
    [parts, &others].iter().any(|parts| glob.matches_with(&parts.join("/"), by_parts))
}

/// Lists the files of a location.
async fn list(
    state: &dyn Session,
    url: &ListingTableUrl,
    extension: &str,
) -> Result<Vec<ObjectMeta>> {
    let store = location::store(state, url)?;
    if !is_deep(url) {
        let files = url.list_all_files(state, &*store, extension).await?;
        return files.try_collect().await;
    }
    let (all, state) = (without_glob(url)?, session(state, Arc::clone(state.runtime_env()))?);
    let files = all.list_all_files(&state, &*store, extension).await?;
    let is_selected = |file: &ObjectMeta| {
        let parts: Vec<&str> = url.strip_prefix(&file.location).into_iter().flatten().collect();
        futures::future::ready(selects(url, &parts))
    };
    files.try_filter(is_selected).try_collect().await
}

fn without_glob(url: &ListingTableUrl) -> Result<ListingTableUrl> {
    let all = ListingTableUrl::try_new(url.get_url().clone(), None)?;
    Ok(match url.get_table_ref() {
        Some(table) => all.with_table_ref(table.clone()),
        None => all,
    })
}

/// Returns a session for the planner whose tables have the files of all directories.
fn session(state: &dyn Session, runtime: Arc<RuntimeEnv>) -> Result<SessionState> {
    let Some(state) = state.as_any().downcast_ref::<SessionState>() else {
        return not_impl_err!(
            "a pattern over directories needs a session of this process; name one directory"
        );
    };
    // The tables of the session stay: a new catalog would replace them.
    let mut config = state.config().clone().with_create_default_catalog_and_schema(false);
    config.options_mut().execution.listing_table_ignore_subdirectory = false;
    let builder = SessionStateBuilder::new_from_existing(state.clone());
    Ok(builder.with_config(config).with_runtime_env(runtime).build())
}

/// Returns the table without patterns, and a session that lists no other files for it. `None`: DataFusion finds the files.
pub(crate) async fn resolved(
    table: &ListingTable,
    state: &dyn Session,
) -> Result<Option<(ListingTable, SessionState)>> {
    let (urls, extension) = (table.table_paths(), &table.options().file_extension);
    for url in urls {
        check_links(url, extension).await?;
    }
    if !urls.iter().any(is_deep) {
        return Ok(None);
    }
    let mut lists: BTreeMap<String, (ListingTableUrl, Vec<ObjectMeta>)> = BTreeMap::new();
    for url in urls {
        let files = list(state, url, extension).await?;
        let all = without_glob(url)?;
        lists.entry(all.as_str().to_owned()).or_insert((all, Vec::new())).1.extend(files);
    }
    // An empty list is no entry of the cache.
    lists.retain(|_, (_, files)| !files.is_empty());
    let cache = DefaultCache::<TableScopedPath, CachedFileList>::new(usize::MAX);
    let paths = lists.values().map(|(url, _)| url.clone()).collect();
    for (url, files) in lists.into_values() {
        let (table, path) = (url.get_table_ref().clone(), url.prefix().clone());
        datafusion::execution::cache::Cache::put(
            &cache,
            &TableScopedPath { table, path },
            CachedFileList::new(files),
        );
    }
    let own = &state.runtime_env().cache_manager;
    let caches = CacheManager::try_new(&CacheManagerConfig {
        file_statistics_cache: own.get_file_statistic_cache(),
        file_statistics_cache_limit: own.get_file_statistic_cache_limit(),
        list_files_cache: Some(Arc::new(cache)),
        list_files_cache_limit: usize::MAX,
        list_files_cache_ttl: None,
        file_metadata_cache: Some(own.get_file_metadata_cache()),
        metadata_cache_limit: own.get_metadata_cache_limit(),
    })?;
    let runtime = RuntimeEnv { cache_manager: caches, ..state.runtime_env().as_ref().clone() };
    Ok(Some((with_paths(table, paths)?, session(state, Arc::new(runtime))?)))
}

/// Returns the table with other locations.
fn with_paths(table: &ListingTable, paths: Vec<ListingTableUrl>) -> Result<ListingTable> {
    let options = table.options().clone();
    let schema = datafusion::catalog::TableProvider::schema(table);
    let of_files = without_columns(&schema, &options.table_partition_cols);
    let config = ListingTableConfig::new_with_multi_paths(paths)
        .with_listing_options(options)
        .with_schema(of_files);
    ListingTable::try_new(config)
}

/// Returns the schema without the columns of directories.
pub(crate) fn without_columns(schema: &Schema, columns: &[(String, DataType)]) -> SchemaRef {
    let is_in_files = |field: &&FieldRef| !columns.iter().any(|(name, _)| name == field.name());
    let fields: Vec<_> = schema.fields().iter().filter(is_in_files).cloned().collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Refuses a link to a file that does not exist: a listing leaves it out, and its rows would be missing in silence.
async fn check_links(url: &ListingTableUrl, extension: &str) -> Result<()> {
    let (url, extension) = (url.clone(), extension.to_owned());
    let (true, Ok(root)) = (url.is_folder(), url.get_url().to_file_path()) else { return Ok(()) };
    let check = move || {
        let is_searched = |entry: &walkdir::DirEntry| {
            let is_column = || entry.file_name().to_string_lossy().contains('=');
            entry.depth() == 0 || !entry.file_type().is_dir() || is_deep(&url) || is_column()
        };
        let files = WalkDir::new(&root).follow_links(true).into_iter().filter_entry(is_searched);
        // Other errors are those of the listing.
        for path in files.filter_map(|file| Some(file.err()?.path()?.to_owned())) {
            let parts: Vec<_> = path.strip_prefix(&root).into_iter().flatten().collect();
            let parts: Option<Vec<&str>> = parts.iter().map(|part| part.to_str()).collect();
            let is_file = parts.is_some_and(|parts| {
                selects(&url, &parts) && parts.last().is_some_and(|name| name.ends_with(&extension))
            });
            if is_file && path.is_symlink() && !path.exists() {
                return Err(plan_datafusion_err!(
                    "{}: it is a link to a file that does not exist; restore that file, or remove the link",
                    path.display()
                ));
            }
        }
        Ok(())
    };
    let checked = tokio::task::spawn_blocking(check).await;
    checked.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards patterns: each part matches one part of the path, and columns need not be named.
    #[test]
    fn a_pattern_matches_part_by_part() {
        for (pattern, path, is_selected) in [
            ("*.npy", "x.npy", true),
            ("*.npy", "a/x.npy", false),
            ("*.npy", "day=1/x.npy", true),
            ("*/x.npy", "a/x.npy", true),
            ("*/x.npy", "day=1/x.npy", true),
            ("*/x.npy", "a/b/x.npy", false),
            ("*/x.npy", "a/day=1/x.npy", true),
            ("day=*/x.npy", "day=1/x.npy", true),
            ("day=1*/x.npy", "day=2/x.npy", false),
            ("**/*.npy", "x.npy", true),
            ("**/*.npy", "a/b/x.npy", true),
            ("a?/**/x.npy", "a1/b/c/x.npy", true),
            ("a?/**/x.npy", "b1/x.npy", false),
        ] {
            let url = location::parse(&format!("mem://host/dir/{pattern}")).unwrap();
            let parts: Vec<&str> = path.split('/').collect();
            assert_eq!(selects(&url, &parts), is_selected, "{pattern}: {path}");
        }
    }
}
