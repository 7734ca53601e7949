//! `cargo xtask page`: makes one HTML file of `page/web` and the module of `npy-js` with the calls of the page.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::wasm::{self, base64, pack};
use crate::{Result, root};

/// The most bytes of the page, compressed with gzip at its usual level.
const MAX_BYTES: usize = 200_000;

pub(crate) fn run() -> Result {
    let path = build()?;
    println!("{}", path.display());
    Ok(())
}

/// Builds the page and returns its path.
pub(crate) fn build() -> Result<PathBuf> {
    let module = wasm::build("view", &[])?;
    let target = root().join("target");
    let web = |name: &str| fs::read_to_string(root().join("page/web").join(name));
    let page = assemble(
        &web("page.html")?,
        &[
            ("/*SIZE*/", &module.len().to_string()),
            ("/*CSS*/", &web("page.css")?),
            ("/*MODULE*/", &base64(&pack(&module)?)),
            ("/*WORKER*/", &code_of(&web("worker.js")?)),
            ("/*UNPACK*/", &code_of(&web("unpack.js")?)),
            ("/*SCRIPT*/", &code_of(&web("page.js")?)),
        ],
    )?;
    // Level 9 of zlib-rs makes text of this kind larger than level 6 does.
    let mut sent = GzEncoder::new(Vec::new(), Compression::default());
    sent.write_all(page.as_bytes())?;
    let sent = sent.finish()?.len();
    println!("page: {} bytes, {sent} with gzip; the module has {} bytes", page.len(), module.len());
    if sent > MAX_BYTES {
        return Err(
            format!("the page has {sent} bytes with gzip; {MAX_BYTES} are the limit").into()
        );
    }
    let path = target.join("page/npy.html");
    fs::create_dir_all(target.join("page"))?;
    fs::write(&path, page)?;
    Ok(path)
}

/// Returns a script without indentation and lines of comments, as it is sent to everyone who opens the page.
pub(crate) fn code_of(script: &str) -> String {
    let lines = script.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    lines.fold(String::new(), |code, line| code + line + "\n")
}

/// Puts each part in the place of its mark.
fn assemble(page: &str, parts: &[(&str, &str)]) -> Result<String> {
    let mut page = page.to_owned();
    for (mark, part) in parts {
        if page.matches(mark).count() != 1 {
            return Err(format!("page.html must have `{mark}` once").into());
        }
        // Such a text would end the element early.
        if part.contains("</script") || part.contains("</style") {
            return Err(format!("the part for `{mark}` ends its element").into());
        }
        page = page.replacen(mark, part.trim_end(), 1);
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::{assemble, code_of};

    #[test]
    fn scripts_are_sent_without_comments() {
        assert_eq!(
            code_of("// What it is.\nlet x = 1; // one\n  // More.\n  f();\n"),
            "let x = 1; // one\nf();\n"
        );
    }

    /// Guards that no part is lost, or ends the element that it is in.
    #[test]
    fn parts_replace_their_marks() {
        assert_eq!(assemble("<a>/*X*/</a>", &[("/*X*/", "b\n")]).unwrap(), "<a>b</a>");
        assert!(assemble("<a></a>", &[("/*X*/", "b")]).is_err());
        assert!(assemble("/*X*/", &[("/*X*/", "'</script>'")]).is_err());
    }
}
