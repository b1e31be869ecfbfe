"""Which workers of a run compute longer than the others, as far as its trace shows that."""

import csv
import statistics
from collections import defaultdict
from dataclasses import dataclass

import runs
from results import MissingFile, Row

# Times as long. Workers that differ by less are alike: on a machine that is shared, like ones differ by some percent, too.
_MUCH = 1.1
_MOST_BYTES = 32_000_000  # of a trace.json that is read for a name alone


@dataclass(frozen=True)
class Straggler:
    rank: int
    seconds: float  # of computing, in an iteration
    times: float  # as much as those that are not as slow, in the median


def find_stragglers(row: Row) -> list[Straggler]:
    """Of a row of a result's summary.csv; none where workers are alike, or no trace is beside the file."""
    try:
        number = _point_of(row)
        if number is None:
            return []
        spans = runs.read_spans_if_any(str(row.file.parent))
    except MissingFile:
        return []
    workers = runs.recorded_workers(runs.read_points(str(row.file.parent))[number])
    return stragglers_of([span for span in spans if span.point == number], workers)


def stragglers_of(spans: list[runs.Span], workers: int) -> list[Straggler]:
    """Of the spans of a point: the slowest worker, and those as slow as it, by rank."""
    busy: dict[int, float] = defaultdict(float)
    iterations: dict[int, set] = defaultdict(set)
    for span in spans:
        if span.lane == runs.COMPUTE and span.rank < workers:
            busy[span.rank] += span.end - span.begin
            iterations[span.rank].add(span.args.get("iteration"))
    means = {rank: time / len(iterations[rank]) for rank, time in busy.items()}
    if len(means) < 2:
        return []
    *others, slowest = sorted(means.values())
    if slowest < _MUCH * statistics.median(others):
        return []
    usual = statistics.median(mean for mean in others if slowest >= _MUCH * mean)
    return [Straggler(rank, mean, mean / usual) for rank, mean in sorted(means.items())
            if slowest < _MUCH * mean and mean >= _MUCH * usual]


def named(stragglers: list[Straggler], letters: int) -> str:
    """Their names, or where these are more than so many letters, how many they are."""
    if len(stragglers) == 1:
        return f"worker {stragglers[0].rank}"
    names = f"workers {', '.join(str(one.rank) for one in stragglers)}"
    return names if len(names) <= letters else f"{len(stragglers)} workers"


def times(stragglers: list[Straggler]) -> str:
    """Of several in two digits, which is what they have in common."""
    digits = 3 if len(stragglers) == 1 else 2
    return f"{statistics.median(one.times for one in stragglers):.{digits}g}\N{MULTIPLICATION SIGN}"


def _point_of(row: Row) -> int | None:
    """The point of run.json, whose order is that of the rows."""
    trace = row.file.parent / "trace.json"
    if row.file.name != "summary.csv" or not trace.is_file() or trace.stat().st_size > _MOST_BYTES:
        return None
    points = runs.read_points(str(row.file.parent))
    with open(row.file, encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        lines = [reader.line_num for _ in reader]
    if len(lines) != len(points):
        return None
    number = lines.index(row.line) if row.line in lines else None
    fits = number is not None and points[number]["scenario"]["workers"] == row.count("workers")
    return number if fits else None
