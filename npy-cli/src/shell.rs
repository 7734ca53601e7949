//! Words of a command that a message advises, as a POSIX shell reads them.

use std::path::Path;

use crate::output::is_unsafe;
use crate::target::Target;

/// Returns a path as one word. One that begins with `-` would be an option.
pub(crate) fn path(path: &Path) -> String {
    word(&argument(path))
}

/// Returns the path of a file that a command is to write as one word. A new one that would be taken for a member of an archive has another name.
pub(crate) fn output(file: &Path) -> String {
    let is_file = |target: Target| target.path == file;
    if Target::parse(file.as_os_str()).is_ok_and(is_file) {
        return path(file);
    }
    placeholder(file)
}

/// Returns the path of a new file as one word, which a shell is to write. A file that exists is not named: the shell would truncate it.
pub(crate) fn new_output(file: &Path) -> String {
    if file.exists() { placeholder(file) } else { output(file) }
}

fn placeholder(file: &Path) -> String {
    path(&Path::new("OUT").with_extension(file.extension().unwrap_or_default()))
}

/// Returns a member of an archive as one word.
pub(crate) fn member(archive: &Path, name: &str) -> String {
    target(&Target::from(archive.to_owned()).with_member(name))
}

/// Returns a target as one word.
pub(crate) fn target(target: &Target) -> String {
    word(&[&argument(&target.path), parts(target).as_bytes()].concat())
}

/// Returns a target that was read, and that an advised command reads again, as one word. The bytes of a stream are gone: `save_first` says that they
/// are to be saved as `IN`.
pub(crate) fn read_again(input: &Target) -> String {
    match input.is_stream() {
        true => target(&Target { path: "IN".into(), ..input.clone() }),
        false => target(input),
    }
}

/// Returns the words before commands that have targets of `read_again`.
pub(crate) fn save_first<'a>(inputs: impl IntoIterator<Item = &'a Target>) -> &'static str {
    match inputs.into_iter().any(Target::is_stream) {
        true => "save the input to a file IN first, which is read by now; then ",
        false => "",
    }
}

/// Returns the option that chooses a column. A name that begins with `-` would be an option.
pub(crate) fn column(name: &str) -> String {
    format!("-c{}{}", if name.starts_with('-') { '=' } else { ' ' }, word(name.as_bytes()))
}

/// Returns the last words of a command: after `--`, if one begins with `-` and would be an option.
pub(crate) fn last(words: impl IntoIterator<Item = String>) -> String {
    let words = words.into_iter().collect::<Vec<_>>();
    let is_option = |word: &String| {
        let text = word.trim_start_matches(['$', '\'', '"']);
        text.starts_with('-') && text != "-"
    };
    let dashes = if words.iter().any(is_option) { "-- " } else { "" };
    dashes.to_owned() + &words.join(" ")
}

/// Returns `NAME=TARGET` as one word.
pub(crate) fn named(name: &str, target: &Target) -> String {
    let path = target.path.as_os_str().as_encoded_bytes();
    word(&[name.as_bytes(), b"=", path, parts(target).as_bytes()].concat())
}

/// Returns the bytes of a path that is an argument. `-` alone is standard input.
fn argument(path: &Path) -> Vec<u8> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let prefix = if bytes.starts_with(b"-") && bytes != b"-" { "./" } else { "" };
    [prefix.as_bytes(), bytes].concat()
}

/// Returns the member and the slice of a target.
fn parts(target: &Target) -> String {
    let member = target.member.as_ref().map_or(String::new(), |name| format!("::{name}"));
    let sliced = Target { member: None, ..target.clone() }.to_string();
    member + sliced.strip_prefix(&target.path_text()).unwrap_or_default()
}

/// Returns a word, in quotes if it needs them.
pub(crate) fn word(bytes: &[u8]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:@%+,=".contains(c);
    match str::from_utf8(bytes) {
        // Some shells expand a word that begins with `=`.
        Ok(text) if !text.starts_with('=') && !text.is_empty() && text.chars().all(is_plain) => {
            text.to_owned()
        }
        Ok(text) if cfg!(windows) => format!("\"{text}\""),
        Ok(text) if text.contains(is_unsafe) => escaped(bytes),
        // Such as a dtype. Shells look for variables and commands in these quotes, and some for events.
        Ok(text) if text.contains('\'') && !text.contains(['"', '$', '`', '\\', '!']) => {
            format!("\"{text}\"")
        }
        Ok(text) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => escaped(bytes),
    }
}

/// Returns a word whose characters need not be text, or would not be seen in a message: `$'a\012b'`.
fn escaped(bytes: &[u8]) -> String {
    let octal = |bytes: &[u8]| bytes.iter().map(|byte| format!("\\{byte:03o}")).collect::<String>();
    let mut word = "$'".to_owned();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\'' | '\\' => word.extend(['\\', c]),
                c if is_unsafe(c) => word += &octal(c.encode_utf8(&mut [0; 4]).as_bytes()),
                c => word.push(c),
            }
        }
        word += &octal(chunk.invalid());
    }
    word + "'"
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{escaped, member, named, output, path};
    use crate::target::Target;

    #[cfg(unix)]
    #[test]
    fn a_word_is_quoted_if_a_shell_would_change_it() {
        for (name, quoted) in [
            ("dir/x-1.npy", "dir/x-1.npy"),
            ("größe.npy", "größe.npy"),
            ("a b.npy", "'a b.npy'"),
            ("it's.npy", "\"it's.npy\""),
            ("it's $1.npy", r"'it'\''s $1.npy'"),
            ("$HOME", "'$HOME'"),
            ("~/x", "'~/x'"),
            ("x[1].npy", "'x[1].npy'"),
            ("-x.npy", "./-x.npy"),
            ("- x", "'./- x'"),
            ("-", "-"),
            ("a\nb'\\", r"$'a\012b\'\\'"),
            ("a\u{202e}b", r"$'a\342\200\256b'"),
            ("day=1/x.npy", "day=1/x.npy"),
            ("=x", "'=x'"),
            ("", "''"),
        ] {
            assert_eq!(path(Path::new(name)), quoted);
        }
        assert_eq!(escaped(b"a\xffb"), r"$'a\377b'");
        assert_eq!(member(Path::new("-a.npz"), "x"), "./-a.npz::x");
        assert_eq!(output(Path::new("a/b c.npz")), "'a/b c.npz'");
        assert_eq!(output(Path::new("a::b.npz")), "OUT.npz");
        let target = Target::parse("a.npy[:2]".as_ref()).unwrap();
        assert_eq!(named("-x", &target), "'-x=a.npy[:2]'");
    }
}
