"""bytes and packets that each member sends and receives over time, of a point of each result: the last, or --point"""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import drawn
import names
import runs
import style
import units
from results import ResultError, Row, read_rows

DEFAULT_WIDTH = "double"
TAKES_POINT = True
GROWS_WITH = "results"

_FIGURES = {"sent_bytes": "bytes sent", "received_bytes": "bytes received", "sent_packets": "packets sent",
            "received_packets": "packets received"}
_TIMES = ["iteration", "begin_s", "end_s"]
_BESIDE = 0.01  # of a stretch's length: the next that begins no later after its end is drawn next to it

_UNSEEN = 0.005  # of a panel's width and height: curves that are no further from each other lie on each other


@dataclass(frozen=True)
class _Step:
    """Iterations of a member as they are drawn, `share` of a row's: its height times its length is what went over in it."""

    row: Row
    begin: float
    end: float
    share: float = 1

    def rate(self, column: str) -> float:
        return self.share * (self.row.number(column) or 0) / (self.end - self.begin) if self.end > self.begin else 0


@dataclass(frozen=True)
class _Known:
    """What other tables say of a point's iterations: how long each took, and after how many of them accuracy was tested."""

    seconds: dict[int, float]
    tested: list[int]


def draw(results: list[str], width: str, point: int | None = None) -> Figure:
    shown = [_shown_point(result, point) for result in results]
    columns = [[column for column in _FIGURES if _measured(rows, column)] for _, _, rows in shown]
    alone = len(shown) == 1
    points = [one for _, one, _ in shown]
    whose = runs.with_worlds([name for name, _, _ in shown], points, results)
    titles = [_FIGURES[column] if alone else names.label(name, _FIGURES[column]) for name, own in zip(whose, columns) for column in own]
    figure, panels = style.panels(titles, width, columns={"single": 1, "double": 2}[width], height=1.5)
    free = iter(panels)
    numbers: dict[str, int] = {}
    steps = [_steps(rows, _known(rows)) for _, _, rows in shown]
    ranks = [runs.some_members(one, set(of_rank)) for one, of_rank in zip(points, steps)]
    for one, of_rank, some, own in zip(points, steps, ranks, columns):
        # What is sent beside what is received.
        beside = {column: tuple(twin for twin in own if ("bytes" in twin) == ("bytes" in column)) for column in own}
        most = {twins: max(step.rate(twin) for steps in of_rank.values() for step in steps for twin in twins)
                for twins in beside.values()}
        groups = _alike(one, of_rank, some, {column: most[twins] for column, twins in beside.items()})
        for column, twins in beside.items():
            _draw_panel(next(free), one, of_rank, groups, column, most[twins], numbers)
    if alone:
        style.title(figure, shown[0][0])
    style.finish(figure, panels)
    style.note(figure, runs.members_drawn(whose, points, ranks))
    return figure


def _shown_point(result: str, number: int | None) -> tuple[str, dict, list[Row]]:
    points = runs.read_points(result)
    rows = read_rows([result], "traffic.csv", ["point", "rank", "iterations", *_TIMES, *_FIGURES])
    of_point: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        of_point[runs.point_of_row(row, points)].append(row)
    at = runs.chosen_point(number, set(of_point), result, "traffic.csv")
    if not any(_measured(of_point[at], column) for column in _FIGURES):
        raise ResultError(f"{of_point[at][0].file}: says nothing of bytes or packets of point {at + 1}")
    return runs.point_title(points[at], points), points[at], of_point[at]


def _measured(rows: list[Row], column: str) -> bool:
    return any(row.number(column) is not None for row in rows)


def _known(rows: list[Row]) -> _Known:
    """Of the point of these rows; nothing where the tables are not beside theirs, or older than their column `point`."""
    tested = sorted({int(row.known_number("iteration")) for row in _beside(rows, "accuracy.csv", "accuracy")})
    times = _beside(rows, "iterations.csv", "iteration_s") if tested else []
    return _Known({int(row.known_number("iteration")): row.number("iteration_s") or 0 for row in times}, tested)


def _beside(rows: list[Row], name: str, column: str) -> list[Row]:
    file = rows[0].file.parent / name
    found = read_rows([str(file)], name, ["iteration", column]) if file.is_file() else []
    return [row for row in found if "point" in row.cells and row.number("point") == rows[0].number("point")]


def _steps(rows: list[Row], known: _Known) -> dict[int, list[_Step]]:
    """By rank, in their order."""
    of_rank: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        of_rank[int(row.known_number("rank"))].append(row)
    return {rank: list(_steps_of(own, known)) for rank, own in of_rank.items()}


def _steps_of(rows: list[Row], known: _Known) -> Iterator[_Step]:
    """Of a member: none lasts on after the next begins."""
    times = [(row.known_number("begin_s"), row.known_number("end_s")) for row in rows]
    for row, (begin, end) in zip(rows, times):
        if end < begin:
            raise row.error("end_s", f"is {end:g}, before its begin_s, {begin:g}")
    for row, (begin, end), (following, _) in zip(rows, times, [*times[1:], (math.inf, math.inf)]):
        yield from _parted(row, begin, following if begin < following <= end + _BESIDE * (end - begin) else end, known)


def _parted(row: Row, begin: float, end: float, known: _Known) -> Iterator[_Step]:
    """A row's iterations without the time between them in which accuracy was tested, and nothing sent."""
    first, count = int(row.known_number("iteration")), int(row.known_number("iterations"))
    tests = [test - first for test in known.tested if first < test < first + count]
    took = [known.seconds.get(first + i, math.inf) for i in range(count)] if tests and count <= len(known.seconds) else []
    pause = (end - begin - sum(took)) / len(tests) if took else 0
    if pause <= _BESIDE * (end - begin):
        yield _Step(row, begin, end)
        return
    for low, high in zip([0, *tests], [*tests, count]):
        until = begin + sum(took[low:high]) if high < count else end
        yield _Step(row, begin, until, (high - low) / count)
        begin = until + pause


def _alike(point: dict, of_rank: dict[int, list[_Step]], ranks: list[int], most: dict[str, float]) -> list[list[int]]:
    """The ranks, those together of one role whose curves lie on each other in every column, whose panel goes up to so much."""
    ends = [time for steps in of_rank.values() for step in steps for time in (step.begin, step.end)]
    whole = max(ends) - min(ends)

    def coincide(a: int, b: int) -> bool:
        if (a < runs.recorded_workers(point)) != (b < runs.recorded_workers(point)):
            return False
        for column, highest in most.items():
            corners = [list(_corners(of_rank[rank], column)) for rank in (a, b)]
            if len(corners[0]) != len(corners[1]):
                return False
            if any(abs(time - other) > _UNSEEN * whole or abs(rate - beside) > _UNSEEN * highest
                   for (time, rate), (other, beside) in zip(*corners)):
                return False
        return True

    groups: list[list[int]] = []
    for rank in ranks:
        group = next((group for group in groups if coincide(group[0], rank)), None)
        if group is None:
            groups.append([rank])
        else:
            group.append(rank)
    return groups


def _name(point: dict, ranks: list[int]) -> str:
    """Of members that are alike: "workers 0 to 3 (alike)"."""
    if len(ranks) == 1:
        return runs.member_name(point, ranks[0])
    role = runs.member_name(point, ranks[0]).split(" ")[0]
    numbers = [runs.member_name(point, rank).split(" ")[1] for rank in ranks]
    follow = len(ranks) > 2 and ranks[-1] - ranks[0] == len(ranks) - 1
    which = f"{numbers[0]} to {numbers[-1]}" if follow else f"{', '.join(numbers[:-1])} and {numbers[-1]}"
    return f"{role}s {which} (alike)"


def _draw_panel(axes: Axes, point: dict, of_rank: dict[int, list[_Step]], groups: list[list[int]], column: str, most: float,
                numbers: dict[str, int]) -> None:
    """A curve a group of ranks, on a scale up to `most`, bytes or packets a second; the table has each rank's.

    `numbers` are of styles, by name; new names get the next.
    """
    first = min(step.begin for steps in of_rank.values() for step in steps)
    unit, scale = units.fitting(max(step.end for steps in of_rank.values() for step in steps) - first, units.SECONDS)
    quantity, by = units.fitting(most, units.BYTES if "bytes" in column else units.COUNTS)
    of_time, of_rates = f"time ({unit})", f"{quantity}/s" if "bytes" in column else f"{quantity} packets/s".strip()
    corners = {rank: [((time - first) / scale, rate / by) for time, rate in _corners(of_rank[rank], column)]
               for group in groups for rank in group}
    for group in groups:
        name = _name(point, group)
        look = style.line(numbers.setdefault(name, len(numbers))) | {"marker": "", "linewidth": 1}
        axes.plot(*zip(*corners[group[0]]), drawstyle="steps-post", label=name, **look)
    drawn.tell(axes, [drawn.Told(runs.member_name(point, rank), "line", time, "", None, rate, of_time, of_rates)
                      for rank in sorted(corners) for time, rate in corners[rank]], instead=True)
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.05 * most / by or 1)
    axes.set(xlabel=of_time, ylabel=of_rates)


def _corners(steps: list[_Step], column: str) -> Iterator[tuple[float, float]]:
    """When a rate begins, and that rate: 0 from a stretch's end until the next begins."""
    for step, following in zip(steps, [*steps[1:], None]):
        yield step.begin, step.rate(column)
        if following is None:
            yield step.end, step.rate(column)
        elif step.end < following.begin:
            yield step.end, 0
