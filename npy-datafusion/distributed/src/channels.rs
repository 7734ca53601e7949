//! Connections to workers, which end if the other side is silent. Those of `datafusion-distributed` have no time limit: a machine that is switched off would
//! keep a query waiting.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use datafusion_distributed::grpc::{BoxCloneSyncChannel, create_worker_client};
use datafusion_distributed::{ChannelResolver, WorkerChannel};
use npy_datafusion::datafusion::common::config_datafusion_err;
use npy_datafusion::datafusion::error::Result;
use tonic::transport::{Channel, Endpoint};
use url::Url;

use crate::SILENCE;

/// A ping is sent after this time without a message.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(5);
/// The time in which a ping must be answered.
pub(crate) const ANSWER: Duration = Duration::from_secs(SILENCE.as_secs() - HEARTBEAT.as_secs());
/// The time in which a machine must accept a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// The connection to each worker, which all queries of a process share.
#[derive(Clone, Default)]
pub(crate) struct Channels(Arc<Mutex<HashMap<Url, Channel>>>);

impl Channels {
    /// Returns a connection, which is made when it is used, and again after it was lost.
    fn get(&self, url: &Url) -> Result<Channel> {
        let mut channels = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = channels.get(url) {
            return Ok(channel.clone());
        }
        let endpoint = Endpoint::from_shared(url.to_string()).map_err(|error| {
            config_datafusion_err!("{url} is not the address of a worker: {error}")
        })?;
        let channel = endpoint
            .connect_timeout(CONNECT)
            .http2_keep_alive_interval(HEARTBEAT)
            .keep_alive_timeout(ANSWER)
            .keep_alive_while_idle(true)
            .connect_lazy();
        channels.insert(url.clone(), channel.clone());
        Ok(channel)
    }

    /// Returns the client of a worker.
    pub(crate) fn client(&self, url: &Url) -> Result<Box<dyn WorkerChannel>> {
        Ok(create_worker_client(BoxCloneSyncChannel::new(self.get(url)?)))
    }
}

#[async_trait]
impl ChannelResolver for Channels {
    async fn get_worker_client_for_url(&self, url: &Url) -> Result<Box<dyn WorkerChannel>> {
        self.client(url)
    }
}
