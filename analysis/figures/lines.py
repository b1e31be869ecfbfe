"""What the figures of lines over workers share: a panel a model, a line a series."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import style
from series import Series


def draw_lines(models: dict[str, list[Series]], column: str, width: str) -> tuple[Figure, list[Axes]]:
    """Panels with a line of `column` over workers for every series that measured it."""
    figure, panels = style.panels(list(models), width)
    numbers = style.styles([(s.label, s.algorithm) for all_series in models.values() for s in all_series])
    for axes, all_series in zip(panels, models.values()):
        for series in all_series:
            workers, figures = series.points(column)
            if workers:
                axes.plot(workers, figures, label=series.label, **style.line(numbers[series.label]))
        style.workers_axis(axes)
        axes.set_ylim(bottom=0)
    return figure, panels
