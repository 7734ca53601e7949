//! Reading in parts and seeking, in random order: NumPy slices the same arrays.

use super::*;

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Point {
    x: f64,
    y: u8,
}

/// Saves two thousand arrays. Each line is the kind of one, and what is read of it in turn, with the values that NumPy finds there, as the bytes of
/// `<f8`.
const SCRIPT: &str = r"
rng = random.Random(5)
KINDS = ('rows', 'chunk')
POINT = np.dtype([('y', 'u1'), ('x', '>f8')], align=True)

def array():
    most = rng.choice((60, 60, 60, 700, 700, 40_000))
    while True:
        shape = tuple(rng.choice((0, 1, 2, 3, 3, 7, 20, 700, most)) for _ in range(rng.randrange(4)))
        if 0 in shape and rng.random() < 0.7:
            continue
        if np.prod(shape, dtype=int) <= most:
            break
    n = np.arange(np.prod(shape, dtype=int))
    dtype = rng.choice(('<i4', '>i4', '<f8', '>f8', POINT))
    a = np.zeros(len(n), dtype)
    if a.dtype.names:
        a['x'], a['y'] = n, n % 256
    else:
        a[...] = n
    return a.reshape(shape).copy(rng.choice('CF'))

def values(a):
    return (a['x'] if a.dtype.names else a).astype('<f8').tobytes().hex()

def steps(a):
    fortran = a.flags.f_contiguous and not a.flags.c_contiguous
    flat = a.ravel('F' if fortran else 'C')
    # The next element in the order of the file, or the next row, if rows are strided and some were read.
    at, row, size = 0, None, int(np.prod(a.shape[1:], dtype=int))
    for _ in range(rng.randrange(1, 15)):
        is_row = row is not None or (a.ndim > 0 and size > 0 and (at in (0, len(flat)) if fortran else at % size == 0))
        kinds = ['seek', 'seek_to_row'] + ['items', 'items', 'into'] * (row is None) + ['rows', 'chunk'] * (2 if is_row else 0)
        kind = rng.choice(kinds)
        if kind in ('rows', 'chunk'):
            first = row if row is not None else at // size
            n = rng.choice((0, 1, 1, 2, len(a), rng.randrange(len(a) + 2)))
            yield f'{kind if a.ndim > 1 else KINDS[1]} {n} {values(a[first:first + n])}'
            first = min(first + n, len(a))
            at, row = (first * size, None) if not fortran or first in (0, len(a)) else (None, first)
        elif kind in ('items', 'into'):
            n = rng.randrange(len(flat) - at + 1)
            yield f'{kind} {n} {values(flat[at:at + n])}'
            at += n
        elif kind == 'seek':
            rows = (a.shape[-1] if fortran else a.shape[0]) if a.ndim else 1
            to = rng.choice((0, rows, rng.randrange(rows + 1)))
            at, row = (to * (len(flat) // rows) if rows else 0), None
            yield f'seek {to}'
        elif a.ndim:
            first = rng.choice((0, len(a), rng.randrange(len(a) + 1)))
            at, row = (first * size, None) if not fortran or first in (0, len(a)) else (None, first)
            yield f'seek_to_row {first}'

for i in range(2000):
    a = array()
    np.save(f'{i}.npy', a)
    kind = 'point' if a.dtype.names else a.dtype.str[1:]
    print(kind, *steps(a), sep='\t')
";

/// Reads in parts as the steps say, and returns the values as the script prints them.
fn replay<T: Element>(path: &Path, steps: &str, number: impl Fn(&T) -> f64) {
    let hex = |values: &[T]| -> String {
        let bytes = values.iter().flat_map(|value| number(value).to_le_bytes());
        bytes.map(|byte| format!("{byte:02x}")).collect()
    };
    let mut reader = Reader::open(path).unwrap();
    for (i, step) in steps.split('\t').enumerate() {
        let case = || format!("{}, step {i} of {steps:.500}", path.display());
        let mut words = step.split(' ');
        let (kind, n) = (words.next().unwrap(), words.next().unwrap().parse().unwrap());
        let found = match kind {
            "seek" => reader.seek_to(n).map(|()| Vec::new()),
            "seek_to_row" => reader.seek_to_row(n).map(|()| Vec::new()),
            "chunk" => reader.read_dyn_chunk(n).map(|chunk| chunk.to_vec::<T>().unwrap()),
            "items" => reader.records::<T>().and_then(|records| records.take(n).collect()),
            "into" => {
                let mut values = Vec::new();
                reader.read_chunk(&mut values, n).map(|_| values)
            }
            _ => {
                let mut rows = reader.rows::<T>().unwrap();
                let values = rows.next_rows(n).unwrap().map(hex).unwrap_or_default();
                assert_eq!(values, words.next().unwrap(), "{}", case());
                continue;
            }
        };
        let found = found.unwrap_or_else(|error| panic!("{error}: {}", case()));
        assert_eq!(hex(&found), words.next().unwrap_or_default(), "{}", case());
    }
}

/// Guards the position of a reader after any calls, also in Fortran order, where rows are strided: the next call returns NumPy's slice.
#[test]
fn parts_of_an_array_are_numpys_slices() {
    let dir = tempfile::tempdir().unwrap();
    let listing = python(SCRIPT, dir.path());
    let mut count = 0;
    for (i, line) in listing.lines().enumerate() {
        // A single element may have no steps.
        let (kind, steps) = line.split_once('\t').unwrap_or((line, "seek 0"));
        let path = dir.path().join(format!("{i}.npy"));
        match kind {
            "i4" => replay::<i32>(&path, steps, |&value| value.into()),
            "f8" => replay::<f64>(&path, steps, |&value| value),
            _ => replay::<Point>(&path, steps, |point| point.x),
        }
        count += 1;
    }
    assert_eq!(count, 2000);
}
