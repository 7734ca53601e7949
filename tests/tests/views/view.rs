//! Arrays viewed in place: the same values as from reading, or an error that says what to call instead.

use std::fmt::Debug;

use npy_core::dtype::Resolution;
use npy_core::time::{Ns, Second, TimeUnit};
use npy_core::{
    Be, ByteOrder, ByteStr, DType, DateTime64, DynArray, Element, Error, ErrorKind, Header, Le,
    NpyArray, NpyElement, NpyRecord, NpyView, NpyViewMut, Order, ReadNpy, TimeDelta64, ViewError,
    WriteNpy, WriteOptions, ZeroCopy,
};

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[repr(C, packed)]
struct Packed<T, const N: usize> {
    flag: u8,
    first: T,
    rest: [T; N],
    r#type: u16,
}

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[npy(align)]
#[repr(C)]
struct Aligned {
    a: u8,
    b: f64,
    c: u16,
}

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[npy(align)]
#[repr(C)]
struct Outer {
    count: i16,
    inner: Aligned,
    more: [[Aligned; 2]; 3],
    last: u8,
}

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Ordered(u8, Le<i32>, Be<f64>, [Be<u16>; 2], Packed<Be<i64>, 0>);

/// A unit that implements `PartialEq`, which the derived `PartialEq` of its users requires.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Tick;

impl TimeUnit for Tick {
    const RESOLUTION: Option<Resolution> = None;
}

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[npy(bound())]
#[repr(C)]
struct Timed<U: TimeUnit> {
    start: DateTime64<U>,
    length: TimeDelta64<Second>,
    name: ByteStr<8>,
}

trait Unit {
    type Count;
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Seconds;

impl Unit for Seconds {
    type Count = u32;
}

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Associated<U: Unit> {
    count: U::Count,
    more: [<U as Unit>::Count; 2],
}

/// Stored as its field.
#[derive(NpyElement, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[repr(transparent)]
struct Celsius<T>(T);

/// A record of one field.
#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[npy(rename_all = "UPPERCASE")]
#[repr(transparent)]
struct Alone {
    inner: Celsius<f32>,
}

fn packed<T: Copy, const N: usize>(x: T) -> Packed<T, N> {
    Packed { flag: 1, first: x, rest: [x; N], r#type: 515 }
}

fn aligned(x: f64) -> Aligned {
    Aligned { a: 7, b: x, c: 300 }
}

fn outer(x: f64) -> Outer {
    Outer { count: -2, inner: aligned(x), more: [[aligned(1.0), aligned(x)]; 3], last: 9 }
}

fn ordered(x: f64) -> Ordered {
    Ordered(1, Le::new(-2), Be::new(x), [Be::new(3), Be::new(0x0102)], packed(Be::new(-1)))
}

/// Returns the file of the array in native byte order.
fn native<A: WriteNpy + ?Sized>(array: &A) -> Vec<u8> {
    let mut file = Vec::new();
    WriteOptions::new().byte_order(ByteOrder::NATIVE).write_to(&mut file, array).unwrap();
    file
}

fn with_header(text: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    // The data begins at a multiple of 64.
    let text = format!("{text:<width$}\n", width = (text.len() + 11).next_multiple_of(64) - 11);
    bytes.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

fn file(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    with_header(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}"), data)
}

/// Bytes at an address that is `past` bytes after a multiple of 64.
struct Placed {
    buffer: Vec<u8>,
    start: usize,
    len: usize,
}

impl Placed {
    fn new(bytes: &[u8], past: usize) -> Self {
        let mut buffer = vec![0xa5; bytes.len() + 128];
        let start = (64 - buffer.as_ptr().addr() % 64) + past;
        buffer[start..start + bytes.len()].copy_from_slice(bytes);
        Placed { buffer, start, len: bytes.len() }
    }

    fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.start + self.len]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[self.start..self.start + self.len]
    }
}

/// Compares views with the result of reading, for one and two dimensions, in both orders.
#[track_caller]
fn assert_viewed<T: ZeroCopy + PartialEq + Debug>(items: &[T]) {
    let placed = Placed::new(&native(items), 0);
    let view = NpyView::<T>::from_bytes(placed.bytes()).unwrap();
    assert_eq!(view.as_slice(), items);
    assert_eq!(view.shape(), [items.len()]);
    assert_eq!(Vec::<T>::read_npy_from(placed.bytes()).unwrap(), items);

    let twice = NpyArray::new([items, items].concat(), [2, items.len()]).unwrap();
    for array in [twice.to_order(Order::Fortran), twice] {
        let placed = Placed::new(&native(&array), 0);
        let Ok(view) = NpyView::<T>::from_bytes(placed.bytes()) else {
            // The only array whose items are strided.
            assert!(T::dtype().sub_array().is_some() && array.order() == Order::Fortran);
            continue;
        };
        let read = NpyArray::<T>::read_npy_from(placed.bytes()).unwrap();
        assert_eq!(view.as_slice(), read.as_slice_memory_order());
        assert_eq!((view.shape(), view.order()), (read.shape(), read.order()));
        for index in [[0, 0], [1, 0], [0, items.len() - 1], [2, 0], [0, items.len()]] {
            assert_eq!(view.at(&index), array.at(&index), "{index:?}");
        }
        assert_eq!(view.at(&[0]), None);
    }
}

/// Guards the values of every kind of type.
#[test]
fn views_show_what_reading_gives() {
    assert_viewed(&[1.5f64, -0.0, f64::INFINITY]);
    assert_viewed(&[i8::MIN, 1]);
    assert_viewed(&[u64::MAX, 1]);
    assert_viewed(&[ByteStr::<3>::new("ab").unwrap(), ByteStr::from([0xff, 0, 1])]);
    assert_viewed(&[DateTime64::<Ns>::NAT, DateTime64::new(5)]);
    assert_viewed(&[Le::new(1.5f32), Le::new(2.5)]);
    assert_viewed(&[Be::new(1i16), Be::new(-2)]);
    assert_viewed(&[[1u16, 2, 3], [4, 5, 6]]);
    assert_viewed(&[[[Be::new(1u32)], [Be::new(2)]], [[Be::new(3)], [Be::new(4)]]]);
    assert_viewed(&[packed::<f32, 3>(1.5), packed(2.5)]);
    assert_viewed(&[packed::<Aligned, 2>(aligned(0.5)), packed(aligned(1.5))]);
    assert_viewed(&[aligned(0.5), aligned(-1e300)]);
    assert_viewed(&[outer(0.5), outer(2.0)]);
    assert_viewed(&[[outer(0.5), outer(2.0)]]);
    assert_viewed(&[ordered(0.5), ordered(2.0)]);
    let name = ByteStr::new("RJOB").unwrap();
    let timed = |start| Timed::<Tick> { start, length: TimeDelta64::new(60), name };
    assert_viewed(&[timed(DateTime64::new(5)), timed(DateTime64::NAT)]);
    assert_viewed(&[Associated::<Seconds> { count: 1, more: [2, 3] }]);
    assert_viewed(&[Celsius(21.5f32), Celsius(-3.0)]);
    assert_viewed(&[Celsius([1u8, 2])]);
    assert_viewed(&[Celsius(packed::<u16, 1>(2))]);
    assert_viewed(&[Celsius(Alone { inner: Celsius(0.5) })]);
    assert_viewed(&[Alone { inner: Celsius(0.5) }]);
}

/// Guards the dtype in memory: native byte order, whatever the type is written as.
#[test]
fn the_dtype_in_memory_is_that_of_the_bytes() {
    #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    #[npy(endian = "big")]
    #[repr(C)]
    struct Stated {
        number: f64,
        little: Le<u32>,
        big: Be<u32>,
    }
    #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    #[npy(endian = "big")]
    #[repr(transparent)]
    struct AloneStated {
        number: f64,
    }
    let order = if cfg!(target_endian = "big") { ">" } else { "<" };
    assert_eq!(
        Stated::dtype().to_string(),
        "[('number', '>f8'), ('little', '<u4'), ('big', '>u4')]"
    );
    assert_eq!(
        Stated::memory_dtype().to_string(),
        format!("[('number', '{order}f8'), ('little', '<u4'), ('big', '>u4')]")
    );
    for (dtype, of) in [
        (<[Stated; 2]>::memory_dtype(), Stated::memory_dtype()),
        (<[[AloneStated; 3]; 1]>::memory_dtype(), AloneStated::memory_dtype()),
    ] {
        assert_eq!(dtype.sub_array().map(|(base, _)| base), Some(&of));
    }
    assert_eq!(Celsius::<Stated>::memory_dtype(), Stated::memory_dtype());
    assert_eq!(AloneStated::dtype().to_string(), "[('number', '>f8')]");
    assert_eq!(AloneStated::memory_dtype().to_string(), format!("[('number', '{order}f8')]"));
    assert_eq!(Alone::memory_dtype().to_string(), format!("[('INNER', '{order}f4')]"));
    assert_eq!(Celsius::<i16>::memory_dtype().to_string(), format!("{order}i2"));
    assert_eq!(<[Be<f32>; 2]>::memory_dtype().to_string(), "('>f4', (2,))");

    // The written bytes have another byte order than the numbers in memory, so they must not be viewed.
    let mut bytes = Vec::new();
    let item = Stated { number: 1.5, little: Le::new(1), big: Be::new(2) };
    [item].write_npy_to(&mut bytes).unwrap();
    let placed = Placed::new(&bytes, 0);
    let view = NpyView::<Stated>::from_bytes(placed.bytes());
    if cfg!(target_endian = "little") {
        assert!(matches!(view, Err(ViewError::ByteOrder { .. })));
    }
}

/// The crate that `crate = lying` names: the traits of the library, and checks that check nothing.
#[allow(unreachable_pub)]
mod lying {
    pub use npy_core::{DType, Element, NpyRecord, ZeroCopy};

    #[expect(dead_code, reason = "the derive does not use it")]
    pub mod private {
        use npy_core::{DType, Element, FieldLayout};

        pub struct Memory<const N: usize> {
            pub name: &'static str,
            pub aligned: bool,
            pub size: usize,
            pub fields: [MemoryField; N],
        }

        pub struct MemoryField {
            pub name: &'static str,
            pub offset: usize,
            pub size: usize,
            pub padded: bool,
        }

        impl<const N: usize> Memory<N> {
            pub const fn proved(&self, _: &[FieldLayout], _: usize) -> bool {
                false
            }
        }

        pub fn memory_record<F, const N: usize>(_: &[FieldLayout], _: usize, _: [F; N]) -> DType {
            super::super::Honest::dtype()
        }
    }
}

#[derive(NpyRecord, Clone, Copy)]
#[npy(align)]
#[repr(C)]
struct Honest {
    flag: u8,
    value: u32,
}

/// Has three bytes of padding, and a dtype without padding.
#[derive(ZeroCopy, Clone, Copy)]
#[npy(crate = lying)]
#[repr(C)]
struct Lying {
    flag: u8,
    value: u32,
}

impl NpyRecord for Lying {
    const FIELDS: &'static [npy_core::FieldLayout] = Honest::FIELDS;
}

impl Element for Lying {
    const SIZE: usize = 8;

    fn dtype() -> DType {
        Honest::dtype()
    }

    fn decode(item: &[u8]) -> Self {
        let Honest { flag, value } = Honest::decode(item);
        Lying { flag, value }
    }

    fn encode(&self, item: &mut [u8]) -> Result<(), npy_core::InvalidValue> {
        Honest { flag: self.flag, value: self.value }.encode(item)
    }
}

/// Guards against undefined bytes: `PADDED` is computed by the library, whatever crate the attribute names.
#[test]
fn a_crate_that_lies_does_not_hide_padding() {
    const { assert!(Lying::PADDED) };
}

/// Guards `PADDED`, which keeps undefined bytes out of files.
#[test]
fn padding_is_known() {
    #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    #[npy(align)]
    #[repr(C)]
    struct AtTheEnd(u16, u8);
    #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    #[npy(align)]
    #[repr(C)]
    struct Full(u16, [u8; 2]);
    #[derive(NpyElement, ZeroCopy, Clone, Copy)]
    #[repr(transparent)]
    struct Wrapped(AtTheEnd);
    #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    #[npy(align)]
    #[repr(C)]
    struct Skipping(u16, u8, #[npy(skip)] u8, Full, u8, #[npy(skip)] [u8; 1]);
    #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    #[npy(align)]
    #[repr(C)]
    struct SkipsTooLittle(u32, u8, #[npy(skip)] [u8; 2]);
    #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    #[npy(align)]
    #[repr(C)]
    struct SkipsPadding(u32, u32, #[npy(skip)] [AtTheEnd; 0]);
    let padded = [
        Aligned::PADDED,
        Outer::PADDED,
        AtTheEnd::PADDED,
        Wrapped::PADDED,
        <[AtTheEnd; 2]>::PADDED,
        Packed::<Aligned, 0>::PADDED,
        Celsius::<Aligned>::PADDED,
        SkipsTooLittle::PADDED,
        SkipsPadding::PADDED,
    ];
    assert_eq!(padded, [true; 9]);
    let full = [
        f64::PADDED,
        Full::PADDED,
        Skipping::PADDED,
        Ordered::PADDED,
        Packed::<u64, 3>::PADDED,
        Celsius::<f64>::PADDED,
        Alone::PADDED,
        Timed::<Tick>::PADDED,
    ];
    assert_eq!(full, [false; 8]);
}

/// Guards writing in place: the value is in the file when it is read again, and nothing else changes.
#[test]
fn what_is_written_to_a_view_is_in_the_file() {
    let items = [packed::<Be<f64>, 2>(Be::new(0.5)), packed(Be::new(1.5))];
    let file = native(&items);
    for past in [0, 1, 7] {
        let mut placed = Placed::new(&file, past);
        let mut view = NpyViewMut::<Packed<Be<f64>, 2>>::from_bytes(placed.bytes_mut()).unwrap();
        assert_eq!(view.as_slice(), items);
        assert_eq!((view.shape(), view.order()), (&[2][..], Order::C));
        view[0] = packed(Be::new(9.0));
        view.at_mut(&[1]).unwrap().r#type = 4;
        view[1].flag = 5;
        assert_eq!(view.at(&[1]).map(|item| item.flag), Some(5));
        assert_eq!(view.at_mut(&[2]), None);
        let mut changed = [packed(Be::new(9.0)), items[1]];
        changed[1].r#type = 4;
        changed[1].flag = 5;
        assert_eq!(placed.bytes(), native(&changed));
        let (start, end) = (placed.start, placed.start + placed.len);
        placed.buffer.drain(start..end);
        assert!(placed.buffer.iter().all(|&byte| byte == 0xa5), "it wrote outside");
    }
}

/// Guards sub-arrays, which take the last dimensions.
#[test]
fn sub_arrays_are_the_last_dimensions() {
    let array = NpyArray::new((0..12).collect::<Vec<i32>>(), [2, 2, 3]).unwrap();
    let placed = Placed::new(&native(&array), 0);
    let bytes = placed.bytes();
    let threes = NpyView::<[i32; 3]>::from_bytes(bytes).unwrap();
    assert_eq!(threes.shape(), [2, 2]);
    assert_eq!(threes.at(&[1, 0]), Some(&[6, 7, 8]));
    let whole = NpyView::<[[[i32; 3]; 2]; 2]>::from_bytes(bytes).unwrap();
    assert_eq!((whole.shape(), whole.len()), (&[][..], 1));
    assert_eq!(whole[0][1][1], [9, 10, 11]);

    let error = NpyView::<[i32; 2]>::from_bytes(bytes).unwrap_err();
    assert!(
        matches!(error, ViewError::Unreadable(ref e) if matches!(e.kind(), ErrorKind::Rank { .. }))
    );

    let fortran = native(&array.to_order(Order::Fortran));
    let placed = Placed::new(&fortran, 0);
    let error = NpyView::<[i32; 3]>::from_bytes(placed.bytes()).unwrap_err();
    assert!(matches!(error, ViewError::Layout { .. }), "{error}");
    assert!(error.to_string().contains("in Fortran order, so its parts are strided"), "{error}");
    assert_eq!(NpyArray::<[i32; 3]>::read_npy_from(&fortran[..]).unwrap().shape(), [2, 2]);
}

/// Guards edge cases: a single item without dimensions, no items at any address, items of no bytes.
#[test]
fn one_item_no_items_and_items_of_no_bytes() {
    let placed = Placed::new(&native(&1.5f64), 0);
    let view = NpyView::<f64>::from_bytes(placed.bytes()).unwrap();
    assert_eq!((view.shape(), view.at(&[]), view[0]), (&[][..], Some(&1.5), 1.5));

    for past in 0..8 {
        let empty = NpyArray::<f64>::new(vec![], [0, 3]).unwrap();
        let mut placed = Placed::new(&native(&empty), past);
        let view = NpyView::<f64>::from_bytes(placed.bytes()).unwrap();
        assert_eq!((view.shape(), view.len(), view.at(&[0, 0])), (&[0, 3][..], 0, None));
        let view = NpyViewMut::<f64>::from_bytes(placed.bytes_mut()).unwrap();
        assert!(view.is_empty());

        let nothing = file("'|S0'", "(3,)", b"");
        let mut placed = Placed::new(&nothing, past);
        let view = NpyView::<ByteStr<0>>::from_bytes(placed.bytes()).unwrap();
        assert_eq!(view.as_slice(), [ByteStr::default(); 3]);
        let view = NpyViewMut::<ByteStr<0>>::from_bytes(placed.bytes_mut()).unwrap();
        assert_eq!(view.len(), 3);

        let placed = Placed::new(&file("'<f8'", "(2, 0)", b""), past);
        let view = NpyView::<[f64; 0]>::from_bytes(placed.bytes()).unwrap();
        assert_eq!(view.as_slice(), [[], []]);
    }
}

/// Guards references: none is created at an address that is misaligned for its type.
#[test]
fn no_value_is_misaligned() {
    fn check<T: ZeroCopy + PartialEq + Debug>(items: &[T]) {
        let file = native(items);
        for past in 0..64 {
            let placed = Placed::new(&file, past);
            match NpyView::<T>::from_bytes(placed.bytes()) {
                Ok(view) => {
                    assert_eq!(past % align_of::<T>(), 0);
                    assert_eq!(view.as_slice(), items);
                }
                Err(ViewError::Misaligned { align, past: by, .. }) => {
                    assert_eq!((align, by), (align_of::<T>(), past % align));
                    assert_ne!(by, 0);
                    assert_eq!(Vec::<T>::read_npy_from(placed.bytes()).unwrap(), items);
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
    /// The same for a mutable view, which types with padding do not support.
    fn check_mut<T: ZeroCopy + PartialEq + Debug>(items: &[T]) {
        check(items);
        for past in 0..64 {
            let mut placed = Placed::new(&native(items), past);
            let view = NpyViewMut::<T>::from_bytes(placed.bytes_mut());
            assert_eq!(view.is_ok(), past % align_of::<T>() == 0, "{past}");
        }
    }
    check(&[aligned(1.0)]);
    check_mut(&[1u8, 2]);
    check_mut(&[1i16, 2]);
    check_mut(&[1f32, 2.0]);
    check_mut(&[1f64, 2.0]);
    check_mut(&[packed::<u64, 2>(1)]);
    check_mut(&[ordered(1.0)]);
    check_mut(&[[1u32, 2], [3, 4]]);
}

/// Guards truncated files.
#[test]
fn a_file_cut_anywhere_is_an_error() {
    let items = [packed::<u32, 2>(7), packed(8)];
    let whole = native(&items);
    let (_, header) = Header::parse(&whole).unwrap();
    for end in 0..whole.len() {
        let mut placed = Placed::new(&whole[..end], 0);
        let error = NpyView::<Packed<u32, 2>>::from_bytes(placed.bytes()).unwrap_err();
        let found = match error {
            ViewError::Short { expected: 30, found, .. } => Some(found),
            _ => None,
        };
        assert_eq!(found, end.checked_sub(header).map(|found| found as u64), "{end}: {error}");
        assert!(NpyViewMut::<Packed<u32, 2>>::from_bytes(placed.bytes_mut()).is_err());
        // The message is the same as from reading, but at the end of a stream.
        let read = Vec::<Packed<u32, 2>>::read_npy_from(placed.bytes()).unwrap_err();
        assert!(end == 0 || Error::from(error).to_string() == read.to_string(), "{end}: {read}");
    }
    let longer = [&whole[..], b"behind it"].concat();
    assert_eq!(NpyView::<Packed<u32, 2>>::from_bytes(&longer).unwrap().as_slice(), items);
}

/// Guards against false headers: they are compared with the data, and cost nothing.
#[test]
fn hostile_headers_are_refused() {
    let view = |bytes: &[u8]| NpyView::<u8>::from_bytes(bytes).unwrap_err().to_string();
    for (bytes, part) in [
        (
            file("'|u1'", "(9223372036854775807,)", b"abc"),
            "expected 9223372036854775807 bytes of data, found 3",
        ),
        (file("'|u1'", "(4294967296, 4294967296)", b""), "larger than any memory"),
        (file("'|u1'", "(2305843009213693952, 4)", b"abc"), "larger than any memory"),
        (file("'|O'", "(1,)", b"N."), "Python objects"),
        (file("'|u1'", "(-1,)", b""), "a dimension must be a number"),
        (file("'<u2'", "(1,)", b"ab"), "u8 expects '|u1'"),
        (file("[('a', '|u1')]", "(1,)", b"a"), "u8 expects '|u1'"),
        (file("('|u1', (2,))", "(1,)", b"ab"), "sub-array"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(), "Limits::header_bytes"),
        (b"PK\x03\x04".to_vec(), "npz"),
        (Vec::new(), "empty"),
    ] {
        assert!(view(&bytes).contains(part), "{}\nshould say {part}", view(&bytes));
    }
    let nothing = file("'|S0'", "(4611686018427387904,)", b"");
    let error = NpyView::<ByteStr<0>>::from_bytes(&nothing).unwrap_err();
    assert!(error.to_string().contains("Limits::empty_items"), "{error}");
    // The data would end eight bytes past the end of the address space.
    let wide = file("'<f8'", "(2305843009213693952,)", &[0; 64]);
    let error = NpyView::<Le<f64>>::from_bytes(&wide).unwrap_err();
    assert!(error.to_string().contains("larger than any memory"), "{error}");
}

/// Guards the comparison of layouts: it is exact, except for differences that do not matter.
#[test]
fn only_the_same_layout_is_viewed() {
    #[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
    #[repr(C)]
    struct Pair {
        a: Le<u16>,
        b: u8,
    }
    let pair = Pair { a: Le::new(0x0201), b: 3 };
    for descr in [
        "[('a', '<u2'), ('b', '|u1')]",
        "[(('a title', 'a'), '<u2'), ('b', '|u1')]",
        "[('a', '<u2'), ('', '|V0'), ('b', '|u1')]",
    ] {
        let bytes = file(descr, "(1,)", &[1, 2, 3]);
        assert_eq!(*NpyView::<Pair>::from_bytes(&bytes).unwrap(), [pair], "{descr}");
    }
    for (descr, data) in [
        ("[('b', '|u1'), ('a', '<u2')]", &[3, 1, 2][..]),
        ("[('a', '<u2'), ('', '|V1'), ('b', '|u1')]", &[1, 2, 0, 3]),
        ("[('a', '<u2'), ('b', '|u1'), ('', '|V1')]", &[1, 2, 3, 0]),
        ("[('', '|V1'), ('a', '<u2'), ('b', '|u1')]", &[0, 1, 2, 3]),
        ("[('a', '<u2'), ('b', '|u1'), ('c', '|u1')]", &[1, 2, 3, 0]),
    ] {
        let bytes = file(descr, "(1,)", data);
        let error = NpyView::<Pair>::from_bytes(&bytes).unwrap_err();
        assert!(matches!(error, ViewError::Layout { .. }), "{descr}: {error}");
        assert_eq!(Vec::<Pair>::read_npy_from(&bytes[..]).unwrap(), [pair], "{descr}");
    }
    let bytes = file("[('a', '>u2'), ('b', '|u1')]", "(1,)", &[2, 1, 3]);
    let error = NpyView::<Pair>::from_bytes(&bytes).unwrap_err();
    assert!(matches!(error, ViewError::ByteOrder { .. }), "{error}");
    assert_eq!(Vec::<Pair>::read_npy_from(&bytes[..]).unwrap(), [pair]);
    // Files that cannot be read as this type, either.
    for descr in ["[('a', '<u2')]", "[('a', '<u2'), ('b', '|i1')]", "[('A', '<u2'), ('b', '|u1')]"]
    {
        let error = NpyView::<Pair>::from_bytes(&file(descr, "(1,)", &[1, 2, 3])).unwrap_err();
        assert!(matches!(error, ViewError::Unreadable(_)), "{descr}: {error}");
    }
    // A field of the file at the padding of the struct is ignored.
    let wider: DType = Aligned::memory_dtype();
    let descr = wider.to_string().replacen("('', '|V7')", "('z', '|u1'), ('', '|V6')", 1);
    let data = DynArray::read_npy_from(&native(&[aligned(0.5)])[..]).unwrap().into_bytes();
    let placed = Placed::new(&file(&descr, "(1,)", &data), 0);
    assert_eq!(*NpyView::<Aligned>::from_bytes(placed.bytes()).unwrap(), [aligned(0.5)]);
    // Nested sub-arrays are the same as one of two dimensions.
    let bytes = file("[('a', ('|u1', (2,)), (3,))]", "(1,)", &[1, 2, 3, 4, 5, 6]);
    #[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
    #[repr(C)]
    struct Grid {
        a: [[u8; 2]; 3],
    }
    let grid = Grid { a: [[1, 2], [3, 4], [5, 6]] };
    assert_eq!(*NpyView::<Grid>::from_bytes(&bytes).unwrap(), [grid]);
}

/// Guards records that are too long to print: both texts begin alike, so the message names the first difference.
#[test]
fn a_view_of_a_long_record_names_the_first_difference() {
    #[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
    #[repr(C)]
    struct Long {
        a_name_of_some_length: u8,
        another_name_of_some_length: u8,
        the_last_name_of_some_length: u8,
    }
    let field = |name: &str| format!("('{name}', '|u1')");
    let fields =
        ["a_name_of_some_length", "another_name_of_some_length", "the_last_name_of_some_length"];
    let descr = format!("[{}, ('unit', '|S4')]", fields.map(field).join(", "));
    let longer = file(&descr, "(1,)", &[0; 7]);
    let error = NpyView::<Long>::from_bytes(&longer).unwrap_err().to_string();
    assert!(error.contains("(field \"unit\" is only in the file), but Long is"), "{error}");
}

/// Guards the messages: each says what is wrong and what to call instead.
#[test]
fn each_view_error_says_what_to_do() {
    let other = if cfg!(target_endian = "big") { "<" } else { ">" };
    let own = if cfg!(target_endian = "big") { ">" } else { "<" };
    let turned = file(&format!("'{other}f8'"), "(1,)", &[0; 8]);
    assert_eq!(
        NpyView::<f64>::from_bytes(&turned).unwrap_err().to_string(),
        format!(
            "the file holds '{other}f8', but f64 is '{own}f8' in memory; view integers and floats as Le<…> or Be<…>, which have a fixed byte order, \
             open a file of any dtype as MapAny, or copy and byte-swap it with Vec::<f64>::read_npy (of bytes: read_npy_from)"
        )
    );
    let error = NpyView::<f64>::from_bytes(&turned).unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
    let padded = file("[('INNER', '<f4'), ('', '|V4')]", "(1, 1)", &[0; 8]);
    assert_eq!(
        NpyView::<Alone>::from_bytes(&padded).unwrap_err().to_string(),
        format!(
            "the file holds [('INNER', '<f4'), ('', '|V4')], but Alone is [('INNER', '{own}f4')] in memory; copy it with \
             NpyArray::<Alone>::read_npy (of bytes: read_npy_from)"
        )
    );
    let placed = Placed::new(&native(&[1.5f64]), 3);
    let misaligned = NpyView::<f64>::from_bytes(placed.bytes()).unwrap_err();
    assert_eq!(
        misaligned.to_string(),
        "misaligned: `f64` needs an address that is a multiple of 8, but its address has a remainder of 3; copy it with \
         Vec::<f64>::read_npy (of bytes: read_npy_from), or use #[repr(C, packed)], Le<…> or Be<…>, which need no alignment"
    );
    let error = Error::from(misaligned);
    assert!(matches!(error.kind(), ErrorKind::View(ViewError::Misaligned { .. })), "{error}");
    let short = NpyView::<u8>::from_bytes(&file("'|u1'", "(4,)", &[0; 3])).unwrap_err();
    let message = "truncated: expected 4 bytes of data, found 3; write or copy the complete file again, or keep";
    assert!(short.to_string().starts_with(message), "{short}");
    assert!(matches!(Error::from(short).kind(), ErrorKind::Truncated { .. }));
    // No cast of a view could help.
    let narrow = NpyView::<f64>::from_bytes(&file("'<f4'", "(1,)", &[0; 4])).unwrap_err();
    assert_eq!(
        narrow.to_string(),
        "the file holds '<f4', f64 expects '<f8'; a view converts nothing: read a copy with ReadOptions::new().cast(Cast::Checked), or change the Rust \
         type to f32"
    );
    let rows = file("'<f8'", "(1, 2)", &[0; 16]);
    assert_eq!(
        NpyView::<[f64; 3]>::from_bytes(&rows).unwrap_err().to_string(),
        "the array has shape (1, 2), [f64; 3] expects (..., 3); change the Rust type to f64"
    );
    // A view has no defaults.
    let other = file("[('x', '<f4')]", "(1,)", &[0; 4]);
    let error = NpyView::<Alone>::from_bytes(&other).unwrap_err().to_string();
    assert!(error.contains("; a view needs exactly the fields of the file"), "{error}");
    let bad = NpyView::<u8>::from_bytes(b"no array").unwrap_err();
    assert_eq!(bad.to_string(), Header::parse(b"no array").unwrap_err().to_string());
    assert!(matches!(Error::from(bad).kind(), ErrorKind::NotNpy { .. }));
}

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy)]
#[repr(C, packed)]
struct Field<T> {
    f0: T,
}

/// Guards the advice for each kind of dtype: a type that views the file, or the ways without a view.
#[test]
fn the_advice_of_a_view_names_a_type_that_views_the_file() {
    use npy_core::{Bool8, Void, time};

    type IsViewed = fn(&[u8]) -> bool;
    macro_rules! views {
        ($($type:ty,)*) => {
            [$(
                (stringify!($type).to_owned(), views!(of $type)),
                (format!("[{}; 2]", stringify!($type)), views!(of [$type; 2])),
            )*]
        };
        (of $type:ty) => {
            [
                |file| NpyView::<$type>::from_bytes(file).is_ok(),
                |file| NpyView::<Field<$type>>::from_bytes(file).is_ok(),
            ]
        };
    }
    fn message<T: ZeroCopy + Debug>(file: &[u8]) -> Option<String> {
        let error = NpyView::<T>::from_bytes(file).err()?;
        matches!(error, ViewError::Unreadable(_)).then(|| error.to_string())
    }
    let views: &[(String, [IsViewed; 2])] = &views![
        Bool8,
        i8,
        u8,
        i16,
        u16,
        i32,
        u32,
        i64,
        u64,
        half::f16,
        f32,
        f64,
        num_complex::Complex<f32>,
        num_complex::Complex<f64>,
        Be<i16>,
        Be<u16>,
        Be<i32>,
        Be<u64>,
        Be<f32>,
        Be<f64>,
        Le<i16>,
        Le<u16>,
        Le<i32>,
        Le<u64>,
        Le<f32>,
        Le<f64>,
        ByteStr<1>,
        ByteStr<3>,
        Void<1>,
        Void<2>,
        Void<8>,
        DateTime64<time::Ms>,
        DateTime64<time::Generic>,
        TimeDelta64<time::Times<25, time::Second>>,
    ];
    let dtypes = [
        "?", "i1", "u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4", "<i8", "<u8", ">u8",
        "<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "<c8", "<c16", ">c16", "<f16", "<c32", "S1",
        "S3", "U1", "<U3", ">U3", "V1", "V2", "<V2", "V8", "<M8[ms]", ">M8[ms]", "<M8", "<m8[25s]",
    ];
    let arrays = ["<i4", "?", ">i2", "S3", "U3"];
    let plain = dtypes.iter().map(|descr| (format!("'{descr}'"), ""));
    let all = plain.chain(arrays.map(|descr| (format!("'{descr}'"), ", (2,)")));
    let (mut viewed, mut others) = (0, 0);
    for (descr, inner) in all {
        let top = file(&descr, if inner.is_empty() { "(2,)" } else { "(2, 2)" }, &[0; 256]);
        let field = file(&format!("[('f0', {descr}{inner})]"), "(2,)", &[0; 256]);
        let messages = [
            (0, message::<f64>(&top)),
            (0, message::<u16>(&top)),
            (0, message::<[u32; 2]>(&top)),
            (0, message::<[u32; 3]>(&top)),
            (0, message::<ByteStr<7>>(&top)),
            (0, message::<Void<8>>(&top)),
            (0, message::<DateTime64<Second>>(&top)),
            (0, message::<Field<u8>>(&top)),
            (1, message::<Field<f64>>(&field)),
            (1, message::<Field<u16>>(&field)),
            (1, message::<Field<[u32; 3]>>(&field)),
            (1, message::<Field<ByteStr<7>>>(&field)),
            (1, message::<Field<Void<8>>>(&field)),
            (1, message::<Field<DateTime64<Second>>>(&field)),
        ];
        for (at, message) in messages.into_iter().filter_map(|(at, message)| Some((at, message?))) {
            let copy = "read a copy with ReadOptions::new().cast(Cast::Checked)";
            if message.contains("open the file as MapAny or read a copy") || message.ends_with(copy)
            {
                others += 1;
                assert!(!message.contains("Vec"), "{message}");
                let is_text_or_wide = ["U", "f16", "c32"].iter().any(|of| descr.contains(of));
                assert!(is_text_or_wide || descr.contains('>'), "{message}");
                continue;
            }
            let change = ["change the Rust type to ", "change the field to "][at];
            let Some((_, held)) = message.split_once(change) else { panic!("{message}") };
            let held = held.split(", or ").next().unwrap();
            let Some((_, is_viewed)) = views.iter().find(|(name, _)| *name == held) else {
                panic!("{message}")
            };
            assert!(is_viewed[at](if at == 0 { &top } else { &field }), "{message}");
            viewed += 1;
        }
    }
    assert!(viewed > 300 && others > 50, "{viewed} {others}");
}

/// Guards the types of optional features.
#[test]
fn rarer_numbers_are_viewed_as_they_are_read() {
    assert_viewed(&[npy_core::Void([1u8, 2, 3]), npy_core::Void([0; 3])]);
    assert_viewed(&[npy_core::Float8(0x38)]);
    assert_viewed(&[0, 1, 0xff].map(npy_core::Bool8::from_byte));
    assert_viewed(&[half::f16::from_f32(0.5), half::f16::from_bits(0xfc00)]);
    assert_viewed(&[half::bf16::from_f32(0.5)]);
    assert_viewed(&[num_complex::Complex::new(0.5f32, 1.5)]);
    assert_viewed(&[[num_complex::Complex::new(0.5f64, 1.5); 2]; 2]);
}
