//! `ndarray`'s arrays: read and written like our own.

use std::fmt::Debug;

use ndarray::{
    Array0, Array1, Array2, Array3, ArrayD, ArrayRef2, ArrayRefD, ArrayViewD, Axis, Ix2, IxDyn,
    ShapeBuilder, Slice, array, s,
};
use npy_core::{
    Be, ByteOrder, DynArray, Element, Header, Map, MapAny, MapMut, NpyArray, NpyRecord, NpyView,
    NpyViewMut, Order, ReadNpy, ViewError, WriteNpy, WriteOptions, ZeroCopy,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn file(array: &(impl WriteNpy + ?Sized)) -> Vec<u8> {
    let mut bytes = Vec::new();
    array.write_npy_to(&mut bytes).unwrap();
    bytes
}

fn ours(shape: &[usize], order: Order) -> NpyArray<i32> {
    let count = shape.iter().product::<usize>();
    let items = (0..i32::try_from(count).unwrap()).collect();
    NpyArray::new(items, shape).unwrap().to_order(order)
}

/// Guards both ways, in both orders, for every rank.
#[test]
fn arrays_are_the_same_either_way() {
    for shape in [&[][..], &[0], &[3], &[2, 3], &[0, 3], &[1, 4], &[2, 3, 4], &[2, 1, 3, 1, 2]] {
        for order in [Order::C, Order::Fortran] {
            let ours = ours(shape, order);
            let bytes = file(&ours);
            let theirs = ArrayD::<i32>::read_npy_from(&bytes[..]).unwrap();
            assert_eq!(theirs.shape(), shape);
            assert!(theirs.iter().eq(ours.iter()), "{shape:?} {order:?}");
            assert_eq!(theirs.view(), ours.as_ndarray().unwrap());
            assert_eq!(file(&theirs), bytes, "{shape:?} {order:?}");
            assert_eq!(ArrayD::try_from(ours).unwrap(), theirs);
        }
    }
}

/// Guards changes by `ndarray` in place, in both orders; and references to arrays (`ArrayRef`), contiguous and not.
#[test]
fn arrays_are_changed_and_written_by_reference() {
    for order in [Order::C, Order::Fortran] {
        let mut ours = ours(&[2, 3], order);
        ours.as_ndarray_mut().unwrap()[[1, 0]] = 100;
        assert_eq!((ours[[1, 0]], ours.order()), (100, order));
        let mut bytes = file(&ours);
        if let Ok(mut view) = NpyViewMut::<i32>::from_bytes(&mut bytes) {
            view.as_ndarray_mut().unwrap().fill(5);
            assert!(view.as_ndarray().unwrap().iter().all(|n| *n == 5));
            assert!(ours.view().as_ndarray().unwrap().iter().any(|n| *n == 100));
            assert_eq!(NpyArray::<i32>::read_npy_from(&bytes[..]).unwrap().into_vec(), [5; 6]);
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.npy");
        // SAFETY: the file is this test's alone.
        #[allow(unsafe_code)]
        let map = unsafe { MapMut::<i32>::create_with_order(&path, &[2, 3], order) };
        let mut map = map.unwrap();
        map.as_ndarray_mut().unwrap().index_axis_mut(Axis(0), 1).fill(7);
        drop(map);
        let read = NpyArray::<i32>::read_npy(&path).unwrap();
        assert_eq!((read.order(), read.into_vec()), (order, vec![0, 0, 0, 7, 7, 7]));
        let array = ArrayD::try_from(ours).unwrap();
        let reference: &ArrayRefD<i32> = &array;
        assert_eq!(file(reference), file(&array));
        let columns = array.slice(s![.., ..;2]);
        let reference: &ArrayRef2<i32> = &columns;
        assert_eq!(file(reference), file(&columns));
    }
}

#[test]
fn the_number_of_dimensions_is_that_of_the_type() {
    let bytes = file(&ours(&[2, 3], Order::C));
    assert_eq!(Array2::<i32>::read_npy_from(&bytes[..]).unwrap(), array![[0, 1, 2], [3, 4, 5]]);
    let error = Array3::<i32>::read_npy_from(&bytes[..]).unwrap_err().to_string();
    assert!(error.contains("(2, 3)") && error.contains("3 dimensions"), "{error}");
    assert!(error.contains("ArrayD"), "{error}");
    assert!(Array0::<i32>::read_npy_from(&bytes[..]).is_err());
    assert_eq!(Array0::<u8>::read_npy_from(&file(&7u8)[..]).unwrap().into_scalar(), 7);
    // A sub-array takes the last dimensions.
    let rows = Array1::<[i32; 3]>::read_npy_from(&bytes[..]).unwrap();
    assert_eq!(rows.to_vec(), [[0, 1, 2], [3, 4, 5]]);
}

/// Guards views with another memory layout: slices, steps, permuted axes.
#[test]
fn strided_views_are_written_in_index_order() {
    let array =
        Array3::from_shape_fn((4, 5, 6), |(i, j, k)| i32::try_from(i * 100 + j * 10 + k).unwrap());
    let views = [
        array.view(),
        array.slice(s![1..3, ..;2, ..]),
        array.slice(s![..;-1, 1.., 2..5]),
        array.view().permuted_axes([2, 1, 0]),
        array.view().permuted_axes([1, 0, 2]),
        array.slice(s![..1, .., ..]),
        array.slice(s![..0, .., ..]),
    ];
    for view in views {
        let read = Array3::<i32>::read_npy_from(&file(&view)[..]).unwrap();
        assert_eq!(read, view);
        for order in [Order::C, Order::Fortran] {
            let mut bytes = Vec::new();
            WriteOptions::new().order(order).write_to(&mut bytes, &view).unwrap();
            let (header, _) = Header::parse(&bytes).unwrap();
            let two = view.shape().iter().filter(|n| **n > 1).count() > 1;
            let turned = two && !view.is_empty() && order == Order::Fortran;
            assert_eq!(header.order() == Order::Fortran, turned, "{:?}", view.shape());
            assert_eq!(Array3::<i32>::read_npy_from(&bytes[..]).unwrap(), view);
        }
    }
    // As in NumPy: an array in Fortran order is written in that order.
    let fortran = Array2::<f64>::zeros((2, 3).f());
    assert_eq!(Header::parse(&file(&fortran)).unwrap().0.order(), Order::Fortran);
    assert_eq!(Header::parse(&file(&array.index_axis(Axis(0), 1))).unwrap().0.order(), Order::C);
}

#[test]
fn views_and_maps_become_ndarray_views() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    ours(&[2, 3], Order::Fortran).write_npy(&path).unwrap();
    let expected = array![[0, 1, 2], [3, 4, 5]];
    #[allow(unsafe_code)]
    // SAFETY: the directory belongs to this test.
    let map = unsafe { Map::<i32>::open(&path) }.unwrap();
    assert_eq!(map.as_ndarray().unwrap().into_dimensionality::<Ix2>().unwrap(), expected);
    let bytes = std::fs::read(&path).unwrap();
    if let Ok(view) = NpyView::<i32>::from_bytes(&bytes) {
        assert_eq!(view.as_ndarray().unwrap(), expected.clone().into_dyn());
    }
}

/// Guards the stride: that of the records, in elements.
#[test]
fn a_column_becomes_a_strided_ndarray_view() {
    #[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
    #[repr(C)]
    struct Point {
        id: u32,
        x: f32,
        weights: [f64; 2],
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let point = |i: u8| Point { id: i.into(), x: f32::from(i) / 2.0, weights: [0.5, i.into()] };
    let points: Vec<_> = (0..5).map(point).collect();
    let native = WriteOptions::new().byte_order(ByteOrder::NATIVE).clone();
    native.write(&path, &points).unwrap();
    #[allow(unsafe_code)]
    // SAFETY: the directory belongs to this test; also below.
    let map = unsafe { Map::<Point>::open(&path) }.unwrap();
    let x = map.column::<f32>("x").unwrap();
    let view = x.as_ndarray().unwrap();
    assert_eq!((view.to_vec(), view.strides()), (vec![0.0, 0.5, 1.0, 1.5, 2.0], &[6][..]));
    assert!(std::ptr::eq(&view[3], &map[3].x), "a copy");
    let second = map.column::<f64>("weights[1]").unwrap();
    assert_eq!(second.as_ndarray().unwrap().sum(), 10.0);
    assert_eq!(second.range(1..3).unwrap().as_ndarray().unwrap().to_vec(), [1.0, 2.0]);
    assert_eq!(second.range(5..5).unwrap().as_ndarray().unwrap().len(), 0);
    assert_eq!(second.range(4..5).unwrap().as_ndarray().unwrap().to_vec(), [4.0]);
    // 24 bytes are not a multiple of 16.
    let error = map.column::<[f64; 2]>("weights").unwrap().as_ndarray().unwrap_err();
    assert!(matches!(error, ViewError::Stride { stride: 24, size: 16, .. }), "{error}");
    assert!(error.to_string().contains("Column::to_vec"), "{error}");

    // A stride of 5 bytes, at an odd address.
    let dtype = "[('a', '|u1'), ('x', '=f4')]".parse().unwrap();
    let array = DynArray::new(dtype, [3], Order::C, vec![0; 15]).unwrap();
    array.write_npy(&path).unwrap();
    #[allow(unsafe_code)]
    // SAFETY: as above.
    let any = unsafe { MapAny::open(&path) }.unwrap();
    let x = any.column::<f32>("x").unwrap();
    assert!(matches!(x.as_ndarray(), Err(ViewError::Stride { .. })));
    let first = x.range(0..1).unwrap();
    assert!(matches!(first.as_ndarray(), Err(ViewError::Misaligned { .. })));
    assert_eq!(any.column::<u8>("a").unwrap().as_ndarray().unwrap().strides(), [5]);
    let turned = any.column::<Be<f32>>("x").unwrap().as_ndarray().map(|view| view.len());
    assert!(matches!(turned, Err(ViewError::ByteOrder { .. } | ViewError::Stride { .. })));
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Pick {
    station: u8,
    time: f64,
}

#[test]
fn records_are_items_too() {
    let picks = Array2::from_shape_fn((2, 2), |(i, j)| Pick {
        station: u8::try_from(i).unwrap(),
        time: j as f64,
    });
    assert_eq!(Array2::<Pick>::read_npy_from(&file(&picks)[..]).unwrap(), picks);
}

/// One axis of a view: its length in memory, the start and end of the view, its step (negative if backwards), and a key
/// to sort the axes by.
type Cut = (usize, usize, usize, isize, u8);

/// Asserts that a view reads back equal in any order, and is written as the same file as an `NpyArray` of the same
/// elements.
fn assert_reads_back<T>(cuts: &[Cut], layout: Order, element: impl Fn(u8) -> T)
where
    T: Element + Clone + PartialEq + Debug,
{
    let shape: Vec<usize> = cuts.iter().map(|cut| cut.0).collect();
    let mut next = 0u8;
    let array = ArrayD::from_shape_simple_fn(IxDyn(&shape).set_f(layout == Order::Fortran), || {
        next = next.wrapping_add(1);
        element(next)
    });
    let view = array.slice_each_axis(|axis| {
        let (len, start, end, step, _) = cuts[axis.axis.index()];
        let (start, end) = (start.min(len) as isize, end.min(len) as isize);
        Slice::new(start.min(end), Some(end.max(start)), step)
    });
    let mut axes: Vec<usize> = (0..cuts.len()).collect();
    axes.sort_by_key(|&axis| cuts[axis].4);
    let view = view.permuted_axes(IxDyn(&axes));
    for order in [None, Some(Order::C), Some(Order::Fortran)] {
        assert_written(view.view(), order);
    }
}

fn assert_written<T>(view: ArrayViewD<'_, T>, order: Option<Order>)
where
    T: Element + Clone + PartialEq + Debug,
{
    let mut options = WriteOptions::new();
    order.map(|order| options.order(order));
    let mut bytes = Vec::new();
    options.write_to(&mut bytes, &view).unwrap();
    let (type_name, shape, strides) = (std::any::type_name::<T>(), view.shape(), view.strides());
    let case = format!("{type_name}, shape {shape:?}, strides {strides:?}, written in {order:?}");
    assert_eq!(ArrayD::<T>::read_npy_from(&bytes[..]).unwrap(), view, "{case}");
    let c = NpyArray::new(view.iter().cloned().collect(), shape).unwrap();
    assert_eq!(NpyArray::<T>::read_npy_from(&bytes[..]).unwrap(), c, "{case}");
    // An array in either memory order, written in the order of this file.
    options.order(Header::parse(&bytes).unwrap().0.order());
    for ours in [c.to_order(Order::Fortran), c] {
        let mut same = Vec::new();
        options.write_to(&mut same, &ours).unwrap();
        assert!(same == bytes, "{case}: an NpyArray is written as other bytes");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 512,
        rng_seed: RngSeed::Fixed(18),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Guards the order of the elements in the file: the one that the header states.
    #[test]
    fn views_of_any_layout_read_back_equal(
        cuts in vec(
            (0usize..5, 0usize..3, 1usize..6, prop_oneof![3 => Just(1), 1 => Just(-1), 1 => Just(2), 1 => Just(-2)], any::<u8>()),
            0..5,
        ),
        whole in any::<bool>(),
        fortran in any::<bool>(),
    ) {
        let cuts: Vec<Cut> = match whole {
            // Contiguous in memory: the other branch of the writer.
            true => cuts.iter().map(|&(len, ..)| (len, 0, len, 1, 0)).collect(),
            false => cuts,
        };
        let layout = if fortran { Order::Fortran } else { Order::C };
        assert_reads_back(&cuts, layout, u16::from);
        assert_reads_back(&cuts, layout, |i| [u16::from(i), 1000 + u16::from(i)]);
        assert_reads_back(&cuts, layout, |i| [[i, 1], [2, i], [i, i]]);
        assert_reads_back(&cuts, layout, |i| [Pick { station: i, time: 0.5 }]);
        assert_reads_back(&cuts, layout, |i| Pick { station: i, time: f64::from(i) / 2.0 });
        assert_reads_back(&cuts, layout, |_| [0.5f32; 0]);
    }
}

/// Guards arrays that become ours: whole ones in either order, parts of larger ones, and those with other strides.
#[test]
fn arrays_are_moved_to_ours_and_back() {
    let cube = || {
        Array3::from_shape_fn((4, 5, 6), |(i, j, k)| i32::try_from(i * 100 + j * 10 + k).unwrap())
    };
    let mut flipped = cube();
    flipped.invert_axis(ndarray::Axis(1));
    for (theirs, order) in [
        (cube(), Order::C),
        (cube().reversed_axes(), Order::Fortran),
        (cube().permuted_axes([1, 0, 2]), Order::C),
        (cube().slice_move(ndarray::s![1..3, .., ..]), Order::C),
        (cube().reversed_axes().slice_move(ndarray::s![.., .., 1..]), Order::Fortran),
        (cube().slice_move(ndarray::s![..;2, 1.., ..;-1]), Order::C),
        (flipped, Order::C),
        (cube().slice_move(ndarray::s![..0, .., ..]), Order::C),
    ] {
        let ours = NpyArray::try_from(theirs.clone()).unwrap();
        assert_eq!((ours.shape(), ours.order()), (theirs.shape(), order));
        assert!(ours.iter().eq(theirs.iter()));
        assert_eq!(Array3::try_from(ours).unwrap(), theirs);
    }
    let ours = NpyArray::try_from(ndarray::arr0(7)).unwrap();
    assert_eq!((ours.shape(), ours.as_slice_memory_order()), (&[][..], &[7][..]));
    let error = Array3::try_from(ours).unwrap_err().to_string();
    assert!(error.contains("ArrayD"), "{error}");
}
