//! Says what to do about an error of a store.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use object_store::Error;
use object_store::client::{HttpError, HttpErrorKind};
use object_store::path::Path;

use super::Cloud;

/// The message about a server that ignores ranges.
pub(super) const WHOLE: &str =
    "the server returns complete files only, and parts are read; download the file first";

/// The message about a file that can have no parts.
pub(super) const EMPTY: &str = "the file has no bytes; wait until it is written, or write it again";

/// The message about a file that lacks the part.
const SHORTER: &str =
    "the file has no bytes, or fewer than it had; wait until it is written, or write it again";

/// The store that an error is of.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) cloud: Cloud,
    /// Its URL, without a slash at the end.
    pub(super) root: String,
    pub(super) task: Task,
}

/// The purpose of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    Read,
    List,
    Write,
}

/// An error that says what is wrong and what to do.
#[derive(Debug)]
struct Advice {
    text: String,
    /// The length of the name of the file, with which the text begins.
    place: usize,
    source: Box<dyn StdError + Send + Sync>,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl StdError for Advice {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.source)
    }
}

/// Returns the text of an error of a store that [`open`](crate::open) has made, without those of its layers: the file, the mistake, and the remedy.
/// It is `None` for other errors.
///
/// ```
/// let error = std::io::Error::other("not of a store");
/// assert_eq!(npy_clouds::advice(&error), None);
/// ```
pub fn advice<'e>(error: &'e (dyn StdError + 'static)) -> Option<&'e str> {
    let found = find::<Advice>(error)?;
    Some(&found.text)
}

/// Returns the text of an error of a store without the name of the file.
pub(crate) fn unnamed(error: &Error) -> String {
    match find::<Advice>(error) {
        Some(Advice { text, place, .. }) => text.get(*place..).unwrap_or(text).to_owned(),
        None => cause(error),
    }
}

fn find<'e, T: StdError + 'static>(error: &'e (dyn StdError + 'static)) -> Option<&'e T> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(found) = error.downcast_ref::<T>() {
            return Some(found);
        }
        cause = error.source();
    }
    None
}

/// Returns the innermost cause of an error.
pub(super) fn cause(error: &(dyn StdError + 'static)) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// Says which variables have the credentials.
pub(super) fn credentials(cloud: Cloud) -> &'static str {
    match cloud {
        Cloud::S3 => {
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN, if there is one), or AWS_SKIP_SIGNATURE=true for a public bucket; the files in ~/.aws are not read"
        }
        Cloud::Google => {
            "set GOOGLE_APPLICATION_CREDENTIALS to the path of a key file, or GOOGLE_SKIP_SIGNATURE=true for a public bucket"
        }
        Cloud::Azure => {
            "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_TOKEN, or AZURE_SKIP_SIGNATURE=true for a public container"
        }
        Cloud::Http => "name a file that needs no login",
    }
}

/// Returns the permission that files are written by.
fn to_write(cloud: Cloud) -> &'static str {
    match cloud {
        Cloud::S3 => "s3:PutObject",
        Cloud::Google => "storage.objects.create (and storage.objects.delete, to replace one)",
        Cloud::Azure => "to write blobs (Storage Blob Data Contributor, or w in a SAS token)",
        Cloud::Http => "PUT",
    }
}

/// Says where the address of the server comes from.
fn address(cloud: Cloud) -> &'static str {
    match cloud {
        Cloud::S3 => "check AWS_ENDPOINT_URL and AWS_REGION",
        Cloud::Google => "check GOOGLE_BASE_URL",
        Cloud::Azure => "check AZURE_STORAGE_ENDPOINT and AZURE_STORAGE_ACCOUNT_NAME",
        Cloud::Http => "check the host and the port",
    }
}

impl Place {
    /// Returns the error with its advice, of the same kind.
    pub(super) fn told(&self, location: Option<&Path>, error: Error) -> Error {
        if advice(&error).is_some() {
            return error;
        }
        let (text, place) = self.named(location, &self.text(&error));
        let with = |source| -> Box<dyn StdError + Send + Sync> {
            Box::new(Advice { text, place, source })
        };
        match error {
            Error::NotFound { path, source } => Error::NotFound { path, source: with(source) },
            Error::AlreadyExists { path, source } => {
                Error::AlreadyExists { path, source: with(source) }
            }
            Error::Precondition { path, source } => {
                Error::Precondition { path, source: with(source) }
            }
            Error::NotModified { path, source } => {
                Error::NotModified { path, source: with(source) }
            }
            Error::NotSupported { source } => Error::NotSupported { source: with(source) },
            // Callers do without.
            Error::NotImplemented { .. } if self.task != Task::List => error,
            error => Error::Generic { store: "store", source: with(Box::new(error)) },
        }
    }

    /// Returns the error of a server that does not answer.
    pub(super) fn silent(&self, location: Option<&Path>, after: Duration) -> Error {
        let what = format!(
            "the server has not answered in {after:?}; {}, and whether the network lets requests through",
            address(self.cloud)
        );
        let (text, place) = self.named(location, &what);
        let source = "no answer".into();
        Error::Generic { store: "store", source: Box::new(Advice { text, place, source }) }
    }

    /// Returns a text with the name of the file before it, and the length of that.
    fn named(&self, location: Option<&Path>, text: &str) -> (String, usize) {
        let place = match location {
            Some(location) => format!("{}/{location}: ", self.root),
            None => format!("{}: ", self.root),
        };
        (format!("{place}{text}"), place.len())
    }

    fn text(&self, error: &Error) -> String {
        let cloud = self.cloud;
        let all = error.to_string();
        let (status, code) = (status(&all), between(&all, "<Code>", "</Code>"));
        let answer = match (status, code) {
            (Some(status), Some(code)) => format!("{status} {code}"),
            (Some(status), None) => status.to_string(),
            (None, code) => code.unwrap_or_default().to_owned(),
        };
        // Where there are no credentials, the client asks the machine for some.
        if ["169.254.169.254", "169.254.170.2", "metadata.google.internal"]
            .iter()
            .any(|host| all.contains(host))
        {
            return format!("there are no credentials; {}", credentials(cloud));
        }
        if let Some(text) = self.transport(error) {
            return text;
        }
        let is_complete =
            matches!(error, Error::NotSupported { .. }) && all.contains("Range request");
        if is_complete || all.contains("non-partial response") {
            return WHOLE.into();
        }
        if let Some(text) = of_head(&all) {
            return text;
        }
        if all.contains("Wanted range starting at") {
            return SHORTER.into();
        }
        if cloud == Cloud::Http && self.task == Task::List {
            return "the server does not list its files, since it has no WebDAV; name each file by its URL, without a pattern".into();
        }
        let is_expired = code.is_some_and(|code| {
            ["Expired", "TokenRefreshRequired", "InvalidToken"].iter().any(|it| code.contains(it))
        });
        let is_denied =
            matches!(error, Error::PermissionDenied { .. } | Error::Unauthenticated { .. });
        let is_denied = is_denied || [Some(401), Some(403)].contains(&status);
        let is_write = self.task == Task::Write;
        match (code, status) {
            // A server that is busy, or whose client was slow, may take it later.
            (_, Some(400..=407 | 409..=428 | 430..=499)) if is_write && cloud == Cloud::Http => {
                format!(
                    "the server does not take the file ({answer}); write to one that does, by WebDAV, or to this machine"
                )
            }
            _ if is_expired || all.contains("invalid_grant") => {
                format!(
                    "the credentials have expired ({answer}); get new ones, and {}",
                    credentials(cloud)
                )
            }
            (Some("NoSuchBucket" | "ContainerNotFound" | "InvalidBucketName"), _) => {
                format!(
                    "there is no such bucket ({answer}); check its name, and {}",
                    address(cloud).trim_start_matches("check ")
                )
            }
            (Some("PermanentRedirect" | "AuthorizationHeaderMalformed"), _)
            | (_, Some(301 | 307)) => self.region(&all),
            _ if all.contains("redirect without LOCATION") => self.region(&all),
            _ if is_denied && is_write => format!(
                "access is denied ({answer}); a file is written by the permission {}: ask for it, or {}",
                to_write(cloud),
                credentials(cloud)
            ),
            _ if is_denied => {
                format!("access is denied ({answer}); {}", credentials(cloud))
            }
            // The answer to a request for a size and a time has no text.
            (None, Some(400)) if cloud != Cloud::Http => {
                format!(
                    "the server refuses the request (400), as it does if credentials have expired or AWS_REGION is another one; {}",
                    credentials(cloud)
                )
            }
            _ if matches!(error, Error::NotFound { .. }) => {
                "there is no such file; check the URL, which ends in / if it is that of a directory"
                    .into()
            }
            _ if matches!(error, Error::Precondition { .. } | Error::AlreadyExists { .. }) => {
                "another program has written it meanwhile; run it again".into()
            }
            (_, Some(416)) => SHORTER.into(),
            (_, Some(410)) => {
                "the file was there, and was removed (410); ask for its new URL".into()
            }
            (_, Some(429 | 500..=599)) => {
                format!("the server has failed ({answer}), also when asked again; try it later")
            }
            (_, Some(_)) if is_write => format!(
                "the server refuses the request ({answer}); check the URL, or write to this machine"
            ),
            (_, Some(_)) => format!(
                "the server refuses the request ({answer}); check the URL, or download the file first"
            ),
            _ => advised(cause(error)),
        }
    }

    /// Returns the text of an error of the connection.
    fn transport(&self, error: &Error) -> Option<String> {
        let kind = find::<HttpError>(error)?.kind();
        let (reason, advice) = (cause(error), address(self.cloud));
        Some(match kind {
            _ if reason.contains("scheme is not allowed") => format!(
                "the address of the server is http://, which has no encryption; set {}_ALLOW_HTTP=true to allow that",
                match self.cloud {
                    Cloud::Azure => "AZURE",
                    Cloud::Google => "GOOGLE",
                    Cloud::S3 | Cloud::Http => "AWS",
                }
            ),
            _ if reason.contains("too many redirects") => {
                "the server redirects the request again and again; check the URL".into()
            }
            HttpErrorKind::Connect => format!("no server can be reached: {reason}; {advice}"),
            HttpErrorKind::Timeout => {
                format!("the server has not sent its answer in time; {advice}, or try it later")
            }
            _ => format!("the connection has failed: {reason}; try it again"),
        })
    }

    fn region(&self, all: &str) -> String {
        match between(all, "<Region>", "</Region>") {
            Some(region) => format!("the bucket is in another region; set AWS_REGION={region}"),
            None => {
                "the bucket is in another region or at another address; set AWS_REGION, or AWS_ENDPOINT_URL".into()
            }
        }
    }
}

/// Returns the text of an error about the head of an answer.
fn of_head(all: &str) -> Option<String> {
    const RANGE: &str = "value for CONTENT_RANGE header: \"";
    let what = if all.contains("Content-Length Header missing") {
        "the server does not state the length of its answer (no Content-Length)".to_owned()
    } else if let Some(range) = between(all, RANGE, "\"") {
        let name = if range.ends_with("/*") { "the size of the file" } else { "a range of bytes" };
        format!("the server does not state {name} (Content-Range: {range})")
    } else if all.contains("Content-Range header not present") {
        "the server does not state the part that it sends (no Content-Range)".into()
    } else if let (Some(asked), Some(sent)) =
        (between(all, "Requested ", ", got "), all.split_once(", got "))
    {
        format!("the server has sent the bytes {} in place of {asked}", sent.1)
    } else {
        return None;
    };
    Some(format!("{what}, and parts of the file are read; download it first"))
}

/// Returns the text of an error with what to do, if it does not say that itself.
fn advised(text: String) -> String {
    if text.contains("; ") { text } else { format!("{text}; try it again") }
}

/// Returns true if a server answers that it does not know a part of the request.
pub(super) fn is_not_implemented(error: &Error) -> bool {
    status(&error.to_string()) == Some(501)
}

/// Returns the status that the text of an error has.
fn status(text: &str) -> Option<u16> {
    let (_, after) = text.split_once("status code: ")?;
    after.get(..3)?.parse().ok()
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let (_, after) = text.split_once(start)?;
    Some(after.split_once(end)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(cloud: Cloud, task: Task, source: &str) -> String {
        let place = Place { cloud, root: "s3://bucket".into(), task };
        let error = Error::Generic { store: "S3", source: source.into() };
        let error = place.told(Some(&"dir/x.npy".into()), error);
        let text = advice(&error).unwrap().to_owned();
        assert!(text.ends_with(&unnamed(&error)) && !unnamed(&error).contains("x.npy"), "{text}");
        text
    }

    /// Guards the texts of errors that no server of the tests sends.
    #[test]
    fn errors_say_what_to_do() {
        for (source, expected) in [
            (
                "Error performing PUT http://169.254.169.254/latest/api/token",
                "there are no credentials; set AWS_ACCESS_KEY_ID",
            ),
            (
                "Server returned non-2xx status code: 400 Bad Request: <Error><Code>ExpiredToken</Code></Error>",
                "have expired (400 ExpiredToken); get new ones, and set AWS_",
            ),
            (
                "Server returned non-2xx status code: 301 Moved: <Error><Code>PermanentRedirect</Code></Error>",
                "set AWS_REGION, or AWS_ENDPOINT_URL",
            ),
            (
                "<Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region>",
                "set AWS_REGION=eu-west-1",
            ),
            ("Received redirect without LOCATION, this", "in another region"),
            (
                "Server returned non-2xx status code: 503 Slow: ",
                "has failed (503), also when asked again",
            ),
            ("something else", "s3://bucket/dir/x.npy: something else"),
        ] {
            let text = told(Cloud::S3, Task::Read, source);
            assert!(text.contains("s3://bucket/dir/x.npy: ") && text.contains(expected), "{text}");
            assert!(!text.contains("Generic"), "{text}");
        }
        let text = told(Cloud::Http, Task::List, "Server returned non-2xx status code: 405 Not: ");
        assert!(text.contains("name each file by its URL"), "{text}");
        let refused =
            "Server returned non-2xx status code: 403 Forbidden: <Code>AccessDenied</Code>";
        let busy = "Server returned non-2xx status code: 429 Too Many Requests: ";
        let text = told(Cloud::Http, Task::Write, busy);
        assert!(text.contains("try it later"), "{text}");
        for (cloud, expected) in [
            (
                Cloud::S3,
                "(403 AccessDenied); a file is written by the permission s3:PutObject: ask",
            ),
            (Cloud::Google, "the permission storage.objects.create (and"),
            (Cloud::Azure, "Storage Blob Data Contributor, or w in a SAS token"),
            (
                Cloud::Http,
                "the server does not take the file (403 AccessDenied); write to one that",
            ),
        ] {
            let text = told(cloud, Task::Write, refused);
            assert!(text.contains(expected), "{text}");
        }
    }
}
