"""Comparing arrays as strictly as files differ."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np

import npy_core as npy


def same(ours: Any, theirs: Any) -> None:
    """Asserts that two arrays have the same dtype, shape, order and values."""
    assert type(ours) is np.ndarray, type(ours)
    assert ours.dtype == theirs.dtype, (ours.dtype, theirs.dtype)
    # The pickle of objects also says whether records are aligned; here the header decides.
    if not theirs.dtype.hasobject:
        assert repr(ours.dtype) == repr(theirs.dtype)
        assert ours.dtype.isalignedstruct == theirs.dtype.isalignedstruct
    assert ours.shape == theirs.shape
    # Of items without bytes the flags depend on the version of NumPy.
    if theirs.dtype.itemsize:
        assert ours.flags.c_contiguous == theirs.flags.c_contiguous
        assert ours.flags.f_contiguous == theirs.flags.f_contiguous
    assert ours.flags.writeable
    if ours.dtype.hasobject:
        for a, b in zip(ours.ravel().tolist(), theirs.ravel().tolist()):
            same_object(a, b)
    else:
        same_values(ours, theirs)


def same_values(ours: Any, theirs: Any) -> None:
    """Compares values field by field: bytes between fields mean nothing."""
    if theirs.dtype.names is not None:
        for name in theirs.dtype.names:
            same_values(ours[name], theirs[name])
        return
    assert ours.tobytes() == theirs.tobytes()


def same_object(a: Any, b: Any, depth: int = 0) -> None:
    """Compares values of objects; an object that is not data in ours is a call."""
    if isinstance(a, npy.Call) or depth > 50:
        return
    if isinstance(b, np.ndarray):
        assert isinstance(a, np.ndarray) and a.shape == b.shape
        if b.dtype.hasobject:
            for x, y in zip(a.ravel().tolist(), b.ravel().tolist()):
                same_object(x, y, depth + 1)
        else:
            same_values(a, b)
        return
    if isinstance(b, dict):
        assert isinstance(a, dict) and len(a) == len(b)
        for (k, v), (l, w) in zip(a.items(), b.items()):
            same_object(k, l, depth + 1)
            same_object(v, w, depth + 1)
        return
    if isinstance(b, (list, tuple)):
        assert isinstance(a, type(b) if type(b) in (list, tuple) else (list, tuple)), (a, b)
        assert len(a) == len(b)
        for x, y in zip(a, b):
            same_object(x, y, depth + 1)
        return
    plain = (bool, int, float, complex, str, bytes, bytearray, set, frozenset, datetime.date, datetime.time)
    if isinstance(b, (*plain, datetime.timedelta, decimal.Decimal)):
        assert a == b or (a != a and b != b), (a, b)
