"""bytes that a worker and all servers send in an iteration against workers, a panel a model"""

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import names
import style
import units
from series import Series, read_series

DEFAULT_WIDTH = "double"

Line = tuple[str, str, tuple[list[int], list[float]]]  # its label, its algorithm, workers and bytes


def draw(results: list[str], width: str) -> Figure:
    models = read_series(results, ["sent_bytes_per_worker", "iterations"])
    figure, panels = style.panels([names.model(model) for model in models], width)
    by_factors = style.grows_by_factors({n for all_series in models.values() for series in all_series for n in series.rows})
    lines = [_lines(all_series) for all_series in models.values()]
    numbers = style.styles([(label, algorithm) for of_model in lines for label, algorithm, _ in of_model])
    for axes, of_model in zip(panels, lines):
        _draw_panel(axes, of_model, numbers, by_factors)
    style.finish(figure, panels)
    if any(axes.get_yscale() == "symlog" for axes in panels):
        style.note(figure, ["Below its least power of ten an axis is linear."])
    return figure


def _lines(all_series: list[Series]) -> list[Line]:
    lines = [(f"{s.label}: a worker", s.algorithm, _points(s, "sent_bytes_per_worker")) for s in all_series]
    return lines + [(f"{s.label}: all servers", "server", _points(s, "server_sent_bytes")) for s in all_series]


def _draw_panel(axes: Axes, lines: list[Line], numbers: dict[str, int], by_factors: bool) -> None:
    unit, scale = units.fitting(max(b for _, _, (_, sent) in lines for b in [0, *sent]), units.BYTES)
    for label, _, (workers, sent) in lines:
        if workers:
            axes.plot(workers, [b / scale for b in sent], label=label, **style.line(numbers[label]))
    style.workers_axis(axes, by_factors)
    axes.set_ylabel(f"sent per iteration ({unit})")
    measured = [b for _, _, (_, sent) in lines for b in sent if b > 0]
    if by_factors and measured and max(measured) > 10 * min(measured):
        if len(measured) < sum(len(sent) for _, _, (_, sent) in lines):  # who sends nothing has a place too
            axes.set_yscale("symlog", linthresh=10 ** math.floor(math.log10(min(measured) / scale)), linscale=0.5)
            axes.set_ylim(bottom=0)
        else:
            axes.set_yscale("log")
        style.name_powers(axes.yaxis)
    else:
        axes.set_ylim(bottom=0)


def _points(series: Series, column: str) -> tuple[list[int], list[float]]:
    """Workers and bytes an iteration; nothing where the algorithm has no server, or the file no such column."""
    if not all(column in row.cells for row in series.rows.values()):
        return [], []
    workers, sent = series.points(column)
    return workers, [b / series.rows[n].count("iterations") for n, b in zip(workers, sent)]
