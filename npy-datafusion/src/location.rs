//! Locations of tables: paths and URLs of files, of directories, and with wildcards.

use datafusion::datasource::listing::ListingTableUrl;
use datafusion::error::Result;

/// Parses a location. DataFusion finds wildcards in paths; here they may be in URLs, too.
pub(crate) fn parse(location: &str) -> Result<ListingTableUrl> {
    if let Some(scheme) = location.find("://")
        && let Some(wildcard) = location.find(['*', '?', '['])
        && let Some(slash) = location.get(..wildcard).and_then(|before| before.rfind('/'))
        && slash > scheme + 2
        && let Some((directory, glob)) = location.split_at_checked(slash + 1)
    {
        return ListingTableUrl::parse(directory)?.with_glob(glob);
    }
    ListingTableUrl::parse(location)
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
