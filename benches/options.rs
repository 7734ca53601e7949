//! What is said on the command line.

use std::path::PathBuf;

pub(crate) const USAGE: &str = "\
usage: cargo xtask bench [--only W1r,W9] [--rounds N] [--quick]";

/// What to run, and how.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Options {
    /// Workloads; none are all.
    pub(crate) only: Vec<String>,
    pub(crate) rounds: Option<usize>,
    /// Everything once, with little data, to see that it works.
    pub(crate) quick: bool,
    /// Where the results go.
    pub(crate) out: Option<PathBuf>,
}

impl Options {
    pub(crate) fn parse(args: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut options = Options::default();
        let mut args = args.into_iter();
        // `cargo test` runs this, too, with arguments that are for tests.
        let mut is_bench = false;
        let mut unknown = None;
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(USAGE);
            match arg.as_str() {
                "--bench" => is_bench = true,
                "--only" => options.only.extend(value()?.split(',').map(str::to_owned)),
                "--rounds" => {
                    let rounds = value()?.parse().ok().filter(|rounds| *rounds > 0);
                    options.rounds = Some(rounds.ok_or(USAGE)?);
                }
                "--quick" => options.quick = true,
                "--out" => options.out = Some(value()?.into()),
                _ => unknown = Some(arg),
            }
        }
        match unknown {
            _ if !is_bench => Ok(Options { quick: true, ..Options::default() }),
            Some(arg) => Err(format!("{arg}?\n{USAGE}")),
            None => Ok(options),
        }
    }

    pub(crate) fn wants(&self, id: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == id)
    }
}
