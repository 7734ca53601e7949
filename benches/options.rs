//! The options of the command line.

use std::path::PathBuf;

pub(crate) const USAGE: &str = "\
usage: cargo xtask bench [--only W1r,W9] [--rounds N] [--quick]";

/// The options.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Options {
    /// The workloads to run; all of them if empty.
    pub(crate) only: Vec<String>,
    pub(crate) rounds: Option<usize>,
    /// True to run everything once with little data, to check that it works.
    pub(crate) quick: bool,
    /// The folder for the results.
    pub(crate) out: Option<PathBuf>,
}

impl Options {
    pub(crate) fn parse(args: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut options = Options::default();
        let mut args = args.into_iter();
        // `cargo test` also runs this, with arguments that are meant for tests.
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
