//! Files at URLs: the requests of each kind of subcommand, faults, and errors. The server is in this process.

#[path = "../../npy-datafusion/tests/support/server.rs"]
mod server;

use std::io::{Cursor, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use npy_core::{NpyArray, WriteNpy, npz};
use server::{Fault, Server};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// Less time than the clients of clouds wait by themselves, which is three minutes, and far more than the command takes.
const SOON: Duration = Duration::from_secs(120);

/// The rows of the large file, which has 24 MiB.
const ROWS: i64 = 3 << 20;

fn array(rows: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    (0..rows).collect::<Vec<i64>>().write_npy_to(&mut bytes).unwrap();
    bytes
}

/// Numbers that do not shrink.
fn noise() -> Vec<u64> {
    (0..1u64 << 19).map(|i| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)).collect()
}

/// An archive of three members of 4 MiB.
fn archive(options: &npz::WriteOptions) -> Vec<u8> {
    let mut writer = options.writer(Cursor::new(Vec::new())).unwrap();
    for name in ["a", "b", "c"] {
        writer.write(name, &noise()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn bucket() -> Server {
    let server = Server::start();
    server.put("bucket/x.npy", array(ROWS));
    server.put("bucket/small.npy", array(100));
    server.put("bucket/x.npz", archive(npz::WriteOptions::new().stored()));
    server.put("bucket/seekable.npz", archive(npz::WriteOptions::new().deflate(1)));
    server
}

fn command(server: &Server, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_npy"));
    command.args(args).envs(server.variables());
    command
}

#[track_caller]
fn ok(server: &Server, args: &[&str]) -> String {
    let output = command(server, args).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the error of a subcommand.
#[track_caller]
fn failure(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    for layer in ["Generic", "Object Store error", "object_store"] {
        assert!(!text.contains(layer), "{text}");
    }
    text
}

/// Returns the ranges of a file that were requested since the last call. There are no requests of another kind. What the last command had requested
/// ahead of another file may still arrive after its end.
#[track_caller]
fn ranges(server: &Server, file: &str) -> Vec<(usize, usize)> {
    let requests = server.take();
    let range = |request: &String| {
        let (path, range) = request.strip_prefix("GET ")?.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let range = (start.parse().ok()?, end.parse::<usize>().ok()? + 1);
        Some((path.ends_with(file), range))
    };
    let ranges = requests.iter().map(|it| range(it).unwrap_or_else(|| panic!("{requests:?}")));
    ranges.filter_map(|(is_of_file, range)| is_of_file.then_some(range)).collect()
}

/// Guards the number of requests of each kind of subcommand, and the bytes that they ask for.
#[test]
fn each_subcommand_has_its_requests() {
    let server = bucket();
    let x = "s3://bucket/x.npy";
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let cases: [(&[&str], &str, usize, usize); 17] = [
        (&["info", x], "(3145728,)", 1, 64 * KIB),
        (&[x], "(3145728,)", 1, 64 * KIB),
        (&["struct", x], "i64", 1, 64 * KIB),
        (&["head", x], "9      9\n", 1, 64 * KIB),
        (&["tail", x], " 3145727\n", 2, 128 * KIB),
        (&["cat", "s3://bucket/x.npy[2000000:2000003]"], "2000002\n", 2, 128 * KIB),
        (&["cat", "s3://bucket/x.npy[::-1000000]"], "3145727\n2145727\n", 5, 320 * KIB),
        (&["sample", "-n", "1", "--seed", "1", x], "", 2, 128 * KIB),
        (&["npz", "list", "s3://bucket/x.npz"], "a\nb\nc\n", 2, 128 * KIB),
        (&["info", "s3://bucket/x.npz"], "(524288,)", 4, 256 * KIB),
        (&["head", "s3://bucket/x.npz::a"], "", 2, 128 * KIB),
        (&["head", "s3://bucket/x.npz::c"], "", 3, 192 * KIB),
        (&["cat", "s3://bucket/x.npz::b[400000:400003]"], "", 4, 256 * KIB),
        // A chunk of a megabyte is inflated, and the block after it requested ahead.
        (&["cat", "s3://bucket/seekable.npz::b[400000:400003]"], "", 8, 6 * MIB),
        (&["npz", "extract", "s3://bucket/x.npz", "c", "-C", folder], "", 8, 6 * MIB),
        (&["diff", "s3://bucket/small.npy", "s3://bucket/small.npy"], "", 1, 64 * KIB),
        (&["verify", "s3://bucket/small.npy"], "ok", 1, 64 * KIB),
    ];
    let mut wrong = Vec::new();
    for (args, expected, most, bytes) in cases {
        server.take();
        let text = ok(&server, args);
        assert!(text.contains(expected), "{args:?}: {text}");
        let file = args.iter().find_map(|arg| arg.strip_prefix("s3://bucket/")).unwrap();
        let ranges = ranges(&server, &file[..file.find([':', '[']).unwrap_or(file.len())]);
        let sum: usize = ranges.iter().map(|(start, end)| end - start).sum();
        let is_exact = !args.iter().any(|arg| arg.contains("seekable") || *arg == "extract");
        // The end of an archive is some bytes more.
        if ranges.len() > most || sum > bytes + 1024 || (is_exact && ranges.len() != most) {
            wrong.push(format!("{args:?}: {ranges:?}, {sum} bytes"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Guards all of a file in blocks: each byte once, the blocks grow, and the next one is requested while the last one is used.
#[test]
fn a_complete_file_is_read_in_blocks() {
    let server = bucket();
    let size = array(ROWS).len();
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.npy");
    for args in [
        &["stats", "s3://bucket/x.npy"][..],
        &["verify", "s3://bucket/x.npy"],
        &["convert", "s3://bucket/x.npy", copy.to_str().unwrap()],
    ] {
        server.take();
        // Long enough for the next request on a busy machine.
        server.wait(Duration::from_millis(150));
        server.most_at_once();
        ok(&server, args);
        let mut ranges = ranges(&server, "x.npy");
        ranges.sort();
        let next = ranges.iter().fold(0, |end, &(start, next)| {
            assert_eq!(start, end, "{args:?}: {ranges:?}");
            next.min(size)
        });
        assert_eq!(next, size, "{args:?}");
        assert!(ranges.len() <= 10, "{args:?}: {ranges:?}");
        assert!(ranges.iter().all(|(start, end)| end - start <= 4 * MIB), "{ranges:?}");
        assert_eq!(server.most_at_once(), 2, "{args:?}");
    }
    assert_eq!(std::fs::read(copy).unwrap(), array(ROWS));
}

/// Guards each kind of file: it has the same output as a file of this machine.
#[test]
fn each_kind_of_file_is_read() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: Vec<u8>| {
        std::fs::write(folder.path().join(name), &bytes).unwrap();
        server.put(&format!("bucket/dir of 1/{name}"), bytes);
    };
    put("x.npy", array(1000));
    put("x.npz", archive(npz::WriteOptions::new().deflate(6).seek_every(1 << 30)));
    put("indexed.npz", archive(npz::WriteOptions::new().deflate(6)));
    put("x.csv", b"t,x\n1,0.5\n2,1.5\n".to_vec());
    put("x.jsonl", b"{\"t\": 1}\n{\"t\": 2}\n".to_vec());
    put("x.bin", array(1000)[128..].to_vec());
    let fortran = NpyArray::new((0..60_000).collect::<Vec<i32>>(), [20_000, 3]).unwrap();
    let mut bytes = Vec::new();
    fortran.to_order(npy_core::Order::Fortran).write_npy_to(&mut bytes).unwrap();
    put("f.npy", bytes);
    // [1, 'a'], as NumPy 2 pickles it.
    let pickle = b"\x80\x03cnumpy._core.multiarray\n_reconstruct\nq\x00cnumpy\nndarray\nq\x01K\x00\x85q\x02C\x01bq\x03\x87q\x04Rq\x05(K\x01K\x02\x85q\x06cnumpy\ndtype\nq\x07X\x02\x00\x00\x00O8q\x08\x89\x88\x87q\tRq\n(K\x03X\x01\x00\x00\x00|q\x0bNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tq\x0cb\x89]q\r(K\x01X\x01\x00\x00\x00aq\x0eetq\x0fb.";
    let mut objects =
        b"\x93NUMPY\x01\x00\x76\x00{'descr': '|O', 'fortran_order': False, 'shape': (2,), }"
            .to_vec();
    objects.resize(127, b' ');
    objects.push(b'\n');
    objects.extend_from_slice(pickle);
    put("o.npy", objects);
    for (name, args) in [
        ("x.npy", &["cat"][..]),
        ("x.npy", &["verify"]),
        ("x.npy[5:900:7]", &["cat", "--json"]),
        ("x.npz", &["info"]),
        ("x.npz::b[500000:500100]", &["cat"]),
        ("indexed.npz", &["stats"]),
        ("indexed.npz::c[-3:]", &["cat"]),
        ("indexed.npz", &["verify"]),
        ("x.csv", &["cat"]),
        ("x.csv", &["info"]),
        ("x.jsonl", &["head"]),
        ("x.bin", &["stats", "--raw", "<i8"]),
        ("f.npy[19990:,1]", &["cat"]),
        ("f.npy", &["stats"]),
        ("o.npy", &["cat"]),
        ("o.npy", &["info"]),
    ] {
        let local = Command::new(env!("CARGO_BIN_EXE_npy"))
            .args(args)
            .arg(name)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(local.status.success(), "{name}: {}", text(&local.stderr));
        for root in [server.url("bucket"), "s3://bucket".into(), "gs://bucket".into()] {
            let url = format!("{root}/dir%20of%201/{name}");
            let remote = command(&server, args)
                .arg(&url)
                .env("GOOGLE_BASE_URL", server.address())
                .env("GOOGLE_SKIP_SIGNATURE", "true")
                .output()
                .unwrap();
            let (found, error) = (text(&remote.stdout), text(&remote.stderr));
            assert_eq!(remote.status, local.status, "{url}: {error}");
            let found = found.replace(&format!("{root}/dir%20of%201/"), "");
            assert_eq!(found, text(&local.stdout), "{args:?} {url}: {error}");
        }
    }
}

/// Guards a file that another program replaces while it is read, by a server that compares no tags: an error, and never rows of both.
#[test]
fn a_replaced_file_is_an_error() {
    let server = bucket();
    let own = server.clone();
    server.before(move |_, request| {
        if request.starts_with("GET /bucket/x.npy 65536-") {
            own.put("bucket/x.npy", array(ROWS));
        }
    });
    let text = failure(&command(&server, &["stats", "s3://bucket/x.npy"]).output().unwrap());
    assert_eq!(
        text,
        "npy: s3://bucket/x.npy: another program has written it meanwhile; run it again\n"
    );
}

/// Guards answers that fail in between: the output is complete, or there is an error, soon.
#[test]
fn faults_are_mended_or_errors() {
    /// The first request and those that repeat it.
    const MAX_REQUESTS: usize = 5;
    let server = bucket();
    let args = ["stats", "s3://bucket/x.npy"];
    let expected = ok(&server, &args);
    for fault in [Fault::Busy(3), Fault::Cut(1), Fault::Cut(4)] {
        server.fail(fault);
        assert_eq!(ok(&server, &args), expected, "{fault:?}");
    }
    for (fault, expected) in [
        (Fault::Busy(usize::MAX), "x.npy: the server has failed (503 SlowDown), also when asked"),
        (Fault::Expired, "x.npy: the credentials have expired (400 ExpiredToken); get new ones"),
        (Fault::Denied, "x.npy: access is denied (403 InvalidAccessKeyId); set AWS_ACCESS_KEY_ID"),
        (Fault::Silent, "x.npy: the server has not answered in 10s; check AWS_ENDPOINT_URL"),
        (Fault::Whole, "x.npy: the server returns complete files only, and parts are read; downl"),
    ] {
        server.fail(fault);
        server.take();
        let text = failure(&command(&server, &args).output().unwrap());
        assert!(text.contains(expected), "{fault:?}: {text}");
        // Each of a few requests ends after 10 seconds at the latest.
        let requests = server.take();
        assert!(requests.len() <= MAX_REQUESTS, "{fault:?}: {requests:?}");
    }
}

/// Guards the addresses of web servers: their queries are sent, and redirects are followed.
#[test]
fn a_url_is_requested_as_it_is() {
    let server = bucket();
    let signed = server.url("bucket/small.npy?X-Signature=a%2Fb&n=1");
    assert!(ok(&server, &["info", &signed]).contains("(100,)"));
    assert!(ok(&server, &["cat", &format!("{signed}[7]")]).contains('7'));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, to) = (listener.local_addr().unwrap().port(), server.url("bucket/small.npy"));
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let _ = connection.read(&mut [0; 4096]);
            let _ = write!(
                connection,
                "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            );
        }
    });
    let text = ok(&server, &["tail", "-n", "1", &format!("http://127.0.0.1:{port}/latest.npy")]);
    assert!(text.contains("99"), "{text}");
}

/// Starts a server whose answer to each request is this text; an empty one resets the connection.
fn raw_server(answer: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            // Bytes that are left unread reset the connection when it is closed.
            let read = if answer.is_empty() { 1 } else { 4096 };
            let _ = connection.read(&mut vec![0; read]);
            let _ = connection.write_all(&answer);
        }
    });
    format!("http://127.0.0.1:{port}/x.npy")
}

/// Guards answers that no server should give: each message has the true reason and says what to do, soon.
#[test]
fn wrong_answers_are_told_from_each_other() {
    const CLOSE: &str = "Connection: close\r\n\r\n";
    let part = |head: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 206 Partial Content\r\n{head}\r\n{CLOSE}");
        [head.as_bytes(), body].concat()
    };
    let status =
        |status: &str| format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n{CLOSE}").into_bytes();
    let server = bucket();
    for (answer, expected) in [
        (
            part("Content-Range: bytes 0-3/4\r\nContent-Length: 8", b"abcdefgh"),
            "the server has sent more than the 4 bytes that it announced; download the file first",
        ),
        (
            part("Content-Range: bytes 0-7/8\r\nContent-Length: 4", b"abcd"),
            "the server has sent 4 of the 8 bytes that it announced; try it again",
        ),
        (
            part(
                "Content-Range: bytes 0-7/8\r\nContent-Length: 4\r\nContent-Encoding: gzip",
                b"abcd",
            ),
            "the server sends the file compressed (Content-Encoding: gzip), and parts of it are read; download",
        ),
        (
            part(
                "Content-Range: bytes 0-3/4\r\nContent-Length: 4\r\nContent-Encoding: gzip",
                b"\x1f\x8bcd",
            ),
            "the server sends the file compressed (Content-Encoding: gzip), and parts of it are read; download",
        ),
        (
            part("Content-Range: bytes 0-3/*\r\nContent-Length: 4", b"abcd"),
            "the server does not state the size of the file (Content-Range: bytes 0-3/*), and parts",
        ),
        (
            part("Content-Range: bytes 0-3/4", b"abcd"),
            "the server does not state the length of its answer (no Content-Length), and parts",
        ),
        (
            part("Content-Length: 4", b"abcd"),
            "the server does not state the part that it sends (no Content-Range), and parts",
        ),
        (
            part("Content-Range: bytes 2-3/4\r\nContent-Length: 2", b"cd"),
            "the server has sent the bytes 2..4 in place of 0..4, and parts of the file are read; download it first",
        ),
        (
            part("Content-Range: bytes 0-0/0\r\nContent-Length: 0", b""),
            "the file has no bytes, or fewer than it had; wait until it is written, or write it",
        ),
        (
            status("302 Found\r\nLocation: /x.npy"),
            "the server redirects the request again and again; check the URL",
        ),
        (status("200 OK"), "the file has no bytes; wait until it is written, or write it again"),
        (status("410 Gone"), "the file was there, and was removed (410); ask for its new URL"),
        (
            status("418 No"),
            "the server refuses the request (418); check the URL, or download the file first",
        ),
        (Vec::new(), "the connection has failed: "),
    ] {
        let shown = String::from_utf8_lossy(&answer).into_owned();
        let (url, start) = (raw_server(answer), Instant::now());
        let text = failure(&command(&server, &["head", &url]).output().unwrap());
        assert!(text.starts_with(&format!("npy: {url}: {expected}")), "{shown:?}: {text}");
        assert!(text.contains("; ") && start.elapsed() < SOON, "{text}");
    }
}

/// Guards what a user forgets, and what the command does not do: plain messages, and soon.
#[test]
fn missing_files_and_credentials_are_named() {
    let server = bucket();
    let none = ("", "");
    let directory = tempfile::tempdir().unwrap();
    let local = directory.path().join("x.npy");
    std::fs::write(&local, array(3)).unwrap();
    let local = local.to_str().unwrap();
    let missing = server.url("bucket/none.npy");
    let x = "s3://bucket/x.npy";
    server.put("bucket/text.npy", b"a,b\n1,2\n".to_vec());
    let cases: [(&[&str], (&str, &str), &str); 25] = [
        (
            &["head", "s3://bucket/text.npy"],
            none,
            "text: npy convert s3://bucket/text.npy OUT.npy --from csv reads CSV\n",
        ),
        (&["head", "s3://bucket/none.npy"], none, "s3://bucket/none.npy: there is no such file;"),
        (&["head", "s3://bucket/none.npz::m"], none, "none.npz: there is no such file; check"),
        (&["info", &missing], none, "none.npy: there is no such file; check the URL"),
        (&["head", "s3://bucket/*.npy"], none, "npy reads no patterns in URLs, so name each"),
        (&["head", "s3://bucket/"], none, "is the URL of a directory; name a file in it"),
        (&["head", "s3://bucket/x.npy?a=b"], none, "a ? ends the path of a URL; write it as %3F"),
        (&["head", "https://name:word@host/x.npy"], none, "names and passwords are not sent"),
        (&["head", x], ("AWS_SECRET_ACCESS_KEY", ""), "Missing SecretAccessKey; set AWS_ACCESS"),
        (&["head", x], ("AWS_ALLOW_HTTP", ""), "set AWS_ALLOW_HTTP=true"),
        (&["head", x], ("AWS_ENDPOINT_URL", "http://127.0.0.1:1"), "no server can be reached:"),
        (&["head", "az://box/x.npy"], none, "set AZURE_STORAGE_ACCOUNT_NAME"),
        (&["head", "s3://bucket/x.npy::m"], none, "is an array, not an archive"),
        (&["append", x, local], none, "changed on this machine alone; download it, change it"),
        (&["npz", "rm", "s3://bucket/x.npz", "a"], none, "changed on this machine alone"),
        (&["npz", "mv", "s3://bucket/x.npz", "a", "d"], none, "changed on this machine alone"),
        (&["npz", "align", "s3://bucket/x.npz"], none, "changed on this machine alone"),
        (&["npz", "pack", "--append", "s3://bucket/x.npz", local], none, "changed on this mach"),
        (&["npz", "pack", "s3://bucket/y.npz", local], none, "written on this machine alone"),
        (&["convert", local, "s3://bucket/y.npz::m"], none, "changed on this machine alone"),
        (&["convert", local, "s3://bucket/y.npy"], none, "written on this machine alone; write"),
        (&["convert", local, "s3://bucket/y.npy.gz"], none, "written on this machine alone; write"),
        (&["concat", local, "-o", "s3://bucket/y.npy"], none, "written on this machine alone"),
        (&["repair", x], none, "files are repaired on this machine alone; download it first"),
        (&["npz", "extract", "s3://bucket/x.npz", "-C", "s3://bucket/y"], none, "written on this"),
    ];
    for (args, (variable, value), expected) in cases {
        let mut command = command(&server, args);
        match value {
            "" if variable.is_empty() => {}
            "" => _ = command.env_remove(variable),
            value => _ = command.env(variable, value),
        }
        let start = Instant::now();
        let text = failure(&command.output().unwrap());
        assert!(text.contains(expected), "{args:?}: {text}");
        assert!(start.elapsed() < SOON, "{text}: {:?}", start.elapsed());
    }
    assert!(!Path::new("s3:").exists());
}
