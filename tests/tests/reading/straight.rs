//! Large arrays that have the same bytes in memory as in the file are transferred directly: the result is the same as
//! for small ones.

use std::fs::{self, File, OpenOptions};
use std::io::Cursor;
use std::path::Path;

use npy_core::{
    Be, ByteOrder, ByteStr, DType, DateTime64, DynArray, Element, ErrorKind, InvalidValue, Le,
    NpyArray, NpyElement, NpyRecord, Order, ReadNpy, ReadOptions, Reader, Void, WriteNpy,
    WriteOptions, ZeroCopy, npz, time,
};

/// Enough bytes for a direct transfer, and not a multiple of a block.
const BYTES: usize = 1_600_013;

/// Returns pseudo-random bytes.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 1u32;
    let step = |_| {
        state = state.wrapping_mul(0x915f_77f5).wrapping_add(1);
        state.to_be_bytes()[0]
    };
    (0..bytes).map(step).collect()
}

/// Returns values of arbitrary bytes.
fn values<T: Element>(count: usize) -> Vec<T> {
    noise(count * T::SIZE).chunks_exact(T::SIZE).map(T::decode).collect()
}

/// Returns the canonical bytes of all values.
fn encoded<T: Element>(values: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; values.len() * T::SIZE];
    for (item, value) in bytes.chunks_exact_mut(T::SIZE).zip(values) {
        value.encode(item).unwrap();
    }
    bytes
}

/// Writes and reads many values in both byte orders, and compares the result with item-by-item writes.
fn both_ways<T: Element + Clone>(dir: &Path) {
    let count = BYTES / T::SIZE;
    let values: Vec<T> = values(count);
    let bytes = encoded(&values);
    let name = std::any::type_name::<T>();
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let path = dir.join("x.npy");
        let mut options = WriteOptions::new();
        options.byte_order(order).write(&path, &values).unwrap();
        let file = fs::read(&path).unwrap();

        let mut writer = options.writer::<T, _>(Cursor::new(Vec::new())).unwrap();
        writer.extend(values.iter()).unwrap();
        assert!(file == writer.finish().unwrap().into_inner(), "{name} {order:?}: written");

        let read = Vec::<T>::read_npy(&path).unwrap();
        assert!(encoded(&read) == bytes, "{name} {order:?}: read");
        // A stream of unknown length is read block by block.
        let read = Vec::<T>::read_npy_from(&file[..]).unwrap();
        assert!(encoded(&read) == bytes, "{name} {order:?}: streamed");
        let read = ReadOptions::new().threads(2).read::<Vec<T>>(&path).unwrap();
        assert!(encoded(&read) == bytes, "{name} {order:?}: two threads");

        let mut reader = Reader::open(&path).unwrap();
        let mut first = Vec::new();
        reader.read_chunk::<T>(&mut first, 7).unwrap();
        let rest = reader.read_vec::<T>().unwrap();
        assert_eq!((rest.len(), reader.remaining()), (count - 7, 0));
        assert!(encoded(&rest) == bytes[7 * T::SIZE..], "{name} {order:?}: from the eighth on");
    }
}

#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
#[repr(C, packed)]
struct Tick {
    id: u32,
    time: f64,
    code: ByteStr<3>,
    place: [Le<f32>; 3],
    count: i16,
}

#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
#[repr(C)]
struct Mixed {
    time: Be<f64>,
    count: Be<u32>,
    tag: Void<4>,
}

/// Big-endian in files, native in memory.
#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
#[npy(endian = "big")]
#[repr(C)]
struct Turned {
    x: f32,
    y: i32,
}

/// Three bytes of padding.
#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
#[npy(align)]
#[repr(C)]
struct Padded {
    x: f32,
    flag: u8,
}

#[derive(NpyElement, ZeroCopy, Clone, Copy)]
#[npy(transparent)]
#[repr(transparent)]
struct Volts(f32);

#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
#[repr(C)]
struct Generic<T: Copy> {
    a: T,
    b: T,
}

/// Guards the stack, which cannot hold an item as large as an image.
#[test]
fn large_items_do_not_pass_over_the_stack() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let pixels = NpyArray::new((0..2 << 20).collect::<Vec<u32>>(), [2, 1 << 10, 1 << 10]).unwrap();
    pixels.write_npy(&path).unwrap();
    let images = Vec::<[[u32; 1 << 10]; 1 << 10]>::read_npy(&path).unwrap();
    assert!(images.as_flattened().as_flattened().iter().copied().eq(0..2 << 20));
}

/// Guards memory that the system provides zeroed: all of it is filled.
#[test]
fn more_than_32_mib_are_filled_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let values: Vec<u32> = (1..9_000_002).collect();
    for order in [ByteOrder::Little, ByteOrder::Big] {
        WriteOptions::new().byte_order(order).write(&path, &values).unwrap();
        let mut reader = Reader::open(&path).unwrap();
        reader.seek_to(5).unwrap();
        assert!(reader.read_vec::<u32>().unwrap() == values[5..]);
        reader.seek_to(0).unwrap();
        OpenOptions::new().write(true).open(&path).unwrap().set_len(35_000_128).unwrap();
        let error = reader.read_vec::<u32>().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Truncated { found: 35_000_000, .. }), "{error}");
    }
}

#[test]
fn many_values_are_written_and_read_as_few_are() {
    let dir = tempfile::tempdir().unwrap();
    both_ways::<f64>(dir.path());
    both_ways::<Be<u64>>(dir.path());
    both_ways::<Mixed>(dir.path());
    both_ways::<Padded>(dir.path());
    if npy_tests::is_thorough() {
        both_ways::<ByteStr<5>>(dir.path());
        both_ways::<[[i16; 2]; 3]>(dir.path());
        both_ways::<Turned>(dir.path());
        both_ways::<Volts>(dir.path());
        both_ways::<i8>(dir.path());
        both_ways::<u16>(dir.path());
        both_ways::<f32>(dir.path());
        both_ways::<Le<u32>>(dir.path());
        both_ways::<Void<7>>(dir.path());
        both_ways::<DateTime64<time::Second>>(dir.path());
        both_ways::<half::f16>(dir.path());
        both_ways::<half::bf16>(dir.path());
        both_ways::<num_complex::Complex<f32>>(dir.path());
        both_ways::<Tick>(dir.path());
        both_ways::<Generic<i32>>(dir.path());
    }
}

/// Stored in Celsius, in memory in Kelvin: its bytes differ from those in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
struct Kelvin(f64);

impl Element for Kelvin {
    const SIZE: usize = f64::SIZE;

    fn dtype() -> DType {
        f64::dtype()
    }

    fn decode(item: &[u8]) -> Self {
        Kelvin(f64::decode(item) + 273.0)
    }

    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        (self.0 - 273.0).encode(item)
    }
}

// SAFETY: any bytes are a valid number, which has no padding.
#[allow(unsafe_code)]
unsafe impl ZeroCopy for Kelvin {
    const PADDED: bool = false;

    fn memory_dtype() -> DType {
        f64::memory_dtype()
    }
}

mod celsius {
    pub(super) type Stored = f64;

    pub(super) fn encode(kelvin: &f64) -> f64 {
        kelvin - 273.0
    }

    pub(super) fn decode(celsius: f64) -> f64 {
        celsius + 273.0
    }
}

/// A type that the derive of `ZeroCopy` refuses.
#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct With {
    #[npy(with = celsius)]
    temperature: f64,
}

/// A field is skipped, and another one is at its position.
#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Skipping {
    #[npy(skip)]
    sum: (),
    temperature: Kelvin,
}

macro_rules! viewed_by_hand {
    ($($type:ty),*) => {$(
        // SAFETY: any bytes are a valid number, which has no padding.
        #[allow(unsafe_code)]
        unsafe impl ZeroCopy for $type {
            const PADDED: bool = false;

            fn memory_dtype() -> DType {
                Self::dtype()
            }
        }
    )*};
}

viewed_by_hand!(With, Skipping);

#[derive(NpyRecord, ZeroCopy, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Reading {
    temperature: Kelvin,
}

/// Guards against writing the bytes in memory of a type that has its own encoding.
#[test]
fn a_type_with_its_own_encoding_is_encoded() {
    stored_as_celsius(Reading { temperature: Kelvin(300.0) });
    stored_as_celsius(With { temperature: 300.0 });
    stored_as_celsius(Skipping { sum: (), temperature: Kelvin(300.0) });
}

fn stored_as_celsius<T: Element + Copy + PartialEq>(reading: T) {
    let readings = vec![reading; BYTES / 8];
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    readings.write_npy(&path).unwrap();
    assert!(Vec::<T>::read_npy(&path).unwrap() == readings);
    let celsius = Reader::open(&path).unwrap().read_column::<f64>("temperature").unwrap();
    assert!(celsius == vec![27.0; BYTES / 8]);
}

#[test]
fn arrays_of_any_rank_and_order_read_back_equal() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let array = NpyArray::new(values::<f64>(400 * 300 * 2), [400, 300, 2]).unwrap();
    for order in [Order::C, Order::Fortran] {
        let bits = |array: &NpyArray<f64>| array.iter().map(|n| n.to_bits()).collect::<Vec<_>>();
        let array_in_order = array.to_order(order);
        for written in [Order::C, Order::Fortran] {
            WriteOptions::new().order(written).write(&path, &array_in_order).unwrap();
            let read = NpyArray::<f64>::read_npy(&path).unwrap();
            assert_eq!(read.order(), written);
            assert!(bits(&read) == bits(&array), "{order:?} {written:?}");
            let any = DynArray::read_npy(&path).unwrap();
            assert!(any.as_bytes() == &fs::read(&path).unwrap()[128..]);
            // In one of the two orders, the parts of an item are contiguous.
            let pairs = NpyArray::<[f64; 2]>::read_npy(&path).unwrap();
            let pairs = pairs.iter().flatten().map(|n| n.to_bits());
            assert!(pairs.eq(bits(&array)), "{order:?} {written:?}: pairs");
        }
    }
}

#[test]
fn large_members_of_archives_read_back_equal() {
    let numbers: Vec<f64> = values(BYTES / 8);
    let ticks: Vec<Tick> = values(BYTES / Tick::SIZE);
    for level in [None, Some(1)] {
        let mut options = npz::WriteOptions::new();
        if let Some(level) = level {
            options.deflate(level);
        }
        let mut archive = options.writer(Cursor::new(Vec::new())).unwrap();
        archive.write("numbers", &numbers).unwrap();
        archive.write("ticks", &ticks).unwrap();
        archive.write_columns(&ticks).unwrap();
        let mut file = archive.finish().unwrap().into_inner();
        let archive = npz::Reader::new(Cursor::new(&file)).unwrap();
        let read: Vec<f64> = archive.read("numbers").unwrap();
        assert!(encoded(&read) == encoded(&numbers), "{level:?}");
        let read: Vec<Tick> = archive.read("ticks").unwrap();
        assert!(encoded(&read) == encoded(&ticks), "{level:?}");
        assert!(encoded(&archive.read_columns::<Tick>().unwrap()) == encoded(&ticks));
        // The checksum is wrong after this.
        let at = file.len() / 16;
        file[at] ^= 1;
        let archive = npz::Reader::new(Cursor::new(file)).unwrap();
        archive.read::<Vec<f64>>("numbers").unwrap_err();
    }
}

/// Guards against values that were never read.
#[test]
fn a_file_that_is_cut_while_it_is_open_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let numbers: Vec<u16> = values(BYTES / 2);
    let whole = u64::try_from(128 + BYTES / 2 * 2).unwrap();
    let cut = |left: u64| {
        numbers.write_npy(&path).unwrap();
        let reader = Reader::open(&path).unwrap();
        OpenOptions::new().write(true).open(&path).unwrap().set_len(left).unwrap();
        reader
    };
    let refused = |mut reader: Reader<File>| {
        let error = reader.read_vec::<u16>().unwrap_err();
        let ErrorKind::Truncated { expected, found, .. } = *error.kind() else { panic!("{error}") };
        assert_eq!(usize::try_from(expected).unwrap(), 2 * (BYTES / 2));
        // Although the file is complete again, the position is unknown.
        OpenOptions::new().write(true).open(&path).unwrap().set_len(whole).unwrap();
        for error in [reader.read_vec::<u16>().err(), reader.read_dyn().err()] {
            let error = error.unwrap().to_string();
            assert!(error.contains("reading on after a read that failed"), "{error}");
        }
        found
    };
    assert_eq!(refused(cut(500_000)), 500_000 - 128);
    assert_eq!(refused(cut(400_001)), 400_001 - 128);
    let mut reader = cut(500_000);
    let error = reader.read_dyn().unwrap_err();
    let ErrorKind::Truncated { found, .. } = *error.kind() else { panic!("{error}") };
    assert_eq!(found, 500_000 - 128);
    let error = reader.read_vec::<u16>().unwrap_err().to_string();
    assert!(error.contains("reading on after a read that failed"), "{error}");
}
