"""Each test runs in a directory of its own."""

from __future__ import annotations

import pathlib

import pytest


@pytest.fixture(autouse=True)
def own_directory(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path
