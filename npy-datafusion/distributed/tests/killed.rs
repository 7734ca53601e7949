//! A cluster of real processes over files of a store. Workers are killed in each phase of a query: its answer is exact, or an error within a minute.
#![cfg(unix)] // A process is stopped by a signal.

#[path = "../../tests/support/server.rs"]
mod server;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use npy_core::{ByteOrder, NpyRecord, WriteOptions};
use server::Server;

#[derive(NpyRecord, Clone, Copy)]
struct Tick {
    t: i64,
    x: f64,
}

const WORKERS: usize = 3;
/// The files of each of two tables, and the rows of a file.
const FILES: i64 = 120;
const ROWS: i64 = 200;
/// The time in which a query must end after a worker died.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time in which anything else must happen, however slow the machine is.
const LONG: Duration = Duration::from_secs(300);

/// Makes a bucket with two directories of files in both byte orders: the keys of `b` are every third of `a`'s.
fn bucket() -> Server {
    let server = Server::start();
    for file in 0..FILES {
        for (table, step) in [("a", 1), ("b", 3)] {
            let tick = |n: i64| Tick { t: n * step, x: n as f64 / 4.0 };
            let ticks: Vec<Tick> = (file * ROWS..(file + 1) * ROWS).map(tick).collect();
            let order = if file % 2 == 0 { ByteOrder::Little } else { ByteOrder::Big };
            let mut bytes = Vec::new();
            WriteOptions::new().byte_order(order).write_to(&mut bytes, &ticks).unwrap();
            server.put(&format!("bucket/{table}/{file:03}.npy"), bytes);
        }
    }
    server
}

/// Starts a program that signs its requests by a name.
fn program(path: &str, server: &Server, name: &str) -> Command {
    let mut command = Command::new(path);
    command
        .env("AWS_ENDPOINT_URL", server.address())
        .env("AWS_ACCESS_KEY_ID", name)
        .env("AWS_SECRET_ACCESS_KEY", "secret")
        .env("AWS_REGION", "us-east-1")
        .env("AWS_ALLOW_HTTP", "true")
        .env("NO_PROXY", "127.0.0.1")
        .stdout(Stdio::piped());
    command
}

/// A worker, which ends with the test.
struct Worker {
    name: String,
    address: String,
    process: Child,
}

impl Worker {
    fn start(server: &Server, name: &str) -> Self {
        let mut command = program(env!("CARGO_BIN_EXE_npy-worker"), server, name);
        let mut process = command.args(["--bind", "127.0.0.1:0"]).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Worker { name: name.to_owned(), address: address.trim().to_owned(), process }
    }

    fn signal(&self, signal: &str) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill(); // SIGKILL
        let _ = self.process.wait();
    }
}

/// The moment at which requests wait.
#[derive(Clone, Debug, Default, PartialEq)]
enum Hold {
    #[default]
    Nothing,
    /// From this request on, those of one process.
    From(String, usize),
    /// This request among those of all workers, and no other.
    Only(usize),
}

#[derive(Default)]
struct Requests {
    hold: Hold,
    /// The requests of each process since [`Gate::hold`].
    counts: BTreeMap<String, usize>,
    /// The same requests with their processes, in order.
    seen: Vec<(String, String)>,
    /// The process whose request waits.
    waiting: Option<String>,
}

/// Lets requests wait, so that a process is killed at a known moment.
#[derive(Default)]
struct Gate {
    requests: Mutex<Requests>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self, name: &str, request: &str) {
        let mut requests = self.requests.lock().unwrap();
        requests.seen.push((name.to_owned(), request.to_owned()));
        *requests.counts.entry(name.to_owned()).or_default() += 1;
        let of_workers = requests.counts.iter().filter(|(name, _)| name.starts_with("worker"));
        let total: usize = of_workers.map(|(_, count)| count).sum();
        let must_wait = match &requests.hold {
            Hold::Nothing => false,
            Hold::From(held, first) => name == held && requests.counts[name] >= *first,
            Hold::Only(number) => name.starts_with("worker") && total == *number,
        };
        if !must_wait {
            return;
        }
        requests.waiting = Some(name.to_owned());
        self.changed.notify_all();
        drop(self.changed.wait_while(requests, |it| it.hold != Hold::Nothing).unwrap());
    }

    fn hold(&self, hold: Hold) {
        *self.requests.lock().unwrap() = Requests { hold, ..Requests::default() };
    }

    /// Waits until a request waits, and returns its process.
    fn held(&self) -> String {
        let requests = self.requests.lock().unwrap();
        let (held, time) =
            self.changed.wait_timeout_while(requests, LONG, |it| it.waiting.is_none()).unwrap();
        assert!(!time.timed_out(), "no request waits: {:?}", held.counts);
        held.waiting.clone().unwrap()
    }

    fn open(&self) {
        self.requests.lock().unwrap().hold = Hold::Nothing;
        self.changed.notify_all();
    }

    fn counts(&self) -> BTreeMap<String, usize> {
        self.requests.lock().unwrap().counts.clone()
    }

    /// Returns the requests of the workers, or those of the client.
    fn requests(&self, of_workers: bool) -> Vec<(String, String)> {
        let requests = self.requests.lock().unwrap();
        let seen = requests.seen.iter();
        seen.filter(|(name, _)| name.starts_with("worker") == of_workers).cloned().collect()
    }
}

/// Many groups, so that their rows are exchanged.
const GROUP: &str = "SELECT t / 2 AS k, count(*) AS n, sum(x) AS s FROM a GROUP BY 1";
const JOIN: &str = "SELECT a.t, a.x, b.x AS y FROM a JOIN b ON a.t = b.t";

const TABLES: &str = "CREATE EXTERNAL TABLE a STORED AS NPY LOCATION 's3://bucket/a/'; \
     CREATE EXTERNAL TABLE b STORED AS NPY LOCATION 's3://bucket/b/'";

/// Both sides of a join are exchanged.
const EXCHANGE: &str = "SET datafusion.optimizer.hash_join_single_partition_threshold = 0; \
     SET datafusion.optimizer.hash_join_single_partition_threshold_rows = 0";
/// One side goes to all workers.
const BROADCAST: &str = "SET datafusion.optimizer.hash_join_single_partition_threshold = 1000000000; \
     SET datafusion.optimizer.hash_join_single_partition_threshold_rows = 1000000000";

/// Returns the lines that a query prints, in order.
fn expected(sql: &str) -> Vec<String> {
    let rows = FILES * ROWS;
    let mut lines: Vec<String> = match sql {
        GROUP => {
            let group = |k: i64| format!("{k},2,{:?}", (4 * k + 1) as f64 / 4.0);
            (0..rows / 2).map(group).collect()
        }
        _ => {
            let row = |n: i64| format!("{},{:?},{:?}", 3 * n, (3 * n) as f64 / 4.0, n as f64 / 4.0);
            (0..rows.div_euclid(3)).map(row).collect()
        }
    };
    lines.sort();
    lines
}

/// The front with a statement, whose rows come when they are asked for.
struct Query {
    process: Child,
    first: mpsc::Receiver<()>,
    go_on: mpsc::Sender<()>,
    lines: thread::JoinHandle<Vec<String>>,
    error: thread::JoinHandle<String>,
}

impl Query {
    /// Runs statements, which semicolons separate. The last one returns rows.
    fn start(server: &Server, workers: &[Worker], statements: &str) -> Self {
        let addresses: Vec<&str> = workers.iter().map(|worker| &*worker.address).collect();
        let mut command = program(env!("CARGO_BIN_EXE_npy-query"), server, "client");
        command.args(["--csv", "--workers", &addresses.join(",")]);
        // A file is a part of its own, and the front keeps no rows that were not asked for.
        let usual = "SET datafusion.execution.target_partitions = 2; \
             SET distributed.file_scan_config_bytes_per_partition = 1; \
             SET distributed.worker_connection_buffer_budget_bytes = 1";
        command.args(usual.split(';').chain(statements.split(';')).map(str::trim));
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let (seen, first) = mpsc::channel();
        let (go_on, wait) = mpsc::channel();
        let mut out = BufReader::new(process.stdout.take().unwrap()).lines();
        let lines = thread::spawn(move || {
            let names = out.next().and_then(Result::ok);
            let _ = seen.send(());
            let _ = wait.recv();
            let rows = out.map_while(Result::ok);
            if names.is_some() { rows.collect() } else { Vec::new() }
        });
        let mut stderr = process.stderr.take().unwrap();
        let error = thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            text
        });
        Query { process, first, go_on, lines, error }
    }

    /// Waits for the end, and returns the rows in order, or the error.
    fn end(mut self, patience: Duration) -> Result<Vec<String>, String> {
        let start = Instant::now();
        let _ = self.go_on.send(());
        let status = loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > patience {
                let _ = self.process.kill();
                panic!("a query hangs: no end in {patience:?}");
            }
            thread::sleep(Duration::from_millis(5));
        };
        let mut lines = self.lines.join().unwrap();
        lines.sort();
        let error = self.error.join().unwrap();
        if status.success() { Ok(lines) } else { Err(error) }
    }
}

struct Cluster {
    server: Server,
    gate: Arc<Gate>,
    workers: Vec<Worker>,
    started: usize,
}

impl Cluster {
    fn start() -> Self {
        let server = bucket();
        let gate = Arc::new(Gate::default());
        let of_server = Arc::clone(&gate);
        server.before(move |name, request| of_server.pass(name, request));
        let mut cluster = Cluster { server, gate, workers: Vec::new(), started: 0 };
        cluster.complete();
        cluster
    }

    /// Starts workers in the places of those that were killed.
    fn complete(&mut self) {
        while self.workers.len() < WORKERS {
            self.started += 1;
            let name = format!("worker-{}", self.started);
            self.workers.push(Worker::start(&self.server, &name));
        }
    }

    fn query(&self, settings: &str, sql: &str) -> Query {
        self.run(&format!("{TABLES}; {settings}; {sql}"))
    }

    fn run(&self, statements: &str) -> Query {
        Query::start(&self.server, &self.workers, statements)
    }

    /// Waits until only the request that is held is under way.
    fn settle(&self) {
        self.wait_for(1);
    }

    /// Waits until no request is under way, so that those of a query that failed are not counted for the next.
    fn rest(&self) {
        self.wait_for(0);
    }

    /// Waits until as many requests are under way for a while.
    fn wait_for(&self, count: usize) {
        let start = Instant::now();
        let mut quiet = 0;
        while quiet < 20 {
            quiet = if self.server.under_way() == count { quiet + 1 } else { 0 };
            assert!(start.elapsed() < LONG, "{} requests are under way", self.server.under_way());
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// When a worker is killed.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The front has seen all workers, and plans.
    Plan,
    /// The worker reads its files.
    Scan,
    /// All other workers have read their files; the last one makes them wait with its rows.
    Exchange,
    /// The front has the first rows of the result.
    Result,
}

/// Guards that a query is exact or an error within a minute, whenever one of its workers is killed: 24 times.
#[test]
fn a_killed_worker_is_an_exact_answer_or_an_error() {
    let mut cluster = Cluster::start();
    let (mut exact, mut failed) = (0, Vec::new());
    for (settings, sql) in [(EXCHANGE, GROUP), (EXCHANGE, JOIN), (BROADCAST, JOIN)] {
        let expected = expected(sql);
        cluster.rest();
        cluster.gate.hold(Hold::Nothing);
        let undisturbed = cluster.query(settings, sql).end(LONG).unwrap();
        assert!(undisturbed == expected, "{sql}: {} rows", undisturbed.len());
        let counts = cluster.gate.counts();
        let all: usize =
            counts.iter().filter(|(name, _)| name.starts_with("worker")).map(|it| it.1).sum();
        let least = counts
            .iter()
            .filter(|(name, _)| name.starts_with("worker"))
            .map(|it| *it.1)
            .min()
            .unwrap();
        assert_eq!(counts.len(), 1 + WORKERS, "not all workers read: {counts:?}");
        for phase in [Phase::Plan, Phase::Scan, Phase::Exchange, Phase::Result] {
            for round in 0..2 {
                let victim = cluster.workers[round].name.clone();
                cluster.gate.hold(match phase {
                    Phase::Plan => Hold::From("client".to_owned(), counts["client"] * 9 / 10),
                    Phase::Scan => Hold::From(victim.clone(), 1 + (least / 2 + 7 * round) % least),
                    Phase::Exchange => Hold::Only(all * 9 / 10 - 5 * round),
                    Phase::Result => Hold::Nothing,
                });
                let query = cluster.query(settings, sql);
                let victim = match phase {
                    Phase::Plan | Phase::Scan => {
                        cluster.gate.held();
                        victim
                    }
                    Phase::Exchange => {
                        let held = cluster.gate.held();
                        cluster.settle();
                        let others = cluster.workers.iter().map(|worker| &worker.name);
                        others.filter(|name| **name != held).nth(round).unwrap().clone()
                    }
                    Phase::Result => {
                        query.first.recv_timeout(LONG).expect("no row");
                        victim
                    }
                };
                cluster.workers.retain(|worker| worker.name != victim);
                cluster.gate.open();
                let start = Instant::now();
                let found = query.end(PATIENCE);
                println!(
                    "{phase:?} {round} {:?} {:?} {sql}",
                    start.elapsed(),
                    found.as_ref().map(Vec::len)
                );
                match found {
                    Ok(rows) => {
                        assert!(rows == expected, "{phase:?} {sql}: {} rows", rows.len());
                        exact += 1;
                    }
                    Err(error) => {
                        let is_late = matches!(phase, Phase::Result) || sql == JOIN;
                        assert!(is_late, "{phase:?}: nothing was returned yet: {error}");
                        assert!(error.contains("run it again"), "{phase:?}: {error}");
                        failed.push(phase);
                    }
                }
                cluster.complete();
            }
        }
    }
    println!("{exact} exact answers, errors: {failed:?}");
    assert_eq!(exact + failed.len(), 24);
}

/// Guards the heartbeat: a worker that does not answer any more, as one of a machine that is off, does not make a query wait for ever.
#[test]
fn a_silent_worker_is_noticed() {
    let cluster = Cluster::start();
    let victim = &cluster.workers[0];
    cluster.gate.hold(Hold::From(victim.name.clone(), 5));
    let query = cluster.query(EXCHANGE, GROUP);
    cluster.gate.held();
    victim.signal("-STOP");
    cluster.gate.open();
    // The silence alone is 20 s.
    let found = query.end(LONG / 2);
    victim.signal("-CONT");
    assert!(found == Ok(expected(GROUP)), "{:?}", found.map(|rows| rows.len()));
}

/// The start of the rows in a file of [`bucket`].
const START: u64 = 128;

/// Returns the file, the first and the last byte of a request for rows.
fn range(request: &str) -> (&str, u64, u64) {
    let parts = request.strip_prefix("GET ").and_then(|it| it.split_once(' '));
    let (file, bytes) = parts.unwrap_or_else(|| panic!("not a request for rows: {request}"));
    let (first, last) = bytes.split_once('-').unwrap();
    (file, first.parse().unwrap(), last.parse().unwrap())
}

/// Guards that the index travels with the plan: the client reads it once, and each worker reads the rows of the query and nothing else.
#[test]
fn the_index_travels_with_the_plan() {
    let cluster = Cluster::start();
    // A `COPY` into the directory writes the index of all its files.
    let copy = "COPY (SELECT CAST(-1 AS BIGINT) AS t, CAST(0 AS DOUBLE) AS x) TO 's3://bucket/a/more.npy' STORED AS NPY OPTIONS ('index' 'update')";
    cluster.run(copy).end(LONG).unwrap();
    assert!(cluster.server.get("bucket/a/_npy.index").is_some());
    let sum: f64 = (1100..2300).map(|n| f64::from(n) / 4.0).sum();
    for (mode, memory, planned) in [
        // A table takes one request. Before a query, another one asks whether the index is still the same.
        ("frozen", "50M", &["GET /bucket/a/_npy.index", "HEAD /bucket/a/_npy.index"][..]),
        // The cache of the client has no memory for the headers, so it reads them. The workers still do not.
        ("frozen", "1K", &[][..]),
        ("auto", "50M", &["LIST /bucket/a/", "GET /bucket/a/_npy.index", "LIST /bucket/a/"][..]),
    ] {
        cluster.gate.hold(Hold::Nothing);
        let found = cluster.run(&format!(
            "SET datafusion.runtime.metadata_cache_limit = '{memory}'; \
             CREATE EXTERNAL TABLE f STORED AS NPY LOCATION 's3://bucket/a/' OPTIONS ('index' '{mode}'); \
             SELECT count(*) AS n, sum(x) AS s, min(t) AS least, max(t) AS most FROM f WHERE t >= 1100 AND t < 2300"
        ));
        assert_eq!(found.end(LONG).unwrap(), [format!("1200,{sum:?},1100,2299")], "{mode}");
        let of_client = cluster.gate.requests(false);
        let is_planned = planned.iter().zip(&of_client).all(|(it, (_, own))| own.starts_with(it));
        let is_counted = of_client.len() == planned.len() || planned.is_empty();
        assert!(is_planned && is_counted, "{mode} {memory}: {of_client:#?}");
        // The rows are in seven files. Each of their bytes is read once, and no other: no header, and no other file.
        let of_workers = cluster.gate.requests(true);
        let mut ranges: Vec<(&str, u64, u64)> =
            of_workers.iter().map(|(_, request)| range(request)).collect();
        ranges.sort_unstable();
        let mut read = Vec::new();
        for file in ranges.chunk_by(|(a, ..), (b, ..)| a == b) {
            assert!(file.windows(2).all(|pair| pair[0].2 + 1 == pair[1].1), "{mode}: {file:?}");
            read.push((file[0].0, file[0].1, file[file.len() - 1].2));
        }
        let names: Vec<String> = (5..12).map(|file| format!("/bucket/a/{file:03}.npy")).collect();
        let all: Vec<_> =
            names.iter().map(|name| (&**name, START, START + 16 * ROWS as u64 - 1)).collect();
        assert_eq!(read, all, "{mode}");
        let readers: BTreeSet<&String> = of_workers.iter().map(|(name, _)| name).collect();
        assert!(readers.len() > 1, "{mode}: one worker has read all: {of_workers:#?}");
    }
}
