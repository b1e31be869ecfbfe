"""scaling efficiency, speed-up over workers, against workers, a panel a model"""

from matplotlib.figure import Figure

import style
from figures.lines import draw_lines, finish, tell_missing
from series import read_series

DEFAULT_WIDTH = "double"


def draw(results: list[str], width: str) -> Figure:
    models = read_series(results, ["efficiency"])
    figure, panels = draw_lines(models, "efficiency", width, scale=100, grows=False)
    for axes in panels:
        axes.axhline(100, label="ideal", **style.IDEAL)
        axes.set_ylim(top=max(105, axes.get_ylim()[1]))
        axes.set_ylabel("efficiency (%)")
    return tell_missing(finish(figure, panels), models, "efficiency", "efficiency")
