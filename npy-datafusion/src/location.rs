//! Locations of tables: paths and URLs of files, of directories, and with wildcards.

use std::sync::Arc;

use datafusion::catalog::Session;
use datafusion::common::{plan_datafusion_err, plan_err};
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::datasource::physical_plan::{FileOutputMode, FileSinkConfig};
use datafusion::error::Result;
use object_store::ObjectStore;
use url::Url;

use crate::{files, stores};

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
    if let Some((scheme, rest)) = location.split_once("://") {
        check_url(scheme, rest)?;
        let host = scheme.len() + "://".len() + rest.find('/').unwrap_or(rest.len());
        let path = location.get(host..).unwrap_or_default();
        if let Some(wildcard) = path.find(WILDCARDS)
            && let Some(slash) = path.get(..wildcard).and_then(|before| before.rfind('/'))
            && let Some((directory, glob)) = location.split_at_checked(host + slash + 1)
        {
            return ListingTableUrl::parse(directory)?.with_glob(glob);
        }
    }
    ListingTableUrl::parse(location)
}

/// Refuses parts of a URL that name no file: they would be left out, and another file be read.
fn check_url(scheme: &str, rest: &str) -> Result<()> {
    let before = |end: char| rest.split_once(end).map(|(before, _)| before);
    if let Some(before) = before('#') {
        return plan_err!(
            "{scheme}://{before}#…: a # ends the path of a URL; write it as %23 if it is in the name of the file"
        );
    }
    if !["http", "https"].contains(&scheme.to_ascii_lowercase().as_str()) {
        return Ok(());
    }
    if let Some(before) = before('?') {
        return plan_err!(
            "{scheme}://{before}?…: the part from ? on is not sent to the server; name a URL without it, or download the file first"
        );
    }
    match rest.split('/').next().and_then(|host| host.rsplit_once('@')) {
        Some((_, host)) => plan_err!(
            "{scheme}://…@{host}: names and passwords are not sent to servers; name a file that needs none, or download it first"
        ),
        None => Ok(()),
    }
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

/// Returns true if `COPY … TO` this name, without `PARTITIONED BY`, writes one file, and not the files of a directory. A name without an extension is that of
/// a directory, except if there is a file or a pipe of this name.
#[doc(hidden)]
pub fn is_one_file(name: &str) -> Result<bool> {
    let (path, url) = match name.contains("://") {
        true => {
            let url = parse(name)?;
            (files::local(&url), Some(url))
        }
        false => (Some(std::path::absolute(name)?), None),
    };
    if let Some(found) = path.and_then(|path| path.metadata().ok()) {
        return Ok(!found.is_dir());
    }
    // The name of a bucket has no extension.
    let last = match &url {
        Some(url) => url.get_url().path(),
        None => name,
    };
    let last = last.rsplit(['/', std::path::MAIN_SEPARATOR]).next().unwrap_or_default();
    Ok(last.rsplit_once('.').is_some_and(|(_, extension)| !extension.is_empty()))
}

/// Makes the name of a file of the pattern or the directory that DataFusion takes it for.
pub(crate) fn exact(mut config: FileSinkConfig) -> Result<FileSinkConfig> {
    let name = &config.original_url;
    // A table that rows are inserted into has no name here.
    if name.is_empty() {
        return Ok(config);
    }
    if config.file_output_mode == FileOutputMode::Automatic {
        let is_file = config.table_partition_cols.is_empty() && is_one_file(name)?;
        config.file_output_mode =
            if is_file { FileOutputMode::SingleFile } else { FileOutputMode::Directory };
    }
    if name.contains("://") || !name.contains(WILDCARDS) {
        return Ok(config);
    }
    let path = std::path::absolute(name)?;
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

/// Returns the directory that files are written to.
pub(crate) fn written_to(config: &FileSinkConfig) -> Result<ListingTableUrl> {
    let [to, ..] = &config.table_paths[..] else { return plan_err!("a copy has no location") };
    let mut url = to.get_url().clone();
    let path = url.path().to_owned();
    let directory = match config.file_output_mode.single_file_output(to) {
        true => path.rsplit_once('/').map_or("", |(directory, _)| directory),
        false => path.trim_end_matches('/'),
    };
    url.set_path(&format!("{directory}/"));
    ListingTableUrl::try_new(url, None)
}

/// Returns the store of a location. A session that has other stores than ours gets it.
pub(crate) fn store(state: &dyn Session, url: &ListingTableUrl) -> Result<Arc<dyn ObjectStore>> {
    let (runtime, url) = (state.runtime_env(), url.get_url());
    // The error of our stores says more than that there is none.
    let failed = match runtime.object_store_registry.get_store(url) {
        Ok(store) => return Ok(store),
        Err(error) => error,
    };
    let is_internal = failed.to_string().contains("No suitable object store");
    match is_internal {
        // Its key would not have the container.
        true if stores::has_container(url) => Err(stores::missing(url)),
        true => {
            let store = stores::made(url)?;
            runtime.register_object_store(url, Arc::clone(&store));
            Ok(store)
        }
        false => Err(failed),
    }
}

/// Returns true if the files of a location are archives: its extension says it, or else they are `.npy` files.
pub(crate) fn is_of_archives(location: &str) -> bool {
    location.ends_with(".npz")
}

/// Returns the error for rows that a statement inserts into a file, a pattern or a directory; `None` for other names, which may be those of tables.
#[doc(hidden)]
#[must_use]
pub fn insert_refused(name: &str) -> Option<String> {
    let file = word(name);
    let directory = match name.find(WILDCARDS) {
        Some(end) => {
            name.get(..end)?.rsplit_once('/').map_or("./".to_owned(), |it| format!("{}/", it.0))
        }
        None => name.to_owned(),
    };
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let is_file = matches!(extension, Some("npy" | "npz")) && !directory.ends_with('/');
    if is_file && !name.contains("://") && !std::path::Path::new(name).exists() {
        return Some(format!(
            "{name}: INSERT INTO has no files, and this one does not exist; write COPY (SELECT …) TO '{}'",
            name.replace('\'', "''")
        ));
    }
    let more = match extension {
        _ if directory.ends_with('/') => format!(
            "or CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '{}' and INSERT INTO t",
            directory.replace('\'', "''")
        ),
        Some("npy") => format!("and run npy append {file} new.npy"),
        Some("npz") => {
            return Some(format!(
                "{name}: INSERT INTO has no files; write a new archive with all rows: COPY (SELECT * FROM t UNION ALL SELECT …) TO 'new.npz', and ORDER BY within it if the rows have an order"
            ));
        }
        _ => return None,
    };
    Some(format!("{name}: INSERT INTO has no files; write COPY (SELECT …) TO 'new.npy', {more}"))
}

/// Returns a path as one word of a POSIX shell, for commands in messages.
#[must_use]
pub fn word(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:@%+,=".contains(c);
    match !path.is_empty() && path.chars().all(is_plain) {
        true => path.to_owned(),
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
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
        // The address of a host may be in brackets.
        let url = parse("http://[::1]:8080/a/*.npy").unwrap();
        assert_eq!(url.as_str(), "http://[::1]:8080/a/");
        assert_eq!(url.get_glob().as_ref().map(|glob| glob.as_str()), Some("*.npy"));
        assert!(parse("http://[::1]:8080/a/x.npy").unwrap().get_glob().is_none());
        assert_eq!(parse("s3://bucket/*.npy").unwrap().as_str(), "s3://bucket/");
    }

    /// Guards the rule that tells files from directories in `COPY … TO`.
    #[test]
    fn a_name_is_that_of_a_file_or_of_a_directory() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::write(at("file"), "").unwrap();
        std::fs::create_dir(at("dir.npy")).unwrap();
        let here = directory.path().display();
        for (name, expected) in [
            (format!("{here}/file"), true),
            (format!("file://{here}/file"), true),
            (format!("{here}/dir.npy"), false),
            (format!("file://{here}/dir.npy"), false),
            (format!("{here}/new"), false),
            (format!("{here}/new/"), false),
            (format!("{here}/new.npy"), true),
            (format!("{here}/new.npy/"), false),
            (format!("{here}/new."), false),
            (format!("{here}/.new"), true),
            (format!("{here}/new[1].npy"), true),
            (format!("{here}/a.b/new"), false),
            (format!("{here}/no/.."), false),
            ("/dev/null".into(), true),
            ("new.npy".into(), true),
            ("new".into(), false),
            ("mem://bucket.name".into(), false),
            ("mem://bucket.name/dir".into(), false),
            ("mem://bucket/dir.v1/".into(), false),
            ("mem://bucket/x.npy".into(), true),
            ("mem://bucket/x%20y.npy".into(), true),
        ] {
            assert_eq!(is_one_file(&name).unwrap(), expected, "{name}");
        }
    }

    /// Guards parts of URLs that are no path: without them, the URL would be that of another file.
    #[test]
    fn parts_of_urls_that_name_no_file_are_refused() {
        for (url, expected) in [
            (
                "s3://bucket/run#1.npy",
                "s3://bucket/run#…: a # ends the path of a URL; write it as %23",
            ),
            ("http://host/x.npy?key=secret", "http://host/x.npy?…: the part from ? on"),
            ("HTTPS://me:secret@host/x.npy", "HTTPS://…@host: names and passwords are not sent"),
        ] {
            let refused = parse(url).unwrap_err().to_string();
            assert!(refused.contains(expected) && !refused.contains("secret"), "{refused}");
        }
        assert_eq!(parse("s3://bucket/run%231.npy").unwrap().prefix().as_ref(), "run#1.npy");
    }

    #[test]
    fn a_path_is_one_word() {
        assert_eq!(word("/a/day=1/x-1.npy"), "/a/day=1/x-1.npy");
        assert_eq!(word("/a b/it's.npy"), r"'/a b/it'\''s.npy'");
    }
}
