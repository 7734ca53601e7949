//! A compressed member with a seek index is read by its chunks.

use std::cell::Cell;
use std::io::{self, Cursor};
use std::rc::Rc;

use npy_core::npz;
use npy_js::{ReadAt, Session};

/// A file that counts the bytes that were read.
#[derive(Clone)]
struct Counted {
    bytes: Rc<[u8]>,
    read: Rc<Cell<usize>>,
}

impl ReadAt for Counted {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap();
        out.copy_from_slice(&self.bytes[start..start + out.len()]);
        self.read.set(self.read.get() + out.len());
        Ok(out.len())
    }
}

/// Guards that the last rows of a large member are shown without the others, and the first ones after them.
#[test]
fn rows_of_an_indexed_member_are_read_alone() {
    // They do not shrink, so each chunk has 1 MiB.
    let value = |i: u32| i.wrapping_mul(0x9e37_79b9).rotate_left(15).wrapping_mul(0x85eb_ca6b);
    let values: Vec<u32> = (0..2_000_000).map(value).collect();
    for (seek_every, most) in [(1 << 20, 3 << 20), (0, 9 << 20)] {
        let mut options = npz::WriteOptions::new();
        let options = options.deflate(1).seek_every(seek_every);
        let mut writer = options.writer(Cursor::new(Vec::new())).unwrap();
        writer.write("x", &values).unwrap();
        let bytes = writer.finish().unwrap().into_inner();
        let file = Counted { bytes: bytes.into(), read: Rc::default() };
        let mut session = Session::new(file.clone());
        session.open("x.npz");
        session.member(0);
        let start = file.read.get();
        for row in [1_999_990, 3] {
            let shown = session.rows(row, 5);
            let expected = format!("\"{}\"", values[row]);
            assert!(shown.contains(&expected), "{expected}: {shown}");
        }
        let read = file.read.get() - start;
        assert!(read < most, "{read} bytes with an index at each multiple of {seek_every}");
    }
}
