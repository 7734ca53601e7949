"""Every file of the corpus: equal to what `np.load` gives, or refused with a reason."""

from __future__ import annotations

import io
import pathlib
import warnings

import numpy as np
import pytest
from same import same

import npy_core as npy

CORPUS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "corpus"
FILES = sorted(CORPUS.rglob("*.npy"))
ARCHIVES = sorted(CORPUS.rglob("*.npz"))

# Headers that NumPy never wrote and reads nevertheless, because it evaluates them as Python; and text of Python 2 beyond ASCII, in arrays of objects.
REFUSED = {
    "v0394_str_15", "v0418_str_39", "v0419_str_40", "v0432_str_53", "v0436_str_57", "v0440_form_comma", "v0441_form_comma_sp",
    "v0452_form_field_str2", "v0453_form_set", "v0457_form_void_base", "v0458_form_int_base", "v0462_form_U_tuple", "v0325_trailing_comment",
    "v0350_dup_key_last_wins", "v0373_py2_L_space", "v0620_py27_np1113_obj_bytes", "v0744_py27_np182_obj_bytes",
}  # fmt: skip


def kind_of(path: pathlib.Path) -> str:
    """Returns "valid", "reject", or "either" for files that a reader may refuse."""
    return path.relative_to(CORPUS / "files").parts[0]


def theirs_of(path: pathlib.Path) -> object:
    """Returns the array that NumPy reads, or its exception. Only for valid files: others can end the interpreter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return np.load(path, allow_pickle=True)
        except Exception as error:  # NumPy raises many kinds
            return error


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CORPUS)))
def test_equal_to_np_load_or_refused(path: pathlib.Path) -> None:
    kind = kind_of(path)
    theirs = theirs_of(path) if kind == "valid" else None
    try:
        ours = npy.load(path)
    except npy.NpyError as error:
        assert path.name in str(error)
        assert kind != "valid" or isinstance(theirs, Exception) or path.stem in REFUSED, str(error)
        return
    assert path.stem not in REFUSED
    assert kind != "reject"
    if isinstance(theirs, np.ndarray) and theirs.dtype.kind == "T":
        # Text of `StringDType` is data: an array of objects.
        assert ours.tolist() == theirs.tolist()
    elif isinstance(theirs, np.ndarray):
        same(ours, theirs)
        with open(path, "rb") as file:
            same(npy.load(file), theirs)
        same(npy.load(io.BytesIO(path.read_bytes())), theirs)


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: str(path.relative_to(CORPUS)))
def test_archives_are_equal_to_np_load_or_refused(path: pathlib.Path) -> None:
    try:
        archive = npy.Npz(path)
    except npy.NpyError as error:
        assert path.name in str(error)
        return
    if kind_of(path) != "valid":
        return
    theirs = np.load(path, allow_pickle=True)
    for name in archive:
        try:
            ours = archive[name]
        except npy.NpyError as error:
            assert str(error)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = theirs[name]
            except Exception:
                continue
        if isinstance(expected, np.ndarray):
            same(ours, expected)
