"""Writing arrays."""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._dtypes import Array, check_no_mask, check_no_masks, descr_of, dtype_of_rows, header_of, object_file, pieces
from ._errors import NpyFileExistsError, NpyFileNotFoundError, NpyTypeError, NpyValueError, named
from ._repair import repairable
from ._rows import rows_of_array, rows_of_values
from ._stream import check_name, write_to

Path = str | bytes | os.PathLike[Any]

# The bytes that are appended at once; after each, Python handles signals.
_BLOCK = 8 << 20


def as_array(values: npt.ArrayLike) -> Array:
    """Makes an array as `np.save` does."""
    check_no_masks(values)
    try:
        array: Array = np.asanyarray(values)
    except ValueError as error:
        raise NpyValueError(f"the values are no array: {error}; use numpy.array(values, dtype=object) for lists of different lengths") from error
    check_no_mask(array)
    return array


def save(path: Path | IO[bytes], array: npt.ArrayLike, *, sync: bool = False) -> None:
    """Writes an array to a ``.npy`` file, with the bytes that ``numpy.save`` writes.

    After an error, Ctrl-C or a kill, the path is the old file; otherwise it is the new one, complete.

    Parameters
    ----------
    path : path or file object
        It is used as it is: no ``.npy`` is added, and a name that ends with ``.npz`` is refused. A file object is written to directly.
    array : array_like
        Objects must be data: numbers, text, times, lists, dicts, arrays. Bytes between the fields of records are written as zeros.
    sync : bool
        Waits until the disk has the file.

    Examples
    --------
    >>> save("x.npy", [[1, 2], [3, 4]])
    >>> load("x.npy").shape
    (2, 2)
    """
    _save(path, array, sync)


def _save(path: Path | IO[bytes], array: npt.ArrayLike, sync: bool = False, keep_existing: bool = False) -> None:
    check_name(path, "save", ".npz", "npy_core.savez writes an archive")
    values = as_array(array)
    if values.dtype.kind == "T":
        raise NpyTypeError("StringDType has no form in a file but a pickle; use array.astype('U') or array.astype(object)")
    if values.dtype.hasobject:
        start, blocks = object_file(values), iter(list[Array]())
    else:
        start, blocks = header_of(values, descr_of(values.dtype)), pieces(values)
    if not isinstance(path, (str, bytes, os.PathLike)):
        if not hasattr(path, "write"):
            raise NpyTypeError(
                f"expected a path or a file object, found {type(path).__name__}; the path comes first: save(path, array)"
            )
        write_to(path, itertools.chain([start], blocks))
        return
    file = _native.NewFile(os.fsdecode(path), sync, keep_existing)
    try:
        file.write(start)
        for block in blocks:
            file.write_memory(block)
        file.finish()
    finally:
        file.discard()


def _rows_of(values: Any, dtype: np.dtype[Any], row_shape: tuple[int, ...]) -> Array:
    """Makes rows of a dtype; one row may be without its dimension."""
    if isinstance(values, np.ndarray):
        check_no_mask(values)
        array = rows_of_array(values, dtype)
    else:
        array = rows_of_values(values, dtype)
    if array.shape == row_shape:
        array = array.reshape((1, *row_shape))
    if array.shape[1:] != row_shape or array.ndim == 0:
        raise NpyValueError(
            f"a row of the file has shape {row_shape}, and the array {array.shape}; use an array of shape (n, *{row_shape}), or of one row"
        )
    return array


def _appender(path: str) -> _native.Appender:
    with repairable(path):
        return _native.Appender(path)


def _append_rows(file: _native.Appender, array: Array) -> None:
    if array.nbytes == 0:
        return
    row_bytes = array.nbytes // array.shape[0]
    rows = max(_BLOCK // row_bytes, 1)
    for first in range(0, array.shape[0], rows):
        for block in pieces(np.ascontiguousarray(array[first : first + rows])):
            file.append(block)


def append(path: Path, array: npt.ArrayLike) -> None:
    """Adds rows at the end of a ``.npy`` file, in place.

    Parameters
    ----------
    path : path
        If there is no file, it is created with these rows.
    array : array_like
        One row, or rows along the first dimension, of the dtype of the file. An array of another dtype must be one that NumPy converts
        safely, and no value may change. Records must have the fields of the file in its order; tuples in a list are in that order. Of lists
        and numbers, floats are rounded to those of the file, and all other values must fit. A new file has the dtype of the array, and rows
        of its shape without the first dimension.

    Examples
    --------
    >>> append("log.npy", [[1.0, 2.0]])
    >>> append("log.npy", [3.0, 4.0])
    >>> load("log.npy")
    array([[1., 2.],
           [3., 4.]])
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise NpyTypeError(f"expected a path, found {type(path).__name__}; rows are added to a file by its path: append(path, array)")
    try:
        file = _appender(os.fsdecode(path))
    except NpyFileNotFoundError:
        rows = as_array(array)
        _check_rows_dtype(rows.dtype)
        try:
            # Rows in Fortran order could not grow.
            _save(path, np.ascontiguousarray(rows.reshape(1) if rows.ndim == 0 else rows), keep_existing=True)
            return
        except NpyFileExistsError:
            # Another program has made the file since.
            file = _appender(os.fsdecode(path))
    try:
        with named(os.fsdecode(path)):
            dtype = dtype_of_rows(file.descr, getattr(array, "dtype", None))
            _append_rows(file, _rows_of(array, dtype, tuple(file.row_shape)))
    except BaseException:
        # Ctrl-C, too, leaves the file as it was.
        file.discard()
        raise
    file.finish()


def _check_rows_dtype(dtype: np.dtype[Any]) -> None:
    if dtype.hasobject:
        raise NpyTypeError(f"rows of {dtype} cannot be appended, because objects are one pickle; use npy_core.save")


def _check_width(dtype: np.dtype[Any]) -> None:
    if dtype.itemsize == 0 and dtype.names is None:
        raise NpyValueError(f"rows of {dtype.kind} have no width, and a file has one for all rows; name a width, such as {dtype.kind}10")


class Writer:
    """Writes rows to a ``.npy`` file as they come.

    Parameters
    ----------
    path : path
        The file is replaced at once by one without rows, unless ``append`` is true.
    dtype : dtype
    row_shape : tuple of int
        The shape of one row: ``()`` for an array of one dimension.
    append : bool
        Continues a file, which is created if it is not there. Its dtype and rows must be these.

    Attributes
    ----------
    dtype : numpy.dtype
    row_shape : tuple of int

    Notes
    -----
    After each `flush`, other programs can load the rows. A program that is killed leaves the rows of its last `flush`, or more. Until it is
    closed, the file is locked: another writer gets an `NpyLockedError`. Threads may share a writer, whose calls then wait for each other. A
    process that is forked cannot use the writer of its parent.

    Examples
    --------
    >>> with Writer("grid.npy", "f4", (2,)) as w:
    ...     w.write([[1, 2], [3, 4]])
    ...     w.write([5, 6])
    >>> load("grid.npy").shape
    (3, 2)
    """

    def __init__(self, path: Path, dtype: npt.DTypeLike, row_shape: tuple[int, ...] = (), append: bool = False) -> None:
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.row_shape: tuple[int, ...] = tuple(row_shape) if not isinstance(row_shape, int) else (row_shape,)
        _check_rows_dtype(self.dtype)
        _check_width(self.dtype.base)
        if self.dtype.subdtype is not None:
            base, shape = self.dtype.subdtype
            self.dtype, self.row_shape = base, (*self.row_shape, *shape)
        if not append or not os.path.exists(path):
            # If another program makes the file first, it grows.
            with contextlib.suppress(NpyFileExistsError):
                _save(path, np.empty((0, *self.row_shape), self.dtype), keep_existing=append)
        self._path = os.fsdecode(path)
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._file = _appender(self._path)
        found, rows = dtype_of_rows(self._file.descr, self.dtype), tuple(self._file.row_shape)
        if found != self.dtype or rows != self.row_shape:
            self._file.finish()
            raise NpyValueError(
                f"{self._path}: the file has rows of {found} with shape {rows}, not {self.dtype} with {self.row_shape}; "
                "use those, or write another file"
            )

    @property
    def count(self) -> int:
        """The number of rows, with those that were in the file before."""
        with self._locked():
            return self._file.count

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        # Before the lock, which another thread may have had when the process was forked.
        if os.getpid() != self._process:
            raise NpyValueError(f"{self._path}: the writer is that of another process, before a fork; make the Writer in the process that writes")
        with self._lock, named(self._path):
            yield

    def write(self, rows: npt.ArrayLike) -> None:
        """Adds one row, or rows along the first dimension."""
        with self._locked():
            _append_rows(self._file, _rows_of(rows, self.dtype, self.row_shape))

    def flush(self) -> None:
        """Makes the rows visible to other programs."""
        with self._locked():
            self._file.flush()

    def close(self) -> None:
        """Writes what is left, and closes the file. In a forked process, nothing is left."""
        if os.getpid() == self._process:
            with self._locked():
                self._file.finish()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
