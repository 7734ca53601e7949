"""NumPy's ``.npy`` and ``.npz`` files: appended to, mapped, read in parts, written as a whole or not at all, and objects as data.

Every exception is an `NpyError`, and also the exception that Python programs expect: ``FileNotFoundError``, ``ValueError``, ``EOFError``,
``MemoryError`` and others. Only those that a file object of the program raises stay as they are.

Examples
--------
>>> import npy_core as npy
>>> npy.save("x.npy", [1.5, 2.5])
>>> npy.append("x.npy", [4.0])
>>> npy.load("x.npy")
array([1.5, 2.5, 4. ])
"""

from ._call import Call
from ._errors import (
    NpyError,
    NpyFileExistsError,
    NpyFileNotFoundError,
    NpyIsADirectoryError,
    NpyKeyError,
    NpyLockedError,
    NpyMemoryError,
    NpyOSError,
    NpyPermissionError,
    NpyTruncatedError,
    NpyTypeError,
    NpyValueError,
)
from ._load import Header, header, load, read_many, verify
from ._npz import Npz, savez
from ._save import Writer, append, save
from ._scan import Scan, scan

__all__ = [
    "Call",
    "Header",
    "Npz",
    "NpyError",
    "NpyFileExistsError",
    "NpyFileNotFoundError",
    "NpyIsADirectoryError",
    "NpyKeyError",
    "NpyLockedError",
    "NpyMemoryError",
    "NpyOSError",
    "NpyPermissionError",
    "NpyTruncatedError",
    "NpyTypeError",
    "NpyValueError",
    "Scan",
    "Writer",
    "append",
    "header",
    "load",
    "read_many",
    "save",
    "savez",
    "scan",
    "verify",
]
