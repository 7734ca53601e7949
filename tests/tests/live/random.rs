//! Ten thousand random dtypes: NumPy saves arrays of them, one after the other in one file, and prints the items.

use npy_core::Value;

use super::*;

/// Generates dtypes and items, saves them, and prints the items: numbers as their bits, text as its code points.
const SCRIPT: &str = r#"
import struct
rng = random.Random(2)
KINDS = '? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 f16 c8 c16 c32 S0 S1 S7 U0 U2 V0 V3 M8 M8[ns] M8[3W] m8[s] m8'.split()
POOL = ['a', 'b', 'c', 'x y', 'é', '整', "it's", '"', '\\', '\n', '\ud800', 'Name', '_', '0', 'f0', '\U0001f600', 'a.b']
SHAPES = [(), (0,), (1,), (3,), (0, 3), (2, 3), (1, 4), (4, 1), (2, 1, 3), (2, 0, 3)]

def shape():
    return tuple(rng.choice((0, 1, 2, 2, 3)) for _ in range(rng.randrange(1, 4)))

def draw(depth):
    if depth == 0 or rng.random() < 0.5:
        return np.dtype(rng.choice('<>') + rng.choice(KINDS))
    if rng.random() < 0.2:
        return several(draw(depth - 1))
    return record(depth)

def several(base):
    # NumPy has no sub-array of items of no bytes.
    return np.dtype((base, shape())) if base.itemsize else base

def record(depth):
    names = rng.sample(POOL, rng.randrange(6))
    formats = [several(f) if rng.random() < 0.3 else f for f in (draw(depth - 1) for _ in names)]
    titles = [rng.choice((f'title {name}', i)) if rng.random() < 0.2 else None for i, name in enumerate(names)]
    if rng.random() < 0.3:
        offsets, end = [], 0
        for f in formats:
            offsets.append(end + rng.choice((0, 0, 1, 5)))
            end = offsets[-1] + f.itemsize
        return np.dtype(dict(names=names, formats=formats, titles=titles, offsets=offsets, itemsize=end + rng.choice((0, 3))))
    fields = [((t, n) if t is not None else n, f) for t, n, f in zip(titles, names, formats)]
    return np.dtype(fields, align=rng.random() < 0.4)

def filled(dtype, shape, order):
    n = int(np.prod(shape, dtype=int))
    if n == 0 or dtype.itemsize == 0:
        return np.zeros(shape, dtype, order)
    # Zeros now and then: text ends with them, and numbers are small.
    data = bytes(b if rng.random() < 0.6 else 0 for b in rng.randbytes(n * dtype.itemsize))
    return np.frombuffer(data, dtype).reshape(shape, order=order)

def double(x):
    return 'nan' if x != x else struct.pack('>d', x).hex()

def items(a):
    if a.ndim:
        return '[' + ' '.join(items(a[i, ...]) for i in range(a.shape[0])) + ']'
    kind, size, raw = a.dtype.kind, a.dtype.itemsize, a.tobytes()
    if a.dtype.names is not None:
        return '(' + ' '.join(items(a[name]) for name in a.dtype.names) + ')'
    if kind in 'Mm':
        return str(int(a.view(a.dtype.str[0] + 'i8')[()]))
    if kind == 'U':
        # Of random bytes NumPy can make no `str`.
        points = list(np.frombuffer(raw, a.dtype.str[0] + 'u4')) if size else []
        while points and points[-1] == 0:
            points.pop()
        return 'u' + ','.join(str(int(c)) for c in points)
    value = a[()]
    if kind in 'biu':
        return str(int(value))
    if kind == 'f' and size <= 8:
        return double(float(value))
    if kind == 'c' and size <= 16:
        return double(float(value.real)) + ',' + double(float(value.imag))
    if kind in 'fc' and a.dtype.str[0] == '>':
        # Long doubles: the bytes of each part, the lowest first.
        half = len(raw) if kind == 'f' else len(raw) // 2
        raw = raw[:half][::-1] + raw[half:][::-1]
    return (bytes(value) if kind == 'S' else raw).hex() or '-'

with open('all', 'wb') as f:
    for _ in range(rounds):
        dtype = draw(3)
        while dtype.subdtype:
            dtype = dtype.base
        a = filled(dtype, rng.choice(SHAPES), rng.choice('CF'))
        np.save(f, a, allow_pickle=False)
        print(items(a))
"#;

fn double(x: f64) -> String {
    if x.is_nan() { "nan".into() } else { format!("{:016x}", x.to_bits()) }
}

fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "-".into();
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Formats an item as the script does.
fn item(value: Value<'_>) -> String {
    let list = |values: Vec<String>| values.join(" ");
    match value {
        Value::Bool(x) => u8::from(x).to_string(),
        Value::Int(x) => x.to_string(),
        Value::UInt(x) => x.to_string(),
        Value::F16(x) | Value::F32(x) => double(x.into()),
        Value::F64(x) => double(x),
        Value::Complex32(re, im) => format!("{},{}", double(re.into()), double(im.into())),
        Value::Complex64(re, im) => format!("{},{}", double(re), double(im)),
        Value::DateTime(count, _) | Value::TimeDelta(count, _) => count.to_string(),
        Value::Str(text) => {
            let points: Vec<_> = text.code_points().map(|c| c.to_string()).collect();
            format!("u{}", points.join(","))
        }
        Value::Bytes(bytes) | Value::Void(bytes) => hex(bytes),
        Value::LongDouble(x) => hex(&x.0),
        Value::ComplexLongDouble(re, im) => hex(&[re.0, im.0].concat()),
        Value::Record(record) => {
            format!("({})", list(record.iter().map(|(_, value)| item(value)).collect()))
        }
        Value::Array(array) => format!("[{}]", list(array.iter().map(item).collect())),
        other => panic!("{other:?}"),
    }
}

/// Formats the items with a pair of brackets for each dimension.
fn items(array: &DynArray, index: &mut Vec<usize>) -> String {
    let Some(&n) = array.shape().get(index.len()) else {
        return item(array.get(index).unwrap());
    };
    let parts: Vec<String> = (0..n)
        .map(|i| {
            index.push(i);
            let part = items(array, index);
            index.pop();
            part
        })
        .collect();
    format!("[{}]", parts.join(" "))
}

#[test]
fn random_dtypes_are_numpys_in_bytes_and_values() {
    let dir = tempfile::tempdir().unwrap();
    let rounds = npy_tests::rounds(10_000);
    let listing = python(&format!("rounds = {rounds}\n{SCRIPT}"), dir.path());
    let all = std::fs::read(dir.path().join("all")).unwrap();
    let mut rest = &all[..];
    let mut count = 0;
    for line in listing.lines() {
        let before = rest;
        let array = DynArray::read_npy_from(&mut rest).unwrap();
        let mut again = Vec::new();
        array.write_npy_to(&mut again).unwrap();
        let what = format!("{} {:?}", array.dtype(), array.shape());
        assert_same_bytes(&again, &before[..before.len() - rest.len()], &what);
        assert_eq!(items(&array, &mut Vec::new()), line, "{what}");
        let in_order: Vec<_> = array.iter().map(item).collect();
        let flat = |text: &str| text.replace(['[', ']', '(', ')', ' '], "");
        assert_eq!(flat(&in_order.join("")), flat(line), "{what}");
        count += 1;
    }
    assert!(rest.is_empty());
    assert_eq!(count, rounds);
}
