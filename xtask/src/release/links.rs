//! Links and anchors in the pages of rustdoc and in the Markdown files, which lychee checks.

use std::process::Command;

use super::{Options, docs};
use crate::command::{output, run as run_command};
use crate::{Result, root};

/// Files whose links are not checked: pages of rustdoc for a list of crates, which only docs.rs has; pages of sources, whose anchors a script
/// makes; expected output; and the guide, which is in the pages of rustdoc.
const EXCLUDED: [&str; 6] =
    ["doc/help.html", "doc/settings.html", "doc/src/", "tests/corpus/", "/cmd/", "/_guide/"];

/// Links that are not checked: a script of rustdoc handles the lines of sources, and some pages only lead to another one.
const EXCLUDED_LINKS: [&str; 2] =
    ["/doc/src/.*#", "/doc/npy_core/(plan/cast|npz/read|limits|dynamic)/.*#"];

/// Checks all links; those to other machines only with `--online`.
pub(super) fn check(options: &Options) -> Result<Vec<String>> {
    if output(Command::new("lychee").arg("--version")).is_err() {
        return Ok(vec!["links and anchors: cargo install lychee --locked".into()]);
    }
    if !docs::are_built() {
        docs::build()?;
    }
    let tracked = output(Command::new("git").args(["ls-files", "*.md"]).current_dir(root()))?;
    let mut lychee = Command::new("lychee");
    lychee.args(["--no-progress", "--include-fragments", "--index-files", "index.html,."]);
    lychee.args(EXCLUDED_LINKS.iter().flat_map(|link| ["--exclude", link]));
    lychee.args(EXCLUDED.iter().flat_map(|part| ["--exclude-path", part]));
    if !options.is_online {
        lychee.arg("--offline");
    }
    run_command(lychee.current_dir(root()).arg(docs::folder()).args(tracked.lines()))?;
    Ok(match options.is_online {
        true => Vec::new(),
        false => vec!["addresses elsewhere: --online asks for each".into()],
    })
}
