"""Runs the examples in the docstrings, in the README, in the guide and on the first page for Python."""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import pathlib
import re
import sys
import tempfile

import npy_core

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "npy-python/README.md", ROOT / "docs/python.md"]
FIRST = ROOT / "docs/start/python.md"


def programs(page: pathlib.Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)


def main() -> int:
    names = {name: getattr(npy_core, name) for name in npy_core.__all__}
    modules = [npy_core, *(sys.modules[f"npy_core.{name}"] for name in ("_call", "_load", "_save", "_npz", "_scan"))]
    failed = tried = 0
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        for module in modules:
            result = doctest.testmod(module, extraglobs=names)
            failed, tried = failed + result.failed, tried + result.attempted
            for file in os.listdir("."):
                os.remove(file)
        for page in PAGES:
            blocks = programs(page)
            variables: dict[str, object] = {}
            for block in blocks:
                exec(compile(block, str(page), "exec"), variables)
            print(f"{len(blocks)} examples of {page.name}")
            failed += not blocks
        [first] = programs(FIRST)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(first, str(FIRST), "exec"), {})
        assert f"It prints `{printed.getvalue().strip()}`" in FIRST.read_text(), printed.getvalue()
        os.chdir("/")
    print(f"{tried} examples of docstrings, {failed} failed")
    return failed > 0 or tried == 0


if __name__ == "__main__":
    raise SystemExit(main())
