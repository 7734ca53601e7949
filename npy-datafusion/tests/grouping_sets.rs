//! `ROLLUP`, `CUBE` and `GROUPING SETS`: each group is there once, also if a key is the same in all rows, or equal to another.

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::prelude::SessionConfig;
use npy_core::{NpyRecord, WriteNpy};
use npy_datafusion::{NpyOptions, register, session_with_config};

use crate::support::rows;

#[derive(NpyRecord)]
struct Row {
    a: i64,
    b: i64,
}

/// Guards the groups and their counts.
#[tokio::test]
async fn each_group_is_there_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.npy");
    let all: Vec<_> = (0..300).map(|n| Row { a: n % 7, b: n % 3 }).collect();
    all.write_npy(&path).unwrap();
    for (partitions, batch) in [(1, 8192), (4, 7)] {
        let config = SessionConfig::new().with_target_partitions(partitions);
        let ctx = session_with_config(config.with_batch_size(batch));
        register(&ctx, "t", path.to_str().unwrap(), NpyOptions::default()).await.unwrap();
        for (from, by, groups, total) in [
            ("t WHERE b = 1", "ROLLUP (a, b)", 15, 300),
            ("t WHERE b = 1", "CUBE (b, a)", 16, 400),
            ("t WHERE b = 1", "GROUPING SETS ((a), (b), ())", 9, 300),
            ("t WHERE b = 1", "a, ROLLUP (b)", 14, 200),
            ("t WHERE a = b", "ROLLUP (a, b)", 7, 135),
            ("(SELECT a, 4.0 AS b FROM t)", "CUBE (a, b)", 16, 1200),
            ("t", "ROLLUP (a, CAST(b AS VARCHAR) LIKE '%')", 15, 900),
            ("t", "ROLLUP (b, a + b)", 25, 900),
        ] {
            let found =
                rows(&ctx, &format!("SELECT count(*) AS n FROM {from} GROUP BY {by}")).await;
            let counts: Vec<i64> = found
                .iter()
                .flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec())
                .collect();
            let context = format!("{partitions}: {from}: {by}");
            assert_eq!((counts.len(), counts.iter().sum::<i64>()), (groups, total), "{context}");
        }
        let sql = "SELECT a, grouping(a) AS g, grouping(b) AS h FROM t WHERE b = 1 GROUP BY ROLLUP (a, b) ORDER BY g, h, a";
        let found = rows(&ctx, sql).await;
        assert_eq!(found.iter().map(|batch| batch.num_rows()).sum::<usize>(), 15, "{partitions}");
    }
}
