//! `cargo xtask wheel --target TRIPLE`: wheels for a Linux that this machine need not be, linked by zig, which a package of Python brings.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::run;
use crate::cross::install_target;
use crate::python::{environment, target};
use crate::{Result, root};

/// The wheel of the first interpreter is for all from 3.10 on. One without a lock has no stable ABI before 3.15, so it gets a wheel of its own.
const INTERPRETERS: [&str; 2] = ["python3", "python3.14t"];

/// A target of rustc.
struct Linux {
    triple: &'static str,
    /// The oldest C library.
    compatibility: &'static str,
    /// The number of the processor in the header of ELF.
    machine: u16,
}

const ALL: [Linux; 4] = [
    Linux { triple: "x86_64-unknown-linux-gnu", compatibility: "manylinux2014", machine: 62 },
    Linux { triple: "aarch64-unknown-linux-gnu", compatibility: "manylinux2014", machine: 183 },
    Linux { triple: "x86_64-unknown-linux-musl", compatibility: "musllinux_1_2", machine: 62 },
    Linux { triple: "aarch64-unknown-linux-musl", compatibility: "musllinux_1_2", machine: 183 },
];

/// Builds the wheels for a target into `target/wheels-TRIPLE`, and looks into them.
pub(crate) fn build(triple: &str) -> Result {
    let Some(linux) = ALL.iter().find(|linux| linux.triple == triple) else {
        let known = ALL.map(|linux| linux.triple).join(", ");
        return Err(format!("no wheels for {triple}; the targets are {known}").into());
    };
    install_target(triple)?;
    let python = environment("zig-venv", "npy-python/requirements-zig.txt")?;
    let wheels = target()?.join(format!("wheels-{triple}"));
    // Wheels of earlier versions would be published, too.
    let _ = fs::remove_dir_all(&wheels);
    for interpreter in INTERPRETERS {
        let mut maturin = Command::new(&python);
        maturin.args(["-m", "maturin", "build", "--release", "--zig", "--target", triple]);
        maturin.args(["--compatibility", linux.compatibility, "--interpreter", interpreter]);
        maturin.arg("--manifest-path").arg(root().join("npy-python/Cargo.toml"));
        maturin.arg("--target-dir").arg(target()?.join("python")).arg("--out").arg(&wheels);
        // maturin looks for zig in the first Python that it finds.
        run(maturin.env("PATH", path_from(&python)?))?;
    }
    let mut built = 0;
    for wheel in fs::read_dir(&wheels)? {
        let wheel = wheel?.path();
        check(&wheel, linux, &python)?;
        println!("{}", wheel.display());
        built += 1;
    }
    match built == INTERPRETERS.len() {
        true => Ok(()),
        false => Err(format!("maturin built {built} wheels of {}", INTERPRETERS.len()).into()),
    }
}

/// Returns the paths of programs, those of an environment first.
fn path_from(python: &Path) -> Result<OsString> {
    let mut paths: Vec<PathBuf> = python.parent().map(Path::to_owned).into_iter().collect();
    paths.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    Ok(env::join_paths(paths)?)
}

/// Checks that the module of a wheel is for the processor, and that Python can find its first function.
fn check(wheel: &Path, linux: &Linux, python: &Path) -> Result {
    let unpacked = target()?.join("wheel-unpacked");
    let _ = fs::remove_dir_all(&unpacked);
    run(Command::new(python).args(["-m", "zipfile", "-e"]).arg(wheel).arg(&unpacked))?;
    for entry in fs::read_dir(unpacked.join("npy_core"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "so") {
            return check_module(&fs::read(&path)?, linux)
                .map_err(|error| format!("{}: {error}", wheel.display()).into());
        }
    }
    Err(format!("{} has no module", wheel.display()).into())
}

fn check_module(module: &[u8], linux: &Linux) -> Result {
    let machine =
        module.get(18..20).and_then(|bytes| Some(u16::from_le_bytes(bytes.try_into().ok()?)));
    if !module.starts_with(b"\x7fELF") || machine != Some(linux.machine) {
        return Err(format!("the module is not for {}", linux.triple).into());
    }
    let first = b"PyInit__native\0";
    match module.windows(first.len()).any(|bytes| bytes == first) {
        true => Ok(()),
        false => Err("the module has no PyInit__native".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL, check_module};

    #[test]
    fn a_module_for_another_processor_is_refused() {
        let mut module = b"\x7fELF".to_vec();
        module.resize(18, 0);
        module.extend(183_u16.to_le_bytes());
        assert!(check_module(&module, &ALL[1]).is_err(), "without its first function");
        module.extend(b"\0PyInit__native\0");
        check_module(&module, &ALL[1]).unwrap();
        assert!(check_module(&module, &ALL[0]).is_err(), "another processor");
    }
}
