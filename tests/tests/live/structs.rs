//! Structs.

use super::we_write::Ours;
use super::*;

#[derive(NpyRecord, Debug, Clone, PartialEq, Default)]
pub(super) struct Packed {
    flag: bool,
    count: u32,
    gain: f64,
    axes: [[i16; 3]; 2],
    name: ByteStr<5>,
    time: DateTime64<Ns>,
    span: TimeDelta64<Times<25, Second>>,
}

pub(super) const PACKED: &str = "[('flag', '?'), ('count', 'u4'), ('gain', 'f8'), ('axes', 'i2', (2, 3)), ('name', 'S5'), \
                      ('time', 'M8[ns]'), ('span', 'm8[25s]')]";
pub(super) const PACKED_ROWS: &str = "[(True, 7, 2.5, [[1, 2, 3], [4, 5, -6]], b'RJOB', 5, -1), \
                           (False, 2**32 - 1, -np.inf, [[0] * 3] * 2, b'12345', 'NaT', 4), (True, 0, 1e-300, [[-1] * 3] * 2, b'', -1, 0)]";

pub(super) fn packed() -> Vec<Packed> {
    let text = |text: &str| text.try_into().unwrap();
    vec![
        Packed {
            flag: true,
            count: 7,
            gain: 2.5,
            axes: [[1, 2, 3], [4, 5, -6]],
            name: text("RJOB"),
            time: DateTime64::new(5),
            span: TimeDelta64::new(-1),
        },
        Packed {
            flag: false,
            count: u32::MAX,
            gain: f64::NEG_INFINITY,
            axes: [[0; 3]; 2],
            name: text("12345"),
            time: DateTime64::NAT,
            span: TimeDelta64::new(4),
        },
        Packed {
            flag: true,
            count: 0,
            gain: 1e-300,
            axes: [[-1; 3]; 2],
            name: text(""),
            time: DateTime64::new(-1),
            span: TimeDelta64::new(0),
        },
    ]
}

#[derive(NpyRecord, Debug, Clone, Copy, PartialEq, Default)]
#[npy(align)]
#[repr(C)]
struct AlignedInner {
    x: u16,
    y: u8,
}

#[derive(NpyRecord, Debug, Clone, Copy, PartialEq, Default)]
#[npy(align)]
#[repr(C)]
struct Aligned {
    a: u8,
    b: f64,
    c: [u8; 3],
    d: [AlignedInner; 2],
    e: i8,
    f: AlignedInner,
    g: DateTime64<Ns>,
    h: ByteStr<3>,
    i: [f32; 2],
    j: bool,
}

#[derive(NpyRecord, Debug, Clone, Copy, PartialEq, Default)]
#[npy(align)]
#[repr(C)]
struct AlignedOutside {
    a: u8,
    // Packed inside: alignment 1.
    b: Loose,
    c: u32,
    d: [Loose; 2],
}

#[derive(NpyRecord, Debug, Clone, Copy, PartialEq, Default)]
struct Loose {
    x: u8,
    y: f64,
}

#[derive(NpyRecord, Debug, Clone, Copy, PartialEq)]
struct AlignedInLoose {
    a: u8,
    b: AlignedInner,
    c: [AlignedInner; 2],
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Plain {
    x: i32,
    y: [f32; 2],
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
#[npy(endian = "little")]
struct StatesLittle {
    x: i32,
    #[npy(endian = "big")]
    y: i16,
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
#[npy(endian = "big")]
struct StatesBig {
    a: u16,
    #[npy(endian = "little")]
    b: u16,
    inherits: Plain,
    own: StatesLittle,
    #[npy(endian = "little")]
    told: Plain,
    many: [Plain; 2],
    time: DateTime64<Ms>,
    text: ByteStr<2>,
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct StatesOne {
    plain: Plain,
    #[npy(endian = "big")]
    big: Plain,
    #[npy(endian = "little")]
    little: u64,
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
#[npy(rename_all = "camelCase")]
struct Renamed {
    station_code: u8,
    #[npy(rename = "Größe \"x\"")]
    size: u16,
    r#type: u32,
    start_time_ns: i64,
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
#[npy(rename_all = "SCREAMING_SNAKE_CASE")]
struct Loud {
    station_code: u8,
    gain: f32,
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Beyond {
    #[npy(rename = "整")]
    whole: u8,
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Pair(u32, [f32; 2]);

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Of<T, const N: usize> {
    head: T,
    tail: [T; N],
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Nested {
    id: u8,
    pair: Pair,
    many: [Of<i16, 2>; 3],
    grid: [[Pair; 1]; 2],
}

fn pair(n: u32) -> Pair {
    Pair(n, [0.5, -0.5])
}

fn nested() -> Vec<Nested> {
    let of = |n| Of { head: n, tail: [n + 1, n + 2] };
    let row = |id| Nested {
        id,
        pair: pair(id.into()),
        many: [of(1), of(10), of(100)],
        grid: [[pair(8)], [pair(9)]],
    };
    vec![row(1), row(255)]
}

const PAIR: &str = "[('f0', 'u4'), ('f1', 'f4', (2,))]";

/// Returns the Python expression for the nested rows; its parts are used several times.
fn nested_expression() -> String {
    let of = "[('head', 'i2'), ('tail', 'i2', (2,))]";
    let dtype =
        format!("[('id', 'u1'), ('pair', {PAIR}), ('many', {of}, (3,)), ('grid', {PAIR}, (2, 1))]");
    let many = "[(1, [2, 3]), (10, [11, 12]), (100, [101, 102])]";
    let row = |id| {
        let pair = |n| format!("({n}, [0.5, -0.5])");
        format!("({id}, {}, {many}, [[{}], [{}]])", pair(id), pair(8), pair(9))
    };
    format!("make({dtype}, [{}, {}])", row(1), row(255))
}

#[test]
fn structs_are_written_as_numpy_saves_them() {
    let mut ours = Ours::new();
    let py = format!("make({PACKED}, {PACKED_ROWS})");
    let rows = packed();
    ours.add_all(&rows, &py);
    ours.add_all(&rows[..0], &format!("{py}[:0]"));
    for (order, name) in [(Order::C, "C"), (Order::Fortran, "F")] {
        let shape = [2, 3];
        let many: Vec<_> = rows.iter().cloned().cycle().take(6).collect();
        let array = NpyArray::with_order(many, shape, order).unwrap();
        ours.add_all(&array, &format!("np.tile({py}, 2).reshape(2, 3, order='{name}')"));
    }
    let pairs = rows[..2].as_chunks::<2>().0.to_vec();
    ours.add_all(&pairs, &format!("{py}[:2].reshape(1, 2)"));
    let single = NpyArray::new(rows[..1].to_vec(), []).unwrap();
    ours.add_all(&single, &format!("{py}[:1].reshape(())"));

    ours.add_all(&nested(), &nested_expression());
    ours.add_all(&vec![pair(3)], &format!("make({PAIR}, [(3, [0.5, -0.5])])"));
    let of = |dtype: &str| format!("[('head', '{dtype}'), ('tail', '{dtype}', (3,))]");
    ours.add_all(
        &[Of { head: 1u8, tail: [2, 3, 4] }],
        &format!("make({}, [(1, [2, 3, 4])])", of("u1")),
    );
    ours.add_all(
        &[Of { head: 1.5f64, tail: [2.5, 3.5, 4.5] }],
        &format!("make({}, [(1.5, [2.5, 3.5, 4.5])])", of("f8")),
    );
    ours.add_all(
        &[Of::<f32, 0> { head: 1.5, tail: [] }],
        "make([('head', 'f4'), ('tail', 'f4', (0,))], [(1.5, [])])",
    );
    let renamed = Renamed { station_code: 1, size: 2, r#type: 3, start_time_ns: 4 };
    ours.add_all(
        &[renamed],
        r#"make([('stationCode', 'u1'), ('Größe "x"', 'u2'), ('type', 'u4'), ('startTimeNs', 'i8')], [(1, 2, 3, 4)])"#,
    );
    ours.add_all(
        &[Loud { station_code: 1, gain: 2.5 }],
        "make([('STATION_CODE', 'u1'), ('GAIN', 'f4')], [(1, 2.5)])",
    );
    // A name beyond latin-1 needs version 3.0.
    ours.add(&[Beyond { whole: 5 }], "make([('整', 'u1')], [(5,)])");
    for version in [Version::V1, Version::V2] {
        let mut options = WriteOptions::new();
        assert!(
            options.version(version).write_to(std::io::sink(), &[Beyond { whole: 5 }]).is_err()
        );
    }
    assert!(ours.assert_numpys() > 80);
}

#[test]
fn structs_keep_the_byte_orders_they_state() {
    let mut ours = Ours::new();
    let plain = |x: i32| Plain { x, y: [1.5, -2.5] };
    let little = StatesLittle { x: -2, y: 300 };
    let row = StatesBig {
        a: 1,
        b: 2,
        inherits: plain(3),
        own: little.clone(),
        told: plain(4),
        many: [plain(5), plain(6)],
        time: DateTime64::new(7),
        text: "ab".try_into().unwrap(),
    };
    let dtype = |o: char| format!("[('x', '{o}i4'), ('y', '{o}f4', (2,))]");
    let own = "[('x', '<i4'), ('y', '>i2')]";
    let (l, b) = (dtype('<'), dtype('>'));
    let record = format!(
        "[('a', '>u2'), ('b', '<u2'), ('inherits', {b}), ('own', {own}), ('told', {l}), ('many', {b}, (2,)), ('time', '>M8[ms]'), ('text', 'S2')]"
    );
    let p = |n: i32| format!("({n}, [1.5, -2.5])");
    let py = format!(
        "make({record}, [(1, 2, {}, (-2, 300), {}, [{}, {}], 7, b'ab')])",
        p(3),
        p(4),
        p(5),
        p(6)
    );
    let little_py = format!("make({own}, [(-2, 300)])");
    // A stated byte order stays, whatever the options say.
    for order in [None, Some(ByteOrder::Little), Some(ByteOrder::Big)] {
        let mut options = WriteOptions::new();
        if let Some(order) = order {
            options.byte_order(order);
        }
        ours.add_with(std::slice::from_ref(&row), &options, None, &py);
        ours.add_with(std::slice::from_ref(&little), &options, None, &little_py);
        let rest = if order == Some(ByteOrder::Big) { &b } else { &l };
        let other = if order == Some(ByteOrder::Big) { '>' } else { '<' };
        let one = [StatesOne { plain: plain(1), big: plain(2), little: 3 }];
        let py = format!("[('plain', {rest}), ('big', {b}), ('little', '<u8')]");
        ours.add_with(&one, &options, None, &format!("make({py}, [({}, {}, 3)])", p(1), p(2)));
        let of = [Of { head: little.clone(), tail: [little.clone(), little.clone()] }];
        let py = format!(
            "make([('head', {own}), ('tail', {own}, (2,))], [((-2, 300), [(-2, 300)] * 2)])"
        );
        ours.add_with(&of, &options, None, &py);
        let of = [Of { head: 5u16, tail: [6, 7] }];
        let py =
            format!("make([('head', '{other}u2'), ('tail', '{other}u2', (2,))], [(5, [6, 7])])");
        ours.add_with(&of, &options, None, &py);
    }
    ours.assert_numpys();
}

const ALIGNED_INNER: &str = "np.dtype([('x', 'u2'), ('y', 'u1')], align=True)";

fn aligned() -> (Aligned, String) {
    let inner = |x| AlignedInner { x, y: 9 };
    let row = Aligned {
        a: 1,
        b: 2.5,
        c: [3, 4, 5],
        d: [inner(6), inner(7)],
        e: -8,
        f: inner(10),
        g: DateTime64::new(11),
        h: "abc".try_into().unwrap(),
        i: [0.5, 1.5],
        j: true,
    };
    let dtype = format!(
        "np.dtype([('a', 'u1'), ('b', 'f8'), ('c', 'u1', (3,)), ('d', {ALIGNED_INNER}, (2,)), ('e', 'i1'), ('f', {ALIGNED_INNER}), \
         ('g', 'M8[ns]'), ('h', 'S3'), ('i', 'f4', (2,)), ('j', '?')], align=True)"
    );
    let values = "(1, 2.5, [3, 4, 5], [(6, 9), (7, 9)], -8, (10, 9), 11, b'abc', [0.5, 1.5], True)";
    (row, format!("make({dtype}, [{values}, {values}])"))
}

#[test]
fn aligned_structs_have_numpys_aligned_layout() {
    let mut ours = Ours::new();
    let inner = |x| AlignedInner { x, y: 9 };
    ours.add_all(&[inner(1), inner(2)], &format!("make({ALIGNED_INNER}, [(1, 9), (2, 9)])"));
    let (row, py) = aligned();
    ours.add_all(&[row, row], &py);
    // NumPy's aligned layout is C's.
    let dtype = Aligned::dtype();
    assert_eq!(dtype.itemsize(), size_of::<Aligned>());
    let offset = |name: &str| dtype.field(name).unwrap().offset();
    assert_eq!(offset("d"), std::mem::offset_of!(Aligned, d));
    assert_eq!(offset("g"), std::mem::offset_of!(Aligned, g));
    assert_eq!(offset("j"), std::mem::offset_of!(Aligned, j));

    let loose = |x| Loose { x, y: 0.5 };
    // As a list in the dtype, the inner record would be aligned, too.
    let dtype = "np.dtype([('x', 'u1'), ('y', 'f8')])";
    ours.add_all(
        &[AlignedOutside { a: 1, b: loose(2), c: 3, d: [loose(4), loose(5)] }],
        &format!(
            "make(np.dtype([('a', 'u1'), ('b', {dtype}), ('c', 'u4'), ('d', {dtype}, (2,))], align=True), \
             [(1, (2, 0.5), 3, [(4, 0.5), (5, 0.5)])])"
        ),
    );
    ours.add_all(
        &[AlignedInLoose { a: 1, b: inner(2), c: [inner(3), inner(4)] }],
        &format!(
            "make([('a', 'u1'), ('b', {ALIGNED_INNER}), ('c', {ALIGNED_INNER}, (2,))], [(1, (2, 9), [(3, 9), (4, 9)])])"
        ),
    );
    ours.assert_numpys();
}

/// Has NumPy save the array of each expression. `as_` copies fields by name into another dtype, whose remaining bytes
/// are 0xAA.
fn saved(expressions: &[String]) -> (TempDir, Vec<PathBuf>) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("list"), expressions.join("\n")).unwrap();
    let script = r#"
def as_(dtype, a):
    dtype = np.dtype(dtype)
    b = np.frombuffer(bytearray(b'\xaa' * (dtype.itemsize * a.size)), dtype).reshape(a.shape)
    copy(a, b)
    return b

def copy(a, b):
    for name in a.dtype.names:
        if name in b.dtype.names:
            if b.dtype[name].base.names:
                copy(a[name], b[name])
            else:
                b[name] = a[name]

for i, (expression,) in enumerate(lines()):
    try:
        np.save(f'{i}.npy', eval(expression), allow_pickle=False)
    except Exception as error:
        sys.exit(f'{expression}: {error!r}')
"#;
    python(script, dir.path());
    let paths = (0..expressions.len()).map(|i| dir.path().join(format!("{i}.npy"))).collect();
    (dir, paths)
}

#[test]
fn structs_are_read_from_any_layout_of_their_fields() {
    let py = format!("make({PACKED}, {PACKED_ROWS})");
    let mut expressions = vec![py.clone(), format!("big({py})")];
    expressions.extend(
        [
            // Other field orders, more fields, other byte orders, other padding.
            format!("{PACKED}[::-1]"),
            format!("[('new', 'f4', (3,))] + {PACKED} + [('extra', 'S9'), ('n', [('gain', 'f4')])]"),
            format!("[f for p in zip({PACKED}, [(f'x{{i}}', 'i2') for i in range(7)]) for f in p]"),
            format!("np.dtype({PACKED}, align=True)"),
            format!("np.dtype({PACKED}[::-1], align=True).newbyteorder('>')"),
            format!("[(f[0], np.dtype(f[1]).newbyteorder('<>'[i % 2]), *f[2:]) for i, f in enumerate({PACKED})]"),
            format!("[(('title of ' + f[0], f[0]), *f[1:]) for f in {PACKED}]"),
            "dict(names=['gain', 'span', 'time', 'name', 'axes', 'count', 'flag'], \
             formats=['>f8', 'm8[25s]', '>M8[ns]', 'S5', '>(2,3)i2', 'u4', '?'], \
             offsets=[3, 12, 24, 40, 45, 64, 71], itemsize=100)"
                .into(),
            // Two sub-arrays of shape (3,) have the same memory layout as one of shape (2, 3).
            format!("{PACKED}[:3] + [('axes', np.dtype(('>i2', (3,))), (2,))] + {PACKED}[4:]"),
        ]
        .map(|dtype| format!("as_({dtype}, {py})")),
    );
    let (_dir, paths) = saved(&expressions);
    for (path, expression) in paths.iter().zip(&expressions) {
        let fail = |error: npy_core::Error| -> ! { panic!("{expression}\n{error}") };
        let read = Vec::<Packed>::read_npy(path).unwrap_or_else(|e| fail(e));
        assert_eq!(read, packed(), "{expression}");
        let array = NpyArray::<Packed>::read_npy(path).unwrap_or_else(|e| fail(e));
        assert_eq!(array.as_slice_memory_order(), packed(), "{expression}");
        let dynamic = DynArray::read_npy(path).unwrap_or_else(|e| fail(e));
        assert_eq!(dynamic.to_vec::<Packed>().unwrap_or_else(|e| fail(e)), packed());
    }
}

#[test]
fn nested_and_aligned_structs_are_read_from_any_layout() {
    let py = nested_expression();
    let of = "[('tail', '>i2', (2,)), ('more', 'f8'), ('head', 'i2')]";
    let pair = "np.dtype([('f1', '>f4', (2,)), ('x', 'u1'), ('f0', 'u4')], align=True)";
    let other = format!(
        "[('grid', {pair}, (2, 1)), ('z', 'S3'), ('many', {of}, (3,)), ('pair', {pair}), ('id', 'u1')]"
    );
    let (row, aligned_py) = aligned();
    let flat = "[('a', 'u1'), ('b', '>f8'), ('c', 'u1', (3,)), ('d', [('y', 'u1'), ('x', '>u2')], (2,)), ('e', 'i1'), \
                ('f', [('x', 'u2'), ('y', 'u1')]), ('g', 'M8[ns]'), ('h', 'S3'), ('i', 'f4', (2,)), ('j', '?')]";
    let expressions = [
        py.clone(),
        format!("as_({other}, {py})"),
        format!("as_(np.dtype({other}, align=True), {py})"),
        format!("big({py})"),
        aligned_py.clone(),
        format!("as_({flat}, {aligned_py})"),
        format!("as_({flat}[::-1], {aligned_py})"),
        format!("big({aligned_py})"),
        // The byte order of the file counts, not that of the type.
        "make([('y', '<i2'), ('x', '>i4')], [(300, -2)])".into(),
    ];
    let (_dir, paths) = saved(&expressions);
    let (last, rest) = paths.split_last().unwrap();
    for (path, expression) in rest.iter().zip(&expressions) {
        let fail = |error: npy_core::Error| -> ! { panic!("{expression}\n{error}") };
        if expression.contains("'grid'") {
            let read = Vec::<Nested>::read_npy(path).unwrap_or_else(|e| fail(e));
            assert_eq!(read, nested(), "{expression}");
        } else {
            let read = Vec::<Aligned>::read_npy(path).unwrap_or_else(|e| fail(e));
            assert_eq!(read, [row, row], "{expression}");
        }
    }
    assert_eq!(Vec::<StatesLittle>::read_npy(last).unwrap(), [StatesLittle { x: -2, y: 300 }]);
}

#[test]
fn arrays_are_indexed_alike_in_every_layout() {
    let a = "np.arange(24, dtype='<i4').reshape(2, 3, 4)";
    let expressions = [
        a.into(),
        format!("np.asfortranarray({a})"),
        format!("big({a})"),
        format!("big(np.asfortranarray({a}))"),
    ];
    let (_dir, paths) = saved(&expressions);
    let nested: [[[i32; 4]; 3]; 2] = [
        [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]],
        [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]],
    ];
    for (path, expression) in paths.iter().zip(&expressions) {
        let array = NpyArray::<i32>::read_npy(path).unwrap();
        assert!(array.iter().copied().eq(0..24), "{expression}");
        for (i, plane) in nested.iter().enumerate() {
            for (j, row) in plane.iter().enumerate() {
                for (k, value) in row.iter().enumerate() {
                    assert_eq!(array.at(&[i, j, k]), Some(value), "{expression}");
                }
            }
        }
        // The last dimensions as the type's own.
        assert_eq!(Vec::<[[i32; 4]; 3]>::read_npy(path).unwrap(), nested, "{expression}");
        let rows = NpyArray::<[i32; 4]>::read_npy(path).unwrap();
        assert_eq!(rows.shape(), [2, 3], "{expression}");
        assert_eq!(rows.at(&[1, 0]), Some(&nested[1][0]), "{expression}");
    }
}

#[test]
fn structs_take_narrower_numbers_where_asked() {
    let rows = "[(True, 7, 2.5, [[1, 2, 3], [4, 5, -6]], b'RJO', 5, -1), (False, 255, -np.inf, [[0] * 3] * 2, b'', 'NaT', 4)]";
    let dtype = "[('span', 'm8[25s]'), ('gain', '>f2'), ('x', 'f8'), ('axes', 'i1', (2, 3)), ('name', 'S3'), \
                 ('count', 'u1'), ('flag', '?'), ('time', '>M8[ns]')]";
    let expressions = [
        format!("as_({dtype}, make({PACKED}, {rows}))"),
        format!("as_(np.dtype({dtype}, align=True), make({PACKED}, {rows}))"),
        format!("as_([('gain', '>i4')] + {PACKED}[:2] + {PACKED}[3:], make({PACKED}, {rows})[:1])"),
        // Not lossless: 64-bit integers, and a wider float.
        format!("as_([('gain', 'i8')] + {PACKED}[:2] + {PACKED}[3:], make({PACKED}, {rows})[:1])"),
        format!("as_({PACKED}[:1] + [('count', 'f8')] + {PACKED}[2:], make({PACKED}, {rows}))"),
    ];
    let mut expected = packed();
    expected.truncate(2);
    expected[0].name = "RJO".try_into().unwrap();
    expected[1].name = ByteStr::default();
    expected[1].count = 255;
    let (_dir, paths) = saved(&expressions);
    let mut lossless = ReadOptions::new();
    lossless.cast(Cast::Lossless);
    for (i, (path, expression)) in paths.iter().zip(&expressions).enumerate() {
        assert!(Vec::<Packed>::read_npy(path).is_err(), "{expression}");
        match (lossless.read::<Vec<Packed>>(path), i) {
            (Ok(read), 0 | 1) => assert_eq!(read, expected, "{expression}"),
            (Ok(read), 2) => {
                assert_eq!(read, [Packed { gain: 2.0, ..expected[0].clone() }], "{expression}");
            }
            (Err(_), 3 | 4) => {}
            (result, _) => panic!("{expression}\n{result:?}"),
        }
    }
}
