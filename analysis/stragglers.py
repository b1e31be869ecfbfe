"""Which worker of a run computes longer than the others, as far as its trace shows that."""

import csv
import statistics
from collections import defaultdict
from dataclasses import dataclass

import runs
from results import MissingFile, Row

_MUCH = 1.1  # times what the others take in the median
_MOST_BYTES = 32_000_000  # of a trace.json that is read for a name alone


@dataclass(frozen=True)
class Straggler:
    rank: int
    seconds: float  # of computing, in an iteration
    times: float  # as much as the others in the median


def find_straggler(row: Row) -> Straggler | None:
    """Of a row of a result's summary.csv; None where workers are alike, or no trace is beside the file."""
    try:
        number = _point_of(row)
        spans = runs.read_spans_if_any(str(row.file.parent)) if number is not None else []
    except MissingFile:
        return None
    return straggler_of([span for span in spans if span.point == number], row.count("workers"))


def straggler_of(spans: list[runs.Span], workers: int) -> Straggler | None:
    """Of the spans of a point."""
    busy: dict[int, float] = defaultdict(float)
    iterations: dict[int, set] = defaultdict(set)
    for span in spans:
        if span.lane == runs.COMPUTE and span.rank < workers:
            busy[span.rank] += span.end - span.begin
            iterations[span.rank].add(span.args.get("iteration"))
    means = {rank: time / len(iterations[rank]) for rank, time in busy.items()}
    if len(means) < 2:
        return None
    slowest = max(means, key=means.get)
    others = statistics.median(mean for rank, mean in means.items() if rank != slowest)
    if means[slowest] < _MUCH * others:
        return None
    return Straggler(slowest, means[slowest], means[slowest] / others)


def _point_of(row: Row) -> int | None:
    """The point of run.json, whose order is that of the rows."""
    trace = row.file.parent / "trace.json"
    if row.file.name != "summary.csv" or not trace.is_file() or trace.stat().st_size > _MOST_BYTES:
        return None
    points = runs.read_points(str(row.file.parent))
    with open(row.file, encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    if len(rows) != len(points):
        return None
    number = next((i for i, cells in enumerate(rows) if cells == row.cells), None)
    fits = number is not None and points[number]["scenario"]["workers"] == row.count("workers")
    return number if fits else None
