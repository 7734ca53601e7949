//! `cargo xtask release VERSION --dry-run`: everything that must hold before a version is published, and what is published with it. Nothing is published.

mod artifacts;
mod dependencies;
mod docs;
mod links;
mod minimal;
mod packages;
mod systems;

pub(crate) use packages::metadata;

use artifacts::{command, crates, extension, npm, sums, wheel};

use crate::{Result, adopt, cross, features, root};

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
    version: String,
    /// The target of rustc for the command; `None` for this system.
    target: Option<String>,
}

/// Each step returns notes: what it could not check, or what is left to do by hand.
const STEPS: [Step; 19] = [
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
        what: "the programs with crates of others, and those that read over a network",
        run: |_| adopt::all().map(|()| Vec::new()),
    },
    Step { name: "publish", what: "cargo publish --dry-run", run: |_| packages::publish() },
    Step {
        name: "crates",
        what: "the packed crates, and a program that depends on them",
        run: |options| crates::pack(&options.version),
    },
    Step {
        name: "wheel",
        what: "the Python package in an empty environment",
        run: |options| wheel::build(&options.version),
    },
    Step {
        name: "npm",
        what: "the package for npm in an empty folder",
        run: |options| npm::build(&options.version),
    },
    Step {
        name: "page",
        what: "the page that shows files in a browser",
        run: |options| artifacts::page(&options.version),
    },
    Step {
        name: "extension",
        what: "the extension that shows files in an editor, unpacked",
        run: |options| extension::build(&options.version),
    },
    Step {
        name: "command",
        what: "the command as an archive, with man pages and completions",
        run: command::build,
    },
    Step {
        name: "sbom",
        what: "the crates in each package; cargo-cyclonedx",
        run: |options| sums::components(&options.version),
    },
    Step {
        name: "sums",
        what: "checksums of all of these",
        run: |options| sums::write(&options.version),
    },
];

const USAGE: &str = "\
usage: cargo xtask release [VERSION] --dry-run [--online] [--target TRIPLE] [STEP...]
Without a VERSION, it is that of Cargo.toml. The artifacts are in target/release-VERSION.
Nothing is published: for that, follow \"Releases\" in CONTRIBUTING.md.
Steps:";

/// Reads the arguments; `None` if they are wrong.
fn parse(args: &[&str], version: &str) -> Option<(Options, Vec<String>)> {
    let mut options = Options { is_online: false, version: version.to_owned(), target: None };
    let (mut is_dry, mut names) = (false, Vec::new());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match *arg {
            "--dry-run" => is_dry = true,
            "--online" => options.is_online = true,
            "--target" => options.target = Some((*args.next()?).to_owned()),
            name if STEPS.iter().any(|step| step.name == name) => names.push(name.to_owned()),
            other if other.starts_with(|first: char| first.is_ascii_digit()) => {
                other.clone_into(&mut options.version);
            }
            _ => return None,
        }
    }
    is_dry.then_some((options, names))
}

/// Returns the version of the packages.
fn version_here() -> Result<String> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml"))?;
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = "));
    Ok(version.ok_or("Cargo.toml has no version")?.trim_matches('"').to_owned())
}

pub(crate) fn run(args: &[&str]) -> Result {
    let here = version_here()?;
    let Some((options, names)) = parse(args, &here) else {
        let steps = STEPS.map(|step| format!("  {:10} {}", step.name, step.what));
        return Err(format!("{USAGE}\n{}", steps.join("\n")).into());
    };
    if options.version != here {
        let version = &options.version;
        return Err(format!(
            "Cargo.toml has the version {here}, and not {version}; change it there first"
        )
        .into());
    }
    let mut notes = Vec::new();
    let mut failed = Vec::new();
    for step in
        STEPS.iter().filter(|step| names.is_empty() || names.iter().any(|name| name == step.name))
    {
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
            println!("\nrelease {}: all checks passed", options.version);
            Ok(())
        }
        _ => Err(format!("\nrelease: failed: {}", failed.join(", ")).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_version_and_steps_are_told_apart() {
        let (options, names) =
            parse(&["0.2.0", "--dry-run", "crates", "--target", "x"], "0.1.0").unwrap();
        assert_eq!((options.version.as_str(), options.target.as_deref()), ("0.2.0", Some("x")));
        assert_eq!(names, ["crates"]);
        assert_eq!(parse(&["--dry-run"], "0.1.0").unwrap().0.version, "0.1.0");
        for wrong in [&["0.1.0"][..], &["--dry-run", "none"], &["--dry-run", "--target"]] {
            assert!(parse(wrong, "0.1.0").is_none(), "{wrong:?}");
        }
    }
}
