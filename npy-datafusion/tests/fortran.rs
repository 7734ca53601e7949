//! Arrays in Fortran order: their rows are those of the array in C order.

use std::fs;
use std::io::Cursor;

use crate::support::{Counted, error, rows};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::prelude::SessionConfig;
use npy_core::{NpyArray, Order, WriteNpy, npz};
use npy_datafusion::{
    INDEX_BLOCK, NpyOptions, register, session, session_with_config, write_index,
};

/// Returns an array whose values are their positions in C order.
fn array(shape: &[usize], order: Order) -> NpyArray<i64> {
    let count = shape.iter().product::<usize>();
    let strides: Vec<usize> = (0..shape.len()).map(|at| shape[at + 1..].iter().product()).collect();
    let in_file = |mut position: usize| {
        // The first dimension is the fastest.
        let indices = shape.iter().map(|size| {
            let index = position % size;
            position /= size;
            index
        });
        indices.zip(&strides).map(|(index, stride)| index * stride).sum::<usize>()
    };
    let values = (0..count).map(|position| match order {
        Order::C => position,
        Order::Fortran => in_file(position),
    });
    let values = values.map(|value| i64::try_from(value).unwrap()).collect();
    NpyArray::with_order(values, shape.to_vec(), order).unwrap()
}

/// Guards rows: of files and members of archives, on this machine and in a store, however they are divided.
#[tokio::test]
async fn rows_are_those_of_c_order() {
    for shape in
        [vec![50_000, 3], vec![20_000, 2, 3], vec![9, 4, 5], vec![1, 5], vec![7, 1], vec![0, 3]]
    {
        let directory = tempfile::tempdir().unwrap();
        let array = array(&shape, Order::Fortran);
        array.write_npy(directory.path().join("a.npy")).unwrap();
        let mut writer = npz::Writer::new(Cursor::new(Vec::new())).unwrap();
        writer.write("value", &array).unwrap();
        fs::write(directory.path().join("a.npz"), writer.finish().unwrap().into_inner()).unwrap();
        let read = |name: &str| fs::read(directory.path().join(name)).unwrap();
        let store =
            Counted::with([("dir/a.npy", read("a.npy")), ("dir/a.npz", read("a.npz"))]).await;
        for partitions in [1, 3] {
            let mut config = SessionConfig::new().with_target_partitions(partitions);
            config.options_mut().optimizer.repartition_file_min_size = 1;
            let ctx = session_with_config(config);
            store.register(&ctx);
            let local = directory.path().display().to_string();
            for (n, at) in [local.as_str(), "mem://host/dir"].iter().enumerate() {
                for extension in ["npy", "npz"] {
                    let name = format!("{extension}{n}");
                    let path = format!("{at}/a.{extension}");
                    register(&ctx, &name, &path, NpyOptions::default()).await.unwrap();
                    let what = format!("{shape:?}, {path}, {partitions} partitions");
                    let mut next = 0;
                    for batch in rows(&ctx, &format!("SELECT value FROM {name}")).await {
                        let lists = batch.column(0).as_fixed_size_list();
                        for &value in lists.values().as_primitive::<Int64Type>().values() {
                            assert_eq!(value, next, "{what}");
                            next += 1;
                        }
                    }
                    assert_eq!(
                        next,
                        i64::try_from(shape.iter().product::<usize>()).unwrap(),
                        "{what}"
                    );
                    let some =
                        format!("SELECT value[1] AS v FROM {name} WHERE value[1] % 70 = 0 LIMIT 9");
                    let found: usize =
                        rows(&ctx, &some).await.iter().map(|batch| batch.num_rows()).sum();
                    let row: usize = shape[1..].iter().product();
                    let expected = (0..shape[0]).filter(|n| (n * row).is_multiple_of(70)).count();
                    assert_eq!(found, expected.min(9), "{what}");
                }
            }
        }
    }
}

/// Guards arrays that are refused: the message says what to do.
#[tokio::test]
async fn long_rows_and_compressed_ones_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display();
    array(&[2, 5000], Order::Fortran).write_npy(directory.path().join("a.npy")).unwrap();
    let mut options = npz::WriteOptions::new();
    let mut writer = options.deflate(1).create(directory.path().join("a.npz")).unwrap();
    writer.write("value", &array(&[20, 5], Order::Fortran)).unwrap();
    writer.finish().unwrap();
    for name in ["a.npy", "a.npz"] {
        let failure = error(&session(), &format!("SELECT * FROM npy('{at}/{name}')")).await;
        assert!(failure.contains(name) && failure.contains("np.ascontiguousarray"), "{failure}");
    }
}

/// Guards the index of a directory with such an array: the index has no header of it, and is complete without.
#[tokio::test]
async fn an_index_has_such_files() {
    let directory = tempfile::tempdir().unwrap();
    array(&[50, 3], Order::Fortran).write_npy(directory.path().join("a.npy")).unwrap();
    array(&[20, 3], Order::C).write_npy(directory.path().join("b.npy")).unwrap();
    let at = directory.path().display();
    let ctx = session();
    write_index(&ctx.state(), &at.to_string(), None, INDEX_BLOCK).await.unwrap();
    for mode in ["auto", "frozen"] {
        let ctx = session();
        let create = format!(
            "CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '{at}/' OPTIONS ('index' '{mode}')"
        );
        rows(&ctx, &create).await;
        let found = rows(&ctx, "SELECT sum(value[2]) FROM t WHERE value[1] < 45").await;
        let sum: i64 = (0..15).chain(0..15).map(|row| 3 * row + 1).sum();
        assert_eq!(found[0].column(0).as_primitive::<Int64Type>().value(0), sum, "{mode}");
    }
}
