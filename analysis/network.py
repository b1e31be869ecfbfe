"""The network between a job's hosts, and what its links carried, from topology.csv and run.json; docs/results.md says more."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import runs
from results import MissingFile, ResultError, Row, locate, read_rows

HOST, SWITCH, BUS = "host", "switch", "bus"

_COLUMNS = ["point", "link", "from", "to", "bytes_per_s", "bytes", "share"]


@dataclass
class Place:
    """A host, or where links meet; of like ones that are drawn as one, all of them."""

    name: str
    kind: str
    workers: list[int] = field(default_factory=list)  # by rank
    servers: list[int] = field(default_factory=list)  # from 0
    count: int = 1


@dataclass
class Line:
    """The links between two places, in both directions; of a bus, between it and itself."""

    ends: tuple[int, int]
    links: list[Row]

    def share(self) -> float | None:
        """Of the busiest link's capacity; None where none of them is shared, so that it has no limit."""
        shares = [share for share in (link.number("share") for link in self.links) if share is not None]
        return max(shares, default=None)

    def mean_share(self) -> float | None:
        shares = [share for share in (link.number("share") for link in self.links) if share is not None]
        return sum(shares) / len(shares) if shares else None

    def carries(self) -> bool:
        return any((link.number("bytes") or 0) > 0 for link in self.links)


@dataclass
class Network:
    places: list[Place]
    lines: list[Line]
    bottleneck: str  # the link that run.json, and tables of the terminal and of pages, have as the busiest; empty where none carried anything

    def busiest(self, links: list[Row]) -> Row:
        """Of several that were used as much, the one that tables name."""
        return max(links, key=lambda link: (link.number("share") or 0, link.text("link") == self.bottleneck))


def read_network(result: str, chosen: int | None = None) -> tuple[dict, list[dict], Network]:
    """The last point that topology.csv has, or the one that is chosen, counted from 1; all points; and that one's network."""
    rows = _rows(result)
    points = runs.read_points(result)
    shown = {int(row.number("point") or 0) for row in rows}
    if max(shown) >= len(points):
        raise ResultError(f"{rows[0].file}: has links of point {max(shown)}, which run.json hasn't")
    try:
        number = runs.chosen_point(chosen, shown, result, "topology.csv")
    except runs.NotShown as error:
        raise _with_reason(error, result, [points[chosen - 1]]) from None
    return points[number], points, _joined([row for row in rows if row.number("point") == number], points[number])


def _rows(result: str) -> list[Row]:
    try:
        return read_rows([result], "topology.csv", _COLUMNS)
    except MissingFile as error:
        raise _with_reason(error, result, runs.read_points(result)) from None


def _with_reason(error: ResultError, result: str, points: list[dict]) -> ResultError:
    """Why there is nothing of any of these points, as far as run.json says that."""
    run = locate(Path(result), "run.json")
    environments = [point.get("environment", {}) for point in points]
    if any("links_reason" in environment for environment in environments):
        return ResultError(f"{run}: like workers were folded, so that no link's load is known; simulate it with --set simulation.fold=false")
    for environment in environments:
        if "topology_reason" in environment:
            return ResultError(f"{run}: the network between the hosts was {environment['topology_reason']}; "
                               "tandem explain names the busiest links, and links.csv has their loads")
    return ResultError(f"{error}; a simulation of several hosts that send something writes it")


def _joined(rows: list[Row], point: dict) -> Network:
    """Places in the order of their members, hosts first; buses are places that a link leads from and to."""
    ranks: dict[str, list[int]] = defaultdict(list)
    for rank, host in enumerate(point.get("environment", {}).get("network", {}).get("hosts", [])):
        ranks[host].append(rank)
    names = list(dict.fromkeys(row.text(end) for row in rows for end in ("from", "to")))
    buses = {row.cells["from"] for row in rows if row.cells["from"] == row.cells["to"]}
    workers = point["scenario"]["workers"]
    places = [Place(name, HOST if name in ranks else BUS if name in buses else SWITCH,
                    [rank for rank in ranks[name] if rank < workers] if name in ranks else [],
                    [rank - workers for rank in ranks[name] if rank >= workers] if name in ranks else [])
              for name in names]
    places.sort(key=lambda place: (place.kind != HOST, min(ranks[place.name]) if place.kind == HOST else 0))
    number = {place.name: i for i, place in enumerate(places)}
    lines: dict[tuple[int, int], Line] = {}
    for row in rows:
        ends = tuple(sorted((number[row.cells["from"]], number[row.cells["to"]])))
        lines.setdefault(ends, Line(ends, [])).links.append(row)
    of_links = point.get("links")
    return Network(places, list(lines.values()), str(of_links.get("bottleneck", "")) if isinstance(of_links, dict) else "")


def collapsed(network: Network, most: int) -> Network:
    """The network, or where it has more than `most` places, one that has one for all that are alike.

    Places are alike that have the same members and neighbours, and whose neighbours are alike in turn, as far as `most` allows:
    rounds of colour refinement (Weisfeiler and Leman, "A reduction of a graph to a canonical form", 1968).
    """
    if len(network.places) <= most:
        return network
    colours = _numbered([(place.kind, bool(place.workers), bool(place.servers)) for place in network.places])
    while True:
        finer = _refined(network, colours)
        if len(set(finer)) > most or len(set(finer)) == len(set(colours)):
            return _merged(network, colours)
        colours = finer


def _numbered(keys: list) -> list[int]:
    known: dict = {}
    return [known.setdefault(key, len(known)) for key in keys]


def _refined(network: Network, colours: list[int]) -> list[int]:
    around: list[Counter] = [Counter() for _ in colours]
    for line in network.lines:
        widths = tuple(sorted(f"{link.number('bytes_per_s') or 0:.4g}" for link in line.links))
        for own, other in (line.ends, reversed(line.ends)):
            around[own][widths, colours[other]] += 1
    return _numbered([(colour, tuple(sorted(one.items()))) for colour, one in zip(colours, around)])


def _merged(network: Network, colours: list[int]) -> Network:
    places: dict[int, Place] = {}
    for place, colour in zip(network.places, colours):
        if colour not in places:
            places[colour] = Place(place.name, place.kind, count=0)
        one = places[colour]
        one.count += 1
        one.workers += place.workers
        one.servers += place.servers
    number = {colour: i for i, colour in enumerate(places)}
    lines: dict[tuple[int, int], Line] = {}
    for line in network.lines:
        ends = tuple(sorted(number[colours[end]] for end in line.ends))
        lines.setdefault(ends, Line(ends, [])).links.extend(line.links)
    return Network(list(places.values()), list(lines.values()), network.bottleneck)
