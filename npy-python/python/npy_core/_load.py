"""Reading arrays."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterable, Iterator
from typing import IO, Any, Literal, NamedTuple

import numpy as np

from . import _native
from ._dtypes import BLOCK_BYTES, Array, as_array, dtype_of, empty, memory_of
from ._errors import NpyError, NpyOSError, NpyTruncatedError, NpyTypeError, NpyValueError, named
from ._npz import Npz, cpus, refuse
from ._repair import argument, repairable, truncated
from ._select import read, select
from ._stream import STARTS_OF_ARCHIVES, check_has_data, check_is_path

Path = str | bytes | os.PathLike[Any]

# The bytes that are read from a file object at once; after each, Python handles signals.
_BLOCK = 8 << 20


class Header(NamedTuple):
    """The header of an array in a file.

    Attributes
    ----------
    dtype : numpy.dtype
    shape : tuple of int
    fortran_order : bool
    version : tuple of int
        The version of the format, such as ``(1, 0)``.
    offset : int
        The position of the data in the file.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran_order: bool
    version: tuple[int, int]
    offset: int


class _FileSource:
    """A regular file."""

    def __init__(self, path: str, file: _native.ArrayFile, threads: int) -> None:
        descr, self.shape, self.is_fortran, _, self.has_objects = file.parts
        self.dtype = dtype_of(descr)
        self._file = file
        self._threads = threads
        # A file that is too short is refused before there is memory for its data.
        expected, found = file.lengths
        if expected > found and not self.has_objects:
            raise truncated(path, self.shape, self.is_fortran, expected, found)

    def read(self) -> Array:
        array = empty(self.shape, self.dtype, self.is_fortran)
        if array.nbytes:
            self._file.read_into(memory_of(array), 0, self._threads)
        return array

    def read_into(self, memory: Array, first: int) -> None:
        items = int(np.prod(self.shape[1:], dtype=np.int64))
        self._file.read_into(memory, first * items * self.dtype.itemsize, self._threads)

    def read_rows(self, first: int, count: int) -> Array:
        array = empty((count, *self.shape[1:]), self.dtype)
        row_bytes = array.nbytes // count or 1
        rows = max(BLOCK_BYTES // row_bytes, 1)
        # Between blocks, Python handles signals.
        for at in range(0, count, rows):
            memory, shape = self._file.read_rows(first + at, min(rows, count - at))
            array[at : at + rows] = as_array(memory, self.dtype, shape)
        return array


def load(
    path_or_file: Path | IO[bytes],
    *,
    rows: slice | None = None,
    columns: str | list[str] | None = None,
    cast: Any = None,
    threads: int | None = None,
    objects: Literal["data", "refuse"] = "data",
) -> Any:
    """Reads an array from a ``.npy`` file.

    The result is that of ``numpy.load``, but objects are data: nothing in a file is imported or called.

    Parameters
    ----------
    path_or_file : path or file object
        A file object is read from its position, and left right after the array if it can seek.
    rows : slice, optional
        Only these rows, as in ``array[rows]``. No other rows are read.
    columns : str or list of str, optional
        Of records: the array of one field, or a packed structured array of some, in this order. ``"head.gain"`` is a field of a nested
        record, and ``"samples[3]"`` an element of a sub-array.
    cast : dtype, optional
        Converts the values as ``numpy.ndarray.astype`` does, block by block.
    threads : int, optional
        The number of threads that read a large file. By default that of the processors, at most four.
    objects : {"data", "refuse"}
        ``"data"`` makes an array of Python objects of plain values and `Call`; ``"refuse"`` raises an exception, for
        a member of an archive when it is read.

    Returns
    -------
    numpy.ndarray
        Of an archive, an `Npz`.

    Raises
    ------
    NpyError
        See the module.

    Examples
    --------
    >>> save("x.npy", [1.5, 2.5, 4.0])
    >>> load("x.npy")
    array([1.5, 2.5, 4. ])
    >>> load("x.npy", rows=slice(-2, None), cast="f4")
    array([2.5, 4. ], dtype=float32)
    """
    if objects not in ("data", "refuse"):
        raise NpyValueError(f'objects is {objects!r}, but must be "data" or "refuse"')
    count = cpus(threads, 4)
    if not isinstance(path_or_file, (str, bytes, os.PathLike)):
        with named(_name(path_or_file)):
            return _load_stream(path_or_file, rows, columns, cast, objects)
    check_is_path(path_or_file, "load")
    path = os.fsdecode(path_or_file)
    with named(path):
        return _load_path(path, rows, columns, cast, threads, count, objects)


def _load_path(
    path: str, rows: slice | None, columns: Any, cast: Any, threads: int | None, count: int, objects: str
) -> Any:
    with repairable(path):
        opened = _native.open_array(path)
    if opened == "archive":
        if rows is not None or columns is not None or cast is not None:
            raise NpyValueError(
                f"{path}: an archive of several arrays; use npy_core.Npz(path).read(name, ...)"
            )
        return _archive(path, threads, objects)
    if isinstance(opened, str):
        try:
            stream = open(path, "rb")
        except OSError as error:
            raise NpyOSError(f"{path}: {error}", error.errno, path) from error
        with stream:
            return _load_stream(stream, rows, columns, cast, objects)
    with repairable(path):
        source = _FileSource(path, opened, count)
    if not source.has_objects:
        return read(source, rows, columns, cast)
    refuse(objects, path)
    array = _native.objects_in_file(path)
    return select(array, rows, columns, cast)


def _archive(file: Any, threads: int | None, objects: str) -> Npz:
    archive = Npz(file, threads=threads)
    archive._objects = objects
    return archive


def _read_exactly(file: IO[bytes], n: int, data: bytes) -> bytes:
    """Reads until there are n bytes in addition to those, or raises."""
    parts = [data]
    found = len(data)
    while found < n:
        try:
            part = file.read(n - found)
        except UnicodeDecodeError:
            part = ""  # type: ignore[assignment]
        if part is None:
            raise NpyOSError(f"{_name(file)}: the file object has no data at the moment; use a blocking one")
        if not isinstance(part, (bytes, bytearray, memoryview)):
            raise NpyTypeError(f"{_name(file)}: the file object gives {type(part).__name__}; open it in binary mode, \"rb\"")
        if not part:
            if not found:
                check_has_data(file, _name(file))
            raise NpyTruncatedError(
                f"{_name(file)}: truncated: expected at least {n} bytes, found {found}; copy or save the file again"
            )
        parts.append(bytes(part))
        found += len(part)
    return b"".join(parts)


def _name(file: Any) -> str:
    name = getattr(file, "name", None)
    return os.fsdecode(name) if isinstance(name, (str, bytes)) else f"<{type(file).__name__}>"


@contextlib.contextmanager
def _located(file: Any) -> Iterator[None]:
    """Adds the name of a file object to an error, and the repair of the file if it has a path."""
    name = _name(file)
    with repairable(name) if os.path.isfile(name) else contextlib.nullcontext(), named(name):
        yield


def _read_header(file: IO[bytes]) -> tuple[bytes, tuple[str, tuple[int, ...], bool, tuple[int, int], bool] | None]:
    """Reads the header and no byte after it; of an archive, its first bytes."""
    data = b""
    needed = 10
    while True:
        data = _read_exactly(file, needed, data)
        if data.startswith(STARTS_OF_ARCHIVES):
            return data, None
        needed, parts = _native.parse_header(data)
        if parts is not None:
            if data.endswith(b"\r"):
                # A copy as text: each \n became \r\n, which is an error of the library if it sees both.
                _native.parse_header(data + b"\n")
            return data, parts


class _StreamSource:
    """A file object after the header, which is read once, from its start."""

    def __init__(self, file: IO[bytes], dtype: np.dtype[Any], shape: tuple[int, ...], is_fortran: bool) -> None:
        self.dtype, self.shape, self.is_fortran = dtype, shape, is_fortran
        self._file = file

    def read(self) -> Array:
        self._check_length()
        array = empty(self.shape, self.dtype, self.is_fortran)
        if not array.nbytes:
            return array
        memory = memoryview(memory_of(array))  # type: ignore[arg-type]
        readinto = getattr(self._file, "readinto", None)
        at = 0
        while at < len(memory):
            if readinto is None:
                part = self._file.read(min(len(memory) - at, _BLOCK))
                n = len(part)
                memory[at : at + n] = part
            else:
                n = readinto(memory[at : at + _BLOCK]) or 0
            if n == 0:
                raise truncated(_name(self._file), self.shape, self.is_fortran, len(memory), at)
            at += n
        return array

    def _check_length(self) -> None:
        """Refuses a header that states more than the file has, before memory is taken for it."""
        expected = self.dtype.itemsize
        for n in self.shape:
            expected *= n
        if expected < _BLOCK:
            return
        try:
            here = self._file.tell()
            end = self._file.seek(0, 2)
            self._file.seek(here)
        except (AttributeError, OSError, ValueError):
            return
        if end is not None and end - here < expected:
            raise truncated(_name(self._file), self.shape, self.is_fortran, expected, end - here)


def _load_stream(file: IO[bytes], rows: slice | None, columns: Any, cast: Any, objects: str) -> Any:
    if not hasattr(file, "read"):
        raise NpyTypeError(f"expected a path or a file object, found {type(file).__name__}; use numpy.asarray for values")
    with _located(file):
        start, parts = _read_header(file)
    if parts is None:
        if rows is not None or columns is not None or cast is not None:
            raise NpyValueError(f"{_name(file)}: an archive of several arrays; use npy_core.Npz(file).read(name, ...)")
        return _archive(io.BytesIO(start + file.read()), None, objects)
    descr, shape, is_fortran, _, has_objects = parts
    if has_objects:
        refuse(objects, _name(file))
        rest = file.read()
        array, used = _native.objects_in_bytes(start + rest)
        try:
            file.seek(used - len(start) - len(rest), 1)
        except (AttributeError, OSError, ValueError):
            # A pipe: all of it was read.
            pass
    else:
        with _located(file):
            array = _StreamSource(file, dtype_of(descr), shape, is_fortran).read()
    return select(array, rows, columns, cast)


def read_many(paths: Iterable[Path], *, threads: int | None = None) -> list[Array]:
    """Reads many files, each as `load` does.

    Parameters
    ----------
    paths : iterable of paths
    threads : int, optional
        The number of threads; one by default. More help if the disk is slow: files in memory are read faster by one.

    Returns
    -------
    list of numpy.ndarray
        In the order of the paths.

    Examples
    --------
    >>> save("a.npy", [1, 2]); save("b.npy", [3, 4])
    >>> read_many(["a.npy", "b.npy"])
    [array([1, 2]), array([3, 4])]
    """
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise NpyTypeError(f"paths is {paths!r}, but must be a list of paths; use [path], or glob.glob(pattern)")
    return _native.read_many([os.fsdecode(path) for path in paths], cpus(1 if threads is None else threads), dtype_of, load)


def header(path: Path | IO[bytes]) -> Header:
    """Reads the header of a file, and none of its data.

    Parameters
    ----------
    path : path or file object

    Returns
    -------
    Header
        Has ``dtype``, ``shape``, ``fortran_order``, ``version`` and ``offset``.

    Examples
    --------
    >>> save("x.npy", [1.5, 2.5])
    >>> header("x.npy").dtype, header("x.npy").shape, header("x.npy").offset
    (dtype('float64'), (2,), 128)
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        with _located(path):
            start, parts = _read_header(path)
        offset = len(start)
    else:
        with repairable(os.fsdecode(path)):
            opened = _native.open_array(os.fsdecode(path))
        if opened == "archive":
            raise NpyValueError(f"{os.fsdecode(path)}: an archive of several arrays; use npy_core.Npz(path).header(name)")
        if isinstance(opened, str):
            with open(path, "rb") as stream:
                return header(stream)
        parts, offset = opened.parts, opened.offset
    if parts is None:
        raise NpyValueError("an archive of several arrays; use npy_core.Npz(file).header(name)")
    descr, shape, is_fortran, version, _ = parts
    return Header(dtype_of(descr), shape, is_fortran, version, offset)


def verify(path: Path) -> list[str]:
    """Reads all of a file as a strict reader does, and says what is wrong with it.

    Checked are headers, sizes, checksums of archives and the names that pickles would import. Nothing is imported.

    Parameters
    ----------
    path : path

    Returns
    -------
    list of str
        Empty for a sound file, whose pickles import types of data alone.

    Examples
    --------
    >>> save("x.npy", [1.5, 2.5])
    >>> verify("x.npy")
    []
    """
    name = os.fsdecode(path)
    try:
        # The exception of a file that is not there, or that may not be read.
        _native.open_array(name)
    except NpyOSError:
        raise
    except NpyError:
        # The list says why.
        pass
    problems, _ = _native.findings(argument(name))
    # A slice in a name is for the command alone.
    return [re.sub("(?<= complete), and .*? reads them;(?= npy repair )", ";", problem) for problem in problems]
