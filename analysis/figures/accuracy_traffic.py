"""accuracy against the bytes that all members sent, a line a number of workers, its points named by the algorithm's variant where it has several"""

import dataclasses
import math
from collections import Counter, defaultdict
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import drawn
import names
import style
import units
from point_styles import point_styles
from point_tables import point_of, shared_cells, with_traits
from results import ResultError, Row, read_rows
from series import on_platforms, telling, trait_words

DEFAULT_WIDTH = "single"

_COLUMNS = ["model", "algorithm", "workers", "accuracy", "sent_bytes_per_worker", "server_sent_bytes"]
_SENT = "sent by all members"
_TIMED = f"{_SENT} in timed iterations"  # where that is all that is known of some


def draw(results: list[str], width: str) -> Figure:
    rows = [row for row in on_platforms(_with_all_sent(read_rows(results, "summary.csv", _COLUMNS))) if _is_point(row)]
    if not rows:
        raise ResultError(f"{results[0]}: column 'accuracy' is empty wherever bytes were counted")
    models = list(dict.fromkeys(row.text("model") for row in rows))
    figure, panels = style.panels([names.model(model) for model in models], width, height=2.6)
    labels = _labels(rows)
    numbers = point_styles([dataclasses.replace(point_of(row, row.folder), label=label) for row, label in zip(rows, labels)])
    column = "all_sent_bytes" if all(row.cells["all_sent_bytes"] for row in rows) else "timed_sent_bytes"
    for axes, model in zip(panels, models):
        _draw_panel(axes, _lines(model, rows, labels), numbers, column)
    style.finish(figure, panels)
    return figure


def _with_all_sent(rows: list[Row]) -> list[Row]:
    """With what all members sent in timed iterations, and, as accuracy.csv beside a row's file has it, from the start on."""
    of_files: dict[Path, dict[tuple, str]] = {}
    counts: Counter[Path] = Counter()
    more = []
    for row in rows:
        if row.file not in of_files:
            of_files[row.file] = _all_sent(row.file.parent / "accuracy.csv")
        counts[row.file] += 1
        point = str(counts[row.file])
        sent = {"point": point, "all_sent_bytes": of_files[row.file].get((point, *shared_cells(row)), ""), "timed_sent_bytes": ""}
        if row.number("sent_bytes_per_worker") is not None:
            of_workers = row.number("sent_bytes_per_worker") * row.count("workers")
            sent["timed_sent_bytes"] = repr(of_workers + (row.number("server_sent_bytes") or 0))
        more.append(dataclasses.replace(row, cells=row.cells | sent))
    return more


def _all_sent(file: Path) -> dict[tuple, str]:
    """By point and what summary.csv has of it too, where that is known, at its last row, of the final weights."""
    rows = with_traits(read_rows([str(file)], file.name, ["iteration", "sent_bytes"])) if file.is_file() else []
    for row in rows:
        row.number("sent_bytes")
    return {(row.cells["point"], *shared_cells(row)): row.cells["sent_bytes"] for row in rows if "point" in row.cells}


def _is_point(row: Row) -> bool:
    return row.number("accuracy") is not None and row.number("sent_bytes_per_worker") is not None


def _labels(rows: list[Row]) -> list[str]:
    """Of each row: the algorithm, with its variant where the line has no other, and of workers and other traits those that tell a model's rows apart."""
    of_models: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        of_models[row.text("model")].append(row)
    told = {model: telling(of_model, _algorithm) for model, of_model in of_models.items()}
    several = {model: len({row.count("workers") for row in of_model if _algorithm(row) != "none"}) > 1 for model, of_model in of_models.items()}

    def traits(row: Row) -> list[str]:
        says_workers = several[row.text("model")] and _algorithm(row) != "none"
        return [names.counted(row.count("workers"), "workers") if says_workers else "", *trait_words(row, told[row.text("model")][_algorithm(row)])]

    lines = [(row.text("model"), names.label(names.algorithm(_algorithm(row)), *traits(row))) for row in rows]
    variants: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row, line in zip(rows, lines):
        variants[line].add(row.text("algorithm"))
    return [label if len(variants[model, label]) > 1 else names.label(names.algorithm(row.text("algorithm")), *traits(row))
            for row, (model, label) in zip(rows, lines)]


def _lines(model: str, rows: list[Row], labels: list[str]) -> dict[str, list[Row]]:
    """By label, in the order of the algorithm's variants, of which a line has one each."""
    lines: dict[str, dict[str, Row]] = defaultdict(dict)
    for row, label in zip(rows, labels):
        if row.text("model") != model:
            continue
        first = lines[label].setdefault(_variant(row), row)
        if first is not row:
            raise row.error("algorithm", f"repeats {row.cells['algorithm']} of {first.file}:{first.line} for {label}")
    return {label: [of_label[variant] for variant in sorted(of_label, key=_order)] for label, of_label in lines.items()}


def _order(variant: str) -> tuple[float, str]:
    number = variant.split(" ")[0]
    return (int(number) if number.isdigit() else math.inf), variant


def _algorithm(row: Row) -> str:
    return names.split_algorithm(row.text("algorithm"))[0]


def _variant(row: Row) -> str:
    return names.split_algorithm(row.text("algorithm"))[1]


def _draw_panel(axes: Axes, lines: dict[str, list[Row]], numbers: dict[str, int], column: str) -> None:
    unit, scale = units.fitting(max(row.known_number(column) for rows in lines.values() for row in rows), units.BYTES)
    for label, rows in lines.items():
        points = [(row.known_number(column) / scale, 100 * row.number("accuracy"), names.variant(row.text("algorithm")))
                  for row in rows]
        look = style.line_through(len(points), numbers[label])
        (line,) = axes.plot([x for x, _, _ in points], [y for _, y, _ in points], label=label, **look)
        drawn.name_points(line, [variant for _, _, variant in points])
        for (x, y, _), text in zip(points, _texts(rows) if len(points) > 1 else []):
            axes.annotate(text, (x, y), xytext=(0, 4.5), textcoords="offset points", ha="center",
                          fontsize=style.SMALL)
    axes.set_xlabel(f"{_SENT if column == 'all_sent_bytes' else _TIMED} ({unit})")
    axes.set_ylabel("accuracy (%)")
    axes.set_xlim(left=0)


def _texts(rows: list[Row]) -> list[str]:
    """The variant at each point of a line: the first says what it counts, "1 pass", the others need not: "2", "all"."""
    return [names.variant(rows[0].text("algorithm")), *(_variant(row) for row in rows[1:])]
