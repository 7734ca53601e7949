//! Records stored as one array for each field.

use std::io::Cursor;

use npy_core::npz::{ReadOptions, Reader, WriteOptions, Writer};
use npy_core::{ByteOrder, Cast, ErrorKind, NpyArray, NpyRecord, Order};

#[derive(NpyRecord, Debug, Clone, Copy, PartialEq)]
struct Inner {
    low: i16,
    high: i16,
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
#[npy(align)]
#[repr(C)]
struct Pick {
    station: u8,
    #[npy(rename = "t0")]
    time: f64,
    #[npy(endian = "big")]
    code: u32,
    samples: [[f32; 2]; 3],
    inner: Inner,
}

fn picks(count: u16) -> Vec<Pick> {
    (0..count)
        .map(|n| Pick {
            station: n.to_le_bytes()[0],
            time: f64::from(n) / 4.0,
            code: u32::from(n) << 8,
            samples: [[f32::from(n), 1.0], [2.0, 3.0], [4.0, -f32::from(n)]],
            inner: Inner { low: 5, high: -5 },
        })
        .collect()
}

fn written<T: NpyRecord>(options: &WriteOptions, records: &[T]) -> Cursor<Vec<u8>> {
    let mut writer = options.writer(Cursor::new(Vec::new())).unwrap();
    writer.write_columns(records).unwrap();
    writer.finish().unwrap()
}

#[test]
fn columns_are_arrays_and_records_again() {
    let mut big = npy_core::WriteOptions::new();
    big.byte_order(ByteOrder::Big);
    let mut fortran = npy_core::WriteOptions::new();
    fortran.order(Order::Fortran);
    let mut options = [WriteOptions::new(), WriteOptions::new(), WriteOptions::new()];
    options[1].arrays(&big).deflate(3);
    options[2].arrays(&fortran);
    for (options, time) in options.iter().zip(["<f8", ">f8", "<f8"]) {
        for count in [0, 1, 5000] {
            let picks = picks(count);
            let reader = Reader::new(written(options, &picks)).unwrap();
            assert!(reader.names().eq(["station", "t0", "code", "samples", "inner"]));
            assert_eq!(reader.header("t0").unwrap().dtype().to_string(), time);
            assert_eq!(reader.header("code").unwrap().dtype().to_string(), ">u4");
            assert_eq!(reader.header("samples").unwrap().shape(), [usize::from(count), 3, 2]);
            assert_eq!(reader.read_columns::<Pick>().unwrap(), picks);
        }
    }
}

#[test]
fn field_attributes_apply_to_columns() {
    #[derive(NpyRecord, Debug, PartialEq)]
    struct Wide {
        #[npy(alias = "t0")]
        time: f64,
        station: u32,
        #[npy(default)]
        weight: u8,
    }
    #[derive(NpyRecord, Debug)]
    #[npy(deny_unknown_fields)]
    struct Only {
        #[npy(rename = "t0")]
        _time: f64,
    }
    let file = written(&WriteOptions::new(), &picks(3));
    let reader = ReadOptions::new().cast(Cast::Lossless).reader(file).unwrap();
    let wide: Vec<Wide> = reader.read_columns().unwrap();
    assert_eq!(wide[2], Wide { time: 0.5, station: 2, weight: 0 });
    assert!(matches!(
        reader.read_columns::<Only>().unwrap_err().kind(),
        ErrorKind::UnknownField { .. }
    ));
    let error = reader.read_columns::<Other>().unwrap_err().to_string();
    assert!(error.contains(r#"no member "elevation"; its members are "station", "t0""#), "{error}");

    #[derive(NpyRecord, Debug)]
    struct Other {
        #[npy(rename = "elevation")]
        _elevation: f32,
    }
}

#[test]
fn columns_are_of_the_same_length() {
    #[derive(NpyRecord, Debug)]
    struct Pair {
        _a: u8,
        _b: [f32; 2],
    }
    let read = |a: &NpyArray<u8>, b: &NpyArray<f32>| {
        let mut writer = Writer::new(Cursor::new(Vec::new())).unwrap();
        writer.write("_a", a).unwrap();
        writer.write("_b", b).unwrap();
        let reader = Reader::new(writer.finish().unwrap()).unwrap();
        reader.read_columns::<Pair>().map(|pairs| pairs.len()).map_err(|error| error.to_string())
    };
    let a = NpyArray::new(vec![1, 2, 3], [3]).unwrap();
    let b = NpyArray::new(vec![0.0; 6], [3, 2]).unwrap();
    assert_eq!(read(&a, &b), Ok(3));
    let short = NpyArray::new(vec![0.0; 4], [2, 2]).unwrap();
    assert!(read(&a, &short).unwrap_err().contains("the column \"_a\" has 3 rows"));
    let single = NpyArray::new(vec![1], []).unwrap();
    assert!(read(&single, &b).unwrap_err().contains("a row for each record"));
    let flat = NpyArray::new(vec![0.0; 3], [3]).unwrap();
    assert!(read(&a, &flat).unwrap_err().contains("field \"_b\""));
}

#[test]
fn a_name_that_is_taken_writes_no_column() {
    let mut writer = Writer::new(Cursor::new(Vec::new())).unwrap();
    writer.write("inner", &1u8).unwrap();
    assert!(writer.write_columns(&picks(3)).is_err());
    let reader = Reader::new(writer.finish().unwrap()).unwrap();
    assert!(reader.names().eq(["inner"]));
}

/// Guards the names: `x.npy` would be the member `x`, which may be another field.
#[test]
fn a_column_that_would_not_be_found_is_refused() {
    #[derive(NpyRecord)]
    struct Pair {
        x: u8,
        #[npy(rename = "x.npy")]
        y: u8,
    }
    let mut writer = Writer::new(Cursor::new(Vec::new())).unwrap();
    let error = writer.write_columns(&[Pair { x: 1, y: 2 }]).unwrap_err().to_string();
    assert!(error.contains("\"x.npy\": a column whose name"), "{error}");
    assert!(Reader::new(writer.finish().unwrap()).unwrap().is_empty());
}

/// Guards the rules for text in columns: each is read from its own width, and those of any width are not written.
#[test]
fn text_columns_have_their_own_width() {
    #[derive(NpyRecord, Debug, Clone, PartialEq)]
    struct Wide {
        #[npy(width = 9)]
        name: String,
        #[npy(width = 5)]
        code: Vec<u8>,
    }

    #[derive(NpyRecord, Debug, Clone, PartialEq)]
    struct Open {
        #[npy(width = any)]
        name: String,
        #[npy(width = any)]
        code: Vec<u8>,
    }

    let names = ["é𝄞", "abc", ""].map(String::from).to_vec();
    let codes = [&b"a"[..], b"", b"\0b"].map(<[u8]>::to_vec).to_vec();
    let mut writer = Writer::new(Cursor::new(Vec::new())).unwrap();
    writer.write("name", &names).unwrap();
    writer.write("code", &codes).unwrap();
    let reader = Reader::new(writer.finish().unwrap()).unwrap();
    let rows = || names.iter().cloned().zip(codes.iter().cloned());
    let wide: Vec<Wide> = rows().map(|(name, code)| Wide { name, code }).collect();
    let open: Vec<Open> = rows().map(|(name, code)| Open { name, code }).collect();
    assert_eq!(reader.read_columns::<Wide>().unwrap(), wide);
    assert_eq!(reader.read_columns::<Open>().unwrap(), open);

    let mut writer = Writer::new(Cursor::new(Vec::new())).unwrap();
    writer.write("records", &wide).unwrap();
    let error = writer.write_columns(&open).unwrap_err().to_string();
    assert!(error.contains("writing Open, a type with text of any width"), "{error}");
    let error = writer.write("open", &open).unwrap_err().to_string();
    assert!(error.contains("writing Open, a type with text of any width"), "{error}");
    let reader = Reader::new(writer.finish().unwrap()).unwrap();
    assert!(reader.names().eq(["records"]));
    assert_eq!(reader.read::<Vec<Open>>("records").unwrap(), open);
}
