//! Casts on each way to read: values that do not fit are errors that name the row and the field.

use npy_core::time::{Day, Ns, Second};
use npy_core::{
    ByteOrder, Cast, DType, DateTime64, DynArray, ErrorKind, NpyArray, NpyRecord, Order, Place,
    ReadNpy, ReadOptions, WriteNpy, WriteOptions,
};

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
struct Wide {
    id: u32,
    values: [f64; 2],
    inner: Inner<i64>,
}

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
struct Inner<T> {
    count: T,
}

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
struct Narrow {
    inner: Inner<i8>,
    id: u8,
    values: [f32; 2],
}

fn options(cast: Cast) -> ReadOptions {
    let mut options = ReadOptions::new();
    options.cast(cast);
    options
}

/// Enough rows for several blocks; the last one does not fit.
fn wide_rows() -> Vec<Wide> {
    let row = |i: u32| Wide { id: i % 256, values: [0.1, 2.0], inner: Inner { count: -1 } };
    let mut rows: Vec<Wide> = (0..20_000).map(row).collect();
    rows[19_999].inner.count = 128;
    rows
}

#[expect(clippy::cast_possible_truncation, reason = "`as` is what is expected")]
fn narrow(row: &Wide) -> Narrow {
    Narrow {
        inner: Inner { count: row.inner.count as i8 },
        id: row.id as u8,
        values: row.values.map(|value| value as f32),
    }
}

const MISFIT: &str = "row 19999: field \"inner.count\": 128 does not fit '|i1'; i64 holds it, and ReadOptions::new().cast(Cast::Numeric) makes -128 of it";

#[test]
fn records_are_converted_field_by_field() {
    let rows = wide_rows();
    let expected: Vec<Narrow> = rows.iter().map(narrow).collect();
    let mut file = Vec::new();
    rows.write_npy_to(&mut file).unwrap();
    let numeric = options(Cast::Numeric).read_from::<Vec<Narrow>>(&file[..]).unwrap();
    assert_eq!(numeric, expected);
    let mut checked = options(Cast::Checked);
    let error = checked.read_from::<Vec<Narrow>>(&file[..]).unwrap_err();
    assert_eq!(error.to_string(), MISFIT);
    assert!(matches!(error.kind(), ErrorKind::InvalidValue { .. }));
    assert_eq!(
        error.places().cloned().collect::<Vec<_>>(),
        [Place::Row(19_999), Place::Field("inner.count".into())]
    );
    let error = checked.threads(2).read_from::<Vec<Narrow>>(&file[..]).unwrap_err();
    assert_eq!(error.to_string(), MISFIT);
}

/// Guards streams: all rows before the first misfit are returned, and then its error.
#[test]
fn rows_before_a_misfit_are_kept() {
    let rows = wide_rows();
    let expected: Vec<Narrow> = rows[..19_999].iter().map(narrow).collect();
    let mut file = Vec::new();
    rows.write_npy_to(&mut file).unwrap();
    let checked = options(Cast::Checked);
    let mut reader = checked.reader(&file[..]).unwrap();
    let mut found = Vec::new();
    let mut records = reader.records::<Narrow>().unwrap();
    let error = loop {
        match records.next().unwrap() {
            Ok(row) => found.push(row),
            Err(error) => break error,
        }
    };
    assert_eq!((error.to_string().as_str(), &found), (MISFIT, &expected));
    let mut reader = checked.reader(&file[..]).unwrap();
    let mut found = Vec::new();
    let error = loop {
        match reader.read_chunk(&mut found, 7_000) {
            Ok(count) => assert!(count > 0),
            Err(error) => break error,
        }
    };
    assert_eq!((error.to_string().as_str(), &found), (MISFIT, &expected));
    let mut reader = checked.reader(&file[..]).unwrap();
    let error = reader.read_column::<i8>("inner.count").unwrap_err();
    assert_eq!(error.to_string(), MISFIT);
}

#[test]
#[allow(unsafe_code)]
fn maps_convert_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rows.npy");
    let rows = wide_rows();
    rows.write_npy(&path).unwrap();
    // SAFETY: no one else has the file.
    let map = unsafe { options(Cast::Checked).map_any(&path).unwrap() };
    assert_eq!(map.get::<Narrow>(7).unwrap(), narrow(&rows[7]));
    let error = map.get::<Narrow>(19_999).unwrap_err().to_string();
    assert!(error.ends_with(MISFIT), "{error}");
    let error = map.column::<i8>("inner.count").unwrap_err().to_string();
    assert!(error.ends_with("read it with Reader::read_column"), "{error}");
    // SAFETY: as before.
    let map = unsafe { options(Cast::Numeric).map_any(&path).unwrap() };
    let column = map.column::<i8>("inner.count").unwrap();
    assert_eq!((column.get(0), column.get(19_999)), (Some(-1), Some(-128)));
    assert_eq!(column.to_vec().unwrap().len(), 20_000);
}

/// Guards arrays of several dimensions in both orders.
#[test]
fn arrays_are_converted_in_both_orders() {
    let numbers: Vec<f64> = (0..6).map(|i| f64::from(i) / 2.0).collect();
    for (order, first) in [
        (Order::C, ("row 0: element 1 of the row: 0.5", 0)),
        (Order::Fortran, ("row 1: element 0 of the row: 1.5", 1)),
    ] {
        let array = NpyArray::new(numbers.clone(), [2, 3]).unwrap();
        let mut file = Vec::new();
        WriteOptions::new().order(order).write_to(&mut file, &array).unwrap();
        let narrow: NpyArray<f32> = options(Cast::Numeric).read_from(&file[..]).unwrap();
        assert_eq!((narrow.shape(), narrow.order(), narrow[[1, 2]]), (&[2, 3][..], order, 2.5));
        let whole: NpyArray<i16> = options(Cast::Numeric).read_from(&file[..]).unwrap();
        assert_eq!(whole[[1, 0]], 1);
        let error = options(Cast::Checked).read_from::<NpyArray<i16>>(&file[..]).unwrap_err();
        let (place, made) = first;
        let advice =
            format!("f64 holds it, and ReadOptions::new().cast(Cast::Numeric) makes {made} of it");
        assert_eq!(error.to_string(), format!("{place} does not fit '<i2'; {advice}"));
    }
}

#[test]
fn the_advice_names_the_cast_that_would_do() {
    let advice = |file: &[u8], read: fn(&[u8]) -> npy_core::Error| read(file).to_string();
    let mut times = Vec::new();
    [DateTime64::<Ns>::new(1_000_000_000)].write_npy_to(&mut times).unwrap();
    let error = advice(&times, |file| Vec::<DateTime64<Second>>::read_npy_from(file).unwrap_err());
    assert!(error.ends_with("Cast::Lossless) converts if every value fits"), "{error}");
    let lossless = options(Cast::Lossless);
    let seconds: Vec<DateTime64<Second>> = lossless.read_from(&times[..]).unwrap();
    assert_eq!(seconds, [DateTime64::new(1)]);
    let error = lossless.read_from::<Vec<DateTime64<Day>>>(&times[..]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 0: 1970-01-01T00:00:01.000000000 does not fit '<M8[D]'; DateTime64<time::Ns> holds it"
    );
    let mut numbers = Vec::new();
    [0.5f64].write_npy_to(&mut numbers).unwrap();
    let error = advice(&numbers, |file| Vec::<f32>::read_npy_from(file).unwrap_err());
    assert!(error.ends_with("; Vec<f64> reads it, and ReadOptions::new().cast(Cast::Checked) converts if every value fits, ReadOptions::new().cast(Cast::Numeric) in any case: it makes infinities of the others; both round"), "{error}");
    for (file, wanted, says) in [
        (
            "<c16",
            "<f8",
            "it drops imaginary parts, which num_complex::Complex (feature num-complex) keeps",
        ),
        (
            "<c16",
            "<f4",
            "it drops imaginary parts, which num_complex::Complex (feature num-complex) keeps",
        ),
        (
            "<c16",
            "<i4",
            "it drops imaginary parts (num_complex::Complex, with the feature num-complex, keeps them) and fractions, cuts values to the range, and makes NaN zero",
        ),
        ("<c16", "<c8", "it makes infinities of the others; both round"),
        ("<f8", "<i4", "it drops fractions, cuts values to the range, and makes NaN zero"),
        ("<i8", "<i4", "it keeps the lowest bits of the others"),
        ("<i8", "<f2", "it makes infinities of the others; both round"),
        ("<i8", "|b1", "it makes true of all but zero"),
    ] {
        let [file, wanted] = [file, wanted].map(|dtype| dtype.parse::<DType>().unwrap());
        let error = file.converts_to(&wanted, Cast::Exact).unwrap_err().to_string();
        let says = format!(" ReadOptions::new().cast(Cast::Numeric) in any case: {says}");
        assert!(error.ends_with(&says), "{error}");
    }
    let error = advice(&numbers, |file| Vec::<DateTime64<Ns>>::read_npy_from(file).unwrap_err());
    assert!(error.ends_with("; change the Rust type to Vec<f64>"), "{error}");
    // `astype` cuts, wraps, pads or refuses values of many of these pairs; a type of the file keeps all.
    let dtypes = "?,u1,<i8,<f2,<f8,<f16,<c16,S3,S5,U3,U5,<M8[s],<M8[M],<m8[s],V8,V5,V2,V0,O"
        .split(',')
        .map(|code| code.parse::<DType>().unwrap())
        .collect::<Vec<_>>();
    for (from, to) in dtypes.iter().flat_map(|from| dtypes.iter().map(move |to| (from, to))) {
        for cast in [Cast::Exact, Cast::Lossless, Cast::Numeric, Cast::Checked] {
            let says = from.converts_to(to, cast).err().map(|error| error.to_string());
            assert!(says.iter().all(|says| !says.contains("astype")), "{says:?}");
        }
    }
}

/// Guards arrays whose dtype is known at run time only.
#[test]
fn arrays_of_any_dtype_are_converted() {
    let array: DynArray = {
        let mut file = Vec::new();
        wide_rows().write_npy_to(&mut file).unwrap();
        DynArray::read_npy_from(&file[..]).unwrap()
    };
    let dtype = "[('values', '<f2', (2,)), ('inner', [('count', '|u1')])]".parse().unwrap();
    let cast = array.cast_with(&dtype, Cast::Numeric).unwrap();
    assert_eq!(cast.get(&[19_999]).unwrap().to_string(), "([0.1, 2.0], (128,))");
    let error = array.cast_with(&dtype, Cast::Checked).unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 0: field \"inner.count\": -1 does not fit '|u1'; i64 holds it, and array.cast_with(&dtype, Cast::Numeric) makes 255 of it"
    );
    assert!(array.cast(&dtype).is_err());
}

/// Guards the row of an error: it is an index of the first dimension, in both orders and on each way.
#[test]
fn rows_are_indices_of_the_first_dimension() {
    for order in [Order::C, Order::Fortran] {
        let mut items = vec![1i32; 60];
        items[3 * 12 + 4 + 2] = 1000;
        let array = NpyArray::new(items, [5, 3, 4]).unwrap();
        let mut file = Vec::new();
        WriteOptions::new().order(order).write_to(&mut file, &array).unwrap();
        let says = |call: &str| {
            format!(
                "row 3: element 6 of the row: 1000 does not fit '|u1'; i32 holds it, and {call}Cast::Numeric) makes 232 of it"
            )
        };
        let read = options(Cast::Checked).read_from::<NpyArray<u8>>(&file[..]);
        assert_eq!(read.unwrap_err().to_string(), says("ReadOptions::new().cast("), "{order:?}");
        let any = npy_core::AnyArray::read_npy_from(&file[..]).unwrap();
        let error = any.cast::<u8>(Cast::Checked).unwrap_err().to_string();
        assert_eq!(error, says("array.cast::<u8>("), "{order:?}");
        let dynamic = DynArray::read_npy_from(&file[..]).unwrap();
        let cast = dynamic.cast_with(&"|u1".parse().unwrap(), Cast::Checked);
        let says = says("array.cast_with(&dtype, ");
        assert_eq!(cast.unwrap_err().to_string(), says, "{order:?}");
    }
    let mut file = Vec::new();
    [num_complex::Complex::new(1.0f64, -2.0)].write_npy_to(&mut file).unwrap();
    let error = options(Cast::Checked).read_from::<Vec<f64>>(&file[..]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 0: (1.0-2.0j) does not fit '<f8'; ReadOptions::new().cast(Cast::Numeric) makes 1.0 of it"
    );
}

/// Guards the advice for samples of two integers, which a cast would not pair.
#[test]
fn pairs_of_numbers_are_not_advised_to_be_cast() {
    let mut file = Vec::new();
    [[1i16, -1], [2, -2]].write_npy_to(&mut file).unwrap();
    let error = Vec::<num_complex::Complex<f32>>::read_npy_from(&file[..]).unwrap_err();
    assert!(error.to_string().contains("; read pairs of numbers as [T; 2]"), "{error}");
}

/// Guards missing values: if some integers are missing, pandas writes all as floats, with NaN for those.
#[test]
fn a_missing_value_is_found_before_the_cast() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let mut file = Vec::new();
        let floats = [1.0f32, f32::NAN, 0.0];
        WriteOptions::new().byte_order(order).write_to(&mut file, &floats).unwrap();
        for cast in [Cast::Numeric, Cast::Checked] {
            let mut options = ReadOptions::new();
            options.cast(cast);
            let integers = options.read_from::<Vec<Option<i64>>>(&file[..]).unwrap();
            assert_eq!(integers, [Some(1), None, Some(0)]);
            let flags = options.read_from::<NpyArray<Option<bool>>>(&file[..]).unwrap();
            assert_eq!(flags.into_vec(), [Some(true), None, Some(false)]);
        }
    }
    let mut file = Vec::new();
    [f64::NAN, 2.5].write_npy_to(&mut file).unwrap();
    let mut options = ReadOptions::new();
    let error = options.cast(Cast::Checked).read_from::<Vec<Option<u8>>>(&file[..]).unwrap_err();
    assert!(error.to_string().contains("row 1: 2.5 does not fit"), "{error}");
    let truncated = options.cast(Cast::Numeric).read_from::<Vec<Option<u8>>>(&file[..]).unwrap();
    assert_eq!(truncated, [None, Some(2)]);
}

/// Guards the advice for each kind of value that does not fit: the type that holds it, and what the other cast makes of it.
#[test]
fn a_value_that_does_not_fit_has_a_type_and_another_cast() {
    use npy_core::time::Times;
    use npy_core::{ByteStr, Element, FixedStr, TimeDelta64};

    fn error<T: Element + std::fmt::Debug>(file: &[u8], cast: Cast) -> String {
        options(cast).read_from::<Vec<T>>(file).unwrap_err().to_string()
    }
    fn file<T: Element>(value: T) -> Vec<u8> {
        let mut file = Vec::new();
        [value].write_npy_to(&mut file).unwrap();
        file
    }
    let numeric = |made: &str| {
        format!(" holds it, and ReadOptions::new().cast(Cast::Numeric) makes {made} of it")
    };
    let (checked, lossless) = (Cast::Checked, Cast::Lossless);
    let day = DateTime64::<Day>::new(200_000);
    let span = TimeDelta64::<Times<25, Second>>::new(1);
    for (error, says) in [
        (error::<f32>(&file(1e300f64), checked), format!("; f64{}", numeric("inf"))),
        (error::<i32>(&file(f64::NAN), checked), format!("; f64{}", numeric("0"))),
        (error::<u8>(&file(-1i16), checked), format!("; i16{}", numeric("255"))),
        (error::<bool>(&file(2u8), checked), format!("; u8{}", numeric("true"))),
        (error::<DateTime64<Ns>>(&file(day), lossless), "; DateTime64<time::Day> holds it".into()),
        (
            error::<TimeDelta64<Day>>(&file(span), lossless),
            "; TimeDelta64<time::Times<25, time::Second>> holds it".into(),
        ),
        (
            error::<FixedStr<2>>(&file(FixedStr::<3>::new("abc").unwrap()), lossless),
            "; FixedStr<3> holds it".into(),
        ),
        (
            error::<ByteStr<2>>(&file(ByteStr::<3>::new("abc").unwrap()), lossless),
            "; ByteStr<3> holds it".into(),
        ),
    ] {
        assert!(error.starts_with("row 0: ") && error.ends_with(&says), "{error}");
    }
    // What the message says is what the cast does.
    let made = options(Cast::Numeric).read_from::<Vec<f32>>(&file(1e300f64)[..]).unwrap();
    assert_eq!(made, [f32::INFINITY]);
}
