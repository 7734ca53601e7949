"""``python -m npy_core`` is the command ``npy``."""

from ._command import main

raise SystemExit(main())
