"""accuracy during training against iterations, seconds and the bytes that all members sent, a row of panels a model"""

from dataclasses import dataclass, field

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import names
import style
import units
from results import ResultError, Row, read_rows

DEFAULT_WIDTH = "double"

# What accuracy is drawn over: its column, its axis' label, and its units.
_OVER = {"iteration": ("iterations", None), "time_s": ("time", units.SECONDS), "sent_bytes": ("sent by all members", units.BYTES)}
_TRAITS = ["algorithm", "workers", "batch_size", "variant"]


@dataclass
class _Run:
    """What one run learned."""

    model: str
    traits: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)


def draw(results: list[str], width: str) -> Figure:
    runs = _read(results)
    models = list(dict.fromkeys(run.model for run in runs))
    over = [column for column in _OVER if any(row.number(column) is not None for run in runs for row in run.rows)]
    titles = [names.model(model) for model in models for _ in over]
    figure, panels = style.panels(titles, width, columns={"single": 1, "double": len(over)}[width], height=1.7)
    labels = _labels(runs)
    numbers = style.styles([(label, run.traits[0]) for label, run in zip(labels, runs)])
    free = iter(panels)
    for model in models:
        for column in over:
            _draw_panel(next(free), [(label, run, numbers[label]) for label, run in zip(labels, runs) if run.model == model], column)
    style.finish(figure, panels)
    return figure


def _read(results: list[str]) -> list[_Run]:
    """In the order of the files; a run is the rows of one point, which follow each other."""
    found: list[_Run] = []
    for result, folder in zip(results, names.apart(results)):
        own: dict[tuple[str, ...], _Run] = {}
        for row in read_rows([result], "accuracy.csv", ["model", *_TRAITS, *_OVER, "accuracy"]):
            cells = tuple(row.cells[trait] for trait in _TRAITS)
            run = own.setdefault((row.text("model"), *cells), _Run(row.text("model"), (*cells, folder)))
            run.rows.append(row)
        found += own.values()
    if all(row.number("accuracy") is None for run in found for row in run.rows):
        raise ResultError(f"{found[0].rows[0].file}: column 'accuracy' is empty in every row")
    return found


def _labels(runs: list[_Run]) -> list[str]:
    """The algorithm, and of the other traits those that differ; the result's folder where none of them tells two runs apart."""
    plain = [run.traits[:-1] for run in runs]
    alike = len(set(zip((run.model for run in runs), plain))) < len(runs)
    labels = []
    for run in runs:
        words = [names.algorithm(run.traits[0])]
        for i, trait in enumerate(_TRAITS[1:], start=1):
            if len({one[i] for one in plain}) > 1:
                words.append(names.counted(run.traits[i], "workers") if trait == "workers" else names.trait(trait, run.traits[i]))
        labels.append(names.label(*words, run.traits[-1] if alike else ""))
    return labels


def _draw_panel(axes: Axes, runs: list[tuple[str, _Run, int]], column: str) -> None:
    name, known = _OVER[column]
    most = max((row.number(column) or 0 for _, run, _ in runs for row in run.rows), default=0)
    unit, scale = units.fitting(most, known) if known else ("", 1)
    for label, run, number in runs:
        points = [(row.number(column) / scale, 100 * row.number("accuracy")) for row in run.rows
                  if row.number(column) is not None and row.number("accuracy") is not None]
        if points:
            axes.plot(*zip(*points), label=label, **style.line(number))
    axes.set(xlabel=f"{name} ({unit})" if unit else name, ylabel="accuracy (%)")
    axes.set_xlim(left=0)
