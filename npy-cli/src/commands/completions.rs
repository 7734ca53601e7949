//! `npy completions SHELL` and `npy man`: both are made from the arguments, so they are always complete.

use std::io::Write;

use clap::CommandFactory;

use crate::args::{Npy, meant};
use crate::output::{Failure, Output, Result};

#[derive(clap::Args)]
pub(crate) struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Result {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Npy::command(), "npy", &mut script);
        let mut out = Output::stdout();
        out.write_all(&script)?;
        out.finish()
    }
}

#[derive(clap::Args)]
pub(crate) struct Man {
    /// The subcommand whose page it is, such as head
    subcommand: Option<String>,
}

impl Man {
    pub(crate) fn run(self) -> Result {
        let mut npy = Npy::command();
        npy.build();
        let command = match &self.subcommand {
            None => npy,
            Some(name) => match npy.find_subcommand(name) {
                Some(found) => found
                    .clone()
                    .version(env!("CARGO_PKG_VERSION"))
                    .display_name(format!("npy-{name}")),
                None => {
                    let advice = meant(name)
                        .map_or(String::new(), |meant| format!("; did you mean {meant}?"));
                    return Err(Failure::usage(format!("there is no subcommand {name:?}{advice}")));
                }
            },
        };
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        let mut out = Output::stdout();
        out.write_all(&page)?;
        out.finish()
    }
}
