//! One column of a remote file of records, and one member of a remote archive, without fetching the rest: `cargo run --bin ranges`.
//!
//! The files are on a web server here; `object_store` reads from the stores of clouds in the same way.

mod server;

use std::error::Error;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use npy_core::{Gather, Header, NpyArray, NpyRecord, WriteNpy, npz};
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{ClientOptions, ObjectStore, ObjectStoreExt};
use tokio::runtime::Handle;

#[derive(NpyRecord)]
struct Tick {
    id: u32,
    price: f64,
    volume: f32,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let ticks: Vec<Tick> =
        (0..200_000).map(|id| Tick { id, price: f64::from(id) / 8.0, volume: 1.0 }).collect();
    let mut records = Vec::new();
    ticks.write_npy_to(&mut records)?;
    let mut archive = npz::Writer::new(io::Cursor::new(Vec::new()))?;
    archive.write("large", &vec![0.5f64; 1_000_000])?;
    archive.write("weights", &NpyArray::new(vec![1.5f32; 600], [20, 30])?)?;
    let archive = archive.finish()?.into_inner();

    let files = vec![("/ticks.npy".to_owned(), records), ("/model.npz".to_owned(), archive)];
    let address = server::start(files)?;
    let store: Arc<dyn ObjectStore> = Arc::new(
        HttpBuilder::new()
            .with_url(format!("http://{address}"))
            .with_client_options(ClientOptions::new().with_allow_http(true))
            .build()?,
    );

    let prices = column(&*store, &Path::from("ticks.npy"), "price", 50_000..51_000).await?;
    assert_eq!(prices[0], 6250.0);
    println!("{} prices, from {} to {}", prices.len(), prices[0], prices[999]);

    let path = Path::from("model.npz");
    let size = store.head(&path).await?.size;
    let fetched = Arc::new(AtomicU64::new(0));
    let file = RemoteFile {
        store,
        path,
        size,
        runtime: Handle::current(),
        position: 0,
        block: Vec::new(),
        start: 0,
        fetched: fetched.clone(),
    };
    // `Read` waits for the network, so it has a thread of its own.
    let weights = tokio::task::spawn_blocking(move || {
        npz::Reader::new(file)?.read::<NpyArray<f32>>("weights")
    });
    let weights = weights.await??;
    let fetched = fetched.load(Ordering::Relaxed);
    assert_eq!(weights.shape(), [20, 30]);
    assert!(fetched < 200_000, "{fetched}");
    println!("weights of shape {:?}: {fetched} of {size} bytes were fetched", weights.shape());
    Ok(())
}

/// Returns one field of some rows. A record is contiguous in the file, so all fields of these rows are fetched, and nothing else.
async fn column(
    store: &dyn ObjectStore,
    path: &Path,
    field: &str,
    rows: Range<u64>,
) -> Result<Vec<f64>, Box<dyn Error>> {
    // Most headers are far smaller. A server sends less if the file is smaller.
    let mut head = store.get_range(path, 0..4096).await?;
    if let Some(needed) = Header::needed(&head)
        && needed > head.len()
    {
        head = store.get_range(path, 0..needed as u64).await?;
    }
    let (header, start) = Header::parse(&head)?;
    let gather = Gather::new(header.dtype(), field)?;
    let at = |row: u64| start as u64 + row * header.dtype().itemsize() as u64;
    let records = store.get_range(path, at(rows.start)..at(rows.end)).await?;
    let values = gather.all(&records)?;
    let values = npy_core::DynArray::new(
        gather.dtype().clone(),
        [values.len() / gather.dtype().itemsize()],
        header.order(),
        values,
    )?;
    Ok(values.to_vec()?)
}

/// A remote file that is read in blocks of 64 KiB, wherever the reader goes.
struct RemoteFile {
    store: Arc<dyn ObjectStore>,
    path: Path,
    size: u64,
    runtime: Handle,
    position: u64,
    /// The bytes from `start` on that were fetched last.
    block: Vec<u8>,
    start: u64,
    fetched: Arc<AtomicU64>,
}

impl Read for RemoteFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        const BLOCK: u64 = 64 << 10;
        let end = self.start + self.block.len() as u64;
        if !(self.start..end).contains(&self.position) && self.position < self.size {
            let range = self.position..self.size.min(self.position + BLOCK);
            let bytes = self.runtime.block_on(self.store.get_range(&self.path, range));
            self.block = bytes.map_err(io::Error::other)?.to_vec();
            self.start = self.position;
            self.fetched.fetch_add(self.block.len() as u64, Ordering::Relaxed);
        }
        let at = usize::try_from(self.position.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let rest = self.block.get(at..).unwrap_or_default();
        let count = rest.len().min(out.len());
        out[..count].copy_from_slice(&rest[..count]);
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for RemoteFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position = target.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.position)
    }
}
