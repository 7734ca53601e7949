"""Archives that are changed: names, refusals, files that are made meanwhile, threads, and a `close` that fails."""

from __future__ import annotations

import gc
import os
import pathlib
import re
import sys
import threading
import warnings
import zipfile
from typing import Any

import numpy as np
import pytest
from same import same

import npy_core as npy


def start(*, is_new: bool) -> npy.Npz:
    """Opens an archive that is there, or one that is not."""
    if not is_new:
        npy.savez("x.npz", old=[7])
    return npy.Npz("x.npz", "a")


REFUSED = [
    ("x", np.array(["x"], np.dtypes.StringDType()), "StringDType has no form"),
    ("x", np.array([lambda: 0], object), "not data|cannot be written"),
    ("a\0b", np.zeros(2), "NUL"),
    ("\ud800", np.zeros(2), "half of a surrogate pair"),
    ("x" * 70_000, np.zeros(2), "long|bytes"),
]


@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.parametrize(("name", "value", "message"), REFUSED, ids=["StringDType", "lambda", "NUL", "surrogate", "long"])
def test_what_cannot_be_written_is_refused_at_once(name: str, value: Any, message: str, is_new: bool) -> None:
    with start(is_new=is_new) as z:
        z["good"] = [1]
        with pytest.raises(npy.NpyError, match=message):
            z[name] = value
        with pytest.raises(npy.NpyError, match=message if name != "x" else "^"):
            z.rename("good", name if name != "x" else "\0")
        assert list(z) == (["good"] if is_new else ["old", "good"]) and z["good"][0] == 1
    loaded = np.load("x.npz")
    assert loaded.files == (["good"] if is_new else ["old", "good"]) and loaded["good"][0] == 1


def test_a_close_that_fails_loses_nothing_and_can_be_repeated() -> None:
    z = npy.Npz("later/x.npz", "a")
    z["a"] = np.arange(3)
    z["o"] = np.array([{"k": 1}], object)
    for _ in range(2):
        with pytest.raises(npy.NpyOSError, match="later"):
            z.close()
        assert z["a"][2] == 2 and z["o"][0] == {"k": 1}
    os.mkdir("later")
    z["b"] = [1]
    z.close()
    z.close()
    assert sorted(np.load("later/x.npz").files) == ["a", "b", "o"]
    with pytest.raises(npy.NpyValueError, match="closed"):
        z["a"]


def test_the_close_of_a_changed_archive_does_not_fail_silently() -> None:
    npy.savez("x.npz", old=[7])
    z = npy.Npz("x.npz", "a")
    z["a"] = [1]
    npy.savez("x.npz", other=[8])
    for message in ("was replaced, removed or changed", "closing the archive has failed .* open the archive again"):
        with pytest.raises(npy.NpyError, match=message):
            z.close()
        assert z["a"][0] == 1 and z["old"][0] == 7
    with pytest.raises(npy.NpyValueError, match="closing the archive has failed"):
        z["b"] = [2]
    assert np.load("x.npz").files == ["other"]


def test_a_file_that_was_made_meanwhile_is_kept() -> None:
    first, second = npy.Npz("x.npz", "a"), npy.Npz("x.npz", "a")
    first["a"] = [1]
    second["b"] = [2]
    first.close()
    with pytest.raises(FileExistsError, match="x.npz: another program has made the file since it was opened"):
        second.close()
    assert np.load("x.npz").files == ["a"] and second["b"][0] == 2
    os.rename("x.npz", "first.npz")
    second.close()
    assert np.load("x.npz").files == ["b"] and sorted(os.listdir()) == ["first.npz", "x.npz"]


def lookup(archive: Any, name: str) -> Any:
    try:
        return archive[name].item()
    except KeyError:
        return None


@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.parametrize(
    "names", [["b.npy", "b"], ["b", "b.npy"], ["b.npy.npy", "b"], ["b.npy", "b.npy.npy", "b"], [""], [".npy"], ["b.npy", "b.npy"]]
)
def test_names_are_those_of_numpy(names: list[str], is_new: bool) -> None:
    """Before and after closing, and in a new archive as in one that is there."""
    z = start(is_new=is_new)
    theirs: dict[str, int] = {}
    for i, name in enumerate(names):
        z[name] = i
        # `numpy.savez` adds .npy; `numpy.load` finds the exact name first.
        found = name if name in theirs else f"{name}.npy"
        theirs[found] = i
        assert z[name] == i
    tried = {*names, "b", "b.npy", "b.npy.npy", "b.npy.npy.npy", "old"}
    before = [(name, lookup(z, name)) for name in sorted(tried)], list(z)
    z.close()
    loaded, ours = np.load("x.npz"), npy.Npz("x.npz")
    after = [(name, lookup(ours, name)) for name in sorted(tried)], list(ours)
    assert before == after
    assert before[0] == [(name, lookup(loaded, name)) for name in sorted(tried)]
    stored = loaded.zip.namelist()
    assert stored == ([] if is_new else ["old.npy"]) + list(theirs)


def test_savez_has_the_names_of_numpy() -> None:
    arrays: Any = {"b.npy": 0, "b": 1, "": 2, "c.npy": 3}
    np.savez("theirs.npz", **arrays)
    npy.savez("ours.npz", compress=0, **arrays)
    theirs, ours = np.load("theirs.npz"), np.load("ours.npz")
    assert theirs.zip.namelist() == ours.zip.namelist() and theirs.files == ours.files


@pytest.mark.parametrize("is_new", [True, False])
def test_renamed_members_have_the_names_of_new_ones(is_new: bool) -> None:
    with start(is_new=is_new) as z:
        z["a"] = [1]
        z.rename("a", "c.npy")
        assert "c.npy" in z and "c" not in z and "a" not in z
        z["c"] = [5]
        assert z["c.npy.npy"][0] == 1 and z["c"][0] == 5
        with pytest.raises(npy.NpyValueError, match="exists"):
            z.rename("c", "c.npy.npy")
        # A name that finds the member already.
        z.rename("c", "c.npy")
        expected = list(z)
        del z["c"]
        z["c"] = [6]
    loaded = np.load("x.npz")
    assert loaded["c.npy.npy"][0] == 1 and loaded["c"][0] == 6 and list(npy.Npz("x.npz")) == expected


def test_members_that_are_no_arrays_have_their_own_names() -> None:
    npy.savez("x.npz", a=[1])
    with zipfile.ZipFile("x.npz", "a") as archive:
        archive.writestr("note", "text")
    with npy.Npz("x.npz", "a") as z:
        assert list(z) == ["a", "note"] and "note.npy" not in z and z.read_bytes("note") == b"text"
        z.rename("note", "other")
        z["other.npy"] = [2]
        assert list(z) == ["a", "other", "other.npy"]
    ours, theirs = npy.Npz("x.npz"), np.load("x.npz")
    assert list(ours) == ["a", "other", "other.npy"]
    assert theirs["other"] == ours.read_bytes("other") == b"text" and theirs["other.npy"][0] == ours["other.npy"][0] == 2


@pytest.mark.parametrize("is_new", [True, False])
def test_new_members_are_read_as_after_closing(is_new: bool) -> None:
    arrays = {
        "f": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "c": np.arange(6).reshape(2, 3),
        "part": np.arange(60).reshape(3, 4, 5)[:, ::2].T,
        "scalar": np.array(5),
        "big": np.arange(3, dtype=">i4"),
        "matrix": np.asmatrix(np.eye(2)),
        "text": np.ndarray((3,), "U0"),
        "objects": np.array([[{"k": [1]}, None]], object),
        "records": np.zeros(2, np.dtype([("a", "u1"), ("b", "f8")], align=True)),
    }
    z = start(is_new=is_new)
    for name, array in arrays.items():
        z[name] = array
    arrays["objects"][0, 0]["k"].append(2)
    arrays["c"][:] = 0
    before = {name: z[name] for name in arrays}
    z["f"][:] = 9
    z.close()
    loaded = np.load("x.npz", allow_pickle=True)
    for name, array in before.items():
        same(npy.Npz("x.npz")[name], array)
        assert type(array) is np.ndarray and array.flags.c_contiguous == loaded[name].flags.c_contiguous
        assert array.flags.f_contiguous == loaded[name].flags.f_contiguous and array.dtype == loaded[name].dtype
    assert before["objects"][0, 0] == {"k": [1]} and before["f"][0, 1] == 1 and before["c"][0, 1] == 1


@pytest.mark.parametrize("is_new", [True, False])
def test_threads_change_one_archive(is_new: bool) -> None:
    z, failures = start(is_new=is_new), list[BaseException]()

    def work(number: int) -> None:
        try:
            for i in range(20):
                z[f"{number}.{i}"] = np.full(20_000, number * 100 + i)
                assert z[f"{number}.{i}"][0] == number * 100 + i
                z.rename(f"{number}.{i}", f"new.{number}.{i}")
                if i % 4 == 0:
                    del z[f"new.{number}.{i}"]
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    z.close()
    loaded = np.load("x.npz")
    assert len(loaded.files) == 4 * 15 + (not is_new)
    assert all(loaded[f"new.{number}.{i}"][-1] == number * 100 + i for number in range(4) for i in range(20) if i % 4)


def test_a_new_archive_has_the_bytes_of_savez() -> None:
    arrays: Any = {"a": np.arange(10_000), "o": np.array([1, "x"], object), "f": np.ones((3, 4), order="F")}
    npy.savez("theirs.npz", **arrays)
    with npy.Npz("x.npz", "a") as z:
        for name, array in arrays.items():
            z[name] = array
    assert pathlib.Path("x.npz").read_bytes() == pathlib.Path("theirs.npz").read_bytes()


def test_a_closed_archive_says_so() -> None:
    npy.savez("x.npz", a=[1, 2])
    for mode in ("r", "a"):
        z = npy.Npz("x.npz", mode)
        assert repr(z) == "<Npz 'x.npz' with 1 member>"
        z.close()
        z.close()
        calls: list[Any] = [
            lambda z=z: z["a"],
            lambda z=z: z.read("a"),
            lambda z=z: z.read_bytes("a"),
            lambda z=z: z.header("a"),
            lambda z=z: z.map("a"),
            lambda z=z: z.get("b"),
            lambda z=z: list(z.items()),
            lambda z=z: z.__setitem__("b", 1),
            lambda z=z: z.__delitem__("a"),
            lambda z=z: z.rename("a", "b"),
            lambda z=z: z.__enter__(),
        ]
        for call in calls:
            with pytest.raises(npy.NpyValueError, match=r"^x\.npz: the archive is closed; open it again$"):
                call()
        # The names stay, as in NumPy.
        assert z.files == ["a"] and repr(z) == "<Npz 'x.npz' with 1 member, closed>"


@pytest.mark.parametrize("is_new", [True, False])
def test_a_discarded_archive_has_the_members_of_the_file(is_new: bool) -> None:
    z = start(is_new=is_new)
    with pytest.raises(ZeroDivisionError), z:
        z["new"] = [1]
        if not is_new:
            del z["old"]
        1 / 0  # noqa: B018
    assert list(z) == ([] if is_new else ["old"]) and "new" not in z
    assert is_new or np.load("x.npz").files == ["old"]


@pytest.mark.parametrize("name", ["compress", "threads", "seekable"])
def test_an_array_with_the_name_of_an_option_is_refused(name: str) -> None:
    arrays: Any = {name: np.arange(3)}
    with pytest.raises(npy.NpyTypeError, match=rf"^{name}= is an option of savez, .* npy_core\.Npz\(path, \"a\"\)\['{name}'\] = array$"):
        npy.savez("x.npz", a=[1], **arrays)
    assert not os.path.exists("x.npz")
    npy.savez("x.npz", a=[1], path=[2])
    with npy.Npz("x.npz", "a") as z:
        z[name] = arrays[name]
    loaded = np.load("x.npz")
    assert loaded.files == ["a", "path", name] and loaded[name].tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["compressed", "compression", "allow_pickle"])
def test_an_option_of_other_calls_is_not_an_array(name: str) -> None:
    wrong: Any = {name: False}
    with pytest.raises(npy.NpyTypeError, match=f"^{name}=False would be an array of this name; "):
        npy.savez("x.npz", a=[1], **wrong)
    assert not os.path.exists("x.npz")
    arrays: Any = {name: [False]}
    npy.savez("x.npz", **arrays)
    assert np.load("x.npz").files == [name]


@pytest.mark.parametrize("is_new", [True, False])
def test_an_archive_that_is_dropped_with_changes_warns(is_new: bool) -> None:
    z = start(is_new=is_new)
    z["a"] = [1]
    with pytest.warns(ResourceWarning, match=r"^x\.npz: the archive was not closed, and what was changed is lost"):
        del z
        gc.collect()
    assert os.path.exists("x.npz") != is_new and (is_new or np.load("x.npz").files == ["old"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        unchanged = start(is_new=is_new)
        del unchanged
        gc.collect()


def test_an_archive_that_is_dropped_is_free_although_the_warning_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    failures: list[type[BaseException] | None] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda failure: failures.append(failure.exc_type))
    z = start(is_new=False)
    z["a"] = [1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del z
        gc.collect()
    assert failures == [ResourceWarning]
    with npy.Npz("x.npz", "a") as z:
        z["b"] = [2]
    assert np.load("x.npz").files == ["old", "b"]


def test_errors_name_functions_of_python() -> None:
    npy.save("x.npy", [1])
    with pytest.raises(npy.NpyValueError, match=r"read it with npy_core\.load$"):
        npy.Npz("x.npy")
    with pytest.raises(npy.NpyTypeError, match=r"the path comes first: save\(path, array\)"):
        npy.save(np.arange(3), "x.npy")  # type: ignore[arg-type]
    np.savez("sound.npz", a=[1])
    pathlib.Path("x.npz").write_bytes(b"before" + pathlib.Path("sound.npz").read_bytes())
    with pytest.raises(npy.NpyValueError, match=r'read it by npy_core\.Npz\(open\(path, "rb"\)\)'):
        npy.Npz("x.npz")
    with open("x.npz", "rb") as file:
        assert npy.Npz(file)["a"] == [1]
    for name, quoted in [("y.npy", "y.npy"), ("; reads them;", "'; reads them;'"), ("a;b", "'a;b'"), ("-", "./-"), ("--help", "./--help"), ("x::y[1]", "'x::y[1]'")]:
        npy.save(name, np.arange(10.0))
        assert npy.verify(name) == []
        os.truncate(name, os.path.getsize(name) - 5)
        found = f"truncated: expected 80 bytes of data, found 75; 9 of 10 rows are complete; npy repair {quoted} -o OUT --yes keeps them"
        assert npy.verify(name)[0].startswith(found)
        with pytest.raises(npy.NpyTruncatedError, match=re.escape(f"npy repair {quoted} -o OUT --yes")):
            npy.load(name)
    nested = "[('a', " * 150 + "'<f4'" + ")]" * 150
    header = f"{{'descr': {nested}, 'fortran_order': False, 'shape': (2,), }}\n".encode()
    pathlib.Path("z.npy").write_bytes(b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header + bytes(8))
    with pytest.raises(npy.NpyValueError, match="nesting: 201 exceeds the limit of 200; NumPy has this limit, too: write the file again"):
        npy.load("z.npy")
    pathlib.Path("empty.npy").touch()
    for read in (npy.load, npy.header, lambda path: npy.read_many([path]), np.load):
        with pytest.raises(EOFError):
            read("empty.npy")
