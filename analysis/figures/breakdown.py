"""an iteration's computing time, exposed communication and the rest against workers, with stragglers' names; with --point, by member and cause"""

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

import drawn
import names
import style
import units
from figures import member_breakdown
from series import Series, read_series
from stragglers import find_stragglers, named, times

DEFAULT_WIDTH = "double"
TAKES_POINT = True

# Colours, dark and light, tell the parts of an iteration; hatches tell the series.
_PARTS = {
    "compute_s": ("compute", style.BLUE),
    "exposed_communication_s": ("exposed communication", style.YELLOW),
}
# What is left of the iteration: neither column is to blame for it, and medians don't add up.
_REST = ("other", "0.55")  # between the others in a print in grey
_LONGEST_NAME, _LONGEST_UPRIGHT = 15, 12  # letters
_LETTER = 0.044  # of a panel's height: that of an upright one, at most
_EDGE = {"edgecolor": "black", "linewidth": 0.4}


def draw(results: list[str], width: str, point: int | None = None) -> Figure:
    if point is not None:
        return member_breakdown.draw(results, width, point)
    models = read_series(results, [*_PARTS, "iteration_s"])
    figure, panels = style.panels([names.model(model) for model in models], width)
    numbers = style.styles([(s.label, s.algorithm) for all_series in models.values() for s in all_series])
    for axes, all_series in zip(panels, models.values()):
        unit, scale = units.fitting(max(map(_longest, all_series)), units.SECONDS)
        workers = sorted({n for series in all_series for n in series.rows})
        told = []
        for position, series in enumerate(all_series):
            bars = _Bars(axes, series, workers, (position, len(all_series)), scale)
            bars.draw(style.hatch(numbers[series.label]))
            told += bars.name_stragglers()
        drawn.tell(axes, told)
        _fit(axes, workers)
        axes.set_ylabel(f"time per iteration ({unit})")
    style.finish(figure, panels, _legend_entries(numbers))
    return figure


def _longest(series: Series) -> float:
    return max(series.points("iteration_s")[1], default=0)


def _fit(axes: Axes, workers: list[int]) -> None:
    """A place a number of workers, however far apart the numbers are, and room above the bars."""
    axes.set_xticks(range(len(workers)), map(str, workers))
    axes.set_xlim(-0.6, len(workers) - 0.4) if len(workers) > 1 else axes.set_xlim(-1, 1)
    axes.set_xlabel("workers")
    tops = [bar.get_y() + bar.get_height() for bar in axes.patches]
    named = [text.xy[1] * (1 / (1 - _LETTER * len(text.get_text())) if text.get_rotation() else 1.4) for text in axes.texts]
    axes.set_ylim(0, max([1.05 * max(tops, default=1), *named]) or 1)


class _Bars:
    """Stacked bars of a series, the `place[0]`-th of `place[1]` beside each other at every number of workers."""

    def __init__(self, axes: Axes, series: Series, workers: list[int], place: tuple[int, int], scale: float):
        position, of = place
        self._axes, self._series, self._scale = axes, series, scale
        self._wide = 0.8 / of
        self._at = {n: i + (position - (of - 1) / 2) * self._wide for i, n in enumerate(workers)}
        self._bottom = dict.fromkeys(series.rows, 0.0)

    def draw(self, hatch: str) -> None:
        parts = {colour: name for name, colour in [*_PARTS.values(), _REST]}

        def add(workers: int, time: float, colour: str) -> None:
            self._axes.bar(self._at[workers], time / self._scale, self._wide, bottom=self._bottom[workers] / self._scale,
                           color=colour, hatch=hatch, gid=f"{self._series.label}: {parts[colour]}", **_EDGE)
            self._bottom[workers] += time

        for part, (_, colour) in _PARTS.items():
            for workers, time in zip(*self._series.points(part)):
                add(workers, time, colour)
        for workers, iteration in zip(*self._series.points("iteration_s")):
            add(workers, max(0.0, iteration - self._bottom[workers]), _REST[1])

    def name_stragglers(self) -> list[drawn.Told]:
        """Above the bars where some workers compute longer than the others; for the table, the time of each."""
        told = []
        across = self._axes.get_gridspec().ncols
        room = 0.8 * 72 * self._axes.figure.get_figwidth() / across / max(len(self._at), 2) * self._wide  # points
        for workers, row in self._series.rows.items():
            stragglers = find_stragglers(row)
            if not stragglers:
                continue
            lines = [named(stragglers, _LONGEST_NAME), times(stragglers)]
            upright = max(map(len, lines)) * style.LETTER > room
            if upright:
                lines[0] = named(stragglers, _LONGEST_UPRIGHT)
            self._axes.annotate((": " if upright else "\n").join(lines),
                                (self._at[workers], self._bottom[workers] / self._scale), xytext=(0, 2),
                                textcoords="offset points", ha="center", va="bottom",
                                fontsize=style.SMALL, rotation=90 if upright else 0)
            told += [drawn.Told(series=f"{self._series.label}: computing of worker {one.rank}", mark="straggler",
                                x=self._at[workers], x_text=str(workers), low=0, high=one.seconds / self._scale,
                                x_axis="workers", y_axis="time per iteration") for one in stragglers]
        return told


def _legend_entries(numbers: dict[str, int]) -> dict[str, Artist]:
    parts = {name: Patch(facecolor=colour, **_EDGE) for name, colour in [*_PARTS.values(), _REST]}
    series = {label: Patch(facecolor="white", hatch=style.hatch(number), **_EDGE)
              for label, number in numbers.items()}
    return parts | series
