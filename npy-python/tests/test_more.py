"""Columns, casts, archives, streams, threads, forks, and files that fail."""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from numpy.lib.recfunctions import repack_fields
from same import same, same_values

import npy_core as npy

RECORDS = np.dtype([("id", "i4"), ("head", [("gain", "f8"), ("code", "S4")]), ("samples", "f4", (2, 3)), (("a title", "t"), ">M8[s]")])


@pytest.fixture
def records() -> np.ndarray[Any, Any]:
    array = np.zeros(10_000, RECORDS)
    array["id"] = np.arange(10_000)
    array["head"]["gain"] = np.arange(10_000) / 2
    array["samples"] = np.arange(60_000).reshape(-1, 2, 3)
    np.save("r.npy", array)
    npy.savez("r.npz", r=array)
    return array


def test_columns(records: np.ndarray[Any, Any]) -> None:
    archive = npy.Npz("r.npz")
    for read in (lambda **k: npy.load("r.npy", **k), lambda **k: archive.read("r", **k)):
        part = read(columns=["t", "id"])
        assert part.dtype == np.dtype([(("a title", "t"), ">M8[s]"), ("id", "i4")])
        assert (part["id"] == records["id"]).all() and part.dtype.itemsize == 12
        part = read(columns=["head.gain", "samples[1].2", "samples.0"], rows=slice(-1, 4, -3))
        expected = records[-1:4:-3]
        assert part.dtype.names == ("head.gain", "samples[1].2", "samples.0")
        assert (part["head.gain"] == expected["head"]["gain"]).all()
        assert (part["samples[1].2"] == expected["samples"][:, 1, 2]).all()
        assert (part["samples.0"] == expected["samples"][:, 0]).all()
        assert (read(columns="samples", rows=slice(3, 9)) == records["samples"][3:9]).all()
        assert (read(columns="samples", cast="f8") == records["samples"]).all()
        assert (read(columns="head.gain", cast="f4") == (np.arange(10_000) / 2).astype("f4")).all()
        with pytest.raises(npy.NpyKeyError, match="the columns are id, head, samples, t"):
            read(columns=["x"])
        with pytest.raises(npy.NpyKeyError):
            read(columns=["samples[2]"])
    np.save("x.npy", np.zeros(3))
    with pytest.raises(npy.NpyValueError, match="no columns"):
        npy.load("x.npy", columns=["a"])


FORKED = """
import os, sys, npy_core as npy
w = npy.Writer("x.npy", "i8")
w.write([1, 2, 3])
if os.fork() == 0:
    for use in (lambda: w.write([9]), w.flush, lambda: w.count):
        try:
            use()
        except npy.NpyValueError as error:
            assert "make the Writer in the process that writes" in str(error)
        else:
            os._exit(1)
    if sys.argv[1] == "close":
        w.close()
    del use, w
    sys.exit(0)
assert os.waitstatus_to_exitcode(os.wait()[1]) == 0
w.write([4])
w.close()
assert npy.load("x.npy").tolist() == [1, 2, 3, 4]
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.parametrize("end", ["close", "drop"])
def test_a_forked_process_writes_no_rows_of_its_parent(end: str) -> None:
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED, end], check=True)
    assert npy.verify("x.npy") == []


def test_threads_share_a_writer() -> None:
    failures: list[Exception] = []

    def work(number: int) -> None:
        try:
            for _ in range(300):
                w.write([[number, number]] * 3)
                w.flush()
                assert w.count >= 3
        except Exception as error:
            failures.append(error)

    with npy.Writer("x.npy", "i8", (2,)) as w:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failures
    rows = npy.load("x.npy").reshape(-1, 6)
    assert (rows == rows[:, :1]).all() and (np.bincount(rows[:, 0]) == 300).all()


@pytest.mark.parametrize("order", ["C", "F"])
def test_cast(order: Any) -> None:
    array = np.asarray(np.arange(60_000.0).reshape(-1, 3), order=order)
    np.save("x.npy", array)
    for rows in (None, slice(5, 19_000, 7), slice(None, None, -1)):
        ours = npy.load("x.npy", rows=rows, cast=np.float32)
        expected = (array if rows is None else array[rows]).astype("f4")
        assert ours.dtype == "f4" and (ours == expected).all()
    with pytest.raises(npy.NpyTypeError, match="not a dtype"):
        npy.load("x.npy", cast="no such")


@pytest.mark.parametrize("cast", [str, "S", "V", "M8", "m8", "U3"])
@pytest.mark.parametrize("dtype", ["f8", "i8", "?", "U5", "S3", "M8[D]", "m8[s]", "c16", "V4", "O"])
def test_a_cast_without_a_width_or_unit_has_that_of_numpy(dtype: str, cast: Any) -> None:
    array = np.array([1, 2, 3], "i8").astype("S3" if dtype == "V4" else dtype).astype(dtype)
    try:
        expected = array[1:].astype(cast)
    except (TypeError, ValueError, RuntimeError):
        expected = None
    records = np.zeros(3, [("a", dtype), ("b", "i4")])
    records["a"] = array
    np.save("x.npy", array)
    np.save("r.npy", records)
    np.savez("x.npz", x=array)
    rows = slice(1, None)
    for read in (
        lambda: npy.load("x.npy", cast=cast, rows=rows),
        lambda: npy.load("x.npy", cast=cast)[rows],
        lambda: npy.load(io.BytesIO(pathlib.Path("x.npy").read_bytes()), cast=cast, rows=rows),
        lambda: npy.Npz("x.npz").read("x", cast=cast, rows=rows),
        lambda: npy.load("r.npy", columns="a", cast=cast, rows=rows),
        lambda: npy.load("r.npy", columns=["a"], cast=cast, rows=rows)["a"],
    ):
        if expected is None or cast in ("M8", "m8") and dtype in ("U5", "S3"):
            with pytest.raises(npy.NpyTypeError, match="not every value becomes|has no unit; use a unit"):
                read()
        else:
            same(read(), expected)


def test_a_cast_to_records_is_that_of_all_columns() -> None:
    array = np.array([(1.25, 2, 3), (4, 5, 6)], [("a", "f8"), ("b", "i8"), ("c", "u1")])
    np.save("x.npy", array)
    np.savez("x.npz", x=array)
    dtype = [("c", "f4"), ("a", "i4")]
    expected = repack_fields(array[["c", "a"]]).astype(dtype)
    same(npy.load("x.npy", columns=["c", "a"], cast=dtype), expected)
    same(npy.Npz("x.npz").read("x", columns=["c", "a"], cast=dtype, rows=slice(1, None)), expected[1:])
    with pytest.raises(npy.NpyTypeError, match="not every value becomes"):
        npy.load("x.npy", columns=["a", "b", "c"], cast=dtype)
    for wrong in ([("a", "U"), ("b", "f4")], [("a", [("d", "S")]), ("b", "f4")]):
        with pytest.raises(npy.NpyTypeError, match="text without a width, so that it would be empty; use a width, such as 'U10'"):
            npy.load("x.npy", columns=["a", "b"], cast=wrong)


def test_steps_larger_than_a_block() -> None:
    array = np.arange(40_000_000, dtype="u1").reshape(40, -1)
    np.save("x.npy", array)
    assert (npy.load("x.npy", rows=slice(1, 39, 9)) == array[1:39:9]).all()
    assert (npy.load("x.npy", rows=slice(None, None, -13), cast="i2") == array[::-13]).all()


def test_large_files_by_threads() -> None:
    array = np.random.default_rng(0).random(8_000_000)
    np.save("x.npy", array)
    for threads in (1, 2, 7):
        same(npy.load("x.npy", threads=threads), np.load("x.npy"))
    npy.savez("x.npz", threads=2, a=array)
    for threads in (1, 2):
        same(npy.Npz("x.npz", threads=threads)["a"], array)


def test_archive_as_a_mapping() -> None:
    npy.savez("x.npz", a=[1], b=np.asfortranarray(np.ones((2, 3))), **{"dir/c": [2]})
    with npy.Npz("x.npz") as z:
        assert list(z) == ["a", "b", "dir/c"] and len(z) == 3 and "a" in z and "a.npy" in z and "x" not in z
        assert dict(z.items()).keys() == {"a", "b", "dir/c"} and z.get("x") is None
        same(z["b"], np.load("x.npz")["b"])
        with pytest.raises(TypeError, match='"a"'):
            z["x"] = [1]
    with pytest.raises(npy.NpyValueError, match="closed"):
        z["a"]


def test_archive_is_changed_at_the_end_or_not_at_all() -> None:
    with npy.Npz("x.npz", "a") as z:
        z["a"] = [1]
        z["b"] = np.arange(5)
        z["o"] = np.array([{"k": 1}, None], object)
        assert not os.path.exists("x.npz")
    before = pathlib.Path("x.npz").read_bytes()
    with pytest.raises(ZeroDivisionError), npy.Npz("x.npz", "a") as z:
        z["c"] = [1]
        raise ZeroDivisionError
    assert pathlib.Path("x.npz").read_bytes() == before
    with npy.Npz("x.npz", "a") as z:
        z["b"] = [9]
        assert list(z["b"]) == [9]
        del z["a"]
        z.rename("o", "objects")
        assert pathlib.Path("x.npz").read_bytes() == before
        assert sorted(z) == ["b", "objects"] and z["objects"][0] == {"k": 1}
    loaded = np.load("x.npz", allow_pickle=True)
    assert sorted(loaded.files) == ["b", "objects"] and loaded["b"][0] == 9 and loaded["objects"][0] == {"k": 1}
    assert os.listdir() == ["x.npz"]


def test_archive_in_memory_and_damaged_archives() -> None:
    stream = io.BytesIO()
    npy.savez(stream, a=np.arange(100_000))
    assert (np.load(io.BytesIO(stream.getvalue()))["a"] == np.arange(100_000)).all()
    assert (npy.load(io.BytesIO(stream.getvalue()))["a"] == np.arange(100_000)).all()
    npy.savez("x.npz", compress=0, a=np.arange(100_000))
    data = bytearray(pathlib.Path("x.npz").read_bytes())
    data[400_000] ^= 1
    pathlib.Path("x.npz").write_bytes(data)
    with pytest.raises(npy.NpyValueError, match="x.npz"):
        npy.Npz("x.npz")["a"]
    assert npy.verify("x.npz")


def test_streams_are_left_after_the_array() -> None:
    stream = io.BytesIO()
    arrays = [np.arange(3), np.array([{"a": 1}], object), np.zeros((2, 2), order="F"), np.array(5)]
    for array in arrays:
        np.save(stream, array)
    stream.seek(0)
    for array in arrays:
        loaded = npy.load(stream)
        assert (loaded == array).all()
    with pytest.raises(EOFError, match=r"at its end; .* seek\(0\)"):
        npy.load(stream)
    archive = io.BytesIO()
    npy.savez(archive, a=[1])
    for read in (npy.load, npy.Npz):
        with pytest.raises(npy.NpyTruncatedError, match=r"at its end; .* seek\(0\)"):
            read(archive)
    with pytest.raises(EOFError, match="expected at least 10 bytes, found 0"):
        npy.load(io.BytesIO())
    read_end, write_end = os.pipe()
    with open(write_end, "wb") as pipe:
        npy.save(pipe, np.arange(10))
    with open(read_end, "rb") as pipe:
        assert (npy.load(pipe) == np.arange(10)).all()


class Failing(io.RawIOBase):
    def __init__(self, data: bytes, fails_at: int) -> None:
        self.data, self.at, self.fails_at = data, 0, fails_at

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self.at >= self.fails_at:
            raise ConnectionResetError("gone")
        part = self.data[self.at : min(self.at + len(buffer), self.fails_at)]
        buffer[: len(part)] = part
        self.at += len(part)
        return len(part)


def test_a_failing_file_object_raises_its_own_exception() -> None:
    stream = io.BytesIO()
    np.save(stream, np.arange(1000))
    for fails_at in (0, 5, 9, 50, 128, 5000):
        with pytest.raises(ConnectionResetError, match="gone"):
            npy.load(Failing(stream.getvalue(), fails_at))
    with pytest.raises(npy.NpyTypeError, match="binary"):
        npy.load(io.StringIO("text"))  # type: ignore[arg-type]
    with pytest.raises(npy.NpyTypeError, match="file object"):
        npy.load(5)  # type: ignore[arg-type]

    class Full(io.BytesIO):
        def write(self, data: Any) -> int:
            raise OSError(28, "no space")

    with pytest.raises(OSError, match="no space"):
        npy.save(Full(), [1])


def test_paths_of_each_kind() -> None:
    for path in ("a.npy", b"b.npy", pathlib.Path("c.npy"), "d\udcff.npy"):
        npy.save(path, [1])
        npy.append(path, [2])
        assert list(npy.load(path)) == [1, 2] and npy.header(path).shape == (2,) and npy.verify(path) == []
    assert len(npy.read_many(["a.npy", b"b.npy", pathlib.Path("c.npy")])) == 3


# Root may write anywhere. Without its capabilities it may do only what the owner of a file may.
WITHOUT_CAPABILITIES = """
import ctypes, os, sys
if os.access("d", os.W_OK):
    header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert ctypes.CDLL(None, use_errno=True).capset(header, none) == 0, ctypes.get_errno()
assert not os.access("d", os.W_OK)
import npy_core as npy
for call in (lambda: npy.save("d/y.npy", [1]), lambda: npy.append("x.npy", [2]), lambda: npy.savez("d/y.npz", a=[1])):
    try:
        call()
    except PermissionError as error:
        assert isinstance(error, npy.NpyError), error
    else:
        raise AssertionError("it was written")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a directory of Windows cannot be read-only")
def test_read_only_disk() -> None:
    npy.save("x.npy", [1])
    pathlib.Path("d").mkdir()
    os.chmod("d", 0o555)
    os.chmod("x.npy", 0o444)
    subprocess.run([sys.executable, "-c", WITHOUT_CAPABILITIES], check=True)


def test_threads_of_python() -> None:
    arrays = {f"{i}.npy": np.full(100_000, i) for i in range(8)}
    for name, array in arrays.items():
        np.save(name, array)
    failures: list[object] = []

    def work() -> None:
        for name, array in arrays.items():
            if not (npy.load(name) == array).all():
                failures.append(name)
            npy.save(f"{threading.get_ident()}-{name}", array)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_fork() -> None:
    npy.save("x.npy", np.arange(1_000_000))
    npy.load("x.npy", threads=2)
    npy.savez("x.npz", threads=2, a=np.arange(1_000_000))
    code = (
        "import os, numpy as np, npy_core as npy\n"
        "npy.load('x.npy', threads=2); npy.Npz('x.npz')['a']\n"
        "child = os.fork()\n"
        "ok = npy.load('x.npy', threads=2).sum() == npy.Npz('x.npz')['a'].sum() == 499999500000\n"
        "if child == 0: os._exit(0 if ok else 1)\n"
        "assert ok and os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)


def test_scan_is_read_by_pyarrow_pandas_and_polars(records: np.ndarray[Any, Any]) -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    np.save("r2.npy", records[:10])
    table = pa.table(npy.scan("r*.npy", columns=["id", "samples"]))
    assert table.num_rows == 10_010 and table.column_names == ["id", "samples"]
    assert table["id"].to_pylist()[-1] == 9
    stream = npy.scan(["r.npy", pathlib.Path("r2.npy")])
    assert stream.columns == ["id", "head", "samples", "t"]
    assert pl.DataFrame(stream)["id"].sum() == 49_995_045
    flat = npy.scan("r.npy", columns=["id"])
    # pandas for Python 3.10 is older than 3, which reads streams.
    frame = pd.DataFrame.from_arrow(flat) if hasattr(pd.DataFrame, "from_arrow") else pa.table(flat).to_pandas()
    assert frame["id"].sum() == 49_995_000
    np.save("v.npy", np.arange(5.0))
    assert pa.table(npy.scan("v.npy"))["value"].to_pylist() == [0, 1, 2, 3, 4]
    np.save("text.npy", np.array(["a", None, "c"], object))
    assert pa.table(npy.scan("text.npy"))["value"].to_pylist() == ["a", None, "c"]
    np.save("r3.npy", np.zeros(3))
    with pytest.raises(Exception, match="r3.npy"):
        pa.table(npy.scan("r*.npy"))
    with pytest.raises(FileNotFoundError, match="pattern"):
        npy.scan("none*.npy")
    with pytest.raises(npy.NpyKeyError, match="no column"):
        npy.scan("r.npy", columns=["none"]).columns


def test_command() -> None:
    npy.save("x.npy", np.arange(5))

    def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "npy_core", *arguments], capture_output=True, text=True, **options)

    shown = run("x.npy")
    assert shown.returncode == 0 and "<i8" in shown.stdout, shown
    assert run("diff", "x.npy", "x.npy").returncode == 0
    npy.save("y.npy", np.arange(6))
    assert run("diff", "x.npy", "y.npy").returncode == 1
    failed = run("head", "none.npy")
    assert failed.returncode == 2 and "none.npy" in failed.stderr
    assert run("--help").returncode == 0 and run("no-such").returncode == 2
    npy.save("large.npy", np.arange(1_000_000))
    pipe = subprocess.run(f"{sys.executable} -m npy_core cat large.npy | head -1", shell=True, capture_output=True, text=True)
    assert pipe.returncode == 0 and not pipe.stderr
    import signal
    import time

    cat = subprocess.Popen([sys.executable, "-m", "npy_core", "cat", "-"], stdin=subprocess.PIPE)
    time.sleep(1)
    cat.send_signal(signal.SIGINT)
    assert cat.wait(5) == -signal.SIGINT


def test_titles_padding_and_metadata() -> None:
    odd = np.zeros(2, np.dtype({"names": ["a", "b"], "formats": ["u1", "f8"], "offsets": [0, 8], "titles": [5, None]}))
    npy.save("x.npy", odd)
    np.save("y.npy", odd)
    assert pathlib.Path("x.npy").read_bytes() == pathlib.Path("y.npy").read_bytes()
    secret = np.zeros(2, [("a", "i4"), ("secret", "i4"), ("b", "i4")])
    secret["secret"] = 7
    npy.save("x.npy", secret[["a", "b"]])
    assert b"\x07" not in pathlib.Path("x.npy").read_bytes()
    npy.append("x.npy", secret[["a", "b"]])
    assert b"\x07" not in pathlib.Path("x.npy").read_bytes()
    same_values(np.load("x.npy"), np.concatenate([secret, secret])[["a", "b"]])
    noted = np.zeros(2, np.dtype("f8", metadata={"unit": "m"}))
    npy.save("x.npy", noted)
    assert np.load("x.npy").dtype == "f8"
    npy.save("big.npy", np.asfortranarray(np.ones((3, 2), ">f4")))
    same(npy.load("big.npy"), np.load("big.npy"))
    for subclass in (np.matrix([[1, 2]]), np.rec.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])):
        npy.save("x.npy", subclass)
        np.save("y.npy", subclass)
        assert pathlib.Path("x.npy").read_bytes() == pathlib.Path("y.npy").read_bytes()
    with pytest.raises(npy.NpyTypeError, match="StringDType"):
        npy.save("x.npy", np.array(["a"], np.dtypes.StringDType()))


def test_append_that_is_interrupted_leaves_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    npy.save("x.npy", np.zeros(10))
    before = pathlib.Path("x.npy").read_bytes()
    blocks = 0

    def contiguous(array: Any) -> Any:
        nonlocal blocks
        blocks += 1
        if blocks == 3:
            raise KeyboardInterrupt
        return array

    monkeypatch.setattr(np, "ascontiguousarray", contiguous)
    with pytest.raises(KeyboardInterrupt):
        npy.append("x.npy", np.zeros(5_000_000))
    assert pathlib.Path("x.npy").read_bytes() == before


# Adds two rows to each file that it is told of, by two threads at once: one by `append`, the other by a `Writer`.
TWO_APPEND = """
import sys, threading, time
import npy_core as npy
def append(path):
    npy.append(path, [[1, 2]])
def write(path):
    with npy.Writer(path, "i8", (2,), append=True) as w:
        w.write([1, 2])
def add(how, path):
    until = time.monotonic() + 60
    while True:
        try:
            how(path)
            return added.append(path)
        except BlockingIOError:
            if time.monotonic() > until:
                raise
for path in sys.stdin:
    added = []
    threads = [threading.Thread(target=add, args=[how, path.strip()]) for how in (append, write)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(len(added), flush=True)
"""


def test_appends_that_start_at_once_without_a_file_lose_no_row() -> None:
    with contextlib.ExitStack() as stack:
        command = [sys.executable, "-c", TWO_APPEND]
        pipe = subprocess.PIPE
        children = [stack.enter_context(subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1)) for _ in range(4)]
        inputs = [child.stdin for child in children if child.stdin]
        outputs = [child.stdout for child in children if child.stdout]
        for i in range(50):
            for file in inputs:
                file.write(f"{i}.npy\n")
            assert [file.readline() for file in outputs] == ["2\n"] * 4
            assert (np.load(f"{i}.npy") == [[1, 2]] * 8).all()
    assert len(os.listdir()) == 50


def test_messages_name_the_file_and_the_mistake() -> None:
    npy.save("x.npy", [1, 2])
    with pytest.raises(npy.NpyTypeError, match=r"^x.npy: the file holds int64"):
        npy.append("x.npy", np.zeros(2))
    with pytest.raises(npy.NpyTypeError, match=r"^paths is 'x\*.npy', but must be a list of paths"):
        npy.read_many("x*.npy")
    npy.savez("x.npz", a=[1, 2])
    with pytest.raises(npy.NpyKeyError, match=r"^x.npz: no member 'b'"):
        npy.Npz("x.npz")["b"]
    with pytest.raises(npy.NpyValueError, match=r"^x.npz: member 'a' is compressed"):
        npy.Npz("x.npz").map("a")


def test_the_new_names_are_in_the_module() -> None:
    assert all(hasattr(npy, name) for name in npy.__all__)
    assert npy.Npz.__mro__[1].__name__ == "Mapping"
    assert pathlib.Path(npy.__file__).with_name("py.typed").exists()


@pytest.mark.parametrize("order", ["<", ">"])
def test_numbers_of_ml_dtypes_are_appended_in_the_order_of_the_file(order: Any) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    numbers = np.array([1.5, -2], ml_dtypes.bfloat16)
    dtype = numbers.dtype.newbyteorder(order)
    np.save("theirs.npy", np.concatenate([numbers, numbers, numbers]).astype(dtype))
    with npy.Writer("x.npy", dtype) as w:
        w.write(numbers)
    npy.append("x.npy", numbers)
    npy.append("x.npy", numbers.astype(numbers.dtype.newbyteorder(">")))
    assert pathlib.Path("x.npy").read_bytes() == pathlib.Path("theirs.npy").read_bytes()
    with pytest.raises(npy.NpyTypeError, match=r"use load\(path\).view"):
        npy.load("x.npy", cast=numbers.dtype)


def test_errors_of_writers_and_of_truncated_files_say_where_and_what_to_do() -> None:
    with npy.Writer("w.npy", "f4", (3,)) as w:
        for rows in ([1, 2], np.ones(3)):
            with pytest.raises(npy.NpyError, match=r"^w\.npy: "):
                w.write(rows)
        w.write([[1, 2, 3], [4, 5, 6]])
    file = pathlib.Path("w.npy").read_bytes()
    pathlib.Path("t.npy").write_bytes(file[:-1])
    advice = "expected 24 bytes of data, found 23; .* or keep (its complete rows|what is complete) with the command npy repair t.npy -o OUT --yes$"
    for load in (
        npy.load,
        lambda path: npy.load(path, rows=slice(0, 1)),
        lambda path: npy.append(path, [1, 2, 3]),
        lambda path: npy.load(open(path, "rb")),
        lambda path: npy.read_many([path]),
        lambda path: npy.Writer(path, "f4", (3,), append=True),
    ):
        with pytest.raises(npy.NpyTruncatedError, match=advice):
            load("t.npy")
    for shape, parts in [((3, 4), "columns"), ((2, 3, 4), "parts along dimension 2"), ((12,), "rows")]:
        np.save("f.npy", np.zeros(shape, order="F"))
        pathlib.Path("f.npy").write_bytes(pathlib.Path("f.npy").read_bytes()[:-1])
        for load in (npy.load, lambda path: npy.load(open(path, "rb")), lambda path: npy.read_many([path])):
            with pytest.raises(npy.NpyTruncatedError, match=f"truncated: .* or keep its complete {parts} with the command npy repair f.npy -o OUT --yes$"):
                load("f.npy")
    # Not one row is complete, or there is no file for the command.
    pathlib.Path("part.npy").write_bytes(file[:-13])
    npy.save("z.npy", 5)
    pathlib.Path("one.npy").write_bytes(pathlib.Path("z.npy").read_bytes()[:-1])
    for source in ("part.npy", "one.npy", io.BytesIO(file[:-1])):
        with pytest.raises(npy.NpyTruncatedError, match="; copy or save the file again$"):
            npy.load(source)
    with pytest.raises(npy.NpyValueError, match="; a single value has no rows: make it an array of one row with ") as error:
        npy.append("z.npy", 6)
    exec(str(error.value).partition(" with ")[2], {"npy_core": npy, "path": "z.npy"})
    npy.append("z.npy", 6)
    assert npy.load("z.npy").tolist() == [5, 6]


@pytest.mark.parametrize("kind", ["U", "S", "V"])
def test_rows_without_a_width_are_refused_before_there_is_a_file(kind: str) -> None:
    with pytest.raises(npy.NpyValueError, match=f"name a width, such as {kind}10$"):
        npy.Writer("u.npy", kind)
    assert not os.path.exists("u.npy")


def test_a_name_of_the_other_format_is_refused() -> None:
    for call, advice in (
        (lambda: npy.save("x.npz", [1]), "npy_core.savez writes an archive"),
        (lambda: npy.save(pathlib.Path("x.NPZ"), [1]), "npy_core.savez writes an archive"),
        (lambda: npy.append("x.npz", [1]), "npy_core.savez writes an archive"),
        (lambda: npy.Writer("x.npz", "f8"), "npy_core.savez writes an archive"),
        (lambda: npy.savez("x.npy", x=[1]), "npy_core.save writes one array"),
        (lambda: npy.Npz("x.npy", "a"), "npy_core.save writes one array"),
    ):
        with pytest.raises(npy.NpyValueError, match=f"{advice}, or use another name$"):
            call()
    assert not os.listdir()


def test_records_with_text_of_no_characters_and_objects_are_read() -> None:
    array = np.zeros(3, [("o", "O"), ("u", "U0"), ("s", "S0")])
    array["o"] = [1, "b", None]
    npy.save("x.npy", array)
    found = npy.load("x.npy")
    assert found.dtype == array.dtype and found.tolist() == array.tolist() == np.load("x.npy", allow_pickle=True).tolist()


def test_a_dtype_among_objects_stays_aligned() -> None:
    fields: Any = [("a", "i1"), (("title", "b"), "f8")]
    npy.save("d.npy", [np.dtype(fields, align=True), np.dtype(fields), np.dtype("f8")])
    for dtype, expected in zip(npy.load("d.npy"), np.load("d.npy", allow_pickle=True)):
        assert (dtype, dtype.isalignedstruct, dtype.fields) == (expected, expected.isalignedstruct, expected.fields)


def test_mistakes_have_advice() -> None:
    npy.save("x.npy", [[1.0, 2.0], [3.0, 4.0]])
    npy.save("r.npy", np.array([(1, "a")], [("id", "i4"), ("name", "U3")]))
    npy.savez("x.npz", x=[1])
    archive = pathlib.Path("x.npz").read_bytes()
    mistakes: list[tuple[object, str]] = [
        (lambda: npy.load(open("x.npy")), 'open it in binary mode, "rb"'),
        (lambda: npy.load(pathlib.Path("x.npy").read_bytes()), r"load\(io.BytesIO\(data\)\)"),
        (lambda: npy.Npz(archive), r"Npz\(io.BytesIO\(data\)\)"),
        (lambda: npy.savez("c.npz", x=[1], compressed=True), "use compress=6"),
        (lambda: npy.load("x.npy", rows=1), r"rows=slice\(1, 2\)"),
        (lambda: npy.load("x.npy", rows=-1), r"rows=slice\(-1, None\)"),
        (lambda: npy.load("r.npy", columns="name", cast="f8"), "not every value becomes float64: .*; use a cast that all values allow"),
        (lambda: npy.save(open("t.npy", "w"), [1]), 'open it in binary mode, "wb"'),
        (lambda: npy.append([[1, 2]], "x.npy"), r"found list; .*: append\(path, array\)"),
        (lambda: npy.append(io.BytesIO(), [1]), r"found BytesIO; .*: append\(path, array\)"),
        (lambda: npy.append("r.npy", {"id": 1, "name": "a"}), r"tuple\(row\[name\] for name in \['id', 'name'\]\)"),
    ]
    for mistake, advice in mistakes:
        with pytest.raises(npy.NpyTypeError, match=advice):
            mistake()  # type: ignore[operator]
    with pytest.raises(npy.NpyValueError, match=r"numpy.array\(values, dtype=object\)"), npy.Npz("x.npz", "a") as z:
        z["ragged"] = [[1], [1, 2]]


def test_the_error_of_a_file_that_can_be_repaired_says_how() -> None:
    values = np.arange(3000, dtype="i4")
    np.save("x.npy", values)
    np.savez("x.npz", a=values, b=values)
    file, archive = pathlib.Path("x.npy").read_bytes(), pathlib.Path("x.npz").read_bytes()
    number = file.replace(b"(3000,), }          ", b"(np.int64(3000),), }")
    pathlib.Path("number.npy").write_bytes(number)
    pathlib.Path("a text.npy").write_bytes(file.replace(b"\n", b"\r\n"))
    pathlib.Path("cut.npz").write_bytes(archive[:-200])
    pathlib.Path("other.npy").write_text("id,gain\n1,2\n")
    kept = 'keeps its members that are complete, and of "b.npy" the first 2981 of 3000 rows'
    effects = {"number.npy": "restores it", "a text.npy": "restores it", "cut.npz": kept}
    for name, effect in effects.items():
        quoted = f"'{name}'" if " " in name else name
        end = f"; or npy repair {quoted} -o OUT --yes {effect} (python -m npy_core repair is the same command)"
        # An archive has no directory, and so is not known to be one.
        of_arrays = (npy.header, lambda path: npy.load(open(path, "rb")), lambda path: npy.scan(path).columns)
        of_numbers = (lambda path: npy.append(path, [1]), lambda path: npy.Writer(path, "i4", append=True))
        reads = {"number.npy": (*of_arrays, *of_numbers), "a text.npy": of_arrays, "cut.npz": (npy.Npz, lambda path: npy.Npz(path, "a"))}
        for read in (npy.load, lambda path: npy.read_many(["x.npy", path]), *reads[name]):
            with pytest.raises(npy.NpyValueError) as error:
                read(name)
            assert str(error.value).endswith(end), error.value
            assert name in str(error.value).split(";")[0]
        command = [sys.executable, "-m", "npy_core", "repair", name, "-o", f"mended {name}", "--yes"]
        subprocess.run(command, check=True, capture_output=True)
        mended = npy.load(f"mended {name}")
        same(mended["a"] if name == "cut.npz" else mended, values)
    with pytest.raises(npy.NpyValueError) as error:
        npy.load("other.npy")
    assert "repair" not in str(error.value)
    # The file is sound, and of the other kind.
    with pytest.raises(npy.NpyValueError, match=r"it is a \.npy file: read it with npy_core\.load$"):
        npy.Npz("number.npy")
    with pytest.raises(npy.NpyValueError, match="copied as text"):
        npy.load(io.BytesIO(file.replace(b"\n", b"\r\n")))


def test_rows_are_not_appended_to_columns() -> None:
    np.save("f.npy", np.asfortranarray(np.arange(12.0).reshape(4, 3)))
    file = pathlib.Path("f.npy").read_bytes()
    # As many values as a column has, too.
    for append in (
        lambda: npy.append("f.npy", [1, 2, 3]),
        lambda: npy.append("f.npy", [1, 2, 3, 4]),
        lambda: npy.Writer("f.npy", "f8", (3,), append=True),
        lambda: npy.Writer("f.npy", "f8", (4,), append=True),
    ):
        with pytest.raises(npy.NpyValueError) as error:
            append()
        assert pathlib.Path("f.npy").read_bytes() == file
    # The file may have columns that its header does not count.
    advice = str(error.value).rpartition("write it to another file with ")[2]
    exec(advice, {"npy_core": npy, "numpy": np, "path": "f.npy", "new_path": "c.npy"})
    assert pathlib.Path("f.npy").read_bytes() == file
    npy.append("c.npy", [1, 2, 3])
    assert npy.load("c.npy").shape == (5, 3)
