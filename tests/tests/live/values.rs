//! Values.

use super::*;

#[test]
fn casts_that_are_accepted_are_numpys_safe_ones_with_numpys_values() {
    let dir = tempfile::tempdir().unwrap();
    // Prints for each pair: source, target, whether NumPy calls the cast safe, and the result of `astype` as hex.
    let script = r#"
kinds = '? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16'.split()
targets = '? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16'.split()
for kind in kinds:
    base = np.dtype(kind)
    if base.kind == '?b'[1]:
        values = np.array([0, 1, 1, 0], '?')
    elif base.kind in 'iu':
        i = np.iinfo(base)
        values = np.array([i.min, i.min + 1, 0, 1, 2, 100, i.max // 2, i.max - 1, i.max], base)
    else:
        f = np.finfo(base)
        values = np.array([0.0, -0.0, 1, -1, 0.1, 1 / 3, f.max, f.min, f.tiny, f.smallest_subnormal, -f.smallest_subnormal,
                           f.tiny - f.smallest_subnormal, f.eps, np.inf, -np.inf, np.nan], base)
        if base == 'f2':
            values = np.arange(65536, dtype='u2').view('f2')  # each there is
    for order in '<>' if base.itemsize > 1 else '<':
        np.save(f'{base.name}{"<>".index(order)}.npy', values.astype(base.newbyteorder(order)))
        for target in targets:
            target = np.dtype(target)
            cast = values.astype(target)
            parts = cast.view(f'f{target.itemsize // 2}') if target.kind == 'c' else cast
            parts[parts != parts] = 0 if target.kind not in 'fc' else np.nan  # one NaN
            print(f'{base.name}{"<>".index(order)}', target.str[1:], int(np.can_cast(base, target, 'safe')), cast.tobytes().hex())
"#;
    let listing = python(script, dir.path());
    let mut lossless = ReadOptions::new();
    lossless.cast(Cast::Lossless);
    let mut refused = Vec::new();
    for line in listing.lines() {
        let [source, target, safe, hex] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let path = dir.path().join(format!("{source}.npy"));
        let result = read_hex(&lossless, target, &path);
        match result {
            Ok(ours) => {
                assert_eq!(safe, "1", "{source} to {target} is not safe to NumPy");
                assert_eq!(ours, hex, "{source} to {target}");
            }
            Err(_) if safe == "1" => refused.push(format!("{source} {target}")),
            Err(_) => {}
        }
    }
    // NumPy calls these casts safe, although they lose bits.
    let long = ["int640", "int641", "uint640", "uint641"];
    assert_eq!(refused, long.map(|kind| [format!("{kind} f8"), format!("{kind} c16")]).concat());
    assert_eq!(listing.lines().count(), 25 * 14);
}

/// Returns the bytes of all values of a file that is read as numbers of this dtype.
pub(crate) fn read_hex(
    options: &ReadOptions,
    target: &str,
    path: &Path,
) -> Result<String, npy_core::Error> {
    macro_rules! read {
        ($($code:literal: $type:ty),*) => {
            match target {
                $($code => options.read::<Vec<$type>>(path).map(|values| {
                    values.iter().map(|value| value.hex()).collect()
                }),)*
                other => panic!("{other}"),
            }
        };
    }
    read!(
        "b1": bool, "i1": i8, "i2": i16, "i4": i32, "i8": i64, "u1": u8, "u2": u16, "u4": u32, "u8": u64,
        "f2": f16, "f4": f32, "f8": f64, "c8": Complex<f32>, "c16": Complex<f64>
    )
}

/// The little-endian bytes of a value, with one pattern for all NaNs.
trait Hex {
    fn hex(&self) -> String;
}

macro_rules! hex {
    ($($type:ty, $nan:expr);*) => {$(
        impl Hex for $type {
            fn hex(&self) -> String {
                let mut item = [0; <$type>::SIZE];
                // Only a NaN is not equal to itself.
                let value = if self != self { $nan } else { *self };
                value.encode(&mut item).unwrap();
                hex_of(&item)
            }
        }
    )*};
}

hex!(bool, false; i8, 0; i16, 0; i32, 0; i64, 0; u8, 0; u16, 0; u32, 0; u64, 0; f16, f16::NAN; f32, f32::NAN; f64, f64::NAN);

impl<T: Hex> Hex for Complex<T> {
    fn hex(&self) -> String {
        self.re.hex() + &self.im.hex()
    }
}

#[test]
fn times_print_as_in_numpy() {
    let dir = tempfile::tempdir().unwrap();
    let mut list = String::new();
    let mut seed = 1u64;
    let mut random = || {
        // Counts of all magnitudes, from a linear congruential generator.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed.cast_signed() ^ i64::MAX) >> (seed % 61)
    };
    let random: Vec<i64> = (0..200).map(|_| random()).collect();
    let fixed =
        [0, 1, -1, 59, 60, -719_528, -719_529, -719_162, 11_016, 10_957, 2_932_896, 2_932_897];
    let ends = [i64::MIN, i64::MIN + 1, i64::MAX];
    let counts: Vec<i64> = fixed.into_iter().chain(ends).chain(random).collect();
    macro_rules! units {
        ($($code:literal: $unit:ty, $bits:literal);* $(;)?) => {$(
            for &count in &counts {
                // NumPy overflows beyond these bits; we do not.
                if count == i64::MIN || count.unsigned_abs() < 1 << $bits {
                    let time = DateTime64::<$unit>::new(count);
                    writeln!(list, "{count}\t{}\t{time}", $code).unwrap();
                }
            }
        )*};
    }
    units! {
        "Y": Year, 62; "M": Month, 62; "W": Week, 59; "D": Day, 62; "h": Hour, 63; "m": Minute, 63; "s": Second, 63;
        "ms": Ms, 63; "us": Us, 63; "ns": Ns, 63; "ps": Ps, 63; "fs": Fs, 63; "as": As, 63;
        "25s": Times<25, Second>, 58; "7D": Times<7, Day>, 59; "3M": Times<3, Month>, 60; "10Y": Times<10, Year>, 58;
        "2147483647ns": Times<2_147_483_647, Ns>, 32; "100as": Times<100, As>, 56; "2W": Times<2, Week>, 58;
        "90m": Times<90, Minute>, 56; "12h": Times<12, Hour>, 59; "2147483647W": Times<2_147_483_647, Week>, 29;
    }
    std::fs::write(dir.path().join("list"), &list).unwrap();
    let script = r#"
wrong = []
for count, unit, text in lines():
    theirs = str(np.datetime64(int(count), unit))
    if theirs != text:
        wrong.append(f'{count} {unit}: ours {text}, NumPy {theirs}')
print(len(lines()))
sys.exit(f'{len(wrong)} wrong:\n' + '\n'.join(wrong[:50]) if wrong else None)
"#;
    let count: usize = python(script, dir.path()).trim().parse().unwrap();
    assert!(count > 4000, "{count}");
}

#[test]
fn spans_print_as_in_numpy() {
    let dir = tempfile::tempdir().unwrap();
    let mut list = String::new();
    macro_rules! units {
        ($($code:literal: $unit:ty, $multiple:literal);* $(;)?) => {$(
            let most = i64::MAX / $multiple;
            for count in [0, 1, -1, 2, 1_251_073_203, most, -most, i64::MIN] {
                let span = TimeDelta64::<$unit>::new(count);
                writeln!(list, "{count}\t{}\t{span}", $code).unwrap();
            }
        )*};
    }
    units! {
        "generic": Generic, 1; "Y": Year, 1; "M": Month, 1; "W": Week, 1; "D": Day, 1; "h": Hour, 1; "m": Minute, 1;
        "s": Second, 1; "ms": Ms, 1; "us": Us, 1; "ns": Ns, 1; "ps": Ps, 1; "fs": Fs, 1; "as": As, 1;
        "25s": Times<25, Second>, 25; "7D": Times<7, Day>, 7; "2147483647as": Times<2_147_483_647, As>, 2_147_483_647;
    }
    std::fs::write(dir.path().join("list"), &list).unwrap();
    let script = r#"
for count, unit, text in lines():
    theirs = str(np.timedelta64(int(count), unit))
    assert theirs == text, f'{count} {unit}: ours {text}, NumPy {theirs}'
print(len(lines()))
"#;
    assert_eq!(python(script, dir.path()).trim(), (17 * 8).to_string());
}

#[test]
fn units_of_time_are_numpys() {
    fn dtype<U: TimeUnit>() -> String {
        DateTime64::<U>::dtype().to_string()
    }
    let ours = [
        dtype::<Generic>(),
        dtype::<Year>(),
        dtype::<Month>(),
        dtype::<Week>(),
        dtype::<Day>(),
        dtype::<Hour>(),
        dtype::<Minute>(),
        dtype::<Second>(),
        dtype::<Ms>(),
        dtype::<Us>(),
        dtype::<Ns>(),
        dtype::<Ps>(),
        dtype::<Fs>(),
        dtype::<As>(),
        dtype::<Times<1, Second>>(),
        dtype::<Times<2_147_483_647, Year>>(),
    ];
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
for unit in 'generic Y M W D h m s ms us ns ps fs as 1s 2147483647Y'.split():
    print(np.dtype(f'M8[{unit}]').str)
"#;
    assert_eq!(ours.join("\n"), python(script, dir.path()).trim());
}
