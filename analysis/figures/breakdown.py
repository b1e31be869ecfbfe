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
from stragglers import Straggler, find_stragglers, named, times

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
_LINE = 1.25 * style.SMALL  # points: of text
_SLOWEST_NAMED = "Of bars beside each other the slowest worker is named."
_NONE_NAMED = "There is no room to name workers that compute longer than others; figures of fewer workers or series do."
_EDGE = {"edgecolor": "black", "linewidth": 0.4}


def draw(results: list[str], width: str, point: int | None = None) -> Figure:
    if point is not None:
        return member_breakdown.draw(results, width, point)
    models = read_series(results, [*_PARTS, "iteration_s"])
    figure, panels = style.panels([names.model(model) for model in models], width)
    numbers = style.styles([(s.label, s.algorithm) for all_series in models.values() for s in all_series])
    unnamed = set()
    for axes, all_series in zip(panels, models.values()):
        unit, scale = units.fitting(max(map(_longest, all_series)), units.SECONDS)
        workers = sorted({n for series in all_series for n in series.rows})
        wide = 0.8 / len(all_series)
        bars = [_Bars(axes, series, at, wide, scale) for series, at in zip(all_series, _places(all_series, workers, wide))]
        for one in bars:
            one.draw(style.hatch(numbers[one.series.label]))
        drawn.tell(axes, [row for one in bars for row in one.told()])
        unnamed.add(_name_stragglers(axes, bars, workers, wide))
        _fit(axes, workers)
        axes.set_ylabel(f"time per iteration ({unit})")
    style.finish(figure, panels, _legend_entries(numbers, panels))
    style.note(figure, sorted(unnamed - {""}))
    return figure


def _places(all_series: list[Series], workers: list[int], wide: float) -> list[dict[int, float]]:
    """Of each series where its bars are: those of a number of workers beside each other around its tick."""
    places: list[dict[int, float]] = [{} for _ in all_series]
    for i, n in enumerate(workers):
        own = [place for place, series in zip(places, all_series) if n in series.rows]
        for position, place in enumerate(own):
            place[n] = i + (position - (len(own) - 1) / 2) * wide
    return places


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


def _name_stragglers(axes: Axes, all_bars: list["_Bars"], workers: list[int], wide: float) -> str:
    """Above the bars where some workers compute longer than the others; what to note where not all names have room."""
    # In points, of a number of workers.
    room = 0.8 * 72 * axes.figure.get_figwidth() / axes.get_gridspec().ncols / max(len(workers), 2)
    if not any(bars.stragglers for bars in all_bars):
        return ""
    if wide * room >= _LINE:
        for bars in all_bars:
            for n, stragglers in bars.stragglers.items():
                _write_name(axes, stragglers, (bars.at[n], bars.top(n)), wide * room)
        return ""
    if room < _LINE:
        return _NONE_NAMED
    for i, n in enumerate(workers):
        of_bars = [bars.stragglers[n] for bars in all_bars if n in bars.stragglers]
        if of_bars:
            slowest = max(of_bars, key=lambda stragglers: max(one.seconds for one in stragglers))
            _write_name(axes, slowest, (i, max(bars.top(n) for bars in all_bars if n in bars.at)), room)
    return _SLOWEST_NAMED


def _write_name(axes: Axes, stragglers: list[Straggler], at: tuple[float, float], room: float) -> None:
    """Upright where it is wider than its room, in points."""
    lines = [named(stragglers, _LONGEST_NAME), times(stragglers)]
    upright = max(map(len, lines)) * style.LETTER > room
    if upright:
        lines[0] = named(stragglers, _LONGEST_UPRIGHT)
    axes.annotate((": " if upright else "\n").join(lines), at, xytext=(0, 2), textcoords="offset points", ha="center", va="bottom",
                  fontsize=style.SMALL, rotation=90 if upright else 0)


class _Bars:
    """Stacked bars of a series, `wide` each, in the middle of these places by number of workers."""

    def __init__(self, axes: Axes, series: Series, at: dict[int, float], wide: float, scale: float):
        self._axes, self.series, self.at, self._wide, self._scale = axes, series, at, wide, scale
        self._bottom = dict.fromkeys(series.rows, 0.0)
        self.stragglers = {n: found for n, row in series.rows.items() if (found := find_stragglers(row))}

    def draw(self, hatch: str) -> None:
        parts = {colour: name for name, colour in [*_PARTS.values(), _REST]}

        def add(workers: int, time: float, colour: str) -> None:
            self._axes.bar(self.at[workers], time / self._scale, self._wide, bottom=self._bottom[workers] / self._scale,
                           color=colour, hatch=hatch, gid=f"{self.series.label}: {parts[colour]}", **_EDGE)
            self._bottom[workers] += time

        for part, (_, colour) in _PARTS.items():
            for workers, time in zip(*self.series.points(part)):
                add(workers, time, colour)
        for workers, iteration in zip(*self.series.points("iteration_s")):
            add(workers, max(0.0, iteration - self._bottom[workers]), _REST[1])

    def top(self, workers: int) -> float:
        return self._bottom[workers] / self._scale

    def told(self) -> list[drawn.Told]:
        """For the table, the time of each straggler."""
        return [drawn.Told(series=f"{self.series.label}: computing of worker {one.rank}", mark="straggler",
                           x=self.at[workers], x_text=str(workers), low=0, high=one.seconds / self._scale,
                           x_axis="workers", y_axis="time per iteration")
                for workers, found in self.stragglers.items() for one in found]


def _legend_entries(numbers: dict[str, int], panels: list[Axes]) -> dict[str, Artist]:
    """Of the parts those that are seen somewhere."""
    seen = {bar.get_gid().rsplit(": ", 1)[1] for axes in panels for bar in axes.patches if style.is_seen(bar)}
    parts = {name: Patch(facecolor=colour, **_EDGE) for name, colour in [*_PARTS.values(), _REST] if name in seen}
    series = {label: Patch(facecolor="white", hatch=style.hatch(number), **_EDGE)
              for label, number in numbers.items()}
    return parts | series
