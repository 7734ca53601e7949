//! `npy diff` against NumPy and Python: what is equal, and what is near.

use std::ffi::OsStr;

/// Guards complex numbers: their distance decides, and the rules for infinities and NaN are those of NumPy.
#[test]
fn diff_is_numpys_isclose() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import json, os, subprocess, sys
import numpy as np
npy, folder = sys.argv[1:]
os.chdir(folder)
parts = [0.0, -0.0, 1.0, 1.05, -1.0, 1e300, 1.0001e300, np.inf, -np.inf, np.nan]
numbers = [complex(re, im) for re in parts for im in parts]
a, b = (part.ravel() for part in np.meshgrid(numbers, numbers))
rng = np.random.default_rng(1)
near = rng.normal(size=4000) + 1j * rng.normal(size=4000)
angles = np.exp(2j * np.pi * rng.random(4000))
a, b = np.concatenate([a, near]), np.concatenate([b, near + angles * rng.choice([0.0999, 0.1001], 4000)])
for a, b in [(a, b), (a.real, b.real), (a, b.real), (a.real, b)]:
    np.save("a.npy", a); np.save("b.npy", b)
    objects = [array.astype(object) for array in (a, b)]
    for array, name in zip(objects, "pq"): np.save(name + ".npy", array)
    tolerances = [(0.02, 0.06), (0.0, 0.0), (0.1, 0.0), (0.0, 0.1)]
    for rtol, atol in tolerances if "NPY_THOROUGH" in os.environ else tolerances[:1]:
        for equal_nan in [True, False]:
            with np.errstate(all="ignore"):
                expected = list(np.flatnonzero(~np.isclose(a, b, rtol, atol, equal_nan)))
            files = [["a.npy", "b.npy"], ["p.npy", "q.npy"]]
            for names in files if "NPY_THOROUGH" in os.environ else files[equal_nan:][:1]:
                options = ["--rtol", str(rtol), "--atol", str(atol), "-n", "100000"] + ["--nan-differs"] * (not equal_nan)
                run = subprocess.run([npy, "diff", *names, "--json", *options], capture_output=True)
                line = json.loads(run.stdout)
                found = [value["row"] for value in line["values"]]
                assert found == expected, (names, rtol, atol, equal_nan, [(a[i], b[i]) for i in set(found) ^ set(expected)][:5])
                one_nan = np.isnan(a) != np.isnan(b)
                with np.errstate(all="ignore"): distances = np.abs(a - b)
                # An infinite number differs infinitely, also from one with another infinite part.
                distances[(np.isinf(a) | np.isinf(b))] = np.inf
                of_numbers = distances[[i for i in expected if not np.isnan(a[i]) and not np.isnan(b[i])]]
                assert float(line["largest_difference"]) == of_numbers.max(), (line["largest_difference"], of_numbers.max())
                assert line["nan_in_one"] == one_nan.sum()
# All dtypes of floats, with few values, and times; "not a time" alone differs from all others.
for turn in range(40):
    dtype = ["f2", "f4", "f8", "c8", "c16", "M8[s]", "m8[ms]"][turn % 7]
    if np.dtype(dtype).kind in "mM":
        a, b = (rng.choice([1, 2, np.iinfo("i8").min], 3).view(dtype) for _ in "ab")
        distances, nans = None, 0
        expected = ~((a == b) | (np.isnat(a) & np.isnat(b)))
    else:
        a, b = (rng.choice([1, 2.5, np.inf, -np.inf, np.nan], 3).astype(dtype) for _ in "ab")
        nans = (np.isnan(a) != np.isnan(b)).sum()
        expected = ~((a == b) | (np.isnan(a) & np.isnan(b)))
        with np.errstate(all="ignore"): distances = np.abs(a - b)[expected]
        distances = max(distances[~np.isnan(distances)], default=None)
    np.save("a.npy", a); np.save("b.npy", b)
    run = subprocess.run([npy, "diff", "a.npy", "b.npy", "--json"], capture_output=True)
    line = json.loads(run.stdout)
    largest = line["largest_difference"]
    assert (line["rows_that_differ"], line["nan_in_one"]) == (expected.sum(), nans), (a, b, line)
    assert (None if largest is None else float(largest)) == distances, (a, b, line)
"#;
    let npy = env!("CARGO_BIN_EXE_npy");
    npy_tests::Numpy::run(script, &[OsStr::new(npy), dir.path().as_os_str()]);
}

/// Guards structured arrays among objects, whose fields have the tolerances, and classes that other protocols of pickles name as Python 2 does.
#[test]
fn diff_of_objects_compares_fields_and_classes() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import collections, copyreg, functools, itertools, os, pickle, subprocess, sys, urllib.parse, uuid
from decimal import Decimal
from fractions import Fraction
import numpy as np
npy, folder = sys.argv[1:]
os.chdir(folder)
class Point:
    def __init__(self, x): self.x, self.classes = x, [list, {ValueError: range}]
class Items(list): pass
class Entries(dict): pass
class Text(str): pass
class Pair(tuple): pass
class Whole(int): pass
def save(name, objects, protocol=4):
    array = np.empty(len(objects), object)
    for i, each in enumerate(objects): array[i] = each
    with open(name, "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "|O", "fortran_order": False, "shape": array.shape})
        pickle.dump(array, file, protocol=protocol)
def rows(*options):
    run = subprocess.run([npy, "diff", "a.npy", "b.npy", "-n", "100", *options], capture_output=True, text=True)
    assert run.returncode < 2, run
    return [int(line.split()[1].strip(",")) for line in run.stdout.splitlines() if line.startswith("row ")]
record = [("x", "f8"), ("n", "i4"), ("p", [("v", "f4", 2), ("s", "U3")])]
def array(x, dtype=record): return np.array([(x, 1, ([x, np.nan], "a")), (2.0, 3, ([0, 0], "b"))], dtype)
def objects(x):
    one = array(x)
    return [one, one[0], [one], {"k": (one,)}, np.asfortranarray(one), one.astype([(name, ">f8" if name == "x" else dtype) for name, dtype in record])]
save("a.npy", objects(1.0)); save("b.npy", objects(1.0))
assert rows() == [] and rows("--nan-differs") == [0, 1, 2, 3, 4, 5], (rows(), rows("--nan-differs"))
save("b.npy", objects(1.001))
assert rows() == [0, 1, 2, 3, 4, 5] and rows("--atol", "0.01") == [] and rows("--rtol", "0.01") == [], rows("--atol", "0.01")
other = [("y", "f8"), *record[1:]]
save("b.npy", [array(1.0, other), array(1.0, other)[0], array(1.0)[:1], array(1.0, [*record[:2], ("p", [("v", "f4", 2), ("s", "U4")])])])
save("a.npy", [array(1.0), array(1.0)[0], array(1.0), array(1.0)])
assert rows("--atol", "0.01") == [0, 1, 2], rows("--atol", "0.01")
values = [
    collections.defaultdict(list, {1: [2]}), collections.Counter("aab"), collections.OrderedDict(a=1), range(5), slice(1, 2), Ellipsis, ValueError("x"), list, str,
    {list: 1, range: 2}, {int, float}, 1 + 2j, {1, 2}, frozenset("a"), b"x", bytearray(b"y"), np.float32(1), np.arange(3), np.array([1, None], object), array(1.0),
    Decimal("1.5"), Fraction(1, 3), collections.UserDict(a=1), Point(1), type(None), np.dtype("f4"), NotImplemented, print, Point, 2**70, "ä",
    urllib.parse.urlparse("http://a/b"), urllib.parse.quote, map, zip, filter, functools.reduce, functools.partial(int, base=2), itertools.zip_longest, OSError, ImportWarning,
]
values += [uuid.UUID(int=5), Items([1, 2]), Entries(a=1), Text("x"), Pair((1, 2)), Pair(()), Whole(5), collections.ChainMap({1: 2}), [{Whole(5): Point(2)}]]
for first in [0, 1, 2, 3, 4, 5]:
    for second in [2, 4]:
        save("a.npy", values, first); save("b.npy", values, second)
        assert rows() == [], (first, second, [values[row] for row in rows()])
save("a.npy", [Items([1, 2]), Entries(a=1), Text("x"), Pair((1, 2)), Point(1)], 0)
save("b.npy", [Items([1, 3]), Entries(a=2), Text("y"), Pair((1, 3)), Text("x")], 2)
assert rows() == [0, 1, 2, 3, 4], rows()
save("a.npy", [ValueError("x"), list, Point(1)], 2); save("b.npy", [TypeError("x"), dict, Point(2)], 4)
assert rows() == [0, 1, 2], rows()
One = collections.namedtuple("One", "x")
save("a.npy", [One(()), Pair(())], 4); save("b.npy", [One(()), Pair((1,))], 0)
assert rows() == [1], rows()
ranges = [range(0, 3, 2), range(0, 4, 2), range(0, 5, 2), range(0), range(5, 2), range(7, 8), range(7, 0, -9), range(2**70, 2**70 + 3, 2), range(2**70, 2**70 + 4, 2), range(0, -2**127, -1), range(0, 1 - 2**127, -1), range(-2**127, 2**127 - 1), range(-2**127, 2**127 - 1, 2), range(-2**127, 2**127 - 2, 2), range(2**200)]
pairs = list(itertools.product(ranges, ranges))
for wrap in [lambda each: each, lambda each: {each: 1}, lambda each: {each, "x"}, lambda each: [each]]:
    save("a.npy", [wrap(a) for a, _ in pairs], 2); save("b.npy", [wrap(b) for _, b in pairs], 4)
    run = subprocess.run([npy, "diff", "a.npy", "b.npy", "-n", "1000", "--json"], capture_output=True, text=True)
    found = [value["row"] for value in __import__("json").loads(run.stdout)["values"]]
    assert found == [row for row, (a, b) in enumerate(pairs) if a != b], [pairs[row] for row in set(found) ^ {row for row, (a, b) in enumerate(pairs) if a != b}]
save("a.npy", [One((1,)), One(((1, 2),))], 4); save("b.npy", [One(1), One((1, 2))], 0)
assert rows() == [0, 1], rows()
save("b.npy", [One((1,)), One(((1, 2),))], 0)
assert rows() == [], rows()
# Calls of the function of protocols 0 and 1 that no class makes: each part of them counts. Beside the call of the class, only those that a class makes are equal to it.
Rebuilt = type("Rebuilt", (), {"__init__": lambda self, *call: setattr(self, "call", call), "__reduce__": lambda self: (copyreg._reconstructor, (Items, *self.call[:2]), None, iter(self.call[2:]))})
calls = [(list, [1], 2), (list, [1], 3), (list, [1]), (object, None), (object, 5), (list, "abc"), (list, "xyz"), (tuple, "abc"), (tuple, 5), (dict, [1]), (dict, "x"), (list, []), (dict, {}), (tuple, ()), (set, (1,)), (set, 5)]
for at, call in enumerate(calls):
    save("a.npy", [Rebuilt(*call)] * len(calls)); save("b.npy", [Rebuilt(*other) for other in calls])
    assert rows() == [row for row in range(len(calls)) if row != at], (call, rows())
save("a.npy", [Rebuilt(*call) for call in calls])
save("b.npy", [Items([1, 2]) if call[0] is list and len(call) > 2 else Items([1]) if call == (list, [1]) else Items() for call in calls], 2)
assert rows() == [1, 4, 5, 6, 7, 8, 9, 10, 14, 15], rows()
# Protocol 2 names a class that is new in Python 3 as another, which is the one that is loaded.
save("a.npy", [FileNotFoundError, zip], 2); save("b.npy", [FileNotFoundError, map], 4)
assert np.load("a.npy", allow_pickle=True)[0] is OSError and rows() == [0, 1], rows()
"#;
    let npy = env!("CARGO_BIN_EXE_npy");
    npy_tests::Numpy::run(script, &[OsStr::new(npy), dir.path().as_os_str()]);
}

/// Guards what Python says of decimal and long numbers, of `OrderedDict` and of `deque`, in any container.
#[test]
fn objects_are_equal_as_python_says() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import datetime as dt, itertools, os, re, subprocess, sys, warnings
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction as F
import numpy as np, pandas as pd
npy, folder = sys.argv[1:]
os.chdir(folder)
sys.set_int_max_str_digits(0)
warnings.simplefilter("ignore")
D = Decimal
noon, zones = dt.datetime(2024, 1, 1, 12), [None, *(dt.timezone(dt.timedelta(minutes=m)) for m in (0, 120, -450))]
aware = [noon.replace(tzinfo=dt.timezone.utc).astimezone(zone) for zone in zones[1:]]
times = [noon, *aware, *(noon.replace(tzinfo=zone) for zone in zones[2:]), noon.date(), *(dt.time(12, tzinfo=zone) for zone in zones[:2]), dt.time(14, tzinfo=zones[2]), pd.Timestamp(noon), pd.Timestamp(aware[0]), dt.timedelta(minutes=1), pd.Timedelta("1min")]
times += [np.datetime64(x, unit) for x in ("2024-01-01", "2024-01-01T12") for unit in ("D", "h", "us", "ns")] + [np.datetime64("2024", "Y"), np.datetime64("2024-01", "M")]
times += [np.timedelta64(1, "m"), np.timedelta64(60, "s"), np.timedelta64(60 * 10**9, "ns"), np.timedelta64(1, "h")]
scalars = [np.float32(0.1), np.float64(0.1), np.float16(0.1), np.complex64(0.1), np.longdouble(0.1), np.float32(2**24 + 1), 2**24 + 1, np.int64(2**53 + 1), 2**53 + 1, float(2**53), np.float64(2**53), np.uint8(1), np.bool_(True), np.float32("inf"), np.float16(2048), 2049, 0.1 + 0j]
numbers = [
    F(1), F(1, 2), F(-7, 40), D("-0.175"), -0.175, F(1, 3), 1 / 3, F(10**50), F(10**50, 3), F(0), F(0.1), F(1, 2**60), 2.0**-60, F(10**50 + 1, 2), D("5" + "0" * 49 + ".5"), F(5e-324), 5e-324, F(D(5e-324)) * 3, F(10**5000 + 1, 2), 10**5000, D(10) ** 5000, D("1E+5000"), 10**5000 + 1, -(7**6000), D(-(7**6000)), F(10**5000), F(10**5000, 3),
    D("1.0"), D("1.00"), D("1"), 1, 1.0, True, 1 + 0j, D("-0"), D("0"), 0, -0.0, D("NaN"), D("Infinity"), D("-Infinity"), float("inf"),
    D("1E+2"), 100, D("0.1"), 0.1, D(0.1), 10**50, D("1E+50"), 1e50, 2**200, 2.0**200, D(2**200), D("1E-400"), D("1E+400"), 10**400, D("1e999999"), D("-5"), -5, 0.5 + 0j, D("0.5"),
    2**127, -(2**127), D(2**127), float(2**127), -float(2**127), 2**127 - 1, 1 - 2**127, b"1", bytearray(b"1"), b"x" * 300, bytearray(b"x" * 300), "1", None, [1], deque([1]), (1,), deque(), [],
]
a, b = [("a", 1), ("b", 2)], [("b", D("2.0")), ("a", True)]
dicts = [kind(x) for kind in (dict, OrderedDict, lambda x: defaultdict(int, x)) for x in (a, b)]
dicts += [{}, Counter(), Counter("a"), {"a": 1}, Counter(a=0), {"a": 0}, Counter(a=D("1.0"), b=0.0)]
keys = [{x: 0, y: 1} for x, y in itertools.permutations([1, D("0.5"), 10**50, "k"], 2)] + [{D("1.0"): 0, 0.5: D(1)}, {D("1E+50"): 0, "k": 1}]
sets = [{1, D("0.5"), 10**50}, {D("1E+50"), True, 0.5}, {1, 2}]
sets += [frozenset(x) for x in sets] + [{frozenset({1, 2})}, frozenset({frozenset({True, 2.0})})]
inner = numbers + dicts + keys + sets
# The comparison of numbers with thousands of digits takes long.
short = [x for x in inner if len(repr(x)) < 400]
values = inner + [[x] for x in short] + [{"k": x} for x in short] + [OrderedDict(k=x) for x in short]
def saved(name, values):
    array = np.empty(len(values), object)
    for at, value in enumerate(values):
        array[at] = value
    np.save(name, array)
def is_equal(x, y):
    try:
        return bool(x == y)
    except (OverflowError, TypeError, ValueError):
        return False
arrays = [np.array(x) for x in ([1], [1.0], ["1"], [b"1"], ["x"], [b"x"], [True], ["1", "x"])]
def are_equal(x, y):
    return np.array_equal(x, y) if isinstance(x, np.ndarray) else is_equal(x, y)
# Objects that rows share: an ordered dict equals a plain one in any order, and two plain ones equal each other.
shared = [wrap(x) for wrap in (lambda x: [x], lambda x: (x, [x]), lambda x: {"k": [x]}, lambda x: {x: 0} if isinstance(x, F) else [[x, 1]]) for x in dicts + [F(1, 3)]]
grouped = [*itertools.product(times, times), *itertools.product(scalars, scalars)]
plain = [x for x in numbers if type(x) in (int, float, bool, complex)]
special = list(itertools.product(scalars, plain)) + [(wrap(x), wrap(y)) for x, y in grouped for wrap in (lambda x: x, lambda x: [(x,)], lambda x: {"k": x})]
is_numpy = lambda x: isinstance(x, (np.datetime64, np.timedelta64))
special += [({x: 0}, {y: 0}) for x, y in grouped if is_numpy(x) == is_numpy(y)]
pairs = special + list(itertools.product(arrays, arrays)) + list(itertools.product(shared, shared)) + [(x, y) for at, (x, y) in enumerate(itertools.product(inner, inner)) if at % 7 == 0 or len(repr(x)) + len(repr(y)) < 400 or x == y] + [(values[i], values[j]) for i, j in itertools.product(range(len(inner), len(values)), repeat=2) if (i * 7 + j) % 17 == 0]
saved("a.npy", [x for x, _ in pairs])
saved("b.npy", [y for _, y in pairs])
done = subprocess.run([npy, "diff", "a.npy", "b.npy", "-n", "1000000"], capture_output=True, text=True)
rows = {int(row.replace(",", "")) for row in re.findall(r"^row ([\d,]+), value", done.stdout, re.M)}
assert len(rows) > 1000, done
known = {}
def has_nan(x):
    if id(x) not in known:
        known[id(x)] = "NaN" in repr(x)
    return known[id(x)]
for row, (x, y) in enumerate(pairs):
    # NaN is equal to itself here.
    if has_nan(x) and has_nan(y):
        continue
    assert are_equal(x, y) == (row not in rows), (x, y, row in rows)
print(len(pairs))
"#;
    let npy = env!("CARGO_BIN_EXE_npy");
    let count = npy_tests::Numpy::run(script, &[OsStr::new(npy), dir.path().as_os_str()]);
    assert!(count.trim().parse::<u32>().unwrap() > 10_000, "{count}");
}

/// Guards an array of objects that is compared with one of another dtype: each value as Python compares it.
#[test]
fn objects_are_equal_to_values_as_python_says() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import datetime as dt, itertools, os, subprocess, sys
from decimal import Decimal
from fractions import Fraction
import numpy as np, pandas as pd
npy, folder = sys.argv[1:]
os.chdir(folder)
day, noon, span = dt.date(2024, 1, 1), dt.datetime(2024, 1, 1, 12), dt.timedelta(seconds=90)
values = [
    np.array(x) for x in (1, 2, 2.0, 0.5, np.float32(0.1), 0.1, 2**63, True, 1 + 2j, float("nan"), float("inf"), 1e50, "1", "a", "", "nan", b"a", b"", b"1")
] + [np.datetime64(x) for x in ("2024-01-01", "2024-01-01T12", "2024-01-01T12:00:00.000000000", "NaT")] + [np.timedelta64(90, "s"), np.timedelta64(2, "m")]
nan = float("nan")
objects = [
    1, 2, True, 1.0, 0.5, 0.1, float(np.float32(0.1)), 2**63, 2**64, 1 + 2j, nan, float("inf"), Decimal("0.5"), Decimal("0.1"), Decimal("NaN"), Fraction(1, 2), Fraction(0.1), Fraction(1, 3), 10**50, int(1e50),
    "1", "a", "", "nan", b"a", b"", b"1", None, pd.NA, pd.NaT, np.datetime64("NaT"), np.str_("a"), np.bytes_(b"a"), np.float64(0.5), np.int8(1), day, noon, span, pd.Timestamp(noon), pd.Timedelta(span),
    np.datetime64("2024-01-01"), np.datetime64("2024-01-01T12"), np.timedelta64(90, "s"), np.timedelta64(90_000, "ms"), [1], (1,), {}, dt.time(12),
]
def is_equal(x, y):
    is_time = y.dtype.kind in "mM"
    if isinstance(x, (float, Decimal)) and x != x:
        return y.dtype.kind == "f" and np.isnan(y)
    if x is pd.NaT or isinstance(x, np.datetime64) and np.isnat(x):
        return is_time and np.isnat(y)
    if isinstance(x, (int, float, complex, Decimal, Fraction)) and y.dtype.kind in "biufc":
        return bool(x == y.item())
    if is_time and isinstance(x, (dt.date, dt.timedelta, np.datetime64, np.timedelta64)):
        x = (np.timedelta64 if isinstance(x, (dt.timedelta, np.timedelta64)) else np.datetime64)(x)
        return x.dtype.kind == y.dtype.kind and bool(x == y)
    return x is not pd.NA and type(x) in (str, bytes, np.str_, np.bytes_, np.float64, np.int8) and bool(x == y.item())
count = 0
for value in values:
    array = np.empty(len(objects), object)
    array[:] = objects
    np.save("o.npy", array)
    np.save("v.npy", np.full(len(objects), value))
    for pair in (["o.npy", "v.npy"], ["v.npy", "o.npy"]):
        done = subprocess.run([npy, "diff", "--values", *pair, "-n", "1000"], capture_output=True, text=True)
        rows = {int(line[4:].split(",")[0]) for line in done.stdout.splitlines() if line.startswith("row ")}
        assert done.returncode == 1 and not done.stderr, done
        for row, x in enumerate(objects):
            assert is_equal(x, np.array(value)) == (row not in rows), (x, value, row in rows, done.stdout)
            count += row not in rows
print(count)
"#;
    let npy = env!("CARGO_BIN_EXE_npy");
    let count = npy_tests::Numpy::run(script, &[OsStr::new(npy), dir.path().as_os_str()]);
    assert!(count.trim().parse::<u32>().unwrap() > 80, "{count}");
}

/// Guards the time of a comparison: a sub-array of a forged pickle has two billion elements without bytes.
#[test]
fn objects_with_elements_without_bytes_are_compared_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"
import os, pickle, subprocess, sys
import numpy as np
npy, folder = sys.argv[1:]
os.chdir(folder)
class Forged:
    def __init__(self, *parts): self.parts = parts
    def __reduce__(self): return self.parts
def dtype(*state): return Forged(np.dtype, ("V0", False, True), (3, "|", *state))
empty = dtype((dtype(None, None, None, 0, 1, 0), (2147483647,)), None, None, 0, 1, 0)
record = dtype(None, ("x", "y"), {"x": (empty, 0), "y": (np.dtype("<f8"), 0)}, 8, 1, 16)
def save(name, y):
    part = Forged(*np.zeros(1).__reduce__()[:2], (1, (1,), record, False, np.float64(y).tobytes()))
    make, args, state = np.zeros(1, object).__reduce__()
    with open(name, "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "|O", "fortran_order": False, "shape": (1,)})
        pickle.dump(Forged(make, args, (*state[:-1], [part])), file, protocol=4)
for name, y, code in [("a", 1.0, 0), ("b", 1.05, 0), ("c", 2.0, 1)]:
    save(name + ".npy", y)
    run = subprocess.run([npy, "diff", "--rtol", "0.1", "--nan-differs", "a.npy", name + ".npy"], timeout=20)
    assert run.returncode == code, name
"#;
    let npy = OsStr::new(env!("CARGO_BIN_EXE_npy"));
    npy_tests::Numpy::run(script, &[npy, folder.path().as_os_str()]);
}
