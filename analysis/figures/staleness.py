"""share of the updates that were so many updates stale, a panel a model"""

from matplotlib.figure import Figure

import names
import style
from results import Row, read_rows

DEFAULT_WIDTH = "single"


def draw(results: list[str], width: str) -> Figure:
    rows = read_rows(results, "staleness.csv", ["algorithm", "model", "workers", "variant", "staleness", "updates"])
    models = list(dict.fromkeys(row.text("model") for row in rows))
    numbers = style.styles([(_label(row), row.text("algorithm")) for row in rows])
    figure, panels = style.panels([names.model(model) for model in models], width)
    for axes, model in zip(panels, models):
        of_model = [row for row in rows if row.text("model") == model]
        for label in dict.fromkeys(map(_label, of_model)):
            updates = {row.number("staleness"): row.number("updates") for row in of_model if _label(row) == label}
            every = sum(updates.values())
            stale = sorted(updates)
            axes.plot(stale, [100 * updates[s] / every for s in stale], label=label, **style.line(numbers[label]))
        style.workers_axis(axes)
        axes.set_xlabel("staleness (updates of others)")
        axes.set_ylabel("share of updates (%)")
        axes.set_ylim(bottom=0)
    style.finish(figure, panels)
    return figure


def _label(row: Row) -> str:
    return names.label(names.algorithm(row.text("algorithm")), names.settings(row.cells["variant"]),
                       names.counted(row.count("workers"), "workers"))
