//! Files that a real NumPy writes and reads. `NPY_PYTHON` names its Python; without it these tests fail, and are not skipped.

mod index;
#[path = "../support/store.rs"]
mod support;

use std::process::Command;

use npy_datafusion::{NpyOptions, register, session};
use support::{rows, text};

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
