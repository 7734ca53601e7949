"""Objects that come back as they were when a file is loaded as data."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np

from . import _native

Array = np.ndarray[Any, Any]

# Exact types: of a subclass, only the values of the base would come back.
_TIMES = {datetime.datetime, datetime.time}
_ATOMS: set[type] = {type(None), bool, int, float, complex, str, bytes, bytearray, range, datetime.date, datetime.timedelta, decimal.Decimal}
_ATOMS |= {kind for kind in np.sctypeDict.values() if kind not in (np.void, np.object_)}


def odd_object(array: Array) -> str | None:
    """Returns the place and the type of an object that would not come back as it was; `None` if there is none."""
    return _native.odd_object(array, list(_ATOMS), _is_plain)


def _is_plain(value: Any) -> bool:
    """Returns true for an object that is not one of the most frequent types, but comes back as it was."""
    kind = type(value)
    if kind in _TIMES:
        return value.tzinfo is None or type(value.tzinfo) is datetime.timezone
    if kind is np.void:
        return not value.dtype.hasobject
    return isinstance(value, np.dtype)
