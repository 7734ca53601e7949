//! Arrays whose order in memory, or whose dtype, is unusual: NumPy saves the same.

use ndarray::{Array2, ArrayD, IxDyn, ShapeBuilder, s};

use super::we_write::Ours;
use super::*;

/// Guards elements that are sub-arrays, which `ndarray` may hold in any order.
#[test]
fn ndarrays_of_sub_arrays_are_written_as_numpy_saves_them() {
    let mut ours = Ours::new();
    // NumPy's element (i, j) is [10i + j, 100].
    let pairs = |rows, columns| {
        let pair = |(i, j)| [u16::try_from(10 * i + j).unwrap(), 100];
        let c = Array2::from_shape_fn((rows, columns), pair);
        let fortran = Array2::from_shape_fn((rows, columns).f(), pair);
        (c, fortran)
    };
    let (c, fortran) = pairs(3, 4);
    let numpys = "np.array([[[10*i + j, 100] for j in range(4)] for i in range(3)], '<u2')";
    let turned = format!("{numpys}.transpose(1, 0, 2)");
    for (array, expression) in [
        (c.view(), numpys.to_owned()),
        (fortran.view(), format!("np.asfortranarray({numpys})")),
        (c.t(), format!("np.asfortranarray({turned})")),
        (fortran.t(), format!("np.ascontiguousarray({turned})")),
        (c.slice(s![..;-1, 1..;2]), format!("np.ascontiguousarray({numpys}[::-1, 1::2])")),
    ] {
        ours.add(&array, &expression);
        for (order, name) in [(Order::C, "C"), (Order::Fortran, "F")] {
            let mut options = WriteOptions::new();
            options.order(order);
            ours.add_with(
                &array,
                &options,
                None,
                &format!("np.array({expression}, order='{name}')"),
            );
        }
    }
    assert_eq!(ours.assert_numpys(), 15);
}

/// Guards items of no bytes: an array in Fortran order is saved in that order, although both orders have the same
/// (empty) data.
#[test]
fn items_of_no_bytes_are_written_in_the_order_that_numpy_saves() {
    let mut ours = Ours::new();
    for shape in [&[][..], &[0], &[4], &[2, 3], &[2, 0, 3], &[1, 5], &[2, 3, 4]] {
        for (order, name) in [(Order::C, "C"), (Order::Fortran, "F")] {
            let mut options = WriteOptions::new();
            options.order(order);
            let count = shape.iter().product();
            let python = |dtype| format!("np.ndarray({shape:?}, {dtype}, b'', order='{name}')");
            let void = NpyArray::new(vec![Void::<0>::default(); count], shape).unwrap();
            ours.add_with(&void, &options, None, &python("'V0'"));
            ours.add(&void.to_order(order), &python("'V0'"));
            let array = DynArray::new("[]".parse().unwrap(), shape, order, Vec::new()).unwrap();
            ours.add(&array, &python("np.dtype([])"));
            let theirs = ArrayD::from_elem(
                IxDyn(shape).set_f(order == Order::Fortran),
                Void::<0>::default(),
            );
            ours.add(&theirs, &python("'V0'"));
            let python = format!("np.array(np.zeros({shape:?}, 'V0'), order='{name}')");
            ours.add_with(&void, &options, None, &python);
        }
    }
    assert_eq!(ours.assert_numpys(), 70);
}

/// Guards the limits for writing: the deepest nesting and the most dimensions that NumPy reads.
#[test]
fn the_deepest_dtypes_that_we_write_are_read_by_numpy() {
    let nested = |depth: usize, wrap: fn(serde_json::Value) -> serde_json::Value| {
        (0..depth).fold(serde_json::json!(7), |value, _| wrap(value))
    };
    let records = nested(99, |value| serde_json::json!({ "a": value }));
    let sequences = serde_json::json!({ "x": nested(63, |value| serde_json::json!([value])) });
    let dir = tempfile::tempdir().unwrap();
    for (name, row) in [("records", records), ("sequences", sequences)] {
        let array = DynArray::try_from_rows(&[row]).unwrap();
        array.write_npy(dir.path().join(name)).unwrap();
    }
    let script = r#"
a = np.load('records')
depth = 0
while a.dtype.names:
    a, depth = a['a'], depth + 1
print(depth, a[0], np.load('sequences')['x'].shape == (1,) * 64)
"#;
    assert_eq!(python(script, dir.path()).trim(), "99 7 True");
}
