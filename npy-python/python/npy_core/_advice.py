"""Calls of Python that convert rows for a file, in messages about rows that do not fit, with what the values lose by it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.lib.recfunctions import repack_fields

from ._errors import NpyTypeError

_NUMBERS = "biufc"


def loss(given: np.dtype[Any], dtype: np.dtype[Any]) -> str:
    """Says what values of a dtype may lose in another: the end of a sentence, empty if that is nothing."""
    return loss_of([(given, dtype)])


def loss_of(pairs: Iterable[tuple[np.dtype[Any], np.dtype[Any]]]) -> str:
    """Says what values of some dtypes may lose in others, as `loss` does."""
    losses = dict.fromkeys(text for given, dtype in pairs for text in _losses(given, dtype))
    return f", which {' and '.join(losses)}" if losses else ""


def _losses(given: np.dtype[Any], dtype: np.dtype[Any]) -> list[str]:
    given, dtype = given.base, dtype.base
    if dtype.names is not None:
        if given.names is None or len(given.names) != len(dtype.names):
            return []
        pairs = zip(given.names, dtype.names)
        return [text for one, other in pairs for text in _losses(given[one], dtype[other])]
    kind = dtype.kind
    is_safe = np.can_cast(given, dtype, "safe")
    if kind in "Mm" and given.kind in "Mm":
        return [] if given == dtype else ["wraps times that the unit does not reach" if is_safe else "cuts times to the unit of the file"]
    if kind in "Mm" and given.kind in "OU":
        return ["changes times that do not fit"]
    # NumPy calls this safe, too.
    is_rounded = given.kind in "iu" and given.itemsize == 8 and kind in "fc"
    if is_safe and not is_rounded:
        return []
    if given.kind == "O":
        return ["cuts what does not fit"] if kind in "iu" else []
    if kind in "US":
        return ["cuts text that is longer"]
    if given.kind not in _NUMBERS or kind not in _NUMBERS:
        return []
    found = ["drops imaginary parts"] if given.kind == "c" and kind != "c" else []
    if kind == "b":
        found.append("makes True of every number but 0")
    elif kind in "iu":
        found.append("cuts fractions" if given.kind in "fc" else "wraps numbers that do not fit")
    elif given.kind in "fc":
        if _float_bytes(given) > _float_bytes(dtype):
            found.append("rounds, and makes numbers infinite that are too large")
    else:
        found.append("rounds large integers")
    return found


def _float_bytes(dtype: np.dtype[Any]) -> int:
    return dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize


def converted(dtype: np.dtype[Any]) -> str:
    """Returns the call that converts rows; of records, by the names of their fields."""
    if dtype.names is None:
        return f".astype({str(dtype)!r})"
    return f"[{list(dtype.names)!r}].astype({packed(dtype)!r})"


def packed(dtype: np.dtype[Any]) -> Any:
    """Returns the literal of the dtype of records without gaps. That of a dtype with gaps would have fields for them."""
    return np.lib.format.dtype_to_descr(repack_fields(dtype, recurse=True))


def check_names(given: np.dtype[Any], dtype: np.dtype[Any], within: str = "", rows: str = "rows") -> None:
    """Refuses records whose fields are not those of the file, in its order: NumPy would match them by position. `rows` is how advice writes them."""
    given, dtype = given.base, dtype.base
    if given.names == dtype.names:
        for name in dtype.names or ():
            check_names(given[name], dtype[name], f"{within}.{name}" if within else name, rows)
        return
    place = f" in the field {within!r}" if within else ""
    found = _described(given)
    known, wanted = given.names or (), dtype.names or ()
    if not known:
        advice = "a list of tuples, whose values are in the order of the fields"
    elif not wanted:
        advice = f"one field, {rows}[name]"
    elif within and set(known) == set(wanted):
        advice = f"numpy.lib.recfunctions.require_fields({rows}, npy_core.header(path).dtype), which keeps values by name"
    elif not within and set(wanted) <= set(known):
        given = given[list(wanted)]
        advice = f"{rows}[{list(wanted)!r}]" if np.can_cast(given, dtype, "safe") else f"{rows}{converted(dtype)}{loss(given, dtype)}"
    else:
        advice = "rows with the fields of the file; numpy.lib.recfunctions.rename_fields renames them"
    raise NpyTypeError(f"the file holds {_described(dtype)}{place}, and the rows {found}; use {advice}")


def _described(dtype: np.dtype[Any]) -> str:
    return str(dtype) if dtype.names is None else f"records of the fields {', '.join(dtype.names)}"
