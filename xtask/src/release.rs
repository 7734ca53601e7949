//! `cargo xtask release --dry-run`: everything that must hold before a version is published. Nothing is published.

mod dependencies;
mod docs;
mod links;
mod minimal;
mod packages;
mod systems;

pub(crate) use packages::metadata;

use crate::{Result, adopt, cross, features};

/// A check, by its name on the command line.
struct Step {
    name: &'static str,
    what: &'static str,
    run: fn(&Options) -> Result<Vec<String>>,
}

/// The arguments.
pub(super) struct Options {
    /// True if other machines may be asked: for advisories and external links.
    is_online: bool,
}

/// Each step returns notes: what it could not check, or what is left to do by hand.
const STEPS: [Step; 11] = [
    Step {
        name: "packages",
        what: "versions, changelog, metadata, licence files",
        run: |_| packages::check(),
    },
    Step {
        name: "licences",
        what: "licences and advisories of dependencies; cargo-deny",
        run: dependencies::check,
    },
    Step {
        name: "features",
        what: "every feature of npy-core alone, and every pair; cargo-hack",
        run: |_| features::each_pair(),
    },
    Step { name: "msrv", what: "the oldest Rust", run: |_| systems::oldest_rust() },
    Step { name: "docs", what: "documentation as on docs.rs", run: |_| docs::build() },
    Step { name: "links", what: "links and anchors of documentation; lychee", run: links::check },
    Step {
        name: "minimal",
        what: "the lowest versions of dependencies",
        run: |_| minimal::check(),
    },
    Step { name: "systems", what: "Windows and macOS", run: |_| systems::others() },
    Step { name: "cross", what: "32 bits and wasm32", run: |_| cross::run().map(|()| Vec::new()) },
    Step {
        name: "adopt",
        what: "the programs with crates of others",
        run: |_| adopt::all().map(|()| Vec::new()),
    },
    Step { name: "publish", what: "cargo publish --dry-run", run: |_| packages::publish() },
];

const USAGE: &str = "\
usage: cargo xtask release --dry-run [--online] [STEP...]
This only checks. To publish, follow \"Releases\" in CONTRIBUTING.md.
Steps:";

pub(crate) fn run(args: &[&str]) -> Result {
    let (flags, names): (Vec<&str>, Vec<&str>) =
        args.iter().copied().partition(|arg| arg.starts_with('-'));
    let known = |name: &&&str| STEPS.iter().any(|step| step.name == **name);
    let is_wrong = flags.iter().any(|flag| !["--dry-run", "--online"].contains(flag))
        || !names.iter().all(|name| known(&name));
    if is_wrong || !flags.contains(&"--dry-run") {
        let steps = STEPS.map(|step| format!("  {:10} {}", step.name, step.what));
        return Err(format!("{USAGE}\n{}", steps.join("\n")).into());
    }
    let options = Options { is_online: flags.contains(&"--online") };
    let mut notes = Vec::new();
    let mut failed = Vec::new();
    for step in STEPS.iter().filter(|step| names.is_empty() || names.contains(&step.name)) {
        println!("\n== {}: {}", step.name, step.what);
        match (step.run)(&options) {
            Ok(more) => notes.extend(more.into_iter().map(|note| format!("{}: {note}", step.name))),
            Err(error) => {
                eprintln!("{error}");
                failed.push(step.name);
            }
        }
    }
    if !notes.is_empty() {
        println!("\nnot checked, or left to do:\n  {}", notes.join("\n  "));
    }
    match failed.as_slice() {
        [] => {
            println!("\nrelease: all checks passed");
            Ok(())
        }
        _ => Err(format!("\nrelease: failed: {}", failed.join(", ")).into()),
    }
}
