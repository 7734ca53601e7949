//! The system calls that strace has recorded, as lists of arguments.

use std::collections::HashMap;

/// The calls that change files or names, that change which file a descriptor leads to, or that move its position. A name after `?` does not exist on
/// every processor.
pub(crate) const TRACED: &str = "trace=?open,openat,?openat2,?creat,close,dup,?dup2,dup3,fcntl,read,readv,write,writev,pwrite64,\
    pwritev,?pwritev2,lseek,ftruncate,truncate,fallocate,?copy_file_range,sendfile,splice,ioctl,fsync,fdatasync,sync_file_range,syncfs,sync,\
    mmap,?rename,renameat,?renameat2,?link,linkat,?unlink,unlinkat,?symlink,symlinkat,?mkdir,mkdirat,?rmdir,chdir,fchdir";

/// A system call that succeeded.
#[derive(Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    arguments: Vec<String>,
    pub(crate) result: i64,
}

impl Call {
    /// Returns an argument as strace prints it.
    pub(crate) fn text(&self, index: usize) -> &str {
        &self.arguments[index]
    }

    /// Returns an argument that is a number.
    pub(crate) fn number(&self, index: usize) -> i64 {
        self.text(index).parse().unwrap_or_else(|_| panic!("no number: {self:?}"))
    }

    /// Returns an argument that is a path.
    pub(crate) fn path(&self, index: usize) -> String {
        String::from_utf8(bytes(self.text(index))).unwrap()
    }

    /// Returns the first bytes of a buffer, or of a list of buffers: those that the call has written.
    pub(crate) fn written(&self, index: usize) -> Vec<u8> {
        let parts = self.text(index).split("iov_base=");
        let mut written: Vec<u8> =
            parts.filter(|part| part.contains('"')).flat_map(bytes).collect();
        let length = usize::try_from(self.result).unwrap();
        assert!(written.len() >= length, "strace has cut the bytes of {}", self.name);
        written.truncate(length);
        written
    }
}

/// Returns the bytes of the first quoted text, which strace prints as hexadecimal digits.
fn bytes(quoted: &str) -> Vec<u8> {
    let text = quoted.split('"').nth(1).unwrap_or_else(|| panic!("no text: {quoted}"));
    let digits = text.split("\\x").skip(1);
    digits.map(|digits| u8::from_str_radix(digits, 16).unwrap()).collect()
}

/// Returns the calls that succeeded, in order.
pub(crate) fn parse(trace: &str) -> Vec<Call> {
    let mut unfinished = HashMap::new();
    let mut calls = Vec::new();
    for line in trace.lines() {
        let (process, rest) = line.split_once(' ').unwrap();
        let rest = rest.trim_start();
        if let Some(start) = rest.strip_suffix(" <unfinished ...>") {
            unfinished.insert(process, start);
            continue;
        }
        let whole = match rest.strip_prefix("<... ") {
            Some(resumed) => {
                let end = resumed.split_once("resumed>").unwrap().1;
                format!("{}{end}", unfinished.remove(process).unwrap())
            }
            None => rest.to_owned(),
        };
        calls.extend(call(&whole));
    }
    calls
}

/// Returns the call of a line, unless it failed, or the line tells of a signal or of an end.
fn call(line: &str) -> Option<Call> {
    let (call, result) = line.rsplit_once(" = ")?;
    let (name, arguments) = call.trim_end().strip_suffix(')')?.split_once('(')?;
    // Numbers of addresses are hexadecimal, and of no interest.
    let result = result.split(' ').next()?.parse().unwrap_or(0);
    let call = Call { name: name.to_owned(), arguments: split(arguments), result };
    (result >= 0).then_some(call)
}

/// Splits arguments at the commas that are not within brackets. Texts have no commas, as their bytes are hexadecimal.
fn split(arguments: &str) -> Vec<String> {
    let mut depth = 0;
    let mut split = vec![String::new()];
    for letter in arguments.chars() {
        match letter {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth -= 1,
            _ => {}
        }
        match letter {
            ',' if depth == 0 => split.push(String::new()),
            _ => split.last_mut().unwrap().push(letter),
        }
    }
    split.iter().map(|argument| argument.trim().to_owned()).collect()
}

#[test]
fn calls_of_several_threads_are_put_together() {
    let trace = r#"10 writev(3, [{iov_base="\x61", iov_len=1}, {iov_base="\x62\x63", iov_len=2}], 2) = 2
10 write(3, "\x64" <unfinished ...>
11 openat(AT_FDCWD, "\x2f\x78", O_RDONLY) = -1 ENOENT (No such file or directory)
10 <... write resumed>, 1) = 1
10 +++ exited with 0 +++"#;
    let calls = parse(trace);
    assert_eq!(calls.len(), 2);
    assert_eq!((calls[0].name.as_str(), calls[0].written(1)), ("writev", b"ab".to_vec()));
    assert_eq!((calls[1].number(0), calls[1].written(1)), (3, b"d".to_vec()));
}
