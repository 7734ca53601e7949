//! What commands that write replace, and what is left after a signal.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use npy_core::{ReadNpy, WriteNpy, npz};

/// Runs the command in a directory.
fn npy(directory: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_npy")).args(args).current_dir(directory).output().unwrap()
}

/// Returns the message of a command that is refused.
fn refused(directory: &Path, args: &[&str]) -> String {
    let output = npy(directory, args);
    assert_eq!(output.status.code(), Some(2), "{args:?} {output:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn ok(directory: &Path, args: &[&str]) {
    let output = npy(directory, args);
    assert!(output.status.success(), "{args:?} {output:?}");
}

/// The commands that write a file that an argument names. The last argument is the input, the one before it the output.
const WRITING: [&[&str]; 8] = [
    &["convert", "IN", "OUT", "--to", "npy"],
    &["convert", "IN", "OUT", "--to", "safetensors"],
    &["convert", "IN", "OUT", "--to", "csv"],
    &["convert", "IN", "OUT", "--to", "npz"],
    &["concat", "-o", "OUT", "IN", "IN"],
    &["view", "-o", "OUT", "IN"],
    &["plot", "-o", "OUT", "IN"],
    &["npz", "pack", "OUT", "x=IN"],
];

/// Returns the arguments with these names of files.
fn named(command: &[&str], input: &str, output: &str) -> Vec<String> {
    let name = |word: &&str| word.replace("IN", input).replace("OUT", output);
    command.iter().map(name).collect()
}

/// Guards that no command writes over its own input, whatever path or link leads to it.
#[test]
fn an_output_is_not_an_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("sub")).unwrap();
    [1.5f64, 2.5].write_npy(path.join("x.npy")).unwrap();
    fs::hard_link(path.join("x.npy"), path.join("hard.npy")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("x.npy", path.join("link.npy")).unwrap();
    let before = fs::read(path.join("x.npy")).unwrap();
    for command in WRITING {
        for output in ["x.npy", "sub/../x.npy", "hard.npy", "link.npy"] {
            if cfg!(not(unix)) && matches!(output, "hard.npy" | "link.npy") {
                continue;
            }
            let args = named(command, "x.npy", output);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let message = refused(path, &args);
            assert!(message.contains(&format!("{output}: is also an input")), "{message}");
            assert!(fs::read(path.join(output)).unwrap() == before, "{args:?}");
        }
    }
    // An archive is edited: a member of it may become another one.
    ok(path, &["convert", "x.npy", "m.npz::a"]);
    ok(path, &["convert", "m.npz::a", "m.npz::b", "--dtype", "f4"]);
    ok(path, &["convert", "m.npz::b", "m.npz::b", "--dtype", "i2", "--cast", "numeric"]);
    let archive = npz::Reader::open(path.join("m.npz")).unwrap();
    assert_eq!(archive.read::<Vec<i16>>("b").unwrap(), [1, 2]);
    let message = refused(path, &["npz", "pack", "m.npz", "m.npz::a"]);
    assert!(message.contains("is also an input"), "{message}");
}

/// Guards that no file gets the name of a member, and that a message which names a command for it is true.
#[test]
fn a_member_is_written_where_it_can_be() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1.5f64, 2.5].write_npy(path.join("x.npy")).unwrap();
    ok(path, &["npz", "pack", "m.npz", "x.npy"]);
    for command in WRITING {
        let args = named(command, "x.npy", "a.npz::k");
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let said = match (command[0], args.last()) {
            ("convert", Some(&"npz")) => continue,
            ("npz", _) => "is a member of an archive; npy convert x.npy a.npz::k writes it",
            ("concat", _) => {
                "npy concat x.npy x.npy -o OUT.npy && npy convert OUT.npy a.npz::k writes it"
            }
            ("convert", _) => {
                "a.npz::k: is a member of an archive, which is an array in the format of .npy; write it with --to npz"
            }
            _ => {
                "a.npz::k: names a member of an archive, which has arrays alone as members; name a file\n"
            }
        };
        let message = refused(path, &args);
        assert!(message.contains(said), "{args:?} {message}");
    }
    for (args, said) in [
        (
            &["convert", "x.npy", "a.npz::k[0]"][..],
            "is a part of an array; name a file or a member",
        ),
        (
            &["convert", "x.npy", "-::k", "--to", "npz"],
            "standard output has no members; --to npz writes an archive with one to -\n",
        ),
        (&["convert", "x.npy", "a.csv::k"], "name an archive, such as OUT.npz::NAME"),
        (&["npz", "extract", "m.npz", "-C", "a.npz::k"], "which npy convert alone writes"),
        (&["npz", "pack", "--append", "a.npz::k", "x.npy"], "npy convert x.npy a.npz::k writes it"),
        (
            &["npz", "pack", "--raw", "<i2", "a.npz::k", "x.bin", "--zstd"],
            "npy npz pack --zstd=3 --raw '<i2' a.npz k=x.bin writes it",
        ),
        (
            &["npz", "pack", "--zstd=5", "--no-clobber", "m.npz::k", "y=x.npy"],
            "npy npz pack --append --zstd=5 m.npz k=x.npy writes it",
        ),
    ] {
        let is_zstd = args.iter().any(|word| word.starts_with("--zstd"));
        if is_zstd && cfg!(not(feature = "zstd-write")) {
            continue;
        }
        let message = refused(path, args);
        assert!(message.contains(said), "{args:?} {message}");
    }
    assert_eq!(fs::read_dir(path).unwrap().count(), 2);
    // A file that is not an archive has no member.
    fs::write(path.join("w"), "").unwrap();
    ok(path, &["concat", "x.npy", "x.npy", "-o", "w::v.npy"]);
    ok(path, &["npz", "pack", "w::v.npz", "x.npy"]);
    for to in [&["w::c.npy"][..], &["new::c.npy"], &["new::c", "--to", "npy"]] {
        ok(path, &[&["convert", "x.npy"], to].concat());
        ok(path, &["diff", "x.npy", to[0]]);
    }
    fs::copy(path.join("m.npz"), path.join("m")).unwrap();
    ok(path, &["convert", "x.npy", "m::c", "--to", "npz"]);
    ok(path, &["diff", "x.npy", "m::c"]);
    assert!(path.join("w::v.npy").is_file() && path.join("w::v.npz").is_file());
}

/// Guards that an output is replaced, and with `--no-clobber` not.
#[test]
fn an_output_is_replaced_unless_the_option_says_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1.5f64, 2.5].write_npy(path.join("x.npy")).unwrap();
    for command in WRITING {
        let output = match command[0] {
            "npz" => "out.npz",
            "plot" => "out.svg",
            _ => "out",
        };
        let args = named(command, "x.npy", output);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        ok(path, &args);
        let message = refused(path, &[&args[..], &["--no-clobber"]].concat());
        assert!(message.contains(&format!("{output}: exists, and --no-clobber")), "{message}");
        ok(path, &args);
        fs::remove_file(path.join(output)).unwrap();
        ok(path, &[&args[..], &["--no-clobber"]].concat());
    }
    ok(path, &["npz", "extract", "out.npz", "--no-clobber", "-C", "members"]);
    let message = refused(path, &["npz", "extract", "out.npz", "--no-clobber", "-C", "members"]);
    assert!(message.contains("exists; --force replaces it"), "{message}");
    let message = refused(path, &["convert", "x.npy", "out.npz::x", "--no-clobber"]);
    assert!(message.contains("out.npz::x: exists, and --no-clobber"), "{message}");
    ok(path, &["convert", "x.npy", "out.npz::y", "--no-clobber"]);
    let message = refused(path, &["convert", "x.npy", "out.npz"]);
    assert!(message.contains("its member \"y\" would be lost; --force replaces"), "{message}");
    ok(path, &["convert", "x.npy", "out.npz", "--force"]);
}

/// Guards the place where the rule is said.
#[test]
fn help_says_what_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let output = npy(folder.path(), &["help"]);
    let words = String::from_utf8(output.stdout).unwrap();
    let text: Vec<&str> = words.split_whitespace().collect();
    let rule = "it cannot also be an input, by this or another name. With --no-clobber, an output that exists is an error. Only --force replaces";
    assert!(text.join(" ").contains(rule), "{words}");
}

/// Guards the members of processes that start at once without an archive: none replaces the archive of another.
#[test]
fn members_of_an_archive_that_several_make_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1u64].write_npy(path.join("x.npy")).unwrap();
    for round in 0..20 {
        let archive = format!("{round}.npz");
        let write = |name: &str| {
            let member = format!("{archive}::{name}");
            loop {
                let output = npy(path, &["convert", "x.npy", &member]);
                let message = String::from_utf8_lossy(&output.stderr);
                if output.status.success() {
                    break;
                }
                assert!(message.contains("another writer has it open"), "{message}");
            }
        };
        std::thread::scope(|scope| {
            ["a", "b", "c"].iter().for_each(|name| drop(scope.spawn(|| write(name))));
        });
        let reader = npz::Reader::open(path.join(&archive)).unwrap();
        assert!(["a", "b", "c"].iter().all(|name| reader.contains(name)), "{reader:?}");
    }
    assert_eq!(fs::read_dir(path).unwrap().count(), 21);
}

/// Guards the members of an archive that another process makes while one is written.
#[test]
fn an_archive_that_is_made_in_the_meantime_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1u64].write_npy(path.join("x.npy")).unwrap();
    let mut large = Vec::new();
    vec![0u8; 1 << 20].write_npy_to(&mut large).unwrap();
    let (start, end) = large.split_at(large.len() - 1);
    for (name, words) in [
        ("a.npz", &["npz", "pack", "a.npz", "y=-"][..]),
        ("b.npz", &["convert", "-", "b.npz"]),
        ("c.safetensors", &["convert", "-", "c.safetensors"]),
        ("d.npy", &["convert", "--no-clobber", "-", "d.npy"]),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_npy"))
            .args(words)
            .current_dir(path)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        // This is more than a pipe holds, so the command has begun.
        input.write_all(start).unwrap();
        ok(path, &["convert", "x.npy", name]);
        let before = fs::read(path.join(name)).unwrap();
        input.write_all(end).unwrap();
        drop(input);
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?} {message}");
        assert!(message.contains(name), "{message}");
        assert_eq!(fs::read(path.join(name)).unwrap(), before, "{words:?}");
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Child;
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    /// The longest time until a command writes, on a machine that does much else.
    const PATIENCE: Duration = Duration::from_secs(120);

    /// Starts a command that reads an array from a pipe, with a part still to come, and returns it when it writes.
    fn started(directory: &Path, args: &[&str], program: &mut Command) -> Child {
        let mut file = Vec::new();
        vec![0.5f64; 1 << 19].write_npy_to(&mut file).unwrap();
        program.args(args).current_dir(directory).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = program.stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.as_mut().unwrap().write_all(&file[..1 << 20]).unwrap();
        let start = Instant::now();
        let folder = directory.canonicalize().unwrap();
        while start.elapsed() < PATIENCE {
            // A file that is written is open, with a name or without.
            let Ok(files) = fs::read_dir(format!("/proc/{}/fd", child.id())) else { break };
            let links = files.filter_map(|file| fs::read_link(file.ok()?.path()).ok());
            if links.into_iter().any(|link| link.starts_with(&folder)) {
                return child;
            }
            thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        panic!("{args:?} writes nothing: {:?}", child.wait_with_output());
    }

    fn kill(child: &Child, signal: &str) {
        let (signal, id) = (format!("-{signal}"), child.id().to_string());
        assert!(Command::new("kill").args([signal, id]).status().unwrap().success());
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> = entries.map(|entry| name(entry).into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Guards that a signal leaves no file, and the old one as it was; and that the process ends by the signal, which a shell sees as 128
    /// and its number.
    #[test]
    fn no_signal_leaves_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        for args in [
            &["convert", "-", "out", "--to", "npy"][..],
            &["convert", "-", "out", "--to", "csv"],
            &["convert", "-", "out", "--to", "npz", "--force"],
            &["concat", "-o", "out", "-"],
        ] {
            fs::write(path.join("out"), "old").unwrap();
            for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("QUIT", 3), ("KILL", 9)]
            {
                let mut command = with_signals(env!("CARGO_BIN_EXE_npy"));
                let mut child = started(path, args, &mut command);
                // While the pipe is open, nothing but the signal ends the process.
                let pipe = child.stdin.take();
                kill(&child, signal);
                let status = child.wait().unwrap();
                drop(pipe);
                assert_eq!(status.signal(), Some(number), "{args:?} {status:?}");
                assert_eq!(names(path), ["out"], "{signal} {args:?}");
                assert_eq!(fs::read(path.join("out")).unwrap(), b"old");
            }
        }
    }

    /// Guards a directory of files: a signal leaves none of them, and a directory that was there.
    #[test]
    fn no_signal_leaves_a_part() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let args = ["concat", "--target-size", "1kB", "-o", "out", "-"];
        for exists in [false, true] {
            if exists {
                fs::create_dir(path.join("out")).unwrap();
            }
            for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
                let mut command = with_signals(env!("CARGO_BIN_EXE_npy"));
                let mut child = started(path, &args, &mut command);
                let within = if exists { path.join("out") } else { path.to_owned() };
                let start = Instant::now();
                while names(&within).is_empty() && start.elapsed() < PATIENCE {
                    thread::sleep(Duration::from_millis(5));
                }
                let before = names(&within);
                assert!(before.len() == 1 && before[0].starts_with(".npy-"), "{before:?}");
                let pipe = child.stdin.take();
                kill(&child, signal);
                let status = child.wait().unwrap();
                drop(pipe);
                assert_eq!(status.signal(), Some(number), "{status:?}");
                assert!(names(&within).is_empty(), "{signal} {:?}", names(&within));
            }
        }
    }

    /// Returns a program that ignores no signal, even if these tests were started with some ignored, as in the background of a shell.
    fn with_signals(program: &str) -> Command {
        let mut command = Command::new("env");
        command.args(["--default-signal", program]);
        command
    }

    /// Guards file systems where a file cannot be without a name: its temporary name is removed. Without a umask, a new file has one.
    #[test]
    fn no_signal_leaves_a_temporary_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        for args in [&["convert", "-", "out.npz"][..], &["concat", "-o", "out.npy", "-"]] {
            for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("USR1", 10)] {
                let mut shell = with_signals("sh");
                let script = "umask 0; exec \"$0\" \"$@\"";
                shell.args(["-c", script, env!("CARGO_BIN_EXE_npy")]);
                let mut child = started(path, args, &mut shell);
                let start = Instant::now();
                while names(path).is_empty() && start.elapsed() < PATIENCE {
                    thread::sleep(Duration::from_millis(5));
                }
                let before = names(path);
                assert!(before.len() == 1 && before[0].starts_with(".npy-"), "{before:?}");
                let pipe = child.stdin.take();
                kill(&child, signal);
                let status = child.wait().unwrap();
                drop(pipe);
                assert_eq!(status.signal(), Some(number), "{args:?} {status:?}");
                assert!(names(path).is_empty(), "{signal} {args:?} {:?}", names(path));
            }
        }
    }

    /// Guards `nohup`: a signal that was ignored when the process was started stays ignored.
    #[test]
    fn a_signal_that_is_ignored_stays_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_npy")]);
        let mut child = started(path, &["concat", "-o", "out.npy", "-"], &mut shell);
        kill(&child, "HUP");
        let mut file = Vec::new();
        vec![0.5f64; 1 << 19].write_npy_to(&mut file).unwrap();
        child.stdin.take().unwrap().write_all(&file[1 << 20..]).unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(Vec::<f64>::read_npy(path.join("out.npy")).unwrap().len(), 1 << 19);
    }

    /// Guards a terminal against bytes that are not text.
    #[test]
    fn only_text_is_written_to_a_terminal() {
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        [1.5f64].write_npy(path.join("x.npy")).unwrap();
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
        for (args, is_text) in [
            (&["convert", "x.npy", "-", "--to", "npy"][..], false),
            (&["convert", "x.npy", "-", "--to", "npz"], false),
            (&["convert", "x.npy", "-", "--to", "csv"], true),
            (&["concat", "-o", "-", "x.npy"], false),
            (&["concat", "-o", &name, "x.npy"], false),
            (&["npz", "pack", "-", "x.npy"], false),
        ] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_npy"));
            let out = fs::File::options().write(true).open(&name).unwrap();
            let output = command.args(args).current_dir(path).stdout(out).output().unwrap();
            let message = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.success(), is_text, "{args:?} {message}");
            assert_eq!(message.contains("is a terminal"), !is_text, "{args:?} {message}");
        }
    }
}
