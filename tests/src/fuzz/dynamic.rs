//! Any bytes as a file of any dtype: a valid one reads back equal after it was written, and every method works on it.

use npy_core::dtype::ScalarKind;
use npy_core::{AnyArray, DynArray, Header, Order, ReadNpy, Reader, Value, WriteNpy};

use super::dtype::assert_stable;

/// The number of items to check: there may be any number of items of no bytes.
const SOME: usize = 64;

pub(super) fn run(input: &[u8]) {
    let mut stream = input;
    let Ok(array) = DynArray::read_npy_from(&mut stream) else { return };
    let taken = &input[..input.len() - stream.len()];
    // A pickle states how many bytes it has, and may lie; Python also believes it.
    assert!(taken.ends_with(array.as_bytes()) || array.dtype().has_object());
    assert_stable(array.dtype());

    let written = written(&array);
    let again = DynArray::read_npy_from(&written[..]).expect("what was written");
    assert_eq!(again, array);
    assert_eq!(self::written(&again), written);
    let mut reader = Reader::new(&written[..]).expect("what was written");
    assert_eq!(reader.read_dyn().expect("what was written"), array);

    as_its_type(&written);

    let shown = format!("{array} {array:?}");
    assert!(shown.len() < (1 << 21) + 100 * input.len(), "{} bytes are printed", shown.len());
    let mut origin = vec![0; array.shape().len()];
    assert_eq!(array.get(&origin).is_some(), !array.shape().contains(&0));
    origin.push(0);
    assert!(array.get(&origin).is_none());
    for value in array.iter().take(SOME) {
        look(&value);
    }
    assert_eq!(array.iter().len(), array.shape().iter().product::<usize>());
    for field in array.dtype().fields().iter().take(SOME) {
        if let Ok(column) = array.field(field.name()) {
            assert_eq!(column.shape()[..array.shape().len()], *array.shape());
        }
    }

    if array.dtype().has_object() {
        // Its elements are in a pickle.
        return;
    }
    let packed = array.cast(&array.dtype().packed()).expect("padding does not matter");
    let padded = packed.cast(array.dtype()).expect("nor does it the other way");
    assert_eq!(padded.cast(packed.dtype()).expect("again"), packed);
    // Reordering items of no bytes moves nothing, however many there are.
    let turned = |array: &DynArray, order| array.to_order(order).expect("there is memory");
    let fortran = turned(&array, Order::Fortran);
    assert_eq!(turned(&fortran, Order::C).as_bytes(), turned(&array, Order::C).as_bytes());

    if !array.shape().is_empty() {
        let logical = turned(&array, Order::C);
        let start = || Reader::new(&written[..]).expect("what was written");
        let whole = start().read_dyn_chunk(usize::MAX).expect("all rows");
        assert_eq!(whole, logical, "in one chunk");
        let mut reader = start();
        let mut parts = Vec::new();
        for rows in [1, 2, usize::MAX] {
            parts.extend_from_slice(reader.read_dyn_chunk(rows).expect("some rows").as_bytes());
        }
        assert_eq!(parts, logical.as_bytes(), "in three chunks");
    }

    if let Ok(rows) = array.to_rows::<serde_json::Value>() {
        assert_eq!(rows.len(), array.shape().first().copied().unwrap_or(1));
    }
    let _ = serde_json::to_value(&array);
}

/// Reads the file as the type that it has, which fails only for text that is none, and for too many elements of no bytes.
fn as_its_type(file: &[u8]) {
    let (header, _) = Header::parse(file).expect("what was written");
    let kind = header.dtype().scalar().map(|scalar| scalar.kind());
    let is_text = matches!(kind, Some(ScalarKind::Str | ScalarKind::Bytes));
    let any = match AnyArray::read_npy_from(file) {
        Ok(any) => any,
        Err(error) => return assert!(is_text, "{error}"),
    };
    assert_eq!((any.shape(), any.order()), (header.shape(), header.order()));
    // Compared as bytes: a NaN does not equal itself.
    let written = written(&any);
    let again = AnyArray::read_npy_from(&written[..]).expect("what was written");
    assert_eq!(self::written(&again), written);
    assert_eq!(Header::parse(&written).expect("a header").0.dtype(), &any.dtype());
}

fn written(array: &impl WriteNpy) -> Vec<u8> {
    let mut bytes = Vec::new();
    array.write_npy_to(&mut bytes).expect("memory takes it");
    bytes
}

/// Calls every method of a value.
fn look(value: &Value<'_>) {
    let _ = format!("{value} {value:?}");
    let _ = (value.as_i64(), value.as_u64(), value.as_f64(), value.is_nat(), value.as_bytes());
    match value {
        Value::Record(record) => {
            for (name, field) in record.iter().take(SOME) {
                assert!(value.field(name).is_some(), "{name}");
                look(&field);
            }
        }
        Value::Array(array) => array.iter().take(SOME).for_each(|item| look(&item)),
        Value::Str(text) => {
            let _ = text.code_points().count();
        }
        _ => {}
    }
}
