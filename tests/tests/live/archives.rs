//! Structs as archives: archives of `np.savez` are read into fields, and ours are read by `np.load`.

use std::collections::BTreeMap;

use super::*;
use npy_core::{NpzArchive, npz};

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Pick {
    station: u32,
    time: f64,
}

#[derive(NpzArchive, Debug, PartialEq)]
struct Layer {
    weights: NpyArray<f32>,
    bias: Option<Vec<f64>>,
}

#[derive(NpzArchive, Debug, PartialEq)]
#[npy(rename_all = "camelCase", deny_unknown_fields)]
struct Model {
    epochs: u32,
    learning_rate: f64,
    name: String,
    #[npy(rename = "Größe")]
    size: [i16; 2],
    class_names: Vec<String>,
    picks: Vec<Pick>,
    time: DateTime64<Second>,
    any: DynArray,
    input: Layer,
    hidden: BTreeMap<u8, Layer>,
    output: Option<Layer>,
    #[npy(flatten)]
    extra: Extra,
    #[npy(skip)]
    cached: bool,
}

#[derive(NpzArchive, Debug, PartialEq)]
struct Extra(bool, #[npy(alias = "code")] ByteStr<3>);

fn layer(x: f32, bias: Option<f64>) -> Layer {
    let weights = NpyArray::with_order(vec![x, 1.0, 2.0, 3.0, 4.0, 5.0], [2, 3], Order::Fortran);
    Layer { weights: weights.unwrap(), bias: bias.map(|x| vec![x]) }
}

fn model() -> Model {
    Model {
        epochs: 20,
        learning_rate: 0.5,
        name: "höher".into(),
        size: [-1, 2],
        class_names: vec!["a".into(), "bcd".into()],
        picks: vec![Pick { station: 7, time: 0.25 }],
        time: DateTime64::new(1_000_000_000),
        any: DynArray::new(">i2".parse().unwrap(), [1], Order::C, vec![1, 2]).unwrap(),
        input: layer(0.5, Some(1.5)),
        hidden: BTreeMap::from([(0, layer(1.0, None)), (1, layer(2.0, Some(2.5)))]),
        output: None,
        extra: Extra(true, ByteStr::new("ab").unwrap()),
        cached: false,
    }
}

/// The model in Python.
const MODEL: &str = r#"
def layer(name, x, bias=None):
    made = {name + '/weights': np.array([x, 1, 2, 3, 4, 5], dtype='f4').reshape(2, 3, order='F')}
    if bias is not None:
        made[name + '/bias'] = np.array([bias])
    return made

model = {
    'epochs': np.uint32(20), 'learningRate': 0.5, 'name': 'höher', 'Größe': np.array([-1, 2], dtype='i2'),
    'classNames': np.array(['a', 'bcd']),
    'picks': np.array([(7, 0.25)], dtype=[('station', '<u4'), ('time', '<f8')]),
    'time': np.datetime64(1_000_000_000, 's'), 'any': np.array([258], dtype='>i2'),
    **layer('input', 0.5, 1.5), **layer('hidden/0', 1), **layer('hidden/1', 2, 2.5),
    'arr_0': True, 'arr_1': np.array(b'ab', dtype='S3'),
}
"#;

/// Guards both ways: names, values, dtypes and shapes are those of NumPy.
#[test]
fn structs_are_what_savez_saves() {
    let dir = tempfile::tempdir().unwrap();
    let script = format!(
        "{MODEL}
np.savez('stored', **model)
np.savez_compressed('deflated', **model)
"
    );
    python(&script, dir.path());
    for name in ["stored.npz", "deflated.npz"] {
        assert_eq!(npz::load::<Model>(dir.path().join(name)).unwrap(), model(), "{name}");
    }
    npz::save(dir.path().join("ours.npz"), &model()).unwrap();
    let script = format!(
        "{MODEL}
with np.load('ours.npz') as ours:
    assert ours.files == list(model), ours.files
    for name, value in model.items():
        value, found = np.asarray(value), ours[name]
        assert found.dtype == value.dtype and found.shape == value.shape, (name, found.dtype, found.shape)
        assert found.dtype.byteorder == value.dtype.byteorder, name
        assert found.flags.f_contiguous == value.flags.f_contiguous, name
        assert (found == value).all(), (name, found)
"
    );
    python(&script, dir.path());
}

#[derive(NpzArchive, Debug, PartialEq)]
struct Positional(Vec<i64>, f64, #[npy(rename = "named")] bool);

/// Guards the names of arrays that were saved without one.
#[test]
fn tuples_are_positional_arguments() {
    let dir = tempfile::tempdir().unwrap();
    let positional = Positional(vec![1, 2], 0.5, true);
    python("np.savez('x', np.array([1, 2]), 0.5, named=True)", dir.path());
    assert_eq!(npz::load::<Positional>(dir.path().join("x.npz")).unwrap(), positional);
    npz::save(dir.path().join("x.npz"), &positional).unwrap();
    let script = "
x = np.load('x.npz')
assert sorted(x) == ['arr_0', 'arr_1', 'named'] and x['arr_0'].tolist() == [1, 2] and x['arr_1'] == 0.5 and x['named']
";
    python(script, dir.path());
}
