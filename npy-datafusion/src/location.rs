//! Locations of tables: paths and URLs of files, of directories, and with wildcards.

use std::sync::Arc;

use datafusion::catalog::Session;
use datafusion::common::{plan_datafusion_err, plan_err};
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::datasource::physical_plan::{FileOutputMode, FileSinkConfig};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry};
use object_store::ObjectStore;
use url::Url;

const WILDCARDS: [char; 3] = ['*', '?', '['];

/// Parses a location. DataFusion finds wildcards in paths; here they may be in URLs, too, and a file that exists may have brackets in its name.
pub(crate) fn parse(location: &str) -> Result<ListingTableUrl> {
    if location.contains(WILDCARDS)
        && let Ok(path) = std::path::absolute(location)
        && path.is_file()
        && let Ok(url) = Url::from_file_path(path)
    {
        return ListingTableUrl::try_new(url, None);
    }
    if let Some(scheme) = location.find("://")
        && let Some(wildcard) = location.find(WILDCARDS)
        && let Some(slash) = location.get(..wildcard).and_then(|before| before.rfind('/'))
        && slash > scheme + 2
        && let Some((directory, glob)) = location.split_at_checked(slash + 1)
    {
        return ListingTableUrl::parse(directory)?.with_glob(glob);
    }
    ListingTableUrl::parse(location)
}

/// Adds the names of files to a pattern of directories: `runs/*/` has the files that `runs/*/*.npy` has.
pub(crate) fn with_files(url: ListingTableUrl, extension: &str) -> Result<ListingTableUrl> {
    match url.get_glob().as_ref().map(|glob| glob.as_str()) {
        Some(glob) if glob.ends_with('/') => {
            let glob = format!("{glob}*.{extension}");
            url.with_glob(&glob)
        }
        _ => Ok(url),
    }
}

/// Makes the name of a file of the pattern or the directory that DataFusion takes it for.
pub(crate) fn exact(mut config: FileSinkConfig) -> Result<FileSinkConfig> {
    let name = &config.original_url;
    // A table that rows are inserted into has no name here.
    if name.is_empty() || name.contains("://") {
        return Ok(config);
    }
    let path = std::path::absolute(name)?;
    // A name without an extension is a directory, except that of a file or a pipe that is there.
    if path.metadata().is_ok_and(|found| !found.is_dir()) {
        config.file_output_mode = FileOutputMode::SingleFile;
    }
    if !name.contains(WILDCARDS) {
        return Ok(config);
    }
    if name.contains(['*', '?']) {
        return plan_err!(
            "{name}: it is a pattern, and rows are written to a file or a directory; name one without * and ?"
        );
    }
    let url = match name.ends_with('/') {
        true => Url::from_directory_path(path),
        false => Url::from_file_path(path),
    };
    let url = url.map_err(|()| plan_datafusion_err!("{name}: it is no path"))?;
    config.table_paths = vec![ListingTableUrl::try_new(url, None)?];
    Ok(config)
}

/// Returns the store of a location.
pub(crate) fn store(state: &dyn Session, url: &ListingTableUrl) -> Result<Arc<dyn ObjectStore>> {
    let store = state.runtime_env().object_store(url);
    store.map_err(|_| not_registered(url.get_url()))
}

/// The stores of a session. One that is missing is not an internal error of DataFusion.
#[derive(Debug, Default)]
pub(crate) struct Stores(DefaultObjectStoreRegistry);

impl ObjectStoreRegistry for Stores {
    fn register_store(
        &self,
        url: &Url,
        store: Arc<dyn ObjectStore>,
    ) -> Option<Arc<dyn ObjectStore>> {
        self.0.register_store(url, store)
    }

    fn deregister_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        self.0.deregister_store(url).map_err(|_| not_registered(url))
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        self.0.get_store(url).map_err(|_| not_registered(url))
    }
}

/// The error for a location in a store that the session does not have.
fn not_registered(url: &Url) -> DataFusionError {
    let (scheme, host) = (url.scheme(), url.host_str().unwrap_or_default());
    plan_datafusion_err!(
        "there is no store for {scheme}://{host}: the command `npy sql` reads files of this machine, and a program may register a store first (SessionContext::register_object_store)"
    )
}

/// Returns true if the files of a location are archives: its extension says it, or else they are `.npy` files.
pub(crate) fn is_of_archives(location: &str) -> bool {
    location.ends_with(".npz")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards wildcards of URLs, which DataFusion takes for names.
    #[test]
    fn wildcards_are_found_in_urls() {
        let url = parse("mem://host/dir/2024-*/x.npy").unwrap();
        assert_eq!(url.prefix().as_ref(), "dir");
        assert_eq!(url.get_glob().as_ref().map(|glob| glob.as_str()), Some("2024-*/x.npy"));
        assert!(parse("mem://host/dir/").unwrap().get_glob().is_none());
        assert!(parse("/tmp/*.npy").unwrap().get_glob().is_some());
    }
}
