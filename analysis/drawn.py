"""What a figure shows, as a table: a row a point of a line, a bar, an error bar, a span of time; and what a panel tells itself."""

import csv
import io
import math
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import names

HEADER = ["panel", "series", "mark", "x", "x_text", "from", "to", "x_axis", "y_axis"]


@dataclass(frozen=True)
class Told:
    """A row that no artist of a panel shows; what is None is empty."""

    series: str
    mark: str
    x: float | None
    x_text: str
    low: float | None
    high: float | None
    x_axis: str
    y_axis: str


def tell(axes: Axes, rows: list[Told], instead: bool = False) -> None:
    """Has the table say these rows of the panel, before or instead of what its artists show."""
    axes.told, axes.told_instead = rows, instead


def name_points(line: Line2D, texts: list[str]) -> None:
    """Has the table say what is written at each point of the line."""
    line.point_texts = texts


def table(figure: Figure) -> str:
    """CSV: `from` and `to` are the ends of a bar, error bar or span; a line's point has `to` alone. Figures are in the axes' units.

    Where a line has a gap, it has no row.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    panels = [axes for axes in figure.axes if axes.axison]
    for axes in panels:
        for one in getattr(axes, "told", []):
            ends = ["" if end is None else _number(end) for end in (one.low, one.high)]
            writer.writerow([axes.panel_name, one.series, one.mark, "" if one.x is None else _number(one.x), one.x_text, *ends, one.x_axis, one.y_axis])
    for axes in (axes for axes in panels if not getattr(axes, "told_instead", False)):
        for row in [*_points(axes), *_bars(axes), *_spreads(axes)]:
            writer.writerow([axes.panel_name, *row, axes.get_xlabel(), axes.get_ylabel()])
    return text.getvalue()


def _points(axes: Axes) -> list[list[str]]:
    return [[line.get_label(), "line", _number(x), text, "", _number(y)]
            for line in axes.get_lines() if not line.get_label().startswith("_")
            for x, y, text in zip(line.get_xdata(), line.get_ydata(), getattr(line, "point_texts", [""] * len(line.get_xdata())))
            if not math.isnan(y)]


def _bars(axes: Axes) -> list[list[str]]:
    rows = []
    for container in axes.containers:
        for bar in getattr(container, "patches", []):
            name = bar.get_gid() or container.get_label()
            x = bar.get_x() + bar.get_width() / 2
            rows.append(["" if name.startswith("_") else name, "bar", _number(x), _nearest_tick(axes, x), _number(bar.get_y()),
                         _number(bar.get_y() + bar.get_height())])
    return rows


def _nearest_tick(axes: Axes, x: float) -> str:
    """Its text: bars stand around it, where there are several beside each other."""
    _, text = min(zip(axes.get_xticks(), axes.get_xticklabels()), key=lambda tick: abs(tick[0] - x))
    return names.on_one_line(text.get_text())


def _spreads(axes: Axes) -> list[list[str]]:
    return [[bars.get_gid(), "spread", _number(x), _nearest_tick(axes, x) if axes.patches else "", _number(low), _number(high)]
            for container in axes.containers if isinstance(container, ErrorbarContainer)
            for bars in container.lines[2] for (x, low), (_, high) in bars.get_segments()]


def _number(value: float) -> str:
    return f"{float(value):.9g}"
