//! Random tables, of arrays or of archives, and random queries, with an index that is there, off, old, damaged or replaced meanwhile: the answers are those of NumPy.
//!
//! `NPY_ROUNDS` is the number of tables (2), and `NPY_SEED` the first of them.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use datafusion::arrow::array::{Array, RecordBatch};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::error::Result;
use datafusion::prelude::{SessionConfig, SessionContext};
use npy_datafusion::{session_with_config, write_index};

/// The queries for each table and each state of its index.
const QUERIES: usize = 8;

/// NumPy, in one process.
struct Numpy {
    _child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Numpy {
    fn start() -> Self {
        let python = std::env::var_os("NPY_PYTHON").expect("NPY_PYTHON names a Python with NumPy");
        let mut child = Command::new(python)
            .args(["-I", "-X", "utf8", "-c", include_str!("tables.py")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python starts");
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Numpy { _child: child, stdin, stdout: BufReader::new(stdout) }
    }

    fn ask(&mut self, request: &[&str]) -> String {
        writeln!(self.stdin, "{}", request.join("\t")).unwrap();
        let mut answer = String::new();
        self.stdout.read_line(&mut answer).unwrap();
        assert!(!answer.is_empty(), "NumPy has failed: {request:?}");
        answer.trim_end_matches('\n').to_owned()
    }
}

/// Random numbers, which are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }
}

/// Returns a value in SQL, and in Python.
fn literal(random: &mut Random, column: &str) -> (String, String) {
    let number = i64::try_from(random.below(120)).unwrap() - 60;
    match column {
        "f" => match random.below(10) {
            0 => ("CAST('NaN' AS DOUBLE)".into(), "np.nan".into()),
            1 => ("CAST('inf' AS DOUBLE)".into(), "np.inf".into()),
            2 => ("-0.0".into(), "-0.0".into()),
            _ => {
                let number = number as f64 / 4.0;
                (format!("{number:?}"), format!("{number:?}"))
            }
        },
        "t" | "d" => time(random, column, number),
        "u" => {
            let number = number.unsigned_abs();
            (number.to_string(), format!("np.uint64({number})"))
        }
        "s" => (format!("'s{number:+03}'"), format!("'s{number:+03}'")),
        "b" => {
            let text = format!("b{}", number.unsigned_abs());
            (format!("CAST('{text}' AS BYTEA)"), format!("b'{text}'"))
        }
        _ => (number.to_string(), number.to_string()),
    }
}

/// Returns a time in SQL, in a unit that is finer than that of many columns, and its nanoseconds.
fn time(random: &mut Random, column: &str, number: i64) -> (String, String) {
    let unit = if column == "d" { 86_400_000_000_000 } else { 1_000_000_000 };
    let unit = [unit, unit, 1_000_000, 1_000][usize::try_from(random.below(4)).unwrap()];
    let rest = [0, 0, 500_000_000, 1_000_000, 1_000, 999_999_000];
    let nanoseconds = number * unit + rest[usize::try_from(random.below(6)).unwrap()];
    match random.below(4) {
        0 => (format!("to_timestamp_nanos({})", nanoseconds + 1), format!("{}", nanoseconds + 1)),
        1 if nanoseconds % 1_000_000_000 == 0 => {
            let seconds = nanoseconds / 1_000_000_000;
            (format!("to_timestamp_seconds({seconds})"), format!("{nanoseconds}"))
        }
        _ => {
            let microseconds = nanoseconds / 1_000;
            (format!("to_timestamp_micros({microseconds})"), format!("{nanoseconds}"))
        }
    }
}

/// Returns a condition in SQL, and in Python.
fn condition(random: &mut Random, depth: u64) -> (String, String) {
    if depth > 0 && random.below(3) > 0 {
        let (a, of_a) = condition(random, depth - 1);
        return match random.below(5) {
            0 => (format!("NOT ({a})"), format!("negated({of_a})")),
            choice => {
                let (b, of_b) = condition(random, depth - 1);
                match choice {
                    1 | 2 => (format!("({a}) OR ({b})"), format!("either({of_a}, {of_b})")),
                    _ => (format!("({a}) AND ({b})"), format!("both({of_a}, {of_b})")),
                }
            }
        };
    }
    if random.below(6) == 0 {
        let (sql, python) = [
            ("CAST(i AS BOOLEAN) = false", "compare('eq', T.i, 0)"),
            ("CAST(i AS BOOLEAN)", "compare('ne', T.i, 0)"),
            (
                "CAST(t AS TIME) > TIME '00:00:30'",
                "compare('gt', time_of_day(T.t), 30_000_000_000)",
            ),
            (
                "CAST(t AS TIMESTAMP) >= TIMESTAMP '1969-12-31T23:59:59.9999'",
                "compare('ge', T.t, -100_000)",
            ),
            ("CAST(f AS REAL) >= 2.25", "compare('ge', T.f, 2.25)"),
            ("CAST(u AS DOUBLE) < 20", "compare('lt', T.u, np.uint64(20))"),
            ("s LIKE 's+1%'", "starts(T.s, 's+1')"),
            ("s NOT LIKE 's+1%'", "negated(starts(T.s, 's+1'))"),
            ("s ILIKE 'S-%'", "starts(T.s, 's-')"),
            ("i + 1 > 20", "compare('gt', T.i, 19)"),
            ("-i > 20", "compare('lt', T.i, -20)"),
            ("abs(i) = 3", "is_in(T.i, [3, -3])"),
            ("o IS NOT TRUE", "negated(is_true(T.o))"),
            ("i IS DISTINCT FROM 5", "compare('ne', T.i, 5)"),
            ("f > i", "compare('gt', T.f, as_float(T.i))"),
        ][usize::try_from(random.below(15)).unwrap()];
        return (sql.into(), python.into());
    }
    let column = random.of(&["i", "f", "f", "t", "t", "d", "u", "s", "b", "o", "n"]);
    if random.below(8) == 0 {
        return (format!("{column} IS NULL"), format!("is_null(T.{column})"));
    }
    if column == "o" {
        return ("o".into(), "compare('eq', T.o, True)".into());
    }
    if random.below(6) == 0 && column != "f" {
        let all: Vec<_> = (0..=random.below(4)).map(|_| literal(random, column)).collect();
        let sql: Vec<_> = all.iter().map(|(sql, _)| sql.as_str()).collect();
        let python: Vec<_> = all.iter().map(|(_, python)| python.as_str()).collect();
        let (sql, python) = (sql.join(", "), python.join(", "));
        return (format!("{column} IN ({sql})"), format!("is_in(T.{column}, [{python}])"));
    }
    if random.below(6) == 0 && ["t", "d", "i"].contains(&column) {
        let ((low, of_low), (high, of_high)) = (literal(random, column), literal(random, column));
        let is_within = format!(
            "both(compare('ge', T.{column}, {of_low}), compare('le', T.{column}, {of_high}))"
        );
        return match random.below(3) {
            0 => {
                (format!("{column} NOT BETWEEN {low} AND {high}"), format!("negated({is_within})"))
            }
            1 => (
                format!("{column} IS DISTINCT FROM {low}"),
                format!("is_distinct(T.{column}, {of_low})"),
            ),
            _ => (format!("{column} BETWEEN {low} AND {high}"), is_within),
        };
    }
    let (operator, name) =
        [("<", "lt"), ("<=", "le"), ("=", "eq"), ("<>", "ne"), (">=", "ge"), (">", "gt")]
            [usize::try_from(random.below(6)).unwrap()];
    let (sql, python) = match column {
        "n" => {
            let number = random.below(40_000);
            (number.to_string(), number.to_string())
        }
        _ => literal(random, column),
    };
    (format!("{column} {operator} {sql}"), format!("compare('{name}', T.{column}, {python})"))
}

/// Returns the values of a result, as NumPy prints them.
fn values(batches: &[RecordBatch]) -> Vec<String> {
    let options = FormatOptions::default();
    let mut all = Vec::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            for column in batch.columns() {
                let formatter = ArrayFormatter::try_new(column, &options).unwrap();
                let is_null = column.is_null(row);
                all.push(if is_null { String::new() } else { formatter.value(row).to_string() });
            }
        }
    }
    all
}

/// Runs a query; now and then as a plan that goes to another process.
async fn run(ctx: &SessionContext, sql: &str, is_sent: bool) -> Result<Vec<RecordBatch>> {
    let frame = ctx.sql(sql).await?;
    #[cfg(feature = "proto")]
    if is_sent {
        use datafusion_proto::bytes::{
            physical_plan_from_bytes_with_extension_codec,
            physical_plan_to_bytes_with_extension_codec,
        };
        let plan = frame.create_physical_plan().await?;
        let codec = npy_datafusion::NpyPhysicalCodec::default();
        let bytes = physical_plan_to_bytes_with_extension_codec(plan, &codec)?;
        let other = npy_datafusion::session();
        let plan =
            physical_plan_from_bytes_with_extension_codec(&bytes, &other.task_ctx(), &codec)?;
        return datafusion::physical_plan::collect(plan, other.task_ctx()).await;
    }
    let _ = is_sent;
    frame.collect().await
}

async fn answer(ctx: &SessionContext, condition: &str, is_sent: bool) -> Result<String> {
    let total =
        format!("SELECT count(*), coalesce(sum(n), 0), min(n), max(n) FROM t WHERE {condition}");
    let up = format!("SELECT n FROM t WHERE {condition} ORDER BY i, n LIMIT 5");
    // DataFusion takes -0.0 for 0.0 in some conditions of `ORDER BY … LIMIT`, and not in its order.
    // It also takes `f = -0.0 AND f <> 0.0` for `f = -0.0`, as the literals are not the same.
    let down =
        format!("SELECT n FROM t WHERE ({condition}) AND abs(f) > 0.0 ORDER BY f DESC, n LIMIT 5");
    let first = format!("SELECT n FROM t WHERE {condition} ORDER BY n LIMIT 5");
    let last = format!("SELECT n FROM t WHERE {condition} ORDER BY n DESC LIMIT 5");
    let mut parts = Vec::new();
    for sql in [total, up, down, first, last] {
        parts.push(values(&run(ctx, &sql, is_sent).await?).join(" "));
    }
    Ok(parts.join("|"))
}

async fn context(random: &mut Random, directory: &Path, index: &str) -> Result<SessionContext> {
    let order = ["", ", 'sorted_by' 'n'"][usize::try_from(random.below(2)).unwrap()];
    with_options(random, directory, &format!("'index' '{index}'{order}")).await
}

async fn with_options(
    random: &mut Random,
    directory: &Path,
    options: &str,
) -> Result<SessionContext> {
    let partitions = 1 + usize::try_from(random.below(4)).unwrap();
    let batch = [37, 256, 8192][usize::try_from(random.below(3)).unwrap()];
    let mut config = SessionConfig::new().with_target_partitions(partitions).with_batch_size(batch);
    config.options_mut().optimizer.repartition_file_min_size = 1;
    let ctx = session_with_config(config);
    let is_archive = |name: &Path| name.extension().is_some_and(|it| it == "npz");
    let mut files = std::fs::read_dir(directory)?;
    let format = match files.any(|file| is_archive(&file.unwrap().path())) {
        true => "NPZ",
        false => "NPY",
    };
    let create = format!(
        "CREATE EXTERNAL TABLE t STORED AS {format} LOCATION '{}/' OPTIONS ({options})",
        directory.display()
    );
    ctx.sql(&create).await?;
    Ok(ctx)
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |value| value.parse().unwrap())
}

/// Guards all answers, whatever the state of the index.
#[tokio::test(flavor = "multi_thread")]
async fn answers_are_those_of_numpy() {
    let mut numpy = Numpy::start();
    let first = number("NPY_SEED", 0);
    for seed in first..first + number("NPY_ROUNDS", 2) {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let directory = tempfile::tempdir().unwrap();
        let (path, index) = (directory.path(), directory.path().join("_npy.index"));
        let at = path.to_str().unwrap();
        numpy.ask(&["kind", random.of(&["npy", "npy", "stored", "deflated"])]);
        numpy.ask(&["make", &seed.to_string(), at]);
        let block = [50, 100, 333, 65_536][usize::try_from(random.below(4)).unwrap()];
        let state = npy_datafusion::session().state();
        write_index(&state, at, None, block).await.unwrap();
        for (step, mode) in ["auto", "frozen", "off", "old", "half", "gone"].into_iter().enumerate()
        {
            match mode {
                "old" => drop(numpy.ask(&["replace", &seed.to_string(), at])),
                "half" => {
                    write_index(&state, at, None, block).await.unwrap();
                    let mut bytes = std::fs::read(&index).unwrap();
                    match random.below(2) {
                        0 => bytes
                            .truncate(usize::try_from(random.below(bytes.len() as u64)).unwrap()),
                        _ => {
                            let at = usize::try_from(random.below(bytes.len() as u64)).unwrap();
                            bytes[at] ^= 1 << random.below(8);
                        }
                    }
                    std::fs::write(&index, bytes).unwrap();
                }
                "gone" => std::fs::remove_file(&index).unwrap(),
                _ => {}
            }
            let option = if step < 3 { mode } else { "auto" };
            let ctx = context(&mut random, path, option).await.unwrap();
            for _ in 0..QUERIES {
                let depth = random.below(4);
                let (sql, python) = condition(&mut random, depth);
                let expected = numpy.ask(&["ask", at, &python]);
                let is_sent = random.below(4) == 0;
                let found = answer(&ctx, &sql, is_sent).await;
                let found = found.unwrap_or_else(|error| panic!("{seed} {mode}: {sql}: {error}"));
                assert_eq!(found, expected, "{seed} {mode} {is_sent}: {sql}");
            }
            let mut sql = String::from("SELECT ");
            for (name, as_number) in [
                ("i", "BIGINT"),
                ("t", "BIGINT"),
                ("u", "DECIMAL(20, 0)"),
                ("s", "VARCHAR"),
                ("o", "BIGINT"),
            ] {
                let column =
                    if name == "t" { "arrow_cast(t, 'Timestamp(Nanosecond, None)')" } else { name };
                let _ = match name {
                    "o" => write!(
                        sql,
                        "count(o), CAST(CAST(min(CAST(o AS INT)) AS BIGINT) AS VARCHAR), CAST(max(CAST(o AS INT)) AS VARCHAR)"
                    ),
                    _ => write!(
                        sql,
                        "count({name}), CAST(CAST(min({column}) AS {as_number}) AS VARCHAR), CAST(CAST(max({column}) AS {as_number}) AS VARCHAR), "
                    ),
                };
            }
            sql.push_str(" FROM t");
            if let Ok(frame) = ctx.sql(&sql).await {
                let found = values(&frame.collect().await.unwrap());
                let found: Vec<String> = found.chunks(3).map(|part| part.join(" ")).collect();
                assert_eq!(found.join("|"), numpy.ask(&["extremes", at]), "{seed} {mode}: {sql}");
            }
        }
    }
}

/// Guards folders whose files are columns: the answers are those of NumPy, also where a column has the shape (n, 1), is missing, or is in another unit.
#[tokio::test(flavor = "multi_thread")]
async fn folders_of_columns_answer_as_numpy() {
    let mut numpy = Numpy::start();
    let first = number("NPY_SEED", 0);
    for seed in first..first + number("NPY_ROUNDS", 2) {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path().to_str().unwrap();
        numpy.ask(&["folders", &seed.to_string(), at]);
        for _ in 0..3 {
            let options = ["'layout' 'columns'", "'layout' 'columns', 'sorted_by' 'n'"];
            let options = random.of(&options);
            let ctx = with_options(&mut random, directory.path(), options).await.unwrap();
            for _ in 0..QUERIES {
                let depth = random.below(4);
                let (sql, python) = condition(&mut random, depth);
                let expected = numpy.ask(&["ask", at, &python]);
                let is_sent = random.below(3) == 0;
                let found = answer(&ctx, &sql, is_sent).await;
                let found = found.unwrap_or_else(|error| panic!("{seed}: {sql}: {error}"));
                assert_eq!(found, expected, "{seed} {is_sent}: {sql}");
                let vectors = format!(
                    "SELECT count(*) FROM t WHERE ({sql}) AND (v[2] <> n * 2 OR v[3] <> n + 1 OR v[1] <> n)"
                );
                let wrong = values(&run(&ctx, &vectors, is_sent).await.unwrap());
                assert_eq!(wrong, ["0"], "{seed} {is_sent}: {vectors}");
            }
        }
    }
}

/// Guards files that are replaced while they are read: the answer is that of the old file, that of the new one, or an error.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_replaced_is_no_wrong_row() {
    let mut numpy = Numpy::start();
    for seed in 0..number("NPY_ROUNDS", 2) {
        let mut random = Random(seed | 1);
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path().to_str().unwrap();
        numpy.ask(&["kind", random.of(&["npy", "npy", "stored", "deflated"])]);
        numpy.ask(&["make", &seed.to_string(), at]);
        let state = npy_datafusion::session().state();
        write_index(&state, at, None, 50).await.unwrap();
        let option = if random.below(2) == 0 { "auto" } else { "frozen" };
        let (sql, python) = condition(&mut random, 2);
        let ctx = context(&mut random, directory.path(), option).await.unwrap();
        let total =
            format!("SELECT count(*), coalesce(sum(n), 0), min(n), max(n) FROM t WHERE {sql}");
        let first = |answer: String| answer.split('|').next().unwrap_or_default().to_owned();
        let before = first(numpy.ask(&["ask", at, &python]));
        let query = tokio::spawn(async move {
            let mut answers = Vec::new();
            for _ in 0..6 {
                answers.push(run(&ctx, &total, false).await.map(|rows| values(&rows).join(" ")));
            }
            answers
        });
        tokio::time::sleep(Duration::from_millis(random.below(60))).await;
        numpy.ask(&["replace", &(seed + 1).to_string(), at]);
        let answers = query.await.unwrap();
        let after = first(numpy.ask(&["ask", at, &python]));
        for answer in answers {
            match answer {
                Ok(answer) => assert!(
                    answer == before || answer == after,
                    "{seed} {option}: {sql}: {answer}; {before}; {after}"
                ),
                Err(error) => {
                    let error = error.to_string();
                    let is_clear = [
                        "changed",
                        "it is not as in the index",
                        "truncated",
                        "create the table again",
                        "no field",
                        "neither type",
                    ];
                    assert!(is_clear.iter().any(|part| error.contains(part)), "{error}");
                }
            }
        }
    }
}
