//! Record batches, judged by pyarrow: what either writes as Arrow's IPC, the other reads as the same values.

use std::fs::File;
use std::path::Path;

use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use npy_arrow::Options;
use npy_arrow::arrow_array::RecordBatch;
use npy_core::{DynArray, ReadNpy, WriteNpy};
use npy_tests::Numpy;

fn python(script: &str, directory: &Path) -> String {
    let start = "import os, sys\nimport numpy as np\nos.chdir(sys.argv[1])\n";
    Numpy::run(&format!("{start}{script}"), &[directory.as_os_str()])
}

fn write(path: &Path, batch: &RecordBatch) {
    let mut writer = FileWriter::try_new(File::create(path).unwrap(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

fn read(path: &Path) -> RecordBatch {
    let mut reader = FileReader::try_new(File::open(path).unwrap(), None).unwrap();
    let batch = reader.next().unwrap().unwrap();
    assert!(reader.next().is_none());
    batch
}

/// The arrays of this test, and the types that pyarrow shall see.
const ARRAYS: &str = r#"
import pyarrow as pa, pyarrow.ipc
L = lambda t, n: pa.list_(pa.field('item', t, True), n)
# pyarrow's tensors do not say that no element is null.
T = lambda t, n: pa.list_(t, n)
second, day = pa.timestamp('s'), pa.date32()
cases = []
def case(array, *types):
    cases.append((array, types))
rng = np.random.default_rng(1)
numbers = 'i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8'.split()
arrow = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(), pa.float16(), pa.float32(), pa.float64()]
for descr, t in zip(numbers, arrow):
    for order in '<>':
        case(rng.integers(0, 100, 7).astype(order + descr), t)
case(np.array([True, False, True]), pa.bool_())
case(np.array([1 + 2j, -3.5j], '>c8'), L(pa.float32(), 2))
case(np.array([1 + 2j, -3.5j], '<c16'), L(pa.float64(), 2))
case(np.array([b'ab', b'', b'abc'], 'S3'), pa.binary())
case(np.array(['\u00e9\U0001f600', '', 'abc'], '>U4'), pa.string())
case(np.array([b'ab\0', b'\0\0c'], 'V3'), pa.binary(3))
moments = [None, '1969-12-31T23', '2000-02-29T12']
for unit, t in [('h', second), ('m', second), ('s', second), ('25s', second), ('ms', pa.timestamp('ms')), ('us', pa.timestamp('us')), ('ns', pa.timestamp('ns'))]:
    case(np.array(moments, f'>M8[{unit}]'), t)
for unit in ['D', 'W', 'M', 'Y', '7D']:
    case(np.array([None, '1969-12', '2000-02'], 'M8[M]').astype(f'M8[{unit}]'), day)
for unit, t in [('W', pa.duration('s')), ('D', pa.duration('s')), ('h', pa.duration('s')), ('s', pa.duration('s')), ('10ms', pa.duration('ms')), ('us', pa.duration('us')), ('ns', pa.duration('ns'))]:
    case(np.array([1, -2, 'NaT'], 'm8[s]').view('i8').view(f'm8[{unit}]'), t)
case(np.array([5, 'NaT'], 'm8[ps]'), pa.int64())
record = np.dtype({'names': ['id', 'x', 'xyz', 'in'], 'formats': ['<i4', '>f8', ('<f4', (2, 3)), [('a', '|u1'), ('t', '<M8[s]')]], 'offsets': [0, 8, 16, 48], 'itemsize': 64})
rows = np.zeros(2, record)
rows[0] = (1, 0.5, [[1, 2, 3], [4, 5, 6]], (7, np.datetime64('NaT')))
rows[1] = (2, -1.5, [[0, 0, 0], [1, 1, 1]], (8, np.datetime64('2000-01-01')))
case(rows, pa.int32(), pa.float64(), T(pa.float32(), 6), pa.struct([pa.field('a', pa.uint8(), False), pa.field('t', second)]))
case(np.arange(24, dtype='>i2').reshape(4, 3, 2), T(pa.int16(), 6))
case(np.asfortranarray(np.arange(6.).reshape(3, 2)), T(pa.float64(), 2))
case(np.zeros((0, 2)), T(pa.float64(), 2))

# Tensors are lists with a name.
plain = lambda t: t.storage_type if isinstance(t, pa.BaseExtensionType) else t

def equal(value, got):
    """Whether a value of NumPy is the value of Arrow."""
    if isinstance(value, np.void) and value.dtype.names:
        return all(equal(value[name], got[name]) for name in value.dtype.names)
    if isinstance(value, np.ndarray):
        return all(equal(v, g) for v, g in zip(value.ravel(), got)) and value.size == len(got)
    if isinstance(value, (np.datetime64, np.timedelta64)):
        if np.isnat(value):
            return got is None
        if isinstance(got, int):
            return value == np.timedelta64(got, 'ps')
        unit = 'D' if type(got).__name__ == 'date' else 'us'
        kind = type(value)
        return kind(got, unit) == value if not hasattr(got, 'value') else got.value == value.astype(f'{value.dtype.kind}8[ns]').view('i8')
    if isinstance(value, np.complexfloating):
        return got == [value.real, value.imag]
    if isinstance(value, np.void):
        return got == value.tobytes()
    return value == got
"#;

/// Guards each line of the table of types, in both directions, and the bytes of NumPy when they come back through pyarrow.
#[test]
fn pyarrow_sees_the_values_of_numpy() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str, i: usize| directory.path().join(format!("{name}{i}"));
    let script = format!(
        "{ARRAYS}\nfor i, (array, _) in enumerate(cases):\n    np.save(open(f'n{{i}}', 'wb'), array)\nprint(len(cases))"
    );
    let count: usize = python(&script, directory.path()).trim().parse().unwrap();
    assert!(count > 50);
    for i in 0..count {
        let array = DynArray::read_npy(at("n", i)).unwrap();
        write(&at("a", i), &npy_arrow::record_batch(&array, &Options::new()).unwrap());
    }
    let script = format!(
        r#"{ARRAYS}
for i, (array, types) in enumerate(cases):
    table = pa.ipc.open_file(f'a{{i}}').read_all()
    got = tuple(plain(t) for t in table.schema.types)
    assert got == types, (array.dtype, got, types)
    columns = [array[name] for name in array.dtype.names] if array.dtype.names else [array]
    for column, values in zip(table.columns, columns):
        if isinstance(column.type, pa.BaseExtensionType):
            assert column.type.shape == list(values.shape[1:]), (array.dtype, column.type)
            column = pa.chunked_array([c.storage for c in column.chunks], plain(column.type))
        values = list(values)
        assert len(values) == len(column)
        for value, got in zip(values, column.to_pylist()):
            assert equal(value, got), (array.dtype, value, got)
    with pa.ipc.new_file(f'b{{i}}', table.schema) as file:
        file.write_table(table)
"#
    );
    python(&script, directory.path());
    for i in 0..count {
        let array = DynArray::read_npy(at("n", i)).unwrap();
        let batch = match array.shape() {
            // A table without rows has no batches.
            [0, ..] => continue,
            _ => read(&at("b", i)),
        };
        let back = npy_arrow::dyn_array(&batch, &Options::new()).unwrap();
        assert_eq!(back, array.to_order(npy_core::Order::C).unwrap());
    }
}

/// Guards tables that pandas and pyarrow made: the array is the one that they make for NumPy.
#[test]
fn tables_of_pyarrow_become_records() {
    let directory = tempfile::tempdir().unwrap();
    const TABLE: &str = r#"
import pandas as pd, pyarrow as pa, pyarrow.ipc
frame = pd.DataFrame({
    'id': np.arange(4, dtype='i4'), 'x': [0.5, np.nan, 2, 3], 'name': ['a', '\u00e9\u00e9', '', 'xyz'],
    'kind': pd.Categorical(['p', 's', 'p', 'p']), 't': pd.to_datetime(['2000-01-01', None, '1950-06-01', '2020-02-02']),
    'flag': [True, False, True, True], 'd': pd.to_timedelta([1, 2, None, 4], 's')})
"#;
    let make = "table = pa.Table.from_pandas(frame, preserve_index=False)\nwith pa.ipc.new_file('t', table.schema) as f:\n    f.write_table(table)";
    python(&format!("{TABLE}{make}"), directory.path());
    let batch = read(&directory.path().join("t"));
    let array = npy_arrow::dyn_array(&batch, &Options::new()).unwrap();
    array.write_npy(directory.path().join("t.npy")).unwrap();
    let check = r#"
a = np.load('t.npy')
assert list(a.dtype.names) == list(frame.columns)
assert a['name'].dtype == '<U3' and a['kind'].dtype == '<U1', a.dtype
for name in frame:
    want = frame[name].astype(object if frame[name].dtype.name in ('category', 'str', 'object') else frame[name].dtype).to_numpy()
    got = a[name]
    if got.dtype.kind in 'mMf':
        assert got.dtype == want.dtype, (name, got.dtype, want.dtype)
        np.testing.assert_array_equal(got, want)
    else:
        assert list(got) == list(want), name
"#;
    python(&format!("{TABLE}{check}"), directory.path());
}

/// Guards the file of a pandas frame with text: each column is the one that pyarrow makes of the frame.
#[test]
fn a_frame_with_text_is_a_batch() {
    let directory = tempfile::tempdir().unwrap();
    let make = r#"
import pandas as pd, pyarrow as pa
frame = pd.DataFrame({
    'name': pd.Series(['RJOB', None, 'größe'], dtype=object), 'time': np.array(['2024-01-31T10:00:00.5', 'NaT', '1969-01-01'], 'M8[ns]'),
    'n': np.array([1, -2, 3], 'i2'), 'x': [0.5, np.nan, 2.0], 'on': [True, False, True], 'more': pd.Series(['', 'a', 'b'], dtype=object),
})
"#;
    let save = "np.save('f.npy', frame.to_records(index=False))";
    python(&format!("{make}{save}"), directory.path());
    let array = DynArray::read_npy(directory.path().join("f.npy")).unwrap();
    let batch = npy_arrow::record_batch(&array, &Options::new()).unwrap();
    write(&directory.path().join("f.arrow"), &batch);
    let check = r#"
got = pa.ipc.open_file('f.arrow').read_all()
assert got.column_names == list(frame.columns)
for name in frame:
    want = pa.array(frame[name], from_pandas=name != 'x')
    column = got[name].combine_chunks()
    assert column.cast(want.type).equals(want) or name == 'x' and str(column) == str(want), (name, column, want)
assert got['name'].type == pa.string() and got['n'].type == pa.int16()
"#;
    python(&format!("{make}{check}"), directory.path());
    // The way back has texts of a width.
    let back = npy_arrow::dyn_array(&batch.project(&[2, 5]).unwrap(), &Options::new()).unwrap();
    assert_eq!(back.dtype().to_string(), "[('n', '<i2'), ('more', '<U1')]");
}
