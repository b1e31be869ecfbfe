"""bytes and packets that each member sends and receives over time, of a point of each result: the last, or --point"""

from collections import defaultdict

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import names
import runs
import style
import units
from results import Row, read_rows

DEFAULT_WIDTH = "double"
TAKES_POINT = True

_FIGURES = {"sent_bytes": "bytes sent", "received_bytes": "bytes received", "sent_packets": "packets sent",
            "received_packets": "packets received"}
_TIMES = ["iteration", "begin_s", "end_s"]


def draw(results: list[str], width: str, point: int | None = None) -> Figure:
    shown = [_shown_point(result, point) for result in results]
    columns = [[column for column in _FIGURES if _measured(rows, column)] for _, _, rows in shown]
    alone = len(shown) == 1
    whose = runs.with_worlds([name for name, _, _ in shown], [one for _, one, _ in shown])
    titles = [_FIGURES[column] if alone else names.label(name, _FIGURES[column]) for name, own in zip(whose, columns) for column in own]
    figure, panels = style.panels(titles, width, columns={"single": 1, "double": 2}[width], height=1.5)
    free = iter(panels)
    for (_, one, rows), own in zip(shown, columns):
        of_result = [next(free) for _ in own]
        for axes, column in zip(of_result, own):
            _draw_panel(axes, one, rows, column)
        for twins in (of_result[:2], of_result[2:]):  # what is sent beside what is received
            for axes in twins:
                axes.set_ylim(0, 1.05 * max(twin.dataLim.y1 for twin in twins) or 1)
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
    return runs.point_title(points[at], points), points[at], of_point[at]


def _measured(rows: list[Row], column: str) -> bool:
    return any(row.number(column) is not None for row in rows)


def _draw_panel(axes: Axes, point: dict, rows: list[Row], column: str) -> None:
    of_rank: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        of_rank[int(row.number("rank"))].append(row)
    first = min(row.number("begin_s") for row in rows)
    unit, scale = units.fitting(max(row.number("end_s") for row in rows) - first, units.SECONDS)
    rates = {rank: [_rate(row, column) for row in own] for rank, own in of_rank.items()}
    quantity, by = units.fitting(max(max(own) for own in rates.values()), units.BYTES if "bytes" in column else units.COUNTS)
    ranks = runs.some_members(point, set(of_rank))
    for number, rank in enumerate(ranks):
        own = of_rank[rank]
        # A step a stretch of iterations.
        times = [(row.number("begin_s") - first) / scale for row in own] + [(own[-1].number("end_s") - first) / scale]
        steps = [rate / by for rate in rates[rank]]
        look = style.line(number) | {"marker": "", "linewidth": 1}
        axes.plot(times, [*steps, steps[-1]], drawstyle="steps-post", label=runs.member_name(point, rank), **look)
    axes.set_xlim(left=0)
    axes.set(xlabel=f"time ({unit})", ylabel=f"{quantity}/s" if "bytes" in column else f"{quantity} packets/s".strip())


def _rate(row: Row, column: str) -> float:
    time = row.number("end_s") - row.number("begin_s")
    return (row.number(column) or 0) / time if time > 0 else 0
