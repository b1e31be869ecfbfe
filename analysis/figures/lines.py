"""What the figures of lines over workers share: a panel a model, a line a series."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import names
import style
from series import Series


def draw_lines(models: dict[str, list[Series]], column: str, width: str,
               scale: float = 1) -> tuple[Figure, list[Axes]]:
    """Panels with a line of `column`, times `scale`, over workers for every series that measured it."""
    figure, panels = style.panels([names.model(model) for model in models], width)
    numbers = style.styles([(s.label, s.algorithm) for all_series in models.values() for s in all_series])
    for axes, all_series in zip(panels, models.values()):
        for series in all_series:
            workers, figures = series.points(column)
            if workers:
                look = style.line(numbers[series.label])
                axes.plot(workers, [scale * y for y in figures], label=series.label, **look)
                banded, *bands = series.bands(column)
                style.spreads(axes, banded, *([scale * y for y in band] for band in bands), color=look["color"])
        style.workers_axis(axes)
        axes.set_ylim(bottom=0)
    return figure, panels
