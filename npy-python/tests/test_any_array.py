"""Any array that NumPy can make: saved by the one and loaded by the other, both ways."""

from __future__ import annotations

import io
import pathlib
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from same import same, same_values

import npy_core as npy

ANY = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

DTYPES = st.one_of(
    hnp.scalar_dtypes(),
    hnp.nested_dtypes(max_itemsize=200),
    hnp.array_dtypes(allow_subarrays=True),
    hnp.array_dtypes().map(lambda dtype: np.dtype(dtype, align=True)),
)


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    dtype = draw(DTYPES)
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5))
    bytes_ = draw(st.binary(min_size=0, max_size=64))
    array = np.zeros(shape, dtype)
    if array.nbytes and dtype.kind not in "U" and not contains_text(dtype):
        flat = array.reshape(-1).view(np.uint8)
        flat[...] = np.resize(np.frombuffer(bytes_ or b"\0", np.uint8), flat.shape)
    form = draw(st.sampled_from(["C", "F", "strided", "reversed"]))
    if form == "F":
        array = np.asfortranarray(array)
    elif form == "strided" and array.ndim:
        array = array[::2]
    elif form == "reversed" and array.ndim:
        array = array[..., ::-1]
    return array


def contains_text(dtype: np.dtype[Any]) -> bool:
    if dtype.subdtype is not None:
        return contains_text(dtype.subdtype[0])
    if dtype.names is not None:
        return any(contains_text(dtype[name]) for name in dtype.names)
    return dtype.kind == "U"


def has_padding(dtype: np.dtype[Any]) -> bool:
    if dtype.subdtype is not None:
        return has_padding(dtype.subdtype[0])
    if dtype.names is None:
        return False
    return sum(dtype[n].itemsize for n in dtype.names) != dtype.itemsize or any(has_padding(dtype[n]) for n in dtype.names)


@ANY
@given(arrays())
def test_what_numpy_saves_is_loaded(array: np.ndarray[Any, Any]) -> None:
    np.save("theirs.npy", array)
    same(npy.load("theirs.npy"), np.load("theirs.npy"))


@ANY
@given(arrays())
def test_what_is_saved_is_what_numpy_saves(array: np.ndarray[Any, Any]) -> None:
    npy.save("ours.npy", array)
    theirs = io.BytesIO()
    np.save(theirs, array)
    ours = pathlib.Path("ours.npy").read_bytes()
    if has_padding(array.dtype):
        loaded, expected = np.load("ours.npy"), np.load(io.BytesIO(theirs.getvalue()))
        assert loaded.dtype == expected.dtype and loaded.shape == expected.shape
        same_values(loaded, expected)
    else:
        assert ours == theirs.getvalue()
    stream = io.BytesIO()
    npy.save(stream, array)
    assert stream.getvalue() == ours


@ANY
@given(arrays(), st.integers(0, 9), st.booleans())
def test_archives_keep_arrays(array: np.ndarray[Any, Any], level: int, seekable: bool) -> None:
    npy.savez("a.npz", compress=level, seekable=seekable, a=array)
    expected = io.BytesIO()
    np.save(expected, array)
    theirs, ours = np.load("a.npz")["a"], npy.Npz("a.npz")["a"]
    loaded = np.load(io.BytesIO(expected.getvalue()))
    assert theirs.dtype == loaded.dtype
    same_values(theirs, loaded)
    same(ours, theirs)


SLICES = st.one_of(st.none(), st.builds(slice, *[st.one_of(st.none(), st.integers(-7, 7))] * 2, st.sampled_from([None, 1, 2, 3, -1, -2])))


@ANY
@given(arrays().filter(lambda a: a.ndim > 0), SLICES)
def test_rows_are_numpys_slices(array: np.ndarray[Any, Any], rows: slice | None) -> None:
    np.save("x.npy", array)
    npy.savez("x.npz", x=array)
    whole = np.load("x.npy")
    expected = whole if rows is None else whole[rows]
    for ours in (npy.load("x.npy", rows=rows), npy.Npz("x.npz").read("x", rows=rows)):
        assert ours.dtype == expected.dtype and ours.shape == expected.shape
        same_values(ours, expected)


OBJECTS = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(), st.dates(), st.decimals(), st.complex_numbers()),
    lambda inner: st.one_of(st.lists(inner), st.tuples(inner, inner), st.dictionaries(st.text(), inner)),
    max_leaves=20,
)


@ANY
@given(st.lists(OBJECTS, max_size=5))
def test_objects_both_ways(values: list[Any]) -> None:
    array = np.empty(len(values), object)
    for i, value in enumerate(values):
        array[i] = value
    np.save("o.npy", array, allow_pickle=True)
    assert repr(npy.load("o.npy").tolist()) == repr(values)
    npy.save("ours.npy", array)
    assert pathlib.Path("ours.npy").read_bytes() == pathlib.Path("o.npy").read_bytes()
