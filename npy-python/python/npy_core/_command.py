"""The command ``npy``."""

from __future__ import annotations

import sys

from . import _native


def main() -> int:
    """Runs the command with the arguments of this process, and returns its exit code."""
    return _native.command(sys.argv)
