//! Licences and advisories of the crates that users of the published packages compile, which cargo-deny checks by `deny.toml`.

use super::Options;
use super::packages::ENGINE;
use crate::Result;
use crate::command::{cargo, output, run as run_command};

pub(super) fn check(options: &Options) -> Result<Vec<String>> {
    if output(&mut cargo(&["deny", "--version"])).is_err() {
        return Ok(vec!["licences and advisories: cargo install cargo-deny --locked".into()]);
    }
    for manifest in ["Cargo.toml", ENGINE] {
        // Only what is published, on any system, without dependencies of tests.
        let published = ["--all-features", "--exclude-dev", "--exclude-unpublished"];
        let mut deny = cargo(&["deny", "--manifest-path", manifest]);
        deny.args(published).args(["check", "licenses"]);
        if options.is_online {
            deny.arg("advisories");
        }
        run_command(&mut deny)?;
    }
    Ok(match options.is_online {
        true => Vec::new(),
        false => vec!["advisories of RustSec: --online asks for them".into()],
    })
}
