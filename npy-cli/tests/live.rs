//! Files by pandas become arrays and text again. Only `cargo xtask test` turns on the feature `live`.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Runs the command, which must succeed.
fn npy(args: &[&Path]) {
    let output = Command::new(env!("CARGO_BIN_EXE_npy")).args(["convert"]).args(args).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Every dtype that has a text of its own, with missing values and text that must not become a number.
const FRAME: &str = r#"
import sys, json
import numpy as np, pandas as pd
rng = np.random.default_rng(1)
n = 500
frame = pd.DataFrame({
    "i": rng.integers(-9**9, 9**9, n), "u": np.arange(n, dtype="u8") + 2**63,
    "f": rng.normal(size=n) * 10.0 ** rng.integers(-20, 20, n), "b": rng.random(n) > .5,
    "s": ["a,b", "q\"x\n", "", "größe", "007"] * (n // 5), "two words": ["温度"] * n,
    "zip": [f"{i:05}" for i in range(n)],
})
frame.loc[3, "f"] = np.nan
start = "2024-01-31"
times = {
    "t": pd.date_range(start, periods=n, freq="s"), "d": pd.date_range(start, periods=n, freq="D"),
    "us": pd.date_range(start, periods=n, freq="1234567us"),
    "ns": pd.date_range(start, periods=n, freq="123456789ns"),
}
"#;

#[test]
fn csv_of_pandas_is_the_same_bytes_after_npy() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let script = format!(
        "{FRAME}\nframe = frame.assign(**times)\nframe.loc[4, 'f'] = np.inf\nframe.loc[5, 't'] = pd.NaT\nframe.to_csv(sys.argv[1], index=False)"
    );
    npy_tests::Numpy::run(&script, &[path("a.csv").as_os_str()]);
    npy(&[&path("a.csv"), &path("a.npy")]);
    npy(&[&path("a.npy"), &path("b.csv")]);
    let read = |name: &str| std::fs::read_to_string(path(name)).unwrap();
    for (one, other) in read("a.csv").lines().zip(read("b.csv").lines()) {
        assert_eq!(one, other);
    }
    assert!(read("a.csv") == read("b.csv"));
    // An index has no name there.
    let indexed = script.replace(", index=False", "");
    npy_tests::Numpy::run(&indexed, &[path("c.csv").as_os_str()]);
    npy(&[&path("c.csv"), &path("c.npy")]);
    npy(&[&path("c.npy"), &path("d.csv"), Path::new("--unnamed"), Path::new("index")]);
    assert!(read("c.csv").starts_with(',') && read("c.csv") == read("d.csv"));
    let check = "
import sys, numpy as np
a = np.load(sys.argv[1])
kinds = {name: a.dtype[name].str for name in a.dtype.names}
print(kinds['i'], kinds['u'], kinds['f'], kinds['b'], kinds['zip'], kinds['t'], kinds['d'], kinds['us'], kinds['ns'])
";
    let kinds = npy_tests::Numpy::run(check, &[path("a.npy").as_os_str()]);
    assert_eq!(kinds.trim(), "<i8 <u8 <f8 |b1 <U5 <M8[s] <M8[D] <M8[us] <M8[ns]");
}

/// Guards the values: pandas writes floats and slashes in other ways than this command.
#[test]
fn json_lines_of_pandas_have_the_same_values_after_npy() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let write = format!(
        "{FRAME}\nframe['iso'] = times['us'].strftime('%Y-%m-%dT%H:%M:%S.%f')\nframe.to_json(sys.argv[1], orient='records', lines=True, double_precision=15)"
    );
    npy_tests::Numpy::run(&write, &[path("a.jsonl").as_os_str()]);
    npy(&[&path("a.jsonl"), &path("a.npy")]);
    npy(&[&path("a.npy"), &path("b.jsonl")]);
    npy(&[&path("b.jsonl"), &path("b.npy")]);
    let compare = "
import sys, json
one, other = ([json.loads(line) for line in open(path, encoding='utf-8')] for path in sys.argv[1:])
for a, b in zip(one, other, strict=True):
    assert list(a.items()) == list(b.items()), (a, b)
";
    let names = ["a.jsonl", "b.jsonl"].map(path);
    let args: Vec<&OsStr> = names.iter().map(|name| name.as_os_str()).collect();
    npy_tests::Numpy::run(compare, &args);
    assert!(std::fs::read(path("a.npy")).unwrap() == std::fs::read(path("b.npy")).unwrap());
}

/// Guards that the fields of records with Python objects have the text that they have without them, and come back with their dtype.
#[test]
fn records_with_objects_are_text_as_those_without() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let write = "
import sys, numpy as np
fields = [('s', 'S3'), ('t', 'M8[ns]'), ('d', 'M8[D]'), ('f', 'f4'), ('z', 'c8'), ('xs', 'f4', (2,)), ('n', [('a', '>i4'), ('b', '?')]), ('dt', 'm8[s]')]
plain = np.zeros(3, fields + [('o', 'U3')])
plain['s'], plain['t'], plain['d'] = [b'a', b'yy', b''], ['2024-01-31T10:00:00.000000005', '1969-01-01', '2000-01-01'], ['2024-02-29', 'NaT', '1970-01-01']
plain['f'], plain['z'], plain['xs'], plain['dt'] = [0.1, -2, 3e20], [1 + 2j, 0, -1j], [[0.1, 2], [3, 4], [5, 6]], [90, 0, -1]
plain['n'] = [(1, True), (-2, False), (3, True)]
plain['o'] = ['x', 'a,b', '']
objects = plain.astype(fields + [('o', 'O')])
objects['o'][0] = np.str_('x')
np.save(sys.argv[1] + '/plain.npy', plain); np.save(sys.argv[1] + '/objects.npy', objects)
print(plain.dtype.descr)
";
    let dtype = npy_tests::Numpy::run(write, &[dir.path().as_os_str()]);
    let stats = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_npy"));
        let output = command.args(["stats", "--json"]).arg(path(name)).output().unwrap();
        let stats = String::from_utf8(output.stdout).unwrap();
        let columns = stats.lines().filter(|line| !line.contains("\"o\""));
        columns.map(|line| line.replace(">i4", "<i4")).collect::<Vec<_>>()
    };
    assert_eq!(stats("objects.npy"), stats("plain.npy"));
    assert_eq!(stats("plain.npy").len(), 10);
    for form in ["csv", "json"] {
        for name in ["plain", "objects"] {
            npy(&[&path(&format!("{name}.npy")), &path(&format!("{name}.{form}"))]);
        }
        let read = |name: &str| std::fs::read_to_string(path(&format!("{name}.{form}"))).unwrap();
        assert_eq!(read("objects"), read("plain"));
        let (text, back) = (path(&format!("objects.{form}")), path("back.npy"));
        npy(&[&text, &back, Path::new("--dtype"), Path::new(dtype.trim())]);
        assert!(std::fs::read(&back).unwrap() == std::fs::read(path("plain.npy")).unwrap());
    }
}

/// Guards that objects which pandas and Python's own modules make are known as data.
#[test]
fn verify_knows_the_types_of_ordinary_objects() {
    let dir = tempfile::tempdir().unwrap();
    let write = r#"
import collections, datetime, fractions, ipaddress, os, pathlib, sys, uuid, zoneinfo
import numpy as np, pandas as pd
frame = pd.DataFrame({"i": [1, 2], "s": ["a", "b"]})
arrays = {
    "records": frame.to_records(), "matrix": np.matrix([["a", 1]], dtype=object),
    "periods": pd.period_range("2020", periods=3, freq="M").to_numpy(),
    "zoned": pd.date_range("2020", periods=3, tz=zoneinfo.ZoneInfo("Europe/Paris")).to_numpy(),
    "intervals": pd.interval_range(0, 2).to_numpy(),
}
objects = [
    uuid.UUID(int=1), pathlib.PurePosixPath("a"), fractions.Fraction(1, 3), ipaddress.ip_address("::1"),
    collections.Counter("aab"), frame.to_records()[0], np.float16, np.ma.array([1, 2], mask=[0, 1]),
    datetime.datetime(2020, 1, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Paris")),
]
for item in objects:
    arrays[type(item).__name__] = array = np.empty(1, dtype=object)
    array[0] = item
for name, array in arrays.items():
    np.save(os.path.join(sys.argv[1], name), array)
"#;
    npy_tests::Numpy::run(write, &[dir.path().as_os_str()]);
    let files: Vec<_> =
        std::fs::read_dir(dir.path()).unwrap().map(|it| it.unwrap().path()).collect();
    assert_eq!(files.len(), 14);
    let output = Command::new(env!("CARGO_BIN_EXE_npy")).arg("verify").args(&files).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// Guards values: objects of every pair of kinds become what `astype` makes of them, or are refused; and each alone is converted where `astype` does.
#[test]
fn objects_become_what_astype_makes_of_them_or_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import decimal, os, subprocess, sys
import numpy as np, warnings
warnings.simplefilter("ignore")
npy, folder = sys.argv[1:]
os.chdir(folder)
objects = [
    1, -3, 2**53 + 1, 2**70, 2.5, 1e300, 3.0, float("nan"), float("inf"), True, None, 1 + 2j, "7", "größe", b"ab", b"\xff",
    np.float32(0.1), np.int16(-5), np.complex64(2j), np.str_("x"), np.bool_(False), decimal.Decimal("1.5"), [1, 2], {"a": 1},
    r"\xff",
]
same = 0
# Each pair, or in quick runs each object with some of the others.
steps = 1 if "NPY_THOROUGH" in os.environ else 5
for at, one in enumerate(objects):
    for other in objects[at::steps]:
        array = np.empty(2, object)
        array[0], array[1] = one, other
        np.save("x.npy", array)
        for dtype in ["i8", "u1", "f4", "f8", "c16", "U", "S"]:
            try:
                with np.errstate(all="ignore"):
                    expected = array.astype(dtype)
            except Exception:
                expected = None
            run = subprocess.run([npy, "convert", "x.npy", "o.npy", "--dtype", dtype], capture_output=True, text=True)
            if run.returncode:
                assert run.returncode == 2 and "row " in run.stderr, (array, dtype, run.stderr)
                continue
            found = np.load("o.npy")
            # Text becomes bytes as UTF-8, and lists become rows.
            kinds = [type(one), type(other)]
            if dtype == "S" and objects[13] in [x for x in (one, other) if type(x) is str]:
                continue
            if kinds in ([list, list], [dict, dict]):
                continue
            assert expected is not None, (array, dtype, found)
            assert found.shape == (2,), (array, dtype, found)
            assert np.array_equal(found, expected, equal_nan=dtype not in "US"), (array, dtype, found, expected)
            same += 1
fields = lambda *kinds: list(zip("oifzsbwv", kinds))
array = np.array(
    [(2.5, 3, 0.1, 0.1 + 0.2j, b"\xff\x01", True, 1.5, b"a\0"), (None, 4, np.inf, np.nan, b"a", False, np.nan, b"\0b")],
    fields("O", "i2", "f4", "c8", "S2", "?", "f8", "V2"),
)
np.save("x.npy", array)
wanted = fields("f8", "f4", "f8", "c16", "S8", "i4", "c16", "V2")
subprocess.run([npy, "convert", "x.npy", "o.npy", "--dtype", str(wanted)], check=True)
found, expected = np.load("o.npy"), array.astype(wanted)
assert all(np.array_equal(found[name], expected[name], equal_nan=name != "s") for name in "oifzsbw"), (found, expected)
assert found["v"].tobytes() == array["v"].tobytes(), found
# Other fields are left out, and may have any objects.
array["o"] = [{"a": 1}, None]
np.save("x.npy", array)
subprocess.run([npy, "convert", "x.npy", "f.npy", "--dtype", "[('f', 'f8')]"], check=True)
assert np.array_equal(np.load("f.npy")["f"], array["f"].astype("f8"))
print(same)
"#;
    let npy = env!("CARGO_BIN_EXE_npy");
    let same = npy_tests::Numpy::run(script, &[OsStr::new(npy), dir.path().as_os_str()]);
    assert!(same.trim().parse::<usize>().unwrap() > npy_tests::rounds(500), "{same}");
}

/// Guards the digits of means and deviations, in a file that several threads read, too.
#[test]
fn stats_have_the_digits_that_numpy_has() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import json, os, subprocess, sys
import numpy as np
npy, folder = sys.argv[1:]
os.chdir(folder)
rng = np.random.default_rng(1)
noise = rng.normal(size=1_200_000)
for name, array in {
    "large mean": 1e9 + noise, "small": noise, "tiny": 5 + noise * 1e-9, "outlier": np.concatenate([[1e12], noise[:1000]]),
    "integers": rng.integers(-10**9, 10**9, 100_000), "one": np.array([1e9]), "f4": (100 + noise[:5000]).astype("f4"),
}.items():
    np.save("x.npy", array)
    found = json.loads(subprocess.run([npy, "stats", "--json", "x.npy"], capture_output=True, check=True).stdout)
    array = array.astype("f8")
    for key, expected in [("std", array.std()), ("mean", array.mean())]:
        assert abs(found[key] - expected) <= 1e-12 * max(abs(expected), array.std()), (name, key, found[key], expected)
"#;
    let npy = env!("CARGO_BIN_EXE_npy");
    npy_tests::Numpy::run(script, &[OsStr::new(npy), dir.path().as_os_str()]);
}

/// Guards objects whose numbers are as large as floats go, or larger: their means, their bounds, and that decimals are numbers.
#[test]
fn stats_of_objects_are_those_of_python() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import json, os, statistics, subprocess, sys
from decimal import Decimal as D
import numpy as np
npy, folder = sys.argv[1:]
os.chdir(folder)
def stats(values):
    array = np.empty(len(values), object)
    array[:] = values
    np.save("x.npy", array)
    run = subprocess.run([npy, "stats", "--json", "x.npy"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout), run.stderr
big = 2**53 + 1
for values in [
    [1.5e308] * 3, [-1.5e308, 1.7e308, 1.7e308, 1.0], [1.7e308, -1.7e308, -1.6e308], [big, 2.0**53], [-big, -(2.0**53)], [2**53, float(2**53 + 2)],
    [2**100 + 1, 2.0**100, -3], [D("1.5"), D("2"), 7, D("1E+2")], [2**200, 1.0], [D("-1e300"), 2], [True, D("0.1")],
]:
    found, said = stats(values)
    assert not said, said
    assert (found["count"], found["distinct"]) == (len(values), len(set(values))), (values, found)
    for key, expected in [("min", min(values)), ("max", max(values))]:
        text = found[key] if isinstance(found[key], (int, float)) else int(found[key])
        assert text == expected or float(text) == float(expected) and abs(expected) > 2**127 or type(expected) is D and text == float(expected), (values, key, text)
    exact = float(statistics.mean(map(D, values)))
    assert abs(found["mean"] - exact) <= 1e-15 * max(abs(float(value)) for value in values), (values, found["mean"], exact)
found, said = stats([1, 10**400, D("NaN"), D("Infinity"), "x"])
assert (found["count"], found["missing"], found["left_out"]) == (1, 1, 3), found
assert "not numbers, or too large for a float, are left out: 3" in said, said
"#;
    let npy = env!("CARGO_BIN_EXE_npy");
    npy_tests::Numpy::run(script, &[OsStr::new(npy), dir.path().as_os_str()]);
}

/// Guards decimals: they are the float next to them, which `--cast lossless` does not round again.
#[test]
fn decimals_become_floats_without_a_loss_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import os, subprocess, sys
from decimal import Decimal as D
import numpy as np
npy, folder = sys.argv[1:]
os.chdir(folder)
for text, dtype, kept in [
    ("0.1", "f8", True), ("0.1", "f4", False), ("0.5", "f2", True), ("1E400", "f8", False), ("0.1000000000000000000001", "f8", False),
    ("2049", "f2", False), ("0.1", "c8", False), ("0.5", "c8", True),
]:
    array = np.array([D(text)], object)
    np.save("x.npy", array)
    run = subprocess.run([npy, "convert", "x.npy", "o.npy", "--dtype", dtype, "--cast", "lossless"], capture_output=True, text=True)
    assert run.returncode == (0 if kept else 2), (text, dtype, run.stderr)
    assert kept or "row 0" in run.stderr, run.stderr
    assert not kept or np.load("o.npy") == array.astype(dtype)
"#;
    let npy = env!("CARGO_BIN_EXE_npy");
    npy_tests::Numpy::run(script, &[OsStr::new(npy), dir.path().as_os_str()]);
}

/// Guards floats as Python prints them: `--cast lossless` reads them, in CSV and JSON, and what the command writes. Digits that no float has are refused.
#[test]
fn floats_come_back_without_a_loss_from_their_text() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import json, os, random, subprocess, sys
from decimal import Decimal as D
import numpy as np
npy, folder = sys.argv[1:]
os.chdir(folder)
r = random.Random(7)
is_thorough = "NPY_THOROUGH" in os.environ
many = 8000 if is_thorough else 1000
powers = [2.0**k for k in range(-1074, 1024, 1 if is_thorough else 7)]
f4 = [float(np.float32(r.uniform(-1, 1) * 10.0 ** r.randrange(-37, 38))) for _ in range(many)] + [2.0**k for k in range(-149, 128)]
f8 = [r.uniform(-1, 1) * 10.0 ** r.randrange(-307, 308) for _ in range(many)] + powers + [r.randrange(10**9) / 1024 for _ in range(many // 4)]
f8 += [np.nextafter(x, y).item() for x in powers for y in (0.0, 1e308)] + [684.47076416015625]
def run(*args):
    return subprocess.run([npy, "convert", *args, "--cast", "lossless"], capture_output=True, text=True)
def write(texts):
    open("x.csv", "w").write("v\n" + "\n".join(texts) + "\n")
    open("x.json", "w").write("[" + ",".join(texts) + "]")
for dtype, values in [("f4", f4), ("f8", f8)]:
    expected = np.array(values, dtype)
    for form in (repr, json.dumps, "{:.17g}".format, "{:.16e}".format, lambda x: format(D(x), "e"), lambda x: format(D(x), "f")):
        write([form(x) for x in values])
        for name in ("x.csv", "x.json"):
            done = run(name, "o.npy", "--dtype", dtype)
            assert done.returncode == 0, (dtype, form(0.1), done.stderr)
            assert np.load("o.npy").tobytes() == expected.tobytes(), (dtype, name)
    np.save("y.npy", expected.astype("f8"))
    for name in ("y.csv", "y.json", "y.jsonl"):
        subprocess.run([npy, "convert", "y.npy", name], check=True)
        assert run(name, "o.npy", "--dtype", "f8").returncode == 0, name
        assert np.load("o.npy").tobytes() == expected.astype("f8").tobytes(), name
refused = [("0.1", "f4"), ("0.123456789012345678901234567891", "f8"), ("684.47076416015626", "f8"), ("9007199254740993", "f8"), ("1e-400", "f8")]
for x in r.sample(f8, 60):
    # The next decimal number of 17 digits or more.
    text = f"{x:.20e}"
    digits, exponent = text.split("e")
    refused.append((digits[:-1] + str((int(digits[-1]) + 5) % 10 or 3) + "e" + exponent, "f8"))
for text, dtype in refused:
    write([text])
    for name in ("x.csv", "x.json"):
        done = run(name, "o.npy", "--dtype", dtype)
        assert done.returncode == 2 and text in done.stderr, (text, dtype, done)
print(len(f4) + len(f8))
"#;
    let npy = env!("CARGO_BIN_EXE_npy");
    let count = npy_tests::Numpy::run(script, &[OsStr::new(npy), dir.path().as_os_str()]);
    let least = if npy_tests::is_thorough() { 20_000 } else { 3_000 };
    assert!(count.trim().parse::<usize>().unwrap() > least, "{count}");
}

/// Guards times among objects: the text of a year is no number, and as text they are those of `str`.
#[test]
fn times_of_objects_are_no_numbers_and_their_text_is_that_of_python() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import os, subprocess, sys
from datetime import date, datetime, time, timedelta, timezone
import numpy as np, pandas as pd
npy, folder = sys.argv[1:]
os.chdir(folder)
def save(name, *values):
    array = np.empty(len(values), object)
    for at, value in enumerate(values):
        array[at] = value
    np.save(name, array)
    return array
def run(*args):
    return subprocess.run([npy, *args], capture_output=True, text=True)
year, span = np.datetime64("1971"), np.timedelta64(5, "Y")
for value in [year, span, np.datetime64("1971-01"), np.datetime64("1971-01-01T00", "ns")]:
    wanted = ["i8", "f4", "u2", "c16", "?", "m8[s]" if value is not span else "M8[s]"]
    for item in (value, np.array([value, value]), [value], frozenset([value]), np.array([value, 1], object), np.array([(value,)], [("t", value.dtype)])):
        save("x.npy", item)
        for at, dtype in enumerate(wanted):
            casts = ["checked", "lossless", "numeric"]
            # In quick runs each dtype with one of them.
            for cast in casts if "NPY_THOROUGH" in os.environ else casts[at % 3:][:1]:
                done = run("convert", "x.npy", "o.npy", "--dtype", dtype, "--cast", cast)
                assert done.returncode == 2 and ("holds it" in done.stderr or "there are keys" in done.stderr), (item, dtype, done)
record = np.empty(1, [("y", "M8[Y]"), ("o", "O")])
record[0] = (year, 1)
np.save("r.npy", record)
assert run("convert", "r.npy", "o.npy", "--dtype", "[('y', 'i8'), ('o', 'i8')]").returncode == 2
save("x.npy", year)
assert run("convert", "x.npy", "o.npy", "--dtype", "M8[s]").returncode == 0
assert np.load("o.npy")[0] == year
save("a.npy", year, 1971); save("b.npy", 1971, 1971)
done = run("diff", "a.npy", "b.npy")
assert done.returncode == 1, done
assert run("diff", "a.npy", "a.npy").returncode == 0
times = [
    datetime(2020, 1, 1, 12), datetime(2020, 1, 1, 12, 0, 0, 5), datetime(1, 2, 3, tzinfo=timezone(timedelta(hours=-2))), date(2020, 1, 2), time(4, 5, 6, 7),
    timedelta(1, 2, 3), timedelta(2), timedelta(0, 3), timedelta(-1, 5), timedelta(-3, 5, 7), timedelta(0), timedelta(1), np.datetime64("2020-01-01T12"),
    pd.Timestamp("2020-01-01 12:00:00.000000001"), pd.Timestamp("2020-01-01"), pd.Timedelta(1, "ns"), pd.Timedelta("1 days 2 s"), pd.Timedelta(-1, "us"), pd.Timedelta("2 days"),
]
for value in times:
    array = save("x.npy", value)
    for dtype in ("U", "S"):
        done = run("convert", "x.npy", "o.npy", "--dtype", dtype)
        assert done.returncode == 0, done
        assert np.load("o.npy")[0] == array.astype(dtype)[0], (np.load("o.npy"), array.astype(dtype))
"#;
    let npy = env!("CARGO_BIN_EXE_npy");
    npy_tests::Numpy::run(script, &[OsStr::new(npy), dir.path().as_os_str()]);
}

/// Guards values of a damaged member: a slice of a small one is refused, because its checksum is compared.
#[test]
fn slices_of_small_members_have_the_right_checksum() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import os, subprocess, sys, zipfile
import numpy as np
npy, folder = sys.argv[1:]
os.chdir(folder)
def run(*args):
    return subprocess.run([npy, *args], capture_output=True, text=True)
rng = np.random.default_rng(3)
for shape in [(20_000,), (200, 100)]:
    array = rng.integers(0, 4, shape)
    for order in "CF":
        np.savez_compressed("x.npz", a=np.asarray(array, order=order))
        good = run("cat", "--jsonl", "x.npz::a[5:9]")
        assert good.stdout.split() == [line.replace(" ", "") for line in map(str, array[5:9].tolist())] if len(shape) == 2 else good.stdout.split() == [str(x) for x in array[5:9]]
        member = zipfile.ZipFile("x.npz").infolist()[0]
        data = bytearray(open("x.npz", "rb").read())
        # Only the checksum differs, in both places.
        old = member.CRC.to_bytes(4, "little")
        assert data.count(old) == 2
        open("x.npz", "wb").write(data.replace(old, (member.CRC ^ 1).to_bytes(4, "little")))
        for args in [("cat", "--jsonl", "x.npz::a[5:9]"), ("head", "-n", "2", "x.npz"), ("cat", "x.npz::a[-1]"), ("convert", "x.npz::a[::-7]", "o.npy"), ("tail", "x.npz::a")]:
            done = run(*args)
            assert done.returncode == 2 and "checksum" in done.stderr, (args, done)
"#;
    let npy = env!("CARGO_BIN_EXE_npy");
    npy_tests::Numpy::run(script, &[OsStr::new(npy), dir.path().as_os_str()]);
}

/// Guards the text of objects within a list, which is that of `repr`.
#[test]
fn objects_in_lists_are_printed_as_python_prints_them() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import csv, io, os, random, subprocess, sys
import numpy as np
npy, folder = sys.argv[1:]
os.chdir(folder)
r = random.Random(2)
parts = [0.0, -0.0, 1.0, -2.5, 127.5, 1e16, 1e15, 1e-4, 1e-5, 1e299, -1.5e-300, float("inf"), float("-inf"), float("nan")]
values = [frozenset(), frozenset([1]), set(), *parts, *(2.0**k for k in range(-20, 80)), *(complex(re, im) for re in parts for im in parts)]
values += [bytes(r.choices(b"a'\"\\\n\t\x00\x7f\x80\xff", k=r.randrange(6))) for _ in range(300)] + [bytearray(b"\xff")]
array = np.empty(len(values), object)
array[:] = [[value] for value in values]
np.save("x.npy", array)
done = subprocess.run([npy, "cat", "--csv", "x.npy"], capture_output=True, text=True, check=True)
rows = list(csv.reader(io.StringIO(done.stdout)))[1:]
assert len(rows) == len(values)
for value, row in zip(values, rows):
    assert row == [repr([value])], (value, row)
"#;
    let npy = env!("CARGO_BIN_EXE_npy");
    npy_tests::Numpy::run(script, &[OsStr::new(npy), dir.path().as_os_str()]);
}

/// Guards the values of each dtype, for the package `safetensors` and for NumPy with `ml_dtypes`, in both directions.
#[test]
fn safetensors_of_python_have_the_same_values() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let write = r#"
import sys, numpy as np, ml_dtypes
from safetensors.numpy import save_file
rng = np.random.default_rng(1)
dtypes = "bool u1 i1 i2 u2 f2 i4 u4 f4 c8 f8 i8 u8 bfloat16 float8_e4m3fn float8_e5m2".split()
arrays = {f"layer.{name}/w": (rng.normal(size=(3, 5)) * 3).astype(name) for name in dtypes}
arrays |= {"scalar": np.array(1.5, "f4"), "empty": np.zeros((0, 3), "bfloat16")}
save_file(arrays, sys.argv[1], {"format": "np", "größe": "1"})
np.savez(sys.argv[2], **{name: np.asfortranarray(array) for name, array in arrays.items() if not hasattr(ml_dtypes, array.dtype.name)}, big=np.arange(5, dtype=">f8"))
np.save(sys.argv[3], rng.normal(size=9).astype("bfloat16"))
"#;
    let files = ["a.safetensors", "a.npz", "v2.npy"].map(path);
    let args: Vec<&OsStr> = files.iter().map(|name| name.as_os_str()).collect();
    npy_tests::Numpy::run(write, &args);
    npy(&[&path("a.safetensors"), &path("b.npz")]);
    npy(&[&path("b.npz"), &path("b.safetensors")]);
    npy(&[&path("a.npz"), &path("c.safetensors")]);
    npy(&[&path("v2.npy"), &path("v2.safetensors"), Path::new("--void"), Path::new("bfloat16")]);
    let compare = r#"
import os, sys, json, numpy as np, ml_dtypes
from safetensors import deserialize, safe_open
os.chdir(sys.argv[1])
# `load_file` finds no float8 in NumPy.
names = dict(BOOL="?", BF16="bfloat16", F8_E4M3="float8_e4m3fn", F8_E5M2="float8_e5m2", C64="c8")
def load(path):
    for name, tensor in deserialize(open(path, "rb").read()):
        dtype = names.get(tensor["dtype"]) or f"{tensor['dtype'][0].lower()}{int(tensor['dtype'][1:]) // 8}"
        yield name, np.frombuffer(tensor["data"], dtype).reshape(tensor["shape"])
a, b, c = (dict(load(f"{name}.safetensors")) for name in "abc")
same = lambda x, y: (x.dtype, x.shape, x.tobytes()) == (y.dtype, y.shape, y.tobytes())
assert a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
one, other = (safe_open(f"{name}.safetensors", "np").metadata() for name in "ab")
assert one == other == {"format": "np", "größe": "1"}, other
npz = np.load("b.npz")
note = json.loads(npz["__metadata__"].item())
assert note["metadata"] == one
for name, array in a.items():
    found = npz[name]
    if name in note["dtypes"]:
        found = found.view(note["dtypes"][name])
    assert same(found, array), name
before = np.load("a.npz")
assert set(before) == set(c)
for name in before:
    assert same(np.ascontiguousarray(before[name]).reshape(before[name].shape).astype(before[name].dtype.newbyteorder("<")), c[name]), name
assert same(dict(load("v2.safetensors"))["v2"], np.load("v2.npy").view("bfloat16"))
"#;
    npy_tests::Numpy::run(compare, &[dir.path().as_os_str()]);
}

/// Guards `npy repair`: of files that are damaged at random it keeps values that were there, or it says why it cannot.
#[test]
fn damaged_files_are_repaired_or_refused() {
    const SCRIPT: &str = include_str!("damaged.py");
    let dir = tempfile::tempdir().unwrap();
    let count = std::env::var_os("NPY_DAMAGED")
        .unwrap_or_else(|| npy_tests::rounds(400).to_string().into());
    let npy = OsStr::new(env!("CARGO_BIN_EXE_npy"));
    let results =
        npy_tests::Numpy::run(SCRIPT, &[npy, dir.path().as_os_str(), OsStr::new("0"), &count]);
    assert!(results.trim_end().ends_with(" files, 0 wrong"), "{results}");
}

/// Guards text of `np.savetxt` with each of its options: `np.loadtxt` and `np.genfromtxt` are the judges.
#[test]
fn text_of_savetxt_becomes_the_array_that_numpy_reads() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let write = "
import sys, numpy as np
a = np.random.default_rng(7).normal(size=(50, 3)) * 10.0 ** np.arange(-3, 5, 3)
np.savetxt(sys.argv[1], a)
np.savetxt(sys.argv[2], a, fmt='%12.4f', header='x y z', footer='the end')
np.savetxt(sys.argv[3], a, delimiter=',', header='made by a test\\nx,y,z')
np.savetxt(sys.argv[4], a, delimiter=',', header='x,y,z')
";
    let files = ["plain.csv", "blanks.csv", "commas.csv", "names.csv"].map(path);
    let args: Vec<&OsStr> = files.iter().map(|file| file.as_os_str()).collect();
    npy_tests::Numpy::run(write, &args);
    let [plain, blanks, commas, names] = &files;
    let options = ["--delimiter", " ", "--no-header"].map(Path::new);
    let out = ["0.npy", "1.npy", "2.npy", "3.npy", "4.npy"].map(path);
    npy(&[&[&**plain, &out[0]], &options[..]].concat());
    npy(&[&[&**blanks, &out[1]], &options[..]].concat());
    npy(&[&[&**commas, &out[2]], &options[2..]].concat());
    npy(&[names, &out[3]]);
    npy(&[blanks, &out[4]]);
    let compare = "
import sys, numpy as np
plain, blanks, commas, names, *out = sys.argv[1:]
judged = [
    np.loadtxt(plain), np.loadtxt(blanks), np.loadtxt(commas, delimiter=','),
    np.genfromtxt(names, delimiter=',', names=True), np.genfromtxt(blanks, names=True),
]
for expected, path in zip(judged, out, strict=True):
    found = np.load(path)
    assert found.dtype == expected.dtype, (path, found.dtype)
    assert np.array_equal(found, expected), path
";
    let args: Vec<&OsStr> = files.iter().chain(&out).map(|file| file.as_os_str()).collect();
    npy_tests::Numpy::run(compare, &args);
}

/// Guards comments after rows, whatever they have: with `--comments`, they are those of `np.loadtxt`, and of `np.genfromtxt` where values are missing.
#[test]
fn comments_after_rows_are_left_out_as_by_loadtxt() {
    let script = r##"
import subprocess, sys
from pathlib import Path
import numpy as np
npy, folder, rounds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(rounds)
ends = ["", "", " # note", "#a", "  #,", " #", " # 1,2;3\t4", '# "quote', " ## x # y", " # 2.5 2.5", "#\u00f6"]
for turn in range(rounds):
    columns, delimiter = int(rng.integers(1, 4)), [",", ";", "\t", " "][turn % 4]
    has_gaps = delimiter != " " and columns > 1 and turn % 3 == 0
    lines = []
    for _ in range(int(rng.integers(1, 6))):
        fields = [f"{number:.3f}" for number in rng.normal(size=columns)]
        if has_gaps and rng.random() < 0.5:
            fields[rng.integers(columns)] = ""
        lines.append(delimiter.join(fields) + str(rng.choice(ends)))
        if rng.random() < 0.2:
            lines.append(str(rng.choice(["# between", '#"', "#1,2"])))
    (folder / "x.csv").write_text("\n".join(lines) + "\n")
    separator = None if delimiter == " " else delimiter
    if has_gaps:
        expected = np.genfromtxt(folder / "x.csv", delimiter=separator, encoding="utf-8")
    else:
        expected = np.loadtxt(folder / "x.csv", delimiter=separator, encoding="utf-8")
    options = ["--delimiter", delimiter] if delimiter not in " ," or turn % 2 else []
    command = [npy, "convert", "x.csv", "x.npy", "--no-header", "--comments", "#", *options]
    subprocess.run(command, cwd=folder, check=True, stderr=subprocess.DEVNULL)
    found = np.load(folder / "x.npy")
    assert found.dtype == expected.dtype, (lines, command, found.dtype)
    assert np.array_equal(found.squeeze(), expected.squeeze(), equal_nan=True), (lines, command, found)
"##;
    let dir = tempfile::tempdir().unwrap();
    let rounds = npy_tests::rounds(120).to_string();
    let npy = OsStr::new(env!("CARGO_BIN_EXE_npy"));
    npy_tests::Numpy::run(script, &[npy, dir.path().as_os_str(), OsStr::new(&rounds)]);
}

/// Guards every axis, order, byte order, slice and dtype against `np.concatenate`.
#[test]
fn arrays_are_joined_along_each_axis_as_by_numpy() {
    let script = r#"
import subprocess, sys
from pathlib import Path
import numpy as np
npy, folder, rounds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(int(rounds))
record = np.dtype([("a", "<i2"), ("b", ">f8", 2)])
for turn in range(rounds):
    ndim = int(rng.integers(1, 5))
    axis = int(rng.integers(-ndim, ndim))
    shape = [int(n) for n in rng.integers(0 if turn % 5 == 0 else 1, 6, ndim)]
    if turn % 7 == 0:
        shape[rng.integers(ndim)] = 40_000
    dtype = rng.choice(["<i4", ">i4", "<f8", ">f8", "u1", "<U3", "<M8[s]", "record"])
    inputs, arrays = [], []
    for i in range(int(rng.integers(1, 5))):
        lengths = list(shape)
        lengths[axis] = int(rng.integers(0, 5))
        own = record if dtype == "record" else np.dtype(dtype)
        if i > 0 and rng.random() < 0.3 and own.kind in "if":
            own = own.newbyteorder() if rng.random() < 0.5 else np.dtype(">i2" if own.kind == "i" else "<f4")
        values = rng.integers(0, 100, lengths)
        if own.names:
            array = np.zeros(lengths, own)
            array["a"] = values
            array["b"][..., 1] = values
        else:
            array = values.astype(own)
        if rng.random() < 0.3:
            array = np.asfortranarray(array)
        name, slice_ = f"{turn}_{i}.npy", ""
        if rng.random() < 0.2:
            whole = np.zeros([n + 2 for n in lengths], own, order="F" if rng.random() < 0.5 else "C")
            whole[(slice(1, -1),) * ndim] = array
            np.save(folder / name, whole)
            slice_ = "[" + ",".join(["1:-1"] * ndim) + "]"
        elif rng.random() < 0.2:
            name = f"{turn}_{i}.npz"
            (np.savez if rng.random() < 0.5 else np.savez_compressed)(folder / name, m=array)
        else:
            np.save(folder / name, array)
        inputs.append(name + slice_)
        arrays.append(array)
    subprocess.run([npy, "concat", "--axis", str(axis), "-o", "out.npy", *inputs], cwd=folder, check=True)
    out = np.load(folder / "out.npy")
    expected = np.concatenate([array.astype(arrays[0].dtype) for array in arrays], axis=axis)
    assert out.dtype == arrays[0].dtype and out.shape == expected.shape, (inputs, axis, out.dtype, out.shape)
    assert out.tobytes() == expected.astype(out.dtype).tobytes(), (inputs, axis)
    for path in folder.glob(f"{turn}_*"):
        path.unlink()
"#;
    let dir = tempfile::tempdir().unwrap();
    let rounds = npy_tests::rounds(150).to_string();
    let npy = OsStr::new(env!("CARGO_BIN_EXE_npy"));
    npy_tests::Numpy::run(script, &[npy, dir.path().as_os_str(), OsStr::new(&rounds)]);
}

/// Guards each command that is advised for arrays of two dtypes, as it is printed: it joins them with the dtype and the values of `np.concatenate`.
#[test]
fn advice_for_arrays_of_other_dtypes_joins_them_as_numpy_does() {
    let script = r#"
import itertools, os, shlex, subprocess, sys
import numpy as np
npy, folder = sys.argv[1:]
env = {**os.environ, "PATH": os.path.dirname(npy) + ":" + os.environ["PATH"]}
os.chdir(folder)
rng = np.random.default_rng(1)
arrays = {"b": np.array([True, False, True])}
for kind, size in [(kind, size) for kind in "iu" for size in [1, 2, 4, 8]]:
    dtype = np.dtype(f"<{kind}{size}")
    arrays[dtype.str[1:]] = np.array([np.iinfo(dtype).min, 3, np.iinfo(dtype).max], dtype)
for name in ["<f2", "<f4", ">f8", "<c8", "<c16"]:
    values = np.array([0.1, -1e300, np.inf, np.nan]) * (1 + 0.3j if "c" in name else 1)
    with np.errstate(all="ignore"): arrays[name[1:]] = values.astype(name)
for name, texts in [("3", ["ab", "xyz"]), ("5", ["größe"]), ("5s", ["hello"])]:
    arrays["U" + name] = np.array(texts, "U")
    if name != "5": arrays["S" + name] = np.array(texts, "S")
for unit in ["M", "D", "25s", "10s", "ms", "ns"]:
    arrays["M8" + unit] = np.array(["2024-02", "NaT"], "M8[D]").astype(f"M8[{unit}]")
for unit in ["Y", "M", "D", "s", "us"]:
    arrays["m8" + unit] = np.array([3, "NaT"], f"m8[{unit}]")
rows = [(1, 0.5), (-1, 1e30)]
for name, fields in [("ri", [("a", "i2"), ("x", "f8")]), ("rf", [("a", "f8"), ("x", "f4")]), ("rc", [("a", ">i8"), ("x", "c8")])]:
    arrays[name] = np.array(rows, fields)
arrays["rp"] = np.array(rows, np.dtype([("a", "i1"), ("x", "f4")], align=True))
arrays["rs"] = np.array([([1, 2], 3)], [("a", "i4", 2), ("x", "f2")])
arrays["rt"] = np.array([([1, 2.5], 3)], [("a", "f8", 2), ("x", "i8")])
arrays["rn"] = np.array([(1,)], [("n", "i8")])
for name, array in arrays.items(): np.save(name + ".npy", array)

def native(array): return array.dtype.newbyteorder("=")

def same(found, a, b):
    # NumPy mixes up the elements of sub-arrays when it converts records.
    if a.dtype.names: return found.dtype.names == a.dtype.names and all(same(found[n], a[n], b[n]) for n in a.dtype.names)
    with np.errstate(all="ignore"): expected = np.concatenate([a, b])
    return native(found) == native(expected) and np.array_equal(found, expected, equal_nan=expected.dtype.kind in "fcmM")

def promotes(a, b):
    kinds = {"b": "n", "i": "n", "u": "n", "f": "n", "c": "n"}
    if kinds.get(a.kind, a.kind) != kinds.get(b.kind, b.kind): return False
    try: np.result_type(a, b)
    except TypeError: return False
    return all(promotes(a[n].base, b[n].base) for n in a.names or ())

advised, pairs = 0, list(itertools.permutations(arrays.items(), 2))
if "NPY_THOROUGH" not in os.environ: pairs = pairs[::5]
for (one, a), (other, b) in pairs:
    for args in [["concat", "-o", "out.npy"], ["append"]]:
        start = set(os.listdir())
        run = subprocess.run([npy, *args, one + ".npy", other + ".npy"], capture_output=True, text=True)
        message = run.stderr
        if run.returncode == 0:
            if args[0] == "append":
                found, names = np.load(one + ".npy"), a.dtype.names
                assert a.dtype.newbyteorder("=") == b.dtype.newbyteorder("="), (one, other)
                np.save(one + ".npy", a)
            else:
                found = np.load("out.npy")
                assert np.array_equal(found[len(a):], b.astype(a.dtype), equal_nan=a.dtype.kind in "fcmM"), (one, other)
        elif " joins them" in message:
            command = message[message.index("; npy ") + 2:message.index(" joins them")]
            done = subprocess.run(["sh", "-c", command], env=env, capture_output=True, text=True)
            assert done.returncode == 0, (message, done.stderr)
            last = shlex.split(command)
            last = last[len(last) - last[::-1].index("npy"):]
            name = "out.npy" if last[0] == "concat" else last[1]
            assert same(np.load(name), a, b), (message, np.load(name), np.load(name).dtype)
            assert ("; this rounds integers" in message) == any(
                dtype.kind in "iu" and dtype.itemsize == 8 and wanted.kind in "fc"
                for dtypes in [(a.dtype, np.load(name).dtype), (b.dtype, np.load(name).dtype)]
                for dtype, wanted in ([dtypes] if not a.dtype.names else [[part[n].base for part in dtypes] for n in a.dtype.names])
            ), message
            advised += 1
            np.save(one + ".npy", a)
        else:
            is_option = "no field" not in message and "makes one of its field" not in message
            assert not (is_option and promotes(a.dtype, b.dtype)), message
        for path in set(os.listdir()) - start: os.remove(path)
assert advised > len(pairs) / 6, advised
"#;
    let dir = tempfile::tempdir().unwrap();
    let npy = OsStr::new(env!("CARGO_BIN_EXE_npy"));
    npy_tests::Numpy::run(script, &[npy, dir.path().as_os_str()]);
}

/// Guards the advice for pickles of arrays, also of masked ones, which `np.save` does not write.
#[test]
fn advice_for_pickles_of_arrays_saves_them() {
    let script = r#"
import os, pickle, subprocess, sys
import numpy as np
npy, folder = sys.argv[1:]
os.chdir(folder)
masked = np.ma.array([1.5, 2.5], mask=[False, True])
for protocol in range(2, 6):
    with open("m.pkl", "wb") as file: pickle.dump(masked, file, protocol)
    x, OUT = np.load("m.pkl", allow_pickle=True), "m.npz"
    message = subprocess.run([npy, "head", "m.pkl"], capture_output=True, text=True).stderr
    exec(message[message.index("np.savez("):message.index(")") + 1])
    assert subprocess.run([npy, "cat", "m.npz::mask"], capture_output=True).stdout == b"value\nFalse\nTrue\n"
    assert subprocess.run([npy, "cat", "m.npz::data"], capture_output=True).returncode == 0
    os.remove("m.npz")
"#;
    let dir = tempfile::tempdir().unwrap();
    let npy = OsStr::new(env!("CARGO_BIN_EXE_npy"));
    npy_tests::Numpy::run(script, &[npy, dir.path().as_os_str()]);
}
