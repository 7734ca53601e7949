"""The workload W24: this package, NumPy and npy-append-array, in turns.

Prints the median of the ratios of the rounds, and the goals. Needs `cargo xtask python` before: `target/python-empty/bin/python npy-python/bench.py [ROUNDS]`.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

import npy_core as npy

Work = Callable[[], object]


def seconds(work: Work, prepare: Work) -> float:
    prepare()
    start = time.perf_counter()
    result = work()
    taken = time.perf_counter() - start
    del result
    return taken


def compare(name: str, ours: Work, theirs: Work, goal: float | None, rounds: int, prepare: Work = lambda: None) -> None:
    """Runs both in turns, each round in the other order, and prints the ratio."""
    ratios, times = [], []
    for i in range(rounds):
        if i % 2:
            b = seconds(theirs, prepare)
            a = seconds(ours, prepare)
        else:
            a = seconds(ours, prepare)
            b = seconds(theirs, prepare)
        ratios.append(a / b)
        times.append(a)
    ratio = statistics.median(ratios)
    mark = "" if goal is None else f"   goal {goal}" + ("" if ratio <= goal else "   ✗")
    print(f"{name:58} {ratio:7.4f}   ({statistics.median(times) * 1000:9.3f} ms){mark}", flush=True)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    memory = "/dev/shm"
    directory = tempfile.mkdtemp(dir=memory if os.path.isdir(memory) else None)
    os.chdir(directory)
    try:
        run(rounds)
    finally:
        os.chdir("/")
        shutil.rmtree(directory)


def run(rounds: int) -> None:
    random = np.random.default_rng(0)
    values = random.random(10_000_000)
    np.save("x.npy", values)
    compare("load of 80 MB", lambda: npy.load("x.npy"), lambda: np.load("x.npy"), 1.1, 3 * rounds)
    compare("load of 80 MB, one thread", lambda: npy.load("x.npy", threads=1), lambda: np.load("x.npy"), 1.1, 3 * rounds)
    compare("save of 80 MB", lambda: npy.save("y.npy", values), lambda: np.save("z.npy", values), None, rounds)
    paths = [f"{i}.npy" for i in range(5000)]
    for path in paths:
        np.save(path, np.arange(10, dtype="f4"))
    compare("5,000 small files", lambda: npy.read_many(paths), lambda: [np.load(path) for path in paths], 0.15, rounds)
    two = lambda: npy.read_many(paths, threads=2)
    compare("5,000 small files, two threads", two, lambda: [np.load(path) for path in paths], 0.15, rounds)
    compare("5,000 small files, one load each", lambda: [npy.load(path) for path in paths], lambda: [np.load(path) for path in paths], None, rounds)
    for path in paths:
        os.remove(path)
    steps = np.cumsum(random.integers(-5, 6, 4_000_000))
    numpy_savez = lambda: np.savez_compressed("z.npz", a=steps)
    for threads, goal in ((1, None), (2, 0.35)):
        ours = lambda: npy.savez("a.npz", threads=threads, a=steps)
        compare(f"savez_compressed of 32 MB, {threads} thread{'s' * (threads > 1)}", ours, numpy_savez, goal, max(rounds // 2, 3))
    rows = lambda: npy.Npz("a.npz").read("a", rows=slice(3_900_000, 3_900_100))
    compare("100 rows of a compressed member", rows, lambda: np.load("z.npz")["a"][3_900_000:3_900_100], None, rounds)
    append(np.dtype("f8"), None, max(rounds // 2, 3), rounds)
    # A normal record, 56 bytes.
    append(np.dtype([("id", "i8"), ("time", "f8"), ("gain", "f8"), ("samples", "f4", (8,))]), 0.01, 3, rounds)
    texts = np.array([f"text {i}" for i in range(1_000_000)], object)
    np.save("o.npy", texts)
    compare("1,000,000 objects of text", lambda: npy.load("o.npy"), lambda: np.load("o.npy", allow_pickle=True), 1.2, rounds)
    maps(values, rounds)


def append(dtype: np.dtype, goal: float | None, rounds: int, more_rounds: int) -> None:
    """1,000 rows 1,000 times."""
    from npy_append_array import NpyAppendArray

    block = np.zeros(1000, dtype)

    def remove() -> None:
        for name in ("l.npy", "m.npy"):
            if os.path.exists(name):
                os.remove(name)

    def ours() -> None:
        for _ in range(1000):
            npy.append("l.npy", block)

    def writer() -> None:
        with npy.Writer("l.npy", dtype) as w:
            for _ in range(1000):
                w.write(block)

    def load_concatenate_save() -> None:
        np.save("m.npy", block)
        for _ in range(999):
            np.save("m.npy", np.concatenate([np.load("m.npy"), block]))

    def peer() -> None:
        with NpyAppendArray("m.npy") as file:
            for _ in range(1000):
                file.append(block)

    def peer_each() -> None:
        for _ in range(1000):
            with NpyAppendArray("m.npy") as file:
                file.append(block)

    compare(f"1,000 appends of rows of {dtype.itemsize} bytes; load, concatenate, save", ours, load_concatenate_save, goal, rounds, remove)
    compare("1,000 appends; npy-append-array, opened each time", ours, peer_each, None, more_rounds, remove)
    compare("1,000 writes of a Writer; npy-append-array, open", writer, peer, None, more_rounds, remove)


def maps(values: np.ndarray, rounds: int) -> None:
    npy.savez("s.npz", compress=0, small=values[:10], large=values)
    with npy.Npz("s.npz") as archive:
        for name in ("small", "large"):
            times = [seconds(lambda: archive.map(name), lambda: None) for _ in range(100 * rounds)]
            median = statistics.median(times) * 1e6
            print(f"map of a {name} member: {median:.0f} µs   goal 100{'' if median <= 100 else '   ✗'}", flush=True)


if __name__ == "__main__":
    main()
