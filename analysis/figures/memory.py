"""what a worker holds in memory, predicted, by part: weights, gradients, optimizer state, activations and others"""

from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.patches import Patch

import runs
import style
import units
from results import ResultError, locate

DEFAULT_WIDTH = "single"

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

_SLANTED = 0.3  # inches between bars at least, for names that are not upright

def draw(results: list[str], width: str) -> Figure:
    found = [(result, point) for result in results for point in _points(result)]
    points = [point for _, point in found]
    names = runs.with_worlds([runs.point_name(point, points) for point in points], points, [result for result, _ in found])
    parts = [_predicted(point) for point in points]
    unit, scale = units.fitting(max(part["total"] for part in parts), units.BYTES)
    are_long = len("".join(names)) > (45 if width == "double" else 25)
    are_dense = style.WIDTHS[width] / len(names) < _SLANTED
    longest = max(map(len, names)) * style.LETTER / 72
    figure, (axes,) = style.panels([""], width, height=1.9 + (longest if are_dense else 0.5 * longest if are_long else 0.3))
    bottom = [0.0] * len(points)
    shown = {key: look for key, look in _PARTS.items() if any(part[key] for part in parts)}
    for key, (name, colour, hatch) in shown.items():
        heights = [part[key] / scale for part in parts]
        axes.bar(range(len(points)), heights, 0.7, bottom=bottom, color=colour, hatch=hatch, label=name, **_EDGE)
        bottom = [low + height for low, height in zip(bottom, heights)]
    axes.set_xticks(range(len(points)), names, rotation=90 if are_dense else 30 if are_long else 0,
                    ha="right" if are_long and not are_dense else "center")
    axes.set_ylim(0, 1.05 * max(bottom))
    axes.set_ylabel(f"memory of a worker ({unit})")
    style.legend(figure, {name: Patch(facecolor=colour, hatch=hatch, **_EDGE)
                          for name, colour, hatch in shown.values()})
    return figure


def _points(result: str) -> list[dict]:
    file = locate(Path(result), "run.json")
    found = [point for point in runs.read_points(result) if _predicted(point)]
    if not found:
        raise ResultError(f"{file}: no point has environment.memory.predicted")
    for point in found:
        if not all(isinstance(_predicted(point).get(key), (int, float)) for key in [*_PARTS, "total"]):
            raise ResultError(f"{file}: environment.memory.predicted lacks a part")
    return found


def _predicted(point: dict) -> dict:
    memory = point.get("environment", {}).get("memory")
    parts = memory.get("predicted") if isinstance(memory, dict) else None
    return parts if isinstance(parts, dict) else {}
