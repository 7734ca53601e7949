//! `AnyArray`: the type that NumPy's array has, read, cast and written again.

use super::*;
use npy_core::{AnyArray, for_any};

/// Guards the variant of each dtype, in both byte orders and both orders, of all ranks; and that what is written again is the same array.
#[test]
fn each_dtype_has_its_type_and_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
rng = np.random.default_rng(7)
SHAPES = [(), (0,), (5,), (2, 0), (2, 3), (4, 1, 3)]
TEXT = np.array(['', 'a', 'naïve', '整\U0001f600'])
with open('list', 'w') as out:
    n = 0
    for code in '? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 f16 c8 c16 c32 U5 S6 M8 M8[ns] M8[25s] m8 m8[D] V3'.split():
        for order in '<>':
            for shape in SHAPES:
                count = int(np.prod(shape))
                if code[0] == 'U':
                    a = rng.choice(TEXT, count).astype(code)
                elif code[0] == 'S':
                    a = np.char.encode(rng.choice(TEXT, count), 'utf8').astype(code)
                elif code == '?':
                    a = rng.integers(0, 2, count, 'u1').view(code)
                else:
                    a = rng.integers(0, 100, count * np.dtype(code).itemsize, 'u1')
                    a = a.view(code) if count else np.zeros(0, code)
                a = np.reshape(a, shape, order=rng.choice(['C', 'F']))
                np.save(f'{n}.npy', big(a, order) if code[0] not in 'SV' else a)
                print(n, code, list(shape), file=out, sep='\t')
                n += 1
"#;
    python(script, dir.path());
    let list = std::fs::read_to_string(dir.path().join("list")).unwrap();
    for line in list.lines() {
        let [n, code, shape] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let array = AnyArray::read_npy(dir.path().join(format!("{n}.npy"))).unwrap();
        assert_eq!(format!("{:?}", array.shape()), shape, "{line}");
        let debug = format!("{array:?}");
        let variant = debug.split('(').next().unwrap();
        let expected = match code {
            "?" => "Bool",
            "f16" => "LongDouble",
            "c8" => "C64",
            "c16" => "C128",
            "c32" => "ComplexLongDouble",
            "V3" => "Other",
            "U5" => "Text",
            "S6" => "Bytes",
            _ if code.starts_with("M8") => "DateTime",
            _ if code.starts_with("m8") => "TimeDelta",
            _ => {
                let bits = 8 * code[1..].parse::<usize>().unwrap();
                assert_eq!(variant, format!("{}{bits}", code[..1].to_uppercase()), "{line}");
                variant
            }
        };
        assert_eq!(variant, expected, "{line}");
        array.write_npy(dir.path().join(format!("{n}.out.npy"))).unwrap();
        let mut options = WriteOptions::new();
        options.byte_order(ByteOrder::Big).order(Order::Fortran);
        options.write(dir.path().join(format!("{n}.big.npy")), &array).unwrap();
    }
    let script = r#"
for n, code, shape in lines():
    a = np.load(f'{n}.npy')
    for end in 'out', 'big':
        b = np.load(f'{n}.{end}.npy')
        assert b.shape == a.shape, (code, end, a.shape, b.shape)
        if code[0] in 'US':
            assert (a == b).all() and b.itemsize <= a.itemsize, (code, end, a, b)
        else:
            if code[0] != 'V':
                a, b = little(a), little(b)
            assert a.dtype == b.dtype and a.tobytes() == b.tobytes(), (code, end, a, b)
        if end == 'out':
            assert b.flags.fnc == np.load(f'{n}.npy').flags.fnc, (code, shape)
print('done')
"#;
    assert_eq!(python(script, dir.path()).trim(), "done");
}

/// Guards casts against `astype`, and a member of an archive.
#[test]
fn casts_without_loss_are_those_of_astype() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
values = np.array([0, 1, 2, 100, 127])
codes = '? i1 >i2 <i4 u1 >u2 <u4 f2 >f4 <f8'.split()
np.savez('all.npz', **{c.strip('<>'): np.reshape(values.astype(c), (5, 1), order='F') for c in codes})
for c in codes:
    print(c.strip('<>'), values.astype(c).astype('f8').tolist(), sep='\t')
"#;
    let mut archive = None;
    for line in python(script, dir.path()).lines() {
        let (name, expected) = line.split_once('\t').unwrap();
        let archive = archive.get_or_insert_with(|| {
            npy_core::npz::Reader::open(dir.path().join("all.npz")).unwrap()
        });
        let array: AnyArray = archive.read(name).unwrap();
        let cast = array.clone().cast::<f64>(Cast::Lossless).unwrap();
        assert_eq!(cast.shape(), [5, 1]);
        assert_eq!(format!("{:?}", cast.into_vec()), expected);
        assert_eq!(array.clone().cast::<f64>(Cast::Exact).is_ok(), name == "f8");
        let most = for_any!(&array, typed => {
            Number => typed.iter().map(|n| *n as f64).fold(0.0, f64::max),
            F16 => typed.iter().map(|n| n.to_f64()).fold(0.0, f64::max),
            _ => 1.0,
        });
        assert_eq!(most, if name == "?" { 1.0 } else { 127.0 }, "{name}");
    }
}
