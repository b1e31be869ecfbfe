"""Tables of result files, whose columns tell by their names what they hold, and tables of a run's settings."""

import json
import math
from dataclasses import dataclass

import names
import units
from page.markup import NOTHING, Markup, element, together
from results import Row


@dataclass(frozen=True)
class Cell:
    """A cell's text, and the number that it stands for."""

    text: str
    value: float | None = None


def figure(value: float, scale: float = 1) -> Cell:
    return Cell(four_digits(value / scale), value)


def four_digits(value: float) -> str:
    return f"{value:.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"


def sortable(headings: list[str], rows: list[list[Cell]], name: str) -> Markup:
    """Wider than the window, it is moved sideways by itself."""
    numeric = [any(row[at].value is not None for row in rows) for at in range(len(headings))]
    head = [element("th", heading, scope="col", **({"class_": "number"} if number else {}))
            for heading, number in zip(headings, numeric)]
    body = [element("tr", *(_cell(cell, number) for cell, number in zip(row, numeric))) for row in rows]
    table = element("table", element("thead", element("tr", *head)), element("tbody", *body), class_="sortable")
    return element("div", table, class_="wide", role="region", tabindex="0", aria_label=name)


def _cell(cell: Cell, is_number: bool) -> Markup:
    value = {} if cell.value is None else {"data_value": f"{cell.value:.17g}"}
    return element("td", cell.text, **({"class_": "number"} if is_number else {}), **value)


def facts(pairs: dict[str, str]) -> Markup:
    """Names and what they are, a line each."""
    lines = [element("tr", element("th", name, scope="row"), element("td", value)) for name, value in pairs.items()]
    return element("table", element("tbody", *lines), class_="facts") if lines else NOTHING


# Headings of columns whose own names would not do; a unit follows where the name's ending has one.
_HEADINGS = {"iteration_s": "iteration", "compute_s": "computing", "exposed_communication_s": "exposed communication",
             "all_reduce_bound_s": "least all-reduce", "images_per_s": "images/s", "speedup": "speed-up",
             "sent_bytes_per_worker": "sent by a worker", "server_sent_bytes": "sent by servers",
             "received_bytes_per_worker": "received by a worker", "server_received_bytes": "received by servers",
             "final_weights_hash": "weights", "iteration_s_low": "iteration, low", "iteration_s_high": "iteration, high",
             "images_per_s_low": "images/s, low", "images_per_s_high": "images/s, high", "speedup_low": "speed-up, low",
             "speedup_high": "speed-up, high", "error_percent": "error (%)"}
_TEXTS = {"final_weights_hash"}  # even where all of them are digits
# What all rows of a table share stands above it, if it is one of these.
_TRAITS = {"scenario", "world", "platform", "device", "model", "dataset", "variant", "batch_size", "iterations", "repeats",
           "warmup", "role", "host"}
_OF_AN_ITERATION = ["iteration_s", "iteration_s_low", "iteration_s_high", "compute_s", "exposed_communication_s",
                    "all_reduce_bound_s"]
_PERCENTS = {"efficiency", "accuracy", "share"}


def of_rows(rows: list[Row], columns: list[str], name: str) -> Markup:
    """The columns that some row has something in; above them, what all rows share."""
    filled = [column for column in columns if any(row.cells.get(column) for row in rows)]
    iteration = [_number(row.cells.get(column, "")) or 0 for row in rows for column in _OF_AN_ITERATION]
    shared = {}
    shown = {}
    for column in filled:
        values = {row.cells.get(column, "") for row in rows}
        heading, cells = column_cells(column, [row.cells.get(column, "") for row in rows], _largest(iteration))
        if len(values) == 1 and column in _TRAITS:
            shared[heading] = cells[0].text
        else:
            shown[heading] = cells
    lines = [list(line) for line in zip(*shown.values())]
    words = [together(element("span", heading + " ", class_="quiet"), text) for heading, text in shared.items()]
    above = element("p", *(element("span", word, class_="shared") for word in words)) if words else NOTHING
    return together(above, sortable(list(shown), lines, name) if lines else NOTHING)


def column_cells(column: str, texts: list[str], iteration: float = 0) -> tuple[str, list[Cell]]:
    """Its heading with the unit that fits, and its cells. Times of parts of an iteration have that of the longest one."""
    heading = _heading(column)
    values = [_number(text) for text in texts]
    if column in _TEXTS or not any(texts) or any(text and value is None for text, value in zip(texts, values)):
        return heading, [Cell(_word(column, text)) for text in texts]
    is_part = column in _OF_AN_ITERATION and iteration > 0
    unit, scale = _unit(column, iteration if is_part else _largest([value for value in values if value is not None]))
    cells = [Cell(text) if value is None or not math.isfinite(value) else figure(value, scale)
             for text, value in zip(texts, values)]
    return heading + (f" ({unit})" if unit else ""), cells


def _heading(column: str) -> str:
    return _HEADINGS.get(column, column.removesuffix("_s").replace("_bytes", "").replace("_", " "))


def _word(column: str, text: str) -> str:
    """Of a cell; one of `quantity` is a column's name, whose figures are in the files' own units."""
    if column != "quantity":
        return names.cell(column, text)
    unit = "" if text in _PERCENTS else _unit(text, 1)[0]
    return _heading(text) + (f" ({unit})" if unit else "")


def _unit(column: str, largest: float) -> tuple[str, float]:
    if column in _PERCENTS:
        return "%", 0.01
    if "bytes" in column:
        return units.fitting(largest, units.BYTES)
    if column.removesuffix("_low").removesuffix("_high").endswith("_s") and "per_s" not in column:
        return units.fitting(largest, units.SECONDS)
    return "", 1


def _largest(values: list[float]) -> float:
    return max((abs(value) for value in values if math.isfinite(value)), default=0)


def _number(text: str) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None


_MOST_ENTRIES = 8  # of a list


def flat(value: dict, prefix: str = "") -> dict[str, str]:
    """The keys of a map in maps, with dots between, and what they hold as text; null and empty maps are left out."""
    found: dict[str, str] = {}
    for key, entry in value.items():
        if isinstance(entry, dict):
            found |= flat(entry, f"{prefix}{key}.")
        elif entry is not None:
            found[f"{prefix}{key}"] = _text(entry)
    return found


def _text(value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        entries = [_text(entry) for entry in value[:_MOST_ENTRIES]]
        more = f", ... ({len(value)} in all)" if len(value) > _MOST_ENTRIES else ""
        return ", ".join(entries) + more
    return json.dumps(value, ensure_ascii=False)


def of_points(points: list[dict[str, str]], name: str) -> Markup:
    """What flat() found of each point: what all share as facts, and what they don't as a table, a row a point."""
    keys = list(dict.fromkeys(key for point in points for key in point))
    same = {key for key in keys if len({point.get(key) for point in points}) == 1}
    differing = [key for key in keys if key not in same]
    shared = facts({key: points[0][key] for key in keys if key in same})
    if not differing:
        return shared
    columns = [[Cell(str(number), number) for number in range(1, len(points) + 1)]]
    for key in differing:
        texts = [point.get(key, "") for point in points]
        values = [_number(text) for text in texts]
        plain = all(value is not None or not text for text, value in zip(texts, values))
        columns.append([Cell(text, value if plain and value is not None and math.isfinite(value) else None)
                        for text, value in zip(texts, values)])
    lines = [list(line) for line in zip(*columns)]
    return together(shared, element("p", "What differs between points:"), sortable(["point", *differing], lines, name))
