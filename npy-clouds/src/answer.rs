//! Compares the bytes of an answer with its head.

use std::ops::Range;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use object_store::{Attribute, Error, GetResult, Result};

/// The first bytes of a file that gzip has compressed.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// The bytes that an answer has, by its head.
pub(super) struct Expected {
    range: Range<u64>,
    /// The compression that the server names.
    encoding: Option<String>,
}

impl Expected {
    pub(super) fn of(answer: &GetResult) -> Self {
        let encoding = answer.attributes.get(&Attribute::ContentEncoding);
        let encoding = encoding.map(|encoding| encoding.to_string());
        let encoding = encoding.filter(|encoding| {
            // That of requests, which clients of S3 leave on files.
            let mut names = encoding.split(',').map(str::trim);
            names.any(|name| !["", "identity", "aws-chunked"].contains(&name))
        });
        Expected { range: answer.range.clone(), encoding }
    }

    /// Returns the bytes of the answer. They end with an error if they are not those that the head states.
    pub(super) fn checked(
        self,
        parts: BoxStream<'static, Result<Bytes>>,
    ) -> BoxStream<'static, Result<Bytes>> {
        let next = |(mut parts, expected, count): (
            BoxStream<'static, Result<Bytes>>,
            Self,
            u64,
        )| async move {
            let Some(bytes) = parts.next().await.transpose()? else {
                expected.check_end(count)?;
                return Ok(None);
            };
            let sum = count.saturating_add(bytes.len() as u64);
            expected.check_part(count, sum, &bytes)?;
            Ok(Some((bytes, (parts, expected, sum))))
        };
        futures::stream::try_unfold((parts, self, 0), next).boxed()
    }

    /// Returns the compression that the server names, if the answer lacks the first bytes of the file, which would tell.
    pub(super) fn unproved(&self) -> Option<&str> {
        self.encoding.as_deref().filter(|_| self.range.start > 0)
    }

    fn length(&self) -> u64 {
        self.range.end.saturating_sub(self.range.start)
    }

    /// Checks the bytes that are those from `start` to `end` of the answer.
    fn check_part(&self, start: u64, end: u64, bytes: &[u8]) -> Result<()> {
        let is_first = start == 0 && self.range.start == 0;
        if let Some(encoding) = &self.encoding
            && (is_first && is_packed(encoding, bytes) || end > self.length())
        {
            return Err(compressed(encoding));
        }
        if end <= self.length() {
            return Ok(());
        }
        Err(of_text(format!(
            "the server has sent more than the {} bytes that it announced; download the file first",
            self.length()
        )))
    }

    /// Checks the number of all bytes.
    fn check_end(&self, count: u64) -> Result<()> {
        match &self.encoding {
            _ if count == self.length() => Ok(()),
            Some(encoding) => Err(compressed(encoding)),
            None => Err(of_text(format!(
                "the server has sent {count} of the {} bytes that it announced; try it again",
                self.length()
            ))),
        }
    }
}

/// Returns true if the first bytes of a file do not say that it has no compression, although its server names one.
pub(super) fn is_packed(encoding: &str, first: &[u8]) -> bool {
    first.starts_with(GZIP) || !encoding.contains("gzip")
}

pub(super) fn compressed(encoding: &str) -> Error {
    of_text(format!(
        "the server sends the file compressed (Content-Encoding: {encoding}), and parts of it are read; download the file first"
    ))
}

fn of_text(text: String) -> Error {
    Error::Generic { store: "store", source: text.into() }
}
