//! Plans that go to other processes: what they return there is what they return here.

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_proto::bytes::{
    logical_plan_from_bytes_with_extension_codec, logical_plan_to_bytes_with_extension_codec,
    physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
};
use npy_core::{ByteOrder, NpyRecord, WriteNpy, WriteOptions, npz};
use npy_datafusion::{
    NpyLogicalCodec, NpyOptions, NpyPhysicalCodec, register, session, session_with_config,
};

#[derive(NpyRecord, Clone, Copy)]
struct Tick {
    id: u32,
    price: f64,
    name: [u8; 3],
    flag: bool,
}

/// Files that differ, in directories whose names are a column.
fn write(directory: &Path) {
    let ticks = |from: u32, count: u32| -> Vec<Tick> {
        let tick = |n: u32| Tick {
            id: n % 7,
            price: f64::from(n) / 4.0,
            name: *b"abc",
            flag: n.is_multiple_of(3),
        };
        (from..from + count).map(tick).collect()
    };
    for (day, (from, count)) in
        [(0, 1000), (1000, 1), (1001, 0), (2000, 5000)].into_iter().enumerate()
    {
        let directory = directory.join("t").join(format!("day={day}"));
        std::fs::create_dir_all(&directory).unwrap();
        let order = if day == 3 { ByteOrder::Big } else { ByteOrder::Little };
        let path = directory.join("x.npy");
        WriteOptions::new().byte_order(order).write(&path, &ticks(from, count)).unwrap();
    }
    for (folder, count) in [(0u32, 700u32), (1, 900)] {
        let directory = directory.join(format!("folders/{folder}"));
        std::fs::create_dir_all(&directory).unwrap();
        let ids: Vec<u32> = (0..count).map(|n| n % 11).collect();
        let prices: Vec<f64> = (0..count).map(|n| f64::from(n + folder) / 2.0).collect();
        ids.write_npy(directory.join("id.npy")).unwrap();
        prices.write_npy(directory.join("price.npy")).unwrap();
    }
    let pairs = (0..3000i16).flat_map(|n| [n.to_le_bytes(), (n / 2).to_le_bytes()]);
    std::fs::write(directory.join("pairs.bin"), pairs.collect::<Vec<_>>().concat()).unwrap();
    let mut archive = npz::Writer::create(directory.join("columns.npz")).unwrap();
    archive.write_columns(&ticks(0, 500)).unwrap();
    archive.finish().unwrap();
}

const QUERIES: [&str; 19] = [
    "SELECT count(*) FROM t",
    "SELECT * FROM t WHERE price > 1200.25 AND flag ORDER BY price",
    "SELECT id, count(*), sum(price) FROM t GROUP BY id ORDER BY id",
    "SELECT price FROM t WHERE id = 3 ORDER BY price LIMIT 5",
    "SELECT day, max(price) FROM t WHERE day <> '1' GROUP BY day ORDER BY day",
    "SELECT price + id AS x FROM t WHERE day = '3' ORDER BY x DESC LIMIT 3",
    "SELECT count(*) FROM t WHERE name IS NOT NULL AND NOT flag",
    "SELECT a.price FROM t a JOIN t b ON a.price = b.price WHERE b.id = 2 AND b.price < 20 ORDER BY 1",
    "SELECT sum(price) FROM archive WHERE id IN (1, 5)",
    "SELECT * FROM archive WHERE flag ORDER BY price LIMIT 4",
    "SELECT id, sum(price) FROM folders WHERE price > 100 GROUP BY id ORDER BY id",
    "SELECT count(*) FROM folders",
    "SELECT price FROM sorted WHERE price BETWEEN 100 AND 110 ORDER BY price",
    "SELECT id, price FROM sorted ORDER BY price, id LIMIT 7",
    "SELECT price FROM sorted ORDER BY price DESC LIMIT 7",
    "SELECT a.id, b.price FROM folders a JOIN folders b ON a.price = b.price WHERE a.id = 3 ORDER BY 1, 2 LIMIT 9",
    "SELECT count(*), sum(value[1] - 2 * value[2]) FROM pairs",
    "SELECT rank() OVER (ORDER BY value) - array_length(value) AS r FROM pairs ORDER BY r LIMIT 3",
    "SELECT value[2] AS v FROM pairs WHERE value[1] > 1000 ORDER BY v LIMIT 3",
];

async fn context(directory: &Path, partitions: usize) -> SessionContext {
    let mut config = SessionConfig::new().with_target_partitions(partitions);
    config.options_mut().optimizer.repartition_file_min_size = 1;
    let ctx = session_with_config(config);
    let create = format!(
        "CREATE EXTERNAL TABLE t STORED AS NPY PARTITIONED BY (day) LOCATION '{}/t/'",
        directory.display()
    );
    ctx.sql(&create).await.unwrap();
    let create = format!(
        "CREATE EXTERNAL TABLE folders STORED AS NPY LOCATION '{}/folders/' OPTIONS ('layout' 'columns')",
        directory.display()
    );
    ctx.sql(&create).await.unwrap();
    let create = format!(
        "CREATE EXTERNAL TABLE sorted STORED AS NPY LOCATION '{}/folders/' OPTIONS ('layout' 'columns', 'sorted_by' 'price')",
        directory.display()
    );
    ctx.sql(&create).await.unwrap();
    let create = format!(
        "CREATE EXTERNAL TABLE pairs STORED AS NPY LOCATION '{}/*.bin' OPTIONS ('raw' '<i2,2')",
        directory.display()
    );
    ctx.sql(&create).await.unwrap();
    let archive = directory.join("columns.npz");
    register(&ctx, "archive", archive.to_str().unwrap(), NpyOptions::default()).await.unwrap();
    ctx
}

async fn rows(plan: Arc<dyn ExecutionPlan>, ctx: &SessionContext) -> String {
    let batches = collect(plan, ctx.task_ctx()).await.unwrap();
    pretty_format_batches(&batches).unwrap().to_string()
}

/// Guards the conditions of a scan: in the engine's own message they are missing, and a scan without them returns wrong rows in silence.
#[tokio::test]
async fn conditions_cross() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = context(directory.path(), 3).await;
    let frame = ctx.sql("SELECT id FROM t WHERE price > 1200.25 AND flag").await.unwrap();
    let plan = frame.create_physical_plan().await.unwrap();
    let shown = |plan: &dyn ExecutionPlan| {
        datafusion::physical_plan::displayable(plan).indent(true).to_string()
    };
    assert!(shown(&*plan).contains("predicate="), "{}", shown(&*plan));
    let codec = NpyPhysicalCodec::default();
    let bytes = physical_plan_to_bytes_with_extension_codec(plan.clone(), &codec).unwrap();
    let task = session().task_ctx();
    let sent = physical_plan_from_bytes_with_extension_codec(&bytes, &task, &codec).unwrap();
    assert_eq!(shown(&*sent), shown(&*plan));
}

/// Guards every part of a scan: files, ranges, columns of directories, conditions, projections, limits, options.
#[tokio::test]
async fn plans_return_the_same_in_another_session() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    for partitions in [1, 3, 13] {
        let ctx = context(directory.path(), partitions).await;
        for query in QUERIES {
            let frame = ctx.sql(query).await.unwrap();
            let logical = NpyLogicalCodec::default();
            let bytes =
                logical_plan_to_bytes_with_extension_codec(frame.logical_plan(), &logical).unwrap();
            let plan = frame.create_physical_plan().await.unwrap();
            // Before the plan runs: a run changes its conditions (`LIMIT`), which are then those of its end.
            let codec = NpyPhysicalCodec::default();
            let message =
                physical_plan_to_bytes_with_extension_codec(plan.clone(), &codec).unwrap();
            let expected = rows(plan, &ctx).await;

            let other = session();
            let sent =
                physical_plan_from_bytes_with_extension_codec(&message, &other.task_ctx(), &codec);
            assert_eq!(rows(sent.unwrap(), &other).await, expected, "{query}");

            let sent =
                logical_plan_from_bytes_with_extension_codec(&bytes, &other.task_ctx(), &logical);
            let frame = other.execute_logical_plan(sent.unwrap()).await.unwrap();
            let plan = frame.create_physical_plan().await.unwrap();
            assert_eq!(rows(plan, &other).await, expected, "{query}");
        }
    }
}

/// Guards the options of a table.
#[tokio::test]
async fn options_cross() {
    let directory = tempfile::tempdir().unwrap();
    let ctx = session();
    let names = ["a", "b"].map(|name| npy_core::ByteStr::<1>::new(name).unwrap());
    names.write_npy(directory.path().join("names.npy")).unwrap();
    let path = directory.path().join("names.npy");
    let options = NpyOptions::new().text_from_bytes(true).clone();
    register(&ctx, "t", path.to_str().unwrap(), options).await.unwrap();
    let frame = ctx.sql("SELECT upper(value) FROM t").await.unwrap();
    let codec = NpyLogicalCodec::default();
    let bytes = logical_plan_to_bytes_with_extension_codec(frame.logical_plan(), &codec).unwrap();
    let other = session();
    let plan = logical_plan_from_bytes_with_extension_codec(&bytes, &other.task_ctx(), &codec);
    let frame = other.execute_logical_plan(plan.unwrap()).await.unwrap();
    let text = pretty_format_batches(&frame.collect().await.unwrap()).unwrap().to_string();
    assert!(text.contains("| A") && text.contains("| B"), "{text}");
}

/// Guards against messages of another version, or none: an error, and never a panic.
#[tokio::test]
async fn truncated_messages_are_errors() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = context(directory.path(), 1).await;
    let plan = ctx.sql("SELECT id FROM t WHERE price > 12").await.unwrap();
    let plan = plan.create_physical_plan().await.unwrap();
    let codec = NpyPhysicalCodec::default();
    let bytes = physical_plan_to_bytes_with_extension_codec(plan, &codec).unwrap();
    let task = session().task_ctx();
    for end in 0..bytes.len() {
        let cut = physical_plan_from_bytes_with_extension_codec(&bytes[..end], &task, &codec);
        assert!(cut.is_err(), "{end} of {} bytes", bytes.len());
    }
}

/// Guards a process whose session has DataFusion's functions under the names of ours: an error, and never a sum that wraps.
#[tokio::test]
async fn a_session_without_our_functions_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let ctx = context(directory.path(), 3).await;
    let plan = ctx.sql("SELECT sum(id) FROM t").await.unwrap();
    let plan = plan.create_physical_plan().await.unwrap();
    let codec = NpyPhysicalCodec::default();
    let bytes = physical_plan_to_bytes_with_extension_codec(plan, &codec).unwrap();
    let task = SessionContext::new().task_ctx();
    let sent = physical_plan_from_bytes_with_extension_codec(&bytes, &task, &codec);
    let error = sent.unwrap_err().to_string();
    assert!(
        error.contains("make the session of each process by npy_datafusion::with_npy"),
        "{error}"
    );
}
