//! `cargo xtask page`: makes one HTML file of `page/web` and the module that the package `npy-page` compiles to.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use lzma_rust2::{LzmaOptions, LzmaWriter};

use crate::command::{cargo, run as run_command};
use crate::cross::install_target;
use crate::{Result, root};

/// The target of browsers.
const TARGET: &str = "wasm32-unknown-unknown";

/// The most bytes of the page, compressed with gzip at its usual level.
const MAX_BYTES: usize = 200_000;

pub(crate) fn run() -> Result {
    let path = build()?;
    println!("{}", path.display());
    Ok(())
}

/// Builds the page and returns its path.
pub(crate) fn build() -> Result<PathBuf> {
    install_target(TARGET)?;
    let build = ["build", "--package", "npy-page", "--lib", "--profile", "page"];
    let mut build = cargo(&build);
    build.args(["--target", TARGET, "--target-dir", "target"]);
    // The messages of panics would name folders of this machine.
    let registry = std::env::home_dir().unwrap_or_default().join(".cargo/registry/src");
    let folders = [registry.display(), root().display()];
    let mut flags = folders.map(|folder| format!("--remap-path-prefix={folder}=")).to_vec();
    // The linker pads each address to five bytes unless it is told not to; that is a hundredth of the page.
    flags.extend(["-O2", "--compress-relocations"].map(|flag| format!("-Clink-arg={flag}")));
    run_command(build.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")))?;
    let target = root().join("target");
    let module = fs::read(target.join(TARGET).join("page/npy_page.wasm"))?;
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

/// Compresses the module for `unpack.js`.
fn pack(module: &[u8]) -> Result<Vec<u8>> {
    let mut options = LzmaOptions::with_preset(9);
    (options.lc, options.lp, options.pb) = (3, 0, 0);
    (options.dict_size, options.nice_len) = (1 << 20, 273);
    let mut packed = LzmaWriter::new_no_header(Vec::new(), &options, false)?;
    packed.write_all(module)?;
    Ok(packed.finish()?)
}

/// Returns a script without indentation and lines of comments, as it is sent to everyone who opens the page.
fn code_of(script: &str) -> String {
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

/// Encodes bytes as text of 64 characters.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, i| bits << 8 | u32::from(*three.get(i).unwrap_or(&0)));
        for digit in 0..4 {
            let value = (bits >> (18 - 6 * digit)) & 63;
            let is_there = digit <= three.len();
            text.push(if is_there { char::from(DIGITS[value as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{assemble, base64, code_of};

    #[test]
    fn base64_pads_the_last_group() {
        let texts = ["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }

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
