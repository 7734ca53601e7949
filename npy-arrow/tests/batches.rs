//! Arrow's record batches: what becomes of each dtype, and back.

use std::sync::Arc;

use npy_arrow::arrow_array::cast::AsArray;
use npy_arrow::arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use npy_arrow::arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, FixedSizeListArray, Float32Array, Float64Array,
    Int32Array, Int64Array, LargeStringArray, ListArray, RecordBatch, RecordBatchReader,
    StringArray, StringViewArray, StructArray,
};
use npy_arrow::arrow_schema::{DataType, Field, Schema};
use npy_arrow::{Batches, Options};
use npy_core::dtype::ScalarKind;
use npy_core::{ByteOrder, DType, DynArray, MapAny, Order, Reader, WriteNpy, npz};

/// Writes a value that depends on `seed` to an element in little-endian order.
fn write(dtype: &DType, seed: usize, out: &mut [u8]) {
    if let Some((base, shape)) = dtype.sub_array() {
        let (count, size) = (shape.iter().product(), base.itemsize());
        (0..count).for_each(|i: usize| write(base, seed + i, &mut out[i * size..][..size]));
    } else if let Some(scalar) = dtype.scalar() {
        match (scalar.kind(), scalar.itemsize()) {
            (ScalarKind::Float, 4) => out.copy_from_slice(&(seed as f32 - 0.5).to_le_bytes()),
            (ScalarKind::Float, 8) => out.copy_from_slice(&(seed as f64 - 0.5).to_le_bytes()),
            (ScalarKind::Complex, 8) => {
                out.as_chunks_mut()
                    .0
                    .iter_mut()
                    .for_each(|half| *half = (seed as f32 - 1.5).to_le_bytes());
            }
            (ScalarKind::Str, _) => {
                let points = out.as_chunks_mut::<4>().0.iter_mut().take(seed % 4);
                points.enumerate().for_each(|(i, point)| {
                    *point = (0x1f600 + u32::try_from(i).unwrap()).to_le_bytes()
                });
            }
            (ScalarKind::Bytes, _) => out.iter_mut().take(seed % 4).for_each(|byte| *byte = b'x'),
            (ScalarKind::DateTime(_) | ScalarKind::TimeDelta(_), _) => {
                let count = if seed % 3 == 2 { i64::MIN } else { seed as i64 * 40 - 30 };
                out.copy_from_slice(&count.to_le_bytes());
            }
            (ScalarKind::Bool, _) => out[0] = u8::from(seed.is_multiple_of(2)),
            _ => out
                .iter_mut()
                .enumerate()
                .for_each(|(i, byte)| *byte = u8::try_from((seed + i) % 256).unwrap()),
        }
    } else {
        for field in dtype.fields() {
            write(field.dtype(), seed, &mut out[field.offset()..][..field.dtype().itemsize()]);
        }
    }
}

/// Returns an array of this dtype and shape with different values.
fn array(descr: &str, shape: &[usize]) -> DynArray {
    let dtype: DType = descr.parse().unwrap_or_else(|error| panic!("{descr}: {error}"));
    let little = dtype.with_byte_order(ByteOrder::Little);
    let size = dtype.itemsize();
    let count: usize = shape.iter().product();
    let mut bytes = vec![0; count * size];
    (0..count).for_each(|i| write(&little, i, &mut bytes[i * size..][..size]));
    DynArray::new(little, shape, Order::C, bytes).unwrap().cast(&dtype).unwrap()
}

const SCALARS: &[&str] = &[
    "|b1",
    "|i1",
    "<i2",
    ">i4",
    "<i8",
    "|u1",
    ">u2",
    "<u4",
    ">u8",
    "<f2",
    ">f2",
    "<f4",
    ">f8",
    "<c8",
    ">c16",
    "<f16",
    "<c32",
    "|S3",
    "<U3",
    ">U3",
    "|S0",
    "<U0",
    "|V5",
    "|V0",
    "<V2",
    ">V2",
    "<M8[Y]",
    "<M8[M]",
    ">M8[W]",
    "<M8[D]",
    "<M8[7D]",
    "<M8[h]",
    "<M8[m]",
    ">M8[s]",
    "<M8[25s]",
    "<M8[ms]",
    "<M8[us]",
    ">M8[ns]",
    "<M8[ps]",
    "<M8[fs]",
    "<M8[as]",
    "<M8",
    "<m8[Y]",
    "<m8[M]",
    "<m8[W]",
    ">m8[D]",
    "<m8[h]",
    "<m8[m]",
    "<m8[s]",
    ">m8[10ms]",
    "<m8[us]",
    "<m8[ns]",
    "<m8[ps]",
    "<m8",
];

const RECORDS: &[&str] = &[
    "[('a', '|u1'), ('', '|V7'), ('b', '>f8')]",
    "[('head', [('gain', '<f4'), ('name', '<U5')]), ('', '|V3'), ('samples', '>i2', (2, 3))]",
    "[('r', [('x', '<f8'), ('t', '<M8[25s]')], (2,)), ('z', '<c8', (3,)), ('flags', '|b1', (4,))]",
    "[(('a longer name', 'a'), '<i4'), ('it\\'s', '<i4'), ('\u{e9}\\\\', '<i4')]",
    "[('a.b', '<i4'), ('c[0]', '<i2')]",
    "[('none', '<f4', (0,)), ('x', '<f4')]",
    "[('', '|V2'), ('n', ('>u2', (2,)), (3,)), ('', '|V1'), ('m', [('x', ('<f4', (1, 2)), (2,)), ('', '|V3')], (2,))]",
    "[]",
];

/// Guards that nothing is lost: the dtype with its padding, titles and byte orders, and each value.
#[test]
fn arrays_come_back_as_they_were() {
    let mut options = [Options::new(), Options::new()];
    options[1].complex_as_struct(true);
    for options in &options {
        for descr in SCALARS.iter().chain(RECORDS) {
            for shape in [&[5][..], &[0], &[1]] {
                let array = array(descr, shape);
                let batch = npy_arrow::record_batch(&array, options)
                    .unwrap_or_else(|error| panic!("{descr}: {error}"));
                assert_eq!(batch.num_rows(), shape[0], "{descr}");
                let back = npy_arrow::dyn_array(&batch, options)
                    .unwrap_or_else(|error| panic!("{descr}: {error}"));
                assert_eq!(back, array, "{descr}");
                // Part of a batch has offsets into its buffers.
                if shape[0] == 5 {
                    let part = npy_arrow::dyn_array(&batch.slice(1, 3), options).unwrap();
                    let size = array.dtype().itemsize();
                    assert_eq!(part.as_bytes(), &array.as_bytes()[size..4 * size], "{descr}");
                }
            }
        }
    }
}

/// Guards more dimensions than one, in both orders.
#[test]
fn arrays_of_more_dimensions_are_lists() {
    for descr in ["<f4", ">f8", "<M8[s]", "<U3", "[('x', '<f4'), ('y', '<i2', (2,))]", "<c8"] {
        for shape in [&[3, 2][..], &[2, 3, 2], &[2, 0], &[0, 2]] {
            for order in [Order::C, Order::Fortran] {
                let array = array(descr, shape).to_order(order).unwrap();
                let batch = npy_arrow::record_batch(&array, &Options::new()).unwrap();
                assert_eq!(batch.num_columns(), 1);
                let back = npy_arrow::dyn_array(&batch, &Options::new()).unwrap();
                assert_eq!(back, array.to_order(Order::C).unwrap(), "{descr} {shape:?}");
            }
        }
    }
    let batch = npy_arrow::record_batch(&array("<f4", &[3, 2, 2]), &Options::new()).unwrap();
    let metadata = batch.schema().field(0).metadata()["ARROW:extension:metadata"].clone();
    assert_eq!(metadata, r#"{"shape":[2,2]}"#);
    // A single value is one row.
    let single = npy_arrow::record_batch(&array("<f4", &[]), &Options::new()).unwrap();
    assert_eq!((single.num_rows(), single.num_columns()), (1, 1));
}

/// Guards the units that Arrow lacks: they are multiplied, and an overflow is an error.
#[test]
fn times_are_multiplied_and_checked() {
    let times = |descr: &str, counts: &[i64]| {
        let bytes = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        let array = DynArray::new(descr.parse().unwrap(), [counts.len()], Order::C, bytes).unwrap();
        npy_arrow::record_batch(&array, &Options::new())
    };
    let batch = times("<M8[25s]", &[1, i64::MIN, -2]).unwrap();
    let column = batch.column(0);
    assert_eq!(column.data_type().to_string(), "Timestamp(s)");
    assert!(column.is_null(1) && !column.is_null(0));
    let seconds = column.as_primitive::<npy_arrow::arrow_array::types::TimestampSecondType>();
    assert_eq!((seconds.value(0), seconds.value(2)), (25, -50));
    let error = times("<M8[h]", &[0, i64::MAX]).unwrap_err().to_string();
    assert!(error.starts_with("column \"value\": row 1: "), "{error}");
    let error = times("<M8[D]", &[1 << 40]).unwrap_err().to_string();
    assert_eq!(error, "column \"value\": row 0: 1099511627776 days are too many for Date32");
    let months = times("<M8[M]", &[1, -1]).unwrap();
    let days = months.column(0).as_primitive::<npy_arrow::arrow_array::types::Date32Type>();
    assert_eq!((days.value(0), days.value(1)), (31, -31));
    assert_eq!(times("<M8[ps]", &[5]).unwrap().column(0).as_primitive::<Int64Type>().value(0), 5);
}

/// Guards the choices of the options.
#[test]
fn options_choose_the_types() {
    let data_type = |descr: &str, options: &Options| {
        npy_arrow::schema(&descr.parse().unwrap(), options).unwrap().field(0).data_type().clone()
    };
    let (plain, mut other) = (Options::new(), Options::new());
    other.text_from_bytes(true).complex_as_struct(true).long_double_as_f64(true).bfloat16(true);
    for (descr, usual, chosen) in [
        ("|S3", "Binary", "Utf8"),
        ("<f16", "FixedSizeBinary(16)", "Float64"),
        ("|V2", "FixedSizeBinary(2)", "Float32"),
        ("<V2", "Float32", "Float32"),
        (">V2", "Float32", "Float32"),
        (
            "<c8",
            "FixedSizeList(2 x Float32)",
            "Struct(\"re\": non-null Float32, \"im\": non-null Float32)",
        ),
    ] {
        assert_eq!(data_type(descr, &plain).to_string(), usual);
        assert_eq!(data_type(descr, &other).to_string(), chosen);
        let array = array(descr, &[4]);
        let array = if descr == "<f16" {
            let numbers: Vec<npy_core::LongDouble> =
                [1.5, -2.0].map(npy_core::LongDouble::from).to_vec();
            let mut file = Vec::new();
            numbers.write_npy_to(&mut file).unwrap();
            npy_core::ReadNpy::read_npy_from(&file[..]).unwrap()
        } else {
            array
        };
        let batch = npy_arrow::record_batch(&array, &other).unwrap();
        assert_eq!(npy_arrow::dyn_array(&batch, &other).unwrap(), array, "{descr}");
    }
    for (descr, bytes) in [("|V2", [0xc0, 0x3f]), ("<V2", [0xc0, 0x3f]), (">V2", [0x3f, 0xc0])] {
        let array = DynArray::new(descr.parse().unwrap(), [1], Order::C, bytes.to_vec()).unwrap();
        let batch = npy_arrow::record_batch(&array, &other).unwrap();
        assert_eq!(batch.column(0).as_primitive::<Float32Type>().value(0), 1.5, "{descr}");
        // A null is NaN.
        let field = batch.schema().field(0).clone().with_nullable(true);
        let null = Arc::new(Float32Array::from(vec![None])) as ArrayRef;
        let batch = RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![null]).unwrap();
        let nan = npy_arrow::dyn_array(&batch, &other).unwrap();
        let expected = if descr == ">V2" { [0x7f, 0xc0] } else { [0xc0, 0x7f] };
        assert_eq!(nan.as_bytes(), expected, "{descr}");
    }
    let array = DynArray::new("|S1".parse().unwrap(), [2], Order::C, vec![b'a', 0xff]).unwrap();
    let error = npy_arrow::record_batch(&array, &other).unwrap_err().to_string();
    assert_eq!(error, r#"column "value": row 1: "\xff" is not UTF-8"#);
}

fn texts(array: &DynArray) -> Vec<String> {
    array.iter().map(|value| value.to_string().trim_matches('\'').to_owned()).collect()
}

fn batch_of(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap()
}

/// Guards nulls: they are NaN or NaT, or an error that names the row.
#[test]
fn nulls_are_missing_values_or_errors() {
    let numbers = Arc::new(Int32Array::from(vec![Some(1), None])) as ArrayRef;
    let error =
        npy_arrow::dyn_array(&batch_of(vec![("n", numbers.clone())]), &Options::new()).unwrap_err();
    let message = "column \"n\": row 1: a null, and '<i4' has no missing value; Options::fill_nulls makes it zero or empty";
    assert_eq!(error.to_string(), message);
    let mut fill = Options::new();
    fill.fill_nulls(true);
    let text = Arc::new(StringArray::from(vec![None, Some("ab")])) as ArrayRef;
    let floats = Arc::new(Float64Array::from(vec![Some(0.5), None])) as ArrayRef;
    let filled =
        npy_arrow::dyn_array(&batch_of(vec![("n", numbers), ("s", text), ("x", floats)]), &fill)
            .unwrap();
    assert_eq!(filled.field("n").unwrap().to_vec::<i32>().unwrap(), [1, 0]);
    assert_eq!(texts(&filled.field("s").unwrap()), ["", "ab"]);
    assert!(filled.field("x").unwrap().to_vec::<f64>().unwrap()[1].is_nan());
}

/// Guards that a null within a complex number is not read as whatever its bytes are.
#[test]
fn a_null_part_of_a_complex_number_is_nan() {
    for as_struct in [false, true] {
        let mut options = Options::new();
        options.complex_as_struct(as_struct);
        let batch = npy_arrow::record_batch(&array("<c16", &[2]), &options).unwrap();
        let field = batch.schema().field(0).clone();
        let parts = Float64Array::from(vec![Some(1.5), None, Some(2.5), Some(3.5)]);
        let column: ArrayRef = match field.data_type() {
            DataType::Struct(fields) => {
                let re = Arc::new(Float64Array::from(vec![1.5, 2.5])) as ArrayRef;
                let im = Arc::new(Float64Array::from(vec![None, Some(3.5)])) as ArrayRef;
                let fields: Vec<_> =
                    fields.iter().map(|f| f.as_ref().clone().with_nullable(true)).collect();
                Arc::new(StructArray::new(fields.into(), vec![re, im], None))
            }
            DataType::FixedSizeList(item, size) => {
                let item = Arc::new(item.as_ref().clone().with_nullable(true));
                Arc::new(FixedSizeListArray::new(item, *size, Arc::new(parts), None))
            }
            other => panic!("{other}"),
        };
        let field = field.with_data_type(column.data_type().clone());
        let array = npy_arrow::column(&column, &field, &options).unwrap();
        assert_eq!(array.dtype().to_string(), "<c16");
        let parts =
            array.as_bytes().as_chunks::<8>().0.iter().map(|&part| f64::from_le_bytes(part));
        let parts: Vec<f64> = parts.collect();
        assert!(parts[1].is_nan());
        assert_eq!([parts[0], parts[2], parts[3]], [1.5, 2.5, 3.5]);
    }
}

/// Guards the types of others: dictionaries, views, large text, and what NumPy lacks.
#[test]
fn types_of_others_are_converted_or_refused() {
    let words: ArrayRef =
        Arc::new(vec!["b", "a", "b"].into_iter().collect::<DictionaryArray<Int32Type>>());
    let large: ArrayRef = Arc::new(LargeStringArray::from(vec!["\u{e9}", "", "xyz"]));
    let view: ArrayRef = Arc::new(StringViewArray::from(vec!["1", "2", "3"]));
    let array = npy_arrow::dyn_array(
        &batch_of(vec![("d", words), ("l", large), ("v", view)]),
        &Options::new(),
    )
    .unwrap();
    assert_eq!(array.dtype().to_string(), "[('d', '<U1'), ('l', '<U3'), ('v', '<U1')]");
    assert_eq!(texts(&array.field("d").unwrap()), ["b", "a", "b"]);
    let lists: ArrayRef =
        Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)])]));
    let error = npy_arrow::dyn_array(&batch_of(vec![("l", lists)]), &Options::new())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("column \"l\": NumPy has no dtype for List("), "{error}");
    let zero: ArrayRef = Arc::new(StringArray::from(vec!["a\0"]));
    let error = npy_arrow::dyn_array(&batch_of(vec![("z", zero)]), &Options::new())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("column \"z\": row 0: the value ends with a zero byte"), "{error}");
}

/// Guards lists of lists, which were written as zeros, and dictionaries of other values than text.
#[test]
fn lists_of_lists_are_sub_arrays() {
    let numbers = Arc::new(Int32Array::from_iter_values(0..24)) as ArrayRef;
    let list = |values: ArrayRef, size: i32| -> ArrayRef {
        let item = Field::new("item", values.data_type().clone(), false);
        Arc::new(FixedSizeListArray::new(Arc::new(item), size, values, None))
    };
    for sizes in [&[2, 3][..], &[3, 1], &[1, 1, 2], &[2, 1, 3], &[6]] {
        let nested = sizes.iter().rev().fold(numbers.clone(), |values, &size| list(values, size));
        let rows = nested.len();
        let batch = batch_of(vec![("a", nested)]);
        let array = npy_arrow::dyn_array(&batch, &Options::new()).unwrap();
        let shape: Vec<String> = sizes.iter().map(|size| format!("{size},")).collect();
        let shape = shape.join(" ");
        let shape = if sizes.len() == 1 { &shape } else { shape.trim_end_matches(',') };
        assert_eq!(array.dtype().to_string(), format!("[('a', '<i4', ({shape}))]"));
        assert_eq!(array.shape(), [rows]);
        let values: Vec<i32> = array
            .as_bytes()
            .as_chunks::<4>()
            .0
            .iter()
            .map(|&value| i32::from_le_bytes(value))
            .collect();
        assert_eq!(values, (0..24).collect::<Vec<_>>());
        let part = batch.slice(1, rows - 1);
        let part = npy_arrow::dyn_array(&part, &Options::new()).unwrap();
        assert_eq!(part.as_bytes(), &array.as_bytes()[array.dtype().itemsize()..]);
    }
    let keys = Int32Array::from(vec![1, 0, 1]);
    let values = Arc::new(Int64Array::from(vec![5, 6])) as ArrayRef;
    let dictionary: ArrayRef = Arc::new(DictionaryArray::new(keys, values));
    let array = npy_arrow::dyn_array(&batch_of(vec![("d", dictionary)]), &Options::new()).unwrap();
    assert_eq!(array.field("d").unwrap().to_vec::<i64>().unwrap(), [6, 5, 6]);
}

/// Guards that text which became longer than its dtype is not cut.
#[test]
fn longer_text_widens_its_dtype() {
    let first = npy_arrow::record_batch(&array("[('s', '<U3')]", &[2]), &Options::new()).unwrap();
    let longer: ArrayRef = Arc::new(StringArray::from(vec!["abcdef", ""]));
    let changed = RecordBatch::try_new(first.schema(), vec![longer]).unwrap();
    let array = npy_arrow::dyn_array(&changed, &Options::new()).unwrap();
    assert_eq!(array.dtype().to_string(), "[('s', '<U6')]");
}

/// Guards batches of a file: all rows once, only the columns asked for, in both orders.
#[test]
fn files_are_read_in_batches() {
    let records = array(RECORDS[1], &[10]);
    let mut file = Vec::new();
    records.write_npy_to(&mut file).unwrap();
    let whole = npy_arrow::record_batch(&records, &Options::new()).unwrap();
    let batches =
        Batches::new(Reader::new(&file[..]).unwrap(), &Options::new()).unwrap().with_rows(4);
    assert_eq!(batches.schema(), whole.schema());
    let parts: Vec<RecordBatch> = batches.map(Result::unwrap).collect();
    assert_eq!(parts.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [4, 4, 2]);
    assert_eq!(parts[1], whole.slice(4, 4));
    let samples = Batches::new(Reader::new(&file[..]).unwrap(), &Options::new())
        .unwrap()
        .project(&[1])
        .unwrap();
    for batch in samples {
        assert_eq!(batch.unwrap(), whole.project(&[1]).unwrap());
    }
    let fortran = array("<i4", &[5, 2]).to_order(Order::Fortran).unwrap();
    let mut file = Vec::new();
    fortran.write_npy_to(&mut file).unwrap();
    let batches =
        Batches::new(Reader::new(&file[..]).unwrap(), &Options::new()).unwrap().with_rows(3);
    let parts: Vec<RecordBatch> = batches.map(Result::unwrap).collect();
    let whole = npy_arrow::record_batch(&fortran, &Options::new()).unwrap();
    assert_eq!((parts[0].clone(), parts[1].clone()), (whole.slice(0, 3), whole.slice(3, 2)));
    // A file that ends early is an error, and then there are no more batches.
    let mut cut =
        Batches::new(Reader::new(&file[..file.len() - 1]).unwrap(), &Options::new()).unwrap();
    assert!(cut.next().unwrap().is_err());
}

/// Guards that the numbers of a mapped file are not copied, and that they are right where they have to be.
#[test]
fn maps_are_not_copied() {
    let directory = tempfile::tempdir().unwrap();
    for (descr, shape, is_shared) in [
        ("<f8", &[1000][..], true),
        ("<i2", &[10, 3], true),
        (">f8", &[10], false),
        ("[('x', '<f8')]", &[10], false),
    ] {
        let path = directory.path().join("x.npy");
        let array = array(descr, shape);
        array.write_npy(&path).unwrap();
        // SAFETY: the file is ours alone.
        #[allow(unsafe_code)]
        let map = unsafe { MapAny::open(&path).unwrap() };
        let mapped = map.as_bytes().as_ptr_range();
        let batch = npy_arrow::map_batch(map, &Options::new()).unwrap();
        let mut data = batch.column(0).to_data();
        if let DataType::FixedSizeList(..) = data.data_type() {
            data = data.child_data()[0].clone();
        }
        let is_there = mapped.contains(&data.buffers()[0].as_ptr());
        assert_eq!(is_there, is_shared && cfg!(target_endian = "little"), "{descr}");
        assert_eq!(npy_arrow::dyn_array(&batch, &Options::new()).unwrap(), array, "{descr}");
    }
}

/// Guards archives: members are columns, and keep their dimensions.
#[test]
fn members_of_archives_are_columns() {
    let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new())).unwrap();
    for (name, descr, shape) in
        [("x", ">f8", &[4][..]), ("image", "|u1", &[4, 2, 3]), ("r", RECORDS[0], &[4])]
    {
        writer.write(name, &array(descr, shape)).unwrap();
    }
    let reader = npz::Reader::new(writer.finish().unwrap()).unwrap();
    let batch = npy_arrow::npz_batch(&reader, &Options::new()).unwrap();
    let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new())).unwrap();
    npy_arrow::write_npz(&batch, &mut writer, &Options::new()).unwrap();
    let again = npz::Reader::new(writer.finish().unwrap()).unwrap();
    for name in ["x", "image", "r"] {
        assert_eq!(
            again.read::<DynArray>(name).unwrap(),
            reader.read::<DynArray>(name).unwrap(),
            "{name}"
        );
    }
    let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new())).unwrap();
    writer.write("a", &[1, 2]).unwrap();
    writer.write("b", &[1, 2, 3]).unwrap();
    let reader = npz::Reader::new(writer.finish().unwrap()).unwrap();
    let error = npy_arrow::npz_batch(&reader, &Options::new()).unwrap_err().to_string();
    assert_eq!(error, "column \"b\": it has 3 rows, and the members before it 2");
}

/// Guards columns that were changed by others: their own type counts, not the old dtype.
#[test]
fn columns_of_another_type_forget_their_dtype() {
    let first =
        npy_arrow::record_batch(&array("[('a', '>i4'), ('b', '>i2')]", &[2]), &Options::new())
            .unwrap();
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![0.5, 1.5]));
    let mut schema = (*first.schema()).clone();
    let changed = schema.field(0).clone().with_data_type(DataType::Float64);
    schema.fields = [Arc::new(changed), schema.fields[1].clone()].into_iter().collect();
    let batch =
        RecordBatch::try_new(Arc::new(schema), vec![floats, first.column(1).clone()]).unwrap();
    let array = npy_arrow::dyn_array(&batch, &Options::new()).unwrap();
    assert_eq!(array.dtype().to_string(), "[('a', '<f8'), ('b', '>i2')]");
    assert_eq!(batch.column(0).as_primitive::<Float64Type>().value(1), 1.5);
}

/// Guards text with nulls, which NumPy has only as objects.
#[test]
fn objects_are_text_with_nulls() {
    let texts = vec![Some("a".to_owned()), None, Some("\u{e9}".to_owned())];
    let mut file = Vec::new();
    texts.write_npy_to(&mut file).unwrap();
    let array: DynArray = npy_core::ReadNpy::read_npy_from(&file[..]).unwrap();
    let batch = npy_arrow::record_batch(&array, &Options::new()).unwrap();
    assert_eq!(batch.column(0).as_string::<i32>(), &StringArray::from(texts.clone()));
    assert_eq!(npy_arrow::dyn_array(&batch, &Options::new()).unwrap(), array);
    // Text of others with nulls, as members of an archive.
    let column: ArrayRef = Arc::new(LargeStringArray::from(texts.clone()));
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    let batch = batch_of(vec![("s", column), ("n", numbers)]);
    let mut objects = Options::new();
    objects.objects(true);
    let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new())).unwrap();
    npy_arrow::write_npz(&batch, &mut writer, &objects).unwrap();
    let reader = npz::Reader::new(writer.finish().unwrap()).unwrap();
    assert_eq!(reader.read::<Vec<Option<String>>>("s").unwrap(), texts);
    assert_eq!(npy_arrow::npz_batch(&reader, &objects).unwrap().column(0).null_count(), 1);
    let error = npy_arrow::dyn_array(&batch, &objects).unwrap_err().to_string();
    assert!(error.starts_with("column \"s\": text with nulls becomes Python objects"), "{error}");
    let numbers = vec![Some(1i64), None];
    let mut file = Vec::new();
    numbers.write_npy_to(&mut file).unwrap();
    let array: DynArray = npy_core::ReadNpy::read_npy_from(&file[..]).unwrap();
    assert!(npy_arrow::record_batch(&array, &Options::new()).is_err());
}

/// Guards rows without elements, which have no bytes to count them by, and the size of batches of large rows.
#[test]
fn batches_count_rows_of_any_size() {
    let empty = DynArray::new("<i4".parse().unwrap(), [5, 0], Order::C, Vec::new()).unwrap();
    let mut file = Vec::new();
    empty.write_npy_to(&mut file).unwrap();
    let batches = Batches::new(Reader::new(&file[..]).unwrap(), &Options::new()).unwrap();
    let rows: Vec<usize> = batches.with_rows(3).map(|batch| batch.unwrap().num_rows()).collect();
    assert_eq!(rows, [3, 2]);

    let large =
        DynArray::new("|u1".parse().unwrap(), [5, 4 << 20], Order::C, vec![1; 20 << 20]).unwrap();
    let mut file = Vec::new();
    large.write_npy_to(&mut file).unwrap();
    let batches = Batches::new(Reader::new(&file[..]).unwrap(), &Options::new()).unwrap();
    let rows: Vec<usize> = batches.map(|batch| batch.unwrap().num_rows()).collect();
    assert_eq!(rows, [2, 2, 1]);
}

/// Guards the memory for elements of zero bytes: a header of 128 bytes can state any number of them.
#[test]
fn elements_of_no_bytes_are_limited() {
    for dtype in ["|S0", "<U0"] {
        let array = DynArray::new(dtype.parse().unwrap(), [1 << 40], Order::C, Vec::new()).unwrap();
        let error = npy_arrow::record_batch(&array, &Options::new()).unwrap_err().to_string();
        assert!(error.contains("1099511627776 elements of zero bytes exceed the limit"), "{error}");
        let few = DynArray::new(dtype.parse().unwrap(), [3], Order::C, Vec::new()).unwrap();
        assert_eq!(npy_arrow::record_batch(&few, &Options::new()).unwrap().num_rows(), 3);
    }
}

/// Guards batches of rows of no bytes, which would never end: 2^60 rows are 2^47 batches.
#[test]
fn batches_of_rows_of_no_bytes_are_limited() {
    for (dtype, shape) in [("|V0", &[1 << 60][..]), ("<f8", &[1 << 50, 0]), ("|V0", &[1 << 60, 2])]
    {
        let array = DynArray::new(dtype.parse().unwrap(), shape, Order::C, Vec::new()).unwrap();
        let mut file = Vec::new();
        array.write_npy_to(&mut file).unwrap();
        let refused = Batches::new(Reader::new(&file[..]).unwrap(), &Options::new()).unwrap_err();
        let refused = refused.to_string();
        let expected = format!("{} rows of zero bytes exceed the limit", shape[0]);
        assert!(refused.contains(&expected), "{refused}");
    }
}

/// Guards tensors as pyarrow writes them: with a permutation, also one that changes nothing.
#[test]
fn permutations_that_change_nothing_keep_the_dimensions() {
    let numbers = Arc::new(Int32Array::from_iter_values(0..12)) as ArrayRef;
    let item = Arc::new(Field::new("item", DataType::Int32, false));
    let list: ArrayRef = Arc::new(FixedSizeListArray::new(item, 6, numbers, None));
    for (permutation, dtype) in [("0,1", "('<i4', (2, 3))"), ("1, 0", "('<i4', (6,))")] {
        let json = format!("{{\"shape\":[2,3],\"permutation\":[{permutation}]}}");
        let field = Field::new("x", list.data_type().clone(), false).with_metadata(
            [("name", "arrow.fixed_shape_tensor"), ("metadata", &json)]
                .map(|(key, value)| (format!("ARROW:extension:{key}"), value.to_owned()))
                .into(),
        );
        let array = npy_arrow::column(&list, &field, &Options::new()).unwrap();
        let inner: Vec<String> = array.shape()[1..].iter().map(|n| format!("{n}")).collect();
        let inner = if inner.len() == 1 { format!("{},", inner[0]) } else { inner.join(", ") };
        assert_eq!(format!("('{}', ({inner}))", array.dtype()), dtype);
    }
}

/// Guards the dtypes of the fields of a record, which the metadata of its column state, and what a dictionary of bytes and of nulls becomes.
#[test]
fn fields_of_records_keep_the_dtype_of_their_column() {
    let text = Arc::new(StringArray::from(vec!["ab"])) as ArrayRef;
    let fields = vec![Field::new("s", DataType::Utf8, false)];
    let record: ArrayRef = Arc::new(StructArray::new(fields.into(), vec![text], None));
    let field = Field::new("r", record.data_type().clone(), false)
        .with_metadata([(npy_arrow::DESCR.to_owned(), "[('s', '<U8')]".to_owned())].into());
    let array = npy_arrow::column(&record, &field, &Options::new()).unwrap();
    assert_eq!(array.dtype().to_string(), "[('s', '<U8')]");

    let keys = Int32Array::from(vec![Some(0), None]);
    let values = Arc::new(StringArray::from(vec!["ab"])) as ArrayRef;
    let dictionary: ArrayRef = Arc::new(DictionaryArray::new(keys.clone(), values));
    let field = Field::new("d", dictionary.data_type().clone(), true);
    let mut objects = Options::new();
    objects.objects(true);
    let array = npy_arrow::column(&dictionary, &field, &objects).unwrap();
    assert_eq!(array.dtype().to_string(), "|O");
    let bytes = Arc::new(BinaryArray::from(vec![&b"ab"[..]])) as ArrayRef;
    let dictionary: ArrayRef = Arc::new(DictionaryArray::new(Int32Array::from(vec![0, 0]), bytes));
    let array = npy_arrow::dyn_array(&batch_of(vec![("d", dictionary)]), &Options::new()).unwrap();
    assert_eq!(array.dtype().to_string(), "[('d', '|S2')]");
}
