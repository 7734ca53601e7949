//! The command for one system, as an archive with its man pages and its completions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::Options;
use super::{empty_place, folder};
use crate::command::{cargo, output, run as run_command};
use crate::python::target;
use crate::{Result, root};

/// The shells, each with the name under which it looks for completions.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "npy"),
    ("zsh", "_npy"),
    ("fish", "npy.fish"),
    ("powershell", "_npy.ps1"),
    ("elvish", "npy.elv"),
];

/// The program that packs. On Windows it is the system's, which knows zip archives; a shell may have another one.
const TAR: &str = if cfg!(windows) { r"C:\Windows\System32\tar.exe" } else { "tar" };

/// Builds the command, for this system or a target of rustc that this system runs.
pub(in super::super) fn build(options: &Options) -> Result<Vec<String>> {
    let mut built = target()?.join("release-check");
    let mut build = cargo(&["build", "--release", "--package", "npy-cli"]);
    build.arg("--target-dir").arg(&built);
    let triple = match &options.target {
        Some(triple) => {
            build.args(["--target", triple]);
            built.push(triple);
            triple.clone()
        }
        None => host()?,
    };
    run_command(&mut build)?;
    let program = format!("npy{}", std::env::consts::EXE_SUFFIX);
    let npy = built.join("release").join(&program);

    let name = format!("npy-{}-{triple}", options.version);
    let packed = empty_place("pack")?;
    let content = packed.join(&name);
    fs::create_dir_all(content.join("man"))?;
    fs::create_dir_all(content.join("completions"))?;
    fs::copy(&npy, content.join(&program))?;
    for (file, from) in [
        ("README.md", "npy-cli/README.md"),
        ("LICENSE-MIT", "LICENSE-MIT"),
        ("LICENSE-APACHE", "LICENSE-APACHE"),
    ] {
        fs::copy(root().join(from), content.join(file))?;
    }
    let say = |arguments: &[&str]| output(Command::new(&npy).args(arguments));
    fs::write(content.join("man/npy.1"), say(&["man"])?)?;
    for subcommand in subcommands(&say(&["--help"])?) {
        fs::write(content.join(format!("man/npy-{subcommand}.1")), say(&["man", subcommand])?)?;
    }
    for (shell, file) in SHELLS {
        fs::write(content.join("completions").join(file), say(&["completions", shell])?)?;
    }
    let archive = pack(&packed, &name, &folder(&options.version, "command")?)?;
    println!("{}", archive.display());
    check(&archive, &name)?;
    Ok(Vec::new())
}

/// Returns the target of rustc that this system is.
fn host() -> Result<String> {
    let version = output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.ok_or("rustc names no host")?.to_owned())
}

/// Returns the subcommands that the help lists.
fn subcommands(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    // The other lines continue a description.
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !["", "help"].contains(name)).collect()
}

/// Packs a folder, as the system does it: Windows opens zip archives.
fn pack(from: &Path, name: &str, to: &Path) -> Result<PathBuf> {
    let (archive, flag) = match cfg!(windows) {
        true => (to.join(format!("{name}.zip")), "-acf"),
        false => (to.join(format!("{name}.tar.gz")), "-czf"),
    };
    let mut tar = Command::new(TAR);
    run_command(tar.arg(flag).arg(&archive).arg("-C").arg(from).arg(name))?;
    Ok(archive)
}

/// Unpacks the archive, and runs the commands of the page with nothing but that.
fn check(archive: &Path, name: &str) -> Result {
    let place = empty_place("command")?;
    run_command(Command::new(TAR).arg("-xf").arg(archive).arg("-C").arg(&place))?;
    let page = fs::read_to_string(root().join("docs/start/shell.md"))?;
    let mut path = vec![place.join(name)];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let blocks = page.split("```console\n").skip(1).filter_map(|block| block.split("```").next());
    let lines = blocks.flat_map(str::lines);
    let (commands, expected): (Vec<&str>, Vec<&str>) =
        lines.partition(|line| line.starts_with("$ "));
    let script =
        commands.iter().map(|line| line.trim_start_matches("$ ")).collect::<Vec<_>>().join("\n");
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", &script]).env("PATH", std::env::join_paths(path)?).current_dir(&place);
    let printed = output(&mut shell)?;
    if printed.lines().ne(expected) {
        return Err(format!("the commands of docs/start/shell.md print:\n{printed}").into());
    }
    println!("the {} commands of docs/start/shell.md print what it says", commands.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::subcommands;

    #[test]
    fn the_help_lists_subcommands_until_an_empty_line() {
        let help = "Usage: npy\n\nCommands:\n  head  Prints rows\n        of a file\n  help  Prints this\n\nOptions:\n  -h\n";
        assert_eq!(subcommands(help), ["head"]);
    }
}
