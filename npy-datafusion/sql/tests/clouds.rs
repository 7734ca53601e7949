//! Files of clouds, as the command reads and writes them: the variables that it takes, the number of requests, errors. The server is in this process.

#[path = "../../tests/support/server.rs"]
mod server;

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use npy_core::{Header, NpyRecord, Order, WriteNpy, npz};
use server::{Fault, Server};

#[derive(NpyRecord, Clone, Copy)]
struct Tick {
    t: i64,
    x: f64,
}

const ROWS: i64 = 1000;

fn ticks(file: i64) -> Vec<u8> {
    let tick = |n: i64| Tick { t: n, x: n as f64 / 2.0 };
    let ticks: Vec<Tick> = (file * ROWS..(file + 1) * ROWS).map(tick).collect();
    let mut bytes = Vec::new();
    ticks.write_npy_to(&mut bytes).unwrap();
    bytes
}

/// A bucket with files in a directory.
fn bucket(files: i64) -> Server {
    let server = Server::start();
    for file in 0..files {
        server.put(&format!("bucket/dir/{file:02}.npy"), ticks(file));
    }
    server
}

fn command(server: &Server, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_npy-sql"));
    command.args(arguments).envs(server.variables());
    command
}

/// Runs a statement, and returns its rows as CSV, without their names.
#[track_caller]
fn csv(server: &Server, sql: &str) -> String {
    let output = command(server, &[sql, "--csv"]).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{sql}: {error}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_once('\n').map_or(String::new(), |(_, rows)| rows.to_owned())
}

/// Returns the error of a statement.
#[track_caller]
fn failure(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    for layer in ["Generic", "Object Store error", "nternal error", "likely a bug"] {
        assert!(!text.contains(layer), "{text}");
    }
    text
}

/// Guards the number of requests of each kind of query.
#[test]
fn each_kind_of_query_has_its_requests() {
    let server = bucket(5);
    let mut archive = npz::Writer::new(std::io::Cursor::new(Vec::new())).unwrap();
    archive.write("a", &vec![1i64; 100_000]).unwrap();
    archive.write("b", &vec![2.5f64; 100_000]).unwrap();
    server.put("bucket/x.npz", archive.finish().unwrap().into_inner());
    let one = "npy('s3://bucket/dir/00.npy')";
    let all = "npy('s3://bucket/dir/*.npy')";
    // A file of 16 KB: its header and its rows. A list is made when the table is, and when it is read. Of the archive, the end and the header of each member
    // come first, and then the rows of two partitions.
    for (sql, rows, lists, heads, gets) in [
        (format!("SELECT t FROM {one} LIMIT 2"), "0\n1\n", 0, 1, 2),
        (format!("SELECT count(*) FROM {one}"), "1000\n", 0, 1, 1),
        (format!("SELECT count(*) FROM {all}"), "5000\n", 2, 0, 5),
        (format!("SELECT sum(t) FROM {all}"), "12497500\n", 2, 0, 10),
        (format!("SELECT count(*) FROM {all} WHERE t < 0"), "0\n", 2, 0, 10),
        ("SELECT sum(a) FROM npy('s3://bucket/x.npz')".to_owned(), "100000\n", 0, 2, 6),
    ] {
        server.take();
        assert_eq!(csv(&server, &sql), rows, "{sql}");
        let requests = server.take();
        let count = |kind: &str| requests.iter().filter(|it| it.starts_with(kind)).count();
        let found = (count("LIST"), count("HEAD"), count("GET"));
        assert_eq!(found, (lists, heads, gets), "{sql}: {requests:#?}");
    }
}

/// Guards an index in a store: it is written once, only what has changed is read, and a frozen one is one request.
#[test]
fn an_index_in_a_store_is_kept_up() {
    let server = bucket(20);
    let index = |directory: &str| {
        let output = command(&server, &["index", directory, "--block", "100"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(index("s3://bucket/dir/").contains("20 files (20 read), 20000 rows"));
    // The index that is not there, the list, a header and the rows of each file, and the index.
    let requests = server.take();
    assert_eq!(requests.len(), 1 + 1 + 2 * 20 + 1, "{requests:#?}");
    assert!(index("s3://bucket/dir").contains("20 files (0 read), 20000 rows"));
    assert_eq!(server.take(), ["GET /bucket/dir/_npy.index", "LIST /bucket/dir/"]);

    let create = |mode: &str| {
        format!(
            "CREATE EXTERNAL TABLE t STORED AS NPY LOCATION 's3://bucket/dir/' OPTIONS ('index' '{mode}');"
        )
    };
    for (mode, planned) in [("frozen", 2), ("auto", 3)] {
        let sql = format!(
            "{} SELECT count(*), sum(x) FROM t WHERE t BETWEEN 5250 AND 5260",
            create(mode)
        );
        assert_eq!(csv(&server, &sql), "11,28902.5\n", "{mode}");
        let requests = server.take();
        let data: Vec<_> = requests.iter().filter(|it| !it.contains("index")).collect();
        let reads = data.iter().filter(|it| it.starts_with("GET")).count();
        assert_eq!((requests.len(), reads), (planned + 1, 1), "{mode}: {requests:#?}");
    }
    let sql = format!("{} SELECT count(*), max(t) FROM t", create("frozen"));
    assert_eq!(csv(&server, &sql), "20000,19999\n");
    assert!(server.take().iter().all(|it| it.contains("_npy.index")));

    // A file that is replaced, and one that is new: those two are read.
    server.put("bucket/dir/03.npy", ticks(50));
    server.put("bucket/dir/more/20.npy", ticks(20));
    assert!(index("s3://bucket/dir/").contains("21 files (2 read), 21000 rows"));
    let read: Vec<String> = server.take().into_iter().filter(|it| it.contains(".npy ")).collect();
    assert!(read.iter().all(|it| it.contains("03.npy") || it.contains("20.npy")), "{read:#?}");
    let sql = format!("{} SELECT max(t), count(*) FROM t", create("frozen"));
    assert_eq!(csv(&server, &sql), "50999,20000\n");
}

/// Guards `COPY … OPTIONS ('index' 'update')`: also programs at the same time lose no file of each other.
#[test]
fn copies_keep_the_index_up_to_date() {
    let server = bucket(3);
    let copy = |n: i64| {
        let sql = format!(
            "COPY (SELECT CAST({n} AS BIGINT) AS t, CAST(0.5 AS DOUBLE) AS x) TO 's3://bucket/dir/new{n}.npy' STORED AS NPY OPTIONS ('index' 'update')"
        );
        command(&server, &[&sql, "--csv"]).stdout(Stdio::null()).spawn().unwrap()
    };
    server.wait(Duration::from_millis(20));
    let copies: Vec<_> = (0..4).map(|n| copy(100_000 + n)).collect();
    for mut copy in copies {
        assert!(copy.wait().unwrap().success());
    }
    let frozen = "CREATE EXTERNAL TABLE t STORED AS NPY LOCATION 's3://bucket/dir/' OPTIONS ('index' 'frozen'); SELECT count(*), max(t) FROM t";
    assert_eq!(csv(&server, frozen), "3004,100003\n");
    // A directory of new files, by a table of it.
    let insert = "CREATE EXTERNAL TABLE t (t BIGINT, x DOUBLE) STORED AS NPY LOCATION 's3://bucket/dir/' OPTIONS ('index' 'update'); INSERT INTO t VALUES (7, 0.5)";
    csv(&server, insert);
    assert_eq!(csv(&server, frozen), "3005,100003\n");
    // A directory of archives.
    let archive = "COPY (SELECT 1 AS a) TO 's3://bucket/archives/x.npz' STORED AS NPZ OPTIONS ('index' 'update')";
    csv(&server, archive);
    let frozen = "CREATE EXTERNAL TABLE a STORED AS NPZ LOCATION 's3://bucket/archives/' OPTIONS ('index' 'frozen'); SELECT count(*), max(a) FROM a";
    assert_eq!(csv(&server, frozen), "1,1\n");
}

/// Guards files that are written: small ones, those that are sent in parts, and other formats.
#[test]
fn files_of_a_store_are_written() {
    let server = bucket(2);
    let copy = |to: &str, rows: u64| {
        csv(&server, &format!("COPY (SELECT value AS a FROM range({rows})) TO '{to}'"));
    };
    copy("s3://bucket/out/small.npy", 10);
    assert_eq!(csv(&server, "SELECT sum(a) FROM npy('s3://bucket/out/small.npy')"), "45\n");
    server.take();
    copy("s3://bucket/out/large.npy", 3_000_000);
    assert!(server.take().iter().any(|it| it.starts_with("POST")), "it is sent in parts");
    assert_eq!(server.get("bucket/out/large.npy").unwrap().len(), 128 + 24_000_000);
    let sql = "SELECT sum(a), count(*) FROM npy('s3://bucket/out/large.npy')";
    assert_eq!(csv(&server, sql), "4499998500000,3000000\n");
    copy("s3://bucket/out/x.npz", 10);
    assert_eq!(csv(&server, "SELECT max(a) FROM npy('s3://bucket/out/*.npz')"), "9\n");
    copy("s3://bucket/out/x.csv", 2);
    assert_eq!(server.get("bucket/out/x.csv").unwrap(), b"a\n0\n1\n");
    // The file of an error is not there.
    let sql = "COPY (SELECT 1 / (value - 5) AS a FROM range(10)) TO 's3://bucket/out/none.npy'";
    failure(&command(&server, &[sql]).output().unwrap());
    assert!(server.get("bucket/out/none.npy").is_none());
}

/// Guards files of a store that `COPY` would replace: those that the query reads, archives with other members, and all files if the user says so.
#[test]
fn files_of_a_store_are_not_lost() {
    let server = bucket(2);
    csv(&server, "COPY (SELECT 1 AS a, 2 AS b) TO 's3://bucket/x.npz'");
    let failed = |sql: &str, option: &str| {
        let names = server.names();
        let text = failure(&command(&server, &[sql, option]).output().unwrap());
        assert_eq!(server.names(), names);
        text
    };
    let (file, one) = ("s3://bucket/dir/00.npy", "SELECT 1 AS a");
    let input =
        format!("COPY (SELECT t FROM npy('s3://bucket/dir/*.npy') WHERE t < 0) TO '{file}'");
    let refused = failed(&input, "--csv");
    assert!(refused.contains("is also an input of the query (dir/00.npy)"), "{refused}");
    let lost = failed(&format!("COPY ({one}) TO 's3://bucket/x.npz'"), "--csv");
    assert!(lost.contains("its member \"b\" would be lost"), "{lost}");
    let kept = failed(&format!("COPY ({one}) TO '{file}'"), "--no-clobber");
    assert!(kept.contains("it exists, and --no-clobber"), "{kept}");
    assert_eq!(csv(&server, &format!("SELECT count(*) FROM npy('{file}')")), "1000\n");
    // Credentials that only write do not tell whether there is a file.
    server.fail(Fault::WriteOnly);
    csv(&server, &format!("COPY ({one}) TO 's3://bucket/new.npy'"));
    assert!(server.get("bucket/new.npy").is_some());
    failed(&format!("COPY ({one}) TO 's3://bucket/newer.npy'"), "--no-clobber");
}

/// Guards files of a web server: one is read by ranges, and a pattern is an error that says what works.
#[test]
fn files_of_a_web_server_are_read() {
    let server = bucket(3);
    let url = server.url("bucket/dir/01.npy");
    server.take();
    assert_eq!(csv(&server, &format!("SELECT min(t), max(t) FROM npy('{url}')")), "1000,1999\n");
    let requests = server.take();
    assert!(requests.iter().all(|it| it.starts_with("HEAD") || it.contains('-')), "{requests:?}");
    let output = command(&server, &["SELECT count(*) AS n FROM t2", &url, &url, "--csv"]).output();
    assert_eq!(output.unwrap().stdout, b"n\n1000\n");
    for (location, expected) in [
        (server.url("bucket/dir/*.npy"), "the server does not list its files"),
        (server.url("bucket/dir/"), "name each file by its URL"),
        (server.url("bucket/none.npy"), "there is no such file; check the URL"),
        (format!("{url}?a=b"), "the part from ? on is not sent"),
    ] {
        let sql = format!("SELECT * FROM npy('{location}')");
        let text = failure(&command(&server, &[&sql]).output().unwrap());
        assert!(text.contains(expected), "{text}");
    }
    server.fail(Fault::Whole);
    let text =
        failure(&command(&server, &[&format!("SELECT * FROM npy('{url}')")]).output().unwrap());
    assert!(text.contains("returns complete files only"), "{text}");
}

/// Guards servers that compress what they send: they are asked not to, and parts of a compressed file are refused, also parts from its end.
#[test]
fn parts_of_compressed_files_are_not_read() {
    let server = bucket(1);
    let mut archive = npz::Writer::new(std::io::Cursor::new(Vec::new())).unwrap();
    archive.write("a", &vec![1i64; 100_000]).unwrap();
    server.put("bucket/x.npz", archive.finish().unwrap().into_inner());
    let files = [server.url("bucket/dir/00.npy"), server.url("bucket/x.npz")];
    server.fail(Fault::Packed);
    for (file, count) in files.iter().zip(["1000\n", "100000\n"]) {
        assert_eq!(csv(&server, &format!("SELECT count(*) FROM npy('{file}')")), count);
    }
    server.fail(Fault::AlwaysPacked);
    let of_bucket = ["s3://bucket/dir/00.npy", "s3://bucket/x.npz"].map(str::to_owned);
    for file in files.iter().chain(&of_bucket) {
        let sql = format!("SELECT * FROM npy('{file}')");
        let text = failure(&command(&server, &[&sql]).output().unwrap());
        assert!(text.contains("sends the file compressed (Content-Encoding: gzip), and"), "{text}");
    }
}

/// Guards errors about files of a store: they name its URL.
#[test]
fn errors_name_the_url() {
    let server = bucket(1);
    server.put("bucket/cut.npy", ticks(0)[..1000].to_vec());
    server.put("bucket/bad.npy", b"no array, but some text".to_vec());
    for name in ["cut.npy", "bad.npy"] {
        for root in ["s3://bucket".to_owned(), server.url("bucket")] {
            let sql = format!("SELECT * FROM npy('{root}/{name}')");
            let text = failure(&command(&server, &[&sql]).output().unwrap());
            assert!(text.contains(&format!(": {root}/{name}: ")), "{text}");
        }
    }
    let sql = "SELECT * FROM npy('s3://bucket/dir/', 'index', 'frozen')";
    let text = failure(&command(&server, &[sql]).output().unwrap());
    assert!(
        text.contains(
            "s3://bucket/dir/_npy.index: there is no index; write one by npy index s3://bucket/dir,"
        ),
        "{text}"
    );
}

/// Guards files that another program writes while a query runs: with --no-clobber they stay.
#[test]
fn files_that_are_written_meanwhile_are_kept() {
    let server = bucket(1);
    for (name, rows) in [("small.npy", 10), ("large.npy", 3_000_000)] {
        let (own, path) = (server.clone(), format!("bucket/{name}"));
        let is_sent = move |request: &str| match rows {
            10 => request.starts_with("PUT"),
            _ => request.starts_with("POST"),
        };
        let at = path.clone();
        server.before(move |_, request| {
            if is_sent(request) {
                own.put(&at, b"another one".to_vec());
            }
        });
        let sql = format!("COPY (SELECT value AS a FROM range({rows})) TO 's3://{path}'");
        let text = failure(&command(&server, &[&sql, "--no-clobber"]).output().unwrap());
        let expected = format!("s3://{path}: another program has written it meanwhile, and --no-");
        assert!(text.contains(&expected), "{text}");
        assert_eq!(server.get(&path).unwrap(), b"another one");
    }
}

/// Guards stores that do not know the condition of a request: they are asked first whether the file is there, and the index is written without one.
#[test]
fn a_store_without_conditions_keeps_files() {
    let server = bucket(1);
    server.fail(Fault::NoCondition);
    let copy = |to: &str| format!("COPY (SELECT 1 AS a) TO 's3://bucket/{to}'");
    let output = command(&server, &[&copy("new.npy"), "--no-clobber"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let own = server.clone();
    server.before(move |_, request| {
        if request.starts_with("PUT /bucket/other.npy") {
            own.put("bucket/other.npy", b"another one".to_vec());
        }
    });
    let text = failure(&command(&server, &[&copy("other.npy"), "--no-clobber"]).output().unwrap());
    assert!(text.contains("another program has written it meanwhile"), "{text}");
    assert_eq!(server.get("bucket/other.npy").unwrap(), b"another one");
    let output = command(&server, &["index", "s3://bucket/dir/"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Guards credentials that read and do not write.
#[test]
fn a_refused_write_names_the_permission() {
    let server = bucket(1);
    server.fail(Fault::ReadOnly);
    let sql = "COPY (SELECT 1 AS a) TO 's3://bucket/x.npy'";
    let text = failure(&command(&server, &[sql]).output().unwrap());
    assert!(
        text.contains("(403 AccessDenied); a file is written by the permission s3:PutObject"),
        "{text}"
    );
    let sql = format!("COPY (SELECT 1 AS a) TO '{}'", server.url("bucket/x.npy"));
    let text = failure(&command(&server, &[&sql]).output().unwrap());
    assert!(text.contains("the server does not take the file (403 AccessDenied)"), "{text}");
}

/// Guards directories of a store that have files of another table.
#[test]
fn a_directory_of_a_store_has_one_table() {
    let server = bucket(2);
    let sql = "COPY (SELECT 1 AS t) TO 's3://bucket/dir/' STORED AS NPY";
    let text = failure(&command(&server, &[sql]).output().unwrap());
    assert!(text.contains("s3://bucket/dir/: its files have the columns \"t\", \"x\", and the query has \"t\"; write to another directory"), "{text}");
    csv(
        &server,
        "COPY (SELECT CAST(1 AS BIGINT) AS t, CAST(2 AS DOUBLE) AS x) TO 's3://bucket/dir/' STORED AS NPY",
    );
    assert_eq!(csv(&server, "SELECT count(*) FROM npy('s3://bucket/dir/')"), "2001\n");
}

/// Guards answers that fail in between: a query has its rows, or an error, and never some of the rows.
#[test]
fn faults_are_mended_or_errors() {
    let server = bucket(5);
    let sql = "SELECT count(t), sum(t) FROM npy('s3://bucket/dir/*.npy')";
    for fault in [Fault::Busy(3), Fault::Cut(1), Fault::Cut(4)] {
        server.fail(fault);
        assert_eq!(csv(&server, sql), "5000,12497500\n", "{fault:?}");
    }
    for (fault, expected) in [
        (Fault::Busy(usize::MAX), "has failed (503 SlowDown), also when asked again"),
        (Fault::Expired, "the credentials have expired (400 ExpiredToken); get new ones"),
        (Fault::Denied, "access is denied (403 InvalidAccessKeyId); set AWS_ACCESS_KEY_ID"),
        (Fault::Silent, "the server has not answered in 10s; check AWS_ENDPOINT_URL"),
    ] {
        server.fail(fault);
        let start = Instant::now();
        let text = failure(&command(&server, &[sql]).output().unwrap());
        assert!(text.contains(expected), "{fault:?}: {text}");
        assert!(start.elapsed() < Duration::from_secs(25), "{fault:?}: {:?}", start.elapsed());
    }
}

/// Guards what a user forgets: plain messages, and soon.
#[test]
fn what_is_missing_is_said() {
    let server = bucket(1);
    let run = |sql: &str, variables: &[(&str, &str)]| {
        let mut command = command(&server, &[sql]);
        for (name, value) in variables {
            match value.is_empty() {
                true => command.env_remove(name),
                false => command.env(name, value),
            };
        }
        let start = Instant::now();
        let text = failure(&command.output().unwrap());
        assert!(start.elapsed() < Duration::from_secs(15), "{text}: {:?}", start.elapsed());
        text
    };
    let s3 = "SELECT * FROM npy('s3://bucket/dir/*.npy')";
    for (sql, variables, expected) in [
        (
            s3,
            &[
                ("AWS_ACCESS_KEY_ID", ""),
                ("AWS_SECRET_ACCESS_KEY", ""),
                ("AWS_METADATA_ENDPOINT", ""),
            ][..],
            "there are no credentials; set AWS_ACCESS_KEY_ID",
        ),
        (
            s3,
            &[("AWS_SECRET_ACCESS_KEY", "")],
            "s3://bucket: Missing SecretAccessKey; set AWS_ACCESS_KEY_ID and",
        ),
        (s3, &[("AWS_ALLOW_HTTP", "")], "set AWS_ALLOW_HTTP=true"),
        (
            s3,
            &[("AWS_ENDPOINT_URL", "http://127.0.0.1:1")],
            "no server can be reached: Connection refused",
        ),
        (
            "SELECT * FROM npy('s3://other/dir/*.npy')",
            &[],
            "there is no such bucket (404 NoSuchBucket)",
        ),
        (
            "SELECT * FROM npy('s3://bucket/dir')",
            &[],
            "s3://bucket/dir: there is no such file; check the URL",
        ),
        ("SELECT * FROM npy('s3://bucket/none/')", &[], "No files found at s3://bucket/none/"),
        ("SELECT * FROM npy('az://container/x.npy')", &[], "set AZURE_STORAGE_ACCOUNT_NAME"),
        (
            "SELECT * FROM npy('gs://bucket/x.npy')",
            &[("GOOGLE_APPLICATION_CREDENTIALS", "/none.json")],
            "set GOOGLE_APPLICATION_CREDENTIALS",
        ),
        (
            "COPY (SELECT 1 AS a) TO 's3://bucket/x.npy'",
            &[("AWS_ENDPOINT_URL", "http://127.0.0.1:1")],
            "no server can be reached",
        ),
        ("SELECT * FROM npy('hdfs://host/x.npy')", &[], "there is no store for hdfs://host"),
    ] {
        let text = run(sql, variables);
        assert!(text.contains(expected), "{text}");
    }
}

/// Guards Google's protocol, whose requests are like those of S3.
#[test]
fn files_of_google_are_read() {
    let server = bucket(3);
    let sql = "SELECT count(*), sum(t) FROM npy('gs://bucket/dir/*.npy')";
    let mut command = command(&server, &[sql, "--csv"]);
    let output = command
        .env("GOOGLE_BASE_URL", server.address())
        .env("GOOGLE_SKIP_SIGNATURE", "true")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout.ends_with(b"\n3000,4498500\n"));
}

/// Guards the time of a query of many files: their headers and their rows are requested together.
#[test]
fn requests_run_together() {
    let server = bucket(64);
    server.wait(Duration::from_millis(50));
    server.most_at_once();
    let start = Instant::now();
    assert_eq!(csv(&server, "SELECT count(t) FROM npy('s3://bucket/dir/*.npy')"), "64000\n");
    let most = server.most_at_once();
    assert!(most >= 20, "{most} requests at once");
    // 130 requests one after another take 6.5 seconds.
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
}

/// The rows of a file above 4 GiB.
const MANY: u64 = (5 << 30) / 8;

/// A part of a file: its length, and its bytes by their positions in it.
type Piece = (u64, Box<dyn Fn(u64) -> u8 + Send + Sync>);

fn bytes(bytes: Vec<u8>) -> Piece {
    (bytes.len() as u64, Box::new(move |at| bytes[usize::try_from(at).unwrap()]))
}

/// The header of an array of [`MANY`] elements.
fn header(dtype: &str) -> Vec<u8> {
    let shape = [usize::try_from(MANY).unwrap()];
    Header::new(dtype.parse().unwrap(), shape, Order::C).unwrap().to_bytes().unwrap()
}

/// The index of each row, as `i64`.
fn indices() -> Piece {
    (8 * MANY, Box::new(|at| (at / 8).to_le_bytes()[usize::try_from(at % 8).unwrap()]))
}

/// Puts a file of these pieces on the server.
fn put(server: &Server, path: &str, pieces: Vec<Piece>) {
    let size = pieces.iter().map(|(length, _)| length).sum();
    server.put_made(path, size, move |range| {
        let (mut made, mut start) = (Vec::new(), 0);
        for (length, byte) in &pieces {
            let (from, to) = (range.start.max(start), range.end.min(start + length));
            made.extend((from..to.max(from)).map(|at| byte(at - start)));
            start += length;
        }
        made
    });
}

/// An archive of two stored members above 4 GiB, as `np.savez` writes it. The checksums are zero: they are not verified when parts are read.
fn large_archive() -> Vec<Piece> {
    let bytes_by_number: Piece = (MANY, Box::new(|at| (at % 251) as u8));
    let members = [("a.npy", header("<i8"), indices()), ("b.npy", header("|u1"), bytes_by_number)];
    let (mut pieces, mut directory, mut position) = (Vec::new(), Vec::new(), 0u64);
    for (name, header, data) in members {
        let size = header.len() as u64 + data.0;
        let common = |extra: u16| {
            let mut entry = vec![45, 0, 0, 0, 0, 0, 0, 0, 33, 0, 0, 0, 0, 0];
            entry.extend([0xff; 8]);
            entry.extend(5u16.to_le_bytes());
            entry.extend(extra.to_le_bytes());
            entry
        };
        let sizes = [size.to_le_bytes(), size.to_le_bytes()].concat();
        let zip64 = |values: &[u8]| [&[1, 0, values.len() as u8, 0], values].concat();
        let local = [&b"PK\x03\x04"[..], &common(20), name.as_bytes(), &zip64(&sizes)].concat();
        directory.extend(
            [&b"PK\x01\x02\x2d\x00"[..], &common(28), &[0; 10], &[0xff; 4], name.as_bytes()]
                .concat(),
        );
        directory.extend(zip64(&[&sizes[..], &position.to_le_bytes()].concat()));
        position += local.len() as u64 + size;
        pieces.extend([bytes(local), bytes(header), data]);
    }
    let length = directory.len() as u64;
    let mut end = [&b"PK\x06\x06"[..], &44u64.to_le_bytes(), &[45, 0, 45, 0], &[0; 8]].concat();
    for value in [2, 2, length, position] {
        end.extend(u64::to_le_bytes(value));
    }
    end.extend(
        [&b"PK\x06\x07"[..], &[0; 4], &(position + length).to_le_bytes(), &[1, 0, 0, 0]].concat(),
    );
    end.extend([&b"PK\x05\x06"[..], &[0; 4], &[2, 0, 2, 0], &[0xff; 8], &[0; 2]].concat());
    pieces.extend([bytes(directory), bytes(end)]);
    pieces
}

/// Guards positions above 4 GiB at a URL: rows there are right, and few bytes are requested for them.
#[test]
fn rows_after_four_gibibytes_are_read_alone() {
    let server = Server::start();
    put(&server, "x.npy", vec![bytes(header("<i8")), indices()]);
    put(&server, "x.npz", large_archive());
    put(&server, "x.bin", vec![indices()]);
    let (array, archive) = (server.url("x.npy"), server.url("x.npz"));
    let (last, row) = (MANY - 1, 600_000_000);
    for (sql, expected) in [
        (format!("SELECT count(*) FROM npy('{array}')"), format!("{MANY}\n")),
        (format!("SELECT value FROM npy('{array}') WHERE _row = {row}"), format!("{row}\n")),
        (format!("SELECT value FROM npy('{array}') WHERE _row = {last}"), format!("{last}\n")),
        (format!("SELECT count(*) FROM npy('{archive}')"), format!("{MANY}\n")),
        (
            format!("SELECT a, b FROM npy('{archive}') WHERE _row BETWEEN {row} AND {row} + 1"),
            format!("{row},{}\n{},{}\n", row % 251, row + 1, (row + 1) % 251),
        ),
        (
            format!("SELECT b, a FROM npy('{archive}') WHERE _row = {last}"),
            format!("{},{last}\n", last % 251),
        ),
        (
            format!(
                "SELECT value FROM npy('{}', 'raw', '<i8') WHERE _row = {row}",
                server.url("x.bin")
            ),
            format!("{row}\n"),
        ),
    ] {
        server.take();
        assert_eq!(csv(&server, &sql), expected, "{sql}");
        let requests = server.take();
        let range = |request: &String| {
            let (first, last) = request.split_once(' ')?.1.split_once(' ')?.1.split_once('-')?;
            Some(last.parse::<u64>().ok()? + 1 - first.parse::<u64>().ok()?)
        };
        let requested: u64 = requests.iter().filter_map(range).sum();
        // A block of 65,536 rows of each column, and headers.
        assert!(requested < 1 << 20 && requests.len() < 12, "{sql}: {requested} {requests:#?}");
    }
}
