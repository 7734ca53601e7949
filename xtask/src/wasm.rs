//! Builds modules for browsers, and packs them for `page/web/unpack.js`.

use std::fs;
use std::io::Write;

use lzma_rust2::{LzmaOptions, LzmaWriter};

use crate::command::{cargo, run as run_command};
use crate::cross::install_target;
use crate::{Result, root};

/// The target of browsers.
const TARGET: &str = "wasm32-unknown-unknown";

/// Builds `npy-js` as a small module: with one of its features, and with more flags for the linker. Returns its bytes.
pub(crate) fn build(feature: &str, linker: &[&str]) -> Result<Vec<u8>> {
    install_target(TARGET)?;
    let build = ["build", "--package", "npy-js", "--lib", "--profile", "page"];
    let mut build = cargo(&build);
    build.args(["--no-default-features", "--features", feature]);
    build.args(["--target", TARGET, "--target-dir", "target"]);
    // The messages of panics would name folders of this machine.
    let registry = std::env::home_dir().unwrap_or_default().join(".cargo/registry/src");
    let folders = [registry.display(), root().display()];
    let mut flags = folders.map(|folder| format!("--remap-path-prefix={folder}=")).to_vec();
    // The linker pads each address to five bytes unless it is told not to; that is a hundredth of the page.
    let small = ["-O2", "--compress-relocations"];
    flags.extend(small.iter().chain(linker).map(|flag| format!("-Clink-arg={flag}")));
    run_command(build.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")))?;
    Ok(fs::read(root().join(format!("target/{TARGET}/page/npy_js.wasm")))?)
}

/// Compresses a module for `unpack.js`.
pub(crate) fn pack(module: &[u8]) -> Result<Vec<u8>> {
    let mut options = LzmaOptions::with_preset(9);
    (options.lc, options.lp, options.pb) = (3, 0, 0);
    (options.dict_size, options.nice_len) = (1 << 20, 273);
    let mut packed = LzmaWriter::new_no_header(Vec::new(), &options, false)?;
    packed.write_all(module)?;
    Ok(packed.finish()?)
}

/// Encodes bytes as text of 64 characters.
pub(crate) fn base64(bytes: &[u8]) -> String {
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
    use super::base64;

    #[test]
    fn base64_pads_the_last_group() {
        let texts = ["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }
}
