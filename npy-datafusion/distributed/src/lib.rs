//! NumPy's `.npy` files as tables of many machines: SQL over directories of arrays, by `datafusion-distributed`.
//!
//! Two kinds of processes run a query: a client, which plans it and returns its rows, and workers (`npy-worker`), which read the files and exchange rows for
//! groups and joins. There is no scheduler. The files must be at the same URL for all: in a store of a cloud, whose credentials all processes have in their
//! environment, or in a directory that every machine has mounted.
//!
//! ```no_run
//! # #[tokio::main]
//! # async fn main() -> npy_distributed::datafusion::error::Result<()> {
//! use npy_distributed::datafusion::prelude::SessionConfig;
//!
//! let ctx = npy_distributed::connect(&["node1:50051", "node2:50051"], SessionConfig::new()).await?;
//! ctx.sql("CREATE EXTERNAL TABLE ticks STORED AS NPY LOCATION '/shared/ticks/'").await?;
//! ctx.sql("SELECT id, avg(price) FROM ticks GROUP BY id").await?.show().await?;
//! # Ok(())
//! # }
//! ```
//!
//! # A worker that dies
//!
//! A query whose worker dies is run again on those that are left, if none of its rows was returned yet; otherwise it is an error. A worker that does not answer any
//! more, because its machine is off the network or its process is stopped, is noticed within [`SILENCE`].

mod channels;
mod panics;
mod retry;
mod server;
mod workers;

use std::sync::Arc;
use std::time::Duration;

use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_distributed::{DistributedExt, SessionStateBuilderExt};
pub use npy_datafusion::datafusion;
use npy_datafusion::{NpyFunction, NpyPhysicalCodec, object_stores, with_npy};
pub use server::serve;

use crate::retry::RetryPlanner;
use crate::workers::Workers;

/// The time after which a process that sends nothing, and does not answer a ping, counts as dead.
pub const SILENCE: Duration = Duration::from_secs(20);

/// The version of both programs: plans are messages between processes of one build.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Creates a session whose queries run on these workers, each `HOST:PORT` or `http://HOST:PORT`.
///
/// Before each query the workers are asked whether they are there: those that are not are left out, and those that are back take part.
///
/// # Errors
///
/// If an address is not one, or if no worker answers.
pub async fn connect(
    addresses: &[impl AsRef<str>],
    config: SessionConfig,
) -> Result<SessionContext> {
    let workers = Workers::at(addresses)?;
    workers.refresh().await;
    workers.check()?;
    let builder = SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(runtime()?)
        .with_default_features()
        .with_distributed_worker_resolver(workers.clone())
        .with_distributed_channel_resolver(workers.channels())
        .with_distributed_user_codec(NpyPhysicalCodec::default())
        .with_distributed_planner();
    let mut with_tables = with_npy(builder);
    if let Some(planner) = with_tables.query_planner().take() {
        let planner = RetryPlanner::new(planner, workers);
        with_tables = with_tables.with_query_planner(Arc::new(planner));
    }
    let ctx = SessionContext::new_with_state(with_tables.build());
    ctx.register_udtf("npy", Arc::new(NpyFunction::default()));
    Ok(ctx)
}

/// Creates the runtime of a process. Files may be added to a directory, or replaced: each query lists them.
fn runtime() -> Result<Arc<RuntimeEnv>> {
    RuntimeEnvBuilder::new()
        .with_object_list_cache_limit(0)
        .with_object_store_registry(object_stores())
        .build_arc()
}
