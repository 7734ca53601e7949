//! Whatever the file, the page answers: with what the file has, or with what is wrong.

use std::io;
use std::path::Path;
use std::rc::Rc;

use npy_js::{ReadAt, Session};

#[derive(Clone)]
struct Bytes(Rc<[u8]>);

impl ReadAt for Bytes {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap();
        out.copy_from_slice(&self.0[start..start + out.len()]);
        Ok(out.len())
    }
}

/// Asks for all that the page can show of a file.
fn look(bytes: &[u8]) -> Vec<String> {
    let mut session = Session::new(Bytes(bytes.into()));
    let mut answers = vec![session.open("dir/a file.npy")];
    let members = answers[0].matches("{\"name\":").count().min(5);
    let is_archive = answers[0].starts_with("{\"members\"");
    let arrays = if is_archive { members } else { 1 };
    for i in 0..arrays {
        if is_archive {
            answers.push(session.member(i));
        }
        answers.push(session.rows(0, 20));
        answers.push(session.rows(usize::MAX, usize::MAX));
        answers.push(session.rows(3, 1000));
        answers.extend([0, 1, 1000].map(|column| session.plot(column)));
    }
    for answer in &answers {
        let parsed: Result<serde_json::Value, _> = serde_json::from_str(answer);
        assert!(parsed.is_ok_and(|answer| answer.is_object()), "{answer}");
    }
    answers
}

fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests").join(folder);
    let mut files = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                files.push((path.display().to_string(), std::fs::read(&path).unwrap()));
            } else {
                folders.push(path);
            }
        }
    }
    files.sort();
    assert!(files.len() > 20);
    files
}

/// Guards that every file of NumPy is shown, and that no damage to one makes the page fail.
#[test]
fn every_file_and_every_damage_has_an_answer() {
    let mut opened = 0;
    for (name, bytes) in files("golden").into_iter().chain(files("corpus/files")) {
        if bytes.len() > 1 << 20 {
            continue;
        }
        let answers = look(&bytes);
        if !answers[0].starts_with("{\"error\"") {
            opened += 1;
        } else {
            assert!(answers[0].len() > 20, "{name}: {}", answers[0]);
        }
        // Cut at some places, and each of some bytes changed.
        let step = (bytes.len() / npy_tests::rounds(15)).max(1);
        for at in (0..bytes.len()).step_by(step) {
            look(&bytes[..at]);
            let mut changed = bytes.clone();
            changed[at] ^= 0x11;
            look(&changed);
            changed[at] = 0xff;
            look(&changed);
        }
    }
    println!("{opened} files were shown");
    assert!(opened > 500, "{opened}");
}

/// Guards that what a header claims costs nothing.
#[test]
fn claims_are_not_believed() {
    let header = |descr: &str, shape: &str| {
        let text = format!("{{'descr': {descr}, 'fortran_order': True, 'shape': {shape}, }}\n");
        let mut file = b"\x93NUMPY\x01\0".to_vec();
        file.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
        file.extend(text.as_bytes());
        file
    };
    for (descr, shape) in [
        ("'<f8'", "(1000000000000, 1000)"),
        ("'<f8'", "(1000, 1000000000000)"),
        ("'|V0'", "(1000000000000,)"),
        ("'|V0'", "(3, 1000000000)"),
        ("'|S2000000000'", "(5,)"),
        ("[('a', '|V0', (1000000,)), ('b', '|S0')]", "(1000000,)"),
        ("'<f8'", "(0, 1000000000000)"),
        ("'<f8'", "(1000000, 0)"),
    ] {
        look(&header(descr, shape));
    }
}
