"""Rows that are appended: records match by name, no value changes, and the advice of a message runs and says what is lost."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest
from numpy.lib.recfunctions import require_fields

import npy_core as npy

PLACE = [("lat", "f8"), ("lon", "f8")]
SWAPPED = np.array([(1, 2)], [("lon", "f8"), ("lat", "f8")])


def advised(rows: Any) -> str:
    """Appends rows to x.npy, which must fail and leave it, and returns the advice."""
    old = pathlib.Path("x.npy").read_bytes()
    messages = []
    with pytest.raises(npy.NpyTypeError) as error:
        npy.append("x.npy", rows)
    messages.append(str(error.value).removeprefix("x.npy: "))
    assert pathlib.Path("x.npy").read_bytes() == old
    header = npy.header("x.npy")
    with npy.Writer("w.npy", header.dtype, header.shape[1:]) as w:
        with pytest.raises(npy.NpyTypeError) as error:
            w.write(rows)
        messages.append(str(error.value).removeprefix("w.npy: "))
    assert messages[0] == messages[1]
    return messages[0].partition("; use ")[2]


@pytest.mark.parametrize("rows", [SWAPPED, SWAPPED[0], [SWAPPED[0]], list(SWAPPED), SWAPPED.view(np.recarray)], ids=repr)
def test_records_in_another_order_are_not_swapped(rows: Any) -> None:
    npy.save("x.npy", np.zeros(1, PLACE))
    advice = advised(rows)
    assert advice == ("numpy.asarray(rows)" if isinstance(rows, list) else "rows") + "[['lat', 'lon']]"
    npy.append("x.npy", eval(advice, {"numpy": np, "rows": rows}))
    npy.append("x.npy", [(3, 4)])
    assert npy.load("x.npy").tolist() == [(0, 0), (2, 1), (3, 4)]


@pytest.mark.parametrize(
    ("dtype", "rows", "advice"),
    [
        (PLACE, np.zeros(1, [("x", "f8"), ("y", "f8")]), "rows with the fields of the file; numpy.lib.recfunctions.rename_fields renames them"),
        (PLACE, np.zeros(2), "a list of tuples, whose values are in the order of the fields"),
        ("f8", np.zeros(1, PLACE), "one field, rows[name]"),
        (
            [("at", PLACE)],
            np.zeros(1, [("at", SWAPPED.dtype)]),
            "numpy.lib.recfunctions.require_fields(rows, npy_core.header(path).dtype), which keeps values by name",
        ),
        ([("at", PLACE)], np.zeros(1, [("at", [("x", "f8")])]), "rows with the fields of the file; numpy.lib.recfunctions.rename_fields renames them"),
    ],
    ids=str,
)
def test_records_with_other_fields_are_refused(dtype: Any, rows: Any, advice: str) -> None:
    npy.save("x.npy", np.zeros(1, dtype))
    assert advised(rows) == advice


def test_the_advice_for_records_of_other_order_within_others_keeps_values() -> None:
    npy.save("x.npy", np.zeros(1, [("at", PLACE)]))
    rows = np.zeros(1, [("at", SWAPPED.dtype)])
    rows["at"] = SWAPPED
    npy.append("x.npy", require_fields(rows, npy.header("x.npy").dtype))
    assert npy.load("x.npy")["at"][1].tolist() == (2, 1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([(3, "abcd")], "the file holds <U2 in the field 's', in which the values of <U4 would change; use values that fit, or numpy.array(values, ["),
        ([(300, "a")], "the values are not values of int8 for the field 'a': Python integer 300 out of bounds for int8; use values that fit"),
        ([(3,)], "a record of the file has the fields a, s, and a tuple 1 values; use tuples of a value for each field"),
        ([{"a": 3, "s": "b"}], "the file holds records, and a record is a tuple; use [tuple(row[name] for name in ['a', 's']) for row in rows]"),
        ({"a": 3, "s": "b"}, "the file holds records, and a record is a tuple; use tuple(row[name] for name in ['a', 's'])"),
        ([[3, "b"]], "a record is a tuple; use a list of tuples"),
        (3, "a record is a tuple; use a list of tuples"),
    ],
    ids=str,
)
def test_values_of_records_are_refused_with_their_field(values: Any, message: str) -> None:
    npy.save("x.npy", np.zeros(1, [("a", "i1"), ("s", "U2")]))
    with pytest.raises(npy.NpyTypeError) as error:
        npy.append("x.npy", values)
    assert message in str(error.value)
    assert npy.header("x.npy").shape == (1,)


ALIGNED = np.dtype([("id", "i1"), ("g", "f8")], align=True)


@pytest.mark.parametrize(
    ("dtype", "rows", "lost"),
    [
        ([("id", "i4"), ("g", "f8")], np.array([(7, 0.5)], [("id", "i8"), ("g", "f8")]), "wraps numbers that do not fit"),
        ([("id", "i4"), ("g", "f8")], np.array([(0.5, 7)], [("g", "f8"), ("id", "i8")]), "wraps numbers that do not fit"),
        (ALIGNED, np.array([(7, 0.5)], [("id", "i8"), ("g", "f8")]), "wraps numbers that do not fit"),
        ("i4", np.array([1.5]), "cuts fractions"),
        ("i4", [1.5], "cuts fractions"),
        ("i4", np.array([1 << 40]), "wraps numbers that do not fit"),
        ("u8", np.array([-1]), "wraps numbers that do not fit"),
        ("U2", np.array(["abc"]), "cuts text that is longer"),
        ("U2", ["abc"], "cuts text that is longer"),
        ("f8", np.array([1j]), "drops imaginary parts"),
        ("f4", np.array([1.5]), "rounds, and makes numbers infinite that are too large"),
        ("?", np.array([2]), "makes True of every number but 0"),
        ("M8[D]", np.array(["3000-01-01T01"], "M8[h]"), "cuts times to the unit of the file"),
        # NumPy calls these safe.
        ("M8[ns]", np.array(["3000-01-01"], "M8[D]"), "wraps times that the unit does not reach"),
        ("f8", np.array([(1 << 53) + 1]), "rounds large integers"),
        ("f8", np.array([(1 << 64) - 1], "u8"), "rounds large integers"),
        ("c16", np.array([-(1 << 53) - 1]), "rounds large integers"),
        ([("a", "f8", (2,))], np.array([([1, (1 << 53) + 1],)], [("a", "i8", (2,))]), "rounds large integers"),
        ("U21", np.array([12]), ""),
        ([("a", "i1"), ("s", "U2")], [(3, "abcd")], "cuts text that is longer"),
        ([("a", "i1"), ("s", "U2")], (3, "abcd"), "cuts text that is longer"),
        ([("a", "i1"), ("s", "U2")], [(3.7, "abcd")], "cuts fractions and cuts text that is longer"),
        ([("a", "f4")], [(1e300,)], "rounds, and makes numbers infinite that are too large"),
        ([("a", "i4", (2,))], [([1.5, 2],)], "cuts fractions"),
        (ALIGNED, [(3.5, 1.0)], "cuts fractions"),
        ([("at", PLACE), ("n", "i1")], [((1, 2), 1.5)], "cuts fractions"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:Casting complex", "ignore:overflow")
def test_the_advice_for_other_values_runs_and_says_what_is_lost(dtype: Any, rows: Any, lost: str) -> None:
    npy.save("x.npy", np.zeros(1, dtype))
    call, _, found = advised(rows).partition(", which ")
    assert found == lost
    call = call.removeprefix("values that fit, or ")
    values = eval(call, {"rows": rows, "values": rows, "numpy": np})
    npy.append("x.npy", values)
    if isinstance(rows, np.ndarray) and rows.dtype.names and "id" in rows.dtype.names:
        assert npy.load("x.npy")[1].tolist() == (7, 0.5)


@pytest.mark.parametrize(
    ("dtype", "rows"),
    [
        ("f8", np.array([(1 << 53) + 2, -(1 << 60)])),
        ("f8", np.array([1 << 63], "u8")),
        ("f8", np.array(1 << 53)),
        ("M8[ns]", np.array(["2020-01-01", "NaT"], "M8[D]")),
        ("m8[ms]", np.array([3, "NaT"], "m8[s]")),
        ("U3", np.array([b"ab"])),
        ([("a", "f8"), ("b", "i8")], np.array([(1, 2)], [("a", "i4"), ("b", "i2")])),
        (ALIGNED, np.array([(7, 0.5)], [("id", "i1"), ("g", "f8")])),
    ],
    ids=str,
)
def test_arrays_whose_values_fit_are_appended(dtype: Any, rows: Any) -> None:
    npy.save("x.npy", np.zeros(1, dtype))
    npy.append("x.npy", rows)
    assert npy.load("x.npy")[1:].tolist() == rows.astype(dtype).reshape(-1).tolist()


def test_hidden_values_are_not_written() -> None:
    hidden = np.ma.array([1.0, 2.0], mask=[False, True])
    npy.save("x.npy", np.zeros(1))
    with npy.Npz("x.npz", "a") as z:
        for write in (
            lambda: npy.save("y.npy", hidden),
            lambda: npy.save("y.npy", [hidden, hidden]),
            lambda: npy.append("x.npy", [hidden[1], 2.0]),
            lambda: npy.append("x.npy", hidden),
            lambda: npy.append("new.npy", hidden),
            lambda: npy.savez("y.npz", x=hidden),
            lambda: z.__setitem__("x", hidden),
        ):
            with pytest.raises(npy.NpyTypeError, match=r"use array\.filled\(value\)"):
                write()
    npy.append("x.npy", hidden.filled(np.nan))
    assert not any(pathlib.Path(name).exists() for name in ("y.npy", "y.npz", "new.npy")) and npy.header("x.npy").shape == (3,)


OLD = {
    "objects.npy": np.array([{1: 2}], object),
    "records.npy": np.zeros(2, [("o", "O"), ("i", "i4")]),
}


@pytest.mark.parametrize("name", OLD)
def test_a_file_of_objects_is_refused_in_the_words_of_python(name: str) -> None:
    np.save(name, OLD[name])
    with pytest.raises(npy.NpyValueError, match=r"needs one pickle of all rows, .* use npy_core\.load, numpy\.concatenate and npy_core\.save$"):
        npy.append(name, OLD[name])


def test_a_header_without_blanks_is_refused_in_the_words_of_python() -> None:
    header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (9,), }\n"
    pathlib.Path("old.npy").write_bytes(b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header + bytes(9))
    with pytest.raises(npy.NpyValueError, match=r"load the array and write it with npy_core\.save, which leaves blanks"):
        npy.append("old.npy", np.zeros(100, "u1"))
