//! Converts the elements of arrays.

use crate::{Failure, Result};
use npy_core::dtype::{Field, Scalar, ScalarKind};
use npy_core::{
    ByteOrder, Cast, ComplexLongDouble, DType, DynArray, Header, LongDouble, NpyView, Order,
    WriteNpy,
};

/// One part of each item: a field, or the item itself.
pub(crate) struct Part<'a> {
    /// The bytes from one item to the next.
    pub(crate) itemsize: usize,
    /// The offset of the part in an item.
    pub(crate) offset: usize,
    /// The dtype of the part, as text.
    pub(crate) dtype: &'a str,
}

/// Converts a part of each item to `target`; if that is empty, to its own dtype in little-endian order. Long doubles become `f8`.
pub(crate) fn convert(part: &Part<'_>, target: &str, cast: &str, items: &[u8]) -> Result<Vec<u8>> {
    let values = double(extract(part, items)?)?;
    let own = || values.dtype().with_byte_order(ByteOrder::Little);
    let target = if target.is_empty() { own() } else { target.parse::<DType>()? };
    if target.scalar().is_some_and(is_long_double) {
        return long_double(&values, &target);
    }
    Ok(values.cast_with(&target, self::cast(cast)?)?.into_bytes())
}

pub(crate) fn cast(name: &str) -> Result<Cast> {
    Ok(match name {
        "exact" => Cast::Exact,
        "lossless" => Cast::Lossless,
        "numeric" => Cast::Numeric,
        "checked" => Cast::Checked,
        _ => return Err(Failure::Call("an unknown cast")),
    })
}

/// Returns the part of each item as an array of scalars.
fn extract(part: &Part<'_>, items: &[u8]) -> Result<DynArray> {
    let dtype: DType = part.dtype.parse()?;
    let count = items.len().checked_div(part.itemsize).unwrap_or(0);
    if part.itemsize == dtype.itemsize() && dtype.scalar().is_some() {
        return Ok(DynArray::new(dtype, [count], Order::C, items.to_vec())?);
    }
    // A record of this field alone: the library knows how to read one, also of sub-arrays.
    let record = DType::from_fields([Field::new("x", dtype).at(part.offset)], part.itemsize)?;
    Ok(DynArray::new(record, [count], Order::C, items.to_vec())?.field("x")?)
}

fn is_long_double(scalar: &Scalar) -> bool {
    match scalar.kind() {
        ScalarKind::Float => scalar.itemsize() > 8,
        ScalarKind::Complex => scalar.itemsize() > 16,
        _ => false,
    }
}

/// Converts long doubles to `f8` and `c16`; returns other arrays unchanged.
fn double(array: DynArray) -> Result<DynArray> {
    let Some(scalar) = array.dtype().scalar().copied().filter(is_long_double) else {
        return Ok(array);
    };
    let (dtype, numbers): (&str, Vec<f64>) = match scalar.kind() {
        ScalarKind::Complex => {
            let values = array.to_vec::<ComplexLongDouble>()?;
            ("<c16", values.iter().flat_map(|z| [z.re.to_f64(), z.im.to_f64()]).collect())
        }
        _ => ("<f8", array.to_vec::<LongDouble>()?.iter().map(|x| x.to_f64()).collect()),
    };
    let bytes = numbers.into_iter().flat_map(f64::to_le_bytes).collect();
    Ok(DynArray::new(dtype.parse()?, array.shape(), Order::C, bytes)?)
}

/// Converts `f8` and `c16` to long doubles of this dtype.
fn long_double(values: &DynArray, target: &DType) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    if target.scalar().is_some_and(|scalar| scalar.kind() == ScalarKind::Complex) {
        let pairs = values.as_bytes().as_chunks::<16>().0;
        let part = |pair: &[u8; 16], from: usize| {
            let bytes = pair.get(from..).and_then(|bytes| bytes.first_chunk()).copied();
            LongDouble::from(f64::from_le_bytes(bytes.unwrap_or_default()))
        };
        let complex = |pair| ComplexLongDouble { re: part(pair, 0), im: part(pair, 8) };
        let numbers: Vec<ComplexLongDouble> = pairs.iter().map(complex).collect();
        NpyView::new(&numbers, [numbers.len()])?.write_npy_to(&mut file)?;
    } else {
        let values = values.cast_with(&"<f8".parse()?, Cast::Numeric)?.to_vec::<f64>()?;
        let numbers: Vec<LongDouble> = values.into_iter().map(LongDouble::from).collect();
        NpyView::new(&numbers, [numbers.len()])?.write_npy_to(&mut file)?;
    }
    let (header, offset) = Header::parse(&file)?;
    let data = file.get(offset..).unwrap_or_default().to_vec();
    let written = DynArray::new(header.dtype().clone(), header.shape(), Order::C, data)?;
    Ok(written.cast_with(target, Cast::Exact)?.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::{Part, convert};

    #[test]
    fn a_field_of_each_item_is_converted() {
        let part = Part { itemsize: 4, offset: 1, dtype: ">i2" };
        let items = [9, 0, 1, 9, 9, 255, 254, 9];
        assert_eq!(convert(&part, "", "exact", &items).unwrap(), [1, 0, 254, 255]);
        assert_eq!(convert(&part, "|i1", "checked", &items).unwrap(), [1, 254]);
        assert!(convert(&part, "|u1", "checked", &items).is_err());
        let part = Part { itemsize: 4, offset: 0, dtype: "('>i2', (2,))" };
        assert_eq!(convert(&part, "", "exact", &items[..4]).unwrap(), [0, 9, 9, 1]);
    }

    #[test]
    fn long_doubles_become_doubles_and_back() {
        let numbers = [0.5f64, -3.0].map(f64::to_le_bytes).concat();
        for (dtype, long) in [("<f8", "<f16"), ("<f8", ">f16"), ("<c16", "<c32"), ("<c16", ">c32")] {
            let size = if dtype == "<f8" { 8 } else { 16 };
            let part = Part { itemsize: size, offset: 0, dtype };
            let written = convert(&part, long, "exact", &numbers).unwrap();
            let part = Part { itemsize: 2 * size, offset: 0, dtype: long };
            assert_eq!(convert(&part, "", "exact", &written).unwrap(), numbers, "{long}");
        }
    }
}
