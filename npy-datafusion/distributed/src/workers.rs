//! The workers of a session, and which of them are there.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use datafusion_distributed::{GetWorkerInfoRequest, WorkerResolver};
use futures::future::join_all;
use npy_datafusion::datafusion::common::{exec_err, plan_datafusion_err, plan_err};
use npy_datafusion::datafusion::error::Result;
use tokio::time::timeout;
use url::Url;

use crate::VERSION;
use crate::channels::Channels;

/// The time in which a worker must say that it is there.
const PATIENCE: Duration = Duration::from_secs(10);
/// The same for one that was not there the last time: queries do not wait long for a machine that is off.
const SHORT_PATIENCE: Duration = Duration::from_secs(1);

/// A worker that is there: its address, and the name of its process, so that one that was started again is another.
#[derive(Clone, PartialEq)]
pub(crate) struct Living {
    pub(crate) url: Url,
    process: String,
}

/// A worker, or the reason why it cannot be used.
type Found = std::result::Result<Living, String>;

/// All workers that a session may use.
#[derive(Clone)]
pub(crate) struct Workers(Arc<Inner>);

struct Inner {
    urls: Vec<Url>,
    channels: Channels,
    /// The state of each at the last look.
    found: Mutex<Vec<Found>>,
}

impl Workers {
    /// Creates the list of workers at these addresses.
    pub(crate) fn at(addresses: &[impl AsRef<str>]) -> Result<Self> {
        if addresses.is_empty() {
            return plan_err!("no worker is named; name the address of each: HOST:PORT");
        }
        let urls = addresses.iter().map(|address| url(address.as_ref()));
        let urls = urls.collect::<Result<Vec<_>>>()?;
        // All have the longer time at the first look.
        let found = urls.iter().map(|url| Ok(Living { url: url.clone(), process: String::new() }));
        let found = Mutex::new(found.collect());
        Ok(Workers(Arc::new(Inner { urls, channels: Channels::default(), found })))
    }

    pub(crate) fn channels(&self) -> Channels {
        self.0.channels.clone()
    }

    fn found(&self) -> Vec<Found> {
        self.0.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks all workers at once whether they are there, and returns those that are.
    pub(crate) async fn refresh(&self) -> Vec<Living> {
        let before = self.found();
        let asked = self.0.urls.iter().zip(before).map(|(url, before)| {
            let patience = if before.is_ok() { PATIENCE } else { SHORT_PATIENCE };
            self.ask(url, patience)
        });
        let found = join_all(asked.collect::<Vec<_>>()).await;
        *self.0.found.lock().unwrap_or_else(PoisonError::into_inner) = found.clone();
        found.into_iter().flatten().collect()
    }

    async fn ask(&self, url: &Url, patience: Duration) -> Found {
        let ask = async {
            let mut client = self.0.channels.client(url)?;
            client.get_worker_info(GetWorkerInfoRequest {}).await
        };
        let answer = timeout(patience, ask).await;
        let answer = answer.map_err(|_| format!("{url}: no answer in {patience:?}"))?;
        let process =
            answer.map_err(|error| format!("{url}: {}", error.strip_backtrace()))?.version;
        match process.split(' ').next() {
            Some(VERSION) => Ok(Living { url: url.clone(), process }),
            _ => Err(format!("{url} is of version {process:?}, and the client of {VERSION}")),
        }
    }

    /// Fails if no worker was there at the last look.
    pub(crate) fn check(&self) -> Result<()> {
        let reasons: Vec<String> = self.found().into_iter().filter_map(Found::err).collect();
        if reasons.len() < self.0.urls.len() {
            return Ok(());
        }
        exec_err!(
            "no worker can be used: {}; start npy-worker there, of the same version as the client",
            reasons.join(", ")
        )
    }
}

impl WorkerResolver for Workers {
    fn get_urls(&self) -> Result<Vec<Url>> {
        self.check()?;
        Ok(self.found().into_iter().flatten().map(|worker| worker.url).collect())
    }
}

/// Parses `HOST:PORT` or `http://HOST:PORT`.
fn url(address: &str) -> Result<Url> {
    let text =
        if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
    let url = Url::parse(&text).ok();
    url.filter(|url| url.scheme() == "http" && url.has_host() && url.port().is_some()).ok_or_else(
        || plan_datafusion_err!("{address:?} is not the address of a worker; write HOST:PORT"),
    )
}
