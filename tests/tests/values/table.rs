//! Arrays as tables.

use npy_core::{DynArray, ErrorKind, Order};

fn array(dtype: &str, shape: &[usize], order: Order, bytes: Vec<u8>) -> DynArray {
    DynArray::new(dtype.parse().unwrap(), shape, order, bytes).unwrap()
}

fn rows(array: &DynArray) -> (Vec<String>, String) {
    let table = array.table().unwrap();
    let rows: Vec<_> = table.rows().collect();
    assert_eq!(table.rows().len(), rows.len());
    assert!(rows.iter().all(|row| row.len() == table.names().len()));
    (table.names().to_vec(), serde_json::to_string(&rows).unwrap())
}

#[test]
fn records_are_flattened() {
    let dtype = "[('id', '|u1'), ('', '|V2'), ('h', [('z', '>c8'), ('t', '<M8[s]')]), ('m', '|i1', (2, 1)), \
                 ('p', [('x', '|b1')], (2,)), ('s', '|S2')]";
    let row = |id: u8, t: i64| {
        let z = [1.5f32, -2.0].map(f32::to_be_bytes).concat();
        [&[id, 9, 9][..], &z, &t.to_le_bytes(), &[3, 0xff], &[1, 0], b"a\0"].concat()
    };
    let bytes = [row(7, 0), row(8, i64::MIN)].concat();
    let (names, text) = rows(&array(dtype, &[2], Order::C, bytes));
    let expected = ["id", "h.z.re", "h.z.im", "h.t", "m[0][0]", "m[1][0]", "p[0].x", "p[1].x", "s"];
    assert_eq!(names, expected);
    assert_eq!(
        text,
        r#"[[7,1.5,-2.0,"1970-01-01T00:00:00",3,-1,true,false,"a"],[8,1.5,-2.0,null,3,-1,true,false,"a"]]"#
    );
}

#[test]
fn the_rows_are_the_items_along_the_first_dimension() {
    let numbers = || vec![1, 2, 3, 4, 5, 6];
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let (columns, text) = rows(&array("|u1", &[2, 3], Order::C, numbers()));
    assert_eq!((columns, text.as_str()), (names(&["[0]", "[1]", "[2]"]), "[[1,2,3],[4,5,6]]"));
    let (_, text) = rows(&array("|u1", &[2, 3], Order::Fortran, numbers()));
    assert_eq!(text, "[[1,3,5],[2,4,6]]");
    let (columns, text) =
        rows(&array("[('a', '|u1'), ('b', '|u1')]", &[1, 3], Order::C, numbers()));
    let expected = names(&["[0].a", "[0].b", "[1].a", "[1].b", "[2].a", "[2].b"]);
    assert_eq!((columns, text.as_str()), (expected, "[[1,2,3,4,5,6]]"));
    let (columns, text) = rows(&array("|u1", &[2], Order::C, vec![1, 2]));
    assert_eq!((columns, text.as_str()), (names(&["value"]), "[[1],[2]]"));
    let (columns, text) = rows(&array("<c8", &[], Order::C, vec![0; 8]));
    assert_eq!((columns, text.as_str()), (names(&["value.re", "value.im"]), "[[0.0,0.0]]"));
    let (columns, text) = rows(&array("|u1", &[0, 2], Order::C, vec![]));
    assert_eq!((columns, text.as_str()), (names(&["[0]", "[1]"]), "[]"));
    let (columns, text) = rows(&array("|u1", &[2, 0], Order::C, vec![]));
    assert_eq!((columns, text.as_str()), (names(&[]), "[[],[]]"));
}

/// Guards the memory of names: a short header can state any number of columns.
#[test]
fn columns_without_bytes_are_limited() {
    let cases = [
        ("|V0", vec![1, 2_147_483_647]),
        ("[('a', '|V0', (2147483647,))]", vec![1]),
        ("|u1", vec![0, 2_147_483_647]),
        ("[('a', '|u1', (2147483647,))]", vec![0]),
    ];
    // Each names columns up to the limit; in quick runs the first and the last one.
    let step = if npy_tests::is_thorough() { 1 } else { cases.len() - 1 };
    for (dtype, shape) in cases.into_iter().step_by(step) {
        let error = array(dtype, &shape, Order::C, vec![]).table().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{dtype}: {error}");
    }
    // Nor can a program go through that many rows without columns.
    for (dtype, shape) in [("<f8", &[1 << 33, 0][..]), ("[]", &[1 << 33])] {
        let error = array(dtype, shape, Order::C, vec![]).table().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{dtype}: {error}");
    }
    let none = array("[('a', '|u1', (2147483647, 0))]", &[3], Order::C, vec![]);
    assert_eq!(none.table().unwrap().names(), [""; 0]);
}

/// Guards against elements without columns: a header can state any number of them, so nothing may count them.
#[test]
fn elements_without_columns_take_no_time() {
    const ALL: usize = 1 << 62;
    for (dtype, shape) in [
        ("[]", &[1, ALL][..]),
        ("[('x', '<i4', (0,))]", &[1, ALL]),
        ("[('x', [('y', '<i4', (0,))], (2147483647,))]", &[1, 3]),
        ("[('x', [], (2147483647,))]", &[]),
        ("[('x', [], (2147483647, 2147483647))]", &[1]),
        ("[('x', [('y', '<i4', (0, 2147483647))], (2147483647,))]", &[1]),
    ] {
        let array = array(dtype, shape, Order::C, Vec::new());
        let table = array.table().unwrap();
        assert_eq!(table.names(), [""; 0], "{dtype}");
        let row = table.rows().next().unwrap();
        assert_eq!(row.len(), 0);
    }
    let beside = array("[('none', [], (2147483647,)), ('x', '|u1')]", &[1], Order::C, vec![7]);
    assert_eq!(rows(&beside), (vec!["x".to_owned()], "[[7]]".to_owned()));
}
