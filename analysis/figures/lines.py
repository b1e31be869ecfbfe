"""What the figures of lines over workers share: a panel a model, a line a series."""

from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

import names
import style
from series import Series


def draw_lines(models: dict[str, list[Series]], column: str, width: str, scale: float = 1,
               grows: bool = True) -> tuple[Figure, list[Axes]]:
    """Panels with a line of `column`, times `scale`, over workers for every series that measured it.

    Where the workers are spaced by factors, so is the axis; and the other, if the column `grows` as they do.
    """
    figure, panels = style.panels([names.model(model) for model in models], width)
    numbers = style.styles([(s.label, s.algorithm) for all_series in models.values() for s in all_series])
    by_factors = style.grows_by_factors({n for all_series in models.values() for series in all_series for n in series.rows})
    for axes, all_series in zip(panels, models.values()):
        for series in all_series:
            workers, figures = series.points(column)
            if workers:
                look = style.line(numbers[series.label])
                axes.plot(workers, [scale * y for y in figures], label=series.label, **look)
                banded, *bands = series.bands(column)
                style.spreads(axes, series.label, banded, *([scale * y for y in band] for band in bands), color=look["color"])
        style.workers_axis(axes, by_factors)
        if by_factors and grows and not style.is_of_one(axes):
            style.doublings(axes.yaxis)
        else:
            axes.set_ylim(bottom=0)
    return figure, panels


def finish(figure: Figure, panels: list[Axes]) -> Figure:
    """Once everything is in the panels: the legend, and what their error bars are."""
    style.finish(figure, panels)
    if any(isinstance(container, ErrorbarContainer) for axes in panels for container in axes.containers):
        style.note(figure, ["Error bars: 10 % and 90 % quantiles over the seeds."])
    return figure


def tell_missing(figure: Figure, models: dict[str, list[Series]], column: str, name: str) -> Figure:
    """Says where there are results without the figure, which compares them with one worker of the same kind."""
    missing = [f"{series.label} with {workers} workers" for all_series in models.values() for series in all_series
               for workers, row in sorted(series.rows.items()) if row.number(column) is None]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        style.caution(figure, f"no {name} of {'; '.join(missing[:3])}{more}: no result has one worker on the same devices to compare with")
    return figure
