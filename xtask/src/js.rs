//! `cargo xtask js`: makes the package for npm of `npy-js`, and tests it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::browser::with_browser;
use crate::command::{output, run as run_command};
use crate::python::with_numpy;
use crate::wasm::{self, base64, pack};
use crate::{Result, root};

/// The most bytes of the package as npm sends it, compressed with gzip. The module takes five sixths of them; the goal is 200,000.
const MAX_BYTES: u64 = 250_000;

/// The most memory of the module: files that lie reach an error instead of the end of the machine's memory.
const MEMORY: &str = "--max-memory=2147483648";

/// The remedy if there is no Node.
const REMEDY: &str = "\
The package for npm is built and tested with Node 20 or newer, and npm:
  Debian, Ubuntu   apt install nodejs npm
  Fedora           dnf install nodejs
  macOS            brew install node";

pub(crate) fn run() -> Result {
    let package = build()?;
    run_command(&mut expected()?)?;
    let mut tests = with_browser(with_numpy(node(&["--test", "--test-reporter=spec"]))?)?;
    for test in files("test", ".test.mjs")? {
        tests.arg(test);
    }
    run_command(tests.env("NPY_PACKAGE", &package))?;
    run_command(tool("publint").arg("run").arg(&package))?;
    let rules = ["--ignore-rules", "cjs-resolves-to-esm"];
    run_command(tool("attw").arg(&package).args(["--profile", "node16"]).args(rules))?;
    println!("{}", package.display());
    Ok(())
}

/// Builds the package, and returns its path.
pub(crate) fn build() -> Result<PathBuf> {
    let module = wasm::build("npy-js", &[MEMORY])?;
    println!("npy-js: the module has {} bytes", module.len());
    fs::write(folder().join("ts/packed.ts"), script(&module)?)?;
    install()?;
    let dist = folder().join("dist");
    if dist.exists() {
        // A script that was renamed would stay in the package.
        fs::remove_dir_all(&dist)?;
    }
    // Comments are for the types, which editors show; the scripts are sent without them.
    run_command(tool("tsc").args(["--declaration", "false", "--removeComments"]))?;
    run_command(tool("tsc").arg("--emitDeclarationOnly"))?;
    package()
}

/// Returns the script with the packed module.
fn script(module: &[u8]) -> Result<String> {
    let unpack = fs::read_to_string(root().join("page/web/unpack.js"))?;
    let unpack = unpack
        .replace("\"use strict\";\n", "")
        .replace("function unpack", "export function unpack");
    let (size, packed) = (module.len(), base64(&pack(module)?));
    Ok(format!(
        "// @ts-nocheck\n{unpack}\nexport const size = {size};\nexport const packed: string = \"{packed}\";\n"
    ))
}

/// Installs the tools of the lock file, unless they are there.
fn install() -> Result {
    let lock = fs::read(folder().join("package-lock.json"))?;
    let stamp = folder().join("node_modules/.lock");
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    let ci = run_command(Command::new("npm").arg("ci").current_dir(folder()));
    ci.map_err(|error| format!("{error}\n\n{REMEDY}"))?;
    Ok(fs::write(stamp, lock)?)
}

/// Packs the package and returns its path; refuses one that is too large.
fn package() -> Result<PathBuf> {
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(root().join(name), folder().join(name))?;
    }
    let target = root().join("target/js");
    fs::create_dir_all(&target)?;
    let mut pack = Command::new("npm");
    pack.args(["pack", "--silent", "--pack-destination"]).arg(&target).current_dir(folder());
    let path = target.join(output(&mut pack)?.trim());
    let size = fs::metadata(&path)?.len();
    println!("npy-js: the package has {size} bytes");
    if size > MAX_BYTES {
        return Err(format!("the package has {size} bytes; {MAX_BYTES} are the limit").into());
    }
    Ok(path)
}

/// Returns the command that has NumPy write the files of the tests.
fn expected() -> Result<Command> {
    let mut python = Command::new(crate::python::interpreter()?);
    python.arg("-I").arg(folder().join("test/expected.py")).arg(folder().join("test/made"));
    Ok(python)
}

fn node(args: &[&str]) -> Command {
    let mut command = Command::new("node");
    command.args(args).current_dir(folder());
    command
}

/// Returns a tool of the lock file.
fn tool(name: &str) -> Command {
    let mut command = Command::new(folder().join("node_modules/.bin").join(name));
    command.current_dir(folder());
    command
}

fn folder() -> PathBuf {
    root().join("npy-js")
}

/// Returns the files in a folder of the package that end like this.
fn files(of: &str, ending: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder().join(of))? {
        let path = entry?.path();
        let is_wanted = |path: &Path| path.to_str().is_some_and(|path| path.ends_with(ending));
        if is_wanted(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
