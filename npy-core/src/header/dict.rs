//! The dictionary of a header, which has exactly three keys, each once.

use super::{Header, Version, decode};
use crate::checked;
use crate::dtype::descr;
use crate::error::{Error, ErrorKind, Place};
use crate::limits::Limits;
use crate::literal::text::Text;
use crate::literal::{Fault, Item, Kind};
use crate::shape::Order;

/// Parses the text of a header.
pub(super) fn parse(version: Version, text: &[u8], limits: &Limits) -> Result<Header, Error> {
    let at_byte = |at: usize| Place::HeaderByte(checked::add(version.text_offset(), at));
    let decoded = decode(version, text).map_err(|error| {
        let reason = "version 3.0 is UTF-8, and this byte is not".into();
        Error::from(ErrorKind::Header { reason }).within(at_byte(error.valid_up_to()))
    })?;
    let parse = || {
        let literal = descr::parse_literal(&decoded, version.dialect(), limits)?;
        let dict = literal.root();
        let missing = |key: &str| Fault::malformed(dict.at(), format!("it has no key '{key}'"));
        let Entries { descr, order, shape } = entries(dict)?;
        let dtype = descr::read(descr.ok_or_else(|| missing("descr"))?, limits)?;
        let order = read_order(order.ok_or_else(|| missing("fortran_order"))?)?;
        let shape = read_shape(shape.ok_or_else(|| missing("shape"))?)?;
        Ok((dtype, order, shape))
    };
    let (dtype, order, shape) = parse().map_err(|fault: Fault| {
        let before = version.bytes_of(checked::text(&decoded, 0..fault.at));
        Error::from(fault.kind).within(at_byte(before))
    })?;
    Ok(Header { version: Some(version), ..Header::parsed(dtype, shape, order)? })
}

/// The literals of the values in the dictionary of a header.
pub(super) struct Entries<'l> {
    descr: Option<Item<'l>>,
    order: Option<Item<'l>>,
    pub(super) shape: Option<Item<'l>>,
}

/// Returns the literals of the three keys, and refuses other keys and repeated ones.
pub(super) fn entries<'l>(dict: Item<'l>) -> Result<Entries<'l>, Fault> {
    if dict.kind() != Kind::Dict {
        let reason = format!("expected a dictionary, found {}", dict.kind().name());
        return Err(Fault::malformed(dict.at(), reason));
    }
    let (mut descr, mut order, mut shape) = (None, None, None);
    let mut items = dict.items();
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        let name = key.text();
        let twice = match name.as_ref().map(Text::as_str) {
            Some("descr") => descr.replace(value).is_some(),
            Some("fortran_order") => order.replace(value).is_some(),
            Some("shape") => shape.replace(value).is_some(),
            _ => {
                let reason = format!("unknown key {}", descr::excerpt(key.source()));
                return Err(Fault::malformed(key.at(), reason));
            }
        };
        if twice {
            let reason = format!("the key {} is there twice", descr::excerpt(key.source()));
            return Err(Fault::malformed(key.at(), reason));
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
            Err(Fault::malformed(order.at(), reason))
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
