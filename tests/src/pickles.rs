//! Files of Python objects that no Python wrote.

/// Returns the file of `np.array([…], object)` in this shape, whose items are pickled by protocol 2 or 3.
///
/// # Panics
///
/// If a dimension has more than 255 items.
pub fn objects(shape: &[usize], items: &[u8]) -> Vec<u8> {
    let dimensions = format!("{shape:?}").replace('[', "(").replace(']', ",)");
    let dimensions = dimensions.replace("(,)", "()");
    let header = format!("{{'descr': '|O', 'fortran_order': False, 'shape': {dimensions}, }}");
    let header = format!("{header:<117}\n");
    let dimension = |&n: &usize| [b'K', u8::try_from(n).expect("less than 256 items")];
    let dimensions: Vec<u8> = shape.iter().flat_map(dimension).collect();
    let file = [
        &b"\x93NUMPY\x01\x00\x76\x00"[..],
        header.as_bytes(),
        b"\x80\x03cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R(K\x01(",
        &dimensions,
        b"tcnumpy\ndtype\nX\x02\0\0\0O8K\0K\x01\x87R(K\x03X\x01\0\0\0|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89](",
        items,
        b"etb.",
    ];
    file.concat()
}
