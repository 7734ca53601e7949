//! Values.

use super::*;

#[test]
fn casts_that_are_accepted_are_numpys_safe_ones_with_numpys_values() {
    let dir = tempfile::tempdir().unwrap();
    // For each pair: source, target, whether NumPy calls it safe, and what `astype` gives, as hex.
    let script = r#"
kinds = '? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16'.split()
targets = '? i1 i2 i4 i8 u1 u2 u4 u8 f4 f8'.split()
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
            cast[cast != cast] = 0 if target.kind != 'f' else np.nan  # one NaN
            print(f'{base.name}{"<>".index(order)}', target.str[1:], int(np.can_cast(base, target, 'safe')), cast.tobytes().hex())
"#;
    let listing = python(script, dir.path());
    let mut lossless = ReadOptions::new();
    lossless.cast(Cast::Lossless);
    let mut refused = Vec::new();
    for line in listing.lines() {
        let [source, target, safe, hex] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let path = dir.path().join(format!("{source}.npy"));
        macro_rules! cast {
            ($($code:literal: $type:ty),*) => {
                match target {
                    $($code => lossless.read::<Vec<$type>>(&path).map(|values| {
                        values.iter().map(|value| hex_of(*value)).collect::<String>()
                    }),)*
                    other => panic!("{other}"),
                }
            };
        }
        let result = cast!(
            "b1": bool, "i1": i8, "i2": i16, "i4": i32, "i8": i64, "u1": u8, "u2": u16, "u4": u32, "u8": u64,
            "f4": f32, "f8": f64
        );
        match result {
            Ok(ours) => {
                assert_eq!(safe, "1", "{source} to {target} is not safe to NumPy");
                assert_eq!(ours, hex, "{source} to {target}");
            }
            Err(_) if safe == "1" => refused.push(format!("{source} {target}")),
            Err(_) => {}
        }
    }
    // NumPy calls these safe, and they lose bits.
    assert_eq!(refused, ["int640 f8", "int641 f8", "uint640 f8", "uint641 f8"]);
    assert_eq!(listing.lines().count(), 25 * 11);
}

/// The little-endian bytes of a value; those of one NaN for all of them.
fn hex_of<T: Element + PartialEq + Copy>(value: T) -> String {
    let mut item = vec![0; T::SIZE];
    #[expect(clippy::eq_op, reason = "only a NaN differs from itself")]
    let nan = value != value;
    match (nan, T::SIZE) {
        (true, 4) => item.copy_from_slice(&f32::NAN.to_le_bytes()),
        (true, _) => item.copy_from_slice(&f64::NAN.to_le_bytes()),
        (false, _) => value.encode(&mut item).unwrap(),
    }
    item.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn times_print_as_in_numpy() {
    let dir = tempfile::tempdir().unwrap();
    let mut list = String::new();
    let mut seed = 1u64;
    let mut random = || {
        // Counts of all sizes, from a linear congruence.
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
                // NumPy overflows beyond; we do not.
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
