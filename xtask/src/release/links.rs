//! Links and anchors in the pages of rustdoc and in the Markdown files.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use super::{Options, docs};
use crate::command::output;
use crate::{Result, root};

/// Checks all links; those to other machines only with `--online`.
pub(super) fn check(options: &Options) -> Result<Vec<String>> {
    if !docs::are_built() {
        docs::build()?;
    }
    let mut files = pages(&docs::folder(), "html")?;
    // These pages of rustdoc expect a list of crates, which docs.rs has.
    files.retain(|file| !file.ends_with("doc/help.html") && !file.ends_with("doc/settings.html"));
    let tracked = output(Command::new("git").args(["ls-files", "*.md"]).current_dir(root()))?;
    // The guide is in the pages of rustdoc.
    let is_text = |path: &&str| {
        !["tests/corpus/", "/cmd/", "/_guide/"].iter().any(|part| path.contains(part))
    };
    files.extend(tracked.lines().filter(is_text).map(|path| root().join(path)));
    let mut checker = Checker::default();
    for file in &files {
        checker.file(file)?;
    }
    let Checker { dead, external, count, .. } = checker;
    println!("{count} links in {} files, {} addresses elsewhere", files.len(), external.len());
    if !dead.is_empty() {
        return Err(dead.join("\n").into());
    }
    if !options.is_online {
        let list = root().join("target/external-links.txt");
        let addresses: Vec<&str> = external.iter().map(String::as_str).collect();
        fs::write(&list, addresses.join("\n") + "\n")?;
        let count = external.len();
        return Ok(vec![format!(
            "{count} addresses elsewhere, in target/external-links.txt: --online asks for each"
        )]);
    }
    let dead: Vec<&String> = external.iter().filter(|address| !answers(address)).collect();
    match dead.is_empty() {
        true => Ok(Vec::new()),
        false => Err(format!("these addresses do not answer: {dead:#?}").into()),
    }
}

/// Returns all files in a folder with this extension.
pub(super) fn pages(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                left.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

#[derive(Default)]
struct Checker {
    /// The anchors of each file that was looked at.
    anchors: HashMap<PathBuf, HashSet<String>>,
    dead: Vec<String>,
    external: BTreeSet<String>,
    count: usize,
}

impl Checker {
    fn file(&mut self, file: &Path) -> Result {
        let text = fs::read_to_string(file)?;
        let is_html = file.extension().is_some_and(|extension| extension == "html");
        let links = if is_html { html_links(&text) } else { markdown_links(&text) };
        for link in links {
            self.count += 1;
            if link.starts_with("http://") || link.starts_with("https://") {
                // Those to the standard library were checked when the pages were made.
                if !link.starts_with("https://doc.rust-lang.org/") {
                    self.external.insert(link);
                }
            } else if !link.starts_with("javascript:")
                && !link.starts_with("data:")
                && let Some(problem) = self.problem(file, &link)
            {
                let shown = file.strip_prefix(root()).unwrap_or(file);
                self.dead.push(format!("{}: {link}: {problem}", shown.display()));
            }
        }
        Ok(())
    }

    /// Returns what is wrong with a link in a file.
    fn problem(&mut self, file: &Path, link: &str) -> Option<&'static str> {
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        let path = path.split('?').next().unwrap_or(path);
        let target = match path {
            "" => file.to_owned(),
            _ => normal(&file.parent()?.join(path)),
        };
        let target = redirected(target);
        if !target.exists() {
            return Some("no such file");
        }
        // The script of rustdoc handles anchors of ranges of lines.
        let is_source = target.components().any(|part| part.as_os_str() == "src");
        if anchor.is_empty() || is_source || target.is_dir() {
            return None;
        }
        if !self.anchors.contains_key(&target) {
            let text = fs::read_to_string(&target).ok()?;
            let is_html = target.extension().is_some_and(|extension| extension == "html");
            let anchors = if is_html { html_ids(&text) } else { headings(&text) };
            self.anchors.insert(target.clone(), anchors);
        }
        let anchors = self.anchors.get(&target)?;
        (!anchors.contains(anchor)).then_some("no such anchor")
    }
}

/// Returns the page that a page of rustdoc for a former path leads to.
fn redirected(page: PathBuf) -> PathBuf {
    let text = fs::read_to_string(&page).unwrap_or_default();
    let url = text
        .split_once("http-equiv=\"refresh\" content=\"0;URL=")
        .and_then(|it| it.1.split_once('"'));
    match (url, page.parent()) {
        (Some((url, _)), Some(folder)) => normal(&folder.join(url)),
        _ => page,
    }
}

/// Returns a path without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

/// Returns the values of an attribute.
fn values<'a>(html: &'a str, attribute: &'a str) -> impl Iterator<Item = &'a str> {
    html.match_indices(attribute).filter_map(move |(at, _)| {
        // `data-id="…"` is another attribute.
        if !html[..at].ends_with([' ', '\n']) {
            return None;
        }
        Some(html[at + attribute.len()..].split_once('"')?.0)
    })
}

fn html_links(html: &str) -> Vec<String> {
    values(html, "href=\"").map(unescaped).collect()
}

fn html_ids(html: &str) -> HashSet<String> {
    values(html, "id=\"").map(unescaped).collect()
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// Returns the lines of Markdown that are not code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Returns the targets of `[text](target)` and `[name]: target`.
fn markdown_links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in prose(text) {
        // Code in a line has no links.
        let line: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for (at, _) in line.match_indices("](") {
            if let Some((target, _)) = line[at + 2..].split_once(')') {
                links.push(target.split(' ').next().unwrap_or(target).to_owned());
            }
        }
        if let Some((_, target)) = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")) {
            links.push(target.trim().to_owned());
        }
    }
    links
}

/// Returns the anchors that a Markdown file has for its headings.
fn headings(text: &str) -> HashSet<String> {
    let heading = |line: &str| {
        let rest = line.trim_start_matches('#');
        let is_heading = rest.len() < line.len() && rest.starts_with(' ');
        is_heading.then(|| anchor(rest.trim()))
    };
    prose(text).filter_map(heading).collect()
}

/// Returns the anchor of a heading: small letters, hyphens for blanks, and no punctuation.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase()
}

/// Asks an address, with the program `curl`.
fn answers(address: &str) -> bool {
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--show-error", "--fail", "--location", "--max-time", "30"]);
    curl.args(["--output", if cfg!(windows) { "NUL" } else { "/dev/null" }, address]);
    curl.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::{headings, html_ids, html_links, markdown_links};

    #[test]
    fn links_and_anchors_of_markdown_are_found_outside_of_code() {
        let text = "# A `b`: c\n[x](y.md#z) `[no](no)`\n```\n[no](no)\n# no\n```\n[r]: s.md\n";
        assert_eq!(markdown_links(text), ["y.md#z", "s.md"]);
        assert_eq!(headings(text).into_iter().collect::<Vec<_>>(), ["a-b-c"]);
    }

    #[test]
    fn links_and_anchors_of_pages_are_found() {
        let html = "<a href=\"a.html#b&lt;c\" id=\"d\" data-id=\"e\">";
        assert_eq!(html_links(html), ["a.html#b<c"]);
        assert_eq!(html_ids(html).into_iter().collect::<Vec<_>>(), ["d"]);
    }
}
