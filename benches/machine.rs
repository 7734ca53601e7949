//! Describes the machine of the measurements.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns one line: cores, processor, kernel, versions, and the folder of the files.
pub(crate) fn line(numpy: &str, place: &Path) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or(std::env::consts::ARCH, |(_, model)| model.trim());
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let system = std::env::consts::OS;
    let rustc = Command::new("rustc").arg("--version").output();
    let rustc = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let rustc = rustc.unwrap_or_default();
    let place = place.parent().unwrap_or(place).display();
    format!(
        "{cores} cores ({model}), {system} {}; {rustc}; {numpy}; npyz 0.9, ndarray-npy 0.10; files in `{place}`",
        kernel.trim()
    )
}
