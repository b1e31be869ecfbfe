"""share of the members that compute, and that send or receive, over the time that the trace shows, a panel a point, or --point alone"""

import math
from collections import defaultdict

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import drawn
import names
import runs
import sampled
import style
import units

DEFAULT_WIDTH = "double"
TAKES_POINT = True
GROWS_WITH = "points"

_HIGH, _LOW = 1.6, 0.7  # inches: of a panel, and where more have to find room on a page
_NAME_FITS = 1.3  # inches
_COLUMNS = {"single": (1, 2), "double": (3,)}  # the fewest in which panels find room
_BESIDES = {"single": 1.2, "double": 0.7}  # inches: the legend's lines and the notes, at most
_BINS = 60
_NOBODY = 1e-6  # members: rounding
_SHARE, _SHARE_IN_SHORT = "busy members (%)", "busy (%)"
_LINES = {runs.COMPUTE: ("computing", {"color": style.BLUE, "linestyle": "-"}),
          runs.COMMUNICATION: ("sending or receiving", {"color": style.VERMILION, "linestyle": "--"})}


def draw(results: list[str], width: str, point: int | None = None) -> Figure:
    of_results = [(result, one) for result in results for one in _points(result, point)]
    found = [one for _, one in of_results]
    told = runs.with_worlds([name for name, *_ in found], [one for _, one, _ in found], [result for result, _ in of_results])
    figure, panels, height = _panels(told, width)
    # One for all: where panels are in a row, some may not name their own axis.
    unit = units.fitting(max(time.length for *_, time in found), units.SECONDS)
    for axes, (_, one, time) in zip(panels, found):
        _draw_panel(axes, one, time, unit, _SHARE if height >= _NAME_FITS else _SHARE_IN_SHORT)
    style.finish(figure, panels)
    left_out = ["Shares are of the members that are recorded at the time; hatched: those in iterations that the trace has not."]
    style.note(figure, [f"{_whole(told, found)} A step is the mean over a {_BINS}th of the time shown.",
                        *(left_out if any(gaps for *_, time in found for gaps in time.unrecorded.values()) else [])])
    return figure


def _panels(titles: list[str], width: str) -> tuple[Figure, list[Axes], float]:
    """As high as a page has room for, and how high that is."""
    for columns in _COLUMNS[width]:
        height = _HIGH
        figure, panels = style.panels(titles, width, columns, height)
        beyond = figure.get_figheight() + _BESIDES[width] - style.PAGE
        if beyond > 0:
            enough = _HIGH - beyond / math.ceil(len(titles) / min(len(titles), columns))
            height = max(_LOW, enough)
            figure, panels = style.panels(titles, width, columns, height)
        if beyond <= 0 or enough >= _LOW:
            break
    return figure, panels, height


def _draw_panel(axes: Axes, point: dict, time: sampled.Shown, of_time: tuple[str, float], of_shares: str) -> None:
    begin, end = time.ends
    unit, scale = of_time
    ranks = {span.rank for span in time.spans}
    spans: dict[tuple[int, int], list[sampled.Stretch]] = defaultdict(list)
    for span in time.spans:
        spans[span.rank, span.lane].append((span.begin, span.end))
    ends = [*(begin + i * ((end - begin) / _BINS) for i in range(_BINS)), end]
    gaps = [sampled.shares(time.unrecorded.get(rank, []), ends) for rank in ranks]
    recorded = [len(ranks) - sum(of_bin) for of_bin in zip(*gaps)]
    middles = [(i + 0.5) / _BINS * (end - begin) / scale for i in range(_BINS)]
    for lane, (label, look) in _LINES.items():
        busy = [0.0] * _BINS
        for rank in ranks:
            # What a member did for an iteration before, such as a message that took longer, counts in no time that isn't recorded.
            counted = sampled.without_holes(sampled.merged(spans[rank, lane], 0), time.unrecorded.get(rank, []))
            busy = [sum_ + share for sum_, share in zip(busy, sampled.shares(counted, ends))]
        shares = [100 * one / of if of > _NOBODY else math.nan for one, of in zip(busy, recorded)]
        axes.plot(middles, shares, drawstyle="steps-mid", label=label, **look)
    label = sampled.time_label(point, unit)
    if any(time.unrecorded.values()):
        shares = [100 * of / len(ranks) for of in recorded]
        axes.stairs([100] * _BINS, [(one - begin) / scale for one in ends], baseline=shares, fill=True,
                    label=sampled.NOT_RECORDED, zorder=0, **style.UNKNOWN)
        drawn.tell(axes, [drawn.Told(sampled.NOT_RECORDED, "share", x, "", share, 100, label, _SHARE)
                          for x, share in zip(middles, shares) if share < 100])
    for at in time.breaks:
        axes.axvline((at - begin) / scale, **style.BREAK)
    axes.set(xlabel=label, ylabel=of_shares, xlim=(0, (end - begin) / scale or 1), ylim=(0, 108), yticks=[0, 50, 100])
    axes.grid(axis="y", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)


def _whole(told: list[str], found: list[tuple[str, dict, sampled.Shown]]) -> str:
    """What 100 % are: a trace may show fewer members than the job has."""
    counts = [len({span.rank for span in time.spans}) for *_, time in found]
    parts = {name: f"all of the {names.counted(count, 'members')} that the trace shows"
             for name, (_, one, _), count in zip(told, found, counts) if count < runs.count_members(one)}
    said = set(parts.values())
    if len(parts) == len(found) and len(said) == 1:
        return f"100 %: {said.pop()} are busy; {'the job has' if len(found) == 1 else 'jobs have'} more."
    return "; ".join(["100 %: all workers and servers are busy", *(f"of {name}, {part}" for name, part in parts.items())]) + "."


def _points(result: str, chosen: int | None) -> list[tuple[str, dict, sampled.Shown]]:
    """The name of each, the point, and what its trace shows."""
    points = runs.read_points(result)
    of_point: dict[int, list[runs.Span]] = defaultdict(list)
    for span in runs.read_spans(result):
        of_point[span.point].append(span)
    numbers = sorted(of_point) if chosen is None else [runs.chosen_point(chosen, set(of_point), result, "trace.json")]
    told = runs.point_names(points)
    return [(told[number], points[number], sampled.shown_time(result, number, of_point[number]))
            for number in numbers]
