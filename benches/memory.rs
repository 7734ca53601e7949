//! Measures the memory of a contender: each runs once in its own process, which reads its peak from the system.

use std::fs;
use std::process::Command;

use crate::place::Place;

/// Returns the peak memory of one contender, in bytes, minus the memory that its process held at the start, which includes its input.
/// Pages of mapped files count. `None` except on Linux.
pub(crate) fn of_contender(id: &str, i: usize, place: &Place) -> Option<u64> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.args(["--peak", id, &i.to_string()]).arg(&place.dir);
    let output = command.args(place.quick.then_some("--quick")).output().ok()?;
    assert!(output.status.success(), "{id}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// Resets the peak; returns the memory held now.
pub(crate) fn reset() -> Option<u64> {
    // This value resets the peak.
    fs::write("/proc/self/clear_refs", "5").ok()?;
    status("VmRSS:")
}

/// Returns the peak since the reset.
pub(crate) fn high() -> Option<u64> {
    status("VmHWM:")
}

fn status(key: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}
