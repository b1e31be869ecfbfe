"""What a figure shows, as a table: a row a point of a line, a row a bar, a row a span of time, and what a panel tells itself."""

import csv
import io
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch

HEADER = ["panel", "series", "mark", "x", "x_text", "from", "to", "x_axis", "y_axis"]


@dataclass(frozen=True)
class Told:
    """A row that no artist of a panel shows; what is None is empty."""

    series: str
    mark: str
    x: float
    x_text: str
    low: float | None
    high: float | None
    x_axis: str
    y_axis: str


def tell(axes: Axes, rows: list[Told], instead: bool = False) -> None:
    """Has the table say these rows of the panel, before or instead of what its artists show."""
    axes.told, axes.told_instead = rows, instead


def table(figure: Figure) -> str:
    """CSV: `from` and `to` are a bar's or span's ends; a line's point has `to` alone. Figures are in the axes' units."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    panels = [axes for axes in figure.axes if axes.axison]
    for axes in panels:
        for one in getattr(axes, "told", []):
            ends = ["" if end is None else _number(end) for end in (one.low, one.high)]
            writer.writerow([axes.get_title(), one.series, one.mark, _number(one.x), one.x_text, *ends, one.x_axis, one.y_axis])
    for axes in (axes for axes in panels if not getattr(axes, "told_instead", False)):
        for row in [*_points(axes), *_bars(axes), *_spans(axes)]:
            writer.writerow([axes.get_title(), *row, axes.get_xlabel(), axes.get_ylabel()])
    return text.getvalue()


def _points(axes: Axes) -> list[list[str]]:
    return [[line.get_label(), "line", _number(x), "", "", _number(y)]
            for line in axes.get_lines() if not line.get_label().startswith("_")
            for x, y in zip(line.get_xdata(), line.get_ydata())]


def _bars(axes: Axes) -> list[list[str]]:
    ticks = dict(zip(map(_number, axes.get_xticks()), (tick.get_text() for tick in axes.get_xticklabels())))
    rows = []
    for container in axes.containers:
        for bar in getattr(container, "patches", []):
            name = bar.get_gid() or container.get_label()
            x = _number(bar.get_x() + bar.get_width() / 2)
            rows.append(["" if name.startswith("_") else name, "bar", x, ticks.get(x, ""), _number(bar.get_y()),
                         _number(bar.get_y() + bar.get_height())])
    return rows


def _spans(axes: Axes) -> list[list[str]]:
    return [[patch.get_gid(), "span", "", "", _number(rectangle[:, 0].min()), _number(rectangle[:, 0].max())]
            for patch in axes.patches if isinstance(patch, PathPatch)
            for rectangle in patch.get_path().to_polygons(closed_only=False)]


def _number(value: float) -> str:
    return f"{float(value):.9g}"
