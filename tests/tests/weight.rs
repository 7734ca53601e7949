//! The memory of values deserialized with serde is limited by the size of the file, whatever its header claims.

use npy_core::{DynArray, Error, NpyRecord, Order, ReadNpy, Reader};
use npy_tests::alloc::peak;
use npy_tests::attacks::{file, header};
use serde_json::Value;

/// The bytes of memory allowed for each byte of the file, and the constant in addition; SECURITY.md has the same
/// numbers.
const PAID: usize = 2048;
const UNPAID: usize = 16 << 20;

fn fields(count: usize, dtype: &str) -> String {
    (0..count).map(|i| format!("('{i:x}', '{dtype}'), ")).collect()
}

fn shape(dimensions: &[usize]) -> String {
    let dimensions: Vec<String> = dimensions.iter().map(ToString::to_string).collect();
    format!("({},)", dimensions.join(", "))
}

/// Small files that make many values, each with its name. Two of them are just within the limits.
fn small_files_of_many_values() -> Vec<(&'static str, Vec<u8>)> {
    let make = |descr: &str, shape: &[usize], bytes: usize| {
        file(2, &header(descr, &self::shape(shape)), &vec![1; bytes])
    };
    let deep = (0..60).fold("'|S0'".to_owned(), |inner, _| format!("[('a', {inner})]"));
    vec![
        ("items of no bytes", make("'|S0'", &[1 << 20], 0)),
        ("the same, as many as may be", make("'|S0'", &[100_000], 0)),
        ("records of nothing", make("[]", &[1 << 20], 0)),
        ("records of items of no bytes", make("[('a', '|S0')]", &[1 << 20], 0)),
        ("the same, as many as may be", make("[('a', '|S0')]", &[18_000], 0)),
        ("records in records", make(&deep, &[1 << 14], 0)),
        ("many empty fields", make(&format!("[{}]", fields(5000, "|S0")), &[200], 0)),
        (
            "many empty fields and a byte",
            make(&format!("[('x', '|u1'), {}]", fields(5000, "|S0")), &[2000], 2000),
        ),
        ("a long name", make(&format!("[('{}', '|u1')]", "n".repeat(20_000)), &[5000], 5000)),
        (
            "many lists around a byte",
            make("'|u1'", &[[50_000].as_slice(), &[1; 60]].concat(), 50_000),
        ),
        (
            "many lists around a byte in a field",
            make(&format!("[('x', '|u1', ({}))]", "1, ".repeat(60)), &[50_000], 50_000),
        ),
        ("empty lists", make("'|u1'", &[1 << 20, 0], 0)),
        ("an empty list of many lists", make("'|u1'", &[3, 1 << 40, 0], 0)),
        ("empty sub-arrays", make("[('x', '<f4', (1000, 0))]", &[1000], 0)),
        ("sub-arrays of nothing", make("[('x', '|S0', (1000, 1000)), ('y', '|u1')]", &[100], 100)),
        ("records of one byte", make("[('x', '|u1')]", &[100_000], 100_000)),
    ]
}

fn assert_paid(name: &str, file: &[u8], cost: usize) {
    let allowed = UNPAID + PAID * file.len();
    assert!(cost <= allowed, "{name}: {} bytes took {cost}, and {allowed} are allowed", file.len());
}

#[test]
fn memory_for_rows_is_bounded_by_the_file_size() {
    for (name, file) in small_files_of_many_values() {
        let array = DynArray::read_npy_from(&file[..]).unwrap();
        let (rows, cost) = peak(|| array.to_rows::<Value>());
        assert_paid(name, &file, cost);
        let (streamed, cost) = peak(|| -> Result<Vec<Value>, Error> {
            Reader::new(&file[..])?.deserialize::<Value>()?.collect()
        });
        assert_paid(name, &file, cost);
        let (text, cost) = peak(|| serde_json::to_string(&array));
        assert_paid(name, &file, cost);
        let may_be = name.contains("may be") || name == "records of one byte";
        for refused in [rows.err().map(|e| e.to_string()), text.err().map(|e| e.to_string())] {
            assert_eq!(refused.is_none(), may_be, "{name}: {refused:?}");
            assert!(refused.is_none_or(|error| error.contains("Limits::empty_items")), "{name}");
        }
        assert!(!may_be || streamed.is_ok(), "{name}");
    }
}

/// A type that is large in memory is counted by its size, even if its items have no bytes.
#[test]
fn large_rows_of_no_bytes_are_counted_by_their_size() {
    #[derive(serde::Deserialize)]
    struct Large {
        #[serde(default = "zeros")]
        _values: [u64; 32],
    }
    fn zeros() -> [u64; 32] {
        [0; 32]
    }
    let array = |rows: usize| DynArray::new("[]".parse().unwrap(), [rows], Order::C, vec![]);
    assert!(array(1000).unwrap().to_rows::<Large>().is_ok());
    let (rows, cost) = peak(|| array(20_000).unwrap().to_rows::<Large>());
    assert!(rows.is_err() && cost < 10_000);
}

/// Records that are read one by one are decoded in batches; those of a large type, in small batches.
#[test]
fn a_batch_of_large_records_takes_no_more_than_a_block() {
    #[derive(NpyRecord)]
    struct Large {
        x: [u8; 0],
        #[npy(skip)]
        _own: Own,
    }
    struct Own([u64; 512]);
    impl Default for Own {
        fn default() -> Self {
            Own([0; 512])
        }
    }
    let bytes = file(1, &header("[('x', '|u1', (0,))]", "(1048576,)"), &[]);
    let (first, cost) = peak(|| {
        let mut reader = Reader::new(&bytes[..]).unwrap();
        let first = reader.records::<Large>().unwrap().next().unwrap().unwrap();
        (first.x, first._own.0[511])
    });
    assert_eq!(first, ([], 0));
    assert!(cost < 1 << 20, "{cost}");
}
