//! Files in servers of the protocols that others have written: moto for S3, Azurite for Azure, and nginx for HTTP. `cargo xtask engine` installs them; `NPY_MOTO`,
//! `NPY_AZURITE` and `NPY_NGINX` name the programs. Without them these tests fail, and are not skipped.

#[path = "../../tests/support/program.rs"]
mod program;

use std::io::Write;
use std::net::TcpStream;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use program::Server;

/// The command with the variables of a store.
struct Npy(Vec<(&'static str, String)>);

impl Npy {
    fn output(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_npy-sql"));
        command.args(arguments).env("NO_PROXY", "127.0.0.1");
        command.envs(self.0.iter().map(|(name, value)| (name, value))).output().unwrap()
    }

    #[track_caller]
    fn run(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    #[track_caller]
    fn csv(&self, sql: &str) -> String {
        let text = self.run(&[sql, "--csv"]);
        text.split_once('\n').map_or(String::new(), |(_, rows)| rows.to_owned())
    }

    #[track_caller]
    fn failure(&self, sql: &str) -> String {
        let text = String::from_utf8_lossy(&self.output(&[sql]).stderr).into_owned();
        assert!(!text.contains("Generic") && !text.contains("nternal"), "{text}");
        text
    }
}

/// Writes, lists and reads files of a store.
fn files(npy: &Npy, root: &str) {
    for n in 0..3 {
        let rows = format!("SELECT value + {n}000 AS t, value / 2.0 AS x FROM range(1000)");
        npy.csv(&format!("COPY ({rows}) TO '{root}/dir/{n}.npy'"));
    }
    let all = format!("SELECT count(*), sum(t) FROM npy('{root}/dir/*.npy')");
    assert_eq!(npy.csv(&all), "3000,4498500\n");
    let one = format!("SELECT max(t) FROM npy('{root}/dir/1.npy') WHERE x < 100");
    assert_eq!(npy.csv(&one), "1199\n");
    // It is sent in parts.
    npy.csv(&format!("COPY (SELECT value AS a FROM range(2500000)) TO '{root}/large.npy'"));
    let large = format!("SELECT sum(a), count(*) FROM npy('{root}/large.npy')");
    assert_eq!(npy.csv(&large), "3124998750000,2500000\n");
    let missing = npy.failure(&format!("SELECT * FROM npy('{root}/dir/none.npy')"));
    assert!(missing.contains("there is no such file; check the URL"), "{missing}");
}

/// Indexes the files, also by several programs at once.
fn index(npy: &Npy, root: &str) {
    let directory = format!("{root}/dir/");
    assert!(npy.run(&["index", &directory]).contains("3 files (3 read), 3000 rows"));
    assert!(npy.run(&["index", &directory]).contains("3 files (0 read), 3000 rows"));
    let frozen = format!(
        "CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '{directory}' OPTIONS ('index' 'frozen'); SELECT count(*), sum(t) FROM t WHERE t < 4000"
    );
    assert_eq!(npy.csv(&frozen), "3000,4498500\n");
    let copies: Vec<String> = (0..3)
        .map(|n| {
            let rows = format!("SELECT CAST({n} AS BIGINT) AS t, CAST(0 AS DOUBLE) AS x");
            format!(
                "COPY ({rows}) TO '{directory}new{n}.npy' STORED AS NPY OPTIONS ('index' 'update')"
            )
        })
        .collect();
    std::thread::scope(|scope| {
        for copy in &copies {
            scope.spawn(|| npy.csv(copy));
        }
    });
    assert_eq!(npy.csv(&frozen), "3003,4498503\n");
    assert!(npy.run(&["index", &directory]).contains("6 files (0 read), 3003 rows"));
    let auto = format!("SELECT count(*) FROM npy('{directory}') WHERE t BETWEEN 1500 AND 1599");
    assert_eq!(npy.csv(&auto), "100\n");
}

/// Guards S3, as moto has it.
#[test]
fn s3_has_files_of_tables() {
    let server = Server::start("NPY_MOTO", |_, port| {
        ["-H", "127.0.0.1", "-p", port].map(str::to_owned).into()
    });
    server.put("bucket", b"");
    let npy = Npy(vec![
        ("AWS_ENDPOINT_URL", server.address()),
        ("AWS_ALLOW_HTTP", "true".into()),
        ("AWS_ACCESS_KEY_ID", "key".into()),
        ("AWS_SECRET_ACCESS_KEY", "secret".into()),
        ("AWS_REGION", "us-east-1".into()),
    ]);
    files(&npy, "s3://bucket");
    index(&npy, "s3://bucket");
    let missing = npy.failure("SELECT * FROM npy('s3://none/*.npy')");
    assert!(missing.contains("there is no such bucket"), "{missing}");
}

/// The account and the key that every Azurite has.
const ACCOUNT: &str = "devstoreaccount1";
const KEY: &str =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// Creates a container, which needs a signature.
const CREATE: &str = "
import base64, email.utils, hashlib, hmac, sys, urllib.request
address, account, key = sys.argv[1:]
date = email.utils.formatdate(usegmt=True)
signed = 'PUT' + '\\n' * 12 + f'x-ms-date:{date}\\nx-ms-version:2021-08-06\\n/{account}/{account}/box\\nrestype:container'
signature = base64.b64encode(hmac.digest(base64.b64decode(key), signed.encode(), 'sha256')).decode()
headers = {'x-ms-date': date, 'x-ms-version': '2021-08-06', 'Content-Length': '0', 'Authorization': f'SharedKey {account}:{signature}'}
request = urllib.request.Request(f'{address}/{account}/box?restype=container', method='PUT', headers=headers)
urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)
";

/// Guards Azure, as Azurite has it.
#[test]
fn azure_has_files_of_tables() {
    let server = Server::start("NPY_AZURITE", |_, port| {
        let fixed = "--inMemoryPersistence --silent --skipApiVersionCheck --disableTelemetry";
        let fixed = fixed.split(' ').chain(["--blobHost", "127.0.0.1", "--blobPort", port]);
        fixed.map(str::to_owned).collect()
    });
    let python = std::env::var_os("NPY_PYTHON").expect("NPY_PYTHON names a Python");
    let arguments = ["-I", "-c", CREATE, &server.address(), ACCOUNT, KEY];
    assert!(Command::new(&python).args(arguments).status().unwrap().success());
    let mut npy = Npy(vec![
        ("AZURE_STORAGE_USE_EMULATOR", "true".into()),
        ("AZURITE_BLOB_STORAGE_URL", server.address()),
    ]);
    files(&npy, "az://box");
    index(&npy, "az://box");
    assert_eq!(npy.csv("SELECT count(*) FROM npy('abfs://box/dir/0.npy')"), "1000\n");
    npy.0.push(("AZURE_STORAGE_ACCOUNT_KEY", "AAAA".into()));
    let denied = npy.failure("SELECT * FROM npy('az://box/dir/*.npy')");
    assert!(denied.contains("access is denied (403"), "{denied}");
    assert!(denied.contains("AZURE_STORAGE_ACCOUNT_KEY"), "{denied}");
}

/// Returns the settings of nginx, in this directory alone. It writes files (WebDAV), and logs each request.
fn settings(port: &str) -> String {
    let nginx = std::env::var_os("NPY_NGINX").expect("NPY_NGINX names nginx");
    let built = Command::new(nginx).arg("-V").output().unwrap();
    let built = String::from_utf8(built.stderr).unwrap();
    let modules = built.split_once("--modules-path=").unwrap().1.split(' ').next().unwrap();
    let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let temporary: String =
        kinds.iter().map(|kind| format!("{kind}_temp_path {kind};\n")).collect();
    format!(
        "daemon off;
        master_process off;
        pid nginx.pid;
        load_module {modules}/ngx_http_dav_ext_module.so;
        events {{}}
        http {{
            log_format request '$request_method $uri $http_range $status';
            access_log requests.log request;
            client_max_body_size 0;
            {temporary}
            server {{
                listen 127.0.0.1:{port};
                root files;
                dav_methods PUT DELETE MKCOL COPY MOVE;
                dav_ext_methods PROPFIND OPTIONS;
                create_full_put_path on;
            }}
        }}"
    )
}

/// Returns the requests since the last call, from the log of nginx.
fn requests(server: &Server) -> Vec<String> {
    let path = server.directory.path().join("requests.log");
    // nginx writes the line of a request after the answer. The lines of all earlier ones are there when that of this one is.
    let address = server.address();
    let mut mark = TcpStream::connect(address.strip_prefix("http://").unwrap()).unwrap();
    mark.write_all(b"GET /mark HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let start = Instant::now();
    let log = loop {
        let log = std::fs::read_to_string(&path).unwrap();
        if log.lines().any(|line| line.starts_with("GET /mark ")) {
            break log;
        }
        assert!(start.elapsed() < Duration::from_secs(120), "nginx does not log: {log}");
        std::thread::sleep(Duration::from_millis(5));
    };
    // It is opened for appending.
    std::fs::write(path, "").unwrap();
    log.lines().filter(|line| !line.starts_with("GET /mark ")).map(str::to_owned).collect()
}

/// Guards HTTP, as nginx has it, and the number of requests: of a plan with an index, and of a slice.
#[test]
fn http_has_files_of_tables() {
    let server = Server::start("NPY_NGINX", |directory, port| {
        std::fs::create_dir(directory.join("files")).unwrap();
        std::fs::write(directory.join("nginx.conf"), settings(port)).unwrap();
        let prefix = format!("{}/", directory.display());
        ["-p", &prefix, "-c", "nginx.conf", "-e", "stderr"].map(str::to_owned).into()
    });
    let npy = Npy(Vec::new());
    let root = server.address();
    files(&npy, &root);
    let directory = format!("{root}/dir/");
    assert!(npy.run(&["index", &directory]).contains("3 files (3 read), 3000 rows"));
    assert!(npy.run(&["index", &directory]).contains("3 files (0 read), 3000 rows"));
    requests(&server);
    let table = format!(
        "CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '{directory}' OPTIONS ('index' 'frozen');"
    );
    // The plan alone: no file can have such a row.
    assert_eq!(npy.csv(&format!("{table} SELECT count(*) FROM t WHERE t < 0")), "0\n");
    // The table has one request, and each query another: if the index has changed since.
    let plan = ["GET /dir/_npy.index - 200", "HEAD /dir/_npy.index - 200"];
    assert_eq!(requests(&server), plan);
    let slice = "SELECT sum(t) FROM t WHERE t BETWEEN 1500 AND 1599";
    assert_eq!(npy.csv(&format!("{table} {slice}")), "154950\n");
    let found = requests(&server);
    assert!(found.len() == 3 && found[..2] == plan, "{found:?}");
    let slice = &found[2];
    assert!(slice.starts_with("GET /dir/1.npy bytes=") && slice.ends_with(" 206"), "{found:?}");
    let one = format!("SELECT sum(t) FROM npy('{root}/dir/2.npy') WHERE _row BETWEEN 5 AND 6");
    assert_eq!(npy.csv(&one), "4011\n");
    let found = requests(&server);
    assert!(found.len() <= 4, "{found:?}");
    // Each directory is listed by a request of its own: nginx refuses to list all at once.
    for name in ["a/1", "b/c/2"] {
        npy.csv(&format!("COPY (SELECT 1 AS n) TO '{root}/deep/{name}.npy'"));
    }
    requests(&server);
    assert_eq!(npy.csv(&format!("SELECT sum(n) FROM npy('{root}/deep/**/*.npy')")), "2\n");
    let mut lists = requests(&server);
    lists.retain(|request| request.starts_with("PROPFIND"));
    lists.sort();
    lists.dedup();
    let paths = ["", "/a", "/b", "/b/c"].map(|path| format!("PROPFIND /deep{path} - 207"));
    assert_eq!(lists, paths);
}
