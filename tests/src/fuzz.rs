//! The properties that must hold for any bytes: one function for each fuzz target. `tests/fuzzed.rs` runs them on a few
//! inputs, too.

mod archive;
mod choices;
mod dtype;
mod dynamic;
mod end;
mod graph;
mod header;
mod literal;
mod mutate;
mod npz;
mod pickle;
mod plan;
mod record;
mod view;
mod writer;
mod zip;

pub use mutate::{Random, mutate};

/// A fuzz target.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name of the program in `tests/fuzz/targets` and of the folder in `tests/fuzz/regressions`.
    pub name: &'static str,
    /// Panics if a property does not hold for these bytes.
    pub run: fn(&[u8]),
    /// The inputs to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All fuzz targets.
pub const TARGETS: [Target; 14] = [
    Target { name: "literal", run: literal::run, seeds: literal::seeds },
    Target { name: "header", run: header::run, seeds: seeds_of_files },
    Target { name: "dtype", run: dtype::run, seeds: dtype::seeds },
    Target { name: "dynamic", run: dynamic::run, seeds: seeds_of_files },
    Target { name: "record", run: record::run, seeds: record::seeds },
    Target { name: "view", run: view::run, seeds: view::seeds },
    Target { name: "plan", run: plan::run, seeds: noise },
    Target { name: "npz", run: npz::run, seeds: npz::seeds },
    Target { name: "pickle", run: pickle::run, seeds: pickle::seeds },
    Target { name: "graph", run: graph::run, seeds: graph::seeds },
    Target { name: "writer", run: writer::run, seeds: noise },
    Target { name: "end", run: end::run, seeds: end::seeds },
    Target { name: "zip", run: zip::run, seeds: npz::seeds },
    Target { name: "archive", run: archive::run, seeds: archive::seeds },
];

/// Returns the target of this name.
///
/// # Panics
///
/// If there is none.
pub fn target(name: &str) -> Target {
    TARGETS.into_iter().find(|target| target.name == name).expect("a target of this name")
}

/// Writes the seeds of a target into the folder that `NPY_FUZZ_SEEDS` names, before a fuzzer begins.
///
/// # Panics
///
/// If they cannot be written.
pub fn write_seeds(name: &str) {
    let Some(folder) = std::env::var_os("NPY_FUZZ_SEEDS") else { return };
    for (i, seed) in (target(name).seeds)().iter().enumerate() {
        let path = std::path::Path::new(&folder).join(format!("{i}"));
        std::fs::write(path, seed).expect("the folder can be written to");
    }
}

/// The size limit of a seed: larger ones make the runs slow.
const SEED: usize = 8 << 10;

/// The files of `tests/golden` and `tests/corpus`, valid or not.
fn seeds_of_files() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    let mut folders = vec![crate::golden(""), crate::corpus().join("files")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "npy") {
                files.push(path);
            }
        }
    }
    files.sort();
    let read = |path| std::fs::read(path).expect("the file can be read");
    files.into_iter().map(read).filter(|bytes| bytes.len() <= SEED).collect()
}

/// The texts of the headers in those files.
fn seeds_of_headers() -> Vec<Vec<u8>> {
    let text = |bytes: Vec<u8>| {
        let (header, offset) = npy_core::Header::parse(&bytes).ok()?;
        let start = if header.version() == npy_core::Version::V1 { 10 } else { 12 };
        Some(bytes.get(start..offset)?.trim_ascii_end().to_vec())
    };
    let mut texts: Vec<_> = seeds_of_files().into_iter().filter_map(text).collect();
    texts.sort();
    texts.dedup();
    texts
}

/// Seeds for targets that read their input as a sequence of decisions.
fn noise() -> Vec<Vec<u8>> {
    let mut random = Random::new(1);
    (0..40).map(|i| (0..i * 8).map(|_| random.byte()).collect()).collect()
}
