//! A server of files in memory: plain HTTP with ranges, and as much of S3 as the tests need. It keeps a list of its requests, and fails as it is told.

#![allow(dead_code, reason = "no test uses all of it")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// The way in which the server fails.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Fault {
    #[default]
    None,
    /// These many requests get the status 503.
    Busy(usize),
    /// These many answers end in the middle of the bytes.
    Cut(usize),
    /// Credentials have expired.
    Expired,
    /// Credentials are not known.
    Denied,
    /// No request is answered.
    Silent,
    /// Files are written, and not read.
    WriteOnly,
    /// Files cannot be written.
    ReadOnly,
    /// No file is written by a condition.
    NoCondition,
    /// Ranges are ignored.
    Whole,
    /// Files are sent compressed, unless a request asks for them as they are.
    Packed,
    /// Files are said to be compressed, whatever a request asks for.
    AlwaysPacked,
}

/// A function that makes the bytes of a range.
type Made = Arc<dyn Fn(Range<u64>) -> Vec<u8> + Send + Sync>;

/// A function that is called with the access key and the text of each request before it is answered.
pub(crate) type Hook = Arc<dyn Fn(&str, &str) + Send + Sync>;

#[derive(Default)]
struct State {
    /// The files by their paths, with tags that count versions.
    files: BTreeMap<String, (Vec<u8>, u64)>,
    /// Files whose bytes are made when they are requested, by their paths, with their sizes.
    made: BTreeMap<String, (u64, Made)>,
    versions: u64,
    requests: Vec<String>,
    fault: Fault,
    latency: Duration,
    hook: Option<Hook>,
    /// The requests under way, and the most that were at once.
    now: usize,
    most: usize,
}

/// The server, which ends with the test process.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) port: u16,
    state: Arc<Mutex<State>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Server { port, state: Arc::default() };
        let own = server.clone();
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let own = own.clone();
                std::thread::spawn(move || own.serve(&connection));
            }
        });
        server
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Returns the variables by which a program takes this server for S3.
    pub(crate) fn variables(&self) -> [(&'static str, String); 6] {
        [
            ("AWS_ENDPOINT_URL", self.address()),
            ("AWS_ACCESS_KEY_ID", "key".into()),
            ("AWS_SECRET_ACCESS_KEY", "secret".into()),
            ("AWS_REGION", "us-east-1".into()),
            ("AWS_ALLOW_HTTP", "true".into()),
            ("NO_PROXY", "127.0.0.1".into()),
        ]
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the URL of a file.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.address())
    }

    pub(crate) fn put(&self, path: &str, bytes: Vec<u8>) {
        let mut state = self.lock();
        state.versions += 1;
        let version = state.versions;
        state.files.insert(path.to_owned(), (bytes, version));
    }

    /// Adds a file of any size, whose bytes a function makes.
    pub(crate) fn put_made(
        &self,
        path: &str,
        size: u64,
        bytes: impl Fn(Range<u64>) -> Vec<u8> + Send + Sync + 'static,
    ) {
        self.lock().made.insert(path.to_owned(), (size, Arc::new(bytes)));
    }

    pub(crate) fn get(&self, path: &str) -> Option<Vec<u8>> {
        self.lock().files.get(path).map(|(bytes, _)| bytes.clone())
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.lock().files.keys().cloned().collect()
    }

    pub(crate) fn fail(&self, fault: Fault) {
        self.lock().fault = fault;
    }

    /// Makes each answer take some time.
    pub(crate) fn wait(&self, latency: Duration) {
        self.lock().latency = latency;
    }

    /// Calls a function before each answer, which waits until it returns.
    pub(crate) fn before(&self, hook: impl Fn(&str, &str) + Send + Sync + 'static) {
        self.lock().hook = Some(Arc::new(hook));
    }

    /// Returns the number of requests that are not answered yet.
    pub(crate) fn under_way(&self) -> usize {
        self.lock().now
    }

    /// Returns the requests since the last call, in order: `GET /dir/x.npy 0-4095`.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().requests)
    }

    /// Returns the most requests that were under way at once since the last call.
    pub(crate) fn most_at_once(&self) -> usize {
        std::mem::take(&mut self.lock().most)
    }

    fn serve(&self, connection: &TcpStream) {
        let mut reader = BufReader::new(connection.try_clone().unwrap());
        while let Some(request) = Request::read(&mut reader) {
            let (latency, fault, hook) = {
                let mut state = self.lock();
                state.requests.push(request.shown());
                state.now += 1;
                state.most = state.most.max(state.now);
                (state.latency, state.fault, state.hook.clone())
            };
            if let Some(hook) = hook {
                hook(request.access_key(), &request.shown());
            }
            std::thread::sleep(latency);
            if fault == Fault::Silent {
                std::thread::sleep(Duration::from_secs(600));
            }
            let answer = self.answer(&request);
            self.lock().now -= 1;
            let is_complete = answer.send(connection, request.method == "HEAD");
            if !is_complete {
                let _ = connection.shutdown(std::net::Shutdown::Both);
                return;
            }
        }
    }

    fn answer(&self, request: &Request) -> Answer {
        let mut state = self.lock();
        match state.fault {
            Fault::Busy(left @ 1..) => {
                state.fault = Fault::Busy(left - 1);
                return Answer::error("503 Slow Down", "SlowDown");
            }
            Fault::Expired => return Answer::error("400 Bad Request", "ExpiredToken"),
            Fault::WriteOnly if ["GET", "HEAD"].contains(&&*request.method) => {
                return Answer::error("403 Forbidden", "AccessDenied");
            }
            Fault::ReadOnly if request.method == "PUT" => {
                return Answer::error("403 Forbidden", "AccessDenied");
            }
            Fault::NoCondition
                if request.method == "PUT"
                    && ["if-none-match", "if-match"]
                        .iter()
                        .any(|it| request.header(it).is_some()) =>
            {
                return Answer::error("501 Not Implemented", "NotImplemented");
            }
            Fault::Denied => return Answer::error("403 Forbidden", "InvalidAccessKeyId"),
            _ => {}
        }
        match &*request.method {
            "GET" | "HEAD" if request.query.contains("list-type=2") => list(&state, request),
            "GET" | "HEAD" => get(&mut state, request),
            "PUT" if request.query.is_empty() => put(&mut state, request),
            // The parts of a file: this is their order, too.
            "POST" if request.query.starts_with("uploads") => Answer::xml(
                "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>".into(),
            ),
            "PUT" => {
                let number: u32 = request.parameter("partNumber").parse().unwrap();
                let part = format!("{}?{number:05}", request.path);
                state.files.insert(part, (request.body.clone(), 0));
                Answer { head: "ETag: \"part\"\r\n".into(), ..Answer::ok() }
            }
            "POST" if request.query.starts_with("uploadId") => {
                let prefix = format!("{}?", request.path);
                let parts: Vec<String> =
                    state.files.keys().filter(|it| it.starts_with(&prefix)).cloned().collect();
                let parts = parts.into_iter().filter_map(|part| state.files.remove(&part));
                let body: Vec<u8> = parts.flat_map(|(bytes, _)| bytes).collect();
                put(&mut state, &Request { body, ..request.clone() });
                Answer::xml("<CompleteMultipartUploadResult><ETag>\"all\"</ETag></CompleteMultipartUploadResult>".into())
            }
            _ => Answer::error("405 Method Not Allowed", "MethodNotAllowed"),
        }
    }
}

fn list(state: &State, request: &Request) -> Answer {
    let prefix = format!("{}/{}", request.path, request.parameter("prefix"));
    let files = state.files.iter().filter(|(path, _)| path.starts_with(&prefix));
    let contents = files.map(|(path, (bytes, version))| {
        let key = &path[request.path.len() + 1..];
        // As some servers do, with milliseconds, which the header of a file has not.
        format!(
            "<Contents><Key>{key}</Key><LastModified>2024-05-01T12:00:0{}.250Z</LastModified><ETag>\"{version}\"</ETag><Size>{}</Size></Contents>",
            version % 10,
            bytes.len()
        )
    });
    let contents: String = contents.collect();
    if !state.files.keys().any(|path| path.starts_with(&format!("{}/", request.path))) {
        return Answer::error("404 Not Found", "NoSuchBucket");
    }
    Answer::xml(format!(
        "<ListBucketResult><IsTruncated>false</IsTruncated>{contents}</ListBucketResult>"
    ))
}

/// Answers with bytes that are made.
fn get_made(size: u64, bytes: &Made, request: &Request) -> Answer {
    let head = "ETag: \"made\"\r\nLast-Modified: Wed, 01 May 2024 12:00:00 GMT\r\nAccept-Ranges: bytes\r\n";
    if request.method == "HEAD" {
        return Answer { head: head.into(), length: Some(size), ..Answer::ok() };
    }
    let Some((start, end)) = request.range() else {
        panic!("a request for all bytes of a large file: {}", request.shown());
    };
    let range = start as u64..size.min(end as u64);
    let head = format!("{head}Content-Range: bytes {start}-{}/{size}\r\n", range.end - 1);
    Answer { status: "206 Partial Content", head, body: bytes(range), ..Answer::ok() }
}

fn get(state: &mut State, request: &Request) -> Answer {
    if let Some((size, bytes)) = state.made.get(&request.path) {
        return get_made(*size, bytes, request);
    }
    let Some((bytes, version)) = state.files.get(&request.path).cloned() else {
        return Answer::error("404 Not Found", "NoSuchKey");
    };
    let seconds = version % 10;
    let is_packed = match state.fault {
        Fault::Packed => request.header("accept-encoding") != Some("identity"),
        Fault::AlwaysPacked => true,
        _ => false,
    };
    let encoding = if is_packed { "Content-Encoding: gzip\r\n" } else { "" };
    // The first bytes are those of gzip, and the others are as good as any.
    let bytes = if is_packed { [&b"\x1f\x8b"[..], &bytes[2..]].concat() } else { bytes };
    let head = format!(
        "ETag: \"{version}\"\r\nLast-Modified: Wed, 01 May 2024 12:00:0{seconds} GMT\r\nAccept-Ranges: bytes\r\n{encoding}"
    );
    let is_cut = request.method == "GET" && matches!(state.fault, Fault::Cut(1..));
    if let (true, Fault::Cut(left)) = (is_cut, state.fault) {
        state.fault = Fault::Cut(left - 1);
    }
    let range = request.range().filter(|_| state.fault != Fault::Whole);
    let Some((start, end)) = range else {
        return Answer { head, body: bytes, is_cut, ..Answer::ok() };
    };
    if start >= bytes.len() {
        return Answer::error("416 Range Not Satisfiable", "InvalidRange");
    }
    let end = end.min(bytes.len());
    let head = format!("{head}Content-Range: bytes {start}-{}/{}\r\n", end - 1, bytes.len());
    let body = bytes[start..end].to_vec();
    Answer { status: "206 Partial Content", head, body, is_cut, ..Answer::ok() }
}

fn put(state: &mut State, request: &Request) -> Answer {
    let now = state.files.get(&request.path).map(|(_, version)| format!("\"{version}\""));
    let is_new = request.header("if-none-match").is_none() || now.is_none();
    let is_same = request.header("if-match").is_none_or(|tag| now.as_deref() == Some(tag));
    if !is_new || !is_same {
        return Answer::error("412 Precondition Failed", "PreconditionFailed");
    }
    state.versions += 1;
    let version = state.versions;
    state.files.insert(request.path.clone(), (request.body.clone(), version));
    Answer { head: format!("ETag: \"{version}\"\r\n"), ..Answer::ok() }
}

#[derive(Clone)]
struct Request {
    method: String,
    /// Without the first slash.
    path: String,
    query: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    fn read(reader: &mut BufReader<TcpStream>) -> Option<Self> {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&read| read > 0)?;
        let mut words = line.split_whitespace();
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let (path, query) = (decoded(path.trim_matches('/')), query.to_owned());
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let mut request = Request { method, path, query, headers, body: Vec::new() };
        let length = request.header("content-length").map_or(0, |it| it.parse().unwrap());
        request.body.resize(length, 0);
        reader.read_exact(&mut request.body).ok()?;
        Some(request)
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| &**value)
    }

    /// Returns who signed the request.
    fn access_key(&self) -> &str {
        let credential = self.header("authorization").and_then(|it| it.split_once("Credential="));
        credential.and_then(|(_, it)| it.split('/').next()).unwrap_or_default()
    }

    fn parameter(&self, name: &str) -> String {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(own, _)| *own == name).map(|(_, value)| decoded(value)).collect()
    }

    /// Returns the range of bytes, without its end.
    fn range(&self) -> Option<(usize, usize)> {
        let (start, end) = self.header("range")?.strip_prefix("bytes=")?.split_once('-')?;
        Some((start.parse().unwrap(), end.parse::<usize>().map_or(usize::MAX, |end| end + 1)))
    }

    fn shown(&self) -> String {
        let range = self.header("range").unwrap_or_default().replace("bytes=", " ");
        match self.query.contains("list-type=2") {
            true => format!("LIST /{}/{}", self.path, self.parameter("prefix")),
            false => format!("{} /{}{range}", self.method, self.path),
        }
    }
}

/// Decodes `%2F` and the like.
fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}

struct Answer {
    status: &'static str,
    head: String,
    body: Vec<u8>,
    /// The length that the head states, if it is another one than that of the body.
    length: Option<u64>,
    is_cut: bool,
}

impl Answer {
    fn ok() -> Self {
        Answer {
            status: "200 OK",
            head: String::new(),
            body: Vec::new(),
            length: None,
            is_cut: false,
        }
    }

    fn xml(body: String) -> Self {
        Answer { head: "Content-Type: application/xml\r\n".into(), body: body.into(), ..Self::ok() }
    }

    fn error(status: &'static str, code: &str) -> Self {
        let body = format!("<Error><Code>{code}</Code><Message>as told</Message></Error>");
        Answer { status, ..Self::xml(body) }
    }

    /// Returns false if the connection ends.
    fn send(&self, mut connection: &TcpStream, is_head: bool) -> bool {
        let Answer { status, head, body, length, is_cut } = self;
        let length = length.unwrap_or(body.len() as u64);
        let head = format!("HTTP/1.1 {status}\r\n{head}Content-Length: {length}\r\n\r\n");
        let body = match (is_head, is_cut) {
            (true, _) => &[][..],
            (false, true) => &body[..body.len() / 2],
            (false, false) => body,
        };
        let sent = connection.write_all(head.as_bytes()).and_then(|()| connection.write_all(body));
        sent.is_ok() && !is_cut
    }
}
