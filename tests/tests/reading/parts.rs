//! Large values in a record are written to a file directly from memory: the file is the same as if it was written block
//! by block.

use std::fmt::Debug;
use std::fs;
use std::path::Path;

use npy_core::{
    Be, ByteOrder, ByteStr, DateTime64, DynArray, Element, InvalidValue, Le, NpyArray, NpyElement,
    NpyRecord, Order, ReadNpy, WriteNpy, WriteOptions, time,
};

/// More items than a vectored write accepts at once.
const MANY: usize = 1200;

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Trace<T, const N: usize> {
    id: u32,
    gain: f32,
    samples: [T; N],
}

impl<T: Copy, const N: usize> Trace<T, N> {
    fn of(id: u32, sample: T) -> Self {
        Trace { id, gain: 0.5, samples: [sample; N] }
    }
}

/// Padding before, between and after the large fields.
#[derive(NpyRecord, Clone, Debug, PartialEq)]
#[npy(align)]
#[repr(C)]
struct Padded {
    flag: bool,
    times: [DateTime64<time::Ms>; 300],
    code: u8,
    samples: [i32; 700],
    tail: u16,
}

/// Gaps without fields, also before the large field, which is the first.
#[derive(NpyRecord, Clone, Debug, PartialEq)]
#[npy(itemsize = 5000)]
struct Gaps {
    #[npy(offset = 9)]
    samples: [[u16; 2]; 600],
    #[npy(offset = 4000)]
    name: ByteStr<5>,
}

#[derive(NpyElement, Clone, Debug, PartialEq)]
#[npy(transparent)]
struct Image([[u8; 64]; 64]);

mod negated {
    pub(crate) type Stored = [f64; 300];

    pub(crate) fn encode(values: &[f64; 300]) -> Stored {
        values.map(|value| -value)
    }

    pub(crate) fn decode(stored: Stored) -> [f64; 300] {
        encode(&stored)
    }
}

/// A field for every way to store one.
#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Shot<T: Clone> {
    before: Trace<f64, 400>,
    #[npy(flatten)]
    flat: Padded,
    pair: [Trace<f32, 600>; 2],
    heap: Box<[i16; 5000]>,
    image: Image,
    #[npy(with = "negated")]
    negated: [f64; 300],
    #[npy(width = 8)]
    name: String,
    #[npy(skip)]
    note: Vec<String>,
    #[npy(endian = "big")]
    turned: [f32; 600],
    large: [Be<f32>; 600],
    small: [Le<f32>; 600],
    last: [T; 2],
}

/// Fields that cannot be borrowed.
#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
#[repr(C, packed)]
struct Packed {
    code: u8,
    samples: [f64; 500],
}

fn padded(i: usize) -> Padded {
    let time = i64::try_from(i).unwrap();
    let code = time.to_le_bytes()[0];
    Padded {
        flag: i.is_multiple_of(2),
        times: [DateTime64::new(time); 300],
        code,
        samples: [-5; 700],
        tail: 0xffff,
    }
}

fn shot(i: usize) -> Shot<[u64; 300]> {
    Shot {
        before: Trace::of(7, 0.25),
        flat: padded(i),
        pair: [Trace::of(1, 1.5), Trace::of(2, -2.5)],
        heap: Box::new([-3; 5000]),
        image: Image([[9; 64]; 64]),
        negated: [0.125; 300],
        name: format!("shot {i}"),
        note: Vec::new(),
        turned: [3.5; 600],
        large: [Be::new(4.5); 600],
        small: [Le::new(5.5); 600],
        last: [[u64::MAX; 300]; 2],
    }
}

/// Writes none, one and all of the items to a file and to memory, and reads them back.
fn same<T: Element + Clone + Debug + PartialEq>(path: &Path, items: &[T]) {
    let name = std::any::type_name::<T>();
    for order in [ByteOrder::Little, ByteOrder::Big] {
        for count in [0, 1, items.len()] {
            let items = &items[..count];
            let mut options = WriteOptions::new();
            options.byte_order(order).write(path, items).unwrap();
            let mut written = Vec::new();
            options.write_to(&mut written, items).unwrap();
            assert!(fs::read(path).unwrap() == written, "{name}: {count} of them, {order:?}");
            assert!(Vec::<T>::read_npy(path).unwrap() == items, "{name}: {count}, {order:?}, read");
        }
    }
}

#[test]
fn a_file_holds_what_is_written_to_memory() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let traces = |i: usize| Trace::<_, 1024>::of(u32::try_from(i).unwrap(), f64::MIN_POSITIVE);
    same(&path, &(0..MANY).map(traces).collect::<Vec<_>>());
    same(&path, &(0..MANY).map(padded).collect::<Vec<_>>());
    same(&path, &(0..50).map(shot).collect::<Vec<_>>());
    let names = ["", "RJOB", "12345"].map(|name| name.try_into().unwrap());
    same(&path, &names.map(|name| Gaps { samples: [[1, 0xfffe]; 600], name }));
    same(&path, &[Packed { code: 1, samples: [1.0; 500] }; 20]);
    same(&path, &[Trace::<Image, 2>::of_images(), Trace::of_images()]);
    same(&path, &[[Trace::<_, 600>::of(3, 1.0f64), Trace::of(4, 2.0)]]);
}

impl Trace<Image, 2> {
    fn of_images() -> Self {
        let images = [Image([[1; 64]; 64]), Image([[2; 64]; 64])];
        Trace { id: 1, gain: 2.0, samples: images }
    }
}

/// Guards the order of items whose memory order is not the order in the file.
#[test]
fn several_dimensions_go_in_their_order() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let traces: Vec<_> = (0..6).map(|id| Trace::<f32, 900>::of(id, 1.0)).collect();
    let array = NpyArray::new(traces, [2, 3]).unwrap();
    for order in [Order::C, Order::Fortran] {
        WriteOptions::new().order(order).write(&path, &array).unwrap();
        let read = NpyArray::<Trace<f32, 900>>::read_npy(&path).unwrap();
        assert_eq!((read.shape(), read.order()), (array.shape(), order));
        let id = |i, j| read.at(&[i, j]).unwrap().id;
        assert_eq!([id(0, 0), id(0, 2), id(1, 0), id(1, 2)], [0, 2, 3, 5], "{order:?}");
    }
}

/// Guards padding: it is zero in every item.
#[test]
fn padding_is_zeros() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let mut gaps = vec![Gaps { samples: [[0xffff; 2]; 600], name: ByteStr::default() }; MANY];
    gaps.iter_mut().for_each(|it| it.name = "xxxxx".try_into().unwrap());
    gaps.write_npy(&path).unwrap();
    let array = DynArray::read_npy(&path).unwrap();
    for item in array.as_bytes().chunks_exact(5000) {
        assert!([&item[..9], &item[2409..4000], &item[4005..]].concat().iter().all(|&b| b == 0));
    }
}

/// Guards the row in the error, and the old file.
#[test]
fn a_value_that_does_not_fit_leaves_the_old_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    [1u8].write_npy(&path).unwrap();
    let mut shots: Vec<_> = (0..40).map(shot).collect();
    shots[33].name = "longer than 8".into();
    let error = shots.write_npy(&path).unwrap_err().to_string();
    let expected = shots.write_npy_to(&mut Vec::new()).unwrap_err().to_string();
    assert_eq!(error, format!("{}: {expected}", path.display()));
    assert!(expected.contains("row 33: field \"name\""), "{expected}");
    assert_eq!(Vec::<u8>::read_npy(&path).unwrap(), [1]);
}

/// An element that is implemented by hand, and stored differently than it is in memory.
#[derive(Clone, Debug, PartialEq)]
struct Halved([f64; 500]);

impl Element for Halved {
    const SIZE: usize = <[f64; 500]>::SIZE;

    fn dtype() -> npy_core::DType {
        <[f64; 500]>::dtype()
    }

    fn decode(item: &[u8]) -> Self {
        Halved(<[f64; 500]>::decode(item).map(|value| value * 2.0))
    }

    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        self.0.map(|value| value / 2.0).encode(item)
    }
}

#[test]
fn a_custom_element_is_encoded() {
    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    struct Both {
        halved: Halved,
        samples: [f64; 700],
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    same(&path, &[Both { halved: Halved([3.0; 500]), samples: [1.0; 700] }]);
    let stored = DynArray::read_npy(&path).unwrap();
    assert_eq!(stored.as_bytes()[..8], 1.5f64.to_le_bytes());
}

/// Guards the row in an error: it is the row of the array, and not the index inside an element.
#[test]
fn an_error_has_the_row_of_the_array() {
    #[derive(Clone)]
    struct Bad;
    impl Element for Bad {
        const SIZE: usize = 1;
        fn dtype() -> npy_core::DType {
            u8::dtype()
        }
        fn decode(_: &[u8]) -> Self {
            Bad
        }
        fn encode(&self, _: &mut [u8]) -> Result<(), InvalidValue> {
            Err(InvalidValue::new("bad").at_item(4))
        }
    }
    #[derive(NpyRecord, Clone)]
    struct Both {
        bad: Bad,
        samples: [f64; 700],
    }
    let dir = tempfile::tempdir().unwrap();
    let items = vec![Both { bad: Bad, samples: [0.0; 700] }; 2];
    let error = items.write_npy(dir.path().join("x.npy")).unwrap_err().to_string();
    assert!(error.ends_with("row 0: field \"bad\": bad"), "{error}");
}

/// Guards against a short write: a full disk is an error.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let traces = vec![Trace::<f64, 600>::of(1, 2.0); 3];
    let Err(error) = traces.write_npy("/dev/full") else { panic!("it took all") };
    assert!(error.to_string().contains("No space left"), "{error}");
}
