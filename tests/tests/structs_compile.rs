//! The code that `npy_codegen` makes for every dtype of the corpus compiles, and its types have these dtypes: see `structs.rs`.

use npy_core::{ByteOrder, DType};

/// The generated code, and a function that lists the dtypes.
#[expect(
    dead_code,
    unreachable_pub,
    reason = "generated; only the dtypes are looked at"
)]
#[rustfmt::skip]
#[path = "structs/generated.txt"]
mod generated;

#[test]
fn each_struct_has_the_dtype_of_its_file() {
    let dtypes = generated::dtypes();
    assert!(dtypes.len() > 150, "{}", dtypes.len());
    let mut different = 0;
    for (descr, dtype, differs) in dtypes {
        let found: DType = descr.parse().unwrap();
        // An alias has no byte order: reading swaps the bytes of any number.
        let little = |dtype: &DType| dtype.with_byte_order(ByteOrder::Little);
        let same =
            if found.is_record() { dtype == found } else { little(&dtype) == little(&found) };
        assert_eq!(same, !differs, "{descr}\n{}", dtype.descr());
        different += usize::from(differs);
    }
    assert!(different < 20, "{different}");
}
