//! Records that arrive over a network are decoded as they come, on tokio: `cargo run --bin stream`.

use std::error::Error;

use npy_core::{Decoder, Header, NpyRecord, WriteNpy};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Tick {
    id: u32,
    price: f64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let ticks: Vec<Tick> = (0..100_000).map(|id| Tick { id, price: f64::from(id) / 8.0 }).collect();
    let mut file = Vec::new();
    ticks.write_npy_to(&mut file)?;

    // The other end of the network.
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await?;
        socket.write_all(&file).await
    });

    let received = receive(TcpStream::connect(address).await?).await?;
    server.await??;
    assert_eq!(received, ticks);
    println!("{} ticks, the last one {:?}", received.len(), received.last());
    Ok(())
}

/// Reads an array of ticks from any asynchronous source. At no time does it hold more than the ticks and one buffer.
async fn receive(mut source: impl AsyncRead + Unpin) -> Result<Vec<Tick>, Box<dyn Error>> {
    let mut head = Vec::new();
    let needed = loop {
        match Header::needed(&head) {
            Some(needed) if head.len() >= needed => break needed,
            _ if source.read_buf(&mut head).await? == 0 => break head.len(),
            _ => {}
        }
    };
    // Says what is wrong, if the source ended in the header.
    let (header, start) = Header::parse(&head[..needed.min(head.len())])?;

    let mut decoder = Decoder::<Tick>::new(&header)?;
    let mut ticks = Vec::new();
    decoder.feed(&head[start..], &mut ticks)?;
    let mut buffer = Vec::with_capacity(64 << 10);
    while decoder.remaining() > 0 && source.read_buf(&mut buffer).await? > 0 {
        decoder.feed(&buffer, &mut ticks)?;
        buffer.clear();
    }
    // An error if the source ended too early.
    decoder.finish()?;
    Ok(ticks)
}
