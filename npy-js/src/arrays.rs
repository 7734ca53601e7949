//! The calls of the package: headers, dtypes, archives and objects, from which the scripts make arrays.

mod describe;
mod members;
mod objects;
mod versions;

use npy_core::dtype::DType;
use npy_core::{Header, Objects, Order, ReadOptions};

use crate::file::{Part, ReadAt};
use crate::json::{Json, object};
use crate::{Answer, Failure, Result, number};
use members::{Members, NewArchive, limits};

/// The file that is read, and the archive that is written.
pub(crate) struct Arrays<F> {
    file: F,
    members: Option<Members<F>>,
    new_archive: Option<NewArchive>,
}

impl<F: ReadAt + Clone> Arrays<F> {
    pub(crate) fn new(file: F) -> Self {
        Arrays { file, members: None, new_archive: None }
    }

    pub(crate) fn call(&mut self, name: &str, arguments: &[&str], input: &[u8]) -> Result<Answer> {
        match (name, arguments) {
            ("header", []) => header(input).map(Answer::from),
            ("dtype", [text]) => Ok(describe::dtype(&text.parse()?).into()),
            ("record", parts) => record(parts).map(Answer::from),
            ("start", [descr, shape, order, version]) => {
                let order = if *order == "F" { Order::Fortran } else { Order::C };
                start(descr, shape, order, version).map(Answer::from)
            }
            ("objects", []) => {
                let mut options = ReadOptions::new();
                options.limits(limits());
                let found: Objects = options.read_from(Part::all(self.file.clone()))?;
                text(objects::to_json(&found)?)
            }
            ("archive", []) => {
                let members = Members::new(self.file.clone())?;
                Ok(self.members.insert(members).names().into())
            }
            ("create", [is_compressed]) => {
                self.new_archive = Some(NewArchive::new(*is_compressed == "true")?);
                Ok(Json::Null.into())
            }
            ("add", [name]) => {
                let archive = self.new_archive.as_mut().ok_or(NO_ARCHIVE)?;
                archive.add(name, input).map(Answer::from)
            }
            ("finish", []) => self.new_archive.take().ok_or(NO_ARCHIVE)?.finish().map(Answer::from),
            _ => self.member_call(name, arguments),
        }
    }

    fn member_call(&mut self, name: &str, arguments: &[&str]) -> Result<Answer> {
        let members = self.members.as_mut().ok_or(NO_ARCHIVE)?;
        match (name, arguments) {
            ("member", [name]) => members.open(name).map(Answer::from),
            ("chunks", [name, from, to]) => {
                members.chunks(name, number(from)?, number(to)?).map(Answer::from)
            }
            ("seek", [byte]) => members.seek(number(byte)?).map(Answer::from),
            ("next", [count]) => members.next(number(count)?).map(Answer::from),
            ("raw", [name]) => members.raw(name).map(Answer::from),
            ("objects", [name]) => text(members.objects(name)?),
            _ => Err(Failure::Call("an unknown call")),
        }
    }
}

const NO_ARCHIVE: Failure = Failure::Call("no archive is open");

fn text(text: String) -> Result<Answer> {
    Ok(Answer { text, bytes: Vec::new() })
}

/// Reads a header from the first bytes of a file; says how many bytes it needs if there are too few.
fn header(input: &[u8]) -> Result<Json> {
    match Header::needed(input) {
        Some(needed) if needed > input.len() => Ok(object([("needed", Json::from(needed))])),
        _ => {
            let (header, offset) = Header::parse(input)?;
            Ok(describe::header(&header, offset as u64))
        }
    }
}

/// Makes a packed record of pairs: a name, and a dtype.
fn record(parts: &[&str]) -> Result<Json> {
    let mut fields = Vec::new();
    for pair in parts.as_chunks::<2>().0 {
        let [name, dtype] = pair;
        fields.push((*name, dtype.parse::<DType>()?));
    }
    Ok(describe::dtype(&DType::record(fields)?))
}

/// Returns the start of a file: all bytes that come before the data. An empty version is the one that NumPy chooses.
fn start(descr: &str, shape: &str, order: Order, version: &str) -> Result<Vec<u8>> {
    let dtype: DType = descr.parse()?;
    let lengths: Vec<usize> = shape.split_terminator(',').map(number).collect::<Result<_>>()?;
    let header = Header::new(dtype, lengths, order)?;
    let bytes = header.to_bytes()?;
    match version {
        "" => Ok(bytes),
        _ => versions::restate(&bytes, &header, version),
    }
}
