//! `cargo xtask engine`: the tests of `npy-datafusion` and of the packages in its workspace, some of them with a real NumPy, some with clusters of
//! processes, and some with servers of clouds. `cargo xtask cluster`: a cluster on this machine, to use by hand.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::{env, fs};

use crate::command::{cargo, installs, run as run_command};
use crate::python::{environment, target, with_numpy};
use crate::{Result, apt, programs};

const MANIFEST: [&str; 2] = ["--manifest-path", "npy-datafusion/Cargo.toml"];
const TARGET: &str = "target/engine";
const FEATURES: &str = "npy-datafusion/live,npy-datafusion/parquet,npy-datafusion/proto,npy-sql/live,npy-datafusion-bench/live";

/// The server of HTTP, and the module by which it lists directories: packages of Debian.
const NGINX: [&str; 2] = ["nginx", "libnginx-mod-http-dav-ext"];

/// Returns nginx, and installs it if it is missing.
fn nginx() -> Result<PathBuf> {
    if let Some(named) = env::var_os("NPY_NGINX") {
        return Ok(named.into());
    }
    let program = Path::new("/usr/sbin/nginx");
    let module = Path::new("/usr/lib/nginx/modules/ngx_http_dav_ext_module.so");
    for package in NGINX {
        if !program.exists() || !module.exists() {
            apt::install(package, NGINX_REMEDY)?;
        }
    }
    Ok(program.to_owned())
}

/// The remedy if there is no nginx.
const NGINX_REMEDY: &str = "\
The tests of HTTP need nginx with its module dav-ext, whose modules are at the path that `nginx -V` tells:
  Debian, Ubuntu   apt install nginx libnginx-mod-http-dav-ext
NPY_NGINX names one that is elsewhere";

/// The server of Azure's protocol, a package of npm.
const AZURITE: &str = "azurite@3.37.0";

/// Returns a server of S3, which is a package of Python, and installs it if it is missing.
pub(crate) fn moto() -> Result<PathBuf> {
    let python = environment("moto", "npy-datafusion/sql/tests/requirements.txt")?;
    Ok(python.with_file_name(if cfg!(windows) { "moto_server.exe" } else { "moto_server" }))
}

/// Returns a server of Azure's protocol, and installs it if it is missing.
fn azurite() -> Result<PathBuf> {
    let _lock = installs()?;
    let folder = target()?.join("azurite");
    // Written last, so that an incomplete folder lacks it.
    let stamp = folder.join("version.stamp");
    if !fs::read_to_string(&stamp).is_ok_and(|installed| installed == AZURITE) {
        println!("installing {AZURITE} in {}", folder.display());
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("package.json"), r#"{"private":true}"#)?;
        let install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", AZURITE];
        let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
        run_command(Command::new(npm).args(install).current_dir(&folder))
            .map_err(|error| format!("{error}\n\n{REMEDY}"))?;
        fs::write(&stamp, AZURITE)?;
    }
    Ok(folder.join("node_modules/.bin/azurite-blob"))
}

/// The remedy if there is no npm.
const REMEDY: &str = "\
The tests of clouds need Node and npm for a server of Azure's protocol:
  Debian, Ubuntu   apt install nodejs npm
  Fedora           dnf install nodejs
  macOS            brew install node";

pub(crate) fn run() -> Result {
    let mut test = cargo(&["test", "--workspace"]);
    test.args(MANIFEST).args(["--features", FEATURES]);
    test.args(["--target-dir", TARGET]);
    programs::run_with_docs(&test, |mut test| {
        test.env("NPY_MOTO", moto()?).env("NPY_AZURITE", azurite()?);
        test.env("NPY_NGINX", nginx()?);
        with_numpy(test)
    })
}

/// Starts three workers, and waits until the first of them ends.
pub(crate) fn cluster() -> Result {
    let mut build = cargo(&["build", "--release", "--package", "npy-distributed"]);
    run_command(build.args(MANIFEST).args(["--target-dir", TARGET]))?;
    let programs = Path::new(TARGET).join("release");
    let addresses = ["127.0.0.1:50051", "127.0.0.1:50052", "127.0.0.1:50053"];
    let start = |address: &&str| -> Result<Child> {
        Ok(Command::new(programs.join("npy-worker")).args(["--bind", address]).spawn()?)
    };
    let mut processes = addresses.iter().map(start).collect::<Result<Vec<_>>>()?;
    let query = programs.join("npy-query");
    println!(
        "three workers, until Ctrl-C: {} --workers {} SQL",
        query.display(),
        addresses.join(",")
    );
    let ended = processes.first_mut().map(Child::wait).transpose()?;
    for process in &mut processes {
        // It may have ended already.
        let _ = process.kill();
        process.wait()?;
    }
    Err(format!("a worker has ended: {ended:?}").into())
}
