"""an iteration's computing time, exposed communication and the rest against workers, a panel a model"""

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

import style
import units
from series import Series, read_series

DEFAULT_WIDTH = "double"

# Colours, dark and light, tell the parts of an iteration; hatches tell the series.
_PARTS = {
    "compute_s": ("compute", style.BLUE),
    "exposed_communication_s": ("exposed communication", style.YELLOW),
}
# What is left of the iteration: neither column is to blame for it, and medians don't add up.
_REST = ("other", "0.75")
_EDGE = {"edgecolor": "black", "linewidth": 0.4}


def draw(results: list[str], width: str) -> Figure:
    models = read_series(results, [*_PARTS, "iteration_s"])
    figure, panels = style.panels(list(models), width)
    numbers = style.styles([(s.label, s.algorithm) for all_series in models.values() for s in all_series])
    for axes, all_series in zip(panels, models.values()):
        unit, scale = units.fitting(max(map(_longest, all_series)), units.SECONDS)
        for position, series in enumerate(all_series):
            _add_bars(axes, series, (position, len(all_series)), style.hatch(numbers[series.label]), scale)
        style.workers_axis(axes)
        axes.set_ylabel(f"time per iteration ({unit})")
    style.drop_repeated_labels(panels)
    style.legend(figure, _legend_entries(numbers))
    return figure


def _longest(series: Series) -> float:
    return max(series.points("iteration_s")[1], default=0)


def _add_bars(axes: Axes, series: Series, place: tuple[int, int], hatch: str, scale: float) -> None:
    """Stacked bars, the `place[0]`-th of `place[1]` beside each other at every number of workers."""
    position, of = place
    width = 0.8 / of
    bottom = dict.fromkeys(series.rows, 0.0)

    names = {colour: name for name, colour in [*_PARTS.values(), _REST]}

    def add(workers: int, time: float, colour: str) -> None:
        axes.bar(workers + (position - (of - 1) / 2) * width, time / scale, width, bottom=bottom[workers] / scale,
                 color=colour, hatch=hatch, gid=f"{series.label}: {names[colour]}", **_EDGE)
        bottom[workers] += time

    for part, (_, colour) in _PARTS.items():
        for workers, time in zip(*series.points(part)):
            add(workers, time, colour)
    for workers, iteration in zip(*series.points("iteration_s")):
        add(workers, max(0.0, iteration - bottom[workers]), _REST[1])


def _legend_entries(numbers: dict[str, int]) -> dict[str, Artist]:
    parts = {name: Patch(facecolor=colour, **_EDGE) for name, colour in [*_PARTS.values(), _REST]}
    series = {label: Patch(facecolor="white", hatch=style.hatch(number), **_EDGE)
              for label, number in numbers.items()}
    return parts | series
