//! The calls of the page: a file as text.

mod describe;
mod elements;
mod objects;
mod plot;
mod table;

use std::io::{Read, Seek};

use npy_core::{ErrorKind, Header, Limits, Objects, ReadNpy, ReadOptions, Reader, npz};

use crate::file::{Part, ReadAt};
use crate::json::{Json, object};
use crate::text;
use crate::{Answer, Failure, number};
use elements::Elements;
use table::Table;

/// The reason why something is not shown, as text.
type Result<T> = std::result::Result<T, String>;

/// The most members that are listed, and of how many of them the header is read.
const MAX_MEMBERS: usize = 2000;
const MAX_HEADERS: usize = 100;
/// Archives with more members have no struct of their own.
const MAX_STRUCT: usize = 100;

/// A file that is open, and the array of it that is shown. Each method answers with a JSON object, which has `"error"` if it failed.
pub struct Session<F> {
    file: F,
    name: String,
    archive: Option<npz::Reader<Part<F>>>,
    array: Option<Array<F>>,
}

/// The array that is shown.
enum Array<F> {
    Values(Box<Table>, Elements<F>),
    Objects(Box<Objects>),
}

impl<F: ReadAt + Clone> Session<F> {
    /// Starts to look at a file.
    pub fn new(file: F) -> Self {
        Session { file, name: String::new(), archive: None, array: None }
    }

    /// Answers a call by its name.
    pub(crate) fn call(&mut self, name: &str, arguments: &[&str]) -> crate::Result<Answer> {
        let text = match (name, arguments) {
            ("open", [name]) => self.open(name),
            ("member", [index]) => self.member(number(index)?),
            ("rows", [from, count]) => self.rows(number(from)?, number(count)?),
            ("plot", [column]) => self.plot(number(column)?),
            _ => return Err(Failure::Call("an unknown call")),
        };
        Ok(Answer { text, bytes: Vec::new() })
    }

    /// Opens the file: answers with the description of its array, or with the members of the archive. `name` is for the Rust struct.
    pub fn open(&mut self, name: &str) -> String {
        self.name = stem(name).to_owned();
        self.archive = None;
        self.array = None;
        answer(self.try_open())
    }

    /// Opens a member, by its position in the list: answers with the description of its array.
    pub fn member(&mut self, index: usize) -> String {
        answer(self.try_member(index))
    }

    /// Answers with some rows of the array as text.
    pub fn rows(&mut self, from: usize, count: usize) -> String {
        answer(match &mut self.array {
            Some(Array::Values(table, elements)) => table.rows(elements, from, count),
            Some(Array::Objects(objects)) => Ok(objects::rows(objects, from, count)),
            None => Err("no array is open".to_owned()),
        })
    }

    /// Answers with the points of a column of the array.
    pub fn plot(&mut self, column: usize) -> String {
        answer(match &mut self.array {
            Some(Array::Values(table, elements)) => plot::points(table, elements, column),
            _ => Err("there are no numbers to draw".to_owned()),
        })
    }

    fn try_open(&mut self) -> Result<Json> {
        let mut start = [0; 4];
        // Its block is read once, for this and for the header. A part reads less only at its end.
        let mut part = Part::all(self.file.clone());
        let read = part.read(&mut start).and_then(|_| part.rewind());
        read.map_err(|error| error.to_string())?;
        if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
            return self.open_archive();
        }
        let reader = open(part)?;
        let name = self.name.clone();
        self.show(reader, None, &name)
    }

    fn open_archive(&mut self) -> Result<Json> {
        let mut options = npz::ReadOptions::new();
        options.limits(limits());
        let archive = options.reader(Part::all(self.file.clone()));
        let archive = archive.map_err(|error| error.to_string())?;
        let mut members = Vec::new();
        for (i, name) in archive.names().take(MAX_MEMBERS).enumerate() {
            let mut member = object([("name", Json::from(text::start_of(&name, 200)))]);
            if i < MAX_HEADERS {
                let (key, value) = match archive.header(name) {
                    Ok(header) => ("header", describe::header(&header)),
                    Err(error) => {
                        let is_other = matches!(error.kind(), ErrorKind::NotNpy { .. });
                        ("problem", if is_other { "not an array" } else { "unreadable" }.into())
                    }
                };
                member.insert(key, value);
            }
            members.push(member);
        }
        let count = archive.len();
        let code = (count <= MAX_STRUCT).then(|| npy_codegen::archive(&archive, &self.name));
        let code = code.and_then(|code| code.ok()).map(|code| code.text);
        self.archive = Some(archive);
        Ok(object([
            ("members", Json::from(members)),
            ("count", Json::from(count)),
            ("struct", Json::from(code)),
        ]))
    }

    fn try_member(&mut self, index: usize) -> Result<Json> {
        let archive = self.archive.as_ref().ok_or("the file is not an archive")?;
        let name = archive.names().nth(index).ok_or("there is no such member")?.to_owned();
        let code = stem(&name).to_owned();
        let range = archive.stored_range(&name).map_err(|error| error.to_string())?;
        if let Some(range) = range {
            let reader = open(Part::new(self.file.clone(), range))
                .map_err(|error| format!("member {name:?}: {error}"))?;
            return self.show(reader, None, &code);
        }
        let reader = archive.member(&name).map_err(|error| error.to_string())?;
        let header = reader.header().clone();
        if header.dtype().has_object() {
            let objects = archive.read::<Objects>(&name).map_err(|error| error.to_string());
            return self.show_objects(&header, objects, &code);
        }
        let is_seekable = archive.is_seekable(&name).map_err(|error| error.to_string())?;
        self.show_values(&header, Elements::inflated(reader, is_seekable), None, &code)
    }

    /// Shows an array of the file, or of a stored member.
    fn show(
        &mut self,
        mut reader: Reader<Part<F>>,
        note: Option<String>,
        name: &str,
    ) -> Result<Json> {
        let header = reader.header().clone();
        if header.dtype().has_object() {
            let objects = Objects::read_npy_array(&mut reader).map_err(|error| error.to_string());
            return self.show_objects(&header, objects, name);
        }
        self.show_values(&header, Elements::seekable(reader), note, name)
    }

    fn show_values(
        &mut self,
        header: &Header,
        elements: Result<Elements<F>>,
        note: Option<String>,
        name: &str,
    ) -> Result<Json> {
        self.array = None;
        let mut info = object([
            ("header", describe::header(header)),
            ("struct", Json::from(npy_codegen::header(header, name).text)),
            ("note", Json::from(note)),
        ]);
        match elements {
            Ok(elements) => {
                let table = Table::new(header);
                info.insert("table", table.describe());
                self.array = Some(Array::Values(Box::new(table), elements));
            }
            Err(problem) => info.insert("problem", problem),
        }
        Ok(info)
    }

    fn show_objects(
        &mut self,
        header: &Header,
        objects: Result<Objects>,
        name: &str,
    ) -> Result<Json> {
        self.array = None;
        let mut info = object([
            ("header", describe::header(header)),
            ("struct", Json::from(npy_codegen::header(header, name).text)),
        ]);
        match objects {
            Ok(objects) => {
                info.insert("table", objects::describe(&objects));
                self.array = Some(Array::Objects(Box::new(objects)));
            }
            Err(problem) => info.insert("problem", problem),
        }
        Ok(info)
    }
}

/// Opens an array of the file.
fn open<F: ReadAt>(part: Part<F>) -> Result<Reader<Part<F>>> {
    let mut options = ReadOptions::new();
    options.limits(limits());
    options.reader(part).map_err(|error| error.to_string())
}

/// The limits: only pickles are read completely.
fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.array_bytes = Some(objects::MAX_PICKLE);
    limits
}

fn answer(result: Result<Json>) -> String {
    result.unwrap_or_else(|error| object([("error", error.into())])).to_text()
}

/// Returns the name of a file without its directory and its extension.
fn stem(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.strip_suffix(".npy").or_else(|| name.strip_suffix(".npz")).unwrap_or(name)
}
