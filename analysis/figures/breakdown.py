"""an iteration's computing time and exposed communication against workers, a panel a model"""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import style
import units
from series import Series, read_series

DEFAULT_WIDTH = "double"


def draw(results: list[str], width: str) -> Figure:
    models = read_series(results, ["compute_s", "exposed_communication_s"])
    figure, panels = style.panels(list(models), width)
    numbers = style.styles([(s.label, s.algorithm) for all_series in models.values() for s in all_series])
    for axes, all_series in zip(panels, models.values()):
        unit, scale = units.fitting(max(map(_longest, all_series)), units.SECONDS)
        for position, series in enumerate(all_series):
            _add_bars(axes, series, position, len(all_series), numbers[series.label], scale)
        style.workers_axis(axes)
        axes.set_ylabel(f"time per iteration ({unit})")
    style.drop_repeated_labels(panels)
    style.legend(figure, panels)
    return figure


def _longest(series: Series) -> float:
    return max(series.points("compute_s")[1] + series.points("exposed_communication_s")[1], default=0)


def _add_bars(axes: Axes, series: Series, position: int, of: int, number: int, scale: float) -> None:
    """Stacked bars beside those of the other series; colours tell the parts, hatches the series."""
    workers, compute_s = series.points("compute_s")
    compute = [time / scale for time in compute_s]
    exposed = [(series.rows[n].number("exposed_communication_s") or 0) / scale for n in workers]
    width = 0.8 / of
    at = [n + (position - (of - 1) / 2) * width for n in workers]
    look = {"width": width, "edgecolor": "black", "linewidth": 0.4, "hatch": style.hatch(number)}
    axes.bar(at, compute, color=style.SKY, label=f"{series.label}: compute", **look)
    axes.bar(at, exposed, bottom=compute, color=style.ORANGE,
             label=f"{series.label}: exposed communication", **look)
