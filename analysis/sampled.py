"""Which part of a job's time a trace shows: some iterations of each member, of which one may be ahead of another."""

import bisect
import dataclasses
from collections import defaultdict
from dataclasses import dataclass

from runs import COMMUNICATION, Span

Stretch = tuple[float, float]  # of time
NOT_RECORDED = "not recorded"
_ROUNDING = 1e-9  # of the time shown


@dataclass(frozen=True)
class Shown:
    """What figures over time draw: the stretches of time in which the trace has an iteration of some member, one next to the other."""

    spans: list[Span]
    unrecorded: dict[int, list[Stretch]]  # by rank: when a member was in an iteration that the trace has not
    breaks: list[float]  # when those stretches begin before which some time is left out


def shown_time(point: dict, spans: list[Span]) -> Shown:
    """Of the spans of a point, of which there is one."""
    stretches = _stretches(point, spans)
    first = [begin for begin, _ in stretches]
    begins = [first[0]]
    for begin, end in stretches[:-1]:
        begins.append(begins[-1] + end - begin)

    def moved(time: float) -> float:
        """By how much."""
        at = bisect.bisect_right(first, time) - 1
        return begins[at] - first[at]

    unrecorded = {}
    least = _ROUNDING * sum(end - begin for begin, end in stretches)
    for rank, gaps in _gaps(point, spans).items():
        within = [(max(low, begin), min(high, end)) for low, high in gaps
                  for begin, end in stretches[max(0, bisect.bisect_right(first, low) - 1):bisect.bisect_left(first, high)]]
        unrecorded[rank] = sorted((low + moved(low), high + moved(low)) for low, high in within if high - low > least)
    if len(stretches) > 1:
        by = [moved(span.begin) for span in spans]
        spans = [dataclasses.replace(span, begin=span.begin + more, end=span.end + more) for span, more in zip(spans, by)]
    return Shown(spans, unrecorded, begins[1:])


def _stretches(point: dict, spans: list[Span]) -> list[Stretch]:
    """Of a trace of iterations next to each other one."""
    of_iteration: dict[int, list[Span]] = defaultdict(list)
    for span in spans:
        of_iteration[span.args.get("iteration", -1) if traced_every(point) > 1 else 0].append(span)
    return merged([(min(s.begin for s in own), max(s.end for s in own)) for own in of_iteration.values()], 0)


def merged(spans: list[Stretch], gap: float) -> list[Stretch]:
    """The times that some span covers, with gaps up to `gap` closed; spans may overlap."""
    whole: list[Stretch] = []
    for begin, end in sorted(spans):
        if whole and begin - whole[-1][1] <= gap:
            whole[-1] = (whole[-1][0], max(whole[-1][1], end))
        else:
            whole.append((begin, end))
    return whole


def _gaps(point: dict, spans: list[Span]) -> dict[int, list[Stretch]]:
    """By rank when it is in iterations that the trace has not: between two of its that don't follow each other, before and after all.

    A message may take longer than the iteration that it is of; computations and waits don't. A trace that doesn't say what its events'
    iterations are has no gap that could be told.
    """
    own: dict[int, dict[int, Stretch]] = defaultdict(dict)
    for span in (span for span in spans if span.lane != COMMUNICATION and "iteration" in span.args):
        begin, end = own[span.rank].get(span.args["iteration"], (span.begin, span.end))
        own[span.rank][span.args["iteration"]] = min(begin, span.begin), max(end, span.end)
    gaps = {}
    for rank, of_rank in own.items():
        # From before the job to after it.
        known = [(-1, -float("inf")), *((iteration, end) for iteration, (_, end) in sorted(of_rank.items()))]
        following = [*((iteration, begin) for iteration, (begin, _) in sorted(of_rank.items())), (_count(point), float("inf"))]
        gaps[rank] = [(end, begin) for (before, end), (after, begin) in zip(known, following) if after != before + 1]
    return gaps


def _count(point: dict) -> int | None:
    """Of the job's iterations; of one that is as long as some epochs it is not known."""
    scenario = point["scenario"]
    counts = [scenario.get("warmup_iterations"), scenario.get("iterations")]
    return sum(counts) if all(isinstance(count, int) for count in counts) else None


def traced_every(point: dict) -> int:
    """Iterations from one that is traced to the next."""
    trace = point["scenario"].get("trace", {})
    every = trace.get("every", 1) if isinstance(trace, dict) else 1
    return every if isinstance(every, int) and every > 1 else 1


def time_label(point: dict, unit: str) -> str:
    every = traced_every(point)
    return f"time ({unit})" if every == 1 else f"time ({unit}) in one of every {every} iterations"
