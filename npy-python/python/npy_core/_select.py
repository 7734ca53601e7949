"""Rows, columns and casts: which part of an array is read, and as what."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.lib.recfunctions import repack_fields

from ._dtypes import BLOCK_BYTES, Array, empty, is_number_of_ml_dtypes, memory_of
from ._errors import NpyKeyError, NpyTypeError, NpyValueError


class Source(Protocol):
    """An array in a file, to read rows of it."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    is_fortran: bool

    def read(self) -> Array:
        """Reads all of it."""
        ...

    def read_into(self, memory: Array, first: int) -> None:
        """Fills memory with the rows from this one on, of an array in C order."""
        ...

    def read_rows(self, first: int, count: int) -> Array:
        """Reads rows in C order, of an array in Fortran order."""
        ...


def read(source: Source, rows: slice | None, columns: Any, cast: Any) -> Array:
    """Reads the rows and columns of an array, and casts them."""
    check_rows(rows, source.shape)
    if rows is None and columns is None and cast is None:
        return source.read()
    convert, dtype = conversion(np.empty(0, source.dtype), columns, cast)
    if not source.shape or rows is None and source.is_fortran:
        whole = source.read()
        return whole if convert is None else _converted(convert, whole, dtype)
    picked = range(source.shape[0])[rows if rows is not None else slice(None)]
    if not picked:
        return empty((0, *source.shape[1:]), dtype)
    if convert is None and picked.step == 1:
        return _rows(source, picked.start, len(picked))
    return _gathered(source, picked, convert, dtype)


def check_rows(rows: slice | None, shape: tuple[int, ...]) -> None:
    """Refuses rows that are no slice, or of an array without rows."""
    if rows is None:
        return
    if not isinstance(rows, slice):
        example = f"slice({rows}, {rows + 1 or None})" if type(rows) is int else "slice(start, stop)"
        raise NpyTypeError(f"rows is {rows!r}, but must be a slice; use rows={example}")
    if not all(part is None or hasattr(part, "__index__") for part in (rows.start, rows.stop, rows.step)):
        raise NpyTypeError(f"rows is {rows!r}, whose parts must be integers; use rows=slice(start, stop)")
    if rows.step is not None and operator.index(rows.step) == 0:
        raise NpyValueError(f"rows is {rows!r}, whose step is 0; use a step of at least 1, or below 0 for backwards")
    if not shape:
        raise NpyValueError("the array has no dimensions, and so no rows; leave out rows")


def _rows(source: Source, first: int, count: int) -> Array:
    if source.is_fortran and len(source.shape) > 1:
        return source.read_rows(first, count)
    array = empty((count, *source.shape[1:]), source.dtype)
    if array.nbytes:
        source.read_into(memory_of(array), first)
    return array


def _gathered(
    source: Source, picked: range, convert: Callable[[Array], Array] | None, dtype: np.dtype[Any]
) -> Array:
    """Reads rows block by block, so that the memory is that of the result and of a block."""
    backwards = picked.step < 0
    rising = picked[::-1] if backwards else picked
    n, step = len(rising), rising.step
    result = empty((n, *source.shape[1:]), dtype)
    items = max(int(np.prod(source.shape[1:], dtype=np.int64)), 1)
    row_bytes = max(source.dtype.itemsize * items, 1)
    per_block = max(BLOCK_BYTES // (row_bytes * step), 1)
    for at in range(0, n, per_block):
        some = rising[at : at + per_block]
        block = _rows(source, some[0], some[-1] + 1 - some[0])[::step]
        to = result[n - at - len(some) : n - at][::-1] if backwards else result[at : at + len(some)]
        to[...] = block if convert is None else convert(block)
    return result


def _converted(convert: Callable[[Array], Array], array: Array, dtype: np.dtype[Any]) -> Array:
    converted = convert(array)
    base = dtype.base
    return converted if converted.dtype == base else converted.astype(base)


def select(array: Array, rows: slice | None, columns: Any, cast: Any) -> Array:
    """Takes the rows and columns of an array in memory, and casts them."""
    check_rows(rows, array.shape)
    part = array if rows is None else array[rows]
    # The text of objects has the width of the longest.
    sample = part if array.dtype.hasobject else np.empty(0, array.dtype)
    convert, dtype = conversion(sample, columns, cast)
    return part if convert is None else _converted(convert, part, dtype)


def conversion(
    sample: Array, columns: Any, cast: Any
) -> tuple[Callable[[Array], Array] | None, np.dtype[Any]]:
    """Returns the function that takes columns of arrays like the sample and casts them, and the dtype of its result."""
    dtype = sample.dtype
    wanted = None if cast is None else _dtype(cast)
    source = dtype if not isinstance(columns, str) else _find(dtype, columns)[1]
    if wanted is not None and is_number_of_ml_dtypes(wanted) and source.base.kind == "V":
        raise NpyTypeError(
            f"cast is {wanted}, whose numbers a file has as raw bytes, and cast converts numbers; use load(path).view(dtype), "
            "or view(dtype.newbyteorder('>')) if the header of the file says '>V2'"
        )
    if columns is None:
        if wanted is None:
            return None, dtype
        result = _completed(wanted, sample)
        return (lambda block: _cast(block, result)), result
    if isinstance(columns, str):
        steps, field = _find(dtype, columns)
        base, shape = field.subdtype or (field, ())
        to = _completed(wanted, _take(sample, steps)) if wanted is not None else base
        # The dimensions of a sub-array follow those of the array.
        result = np.dtype((to, shape)) if shape else to
        return (lambda block: _cast(_take(block, steps), to)), result
    names = _names(columns)
    found = [_find(dtype, name) for name in names]
    # A dtype of records is that of all columns.
    cast_each = wanted if wanted is None or wanted.names is None else None
    if cast_each is None and all(name in (dtype.names or ()) for name in names):
        packed: np.dtype[Any] = repack_fields(dtype[names])
    else:
        fields = []
        for name, (steps, field) in zip(names, found):
            base, shape = field.subdtype if field.subdtype is not None else (field, ())
            fields.append((name, base if cast_each is None else _completed(cast_each, _take(sample, steps)), shape))
        packed = np.dtype(fields)
    def convert(block: Array) -> Array:
        result = np.empty(block.shape, packed)
        for name, (steps, _) in zip(names, found):
            column = _take(block, steps)
            result[name] = column if cast_each is None else _cast(column, packed[name].base)
        return result
    if wanted is not None and cast_each is None:
        return (lambda block: _cast(convert(block), wanted)), wanted
    return convert, packed


def _completed(dtype: np.dtype[Any], values: Array) -> np.dtype[Any]:
    """Gives text without a width, and times without a unit, those that NumPy gives the values."""
    if dtype.names is not None or dtype.itemsize and not (dtype.kind in "Mm" and np.datetime_data(dtype)[0] == "generic"):
        return dtype
    if dtype.kind in "Mm" and values.dtype.base.kind in "US":
        raise NpyTypeError(f"cast is {dtype}, which has no unit; use a unit, such as '{dtype.kind}8[ns]'")
    completed: np.dtype[Any] = _cast(values, dtype).dtype
    return completed


def _cast(block: Array, dtype: np.dtype[Any]) -> Array:
    try:
        return block.astype(dtype)
    except (ValueError, TypeError, RuntimeError) as error:
        raise NpyTypeError(f"not every value becomes {dtype}: {error}; use a cast that all values allow, or none") from error


def _dtype(cast: Any) -> np.dtype[Any]:
    try:
        dtype: np.dtype[Any] = np.dtype(cast)
    except (TypeError, ValueError) as error:
        raise NpyTypeError(f"cast is {cast!r}, which is not a dtype: {error}; use a dtype such as 'f4'") from error
    if dtype.names is not None and _has_no_width(dtype):
        raise NpyTypeError(f"cast is {dtype}, which has text without a width, so that it would be empty; use a width, such as 'U10'")
    return dtype


def _has_no_width(dtype: np.dtype[Any]) -> bool:
    dtype = dtype.base
    if dtype.names is not None:
        return any(_has_no_width(dtype[name]) for name in dtype.names)
    return not dtype.itemsize


def _names(columns: Any) -> list[str]:
    names = list(columns) if isinstance(columns, Sequence) else None
    if names is None or not all(isinstance(name, str) for name in names):
        raise NpyTypeError(f"columns is {columns!r}, but must be a name or a list of names")
    if len(set(names)) != len(names):
        raise NpyValueError(f"columns {names!r} has a name twice; name each column once")
    return names


# Names of fields, each with indices into its sub-array, and the number of dimensions of that.
_Steps = list[tuple[str, tuple[int, ...], int]]


def _find(dtype: np.dtype[Any], path: str) -> tuple[_Steps, np.dtype[Any]]:
    """Finds the field of a path such as ``"gain"``, ``"head.gain"`` or ``"samples[3]"``."""
    if dtype.names is None:
        raise NpyValueError(f"the elements are {dtype}, which have no columns; leave out columns")
    steps: _Steps = []
    rest, here = path, dtype
    while rest:
        rest = rest.removeprefix(".") if steps else rest
        names = [name for name in here.names or () if rest == name or rest.startswith((name + ".", name + "["))]
        if not names:
            break
        # The longest name: names may have dots.
        name = max(names, key=len)
        rest = rest[len(name) :]
        base, shape = here[name].subdtype or (here[name], ())
        indices: list[int] = []
        while len(indices) < len(shape) and (index := re.match(r"\[(\d+)\]|\.(\d+)(?=$|[.\[])", rest)):
            indices.append(int(index[1] or index[2]))
            rest = rest[index.end() :]
        if any(at >= length for at, length in zip(indices, shape)):
            rest = rest or "[...]"
            break
        steps.append((name, tuple(indices), len(shape)))
        left = shape[len(indices) :]
        here = np.dtype((base, left)) if left else base
    if rest or not steps:
        raise NpyKeyError(f"no column {path!r}; the columns are {', '.join(dtype.names)}")
    return steps, here


def _take(block: Array, steps: _Steps) -> Array:
    for name, indices, dimensions in steps:
        block = block[name]
        if indices:
            # The dimensions of the sub-array come last.
            later: Any = (slice(None),) * (dimensions - len(indices))
            index: Any = (Ellipsis, *indices, *later)
            block = block[index]
    return block
