//! Any text as a dtype: a valid one prints as text that parses to the same dtype.

use std::collections::HashSet;

use npy_core::{ByteOrder, DType};

pub(super) fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match text.parse() {
        Ok(dtype) => assert_stable(&dtype),
        Err(error) => {
            let shown = error.to_string();
            assert!(shown.len() < 8 * text.len() + 2000, "an error that is larger than its text");
        }
    }
}

/// Asserts that printing and parsing are inverses, and that the dtype is well formed as ARCHITECTURE.md defines it.
pub(super) fn assert_stable(dtype: &DType) {
    let descr = dtype.descr();
    let parsed = |text: &str| text.parse::<DType>().unwrap_or_else(|e| panic!("{text}: {e}"));
    let again = parsed(&descr);
    assert_eq!(again, *dtype, "{descr}");
    assert_eq!(again.descr(), descr);
    assert_eq!(parsed(&dtype.to_string()), *dtype, "{descr}");
    let packed = dtype.packed();
    assert_eq!(parsed(&packed.descr()), packed, "{descr}");
    assert!(packed.itemsize() <= dtype.itemsize(), "{descr}");
    assert_eq!(packed.packed(), packed, "{descr}");
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let turned = dtype.with_byte_order(order);
        assert_eq!(parsed(&turned.descr()), turned, "{descr}");
        assert_eq!(turned.itemsize(), dtype.itemsize(), "{descr}");
        assert_eq!(turned.with_byte_order(order), turned, "{descr}");
    }
    assert_well_formed(dtype);
}

fn assert_well_formed(dtype: &DType) {
    assert!(dtype.itemsize() <= 0x7fff_ffff, "{dtype}");
    if let Some((base, shape)) = dtype.sub_array() {
        let count = shape.iter().try_fold(base.itemsize(), |n, &m| n.checked_mul(m));
        assert_eq!(count, Some(dtype.itemsize()), "{dtype}");
        assert_well_formed(base);
    }
    let mut end = 0;
    let mut descrs = HashSet::new();
    for field in dtype.fields() {
        assert!(field.offset() >= end, "{dtype}: fields overlap");
        end = field.offset() + field.dtype().itemsize();
        assert!(end <= dtype.itemsize(), "{dtype}: a field past the end");
        // Two names with different lone surrogates look the same.
        let plain = !field.name().contains('\u{fffd}');
        assert!(descrs.insert(field.name()) || !plain, "{dtype}: a name occurs twice");
        assert_well_formed(field.dtype());
    }
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let descr = |text: Vec<u8>| {
        let text = String::from_utf8(text).ok()?;
        let from = text.find("'descr': ")? + "'descr': ".len();
        let to = text.find(", 'fortran_order'")?;
        Some(text.get(from..to)?.as_bytes().to_vec())
    };
    let mut seeds: Vec<_> = super::seeds_of_headers().into_iter().filter_map(descr).collect();
    let others = [
        "f8",
        "?",
        "<M8[25s]",
        "=U3",
        "|V2147483647",
        "('<f4', (2, 3))",
        "[(('t', 'x'), '|S0', 3)]",
    ];
    seeds.extend(others.map(|text| text.as_bytes().to_vec()));
    seeds
}
