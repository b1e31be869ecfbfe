"""training throughput (images/s) against workers, a panel a model"""

from matplotlib.figure import Figure

from figures.lines import draw_lines, finish
from series import read_series

DEFAULT_WIDTH = "double"


def draw(results: list[str], width: str) -> Figure:
    models = read_series(results, ["images_per_s"])
    figure, panels = draw_lines(models, "images_per_s", width)
    for axes in panels:
        axes.set_ylabel("images/s")
    return finish(figure, panels)
