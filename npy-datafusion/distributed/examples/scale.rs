//! Measures the constants of `docs/scale.md`: what a file and a block cost in the index and in the plan, and how a query depends on the latency and the bandwidth of
//! a store, and on the number of workers. It runs on Linux. `npy-worker` and `npy-query` must be there, built in the same way.
//!
//! ```sh
//! cargo build --release -p npy-distributed
//! cargo run --release -p npy-distributed --example scale -- files 10000 50000
//! cargo run --release -p npy-distributed --example scale -- blocks 10 100
//! cargo run --release -p npy-distributed --example scale -- bytes 1 2 4
//! cargo run --release -p npy-distributed --example scale -- requests 1 2 4
//! cargo run --release -p npy-distributed --example scale -- exchange 1 2 4
//! ```

#[path = "../../tests/support/server.rs"]
mod server;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use datafusion_proto::bytes::physical_plan_to_bytes_with_extension_codec;
use npy_core::{NpyRecord, WriteNpy};
use npy_datafusion::{NpyPhysicalCodec, session, write_index};
use server::Server;

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

#[derive(NpyRecord, Clone, Copy)]
struct Tick {
    t: i64,
    x: f64,
}

/// Returns rows whose times are in order, and whose values have none.
fn ticks(rows: std::ops::Range<u64>) -> Vec<Tick> {
    let noise = |n: u64| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64;
    rows.map(|n| Tick { t: 1_000_000 * n as i64 + (noise(n) as i64) % 1000, x: noise(n) }).collect()
}

/// A store, and the files in it.
#[derive(Clone, Copy)]
struct Store {
    files: u64,
    rows: u64,
    /// The time before the first byte of an answer.
    latency: Duration,
    /// The bandwidth of each process.
    bytes_per_second: f64,
}

/// Files of 0.8 MB in a store of little bandwidth: one machine so simulates several.
const LARGE: Store =
    Store { files: 128, rows: 50_000, latency: Duration::from_millis(20), bytes_per_second: 5e6 };
/// Small files in a store that is far away.
const SMALL: Store =
    Store { files: 1000, rows: 100, latency: Duration::from_millis(500), bytes_per_second: 1e9 };

const SCAN: &str = "SELECT count(*) AS n, max(x) AS most FROM a WHERE x >= 0";
/// Each row is a group of its own, so all rows are exchanged.
const EXCHANGE: &str =
    "SELECT count(*) AS n, max(s) AS most FROM (SELECT t, sum(x) AS s FROM a GROUP BY t)";

fn main() -> Result {
    let mut arguments = std::env::args().skip(1);
    let part = arguments.next().unwrap_or_default();
    if part == "write" {
        let directory = arguments.next().ok_or("no directory")?;
        let numbers =
            arguments.map(|it| it.parse()).collect::<std::result::Result<Vec<u64>, _>>()?;
        return write(Path::new(&directory), numbers[0], numbers[1], numbers[2]);
    }
    let numbers = arguments.map(|it| it.parse()).collect::<std::result::Result<Vec<u64>, _>>()?;
    numbers.into_iter().try_for_each(|number| match &*part {
        "files" => plan(number, 10, 65536),
        "blocks" => plan(1000, number * 100, 100),
        "bytes" => query(number, LARGE, SCAN),
        "requests" => query(number, SMALL, SCAN),
        "exchange" => query(number, Store { bytes_per_second: 1e12, ..LARGE }, EXCHANGE),
        _ => Err("usage: scale files FILES…, blocks BLOCKS…, bytes WORKERS…, requests WORKERS…, exchange WORKERS…".into()),
    })
}

/// Returns the processor time of a process in seconds.
fn cpu(process: &str) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ').skip(11).take(2);
    fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Returns the memory of a process in kB: now (`VmRSS`), or the most that it has had (`VmHWM`).
fn memory(process: &str, kind: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(kind)).unwrap_or_default();
    line.trim_matches(|letter: char| !letter.is_ascii_digit()).parse().unwrap_or_default()
}

/// Writes files and their index, in a process of its own, whose memory is not that of the plan.
#[tokio::main]
async fn write(directory: &Path, files: u64, rows: u64, block: u64) -> Result {
    for file in 0..files {
        ticks(file * rows..(file + 1) * rows)
            .write_npy(directory.join(format!("{file:07}.npy")))?;
    }
    let before = cpu("self");
    write_index(&session().state(), &directory.display().to_string(), None, block).await?;
    let bytes = std::fs::metadata(directory.join("_npy.index"))?.len();
    let blocks = files * rows.div_ceil(block);
    println!(
        "{files} files, {blocks} blocks of two columns: the index has {} bytes a file, {} a block, and takes {:.0} µs of CPU a file",
        bytes / files,
        bytes / blocks,
        (cpu("self") - before) / files as f64 * 1e6
    );
    Ok(())
}

/// Measures the index and the plan of a directory of files.
#[tokio::main]
async fn plan(files: u64, rows: u64, block: u64) -> Result {
    let directory = tempfile::tempdir()?;
    let mut write = Command::new(std::env::current_exe()?);
    write.arg("write").arg(directory.path());
    let written = write.args([files, rows, block].map(|it| it.to_string())).status()?;
    if !written.success() {
        return Err("the files are not written".into());
    }
    let location = directory.path().display().to_string();
    let per_file = |amount: f64| amount / files as f64;
    for (mode, condition) in [
        ("frozen", ""),
        ("frozen", "WHERE t >= 0"),
        ("frozen", "WHERE t BETWEEN 100 AND 5000100"),
        ("auto", "WHERE t BETWEEN 100 AND 5000100"),
    ] {
        let ctx = session();
        let used = memory("self", "VmRSS:");
        let before = cpu("self");
        let create = format!(
            "CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '{location}/' OPTIONS ('index' '{mode}')"
        );
        ctx.sql(&create).await?;
        let table = cpu("self") - before;
        let before = cpu("self");
        let sql = format!("SELECT count(*), sum(x) FROM t {condition}");
        let plan = ctx.sql(&sql).await?.create_physical_plan().await?;
        let planned = cpu("self") - before;
        let used = memory("self", "VmRSS:").saturating_sub(used) * 1024;
        let codec = NpyPhysicalCodec::default();
        let message = physical_plan_to_bytes_with_extension_codec(plan, &codec)?.len();
        println!(
            "  {mode} {condition}: CPU a file {:.0} µs for the table and {:.0} µs for the plan; {:.0} bytes of memory a file; a message of {message} bytes",
            per_file(table * 1e6),
            per_file(planned * 1e6),
            per_file(used as f64),
        );
    }
    Ok(())
}

/// A worker that ends with the program, and a connection to it that counts bytes.
struct Worker {
    address: String,
    process: Child,
    /// The bytes to it and from it.
    bytes: Arc<[AtomicU64; 2]>,
}

impl Worker {
    fn start(server: &Server, n: u64) -> Result<Self> {
        let mut command = command("npy-worker", server, &format!("worker-{n}"))?;
        let mut process = command.args(["--bind", "127.0.0.1:0"]).spawn()?;
        let mut address = String::new();
        let out = process.stdout.take().ok_or("no output of the worker")?;
        BufReader::new(out).read_line(&mut address)?;
        let bytes = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
        let address = counted(address.trim().to_owned(), &bytes)?;
        Ok(Worker { address, process, bytes })
    }

    fn id(&self) -> String {
        self.process.id().to_string()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns an address whose connections go to another one, and are counted.
fn counted(to: String, bytes: &Arc<[AtomicU64; 2]>) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    let bytes = Arc::clone(bytes);
    thread::spawn(move || {
        for front in listener.incoming().flatten() {
            let Ok(back) = TcpStream::connect(&to) else { continue };
            for (direction, from, into) in [(0, &front, &back), (1, &back, &front)] {
                let (Ok(from), Ok(into)) = (from.try_clone(), into.try_clone()) else { continue };
                let bytes = Arc::clone(&bytes);
                thread::spawn(move || pass(from, into, &bytes[direction]));
            }
        }
    });
    Ok(address)
}

fn pass(mut from: TcpStream, mut into: TcpStream, bytes: &AtomicU64) {
    let _ = into.set_nodelay(true);
    let mut block = vec![0; 1 << 16];
    while let Ok(read @ 1..) = from.read(&mut block) {
        bytes.fetch_add(read as u64, Ordering::Relaxed);
        if into.write_all(&block[..read]).is_err() {
            break;
        }
    }
    let _ = into.shutdown(Shutdown::Write);
}

/// Returns the program `npy-worker` or `npy-query`, which is built beside the examples.
fn program(name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folder = own.parent().and_then(Path::parent).ok_or("no folder of programs")?;
    Ok(folder.join(name))
}

fn command(name: &str, server: &Server, key: &str) -> Result<Command> {
    let mut command = Command::new(program(name)?);
    command
        .env("AWS_ENDPOINT_URL", server.address())
        .env("AWS_ACCESS_KEY_ID", key)
        .env("AWS_SECRET_ACCESS_KEY", "secret")
        .env("AWS_REGION", "us-east-1")
        .env("AWS_ALLOW_HTTP", "true")
        .env("NO_PROXY", "127.0.0.1")
        .stdout(Stdio::piped());
    Ok(command)
}

/// The requests and bytes of all processes, and the time until which the connection of each is busy.
#[derive(Default)]
struct Meter {
    busy: HashMap<String, Instant>,
    bytes: u64,
    requests: u64,
}

/// Makes the store.
fn start(store: Store) -> Result<Server> {
    let server = Server::start();
    for file in 0..store.files {
        let mut bytes = Vec::new();
        ticks(file * store.rows..(file + 1) * store.rows).write_npy_to(&mut bytes)?;
        server.put(&format!("bucket/a/{file:03}.npy"), bytes);
    }
    Ok(server)
}

/// Makes the store slow, and counts.
fn slow(server: &Server, store: Store, meter: &Arc<Mutex<Meter>>) {
    server.wait(store.latency);
    server.most_at_once();
    let meter = Arc::clone(meter);
    server.before(move |key, request| {
        let bytes = range(request).map_or(0, |(start, end)| end - start);
        let until = {
            let Ok(mut meter) = meter.lock() else { return };
            meter.bytes += bytes;
            meter.requests += 1;
            let busy = meter.busy.entry(key.to_owned()).or_insert_with(Instant::now);
            let time = Duration::from_secs_f64(bytes as f64 / store.bytes_per_second);
            *busy = (*busy).max(Instant::now()) + time;
            *busy
        };
        thread::sleep(until.saturating_duration_since(Instant::now()));
    });
}

/// Returns the bytes of a request for a part of a file, without the end.
fn range(request: &str) -> Option<(u64, u64)> {
    let (start, end) = request.rsplit(' ').next()?.split_once('-')?;
    Some((start.parse().ok()?, end.parse::<u64>().ok()? + 1))
}

/// Measures a query on some workers.
fn query(workers: u64, store: Store, sql: &str) -> Result {
    let server = start(store)?;
    let started = (0..workers).map(|n| Worker::start(&server, n)).collect::<Result<Vec<_>>>()?;
    let addresses: Vec<&str> = started.iter().map(|worker| &*worker.address).collect();
    let run = |statements: &[&str]| -> Result<f64> {
        let mut front = command("npy-query", &server, "client")?;
        front.args(["--csv", "--workers", &addresses.join(",")]).args(statements);
        let start = Instant::now();
        if !front.output()?.status.success() {
            return Err("a query has failed".into());
        }
        Ok(start.elapsed().as_secs_f64())
    };
    // The index is written with one more file.
    run(&[
        "COPY (SELECT CAST(-1 AS BIGINT) AS t, CAST(0 AS DOUBLE) AS x) TO 's3://bucket/a/more.npy' STORED AS NPY OPTIONS ('index' 'update')",
    ])?;
    let cpus = || started.iter().map(|worker| cpu(&worker.id())).sum::<f64>();
    let passed = |direction: usize| -> u64 {
        started.iter().map(|worker| worker.bytes[direction].load(Ordering::Relaxed)).sum()
    };
    let before = (cpus(), passed(0), passed(1));
    let meter = Arc::new(Mutex::new(Meter::default()));
    slow(&server, store, &meter);
    let time = run(&[
        "SET datafusion.execution.target_partitions = 2",
        "SET distributed.file_scan_config_bytes_per_partition = 1",
        "CREATE EXTERNAL TABLE a STORED AS NPY LOCATION 's3://bucket/a/' OPTIONS ('index' 'frozen')",
        sql,
    ])?;
    let meter = meter.lock().map_err(|_| "the store has failed")?;
    let most = started.iter().map(|worker| memory(&worker.id(), "VmHWM:")).max();
    println!(
        "{workers} workers: {time:.2} s; {} requests, {} at once, {:.1} MB, which take {:.2} s; {} bytes to workers, {} from them; workers: CPU {:.2} s, memory {} MB",
        meter.requests,
        server.most_at_once(),
        meter.bytes as f64 / 1e6,
        meter.bytes as f64 / store.bytes_per_second / workers as f64,
        passed(0) - before.1,
        passed(1) - before.2,
        cpus() - before.0,
        most.unwrap_or_default() / 1024,
    );
    Ok(())
}
