"""Tables of several rows a point, such as accuracy.csv: which rows are of one point, and what tells it from others."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import names
from results import TABLES, MissingFile, Row, goes_on, is_older, point_number, read_rows, unfinished

# What both such a table and summary.csv have of a point, and what summary.csv alone has.
_COLUMNS = ["algorithm", "model", "batch_size", "workers", "variant"]
_OF_SUMMARY = ["scenario", "world", "platform", "device", "dataset"]
# What is said of each point where it differs between them: of a place, as much as tells the places apart.
_PLACE = ["world", "platform", "device"]
_TRAITS = ["workers", *_PLACE, "dataset", "batch_size", "variant"]
# And where none of those does, the first of these that helps.
_LAST_RESORTS = [[], ["scenario"], ["folder"], ["folder", "point"]]


@dataclass
class Point:
    """A point of a result, and its rows of the table by the column that counts them."""

    model: str
    algorithm: str
    key: tuple  # the same of a row of such a table and the row of its result's summary.csv that it is of
    traits: dict[str, str]
    rows: dict[float, Row] = field(default_factory=dict)
    label: str = ""


def read_point_tables(results: list[str], name: str, counted_by: str, columns: list[str], why_none: Callable[[Path, list[Row]], str]) -> list[Point]:
    """In the order of the files. Raises where a point has two rows with one number in the column `counted_by`.

    `why_none` says of a result's folder and its rows of summary.csv why it holds no such table.
    """
    found: list[Point] = []
    for result, folder in zip(results, names.apart(results)):
        own: dict[tuple, Point] = {}
        for row in with_traits(_read(result, name, [*_COLUMNS, counted_by, *columns], why_none)):
            one = point_of(row, folder)
            point = own.setdefault(one.key, one)
            count = row.known_number(counted_by)
            if count in point.rows:
                first = point.rows[count]
                old = "" if "point" in row.cells else ", and nothing says of which point each is; make the result again"
                raise row.error(counted_by, f"repeats {count:g} of {first.file}:{first.line}{old}")
            point.rows[count] = row
        found += own.values()
    for point, label in zip(found, labels(found)):
        point.label = label
    return found


def point_of(row: Row, folder: str) -> Point:
    """Of a row with_traits(), or of summary.csv with `point` as these have it, in the result of that name."""
    traits = {trait: row.cells.get(trait, "") for trait in (*_TRAITS, "scenario")}
    if traits["world"] == "real":
        traits["platform"] = ""  # the hosts that it took: the more workers the more
    number = row.cells.get("point", "")
    traits |= {"folder": folder, "point": number and f"point {number}"}
    source = row.file.parent if row.file.name in TABLES else row.file
    return Point(row.text("model"), row.text("algorithm"), (source, number, *shared_cells(row)), traits)


def summary_points(results: list[Path]) -> list[Point]:
    """All that summary.csv has of each of these folders."""
    folders = names.apart(list(map(str, results))) if results else []
    return [point_of(dataclasses.replace(row, cells=row.cells | {"point": str(number)}), folder)
            for result, folder in zip(results, folders)
            for number, row in enumerate(read_rows([str(result)], "summary.csv", ["model", "algorithm", "workers"]), start=1)]


def holding(results: list[str], name: str) -> tuple[list[str], list[str]]:
    """The results to read a table of, and those that hold none, where another does: a run that trained nothing has no accuracy.csv."""
    lacking = [result for result in results if not (Path(result) / name).is_file() and (Path(result) / "summary.csv").is_file()]
    held = [result for result in results if result not in lacking]
    return (held, lacking) if held else (results, [])


def _read(result: str, name: str, columns: list[str], why_none: Callable[[Path, list[Row]], str]) -> list[Row]:
    """Where a result, or a comparison of which neither half does, lacks the table, the error says why."""
    try:
        return read_rows([result], name, columns)
    except MissingFile as error:
        folder = Path(result) if Path(result).is_dir() else Path(result).parent
        if (folder / "comparison.csv").is_file():
            halves = [folder / half for half in ("predicted", "measured")]
            if any((half / name).is_file() for half in halves):
                raise
            folder = halves[-1]
        if goes_on(folder):
            raise
        if (folder / "checkpoints").is_dir() and not (folder / "summary.csv").is_file():
            raise MissingFile(f"{folder / name}: no such file yet: the run was ended before its tables were written; "
                              "the same command with --resume goes on with it") from None
        if not (folder / "summary.csv").is_file():
            raise
        why = not is_older(folder) and unfinished(str(folder)) or why_none(folder, read_rows([str(folder)], "summary.csv", ["algorithm"]))
        raise MissingFile(f"{str(error).partition(': no such file')[0]}: no such file: {why}") from None


def with_traits(rows: list[Row]) -> list[Row]:
    """With what summary.csv beside the file says of their points, and `point` counted from 1, as where one is chosen."""
    known = {file: _summary(file.parent / "summary.csv") for file in dict.fromkeys(row.file for row in rows)}
    counts = {file: sum(map(len, summary.values())) for file, summary in known.items()}
    return [Row(row.file, row.line, row.cells | _traits_of(row, known[row.file], counts[row.file])) for row in rows]


def _summary(file: Path) -> dict[tuple[str, ...], dict[int, Row]]:
    """Its rows by the cells that they share with a table's, and by number from 0."""
    rows = read_rows([str(file)], file.name, ["workers"]) if file.is_file() else []
    alike: dict[tuple[str, ...], dict[int, Row]] = {}
    for number, row in enumerate(rows):
        alike.setdefault(shared_cells(row), {})[number] = row
    return alike


def shared_cells(row: Row) -> tuple[str, ...]:
    """What such a table and summary.csv both have of a point."""
    return tuple(row.cells.get(column, "") for column in _COLUMNS)


def _traits_of(row: Row, summary: dict[tuple[str, ...], dict[int, Row]], count: int) -> dict[str, str]:
    """Of a file older than the column `point` only where one row alone can be meant. `count`: how many summary.csv has, 0 without one."""
    alike = summary.get(shared_cells(row), {})
    number = next(iter(alike)) if len(alike) == 1 else None
    if "point" in row.cells:
        number = point_number(row, count or None, "summary.csv")
    traits = {} if number is None else {"point": str(number + 1)}
    return traits | ({column: alike[number].cells.get(column, "") for column in _OF_SUMMARY} if number in alike else {})


def labels(points: list[Point]) -> list[str]:
    """The algorithm, and of the traits those that differ, so that no two points of a model have one label."""
    devices = names.devices_of_platforms([((point.traits["world"], point.traits["platform"]), point.traits["device"]) for point in points])
    points = [dataclasses.replace(point, traits=point.traits | {"device": device}) for point, device in zip(points, devices)]
    told = _told(points)
    found: list[str] = []
    for more in _LAST_RESORTS:
        found = [names.label(names.algorithm(point.algorithm), *(_word(trait, point.traits[trait]) for trait in [*told, *more]))
                 for point in points]
        if len(set(zip((point.model for point in points), found))) == len(points):
            break
    return found


def _word(trait: str, text: str) -> str:
    return names.counted(text, "workers") if trait == "workers" else names.trait(trait, text)


def _told(points: list[Point]) -> list[str]:
    told: list[str] = []
    for trait in _TRAITS:
        before = [one for one in told if one in _PLACE] if trait in _PLACE else []
        if trait == "dataset":
            before = ["model"]  # has its own
        if _count(points, [*before, trait]) > _count(points, before):
            told.append(trait)
    return told


def _count(points: list[Point], traits: list[str]) -> int:
    return len({tuple(point.model if trait == "model" else point.traits[trait] for trait in traits) for point in points})
