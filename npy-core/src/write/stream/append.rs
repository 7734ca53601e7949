//! Opens an array in a file, to add rows to it.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::super::lock::{self, Lock};
use super::super::replace;
use super::growing::{Growing, Stated};
use super::{Length, Writer};
use crate::dtype::DType;
use crate::element::item_shape::ItemShape;
use crate::element::typed_plan::canonical;
use crate::element::{Element, type_name};
use crate::error::{Error, ErrorKind, Result};
use crate::header::growth::Growth;
use crate::header::{Header, MAGIC};
use crate::limits;
use crate::plan::{Cast, Plan};
use crate::shape::{self, Order};

/// Opens a file and goes to the end of its array.
pub(super) fn open<T: Element>(path: &Path) -> Result<Writer<T, File>> {
    let (mut file, mut lock) = lock::open(path)?;
    let header = Header::read_from(&mut file)?;
    let (stated, plan) = fit::<T>(&header)?;
    let data = file.stream_position()?;
    let bytes = limits::to_u64(header.data_bytes());
    let found = file.metadata()?.len().saturating_sub(data);
    if found < bytes {
        return Err(ErrorKind::Truncated { what: "data", expected: bytes, found }.into());
    }
    let end = data.saturating_add(bytes);
    file.seek(SeekFrom::Start(end))?;
    refuse_array(&mut file)?;

    let mut text = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    (&file).take(data).read_to_end(&mut text)?;
    let rows = stated.shape.get(stated.axis).copied().unwrap_or(0);
    let count = rows.saturating_mul(stated.row);
    let (header, growth) = Growth::new(&text, 0, stated.axis)?;
    let data = limits::to_u64(header.len());
    if let Cow::Owned(header) = &header {
        file.seek(SeekFrom::Start(limits::to_u64(text.len())))?;
        (file, lock) = with_header(path, header, &mut file.take(bytes))?;
    }
    let end = data.saturating_add(bytes);
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    let growing = Growing::new(growth, (0, data), stated);
    let writer = Writer::resume(count, file, plan, Length::Grows(growing))?;
    Ok(Writer { file: Some((lock, std::path::absolute(path)?)), ..writer })
}

/// Replaces a file by one with another header and the same data, and locks it.
///
/// The header cannot be changed in place: a process that is killed could leave the start of one and the end of the other.
fn with_header(path: &Path, header: &[u8], data: &mut io::Take<File>) -> Result<(File, Lock)> {
    // The items may have been synced, and stay so.
    let sync = true;
    let mut taken = None;
    let file = replace::replace(path, sync, &mut |mut file| {
        taken = Some(lock::lock(file)?);
        file.write_all(header)?;
        io::copy(data, &mut file)?;
        Ok(())
    })?;
    taken.map(|lock| (file, lock)).ok_or_else(|| ErrorKind::Locked.into())
}

/// Refuses a file in which another array follows this one, as it would be written over.
fn refuse_array(file: &mut File) -> Result<()> {
    let mut next = Vec::new();
    file.take(limits::to_u64(MAGIC.len())).read_to_end(&mut next)?;
    if next != MAGIC {
        return Ok(());
    }
    let what = "appending to an array that another one follows in the same file".into();
    Err(ErrorKind::Unsupported { what, needs: "a file of its own for the first one" }.into())
}

/// How items of `T` go into the array of a file, and how it grows.
fn fit<T: Element>(header: &Header) -> Result<(Stated, Plan)> {
    let who = type_name::<T>();
    header.without_objects().map_err(to_append)?;
    let item = ItemShape::of(&canonical::<T>()?.dtype);
    let outer = item.outer(header, type_name::<T>).map_err(to_append)?;
    let (shape, order) = (header.shape(), header.order());
    if order == Order::Fortran && outer.len() < shape.len() {
        let what = format!("appending {who} in Fortran order, where its parts are strided,");
        let needs = "items that are scalars or records, or an array in C order";
        return Err(ErrorKind::Unsupported { what, needs }.into());
    }
    if outer.is_empty() {
        let wanted = "a dimension more, which grows";
        return Err(to_append(header.rank(&who, wanted, "")));
    }
    let axis = match order {
        Order::C => 0,
        Order::Fortran => shape.len().saturating_sub(1),
    };
    let others = outer.iter().enumerate().filter(|&(i, _)| i != axis);
    let row = others.fold(1, |row: usize, (_, n)| row.saturating_mul(*n));
    if row == 0 {
        let reason = "its rows have no items, so that there is nothing to append".into();
        return Err(ErrorKind::Shape { shape: shape::repr(shape), reason }.into());
    }
    let plan = plan::<T>(&item.in_file(header.dtype())).map_err(|error| error.wanted_by(&who))?;
    Ok((Stated { shape: shape.to_vec(), axis, row, item_size: plan.dst_itemsize }, plan))
}

/// The way from items of `T` to those of the file, on which nothing may be lost and nothing missing.
fn plan<T: Element>(file: &DType) -> Result<Plan> {
    let ours = canonical::<T>()?.dtype.clone();
    let who = type_name::<T>();
    Plan::new(file, &ours, Cast::Exact).map_err(|error| {
        to_append(error).map_kind(|kind| match kind {
            ErrorKind::MissingField { name, .. } => {
                let what = format!("appending {who} to a file without the field {name:?}");
                let needs = "a Rust type without it, or its values would be lost";
                ErrorKind::Unsupported { what, needs }
            }
            kind => kind,
        })
    })?;
    Plan::new(&ours, file, Cast::Exact).map_err(|error| {
        error.map_kind(|kind| match kind {
            ErrorKind::MissingField { name, .. } => {
                let what = format!("appending {who} to a file with the field {name:?}");
                let needs = "that field in the Rust type, too: each row must have a value for it";
                ErrorKind::Unsupported { what, needs }
            }
            kind => kind,
        })
    })
}

/// The error of a file that holds something else, with what to do about that here.
fn to_append(error: Error) -> Error {
    const REMEDY: &str =
        "what is appended must be as the file is: change the Rust type, or write another file";
    error.map_kind(|mut kind| {
        if let ErrorKind::Mismatch { remedy, .. } | ErrorKind::Rank { remedy, .. } = &mut kind {
            *remedy = REMEDY;
        }
        kind
    })
}
