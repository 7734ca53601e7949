"""Objects that come back as they were when a file is loaded as data."""

from __future__ import annotations

import datetime
import decimal
from typing import Any, NamedTuple

import numpy as np

from . import _native

Array = np.ndarray[Any, Any]

# Exact types: of a subclass, only the values of the base would come back.
_TIMES = {datetime.datetime, datetime.time}
_ATOMS: set[type] = {type(None), bool, int, float, complex, str, bytes, bytearray, range, datetime.date, datetime.timedelta, decimal.Decimal}
_ATOMS |= {kind for kind in np.sctypeDict.values() if kind not in (np.void, np.object_)}


class Odd(NamedTuple):
    """An object that would not come back as it was: its place and type, and the value to use instead."""

    place: str
    advice: str = "convert it to a dict, list, text or number"


def odd_object(array: Array) -> Odd | None:
    """Returns the first object that would not come back as it was; `None` if there is none."""
    odd: list[Any] = []

    def is_plain(value: Any) -> bool:
        plain = _is_plain(value)
        if not plain:
            odd.append(value)
        return plain

    place = _native.odd_object(array, list(_ATOMS), is_plain)
    return None if place is None else _advised(place, odd[-1])


def _advised(place: str, value: Any) -> Odd:
    kind = type(value)
    if kind in _TIMES:
        zone = type(value.tzinfo)
        place = f"{place} with the time zone {zone.__module__}.{zone.__qualname__}"
        call = "value.astimezone(datetime.timezone.utc)" if kind is datetime.datetime else "value.replace(tzinfo=None)"
        return Odd(place, f"of time zones, only datetime.timezone is data: use {call}")
    if kind.__module__.partition(".")[0] == "pandas" or isinstance(value, datetime.datetime | datetime.timedelta):
        for method in ("to_datetime64", "to_timedelta64"):
            if hasattr(value, method):
                return Odd(place, f"use value.{method}()")
    return Odd(place)


def _is_plain(value: Any) -> bool:
    """Returns true for an object that is not one of the most frequent types, but comes back as it was."""
    kind = type(value)
    if kind in _TIMES:
        return value.tzinfo is None or type(value.tzinfo) is datetime.timezone
    if kind is np.void:
        return not value.dtype.hasobject
    return isinstance(value, np.dtype)
