"""What the operations of a trace have in common: how many of which size there were, and how fast they were."""

import math
from collections import defaultdict
from dataclasses import dataclass

import units
from runs import COMMUNICATION, Span, read_points, read_spans_if_any, recorded_workers


@dataclass(frozen=True)
class Operations:
    """Operations of one kind and size class in a point's trace."""

    point: int
    name: str  # "message", or the collective's
    size_class: int  # above a tenth of ten to the power of it, and up to that, in bytes
    members: int  # that take part in each
    count: int
    bytes: float
    seconds: float  # of all, each from when the last member was there
    bus_bytes: float  # which each member has to send for it, as the best algorithm would

    def bus_bytes_per_s(self) -> float | None:
        return self.bus_bytes / self.seconds if self.seconds > 0 and self.bus_bytes > 0 else None


def size_text(size_class: int) -> str:
    """As "10–100 kB"."""
    if size_class == 0:
        return "1 byte"
    (low, low_unit), (high, high_unit) = (_in_unit(10 ** power) for power in (size_class - 1, size_class))
    return f"{low}\u2013{high} {high_unit}" if low_unit == high_unit else f"{low} {low_unit}\u2013{high} {high_unit}"


def _in_unit(size: int) -> tuple[int, str]:
    unit, scale = units.fitting(size, units.BYTES)
    return round(size / scale), unit


def bus_share(name: str, members: int) -> float:
    """Of the bytes that are all-reduced, gathered, ..., what each member has to send at the least, on a ring for one."""
    others = (members - 1) / members
    if name == "message" or "broadcast" in name:
        return 1
    if any(half in name for half in ("gather", "scatter", "all_to_all")):
        return others
    return 2 * others


def read_operations(result: str) -> list[Operations]:
    """Of all that the trace shows, by point, operation, members and size class."""
    workers = [recorded_workers(point) for point in read_points(result)]
    sides: dict[tuple, list[Span]] = defaultdict(list)
    shown: dict[int, set[int]] = defaultdict(set)
    for number, span in enumerate(read_spans_if_any(result)):
        shown[span.point].add(span.rank)
        size, message = span.args.get("bytes"), span.args.get("message")
        if span.lane == COMMUNICATION and isinstance(size, (int, float)) and math.isfinite(size):
            known = message if isinstance(message, int) and message else f"unknown {number}"
            sides[span.point, _operation(span), known].append(span)
    lines: dict[tuple, list[tuple[float, float]]] = defaultdict(list)
    for (point, name, _), spans in sides.items():
        ranks = {span.rank for span in spans}
        takes_all = ranks >= {rank for rank in shown[point] if rank < workers[point]}
        members = 2 if name == "message" else max(len(ranks), workers[point] if takes_all else 0)
        size = max(span.args["bytes"] for span in spans)
        if members > 1:
            # Who came last waited for nobody; ranks' clocks needn't agree for that.
            lines[point, name, members, _size_class(size)].append((size, min(span.end - span.begin for span in spans)))
    return [Operations(point, name, size_class, members, len(of_class), sum(size for size, _ in of_class),
                       sum(seconds for _, seconds in of_class),
                       bus_share(name, members) * sum(size for size, _ in of_class))
            for (point, name, members, size_class), of_class in sorted(lines.items())]


def _operation(span: Span) -> str:
    return "message" if span.name in ("send", "receive") else span.name


def _size_class(size: float) -> int:
    return max(0, math.ceil(math.log10(size) - 1e-12)) if size > 0 else 0
