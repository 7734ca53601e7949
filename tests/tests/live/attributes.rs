//! Each attribute of the derive: files equal those of NumPy, and files that NumPy saved in another layout are read.

use npy_core::NpyElement;

use super::we_write::Ours;
use super::*;

#[derive(NpyElement, Debug, Clone, Copy, PartialEq)]
#[repr(i16)]
enum Phase {
    P = -1,
    S = 300,
}

#[derive(NpyElement, Debug, Clone, Copy, PartialEq)]
#[npy(transparent)]
struct Celsius(f32);

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Place {
    #[npy(alias = "latitude")]
    lat: f64,
    #[npy(default)]
    lon: f64,
}

/// Seconds as milliseconds.
mod millis {
    use std::time::Duration;

    pub(super) type Stored = i32;

    pub(super) fn encode(duration: &Duration) -> Stored {
        i32::try_from(duration.as_millis()).unwrap()
    }

    pub(super) fn decode(millis: Stored) -> Duration {
        Duration::from_millis(u64::try_from(millis).unwrap())
    }
}

fn unit() -> f32 {
    1.0
}

/// A struct with an attribute of every kind.
#[derive(NpyRecord, Debug, Clone, PartialEq)]
#[npy(rename_all = "UPPERCASE", itemsize = 120)]
struct Station {
    #[npy(alias = "station", title = "where it stands")]
    id: u16,
    #[npy(width = 6)]
    name: String,
    #[npy(width = 4, bytes, endian = "big")]
    code: String,
    #[npy(width = 3)]
    raw: Vec<u8>,
    #[npy(flatten, endian = "big")]
    place: Place,
    #[npy(skip)]
    note: Option<String>,
    #[npy(with = millis, offset = 64)]
    delay: std::time::Duration,
    #[npy(default = unit)]
    gain: f32,
    phase: Phase,
    #[npy(endian = "big")]
    phases: [Phase; 2],
    heat: Celsius,
    #[npy(default)]
    samples: Box<[[i16; 2]; 3]>,
}

const STATION: &str = "np.dtype({'names': ['ID', 'NAME', 'CODE', 'RAW', 'lat', 'lon', 'DELAY', 'GAIN', 'PHASE', 'PHASES', 'HEAT', 'SAMPLES'], \
    'formats': ['<u2', '<U6', 'S4', 'S3', '>f8', '>f8', '<i4', '<f4', '<i2', ('>i2', 2), '<f4', ('<i2', (3, 2))], \
    'offsets': [0, 2, 26, 30, 33, 41, 64, 68, 72, 74, 78, 82], 'titles': ['where it stands'] + 11 * [None], 'itemsize': 120})";
const ROWS: &str = "[(7, 'né𝄞', 'ab', b'\\0\\xff', 47.5, -12.25, 1500, 2.0, -1, [300, -1], 21.5, [[1, 2], [3, 4], [5, 6]]), \
    (8, '', 'é', b'', 0, -0.0, 1, np.inf, 300, [300, 300], -1, [[0, 0]] * 3)]";

fn stations() -> Vec<Station> {
    vec![
        Station {
            id: 7,
            name: "né𝄞".into(),
            code: "ab".into(),
            raw: vec![0, 0xff],
            place: Place { lat: 47.5, lon: -12.25 },
            note: None,
            delay: std::time::Duration::from_millis(1500),
            gain: 2.0,
            phase: Phase::P,
            phases: [Phase::S, Phase::P],
            heat: Celsius(21.5),
            samples: Box::new([[1, 2], [3, 4], [5, 6]]),
        },
        Station {
            id: 8,
            name: String::new(),
            code: "é".into(),
            raw: vec![],
            place: Place { lat: 0.0, lon: -0.0 },
            note: None,
            delay: std::time::Duration::from_millis(1),
            gain: f32::INFINITY,
            phase: Phase::S,
            phases: [Phase::S; 2],
            heat: Celsius(-1.0),
            samples: Box::new([[0; 2]; 3]),
        },
    ]
}

#[test]
fn attributes_write_what_numpy_saves() {
    let mut ours = Ours::new();
    let rows = ROWS.replace("'é'", "'é'.encode()").replace("'ab'", "b'ab'");
    let py = format!("make({STATION}, {rows})");
    ours.add(&stations(), &py);
    ours.add(&stations()[..0], &format!("{py}[:0]"));
    ours.add(&NpyArray::new(stations(), [1, 2]).unwrap(), &format!("{py}.reshape(1, 2)"));
    ours.add_orders(&[Phase::P, Phase::S], "np.array([-1, 300], 'i2')");
    ours.add_orders(&[Celsius(1.5)], "np.array([1.5], 'f4')");
    ours.add_orders(&[[Celsius(1.5), Celsius(2.5)]], "np.array([[1.5, 2.5]], 'f4')");
    let boxed: Vec<Box<[i16; 2]>> = vec![Box::new([1, 2]), Box::new([3, 4])];
    ours.add_orders(&boxed, "np.array([[1, 2], [3, 4]], 'i2')");
    assert_eq!(ours.assert_numpys(), 11);
}

/// The same rows, saved by NumPy in another layout: other field order and byte order, packed, with unknown fields,
/// narrower numbers, other names, and without the fields that have a default.
#[test]
fn attributes_read_what_numpy_saves() {
    let dir = tempfile::tempdir().unwrap();
    let rows = ROWS.replace("'é'", "'é'.encode()").replace("'ab'", "b'ab'");
    let script = format!(
        r#"
from numpy.lib import recfunctions as rf
a = make({STATION}, {rows})
np.save('same.npy', a)
np.save('packed.npy', rf.repack_fields(a))
np.save('big.npy', big(a))
np.save('little.npy', little(a))
names = list(a.dtype.names)
random.Random(7).shuffle(names)
np.save('shuffled.npy', rf.repack_fields(a[names]))
np.save('extra.npy', rf.append_fields(rf.repack_fields(a), ['X', 'Y'], [[1, 2], [b'x', b'y']], usemask=False))
np.save('aliases.npy', rf.rename_fields(rf.repack_fields(a), {{'ID': 'station', 'lat': 'latitude'}}))
np.save('narrow.npy', rf.repack_fields(a).astype([
    (n, 'u1' if n == 'ID' else 'f2' if n in ('lat', 'lon', 'HEAT') else 'i2' if n == 'DELAY' else 'U3' if n == 'NAME' else a.dtype[n])
    for n in a.dtype.names]))
gaps = a[[n for n in a.dtype.names if n not in ('lon', 'GAIN', 'SAMPLES')]]
np.save('gaps.npy', gaps)
np.save('fewer.npy', rf.repack_fields(gaps))
bad = a.copy()
bad['PHASE'][1] = 2
np.save('bad.npy', bad)
"#
    );
    python(&script, dir.path());
    let read = |name: &str, cast| {
        let path = dir.path().join(format!("{name}.npy"));
        ReadOptions::new().cast(cast).read::<Vec<Station>>(path)
    };
    for name in ["same", "packed", "big", "little", "shuffled", "extra", "aliases"] {
        let rows = read(name, Cast::Exact).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(rows, stations(), "{name}");
    }
    assert!(read("narrow", Cast::Exact).is_err());
    assert_eq!(read("narrow", Cast::Lossless).unwrap(), stations());
    let fewer = stations().into_iter().map(|row| Station {
        place: Place { lon: 0.0, ..row.place },
        gain: 1.0,
        samples: Box::new([[0; 2]; 3]),
        ..row
    });
    let fewer: Vec<_> = fewer.collect();
    assert_eq!(read("fewer", Cast::Exact).unwrap(), fewer);
    assert_eq!(read("gaps", Cast::Exact).unwrap(), fewer);
    let error = read("bad", Cast::Exact).unwrap_err().to_string();
    assert!(error.ends_with("row 1: field \"PHASE\": 2 is not a variant of Phase"), "{error}");
}

/// Guards text whose width in the file is not that of the struct, as NumPy saves it: aligned, big-endian, in sub-arrays, empty.
#[test]
fn text_of_other_widths_is_read() {
    #[derive(NpyRecord, Debug, PartialEq)]
    struct Named {
        id: u16,
        #[npy(width = 300)]
        name: String,
        #[npy(width = 9, bytes)]
        code: String,
    }

    #[derive(NpyRecord, Debug, PartialEq)]
    struct Open {
        id: u16,
        #[npy(width = any)]
        name: String,
        #[npy(width = any, bytes)]
        code: String,
    }

    #[derive(NpyRecord, Debug, PartialEq)]
    struct Pair<T> {
        pair: [T; 2],
    }

    let dir = tempfile::tempdir().unwrap();
    let script = "
for width in (0, 2, 8, 300):
    for align in (False, True):
        dtype = np.dtype([('code', f'S{min(width, 9)}'), ('id', 'u2'), ('name', f'U{width}')], align=align)
        a = np.array([(b'\\0x', 7, 'né𝄞' * 100), (b'', 8, ''), (b'abcdefghi', 9, 'a')] * 500, dtype)
        name = f'{width}{align}'
        np.save(name + '.npy', a)
        np.save(name + 'big.npy', big(a))
        np.save(name + 'pair.npy', np.stack([a, a], 1).view([('pair', a.dtype, 2)])[:, 0])
";
    python(script, dir.path());
    for width in [0, 2, 8, 300] {
        let text: String = "né𝄞".chars().cycle().take(width).collect();
        let short = if width == 0 { "" } else { "a" };
        let code = "abcdefghi".get(..width.min(9)).unwrap();
        let nul = "\0x".get(..width.min(2)).unwrap();
        let rows = [(7, text.as_str(), nul), (8, "", ""), (9, short, code)];
        let row = |i: usize| (rows[i % 3].0, rows[i % 3].1.to_owned(), rows[i % 3].2.to_owned());
        for align in ["False", "True"] {
            let path = |kind: &str| dir.path().join(format!("{width}{align}{kind}.npy"));
            for kind in ["", "big"] {
                let named: Vec<Named> = npy_core::load(path(kind)).unwrap();
                let open: Vec<Open> = npy_core::load(path(kind)).unwrap();
                assert_eq!([named.len(), open.len()], [1500; 2]);
                for (i, (named, open)) in named.into_iter().zip(open).enumerate() {
                    assert_eq!(
                        (named.id, named.name, named.code),
                        row(i),
                        "{width} {align} {kind}"
                    );
                    assert_eq!((open.id, open.name, open.code), row(i), "{width} {align} {kind}");
                }
            }
            let pairs: Vec<Pair<Open>> = npy_core::load(path("pair")).unwrap();
            for (i, [a, b]) in pairs.into_iter().map(|pair| pair.pair).enumerate() {
                assert_eq!(a, b);
                assert_eq!((a.id, a.name, a.code), row(i), "{width} {align} pair");
            }
            let pairs: Vec<Pair<Named>> = npy_core::load(path("pair")).unwrap();
            assert_eq!(pairs.len(), 1500);
        }
    }
}

/// Guards the empty name: NumPy's `np.dtype([('', …)])` calls the field `f0`, but a dtype with names `''` keeps them, also in a file.
#[test]
fn an_empty_name_is_kept_both_ways() {
    #[derive(NpyRecord, Debug, Clone, PartialEq)]
    struct Nested {
        #[npy(rename = "")]
        x: i16,
    }
    #[derive(NpyRecord, Debug, Clone, PartialEq)]
    struct Nameless {
        #[npy(rename = "")]
        value: f32,
        #[npy(title = "raw", rename = "b")]
        bytes: [u8; 2],
        nested: Nested,
    }
    let dir = tempfile::tempdir().unwrap();
    let row = |n: u8| Nameless { value: n.into(), bytes: [n, 9], nested: Nested { x: -1 } };
    vec![row(1), row(2)].write_npy(dir.path().join("ours.npy")).unwrap();
    let script = r#"
inner = np.dtype({'names': [''], 'formats': ['<i2']})
dtype = np.dtype({'names': ['', 'b', 'nested'], 'formats': ['<f4', ('u1', (2,)), inner], 'titles': [None, 'raw', None]})
assert dtype.names[0] == '' and np.dtype([('', '<f4')]).names == ('f0',)
a = np.load('ours.npy')
assert a.dtype == dtype, (a.dtype, dtype)
assert a[''].tolist() == [1, 2] and a['nested'][''].tolist() == [-1, -1], a
np.save('theirs.npy', a)
assert open('ours.npy', 'rb').read() == open('theirs.npy', 'rb').read()
big = a.astype(a.dtype.newbyteorder('>'))
np.save('big.npy', big)
# Raw bytes and sub-arrays of that name are lost: they become padding.
for dtype in 'V2', ('u1', (2,)):
    np.save('lost.npy', np.zeros(1, {'names': ['', 'b'], 'formats': [dtype, 'u1']}))
    assert np.load('lost.npy').dtype.names == ('b',)
"#;
    python(script, dir.path());
    let read = Vec::<Nameless>::read_npy(dir.path().join("big.npy")).unwrap();
    assert_eq!(read, [row(1), row(2)]);
}

/// Guards a single record, which NumPy saves without dimensions.
#[test]
fn a_single_record_of_numpy_is_read_as_the_struct() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
a = np.array([(1.5, 52.0), (2.5, 53.0)], [('lon', '>f8'), ('latitude', '<f8')])
np.save('one.npy', a[1])
np.save('list.npy', a[1:])
"#;
    python(script, dir.path());
    let place = Place::read_npy(dir.path().join("one.npy")).unwrap();
    assert_eq!(place, Place { lat: 53.0, lon: 2.5 });
    assert!(Place::read_npy(dir.path().join("list.npy")).is_err());
}
