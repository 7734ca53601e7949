//! Folders in which each `.npy` file is a column: `OPTIONS ('layout' 'columns')`.
//!
//! A folder is one file of a scan, read as an archive is whose members are in files of their own. The scan has its columns with it, since no store has a file of
//! that name.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use datafusion::catalog::Session;
use datafusion::common::{internal_datafusion_err, plan_datafusion_err, plan_err};
use datafusion::datasource::listing::{ListingTableUrl, PartitionedFile};
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfig, FileScanConfigBuilder};
use datafusion::error::{DataFusionError, Result};
use futures::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};

use crate::archive::Fetched;
use crate::header::{self, Contents, File, Member, Place, located};

/// How the columns of a table are stored: `OPTIONS ('layout' 'columns')`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Each file has all columns of its rows.
    #[default]
    Rows,
    /// Each file is a column, and the files of a folder are the columns of its rows.
    Columns,
}

impl std::str::FromStr for Layout {
    type Err = DataFusionError;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "rows" => Ok(Layout::Rows),
            "columns" => Ok(Layout::Columns),
            _ => Err(plan_datafusion_err!(
                "the option layout is {text:?}; it is 'rows', or 'columns' for folders in which each file is a column"
            )),
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Layout::Rows => "rows",
            Layout::Columns => "columns",
        })
    }
}

/// The columns of a folder, as a file of a scan has them with it, or the header that a file lacks.
#[derive(Clone, Debug)]
pub(crate) struct Group(pub(crate) File);

/// The folders of a table, or the headers that its files lack, by location.
pub(crate) type Groups = HashMap<Path, File>;

/// The name of a folder's file in a scan. A file of this name would be a column without a name.
const NAME: &str = ".npy";

/// Returns the folder of a file of a scan.
pub(crate) fn folder(location: &Path) -> Path {
    let parts: Vec<_> = location.parts().collect();
    Path::from_iter(parts.get(..parts.len().saturating_sub(1)).unwrap_or_default().to_vec())
}

/// Returns the folders of these files as files of a scan, and their columns. All headers are read, unless the session has them.
pub(crate) async fn gather(
    state: &dyn Session,
    store: &Arc<dyn ObjectStore>,
    url: &ListingTableUrl,
    files: Vec<ObjectMeta>,
) -> Result<(Vec<ObjectMeta>, Groups)> {
    if !url.is_collection() {
        return plan_err!(
            "{url}: it is one file, and the columns of a table are the files of a folder; name the folder, as 'dir/', or a pattern, as 'dir/*.npy'"
        );
    }
    let at_once = state.config_options().execution.meta_fetch_concurrency.into();
    let cache = &state.runtime_env().cache_manager.get_file_metadata_cache();
    let read = futures::stream::iter(files).map(|meta| async move {
        crate::files::check_size(&meta)?;
        let file = header::cached(Some(&**cache), store, &meta).await?;
        Ok::<_, DataFusionError>((column(&file, &**store, &meta)?, file.rows, meta))
    });
    let read: Vec<_> = read.boxed().buffered(at_once).try_collect().await?;
    let mut folders: BTreeMap<Path, Vec<(Member, u64, ObjectMeta)>> = BTreeMap::new();
    for (member, rows, meta) in read {
        folders.entry(folder(&meta.location)).or_default().push((member, rows, meta));
    }
    check_folders(url, &folders)?;
    let (mut metas, mut groups) = (Vec::new(), Groups::new());
    for (folder, mut columns) in folders {
        columns.sort_by(|(a, ..), (b, ..)| a.name.cmp(&b.name));
        let location = Path::from_iter(folder.parts().chain([NAME.into()]));
        let size = columns.iter().map(|(.., meta)| meta.size).sum();
        let last_modified = columns.iter().map(|(.., meta)| meta.last_modified).max();
        let last_modified = last_modified.unwrap_or_default();
        let file = group(columns, &**store)?;
        metas.push(ObjectMeta {
            location: location.clone(),
            last_modified,
            size,
            e_tag: None,
            version: None,
        });
        groups.insert(location, file);
    }
    Ok((metas, groups))
}

/// Refuses columns in a directory that also has folders with columns: rows of one of the two would be missing in silence.
fn check_folders<C>(url: &ListingTableUrl, folders: &BTreeMap<Path, C>) -> Result<()> {
    let mut others = folders.keys().filter(|folder| *folder != url.prefix());
    match others.next() {
        Some(other) if url.get_glob().is_none() && folders.contains_key(url.prefix()) => plan_err!(
            "{url}: it has .npy files, and so has the folder {} in it; a table has either the files of one folder or those of its folders: name 'dir/*.npy' or 'dir/*/*.npy'",
            header::shown(other)
        ),
        _ => Ok(()),
    }
}

/// Returns the column that a file is.
fn column(file: &File, store: &dyn ObjectStore, meta: &ObjectMeta) -> Result<Member> {
    let name = meta.location.filename().unwrap_or_default();
    let name = name.strip_suffix(".npy").unwrap_or(name).to_owned();
    if file.is_single {
        return Err(located(
            store,
            meta,
            &"a single value has no rows, so it is no column; leave it out by a pattern, for example 'dir/spike_*.npy'",
        ));
    }
    let (dtype, place) = match &file.contents {
        Contents::Rows { dtype, start } => (dtype, Place::At(*start)),
        Contents::Members { members, .. } => match &members[..] {
            [Member { dtype, place: place @ Place::Columns { .. }, .. }] => (dtype, place.clone()),
            _ => {
                return Err(located(
                    store,
                    meta,
                    &"it is an archive, and a column is one array; leave it out by a pattern, or create a table of it: STORED AS NPZ",
                ));
            }
        },
    };
    // An array of the shape (n, 1) has one number in a row, as in MATLAB's files.
    let dtype = match dtype.flat() {
        (base, inner) if inner.iter().all(|size| *size == 1) => base.clone(),
        _ => dtype.clone(),
    };
    Ok(Member { name, dtype, place, file: Some(Arc::new(meta.clone())) })
}

/// Returns the columns of a folder, which have one length.
fn group(columns: Vec<(Member, u64, ObjectMeta)>, store: &dyn ObjectStore) -> Result<File> {
    let Some((_, rows, first)) = columns.first() else {
        return Err(internal_datafusion_err!("a folder without files"));
    };
    if let Some((_, other, meta)) = columns.iter().find(|(_, other, _)| other != rows) {
        let reason = format!(
            "it has {other} rows, and {} has {rows}; the files of a folder are the columns of one table: select those of one length by a pattern, for example 'dir/spikes.*.npy'",
            header::named(store, &first.location)
        );
        return Err(located(store, meta, &reason));
    }
    let rows = *rows;
    let members = columns.into_iter().map(|(member, ..)| member).collect();
    let contents = Contents::Members { members, directory: Fetched::default() };
    Ok(File { rows, contents, fetched: None, is_single: false })
}

/// Returns the scan, whose files have their columns with them.
pub(crate) fn attach(scan: &FileScanConfig, groups: &Groups) -> Result<FileScanConfig> {
    let with_columns = |file: &PartitionedFile| {
        let mut file = file.clone();
        let columns = groups.get(&file.object_meta.location);
        let columns =
            columns.ok_or_else(|| internal_datafusion_err!("a folder that was not listed"))?;
        file.extensions.insert(Group(columns.clone()));
        Ok(file)
    };
    let with_statistics = |group: &FileGroup| {
        let files = group.iter().map(with_columns).collect::<Result<Vec<_>>>()?;
        Ok(match group.file_statistics(None) {
            Some(statistics) => FileGroup::new(files).with_statistics(Arc::new(statistics.clone())),
            None => FileGroup::new(files),
        })
    };
    let file_groups = scan.file_groups.iter().map(with_statistics).collect::<Result<Vec<_>>>()?;
    Ok(FileScanConfigBuilder::from(scan.clone()).with_file_groups(file_groups).build())
}
