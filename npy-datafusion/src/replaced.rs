//! Refuses a `COPY … TO 'x.npy'` that would replace a file which its query reads, or an archive whose other members would be lost.
//!
//! The rule is checked when a statement is planned. The planner may later leave out files whose rows are not needed; they are inputs, too.

use std::path::Path;
use std::sync::Arc;

use datafusion::catalog::{Session, TableProvider};
use datafusion::common::plan_err;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::listing::{ListingTable, ListingTableUrl};
use datafusion::datasource::source_as_provider;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionState;
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::dml::CopyTo;
use futures::TryStreamExt;
use object_store::local::LocalFileSystem;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};

use crate::beside::BesideTable;
use crate::copy_target::Target;
use crate::header::{plain, shown};
use crate::settings::NpySettings;
use crate::table::NpyTable;
use crate::{archive, files, location};

/// Refuses a statement that would replace a file which it reads, or which it is told to keep.
pub(crate) async fn check(state: &SessionState, plan: &LogicalPlan) -> Result<()> {
    let mut copies = Vec::new();
    plan.apply_with_subqueries(|part| {
        match part {
            LogicalPlan::Copy(copy) => copies.push(copy.clone()),
            // It writes nothing.
            LogicalPlan::Explain(_) => return Ok(TreeNodeRecursion::Jump),
            _ => {}
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    for copy in &copies {
        let target = Target::of(copy)?;
        target.check_name()?;
        if let Some(replaced) = Replaced::of(state, copy).await? {
            replaced.check(state, copy).await?;
        }
        target.check_format(state, copy)?;
        target.check_files(state, copy).await?;
    }
    Ok(())
}

/// A file that is there, and has the name of the output.
struct Replaced {
    /// As the statement names it.
    name: String,
    url: ListingTableUrl,
    store: Arc<dyn ObjectStore>,
    meta: ObjectMeta,
}

impl Replaced {
    /// Returns the file that a statement replaces, if it writes one file and there is one of its name.
    async fn of(state: &SessionState, copy: &CopyTo) -> Result<Option<Self>> {
        let name = copy.output_url.clone();
        let url = location::parse(&name)?;
        if name.contains("://") && (url.get_glob().is_some() || name.contains('?')) {
            return plan_err!(
                "{name}: it is a pattern, and rows are written to a file or a directory; name one without *, ? and ["
            );
        }
        // A pattern never names an existing file of this machine.
        let is_new = url.get_glob().is_some();
        if is_new || !copy.partition_by.is_empty() || !location::is_one_file(&name)? {
            return Ok(None);
        }
        if files::local(&url).is_some_and(|path| !path.is_file() || is_open_file(&path)) {
            return Ok(None);
        }
        let store = location::store(state, &url)?;
        match store.head(url.prefix()).await {
            Ok(meta) => Ok(Some(Replaced { name, url, store, meta })),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            // Credentials that only write: the query cannot read this file either.
            Err(error)
                if is_denied(&error) && !NpySettings::of(state.config_options()).no_clobber =>
            {
                Ok(None)
            }
            Err(error) => Err(plain(error.into())),
        }
    }

    async fn check(&self, state: &SessionState, copy: &CopyTo) -> Result<()> {
        let (name, settings) = (&self.name, NpySettings::of(state.config_options()));
        if settings.no_clobber {
            return plan_err!(
                "{name}: it exists, and --no-clobber (npy.no_clobber) keeps it; write to another name"
            );
        }
        if let Some(input) = self.input(state, &copy.input).await? {
            return plan_err!(
                "{name}: it is also an input of the query ({input}); write to another name, and rename that file"
            );
        }
        if settings.force {
            return Ok(());
        }
        let is_archive = copy.file_type.get_ext() == "npz";
        let written = copy.input.schema().fields();
        let is_written =
            |member: &String| is_archive && written.iter().any(|field| field.name() == member);
        let members = match archive::names(&*self.store, &self.meta).await {
            Ok(members) => members,
            // A file of another kind may begin like an archive.
            Err(_) if self.meta.location.extension() != Some("npz") => Vec::new(),
            Err(error) => {
                let error = plain(error);
                return plan_err!(
                    "{name}: it exists, and its members cannot be read ({error}); write to another name, or replace it by --force (npy.force)"
                );
            }
        };
        match members.iter().find(|member| !is_written(member)) {
            None => Ok(()),
            Some(member) => plan_err!(
                "{name}: it exists, and its member {member:?} would be lost; write to another name, or replace it by --force (npy.force)"
            ),
        }
    }

    /// Returns the name of this file among the inputs of a query.
    async fn input(&self, state: &SessionState, query: &LogicalPlan) -> Result<Option<String>> {
        let mut tables = Vec::new();
        add_tables(query, &mut tables)?;
        for table in tables {
            for listing in listings(&*table) {
                for url in listing.table_paths() {
                    let files = files_of(state, listing, url).await?;
                    if let Some(file) = files.iter().find(|file| self.is_same(url, file)) {
                        return Ok(Some(shown(&file.location)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Returns true if both are one file, by whatever links.
    fn is_same(&self, url: &ListingTableUrl, file: &ObjectMeta) -> bool {
        if url.object_store() != self.url.object_store() {
            return false;
        }
        if self.meta.location == file.location {
            return true;
        }
        let id = |meta: &ObjectMeta| {
            id(&LocalFileSystem::new().path_to_filesystem(&meta.location).ok()?)
        };
        self.url.scheme() == "file" && id(&self.meta).is_some_and(|own| id(file) == Some(own))
    }
}

/// Returns true for the standard output and other open files. Their bytes go to whatever they lead to.
fn is_open_file(path: &Path) -> bool {
    path == Path::new("/dev/stdout") || path.starts_with("/dev/fd") || path.starts_with("/proc")
}

/// Returns true if a store refuses the request. The stores of clouds put advice around its error.
fn is_denied(error: &(dyn std::error::Error + 'static)) -> bool {
    use object_store::Error::{PermissionDenied, Unauthenticated};

    let is_this =
        matches!(error.downcast_ref(), Some(PermissionDenied { .. } | Unauthenticated { .. }));
    is_this || error.source().is_some_and(is_denied)
}

/// Adds the tables that a query reads, also those of views.
fn add_tables(query: &LogicalPlan, tables: &mut Vec<Arc<dyn TableProvider>>) -> Result<()> {
    query.apply_with_subqueries(|part| {
        if let LogicalPlan::TableScan(scan) = part {
            // A source of another kind has no files.
            let Ok(table) = source_as_provider(&scan.source) else {
                return Ok(TreeNodeRecursion::Continue);
            };
            match table.get_logical_plan() {
                Some(view) => add_tables(&view, tables)?,
                None => tables.push(table),
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(())
}

/// Returns the tables of files that a table has.
fn listings(table: &dyn TableProvider) -> Vec<&ListingTable> {
    if let Some(table) = table.downcast_ref::<NpyTable>() {
        vec![table.listing()]
    } else if let Some(table) = table.downcast_ref::<BesideTable>() {
        vec![table.arrays.listing(), &table.others]
    } else {
        table.downcast_ref::<ListingTable>().into_iter().collect()
    }
}

/// Lists the files of a table.
async fn files_of(
    state: &SessionState,
    table: &ListingTable,
    url: &ListingTableUrl,
) -> Result<Vec<ObjectMeta>> {
    let options = table.options();
    if options.format.downcast_ref::<crate::NpyFormat>().is_some() {
        return files::list_files(state, url, options, false).await;
    }
    let store = location::store(state, url)?;
    let files = url.list_all_files(state as &dyn Session, &*store, &options.file_extension).await;
    files.map_err(plain)?.map_err(|error: DataFusionError| plain(error)).try_collect().await
}

/// Returns a value that all names of a file have in common.
#[cfg(unix)]
fn id(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;

    let found = path.metadata().ok()?;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn id(path: &Path) -> Option<std::path::PathBuf> {
    path.canonicalize().ok()
}
