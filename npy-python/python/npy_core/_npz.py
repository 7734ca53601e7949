"""Archives."""

from __future__ import annotations

import math
import mmap
import os
import tempfile
import threading
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _native
from ._dtypes import Array, as_array, check_no_mask, descr_of, dtype_of, empty, memory_of, object_file, order_of, piece
from ._errors import NpyKeyError, NpyOSError, NpyTypeError, NpyValueError, named
from ._repair import repairable
from ._save import as_array as array_of_values
from ._select import read, select
from ._stream import check_has_data, check_is_path, check_name, write_to

Path = str | bytes | os.PathLike[Any]

# The bytes of an archive that are copied at once.
_BLOCK = 8 << 20
# The bytes of new members that stay in memory, so that they can be read before the archive is closed.
_KEPT = 64 << 20
# The end of an array's name in the archive.
_SUFFIX = ".npy"


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


def refuse(objects: str, name: str) -> None:
    """Raises an exception for an array of objects if they are not allowed."""
    if objects == "refuse":
        raise NpyValueError(
            f'{name}: the array has Python objects, which objects="refuse" does not allow; objects="data" reads them as data'
        )


def level_of(compress: int | None) -> int:
    """Returns the level of compression; 0 stores."""
    if compress is not None and not hasattr(compress, "__index__"):
        raise NpyTypeError(f"compress is {compress!r}, but must be an integer from 0, which stores, to 9")
    level = 0 if compress is None else int(compress)
    if not 0 <= level <= 9:
        raise NpyValueError(f"compress is {compress}, but must be from 0, which stores, to 9")
    return level


@dataclass(frozen=True)
class _New:
    """A member that is not in the file yet."""

    # None if the member has objects, or is not kept.
    array: Array | None
    # The file that NumPy writes for an array of objects, which a program cannot change.
    objects: bytes | None = None

    @classmethod
    def borrowed(cls, name: str, values: Array) -> _New:
        """Makes a member of an array, which the program must not change."""
        with named(f"member {name!r}"):
            check_no_mask(values)
        if values.dtype.kind == "T":
            raise NpyTypeError(f"member {name!r}: StringDType has no form in a file but a pickle; use array.astype('U')")
        if values.dtype.hasobject:
            return cls(None, object_file(values))
        return cls(values)

    def copied(self) -> _New:
        """Copies the array, since the program may change it. The order is the one that the file will have."""
        return self if self.array is None else _New(_copy(np.asarray(self.array)))

    @property
    def nbytes(self) -> int:
        return len(self.objects or b"") + (0 if self.array is None else self.array.nbytes)

    @property
    def is_kept(self) -> bool:
        return self.array is not None or self.objects is not None

    def write(self, writer: _native.ArchiveWriter, name: str) -> None:
        if self.objects is not None:
            writer.write_objects(name, self.objects)
        elif self.array is not None:
            array = self.array
            writer.write(name, descr_of(array.dtype), array.shape, order_of(array), piece(array))

    def read(self) -> Array:
        if self.array is None:
            return _native.objects_in_bytes(self.objects or b"")[0]
        array = _copy(self.array)
        # A file does not say whether records are aligned, or are those of `numpy.recarray`.
        if array.dtype.names is not None and array.itemsize:
            array = array.view(dtype_of(descr_of(array.dtype)))
        return array


def _copy(array: Array) -> Array:
    """Copies an array, in the order that a file has."""
    is_fortran = order_of(array)
    # `copy` would make text of no bytes one character wide.
    return array.copy("F" if is_fortran else "C") if array.itemsize else empty(array.shape, array.dtype, is_fortran)


def _check_name(name: str) -> None:
    if not isinstance(name, str):
        raise NpyTypeError(f"the name of a member is text, not {type(name).__name__}")
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise NpyValueError(
            f"the name {ascii(name)} has half of a surrogate pair, which names in an archive cannot have; use another name"
        ) from error


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

    Names are those of ``numpy.savez`` and ``numpy.load``: the name in the archive has ``.npy`` at its end, and finds the member, too. So
    ``z["b.npy"]`` is the member ``b`` if there is one. Otherwise ``z["b.npy"] = x`` adds ``b.npy.npy``, which is another member than
    ``b``, and which has the name ``b.npy`` until a ``b`` is added.

    Threads may share an archive.

    Parameters
    ----------
    path : path or file object
    mode : {"r", "a"}
        With ``"a"``, members are added, replaced, removed and renamed. The file changes at the end of the ``with`` block or by `close`;
        after an exception it is the old one. It is created if it is not there; its members are then in memory until `close`, and a file
        that another program makes meanwhile is not replaced.
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
        # A call may be within another one: a finalizer or the handler of a signal runs in the middle of anything.
        self._lock = threading.RLock()
        self._threads = cpus(threads)
        self._options = (level_of(compress), self._threads, seekable)
        self._mode = mode
        # The option of `load`.
        self._objects = "data"
        self._is_closed = False
        # The members by their names in the archive, with .npy. Those of the file have their name there.
        self._members: dict[str, str | _New] = {}
        self._kept = 0
        self._is_new = False
        self._is_changed = False
        # The error of a `close` that has failed.
        self._failure: BaseException | None = None
        if not isinstance(path, (str, bytes, os.PathLike)):
            if mode == "a":
                raise NpyTypeError("a file object cannot be changed as a whole; use a path")
            self._path: str | None = None
            data = path.read()
            if not data:
                check_has_data(path, f"<{type(path).__name__}>")
            self._archive = _native.Archive.of_bytes(data)
        else:
            check_is_path(path, "Npz")
            path = os.fsdecode(path)
            self._path = path
            self._is_new = mode == "a" and not os.path.exists(path)
            if self._is_new:
                check_name(path, "Npz", ".npy", "npy_core.save writes one array")
            if not self._is_new:
                with repairable(path):
                    self._archive = _native.Archive.open(path, self._threads)
            if mode == "a":
                self._editor = _native.ArchiveWriter(path, "check" if self._is_new else "edit", *self._options)
        if self._archive is not None:
            self._members = {name: name for name in self._archive.file_names()}

    @property
    def files(self) -> list[str]:
        """The names of the members, as in ``numpy.lib.npyio.NpzFile``."""
        return list(self)

    def __repr__(self) -> str:
        name = "" if self._path is None else f" {self._path!r}"
        closed = ", closed" if self._is_closed else ""
        return f"<Npz{name} with {len(self)} member{'' if len(self) == 1 else 's'}{closed}>"

    def __iter__(self) -> Iterator[str]:
        members = self._members
        return iter([_shown(name, members) for name in list(members)])

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    def _find(self, name: str) -> str | None:
        """Returns the name in the archive of the member that NumPy finds by this name."""
        for known in (name, name + _SUFFIX):
            if known in self._members:
                return known
        return None

    def _known(self, name: str) -> tuple[str, str | _New]:
        """Returns the name in the archive of a member, and its name in the file or the new member itself."""
        self._check_open()
        with self._lock:
            found = self._find(name) if isinstance(name, str) else None
            if found is not None:
                return found, self._members[found]
        known = ", ".join(repr(name) for name in list(self)[:12]) or "none"
        raise NpyKeyError(f"{self._in_file()}no member {name!r}; the members are {known}")

    def _in_stored(self, name: str) -> tuple[_native.Archive, str]:
        """Returns the archive, and the name in it of a member that is there."""
        _, member = self._known(name)
        archive = self._archive
        if isinstance(member, _New) or archive is None:
            raise NpyValueError(f"member {name!r} is not written yet; close the archive first")
        return archive, member

    def _in_file(self) -> str:
        """Returns the start of a message about a member."""
        return "" if self._path is None else f"{self._path}: "

    def _check_open(self) -> None:
        if self._is_closed:
            raise NpyValueError(f"{self._in_file()}the archive is closed; open it again")

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
        _, member = self._known(name)
        if isinstance(member, _New):
            if not member.is_kept:
                raise NpyValueError(
                    f"member {name!r} is new, and there are more than 64 MiB of new members; close the archive first"
                )
            return select(member.read(), rows, columns, cast)
        archive, stored = self._in_stored(name)
        source = _MemberSource(archive, stored, self._threads)
        if source.has_objects:
            refuse(self._objects, f"{self._in_file()}member {name!r}")
            return select(archive.read_objects(stored), rows, columns, cast)
        return read(source, rows, columns, cast)

    def read_bytes(self, name: str) -> bytes:
        """Reads the bytes of a member, which need not be an array."""
        archive, stored = self._in_stored(name)
        return archive.read_bytes(stored)

    def header(self, name: str) -> Any:
        """Reads the header of a member. Its ``offset`` is the position of the data in the member.

        Examples
        --------
        >>> savez("run.npz", a=[1, 2, 3])
        >>> Npz("run.npz").header("a").shape
        (3,)
        """
        from ._load import Header

        archive, stored = self._in_stored(name)
        (descr, shape, is_fortran, version, _), offset, _ = archive.place(stored)
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
        archive, stored = self._in_stored(name)
        if self._path is None:
            raise NpyValueError("an archive in a file object cannot be mapped; use a path")
        (descr, shape, is_fortran, _, has_objects), offset, position = archive.place(stored)
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

    def _writer(self) -> _native.ArchiveWriter:
        self._check_open()
        if self._editor is None:
            raise NpyTypeError('the archive is open for reading; use npy_core.Npz(path, "a")')
        if self._failure is not None and not self._is_new:
            raise NpyValueError(
                f"{self._in_file()}closing the archive has failed ({self._failure}), and the file is as it was before; "
                "what was added can still be read here: open the archive again and repeat the changes"
            )
        return self._editor

    def __setitem__(self, name: str, array: npt.ArrayLike) -> None:
        self._writer()
        _check_name(name)
        # Pickles call functions of the program, which must not wait for another thread here.
        new = _New.borrowed(name, array_of_values(array))
        with self._lock, named(self._path or ""):
            writer = self._writer()
            found = self._find(name) or name + _SUFFIX
            new.write(writer, self._argument(found))
            self._is_changed = True
            before = self._members.get(found)
            kept = self._kept - (before.nbytes if isinstance(before, _New) else 0)
            is_kept = self._is_new or kept + new.nbytes <= _KEPT
            self._kept = kept + (new.nbytes if is_kept else 0)
            self._members[found] = new.copied() if is_kept else _New(None)

    def _argument(self, name: str) -> str:
        """Returns the name by which the writer finds the member of this name in the archive, or adds it: the shortest, for messages."""
        plain = name.removesuffix(_SUFFIX)
        return name if plain.endswith(_SUFFIX) or plain in self._members else plain

    def __delitem__(self, name: str) -> None:
        with self._lock:
            writer = self._writer()
            found, member = self._known(name)
            writer.remove(found)
            self._is_changed = True
            del self._members[found]
            self._kept -= member.nbytes if isinstance(member, _New) else 0

    def rename(self, old: str, new: str) -> None:
        """Renames a member. The new name is one of those that `numpy.savez` takes: that in the archive has ``.npy`` at its end."""
        with self._lock, named(self._path or ""):
            writer = self._writer()
            _check_name(new)
            found, _ = self._known(old)
            other = self._find(new)
            if other == found:
                return
            if other is not None:
                raise NpyValueError(f"member {new!r} exists; delete it first")
            renamed = new + _SUFFIX if found.endswith(_SUFFIX) else new
            writer.rename(found, renamed)
            self._is_changed = True
            self._members = {renamed if name == found else name: member for name, member in self._members.items()}

    def close(self) -> None:
        """Writes what changed, and closes the archive.

        After an exception, the archive stays open, and what was added can be read. If the file was not there, `close` can be called again.
        """
        with self._lock:
            if self._is_closed:
                return
            if self._editor is not None:
                self._writer()
                try:
                    self._finish(self._editor)
                except BaseException as error:
                    self._failure = error
                    raise
            self._is_closed = True
            self._archive = None

    def _finish(self, editor: _native.ArchiveWriter) -> None:
        if not self._is_new or self._path is None:
            editor.finish()
            return
        writer = _native.ArchiveWriter(self._path, "create_new", *self._options)
        try:
            for name, member in self._members.items():
                if isinstance(member, _New):
                    member.write(writer, self._argument(name))
            writer.finish()
        finally:
            writer.discard()

    def _discard(self) -> None:
        with self._lock:
            if not self._is_closed:
                # The file is as it was, so its members are those that it had.
                self._members = {} if self._archive is None else {name: name for name in self._archive.file_names()}
            self._is_closed = True
            if self._editor is not None:
                self._editor.discard()
            self._archive = None

    def __enter__(self) -> Npz:
        self._check_open()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self._discard()

    def __del__(self) -> None:
        # Only `close` changes the file.
        if getattr(self, "_editor", None) is None:
            return
        try:
            if self._is_changed and not self._is_closed and self._failure is None:
                warnings.warn(
                    f"{self._in_file()}the archive was not closed, and what was changed is lost; use with npy_core.Npz(path, 'a') as z, or close()",
                    ResourceWarning,
                    stacklevel=2,
                    source=self,
                )
        finally:
            # A filter may make an error of the warning.
            self._discard()


def _shown(name: str, members: Mapping[str, Any]) -> str:
    """Returns the shortest name by which a member is found."""
    plain = name.removesuffix(_SUFFIX)
    return name if plain in members else plain


def _mapped(
    path: str, dtype: np.dtype[Any], mode: str, offset: int, shape: tuple[int, ...], order: Literal["C", "F"]
) -> np.memmap[Any, Any]:
    """Does what `np.memmap` does, in a third of the time: most of it goes into a file object of Python."""
    start = offset - offset % mmap.ALLOCATIONGRANULARITY
    length = offset - start + math.prod(shape) * dtype.itemsize
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise NpyOSError(f"{path}: {error}; open the archive again", error.errno, path) from error
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
    writer = _native.ArchiveWriter(path, "create", *options)
    try:
        for name, values in arrays.items():
            _check_name(name)
            # Not copied: nothing else runs before it is written.
            _New.borrowed(name, array_of_values(values)).write(writer, name + _SUFFIX if name.endswith(_SUFFIX) else name)
        writer.finish()
    finally:
        writer.discard()


def _check_options(**options: object) -> None:
    """Refuses an array that was to have the name of an option."""
    for name, value in options.items():
        if value is not None and not isinstance(value, (int, np.integer, np.bool_)):
            raise NpyTypeError(
                f"{name}= is an option of savez, an integer or a bool, and not an array: found {type(value).__name__}; "
                f'write an array of that name with npy_core.Npz(path, "a")[{name!r}] = array'
            )


def savez(
    path: Path | IO[bytes],
    /,
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
        It is used as it is: no ``.npz`` is added, and a name that ends with ``.npy`` is refused.
    *args : array_like
        Arrays that are named ``arr_0``, ``arr_1``, ….
    compress : int or None
        The level from 1 to 9; 0 or ``None`` stores the arrays, which can then be mapped.
    threads : int, optional
        The number of threads that compress. By default that of the processors. The bytes do not depend on it.
    seekable : bool
        Gives compressed members an index, so that rows in their middle are read without the rows before. Other programs ignore it.
    **arrays : array_like
        Arrays by their names. The name in the archive has ``.npy`` at its end, as that of ``numpy.savez``. The names ``compress``, ``threads`` and
        ``seekable`` are taken: ``with Npz(path, "a") as z: z["threads"] = array`` adds an array of such a name.

    Examples
    --------
    >>> savez("run.npz", time=[0.0, 0.5], grid=[[1, 2], [3, 4]])
    >>> sorted(Npz("run.npz"))
    ['grid', 'time']
    """
    check_name(path, "savez", ".npy", "npy_core.save writes one array")
    _check_options(compress=compress, threads=threads, seekable=seekable)
    members = dict(arrays)
    compressed = "use compress=6, or compress=0 for none"
    pickled = "leave it out: objects must be data, and are then written"
    for name, advice in (("compressed", compressed), ("compression", compressed), ("allow_pickle", pickled)):
        if isinstance(members.get(name), bool):
            raise NpyTypeError(f"{name}={members[name]} would be an array of this name; {advice}")
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
