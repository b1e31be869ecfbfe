"""predicted and measured side by side: iteration time and speed-up, the error written at each pair"""

from itertools import groupby

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import style
import units
from results import ResultError, Row, read_rows
from series import algorithm_name

DEFAULT_WIDTH = "double"

_COLUMNS = ["quantity", "algorithm", "model", "workers", "predicted", "measured", "error_percent"]
_QUANTITIES = ["iteration_s", "speedup"]
_BAR = 0.4  # of the distance between two pairs
_GAP = 0.4  # more between two algorithms
_MOST_LEVEL_LABELS = 8  # pairs in a panel; with more, errors are written upright


def draw(results: list[str], width: str) -> Figure:
    rows = read_rows(results, "comparison.csv", _COLUMNS)
    charts = _charts(rows)
    if not charts:
        wanted = " or ".join(_QUANTITIES)
        raise ResultError(f"{rows[0].file}: column 'quantity' has no {wanted} with both figures")
    several = len({model for model, _ in charts}) > 1
    figure, panels = style.panels([model if several else "" for model, _ in charts], width,
                                  columns=1 if width == "single" else 2, height=2.2)
    for axes, ((_, quantity), pairs) in zip(panels, charts.items()):
        _draw_pairs(axes, pairs, quantity)
    style.legend(figure, style.labelled(panels))
    return figure


def _charts(rows: list[Row]) -> dict[tuple[str, str], list[Row]]:
    """The pairs of each panel: by model, then by quantity."""
    charts: dict[tuple[str, str], list[Row]] = {}
    for model in dict.fromkeys(row.text("model") for row in rows):
        for quantity in _QUANTITIES:
            pairs = [row for row in rows if row.text("model") == model
                     and row.text("quantity") == quantity and _is_pair(row)]
            if pairs:
                order = list(dict.fromkeys(row.text("algorithm") for row in pairs))
                charts[model, quantity] = sorted(
                    pairs, key=lambda row: (order.index(row.text("algorithm")), row.count("workers")))
    return charts


def _is_pair(row: Row) -> bool:
    return row.number("predicted") is not None and row.number("measured") is not None


def _draw_pairs(axes: Axes, pairs: list[Row], quantity: str) -> None:
    most = max(row.number(side) for row in pairs for side in ("predicted", "measured"))
    unit, scale = units.fitting(most, units.SECONDS) if quantity == "iteration_s" else ("", 1)
    at = _positions(pairs)
    look = {"width": _BAR, "edgecolor": "black", "linewidth": 0.5}
    axes.bar([x - _BAR / 2 for x in at], [row.number("predicted") / scale for row in pairs],
             color=style.BLUE, label="predicted", **look)
    axes.bar([x + _BAR / 2 for x in at], [row.number("measured") / scale for row in pairs],
             color=style.ORANGE, hatch="////", label="measured", **look)
    _write_errors(axes, at, pairs, scale)
    _write_names(axes, at, pairs)
    axes.set_ylabel(f"iteration time ({unit})" if unit else "speed-up")
    axes.set_ylim(0, 1.12 * most / scale)  # room for the error above the highest bar


def _positions(pairs: list[Row]) -> list[float]:
    """One apart, and a gap between algorithms."""
    algorithms = list(dict.fromkeys(row.text("algorithm") for row in pairs))
    return [i + _GAP * algorithms.index(row.text("algorithm")) for i, row in enumerate(pairs)]


def _write_errors(axes: Axes, at: list[float], pairs: list[Row], scale: float) -> None:
    for x, row in zip(at, pairs):
        error = row.number("error_percent")
        if error is not None:
            top = max(row.number("predicted"), row.number("measured")) / scale
            text = f"{error:+.1f} %".replace("-", "\N{MINUS SIGN}")
            axes.annotate(text, (x, top), xytext=(0, 2), textcoords="offset points", ha="center",
                          fontsize=style.SMALL, rotation=90 if len(pairs) > _MOST_LEVEL_LABELS else 0)


def _write_names(axes: Axes, at: list[float], pairs: list[Row]) -> None:
    """Workers at each pair, and under them each algorithm's name once."""
    axes.set_xticks(at, [str(row.count("workers")) for row in pairs])
    axes.set_xlabel("workers", labelpad=14)
    for algorithm, group in groupby(zip(at, pairs), key=lambda one: one[1].text("algorithm")):
        places = [x for x, _ in group]
        axes.annotate(algorithm_name(algorithm), (sum(places) / len(places), 0),
                      xycoords=("data", "axes fraction"), xytext=(0, -14), textcoords="offset points",
                      ha="center", va="top", fontsize=style.SMALL)
