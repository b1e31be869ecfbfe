"""Where the places of a network go in its figure: in rows above the hosts, or as far apart as links take from one to the other."""

from collections import Counter, defaultdict

import numpy

from network import HOST, Network

Positions = list[tuple[float, float]]  # both from 0 to 1

_FLAT = 0.3  # a larger share of lines within a row than that is none of rows


def positions(network: Network) -> Positions:
    return _in_rows(network, _rows(network)) if has_rows(network) else _spread_out(network)


def has_rows(network: Network) -> bool:
    rows = _rows(network)
    lines = [line.ends for line in network.lines if line.ends[0] != line.ends[1]]
    return sum(rows[a] == rows[b] for a, b in lines) <= _FLAT * len(lines)


def widest_row(network: Network) -> int:
    return max(Counter(_rows(network)).values())


def count_rows(network: Network) -> int:
    return len(set(_rows(network)))


def _neighbours(network: Network) -> dict[int, list[int]]:
    neighbours = defaultdict(list)
    for line in network.lines:
        a, b = line.ends
        if a != b:
            neighbours[a].append(b)
            neighbours[b].append(a)
    return neighbours


def _steps_from(sources: list[int], network: Network) -> list[int]:
    """Links from the nearest of them; of what can't be reached, one more than any."""
    neighbours = _neighbours(network)
    steps = {source: 0 for source in sources}
    reached = list(sources)
    for place in reached:  # which grows
        for other in neighbours[place]:
            if other not in steps:
                steps[other] = steps[place] + 1
                reached.append(other)
    return [steps.get(place, max(steps.values(), default=0) + 1) for place in range(len(network.places))]


def _rows(network: Network) -> list[int]:
    """How many links places are above the hosts; what is next to hosts but no host's own switch, such as a rail, is one higher."""
    rows = _steps_from([i for i, place in enumerate(network.places) if place.kind == HOST], network)
    own = {switch for _, switch in _own_switches(network, rows).values()}
    if any(row == 1 and place not in own for place, row in enumerate(rows)):
        rows = [row + (row > 1 or (row == 1 and place not in own)) for place, row in enumerate(rows)]
    return rows


def _own_switches(network: Network, rows: list[int]) -> dict[int, tuple[int, int]]:
    """Of each host the switch whose hosts are the closest to each other, behind the first of these."""
    neighbours = _neighbours(network)
    below = {place: [other for other in neighbours[place] if rows[other] == 0] for place, row in enumerate(rows) if row > 0}

    def own(host: int) -> tuple[int, int]:
        switches = [other for other in neighbours[host] if rows[other] > 0]
        switch = min(switches, key=lambda one: (max(below[one]) - min(below[one]), one), default=host)
        return min(below.get(switch, [host])), switch

    return {host: own(host) for host, row in enumerate(rows) if row == 0}


def _in_rows(network: Network, rows: list[int]) -> Positions:
    """Hosts at the bottom, those of a switch next to each other; every switch in the middle of what is below it."""
    neighbours = _neighbours(network)

    own = _own_switches(network, rows)
    hosts = sorted((i for i, row in enumerate(rows) if row == 0), key=lambda host: (own[host], host))
    across = {host: (i + 0.5) / len(hosts) for i, host in enumerate(hosts)}
    top = max(rows)
    for row in range(1, top + 1):
        of_row = [i for i in range(len(rows)) if rows[i] == row]
        middle = {}
        for place in of_row:
            below = [across[other] for other in neighbours[place] if rows[other] < row]
            middle[place] = sum(below) / len(below) if below else 0.5
        of_row.sort(key=lambda place: (round(middle[place], 9), place))
        across |= dict(zip(of_row, _kept_apart([middle[place] for place in of_row])))
    return [(across[i], rows[i] / max(top, 1)) for i in range(len(rows))]


def _kept_apart(wanted: list[float]) -> list[float]:
    """Ascending places from 0 to 1 near those that are wanted, none too near the next."""
    apart = 0.8 / len(wanted)
    placed: list[float] = []
    for at in wanted:
        placed.append(max(at, placed[-1] + apart) if placed else at)
    shift = sum(wanted) / len(wanted) - sum(placed) / len(placed)
    placed = [at + shift for at in placed]
    low, high = min(0.0, placed[0] - apart / 2), max(1.0, placed[-1] + apart / 2)
    return [(at - low) / (high - low) for at in placed]


def _spread_out(network: Network) -> Positions:
    """Stress majorization (Gansner, Koren and North, "Graph drawing by stress majorization", 2004), from a circle."""
    count = len(network.places)
    wanted = numpy.array([_steps_from([i], network) for i in range(count)], float)
    wanted = (wanted + wanted.T) / 2
    weights = 1 / numpy.maximum(wanted, 1) ** 2
    numpy.fill_diagonal(weights, 0)
    angles = 2 * numpy.pi * numpy.arange(count) / count
    at = numpy.column_stack([numpy.cos(angles), numpy.sin(angles)]) * wanted.max() / 2
    for _ in range(300):
        apart = at[:, None, :] - at[None, :, :]
        lengths = numpy.maximum(numpy.linalg.norm(apart, axis=2), 1e-9)
        pull = weights * wanted / lengths
        at = ((weights @ at) + (pull[:, :, None] * apart).sum(axis=1)) / weights.sum(axis=1)[:, None]
    span = numpy.maximum(at.max(axis=0) - at.min(axis=0), 1e-9)
    return [tuple(map(float, one)) for one in (at - at.min(axis=0)) / span]
