//! NumPy's `.npy` files as tables of Ballista: SQL over directories of arrays, on many machines.
//!
//! Three kinds of processes run a query: a client, which plans it; a scheduler (`npy-scheduler`), which divides it; and executors (`npy-executor`), which read
//! the files. All of them must know the tables, so all use [`logical_codec`] and [`physical_codec`]. The files must be at the same URL for all: in a store of
//! a cloud, whose credentials all processes have in their environment, or in a directory that every machine has mounted.
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
use std::time::Duration;

use async_trait::async_trait;
use ballista::prelude::{SessionConfigExt, SessionContextExt};
use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
pub use npy_datafusion::datafusion;
use npy_datafusion::datafusion::catalog::Session;
use npy_datafusion::datafusion::common::{not_impl_err, plan_err};
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::datafusion::execution::SessionStateBuilder;
use npy_datafusion::datafusion::execution::context::QueryPlanner;
use npy_datafusion::datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use npy_datafusion::datafusion::logical_expr::LogicalPlan;
use npy_datafusion::datafusion::physical_plan::ExecutionPlan;
use npy_datafusion::datafusion::prelude::{SessionConfig, SessionContext};
use npy_datafusion::{NpyFunction, NpyLogicalCodec, NpyPhysicalCodec, object_stores, with_npy};
use tokio::net::TcpStream;
use url::Url;

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
/// A cluster reads: `COPY` and `INSERT INTO` are errors of the client.
///
/// # Errors
///
/// If the URL is not one of Ballista, `df://HOST:PORT`, or no one listens there.
pub async fn connect(scheduler: &str, config: SessionConfig) -> Result<SessionContext> {
    reach(scheduler).await?;
    let config = config
        .upgrade_for_ballista()
        .with_ballista_logical_extension_codec(logical_codec())
        .with_ballista_physical_extension_codec(physical_codec());
    let state = SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(runtime(None)?)
        .with_default_features();
    let ctx = SessionContext::remote_with_state(scheduler, with_npy(state).build()).await?;
    let state = ctx.state();
    let planner = Arc::new(Reading(Arc::clone(state.query_planner())));
    let state = SessionStateBuilder::new_from_existing(state)
        .with_session_id(ctx.session_id())
        .with_query_planner(planner);
    let ctx = SessionContext::new_with_state(state.build());
    ctx.register_udtf("npy", Arc::new(NpyFunction::default()));
    Ok(ctx)
}

/// Creates the runtime of a process of the cluster, whose stores are those of [`object_stores`]. Temporary files are in this directory, or in that of the
/// system.
///
/// # Errors
///
/// If the directory cannot be used.
pub fn runtime(directory: Option<&str>) -> Result<Arc<RuntimeEnv>> {
    let runtime = RuntimeEnvBuilder::new().with_object_store_registry(object_stores());
    match directory {
        Some(directory) => runtime.with_temp_file_path(directory).build_arc(),
        None => runtime.build_arc(),
    }
}

/// The time within which a scheduler accepts a connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// Checks that someone listens at the address of the scheduler. Ballista would connect with the first query.
async fn reach(scheduler: &str) -> Result<()> {
    let url = Url::parse(scheduler).ok().filter(|url| url.scheme() == "df");
    let address = url.as_ref().and_then(|url| Some((url.host_str()?, url.port()?)));
    let Some((host, port)) = address else {
        return plan_err!("{scheduler:?} is not the URL of a scheduler; write df://HOST:PORT");
    };
    // An address of IPv6 is in brackets in a URL.
    let host = host.trim_matches(['[', ']']);
    let connected = tokio::time::timeout(PATIENCE, TcpStream::connect((host, port))).await;
    let reason = match connected {
        Ok(Ok(_)) => return Ok(()),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no answer in {PATIENCE:?}"),
    };
    plan_err!(
        "no scheduler listens at {scheduler}: {reason}; start npy-scheduler there, or name its --host and --port"
    )
}

/// Plans queries that read, and refuses those that write: a scheduler has no way to write, and its own error does not say so.
#[derive(Debug)]
struct Reading(Arc<dyn QueryPlanner + Send + Sync>);

#[async_trait]
impl QueryPlanner for Reading {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if matches!(plan, LogicalPlan::Copy(_) | LogicalPlan::Dml(_)) {
            return not_impl_err!(
                "a cluster only reads; run COPY and INSERT INTO in a session of one machine (npy_datafusion::session, or the command `npy sql`)"
            );
        }
        self.0.create_physical_plan(plan, session).await
    }
}
