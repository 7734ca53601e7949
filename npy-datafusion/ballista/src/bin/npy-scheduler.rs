//! The scheduler of a cluster: divides queries over `.npy` files between executors.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use ballista_core::error::Result;
use ballista_core::utils::default_session_builder;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use npy_ballista::arguments::Arguments;
use npy_ballista::datafusion::execution::SessionStateBuilder;
use npy_ballista::{logical_codec, physical_codec, runtime};

const USAGE: &str = "\
usage: npy-scheduler [--bind ADDRESS] [--host NAME] [--port N] [--executor-timeout SECONDS]
  --bind              the address to listen at; 0.0.0.0 for all (127.0.0.1)
  --host              the name by which others reach this machine (localhost)
  --port              the port (50050)
  --executor-timeout  after how many seconds of silence an executor counts as dead (180)
The stores of clouds (s3://, gs://, az://) are made from the environment: AWS_ACCESS_KEY_ID and the like.";

#[tokio::main]
async fn main() -> Result<()> {
    env_logger::init();
    let mut arguments = Arguments::parse(USAGE);
    let bind: IpAddr = arguments.take("bind", Ipv4Addr::LOCALHOST.into());
    let port = arguments.take("port", 50050);
    let timeout = arguments.take("executor-timeout", 180);
    let runtime = runtime(None)?;
    let config = SchedulerConfig {
        bind_host: bind.to_string(),
        bind_port: port,
        external_host: arguments.take("host", "localhost".to_owned()),
        executor_timeout_seconds: timeout,
        expire_dead_executor_interval_seconds: timeout.clamp(1, 15),
        no_executors_grace_period_seconds: timeout,
        override_session_builder: Some(Arc::new(move |config| {
            let state = default_session_builder(config)?;
            let builder = SessionStateBuilder::new_from_existing(state);
            Ok(builder.with_runtime_env(Arc::clone(&runtime)).build())
        })),
        override_logical_codec: Some(logical_codec()),
        override_physical_codec: Some(physical_codec()),
        ..SchedulerConfig::default()
    };
    arguments.finish();
    let cluster = BallistaCluster::new_from_config(&config).await?;
    start_server(cluster, SocketAddr::new(bind, port), Arc::new(config)).await
}
