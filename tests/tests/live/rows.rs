//! Rows of a width known at run time, data without a header, and arrays in parts: NumPy reads and writes the same.

use npy_core::{Decoder, RowWriter, Writer};

use super::*;

/// Guards files that are written row by row: they are what `np.save` writes, and grow as if NumPy had saved all rows.
#[test]
fn numpy_saves_the_rows_that_we_write() {
    let dir = tempfile::tempdir().unwrap();
    let create = |name: &str, options: &WriteOptions, row: &[usize]| {
        let path = dir.path().join(format!("{name}.npy"));
        options.create_rows::<f32>(path, row).unwrap()
    };
    let mut big = WriteOptions::new();
    big.byte_order(ByteOrder::Big);
    let plain = WriteOptions::new();
    for (name, options, row, count) in [
        ("none", &plain, &[3][..], 0_u16),
        ("wide", &plain, &[100_000], 3),
        ("narrow", &big, &[1], 5),
        ("deep", &big, &[2, 3, 4], 50),
        ("empty", &plain, &[0], 4),
        ("flat", &plain, &[2, 0], 2),
    ] {
        let mut writer = create(name, options, row);
        let size = row.iter().product::<usize>();
        for i in 0..count {
            let row: Vec<f32> = (0..size).map(|j| f32::from(i) * 1000.0 + j as f32).collect();
            writer.push_row(&row).unwrap();
            // Rows that are killed here are in the file: they were flushed.
            if i == 2 {
                writer.flush().unwrap();
            }
        }
        writer.finish().unwrap();
    }
    let script = r"
def rows(count, shape, dtype):
    size = int(np.prod(shape))
    a = np.arange(count, dtype='f4')[:, None] * 1000 + np.arange(size, dtype='f4')[None, :]
    return a.reshape((count,) + shape).astype(dtype)
for name, a in [
    ('none', rows(0, (3,), '<f4')), ('wide', rows(3, (100000,), '<f4')), ('narrow', rows(5, (1,), '>f4')),
    ('deep', rows(50, (2, 3, 4), '>f4')), ('empty', rows(4, (0,), '<f4')), ('flat', rows(2, (2, 0), '<f4')),
]:
    b = np.load(name + '.npy')
    assert b.shape == a.shape and b.dtype == a.dtype and (a == b).all(), name
    np.save('again.npy', a)
    assert open('again.npy', 'rb').read() == open(name + '.npy', 'rb').read(), name
    # For the next step: NumPy saves the first half.
    np.save(name + '.npy', a[:len(a) // 2])
    np.save(name + '_whole.npy', a)
";
    python(script, dir.path());
    for (name, count) in
        [("none", 0), ("wide", 3), ("narrow", 5), ("deep", 50), ("empty", 4), ("flat", 2)]
    {
        let whole = dir.path().join(format!("{name}_whole.npy"));
        let half = dir.path().join(format!("{name}.npy"));
        let mut reader = Reader::open(&whole).unwrap();
        let mut rows = reader.rows::<f32>().unwrap();
        let mut writer = RowWriter::<f32>::append(&half).unwrap();
        assert_eq!((writer.count(), writer.row_shape()), (count / 2, rows.row_shape()));
        rows.next_rows(count / 2).unwrap();
        while let Some(row) = rows.next_row().unwrap() {
            writer.push_row(row).unwrap();
        }
        writer.finish().unwrap();
        assert_same_bytes(&std::fs::read(half).unwrap(), &std::fs::read(whole).unwrap(), name);
    }
}

/// Guards rows, chunks and parts of files that NumPy saved in each order and byte order, with padding too: NumPy's `tobytes` of each row.
#[test]
fn rows_are_those_that_numpy_iterates_over() {
    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    struct Point {
        x: f64,
        y: u8,
    }
    let dir = tempfile::tempdir().unwrap();
    let script = r"
i = 0
with open('list', 'w') as f:
    for shape in [(3, 4), (1, 5), (5, 1), (0, 3), (4, 0), (2, 3, 4), (700, 20), (2, 3, 0), (2, 9000)]:
        n = np.arange(int(np.prod(shape)))
        point = np.zeros(len(n), np.dtype([('y', 'u1'), ('x', '>f8')], align=True))
        point['x'], point['y'] = n, n % 256
        for a in [n.astype('<i4'), n.astype('>i4'), point]:
            for order in 'CF':
                b = a.reshape(shape).copy(order)
                np.save(f'{i}.npy', b)
                kind = 'point' if b.dtype.names else 'int'
                # The rows in C order, one after the other.
                (b['x'] if b.dtype.names else b).astype('<f8').tofile(f'{i}.raw')
                print(kind, *shape, sep='\t', file=f)
                i += 1
";
    python(script, dir.path());
    let list = std::fs::read_to_string(dir.path().join("list")).unwrap();
    for (i, line) in list.lines().enumerate() {
        let (kind, shape) = line.split_once('\t').unwrap();
        let shape: Vec<usize> = shape.split('\t').map(|n| n.parse().unwrap()).collect();
        let path = dir.path().join(format!("{i}.npy"));
        let expected = expected_rows(&dir.path().join(format!("{i}.raw")), &shape);
        for n in [1, 2, 300] {
            let case = format!("{i} {line} {n}");
            let rows = match kind {
                "int" => rows_of::<i32>(&path, n, |&v| f64::from(v)),
                _ => rows_of::<Point>(&path, n, |point| {
                    assert_eq!((point.x % 256.0).to_bits(), f64::from(point.y).to_bits());
                    point.x
                }),
            };
            assert_eq!(rows, expected, "{case}");
            let mut reader = Reader::open(&path).unwrap();
            let (mut chunks, mut count) = (Vec::new(), 0);
            while count < shape[0] {
                let chunk = reader.read_dyn_chunk(n).unwrap();
                assert_eq!(chunk.shape()[1..], shape[1..], "{case}");
                count += chunk.shape()[0];
                match kind {
                    "int" => {
                        chunks.extend(chunk.to_vec::<i32>().unwrap().iter().map(|&v| f64::from(v)))
                    }
                    _ => {
                        chunks.extend(chunk.to_vec::<Point>().unwrap().iter().map(|point| point.x))
                    }
                }
            }
            assert_eq!(chunks, expected, "{case}");
        }
        // The decoder has the order of the file, as `read_array` does.
        let bytes = std::fs::read(&path).unwrap();
        let (header, start) = Header::parse(&bytes).unwrap();
        if kind == "int" {
            let mut decoder = Decoder::<i32>::new(&header).unwrap();
            let mut items = Vec::new();
            for part in bytes[start..].chunks(7) {
                decoder.feed(part, &mut items).unwrap();
            }
            decoder.finish().unwrap();
            let decoded = NpyArray::with_order(items, header.shape(), header.order()).unwrap();
            assert_eq!(decoded, NpyArray::read_npy(&path).unwrap(), "{line}");
        }
    }
}

/// Reads what `tofile` wrote, and checks that its length states the shape.
fn expected_rows(raw: &Path, shape: &[usize]) -> Vec<f64> {
    let dtype: DType = "<f8".parse().unwrap();
    if shape[1..].contains(&0) {
        assert!(Reader::open_headerless(raw, dtype, &shape[1..]).is_err());
        return Vec::new();
    }
    let mut reader = Reader::open_headerless(raw, dtype, &shape[1..]).unwrap();
    assert_eq!(reader.header().shape(), shape);
    reader.read_array().unwrap().into_vec()
}

/// Reads all rows, `n` at a time, and converts their values.
fn rows_of<T: Element>(path: &Path, n: usize, value: impl Fn(&T) -> f64) -> Vec<f64> {
    let mut reader = Reader::open(path).unwrap();
    let mut rows = reader.rows::<T>().unwrap();
    let mut all = Vec::new();
    while let Some(some) = rows.next_rows(n).unwrap() {
        all.extend(some.iter().map(&value));
    }
    assert!(rows.is_empty());
    all
}

/// Guards data without a header: the same bytes as from `tofile`, for arrays of any dtype, shape and order.
#[test]
fn data_without_a_header_is_that_of_tofile() {
    let dir = tempfile::tempdir().unwrap();
    let script = r"
n = np.arange(24)
arrays = [n.astype(d) for d in ['?', 'u1', '<i2', '>i4', '<f2', '>f8', '<c16', 'S3', '<U2', '>U3', '<M8[s]', '>m8[D]', 'V8']]
arrays += [np.zeros(24, [('a', '<i4'), ('b', '>f8', (2,)), ('c', 'S3')])]
arrays[-1]['a'], arrays[-1]['b'] = n, n[:, None] / 4
i = 0
for a in arrays:
    for shape in [(24,), (4, 6), (2, 3, 4)]:
        for order in 'CF':
            b = a.reshape(shape).copy(order)
            np.save(f'{i}.npy', b)
            b.tofile(f'{i}.raw')
            i += 1
for b in [np.array(7, '>i4'), np.zeros((3, 0))]:
    np.save(f'{i}.npy', b)
    b.tofile(f'{i}.raw')
    i += 1
";
    python(script, dir.path());
    let mut count = 0;
    while let path = dir.path().join(format!("{count}.npy"))
        && path.exists()
    {
        let array = DynArray::read_npy(&path).unwrap();
        let ours = dir.path().join("ours.raw");
        WriteOptions::new().write_headerless(&ours, &array).unwrap();
        let theirs = std::fs::read(path.with_extension("raw")).unwrap();
        let case = (array.dtype(), array.shape(), array.order());
        assert!(std::fs::read(&ours).unwrap() == theirs, "{case:?}");
        count += 1;
    }
    assert_eq!(count, 14 * 6 + 2);
    let file = std::fs::File::create(dir.path().join("streamed.raw")).unwrap();
    let mut writer = Writer::<f32, _>::headerless(file).unwrap();
    writer.extend((0..60_000u16).step_by(2).map(f32::from)).unwrap();
    writer.finish().unwrap();
    let script = "assert (np.fromfile('streamed.raw', '<f4') == np.arange(0, 60_000, 2)).all()";
    python(script, dir.path());
}
