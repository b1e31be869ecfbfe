"""accuracy against the bytes that all members sent, a line a number of workers, its points named by the algorithm's variant"""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import drawn
import names
import style
import units
from results import ResultError, Row, read_rows

DEFAULT_WIDTH = "single"

_COLUMNS = ["model", "algorithm", "workers", "accuracy", "sent_bytes_per_worker", "server_sent_bytes"]


def draw(results: list[str], width: str) -> Figure:
    rows = [row for row in read_rows(results, "summary.csv", _COLUMNS) if _is_point(row)]
    if not rows:
        raise ResultError(f"{results[0]}: column 'accuracy' is empty wherever bytes were sent")
    models = list(dict.fromkeys(row.text("model") for row in rows))
    figure, panels = style.panels([names.model(model) for model in models], width, height=2.6)
    labels = list(dict.fromkeys(_label(row) for row in rows))
    for axes, model in zip(panels, models):
        _draw_panel(axes, [row for row in rows if row.text("model") == model], labels)
    style.finish(figure, panels)
    return figure


def _is_point(row: Row) -> bool:
    return row.number("accuracy") is not None and (row.number("sent_bytes_per_worker") or 0) > 0


def _label(row: Row) -> str:
    return names.label(names.algorithm(_algorithm(row)), names.counted(row.count("workers"), "workers"))


def _algorithm(row: Row) -> str:
    return names.split_algorithm(row.text("algorithm"))[0]


def _variant(row: Row) -> str:
    return names.split_algorithm(row.text("algorithm"))[1]


def _sent(row: Row) -> float:
    return row.number("sent_bytes_per_worker") * row.count("workers") + (row.number("server_sent_bytes") or 0)


def _draw_panel(axes: Axes, rows: list[Row], labels: list[str]) -> None:
    unit, scale = units.fitting(max(map(_sent, rows)), units.BYTES)
    for number, label in enumerate(labels):
        points = [(_sent(row) / scale, 100 * row.number("accuracy"), _variant(row))
                  for row in sorted(rows, key=_variant) if _label(row) == label]
        if not points:
            continue
        (line,) = axes.plot([x for x, _, _ in points], [y for _, y, _ in points], label=label, **style.line(number))
        drawn.name_points(line, [variant for _, _, variant in points])
        for x, y, variant in points:
            axes.annotate(variant, (x, y), xytext=(0, 4.5), textcoords="offset points", ha="center",
                          fontsize=style.SMALL)
    axes.set_xlabel(f"sent by all members ({unit})")
    axes.set_ylabel("accuracy (%)")
    axes.set_xlim(left=0)
