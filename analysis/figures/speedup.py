"""speed-up against workers, a panel a model, with the ideal line (the layout of the 2019 thesis' Figures 4.1-4.4)"""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import style
from figures.lines import draw_lines, finish, tell_missing
from series import Series, read_series

DEFAULT_WIDTH = "double"


def draw(results: list[str], width: str) -> Figure:
    models = read_series(results, ["speedup"])
    figure, panels = draw_lines(models, "speedup", width)
    for axes, series in zip(panels, models.values()):
        _add_ideal(axes, series)
        _add_bound(axes, series)
        axes.set_ylabel("speed-up")
    return tell_missing(finish(figure, panels), models, "speedup", "speed-up")


def _add_ideal(axes: Axes, all_series: list[Series]) -> None:
    workers = [workers for series in all_series for workers in series.rows]
    least, most = min(workers), max(workers)
    axes.plot([least, most], [least, most], label="ideal", **style.IDEAL, **(style.IDEAL_POINT if least == most else {}))
    axes.set_ylim(top=max(most, axes.get_ylim()[1]))


def _add_bound(axes: Axes, all_series: list[Series]) -> None:
    """The most that any all-reduce allows: an iteration computes as one worker does, or all-reduces, if that is longer.

    Only where the results know a platform's bound, and the series agree on it.
    """
    bounds: dict[int, set[float]] = {}
    for series in all_series:
        for workers, row in series.rows.items():
            bound = row.number("all_reduce_bound_s") if "all_reduce_bound_s" in row.cells else None
            speedup, iteration = row.number("speedup"), row.number("iteration_s") if bound else None
            if bound and speedup and iteration:
                alone = iteration * speedup / workers
                bounds.setdefault(workers, set()).add(float(f"{workers * min(1, alone / bound):.4g}"))
    if bounds and all(len(values) == 1 for values in bounds.values()):
        points = sorted((workers, values.pop()) for workers, values in bounds.items())
        axes.plot(*zip(*points), color="black", linestyle=(0, (5, 2)), linewidth=0.8, label="bound of any all-reduce",
                  marker="_" if len(points) == 1 else None, markersize=18, zorder=2.5)  # thin, above what may lie on it
