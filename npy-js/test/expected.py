"""Writes the files and the expected values of the tests, with NumPy: `python expected.py FOLDER`; reads files back with `--read FILE...`."""

import collections
import datetime
import decimal
import io
import json
import sys
import types
import zipfile
import zoneinfo
from pathlib import Path

import numpy as np


def value(item):
    """A value as JSON: integers as text, complex numbers as pairs, bytes as latin-1."""
    if isinstance(item, np.void) and item.dtype.names:
        return {name: value(item[name]) for name in item.dtype.names}
    if isinstance(item, np.ndarray):
        return [value(part) for part in item]
    if isinstance(item, (np.datetime64, np.timedelta64)):
        return {"int": str(item.astype("i8"))}
    if isinstance(item, np.void):
        return {"bytes": list(item.tobytes())}
    if isinstance(item, (bytes, np.bytes_)):
        return item.decode("latin-1")
    if isinstance(item, (bool, np.bool_)):
        return bool(item)
    if isinstance(item, (np.integer, int)):
        wide = isinstance(item, (np.int64, np.uint64))
        return {"int": str(item)} if wide else int(item)
    if isinstance(item, np.complexfloating):
        return {"re": float(item.real), "im": float(item.imag)}
    if isinstance(item, (np.floating, float)):
        return float(item)
    return str(item)


def described(array):
    flat = [value(array[index]) for index in np.ndindex(array.shape)]
    return {"shape": list(array.shape), "dtype": array.dtype.str, "values": flat}


def saved(array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


def arrays():
    grid = np.arange(6)
    for code in ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]:
        for order in "<>":
            yield f"{order}{code}", (grid * 3 + 1).reshape(2, 3).astype(order + code)
    for code in ["c8", "c16"]:
        for order in "<>":
            yield f"{order}{code}", (grid + 0.5 - 2j * grid).astype(order + code)
    yield "bool", np.array([True, False, True])
    yield "S3", np.array([b"ab", b"", b"\xe9xy"])
    for order in "<>":
        yield f"{order}U3", np.array(["ab", "", "日é😀"]).astype(order + "U3")
        for unit in ["D", "ms", "25s", "Y", "M", "ns"]:
            yield f"{order}M8[{unit}]", np.array([-5, 0, 7000, -(2**63)]).astype(f"{order}M8[{unit}]")
        yield f"{order}m8[us]", np.array([-5, 0, 7]).astype(f"{order}m8[us]")
    yield "V3", np.frombuffer(b"abcxyz", "V3")
    yield "scalar", np.array(42)
    yield "empty", np.array([])
    yield "empty_2d", np.zeros((0, 3), "<i4")
    yield "3d", np.arange(24).reshape(2, 3, 4)
    yield "fortran", np.asfortranarray(np.arange(6.0).reshape(2, 3))
    yield "fortran_3d", np.asfortranarray(np.arange(24, dtype=">i2").reshape(2, 3, 4))
    # The dimension that may grow is the last one, and its digits are fewer than those of the first.
    yield "fortran_tall", np.asfortranarray(np.arange(2400, dtype="<u2").reshape(1200, 2))
    yield "fortran_text", np.asfortranarray(np.array([["ab", "c"], ["", "日"]]))
    yield "fortran_record", np.asfortranarray(np.array([[(1, 2.5), (3, 4.5)], [(5, 6.5), (7, 8.5)]], dtype=[("False", "u1"), ("y", ">f8")]))
    yield "record", np.array([(1.5, 2), (3.5, 4)], dtype=[("x", "<f4"), ("y", ">i4")])
    nested = np.dtype([("id", "<u2"), ("head", [("gain", ">f8"), ("name", "<U2")]), ("samples", "<i2", (2, 2))])
    yield "nested", np.array([(1, (0.5, "a"), [[1, 2], [3, 4]]), (2, (1.5, "bc"), [[5, 6], [7, 8]])], dtype=nested)
    # The bytes between fields are those of the buffer.
    aligned = np.zeros(2, dtype=np.dtype([("a", "u1"), ("b", "f8")], align=True))
    aligned["a"], aligned["b"] = [1, 3], [2.5, 4.5]
    yield "aligned", aligned
    yield "unicode_fields", np.array([(1, 2)], dtype=[("时间", "<f4"), ("数据", "<f4")])


def units():
    """Times in each unit, and what `astype` makes of them in each other one."""
    times = np.array(["1900-01-01", "1969-12-31T23:59:59.999999999", "1970-01-01", "2024-02-29T12:34:56.789012345", "NaT"], "M8[ns]")
    names = ["Y", "M", "2M", "W", "D", "h", "m", "s", "25s", "ms", "us", "ns"]
    # Years that no Date has.
    far = np.array(["-290000-03-01", "-290000-02-29", "-0400-12-31", "280000-02-29", "292000-12-31T23:59:59"], "M8[s]")
    for a, b in [(a, b) for a in names[:8] for b in names[:8]]:
        counts = far.astype(f"M8[{a}]").astype("i8")
        made = counts.astype(f"M8[{a}]").astype(f"M8[{b}]").astype("i8")
        yield {"from": f"<M8[{a}]", "to": f"<M8[{b}]", "counts": [str(n) for n in counts], "made": [str(n) for n in made]}
    for kind in "Mm":
        for a, b in [(a, b) for a in names for b in names]:
            is_mixed = (a[-1] in "YM") != (b[-1] in "YM")
            if kind == "m" and is_mixed:
                continue
            counts = times.astype(f"M8[{a}]").astype("i8")
            made = counts.astype(f"{kind}8[{a}]").astype(f"{kind}8[{b}]").astype("i8")
            yield {"from": f"<{kind}8[{a}]", "to": f"<{kind}8[{b}]", "counts": [str(n) for n in counts], "made": [str(n) for n in made]}


def objects():
    """Objects of each type that JavaScript does not tell from another one."""
    zone = datetime.timezone(datetime.timedelta(hours=-2, minutes=-30))
    yield from [{"a": 1, "b": (1, 2.0)}, None, 2**60, -(2**70), [[1, 2], [3.0, 4]], "text", (1, (2.0,), "x"), 2.0, 2, -0.0, 1.5, 1e300, float("inf"), True]
    yield from [frozenset([2.0]), {1}, bytearray(b"ab"), b"ab", (), [], {}, set(), frozenset(), {(1, 2): 3, 2.0: 4.0, frozenset([1]): 1, np.complex64(1 + 2j): 5, (np.int8(1),): 6}]
    yield from [datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3, 4, 5, 678901), datetime.datetime(2020, 1, 2, 3, tzinfo=zone), datetime.datetime(2020, 1, 2, fold=1)]
    yield from [datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone.utc), datetime.datetime(1, 1, 1), collections.OrderedDict(b=1, a=(2,))]
    for offset, date in [(21208, (2020, 1, 2, 3, 4, 5)), (-21208, (2020, 1, 2, 3, 4, 5, 678901)), (1.000005, (2020, 1, 2, 3, 4, 5, 1)), (18000, (1, 1, 1)), (-18000, (9999, 12, 31, 23))]:
        yield datetime.datetime(*date, tzinfo=datetime.timezone(datetime.timedelta(seconds=offset)))
    yield from [np.float64(2), np.int64(5), np.float32(1.5), np.str_("q"), np.bool_(True), np.complex64(1 + 2j), np.datetime64("2020-01-01"), np.timedelta64(5, "s")]
    yield from [np.arange(3), np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.array(5.0), np.array(["a", "bc"]), np.array(["2020", "NaT"], "M8[D]")]
    yield np.array([None, (1, 2.0)], dtype=object)


class Timestamp:
    """Is pickled as `pandas.Timestamp("2020-01-02T03:04:05.678901234")`, without pandas."""

    def __reduce__(self):
        module = types.ModuleType("pandas._libs.tslibs.timestamps")
        module._unpickle_timestamp = lambda *arguments: None
        module._unpickle_timestamp.__module__ = module.__name__
        module._unpickle_timestamp.__qualname__ = "_unpickle_timestamp"
        sys.modules.update({"pandas": types.ModuleType("pandas"), module.__name__: module})
        return module._unpickle_timestamp, (1_577_934_245_678_901_234, None, None, 10)


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    expected = {}
    names = {}
    for name, array in arrays():
        names[name] = f"{len(names)}.npy"
        (folder / names[name]).write_bytes(saved(array))
        expected[name] = {"file": names[name], **described(array)}
    for version in [(1, 0), (2, 0), (3, 0)]:
        (folder / f"version{version[0]}.npy").write_bytes(saved(np.arange(3.0), version))
    values = np.empty(9, dtype=object)
    values[:] = [None, True, 7, 2**70, 1.5, "text", [1, "a"], {"k": [1, 2]}, datetime.datetime(2020, 1, 2, 3, 4, 5)]
    np.save(folder / "objects.npy", values, allow_pickle=True)
    np.save(folder / "fortran_objects.npy", np.asfortranarray([[None, 1, "a"], [True, 2, "b"]]), allow_pickle=True)
    items = list(objects())
    kept = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        kept[i] = item
    np.save(folder / "types.npy", kept, allow_pickle=True)
    lost = [collections.deque([1]), collections.defaultdict(int, a=1), decimal.Decimal("1.5"), 1 + 2j, np.zeros((), [("x", "f8")])[()], np.zeros(2, [("x", "f8")]), np.matrix([[1]])]
    lost.append(datetime.datetime(2020, 1, 2, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")))
    for i, item in enumerate(lost):
        one = np.empty(2, dtype=object)
        one[1] = item
        np.save(folder / f"lost{i}.npy", one, allow_pickle=True)
    call = np.empty(1, dtype=object)
    call[0] = zipfile.ZipInfo("x")
    np.save(folder / "call.npy", call, allow_pickle=True)
    records = [("x", ">f4"), ("o", "O"), ("n", "<U2"), ("v", "i2", (2,)), ("in", [("o", "O"), ("t", "M8[s]")]), ("us", "M8[us]"), ("d", "m8[ms]"), ("c", "c8"), ("s", "S2")]
    moment = np.datetime64("2020-01-02T03:04:05.678901")
    rows = [(1, [1, "a"], "b", [1, 2], (None, 5), moment, -1500, 1 + 2j, b"\xe9"), (2.5, None, "", [3, 4], ({"k": 2.0}, "NaT"), "NaT", "NaT", 3, b"")]
    np.save(folder / "object_records.npy", np.array(rows, dtype=records), allow_pickle=True)
    part = [("a.b", "O"), ("t", "M8[us]"), ("v", "i2", (3,)), ("p", "O", (2,)), ("deep", [("x", "O")], (2,))]
    parts = np.zeros(2, dtype=[("x", "f4"), ("o", "O"), ("g", part, (2,)), ("h", part), ("n", "i8"), ("e", "O", (2,))])
    parts["o"] = [2.0, (1,)]
    parts["g"]["t"][0, 1] = "NaT"
    parts["g"]["a.b"] = [["a", 2.0], [None, [1]]]
    parts["g"]["v"] = np.arange(12).reshape(2, 2, 3)
    parts["e"] = [[2.0, 1], ["b", 3.0]]
    np.save(folder / "parts.npy", parts, allow_pickle=True)
    stamp = np.empty(1, dtype=object)
    stamp[0] = Timestamp()
    np.save(folder / "timestamp.npy", stamp, allow_pickle=True)
    spans = np.array([(999_999_999, None), ("NaT", None)], dtype=[("d", "m8[D]"), ("o", "O")])
    np.save(folder / "spans.npy", spans, allow_pickle=True)
    np.savez(folder / "stored.npz", a=np.ones(5), b=np.zeros(3, "<i4"))
    np.savez_compressed(folder / "compressed.npz", x=np.arange(1000.0))
    (folder / "units.json").write_text(json.dumps(list(units())))
    (folder / "expected.json").write_text(json.dumps(expected))


def read(paths):
    """Says what NumPy reads of each file."""
    answers = []
    for path in paths:
        array = np.load(path, allow_pickle=True)
        if isinstance(array, np.lib.npyio.NpzFile):
            answers.append({name: described(array[name]) for name in array.files})
        elif array.dtype == object:
            answers.append({"repr": repr(array.tolist()), "fortran": array.flags.fnc})
        else:
            answers.append({**described(array), "descr": str(np.lib.format.dtype_to_descr(array.dtype))})
    json.dump(answers, sys.stdout)


if sys.argv[1] == "--read":
    read(sys.argv[2:])
else:
    write(Path(sys.argv[1]))
