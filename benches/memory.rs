//! How much memory a contender takes: each runs once in a process of its own, which asks the system.

use std::fs;
use std::process::Command;

use crate::place::Place;

/// The peak of one contender, in bytes, above what its process held when it began: its input is there already. Pages of mapped
/// files count. Only Linux tells.
pub(crate) fn of_contender(id: &str, i: usize, place: &Place) -> Option<u64> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.args(["--peak", id, &i.to_string()]).arg(&place.dir);
    let output = command.args(place.quick.then_some("--quick")).output().ok()?;
    assert!(output.status.success(), "{id}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// Lets the peak begin anew; gives what is held now.
pub(crate) fn reset() -> Option<u64> {
    // Says to forget the peak.
    fs::write("/proc/self/clear_refs", "5").ok()?;
    status("VmRSS:")
}

/// The most that was held since.
pub(crate) fn high() -> Option<u64> {
    status("VmHWM:")
}

fn status(key: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}
