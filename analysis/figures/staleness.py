"""share of the updates that were so many updates stale, a panel a model"""

from pathlib import Path

from matplotlib.figure import Figure

import names
import style
from point_tables import Point, holding, read_point_tables
from results import Row

DEFAULT_WIDTH = "single"

_STALE = ["asynchronous_ps", "stale_ps", "elastic_averaging", "ad_psgd"]  # algorithms that count how stale updates are


def draw(results: list[str], width: str) -> Figure:
    held, lacking = holding(results, "staleness.csv")
    points = read_point_tables(held, "staleness.csv", "staleness", ["updates"], _why_none)
    models = list(dict.fromkeys(point.model for point in points))
    numbers = style.styles([(point.label, point.algorithm) for point in points])
    figure, panels = style.panels([names.model(model) for model in models], width)
    for axes, model in zip(panels, models):
        for point in points:
            if point.model == model:
                axes.plot(*_shares(point), label=point.label, **style.line(numbers[point.label]))
        style.workers_axis(axes)
        axes.set_xlabel("staleness (updates of others)")
        axes.set_ylabel("share of updates (%)")
        axes.set_ylim(bottom=0)
    style.finish(figure, panels)
    for result in lacking:
        style.caution(figure, f"{result}: holds no staleness.csv, and is not in the figure.")
    return figure


def _shares(point: Point) -> tuple[list[float], list[float]]:
    """Ascending; 0 next to what occurred, where it is between others and did not occur."""
    updates = {staleness: row.known_number("updates") for staleness, row in point.rows.items()}
    least, most, every = min(updates), max(updates), sum(updates.values()) or 1
    beside = {staleness + step for staleness in updates for step in (-1, 1)}
    stale = sorted({*updates, *(one for one in beside if least < one < most)})
    return stale, [100 * updates.get(one, 0) / every for one in stale]


def _why_none(_folder: Path, rows: list[Row]) -> str:
    found = list(dict.fromkeys(row.text("algorithm") for row in rows))
    if any(names.split_algorithm(name)[0] in _STALE for name in found):
        return "no update was counted"
    known = ", ".join(map(names.algorithm, _STALE[:-1]))
    return f"no update of {names.shortened(names.label(*map(names.algorithm, found)))} is stale; those of {known} and {names.algorithm(_STALE[-1])} may be"
