//! A file that arrives in parts, as from an asynchronous stream or an object store: nothing here implements `Read`.
//!
//! `cargo run --example parts`

use std::sync::mpsc;
use std::thread;

use npy_core::{Decoder, Header, NpyRecord, WriteNpy};

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Pick {
    station: u32,
    time: f64,
}

/// Sends the bytes of a file in parts of odd sizes, as a network would.
fn download(file: Vec<u8>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, parts) = mpsc::sync_channel(4);
    thread::spawn(move || {
        let mut rest = &file[..];
        for size in [5, 100, 1, 1000, 17].into_iter().cycle() {
            let (part, after) = rest.split_at(size.min(rest.len()));
            if part.is_empty() || sender.send(part.to_vec()).is_err() {
                return;
            }
            rest = after;
        }
    });
    parts
}

/// Receives the header: its bytes are collected until they are complete. Also returns the first bytes of the data.
fn receive_header(parts: &mpsc::Receiver<Vec<u8>>) -> npy_core::Result<(Header, Vec<u8>)> {
    let mut start = Vec::new();
    let is_complete = |start: &[u8]| Header::needed(start).is_some_and(|n| start.len() >= n);
    while !is_complete(&start) {
        let Ok(part) = parts.recv() else { break };
        start.extend(part);
    }
    // A download that ended early, or is no array, is an error of `parse`.
    let (header, data_offset) = Header::parse(&start)?;
    Ok((header, start.split_off(data_offset)))
}

fn main() -> npy_core::Result<()> {
    let picks: Vec<Pick> = (0..1000).map(|n| Pick { station: n % 3, time: f64::from(n) }).collect();
    let mut file = Vec::new();
    picks.write_npy_to(&mut file)?;

    let parts = download(file);
    let (header, first) = receive_header(&parts)?;
    println!("{} elements of {}", header.count(), header.dtype());

    // Each part is decoded when it arrives; an element that is in two of them is put together.
    let mut decoder = Decoder::<Pick>::new(&header)?;
    let mut received = Vec::new();
    decoder.feed(&first, &mut received)?;
    for part in parts {
        decoder.feed(&part, &mut received)?;
    }
    decoder.finish()?;
    assert_eq!(received, picks);
    Ok(())
}
