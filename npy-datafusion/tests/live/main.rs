//! Files that a real NumPy writes and reads. `NPY_PYTHON` names its Python; without it these tests fail, and are not skipped.

mod index;
use std::process::Command;

use crate::support::{rows, text};
use datafusion::prelude::SessionConfig;
use npy_datafusion::{NpyOptions, register, session, session_with_config};

/// Runs a script with these arguments, and returns its output.
fn numpy(script: &str, arguments: &[&str]) -> String {
    let python = std::env::var_os("NPY_PYTHON").expect("NPY_PYTHON names a Python with NumPy");
    let output = Command::new(python)
        .args(["-I", "-X", "utf8", "-c", script])
        .args(arguments)
        .output()
        .expect("Python starts");
    let (stdout, stderr) = (output.stdout, String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "the script failed\n{stderr}");
    String::from_utf8(stdout).expect("UTF-8")
}

/// Guards copies: NumPy finds the dtype that it wrote, and the rows.
#[tokio::test]
async fn numpy_reads_a_copy() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).display().to_string();
    let write = "
import sys, numpy as np
a = np.zeros(20000, dtype=[('id', '>u4'), ('x', '<f8'), ('s', '<U7'), ('b', 'S3'), ('t', '<M8[s]'), ('m', '<i2', (2, 3)), ('ok', '?')])
a['id'] = np.arange(20000)
a['x'] = np.arange(20000) / 3
a['s'] = [f'n{i % 999}' for i in range(20000)]
a['b'] = b'xy'
a['t'] = np.datetime64('2024-05-01') + np.arange(20000)
a['t'][7] = 'NaT'
a['m'] = np.arange(6).reshape(2, 3)
a['ok'] = a['id'] % 2
np.save(sys.argv[1], a)
";
    numpy(write, &[&at("a.npy")]);
    let ctx = session();
    register(&ctx, "a", &at("a.npy"), NpyOptions::default()).await.unwrap();
    rows(&ctx, &format!("COPY (SELECT * FROM a WHERE ok ORDER BY id DESC) TO '{}'", at("b.npy")))
        .await;
    let read = "
import sys, numpy as np
a, b = np.load(sys.argv[1]), np.load(sys.argv[2])
assert a.dtype == b.dtype, b.dtype
# NaT is not equal to itself.
assert a[a['ok']][::-1].tobytes() == b.tobytes()
c = np.load(sys.argv[3])
assert c.dtype == [('id', '<i8'), ('s', '<U3')], c.dtype
assert c.tolist() == [(1, 'a'), (2, 'bcd')], c
";
    let values = "SELECT column1 AS id, column2 AS s FROM (VALUES (1, 'a'), (2, 'bcd'))";
    rows(&ctx, &format!("COPY ({values}) TO '{}'", at("v.npy"))).await;
    numpy(read, &[&at("a.npy"), &at("b.npy"), &at("v.npy")]);
    let count = text(&ctx, "SELECT count(*) FROM a WHERE t IS NULL").await;
    assert!(count.contains("| 1 "), "{count}");
}

/// Guards compressed archives of other writers: NumPy's, without seek indexes, and sozipfile's, whose indexes have no checksums. NumPy finds the same sums.
#[tokio::test]
async fn compressed_archives_of_others_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let script = "
import io, os, sys, numpy as np
import sozipfile.sozipfile as sozip
os.chdir(sys.argv[1])
rng = np.random.default_rng(5)
def columns(n, seed):
    return {'t': np.arange(n), 'x': rng.integers(0, 1 << 40, n).astype('>f8'), 'k': rng.integers(0, 99, n).astype('u1'),
            's': np.array([f'n{i}' for i in rng.integers(0, 9999, n)]), 'v': rng.integers(-9, 9, (n, 3)).astype('f4')}
for i, n in enumerate((1000, 60_003)):
    for chunk in (0, 4096, 32768, 300_000):
        a = columns(n, i)
        name = f'{n}-{chunk}.npz'
        if chunk == 0:
            np.savez_compressed(name, **a)
        else:
            with sozip.ZipFile(name, 'w', sozip.ZIP_DEFLATED, chunk_size=chunk) as z:
                for key, value in a.items():
                    b = io.BytesIO()
                    np.save(b, value)
                    z.writestr(key + '.npy', b.getvalue())
        at = int(rng.integers(0, n))
        few = a['t'] % 20_021 == 7
        where = (a['t'] >= at) & (a['k'] < 7)
        print(name, at, int(a['x'].sum()), int(a['t'][where].sum()), int(a['v'][where].sum()), int(a['x'][few].sum()), a['s'][at], sep='|')
";
    let lines = numpy(script, &[&directory.path().display().to_string()]);
    for line in lines.lines() {
        let [name, at, sum, of_t, of_v, of_few, text_at] =
            line.split('|').collect::<Vec<_>>().try_into().unwrap();
        for partitions in [1, 3] {
            let mut config = SessionConfig::new().with_target_partitions(partitions);
            config.options_mut().optimizer.repartition_file_min_size = 1;
            let ctx = session_with_config(config);
            let path = directory.path().join(name).display().to_string();
            register(&ctx, "t", &path, NpyOptions::default()).await.unwrap();
            for (select, expected) in [
                ("SELECT CAST(sum(x) AS BIGINT) FROM t".to_owned(), sum),
                (format!("SELECT sum(t) FROM t WHERE t >= {at} AND k < 7"), of_t),
                (
                    format!(
                        "SELECT CAST(sum(v[1] + v[2] + v[3]) AS BIGINT) FROM t WHERE t >= {at} AND k < 7"
                    ),
                    of_v,
                ),
                ("SELECT CAST(sum(x) AS BIGINT) FROM t WHERE t % 20021 = 7".to_owned(), of_few),
                (format!("SELECT s FROM t WHERE t = {at}"), text_at),
                (format!("SELECT s FROM t LIMIT 1 OFFSET {at}"), text_at),
            ] {
                let found = text(&ctx, &select).await;
                let cell = found.lines().nth(3).unwrap_or_default().trim_matches(['|', ' ']);
                assert_eq!(cell, expected, "{name}, {partitions} partitions: {select}");
            }
        }
    }
}

/// Guards the parts of spans of time, by Python's integers: all parts of spans of any length, in each unit, and seconds that are rounded once.
#[tokio::test]
async fn spans_have_the_parts_that_python_counts() {
    let directory = tempfile::tempdir().unwrap();
    let script = "
import os, random, sys, numpy as np
os.chdir(sys.argv[1])
random.seed(7)
sizes = {'week': 604800 * 10**9, 'day': 86400 * 10**9, 'hour': 3600 * 10**9, 'minute': 60 * 10**9, 'second': 10**9,
         'millisecond': 10**6, 'microsecond': 1000, 'nanosecond': 1}
for unit, per in (('s', 1), ('ms', 10**3), ('us', 10**6), ('ns', 10**9)):
    of_one = 10**9 // per
    most = (2**63 - 1) // of_one
    counts = [0, 1, -1, most, -most] + [random.choice((1, -1)) * int(most * 2 ** random.uniform(-60, 0)) for _ in range(400)]
    np.save(unit + '.npy', np.array(counts + ['NaT'], f'm8[{unit}]'))
    for part, size in sizes.items():
        cut = [abs(count) * of_one // size * (1 if count > 0 else -1) for count in counts]
        print(unit, part, *cut)
    # Python rounds the quotient of two integers once.
    print(unit, 'epoch', *(count / per for count in counts))
";
    let lines = numpy(script, &[&directory.path().display().to_string()]);
    let ctx = session();
    for line in lines.lines() {
        let mut words = line.split(' ');
        let (unit, part) = (words.next().unwrap(), words.next().unwrap());
        let at = directory.path().display();
        let sql = format!("SELECT extract({part} FROM value) FROM npy('{at}/{unit}.npy')");
        let found = text(&ctx, &sql).await;
        let cells = found.lines().skip(3).filter(|line| line.starts_with('|'));
        let mut cells = cells.map(|line| line.trim_matches(['|', ' ']));
        for expected in words {
            let cell = cells.next().unwrap_or_default();
            let is_equal = match part {
                "epoch" => cell.parse::<f64>().unwrap() == expected.parse::<f64>().unwrap(),
                _ => cell == expected,
            };
            assert!(is_equal, "{sql}: {cell}, and {expected} in Python");
        }
        assert_eq!((cells.next(), cells.next()), (Some(""), None), "{sql}");
    }
}
