//! A worker: a server that runs its part of queries.

use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

use datafusion_distributed::{DistributedExt, Worker, WorkerQueryContext};
use npy_datafusion::datafusion::common::exec_datafusion_err;
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::datafusion::execution::SessionStateBuilder;
use npy_datafusion::{NpyPhysicalCodec, with_npy};
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use crate::channels::{ANSWER, Channels, HEARTBEAT};
use crate::{VERSION, panics, runtime};

/// Runs a worker, which serves the connections of clients and of other workers.
///
/// # Errors
///
/// If the connections end, or if the runtime cannot be made.
pub async fn serve(listener: TcpListener) -> Result<()> {
    serve_worker(worker(|state| state)?, listener).await
}

/// Serves a worker with a heartbeat, so that what a lost client has begun ends.
async fn serve_worker(worker: Worker, listener: TcpListener) -> Result<()> {
    Server::builder()
        .http2_keepalive_interval(Some(HEARTBEAT))
        .http2_keepalive_timeout(Some(ANSWER))
        .add_service(worker.into_worker_server())
        .serve_with_incoming(TcpIncoming::from(listener))
        .await
        .map_err(|error| exec_datafusion_err!("the worker has ended: {error}"))
}

/// Creates a worker whose sessions have what the function adds to them.
fn worker(
    add: impl Fn(SessionStateBuilder) -> SessionStateBuilder + Send + Sync + 'static,
) -> Result<Worker> {
    let channels = Channels::default();
    let build = move |query: WorkerQueryContext| {
        let builder = add(with_npy(query.builder))
            .with_distributed_user_codec(NpyPhysicalCodec::default())
            .with_distributed_channel_resolver(channels.clone())
            .with_distributed_worker_plan_rewrite_handler(panics::catch);
        let state = builder.build();
        async move { Ok(state) }
    };
    // The name of this process, so that clients notice when it was started again.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let version = format!("{VERSION} {}-{since}", process::id());
    Ok(Worker::from_session_builder(build).with_runtime_env(runtime()?).with_version(version))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use npy_core::WriteNpy;
    use npy_datafusion::datafusion::arrow::datatypes::DataType;
    use npy_datafusion::datafusion::common::cast::as_int64_array;
    use npy_datafusion::datafusion::logical_expr::{
        ColumnarValue, ScalarUDF, Volatility, create_udf,
    };
    use npy_datafusion::datafusion::prelude::SessionConfig;
    use tokio::net::TcpListener;

    use super::{serve_worker, worker};

    /// A function that panics on one value.
    fn fragile() -> ScalarUDF {
        let run = |arguments: &[ColumnarValue]| {
            // A constant is one value.
            let arrays = ColumnarValue::values_to_arrays(arguments)?;
            let values = as_int64_array(&arrays[0])?;
            assert!(values.values().iter().all(|&value| value != 77), "77 is too much");
            Ok(arguments[0].clone())
        };
        let int = DataType::Int64;
        create_udf("fragile", vec![int.clone()], int, Volatility::Volatile, Arc::new(run))
    }

    /// Guards that no row is missing in silence after a panic: the engine takes the part of a result that ended so for complete.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_panic_in_a_worker_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        for file in 0..6i64 {
            let values: Vec<i64> = (file * 20..(file + 1) * 20).collect();
            values.write_npy(directory.path().join(format!("{file}.npy"))).unwrap();
        }
        let mut addresses = Vec::new();
        for _ in 0..3 {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            addresses.push(listener.local_addr().unwrap().to_string());
            let add_function = |mut state: super::SessionStateBuilder| {
                state.scalar_functions().get_or_insert_default().push(Arc::new(fragile()));
                state
            };
            tokio::spawn(serve_worker(worker(add_function).unwrap(), listener));
        }
        let ctx = crate::connect(&addresses, SessionConfig::new()).await.unwrap();
        ctx.register_udf(fragile());
        let location = directory.path().display();
        for sql in [
            "SET distributed.file_scan_config_bytes_per_partition = 1",
            &format!("CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '{location}/'"),
        ] {
            ctx.sql(sql).await.unwrap().collect().await.unwrap();
        }
        let count = |most: i64| {
            let sql = format!(
                "SELECT count(*) FROM t WHERE fragile(CASE WHEN value > {most} THEN 0 ELSE value END) >= 0"
            );
            let ctx = ctx.clone();
            async move { ctx.sql(&sql).await?.collect().await }
        };
        let found = count(50).await.unwrap();
        assert_eq!(as_int64_array(found[0].column(0)).unwrap().value(0), 120);
        let refused = count(100).await.unwrap_err().to_string();
        assert!(refused.contains("77 is too much"), "{refused}");
    }
}
