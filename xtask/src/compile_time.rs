//! `cargo xtask compile-time`: measures the compile time of a hundred structs, compared with serde's derives.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::command::{cargo, run as run_command};
use crate::{Result, package, root};

const STRUCTS: usize = 100;
const FIELDS: usize = 10;
const ROUNDS: usize = 7;
const TYPES: [&str; 8] = ["u8", "i16", "u32", "i64", "f32", "f64", "bool", "[f32; 4]"];

/// A derive to measure: its name, the crates it needs, and the code that uses a struct.
struct Subject {
    name: &'static str,
    dependencies: String,
    imports: &'static str,
    derives: &'static str,
    call: fn(&str) -> String,
}

pub(crate) fn run() -> Result {
    let subjects = [
        Subject {
            name: "npy",
            dependencies: format!("npy-core = {{ path = {:?} }}", root().join("npy-core")),
            imports: "use npy_core::{NpyRecord, ReadNpy, WriteNpy};",
            derives: "NpyRecord",
            call: |name| {
                format!("Vec::<{name}>::read_npy(\"x\").unwrap().write_npy(\"y\").unwrap();")
            },
        },
        Subject {
            name: "serde",
            dependencies:
                "serde = { version = \"1\", features = [\"derive\"] }\nserde_json = \"1\"".into(),
            imports: "use serde::{Deserialize, Serialize};",
            derives: "Serialize, Deserialize",
            call: |name| {
                format!(
                    "serde_json::to_string(&serde_json::from_str::<Vec<{name}>>(\"x\").unwrap()).unwrap();"
                )
            },
        },
    ];
    println!("| {STRUCTS} structs of {FIELDS} fields | npy | serde | ratio |\n|---|---|---|---|");
    for (what, used, profile) in [
        ("derived", false, "dev"),
        ("derived, optimized", false, "release"),
        ("read and written", true, "dev"),
        ("read and written, optimized", true, "release"),
    ] {
        let packages: Vec<_> =
            subjects.iter().map(|subject| package(subject, used)).collect::<Result<_>>()?;
        // Dependencies are built before the clock starts.
        packages.iter().try_for_each(|package| build(package, profile).map(drop))?;
        // In turns, so that other load on the machine affects both.
        let mut times = [const { Vec::new() }; 2];
        for _ in 0..ROUNDS {
            for (package, times) in packages.iter().zip(&mut times) {
                times.push(build(package, profile)?);
            }
        }
        let [npy, serde] = times.map(median);
        let ratio = npy.as_secs_f64() / serde.as_secs_f64();
        println!("| {what} | {npy:.2?} | {serde:.2?} | {ratio:.2} |");
    }
    Ok(())
}

/// Writes a program with many structs; returns the path of its manifest.
fn package(subject: &Subject, used: bool) -> Result<PathBuf> {
    let name = format!("{}-{}", subject.name, if used { "used" } else { "derived" });
    let mut code = format!("#![allow(dead_code, unused_imports)]\n{}\n", subject.imports);
    for i in 0..STRUCTS {
        writeln!(code, "#[derive({})]\nstruct S{i} {{", subject.derives)?;
        for (j, of) in TYPES.iter().cycle().skip(i).take(FIELDS).enumerate() {
            writeln!(code, "    field_{j}: {of},")?;
        }
        writeln!(code, "}}")?;
    }
    writeln!(code, "fn main() {{")?;
    for i in (0..STRUCTS).filter(|_| used) {
        writeln!(code, "    {}", (subject.call)(&format!("S{i}")))?;
    }
    writeln!(code, "}}")?;
    let parent = root().join("target/compile-time");
    package::write(&parent, &name, &subject.dependencies, &code)
}

/// Builds the program without its dependencies, and returns the time.
fn build(manifest: &Path, profile: &str) -> Result<Duration> {
    let main = fs::File::options().append(true).open(manifest.with_file_name("src/main.rs"))?;
    main.set_modified(std::time::SystemTime::now())?;
    let start = Instant::now();
    let target = root().join("target/compile-time/target");
    let mut command = cargo(&["build", "--quiet", "--profile", profile, "--manifest-path"]);
    run_command(command.arg(manifest).env("CARGO_TARGET_DIR", target))?;
    Ok(start.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
