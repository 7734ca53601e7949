//! A web server of a few lines, so that the example needs no other: it answers `GET` and `HEAD`, also of a range of bytes.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// Serves these files, by their paths, until the program ends.
pub fn start(files: Vec<(String, Vec<u8>)>) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let files = Arc::new(files);
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let files = Arc::clone(&files);
            // A client that goes away ends its own thread only.
            thread::spawn(move || serve(&socket, &files).ok());
        }
    });
    Ok(address)
}

fn serve(mut socket: &TcpStream, files: &[(String, Vec<u8>)]) -> io::Result<()> {
    let mut lines = BufReader::new(socket).lines();
    while let Some(request) = lines.next().transpose()? {
        let mut range = None;
        for header in lines.by_ref() {
            let header = header?.to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(bounds) = header.strip_prefix("range: bytes=") {
                range = bounds
                    .split_once('-')
                    .and_then(|(from, to)| Some(from.parse().ok()?..to.parse::<usize>().ok()? + 1));
            }
        }
        let mut words = request.split(' ');
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let Some((_, file)) = files.iter().find(|(name, _)| name == path) else {
            socket.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")?;
            continue;
        };
        let (status, range) = match range {
            Some(range) => ("206 Partial Content", range.start..range.end.min(file.len())),
            None => ("200 OK", 0..file.len()),
        };
        let body = file.get(range.clone()).unwrap_or_default();
        let (start, last, size) = (range.start, range.end.saturating_sub(1), file.len());
        write!(socket, "HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len())?;
        if status.starts_with("206") {
            write!(socket, "Content-Range: bytes {start}-{last}/{size}\r\n")?;
        }
        socket.write_all(b"\r\n")?;
        if method != "HEAD" {
            socket.write_all(body)?;
        }
    }
    Ok(())
}
