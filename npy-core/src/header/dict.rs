//! The dictionary in a header: exactly three keys, each once.

use std::ops::Range;

use super::{Header, Version, decode};
use crate::dtype::DType;
use crate::dtype::descr::{self, Fault};
use crate::error::{Error, ErrorKind, Place};
use crate::limits::Limits;
use crate::literal::{Item, Kind};
use crate::shape::Order;

/// What the dictionary of a header says.
pub(super) struct Dict {
    dtype: DType,
    order: Order,
    shape: Vec<usize>,
}

impl Dict {
    /// Reads the text of a header; also gives where its dtype stands. It states none where the dtype is known.
    pub(super) fn parse(
        version: Version,
        text: &[u8],
        limits: &Limits,
        known: Option<DType>,
    ) -> Result<(Dict, Range<usize>), Error> {
        let start = Version::BYTES.saturating_add(version.length_bytes());
        let decoded = decode(version, text).map_err(|error| {
            let reason = "version 3.0 is UTF-8, and this byte is not".into();
            Error::from(ErrorKind::Header { reason })
                .within(Place::HeaderByte(start.saturating_add(error.valid_up_to())))
        })?;
        let parse = || {
            let literal = descr::parse_literal(&decoded, version.dialect(), limits)?;
            let dict = literal.root();
            let Entries { descr, order, shape } = entries(dict)?;
            let (dtype, place) = match (descr, known) {
                (Some(descr), None) => (descr::read(descr, limits)?, descr.place()),
                (None, Some(known)) => (known, 0..0),
                _ => return Err(no_key(dict, "descr")),
            };
            let order = read_order(order.ok_or_else(|| no_key(dict, "fortran_order"))?)?;
            let shape = read_shape(shape.ok_or_else(|| no_key(dict, "shape"))?)?;
            // A latin-1 name is longer in memory than in the file.
            let place = if decoded.len() == text.len() { place } else { 0..0 };
            Ok((Dict { dtype, order, shape }, place))
        };
        parse().map_err(|fault: Fault| {
            let before = version.bytes_of(decoded.get(..fault.at).unwrap_or_default());
            Error::from(fault.kind).within(Place::HeaderByte(start.saturating_add(before)))
        })
    }

    pub(super) fn header(self, version: Version) -> Result<Header, Error> {
        let header = Header::parsed(self.dtype, self.shape, self.order)?;
        Ok(Header { version: Some(version), ..header })
    }
}

/// The values of the dictionary of a header, not read yet.
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

/// Takes the dictionary apart: no more than the three keys, each once.
pub(super) fn entries<'l>(dict: Item<'l>) -> Result<Entries<'l>, Fault> {
    if dict.kind() != Kind::Dict {
        let reason = format!("it is {} and should be a dictionary", dict.kind().name());
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
            let reason = format!("the key {} stands there twice", descr::excerpt(key.source()));
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
            let reason =
                format!("'fortran_order' is {}, and should be True or False", other.name());
            Err(malformed(order.at(), reason))
        }
    }
}

fn read_shape(shape: Item<'_>) -> Result<Vec<usize>, Fault> {
    if shape.kind() != Kind::Tuple {
        let reason = "it should be a tuple of integers, as in (3,)".into();
        let kind = ErrorKind::Shape { shape: descr::excerpt(shape.source()), reason };
        return Err(Fault { at: shape.at(), kind });
    }
    shape.items().map(descr::read_dimension).collect()
}
