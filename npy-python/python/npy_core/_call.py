"""Objects of a file that are no plain data."""

from __future__ import annotations

from typing import Any

__all__ = ["Call"]

_SHOWN = 3


class Call:
    """A call that a pickle asks for, and that nothing here makes.

    `np.load(allow_pickle=True)` would import the name and call it.

    Attributes
    ----------
    name : str
        The class or function, such as ``"os.system"``.
    args : tuple or None
        Its arguments. ``None`` if the file only names the class or function.
    state : object
        The state that the object would get after the call, or ``None``.
    items : list
        The items that would be appended to it.
    pairs : list of tuple
        The keys and values that it would get.

    Examples
    --------
    >>> Call("os.system", ("true",), None)
    Call('os.system', ('true',))
    """

    # A class without a base of the native part: Python then drops long chains of calls without recursion.
    __slots__ = ("__weakref__", "args", "items", "name", "pairs", "state")

    name: str
    args: Any
    state: Any
    items: list[Any]
    pairs: list[Any]

    def __init__(self, name: str | None, args: Any = None, state: Any = None) -> None:
        self.name = name if name is not None else ""
        self.args = args
        self.state = state
        self.items = []
        self.pairs = []

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Call):
            return NotImplemented
        if self is other:
            return True
        return (self.name, self.args, self.state, self.items, self.pairs) == (
            other.name,
            other.args,
            other.state,
            other.items,
            other.pairs,
        )

    def __hash__(self) -> int:
        # Only arguments that cannot contain others: a hash does not recurse.
        plain = (str, bytes, int, float)
        args = self.args if isinstance(self.args, tuple) else ()
        return hash((self.name, *(arg for arg in args if type(arg) in plain)))

    def __repr__(self) -> str:
        if self.args is None:
            return f"Call({self.name!r})"
        state = "" if self.state is None else f", state={self.state!r}"
        return f"Call({self.name!r}, {self.args!r}{state})"
