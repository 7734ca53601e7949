//! `cargo xtask engine`: the tests of `npy-datafusion` and of the packages in its workspace, some of them with a real NumPy, one with a cluster of
//! processes. `cargo xtask cluster`: such a cluster on this machine, to use by hand.

use std::path::Path;
use std::process::{Child, Command};

use crate::Result;
use crate::command::{cargo, run as run_command};
use crate::python::with_numpy;

const MANIFEST: [&str; 2] = ["--manifest-path", "npy-datafusion/Cargo.toml"];
const TARGET: &str = "target/engine";
const FEATURES: &str = "npy-datafusion/live,npy-datafusion/parquet,npy-datafusion/proto";

pub(crate) fn run() -> Result {
    // The benchmark is left out: it needs Parquet and an optimized build.
    let mut test = cargo(&["test", "--workspace", "--exclude", "npy-datafusion-bench"]);
    test.args(MANIFEST).args(["--features", FEATURES]);
    run_command(with_numpy(test)?.args(["--target-dir", TARGET]))
}

/// Starts a scheduler and two executors, and waits until one of them ends.
pub(crate) fn cluster() -> Result {
    let mut build = cargo(&["build", "--release", "--package", "npy-ballista"]);
    run_command(build.args(MANIFEST).args(["--target-dir", TARGET]))?;
    let start = |program: &str, arguments: &[&str]| -> Result<Child> {
        let path = Path::new(TARGET).join("release").join(program);
        Ok(Command::new(path).args(arguments).spawn()?)
    };
    let mut processes = vec![start("npy-scheduler", &["--port", "50050"])?];
    for (port, grpc_port) in [("50051", "50052"), ("50053", "50054")] {
        processes.push(start("npy-executor", &["--port", port, "--grpc-port", grpc_port])?);
    }
    println!("a scheduler at df://localhost:50050 and two executors; Ctrl-C ends them");
    let ended = processes.first_mut().map(Child::wait).transpose()?;
    for process in &mut processes {
        // It may have ended already.
        let _ = process.kill();
        process.wait()?;
    }
    Err(format!("the scheduler has ended: {ended:?}").into())
}
