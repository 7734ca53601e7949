//! `cargo xtask js`: makes the package for npm of `npy-js`, its documentation, and the extension of `npy-js/vscode`, and tests them.

mod docs;
mod runtimes;
mod types;
mod vscode;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::MultiGzDecoder;
use zopfli::Format;

use crate::browser::{with_browser, with_firefox};
use crate::command::{output, run as run_command};
use crate::npm::Package;
use crate::python::with_numpy;
use crate::wasm::{self, base64, pack};
use crate::{Result, root};

/// The most bytes of the packed file, as `npm publish FILE` sends it. The module takes five sixths of them.
const MAX_BYTES: u64 = 200_000;

/// The most memory of the module: files that lie reach an error instead of the end of the machine's memory.
const MEMORY: &str = "--max-memory=2147483648";

/// The scripts that programs import, the command, and one for the tests alone.
const ENTRIES: [&str; 6] = ["index", "node", "file", "file-node", "command", "internal"];

pub(crate) fn run() -> Result {
    let npm = Package::install("npy-js")?;
    let package = build_in(&npm)?;
    run_command(&mut expected(&npm)?)?;
    let mut tests = with_firefox(with_browser(with_numpy(npm.tests()?)?)?)?;
    run_command(tests.env("NPY_PACKAGE", &package))?;
    runtimes::run(&npm)?;
    run_command(npm.tool("publint").arg("run").arg(&package))?;
    let rules = ["--ignore-rules", "cjs-resolves-to-esm"];
    run_command(npm.tool("attw").arg(&package).args(["--profile", "node16"]).args(rules))?;
    docs::run()?;
    println!("{}", package.display());
    vscode::run()
}

/// Builds the package, and returns its path.
pub(crate) fn build() -> Result<PathBuf> {
    build_in(&Package::install("npy-js")?)
}

/// Builds the extension for editors, and returns the path of the packed one.
pub(crate) fn extension() -> Result<PathBuf> {
    vscode::build()
}

/// Returns the command that tests an extension in another folder.
pub(crate) fn tests_of_extension(folder: &Path) -> Command {
    vscode::tests_of(folder)
}

fn build_in(npm: &Package) -> Result<PathBuf> {
    let module = wasm::build("arrays", &[MEMORY])?;
    println!("npy-js: the module has {} bytes", module.len());
    fs::write(npm.path("ts/packed.ts"), script(&module)?)?;
    npm.clean("dist")?;
    scripts(npm)?;
    // Comments are in the types alone, which editors show.
    run_command(&mut npm.tool("tsc"))?;
    types::keep_public(&npm.path("dist"))?;
    packed(npm)
}

/// Joins the scripts of each entry, without comments and with short names: each file of a package costs about 100 bytes, and
/// their names are a tenth of them.
fn scripts(npm: &Package) -> Result {
    let esbuild = || {
        let mut esbuild = npm.tool("esbuild");
        esbuild.args(["--format=esm", "--minify", "--target=es2022", "--log-level=warning"]);
        esbuild.arg("--outdir=dist");
        esbuild
    };
    let mut bundle = esbuild();
    bundle.args(ENTRIES.map(|name| format!("ts/{name}.ts")));
    bundle.args(["--bundle", "--splitting", "--platform=neutral"]);
    // `sideEffects` of package.json is about the scripts that this makes.
    bundle.args(["--ignore-annotations", "--external:node:fs", "--external:./packed.js"]);
    // Node prints the line of an error that nothing catches.
    run_command(bundle.arg("--line-limit=160"))?;
    // The text of the module is one line: each line feed in it would be two bytes more.
    run_command(esbuild().arg("ts/packed.ts"))
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

/// Packs the package and returns its path; refuses one that is too large.
fn packed(npm: &Package) -> Result<PathBuf> {
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(root().join(name), npm.path(name))?;
    }
    let target = root().join("target/js");
    fs::create_dir_all(&target)?;
    let mut pack = npm.command("npm");
    pack.args(["pack", "--silent", "--pack-destination"]).arg(&target);
    let path = target.join(output(&mut pack)?.trim());
    let size = compress_again(&path)?;
    println!("npy-js: the package has {size} bytes");
    if size > MAX_BYTES {
        return Err(format!("the package has {size} bytes; {MAX_BYTES} are the limit").into());
    }
    Ok(path)
}

/// Compresses a packed file again, by a better encoder of the same format, and returns its size.
fn compress_again(path: &Path) -> Result<u64> {
    let mut files = Vec::new();
    MultiGzDecoder::new(fs::File::open(path)?).read_to_end(&mut files)?;
    let options = zopfli::Options::default();
    zopfli::compress(options, Format::Gzip, files.as_slice(), fs::File::create(path)?)?;
    Ok(fs::metadata(path)?.len())
}

/// Returns the command that has NumPy write the files of the tests.
fn expected(npm: &Package) -> Result<Command> {
    let mut python = Command::new(crate::python::interpreter()?);
    python.arg("-I").arg(npm.path("test/expected.py")).arg(npm.path("test/made"));
    Ok(python)
}
