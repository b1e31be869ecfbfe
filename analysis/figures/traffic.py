"""bytes and packets that each member sends and receives over time, of a point of each result: the last, or --point"""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import names
import runs
import style
import units
from results import ResultError, Row, read_rows

DEFAULT_WIDTH = "double"
TAKES_POINT = True

_FIGURES = {"sent_bytes": "bytes sent", "received_bytes": "bytes received", "sent_packets": "packets sent",
            "received_packets": "packets received"}
_TIMES = ["iteration", "begin_s", "end_s"]
_BESIDE = 0.01  # of a stretch's length: the next that begins no later after its end is drawn next to it


@dataclass(frozen=True)
class _Step:
    """A stretch of iterations of a member as it is drawn: its height times its length is what went over in it."""

    row: Row
    begin: float
    end: float

    def rate(self, column: str) -> float:
        return (self.row.number(column) or 0) / (self.end - self.begin) if self.end > self.begin else 0


def draw(results: list[str], width: str, point: int | None = None) -> Figure:
    shown = [_shown_point(result, point) for result in results]
    columns = [[column for column in _FIGURES if _measured(rows, column)] for _, _, rows in shown]
    alone = len(shown) == 1
    points = [one for _, one, _ in shown]
    whose = runs.with_worlds([name for name, _, _ in shown], points, results)
    titles = [_FIGURES[column] if alone else names.label(name, _FIGURES[column]) for name, own in zip(whose, columns) for column in own]
    figure, panels = style.panels(titles, width, columns={"single": 1, "double": 2}[width], height=1.5)
    free = iter(panels)
    steps = [_steps(rows) for _, _, rows in shown]
    ranks = [runs.some_members(one, set(of_rank)) for one, of_rank in zip(points, steps)]
    for one, of_rank, some, own in zip(points, steps, ranks, columns):
        for column in own:
            twins = [twin for twin in own if ("bytes" in twin) == ("bytes" in column)]  # what is sent beside what is received
            most = max(step.rate(twin) for steps in of_rank.values() for step in steps for twin in twins)
            _draw_panel(next(free), one, of_rank, some, column, most)
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


def _steps(rows: list[Row]) -> dict[int, list[_Step]]:
    """By rank, in their order."""
    of_rank: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        of_rank[int(row.known_number("rank"))].append(row)
    return {rank: list(_steps_of(own)) for rank, own in of_rank.items()}


def _steps_of(rows: list[Row]) -> Iterator[_Step]:
    """Of a member: none lasts on after the next begins."""
    times = [(row.known_number("begin_s"), row.known_number("end_s")) for row in rows]
    for row, (begin, end), (following, _) in zip(rows, times, [*times[1:], (math.inf, math.inf)]):
        yield _Step(row, begin, following if begin < following <= end + _BESIDE * (end - begin) else end)


def _draw_panel(axes: Axes, point: dict, of_rank: dict[int, list[_Step]], ranks: list[int], column: str, most: float) -> None:
    """Those of `ranks`, on a scale up to `most`, bytes or packets a second."""
    first = min(step.begin for steps in of_rank.values() for step in steps)
    unit, scale = units.fitting(max(step.end for steps in of_rank.values() for step in steps) - first, units.SECONDS)
    quantity, by = units.fitting(most, units.BYTES if "bytes" in column else units.COUNTS)
    for number, rank in enumerate(ranks):
        corners = [((time - first) / scale, rate / by) for time, rate in _corners(of_rank[rank], column)]
        look = style.line(number) | {"marker": "", "linewidth": 1}
        axes.plot(*zip(*corners), drawstyle="steps-post", label=runs.member_name(point, rank), **look)
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.05 * most / by or 1)
    axes.set(xlabel=f"time ({unit})", ylabel=f"{quantity}/s" if "bytes" in column else f"{quantity} packets/s".strip())


def _corners(steps: list[_Step], column: str) -> Iterator[tuple[float, float]]:
    """When a rate begins, and that rate: 0 from a stretch's end until the next begins."""
    for step, following in zip(steps, [*steps[1:], None]):
        yield step.begin, step.rate(column)
        if following is None:
            yield step.end, step.rate(column)
        elif step.end < following.begin:
            yield step.end, 0
