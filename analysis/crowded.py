"""What is drawn of stretches of time that may be too short to be seen, so that iterations that are alike look alike.

Time is divided into columns that begin anew with every iteration of a member; where many stretches begin and end in a column,
it shows the share that each lane takes of it.
"""

import bisect
import math
from collections import Counter
from dataclasses import dataclass

from sampled import Stretch, shares, without_holes

COLUMNS = 120  # of the time shown
_MOST_EDGES = 6  # of stretches in a column; where there are more, it shows the share of each lane
_ROUNDING = 1e-9  # of the time shown


@dataclass(frozen=True)
class Drawn:
    """Of a lane: what is seen of its own accord, the middles of stretches that need a line to be seen, and shares of columns."""

    wide: list[Stretch]
    thin: list[float]
    shares: list[float]


def columns(starts: list[float], whole: float) -> list[float]:
    """The ends of columns from 0 to `whole`, for a member whose iterations start, and whose last one ends, at `starts`.

    An iteration has a whole number of them, or where iterations are shorter than a column, that has a whole number of these.
    """
    wide = whole / COLUMNS
    blocks = [0.0]
    for position, start in enumerate(sorted(starts)):
        is_first = position == 0 and start > _ROUNDING * whole  # before it, there may be less than a column
        if (is_first or start - blocks[-1] >= wide * (1 - 1e-6)) and whole - start > _ROUNDING * whole:
            blocks.append(start)
    ends: list[float] = []
    for begin, end in zip(blocks, [*blocks[1:], whole]):
        count = max(1, math.ceil((end - begin) / wide - 0.5 - 1e-6))  # the same of lengths that differ by rounding
        ends += [begin + i / count * (end - begin) for i in range(count)]
    return [*ends, whole]


def drawn(lanes: list[list[Stretch]], ends: list[float], seen: float) -> tuple[list[Drawn], list[int]]:
    """Of lanes that share a place, and the columns that are drawn as shares; what is shorter than `seen` is too short to be seen.

    A lane's stretches ascend and don't overlap.
    """
    crowded = _crowded(lanes, ends)
    return [_drawn(lane, crowded, ends, seen) for lane in lanes], crowded


def _crowded(lanes: list[list[Stretch]], ends: list[float]) -> list[int]:
    """The columns with too many edges, and those next to them with nearly as many, so that a phase is drawn in one way."""
    rounding, last = _ROUNDING * ends[-1], len(ends) - 2
    edges: Counter[int] = Counter()
    for low, high in (stretch for lane in lanes for stretch in lane):
        edges[min(last, bisect.bisect_right(ends, low + rounding) - 1)] += 1
        edges[max(0, bisect.bisect_left(ends, high - rounding) - 1)] += 1  # what ends with a column is in it
    crowded = [column for column, count in edges.items() if count > _MOST_EDGES]
    known = set(crowded)
    for column in crowded:  # which grows
        for beside in (column - 1, column + 1):
            if beside not in known and edges[beside] > _MOST_EDGES / 2:
                known.add(beside)
                crowded.append(beside)
    return sorted(crowded)


def _drawn(lane: list[Stretch], crowded: list[int], ends: list[float], seen: float) -> Drawn:
    holes = [(ends[of_run[0]], ends[of_run[-1] + 1]) for of_run in runs_of(crowded)]
    left = without_holes(lane, holes)
    thin = [(low + high) / 2 for low, high in left if high - low < seen and not _touches(holes, low, high)]
    wide = _closed([one for one in left if one[1] - one[0] >= seen], holes, seen)
    return Drawn(wide, thin, shares(lane, ends) if crowded else [])


def _touches(holes: list[Stretch], low: float, high: float) -> bool:
    """Whether it is the rest of a stretch that goes on in a hole."""
    at = bisect.bisect_left(holes, (low, low))
    return any(hole[1] == low or hole[0] == high for hole in holes[max(0, at - 1):at + 1])


def _closed(stretches: list[Stretch], holes: list[Stretch], seen: float) -> list[Stretch]:
    """Without gaps too short to be seen, that some pictures of pixels would show and others not."""
    closed: list[Stretch] = []
    begins = {begin for begin, _ in holes}
    for begin, end in stretches:
        if closed and begin - closed[-1][1] < seen and closed[-1][1] not in begins:
            closed[-1] = (closed[-1][0], end)
        else:
            closed.append((begin, end))
    return closed


def runs_of(columns: list[int]) -> list[list[int]]:
    """Those next to each other together."""
    together: list[list[int]] = []
    for column in columns:
        if together and together[-1][-1] == column - 1:
            together[-1].append(column)
        else:
            together.append([column])
    return together
