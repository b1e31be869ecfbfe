"""what a worker holds in memory, predicted by part (weights, gradients, optimizer state, activations and others), and what real runs measured"""

import math
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

import drawn
import names
import runs
import style
import units
from bar_names import LINE, BarNames
from results import ResultError, Row, locate

DEFAULT_WIDTH = "single"
GROWS_WITH = "points"

# From the bottom; hatches tell them apart in grey.
_PARTS = {
    "parameters": ("weights", style.BLUE, ""),
    "gradients": ("gradients", style.ORANGE, "////"),
    "optimizer_state": ("optimizer state", style.GREEN, "...."),
    "layer_groups_in_use": ("gathered layers", style.SKY, "xxxx"),
    "activations": ("activations", style.YELLOW, "\\\\\\\\"),
    "buffers": ("buffers", "0.75", ""),
}
_EDGE = {"edgecolor": "black", "linewidth": 0.4}
_THICK = 2  # points: a line at what was measured
_MARGIN = 0.6  # inches beside the bars: the axis' ticks and label
_WIDE = 0.7  # of the distance between two bars
_OF_NAMES = 0.88  # of it
_NARROWEST = 1.01 * LINE / _OF_NAMES  # inches: that distance, at least; bars that have no room beside the others are in a row below


@dataclass
class _Bar:
    """Of points that are told alike and predicted to hold the same; what those of real runs were measured to hold."""

    point: dict
    result: str
    measured: list[float] = field(default_factory=list)


def draw(results: list[str], width: str) -> Figure:
    bars = _bars(results)
    parts = [_predicted(bar.point) for bar in bars]
    unit, scale = units.fitting(max(max([part["total"], *bar.measured]) for part, bar in zip(parts, bars)), units.BYTES)
    shown = {key: look for key, look in _PARTS.items() if any(part[key] for part in parts)}
    rows = math.ceil(len(bars) / math.floor((style.WIDTHS[width] - _MARGIN) / _NARROWEST))
    of_row = math.ceil(len(bars) / rows)
    pitch = (style.WIDTHS[width] - _MARGIN) / max(of_row, 2)
    below = BarNames(_names(bars), [_OF_NAMES * pitch] * len(bars))
    figure, panels = style.panels([""] * rows, width, columns=1, height=2.1 + below.height)
    measured = []
    for axes, first in zip(panels, range(0, len(bars), of_row)):
        last = min(first + of_row, len(bars))
        bottom = [0.0] * (last - first)
        for key, (name, colour, hatch) in shown.items():
            heights = [part[key] / scale for part in parts[first:last]]
            axes.bar(range(last - first), heights, _WIDE, bottom=bottom, color=colour, hatch=hatch, label=name, **_EDGE)
            bottom = [low + height for low, height in zip(bottom, heights)]
        axes.set_xticks(range(last - first), below.texts[first:last], rotation=below.rotation)
        axes.set_xlim(-0.5, of_row - 0.5) if of_row > 1 else axes.set_xlim(-1, 1)
        measured += _draw_measured(axes, bars[first:last], scale, 72 * pitch).get_ydata().tolist()
        axes.set_ylabel(f"memory of a worker ({unit})")
    most = max([*(sum(part[key] for key in _PARTS) / scale for part in parts), *measured])
    for axes in panels:
        axes.set_ylim(0, 1.05 * most)
    entries = {name: Patch(facecolor=colour, hatch=hatch, **_EDGE) for name, colour, hatch in shown.values()}
    style.legend(figure, entries | ({"measured": Line2D([], [], color="black", linewidth=_THICK)} if measured else {}))
    style.note(figure, ["Bars: predicted."])
    return figure


def _draw_measured(axes: Axes, bars: list[_Bar], scale: float, pitch: float) -> Line2D:
    """A thick line as wide as the bar at each."""
    at = [(x, value / scale) for x, bar in enumerate(bars) for value in bar.measured]
    (line,) = axes.plot([x for x, _ in at], [y for _, y in at], linestyle="none", marker="_", markersize=0.75 * pitch, markeredgewidth=_THICK,
                        color="black", label="measured", zorder=3)
    below = [names.on_one_line(text.get_text()) for text in axes.get_xticklabels()]
    drawn.name_points(line, [below[x] for x, _ in at])
    return line


def _names(bars: list[_Bar]) -> list[str]:
    """What differs of the scenarios; where that is the same, of the places too."""
    points = [bar.point for bar in bars]
    told = runs.point_names(points, where=False)
    if len(set(told)) < len(told):
        told = runs.point_names(points)
    return runs.with_folders(told, [bar.result for bar in bars])


def _bars(results: list[str]) -> list[_Bar]:
    found = [(result, point, measured) for result in results for point, measured in _points(result)]
    told = runs.point_names([point for _, point, _ in found], where=False)
    bars: dict[tuple, _Bar] = {}
    for name, (result, point, measured) in zip(told, found):
        parts = _predicted(point)
        alike = name, *(parts[part] for part in _PARTS)
        bar = bars.setdefault(alike, _Bar(point, result))
        bar.measured += [] if measured is None else [measured]
    return list(bars.values())


def _points(result: str) -> list[tuple[dict, float | None]]:
    """Those with a prediction, each with what was measured if it is of a real run."""
    file = locate(Path(result), "run.json")
    points = runs.read_points(result)
    rows = runs.rows_of_points(file, points)
    found = [(point, _measured(row)) for point, row in zip(points, rows) if _predicted(point)]
    if not found:
        raise ResultError(f"{file}: no point has environment.memory.predicted")
    for point, _ in found:
        if not all(isinstance(_predicted(point).get(key), (int, float)) for key in [*_PARTS, "total"]):
            raise ResultError(f"{file}: environment.memory.predicted lacks a part")
    return found


def _measured(row: Row | None) -> float | None:
    is_real = row is not None and row.cells.get("world") == "real"
    return row.number("peak_memory_bytes") if is_real and "peak_memory_bytes" in row.cells else None


def _predicted(point: dict) -> dict:
    memory = point.get("environment", {}).get("memory")
    parts = memory.get("predicted") if isinstance(memory, dict) else None
    return parts if isinstance(parts, dict) else {}
