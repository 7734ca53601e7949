//! `cargo xtask bench --build`: measures the first build of a program with this library and with its peers (W10).

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::command::{cargo, output, run as run_command};
use crate::{Result, package, root};

const ROUNDS: usize = 3;

/// A crate to measure: its name, its features, its line in the manifest, and the traits that a struct derives.
struct Subject {
    name: &'static str,
    what: &'static str,
    dependency: String,
    derives: &'static str,
}

/// The crate that the others are compared with.
const PEER: usize = 2;

fn subjects() -> [Subject; 5] {
    let ours =
        |options: &str| format!("npy-core = {{ path = {:?}{options} }}", root().join("npy-core"));
    let npyz = |features: &str| format!("npyz = {{ version = \"0.9\", features = [{features}] }}");
    let (derives, npyz_derives) =
        ("npy_core::NpyRecord", "npyz::Deserialize, npyz::Serialize, npyz::AutoSerialize");
    [
        Subject { name: "npy-core", what: "default features", dependency: ours(""), derives },
        Subject {
            name: "npy-core",
            what: "derive and maps, no npz",
            dependency: ours(", default-features = false, features = [\"derive\", \"mmap\"]"),
            derives,
        },
        Subject {
            name: "npyz",
            what: "derive and npz",
            dependency: npyz("\"derive\", \"npz\""),
            derives: npyz_derives,
        },
        Subject {
            name: "npyz",
            what: "derive, no npz",
            dependency: npyz("\"derive\""),
            derives: npyz_derives,
        },
        Subject {
            name: "ndarray-npy",
            what: "default features: npz, and no derive",
            dependency: "ndarray-npy = \"0.10\"".into(),
            derives: "Clone",
        },
    ]
}

/// Builds each program from scratch, in turns, and writes `build.md`.
pub(crate) fn run(out: &Path) -> Result {
    let subjects = subjects();
    let dir = out.join("build");
    let mut manifests = Vec::new();
    let mut crates = Vec::new();
    for (i, Subject { dependency, derives, .. }) in subjects.iter().enumerate() {
        let code = format!(
            "//! Hello.\n\n#[derive({derives})]\npub struct Point {{ pub x: f32 }}\n\nfn main() {{ println!(\"{{}}\", Point {{ x: 1.0 }}.x) }}\n"
        );
        let manifest = package::write(&dir, &format!("hello-{i}"), dependency, &code)?;
        run_command(cargo(&["fetch", "--quiet", "--manifest-path"]).arg(&manifest))?;
        crates.push(count_crates(&manifest)?);
        manifests.push(manifest);
    }
    let mut times = vec![Vec::new(); subjects.len()];
    for _ in 0..ROUNDS {
        for (manifest, times) in manifests.iter().zip(&mut times) {
            times.push(build(&dir, manifest)?);
        }
    }
    let seconds: Vec<_> = times
        .into_iter()
        .map(|mut times: Vec<Duration>| {
            times.sort();
            times[times.len() / 2].as_secs_f64()
        })
        .collect();
    let mut table = String::from(
        "| | first build of a program with | time | crates | by npyz with npz |\n|---|---|---|---|---|\n",
    );
    for ((subject, seconds_each), crates) in subjects.iter().zip(&seconds).zip(crates) {
        let (Subject { name, what, .. }, ratio) = (subject, seconds_each / seconds[PEER]);
        writeln!(table, "| W10 | {name}: {what} | {seconds_each:.1} s | {crates} | {ratio:.2} |")?;
    }
    table.push_str("\nTo reach: default features ≤ 0.60 and ≤ 30 crates, without npz ≤ 0.50.\n");
    print!("{table}");
    fs::write(out.join("build.md"), table)?;
    Ok(())
}

/// Builds everything from scratch, offline.
fn build(dir: &Path, manifest: &Path) -> Result<Duration> {
    let target = dir.join("target");
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    let start = Instant::now();
    let mut command = cargo(&["build", "--quiet", "--offline", "--manifest-path"]);
    command.arg(manifest).env("CARGO_TARGET_DIR", target);
    // Local crates are built incrementally by default, which takes longer. This builds the library as if it came from a registry.
    command.env("CARGO_INCREMENTAL", "0");
    run_command(&mut command)?;
    Ok(start.elapsed())
}

/// Returns the number of crates that are built, without the program.
fn count_crates(manifest: &Path) -> Result<usize> {
    let tree = ["tree", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"];
    let tree = output(cargo(&tree).arg("--manifest-path").arg(manifest))?;
    // A line has a name and a version. A repeated crate or a macro has more words after these.
    let name = |line: &'_ str| line.split(' ').take(2).map(str::to_owned).collect::<Vec<_>>();
    let crates: BTreeSet<_> = tree.lines().map(name).collect();
    Ok(crates.len().saturating_sub(1))
}
