//! `cargo xtask build-time`: measures the first build of a program with this library and with its peers, and the size of the program.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::command::{cargo, output, run as run_command};
use crate::{Result, package, release, root};

const ROUNDS: usize = 3;

/// A program to measure: what it builds, its line in the manifest, and its code.
struct Subject {
    name: &'static str,
    features: &'static str,
    dependency: String,
    code: String,
}

/// The positions of the peers in the list of [`subjects`].
const NPYZ: usize = 1;
const NPYZ_ALL: usize = 3;
const NDARRAY_NPY: usize = 4;

fn subjects() -> Result<[Subject; 6]> {
    let path = root().join("npy-core");
    let metadata = release::metadata(&["--no-deps"])?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let of_core = packages.filter(|package| package["name"] == "npy-core");
    let features = of_core.filter_map(|package| package["features"].as_object());
    let all: Vec<&String> =
        features.flat_map(|it| it.keys()).filter(|name| !name.starts_with('_')).collect();
    let ours = |options: &str| format!("npy-core = {{ path = {path:?}{options} }}");
    let our_code = |derive: &str| {
        let read = |ty| format!("npy_core::load::<Vec<{ty}>>(\"x.npy\").unwrap()");
        program(derive, &read("f64"), &read("Point"))
    };
    let npyz_code = |derive: &str| {
        let file = "std::io::BufReader::new(std::fs::File::open(\"x.npy\").unwrap())";
        let read = |ty| format!("npyz::NpyFile::new({file}).unwrap().into_vec::<{ty}>().unwrap()");
        program(derive, &read("f64"), &read("Point"))
    };
    let array = "ndarray_npy::read_npy::<_, ndarray::Array1<f64>>(\"x.npy\").unwrap()";
    Ok([
        Subject {
            name: "npy-core",
            features: "no features",
            dependency: ours(", default-features = false"),
            code: our_code(""),
        },
        Subject {
            name: "npyz",
            features: "no features",
            dependency: "npyz = { version = \"0.9\", default-features = false }".into(),
            code: npyz_code(""),
        },
        Subject {
            name: "npy-core",
            features: "default",
            dependency: ours(""),
            code: our_code("npy_core::NpyRecord"),
        },
        Subject {
            name: "npyz",
            features: "derive and npz",
            dependency: "npyz = { version = \"0.9\", features = [\"derive\", \"npz\"] }".into(),
            code: npyz_code("npyz::Deserialize"),
        },
        Subject {
            name: "ndarray-npy",
            features: "default: npz",
            dependency: "ndarray = \"0.17\"\nndarray-npy = \"0.10\"".into(),
            code: program("", array, array),
        },
        Subject {
            name: "npy-core",
            features: "all",
            dependency: ours(&format!(", features = {all:?}")),
            code: our_code("npy_core::NpyRecord"),
        },
    ])
}

/// A program that reads numbers, and structs if there is a derive for them.
fn program(derive: &str, numbers: &str, structs: &str) -> String {
    let code = format!("fn main() {{\n    println!(\"{{}}\", {numbers}.iter().sum::<f64>());\n");
    if derive.is_empty() {
        return code + "}\n";
    }
    format!(
        "#[derive({derive})]\nstruct Point {{ x: f32, y: f32 }}\n\n{code}    println!(\"{{}}\", {structs}.iter().map(|point| point.x * point.y).sum::<f32>());\n}}\n"
    )
}

/// Builds each program from scratch, in turns, and writes the table to `build.md`.
pub(crate) fn run() -> Result {
    let dir = root().join("target/build-time");
    let empty = package::write(&dir, "empty", "", "fn main() {\n    println!(\"{}\", 0.5);\n}\n")?;
    let (_, empty) = build(&dir, &empty)?;
    let subjects = subjects()?;
    let mut manifests = Vec::new();
    let mut crates = Vec::new();
    for (i, Subject { dependency, code, .. }) in subjects.iter().enumerate() {
        let manifest = package::write(&dir, &format!("program-{i}"), dependency, code)?;
        run_command(cargo(&["fetch", "--quiet", "--manifest-path"]).arg(&manifest))?;
        crates.push(count_crates(&manifest)?);
        manifests.push(manifest);
    }
    let mut times = vec![Vec::new(); subjects.len()];
    let mut sizes = vec![0; subjects.len()];
    for _ in 0..ROUNDS {
        for ((manifest, times), size) in manifests.iter().zip(&mut times).zip(&mut sizes) {
            let (time, bytes) = build(&dir, manifest)?;
            times.push(time);
            *size = bytes.saturating_sub(empty) / 1000;
        }
    }
    let mut table = String::from(
        "| first release build of a program with | features | crates | time | by npyz without features | by npyz with derive and npz | by ndarray-npy | size of the program, over an empty one |\n|---|---|---|---|---|---|---|---|\n",
    );
    for (i, Subject { name, features, .. }) in subjects.iter().enumerate() {
        // Of the same round, so that other load on the machine changes both.
        let by = |peer: usize| {
            median(
                times[i].iter().zip(&times[peer]).map(|(a, b)| a.as_secs_f64() / b.as_secs_f64()),
            )
        };
        let (own, npyz, npyz_all, ndarray) = (
            median(times[i].iter().map(Duration::as_secs_f64)),
            by(NPYZ),
            by(NPYZ_ALL),
            by(NDARRAY_NPY),
        );
        let (crates, size) = (crates[i], sizes[i]);
        writeln!(
            table,
            "| {name} | {features} | {crates} | {own:.1} s | {npyz:.2} | {npyz_all:.2} | {ndarray:.2} | {size} kB |"
        )?;
    }
    print!("{table}");
    fs::write(dir.join("build.md"), &table)?;
    Ok(())
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Builds a program from scratch, offline; returns the time, and the bytes of the stripped program.
fn build(dir: &Path, manifest: &Path) -> Result<(Duration, u64)> {
    let target = dir.join("target");
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    let start = Instant::now();
    let mut command = cargo(&["build", "--release", "--quiet", "--offline", "--manifest-path"]);
    command.arg(manifest).env("CARGO_TARGET_DIR", &target);
    command.env("CARGO_PROFILE_RELEASE_STRIP", "true");
    run_command(&mut command)?;
    let time = start.elapsed();
    let name = manifest.parent().and_then(Path::file_name).ok_or("a manifest is in a folder")?;
    let program: PathBuf = target.join("release").join(name);
    Ok((time, fs::metadata(program)?.len()))
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
