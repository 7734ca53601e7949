"""Objects that come back as they were when a file is loaded as data."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

# Exact types: of a subclass, only the values of the base would come back.
_TIMES = {datetime.datetime, datetime.time}
_CONTAINERS = {list, tuple, set, frozenset, dict}
_ATOMS: set[type] = {type(None), bool, int, float, complex, str, bytes, bytearray, range, datetime.date, datetime.timedelta, decimal.Decimal}
_ATOMS |= {kind for kind in np.sctypeDict.values() if kind not in (np.void, np.object_)}


class _Place(NamedTuple):
    """A step from an object to a part of it."""

    within: _Place | None
    array: Array | None
    key: Any

    def __str__(self) -> str:
        steps = []
        place: _Place | None = self
        while place is not None:
            steps.append(place._step())
            place = place.within
        return "array" + "".join(reversed(steps))

    def _step(self) -> str:
        if self.array is None:
            return f"[{self.key!r}]"
        index = ", ".join(str(i) for i in np.unravel_index(self.key, self.array.shape))
        return f"[{index or '()'}]"


class _Element:
    """The key of an element of a set."""

    def __repr__(self) -> str:
        return "element"


def odd_object(array: Array) -> str | None:
    """Returns the place and the type of an object that would not come back as it was; `None` if there is none."""
    stack: list[tuple[Any, _Place | None]] = [(array, None)]
    # Circles and shared objects are looked at once. The array keeps them, so that no other object gets their number.
    seen: set[int] = set()
    while stack:
        value, place = stack.pop()
        for part, where in _parts(value, place):
            if type(part) in _CONTAINERS or (type(part) is np.ndarray and part.dtype.kind != "T"):
                if id(part) not in seen:
                    seen.add(id(part))
                    stack.append((part, where))
            elif not _is_plain(part):
                return f"{where} is a {type(part).__module__}.{type(part).__qualname__}"
    return None


def _is_plain(value: Any) -> bool:
    kind = type(value)
    if kind in _TIMES:
        return value.tzinfo is None or type(value.tzinfo) is datetime.timezone
    if kind is np.void:
        return not value.dtype.hasobject
    return kind in _ATOMS or isinstance(value, np.dtype)


def _parts(value: Any, place: _Place | None) -> Iterator[tuple[Any, _Place]]:
    """Iterates over the parts of a container that are not plain at a glance."""
    if isinstance(value, dict):
        yield from _odd(value, value.values(), place)
        yield from _odd(value, value, place)
    elif isinstance(value, (set, frozenset)):
        yield from _odd([_Element()] * len(value), value, place)
    elif not isinstance(value, np.ndarray):
        yield from _odd(range(len(value)), value, place)
    elif value.dtype.names is None:
        if value.dtype.hasobject:
            yield from _odd(range(value.size), value.ravel().tolist(), place, value)
    else:
        for name in value.dtype.names:
            yield from _parts(value[name], _Place(place, None, name))


def _odd(keys: Iterable[Any], values: Iterable[Any], place: _Place | None, array: Array | None = None) -> Iterator[tuple[Any, _Place]]:
    if set(map(type, values)) <= _ATOMS:
        return
    for key, value in zip(keys, values):
        if type(value) not in _ATOMS:
            yield value, _Place(place, array, key)
