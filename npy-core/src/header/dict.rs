//! The dictionary of a header, which has exactly three keys, each once.

use std::ops::Range;

use super::{Header, Version, decode};
use crate::checked;
use crate::dtype::DType;
use crate::dtype::descr::{self, Fault};
use crate::error::{Error, ErrorKind, Place};
use crate::limits::Limits;
use crate::literal::{Item, Kind};
use crate::shape::Order;

/// The values in the dictionary of a header.
pub(super) struct Dict {
    dtype: DType,
    order: Order,
    shape: Vec<usize>,
}

impl Dict {
    /// Parses the text of a header. Returns its values and the range of the dtype in the text.
    ///
    /// With a `known` dtype, the text must not have a dtype.
    pub(super) fn parse(
        version: Version,
        text: &[u8],
        limits: &Limits,
        known: Option<DType>,
    ) -> Result<(Dict, Range<usize>), Error> {
        let at_byte = |at: usize| Place::HeaderByte(checked::add(version.text_offset(), at));
        let decoded = decode(version, text).map_err(|error| {
            let reason = "version 3.0 is UTF-8, and this byte is not".into();
            Error::from(ErrorKind::Header { reason }).within(at_byte(error.valid_up_to()))
        })?;
        let parse = || {
            let literal = descr::parse_literal(&decoded, version.dialect(), limits)?;
            let dict = literal.root();
            let Entries { descr, order, shape } = entries(dict)?;
            let (dtype, range) = match (descr, known) {
                (Some(descr), None) => (descr::read(descr, limits)?, descr.range()),
                (None, Some(known)) => (known, 0..0),
                _ => return Err(no_key(dict, "descr")),
            };
            let order = read_order(order.ok_or_else(|| no_key(dict, "fortran_order"))?)?;
            let shape = read_shape(shape.ok_or_else(|| no_key(dict, "shape"))?)?;
            // Decoded latin-1 may be longer than in the file, so that offsets differ.
            let range = if decoded.len() == text.len() { range } else { 0..0 };
            Ok((Dict { dtype, order, shape }, range))
        };
        parse().map_err(|fault: Fault| {
            let before = version.bytes_of(checked::text(&decoded, 0..fault.at));
            Error::from(fault.kind).within(at_byte(before))
        })
    }

    pub(super) fn header(self, version: Version) -> Result<Header, Error> {
        let header = Header::parsed(self.dtype, self.shape, self.order)?;
        Ok(Header { version: Some(version), ..header })
    }
}

/// The literals of the values in the dictionary of a header.
pub(super) struct Entries<'l> {
    descr: Option<Item<'l>>,
    order: Option<Item<'l>>,
    pub(super) shape: Option<Item<'l>>,
}

fn malformed(at: usize, reason: String) -> Fault {
    Fault { at, kind: ErrorKind::Header { reason } }
}

fn no_key(dict: Item<'_>, key: &str) -> Fault {
    malformed(dict.at(), format!("it has no key '{key}'"))
}

/// Returns the literals of the three keys, and refuses other keys and repeated ones.
pub(super) fn entries<'l>(dict: Item<'l>) -> Result<Entries<'l>, Fault> {
    if dict.kind() != Kind::Dict {
        let reason = format!("expected a dictionary, found {}", dict.kind().name());
        return Err(malformed(dict.at(), reason));
    }
    let (mut descr, mut order, mut shape) = (None, None, None);
    let mut items = dict.items();
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        let name = key.text();
        let twice = match name.as_ref().map(|name| name.as_str()) {
            Some("descr") => descr.replace(value).is_some(),
            Some("fortran_order") => order.replace(value).is_some(),
            Some("shape") => shape.replace(value).is_some(),
            _ => {
                let reason = format!("unknown key {}", descr::excerpt(key.source()));
                return Err(malformed(key.at(), reason));
            }
        };
        if twice {
            let reason = format!("the key {} is there twice", descr::excerpt(key.source()));
            return Err(malformed(key.at(), reason));
        }
    }
    Ok(Entries { descr, order, shape })
}

fn read_order(order: Item<'_>) -> Result<Order, Fault> {
    match order.kind() {
        Kind::Bool(true) => Ok(Order::Fortran),
        Kind::Bool(false) => Ok(Order::C),
        other => {
            let reason = format!("'fortran_order' must be True or False, not {}", other.name());
            Err(malformed(order.at(), reason))
        }
    }
}

fn read_shape(shape: Item<'_>) -> Result<Vec<usize>, Fault> {
    if shape.kind() != Kind::Tuple {
        let reason = "it must be a tuple of integers, as in (3,)".into();
        let kind = ErrorKind::Shape { shape: descr::excerpt(shape.source()), reason };
        return Err(Fault { at: shape.at(), kind });
    }
    shape.items().map(descr::read_dimension).collect()
}
