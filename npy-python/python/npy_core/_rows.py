"""Rows of the dtype of a file, in which their values must not change."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._advice import check_names, converted, loss, loss_of, packed
from ._dtypes import check_no_masks
from ._errors import NpyTypeError

Array = np.ndarray[Any, Any]

# Every integer up to this one is a double float, too.
_EXACT = 1 << 53
# The most dimensions of an array of NumPy.
_MOST_DIMENSIONS = 64


def rows_of_array(array: Array, dtype: np.dtype[Any]) -> Array:
    """Converts an array to a dtype. Records must have its fields, and every value must stay equal."""
    if array.dtype == dtype:
        return array
    check_names(array.dtype, dtype)
    result = array.astype(dtype) if np.can_cast(array.dtype, dtype, "safe") else None
    if result is None or not _is_exact(array, result):
        raise NpyTypeError(
            f"the file holds {dtype}, and the rows are {array.dtype}, whose values may not fit; "
            f"use rows{converted(dtype)}{loss(array.dtype, dtype)}"
        )
    return result


def _is_exact(given: Array, array: Array) -> bool:
    """Returns true if no value changed in a conversion that NumPy calls safe."""
    kind = array.dtype.kind
    if array.dtype.names is not None:
        return all(_is_exact(given[name], array[name]) for name in array.dtype.names)
    if kind in "US":
        return given.dtype.kind in "US"
    if kind in "Mm":
        # A finer unit reaches less far.
        return bool((array.astype(given.dtype).astype("i8") == given.astype("i8")).all())
    if given.dtype.kind in "iu" and given.dtype.itemsize == 8 and kind in "fc":
        large = given[(given > _EXACT) | (given < -_EXACT)]
        return bool(large.tolist() == large.astype(array.dtype).tolist())
    return True


def rows_of_values(values: Any, dtype: np.dtype[Any]) -> Array:
    """Makes an array of a dtype. Floats are rounded to those of the file; every other value must stay equal."""
    array, changes = _converted(values, dtype, "")
    if any(change.given.kind == "O" and change.dtype.kind in "Mm" for change in changes):
        array, changes = _converted(_of_numpy(values), dtype, "")
    if not changes:
        return array
    losses = loss_of((change.given, change.dtype) for change in changes)
    field, given, found = changes[0]
    place, call = "", f"numpy.asarray(values){converted(dtype)}"
    if field:
        place, call = f" in the field {field!r}", f"numpy.array(values, {packed(dtype)!r})"
    raise NpyTypeError(f"the file holds {found}{place}, in which the values of {given} would change; use values that fit, or {call}{losses}")


def _of_numpy(values: Any) -> Any:
    """Replaces times of pandas by those of NumPy, which keep their nanoseconds."""
    if isinstance(values, (list, tuple)):
        parts = map(_of_numpy, values)
        return list(parts) if isinstance(values, list) else tuple(parts)
    return values.to_numpy() if hasattr(values, "to_numpy") else values


class _Change(NamedTuple):
    """Values that would change: the path of their field, which is empty without records, their dtype, and that of the file."""

    field: str
    given: np.dtype[Any]
    dtype: np.dtype[Any]


def _converted(values: Any, dtype: np.dtype[Any], field: str) -> tuple[Array, list[_Change]]:
    """Converts values, and finds those that change by it. Records are checked field by field first, so that errors name the field."""
    check_no_masks(values)
    changes: list[_Change] = []
    if dtype.names is not None:
        records = _records(values, dtype)
        for i, name in enumerate(dtype.names):
            path = f"{field}.{name}" if field else name
            changes += _converted([record[i] for record in records], dtype[name].base, path)[1]
    try:
        with np.errstate(over="ignore"):
            array = np.asarray(values, dtype=dtype)
        if dtype.names is None:
            given = np.asarray(values)
            if given.size and (given.dtype != dtype or dtype.kind in "Mm") and not _is_same(values, given, array):
                changes.append(_Change(field, given.dtype, dtype))
    except (ValueError, TypeError, OverflowError) as error:
        rows = f"values of {dtype} for the field {field!r}" if field else f"rows of {dtype}"
        raise NpyTypeError(f"the values are not {rows}: {error}; use values that fit") from error
    return array, changes


def _records(values: Any, dtype: np.dtype[Any]) -> list[Any]:
    """Returns the records of nested lists: tuples, whose values are in the order of the fields of the file, and records, which have names."""
    records, names, is_one = [values], list(dtype.names or ()), True
    # Lists may contain themselves.
    for _ in range(_MOST_DIMENSIONS):
        if not records or not all(_is_list(part) for part in records):
            break
        records, is_one = [record for part in records for record in part], False
    for record in records:
        if isinstance(record, dict):
            row = f"tuple(row[name] for name in {names!r})"
            raise NpyTypeError(f"the file holds records, and a record is a tuple; use {row if is_one else f'[{row} for row in rows]'}")
        if isinstance(record, np.void):
            check_names(record.dtype, dtype, rows="rows" if is_one else "numpy.asarray(rows)")
        elif not isinstance(record, tuple):
            raise NpyTypeError(f"the file holds records of {dtype}, and a record is a tuple; use a list of tuples")
        elif len(record) != len(names):
            raise NpyTypeError(
                f"a record of the file has the fields {', '.join(names)}, and a tuple {len(record)} values; use tuples of a value for each field"
            )
    return records


def _is_list(values: Any) -> bool:
    if isinstance(values, np.ndarray):
        return values.ndim > 0
    return hasattr(values, "__len__") and not isinstance(values, (tuple, np.void, dict, str, bytes))


def _is_same(values: Any, given: Array, array: Array) -> bool:
    kind = array.dtype.kind
    if kind in "Mm":
        return given.dtype.kind in (kind + "UO" if kind == "M" else "mOiu") and _are_same_times(values, given, array)
    if given.dtype.kind == "O":
        return all(value == item for value, item in zip(given.ravel().tolist(), array.ravel().tolist()))
    if given.dtype.kind in "US" and kind in "US":
        return bool((array.astype(given.dtype) == given).all())
    if kind == "V":
        return given.dtype.kind == "S" and given.itemsize <= array.itemsize
    if given.dtype.kind in "fc" and kind in "fc":
        # No number may become infinite or zero.
        is_finite, is_zero = np.isfinite(given) == np.isfinite(array), (given == 0) == (array == 0)
        return np.can_cast(given.dtype, array.dtype, "same_kind") and bool((is_finite & is_zero).all())
    if given.dtype.kind in "biu" and kind in "iufc":
        # Python compares an integer with a float exactly; NumPy first rounds the integer.
        return bool(given.ravel().tolist() == array.ravel().tolist())
    return False


def _are_same_times(values: Any, given: Array, array: Array) -> bool:
    kind = array.dtype.kind
    if given.dtype.kind in "iu":
        # A number counts the unit of the file.
        return bool((given == array.astype("i8")).all())
    if given.dtype.kind == "O":
        objects, items = given.ravel(), array.ravel()
        has_unit = np.array([isinstance(value, np.generic) or hasattr(value, "to_numpy") for value in objects], bool)
        others = objects[~has_unit].astype(f"{kind}8[us]")
        return _are_equal(others, items[~has_unit]) and all(map(_is_same_time, objects[has_unit], items[has_unit]))
    times = given.astype("M8") if given.dtype.kind == "U" else given
    if kind == "m" and np.datetime_data(times.dtype)[0] in ("Y", "M"):
        return _are_equal(times, array)
    # The finest unit of a list may not reach its other times.
    seconds = given.astype("M8[s]") if given.dtype.kind == "U" else np.asarray(values, f"{kind}8[s]")
    return _are_equal(times, array) and _are_equal(seconds, array)


def _is_same_time(value: Any, item: Any) -> bool:
    """Compares a time of NumPy or pandas with the one that NumPy made of it."""
    time = value.to_numpy() if hasattr(value, "to_numpy") else value
    return bool(time.astype("i8") == item.astype(time.dtype).astype("i8"))


def _are_equal(times: Array, array: Array) -> bool:
    """Compares times in their own unit, as that of the file may reach less far."""
    return bool((times.astype("i8") == array.astype(times.dtype).astype("i8")).all())
