"""Values that must be in the file, or in memory, as they are."""

from __future__ import annotations

import collections
import datetime
import decimal
import fractions
import io
import os
import pathlib
import pickle
import random
import re
import subprocess
import sys
import time
import types
import uuid
import zoneinfo
from typing import Any

import numpy as np
import pandas as pd
import pytest
from same import same

import npy_core as npy
from npy_core import _native


def one(value: Any) -> Any:
    """Makes an array of one object."""
    array = np.empty(1, object)
    array[0] = value
    return array


def equal_objects(a: Any, b: Any) -> None:
    """Compares records field by field, and sub-arrays with them."""
    assert type(a) is type(b), (a, b)
    if isinstance(a, np.ndarray):
        assert a.dtype == b.dtype and a.shape == b.shape
        if a.dtype.names is not None:
            for name in a.dtype.names:
                equal_objects(a[name], b[name])
            return
        for x, y in zip(a.ravel().tolist(), b.ravel().tolist()):
            equal_objects(x, y)
        return
    assert a == b


DTYPES: list[Any] = [
    [("o", "O", (2,))],
    [("n", [("o", "O")], (2,))],
    [("n", [("o", "O", (2,)), ("i", "i4")], (2, 1)), ("s", "U3"), ("p", "O")],
    [("m", [("o", "O"), ("f", "f4", (2,))])],
    [("a", [("b", [("c", "O", (2,))], (2,))], (2,))],
]


def fill(array: Any, count: list[int]) -> None:
    for name in array.dtype.names:
        field = array[name]
        if field.dtype.names is not None:
            fill(field, count)
        elif field.dtype.kind == "O":
            for i in range(field.size):
                count[0] += 1
                field[np.unravel_index(i, field.shape)] = [f"text {count[0]}", count[0]][count[0] % 2]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3)])
def test_sub_arrays_of_objects_are_set(dtype: Any, shape: tuple[int, ...]) -> None:
    values: Any = np.zeros(shape, dtype)
    fill(values, [0])
    for order in "CF":
        array = np.asarray(values, order=order)  # type: ignore[call-overload]
        np.save("x.npy", array, allow_pickle=True)
        theirs = np.load("x.npy", allow_pickle=True)
        equal_objects(npy.load("x.npy"), theirs)
        npy.save("y.npy", array)
        assert pathlib.Path("x.npy").read_bytes() == pathlib.Path("y.npy").read_bytes()
        npy.savez("x.npz", x=array)
        equal_objects(npy.Npz("x.npz")["x"], theirs)
        if shape:
            equal_objects(npy.load("x.npy", rows=slice(0, 1)), theirs[:1])
        np.save("o.npy", one(array), allow_pickle=True)
        equal_objects(npy.load("o.npy"), np.load("o.npy", allow_pickle=True))


class Short(io.RawIOBase):
    """A file that takes at most seven bytes at a time, and then none."""

    def __init__(self, most: int) -> None:
        self.bytes, self.most = b"", most

    def write(self, block: Any) -> int | None:
        part = bytes(block)[: min(7, self.most - len(self.bytes))]
        self.bytes += part
        return len(part) or None


def test_a_file_object_that_takes_less_gets_the_rest() -> None:
    npy.save("x.npy", np.arange(10))
    file = Short(1 << 20)
    npy.save(file, np.arange(10))  # type: ignore[arg-type]
    assert file.bytes == pathlib.Path("x.npy").read_bytes()
    file = Short(1 << 20)
    npy.savez(file, a=np.arange(10))  # type: ignore[arg-type]
    assert (np.load(io.BytesIO(file.bytes))["a"] == np.arange(10)).all()
    for write in (npy.save, npy.savez):
        with pytest.raises(OSError, match="blocking"):
            write(Short(100), np.arange(10))


def test_a_limit_of_the_size_of_files_is_an_error() -> None:
    program = """
import numpy as np, npy_core as npy, resource
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
for write in (npy.save, npy.savez):
    with open("x.bin", "wb", buffering=0) as file:
        try:
            write(file, np.random.default_rng(0).random(10_000))
        except OSError:
            print("refused")
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["refused", "refused"]


def test_a_pipe_that_does_not_wait_is_an_error() -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    with open(read, "rb"), open(write, "wb", buffering=0) as file, pytest.raises(OSError, match="blocking"):
        npy.save(file, np.zeros(1 << 20))


def shared_key(levels: int) -> Any:
    key: Any = (1, 2)
    for _ in range(levels):
        key = (key,) * 10
    return key


def test_a_key_that_python_would_hash_for_years_is_refused() -> None:
    # A dict of the key and None. Python itself could not make it.
    with_pickle(b"}" + pickle.dumps(shared_key(30), 2)[2:-1] + b"Ns")
    begin = time.perf_counter()
    with pytest.raises(npy.NpyValueError, match="keys"):
        npy.load("x.npy")
    assert time.perf_counter() - begin < 5
    npy.save("x.npy", one({tuple(range(50_000)): 1, shared_key(4): frozenset(range(20_000))}))
    assert len(npy.load("x.npy")[0]) == 2


def test_fold_is_kept() -> None:
    times = [
        datetime.datetime(2020, 10, 25, 2, 30, fold=1),
        datetime.datetime(2020, 10, 25, 2, 30),
        datetime.datetime(2020, 10, 25, 2, 30, tzinfo=datetime.timezone.utc, fold=1),
        datetime.time(2, 30, fold=1),
        datetime.time(2, 30),
    ]
    npy.save("x.npy", np.array(times, object))
    theirs = np.load("x.npy", allow_pickle=True)
    for ours, value in zip(npy.load("x.npy"), theirs):
        assert ours == value and ours.fold == value.fold


class Kind(dict[str, int]):
    """A subclass of a type of data."""


ODD = [
    fractions.Fraction(1, 3),
    ...,
    slice(1, 2),
    uuid.UUID(int=1),
    pathlib.PurePosixPath("a"),
    int,
    len,
    collections.Counter("ab"),
    collections.OrderedDict(a=1),
    collections.defaultdict(list),
    collections.deque([1]),
    Kind(a=1),
    np.ma.MaskedArray([1, 2], mask=[True, False]),
    np.rec.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
    zoneinfo.ZoneInfo("UTC"),
    datetime.datetime(2020, 1, 1, tzinfo=zoneinfo.ZoneInfo("UTC")),
    datetime.timezone.utc,
    types.SimpleNamespace(a=1),
    npy.Call("m.f", (1,)),
]


@pytest.mark.parametrize("value", ODD, ids=lambda value: type(value).__name__)
def test_an_object_that_would_not_come_back_is_refused(value: Any) -> None:
    name = type(value).__name__
    for array, place in (
        (one(value), r"array\[0\]"),
        (one({"a": [1, (2, value)]}), r"array\[0\]\['a'\]\[1\]\[1\]"),
        (one(one(value)), r"array\[0\]\[0\]"),
    ):
        with pytest.raises(npy.NpyTypeError, match=f"{place} is a .*{name}"):
            npy.save("x.npy", array)
        with pytest.raises(npy.NpyTypeError, match=f"{place} is a .*{name}"):
            npy.savez("x.npz", array)
    grid, records = np.empty((2, 2), object), np.zeros(2, [("i", "i4"), ("o", "O", (2,))])
    grid[1, 0], records["o"][1, 0] = value, value
    with pytest.raises(npy.NpyTypeError, match=rf"array\[1, 0\] is a .*{name}"):
        npy.save("x.npy", grid)
    with pytest.raises(npy.NpyTypeError, match=rf"array\['o'\]\[1, 0\] is a .*{name}"):
        npy.save("x.npy", records)
    assert not os.path.exists("x.npy")


ZONE = zoneinfo.ZoneInfo("UTC")


@pytest.mark.parametrize(
    ("value", "advice", "call"),
    [
        (
            datetime.datetime(2020, 1, 1, tzinfo=ZONE),
            "with the time zone zoneinfo.ZoneInfo, .* use value.astimezone(datetime.timezone.utc)",
            lambda value: value.astimezone(datetime.timezone.utc),
        ),
        (datetime.time(1, tzinfo=ZONE), "with the time zone zoneinfo.ZoneInfo, .* use value.replace(tzinfo=None)", lambda value: value.replace(tzinfo=None)),
        ("Timestamp", "is a .*Timestamp, .* use value.to_datetime64()", lambda value: value.to_datetime64()),
        ("Timedelta", "is a .*Timedelta, .* use value.to_timedelta64()", lambda value: value.to_timedelta64()),
    ],
    ids=str,
)
def test_times_that_would_not_come_back_are_refused_with_the_value_that_does(value: Any, advice: str, call: Any) -> None:
    if isinstance(value, str):
        value = getattr(pytest.importorskip("pandas"), value)(1577836800000000001)
    with pytest.raises(npy.NpyTypeError, match=advice.replace("(", r"\(").replace(")", r"\)")):
        npy.save("x.npy", one(value))
    npy.save("x.npy", one(call(value)))
    loaded = npy.load("x.npy")[0]
    assert type(loaded) is type(call(value)) and loaded == call(value)


def test_data_is_saved() -> None:
    zone = datetime.timezone(datetime.timedelta(hours=2))
    plain = [
        [None, True, 1, 1 << 80, 1.5, 1j, "text", b"bytes", bytearray(b"b"), range(3)],
        {"a": (1, [2], {3}, frozenset({4}))},
        [datetime.date(2020, 1, 1), datetime.time(1, tzinfo=zone), datetime.datetime(2020, 1, 1, tzinfo=zone), datetime.timedelta(1)],
        [decimal.Decimal("1.50"), np.float32(1.5), np.int8(1), np.str_("a"), np.datetime64("2020-01-01"), np.bool_(True)],
        np.arange(3),
    ]
    circle: list[Any] = []
    circle.append(circle)
    array = np.empty(len(plain) + 1, object)
    for i, value in enumerate([*plain, circle]):
        array[i] = value
    npy.save("x.npy", array)
    loaded = npy.load("x.npy")
    same(loaded[:-1], np.load("x.npy", allow_pickle=True)[:-1])
    assert loaded[-1][0] is loaded[-1]


NANOSECONDS = pd.Timestamp("2020-01-01 00:00:00.123456789")


@pytest.mark.parametrize(
    ("dtype", "rows"),
    [
        ("i8", [1.7]),
        ("i8", [1.0]),
        ("u1", [256]),
        ("u1", [-1]),
        ("f8", [(1 << 53) + 1]),
        ("f4", [1e300]),
        ("f8", [1j]),
        ("U2", ["abcdef"]),
        ("U2", [12]),
        ("S2", [b"abc"]),
        ("?", [2]),
        ("M8[D]", ["2020-01-01T12:30"]),
        ("M8[D]", [datetime.datetime(2020, 1, 1, 12, 30)]),
        ("m8[h]", [datetime.timedelta(minutes=30)]),
        ("m8[ns]", [datetime.timedelta(days=300 * 365)]),
        ("m8[us]", [pd.Timedelta(7, "ns")]),
        ("M8[us]", [NANOSECONDS]),
        ("M8[ns]", ["3000-01-01"]),
        ("M8[ns]", ["3000-01-01", "2020-01-01T00:00:00.123456789"]),
        ("M8[ns]", [np.datetime64("3000-01-01"), np.datetime64("2020-01-01T00:00:00.123456789")]),
        ("M8[ns]", [datetime.date(3000, 1, 1)]),
        ("M8[ns]", [pd.Timestamp("3000-01-01"), NANOSECONDS]),
        ([("t", "M8[ns]")], [("3000-01-01",)]),
        ([("a", "i4"), ("b", "U2")], [(1.5, "a")]),
        ([("a", "i4"), ("b", "U2")], [(1, "abc")]),
        ([("a", [("c", "i4", (2,))])], [(([1, 2.5],),)]),
    ],
    ids=str,
)
def test_rows_that_would_change_are_refused(dtype: Any, rows: Any) -> None:
    npy.save("x.npy", np.zeros(2, dtype))
    old = pathlib.Path("x.npy").read_bytes()
    with pytest.raises(npy.NpyTypeError):
        npy.append("x.npy", rows)
    assert pathlib.Path("x.npy").read_bytes() == old
    with npy.Writer("w.npy", dtype) as w, pytest.raises(npy.NpyTypeError):
        w.write(rows)


@pytest.mark.parametrize(
    ("dtype", "rows"),
    [
        ("f8", [1, 2]),
        ("f4", [0.1, 2, float("nan"), float("inf")]),
        ("u1", [255, 0]),
        ("c8", [1, 2.5, 1j]),
        ("u8", [(1 << 64) - 1]),
        ("f8", [1 << 70]),
        ("?", [True]),
        ("i2", [True, 3]),
        ("U3", ["a", "abc"]),
        ("S3", [b"a", "abc"]),
        ("M8[s]", ["2020-01-01T12:30"]),
        ("M8[s]", [datetime.date(2020, 1, 1), None]),
        ("M8[us]", [datetime.datetime(2020, 1, 1, 12, 30)]),
        ("m8[s]", [datetime.timedelta(minutes=30)]),
        ([("a", "f4"), ("b", "U2")], [(1, "a"), (0.5, "ab")]),
        ([("a", "f4"), ("b", "U2", (2,))], (1, ["a", "b"])),
        ("f8", []),
    ],
    ids=str,
)
def test_rows_that_fit_are_appended(dtype: Any, rows: Any) -> None:
    npy.save("x.npy", np.zeros(2, dtype))
    npy.append("x.npy", rows)
    expected = np.asarray(rows, dtype).reshape(-1)
    loaded = npy.load("x.npy")[2:]
    assert loaded.tobytes() == expected.tobytes()


@pytest.mark.filterwarnings("ignore:no explicit representation of timezones")
@pytest.mark.parametrize("row", [NANOSECONDS, pd.Timedelta(7, "ns"), pd.Timestamp("2020-01-01 00:00:00.000000001+0100")], ids=str)
def test_times_of_pandas_keep_their_nanoseconds(row: Any) -> None:
    kind = row.to_numpy().dtype
    npy.append("x.npy", np.zeros(0, kind))
    npy.append("r.npy", np.zeros(0, [("i", "i4"), ("t", kind)]))
    for rows in ([row], row, [None, row]):
        npy.append("x.npy", rows)
        assert npy.load("x.npy")[-1] == row.to_numpy()
    npy.append("r.npy", [(1, row)])
    assert npy.load("r.npy")["t"][0] == row.to_numpy()


def with_pickle(value: bytes) -> None:
    """Writes an array of one object, which this pickle makes."""
    stream = io.BytesIO()
    np.save(stream, one(["mark"]), allow_pickle=True)
    pathlib.Path("x.npy").write_bytes(stream.getvalue())
    array = pickle.dumps(one("MARKMARK"), protocol=2).replace(b"X\x08\0\0\0MARKMARK", value)
    header = npy.header("x.npy").offset
    pathlib.Path("x.npy").write_bytes(stream.getvalue()[:header] + array)


@pytest.mark.parametrize(
    ("value", "name", "args"),
    [
        (b"cbuiltins\ngetattr\ncdatetime\ndatetime\nX\x03\0\0\0now\x86R)R", "datetime.datetime.now", ()),
        (b"cbuiltins\ngetattr\ncos\nsystem\nX\x08\0\0\0__call__\x86R", "builtins.getattr", (npy.Call("os.system"), "__call__")),
        (b"cm\nf\nK\x01\x85RK\x02\x85R", "m.f()", (2,)),
        (b"cos\nsystem\nX\x01\0\0\0a\x85R", "os.system", ("a",)),
    ],
)
def test_a_call_says_as_much_of_its_name_as_is_known(value: bytes, name: str, args: Any) -> None:
    with_pickle(value)
    call = npy.load("x.npy")[0]
    assert call.name == name
    assert call.args == args


def test_an_array_in_its_own_list_is_the_array() -> None:
    for shape in [(2,), (1, 2), (2, 1)]:
        array = np.empty(shape, object)
        array.flat[0] = [array]
        np.save("x.npy", array, allow_pickle=True)
        loaded = npy.load("x.npy")
        assert loaded.flat[0][0] is loaded
    array = np.empty(1, object)
    array[0] = array
    np.save("x.npy", array, allow_pickle=True)
    loaded = npy.load("x.npy")
    assert loaded[0] is loaded


def test_rows_that_were_not_counted_are_kept_by_the_command() -> None:
    npy.save("x.npy", np.arange(3.0))
    with open("x.npy", "ab") as file:
        file.write(np.array([3.0, 4.0]).tobytes())
    with pytest.raises(npy.NpyValueError, match="npy append --uncounted keep FILE") as error:
        npy.append("x.npy", [5.0])
    assert "::" not in str(error.value)
    subprocess.run([sys.executable, "-m", "npy_core", "append", "--uncounted", "keep", "x.npy"], check=True)
    npy.append("x.npy", [5.0])
    assert npy.load("x.npy").tolist() == [0, 1, 2, 3, 4, 5]


def test_wrong_arguments_are_errors_of_this_package() -> None:
    npy.save("x.npy", np.arange(10))
    npy.savez("x.npz", x=np.arange(10))
    wrong: Any
    for wrong in ({"rows": slice(0, 5, 0)}, {"rows": slice("a", None)}, {"threads": "2"}, {"threads": 1.5}):
        with pytest.raises(npy.NpyError):
            npy.load("x.npy", **wrong)
    with pytest.raises(npy.NpyValueError, match="step is 0"):
        npy.Npz("x.npz").read("x", rows=slice(0, 5, 0))
    for wrong in ({"compress": "6"}, {"threads": "2"}):
        with pytest.raises(npy.NpyTypeError):
            npy.savez("y.npz", x=[1], **wrong)


def test_a_scan_says_in_python_why_it_has_no_text() -> None:
    pa = pytest.importorskip("pyarrow")
    npy.save("x.npy", np.array(["a", "\ud800"]))
    npy.save("o.npy", np.array(["a", [1]], object))
    for name in ("x.npy", "o.npy"):
        with pytest.raises(Exception) as error:
            pa.table(npy.scan(name))
        assert "Rust" not in str(error.value) and "::" not in str(error.value), error.value


def _outcome(path: str) -> tuple[str, bytes]:
    """The values with their identities, or the exception."""
    try:
        array = npy.load(path)
    except npy.NpyError as error:
        return type(error).__name__, b""
    return repr(array), pickle.dumps(array.tolist(), 4)


PLAIN = [
    ["a", "é", "🦀", "", None, True, False, 0, -1, 255, 256, 65536, -(2**31), 2**31, -(2**63), 2**63 - 1, 1.5, -0.0, float("nan")],
    [b"", b"x", b"y" * 300, "z" * 300, "z" * 70000, (), ("a",), (1, 2), (1, 2, 3), (1, 2, 3, 4), [], [1], list(range(2000))],
    [{}, {"a": 1}, {1: 2, None: 3}, {"a": {"b": [{"c": ()}]}}, {b"k": [1, (2, [3])]}],
    # Names in NumPy's own calls.
    ["numpy", "dtype", "O8", "|", "_reconstruct", sys.intern("numpy"), b"b"],
    # Read by the library.
    [{1}, "a"],
    ["a", frozenset([1])],
    ["a", 2**63, 2**70],
    ["a", "\ud800"],
    [{(1, 2): 3}, "a"],
    ["a", datetime.date(2000, 1, 2)],
    ["a", np.arange(3)],
    ["a", bytearray(b"xy")],
]


def _plain_files(protocol: int) -> list[np.ndarray[Any, Any]]:
    arrays = []
    for values in PLAIN:
        array = np.empty(len(values), object)
        array[:] = values
        arrays.append(array)
    shared = "shared"
    twice: list[Any] = [shared, shared]
    arrays.append(np.array([twice, twice, shared, {"k": shared}, None], object))
    circle: list[Any] = []
    circle.append(circle)
    arrays.append(np.array([circle, {"c": circle}, None], object))
    inside: Any = np.empty(2, object)
    inside[:] = ["a", inside]
    arrays.append(inside)
    grid = np.array([[f"{i}" for i in range(40)] for _ in range(60)], object)
    arrays.extend([grid, np.asfortranarray(grid), grid[:0], np.array({"a": 1}, object), np.array("a", object)])
    return arrays


def _save_pickle(path: str, shape: tuple[int, ...], data: bytes, is_fortran: bool = False) -> None:
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "|O", "fortran_order": is_fortran, "shape": shape})
        file.write(data)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_plain_objects_are_made_as_the_library_reads_them(protocol: int) -> None:
    for array in _plain_files(protocol):
        data = pickle.dumps(array, protocol)
        if protocol == 5:
            # Protocol 5 has other calls for contiguous arrays without objects alone.
            assert b"_frombuffer" not in data or b"_reconstruct" in data
        is_fortran = not array.flags.c_contiguous
        _save_pickle("o.npy", array.shape, data, is_fortran)
        # An object that is dropped at once is not what NumPy writes, so that the library reads this file.
        _save_pickle("general.npy", array.shape, data[:2] + b"N0" + data[2:], is_fortran)
        expected = np.load("o.npy", allow_pickle=True)
        assert repr(npy.load("o.npy")) == repr(expected)
        assert _outcome("o.npy") == _outcome("general.npy")
        with open("o.npy", "rb") as stream:
            assert repr(npy.load(stream)) == repr(expected) and not stream.read()
        np.savez("o.npz", a=array)
        assert repr(npy.Npz("o.npz")["a"]) == repr(expected)


@pytest.mark.parametrize("protocol", [2, 3])
def test_damaged_plain_objects_are_as_the_library_reads_them(protocol: int) -> None:
    chance = random.Random(protocol)
    made = 0
    for array in _plain_files(protocol)[:6] * 60:
        data = bytearray(pickle.dumps(array, protocol))
        # Most changes are in the objects, after NumPy's calls.
        first = chance.choice([0, *[data.index(b"]")] * 7])
        for _ in range(chance.choice([1, 1, 2, 5])):
            at = chance.randrange(first, len(data))
            opcodes = b"(tNae]}su).0q\x00h\x85\x86\x87\x94bR\x88K"
            change = chance.choice(["set", "set", "insert", "remove", "copy"])
            if change == "set":
                data[at] = chance.choice([chance.randrange(256), chance.choice(opcodes)])
            elif change == "insert":
                data.insert(at, chance.choice(opcodes))
            elif change == "remove":
                del data[at]
            else:
                data[at:at] = data[at : at + chance.randrange(8)]
        shape = chance.choice([*[array.shape] * 6, (), (1,)])
        _save_pickle("o.npy", shape, bytes(data))
        _save_pickle("general.npy", shape, bytes(data[:2] + b"N0" + data[2:]))
        plain = _outcome("o.npy")
        assert plain == _outcome("general.npy"), bytes(data)
        made += plain[1] != b""
    # Enough of them are still arrays.
    assert made > 20


def test_a_list_of_objects_that_is_recalled_is_not_the_array() -> None:
    data = pickle.dumps(np.array(["a", "b"], object), 3)
    start, number, end = re.split(rb"(?s)(?<=\]q)(.)(?=\()", data)
    # The second object is the list itself.
    forged = start + number + re.sub(rb"(?s)X\x01\0\0\0bq.", b"h" + number, end)
    assert len(forged) < len(data)
    _save_pickle("o.npy", (2,), forged)
    items = npy.load("o.npy")
    assert items[0] == "a" and items[1][1] is items[1]


@pytest.mark.parametrize("protocol", range(6))
def test_large_integers_and_odd_text_of_each_protocol(protocol: int) -> None:
    for value in [2**63, -(2**63) - 1, 10**300, "a\udc80", "\ud834\udd1e", "é\n\\u0041"]:
        _save_pickle("o.npy", (1,), pickle.dumps(one(value), protocol))
        assert npy.load("o.npy")[0] == value


def test_a_new_member_is_read_as_it_was_written() -> None:
    npy.savez("x.npz", a=[1])
    values = np.arange(3)
    large = np.zeros((64 << 20) + 1, np.uint8)
    with npy.Npz("x.npz", "a") as z:
        z["b"] = values
        values[0] = 9
        assert z["b"].tolist() == [0, 1, 2]
        z["c"] = large
        with pytest.raises(npy.NpyValueError, match="close the archive first"):
            z["c"]
        # Members that were replaced are not in memory.
        for _ in range(70):
            z["d"] = large[: 1 << 20]
        assert z["d"].nbytes == 1 << 20
    with npy.Npz("x.npz") as z:
        assert z["b"].tolist() == [0, 1, 2]
        assert z["c"].nbytes == large.nbytes


PLAIN: list[Any] = [
    ["a", "é", "", "x" * 300],
    [b"", b"ab", b"x" * 300],
    [0, 255, 256, -1, 1 << 40, True, False, None, 0.5],
    [[], [1, 2], ["a", ["b"]], (), (1,), (1, "a"), (1, 2, 3, 4)],
    [{}, {"a": 1}, {"a": [1, {"b": None}], "c": (1, 2)}],
    ["shared", "shared", ["shared"], {"shared": "shared"}],
]


# NumPy writes pickles of protocol 4, and before 2.0 of protocol 3.
@pytest.mark.parametrize("protocol", [3, 4, 5])
@pytest.mark.parametrize("values", PLAIN)
def test_plain_objects_are_made_without_a_graph(values: list[Any], protocol: int) -> None:
    array = np.empty(len(values), object)
    for index, value in enumerate(values):
        array[index] = value
    for shaped in (array, array.reshape(1, -1)):
        start = io.BytesIO()
        np.lib.format.write_array_header_1_0(start, np.lib.format.header_data_from_array_1_0(shaped))
        pathlib.Path("x.npy").write_bytes(start.getvalue() + pickle.dumps(shaped, protocol))
        before = _native.arrays_without_graph()
        equal_objects(npy.load("x.npy"), shaped)
        assert _native.arrays_without_graph() == before + 1
    npy.savez("x.npz", x=array)
    before = _native.arrays_without_graph()
    equal_objects(npy.Npz("x.npz")["x"], array)
    assert _native.arrays_without_graph() == before + 1


def test_other_objects_are_made_with_a_graph() -> None:
    for value in [{1}, {(1, 2): 3}, decimal.Decimal(1), np.float64(1)]:
        npy.save("x.npy", one(value))
        before = _native.arrays_without_graph()
        assert npy.load("x.npy")[0] == value
        assert _native.arrays_without_graph() == before
