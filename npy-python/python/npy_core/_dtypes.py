"""Dtypes and the literals by which headers name them, and the memory of arrays."""

from __future__ import annotations

import ast
import functools
import io
import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _native
from ._errors import NpyMemoryError, NpyTypeError, NpyValueError
from ._plain import Odd, odd_object

Array = np.ndarray[Any, Any]

# Arrays that are not in one piece are copied in blocks of about this size.
BLOCK_BYTES = 4 << 20


@functools.lru_cache(maxsize=256)
def dtype_of(descr: str) -> np.dtype[Any]:
    """Returns the dtype of a literal in a header, by NumPy's rules."""
    try:
        dtype: np.dtype[Any] = np.lib.format.descr_to_dtype(ast.literal_eval(descr))
    except (ValueError, TypeError, SyntaxError) as error:
        raise NpyValueError(f"NumPy has no dtype {descr}: {error}; upgrade NumPy") from error
    return dtype


def aligned(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns a dtype of records as `align=True` makes it, or as it is if its offsets are others."""
    fields: Any = dtype.fields or {}
    entries = [fields[name] for name in dtype.names or ()]
    parts = {
        "names": list(dtype.names or ()),
        "formats": [entry[0] for entry in entries],
        "offsets": [entry[1] for entry in entries],
        "titles": [entry[2] if len(entry) > 2 else None for entry in entries],
        "itemsize": dtype.itemsize,
    }
    try:
        made: np.dtype[Any] = np.dtype(parts, align=True)  # type: ignore[call-overload]
    except ValueError:
        return dtype
    return made


def is_number_of_ml_dtypes(dtype: np.dtype[Any]) -> bool:
    """Returns true for a dtype such as `bfloat16`, which a file has as raw bytes."""
    return dtype.isbuiltin == 2 and dtype.kind == "V"


def dtype_of_rows(descr: str, rows: np.dtype[Any] | None) -> np.dtype[Any]:
    """Returns the dtype of a file for rows of a dtype. If its raw bytes are numbers of ml_dtypes, it is theirs, in the byte order of the file."""
    dtype = dtype_of(descr)
    if rows is None or not is_number_of_ml_dtypes(rows) or dtype != np.dtype((np.void, rows.itemsize)):
        return dtype
    ordered: np.dtype[Any] = rows.newbyteorder(">" if descr.startswith("'>") else "<")
    return ordered


@functools.lru_cache(maxsize=256)
def _descr_of(dtype: np.dtype[Any]) -> str:
    try:
        with warnings.catch_warnings():
            # That metadata is not written, which NumPy says for each save.
            warnings.simplefilter("ignore", UserWarning)
            return repr(np.lib.format.dtype_to_descr(dtype))
    except ValueError as error:
        raise NpyValueError(
            f"the dtype {dtype} cannot be in a file: {error}; copy the array with numpy.lib.recfunctions.repack_fields"
        ) from error


def descr_of(dtype: np.dtype[Any]) -> str:
    """Returns the literal that `np.save` writes for a dtype."""
    if dtype.metadata is None and dtype.names is None:
        return repr(dtype.str) if dtype.kind != "T" else "'|O'"
    # Dtypes with different metadata or titles can be equal, so they share no entry of a cache.
    return _descr_of.__wrapped__(dtype)


def check_no_mask(array: Array) -> None:
    """Refuses an array whose mask a file cannot have, so that the hidden values would be shown."""
    if isinstance(array, np.ma.MaskedArray):
        raise NpyTypeError("a masked array has no form in a file, and its hidden values would be shown; use array.filled(value), and save array.mask, too")


def check_no_masks(values: Any) -> None:
    """Refuses a list of masked arrays, of which NumPy makes an array without their masks."""
    for value in values if isinstance(values, (list, tuple)) else ():
        check_no_mask(value)


def order_of(array: Array) -> bool:
    """Returns true if `np.save` writes the array in Fortran order."""
    return bool(array.flags.f_contiguous and not array.flags.c_contiguous)


def memory_of(array: Array) -> Array:
    """Returns the bytes of an array that is in one piece, without copying them."""
    if not array.flags.c_contiguous:
        array = array.T
    if type(array) is not np.ndarray:
        array = array.view(np.ndarray)
    return array.reshape(-1).view(np.uint8)


def as_array(memory: Array, dtype: np.dtype[Any], shape: tuple[int, ...], is_fortran: bool = False) -> Array:
    """Returns an array in memory that holds its bytes."""
    if memory.nbytes == 0:
        return empty(shape, dtype, is_fortran)
    array: Array = np.ndarray(shape, dtype, memory, order="F" if is_fortran else "C")
    return array


def empty(shape: tuple[int, ...], dtype: np.dtype[Any], is_fortran: bool = False) -> Array:
    """Returns an array whose values are not set."""
    try:
        # `np.empty` makes text of no bytes one character wide.
        array: Array = np.ndarray(shape, dtype, order="F" if is_fortran else "C")
        return array
    except MemoryError as error:
        raise NpyMemoryError(f"not enough memory for the array: {error}; read rows of it, or map it") from error
    except ValueError as error:
        raise NpyValueError(f"NumPy cannot have an array of shape {shape}: {error}; read rows of it") from error


def header_of(array: Array, descr: str) -> bytes:
    """Returns the header that `np.save` writes."""
    is_fortran = order_of(array)
    header = _native.format_header(descr, array.shape, is_fortran)
    if header is not None:
        return header
    # A dtype of another package, or with titles that are not text: NumPy writes the header itself.
    values = {"descr": ast.literal_eval(descr), "fortran_order": is_fortran, "shape": array.shape}
    stream = io.BytesIO()
    try:
        np.lib.format.write_array_header_1_0(stream, values)
    except ValueError:
        stream = io.BytesIO()
        np.lib.format.write_array_header_2_0(stream, values)
    return stream.getvalue()


@functools.lru_cache(maxsize=256)
def _has_padding(dtype: np.dtype[Any]) -> bool:
    if dtype.subdtype is not None:
        return _has_padding(dtype.subdtype[0])
    if dtype.names is None:
        return False
    fields = [dtype[name] for name in dtype.names]
    if sum(field.itemsize for field in fields) != dtype.itemsize:
        return True
    return any(_has_padding(field) for field in fields)


def _copy_fields(to: Array, values: Array) -> None:
    """Copies the values, and not the bytes between them."""
    if to.dtype.names is None:
        to[...] = values
        return
    for name in to.dtype.names:
        _copy_fields(to[name], values[name])


def pieces(array: Array) -> Iterator[Array]:
    """Iterates over the bytes of an array as `np.save` writes them, without the bytes between fields."""
    if array.nbytes == 0:
        return
    has_padding = _has_padding(array.dtype)
    if not has_padding and (array.flags.c_contiguous or array.flags.f_contiguous):
        yield memory_of(array)
        return
    if order_of(array):
        array = array.T
    if array.ndim == 0:
        array = array.reshape(1)
    row_bytes = max(array.nbytes // array.shape[0], 1)
    rows = max(BLOCK_BYTES // row_bytes, 1)
    for first in range(0, array.shape[0], rows):
        block = array[first : first + rows]
        if not has_padding:
            yield memory_of(np.ascontiguousarray(block))
            continue
        clean = np.zeros(block.shape, block.dtype)
        _copy_fields(clean, np.asarray(block))
        yield memory_of(clean)


def piece(array: Array) -> Array:
    """Returns all bytes of an array as `np.save` writes them."""
    if array.nbytes == 0:
        return np.empty(0, np.uint8)
    parts = pieces(array)
    first = next(parts)
    if first.nbytes == array.nbytes:
        return first
    memory = np.empty(array.nbytes, np.uint8)
    at = 0
    for part in itertools.chain([first], parts):
        memory[at : at + part.nbytes] = part
        at += part.nbytes
    return memory


class _Interruptible(io.BytesIO):
    """Memory for a pickle.

    Python handles signals when it calls a function that is not of C, such as `write`. NumPy from 2.0 on writes pickles of protocol 4, in parts of 64 KiB.
    """

    def write(self, data: Any) -> int:
        return super().write(data)


def object_file(array: Array) -> bytes:
    """Returns the bytes that `np.save` writes for an array of objects.

    They are refused if loading them as data would lose something.
    """
    odd = odd_object(array)
    stream = _Interruptible()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            np.save(stream, array, allow_pickle=True)
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except Exception as error:
            place = odd.place if odd else "an object of the array is not data"
            raise NpyTypeError(
                f"{place}, and cannot be written: {type(error).__name__}: {error}; convert it to plain data"
            ) from error
    data = stream.getvalue()
    names = _native.unknown_names(data)
    if odd or names:
        calls = f", restored by calling {', '.join(names[:5])}" if names else ""
        place, advice = odd or Odd("the array has an object")
        raise NpyTypeError(f"{place}, which is not data{calls}, so that it would not come back as it is; {advice}, or use np.save")
    return data
