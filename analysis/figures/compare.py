"""predicted and measured side by side: iteration time, speed-up, exposed communication and bytes, the error written at each pair, repeats
as error bars"""

from itertools import groupby

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import names
import style
import units
from bar_names import BarNames, length
from results import ResultError, Row, read_rows

DEFAULT_WIDTH = "double"

_COLUMNS = ["quantity", "algorithm", "model", "workers", "predicted", "measured", "error_percent",
            "repeats", "measured_low", "measured_high"]
# What the axis of each is called, and the units that it may have.
_QUANTITIES = {
    "iteration_s": ("iteration time", units.SECONDS),
    "speedup": ("speed-up", [("", 1)]),
    "exposed_communication_s": ("exposed communication", units.SECONDS),
    "sent_bytes_per_worker": ("sent per worker", units.BYTES),
}
# Of these a worker alone has next to nothing, whose error says nothing: none is written below this share of the highest bar.
_OF_SEVERAL_WORKERS = ["exposed_communication_s", "sent_bytes_per_worker"]
_LEAST = 0.005
_BAR = 0.4  # of the distance between two pairs
_GAP = 0.4  # more between two algorithms
_MARGIN = 0.6  # inches beside the bars of a panel, at least: its ticks and label


def draw(results: list[str], width: str) -> Figure:
    rows = read_rows(results, "comparison.csv", _COLUMNS)
    charts = _charts(rows)
    if not charts:
        *first, last = _QUANTITIES
        wanted = f"{', '.join(first)} or {last}"
        raise ResultError(f"{rows[0].file}: column 'quantity' has no {wanted} with both figures")
    several = len({model for model, _ in charts}) > 1
    columns = 1 if width == "single" else 2
    room = style.WIDTHS[width] / min(columns, len(charts)) - _MARGIN
    pitches = [_pitch(pairs, room) for pairs in charts.values()]
    below = [_Names(pairs, pitch) for pairs, pitch in zip(charts.values(), pitches)]
    upright = any(map(_are_crowded, charts.values(), pitches))  # in all panels alike
    figure, panels = style.panels([names.model(model) if several else "" for model, _ in charts], width, columns,
                                  height=2.1 + max(one.height for one in below))
    for axes, one, ((_, quantity), pairs) in zip(panels, below, charts.items()):
        _draw_pairs(axes, pairs, quantity, upright)
        one.write(axes)
    style.legend(figure, style.labelled(panels))
    style.note(figure, ["Percentages: error of the prediction."])
    return figure


def _charts(rows: list[Row]) -> dict[tuple[str, str], list[Row]]:
    """The pairs of each panel: by model, then by quantity."""
    charts: dict[tuple[str, str], list[Row]] = {}
    for model in dict.fromkeys(row.text("model") for row in rows):
        for quantity in _QUANTITIES:
            pairs = [row for row in rows if row.text("model") == model
                     and row.text("quantity") == quantity and _is_pair(row)]
            if pairs and max(map(_top, pairs)) > 0:
                order = list(dict.fromkeys(row.text("algorithm") for row in pairs))
                charts[model, quantity] = sorted(
                    pairs, key=lambda row: (order.index(row.text("algorithm")), row.count("workers")))
    return charts


def _is_pair(row: Row) -> bool:
    return row.number("predicted") is not None and row.number("measured") is not None


def _draw_pairs(axes: Axes, pairs: list[Row], quantity: str, upright: bool) -> None:
    most = max(_top(row) for row in pairs)
    name, its_units = _QUANTITIES[quantity]
    unit, scale = units.fitting(most, its_units)
    at = _positions(pairs)
    look = {"width": _BAR, "edgecolor": "black", "linewidth": 0.5}
    for of, beside, own in (("predicted", -_BAR / 2, {"color": style.BLUE}),
                            ("measured", _BAR / 2, {"color": style.ORANGE, "hatch": "////"})):
        bars = axes.bar([x + beside for x in at], [row.number(of) / scale for row in pairs], label=of, **own, **look)
        for bar, row in zip(bars, pairs):
            bar.set_gid(f"{names.algorithm(row.text('algorithm'))}: {of}")
    _draw_spreads(axes, pairs, [x + _BAR / 2 for x in at], scale)
    _write_errors(axes, pairs, scale, upright)
    axes.set_xticks(at, [str(row.count("workers")) for row in pairs])
    axes.set_ylabel(f"{name} ({unit})" if unit else name)
    axes.set_ylim(0, 1.12 * most / scale)  # room for the error above the highest bar


def _draw_spreads(axes: Axes, pairs: list[Row], at: list[float], scale: float) -> None:
    """From the least to the most of the repeats, where there were several."""
    for algorithm in dict.fromkeys(row.text("algorithm") for row in pairs):
        spread = [(x, row) for x, row in zip(at, pairs) if row.text("algorithm") == algorithm and row.count("repeats") > 1]
        middle, low, high = ([row.number(column) / scale for _, row in spread]
                             for column in ("measured", "measured_low", "measured_high"))
        style.spreads(axes, f"{names.algorithm(algorithm)}: measured", [x for x, _ in spread], middle, low, high, color="black",
                      label="least to most of repeats")


def _top(row: Row) -> float:
    """Of what is drawn of a pair."""
    return max(row.number("predicted"), row.number("measured"), row.number("measured_high") or 0)


def _positions(pairs: list[Row]) -> list[float]:
    """One apart, and a gap between algorithms."""
    algorithms = list(dict.fromkeys(row.text("algorithm") for row in pairs))
    return [i + _GAP * algorithms.index(row.text("algorithm")) for i, row in enumerate(pairs)]


def _pitch(pairs: list[Row], room: float) -> float:
    """Inches from a pair to the next where the bars are `room` inches wide."""
    return room / (_positions(pairs)[-1] + 1)


def _are_crowded(pairs: list[Row], pitch: float) -> bool:
    """Whether the errors have no room beside each other."""
    at = _positions(pairs)
    texts = _errors(pairs)
    return any(length(f"{a}{b} ") / 2 > (right - left) * pitch
               for a, b, left, right in zip(texts, texts[1:], at, at[1:]))


def _write_errors(axes: Axes, pairs: list[Row], scale: float, upright: bool) -> None:
    """Above the bars: level where they have room beside each other, else upright."""
    for x, row, text in zip(_positions(pairs), pairs, _errors(pairs)):
        if text:
            axes.annotate(text, (x, _top(row) / scale), xytext=(0, 2), textcoords="offset points", ha="center",
                          fontsize=style.SMALL, rotation=90 if upright else 0)


def _errors(pairs: list[Row]) -> list[str]:
    least = _LEAST * max(map(_top, pairs)) if pairs[0].text("quantity") in _OF_SEVERAL_WORKERS else 0
    return [_error(row) if _top(row) >= least else "" for row in pairs]


def _error(row: Row) -> str:
    error = row.number("error_percent")
    if error is None:
        return ""
    text = f"{error:+.1f}"
    return "0.0 %" if float(text) == 0 else f"{text} %".replace("-", "\N{MINUS SIGN}")


class _Names:
    """The algorithms' names under their pairs in a panel."""

    def __init__(self, pairs: list[Row], pitch: float):
        placed = zip(_positions(pairs), pairs)
        groups = [list(group) for _, group in groupby(placed, key=lambda one: one[1].text("algorithm"))]
        algorithms = [names.algorithm(group[0][1].text("algorithm")) for group in groups]
        self._middles = [(group[0][0] + group[-1][0]) / 2 for group in groups]
        self._names = BarNames(algorithms, [len(group) * pitch for group in groups])
        self.height = self._names.height

    def write(self, axes: Axes) -> None:
        for middle, text in zip(self._middles, self._names.texts):
            axes.annotate(text, (middle, 0), xycoords=("data", "axes fraction"), xytext=(0, -14),
                          textcoords="offset points", ha="center", va="top", fontsize=style.SMALL, rotation=self._names.rotation)
        axes.set_xlabel("workers", labelpad=72 * self.height + 5)
