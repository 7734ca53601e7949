//! The Rust types of the rarer dtypes, both ways; and lists of text.

use super::we_write::{Ours, add_containers};
use super::*;

#[test]
fn rarer_numbers_are_written_as_numpy_saves_them() {
    let mut ours = Ours::new();
    let halves = [-0.0, 65504.0, 6e-8, 0.1].map(f16::from_f64);
    add_containers(&mut ours, halves, "np.array([-0.0, 65504, 6e-8, 0.1], 'f2')");
    let halves = [f16::NAN, f16::INFINITY, f16::NEG_INFINITY, f16::MIN_POSITIVE];
    add_containers(&mut ours, halves, "np.array([np.nan, np.inf, -np.inf, 2**-14], 'f2')");
    macro_rules! complex {
        ($($part:ty: $code:literal),*) => {$(
            let values = [(0.1, -0.1), (-0.0, 0.0), (<$part>::NAN, <$part>::INFINITY), (1e30, -1e-30)];
            let py = "np.array([0.1 - 0.1j, complex(-0.0, 0.0), complex(np.nan, np.inf), complex(1e30, -1e-30)], '";
            let values = values.map(|(re, im)| Complex::<$part>::new(re, im));
            add_containers(&mut ours, values, &format!("{py}{}')", $code));
        )*};
    }
    complex!(f32: "c8", f64: "c16");
    // NumPy leaves six bytes of each undefined; here they are zero in our files and in the arrays for comparison.
    let values = [0.0, -0.1, f64::MAX, f64::NEG_INFINITY];
    let longs = "np.concatenate([np.array([0.0, -0.1, np.finfo('f8').max, -np.inf], 'f8').astype('g').view('u1').reshape(4, 16)[:, :10], np.zeros((4, 6), 'u1')], 1)";
    add_containers(
        &mut ours,
        values.map(LongDouble::from),
        &format!("{longs}.view('g').reshape(4)"),
    );
    let pairs =
        values.map(|x| ComplexLongDouble { re: LongDouble::from(x), im: LongDouble::from(x) });
    let py = format!("np.repeat({longs}.view('g').reshape(4), 2).view('G')");
    add_containers(&mut ours, pairs, &py);
    assert!(ours.assert_numpys() > 500);
}

/// Returns the list as Python source.
fn python_list<S: std::fmt::Debug>(list: &[S]) -> String {
    format!("{list:?}").replace(r"\u{10ffff}", r"\U0010ffff")
}

#[test]
fn text_of_code_points_and_raw_bytes_are_written_as_numpy_saves_them() {
    let mut ours = Ours::new();
    fn text<const N: usize>(ours: &mut Ours, values: [&str; 4]) {
        let fixed = values.map(|value| FixedStr::<N>::new(value).unwrap());
        add_containers(ours, fixed, &format!("np.array({}, 'U{N}')", python_list(&values)));
    }
    text::<1>(&mut ours, ["", "a", "é", "😀"]);
    text::<5>(&mut ours, ["naïve", "", "整\u{10ffff}", "12345"]);
    text::<33>(&mut ours, ["", "", "", "33"]);
    let values = [[0, 1, 0], [255, 0, 0], [0, 0, 0], [7, 8, 9]].map(Void);
    let py = r"np.frombuffer(b'\0\1\0\xff\0\0\0\0\0\7\x08\x09', 'V3')";
    add_containers(&mut ours, values, py);
    assert!(ours.assert_numpys() > 500);
}

#[test]
fn lists_of_text_are_written_as_numpy_saves_them() {
    let mut ours = Ours::new();
    let lists: [&[&str]; 7] = [
        &[],
        &[""],
        &["", ""],
        &["a"],
        &["naïve", "", "整", "\u{10ffff}"],
        &["x", "a\0b"],
        &["Στ", "long enough to be the longest of them"],
    ];
    for list in lists {
        let py_list = python_list(list);
        ours.add_all(list, &format!("np.array({py_list}, str)"));
        let owned: Vec<String> = list.iter().map(|&text| text.to_owned()).collect();
        ours.add(&owned, &format!("np.array({py_list}, str)"));
        ours.add(&owned[..], &format!("np.array({py_list}, str)"));
        let bytes: Vec<Vec<u8>> = list.iter().map(|text| text.as_bytes().to_vec()).collect();
        let py = format!("np.array([s.encode() for s in {py_list}], bytes)");
        ours.add_orders(&bytes, &py);
        ours.add(&bytes[..], &py);
        for (shape, n) in [(&[2, 2][..], 4), (&[1, 3], 3), (&[2, 0], 0), (&[2, 3, 2], 12), (&[], 1)]
        {
            let cycle = || owned.iter().chain(std::iter::once(&owned[0])).cycle();
            if owned.is_empty() {
                continue;
            }
            let data: Vec<String> = cycle().take(n).cloned().collect();
            let py_data = python_list(&data);
            for (order, name) in [(Order::C, "C"), (Order::Fortran, "F")] {
                let py = format!("np.array({py_data}, str).reshape({shape:?}, order='{name}')");
                let array = NpyArray::with_order(data.clone(), shape, order).unwrap();
                ours.add_orders(&array, &py);
                let mut options = WriteOptions::new();
                options.order(Order::C);
                ours.add_with(&array, &options, None, &format!("np.array({py}, order='C')"));
            }
        }
    }
    for text in ["", "é整", "a b"] {
        ours.add_orders(text, &format!("np.array({text:?})"));
        ours.add_all(&text.to_owned(), &format!("np.array({text:?})"));
    }
    assert!(ours.assert_numpys() > 200);
}

/// Guards the order of items in shapes of all ranks, orders and sizes; `astype` gives the expected values.
#[test]
fn what_numpy_saves_is_read_as_what_it_holds() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
rng = np.random.default_rng(1)
SHAPES = [(), (0,), (1,), (7,), (0, 3), (2, 3), (1, 4), (2, 3, 4), (2, 0, 3)]
TEXT = ['', 'a', 'naïve', 'a\0b', '整', '\U0001f600', '\U0010ffff', 'z' * 7]
TIMES = np.array([0, 1, -1, 2**62, -2**63], 'i8')

def items(code, n):
    kind, size = code[0], np.dtype(code).itemsize
    if kind == 'U':
        return rng.choice(np.array([t[:size // 4] for t in TEXT], code), n)
    if kind == 'S':
        return rng.choice(np.array([t.encode()[:size] for t in TEXT], code), n)
    if kind in 'Mm':
        return rng.choice(TIMES, n).view(code)
    raw = rng.integers(0, 256, n * size, 'u1')
    return raw.view(code) if n else np.zeros(0, code)

saved = 0
for code in 'f2 f4 f8 f16 c8 c16 c32 U1 U5 S1 S5 V3 V5 M8 M8[ns] M8[25s] m8 m8[s] m8[7D]'.split():
    for order in '<>':
        for shape in SHAPES:
            for layout in 'CF' if len(shape) > 1 else 'C':
                a = items(code, int(np.prod(shape, dtype=int))).reshape(shape, order=layout)
                a = big(a, order) if code[0] not in 'SV' else a
                saved += 1
                np.save(f'{saved}.npy', a)
                if code[0] not in 'SV':
                    a = little(a)
                # A list of texts, and the items in memory order.
                texts = [t.encode() if code[0] == 'U' else t for t in a.ravel().tolist()] if code[0] in 'US' else []
                print(saved, code, list(shape), layout if a.flags.fnc else 'C', a.tobytes('C').hex(),
                      ','.join(t.hex() for t in texts), sep='\t')
"#;
    let mut files = 0;
    for line in python(script, dir.path()).lines() {
        let [file, code, shape, layout, hex, texts] =
            line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let path = dir.path().join(format!("{file}.npy"));
        macro_rules! same {
            ($($code:literal: $type:ty),* $(,)?) => {
                match code {
                    $($code => assert_reads::<$type>(&path, shape, layout, hex, line),)*
                    other => panic!("{other}"),
                }
            };
        }
        same!(
            "f2": f16, "f4": f32, "f8": f64, "f16": LongDouble, "c8": Complex<f32>, "c16": Complex<f64>,
            "c32": ComplexLongDouble, "U1": FixedStr<1>, "U5": FixedStr<5>, "S1": ByteStr<1>, "S5": ByteStr<5>,
            "V3": Void<3>, "V5": Void<5>, "M8": DateTime64<Generic>, "M8[ns]": DateTime64<Ns>,
            "M8[25s]": DateTime64<Times<25, Second>>, "m8": TimeDelta64<Generic>, "m8[s]": TimeDelta64<Second>,
            "m8[7D]": TimeDelta64<Times<7, Day>>,
        );
        if code.starts_with(['U', 'S']) {
            assert_reads_texts(&path, shape, texts, code.starts_with('U'), line);
        }
        files += 1;
    }
    assert_eq!(files, 19 * 2 * 14);
}

fn assert_reads<T: Element + ReadNpy + Clone>(
    path: &Path,
    shape: &str,
    layout: &str,
    hex: &str,
    line: &str,
) {
    let bytes = |values: &mut dyn Iterator<Item = T>| {
        let item = |value: T| {
            let mut item = vec![0; T::SIZE];
            value.encode(&mut item).unwrap();
            hex_of(&item)
        };
        values.map(item).collect::<String>()
    };
    let array = NpyArray::<T>::read_npy(path).unwrap_or_else(|error| panic!("{line}\n{error}"));
    assert_eq!(format!("{:?}", array.shape()), shape, "{line}");
    assert_eq!(array.order() == Order::C, layout == "C", "{line}");
    assert_eq!(bytes(&mut array.iter().cloned()), hex, "{line}");
    match array.shape().len() {
        0 => assert_eq!(bytes(&mut std::iter::once(T::read_npy(path).unwrap())), hex, "{line}"),
        1 => {
            let list = Vec::<T>::read_npy(path).unwrap();
            assert_eq!(bytes(&mut list.into_iter()), hex, "{line}");
        }
        _ => assert!(Vec::<T>::read_npy(path).is_err(), "{line}"),
    }
}

fn assert_reads_texts(path: &Path, shape: &str, texts: &str, characters: bool, line: &str) {
    let joined =
        |texts: &mut dyn Iterator<Item = &[u8]>| texts.map(hex_of).collect::<Vec<_>>().join(",");
    if characters {
        let array = NpyArray::<String>::read_npy(path).unwrap();
        assert_eq!(format!("{:?}", array.shape()), shape, "{line}");
        assert_eq!(joined(&mut array.iter().map(String::as_bytes)), texts, "{line}");
        if shape == "[]" {
            assert_eq!(hex_of(String::read_npy(path).unwrap().as_bytes()), texts, "{line}");
        }
    } else {
        let array = NpyArray::<Vec<u8>>::read_npy(path).unwrap();
        assert_eq!(joined(&mut array.iter().map(Vec::as_slice)), texts, "{line}");
        if array.shape().len() == 1 {
            let list = Vec::<Vec<u8>>::read_npy(path).unwrap();
            assert_eq!(joined(&mut list.iter().map(Vec::as_slice)), texts, "{line}");
        }
    }
}

/// Returns long doubles of all kinds: all exponents, halfway between two `f64`, subnormal, infinite, and NaN.
fn long_doubles() -> Vec<LongDouble> {
    const FIRST: u64 = 1 << 63;
    const ONE: u64 = 0x3fff;
    let mut state = 1u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut all = Vec::new();
    let mut push = |top: u64, significand: u64| {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&significand.to_le_bytes());
        bytes[8..10].copy_from_slice(&top.to_le_bytes()[..2]);
        all.push(LongDouble(bytes));
    };
    for i in 0..4000 {
        let (sign, bits) = (random() & 0x8000, random());
        // Random bits; the exponents of `f64` and some beyond; subnormal numbers.
        push(random(), bits);
        push(sign | (ONE - 1100 + random() % 2200), bits | FIRST);
        push(sign | (ONE - 1080 + random() % 64), bits | FIRST);
        // Halfway between two `f64`, or next to it: with 53 bits, and with the fewer bits of subnormal numbers.
        let around = |half: u64| {
            let halfway = ((bits | FIRST) & !(2 * half - 1)) | half;
            [halfway, halfway + 1, halfway - 1][i % 3] | FIRST
        };
        push(sign | (ONE + random() % 100), around(1 << 10));
        let kept = 1 + random() % 51;
        push(sign | (ONE - 1075 + kept), around(FIRST >> kept));
        // Without the leading bit; with an exponent of zero; infinities, NaNs, and invalid patterns that look like
        // them.
        push(random(), bits & !FIRST);
        push(sign, bits);
        push(sign | 0x7fff, bits);
    }
    let tops = [0, 1, 0x3bcb, 0x3bcc, 0x3bcd, 0x3c00, 0x3c01, 0x43fe, 0x43ff, 0x7ffe, 0x7fff];
    for top in tops.into_iter().flat_map(|top| [top, top | 0x8000]) {
        for low in [0, 1, 0x3ff, 0x400, 0x401, FIRST >> 1, FIRST - 1, (FIRST - 1) << 11 >> 1] {
            push(top, low);
            push(top, low | FIRST);
        }
    }
    all
}

#[test]
fn long_doubles_are_rounded_as_numpy_rounds_them() {
    let dir = tempfile::tempdir().unwrap();
    let longs = long_doubles();
    longs.write_npy(dir.path().join("long.npy")).unwrap();
    let doubles: Vec<f64> =
        longs.iter().map(|long| long.to_f64()).filter(|x| !x.is_nan()).collect();
    doubles.write_npy(dir.path().join("double.npy")).unwrap();
    let widened: Vec<LongDouble> = doubles.iter().map(|&x| LongDouble::from(x)).collect();
    widened.write_npy(dir.path().join("widened.npy")).unwrap();
    let script = r#"
long = np.load('long.npy')
assert long.dtype == 'g'
np.save('rounded.npy', long.astype('f8'))
double, widened = np.load('double.npy'), np.load('widened.npy')
theirs = double.astype('g')
assert (theirs.view('u1').reshape(-1, 16)[:, :10] == widened.view('u1').reshape(-1, 16)[:, :10]).all()
assert (widened.view('u1').reshape(-1, 16)[:, 10:] == 0).all()
print(len(long), len(double))
"#;
    let counts = python(script, dir.path());
    assert_eq!(counts.trim(), format!("{} {}", longs.len(), doubles.len()));
    assert!(longs.len() > 30_000 && doubles.len() > 18_000, "{counts}");
    let theirs = Vec::<f64>::read_npy(dir.path().join("rounded.npy")).unwrap();
    for (long, theirs) in longs.iter().zip(theirs) {
        let ours = long.to_f64();
        assert_eq!(ours.to_bits(), theirs.to_bits(), "{long:?}: NumPy has {theirs:?}");
    }
}
