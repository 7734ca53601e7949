"""How users' code is typed; only checked by mypy and pyright, and never run."""

from __future__ import annotations

import pathlib

import numpy as np

import npy_core as npy


def uses(path: pathlib.Path) -> list[str]:
    npy.save(path, [1.0, 2.0], sync=True)
    array = npy.load(path, rows=slice(0, 1), columns=["a"], cast="f4", threads=2, objects="refuse")
    npy.append(str(path), array)
    with npy.Writer(path, np.float32, row_shape=(2,), append=True) as w:
        w.write([[1, 2]])
        w.flush()
    arrays = npy.read_many([path, str(path)], threads=2)
    npy.savez(path, compress=None, threads=1, seekable=False, a=arrays[0], b=[1])
    with npy.Npz(path, "a") as z:
        z["b"] = np.zeros(3)
        del z["c"]
        z.rename("d", "e")
        shape: tuple[int, ...] = z.map("a").shape
    names: list[str] = [*z, str(shape)]
    header = npy.header(path)
    offset: int = header.offset
    try:
        npy.scan("*.npy", columns=["a"])
    except npy.NpyError as error:
        names.append(str(error) + str(offset))
    return names + npy.verify(path)
