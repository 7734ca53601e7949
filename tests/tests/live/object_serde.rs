//! Python objects of NumPy and pandas into structs.

use std::collections::HashMap;

use npy_core::object;
use serde::Deserialize;
use serde_json::{Value, json};

use super::*;

#[derive(Deserialize, Debug, PartialEq)]
struct Frame {
    id: i64,
    name: Option<String>,
    x: Option<f64>,
    time: DateTime64<Ns>,
    zoned: DateTime64<Ns>,
    span: TimeDelta64<Ns>,
    flag: Option<bool>,
    text: Option<String>,
    category: String,
}

/// Guards frames of pandas with each kind of column that `to_records` makes, and each of its missing values.
#[test]
fn frames_of_pandas_become_structs() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import pandas as pd
for unit in ['s', 'us', 'ns']:
    zoned = pd.Series(pd.to_datetime(['2001-02-03T04:05:06', 'NaT', '2020-06-01'], format='ISO8601')).dt.tz_localize('Europe/Berlin')
    frame = pd.DataFrame({
        'id': [1, 2, 3],
        'name': pd.Series(['spam', None, 'eggs'], dtype=object),
        'x': [0.5, np.nan, 2.0],
        'time': pd.to_datetime(['2001-02-03T04:05:06', 'NaT', '2020-01-01'], format='ISO8601').astype(f'M8[{unit}]'),
        'zoned': zoned.astype(f'datetime64[{unit}, Europe/Berlin]'),
        'span': pd.to_timedelta(['1 days', 'NaT', '3 s']).astype(f'm8[{unit}]'),
        'flag': pd.array([True, pd.NA, False], dtype='boolean'),
        'text': pd.array(['a', pd.NA, 'é'], dtype='string'),
        'category': pd.Categorical(['u', 'v', 'u']),
    })
    np.save(f'{unit}.npy', frame.to_records(index=False))
    np.save(f'{unit}_objects.npy', frame.to_numpy(dtype=object))
"#;
    python(script, dir.path());
    for unit in ["s", "us", "ns"] {
        let rows: Vec<Frame> = object::load(dir.path().join(format!("{unit}.npy"))).unwrap();
        let [first, second, third] = rows.try_into().unwrap();
        let expected = Frame {
            id: 1,
            name: Some("spam".into()),
            x: Some(0.5),
            time: "2001-02-03T04:05:06".parse().unwrap(),
            zoned: "2001-02-03T03:05:06".parse().unwrap(),
            span: TimeDelta64::new(86_400_000_000_000),
            flag: Some(true),
            text: Some("a".into()),
            category: "u".into(),
        };
        assert_eq!(first, expected, "{unit}");
        let missing = Frame {
            id: 2,
            name: None,
            x: None,
            time: DateTime64::NAT,
            zoned: DateTime64::NAT,
            span: TimeDelta64::NAT,
            flag: None,
            text: None,
            category: "v".into(),
        };
        assert_eq!(second, missing, "{unit}");
        assert_eq!(third.zoned.to_string(), "2020-05-31T22:00:00.000000000", "{unit}");

        // The same columns as a matrix of objects.
        let path = dir.path().join(format!("{unit}_objects.npy"));
        let rows: Vec<Vec<Value>> = object::load(path).unwrap();
        let null = Value::Null;
        assert_eq!(
            rows[1],
            [
                json!(2),
                null.clone(),
                null.clone(),
                null.clone(),
                null.clone(),
                null.clone(),
                null.clone(),
                null,
                json!("v")
            ]
        );
        assert_eq!(rows[2][3], "2020-01-01T00:00:00", "{unit}");
    }
}

#[derive(Deserialize)]
struct Layer {
    w: NpyArray<f32>,
    b: Option<Vec<f64>>,
    raw: DynArray,
}

#[derive(Deserialize)]
struct Checkpoint {
    layers: Vec<Layer>,
    step: u32,
    rates: (f32, f64),
    tags: Vec<String>,
    big: i128,
    when: DateTime64<Us>,
}

/// Guards a checkpoint, ragged lists, text of any width and nested records, in each protocol of pickles.
#[test]
fn objects_of_numpy_become_structs() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import datetime, pickle
checkpoint = {
    'layers': [
        {'w': np.arange(6, dtype='f4').reshape(2, 3), 'b': None, 'raw': np.array(['a', 'bc'])},
        {'w': np.asfortranarray(np.arange(6).reshape(2, 3), dtype='f4'), 'b': np.array([0.5]), 'raw': np.zeros((0, 2), '>i2')},
    ],
    'step': np.int64(7), 'rates': (0.5, np.float32(2)), 'tags': ['x', np.str_('y')], 'big': -2**100,
    'when': datetime.datetime(2001, 2, 3, 4, 5, 6, 7), 3: 'a key that is no text',
}
def save(name, array, protocol):
    with open(f'{name}_{protocol}.npy', 'wb') as file:
        np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
        pickle.dump(array, file, protocol)

def of(items):
    array = np.empty(len(items), object)
    array[:] = items
    return array

single = np.empty((), object)
single[()] = checkpoint
inner = np.dtype([('x', 'M8[ns]'), ('y', object)])
records = np.zeros(2, [('a', '>i4'), ('o', object), ('sub', 'f4', (2,)), ('inner', inner)])
records['o'] = ['p', None]
records['inner']['x'] = [5, np.datetime64('NaT')]
records['inner']['y'] = [[1, 2], []]
for protocol in range(6):
    save('checkpoint', single, protocol)
    save('ragged', of([np.arange(2), np.arange(3.0)]), protocol)
    save('records', records, protocol)
    save('text', np.array(['é', None], np.dtypes.StringDType(na_object=None)), protocol)
"#;
    python(script, dir.path());
    for protocol in 0..6 {
        let path = |name: &str| dir.path().join(format!("{name}_{protocol}.npy"));
        let checkpoint: Checkpoint = object::load(path("checkpoint")).unwrap();
        let [first, second] = &checkpoint.layers[..] else { panic!("two layers") };
        assert_eq!((first.w.shape(), first.w.order()), (&[2, 3][..], Order::C));
        assert_eq!((second.w.shape(), second.w.order()), (&[2, 3][..], Order::Fortran));
        assert!(first.w.iter().eq(second.w.iter()));
        assert_eq!((&first.b, &second.b), (&None, &Some(vec![0.5])));
        assert_eq!(first.raw.dtype().to_string(), "<U2");
        assert_eq!(
            (second.raw.dtype().to_string().as_str(), second.raw.shape()),
            (">i2", &[0, 2][..])
        );
        assert_eq!((checkpoint.step, checkpoint.rates), (7, (0.5, 2.0)));
        assert_eq!(
            (&checkpoint.tags[..], checkpoint.big),
            (&["x".to_owned(), "y".into()][..], -(1i128 << 100))
        );
        assert_eq!(checkpoint.when.to_string(), "2001-02-03T04:05:06.000007");
        let ragged: Vec<Vec<f32>> = object::load(path("ragged")).unwrap();
        assert_eq!(ragged, [vec![0.0, 1.0], vec![0.0, 1.0, 2.0]]);
        let records: Vec<HashMap<String, Value>> = object::load(path("records")).unwrap();
        let time = "1970-01-01T00:00:00.000000005";
        assert_eq!(records[0]["inner"], json!({"x": time, "y": [1, 2]}));
        assert_eq!(records[1]["inner"], json!({"x": null, "y": []}));
        assert_eq!((&records[1]["o"], &records[1]["sub"]), (&Value::Null, &json!([0.0, 0.0])));
        let text: Vec<Option<String>> = object::load(path("text")).unwrap();
        assert_eq!(text, [Some("é".to_owned()), None]);
    }
}
