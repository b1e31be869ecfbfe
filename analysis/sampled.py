"""Which part of a job's time a trace shows: some iterations of each member, of which one may be ahead of another."""

import bisect
import dataclasses
import functools
import itertools
import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from results import locate, read_rows
from runs import COMMUNICATION, Span, point_of_row, read_points

Stretch = tuple[float, float]  # of time
NOT_RECORDED = "not recorded"
_ROUNDING = 1e-9  # of the time shown


@dataclass(frozen=True)
class Shown:
    """What figures over time draw: the stretches of time in which some member is in an iteration that the trace has, one next to the other."""

    spans: list[Span]
    unrecorded: dict[int, list[Stretch]]  # by rank: when a member was in an iteration that the trace has not
    breaks: list[float]  # when those stretches begin before which some time is left out

    @property
    def ends(self) -> Stretch:
        """When its first span begins, and its last one ends."""
        return min(span.begin for span in self.spans), max(span.end for span in self.spans)

    @property
    def length(self) -> float:
        begin, end = self.ends
        return end - begin


def shown_time(result: str, number: int, spans: list[Span]) -> Shown:
    """Of the spans of a point of a result, counted from 0, of the members that are drawn; there is one."""
    gaps = _gaps(_first(read_points(result)[number]), _end(result, number), spans)
    stretches = _stretches(spans, list(gaps.values()))
    starts = [begin for begin, _ in stretches]
    begins = list(itertools.accumulate((end - begin for begin, end in stretches[:-1]), initial=starts[0]))

    def within(low: float, high: float) -> list[Stretch]:
        """What of a time is shown, and where."""
        pieces = []
        for at in range(max(0, bisect.bisect_right(starts, low) - 1), bisect.bisect_right(starts, high)):
            (begin, end), by = stretches[at], begins[at] - starts[at]
            if max(low, begin) <= min(high, end):
                pieces.append((max(low, begin) + by, min(high, end) + by))
        return pieces

    least = _ROUNDING * sum(end - begin for begin, end in stretches)

    def parts(span: Span) -> list[Span]:
        """One that only touches a stretch has none there, unless it takes no time anywhere."""
        return [dataclasses.replace(span, begin=low, end=high) for low, high in within(span.begin, span.end)
                if high - low > least or span.end - span.begin <= least]

    unrecorded = {rank: sorted(piece for gap in own for piece in within(*gap) if piece[1] - piece[0] > least) for rank, own in gaps.items()}
    return Shown([part for span in spans for part in parts(span)], unrecorded, begins[1:])


def _stretches(spans: list[Span], gaps: list[list[Stretch]]) -> list[Stretch]:
    """The time of the spans, but for what is in a gap of every member that is known to have iterations."""
    whole = min(span.begin for span in spans), max(span.end for span in spans)
    least = _ROUNDING * (whole[1] - whole[0])
    recorded = merged([stretch for own in gaps for stretch in _between(own, whole)], least) if gaps else [whole]
    return [(begin, end) for begin, end in recorded if end - begin > least] or recorded[:1]


def _between(gaps: list[Stretch], whole: Stretch) -> list[Stretch]:
    """What of the whole lies before, between and after the gaps, of which none overlap."""
    ascending = sorted(gaps)
    begins, ends = [whole[0], *(high for _, high in ascending)], [*(low for low, _ in ascending), whole[1]]
    return [(begin, end) for begin, end in zip(begins, ends) if begin <= end]


def merged(spans: list[Stretch], gap: float) -> list[Stretch]:
    """The times that some span covers, with gaps up to `gap` closed; spans may overlap."""
    whole: list[Stretch] = []
    for begin, end in sorted(spans):
        if whole and begin - whole[-1][1] <= gap:
            whole[-1] = (whole[-1][0], max(whole[-1][1], end))
        else:
            whole.append((begin, end))
    return whole


def without_holes(stretches: list[Stretch], holes: list[Stretch]) -> list[Stretch]:
    """What of the stretches lies in none of the holes; both ascend."""
    left, first = [], 0
    for begin, end in stretches:
        while first < len(holes) and holes[first][1] <= begin:
            first += 1
        at = first
        while at < len(holes) and holes[at][0] < end:
            if begin < holes[at][0]:
                left.append((begin, holes[at][0]))
            begin, at = holes[at][1], at + 1
        if begin < end:
            left.append((begin, end))
    return left


def shares(stretches: list[Stretch], ends: list[float]) -> list[float]:
    """Of each column between two ends what stretches, of which none overlap, cover of it."""
    covered = [0.0] * (len(ends) - 1)
    for low, high in stretches:
        column = max(0, bisect.bisect_right(ends, low) - 1)
        while column < len(covered) and ends[column] < high:
            covered[column] += max(0.0, min(high, ends[column + 1]) - max(low, ends[column]))
            column += 1
    return [part / (end - begin or 1) for part, begin, end in zip(covered, ends, ends[1:])]


def iterations(spans: list[Span]) -> dict[int, dict[int, Stretch]]:
    """By rank and iteration when that was, of spans that say of which they are.

    A message may take longer than the iteration that it is of; computations and waits don't.
    """
    own: dict[int, dict[int, Stretch]] = defaultdict(dict)
    for span in (span for span in spans if span.lane != COMMUNICATION and "iteration" in span.args):
        low, high = own[span.rank].get(span.args["iteration"], (span.begin, span.end))
        own[span.rank][span.args["iteration"]] = min(low, span.begin), max(high, span.end)
    return own


def _gaps(first: float, end: float | None, spans: list[Span]) -> dict[int, list[Stretch]]:
    """By rank when it is in iterations that the trace has not, of a job of those from `first` to before `end`: between two of the rank's
    that don't follow each other, before and, where `end` is known, after all.

    A trace that doesn't say what its events' iterations are has no gap that could be told.
    """
    gaps = {}
    for rank, of_rank in iterations(spans).items():
        traced = [(iteration, *of_rank[iteration]) for iteration in sorted(of_rank)]
        before = [(first - 1, -math.inf), *((iteration, high) for iteration, _, high in traced)]
        after = [*((iteration, low) for iteration, low, _ in traced), *([] if end is None else [(end, math.inf)])]
        gaps[rank] = [(high, low) for (last, high), (following, low) in zip(before, after) if following > last + 1]
    return gaps


def _first(point: dict) -> float:
    """The iteration that the run began with whose trace this is, counted from 0: one that goes on traces none before."""
    checkpoints = point.get("environment", {}).get("checkpoints")
    resumed = checkpoints.get("resumed_after_iterations") if isinstance(checkpoints, dict) else None
    return resumed if isinstance(resumed, int) else 0


def _end(result: str, number: int) -> float | None:
    """The one after a job's last, which its scenario may not know: of so many epochs, or begun anew with fewer workers."""
    file = locate(Path(result), "trace.json").parent / "iterations.csv"
    return _ends(file, file.stat().st_mtime_ns, result).get(number) if file.is_file() else None


@functools.lru_cache(maxsize=8)
def _ends(file: Path, _changed: int, result: str) -> dict[int, float]:
    """By point. A file older than the column `point` says it where there is one alone."""
    points = read_points(result)
    rows = read_rows([str(file)], file.name, ["iteration"])
    ends: dict[int, float] = {}
    for row in rows if "point" in rows[0].cells or len(points) == 1 else []:
        number = point_of_row(row, points) if "point" in row.cells else 0
        ends[number] = max(ends.get(number, 0), row.known_number("iteration") + 1)
    return ends


def traced_every(point: dict) -> int:
    """Iterations from one that is traced to the next."""
    trace = point["scenario"].get("trace", {})
    every = trace.get("every", 1) if isinstance(trace, dict) else 1
    return every if isinstance(every, int) and every > 1 else 1


def time_label(point: dict, unit: str) -> str:
    every = traced_every(point)
    return f"time ({unit})" if every == 1 else f"time ({unit}) in one of every {every} iterations"
