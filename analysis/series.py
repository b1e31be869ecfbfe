"""Groups summary rows into the lines of a figure: models, their series, and points over workers."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field

import names
from results import ResultError, Row, read_rows

# Whatever of these differs between rows of one model is told of their series; of a place, as much as tells the places apart.
_PLACE = ["world", "platform", "device"]
_DISTINGUISHING = [*_PLACE, "dataset", "batch_size", "variant"]
# And these where none of those does: results of two scenarios that differ in what has no column, real ones on other hosts, or any two.
_LAST_RESORTS = ["scenario", "hosts", "folder"]

@dataclass
class Series:
    """One line of a figure: the rows of one model and algorithm, by workers."""

    algorithm: str
    label: str
    rows: dict[int, Row] = field(default_factory=dict)

    def points(self, column: str) -> tuple[list[int], list[float]]:
        """Workers and figures, ascending; rows that did not measure it are left out."""
        figures = {n: self.rows[n].number(column) for n in sorted(self.rows)}
        measured = {n: figure for n, figure in figures.items() if figure is not None}
        return list(measured), list(measured.values())

    def bands(self, column: str) -> tuple[list[int], list[float], list[float], list[float]]:
        """Workers, figures and the band around each, where a simulation of several seeds has one; efficiency's is speed-up's."""
        known = "speedup" if column == "efficiency" else column
        ends = [f"{known}_low", f"{known}_high"]
        banded = [n for n in sorted(self.rows) if known in self.rows[n].cells and all(self.rows[n].cells.get(end) for end in ends)]
        figures = [[self.rows[n].known_number(name) for n in banded] for name in (known, *ends)]
        for n, middle, low, high in zip(banded, *figures):
            if not low <= middle <= high:
                raise self.rows[n].error(known, f"is {middle:g}, which is not from {ends[0]}, {low:g}, to {ends[1]}, {high:g}")
        if column != known:
            parts = [self.rows[n].known_number(column) / (middle or 1) for n, middle in zip(banded, figures[0])]
            figures = [[part * figure for part, figure in zip(parts, of_name)] for of_name in figures]
        return banded, *figures


def read_series(results: list[str], columns: list[str]) -> dict[str, list[Series]]:
    """Series by model, both in the order of the files. Every one of `columns` is measured somewhere."""
    rows = on_platforms(read_rows(results, "summary.csv", ["model", "algorithm", "workers"] + columns))
    for column in columns:
        figures = [row.number(column) for row in rows]  # all of them: each is checked
        if all(figure is None for figure in figures):
            raise ResultError(f"{rows[0].file}: column '{column}' is empty in every row")
    models = dict.fromkeys(row.text("model") for row in rows)
    return {model: _split([row for row in rows if row.text("model") == model]) for model in models}


def on_platforms(rows: list[Row]) -> list[Row]:
    """With the devices of a platform's workers, as many as rows have of them, instead of those of each row's workers."""
    devices = names.devices_of_platforms([((row.cells.get("world"), _cell(row, "platform")), row.cells.get("device") or "") for row in rows])
    return [dataclasses.replace(row, cells=row.cells | {"device": device}) for row, device in zip(rows, devices)]


def _split(rows: list[Row]) -> list[Series]:
    columns = telling(rows, lambda row: row.text("algorithm"))
    series: dict[tuple[str, ...], Series] = {}
    for row in rows:
        algorithm = row.cells["algorithm"]
        told = columns[algorithm]
        one = series.setdefault((algorithm, *_cells(row, told)), Series(algorithm, _label(row, told)))
        workers = row.count("workers")
        if workers in one.rows:
            first = one.rows[workers]
            raise row.error("workers", f"repeats {workers} of {first.file}:{first.line} for {one.label}")
        one.rows[workers] = row
    return list(series.values())


def _label(row: Row, told: list[str]) -> str:
    """The algorithm with the traits that have a word: "ring all-reduce, K80, 1 MB buckets"."""
    return names.label(*trait_words(row, ["algorithm", *told]))


def trait_words(row: Row, columns: list[str]) -> list[str]:
    return [names.trait(column, _cell(row, column)) for column in columns]


def telling(rows: list[Row], algorithm: Callable[[Row], str]) -> dict[str, list[str]]:
    """By algorithm the columns that tell a model's series apart, and say in what else than the algorithm any two differ."""
    columns: list[str] = []
    for column in _DISTINGUISHING:
        before = [one for one in columns if one in _PLACE] if column in _PLACE else []
        if len({_cells(row, [*before, column]) for row in rows}) > len({_cells(row, before) for row in rows}):
            columns.append(column)
    told = {}
    for name in dict.fromkeys(map(algorithm, rows)):
        same = [row for row in rows if algorithm(row) == name]
        told[name] = list(columns)
        for column in _LAST_RESORTS:
            points = {_cells(row, [*told[name], "algorithm", "workers"]) for row in same}
            if len(points) < len(same) and _differs(same, [column]):
                told[name].append(column)
    return told


def _differs(rows: list[Row], columns: list[str]) -> bool:
    return len({_cells(row, columns) for row in rows}) > 1


def _cells(row: Row, columns: list[str]) -> tuple[str, ...]:
    return tuple(_cell(row, column) for column in columns)


def _cell(row: Row, column: str) -> str:
    """A real run's platform is the hosts that it took, the more workers the more: these tell no series apart."""
    if column == "folder":
        return row.folder
    is_real = row.cells.get("world") == "real"
    if column in ("platform", "hosts"):
        return row.cells.get("platform", "") if is_real == (column == "hosts") else ""
    return row.cells.get(column, "")
