"""speed-up against workers, a panel a model, with the ideal line (the layout of the 2019 thesis' Figures 4.1-4.4)"""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import style
from figures.lines import draw_lines
from series import Series, read_series

DEFAULT_WIDTH = "double"


def draw(results: list[str], width: str) -> Figure:
    models = read_series(results, ["speedup"])
    figure, panels = draw_lines(models, "speedup", width)
    for axes, series in zip(panels, models.values()):
        _add_ideal(axes, series)
        axes.set_ylabel("speed-up")
    style.drop_repeated_labels(panels)
    style.legend(figure, style.labelled(panels))
    return figure


def _add_ideal(axes: Axes, all_series: list[Series]) -> None:
    most = max(workers for series in all_series for workers in series.rows)
    axes.plot([1, most], [1, most], color=style.GREY, linestyle=":", linewidth=0.8, label="ideal",
              zorder=0)
    axes.set_ylim(top=max(most, axes.get_ylim()[1]))
