//! Copies that changed bytes as if they were text, and readers that undo it where that is exact.

use std::io::{self, Read, Seek, SeekFrom};

/// The size of the parts that are read.
const BLOCK: usize = 1 << 16;

/// A change of all bytes of a file on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Translation {
    /// Each `\n` became `\r\n`: transfers in text mode, git with `core.autocrlf`.
    LineEnds,
    /// Each byte from 0x80 on became a character of UTF-8.
    Utf8,
}

/// The size of a file before its translation, and what shows whether undoing it is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Measure {
    /// The number of bytes before the translation.
    pub(crate) bytes: u64,
    /// The number of places that are undone.
    pub(crate) undone: u64,
    /// The number of `\n` without `\r`, which no translated file has.
    pub(crate) lone: u64,
}

/// Reads a translated file as it was before.
pub(crate) struct Undone<R> {
    inner: R,
    translation: Translation,
    block: Vec<u8>,
    /// The bytes that are ready, from `next` on.
    ready: Vec<u8>,
    next: usize,
    /// A byte that ended a block, and whose successor is not known yet.
    held: Option<u8>,
    measure: Measure,
}

impl<R: Read> Undone<R> {
    pub(crate) fn new(inner: R, translation: Translation) -> Self {
        Undone {
            inner,
            translation,
            block: vec![0; BLOCK],
            ready: Vec::new(),
            next: 0,
            held: None,
            measure: Measure::default(),
        }
    }

    /// Reads the next block, and makes bytes ready; none at the end of the file.
    fn fill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.next = 0;
        while self.ready.is_empty() {
            let count = match self.inner.read(&mut self.block) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                result => result?,
            };
            if count == 0 {
                return self.end();
            }
            for &byte in self.block.iter().take(count) {
                match self.translation {
                    Translation::LineEnds => {
                        match (self.held.take(), byte) {
                            (Some(_), b'\n') => self.measure.undone += 1,
                            (Some(held), _) => self.ready.push(held),
                            (None, b'\n') => self.measure.lone += 1,
                            (None, _) => {}
                        }
                        if byte == b'\r' {
                            self.held = Some(byte);
                        } else {
                            self.ready.push(byte);
                        }
                    }
                    Translation::Utf8 => match (self.held.take(), byte) {
                        (None, ..0x80) => self.ready.push(byte),
                        (None, 0xc2 | 0xc3) => self.held = Some(byte),
                        (Some(first), 0x80..0xc0) => {
                            self.measure.undone += 1;
                            self.ready.push((first << 6) | (byte & 0x3f));
                        }
                        _ => return Err(not_latin()),
                    },
                }
            }
        }
        self.measure.bytes += self.ready.len() as u64;
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        match (self.held.take(), self.translation) {
            (Some(_), Translation::Utf8) => Err(not_latin()),
            (held, _) => {
                self.ready.extend(held);
                self.measure.bytes += self.ready.len() as u64;
                Ok(())
            }
        }
    }
}

impl<R: Read> Read for Undone<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.next == self.ready.len() {
            self.fill()?;
        }
        let rest = self.ready.get(self.next..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        for (to, from) in buffer.iter_mut().zip(rest) {
            *to = *from;
        }
        self.next += count;
        Ok(count)
    }
}

/// Measures a file that a translation may have changed; `None` if it cannot have.
pub(crate) fn measure(
    file: &mut (impl Read + Seek),
    translation: Translation,
) -> io::Result<Option<Measure>> {
    file.seek(SeekFrom::Start(0))?;
    let mut undone = Undone::new(file, translation);
    match io::copy(&mut undone, &mut io::sink()) {
        Ok(_) => Ok(Some(undone.measure)),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(None),
        Err(error) => Err(error),
    }
}

fn not_latin() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a character that is no byte in latin-1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undone(bytes: &[u8], translation: Translation) -> Option<Vec<u8>> {
        let mut result = Vec::new();
        Undone::new(bytes, translation).read_to_end(&mut result).ok().map(|_| result)
    }

    #[test]
    fn line_ends_are_undone_also_where_blocks_meet() {
        for length in [0, 1, 5, BLOCK - 1, BLOCK, BLOCK + 1] {
            let mut bytes = vec![b'x'; length];
            bytes.extend(b"\r\n\r\r\n\ry\r");
            let mut expected = vec![b'x'; length];
            expected.extend(b"\n\r\n\ry\r");
            assert_eq!(undone(&bytes, Translation::LineEnds).unwrap(), expected, "{length}");
        }
        let measure = measure(&mut io::Cursor::new(b"a\r\nb\n"), Translation::LineEnds).unwrap();
        assert_eq!(measure, Some(Measure { bytes: 4, undone: 1, lone: 1 }));
    }

    #[test]
    fn only_characters_that_were_bytes_are_undone() {
        let all: Vec<u8> = (0..=255).collect();
        let text: String = all.iter().copied().map(char::from).collect();
        assert_eq!(undone(text.as_bytes(), Translation::Utf8).unwrap(), all);
        for wrong in ["\u{100}".as_bytes(), b"\xc2", b"\xff", "\u{fffd}".as_bytes()] {
            assert_eq!(undone(wrong, Translation::Utf8), None);
        }
    }
}
