"""messages and collectives by size: how many, how long, and their bus bandwidth, of each result's last point that has a trace"""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import names
import style
import units
from communication import Operations, read_operations, size_text
from results import ResultError, locate

DEFAULT_WIDTH = "double"

_EDGE = {"edgecolor": "black", "linewidth": 0.4}


def draw(results: list[str], width: str) -> Figure:
    if len(results) > 1:
        raise ResultError(f"{results[1]}: a figure of communication is of one result")
    operations = read_operations(results[0])
    if not operations:
        raise ResultError(f"{locate(Path(results[0]), 'trace.json')}: shows no communication")
    last = [one for one in operations if one.point == operations[-1].point]
    unit, scale = units.fitting(max(one.seconds for one in last), units.SECONDS)
    speed, speed_scale = units.fitting(max(one.bus_bytes_per_s() or 0 for one in last), units.BYTES)
    shown = {"count": [one.count for one in last], f"time ({unit})": [one.seconds / scale for one in last],
             f"bus bandwidth ({speed}/s)": [(one.bus_bytes_per_s() or 0) / speed_scale for one in last]}
    figure, panels = style.panels([""] * len(shown), width, height=2.1)
    for axes, (label, figures) in zip(panels, shown.items()):
        _draw_panel(axes, last, figures)
        axes.set_ylabel(label)
        axes.set_xlabel("size of each")
    style.drop_repeated_labels(panels)
    style.legend(figure, style.labelled(panels))
    return figure


def _draw_panel(axes: Axes, operations: list[Operations], figures: list[float]) -> None:
    """A bar an operation at each size class that there is."""
    classes = sorted({one.size_class for one in operations})
    labels = sorted({_label(one) for one in operations})
    colours = [style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.SKY, style.VERMILION]
    for number, label in enumerate(labels):
        own = [(one, figure) for one, figure in zip(operations, figures) if _label(one) == label]
        axes.bar([classes.index(one.size_class) + (number + 0.5) / len(labels) * 0.8 - 0.4 for one, _ in own],
                 [figure for _, figure in own], 0.8 / len(labels), color=colours[number % len(colours)],
                 hatch=style.hatch(number), label=label, **_EDGE)
    axes.set_xticks(range(len(classes)), [size_text(size_class) for size_class in classes])
    axes.set_xlim(-0.6, len(classes) - 0.4)


def _label(one: Operations) -> str:
    return names.operation(one.name) + ("" if one.name == "message" else f" of {one.members}")
