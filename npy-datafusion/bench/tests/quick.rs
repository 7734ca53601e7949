//! The benchmark, once and with little data: all contenders have the same results.

use std::process::Command;

#[test]
fn the_benchmark_runs() {
    let program = env!("CARGO_BIN_EXE_npy-datafusion-bench");
    let output = Command::new(program).arg("--quick").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    for line in ["GROUP BY", "npy_dot", "requests to plan"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    // One request before the first row, however many files there are.
    assert!(text.contains("8,192 | 1 |"), "{text}");
}
