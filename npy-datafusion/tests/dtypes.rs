//! Files that have other dtypes for the values of one column: numbers of ml_dtypes as raw bytes, and text.

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::Float32Type;
use npy_core::{DynArray, Float8, Float8Format, Order, ReadNpy, WriteNpy};
use npy_datafusion::session;

use crate::support::{error, rows, text};

/// Guards numbers of ml_dtypes, which NumPy saves as raw bytes: the option `void` names them, and each is exact.
#[tokio::test]
async fn raw_bytes_are_the_numbers_that_an_option_names() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().display().to_string();
    let write = |name: &str, dtype: &str, shape: &[usize], bytes: Vec<u8>| {
        let dtype = dtype.parse().unwrap();
        let array = DynArray::new(dtype, shape, Order::C, bytes).unwrap();
        array.write_npy(directory.path().join(name)).unwrap();
    };
    // 1, -10, infinity and the least number of all.
    write("b.npy", "|V2", &[4], vec![0x80, 0x3f, 0x20, 0xc1, 0x80, 0x7f, 0x01, 0x00]);
    write("f.npy", "|V1", &[256], (0..=255).collect());
    write("pairs.npy", "|V1", &[2, 2], vec![0x38, 0xc0, 0x00, 0x38]);
    write(
        "r.npy",
        "[('w', '|V2'), ('q', '|V1'), ('v', '|V3')]",
        &[1],
        vec![0x80, 0x3f, 0x38, 1, 2, 3],
    );
    let ctx = session();
    let floats = |batches: &[RecordBatch]| -> Vec<f32> {
        let column =
            |batch: &RecordBatch| batch.column(0).as_primitive::<Float32Type>().values().to_vec();
        batches.iter().flat_map(column).collect()
    };
    let sql = format!("SELECT value FROM npy('{at}/b.npy', 'void', 'bfloat16')");
    let least = f32::from_bits(0x0001_0000);
    assert_eq!(floats(&rows(&ctx, &sql).await), [1.0, -10.0, f32::INFINITY, least]);
    for (name, format) in [
        ("float8_e4m3fn", Float8Format::E4M3Fn),
        ("float8_e5m2", Float8Format::E5M2),
        ("float8_e8m0fnu", Float8Format::E8M0Fnu),
        ("float4_e2m1fn", Float8Format::Float4E2M1Fn),
    ] {
        let sql = format!("SELECT value FROM npy('{at}/f.npy', 'void', '{name}')");
        let expected = (0..=255).map(|bits| Float8(bits).to_f32(format).to_bits());
        let found = floats(&rows(&ctx, &sql).await);
        assert!(found.iter().map(|it| it.to_bits()).eq(expected), "{name}: {found:?}");
    }
    let sql = format!(
        "CREATE EXTERNAL TABLE r STORED AS NPY LOCATION '{at}/r.npy' OPTIONS ('void' 'bfloat16, float8_e4m3fn')"
    );
    rows(&ctx, &sql).await;
    let shown = async |sql: &str| text(&ctx, sql).await;
    let found = shown("SELECT w, q, v FROM r WHERE w = q").await;
    assert!(found.contains("| 1.0 | 1.0 | 010203 |"), "{found}");
    let sql = format!(
        "SELECT npy_dot(value, [1.0, 10.0]) AS d FROM npy('{at}/pairs.npy', 'void', 'float8_e4m3fn')"
    );
    let found = shown(&sql).await;
    assert!(found.contains("-19.0") && found.contains("10.0"), "{found}");
    // A copy of exact values: bfloat16 as it was, and the others as floats.
    let copies = format!("COPY (SELECT w, q FROM r) TO '{at}/copy.npy'");
    rows(&ctx, &copies).await;
    let copy = DynArray::read_npy(directory.path().join("copy.npy")).unwrap();
    assert_eq!(copy.dtype().to_string(), "[('w', '|V2'), ('q', '<f4')]");
    for (sql, expected) in [
        (
            "SELECT * FROM npy('{at}/b.npy', 'void', 'float9')",
            "ml_dtypes has no numbers \"float9\"; choose from bfloat16, float8_e3m4",
        ),
        (
            "SELECT * FROM npy('{at}/b.npy', 'void', 'float8_e5m2,float8_e4m3')",
            "both have one byte",
        ),
        ("INSERT INTO r SELECT * FROM r", "numbers of float8_e4m3fn are read, and not written"),
    ] {
        let error = error(&ctx, &sql.replace("{at}", &at)).await;
        assert!(error.contains(expected), "{error}");
    }
}

/// Guards raw bytes and numbers of bfloat16 in one table: each file has its own order, and without the option they are not one column.
#[tokio::test]
async fn raw_bytes_and_numbers_of_both_orders_are_one_column_by_the_option() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    // 1 in each order; the fields of a record within a record differ in more than the order.
    let (little, big) = ([0x80, 0x3f], [0x3f, 0x80]);
    let items = |order: &str| [if order == ">V2" { big } else { little }, [0, 0]].concat();
    let record = |order: &str, integer: &str| {
        let mut bytes = items(order)[..2].to_vec();
        bytes.resize(if integer == "<i8" { 10 } else { 6 }, 0);
        (format!("[('r', [('w', '{order}'), ('n', '{integer}')])]"), bytes)
    };
    let ctx = session();
    for (first, second) in
        [("|V2", ">V2"), (">V2", "|V2"), ("<V2", ">V2"), ("|V2", "<V2"), (">V2", "<V2")]
    {
        for (name, order) in [("a.npy", first), ("b.npy", second)] {
            let array = DynArray::new(order.parse().unwrap(), [2], Order::C, items(order)).unwrap();
            array.write_npy(at(name)).unwrap();
        }
        let location = format!("{}/*.npy", directory.path().display());
        let sql = format!(
            "SELECT sum(value) AS s, min(value) AS m FROM npy('{location}', 'void', 'bfloat16')"
        );
        let found = text(&ctx, &sql).await;
        assert!(found.contains("| 2.0 | 0.0 |"), "{first} {second}: {found}");
        if [first, second].contains(&"|V2") {
            let error = error(&ctx, &format!("SELECT * FROM npy('{location}')")).await;
            assert!(error.contains("OPTIONS ('void' 'bfloat16')"), "{error}");
        }
        for ((name, order), integer) in
            [("a.npy", first), ("b.npy", second)].into_iter().zip(["<i4", "<i8"])
        {
            let (dtype, bytes) = record(order, integer);
            let array = DynArray::new(dtype.parse().unwrap(), [1], Order::C, bytes).unwrap();
            array.write_npy(at(name)).unwrap();
        }
        let sql = format!("SELECT sum(r['w']) AS s FROM npy('{location}', 'void', 'bfloat16')");
        // A record is converted as a whole, so both of its fields must be wider in one file.
        match [first, second] {
            [">V2", "|V2"] => {
                let error = error(&ctx, &sql).await;
                assert!(error.contains("neither type holds the values of both"), "{error}");
            }
            _ => {
                let found = text(&ctx, &sql).await;
                assert!(found.contains("| 2.0 |"), "{first} {second}: {found}");
            }
        }
    }
}

/// Guards a UNION of files in which a column has other dtypes of one type, and is missing in some: its groups, and the file that a copy of it makes.
#[tokio::test]
async fn groups_of_a_union_of_other_dtypes_are_found() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).display().to_string();
    std::fs::create_dir(at("b")).unwrap();
    let write = |name: &str, dtype: &str, bytes: Vec<u8>| {
        let array = DynArray::new(dtype.parse().unwrap(), [1], Order::C, bytes).unwrap();
        array.write_npy(at(name)).unwrap();
    };
    let little = |word: &str| word.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    let big = |word: &str| word.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
    write("a.npy", "[('v', '<U2')]", little("ab"));
    write("b/0.npy", "[('v', '>U4'), ('n', 'u1')]", [big("abcd"), vec![7]].concat());
    write("b/1.npy", "[('n', 'u1')]", vec![8]);
    let ctx = session();
    let (a, b) = (at("a.npy"), at("b"));
    let all = format!("SELECT v FROM npy('{a}') UNION ALL SELECT v FROM npy('{b}/')");
    let groups = format!("SELECT v, count(*) AS n FROM ({all}) GROUP BY v ORDER BY v");
    let found = text(&ctx, &groups).await;
    assert!(found.contains("| ab   | 1 |") && found.contains("| abcd | 1 |"), "{found}");
    let distinct = all.replace("UNION ALL", "UNION");
    let copy =
        format!("COPY (SELECT v FROM ({distinct}) WHERE v IS NOT NULL) TO '{}'", at("copy.npy"));
    rows(&ctx, &copy).await;
    let copied = text(&ctx, &format!("SELECT * FROM npy('{}')", at("copy.npy"))).await;
    assert!(copied.contains("| ab   |") && copied.contains("| abcd |"), "{copied}");
    // If this is no error any more, the setting of `with_npy` is not needed.
    rows(&ctx, "SET datafusion.execution.skip_physical_aggregate_schema_check = false").await;
    let refused = error(&ctx, &groups).await;
    assert!(refused.contains("field metadata at index 0 [v]"), "{refused}");
}

/// Guards the advice about files without a type that holds the values of all: with the type that it names, each value is there, or the advice says that it is rounded.
#[tokio::test]
async fn advice_names_a_type_that_keeps_values() {
    for (first, second, values, refused, declared, kept) in [
        (
            "<i8",
            "<u8",
            [-5, -1],
            "DECIMAL(38, 0), which has all integers",
            "DECIMAL(38, 0)",
            Some("18446744073709551615"),
        ),
        (
            "<i8",
            "<f8",
            [(1 << 53) + 1, 0x3fe0_0000_0000_0000],
            "DOUBLE, which rounds integers beyond 2^53",
            "DOUBLE",
            Some("0.5"),
        ),
        ("<i8", "<f8", [1, 0x3fe0_0000_0000_0000], "DOUBLE, which rounds", "DECIMAL(38, 0)", None),
        (
            "<M8[s]",
            "<M8[ns]",
            [32_503_680_000, 1_500_000_000],
            "(\"value\" TIMESTAMP(0))",
            "TIMESTAMP(0)",
            Some("3000-01-01"),
        ),
        (
            "<M8[s]",
            "<M8[ns]",
            [32_503_680_000, 1_500_000_000],
            "TIMESTAMP(0), (3) or (6)",
            "TIMESTAMP(3)",
            Some("1970-01-01T00:00:01.500"),
        ),
        ("<m8[s]", "<m8[ns]", [1 << 40, 1], "select files of one unit", "INTERVAL", None),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let files: [(_, _, i64); 2] = [("a.npy", first, values[0]), ("b.npy", second, values[1])];
        for (name, dtype, value) in files {
            let dtype = format!("'{dtype}'").parse().unwrap();
            let array = DynArray::new(dtype, [1], Order::C, value.to_le_bytes().to_vec()).unwrap();
            array.write_npy(directory.path().join(name)).unwrap();
        }
        let ctx = session();
        let at = directory.path().display();
        let found = error(&ctx, &format!("SELECT value FROM npy('{at}/')")).await;
        assert!(found.contains(refused), "{first} {second}: {found}");
        let create =
            format!("CREATE EXTERNAL TABLE t (value {declared}) STORED AS NPY LOCATION '{at}/'");
        rows(&ctx, &create).await;
        match kept {
            Some(kept) => {
                let found = text(&ctx, "SELECT value FROM t").await;
                assert!(found.contains(kept), "{first} {second}: {found}");
            }
            None if first == "<i8" => {
                let found = error(&ctx, "SELECT value FROM t").await;
                assert!(found.contains("0.5 is no integer; declare it as DOUBLE"), "{found}");
            }
            None => {}
        }
    }
}

/// Guards groups of long doubles, whose bytes have padding: equal numbers would be in two groups.
#[tokio::test]
async fn long_doubles_are_not_keys_of_groups() {
    let directory = tempfile::tempdir().unwrap();
    for (name, dtype) in [("f", "<f16"), ("c", "<c32")] {
        let dtype: npy_core::DType = dtype.parse().unwrap();
        let bytes = (0..2 * dtype.itemsize()).map(|at| u8::from(at == 15)).collect();
        let array = DynArray::new(dtype, vec![2], Order::C, bytes).unwrap();
        array.write_npy(directory.path().join(format!("{name}.npy"))).unwrap();
    }
    let ctx = session();
    let at = directory.path().display();
    for name in ["f", "c"] {
        let from = format!("FROM npy('{at}/{name}.npy')");
        for sql in [
            format!("SELECT count(*) {from} GROUP BY value"),
            format!("SELECT count(*) {from} GROUP BY ROLLUP (value)"),
            format!("SELECT DISTINCT value {from}"),
            format!("SELECT DISTINCT ON (value) 1 {from}"),
            format!("SELECT value {from} UNION SELECT value {from}"),
            format!("SELECT count(DISTINCT value) {from}"),
        ] {
            let refused = error(&ctx, &sql).await;
            assert!(refused.contains("may differ for equal numbers"), "{sql}: {refused}");
        }
    }
    let numbers = format!("npy('{at}/f.npy', 'long_double_as_f64', 'true')");
    let found = text(&ctx, &format!("SELECT count(DISTINCT value) AS n FROM {numbers}")).await;
    assert!(found.contains("| 1 "), "{found}");
}
