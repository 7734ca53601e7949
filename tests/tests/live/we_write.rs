//! Files that we write: NumPy saves the same bytes from an expression.

use super::*;

/// Files of ours, each with the expression of the array that NumPy saves as the same bytes.
pub(super) struct Ours {
    dir: TempDir,
    list: String,
    count: usize,
}

impl Ours {
    pub(super) fn new() -> Self {
        Ours { dir: tempfile::tempdir().unwrap(), list: String::new(), count: 0 }
    }

    /// Writes one file. `version` must be the one in the options.
    pub(super) fn add_with<A: WriteNpy + ?Sized>(
        &mut self,
        array: &A,
        options: &WriteOptions,
        version: Option<Version>,
        expression: &str,
    ) {
        let path = self.dir.path().join(format!("{}.npy", self.count));
        options.write(&path, array).unwrap_or_else(|error| panic!("{expression}: {error}"));
        let version = version.map_or("0", number);
        writeln!(self.list, "{}\t{version}\t{expression}", self.count).unwrap();
        self.count += 1;
    }

    /// Writes one file without options.
    pub(super) fn add<A: WriteNpy + ?Sized>(&mut self, array: &A, expression: &str) {
        self.add_with(array, &WriteOptions::new(), None, expression);
    }

    /// Writes a file in each byte order.
    pub(super) fn add_orders<A: WriteNpy + ?Sized>(&mut self, array: &A, expression: &str) {
        self.add(array, expression);
        let mut options = WriteOptions::new();
        options.byte_order(ByteOrder::Big);
        self.add_with(array, &options, None, &format!("big({expression})"));
    }

    /// Writes a file for each version in each byte order.
    pub(super) fn add_all<A: WriteNpy + ?Sized>(&mut self, array: &A, expression: &str) {
        self.add_orders(array, expression);
        for version in VERSIONS.into_iter().flatten() {
            let mut options = WriteOptions::new();
            options.version(version).byte_order(ByteOrder::Little);
            self.add_with(array, &options, Some(version), expression);
            options.byte_order(ByteOrder::Big);
            self.add_with(array, &options, Some(version), &format!("big({expression})"));
        }
    }

    /// Has NumPy evaluate and save each array, and compares the files.
    pub(super) fn assert_numpys(self) -> usize {
        std::fs::write(self.dir.path().join("list"), &self.list).unwrap();
        // Saves to a real file: for other file objects NumPy copies item by item, and leaves padding undefined.
        let script = r#"
wrong = []
for name, version, expression in lines():
    try:
        a = eval(expression)
        with open('theirs', 'wb') as f:
            if version == '0':
                np.save(f, a, allow_pickle=False)
            else:
                np.lib.format.write_array(f, a, (int(version), 0), allow_pickle=False)
    except Exception as error:
        wrong.append(f'{expression}: {error}')
        continue
    ours, theirs = open(f'{name}.npy', 'rb').read(), open('theirs', 'rb').read()
    if ours != theirs:
        at = next((i for i, (x, y) in enumerate(zip(ours, theirs)) if x != y), min(len(ours), len(theirs)))
        wrong.append(f'{expression}, version {version}: of {len(ours)} and {len(theirs)} bytes those at {at} differ\n'
                     f'  ours  {ours[at:at + 80]}\n  NumPy {theirs[at:at + 80]}\n  ours  {ours[:200]}\n  NumPy {theirs[:200]}')
print(len(lines()))
sys.exit(f'{len(wrong)} wrong:\n' + '\n'.join(wrong[:20]) if wrong else None)
"#;
        assert_eq!(python(script, self.dir.path()).trim(), self.count.to_string());
        println!("{} files", self.count);
        self.count
    }
}

/// Writes four values in every container. `py` is the Python expression for them.
pub(super) fn add_containers<T>(ours: &mut Ours, values: [T; 4], py: &str)
where
    T: Element + WriteNpy + Copy,
{
    let many: Vec<T> = values.iter().copied().cycle().take(24).collect();
    let all = format!("np.resize({py}, 24)");
    ours.add_all(&values, py);
    ours.add_all(&many, &all);
    ours.add(&many[1..4], &format!("{all}[1:4]"));
    ours.add(&many.clone().into_boxed_slice(), &all);
    ours.add(&Vec::<T>::new(), &format!("{all}[:0]"));
    for (i, value) in values.iter().enumerate() {
        ours.add_orders(value, &format!("{py}[{i}:{i} + 1].reshape(())"));
    }
    for order in [Order::C, Order::Fortran] {
        let name = if order == Order::C { "C" } else { "F" };
        for shape in [
            &[][..],
            &[0],
            &[1],
            &[24],
            &[0, 3],
            &[1, 24],
            &[24, 1],
            &[4, 6],
            &[2, 3, 4],
            &[2, 1, 12],
            &[3, 0, 2],
        ] {
            let n = shape.iter().product();
            let array = NpyArray::with_order(many[..n].to_vec(), shape, order).unwrap();
            let expression = format!("{all}[:{n}].reshape({shape:?}, order='{name}')");
            ours.add_orders(&array, &expression);
            for (wanted, name) in [(Order::C, "C"), (Order::Fortran, "F")] {
                let mut options = WriteOptions::new();
                options.order(wanted);
                let expression = format!("np.array({expression}, order='{name}')");
                ours.add_with(&array, &options, None, &expression);
                ours.add(&array.to_order(wanted), &expression);
            }
        }
    }
    // Sub-array elements take the last dimensions.
    let triples = many.as_chunks::<3>().0.to_vec();
    let pairs = many.as_chunks::<2>().0.as_chunks::<3>().0.to_vec();
    ours.add_all(&triples, &format!("{all}.reshape(8, 3)"));
    ours.add_all(&pairs, &format!("{all}.reshape(4, 3, 2)"));
    ours.add(&triples[..0].to_vec(), &format!("{all}[:0].reshape(0, 3)"));
    let c = NpyArray::new(triples.clone(), [2, 4]).unwrap();
    let fortran = NpyArray::with_order(triples, [2, 4], Order::Fortran).unwrap();
    ours.add_all(&c, &format!("{all}.reshape(2, 4, 3)"));
    let permuted = format!("{all}.reshape(4, 2, 3).transpose(1, 0, 2)");
    ours.add_all(&fortran, &format!("np.array({permuted}, order='F')"));
    let mut options = WriteOptions::new();
    options.order(Order::C);
    ours.add_with(&fortran, &options, None, &format!("np.array({permuted}, order='C')"));
}

#[test]
fn integers_are_written_as_numpy_saves_them() {
    let mut ours = Ours::new();
    add_containers(&mut ours, [false, true, true, false], "np.array([0, 1, 1, 0], '?')");
    macro_rules! integers {
        ($($type:ty: $code:literal),*) => {$(
            let limits = concat!("np.iinfo('", $code, "')");
            let py = format!("np.array([{limits}.min, 0, 100, {limits}.max], '{}')", $code);
            add_containers(&mut ours, [<$type>::MIN, 0, 100, <$type>::MAX], &py);
        )*};
    }
    integers!(i8: "i1", i16: "i2", i32: "i4", i64: "i8", u8: "u1", u16: "u2", u32: "u4", u64: "u8");
    assert!(ours.assert_numpys() > 1000);
}

#[test]
fn floats_are_written_as_numpy_saves_them() {
    let mut ours = Ours::new();
    macro_rules! floats {
        ($($type:ty: $code:literal),*) => {$(
            let info = concat!("np.finfo('", $code, "')");
            let py = format!("np.array([-0.0, {info}.max, {info}.smallest_subnormal, 0.1], '{}')", $code);
            add_containers(&mut ours, [-0.0, <$type>::MAX, <$type>::from_bits(1), 0.1], &py);
            let py = format!("np.array([np.nan, np.inf, -np.inf, {info}.tiny], '{}')", $code);
            let values = [<$type>::NAN, <$type>::INFINITY, <$type>::NEG_INFINITY, <$type>::MIN_POSITIVE];
            add_containers(&mut ours, values, &py);
        )*};
    }
    floats!(f32: "f4", f64: "f8");
    assert!(ours.assert_numpys() > 500);
}

#[test]
fn text_and_times_are_written_as_numpy_saves_them() {
    let mut ours = Ours::new();
    fn text<const N: usize>(ours: &mut Ours, values: [&[u8]; 4], py: &str) {
        let values = values.map(|value| ByteStr::<N>::new(value).unwrap());
        add_containers(ours, values, &format!("np.array([{py}], 'S{N}')"));
    }
    text::<1>(&mut ours, [b"", b"a", b"\xff", b"z"], r"b'', b'a', b'\xff', b'z'");
    text::<5>(&mut ours, [b"RJOB", b"", b"a\0b", b"12345"], r"b'RJOB', b'', b'a\0b', b'12345'");
    text::<33>(&mut ours, [b"", b"", b"", b"33"], "b'', b'', b'', b'33'");
    macro_rules! times {
        ($($unit:ty: $code:literal),* $(,)?) => {$(
            let counts = [0, -1, 1_251_073_203, i64::MIN];
            let py = |kind| format!("np.array([0, -1, 1251073203, -2**63], '<i8').view('<{kind}8{}')", $code);
            ours.add_all(&counts.map(DateTime64::<$unit>::new), &py('M'));
            ours.add_all(&counts.map(TimeDelta64::<$unit>::new), &py('m'));
        )*};
    }
    times!(
        Generic: "", Year: "[Y]", Month: "[M]", Week: "[W]", Day: "[D]", Hour: "[h]", Minute: "[m]", Second: "[s]",
        Ms: "[ms]", Us: "[us]", Ns: "[ns]", Ps: "[ps]", Fs: "[fs]", As: "[as]", Times<25, Second>: "[25s]",
        Times<2_147_483_647, As>: "[2147483647as]",
    );
    let counts = [0, -1, 1_251_073_203, i64::MIN];
    let py = |dtype: &str| format!("np.array([0, -1, 1251073203, -2**63], '<i8').view('<{dtype}')");
    add_containers(&mut ours, counts.map(DateTime64::<Ns>::new), &py("M8[ns]"));
    add_containers(&mut ours, counts.map(TimeDelta64::<Times<7, Day>>::new), &py("m8[7D]"));
    // Calendar times, in addition to plain counts.
    let moments = [1_251_073_203_500, -62_135_596_800_000, 253_402_300_799_999];
    ours.add(
        &moments.map(DateTime64::<Ms>::new),
        "np.array(['2009-08-24T00:20:03.500', '0001-01-01', '9999-12-31T23:59:59.999'], 'M8[ms]')",
    );
    ours.add(&[DateTime64::<Month>::NAT], "np.array(['NaT'], 'M8[M]')");
    assert!(ours.assert_numpys() > 1000);
}

#[test]
fn a_dtype_of_run_time_is_written_and_swapped_as_in_numpy() {
    let mut ours = Ours::new();
    let scalars = "?b1 ?i1 i2 u4 i8 f2 f4 f8 f16 c8 c16 c32 U1 U3 M8[ns] m8[25s] M8 m8 ?S3 ?V5 ?V0";
    let mut dtypes: Vec<String> = Vec::new();
    for code in scalars.split(' ') {
        match code.strip_prefix('?') {
            Some(code) => dtypes.push(format!("|{code}")),
            None => dtypes.extend([format!("<{code}"), format!(">{code}")]),
        }
    }
    dtypes.extend(
        [
            "[('a', '>c8', (2,)), (('t', 'é'), '<M8[ns]'), ('s', '<U2', (3,)), ('g', '>c32')]",
            "[('整', '<f4'), ('n', [('x', '>i2'), ('y', '<c16')], (2,))]",
            "[('a', '|i1'), ('', '|V7'), ('b', '>f8', (2,)), ('', '|V3')]",
        ]
        .map(String::from),
    );
    for dtype in dtypes {
        let dtype: DType = dtype.parse().unwrap();
        let descr = dtype.descr();
        for (shape, order, name) in [
            (&[][..], Order::C, "C"),
            (&[4], Order::C, "C"),
            (&[2, 3], Order::Fortran, "F"),
            (&[2, 1, 3], Order::C, "C"),
        ] {
            let size = shape.iter().product::<usize>() * dtype.itemsize();
            let bytes: Vec<u8> = (0..=250).cycle().take(size).collect();
            let expression = format!(
                "np.ndarray({shape:?}, np.lib.format.descr_to_dtype({descr}), np.resize(np.arange(251, dtype='u1'), {size}).tobytes(), order='{name}')"
            );
            let array = DynArray::new(dtype.clone(), shape, order, bytes).unwrap();
            ours.add(&array, &expression);
            // Padding is kept only if no bytes are swapped; otherwise it becomes zero.
            if !descr.contains("('', ") {
                for (order, name) in [(ByteOrder::Little, "little"), (ByteOrder::Big, "big")] {
                    let mut options = WriteOptions::new();
                    options.byte_order(order);
                    ours.add_with(&array, &options, None, &format!("{name}({expression})"));
                }
            }
        }
    }
    assert!(ours.assert_numpys() > 300);
}
