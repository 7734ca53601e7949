//! Files of clouds and web servers, for the command `npy` and for `npy-datafusion`.
//!
#![doc = include_str!("../README.md")]

mod advice;
mod answer;
mod remote;
mod store;

use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::{BackoffConfig, ClientConfigKey, ClientOptions, ObjectStore, RetryConfig};
use url::{Position, Url};

pub use advice::advice;
pub use remote::RemoteFile;
use store::CloudStore;

/// The protocol of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cloud {
    S3,
    Google,
    Azure,
    Http,
}

impl Cloud {
    fn of(scheme: &str) -> Option<Self> {
        match scheme {
            "s3" | "s3a" => Some(Cloud::S3),
            "gs" => Some(Cloud::Google),
            "az" | "azure" | "adl" | "abfs" | "abfss" => Some(Cloud::Azure),
            "http" | "https" => Some(Cloud::Http),
            _ => None,
        }
    }
}

/// Makes the store of a URL; `None` if its scheme is not one of a cloud. No request is sent.
///
/// ```
/// use url::Url;
///
/// assert!(npy_clouds::open(&Url::parse("https://host/dir/x.npy").unwrap())?.is_some());
/// assert!(npy_clouds::open(&Url::parse("ftp://host/dir/x.npy").unwrap())?.is_none());
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
///
/// The message of a store whose variables are missing or wrong.
pub fn open(url: &Url) -> Result<Option<Arc<dyn ObjectStore>>, String> {
    let Some(cloud) = Cloud::of(url.scheme()) else { return Ok(None) };
    let root = &url[..Position::BeforePath];
    let store = made(cloud, root, root).map_err(|message| format!("{root}: {message}"))?;
    Ok(Some(store))
}

/// Makes the store at an address. `name` is its name for messages, whose errors do not have it.
fn made(cloud: Cloud, address: &str, name: &str) -> Result<Arc<dyn ObjectStore>, String> {
    let inner = build(cloud, address)
        .map_err(|error| format!("{}; {}", advice::cause(&error), advice::credentials(cloud)))?;
    Ok(Arc::new(CloudStore::new(inner, cloud, name)))
}

fn build(cloud: Cloud, root: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
    let timeout = ClientConfigKey::Timeout;
    Ok(match cloud {
        Cloud::S3 => {
            let mut builder = AmazonS3Builder::from_env().with_retry(retry());
            if std::env::var_os("AWS_TIMEOUT").is_none() {
                builder = builder.with_config(AmazonS3ConfigKey::Client(timeout), LONGEST);
            }
            Arc::new(builder.with_url(root).build()?)
        }
        Cloud::Google => {
            let mut builder = GoogleCloudStorageBuilder::from_env().with_retry(retry());
            if std::env::var_os("GOOGLE_TIMEOUT").is_none() {
                builder = builder.with_config(GoogleConfigKey::Client(timeout), LONGEST);
            }
            Arc::new(builder.with_url(root).build()?)
        }
        Cloud::Azure => {
            let mut builder = MicrosoftAzureBuilder::from_env().with_retry(retry());
            if std::env::var_os("AZURE_TIMEOUT").is_none() {
                builder = builder.with_config(AzureConfigKey::Client(timeout), LONGEST);
            }
            Arc::new(builder.with_url(root).build()?)
        }
        Cloud::Http => {
            let options = ClientOptions::new().with_allow_http(true);
            let options = options.with_config(timeout, LONGEST).with_default_headers(as_it_is());
            let builder = HttpBuilder::new().with_retry(retry()).with_client_options(options);
            Arc::new(builder.with_url(root).build()?)
        }
    })
}

/// The longest time of a request, with all its bytes: 8 MiB come in it by 70 KB a second.
const LONGEST: &str = "120 seconds";

/// The header that asks for a file without compression: ranges would be those of the compressed file. Without it, a server may choose.
fn as_it_is() -> HeaderMap {
    HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("identity"))])
}

/// A server that is busy is asked again; one that is gone is an error within ten seconds.
fn retry() -> RetryConfig {
    let backoff = BackoffConfig { max_backoff: Duration::from_secs(1), ..BackoffConfig::default() };
    RetryConfig { backoff, max_retries: 4, retry_timeout: Duration::from_secs(8) }
}
