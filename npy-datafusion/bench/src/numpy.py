"""The queries by hand: a line of standard input names one, and the answer is its CPU time in milliseconds and a sum."""

import sys
import time
from pathlib import Path

import numpy as np

FILES = sorted(Path(sys.argv[1]).glob("*.npy"))


def arrays():
    return (np.load(file, mmap_mode="r") for file in FILES)


def group():
    total, count = np.zeros(1000), np.zeros(1000, dtype=np.int64)
    for a in arrays():
        ids = a["id"]
        total += np.bincount(ids, weights=a["x"], minlength=1000)
        count += np.bincount(ids, minlength=1000)
    return total / count


def filter():
    parts = []
    for a in arrays():
        found = a[a["x"] > 0.999]
        parts.append((found["id"], found["y"]))
    return np.concatenate([y for _, y in parts])


def sum():
    return np.array([np.sum([a["x"].sum() for a in arrays()])])


def count():
    return np.array([np.sum([len(a) for a in arrays()])])


def nearest():
    vectors = np.load(Path(sys.argv[1]) / "vectors.npy", mmap_mode="r")
    query = (np.arange(vectors.shape[1]) * 37 % 101 / 101 - 0.5).astype("f4")
    products = vectors @ query
    return products[np.argpartition(products, -10)[-10:]]


for line in sys.stdin:
    start = time.process_time_ns()
    values = globals()[line.strip()]()
    cpu = (time.process_time_ns() - start) / 1e6
    print(cpu, np.sum(values, dtype=np.float64) + len(values), flush=True)
