"""The kinds of figures: a module each, with a docstring that says what it shows and draw(results, width).

Those that show one point of each result say so by TAKES_POINT, and take its number, counted from 1, as draw(results, width, point).
GROWS_WITH says of a kind what adds height where that is not models: "points" or "results".
"""

from matplotlib.figure import Figure

import style
from figures import (accuracy, accuracy_traffic, breakdown, calibration, communication, compare, efficiency, memory, scaling, speedup,
                     staleness, timeline, topology, traffic, utilisation, volume)
from results import ResultError, read_rows, unfinished

KINDS = {
    "compare": compare,
    "calibration": calibration,
    "speedup": speedup,
    "scaling": scaling,
    "efficiency": efficiency,
    "breakdown": breakdown,
    "utilisation": utilisation,
    "timeline": timeline,
    "topology": topology,
    "communication": communication,
    "memory": memory,
    "staleness": staleness,
    "traffic": traffic,
    "volume": volume,
    "accuracy": accuracy,
    "accuracy_traffic": accuracy_traffic,
}


def _takes_point(kind) -> bool:
    return getattr(kind, "TAKES_POINT", False)


def grows_with(kind) -> str:
    """What adds height to a figure; with --point it is results."""
    return getattr(kind, "GROWS_WITH", "models")


OF_ONE_POINT = [name for name, kind in KINDS.items() if _takes_point(kind)]


def draw(kind, results: list[str], width: str | None = None, point: int | None = None) -> Figure:
    """A figure of a kind, of one point if it takes one. Below it is said what was measured on devices that only wait, and what it lacks where a
    result is not finished.

    Without a width it has the kind's own, or both columns where one would be longer than a page.
    """
    chosen = {"point": point} if _takes_point(kind) else {}
    figure = kind.draw(results, width or kind.DEFAULT_WIDTH, **chosen)
    if width is None and figure.get_figheight() > style.PAGE:
        figure = kind.draw(results, "double", **chosen)
    style.note(figure, paced_notes(_paced(results)))
    missing = {result: unfinished(result) for result in results}
    style.note(figure, [f"{result}: {said}." if len(results) > 1 else f"{said[0].upper()}{said[1:]}." for result, said in missing.items() if said])
    return figure


def paced_notes(devices: list[str]) -> list[str]:
    """What is said below a figure of devices that only wait."""
    return [f"Measured on {device}, which waits for a profile's times." for device in devices]


def _paced(results: list[str]) -> list[str]:
    devices: dict[str, None] = {}
    for table in ("summary.csv", "comparison.csv"):
        for result in results:
            try:
                devices |= dict.fromkeys(row.cells["device"] for row in read_rows([result], table, ["device"]))
            except ResultError:
                pass  # this result has no such table, or an older one
    return [device for device in devices if device.startswith("paced:")]
