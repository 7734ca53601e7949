//! Compressed archives: only the chunks that a query needs are read, and a wrong seek index makes no wrong row.

use std::io::Cursor;
use std::sync::Arc;

use crate::support::{Counted, error, rows};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type, UInt8Type};
use datafusion::physical_plan::metrics::Metric;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::{SessionConfig, SessionContext};
use npy_core::{NpyArray, npz};
use npy_datafusion::{NpyOptions, register, session_with_config};

/// A generator of numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 11).unwrap() % end
    }
}

fn session(partitions: usize) -> SessionContext {
    let mut config = SessionConfig::new().with_target_partitions(partitions);
    config.options_mut().optimizer.repartition_file_min_size = 1;
    session_with_config(config)
}

async fn table(archive: Vec<u8>, partitions: usize) -> (SessionContext, Counted) {
    let store = Counted::with([("dir/a.npz", archive)]).await;
    let ctx = session(partitions);
    store.register(&ctx);
    register(&ctx, "t", "mem://host/dir/*.npz", NpyOptions::default()).await.unwrap();
    (ctx, store)
}

/// Returns an archive of a sorted column and 24 columns of noise.
fn wide(rows: i64, every: u64) -> Vec<u8> {
    let mut options = npz::WriteOptions::new();
    let mut writer = options.deflate(1).seek_every(every).writer(Cursor::new(Vec::new())).unwrap();
    writer.write("t", &(0..rows).collect::<Vec<_>>()).unwrap();
    let mut random = Random(1);
    for column in 0..24 {
        let values: Vec<f64> = (0..rows).map(|_| random.next() as f64 / 1e19).collect();
        writer.write(&format!("c{column}"), &values).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Returns the metric `bytes_read` of the scans of a plan.
fn bytes_read(plan: &dyn ExecutionPlan) -> usize {
    let own = plan.metrics().and_then(|metrics| metrics.sum_by_name("bytes_read"));
    let children = plan.children().into_iter().map(|child| bytes_read(&**child));
    own.map_or(0, |value| value.as_usize()) + children.sum::<usize>()
}

/// Guards the bytes of a query of a compressed archive: a twentieth where a few rows are needed, as the plan shows. The other requests are those for indexes.
#[tokio::test]
async fn few_rows_are_few_bytes() {
    let archive = wide(200_000, 16 << 10);
    let size = archive.len();
    for partitions in [1, 2] {
        let (ctx, store) = table(archive.clone(), partitions).await;
        for (sql, count) in [
            ("SELECT * FROM t LIMIT 10", 10),
            ("SELECT * FROM t WHERE t = 150000", 1),
            ("SELECT c3, c20 FROM t WHERE t BETWEEN 99990 AND 100010", 21),
            ("SELECT c3 FROM t WHERE t >= 40000 LIMIT 10", 10),
        ] {
            store.take();
            let plan = ctx.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
            let found = collect(plan.clone(), ctx.task_ctx()).await.unwrap();
            assert_eq!(found.iter().map(|batch| batch.num_rows()).sum::<usize>(), count, "{sql}");
            let (requests, bytes) = store.take();
            assert!(bytes * 20 < size as u64, "{sql}: {bytes} of {size} bytes");
            // Requests that are under way when the query has its rows are not counted in both.
            let counted = bytes_read(&*plan) as u64;
            assert!(counted <= bytes && counted > bytes / 4, "{sql}: {counted} of {bytes} bytes");
            assert!(requests <= 110, "{sql}: {requests} requests");
        }
        // Indexes are read once, and a column alone takes a few requests, each chunk in one of them.
        rows(&ctx, "SELECT sum(c7) FROM t").await;
        store.take();
        rows(&ctx, "SELECT sum(c7) FROM t").await;
        let (requests, bytes) = store.take();
        assert!(requests <= 4 + 2 * partitions, "{requests} requests");
        assert_eq!(bytes, size_of_chunks(&archive, "c7"));
    }
}

/// Returns the number of compressed bytes of a member.
fn size_of_chunks(archive: &[u8], name: &str) -> u64 {
    let archive = npz::Reader::new(Cursor::new(archive)).unwrap();
    let chunks = archive.chunks(name).unwrap().unwrap();
    let chunks = chunks.of_rows(0..chunks.header().shape()[0]).unwrap();
    chunks.iter().map(|chunk| chunk.range().end - chunk.range().start).sum()
}

/// Guards the parts of a large archive: each has its own chunks of the widest column, and together they have all rows, in order.
#[tokio::test]
async fn parts_begin_with_chunks() {
    const ROWS: i64 = 5_000_000;
    let mut options = npz::WriteOptions::new();
    let mut writer = options.deflate(1).writer(Cursor::new(Vec::new())).unwrap();
    writer.write("t", &(0..ROWS).collect::<Vec<_>>()).unwrap();
    writer.write("k", &(0..ROWS).map(|n| (n % 100).to_le_bytes()[0]).collect::<Vec<_>>()).unwrap();
    let archive = writer.finish().unwrap().into_inner();
    let (ctx, store) = table(archive.clone(), 3).await;
    let sum = ROWS * (ROWS - 1) / 2;
    for sql in ["SELECT sum(t) FROM t", "SELECT sum(t) FROM t WHERE t >= 0"] {
        rows(&ctx, sql).await;
        store.take();
        let plan = ctx.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
        let found = collect(plan.clone(), ctx.task_ctx()).await.unwrap();
        assert_eq!(found[0].column(0).as_primitive::<Int64Type>().value(0), sum);
        assert_eq!(store.take().1, size_of_chunks(&archive, "t"), "{sql}");
        assert_eq!(parts_with_rows(&plan), [3], "{sql}");
    }
    let mut next = 0;
    for batch in rows(&ctx, "SELECT t, k FROM t WHERE k < 50 AND t % 7 = 3").await {
        let (t, k) = (batch.column(0), batch.column(1));
        for row in 0..batch.num_rows() {
            while next % 7 != 3 || next % 100 >= 50 {
                next += 1;
            }
            assert_eq!(t.as_primitive::<Int64Type>().value(row), next);
            assert_eq!(i64::from(k.as_primitive::<UInt8Type>().value(row)), next % 100);
            next += 1;
        }
    }
    assert!(next > ROWS - 100, "{next}");
}

/// Returns the number of partitions with rows of each scan of a plan.
fn parts_with_rows(plan: &Arc<dyn ExecutionPlan>) -> Vec<usize> {
    if plan.name() != "DataSourceExec" {
        return plan.children().into_iter().flat_map(parts_with_rows).collect();
    }
    let metrics = plan.metrics().unwrap();
    let is_used = |metric: &&Arc<Metric>| {
        metric.value().name() == "output_rows" && metric.value().as_usize() > 0
    };
    vec![metrics.iter().filter(is_used).count()]
}

/// Guards checksums where the structure is right: of a chunk, of a member at its end, and of one whose index is given up.
#[tokio::test]
async fn a_wrong_byte_in_stored_blocks_is_found() {
    const ROWS: i64 = 150_000;
    for every in [0, 65_536] {
        let mut archive = wide(ROWS, every);
        // Noise does not shrink, so it is in stored blocks: in the middle of a column, any byte is a value.
        let reader = npz::Reader::new(Cursor::new(&archive)).unwrap();
        let value: f64 = reader.read::<Vec<f64>>("c3").unwrap()[100_000];
        let at = archive.windows(8).position(|bytes| bytes == value.to_le_bytes()).unwrap();
        archive[at] ^= 1;
        let (ctx, _) = table(archive, 1).await;
        for (sql, is_read) in [
            ("SELECT sum(c3) FROM t", true),
            ("SELECT c3 FROM t WHERE t = 100000", true),
            ("SELECT c3 FROM t LIMIT 1 OFFSET 100000", every > 0),
            // Without an index, the checksum is that of all rows.
            ("SELECT c3 FROM t WHERE t = 5", every == 0),
            ("SELECT c3 FROM t LIMIT 5", false),
        ] {
            match is_read {
                true => {
                    let failure = error(&ctx, sql).await;
                    assert!(failure.contains("checksum"), "{sql}: {failure}");
                }
                false => _ = rows(&ctx, sql).await,
            }
        }
    }
}

/// The members of a random archive.
struct Columns {
    t: Vec<i64>,
    x: Vec<f64>,
    small: Vec<u8>,
    name: Vec<String>,
    pair: Vec<i64>,
}

impl Columns {
    fn new(count: usize, random: &mut Random) -> Self {
        let mask = [3, 255, u64::MAX][random.below(3)];
        Columns {
            t: (0..i64::try_from(count).unwrap()).collect(),
            x: (0..count).map(|_| (random.next() & mask) as f64).collect(),
            small: (0..count).map(|_| random.next().to_le_bytes()[0]).collect(),
            name: (0..count).map(|_| format!("n{}", random.below(100_000))).collect(),
            pair: (0..2 * count).map(|_| (random.next() & mask).cast_signed() >> 8).collect(),
        }
    }

    fn archive(&self, options: &npz::WriteOptions) -> Vec<u8> {
        let mut writer = options.writer(Cursor::new(Vec::new())).unwrap();
        let pair = NpyArray::<i64>::new(self.pair.clone(), [self.t.len(), 2]).unwrap();
        writer.write("t", &self.t).unwrap();
        writer.write("x", &self.x).unwrap();
        writer.write("small", &self.small).unwrap();
        writer.write("name", &self.name).unwrap();
        writer.write("pair", &pair).unwrap();
        writer.finish().unwrap().into_inner()
    }

    /// Compares the rows that a session finds, by queries of all kinds.
    async fn check(&self, ctx: &SessionContext, random: &mut Random, what: &str) {
        let (count, t) = (self.t.len(), random.below(self.t.len()));
        let few: Vec<usize> = (0..count).step_by(1 + random.below(40_000)).collect();
        let list: Vec<String> = few.iter().map(usize::to_string).collect();
        for (condition, expected) in [
            ("true".to_owned(), (0..count).collect()),
            (format!("t >= {t}"), (t..count).collect()),
            (format!("t = {t}"), vec![t]),
            (format!("t < {t} AND small = 7"), {
                (0..t).filter(|&row| self.small[row] == 7).collect::<Vec<_>>()
            }),
            (format!("t IN ({})", list.join(", ")), few),
        ] {
            let limit = if random.below(3) == 0 { random.below(20_000) } else { count };
            let sql = format!(
                "SELECT t, x, name, pair[1] + pair[2] AS pair FROM t WHERE {condition} LIMIT {limit}"
            );
            let mut expected = expected.iter().take(limit);
            for batch in rows(ctx, &sql).await {
                let (t, x) = (batch.column(0), batch.column(1));
                let names = cast(batch.column(2), &DataType::Utf8).unwrap();
                for row in 0..batch.num_rows() {
                    let &n = expected.next().expect(what);
                    assert_eq!(
                        t.as_primitive::<Int64Type>().value(row),
                        self.t[n],
                        "{what}: {sql}"
                    );
                    let bits = x.as_primitive::<Float64Type>().value(row).to_bits();
                    assert_eq!(bits, self.x[n].to_bits(), "{what}: {sql}");
                    assert_eq!(names.as_string::<i32>().value(row), self.name[n], "{what}: {sql}");
                    let pair = batch.column(3).as_primitive::<Int64Type>().value(row);
                    assert_eq!(pair, self.pair[2 * n] + self.pair[2 * n + 1], "{what}: {sql}");
                }
            }
            assert_eq!(expected.next(), None, "{what}: {sql}");
        }
        let sql = "SELECT sum(t), sum(small), count(name) FROM t";
        let found = rows(ctx, sql).await;
        let sum = found[0].column(0).as_primitive::<Int64Type>().value(0);
        assert_eq!(sum, self.t.iter().sum::<i64>(), "{what}");
    }
}

fn deflated(random: &mut Random) -> (npz::WriteOptions, String) {
    let level = [1, 6, 9][random.below(3)];
    let every = [0, 4096, 65_536, 1 << 20][random.below(4)];
    let mut options = npz::WriteOptions::new();
    options.deflate(level).seek_every(every);
    (options, format!("level {level}, every {every}"))
}

/// Guards rows: of archives of all levels and sizes of chunks, with and without an index, however they are divided.
#[tokio::test]
async fn rows_of_random_archives_are_right() {
    let mut random = Random(7);
    for seed in 0..4 {
        let count = [1000, 140_000, 200_000][random.below(3)] + random.below(1000);
        let columns = Columns::new(count, &mut random);
        let (options, what) = deflated(&mut random);
        let partitions = [1, 2, 5][random.below(3)];
        let what = format!("seed {seed}, {count} rows, {what}, {partitions} partitions");
        let (ctx, _) = table(columns.archive(&options), partitions).await;
        columns.check(&ctx, &mut random, &what).await;
    }
}

/// Returns the positions of the seek indexes: of the header, and of the contents.
fn indexes(archive: &[u8]) -> Vec<(usize, usize)> {
    let suffix = b".sozip.idx";
    let names = archive.windows(suffix.len()).enumerate().filter(|(_, part)| part == suffix);
    let mut found = Vec::new();
    for (at, _) in names {
        let payload = at + suffix.len();
        let start = archive[..at].windows(4).rposition(|part| part == b"PK\x03\x04").unwrap();
        found.push((start, payload));
    }
    found
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 }
        })
    })
}

/// Guards damaged and lying indexes: the rows are those that NumPy reads, which knows no index.
#[tokio::test]
async fn a_wrong_index_makes_no_wrong_row() {
    let mut random = Random(3);
    let columns = Columns::new(140_000, &mut random);
    let mut options = npz::WriteOptions::new();
    options.deflate(1).seek_every(65_536);
    let archive = columns.archive(&options);
    for seed in 0..6 {
        let mut damaged = archive.clone();
        for (start, payload) in indexes(&archive) {
            let at = |at: usize| u32::from_le_bytes(archive[at..at + 4].try_into().unwrap());
            let (size, skip) = (at(start + 22) as usize, at(payload + 4) as usize);
            let positions = payload + 32 + skip;
            let target = match seed % 3 {
                // Any byte of the index.
                0 => start + random.below(payload + size - start),
                // A position of a chunk.
                1 => positions + 8 * random.below((payload + size - positions) / 8),
                // A checksum of a chunk, or a position.
                _ => payload + 40 + random.below(size - 40),
            };
            damaged[target] ^= 1 << random.below(8);
            if seed % 3 > 0 {
                // The index states the checksum that it has.
                if random.below(2) == 0 {
                    // The checksums of the chunks would combine to another one: there are none.
                    damaged[payload + 32..payload + 40].fill(0);
                }
                let crc = crc(&damaged[payload..payload + size]);
                damaged[start + 14..start + 18].copy_from_slice(&crc.to_le_bytes());
            }
        }
        let partitions = [1, 3][random.below(2)];
        let (ctx, _) = table(damaged, partitions).await;
        columns.check(&ctx, &mut random, &format!("seed {seed}, {partitions} partitions")).await;
    }
}

/// Guards damaged members: with an index and without one, the error names the file, and no row is wrong.
#[tokio::test]
async fn a_damaged_member_is_an_error() {
    let mut random = Random(5);
    let columns = Columns::new(200_000, &mut random);
    for every in [0, 65_536] {
        let mut options = npz::WriteOptions::new();
        let archive = columns.archive(options.deflate(6).seek_every(every));
        for _ in 0..3 {
            let mut damaged = archive.clone();
            // Within `x`, `small` or `name`: after `t`, and before the last member and the directory.
            let at = archive.len() / 4 + random.below(archive.len() / 4);
            damaged[at] ^= 1 << random.below(8);
            let (ctx, _) = table(damaged, 2).await;
            let failure =
                error(&ctx, "SELECT sum(t), sum(x), sum(small), max(name), sum(pair[1]) FROM t")
                    .await;
            assert!(failure.contains("dir/a.npz: "), "{failure}");
        }
    }
}

/// Guards members without an index whose compressed bytes are many more than their rows: they are read like others.
#[tokio::test]
async fn a_member_that_became_larger_is_read() {
    // Stored blocks of two bytes, each of seven.
    let header = "{'descr': '<u2', 'fortran_order': False, 'shape': (700000,), }";
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    npy.extend(format!("{header:<117}\n").bytes());
    let values: Vec<u16> = (0..700_000u32).map(|n| (n % 1000) as u16).collect();
    npy.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    let mut packed = Vec::new();
    for pair in npy.chunks(2) {
        packed.extend([0, 2, 0, 0xfd, 0xff]);
        packed.extend(pair);
    }
    packed.extend([1, 0, 0, 0xff, 0xff]);
    let number = |size: usize| u32::try_from(size).unwrap();
    let (size, packed_size) = (number(npy.len()), number(packed.len()));
    let mut common = vec![20, 0, 0, 0, 8, 0, 0, 0, 0, 0];
    for stated in [crc(&npy), packed_size, size] {
        common.extend(stated.to_le_bytes());
    }
    common.extend([9, 0, 0, 0]);
    let mut archive = b"PK\x03\x04".to_vec();
    archive.extend(&common);
    archive.extend(b"value.npy");
    archive.extend(&packed);
    let directory = number(archive.len());
    archive.extend(b"PK\x01\x02\x14\x00");
    archive.extend(&common);
    archive.extend([0; 14]);
    archive.extend(b"value.npy");
    let directory_size = number(archive.len()) - directory;
    archive.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    archive.extend(directory_size.to_le_bytes());
    archive.extend(directory.to_le_bytes());
    archive.extend([0, 0]);
    let (ctx, _) = table(archive, 1).await;
    let found = rows(&ctx, "SELECT CAST(sum(value) AS BIGINT) FROM t").await;
    let sum: i64 = values.iter().map(|value| i64::from(*value)).sum();
    assert_eq!(found[0].column(0).as_primitive::<Int64Type>().value(0), sum);
}
