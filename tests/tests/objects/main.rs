//! Arrays of Python objects from anyone: forged pickles are refused or are data, and cost little.

mod bombs;
mod damage;
mod floods;
mod lies;
mod safe;
mod writes_objects;

use npy_core::object::Kind;
use npy_core::{ErrorKind, ObjectRef, Objects, ReadNpy};
use npy_tests::alloc::peak;
use npy_tests::time::soon;

/// Returns the header of an array of objects of this shape.
fn header(descr: &str, shape: &str) -> Vec<u8> {
    let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}");
    [&b"\x93NUMPY\x01\x00\x76\x00"[..], format!("{text:<117}\n").as_bytes()].concat()
}

/// The opcodes of the dtype `object`.
const OBJECT: &[u8] =
    b"cnumpy\ndtype\nX\x02\0\0\0O8K\0K\x01\x87R(K\x03X\x01\0\0\0|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb";

/// Returns the opcodes of an array: those of its shape, of its dtype, and of its data.
fn array(shape: &[u8], dtype: &[u8], data: &[u8]) -> Vec<u8> {
    let start = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85C\x01b\x87R(K\x01";
    [&start[..], shape, dtype, b"\x89", data, b"tb"].concat()
}

/// Returns a file of an array without dimensions, whose object these opcodes push after others have run.
fn after(first: &[u8], object: &[u8]) -> Vec<u8> {
    let data = [b"](", object, b"e"].concat();
    let pickle = [b"\x80\x05", first, &array(b")", OBJECT, &data), b"."].concat();
    [header("'|O'", "()"), pickle].concat()
}

/// Returns a file of an array without dimensions, whose object these opcodes push.
fn one(object: &[u8]) -> Vec<u8> {
    after(b"", object)
}

fn repeat(opcodes: &[u8], n: usize) -> Vec<u8> {
    opcodes.repeat(n)
}

fn objects(file: &[u8]) -> Objects {
    Objects::read_npy_from(file).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the error of a file that is refused, whose reading costs little.
#[track_caller]
fn refused(file: &[u8]) -> String {
    let (read, cost) = peak(|| Objects::read_npy_from(file));
    let error = read.expect_err("it is refused");
    assert!(cost <= 32 * file.len() + CONSTANT, "{cost} bytes for {}: {error}", file.len());
    assert!(!matches!(error.kind(), ErrorKind::Memory { .. }), "{error}");
    error.to_string()
}

/// The memory that reading any file may take, in addition to 32 bytes for each of its bytes.
const CONSTANT: usize = 1 << 20;

/// Reads a file, and calls everything on it and on its first objects; each call must end soon.
#[track_caller]
fn survives(what: &str, file: &[u8]) -> Objects {
    let (read, cost) = peak(|| soon(what, || Objects::read_npy_from(file)));
    let objects = read.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(cost <= 32 * file.len() + CONSTANT, "{what}: {cost} bytes for {}", file.len());
    let shown = soon(&format!("{what}: Display"), || objects.to_string());
    assert!(shown.len() <= (4 << 20) + 8 * file.len(), "{what}: {} bytes are printed", shown.len());
    soon(&format!("{what}: globals"), || objects.globals().for_each(drop));
    soon(&format!("{what}: iter"), || {
        assert!(objects.iter().all(|object| object.kind() != Kind::Date))
    });
    let mut object = objects.root();
    for _ in 0..4 {
        touch(what, object);
        let next = [object.at(0), object.arguments(), object.state()];
        let Some(next) = next.into_iter().flatten().next() else { break };
        object = next;
    }
    let _ = soon(what, || Vec::<Option<String>>::read_npy_from(file));
    let _ = soon(what, || Vec::<Option<f64>>::read_npy_from(file));
    objects
}

fn touch(what: &str, object: ObjectRef<'_>) {
    soon(&format!("{what}: as_array"), || drop(object.as_array()));
    soon(&format!("{what}: as_dtype"), || drop(object.as_dtype()));
    soon(&format!("{what}: get"), || drop(object.get("no such key")));
    soon(&format!("{what}: items"), || {
        assert!(object.iter().take(100_000).all(|item| item.kind() != Kind::Date));
        assert!(object.entries().take(100_000).all(|(key, _)| key.kind() != Kind::Date));
    });
}

/// Guards items and entries that are left out at once: they are those that one after another leaves out.
#[test]
fn items_and_entries_are_left_out_at_once() {
    let file = one(b"](K\x01K\x02K\x03K\x04}(K\x01K\x02K\x03K\x04K\x05K\x06ue");
    let objects = Objects::read_npy_from(&file[..]).unwrap();
    let list = objects.root();
    let texts = |items: &mut dyn Iterator<Item = String>| items.collect::<Vec<_>>();
    let items = texts(&mut list.iter().map(|item| item.to_string()));
    let entry = |(key, value): (ObjectRef<'_>, ObjectRef<'_>)| format!("{key}: {value}");
    let dict = list.iter().last().unwrap();
    let entries = texts(&mut dict.entries().map(entry));
    assert_eq!((items.len(), entries.len()), (5, 3));
    for count in 0..7 {
        let rest = texts(&mut list.iter().skip(count).map(|item| item.to_string()));
        assert_eq!(rest, items[count.min(5)..]);
        let rest = texts(&mut dict.entries().skip(count).map(entry));
        assert_eq!(rest, entries[count.min(3)..]);
        assert_eq!(list.iter().nth(count).map(|item| item.to_string()), items.get(count).cloned());
        let mut after = list.iter();
        _ = after.nth(count);
        assert_eq!(after.len(), 4usize.saturating_sub(count));
    }
}
