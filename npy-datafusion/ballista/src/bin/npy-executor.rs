//! An executor of a cluster: reads the files of its part of a query, and keeps what other executors fetch from it.

use std::sync::Arc;

use ballista_core::error::Result;
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use npy_ballista::arguments::Arguments;
use npy_ballista::{logical_codec, physical_codec, runtime};

const USAGE: &str = "\
usage: npy-executor [--scheduler HOST] [--scheduler-port N] [--bind ADDRESS] [--host NAME]
                    [--port N] [--grpc-port N] [--tasks N] [--work-dir DIR] [--heartbeat SECONDS]
  --scheduler, --scheduler-port  where the scheduler is (localhost, 50050)
  --bind       the address to listen at; 0.0.0.0 for all (127.0.0.1)
  --host       the name by which others reach this machine (localhost)
  --port, --grpc-port  two ports: for results, and for tasks (50051, 50052)
  --tasks      how many tasks run at once (as many as there are cores)
  --work-dir   a directory for what is exchanged (a temporary one)
  --heartbeat  the seconds between two signs of life (60)
The stores of clouds (s3://, gs://, az://) are made from the environment: AWS_ACCESS_KEY_ID and the like.";

#[tokio::main]
async fn main() -> Result<()> {
    env_logger::init();
    let mut arguments = Arguments::parse(USAGE);
    let defaults = ExecutorProcessConfig::default();
    let work_dir = arguments.take("work-dir", String::new());
    // Functions come by their names: `min` and `max` of groups are not DataFusion's own.
    let functions = BallistaFunctionRegistry::from(&npy_datafusion::session().state());
    let runtime = runtime((!work_dir.is_empty()).then_some(&*work_dir))?;
    let config = ExecutorProcessConfig {
        scheduler_host: arguments.take("scheduler", defaults.scheduler_host.clone()),
        scheduler_port: arguments.take("scheduler-port", defaults.scheduler_port),
        scheduler_connect_timeout_seconds: 60,
        bind_host: arguments.take("bind", defaults.bind_host.clone()),
        external_host: Some(arguments.take("host", "localhost".to_owned())),
        port: arguments.take("port", defaults.port),
        grpc_port: arguments.take("grpc-port", defaults.grpc_port),
        vcores: arguments.take("tasks", defaults.vcores),
        work_dir: (!work_dir.is_empty()).then_some(work_dir),
        executor_heartbeat_interval_seconds: arguments
            .take("heartbeat", defaults.executor_heartbeat_interval_seconds),
        override_logical_codec: Some(logical_codec()),
        override_physical_codec: Some(physical_codec()),
        override_function_registry: Some(Arc::new(functions)),
        override_runtime_producer: Some(Arc::new(move |_| Ok(Arc::clone(&runtime)))),
        ..defaults
    };
    arguments.finish();
    start_executor_process(Arc::new(config)).await
}
