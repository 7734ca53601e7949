"""Rows of the dtype of a file, in which their values must not change."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._advice import check_names, converted, loss
from ._dtypes import check_no_masks
from ._errors import NpyTypeError

Array = np.ndarray[Any, Any]

# Every integer up to this one is a double float, too.
_EXACT = 1 << 53


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
    check_no_masks(values)
    if dtype.names is not None and isinstance(values, dict):
        advice = f"use a tuple of the values in the order of the fields: tuple(row[name] for name in {list(dtype.names)!r})"
        raise NpyTypeError(f"the file holds records, and a record is a tuple; {advice}")
    try:
        with np.errstate(over="ignore"):
            array = np.asarray(values, dtype=dtype)
        if dtype.names is not None:
            _check_records(values, array)
            return array
        given = np.asarray(values)
        is_same = given.size == 0 or given.dtype == dtype or _is_same(given, array)
    except (ValueError, TypeError, OverflowError) as error:
        if isinstance(error, NpyTypeError):
            raise
        raise NpyTypeError(f"the values are not rows of {dtype}: {error}; use values that fit") from error
    if not is_same:
        raise NpyTypeError(
            f"the file holds {dtype}, in which the values of {given.dtype} would change; use values that fit, "
            f"or numpy.asarray(values){converted(dtype)}{loss(given.dtype, dtype)}"
        )
    return array


def _check_records(values: Any, array: Array) -> None:
    """Checks the fields of tuples, which are in the order of the file, and of records, which have names."""
    records = [values]
    for _ in array.shape:
        records = [record for part in records for record in part]
    if not all(isinstance(record, (tuple, np.void)) for record in records):
        raise NpyTypeError(f"the file holds records of {array.dtype}, and a record is a tuple; use a list of tuples")
    for record in records:
        if isinstance(record, np.void):
            check_names(record.dtype, array.dtype, rows="numpy.asarray(rows)" if array.shape else "rows")
    for i, name in enumerate(array.dtype.names or ()):
        rows_of_values([record[i] for record in records], array.dtype[name].base)


def _is_same(given: Array, array: Array) -> bool:
    kind = array.dtype.kind
    if kind in "Mm":
        return given.dtype.kind in (kind + "UO" if kind == "M" else "mOiu") and _are_same_times(given, array)
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


def _are_same_times(given: Array, array: Array) -> bool:
    if given.dtype.kind == "U":
        given = given.astype("M8")
    elif given.dtype.kind == "O":
        given = given.astype(f"{array.dtype.kind}8[us]")
    elif given.dtype.kind in "iu":
        # A number counts the unit of the file.
        return bool((given == array.astype("i8")).all())
    return bool(((given == array) | (np.isnat(given) & np.isnat(array))).all())
