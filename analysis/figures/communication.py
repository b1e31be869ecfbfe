"""messages and collectives by size: how many, how long, and their bus bandwidth, of a point: the last that has a trace, or --point"""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

import names
import runs
import style
import units
from communication import Operations, read_operations, size_text
from results import ResultError, locate

DEFAULT_WIDTH = "double"
TAKES_POINT = True
GROWS_WITH = "results"

_WIDEST = 0.12  # of a panel's width: a bar
_EDGE = {"edgecolor": "black", "linewidth": 0.4}


def draw(results: list[str], width: str, point: int | None = None) -> Figure:
    if len(results) > 1:
        raise ResultError(f"{results[1]}: a figure of communication is of one result")
    operations = read_operations(results[0])
    if not operations:
        raise ResultError(f"{locate(Path(results[0]), 'trace.json')}: shows no communication")
    at = runs.chosen_point(point, {one.point for one in operations}, results[0], "trace.json")
    shown = [one for one in operations if one.point == at]
    unit, scale = units.fitting(max(one.seconds for one in shown), units.SECONDS)
    speed, speed_scale = units.fitting(max(one.bus_bytes_per_s() or 0 for one in shown), units.BYTES)
    figures = {"count": [one.count for one in shown], f"time ({unit})": [one.seconds / scale for one in shown],
             f"bus bandwidth ({speed}/s)": [(one.bus_bytes_per_s() or 0) / speed_scale for one in shown]}
    figure, panels = style.panels([""] * len(figures), width, height=2.1)
    for axes, (label, heights) in zip(panels, figures.items()):
        _draw_panel(axes, shown, heights)
        axes.set_ylabel(label)
        axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10], integer=label == "count"))
        axes.set_xlabel("size of each")
    style.finish(figure, panels)
    points = runs.read_points(results[0])
    style.title(figure, runs.point_title(points[at], points))
    return figure


def _draw_panel(axes: Axes, operations: list[Operations], figures: list[float]) -> None:
    """A bar an operation at each size class that there is."""
    classes = sorted({one.size_class for one in operations})
    labels = sorted({_label(one) for one in operations})
    width = min(0.8 / len(labels), _WIDEST * len(classes))
    colours = [style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.SKY, style.VERMILION]
    for number, label in enumerate(labels):
        own = [(one, figure) for one, figure in zip(operations, figures) if _label(one) == label]
        axes.bar([classes.index(one.size_class) + (number + 0.5 - len(labels) / 2) * width for one, _ in own],
                 [figure for _, figure in own], width, color=colours[number % len(colours)],
                 hatch=style.hatch(number), label=label, **_EDGE)
    sizes = [size_text(size_class) for size_class in classes]
    room = 0.8 * 72 * axes.figure.get_figwidth() / axes.get_gridspec().ncols  # points
    are_long = len(" ".join(sizes)) * style.LETTER > room
    axes.set_xticks(range(len(classes)), sizes, rotation=30 if are_long else 0, ha="right" if are_long else "center")
    axes.set_xlim(-0.6, len(classes) - 0.4)


def _label(one: Operations) -> str:
    return names.operation(one.name) + ("" if one.name == "message" else f" of {one.members} members")
