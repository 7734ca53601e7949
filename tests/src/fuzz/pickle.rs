//! Any bytes as the pickle of an array of Python objects: it is refused, or every method works on every object, and ends.

use npy_core::object::Encoding;
use npy_core::{NpyArray, ObjectRef, Objects, ReadNpy, ReadOptions};

/// The number of objects that a walk visits: a small graph can be an endless tree.
const SOME: usize = 2000;
const DEPTH: usize = 20;

/// The first byte of an input chooses the header; the rest is the pickle.
pub(super) fn run(input: &[u8]) {
    let Some((&choice, pickle)) = input.split_first() else { return };
    let Some(header) = HEADERS.get(usize::from(choice)) else { return };
    let file = [&header_bytes(header), pickle].concat();
    for encoding in [Encoding::Ascii, Encoding::Latin1, Encoding::Bytes] {
        let mut options = ReadOptions::new();
        options.encoding(encoding);
        let mut stream = &file[..];
        let Ok(objects) = options.read_from::<Objects>(&mut stream) else { continue };
        assert!(objects.as_bytes().ends_with(b"."));
        // A frame may say that more bytes belong to the pickle, as in Python.
        let header = file.len() - pickle.len();
        assert!(file[header..file.len() - stream.len()].starts_with(objects.as_bytes()));
        let shown = format!("{objects} {objects:?}");
        assert!(shown.len() < (1 << 22) + 100 * input.len(), "{} bytes are printed", shown.len());
        objects.globals().for_each(drop);
        let mut left = SOME;
        for object in objects.iter() {
            walk(object, 0, &mut left);
        }
        walk(objects.root(), 0, &mut left);
    }
    let file = &file[..];
    let _ = Vec::<String>::read_npy_from(file);
    let _ = Vec::<Option<String>>::read_npy_from(file);
    let _ = Vec::<Option<f64>>::read_npy_from(file);
    let _ = Vec::<i64>::read_npy_from(file);
    let _ = Vec::<Vec<u8>>::read_npy_from(file);
    let _ = Vec::<[f32; 2]>::read_npy_from(file);
    let _ = NpyArray::<Option<bool>>::read_npy_from(file);
    let _ = f64::read_npy_from(file);
}

/// Calls every method of an object, and of the objects in it.
fn walk(object: ObjectRef<'_>, depth: usize, left: &mut usize) {
    if depth > DEPTH || *left == 0 {
        return;
    }
    *left -= 1;
    let _ = (object.kind(), object.is_missing(), object.name());
    let _ = (object.as_bool(), object.as_i64(), object.as_u64(), object.as_i128(), object.as_f64());
    let _ = (object.as_str(), object.as_bytes(), object.as_dtype().is_ok());
    if let (Ok(array), Ok(header)) = (object.as_array(), object.header()) {
        assert_eq!((array.dtype(), array.shape()), (header.dtype(), header.shape()));
        let _ = array.to_string();
    }
    let items = object.iter();
    assert!(items.len() <= object.len().max(items.len()));
    for item in items.take(64) {
        walk(item, depth + 1, left);
    }
    for (key, value) in object.entries().take(64) {
        walk(key, depth + 1, left);
        walk(value, depth + 1, left);
    }
    let parts = [object.arguments(), object.state(), object.at(0), object.get("a").ok()];
    for part in parts.into_iter().flatten() {
        walk(part, depth + 1, left);
    }
}

/// The headers of an input: the dtype and the shape.
const HEADERS: [(&str, &str); 7] = [
    ("'|O'", "()"),
    ("'|O'", "(1,)"),
    ("'|O'", "(2,)"),
    ("'|O'", "(3,)"),
    ("'|O'", "(2, 2)"),
    ("[('a', '|O'), ('b', '<i4')]", "(1,)"),
    ("[('a', '|O'), ('b', '<f8')]", "(2,)"),
];

fn header_bytes((descr, shape): &(&str, &str)) -> Vec<u8> {
    let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}");
    [&b"\x93NUMPY\x01\x00\x76\x00"[..], format!("{text:<117}\n").as_bytes()].concat()
}

/// The pickles of the corpus, with the header of the same shape if there is one.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let seed = |file: Vec<u8>| {
        let (header, offset) = npy_core::Header::parse(&file).ok()?;
        let pickle = file.get(offset..)?;
        header.dtype().has_object().then_some(())?;
        let shape = match header.shape() {
            [] => "()".to_owned(),
            [length] => format!("({length},)"),
            lengths => format!("{lengths:?}").replace('[', "(").replace(']', ")"),
        };
        let choice = HEADERS.iter().position(|&(_, known)| known == shape).unwrap_or(1);
        let choice = u8::try_from(choice).unwrap_or(1);
        Some([&[choice], pickle].concat())
    };
    super::seeds_of_files().into_iter().filter_map(seed).collect()
}
