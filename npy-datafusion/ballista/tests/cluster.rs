//! A cluster of real processes: a scheduler and two executors. Answers are exact, also if an executor is killed in the middle of a query.
#![cfg(target_os = "linux")] // `/proc` says which executor is at work.

#[path = "../../tests/support/server.rs"]
mod server;

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use npy_ballista::connect;
use npy_ballista::datafusion::arrow::util::pretty::pretty_format_batches;
use npy_ballista::datafusion::prelude::{SessionConfig, SessionContext};
use npy_core::{ByteOrder, NpyRecord, WriteOptions};
use server::Server;

#[derive(NpyRecord, Clone, Copy)]
struct Tick {
    id: u32,
    price: f64,
}

const SHARDS: u32 = 8;
/// No wait ends earlier than this without an error, however slow the machine is.
const PATIENCE: Duration = Duration::from_secs(300);
/// The least CPU time of an executor for its scan, in hundredths of a second. It is killed in the first fifth.
const SCAN: u64 = 100;

/// Writes shards in both byte orders; returns all rows.
fn write(directory: &Path, rows: u32) -> Vec<Tick> {
    let tick = |n: u32| Tick { id: n % 7, price: f64::from(n % 1000) / 4.0 };
    let all: Vec<Tick> = (0..SHARDS * rows).map(tick).collect();
    for (shard, part) in all.chunks(rows as usize).enumerate() {
        let order = if shard % 2 == 0 { ByteOrder::Little } else { ByteOrder::Big };
        let path = directory.join(format!("{shard}.npy"));
        WriteOptions::new().byte_order(order).write(path, part).unwrap();
    }
    all
}

/// A process that ends with the test.
struct Process(Child);

impl Process {
    fn start(program: &str, arguments: &[(&str, String)]) -> Self {
        let arguments =
            arguments.iter().flat_map(|(name, value)| [format!("--{name}"), value.clone()]);
        let mut command = Command::new(program);
        Process(command.args(arguments).stdout(Stdio::null()).spawn().unwrap())
    }

    /// Returns the CPU time so far, in hundredths of a second.
    fn cpu(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap();
        // The name of the program, in parentheses, may have blanks.
        let fields = stat.rsplit(") ").next().unwrap().split(' ').skip(11).take(2);
        fields.map(|field| field.parse::<u64>().unwrap()).sum()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Cluster {
    url: String,
    executors: Vec<Process>,
    _scheduler: Process,
    _work: Vec<tempfile::TempDir>,
}

impl Cluster {
    fn start() -> Self {
        // All are free at once, so no two are the same.
        let listeners: Vec<TcpListener> =
            (0..5).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let ports: Vec<String> = listeners
            .iter()
            .map(|listener| listener.local_addr().unwrap().port().to_string())
            .collect();
        drop(listeners);
        let scheduler = Process::start(
            env!("CARGO_BIN_EXE_npy-scheduler"),
            &[("port", ports[0].clone()), ("executor-timeout", "5".into())],
        );
        let work: Vec<_> = (0..2).map(|_| tempfile::tempdir().unwrap()).collect();
        let executor = |n: usize| {
            Process::start(
                env!("CARGO_BIN_EXE_npy-executor"),
                &[
                    ("scheduler-port", ports[0].clone()),
                    ("port", ports[1 + n].clone()),
                    ("grpc-port", ports[3 + n].clone()),
                    ("tasks", "2".into()),
                    ("heartbeat", "1".into()),
                    ("work-dir", work[n].path().display().to_string()),
                ],
            )
        };
        Cluster {
            url: format!("df://127.0.0.1:{}", ports[0]),
            executors: vec![executor(0), executor(1)],
            _scheduler: scheduler,
            _work: work,
        }
    }

    /// Returns the CPU time of each executor so far, in hundredths of a second.
    fn cpu(&self) -> Vec<u64> {
        self.executors.iter().map(Process::cpu).collect()
    }

    /// Connects once the scheduler listens, with a table of the files.
    async fn client(&self, directory: &Path) -> SessionContext {
        let start = Instant::now();
        let address = self.url.trim_start_matches("df://");
        while TcpStream::connect(address).is_err() {
            assert!(start.elapsed() < PATIENCE, "no scheduler at {address}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let config = SessionConfig::new().with_target_partitions(SHARDS as usize);
        let ctx = connect(&self.url, config).await.unwrap();
        let location = directory.display();
        let create = format!("CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '{location}/'");
        ctx.sql(&create).await.unwrap();
        ctx
    }
}

async fn rows(ctx: &SessionContext, sql: &str) -> String {
    let frame = ctx.sql(sql).await.unwrap();
    let batches = tokio::time::timeout(PATIENCE, frame.collect()).await;
    let batches = batches.unwrap_or_else(|_| panic!("{sql}: no answer in {PATIENCE:?}"));
    pretty_format_batches(&batches.unwrap_or_else(|error| panic!("{sql}: {error}")))
        .unwrap()
        .to_string()
}

/// Returns the table that is expected, in the form of [`rows`]: all cells, separated by blanks.
fn cells(table: &str) -> Vec<Vec<String>> {
    let lines = table.lines().filter(|line| line.starts_with('|')).skip(1);
    lines
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

/// Returns the number of rows and the sum of prices of each id, as [`cells`] returns them.
fn by_id(all: &[Tick]) -> Vec<Vec<String>> {
    (0..7)
        .map(|id| {
            let prices: Vec<f64> =
                all.iter().filter(|tick| tick.id == id).map(|tick| tick.price).collect();
            // Quarters add up without rounding.
            let sum: f64 = prices.iter().sum();
            vec![id.to_string(), prices.len().to_string(), format!("{sum:?}")]
        })
        .collect()
}

/// Guards the whole way: the table to the scheduler, scans to executors, results back.
#[tokio::test(flavor = "multi_thread")]
async fn two_executors_answer_exactly() {
    let directory = tempfile::tempdir().unwrap();
    let all = write(directory.path(), 5_000);
    let cluster = Cluster::start();
    let ctx = cluster.client(directory.path()).await;

    assert_eq!(cells(&rows(&ctx, "SELECT count(*) FROM t").await), [[all.len().to_string()]]);

    let found = rows(&ctx, "SELECT id, count(*), sum(price) FROM t GROUP BY id ORDER BY id").await;
    assert_eq!(cells(&found), by_id(&all));

    let filtered =
        rows(&ctx, "SELECT count(*), sum(price) FROM t WHERE id = 3 AND price > 100").await;
    let wanted = all.iter().filter(|tick| tick.id == 3 && tick.price > 100.0);
    let (count, sum) = wanted.fold((0, 0.0), |(count, sum), tick| (count + 1, sum + tick.price));
    assert_eq!(cells(&filtered), [[count.to_string(), format!("{sum:?}")]]);

    // The functions are those of a session here, and not DataFusion's, which has another least value of groups with NaN.
    let with_nan = "SELECT id, min(CASE WHEN price < 200 THEN price ELSE CAST('nan' AS DOUBLE) END) AS p \
                    FROM t GROUP BY id ORDER BY id";
    let least = (0..7).map(|id| {
        let prices = all.iter().filter(|tick| tick.id == id).map(|tick| tick.price);
        vec![id.to_string(), format!("{:?}", prices.fold(f64::MAX, f64::min))]
    });
    assert_eq!(cells(&rows(&ctx, with_nan).await), least.collect::<Vec<_>>());
}

/// Guards the stores of clouds in all processes: here a web server, which needs no variables.
#[tokio::test(flavor = "multi_thread")]
async fn executors_read_from_stores() {
    let directory = tempfile::tempdir().unwrap();
    let all = write(directory.path(), 5_000);
    let server = Server::start();
    server.put("x.npy", std::fs::read(directory.path().join("0.npy")).unwrap());
    let cluster = Cluster::start();
    let ctx = cluster.client(directory.path()).await;
    let url = server.url("x.npy");
    ctx.sql(&format!("CREATE EXTERNAL TABLE web STORED AS NPY LOCATION '{url}'")).await.unwrap();
    let found =
        rows(&ctx, "SELECT id, count(*), sum(price) FROM web GROUP BY id ORDER BY id").await;
    assert_eq!(cells(&found), by_id(&all[..5_000]));
}

/// Guards what a client is told: of a cluster that only reads, of an address where no one listens, and of one that is none.
#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_named_by_the_client() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), 10);
    let cluster = Cluster::start();
    let ctx = cluster.client(directory.path()).await;
    let copy = format!("COPY (SELECT id FROM t) TO '{}/out.npy'", directory.path().display());
    for sql in [copy.as_str(), "INSERT INTO t SELECT * FROM t"] {
        let refused = match ctx.sql(sql).await {
            Ok(frame) => frame.collect().await.unwrap_err(),
            Err(error) => error,
        };
        let refused = refused.to_string();
        assert!(refused.contains("a cluster only reads"), "{refused}");
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = format!("df://127.0.0.1:{}", listener.local_addr().unwrap().port());
    drop(listener);
    for (url, expected) in [
        (closed.as_str(), "no scheduler listens at df://127.0.0.1:"),
        ("http://127.0.0.1:80", "write df://HOST:PORT"),
        ("df://127.0.0.1", "write df://HOST:PORT"),
        ("scheduler", "write df://HOST:PORT"),
    ] {
        let refused = connect(url, SessionConfig::new()).await.err().unwrap().to_string();
        assert!(refused.contains(expected), "{refused}");
    }
}

/// Guards that the scan of an executor that dies is done again by the other one: no row is lost, and none is counted twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_executor_changes_no_answer() {
    let mut shard_rows = 400_000;
    loop {
        let directory = tempfile::tempdir().unwrap();
        let all = write(directory.path(), shard_rows);
        shard_rows *= 2;
        let mut cluster = Cluster::start();
        let ctx = cluster.client(directory.path()).await;
        // Both have worked before, so the next work is for the query.
        let sql = "SELECT id, count(*), sum(price) FROM t GROUP BY id ORDER BY id";
        let started = cluster.cpu();
        assert_eq!(cells(&rows(&ctx, sql).await), by_id(&all));
        let before = cluster.cpu();
        // Ballista does only scans again, not the exchange of the groups after them. So the scan must be long.
        if (0..2).any(|n| before[n] - started[n] < SCAN) {
            continue;
        }

        let query = tokio::spawn({
            let ctx = ctx.clone();
            async move { rows(&ctx, sql).await }
        });
        let start = Instant::now();
        let busy = loop {
            let cpu = cluster.cpu();
            let busy = (0..2).find(|n| cpu[*n] - before[*n] >= SCAN / 5);
            if busy.is_some() || query.is_finished() {
                break busy;
            }
            assert!(start.elapsed() < PATIENCE, "no executor is at work");
            tokio::time::sleep(Duration::from_millis(10)).await;
        };
        if let Some(busy) = busy.filter(|_| !query.is_finished()) {
            drop(cluster.executors.remove(busy)); // SIGKILL
            assert_eq!(cells(&query.await.unwrap()), by_id(&all));
            return;
        }
        // The query has ended before it could be interrupted.
    }
}
