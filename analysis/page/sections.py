"""What the page says of each result, by the files that the result holds, and of several together."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import names
import runs
from communication import read_operations, size_text
from figures import KINDS
from page import tables
from page.figures import Figures
from page.markup import NOTHING, Markup, element, together
from page.tables import Cell
from point_tables import with_traits
from results import GOES_ON, ResultError, Row, goes_on, is_older, read_rows, unfinished

# What tells a point from others, and then its figures.
_SUMMARY = ["scenario", "world", "platform", "device", "model", "dataset", "algorithm", "variant", "workers", "batch_size",
            "iterations", "repeats", "iteration_s", "iteration_s_low", "iteration_s_high", "compute_s",
            "exposed_communication_s", "all_reduce_bound_s", "images_per_s", "images_per_s_low", "images_per_s_high",
            "speedup", "speedup_low", "speedup_high", "efficiency", "sent_bytes_per_worker", "server_sent_bytes",
            "peak_memory_bytes", "loss", "accuracy", "total_s", "lost_s", "skipped_steps", "final_weights_hash"]
_TOGETHER = ["result", *_SUMMARY[:12], "iteration_s", "exposed_communication_s", "images_per_s", "speedup", "efficiency",
             "accuracy"]
_TEXT_IN_SUMMARY = set(_SUMMARY[:8]) | {"final_weights_hash"}
_COMMON_KINDS = ["speedup", "scaling", "efficiency", "breakdown"]
_POINT = ["point", "algorithm", "model", "batch_size", "workers", "world", "platform", "device", "dataset", "variant"]
# Of other tables their titles, and what they have besides what tells their points apart.
_MORE_TABLES = {"accuracy.csv": ("Accuracy over time", ["iteration", "time_s", "images", "accuracy"]),
                "lost.csv": ("Where time is lost", ["cause", "lost_s", "compute_s", "waiting_s", "share"]),
                "staleness.csv": ("Staleness", ["staleness", "updates"])}
_TEXT_IN_MORE = {"cause"}
MOST_EXPLAINED = 6  # points of a result, each of which takes simulations


@dataclass
class Explanations:
    """Where tandem explain is asked, and about which points."""

    explain: Callable[[str, int], str]  # of a folder and a point, counted from 1: the answer's text, or why there is none
    point: int | None = None  # None: of MOST_EXPLAINED

    def points(self, count: int) -> list[int]:
        """The points, counted from 1; of many some from the first to the last."""
        if self.point is not None:
            return [self.point]
        few = min(count, MOST_EXPLAINED)
        return [1 + number * (count - 1) // max(few - 1, 1) for number in range(few)]


@dataclass
class Result:
    """A result folder, and the results that it holds where it is a comparison."""

    folder: Path
    parts: list["Result"] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)  # of summary.csv
    more: dict[str, list[Row]] = field(default_factory=dict)  # of _MORE_TABLES

    def has(self, name: str) -> bool:
        return (self.folder / name).is_file()

    def all(self) -> list["Result"]:
        return [self, *(inner for part in self.parts for inner in part.all())]

    def name(self) -> str:
        scenarios = dict.fromkeys(row.cells.get("scenario", "") for one in self.all() for row in one.rows)
        return ", ".join(filter(None, scenarios)) or self.folder.name


def read_result(folder: Path) -> Result:
    """Throws ResultError where the folder holds no result, or one that can't be read."""
    if not folder.is_dir():
        raise ResultError(f"{folder}: no such folder; a report is of result folders")
    result = Result(folder)
    parts = [folder / "predicted", folder / "measured", *sorted(folder.glob("measured/[0-9]*"), key=_repeat)]
    result.parts = [read_result(part) for part in parts if (part / "summary.csv").is_file()]
    if result.has("summary.csv"):
        result.rows = _read_summary(folder)
    known = result.rows or result.parts or result.has("comparison.csv") or result.has("calibration.yaml")
    if not known and goes_on(folder):
        raise ResultError(f"{folder}: holds no tables yet: {GOES_ON}")
    if not known:
        raise ResultError(f"{folder}: holds no summary.csv, comparison.csv or calibration.yaml; a report is of result folders")
    result.more = {name: _read_more(folder, name) for name in _MORE_TABLES if result.has(name)}
    for name, read in (("run.json", runs.read_points), ("trace.json", runs.read_spans_if_any)):
        if result.has(name):
            read(str(folder))
    return result


def _repeat(folder: Path) -> tuple[int, str]:
    return (len(folder.name), folder.name)


def _read_summary(folder: Path) -> list[Row]:
    rows = read_rows([str(folder)], "summary.csv", ["model", "algorithm", "workers"])
    for row in rows:
        row.count("workers")
    _check(rows, [column for column in _SUMMARY if column not in _TEXT_IN_SUMMARY])
    return rows


def _read_more(folder: Path, name: str) -> list[Row]:
    _, columns = _MORE_TABLES[name]
    rows = with_traits(read_rows([str(folder)], name, columns))
    _check(rows, [column for column in columns if column not in _TEXT_IN_MORE])
    return rows


def _check(rows: list[Row], columns: list[str]) -> None:
    """Raises where one of these holds what is no figure of a result; of a training that diverged some are no numbers."""
    for row in rows:
        for column in columns:
            if row.cells.get(column, "") not in ("", "nan", "-nan", "inf", "-inf"):
                row.number(column)


class Sections:
    """Of one page."""

    def __init__(self, explanations: Explanations | None, point: int | None = None):
        self._explanations = explanations
        self._figures = Figures(point)

    def of(self, result: Result, title: str, level: int = 2, **attributes: str) -> Markup:
        self._level = level + 1
        parts = [element(f"h{level}", title), self._at_a_glance(result), self._explanation(result), self._summary(result),
                 self._comparison(result), self._drawn(result), self._communication(result), self._more_tables(result), self._scenario(result),
                 self._environment(result)]
        for part in result.parts:
            inner = str(part.folder.relative_to(result.folder)).capitalize().replace("/", ", repeat ")
            parts.append(self.of(part, inner, level + 1))
        return element("section", *parts, **attributes)

    def _titled(self, title: str, *content: Markup) -> Markup:
        return together(element(f"h{self._level}", title), *content) if any(content) else NOTHING

    def _at_a_glance(self, result: Result) -> Markup:
        pairs = {}
        if result.has("run.json"):
            run = runs.read_json(str(result.folder), "run.json")
            names = {"command": "Command", "scenario_file": "Scenario file", "host": "Host", "tandem": "tandem"}
            pairs |= {names.get(key, key): text for key, text in tables.flat(run).items() if key != "points"}
        missing = unfinished(str(result.folder))
        more = "" if goes_on(result.folder) or is_older(result.folder) else " The same command goes on."
        said = element("p", f"{missing[:1].upper()}{missing[1:]}.{more}", class_="warning") if missing else NOTHING
        return together(said, tables.facts(pairs))

    def _explanation(self, result: Result) -> Markup:
        if self._explanations is None or not result.has("run.json") or not result.has("trace.json"):
            return NOTHING
        points = runs.read_points(str(result.folder))
        chosen = self._explanations.points(len(points))
        told = runs.point_names(points)
        label = "What bounds it"
        shown = []
        for number in chosen:
            text = self._explanations.explain(str(result.folder), number)
            name = f"Point {number}: {told[number - 1]}"
            shown.append(_preformatted(text, label) if len(chosen) == 1 else
                         _folded(name, _preformatted(text, f"{label}, {name}"), open=number == chosen[-1]))
        left_out = [number for number in range(1, len(points) + 1) if number not in chosen]
        if left_out:
            said = (f"Not explained here: {_ranges(left_out)} of {len(points)} points; "
                    "tandem explain --point N explains another, and tandem report --point N puts it here.")
            shown.append(element("p", said, class_="quiet"))
        return self._titled(label, *shown)

    def _summary(self, result: Result) -> Markup:
        if not result.rows:
            return NOTHING
        return self._titled("Figures of each point", tables.of_rows(result.rows, _SUMMARY, "Figures of each point"))

    def _comparison(self, result: Result) -> Markup:
        columns = ["algorithm", "model", "workers", "quantity", "predicted", "measured", "error_percent", "repeats",
                   "measured_low", "measured_high"]
        shown = []
        if result.has("comparison.csv"):
            rows = read_rows([str(result.folder)], "comparison.csv", columns[:7])
            if all(row.cells.get("repeats", "1") == "1" for row in rows):
                columns = columns[:7]
            shown.append(tables.of_rows(rows, columns, "Predicted and measured"))
        if result.has("members.csv"):
            rows = read_rows([str(result.folder / "members.csv")], "members.csv", ["rank", "role", *columns])
            shown.append(_folded("Each member by itself", tables.of_rows(
                rows, [*columns[:3], "rank", "role", "host", *columns[3:]], "Each member by itself")))
        return self._titled("Predicted and measured", *shown)

    def _drawn(self, result: Result) -> Markup:
        folders = [str(result.folder)]
        timeline = folders if result.has("trace.json") else [
            str(part.folder) for part in result.parts if part.has("trace.json") and part.has("run.json")][:2]
        if not all(Path(folder, "run.json").is_file() for folder in timeline):
            timeline = []
        timelines = self._figures.of(timeline, {"timeline": KINDS["timeline"]}) if timeline else NOTHING
        kinds = {name: kind for name, kind in KINDS.items() if name != "timeline"}
        return together(self._titled("Timeline", timelines), self._titled("Figures", self._figures.of(folders, kinds)))

    def _communication(self, result: Result) -> Markup:
        if not result.has("run.json") or not result.has("trace.json"):
            return NOTHING
        operations = read_operations(str(result.folder))
        if not operations:
            return NOTHING
        told = runs.point_names(runs.read_points(str(result.folder)))
        times, bytes_, speeds = (
            tables.column_cells(name, [f"{figure:.17g}" if figure else "" for figure in figures])
            for name, figures in (("time_s", [one.seconds for one in operations]), ("bytes", [one.bytes for one in operations]),
                                  ("bytes", [one.bus_bytes_per_s() for one in operations])))
        headings = ["point", "operation", "members", "size of each", "count", times[0], bytes_[0].replace("bytes", "size of all"),
                    speeds[0].replace("bytes", "bus bandwidth").replace(")", "/s)")]
        lines = [[Cell(told[one.point]), Cell(names.operation(one.name)),
                  Cell(str(one.members), one.members), Cell(size_text(one.size_class), one.size_class),
                  Cell(str(one.count), one.count), *rest]
                 for one, rest in zip(operations, zip(times[1], bytes_[1], speeds[1]))]
        title = "Communication"
        said = element("p", "Of the iterations that the trace shows. A time counts from when its last member was there.", class_="quiet")
        return self._titled(title, said, tables.sortable(headings, lines, title))

    def _more_tables(self, result: Result) -> Markup:
        shown = [_busiest_links(result)]
        for name, rows in result.more.items():
            title, columns = _MORE_TABLES[name]
            shown.append(_folded(title, tables.of_rows(rows, [*_POINT, *columns], title)))
        return self._titled("More tables", *shown)

    def _scenario(self, result: Result) -> Markup:
        if not result.has("run.json"):
            return NOTHING
        points = [tables.flat(point["scenario"]) for point in runs.read_points(str(result.folder))]
        title = "The scenario, with every default"
        return self._titled("Scenario", _folded(title, tables.of_points(points, title))) if points else NOTHING

    def _environment(self, result: Result) -> Markup:
        shown = []
        if result.has("calibration.yaml"):
            text = (result.folder / "calibration.yaml").read_text(encoding="utf-8", errors="replace")
            shown.append(_folded("Calibration", _preformatted(text, "Calibration")))
        if not result.has("run.json"):
            return self._titled("Environment", *shown)
        points = runs.read_points(str(result.folder))
        title = "Versions, settings and hosts"
        profiles = {name: text for point in points
                    for name, text in _map(point.get("environment", {}).get("device_profiles")).items()}
        if points:
            shown.append(_folded(title, tables.of_points([tables.flat(_environment(point)) for point in points], title)))
        shown += [_folded(f"Device profile {name}", _preformatted(str(text), f"Device profile {name}"))
                  for name, text in profiles.items()]
        return self._titled("Environment", *shown)

    def of_all(self, results: list[Result], **attributes: str) -> Markup:
        """What the results have in common; nothing where they share no model."""
        self._level = 3
        leaves = [(result, one) for result in results for one in result.all() if one.rows]
        models = [{row.cells["model"] for _, one in leaves if _ is result for row in one.rows} for result in results]
        shared = {model for i, of_one in enumerate(models) for model in of_one
                  if any(model in other for j, other in enumerate(models) if j != i)}
        rows = [Row(row.file, row.line, row.cells | {"result": str(one.folder)})
                for _, one in leaves for row in one.rows if row.cells["model"] in shared]
        if not rows:
            return NOTHING
        rows.sort(key=lambda row: (row.cells["model"], row.count("workers")))
        title = "Side by side"
        folders = [str(one.folder) for _, one in leaves if any(row.cells["model"] in shared for row in one.rows)]
        return element("section", element("h2", title), tables.of_rows(rows, _TOGETHER, title),
                       self._figures.of(folders, {name: KINDS[name] for name in _COMMON_KINDS}), **attributes)


def _ranges(numbers: list[int]) -> str:
    """Of ascending ones: 2, 4-6."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def _preformatted(text: str, name: str) -> Markup:
    return element("div", element("pre", text), class_="wide text", role="region", tabindex="0", aria_label=name)


def _folded(title: str, content: Markup, open: bool = False) -> Markup:
    attributes = {"open": "open"} if open else {}
    return element("details", element("summary", title), content, **attributes) if content else NOTHING


def _map(value) -> dict:
    return value if isinstance(value, dict) else {}


def _environment(point: dict) -> dict:
    """Without what is shown elsewhere, and routes, of which there are as many as pairs of members."""
    environment = dict(point.get("environment", {}))
    environment.pop("device_profiles", None)
    if isinstance(environment.get("network"), dict):
        network = environment["network"] | {"routes": None, "links": None}
        environment["network"] = network
    rest = {key: value for key, value in point.items() if key not in ("scenario", "environment", "links", "variant")}
    return rest | environment


def _or_dash(value: float | None, scale: float) -> Cell:
    return Cell("-") if value is None else tables.figure(value, scale)


def _busiest_links(result: Result) -> Markup:
    if not result.has("run.json"):
        return NOTHING
    points = runs.read_points(str(result.folder))
    rows = []
    for name, point in zip(runs.point_names(points), points):
        busiest = _map(point.get("links")).get("busiest")
        for link in busiest if isinstance(busiest, list) else []:
            figures = [_map(link).get(key) for key in ("bytes", "share", "peak_share", "bandwidth_bytes_per_s")]
            # What flows don't share has no capacity in all.
            wanted = figures[:1] if figures[1:] == [None] * 3 else figures
            if not all(isinstance(figure, (int, float)) and math.isfinite(figure) for figure in wanted):
                raise ResultError(f"{result.folder / 'run.json'}: a link of links.busiest lacks a figure")
            rows.append([Cell(name), Cell(str(link.get("link", ""))), *figures])
    if not rows:
        return NOTHING
    sent, carried = tables.column_cells("bytes", [f"{row[2]:.17g}" for row in rows])
    headings = ["point", "link", sent.replace("bytes", "carried", 1), "mean load (%)", "peak load (%)", "bandwidth (MB/s)"]
    lines = [[point, link, cell, _or_dash(mean, 0.01), _or_dash(peak, 0.01), _or_dash(bandwidth, 1e6)]
             for (point, link, _, mean, peak, bandwidth), cell in zip(rows, carried)]
    return _folded("Busiest links", tables.sortable(headings, lines, "Busiest links"))
