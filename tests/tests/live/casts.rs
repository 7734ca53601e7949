//! Casts that may change a value, or refuse one; `astype` gives the expected values.

use super::values::read_hex;
use super::*;

/// Saves values of each kind of number, and prints for each pair of kinds what they become, and which does not fit.
const NUMBERS: &str = r#"
def is_number(v):
    return v == v and abs(v) != float('inf')

def as_integer(v, i):
    return 0 if v != v else i.max if v >= i.max else i.min if v <= i.min else int(v)

def fits(v, target):
    if target.kind == 'b':
        return v in (0, 1)
    if target.kind in 'iu':
        i = np.iinfo(target)
        return is_number(v) and int(v) == v and i.min <= int(v) <= i.max
    if target.kind == 'c':
        part = np.dtype(f'f{target.itemsize // 2}')
        return fits(v.real, part) and fits(v.imag, part)
    return not is_number(v) or bool(np.isfinite(np.array(v).astype(target)))

kinds = [np.dtype(kind) for kind in '? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16'.split()]
np.seterr(all='ignore')
for base in kinds:
    if base.kind == 'b':
        values = np.array([0, 1], base)
    elif base.kind in 'iu':
        i = np.iinfo(base)
        ends = {end + d for e in (7, 8, 15, 16, 24, 31, 32, 53, 63, 64) for end in (1 << e, -1 << e) for d in (-1, 0, 1)}
        values = np.array([0, 1, 2, 65504, 65519, 65520] + sorted(ends), object)
        values = np.array([v for v in values if i.min <= v <= i.max], base)
    else:
        ends = [s * (2.0 ** e + d) for s in (1, -1) for e in (0, 7, 8, 15, 16, 31, 32, 63, 64) for d in (-1, -0.5, 0, 0.5)]
        values = np.array([0.0, -0.0, 0.1, 1 / 3, 65519.99, 65520, 1e10, 3.4e38, 3.5e38, 1e300, -1e300, 6e-8, 3e-8, 2.9e-8, 5e-324,
                           np.inf, -np.inf, np.nan] + ends).astype(base)
        if base.kind == 'c':
            values.imag[::3] = values.real[::-3][:len(values.imag[::3])]
    for order in '<>' if base.itemsize > 1 else '<':
        name = f'{base.name}{"<>".index(order)}'
        for i, value in enumerate(values):
            np.save(f'{name}_{i}.npy', values[i:i + 1].astype(base.newbyteorder(order)))
        np.save(f'{name}.npy', values.astype(base.newbyteorder(order)))
        for target in kinds:
            real = values.real if base.kind == 'c' and target.kind in 'iuf' else values
            if target.kind in 'iu' and base.kind in 'fc':
                cast = np.array([as_integer(float(v), np.iinfo(target)) for v in real], target)
            else:
                cast = real.astype(target)
            parts = cast.view(f'f{target.itemsize // 2}') if target.kind == 'c' else cast
            parts[parts != parts] = np.nan if target.kind in 'fc' else 0  # one NaN
            fitting = [fits(v, target) if base.kind != 'c' or target.kind == 'c' else v.imag == 0 and fits(v.real, target)
                       for v in values.tolist()]
            print(name, target.str[1:], cast.tobytes().hex(), ''.join('01'[bool(fit)] for fit in fitting))
"#;

/// Guards the tables in the docs of `Cast::Numeric` and `Cast::Checked`.
#[test]
fn numbers_become_what_astype_makes_of_them_or_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let listing = python(NUMBERS, dir.path());
    let options = |cast| {
        let mut options = ReadOptions::new();
        options.cast(cast);
        options
    };
    let (numeric, checked) = (options(Cast::Numeric), options(Cast::Checked));
    for line in listing.lines() {
        let [source, target, hex, fits] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let path = dir.path().join(format!("{source}.npy"));
        assert_eq!(read_hex(&numeric, target, &path).unwrap(), hex, "{source} to {target}");
        let is =
            |result: Result<String, npy_core::Error>, expected: Option<usize>, hex: &str| match (
                result, expected,
            ) {
                (Ok(ours), None) => assert_eq!(ours, hex, "{source} to {target}"),
                (Err(error), Some(row)) => {
                    let text = error.to_string();
                    assert!(text.contains(&format!("row {row}: ")), "{source} to {target}: {text}");
                    assert!(text.contains(" does not fit '"), "{text}");
                }
                (result, expected) => panic!("{source} to {target}: {result:?}, {expected:?}"),
            };
        is(read_hex(&checked, target, &path), fits.find('0'), hex);
        let size = hex.len() / fits.len();
        for (i, fit) in fits.chars().enumerate() {
            let path = dir.path().join(format!("{source}_{i}.npy"));
            let expected = (fit == '0').then_some(0);
            is(read_hex(&checked, target, &path), expected, &hex[i * size..][..size]);
        }
    }
    assert_eq!(listing.lines().count(), 25 * 14);
}

/// Guards times in other units, and text of other lengths.
#[test]
fn times_and_text_are_converted_if_every_value_fits() {
    let script = r#"
units = 'Y M W D h m s ms us ns ps fs as 25s 7D 3M'.split()
months = {'Y', 'M', '3M'}
for kind in 'Mm':
    for source in units:
        for target in units:
            if kind == 'm' and (source in months) != (target in months):
                continue
            for count in (0, 1, -1, 2, 3, 12, 30, 31, 59, 60, 365, 3600, -86400, 1000, 10 ** 9, 2 ** 62, 'NaT'):
                value = np.array([count], f'{kind}8[{source}]')
                try:
                    cast = value.astype(f'{kind}8[{target}]')
                    back = cast.astype(value.dtype)
                except OverflowError:
                    continue
                n = int(cast.view('i8')[0])
                # NumPy overflows silently: not beyond these bits.
                is_sure = count == 'NaT' or abs(int(value.view('i8')[0])) < 2 ** 40 and abs(n) < 2 ** 62
                same = count == 'NaT' or bool(back[0] == value[0])
                print(f'{kind}8[{source}]', value.view('i8')[0], f'{kind}8[{target}]', n if same else '-', int(is_sure))
for source in ('S5', 'U5', '>U5'):
    np.save(source.replace('>', 'big') + '.npy', np.array(['ab', 'abc', ''], source))
"#;
    let dir = tempfile::tempdir().unwrap();
    let listing = python(script, dir.path());
    let mut sure = 0;
    for line in listing.lines() {
        let [source, count, target, expected, is_sure] =
            line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let array = |order: &str, dtype: &str, count: i64| {
            let bytes = if order == "<" { count.to_le_bytes() } else { count.to_be_bytes() };
            let dtype: DType = format!("{order}{dtype}").parse().unwrap();
            DynArray::new(dtype, [1], Order::C, bytes.to_vec()).unwrap()
        };
        let (count, is_sure) = (count.parse().unwrap(), is_sure == "1");
        for (order, other) in [("<", ">"), (">", "<")] {
            let target: DType = format!("{other}{target}").parse().unwrap();
            let cast = array(order, source, count).cast(&target);
            match (&cast, expected.parse::<i64>()) {
                (Ok(cast), Ok(expected)) if is_sure => {
                    let wanted = array(other, &target.to_string()[1..], expected);
                    assert_eq!(cast.as_bytes(), wanted.as_bytes(), "{line}");
                }
                (Err(error), Err(_)) if is_sure => {
                    assert!(error.to_string().contains("does not fit"), "{error}");
                }
                _ => assert!(!is_sure, "{line}: {cast:?}"),
            }
        }
        sure += usize::from(is_sure);
    }
    assert!(sure > 4000, "{sure}");
    let mut lossless = ReadOptions::new();
    lossless.cast(Cast::Lossless);
    let path = |name: &str| dir.path().join(name);
    let texts: Vec<ByteStr<3>> = lossless.read(path("S5.npy")).unwrap();
    assert_eq!(
        texts.iter().map(|text| text.to_str().unwrap()).collect::<Vec<_>>(),
        ["ab", "abc", ""]
    );
    for name in ["U5.npy", "bigU5.npy"] {
        let texts: Vec<FixedStr<3>> = lossless.read(path(name)).unwrap();
        assert_eq!(texts.iter().map(ToString::to_string).collect::<Vec<_>>(), ["ab", "abc", ""]);
        let error = lossless.read::<Vec<FixedStr<2>>>(path(name)).unwrap_err().to_string();
        assert!(
            error.contains("row 1: \"abc\" does not fit '<U2'; FixedStr<5> holds it"),
            "{error}"
        );
    }
    let error = lossless.read::<Vec<ByteStr<2>>>(path("S5.npy")).unwrap_err().to_string();
    assert!(error.contains("row 1: b\"abc\" does not fit '|S2'; ByteStr<5> holds it"), "{error}");
}

/// Guards the advice for raw bytes: NumPy does what it says, where `astype` fails.
#[test]
fn raw_bytes_are_viewed_as_the_advice_says() {
    let dir = tempfile::tempdir().unwrap();
    python("np.save('raw.npy', np.array([1.5, -2.0]).view('V8'))", dir.path());
    let error = Vec::<f64>::read_npy(dir.path().join("raw.npy")).unwrap_err().to_string();
    let (_, advice) = error.split_once("; change the Rust type to Vec<Void<8>>, or ").unwrap();
    let call = advice.strip_prefix("the file with NumPy's ").unwrap();
    let call = call.strip_suffix(" if its bytes are that").unwrap();
    let script = format!(
        "raw = np.load('raw.npy')\nassert (raw{call} == [1.5, -2.0]).all()\ntry: raw.astype('f8')\nexcept ValueError: print('fails')"
    );
    assert_eq!(python(&script, dir.path()).trim(), "fails");
    let raw = Vec::<Void<8>>::read_npy(dir.path().join("raw.npy")).unwrap();
    assert_eq!(raw[0].as_ref(), 1.5_f64.to_le_bytes());
}
