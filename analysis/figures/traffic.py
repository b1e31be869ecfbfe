"""bytes and packets that each member sends and receives over time, of a point of each result: the last, or --point"""

from collections import defaultdict

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


def draw(results: list[str], width: str, point: int | None = None) -> Figure:
    shown = [_shown_point(result, point) for result in results]
    columns = [[column for column in _FIGURES if _measured(rows, column)] for _, _, rows in shown]
    alone = len(shown) == 1
    whose = runs.with_worlds([name for name, _, _ in shown], [one for _, one, _ in shown], results)
    titles = [_FIGURES[column] if alone else names.label(name, _FIGURES[column]) for name, own in zip(whose, columns) for column in own]
    figure, panels = style.panels(titles, width, columns={"single": 1, "double": 2}[width], height=1.5)
    free = iter(panels)
    for (_, one, rows), own in zip(shown, columns):
        for column in own:
            twins = [twin for twin in own if ("bytes" in twin) == ("bytes" in column)]  # what is sent beside what is received
            _draw_panel(next(free), one, rows, column, max(_rate(row, twin) for row in rows for twin in twins))
    if alone:
        style.title(figure, shown[0][0])
    style.finish(figure, panels)
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


def _draw_panel(axes: Axes, point: dict, rows: list[Row], column: str, most: float) -> None:
    """On a scale up to `most`, bytes or packets a second."""
    of_rank: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        of_rank[int(row.known_number("rank"))].append(row)
    first = min(row.known_number("begin_s") for row in rows)
    unit, scale = units.fitting(max(row.known_number("end_s") for row in rows) - first, units.SECONDS)
    rates = {rank: [_rate(row, column) for row in own] for rank, own in of_rank.items()}
    quantity, by = units.fitting(most, units.BYTES if "bytes" in column else units.COUNTS)
    ranks = runs.some_members(point, set(of_rank))
    for number, rank in enumerate(ranks):
        own = of_rank[rank]
        # A step a stretch of iterations.
        times = [(row.known_number("begin_s") - first) / scale for row in own] + [(own[-1].known_number("end_s") - first) / scale]
        steps = [rate / by for rate in rates[rank]]
        look = style.line(number) | {"marker": "", "linewidth": 1}
        axes.plot(times, [*steps, steps[-1]], drawstyle="steps-post", label=runs.member_name(point, rank), **look)
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.05 * most / by or 1)
    axes.set(xlabel=f"time ({unit})", ylabel=f"{quantity}/s" if "bytes" in column else f"{quantity} packets/s".strip())


def _rate(row: Row, column: str) -> float:
    time = row.known_number("end_s") - row.known_number("begin_s")
    return (row.number(column) or 0) / time if time > 0 else 0
