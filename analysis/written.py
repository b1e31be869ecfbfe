"""What tandem writes into trace.json's events and run.json's networks: all that is read of them, here and by core/record/traced_point.cc."""

import json

import names
from results import MOST

_INT, _LONG = 2**30, 2**62  # what is less can be added to another in 32 and 64 bits
# Whole numbers of an event: from which one on, and below which.
_COUNTS = {"point": (0, _LONG), "rank": (0, _INT), "bytes": (0, 2 * _LONG), "peer": (-1, _INT), "iteration": (-1, _INT),
           "position": (-1, _INT), "order": (-1, _LONG), "message": (0, 2 * _LONG), "tag": (-1, _INT), "asked_position": (-1, _INT),
           "priority": (0, _INT), "asked_order": (-1, _LONG), "collective": (0, 2 * _LONG), "round": (-1, _INT), "slice": (0, _INT)}
_TIMES = ["latency", "fixed", "reduce", "alone"]
_TASKS = ["task", "asked_task"]
_LAST_KIND = 4  # of tasks: core/record/task.h


class NotWritten(Exception):
    """The message says what can't be what."""


def require_event(event: dict) -> None:
    """Of a span, whose args are a map with a point and a rank. Raises NotWritten."""
    args = event["args"]
    _whole("tid", event.get("tid"), 0, _INT)
    for name, value in args.items():
        if name in _COUNTS:
            _whole(name, value, *_COUNTS[name])
        elif name in _TIMES:
            _number(name, value)
        elif name in _TASKS:
            _task(name, value)
        elif (name == "phase" and not isinstance(value, str)) or (name in ("unasked", "from_any") and not isinstance(value, bool)):
            raise _odd(name, value)
    if not isinstance(event.get("name"), str):
        raise _odd("name", event.get("name"))
    for name in ("ts", "dur"):
        _number(name, event.get(name))
    if event["dur"] < 0:
        raise _odd("dur", event["dur"])


def require_rank(args: dict, members: int) -> None:
    """Of an event of a point with so many members. Raises NotWritten."""
    _whole("rank", args["rank"], 0, members)


def require_members(point: dict) -> None:
    """Of a point of run.json that has a scenario with workers. Raises NotWritten."""
    workers = point["scenario"]["workers"]
    _whole("servers", point["scenario"]["algorithm"].get("servers", 0), 0, _INT)
    _whole("recorded_workers", point.get("environment", {}).get("recorded_workers", workers), 1, workers + 1)


def require_network(environment: dict) -> None:
    """Of a point of run.json; one of a real run has none. Raises NotWritten."""
    network = environment.get("network", {})
    if not isinstance(network, dict):
        raise _odd("network", network)
    if "routes" not in network:
        return
    hosts, links, routes = (network.get(name) for name in ("hosts", "links", "routes"))
    if not isinstance(hosts, list) or not all(isinstance(host, str) for host in hosts):
        raise _odd("hosts", hosts)
    if not isinstance(links, dict):
        raise _odd("links", links)
    for link, bytes_per_s in links.items():
        _number("links", bytes_per_s)
        if bytes_per_s <= 0:
            raise NotWritten(f"links: {link} can't carry {bytes_per_s:g} bytes/s")
    if not isinstance(routes, list):
        raise _odd("routes", routes)
    for route in routes:
        if not isinstance(route, list) or len(route) < 3 or not isinstance(route[2], list):
            raise _odd("routes", route)
        for rank in route[:2]:
            _whole("routes", rank, 0, _INT)
        for link in route[2]:
            if not isinstance(link, str) or link not in links:
                raise NotWritten(f"routes: there is no link {names.shortened(json.dumps(link))}")
        for latency in route[3:4]:
            _number("routes", latency)


def _whole(name: str, value: object, least: int, below: int) -> None:
    if type(value) is not int or not least <= value < below:
        raise _odd(name, value)


def _number(name: str, value: object) -> None:
    """A figure that can be added to others."""
    if type(value) not in (int, float) or not abs(value) <= MOST:  # nor one that is no number
        raise _odd(name, value)


def _task(name: str, value: object) -> None:
    if not isinstance(value, list) or len(value) < 3:
        raise _odd(name, value)
    for part, below in zip(value, (_LAST_KIND + 1, _INT, 2 * _LONG)):
        _whole(name, part, 0, below)


def _odd(name: str, value: object) -> NotWritten:
    return NotWritten(f"{name}: it can't be {names.shortened(json.dumps(value))}")
