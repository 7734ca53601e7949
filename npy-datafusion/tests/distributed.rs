//! `datafusion-distributed`: scans go to workers over the network, with the same codec as for Ballista.

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::displayable;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_distributed::{
    DistributedExt, SessionStateBuilderExt, Worker, WorkerQueryContext, WorkerResolver,
};
use datafusion_proto::physical_plan::DefaultPhysicalExtensionCodec;
use npy_core::{ByteOrder, NpyRecord, WriteOptions};
use npy_datafusion::{NpyPhysicalCodec, session, with_npy};
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use url::Url;

#[derive(NpyRecord)]
struct Tick {
    id: u32,
    price: f64,
}

/// Writes shards in both byte orders.
fn write(directory: &Path) {
    for shard in 0..6u32 {
        let tick = |n: u32| Tick { id: n % 5, price: f64::from(shard * 1000 + n) / 4.0 };
        let ticks: Vec<Tick> = (0..1000).map(tick).collect();
        let order = if shard % 2 == 0 { ByteOrder::Little } else { ByteOrder::Big };
        let path = directory.join(format!("{shard}.npy"));
        WriteOptions::new().byte_order(order).write(path, &ticks).unwrap();
    }
}

fn codec() -> Arc<NpyPhysicalCodec> {
    Arc::new(NpyPhysicalCodec::new(Arc::new(DefaultPhysicalExtensionCodec {})))
}

struct Workers(Vec<Url>);

impl WorkerResolver for Workers {
    fn get_urls(&self) -> Result<Vec<Url>> {
        Ok(self.0.clone())
    }
}

/// Starts workers that listen on ports of this machine, with our functions or without them.
async fn workers(count: usize, has_functions: bool) -> Workers {
    let mut urls = Vec::new();
    for _ in 0..count {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let build = move |query: WorkerQueryContext| async move {
            let builder = if has_functions { with_npy(query.builder) } else { query.builder };
            Ok(builder.with_distributed_user_codec_arc(codec()).build())
        };
        let server = Worker::from_session_builder(build).into_worker_server();
        let incoming = TcpIncoming::from(listener);
        tokio::spawn(Server::builder().add_service(server).serve_with_incoming(incoming));
        urls.push(Url::parse(&format!("http://127.0.0.1:{port}")).unwrap());
    }
    Workers(urls)
}

/// Creates a session that sends parts of its queries to workers.
fn client(workers: Workers) -> SessionContext {
    let state = SessionStateBuilder::new()
        .with_config(SessionConfig::new().with_target_partitions(3))
        .with_default_features()
        .with_distributed_worker_resolver(workers)
        .with_distributed_user_codec_arc(codec())
        .with_distributed_planner()
        // The files are small, and their parts go to all workers nevertheless.
        .with_distributed_file_scan_config_bytes_per_partition(1)
        .unwrap();
    SessionContext::new_with_state(with_npy(state).build())
}

async fn create_table(ctx: &SessionContext, directory: &Path) {
    let location = directory.display();
    let create = format!("CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '{location}/'");
    ctx.sql(&create).await.unwrap();
}

/// Guards conditions and byte orders of scans that run elsewhere.
#[tokio::test(flavor = "multi_thread")]
async fn workers_return_what_one_process_returns() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let (distributed, alone) = (client(workers(3, true).await), session());
    for ctx in [&distributed, &alone] {
        create_table(ctx, directory.path()).await;
    }
    let mut is_distributed = false;
    for sql in [
        "SELECT id, count(*), sum(price) FROM t GROUP BY id ORDER BY id",
        "SELECT id, price FROM t WHERE price > 1400.5 AND id = 3 ORDER BY price",
        "SELECT id, sum(id), min(price), max(price) FROM t GROUP BY id ORDER BY id",
        "SELECT sum(id), sum(DISTINCT id) FROM t",
        "SELECT count(*) FROM t",
        "SELECT a.id, count(*) FROM t a JOIN t b ON a.price = b.price WHERE b.id < 3 GROUP BY a.id ORDER BY 1",
    ] {
        let mut results = Vec::new();
        for ctx in [&distributed, &alone] {
            let rows = ctx.sql(sql).await.unwrap().collect().await.unwrap();
            results.push(pretty_format_batches(&rows).unwrap().to_string());
        }
        assert_eq!(results[0], results[1], "{sql}");
        let plan = distributed.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
        is_distributed |= displayable(plan.as_ref()).indent(false).to_string().contains("Network");
    }
    assert!(is_distributed, "no query used the network");
}

/// Guards workers that were made without our functions: the error says how to make them.
#[tokio::test(flavor = "multi_thread")]
async fn workers_without_our_functions_are_an_error() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = client(workers(3, false).await);
    create_table(&ctx, directory.path()).await;
    for sql in ["SELECT id, sum(id) FROM t GROUP BY id", "SELECT count(*) FROM t WHERE price > 3"] {
        let error = ctx.sql(sql).await.unwrap().collect().await.unwrap_err().to_string();
        assert!(error.contains("npy_datafusion::with_npy"), "{sql}: {error}");
    }
}
