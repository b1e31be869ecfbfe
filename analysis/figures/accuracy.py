"""accuracy during training against iterations, seconds and the bytes that all members sent, a row of panels a model"""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import names
import style
import units
from point_styles import point_styles
from point_tables import Point, holding, read_point_tables
from results import ResultError, Row
from runs import read_points

DEFAULT_WIDTH = "double"

# What accuracy is drawn over: its column, its axis' label, and its units.
_OVER = {"iteration": ("iterations", None), "time_s": ("time", units.SECONDS), "sent_bytes": ("sent by all members", units.BYTES)}


def draw(results: list[str], width: str) -> Figure:
    held, lacking = holding(results, "accuracy.csv")
    runs = _read(held)
    models = list(dict.fromkeys(run.model for run in runs))
    over = [column for column in _OVER if any(row.number(column) is not None for run in runs for row in run.rows.values())]
    titles = [names.model(model) for model in models for _ in over]
    figure, panels = style.panels(titles, width, columns={"single": 1, "double": len(over)}[width], height=1.7)
    numbers = point_styles(runs)
    free = iter(panels)
    for model in models:
        for column in over:
            _draw_panel(next(free), [run for run in runs if run.model == model], numbers, column)
    style.finish(figure, panels)
    for result in lacking:
        style.caution(figure, f"{result}: holds no accuracy.csv, and is not in the figure.")
    return figure


def _read(results: list[str]) -> list[Point]:
    runs = read_point_tables(results, "accuracy.csv", "iteration", [*_OVER, "accuracy"], _why_none)
    rows = [row for run in runs for row in run.rows.values()]
    if all(row.number("accuracy") is None for row in rows):
        raise ResultError(f"{rows[0].file}: column 'accuracy' is empty in every row")
    return runs


def _why_none(folder: Path, rows: list[Row]) -> str:
    if all(row.cells.get("world") == "simulated" for row in rows):
        return "simulations train nothing; tandem run writes it where the scenario says evaluate_every"
    if (folder / "run.json").is_file() and any("evaluate_every" in point["scenario"] for point in read_points(str(folder))):
        return "no accuracy was tested"
    return "the scenario doesn't say evaluate_every, the iterations from one test of accuracy to the next; run it with --set evaluate_every=N"


def _draw_panel(axes: Axes, runs: list[Point], numbers: dict[str, int], column: str) -> None:
    name, known = _OVER[column]
    most = max((row.number(column) or 0 for run in runs for row in run.rows.values()), default=0)
    unit, scale = units.fitting(most, known) if known else ("", 1)
    for run in runs:
        points = [(row.number(column) / scale, 100 * row.number("accuracy")) for row in run.rows.values()
                  if row.number(column) is not None and row.number("accuracy") is not None]
        if points:
            axes.plot(*zip(*points), label=run.label, **style.line_through(len(points), numbers[run.label]))
    axes.set(xlabel=f"{name} ({unit})" if unit else name, ylabel="accuracy (%)")
    axes.set_xlim(left=0)
