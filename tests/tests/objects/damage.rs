//! Good files that are cut off, and good files with one byte changed, which may be any.

use super::*;

fn good_files() -> Vec<Vec<u8>> {
    let folder = npy_tests::corpus().join("files/valid/objects");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        if bytes.len() < 700 && bytes.ends_with(b".") && Objects::read_npy_from(&bytes[..]).is_ok()
        {
            files.push(bytes);
        }
    }
    files.sort();
    assert!(files.len() > 20, "{}", files.len());
    files
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_refused() {
    for file in good_files() {
        for end in 0..file.len() {
            assert!(Objects::read_npy_from(&file[..end]).is_err(), "{end} of {}", file.len());
        }
    }
}

/// Whatever is read of a damaged file can be printed, and nothing of it takes long.
#[test]
fn a_damaged_file_is_refused_or_is_data() {
    let (mut read, mut refused) = (0, 0);
    for file in good_files().iter().step_by(2) {
        let start = file.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for at in start..file.len() {
            for change in [1, 0x80, file[at] ^ b'(', file[at] ^ b'.', file[at] ^ 0xff] {
                let mut damaged = file.clone();
                damaged[at] ^= change;
                let result = soon("a damaged file", || {
                    Objects::read_npy_from(&damaged[..]).map(|objects| objects.to_string())
                });
                *if result.is_ok() { &mut read } else { &mut refused } += 1;
            }
        }
    }
    assert!(read > 1000 && refused > 1000, "{read} read, {refused} refused");
}
