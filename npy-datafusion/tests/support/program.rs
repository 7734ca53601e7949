//! A server that is a program of others, named by a variable.

#![allow(dead_code, reason = "no test uses all of it")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that ends with the test.
pub(crate) struct Server {
    process: Child,
    port: u16,
    /// Its working directory.
    pub(crate) directory: tempfile::TempDir,
}

impl Server {
    pub(crate) fn start(variable: &str, arguments: impl Fn(&Path, &str) -> Vec<String>) -> Self {
        let program = std::env::var_os(variable);
        let program = program.unwrap_or_else(|| panic!("{variable} names the server"));
        // The port is free, and nobody else takes it so soon.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let directory = tempfile::tempdir().unwrap();
        let process = Command::new(program)
            .args(arguments(directory.path(), &port.to_string()))
            .current_dir(directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Server { process, port, directory };
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(start.elapsed() < Duration::from_secs(60), "{variable} does not start");
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Sends a file without a signature, or makes a bucket.
    pub(crate) fn put(&self, path: &str, bytes: &[u8]) {
        let mut connection = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let length = bytes.len();
        let head = format!(
            "PUT /{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        connection.write_all(&[head.as_bytes(), bytes].concat()).unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
