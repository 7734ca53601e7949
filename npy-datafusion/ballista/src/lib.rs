//! NumPy's `.npy` files as tables of Ballista: SQL over directories of arrays, on many machines.
//!
//! Three kinds of processes run a query: a client, which plans it; a scheduler (`npy-scheduler`), which divides it; and executors (`npy-executor`), which read
//! the files. All of them must know the tables, so all use [`logical_codec`] and [`physical_codec`]. The files must be at the same URL for all: in a store of
//! a cloud, or in a directory that every machine has mounted.
//!
//! ```no_run
//! # #[tokio::main]
//! # async fn main() -> npy_ballista::datafusion::error::Result<()> {
//! use npy_ballista::datafusion::prelude::SessionConfig;
//!
//! let ctx = npy_ballista::connect("df://scheduler:50050", SessionConfig::new()).await?;
//! ctx.sql("CREATE EXTERNAL TABLE ticks STORED AS NPY LOCATION '/shared/ticks/'").await?;
//! ctx.sql("SELECT id, avg(price) FROM ticks GROUP BY id").await?.show().await?;
//! # Ok(())
//! # }
//! ```

pub mod arguments;

use std::sync::Arc;

use ballista::prelude::{SessionConfigExt, SessionContextExt};
use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
pub use npy_datafusion::datafusion;
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::datafusion::execution::SessionStateBuilder;
use npy_datafusion::datafusion::prelude::{SessionConfig, SessionContext};
use npy_datafusion::{NpyFunction, NpyLogicalCodec, NpyPhysicalCodec, with_npy};

/// Returns the codec by which tables go from the client to the scheduler.
pub fn logical_codec() -> Arc<NpyLogicalCodec> {
    Arc::new(NpyLogicalCodec::new(Arc::new(BallistaLogicalExtensionCodec::default())))
}

/// Returns the codec by which scans go from the scheduler to executors.
pub fn physical_codec() -> Arc<NpyPhysicalCodec> {
    Arc::new(NpyPhysicalCodec::new(Arc::new(BallistaPhysicalExtensionCodec::default())))
}

/// Connects to a scheduler: a client that knows the tables of `.npy` files and archives.
///
/// # Errors
///
/// If the URL is not one of Ballista, `df://HOST:PORT`, or no scheduler answers there.
pub async fn connect(scheduler: &str, config: SessionConfig) -> Result<SessionContext> {
    let config = config
        .upgrade_for_ballista()
        .with_ballista_logical_extension_codec(logical_codec())
        .with_ballista_physical_extension_codec(physical_codec());
    let state = SessionStateBuilder::new().with_config(config).with_default_features();
    let ctx = SessionContext::remote_with_state(scheduler, with_npy(state).build()).await?;
    ctx.register_udtf("npy", Arc::new(NpyFunction::default()));
    Ok(ctx)
}
