//! The files of a location: those of a directory, or those that a pattern matches.
//!
//! DataFusion matches a pattern with the first part of a path that is not `name=value`, so `runs/*/x.npy` has no files, and `runs/*` those of all
//! directories. Here each part of the pattern matches a part of the path, and `**` any number of them. On this machine only directories are listed that
//! may have a file of the table.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
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
use futures::{StreamExt, TryStreamExt};
use glob::{MatchOptions, Pattern};
use object_store::path::Path as ObjectPath;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use walkdir::{DirEntry, WalkDir};

use crate::format::NpyFormat;
use crate::groups::{self, Groups, Layout};
use crate::header::{self, external, plain, shown};
use crate::index::{self, Index, IndexMode, Loaded};
use crate::{location, raw};

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
    let (mut mixed, mut groups) = (None, Groups::new());
    for url in urls {
        let listed = list(state, url, options).await?;
        listed.give_headers(state);
        groups.extend(listed.groups);
        for file in listed.files {
            check_size(&file)?;
            check_directories(url, &file, declared)?;
            let own = directories_of(url, &file);
            let common = directories.get_or_insert_with(|| own.clone());
            if url.get_glob().is_none() && *common != own && mixed.is_none() {
                mixed = Some(plan_datafusion_err!(
                    "{}: it is in {}, and the file before it in {}; a directory has columns if all files are in the same ones: move it, or name a pattern, as 'dir/day=*/*.npy' for files with the column, and 'dir/*.npy' for those beside them",
                    shown(&file.location),
                    described(&own),
                    described(common)
                ));
            }
            let count = common.iter().zip(&own).take_while(|(a, b)| a == b).count();
            common.truncate(count);
            if seen.insert(file.location.clone()) {
                files.push(file);
            }
        }
    }
    if files.is_empty() && first.scheme() != "file" && !first.is_collection() {
        return plan_err!(
            "{first}: there is no such file; check the URL, which ends in / if it is that of a directory"
        );
    }
    if files.is_empty() {
        let glob = first.get_glob().as_ref().map_or("", |glob| glob.as_str());
        return plan_err!(
            "No files found at {first}{glob}; a pattern matches each part of a path, and '**' any number of directories; for files that are still to be written, declare the columns: CREATE EXTERNAL TABLE t (x DOUBLE) STORED AS NPY LOCATION '…/'"
        );
    }
    let of_files = with_groups(options, groups).format.infer_schema(state, &store, &files).await?;
    let is_inferred = state.config_options().execution.listing_table_factory_infer_partitions;
    let of_directories = match (declared.is_empty(), is_inferred) {
        (false, _) => declared.to_vec(),
        (true, true) => directories.unwrap_or_default(),
        (true, false) => Vec::new(),
    };
    let is_in_files = |name: &&String| of_files.field_with_name(name).is_ok();
    if let Some(name) = of_directories.iter().find(is_in_files) {
        return plan_err!(
            "{first}: the directories {name}=…/ and a field of the files in them have one name, {name:?}; rename the directories, or read the field alone by FROM npy('dir/') after SET datafusion.execution.listing_table_factory_infer_partitions = false"
        );
    }
    if let (true, true, Some(error)) = (declared.is_empty(), is_inferred, mixed) {
        return Err(error);
    }
    Ok(Columns { of_files, of_directories })
}

/// Returns the names of the directories `name=value` that a file is in, from the location on.
pub(crate) fn directories_of(url: &ListingTableUrl, file: &ObjectMeta) -> Vec<String> {
    let mut parts: Vec<&str> = url.strip_prefix(&file.location).into_iter().flatten().collect();
    parts.pop();
    let names = parts.iter().map_while(|part| part.split_once('='));
    names.map(|(name, _)| name.to_owned()).collect()
}

/// Refuses a file without bytes. DataFusion would leave it out, and its rows would be missing in silence.
pub(crate) fn check_size(file: &ObjectMeta) -> Result<()> {
    match file.size {
        0 => plan_err!(
            "{}: it has no bytes, so it is no complete file; wait until it is written, write it again, or remove it",
            shown(&file.location)
        ),
        _ => Ok(()),
    }
}

/// Returns directories as they are written, for messages.
pub(crate) fn described(names: &[String]) -> String {
    match names {
        [] => "no directory name=value".to_owned(),
        _ => names.iter().map(|name| format!("{name}=…/")).collect(),
    }
}

/// Refuses a file that has no value for these columns of directories: DataFusion would leave it out.
fn check_directories(url: &ListingTableUrl, file: &ObjectMeta, columns: &[String]) -> Result<()> {
    match directories_of(url, file).starts_with(columns) {
        true => Ok(()),
        false => plan_err!(
            "{}: it is not in directories {}, so it has no value for the columns of the table; move it, or create a table without them",
            shown(&file.location),
            described(columns)
        ),
    }
}

/// The rule that tells which files of a directory belong to the location.
struct Wanted {
    glob: Option<Pattern>,
    /// The parts of the pattern.
    parts: Vec<Pattern>,
    extension: String,
    /// True if directories that are no column are left out. Patterns name their directories.
    is_flat: bool,
    /// True if folders are groups of rows: each file has its folder, whatever its name.
    is_in_folders: bool,
}

impl Wanted {
    fn new(url: &ListingTableUrl, options: &ListingOptions, is_flat: bool) -> Result<Self> {
        let glob = url.get_glob().clone();
        let extension = match &glob {
            Some(_) => options.file_extension.clone(),
            None => format!(".{}", options.format.get_ext()),
        };
        let parts = glob.iter().flat_map(|glob| glob.as_str().split('/'));
        let parts = parts.map(Pattern::new).collect::<Result<_, _>>().map_err(external)?;
        let format = options.format.downcast_ref::<NpyFormat>();
        let is_in_folders = format.is_some_and(|it| it.layout() == Layout::Columns);
        Ok(Wanted { glob, parts, extension, is_flat, is_in_folders })
    }

    /// Returns true for a file of the location, by the parts of its path.
    fn has(&self, path: &[&str]) -> bool {
        let is_selected = match &self.glob {
            Some(glob) => glob.matches_with(&path.join("/"), BY_PARTS),
            None => self.may_have(path.split_last().map_or(&[], |(_, directory)| directory)),
        };
        is_selected && path.last().is_some_and(|name| name.ends_with(&self.extension))
    }

    /// Returns true for a directory that may have files of the location.
    fn may_have(&self, directory: &[&str]) -> bool {
        if self.glob.is_none() {
            let outer = match directory.split_last() {
                Some((folder, outer)) if self.is_in_folders && !folder.starts_with('.') => outer,
                _ => directory,
            };
            return !self.is_flat || outer.iter().all(|name| name.contains('='));
        }
        let mut parts = self.parts.iter();
        for name in directory {
            match parts.next() {
                Some(part) if part.as_str() == "**" => return true,
                Some(part) if part.matches_with(name, BY_PARTS) => {}
                _ => return false,
            }
        }
        parts.next().is_some()
    }

    /// Finds the files in a directory of this machine. A link to a directory that it is in leads to no other files.
    fn find(&self, root: &Path) -> Result<Vec<PathBuf>> {
        let own_parts = |path: &Path| -> Vec<String> {
            let parts = path.strip_prefix(root).into_iter().flatten();
            parts.map(|part| part.to_string_lossy().into_owned()).collect()
        };
        let test = |path: &Path, test: fn(&Self, &[&str]) -> bool| {
            let parts = own_parts(path);
            test(self, &parts.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let is_searched = |entry: &DirEntry| {
            let is_other = || !entry.path_is_symlink() || !leads_up(entry.path());
            !entry.file_type().is_dir() || (test(entry.path(), Wanted::may_have) && is_other())
        };
        let walk = WalkDir::new(root).follow_links(true).sort_by_file_name();
        let mut files = Vec::new();
        for entry in walk.into_iter().filter_entry(is_searched) {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(root);
                    match error.io_error().map(io::Error::kind) {
                        None => {}
                        Some(io::ErrorKind::NotFound)
                            if path.is_symlink() && test(path, Wanted::has) =>
                        {
                            return plan_err!(
                                "{}: it is a link to a file that does not exist; restore that file, or remove the link",
                                path.display()
                            );
                        }
                        // Links of other names need not be directories.
                        Some(io::ErrorKind::NotFound)
                            if path.is_symlink()
                                && path
                                    .file_name()
                                    .is_some_and(|it| it.to_string_lossy().contains('='))
                                && test(path, Wanted::may_have) =>
                        {
                            return plan_err!(
                                "{}: it is a link to a directory that does not exist; restore that directory, or remove the link",
                                path.display()
                            );
                        }
                        // No file of the location, or one that was removed a moment ago.
                        Some(io::ErrorKind::NotFound) => {}
                        Some(_) => return Err(plan_datafusion_err!("{error}")),
                    }
                    continue;
                }
            };
            if !entry.file_type().is_dir() && test(entry.path(), Wanted::has) {
                check_is_file(entry.path(), entry.file_type().is_file())?;
                files.push(entry.into_path());
            }
        }
        Ok(files)
    }
}

/// Returns the archives of this machine that a pattern matches; none if it cannot be searched.
#[doc(hidden)]
pub fn archives_of(pattern: &str) -> Vec<PathBuf> {
    let found = || {
        let url = location::with_files(location::parse(pattern)?, "npz")?;
        let options = ListingOptions::new(Arc::new(NpyFormat::archives(npy_arrow::Options::new())));
        let options = options.with_file_extension(".npz");
        match local(&url) {
            Some(root) => Wanted::new(&url, &options, true)?.find(&root),
            None => Ok(Vec::new()),
        }
    };
    found().unwrap_or_default()
}

/// Returns true for a link to a directory that it is in.
fn leads_up(link: &Path) -> bool {
    let directory = link.parent().map(Path::canonicalize);
    let (Ok(to), Some(Ok(directory))) = (link.canonicalize(), directory) else { return false };
    directory.starts_with(to)
}

/// Each part of a pattern matches a part of a path.
const BY_PARTS: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

/// Refuses a pipe, whose size is not known, so that it would be a table without rows.
fn check_is_file(path: &Path, is_file: bool) -> Result<()> {
    match is_file {
        true => Ok(()),
        false => plan_err!(
            "{}: it is a pipe or a device, and a table needs complete files; write its bytes to a file first",
            path.display()
        ),
    }
}

/// Returns the path of a location on this machine.
pub(crate) fn local(url: &ListingTableUrl) -> Option<PathBuf> {
    (url.scheme() == "file").then(|| url.get_url().to_file_path().ok()).flatten()
}

/// The files of a location, and its index.
pub(crate) struct Listed {
    pub(crate) files: Vec<ObjectMeta>,
    index: Option<Arc<Index>>,
    /// The folders that are the files, if columns are files, or the headers that the files lack.
    groups: Groups,
}

impl Listed {
    /// Gives the headers that the index has to the session.
    fn give_headers(&self, state: &dyn Session) {
        if let Some(index) = &self.index {
            let cache = state.runtime_env().cache_manager.get_file_metadata_cache();
            index.give_headers(&*cache, &self.files);
        }
    }
}

/// Lists the files of a location, and fetches its index.
pub(crate) async fn list(
    state: &dyn Session,
    url: &ListingTableUrl,
    options: &ListingOptions,
) -> Result<Listed> {
    let format = options.format.downcast_ref::<NpyFormat>();
    if format.is_some_and(|format| format.layout() == Layout::Columns) {
        let files = list_files(state, url, options, false).await?;
        let store = location::store(state, url)?;
        let (files, groups) = groups::gather(state, &store, url, files).await?;
        return Ok(Listed { files, index: None, groups });
    }
    if let Some(row) = format.and_then(NpyFormat::raw) {
        let mut files = list_files(state, url, options, false).await?;
        // A file without bytes has no rows.
        files.retain(|file| file.size > 0);
        let groups = raw::headers(&*location::store(state, url)?, url, &files, row).await?;
        return Ok(Listed { files, index: None, groups });
    }
    let mode = format.map_or(IndexMode::Off, NpyFormat::index);
    let cache = state.runtime_env().cache_manager.get_file_metadata_cache();
    let (store, directory) = (location::store(state, url)?, url.prefix());
    if mode == IndexMode::Frozen && url.is_collection() {
        let settings = &state.config_options().execution;
        let wanted = Wanted::new(url, options, settings.listing_table_ignore_subdirectory)?;
        let index = index::load_frozen(&*cache, &*store, directory).await?;
        let mut files = index.files();
        files.retain(|file| {
            let parts: Vec<&str> = url.strip_prefix(&file.location).into_iter().flatten().collect();
            wanted.has(&parts)
        });
        return Ok(Listed { files, index: Some(index), groups: Groups::new() });
    }
    let mut files = list_files(state, url, options, mode != IndexMode::Off).await?;
    let position = files.iter().position(|file| file.location == index::path(directory));
    let listed = position.map(|position| files.remove(position));
    let index = match listed {
        Some(listed) if mode != IndexMode::Off && url.is_collection() => {
            index::load(&*cache, &*store, directory, &listed).await
        }
        _ => None,
    };
    Ok(Listed { files, index, groups: Groups::new() })
}

/// Lists the files of a location. The index of its directory is one of them, if it is asked for and there.
pub(crate) async fn list_files(
    state: &dyn Session,
    url: &ListingTableUrl,
    options: &ListingOptions,
    with_index: bool,
) -> Result<Vec<ObjectMeta>> {
    let (store, root) = (location::store(state, url)?, local(url));
    if !url.is_collection() {
        if let Some(path) = root
            && let Ok(found) = path.metadata()
        {
            check_is_file(&path, found.is_file() || found.is_dir())?;
        }
        if url.scheme() != "file" {
            let format = options.format.downcast_ref::<NpyFormat>();
            let has_header = format.is_none_or(|format| format.raw().is_none());
            let file = file_of(state, &*store, url, has_header).await?;
            return Ok(file.into_iter().collect());
        }
        let files = url.list_all_files(state, &*store, &options.file_extension).await;
        return files.map_err(plain)?.map_err(plain).try_collect().await;
    }
    let settings = &state.config_options().execution;
    let wanted = Wanted::new(url, options, settings.listing_table_ignore_subdirectory)?;
    let Some(root) = root else {
        let is_wanted = |file: &ObjectMeta| {
            let parts: Vec<&str> = url.strip_prefix(&file.location).into_iter().flatten().collect();
            let is_index = with_index && parts == [index::NAME];
            futures::future::ready(wanted.has(&parts) || is_index)
        };
        let (all, runtime) = (without_glob(url)?, Arc::clone(state.runtime_env()));
        let state = session(state, runtime)?;
        let files = all.list_all_files(&state, &*store, "").await.map_err(plain)?;
        return files.map_err(plain).try_filter(is_wanted).try_collect().await;
    };
    let found = tokio::task::spawn_blocking(move || {
        let mut found = wanted.find(&root)?;
        let index = root.join(index::NAME);
        if with_index && index.is_file() {
            found.push(index);
        }
        Ok::<_, DataFusionError>(found)
    });
    let found = found.await.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??;
    let head = |path: PathBuf| {
        let store = &store;
        async move {
            match store.head(&ObjectPath::from_absolute_path(path)?).await {
                Ok(meta) => Ok(Some(meta)),
                // It was removed a moment ago.
                Err(object_store::Error::NotFound { .. }) => Ok(None),
                Err(error) => Err(DataFusionError::from(error)),
            }
        }
    };
    let files = futures::stream::iter(found).map(head);
    let files = files.boxed().buffered(settings.meta_fetch_concurrency.into());
    files.try_filter_map(|file| futures::future::ready(Ok(file))).try_collect().await
}

/// Returns the first file of a directory; `None` if there is none, or if the directory cannot be listed.
pub(crate) async fn first(
    state: &SessionState,
    url: &ListingTableUrl,
    options: &ListingOptions,
) -> Option<ObjectMeta> {
    /// The files of a store that are looked at: an answer has as many.
    const LISTED: usize = 1000;
    let store = location::store(state, url).ok()?;
    let is_flat = state.config_options().execution.listing_table_ignore_subdirectory;
    let wanted = Wanted::new(url, options, is_flat).ok()?;
    if let Some(root) = local(url) {
        let found = tokio::task::spawn_blocking(move || wanted.find(&root)).await.ok()?.ok()?;
        return store.head(&ObjectPath::from_absolute_path(found.first()?).ok()?).await.ok();
    }
    let is_wanted = |file: &ObjectMeta| {
        let parts: Vec<&str> = url.strip_prefix(&file.location).into_iter().flatten().collect();
        futures::future::ready(wanted.has(&parts))
    };
    let files = store.list(Some(url.prefix())).take(LISTED).try_filter(is_wanted);
    files.boxed().next().await?.ok()
}

/// Returns the file of a URL in a store, if it is there. DataFusion would take other URLs for those of directories.
async fn file_of(
    state: &dyn Session,
    store: &dyn ObjectStore,
    url: &ListingTableUrl,
    has_header: bool,
) -> Result<Option<ObjectMeta>> {
    let cache = state.runtime_env().cache_manager.get_file_metadata_cache();
    if has_header && let Some(file) = header::found(&*cache, store, url.prefix()).await? {
        return Ok(Some(file));
    }
    match store.head(url.prefix()).await {
        Ok(file) => Ok(Some(file)),
        Err(object_store::Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(plain(error.into())),
    }
}

/// Returns the URL by which DataFusion finds the files of a location in its cache. That of a file is its directory: DataFusion would ask for the file again.
fn listed_as(url: &ListingTableUrl) -> Result<ListingTableUrl> {
    let all = without_glob(url)?;
    let mut directory = url.get_url().clone();
    let Some((path, _)) = url.get_url().path().rsplit_once('/').filter(|_| !url.is_collection())
    else {
        return Ok(all);
    };
    directory.set_path(&format!("{path}/"));
    let directory = ListingTableUrl::try_new(directory, None)?;
    Ok(match url.get_table_ref() {
        Some(table) => directory.with_table_ref(table.clone()),
        None => directory,
    })
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
        return not_impl_err!("the files of a table are listed by a session of this process");
    };
    // The tables of the session stay: a new catalog would replace them.
    let mut config = state.config().clone().with_create_default_catalog_and_schema(false);
    config.options_mut().execution.listing_table_ignore_subdirectory = false;
    let builder = SessionStateBuilder::new_from_existing(state.clone());
    Ok(builder.with_config(config).with_runtime_env(runtime).build())
}

/// Returns the table without patterns, a session that lists no other files for it, and its indices. `None`: DataFusion finds the files.
pub(crate) async fn resolved(
    table: &ListingTable,
    state: &dyn Session,
) -> Result<Option<(ListingTable, SessionState, Loaded)>> {
    let (urls, options) = (table.table_paths(), table.options());
    let is_plain = |url: &ListingTableUrl| url.get_glob().is_none();
    let format = options.format.downcast_ref::<NpyFormat>();
    let is_in_files = format.is_none_or(|it| it.layout() == Layout::Rows && it.raw().is_none());
    let is_session = state.as_any().downcast_ref::<SessionState>().is_some();
    if !is_session && is_in_files && urls.iter().all(is_plain) {
        return Ok(None);
    }
    let columns = options.table_partition_cols.iter().map(|(name, _)| name.clone());
    let columns: Vec<String> = columns.collect();
    let mut lists: BTreeMap<String, (ListingTableUrl, Vec<ObjectMeta>)> = BTreeMap::new();
    let are_frozen = format.is_some_and(|format| format.index() == IndexMode::Frozen);
    let mut loaded = Loaded { are_frozen, ..Loaded::default() };
    for url in urls {
        let listed = list(state, url, options).await?;
        listed.give_headers(state);
        let files = listed.files;
        loaded.indices.extend(listed.index.map(|index| (url.prefix().clone(), index)));
        loaded.groups.extend(listed.groups);
        for file in &files {
            check_size(file)?;
            check_directories(url, file, &columns)?;
        }
        let all = listed_as(url)?;
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
    let is_local = urls.iter().all(|url| url.scheme() == "file");
    let caches = CacheManager::try_new(&CacheManagerConfig {
        // The cache compares sizes and times alone, which in a store may be the same after a change.
        file_statistics_cache: own.get_file_statistic_cache().filter(|_| is_local),
        file_statistics_cache_limit: if is_local {
            own.get_file_statistic_cache_limit()
        } else {
            0
        },
        list_files_cache: Some(Arc::new(cache)),
        list_files_cache_limit: usize::MAX,
        list_files_cache_ttl: None,
        file_metadata_cache: Some(own.get_file_metadata_cache()),
        metadata_cache_limit: own.get_metadata_cache_limit(),
    })?;
    let runtime = RuntimeEnv { cache_manager: caches, ..state.runtime_env().as_ref().clone() };
    let table = with_paths(table, paths, loaded.groups.clone())?;
    Ok(Some((table, session(state, Arc::new(runtime))?, loaded)))
}

/// Returns the options with the folders of the table.
fn with_groups(options: &ListingOptions, groups: Groups) -> ListingOptions {
    let mut options = options.clone();
    if let Some(format) = options.format.downcast_ref::<NpyFormat>() {
        options.format = Arc::new(format.clone().with_groups(Arc::new(groups)));
    }
    options
}

/// Returns the table with other locations, and with its folders.
fn with_paths(
    table: &ListingTable,
    paths: Vec<ListingTableUrl>,
    groups: Groups,
) -> Result<ListingTable> {
    let options = with_groups(table.options(), groups);
    let schema = datafusion::catalog::TableProvider::schema(table);
    let of_files = without_columns(&schema, &options.table_partition_cols);
    let mut config = ListingTableConfig::new_with_multi_paths(table.table_paths().clone())
        .with_listing_options(options)
        .with_schema(of_files);
    // A table without files has none, which the builder does not take.
    config.table_paths = paths;
    ListingTable::try_new(config)
}

/// Returns the schema without the columns of directories.
pub(crate) fn without_columns(schema: &Schema, columns: &[(String, DataType)]) -> SchemaRef {
    let is_in_files = |field: &&FieldRef| !columns.iter().any(|(name, _)| name == field.name());
    let fields: Vec<_> = schema.fields().iter().filter(is_in_files).cloned().collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NpyFormat;

    /// Guards patterns: each part matches one part of the path.
    #[test]
    fn a_pattern_matches_part_by_part() {
        for (pattern, path, is_selected) in [
            ("", "x.npy", true),
            ("", "day=1/hour=2/x.npy", true),
            ("", "a/x.npy", false),
            ("", "day=1/a/x.npy", false),
            ("*.npy", "x.npy", true),
            ("*.npy", "a/x.npy", false),
            ("*.npy", "day=1/x.npy", false),
            ("*", "a/x.npy", false),
            ("*/x.npy", "a/x.npy", true),
            ("*/x.npy", "day=1/x.npy", true),
            ("*/x.npy", "a/b/x.npy", false),
            ("*/x.npy", "a/day=1/x.npy", false),
            ("day=*/x.npy", "day=1/x.npy", true),
            ("day=1*/x.npy", "day=2/x.npy", false),
            ("**/*.npy", "x.npy", true),
            ("**/*.npy", "a/b/x.npy", true),
            ("a?/**/x.npy", "a1/b/c/x.npy", true),
            ("a?/**/x.npy", "b1/x.npy", false),
        ] {
            let url = location::parse(&format!("mem://host/dir/{pattern}")).unwrap();
            let options = ListingOptions::new(Arc::new(NpyFormat::default()));
            let wanted = Wanted::new(&url, &options.with_file_extension(".npy"), true).unwrap();
            let parts: Vec<&str> = path.split('/').collect();
            assert_eq!(wanted.has(&parts), is_selected, "{pattern}: {path}");
            // The directories of a file are searched.
            let is_searched = (0..parts.len()).all(|depth| wanted.may_have(&parts[..depth]));
            assert!(is_searched || !is_selected, "{pattern}: {path}");
        }
    }

    /// Guards which directories are listed: only those that may have files.
    #[test]
    fn a_pattern_lists_its_directories_only() {
        for (pattern, directory, is_searched) in [
            ("*.npy", "a", false),
            ("*/x.npy", "a", true),
            ("*/x.npy", "a/b", false),
            ("a?/**/x.npy", "b", false),
            ("a?/**/x.npy", "a1/b/c", true),
            ("", "a", false),
            ("", "day=1", true),
        ] {
            let url = location::parse(&format!("mem://host/dir/{pattern}")).unwrap();
            let options = ListingOptions::new(Arc::new(NpyFormat::default()));
            let wanted = Wanted::new(&url, &options, true).unwrap();
            let parts: Vec<&str> = directory.split('/').collect();
            assert_eq!(wanted.may_have(&parts), is_searched, "{pattern}: {directory}");
        }
    }
}
