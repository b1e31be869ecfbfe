"""Reads run.json and trace.json of result folders and checks what it reads; docs/results.md states their contract."""

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import names
import written
from results import ResultError, Row, locate, point_number, read_json_file, read_rows

COMPUTE, WAIT, COMMUNICATION = 0, 1, 2  # lanes of trace.json; its tracks beyond are of the last, too


@dataclass(frozen=True)
class Span:
    """What a member did for some time. Times are in seconds."""

    point: int
    rank: int
    lane: int
    name: str
    begin: float
    end: float
    args: dict


def read_json(result: str, name: str) -> dict:
    """Don't change what it returns: the next reader gets the same."""
    file = locate(Path(result), name)
    return _read(file, file.stat().st_mtime_ns)


@functools.lru_cache(maxsize=8)
def _read(file: Path, _changed: int) -> dict:
    read = read_json_file(file)
    if not isinstance(read, dict):
        raise ResultError(f"{file}: not a map")
    return read


def read_points(result: str) -> list[dict]:
    """The points of run.json, of which each has a scenario with an algorithm, a model and workers, and an environment.

    Where summary.csv is beside it, each has its `variant` too. Its `device` is what all of the platform's workers have.
    """
    file = locate(Path(result), "run.json")
    points = read_json(result, "run.json").get("points", [])
    for number, point in enumerate(points if isinstance(points, list) else [None], start=1):
        try:
            scenario = point["scenario"]
            fits = (isinstance(scenario["algorithm"]["name"], str) and type(scenario["workers"]) is int and scenario["workers"] > 0 and
                    isinstance(scenario["model"], (str, dict)) and isinstance(point.get("environment", {}), dict))
        except (AttributeError, KeyError, TypeError):
            fits = False
        if not fits:
            raise ResultError(f"{file}: point {number} has no scenario with an algorithm, a model and workers")
        _require_written(file, written.require_members, [point])
    devices = names.devices_of_platforms([(str(point.get("platform", "")), str(point.get("device", ""))) for point in points])
    variants = [row.cells.get("variant", "") if row else "" for row in rows_of_points(file, points)]
    return [point | {"variant": variant, "device": device} for point, variant, device in zip(points, variants, devices)]


def rows_of_points(run: Path, points: list[dict]) -> list[Row] | list[None]:
    """The rows of summary.csv beside run.json, which are in the points' order; none where these are of other scenarios."""
    summary = run.parent / "summary.csv"
    rows = read_rows([str(summary)], summary.name, ["workers"]) if summary.is_file() else []
    if [row.cells["workers"] for row in rows] == [str(point["scenario"]["workers"]) for point in points]:
        return rows
    if rows and {row.cells.get("scenario") for row in rows} == {point["scenario"].get("name") for point in points}:
        raise _not_of_rows(run, rows, points)
    return [None] * len(points)


def _not_of_rows(run: Path, rows: list[Row], points: list[dict]) -> ResultError:
    """Which of the points isn't that of its row."""
    if len(points) != len(rows):
        return ResultError(f"{run}: has {names.counted(len(points), 'points')}, but {rows[0].file} {names.counted(len(rows), 'rows')}; make the result again")
    number, row = next((at, row) for at, (point, row) in enumerate(zip(points, rows), start=1) if row.cells["workers"] != str(point["scenario"]["workers"]))
    return ResultError(f"{run}: point {number} has {names.counted(points[number - 1]['scenario']['workers'], 'workers')}, but "
                       f"{row.file}:{row.line} {row.cells['workers']}; make the result again")


class NotShown(ResultError):
    """A point that a file of the result says nothing of."""


def require_point(number: int, points: list[dict], result: str) -> None:
    """Raises where --point names none of a result's points, which are counted from 1."""
    if not 1 <= number <= len(points):
        raise ResultError(f"--point {number}: {result} has {names.counted(len(points), 'points')}, counted from 1")


def chosen_point(number: int | None, shown: set[int], result: str, name: str) -> int:
    """Of those that the result's file `name` shows, counted from 0, the one of --point, counted from 1; without one the last."""
    if number is None:
        return max(shown)
    require_point(number, read_points(result), result)
    if number - 1 not in shown:
        raise NotShown(f"{locate(Path(result), name)}: shows nothing of point {number}")
    return number - 1


def point_of_row(row: Row, points: list[dict]) -> int:
    """Of a table with a column `point`, as run.json counts them."""
    return point_number(row, len(points), "run.json")


def read_spans(result: str) -> list[Span]:
    """All that trace.json shows of the members' lanes; at least one."""
    spans = read_spans_if_any(result)
    if not spans:
        raise ResultError(f"{locate(Path(result), 'trace.json')}: has no event of a member's lanes")
    return spans


def read_spans_if_any(result: str) -> list[Span]:
    """None where the scenario has no iteration traced. Raises where events or run.json's networks are none that tandem writes.

    Don't change what it returns: the next reader gets the same.
    """
    file = locate(Path(result), "trace.json")
    points = read_points(result)
    _require_written(file.parent / "run.json", written.require_network, [point.get("environment", {}) for point in points])
    return _spans(file, file.stat().st_mtime_ns, tuple(map(count_members, points)))


@functools.lru_cache(maxsize=8)
def _spans(file: Path, changed: int, members: tuple[int, ...]) -> list[Span]:
    """Those of the file, whose points have so many `members`."""
    events = _read(file, changed).get("traceEvents")
    if not isinstance(events, list):
        raise ResultError(f"{file}: has no list of events, as a result's has; make the result again")
    if not all(isinstance(event, dict) for event in events):
        raise ResultError(f"{file}: has an event that is no map")
    spans = [event for event in events if event.get("ph") == "X"]
    if not all(isinstance(span.get("args"), dict) and "point" in span["args"] and "rank" in span["args"] for span in spans):
        raise ResultError(f"{file}: its events don't say of which point and rank they are; make the result again")
    _require_written(file, written.require_event, spans)
    for args in (span["args"] for span in spans):
        if args["point"] >= len(members):
            raise ResultError(f"{file}: has events of point {args['point']}, which run.json hasn't")
    _require_written(file, lambda args: written.require_rank(args, members[args["point"]]), [span["args"] for span in spans])
    return [_span(span) for span in spans]


def _require_written(file: Path, require: Callable[[dict], None], parts: list[dict]) -> None:
    try:
        for part in parts:
            require(part)
    except written.NotWritten as odd:
        raise ResultError(f"{file}: not as this tandem writes it; make the result again ({odd})") from None


def _span(event: dict) -> Span:
    args, begin = event["args"], event["ts"] * 1e-6
    end = begin + event["dur"] * 1e-6
    return Span(args["point"], args["rank"], min(event["tid"], COMMUNICATION), event["name"], begin, end, args)


def point_names(points: list[dict], where: bool = True) -> list[str]:
    """What tells each point of run.json from the others: its algorithm, and what else differs between them; if not `where`, no platform or device."""
    traits = [_traits(point) for point in points]
    told = [i for i, of_all in enumerate(zip(*traits)) if i == 0 or (len(set(of_all)) > 1 and (where or i not in _WHERE))]
    return [names.label(*(words[i] for i in told)) for words in traits]


def point_title(point: dict, others: list[dict]) -> str:
    """What a figure of it alone has to say: also algorithm, workers, model and platform, whether others have another or not."""
    *own, platform = _traits(point)
    traits = [_traits(one) for one in others]
    always = (0, 2, 3)
    words = [word for i, word in enumerate(own) if i in always or len({one[i] for one in traits}) > 1]
    return names.label(*words, Path(platform).stem if platform.endswith(".xml") else platform)


def with_worlds(titles: list[str], points: list[dict], results: list[str]) -> list[str]:
    """The points' titles, each with its world where results of both are shown, and with its result's folder where two are alike yet."""
    worlds = ["simulated" if "executor" in point.get("environment", {}) else "real" for point in points]
    return with_folders([names.label(title, world if len(set(worlds)) > 1 else "") for title, world in zip(titles, worlds)], results)


def with_folders(titles: list[str], results: list[str]) -> list[str]:
    """The titles, each with its result's folder where two are alike."""
    if len(set(titles)) == len(titles):
        return titles
    return [names.label(title, folder) for title, folder in zip(titles, names.apart(results))]


def recorded_workers(point: dict) -> int:
    """Those that its trace and figures of members are of: fewer than the scenario's where some were lost by the end."""
    return point.get("environment", {}).get("recorded_workers", point["scenario"]["workers"])


_MOST_MEMBERS = 8


def some_members(point: dict, ranks: set[int], striking: set[int] = frozenset()) -> list[int]:
    """Those of them that are shown: of many, one server, those that are `striking`, and the first workers."""
    shown = sorted(ranks)
    if len(shown) <= _MOST_MEMBERS:
        return shown
    servers = [rank for rank in shown if rank >= recorded_workers(point)][:1]
    first = [*servers, *sorted(ranks & striking)][:_MOST_MEMBERS]
    return sorted([*first, *[rank for rank in shown if rank not in first][:_MOST_MEMBERS - len(first)]])


def members_drawn(titles: list[str], points: list[dict], ranks: list[list[int]]) -> list[str]:
    """Notes of a figure, with a panel a point, that draws the members of these ranks: how many of all, where that is fewer."""
    said = {title: _said_of_drawn(point, drawn) for title, point, drawn in zip(titles, points, ranks)}
    lines = [words if len(set(said.values())) == 1 else f"{title}: {words}" for title, words in said.items() if words]
    return list(dict.fromkeys(lines))


def _said_of_drawn(point: dict, ranks: list[int]) -> str:
    workers = recorded_workers(point)
    drawn = sum(rank < workers for rank in ranks)
    kinds = [(drawn, workers, "workers"), (len(ranks) - drawn, count_members(point) - workers, "servers")]
    few = " and ".join(f"{shown} of {names.counted(count, kind)}" for shown, count, kind in kinds if shown < count)
    return few and f"{few} drawn."


def count_members(point: dict) -> int:
    """Workers and servers."""
    return recorded_workers(point) + point["scenario"]["algorithm"].get("servers", 0)


def member_name(point: dict, rank: int) -> str:
    """Servers come after the workers."""
    workers = recorded_workers(point)
    return f"worker {rank}" if rank < workers else f"server {rank - workers}"


_WHERE = (5, 7)  # of _traits(): device and platform


def _traits(point: dict) -> tuple[str, ...]:
    scenario = point["scenario"]
    model = scenario["model"]
    return (names.algorithm(_algorithm(scenario["algorithm"])), names.settings(str(point.get("variant", ""))),
            names.counted(scenario["workers"], "workers"), names.model(model if isinstance(model, str) else str(model.get("name", ""))),
            f"batch size {scenario.get('batch_size', '')}", names.device(str(point.get("device", ""))), names.cell("dataset", _data(scenario)),
            names.settings(str(point.get("platform", ""))))


def _data(scenario: dict) -> str:
    data = scenario.get("data", "")
    return str(data.get("name", "")) if isinstance(data, dict) else str(data)


def _algorithm(algorithm: dict) -> str:
    """As the column of summary.csv has it."""
    name = algorithm["name"]
    if name == "all_reduce":
        return str(algorithm.get("collective", name))
    if name == "parameter_server":
        return {"asynchronous": "asynchronous_ps", "stale_synchronous": "stale_ps"}.get(algorithm.get("mode"), name)
    key = {"zero": "stage", "pipeline": "stages", "pairwise_averaging": "passes", "local_sgd": "local_steps",
           "elastic_averaging": "local_steps"}.get(name)
    outer = "_outer" if name == "local_sgd" and algorithm.get("outer") else ""
    return f"{name}_{algorithm[key]}{outer}" if algorithm.get(key) is not None else name
