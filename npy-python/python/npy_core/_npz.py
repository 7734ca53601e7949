"""Archives."""

from __future__ import annotations

import math
import mmap
import os
import tempfile
from collections.abc import Iterator, Mapping
from typing import IO, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _native
from ._dtypes import Array, as_array, descr_of, dtype_of, empty, memory_of, object_file, order_of, piece
from ._errors import NpyKeyError, NpyOSError, NpyTypeError, NpyValueError
from ._select import read, select
from ._stream import write_to

Path = str | bytes | os.PathLike[Any]

# The bytes of an archive that are copied at once.
_BLOCK = 8 << 20
# The bytes of new members that stay in memory, so that they can be read before the archive is closed.
_KEPT = 64 << 20


def cpus(threads: int | None, most: int | None = None) -> int:
    """Returns a number of threads: by default that of the processors of this process."""
    if threads is not None:
        if not hasattr(threads, "__index__"):
            raise NpyTypeError(f"threads is {threads!r}, but must be an integer; leave it out to use all processors")
        if threads < 1:
            raise NpyValueError(f"threads is {threads}, but must be at least 1")
        return threads
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return count if most is None else min(count, most)


def level_of(compress: int | None) -> int:
    """Returns the level of compression; 0 stores."""
    if compress is not None and not hasattr(compress, "__index__"):
        raise NpyTypeError(f"compress is {compress!r}, but must be an integer from 0, which stores, to 9")
    level = 0 if compress is None else int(compress)
    if not 0 <= level <= 9:
        raise NpyValueError(f"compress is {compress}, but must be from 0, which stores, to 9")
    return level


def write_member(writer: _native.ArchiveWriter, name: str, values: Any) -> None:
    """Writes an array to an archive that is written or edited."""
    array = np.asanyarray(values)
    if array.dtype.kind == "T":
        raise NpyTypeError(f"member {name!r}: StringDType has no form in a file but a pickle; use array.astype('U')")
    if array.dtype.hasobject:
        writer.write_objects(name, object_file(array))
        return
    writer.write(name, descr_of(array.dtype), array.shape, order_of(array), piece(array))


class _MemberSource:
    """A member of an archive."""

    def __init__(self, archive: _native.Archive, name: str, threads: int) -> None:
        descr, self.shape, self.is_fortran, _, self.has_objects = archive.header(name)
        self.dtype = dtype_of(descr)
        self._archive, self._name, self._threads = archive, name, threads

    def read(self) -> Array:
        array = empty(self.shape, self.dtype, self.is_fortran)
        if self._threads > 1 and array.nbytes > 4 << 20 and self._archive.is_seekable(self._name):
            memory = self._archive.read_whole(self._name)
            return as_array(memory, self.dtype, self.shape, self.is_fortran)
        if array.nbytes:
            self._archive.read_into(self._name, 0, memory_of(array))
        return array

    def read_into(self, memory: Array, first: int) -> None:
        self._archive.read_into(self._name, first, memory)

    def read_rows(self, first: int, count: int) -> Array:
        memory, shape = self._archive.read_rows(self._name, first, count)
        return as_array(memory, self.dtype, shape)


class Npz(Mapping[str, Any]):
    """An archive of arrays (``.npz``), as a mapping of their names.

    Parameters
    ----------
    path : path or file object
    mode : {"r", "a"}
        With ``"a"``, members are added, replaced, removed and renamed. The file changes at the end of the ``with`` block or by `close`;
        after an exception it is the old one. It is created if it is not there.
    compress : int or None
        The level of compression of members that are written: 0 or ``None`` stores them.
    threads : int, optional
        The number of threads that compress, and that read a large member. By default that of the processors.
    seekable : bool
        Gives members that are written an index, so that rows in their middle are read without the rows before.

    Examples
    --------
    >>> savez("run.npz", a=[1, 2, 3], b=[0.5])
    >>> with Npz("run.npz") as z:
    ...     print(list(z), z["a"], z.read("a", rows=slice(1, None)))
    ['a', 'b'] [1 2 3] [2 3]
    >>> with Npz("run.npz", "a") as z:
    ...     z["c"] = [True]
    ...     del z["b"]
    ...     z.rename("a", "first")
    >>> list(Npz("run.npz"))
    ['first', 'c']
    """

    def __init__(
        self,
        path: Path | IO[bytes],
        mode: Literal["r", "a"] = "r",
        *,
        compress: int | None = 6,
        threads: int | None = None,
        seekable: bool = True,
    ) -> None:
        if mode not in ("r", "a"):
            raise NpyValueError(f'mode is {mode!r}, but must be "r" or "a"; savez writes a new archive')
        self._editor: _native.ArchiveWriter | None = None
        self._archive: _native.Archive | None = None
        self._threads = cpus(threads)
        self._options = (level_of(compress), self._threads, seekable)
        self._mode = mode
        # New members; `None` for one that is not in memory. Others have their name in the file.
        self._added: dict[str, Any] = {}
        self._kept = 0
        self._old: dict[str, str] = {}
        self._is_new = False
        if not isinstance(path, (str, bytes, os.PathLike)):
            if mode == "a":
                raise NpyTypeError("a file object cannot be changed as a whole; use a path")
            self._path: str | None = None
            self._archive = _native.Archive.of_bytes(path.read())
        else:
            path = os.fsdecode(path)
            self._path = path
            self._is_new = mode == "a" and not os.path.exists(path)
            if not self._is_new:
                self._archive = _native.Archive.open(path, self._threads)
                if mode == "a":
                    self._editor = _native.ArchiveWriter(path, True, *self._options)
        self._old = {name: name for name in self._archive.names()} if self._archive is not None else {}
        self._is_closed = False

    @classmethod
    def _of_bytes(cls, data: bytes, name: str) -> Npz:
        del name
        import io

        return cls(io.BytesIO(data))

    @property
    def files(self) -> list[str]:
        """The names of the members, as in ``numpy.lib.npyio.NpzFile``."""
        return list(self)

    def __repr__(self) -> str:
        name = "" if self._path is None else f" {self._path!r}"
        return f"<Npz{name} with {len(self)} members>"

    def __iter__(self) -> Iterator[str]:
        return iter([*self._old, *self._added])

    def __len__(self) -> int:
        return len(self._old) + len(self._added)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    def _find(self, name: str) -> str | None:
        """Finds a member by its name, or by its name in the archive, with .npy."""
        for known in (name, name.removesuffix(".npy")):
            if known in self._old or known in self._added:
                return known
        return None

    def _known(self, name: str) -> str:
        self._check_open()
        found = self._find(name)
        if found is None:
            known = ", ".join(repr(name) for name in list(self)[:12]) or "none"
            raise NpyKeyError(f"{self._in_file()}no member {name!r}; the members are {known}")
        return found

    def _in_file(self) -> str:
        """Returns the start of a message about a member."""
        return "" if self._path is None else f"{self._path}: "

    def _check_open(self) -> None:
        if self._is_closed:
            raise NpyValueError("the archive is closed; open it again")

    def _stored(self) -> _native.Archive:
        if self._archive is None:
            raise NpyValueError("the archive is not written yet; close it first")
        return self._archive

    def __getitem__(self, name: str) -> Any:
        return self.read(name)

    def read(
        self, name: str, *, rows: slice | None = None, columns: str | list[str] | None = None, cast: Any = None
    ) -> Any:
        """Reads a member, or rows and columns of it, as `load` does.

        Examples
        --------
        >>> savez("run.npz", a=[1, 2, 3])
        >>> Npz("run.npz").read("a", rows=slice(0, 2))
        array([1, 2])
        """
        found = self._known(name)
        if found in self._added:
            if self._added[found] is None:
                raise NpyValueError(
                    f"member {name!r} is new, and there are more than 64 MiB of new members; close the archive first"
                )
            return select(np.array(self._added[found]), rows, columns, cast)
        archive, stored = self._stored(), self._old[found]
        source = _MemberSource(archive, stored, self._threads)
        if source.has_objects:
            return select(archive.read_objects(stored), rows, columns, cast)
        return read(source, rows, columns, cast)

    def read_bytes(self, name: str) -> bytes:
        """Reads the bytes of a member, which need not be an array."""
        found = self._known(name)
        if found in self._added:
            raise NpyValueError(f"member {name!r} is not written yet; close the archive first")
        return self._stored().read_bytes(self._old[found])

    def header(self, name: str) -> Any:
        """Reads the header of a member. Its ``offset`` is the position of the data in the member.

        Examples
        --------
        >>> savez("run.npz", a=[1, 2, 3])
        >>> Npz("run.npz").header("a").shape
        (3,)
        """
        from ._load import Header

        found = self._known(name)
        if found in self._added:
            raise NpyValueError(f"member {name!r} is not written yet; close the archive first")
        (descr, shape, is_fortran, version, _), offset, _ = self._stored().place(self._old[found])
        return Header(dtype_of(descr), shape, is_fortran, version, offset)

    def map(self, name: str, mode: Literal["r", "c"] = "r") -> np.memmap[Any, Any]:
        """Maps a member that is stored, not compressed, into memory, without reading it.

        Parameters
        ----------
        name : str
        mode : {"r", "c"}
            ``"c"``: changes stay in memory.

        Examples
        --------
        >>> savez("run.npz", compress=0, a=[1, 2, 3])
        >>> Npz("run.npz").map("a")[1:]
        memmap([2, 3])
        """
        if mode not in ("r", "c"):
            raise NpyValueError(f'mode is {mode!r}, but must be "r" or "c": changes would make the checksum wrong')
        found = self._known(name)
        if found in self._added:
            raise NpyValueError(f"member {name!r} is not written yet; close the archive first")
        if self._path is None:
            raise NpyValueError("an archive in a file object cannot be mapped; use a path")
        (descr, shape, is_fortran, _, has_objects), offset, position = self._stored().place(self._old[found])
        if has_objects:
            raise NpyValueError(f"{self._in_file()}member {name!r} has Python objects, which cannot be mapped; use read")
        if position is None:
            raise NpyValueError(
                f"{self._in_file()}member {name!r} is compressed, so that it cannot be mapped; read it, or write it again after npy_core.Npz(path, 'a', compress=0)"
            )
        dtype = dtype_of(descr)
        order: Literal["C", "F"] = "F" if is_fortran else "C"
        if dtype.itemsize == 0 or 0 in shape:
            nothing: np.memmap[Any, Any] = np.empty(shape, dtype).view(np.memmap)
            return nothing
        return _mapped(self._path, dtype, mode, position + offset, shape, order)

    def _check_writable(self) -> None:
        self._check_open()
        if self._mode != "a":
            raise NpyTypeError('the archive is open for reading; use npy_core.Npz(path, "a")')

    def __setitem__(self, name: str, array: npt.ArrayLike) -> None:
        self._check_writable()
        if not isinstance(name, str):
            raise NpyTypeError(f"the name of a member is text, not {type(name).__name__}")
        values = np.asanyarray(array)
        if self._editor is not None:
            write_member(self._editor, name, values)
        found = self._find(name) or name
        self._forget(found)
        is_kept = self._editor is None or self._kept + values.nbytes <= _KEPT
        # A copy: the program may change its array.
        self._added[found] = values.copy() if is_kept else None
        self._kept += values.nbytes if is_kept else 0

    def _forget(self, name: str) -> None:
        self._old.pop(name, None)
        added = self._added.pop(name, None)
        if added is not None:
            self._kept -= added.nbytes

    def __delitem__(self, name: str) -> None:
        self._check_writable()
        found = self._known(name)
        if self._editor is not None:
            self._editor.remove(found)
        self._forget(found)

    def rename(self, old: str, new: str) -> None:
        """Renames a member."""
        self._check_writable()
        found = self._known(old)
        if self._find(new) not in (None, found):
            raise NpyValueError(f"member {new!r} exists; delete it first")
        if self._editor is not None:
            self._editor.rename(found, new)
        for names in (self._old, self._added):
            if found in names:
                moved = [(new if name == found else name, value) for name, value in names.items()]
                names.clear()
                names.update(moved)

    def close(self) -> None:
        """Writes what changed, and closes the archive."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._editor is not None:
            self._editor.finish()
        elif self._is_new and self._path is not None:
            _write(self._path, self._options, self._added)
        self._archive = None

    def _discard(self) -> None:
        self._is_closed = True
        if self._editor is not None:
            self._editor.discard()
        self._archive = None

    def __enter__(self) -> Npz:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self._discard()

    def __del__(self) -> None:
        # Only `close` changes the file.
        if getattr(self, "_editor", None) is not None:
            self._discard()


def _mapped(
    path: str, dtype: np.dtype[Any], mode: str, offset: int, shape: tuple[int, ...], order: Literal["C", "F"]
) -> np.memmap[Any, Any]:
    """Does what `np.memmap` does, in a third of the time: most of it goes into a file object of Python."""
    start = offset - offset % mmap.ALLOCATIONGRANULARITY
    length = offset - start + math.prod(shape) * dtype.itemsize
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise NpyOSError(f"{path}: {error}; open the archive again") from error
    try:
        memory = mmap.mmap(file, length, access=mmap.ACCESS_READ if mode == "r" else mmap.ACCESS_COPY, offset=start)
    except (OSError, ValueError) as error:
        raise NpyOSError(f"{path}: it cannot be mapped: {error}; read the member, or open the archive again") from error
    finally:
        os.close(file)
    array: Any = np.ndarray.__new__(np.memmap, shape, dtype, memory, offset - start, None, order)
    # The attributes that `np.memmap` sets.
    array._mmap, array.offset, array.mode, array.filename = memory, offset, mode, os.path.abspath(path)
    mapped: np.memmap[Any, Any] = array
    return mapped


def _write(path: str, options: tuple[int, int, bool], arrays: Mapping[str, Any]) -> None:
    writer = _native.ArchiveWriter(path, False, *options)
    try:
        for name, values in arrays.items():
            write_member(writer, name, values)
        writer.finish()
    finally:
        writer.discard()


def savez(
    path: Path | IO[bytes],
    *args: npt.ArrayLike,
    compress: int | None = 6,
    threads: int | None = None,
    seekable: bool = True,
    **arrays: npt.ArrayLike,
) -> None:
    """Writes an archive of arrays (``.npz``), as a whole or not at all.

    Parameters
    ----------
    path : path or file object
        It is used as it is: no ``.npz`` is added.
    *args : array_like
        Arrays that are named ``arr_0``, ``arr_1``, ….
    compress : int or None
        The level from 1 to 9; 0 or ``None`` stores the arrays, which can then be mapped.
    threads : int, optional
        The number of threads that compress. By default that of the processors. The bytes do not depend on it.
    seekable : bool
        Gives compressed members an index, so that rows in their middle are read without the rows before. Other programs ignore it.
    **arrays : array_like
        Arrays by their names.

    Examples
    --------
    >>> savez("run.npz", time=[0.0, 0.5], grid=[[1, 2], [3, 4]])
    >>> sorted(Npz("run.npz"))
    ['grid', 'time']
    """
    members = dict(arrays)
    for i, values in enumerate(args):
        if f"arr_{i}" in members:
            raise NpyValueError(f"the name arr_{i} is that of an array without a name; use another one")
        members[f"arr_{i}"] = values
    options = (level_of(compress), cpus(threads), seekable)
    if isinstance(path, (str, bytes, os.PathLike)):
        _write(os.fsdecode(path), options, members)
        return
    with tempfile.TemporaryDirectory() as directory:
        name = os.path.join(directory, "archive.npz")
        _write(name, options, members)
        with open(name, "rb") as written:
            write_to(path, iter(lambda: written.read(_BLOCK), b""))
